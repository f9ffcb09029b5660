/* Verlet lists (Verlet 1967): pairs of spheres whose gap is below a skin, beyond what a liquid
 * bridge spans. They hold until some sphere has moved half a skin since they were built. To build
 * them, grains are sorted along a space-filling curve, grains near each other are found by their
 * centres, and pairs of their spheres become entries, in classes by their gaps. Where sizes differ
 * much, neighbors are searched in levels of cells (E12). */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <stdatomic.h>

/* Entries of a grain as large as the smallest, at most; larger ones may have more, by their
 * surface.
 */
#define NEAR_MOST 4096
/* Neighbor lists of grains are in memory for a piece of all blocks at a time: PIECE_MOST blocks for
 * each thread, or so many that there are PIECES of them, but one block at least. */
#define PIECE_MOST 4
#define PIECES 8

/* --- memory --- */

/* Arrays that grow together, all of them or none, by more than is asked for, so that a step after
 * warm-up allocates nothing. */

/* Values behind the last that wide loads and stores may reach. */
#define PADDING RP_WIDE
#define COLUMNS_MAX 3

/* One of several arrays of the same length. */
typedef struct column {
    void **array;
    size_t size; /* of a value, bytes */
} column;

static void release_columns(const column *columns, int count, size_t *capacity)
{
    for (int n = 0; n < count; n++) {
        if (*columns[n].array)
            rp_release(*columns[n].array, (*capacity + PADDING) * columns[n].size);
        *columns[n].array = NULL;
    }
    *capacity = 0;
}

/* Returns a capacity with something to spare. */
static size_t with_spare(size_t wanted)
{
    return wanted + wanted / 16;
}

/* Makes the capacity at least `wanted`; the first `used` values stay. False when there is no
 * memory: nothing has changed then. */
static bool grow(const column *columns, int count, size_t *capacity, size_t used, size_t wanted)
{
    if (wanted <= *capacity && *columns[0].array) return true;
    size_t now = with_spare(wanted), allocated = now;
    void *blocks[COLUMNS_MAX] = {0};
    for (int n = 0; n < count; n++) {
        blocks[n] = rp_allocate_zero((now + PADDING) * columns[n].size);
        if (blocks[n]) continue;
        column grown[COLUMNS_MAX];
        for (int k = 0; k < n; k++)
            grown[k] = (column){&blocks[k], columns[k].size};
        release_columns(grown, n, &allocated);
        return false;
    }
    for (int n = 0; n < count && used; n++)
        memcpy(blocks[n], *columns[n].array, used * columns[n].size);
    release_columns(columns, count, capacity);
    for (int n = 0; n < count; n++)
        *columns[n].array = blocks[n];
    *capacity = now;
    return true;
}

/* The arrays of each kind: returns their number. */
static int sphere_columns(rp_dem_lists *lists, column *out)
{
    for (int a = 0; a < 3; a++)
        out[a] = (column){(void **)&lists->origin[a], sizeof(float)};
    return 3;
}

static int entry_columns(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->other, sizeof *lists->other};
    out[1] = (column){(void **)&lists->own, sizeof *lists->own};
    return 2;
}

static int entry_grain_columns(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->entry_grains, sizeof *lists->entry_grains};
    return 1;
}

static int block_columns(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->wall_start, sizeof *lists->wall_start};
    out[1] =
        (column){(void **)&lists->class_starts, (RP_DEM_CLASSES + 1) * sizeof *lists->class_starts};
    return 2;
}

static int wall_columns(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->walls, sizeof *lists->walls};
    return 1;
}

bool rp_dem_reserve_rows(rp_dem *solver, size_t spheres)
{
    if (spheres > solver->row_capacity) solver->row_capacity = with_spare(spheres);
    rp_arena_reset(&solver->row_arena);
    solver->rows =
        rp_arena_take(&solver->row_arena, (solver->row_capacity + PADDING) * sizeof *solver->rows);
    return solver->rows;
}

bool rp_dem_reserve_history(rp_dem *solver)
{
    size_t each = solver->lists.entry_capacity + PADDING;
    rp_arena_reset(&solver->history_arena);
    size_t columns = (size_t)solver->history_columns;
    float *history = rp_arena_take(&solver->history_arena, columns * each * sizeof *history);
    for (size_t a = 0; a < columns && history; a++)
        solver->lists.history[a] = history + a * each;
    return history;
}

bool rp_dem_reserve_spheres(rp_dem_lists *lists, size_t spheres)
{
    column columns[COLUMNS_MAX];
    return grow(columns, sphere_columns(lists, columns), &lists->sphere_capacity, 0, spheres);
}

bool rp_dem_reserve_entries(rp_dem_lists *lists, size_t used, size_t entries)
{
    column columns[COLUMNS_MAX];
    return grow(columns, entry_columns(lists, columns), &lists->entry_capacity, used, entries);
}

bool rp_dem_reserve_entry_grains(rp_dem_lists *lists)
{
    column columns[COLUMNS_MAX];
    return grow(columns, entry_grain_columns(lists, columns), &lists->entry_grain_capacity, 0,
                lists->entries);
}

bool rp_dem_reserve_walls(rp_dem_lists *lists, size_t walls)
{
    column columns[COLUMNS_MAX];
    return grow(columns, wall_columns(lists, columns), &lists->wall_capacity, 0, walls);
}

bool rp_dem_reserve_blocks(rp_dem_lists *lists, size_t blocks)
{
    column columns[COLUMNS_MAX];
    return grow(columns, block_columns(lists, columns), &lists->block_capacity, 0, blocks);
}

void rp_dem_release_arrays(rp_dem *solver)
{
    rp_dem_lists *lists = &solver->lists;
    column columns[COLUMNS_MAX];
    rp_arena_destroy(&solver->row_arena);
    rp_arena_destroy(&solver->history_arena);
    release_columns(columns, sphere_columns(lists, columns), &lists->sphere_capacity);
    release_columns(columns, entry_columns(lists, columns), &lists->entry_capacity);
    release_columns(columns, entry_grain_columns(lists, columns), &lists->entry_grain_capacity);
    release_columns(columns, wall_columns(lists, columns), &lists->wall_capacity);
    release_columns(columns, block_columns(lists, columns), &lists->block_capacity);
    rp_release(solver->first, solver->first_capacity * sizeof *solver->first);
    rp_release(solver->owner, solver->owner_capacity * sizeof *solver->owner);
}

/* --- entries: pairs of spheres --- */

bool rp_dem_lists_are_stale(const rp_dem *solver)
{
    const rp_grains *p = solver->host.grains;
    return solver->lists.grains != p->count || solver->next_id != p->next_id ||
           2 * solver->displacement > solver->skin || 2 * solver->body_displacement > solver->skin;
}

double rp_dem_class_gap(const rp_dem *solver, int class)
{
    static const double fractions[RP_DEM_CLASSES] = {-INFINITY, 1.0 / 64, 1.0 / 8, 1.0 / 2};
    return fractions[class] * solver->skin;
}

/* Building the entries of a piece of all blocks. */
typedef struct list_job {
    rp_dem *solver;
    size_t begin, end;          /* grains */
    bool write;                 /* false: only count */
    float gaps[RP_DEM_CLASSES]; /* m, the least gap of each class */
    atomic_size_t crowded;      /* a grain with too many entries, + 1 */
} list_job;

float rp_dem_gap(const rp_dem *solver, const float *from, const float *to)
{
    const float period[3] = {(float)solver->period.x, (float)solver->period.y,
                             (float)solver->period.z};
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float d = rp_dem_minimum_image(to[POSITION_X + k] - from[POSITION_X + k], period[k]) +
                  (to[POSITION_LOW_X + k] - from[POSITION_LOW_X + k]);
        square += d * d;
    }
    return sqrtf(square) - (from[POSITION_RADIUS] + to[POSITION_RADIUS]);
}

static int class_of(const list_job *job, float gap)
{
    int class = 0;
    while (class + 1 < RP_DEM_CLASSES && gap >= job->gaps[class + 1])
        class ++;
    return class;
}

static void write_entry(const rp_dem_lists *lists, size_t at, size_t own, size_t other)
{
    RP_ASSERT_DEBUG(at < lists->entry_capacity && own <= UINT16_MAX && other <= UINT32_MAX);
    lists->own[at] = (uint16_t)own;
    lists->other[at] = (uint32_t)other;
}

/* Adds the pairs of spheres of two grains that may touch, and returns their number. `next` has the
 * index of the next entry of each class, or the count of its entries. `base`: first sphere of the
 * block. */
static size_t add_pairs(const list_job *job, size_t i, size_t j, size_t base, uint32_t *next)
{
    const rp_dem *solver = job->solver;
    size_t count = 0;
    for (size_t a = rp_dem_first_sphere(solver, i); a < rp_dem_first_sphere(solver, i + 1); a++) {
        rp_dem_sphere_position from = rp_dem_sphere_position_of(solver, a);
        for (size_t b = rp_dem_first_sphere(solver, j); b < rp_dem_first_sphere(solver, j + 1);
             b++) {
            rp_dem_sphere_position to = rp_dem_sphere_position_of(solver, b);
            float gap = rp_dem_gap(solver, from.position, to.position) -
                        rp_dem_bridge_length(solver, from.position, to.position);
            if (!(gap < (float)solver->skin)) continue;
            uint32_t *at = &next[class_of(job, gap)];
            if (job->write) write_entry(&solver->lists, *at, a - base, b);
            ++*at;
            count++;
        }
    }
    return count;
}

/* Adds the pairs of grain i with its neighbors, and returns their number; within its own block,
 * with those of higher numbers only. `query`: number of grain i in the neighbor lists. */
static size_t add_neighbors(const list_job *job, const rp_lists *near, size_t query, size_t i,
                            uint32_t *next)
{
    const rp_dem *solver = job->solver;
    const rp_grains *p = solver->host.grains;
    const uint32_t *index = near->index + near->start[query];
    size_t block = i / RP_DEM_BLOCK, base = rp_dem_first_sphere(solver, block * RP_DEM_BLOCK),
           count = 0;
    for (uint32_t n = 0; n < near->count[query]; n++) {
        size_t j = rp_neighbor_own(p, index[n]);
        if (j / RP_DEM_BLOCK == block && j <= i) continue;
        count += add_pairs(job, i, j, base, next);
    }
    return count;
}

/* Returns how many entries a grain may have: as many more as its surroundings have more surface. */
static double near_most(const rp_dem *solver, size_t i)
{
    double part = 0.5 + 0.5 * (double)solver->host.grains->diameter[i] / solver->smallest;
    return NEAR_MOST * part * part;
}

static void add_grain(list_job *job, size_t i, uint32_t *next)
{
    const rp_dem *solver = job->solver;
    size_t count = add_neighbors(job, &solver->neighbors, i - job->begin, i, next);
    if (solver->multilevel)
        count +=
            add_neighbors(job, rp_neighbor_cross_level_lists(solver->host.neighbor), i, i, next);
    if ((double)count > near_most(solver, i)) atomic_store(&job->crowded, i + 1);
}

/* Clears the unused entries behind a block. They are saved with the rest, and must not depend on
 * what was in memory before. */
static void clear_unused(const rp_dem_lists *lists, size_t at)
{
    memset(lists->other + at, 0, RP_WIDE * sizeof *lists->other);
    memset(lists->own + at, 0, RP_WIDE * sizeof *lists->own);
}

/* Counts or writes the entries of a block. */
static void list_range(void *context, rp_range range)
{
    list_job *job = context;
    size_t first = job->begin + range.begin, block = first / RP_DEM_BLOCK;
    RP_ASSERT(first % RP_DEM_BLOCK == 0 && range.end - range.begin <= RP_DEM_BLOCK);
    RP_ASSERT(job->begin + range.end <= job->solver->host.grains->count);
    uint32_t *starts = rp_dem_class_starts(&job->solver->lists, block), next[RP_DEM_CLASSES] = {0};
    if (job->write) memcpy(next, starts, sizeof next);
    for (size_t i = first; i < job->begin + range.end; i++)
        add_grain(job, i, next);
    if (job->write)
        clear_unused(&job->solver->lists, starts[RP_DEM_CLASSES]);
    else
        memcpy(starts, next, sizeof next);
}

/* Turns the counts of classes into their starts (prefix sum), with eight unused entries behind each
 * block; returns the end. */
static size_t sum_counts(const rp_dem_lists *lists, size_t first, size_t end, size_t total)
{
    for (size_t b = first; b < end; b++) {
        uint32_t *starts = rp_dem_class_starts(lists, b);
        for (int c = 0; c < RP_DEM_CLASSES; c++) {
            uint32_t here = starts[c];
            starts[c] = (uint32_t)total;
            total += here;
        }
        starts[RP_DEM_CLASSES] = (uint32_t)total;
        total += RP_WIDE;
    }
    return total;
}

static rp_code fail_crowded(const rp_dem *solver, size_t grain, rp_report *report)
{
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "grain %u has more than %.0f spheres beside it: grains lie on one another",
                   solver->host.grains->id[grain], near_most(solver, grain));
}

/* Makes the entries of a piece of blocks, behind those of the blocks before: count, then write. */
static rp_code list_piece(list_job *job, rp_report *report)
{
    rp_dem *solver = job->solver;
    const rp_host *host = &solver->host;
    rp_dem_lists *lists = &solver->lists;
    size_t count = job->end - job->begin, first = job->begin / RP_DEM_BLOCK;
    RP_TRY(rp_neighbor_lists_of(host->neighbor, host->grains, job->begin, job->end,
                                &solver->neighbors, report));
    job->write = false;
    rp_parallel_for(host->threads, count, RP_DEM_BLOCK, list_range, job);
    if (job->crowded) return fail_crowded(solver, job->crowded - 1, report);
    size_t entries = sum_counts(lists, first, rp_dem_blocks(job->end), lists->entries);
    if (entries >= UINT32_MAX || !rp_dem_reserve_entries(lists, lists->entries, entries))
        return rp_fail_memory(report, entries * 6, "contacts of spheres");
    lists->entries = entries;
    job->write = true;
    rp_parallel_for(host->threads, count, RP_DEM_BLOCK, list_range, job);
    return RP_OK;
}

static void entry_grain_range(void *context, rp_range range)
{
    const rp_dem *solver = context;
    const rp_dem_lists *lists = &solver->lists;
    size_t block = rp_dem_block_of(range), base = rp_dem_first_sphere(solver, range.begin);
    size_t spheres = rp_dem_first_sphere(solver, range.end) - base;
    const uint32_t *starts = rp_dem_class_starts(lists, block);
    for (size_t e = starts[0]; e < starts[RP_DEM_CLASSES]; e++) {
        size_t own = rp_dem_owner(solver, base + lists->own[e]);
        size_t other = range.begin + RP_DEM_BLOCK; /* one of another block */
        if (lists->other[e] - base < spheres) other = rp_dem_owner(solver, lists->other[e]);
        lists->entry_grains[e] =
            (rp_dem_entry_grains){(uint16_t)(own - range.begin), (uint16_t)(other - range.begin)};
    }
}

rp_code rp_dem_find_entry_grains(rp_dem *solver, size_t grains, rp_report *report)
{
    if (solver->single) return RP_OK;
    if (!rp_dem_reserve_entry_grains(&solver->lists))
        return rp_fail_memory(report, solver->lists.entries * sizeof(rp_dem_entry_grains),
                              "contacts of spheres");
    rp_parallel_for(solver->host.threads, grains, RP_DEM_BLOCK, entry_grain_range, solver);
    return RP_OK;
}

/* Notes where spheres are, to tell how far they move from here. */
static void origin_range(void *context, rp_range range)
{
    const rp_dem *solver = context;
    for (size_t s = range.begin; s < range.end; s++) {
        rp_dem_sphere_position at = rp_dem_sphere_position_of(solver, s);
        for (int a = 0; a < 3; a++)
            solver->lists.origin[a][s] =
                at.position[POSITION_X + a] + at.position[POSITION_LOW_X + a];
    }
}

/* Returns the number of grains of a piece. */
static size_t piece_of(size_t grains, size_t threads)
{
    size_t each = rp_dem_blocks(grains) / (PIECES * threads);
    if (each > PIECE_MOST) each = PIECE_MOST;
    return (each ? each : 1) * threads * RP_DEM_BLOCK;
}

/* --- search, sorting and ghosts: by one radius, or in levels (E12) --- */

/* Returns how far the centres of two of the largest grains may be apart, m. */
static double largest_reach(const rp_dem *solver)
{
    return solver->reach.part * solver->largest + solver->skin;
}

static rp_code prepare_search(rp_dem *solver, rp_report *report)
{
    rp_neighbor *neighbor = solver->host.neighbor;
    const rp_grains *p = solver->host.grains;
    return solver->multilevel ? rp_neighbor_prepare_by_size(neighbor, p, &solver->reach, report)
                              : rp_neighbor_prepare(neighbor, p, largest_reach(solver), report);
}

static rp_code sort_grains(rp_dem *solver, rp_report *report)
{
    rp_neighbor *neighbor = solver->host.neighbor;
    rp_grains *p = solver->host.grains;
    return solver->multilevel ? rp_neighbor_sort_by_size(neighbor, p, &solver->reach, report)
                              : rp_neighbor_sort(neighbor, p, largest_reach(solver), report);
}

static rp_code make_ghosts(rp_dem *solver, rp_report *report)
{
    rp_neighbor *neighbor = solver->host.neighbor;
    rp_grains *p = solver->host.grains;
    return solver->multilevel ? rp_neighbor_ghosts_by_size(neighbor, p, &solver->reach, report)
                              : rp_neighbor_ghosts(neighbor, p, largest_reach(solver), report);
}

/* --- building the lists --- */

static rp_code list_spheres(rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_dem_lists *lists = &solver->lists;
    size_t count = host->grains->count;
    size_t most = piece_of(count, (size_t)rp_threads_count(host->threads));
    if (!rp_dem_reserve_spheres(lists, solver->spheres) ||
        !rp_dem_reserve_blocks(lists, rp_dem_blocks(count) + 1))
        return rp_fail_memory(report, solver->spheres * 12, "lists of spheres");
    list_job job = {.solver = solver};
    for (int c = 0; c < RP_DEM_CLASSES; c++)
        job.gaps[c] = (float)rp_dem_class_gap(solver, c);
    lists->entries = 0;
    rp_code code = prepare_search(solver, report);
    for (; job.begin < count && code == RP_OK; job.begin = job.end) {
        size_t left = count - job.begin;
        job.end = job.begin + (left < most ? left : most);
        code = rp_is_stopped(host->stop) ? RP_INTERRUPTED : list_piece(&job, report);
    }
    rp_neighbor_done(host->neighbor);
    RP_TRY(code);
    RP_TRY(rp_dem_find_entry_grains(solver, count, report));
    rp_parallel_for(host->threads, solver->spheres, RP_DEM_BLOCK, origin_range, solver);
    lists->grains = count;
    lists->spheres = solver->spheres;
    return RP_OK;
}

/* Numbers the spheres of all grains in the order of the table. */
static rp_code number_spheres(rp_dem *solver, rp_report *report)
{
    const rp_grains *p = solver->host.grains;
    solver->spheres = p->count;
    if (solver->single) return RP_OK;
    if (!rp_reserve((void **)&solver->first, &solver->first_capacity, 0, p->count + 1,
                    sizeof *solver->first))
        return rp_fail_memory(report, p->count * 4, "grains");
    size_t total = 0;
    for (size_t i = 0; i < p->count; i++) {
        solver->first[i] = (uint32_t)total;
        total += (size_t)solver->kinds[p->kind[i]].clump.count;
    }
    solver->first[p->count] = (uint32_t)total;
    solver->spheres = total;
    if (total >= UINT32_MAX || !rp_reserve((void **)&solver->owner, &solver->owner_capacity, 0,
                                           total, sizeof *solver->owner))
        return rp_fail_memory(report, total * 4, "spheres");
    for (size_t i = 0; i < p->count; i++)
        for (size_t s = solver->first[i]; s < solver->first[i + 1]; s++)
            solver->owner[s] = (uint32_t)i;
    return RP_OK;
}

static rp_code make_rows(rp_dem *solver, rp_report *report)
{
    if (!rp_dem_reserve_rows(solver, solver->spheres))
        return rp_fail_memory(report, solver->spheres * sizeof *solver->rows, "spheres");
    rp_dem_fill_rows(solver);
    return RP_OK;
}

/* Moves grains that left a periodic domain back into it, high and low words. */
static void wrap_range(void *context, rp_range range)
{
    const rp_dem *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_domain_spec *domain = &solver->host.scene->domain;
    const double lows[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double lengths[3] = {solver->period.x, solver->period.y, solver->period.z};
    float *const x[3] = {p->x, p->y, p->z};
    for (int a = 0; a < 3; a++)
        for (size_t i = range.begin; i < range.end && lengths[a] > 0; i++) {
            double at = (double)x[a][i] + (double)solver->position_low[a][i];
            if (!isfinite(at) || (at >= lows[a] && at < lows[a] + lengths[a])) continue;
            at -= lengths[a] * floor((at - lows[a]) / lengths[a]);
            x[a][i] = (float)at;
            solver->position_low[a][i] = (float)(at - (double)x[a][i]);
        }
}

static void number_range(void *context, rp_range range)
{
    rp_dem *solver = context;
    for (size_t i = range.begin; i < range.end; i++)
        solver->slot[i] = (uint32_t)i + 1;
}

rp_code rp_dem_build_lists(rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    rp_dem_saved_history saved;
    rp_code code = rp_dem_history_save(solver, &saved, report);
    solver->rows_current = false;
    solver->lists.grains = 0; /* void, should one of the following fail */
    /* Grains in cell order, and images of those near a periodic side. */
    rp_parallel_for(host->threads, p->count, RP_DEM_BLOCK, wrap_range, solver);
    if (code == RP_OK) code = sort_grains(solver, report);
    if (code == RP_OK) code = number_spheres(solver, report);
    if (code == RP_OK) code = make_ghosts(solver, report);
    /* Clumps need rows to tell where their spheres are; single spheres have them afterwards, since
     * their saved history is in that memory. */
    if (code == RP_OK && !solver->single) code = make_rows(solver, report);
    if (code == RP_OK) code = list_spheres(solver, report);
    if (code == RP_OK) code = rp_dem_build_wall_lists(solver, report);
    if (code == RP_OK) code = rp_dem_history_restore(solver, &saved, report);
    if (code == RP_OK && solver->single) code = make_rows(solver, report);
    RP_TRY(code);
    /* From now on, displacements and numbers of grains count from these lists. */
    rp_parallel_for(host->threads, p->count, RP_DEM_BLOCK, number_range, solver);
    solver->next_id = p->next_id;
    solver->displacement = solver->max_displacement = solver->body_displacement = 0;
    solver->rebuilds++;
    return RP_OK;
}
