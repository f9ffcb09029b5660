/* Size levels: a grid of cells for each doubling of the grain size (V. Ogarko, S.
 * Luding, "A fast multilevel algorithm for contact detection of arbitrarily polydisperse objects",
 * Comput. Phys. Commun. 183, 2012). The cell of level k is that of level 0 without the last k bits
 * of each coordinate, and its Morton code is that of level 0 without the last 3 k bits. So one sort
 * along the Morton curve orders the grains of every level:
 *
 *     level 0   | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |    small grains
 *     level 1   |   0   |   1   |   2   |   3   |    up to twice their reach
 *     level 2   |       0       |       1       |    ...
 *
 * A grain searches its own level and those above, never below, where its reach covers very many
 * cells. A pair across levels is found by the smaller grain and entered into the lists of both:
 * work and memory are proportional to the number of neighbors, not to the ratio of sizes. */
#include "base/report.h"
#include "neighbor/inside.h"

/* Sizes that differ by less than this are one level. */
#define WIDE_RATIO 2
/* Diameters of a table are floats; rounding must not move one to the next level. */
#define ROUNDING 1e-6

bool rp_reach_is_wide(const rp_reach *reach)
{
    return rp_reach_of(reach, reach->largest) > WIDE_RATIO * rp_reach_of(reach, reach->smallest);
}

double rp_reach_of(const rp_reach *reach, double diameter)
{
    return reach->part * diameter + reach->skin;
}

rp_size_levels rp_size_levels_of(const rp_reach *reach)
{
    double least = rp_reach_of(reach, reach->smallest * (1 + ROUNDING));
    double most = rp_reach_of(reach, reach->largest * (1 + ROUNDING)), size = least;
    rp_size_levels sizes = {.edge = rp_neighbor_grid_edge(least)};
    /* Each level reaches twice as far as the one below; the last ends at the largest grain. */
    for (;; size *= 2) {
        bool last = size >= most || sizes.count + 1 == RP_LEVELS_MAX;
        double largest = ((last ? most : size) - reach->skin) / reach->part;
        sizes.top[sizes.count++] = (float)largest;
        if (last) return sizes;
    }
}

/* --- candidates by levels --------------------------------------------------------------------- */

/* The candidates of each level in a block: first their number, then the offset of the next. */
typedef struct tally {
    uint32_t places[RP_LEVELS_MAX];
    float largest[RP_LEVELS_MAX]; /* m, diameter */
} tally;

typedef struct level_job {
    rp_neighbor *neighbor;
    const rp_grains *grains;
    tally *tallies; /* of each block of candidates */
    float *x, *y, *z;
    uint64_t *keys; /* of each level's cells */
    uint32_t *index;
} level_job;

static void tally_range(void *context, rp_range range)
{
    const level_job *job = context;
    const rp_sorter *sorter = &job->neighbor->sorter;
    tally t = {0};
    for (size_t i = range.begin; i < range.end; i++) {
        float diameter = job->grains->diameter[rp_neighbor_own(job->grains, sorter->order[i])];
        unsigned level = rp_size_levels_find(&job->neighbor->sizes, diameter);
        t.places[level]++;
        if (diameter > t.largest[level]) t.largest[level] = diameter;
    }
    job->tallies[range.begin / RP_NEIGHBOR_BLOCK] = t;
}

/* Prefix sums over the blocks, level by level: candidates of a level become contiguous and keep
 * their order. */
static void place_levels(const level_job *job, size_t blocks)
{
    rp_neighbor *neighbor = job->neighbor;
    uint32_t place = 0;
    for (unsigned k = 0; k < neighbor->sizes.count; k++) {
        rp_cell_level *level = &neighbor->levels[k];
        uint32_t first = place;
        level->largest = 0;
        for (size_t b = 0; b < blocks; b++) {
            tally *t = &job->tallies[b];
            uint32_t here = t->places[k];
            t->places[k] = place;
            place += here;
            if (t->largest[k] > level->largest) level->largest = t->largest[k];
        }
        level->count = place - first;
        level->candidates =
            (rp_candidates){job->x + first, job->y + first, job->z + first, job->index + first};
    }
}

/* Scatters candidates to their level; their keys become those of the level's cells. */
static void move_range(void *context, rp_range range)
{
    const level_job *job = context;
    const rp_grains *p = job->grains;
    const rp_sorter *sorter = &job->neighbor->sorter;
    uint32_t *places = job->tallies[range.begin / RP_NEIGHBOR_BLOCK].places;
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t from = sorter->order[i];
        unsigned level =
            rp_size_levels_find(&job->neighbor->sizes, p->diameter[rp_neighbor_own(p, from)]);
        uint32_t to = places[level]++;
        job->x[to] = p->x[from];
        job->y[to] = p->y[from];
        job->z[to] = p->z[from];
        job->index[to] = from;
        job->keys[to] = sorter->keys[i] >> 3 * level;
    }
}

/* Returns how many of the smallest grains of a level lie side by side in one of its cells. */
static double occupancy_of(const rp_neighbor *neighbor, const rp_reach *reach, unsigned level)
{
    const rp_size_levels *sizes = &neighbor->sizes;
    double least = level ? (double)sizes->top[level - 1] : reach->smallest;
    double part = ldexp(sizes->edge, (int)level) / least;
    return isfinite(neighbor->occupancy) ? part * part * part : INFINITY;
}

static rp_code build_level(rp_neighbor *neighbor, const rp_reach *reach, unsigned number,
                           const uint64_t *keys, rp_report *report)
{
    rp_cell_level *level = &neighbor->levels[number];
    float radius = (float)rp_reach_of(reach, (double)level->largest);
    level->limit = radius * radius;
    RP_TRY(rp_cells_build(&level->cells, neighbor->threads, keys, level->count, report));
    return rp_cells_check_occupancy(neighbor, level, ldexp(neighbor->sizes.edge, (int)number),
                                    occupancy_of(neighbor, reach, number), report);
}

static rp_code put_in_levels(rp_neighbor *neighbor, const rp_grains *grains,
                             const rp_points *points, const rp_reach *reach, rp_report *report)
{
    rp_sorter *sorter = &neighbor->sorter;
    size_t blocks = (points->count + RP_NEIGHBOR_BLOCK - 1) / RP_NEIGHBOR_BLOCK;
    size_t each = points->count + RP_NEIGHBOR_PADDING, place = 0;
    /* The buffers that the last pass of the sort has read take keys and indices. */
    level_job job = {.neighbor = neighbor,
                     .grains = grains,
                     .keys = sorter->other_keys,
                     .index = sorter->other_order};
    job.tallies = rp_arena_take(sorter->arena, (blocks + 1) * sizeof *job.tallies);
    job.x = rp_arena_take(sorter->arena, 3 * each * sizeof *job.x);
    if (!job.tallies || !job.x) return rp_fail_memory(report, 3 * each * sizeof *job.x, "cells");
    job.y = job.x + each;
    job.z = job.y + each;
    rp_parallel_for(neighbor->threads, points->count, RP_NEIGHBOR_BLOCK, tally_range, &job);
    place_levels(&job, blocks);
    rp_parallel_for(neighbor->threads, points->count, RP_NEIGHBOR_BLOCK, move_range, &job);
    rp_code code = RP_OK;
    for (unsigned k = 0; k < neighbor->sizes.count && code == RP_OK; k++) {
        code = build_level(neighbor, reach, k, job.keys + place, report);
        place += neighbor->levels[k].count;
    }
    return code;
}

/* --- neighbors of other levels ---------------------------------------------------------------- */

/* Neighbors of two levels. */
typedef struct pair {
    uint32_t small, large;
} pair;

typedef struct pair_job {
    rp_neighbor *neighbor;
    const rp_grains *grains;
    rp_reach reach;
    size_t *first; /* pair of each block of queries, and behind the last */
    pair *pairs;   /* NULL: only count */
} pair_job;

/* Consecutive queries in one cell of a level; those of levels below search it. */
typedef struct run {
    const pair_job *job;
    rp_search_scratch *scratch;
    const rp_cell_level *level;
    unsigned number; /* of that level */
    size_t begin, end;
} run;

static inline bool is_below(const run *r, size_t query)
{
    const rp_size_levels *sizes = &r->job->neighbor->sizes;
    return rp_size_levels_find(sizes, r->job->grains->diameter[query]) < r->number;
}

/* Returns the square of the distance (m2) within which grains of two diameters are neighbors. */
static inline float limit_of(const rp_reach *reach, float small, float large)
{
    float radius = (float)(reach->part * 0.5 * ((double)small + (double)large) + reach->skin);
    return radius * radius;
}

/* Bounds the queries of levels below; false when there are none. */
static bool box_around(const run *r, rp_query_box *box)
{
    const rp_grains *p = r->job->grains;
    const float *axes[3] = {p->x, p->y, p->z};
    float largest = 0;
    for (int a = 0; a < 3; a++) {
        box->low[a] = INFINITY;
        box->high[a] = -INFINITY;
    }
    for (size_t q = r->begin; q < r->end; q++) {
        if (!is_below(r, q)) continue;
        if (p->diameter[q] > largest) largest = p->diameter[q];
        for (int a = 0; a < 3; a++) {
            float v = axes[a][q];
            box->low[a] = v < box->low[a] ? v : box->low[a];
            box->high[a] = v > box->high[a] ? v : box->high[a];
        }
    }
    box->limit = limit_of(&r->job->reach, largest, r->level->largest);
    return largest > 0;
}

/* Finds the pairs of one query among the gathered candidates: first eight at a time with the
 * largest diameter of the level, then exactly with the diameters of both. `to` may be NULL: count
 * only. */
static size_t pair_query(const run *r, size_t gathered, size_t q, pair *to)
{
    const pair_job *job = r->job;
    const rp_grains *p = job->grains;
    const rp_search_scratch *s = r->scratch;
    const rp_candidates candidates = {s->x, s->y, s->z, s->index};
    rp_search_query query = {p->x[q], p->y[q], p->z[q],
                             limit_of(&job->reach, p->diameter[q], r->level->largest), RP_NONE};
    size_t found = rp_search_near(&candidates, gathered, &query, s->lanes, r->scratch->list);
    size_t count = 0;
    for (size_t n = 0; n < found; n++) {
        uint32_t other = s->list[n];
        uint32_t own = rp_neighbor_own(p, other);
        float dx = query.x - p->x[other], dy = query.y - p->y[other], dz = query.z - p->z[other];
        float limit = limit_of(&job->reach, p->diameter[q], p->diameter[own]);
        if (!(dx * dx + dy * dy + dz * dz <= limit)) continue;
        if (to) to[count] = (pair){(uint32_t)q, (uint32_t)own};
        count++;
    }
    return count;
}

/* Candidates are gathered in pieces of a fixed size, so that the order of pairs never depends on
 * the capacity of the scratch. */
static size_t pair_run(const run *r, uint64_t key, pair *to)
{
    const rp_neighbor *neighbor = r->job->neighbor;
    rp_query_box box;
    rp_ranges all;
    size_t count = 0;
    if (!box_around(r, &box)) return 0;
    rp_search_ranges(&r->level->cells, neighbor->grid.bits - r->number, key, &all);
    for (int n = 0; n < all.count; n++)
        for (uint32_t at = all.begin[n]; at < all.end[n]; at += RP_GATHER_FIRST) {
            uint32_t left = all.end[n] - at, here = left < RP_GATHER_FIRST ? left : RP_GATHER_FIRST;
            rp_ranges piece = {{at}, {at + here}, 1, here};
            size_t gathered = rp_search_gather(&r->level->candidates, &piece, &box, r->scratch);
            for (size_t q = r->begin; q < r->end && gathered; q++)
                if (is_below(r, q)) count += pair_query(r, gathered, q, to ? to + count : NULL);
        }
    return count;
}

static void pair_range(void *context, rp_range range)
{
    const pair_job *job = context;
    rp_neighbor *neighbor = job->neighbor;
    const rp_grains *p = job->grains;
    const rp_points queries = {p->x, p->y, p->z, p->count};
    rp_search_scratch *scratch = rp_scratch_of(&neighbor->scratch, range.worker);
    RP_ASSERT(range.begin % RP_QUERY_BLOCK == 0 && range.end - range.begin <= RP_QUERY_BLOCK);
    RP_ASSERT(neighbor->sizes.count <= RP_LEVELS_MAX && scratch->capacity >= RP_GATHER_FIRST);
    size_t block = range.begin / RP_QUERY_BLOCK, count = 0;
    pair *to = job->pairs ? job->pairs + job->first[block] : NULL;
    rp_neighbor_grid_keys(&neighbor->grid, &queries, range.begin, range.end, scratch->keys);
    /* Level by level above the lowest; within a level, runs of queries in the same cell of it. */
    for (unsigned k = 1; k < neighbor->sizes.count; k++) {
        run r = {job, scratch, &neighbor->levels[k], k, range.begin, range.begin};
        for (; r.begin < range.end && r.level->count; r.begin = r.end) {
            uint64_t key = scratch->keys[r.begin - range.begin] >> 3 * k;
            while (r.end < range.end && scratch->keys[r.end - range.begin] >> 3 * k == key)
                r.end++;
            count += pair_run(&r, key, to ? to + count : NULL);
        }
    }
    if (!job->pairs) job->first[block] = count;
}

/* A counting sort of the pairs by both of their grains: count, prefix sum, fill. Each list keeps
 * the order of the pairs. Serial: pairs across levels are few. */
static void share_pairs(rp_lists *lists, const pair *pairs, size_t count)
{
    size_t place = 0;
    memset(lists->count, 0, lists->query_count * sizeof *lists->count);
    for (size_t n = 0; n < count; n++) {
        lists->count[pairs[n].small]++;
        lists->count[pairs[n].large]++;
    }
    for (size_t i = 0; i < lists->query_count; i++) {
        lists->start[i] = place;
        place += lists->count[i];
        lists->count[i] = 0;
    }
    for (size_t n = 0; n < count; n++) {
        uint32_t small = pairs[n].small, large = pairs[n].large;
        lists->index[lists->start[small] + lists->count[small]++] = large;
        lists->index[lists->start[large] + lists->count[large]++] = small;
    }
    lists->total = lists->extent = place;
}

static rp_code list_pairs(rp_neighbor *neighbor, const pair_job *job, size_t total,
                          rp_report *report)
{
    size_t queries = job->grains->count;
    rp_arena *arena = neighbor->sorter.arena;
    rp_lists lists = {.query_count = queries};
    lists.start = rp_arena_take(arena, (queries + 1) * sizeof *lists.start);
    lists.count = rp_arena_take(arena, (queries + 1) * sizeof *lists.count);
    lists.index = rp_arena_take(arena, (2 * total + 1) * sizeof *lists.index);
    if (!lists.start || !lists.count || !lists.index)
        return rp_fail_memory(report, 2 * total * sizeof *lists.index, "neighbor lists");
    share_pairs(&lists, job->pairs, total);
    neighbor->across = lists;
    return RP_OK;
}

/* Two passes over the queries: count the pairs of each block, then write them at their offsets. */
static rp_code find_pairs(rp_neighbor *neighbor, const rp_grains *grains, const rp_reach *reach,
                          rp_report *report)
{
    rp_arena *arena = neighbor->sorter.arena;
    size_t blocks = (grains->count + RP_QUERY_BLOCK - 1) / RP_QUERY_BLOCK, total = 0;
    pair_job job = {.neighbor = neighbor, .grains = grains, .reach = *reach};
    job.first = rp_arena_take(arena, (blocks + 1) * sizeof *job.first);
    if (!job.first) return rp_fail_memory(report, blocks * sizeof *job.first, "neighbor lists");
    rp_parallel_for(neighbor->threads, grains->count, RP_QUERY_BLOCK, pair_range, &job);
    for (size_t b = 0; b < blocks; b++) {
        size_t here = job.first[b];
        job.first[b] = total;
        total += here;
    }
    size_t capacity =
        total + total / 16 + 1; /* slightly more pairs next time need no larger arena */
    if (total > neighbor->most_indices / 4 ||
        !(job.pairs = rp_arena_take(arena, capacity * sizeof *job.pairs)))
        return rp_fail_memory(report, total * sizeof *job.pairs, "neighbor lists");
    rp_parallel_for(neighbor->threads, grains->count, RP_QUERY_BLOCK, pair_range, &job);
    return list_pairs(neighbor, &job, total, report);
}

rp_code rp_neighbor_prepare_by_size(rp_neighbor *neighbor, const rp_grains *grains,
                                    const rp_reach *reach, rp_report *report)
{
    rp_points points = {grains->x, grains->y, grains->z, grains->count + grains->ghosts};
    RP_ASSERT(neighbor->sorter.arena && grains->diameter);
    if (points.count >= RP_NONE)
        return rp_fail(report, RP_ERROR_MEMORY, "%zu points: at most %u can be listed",
                       points.count, RP_NONE - 1);
    neighbor->sizes = rp_size_levels_of(reach);
    RP_ASSERT(ldexp(neighbor->sizes.edge, (int)neighbor->sizes.count - 1) >=
              rp_reach_of(reach, reach->largest));
    neighbor->diameter = grains->diameter;
    neighbor->across = (rp_lists){0};
    neighbor->grid = rp_neighbor_grid_around(neighbor->threads, &points, neighbor->sizes.edge,
                                             neighbor->sizes.count - 1);
    bool in_order;
    RP_TRY(rp_sorter_run(&neighbor->sorter, neighbor->threads, &neighbor->grid, &points, &in_order,
                         report));
    RP_TRY(put_in_levels(neighbor, grains, &points, reach, report));
    return find_pairs(neighbor, grains, reach, report);
}

const rp_lists *rp_neighbor_cross_level_lists(const rp_neighbor *neighbor)
{
    return &neighbor->across;
}
