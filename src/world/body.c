/* What the host program does to bodies while a world runs: checks here, deeds in the room `body`.
 */
#include "base/report.h"
#include "world/world.h"

#include "repose/body.h"

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

/* What keys lead, or nothing moves at all, has to be taken over first. */
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

/* Beyond this lengths, speeds and forces are mistakes, and their squares overflow. */
#define MOST 1e12

static rp_code check_vector(const double *v, const char *what, rp_report *report)
{
    for (int a = 0; v && a < 3; a++)
        if (!(fabs(v[a]) <= MOST))
            return rp_fail(report, RP_ERROR_INPUT, "the %s is [%g, %g, %g]", what, v[0], v[1],
                           v[2]);
    return RP_OK;
}

/* The pose of a body with another position or orientation; either may be NULL. */
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

/* After a change: surfaces and views show it, and the length of the next step depends on it. */
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
    rp_bodies_add_push(world->bodies, body, rp_v3_from(force), centre, rp_v3(0, 0, 0));
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
    rp_bodies_add_push(world->bodies, body, rp_v3_from(force), rp_v3_from(point), rp_v3(0, 0, 0));
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
    rp_bodies_add_push(world->bodies, body, none, none, rp_v3_from(torque));
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
