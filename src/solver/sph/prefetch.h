/* Software prefetch of what a sweep is going to read. Hardware prefetchers follow sequential
 * accesses up to the end of a page, and never indirect ones (`array[index[n]]`): with a million
 * grains the sweeps would wait there for a third of their time, while ten thousand fit in the
 * caches. */
#ifndef RP_SOLVER_SPH_PREFETCH_H
#define RP_SOLVER_SPH_PREFETCH_H

#include "solver/sph/sph.h"

#define RP_SPH_PREFETCH_PAIRS 512 /* distance for gradients and indices, which are sequential */

/* Prefetches the cache line `ahead` bytes behind `at`; an invalid address has no effect. */
RP_WIDE_INLINE void rp_sph_prefetch_line(const void *at, size_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)at + ahead));
}

/* Cursor over the halo of the next block: a few rows are prefetched with each grain of the current
 * one. */
typedef struct rp_sph_prefetch {
    const uint32_t *row, *end;
} rp_sph_prefetch;

/* Returns the cursor for the block that begins at grain `begin`; empty for the last block. */
RP_WIDE_INLINE rp_sph_prefetch rp_sph_prefetch_begin(const rp_sph_work *w, size_t begin)
{
    RP_ASSERT(begin % RP_SPH_BLOCK == 0);
    size_t next = begin / RP_SPH_BLOCK + 1;
    if (next >= w->blocks) return (rp_sph_prefetch){0};
    const rp_sph_halo *halo = &w->halo[next];
    RP_ASSERT_DEBUG(halo->count <= RP_SPH_HALO_ROWS);
    return (rp_sph_prefetch){halo->row, halo->row + halo->count};
}

/* Prefetches, with grain i of the current block, the row of the grain one block ahead and some rows
 * of the next block's halo; rows have `size` bytes. */
RP_WIDE_INLINE void rp_sph_prefetch_rows(rp_sph_prefetch *cursor, const void *rows, size_t size,
                                         size_t i)
{
    rp_sph_prefetch_line(rows, (i + RP_SPH_BLOCK) * size);
    for (int k = 0; k < RP_SPH_HALO_PER_GRAIN && cursor->row < cursor->end; k++)
        rp_sph_prefetch_line(rows, *cursor->row++ * size);
}

#endif
