/* The seam between the host and the physics. A solver is a constant table: a name, what it can do,
 * its parameters and seven functions. It is asked once per step, never per grain. The host owns
 * grains, neighbours, bodies, threads and memory; a solver owns physics.
 *
 * To add one: copy the shape of solver/null (null.c holds the table, step.c the stages of a step,
 * pure functions in physics.h), add its table to solver/registry.c and its room to
 * src/CMakeLists.txt. */
#ifndef RP_SOLVER_SOLVER_H
#define RP_SOLVER_SOLVER_H

#include "couple/couple.h"
#include "neighbor/neighbor.h"

typedef enum rp_capability {
    RP_CAN_PERIODIC = 1,    /* periodic axes */
    RP_CAN_EMIT = 2,        /* grains may appear while it runs */
    RP_CAN_REMOVE = 4,      /* grains may vanish */
    RP_CAN_PUSH_BODIES = 8, /* hands forces to bodies */
    RP_CAN_SHAPE = 16,      /* resolves single grains: sizes, shapes, spin */
    RP_CAN_CONTACTS = 32    /* tells which grains touch, and the forces between them */
} rp_capability;

/* Accelerations that the host program adds for one step; the arrays follow the grains' order. */
typedef struct rp_external {
    float *ax, *ay, *az; /* m/s2; NULL while nobody ever added any */
    bool any;            /* something was added for the coming step */
    bool disturbed;      /* grains were added or removed by the host program since the last step */
} rp_external;

/* Whether somebody wants the call in hand to end. A solver asks between the stages of a step and in
 * its iterations, always on the thread that steps, and then returns RP_INTERRUPTED: the step is
 * lost, and the host goes back to a state that is whole. */
typedef struct rp_stop {
    bool (*asked)(void *user); /* NULL: nobody ever does */
    void *user;
} rp_stop;

static inline bool rp_is_stopped(const rp_stop *stop)
{
    return stop && stop->asked && stop->asked(stop->user);
}

/* What the host lends a solver for life. */
typedef struct rp_host {
    const rp_scene *scene;
    const void *params; /* of the method's parameter table */
    rp_grains *grains;
    rp_neighbor *neighbor;
    rp_couple *couple;
    const rp_gravity *gravity; /* what pulls, and how strongly at most: it may change */
    const rp_external *external;
    rp_threads *threads;
    rp_arena *arena; /* emptied before every step */
    const rp_stop *stop;
} rp_host;

/* The step that a solver wants, and why. */
typedef struct rp_step_limit {
    double dt;          /* s */
    const char *reason; /* such as "speed: grain may move 0.4 spacings"; a constant text */
} rp_step_limit;

/* What a solver tells of its last step, for progress and checks. */
typedef struct rp_step_stats {
    double max_speed;     /* m/s */
    double density_error; /* mean of max(0, rho / rho0 - 1); negative when it is not computed */
    int iterations;       /* of its inner solve; 0 when there is none */
} rp_step_stats;

/* Contacts that a solver tells, one by one or in blocks: make room with rp_reserve. */
typedef struct rp_contacts {
    rp_contact *items;
    size_t count, capacity;
} rp_contacts;

typedef struct rp_solver_type {
    const char *name; /* as in `solver: method:` */
    unsigned capabilities;
    const rp_param_table *params;
    /* For the memory estimate: */
    double neighbours; /* of each grain that it lists, all at a time */
    size_t bytes_each; /* of its own per grain, beyond the common fields */
    /* And for each sphere of it, where grains are resolved; NULL: none. */
    size_t (*bytes_sphere)(const rp_scene *scene);
    rp_code (*create)(const rp_host *host, void **out, rp_report *report);
    void (*destroy)(void *state);
    rp_step_limit (*limit_dt)(void *state);
    rp_code (*step)(void *state, double time, double dt, rp_report *report);
    /* What the common fields of rp_grains do not carry; the host fills in the rest. `contacts`
     * is NULL where only the stats are wanted, as after every step; else it has no items, though
     * perhaps room, and takes those of the present instant in an order that is the same for any
     * number of threads. Also before the first step and after a load. Solvers that cannot do
     * RP_CAN_CONTACTS are never asked for them. */
    rp_code (*view)(const void *state, rp_step_stats *stats, rp_contacts *contacts,
                    rp_report *report);
    rp_code (*save)(const void *state, rp_store *store, rp_report *report);
    rp_code (*load)(void *state, const rp_store *store, rp_report *report);
} rp_solver_type;

#endif
