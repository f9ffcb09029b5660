/* Where grains may appear: clear of voids (W10) and bodies (W11); docs/theory/world.md. */
#include "base/random.h"
#include "base/report.h"
#include "world/inside.h"

#include <stdlib.h>

/* A box spares the search in a mesh for all that is clearly outside. */
double rp_clearance_distance(const rp_shape *shape, rp_pose pose, rp_vec3 point, double near)
{
    rp_vec3 at = rp_pose_to_local(pose, point);
    rp_box3 box = rp_shape_bounds(shape);
    double x = fmax(0, fmax(box.low.x - at.x, at.x - box.high.x));
    double y = fmax(0, fmax(box.low.y - at.y, at.y - box.high.y));
    double z = fmax(0, fmax(box.low.z - at.z, at.z - box.high.z));
    double outside = rp_v3_length(rp_v3(x, y, z));
    return outside > near ? outside : rp_shape_distance(shape, at, NULL);
}

/* The same to grains that are fixed on bodies and walls; infinite where there are none. */
static double gap_to_fixed(const rp_world *world, rp_vec3 point, double near)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double gap = INFINITY;
    for (int i = 0; i < rp_couple_count(world->couple); i++)
        if (surfaces[i].rough) gap = fmin(gap, rp_surface_fixed_gap(&surfaces[i], point, near));
    return gap;
}

rp_box3 rp_clearance_surface_bounds(const rp_surface *surface)
{
    rp_box3 local = rp_shape_bounds(surface->shape);
    rp_box3 box = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    for (int c = 0; c < 8; c++) {
        rp_vec3 corner =
            rp_v3(c & 1 ? local.high.x : local.low.x, c & 2 ? local.high.y : local.low.y,
                  c & 4 ? local.high.z : local.low.z);
        corner = rp_pose_to_world(surface->pose, corner);
        box.low = rp_v3_min(box.low, corner);
        box.high = rp_v3_max(box.high, corner);
    }
    return box;
}

double rp_world_distance_to_solids(const rp_world *world, rp_vec3 point, unsigned solids,
                                   double near)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double gap = INFINITY;
    for (int i = 0; i < rp_couple_count(world->couple); i++) {
        const rp_surface *s = &surfaces[i];
        unsigned kind = s->body < 0  ? RP_SOLID_WALLS
                        : s->dynamic ? RP_SOLID_DYNAMIC
                                     : RP_SOLID_FIXED;
        if (kind & solids) gap = fmin(gap, rp_clearance_distance(s->shape, s->pose, point, near));
    }
    return gap;
}

double rp_world_distance_to_voids(const rp_world *world, rp_vec3 point)
{
    const rp_void_spec *voids = rp_scene_voids(world->scene);
    double gap = INFINITY, near = world->scene->particles.spacing;
    for (int i = 0; i < world->scene->voids.count; i++)
        gap = fmin(gap, rp_clearance_distance(&voids[i].shape, voids[i].pose, point, near));
    return gap;
}

double rp_world_distance_to_bodies(const rp_world *world, rp_vec3 point)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double near = world->scene->particles.spacing, gap = gap_to_fixed(world, point, near);
    for (int i = 0; i < rp_couple_count(world->couple); i++)
        if (surfaces[i].body >= 0)
            gap =
                fmin(gap, rp_clearance_distance(surfaces[i].shape, surfaces[i].pose, point, near));
    return gap;
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
bool rp_world_domain_is_behind_wall(const rp_domain_spec *domain, rp_vec3 at, double clearance)
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

/* A lattice that stands on a floor is just as far from it, so rounding must not count. */
double rp_clearance_of_spacing(double spacing)
{
    return spacing * (0.5 - 1e-6);
}

double rp_scene_clearance(const rp_scene *scene)
{
    return rp_clearance_of_spacing(scene->particles.spacing);
}

/* --- large grains in a spatial hash ----------------------------------------------------------- */

#define LEVELS_MOST 16

/* --- stones ------------------------------------------------------------------------------------
 */

static double edge_of(const rp_large_spheres *stones, unsigned level)
{
    return ldexp(stones->least, (int)level + 1);
}

static unsigned level_of(const rp_large_spheres *stones, double radius)
{
    unsigned level = 0;
    while (level + 1 < LEVELS_MOST && radius > ldexp(stones->least, (int)level))
        level++;
    return level;
}

static size_t slot_of(const rp_large_spheres *stones, unsigned level, int64_t i, int64_t j,
                      int64_t k)
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

static void link_stone(rp_large_spheres *stones, size_t number)
{
    rp_large_sphere *s = &stones->items[number];
    unsigned level = level_of(stones, s->radius);
    double edge = edge_of(stones, level);
    size_t slot = slot_of(stones, level, cell_of(s->at.x, edge), cell_of(s->at.y, edge),
                          cell_of(s->at.z, edge));
    s->next = stones->slots[slot];
    stones->slots[slot] = (uint32_t)number + 1;
    if (level + 1 > stones->levels) stones->levels = level + 1;
}

/* At least two slots for each. */
static bool widen_slots(rp_large_spheres *stones)
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

bool rp_large_spheres_add(rp_large_spheres *stones, rp_vec3 at, double radius)
{
    if (!rp_reserve((void **)&stones->items, &stones->capacity, stones->count, stones->count + 1,
                    sizeof *stones->items) ||
        !widen_slots(stones))
        return false;
    stones->items[stones->count] =
        (rp_large_sphere){rp_world_domain_wrapped(stones->domain, at), radius, 0};
    stones->most = fmax(stones->most, radius);
    link_stone(stones, stones->count++);
    return true;
}

void rp_large_spheres_end(rp_large_spheres *stones)
{
    rp_release(stones->items, stones->capacity * sizeof *stones->items);
    if (stones->slots) rp_release(stones->slots, stones->slot_count * sizeof *stones->slots);
    *stones = (rp_large_spheres){0};
}

rp_code rp_large_spheres_collect(rp_large_spheres *stones, const rp_world *world, rp_report *report)
{
    const rp_scene *scene = world->scene;
    const rp_grains *p = &world->grains;
    double room = rp_grain_max_diameter(scene);
    *stones = (rp_large_spheres){.domain = &scene->domain, .least = room / 2};
    for (size_t i = 0; p->diameter && i < p->count; i++) {
        rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
        if ((double)p->diameter[i] <= room || !isfinite(rp_v3_length(at))) continue;
        if (rp_large_spheres_add(stones, at, (double)p->diameter[i] / 2)) continue;
        rp_large_spheres_end(stones);
        return rp_fail_memory(report, p->count * sizeof(rp_large_sphere), "large grains");
    }
    return RP_OK;
}

static double gap_in_slot(const rp_large_spheres *stones, size_t slot, rp_vec3 at, double gap)
{
    for (uint32_t n = stones->slots[slot]; n; n = stones->items[n - 1].next) {
        const rp_large_sphere *s = &stones->items[n - 1];
        gap = fmin(gap, rp_v3_length(rp_v3_sub(at, s->at)) - s->radius);
    }
    return gap;
}

/* In all cells where a stone of a level may lie that is so near. */
static double gap_in_level(const rp_large_spheres *stones, unsigned level, rp_vec3 at, double gap)
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
static int shifts_of(const rp_large_spheres *stones, int axis, double x, double reach,
                     double shifts[3])
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

double rp_large_spheres_distance(const rp_large_spheres *stones, rp_vec3 at, double near)
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

double rp_large_spheres_clearance(const rp_scene *scene, double spacing)
{
    return spacing * (0.5 + 0.37 * scene->particles.jitter);
}
