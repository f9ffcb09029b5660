/* Points by the cells that they lie in. Cells are hashed into a table of buckets, since the points
 * of a surface fill few of the cells of its box. */
#ifndef RP_GEOM_HASH_GRID_H
#define RP_GEOM_HASH_GRID_H

#include "math/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The points of bucket b are order[first[b]] to order[first[b + 1] - 1]. */
typedef struct rp_hash_grid {
    uint32_t *first, *order;
    int32_t (*cell)[3]; /* of each point */
    size_t size;        /* of the table, a power of two */
    size_t count;       /* points */
    double edge;        /* m, of a cell */
} rp_hash_grid;

/* False when memory runs out. Release them, also then. */
bool rp_hash_grid_reserve(rp_hash_grid *buckets, size_t count, double edge);
/* Points keep their order within a bucket. */
void rp_hash_grid_fill(rp_hash_grid *buckets, const rp_vec3 *points);
void rp_hash_grid_release(rp_hash_grid *buckets);

static inline size_t rp_hash_grid_bucket(const rp_hash_grid *b, const int32_t cell[3])
{
    uint64_t mix = (uint64_t)(uint32_t)cell[0] * 0x9e3779b97f4a7c15u;
    mix = (mix ^ (uint32_t)cell[1]) * 0xbf58476d1ce4e5b9u;
    mix = (mix ^ (uint32_t)cell[2]) * 0x94d049bb133111ebu;
    return (size_t)(mix >> 32) & (b->size - 1);
}

static inline void rp_hash_grid_cell(const rp_hash_grid *b, rp_vec3 p, int32_t cell[3])
{
    cell[0] = (int32_t)floor(p.x / b->edge);
    cell[1] = (int32_t)floor(p.y / b->edge);
    cell[2] = (int32_t)floor(p.z / b->edge);
}

#endif
