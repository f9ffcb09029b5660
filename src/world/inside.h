/* What the files of this room share. Nothing outside of this room includes it but tests and
 * benchmarks. */
#ifndef RP_WORLD_INSIDE_H
#define RP_WORLD_INSIDE_H

#include "world/world.h"

/* --- world.c: parts of a world ---------------------------------------------------------------- */

/* Resets the numbers that describe the last step, as for a new or restored state. */
void rp_world_reset_stats(rp_world *world);
/* Updates the view after grains, bodies or fields changed. */
void rp_world_refresh_view(rp_world *world);
/* Allocates the arrays of external accelerations, once the host program adds a force. */
rp_code rp_world_reserve_external(rp_world *world, rp_report *report);
/* Creates an empty table of grains and the solver for the present scene; and destroys both. */
rp_code rp_world_begin_solver(rp_world *world, rp_report *report);
void rp_world_end_solver(rp_world *world);

/* --- stepping.c: the order of a step ---------------------------------------------------------- */

/* Checks the length of the first step: warns where time.step is longer than the solver allows, and
 * fails where an automatic step is below time.min_step. The world must have its first grains. */
rp_code rp_world_check_first_step(rp_world *world, rp_report *warnings, rp_report *report);
/* Fails where a position or velocity is not finite. */
rp_code rp_world_check_numbers(const rp_world *world, rp_report *report);
/* Changes the moisture of grains in the regions of the scene (W9) over a step of `dt` from now; 0:
 * only what happens at once. */
void rp_world_update_moisture(rp_world *world, double dt);

/* --- sources.c: shapes that are filled with grains -------------------------------------------- */

/* False when memory runs out. */
bool rp_position_list_add(rp_position_list *list, rp_vec3 position);
void rp_position_list_end(rp_position_list *list);

/* What the grains of a source or emitter have in common. */
typedef struct rp_grain_template {
    int material;
    double moisture;
    const struct rp_grain_split *split;
    bool large; /* drawn from the large grains of the split, else from those that fit the lattice */
} rp_grain_template;
/* Sets all fields of grain `i` of the table but its id. */
void rp_world_set_grain(rp_world *world, size_t i, rp_vec3 position, rp_vec3 velocity,
                        const rp_grain_template *of);
/* True when packings of the scene are relaxed (W16). */
bool rp_scene_packing_is_relaxed(const rp_scene *scene);
/* Fills a source that is not part of the scene, now, except where grains of the query are. */
rp_code rp_world_fill(rp_world *world, const rp_source_spec *source, const rp_query *others,
                      rp_report *report);
/* Adds all grains of sources and emitters that are due by now. A step ends where a source or
 * emitter begins, and the solver is asked for its step afterwards, so that no grain moves further
 * than the solver allows. */
rp_code rp_world_emit(rp_world *world, rp_report *report);
/* The lattice of a source in the frame of its shape, or a coarser one with about `most` sites in
 * the shape's box. */
typedef struct rp_source_grid {
    double step;   /* m */
    rp_vec3 first; /* m */
    rp_vec3 count; /* along each axis */
} rp_source_grid;
rp_source_grid rp_source_sampling(const rp_source_spec *source, double spacing, double most);

/* --- emitters.c: nozzles ---------------------------------------------------------------------- */

/* Adds the grains of all layers that are due. */
rp_code rp_emitter_emit(rp_world *world, rp_emitter_state *emitter, rp_report *report);
/* Returns when it begins, or continues after a change, s, if that is later than `time`; else
 * infinity. */
double rp_emitter_next_event(const rp_emitter_state *emitter, double time);
/* Points the names in the specs to the emitters, which may have moved in memory. */
void rp_emitters_name(rp_world *world);
/* Fails when a number is out of range, or the rate is more than the nozzle can pass. */
rp_code rp_emitter_check(const rp_scene *scene, const rp_emitter_spec *spec, rp_report *report);
/* Fails when the grains of one fixed step have no space in the domain, or fly too far in it. */
rp_code rp_emitter_check_step(const rp_scene *scene, const rp_emitter_spec *spec,
                              rp_report *report);
/* True when as many layers have left the nozzle as belong before `time`, or `dt` before it. */
bool rp_emitter_is_at(const rp_scene *scene, const rp_emitter_state *emitter, double time,
                      double dt);
double rp_emitter_full_rate(const rp_scene *scene, const rp_emitter_spec *spec);  /* kg/s */
double rp_emitter_grain_rate(const rp_scene *scene, const rp_emitter_spec *spec); /* 1/s */

/* --- grain_kinds.c: single grains, for methods that resolve them ------------------------------ */

typedef struct rp_grain {
    int kind;            /* index of the scene's kinds of grains */
    double diameter;     /* m */
    double mass;         /* kg */
    rp_quat orientation; /* from the grain's frame to the world's; identity for a single sphere */
} rp_grain;
/* Draws what grain `id` of a material is, the same for life: its kind by the shares, its size by
 * the kind's distribution, its orientation uniformly over all rotations. */
void rp_grain_draw(const rp_scene *scene, int material, uint32_t id, rp_grain *out);
/* Returns the diameter of the largest grain that fits a site of the scene's lattice, m. */
double rp_grain_max_diameter(const rp_scene *scene);
/* Returns the share of a kind among the grains of a material, in number; 0 where the material has
 * no grains of that kind. */
double rp_grain_share(const rp_scene *scene, int material, int kind);
#define RP_KINDS_MAX 256
/* The grains of a material in two parts: those that fit a site of the lattice on which its sources
 * lay them, and the large ones, which are placed first (W17). A material of which no grain fits the
 * scene's spacing has a wider lattice, where the kind with the smallest grains fits. */
typedef struct rp_grain_split {
    double spacing;            /* m, of the lattice */
    double fits[RP_KINDS_MAX]; /* fraction of each kind that fits: its sizes up to that quantile */
    double fine, large;        /* shares of both in number; together 1 */
} rp_grain_split;
rp_grain_split rp_grain_split_of(const rp_scene *scene, int material);
/* As rp_grain_draw, from the grains that fit or from the large ones. */
void rp_grain_draw_split(const rp_scene *scene, const rp_grain_split *split, bool large,
                         int material, uint32_t id, rp_grain *out);
/* Returns how many grains of the material a volume (m3) holds, as sources lay them. */
double rp_world_grains_in(const rp_scene *scene, int material, double volume);
/* Returns the mean mass of a grain of the material, kg: by its kinds when they are `resolved`, else
 * the mass of a spacing cubed. */
double rp_grain_mean_mass(const rp_scene *scene, bool resolved, int material);
/* Returns the mean number of spheres of a grain of the material; 0 where it has no kinds. */
double rp_grain_mean_spheres(const rp_scene *scene, int material);
/* True when some of the grains need an orientation. */
bool rp_world_orients_grains(const rp_scene *scene);

/* --- clearance.c: where grains may appear ----------------------------------------------------- */

/* Returns the distance of a point from a shape, m; negative inside. It is exact up to `near`, and
 * at least `near` beyond. */
double rp_clearance_distance(const rp_shape *shape, rp_pose pose, rp_vec3 point, double near);
/* The same to the nearest void, and to the nearest body at its present pose, exact up to a spacing.
 * For bodies the point must lie inside the period. */
double rp_world_distance_to_voids(const rp_world *world, rp_vec3 point);
double rp_world_distance_to_bodies(const rp_world *world, rp_vec3 point);
/* The same to all solids of some kinds, exact up to `near`. */
enum { RP_SOLID_WALLS = 1, RP_SOLID_FIXED = 2, RP_SOLID_DYNAMIC = 4, RP_SOLID_ALL = 7 };
double rp_world_distance_to_solids(const rp_world *world, rp_vec3 point, unsigned solids,
                                   double near);
/* Returns the bounding box of a surface in the world's axes; not of a plane. */
rp_box3 rp_clearance_surface_bounds(const rp_surface *surface);
/* Returns the least distance of a grain's centre from voids and bodies, and for emitters from
 * walls, m: half a spacing. */
double rp_clearance_of_spacing(double spacing);
double rp_scene_clearance(const rp_scene *scene);
/* Returns the volume of the domain, m3; infinity where it has an open side. */
double rp_world_domain_closed_volume(const rp_domain_spec *domain);
/* Returns the image of a point inside the period; where no axis is periodic the point itself. */
rp_vec3 rp_world_domain_wrapped(const rp_domain_spec *domain, rp_vec3 at);
/* True when a point is behind a wall, or nearer to one than `clearance` (m). */
bool rp_world_domain_is_behind_wall(const rp_domain_spec *domain, rp_vec3 at, double clearance);

/* Large grains as spheres in which no other grain may appear, in a spatial hash with a level for
 * each size class. */
typedef struct rp_large_sphere {
    rp_vec3 at;    /* m */
    double radius; /* m */
    uint32_t next; /* index + 1 of the next one in its slot */
} rp_large_sphere;

typedef struct rp_large_spheres {
    const rp_domain_spec *domain;
    double least; /* m, radius: cells of level k have the edge least 2^(k + 1) */
    double most;  /* m, the largest radius so far */
    unsigned levels;
    rp_large_sphere *items;
    size_t count, capacity;
    uint32_t *slots; /* index + 1 of the first sphere, or 0 */
    size_t slot_count;
} rp_large_spheres;

/* Collects all grains of the world that are larger than a site of the scene's lattice. */
rp_code rp_large_spheres_collect(rp_large_spheres *spheres, const rp_world *world,
                                 rp_report *report);
bool rp_large_spheres_add(rp_large_spheres *spheres, rp_vec3 at, double radius);
/* Returns the distance of a point from the nearest sphere, m, negative inside; `near` at most. */
double rp_large_spheres_distance(const rp_large_spheres *spheres, rp_vec3 at, double near);
void rp_large_spheres_end(rp_large_spheres *spheres);
/* Returns the least distance of a lattice grain's site from large spheres, m: the grain may be
 * shifted from its site. */
double rp_large_spheres_clearance(const rp_scene *scene, double spacing);

/* Returns how many large grains a source has whose lattice would have `sites` sites (W17). */
size_t rp_grain_large_count(const rp_scene *scene, const rp_grain_split *split, int material,
                            double sites);
/* Places grains of given diameters, the largest first, inside the source and clear of large
 * spheres, walls, voids and bodies (random sequential addition), and adds them to the spheres.
 * Grains that found no space are marked in `lost`. */
rp_code rp_grain_place_large(const rp_world *world, const rp_source_spec *source,
                             const double *diameters, size_t count, rp_large_spheres *spheres,
                             rp_vec3 *positions, uint8_t *lost, rp_report *report);

/* --- additions.c and the control files: what the host program changes ------------------------- */

/* What was added while the world ran, as a part of its state. Reading it replaces the world's scene
 * by the one that the state belongs to; the rest of the state is to be read afterwards. */
rp_code rp_world_write_additions(const rp_world *world, rp_store *store, rp_report *report);
rp_code rp_world_read_additions(rp_world *world, const rp_store *store, rp_report *report);
void rp_world_end_additions(rp_world *world);
/* Fails where the world has no such body, or where it was removed. */
rp_code rp_world_check_body(const rp_world *world, int body, rp_report *report);
/* Fails where `count` more grains do not fit into memory; `name` names them in the message. */
rp_code rp_world_check_capacity(const rp_world *world, size_t count, const char *name,
                                rp_report *report);

/* --- snapshot.c ------------------------------------------------------------------------------- */

/* The state of the grains and the solver alone. */
rp_code rp_world_write_grains(const rp_world *world, rp_store *store, rp_report *report);
rp_code rp_world_read_grains(rp_world *world, const rp_store *store, rp_report *report);

/* --- memory_estimate.c ------------------------------------------------------------------------ */

rp_code rp_world_check_memory(const rp_scene *scene, const rp_world_options *options,
                              rp_report *report);
/* Returns the memory that may be used, bytes. */
double rp_world_memory_limit(const rp_world_options *options);
/* Returns how many grains fit into it. */
double rp_world_most_grains(const rp_scene *scene, const rp_world_options *options);

/* --- static_checks.c, narrow_openings.c: checks before the first step ------------------------- */

/* A grain at its start, m and m/s. */
typedef struct rp_review_start {
    rp_vec3 point, velocity;
} rp_review_start;

#define RP_REVIEW_STARTS 512

typedef struct rp_review {
    const rp_world *world;
    rp_report *warnings, *report;
    rp_code code;
    double grains; /* about how many find space */
    rp_review_start starts[RP_REVIEW_STARTS];
    int start_count;
    size_t start_seen, start_stride;
} rp_review;

void rp_review_add_start(rp_review *review, rp_vec3 point, rp_vec3 velocity);
/* Warns of openings that are too narrow for sand to flow through. */
void rp_review_openings(rp_review *review);

#endif
