/* Where grains may appear: distances from voids (W10), bodies (W11), walls and large grains (W17);
 * docs/theory/world.md. */
#include "base/random.h"
#include "base/report.h"
#include "world/inside.h"

#include <stdlib.h>

/* The bounding box avoids the search in a mesh for points that are clearly outside. */
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

/* Returns the distance to grains that are fixed on bodies and walls; infinity where there are none.
 */
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

rp_vec3 rp_world_domain_wrapped(const rp_domain_spec *domain, rp_vec3 at)
{
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    if (domain->periodic & 1) at.x -= length.x * floor((at.x - domain->low.x) / length.x);
    if (domain->periodic & 2) at.y -= length.y * floor((at.y - domain->low.y) / length.y);
    if (domain->periodic & 4) at.z -= length.z * floor((at.z - domain->low.z) / length.z);
    return at;
}

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

/* A lattice that stands on a floor is exactly half a spacing from it: rounding must not count. */
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

/* Returns the edge of a cell, m: the diameter of the largest sphere of the level, doubled per
 * level. */
static double edge_of(const rp_large_spheres *spheres, unsigned level)
{
    return ldexp(spheres->least, (int)level + 1);
}

static unsigned level_of(const rp_large_spheres *spheres, double radius)
{
    unsigned level = 0;
    while (level + 1 < LEVELS_MOST && radius > ldexp(spheres->least, (int)level))
        level++;
    return level;
}

/* Hashes a cell to a slot; the number of slots is a power of two. */
static size_t slot_of(const rp_large_spheres *spheres, unsigned level, int64_t i, int64_t j,
                      int64_t k)
{
    uint64_t key = (uint64_t)i * 0x9e3779b97f4a7c15ull ^ (uint64_t)j * 0xc2b2ae3d27d4eb4full ^
                   (uint64_t)k * 0x165667b19e3779f9ull ^ (uint64_t)level << 59;
    key *= 0xff51afd7ed558ccdull;
    return (size_t)(key >> 32) & (spheres->slot_count - 1);
}

static int64_t cell_of(double x, double edge)
{
    return (int64_t)floor(x / edge);
}

static void link_sphere(rp_large_spheres *spheres, size_t number)
{
    rp_large_sphere *s = &spheres->items[number];
    unsigned level = level_of(spheres, s->radius);
    double edge = edge_of(spheres, level);
    size_t slot = slot_of(spheres, level, cell_of(s->at.x, edge), cell_of(s->at.y, edge),
                          cell_of(s->at.z, edge));
    s->next = spheres->slots[slot];
    spheres->slots[slot] = (uint32_t)number + 1;
    if (level + 1 > spheres->levels) spheres->levels = level + 1;
}

/* Keeps at least two slots per sphere. */
static bool grow_slots(rp_large_spheres *spheres)
{
    size_t wanted = spheres->slot_count ? spheres->slot_count : 64;
    while (wanted < 2 * (spheres->count + 1))
        wanted *= 2;
    if (wanted == spheres->slot_count) return true;
    uint32_t *slots = rp_allocate_zero(wanted * sizeof *slots);
    if (!slots) return false;
    if (spheres->slots) rp_release(spheres->slots, spheres->slot_count * sizeof *slots);
    spheres->slots = slots;
    spheres->slot_count = wanted;
    for (size_t n = 0; n < spheres->count; n++)
        link_sphere(spheres, n);
    return true;
}

bool rp_large_spheres_add(rp_large_spheres *spheres, rp_vec3 at, double radius)
{
    if (!rp_reserve((void **)&spheres->items, &spheres->capacity, spheres->count,
                    spheres->count + 1, sizeof *spheres->items) ||
        !grow_slots(spheres))
        return false;
    spheres->items[spheres->count] =
        (rp_large_sphere){rp_world_domain_wrapped(spheres->domain, at), radius, 0};
    spheres->most = fmax(spheres->most, radius);
    link_sphere(spheres, spheres->count++);
    return true;
}

void rp_large_spheres_end(rp_large_spheres *spheres)
{
    rp_release(spheres->items, spheres->capacity * sizeof *spheres->items);
    if (spheres->slots) rp_release(spheres->slots, spheres->slot_count * sizeof *spheres->slots);
    *spheres = (rp_large_spheres){0};
}

rp_code rp_large_spheres_collect(rp_large_spheres *spheres, const rp_world *world,
                                 rp_report *report)
{
    const rp_scene *scene = world->scene;
    const rp_grains *p = &world->grains;
    double max_diameter = rp_grain_max_diameter(scene);
    *spheres = (rp_large_spheres){.domain = &scene->domain, .least = max_diameter / 2};
    for (size_t i = 0; p->diameter && i < p->count; i++) {
        rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
        if ((double)p->diameter[i] <= max_diameter || !isfinite(rp_v3_length(at))) continue;
        if (rp_large_spheres_add(spheres, at, (double)p->diameter[i] / 2)) continue;
        rp_large_spheres_end(spheres);
        return rp_fail_memory(report, p->count * sizeof(rp_large_sphere), "large grains");
    }
    return RP_OK;
}

static double gap_in_slot(const rp_large_spheres *spheres, size_t slot, rp_vec3 at, double gap)
{
    for (uint32_t n = spheres->slots[slot]; n; n = spheres->items[n - 1].next) {
        const rp_large_sphere *s = &spheres->items[n - 1];
        gap = fmin(gap, rp_v3_length(rp_v3_sub(at, s->at)) - s->radius);
    }
    return gap;
}

/* Searches all cells in which a sphere of this level may be nearer than `gap`. */
static double gap_in_level(const rp_large_spheres *spheres, unsigned level, rp_vec3 at, double gap)
{
    double edge = edge_of(spheres, level), reach = gap + edge / 2;
    int64_t low[3] = {cell_of(at.x - reach, edge), cell_of(at.y - reach, edge),
                      cell_of(at.z - reach, edge)};
    int64_t high[3] = {cell_of(at.x + reach, edge), cell_of(at.y + reach, edge),
                       cell_of(at.z + reach, edge)};
    for (int64_t k = low[2]; k <= high[2]; k++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t i = low[0]; i <= high[0]; i++)
                gap = gap_in_slot(spheres, slot_of(spheres, level, i, j, k), at, gap);
    return gap;
}

/* The shifts by a period along an axis from which spheres may be seen; 0 is always one. */
static int shifts_of(const rp_large_spheres *spheres, int axis, double x, double reach,
                     double shifts[3])
{
    const rp_domain_spec *d = spheres->domain;
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

double rp_large_spheres_distance(const rp_large_spheres *spheres, rp_vec3 at, double near)
{
    double gap = near, reach = near + spheres->most, x[3], y[3], z[3];
    if (!spheres->count) return near;
    at = rp_world_domain_wrapped(spheres->domain, at);
    int nx = shifts_of(spheres, 0, at.x, reach, x), ny = shifts_of(spheres, 1, at.y, reach, y),
        nz = shifts_of(spheres, 2, at.z, reach, z);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                for (unsigned level = 0; level < spheres->levels; level++) {
                    rp_vec3 from = rp_v3_add(at, rp_v3(x[i], y[j], z[k]));
                    gap = fmin(gap, gap_in_level(spheres, level, from, fmax(gap, 0)));
                }
    return gap;
}

double rp_large_spheres_clearance(const rp_scene *scene, double spacing)
{
    return spacing * (0.5 + 0.37 * scene->particles.jitter);
}
