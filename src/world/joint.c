/* What the host program asks of joints while a world runs. */
#include "base/report.h"
#include "world/world.h"

#include "repose/body.h"

#include <string.h>

/* Beyond this speeds and forces are mistakes. */
#define MOST 1e12

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

/* Only what moves along one coordinate has a motor and limits. */
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
