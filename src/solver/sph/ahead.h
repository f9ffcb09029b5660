/* What a sweep is going to read, asked for ahead. By themselves processors do so for what lies in a
 * row, to the end of a page, and never for where an index leads: a million grains would wait there
 * for a third of the time, while ten thousand find all in the caches. */
#ifndef RP_SOLVER_SPH_AHEAD_H
#define RP_SOLVER_SPH_AHEAD_H

#include "solver/sph/sph.h"

#define RP_SPH_PAIRS_AHEAD 512 /* gradients and indices, which lie in a row */

/* What lies so many bytes on; where nothing is, nothing happens. */
RP_WIDE_INLINE void rp_sph_ask_for(const void *at, size_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)at + ahead));
}

/* The rows that the next block has to do with, a few with each grain of the block in hand. */
typedef struct rp_sph_ahead {
    const uint32_t *row, *end; /* outside of the next block */
} rp_sph_ahead;

RP_WIDE_INLINE rp_sph_ahead rp_sph_look_ahead(const rp_sph_work *w, size_t begin)
{
    size_t next = begin / RP_SPH_BLOCK + 1;
    if (next >= w->blocks) return (rp_sph_ahead){0};
    const rp_sph_outside *outside = &w->outside[next];
    return (rp_sph_ahead){outside->row, outside->row + outside->count};
}

/* With grain i of the block in hand; rows of `size` bytes. */
RP_WIDE_INLINE void rp_sph_ask_ahead(rp_sph_ahead *a, const void *rows, size_t size, size_t i)
{
    rp_sph_ask_for(rows, (i + RP_SPH_BLOCK) * size);
    for (int k = 0; k < RP_SPH_OUTSIDE_EACH && a->row < a->end; k++)
        rp_sph_ask_for(rows, *a->row++ * size);
}

#endif
