/* Bodies and joints as the host program controls them while a world runs. */
#include "base/report.h"
#include "repose/body.h"
#include "world/inside.h"

#include <string.h>

/* --- bodies ----------------------------------------------------------------------------------- */

static bool is_body(const rp_world *world, int body)
{
    return world && body >= 0 && body < rp_bodies_count(world->bodies);
}

static const char *name_of(const rp_world *world, int body)
{
    return rp_scene_bodies(world->scene)[body].name;
}

rp_code rp_world_check_body(const rp_world *world, int body, rp_report *report)
{
    if (!is_body(world, body))
        return rp_fail(report, RP_ERROR_INPUT, "body %d: the world has %d", body,
                       rp_bodies_count(world->bodies));
    if (rp_bodies_drive(world->bodies, body) == RP_DRIVE_ABSENT)
        return rp_fail(report, RP_ERROR_INPUT, "body '%s' was removed", name_of(world, body));
    return RP_OK;
}

static bool is_driven(const rp_world *world, int body)
{
    rp_drive drive = rp_bodies_drive(world->bodies, body);
    return drive == RP_DRIVE_PROGRAM || drive == RP_DRIVE_RETURN;
}

/* A body that keys move, or that is fixed, must be taken over first. */
static rp_code check_movable(const rp_world *world, int body, rp_report *report)
{
    RP_TRY(rp_world_check_body(world, body, report));
    rp_drive drive = rp_bodies_drive(world->bodies, body);
    if (drive == RP_DRIVE_DYNAMIC || drive == RP_DRIVE_PROGRAM) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "body '%s' moves as the scene says; call rp_body_take_control first",
                   name_of(world, body));
}

static rp_code check_controlled(const rp_world *world, int body, rp_report *report)
{
    RP_TRY(rp_world_check_body(world, body, report));
    if (is_driven(world, body)) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "body '%s' is not controlled; call rp_body_take_control first",
                   name_of(world, body));
}

static rp_code check_dynamic(const rp_world *world, int body, rp_report *report)
{
    RP_TRY(rp_world_check_body(world, body, report));
    if (rp_bodies_is_dynamic(world->bodies, body)) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "body '%s' is not dynamic: no force moves it",
                   name_of(world, body));
}

/* Larger lengths, speeds and forces are mistakes, and their squares overflow. */
#define MOST 1e12

static rp_code check_vector(const double *v, const char *what, rp_report *report)
{
    for (int a = 0; v && a < 3; a++)
        if (!(fabs(v[a]) <= MOST))
            return rp_fail(report, RP_ERROR_INPUT, "the %s is [%g, %g, %g]", what, v[0], v[1],
                           v[2]);
    return RP_OK;
}

/* Computes the pose of a body with another position or orientation; either may be NULL. */
static rp_code new_pose(const rp_world *world, int body, const double *position,
                        const double *orientation, rp_pose *pose, rp_report *report)
{
    const rp_body_state *state = &rp_bodies_states(world->bodies)[body];
    const double *q = orientation ? orientation : state->orientation;
    RP_TRY(check_vector(position, "position", report));
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1) < 1e-3))
        return rp_fail(report, RP_ERROR_INPUT,
                       "the orientation [%g, %g, %g, %g] is not a unit quaternion", q[0], q[1],
                       q[2], q[3]);
    pose->position = rp_v3_from(position ? position : state->position);
    pose->orientation = (rp_quat){q[0], q[1], q[2], q[3]};
    if (orientation) pose->orientation = rp_quat_normalized(pose->orientation);
    return RP_OK;
}

/* Updates surfaces and views after a change. */
static rp_code show_change(rp_world *world)
{
    rp_couple_refresh(world->couple);
    rp_world_refresh_view(world);
    return RP_OK;
}

int rp_body_find(const rp_world *world, const char *name)
{
    return world && name ? rp_scene_find_body(world->scene, name) : -1;
}

double rp_body_mass(const rp_world *world, int body)
{
    if (!is_body(world, body)) return 0;
    bool dynamic = rp_scene_bodies(world->scene)[body].motion == RP_MOTION_DYNAMIC;
    return dynamic ? rp_bodies_mass(world->bodies, body).mass : 0;
}

rp_code rp_body_set_pose(rp_world *world, int body, const double *position,
                         const double *orientation, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    rp_pose pose;
    RP_TRY(check_movable(world, body, report));
    RP_TRY(new_pose(world, body, position, orientation, &pose, report));
    rp_bodies_set_pose(world->bodies, body, world->time, pose);
    return show_change(world);
}

rp_code rp_body_set_velocity(rp_world *world, int body, const double *velocity,
                             const double *angular_velocity, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_movable(world, body, report));
    RP_TRY(check_vector(velocity, "velocity", report));
    RP_TRY(check_vector(angular_velocity, "angular velocity", report));
    const rp_body_state *state = &rp_bodies_states(world->bodies)[body];
    rp_vec3 move = rp_v3_from(velocity ? velocity : state->velocity);
    rp_vec3 turn = rp_v3_from(angular_velocity ? angular_velocity : state->angular_velocity);
    rp_bodies_set_velocity(world->bodies, body, world->time, move, turn);
    return show_change(world);
}

rp_code rp_body_add_force(rp_world *world, int body, const double force[3], rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(force, report);
    RP_ENTER();
    RP_TRY(check_dynamic(world, body, report));
    RP_TRY(check_vector(force, "force", report));
    rp_vec3 centre = rp_bodies_centre(world->bodies, body);
    rp_bodies_add_wrench(world->bodies, body, rp_v3_from(force), centre, rp_v3(0, 0, 0));
    return RP_OK;
}

rp_code rp_body_add_force_at(rp_world *world, int body, const double force[3],
                             const double point[3], rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(force, report);
    RP_NEED(point, report);
    RP_ENTER();
    RP_TRY(check_dynamic(world, body, report));
    RP_TRY(check_vector(force, "force", report));
    RP_TRY(check_vector(point, "point", report));
    rp_bodies_add_wrench(world->bodies, body, rp_v3_from(force), rp_v3_from(point), rp_v3(0, 0, 0));
    return RP_OK;
}

rp_code rp_body_add_torque(rp_world *world, int body, const double torque[3], rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(torque, report);
    RP_ENTER();
    RP_TRY(check_dynamic(world, body, report));
    RP_TRY(check_vector(torque, "torque", report));
    rp_vec3 none = rp_v3(0, 0, 0);
    rp_bodies_add_wrench(world->bodies, body, none, none, rp_v3_from(torque));
    return RP_OK;
}

rp_code rp_body_take_control(rp_world *world, int body, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(rp_world_check_body(world, body, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_bodies_take_control(world->bodies, body, world->time, report);
    rp_budget_enter(before);
    return code == RP_OK ? show_change(world) : code;
}

static rp_code check_seconds(double seconds, rp_report *report)
{
    if (seconds >= 0 && seconds <= MOST) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "a body cannot move within %g s", seconds);
}

rp_code rp_body_move_to(rp_world *world, int body, const double *position,
                        const double *orientation, double seconds, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    rp_pose pose;
    RP_TRY(check_movable(world, body, report));
    RP_TRY(check_controlled(world, body, report));
    RP_TRY(check_seconds(seconds, report));
    RP_TRY(new_pose(world, body, position, orientation, &pose, report));
    double end = world->time + seconds;
    if (!(end > world->time))
        return rp_fail(report, RP_ERROR_INPUT,
                       "a motion needs some time, not %g s; rp_body_set_pose jumps", seconds);
    rp_bodies_move_to(world->bodies, body, world->time, end, pose);
    return show_change(world);
}

rp_code rp_body_release(rp_world *world, int body, double seconds, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_controlled(world, body, report));
    RP_TRY(check_seconds(seconds, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code =
        rp_bodies_release(world->bodies, body, world->time, world->time + seconds, report);
    rp_budget_enter(before);
    return code == RP_OK ? show_change(world) : code;
}

bool rp_body_is_controlled(const rp_world *world, int body)
{
    return is_body(world, body) && is_driven(world, body);
}

/* --- joints ----------------------------------------------------------------------------------- */

static const rp_joint_spec *spec_of(const rp_world *world, int joint)
{
    return &rp_scene_joints(world->scene)[joint];
}

static rp_code check_joint(const rp_world *world, int joint, rp_report *report)
{
    if (joint >= 0 && joint < world->scene->joints.count) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "joint %d: the world has %d", joint,
                   world->scene->joints.count);
}

/* Fails for joints without a coordinate: only hinges and sliders have motors and limits. */
static rp_code check_moves(const rp_world *world, int joint, rp_report *report)
{
    RP_TRY(check_joint(world, joint, report));
    int kind = spec_of(world, joint)->kind;
    if (kind == RP_JOINT_HINGE || kind == RP_JOINT_SLIDER) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "joint '%s' has neither motor nor limits; hinges and sliders have",
                   spec_of(world, joint)->name);
}

static rp_code check_motor(double speed, double force, rp_report *report)
{
    if (!(fabs(speed) <= MOST))
        return rp_fail(report, RP_ERROR_INPUT, "a motor cannot run at a speed of %g", speed);
    if (!(force >= 0 && force <= MOST))
        return rp_fail(report, RP_ERROR_INPUT, "a motor cannot have a force of %g", force);
    return RP_OK;
}

int rp_joint_find(const rp_world *world, const char *name)
{
    if (!world || !name) return -1;
    for (int i = 0; i < world->scene->joints.count; i++)
        if (strcmp(spec_of(world, i)->name, name) == 0) return i;
    return -1;
}

rp_code rp_joint_set_motor(rp_world *world, int joint, double speed, double max_force,
                           rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_moves(world, joint, report));
    RP_TRY(check_motor(speed, max_force, report));
    rp_joint_control *control = rp_bodies_joint(world->bodies, joint);
    control->servo = 0;
    control->speed = speed;
    control->force = max_force;
    return RP_OK;
}

rp_code rp_joint_set_target(rp_world *world, int joint, double position, double max_speed,
                            double max_force, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_moves(world, joint, report));
    RP_TRY(check_motor(max_speed, max_force, report));
    double most = spec_of(world, joint)->kind == RP_JOINT_HINGE ? RP_PI : MOST;
    if (!(fabs(position) <= most))
        return rp_fail(report, RP_ERROR_INPUT, "joint '%s' cannot move to %g; from %g to %g it can",
                       spec_of(world, joint)->name, position, -most, most);
    rp_joint_control *control = rp_bodies_joint(world->bodies, joint);
    control->servo = 1;
    control->target = position;
    control->speed = fabs(max_speed);
    control->force = max_force;
    return RP_OK;
}

rp_code rp_joint_set_limits(rp_world *world, int joint, double low, double high, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_moves(world, joint, report));
    if (!(low <= high))
        return rp_fail(report, RP_ERROR_INPUT, "limits from %g to %g leave nothing", low, high);
    rp_joint_control *control = rp_bodies_joint(world->bodies, joint);
    control->low = low;
    control->high = high;
    return RP_OK;
}

rp_code rp_joint_release(rp_world *world, int joint, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_joint(world, joint, report));
    rp_bodies_release_joint(world->bodies, joint);
    return RP_OK;
}

static void store(double to[3], rp_vec3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

rp_code rp_joint_read(const rp_world *world, int joint, rp_joint_state *state, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(state, report);
    RP_ENTER();
    *state = (rp_joint_state){0};
    RP_TRY(check_joint(world, joint, report));
    const rp_joint_control *control = rp_bodies_joint_now(world->bodies, joint);
    state->holds = rp_bodies_joint_holds(world->bodies, joint);
    if (!state->holds) return RP_OK;
    rp_bodies_joint_motion(world->bodies, joint, &state->position, &state->rate);
    state->motor_force = control->drive;
    store(state->force, control->load);
    store(state->torque, control->couple);
    return RP_OK;
}
