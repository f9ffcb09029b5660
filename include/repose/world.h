/* A world: a scene that moves. Create, step, look, save, destroy. */
#ifndef REPOSE_WORLD_H
#define REPOSE_WORLD_H

#include "repose/query.h"
#include "repose/scene.h"
#include "repose/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_world rp_world;
typedef struct rp_snapshot rp_snapshot;

typedef struct rp_world_options {
    size_t size;                 /* set by rp_default_world_options() */
    int threads;                 /* 0: one per core */
    const rp_executor *executor; /* not NULL: run on these threads instead */
    size_t memory_limit;         /* bytes; 0: what the machine has to give */
    /* Asked many times while a world is made and within its steps, always on the calling thread;
     * may be NULL. Return true to break off: the call gives RP_INTERRUPTED, and a world that was in
     * the middle of a step refuses to step until a state is restored. */
    bool (*stop)(void *user);
    void *stop_user;
} rp_world_options;
RP_DEFAULTS(rp_world_options, rp_default_world_options)

/* What a scene will need; known before anything is allocated. */
typedef struct rp_estimate {
    double grains;      /* at the end, emitters included */
    double bytes;       /* at the end */
    double bytes_limit; /* what there is */
} rp_estimate;
RP_API rp_estimate rp_scene_estimate(const rp_scene *scene, const rp_world_options *options);

/* Says what a run of the scene would say at its start, and what looks wrong with it: sources that
 * stay empty or lie outside, nothing to rest on, bodies inside each other, openings too narrow for
 * sand. What would stop the run is a fault of the report; what would not is one of `warnings`, with
 * the code RP_OK. Grains are counted by samples, so that it is quick for large scenes, too. */
RP_API rp_code rp_scene_review(const rp_scene *scene, const rp_world_options *options,
                               rp_report *warnings, rp_report *report);

/* The scene must outlive the world. A scene that needs more memory than there is, is refused. */
RP_API rp_code rp_world_create(const rp_scene *scene, const rp_world_options *options,
                               rp_world **out, rp_report *report);
RP_API void rp_world_destroy(rp_world *world);

/* One step. */
RP_API rp_code rp_world_step(rp_world *world, rp_report *report);
/* Steps until exactly `time`, which must not have passed; the last steps are cut evenly so as to
 * meet it. */
RP_API rp_code rp_world_run_to(rp_world *world, double time, rp_report *report);
/* The same within `seconds` of wall time: it returns before the step that would exceed them, if
 * that takes as long as the one before, but takes one step at least. The time it has come to goes
 * to `reached`, which may be NULL. Steps are always whole, and the clock does not decide their
 * lengths: a call that stopped early, followed by others with the same `time`, takes the steps that
 * a single call would have taken, to the same bits. */
RP_API rp_code rp_world_advance(rp_world *world, double time, double seconds, double *reached,
                                rp_report *report);

RP_API double rp_world_time(const rp_world *world); /* s */
RP_API void rp_world_view(const rp_world *world, rp_view *view);
/* The same with the contacts, which only now are put together: who asks for them pays. They are
 * NULL where the solver knows none. */
RP_API rp_code rp_world_contacts(rp_world *world, rp_view *view, rp_report *report);

/* What rays meet, how high the sand is, and which grains are where: see query.h. Borrowed, and good
 * as long as a view; it is made when it is first asked for after a step. */
RP_API rp_code rp_world_query(rp_world *world, const rp_query **out, rp_report *report);

/* A number that the method reports of a step, such as the mean compression of sand. */
#define RP_STEP_NUMBERS 8
typedef struct rp_step_number {
    const char *name; /* such as "density_error"; constant texts */
    const char *unit; /* SI; "" for a plain number */
    const char *help; /* one line */
    double value;     /* NaN: not computed */
} rp_step_number;

/* How the last step went. */
typedef struct rp_step_info {
    double dt;          /* s */
    const char *reason; /* what limited the step */
    double max_speed;   /* m/s */
    size_t removed;     /* grains that left through open sides, since the start */
    double seconds;     /* on the wall, all steps so far */
    int number_count;   /* that the method reports; `numbers` in the order of its table */
    rp_step_number numbers[RP_STEP_NUMBERS];
} rp_step_info;
RP_API rp_step_info rp_world_step_info(const rp_world *world);
/* One of its numbers by name, such as "iterations"; NaN where the method has none of that name. */
RP_API double rp_step_info_number(const rp_step_info *info, const char *name);

/* Where the time of all steps so far went: the stages of the method. */
#define RP_STAGE_COUNT_MAX 16
typedef struct rp_stage_time {
    const char *name; /* such as "lists"; a constant text */
    double seconds;   /* on the wall */
    uint64_t calls;   /* how often the stage ran */
} rp_stage_time;
/* Fills at most `capacity` of them, in the order of the method, and returns how many there are;
 * RP_STAGE_COUNT_MAX are always enough. `stages` may be NULL. */
RP_API int rp_world_stages(const rp_world *world, rp_stage_time *stages, int capacity);

/* Adds a force in newtons to grain `index` of the present view. It acts on that grain, however
 * grains are sorted meanwhile, during the whole of the next call that steps: one step of
 * rp_world_step, all steps of rp_world_run_to or rp_world_advance. When that call returns, all
 * forces are zero again. A snapshot holds those that have been added and not yet acted. */
RP_API rp_code rp_world_add_force(rp_world *world, size_t index, double fx, double fy, double fz,
                                  rp_report *report);

/* A stream of material from a nozzle. */
typedef struct rp_emitter_def {
    size_t size;          /* set by rp_default_emitter() */
    double position[3];   /* m, of the nozzle's centre */
    double direction[3];  /* need not be a unit vector */
    double radius;        /* m */
    double speed;         /* m/s */
    double rate;          /* kg/s; 0: as much as fills the nozzle */
    double start, stop;   /* s */
    int material;         /* see rp_scene_find_material */
    double moisture;      /* 0 dry to 1 wet */
    double clearance;     /* m, that it keeps from the sand before it; 0: it stays where it is */
    const char *name;     /* up to 63 bytes; NULL: "added" */
    bool on;              /* false: nothing leaves, whatever start and stop say */
    double width, height; /* m, of a nozzle that is a rectangle; both 0: it is round */
} rp_emitter_def;
RP_DEFAULTS(rp_emitter_def, rp_default_emitter)
/* Emitters are numbered: those of the scene in its order, then those that were added. */
RP_API rp_code rp_world_add_emitter(rp_world *world, const rp_emitter_def *def, rp_report *report);
RP_API int rp_world_emitter_count(const rp_world *world);
/* The number of the first emitter of that name, or -1. */
RP_API int rp_world_find_emitter(const rp_world *world, const char *name);
/* How an emitter is now, and how it is to be from now on: on or off, rate, speed, place, all but
 * its name. Begin with a `def` of rp_default_emitter(). The name that is read is borrowed until an
 * emitter is added or a state is restored. */
RP_API rp_code rp_world_emitter(const rp_world *world, int emitter, rp_emitter_def *def,
                                rp_report *report);
RP_API rp_code rp_world_set_emitter(rp_world *world, int emitter, const rp_emitter_def *def,
                                    rp_report *report);
RP_API rp_code rp_world_switch_emitter(rp_world *world, int emitter, bool on, rp_report *report);

/* Gravity from now on, m/s2; NULL: that of the scene again, with its keys. */
RP_API rp_code rp_world_set_gravity(rp_world *world, const double *gravity, rp_report *report);
RP_API void rp_world_gravity(const rp_world *world, double gravity[3]); /* now, m/s2 */

/* Fills a shape with grains now. `text` is what would stand behind the source's name in a scene
 * file: "{shape: box, size: [10 cm, 10 cm, 10 cm], position: [0, 0, 1]}". Places that bodies, voids
 * or other grains take up stay empty; a shape that reaches behind a wall of the domain is refused.
 */
RP_API rp_code rp_world_add_source(rp_world *world, const char *name, const char *text,
                                   rp_report *report);

/* Single grains, one by one. */
typedef struct rp_grains_def {
    size_t size; /* set by rp_default_grains() */
    size_t count;
    const double *position; /* m, x, y, z of each */
    const double *velocity; /* m/s, likewise; NULL: they start at rest */
    int material;           /* see rp_scene_find_material */
    double moisture;        /* 0 dry to 1 wet */
    bool leave_out;         /* leave out grains without room; else the whole call is refused */
} rp_grains_def;
RP_DEFAULTS(rp_grains_def, rp_default_grains)
/* Adds grains. One has no room behind a wall or beyond an open side of the domain, nearer to a body
 * than its radius, or too near to another grain, new or old: where they would overlap if the method
 * resolves grains, else within 0.7 spacings. Mass and size are those of the material's grains. The
 * grain of position n has the id `*first_id` + n, also when others are left out; `added` is how
 * many there are. Both may be NULL. */
RP_API rp_code rp_world_add_grains(rp_world *world, const rp_grains_def *def, uint32_t *first_id,
                                   size_t *added, rp_report *report);
/* Removes grains by their indices in the present view, such as rp_query_box gives, each as often as
 * you like; or by their ids, of which those that are not there any more are passed over, and
 * `removed`, which may be NULL, says how many were. Views, indices and queries from before are
 * void then. */
RP_API rp_code rp_world_remove_grains(rp_world *world, const size_t *indices, size_t count,
                                      rp_report *report);
RP_API rp_code rp_world_remove_ids(rp_world *world, const uint32_t *ids, size_t count,
                                   size_t *removed, rp_report *report);

/* The whole state in memory; restoring goes on bit-identically. Where restoring fails half way, or
 * a step fails, the world refuses to step until a sound state is restored. */
RP_API rp_code rp_world_snapshot(const rp_world *world, rp_snapshot **out, rp_report *report);
RP_API rp_code rp_world_restore(rp_world *world, const rp_snapshot *snapshot, rp_report *report);
RP_API void rp_snapshot_destroy(rp_snapshot *snapshot);
/* One number for the whole state: equal bits, equal number. */
RP_API uint64_t rp_world_hash(const rp_world *world);

#ifdef __cplusplus
}
#endif
#endif
