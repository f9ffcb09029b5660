/* Emitters: nozzles that grains leave layer by layer (W5), on a lattice or cut from the relaxed
 * packing (W16); docs/theory/world.md. The host program may change them while a world runs. */
#include "base/random.h"
#include "base/report.h"
#include "packing/packing.h"
#include "packing/packing_tile.h"
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

/* Largest number of grains of a layer. */
#define LAYER_MAX 1e8
#define GOLDEN 0.61803398874989485
/* The packing moves sideways by this much from layer to layer, in spacings: so little that grains
 * of neighboring layers keep their distance. */
#define LAYER_DRIFT 0.02

/* True when a point of the nozzle's plane, given from its centre, lies in the opening. */
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

double rp_emitter_full_rate(const rp_scene *scene, const rp_emitter_spec *spec)
{
    double spacing = scene->particles.spacing, places = nozzle_area(spec) * spec->speed;
    if (!rp_world_resolves_grains(scene))
        return places * rp_scene_materials(scene)[spec->material].density;
    double mass = rp_grain_mean_mass(scene, true, spec->material);
    return places * mass / (spacing * spacing * spacing);
}

/* Checks ranges for emitters that programs add; those of a scene were checked when it was read. */
static bool is_valid(const rp_scene *scene, const rp_emitter_spec *s)
{
    double size = s->nozzle == RP_NOZZLE_DISC ? s->radius : fmin(s->width, s->height);
    double place = rp_v3_length(s->position), distance = rp_v3_length(s->direction);
    double layer = nozzle_area(s) / (scene->particles.spacing * scene->particles.spacing);
    return size > 0 && layer <= LAYER_MAX && isfinite(place) && fabs(distance - 1) < 1e-6 &&
           s->speed > 0 && isfinite(s->speed) && s->rate >= 0 && isfinite(s->start) &&
           s->stop > s->start && s->material >= 0 && s->material < scene->materials.count &&
           s->moisture >= 0 && s->moisture <= 1 && s->clearance >= 0 && isfinite(s->clearance);
}

/* True when the centre of the nozzle, or an end of its two axes, is behind a wall. */
static bool nozzle_is_behind_wall(const rp_scene *scene, const rp_emitter_spec *spec)
{
    rp_vec3 u = rp_v3_perpendicular(spec->direction), v = rp_v3_cross(spec->direction, u);
    double reach_u = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->width / 2;
    double reach_v = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->height / 2;
    const rp_vec3 ends[] = {spec->position, rp_v3_madd(spec->position, reach_u, u),
                            rp_v3_madd(spec->position, -reach_u, u),
                            rp_v3_madd(spec->position, reach_v, v),
                            rp_v3_madd(spec->position, -reach_v, v)};
    for (int i = 0; i < 5; i++)
        if (rp_world_domain_is_behind_wall(&scene->domain, ends[i], 0)) return true;
    return false;
}

static rp_code fail_emitter(const rp_emitter_spec *spec, rp_report *report, const char *what)
{
    char key[128];
    snprintf(key, sizeof key, "emitters.%s", spec->name);
    return rp_fail_at(report, RP_ERROR_INPUT, NULL, key, "%s", what);
}

static bool fits_lattice(const rp_scene *scene, int material)
{
    rp_grain_split split = rp_grain_split_of(scene, material);
    return split.spacing <= scene->particles.spacing && !(split.large > 0);
}

rp_code rp_emitter_check(const rp_scene *scene, const rp_emitter_spec *spec, rp_report *report)
{
    char what[256];
    if (!is_valid(scene, spec))
        return fail_emitter(
            spec, report,
            "needs a finite position, a direction, a nozzle of at most 1e8 grains, "
            "speed > 0, rate >= 0, stop > start, a material of the scene, a moisture "
            "from 0 to 1 and a clearance >= 0");
    if (nozzle_is_behind_wall(scene, spec))
        return fail_emitter(
            spec, report,
            "the nozzle lies or reaches behind a wall of the domain; move it, make it "
            "smaller, or widen or open the domain");
    if (rp_world_resolves_grains(scene) && !fits_lattice(scene, spec->material)) {
        snprintf(what, sizeof what,
                 "some grains of its material do not fit a site of its lattice, which a "
                 "particles.spacing of %.4g m makes %.4g m wide; raise it, or let a source make "
                 "the large ones",
                 scene->particles.spacing, rp_grain_max_diameter(scene));
        return fail_emitter(spec, report, what);
    }
    double full = rp_emitter_full_rate(scene, spec);
    if (spec->rate <= full * (1 + 1e-9)) return RP_OK;
    snprintf(what, sizeof what,
             "a rate of %.6g kg/s is more than its nozzle passes at %.6g m/s, %.6g kg/s; widen the "
             "nozzle or raise the speed",
             spec->rate, spec->speed, full);
    return fail_emitter(spec, report, what);
}

/* Returns the time from one layer to the next, s: that in which grains move by a spacing. */
static double layer_interval(const rp_scene *scene, const rp_emitter_spec *spec)
{
    return scene->particles.spacing / spec->speed;
}

/* Returns the fraction of a layer's sites that hold a grain. */
static double layer_share(const rp_scene *scene, const rp_emitter_spec *spec)
{
    return spec->rate > 0 ? spec->rate / rp_emitter_full_rate(scene, spec) : 1;
}

/* Returns when a layer leaves the nozzle, s. */
static double due_time(const rp_scene *scene, const rp_emitter_state *emitter, uint64_t layer)
{
    double layers = (double)layer - (double)emitter->first_layer;
    return emitter->since + layer_interval(scene, &emitter->spec) * layers;
}

bool rp_emitter_is_at(const rp_scene *scene, const rp_emitter_state *emitter, double time,
                      double dt)
{
    const rp_emitter_spec *spec = &emitter->spec;
    double interval = layer_interval(scene, spec);
    double layers = (fmin(time, spec->stop) - emitter->since) / interval;
    double slack = 2 + 1e-6 * fabs(layers);
    double made = (double)emitter->next_layer - (double)emitter->first_layer;
    if (!(made >= 0) || made > fmax(layers, 0) + slack) return false;
    return emitter->off || made >= layers - slack - dt / interval;
}

double rp_emitter_next_event(const rp_emitter_state *emitter, double time)
{
    return !emitter->off && emitter->since > time ? emitter->since : INFINITY;
}

/* Applies a change: from now on layers are counted at the new speed. The next one leaves a spacing
 * behind the last one, or at once where that is past. */
static void restart_layers(const rp_scene *scene, rp_emitter_state *emitter,
                           const rp_emitter_spec *to, bool off, double time)
{
    double next = fmax(time, to->start);
    if (!emitter->off && emitter->next_layer > emitter->first_layer) {
        double last = due_time(scene, emitter, emitter->next_layer - 1);
        next = fmax(next, last + layer_interval(scene, to));
    } else if (emitter->next_layer > 0) { /* changed again before its next layer */
        next = fmax(next, fmin(emitter->since, time + layer_interval(scene, to)));
    }
    emitter->spec = *to;
    emitter->off = off;
    emitter->since = next;
    emitter->first_layer = emitter->next_layer;
}

/* True when a body blocks the straight path of a grain from the nozzle to its present position.
 * Sphere tracing: each step goes as far as the distance to the nearest body allows. */
static bool is_blocked(const rp_world *world, rp_vec3 from, rp_vec3 direction, double distance)
{
    double clearance = rp_scene_clearance(world->scene);
    double least =
        fmax(world->scene->particles.spacing / 10, distance / 1000); /* so that it ends */
    for (double done = 0;;) {
        rp_vec3 at =
            rp_world_domain_wrapped(&world->scene->domain, rp_v3_madd(from, done, direction));
        double gap = rp_world_distance_to_bodies(world, at) - clearance;
        if (gap < 0) return true;
        if (done >= distance) return false;
        done = fmin(distance, done + fmax(gap, least));
    }
}

/* A layer of sites over the opening, in spacings. */
typedef struct layer {
    double across[2]; /* shift of its lattice along both axes of the nozzle's plane */
    double phase;     /* where its sequence of multiples of the golden ratio begins */
    bool relaxed;
    int64_t first[3]; /* site of the packing at its centre */
} layer;

/* Returns a layer, a function of the seed, the emitter and the number alone. Layers on a lattice
 * have a random shift, so that their rows do not line up. Relaxed layers are cut one after another
 * from the packing, which slides through the nozzle and slightly sideways: in the long run its
 * sites cover the opening evenly, so that the mean rate is exact. */
static layer layer_at(const rp_world *world, const rp_emitter_state *emitter, uint64_t number)
{
    uint64_t seed = (uint64_t)world->scene->seed, index = (uint64_t)(emitter - world->emitters);
    rp_random4 random = rp_random(seed, RP_RANDOM_EMITTER, index << 40 | number);
    layer l = {.across = {(double)rp_random_unit(random.bits[0]) - 0.5,
                          (double)rp_random_unit(random.bits[1]) - 0.5},
               .phase = rp_random_unit(random.bits[2]),
               .relaxed = rp_scene_packing_is_relaxed(world->scene)};
    if (!l.relaxed) return l;
    random = rp_random(seed, RP_RANDOM_PACKING, (uint64_t)1 << 32 | index);
    const double drift[2] = {LAYER_DRIFT, LAYER_DRIFT * GOLDEN};
    for (int a = 0; a < 2; a++) {
        double shift = (double)rp_random_unit(random.bits[a]) + drift[a] * (double)number;
        double whole = floor(shift + 0.5);
        l.across[a] = shift - whole;
        l.first[a] = -(int64_t)whole;
    }
    l.first[2] = (int64_t)(random.bits[2] >> 16) - (int64_t)number; /* later layers lie behind */
    return l;
}

/* Returns the position of a site, in spacings: x and y in the plane of the nozzle, z ahead of it
 * and never behind. */
static rp_vec3 layer_site(const layer *l, double i, double j)
{
    rp_vec3 at = rp_v3(i + l->across[0], j + l->across[1], 0);
    if (!l->relaxed) return at;
    rp_vec3 shift =
        rp_packing_shift(l->first[0] + (int64_t)i, l->first[1] + (int64_t)j, l->first[2]);
    return rp_v3_add(at, rp_v3_add(shift, rp_v3(0, 0, RP_TILE_REACH)));
}

/* Returns how far ahead of the nozzle grains may appear, m. */
static double layer_reach(const rp_scene *scene)
{
    return rp_scene_packing_is_relaxed(scene) ? 2 * RP_TILE_REACH * scene->particles.spacing : 0;
}

/* Collects the positions of one layer, whose grains have travelled `distance` since they left. At a
 * rate below that of a full nozzle some sites stay empty: those where the multiple of the golden
 * ratio (modulo 1) is above the share, which spreads the grains evenly and keeps their number.
 * Grains that a body, a wall or a large grain blocks are lost. */
static rp_code pour_layer(const rp_world *world, const rp_emitter_state *emitter, uint64_t number,
                          double distance, const rp_large_spheres *spheres, rp_position_list *b,
                          rp_report *report)
{
    const rp_emitter_spec *spec = &emitter->spec;
    double spacing = world->scene->particles.spacing;
    layer l = layer_at(world, emitter, number);
    rp_vec3 u = rp_v3_perpendicular(spec->direction), v = rp_v3_cross(spec->direction, u);
    double reach_u = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->width / 2;
    double reach_v = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->height / 2;
    double nu = ceil(reach_u / spacing) + 1, nv = ceil(reach_v / spacing) + 1;
    double share = layer_share(world->scene, spec), phase = l.phase;
    for (double j = -nv; j <= nv; j++)
        for (double i = -nu; i <= nu; i++) {
            /* Inside the opening, and among those that hold a grain? */
            rp_vec3 place = rp_v3_scale(layer_site(&l, i, j), spacing);
            if (!in_nozzle(spec, place.x, place.y)) continue;
            phase += GOLDEN;
            phase -= floor(phase);
            if (phase >= share) continue;
            /* From the nozzle to the present position, with nothing in between? */
            rp_vec3 from = rp_v3_madd(rp_v3_madd(spec->position, place.x, u), place.y, v);
            rp_vec3 to = rp_v3_madd(from, distance + place.z, spec->direction);
            if (rp_world_domain_is_behind_wall(&world->scene->domain, to,
                                               rp_scene_clearance(world->scene)))
                continue;
            if (rp_large_spheres_distance(spheres, to, spacing) <
                rp_large_spheres_clearance(world->scene, spacing))
                continue;
            if (is_blocked(world, from, spec->direction, distance + place.z)) continue;
            if (!rp_position_list_add(b, to))
                return rp_fail_memory(report, sizeof from, "an emitter");
        }
    return RP_OK;
}

typedef struct nozzle_frame {
    const rp_world *world;
    const rp_emitter_spec *spec;
    rp_vec3 u, v; /* axes of the nozzle's plane */
} nozzle_frame;

/* Returns minus the distance from the nozzle to the nearest sand in front of it, for a maximum over
 * all grains. Grains that still move at half the emitter's speed belong to its own jet; grains
 * further behind the nozzle than its clearance do not count. */
static double negative_distance(void *context, rp_range range)
{
    const nozzle_frame *s = context;
    const rp_grains *p = &s->world->grains;
    const rp_emitter_spec *spec = s->spec;
    double nearest = INFINITY;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_vec3 from = rp_v3_sub(rp_v3(p->x[i], p->y[i], p->z[i]), spec->position);
        double distance = rp_v3_dot(from, spec->direction);
        if (distance >= nearest || distance < -spec->clearance) continue;
        if (!in_nozzle(spec, rp_v3_dot(from, s->u), rp_v3_dot(from, s->v))) continue;
        rp_vec3 velocity = rp_v3(p->vx[i], p->vy[i], p->vz[i]);
        if (rp_v3_dot(velocity, spec->direction) < spec->speed / 2) nearest = distance;
    }
    return -nearest;
}

/* Moves a nozzle with a clearance back from sand that has come nearer, but not through walls. */
static void retract_nozzle(const rp_world *world, rp_emitter_spec *spec)
{
    size_t count = world->grains.count;
    if (!(spec->clearance > 0) || !count) return;
    nozzle_frame s = {world, spec, rp_v3_perpendicular(spec->direction), {0, 0, 0}};
    s.v = rp_v3_cross(spec->direction, s.u);
    double distance = -rp_reduce_max(&world->grains, world->threads, 4096, negative_distance, &s);
    double room = fmax(spec->clearance, layer_reach(world->scene));
    double back = room + world->scene->particles.spacing / 2 - distance;
    rp_emitter_spec moved = *spec;
    moved.position = rp_v3_madd(spec->position, -back, spec->direction);
    if (back > 0 && !nozzle_is_behind_wall(world->scene, &moved)) spec->position = moved.position;
}

/* Emits all layers that are due by now; each has travelled since its own time. */
rp_code rp_emitter_emit(rp_world *world, rp_emitter_state *emitter, rp_report *report)
{
    rp_emitter_spec *spec = &emitter->spec;
    rp_position_list *b = &world->layer;
    b->count = 0;
    if (emitter->off || due_time(world->scene, emitter, emitter->next_layer) > world->time)
        return RP_OK;
    rp_large_spheres spheres;
    rp_code code = rp_large_spheres_collect(&spheres, world, report);
    for (;;) {
        double due = due_time(world->scene, emitter, emitter->next_layer);
        if (due > world->time || due >= spec->stop || code != RP_OK) break;
        if (rp_is_stopped(&world->stop)) {
            rp_large_spheres_end(&spheres);
            return RP_INTERRUPTED;
        }
        if (!b->count) retract_nozzle(world, spec);
        code = pour_layer(world, emitter, emitter->next_layer, spec->speed * (world->time - due),
                          &spheres, b, report);
        if (code == RP_OK && (double)(world->grains.count + b->count) > world->most_grains)
            code =
                rp_fail(report, RP_ERROR_MEMORY,
                        "at %.6g s emitter '%s' makes more than the %.4g grains that memory holds",
                        world->time, spec->name, world->most_grains);
        emitter->next_layer++;
    }
    rp_large_spheres_end(&spheres);
    size_t first = 0;
    rp_grain_split split = rp_grain_split_of(world->scene, spec->material);
    rp_grain_template of = {spec->material, spec->moisture, &split, false};
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
    RP_TRY(rp_emitter_check(world->scene, spec, report));
    return rp_emitter_check_step(world->scene, spec, report);
}

static rp_code check_name(const rp_world *world, const char *name, rp_report *report)
{
    if (strlen(name) >= RP_EMITTER_NAME || !*name)
        return rp_fail(report, RP_ERROR_INPUT,
                       "the name of an emitter has 1 to %d bytes; '%.80s' has %zu",
                       RP_EMITTER_NAME - 1, name, strlen(name));
    if (strcmp(name, RP_EMITTER_ADDED) != 0 && rp_world_find_emitter(world, name) >= 0)
        return rp_fail(report, RP_ERROR_INPUT, "the world has an emitter '%s' already", name);
    return RP_OK;
}

void rp_emitters_name(rp_world *world)
{
    for (size_t i = 0; i < world->emitter_count; i++)
        world->emitters[i].spec.name = world->emitters[i].name;
}

rp_code rp_world_add_emitter(rp_world *world, const rp_emitter_def *def, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(def, report);
    RP_ENTER();
    rp_emitter_def own = rp_default_emitter();
    RP_TAKE_OPTIONS(&own, def, report);
    rp_emitter_spec spec = spec_of(&own);
    rp_emitter_state emitter = {.off = !own.on};
    const char *name = own.name ? own.name : RP_EMITTER_ADDED;
    RP_TRY(check_name(world, name, report));
    strcpy(emitter.name, name);
    spec.start = fmax(spec.start, world->time);
    RP_TRY(check_def(world, &spec, emitter.name, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    bool fits = rp_reserve((void **)&world->emitters, &world->emitter_capacity,
                           world->emitter_count, world->emitter_count + 1, sizeof *world->emitters);
    rp_budget_enter(before);
    if (!fits) return rp_fail_memory(report, sizeof *world->emitters, "emitters");
    emitter.spec = spec;
    emitter.since = spec.start;
    world->emitters[world->emitter_count++] = emitter;
    rp_emitters_name(world);
    return RP_OK;
}

int rp_world_emitter_count(const rp_world *world)
{
    return world ? (int)world->emitter_count : 0;
}

int rp_world_find_emitter(const rp_world *world, const char *name)
{
    for (size_t i = 0; world && name && i < world->emitter_count; i++)
        if (strcmp(world->emitters[i].name, name) == 0) return (int)i;
    return -1;
}

static rp_code check_emitter(const rp_world *world, int emitter, rp_report *report)
{
    if (emitter >= 0 && (size_t)emitter < world->emitter_count) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "emitter %d: the world has %zu", emitter,
                   world->emitter_count);
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
    const rp_emitter_state *state = &world->emitters[emitter];
    const rp_emitter_spec *spec = &state->spec;
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
                           .name = state->name,
                           .on = !state->off};
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
    rp_emitter_state *state = &world->emitters[emitter];
    rp_emitter_spec spec = spec_of(&own);
    RP_TRY(check_def(world, &spec, state->name, report));
    restart_layers(world->scene, state, &spec, !own.on, world->time);
    return RP_OK;
}

rp_code rp_world_switch_emitter(rp_world *world, int emitter, bool on, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(check_emitter(world, emitter, report));
    rp_emitter_state *state = &world->emitters[emitter];
    const rp_emitter_spec spec = state->spec;
    if (state->off == on) restart_layers(world->scene, state, &spec, !on, world->time);
    return RP_OK;
}
