#include "geom/buckets.h"
#include "base/memory.h"

#include <string.h>

bool rp_buckets_reserve(rp_buckets *b, size_t count, double edge)
{
    *b = (rp_buckets){.size = 64, .count = count, .edge = edge};
    while (b->size < count)
        b->size *= 2;
    b->first = rp_allocate((b->size + 2) * sizeof *b->first);
    b->order = rp_allocate(count * sizeof *b->order);
    b->cell = rp_allocate(count * sizeof *b->cell);
    return b->first && b->order && b->cell;
}

/* Counts, then places. */
void rp_buckets_fill(rp_buckets *b, const rp_vec3 *points)
{
    memset(b->first, 0, (b->size + 2) * sizeof *b->first);
    for (size_t i = 0; i < b->count; i++) {
        rp_bucket_cell(b, points[i], b->cell[i]);
        b->first[rp_bucket_of(b, b->cell[i]) + 2]++;
    }
    for (size_t i = 2; i < b->size + 2; i++)
        b->first[i] += b->first[i - 1];
    for (size_t i = 0; i < b->count; i++)
        b->order[b->first[rp_bucket_of(b, b->cell[i]) + 1]++] = (uint32_t)i;
}

void rp_buckets_release(rp_buckets *b)
{
    rp_release(b->first, (b->size + 2) * sizeof *b->first);
    rp_release(b->order, b->count * sizeof *b->order);
    rp_release(b->cell, b->count * sizeof *b->cell);
    *b = (rp_buckets){0};
}
