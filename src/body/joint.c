/* Joints of the scene: made at the poses where they take hold, released at their time, broken by
 * too much. */
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
        if (engine->broken[i] || !gives) continue; /* what the program holds needs no joint */
        rp_solid_place(body, control->holds[0]);
        rp_solid_place(other, control->holds[1]);
        engine->joints[i] = make_joint(engine->world, spec, body->body, other->body);
        if (!engine->joints[i]) return rp_fail_memory(report, sizeof(dJointID), "joints");
        dJointSetFeedback(engine->joints[i], &engine->joint_forces[i]);
    }
    return RP_OK;
}

static void let_go(rp_engine *engine, int i)
{
    if (!engine->joints[i]) return;
    dJointDestroy(engine->joints[i]);
    engine->joints[i] = NULL;
}

/* The engine has a joint's only body be its first, and turns its own motor and limits round. */
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

/* What a motor has to run at in this step. A servo goes all that is left to its target: that
 * is stable for any load, since the engine meets speeds at the end of the step. A hinge without
 * limits goes the shorter way round. */
static double motor_speed(const rp_engine *engine, int joint)
{
    const rp_joint_control *control = &engine->host.joints[joint];
    if (!(control->servo > 0)) return control->speed;
    double position, rate;
    rp_joint_motion_of(engine, joint, &position, &rate);
    double left = control->target - position;
    bool hinge = rp_scene_joints(engine->scene)[joint].kind == RP_JOINT_HINGE;
    if (hinge && isinf(control->low) && isinf(control->high)) left = remainder(left, 2 * RP_PI);
    return fmax(-control->speed, fmin(control->speed, left / engine->dt));
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

void rp_engine_tune_joints(rp_engine *engine)
{
    for (int i = 0; i < engine->joint_count; i++) {
        int kind = rp_scene_joints(engine->scene)[i].kind;
        if (!engine->joints[i]) continue;
        if (kind == RP_JOINT_HINGE) tune_joint(engine, i, dJointSetHingeParam);
        if (kind == RP_JOINT_SLIDER) tune_joint(engine, i, dJointSetSliderParam);
    }
}

/* Force and torque on the joint's first body, the latter about the anchor, or where there is none
 * about the middle of the body that the engine tells them of; all as of the start of the step. */
static void read_load(rp_engine *engine, int i)
{
    const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
    rp_joint_control *control = &engine->host.joints[i];
    bool reversed = is_reversed(engine, spec);
    int told = reversed ? spec->other : spec->body;
    rp_pose pose = rp_state_pose(&engine->start[told]), hold = control->holds[reversed];
    rp_vec3 middle = rp_pose_to_world(pose, engine->solids[told].mass.centre), anchor = middle;
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

void rp_engine_read_loads(rp_engine *engine)
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
    let_go(engine, joint);
}

void rp_engine_release_joints(rp_engine *engine, double *calm)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (!engine->joints[i]) continue;
        if (!engine->broken[i] && engine->time < spec->release) continue;
        engine->broken[i] = 1; /* for engines that are made later, too */
        let_go(engine, i);
        calm[spec->body] = 0;
        if (spec->other >= 0) calm[spec->other] = 0;
    }
}

void rp_engine_break_joints(rp_engine *engine)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (!engine->joints[i]) continue;
        /* One end may be the world, whose force is not told; the other's is as great. */
        const dJointFeedback *f = &engine->joint_forces[i];
        double force = fmax(rp_v3_length(rp_ode_vec3(f->f1)), rp_v3_length(rp_ode_vec3(f->f2)));
        if (!(force > spec->break_force)) continue;
        engine->broken[i] = 1;
        rp_log(RP_LOG_INFO, "at %.4g s joint '%s' breaks: it had to hold %.3g N", engine->time,
               spec->name, force);
        let_go(engine, i);
    }
}
