/* What the files of this room share: grid, cells, sorter, and the search around one cell. Private.
 */
#ifndef RP_NEIGHBOR_INSIDE_H
#define RP_NEIGHBOR_INSIDE_H

#include "math/wide.h"
#include "neighbor/morton.h"
#include "neighbor/neighbor.h"

#include <stdatomic.h>

/* Parallel loops over grains run in blocks of this many. */
#define RP_NEIGHBOR_BLOCK 16384
/* Indices are 32 bits; the last one stands for "none". */
#define RP_NONE UINT32_MAX
/* Arrays that are read with wide loads have this many values of padding. */
#define RP_NEIGHBOR_PADDING 8
_Static_assert(RP_NEIGHBOR_PADDING >= RP_WIDE, "a wide load that begins at the last value fits");

/* --- cells and candidates --------------------------------------------------------------------- */

/* Three arrays of coordinates. */
typedef struct rp_points {
    const float *x, *y, *z;
    size_t count;
} rp_points;

/* A uniform grid of cubes. Cell coordinates count from one cell below the lowest point, modulo
 * 2^bits. When all points fit, there is an empty cell around them and nothing wraps; when grains
 * are further than 2^21 cells apart, cells far from each other share a Morton code, which costs a
 * few distance tests in vain and gives no wrong neighbors. */
typedef struct rp_neighbor_grid {
    double inverse; /* 1/m, one over the edge */
    double base[3]; /* cell coordinate with the number 0 */
    unsigned bits;  /* of each coordinate, 2 to 21 */
} rp_neighbor_grid;

/* Candidates in cell order; `index` is what is written to the lists. All arrays have padding. */
typedef struct rp_candidates {
    const float *x, *y, *z;
    const uint32_t *index;
} rp_candidates;

/* Sorted keys and the permutation that sorts. A radix sort moves them back and forth between two
 * buffers of each (ping-pong). With an arena all four are borrowed until rp_sorter_return. */
typedef struct rp_sorter {
    uint64_t *keys, *other_keys;
    uint32_t *order, *other_order;
    size_t capacity; /* of own buffers; 0 in an arena */
    rp_arena *arena; /* NULL: none */
    size_t mark;     /* of the arena, before */
    uint32_t *histogram;
    size_t histogram_capacity;
} rp_sorter;

/* Two by two by two cells, consecutive on the Morton curve: eight cells with one look-up. */
typedef struct rp_octet {
    uint64_t key;      /* of its cells, without the last three bits */
    uint32_t begin[9]; /* of cell c: first candidate; begin[c + 1] is behind the last */
} rp_octet;
_Static_assert(sizeof(rp_octet) == 48, "an octet is three quarters of a cache line");

/* The occupied octets in the order of their keys, and a hash table of them: open addressing, linear
 * probing, filled by all threads at once. */
typedef struct rp_cells {
    rp_octet *octets;
    size_t count, capacity;
    uint32_t *first; /* candidate of each octet, while building */
    size_t first_capacity;
    _Atomic uint32_t *slots; /* octet + 1, or 0 for an empty slot */
    size_t slot_count;       /* a power of two, at least twice the octets */
    size_t slot_capacity;
    uint32_t *heads; /* first octet of each block of candidates, while building */
    size_t head_capacity;
} rp_cells;

/* Candidates of one search: all of them, or those of one size level. */
typedef struct rp_cell_level {
    rp_cells cells;
    rp_candidates candidates;
    size_t count;
    float limit;   /* m2, the radius squared; of a size level the largest reach within it */
    float largest; /* m, diameter; levels only */
} rp_cell_level;

/* Size levels at most: the largest grain is 2^11 times the smallest. */
#define RP_LEVELS_MAX 12

/* The size levels: cells of level k have the edge `edge` 2^k and hold grains of diameters up to
 * top[k]. */
typedef struct rp_size_levels {
    double edge; /* m */
    unsigned count;
    float top[RP_LEVELS_MAX]; /* m */
} rp_size_levels;

struct rp_neighbor {
    rp_threads *threads;
    rp_period period;
    size_t most_indices; /* in all lists of one call */
    double occupancy;    /* grains side by side in a cell; multiples of it are refused */
    rp_sorter sorter;
    rp_neighbor_grid grid; /* of the search that was prepared last, and its candidates */
    rp_size_levels sizes;  /* one level where the search has one radius */
    rp_cell_level levels[RP_LEVELS_MAX];
    const float *diameter; /* m, of the grains; where there are several levels */
    rp_lists across;       /* neighbors of other levels; borrowed from the sorter's arena */
    uint64_t *ghost_first; /* of each block of grains */
    size_t ghost_block_capacity;
    rp_scratch scratch; /* rp_search_scratch of each worker */
};

/* Grows an array to `wanted` elements; its contents are lost when it moves. It takes an eighth
 * more, so that counts that fluctuate from step to step soon stop allocating. */
bool rp_neighbor_reserve(void **array, size_t *capacity, size_t wanted, size_t element_size);

/* Returns the edge of the cells for a search radius: slightly more, so that neighbors that are
 * within the radius only by the rounding of the distance are never two cells apart. */
double rp_neighbor_grid_edge(double radius);
/* Returns a grid around points. `top`: 2^top cells along each axis make one of the coarsest level;
 * coarse cells begin at multiples of their edge, whatever the points are. */
rp_neighbor_grid rp_neighbor_grid_around(rp_threads *threads, const rp_points *points, double edge,
                                         unsigned top);
/* Computes the Morton codes of points begin to end - 1, into keys[0] and on. */
void rp_neighbor_grid_keys(const rp_neighbor_grid *grid, const rp_points *points, size_t begin,
                           size_t end, uint64_t *keys);

/* Computes keys and order, stable, by ascending key. `*in_order`: the points were sorted already.
 */
rp_code rp_sorter_run(rp_sorter *sorter, rp_threads *threads, const rp_neighbor_grid *grid,
                      const rp_points *points, bool *in_order, rp_report *report);
/* Returns keys and order to the arena, and all that was taken from it since the run. */
void rp_sorter_return(rp_sorter *sorter);
void rp_sorter_end(rp_sorter *sorter);

rp_code rp_cells_build(rp_cells *cells, rp_threads *threads, const uint64_t *keys, size_t count,
                       rp_report *report);
void rp_cells_end(rp_cells *cells);
/* RP_ERROR_INPUT where a cell is overfull; see rp_neighbor_limit_occupancy. */
rp_code rp_cells_check_occupancy(const rp_neighbor *neighbor, const rp_cell_level *level,
                                 double edge, double occupancy, rp_report *report);

static inline size_t rp_cells_slot(uint64_t octet_key)
{
    return (size_t)(octet_key * 0x9e3779b97f4a7c15ull >> 32);
}

/* The octet with that key, or NULL. */
static inline const rp_octet *rp_cells_find(const rp_cells *cells, uint64_t octet_key)
{
    for (size_t slot = rp_cells_slot(octet_key);; slot++) {
        uint32_t octet = atomic_load_explicit(&cells->slots[slot & (cells->slot_count - 1)],
                                              memory_order_relaxed);
        if (octet == 0) return NULL;
        if (cells->octets[octet - 1].key == octet_key) return &cells->octets[octet - 1];
    }
}

/* levels.c: the size levels of a reach, and the level of a diameter. */
rp_size_levels rp_size_levels_of(const rp_reach *reach);
double rp_reach_of(const rp_reach *reach, double diameter); /* m, of two such grains */
static inline unsigned rp_size_levels_find(const rp_size_levels *sizes, float diameter)
{
    unsigned level = 0;
    while (level + 1 < sizes->count && diameter > sizes->top[level])
        level++;
    return level;
}

/* Periodic wrap: moves own grains into the period. */
void rp_neighbor_wrap(const rp_neighbor *neighbor, rp_grains *grains);

/* --- search.c: the search around one cell ----------------------------------------------------- */

/* Capacity of the buffer of gathered candidates at first, and at most; where cells hold more than
 * that (grains heaped on one spot), candidates are tested in place, piece by piece. */
#define RP_GATHER_FIRST 512
#define RP_GATHER_MAX 4096
/* Ranges of candidates that the 27 cells around one make at most: those of its own octet are one,
 * the seven adjacent octets give 1 + 2 + 4 + 1 + 2 + 2 + 1; and one slot for an empty range. */
#define RP_RANGES_MAX 15
/* Queries of one block of work; and the capacity of the buffer of their neighbors, in multiples of
 * that of candidates. */
#define RP_QUERY_BLOCK 512
#define RP_LIST_CAPACITY 4

/* Candidates in the cells around a query: index ranges in the sorted arrays. */
typedef struct rp_ranges {
    uint32_t begin[RP_RANGES_MAX], end[RP_RANGES_MAX];
    int count;
    size_t total;
} rp_ranges;

/* The piece of the index array that a worker copies lists to: its unused part. */
typedef struct rp_piece {
    size_t next, end;
} rp_piece;

/* Scratch memory of one worker. */
typedef struct rp_search_scratch {
    /* For each mask of eight lanes the numbers of those that are set, lowest first: the shuffle
     * that compacts them. */
    rp_wide_int lanes[256];
    uint64_t keys[RP_QUERY_BLOCK];
    rp_piece piece;
    size_t capacity; /* of candidates; eight more can be written */
    float *x, *y, *z;
    uint32_t *index;
    uint32_t *list; /* neighbors found; RP_LIST_CAPACITY times as long */
} rp_search_scratch;
_Static_assert(sizeof(rp_search_scratch) % sizeof(rp_wide) == 0, "arrays begin right behind it");
_Static_assert(RP_GATHER_FIRST % RP_WIDE == 0 && RP_GATHER_MAX % RP_GATHER_FIRST == 0,
               "the buffer of candidates is doubled from the first size to the largest");

/* One point whose neighbors are wanted. */
typedef struct rp_search_query {
    float x, y, z, limit; /* m, and the radius squared */
    uint32_t self;        /* index to exclude, or RP_NONE */
} rp_search_query;

/* The box around some queries. */
typedef struct rp_query_box {
    float low[3], high[3], limit; /* m, and the radius squared */
} rp_query_box;

/* Allocates scratch for `count` workers, each for so many candidates. */
rp_code rp_search_scratch_begin(rp_scratch *scratch, int count, size_t candidates,
                                rp_report *report);
/* Finds the ranges of candidates in the 27 cells around `key`, in a fixed order. */
void rp_search_ranges(const rp_cells *cells, unsigned bits, uint64_t key, rp_ranges *ranges);
/* Copies the candidates of the ranges that are within the limit of the box into the scratch,
 * contiguously, and returns their number. */
size_t rp_search_gather(const rp_candidates *from, const rp_ranges *ranges, const rp_query_box *box,
                        rp_search_scratch *scratch);
/* Writes the indices of those of `count` candidates that are within the limit to `list`, which has
 * at least count + 8 elements, and returns their number. `lanes` is the table of the scratch. */
size_t rp_search_near(const rp_candidates *candidates, size_t count, const rp_search_query *query,
                      const rp_wide_int *lanes, uint32_t *list);

#endif
