/* Contact history across new lists (E6), (E8). Before grains are sorted, the entries that have
 * history are saved under the numbers that their spheres have then. Each grain carries its old
 * number along in the field `slot`, also through whatever adds and removes grains, so that the
 * entries of the new lists find their history. */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <string.h>

/* Grains with more saved entries than this have them sorted, and binary search finds them. */
#define LONG 24

/* --- saving --- */

static bool has_history(const rp_dem *solver, size_t entry)
{
    for (int a = 0; a < solver->history_columns; a++)
        if (solver->lists.history[a][entry] != 0) return true;
    return false;
}

typedef struct save_job {
    const rp_dem *solver;
    rp_dem_saved_history *saved;
    bool write; /* false: only count */
} save_job;

/* Saves an entry of the sphere `own` of a clump. */
static void save_entry(const save_job *job, size_t entry, size_t own, size_t at)
{
    const rp_dem_lists *lists = &job->solver->lists;
    size_t columns = (size_t)job->solver->history_columns;
    rp_dem_saved_history *saved = job->saved;
    saved->other[at] = lists->other[entry];
    if (saved->own) saved->own[at] = (uint8_t)own;
    for (size_t a = 0; a < columns; a++)
        saved->history[columns * at + a] = lists->history[a][entry];
}

/* Counts or saves the entries of a block. A block writes to its own grains only: `own` has the
 * lower number of a pair within the block, and a pair of two blocks is saved by the lower block. */
static void save_block(void *context, rp_range range)
{
    const save_job *job = context;
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    RP_ASSERT(range.begin < rp_dem_blocks(lists->grains));
    const uint32_t *starts = rp_dem_class_starts(lists, range.begin);
    size_t base = rp_dem_first_sphere(solver, range.begin * RP_DEM_BLOCK);
    for (size_t e = starts[0]; e < starts[RP_DEM_CLASSES]; e++) {
        size_t own = base + lists->own[e];
        if (lists->other[e] < own || !has_history(solver, e)) continue;
        size_t grain = rp_dem_owner(solver, own);
        if (job->write)
            save_entry(job, e, own - rp_dem_first_sphere(solver, grain), job->saved->end[grain]);
        job->saved->end[grain]++;
    }
}

/* --- sorting the entries of a grain by the spheres that they name: heap sort --- */

static bool is_before(const rp_dem_saved_history *saved, size_t a, size_t b)
{
    if (saved->other[a] != saved->other[b] || !saved->own) return saved->other[a] < saved->other[b];
    return saved->own[a] < saved->own[b];
}

static void swap_entries(const rp_dem_saved_history *saved, size_t a, size_t b)
{
    uint32_t other = saved->other[a];
    saved->other[a] = saved->other[b];
    saved->other[b] = other;
    for (size_t k = 0, each = saved->columns; k < each; k++) {
        float value = saved->history[each * a + k];
        saved->history[each * a + k] = saved->history[each * b + k];
        saved->history[each * b + k] = value;
    }
    if (!saved->own) return;
    uint8_t own = saved->own[a];
    saved->own[a] = saved->own[b];
    saved->own[b] = own;
}

/* Restores the heap at `first` below its element `top`. */
static void sink(const rp_dem_saved_history *saved, size_t first, size_t top, size_t count)
{
    for (size_t child = 2 * top + 1; child < count; child = 2 * top + 1) {
        if (child + 1 < count && is_before(saved, first + child, first + child + 1)) child++;
        if (!is_before(saved, first + top, first + child)) return;
        swap_entries(saved, first + top, first + child);
        top = child;
    }
}

/* Returns where the saved entries of a grain begin. */
static size_t entries_begin(const rp_dem_saved_history *saved, size_t grain)
{
    return grain ? saved->end[grain - 1] : 0;
}

/* Sorts the entries of grains that have many: build a heap, then move its top to the end. */
static void sort_entries(void *context, rp_range range)
{
    const rp_dem_saved_history *saved = context;
    for (size_t i = range.begin; i < range.end; i++) {
        size_t first = entries_begin(saved, i), count = saved->end[i] - first;
        if (count <= LONG) continue;
        for (size_t top = count / 2; top-- > 0;)
            sink(saved, first, top, count);
        for (size_t rest = count - 1; rest > 0; rest--) {
            swap_entries(saved, first, first + rest);
            sink(saved, first, 0, rest);
        }
    }
}

/* Counts the entries with history, then saves them. */
static rp_code save_entries(const rp_dem *solver, rp_dem_saved_history *saved, rp_arena *arena,
                            rp_report *report)
{
    size_t grains = solver->lists.grains, blocks = rp_dem_blocks(grains), total = 0;
    save_job job = {solver, saved, false};
    saved->end = rp_arena_take(arena, grains * sizeof *saved->end);
    if (!saved->end) return rp_fail_memory(report, grains * 4, "contact history");
    memset(saved->end, 0, grains * sizeof *saved->end);
    rp_parallel_for(solver->host.threads, blocks, 1, save_block, &job);
    /* Counts become starts, and these become ends while entries are written. */
    for (size_t i = 0; i < grains; i++) {
        uint32_t here = saved->end[i];
        saved->end[i] = (uint32_t)total;
        total += here;
    }
    saved->other = rp_arena_take(arena, (total + 1) * sizeof *saved->other);
    saved->own = solver->single ? NULL : rp_arena_take(arena, total + 1);
    saved->history = rp_arena_take(arena, ((size_t)solver->history_columns * total + 1) *
                                              sizeof *saved->history);
    if (!saved->other || !saved->history || (!solver->single && !saved->own))
        return rp_fail_memory(report, total * 33, "contact history");
    saved->columns = (size_t)solver->history_columns;
    job.write = true;
    rp_parallel_for(solver->host.threads, blocks, 1, save_block, &job);
    rp_parallel_for(solver->host.threads, grains, RP_DEM_BLOCK, sort_entries, saved);
    return RP_OK;
}

/* Saves the walls, which hold their history, and the numbers of spheres. */
static rp_code save_walls(const rp_dem *solver, rp_dem_saved_history *saved, rp_arena *arena,
                          rp_report *report)
{
    size_t walls = solver->lists.wall_count * sizeof *saved->walls;
    size_t firsts = solver->first ? (solver->lists.grains + 1) * sizeof *saved->first : 0;
    saved->walls = rp_arena_take(arena, walls + 1);
    saved->first = firsts ? rp_arena_take(arena, firsts) : NULL;
    if (!saved->walls || (firsts && !saved->first))
        return rp_fail_memory(report, walls + firsts, "contact history");
    saved->wall_count = solver->lists.wall_count;
    if (walls) memcpy(saved->walls, solver->lists.walls, walls);
    if (firsts) memcpy(saved->first, solver->first, firsts);
    return RP_OK;
}

rp_code rp_dem_history_save(rp_dem *solver, rp_dem_saved_history *saved, rp_report *report)
{
    *saved = (rp_dem_saved_history){0};
    rp_arena *arena = solver->single ? &solver->row_arena : solver->host.arena;
    if (solver->single) rp_arena_reset(arena);
    saved->grains = solver->has_history ? solver->lists.grains : 0;
    rp_code code = RP_OK;
    if (saved->grains) code = save_entries(solver, saved, arena, report);
    if (saved->grains && code == RP_OK) code = save_walls(solver, saved, arena, report);
    rp_arena_reset(&solver->history_arena);
    return code;
}

/* --- restoring --- */

typedef struct restore_job {
    rp_dem *solver;
    const rp_dem_saved_history *saved;
} restore_job;

#define NEW UINT32_MAX

/* The numbers that a sphere had in the old lists; NEW: its grain was not there. */
typedef struct old_sphere {
    uint32_t sphere, grain, own; /* own: of the spheres of its clump */
} old_sphere;

/* Returns the old numbers of a sphere of the new lists. */
static old_sphere old_numbers(const restore_job *job, size_t sphere)
{
    const rp_dem *solver = job->solver;
    size_t grain = rp_dem_owner(solver, sphere);
    uint32_t slot = solver->slot[grain];
    if (!slot) return (old_sphere){NEW, NEW, 0};
    uint32_t own = (uint32_t)(sphere - rp_dem_first_sphere(solver, grain));
    uint32_t first = job->saved->first ? job->saved->first[slot - 1] : slot - 1;
    return (old_sphere){first + own, slot - 1, own};
}

/* Returns where a pair is saved, or SIZE_MAX: by binary search in long lists, which are sorted. */
static size_t find_entry(const rp_dem_saved_history *saved, const old_sphere *low,
                         const old_sphere *high)
{
    size_t k = entries_begin(saved, low->grain), end = saved->end[low->grain], high_end = end;
    bool ordered = end - k > LONG;
    while (ordered && k < high_end) {
        size_t middle = (k + high_end) / 2;
        if (saved->other[middle] < high->sphere)
            k = middle + 1;
        else
            high_end = middle;
    }
    for (; k < end && !(ordered && saved->other[k] > high->sphere); k++)
        if (saved->other[k] == high->sphere && (!saved->own || saved->own[k] == low->own)) return k;
    return SIZE_MAX;
}

/* Gives a new entry of a sphere its history. */
static void restore_entry(const restore_job *job, size_t sphere, size_t entry)
{
    const rp_dem_saved_history *saved = job->saved;
    rp_dem_lists *lists = &job->solver->lists;
    old_sphere low = old_numbers(job, sphere), high = old_numbers(job, lists->other[entry]);
    size_t columns = (size_t)job->solver->history_columns;
    float sign = 1; /* history is saved as seen from the lower number */
    if (low.sphere == NEW || high.sphere == NEW) return;
    if (low.sphere > high.sphere) {
        old_sphere swap = low;
        low = high;
        high = swap;
        sign = -1;
    }
    size_t k = find_entry(saved, &low, &high);
    for (size_t a = 0; a < columns && k != SIZE_MAX; a++) /* twisting is the same from both */
        lists->history[a][entry] = (a == TWISTING ? 1 : sign) * saved->history[columns * k + a];
}

static void restore_block(void *context, rp_range range)
{
    const restore_job *job = context;
    const rp_dem_lists *lists = &job->solver->lists;
    RP_ASSERT(range.begin < rp_dem_blocks(lists->grains));
    const uint32_t *starts = rp_dem_class_starts(lists, range.begin);
    size_t base = rp_dem_first_sphere(job->solver, range.begin * RP_DEM_BLOCK);
    /* Zero, also for the unused entries behind the block, which are written to checkpoints. */
    size_t bytes = (starts[RP_DEM_CLASSES] + RP_WIDE - starts[0]) * sizeof *lists->history[0];
    for (int a = 0; a < job->solver->history_columns; a++)
        memset(lists->history[a] + starts[0], 0, bytes);
    for (size_t e = starts[0]; e < starts[RP_DEM_CLASSES] && job->saved->grains; e++)
        restore_entry(job, base + lists->own[e], e);
}

/* Returns the first saved wall of a sphere, by binary search. */
static size_t first_wall(const rp_dem_saved_history *saved, uint32_t sphere)
{
    size_t low = 0, high = saved->wall_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (saved->walls[middle].sphere < sphere)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void restore_walls(void *context, rp_range range)
{
    const restore_job *job = context;
    const rp_dem_saved_history *saved = job->saved;
    for (size_t w = range.begin; w < range.end; w++) {
        rp_dem_wall *wall = &job->solver->lists.walls[w];
        uint32_t before = old_numbers(job, wall->sphere).sphere;
        if (before == NEW) continue;
        for (size_t k = first_wall(saved, before);
             k < saved->wall_count && saved->walls[k].sphere == before; k++)
            if (saved->walls[k].surface == wall->surface &&
                saved->walls[k].fixed.i == wall->fixed.i &&
                saved->walls[k].fixed.j == wall->fixed.j)
                memcpy(wall->history, saved->walls[k].history, sizeof wall->history);
    }
}

rp_code rp_dem_history_restore(rp_dem *solver, const rp_dem_saved_history *saved, rp_report *report)
{
    if (!solver->has_history) return RP_OK;
    if (!rp_dem_reserve_history(solver))
        return rp_fail_memory(report, solver->lists.entries * 4 * (size_t)solver->history_columns,
                              "contact history");
    RP_ASSERT(solver->lists.entries <= solver->lists.entry_capacity);
    restore_job job = {solver, saved};
    size_t blocks = rp_dem_blocks(solver->lists.grains);
    rp_parallel_for(solver->host.threads, blocks, 1, restore_block, &job);
    rp_parallel_for(solver->host.threads, solver->lists.wall_count, 4096, restore_walls, &job);
    return RP_OK;
}
