/* Sources: shapes that are filled with grains site by site (W4), on a lattice or with a relaxed
 * packing (W16), except where voids and bodies are (W10, W11); large grains come first (W17). See
 * docs/theory/world.md. Emitters are in emitters.c. */
#include "base/random.h"
#include "base/report.h"
#include "packing/packing.h"
#include "world/inside.h"

#include <stdio.h>

/* A packing is periodic only along axes with at least so many sites. */
#define PERIOD_LEAST 6
/* Radius around a site within which large grains are searched, in spacings. */
#define LARGE_NEAR 2

bool rp_position_list_add(rp_position_list *b, rp_vec3 position)
{
    if (!rp_reserve((void **)&b->positions, &b->capacity, b->count, b->count + 1,
                    sizeof *b->positions))
        return false;
    b->positions[b->count++] = position;
    return true;
}

void rp_position_list_end(rp_position_list *b)
{
    rp_release(b->positions, b->capacity * sizeof *b->positions);
}

/* Returns a random shift of at most half `jitter` spacings along each axis; it depends on the
 * grain's id alone. */
static rp_vec3 jitter_of(const rp_scene *scene, double spacing, uint32_t id)
{
    rp_random4 random = rp_random((uint64_t)scene->seed, RP_RANDOM_JITTER, id);
    double reach = scene->particles.jitter * spacing;
    return rp_v3(reach * ((double)rp_random_unit(random.bits[0]) - 0.5),
                 reach * ((double)rp_random_unit(random.bits[1]) - 0.5),
                 reach * ((double)rp_random_unit(random.bits[2]) - 0.5));
}

/* Sets kind, size, mass and orientation of a resolved grain. */
static void set_shape(rp_grains *p, const rp_scene *scene, size_t i, const rp_grain_template *of)
{
    rp_grain grain;
    int material = of->material;
    rp_grain_draw_split(scene, of->split, of->large, material, p->id[i], &grain);
    const double turn[4] = {grain.orientation.w, grain.orientation.x, grain.orientation.y,
                            grain.orientation.z};
    p->kind[i] = (uint8_t)grain.kind;
    p->diameter[i] = (float)grain.diameter;
    p->mass[i] = (float)grain.mass;
    if (p->density) p->density[i] = (float)rp_scene_materials(scene)[material].grain_density;
    for (int k = 0; k < 4 && p->orientation[0]; k++)
        p->orientation[k][i] = (float)turn[k];
}

void rp_world_set_grain(rp_world *world, size_t i, rp_vec3 position, rp_vec3 velocity,
                        const rp_grain_template *of)
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

rp_source_grid rp_source_sampling(const rp_source_spec *source, double spacing, double most)
{
    rp_box3 box = rp_shape_bounds(&source->shape);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    double step = fmax(spacing, cbrt(size.x * size.y * size.z / most));
    /* The lattice is centred in the box, so that both sides have the same margin. */
    rp_vec3 count = rp_v3(floor(size.x / step + 1e-6), floor(size.y / step + 1e-6),
                          floor(size.z / step + 1e-6));
    if (!(count.x > 0 && count.y > 0 && count.z > 0)) count = rp_v3(0, 0, 0);
    rp_vec3 middle = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    rp_vec3 first = rp_v3_madd(middle, -0.5 * step, rp_v3_sub(count, rp_v3(1, 1, 1)));
    return (rp_source_grid){.step = step, .first = first, .count = count};
}

/* A source that is being filled. */
typedef struct filling {
    const rp_world *world;
    const rp_source_spec *source;
    uint64_t number;        /* of the source: it selects a part of the packing */
    const rp_query *others; /* grains that are there already; NULL: they are ignored */
    rp_grain_split split;
    double spacing;           /* m, of its lattice */
    rp_large_spheres spheres; /* large grains that are there already */
    rp_vec3 first;            /* m, the first place of its lattice, in the shape's frame */
    rp_position_list list;
    rp_lattice lattice; /* their sites, for a relaxed packing */
    size_t in_bodies;   /* sites that are left out where bodies are */
    bool relaxed;       /* a relaxed packing was found; else grains stay on the lattice */
} filling;

/* The class of a lattice site, and the distance within which all points have the same class. It is
 * known because a distance function changes by no more than the length of the path (it is Lipschitz
 * with constant 1). */
typedef struct site_class {
    enum { OUTSIDE, FREE, IN_VOID, IN_BODY, IN_GRAIN } kind;
    double reach; /* m */
} site_class;

/* Returns a lower bound of the distance to the surface of the grains that are there already, m. */
static double distance_to_others(const filling *f, rp_vec3 point)
{
    const double at[3] = {point.x, point.y, point.z};
    double distance;
    rp_query_nearest(f->others, at, &distance);
    return distance - f->others->largest;
}

/* Classifies a point of the shape's frame. The tests go from cheap to expensive; each adds its own
 * distance to those that limit the reach. */
static site_class classify(const filling *f, rp_vec3 local)
{
    const rp_world *world = f->world;
    const rp_source_spec *source = f->source;
    /* Outside of the shape? */
    double outside = rp_shape_distance(&source->shape, local, NULL);
    if (outside > 0) return (site_class){OUTSIDE, outside};
    /* In a void, or nearer to one than half a spacing (W10)? */
    rp_vec3 point = rp_pose_to_world(source->pose, local);
    double clearance = rp_clearance_of_spacing(f->spacing);
    double hole = rp_world_distance_to_voids(world, point) - clearance;
    if (hole < 0) return (site_class){IN_VOID, fmin(-outside, -hole)};
    /* In a body, or nearer to one than half a spacing (W11)? */
    double body =
        rp_world_distance_to_bodies(world, rp_world_domain_wrapped(&world->scene->domain, point)) -
        clearance;
    if (body < 0) return (site_class){IN_BODY, fmin(fmin(-outside, hole), -body)};
    /* Too near to a large grain, or to grains that were there before (W17)? */
    double clear = rp_large_spheres_clearance(world->scene, f->spacing);
    double grain_gap =
        rp_large_spheres_distance(&f->spheres, point, clear + LARGE_NEAR * f->spacing) - clear;
    if (f->others) grain_gap = fmin(grain_gap, distance_to_others(f, point) - clear);
    if (grain_gap < 0)
        return (site_class){IN_GRAIN, fmin(fmin(-outside, hole), fmin(body, -grain_gap))};
    if (!f->spheres.count && !f->others) grain_gap = INFINITY;
    return (site_class){FREE, fmin(fmin(-outside, grain_gap), fmin(hole, body))};
}

bool rp_scene_packing_is_relaxed(const rp_scene *scene)
{
    return scene->particles.packing == RP_PACKING_RELAXED && scene->particles.jitter > 0;
}

static bool add_site(filling *f, double number, rp_vec3 local, double reach)
{
    double spacing = f->spacing;
    if (!rp_position_list_add(&f->list, rp_pose_to_world(f->source->pose, local))) return false;
    return !rp_scene_packing_is_relaxed(f->world->scene) ||
           rp_lattice_add(&f->lattice, (int32_t)number, reach / spacing);
}

/* Fills a row of `count` sites along x. One classification holds for all following sites within its
 * reach, so that a mesh is searched a few times per row and not once per grain. */
static rp_code fill_row(filling *f, rp_vec3 first, double count, rp_report *report)
{
    double spacing = f->spacing;
    double classified_at = 0, classified_to = 0; /* sites with a class: from, up to */
    site_class here = {OUTSIDE, 0};
    for (double i = 0; i < count; i++) {
        rp_vec3 local = rp_v3_madd(first, spacing, rp_v3(i, 0, 0));
        if (i >= classified_to) {
            here = classify(f, local);
            classified_to = i + 1 + floor(here.reach / spacing * (1 - 1e-9));
            classified_at = i;
        }
        f->in_bodies += here.kind == IN_BODY;
        if (here.kind == FREE && !add_site(f, i, local, here.reach - (i - classified_at) * spacing))
            return rp_fail_memory(report, f->list.count * sizeof(rp_vec3), f->source->name);
    }
    return RP_OK;
}

/* Makes the lattice periodic along the axes whose period the source spans. */
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
        if (domain->periodic >> a & 1 && counts[a] >= PERIOD_LEAST &&
            fabs(counts[a] * spacing - lengths[a]) < 1e-3 * spacing)
            f->lattice.period[a] = (int32_t)counts[a];
}

/* Collects the free sites of the lattice, layer by layer and row by row. The lattice lies in the
 * shape's own frame, so that a rotated box is filled as a box. */
static rp_code fill_shape(filling *f, rp_report *report)
{
    rp_source_grid grid = rp_source_sampling(f->source, f->spacing, INFINITY);
    double spacing = grid.step, nx = grid.count.x, ny = grid.count.y, nz = grid.count.z;
    bool relaxed = rp_scene_packing_is_relaxed(f->world->scene), made = true;
    f->first = grid.first;
    set_periods(f, grid.count);
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

static bool is_free_position(void *context, const int32_t site[3], const float shift[3])
{
    const filling *f = context;
    rp_vec3 at = rp_v3((double)site[0] + (double)shift[0], (double)site[1] + (double)shift[1],
                       (double)site[2] + (double)shift[2]);
    rp_vec3 local = rp_v3_madd(f->first, f->spacing, at);
    return classify(f, local).kind == FREE;
}

/* Selects the part of the packing that a source uses: each source has a random one. */
static void draw_tile_origin(const filling *f, int32_t origin[3])
{
    const rp_scene *scene = f->world->scene;
    rp_random4 random = rp_random((uint64_t)scene->seed, RP_RANDOM_PACKING, f->number);
    for (int a = 0; a < 3; a++)
        origin[a] = (int32_t)(random.bits[a] >> 16);
}

/* Returns the least distance of two grains, in spacings: 1 - jitter, and 0.9 at least. */
static double least_distance(const rp_scene *scene)
{
    return fmax(1 - scene->particles.jitter, 0.9);
}

/* Shifts the grains from their sites to their positions in the relaxed packing (W16). */
static rp_code relax_positions(filling *f, rp_report *report)
{
    rp_position_list *b = &f->list;
    if (!rp_scene_packing_is_relaxed(f->world->scene) || !b->count) return RP_OK;
    double spacing = f->spacing;
    float(*shifts)[3] = rp_allocate(b->count * sizeof *shifts);
    if (!shifts) return rp_fail_memory(report, b->count * sizeof *shifts, f->source->name);
    int32_t origin[3];
    draw_tile_origin(f, origin);
    rp_code code = rp_packing_relax(&f->lattice, origin, least_distance(f->world->scene),
                                    is_free_position, f, shifts, &f->relaxed, report);
    for (size_t n = 0; n < b->count && f->relaxed; n++) {
        rp_vec3 shift = rp_v3((double)shifts[n][0], (double)shifts[n][1], (double)shifts[n][2]);
        b->positions[n] = rp_v3_madd(b->positions[n], spacing,
                                     rp_quat_rotate(f->source->pose.orientation, shift));
    }
    rp_release(shifts, b->count * sizeof *shifts);
    return code;
}

/* Fails where grains of a source would lie behind a wall of the domain. */
static rp_code check_positions(const rp_world *world, const rp_source_spec *source,
                               const rp_position_list *list, rp_report *report)
{
    size_t lost = 0, first_lost = 0;
    for (size_t n = list->count; n-- > 0;)
        if (rp_world_domain_is_behind_wall(&world->scene->domain, list->positions[n], 0)) {
            lost++;
            first_lost = n;
        }
    if (!lost) return RP_OK;
    char key[128];
    rp_vec3 at = list->positions[first_lost];
    snprintf(key, sizeof key, "sources.%s", source->name);
    return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                      "%zu of its %zu grains lie behind a wall of the domain, the first at "
                      "[%.4g, %.4g, %.4g] m; move it, or widen or open the domain",
                      lost, list->count, at.x, at.y, at.z);
}

/* A source to be filled; `number` and `others` differ for one that the host program adds. */
typedef struct fill {
    const rp_source_spec *source;
    uint64_t number;
    const rp_query *others;
} fill;

/* Begins to fill a source, with the large grains that exist by now. */
static rp_code begin_filling(filling *f, const rp_world *world, const fill *what, rp_report *report)
{
    *f = (filling){
        .world = world, .source = what->source, .number = what->number, .others = what->others};
    f->split = rp_grain_split_of(world->scene, what->source->material);
    f->spacing = f->split.spacing;
    return rp_large_spheres_collect(&f->spheres, world, report);
}

static void end_filling(filling *f)
{
    rp_lattice_end(&f->lattice);
    rp_position_list_end(&f->list);
    rp_large_spheres_end(&f->spheres);
}

/* Returns the velocity of a grain at a position: a source moves and rotates as a rigid body. */
static rp_vec3 velocity_at(const rp_source_spec *source, rp_vec3 position)
{
    rp_vec3 arm = rp_v3_sub(position, source->position);
    return rp_v3_add(source->velocity, rp_v3_cross(source->spin, arm));
}

/* --- large grains ----------------------------------------------------------------------------- */

/* Diameters and positions of large grains that are being placed, and which found no space. */
typedef struct large {
    double *diameters;
    rp_vec3 *positions;
    uint8_t *lost; /* of all grains of the table; the large ones come last */
} large;

/* Draws the last `count` grains of the table, from `first` on, as large grains of the source, finds
 * positions for them, and removes those for which there is no space. */
static rp_code place_large(rp_world *world, filling *f, size_t count, size_t first, large *l,
                           rp_report *report)
{
    const rp_source_spec *source = f->source;
    rp_grains *grains = &world->grains;
    rp_grain_template grain_template = {source->material, source->moisture, &f->split, true};
    /* Sizes and shapes are drawn by the ids of the grains; positions follow below. */
    for (size_t n = 0; n < count; n++) {
        rp_world_set_grain(world, first + n, source->position, source->velocity, &grain_template);
        l->diameters[n] = (double)grains->diameter[first + n];
    }
    rp_code code = rp_grain_place_large(world, source, l->diameters, count, &f->spheres,
                                        l->positions, l->lost + first, report);
    size_t lost = 0;
    for (size_t n = 0; n < count && code == RP_OK; n++) {
        lost += l->lost[first + n];
        rp_world_set_grain(world, first + n, l->positions[n], velocity_at(source, l->positions[n]),
                           &grain_template);
    }
    if (code == RP_OK) rp_grains_remove(grains, l->lost);
    if (code == RP_OK && lost)
        rp_log(RP_LOG_WARNING, "source '%s' has room for %zu of its %zu large grains", source->name,
               count - lost, count);
    return code;
}

/* Adds the large grains of a source, in proportion to the free sites of its lattice (W17). */
static rp_code fill_large(rp_world *world, const fill *what, rp_report *report)
{
    filling f;
    const rp_source_spec *source = what->source;
    size_t first = 0, count = 0;
    rp_code code = begin_filling(&f, world, what, report);
    if (code == RP_OK && f.split.large > 0) code = fill_shape(&f, report);
    if (code == RP_OK && f.split.large > 0)
        count =
            rp_grain_large_count(world->scene, &f.split, source->material, (double)f.list.count);
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

/* Adds the grains of a source that fit its lattice. */
static rp_code fill_lattice(rp_world *world, const fill *what, rp_report *report)
{
    filling f;
    const rp_scene *scene = world->scene;
    const rp_source_spec *source = what->source;
    size_t first = 0;
    rp_code code = begin_filling(&f, world, what, report);
    if (code == RP_OK) code = fill_shape(&f, report);
    const rp_position_list *list = &f.list;
    rp_grain_template grain_template = {source->material, source->moisture, &f.split, false};
    if (code == RP_OK) code = check_positions(world, source, list, report);
    if (code == RP_OK && what->others)
        code = rp_world_check_capacity(world, list->count, source->name, report);
    if (code == RP_OK) code = relax_positions(&f, report);
    if (code == RP_OK) code = rp_grains_append(&world->grains, list->count, &first, report);
    for (size_t n = 0; code == RP_OK && n < list->count; n++) {
        rp_vec3 shift =
            f.relaxed ? rp_v3(0, 0, 0) : jitter_of(scene, f.spacing, world->grains.id[first + n]);
        rp_world_set_grain(world, first + n, rp_v3_add(list->positions[n], shift),
                           velocity_at(source, list->positions[n]), &grain_template);
    }
    if (code == RP_OK && f.in_bodies)
        rp_log(RP_LOG_INFO, "source '%s' leaves out %zu grains where bodies are", source->name,
               f.in_bodies);
    if (code == RP_OK && list->count == 0)
        rp_log(RP_LOG_INFO,
               "source '%s' stays empty: it is smaller than a grain, or voids and bodies fill it",
               source->name);
    end_filling(&f);
    return code;
}

/* Returns the source that is due and has the widest lattice, or NULL: sources with a finer lattice
 * fill the space between its grains. */
static const rp_source_spec *widest_source_due(const rp_world *world)
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

/* Fills all sources that are due: the large grains of all of them first, since the lattices leave
 * out their space (W17). */
static rp_code fill_sources(rp_world *world, rp_report *report)
{
    const rp_source_spec *sources = rp_scene_sources(world->scene), *source;
    bool resolved = rp_world_resolves_grains(world->scene);
    rp_code code = RP_OK;
    for (int i = 0; i < world->scene->sources.count && code == RP_OK && resolved; i++)
        if (sources[i].at <= world->time && !world->source_done[i])
            code = fill_large(world, &(fill){&sources[i], (uint64_t)i, NULL}, report);
    while (code == RP_OK && (source = widest_source_due(world))) {
        uint64_t number = (uint64_t)(source - sources);
        code = fill_lattice(world, &(fill){source, number, NULL}, report);
        world->source_done[number] = 1;
    }
    return code;
}

/* Numbers of added sources begin here, beyond those of any scene. */
#define ADDED_SOURCES ((uint64_t)1 << 33)

rp_code rp_world_fill(rp_world *world, const rp_source_spec *source, const rp_query *others,
                      rp_report *report)
{
    fill what = {source, ADDED_SOURCES + world->added_sources, others};
    rp_code code = RP_OK;
    if (rp_world_resolves_grains(world->scene)) code = fill_large(world, &what, report);
    if (code == RP_OK) code = fill_lattice(world, &what, report);
    return code;
}

rp_code rp_world_emit(rp_world *world, rp_report *report)
{
    rp_code code = fill_sources(world, report);
    for (size_t i = 0; i < world->emitter_count && code == RP_OK; i++)
        code = rp_emitter_emit(world, &world->emitters[i], report);
    return code;
}
