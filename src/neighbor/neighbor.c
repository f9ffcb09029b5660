/* The life of a neighbor search. */
#include "base/file.h"
#include "base/report.h"
#include "neighbor/search.h"

#include <float.h>

/* More indices than fit the machine's memory are a mistake in the radius or grains heaped on one
 * spot; asking for them would end the program instead of the call. */
static size_t indices_in_memory(void)
{
    double bytes = rp_system_memory();
    if (!(bytes > 0 && bytes < (double)SIZE_MAX / 2)) return SIZE_MAX / 2;
    return (size_t)bytes / sizeof(uint32_t);
}

void rp_neighbor_borrow(rp_neighbor *neighbor, rp_arena *arena)
{
    rp_sorter *sorter = &neighbor->sorter;
    rp_sorter_end(sorter);
    sorter->arena = arena;
}

void rp_neighbor_refuse_crowds(rp_neighbor *neighbor, double room)
{
    neighbor->room = room;
}

rp_code rp_neighbor_create(rp_threads *threads, const rp_period *period, rp_neighbor **out,
                           rp_report *report)
{
    *out = NULL;
    rp_period p = period ? *period : (rp_period){0};
    const double lengths[3] = {p.high.x - p.low.x, p.high.y - p.low.y, p.high.z - p.low.z};
    for (int a = 0; a < 3; a++)
        if (p.axes >> a & 1 && !(lengths[a] > 0 && lengths[a] <= FLT_MAX))
            return rp_fail(report, RP_ERROR_INPUT,
                           "period along %c: %g m long; must be above 0 and finite", 'x' + a,
                           lengths[a]);
    rp_neighbor *neighbor = rp_allocate_zero(sizeof *neighbor);
    if (!neighbor) return rp_fail_memory(report, sizeof *neighbor, "neighbor search");
    neighbor->threads = threads;
    neighbor->period = p;
    neighbor->most_indices = indices_in_memory();
    neighbor->room = INFINITY;
    rp_code code = rp_search_rooms_begin(&neighbor->scratch, rp_threads_count(threads),
                                         RP_GATHER_FIRST, report);
    if (code == RP_OK)
        *out = neighbor;
    else
        rp_neighbor_destroy(neighbor);
    return code;
}

void rp_neighbor_destroy(rp_neighbor *neighbor)
{
    if (!neighbor) return;
    rp_sorter_end(&neighbor->sorter);
    for (int k = 0; k < RP_LEVELS_MAX; k++)
        rp_cells_end(&neighbor->levels[k].cells);
    rp_release(neighbor->ghost_first, neighbor->ghost_block_capacity * sizeof(uint64_t));
    rp_scratch_end(&neighbor->scratch);
    rp_release(neighbor, sizeof *neighbor);
}

size_t rp_neighbor_bytes_each(double neighbors)
{
    size_t sorting = 2 * (sizeof(uint64_t) + sizeof(uint32_t));
    /* Every grain alone in its octet: the octet, its first grain, and a slot table at its emptiest.
     */
    size_t cells = sizeof(rp_octet) + sizeof(uint32_t) + 4 * sizeof(uint32_t);
    size_t lists = sizeof(uint64_t) + sizeof(uint32_t);
    return (sorting + cells + lists) * 9 / 8 + (size_t)(neighbors * sizeof(uint32_t) * 9 / 8);
}
