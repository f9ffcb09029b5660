/* The whole state of a world as named arrays: snapshots in memory, and what checkpoints are made
 * of. Names and layouts are part of the file format: see docs/guide/run-folder.md. Whatever the
 * host program may change is written only where it did, so that other states equal those of earlier
 * versions. */
#include "base/random.h"
#include "base/report.h"
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

struct rp_snapshot {
    rp_store store;
};

/* Numbers of an emitter, in a fixed order. */
#define EMITTER_NUMBERS 17
/* Largest component of gravity, m/s2. */
#define GRAVITY_MOST 1e12

static void emitter_to_numbers(const rp_emitter_state *emitter, double *n)
{
    const rp_emitter_spec *s = &emitter->spec;
    const double numbers[EMITTER_NUMBERS] = {
        s->nozzle,     s->radius,      s->width,       s->height,      s->position.x, s->position.y,
        s->position.z, s->direction.x, s->direction.y, s->direction.z, s->speed,      s->rate,
        s->start,      s->stop,        s->material,    s->moisture,    s->clearance};
    memcpy(n, numbers, sizeof numbers);
}

static void emitter_from_numbers(const double *n, rp_emitter_state *emitter)
{
    emitter->spec = (rp_emitter_spec){.name = emitter->name,
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

/* Returns the hash of the scene that the world was created from: states of other scenes are
 * refused. */
static uint64_t scene_hash(const rp_world *world)
{
    const char *text = world->first_scene->portable;
    return rp_hash(text, strlen(text), 0);
}

static rp_code write_emitters(const rp_world *world, rp_store *store, rp_report *report)
{
    size_t count = world->emitter_count;
    double *numbers = rp_allocate(count * EMITTER_NUMBERS * sizeof *numbers);
    uint64_t *layers = rp_allocate(count * sizeof *layers);
    if (!numbers || !layers) {
        rp_release(numbers, count * EMITTER_NUMBERS * sizeof *numbers);
        rp_release(layers, count * sizeof *layers);
        return rp_fail_memory(report, count * EMITTER_NUMBERS * sizeof *numbers, "emitters");
    }
    for (size_t i = 0; i < count; i++) {
        emitter_to_numbers(&world->emitters[i], numbers + i * EMITTER_NUMBERS);
        layers[i] = world->emitters[i].next_layer;
    }
    rp_code code =
        rp_store_give(store, "world/streams", "", RP_F64, numbers, count * EMITTER_NUMBERS, report);
    if (code != RP_OK) {
        rp_release(layers, count * sizeof *layers);
        return code;
    }
    return rp_store_give(store, "world/stream_layers", "", RP_U64, layers, count, report);
}

/* True when the host program changed an emitter: its layers were restarted, it is off, or it has a
 * name of its own. */
static bool are_emitters_changed(const rp_world *world)
{
    size_t own = (size_t)world->scene->emitters.count;
    for (size_t i = 0; i < world->emitter_count; i++) {
        const rp_emitter_state *s = &world->emitters[i];
        if (s->off || s->first_layer || s->since != s->spec.start) return true;
        if (i >= own && strcmp(s->name, RP_EMITTER_ADDED) != 0) return true;
    }
    return false;
}

/* The change of one emitter as the store holds it; the layout is saved. */
typedef struct emitter_change {
    double since;         /* s */
    uint64_t first_layer; /* at most 2^53: it is read as a double */
    uint64_t off;
    char name[RP_EMITTER_NAME];
} emitter_change;
_Static_assert(sizeof(emitter_change) == 24 + RP_EMITTER_NAME, "saved without gaps");

static rp_code write_changes(const rp_world *world, rp_store *store, rp_report *report)
{
    size_t bytes = world->emitter_count * sizeof(emitter_change);
    if (!are_emitters_changed(world)) return RP_OK;
    emitter_change *changes = rp_allocate_zero(bytes);
    if (!changes) return rp_fail_memory(report, bytes, "emitters");
    for (size_t i = 0; i < world->emitter_count; i++) {
        const rp_emitter_state *s = &world->emitters[i];
        changes[i] =
            (emitter_change){.since = s->since, .first_layer = s->first_layer, .off = s->off};
        memcpy(changes[i].name, s->name, sizeof s->name);
    }
    return rp_store_give(store, "world/stream_changes", "", RP_U8, (uint8_t *)changes, bytes,
                         report);
}

/* Resets what a state does not hold of an emitter that the host program did not change. */
static void reset_emitter(const rp_world *world, size_t i, rp_emitter_state *emitter)
{
    bool own = i < (size_t)world->scene->emitters.count;
    const char *name = own ? rp_scene_emitters(world->scene)[i].name : RP_EMITTER_ADDED;
    snprintf(emitter->name, sizeof emitter->name, "%s", name);
    emitter->since = emitter->spec.start;
}

static rp_code read_change(const rp_store_entry *entry, size_t i, rp_emitter_state *emitter,
                           rp_report *report)
{
    emitter_change change;
    memcpy(&change, (const char *)entry->data + i * sizeof change, sizeof change);
    bool named = change.name[0] && memchr(change.name, 0, sizeof change.name);
    if (!named || !isfinite(change.since) || change.off > 1 ||
        change.first_layer > emitter->next_layer)
        return rp_fail(report, RP_ERROR_DAMAGED, "the change of emitter %zu is invalid", i);
    memcpy(emitter->name, change.name, sizeof emitter->name);
    emitter->since = change.since;
    emitter->first_layer = change.first_layer;
    emitter->off = change.off;
    return RP_OK;
}

static rp_code read_emitter(rp_world *world, const double *numbers, uint64_t layer,
                            const rp_store_entry *changes, size_t i, rp_report *report)
{
    /* Checked before they become integers: the conversion of NaN or of a large number is undefined.
     */
    if (!(numbers[0] >= 0 && numbers[0] <= 1 && numbers[14] >= 0 && numbers[14] <= 255))
        return rp_fail(report, RP_ERROR_DAMAGED, "emitter %zu of the state is invalid", i);
    rp_emitter_state emitter = {.next_layer = layer};
    emitter_from_numbers(numbers, &emitter);
    reset_emitter(world, i, &emitter);
    if (changes) RP_TRY(read_change(changes, i, &emitter, report));
    if (rp_emitter_check(world->scene, &emitter.spec, report) != RP_OK) return RP_ERROR_DAMAGED;
    if (!rp_emitter_is_at(world->scene, &emitter, world->time, world->dt))
        return rp_fail(report, RP_ERROR_DAMAGED, "emitter %zu has made %llu layers by %.6g s", i,
                       (unsigned long long)layer, world->time);
    world->emitters[world->emitter_count++] = emitter;
    return RP_OK;
}

static rp_code read_emitters(rp_world *world, const rp_store *store, rp_report *report)
{
    const rp_store_entry *numbers = rp_store_find(store, "world/streams");
    const rp_store_entry *layers = rp_store_find(store, "world/stream_layers");
    if (!numbers || !layers || numbers->type != RP_F64 || layers->type != RP_U64 ||
        numbers->count != layers->count * EMITTER_NUMBERS)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the arrays of emitters in the state are incomplete");
    world->emitter_count = 0;
    if (!rp_reserve((void **)&world->emitters, &world->emitter_capacity, 0, layers->count,
                    sizeof *world->emitters))
        return rp_fail_memory(report, layers->count * sizeof *world->emitters, "emitters");
    const rp_store_entry *changes = rp_store_find(store, "world/stream_changes");
    if (changes &&
        (changes->type != RP_U8 || changes->count != layers->count * sizeof(emitter_change)))
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the changes of emitters in the state are incomplete");
    rp_code code = RP_OK;
    for (size_t i = 0; i < layers->count && code == RP_OK; i++)
        code = read_emitter(world, (const double *)numbers->data + i * EMITTER_NUMBERS,
                            ((const uint64_t *)layers->data)[i], changes, i, report);
    rp_emitters_name(world);
    return code;
}

/* Accelerations from forces that the host program added for the coming step. */
static rp_code write_external(const rp_world *world, rp_store *store, rp_report *report)
{
    const rp_external *e = &world->external;
    size_t count = e->any ? world->grains.count : 0;
    RP_TRY(rp_store_put(store, "world/external_x", "m/s2", RP_F32, e->ax, count, report));
    RP_TRY(rp_store_put(store, "world/external_y", "m/s2", RP_F32, e->ay, count, report));
    return rp_store_put(store, "world/external_z", "m/s2", RP_F32, e->az, count, report);
}

static rp_code read_external(rp_world *world, const rp_store *store, rp_report *report)
{
    const rp_store_entry *entry = rp_store_find(store, "world/external_x");
    rp_external *e = &world->external;
    e->any = false;
    if (entry && !entry->count) return RP_OK;
    size_t count = world->grains.count;
    rp_code code = rp_world_reserve_external(world, report);
    if (code == RP_OK) code = rp_store_get(store, "world/external_x", RP_F32, e->ax, count, report);
    if (code == RP_OK) code = rp_store_get(store, "world/external_y", RP_F32, e->ay, count, report);
    if (code == RP_OK) code = rp_store_get(store, "world/external_z", RP_F32, e->az, count, report);
    e->any = code == RP_OK;
    return code;
}

_Static_assert(sizeof(rp_vec3) == 3 * sizeof(double), "saved as three numbers");

/* Further changes of the host program: gravity, added sources, and whether surfaces changed. */
static rp_code write_control(const rp_world *world, rp_store *store, rp_report *report)
{
    rp_code code = RP_OK;
    if (world->gravity.is_set) /* the store may keep a pointer to it */
        code =
            rp_store_put(store, "world/gravity", "m/s2", RP_F64, &world->gravity.value, 3, report);
    if (code == RP_OK && world->added_sources)
        code = rp_store_put_u64(store, "world/added_sources", world->added_sources, report);
    if (code == RP_OK && world->external.disturbed)
        code = rp_store_put_u64(store, "world/disturbed", 1, report);
    return code;
}

static rp_code read_control(rp_world *world, const rp_store *store, rp_report *report)
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

rp_code rp_world_write_state(const rp_world *world, rp_store *store, rp_report *report)
{
    if (!world->solver)
        RP_TRY(rp_world_check_valid(world,
                                    report)); /* only where a change of the scene failed half way */
    /* Scene, time and counters; sources and emitters; changes; grains, forces, bodies, solver. */
    RP_TRY(rp_store_put_u64(store, "world/scene", scene_hash(world), report));
    RP_TRY(rp_store_put_f64(store, "world/time", "s", world->time, report));
    RP_TRY(rp_store_put_f64(store, "world/dt", "s", world->dt, report));
    RP_TRY(rp_store_put_u64(store, "world/step", world->step, report));
    RP_TRY(rp_store_put_u64(store, "world/removed", world->removed, report));
    RP_TRY(rp_store_put(store, "world/source_done", "", RP_U8, world->source_done,
                        (size_t)world->scene->sources.count, report));
    RP_TRY(write_emitters(world, store, report));
    RP_TRY(write_changes(world, store, report));
    RP_TRY(write_control(world, store, report));
    RP_TRY(rp_grains_save(&world->grains, store, report));
    RP_TRY(write_external(world, store, report));
    RP_TRY(rp_bodies_save(world->bodies, store, report));
    if (world->type->save) RP_TRY(world->type->save(world->solver, store, report));
    return rp_world_write_additions(world, store, report);
}

/* Checks kind, size and orientation of a resolved grain that was read from a file. */
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

rp_code rp_world_write_grains(const rp_world *world, rp_store *store, rp_report *report)
{
    RP_TRY(rp_grains_save(&world->grains, store, report));
    RP_TRY(write_external(world, store, report));
    return world->type->save ? world->type->save(world->solver, store, report) : RP_OK;
}

rp_code rp_world_read_grains(rp_world *world, const rp_store *store, rp_report *report)
{
    RP_TRY(rp_grains_load(&world->grains, store, report));
    RP_TRY(read_external(world, store, report));
    return world->type->load ? world->type->load(world->solver, store, report) : RP_OK;
}

/* Reads the state in the order of its dependencies: time and step first, since emitters are checked
 * against them; grains before the solver; bodies before surfaces. */
static rp_code read_all(rp_world *world, const rp_store *store, rp_report *report)
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
    if (code == RP_OK) code = read_emitters(world, store, report);
    if (code == RP_OK) code = read_control(world, store, report);
    if (code == RP_OK) code = rp_grains_load(&world->grains, store, report);
    if (code == RP_OK) code = check_grains(world, report);
    if (code == RP_OK) code = read_external(world, store, report);
    if (code == RP_OK) code = rp_bodies_load(world->bodies, store, report);
    if (code == RP_OK) rp_couple_refresh(world->couple);
    if (code == RP_OK) rp_world_reset_stats(world);
    if (code == RP_OK && world->type->load) code = world->type->load(world->solver, store, report);
    if (code == RP_OK) code = rp_world_check_numbers(world, report);
    return code;
}

rp_code rp_world_read_state(rp_world *world, const rp_store *store, rp_report *report)
{
    uint64_t scene;
    RP_TRY(rp_store_get_u64(store, "world/scene", &scene, report));
    if (scene != scene_hash(world))
        RP_TRY(rp_fail(report, RP_ERROR_INPUT, "the state belongs to another scene"));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_world_read_additions(world, store, report);
    if (code == RP_OK) code = read_all(world, store, report);
    rp_budget_enter(before);
    world->invalid = code != RP_OK;
    rp_world_refresh_view(world);
    return code;
}

rp_code rp_world_snapshot(const rp_world *world, rp_snapshot **out, rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(world, report);
    RP_NEED(out, report);
    RP_ENTER();
    RP_TRY(rp_world_check_valid(world, report));
    rp_snapshot *snapshot = rp_allocate_zero(sizeof *snapshot);
    if (!snapshot) return rp_fail_memory(report, sizeof *snapshot, "a snapshot");
    rp_code code = rp_world_write_state(world, &snapshot->store, report);
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
    return rp_world_read_state(world, &snapshot->store, report);
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
    uint64_t hash = rp_world_write_state(world, &store, NULL) == RP_OK ? rp_store_hash(&store) : 0;
    rp_store_end(&store);
    return hash;
}
