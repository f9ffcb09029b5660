/* Rays through spheres, triangles and tubes. Embree (its third version) lives behind this header
 * and nowhere else.
 *
 * What a ray meets does not depend on the number of threads that built the structure: the distance
 * to a sphere or triangle is computed from that one alone, and of two the nearer is taken. */
#ifndef RP_RENDER_RAYS_H
#define RP_RENDER_RAYS_H

#include "base/threads.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rp_rays rp_rays;

/* Fails where this build has no Embree. */
rp_code rp_rays_create(int threads, rp_rays **out, rp_report *report);
void rp_rays_destroy(rp_rays *rays);

/* Adds `count` spheres (x, y, z, radius) or triangles (three corners each, the fourth number is not
 * used), as they are when the shutter opens and when it closes; `last` is NULL for what stands
 * still. The arrays are borrowed for the life of the structure. Sets are numbered from 0. */
typedef float rp_quad[4];
_Static_assert(sizeof(rp_quad) == 16, "Embree reads and shares arrays of four floats");
rp_code rp_rays_add_spheres(rp_rays *rays, size_t count, const rp_quad *first, const rp_quad *last,
                            rp_report *report);
rp_code rp_rays_add_triangles(rp_rays *rays, size_t count, const rp_quad *first,
                              const rp_quad *last, rp_report *report);
/* Adds `count` tubes that stand still: two ends each (x, y, z, radius), round there. */
rp_code rp_rays_add_tubes(rp_rays *rays, size_t count, const rp_quad *ends, rp_report *report);
/* After the last set, before the first ray. */
rp_code rp_rays_build(rp_rays *rays, rp_report *report);
/* Bytes that the structure takes, without the borrowed arrays. */
size_t rp_rays_bytes(const rp_rays *rays);

typedef struct rp_ray {
    rp_vec3 origin, direction; /* distances are in lengths of the direction */
    double near, far;
    double time; /* 0: the shutter opens; 1: it closes */
} rp_ray;

typedef struct rp_hit {
    double distance;
    unsigned set;   /* in the order in which they were added */
    unsigned index; /* of the sphere, triangle or tube in its set */
    double u, v;    /* of a triangle: the weights of its second and third corner */
} rp_hit;

/* The nearest thing between near and far; false for none. */
bool rp_rays_meet(const rp_rays *rays, const rp_ray *ray, rp_hit *hit);
/* Whether there is anything between near and far. */
bool rp_rays_blocked(const rp_rays *rays, const rp_ray *ray);

/* What the library does by itself, for benchmarks: one ray for each of width x height pixels, from
 * `eye` through corner + x right + y down, and for each that meets something one towards the light.
 * With `scatter` also one off into any direction, as good pictures do, and from what that meets
 * another towards the light. Gives the number of rays. */
size_t rp_rays_bare(const rp_rays *rays, rp_threads *threads, rp_vec3 eye, rp_vec3 corner,
                    rp_vec3 right, rp_vec3 down, int width, int height, rp_vec3 to_light,
                    bool scatter);

#endif
