/* A world as the rooms above see it: its state, and how that is written to a store and read back.
 * repose/world.h and repose/body.h are the public interface; docs/theory/world.md has the equations
 * (W1 …). What only the files of this room share is in inside.h. */
#ifndef RP_WORLD_WORLD_H
#define RP_WORLD_WORLD_H

#include "base/threads.h"
#include "query/query.h"
#include "repose/world.h"
#include "solver/registry.h"

#define RP_EMITTER_NAME 64       /* bytes of a name, the last one zero */
#define RP_EMITTER_ADDED "added" /* the name of emitters that are given none */

/* An emitter of a running world: one of the scene, or one that the host program added. */
typedef struct rp_emitter_state {
    rp_emitter_spec spec; /* its name points to `name`: see rp_emitters_name */
    uint64_t next_layer;  /* layers of grains that have left the nozzle */
    uint64_t first_layer; /* the layer that left, or leaves, at `since` */
    double since;         /* s; from then on layers follow each other at even intervals */
    bool off;             /* switched off: no layer leaves */
    char name[RP_EMITTER_NAME];
} rp_emitter_state;

/* Positions of grains that will be added to the world together. */
typedef struct rp_position_list {
    rp_vec3 *positions; /* m */
    size_t count, capacity;
} rp_position_list;

/* Bodies and joints that were added while a world ran: keys of a scene, and the text that a scene
 * file would have there. */
typedef struct rp_additions {
    rp_setting *items; /* copies */
    size_t count, capacity;
} rp_additions;

struct rp_world {
    const rp_scene *scene;       /* the present one: `first_scene` or `own_scene` */
    const rp_scene *first_scene; /* the scene that the world was created from */
    rp_scene *own_scene;         /* the first scene with the additions; NULL without additions */
    rp_additions additions;
    const rp_solver_type *type;
    void *solver; /* the state of that type */
    rp_grains grains;
    rp_neighbor *neighbor;
    rp_bodies *bodies;
    rp_couple *couple;
    rp_threads *threads;
    rp_arena arena;
    rp_external external;
    rp_emitter_state *emitters;
    size_t emitter_count, emitter_capacity;
    rp_position_list
        layer;            /* of emitters; its buffer is reused, so that pouring need not allocate */
    uint8_t *source_done; /* one per source of the scene: it was filled */
    uint64_t added_sources; /* sources that the host program added */
    rp_gravity gravity;

    double most_grains; /* number of grains that memory holds */
    rp_budget budget;   /* memory of all that the world owns */
    rp_stop stop;
    rp_step_stats stats; /* of the last step */
    rp_stages stages;

    bool warned;  /* a warning said that the fixed step is too long */
    bool invalid; /* a step or a load failed half way: the state must be restored */
    double time;  /* s */
    uint64_t step;
    uint64_t removed; /* grains that left through open sides */
    double dt;        /* s, length of the last step */
    const char *reason;
    rp_timer timer;
    rp_field fields[RP_FIELD_MAX]; /* behind view.fields */
    rp_contacts contacts;          /* behind view.contacts, filled on request */
    rp_grid grids[RP_GRIDS_MAX];   /* behind view.grids */
    rp_view view;                  /* what rp_world_view returns; updated after every change */
    rp_query query;                /* of that view, built on request */
    bool query_is_made;
};

/* Fails where a step, a load or a change failed half way: then the state must be restored first. */
rp_code rp_world_check_valid(const rp_world *world, rp_report *report);
/* Takes one step that ends at `target` (s) at the latest. */
rp_code rp_world_step_toward(rp_world *world, double target, rp_report *report);

/* Writes the whole state as named arrays, and reads it back. */
rp_code rp_world_write_state(const rp_world *world, rp_store *store, rp_report *report);
rp_code rp_world_read_state(rp_world *world, const rp_store *store, rp_report *report);

/* True when the scene's method resolves single grains. */
bool rp_world_resolves_grains(const rp_scene *scene);
/* Checks that kinds of grains fit the spacing and each other, and that every material has one. */
rp_code rp_world_check_grains(const rp_scene *scene, rp_report *report);

/* Checks a world before its first step. Warnings are faults of the code RP_OK; faults are those
 * that filling the sources would give. The world needs no grains. */
rp_code rp_world_review(const rp_world *world, rp_report *warnings, rp_report *report);

/* Returns the part of the memory limit that a world may hold, bytes: the rest is for the program,
 * its threads and libraries. */
size_t rp_world_budget(const rp_world_options *options);

#endif
