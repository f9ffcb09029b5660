/* Neighbor lists. One pass over blocks of queries in cell order; for each run of queries in one
 * cell:
 *
 *     1. find the ranges of candidates in the 27 cells around it (search.c),
 *     2. gather the candidates near the box of the queries into a contiguous buffer,
 *     3. test them against each query, eight at a time; write what is near to a scratch list,
 *     4. when the scratch is full, copy the lists to the index array.
 *
 * Each worker takes the index array piece by piece. So the content of a list never depends on the
 * threads, only its offset does, and the lists of consecutive queries are contiguous, hundreds of
 * them: a reader of all lists would miss the cache at every jump. When the array turns out too
 * small the pass still counts, then the array is grown to fit and the pass repeated; afterwards it
 * is large enough for some time. */
#include "base/report.h"
#include "neighbor/inside.h"

/* Indices of a piece at most: about a thousand lists. */
#define PIECE_MOST ((size_t)1 << 15)

typedef struct list_job {
    rp_neighbor *neighbor;
    rp_points queries;
    uint32_t first; /* index of the first query among the candidates, or RP_NONE */
    rp_lists *lists;
    size_t capacity, most;       /* of the index array; beyond `most` the pass gives up */
    size_t piece;                /* of it that a worker takes at a time, at least */
    atomic_size_t total, extent; /* neighbors found; indices taken */
    atomic_size_t fullest; /* candidates around a cell, where a larger scratch would hold them */
} list_job;

/* The state of one worker within a block: the lists of queries `first` to `next` - 1 are in the
 * scratch, one after the other, and not yet in the index array. */
typedef struct batch {
    list_job *job;
    rp_search_scratch *scratch;
    const rp_cell_level *level; /* whose candidates are searched */
    size_t first, next, used;
} batch;

/* The unused end of a piece is zeroed as far as a wide load that begins in the last list reads:
 * zero is a valid index. */
static void end_piece(const list_job *job, rp_piece *piece)
{
    size_t left = piece->end - piece->next;
    if (left > RP_NEIGHBOR_PADDING) left = RP_NEIGHBOR_PADDING;
    if (left && piece->end <= job->capacity)
        memset(job->lists->index + piece->next, 0, left * sizeof *job->lists->index);
}

/* Takes another piece that holds a list of `count`; a piece that follows directly on the one before
 * extends it. */
static void next_piece(list_job *job, rp_piece *piece, size_t count)
{
    size_t size = count > job->piece ? count : job->piece;
    size_t begin = atomic_fetch_add_explicit(&job->extent, size, memory_order_relaxed);
    if (begin != piece->end) {
        end_piece(job, piece);
        piece->next = begin;
    }
    piece->end = begin + size;
}

/* Copies the finished lists of the scratch to the index array, as many at a time as fit the piece.
 * Where the array is too small the offsets still advance, which counts what is needed. */
static void flush(batch *b)
{
    rp_lists *lists = b->job->lists;
    rp_piece *piece = &b->scratch->piece;
    const uint32_t *list = b->scratch->list;
    RP_ASSERT(b->used <= RP_LIST_CAPACITY * b->scratch->capacity && b->first <= b->next);
    RP_ASSERT(piece->next <= piece->end);
    atomic_fetch_add_explicit(&b->job->total, b->used, memory_order_relaxed);
    while (b->first < b->next) {
        size_t begin = piece->next;
        for (; b->first < b->next; b->first++) {
            if (lists->count[b->first] > piece->end - piece->next) break;
            lists->start[b->first] = piece->next;
            piece->next += lists->count[b->first];
        }
        size_t copied = piece->next - begin;
        if (copied && piece->next <= b->job->capacity)
            memcpy(lists->index + begin, list, copied * sizeof *list);
        list += copied;
        if (b->first < b->next) next_piece(b->job, piece, lists->count[b->first]);
    }
    b->used = 0;
}

static rp_search_query query_at(const batch *b, size_t q)
{
    const list_job *job = b->job;
    return (rp_search_query){job->queries.x[q], job->queries.y[q], job->queries.z[q],
                             b->level->limit,
                             job->first == RP_NONE ? RP_NONE : job->first + (uint32_t)q};
}

/* Lists the queries up to `end` from the gathered candidates: every query tests all of them. */
static void list_from_gathered(batch *b, size_t end, size_t gathered)
{
    const rp_search_scratch *s = b->scratch;
    const rp_candidates candidates = {s->x, s->y, s->z, s->index};
    rp_lists *lists = b->job->lists;
    for (; b->next < end; b->next++) {
        if (b->used + gathered > RP_LIST_CAPACITY * s->capacity) flush(b);
        rp_search_query query = query_at(b, b->next);
        size_t found =
            rp_search_near(&candidates, gathered, &query, s->lanes, b->scratch->list + b->used);
        lists->count[b->next] = (uint32_t)found;
        b->used += found;
    }
}

/* Tests all ranges in pieces that fit the scratch; copies what is near to `to` unless NULL. */
static size_t search_in_pieces(const batch *b, const rp_ranges *ranges,
                               const rp_search_query *query, uint32_t *to)
{
    const rp_candidates *all = &b->level->candidates;
    size_t found = 0, capacity = b->scratch->capacity;
    for (int r = 0; r < ranges->count; r++)
        for (size_t i = ranges->begin[r]; i < ranges->end[r]; i += capacity) {
            rp_candidates piece = {all->x + i, all->y + i, all->z + i, all->index + i};
            size_t left = ranges->end[r] - i;
            size_t here = rp_search_near(&piece, left < capacity ? left : capacity, query,
                                         b->scratch->lanes, b->scratch->list);
            if (to && here) memcpy(to + found, b->scratch->list, here * sizeof *to);
            found += here;
        }
    return found;
}

/* For cells too full to gather: count, take exactly that many indices of the array, fill. */
static void list_in_place(batch *b, size_t end, const rp_ranges *ranges)
{
    list_job *job = b->job;
    flush(b);
    for (; b->next < end; b->next++) {
        if (atomic_load_explicit(&job->extent, memory_order_relaxed) > job->most) return;
        rp_search_query query = query_at(b, b->next);
        size_t found = search_in_pieces(b, ranges, &query, NULL);
        size_t base = atomic_fetch_add_explicit(&job->extent, found, memory_order_relaxed);
        atomic_fetch_add_explicit(&job->total, found, memory_order_relaxed);
        job->lists->start[b->next] = base;
        job->lists->count[b->next] = (uint32_t)found;
        if (base + found <= job->capacity)
            search_in_pieces(b, ranges, &query, job->lists->index + base);
    }
    b->first = b->next;
}

/* Atomic maximum of the candidates around a cell, as long as a scratch may grow to hold them. */
static void note_full(list_job *job, size_t total)
{
    size_t fullest = atomic_load_explicit(&job->fullest, memory_order_relaxed);
    while (total <= RP_GATHER_MAX && total > fullest &&
           !atomic_compare_exchange_weak_explicit(&job->fullest, &fullest, total,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

static rp_query_box box_around(const batch *b, size_t begin, size_t end)
{
    const rp_points *queries = &b->job->queries;
    const float *axes[3] = {queries->x, queries->y, queries->z};
    rp_query_box box = {.limit = b->level->limit};
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t q = begin; q < end; q++) {
            float v = axes[a][q];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        box.low[a] = low;
        box.high[a] = high;
    }
    return box;
}

/* Returns the size level in which a query searches for grains of its own size. */
static unsigned level_of(const list_job *job, size_t q)
{
    const rp_size_levels *sizes = &job->neighbor->sizes;
    return sizes->count == 1 ? 0
                             : rp_size_levels_find(sizes, job->neighbor->diameter[job->first + q]);
}

static void list_range(void *context, rp_range range)
{
    list_job *job = context;
    if (atomic_load_explicit(&job->extent, memory_order_relaxed) > job->most) return;
    rp_search_scratch *scratch = rp_scratch_of(&job->neighbor->scratch, range.worker);
    RP_ASSERT(range.end - range.begin <= RP_QUERY_BLOCK && range.end <= job->queries.count);
    uint64_t *keys = scratch->keys;
    batch b = {.job = job, .scratch = scratch, .first = range.begin, .next = range.begin};
    rp_neighbor_grid_keys(&job->neighbor->grid, &job->queries, range.begin, range.end, keys);
    while (b.next < range.end) {
        /* The run of queries in the same cell (and size level): they share the candidates. */
        unsigned level = level_of(job, b.next);
        uint64_t key = keys[b.next - range.begin] >> 3 * level;
        size_t run = b.next + 1;
        while (run < range.end && keys[run - range.begin] >> 3 * level == key &&
               level_of(job, run) == level)
            run++;
        rp_ranges ranges;
        b.level = &job->neighbor->levels[level];
        rp_search_ranges(&b.level->cells, job->neighbor->grid.bits - level, key, &ranges);
        if (ranges.total > scratch->capacity) {
            note_full(job, ranges.total);
            list_in_place(&b, run, &ranges);
            if (b.next < run) break; /* more neighbors than memory */
        } else {
            rp_query_box box = box_around(&b, b.next, run);
            list_from_gathered(&b, run,
                               rp_search_gather(&b.level->candidates, &ranges, &box, scratch));
        }
    }
    flush(&b);
}

void rp_lists_end(rp_lists *lists)
{
    rp_release(lists->start, lists->query_capacity * sizeof *lists->start);
    rp_release(lists->count, lists->query_capacity * sizeof *lists->count);
    rp_release(lists->index, lists->index_capacity * sizeof *lists->index);
    *lists = (rp_lists){0};
}

static rp_code reserve_queries(rp_lists *lists, size_t count, rp_report *report)
{
    if (count <= lists->query_capacity) return RP_OK;
    rp_release(lists->start, lists->query_capacity * sizeof *lists->start);
    rp_release(lists->count, lists->query_capacity * sizeof *lists->count);
    lists->query_capacity = count + count / 8;
    lists->start = rp_allocate(lists->query_capacity * sizeof *lists->start);
    lists->count = rp_allocate(lists->query_capacity * sizeof *lists->count);
    if (lists->start && lists->count) return RP_OK;
    rp_lists_end(lists);
    return rp_fail_memory(report, count * (sizeof *lists->start + sizeof *lists->count),
                          "neighbor lists");
}

static rp_code reserve_index(rp_lists *lists, size_t total, rp_report *report)
{
    size_t wanted = total + total / 8 + RP_NEIGHBOR_PADDING;
    rp_release(lists->index, lists->index_capacity * sizeof *lists->index);
    lists->index_capacity = 0;
    lists->index = rp_allocate(wanted * sizeof *lists->index);
    if (!lists->index)
        return rp_fail_memory(report, wanted * sizeof *lists->index, "neighbor lists");
    lists->index_capacity = wanted;
    return RP_OK;
}

static rp_search_scratch *worker_scratch(const rp_neighbor *neighbor, int worker)
{
    return rp_scratch_of(&neighbor->scratch, worker);
}

/* Gathering is faster than testing candidates in place: the scratch of the next pass holds them. */
static rp_code widen_scratch(rp_neighbor *neighbor, size_t fullest, rp_report *report)
{
    size_t capacity = worker_scratch(neighbor, 0)->capacity;
    if (fullest <= capacity) return RP_OK;
    while (capacity < fullest)
        capacity *= 2;
    rp_scratch wider;
    RP_TRY(rp_search_scratch_begin(&wider, neighbor->scratch.count, capacity, report));
    rp_scratch_end(&neighbor->scratch);
    neighbor->scratch = wider;
    return RP_OK;
}

/* Makes all lists once; returns how many indices of the array they take, or would take. */
static size_t pass_over(list_job *job)
{
    rp_neighbor *neighbor = job->neighbor;
    atomic_store(&job->total, 0);
    atomic_store(&job->extent, 0);
    for (int i = 0; i < neighbor->scratch.count; i++)
        worker_scratch(neighbor, i)->piece = (rp_piece){0};
    rp_parallel_for(neighbor->threads, job->queries.count, RP_QUERY_BLOCK, list_range, job);
    /* The last piece is cut where its lists end. */
    size_t extent = atomic_load(&job->extent), kept = extent;
    for (int i = 0; i < neighbor->scratch.count; i++) {
        rp_piece *piece = &worker_scratch(neighbor, i)->piece;
        end_piece(job, piece);
        if (piece->end == extent) kept = piece->next;
    }
    return kept;
}

static rp_code fail_lists(const list_job *job, rp_report *report)
{
    size_t bytes = job->lists->extent * sizeof *job->lists->index;
    if (bytes > rp_budget_remaining()) return rp_fail_memory(report, bytes, "neighbor lists");
    return rp_fail(report, RP_ERROR_MEMORY,
                   "neighbor lists: %zu queries have more than %zu neighbors (%zu MB)",
                   job->queries.count, job->lists->extent, bytes >> 20);
}

static rp_code fill_lists(list_job *job, rp_report *report)
{
    rp_lists *lists = job->lists;
    /* Few queries make small pieces, so that the last one of each worker is not mostly unused. */
    size_t each = job->queries.count / (size_t)job->neighbor->scratch.count / 2;
    job->piece = each < PIECE_MOST ? each : PIECE_MOST;
    for (;;) {
        job->capacity = lists->index_capacity ? lists->index_capacity - RP_NEIGHBOR_PADDING : 0;
        lists->extent = pass_over(job);
        if (lists->extent > job->most) return fail_lists(job, report);
        RP_TRY(widen_scratch(job->neighbor, atomic_load(&job->fullest), report));
        if (lists->index && lists->extent <= job->capacity) break;
        RP_TRY(reserve_index(lists, lists->extent, report));
    }
    lists->total = atomic_load(&job->total);
    lists->query_count = job->queries.count;
    memset(lists->index + lists->extent, 0, RP_NEIGHBOR_PADDING * sizeof *lists->index);
    return RP_OK;
}

typedef struct copy_job {
    const uint32_t *order;
    const rp_points *points;
    float *x, *y, *z;
} copy_job;

static void copy_range(void *context, rp_range range)
{
    const copy_job *job = context;
    const uint32_t *order = job->order;
    for (size_t i = range.begin; i < range.end; i++) {
        job->x[i] = job->points->x[order[i]];
        job->y[i] = job->points->y[order[i]];
        job->z[i] = job->points->z[order[i]];
    }
}

/* Copies the points in cell order into the buffers that the last pass of the sort has read: x and y
 * fit where keys of 64 bits were, z where the order was. */
static void copy_points(rp_neighbor *neighbor, const rp_points *points)
{
    const rp_sorter *sorter = &neighbor->sorter;
    copy_job job = {.order = sorter->order, .points = points};
    job.x = (float *)sorter->other_keys;
    job.y = job.x + points->count + RP_NEIGHBOR_PADDING;
    job.z = (float *)sorter->other_order;
    rp_parallel_for(neighbor->threads, points->count, RP_NEIGHBOR_BLOCK, copy_range, &job);
    neighbor->levels->candidates.x = job.x;
    neighbor->levels->candidates.y = job.y;
    neighbor->levels->candidates.z = job.z;
}

/* Sorts the points into cell order and builds the cells. Points that are in order already and have
 * padding are used in place. */
static rp_code put_in_cells(rp_neighbor *neighbor, const rp_points *points, bool padded,
                            double edge, rp_report *report)
{
    rp_sorter *sorter = &neighbor->sorter;
    rp_cell_level *level = neighbor->levels;
    bool in_order;
    rp_code code =
        rp_sorter_run(sorter, neighbor->threads, &neighbor->grid, points, &in_order, report);
    RP_TRY(code);
    RP_TRY(rp_cells_build(&level->cells, neighbor->threads, sorter->keys, points->count, report));
    level->candidates = (rp_candidates){points->x, points->y, points->z, sorter->order};
    level->count = points->count;
    if (!in_order || !padded) copy_points(neighbor, points);
    return rp_cells_check_occupancy(neighbor, level, edge, neighbor->occupancy, report);
}

static rp_code prepare(rp_neighbor *neighbor, const rp_points *points, bool padded, double radius,
                       rp_report *report)
{
    float r = (float)radius;
    if (!(r > 0 && r * r > 0 && r * r <= 1e36f))
        return rp_fail(report, RP_ERROR_INPUT, "search radius %g m: allowed are 1e-18 to 1e18",
                       radius);
    if (points->count >= RP_NONE)
        return rp_fail(report, RP_ERROR_MEMORY, "%zu points: at most %u can be listed",
                       points->count, RP_NONE - 1);
    /* From the radius alone, not from the last sort: the order in the lists, and so the bits of
     * every sum over them, must be the same in a process that has just been resumed. */
    double edge = rp_neighbor_grid_edge(radius);
    neighbor->grid = rp_neighbor_grid_around(neighbor->threads, points, edge, 0);
    neighbor->sizes = (rp_size_levels){.edge = edge, .count = 1};
    neighbor->levels->limit = r * r;
    return put_in_cells(neighbor, points, padded, edge, report);
}

/* Returns how many indices lists may have: the old array is released before a larger one is
 * allocated. */
static size_t most_indices(const rp_neighbor *neighbor, const rp_lists *lists)
{
    size_t left = rp_budget_remaining() / sizeof *lists->index;
    if (left > SIZE_MAX / 2) return neighbor->most_indices;
    left += lists->index_capacity;
    return left < neighbor->most_indices ? left : neighbor->most_indices;
}

/* `first`: index of the first query among the candidates, or RP_NONE. */
static rp_code search(rp_neighbor *neighbor, const rp_points *queries, uint32_t first,
                      rp_lists *lists, rp_report *report)
{
    if (queries->count >= RP_NONE)
        return rp_fail(report, RP_ERROR_MEMORY, "%zu queries: at most %u can be listed",
                       queries->count, RP_NONE - 1);
    list_job job = {.neighbor = neighbor, .queries = *queries, .first = first, .lists = lists};
    rp_code code = reserve_queries(lists, queries->count, report);
    job.most = most_indices(neighbor, lists);
    return code == RP_OK ? fill_lists(&job, report) : code;
}

rp_code rp_neighbor_prepare(rp_neighbor *neighbor, const rp_grains *grains, double radius,
                            rp_report *report)
{
    rp_points points = {grains->x, grains->y, grains->z, grains->count + grains->ghosts};
    return prepare(neighbor, &points, true, radius, report);
}

void rp_neighbor_done(rp_neighbor *neighbor)
{
    neighbor->across = (rp_lists){0};
    rp_sorter_return(&neighbor->sorter);
}

rp_code rp_neighbor_lists_of(rp_neighbor *neighbor, const rp_grains *grains, size_t begin,
                             size_t end, rp_lists *lists, rp_report *report)
{
    rp_points queries = {grains->x + begin, grains->y + begin, grains->z + begin, end - begin};
    lists->query_count = lists->total = lists->extent = 0;
    return search(neighbor, &queries, (uint32_t)begin, lists, report);
}

rp_code rp_neighbor_lists(rp_neighbor *neighbor, const rp_grains *grains, double radius,
                          rp_lists *lists, rp_report *report)
{
    lists->query_count = lists->total = lists->extent = 0;
    rp_code code = rp_neighbor_prepare(neighbor, grains, radius, report);
    if (code == RP_OK)
        code = rp_neighbor_lists_of(neighbor, grains, 0, grains->count, lists, report);
    rp_neighbor_done(neighbor);
    return code;
}

rp_code rp_neighbor_lists_between(rp_neighbor *neighbor, const float *x, const float *y,
                                  const float *z, size_t count, const float *query_x,
                                  const float *query_y, const float *query_z, size_t query_count,
                                  double radius, rp_lists *lists, rp_report *report)
{
    rp_points points = {x, y, z, count};
    rp_points queries = {query_x, query_y, query_z, query_count};
    lists->query_count = lists->total = lists->extent = 0;
    rp_code code = prepare(neighbor, &points, false, radius, report);
    if (code == RP_OK) code = search(neighbor, &queries, RP_NONE, lists, report);
    rp_neighbor_done(neighbor);
    return code;
}
