/* The states of all bodies, the order of their step, means of their loads, and their state in
 * stores. */
#include "body/body.h"
#include "base/memory.h"
#include "base/report.h"
#include "body/inside.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

/* Longest step with dynamic bodies, s: in longer ones stacks sway. */
#define LONGEST_STEP 0.004
/* Fraction of its smallest extent that a body may travel in a step: more would let it pass through
 * another. */
#define TRAVEL_MOST 0.25
/* rad that it may rotation_rate in a step. */
#define ROTATION_MOST 0.3
/* Extents travelled in a step at which a run fails. */
#define TRAVEL_LIMIT 1e3
/* A body is slow below this speed: extents per second, and rad/s. */
#define SLOW 0.02

static size_t states_size(int count)
{
    return (size_t)count * sizeof(rp_body_state);
}

static rp_code check_keys(const rp_body_spec *spec, rp_report *report)
{
    char key[256];
    snprintf(key, sizeof key, "bodies.%s.keys", spec->name);
    const rp_key_spec *keys = spec->keys.items;
    for (int i = 1; i < spec->keys.count; i++)
        if (!(keys[i].time > keys[i - 1].time))
            return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                              "the time of key %d is %g s, that of key %d before it %g s; times "
                              "must rise",
                              i + 1, keys[i].time, i, keys[i - 1].time);
    return RP_OK;
}

static rp_code check_body(const rp_body_spec *spec, rp_report *report)
{
    if (spec->motion == RP_MOTION_KEYS)
        return spec->animation.count ? RP_OK : check_keys(spec, report);
    if (spec->motion != RP_MOTION_DYNAMIC || rp_engine_is_there()) return RP_OK;
    char key[256];
    snprintf(key, sizeof key, "bodies.%s.motion", spec->name);
    return rp_fail_at(report, RP_ERROR_UNSUPPORTED, NULL, key,
                      "dynamic: this build has no rigid-body engine; use fixed or keys");
}

/* Checks every body, so that all faults are reported together; returns the code of the first. */
static rp_code check_all(const rp_scene *scene, rp_report *report)
{
    rp_code first = RP_OK;
    for (int i = 0; i < scene->bodies.count; i++) {
        rp_code code = check_body(&rp_scene_bodies(scene)[i], report);
        if (first == RP_OK) first = code;
    }
    return first;
}

static rp_body_state first_state(const rp_body_spec *spec)
{
    rp_body_state state = {0};
    rp_store_pose(&state, rp_body_pose_at(spec, 0));
    rp_store_vec3(state.velocity, spec->velocity);
    rp_store_vec3(state.angular_velocity, spec->spin);
    return state;
}

static rp_code create_parts(rp_bodies *bodies, rp_report *report)
{
    const rp_scene *scene = bodies->scene;
    int count = bodies->count;
    bodies->states = rp_allocate_zero(states_size(count));
    bodies->sums = rp_allocate_zero(states_size(count));
    bodies->rest_time = rp_allocate_zero((size_t)count * sizeof *bodies->rest_time);
    bodies->absent = rp_allocate_zero((size_t)count);
    if (!bodies->states || !bodies->sums || !bodies->rest_time || !bodies->absent)
        return rp_fail_memory(report, states_size(count), "bodies");
    for (int i = 0; i < count; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(scene)[i];
        bodies->states[i] = first_state(spec);
        bodies->dynamic = bodies->dynamic || spec->motion == RP_MOTION_DYNAMIC;
    }
    RP_TRY(rp_control_begin(scene, bodies->states, &bodies->control, report));
    return bodies->dynamic ? rp_bodies_make_engine(bodies, NULL, report) : RP_OK;
}

rp_code rp_bodies_create(const rp_scene *scene, rp_bodies **out, rp_report *report)
{
    *out = NULL;
    RP_TRY(check_all(scene, report));
    rp_bodies *bodies = rp_allocate_zero(sizeof *bodies);
    if (!bodies) return rp_fail_memory(report, sizeof *bodies, "bodies");
    bodies->scene = scene;
    bodies->count = scene->bodies.count;
    rp_code code = create_parts(bodies, report);
    if (code == RP_OK)
        *out = bodies;
    else
        rp_bodies_destroy(bodies);
    return code;
}

void rp_bodies_destroy(rp_bodies *bodies)
{
    if (!bodies) return;
    rp_engine_destroy(bodies->engine);
    rp_control_end(bodies->scene, &bodies->control);
    rp_release(bodies->states, states_size(bodies->count));
    rp_release(bodies->sums, states_size(bodies->count));
    rp_release(bodies->rest_time, (size_t)bodies->count * sizeof *bodies->rest_time);
    rp_release(bodies->absent, (size_t)bodies->count);
    rp_release(bodies, sizeof *bodies);
}

bool rp_bodies_is_dynamic(const rp_bodies *bodies, int index)
{
    return bodies->control.drives[index] == RP_DRIVE_DYNAMIC;
}

void rp_bodies_set_gravity(rp_bodies *bodies, const rp_gravity *gravity)
{
    bodies->gravity = gravity;
}

void rp_bodies_wake(rp_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++)
        if (isfinite(bodies->rest_time[i]))
            bodies->rest_time[i] = 0; /* bodies that left stay where they are */
}

rp_mass rp_bodies_mass(const rp_bodies *bodies, int index)
{
    RP_ASSERT(rp_scene_bodies(bodies->scene)[index].motion == RP_MOTION_DYNAMIC);
    return rp_engine_mass(bodies->engine, index);
}

/* All numbers must be finite, all orientations unit quaternions. */
static rp_code check_states(const rp_body_state *states, int count, rp_code code, rp_report *report)
{
    for (int i = 0; i < count; i++) {
        const double *q = states[i].orientation;
        double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], sum = 0;
        for (int a = 0; a < 3; a++)
            sum += states[i].position[a] + states[i].velocity[a] + states[i].angular_velocity[a];
        if (!isfinite(sum) || !(fabs(length - 1) < 1e-6))
            return rp_fail(report, code, "body %d: its pose or velocity is invalid", i);
    }
    return RP_OK;
}

static double extent_of(const rp_bodies *bodies, int index)
{
    return rp_shape_extent(&rp_scene_bodies(bodies->scene)[index].shape);
}

double rp_bodies_limit_dt(const rp_bodies *bodies)
{
    double limit = bodies->dynamic ? LONGEST_STEP : INFINITY;
    for (int i = 0; i < bodies->count; i++) {
        if (!rp_bodies_is_dynamic(bodies, i)) continue;
        double speed = rp_v3_length(rp_v3_from(bodies->states[i].velocity));
        double rotation_rate = rp_v3_length(rp_v3_from(bodies->states[i].angular_velocity));
        double distance = TRAVEL_MOST * extent_of(bodies, i);
        if (speed * limit > distance) limit = distance / speed;
        if (rotation_rate * limit > ROTATION_MOST) limit = ROTATION_MOST / rotation_rate;
    }
    return limit;
}

/* Predicts velocities under the forces of the last step: for bodies at rest they are those of this
 * step, too. */
static rp_code predict_first(rp_bodies *bodies, rp_report *report)
{
    rp_engine *engine = bodies->engine;
    rp_code code = rp_engine_begin(engine, bodies->states, bodies->rest_time, bodies->time,
                                   bodies->dt, report);
    return code == RP_OK ? rp_engine_predict(engine, NULL, bodies->states, report) : code;
}

/* 1. Bodies that were released end their motion back. 2. Prescribed motion gives velocities. 3. The
 * engine finds contacts and predicts the velocities of dynamic bodies. */
rp_code rp_bodies_begin(rp_bodies *bodies, double time, double dt, rp_report *report)
{
    RP_ASSERT(dt > 0);
    bodies->time = time;
    bodies->dt = dt;
    RP_TRY(rp_bodies_end_returns(bodies, time, report));
    for (int i = 0; i < bodies->count; i++) {
        rp_body_state *state = &bodies->states[i];
        if (bodies->control.drives[i] == RP_DRIVE_KEYS)
            rp_body_follow_keys(state, &rp_scene_bodies(bodies->scene)[i], time, dt);
        if (rp_bodies_on_track(bodies, i))
            rp_track_follow(&bodies->control.tracks[i], time, dt, state);
    }
    if (bodies->engine && bodies->gravity) rp_engine_set_gravity(bodies->engine, bodies->gravity);
    return bodies->engine ? predict_first(bodies, report) : RP_OK;
}

rp_code rp_bodies_predict(rp_bodies *bodies, const rp_load *loads, rp_report *report)
{
    return bodies->engine ? rp_engine_predict(bodies->engine, loads, bodies->states, report)
                          : RP_OK;
}

/* True when a body has fallen off the scene by more than its diagonal: it is left where it is,
 * since it would fall for ever and ever faster. */
static bool is_far_outside(const rp_bodies *bodies, int index)
{
    const rp_domain_spec *domain = &bodies->scene->domain;
    rp_vec3 at = rp_v3_from(bodies->states[index].position);
    rp_vec3 beyond = rp_v3_max(rp_v3_sub(domain->low, at), rp_v3_sub(at, domain->high));
    double length = rp_v3_length(rp_v3_sub(domain->high, domain->low));
    return isfinite(length) && fmax(beyond.x, fmax(beyond.y, beyond.z)) > length;
}

/* Updates how long each body has been slow, and stops those that sleep. Grains are never completely
 * at rest, so that a body that sand touches stays awake. */
static void update_rest_times(rp_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++) {
        rp_body_state *state = &bodies->states[i];
        if (!rp_bodies_is_dynamic(bodies, i)) continue;
        bool slow = rp_v3_length(rp_v3_from(state->velocity)) < SLOW * extent_of(bodies, i) &&
                    rp_v3_length(rp_v3_from(state->angular_velocity)) < SLOW;
        bool touched = rp_v3_length(rp_v3_from(state->force)) > 0 ||
                       !rp_wrench_is_zero(&bodies->control.wrenches[i]);
        bodies->rest_time[i] = slow && !touched ? bodies->rest_time[i] + bodies->dt : 0;
        if (is_far_outside(bodies, i)) bodies->rest_time[i] = INFINITY;
        if (bodies->rest_time[i] <= RP_BODY_SLEEP_TIME) continue;
        rp_store_vec3(state->velocity, rp_v3(0, 0, 0));
        rp_store_vec3(state->angular_velocity, rp_v3(0, 0, 0));
    }
}

static rp_code check_travel(const rp_bodies *bodies, rp_report *report)
{
    for (int i = 0; i < bodies->count; i++) {
        if (!rp_bodies_is_dynamic(bodies, i)) continue;
        double speed = rp_v3_length(rp_v3_from(bodies->states[i].velocity));
        if (speed * bodies->dt <= TRAVEL_LIMIT * extent_of(bodies, i)) continue;
        return rp_fail(report, RP_ERROR_NUMERIC,
                       "at %.6g s body '%s' moves by %.3g m in a step of %.3g s: the step is too "
                       "long, or forces are too great",
                       bodies->time, rp_scene_bodies(bodies->scene)[i].name, speed * bodies->dt,
                       bodies->dt);
    }
    return RP_OK;
}

static bool has_joint(const rp_scene *scene, int body)
{
    for (int i = 0; i < scene->joints.count; i++) {
        const rp_joint_spec *joint = &rp_scene_joints(scene)[i];
        if (joint->body == body || joint->other == body) return true;
    }
    return false;
}

/* Wraps bodies into the period. Joints do not know periods, so that bodies with joints stay. */
static void wrap(rp_bodies *bodies)
{
    const rp_domain_spec *domain = &bodies->scene->domain;
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    for (int i = 0; i < bodies->count && domain->periodic; i++) {
        if (!rp_bodies_is_dynamic(bodies, i) || has_joint(bodies->scene, i)) continue;
        double *at = bodies->states[i].position;
        for (int axis = 0; axis < 3; axis++) {
            if (!(domain->periodic >> axis & 1)) continue;
            if (at[axis] < low[axis]) at[axis] += high[axis] - low[axis];
            if (at[axis] >= high[axis]) at[axis] -= high[axis] - low[axis];
        }
    }
}

/* The four loads of a state are consecutive: twelve numbers. */
#define LOADS 12
_Static_assert(offsetof(rp_body_state, force) + LOADS * sizeof(double) == sizeof(rp_body_state),
               "a body's loads end its state");

/* Adds the loads of a state, multiplied by a factor. */
static void add_loads(rp_body_state *sum, double factor, const rp_body_state *state)
{
    double *to = sum->force;
    const double *from = state->force;
    for (int k = 0; k < LOADS; k++)
        to[k] += factor * from[k];
}

static void sum_loads(rp_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++)
        add_loads(&bodies->sums[i], bodies->dt, &bodies->states[i]);
    bodies->sum_time += bodies->dt;
}

void rp_bodies_begin_mean(rp_bodies *bodies)
{
    memset(bodies->sums, 0, states_size(bodies->count));
    bodies->sum_time = 0;
}

void rp_bodies_mean(const rp_bodies *bodies, rp_body_state *states)
{
    memcpy(states, bodies->states, states_size(bodies->count));
    if (!(bodies->sum_time > 0)) return;
    for (int i = 0; i < bodies->count; i++) {
        memset(states[i].force, 0, LOADS * sizeof(double));
        add_loads(&states[i], 1 / bodies->sum_time, &bodies->sums[i]);
    }
}

rp_code rp_bodies_finish(rp_bodies *bodies, rp_report *report)
{
    double end = bodies->time + bodies->dt;
    for (int i = 0; i < bodies->count; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(bodies->scene)[i];
        if (bodies->control.drives[i] == RP_DRIVE_KEYS)
            rp_store_pose(&bodies->states[i], rp_body_pose_at(spec, end));
        if (rp_bodies_on_track(bodies, i))
            rp_store_pose(&bodies->states[i], rp_track_pose(&bodies->control.tracks[i], end));
    }
    /* Prescribed poses are exact at the end of the step; dynamic bodies move by the engine. */
    bodies->control.disturbed = false;
    rp_code code = RP_OK;
    if (bodies->engine) {
        code = rp_engine_finish(bodies->engine, bodies->states, report);
        if (code == RP_OK) code = check_travel(bodies, report);
        wrap(bodies);
        update_rest_times(bodies);
    }
    sum_loads(bodies);
    return code == RP_OK ? check_states(bodies->states, bodies->count, RP_ERROR_NUMERIC, report)
                         : code;
}

int rp_bodies_count(const rp_bodies *bodies)
{
    return bodies->count;
}

rp_body_state *rp_bodies_states(rp_bodies *bodies)
{
    return bodies->states;
}

#define AT(member) offsetof(rp_body_state, member)
#define SUM_PARTS 4

/* Sums of loads since the last frame, for checkpoints between two frames. */
static const rp_body_part sum_parts[SUM_PARTS] = {
    {"bodies/impulse", "N s", AT(force), 3},
    {"bodies/angular_impulse", "N m s", AT(torque), 3},
    {"bodies/contact_impulse", "N s", AT(contact_force), 3},
    {"bodies/contact_angular_impulse", "N m s", AT(contact_torque), 3},
};

static rp_code save_part(const rp_body_state *states, int count, const rp_body_part *part,
                         rp_store *store, rp_report *report)
{
    size_t values_count = part->width * (size_t)count;
    double *values = rp_allocate(values_count * sizeof *values);
    if (!values)
        return rp_fail_memory(report, values_count * sizeof *values, "the state of bodies");
    rp_body_part_gather(part, states, (size_t)count, values);
    return rp_store_give(store, part->name, part->unit, RP_F64, values, values_count, report);
}

static rp_code save_sums(const rp_bodies *bodies, rp_store *store, rp_report *report)
{
    rp_code code = rp_store_put_f64(store, "bodies/impulse_time", "s", bodies->sum_time, report);
    for (int i = 0; i < SUM_PARTS && code == RP_OK; i++)
        code = save_part(bodies->sums, bodies->count, &sum_parts[i], store, report);
    return code;
}

rp_code rp_bodies_save(const rp_bodies *bodies, rp_store *store, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < RP_BODY_PARTS && code == RP_OK; i++)
        code = save_part(bodies->states, bodies->count, &rp_body_parts[i], store, report);
    if (code == RP_OK) code = save_sums(bodies, store, report);
    if (code == RP_OK && bodies->control.used)
        code = rp_control_save(bodies->scene, &bodies->control, store, report);
    if (code != RP_OK || !bodies->engine) return code;
    code = rp_store_put(store, "bodies/calm", "s", RP_F64, bodies->rest_time, (size_t)bodies->count,
                        report);
    return code == RP_OK
               ? rp_store_put(store, "joints/broken", "", RP_U8, rp_engine_broken(bodies->engine),
                              (size_t)bodies->scene->joints.count, report)
               : code;
}

/* Reads parts of the states, such as all positions, from arrays of the store. */
static rp_code load_parts(rp_body_state *states, size_t count, const rp_body_part *parts,
                          int part_count, double *values, const rp_store *store, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < part_count && code == RP_OK; i++) {
        const rp_body_part *part = &parts[i];
        code = rp_store_get(store, part->name, RP_F64, values, part->width * count, report);
        if (code == RP_OK) rp_body_part_scatter(part, states, count, values);
    }
    return code;
}

/* Everything that a store holds of the bodies; it is read before anything is changed. */
typedef struct saved_bodies {
    /* As in rp_bodies: the states, the impulses since the mean began and the time that they span,
     * the time for which each body has been slow. */
    rp_body_state *states, *sums;
    double sum_time;
    double *rest_time;
    uint8_t *broken; /* of each joint: 1 where it has broken */
    rp_control control;
} saved_bodies;

static size_t rest_times_size(const rp_bodies *bodies)
{
    return (size_t)bodies->count * sizeof *bodies->rest_time;
}

static size_t joint_count(const rp_bodies *bodies)
{
    return (size_t)bodies->scene->joints.count;
}

static rp_code allocate_saved(const rp_bodies *bodies, saved_bodies *s, rp_report *report)
{
    size_t size = states_size(bodies->count);
    s->states = rp_allocate_zero(size);
    s->sums = rp_allocate_zero(size);
    s->rest_time = rp_allocate_zero(rest_times_size(bodies));
    s->broken = rp_allocate_zero(joint_count(bodies));
    if (!s->states || !s->sums || !s->rest_time || !s->broken)
        return rp_fail_memory(report, 3 * size, "the state of bodies");
    /* Joints are attached at the poses of the scene's start, whatever the state. */
    for (int i = 0; i < bodies->count; i++)
        s->states[i] = first_state(&rp_scene_bodies(bodies->scene)[i]);
    return rp_control_begin(bodies->scene, s->states, &s->control, report);
}

static void release_saved(const rp_bodies *bodies, saved_bodies *s)
{
    rp_control_end(bodies->scene, &s->control);
    rp_release(s->broken, joint_count(bodies));
    rp_release(s->rest_time, rest_times_size(bodies));
    rp_release(s->sums, states_size(bodies->count));
    rp_release(s->states, states_size(bodies->count));
}

/* Reads and checks everything that was saved. `values` is a buffer for the numbers of any part. */
static rp_code read_saved(const rp_bodies *bodies, saved_bodies *s, double *values,
                          const rp_store *store, rp_report *report)
{
    size_t count = (size_t)bodies->count;
    RP_TRY(load_parts(s->states, count, rp_body_parts, RP_BODY_PARTS, values, store, report));
    RP_TRY(load_parts(s->sums, count, sum_parts, SUM_PARTS, values, store, report));
    RP_TRY(rp_store_get_f64(store, "bodies/impulse_time", &s->sum_time, report));
    RP_TRY(check_states(s->states, bodies->count, RP_ERROR_DAMAGED, report));
    RP_TRY(rp_control_load(bodies->scene, &s->control, store, report));
    if (!bodies->engine) return RP_OK;
    RP_TRY(rp_store_get(store, "bodies/calm", RP_F64, s->rest_time, count, report));
    return rp_store_get(store, "joints/broken", RP_U8, s->broken, joint_count(bodies), report);
}

/* Replaces the present state by the one that was read; where the engine cannot be created, restores
 * it. */
static rp_code install(rp_bodies *bodies, saved_bodies *s, rp_report *report)
{
    rp_body_state *states = bodies->states;
    rp_control control = bodies->control;
    bodies->states = s->states;
    bodies->control = s->control;
    rp_code code = bodies->engine ? rp_bodies_make_engine(bodies, s->broken, report) : RP_OK;
    if (code == RP_OK) {
        s->states = states;
        s->control = control;
        memcpy(bodies->sums, s->sums, states_size(bodies->count));
        memcpy(bodies->rest_time, s->rest_time, rest_times_size(bodies));
        bodies->sum_time = s->sum_time;
    } else {
        bodies->states = states;
        bodies->control = control;
    }
    return code;
}

rp_code rp_bodies_load(rp_bodies *bodies, const rp_store *store, rp_report *report)
{
    /* No part is larger than the state, so that one buffer of that size serves for all. */
    size_t size = states_size(bodies->count);
    double *values = rp_allocate(size);
    saved_bodies s = {0};
    rp_code code = values ? allocate_saved(bodies, &s, report)
                          : rp_fail_memory(report, size, "the state of bodies");
    if (code == RP_OK) code = read_saved(bodies, &s, values, store, report);
    if (code == RP_OK) code = install(bodies, &s, report);
    release_saved(bodies, &s);
    rp_release(values, size);
    return code;
}
