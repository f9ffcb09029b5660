/* Measurements through the public interface: of a view, and of a run. */
#include "worlds.h"

#include "repose/repose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char work[] = "/tmp/repose-measure-XXXXXX";
static rp_report *report;
static rp_scene *scene;
static rp_record *record;

static double number_of(const rp_measured *numbers, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(numbers[i].name, name) == 0) return numbers[i].value;
    fail_msg("there is no number '%s'", name);
    return NAN;
}

static void every_kind_measures_a_view(void **state)
{
    (void)state;
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    rp_measure_input in = {.view = &view, .scene = scene};
    for (int i = 0; i < rp_measure_count(); i++) {
        rp_measure_info kind = rp_measure_info_at(i);
        rp_measured numbers[RP_MEASURED_MAX];
        int count = 0;
        rp_table table = {0};
        assert_string_equal(rp_measure_info_of(kind.name).help, kind.help);
        /* A kind gives numbers or a table, never both. */
        rp_code wrong = kind.is_table ? rp_measure_numbers(kind.name, &in, numbers, &count, NULL)
                                      : rp_measure_table(kind.name, &in, &table, NULL);
        assert_int_equal(wrong, RP_ERROR_INPUT);
        if (kind.is_table || kind.of_body || kind.of_contacts) continue;
        rp_measure_numbers(kind.name, &in, numbers, &count, NULL);
        assert_true(count > 0 && count <= RP_MEASURED_MAX);
    }
    assert_null(rp_measure_info_at(rp_measure_count()).name);
    assert_null(rp_measure_info_of("enrgy").name);
    rp_world_destroy(world);
}

static void numbers_are_those_of_the_view(void **state)
{
    (void)state;
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input in = {.view = &view, .scene = scene, .options = &options};
    rp_measured numbers[RP_MEASURED_MAX];
    int count = 0;
    check_ok(rp_measure_numbers("count", &in, numbers, &count, report), report);
    assert_true(number_of(numbers, count, "grains") == (double)view.count);
    options.plane_axis = 3;
    assert_int_equal(rp_measure_numbers("count", &in, numbers, &count, NULL), RP_ERROR_INPUT);
    options = rp_default_measure_options();
    options.quantity = RP_BODY_QUANTITIES;
    assert_int_equal(rp_measure_numbers("body", &in, numbers, &count, NULL), RP_ERROR_INPUT);
    options.size = 0;
    assert_int_equal(rp_measure_numbers("count", &in, numbers, &count, NULL), RP_ERROR_INPUT);
    rp_world_destroy(world);
}

static void a_run_gives_a_series(void **state)
{
    (void)state;
    rp_measure_series *series = NULL;
    check_ok(rp_record_measure(record, "count", NULL, &series, report), report);
    const rp_table *table = rp_measure_series_table(series);
    assert_int_equal(table->rows, rp_series_count(rp_record_series(record, RP_SERIES_COARSE)));
    assert_string_equal(table->columns[0].name, "frame");
    assert_string_equal(table->columns[1].unit, "s");
    double times[16];
    assert_true(table->rows <= 16);
    rp_table_column(table, 1, times);
    for (size_t i = 1; i < table->rows; i++)
        assert_true(times[i] > times[i - 1]);
    assert_true(table->values[2] > 0); /* grains of the first frame */
    rp_measure_series_destroy(series);

    rp_measure_options options = rp_default_measure_options();
    options.plane_axis = 2;
    check_ok(rp_record_measure(record, "flow", &options, &series, report), report);
    assert_int_equal(rp_measure_series_table(series)->rows,
                     rp_series_count(rp_record_series(record, RP_SERIES_COARSE)) - 1);
    rp_measure_series_destroy(series);
    assert_int_equal(rp_record_measure(record, "height-profile", NULL, &series, report),
                     RP_ERROR_INPUT);
    assert_null(series);
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(work));
    report = rp_report_create();
    scene = scene_of(BUSY_SCENE);
    rp_run_options options = rp_default_run_options();
    options.folder = work;
    options.frames = 3;
    check_ok(rp_run(scene, &options, NULL, report), report);
    check_ok(rp_record_open(work, &record, report), report);
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", work);
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_measures_a_view),
                                       cmocka_unit_test(numbers_are_those_of_the_view),
                                       cmocka_unit_test(a_run_gives_a_series)};
    return cmocka_run_group_tests(tests, begin, end);
}
