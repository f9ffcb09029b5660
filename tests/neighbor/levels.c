/* Grains of very different sizes: the size levels find what a test of all pairs finds. */
#include "neighbor/cloud.h"

#include "base/memory.h"
#include "base/random.h"

#define SMALLEST 0.004 /* m */
#define COUNT 3000

/* A cloud, and what searches it. */
typedef struct search {
    rp_threads *threads;
    rp_neighbor *neighbor;
    rp_arena arena;
    rp_grains p;
    rp_lists own; /* in a grain's own level */
} search;

static void begin(search *s, int threads, const rp_period *period)
{
    *s = (search){0};
    check_ok(rp_threads_create(threads, &s->threads, NULL), NULL);
    check_ok(rp_neighbor_create(s->threads, period, &s->neighbor, NULL), NULL);
    rp_neighbor_borrow(s->neighbor, &s->arena);
    check_ok(rp_grains_begin(&s->p, NULL), NULL);
    check_ok(rp_grains_add_shapes(&s->p, false, NULL), NULL);
    s->p.bare_ghosts = true;
}

static void end(search *s)
{
    rp_lists_end(&s->own);
    rp_neighbor_destroy(s->neighbor);
    rp_grains_end(&s->p);
    rp_arena_destroy(&s->arena);
    rp_threads_destroy(s->threads);
}

static rp_reach reach_of(double ratio)
{
    return (rp_reach){
        .smallest = SMALLEST, .largest = ratio * SMALLEST, .part = 1.05, .skin = SMALLEST / 10};
}

/* Sizes spread evenly over their logarithms, or with `two` only the smallest and the largest. */
static void set_sizes(rp_grains *p, double ratio, bool two)
{
    for (size_t i = 0; i < p->count; i++) {
        double part = (double)cloud_unit(77, i, 3);
        if (two) part = part < 0.02;
        p->diameter[i] = (float)(SMALLEST * pow(ratio, part));
    }
}

/* Leaves the search prepared. */
static void find(search *s, const rp_reach *reach)
{
    check_ok(rp_neighbor_sort_by_size(s->neighbor, &s->p, reach, NULL), NULL);
    check_ok(rp_neighbor_ghosts_by_size(s->neighbor, &s->p, reach, NULL), NULL);
    check_ok(rp_neighbor_prepare_by_size(s->neighbor, &s->p, reach, NULL), NULL);
    check_ok(rp_neighbor_lists_of(s->neighbor, &s->p, 0, s->p.count, &s->own, NULL), NULL);
}

/* m, the short way round periods. */
static double way(const rp_period *period, int axis, double difference)
{
    const double low[3] = {period->low.x, period->low.y, period->low.z};
    const double high[3] = {period->high.x, period->high.y, period->high.z};
    double length = high[axis] - low[axis];
    return period->axes >> axis & 1 ? difference - length * round(difference / length) : difference;
}

/* How often each grain is in the lists of grain i. */
static void count_listed(const search *s, size_t i, uint8_t *times)
{
    const rp_lists *across = rp_neighbor_cross_level_lists(s->neighbor);
    memset(times, 0, s->p.count);
    for (uint32_t n = 0; n < s->own.count[i]; n++)
        times[rp_neighbor_own(&s->p, s->own.index[s->own.start[i] + n])]++;
    for (uint32_t n = 0; across->query_count && n < across->count[i]; n++)
        times[across->index[across->start[i] + n]]++;
}

/* Every neighbor is listed once, no grain twice, and few grains beyond the reach. */
static void check_against_twin(const search *s, const rp_reach *reach, const rp_period *period)
{
    const rp_grains *p = &s->p;
    uint8_t *times = malloc(p->count);
    size_t near = 0, listed = 0;
    for (size_t i = 0; i < p->count; i++) {
        count_listed(s, i, times);
        assert_int_equal(times[i], 0);
        for (size_t j = 0; j < p->count; j++) {
            double x = way(period, 0, (double)p->x[i] - (double)p->x[j]);
            double y = way(period, 1, (double)p->y[i] - (double)p->y[j]);
            double z = way(period, 2, (double)p->z[i] - (double)p->z[j]);
            double both = (double)p->diameter[i] + (double)p->diameter[j];
            bool is_near =
                sqrt(x * x + y * y + z * z) < reach->part * both / 2 + reach->skin - 1e-6;
            assert_true(times[j] <= 1);
            if (is_near && i != j) assert_int_equal(times[j], 1);
            near += is_near && i != j;
            listed += times[j];
        }
    }
    assert_true(near > 100);
    assert_true(listed < 8 * near);
    free(times);
}

static void check_cloud(double ratio, bool two, const rp_period *period)
{
    search s;
    rp_reach reach = reach_of(ratio);
    begin(&s, 2, period);
    cloud_cube(&s.p, COUNT, (uint64_t)ratio, -0.02f, 0.21f);
    set_sizes(&s.p, ratio, two);
    find(&s, &reach);
    check_against_twin(&s, &reach, period);
    rp_neighbor_done(s.neighbor);
    end(&s);
}

static const double ratios[] = {1, 3, 10, 30, 100};

static void all_ratios_as_their_twin(void **state)
{
    (void)state;
    rp_period open = {0};
    for (int r = 0; r < 5; r++) {
        check_cloud(ratios[r], false, &open);
        check_cloud(ratios[r], true, &open);
    }
}

/* Twice the largest reach is shorter than the box. */
static void periodic_sides_as_their_twin(void **state)
{
    (void)state;
    const double most[] = {1, 3, 10, 20};
    for (unsigned axes = 1; axes <= 7; axes += 2)
        for (int r = 0; r < 4; r++) {
            rp_period period = {axes, {0, 0, 0}, {0.19, 0.2, 0.18}};
            check_cloud(most[r], r % 2, &period);
        }
}

/* The largest grain that a ratio of a hundred gives, in a period that just has room for it. */
static void a_hundred_in_the_narrowest_period(void **state)
{
    (void)state;
    rp_reach reach = reach_of(100);
    double edge = 2 * (reach.part * reach.largest + reach.skin);
    rp_period period = {7, {-0.1, 0.2, 5}, {-0.1 + edge, 0.2 + edge, 5 + edge}};
    search s;
    begin(&s, 2, &period);
    cloud_fill(&s.p, COUNT, 4, (const float[]){-0.1f, 0.2f, 5},
               (const float[]){(float)edge, (float)edge, (float)edge});
    set_sizes(&s.p, 100, true);
    find(&s, &reach);
    check_against_twin(&s, &reach, &period);
    rp_neighbor_done(s.neighbor);
    end(&s);
}

/* Grains far away, or without a position, cost nothing and have no neighbors. */
static void strays_are_kept(void **state)
{
    (void)state;
    search s;
    rp_reach reach = reach_of(100);
    rp_period open = {0};
    begin(&s, 2, NULL);
    cloud_cube(&s.p, COUNT, 8, 0, 0.2f);
    set_sizes(&s.p, 100, true);
    const float far_off[] = {1e9f, -3e37f, 4e4f};
    for (size_t i = 0; i < 3; i++)
        s.p.x[100 * i] = far_off[i];
    find(&s, &reach);
    check_against_twin(&s, &reach, &open);
    rp_neighbor_done(s.neighbor);
    uint32_t nowhere = s.p.id[500];
    s.p.y[500] = NAN;
    find(&s, &reach);
    const rp_lists *across = rp_neighbor_cross_level_lists(s.neighbor);
    for (size_t i = 0; i < s.p.count; i++)
        if (s.p.id[i] == nowhere) assert_int_equal(s.own.count[i] + across->count[i], 0);
    rp_neighbor_done(s.neighbor);
    end(&s);
}

static uint64_t hash_of(int threads)
{
    search s;
    rp_reach reach = reach_of(30);
    rp_period period = {3, {0, 0, 0}, {0.5, 0.5, 0.5}};
    begin(&s, threads, &period);
    cloud_cube(&s.p, 30000, 6, 0, 0.5f);
    set_sizes(&s.p, 30, false);
    find(&s, &reach);
    const rp_lists *across = rp_neighbor_cross_level_lists(s.neighbor);
    uint64_t hash = rp_hash(s.p.x, (s.p.count + s.p.ghosts) * sizeof *s.p.x, 0);
    hash = rp_hash(across->index, across->total * sizeof *across->index, hash);
    for (size_t i = 0; i < s.p.count; i++)
        hash = rp_hash(s.own.index + s.own.start[i], s.own.count[i] * sizeof *s.own.index, hash);
    rp_neighbor_done(s.neighbor);
    end(&s);
    return hash;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t one = hash_of(1);
    assert_true(hash_of(2) == one);
    assert_true(hash_of(4) == one);
}

static void a_warm_search_allocates_nothing(void **state)
{
    (void)state;
    search s;
    rp_reach reach = reach_of(30);
    rp_period period = {1, {0, 0, 0}, {0.5, 0, 0}};
    begin(&s, 2, &period);
    cloud_cube(&s.p, 20000, 31, 0, 0.5f);
    set_sizes(&s.p, 30, false);
    uint64_t calls = 0;
    for (int step = 0; step < 6; step++) {
        rp_arena_reset(&s.arena);
        find(&s, &reach);
        rp_neighbor_done(s.neighbor);
        if (step == 2) calls = rp_memory_now().calls;
        for (size_t i = 0; i < s.p.count; i++)
            s.p.y[i] += 1e-4f * (cloud_unit((uint64_t)step, s.p.id[i], 0) - 0.5f);
    }
    assert_true(rp_memory_now().calls == calls);
    end(&s);
}

/* Ghosts of small grains reach no further than themselves: most grains have none. */
static void small_grains_have_few_ghosts(void **state)
{
    (void)state;
    search s;
    rp_reach reach = reach_of(50);
    rp_period period = {7, {0, 0, 0}, {0.5, 0.5, 0.5}};
    begin(&s, 2, &period);
    cloud_cube(&s.p, 20000, 3, 0, 0.5f);
    for (size_t i = 0; i < s.p.count; i++)
        s.p.diameter[i] = (float)(i ? SMALLEST : 50 * SMALLEST);
    find(&s, &reach);
    assert_true(s.p.ghosts > 0 && s.p.ghosts < s.p.count / 10);
    rp_neighbor_done(s.neighbor);
    check_ok(rp_neighbor_ghosts(s.neighbor, &s.p, 50 * SMALLEST, NULL), NULL);
    assert_true(s.p.ghosts > 3 * s.p.count);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ratios_as_their_twin),
        cmocka_unit_test(periodic_sides_as_their_twin),
        cmocka_unit_test(a_hundred_in_the_narrowest_period),
        cmocka_unit_test(strays_are_kept),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_warm_search_allocates_nothing),
        cmocka_unit_test(small_grains_have_few_ghosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
