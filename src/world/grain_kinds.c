/* Single grains for methods that resolve them: kind, size and orientation, drawn once for each id
 * (W15), and the placing of large grains (W17); docs/theory/world.md. */
#include "base/random.h"
#include "base/report.h"
#include "math/elementary.h"
#include "world/inside.h"

#include <stdio.h>
#include <stdlib.h>

/* Limit of the largest diameter over the smallest. Beyond it the contacts of the smallest grains
 * last so short that a run of the largest would take for ever. */
#define RATIO_MAX 100
#define BISECTIONS 60
/* Tolerance for rounding. */
#define SLACK (1 + 1e-6)

bool rp_world_resolves_grains(const rp_scene *scene)
{
    return rp_solver_find(scene->method->name)->capabilities & RP_CAN_SHAPE;
}

bool rp_world_orients_grains(const rp_scene *scene)
{
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_scene_grains(scene)[i].clump.count > 1) return true;
    return false;
}

/* True when some kind names the material; else its kinds are those that name no material. */
static bool is_named(const rp_scene *scene, int material)
{
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_scene_grains(scene)[i].material == material) return true;
    return false;
}

static double shares_of(const rp_scene *scene, int key)
{
    double shares = 0;
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_scene_grains(scene)[i].material == key) shares += rp_scene_grains(scene)[i].share;
    return shares;
}

/* Converts 32 random bits to [0, 1), with all of them, so that rare kinds and sizes occur. */
static double unit_of(uint32_t bits)
{
    return bits * 0x1p-32;
}

/* --- grains that fit the lattice, and large ones ------------------------------------------------
 */

static double max_diameter_in(const rp_scene *scene, double spacing)
{
    return (1 - scene->particles.jitter) * spacing * SLACK;
}

double rp_grain_max_diameter(const rp_scene *scene)
{
    return max_diameter_in(scene, scene->particles.spacing);
}

static double share_of(const rp_scene *scene, int key, int kind)
{
    const rp_grain_spec *spec = &rp_scene_grains(scene)[kind];
    return spec->material == key ? spec->share : 0;
}

double rp_grain_share(const rp_scene *scene, int material, int kind)
{
    return share_of(scene, is_named(scene, material) ? material : -1, kind);
}

/* Returns the fraction of a kind's grains up to a diameter: the inverse of the quantile, by
 * bisection. */
static double part_below(const rp_grain_spec *kind, double size)
{
    if (kind->largest <= size) return 1;
    if (kind->smallest > size) return 0;
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (rp_grain_diameter_quantile(kind, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void split_at(const rp_scene *scene, int material, double spacing, rp_grain_split *split)
{
    *split = (rp_grain_split){.spacing = spacing};
    for (int i = 0; i < scene->grains.count; i++) {
        double share = rp_grain_share(scene, material, i);
        split->fits[i] = part_below(&rp_scene_grains(scene)[i], max_diameter_in(scene, spacing));
        split->fine += share * split->fits[i];
        split->large += share * (1 - split->fits[i]);
    }
    double all = split->fine + split->large;
    split->fine = all > 0 ? split->fine / all : 1;
    split->large = all > 0 ? split->large / all : 0;
}

/* Splits at the scene's spacing; where no grain fits it, at the spacing of the kind with the
 * smallest grains. */
rp_grain_split rp_grain_split_of(const rp_scene *scene, int material)
{
    rp_grain_split split;
    split_at(scene, material, scene->particles.spacing, &split);
    if (split.fine > 0 || !rp_world_resolves_grains(scene)) return split;
    double least = INFINITY;
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_grain_share(scene, material, i) > 0)
            least = fmin(least, rp_scene_grains(scene)[i].largest);
    split_at(scene, material, least / (1 - scene->particles.jitter), &split);
    return split;
}

/* Returns the kind at a quantile of the cumulative shares. */
static int pick_kind(const rp_scene *scene, const rp_grain_split *split, bool large, int material,
                     double fraction)
{
    double shares[RP_KINDS_MAX], all = 0;
    int key = is_named(scene, material) ? material : -1, picked = 0;
    for (int i = 0; i < scene->grains.count; i++) {
        double fits = split->fits[i];
        shares[i] = share_of(scene, key, i) * (large ? 1 - fits : fits);
        all += shares[i];
    }
    double left = fraction * all;
    for (int i = 0; i < scene->grains.count; i++) {
        if (!(shares[i] > 0)) continue;
        picked = i;
        left -= shares[i];
        if (left < 0) break;
    }
    return picked;
}

/* Returns a rotation that is uniform over all rotations: K. Shoemake, "Uniform random rotations",
 * Graphics Gems III, 1992. */
static rp_quat random_orientation(rp_random4 random)
{
    double fraction = unit_of(random.bits[0]), a = sqrt(1 - fraction), b = sqrt(fraction);
    double first = 2 * RP_PI * unit_of(random.bits[1]),
           second = 2 * RP_PI * unit_of(random.bits[2]);
    return rp_quat_normalized(
        (rp_quat){b * rp_cos(second), a * rp_sin(first), a * rp_cos(first), b * rp_sin(second)});
}

void rp_grain_draw(const rp_scene *scene, int material, uint32_t id, rp_grain *out)
{
    rp_grain_split all = {.fine = 1};
    for (int i = 0; i < scene->grains.count; i++)
        all.fits[i] = 1;
    rp_grain_draw_split(scene, &all, false, material, id, out);
}

void rp_grain_draw_split(const rp_scene *scene, const rp_grain_split *split, bool large,
                         int material, uint32_t id, rp_grain *out)
{
    uint64_t seed = (uint64_t)scene->seed;
    rp_random4 random = rp_random(seed, RP_RANDOM_GRAIN, id);
    out->kind = pick_kind(scene, split, large, material, unit_of(random.bits[0]));
    const rp_grain_spec *kind = &rp_scene_grains(scene)[out->kind];
    double fraction = unit_of(random.bits[1]), fits = split->fits[out->kind];
    double d =
        rp_grain_diameter_quantile(kind, large ? fits + (1 - fits) * fraction : fits * fraction);
    out->diameter = d;
    out->mass = rp_scene_materials(scene)[material].grain_density * kind->clump.volume * d * d * d;
    out->orientation = kind->clump.count > 1
                           ? random_orientation(rp_random(seed, RP_RANDOM_TURN, id))
                           : rp_quat_identity();
}

double rp_grain_mean_mass(const rp_scene *scene, bool resolved, int material)
{
    const rp_material_spec *made_of = &rp_scene_materials(scene)[material];
    double spacing = scene->particles.spacing, sum = 0;
    if (!resolved) return made_of->density * spacing * spacing * spacing;
    int key = is_named(scene, material) ? material : -1;
    for (int i = 0; i < scene->grains.count; i++) {
        const rp_grain_spec *kind = &rp_scene_grains(scene)[i];
        if (kind->material == key) sum += kind->share * kind->clump.volume * kind->cube;
    }
    return made_of->grain_density * sum / shares_of(scene, key);
}

double rp_grain_mean_spheres(const rp_scene *scene, int material)
{
    int key = is_named(scene, material) ? material : -1;
    double shares = shares_of(scene, key), sum = 0;
    for (int i = 0; i < scene->grains.count; i++) {
        const rp_grain_spec *kind = &rp_scene_grains(scene)[i];
        if (kind->material == key) sum += kind->share * kind->clump.count;
    }
    return shares > 0 ? sum / shares : 0;
}

double rp_world_grains_in(const rp_scene *scene, int material, double volume)
{
    double cell = scene->particles.spacing * scene->particles.spacing * scene->particles.spacing;
    if (!rp_world_resolves_grains(scene)) return volume / cell;
    rp_grain_split split = rp_grain_split_of(scene, material);
    double sites = volume / (split.spacing * split.spacing * split.spacing);
    double large = (double)rp_grain_large_count(scene, &split, material, sites);
    return large > 0 ? large / split.large : sites;
}

/* Large grains are placed among those that fit the lattice; where no grain of the scene fits, the
 * spacing is a mistake. */
static rp_code check_kind(const rp_scene *scene, const rp_grain_spec *kind, rp_report *report)
{
    double spacing = scene->particles.spacing, fraction = 1 - scene->particles.jitter;
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_scene_grains(scene)[i].smallest <= fraction * spacing * SLACK) return RP_OK;
    char key[128];
    snprintf(key, sizeof key, "grains.%s.%s", kind->name,
             kind->sizes == RP_SIZES_SIEVE ? "sieve" : "diameter");
    return rp_fail_at(
        report, RP_ERROR_INPUT, NULL, key,
        "the largest grains are %.4g m across, and no grain of the scene fits a site of the "
        "lattice: a spacing of %.4g m with a jitter of %g leaves %.4g m; raise "
        "particles.spacing to %.4g m",
        kind->largest, spacing, scene->particles.jitter, fraction * spacing,
        kind->largest / fraction * SLACK);
}

static rp_code check_ratio(const rp_scene *scene, rp_report *report)
{
    const rp_grain_spec *small = rp_scene_grains(scene), *large = small;
    for (int i = 1; i < scene->grains.count; i++) {
        const rp_grain_spec *kind = &rp_scene_grains(scene)[i];
        if (kind->smallest < small->smallest) small = kind;
        if (kind->largest > large->largest) large = kind;
    }
    if (large->largest <= RATIO_MAX * small->smallest * SLACK) return RP_OK;
    return rp_fail_at(report, RP_ERROR_INPUT, NULL, "grains",
                      "grains are from %.4g m ('%s') to %.4g m ('%s') across; the largest may be "
                      "%d times the smallest",
                      small->smallest, small->name, large->largest, large->name, RATIO_MAX);
}

/* Resolved grains carry no fine ones. */
static rp_code check_detail(const rp_scene *scene, rp_report *report)
{
    if (scene->detail.factor < 1) return RP_OK;
    return rp_fail_at(report, RP_ERROR_INPUT, NULL, "detail.factor",
                      "fine grains are carried by grains that stand for many, as those of "
                      "'frictional'; with '%s' every grain is a real one: leave 'detail' out, or "
                      "take smaller 'grains' and a smaller particles.spacing",
                      scene->method->name);
}

rp_code rp_world_check_grains(const rp_scene *scene, rp_report *report)
{
    rp_code code = check_detail(scene, report), ratio = check_ratio(scene, report);
    if (code == RP_OK) code = ratio;
    for (int i = 0; i < scene->grains.count; i++) {
        rp_code kind = check_kind(scene, &rp_scene_grains(scene)[i], report);
        if (code == RP_OK) code = kind;
    }
    for (int i = 0; i < scene->materials.count; i++)
        if (!is_named(scene, i) && !(shares_of(scene, -1) > 0))
            code = rp_fail_at(report, RP_ERROR_INPUT, NULL, "grains",
                              "no kind of grain is for the material '%s'; add one, or one without "
                              "a material, which is for all others",
                              rp_scene_materials(scene)[i].name);
    return code;
}

/* --- where large grains lie (W17) ------------------------------------------------------------- */

/* Random positions that are tried for a large grain. Where large grains fill three tenths of the
 * space, one position in a hundred is free. */
#define TRIES 2000
/* Points over which the space of large grains is averaged. */
#define POINTS 64

/* Returns the mean volume that a large grain takes from the lattice, m3: all sites nearer than half
 * a spacing. */
static double space_of_large(const rp_scene *scene, const rp_grain_split *split, int material)
{
    double space = 0, shares = 0;
    for (int i = 0; i < scene->grains.count; i++) {
        const rp_grain_spec *kind = &rp_scene_grains(scene)[i];
        double share = rp_grain_share(scene, material, i) * (1 - split->fits[i]);
        shares += share;
        for (int n = 0; n < POINTS && share > 0; n++) {
            double fraction = split->fits[i] + (1 - split->fits[i]) * (n + 0.5) / POINTS;
            double reach = rp_grain_diameter_quantile(kind, fraction) + split->spacing;
            space += share * RP_PI / 6 * reach * reach * reach / POINTS;
        }
    }
    return space / shares;
}

size_t rp_grain_large_count(const rp_scene *scene, const rp_grain_split *split, int material,
                            double sites)
{
    if (!(split->large > 0)) return 0;
    double cell = split->spacing * split->spacing * split->spacing;
    double each = split->fine * cell / split->large + space_of_large(scene, split, material);
    return (size_t)floor(sites * cell / each + 0.5);
}

/* Order of descending diameter; equal ones in the order of their numbers. */
typedef struct sized {
    double diameter;
    size_t number;
} sized;

static int compare_sizes(const void *a, const void *b)
{
    const sized *left = a, *right = b;
    if (left->diameter != right->diameter) return left->diameter > right->diameter ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static bool is_free(const rp_world *world, const rp_source_spec *source,
                    const rp_large_spheres *spheres, rp_vec3 local, double radius)
{
    const rp_domain_spec *domain = &world->scene->domain;
    if (rp_shape_distance(&source->shape, local, NULL) > -radius) return false;
    rp_vec3 point = rp_pose_to_world(source->pose, local);
    return !rp_world_domain_is_behind_wall(domain, point, radius) &&
           rp_large_spheres_distance(spheres, point, radius) >= radius &&
           rp_world_distance_to_voids(world, point) >= radius &&
           rp_world_distance_to_bodies(world, rp_world_domain_wrapped(domain, point)) >= radius;
}

/* Random sequential addition: draws positions in the source's box until one is free. */
static bool find_position(const rp_world *world, const rp_source_spec *source,
                          const rp_large_spheres *spheres, double radius, size_t number,
                          rp_vec3 *out)
{
    rp_box3 box = rp_shape_bounds(&source->shape);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    uint64_t which = (uint64_t)(source - rp_scene_sources(world->scene));
    for (uint64_t n = 0; n < TRIES; n++) {
        rp_random4 random = rp_random((uint64_t)world->scene->seed, RP_RANDOM_LARGE,
                                      which << 48 | (uint64_t)number << 12 | n);
        rp_vec3 local = rp_v3_add(box.low, rp_v3(size.x * (double)rp_random_unit(random.bits[0]),
                                                 size.y * (double)rp_random_unit(random.bits[1]),
                                                 size.z * (double)rp_random_unit(random.bits[2])));
        if (!is_free(world, source, spheres, local, radius)) continue;
        *out = rp_pose_to_world(source->pose, local);
        return true;
    }
    return false;
}

rp_code rp_grain_place_large(const rp_world *world, const rp_source_spec *source,
                             const double *diameters, size_t count, rp_large_spheres *spheres,
                             rp_vec3 *positions, uint8_t *lost, rp_report *report)
{
    sized *order = rp_allocate(count * sizeof *order);
    if (!order) return rp_fail_memory(report, count * sizeof *order, source->name);
    for (size_t n = 0; n < count; n++)
        order[n] = (sized){diameters[n], n};
    qsort(order, count, sizeof *order, compare_sizes);
    rp_code code = RP_OK;
    for (size_t n = 0; n < count && code == RP_OK; n++) {
        size_t i = order[n].number;
        if (rp_is_stopped(&world->stop)) code = RP_INTERRUPTED;
        lost[i] = !find_position(world, source, spheres, diameters[i] / 2, n, &positions[i]);
        if (!lost[i] && !rp_large_spheres_add(spheres, positions[i], diameters[i] / 2))
            code = rp_fail_memory(report, count * sizeof(rp_large_sphere), source->name);
    }
    rp_release(order, count * sizeof *order);
    return code;
}
