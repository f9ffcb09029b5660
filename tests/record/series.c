/* Series: coarse and fine frames of one record, behind the same functions. */
#include "chunks.h"

static void write_frames(void **state, rp_record *record, rp_report *report)
{
    test_grains grains;
    test_grains_make(&grains, 10, 0.25);
    for (int64_t number = 2; number <= 6; number += 2)
        check_ok(rp_record_write_frame(record, number, &grains.view, report), report);
    test_grains_free(&grains);
    rp_chunk chunk = chunk_make(0, 100, 100, 1, 1);
    chunk.material = 0;
    check_ok(chunks_write(in_folder(state, "run/fine"), 4, &chunk, 1, 100, 0, report), report);
    chunk_free(&chunk);
}

static void check_series(const rp_series *series, const int64_t *numbers, int64_t count)
{
    assert_int_equal(rp_series_count(series), count);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(rp_series_number(series, i), numbers[i]);
        assert_int_equal(rp_series_find(series, numbers[i]), i);
        assert_int_equal(rp_series_find(series, numbers[i] + 1), -1);
    }
    assert_int_equal(rp_series_number(series, count), -1);
    assert_int_equal(rp_series_number(series, -1), -1);
    assert_int_equal(rp_series_find(series, -1), -1);
}

/* The time, read alone, is that of the view. */
static void check_frame(const rp_series *series, int64_t number, size_t grains, double time,
                        rp_report *report)
{
    rp_frame_file *frame;
    double alone = -1;
    check_ok(rp_series_read(series, number, &frame, report), report);
    assert_int_equal(rp_frame_view(frame)->count, grains);
    check_ok(rp_series_time(series, number, &alone, report), report);
    assert_true(alone == time && rp_frame_view(frame)->time == time);
    rp_frame_close(frame);
}

static void frames_of_all_kinds_are_read_alike(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
    write_frames(state, record, report);
    check_series(rp_record_series(record, RP_SERIES_COARSE), (const int64_t[]){2, 4, 6}, 3);
    rp_record_close(record);

    check_ok(rp_record_open(in_folder(state, "run"), &record, report), report);
    const rp_series *coarse = rp_record_series(record, RP_SERIES_COARSE);
    const rp_series *fine = rp_record_series(record, RP_SERIES_FINE);
    check_series(coarse, (const int64_t[]){2, 4, 6}, 3);
    check_series(fine, (const int64_t[]){4}, 1);
    assert_string_equal(rp_series_name(coarse), "coarse");
    assert_string_equal(rp_series_name(fine), "fine");
    assert_ptr_equal(rp_series_record(fine), record);
    check_frame(coarse, 4, 10, 0.25, report);
    check_frame(fine, 4, 100, 0.16, report);
    rp_frame_file *frame;
    double time;
    assert_int_equal(rp_series_read(fine, 2, &frame, report), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "fine/000002.h5");
    assert_int_equal(rp_series_time(coarse, 3, &time, report), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "frames/000003.h5");
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_of_all_kinds_are_read_alike, make_folder,
                                        drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
