/* The hash grid of a query. Private to this room. */
#ifndef RP_QUERY_INSIDE_H
#define RP_QUERY_INSIDE_H

#include "query/query.h"

#include <math.h>

typedef struct rp_query_cell {
    int64_t i, j, k;
} rp_query_cell;

/* Grains whose cells share a hash. */
typedef struct rp_query_bucket {
    const rp_query_grain *at, *end;
} rp_query_bucket;

/* Cells from low to high, both included. */
typedef struct rp_query_range {
    int64_t low[3], high[3];
    double count;
} rp_query_range;

/* Far beyond any scene, and within 64 bits. */
#define CELL_MAX 1e15

static inline int64_t rp_query_cell_along(const rp_query *query, double at)
{
    double cell = floor(at / query->cell);
    return (int64_t)fmin(fmax(cell, -CELL_MAX), CELL_MAX);
}

static inline rp_query_cell rp_query_cell_at(const rp_query *query, rp_vec3 at)
{
    return (rp_query_cell){rp_query_cell_along(query, at.x), rp_query_cell_along(query, at.y),
                           rp_query_cell_along(query, at.z)};
}

static inline size_t rp_query_bucket_number(const rp_query *query, rp_query_cell cell)
{
    uint64_t hash =
        (uint64_t)cell.i * 73856093u ^ (uint64_t)cell.j * 19349663u ^ (uint64_t)cell.k * 83492791u;
    return (size_t)(hash & (query->buckets - 1));
}

static inline size_t rp_query_bucket_at(const rp_query *query, rp_vec3 at)
{
    return rp_query_bucket_number(query, rp_query_cell_at(query, at));
}

static inline rp_query_bucket rp_query_bucket_of(const rp_query *query, rp_query_cell cell)
{
    size_t bucket = rp_query_bucket_number(query, cell);
    return (rp_query_bucket){query->grains + query->starts[bucket],
                             query->grains + query->starts[bucket + 1]};
}

/* True when a grain of the cell's bucket is in the cell itself. */
static inline bool rp_query_is_in(const rp_query *query, const rp_query_grain *grain,
                                  rp_query_cell cell)
{
    rp_query_cell own = rp_query_cell_at(query, rp_v3(grain->x, grain->y, grain->z));
    return own.i == cell.i && own.j == cell.j && own.k == cell.k;
}

/* Finds the cells of a box in which there may be grains; false where there are none. */
static inline bool rp_query_cells_within(const rp_query *query, const rp_box3 *box,
                                         rp_query_range *range)
{
    rp_vec3 low = rp_v3_max(box->low, query->bounds.low);
    rp_vec3 high = rp_v3_min(box->high, query->bounds.high);
    if (!query->count || !(low.x <= high.x && low.y <= high.y && low.z <= high.z)) return false;
    rp_query_cell first = rp_query_cell_at(query, low), last = rp_query_cell_at(query, high);
    *range = (rp_query_range){{first.i, first.j, first.k}, {last.i, last.j, last.k}, 1};
    for (int axis = 0; axis < 3; axis++)
        range->count *= (double)(range->high[axis] - range->low[axis] + 1);
    return true;
}

#endif
