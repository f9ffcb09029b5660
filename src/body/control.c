/* Bodies and joints under the control of the host program: tracks (B6), applied forces (B7), motors
 * and servos (B8), and their state in stores. */
#include "base/memory.h"
#include "base/report.h"
#include "body/inside.h"

#include <string.h>

static size_t body_count(const rp_scene *scene)
{
    return (size_t)scene->bodies.count;
}

static size_t joint_count(const rp_scene *scene)
{
    return (size_t)scene->joints.count;
}

static rp_joint_control joint_of(const rp_joint_spec *spec, const rp_body_state *states)
{
    rp_pose world = {.orientation = {.w = 1}};
    return (rp_joint_control){
        .reference = {rp_load_pose(&states[spec->body]),
                      spec->other >= 0 ? rp_load_pose(&states[spec->other]) : world},
        .low = spec->low,
        .high = spec->high,
        .speed = spec->motor_force > 0 ? spec->motor_speed : 0,
        .force = spec->motor_force};
}

/* Largest number of a valid state, m, m/s, rad/s, N, N m, s: squares of larger ones overflow. */
#define MOST 1e13

/* --- tracks ----------------------------------------------------------------------------------- */

/* Starts uniform motion from the present pose. */
static void start_track(rp_bodies *bodies, int index, double time, rp_vec3 velocity, rp_vec3 spin)
{
    rp_body_state *state = &bodies->states[index];
    rp_pose pose = rp_load_pose(state);
    bodies->control.tracks[index] = (rp_track){.start = time,
                                               .end = INFINITY,
                                               .from = pose,
                                               .to = pose,
                                               .velocity = velocity,
                                               .spin = spin};
    rp_store_vec3(state->velocity, velocity);
    rp_store_vec3(state->angular_velocity, spin);
}

/* Starts uniform motion from the present pose to another, which is reached at `end`, along the
 * shorter arc. */
static void start_motion_to(rp_bodies *bodies, int index, double time, double end, rp_pose to)
{
    rp_pose from = rp_load_pose(&bodies->states[index]);
    rp_quat turn = rp_quat_mul(to.orientation, rp_quat_conj(from.orientation));
    double rate = 1 / (end - time);
    start_track(bodies, index, time, rp_v3_scale(rp_v3_sub(to.position, from.position), rate),
                rp_v3_scale(rp_quat_log(turn), rate));
    bodies->control.tracks[index].end = end;
    bodies->control.tracks[index].to = to;
}

/* --- calls of the host program ---------------------------------------------------------------- */

rp_drive rp_bodies_drive(const rp_bodies *bodies, int index)
{
    return (rp_drive)bodies->control.drives[index];
}

bool rp_bodies_are_disturbed(const rp_bodies *bodies)
{
    return bodies->control.disturbed;
}

/* Creates an engine for the present drives in place of the old one. The engine has no memory but
 * broken joints, so that the new one continues exactly as the old one would. */
rp_code rp_bodies_make_engine(rp_bodies *bodies, const uint8_t *broken, rp_report *report)
{
    rp_engine *engine;
    const rp_engine_host host = {bodies->scene, bodies->control.drives, bodies->control.wrenches,
                                 bodies->control.joints};
    if (!broken && bodies->engine) broken = rp_engine_broken(bodies->engine);
    RP_TRY(rp_engine_create(&host, bodies->states, broken, &engine, report));
    rp_engine_destroy(bodies->engine);
    bodies->engine = engine;
    return RP_OK;
}

static rp_code set_drive(rp_bodies *bodies, int index, rp_drive drive, rp_report *report)
{
    uint8_t before = bodies->control.drives[index];
    bodies->control.drives[index] = (uint8_t)drive;
    rp_code code = bodies->engine ? rp_bodies_make_engine(bodies, NULL, report) : RP_OK;
    if (code != RP_OK) bodies->control.drives[index] = before;
    if (code == RP_OK) bodies->control.used = true;
    return code;
}

static void set_pose_at_once(rp_bodies *bodies, int index, rp_pose pose)
{
    rp_store_pose(&bodies->states[index], pose);
    bodies->rest_time[index] = 0;
    bodies->control.used = bodies->control.disturbed = true;
}

void rp_bodies_set_pose(rp_bodies *bodies, int index, double time, rp_pose pose)
{
    set_pose_at_once(bodies, index, pose);
    if (!rp_bodies_on_track(bodies, index)) return;
    const rp_track *track = &bodies->control.tracks[index];
    bool endless = isinf(track->end); /* a motion to another pose ends here */
    rp_vec3 none = rp_v3(0, 0, 0);
    start_track(bodies, index, time, endless ? track->velocity : none,
                endless ? track->spin : none);
}

void rp_bodies_set_velocity(rp_bodies *bodies, int index, double time, rp_vec3 velocity,
                            rp_vec3 spin)
{
    bodies->control.used = true;
    bodies->rest_time[index] = 0;
    if (rp_bodies_on_track(bodies, index)) {
        start_track(bodies, index, time, velocity, spin);
    } else {
        rp_store_vec3(bodies->states[index].velocity, velocity);
        rp_store_vec3(bodies->states[index].angular_velocity, spin);
    }
}

void rp_bodies_move_to(rp_bodies *bodies, int index, double time, double end, rp_pose pose)
{
    RP_ASSERT(end > time);
    bodies->control.used = true;
    start_motion_to(bodies, index, time, end, pose);
}

rp_vec3 rp_bodies_centre(const rp_bodies *bodies, int index)
{
    return rp_pose_to_world(rp_load_pose(&bodies->states[index]),
                            rp_bodies_mass(bodies, index).centre);
}

void rp_bodies_add_wrench(rp_bodies *bodies, int index, rp_vec3 force, rp_vec3 point,
                          rp_vec3 torque)
{
    rp_wrench *push = &bodies->control.wrenches[index];
    rp_vec3 arm = rp_v3_sub(point, rp_bodies_centre(bodies, index));
    push->force = rp_v3_add(push->force, force);
    push->torque = rp_v3_add(push->torque, rp_v3_add(torque, rp_v3_cross(arm, force)));
    bodies->rest_time[index] = 0;
    bodies->control.used = true;
}

void rp_bodies_clear_wrenches(rp_bodies *bodies)
{
    memset(bodies->control.wrenches, 0, (size_t)bodies->count * sizeof *bodies->control.wrenches);
}

rp_code rp_bodies_take_control(rp_bodies *bodies, int index, double time, rp_report *report)
{
    RP_TRY(set_drive(bodies, index, RP_DRIVE_PROGRAM, report));
    bodies->control.wrenches[index] = (rp_wrench){0};
    start_track(bodies, index, time, rp_v3(0, 0, 0), rp_v3(0, 0, 0));
    return RP_OK;
}

/* Returns a body to the motion of the scene. */
static rp_code return_to_scene(rp_bodies *bodies, int index, rp_report *report)
{
    rp_drive own = (rp_drive)rp_scene_bodies(bodies->scene)[index].motion;
    bodies->rest_time[index] = 0;
    return set_drive(bodies, index, own, report);
}

rp_code rp_bodies_release(rp_bodies *bodies, int index, double time, double end, rp_report *report)
{
    const rp_body_spec *spec = &rp_scene_bodies(bodies->scene)[index];
    if (spec->motion == RP_MOTION_DYNAMIC) return return_to_scene(bodies, index, report);
    if (end > time) {
        RP_TRY(set_drive(bodies, index, RP_DRIVE_RETURN, report));
        start_motion_to(bodies, index, time, end, rp_body_pose_at(spec, end));
        return RP_OK;
    }
    rp_pose before = rp_load_pose(&bodies->states[index]);
    set_pose_at_once(bodies, index, rp_body_pose_at(spec, time));
    rp_code code = return_to_scene(bodies, index, report);
    if (code != RP_OK) set_pose_at_once(bodies, index, before);
    RP_TRY(code);
    rp_store_vec3(bodies->states[index].velocity, spec->velocity);
    rp_store_vec3(bodies->states[index].angular_velocity, spec->spin);
    return RP_OK;
}

rp_code rp_bodies_end_returns(rp_bodies *bodies, double time, rp_report *report)
{
    for (int i = 0; i < bodies->count; i++) {
        if (bodies->control.drives[i] != RP_DRIVE_RETURN) continue;
        if (time < bodies->control.tracks[i].end) continue;
        const rp_body_spec *spec = &rp_scene_bodies(bodies->scene)[i];
        rp_store_pose(&bodies->states[i], rp_body_pose_at(spec, time));
        rp_store_vec3(bodies->states[i].velocity, spec->velocity);
        rp_store_vec3(bodies->states[i].angular_velocity, spec->spin);
        RP_TRY(return_to_scene(bodies, i, report));
        bodies->control.disturbed = true; /* the scene's motion continued during the last step */
    }
    return RP_OK;
}

/* --- joints ----------------------------------------------------------------------------------- */

static void wake_ends(rp_bodies *bodies, int joint)
{
    const rp_joint_spec *spec = &rp_scene_joints(bodies->scene)[joint];
    bodies->rest_time[spec->body] = 0;
    if (spec->other >= 0) bodies->rest_time[spec->other] = 0;
}

rp_joint_control *rp_bodies_joint(rp_bodies *bodies, int joint)
{
    wake_ends(bodies, joint);
    bodies->control.used = true;
    return &bodies->control.joints[joint];
}

const rp_joint_control *rp_bodies_joint_now(const rp_bodies *bodies, int joint)
{
    return &bodies->control.joints[joint];
}

bool rp_bodies_joint_holds(const rp_bodies *bodies, int joint)
{
    return rp_engine_joint_holds(bodies->engine, joint);
}

void rp_bodies_joint_motion(const rp_bodies *bodies, int joint, double *position, double *rate)
{
    rp_engine_read_joint(bodies->engine, bodies->states, joint, position, rate);
}

void rp_bodies_release_joint(rp_bodies *bodies, int joint)
{
    wake_ends(bodies, joint);
    rp_engine_release_joint(bodies->engine, joint);
}

/* --- bodies that are added and removed -------------------------------------------------------- */

rp_code rp_bodies_remove(rp_bodies *bodies, int index, rp_report *report)
{
    RP_TRY(set_drive(bodies, index, RP_DRIVE_ABSENT, report));
    for (int i = 0; i < bodies->scene->joints.count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(bodies->scene)[i];
        if (spec->body == index || spec->other == index) rp_bodies_release_joint(bodies, i);
    }
    rp_body_state at_rest = {0};
    rp_store_pose(&at_rest, rp_load_pose(&bodies->states[index]));
    bodies->states[index] = at_rest;
    bodies->control.wrenches[index] = (rp_wrench){0};
    bodies->control.disturbed = true;
    rp_bodies_wake(bodies); /* bodies that lay on it may sleep */
    return RP_OK;
}

const uint8_t *rp_bodies_absent(rp_bodies *bodies)
{
    bool any = false;
    for (int i = 0; i < bodies->count; i++) {
        bodies->absent[i] = bodies->control.drives[i] == RP_DRIVE_ABSENT;
        any = any || bodies->absent[i];
    }
    return any ? bodies->absent : NULL;
}

/* Joints that were added are attached at the present poses of their bodies. */
static void adopt_joints(rp_bodies *bodies, const rp_bodies *from, uint8_t *broken)
{
    int count = bodies->scene->joints.count, known = from->scene->joints.count;
    for (int i = 0; i < known; i++)
        bodies->control.joints[i] = from->control.joints[i];
    for (int i = known; i < count; i++)
        bodies->control.joints[i] = joint_of(&rp_scene_joints(bodies->scene)[i], bodies->states);
    if (from->engine) memcpy(broken, rp_engine_broken(from->engine), (size_t)known);
}

rp_code rp_bodies_adopt(rp_bodies *bodies, const rp_bodies *from, double time, rp_report *report)
{
    size_t known = (size_t)from->count, joints = joint_count(bodies->scene);
    RP_ASSERT(bodies->count >= from->count);
    memcpy(bodies->states, from->states, known * sizeof *bodies->states);
    memcpy(bodies->sums, from->sums, known * sizeof *bodies->sums);
    memcpy(bodies->rest_time, from->rest_time, known * sizeof *bodies->rest_time);
    memcpy(bodies->control.drives, from->control.drives, known);
    memcpy(bodies->control.tracks, from->control.tracks, known * sizeof *from->control.tracks);
    memcpy(bodies->control.wrenches, from->control.wrenches,
           known * sizeof *from->control.wrenches);
    for (int i = from->count; i < bodies->count; i++)
        rp_store_pose(&bodies->states[i],
                      rp_body_pose_at(&rp_scene_bodies(bodies->scene)[i], time));
    bodies->sum_time = from->sum_time;
    bodies->control.used = bodies->control.disturbed = true;
    uint8_t *broken = rp_allocate_zero(joints);
    if (!broken) return rp_fail_memory(report, joints, "joints");
    adopt_joints(bodies, from, broken);
    rp_code code = bodies->engine ? rp_bodies_make_engine(bodies, broken, report) : RP_OK;
    rp_release(broken, joints);
    return code;
}

/* --- state ------------------------------------------------------------------------------------ */

rp_code rp_control_begin(const rp_scene *scene, const rp_body_state *states, rp_control *control,
                         rp_report *report)
{
    size_t bodies = body_count(scene), joints = joint_count(scene);
    control->drives = rp_allocate_zero(bodies * sizeof *control->drives);
    control->tracks = rp_allocate_zero(bodies * sizeof *control->tracks);
    control->wrenches = rp_allocate_zero(bodies * sizeof *control->wrenches);
    control->joints = rp_allocate_zero(joints * sizeof *control->joints);
    if (!control->drives || !control->tracks || !control->wrenches || !control->joints)
        return rp_fail_memory(report, bodies * sizeof *control->tracks, "the control of bodies");
    for (size_t i = 0; i < bodies; i++)
        control->drives[i] = (uint8_t)rp_scene_bodies(scene)[i].motion;
    for (size_t i = 0; i < joints; i++)
        control->joints[i] = joint_of(&rp_scene_joints(scene)[i], states);
    return RP_OK;
}

void rp_control_end(const rp_scene *scene, rp_control *control)
{
    rp_release(control->drives, body_count(scene) * sizeof *control->drives);
    rp_release(control->tracks, body_count(scene) * sizeof *control->tracks);
    rp_release(control->wrenches, body_count(scene) * sizeof *control->wrenches);
    rp_release(control->joints, joint_count(scene) * sizeof *control->joints);
}

/* Tracks, wrenches and joint controls are saved as rows of doubles, in the order of their members.
 */
#define TRACK_NUMBERS 22
#define PUSH_NUMBERS 6
#define JOINT_NUMBERS 27
_Static_assert(sizeof(rp_track) == TRACK_NUMBERS * sizeof(double), "a track is all doubles");
_Static_assert(sizeof(rp_wrench) == PUSH_NUMBERS * sizeof(double), "a push is all doubles");
_Static_assert(sizeof(rp_joint_control) == JOINT_NUMBERS * sizeof(double),
               "the control of a joint is all doubles");

rp_code rp_control_save(const rp_scene *scene, const rp_control *control, rp_store *store,
                        rp_report *report)
{
    size_t bodies = body_count(scene), joints = joint_count(scene);
    RP_TRY(rp_store_put(store, "bodies/drives", "", RP_U8, control->drives, bodies, report));
    RP_TRY(rp_store_put(store, "bodies/tracks", "", RP_F64, control->tracks, bodies * TRACK_NUMBERS,
                        report));
    RP_TRY(rp_store_put(store, "bodies/pushes", "", RP_F64, control->wrenches,
                        bodies * PUSH_NUMBERS, report));
    RP_TRY(rp_store_put(store, "joints/controls", "", RP_F64, control->joints,
                        joints * JOINT_NUMBERS, report));
    return rp_store_put_u64(store, "bodies/disturbed", control->disturbed, report);
}

static bool is_vector(rp_vec3 v)
{
    return fabs(v.x) <= MOST && fabs(v.y) <= MOST && fabs(v.z) <= MOST;
}

static bool is_pose(rp_pose pose)
{
    rp_quat q = pose.orientation;
    double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return is_vector(pose.position) && fabs(length - 1) < 1e-6;
}

static bool is_body_valid(const rp_body_spec *spec, rp_drive drive, const rp_track *track,
                          const rp_wrench *push)
{
    bool moves = fabs(track->start) <= MOST && !isnan(track->end) && is_pose(track->from) &&
                 is_pose(track->to) && is_vector(track->velocity) && is_vector(track->spin);
    if (drive > RP_DRIVE_ABSENT || !is_vector(push->force) || !is_vector(push->torque))
        return false;
    if (drive == RP_DRIVE_RETURN && spec->motion == RP_MOTION_DYNAMIC) return false;
    if (drive == RP_DRIVE_PROGRAM || drive == RP_DRIVE_RETURN) return moves;
    return drive == RP_DRIVE_ABSENT || (int)drive == spec->motion;
}

static bool is_joint_valid(const rp_joint_control *joint)
{
    return is_pose(joint->reference[0]) && is_pose(joint->reference[1]) &&
           joint->low <= joint->high && fabs(joint->speed) <= MOST && fabs(joint->target) <= MOST &&
           joint->force >= 0 && joint->force <= MOST;
}

static rp_code check_control(const rp_scene *scene, const rp_control *control, rp_report *report)
{
    for (int i = 0; i < scene->bodies.count; i++)
        if (!is_body_valid(&rp_scene_bodies(scene)[i], (rp_drive)control->drives[i],
                           &control->tracks[i], &control->wrenches[i]))
            return rp_fail(report, RP_ERROR_DAMAGED, "the control of body %d is invalid", i);
    for (int i = 0; i < scene->joints.count; i++)
        if (!is_joint_valid(&control->joints[i]))
            return rp_fail(report, RP_ERROR_DAMAGED, "the control of joint %d is invalid", i);
    return RP_OK;
}

rp_code rp_control_load(const rp_scene *scene, rp_control *control, const rp_store *store,
                        rp_report *report)
{
    if (!rp_store_find(store, "bodies/drives")) return RP_OK;
    size_t bodies = body_count(scene), joints = joint_count(scene);
    uint64_t disturbed;
    RP_TRY(rp_store_get(store, "bodies/drives", RP_U8, control->drives, bodies, report));
    RP_TRY(rp_store_get(store, "bodies/tracks", RP_F64, control->tracks, bodies * TRACK_NUMBERS,
                        report));
    RP_TRY(rp_store_get(store, "bodies/pushes", RP_F64, control->wrenches, bodies * PUSH_NUMBERS,
                        report));
    RP_TRY(rp_store_get(store, "joints/controls", RP_F64, control->joints, joints * JOINT_NUMBERS,
                        report));
    RP_TRY(rp_store_get_u64(store, "bodies/disturbed", &disturbed, report));
    control->used = true;
    control->disturbed = disturbed != 0;
    return check_control(scene, control, report);
}
