/* Granular SPH: sand as a continuum that resists compression and, up to a Drucker-Prager yield
 * surface, shear; docs/theory/granular-sph.md has the equations (G1 ...) that are cited here.
 *
 * One room, two methods. `frictional` solves for pressure and friction together at velocity level,
 * by an accelerated projected gradient method with a warm start; pressure and friction as one
 * constrained minimisation is also the idea of Narain, Golas and Lin, "Free-flowing granular
 * materials with two-way solid coupling" (2010). `pcisph` is the predictive-corrective scheme of
 * Ihmsen, Wahl and Teschner, "A Lagrangian framework for simulating granular material with high
 * detail" (2013), after Alduan and Otaduy, "SPH granular flow with friction and cohesion" (2011).
 * They share everything but the solve.
 *
 *     sph.c           parameter tables, creation     time_step.c    the order of a step
 *     summation.c     volume fraction, gradients     wall_contact.c grains on solids
 *     solve.c         the velocity-level solve       predict.c      the predictive-corrective solve
 *     separation.c    position correction            sleep.c        grains at rest
 *     constitutive.h  the physics of one grain       gradient.h     storage of pair gradients
 *     prefetch.h      software prefetch
 */
#ifndef RP_SOLVER_SPH_H
#define RP_SOLVER_SPH_H

#include "base/threads.h"
#include "math/kernel.h"
#include "solver/solver.h"

#define RP_SPH_BLOCK 256 /* grains that a thread takes at a time */
_Static_assert(RP_SPH_BLOCK % RP_WIDE == 0, "only the last group of eight is short");

/* How the velocity-level problem is iterated: the accelerated projected gradient method (Nesterov),
 * and projected Jacobi for comparison. */
typedef enum rp_sph_scheme { RP_SPH_ACCELERATED, RP_SPH_JACOBI } rp_sph_scheme;
#define RP_SPH_SCHEME_WORDS "accelerated|jacobi"

typedef struct rp_sph_params {
    double courant;           /* CFL number: spacings that the fastest grain may move in a step */
    double fall;              /* largest step, as a fraction of the time to fall one spacing */
    int64_t iterations;       /* largest number of iterations of the solve */
    bool surface;             /* correct the kernel deficiency near the free surface (G4) */
    bool sleeping;            /* let grains at rest sleep */
    double sleep_speed;       /* spacings per second below which a grain may sleep */
    double sleep_time;        /* s that it must have been slower than that */
    double tolerance;         /* frictional: residual strain rate at rest, 1/s */
    double flow_tolerance;    /* frictional: the same in flow, as a fraction of speed / spacing */
    double correction;        /* frictional: fraction of a compression removed per step */
    double slack;             /* frictional: dilation up to which sand keeps its pressure */
    double compression_limit; /* frictional: compression above which grains are separated (G24) */
    int scheme;               /* frictional: rp_sph_scheme */
    bool warm_start;          /* frictional: begin with the stresses of the step before */
    double density_error;     /* pcisph: eta, compression to iterate down to; 0: fixed iterations */
    double stress_change;     /* pcisph: zeta, Pa */
} rp_sph_params;

/* Constants of a material that only granular SPH uses. */
typedef struct rp_sph_material_params {
    double cohesion;        /* Pa, tensile strength, dry */
    double viscosity;       /* damping of velocity differences, dry */
    double wet_cohesion;    /* Pa, at moisture 1; linear in between (W9) */
    double wet_viscosity;   /* likewise */
    double dynamic_angle;   /* rad, frictional: friction angle of the fastest flow; 0: rate-
                               independent friction */
    double inertial_number; /* frictional: I0 of the mu(I) rheology, where half of the growth is
                               reached */
    double grain_diameter;  /* m, frictional: of the real grains; 0 without dynamic_angle */
} rp_sph_material_params;

/* A grain near a solid. */
typedef struct rp_sph_contact {
    uint32_t grain;
    int32_t surface;
    float nx, ny, nz;      /* unit normal, out of the solid */
    float ux, uy, uz;      /* m/s, velocity of the solid at the grain */
    float gap;             /* m, between the grain's surface and the solid's; negative: inside */
    float friction;        /* coefficient */
    float friction_growth; /* added to it for the fastest slip (G14a); 0: rate-independent */
    float slip_scale;      /* m/s, slip at which half of that is added */
} rp_sph_contact;
_Static_assert(sizeof(rp_sph_contact) == 48, "a contact has no padding");

typedef struct rp_sph_material {
    float yield;         /* frictional: sqrt(2) tan(angle), (G9); pcisph: the bound of (G20) */
    float tangent;       /* of the friction angle */
    float cosine;        /* likewise */
    float dynamic_yield; /* frictional: like yield, of the fastest flow (G9d); 0: none */
    float rate_scale;    /* 1/(s sqrt(Pa)), strain rate of half the growth over sqrt(P) (G9d) */
    float density;       /* kg/m3, of packed sand */
    float mobility; /* m3 s/kg, dt V / m of the current step: velocity per stress gradient (G6) */
    float cohesion[2];  /* Pa, dry and wet */
    float viscosity[2]; /* dry and wet */
} rp_sph_material;

/* Terms of the rate-dependent friction of one grain (G9d, G9e). */
typedef struct rp_sph_rate_friction {
    float rate_scale; /* 1/(s sqrt(Pa)), the material's, corrected by the grain's moments */
    float drag;       /* Pa s, viscous stress per strain rate (G16) */
    float fabric;     /* stress ratio that the fabric of pair directions carries */
} rp_sph_rate_friction;

/* Values of a grain at the start of a step that its neighbors read, packed so that one load brings
 * them: position in m, damping in flow (G16), velocity in m/s, cohesion in Pa (G17). Where a grain
 * is inside its yield surface, RP_SPH_BELOW_YIELD (constitutive.h) is added to the damping. */
enum rp_sph_packed {
    RP_SPH_POSITION = 0,
    RP_SPH_DAMPING = 3,
    RP_SPH_VELOCITY = 4,
    RP_SPH_COHESION = 7
};
_Static_assert(RP_SPH_COHESION == RP_WIDE - 1, "the packed values of a grain are a wide value");

/* Lane of rp_sph_work.stress that holds the norm of the stress at the start of a step, and, after
 * the solve, the multiplier that relaxes compression (G8a): the last velocity sweep sums it without
 * extra cost. */
#define RP_SPH_RELAXATION 7
_Static_assert(RP_SPH_RELAXATION == RP_WIDE - 1, "a stress is a wide value");

/* Lane of rp_sph_work.free_velocity and velocity that holds the error of the volume fraction, e of
 * (G4): the stress sweep, which reads velocities, then needs no other array. */
#define RP_SPH_FRACTION_ERROR 3

/* Halo of a block: rows of other blocks that the pairs of its grains refer to, in list order. Of
 * two rows that share a cache line only the first is listed. The halo is only prefetched
 * (prefetch.h), so a row may be listed twice, and rows beyond the capacity are left out. */
#define RP_SPH_HALO_ROWS 383    /* capacity; about 380 in packed beds */
#define RP_SPH_HALO_PER_GRAIN 2 /* rows prefetched with each grain of the block before */
typedef struct rp_sph_halo {
    uint32_t count;
    uint32_t row[RP_SPH_HALO_ROWS];
} rp_sph_halo;
_Static_assert(sizeof(rp_sph_halo) % RP_ALIGNMENT == 0, "blocks share no cache line");

/* Arrays of one step, in the arena, in the order of the grains; some have ghosts behind own grains.
 * A stress is (xx, yy, zz, xy, xz, yz, p, RP_SPH_RELAXATION), so that one load brings a neighbor's.
 */
typedef struct rp_sph_work {
    rp_wide *packed;          /* rp_sph_packed, until the summation is done; with ghosts */
    rp_wide *stress;          /* Pa, extrapolated iterate of the solve (G11); with ghosts */
    float *next_depth;        /* depth of the next step (G9a), until the summation is done */
    rp_float4 *velocity;      /* m/s, and RP_SPH_FRACTION_ERROR; with ghosts */
    rp_float4 *free_velocity; /* m/s, velocity without stress v*; and RP_SPH_FRACTION_ERROR */
    rp_float4 *gradient_sum;  /* G in quanta; lane 3: Q in 1/m2 (G3) */
    rp_sph_halo *halo;        /* of each block */
    int16_t *gradient;        /* V grad W of every pair in list order (G2, gradient.h) */
    float *mean_pressure;     /* Pa, kernel mean of the pressure at the start (G9) */
    float *tensile_strength;  /* Pa (G17) */
    float *yield_scale;       /* frictional: factor of the yield stress (G9a, b) */
    rp_float4 *back_stress;   /* axis of the back stress, scaled (G9c); NULL: no material has it */
    rp_float4 *displacement;  /* frictional: m, relaxes compression (G8a) */
    rp_sph_rate_friction *rate_friction; /* NULL: no material has rate-dependent friction (G9d) */
    float *residual;   /* frictional, with dynamic bodies only: residual strain rate, 1/s */
    float *multiplier; /* kg m2, b of the position correction (G24); with ghosts */
    uint8_t *mark;     /* which grains a sweep of the position correction concerns */
    rp_sph_contact *contacts;
    uint32_t *contact_start; /* of each block */
    uint32_t *contact_end;   /* likewise; there may be spare capacity before the next start */
    double reach; /* m, distance from a grain's centre within which contacts were searched */
    size_t blocks;
} rp_sph_work;

/* State after the last step; saved as RP_SPH_LAST_STEP_DOUBLES doubles. */
typedef struct rp_sph_last_step {
    double sleepers, grains; /* asleep, and all; 0 before the first step */
    rp_vec3 gravity;         /* m/s2 */
} rp_sph_last_step;
#define RP_SPH_LAST_STEP_DOUBLES 5
_Static_assert(sizeof(rp_sph_last_step) == RP_SPH_LAST_STEP_DOUBLES * sizeof(double),
               "it is saved as doubles");

/* The numbers of a step. */
enum { RP_SPH_DENSITY_ERROR, RP_SPH_ITERATIONS };

typedef struct rp_sph {
    rp_host host;
    rp_sph_params params;
    bool predictive;      /* pcisph */
    bool mixed_densities; /* materials differ in density */
    bool cohesive;        /* some material has cohesion */
    bool has_back_stress; /* frictional: some material is steep enough for (G9c) */
    bool rate_dependent;  /* frictional: friction of some material grows with the rate (G9d) */
    rp_kernel kernel;
    double spacing, volume; /* m; m3 of a grain, so that a packed lattice has fraction 1 (G1) */
    float quantum;          /* 1/m, unit in which pair gradients are stored (G2) */
    double lattice_squares; /* 1/m2, sum of squared gradients in a packed lattice, Q0 (G19) */
    double lattice_slope;   /* 1/m, mean gradient there, weighted by itself */
    double fall_time;       /* s, to fall one spacing; without gravity that on Earth */
    double second_moment;   /* m2, of the kernel, M of (G17a) */
    double dt;              /* s, of the current step */
    rp_vec3 gravity;        /* m/s2, of the current step */
    bool first_step;        /* the first step with grains, until they have moved */
    bool weightless;        /* no gravity in the current step */
    rp_lists lists;
    rp_sph_work work;
    rp_sph_material materials[256];
    float *stress[6]; /* Pa, fields: the warm start, and then the latest projected iterate */
    float *depth;     /* field "depth": 0 at the free surface, more below (G9a) */
    float *layer_stress_ratio; /* field "across": n s n / p across layers, time average (G9a) */
    float *compression;        /* field "pressed": compression to be relaxed, accumulated (G8a) */
    float *fabric;             /* field, where rate_dependent: fabric stress ratio (G9e) */
    float *rest_time;          /* field "calm": s that a grain has been slow */
    rp_sph_last_step last;
} rp_sph;

/* Returns a capacity for counts that vary slightly from step to step: the next multiple of a 32nd
 * of their power of two, so that a warm arena seldom grows. */
static inline size_t rp_sph_padded(size_t count)
{
    size_t unit = 8;
    while (unit * 64 <= count)
        unit *= 2;
    return (count / unit + 1) * unit;
}

/* Checks what sweeps over blocks rely on: block bounds, lists of all grains, aligned rows. Returns
 * the number of the block. */
static inline size_t rp_sph_block(const rp_sph *solver, rp_range range)
{
    size_t count = solver->host.grains->count;
    RP_ASSERT(range.begin % RP_SPH_BLOCK == 0 && range.begin < range.end);
    RP_ASSERT(range.end - range.begin <= RP_SPH_BLOCK && range.end <= count);
    RP_ASSERT(solver->lists.query_count == count);
    RP_ASSERT(RP_IS_ALIGNED(solver->work.stress));
    return range.begin / RP_SPH_BLOCK;
}

/* Halo exchange: copies the values of own grains to their ghosts. */
static inline void rp_sph_sync(const rp_sph *solver, void *array, size_t element)
{
    rp_neighbor_sync(solver->host.neighbor, solver->host.grains, array, element);
}

/* --- time_step.c --- */

/* Advances all grains by one step. */
rp_code rp_sph_step(void *state, double time, double dt, rp_report *report);

typedef enum rp_sph_sweep {
    RP_SPH_CONTACTS = 1,     /* apply contacts with solids */
    RP_SPH_SLEEPERS = 2,     /* as if all grains were awake; else sleepers have no velocity */
    RP_SPH_DISPLACEMENTS = 4 /* also work.displacement, from the lane RP_SPH_RELAXATION */
} rp_sph_sweep;
/* (G6): computes work.velocity of all grains from work.stress; `what` are rp_sph_sweep bits. */
void rp_sph_velocities(rp_sph *solver, unsigned what);
/* Copies the grains' stress fields to work.stress, and back. */
void rp_sph_load_stress(rp_sph *solver);
void rp_sph_store_stress(rp_sph *solver);
/* Sets the stress of grains that are awake to zero (cold start). */
void rp_sph_clear_stress(rp_sph *solver);
/* Reports the mean compression as a number of the step. */
void rp_sph_report_density_error(rp_sph *solver);

/* --- summation.c --- */

/* Sorts grains, builds neighbor lists and sums over pairs: volume fraction, gradients, pair forces,
 * yield scale. Allocates the arrays of the step. */
rp_code rp_sph_summation(rp_sph *solver, rp_report *report);
/* Recomputes volume fraction and gradients of the grains marked in `changed`, after some grains
 * were displaced slightly; pair forces and kernel means are not updated. */
void rp_sph_summation_update(rp_sph *solver, const uint8_t *changed);

/* --- wall_contact.c --- */

/* Finds all grains near solids. */
rp_code rp_sph_find_contacts(rp_sph *solver, rp_report *report);
/* Adds the kernel deficiency of single layers on floors to the error of the volume fraction (G4a);
 * after contacts and volume fraction are known. */
void rp_sph_contact_deficiency(rp_sph *solver);
/* (G13, G14): corrects the velocities of a block's grains so that they do not enter solids. Does
 * nothing where bodies are dynamic, since their velocities depend on all blocks. */
void rp_sph_contact_velocities(const rp_sph *solver, size_t block, rp_float4 *velocity);
/* (G15a), where bodies are dynamic: the same for all grains, after one solve of the bodies. */
void rp_sph_contact_body_response(rp_sph *solver);
/* Returns the mean of work.residual over grains in contact with dynamic bodies, 1/s; 0: none. */
double rp_sph_residual_at_bodies(const rp_sph *solver);
/* Applies contacts to the final velocities and adds the reaction forces to the bodies; instead of
 * the functions above. */
rp_code rp_sph_contact_forces(rp_sph *solver, rp_report *report);
/* (G15): moves grains out of solids, by a limited distance per step and without velocity. */
void rp_sph_contact_positions(const rp_sph *solver, size_t block);
/* Projects displacements that would lead a block's grains into solids, or deeper; updates gaps. */
void rp_sph_contact_displacements(const rp_sph *solver, size_t block, rp_float4 *displacement);

/* --- solve.c, predict.c: pressure and friction stress --- */

rp_code rp_sph_solve(rp_sph *solver, rp_report *report);
rp_code rp_sph_predict(rp_sph *solver, rp_report *report);

/* --- separation.c --- */

/* (G8a): writes the multipliers that relax compression to the lane RP_SPH_RELAXATION. */
void rp_sph_relax_compression(const rp_sph *solver);
/* (G24): separates grains that are compressed, by displacements without velocity. */
rp_code rp_sph_separate(rp_sph *solver, rp_report *report);
/* (G25), then (G24): the density at the positions after the move, and separation there. */
void rp_sph_separate_moved(rp_sph *solver);

/* --- sleep.c (G22) --- */

/* Returns whether all grains sleep and nothing has changed since: the step may be skipped. */
bool rp_sph_all_asleep(const rp_sph *solver);
rp_code rp_sph_wake(rp_sph *solver, rp_report *report);
void rp_sph_fall_asleep(rp_sph *solver);

#endif
