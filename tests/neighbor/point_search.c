/* Searches by boxes against their slow twin, for clouds of every shape. */
#include "neighbor/cloud.h"

#include "neighbor/point_search.h"

/* Points of which boxes are made are taken together up to this many. */
#define TOGETHER 32
/* Distances that differ from the radius by less than this share of it may be taken for either. */
#define ROUNDING 1e-6

typedef struct points {
    float *x, *y, *z;
    size_t count, room;
} points;

static points points_begin(size_t room)
{
    size_t bytes = (room + 1) * sizeof(float);
    return (points){.x = malloc(bytes), .y = malloc(bytes), .z = malloc(bytes), .room = room};
}

static void points_end(points *p)
{
    free(p->x);
    free(p->y);
    free(p->z);
}

/* `count` points spread evenly over a cube. */
static void add_cube(points *p, size_t count, uint64_t seed, float low, float size)
{
    assert_true(p->count + count <= p->room);
    for (size_t i = 0; i < count; i++, p->count++) {
        p->x[p->count] = low + size * cloud_unit(seed, i, 0);
        p->y[p->count] = low + size * cloud_unit(seed, i, 1);
        p->z[p->count] = low + size * cloud_unit(seed, i, 2);
    }
}

/* --- boxes ------------------------------------------------------------------------------------ */

typedef struct query {
    uint64_t key;
    int64_t cell[3];
    uint32_t index;
} query;

static int by_cell(const void *a, const void *b)
{
    const query *left = a, *right = b;
    for (int i = 0; i < 3; i++)
        if (left->cell[i] != right->cell[i]) return left->cell[i] < right->cell[i] ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static query *sorted_queries(const rp_point_search *near, const points *p, double radius)
{
    query *list = malloc((p->count + 1) * sizeof *list);
    uint64_t *keys = malloc((p->count + 1) * sizeof *keys);
    rp_point_search_keys(near, p->x, p->y, p->z, p->count, keys);
    double edge = rp_point_search_edge(radius);
    for (size_t i = 0; i < p->count; i++)
        list[i] = (query){keys[i],
                          {(int64_t)floor(p->x[i] / edge), (int64_t)floor(p->y[i] / edge),
                           (int64_t)floor(p->z[i] / edge)},
                          (uint32_t)i};
    qsort(list, p->count, sizeof *list, by_cell);
    free(keys);
    return list;
}

/* The box around as many of the list as are of one cell; gives their number. */
static size_t next_box(const points *p, const query *list, size_t count, rp_point_search_box *box)
{
    size_t n = 0;
    box->key = list[0].key;
    for (; n < count && n < TOGETHER; n++) {
        if (memcmp(list[n].cell, list[0].cell, sizeof list[0].cell) != 0) break;
        if (list[n].key != list[0].key) break; /* at the very edge of a cell */
        const float at[3] = {p->x[list[n].index], p->y[list[n].index], p->z[list[n].index]};
        for (int a = 0; a < 3; a++) {
            box->low[a] = n && box->low[a] < at[a] ? box->low[a] : at[a];
            box->high[a] = n && box->high[a] > at[a] ? box->high[a] : at[a];
        }
    }
    return n;
}

static double distance_to(const rp_point_search_box *box, const float at[3])
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double d = fmax(fmax((double)box->low[a] - at[a], (double)at[a] - box->high[a]), 0);
        square += d * d;
    }
    return sqrt(square);
}

/* How often each point is given for a box. */
static void search(const rp_point_search *near, const rp_point_search_box *box,
                   rp_point_search_walk *walk, uint8_t *given, size_t count)
{
    const uint32_t *index, *order = rp_point_search_order(near);
    memset(given, 0, count);
    rp_point_search_begin(near, box, walk);
    for (size_t found; (found = rp_point_search_next(near, walk, &index));)
        for (size_t k = 0; k < found; k++) {
            assert_true(index[k] < count);
            given[order[index[k]]]++;
        }
    assert_int_equal(rp_point_search_next(near, walk, &index), 0);
}

static void check_box(const points *p, const rp_point_search_box *box, double radius,
                      const uint8_t *given)
{
    for (size_t i = 0; i < p->count; i++) {
        const float at[3] = {p->x[i], p->y[i], p->z[i]};
        double distance = distance_to(box, at);
        if (distance <= radius * (1 - ROUNDING) && given[i] != 1)
            fail_msg("point %zu at %.9g of %.9g is given %d times", i, distance, radius, given[i]);
        if (distance > radius * (1 + ROUNDING) && given[i] != 0)
            fail_msg("point %zu at %.9g is beyond %.9g", i, distance, radius);
        assert_true(given[i] <= 1);
    }
}

/* Points looked up by boxes around others: all that are near, each once, and nothing else. */
static void check_search(const points *p, const points *around, double radius)
{
    rp_report *report = rp_report_create();
    rp_threads *threads;
    rp_point_search *near;
    rp_point_search_walk *walk;
    check_ok(rp_threads_create(2, &threads, report), report);
    check_ok(rp_point_search_create(threads, &near, report), report);
    check_ok(rp_point_search_walk_create(&walk, report), report);
    check_ok(rp_point_search_set(near, p->x, p->y, p->z, p->count, radius, report), report);
    assert_int_equal(rp_point_search_count(near), p->count);
    query *list = sorted_queries(near, around, radius);
    uint8_t *given = malloc(p->count + 1);
    for (size_t i = 0; i < around->count;) {
        rp_point_search_box box;
        i += next_box(around, list + i, around->count - i, &box);
        search(near, &box, walk, given, p->count);
        check_box(p, &box, radius, given);
    }
    free(given);
    free(list);
    rp_point_search_walk_destroy(walk);
    rp_point_search_destroy(near);
    rp_threads_destroy(threads);
    rp_report_destroy(report);
}

/* --- clouds ----------------------------------------------------------------------------------- */

static void radii_of_all_sizes(void **state)
{
    (void)state;
    const double radii[] = {1e-6, 0.01, 0.05, 0.3, 1, 50};
    for (int r = 0; r < 6; r++) {
        points p = points_begin(1500), around = points_begin(400);
        add_cube(&p, 1500, (uint64_t)r, -0.4f, 1);
        add_cube(&around, 400, (uint64_t)r + 50, -0.6f, 1.4f); /* beyond the points, too */
        check_search(&p, &around, radii[r]);
        check_search(&p, &p, radii[r]);
        points_end(&p);
        points_end(&around);
    }
}

static void clusters_and_points_far_away(void **state)
{
    (void)state;
    points p = points_begin(4000);
    add_cube(&p, 1000, 1, 0, 1);
    add_cube(&p, 1000, 2, 0.31f, 0.002f);
    add_cube(&p, 500, 3, -40, 0.1f);
    add_cube(&p, 500, 4, 3e4f, 1); /* floats are 2 mm apart there */
    add_cube(&p, 10, 5, -9e6f, 1e6f);
    check_search(&p, &p, 0.05);
    points_end(&p);
}

/* On a lattice many distances equal the radius up to rounding, and points lie on edges of cells. */
static void points_on_a_lattice(void **state)
{
    (void)state;
    points p = points_begin(1000);
    for (int i = 0; i < 1000; i++, p.count++) {
        p.x[i] = 0.1f * (float)(i % 10);
        p.y[i] = 0.1f * (float)(i / 10 % 10) - 0.4f;
        p.z[i] = 0.1f * (float)(i / 100) - 0.9f;
    }
    check_search(&p, &p, 0.1);
    check_search(&p, &p, 0.2);
    check_search(&p, &p, 0.15);
    points_end(&p);
}

/* More points in one cell than are gathered at once, and in two cells side by side. */
static void cells_that_are_overfull(void **state)
{
    (void)state;
    points p = points_begin(16000), around = points_begin(300);
    add_cube(&p, 7000, 1, 0.301f, 0.04f);
    add_cube(&p, 6001, 2, 0.22f, 0.08f);
    add_cube(&p, 1000, 3, 0, 1);
    add_cube(&around, 200, 4, 0.2f, 0.2f);
    add_cube(&around, 100, 5, 0, 1);
    check_search(&p, &around, 0.1);
    for (size_t i = 0; i < 5500; i++) /* all on one spot */
        p.x[i] = p.y[i] = p.z[i] = 0.33f;
    check_search(&p, &around, 0.1);
    points_end(&p);
    points_end(&around);
}

static void a_set_that_is_empty(void **state)
{
    (void)state;
    points none = points_begin(0), one = points_begin(1);
    add_cube(&one, 1, 1, 0, 1);
    check_search(&none, &one, 0.1);
    check_search(&one, &none, 0.1);
    check_search(&one, &one, 0.1);
    points_end(&none);
    points_end(&one);
}

/* --- the order -------------------------------------------------------------------------------- */

/* All that boxes around the points give, in the order given. */
static size_t list_all(const points *p, double radius, int count, uint32_t *list, size_t room)
{
    rp_report *report = rp_report_create();
    rp_threads *threads = NULL;
    rp_point_search *near;
    rp_point_search_walk *walk;
    if (count) check_ok(rp_threads_create(count, &threads, report), report);
    check_ok(rp_point_search_create(threads, &near, report), report);
    check_ok(rp_point_search_walk_create(&walk, report), report);
    /* a set before it, and a search in that, leave nothing behind */
    check_ok(rp_point_search_set(near, p->y, p->x, p->z, p->count / 2, radius, report), report);
    query *queries = sorted_queries(near, p, radius);
    rp_point_search_box box;
    next_box(p, queries, p->count, &box);
    const uint32_t *index;
    rp_point_search_begin(near, &box, walk);
    rp_point_search_next(near, walk, &index);
    free(queries);
    check_ok(rp_point_search_set(near, p->x, p->y, p->z, p->count, radius, report), report);
    queries = sorted_queries(near, p, radius);
    const uint32_t *order = rp_point_search_order(near);
    size_t total = 0;
    for (size_t i = 0; i < p->count;) {
        i += next_box(p, queries + i, p->count - i, &box);
        rp_point_search_begin(near, &box, walk);
        for (size_t found; (found = rp_point_search_next(near, walk, &index));)
            for (size_t k = 0; k < found && total < room; k++)
                list[total++] = order[index[k]];
    }
    free(queries);
    rp_point_search_walk_destroy(walk);
    rp_point_search_destroy(near);
    rp_threads_destroy(threads);
    rp_report_destroy(report);
    return total;
}

static void any_number_of_threads_gives_the_same_order(void **state)
{
    (void)state;
    size_t room = 4000000;
    points p = points_begin(40000);
    add_cube(&p, 34000, 1, 0, 1);
    add_cube(&p, 6000, 2, 0.5f, 0.03f);
    uint32_t *first = malloc(room * sizeof *first), *other = malloc(room * sizeof *other);
    size_t total = list_all(&p, 0.04, 0, first, room);
    assert_in_range(total, p.count, room - 1);
    for (int threads = 1; threads <= 4; threads++) {
        assert_int_equal(list_all(&p, 0.04, threads, other, room), total);
        assert_memory_equal(first, other, total * sizeof *first);
    }
    free(first);
    free(other);
    points_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radii_of_all_sizes),
        cmocka_unit_test(clusters_and_points_far_away),
        cmocka_unit_test(points_on_a_lattice),
        cmocka_unit_test(cells_that_are_overfull),
        cmocka_unit_test(a_set_that_is_empty),
        cmocka_unit_test(any_number_of_threads_gives_the_same_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
