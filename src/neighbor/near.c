#include "neighbor/near.h"
#include "base/report.h"
#include "neighbor/search.h"

struct rp_near {
    rp_threads *threads;
    rp_neighbor_grid grid;
    rp_sorter sorter;
    rp_cells cells;
    float *x, *y, *z; /* in cell order */
    uint32_t *place;  /* 0, 1, 2 …: what a search gives */
    size_t count, capacity;
    float limit;  /* m2, the radius squared */
    uint64_t set; /* counts the sets of points */
};

struct rp_near_walk {
    rp_ranges ranges; /* what is left of them */
    rp_ranges cell;   /* all runs around the cell that was asked for last */
    uint64_t key;     /* of that cell */
    uint64_t set;     /* of which set of points; 0: of none */
    rp_query_box box;
    int range;          /* the next to look at */
    rp_scratch scratch; /* of this walk alone */
    rp_search_room *room;
};

rp_code rp_near_create(rp_threads *threads, rp_near **out, rp_report *report)
{
    *out = rp_allocate_zero(sizeof **out);
    if (!*out) return rp_fail_memory(report, sizeof **out, "a search");
    (*out)->threads = threads;
    return RP_OK;
}

static void release_points(rp_near *near)
{
    size_t bytes = near->capacity * sizeof(float);
    rp_release(near->x, bytes);
    rp_release(near->y, bytes);
    rp_release(near->z, bytes);
    rp_release(near->place, bytes);
    near->x = near->y = near->z = NULL;
    near->place = NULL;
    near->capacity = 0;
}

void rp_near_destroy(rp_near *near)
{
    if (!near) return;
    release_points(near);
    rp_sorter_end(&near->sorter);
    rp_cells_end(&near->cells);
    rp_release(near, sizeof *near);
}

static rp_code reserve_points(rp_near *near, size_t count, rp_report *report)
{
    size_t wanted = count + RP_NEIGHBOR_PADDING;
    if (wanted <= near->capacity) return RP_OK;
    release_points(near);
    near->capacity = wanted + wanted / 4;
    size_t bytes = near->capacity * sizeof(float);
    near->x = rp_allocate_zero(bytes);
    near->y = rp_allocate_zero(bytes);
    near->z = rp_allocate_zero(bytes);
    near->place = rp_allocate(bytes);
    if (!near->x || !near->y || !near->z || !near->place) {
        release_points(near);
        return rp_fail_memory(report, 4 * bytes, "a search");
    }
    for (size_t i = 0; i < near->capacity; i++)
        near->place[i] = (uint32_t)i;
    return RP_OK;
}

typedef struct copy_job {
    rp_near *near;
    rp_points from;
} copy_job;

static void copy_sorted(void *context, rp_range range)
{
    const copy_job *job = context;
    rp_near *near = job->near;
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t from = near->sorter.order[i];
        near->x[i] = job->from.x[from];
        near->y[i] = job->from.y[from];
        near->z[i] = job->from.z[from];
    }
}

rp_code rp_near_set(rp_near *near, const float *x, const float *y, const float *z, size_t count,
                    double radius, rp_report *report)
{
    rp_points points = {x, y, z, count};
    bool in_order;
    near->count = 0;
    near->limit = (float)(radius * radius);
    near->grid = rp_neighbor_grid_around(near->threads, &points, rp_neighbor_grid_edge(radius), 0);
    RP_TRY(reserve_points(near, count, report));
    RP_TRY(rp_sorter_run(&near->sorter, near->threads, &near->grid, &points, &in_order, report));
    RP_TRY(rp_cells_build(&near->cells, near->threads, near->sorter.keys, count, report));
    near->count = count;
    near->set++;
    copy_job job = {near, points};
    rp_parallel_for(near->threads, count, RP_NEIGHBOR_BLOCK, copy_sorted, &job);
    return RP_OK;
}

double rp_near_edge(double radius)
{
    return rp_neighbor_grid_edge(radius);
}

size_t rp_near_count(const rp_near *near)
{
    return near->count;
}

const uint32_t *rp_near_order(const rp_near *near)
{
    return near->sorter.order;
}

void rp_near_keys(const rp_near *near, const float *x, const float *y, const float *z, size_t count,
                  uint64_t *keys)
{
    rp_points points = {x, y, z, count};
    rp_neighbor_grid_keys(&near->grid, &points, 0, count, keys);
}

rp_code rp_near_walk_create(rp_near_walk **out, rp_report *report)
{
    *out = rp_allocate_zero(sizeof **out);
    if (!*out) return rp_fail_memory(report, sizeof **out, "a search");
    rp_code code = rp_search_rooms_begin(&(*out)->scratch, 1, RP_GATHER_MAX, report);
    if (code == RP_OK) {
        (*out)->room = rp_scratch_of(&(*out)->scratch, 0);
        return RP_OK;
    }
    rp_release(*out, sizeof **out);
    *out = NULL;
    return code;
}

void rp_near_walk_destroy(rp_near_walk *walk)
{
    if (!walk) return;
    rp_scratch_end(&walk->scratch);
    rp_release(walk, sizeof *walk);
}

void rp_near_begin(const rp_near *near, const rp_near_box *box, rp_near_walk *walk)
{
    walk->range = 0;
    walk->ranges.count = 0;
    for (int a = 0; a < 3; a++) {
        walk->box.low[a] = box->low[a];
        walk->box.high[a] = box->high[a];
    }
    walk->box.limit = near->limit;
    if (!near->count) return;
    /* Boxes of one cell mostly come one after another. */
    if (walk->set != near->set || walk->key != box->key)
        rp_search_ranges(&near->cells, near->grid.bits, box->key, &walk->cell);
    walk->set = near->set;
    walk->key = box->key;
    walk->ranges = walk->cell;
}

/* As many of the runs that are left as the room can hold; of one that is too long, a piece. */
static void take_ranges(rp_near_walk *walk, rp_ranges *taken)
{
    rp_ranges *all = &walk->ranges;
    taken->count = 0;
    taken->total = 0;
    while (walk->range < all->count && taken->total < RP_GATHER_MAX) {
        uint32_t begin = all->begin[walk->range], end = all->end[walk->range];
        uint32_t room = (uint32_t)(RP_GATHER_MAX - taken->total);
        uint32_t stop = end - begin > room ? begin + room : end;
        taken->begin[taken->count] = begin;
        taken->end[taken->count++] = stop;
        taken->total += stop - begin;
        all->begin[walk->range] = stop;
        if (stop == end) walk->range++;
    }
}

size_t rp_near_next(const rp_near *near, rp_near_walk *walk, const uint32_t **index)
{
    const rp_candidates all = {near->x, near->y, near->z, near->place};
    size_t found = 0;
    while (found == 0 && walk->range < walk->ranges.count) {
        rp_ranges taken;
        take_ranges(walk, &taken);
        found = rp_search_gather(&all, &taken, &walk->box, walk->room);
    }
    *index = walk->room->index;
    return found;
}
