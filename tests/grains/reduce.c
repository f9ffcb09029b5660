/* Sums, means and maxima over grains: the right values, and the same bits for any threads. */
#include "check.h"

#include "base/random.h"
#include "base/report.h"
#include "grains/reduce.h"

#include <string.h>

#define GRAINS 5000

static void fill(rp_grains *p)
{
    size_t first;
    check_ok(rp_grains_begin(p, NULL), NULL);
    check_ok(rp_grains_append(p, GRAINS, &first, NULL), NULL);
    for (size_t i = 0; i < GRAINS; i++) {
        rp_random4 r = rp_random(7, RP_RANDOM_TEST, i);
        p->mass[i] = rp_random_unit(r.bits[0]);
        p->vx[i] = rp_random_unit(r.bits[1]);
        p->vz[i] = -rp_random_unit(r.bits[2]);
    }
}

static double mass_of_range(void *context, rp_range range)
{
    const rp_grains *p = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += p->mass[i];
    return sum;
}

static double heaviest_of_range(void *context, rp_range range)
{
    const rp_grains *p = context;
    double most = 0;
    for (size_t i = range.begin; i < range.end; i++)
        most = fmax(most, p->mass[i]);
    return most;
}

static void sums_means_and_maxima_are_right(void **state)
{
    (void)state;
    rp_grains p;
    rp_threads *threads;
    fill(&p);
    check_ok(rp_threads_create(3, &threads, NULL), NULL);
    double sum = rp_reduce_sum(&p, NULL, 64, mass_of_range, &p), most = 0;
    for (size_t i = 0; i < GRAINS; i++)
        most = fmax(most, p.mass[i]);
    check_near(sum, mass_of_range(&p, (rp_range){0, GRAINS, 0}), 1e-9);
    assert_true(sum == rp_reduce_sum(&p, threads, 64, mass_of_range, &p));
    assert_true(rp_reduce_count(&p) == GRAINS);
    assert_true(rp_reduce_mean(&p, threads, 64, mass_of_range, &p) == sum / GRAINS);
    assert_true(rp_reduce_max(&p, threads, 64, heaviest_of_range, &p) == most);
    p.count = 0;
    assert_true(rp_reduce_mean(&p, threads, 64, mass_of_range, &p) == 0);
    assert_true(rp_grains_max_speed(&p, threads) == 0);
    rp_threads_destroy(threads);
    rp_grains_end(&p);
}

static void the_first_of_the_worst_is_told(void **state)
{
    (void)state;
    const float largest[] = {-1, 3, 2, 3};
    const rp_grain_value blocks[] = {{-1, 10}, {3, 11}, {2, 12}, {3, 13}};
    const double sums[] = {1, 1e-3, 3};
    assert_true(rp_reduce_blocks(sums, 3) == 1 + 1e-3 + 3);
    assert_true(rp_reduce_largest(largest, 4) == 3);
    assert_true(rp_reduce_largest(largest, 1) == 0);
    assert_int_equal(rp_reduce_worst(blocks, 4).id, 11);
    assert_true(rp_reduce_worst(blocks, 4).value == 3);
    assert_true(rp_reduce_worst(blocks, 1).value == 0);
}

static void grains_that_move_too_far_are_named(void **state)
{
    (void)state;
    rp_grains p;
    fill(&p);
    p.vy[1234] = 100;
    double speed = rp_grains_max_speed(&p, NULL);
    check_near(speed, 100, 0.02);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_grains_check_travel(&p, speed, 0, 0.01, 2, "why not", report), RP_OK);
    assert_int_equal(rp_grains_check_travel(&p, speed, 0.5, 0.01, 0.5, "too fast", report),
                     RP_ERROR_NUMERIC);
    char expected[64], said[512];
    rp_fault_text(rp_report_fault(report, 0), said, sizeof said);
    snprintf(expected, sizeof expected, "at 0.5 s grain %u goes at ", p.id[1234]);
    assert_non_null(strstr(said, expected));
    assert_non_null(strstr(said, "too fast"));
    rp_report_destroy(report);
    rp_grains_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_means_and_maxima_are_right),
        cmocka_unit_test(the_first_of_the_worst_is_told),
        cmocka_unit_test(grains_that_move_too_far_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
