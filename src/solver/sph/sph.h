/* Granular SPH: sand as a continuum that resists compression and, up to the yield surface of its
 * angle of repose, shear; docs/theory/granular-sph.md, whose equation numbers (G…) stand here.
 *
 * One room, two methods. `frictional` solves pressure and friction together at velocity level with
 * a warm start; `pcisph` is the predictive-corrective scheme of Ihmsen, Wahl and Teschner (2013).
 * They share density, cohesion, viscosity, contacts with solids and sleeping.
 *
 *     sph.c        the tables of the seam      solve.c      the velocity-level solve
 *     step.c       the order of a step         predict.c    the predictive-corrective solve
 *     density.c    fill and pair gradients     contact.c    grains on solids
 *     forces.c     gravity, cohesion, …        sleep.c      resting grains
 *     stress.h     the physics of one grain: yield surface, tensor helpers
 */
#ifndef RP_SOLVER_SPH_H
#define RP_SOLVER_SPH_H

#include "math/kernel.h"
#include "solver/solver.h"

#define RP_SPH_BLOCK 256
#define RP_SPH_MATERIALS 256

/* How the velocity-level problem is iterated; the first is the winner, the others stay for the
 * comparison in the theory page. */
typedef enum rp_sph_iteration { RP_SPH_ACCELERATED, RP_SPH_JACOBI } rp_sph_iteration;
#define RP_SPH_ITERATION_WORDS "accelerated|jacobi"

typedef struct rp_sph_params {
    double courant;    /* spacings that the fastest grain may move in a step */
    int64_t iterations; /* at most, or exactly for pcisph with no thresholds */
    double tolerance;  /* of the solve, in parts of what gravity does in a step */
    double correction; /* share of a density error that is taken back per step */
    int iteration;     /* rp_sph_iteration */
    bool warm_start;
    bool surface;      /* correct the fill near the free surface (G4) */
} rp_sph_params;

/* A pair of vectors of four floats, so that one load brings a neighbour's. */
typedef float rp_four __attribute__((vector_size(16)));

/* A grain near a solid. */
typedef struct rp_sph_contact {
    uint32_t grain;
    int32_t surface;
    float nx, ny, nz; /* out of the solid */
    float ux, uy, uz; /* m/s, of the solid there */
    float gap;        /* m, from the grain's surface to the solid's; negative: inside */
    float friction;   /* tangent */
} rp_sph_contact;

typedef struct rp_sph_material {
    float yield;       /* sqrt(2) tan(angle), (G9) */
    float density;     /* kg/m3 */
    float inverse_mass; /* 1/kg */
} rp_sph_material;

/* What lives for one step, in the arena, in the order of the grains (ghosts included). */
typedef struct rp_sph_work {
    rp_wide *stress;   /* (xx, yy, zz, xy, xz, yz, p, -) at which velocities are taken */
    rp_wide *solution; /* the last projected ones */
    rp_four *velocity; /* m/s */
    rp_four *free;     /* m/s: what velocities would be without pressure and friction */
    float *gradient;   /* three per pair, in list order: V grad W, 1/m */
    rp_four *sum;      /* V sum of grad W; sum of squares in the fourth */
    rp_four *shift;
    float *error;      /* fill minus one, with the surface's share (G4) */
    rp_sph_contact *contacts;
    uint32_t *contact_start; /* of each block, one more than blocks */
    size_t blocks;
} rp_sph_work;

struct rp_solver {
    rp_frame frame;
    rp_sph_params params;
    rp_kernel kernel;
    double spacing;  /* m */
    double volume;   /* m3 of a grain, so that a packed lattice has fill one (G1) */
    double dt, time; /* s, of the step in hand */
    rp_vec3 gravity;
    rp_lists lists;
    rp_sph_work work;
    rp_sph_material materials[RP_SPH_MATERIALS];
    float *stress[6]; /* fields, Pa: the warm start */
    float *damping, *rate;
    rp_step_stats stats;
    double acceleration; /* m/s2, the largest of the last step */
};

/* Tensors are (xx, yy, zz, xy, xz, yz); lane 6 of a wide is the pressure. */

rp_code rp_sph_step(rp_solver *solver, double time, double dt, rp_report *report);
rp_code rp_sph_density(rp_solver *solver, rp_report *report);
rp_code rp_sph_contacts(rp_solver *solver, rp_report *report);
void rp_sph_contact_velocities(const rp_solver *solver, size_t block, rp_four *velocity);
void rp_sph_contact_push(rp_solver *solver, size_t block);
rp_code rp_sph_solve(rp_solver *solver, rp_report *report);
void rp_sph_sync(const rp_solver *solver, void *array, size_t element);

#endif
