/* Loops over the pool: every item once, sums with the same bits for any number of threads. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <stdlib.h>

#define COUNT 100003

static void add_one(void *context, rp_range range)
{
    int *visits = context;
    for (size_t i = range.begin; i < range.end; i++)
        visits[i]++;
}

static void every_item_is_visited_once(void **state)
{
    (void)state;
    int *visits = calloc(COUNT, sizeof *visits);
    const int thread_counts[] = {1, 2, 4, 7};
    for (int t = 0; t < 4; t++) {
        rp_threads *threads;
        assert_int_equal(rp_threads_create(thread_counts[t], &threads, NULL), RP_OK);
        for (int repeat = 0; repeat < 50; repeat++)
            rp_parallel_for(threads, COUNT, 1 + (size_t)repeat * 97, add_one, visits);
        rp_threads_destroy(threads);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(visits[i], 200);
    free(visits);
}

static double range_sum(void *context, rp_range range)
{
    (void)context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += 1.0 / (1.0 + rp_random(1, RP_RANDOM_TEST, i).bits[0]);
    return sum;
}

static double range_max(void *context, rp_range range)
{
    (void)context;
    double most = 0;
    for (size_t i = range.begin; i < range.end; i++)
        most = fmax(most, rp_random(1, RP_RANDOM_TEST, i).bits[0]);
    return most;
}

static void sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    double sum = rp_parallel_sum(NULL, COUNT, 7, range_sum, NULL);
    double most = rp_parallel_max(NULL, COUNT, 7, range_max, NULL);
    check_near(sum, range_sum(NULL, (rp_range){0, COUNT, 0}), 1e-12 * sum);
    assert_true(most == range_max(NULL, (rp_range){0, COUNT, 0}));
    for (int count = 1; count <= 5; count++) {
        rp_threads *threads;
        assert_int_equal(rp_threads_create(count, &threads, NULL), RP_OK);
        assert_true(rp_parallel_sum(threads, COUNT, 7, range_sum, NULL) == sum);
        assert_true(rp_parallel_max(threads, COUNT, 7, range_max, NULL) == most);
        assert_true(rp_parallel_sum(threads, 0, 7, range_sum, NULL) == 0);
        rp_threads_destroy(threads);
    }
}

static int tasks_run;

static void run_in_turn(void *user, int tasks, void (*task)(void *, int), void *argument)
{
    (void)user;
    for (int i = 0; i < tasks; i++, tasks_run++)
        task(argument, i);
}

static void a_host_program_lends_its_threads(void **state)
{
    (void)state;
    rp_executor executor = {.threads = 3, .run = run_in_turn};
    rp_threads *threads;
    assert_int_equal(rp_threads_create_from(&executor, &threads, NULL), RP_OK);
    int *visits = calloc(COUNT, sizeof *visits);
    rp_parallel_for(threads, COUNT, 100, add_one, visits);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(visits[i], 1);
    assert_int_equal(tasks_run, 3);
    free(visits);
    rp_threads_destroy(threads);
}

static void absurd_counts_are_refused(void **state)
{
    (void)state;
    rp_threads *threads;
    assert_int_equal(rp_threads_create(-1, &threads, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_threads_create(1 << 30, &threads, NULL), RP_ERROR_INPUT);
    assert_null(threads);
}

static void count_in_scratch(void *context, rp_range range)
{
    size_t *items = rp_scratch_of(context, range.worker);
    *items += range.end - range.begin;
}

/* Workers that share a piece would lose items, as those that write to one place at once do. */
static void every_worker_has_its_own_scratch(void **state)
{
    (void)state;
    rp_threads *threads;
    rp_scratch scratch;
    assert_int_equal(rp_threads_create(5, &threads, NULL), RP_OK);
    assert_int_equal(rp_scratch_begin(&scratch, 5, sizeof(size_t), "a test", NULL), RP_OK);
    for (int repeat = 0; repeat < 20; repeat++)
        rp_parallel_for(threads, COUNT, 10, count_in_scratch, &scratch);
    size_t total = 0;
    for (int i = 0; i < 5; i++) {
        total += *(size_t *)rp_scratch_of(&scratch, i);
        assert_int_equal((uintptr_t)rp_scratch_of(&scratch, i) % RP_ALIGNMENT, 0);
    }
    assert_int_equal(total, 20 * COUNT);
    rp_scratch_end(&scratch);
    rp_threads_destroy(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(a_host_program_lends_its_threads),
        cmocka_unit_test(absurd_counts_are_refused),
        cmocka_unit_test(every_worker_has_its_own_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
