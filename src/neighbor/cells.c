/* The occupied cells: runs of equal keys among the sorted candidates, and a hash table (open
 * addressing, linear probing) from key to run. Memory follows the grains, never the space. */
#include "base/report.h"
#include "neighbor/inside.h"

typedef struct cells_job {
    rp_cells *cells;
    const uint64_t *keys;
} cells_job;

static inline bool is_head(const uint64_t *keys, size_t i)
{
    return i == 0 || keys[i] != keys[i - 1];
}

static void count_heads(void *context, size_t begin, size_t end)
{
    const cells_job *job = context;
    uint32_t heads = 0;
    for (size_t i = begin; i < end; i++)
        heads += is_head(job->keys, i);
    job->cells->block_heads[begin / RP_NEIGHBOR_BLOCK] = heads;
}

static void write_heads(void *context, size_t begin, size_t end)
{
    const cells_job *job = context;
    size_t cell = job->cells->block_heads[begin / RP_NEIGHBOR_BLOCK];
    for (size_t i = begin; i < end; i++) {
        if (!is_head(job->keys, i)) continue;
        job->cells->keys[cell] = job->keys[i];
        job->cells->begin[cell++] = (uint32_t)i;
    }
}

static void clear_slots(void *context, size_t begin, size_t end)
{
    const cells_job *job = context;
    memset((void *)(job->cells->slots + begin), 0, (end - begin) * sizeof *job->cells->slots);
}

/* Which of two colliding cells comes first in the table depends on the threads; what a search finds
 * does not. */
static void insert_cells(void *context, size_t begin, size_t end)
{
    const cells_job *job = context;
    rp_cells *cells = job->cells;
    for (size_t c = begin; c < end; c++) {
        size_t slot = rp_cells_slot(cells->keys[c]);
        for (uint32_t empty = 0;; slot++, empty = 0)
            if (atomic_compare_exchange_strong_explicit(
                    &cells->slots[slot & (cells->slot_count - 1)], &empty, (uint32_t)c + 1,
                    memory_order_relaxed, memory_order_relaxed))
                break;
    }
}

static void release_arrays(rp_cells *cells)
{
    rp_release(cells->keys, cells->capacity * sizeof *cells->keys);
    rp_release(cells->begin, cells->capacity * sizeof *cells->begin);
    cells->keys = NULL;
    cells->begin = NULL;
    cells->capacity = 0;
}

void rp_cells_end(rp_cells *cells)
{
    release_arrays(cells);
    rp_release((void *)cells->slots, cells->slot_capacity * sizeof *cells->slots);
    rp_release(cells->block_heads, cells->block_capacity * sizeof *cells->block_heads);
    *cells = (rp_cells){0};
}

static rp_code reserve_cells(rp_cells *cells, size_t count, rp_report *report)
{
    cells->slot_count = 64;
    while (cells->slot_count < 2 * count)
        cells->slot_count *= 2;
    if (!rp_neighbor_room((void **)&cells->slots, &cells->slot_capacity, cells->slot_count,
                          sizeof *cells->slots))
        return rp_fail_memory(report, cells->slot_count * sizeof *cells->slots, "cells");
    if (count + 1 <= cells->capacity) return RP_OK;
    release_arrays(cells);
    cells->capacity = count + 1 + count / 4;
    cells->keys = rp_allocate(cells->capacity * sizeof *cells->keys);
    cells->begin = rp_allocate(cells->capacity * sizeof *cells->begin);
    if (cells->keys && cells->begin) return RP_OK;
    size_t bytes = cells->capacity * (sizeof *cells->keys + sizeof *cells->begin);
    release_arrays(cells);
    return rp_fail_memory(report, bytes, "cells");
}

rp_code rp_cells_build(rp_cells *cells, rp_threads *threads, const uint64_t *keys, size_t count,
                       rp_report *report)
{
    size_t blocks = (count + RP_NEIGHBOR_BLOCK - 1) / RP_NEIGHBOR_BLOCK, total = 0;
    if (!rp_neighbor_room((void **)&cells->block_heads, &cells->block_capacity, blocks + 1,
                          sizeof *cells->block_heads))
        return rp_fail_memory(report, blocks * sizeof *cells->block_heads, "cells");
    cells_job job = {cells, keys};
    rp_parallel_for(threads, count, RP_NEIGHBOR_BLOCK, count_heads, &job);
    for (size_t b = 0; b < blocks; b++) {
        uint32_t heads = cells->block_heads[b];
        cells->block_heads[b] = (uint32_t)total;
        total += heads;
    }
    rp_code code = reserve_cells(cells, total, report);
    if (code != RP_OK) return code;
    cells->count = total;
    rp_parallel_for(threads, count, RP_NEIGHBOR_BLOCK, write_heads, &job);
    cells->begin[total] = (uint32_t)count;
    rp_parallel_for(threads, cells->slot_count, RP_NEIGHBOR_BLOCK * 4, clear_slots, &job);
    rp_parallel_for(threads, total, RP_NEIGHBOR_BLOCK, insert_cells, &job);
    return RP_OK;
}
