/* What the files of this room share; no other room includes it. Equations (D…) are those of
 * docs/theory/fine-grains.md. Symbols: d0 is the spacing of coarse grains, h = 1.5 d0 the support
 * radius of the weights, d the spacing of fine grains.
 *
 * The order of a step, from the top:
 *
 *     rp_coarse_field_set        coarse grains and surfaces at the start of the step, interpolated
 *     rp_fraction_grid_prepare   an empty cell grid for the end of the step
 *     rp_advect_range            every chunk: weights, velocities, collisions, counts per cell
 *     rp_fraction_grid_smooth    counts per cell to volume fraction */
#ifndef RP_DETAIL_INSIDE_H
#define RP_DETAIL_INSIDE_H

#include "base/memory.h"
#include "base/report.h"
#include "couple/surfaces.h"
#include "detail/detail.h"
#include "math/wide.h"
#include "neighbor/point_search.h"

#include <stdatomic.h>

/* Arrays that are read with wide loads are this much longer. */
#define RP_DETAIL_PADDING RP_WIDE

/* --- coarse.c: coarse grains of views, and between views ---------------------------------------
 */

/* Coarse grains of a view, in the order of their ids. */
typedef struct rp_coarse_grains {
    size_t count, capacity;
    uint32_t *id;
    float *x, *y, *z;    /* m, the filtered position: see rp_coarse_grains_filter_jitter */
    float *vx, *vy, *vz; /* m/s */
    uint8_t *material;
} rp_coarse_grains;

/* Copies the coarse grains of a view whose positions and velocities are finite.
 * RP_ERROR_DAMAGED when two have the same id, or when a material is not below `materials`. */
rp_code rp_coarse_grains_take(rp_coarse_grains *grains, const rp_view *view, int materials,
                              rp_report *report);
/* Allocates arrays for `count` grains; their values are lost when the arrays grow. */
rp_code rp_coarse_grains_reserve(rp_coarse_grains *grains, size_t count, rp_report *report);
void rp_coarse_grains_end(rp_coarse_grains *grains);
/* Removes jitter (D7): positions in `next` follow those in `last` with a dead band. */
void rp_coarse_grains_filter_jitter(const rp_detail *detail, const rp_coarse_grains *last,
                                    rp_coarse_grains *next);

/* A coarse grain during one step, packed so that a packet of fine grains reads one half of a cache
 * line for each. */
typedef struct rp_coarse_row {
    float x, y, z;    /* m, at the start of the step */
    float vx, vy, vz; /* m/s, displacement of the step over its length: u_j of (D4) */
    float pad[2];
} rp_coarse_row;
_Static_assert(sizeof(rp_coarse_row) == 32, "two rows share a cache line");

/* The velocity field that carries fine grains in one step: coarse grains and surfaces. */
typedef struct rp_coarse_field {
    rp_point_search *near;
    float *x, *y, *z;               /* m, of the rows before they are sorted */
    rp_coarse_row *unsorted, *rows; /* `rows`: in cell order, periodic images included */
    size_t count, capacity;
    rp_surface *surfaces; /* at the start of the step; their velocities lead to its end */
    rp_pose *ends;        /* poses of the surfaces at the end of the step */
    int surface_count, surface_capacity;
    double time, dt; /* s, start and length of the step */
    rp_vec3 gravity; /* m/s2 */
    double fastest;  /* m/s, largest speed of a coarse grain */
} rp_coarse_field;

rp_code rp_coarse_field_begin(rp_detail *detail, rp_report *report);
void rp_coarse_field_end(rp_coarse_field *field);
/* Sets the field up for the step from `start` to `end`, both in parts (0 to 1) of the `interval`
 * (s) between the two views. */
rp_code rp_coarse_field_set(rp_detail *detail, double interval, double start, double end,
                            rp_report *report);
/* Sets the rows to the coarse grains of the last view, or of the next, where that view has them. */
rp_code rp_coarse_field_at_last_view(rp_detail *detail, rp_report *report);
rp_code rp_coarse_field_at_next_view(rp_detail *detail, rp_report *report);

/* Returns a coordinate at part s (0 to 1) of an interval (s) by cubic Hermite interpolation (D8):
 * `from` and the `shift` of the interval in m, velocities at both ends in m/s, gravity in m/s2. */
double rp_coarse_interpolate(double from, double shift, double start, double end, double interval,
                             double gravity, double s);
/* Returns a coordinate (m) wrapped into the period of its axis; as it is where there is none. */
double rp_detail_wrap(const rp_domain_spec *domain, int axis, double at);

/* --- volume_fraction.c: how densely fine grains lie, on a cell grid -----------------------------
 */

#define RP_FRACTION_CELLS 4 /* of a block, along each axis */
#define RP_FRACTION_BLOCK (RP_FRACTION_CELLS * RP_FRACTION_CELLS * RP_FRACTION_CELLS)
_Static_assert(RP_FRACTION_CELLS == 4, "cells of a block are numbered by two bits of each axis");

/* A sparse grid of cells: blocks of 4 x 4 x 4 cells exist around coarse grains only, and a hash
 * table finds them. */
typedef struct rp_fraction_grid {
    double inverse;           /* 1/m, one over the edge of a cell */
    double low[3], period[3]; /* m, of periodic axes; else 0 */
    uint64_t generation;      /* changes with every smoothing, so that caches notice; 0: never */
    bool counting;            /* fine grains of this step are added */
    float threshold;          /* volume fraction above which cells push grains out (D11) */
    struct rp_fraction_block {
        uint64_t key;
        bool has_neighbors; /* its 26 neighbors exist */
    } * blocks;
    size_t block_count, block_capacity;
    uint32_t *slots; /* hash table with linear probing: block + 1, or 0 */
    size_t slot_count;
    _Atomic uint32_t *counts; /* fine grains in each cell of each block */
    float *float_counts;      /* the same as floats, for smoothing */
    float *free_volume;       /* part of each cell that is outside of solids, 0 to 1 */
    float *fraction;          /* volume fraction F, smoothed; 1 for packed material (D9) */
    size_t cell_capacity;
} rp_fraction_grid;

void rp_fraction_grid_end(rp_fraction_grid *grid);
/* Makes empty blocks around all coarse grains of the field, where they are after that time (s). */
rp_code rp_fraction_grid_prepare(rp_fraction_grid *grid, const rp_detail *detail, double after,
                                 rp_report *report);
/* Counts the grains of a chunk; may be called from any thread. */
void rp_fraction_grid_add(rp_fraction_grid *grid, const rp_chunk *chunk);
/* Computes `fraction` from the counts. */
void rp_fraction_grid_smooth(rp_fraction_grid *grid, rp_detail *detail);

/* The volume fraction in one block and in a layer of one cell around it, copied together so that
 * look-ups need no hash table. */
#define RP_FRACTION_EDGE (RP_FRACTION_CELLS + 2)
typedef struct rp_fraction_patch {
    uint64_t generation; /* of the grid that it was copied from; 0: none */
    int64_t corner[3];   /* block coordinates */
    float low[3];        /* m, lower corner of the block */
    float inverse;       /* 1/m, one over the edge of a cell */
    float fraction[RP_FRACTION_EDGE * RP_FRACTION_EDGE * RP_FRACTION_EDGE]; /* x fastest */
    float highest;                                                          /* of these */
    bool pushes_any;                  /* a cell of the block is above the threshold */
    float push[RP_FRACTION_BLOCK][3]; /* m, displacement out of each cell of the block (D11) */
} rp_fraction_patch;

/* A direct-mapped cache of patches: packets of a chunk alternate between neighboring blocks. */
typedef struct rp_fraction_cache {
    rp_fraction_patch items[64]; /* by the two low bits of each block coordinate */
} rp_fraction_cache;

/* Returns the patch of the block that a point (m) is in; valid until the next call. */
const rp_fraction_patch *rp_fraction_cache_at(rp_fraction_cache *cache,
                                              const rp_fraction_grid *grid, const float point[3]);
/* Returns the volume fraction at a point (m) by trilinear interpolation: 1 for packed material, 0
 * far from all coarse grains. Points more than half a cell outside of the block are moved there. */
float rp_fraction_patch_value(const rp_fraction_patch *patch, const float at[3]);
/* Finds the cells of the block that points (m) are in, or the nearest ones. Reads and writes whole
 * groups of RP_WIDE. */
void rp_fraction_patch_cells(const rp_fraction_patch *patch, const float *x, const float *y,
                             const float *z, int count, int32_t *cells);

/* --- chunks.c: out-of-core storage of fine grains -----------------------------------------------
 */

typedef struct rp_stored_chunk {
    rp_chunk chunk;  /* its arrays are NULL while it is in the scratch file */
    size_t capacity; /* grains that its memory, or its part of the file, can hold */
    int64_t offset;  /* bytes into the scratch file; -1: it is in memory */
    /* Cost of its last step and of the step after it was sorted: pairs of fine and coarse grains.
     */
    uint64_t pairs, sorted_pairs;
} rp_stored_chunk;

typedef struct rp_chunks {
    rp_stored_chunk *items;
    size_t count, capacity;
    double limit;     /* bytes in memory; chunks beyond it are in the scratch file */
    size_t bytes;     /* in memory */
    char *folder;     /* of the scratch file; NULL: all chunks are in memory */
    int file;         /* descriptor of the scratch file; -1 before it is needed */
    int64_t file_end; /* bytes */
} rp_chunks;

/* Allocates arrays for `capacity` grains, in one block of memory that begins at x. */
rp_code rp_chunk_create(rp_chunk *chunk, size_t capacity, rp_report *report);
void rp_chunk_release(rp_chunk *chunk, size_t capacity);

void rp_chunks_end(rp_chunks *chunks);
/* Adds grains: to the last chunk where their ids continue it, else as a new chunk. `buffer` has the
 * capacity of a full chunk, here and below. */
rp_code rp_chunks_add(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer,
                      rp_report *report);
/* Adds a chunk as it is. */
rp_code rp_chunks_put(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer,
                      rp_report *report);
/* Borrows a chunk: `out` has the arrays in memory, or those of the buffer, read from the file. Each
 * thread has its own buffer. Returning a chunk writes it back to where it is stored. */
rp_code rp_chunks_borrow(const rp_chunks *chunks, size_t index, rp_chunk *buffer, rp_chunk *out,
                         rp_report *report);
rp_code rp_chunks_return(rp_chunks *chunks, size_t index, const rp_chunk *chunk, rp_report *report);

typedef struct rp_chunk_sort_scratch {
    uint32_t keys[2][RP_CHUNK_MAX];
    uint16_t order[2][RP_CHUNK_MAX];
    float buffer[RP_CHUNK_MAX];
} rp_chunk_sort_scratch;
_Static_assert(RP_CHUNK_MAX <= UINT16_MAX + 1, "places in a chunk have 16 bits");
_Static_assert(RP_DETAIL_PADDING >= RP_WIDE, "a wide load that begins at the last value fits");

/* Sorts the grains of a chunk along a Morton curve through cells of the edge `cell_edge` (m),
 * aligned with the search cells of the edge `search_edge` (m). */
void rp_chunk_sort(rp_chunk *chunk, double cell_edge, double search_edge,
                   rp_chunk_sort_scratch *scratch);

/* --- collision.c: fine grains and surfaces ------------------------------------------------------
 */

/* Lists the surfaces of `from` (NULL: of all) that come within `reach` (m) of a point during the
 * step. `out` has the capacity for all of them. */
void rp_detail_surfaces_near(const rp_detail *detail, const rp_surface_list *from, rp_vec3 middle,
                             double reach, rp_surface_list *out);
/* Returns a position (m) for a new fine grain of the coarse grain at `middle`, wanted `at`: outside
 * of all surfaces, mirrored at them (D3). */
rp_vec3 rp_detail_place_outside(const rp_detail *detail, const rp_surface_list *near,
                                rp_vec3 middle, rp_vec3 at);
/* The motion of a fine grain in one step, m and m/s. */
typedef struct rp_detail_motion {
    rp_vec3 start, end, velocity;
    uint8_t material;
} rp_detail_motion;
/* Collides a motion with surfaces (D12): changes its end and velocity. True when it touched one. */
bool rp_detail_collide(const rp_detail *detail, const rp_surface_list *near,
                       rp_detail_motion *motion);

/* --- seeding.c: fine grains for new coarse ones -------------------------------------------------
 */

/* Creates the fine grains of coarse grains that the next view has and the last one has not. */
rp_code rp_seeding_new(rp_detail *detail, rp_report *report);
/* Returns the position of fine grain `id` relative to its coarse grain, in radii of that (D2). */
rp_vec3 rp_seeding_point(const rp_detail_spec *spec, uint64_t seed, uint64_t id);
/* The same for an isolated coarse grain: uniform in a ball of its volume (D13). */
rp_vec3 rp_seeding_ball(uint64_t seed, uint64_t id);
#define RP_SEEDING_BALL_RADIUS 1.2407009817988 /* in radii: (6 / pi)^(1/3) */

/* --- advect.c: one step of fine grains ----------------------------------------------------------
 */

/* Fine grains that are advected together: neighbors on the curve, in one search cell. */
#define RP_DETAIL_PACKET 32
_Static_assert(RP_DETAIL_PACKET % RP_WIDE == 0, "packets are worked on in whole groups of eight");
typedef struct rp_detail_packet {
    size_t begin; /* of its grains in the chunk */
    int count;
    /* Sum and maximum of the weights (D4). */
    float sum[RP_DETAIL_PACKET], largest[RP_DETAIL_PACKET];
    /* Weighted sums of velocities, m/s. */
    float ux[RP_DETAIL_PACKET], uy[RP_DETAIL_PACKET], uz[RP_DETAIL_PACKET];
    float alpha[RP_DETAIL_PACKET]; /* share of free flight (D5) */
    /* Position (m) and velocity (m/s) at the end of the step. */
    float x[RP_DETAIL_PACKET], y[RP_DETAIL_PACKET], z[RP_DETAIL_PACKET];
    float vx[RP_DETAIL_PACKET], vy[RP_DETAIL_PACKET], vz[RP_DETAIL_PACKET];
} rp_detail_packet;

/* Grains whose search cells are computed in one go. */
#define RP_DETAIL_KEY_BLOCK 2048
_Static_assert(RP_DETAIL_KEY_BLOCK % RP_DETAIL_PACKET == 0,
               "only the last packet of a block is cut short");

/* Scratch memory of one worker. */
typedef struct rp_detail_workspace {
    rp_point_search_walk *walk;
    rp_chunk chunk; /* of full capacity */
    rp_detail_packet packet;
    rp_surface_list near_chunk, near_packet;
    rp_fraction_cache cache;
    uint64_t pairs; /* of fine and coarse grains evaluated, in the chunk at hand */
    uint64_t keys[RP_DETAIL_KEY_BLOCK];
    rp_chunk_sort_scratch sort;
} rp_detail_workspace;

/* True when the field has no other coarse grain within h of the one at a point, m (D13). */
bool rp_coarse_grain_is_isolated(const rp_detail *detail, rp_detail_workspace *workspace,
                                 const float at[3]);
/* Advects chunks through the step that the field is set up for; context: the detail. */
rp_range_fn rp_advect_range;

/* --- detail.c ------------------------------------------------------------------------------------
 */

/* Counts all fine grains again, on a grid around the coarse grains of the last view. */
rp_code rp_detail_recount(rp_detail *detail, rp_report *report);
/* Calls `body` for every chunk, on all threads; reports the first failure that was noted. */
rp_code rp_detail_for_chunks(rp_detail *detail, rp_range_fn *body, rp_report *report);
void rp_detail_note_failure(rp_detail *detail, rp_code code);

struct rp_detail {
    const rp_scene *scene;
    const rp_detail_spec *spec;
    rp_threads *threads;
    double radius, support;    /* m, of a coarse grain: r; of its weights: h (D1) */
    double spacing, clearance; /* m, of fine grains: d; their distance from surfaces, d / 2 */
    double cell;               /* m, edge of the cells of the curve and of the volume fraction */
    double packed_count;       /* fine grains in such a cell of packed material: N0 */

    double time; /* s, of the last view */
    bool begun;
    rp_coarse_grains last, next;
    rp_body_state *last_bodies, *next_bodies, *bodies; /* of both views; in this step */
    int body_count;
    rp_coarse_field field;
    rp_fraction_grid fraction, fraction_next; /* at the start and at the end of the step */
    uint64_t generations;                     /* of both grids together */

    rp_chunks chunks;
    uint64_t born, steps;
    _Atomic uint64_t left;
    rp_chunk new_chunk;    /* of full capacity */
    rp_scratch workspaces; /* rp_detail_workspace of each worker */
    _Atomic int failure;   /* the first rp_code other than RP_OK on any thread */
};

/* A buffer with the capacity of a full chunk, for use outside of parallel loops. */
static inline rp_chunk *rp_detail_buffer(const rp_detail *detail)
{
    rp_detail_workspace *workspace = rp_scratch_of(&detail->workspaces, 0);
    return &workspace->chunk;
}

#endif
