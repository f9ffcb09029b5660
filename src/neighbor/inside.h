/* What the files of this room share; nobody else includes it. */
#ifndef RP_NEIGHBOR_INSIDE_H
#define RP_NEIGHBOR_INSIDE_H

#include "math/wide.h"
#include "neighbor/morton.h"
#include "neighbor/neighbor.h"

#include <stdatomic.h>

/* Loops over grains are cut into blocks of this many. */
#define RP_NEIGHBOR_BLOCK 16384
/* Indices are 32 bits; the last one stands for "none". */
#define RP_NONE UINT32_MAX
/* Arrays that are read with wide loads are this much longer. */
#define RP_NEIGHBOR_PADDING 8
_Static_assert(RP_NEIGHBOR_PADDING >= RP_WIDE, "a wide load that begins at the last value fits");

/* --- cells and candidates
 * ------------------------------------------------------------------------- */

/* Three arrays of coordinates. */
typedef struct rp_points {
    const float *x, *y, *z;
    size_t count;
} rp_points;

/* Space cut into cubes: which cell a point is in. Coordinates count from one cell below the lowest
 * point, modulo 2^bits. When all points fit, there is an empty cell around them and nothing wraps;
 * when grains have flown further than 2^21 cells apart, cells far from each other share a number,
 * which costs a few vain distance tests and no wrong neighbors. */
typedef struct rp_neighbor_grid {
    double inverse; /* 1/m, one over the edge */
    double base[3]; /* cell coordinate with the number 0 */
    unsigned bits;  /* of each coordinate, 2 to 21 */
} rp_neighbor_grid;

/* Candidates in cell order; `index` is what goes into the lists. All can be read eight beyond. */
typedef struct rp_candidates {
    const float *x, *y, *z;
    const uint32_t *index;
} rp_candidates;

/* Sorted keys and where they came from. Two arrays each, for a radix sort to go to and fro. With an
 * arena they are there, until rp_sorter_return. */
typedef struct rp_sorter {
    uint64_t *keys, *other_keys;
    uint32_t *order, *other_order;
    size_t capacity; /* 0 in an arena */
    rp_arena *arena; /* NULL: none */
    size_t mark;     /* of the arena, before */
    uint32_t *histogram;
    size_t histogram_capacity;
} rp_sorter;

/* Two by two by two cells, neighbors on the curve: eight cells that are looked up at once. */
typedef struct rp_octet {
    uint64_t key;      /* of its cells, without the last three bits */
    uint32_t begin[9]; /* of cell c: first candidate; begin[c + 1] is behind the last */
} rp_octet;
_Static_assert(sizeof(rp_octet) == 48, "an octet is three quarters of a cache line");

/* The octets that hold something, in the order of their keys, and a hash table to find them. */
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

/* Candidates of one search: all of them, or where sizes differ much those of one level. */
typedef struct rp_cell_level {
    rp_cells cells;
    rp_candidates candidates;
    size_t count;
    float limit;   /* m2, the radius squared; of a level the largest reach within it */
    float largest; /* m, diameter; levels only */
} rp_cell_level;

/* Levels that sizes may make: the largest grain 2^11 times the smallest. */
#define RP_LEVELS_MAX 12

/* How sizes are cut into levels: cells of level k have the edge `edge` 2^k and hold grains of
 * diameters up to top[k]. */
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

/* Room for `wanted` elements; contents are lost when the array grows. Takes an eighth more than
 * asked, so that numbers that waver from step to step soon stop allocating. */
bool rp_neighbor_reserve(void **array, size_t *capacity, size_t wanted, size_t element_size);

/* Edge of the cells for a search radius: a trifle more, so that neighbors that are within the
 * radius only by the rounding of the distance are never two cells apart. */
double rp_neighbor_grid_edge(double radius);
/* `top`: 2^top cells of each axis make one of the coarsest level, and coarse cells are the same
 * whatever the points are. */
rp_neighbor_grid rp_neighbor_grid_around(rp_threads *threads, const rp_points *points, double edge,
                                         unsigned top);
/* Keys of points begin to end - 1, to keys[0] and on. */
void rp_neighbor_grid_keys(const rp_neighbor_grid *grid, const rp_points *points, size_t begin,
                           size_t end, uint64_t *keys);

/* Fills keys and order: stable, by ascending key. `*in_order` when the points already were. */
rp_code rp_sorter_run(rp_sorter *sorter, rp_threads *threads, const rp_neighbor_grid *grid,
                      const rp_points *points, bool *in_order, rp_report *report);
/* To be called when the keys and the order are no longer needed; with them goes all that was taken
 * from the arena since the run. */
void rp_sorter_return(rp_sorter *sorter);
void rp_sorter_end(rp_sorter *sorter);

rp_code rp_cells_build(rp_cells *cells, rp_threads *threads, const uint64_t *keys, size_t count,
                       rp_report *report);
void rp_cells_end(rp_cells *cells);
/* RP_ERROR_INPUT where candidates lie on each other; see rp_neighbor_limit_occupancy. */
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

/* levels.c: the levels of a reach, and the one that a grain belongs to. */
rp_size_levels rp_size_levels_of(const rp_reach *reach);
double rp_reach_of(const rp_reach *reach, double diameter); /* m, of two such grains */
static inline unsigned rp_size_levels_find(const rp_size_levels *sizes, float diameter)
{
    unsigned level = 0;
    while (level + 1 < sizes->count && diameter > sizes->top[level])
        level++;
    return level;
}

/* Moves own grains into the period. */
void rp_neighbor_wrap(const rp_neighbor *neighbor, rp_grains *grains);

/* --- search.c: the search around one cell
 * --------------------------------------------------------- */

/* Candidates that there is room to gather at first, and at most; where cells are fuller than that
 * (grains heaped on one spot), candidates are taken piece by piece from where they are. */
#define RP_GATHER_FIRST 512
#define RP_GATHER_MAX 4096
/* Runs of candidates that the cells around one make at most: those of its own octet are one, the
 * seven octets beside it give 1 + 2 + 4 + 1 + 2 + 2 + 1; and one place for a run that is empty. */
#define RP_RANGES_MAX 15
/* Queries that one thread takes on at a time, and room for their neighbors before they are copied
 * to their place, in parts of that for candidates. */
#define RP_QUERY_BLOCK 512
#define RP_LIST_CAPACITY 4

/* Candidates in the cells around a query: runs in the sorted arrays. */
typedef struct rp_ranges {
    uint32_t begin[RP_RANGES_MAX], end[RP_RANGES_MAX];
    int count;
    size_t total;
} rp_ranges;

/* Of the index array: what is left of the piece that lists are copied to. */
typedef struct rp_piece {
    size_t next, end;
} rp_piece;

/* What one worker searches with. */
typedef struct rp_search_scratch {
    /* For each pattern of eight lanes the numbers of those that are set, lowest first. */
    rp_wide_int lanes[256];
    uint64_t keys[RP_QUERY_BLOCK];
    rp_piece piece;
    size_t capacity; /* of candidates; eight more can be written */
    float *x, *y, *z;
    uint32_t *index;
    uint32_t *list; /* RP_LIST_CAPACITY times as long */
} rp_search_scratch;
_Static_assert(sizeof(rp_search_scratch) % sizeof(rp_wide) == 0, "arrays begin right behind it");
_Static_assert(RP_GATHER_FIRST % RP_WIDE == 0 && RP_GATHER_MAX % RP_GATHER_FIRST == 0,
               "room for candidates is doubled from the first to the most");

/* One point whose neighbors are wanted. */
typedef struct rp_search_query {
    float x, y, z, limit; /* m, and the radius squared */
    uint32_t self;        /* index to leave out, or RP_NONE */
} rp_search_query;

/* The box around some queries. */
typedef struct rp_query_box {
    float low[3], high[3], limit; /* m, and the radius squared */
} rp_query_box;

/* One for each of `count` workers, with room for so many candidates. */
rp_code rp_search_scratch_begin(rp_scratch *scratch, int count, size_t candidates,
                                rp_report *report);
/* The runs of candidates around the cell `key`, in a fixed order. */
void rp_search_ranges(const rp_cells *cells, unsigned bits, uint64_t key, rp_ranges *ranges);
/* Copies the candidates of the runs that are within reach of the box into the scratch, one behind
 * the other, and returns how many they are. */
size_t rp_search_gather(const rp_candidates *from, const rp_ranges *ranges, const rp_query_box *box,
                        rp_search_scratch *scratch);
/* Writes the indices of those of `count` candidates that are within reach to `list`, which needs
 * room for count + 8, and returns how many they are. `lanes` is the table of the scratch. */
size_t rp_search_near(const rp_candidates *candidates, size_t count, const rp_search_query *query,
                      const rp_wide_int *lanes, uint32_t *list);

#endif
