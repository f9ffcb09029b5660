/* Contact memory across new lists. What touches is written aside with the numbers that spheres have
 * before grains are put in order; each grain carries its old number along in the field `slot`, also
 * through whatever adds and removes grains, so that new entries find what they remember. */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <string.h>

/* Grains that touch more others than this are searched by halves. */
#define LONG 24

static bool is_stretched(const rp_dem *solver, size_t entry)
{
    for (int a = 0; a < solver->springs; a++)
        if (solver->lists.spring[a][entry] != 0) return true;
    return false;
}

typedef struct keep_job {
    const rp_dem *solver;
    rp_dem_kept *kept;
    bool write;
} keep_job;

static void keep_entry(const keep_job *job, size_t entry, size_t ball, size_t at)
{
    const rp_dem_lists *lists = &job->solver->lists;
    size_t springs = (size_t)job->solver->springs;
    rp_dem_kept *kept = job->kept;
    kept->other[at] = lists->other[entry];
    if (kept->mine) kept->mine[at] = (uint8_t)ball;
    for (size_t a = 0; a < springs; a++)
        kept->spring[springs * at + a] = lists->spring[a][entry];
}

/* Blocks write to their own grains only: the lower number of a pair within one is the first, and a
 * pair of two blocks is kept by the lower one. */
static void keep_block(void *context, rp_range range)
{
    const keep_job *job = context;
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    RP_ASSERT(range.begin < rp_dem_blocks(lists->grains));
    const uint32_t *ends = rp_dem_ends(lists, range.begin);
    size_t base = rp_dem_first(solver, range.begin * RP_DEM_BLOCK);
    for (size_t e = ends[0]; e < ends[RP_DEM_CLASSES]; e++) {
        size_t mine = base + lists->mine[e];
        if (lists->other[e] < mine || !is_stretched(solver, e)) continue;
        size_t grain = rp_dem_owner(solver, mine);
        if (job->write)
            keep_entry(job, e, mine - rp_dem_first(solver, grain), job->kept->end[grain]);
        job->kept->end[grain]++;
    }
}

/* --- long lists in the order of what they name, by a heap sort ----------------------------------
 */

static bool is_before(const rp_dem_kept *kept, size_t a, size_t b)
{
    if (kept->other[a] != kept->other[b] || !kept->mine) return kept->other[a] < kept->other[b];
    return kept->mine[a] < kept->mine[b];
}

static void swap_kept(const rp_dem_kept *kept, size_t a, size_t b)
{
    uint32_t other = kept->other[a];
    kept->other[a] = kept->other[b];
    kept->other[b] = other;
    for (size_t k = 0, each = kept->springs; k < each; k++) {
        float spring = kept->spring[each * a + k];
        kept->spring[each * a + k] = kept->spring[each * b + k];
        kept->spring[each * b + k] = spring;
    }
    if (!kept->mine) return;
    uint8_t mine = kept->mine[a];
    kept->mine[a] = kept->mine[b];
    kept->mine[b] = mine;
}

/* Lets the place `top` of a heap at `first` sink to where it belongs. */
static void sink(const rp_dem_kept *kept, size_t first, size_t top, size_t count)
{
    for (size_t child = 2 * top + 1; child < count; child = 2 * top + 1) {
        if (child + 1 < count && is_before(kept, first + child, first + child + 1)) child++;
        if (!is_before(kept, first + top, first + child)) return;
        swap_kept(kept, first + top, first + child);
        top = child;
    }
}

static size_t kept_begin(const rp_dem_kept *kept, size_t grain)
{
    return grain ? kept->end[grain - 1] : 0;
}

static void order_kept(void *context, rp_range range)
{
    const rp_dem_kept *kept = context;
    for (size_t i = range.begin; i < range.end; i++) {
        size_t first = kept_begin(kept, i), count = kept->end[i] - first;
        if (count <= LONG) continue;
        for (size_t top = count / 2; top-- > 0;)
            sink(kept, first, top, count);
        for (size_t left = count - 1; left > 0; left--) {
            swap_kept(kept, first, first + left);
            sink(kept, first, 0, left);
        }
    }
}

static rp_code keep_springs(const rp_dem *solver, rp_dem_kept *kept, rp_arena *arena,
                            rp_report *report)
{
    size_t grains = solver->lists.grains, blocks = rp_dem_blocks(grains), total = 0;
    keep_job job = {solver, kept, false};
    kept->end = rp_arena_take(arena, grains * sizeof *kept->end);
    if (!kept->end) return rp_fail_memory(report, grains * 4, "contact memory");
    memset(kept->end, 0, grains * sizeof *kept->end);
    rp_parallel_for(solver->host.threads, blocks, 1, keep_block, &job);
    for (size_t i = 0; i < grains; i++) { /* counts become places */
        uint32_t here = kept->end[i];
        kept->end[i] = (uint32_t)total;
        total += here;
    }
    kept->other = rp_arena_take(arena, (total + 1) * sizeof *kept->other);
    kept->mine = solver->single ? NULL : rp_arena_take(arena, total + 1);
    kept->spring =
        rp_arena_take(arena, ((size_t)solver->springs * total + 1) * sizeof *kept->spring);
    if (!kept->other || !kept->spring || (!solver->single && !kept->mine))
        return rp_fail_memory(report, total * 33, "contact memory");
    kept->springs = (size_t)solver->springs;
    job.write = true;
    rp_parallel_for(solver->host.threads, blocks, 1, keep_block, &job);
    rp_parallel_for(solver->host.threads, grains, RP_DEM_BLOCK, order_kept, kept);
    return RP_OK;
}

static rp_code keep_numbers(const rp_dem *solver, rp_dem_kept *kept, rp_arena *arena,
                            rp_report *report)
{
    size_t walls = solver->lists.wall_count * sizeof *kept->walls;
    size_t firsts = solver->first ? (solver->lists.grains + 1) * sizeof *kept->first : 0;
    kept->walls = rp_arena_take(arena, walls + 1);
    kept->first = firsts ? rp_arena_take(arena, firsts) : NULL;
    if (!kept->walls || (firsts && !kept->first))
        return rp_fail_memory(report, walls + firsts, "contact memory");
    kept->wall_count = solver->lists.wall_count;
    if (walls) memcpy(kept->walls, solver->lists.walls, walls);
    if (firsts) memcpy(kept->first, solver->first, firsts);
    return RP_OK;
}

rp_code rp_dem_keep(rp_dem *solver, rp_dem_kept *kept, rp_report *report)
{
    *kept = (rp_dem_kept){0};
    rp_arena *arena = solver->single ? &solver->row_room : solver->host.arena;
    if (solver->single) rp_arena_reset(arena);
    kept->grains = solver->history ? solver->lists.grains : 0;
    rp_code code = RP_OK;
    if (kept->grains) code = keep_springs(solver, kept, arena, report);
    if (kept->grains && code == RP_OK) code = keep_numbers(solver, kept, arena, report);
    rp_arena_reset(&solver->spring_room);
    return code;
}

typedef struct recall_job {
    rp_dem *solver;
    const rp_dem_kept *kept;
} recall_job;

#define NOWHERE UINT32_MAX

/* Numbers of then. */
typedef struct known {
    uint32_t sphere, grain, ball;
} known;

/* What a sphere of the new lists was in the old ones. */
static known as_known(const recall_job *job, size_t sphere)
{
    const rp_dem *solver = job->solver;
    size_t grain = rp_dem_owner(solver, sphere);
    uint32_t slot = solver->slot[grain];
    if (!slot) return (known){NOWHERE, NOWHERE, 0};
    uint32_t ball = (uint32_t)(sphere - rp_dem_first(solver, grain));
    uint32_t first = job->kept->first ? job->kept->first[slot - 1] : slot - 1;
    return (known){first + ball, slot - 1, ball};
}

/* Where a pair is kept, or SIZE_MAX; long lists are in order and looked through by halves. */
static size_t find_kept(const rp_dem_kept *kept, const known *low, const known *high)
{
    size_t k = kept_begin(kept, low->grain), end = kept->end[low->grain], behind = end;
    bool ordered = end - k > LONG;
    while (ordered && k < behind) {
        size_t middle = (k + behind) / 2;
        if (kept->other[middle] < high->sphere)
            k = middle + 1;
        else
            behind = middle;
    }
    for (; k < end && !(ordered && kept->other[k] > high->sphere); k++)
        if (kept->other[k] == high->sphere && (!kept->mine || kept->mine[k] == low->ball)) return k;
    return SIZE_MAX;
}

static void recall_entry(const recall_job *job, size_t sphere, size_t entry)
{
    const rp_dem_kept *kept = job->kept;
    rp_dem_lists *lists = &job->solver->lists;
    known low = as_known(job, sphere), high = as_known(job, lists->other[entry]);
    size_t springs = (size_t)job->solver->springs;
    float sign = 1; /* it is kept as the lower one sees it */
    if (low.sphere == NOWHERE || high.sphere == NOWHERE) return;
    if (low.sphere > high.sphere) {
        known swap = low;
        low = high;
        high = swap;
        sign = -1;
    }
    size_t k = find_kept(kept, &low, &high);
    for (size_t a = 0; a < springs && k != SIZE_MAX; a++) /* both see the same twist */
        lists->spring[a][entry] = (a == TWIST ? 1 : sign) * kept->spring[springs * k + a];
}

static void recall_block(void *context, rp_range range)
{
    const recall_job *job = context;
    const rp_dem_lists *lists = &job->solver->lists;
    RP_ASSERT(range.begin < rp_dem_blocks(lists->grains));
    const uint32_t *ends = rp_dem_ends(lists, range.begin);
    size_t base = rp_dem_first(job->solver, range.begin * RP_DEM_BLOCK);
    for (int a = 0; a < job->solver->springs;
         a++) /* with the gap behind it, which is saved as well */
        memset(lists->spring[a] + ends[0], 0,
               (ends[RP_DEM_CLASSES] + RP_WIDE - ends[0]) * sizeof *lists->spring[a]);
    for (size_t e = ends[0]; e < ends[RP_DEM_CLASSES] && job->kept->grains; e++)
        recall_entry(job, base + lists->mine[e], e);
}

/* The first kept wall of a sphere, by halves. */
static size_t first_wall(const rp_dem_kept *kept, uint32_t sphere)
{
    size_t low = 0, high = kept->wall_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (kept->walls[middle].sphere < sphere)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void recall_walls(void *context, rp_range range)
{
    const recall_job *job = context;
    const rp_dem_kept *kept = job->kept;
    for (size_t w = range.begin; w < range.end; w++) {
        rp_dem_wall *wall = &job->solver->lists.walls[w];
        uint32_t before = as_known(job, wall->sphere).sphere;
        if (before == NOWHERE) continue;
        for (size_t k = first_wall(kept, before);
             k < kept->wall_count && kept->walls[k].sphere == before; k++)
            if (kept->walls[k].surface == wall->surface &&
                kept->walls[k].fixed.i == wall->fixed.i && kept->walls[k].fixed.j == wall->fixed.j)
                memcpy(wall->spring, kept->walls[k].spring, sizeof wall->spring);
    }
}

rp_code rp_dem_recall(rp_dem *solver, const rp_dem_kept *kept, rp_report *report)
{
    if (!solver->history) return RP_OK;
    if (!rp_dem_room_for_springs(solver))
        return rp_fail_memory(report, solver->lists.entries * 4 * (size_t)solver->springs,
                              "contact memory");
    recall_job job = {solver, kept};
    size_t blocks = rp_dem_blocks(solver->lists.grains);
    rp_parallel_for(solver->host.threads, blocks, 1, recall_block, &job);
    rp_parallel_for(solver->host.threads, solver->lists.wall_count, 4096, recall_walls, &job);
    return RP_OK;
}
