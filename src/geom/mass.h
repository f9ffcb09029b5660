/* Mass, centre and inertia of solids of uniform density. */
#ifndef RP_GEOM_MASS_H
#define RP_GEOM_MASS_H

#include "geom/shape.h"

typedef struct rp_mass {
    double mass;    /* kg */
    rp_vec3 centre; /* m, in the shape's frame */
    /* kg m2 about the centre, along the shape's axes: xx, yy, zz, xy, xz, yz. The last three are
     * entries of the tensor: products of inertia with their minus sign. */
    double inertia[6];
} rp_mass;

/* Computes mass properties: exact for every kind; a mesh by integration over its triangles, and
 * over the common volume of its parts with the error in `mesh->overlap`. A plane is infinite: so
 * are its mass and inertia. `density` in kg/m3. */
void rp_shape_mass(const rp_shape *shape, double density, rp_mass *mass);
/* True when a body can have it: a mass above 0, and a positive definite inertia tensor. */
bool rp_mass_is_sound(const rp_mass *mass);

#endif
