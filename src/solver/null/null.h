/* The null solver: grains that fly freely, bounce on surfaces and do not see each other. It is the
 * template for newcomers, the test of the seam, and the floor of what any solver costs: it sorts
 * grains and, when asked, lists their neighbours and sums their density, as real solvers must.
 * Since nothing keeps them apart, resting grains share their places, and lists there grow without
 * end: so that is off unless asked for. */
#ifndef RP_SOLVER_NULL_H
#define RP_SOLVER_NULL_H

#include "math/kernel.h"
#include "solver/solver.h"

typedef struct rp_null_params {
    double courant; /* spacings that the fastest grain may move in a step */
    bool density;   /* list neighbours and sum the density */
} rp_null_params;

typedef struct rp_null {
    rp_host host;
    rp_null_params params;
    rp_kernel kernel;     /* support is two spacings: some 32 neighbours */
    float density_factor; /* makes a packed lattice exactly as dense as its material */
    double radius;        /* m, half a spacing: where a grain's surface is */
    rp_lists lists;
} rp_null;

enum { RP_NULL_DENSITY_ERROR }; /* the numbers of a step */

/* step.c */
rp_code rp_null_step(void *state, double time, double dt, rp_report *report);

#endif
