/* Grains that appear: shapes filled place by place (W4), on a lattice or packed without order
 * (W16); docs/theory/world.md. Streams are in streams.c. */
#include "base/random.h"
#include "base/report.h"
#include "world/large.h"
#include "world/packing.h"

#include <stdio.h>

/* A period of fewer places is too narrow for a packing to go on across it. */
#define NARROWEST 6
/* How far large grains are looked for around a place, in spacings. */
#define STONE_NEAR 2

bool rp_batch_add(rp_batch *b, rp_vec3 position)
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
rp_vec3 rp_world_domain_wrapped(const rp_domain_spec *domain, rp_vec3 at)
{
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    if (domain->periodic & 1) at.x -= length.x * floor((at.x - domain->low.x) / length.x);
    if (domain->periodic & 2) at.y -= length.y * floor((at.y - domain->low.y) / length.y);
    if (domain->periodic & 4) at.z -= length.z * floor((at.z - domain->low.z) / length.z);
    return at;
}

/* Behind a wall, or nearer to one than `clearance`: a side that is neither open nor periodic. */
bool rp_world_domain_walls_off(const rp_domain_spec *domain, rp_vec3 at, double clearance)
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

/* Kind, size, mass and orientation of a single grain. */
static void set_shape(rp_grains *p, const rp_scene *scene, size_t i, const rp_stuff *of)
{
    rp_grain grain;
    int material = of->material;
    rp_grain_draw_part(scene, of->split, of->large, material, p->id[i], &grain);
    const double turn[4] = {grain.turn.w, grain.turn.x, grain.turn.y, grain.turn.z};
    p->kind[i] = (uint8_t)grain.kind;
    p->diameter[i] = (float)grain.diameter;
    p->mass[i] = (float)grain.mass;
    if (p->density) p->density[i] = (float)rp_scene_materials(scene)[material].grain_density;
    for (int k = 0; k < 4 && p->orientation[0]; k++)
        p->orientation[k][i] = (float)turn[k];
}

void rp_world_set_grain(rp_world *world, size_t i, rp_vec3 position, rp_vec3 velocity,
                        const rp_stuff *of)
{
    rp_grains *p = &world->grains;
    const rp_scene *scene = world->scene;
    int material = of->material;
    position = rp_world_domain_wrapped(&scene->domain, position);
    p->x[i] = (float)position.x;
    p->y[i] = (float)position.y;
    p->z[i] = (float)position.z;
    p->vx[i] = (float)velocity.x;
    p->vy[i] = (float)velocity.y;
    p->vz[i] = (float)velocity.z;
    p->mass[i] = (float)rp_grain_mean_mass(scene, false, material);
    if (p->density) p->density[i] = (float)rp_scene_materials(scene)[material].density;
    p->material[i] = (uint8_t)material;
    if (p->moisture) p->moisture[i] = (float)of->moisture;
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

rp_source_grid rp_source_sampling(const rp_source_spec *source, double spacing, double most)
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
    return (rp_source_grid){.step = step, .first = first, .count = count};
}

double rp_stones_clearance(const rp_scene *scene, double spacing)
{
    return spacing * (0.5 + 0.37 * scene->particles.jitter);
}

/* A source in the making. */
typedef struct filling {
    const rp_world *world;
    const rp_source_spec *source;
    uint64_t number;        /* of the source, for its cut through the packing */
    const rp_query *others; /* grains that are there already; NULL: no place is taken by any */
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

/* As far as the largest of the grains that are there reaches. */
static double gap_to_others(const filling *f, rp_vec3 point)
{
    const double at[3] = {point.x, point.y, point.z};
    double distance;
    rp_query_nearest(f->others, at, &distance);
    return distance - f->others->largest;
}

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
    double body =
        rp_world_gap_to_bodies(world, rp_world_domain_wrapped(&world->scene->domain, point)) -
        clearance;
    if (body < 0) return (lot){IN_BODY, fmin(fmin(-outside, hole), -body)};
    double clear = rp_stones_clearance(world->scene, f->spacing);
    double stone = rp_stones_gap(&f->stones, point, clear + STONE_NEAR * f->spacing) - clear;
    if (f->others) stone = fmin(stone, gap_to_others(f, point) - clear);
    if (stone < 0) return (lot){IN_STONE, fmin(fmin(-outside, hole), fmin(body, -stone))};
    if (!f->stones.count && !f->others) stone = INFINITY;
    return (lot){FREE, fmin(fmin(-outside, stone), fmin(hole, body))};
}

bool rp_scene_is_relaxed(const rp_scene *scene)
{
    return scene->particles.packing == RP_PACKING_RELAXED && scene->particles.jitter > 0;
}

static bool add_place(filling *f, double number, rp_vec3 local, double reach)
{
    double spacing = f->spacing;
    if (!rp_batch_add(&f->batch, rp_pose_to_world(f->source->pose, local))) return false;
    return !rp_scene_is_relaxed(f->world->scene) ||
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
    rp_source_grid places = rp_source_sampling(f->source, f->spacing, INFINITY);
    double spacing = places.step, nx = places.count.x, ny = places.count.y, nz = places.count.z;
    bool relaxed = rp_scene_is_relaxed(f->world->scene), made = true;
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
    rp_random4 random = rp_random((uint64_t)scene->seed, RP_RANDOM_PACKING, f->number);
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
    if (!rp_scene_is_relaxed(f->world->scene) || !b->count) return RP_OK;
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
        if (rp_world_domain_walls_off(&world->scene->domain, b->positions[n], 0)) {
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

/* A source to be filled, and what is special about one that the host program adds. */
typedef struct fill {
    const rp_source_spec *source;
    uint64_t number;
    const rp_query *others;
} fill;

/* With the large grains that are there by now. */
static rp_code begin_filling(filling *f, const rp_world *world, const fill *what, rp_report *report)
{
    *f = (filling){
        .world = world, .source = what->source, .number = what->number, .others = what->others};
    f->split = rp_grain_split_of(world->scene, what->source->material);
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
    rp_stuff of = {source->material, source->moisture, &f->split, true};
    for (size_t n = 0; n < count; n++) {
        rp_world_set_grain(world, first + n, source->position, source->velocity, &of);
        l->diameters[n] = (double)p->diameter[first + n];
    }
    rp_code code = rp_large_place(world, source, l->diameters, count, &f->stones, l->positions,
                                  l->lost + first, report);
    size_t lost = 0;
    for (size_t n = 0; n < count && code == RP_OK; n++) {
        lost += l->lost[first + n];
        rp_world_set_grain(world, first + n, l->positions[n], velocity_at(source, l->positions[n]),
                           &of);
    }
    if (code == RP_OK) rp_grains_remove(p, l->lost);
    if (code == RP_OK && lost)
        rp_log(RP_LOG_WARNING, "source '%s' has room for %zu of its %zu large grains", source->name,
               count - lost, count);
    return code;
}

/* As many as belong to the grains that the lattice has places for. */
static rp_code emit_large(rp_world *world, const fill *what, rp_report *report)
{
    filling f;
    const rp_source_spec *source = what->source;
    size_t first = 0, count = 0;
    rp_code code = begin_filling(&f, world, what, report);
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

static rp_code emit_source(rp_world *world, const fill *what, rp_report *report)
{
    filling f;
    const rp_scene *scene = world->scene;
    const rp_source_spec *source = what->source;
    size_t first = 0;
    rp_code code = begin_filling(&f, world, what, report);
    if (code == RP_OK) code = fill_shape(&f, report);
    const rp_batch *b = &f.batch;
    rp_stuff of = {source->material, source->moisture, &f.split, false};
    if (code == RP_OK) code = check_places(world, source, b, report);
    if (code == RP_OK && what->others)
        code = rp_world_check_room(world, b->count, source->name, report);
    if (code == RP_OK) code = relax_places(&f, report);
    if (code == RP_OK) code = rp_grains_append(&world->grains, b->count, &first, report);
    for (size_t n = 0; code == RP_OK && n < b->count; n++) {
        rp_vec3 shift =
            f.relaxed ? rp_v3(0, 0, 0) : jitter_of(scene, f.spacing, world->grains.id[first + n]);
        rp_world_set_grain(world, first + n, rp_v3_add(b->positions[n], shift),
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
            code = emit_large(world, &(fill){&sources[i], (uint64_t)i, NULL}, report);
    while (code == RP_OK && (source = next_source(world))) {
        uint64_t number = (uint64_t)(source - sources);
        code = emit_source(world, &(fill){source, number, NULL}, report);
        world->source_done[number] = 1;
    }
    return code;
}

/* Far beyond the numbers of a scene's own sources. */
#define ADDED_SOURCES ((uint64_t)1 << 33)

rp_code rp_world_fill(rp_world *world, const rp_source_spec *source, const rp_query *others,
                      rp_report *report)
{
    fill what = {source, ADDED_SOURCES + world->added_sources, others};
    rp_code code = RP_OK;
    if (rp_world_resolves_grains(world->scene)) code = emit_large(world, &what, report);
    if (code == RP_OK) code = emit_source(world, &what, report);
    return code;
}

rp_code rp_world_emit(rp_world *world, rp_report *report)
{
    rp_code code = emit_sources(world, report);
    for (size_t i = 0; i < world->stream_count && code == RP_OK; i++)
        code = rp_stream_emit(world, &world->streams[i], report);
    return code;
}

double rp_world_next_event(const rp_world *world)
{
    double next = INFINITY;
    for (int i = 0; i < world->scene->sources.count; i++)
        if (!world->source_done[i]) next = fmin(next, rp_scene_sources(world->scene)[i].at);
    for (size_t i = 0; i < world->stream_count; i++)
        next = fmin(next, rp_stream_next_event(&world->streams[i], world->time));
    return fmin(next, rp_moisture_next_event(world));
}
