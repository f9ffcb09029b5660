#include "base/memory.h"
#include "geom/hash_grid.h"

#include <string.h>

bool rp_hash_grid_reserve(rp_hash_grid *b, size_t count, double edge)
{
    *b = (rp_hash_grid){.size = 64, .count = count, .edge = edge};
    while (b->size < count)
        b->size *= 2;
    b->first = rp_allocate((b->size + 2) * sizeof *b->first);
    b->order = rp_allocate(count * sizeof *b->order);
    b->cell = rp_allocate(count * sizeof *b->cell);
    return b->first && b->order && b->cell;
}

/* Counts, then places. */
void rp_hash_grid_fill(rp_hash_grid *b, const rp_vec3 *points)
{
    memset(b->first, 0, (b->size + 2) * sizeof *b->first);
    for (size_t i = 0; i < b->count; i++) {
        rp_hash_grid_cell(b, points[i], b->cell[i]);
        b->first[rp_hash_grid_bucket(b, b->cell[i]) + 2]++;
    }
    for (size_t i = 2; i < b->size + 2; i++)
        b->first[i] += b->first[i - 1];
    for (size_t i = 0; i < b->count; i++)
        b->order[b->first[rp_hash_grid_bucket(b, b->cell[i]) + 1]++] = (uint32_t)i;
}

void rp_hash_grid_release(rp_hash_grid *b)
{
    rp_release(b->first, (b->size + 2) * sizeof *b->first);
    rp_release(b->order, b->count * sizeof *b->order);
    rp_release(b->cell, b->count * sizeof *b->cell);
    *b = (rp_hash_grid){0};
}
