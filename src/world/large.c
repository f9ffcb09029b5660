#include "world/large.h"
#include "base/random.h"
#include "base/report.h"

#include <stdlib.h>

/* How often a grain is tried to be placed. At three tenths of the space one in a hundred is free.
 */
#define TRIES 2000
/* Points that the space of large grains is averaged over. */
#define POINTS 64
#define LEVELS_MOST 16

/* --- stones ------------------------------------------------------------------------------------
 */

static double edge_of(const rp_stones *stones, unsigned level)
{
    return ldexp(stones->least, (int)level + 1);
}

static unsigned level_of(const rp_stones *stones, double radius)
{
    unsigned level = 0;
    while (level + 1 < LEVELS_MOST && radius > ldexp(stones->least, (int)level))
        level++;
    return level;
}

static size_t slot_of(const rp_stones *stones, unsigned level, int64_t i, int64_t j, int64_t k)
{
    uint64_t key = (uint64_t)i * 0x9e3779b97f4a7c15ull ^ (uint64_t)j * 0xc2b2ae3d27d4eb4full ^
                   (uint64_t)k * 0x165667b19e3779f9ull ^ (uint64_t)level << 59;
    key *= 0xff51afd7ed558ccdull;
    return (size_t)(key >> 32) & (stones->slot_count - 1);
}

static int64_t cell_of(double x, double edge)
{
    return (int64_t)floor(x / edge);
}

static void link_stone(rp_stones *stones, size_t number)
{
    rp_stone *s = &stones->items[number];
    unsigned level = level_of(stones, s->radius);
    double edge = edge_of(stones, level);
    size_t slot = slot_of(stones, level, cell_of(s->at.x, edge), cell_of(s->at.y, edge),
                          cell_of(s->at.z, edge));
    s->next = stones->slots[slot];
    stones->slots[slot] = (uint32_t)number + 1;
    if (level + 1 > stones->levels) stones->levels = level + 1;
}

/* At least two slots for each. */
static bool widen_slots(rp_stones *stones)
{
    size_t wanted = stones->slot_count ? stones->slot_count : 64;
    while (wanted < 2 * (stones->count + 1))
        wanted *= 2;
    if (wanted == stones->slot_count) return true;
    uint32_t *slots = rp_allocate_zero(wanted * sizeof *slots);
    if (!slots) return false;
    if (stones->slots) rp_release(stones->slots, stones->slot_count * sizeof *slots);
    stones->slots = slots;
    stones->slot_count = wanted;
    for (size_t n = 0; n < stones->count; n++)
        link_stone(stones, n);
    return true;
}

bool rp_stones_add(rp_stones *stones, rp_vec3 at, double radius)
{
    if (!rp_reserve((void **)&stones->items, &stones->capacity, stones->count, stones->count + 1,
                    sizeof *stones->items) ||
        !widen_slots(stones))
        return false;
    stones->items[stones->count] =
        (rp_stone){rp_world_domain_wrapped(stones->domain, at), radius, 0};
    stones->most = fmax(stones->most, radius);
    link_stone(stones, stones->count++);
    return true;
}

void rp_stones_end(rp_stones *stones)
{
    rp_release(stones->items, stones->capacity * sizeof *stones->items);
    if (stones->slots) rp_release(stones->slots, stones->slot_count * sizeof *stones->slots);
    *stones = (rp_stones){0};
}

rp_code rp_stones_collect(rp_stones *stones, const rp_world *world, rp_report *report)
{
    const rp_scene *scene = world->scene;
    const rp_grains *p = &world->grains;
    double room = rp_grain_room(scene);
    *stones = (rp_stones){.domain = &scene->domain, .least = room / 2};
    for (size_t i = 0; p->diameter && i < p->count; i++) {
        rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
        if ((double)p->diameter[i] <= room || !isfinite(rp_v3_length(at))) continue;
        if (rp_stones_add(stones, at, (double)p->diameter[i] / 2)) continue;
        rp_stones_end(stones);
        return rp_fail_memory(report, p->count * sizeof(rp_stone), "large grains");
    }
    return RP_OK;
}

static double gap_in_slot(const rp_stones *stones, size_t slot, rp_vec3 at, double gap)
{
    for (uint32_t n = stones->slots[slot]; n; n = stones->items[n - 1].next) {
        const rp_stone *s = &stones->items[n - 1];
        gap = fmin(gap, rp_v3_length(rp_v3_sub(at, s->at)) - s->radius);
    }
    return gap;
}

/* In all cells where a stone of a level may lie that is so near. */
static double gap_in_level(const rp_stones *stones, unsigned level, rp_vec3 at, double gap)
{
    double edge = edge_of(stones, level), reach = gap + edge / 2;
    int64_t low[3] = {cell_of(at.x - reach, edge), cell_of(at.y - reach, edge),
                      cell_of(at.z - reach, edge)};
    int64_t high[3] = {cell_of(at.x + reach, edge), cell_of(at.y + reach, edge),
                       cell_of(at.z + reach, edge)};
    for (int64_t k = low[2]; k <= high[2]; k++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t i = low[0]; i <= high[0]; i++)
                gap = gap_in_slot(stones, slot_of(stones, level, i, j, k), at, gap);
    return gap;
}

/* The shifts by a period along an axis from which stones may be seen; 0 is always one. */
static int shifts_of(const rp_stones *stones, int axis, double x, double reach, double shifts[3])
{
    const rp_domain_spec *d = stones->domain;
    const double low[3] = {d->low.x, d->low.y, d->low.z},
                 high[3] = {d->high.x, d->high.y, d->high.z};
    double length = high[axis] - low[axis];
    int count = 0;
    shifts[count++] = 0;
    if (!(d->periodic >> axis & 1)) return count;
    if (x + length <= high[axis] + reach) shifts[count++] = length;
    if (x - length >= low[axis] - reach) shifts[count++] = -length;
    return count;
}

double rp_stones_gap(const rp_stones *stones, rp_vec3 at, double near)
{
    double gap = near, reach = near + stones->most, x[3], y[3], z[3];
    if (!stones->count) return near;
    at = rp_world_domain_wrapped(stones->domain, at);
    int nx = shifts_of(stones, 0, at.x, reach, x), ny = shifts_of(stones, 1, at.y, reach, y),
        nz = shifts_of(stones, 2, at.z, reach, z);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                for (unsigned level = 0; level < stones->levels; level++) {
                    rp_vec3 from = rp_v3_add(at, rp_v3(x[i], y[j], z[k]));
                    gap = fmin(gap, gap_in_level(stones, level, from, fmax(gap, 0)));
                }
    return gap;
}

/* --- placing -----------------------------------------------------------------------------------
 */

/* m3 that a large grain takes from the lattice in the mean: all places nearer than half a spacing.
 */
static double space_of_large(const rp_scene *scene, const rp_grain_split *split, int material)
{
    double space = 0, shares = 0;
    for (int i = 0; i < scene->grains.count; i++) {
        const rp_grain_spec *kind = &rp_scene_grains(scene)[i];
        double share = rp_grain_share(scene, material, i) * (1 - split->fits[i]);
        shares += share;
        for (int n = 0; n < POINTS && share > 0; n++) {
            double part = split->fits[i] + (1 - split->fits[i]) * (n + 0.5) / POINTS;
            double reach = rp_grain_size(kind, part) + split->spacing;
            space += share * RP_PI / 6 * reach * reach * reach / POINTS;
        }
    }
    return space / shares;
}

size_t rp_large_count(const rp_scene *scene, const rp_grain_split *split, int material,
                      double places)
{
    if (!(split->large > 0)) return 0;
    double cell = split->spacing * split->spacing * split->spacing;
    double each = split->fine * cell / split->large + space_of_large(scene, split, material);
    return (size_t)floor(places * cell / each + 0.5);
}

/* Sizes in descending order; those that are equal as they came. */
typedef struct ranked {
    double diameter;
    size_t number;
} ranked;

static int compare_sizes(const void *a, const void *b)
{
    const ranked *left = a, *right = b;
    if (left->diameter != right->diameter) return left->diameter > right->diameter ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static bool has_room(const rp_world *world, const rp_source_spec *source, const rp_stones *stones,
                     rp_vec3 local, double radius)
{
    const rp_domain_spec *domain = &world->scene->domain;
    if (rp_shape_distance(&source->shape, local, NULL) > -radius) return false;
    rp_vec3 point = rp_pose_to_world(source->pose, local);
    return !rp_world_domain_walls_off(domain, point, radius) &&
           rp_stones_gap(stones, point, radius) >= radius &&
           rp_world_gap_to_voids(world, point) >= radius &&
           rp_world_gap_to_bodies(world, rp_world_domain_wrapped(domain, point)) >= radius;
}

/* Anywhere in the source's box, until a try finds room. */
static bool find_room(const rp_world *world, const rp_source_spec *source, const rp_stones *stones,
                      double radius, size_t number, rp_vec3 *out)
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
        if (!has_room(world, source, stones, local, radius)) continue;
        *out = rp_pose_to_world(source->pose, local);
        return true;
    }
    return false;
}

rp_code rp_large_place(const rp_world *world, const rp_source_spec *source, const double *diameters,
                       size_t count, rp_stones *stones, rp_vec3 *positions, uint8_t *lost,
                       rp_report *report)
{
    ranked *order = rp_allocate(count * sizeof *order);
    if (!order) return rp_fail_memory(report, count * sizeof *order, source->name);
    for (size_t n = 0; n < count; n++)
        order[n] = (ranked){diameters[n], n};
    qsort(order, count, sizeof *order, compare_sizes);
    rp_code code = RP_OK;
    for (size_t n = 0; n < count && code == RP_OK; n++) {
        size_t i = order[n].number;
        if (rp_is_stopped(&world->stop)) code = RP_INTERRUPTED;
        lost[i] = !find_room(world, source, stones, diameters[i] / 2, n, &positions[i]);
        if (!lost[i] && !rp_stones_add(stones, positions[i], diameters[i] / 2))
            code = rp_fail_memory(report, count * sizeof(rp_stone), source->name);
    }
    rp_release(order, count * sizeof *order);
    return code;
}
