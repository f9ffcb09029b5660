/* What the files of this room share; nobody else includes it. Equations (D…) are those of
 * docs/theory/fine-grains.md. */
#ifndef RP_DETAIL_INSIDE_H
#define RP_DETAIL_INSIDE_H

#include "base/log.h"
#include "base/memory.h"
#include "base/report.h"
#include "couple/surfaces.h"
#include "detail/detail.h"
#include "math/wide.h"
#include "neighbor/near.h"

#include <stdatomic.h>

/* Arrays that are read with wide loads are this much longer. */
#define RP_DETAIL_PADDING RP_WIDE

/* --- clumps.c: the coarse grains of a view ---------------------------------------------------- */

/* Coarse grains in the order of their ids. */
typedef struct rp_coarse_grains {
    size_t count, capacity;
    uint32_t *id;
    float *x, *y, *z;    /* m, where grains are carried to: see rp_coarse_grains_settle */
    float *vx, *vy, *vz; /* m/s */
    uint8_t *material;
} rp_coarse_grains;

/* Takes the coarse grains of a view that are somewhere. RP_ERROR_DAMAGED when two have one id, or
 * one is of none of the so many materials. */
rp_code rp_coarse_grains_take(rp_coarse_grains *clumps, const rp_view *view, int materials,
                              rp_report *report);
/* Room for `count`; what was there is lost when it grows. */
rp_code rp_coarse_grains_reserve(rp_coarse_grains *clumps, size_t count, rp_report *report);
void rp_coarse_grains_end(rp_coarse_grains *clumps);

/* --- between.c: clumps and surfaces during a step --------------------------------------------- */

/* A clump as the grains see it. */
typedef struct rp_row {
    float x, y, z;    /* m, at the start of the step */
    float vx, vy, vz; /* m/s, that takes it to where it is at the end */
    float pad[2];
} rp_row;
_Static_assert(sizeof(rp_row) == 32, "two rows share a cache line");

typedef struct rp_detail_field {
    rp_near *near;
    float *x, *y, *z;        /* of the rows before they are sorted */
    rp_row *unsorted, *rows; /* rows in cell order; periodic images included */
    size_t count, capacity;
    rp_surface *surfaces; /* at the start of the step; velocities take them to its end */
    rp_pose *ends;        /* their poses at the end */
    int surface_count, surface_room;
    double time, dt; /* s, of the step's start; its length */
    rp_vec3 gravity; /* m/s2 */
    double fastest;  /* m/s, of all clumps */
} rp_detail_field;

rp_code rp_field_begin(rp_detail *detail, rp_report *report);
void rp_field_end(rp_detail_field *field);
/* Sets up the step from share `start` to share `end` of the interval between both views. */
rp_code rp_field_set(rp_detail *detail, double interval, double start, double end,
                     rp_report *report);
/* The clumps of the last view, wherever they go. */
rp_code rp_field_stand(rp_detail *detail, rp_report *report);
/* The clumps of the next view where they are in it. */
rp_code rp_field_arrive(rp_detail *detail, rp_report *report);
/* Lets clumps that only tremble stand still: moves those of the next view (D7). */
void rp_coarse_grains_settle(const rp_detail *detail, const rp_coarse_grains *last,
                             rp_coarse_grains *next);
/* A coordinate at share s of an interval (s), from the way (m) that is gone in it and the
 * velocities (m/s) at its start and end; gravity in m/s2 (D8). */
double rp_between(double from, double way, double start, double end, double interval,
                  double gravity, double s);
/* Into the period along an axis that is periodic. */
double rp_detail_wrap(const rp_domain_spec *domain, int axis, double at);

/* --- counts.c: how many grains there are where ------------------------------------------------ */

#define RP_COUNT_CELLS 4 /* of a block, along each axis */
#define RP_COUNT_BLOCK (RP_COUNT_CELLS * RP_COUNT_CELLS * RP_COUNT_CELLS)
_Static_assert(RP_COUNT_CELLS == 4, "cells of a block are numbered by two bits of each axis");

/* Cells of fine grains, in blocks that are found through a hash; blocks exist around clumps only.
 */
typedef struct rp_counts {
    double inverse;           /* 1/m, one over the edge of a cell */
    double low[3], period[3]; /* m, of periodic axes; else 0 */
    uint64_t set;             /* counts how often it was filled; never 0 then */
    bool counting;            /* in this step */
    float push_from;          /* fullness that drives grains away */
    struct rp_count_block {
        uint64_t key;
        bool surrounded; /* those beside it are there, too */
    } * blocks;
    size_t block_count, block_capacity;
    uint32_t *slots; /* block + 1, or 0 */
    size_t slot_count;
    _Atomic uint32_t *numbers; /* grains in each cell of each block */
    float *plain;              /* the same as plain numbers */
    float *room;               /* what surfaces leave of each cell, 0 to 1 */
    float *filled;             /* numbers over room, smoothed; 1 for packed material (D9) */
    size_t cell_capacity;
} rp_counts;

void rp_counts_end(rp_counts *counts);
/* Blocks around all clumps of the field where they are after that time (s), all empty. */
rp_code rp_counts_prepare(rp_counts *counts, const rp_detail *detail, double after,
                          rp_report *report);
/* Adds the grains of a chunk, from any thread. */
void rp_counts_add(rp_counts *counts, const rp_chunk *chunk);
/* Makes `filled` of the numbers. */
void rp_counts_smooth(rp_counts *counts, rp_detail *detail);
/* How full it is in a block and in the cells next to it, for one thread to look at often. */
#define RP_AROUND (RP_COUNT_CELLS + 2)
typedef struct rp_around {
    uint64_t set; /* which counts; 0: none */
    int64_t corner[3];
    float low[3], inverse; /* m, the block's lower corner; 1/m, one over the edge of a cell */
    float filled[RP_AROUND * RP_AROUND * RP_AROUND]; /* x fastest */
    float most;                                      /* of them */
    bool crowded;                                    /* some cell of the block pushes */
    float push[RP_COUNT_BLOCK][3]; /* m, the way out of each cell of the block (D11) */
} rp_around;

/* Those that were looked at last: packets of a chunk go to and fro between neighboring blocks. */
typedef struct rp_arounds {
    rp_around items[64]; /* by the low bits of their places */
} rp_arounds;

/* The block that a point is in; good until another is asked for. */
const rp_around *rp_arounds_at(rp_arounds *arounds, const rp_counts *counts, const float point[3]);
/* How full it is at a point in the block or less than half a cell beside it: 1 for packed material;
 * 0 far from all clumps. Elsewhere it is that of the nearest such point. */
float rp_around_filled(const rp_around *around, const float at[3]);
/* The cells of the block that points are in, or next to. Reads and writes whole eights. */
void rp_around_cells(const rp_around *around, const float *x, const float *y, const float *z,
                     int count, int32_t *cells);

/* --- chunks.c: where chunks are kept ---------------------------------------------------------- */

typedef struct rp_kept_chunk {
    rp_chunk chunk;  /* its arrays are NULL while it is in the scratch file */
    size_t capacity; /* grains that its memory, or its place in the file, has room for */
    int64_t place;   /* bytes into the scratch file; -1: it is in memory */
    uint64_t pairs, sorted_pairs; /* grains times clumps looked at, last and after sorting */
} rp_kept_chunk;

typedef struct rp_chunks {
    rp_kept_chunk *items;
    size_t count, capacity;
    double limit; /* bytes */
    size_t bytes; /* in memory */
    char *folder; /* of the scratch file; NULL: there is none */
    int file;     /* -1 while there is none */
    int64_t file_end;
} rp_chunks;

/* Arrays for `capacity` grains, in one block that begins at x. */
rp_code rp_chunk_create(rp_chunk *chunk, size_t capacity, rp_report *report);
void rp_chunk_release(rp_chunk *chunk, size_t capacity);

void rp_chunks_end(rp_chunks *chunks);
/* Adds grains: to the last chunk where they fit and belong, else as a new one. `buffer` has room
 * for a full chunk. */
rp_code rp_chunks_add(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer,
                      rp_report *report);
/* Adds a chunk as it is. */
rp_code rp_chunks_put(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer,
                      rp_report *report);
/* A chunk to look at or to change: its own arrays, or the buffer's with what the file holds. Each
 * thread has its own buffer. Returning it keeps what was changed. */
rp_code rp_chunks_borrow(const rp_chunks *chunks, size_t index, rp_chunk *buffer, rp_chunk *out,
                         rp_report *report);
rp_code rp_chunks_return(rp_chunks *chunks, size_t index, const rp_chunk *chunk, rp_report *report);

/* --- order.c ---------------------------------------------------------------------------------- */

typedef struct rp_sort_room {
    uint32_t keys[2][RP_CHUNK_MAX];
    uint16_t order[2][RP_CHUNK_MAX];
    float spare[RP_CHUNK_MAX];
} rp_sort_room;
_Static_assert(RP_CHUNK_MAX <= UINT16_MAX + 1, "places in a chunk have 16 bits");
_Static_assert(RP_DETAIL_PADDING >= RP_WIDE, "a wide load that begins at the last value fits");

/* Sorts the grains of a chunk along a curve through small cells that fill the cells of the search;
 * edges of both in m. */
void rp_chunk_sort(rp_chunk *chunk, double cell, double edge, rp_sort_room *room);

/* --- meet.c: grains and surfaces -------------------------------------------------------------- */

/* Those surfaces of `from` (NULL: of all) that come within `reach` (m) of a point during the step.
 * `out` has room for all of them. */
void rp_detail_surfaces_near(const rp_detail *detail, const rp_surface_list *from, rp_vec3 middle,
                             double reach, rp_surface_list *out);
/* A place for a new grain of a clump: outside of all surfaces, mirrored at them (D3). */
rp_vec3 rp_detail_place_outside(const rp_detail *detail, const rp_surface_list *near,
                                rp_vec3 middle, rp_vec3 at);
/* A grain on its way in this step, m and m/s. */
typedef struct rp_flight {
    rp_vec3 start, end, velocity;
    uint8_t material;
} rp_flight;
/* Keeps a grain out of the surfaces on its way (D12); true when it met one. */
bool rp_flight_meet(const rp_detail *detail, const rp_surface_list *near, rp_flight *flight);

/* --- sample.c --------------------------------------------------------------------------------- */

/* Fills the clumps of the next view that are not in the last. */
rp_code rp_sample_new(rp_detail *detail, rp_report *report);
/* Where grain `id` lies around its clump, in radii of the clump (D2). */
rp_vec3 rp_sample_point(const rp_detail_spec *spec, uint64_t seed, uint64_t id);
/* The same around a clump without neighbors: anywhere in a ball of the clump's volume (D13). */
rp_vec3 rp_sample_ball(uint64_t seed, uint64_t id);
#define RP_BALL 1.2407009817988 /* its radius: (6 / pi)^(1/3) */

/* --- carry.c: one step of all grains ---------------------------------------------------------- */

/* Grains that are carried together: neighbors on the curve, of one cell. */
#define RP_PACKET 32
_Static_assert(RP_PACKET % RP_WIDE == 0, "packets are worked on in whole groups of eight");
typedef struct rp_packet {
    size_t begin;
    int count;
    float sum[RP_PACKET], most[RP_PACKET];             /* of the weights: (D4) */
    float ux[RP_PACKET], uy[RP_PACKET], uz[RP_PACKET]; /* m/s, weighted sums of velocities */
    float share[RP_PACKET];                            /* of free flight: alpha, (D5) */
    float x[RP_PACKET], y[RP_PACKET], z[RP_PACKET];    /* m, at the end of the step */
    float vx[RP_PACKET], vy[RP_PACKET], vz[RP_PACKET]; /* m/s, likewise */
} rp_packet;

#define RP_KEY_BLOCK 2048
_Static_assert(RP_KEY_BLOCK % RP_PACKET == 0, "only the last packet of a block is cut short");

/* What a worker needs for itself. */
typedef struct rp_work {
    rp_near_walk *walk;
    rp_chunk chunk; /* room for a full one */
    rp_packet packet;
    rp_surface_list near_chunk, near_packet;
    rp_arounds arounds;
    uint64_t pairs; /* grains times clumps looked at, of the chunk in hand */
    uint64_t keys[RP_KEY_BLOCK];
    rp_sort_room sort;
} rp_work;

/* Whether the field has no clump within reach of a place but one that is there (D13). */
bool rp_coarse_grain_is_lone(const rp_detail *detail, rp_work *work, const float at[3]);
/* Carries chunks through the step that the field is set up for; context: the detail. */
rp_range_fn rp_carry_range;

/* --- detail.c --------------------------------------------------------------------------------- */

/* Counts all grains anew around the clumps of the last view. */
rp_code rp_detail_count_again(rp_detail *detail, rp_report *report);
/* Calls for every chunk, on all threads; tells the first trouble that they noted. */
rp_code rp_detail_for_chunks(rp_detail *detail, rp_range_fn *body, rp_report *report);
void rp_detail_note(rp_detail *detail, rp_code code);

struct rp_detail {
    const rp_scene *scene;
    const rp_detail_spec *spec;
    rp_threads *threads;
    double radius, reach;  /* m, of a clump; up to which clumps carry grains */
    double spacing, clear; /* m, of fine grains; that they keep from surfaces */
    double cell;           /* m, of the curve and of the counts */
    double packed;         /* grains in such a cell when packed */

    double time; /* s, of the last view */
    bool begun;
    rp_coarse_grains last, next;
    rp_body_state *last_bodies, *next_bodies, *bodies; /* of both views; in this step */
    int body_count;
    rp_detail_field field;
    rp_counts counts, counts_next;
    uint64_t sets; /* how often any counts were filled */

    rp_chunks chunks;
    uint64_t born, steps;
    _Atomic uint64_t left;
    rp_chunk newborn;    /* room for a full one */
    rp_scratch works;    /* rp_work of each worker */
    _Atomic int trouble; /* the first rp_code that went wrong on any thread */
};

/* Room for a full chunk, outside of loops. */
static inline rp_chunk *rp_detail_buffer(const rp_detail *detail)
{
    rp_work *work = rp_scratch_of(&detail->works, 0);
    return &work->chunk;
}

#endif
