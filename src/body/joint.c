/* Joints of the scene: made at the poses where they take hold, released at their time, broken by
 * too much. */
#include "base/log.h"
#include "base/report.h"
#include "body/ode.h"

static void set_motor(dJointID joint, const rp_joint_control *control,
                      void (*set)(dJointID, int, dReal))
{
    if (isfinite(control->low)) set(joint, dParamLoStop, control->low);
    if (isfinite(control->high)) set(joint, dParamHiStop, control->high);
    if (!(control->force > 0)) return;
    set(joint, dParamVel, control->speed);
    set(joint, dParamFMax, control->force);
}

static dJointID make_joint(dWorldID world, const rp_joint_spec *spec,
                           const rp_joint_control *control, dBodyID body, dBodyID other)
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
        set_motor(joint, control, dJointSetHingeParam);
        break;
    case RP_JOINT_SLIDER:
        joint = dJointCreateSlider(world, NULL);
        dJointAttach(joint, body, other);
        dJointSetSliderAxis(joint, axis.x, axis.y, axis.z);
        set_motor(joint, control, dJointSetSliderParam);
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
        engine->joints[i] = make_joint(engine->world, spec, control, body->body, other->body);
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
