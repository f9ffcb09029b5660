/* Neighbors: cell order, ghosts and lists of who is within a radius of whom.
 *
 * Cells are cubes of the search radius (a trifle larger, so that rounding never puts neighbors two
 * cells apart). Only cells that hold something exist: they are found through a hash of their place
 * on a Morton curve, so memory follows the grains and not the box around them, however far a grain
 * has flown. Grains that are nowhere (NaN, infinity) are kept and have no neighbors. The order of
 * one update:
 *
 *     rp_neighbor_sort     own grains into cell order (stable, parallel radix sort)
 *     rp_neighbor_ghosts   copies across periodic sides
 *     rp_neighbor_lists    for every own grain the indices of all grains within the radius
 *
 * Lists are right for grains in any order; they are quickest right after a sort by cells of their
 * radius. After the first few updates nothing allocates. One rp_neighbor serves one thread at a
 * time. Everything is the same, bit for bit, for any number of threads. */
#ifndef RP_NEIGHBOR_NEIGHBOR_H
#define RP_NEIGHBOR_NEIGHBOR_H

#include "base/report.h"
#include "grains/grains.h"
#include "math/kernel.h"
#include "math/vec.h"

typedef struct rp_neighbor rp_neighbor;

/* Periodic axes: bit 0 for x, 1 for y, 2 for z, each from low to high. */
typedef struct rp_period {
    unsigned axes;
    rp_vec3 low, high; /* m */
} rp_period;

/* `threads` (may be NULL) must outlive it; NULL for `period` when nothing is periodic.
 * RP_ERROR_INPUT when a periodic axis has no length. */
rp_code rp_neighbor_create(rp_threads *threads, const rp_period *period, rp_neighbor **out,
                           rp_report *report);
void rp_neighbor_destroy(rp_neighbor *neighbor);
/* What sorting and listing need for themselves while they are at it comes from this arena, which
 * must outlive it, and goes back there; by default it keeps room of its own. */
void rp_neighbor_borrow(rp_neighbor *neighbor, rp_arena *arena);
/* A crowd is refused before lists are made of it (RP_ERROR_INPUT, with the place): grains that lie
 * on each other have neighbors without number. `room` is how many grains a cell of a search has
 * room for when they lie side by side; by default nothing is a crowd. */
void rp_neighbor_refuse_crowds(rp_neighbor *neighbor, double room);

/* Sorts own grains by cells of edge `cell`; wraps them into the period first. Drops ghosts. */
rp_code rp_neighbor_sort(rp_neighbor *neighbor, rp_grains *grains, double cell, rp_report *report);
/* Adds a ghost for every image within `radius` of the domain, in several layers where that is
 * shorter than the radius, ordered by the grain they are images of; fields marked RP_FIELD_GHOST
 * are copied, unless ghosts are bare. Own grains must be inside the period, where the sort leaves
 * them. Nothing to do without periodic axes. */
rp_code rp_neighbor_ghosts(rp_neighbor *neighbor, rp_grains *grains, double radius,
                           rp_report *report);

/* Nobody else knows where ghosts come from: today they are images of own grains, and others may be
 * copies of grains that live elsewhere. So this room moves and copies what both share.
 *
 * Copies values of own grains to their ghosts, which follow them in the array (positions: use
 * rp_neighbor_ghosts). `element`: bytes of a value. */
void rp_neighbor_sync(rp_neighbor *neighbor, const rp_grains *grains, void *array, size_t element);
/* Ghosts keep their distance from the grains that they are images of while those move: detach them
 * before, attach them afterwards. In between their places are distances, m. */
void rp_neighbor_ghosts_detach(const rp_grains *grains);
void rp_neighbor_ghosts_attach(const rp_grains *grains);
/* The own grain that an index of a list stands for: itself, or the one that a ghost is an image of.
 */
static inline uint32_t rp_neighbor_own(const rp_grains *grains, uint32_t index)
{
    RP_ASSERT_DEBUG(index < grains->count + grains->ghosts);
    return index < grains->count ? index : grains->ghost_source[index - grains->count];
}

/* Lists: the neighbors of query i are index[start[i]] … index[start[i] + count[i] - 1], in a fixed
 * order; where in `index` a list lies depends on the threads, but mostly behind the one of the
 * query before. Behind a list there are another one or zeroes, eight of them behind the last, so
 * wide loads may start anywhere. Start with {0}. Borrowed until the next call that fills the same
 * lists, and empty after one that failed. */
typedef struct rp_lists {
    size_t query_count;
    uint64_t *start;
    uint32_t *count;
    uint32_t *index;
    size_t total;  /* all neighbors together */
    size_t extent; /* of `index`, with what is between lists */
    size_t query_capacity,
        index_capacity; /* what `index` had room for is the estimate for next time */
} rp_lists;

void rp_lists_end(rp_lists *lists);

/* Own grains and ghosts as candidates, own grains as queries; a grain is not its own neighbor.
 * |xi - xj| <= radius, in float: dx*dx + dy*dy + dz*dz <= radius*radius, in this order.
 * RP_ERROR_MEMORY, with the figure, when the lists would not fit the machine. */
rp_code rp_neighbor_lists(rp_neighbor *neighbor, const rp_grains *grains, double radius,
                          rp_lists *lists, rp_report *report);
/* The same in pieces, for those who look at each list once: after rp_neighbor_prepare the lists of
 * own grains `begin` to `end` - 1, as queries 0 and on, as long as no grain has changed. To be
 * ended with rp_neighbor_done, also where something failed. */
rp_code rp_neighbor_prepare(rp_neighbor *neighbor, const rp_grains *grains, double radius,
                            rp_report *report);
rp_code rp_neighbor_lists_of(rp_neighbor *neighbor, const rp_grains *grains, size_t begin,
                             size_t end, rp_lists *lists, rp_report *report);
void rp_neighbor_done(rp_neighbor *neighbor);
/* Grains of very different sizes. One radius would have to be that of the largest, and every small
 * grain would look at all that a large one covers. So sizes make levels, each with cells of its own
 * that are twice as large as those of the level below, and grains look for others of their own
 * level and of those above: a hierarchy of grids (Ogarko and Luding 2012; Krijgsman, Ogarko and
 * Luding 2014). The cells of all levels are nested, so that one order along the Morton curve serves
 * all of them. Sizes are the diameters of the table. */
typedef struct rp_reach {
    double smallest, largest; /* m, diameters */
    double part, skin;        /* grains are near at part (d1 + d2) / 2 + skin, m */
} rp_reach;

/* Whether levels are worth it; below this one radius is quicker. */
bool rp_reach_is_wide(const rp_reach *reach);
/* As those by radius; the last needs an arena (rp_neighbor_borrow). Afterwards rp_neighbor_lists_of
 * gives the neighbors in a grain's own level, all within the reach of the level's largest, and
 * rp_neighbor_across those of other levels. */
rp_code rp_neighbor_sort_by_size(rp_neighbor *neighbor, rp_grains *grains, const rp_reach *reach,
                                 rp_report *report);
rp_code rp_neighbor_ghosts_by_size(rp_neighbor *neighbor, rp_grains *grains, const rp_reach *reach,
                                   rp_report *report);
rp_code rp_neighbor_prepare_by_size(rp_neighbor *neighbor, const rp_grains *grains,
                                    const rp_reach *reach, rp_report *report);
/* For every own grain those of other levels that are near, as own grains: ghosts are named by the
 * grains that they are images of, and periods must be at least twice the largest reach. Without
 * queries after a search by radius. Good until rp_neighbor_done. */
const rp_lists *rp_neighbor_across(const rp_neighbor *neighbor);

/* Any points as candidates, any other points as queries (quick when both are in cell order). */
rp_code rp_neighbor_lists_between(rp_neighbor *neighbor, const float *x, const float *y,
                                  const float *z, size_t count, const float *query_x,
                                  const float *query_y, const float *query_z, size_t query_count,
                                  double radius, rp_lists *lists, rp_report *report);

/* sum.c: the density of every own grain, kg/m3: `factor` times the sum of m W over itself and the
 * neighbors in its list. */
void rp_neighbor_density(const rp_grains *grains, const rp_lists *lists, rp_kernel kernel,
                         float factor, float *density, rp_threads *threads);

/* Bytes that sorting and listing take at most for each grain with that many neighbors. */
size_t rp_neighbor_bytes_each(double neighbors);

#endif
