/* Joints of the scene: made at the start's poses, released at their time, broken by too much. */
#include "base/log.h"
#include "base/report.h"
#include "body/ode.h"

static void set_motor(dJointID joint, const rp_joint_spec *spec, void (*set)(dJointID, int, dReal))
{
    if (isfinite(spec->low)) set(joint, dParamLoStop, spec->low);
    if (isfinite(spec->high)) set(joint, dParamHiStop, spec->high);
    if (!(spec->motor_force > 0)) return;
    set(joint, dParamVel, spec->motor_speed);
    set(joint, dParamFMax, spec->motor_force);
}

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
        set_motor(joint, spec, dJointSetHingeParam);
        break;
    case RP_JOINT_SLIDER:
        joint = dJointCreateSlider(world, NULL);
        dJointAttach(joint, body, other);
        dJointSetSliderAxis(joint, axis.x, axis.y, axis.z);
        set_motor(joint, spec, dJointSetSliderParam);
        break;
    }
    return joint;
}

rp_code rp_engine_add_joints(rp_engine *engine, rp_report *report)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        dBodyID other = spec->other >= 0 ? engine->solids[spec->other].body : NULL;
        dBodyID body = engine->solids[spec->body].body;
        engine->joints[i] = make_joint(engine->world, spec, body, other);
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

void rp_engine_remove_joints(rp_engine *engine)
{
    for (int i = 0; i < engine->joint_count; i++)
        let_go(engine, i);
}

void rp_engine_release_joints(rp_engine *engine, double *calm)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (!engine->joints[i]) continue;
        if (!engine->broken[i] && engine->time < spec->release) continue;
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
