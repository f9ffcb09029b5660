/* Failures of the disk: full, too small, missing, not ours. Always a clear fault, no incomplete
 * file, and what was there before stays. */
#include "chunks.h"

#include "base/store.h"
#include "record/checkpoint.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

typedef struct run {
    rp_report *report;
    rp_scene *scene;
    rp_record *record;
    test_grains small, large;
} run;

static void begin_run(run *r, const char *folder)
{
    r->report = rp_report_create();
    r->scene = test_scene("");
    check_ok(rp_record_create(folder, r->scene, 1, &r->record, r->report), r->report);
    test_grains_make(&r->small, 10, 0);
    test_grains_make(&r->large, 20000, 0.04);
    check_ok(rp_record_write_frame(r->record, 0, &r->small.view, r->report), r->report);
}

static void end_run(run *r)
{
    rp_record_close(r->record);
    test_grains_free(&r->small);
    test_grains_free(&r->large);
    rp_scene_destroy(r->scene);
    rp_report_destroy(r->report);
}

/* A large frame fails with this code; the small one before it is whole and alone. */
static void check_write_fails(run *r, rp_code expected, const char *words)
{
    char frames[RP_PATH_MAX];
    snprintf(frames, sizeof frames, "%s/frames", rp_record_folder(r->record));
    assert_int_equal(rp_record_write_frame(r->record, 1, &r->large.view, r->report), expected);
    check_fault(r->report, expected, words);
    assert_int_equal(rp_series_count(rp_record_series(r->record, RP_SERIES_COARSE)), 1);
    assert_int_equal(count_files(frames), 1);
    rp_frame_file *frame;
    check_ok(rp_series_read(rp_record_series(r->record, RP_SERIES_COARSE), 0, &frame, r->report),
             r->report);
    assert_int_equal(rp_frame_view(frame)->count, 10);
    rp_frame_close(frame);
}

/* A disk of its own at the path, seen by this process only, so that nothing is left mounted. The
 * test is skipped where that is not allowed. */
static void mount_disk(const char *path, unsigned long flags, const char *options)
{
    static bool apart;
    if (!apart) apart = unshare(CLONE_NEWNS) == 0;
    if (apart && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("tmpfs", path, "tmpfs", flags, options) == 0)
        return;
    print_message("skipped: no permission to mount a small disk (%s)\n", strerror(errno));
    skip();
}

static void a_full_disk_is_told(void **state)
{
    mount_disk(*state, 0, "size=256k");
    run r;
    begin_run(&r, in_folder(state, "run"));
    check_write_fails(&r, RP_ERROR_SPACE, "No space left on device");
    for (int i = 0; i < 4; i++) {
        static const char *const formats[] = {"vtp", "ply", "csv", "usda"};
        rp_code code = test_export(r.record, 1, &r.large.view, formats[i], NULL, r.report);
        assert_int_equal(code, RP_ERROR_SPACE);
        check_fault(r.report, RP_ERROR_SPACE, formats[i]);
        assert_int_equal(count_files(in_folder(state, "run/export")), 0);
    }
    end_run(&r);
    umount(*state);
}

/* The first parts fit, a later one does not; the frame before stays. */
static void a_full_disk_leaves_no_parts(void **state)
{
    mount_disk(*state, 0, "size=256k");
    rp_report *report = rp_report_create();
    rp_chunk chunks[6];
    for (uint32_t i = 0; i < 6; i++)
        chunks[i] = chunk_make(i * 5000, 5000, 5000, 1, 1);
    check_ok(chunks_write(*state, 0, chunks, 1, 5000, 0, report), report);
    rp_code code = chunks_write(*state, 1, chunks, 6, 5000, 0, report);
    assert_int_equal(code, RP_ERROR_SPACE);
    check_fault(report, RP_ERROR_SPACE, "000001-00");
    code = chunks_save(*state, 2, chunks, 6, 5000, report);
    assert_int_equal(code, RP_ERROR_SPACE);
    check_fault(report, RP_ERROR_SPACE, "000002-00");
    assert_int_equal(count_files(*state), 2);
    rp_frame_file *frame;
    check_ok(rp_fine_frame_read(*state, 0, &frame, report), report);
    rp_frame_close(frame);
    for (int i = 0; i < 6; i++)
        chunk_free(&chunks[i]);
    rp_report_destroy(report);
    umount(*state);
}

static void a_full_disk_leaves_no_half_run(void **state)
{
    mount_disk(*state, 0, "size=4k");
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    rp_code code = rp_record_create(in_folder(state, "run"), scene, 1, &record, report);
    assert_int_equal(code, RP_ERROR_SPACE);
    check_fault(report, RP_ERROR_SPACE, "manifest.json");
    assert_int_equal(count_files(*state), 0);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    umount(*state);
}

static void a_limit_on_file_size_is_told(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "run"));
    struct rlimit before, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &tight);
    check_write_fails(&r, RP_ERROR_IO, "File too large");
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true;
    assert_int_equal(
        rp_store_put(&store, "x", "m", RP_F32, r.large.view.x, r.large.view.count, NULL), RP_OK);
    tight.rlim_cur = 20000;
    setrlimit(RLIMIT_FSIZE, &tight);
    const char *path = in_folder(state, "run/checkpoints/000001.h5");
    assert_int_equal(rp_checkpoint_write(path, &store, r.report), RP_ERROR_IO);
    check_fault(r.report, RP_ERROR_IO, path);
    assert_int_equal(count_files(in_folder(state, "run/checkpoints")), 0);
    setrlimit(RLIMIT_FSIZE, &before);
    check_ok(rp_record_write_frame(r.record, 1, &r.large.view, r.report), r.report);
    assert_int_equal(rp_series_count(rp_record_series(r.record, RP_SERIES_COARSE)), 2);
    rp_store_end(&store);
    end_run(&r);
}

static void a_vanished_folder_is_told(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "run"));
    nftw(in_folder(state, "run"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(rp_record_write_frame(r.record, 1, &r.small.view, r.report), RP_ERROR_IO);
    check_fault(r.report, RP_ERROR_IO, "000001.h5: cannot write: No such file");
    rp_frame_file *frame;
    assert_int_equal(
        rp_series_read(rp_record_series(r.record, RP_SERIES_COARSE), 0, &frame, r.report),
        RP_ERROR_IO);
    check_fault(r.report, RP_ERROR_IO, "000000.h5: cannot read: No such file");
    assert_false(exists(in_folder(state, "run")));
    end_run(&r);
}

/* No user, not even root, writes to a disk mounted read-only. */
static void an_unwritable_folder_is_told(void **state)
{
    mount_disk(*state, MS_RDONLY, "size=64k");
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    rp_code code = rp_record_create(in_folder(state, "deep/run"), scene, 1, &record, report);
    assert_int_equal(code, RP_ERROR_IO);
    assert_null(record);
    check_fault(report, RP_ERROR_IO, "Read-only file system");
    assert_int_equal(rp_record_create(*state, scene, 1, &record, report), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "Read-only file system");
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    umount(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_disk_is_told, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_no_parts, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_no_half_run, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_limit_on_file_size_is_told, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_vanished_folder_is_told, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(an_unwritable_folder_is_told, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
