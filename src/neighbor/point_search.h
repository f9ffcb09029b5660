/* Points that are searched by boxes: which of them are within a radius of a few others that are
 * close together. The same cells as for neighbor lists, for callers that use each result once. */
#ifndef RP_NEIGHBOR_NEAR_H
#define RP_NEIGHBOR_NEAR_H

#include "base/threads.h"

typedef struct rp_point_search rp_point_search;
typedef struct rp_point_search_walk rp_point_search_walk;

/* Bytes for each point, about: its position, the sort, its share of the cells. */
#define RP_POINT_SEARCH_BYTES 64

/* `threads` (may be NULL) must outlive it. */
rp_code rp_point_search_create(rp_threads *threads, rp_point_search **out, rp_report *report);
void rp_point_search_destroy(rp_point_search *search);

/* Sorts the points into cells of edge `radius`. The arrays are copied. */
rp_code rp_point_search_set(rp_point_search *search, const float *x, const float *y, const float *z,
                            size_t count, double radius, rp_report *report);
/* Returns the edge of the cells for a radius: slightly more. Cells begin at multiples of it. */
double rp_point_search_edge(double radius);
size_t rp_point_search_count(const rp_point_search *search);
/* Returns for each point in cell order its index in the arrays given. */
const uint32_t *rp_point_search_order(const rp_point_search *search);
/* Computes the cells of any points; points with the same key are in the same cell. Points so far
 * off that cells have to share a key may have that of a cell elsewhere. */
void rp_point_search_keys(const rp_point_search *search, const float *x, const float *y,
                          const float *z, size_t count, uint64_t *keys);

/* A box around points of one cell. */
typedef struct rp_point_search_box {
    uint64_t key; /* of the cell */
    float low[3], high[3];
} rp_point_search_box;

/* One search at a time; each thread has its own. */
rp_code rp_point_search_walk_create(rp_point_search_walk **out, rp_report *report);
void rp_point_search_walk_destroy(rp_point_search_walk *walk);
void rp_point_search_begin(const rp_point_search *search, const rp_point_search_box *box,
                           rp_point_search_walk *walk);
/* Returns the number of the next points within the radius of the box, 0 when there are no more;
 * their indices in cell order, in a fixed order, are at `*index`, valid until the next call. */
size_t rp_point_search_next(const rp_point_search *search, rp_point_search_walk *walk,
                            const uint32_t **index);

#endif
