/* Grains that become wet or dry: regions of the scene, each for a while; (W9) of
 * docs/theory/world.md. Moisture belongs to the grain: it stays when the region ends or the grain
 * leaves it. Nothing but the grains' moisture is kept, so a resumed run needs no more. */
#include "world/world.h"

#define BLOCK 4096
/* Steps meet a region's end but for their rounding. */
#define END_EPSILON 1e-9

/* Always from the same numbers, so that a step that ends at it can be told by equality. */
static double end_of(const rp_moisture_spec *region)
{
    return region->start + region->duration;
}

/* The share of what is missing that a step of `dt` brings: even steps of a rest that shrinks make a
 * straight line. All of it in the last step, and at the end itself, which is what is left of a
 * region without duration. */
static double share_of(const rp_moisture_spec *region, double time, double dt)
{
    double left = end_of(region) - time;
    if (time < region->start || left < 0) return 0;
    return dt >= left * (1 - END_EPSILON) ? 1 : dt / left;
}

typedef struct soaking {
    const rp_grains *particles;
    const rp_moisture_spec *region;
    float share;
} soaking;

static bool is_inside(const rp_moisture_spec *region, rp_vec3 at)
{
    return region->everywhere ||
           rp_shape_contains(&region->shape, rp_pose_to_local(region->pose, at));
}

static void soak(void *context, rp_range range)
{
    const soaking *s = context;
    const rp_grains *p = s->particles;
    float value = (float)s->region->value;
    for (size_t i = range.begin; i < range.end; i++) {
        if (p->moisture[i] == value) continue; /* most of the time most are */
        if (!is_inside(s->region, rp_v3(p->x[i], p->y[i], p->z[i]))) continue;
        p->moisture[i] =
            s->share < 1 ? p->moisture[i] + s->share * (value - p->moisture[i]) : value;
    }
}

void rp_world_moisten(rp_world *world, double dt)
{
    const rp_scene *scene = world->scene;
    for (int i = 0; world->grains.moisture && i < scene->moisture.count; i++) {
        const rp_moisture_spec *region = &rp_scene_moisture(scene)[i];
        soaking s = {&world->grains, region, (float)share_of(region, world->time, dt)};
        if (!(s.share > 0)) continue;
        rp_parallel_for(world->threads, world->grains.count, BLOCK, soak, &s);
    }
}

double rp_moisture_next_event(const rp_world *world)
{
    double next = INFINITY;
    for (int i = 0; i < world->scene->moisture.count; i++) {
        const rp_moisture_spec *region = &rp_scene_moisture(world->scene)[i];
        if (region->start > world->time) next = fmin(next, region->start);
        if (end_of(region) > world->time) next = fmin(next, end_of(region));
    }
    return next;
}
