/* The whole state of a world as named arrays: snapshots in memory, and what checkpoints are made
 * of. */
#include "base/hash.h"
#include "base/report.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

struct rp_snapshot {
    rp_store store;
};

/* A stream's numbers in a fixed order, for the store. */
#define STREAM_NUMBERS 15

static void stream_to_numbers(const rp_stream *stream, double *n)
{
    const rp_emitter_spec *s = &stream->spec;
    const double numbers[STREAM_NUMBERS] = {
        s->nozzle,     s->radius,     s->width,       s->height,      s->position.x,
        s->position.y, s->position.z, s->direction.x, s->direction.y, s->direction.z,
        s->speed,      s->rate,       s->start,       s->stop,        s->material};
    memcpy(n, numbers, sizeof numbers);
}

static void stream_from_numbers(const double *n, rp_stream *stream)
{
    stream->spec = (rp_emitter_spec){.name = "added",
                                     .nozzle = (int)n[0],
                                     .radius = n[1],
                                     .width = n[2],
                                     .height = n[3],
                                     .position = {n[4], n[5], n[6]},
                                     .direction = {n[7], n[8], n[9]},
                                     .speed = n[10],
                                     .rate = n[11],
                                     .start = n[12],
                                     .stop = n[13],
                                     .material = (int)n[14]};
}

static uint64_t scene_hash(const rp_world *world)
{
    const char *text = rp_scene_text(world->scene);
    return rp_hash(text, strlen(text), 0);
}

static rp_code put_streams(const rp_world *world, rp_store *store, rp_report *report)
{
    size_t count = world->stream_count;
    rp_code code = rp_store_put_u64(store, "world/streams", count, report);
    for (size_t i = 0; i < count && code == RP_OK; i++) {
        char name[64];
        double *numbers = rp_allocate(STREAM_NUMBERS * sizeof *numbers);
        if (!numbers) return rp_fail_memory(report, sizeof *numbers, "streams");
        stream_to_numbers(&world->streams[i], numbers);
        snprintf(name, sizeof name, "world/stream_%zu", i);
        code = rp_store_give(store, name, "", RP_F64, numbers, STREAM_NUMBERS, report);
        snprintf(name, sizeof name, "world/stream_%zu_layer", i);
        if (code == RP_OK)
            code = rp_store_put_u64(store, name, world->streams[i].next_layer, report);
    }
    return code;
}

static rp_code take_stream(rp_world *world, const rp_store *store, size_t i, rp_report *report)
{
    char name[64];
    double numbers[STREAM_NUMBERS];
    rp_stream stream = {0};
    snprintf(name, sizeof name, "world/stream_%zu", i);
    rp_code code = rp_store_get(store, name, RP_F64, numbers, STREAM_NUMBERS, report);
    snprintf(name, sizeof name, "world/stream_%zu_layer", i);
    if (code == RP_OK) code = rp_store_get_u64(store, name, &stream.next_layer, report);
    if (code != RP_OK) return code;
    /* Before they become integers: what is no number or far off would be undefined there. */
    if (!(numbers[0] >= 0 && numbers[0] <= 1 && numbers[14] >= 0 && numbers[14] <= 255))
        return rp_fail(report, RP_ERROR_DAMAGED, "stream %zu of the state makes no sense", i);
    stream_from_numbers(numbers, &stream);
    if (rp_stream_check(world->scene, &stream.spec, report) != RP_OK) return RP_ERROR_DAMAGED;
    if (!rp_stream_is_at(world->scene, &stream, world->time))
        return rp_fail(report, RP_ERROR_DAMAGED, "stream %zu has made %llu layers by %.6g s", i,
                       (unsigned long long)stream.next_layer, world->time);
    world->streams[i] = stream;
    return RP_OK;
}

static rp_code take_streams(rp_world *world, const rp_store *store, rp_report *report)
{
    uint64_t count;
    rp_code code = rp_store_get_u64(store, "world/streams", &count, report);
    if (code != RP_OK) return code;
    if (count > store->count) /* each has entries of its own */
        return rp_fail(report, RP_ERROR_DAMAGED, "the state names %llu streams but holds fewer",
                       (unsigned long long)count);
    if (!rp_reserve((void **)&world->streams, &world->stream_capacity, 0, count,
                    sizeof *world->streams))
        return rp_fail_memory(report, count * sizeof *world->streams, "streams");
    world->stream_count = 0;
    for (size_t i = 0; i < count && code == RP_OK; i++) {
        code = take_stream(world, store, i, report);
        if (code == RP_OK) world->stream_count++;
    }
    return code;
}

rp_code rp_world_put(const rp_world *world, rp_store *store, rp_report *report)
{
    rp_code code = rp_store_put_u64(store, "world/scene", scene_hash(world), report);
    if (code == RP_OK) code = rp_store_put_f64(store, "world/time", "s", world->time, report);
    if (code == RP_OK) code = rp_store_put_f64(store, "world/dt", "s", world->dt, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "world/step", world->step, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "world/removed", world->removed, report);
    if (code == RP_OK)
        code = rp_store_put(store, "world/source_done", "", RP_U8, world->source_done,
                            (size_t)world->scene->sources.count, report);
    if (code == RP_OK) code = put_streams(world, store, report);
    if (code == RP_OK) code = rp_particles_save(&world->particles, store, report);
    if (code == RP_OK) code = rp_bodies_save(world->bodies, store, report);
    if (code == RP_OK) code = world->type->save(world->solver, store, report);
    return code;
}

static rp_code check_materials(const rp_world *world, rp_report *report)
{
    const rp_particles *p = &world->particles;
    for (size_t i = 0; i < p->count; i++)
        if (p->material[i] >= world->scene->materials.count)
            return rp_fail(report, RP_ERROR_DAMAGED, "grain %u is of material %d; there are %d",
                           p->id[i], p->material[i], world->scene->materials.count);
    return RP_OK;
}

rp_code rp_world_take(rp_world *world, const rp_store *store, rp_report *report)
{
    uint64_t scene;
    rp_code code = rp_store_get_u64(store, "world/scene", &scene, report);
    if (code == RP_OK && scene != scene_hash(world))
        code = rp_fail(report, RP_ERROR_INPUT, "the state belongs to another scene");
    if (code == RP_OK) code = rp_store_get_f64(store, "world/time", &world->time, report);
    if (code == RP_OK && !(world->time >= 0 && isfinite(world->time)))
        code = rp_fail(report, RP_ERROR_DAMAGED, "the state's time is %g s", world->time);
    if (code == RP_OK) code = rp_store_get_f64(store, "world/dt", &world->dt, report);
    if (code == RP_OK) code = rp_store_get_u64(store, "world/step", &world->step, report);
    if (code == RP_OK) code = rp_store_get_u64(store, "world/removed", &world->removed, report);
    if (code == RP_OK)
        code = rp_store_get(store, "world/source_done", RP_U8, world->source_done,
                            (size_t)world->scene->sources.count, report);
    if (code == RP_OK) code = take_streams(world, store, report);
    if (code == RP_OK) code = rp_particles_load(&world->particles, store, report);
    if (code == RP_OK) code = check_materials(world, report);
    if (code == RP_OK) code = rp_bodies_load(world->bodies, store, report);
    if (code == RP_OK) code = world->type->load(world->solver, store, report);
    if (code == RP_OK) code = rp_world_check_numbers(world, report);
    world->external.any = false;
    return code;
}

rp_code rp_world_snapshot(const rp_world *world, rp_snapshot **out, rp_report *report)
{
    *out = NULL;
    rp_snapshot *snapshot = rp_allocate_zero(sizeof *snapshot);
    if (!snapshot) return rp_fail_memory(report, sizeof *snapshot, "a snapshot");
    rp_code code = rp_world_put(world, &snapshot->store, report);
    if (code == RP_OK)
        *out = snapshot;
    else
        rp_snapshot_destroy(snapshot);
    return code;
}

rp_code rp_world_restore(rp_world *world, const rp_snapshot *snapshot, rp_report *report)
{
    return rp_world_take(world, &snapshot->store, report);
}

void rp_snapshot_destroy(rp_snapshot *snapshot)
{
    if (!snapshot) return;
    rp_store_end(&snapshot->store);
    rp_release(snapshot, sizeof *snapshot);
}

uint64_t rp_world_hash(const rp_world *world)
{
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true;
    uint64_t hash = rp_world_put(world, &store, NULL) == RP_OK ? rp_store_hash(&store) : 0;
    rp_store_end(&store);
    return hash;
}
