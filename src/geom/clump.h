/* A clump: a rigid arrangement of overlapping balls, the shape of a grain (multi-sphere particle).
 * Its mass and inertia are those of the union, where the volume that several balls share counts
 * once. */
#ifndef RP_GEOM_CLUMP_H
#define RP_GEOM_CLUMP_H

#include "math/vec.h"
#include "repose/base.h"

#define RP_CLUMP_MAX 32

typedef struct rp_ball {
    rp_vec3 centre;
    double radius;
} rp_ball;

/* In its own frame: about its centre of mass, along its principal axes, scaled so that the bounding
 * ball about the centre has the diameter one. A grain of the diameter D has D times these positions
 * and radii, D^3 times this volume, and D^5 times its density times these moments. */
typedef struct rp_clump {
    int count;
    rp_ball balls[RP_CLUMP_MAX];
    double volume;     /* of the union, of a grain of diameter 1 */
    double inertia[3]; /* principal moments of the union for density 1 and diameter 1 */
} rp_clump;

/* Makes a clump of balls at any positions and in any unit of length. Axes along which the
 * arrangement already has its principal moments, or has equal ones, stay as they are. Refuses zero
 * balls, more than RP_CLUMP_MAX, radii that are not above zero, and numbers that are not finite. */
rp_code rp_clump_make(const rp_ball *balls, int count, rp_clump *out, rp_report *report);

typedef enum rp_grain_shape {
    RP_GRAIN_TETRAHEDRON,
    RP_GRAIN_SPHERE,
    RP_GRAIN_DIMER,
    RP_GRAIN_CUBE,
    RP_GRAIN_SPHERES /* given ball by ball */
} rp_grain_shape;

/* Writes the balls of a named shape, of radius 1; RP_CLUMP_MAX at most. None for RP_GRAIN_SPHERES.
 */
void rp_clump_shape(int shape, rp_ball *balls, int *count);

/* The integrals of 1, of x, y, z, and of xx, yy, zz, xy, xz, yz over the union. The balls must be
 * around the origin and about one across: tolerances are absolute. */
typedef struct rp_union_moments {
    double volume, first[3], second[6];
} rp_union_moments;
rp_union_moments rp_balls_moments(const rp_ball *balls, int count);

#endif
