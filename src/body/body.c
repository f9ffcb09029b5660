/* Fixed and keyed bodies. */
#include "body/body.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/view.h"

#include <stdio.h>
#include <string.h>

struct rp_bodies {
    const rp_scene *scene;
    rp_body_state *states;
    int count;
};

static size_t states_size(int count)
{
    return (size_t)count * sizeof(rp_body_state);
}

static void store_vec3(double to[3], rp_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void store_pose(rp_body_state *state, rp_pose pose)
{
    store_vec3(state->position, pose.position);
    const rp_quat q = pose.orientation;
    const double values[4] = {q.w, q.x, q.y, q.z};
    memcpy(state->orientation, values, sizeof values);
}

static rp_pose pose_at(const rp_body_spec *spec, double time)
{
    if (spec->motion == RP_MOTION_KEYS && spec->animation.count)
        return rp_animation_pose(spec->animation.items, spec->animation.count, time);
    if (spec->motion == RP_MOTION_KEYS)
        return rp_keys_pose(spec->keys.items, spec->keys.count,
                            (rp_interpolation)spec->interpolation, time);
    return spec->pose;
}

static rp_code check_keys(const rp_body_spec *spec, rp_report *report)
{
    char key[256];
    snprintf(key, sizeof key, "bodies.%s.keys", spec->name);
    const rp_key_spec *keys = spec->keys.items;
    if (spec->keys.count < 1)
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                          "a body that follows keys needs at least one");
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
    if (spec->motion != RP_MOTION_DYNAMIC) return RP_OK;
    char key[256];
    snprintf(key, sizeof key, "bodies.%s.motion", spec->name);
    return rp_fail_at(report, RP_ERROR_UNSUPPORTED, NULL, key,
                      "dynamic: this build has no rigid-body engine; use fixed or keys");
}

/* Looks at every body, so that all mistakes are told at once; gives the first one's code. */
static rp_code check_all(const rp_scene *scene, rp_report *report)
{
    rp_code first = RP_OK;
    for (int i = 0; i < scene->bodies.count; i++) {
        rp_code code = check_body(&rp_scene_bodies(scene)[i], report);
        if (first == RP_OK) first = code;
    }
    return first;
}

rp_code rp_bodies_create(const rp_scene *scene, rp_bodies **out, rp_report *report)
{
    *out = NULL;
    rp_code code = check_all(scene, report);
    if (code != RP_OK) return code;
    int count = scene->bodies.count;
    rp_bodies *bodies = rp_allocate_zero(sizeof *bodies);
    rp_body_state *states = rp_allocate_zero(states_size(count));
    if (!bodies || !states) {
        rp_release(bodies, sizeof *bodies);
        rp_release(states, states_size(count));
        return rp_fail_memory(report, states_size(count), "bodies");
    }
    for (int i = 0; i < count; i++)
        store_pose(&states[i], pose_at(&rp_scene_bodies(scene)[i], 0));
    *bodies = (rp_bodies){scene, states, count};
    *out = bodies;
    return RP_OK;
}

void rp_bodies_destroy(rp_bodies *bodies)
{
    if (!bodies) return;
    rp_release(bodies->states, states_size(bodies->count));
    rp_release(bodies, sizeof *bodies);
}

/* Every number finite, every orientation a turn. */
static rp_code check_states(const rp_body_state *states, int count, rp_code code, rp_report *report)
{
    for (int i = 0; i < count; i++) {
        const double *q = states[i].orientation;
        double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], sum = 0;
        for (int a = 0; a < 3; a++)
            sum += states[i].position[a] + states[i].velocity[a] + states[i].angular_velocity[a];
        if (!isfinite(sum) || !(fabs(length - 1) < 1e-6))
            return rp_fail(report, code, "body %d: its place or speed makes no sense", i);
    }
    return RP_OK;
}

rp_code rp_bodies_advance(rp_bodies *bodies, double time, double dt, rp_report *report)
{
    RP_ASSERT(dt > 0);
    for (int i = 0; i < bodies->count; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(bodies->scene)[i];
        if (spec->motion != RP_MOTION_KEYS) continue;
        rp_pose from = pose_at(spec, time), to = pose_at(spec, time + dt);
        rp_vec3 move = rp_v3_sub(to.position, from.position);
        rp_vec3 turn = rp_quat_log(rp_quat_mul(to.orientation, rp_quat_conj(from.orientation)));
        rp_body_state *state = &bodies->states[i];
        store_pose(state, to);
        store_vec3(state->velocity, rp_v3_scale(move, 1 / dt));
        store_vec3(state->angular_velocity, rp_v3_scale(turn, 1 / dt));
    }
    return check_states(bodies->states, bodies->count, RP_ERROR_NUMERIC, report);
}

int rp_bodies_count(const rp_bodies *bodies)
{
    return bodies->count;
}

rp_body_state *rp_bodies_states(rp_bodies *bodies)
{
    return bodies->states;
}

static rp_code save_part(const rp_bodies *bodies, const rp_body_part *part, rp_store *store,
                         rp_report *report)
{
    size_t count = part->width * (size_t)bodies->count;
    double *values = rp_allocate(count * sizeof *values);
    if (!values) return rp_fail_memory(report, count * sizeof *values, "the state of bodies");
    rp_body_part_gather(part, bodies->states, (size_t)bodies->count, values);
    return rp_store_give(store, part->name, part->unit, RP_F64, values, count, report);
}

rp_code rp_bodies_save(const rp_bodies *bodies, rp_store *store, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < RP_BODY_PARTS && code == RP_OK; i++)
        code = save_part(bodies, &rp_body_parts[i], store, report);
    return code;
}

static rp_code load_part(rp_body_state *states, size_t count, const rp_body_part *part,
                         double *values, const rp_store *store, rp_report *report)
{
    rp_code code = rp_store_get(store, part->name, RP_F64, values, part->width * count, report);
    if (code == RP_OK) rp_body_part_scatter(part, states, count, values);
    return code;
}

rp_code rp_bodies_load(rp_bodies *bodies, const rp_store *store, rp_report *report)
{
    /* The state is put together aside, so that a damaged store leaves the bodies as they were; no
     * part is larger than the state, so one block of that size holds the values of any. */
    size_t size = states_size(bodies->count);
    rp_body_state *states = rp_allocate(size);
    double *values = rp_allocate(size);
    rp_code code = RP_OK;
    if (states && values) {
        for (int i = 0; i < RP_BODY_PARTS && code == RP_OK; i++)
            code =
                load_part(states, (size_t)bodies->count, &rp_body_parts[i], values, store, report);
        if (code == RP_OK) code = check_states(states, bodies->count, RP_ERROR_DAMAGED, report);
        if (code == RP_OK) memcpy(bodies->states, states, size);
    } else {
        code = rp_fail_memory(report, 2 * size, "the state of bodies");
    }
    rp_release(values, size);
    rp_release(states, size);
    return code;
}
