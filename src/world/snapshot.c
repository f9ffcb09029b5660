/* The whole state of a world as named arrays: snapshots in memory, and what checkpoints are made
 * of. */
#include "base/random.h"
#include "base/report.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

struct rp_snapshot {
    rp_store store;
};

/* A stream's numbers in a fixed order, for the store. */
#define STREAM_NUMBERS 17
/* Of gravity along each axis, m/s2. */
#define GRAVITY_MOST 1e12

static void stream_to_numbers(const rp_stream *stream, double *n)
{
    const rp_emitter_spec *s = &stream->spec;
    const double numbers[STREAM_NUMBERS] = {
        s->nozzle,     s->radius,      s->width,       s->height,      s->position.x, s->position.y,
        s->position.z, s->direction.x, s->direction.y, s->direction.z, s->speed,      s->rate,
        s->start,      s->stop,        s->material,    s->moisture,    s->clearance};
    memcpy(n, numbers, sizeof numbers);
}

static void stream_from_numbers(const double *n, rp_stream *stream)
{
    stream->spec = (rp_emitter_spec){.name = stream->name,
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
                                     .material = (int)n[14],
                                     .moisture = n[15],
                                     .clearance = n[16]};
}

static uint64_t scene_hash(const rp_world *world)
{
    const char *text = world->first_scene->portable;
    return rp_hash(text, strlen(text), 0);
}

static rp_code put_streams(const rp_world *world, rp_store *store, rp_report *report)
{
    size_t count = world->stream_count;
    double *numbers = rp_allocate(count * STREAM_NUMBERS * sizeof *numbers);
    uint64_t *layers = rp_allocate(count * sizeof *layers);
    if (!numbers || !layers) {
        rp_release(numbers, count * STREAM_NUMBERS * sizeof *numbers);
        rp_release(layers, count * sizeof *layers);
        return rp_fail_memory(report, count * STREAM_NUMBERS * sizeof *numbers, "streams");
    }
    for (size_t i = 0; i < count; i++) {
        stream_to_numbers(&world->streams[i], numbers + i * STREAM_NUMBERS);
        layers[i] = world->streams[i].next_layer;
    }
    rp_code code =
        rp_store_give(store, "world/streams", "", RP_F64, numbers, count * STREAM_NUMBERS, report);
    if (code != RP_OK) {
        rp_release(layers, count * sizeof *layers);
        return code;
    }
    return rp_store_give(store, "world/stream_layers", "", RP_U64, layers, count, report);
}

/* What the host program changed of streams, if anything: when layers began to follow each other
 * evenly, which are off, and how they are called. */
static bool are_streams_changed(const rp_world *world)
{
    size_t own = (size_t)world->scene->emitters.count;
    for (size_t i = 0; i < world->stream_count; i++) {
        const rp_stream *s = &world->streams[i];
        if (s->off || s->first_layer || s->since != s->spec.start) return true;
        if (i >= own && strcmp(s->name, RP_STREAM_ADDED) != 0) return true;
    }
    return false;
}

/* One stream as the store holds it; the layout is saved. */
typedef struct stream_change {
    double since;         /* s */
    uint64_t first_layer; /* 2^53 at most: read as a number */
    uint64_t off;
    char name[RP_STREAM_NAME];
} stream_change;
_Static_assert(sizeof(stream_change) == 24 + RP_STREAM_NAME, "saved without gaps");

static rp_code put_changes(const rp_world *world, rp_store *store, rp_report *report)
{
    size_t bytes = world->stream_count * sizeof(stream_change);
    if (!are_streams_changed(world)) return RP_OK;
    stream_change *changes = rp_allocate_zero(bytes);
    if (!changes) return rp_fail_memory(report, bytes, "streams");
    for (size_t i = 0; i < world->stream_count; i++) {
        const rp_stream *s = &world->streams[i];
        changes[i] =
            (stream_change){.since = s->since, .first_layer = s->first_layer, .off = s->off};
        memcpy(changes[i].name, s->name, sizeof s->name);
    }
    return rp_store_give(store, "world/stream_changes", "", RP_U8, (uint8_t *)changes, bytes,
                         report);
}

/* As streams are that nobody changed. */
static void reset_stream(const rp_world *world, size_t i, rp_stream *stream)
{
    bool own = i < (size_t)world->scene->emitters.count;
    const char *name = own ? rp_scene_emitters(world->scene)[i].name : RP_STREAM_ADDED;
    snprintf(stream->name, sizeof stream->name, "%s", name);
    stream->since = stream->spec.start;
}

static rp_code take_change(const rp_store_entry *entry, size_t i, rp_stream *stream,
                           rp_report *report)
{
    stream_change change;
    memcpy(&change, (const char *)entry->data + i * sizeof change, sizeof change);
    bool named = change.name[0] && memchr(change.name, 0, sizeof change.name);
    if (!named || !isfinite(change.since) || change.off > 1 ||
        change.first_layer > stream->next_layer)
        return rp_fail(report, RP_ERROR_DAMAGED, "the change of stream %zu makes no sense", i);
    memcpy(stream->name, change.name, sizeof stream->name);
    stream->since = change.since;
    stream->first_layer = change.first_layer;
    stream->off = change.off;
    return RP_OK;
}

static rp_code take_stream(rp_world *world, const double *numbers, uint64_t layer,
                           const rp_store_entry *changes, size_t i, rp_report *report)
{
    /* Before they become integers: what is no number or far off would be undefined there. */
    if (!(numbers[0] >= 0 && numbers[0] <= 1 && numbers[14] >= 0 && numbers[14] <= 255))
        return rp_fail(report, RP_ERROR_DAMAGED, "stream %zu of the state makes no sense", i);
    rp_stream stream = {.next_layer = layer};
    stream_from_numbers(numbers, &stream);
    reset_stream(world, i, &stream);
    if (changes) RP_TRY(take_change(changes, i, &stream, report));
    if (rp_stream_check(world->scene, &stream.spec, report) != RP_OK) return RP_ERROR_DAMAGED;
    if (!rp_stream_is_at(world->scene, &stream, world->time, world->dt))
        return rp_fail(report, RP_ERROR_DAMAGED, "stream %zu has made %llu layers by %.6g s", i,
                       (unsigned long long)layer, world->time);
    world->streams[world->stream_count++] = stream;
    return RP_OK;
}

static rp_code take_streams(rp_world *world, const rp_store *store, rp_report *report)
{
    const rp_store_entry *numbers = rp_store_find(store, "world/streams");
    const rp_store_entry *layers = rp_store_find(store, "world/stream_layers");
    if (!numbers || !layers || numbers->type != RP_F64 || layers->type != RP_U64 ||
        numbers->count != layers->count * STREAM_NUMBERS)
        return rp_fail(report, RP_ERROR_DAMAGED, "the state's streams are not whole");
    world->stream_count = 0;
    if (!rp_reserve((void **)&world->streams, &world->stream_capacity, 0, layers->count,
                    sizeof *world->streams))
        return rp_fail_memory(report, layers->count * sizeof *world->streams, "streams");
    const rp_store_entry *changes = rp_store_find(store, "world/stream_changes");
    if (changes &&
        (changes->type != RP_U8 || changes->count != layers->count * sizeof(stream_change)))
        return rp_fail(report, RP_ERROR_DAMAGED, "the state's changes of streams are not whole");
    rp_code code = RP_OK;
    for (size_t i = 0; i < layers->count && code == RP_OK; i++)
        code = take_stream(world, (const double *)numbers->data + i * STREAM_NUMBERS,
                           ((const uint64_t *)layers->data)[i], changes, i, report);
    rp_streams_name(world);
    return code;
}

/* Forces that were added for the coming step. */
static rp_code put_external(const rp_world *world, rp_store *store, rp_report *report)
{
    const rp_external *e = &world->external;
    size_t count = e->any ? world->grains.count : 0;
    RP_TRY(rp_store_put(store, "world/external_x", "m/s2", RP_F32, e->ax, count, report));
    RP_TRY(rp_store_put(store, "world/external_y", "m/s2", RP_F32, e->ay, count, report));
    return rp_store_put(store, "world/external_z", "m/s2", RP_F32, e->az, count, report);
}

static rp_code take_external(rp_world *world, const rp_store *store, rp_report *report)
{
    const rp_store_entry *entry = rp_store_find(store, "world/external_x");
    rp_external *e = &world->external;
    e->any = false;
    if (entry && !entry->count) return RP_OK;
    size_t count = world->grains.count;
    rp_code code = rp_world_need_external(world, report);
    if (code == RP_OK) code = rp_store_get(store, "world/external_x", RP_F32, e->ax, count, report);
    if (code == RP_OK) code = rp_store_get(store, "world/external_y", RP_F32, e->ay, count, report);
    if (code == RP_OK) code = rp_store_get(store, "world/external_z", RP_F32, e->az, count, report);
    e->any = code == RP_OK;
    return code;
}

_Static_assert(sizeof(rp_vec3) == 3 * sizeof(double), "saved as three numbers");

/* What else the host program changed. States without any of it hold nothing of the kind, so that
 * they are those of earlier versions. */
static rp_code put_control(const rp_world *world, rp_store *store, rp_report *report)
{
    rp_code code = RP_OK;
    if (world->gravity.is_set) /* the store may borrow it */
        code =
            rp_store_put(store, "world/gravity", "m/s2", RP_F64, &world->gravity.value, 3, report);
    if (code == RP_OK && world->added_sources)
        code = rp_store_put_u64(store, "world/added_sources", world->added_sources, report);
    if (code == RP_OK && world->external.disturbed)
        code = rp_store_put_u64(store, "world/disturbed", 1, report);
    return code;
}

static rp_code take_control(rp_world *world, const rp_store *store, rp_report *report)
{
    double gravity[3] = {0, 0, 0};
    uint64_t disturbed = 0, sources = 0;
    bool is_set = rp_store_find(store, "world/gravity");
    if (is_set) RP_TRY(rp_store_get(store, "world/gravity", RP_F64, gravity, 3, report));
    if (rp_store_find(store, "world/added_sources"))
        RP_TRY(rp_store_get_u64(store, "world/added_sources", &sources, report));
    if (rp_store_find(store, "world/disturbed"))
        RP_TRY(rp_store_get_u64(store, "world/disturbed", &disturbed, report));
    if (!(fabs(gravity[0]) <= GRAVITY_MOST && fabs(gravity[1]) <= GRAVITY_MOST &&
          fabs(gravity[2]) <= GRAVITY_MOST))
        return rp_fail(report, RP_ERROR_DAMAGED, "the state's gravity is [%g, %g, %g] m/s2",
                       gravity[0], gravity[1], gravity[2]);
    world->gravity.is_set = is_set;
    world->gravity.value = rp_v3_from(gravity);
    world->added_sources = sources;
    world->external.disturbed = disturbed != 0;
    return RP_OK;
}

rp_code rp_world_put(const rp_world *world, rp_store *store, rp_report *report)
{
    if (!world->solver) RP_TRY(rp_world_check_sound(world, report)); /* a change failed half way */
    RP_TRY(rp_store_put_u64(store, "world/scene", scene_hash(world), report));
    RP_TRY(rp_store_put_f64(store, "world/time", "s", world->time, report));
    RP_TRY(rp_store_put_f64(store, "world/dt", "s", world->dt, report));
    RP_TRY(rp_store_put_u64(store, "world/step", world->step, report));
    RP_TRY(rp_store_put_u64(store, "world/removed", world->removed, report));
    RP_TRY(rp_store_put(store, "world/source_done", "", RP_U8, world->source_done,
                        (size_t)world->scene->sources.count, report));
    RP_TRY(put_streams(world, store, report));
    RP_TRY(put_changes(world, store, report));
    RP_TRY(put_control(world, store, report));
    RP_TRY(rp_grains_save(&world->grains, store, report));
    RP_TRY(put_external(world, store, report));
    RP_TRY(rp_bodies_save(world->bodies, store, report));
    if (world->type->save) RP_TRY(world->type->save(world->solver, store, report));
    return rp_world_put_additions(world, store, report);
}

static rp_code check_shape(const rp_world *world, size_t i, rp_report *report)
{
    const rp_grains *p = &world->grains;
    if (p->kind[i] >= world->scene->grains.count)
        return rp_fail(report, RP_ERROR_DAMAGED, "grain %u is of kind %d; there are %d", p->id[i],
                       p->kind[i], world->scene->grains.count);
    const rp_grain_spec *kind = &rp_scene_grains(world->scene)[p->kind[i]];
    double size = p->diameter[i], square = 0;
    if (!(size >= kind->smallest * (1 - 1e-5) && size <= kind->largest * (1 + 1e-5)))
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "grain %u has a diameter of %g m; those of '%s' have %g to %g m", p->id[i],
                       size, kind->name, kind->smallest, kind->largest);
    for (int k = 0; k < 4 && p->orientation[0]; k++)
        square += (double)p->orientation[k][i] * (double)p->orientation[k][i];
    if (p->orientation[0] && !(fabs(square - 1) < 1e-3))
        return rp_fail(report, RP_ERROR_DAMAGED, "the orientation of grain %u has the length %g",
                       p->id[i], sqrt(square));
    return RP_OK;
}

static rp_code check_grains(const rp_world *world, rp_report *report)
{
    const rp_grains *p = &world->grains;
    for (size_t i = 0; i < p->count; i++) {
        if (p->material[i] >= world->scene->materials.count)
            return rp_fail(report, RP_ERROR_DAMAGED, "grain %u is of material %d; there are %d",
                           p->id[i], p->material[i], world->scene->materials.count);
        if (p->moisture && !(p->moisture[i] >= 0 && p->moisture[i] <= 1))
            return rp_fail(report, RP_ERROR_DAMAGED, "grain %u has a moisture of %g", p->id[i],
                           (double)p->moisture[i]);
        RP_TRY(p->kind ? check_shape(world, i, report) : RP_OK);
    }
    return RP_OK;
}

rp_code rp_world_put_grains(const rp_world *world, rp_store *store, rp_report *report)
{
    RP_TRY(rp_grains_save(&world->grains, store, report));
    RP_TRY(put_external(world, store, report));
    return world->type->save ? world->type->save(world->solver, store, report) : RP_OK;
}

rp_code rp_world_take_grains(rp_world *world, const rp_store *store, rp_report *report)
{
    RP_TRY(rp_grains_load(&world->grains, store, report));
    RP_TRY(take_external(world, store, report));
    return world->type->load ? world->type->load(world->solver, store, report) : RP_OK;
}

static rp_code take_all(rp_world *world, const rp_store *store, rp_report *report)
{
    rp_code code = rp_store_get_f64(store, "world/time", &world->time, report);
    if (code == RP_OK && !(world->time >= 0 && isfinite(world->time)))
        code = rp_fail(report, RP_ERROR_DAMAGED, "the state's time is %g s", world->time);
    if (code == RP_OK) code = rp_store_get_f64(store, "world/dt", &world->dt, report);
    if (code == RP_OK && !(world->dt >= 0 && isfinite(world->dt)))
        code = rp_fail(report, RP_ERROR_DAMAGED, "the state's step is %g s", world->dt);
    if (code == RP_OK) code = rp_store_get_u64(store, "world/step", &world->step, report);
    if (code == RP_OK) code = rp_store_get_u64(store, "world/removed", &world->removed, report);
    if (code == RP_OK)
        code = rp_store_get(store, "world/source_done", RP_U8, world->source_done,
                            (size_t)world->scene->sources.count, report);
    if (code == RP_OK) code = take_streams(world, store, report);
    if (code == RP_OK) code = take_control(world, store, report);
    if (code == RP_OK) code = rp_grains_load(&world->grains, store, report);
    if (code == RP_OK) code = check_grains(world, report);
    if (code == RP_OK) code = take_external(world, store, report);
    if (code == RP_OK) code = rp_bodies_load(world->bodies, store, report);
    if (code == RP_OK) rp_couple_refresh(world->couple);
    if (code == RP_OK) rp_world_forget_step(world);
    if (code == RP_OK && world->type->load) code = world->type->load(world->solver, store, report);
    if (code == RP_OK) code = rp_world_check_numbers(world, report);
    return code;
}

rp_code rp_world_take(rp_world *world, const rp_store *store, rp_report *report)
{
    uint64_t scene;
    RP_TRY(rp_store_get_u64(store, "world/scene", &scene, report));
    if (scene != scene_hash(world))
        RP_TRY(rp_fail(report, RP_ERROR_INPUT, "the state belongs to another scene"));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_world_take_additions(world, store, report);
    if (code == RP_OK) code = take_all(world, store, report);
    rp_budget_enter(before);
    world->broken = code != RP_OK;
    rp_world_refresh_view(world);
    return code;
}

rp_code rp_world_snapshot(const rp_world *world, rp_snapshot **out, rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(world, report);
    RP_NEED(out, report);
    RP_ENTER();
    RP_TRY(rp_world_check_sound(world, report));
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
    RP_NEED(world, report);
    RP_NEED(snapshot, report);
    RP_ENTER();
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
    if (!world) return 0;
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true;
    uint64_t hash = rp_world_put(world, &store, NULL) == RP_OK ? rp_store_hash(&store) : 0;
    rp_store_end(&store);
    return hash;
}
