/* From positions to occupied cells: the grid of Morton keys, and the hash table of cells. */
#include "base/report.h"
#include "neighbor/inside.h"

#include <float.h>

/* --- positions to Morton keys ----------------------------------------------------------------- */

/* Cell coordinates are clamped to this. Floats that large are further apart than any radius unless
 * they are equal, so no neighbors are lost. */
#define CELL_MAX 0x1p49
/* Added to a whole number below 2^51 this puts it, in two's complement, into the low bits of the
 * double: a conversion that every instruction set can do on vectors. */
#define TO_BITS 0x1.8p52
#define BOUND_PARTS 64

double rp_neighbor_grid_edge(double radius)
{
    return radius * (1 + 1e-5);
}

static inline double clamped(double cell)
{
    cell = cell < -CELL_MAX ? -CELL_MAX : cell;
    return cell > CELL_MAX ? CELL_MAX : cell;
}

/* The lowest and highest finite coordinates of a block of points. */
typedef struct bounds {
    float low[3], high[3];
} bounds;

typedef struct bounds_job {
    const rp_points *points;
    size_t block;
    bounds parts[BOUND_PARTS];
} bounds_job;

RP_WIDE_KERNEL
static void bound_axis(const float *x, size_t count, float *low, float *high)
{
    rp_wide lows = rp_wide_broadcast(FLT_MAX), highs = rp_wide_broadcast(-FLT_MAX);
    size_t i = 0;
    /* NaN fails every comparison, infinities fail the second: neither moves a bound. */
    for (; i + RP_WIDE <= count; i += RP_WIDE) {
        rp_wide v = rp_wide_load(x + i);
        lows = rp_wide_select((v < lows) & (v >= -FLT_MAX), v, lows);
        highs = rp_wide_select((v > highs) & (v <= FLT_MAX), v, highs);
    }
    for (int k = 0; i < count; i++, k++) {
        float v = x[i];
        lows[k] = v < lows[k] && v >= -FLT_MAX ? v : lows[k];
        highs[k] = v > highs[k] && v <= FLT_MAX ? v : highs[k];
    }
    *low = -rp_wide_largest(-lows);
    *high = rp_wide_largest(highs);
}

static void bound_range(void *context, rp_range range)
{
    bounds_job *job = context;
    RP_ASSERT(range.begin % job->block == 0 && range.begin / job->block < BOUND_PARTS);
    bounds *part = &job->parts[range.begin / job->block];
    const float *axes[3] = {job->points->x, job->points->y, job->points->z};
    for (int a = 0; a < 3; a++)
        bound_axis(axes[a] + range.begin, range.end - range.begin, &part->low[a], &part->high[a]);
}

rp_neighbor_grid rp_neighbor_grid_around(rp_threads *threads, const rp_points *points, double edge,
                                         unsigned top)
{
    size_t block = points->count / BOUND_PARTS + RP_NEIGHBOR_BLOCK;
    bounds_job job = {.points = points, .block = block};
    rp_parallel_for(threads, points->count, block, bound_range, &job);

    /* Bounds in cells of the coarsest level, with an empty one on each side: the search of a cell
     * on the border then never wraps around to the other side. */
    rp_neighbor_grid grid = {.inverse = 1 / edge, .bits = 2 + top};
    double most = 0, coarse = ldexp(1, (int)top);
    for (int a = 0; a < 3; a++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (size_t p = 0; p * block < points->count; p++) {
            low = fminf(low, job.parts[p].low[a]);
            high = fmaxf(high, job.parts[p].high[a]);
        }
        if (low > high) continue; /* no finite coordinate */
        double first = floor(clamped(floor(low * grid.inverse)) / coarse);
        double last = floor(clamped(floor(high * grid.inverse)) / coarse);
        double cells = coarse * (last - first + 3); /* one empty cell each side */
        grid.base[a] = coarse * (first - 1);
        most = cells > most ? cells : most;
    }
    /* As few bits as fit: they decide the number of passes of the radix sort. */
    while (grid.bits < RP_MORTON_BITS && ldexp(1, (int)grid.bits) < most)
        grid.bits++;
    return grid;
}

/* Points without a position (NaN, infinity) go to cell 0, which is one of the empty border cells.
 */
static inline uint64_t cell_number(float x, double inverse, double base, uint64_t mask)
{
    double cell = clamped(floor(x * inverse)) - base;
    cell = fabsf(x) <= FLT_MAX ? cell : 0;
    double shifted = cell + TO_BITS;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits & mask;
}

RP_WIDE_KERNEL
void rp_neighbor_grid_keys(const rp_neighbor_grid *grid, const rp_points *points, size_t begin,
                           size_t end, uint64_t *keys)
{
    RP_ASSERT(begin <= end && end <= points->count);
    RP_ASSERT(grid->bits >= 2 && grid->bits <= RP_MORTON_BITS && grid->inverse > 0);
    const float *x = points->x, *y = points->y, *z = points->z;
    const double inverse = grid->inverse;
    const double base_x = grid->base[0], base_y = grid->base[1], base_z = grid->base[2];
    const uint64_t mask = ((uint64_t)1 << grid->bits) - 1;
    for (size_t i = begin; i < end; i++)
        keys[i - begin] = rp_morton_key(cell_number(x[i], inverse, base_x, mask),
                                        cell_number(y[i], inverse, base_y, mask),
                                        cell_number(z[i], inverse, base_z, mask));
}

/* --- occupied cells --------------------------------------------------------------------------- */

/* Candidates are sorted by key, so the eight cells of an octet are contiguous; a hash table (open
 * addressing, linear probing) maps the octet's key to where they begin. Memory is proportional to
 * the grains, never to space. Octets instead of cells make 8 look-ups for the 27 cells around one,
 * instead of 27, and join them to 14 ranges of candidates or fewer.
 *
 * Built in four parallel passes: count the octets that begin in each block of candidates, write
 * where each begins, clear the table, then fill octets and insert them. */

typedef struct cells_job {
    rp_cells *cells;
    const uint64_t *keys;
} cells_job;

/* True when candidate i is the first of its octet: the octet's key lacks the last three bits. */
static inline bool is_head(const uint64_t *keys, size_t i)
{
    return i == 0 || keys[i] >> 3 != keys[i - 1] >> 3;
}

static void count_heads(void *context, rp_range range)
{
    const cells_job *job = context;
    uint32_t heads = 0;
    for (size_t i = range.begin; i < range.end; i++)
        heads += is_head(job->keys, i);
    job->cells->heads[range.begin / RP_NEIGHBOR_BLOCK] = heads;
}

static void write_heads(void *context, rp_range range)
{
    const cells_job *job = context;
    size_t octet = job->cells->heads[range.begin / RP_NEIGHBOR_BLOCK];
    for (size_t i = range.begin; i < range.end; i++)
        if (is_head(job->keys, i)) job->cells->first[octet++] = (uint32_t)i;
}

static void clear_slots(void *context, rp_range range)
{
    const cells_job *job = context;
    memset((void *)(job->cells->slots + range.begin), 0,
           (range.end - range.begin) * sizeof *job->cells->slots);
}

static void fill_octet(rp_octet *octet, const uint64_t *keys, uint32_t begin, uint32_t end)
{
    octet->key = keys[begin] >> 3;
    unsigned cell = 0;
    /* The last three bits are the cell. Cells without candidates begin where the next one does. */
    for (uint32_t i = begin; i < end; i++)
        while (cell <= (keys[i] & 7))
            octet->begin[cell++] = i;
    while (cell <= 8)
        octet->begin[cell++] = end;
}

/* Lock-free: the first empty slot is claimed by compare-and-swap. Which of two colliding octets
 * comes first in the table depends on the threads; what a look-up finds does not. */
static void insert(rp_cells *cells, size_t octet)
{
    size_t slot = rp_cells_slot(cells->octets[octet].key);
    for (uint32_t empty = 0;; slot++, empty = 0)
        if (atomic_compare_exchange_strong_explicit(&cells->slots[slot & (cells->slot_count - 1)],
                                                    &empty, (uint32_t)octet + 1,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
}

static void fill_octets(void *context, rp_range range)
{
    const cells_job *job = context;
    rp_cells *cells = job->cells;
    for (size_t o = range.begin; o < range.end; o++) {
        fill_octet(&cells->octets[o], job->keys, cells->first[o], cells->first[o + 1]);
        insert(cells, o);
    }
}

void rp_cells_end(rp_cells *cells)
{
    rp_release(cells->octets, cells->capacity * sizeof *cells->octets);
    rp_release(cells->first, cells->first_capacity * sizeof *cells->first);
    rp_release((void *)cells->slots, cells->slot_capacity * sizeof *cells->slots);
    rp_release(cells->heads, cells->head_capacity * sizeof *cells->heads);
    *cells = (rp_cells){0};
}

static rp_code reserve_octets(rp_cells *cells, size_t count, rp_report *report)
{
    cells->slot_count = 64;
    while (cells->slot_count < 2 * count)
        cells->slot_count *= 2;
    if (rp_neighbor_reserve((void **)&cells->octets, &cells->capacity, count,
                            sizeof *cells->octets) &&
        rp_neighbor_reserve((void **)&cells->first, &cells->first_capacity, count + 1,
                            sizeof *cells->first) &&
        rp_neighbor_reserve((void **)&cells->slots, &cells->slot_capacity, cells->slot_count,
                            sizeof *cells->slots))
        return RP_OK;
    return rp_fail_memory(report,
                          count * (sizeof *cells->octets + sizeof *cells->first) +
                              cells->slot_count * sizeof *cells->slots,
                          "cells");
}

rp_code rp_cells_build(rp_cells *cells, rp_threads *threads, const uint64_t *keys, size_t count,
                       rp_report *report)
{
    size_t blocks = (count + RP_NEIGHBOR_BLOCK - 1) / RP_NEIGHBOR_BLOCK, total = 0;
    if (!rp_neighbor_reserve((void **)&cells->heads, &cells->head_capacity, blocks,
                             sizeof *cells->heads))
        return rp_fail_memory(report, blocks * sizeof *cells->heads, "cells");
    cells_job job = {cells, keys};
    rp_parallel_for(threads, count, RP_NEIGHBOR_BLOCK, count_heads, &job);
    /* Exclusive prefix sum: the number of each block's first octet. */
    for (size_t b = 0; b < blocks; b++) {
        uint32_t heads = cells->heads[b];
        cells->heads[b] = (uint32_t)total;
        total += heads;
    }
    RP_TRY(reserve_octets(cells, total, report));
    RP_ASSERT((cells->slot_count & (cells->slot_count - 1)) == 0 && cells->slot_count >= 2 * total);
    cells->count = total;
    rp_parallel_for(threads, count, RP_NEIGHBOR_BLOCK, write_heads, &job);
    cells->first[total] = (uint32_t)count;
    rp_parallel_for(threads, cells->slot_count, 4 * RP_NEIGHBOR_BLOCK, clear_slots, &job);
    rp_parallel_for(threads, total, RP_NEIGHBOR_BLOCK / 16, fill_octets, &job);
    return RP_OK;
}

/* Occupancy above this multiple of the limit in one cell, or above the second in the mean over the
 * grains, is refused. Sand under a heavy body is a few times too dense at its worst. */
#define OVERFULL_CELL 32
#define OVERFULL_MEAN 8
/* With fewer grains the mean is not tested: it says little, and their lists are short. */
#define OVERFULL_GRAINS 10000

static uint32_t grains_in(const rp_octet *octet, int cell)
{
    return octet->begin[cell + 1] - octet->begin[cell];
}

static double fullest_of_range(void *context, rp_range range)
{
    const rp_cells *cells = context;
    uint32_t most = 0;
    for (size_t o = range.begin; o < range.end; o++)
        for (int c = 0; c < 8; c++)
            if (grains_in(&cells->octets[o], c) > most) most = grains_in(&cells->octets[o], c);
    return most;
}

static double squares_of_range(void *context, rp_range range)
{
    const rp_cells *cells = context;
    double sum = 0;
    for (size_t o = range.begin; o < range.end; o++)
        for (int c = 0; c < 8; c++)
            sum += (double)grains_in(&cells->octets[o], c) * grains_in(&cells->octets[o], c);
    return sum;
}

/* Returns the first candidate of the first cell with that occupancy. */
static size_t candidate_in(const rp_cells *cells, uint32_t grains)
{
    for (size_t o = 0; o < cells->count; o++)
        for (int c = 0; c < 8; c++)
            if (grains_in(&cells->octets[o], c) == grains) return cells->octets[o].begin[c];
    return 0;
}

rp_code rp_cells_check_occupancy(const rp_neighbor *neighbor, const rp_cell_level *level,
                                 double edge, double occupancy, rp_report *report)
{
    size_t count = level->count;
    if (!count || !isfinite(occupancy)) return RP_OK;
    rp_cells *cells = (rp_cells *)&level->cells;
    const size_t block = RP_NEIGHBOR_BLOCK / 16;
    /* The mean occupancy over grains (not cells) is the sum of squares over the number of grains.
     */
    double most = rp_parallel_max(neighbor->threads, cells->count, block, fullest_of_range, cells);
    double squares =
        rp_parallel_sum(neighbor->threads, cells->count, block, squares_of_range, cells);
    bool many = count >= OVERFULL_GRAINS && squares / (double)count > OVERFULL_MEAN * occupancy;
    if (most <= OVERFULL_CELL * occupancy && !many) return RP_OK;
    size_t i = candidate_in(cells, (uint32_t)most);
    const rp_candidates *at = &level->candidates;
    return rp_fail(report, RP_ERROR_INPUT,
                   "%.0f grains lie within %.3g m of [%.4g, %.4g, %.4g] m, where %.0f have room: "
                   "they lie on each other. Sources overlap, or an emitter lets out more than can "
                   "leave: lower its speed or rate, take a shorter time.step, or make the domain "
                   "larger",
                   most, edge, (double)at->x[i], (double)at->y[i], (double)at->z[i], occupancy);
}
