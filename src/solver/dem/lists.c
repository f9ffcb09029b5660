/* Who may touch whom: made anew only when some sphere has gone half the slack since the last time.
 * Grains are put in cell order, grains near each other are found by their middles, and pairs of
 * their spheres with a gap below the slack, beyond what water bridges, become entries, in classes
 * by their gaps. */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <stdatomic.h>

/* Spheres that may be near those of a grain as large as the smallest; near others as many more as
 * they are larger all round. */
#define NEAR_MOST 4096
/* Blocks for each thread whose lists of near grains are in memory at a time, at most; fewer where
 * that would be less than so many pieces, but one. */
#define PIECE_MOST 4
#define PIECES 8

bool rp_dem_lists_are_stale(const rp_dem *solver)
{
    const rp_grains *p = solver->host.grains;
    return solver->lists.grains != p->count || solver->next_id != p->next_id ||
           2 * solver->moved > solver->slack || 2 * solver->body_moved > solver->slack;
}

double rp_dem_class_gap(const rp_dem *solver, int class)
{
    static const double parts[RP_DEM_CLASSES] = {-INFINITY, 1.0 / 64, 1.0 / 8, 1.0 / 2};
    return parts[class] * solver->slack;
}

/* What the grains of a piece of blocks are near. */
typedef struct list_job {
    rp_dem *solver;
    size_t begin, end; /* grains */
    bool write;        /* else only count */
    float gaps[RP_DEM_CLASSES];
    atomic_size_t crowded; /* a grain with too many neighbors, + 1 */
} list_job;

float rp_dem_gap(const rp_dem *solver, const float *from, const float *to)
{
    const float period[3] = {(float)solver->period.x, (float)solver->period.y,
                             (float)solver->period.z};
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float d = rp_dem_nearest(to[AT_X + k] - from[AT_X + k], period[k]) +
                  (to[AT_LOW_X + k] - from[AT_LOW_X + k]);
        square += d * d;
    }
    return sqrtf(square) - (from[AT_RADIUS] + to[AT_RADIUS]);
}

static int class_of(const list_job *job, float gap)
{
    int class = 0;
    while (class + 1 < RP_DEM_CLASSES && gap >= job->gaps[class + 1])
        class ++;
    return class;
}

static void write_entry(const rp_dem_lists *lists, size_t at, size_t mine, size_t other)
{
    RP_ASSERT_DEBUG(at < lists->entry_capacity && mine <= UINT16_MAX && other <= UINT32_MAX);
    lists->mine[at] = (uint16_t)mine;
    lists->other[at] = (uint32_t)other;
}

/* Adds the pairs of spheres of two grains to the places or counts of a block's classes, and gives
 * how many they are. `base`: first sphere of the block. */
static size_t add_pairs(const list_job *job, size_t i, size_t j, size_t base, uint32_t *classes)
{
    const rp_dem *solver = job->solver;
    size_t count = 0;
    for (size_t a = rp_dem_first(solver, i); a < rp_dem_first(solver, i + 1); a++) {
        rp_dem_place from = rp_dem_place_of(solver, a);
        for (size_t b = rp_dem_first(solver, j); b < rp_dem_first(solver, j + 1); b++) {
            rp_dem_place to = rp_dem_place_of(solver, b);
            float gap = rp_dem_gap(solver, from.at, to.at) - rp_dem_bridge(solver, from.at, to.at);
            if (!(gap < (float)solver->slack)) continue;
            uint32_t *at = &classes[class_of(job, gap)];
            if (job->write) write_entry(&solver->lists, *at, a - base, b);
            ++*at;
            count++;
        }
    }
    return count;
}

/* Of the grains of its own block each looks at those behind it only. `query`: its number in the
 * list. */
static size_t add_listed(const list_job *job, const rp_lists *near, size_t query, size_t i,
                         uint32_t *classes)
{
    const rp_dem *solver = job->solver;
    const rp_grains *p = solver->host.grains;
    const uint32_t *index = near->index + near->start[query];
    size_t block = i / RP_DEM_BLOCK, base = rp_dem_first(solver, block * RP_DEM_BLOCK), count = 0;
    for (uint32_t n = 0; n < near->count[query]; n++) {
        size_t j = rp_neighbor_own(p, index[n]);
        if (j / RP_DEM_BLOCK == block && j <= i) continue;
        count += add_pairs(job, i, j, base, classes);
    }
    return count;
}

static double near_most(const rp_dem *solver, size_t i)
{
    double part = 0.5 + 0.5 * (double)solver->host.grains->diameter[i] / solver->smallest;
    return NEAR_MOST * part * part;
}

static void add_near(list_job *job, size_t i, uint32_t *classes)
{
    const rp_dem *solver = job->solver;
    size_t count = add_listed(job, &solver->near, i - job->begin, i, classes);
    if (solver->wide)
        count +=
            add_listed(job, rp_neighbor_cross_level_lists(solver->host.neighbor), i, i, classes);
    if ((double)count > near_most(solver, i)) atomic_store(&job->crowded, i + 1);
}

/* What is between blocks is never used, but saved with the rest: it must not tell what was there.
 */
static void clear_gap(const rp_dem_lists *lists, size_t at)
{
    memset(lists->other + at, 0, RP_WIDE * sizeof *lists->other);
    memset(lists->mine + at, 0, RP_WIDE * sizeof *lists->mine);
}

static void list_range(void *context, rp_range range)
{
    list_job *job = context;
    size_t first = job->begin + range.begin, block = first / RP_DEM_BLOCK;
    RP_ASSERT(first % RP_DEM_BLOCK == 0 && range.end - range.begin <= RP_DEM_BLOCK);
    RP_ASSERT(job->begin + range.end <= job->solver->host.grains->count);
    uint32_t *ends = rp_dem_ends(&job->solver->lists, block), classes[RP_DEM_CLASSES] = {0};
    if (job->write) memcpy(classes, ends, sizeof classes);
    for (size_t i = first; i < job->begin + range.end; i++)
        add_near(job, i, classes);
    if (job->write)
        clear_gap(&job->solver->lists, ends[RP_DEM_CLASSES]);
    else
        memcpy(ends, classes, sizeof classes);
}

/* Counts of classes become places; a group of eight is left empty behind each block. */
static size_t place_classes(const rp_dem_lists *lists, size_t first, size_t behind, size_t total)
{
    for (size_t b = first; b < behind; b++) {
        uint32_t *ends = rp_dem_ends(lists, b);
        for (int c = 0; c < RP_DEM_CLASSES; c++) {
            uint32_t here = ends[c];
            ends[c] = (uint32_t)total;
            total += here;
        }
        ends[RP_DEM_CLASSES] = (uint32_t)total;
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

/* The entries of some blocks, behind those of the blocks before. */
static rp_code list_piece(list_job *job, rp_report *report)
{
    rp_dem *solver = job->solver;
    const rp_host *host = &solver->host;
    rp_dem_lists *lists = &solver->lists;
    size_t count = job->end - job->begin, first = job->begin / RP_DEM_BLOCK;
    RP_TRY(rp_neighbor_lists_of(host->neighbor, host->grains, job->begin, job->end, &solver->near,
                                report));
    job->write = false;
    rp_parallel_for(host->threads, count, RP_DEM_BLOCK, list_range, job);
    if (job->crowded) return fail_crowded(solver, job->crowded - 1, report);
    size_t entries = place_classes(lists, first, rp_dem_blocks(job->end), lists->entries);
    if (entries >= UINT32_MAX || !rp_dem_room_for_entries(lists, lists->entries, entries))
        return rp_fail_memory(report, entries * 6, "contacts of spheres");
    lists->entries = entries;
    job->write = true;
    rp_parallel_for(host->threads, count, RP_DEM_BLOCK, list_range, job);
    return RP_OK;
}

static void side_range(void *context, rp_range range)
{
    const rp_dem *solver = context;
    const rp_dem_lists *lists = &solver->lists;
    size_t block = rp_dem_block(range), base = rp_dem_first(solver, range.begin);
    size_t spheres = rp_dem_first(solver, range.end) - base;
    const uint32_t *ends = rp_dem_ends(lists, block);
    for (size_t e = ends[0]; e < ends[RP_DEM_CLASSES]; e++) {
        size_t mine = rp_dem_owner(solver, base + lists->mine[e]),
               other = range.begin + RP_DEM_BLOCK;
        if (lists->other[e] - base < spheres) other = rp_dem_owner(solver, lists->other[e]);
        lists->sides[e] =
            (rp_dem_sides){(uint16_t)(mine - range.begin), (uint16_t)(other - range.begin)};
    }
}

rp_code rp_dem_name_sides(rp_dem *solver, size_t grains, rp_report *report)
{
    if (solver->single) return RP_OK;
    if (!rp_dem_room_for_sides(&solver->lists))
        return rp_fail_memory(report, solver->lists.entries * sizeof(rp_dem_sides),
                              "contacts of spheres");
    rp_parallel_for(solver->host.threads, grains, RP_DEM_BLOCK, side_range, solver);
    return RP_OK;
}

static void origin_range(void *context, rp_range range)
{
    const rp_dem *solver = context;
    for (size_t s = range.begin; s < range.end; s++) {
        rp_dem_place place = rp_dem_place_of(solver, s);
        for (int a = 0; a < 3; a++)
            solver->lists.origin[a][s] = place.at[AT_X + a] + place.at[AT_LOW_X + a];
    }
}

/* Grains whose lists are made at a time. */
static size_t piece_of(size_t grains, size_t threads)
{
    size_t each = rp_dem_blocks(grains) / (PIECES * threads);
    if (each > PIECE_MOST) each = PIECE_MOST;
    return (each ? each : 1) * threads * RP_DEM_BLOCK;
}

/* m, of two of the largest grains. */
static double largest_reach(const rp_dem *solver)
{
    return solver->reach.part * solver->largest + solver->slack;
}

static rp_code prepare_search(rp_dem *solver, rp_report *report)
{
    rp_neighbor *neighbor = solver->host.neighbor;
    const rp_grains *p = solver->host.grains;
    return solver->wide ? rp_neighbor_prepare_by_size(neighbor, p, &solver->reach, report)
                        : rp_neighbor_prepare(neighbor, p, largest_reach(solver), report);
}

static rp_code sort_grains(rp_dem *solver, rp_report *report)
{
    rp_neighbor *neighbor = solver->host.neighbor;
    rp_grains *p = solver->host.grains;
    return solver->wide ? rp_neighbor_sort_by_size(neighbor, p, &solver->reach, report)
                        : rp_neighbor_sort(neighbor, p, largest_reach(solver), report);
}

static rp_code make_ghosts(rp_dem *solver, rp_report *report)
{
    rp_neighbor *neighbor = solver->host.neighbor;
    rp_grains *p = solver->host.grains;
    return solver->wide ? rp_neighbor_ghosts_by_size(neighbor, p, &solver->reach, report)
                        : rp_neighbor_ghosts(neighbor, p, largest_reach(solver), report);
}

static rp_code list_spheres(rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_dem_lists *lists = &solver->lists;
    size_t count = host->grains->count;
    size_t most = piece_of(count, (size_t)rp_threads_count(host->threads));
    if (!rp_dem_room_for_spheres(lists, solver->spheres) ||
        !rp_dem_room_for_blocks(lists, rp_dem_blocks(count) + 1))
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
    RP_TRY(rp_dem_name_sides(solver, count, report));
    rp_parallel_for(host->threads, solver->spheres, RP_DEM_BLOCK, origin_range, solver);
    lists->grains = count;
    lists->spheres = solver->spheres;
    return RP_OK;
}

/* Numbers the spheres of the table. */
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
    if (!rp_dem_room_for_rows(solver, solver->spheres))
        return rp_fail_memory(report, solver->spheres * sizeof *solver->rows, "spheres");
    rp_dem_fill_rows(solver);
    return RP_OK;
}

/* Into the period, with all bits that a float lacks. */
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
            double at = (double)x[a][i] + (double)solver->low[a][i];
            if (!isfinite(at) || (at >= lows[a] && at < lows[a] + lengths[a])) continue;
            at -= lengths[a] * floor((at - lows[a]) / lengths[a]);
            x[a][i] = (float)at;
            solver->low[a][i] = (float)(at - (double)x[a][i]);
        }
}

static void number_range(void *context, rp_range range)
{
    rp_dem *solver = context;
    for (size_t i = range.begin; i < range.end; i++)
        solver->slot[i] = (uint32_t)i + 1;
}

rp_code rp_dem_make_lists(rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    rp_dem_kept kept;
    rp_code code = rp_dem_keep(solver, &kept, report);
    solver->seen = false;
    solver->lists.grains = 0; /* until there are new ones */
    rp_parallel_for(host->threads, p->count, RP_DEM_BLOCK, wrap_range, solver);
    if (code == RP_OK) code = sort_grains(solver, report);
    if (code == RP_OK) code = number_spheres(solver, report);
    if (code == RP_OK) code = make_ghosts(solver, report);
    if (code == RP_OK && !solver->single) code = make_rows(solver, report);
    if (code == RP_OK) code = list_spheres(solver, report);
    if (code == RP_OK) code = rp_dem_list_walls(solver, report);
    if (code == RP_OK) code = rp_dem_recall(solver, &kept, report);
    if (code == RP_OK && solver->single) code = make_rows(solver, report);
    RP_TRY(code);
    rp_parallel_for(host->threads, p->count, RP_DEM_BLOCK, number_range, solver);
    solver->next_id = p->next_id;
    solver->moved = solver->most_moved = solver->body_moved = 0;
    solver->rebuilds++;
    return RP_OK;
}
