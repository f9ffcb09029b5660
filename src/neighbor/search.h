/* The search around one cell: candidates into a buffer, then distance tests eight at a time. */
#ifndef RP_NEIGHBOR_SEARCH_H
#define RP_NEIGHBOR_SEARCH_H

#include "neighbor/inside.h"

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
#define RP_LIST_ROOM 4

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
typedef struct rp_search_room {
    /* For each pattern of eight lanes the numbers of those that are set, lowest first. */
    rp_wide_int lanes[256];
    uint64_t keys[RP_QUERY_BLOCK];
    rp_piece piece;
    size_t room; /* for candidates; eight more can be written */
    float *x, *y, *z;
    uint32_t *index;
    uint32_t *list; /* RP_LIST_ROOM times as long */
} rp_search_room;
_Static_assert(sizeof(rp_search_room) % sizeof(rp_wide) == 0, "arrays begin right behind it");
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
rp_code rp_search_rooms_begin(rp_scratch *rooms, int count, size_t candidates, rp_report *report);
/* The runs of candidates around the cell `key`, in a fixed order. */
void rp_search_ranges(const rp_cells *cells, unsigned bits, uint64_t key, rp_ranges *ranges);
/* Copies the candidates of the runs that are within reach of the box into the scratch, one behind
 * the other, and returns how many they are. */
size_t rp_search_gather(const rp_candidates *from, const rp_ranges *ranges, const rp_query_box *box,
                        rp_search_room *scratch);
/* Writes the indices of those of `count` candidates that are within reach to `list`, which needs
 * room for count + 8, and returns how many they are. `lanes` is the table of the scratch. */
size_t rp_search_near(const rp_candidates *candidates, size_t count, const rp_search_query *query,
                      const rp_wide_int *lanes, uint32_t *list);

#endif
