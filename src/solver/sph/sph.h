/* Granular SPH: sand as a continuum that resists compression and, up to the yield surface of its
 * angle of repose, shear; docs/theory/granular-sph.md has the equations (G1 …) named here.
 *
 * One room, two methods. `frictional` solves pressure and friction together at velocity level with
 * a warm start; `pcisph` is the predictive-corrective scheme of Ihmsen, Wahl and Teschner, "A
 * Lagrangian framework for simulating granular material with high detail" (2013). They share
 * everything but the solve.
 *
 *     sph.c      the tables of the seam               step.c     the order of a step
 *     density.c  fill, pair gradients, pair forces    contact.c  grains on solids
 *     sweep.c    stresses to velocities               sleep.c    grains at rest
 *     solve.c    the velocity-level solve             predict.c  the predictive-corrective solve
 *     part.c     grains that are pressed together     stress.h   the physics of one grain
 *     gradient.h how gradients are kept               ahead.h    what is asked for ahead
 */
#ifndef RP_SOLVER_SPH_H
#define RP_SOLVER_SPH_H

#include "base/threads.h"
#include "math/kernel.h"
#include "solver/solver.h"

#define RP_SPH_BLOCK 256 /* grains that a thread takes at a time */
_Static_assert(RP_SPH_BLOCK % RP_WIDE == 0, "only the last group of eight is short");

/* How the velocity-level problem is iterated: the winner first, the other for comparison. */
typedef enum rp_sph_scheme { RP_SPH_ACCELERATED, RP_SPH_JACOBI } rp_sph_scheme;
#define RP_SPH_SCHEME_WORDS "accelerated|jacobi"

typedef struct rp_sph_params {
    double courant;        /* spacings that the fastest grain may move in a step */
    double fall;           /* share of the time to fall one spacing that a step may take */
    int64_t iterations;    /* of the solve, at most */
    bool surface;          /* correct the fill near the free surface (G4) */
    bool sleeping;         /* let grains at rest sleep */
    double sleep_speed;    /* spacings per second below which a grain may sleep */
    double sleep_time;     /* s that it must have been so slow */
    double tolerance;      /* frictional: strain rate that may be left, 1/s */
    double flow_tolerance; /* frictional: the same in parts of speed over spacing */
    double correction;     /* frictional: share of a density error taken back per step */
    double slack;          /* frictional: dilation that keeps its pressure */
    double squeeze;        /* frictional: compression from which on grains are moved apart */
    int scheme;            /* frictional: rp_sph_scheme */
    bool warm_start;       /* frictional */
    double density_error;  /* pcisph: eta, compression to iterate down to; 0: fixed iterations */
    double stress_change;  /* pcisph: zeta, Pa */
} rp_sph_params;

/* What granular SPH alone knows of a material. */
typedef struct rp_sph_material_params {
    double cohesion;      /* Pa, tensile strength, dry */
    double viscosity;     /* inner damping of motion, dry */
    double wet_cohesion;  /* Pa, at moisture 1; in between it changes evenly (W9) */
    double wet_viscosity; /* likewise */
    double dynamic_angle; /* rad, frictional: friction of the fastest flow; 0: at any rate alike */
    double inertial_number; /* frictional: at which friction is half way there */
    double
        grain_diameter; /* m, frictional: of the real grains; 0 where there is no dynamic_angle */
} rp_sph_material_params;

/* A grain near a solid. */
typedef struct rp_sph_contact {
    uint32_t grain;
    int32_t surface;
    float nx, ny, nz; /* out of the solid */
    float ux, uy, uz; /* m/s, of the solid there */
    float gap;        /* m, from the grain's surface to the solid's; negative: inside */
    float friction;   /* tangent */
    float growth;     /* of friction with the slip, to be added for the fastest (G14a); 0: none */
    float pace;       /* m/s, slip at which half of it is added */
} rp_sph_contact;
_Static_assert(sizeof(rp_sph_contact) == 48, "a contact has no padding");

typedef struct rp_sph_material {
    float yield;        /* frictional: sqrt(2) tan(angle), (G9); pcisph: the clamp (G20) */
    float tangent;      /* of the angle */
    float cosine;       /* likewise */
    float dynamic;      /* frictional: like yield, of the fastest flow (G9d); 0: none */
    float pace;         /* 1/(s sqrt(Pa)), strain rate half way there, over sqrt(P) (G9d) */
    float density;      /* kg/m3 */
    float push;         /* dt V / m, (G6); of the step in hand */
    float cohesion[2];  /* Pa, dry and wet */
    float viscosity[2]; /* dry and wet */
} rp_sph_material;

/* What the friction of a grain that flows depends on (G9d, G9e). */
typedef struct rp_sph_flow {
    float pace;   /* 1/(s sqrt(Pa)), the material's, by the strain rates that the grain sees */
    float drag;   /* Pa s, times the strain rate what viscosity adds to friction (G16) */
    float fabric; /* in parts of pressure, what the arrangement of grains adds to it */
} rp_sph_flow;

/* What others see of a grain at the start of a step, so that one load brings it: the place in m,
 * the share of velocity differences lost in flow (G16), the velocity in m/s, the cohesion in Pa
 * (G17). Where a grain is inside its yield surface, RP_SPH_STUCK (stress.h) is added to the share.
 */
enum rp_sph_seen { RP_SPH_PLACE = 0, RP_SPH_DAMPING = 3, RP_SPH_VELOCITY = 4, RP_SPH_COHESION = 7 };
_Static_assert(RP_SPH_COHESION == RP_WIDE - 1, "what is seen of a grain is a wide value");

/* The lane of rp_sph_work.stress that has a stress's size at the start of the step, and, when
 * stresses are found, what eases a compression (G8a): the sweep that sums stresses brings it along.
 */
#define RP_SPH_EASE 7
_Static_assert(RP_SPH_EASE == RP_WIDE - 1, "a stress is a wide value");

/* The lane of rp_sph_work.free and velocity that has the fill minus one, with the surface's share
 * (G4): the sweep that reads velocities then needs nothing else of what is free. */
#define RP_SPH_ERROR 3

/* The rows outside of a block of grains that its pairs lead to, in the order in which they do; the
 * first one of two, which share a cache line if they are long. They are only asked for (ahead.h): a
 * row may be there twice, and beyond the room some are left out. */
#define RP_SPH_OUTSIDE 383    /* about 380 in packed beds */
#define RP_SPH_OUTSIDE_EACH 2 /* with each grain of the block before */
typedef struct rp_sph_outside {
    uint32_t count;
    uint32_t row[RP_SPH_OUTSIDE];
} rp_sph_outside;
_Static_assert(sizeof(rp_sph_outside) % RP_ALIGNMENT == 0, "blocks share no cache line");

/* What lives for one step, in the arena, in the grains' order; where it says so, ghosts follow. A
 * stress is (xx, yy, zz, xy, xz, yz, p, RP_SPH_EASE), so that one load brings a neighbor's. */
typedef struct rp_sph_work {
    rp_wide *seen;     /* rp_sph_seen, until the fill is known; with ghosts */
    rp_wide *stress;   /* Pa, that velocities are taken at; with ghosts */
    float *depth;      /* of the next step (G9a), until the fill is known */
    rp_four *velocity; /* m/s, and RP_SPH_ERROR as in `free`; with ghosts */
    rp_four *free;     /* m/s, what velocities would be without stress; and RP_SPH_ERROR */
    rp_four *sum;      /* of the pair gradients, quanta; of their squares by mass, 1/m2 (G3) */
    rp_sph_outside *outside; /* of each block */
    int16_t *gradient;       /* V grad W of every pair in list order, in quanta (G2, gradient.h) */
    float *around;           /* Pa, mean pressure of a grain's neighborhood at the start (G9) */
    float *strength;         /* Pa, tension that a grain bears (G17) */
    float *grip;             /* frictional: what the yield stress is multiplied with (G9a, b) */
    rp_four *lean;           /* which way sand leans, and how much (G9c); NULL where none does */
    rp_four *way;            /* frictional: m, by which compression is eased (G8a) */
    rp_sph_flow *flow;       /* NULL where friction of no material grows with the rate (G9d) */
    float *left;   /* frictional, with dynamic bodies only: strain rates to be removed, 1/s */
    float *push;   /* kg m2, what grains that are pressed push others with (G24); with ghosts */
    uint8_t *mark; /* part.c's, who is concerned */
    rp_sph_contact *contacts;
    uint32_t *contact_start; /* of each block */
    uint32_t *contact_end;   /* likewise; there may be room before the next one's start */
    double reach;            /* m, from grains' middles: surfaces that contacts are known with */
    size_t blocks;
} rp_sph_work;

/* How it was after the last step; saved as RP_SPH_SLEPT doubles. */
typedef struct rp_sph_slept {
    double sleepers, grains; /* asleep, and all; none before the first step */
    rp_vec3 gravity;         /* m/s2 */
} rp_sph_slept;
#define RP_SPH_SLEPT 5
_Static_assert(sizeof(rp_sph_slept) == RP_SPH_SLEPT * sizeof(double), "it is saved as doubles");

/* The numbers of a step. */
enum { RP_SPH_DENSITY_ERROR, RP_SPH_ITERATIONS };

typedef struct rp_sph {
    rp_host host;
    rp_sph_params params;
    bool predictive; /* pcisph */
    bool mixed;      /* materials of several densities */
    bool cohesive;   /* some material has cohesion */
    bool leaning;    /* frictional: some material is steep enough to lean (G9c) */
    bool inertial;   /* frictional: friction of some material grows with the rate (G9d) */
    rp_kernel kernel;
    double spacing, volume; /* m; m3 of a grain, so that a packed lattice has fill one (G1) */
    float quantum;          /* 1/m, what gradients of pairs are counted in (G2) */
    double lattice_squares; /* 1/m2, sum of squared gradients in a packed lattice (G19) */
    double lattice_slope;   /* 1/m, mean gradient there, weighted by itself */
    double falling;         /* s, to fall one spacing; without gravity as on Earth */
    double spread;          /* m2, second moment of the kernel (G17a) */
    double dt;              /* s, of the step in hand */
    rp_vec3 gravity;        /* m/s2, of the step in hand */
    bool first;             /* the step in hand is the first with grains, until they have moved */
    bool weightless;        /* in the step in hand */
    rp_lists lists;
    rp_sph_work work;
    rp_sph_material materials[256];
    float *stress[6]; /* Pa, fields of the grains: the warm start, and then the latest solution */
    float *depth;     /* field: nought on top, more below (G9a) */
    float *across;    /* field: friction across the layers, in parts of pressure, averaged (G9a) */
    float *pressed;   /* field: compression to be eased, and that of the steps before (G8a) */
    float *fabric;    /* field, where inertial: friction that the arrangement adds (G9e) */
    float *calm;      /* s that a grain has been slow, field */
    rp_sph_slept slept;
} rp_sph;

/* Room for counts that change a little from step to step: the next multiple of a 32nd of their
 * power of two, so that a warm arena seldom grows. */
static inline size_t rp_sph_roomy(size_t count)
{
    size_t grain = 8;
    while (grain * 64 <= count)
        grain *= 2;
    return (count / grain + 1) * grain;
}

/* What sweeps over blocks rely on: where a block begins and ends, lists of all grains, and rows
 * that are wide values. Gives the block's number. */
static inline size_t rp_sph_block(const rp_sph *solver, rp_range range)
{
    size_t count = solver->host.grains->count;
    RP_ASSERT(range.begin % RP_SPH_BLOCK == 0 && range.begin < range.end);
    RP_ASSERT(range.end - range.begin <= RP_SPH_BLOCK && range.end <= count);
    RP_ASSERT(solver->lists.query_count == count);
    RP_ASSERT(RP_IS_ALIGNED(solver->work.stress));
    return range.begin / RP_SPH_BLOCK;
}

/* Copies the values of own grains to their ghosts. */
static inline void rp_sph_sync(const rp_sph *solver, void *array, size_t element)
{
    rp_neighbor_sync(solver->host.neighbor, solver->host.grains, array, element);
}

/* step.c */
rp_code rp_sph_step(void *state, double time, double dt, rp_report *report);

/* density.c: order, lists, fill, gradients, pair forces; all of the step's arrays. */
rp_code rp_sph_density(rp_sph *solver, rp_report *report);
/* Fill and gradients again, of the grains marked, after some were moved a little; what else hangs
 * on places, pair forces and means, stays as it was. */
void rp_sph_density_again(rp_sph *solver, const uint8_t *changed);
/* The mean compression to the stats. */
void rp_sph_tell_error(rp_sph *solver);

/* contact.c */
rp_code rp_sph_contacts(rp_sph *solver, rp_report *report);
/* Makes up for what single layers on floors lack (G4a); after the contacts and the fill. */
void rp_sph_contact_fill(rp_sph *solver);
/* Changes the velocities of a block's grains so that they keep out of solids; nothing where some
 * are dynamic, since what those do depends on all blocks. */
void rp_sph_contact_velocities(const rp_sph *solver, size_t block, rp_four *velocity);
/* Where there are dynamic bodies: the same for all grains, with the bodies' answer. */
void rp_sph_contact_answers(rp_sph *solver);
/* The mean of w->left over grains that dynamic bodies hold; 0 when there are none. */
double rp_sph_left_at_bodies(const rp_sph *solver);
/* Hands what the final velocities took from the grains to the bodies; to be called instead of the
 * above on the velocities that grains will have. */
rp_code rp_sph_contact_forces(rp_sph *solver, rp_report *report);
/* Moves grains out of solids they are in, a little per step and without giving them speed. */
void rp_sph_contact_positions(const rp_sph *solver, size_t block);
/* Turns ways that would lead a block's grains into solids, or deeper; gaps become those after. */
void rp_sph_contact_ways(const rp_sph *solver, size_t block, rp_four *way);

/* sweep.c */
typedef enum rp_sph_sweep {
    RP_SPH_CONTACTS = 1, /* keep out of solids */
    RP_SPH_SLEEPERS = 2, /* as if nobody slept; else sleepers have no velocity */
    RP_SPH_WAYS = 4      /* also work.way, from the lane RP_SPH_EASE */
} rp_sph_sweep;
/* (G6): work.velocity of all grains from work.stress. */
void rp_sph_velocities(rp_sph *solver, unsigned what);
/* The grains' stress fields to work.stress and back. */
void rp_sph_pack(rp_sph *solver);
void rp_sph_unpack(rp_sph *solver);
/* No stress any more for those who are awake. */
void rp_sph_forget(rp_sph *solver);

/* solve.c, predict.c: pressure, friction and the velocities that follow. */
rp_code rp_sph_solve(rp_sph *solver, rp_report *report);
rp_code rp_sph_predict(rp_sph *solver, rp_report *report);

/* part.c */
/* What eases compression, to the lane RP_SPH_EASE of work.stress (G8a). */
void rp_sph_ease(const rp_sph *solver);
/* Moves grains apart that are pressed together (G24). */
rp_code rp_sph_part(rp_sph *solver, rp_report *report);
/* The same, and the density, where the step has moved them to. */
void rp_sph_part_again(rp_sph *solver);

/* sleep.c */
/* Nothing has happened since all went to sleep: the step may be left out. */
bool rp_sph_all_asleep(const rp_sph *solver);
rp_code rp_sph_wake(rp_sph *solver, rp_report *report);
void rp_sph_fall_asleep(rp_sph *solver);

#endif
