/* Mass, middle and inertia of solids of even density. */
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

/* Exact for every kind; a mesh by integration over its triangles, and over what its parts have in
 * common with an error that `mesh->overlap` tells. A plane has no end: its mass and
 * inertia are infinite. `density` in kg/m3. */
void rp_shape_mass(const rp_shape *shape, double density, rp_mass *mass);
/* True when a body can have it: a mass above 0, and an inertia that resists every turn (a positive
 * definite tensor). */
bool rp_mass_is_sound(const rp_mass *mass);

#endif
