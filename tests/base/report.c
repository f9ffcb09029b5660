/* Faults have their evidence and read well; options of callers that are older, newer, or not made
 * by rp_default_...(). */
#include "check.h"

#include "base/report.h"
#include "repose/text.h"

#include <errno.h>
#include <string.h>

static void faults_have_their_evidence(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_place place = {.file = "a.yaml", .line = 3, .column = 5, .excerpt = "    angle: 400\n"};
    assert_int_equal(
        rp_fail_at(report, RP_ERROR_INPUT, &place, "materials.sand.angle", "%d is too much", 400),
        RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 1);
    char text[256];
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    assert_string_equal(text, "a.yaml:3:5: materials.sand.angle: 400 is too much\n"
                              "        angle: 400\n"
                              "        ^");
    assert_null(rp_report_fault(report, 1));
    rp_report_clear(report);
    assert_int_equal(rp_report_count(report), 0);
    rp_report_destroy(report);
}

static void places_may_be_partly_known(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_place file_only = {.file = "b"}, line_only = {.file = "b", .line = 2};
    rp_fail(report, RP_ERROR_IO, "plain");
    rp_fail_at(report, RP_ERROR_IO, &file_only, NULL, "m");
    rp_fail_at(report, RP_ERROR_IO, &line_only, "k", "m");
    const char *const expected[] = {"plain", "b: m", "b:2: k: m"};
    for (int i = 0; i < 3; i++) {
        char text[64];
        rp_fault_text(rp_report_fault(report, i), text, sizeof text);
        assert_string_equal(text, expected[i]);
    }
    rp_report_destroy(report);
}

static void many_faults_are_counted_not_stored(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    for (int i = 0; i < 100000; i++)
        rp_fail(report, RP_ERROR_INPUT, "fault %d", i);
    assert_int_equal(rp_report_count(report), 100);
    assert_int_equal(rp_report_total(report), 100000);
    rp_report_destroy(report);
}

static void the_report_may_be_null(void **state)
{
    (void)state;
    assert_int_equal(rp_fail(NULL, RP_ERROR_IO, "unheard"), RP_ERROR_IO);
    assert_int_equal(rp_report_count(NULL), 0);
    rp_report_destroy(NULL);
}

/* Reports are printed: nothing in them may command a terminal. */
static void control_characters_become_visible(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_place place = {.file = "a\033[1m\nb", .line = 1, .column = 1, .excerpt = "x\033\302\233y"};
    rp_fail_at(report, RP_ERROR_INPUT, &place, "k\a",
               "t\302\233 u\342\200\256 \377 \303\274\n\tok");
    const rp_fault *fault = rp_report_fault(report, 0);
    assert_string_equal(fault->file, "a\\x1b[1m\\x0ab");
    assert_string_equal(fault->key, "k\\x07");
    assert_string_equal(fault->message, "t\\x9b u\\u202e \\xff \303\274\n\tok");
    assert_string_equal(fault->excerpt, "x   y");
    rp_report_destroy(report);
}

static void texts_that_do_not_fit_are_cut_between_characters(void **state)
{
    (void)state;
    char text[6];
    assert_string_equal(rp_text_plain("ab\033c", false, text, sizeof text), "ab");
    assert_string_equal(rp_text_plain("abcd\303\274", false, text, sizeof text), "abcd");
    assert_string_equal(rp_text_plain(NULL, false, text, sizeof text), "");
    assert_int_equal(rp_character_code("\360\237\230\200"), 0x1f600);
    assert_int_equal(rp_character_length("\355\240\200"), 0); /* a surrogate */
}

static void a_full_disk_has_a_code_of_its_own(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_fail_errno(report, ENOSPC, "f", "write"), RP_ERROR_SPACE);
    assert_int_equal(rp_fail_errno(report, EACCES, "f", "write"), RP_ERROR_IO);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "repose resume"));
    assert_string_equal(rp_report_fault(report, 1)->message, "cannot write: Permission denied");
    rp_report_destroy(report);
}

static void every_code_has_a_word(void **state)
{
    (void)state;
    for (int code = RP_OK; code <= RP_INTERRUPTED; code++)
        assert_string_not_equal(rp_code_text((rp_code)code), "unknown");
}

/* --- options of callers ----------------------------------------------------------------------- */

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
        cmocka_unit_test(faults_have_their_evidence),
        cmocka_unit_test(places_may_be_partly_known),
        cmocka_unit_test(many_faults_are_counted_not_stored),
        cmocka_unit_test(the_report_may_be_null),
        cmocka_unit_test(control_characters_become_visible),
        cmocka_unit_test(texts_that_do_not_fit_are_cut_between_characters),
        cmocka_unit_test(a_full_disk_has_a_code_of_its_own),
        cmocka_unit_test(every_code_has_a_word),
        cmocka_unit_test(defaults_fit_the_struct_of_the_caller),
        cmocka_unit_test(takes_equal),
        cmocka_unit_test(takes_shorter),
        cmocka_unit_test(refuses_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
