/* Where grains may appear: clear of voids (W10) and bodies (W11); docs/theory/world.md. */
#include "world/world.h"

/* A box spares the search in a mesh for all that is clearly outside. */
double rp_clear_gap(const rp_shape *shape, rp_pose pose, rp_vec3 point, double near)
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

rp_box3 rp_clear_surface_bounds(const rp_surface *surface)
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

double rp_world_gap_to_solids(const rp_world *world, rp_vec3 point, unsigned solids, double near)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double gap = INFINITY;
    for (int i = 0; i < rp_couple_count(world->couple); i++) {
        const rp_surface *s = &surfaces[i];
        unsigned kind = s->body < 0  ? RP_SOLID_WALLS
                        : s->dynamic ? RP_SOLID_DYNAMIC
                                     : RP_SOLID_FIXED;
        if (kind & solids) gap = fmin(gap, rp_clear_gap(s->shape, s->pose, point, near));
    }
    return gap;
}

double rp_world_gap_to_voids(const rp_world *world, rp_vec3 point)
{
    const rp_void_spec *voids = rp_scene_voids(world->scene);
    double gap = INFINITY, near = world->scene->particles.spacing;
    for (int i = 0; i < world->scene->voids.count; i++)
        gap = fmin(gap, rp_clear_gap(&voids[i].shape, voids[i].pose, point, near));
    return gap;
}

double rp_world_gap_to_bodies(const rp_world *world, rp_vec3 point)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double near = world->scene->particles.spacing, gap = gap_to_fixed(world, point, near);
    for (int i = 0; i < rp_couple_count(world->couple); i++)
        if (surfaces[i].body >= 0)
            gap = fmin(gap, rp_clear_gap(surfaces[i].shape, surfaces[i].pose, point, near));
    return gap;
}
