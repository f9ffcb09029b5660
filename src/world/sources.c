/* Grains that appear: shapes filled place by place (W4), and streams that pour layer by layer (W5),
 * on a lattice or packed without order (W16); docs/theory/world.md. */
#include "base/entry.h"
#include "base/log.h"
#include "base/options.h"
#include "base/random.h"
#include "base/report.h"
#include "world/large.h"
#include "world/packing.h"
#include "world/packing_tile.h"

#include <stdio.h>

/* Grains that leave a nozzle side by side, at most. */
#define LAYER_MAX 1e8
/* A period of fewer places is too narrow for a packing to go on across it. */
#define NARROWEST 6
#define GOLDEN 0.61803398874989485
/* How far a relaxed stream moves sideways from layer to layer, in spacings: so little that grains
 * of neighbouring layers stay as far apart. */
#define DRIFT 0.02
/* How far large grains are looked for around a place, in spacings. */
#define STONE_NEAR 2

static bool batch_add(rp_batch *b, rp_vec3 position)
{
    if (!rp_reserve((void **)&b->positions, &b->capacity, b->count, b->count + 1,
                    sizeof *b->positions))
        return false;
    b->positions[b->count++] = position;
    return true;
}

void rp_batch_end(rp_batch *b)
{
    rp_release(b->positions, b->capacity * sizeof *b->positions);
}

/* A shift of at most half `jitter` spacings along each axis, the grain's own for life. */
static rp_vec3 jitter_of(const rp_scene *scene, double spacing, uint32_t id)
{
    rp_random4 random = rp_random((uint64_t)scene->seed, RP_RANDOM_JITTER, id);
    double reach = scene->particles.jitter * spacing;
    return rp_v3(reach * ((double)rp_random_unit(random.bits[0]) - 0.5),
                 reach * ((double)rp_random_unit(random.bits[1]) - 0.5),
                 reach * ((double)rp_random_unit(random.bits[2]) - 0.5));
}

/* The place inside the period; elsewhere as it is. */
static rp_vec3 wrapped(const rp_domain_spec *domain, rp_vec3 at)
{
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    if (domain->periodic & 1) at.x -= length.x * floor((at.x - domain->low.x) / length.x);
    if (domain->periodic & 2) at.y -= length.y * floor((at.y - domain->low.y) / length.y);
    if (domain->periodic & 4) at.z -= length.z * floor((at.z - domain->low.z) / length.z);
    return at;
}

/* Behind a wall, or nearer to one than `clearance`: a side that is neither open nor periodic. */
static bool is_walled_off(const rp_domain_spec *domain, rp_vec3 at, double clearance)
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    const double place[3] = {at.x, at.y, at.z};
    for (int axis = 0; axis < 3; axis++) {
        if (domain->periodic >> axis & 1) continue;
        if (place[axis] < low[axis] + clearance && !(domain->open >> (2 * axis) & 1)) return true;
        if (place[axis] > high[axis] - clearance && !(domain->open >> (2 * axis + 1) & 1))
            return true;
    }
    return false;
}

rp_vec3 rp_domain_wrapped(const rp_domain_spec *domain, rp_vec3 at)
{
    return wrapped(domain, at);
}

bool rp_domain_walls_off(const rp_domain_spec *domain, rp_vec3 at, double clearance)
{
    return is_walled_off(domain, at, clearance);
}

/* What grains are made of, and which they are: those that fit the lattice, or the large ones. */
typedef struct stuff {
    int material;
    double moisture;
    const rp_grain_split *split;
    bool large;
} stuff;

/* Kind, size, mass and orientation of a single grain. */
static void set_shape(rp_grains *p, const rp_scene *scene, size_t i, const stuff *of)
{
    rp_grain grain;
    int material = of->material;
    rp_grain_draw_part(scene, of->split, of->large, material, p->id[i], &grain);
    const double turn[4] = {grain.turn.w, grain.turn.x, grain.turn.y, grain.turn.z};
    p->kind[i] = (uint8_t)grain.kind;
    p->diameter[i] = (float)grain.diameter;
    p->mass[i] = (float)grain.mass;
    p->density[i] = (float)rp_scene_materials(scene)[material].grain_density;
    for (int k = 0; k < 4 && p->turn[0]; k++)
        p->turn[k][i] = (float)turn[k];
}

static void set_grain(rp_world *world, size_t i, rp_vec3 position, rp_vec3 velocity,
                      const stuff *of)
{
    rp_grains *p = &world->grains;
    const rp_scene *scene = world->scene;
    int material = of->material;
    position = wrapped(&scene->domain, position);
    p->x[i] = (float)position.x;
    p->y[i] = (float)position.y;
    p->z[i] = (float)position.z;
    p->vx[i] = (float)velocity.x;
    p->vy[i] = (float)velocity.y;
    p->vz[i] = (float)velocity.z;
    p->mass[i] = (float)rp_grain_mean_mass(scene, false, material);
    p->density[i] = (float)rp_scene_materials(scene)[material].density;
    p->material[i] = (uint8_t)material;
    p->moisture[i] = (float)of->moisture;
    if (p->kind) set_shape(p, scene, i, of);
}

/* A lattice that stands on a floor is just as far from it, so rounding must not count. */
static double clearance_of(double spacing)
{
    return spacing * (0.5 - 1e-6);
}

double rp_scene_clearance(const rp_scene *scene)
{
    return clearance_of(scene->particles.spacing);
}

rp_sampling rp_source_sampling(const rp_source_spec *source, double spacing, double most)
{
    rp_box3 box = rp_shape_bounds(&source->shape);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    double step = fmax(spacing, cbrt(size.x * size.y * size.z / most));
    /* Centred: what is left over at the sides is the same on both. */
    rp_vec3 count = rp_v3(floor(size.x / step + 1e-6), floor(size.y / step + 1e-6),
                          floor(size.z / step + 1e-6));
    if (!(count.x > 0 && count.y > 0 && count.z > 0)) count = rp_v3(0, 0, 0);
    rp_vec3 middle = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    rp_vec3 first = rp_v3_madd(middle, -0.5 * step, rp_v3_sub(count, rp_v3(1, 1, 1)));
    return (rp_sampling){.step = step, .first = first, .count = count};
}

/* And from large grains: those of a lattice may be shifted towards their corners, further than
 * their own place goes. */
static double clearance_of_stones(const rp_scene *scene, double spacing)
{
    return spacing * (0.5 + 0.37 * scene->particles.jitter);
}

/* A source in the making. */
typedef struct filling {
    const rp_world *world;
    const rp_source_spec *source;
    rp_grain_split split;
    double spacing;   /* m, of its lattice */
    rp_stones stones; /* large grains that are there already */
    rp_vec3 first;    /* m, the first place of its lattice, in the shape's frame */
    rp_batch batch;
    rp_lattice lattice; /* which places they are, for a relaxed packing */
    size_t taken;       /* places that bodies take up */
    bool relaxed;       /* else grains are on the lattice still */
} filling;

/* What becomes of a place of the lattice, and how far around it all places share its lot: distances
 * change by no more than the way that one goes. */
typedef struct lot {
    enum { OUTSIDE, FREE, IN_VOID, IN_BODY, IN_STONE } kind;
    double reach; /* m */
} lot;

static lot lot_of(const filling *f, rp_vec3 local)
{
    const rp_world *world = f->world;
    const rp_source_spec *source = f->source;
    double outside = rp_shape_distance(&source->shape, local, NULL);
    if (outside > 0) return (lot){OUTSIDE, outside};
    rp_vec3 point = rp_pose_to_world(source->pose, local);
    double clearance = clearance_of(f->spacing);
    double hole = rp_world_gap_to_voids(world, point) - clearance;
    if (hole < 0) return (lot){IN_VOID, fmin(-outside, -hole)};
    double body = rp_world_gap_to_bodies(world, wrapped(&world->scene->domain, point)) - clearance;
    if (body < 0) return (lot){IN_BODY, fmin(fmin(-outside, hole), -body)};
    double clear = clearance_of_stones(world->scene, f->spacing);
    double stone = rp_stones_gap(&f->stones, point, clear + STONE_NEAR * f->spacing) - clear;
    if (stone < 0) return (lot){IN_STONE, fmin(fmin(-outside, hole), fmin(body, -stone))};
    if (!f->stones.count) stone = INFINITY;
    return (lot){FREE, fmin(fmin(-outside, stone), fmin(hole, body))};
}
static bool is_relaxed(const rp_scene *scene)
{
    return scene->particles.packing == RP_PACKING_RELAXED && scene->particles.jitter > 0;
}

static bool add_place(filling *f, double number, rp_vec3 local, double reach)
{
    double spacing = f->spacing;
    if (!batch_add(&f->batch, rp_pose_to_world(f->source->pose, local))) return false;
    return !is_relaxed(f->world->scene) ||
           rp_lattice_add(&f->lattice, (int32_t)number, reach / spacing);
}

/* A row of `count` places along x. */
static rp_code fill_row(filling *f, rp_vec3 first, double count, rp_report *report)
{
    double spacing = f->spacing, known = 0; /* places judged already */
    double judged = 0;
    lot now = {OUTSIDE, 0};
    for (double i = 0; i < count; i++) {
        rp_vec3 local = rp_v3_madd(first, spacing, rp_v3(i, 0, 0));
        if (i >= known) {
            now = lot_of(f, local);
            known = i + 1 + floor(now.reach / spacing * (1 - 1e-9));
            judged = i;
        }
        f->taken += now.kind == IN_BODY;
        if (now.kind == FREE && !add_place(f, i, local, now.reach - (i - judged) * spacing))
            return rp_fail_memory(report, f->batch.count * sizeof(rp_vec3), f->source->name);
    }
    return RP_OK;
}

/* A source that spans a period goes on across it. */
static void set_periods(filling *f, rp_vec3 count)
{
    const rp_domain_spec *domain = &f->world->scene->domain;
    double spacing = f->spacing;
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    const double counts[3] = {count.x, count.y, count.z};
    const double lengths[3] = {length.x, length.y, length.z};
    const rp_quat turn = f->source->pose.orientation;
    if (turn.x != 0 || turn.y != 0 || turn.z != 0) return;
    for (int a = 0; a < 3; a++)
        if (domain->periodic >> a & 1 && counts[a] >= NARROWEST &&
            fabs(counts[a] * spacing - lengths[a]) < 1e-3 * spacing)
            f->lattice.period[a] = (int32_t)counts[a];
}

/* Lattice points in the shape's own frame, so that a box is filled evenly however it is turned. */
static rp_code fill_shape(filling *f, rp_report *report)
{
    rp_sampling places = rp_source_sampling(f->source, f->spacing, INFINITY);
    double spacing = places.step, nx = places.count.x, ny = places.count.y, nz = places.count.z;
    bool relaxed = is_relaxed(f->world->scene), made = true;
    f->first = places.first;
    set_periods(f, places.count);
    rp_code code = RP_OK;
    for (double k = 0; k < nz && code == RP_OK; k++) {
        made = !relaxed || rp_lattice_begin_layer(&f->lattice);
        for (double j = 0; j < ny && code == RP_OK && made; j++) {
            if (rp_is_stopped(&f->world->stop)) return RP_INTERRUPTED;
            made = !relaxed || rp_lattice_begin_row(&f->lattice, (int32_t)j);
            if (made) code = fill_row(f, rp_v3_madd(f->first, spacing, rp_v3(0, j, k)), nx, report);
        }
        if (!made) code = rp_fail_memory(report, sizeof(rp_lattice_row), f->source->name);
    }
    return code;
}

/* --- relaxed packings ------------------------------------------------------------------------- */

static bool is_free(void *context, const int32_t place[3], const float shift[3])
{
    const filling *f = context;
    rp_vec3 at = rp_v3((double)place[0] + (double)shift[0], (double)place[1] + (double)shift[1],
                       (double)place[2] + (double)shift[2]);
    rp_vec3 local = rp_v3_madd(f->first, f->spacing, at);
    return lot_of(f, local).kind == FREE;
}

/* Each source has a cut of its own through the packing. */
static void draw_origin(const filling *f, int32_t origin[3])
{
    const rp_scene *scene = f->world->scene;
    rp_random4 random = rp_random((uint64_t)scene->seed, RP_RANDOM_PACKING,
                                  (uint64_t)(f->source - rp_scene_sources(scene)));
    for (int a = 0; a < 3; a++)
        origin[a] = (int32_t)(random.bits[a] >> 16);
}

/* How near two grains may be, in spacings: what jitter leaves, and no less than is good for them.
 */
static double least_distance(const rp_scene *scene)
{
    return fmax(1 - scene->particles.jitter, 0.9);
}

/* Shifts the grains from the lattice to where the packing has them (W16). */
static rp_code relax_places(filling *f, rp_report *report)
{
    rp_batch *b = &f->batch;
    if (!is_relaxed(f->world->scene) || !b->count) return RP_OK;
    double spacing = f->spacing;
    float(*shifts)[3] = rp_allocate(b->count * sizeof *shifts);
    if (!shifts) return rp_fail_memory(report, b->count * sizeof *shifts, f->source->name);
    int32_t origin[3];
    draw_origin(f, origin);
    rp_code code = rp_packing_relax(&f->lattice, origin, least_distance(f->world->scene), is_free,
                                    f, shifts, &f->relaxed, report);
    for (size_t n = 0; n < b->count && f->relaxed; n++) {
        rp_vec3 shift = rp_v3((double)shifts[n][0], (double)shifts[n][1], (double)shifts[n][2]);
        b->positions[n] = rp_v3_madd(b->positions[n], spacing,
                                     rp_quat_rotate(f->source->pose.orientation, shift));
    }
    rp_release(shifts, b->count * sizeof *shifts);
    return code;
}

static rp_code check_places(const rp_world *world, const rp_source_spec *source, const rp_batch *b,
                            rp_report *report)
{
    size_t lost = 0, first = 0;
    for (size_t n = b->count; n-- > 0;)
        if (is_walled_off(&world->scene->domain, b->positions[n], 0)) {
            lost++;
            first = n;
        }
    if (!lost) return RP_OK;
    char key[128];
    rp_vec3 at = b->positions[first];
    snprintf(key, sizeof key, "sources.%s", source->name);
    return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                      "%zu of its %zu grains lie behind a wall of the domain, the first at "
                      "[%.4g, %.4g, %.4g] m; move it, or widen or open the domain",
                      lost, b->count, at.x, at.y, at.z);
}

/* With the large grains that are there by now. */
static rp_code begin_filling(filling *f, const rp_world *world, const rp_source_spec *source,
                             rp_report *report)
{
    *f = (filling){.world = world, .source = source};
    f->split = rp_grain_split_of(world->scene, source->material);
    f->spacing = f->split.spacing;
    return rp_stones_collect(&f->stones, world, report);
}

static void end_filling(filling *f)
{
    rp_lattice_end(&f->lattice);
    rp_batch_end(&f->batch);
    rp_stones_end(&f->stones);
}

static rp_vec3 velocity_at(const rp_source_spec *source, rp_vec3 position)
{
    rp_vec3 arm = rp_v3_sub(position, source->position);
    return rp_v3_add(source->velocity, rp_v3_cross(source->spin, arm));
}

/* --- large grains ----------------------------------------------------------------------------- */

/* Diameters, places and fates of large grains in the making. */
typedef struct large {
    double *diameters;
    rp_vec3 *positions;
    uint8_t *lost; /* of all grains of the table; the large ones come last */
} large;

static rp_code place_large(rp_world *world, filling *f, size_t count, size_t first, large *l,
                           rp_report *report)
{
    const rp_source_spec *source = f->source;
    rp_grains *p = &world->grains;
    stuff of = {source->material, source->moisture, &f->split, true};
    for (size_t n = 0; n < count; n++) {
        set_grain(world, first + n, source->position, source->velocity, &of);
        l->diameters[n] = (double)p->diameter[first + n];
    }
    rp_code code = rp_large_place(world, source, l->diameters, count, &f->stones, l->positions,
                                  l->lost + first, report);
    size_t lost = 0;
    for (size_t n = 0; n < count && code == RP_OK; n++) {
        lost += l->lost[first + n];
        set_grain(world, first + n, l->positions[n], velocity_at(source, l->positions[n]), &of);
    }
    if (code == RP_OK) rp_grains_remove(p, l->lost);
    if (code == RP_OK && lost)
        rp_log(RP_LOG_WARNING, "source '%s' has room for %zu of its %zu large grains", source->name,
               count - lost, count);
    return code;
}

/* As many as belong to the grains that the lattice has places for. */
static rp_code emit_large(rp_world *world, const rp_source_spec *source, rp_report *report)
{
    filling f;
    size_t first = 0, count = 0;
    rp_code code = begin_filling(&f, world, source, report);
    if (code == RP_OK && f.split.large > 0) code = fill_shape(&f, report);
    if (code == RP_OK && f.split.large > 0)
        count = rp_large_count(world->scene, &f.split, source->material, (double)f.batch.count);
    if (code == RP_OK && count) code = rp_grains_append(&world->grains, count, &first, report);
    if (code == RP_OK && count) {
        size_t all = world->grains.count;
        large l = {rp_allocate_zero(count * sizeof(double)),
                   rp_allocate_zero(count * sizeof(rp_vec3)), rp_allocate_zero(all)};
        code = l.diameters && l.positions && l.lost
                   ? place_large(world, &f, count, first, &l, report)
                   : rp_fail_memory(report, all + count * 32, source->name);
        if (l.diameters) rp_release(l.diameters, count * sizeof(double));
        if (l.positions) rp_release(l.positions, count * sizeof(rp_vec3));
        if (l.lost) rp_release(l.lost, all);
    }
    end_filling(&f);
    return code;
}

/* --- the lattice ------------------------------------------------------------------------------ */

static rp_code emit_source(rp_world *world, const rp_source_spec *source, rp_report *report)
{
    filling f;
    const rp_scene *scene = world->scene;
    size_t first = 0;
    rp_code code = begin_filling(&f, world, source, report);
    if (code == RP_OK) code = fill_shape(&f, report);
    const rp_batch *b = &f.batch;
    stuff of = {source->material, source->moisture, &f.split, false};
    if (code == RP_OK) code = check_places(world, source, b, report);
    if (code == RP_OK) code = relax_places(&f, report);
    if (code == RP_OK) code = rp_grains_append(&world->grains, b->count, &first, report);
    for (size_t n = 0; code == RP_OK && n < b->count; n++) {
        rp_vec3 shift =
            f.relaxed ? rp_v3(0, 0, 0) : jitter_of(scene, f.spacing, world->grains.id[first + n]);
        set_grain(world, first + n, rp_v3_add(b->positions[n], shift),
                  velocity_at(source, b->positions[n]), &of);
    }
    if (code == RP_OK && f.taken)
        rp_log(RP_LOG_INFO, "source '%s' leaves out %zu grains where bodies are", source->name,
               f.taken);
    if (code == RP_OK && b->count == 0)
        rp_log(RP_LOG_INFO,
               "source '%s' stays empty: it is smaller than a grain, or voids and bodies fill it",
               source->name);
    end_filling(&f);
    return code;
}

/* The source that is due and has the widest lattice, or NULL: finer ones fill what that leaves. */
static const rp_source_spec *next_source(const rp_world *world)
{
    const rp_source_spec *next = NULL;
    double widest = 0;
    for (int i = 0; i < world->scene->sources.count; i++) {
        const rp_source_spec *source = &rp_scene_sources(world->scene)[i];
        if (source->at > world->time || world->source_done[i]) continue;
        double spacing = rp_grain_split_of(world->scene, source->material).spacing;
        if (spacing <= widest) continue;
        widest = spacing;
        next = source;
    }
    return next;
}

/* All that are due: large grains first, which do not fit the lattices of the others (W17). */
static rp_code emit_sources(rp_world *world, rp_report *report)
{
    const rp_source_spec *sources = rp_scene_sources(world->scene), *source;
    bool resolved = rp_world_resolves_grains(world->scene);
    rp_code code = RP_OK;
    for (int i = 0; i < world->scene->sources.count && code == RP_OK && resolved; i++)
        if (sources[i].at <= world->time && !world->source_done[i])
            code = emit_large(world, &sources[i], report);
    while (code == RP_OK && (source = next_source(world))) {
        code = emit_source(world, source, report);
        world->source_done[source - sources] = 1;
    }
    return code;
}

/* --- streams ---------------------------------------------------------------------------------- */

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
    rp_vec3 u = rp_v3_across(spec->direction), v = rp_v3_cross(spec->direction, u);
    double reach_u = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->width / 2;
    double reach_v = spec->nozzle == RP_NOZZLE_DISC ? spec->radius : spec->height / 2;
    const rp_vec3 ends[] = {spec->position, rp_v3_madd(spec->position, reach_u, u),
                            rp_v3_madd(spec->position, -reach_u, u),
                            rp_v3_madd(spec->position, reach_v, v),
                            rp_v3_madd(spec->position, -reach_v, v)};
    for (int i = 0; i < 5; i++)
        if (is_walled_off(&scene->domain, ends[i], 0)) return true;
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

bool rp_stream_is_at(const rp_scene *scene, const rp_stream *stream, double time, double dt)
{
    const rp_emitter_spec *spec = &stream->spec;
    double interval = layer_interval(scene, spec);
    double layers = (fmin(time, spec->stop) - spec->start) / interval;
    double slack = 2 + 1e-6 * fabs(layers), made = (double)stream->next_layer;
    return made >= layers - slack - dt / interval && made <= fmax(layers, 0) + slack;
}

/* Whether a body stands in the way of a grain from its place in the nozzle to where it is by now.
 */
static bool is_barred(const rp_world *world, rp_vec3 from, rp_vec3 direction, double way)
{
    double clearance = rp_scene_clearance(world->scene);
    double least = fmax(world->scene->particles.spacing / 10, way / 1000); /* for an end at all */
    for (double done = 0;;) {
        rp_vec3 at = wrapped(&world->scene->domain, rp_v3_madd(from, done, direction));
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
               .relaxed = is_relaxed(world->scene)};
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
    return is_relaxed(scene) ? 2 * RP_TILE_REACH * scene->particles.spacing : 0;
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
    rp_vec3 u = rp_v3_across(spec->direction), v = rp_v3_cross(spec->direction, u);
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
            if (is_walled_off(&world->scene->domain, to, clearance_of(spacing))) continue;
            if (rp_stones_gap(stones, to, spacing) < clearance_of_stones(world->scene, spacing))
                continue;
            if (is_barred(world, from, spec->direction, way + place.z)) continue;
            if (!batch_add(b, to)) return rp_fail_memory(report, sizeof from, "an emitter");
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
    sand_before s = {world, spec, rp_v3_across(spec->direction), {0, 0, 0}};
    s.v = rp_v3_cross(spec->direction, s.u);
    double way = -rp_reduce_max(&world->grains, world->threads, 4096, nearness_of_range, &s);
    double room = fmax(spec->clearance, layer_reach(world->scene));
    double back = room + world->scene->particles.spacing / 2 - way;
    rp_emitter_spec moved = *spec;
    moved.position = rp_v3_madd(spec->position, -back, spec->direction);
    if (back > 0 && !nozzle_is_walled_off(world->scene, &moved)) spec->position = moved.position;
}

/* Layers that have left the nozzle by now; each has made its way since. */
static rp_code emit_stream(rp_world *world, rp_stream *stream, rp_report *report)
{
    rp_emitter_spec *spec = &stream->spec;
    double interval = layer_interval(world->scene, spec);
    rp_batch *b = &world->batch;
    b->count = 0;
    if (spec->start + interval * (double)stream->next_layer > world->time) return RP_OK;
    rp_stones stones;
    rp_code code = rp_stones_collect(&stones, world, report);
    for (;;) {
        double due = spec->start + interval * (double)stream->next_layer;
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
    stuff of = {spec->material, spec->moisture, &split, false};
    if (code == RP_OK && b->count)
        code = rp_grains_append(&world->grains, b->count, &first, report);
    for (size_t n = 0; code == RP_OK && n < b->count; n++)
        set_grain(world, first + n, b->positions[n], rp_v3_scale(spec->direction, spec->speed),
                  &of);
    return code;
}

rp_code rp_world_emit(rp_world *world, rp_report *report)
{
    rp_code code = emit_sources(world, report);
    for (size_t i = 0; i < world->stream_count && code == RP_OK; i++)
        code = emit_stream(world, &world->streams[i], report);
    return code;
}

double rp_world_next_event(const rp_world *world)
{
    double next = INFINITY;
    for (int i = 0; i < world->scene->sources.count; i++)
        if (!world->source_done[i]) next = fmin(next, rp_scene_sources(world->scene)[i].at);
    for (size_t i = 0; i < world->stream_count; i++)
        if (world->streams[i].spec.start > world->time)
            next = fmin(next, world->streams[i].spec.start);
    return fmin(next, rp_moisture_next_event(world));
}

rp_emitter_def rp_default_emitter(void)
{
    return (rp_emitter_def){.size = sizeof(rp_emitter_def),
                            .direction = {0, 0, -1},
                            .radius = 0.05,
                            .speed = 1,
                            .stop = INFINITY};
}

rp_code rp_world_add_emitter(rp_world *world, const rp_emitter_def *def, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(def, report);
    RP_ENTER();
    rp_emitter_def own = rp_default_emitter();
    RP_TAKE_OPTIONS(&own, def, report);
    def = &own;
    rp_vec3 direction = rp_v3(def->direction[0], def->direction[1], def->direction[2]);
    if (!(world->type->capabilities & RP_CAN_EMIT))
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "solver method '%s' cannot do emitters",
                       world->type->name);
    rp_emitter_spec spec = {.name = "added",
                            .nozzle = RP_NOZZLE_DISC,
                            .radius = def->radius,
                            .position = rp_v3(def->position[0], def->position[1], def->position[2]),
                            .direction = rp_v3_normal(direction),
                            .speed = def->speed,
                            .rate = def->rate,
                            .start = fmax(def->start, world->time),
                            .stop = def->stop,
                            .material = def->material,
                            .moisture = def->moisture,
                            .clearance = def->clearance};
    rp_code code = rp_stream_check(world->scene, &spec, report);
    if (code != RP_OK) return code;
    rp_budget *before = rp_budget_enter(&world->budget);
    bool fits = rp_reserve((void **)&world->streams, &world->stream_capacity, world->stream_count,
                           world->stream_count + 1, sizeof *world->streams);
    rp_budget_enter(before);
    if (!fits) return rp_fail_memory(report, sizeof *world->streams, "emitters");
    world->streams[world->stream_count++] = (rp_stream){.spec = spec};
    return RP_OK;
}
