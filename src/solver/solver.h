/* The seam between the host and the physics. A solver is a constant table: a name, what it can do,
 * what it adds to scenes, the numbers and stages of its steps, and a handful of functions. It is
 * called once per step, never per grain. The host owns grains, neighbors, bodies, threads and
 * memory; a solver owns physics.
 *
 * docs/guide/add-a-solver.md walks through solver/null, the template: null.c holds the table and
 * the stages of a step, null.h pure functions. */
#ifndef RP_SOLVER_SOLVER_H
#define RP_SOLVER_SOLVER_H

#include "base/report.h"
#include "base/threads.h"
#include "couple/couple.h"
#include "grains/reduce.h"
#include "neighbor/neighbor.h"

#include <string.h>

/* What a method can do. A scene that asks for more is refused before anything is made. */
typedef enum rp_capability {
    RP_CAN_PERIODIC = 1,    /* periodic axes */
    RP_CAN_EMIT = 2,        /* grains may appear while it runs */
    RP_CAN_REMOVE = 4,      /* grains may vanish */
    RP_CAN_PUSH_BODIES = 8, /* hands forces to bodies */
    RP_CAN_SHAPE = 16       /* resolves single grains: sizes, shapes, spin */
} rp_capability;

/* Accelerations that the host program adds for one step; the arrays follow the grains' order. */
typedef struct rp_external {
    float *ax, *ay, *az; /* m/s2; NULL while none was ever added */
    bool any;            /* some acceleration was added for the coming step */
    bool disturbed;      /* grains were added or removed by the host program since the last step */
} rp_external;

/* Asks whether to stop now. A solver asks between the stages of a step and in its iterations,
 * always on the thread that steps, and then returns RP_INTERRUPTED: the step is lost, and the host
 * restores a consistent state. */
typedef struct rp_stop {
    bool (*asked)(void *user); /* NULL: never */
    void *user;
} rp_stop;

static inline bool rp_is_stopped(const rp_stop *stop)
{
    return stop && stop->asked && stop->asked(stop->user);
}

/* A number that a method reports of each step. */
typedef struct rp_number_spec {
    const char *name; /* as --json shows it, such as "density_error" */
    const char *unit; /* SI; "": none */
    const char *help; /* one line */
} rp_number_spec;
#define RP_NUMBERS_MAX 8

/* What a solver reports of its last step; progress and checks read it. In a new or restored world
 * it has the speed of the grains, and no numbers. */
typedef struct rp_step_stats {
    double max_speed;               /* m/s */
    double numbers[RP_NUMBERS_MAX]; /* in the order of the type's table; NaN: not computed */
} rp_step_stats;

/* Wall-clock time of the stages of all steps since the world was created. */
#define RP_STAGES_MAX 16
typedef struct rp_stages {
    const char *const *names; /* the type's */
    int count;
    rp_timer timers[RP_STAGES_MAX];
} rp_stages;

/* What the host lends a solver for life. */
typedef struct rp_host {
    const rp_scene *scene;
    const void *params; /* of the method's parameter table */
    rp_grains *grains;
    rp_neighbor *neighbor;
    rp_couple *couple;
    const rp_gravity *gravity; /* may change with time: see rp_gravity_at, rp_gravity_max */
    const rp_external *external;
    rp_threads *threads;
    rp_arena *arena; /* emptied before every step */
    const rp_stop *stop;
    rp_step_stats *stats;
    rp_stages *stages;
} rp_host;

/* Returns the timer of a stage that the type names. A few comparisons of short words cost as much
 * as reading the clock: call it once per stage, not per block. */
static inline rp_timer *rp_stage_timer(const rp_host *host, const char *name)
{
    int i = 0;
    while (i < host->stages->count && strcmp(host->stages->names[i], name) != 0)
        i++;
    RP_ASSERT(i < host->stages->count);
    return &host->stages->timers[i];
}

/* Begin and end a stage: the time between is added to it. Call both on the thread that steps. */
static inline void rp_stage_begin(const rp_host *host, const char *name)
{
    rp_timer_start(rp_stage_timer(host, name));
}
static inline void rp_stage_end(const rp_host *host, const char *name)
{
    rp_timer_stop(rp_stage_timer(host, name));
}

/* The longest step that a solver can take, and what limits it. */
typedef struct rp_step_limit {
    double dt;          /* s */
    const char *reason; /* such as "speed: grain may move 0.4 spacings"; a constant text */
} rp_step_limit;

/* Contacts that a solver reports, one by one or in blocks: grow the array with rp_reserve. */
typedef struct rp_contacts {
    rp_contact *items;
    size_t count, capacity;
} rp_contacts;

typedef struct rp_solver_type {
    const char *name;              /* as in `solver: method:` */
    unsigned capabilities;         /* rp_capability bits */
    unsigned needs;                /* RP_NEEDS_ bits: fields that not every method has */
    rp_scene_method scene;         /* what it adds to scenes */
    const rp_number_spec *numbers; /* of a step; the last has no name. NULL: none */
    const char *const *stages;     /* of a step, by name; NULL behind the last. NULL: none */
    /* Returns the bytes of memory that a grain takes beyond the fields of the host's table: fields
     * of the method, lists and arrays of a step. `spheres`: of a grain, in the mean; 1 where the
     * method does not resolve grains. Called before anything is allocated. */
    double (*estimate)(const rp_scene *scene, double spheres);
    rp_code (*create)(const rp_host *host, void **out, rp_report *report);
    void (*destroy)(void *state);
    rp_step_limit (*limit_dt)(void *state);
    rp_code (*step)(void *state, double time, double dt, rp_report *report);
    /* Adds the contacts of the present instant, in an order that is the same for any number of
     * threads; also before the first step and after a load. The list comes empty, perhaps with
     * capacity. NULL: the method has no contacts between grains. */
    rp_code (*contacts)(const void *state, rp_contacts *contacts, rp_report *report);
    /* Write state beyond the fields of the table to a store, and read it back. NULL: there is none.
     */
    rp_code (*save)(const void *state, rp_store *store, rp_report *report);
    rp_code (*load)(void *state, const rp_store *store, rp_report *report);
    /* Writes at most RP_GRIDS_MAX grids that are shown beside grains, such as the columns of a
     * height field, and returns their number. Called after every step and after a load; names,
     * units and values are borrowed until the next call. NULL: the method has no grids. */
    int (*grids)(const void *state, rp_grid grids[RP_GRIDS_MAX]);
} rp_solver_type;

#endif
