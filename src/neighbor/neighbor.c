/* Cell order by a radix sort, densities from lists, and the life of a neighbor search. */
#include "base/file.h"
#include "base/report.h"
#include "neighbor/inside.h"

#include <float.h>

/* --- cell order: radix sort ------------------------------------------------------------------- */

/* A stable least-significant-digit radix sort by Morton code. Each pass makes a histogram of digits
 * for every block of grains, turns the histograms into offsets by a prefix sum and scatters every
 * block to its offsets. A stable sort has only one possible result, whatever the blocks and
 * threads. */

/* Bits of a digit at most. Beyond 2^11 the cache lines being written to no longer fit the
 * second-level cache. */
#define DIGIT_MAX 11
#define BLOCKS_MAX 256

bool rp_neighbor_reserve(void **array, size_t *capacity, size_t wanted, size_t element_size)
{
    if (wanted <= *capacity) return true;
    size_t count = wanted + wanted / 8;
    void *block = rp_allocate(count * element_size);
    if (!block) return false;
    rp_release(*array, *capacity * element_size);
    *array = block;
    *capacity = count;
    return true;
}

/* With an arena the buffers belong to it: only the pointers are dropped. */
static void forget_arrays(rp_sorter *sorter)
{
    sorter->keys = sorter->other_keys = NULL;
    sorter->order = sorter->other_order = NULL;
}

static void release_arrays(rp_sorter *sorter)
{
    size_t capacity = sorter->capacity;
    rp_release(sorter->keys, capacity * sizeof *sorter->keys);
    rp_release(sorter->other_keys, capacity * sizeof *sorter->other_keys);
    rp_release(sorter->order, capacity * sizeof *sorter->order);
    rp_release(sorter->other_order, capacity * sizeof *sorter->other_order);
    forget_arrays(sorter);
    sorter->capacity = 0;
}

void rp_sorter_end(rp_sorter *sorter)
{
    release_arrays(sorter);
    rp_release(sorter->histogram, sorter->histogram_capacity * sizeof *sorter->histogram);
    *sorter = (rp_sorter){0};
}

static rp_code borrow(rp_sorter *sorter, size_t wanted, rp_report *report)
{
    sorter->mark = rp_arena_mark(sorter->arena);
    sorter->keys = rp_arena_take(sorter->arena, wanted * sizeof *sorter->keys);
    sorter->other_keys = rp_arena_take(sorter->arena, wanted * sizeof *sorter->keys);
    sorter->order = rp_arena_take(sorter->arena, wanted * sizeof *sorter->order);
    sorter->other_order = rp_arena_take(sorter->arena, wanted * sizeof *sorter->order);
    if (sorter->keys && sorter->other_keys && sorter->order && sorter->other_order) return RP_OK;
    rp_sorter_return(sorter);
    return rp_fail_memory(report, wanted * 2 * (sizeof(uint64_t) + sizeof(uint32_t)),
                          "sorting grains");
}

void rp_sorter_return(rp_sorter *sorter)
{
    if (!sorter->arena) return;
    rp_arena_return(sorter->arena, sorter->mark);
    forget_arrays(sorter);
}

static rp_code reserve(rp_sorter *sorter, size_t count, rp_report *report)
{
    size_t wanted = count + RP_NEIGHBOR_PADDING;
    if (sorter->arena) return borrow(sorter, wanted, report);
    if (wanted <= sorter->capacity) return RP_OK;
    release_arrays(sorter);
    sorter->capacity = wanted + wanted / 8;
    sorter->keys = rp_allocate(sorter->capacity * sizeof *sorter->keys);
    sorter->other_keys = rp_allocate(sorter->capacity * sizeof *sorter->keys);
    sorter->order = rp_allocate(sorter->capacity * sizeof *sorter->order);
    sorter->other_order = rp_allocate(sorter->capacity * sizeof *sorter->order);
    if (sorter->keys && sorter->other_keys && sorter->order && sorter->other_order) return RP_OK;
    release_arrays(sorter);
    return rp_fail_memory(report, wanted * 2 * (sizeof(uint64_t) + sizeof(uint32_t)),
                          "sorting grains");
}

typedef struct key_job {
    rp_sorter *sorter;
    const rp_neighbor_grid *grid;
    const rp_points *points;
    atomic_bool out_of_order;
} key_job;

/* Computes keys, starts with the identity order, and notes whether the keys ascend. The key before
 * the block is computed again, since its block may not have been done yet. */
static void key_range(void *context, rp_range range)
{
    key_job *job = context;
    uint64_t *keys = job->sorter->keys, last = 0;
    uint32_t *order = job->sorter->order;
    rp_neighbor_grid_keys(job->grid, job->points, range.begin, range.end, keys + range.begin);
    if (range.begin)
        rp_neighbor_grid_keys(job->grid, job->points, range.begin - 1, range.begin, &last);
    bool in_order = true;
    for (size_t i = range.begin; i < range.end; i++) {
        in_order &= last <= keys[i];
        last = keys[i];
        order[i] = (uint32_t)i;
    }
    if (!in_order) atomic_store_explicit(&job->out_of_order, true, memory_order_relaxed);
}

typedef struct pass {
    rp_sorter *sorter;
    size_t block;
    unsigned shift, digit; /* bits */
} pass;

static uint32_t *block_histogram(const pass *p, size_t begin)
{
    RP_ASSERT(begin % p->block == 0);
    RP_ASSERT((begin / p->block + 1) << p->digit <= p->sorter->histogram_capacity);
    return p->sorter->histogram + (begin / p->block << p->digit);
}

static void count_digits(void *context, rp_range range)
{
    const pass *p = context;
    const uint64_t *keys = p->sorter->keys, mask = ((uint64_t)1 << p->digit) - 1;
    uint32_t *histogram = block_histogram(p, range.begin);
    memset(histogram, 0, sizeof *histogram << p->digit);
    for (size_t i = range.begin; i < range.end; i++)
        histogram[keys[i] >> p->shift & mask]++;
}

/* Exclusive prefix sum over digits, then blocks: the offset of the first key of each digit of each
 * block. This order (all blocks of a digit before the next digit) makes the sort stable. */
static void counts_to_places(const pass *p, size_t blocks)
{
    uint32_t place = 0;
    size_t digits = (size_t)1 << p->digit;
    for (size_t d = 0; d < digits; d++)
        for (size_t b = 0; b < blocks; b++) {
            uint32_t *entry = &p->sorter->histogram[b * digits + d];
            uint32_t count = *entry;
            *entry = place;
            place += count;
        }
}

static void move_to_places(void *context, rp_range range)
{
    const pass *p = context;
    const uint64_t *keys = p->sorter->keys, mask = ((uint64_t)1 << p->digit) - 1;
    const uint32_t *order = p->sorter->order;
    uint64_t *to_keys = p->sorter->other_keys;
    uint32_t *to_order = p->sorter->other_order;
    uint32_t *places = block_histogram(p, range.begin);
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t place = places[keys[i] >> p->shift & mask]++;
        to_keys[place] = keys[i];
        to_order[place] = order[i];
    }
}

/* The ping-pong of the radix sort: what a pass has written is read by the next. */
static void swap_sides(rp_sorter *sorter)
{
    uint64_t *keys = sorter->keys;
    uint32_t *order = sorter->order;
    sorter->keys = sorter->other_keys;
    sorter->order = sorter->other_order;
    sorter->other_keys = keys;
    sorter->other_order = order;
}

static rp_code radix_sort(rp_sorter *sorter, rp_threads *threads, size_t count, unsigned bits,
                          rp_report *report)
{
    /* Digits of equal width: 33 bits make three passes of 11, 24 bits three of 8. */
    unsigned passes = (bits + DIGIT_MAX - 1) / DIGIT_MAX;
    pass p = {.sorter = sorter, .digit = (bits + passes - 1) / passes};
    p.block = count / BLOCKS_MAX + RP_NEIGHBOR_BLOCK;
    size_t blocks = (count + p.block - 1) / p.block;
    /* Reserved for the widest digit at once: the range of cells grows while grains spread. */
    if (!rp_neighbor_reserve((void **)&sorter->histogram, &sorter->histogram_capacity,
                             blocks << DIGIT_MAX, sizeof *sorter->histogram))
        return rp_fail_memory(report, (blocks << DIGIT_MAX) * sizeof *sorter->histogram,
                              "sorting grains");
    for (unsigned i = 0; i < passes; i++) {
        p.shift = i * p.digit;
        rp_parallel_for(threads, count, p.block, count_digits, &p);
        counts_to_places(&p, blocks);
        rp_parallel_for(threads, count, p.block, move_to_places, &p);
        swap_sides(sorter);
    }
    return RP_OK;
}

rp_code rp_sorter_run(rp_sorter *sorter, rp_threads *threads, const rp_neighbor_grid *grid,
                      const rp_points *points, bool *in_order, rp_report *report)
{
    RP_TRY(reserve(sorter, points->count, report));
    key_job job = {.sorter = sorter, .grid = grid, .points = points};
    rp_parallel_for(threads, points->count, RP_NEIGHBOR_BLOCK, key_range, &job);
    /* From step to step most grains stay in their cells: then there is nothing to sort. */
    *in_order = !atomic_load(&job.out_of_order);
    if (*in_order) return RP_OK;
    return radix_sort(sorter, threads, points->count, 3 * grid->bits, report);
}

/* Wraps grains into the period, then sorts the table by cells. The grid of the order is local: a
 * search makes its own from the radius. */
static rp_code sort_by_cells(rp_neighbor *neighbor, rp_grains *grains, double edge, unsigned top,
                             rp_report *report)
{
    grains->ghosts = 0;
    rp_neighbor_wrap(neighbor, grains);
    rp_points points = {grains->x, grains->y, grains->z, grains->count};
    rp_neighbor_grid grid = rp_neighbor_grid_around(neighbor->threads, &points, edge, top);
    bool in_order;
    rp_code code =
        rp_sorter_run(&neighbor->sorter, neighbor->threads, &grid, &points, &in_order, report);
    if (code == RP_OK && !in_order)
        rp_grains_reorder(grains, neighbor->sorter.order, neighbor->threads);
    rp_sorter_return(&neighbor->sorter);
    return code;
}

rp_code rp_neighbor_sort(rp_neighbor *neighbor, rp_grains *grains, double cell, rp_report *report)
{
    if (!(cell > 0 && cell <= 1e18))
        return rp_fail(report, RP_ERROR_INPUT, "cell edge %g m: must be above 0", cell);
    return sort_by_cells(neighbor, grains, rp_neighbor_grid_edge(cell), 0, report);
}

rp_code rp_neighbor_sort_by_size(rp_neighbor *neighbor, rp_grains *grains, const rp_reach *reach,
                                 rp_report *report)
{
    rp_size_levels sizes = rp_size_levels_of(reach);
    return sort_by_cells(neighbor, grains, sizes.edge, sizes.count - 1, report);
}

/* --- density ---------------------------------------------------------------------------------- */

#define DENSITY_BLOCK 512

typedef struct summing {
    const rp_grains *grains;
    const rp_lists *lists;
    rp_kernel kernel;
    float factor;
    float *sums;
} summing;

/* Sums m W: eight neighbors at a time, then the remainder one by one. The grain itself counts with
 * the kernel's value at 0. */
RP_WIDE_KERNEL
static void sum_masses(void *context, rp_range range)
{
    const summing *s = context;
    const rp_grains *p = s->grains;
    const rp_lists *lists = s->lists;
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        rp_wide sum = rp_wide_broadcast(0);
        uint32_t n = 0, count = lists->count[i];
        for (; n + RP_WIDE <= count; n += RP_WIDE) {
            rp_wide dx = rp_wide_gather(p->x, index + n) - p->x[i];
            rp_wide dy = rp_wide_gather(p->y, index + n) - p->y[i];
            rp_wide dz = rp_wide_gather(p->z, index + n) - p->z[i];
            rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
            sum += rp_wide_gather(p->mass, index + n) * rp_kernel_value_wide(s->kernel, r);
        }
        float density = p->mass[i] * rp_kernel_value(s->kernel, 0) + rp_wide_sum(sum);
        for (; n < count; n++) {
            uint32_t j = index[n];
            float dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i], dz = p->z[j] - p->z[i];
            float r = sqrtf(dx * dx + dy * dy + dz * dz);
            density += p->mass[j] * rp_kernel_value(s->kernel, r);
        }
        s->sums[i] = s->factor * density;
    }
}

void rp_neighbor_density(const rp_grains *grains, const rp_lists *lists, rp_kernel kernel,
                         float factor, float *density, rp_threads *threads)
{
    summing s = {grains, lists, kernel, factor, density};
    rp_parallel_for(threads, grains->count, DENSITY_BLOCK, sum_masses, &s);
}

/* --- the life of a search --------------------------------------------------------------------- */

/* More indices than fit the machine's memory come from a wrong radius or from grains heaped on one
 * spot; to allocate them would end the program instead of the call. */
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

void rp_neighbor_limit_occupancy(rp_neighbor *neighbor, double occupancy)
{
    neighbor->occupancy = occupancy;
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
    neighbor->occupancy = INFINITY;
    rp_code code = rp_search_scratch_begin(&neighbor->scratch, rp_threads_count(threads),
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
    /* At worst every grain is alone in its octet: the octet, its first grain, and a slot table that
     * is a quarter full. */
    size_t cells = sizeof(rp_octet) + sizeof(uint32_t) + 4 * sizeof(uint32_t);
    size_t lists = sizeof(uint64_t) + sizeof(uint32_t);
    return (sorting + cells + lists) * 9 / 8 + (size_t)(neighbors * sizeof(uint32_t) * 9 / 8);
}
