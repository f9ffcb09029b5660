/* Searches by boxes, without lists: see point_search.h. Points are copied in cell order; a walk
 * gathers the candidates of one box, as many at a time as its buffer holds. */
#include "neighbor/point_search.h"
#include "base/report.h"
#include "neighbor/inside.h"

struct rp_point_search {
    rp_threads *threads;
    rp_neighbor_grid grid;
    rp_sorter sorter;
    rp_cells cells;
    float *x, *y, *z; /* in cell order */
    uint32_t *place;  /* 0, 1, 2 …: the index that a search returns */
    size_t count, capacity;
    float limit;  /* m2, the radius squared */
    uint64_t set; /* counts the sets of points */
};

struct rp_point_search_walk {
    rp_ranges ranges; /* not yet gathered */
    rp_ranges cell;   /* all ranges around the cell of the last box */
    uint64_t key;     /* of that cell */
    uint64_t set;     /* of which set of points; 0: of none */
    rp_query_box box;
    int range;                 /* the next to gather */
    rp_scratch scratch;        /* of this walk alone */
    rp_search_scratch *worker; /* the only one in it */
};

rp_code rp_point_search_create(rp_threads *threads, rp_point_search **out, rp_report *report)
{
    *out = rp_allocate_zero(sizeof **out);
    if (!*out) return rp_fail_memory(report, sizeof **out, "a search");
    (*out)->threads = threads;
    return RP_OK;
}

static void release_points(rp_point_search *search)
{
    size_t bytes = search->capacity * sizeof(float);
    rp_release(search->x, bytes);
    rp_release(search->y, bytes);
    rp_release(search->z, bytes);
    rp_release(search->place, bytes);
    search->x = search->y = search->z = NULL;
    search->place = NULL;
    search->capacity = 0;
}

void rp_point_search_destroy(rp_point_search *search)
{
    if (!search) return;
    release_points(search);
    rp_sorter_end(&search->sorter);
    rp_cells_end(&search->cells);
    rp_release(search, sizeof *search);
}

static rp_code reserve_points(rp_point_search *search, size_t count, rp_report *report)
{
    size_t wanted = count + RP_NEIGHBOR_PADDING;
    if (wanted <= search->capacity) return RP_OK;
    release_points(search);
    search->capacity = wanted + wanted / 4;
    size_t bytes = search->capacity * sizeof(float);
    search->x = rp_allocate_zero(bytes);
    search->y = rp_allocate_zero(bytes);
    search->z = rp_allocate_zero(bytes);
    search->place = rp_allocate(bytes);
    if (!search->x || !search->y || !search->z || !search->place) {
        release_points(search);
        return rp_fail_memory(report, 4 * bytes, "a search");
    }
    for (size_t i = 0; i < search->capacity; i++)
        search->place[i] = (uint32_t)i;
    return RP_OK;
}

typedef struct copy_job {
    rp_point_search *search;
    rp_points from;
} copy_job;

static void copy_sorted(void *context, rp_range range)
{
    const copy_job *job = context;
    rp_point_search *search = job->search;
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t from = search->sorter.order[i];
        search->x[i] = job->from.x[from];
        search->y[i] = job->from.y[from];
        search->z[i] = job->from.z[from];
    }
}

rp_code rp_point_search_set(rp_point_search *search, const float *x, const float *y, const float *z,
                            size_t count, double radius, rp_report *report)
{
    rp_points points = {x, y, z, count};
    bool in_order;
    search->count = 0;
    search->limit = (float)(radius * radius);
    search->grid =
        rp_neighbor_grid_around(search->threads, &points, rp_neighbor_grid_edge(radius), 0);
    RP_TRY(reserve_points(search, count, report));
    RP_TRY(
        rp_sorter_run(&search->sorter, search->threads, &search->grid, &points, &in_order, report));
    RP_TRY(rp_cells_build(&search->cells, search->threads, search->sorter.keys, count, report));
    search->count = count;
    search->set++;
    copy_job job = {search, points};
    rp_parallel_for(search->threads, count, RP_NEIGHBOR_BLOCK, copy_sorted, &job);
    return RP_OK;
}

double rp_point_search_edge(double radius)
{
    return rp_neighbor_grid_edge(radius);
}

size_t rp_point_search_count(const rp_point_search *search)
{
    return search->count;
}

const uint32_t *rp_point_search_order(const rp_point_search *search)
{
    return search->sorter.order;
}

void rp_point_search_keys(const rp_point_search *search, const float *x, const float *y,
                          const float *z, size_t count, uint64_t *keys)
{
    rp_points points = {x, y, z, count};
    rp_neighbor_grid_keys(&search->grid, &points, 0, count, keys);
}

rp_code rp_point_search_walk_create(rp_point_search_walk **out, rp_report *report)
{
    *out = rp_allocate_zero(sizeof **out);
    if (!*out) return rp_fail_memory(report, sizeof **out, "a search");
    rp_code code = rp_search_scratch_begin(&(*out)->scratch, 1, RP_GATHER_MAX, report);
    if (code == RP_OK) {
        (*out)->worker = rp_scratch_of(&(*out)->scratch, 0);
        return RP_OK;
    }
    rp_release(*out, sizeof **out);
    *out = NULL;
    return code;
}

void rp_point_search_walk_destroy(rp_point_search_walk *walk)
{
    if (!walk) return;
    rp_scratch_end(&walk->scratch);
    rp_release(walk, sizeof *walk);
}

void rp_point_search_begin(const rp_point_search *search, const rp_point_search_box *box,
                           rp_point_search_walk *walk)
{
    walk->range = 0;
    walk->ranges.count = 0;
    for (int a = 0; a < 3; a++) {
        walk->box.low[a] = box->low[a];
        walk->box.high[a] = box->high[a];
    }
    walk->box.limit = search->limit;
    if (!search->count) return;
    /* Boxes of one cell mostly come one after another. */
    if (walk->set != search->set || walk->key != box->key)
        rp_search_ranges(&search->cells, search->grid.bits, box->key, &walk->cell);
    walk->set = search->set;
    walk->key = box->key;
    walk->ranges = walk->cell;
}

/* Takes as many of the remaining ranges as the buffer holds; of one that is too long, a piece. */
static void take_ranges(rp_point_search_walk *walk, rp_ranges *taken)
{
    rp_ranges *all = &walk->ranges;
    taken->count = 0;
    taken->total = 0;
    while (walk->range < all->count && taken->total < RP_GATHER_MAX) {
        uint32_t begin = all->begin[walk->range], end = all->end[walk->range];
        uint32_t left = (uint32_t)(RP_GATHER_MAX - taken->total);
        uint32_t stop = end - begin > left ? begin + left : end;
        taken->begin[taken->count] = begin;
        taken->end[taken->count++] = stop;
        taken->total += stop - begin;
        all->begin[walk->range] = stop;
        if (stop == end) walk->range++;
    }
}

size_t rp_point_search_next(const rp_point_search *search, rp_point_search_walk *walk,
                            const uint32_t **index)
{
    const rp_candidates all = {search->x, search->y, search->z, search->place};
    size_t found = 0;
    while (found == 0 && walk->range < walk->ranges.count) {
        rp_ranges taken;
        take_ranges(walk, &taken);
        found = rp_search_gather(&all, &taken, &walk->box, walk->worker);
    }
    *index = walk->worker->index;
    return found;
}
