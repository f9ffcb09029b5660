/* The world's insides, shared by the files of this room. */
#ifndef RP_WORLD_WORLD_H
#define RP_WORLD_WORLD_H

#include "base/threads.h"
#include "query/query.h"
#include "repose/world.h"
#include "solver/registry.h"

#define RP_STREAM_NAME 64       /* bytes of a name, the last one zero */
#define RP_STREAM_ADDED "added" /* the name of emitters that are given none */

/* A stream of material: a scene's emitter, or one added while running. */
typedef struct rp_stream {
    rp_emitter_spec spec; /* its name is `name`: see rp_streams_name */
    uint64_t next_layer;  /* layers of grains that have left the nozzle */
    uint64_t first_layer; /* the layer that left, or leaves, at `since` */
    double since;         /* s; from then on layers follow each other evenly */
    bool off;             /* switched off: nothing leaves */
    char name[RP_STREAM_NAME];
} rp_stream;

/* Places of grains in the making; they join the world together. */
typedef struct rp_batch {
    rp_vec3 *positions; /* m */
    size_t count, capacity;
} rp_batch;

/* False when memory runs out. */
bool rp_batch_add(rp_batch *batch, rp_vec3 position);
void rp_batch_end(rp_batch *batch);

/* What was added while a world ran: keys of a scene, and what a scene file would say there. */
typedef struct rp_additions {
    rp_setting *items; /* copies */
    size_t count, capacity;
} rp_additions;

struct rp_world {
    const rp_scene *scene;       /* as it is now: the first one, or the world's own */
    const rp_scene *first_scene; /* that it was made from */
    rp_scene *own_scene;         /* with what was added; NULL while nothing was */
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
    rp_stream *streams;
    size_t stream_count, stream_capacity;
    rp_batch batch;         /* of the streams, kept so that pouring need not allocate */
    uint8_t *source_done;   /* one per source of the scene */
    uint64_t added_sources; /* that the host program filled */
    rp_gravity gravity;

    double most_grains; /* that memory holds */
    rp_budget budget;   /* of all that it holds */
    rp_stop stop;
    rp_step_stats stats; /* of the last step */
    rp_stages stages;

    bool warned; /* that a fixed step is too long */
    bool broken; /* a step or a load failed half way; only a restored state mends it */
    double time; /* s */
    uint64_t step;
    uint64_t removed; /* grains that left */
    double dt;        /* s, the last step */
    const char *reason;
    rp_timer timer;
    rp_field fields[RP_FIELD_MAX]; /* behind view.fields */
    rp_contacts contacts;          /* behind view.contacts, once somebody asked */
    rp_grid grids[RP_GRIDS_MAX];   /* behind view.grids */
    rp_view view;                  /* what rp_world_view gives; made anew after every change */
    rp_query query;                /* of that view, once somebody asked */
    bool query_is_made;
};

/* What is known of the last step of a new or restored state: how fast grains are. */
void rp_world_forget_step(rp_world *world);
/* After grains, bodies or fields changed: what views show. */
void rp_world_refresh_view(rp_world *world);
/* Arrays for forces that the host program adds; called once they are needed. */
rp_code rp_world_need_external(rp_world *world, rp_report *report);

/* Fails where a step, a load or a change failed half way: only a restored state mends that. */
rp_code rp_world_check_sound(const rp_world *world, rp_report *report);
/* One step that ends at `target` at the latest; steps are cut evenly so as to meet it. */
rp_code rp_world_step_toward(rp_world *world, double target, rp_report *report);

/* Grains and solver for the scene's present bodies, without a grain; and their end. */
rp_code rp_world_begin_solver(rp_world *world, rp_report *report);
void rp_world_end_solver(rp_world *world);

/* change.c: what was added while the world ran, as a part of its state. Taking it moves the world
 * into the scene that its state belongs to; the rest of the state is then to be taken. */
rp_code rp_world_put_additions(const rp_world *world, rp_store *store, rp_report *report);
rp_code rp_world_take_additions(rp_world *world, const rp_store *store, rp_report *report);
void rp_world_end_additions(rp_world *world);
/* body.c: whether the world has that body, and it was not removed. */
rp_code rp_world_check_body(const rp_world *world, int body, rp_report *report);

/* The state of the grains and the solver alone. */
rp_code rp_world_put_grains(const rp_world *world, rp_store *store, rp_report *report);
rp_code rp_world_take_grains(rp_world *world, const rp_store *store, rp_report *report);

/* The whole state as named arrays, and back. */
rp_code rp_world_put(const rp_world *world, rp_store *store, rp_report *report);
rp_code rp_world_take(rp_world *world, const rp_store *store, rp_report *report);

/* sources.c: grains that appear. */
/* What grains are made of, and which they are: those that fit the lattice, or the large ones. */
typedef struct rp_stuff {
    int material;
    double moisture;
    const struct rp_grain_split *split;
    bool large;
} rp_stuff;
/* Sets all fields of grain i of the table but its id. */
void rp_world_set_grain(rp_world *world, size_t i, rp_vec3 position, rp_vec3 velocity,
                        const rp_stuff *of);
/* Whether packings of the scene are relaxed (W16). */
bool rp_scene_is_relaxed(const rp_scene *scene);
/* Fills a source that is not of the scene, now, but for places where the grains of a query are. */
rp_code rp_world_fill(rp_world *world, const rp_source_spec *source, const rp_query *others,
                      rp_report *report);
/* Lets everything appear that is due by now. A step ends where a source or stream begins, and the
 * solver is asked for its step afterwards, so no grain moves further than it allows. */
rp_code rp_world_emit(rp_world *world, rp_report *report);
/* m, what a grain's centre keeps from voids and bodies, and in a stream from walls. */
double rp_scene_clearance(const rp_scene *scene);
/* The lattice of a source's places in the frame of its shape, or a coarser one with about `most`
 * places in the shape's box. */
typedef struct rp_source_grid {
    double step;   /* m */
    rp_vec3 first; /* m */
    rp_vec3 count; /* along each axis */
} rp_source_grid;
rp_source_grid rp_source_sampling(const rp_source_spec *source, double spacing, double most);
/* m3; infinite where grains can leave. */
double rp_world_domain_closed_volume(const rp_domain_spec *domain);
/* The place inside the period; elsewhere as it is. */
rp_vec3 rp_world_domain_wrapped(const rp_domain_spec *domain, rp_vec3 at);
/* Behind a wall, or nearer to one than `clearance`. */
bool rp_world_domain_walls_off(const rp_domain_spec *domain, rp_vec3 at, double clearance);
/* When the next source, stream or region of moisture begins, or one of these ends, s; infinite when
 * none will. */
double rp_world_next_event(const rp_world *world);

/* streams.c: emitters. */
/* Lets all layers out that are due. */
rp_code rp_stream_emit(rp_world *world, rp_stream *stream, rp_report *report);
/* When it begins, or goes on after a change, if that is later than `time`; else infinite. */
double rp_stream_next_event(const rp_stream *stream, double time);
/* Points the names in the specs to the streams, which may have moved in memory. */
void rp_streams_name(rp_world *world);
/* Fails when a stream's numbers make no sense or its rate is more than its nozzle can pass. */
rp_code rp_stream_check(const rp_scene *scene, const rp_emitter_spec *spec, rp_report *report);
/* Fails when what it lets out in one fixed step could be nowhere. */
rp_code rp_stream_check_step(const rp_scene *scene, const rp_emitter_spec *spec, rp_report *report);
/* Whether as many layers have left the nozzle as belong before that time, or the step before it. */
bool rp_stream_is_at(const rp_scene *scene, const rp_stream *stream, double time, double dt);
double rp_stream_full_rate(const rp_scene *scene, const rp_emitter_spec *spec); /* kg/s */
double rp_stream_grains(const rp_scene *scene, const rp_emitter_spec *spec);    /* 1/s */

/* grains.c: single grains, for methods that resolve them. */
typedef struct rp_grain {
    int kind;        /* of the scene's kinds of grains */
    double diameter; /* m */
    double mass;     /* kg */
    rp_quat turn;    /* from the grain's frame to the world's; none for a single ball */
} rp_grain;
/* What grain `id` of a material is, the same for life: its kind by the shares, its size by the
 * kind's distribution, any orientation as likely as another. */
void rp_grain_draw(const rp_scene *scene, int material, uint32_t id, rp_grain *out);
/* The largest grain that a place of the scene's lattice has room for, m. */
double rp_grain_room(const rp_scene *scene);
/* The share of a kind among the grains of a material, in number; 0 where it is not one of them. */
double rp_grain_share(const rp_scene *scene, int material, int kind);
#define RP_KINDS_MAX 256
/* The grains of a material: those that fit a place of the lattice on which its sources lay them,
 * and the large ones, which are placed first (W17). A material of which none fits the scene's
 * spacing has a wider lattice, where the kind with the smallest grains fits. */
typedef struct rp_grain_split {
    double spacing;            /* m, of the lattice */
    double fits[RP_KINDS_MAX]; /* part of each kind that fits: its sizes up to that part */
    double fine, large;        /* shares of both in number; together 1 */
} rp_grain_split;
rp_grain_split rp_grain_split_of(const rp_scene *scene, int material);
/* As rp_grain_draw, out of those that fit or out of the large ones. */
void rp_grain_draw_part(const rp_scene *scene, const rp_grain_split *split, bool large,
                        int material, uint32_t id, rp_grain *out);
/* How many grains of the material so much space holds, as sources lay them. */
double rp_world_grains_in(const rp_scene *scene, int material, double volume);
/* What a grain of the material weighs in the mean, kg: by its kinds when they are `resolved`, or
 * what fills a spacing cubed. */
double rp_grain_mean_mass(const rp_scene *scene, bool resolved, int material);
/* How many spheres a grain of the material has in the mean, by its kinds; 0 where it has none. */
double rp_grain_mean_spheres(const rp_scene *scene, int material);
/* Whether the scene's method resolves grains, and whether some of them need an orientation. */
bool rp_world_resolves_grains(const rp_scene *scene);
bool rp_world_turns_grains(const rp_scene *scene);
/* Whether kinds fit into the spacing and to each other, and no material is without one. */
rp_code rp_world_check_grains(const rp_scene *scene, rp_report *report);

/* clear.c: where grains may appear. */
/* How far a point is from a shape, m; negative inside. Exact up to `near`, at least that far from
 * there on. */
double rp_clear_gap(const rp_shape *shape, rp_pose pose, rp_vec3 point, double near);
/* The same for the nearest void, and for the nearest body where it is now, exact up to a spacing.
 * For bodies the point must be inside the period. */
double rp_world_gap_to_voids(const rp_world *world, rp_vec3 point);
double rp_world_gap_to_bodies(const rp_world *world, rp_vec3 point);
/* The same to all solids of some kinds, exact up to `near`. */
enum { RP_SOLID_WALLS = 1, RP_SOLID_FIXED = 2, RP_SOLID_DYNAMIC = 4, RP_SOLID_ALL = 7 };
double rp_world_gap_to_solids(const rp_world *world, rp_vec3 point, unsigned solids, double near);
/* The box around a surface in the world; not of a plane. */
rp_box3 rp_clear_surface_bounds(const rp_surface *surface);

/* moisture.c: grains that become wet or dry. */
/* What the regions of the scene do in a step of `dt` from now; 0: only what happens at once. */
void rp_world_moisten(rp_world *world, double dt);
/* When the next region begins or ends, s; infinite when none will. */
double rp_moisture_next_event(const rp_world *world);

/* review.c: what looks wrong before the first step. Warnings are faults of the code RP_OK; faults
 * are those that filling the sources would give. Grains need not be there. */
rp_code rp_world_review(const rp_world *world, rp_report *warnings, rp_report *report);

/* control.c: what the host program changes. */
/* Fails where `count` more grains do not fit into memory; `name` says who wants them. */
rp_code rp_world_check_room(const rp_world *world, size_t count, const char *name,
                            rp_report *report);

/* leave.c: grains that leave, and numbers that make no sense. */
rp_code rp_world_remove_leavers(rp_world *world, rp_report *report);
rp_code rp_world_check_numbers(const rp_world *world, rp_report *report);

/* estimate.c */
rp_code rp_world_check_memory(const rp_scene *scene, const rp_world_options *options,
                              rp_report *report);
/* What may be taken, bytes. */
double rp_world_memory_limit(const rp_world_options *options);
/* Of that, what a world may hold: the program, its threads and libraries have the rest. */
size_t rp_world_budget(const rp_world_options *options);
/* How many grains that holds. */
double rp_world_most_grains(const rp_scene *scene, const rp_world_options *options);

#endif
