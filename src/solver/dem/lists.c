/* Who may touch whom: made anew only when some sphere has gone half the slack since the last time.
 * Grains are put in cell order, grains near each other are found by their middles, and pairs of
 * their spheres with a gap below the skin become entries, the nearest first. */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <stdatomic.h>

/* Spheres that may be near one. */
#define NEAR_MOST 4096

bool rp_dem_lists_are_stale(const rp_solver *solver)
{
    const rp_particles *p = solver->frame.particles;
    return solver->lists.grains != p->count || solver->next_id != p->next_id ||
           2 * solver->moved > solver->slack || 2 * solver->body_moved > solver->slack;
}

typedef struct candidate {
    float gap; /* m */
    uint32_t other;
    uint32_t mine; /* ball */
} candidate;

typedef struct list_job {
    rp_solver *solver;
    size_t *entries;       /* of each block; then where it begins */
    bool write;            /* else only count */
    atomic_size_t crowded; /* a grain with too many neighbours, + 1 */
} list_job;

static float gap_between(const rp_solver *solver, size_t a, size_t b)
{
    const float *from = (const float *)&solver->place[a], *to = (const float *)&solver->place[b];
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

static bool comes_before(const candidate *a, const candidate *b)
{
    if (a->gap != b->gap) return a->gap < b->gap;
    return a->mine != b->mine ? a->mine < b->mine : a->other < b->other;
}

/* Keeps them in order as they come: by gap, then by number. */
static void insert(candidate *list, size_t count, candidate c)
{
    size_t at = count;
    for (; at > 0 && !comes_before(&list[at - 1], &c); at--)
        list[at] = list[at - 1];
    list[at] = c;
}

/* Spheres of grain j near those of grain i, added to the list; gives their number with the others,
 * which may be above what the list holds. */
static size_t add_near(const rp_solver *solver, size_t i, size_t j, candidate *list, size_t count)
{
    size_t first = rp_dem_first(solver, i);
    for (size_t a = first; a < rp_dem_first(solver, i + 1); a++)
        for (size_t b = rp_dem_first(solver, j); b < rp_dem_first(solver, j + 1); b++) {
            candidate c = {gap_between(solver, a, b), (uint32_t)b, (uint32_t)(a - first)};
            if (!(c.gap < (float)solver->skin)) continue;
            if (count < NEAR_MOST) insert(list, count, c);
            count++;
        }
    return count;
}

static size_t find_near(const rp_solver *solver, size_t i, candidate *list)
{
    const rp_particles *p = solver->frame.particles;
    const uint32_t *index = solver->near.index + solver->near.start[i];
    size_t count = 0;
    for (uint32_t n = 0; n < solver->near.count[i]; n++) {
        size_t j = index[n] < p->count ? index[n] : p->ghost_source[index[n] - p->count];
        count = add_near(solver, i, j, list, count);
    }
    return count;
}

static void write_entries(const rp_solver *solver, size_t i, size_t at, const candidate *list,
                          size_t count)
{
    const rp_dem_lists *lists = &solver->lists;
    lists->start[i] = (uint32_t)at;
    lists->count[i] = (uint16_t)count;
    lists->live[i] = rp_dem_groups(count);
    lists->beyond[i] = count > RP_WIDE ? list[RP_WIDE].gap : INFINITY;
    for (size_t n = 0; n < count; n++) {
        lists->other[at + n] = list[n].other;
        if (lists->mine) lists->mine[at + n] = (uint8_t)list[n].mine;
        for (int a = 0; a < 3 && solver->history; a++)
            lists->spring[a][at + n] = 0;
    }
    for (size_t s = rp_dem_first(solver, i); s < rp_dem_first(solver, i + 1); s++)
        for (int a = 0; a < 3; a++) {
            const float *row = (const float *)&solver->place[s];
            lists->origin[a][s] = row[AT_X + a] + row[AT_LOW_X + a];
        }
}

/* What is between blocks is never used, but saved with the rest: it must not tell what was there.
 */
static void clear_gap(const rp_solver *solver, size_t at)
{
    const rp_dem_lists *lists = &solver->lists;
    memset(lists->other + at, 0, RP_WIDE * sizeof *lists->other);
    if (lists->mine) memset(lists->mine + at, 0, RP_WIDE * sizeof *lists->mine);
    for (int a = 0; a < 3 && solver->history; a++)
        memset(lists->spring[a] + at, 0, RP_WIDE * sizeof *lists->spring[a]);
}

static void list_range(void *context, size_t begin, size_t end)
{
    list_job *job = context;
    candidate list[NEAR_MOST];
    size_t *mine = &job->entries[begin / RP_DEM_BLOCK], at = job->write ? *mine : 0;
    for (size_t i = begin; i < end; i++) {
        size_t count = find_near(job->solver, i, list);
        if (count > NEAR_MOST) {
            atomic_store(&job->crowded, i + 1);
            count = NEAR_MOST;
        }
        if (job->write) write_entries(job->solver, i, at, list, count);
        at += count;
    }
    if (job->write)
        clear_gap(job->solver, at);
    else
        *mine = at;
}

/* Counts of blocks become places; a group of eight is left empty behind each. */
static size_t place_blocks(size_t *entries, size_t blocks)
{
    size_t total = 0;
    for (size_t b = 0; b < blocks; b++) {
        size_t here = entries[b];
        entries[b] = total;
        total += here + RP_WIDE;
    }
    return total;
}

static rp_code fail_crowded(const rp_solver *solver, size_t grain, rp_report *report)
{
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "grain %u has more than %d spheres beside it: grains lie on one another, or "
                   "their sizes differ too much",
                   solver->frame.particles->id[grain], NEAR_MOST);
}

static rp_code list_spheres(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_dem_lists *lists = &solver->lists;
    size_t count = frame->particles->count, blocks = (count + RP_DEM_BLOCK - 1) / RP_DEM_BLOCK;
    list_job job = {.solver = solver,
                    .entries = rp_arena_take(frame->arena, (blocks + 1) * sizeof(size_t))};
    if (!job.entries || !rp_dem_room_for_grains(lists, count) ||
        !rp_dem_room_for_spheres(lists, solver->spheres) ||
        !rp_dem_room_for_blocks(lists, blocks + 1))
        return rp_fail_memory(report, solver->spheres * 26, "lists of spheres");
    rp_parallel_for(frame->threads, count, RP_DEM_BLOCK, list_range, &job);
    if (job.crowded) return fail_crowded(solver, job.crowded - 1, report);
    size_t entries = place_blocks(job.entries, blocks);
    if (entries >= UINT32_MAX || !rp_dem_room_for_entries(solver, entries))
        return rp_fail_memory(report, entries * 16, "contacts of spheres");
    lists->entries = entries;
    job.write = true;
    rp_parallel_for(frame->threads, count, RP_DEM_BLOCK, list_range, &job);
    lists->grains = count;
    lists->spheres = solver->spheres;
    return RP_OK;
}

rp_code rp_dem_number_spheres(rp_solver *solver, rp_report *report)
{
    const rp_particles *p = solver->frame.particles;
    solver->spheres = p->count;
    if (!solver->single) {
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
    }
    if (!rp_dem_room_for_rows(solver, solver->spheres))
        return rp_fail_memory(report, solver->spheres * 2 * sizeof(rp_wide), "spheres");
    return RP_OK;
}

/* Into the period, with all bits that a float lacks. */
static void wrap_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_domain_spec *domain = &solver->frame.scene->domain;
    const double lows[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double lengths[3] = {solver->period.x, solver->period.y, solver->period.z};
    float *const x[3] = {p->x, p->y, p->z};
    for (int a = 0; a < 3; a++)
        for (size_t i = begin; i < end && lengths[a] > 0; i++) {
            double at = (double)x[a][i] + (double)solver->low[a][i];
            if (!isfinite(at) || (at >= lows[a] && at < lows[a] + lengths[a])) continue;
            at -= lengths[a] * floor((at - lows[a]) / lengths[a]);
            x[a][i] = (float)at;
            solver->low[a][i] = (float)(at - (double)x[a][i]);
        }
}

static void number_range(void *context, size_t begin, size_t end)
{
    rp_solver *solver = context;
    for (size_t i = begin; i < end; i++)
        solver->slot[i] = (uint32_t)i + 1;
}

rp_code rp_dem_make_lists(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_particles *p = frame->particles;
    rp_dem_kept kept = {0};
    rp_code code = rp_dem_keep(solver, &kept, report);
    rp_parallel_for(frame->threads, p->count, RP_DEM_BLOCK, wrap_range, solver);
    if (code == RP_OK) code = rp_neighbor_sort(frame->neighbor, p, solver->reach, report);
    if (code == RP_OK) code = rp_dem_number_spheres(solver, report);
    if (code == RP_OK) code = rp_neighbor_ghosts(frame->neighbor, p, solver->reach, report);
    if (code == RP_OK)
        code = rp_neighbor_lists(frame->neighbor, p, solver->reach, &solver->near, report);
    if (code != RP_OK) return code;
    rp_dem_fill_rows(solver);
    code = list_spheres(solver, report);
    if (code == RP_OK) code = rp_dem_list_walls(solver, report);
    if (code != RP_OK) return code;
    rp_dem_recall(solver, &kept);
    rp_parallel_for(frame->threads, p->count, RP_DEM_BLOCK, number_range, solver);
    solver->next_id = p->next_id;
    solver->moved = solver->body_moved = 0;
    solver->rebuilds++;
    return RP_OK;
}
