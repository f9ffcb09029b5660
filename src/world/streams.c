/* Streams: emitters that pour layer by layer (W5), on a lattice or cut from a packing (W16);
 * docs/theory/world.md. They may be changed while a world runs. */
#include "base/random.h"
#include "base/report.h"
#include "world/large.h"
#include "world/packing.h"
#include "world/packing_tile.h"

#include <stdio.h>
#include <string.h>

/* Grains that leave a nozzle side by side, at most. */
#define LAYER_MAX 1e8
#define GOLDEN 0.61803398874989485
/* How far a relaxed stream moves sideways from layer to layer, in spacings: so little that grains
 * of neighboring layers stay as far apart. */
#define DRIFT 0.02

/* Whether a point of the nozzle's plane, from its centre, lies in the opening. */
static bool in_nozzle(const rp_emitter_spec *spec, double u, double v)
{
    if (spec->nozzle == RP_NOZZLE_DISC) return u * u + v * v <= spec->radius * spec->radius;
    return fabs(u) <= spec->width / 2 && fabs(v) <= spec->height / 2;
}

static double nozzle_area(const rp_emitter_spec *spec)
{
    return spec->nozzle == RP_NOZZLE_DISC ? RP_PI * spec->radius * spec->radius
                                          : spec->width * spec->height;
}

double rp_stream_full_rate(const rp_scene *scene, const rp_emitter_spec *spec)
{
    double spacing = scene->particles.spacing, places = nozzle_area(spec) * spec->speed;
    if (!rp_world_resolves_grains(scene))
        return places * rp_scene_materials(scene)[spec->material].density;
    double mass = rp_grain_mean_mass(scene, true, spec->material);
    return places * mass / (spacing * spacing * spacing);
}

/* Numbers that make no sense; a scene's own emitters were checked when it was read. */
static bool is_sound(const rp_scene *scene, const rp_emitter_spec *s)
{
    double size = s->nozzle == RP_NOZZLE_DISC ? s->radius : fmin(s->width, s->height);
    double place = rp_v3_length(s->position), way = rp_v3_length(s->direction);
    double layer = nozzle_area(s) / (scene->particles.spacing * scene->particles.spacing);
    return size > 0 && layer <= LAYER_MAX && isfinite(place) && fabs(way - 1) < 1e-6 &&
           s->speed > 0 && isfinite(s->speed) && s->rate >= 0 && isfinite(s->start) &&
           s->stop > s->start && s->material >= 0 && s->material < scene->materials.count &&
           s->moisture >= 0 && s->moisture <= 1 && s->clearance >= 0 && isfinite(s->clearance);
}

/* Its middle or the ends of its two axes. */
static bool nozzle_is_walled_off(const rp_scene *scene, const rp_emitter_spec *spec)
{
    rp_vec3 u = rp_v3_perpendicular(spec->direction), v = rp_v3_cross(spec->direction, u);
    double reach_u = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->width / 2;
    double reach_v = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->height / 2;
    const rp_vec3 ends[] = {spec->position, rp_v3_madd(spec->position, reach_u, u),
                            rp_v3_madd(spec->position, -reach_u, u),
                            rp_v3_madd(spec->position, reach_v, v),
                            rp_v3_madd(spec->position, -reach_v, v)};
    for (int i = 0; i < 5; i++)
        if (rp_world_domain_walls_off(&scene->domain, ends[i], 0)) return true;
    return false;
}

static rp_code fail_emitter(const rp_emitter_spec *spec, rp_report *report, const char *what)
{
    char key[128];
    snprintf(key, sizeof key, "emitters.%s", spec->name);
    return rp_fail_at(report, RP_ERROR_INPUT, NULL, key, "%s", what);
}

static bool fits_stream(const rp_scene *scene, int material)
{
    rp_grain_split split = rp_grain_split_of(scene, material);
    return split.spacing <= scene->particles.spacing && !(split.large > 0);
}

rp_code rp_stream_check(const rp_scene *scene, const rp_emitter_spec *spec, rp_report *report)
{
    char what[256];
    if (!is_sound(scene, spec))
        return fail_emitter(
            spec, report,
            "needs a finite position, a direction, a nozzle of at most 1e8 grains, "
            "speed > 0, rate >= 0, stop > start, a material of the scene, a moisture "
            "from 0 to 1 and a clearance >= 0");
    if (nozzle_is_walled_off(scene, spec))
        return fail_emitter(
            spec, report,
            "the nozzle lies or reaches behind a wall of the domain; move it, make it "
            "smaller, or widen or open the domain");
    if (rp_world_resolves_grains(scene) && !fits_stream(scene, spec->material)) {
        snprintf(what, sizeof what,
                 "some grains of its material do not fit a place of the stream, which a "
                 "particles.spacing of %.4g m makes %.4g m wide; raise it, or let a source make "
                 "the large ones",
                 scene->particles.spacing, rp_grain_room(scene));
        return fail_emitter(spec, report, what);
    }
    double full = rp_stream_full_rate(scene, spec);
    if (spec->rate <= full * (1 + 1e-9)) return RP_OK;
    snprintf(what, sizeof what,
             "a rate of %.6g kg/s is more than its nozzle passes at %.6g m/s, %.6g kg/s; widen the "
             "nozzle or raise the speed",
             spec->rate, spec->speed, full);
    return fail_emitter(spec, report, what);
}

/* Time from one layer of grains to the next: a spacing's way. */
static double layer_interval(const rp_scene *scene, const rp_emitter_spec *spec)
{
    return scene->particles.spacing / spec->speed;
}

/* The share of a layer's places that hold a grain. */
static double layer_share(const rp_scene *scene, const rp_emitter_spec *spec)
{
    return spec->rate > 0 ? spec->rate / rp_stream_full_rate(scene, spec) : 1;
}

/* When a layer leaves the nozzle, s. */
static double due_of(const rp_scene *scene, const rp_stream *stream, uint64_t layer)
{
    double layers = (double)layer - (double)stream->first_layer;
    return stream->since + layer_interval(scene, &stream->spec) * layers;
}

bool rp_stream_is_at(const rp_scene *scene, const rp_stream *stream, double time, double dt)
{
    const rp_emitter_spec *spec = &stream->spec;
    double interval = layer_interval(scene, spec);
    double layers = (fmin(time, spec->stop) - stream->since) / interval;
    double slack = 2 + 1e-6 * fabs(layers);
    double made = (double)stream->next_layer - (double)stream->first_layer;
    if (!(made >= 0) || made > fmax(layers, 0) + slack) return false;
    return stream->off || made >= layers - slack - dt / interval;
}

double rp_stream_next_event(const rp_stream *stream, double time)
{
    return !stream->off && stream->since > time ? stream->since : INFINITY;
}

/* Counts layers from now on by the present speed: the next one leaves a spacing behind the last, or
 * at once where that is past. */
static void rebase(const rp_scene *scene, rp_stream *stream, const rp_emitter_spec *to, bool off,
                   double time)
{
    double next = fmax(time, to->start);
    if (!stream->off && stream->next_layer > stream->first_layer) {
        double last = due_of(scene, stream, stream->next_layer - 1);
        next = fmax(next, last + layer_interval(scene, to));
    } else if (stream->next_layer > 0) { /* changed again before its next layer */
        next = fmax(next, fmin(stream->since, time + layer_interval(scene, to)));
    }
    stream->spec = *to;
    stream->off = off;
    stream->since = next;
    stream->first_layer = stream->next_layer;
}

/* Whether a body stands in the way of a grain from its place in the nozzle to where it is by now.
 */
static bool is_barred(const rp_world *world, rp_vec3 from, rp_vec3 direction, double way)
{
    double clearance = rp_scene_clearance(world->scene);
    double least = fmax(world->scene->particles.spacing / 10, way / 1000); /* for an end at all */
    for (double done = 0;;) {
        rp_vec3 at =
            rp_world_domain_wrapped(&world->scene->domain, rp_v3_madd(from, done, direction));
        double gap = rp_world_gap_to_bodies(world, at) - clearance;
        if (gap < 0) return true;
        if (done >= way) return false;
        done = fmin(way, done + fmax(gap, least));
    }
}

/* A layer of places over the opening, in spacings. */
typedef struct layer {
    double across[2]; /* shift of its lattice along both axes of the nozzle's plane */
    double turn;      /* where its multiples of the golden ratio begin */
    bool relaxed;
    int64_t first[3]; /* which place of the packing its own middle is */
} layer;

/* Layers that lie on a lattice are shifted at random, so that they do not line up. Relaxed ones are
 * cut one after another from the packing, which slides through the nozzle and a little sideways:
 * its places come to lie everywhere in the opening, and the mean rate is exact. */
static layer layer_of(const rp_world *world, const rp_stream *stream, uint64_t number)
{
    uint64_t seed = (uint64_t)world->scene->seed, which = (uint64_t)(stream - world->streams);
    rp_random4 random = rp_random(seed, RP_RANDOM_EMITTER, which << 40 | number);
    layer l = {.across = {(double)rp_random_unit(random.bits[0]) - 0.5,
                          (double)rp_random_unit(random.bits[1]) - 0.5},
               .turn = rp_random_unit(random.bits[2]),
               .relaxed = rp_scene_is_relaxed(world->scene)};
    if (!l.relaxed) return l;
    random = rp_random(seed, RP_RANDOM_PACKING, (uint64_t)1 << 32 | which);
    const double drift[2] = {DRIFT, DRIFT * GOLDEN};
    for (int a = 0; a < 2; a++) {
        double shift = (double)rp_random_unit(random.bits[a]) + drift[a] * (double)number;
        double whole = floor(shift + 0.5);
        l.across[a] = shift - whole;
        l.first[a] = -(int64_t)whole;
    }
    l.first[2] = (int64_t)(random.bits[2] >> 16) - (int64_t)number; /* later ones are behind */
    return l;
}

/* Across the nozzle and ahead of it; never behind it. */
static rp_vec3 place_of_layer(const layer *l, double i, double j)
{
    rp_vec3 at = rp_v3(i + l->across[0], j + l->across[1], 0);
    if (!l->relaxed) return at;
    rp_vec3 shift =
        rp_packing_shift(l->first[0] + (int64_t)i, l->first[1] + (int64_t)j, l->first[2]);
    return rp_v3_add(at, rp_v3_add(shift, rp_v3(0, 0, RP_TILE_REACH)));
}

/* How far ahead of the nozzle grains may appear at once, m. */
static double layer_reach(const rp_scene *scene)
{
    return rp_scene_is_relaxed(scene) ? 2 * RP_TILE_REACH * scene->particles.spacing : 0;
}

/* One layer. When less flows than the nozzle passes, some places stay empty: those where multiples
 * of the golden ratio fall beyond the share, which spreads the grains evenly and keeps their
 * number. What a body, a wall or a large grain bars is lost. */
static rp_code pour_layer(const rp_world *world, const rp_stream *stream, uint64_t number,
                          double way, const rp_stones *stones, rp_batch *b, rp_report *report)
{
    const rp_emitter_spec *spec = &stream->spec;
    double spacing = world->scene->particles.spacing;
    layer l = layer_of(world, stream, number);
    rp_vec3 u = rp_v3_perpendicular(spec->direction), v = rp_v3_cross(spec->direction, u);
    double reach_u = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->width / 2;
    double reach_v = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->height / 2;
    double nu = ceil(reach_u / spacing) + 1, nv = ceil(reach_v / spacing) + 1;
    double share = layer_share(world->scene, spec), turn = l.turn;
    for (double j = -nv; j <= nv; j++)
        for (double i = -nu; i <= nu; i++) {
            rp_vec3 place = rp_v3_scale(place_of_layer(&l, i, j), spacing);
            if (!in_nozzle(spec, place.x, place.y)) continue;
            turn += GOLDEN;
            turn -= floor(turn);
            if (turn >= share) continue;
            rp_vec3 from = rp_v3_madd(rp_v3_madd(spec->position, place.x, u), place.y, v);
            rp_vec3 to = rp_v3_madd(from, way + place.z, spec->direction);
            if (rp_world_domain_walls_off(&world->scene->domain, to,
                                          rp_scene_clearance(world->scene)))
                continue;
            if (rp_stones_gap(stones, to, spacing) < rp_stones_clearance(world->scene, spacing))
                continue;
            if (is_barred(world, from, spec->direction, way + place.z)) continue;
            if (!rp_batch_add(b, to)) return rp_fail_memory(report, sizeof from, "an emitter");
        }
    return RP_OK;
}

typedef struct sand_before {
    const rp_world *world;
    const rp_emitter_spec *spec;
    rp_vec3 u, v; /* axes of the nozzle's plane */
} sand_before;

/* Minus the way from the nozzle to the nearest sand before it. Grains that fall count as the stream
 * itself; what is further behind the nozzle than its clearance is something else. */
static double nearness_of_range(void *context, rp_range range)
{
    const sand_before *s = context;
    const rp_grains *p = &s->world->grains;
    const rp_emitter_spec *spec = s->spec;
    double nearest = INFINITY;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_vec3 from = rp_v3_sub(rp_v3(p->x[i], p->y[i], p->z[i]), spec->position);
        double way = rp_v3_dot(from, spec->direction);
        if (way >= nearest || way < -spec->clearance) continue;
        if (!in_nozzle(spec, rp_v3_dot(from, s->u), rp_v3_dot(from, s->v))) continue;
        rp_vec3 velocity = rp_v3(p->vx[i], p->vy[i], p->vz[i]);
        if (rp_v3_dot(velocity, spec->direction) < spec->speed / 2) nearest = way;
    }
    return -nearest;
}

/* A nozzle with a clearance draws back from sand that has come nearer, but not through walls. */
static void draw_back(const rp_world *world, rp_emitter_spec *spec)
{
    size_t count = world->grains.count;
    if (!(spec->clearance > 0) || !count) return;
    sand_before s = {world, spec, rp_v3_perpendicular(spec->direction), {0, 0, 0}};
    s.v = rp_v3_cross(spec->direction, s.u);
    double way = -rp_reduce_max(&world->grains, world->threads, 4096, nearness_of_range, &s);
    double room = fmax(spec->clearance, layer_reach(world->scene));
    double back = room + world->scene->particles.spacing / 2 - way;
    rp_emitter_spec moved = *spec;
    moved.position = rp_v3_madd(spec->position, -back, spec->direction);
    if (back > 0 && !nozzle_is_walled_off(world->scene, &moved)) spec->position = moved.position;
}

/* Layers that have left the nozzle by now; each has made its way since. */
rp_code rp_stream_emit(rp_world *world, rp_stream *stream, rp_report *report)
{
    rp_emitter_spec *spec = &stream->spec;
    rp_batch *b = &world->batch;
    b->count = 0;
    if (stream->off || due_of(world->scene, stream, stream->next_layer) > world->time) return RP_OK;
    rp_stones stones;
    rp_code code = rp_stones_collect(&stones, world, report);
    for (;;) {
        double due = due_of(world->scene, stream, stream->next_layer);
        if (due > world->time || due >= spec->stop || code != RP_OK) break;
        if (rp_is_stopped(&world->stop)) {
            rp_stones_end(&stones);
            return RP_INTERRUPTED;
        }
        if (!b->count) draw_back(world, spec);
        code = pour_layer(world, stream, stream->next_layer, spec->speed * (world->time - due),
                          &stones, b, report);
        if (code == RP_OK && (double)(world->grains.count + b->count) > world->most_grains)
            code =
                rp_fail(report, RP_ERROR_MEMORY,
                        "at %.6g s emitter '%s' makes more than the %.4g grains that memory holds",
                        world->time, spec->name, world->most_grains);
        stream->next_layer++;
    }
    rp_stones_end(&stones);
    size_t first = 0;
    rp_grain_split split = rp_grain_split_of(world->scene, spec->material);
    rp_stuff of = {spec->material, spec->moisture, &split, false};
    if (code == RP_OK && b->count)
        code = rp_grains_append(&world->grains, b->count, &first, report);
    for (size_t n = 0; code == RP_OK && n < b->count; n++)
        rp_world_set_grain(world, first + n, b->positions[n],
                           rp_v3_scale(spec->direction, spec->speed), &of);
    return code;
}

/* --- while a world runs ----------------------------------------------------------------------- */

void rp_default_emitter_fill(rp_emitter_def *options, size_t size)
{
    rp_emitter_def own = {.size = size,
                          .direction = {0, 0, -1},
                          .radius = 0.05,
                          .speed = 1,
                          .stop = INFINITY,
                          .on = true};
    rp_options_give(options, size, &own, sizeof own);
}

static rp_emitter_spec spec_of(const rp_emitter_def *def)
{
    bool round = def->width == 0 && def->height == 0;
    return (rp_emitter_spec){.nozzle = round ? RP_NOZZLE_DISC : RP_NOZZLE_RECTANGLE,
                             .radius = def->radius,
                             .width = def->width,
                             .height = def->height,
                             .position = rp_v3_from(def->position),
                             .direction = rp_v3_normalized(rp_v3_from(def->direction)),
                             .speed = def->speed,
                             .rate = def->rate,
                             .start = def->start,
                             .stop = def->stop,
                             .material = def->material,
                             .moisture = def->moisture,
                             .clearance = def->clearance};
}

static rp_code check_def(const rp_world *world, rp_emitter_spec *spec, char *name,
                         rp_report *report)
{
    if (!(world->type->capabilities & RP_CAN_EMIT))
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "solver method '%s' cannot do emitters",
                       world->type->name);
    spec->name = name;
    RP_TRY(rp_stream_check(world->scene, spec, report));
    return rp_stream_check_step(world->scene, spec, report);
}

static rp_code check_name(const rp_world *world, const char *name, rp_report *report)
{
    if (strlen(name) >= RP_STREAM_NAME || !*name)
        return rp_fail(report, RP_ERROR_INPUT,
                       "the name of an emitter has 1 to %d bytes; '%.80s' has %zu",
                       RP_STREAM_NAME - 1, name, strlen(name));
    if (strcmp(name, RP_STREAM_ADDED) != 0 && rp_world_find_emitter(world, name) >= 0)
        return rp_fail(report, RP_ERROR_INPUT, "the world has an emitter '%s' already", name);
    return RP_OK;
}

void rp_streams_name(rp_world *world)
{
    for (size_t i = 0; i < world->stream_count; i++)
        world->streams[i].spec.name = world->streams[i].name;
}

rp_code rp_world_add_emitter(rp_world *world, const rp_emitter_def *def, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(def, report);
    RP_ENTER();
    rp_emitter_def own = rp_default_emitter();
    RP_TAKE_OPTIONS(&own, def, report);
    rp_emitter_spec spec = spec_of(&own);
    rp_stream stream = {.off = !own.on};
    const char *name = own.name ? own.name : RP_STREAM_ADDED;
    RP_TRY(check_name(world, name, report));
    strcpy(stream.name, name);
    spec.start = fmax(spec.start, world->time);
    RP_TRY(check_def(world, &spec, stream.name, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    bool fits = rp_reserve((void **)&world->streams, &world->stream_capacity, world->stream_count,
                           world->stream_count + 1, sizeof *world->streams);
    rp_budget_enter(before);
    if (!fits) return rp_fail_memory(report, sizeof *world->streams, "emitters");
    stream.spec = spec;
    stream.since = spec.start;
    world->streams[world->stream_count++] = stream;
    rp_streams_name(world);
    return RP_OK;
}

int rp_world_emitter_count(const rp_world *world)
{
    return world ? (int)world->stream_count : 0;
}

int rp_world_find_emitter(const rp_world *world, const char *name)
{
    for (size_t i = 0; world && name && i < world->stream_count; i++)
        if (strcmp(world->streams[i].name, name) == 0) return (int)i;
    return -1;
}

static rp_code check_emitter(const rp_world *world, int emitter, rp_report *report)
{
    if (emitter >= 0 && (size_t)emitter < world->stream_count) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "emitter %d: the world has %zu", emitter,
                   world->stream_count);
}

static void store_vec3(double to[3], rp_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

rp_code rp_world_emitter(const rp_world *world, int emitter, rp_emitter_def *def, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(def, report);
    RP_TRY(check_emitter(world, emitter, report));
    const rp_stream *stream = &world->streams[emitter];
    const rp_emitter_spec *spec = &stream->spec;
    bool round = spec->nozzle == RP_NOZZLE_DISC;
    rp_emitter_def now = rp_default_emitter(), known = now;
    RP_TAKE_OPTIONS(&known, def, report);
    now = (rp_emitter_def){.size = def->size,
                           .radius = spec->radius,
                           .width = round ? 0 : spec->width,
                           .height = round ? 0 : spec->height,
                           .speed = spec->speed,
                           .rate = spec->rate,
                           .start = spec->start,
                           .stop = spec->stop,
                           .material = spec->material,
                           .moisture = spec->moisture,
                           .clearance = spec->clearance,
                           .name = stream->name,
                           .on = !stream->off};
    store_vec3(now.position, spec->position);
    store_vec3(now.direction, spec->direction);
    rp_options_give(def, def->size, &now, sizeof now);
    return RP_OK;
}

rp_code rp_world_set_emitter(rp_world *world, int emitter, const rp_emitter_def *def,
                             rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(def, report);
    RP_ENTER();
    rp_emitter_def own = rp_default_emitter();
    RP_TAKE_OPTIONS(&own, def, report);
    RP_TRY(check_emitter(world, emitter, report));
    rp_stream *stream = &world->streams[emitter];
    rp_emitter_spec spec = spec_of(&own);
    RP_TRY(check_def(world, &spec, stream->name, report));
    rebase(world->scene, stream, &spec, !own.on, world->time);
    return RP_OK;
}

rp_code rp_world_switch_emitter(rp_world *world, int emitter, bool on, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_emitter(world, emitter, report));
    rp_stream *stream = &world->streams[emitter];
    const rp_emitter_spec spec = stream->spec;
    if (stream->off == on) rebase(world->scene, stream, &spec, !on, world->time);
    return RP_OK;
}
