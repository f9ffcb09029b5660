/* Hash grid: points by the cells that they are in. Cells are hashed into a table of buckets, since
 * the points of a surface occupy few of the cells of its box (spatial hashing). */
#ifndef RP_GEOM_HASH_GRID_H
#define RP_GEOM_HASH_GRID_H

#include "math/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The points of bucket b are order[first[b]] to order[first[b + 1] - 1]; cells may share a bucket.
 */
typedef struct rp_hash_grid {
    uint32_t *first, *order;
    int32_t (*cell)[3]; /* of each point */
    size_t size;        /* of the table, a power of two */
    size_t count;       /* points */
    double edge;        /* m, of a cell */
} rp_hash_grid;

/* Allocates a grid for `count` points with cells of that edge (m); false when memory runs out.
 * Release it, also then. */
bool rp_hash_grid_reserve(rp_hash_grid *grid, size_t count, double edge);
/* Sorts the points into buckets; within a bucket they keep their order. */
void rp_hash_grid_fill(rp_hash_grid *grid, const rp_vec3 *points);
void rp_hash_grid_release(rp_hash_grid *grid);

static inline size_t rp_hash_grid_bucket(const rp_hash_grid *grid, const int32_t cell[3])
{
    uint64_t mix = (uint64_t)(uint32_t)cell[0] * 0x9e3779b97f4a7c15u;
    mix = (mix ^ (uint32_t)cell[1]) * 0xbf58476d1ce4e5b9u;
    mix = (mix ^ (uint32_t)cell[2]) * 0x94d049bb133111ebu;
    return (size_t)(mix >> 32) & (grid->size - 1);
}

static inline void rp_hash_grid_cell(const rp_hash_grid *grid, rp_vec3 p, int32_t cell[3])
{
    cell[0] = (int32_t)floor(p.x / grid->edge);
    cell[1] = (int32_t)floor(p.y / grid->edge);
    cell[2] = (int32_t)floor(p.z / grid->edge);
}

#endif
