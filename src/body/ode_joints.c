/* Joints of the scene in ODE: attached at their reference poses, driven by motors, released at
 * their time, broken by too large a force. */
#include "base/report.h"
#include "body/ode.h"

static dJointID make_joint(dWorldID world, const rp_joint_spec *spec, dBodyID body, dBodyID other)
{
    dJointID joint = NULL;
    rp_vec3 at = spec->anchor, axis = spec->axis;
    switch ((rp_joint_kind)spec->kind) {
    case RP_JOINT_FIXED:
        joint = dJointCreateFixed(world, NULL);
        dJointAttach(joint, body, other);
        dJointSetFixed(joint);
        break;
    case RP_JOINT_BALL:
        joint = dJointCreateBall(world, NULL);
        dJointAttach(joint, body, other);
        dJointSetBallAnchor(joint, at.x, at.y, at.z);
        break;
    case RP_JOINT_HINGE:
        joint = dJointCreateHinge(world, NULL);
        dJointAttach(joint, body, other);
        dJointSetHingeAnchor(joint, at.x, at.y, at.z);
        dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
        break;
    case RP_JOINT_SLIDER:
        joint = dJointCreateSlider(world, NULL);
        dJointAttach(joint, body, other);
        dJointSetSliderAxis(joint, axis.x, axis.y, axis.z);
        break;
    }
    return joint;
}

rp_code rp_engine_add_joints(rp_engine *engine, rp_report *report)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        const rp_joint_control *control = &engine->host.joints[i];
        const rp_solid none = {0}, *body = &engine->solids[spec->body];
        const rp_solid *other = spec->other >= 0 ? &engine->solids[spec->other] : &none;
        bool gives = rp_is_dynamic(engine, spec->body) || rp_is_dynamic(engine, spec->other);
        if (engine->broken[i] || !gives)
            continue; /* controlled bodies need no joint between them */
        rp_solid_place(body, control->reference[0]);
        rp_solid_place(other, control->reference[1]);
        engine->joints[i] = make_joint(engine->world, spec, body->body, other->body);
        if (!engine->joints[i]) return rp_fail_memory(report, sizeof(dJointID), "joints");
        dJointSetFeedback(engine->joints[i], &engine->joint_forces[i]);
    }
    return RP_OK;
}

static void destroy_joint(rp_engine *engine, int i)
{
    if (!engine->joints[i]) return;
    dJointDestroy(engine->joints[i]);
    engine->joints[i] = NULL;
}

/* In ODE the only body of a joint is its first: motor, limits and forces of a joint without a first
 * body are reversed. */
static bool is_reversed(const rp_engine *engine, const rp_joint_spec *spec)
{
    return !engine->solids[spec->body].body;
}

void rp_joint_motion_of(const rp_engine *engine, int joint, double *position, double *rate)
{
    dJointID id = engine->joints[joint];
    *position = *rate = 0;
    switch ((rp_joint_kind)rp_scene_joints(engine->scene)[joint].kind) {
    case RP_JOINT_HINGE:
        if (id) *position = dJointGetHingeAngle(id);
        if (id) *rate = dJointGetHingeAngleRate(id);
        break;
    case RP_JOINT_SLIDER:
        if (id) *position = dJointGetSliderPosition(id);
        if (id) *rate = dJointGetSliderPositionRate(id);
        break;
    case RP_JOINT_FIXED:
    case RP_JOINT_BALL:
        break;
    }
}

/* Returns the speed of a motor in this step. A servo asks for all of the remaining distance in one
 * step (B8): that is stable for any load, since ODE reaches speeds at the end of the step. A hinge
 * without limits takes the shorter arc. */
static double motor_speed(const rp_engine *engine, int joint)
{
    const rp_joint_control *control = &engine->host.joints[joint];
    if (!(control->servo > 0)) return control->speed;
    double position, rate;
    rp_joint_motion_of(engine, joint, &position, &rate);
    double remaining = control->target - position;
    bool hinge = rp_scene_joints(engine->scene)[joint].kind == RP_JOINT_HINGE;
    if (hinge && isinf(control->low) && isinf(control->high))
        remaining = remainder(remaining, 2 * RP_PI);
    return fmax(-control->speed, fmin(control->speed, remaining / engine->dt));
}

static void tune_joint(const rp_engine *engine, int i, void (*set)(dJointID, int, dReal))
{
    const rp_joint_control *control = &engine->host.joints[i];
    dJointID joint = engine->joints[i];
    bool reversed = is_reversed(engine, &rp_scene_joints(engine->scene)[i]);
    double low = reversed ? -control->high : control->low;
    double high = reversed ? -control->low : control->high;
    set(joint, dParamLoStop, isfinite(low) ? low : -dInfinity);
    set(joint, dParamHiStop, isfinite(high) ? high : dInfinity);
    set(joint, dParamVel, control->force > 0 ? motor_speed(engine, i) * (reversed ? -1 : 1) : 0);
    set(joint, dParamFMax, control->force);
}

void rp_engine_set_joint_params(rp_engine *engine)
{
    for (int i = 0; i < engine->joint_count; i++) {
        int kind = rp_scene_joints(engine->scene)[i].kind;
        if (!engine->joints[i]) continue;
        if (kind == RP_JOINT_HINGE) tune_joint(engine, i, dJointSetHingeParam);
        if (kind == RP_JOINT_SLIDER) tune_joint(engine, i, dJointSetSliderParam);
    }
}

/* Reads force and torque of a joint on its first body, as of the start of the step. ODE gives the
 * torque about the centre of mass; states hold it about the anchor, if there is one. */
static void read_load(rp_engine *engine, int i)
{
    const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
    rp_joint_control *control = &engine->host.joints[i];
    bool reversed = is_reversed(engine, spec);
    int reported = reversed ? spec->other : spec->body;
    rp_pose pose = rp_state_pose(&engine->start[reported]), hold = control->reference[reversed];
    rp_vec3 middle = rp_pose_to_world(pose, engine->solids[reported].mass.centre), anchor = middle;
    if (spec->kind == RP_JOINT_HINGE || spec->kind == RP_JOINT_BALL)
        anchor = rp_pose_to_world(pose, rp_pose_to_local(hold, spec->anchor));
    rp_vec3 force = rp_ode_vec3(engine->joint_forces[i].f1);
    rp_vec3 torque = rp_v3_add(rp_ode_vec3(engine->joint_forces[i].t1),
                               rp_v3_cross(rp_v3_sub(middle, anchor), force));
    rp_quat since = rp_quat_mul(pose.orientation, rp_quat_conj(hold.orientation));
    rp_vec3 axis = rp_quat_rotate(since, spec->axis);
    double sign = reversed ? -1 : 1;
    control->load = rp_v3_scale(force, sign);
    control->couple = rp_v3_scale(torque, sign);
    control->drive = 0;
    if (spec->kind == RP_JOINT_HINGE) control->drive = rp_v3_dot(control->couple, axis);
    if (spec->kind == RP_JOINT_SLIDER) control->drive = rp_v3_dot(control->load, axis);
}

void rp_engine_read_joint_loads(rp_engine *engine)
{
    for (int i = 0; i < engine->joint_count; i++) {
        rp_joint_control *control = &engine->host.joints[i];
        control->load = control->couple = rp_v3(0, 0, 0);
        control->drive = 0;
        if (engine->joints[i]) read_load(engine, i);
    }
}

bool rp_engine_joint_holds(const rp_engine *engine, int joint)
{
    return engine->joints[joint] != NULL;
}

void rp_engine_release_joint(rp_engine *engine, int joint)
{
    engine->broken[joint] = 1;
    destroy_joint(engine, joint);
}

void rp_engine_release_joints(rp_engine *engine, double *rest_time)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (!engine->joints[i]) continue;
        if (!engine->broken[i] && engine->time < spec->release) continue;
        engine->broken[i] = 1; /* also for engines that are created later */
        destroy_joint(engine, i);
        rest_time[spec->body] = 0;
        if (spec->other >= 0) rest_time[spec->other] = 0;
    }
}

void rp_engine_break_joints(rp_engine *engine)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (!engine->joints[i]) continue;
        /* ODE gives no force on the world; that on the other body is as large. */
        const dJointFeedback *f = &engine->joint_forces[i];
        double force = fmax(rp_v3_length(rp_ode_vec3(f->f1)), rp_v3_length(rp_ode_vec3(f->f2)));
        if (!(force > spec->break_force)) continue;
        engine->broken[i] = 1;
        rp_log(RP_LOG_INFO, "at %.4g s joint '%s' breaks: it had to hold %.3g N", engine->time,
               spec->name, force);
        destroy_joint(engine, i);
    }
}
