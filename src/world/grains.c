/* What single grains are: kind, size and orientation, drawn once for each; docs/theory/world.md
 * (W15). */
#include "base/random.h"
#include "base/report.h"
#include "math/elementary.h"
#include "world/large.h"

#include <stdio.h>

/* The largest grain over the smallest, at most. Beyond that, contacts of the smallest last so short
 * that the largest never get anywhere. */
#define RATIO_MAX 100
#define BISECTIONS 60
/* More than rounding. */
#define SLACK (1 + 1e-6)

bool rp_world_resolves_grains(const rp_scene *scene)
{
    return rp_solver_find(scene->method->name)->capabilities & RP_CAN_SHAPE;
}

bool rp_world_turns_grains(const rp_scene *scene)
{
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_scene_grains(scene)[i].clump.count > 1) return true;
    return false;
}

/* The kinds of a material: those that name it, or where there is none those that name no material.
 */
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

/* All 32 bits, so that rare kinds and sizes occur. */
static double unit_of(uint32_t bits)
{
    return bits * 0x1p-32;
}

/* --- grains that fit, and large ones ---------------------------------------------------------- */

static double room_in(const rp_scene *scene, double spacing)
{
    return (1 - scene->particles.jitter) * spacing * SLACK;
}

double rp_grain_room(const rp_scene *scene)
{
    return room_in(scene, scene->particles.spacing);
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

/* The part of a kind's grains that are no larger than that. */
static double part_below(const rp_grain_spec *kind, double size)
{
    if (kind->largest <= size) return 1;
    if (kind->smallest > size) return 0;
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (rp_grain_size(kind, middle) <= size)
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
        split->fits[i] = part_below(&rp_scene_grains(scene)[i], room_in(scene, spacing));
        split->fine += share * split->fits[i];
        split->large += share * (1 - split->fits[i]);
    }
    double all = split->fine + split->large;
    split->fine = all > 0 ? split->fine / all : 1;
    split->large = all > 0 ? split->large / all : 0;
}

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

/* The kind at `part` of the shares. */
static int pick_kind(const rp_scene *scene, const rp_grain_split *split, bool large, int material,
                     double part)
{
    double shares[RP_KINDS_MAX], all = 0;
    int key = is_named(scene, material) ? material : -1, picked = 0;
    for (int i = 0; i < scene->grains.count; i++) {
        double fits = split->fits[i];
        shares[i] = share_of(scene, key, i) * (large ? 1 - fits : fits);
        all += shares[i];
    }
    double left = part * all;
    for (int i = 0; i < scene->grains.count; i++) {
        if (!(shares[i] > 0)) continue;
        picked = i;
        left -= shares[i];
        if (left < 0) break;
    }
    return picked;
}

/* K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992. */
static rp_quat random_turn(rp_random4 random)
{
    double part = unit_of(random.bits[0]), a = sqrt(1 - part), b = sqrt(part);
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
    rp_grain_draw_part(scene, &all, false, material, id, out);
}

void rp_grain_draw_part(const rp_scene *scene, const rp_grain_split *split, bool large,
                        int material, uint32_t id, rp_grain *out)
{
    uint64_t seed = (uint64_t)scene->seed;
    rp_random4 random = rp_random(seed, RP_RANDOM_GRAIN, id);
    out->kind = pick_kind(scene, split, large, material, unit_of(random.bits[0]));
    const rp_grain_spec *kind = &rp_scene_grains(scene)[out->kind];
    double part = unit_of(random.bits[1]), fits = split->fits[out->kind];
    double d = rp_grain_size(kind, large ? fits + (1 - fits) * part : fits * part);
    out->diameter = d;
    out->mass = rp_scene_materials(scene)[material].grain_density * kind->clump.volume * d * d * d;
    out->turn = kind->clump.count > 1 ? random_turn(rp_random(seed, RP_RANDOM_TURN, id))
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
    double places = volume / (split.spacing * split.spacing * split.spacing);
    double large = (double)rp_large_count(scene, &split, material, places);
    return large > 0 ? large / split.large : places;
}

/* Large grains are placed among those that fit; where none does, the spacing is a mistake. */
static rp_code check_kind(const rp_scene *scene, const rp_grain_spec *kind, rp_report *report)
{
    double spacing = scene->particles.spacing, part = 1 - scene->particles.jitter;
    for (int i = 0; i < scene->grains.count; i++)
        if (rp_scene_grains(scene)[i].smallest <= part * spacing * SLACK) return RP_OK;
    char key[128];
    snprintf(key, sizeof key, "grains.%s.%s", kind->name,
             kind->sizes == RP_SIZES_SIEVE ? "sieve" : "diameter");
    return rp_fail_at(
        report, RP_ERROR_INPUT, NULL, key,
        "the largest grains are %.4g m across, and no grain of the scene fits a place of the "
        "lattice: a spacing of %.4g m with a jitter of %g leaves %.4g m; raise "
        "particles.spacing to %.4g m",
        kind->largest, spacing, scene->particles.jitter, part * spacing,
        kind->largest / part * SLACK);
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

/* Grains that are real carry no finer ones. */
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
