/* Option structs of callers that are older, newer, or not made by rp_default_...(). */
#include "check.h"

#include "base/options.h"

#include <string.h>

/* What a library of today knows, and what a program of yesterday did. */
typedef struct today {
    size_t size;
    int first, second;
    double third;
} today;
typedef struct yesterday {
    size_t size;
    int first;
} yesterday;
typedef struct tomorrow {
    size_t size;
    int first, second;
    double third, fourth;
} tomorrow;

static const today defaults = {sizeof(today), 1, 2, 3};

static void takes_equal(void **state)
{
    (void)state;
    today own = defaults, given = {sizeof given, 10, 20, 30};
    assert_int_equal(rp_options_take(&own, sizeof own, &given, "f", "options", NULL), RP_OK);
    assert_memory_equal(&own, &given, sizeof own);
    own = defaults;
    assert_int_equal(rp_options_take(&own, sizeof own, NULL, "f", "options", NULL), RP_OK);
    assert_memory_equal(&own, &defaults, sizeof own);
}

static void takes_shorter(void **state)
{
    (void)state;
    today own = defaults;
    yesterday given = {offsetof(today, second), 10};
    assert_int_equal(rp_options_take(&own, sizeof own, &given, "f", "options", NULL), RP_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.first, 10);
    assert_int_equal(own.second, 2);
    assert_true(own.third == 3);
}

static void refuse(const void *given, const char *message)
{
    today own = defaults;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_options_take(&own, sizeof own, given, "rp_make", "options", report),
                     RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 1);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, message));
    assert_memory_equal(&own, &defaults, sizeof own);
    rp_report_destroy(report);
}

static void refuses_others(void **state)
{
    (void)state;
    today zero = {0}, tiny = {.size = 4};
    tomorrow newer = {.size = sizeof newer};
    refuse(&zero, "rp_make: options->size is 0; begin with");
    refuse(&tiny, "rp_make: options->size is 4, this library");
    refuse(&newer, "built for a newer one?");
}

/* A shorter struct of an older program is filled as far as it goes, a longer one is zero beyond. */
static void defaults_fit_the_struct_of_the_caller(void **state)
{
    (void)state;
    const struct {
        size_t size;
        int first, second;
    } own = {sizeof own, 3, 4};
    unsigned char given[2 * sizeof own];
    memset(given, 0xab, sizeof given);
    rp_options_give(given, sizeof(size_t), &own, sizeof own);
    rp_options_give(NULL, sizeof own, &own, sizeof own);
    assert_memory_equal(given, &own, sizeof(size_t));
    assert_int_equal(given[sizeof(size_t)], 0xab);
    rp_options_give(given, sizeof given, &own, sizeof own);
    assert_memory_equal(given, &own, sizeof own);
    for (size_t i = sizeof own; i < sizeof given; i++)
        assert_int_equal(given[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fit_the_struct_of_the_caller), cmocka_unit_test(takes_equal),
        cmocka_unit_test(takes_shorter), cmocka_unit_test(refuses_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
