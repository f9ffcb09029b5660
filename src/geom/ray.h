/* Ray casting: the first intersection of a ray with a shape. */
#ifndef RP_GEOM_RAY_H
#define RP_GEOM_RAY_H

#include "geom/shape.h"

/* A half line in the frame of the shape. */
typedef struct rp_geom_ray {
    rp_vec3 from;      /* m */
    rp_vec3 direction; /* a unit vector */
    double limit;      /* m, length of the ray; may be infinite */
} rp_geom_ray;

/* True when the ray hits the solid; then the distance along it (m) and the outward normal there. A
 * ray that starts inside hits at distance 0, with the normal of the nearest point of the surface. A
 * mesh that is not prepared is tested triangle by triangle. */
bool rp_shape_ray(const rp_shape *shape, const rp_geom_ray *ray, double *distance, rp_vec3 *normal);
/* Computes the part of a ray within a box, by the slab method: false where there is none. */
bool rp_ray_box(const rp_box3 *box, const rp_geom_ray *ray, double *enter, double *leave);

#endif
