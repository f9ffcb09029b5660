/* Signals that interrupt a call to the disk do not fail a frame. The calls below take the place of
 * the C library's: each is interrupted when asked for. */
#include "fixture.h"

#include <sys/syscall.h>

static int syncs;               /* since last set to 0 */
static unsigned sync_interrupt; /* bit i: interrupt call i */
static int close_interruptions;

int fsync(int descriptor)
{
    if (sync_interrupt >> syncs++ & 1) {
        errno = EINTR;
        return -1;
    }
    return (int)syscall(SYS_fsync, descriptor);
}

/* As Linux does it: the descriptor is gone even when the call is interrupted. */
int close(int descriptor)
{
    int result = (int)syscall(SYS_close, descriptor);
    if (close_interruptions <= 0) return result;
    close_interruptions--;
    errno = EINTR;
    return -1;
}

static void interrupted_calls_do_not_fail_a_frame(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    test_grains grains;
    test_grains_make(&grains, 100, 0);
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);

    syncs = 0;
    sync_interrupt = 0xb; /* the file's twice, then the folder's */
    check_ok(rp_record_write_frame(record, 0, &grains.view, report), report);
    assert_int_equal(syncs, 5);
    sync_interrupt = 0;

    close_interruptions = 2;
    check_ok(rp_record_write_frame(record, 1, &grains.view, report), report);
    assert_int_equal(close_interruptions, 0);

    assert_int_equal(count_files(in_folder(state, "run/frames")), 2);
    for (int64_t i = 0; i < 2; i++) {
        rp_frame_file *frame;
        check_ok(rp_series_read(rp_record_series(record, RP_SERIES_COARSE), i, &frame, report),
                 report);
        rp_frame_close(frame);
    }
    rp_record_close(record);
    test_grains_free(&grains);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(interrupted_calls_do_not_fail_a_frame, make_folder,
                                        drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
