/* Rays against shapes: the first point of the surface along a straight line. */
#ifndef RP_GEOM_RAY_H
#define RP_GEOM_RAY_H

#include "geom/shape.h"

/* A half line in the frame of the shape. */
typedef struct rp_geom_ray {
    rp_vec3 from;      /* m */
    rp_vec3 direction; /* a unit vector */
    double limit;      /* m, from its start: what is farther does not count; may be infinite */
} rp_geom_ray;

/* Whether the ray meets the solid; then the distance along it and the outward normal there. A ray
 * that starts inside meets it at distance 0, with the normal of the nearest point of the surface.
 * A mesh that is not prepared is searched triangle by triangle. */
bool rp_shape_ray(const rp_shape *shape, const rp_geom_ray *ray, double *distance, rp_vec3 *normal);
/* The part of a ray within a box, by the slab method: false where there is none. */
bool rp_ray_box(const rp_box3 *box, const rp_geom_ray *ray, double *enter, double *leave);

#endif
