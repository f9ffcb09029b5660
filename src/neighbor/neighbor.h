/* Neighbors: cell order, ghosts, and for every grain the list of grains within a radius.
 *
 * Cells are cubes of the search radius (slightly larger, so that rounding never puts neighbors two
 * cells apart). Only occupied cells exist: they are found through a hash of their Morton code, so
 * memory is proportional to the grains and not to the box around them, however far a grain has
 * flown. Grains without a position (NaN, infinity) stay in the table and have no neighbors. The
 * order of one update:
 *
 *     rp_neighbor_sort     own grains into cell order (stable, parallel radix sort)
 *     rp_neighbor_ghosts   copies of grains across periodic boundaries
 *     rp_neighbor_lists    for every own grain the indices of all grains within the radius
 *
 * Lists are correct for grains in any order; they are fastest right after a sort by cells of their
 * radius. After the first few updates no call allocates memory. One rp_neighbor serves one thread
 * at a time. Everything is the same, bit for bit, for any number of threads. */
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
/* Scratch memory of sorting and listing is taken from this arena, which must outlive the search,
 * and is returned to it; by default the search allocates its own. */
void rp_neighbor_borrow(rp_neighbor *neighbor, rp_arena *arena);
/* Refuses overfull cells before lists are made of them (RP_ERROR_INPUT, with the position): grains
 * that coincide would make lists of quadratic length. `occupancy` is how many grains a cell of a
 * search holds when they lie side by side without overlap; far more are refused. By default there
 * is no limit. */
void rp_neighbor_limit_occupancy(rp_neighbor *neighbor, double occupancy);

/* Sorts own grains by cells of edge `cell` (m), after a periodic wrap. Drops ghosts. */
rp_code rp_neighbor_sort(rp_neighbor *neighbor, rp_grains *grains, double cell, rp_report *report);
/* Adds a ghost for every periodic image within `radius` (m) of the domain, in several layers where
 * the period is shorter than the radius, ordered by the grain they are images of; fields marked
 * RP_FIELD_GHOST are copied, unless ghosts are bare. Own grains must be inside the period, where
 * the sort leaves them. Does nothing without periodic axes. */
rp_code rp_neighbor_ghosts(rp_neighbor *neighbor, rp_grains *grains, double radius,
                           rp_report *report);

/* Halo exchange: copies values of own grains to their ghosts, which follow them in the array
 * (positions: use rp_neighbor_ghosts). `element` is the size of a value in bytes. Only this room
 * knows where ghosts come from: they are images of own grains, and might be copies of grains on
 * another machine. */
void rp_neighbor_sync(rp_neighbor *neighbor, const rp_grains *grains, void *array, size_t element);
/* Ghosts keep their offset from the grains that they are images of while those move: detach them
 * before, attach them afterwards. In between their positions are offsets, m. */
void rp_neighbor_ghosts_detach(const rp_grains *grains);
void rp_neighbor_ghosts_attach(const rp_grains *grains);
/* Returns the own grain behind an index of a list: itself, or the one that a ghost is an image of.
 */
static inline uint32_t rp_neighbor_own(const rp_grains *grains, uint32_t index)
{
    RP_ASSERT_DEBUG(index < grains->count + grains->ghosts);
    return index < grains->count ? index : grains->ghost_source[index - grains->count];
}

/* Lists: the neighbors of query i are index[start[i]] … index[start[i] + count[i] - 1], in a fixed
 * order. The offset of a list in `index` depends on the threads, but is mostly behind the one of
 * the query before. A list is followed by another one or by zeros, eight of them after the last, so
 * wide loads may start anywhere. Start with {0}. Borrowed until the next call that fills the same
 * lists, and empty after one that failed. */
typedef struct rp_lists {
    size_t query_count;
    uint64_t *start;
    uint32_t *count;
    uint32_t *index;
    size_t total;                          /* all neighbors together */
    size_t extent;                         /* of `index`, gaps between lists included */
    size_t query_capacity, index_capacity; /* doubles as the estimate for the next call */
} rp_lists;

void rp_lists_end(rp_lists *lists);

/* Own grains and ghosts as candidates, own grains as queries; a grain is not its own neighbor.
 * |xi - xj| <= radius, in float: dx*dx + dy*dy + dz*dz <= radius*radius, in this order.
 * RP_ERROR_MEMORY, with the figure, when the lists would not fit the machine. */
rp_code rp_neighbor_lists(rp_neighbor *neighbor, const rp_grains *grains, double radius,
                          rp_lists *lists, rp_report *report);
/* The same in pieces, for callers that read each list once: after rp_neighbor_prepare the lists of
 * own grains `begin` to `end` - 1, as queries 0 and on, as long as no grain has changed. To be
 * followed by rp_neighbor_done, also after a fault. */
rp_code rp_neighbor_prepare(rp_neighbor *neighbor, const rp_grains *grains, double radius,
                            rp_report *report);
rp_code rp_neighbor_lists_of(rp_neighbor *neighbor, const rp_grains *grains, size_t begin,
                             size_t end, rp_lists *lists, rp_report *report);
void rp_neighbor_done(rp_neighbor *neighbor);
/* Grains of very different sizes. One radius would have to be that of the largest, and every small
 * grain would test all grains within the reach of a large one. So there is a hierarchy of grids
 * (Ogarko and Luding 2012; Krijgsman, Ogarko and Luding 2014): each level holds grains of a range
 * of sizes, in cells twice as large as those of the level below, and a grain searches its own level
 * and those above. The cells of all levels are nested, so that one order along the Morton curve
 * serves all of them. Sizes are the diameters of the table. */
typedef struct rp_reach {
    double smallest, largest; /* m, diameters */
    double part, skin;        /* grains are neighbors within part (d1 + d2) / 2 + skin, m */
} rp_reach;

/* True when the ratio of sizes is so wide that levels are faster than one radius. */
bool rp_reach_is_wide(const rp_reach *reach);
/* As their namesakes by radius; the last needs an arena (rp_neighbor_borrow). Afterwards
 * rp_neighbor_lists_of gives the neighbors in a grain's own level, within the reach of the level's
 * largest grain, and rp_neighbor_cross_level_lists those of other levels. */
rp_code rp_neighbor_sort_by_size(rp_neighbor *neighbor, rp_grains *grains, const rp_reach *reach,
                                 rp_report *report);
rp_code rp_neighbor_ghosts_by_size(rp_neighbor *neighbor, rp_grains *grains, const rp_reach *reach,
                                   rp_report *report);
rp_code rp_neighbor_prepare_by_size(rp_neighbor *neighbor, const rp_grains *grains,
                                    const rp_reach *reach, rp_report *report);
/* Returns for every own grain its neighbors of other levels, as own grains: a ghost stands in the
 * lists as the grain that it is an image of, so periods must be at least twice the largest reach
 * for the minimum image to be unique. Empty after a search by radius. Valid until rp_neighbor_done.
 */
const rp_lists *rp_neighbor_cross_level_lists(const rp_neighbor *neighbor);

/* Any points as candidates, any other points as queries (fast when both are in cell order). */
rp_code rp_neighbor_lists_between(rp_neighbor *neighbor, const float *x, const float *y,
                                  const float *z, size_t count, const float *query_x,
                                  const float *query_y, const float *query_z, size_t query_count,
                                  double radius, rp_lists *lists, rp_report *report);

/* Computes the density of every own grain, kg/m3: `factor` times the sum of m W over itself and the
 * neighbors in its list. */
void rp_neighbor_density(const rp_grains *grains, const rp_lists *lists, rp_kernel kernel,
                         float factor, float *density, rp_threads *threads);

/* Returns the bytes that sorting and listing take at most for each grain with that many neighbors.
 */
size_t rp_neighbor_bytes_each(double neighbors);

#endif
