/* Lists against their slow twin, for clouds of every shape. */
#include "neighbor/cloud.h"

#include "base/memory.h"
#include "base/random.h"

/* Every pair is looked at. */
static void check_against_twin(const rp_grains *p, const rp_lists *lists, double radius)
{
    size_t all = p->count + p->ghosts, total = 0;
    uint32_t *wanted = malloc((all + 1) * sizeof *wanted);
    assert_int_equal(lists->query_count, p->count);
    for (size_t i = 0; i < p->count; i++) {
        size_t n = 0;
        for (size_t j = 0; j < all; j++)
            if (j != i && cloud_near(p->x[i], p->y[i], p->z[i], p->x[j], p->y[j], p->z[j], radius))
                wanted[n++] = (uint32_t)j;
        cloud_check_list(lists, i, wanted, n);
        total += n;
    }
    assert_int_equal(lists->total, total);
    free(wanted);
}

static void check_cloud(rp_grains *p, double cell, double radius)
{
    rp_report *report = rp_report_create();
    rp_threads *threads;
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    check_ok(rp_threads_create(2, &threads, report), report);
    check_ok(rp_neighbor_create(threads, NULL, &neighbor, report), report);
    if (cell > 0) check_ok(rp_neighbor_sort(neighbor, p, cell, report), report);
    check_ok(rp_neighbor_lists(neighbor, p, radius, &lists, report), report);
    check_against_twin(p, &lists, radius);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_threads_destroy(threads);
    rp_report_destroy(report);
}

static void radii_and_cells_of_all_sizes(void **state)
{
    (void)state;
    const double radii[] = {1e-6, 0.01, 0.05, 0.1, 0.3, 1, 50};
    const double cells[] = {0, 0.02, 0.1, 0.11, 1, 1e-5};
    for (int r = 0; r < 7; r++)
        for (int c = 0; c < 6; c++) {
            rp_grains p;
            rp_grains_begin(&p, NULL);
            cloud_cube(&p, 400, (uint64_t)(r * 10 + c), -0.4f, 1);
            check_cloud(&p, cells[c], radii[r]);
            rp_grains_end(&p);
        }
}

/* On a lattice many distances equal the radius up to rounding: the worst case for cells. */
static void distances_that_are_just_the_radius(void **state)
{
    (void)state;
    for (int offset = 0; offset < 6; offset++) {
        rp_grains p;
        rp_grains_begin(&p, NULL);
        cloud_cube(&p, 1000, 1, 0, 1);
        float shift = (float)(offset - 3) * 333.3f;
        for (int i = 0; i < 1000; i++) {
            p.x[i] = shift + 0.1f * (float)(i % 10);
            p.y[i] = shift + 0.1f * (float)(i / 10 % 10);
            p.z[i] = -shift + 0.1f * (float)(i / 100);
        }
        check_cloud(&p, 0.1, 0.1);
        check_cloud(&p, 0.1, 0.2);
        rp_grains_end(&p);
    }
}

static void flat_and_long_clouds(void **state)
{
    (void)state;
    const float sizes[][3] = {{1000, 0, 0}, {0, 30, 30}, {1, 1, 3000}, {0, 0, 0}};
    for (int s = 0; s < 4; s++) {
        rp_grains p;
        rp_grains_begin(&p, NULL);
        cloud_fill(&p, 900, 7, (const float[]){-5, 2, 1000}, sizes[s]);
        check_cloud(&p, 1, 1);
        rp_grains_end(&p);
    }
}

static void few_grains(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 10; n++) {
        rp_grains p;
        rp_grains_begin(&p, NULL);
        cloud_cube(&p, n, n, 0, 1);
        check_cloud(&p, 0.5, 0.5);
        rp_grains_end(&p);
    }
}

static void far_flyers_and_lost_grains(void **state)
{
    (void)state;
    rp_grains p;
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 600, 3, 0, 1);
    cloud_cube(&p, 300, 4, 1e6f, 4);
    const float odd[] = {1e9f, -1e9f, 1e30f, -1e30f, 3e38f, -3e38f, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; i++) {
        p.x[10 * i] = odd[i];
        p.y[10 * i + 3] = odd[i];
        p.z[10 * i + 6] = odd[i];
        p.x[200 + i] = p.y[200 + i] = p.z[200 + i] = odd[i];
        p.x[300 + i] = p.y[300 + i] = p.z[300 + i] = odd[i];
    }
    check_cloud(&p, 0.1, 0.1);
    check_cloud(&p, 1e-3, 0.4);
    check_cloud(&p, 1e-5, 1e-5);
    rp_grains_end(&p);
}

/* More grains in one spot than are gathered at a time. */
static void grains_heaped_on_one_spot(void **state)
{
    (void)state;
    rp_grains p;
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 2200, 5, 0, 1e-3f);
    cloud_cube(&p, 2200, 6, 0.5f, 0);
    check_cloud(&p, 0.6, 0.6);
    rp_grains_end(&p);
}

static uint64_t hash_of_lists(rp_neighbor *neighbor, const rp_grains *p, rp_lists *lists)
{
    check_ok(rp_neighbor_lists(neighbor, p, 0.3, lists, NULL), NULL);
    uint64_t hash = rp_hash(lists->count, p->count * sizeof *lists->count, 0);
    for (size_t i = 0; i < p->count; i++)
        hash =
            rp_hash(lists->index + lists->start[i], lists->count[i] * sizeof *lists->index, hash);
    return hash;
}

/* Cells that are too full for the first scratch, and not for the next: lists are the same, in the
 * same order, before it is widened and afterwards, and it is widened once. */
static void scratches_follow_what_cells_hold(void **state)
{
    (void)state;
    rp_grains p;
    rp_neighbor *first, *second;
    rp_lists lists = {0};
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 2500, 7, 0, 1);
    check_ok(rp_neighbor_create(NULL, NULL, &first, NULL), NULL);
    uint64_t hash = hash_of_lists(first, &p, &lists); /* twice: `lists` had no room */
    check_against_twin(&p, &lists, 0.3);
    check_ok(rp_neighbor_create(NULL, NULL, &second, NULL), NULL);
    size_t narrow = rp_memory_now().bytes;
    assert_true(hash_of_lists(second, &p, &lists) == hash);
    assert_true(rp_memory_now().bytes > narrow);
    uint64_t calls = rp_memory_now().calls;
    assert_true(hash_of_lists(second, &p, &lists) == hash);
    assert_true(rp_memory_now().calls == calls);
    rp_lists_end(&lists);
    rp_neighbor_destroy(first);
    rp_neighbor_destroy(second);
    rp_grains_end(&p);
}

static void between_two_sets(void **state)
{
    (void)state;
    rp_grains a, b;
    rp_grains_begin(&a, NULL);
    rp_grains_begin(&b, NULL);
    cloud_cube(&a, 1500, 11, 0, 1);
    cloud_cube(&b, 800, 12, -0.5f, 2);
    b.x[5] = 1e9f;
    b.y[6] = NAN;
    b.z[7] = -INFINITY;
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    /* Exact-size copies, so that a read beyond the end is seen by the sanitizer. */
    float *exact[3];
    float *from[3] = {a.x, a.y, a.z};
    for (int k = 0; k < 3; k++) {
        exact[k] = malloc(a.count * sizeof(float));
        memcpy(exact[k], from[k], a.count * sizeof(float));
    }
    uint32_t wanted[1500];
    for (double radius = 0.01; radius < 5; radius *= 3) {
        check_ok(rp_neighbor_lists_between(neighbor, exact[0], exact[1], exact[2], a.count, b.x,
                                           b.y, b.z, b.count, radius, &lists, NULL),
                 NULL);
        for (size_t q = 0; q < b.count; q++) {
            size_t n = 0;
            for (uint32_t j = 0; j < a.count; j++)
                if (cloud_near(b.x[q], b.y[q], b.z[q], a.x[j], a.y[j], a.z[j], radius))
                    wanted[n++] = j;
            cloud_check_list(&lists, q, wanted, n);
        }
    }
    check_ok(rp_neighbor_lists_between(neighbor, NULL, NULL, NULL, 0, b.x, b.y, b.z, b.count, 1,
                                       &lists, NULL),
             NULL);
    assert_int_equal(lists.total, 0);
    assert_int_equal(lists.count[3], 0);
    check_ok(rp_neighbor_lists_between(neighbor, a.x, a.y, a.z, a.count, NULL, NULL, NULL, 0, 1,
                                       &lists, NULL),
             NULL);
    assert_int_equal(lists.query_count, 0);
    for (int k = 0; k < 3; k++)
        free(exact[k]);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&a);
    rp_grains_end(&b);
}

static void pieces_are_what_the_whole_is(void **state)
{
    (void)state;
    enum { EDGE = 700 }; /* not a multiple of anything inside */
    rp_neighbor *neighbor;
    rp_lists all = {0}, some = {0};
    rp_grains p;
    rp_period period = {1, {0, 0, 0}, {1, 1, 1}};
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 2000, 5, 0, 1);
    check_ok(rp_neighbor_create(NULL, &period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.1, NULL), NULL);
    check_ok(rp_neighbor_ghosts(neighbor, &p, 0.1, NULL), NULL);
    check_ok(rp_neighbor_lists(neighbor, &p, 0.1, &all, NULL), NULL);
    assert_true(all.total > p.count);
    check_ok(rp_neighbor_prepare(neighbor, &p, 0.1, NULL), NULL);
    for (size_t begin = 0; begin < p.count; begin += EDGE) {
        size_t end = begin + EDGE < p.count ? begin + EDGE : p.count;
        check_ok(rp_neighbor_lists_of(neighbor, &p, begin, end, &some, NULL), NULL);
        assert_int_equal(some.query_count, end - begin);
        for (size_t q = 0; q < some.query_count; q++) {
            assert_int_equal(some.count[q], all.count[begin + q]);
            assert_memory_equal(some.index + some.start[q], all.index + all.start[begin + q],
                                some.count[q] * sizeof *some.index);
        }
    }
    rp_neighbor_done(neighbor);
    rp_lists_end(&all);
    rp_lists_end(&some);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

static uint64_t hash_of_update(int thread_count)
{
    rp_threads *threads;
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    rp_period period = {3, {0, 0, 0}, {1, 1.1, 2}};
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 40000, 21, 0, 1);
    check_ok(rp_threads_create(thread_count, &threads, NULL), NULL);
    check_ok(rp_neighbor_create(threads, &period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.05, NULL), NULL);
    check_ok(rp_neighbor_ghosts(neighbor, &p, 0.05, NULL), NULL);
    check_ok(rp_neighbor_lists(neighbor, &p, 0.05, &lists, NULL), NULL);
    uint64_t hash = rp_hash(p.x, (p.count + p.ghosts) * sizeof *p.x, 0);
    hash = rp_hash(p.id, (p.count + p.ghosts) * sizeof *p.id, hash);
    hash = rp_hash(lists.count, p.count * sizeof *lists.count, hash);
    for (size_t i = 0; i < p.count; i++)
        hash = rp_hash(lists.index + lists.start[i], lists.count[i] * sizeof *lists.index, hash);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_threads_destroy(threads);
    rp_grains_end(&p);
    return hash;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t one = hash_of_update(1);
    assert_true(hash_of_update(2) == one);
    assert_true(hash_of_update(4) == one);
}

static void move_a_little(rp_grains *p, uint64_t seed)
{
    for (size_t i = 0; i < p->count; i++) {
        p->x[i] += 0.01f * (cloud_unit(seed, p->id[i], 0) - 0.5f);
        p->y[i] += 0.01f * (cloud_unit(seed, p->id[i], 1) - 0.5f);
    }
}

static void a_warm_update_allocates_nothing(void **state)
{
    (void)state;
    rp_threads *threads;
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    rp_period period = {1, {0, 0, 0}, {1, 0, 0}};
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 20000, 31, 0, 1);
    check_ok(rp_threads_create(2, &threads, NULL), NULL);
    check_ok(rp_neighbor_create(threads, &period, &neighbor, NULL), NULL);
    uint64_t calls = 0;
    for (int step = 0; step < 6; step++) {
        check_ok(rp_neighbor_sort(neighbor, &p, 0.07, NULL), NULL);
        check_ok(rp_neighbor_ghosts(neighbor, &p, 0.07, NULL), NULL);
        check_ok(rp_neighbor_lists(neighbor, &p, 0.07, &lists, NULL), NULL);
        if (step == 0) calls = rp_memory_now().calls;
        move_a_little(&p, (uint64_t)step);
    }
    assert_true(rp_memory_now().calls == calls);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_threads_destroy(threads);
    rp_grains_end(&p);
}

static size_t bytes_for_two_clusters(float apart)
{
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 5000, 41, 0, 1);
    cloud_cube(&p, 5000, 42, apart, 1);
    size_t before = rp_memory_now().bytes;
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.1, NULL), NULL);
    check_ok(rp_neighbor_lists(neighbor, &p, 0.1, &lists, NULL), NULL);
    size_t bytes = rp_memory_now().bytes - before;
    double each = rp_neighbor_bytes_each((double)lists.total / (double)p.count);
    assert_true((double)bytes <
                (double)p.count * each + (1 << 20)); /* and some that is there for every thread */
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
    assert_true(rp_memory_now().bytes < before);
    return bytes;
}

static void memory_follows_grains_not_space(void **state)
{
    (void)state;
    size_t near = bytes_for_two_clusters(10);
    assert_true(bytes_for_two_clusters(1e6f) < 2 * near);
}

/* With an arena to borrow from, lists are the same, and all of it goes back. */
static void room_can_be_borrowed(void **state)
{
    (void)state;
    rp_arena arena = {0};
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 3000, 43, 0, 1);
    size_t held = rp_memory_now().bytes;
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_lists(neighbor, &p, 0.1, &lists, NULL), NULL);
    size_t own = rp_memory_now().bytes - held;
    rp_neighbor_borrow(neighbor, &arena);
    assert_true(rp_memory_now().bytes - held < own - 3000 * 24);
    char *kept = rp_arena_take(&arena, 1000);
    memset(kept, 7, 1000);
    size_t mark = rp_arena_mark(&arena);
    for (int round = 0; round < 3; round++) {
        check_ok(rp_neighbor_lists(neighbor, &p, 0.1, &lists, NULL), NULL);
        check_against_twin(&p, &lists, 0.1);
        if (round) check_ok(rp_neighbor_sort(neighbor, &p, 0.1, NULL), NULL);
        assert_int_equal(rp_arena_mark(&arena), mark);
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(kept[i], 7);
    rp_arena_destroy(&arena);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    assert_int_equal(rp_memory_now().bytes, held);
    rp_grains_end(&p);
}

/* An allocator that refuses large blocks stands for a machine without enough memory. */
static size_t largest_block = SIZE_MAX;
static rp_hooks plain_hooks;

static void *allocate_up_to(void *user, size_t size, size_t alignment)
{
    return size > largest_block ? NULL : plain_hooks.allocate(user, size, alignment);
}

static void absurd_lists_are_an_error(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 3000, 51, 1, 0);
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    largest_block = 10 << 20;
    assert_int_equal(rp_neighbor_lists(neighbor, &p, 0.1, &lists, report), RP_ERROR_MEMORY);
    assert_int_equal(rp_report_count(report), 1);
    largest_block = SIZE_MAX;
    check_ok(rp_neighbor_lists(neighbor, &p, 0.1, &lists, report), report);
    assert_int_equal(lists.total, 3000 * 2999);
    assert_true(lists.index_capacity < 3000 * 2999 * 5 / 4);
    rp_report_clear(report);
    rp_lists_end(&lists);
    rp_budget budget = {.limit = 1000000}, *before = rp_budget_enter(&budget);
    assert_int_equal(rp_neighbor_lists(neighbor, &p, 0.1, &lists, report), RP_ERROR_MEMORY);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "neighbor lists"));
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "limit of 1.0 MB"));
    assert_true(budget.used < 1000000);
    rp_lists_end(&lists);
    rp_budget_enter(before);
    const double bad[] = {0, -1, NAN, INFINITY, 1e30};
    for (int i = 0; i < 5; i++)
        assert_int_equal(rp_neighbor_lists(neighbor, &p, bad[i], &lists, NULL), RP_ERROR_INPUT);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
    rp_report_destroy(report);
}

/* Twice as many side by side are dense, grains without number at one place are a crowd. */
static void a_crowd_is_refused_before_it_is_listed(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 16000, 52, 0, 1); /* 16 in a cell of a tenth */
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    rp_neighbor_limit_occupancy(neighbor, 8);
    check_ok(rp_neighbor_lists(neighbor, &p, 0.1, &lists, report), report);
    cloud_cube(&p, 300, 53, 0.501f, 0.01f);
    assert_int_equal(rp_neighbor_lists(neighbor, &p, 0.1, &lists, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "grains lie within 0.1 m of [0.5"));
    rp_report_clear(report);
    rp_neighbor_limit_occupancy(neighbor, 1.5); /* no cell is a crowd, but all together are */
    rp_grains_end(&p);
    rp_grains_begin(&p, NULL);
    cloud_cube(&p, 16000, 52, 0, 1);
    assert_int_equal(rp_neighbor_lists(neighbor, &p, 0.1, &lists, report), RP_ERROR_INPUT);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
    rp_report_destroy(report);
}

/* As after a resume: the same grains in a search that has just been made give the same lists. */
static void lists_do_not_depend_on_what_was_done_before(void **state)
{
    (void)state;
    rp_neighbor *old, *fresh;
    rp_grains p;
    rp_lists before = {0}, after = {0};
    check_ok(rp_grains_begin(&p, NULL), NULL);
    cloud_cube(&p, 5000, 12, 0, 1);
    check_ok(rp_neighbor_create(NULL, NULL, &old, NULL), NULL);
    check_ok(rp_neighbor_create(NULL, NULL, &fresh, NULL), NULL);
    check_ok(rp_neighbor_sort(old, &p, 0.11, NULL), NULL);
    check_ok(rp_neighbor_lists(old, &p, 0.1, &before, NULL), NULL);
    check_ok(rp_neighbor_lists(fresh, &p, 0.1, &after, NULL), NULL);
    assert_int_equal(before.total, after.total);
    for (size_t i = 0; i < p.count; i++) {
        assert_int_equal(before.count[i], after.count[i]);
        assert_memory_equal(before.index + before.start[i], after.index + after.start[i],
                            before.count[i] * sizeof *before.index);
    }
    rp_lists_end(&before);
    rp_lists_end(&after);
    rp_neighbor_destroy(old);
    rp_neighbor_destroy(fresh);
    rp_grains_end(&p);
}

/* Who reads in eights reads behind lists: what is there must be somebody's number. And lists of
 * queries that follow one another lie so, but for the ends of blocks and of pieces. */
static void check_places(const rp_grains *p, const rp_lists *lists, size_t pieces)
{
    size_t all = p->count + p->ghosts, sum = 0, leaps = 0;
    for (size_t i = 0; i < p->count; i++) {
        size_t end = lists->start[i] + lists->count[i];
        assert_true(end <= lists->extent);
        for (size_t k = 0; k < 8; k++)
            assert_true(lists->index[end + k] < all);
        leaps += i > 0 && lists->start[i] != lists->start[i - 1] + lists->count[i - 1];
        sum += lists->count[i];
    }
    assert_int_equal(lists->total, sum);
    assert_true(leaps <= pieces);
    assert_true(lists->extent >= sum && lists->extent < sum + sum / 8);
}

static void lists_lie_one_behind_the_other(void **state)
{
    (void)state;
    rp_grains p;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    cloud_cube(&p, 40000, 31, 0, 1);
    for (int count = 1; count <= 4; count++) {
        rp_threads *threads;
        rp_neighbor *neighbor;
        rp_lists lists = {0};
        check_ok(rp_threads_create(count, &threads, NULL), NULL);
        check_ok(rp_neighbor_create(threads, NULL, &neighbor, NULL), NULL);
        check_ok(rp_neighbor_sort(neighbor, &p, 0.03, NULL), NULL);
        for (int again = 0; again < 3; again++) {
            check_ok(rp_neighbor_lists(neighbor, &p, 0.03, &lists, NULL), NULL);
            size_t piece = 40000 / (size_t)count / 2;
            check_places(&p, &lists, count == 1 ? 0 : lists.extent / piece + 40000 / 512 + 1);
            if (count == 1) assert_int_equal(lists.extent, lists.total);
        }
        rp_lists_end(&lists);
        rp_neighbor_destroy(neighbor);
        rp_threads_destroy(threads);
    }
    rp_grains_end(&p);
}

int main(void)
{
    rp_hooks hooks = plain_hooks = rp_default_hooks();
    hooks.allocate = allocate_up_to;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_do_not_depend_on_what_was_done_before),
        cmocka_unit_test(lists_lie_one_behind_the_other),
        cmocka_unit_test(radii_and_cells_of_all_sizes),
        cmocka_unit_test(distances_that_are_just_the_radius),
        cmocka_unit_test(flat_and_long_clouds),
        cmocka_unit_test(few_grains),
        cmocka_unit_test(far_flyers_and_lost_grains),
        cmocka_unit_test(grains_heaped_on_one_spot),
        cmocka_unit_test(scratches_follow_what_cells_hold),
        cmocka_unit_test(between_two_sets),
        cmocka_unit_test(pieces_are_what_the_whole_is),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_warm_update_allocates_nothing),
        cmocka_unit_test(memory_follows_grains_not_space),
        cmocka_unit_test(room_can_be_borrowed),
        cmocka_unit_test(absurd_lists_are_an_error),
        cmocka_unit_test(a_crowd_is_refused_before_it_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
