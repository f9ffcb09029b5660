/* Run folders: created, opened, refused, cleaned up for a resumed run. */
#include "fixture.h"

#include "record/record.h"

#include <sys/wait.h>

typedef struct run {
    rp_report *report;
    rp_scene *scene;
    rp_record *record;
    test_grains grains;
} run;

static void begin_run(run *r, const char *folder)
{
    r->report = rp_report_create();
    r->scene = test_scene("");
    test_grains_make(&r->grains, 5, 0);
    check_ok(rp_record_create(folder, r->scene, 2, &r->record, r->report), r->report);
}

static void end_run(run *r)
{
    rp_record_close(r->record);
    test_grains_free(&r->grains);
    rp_scene_destroy(r->scene);
    rp_report_destroy(r->report);
}

static void write_frames(run *r, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++)
        check_ok(rp_record_write_frame(r->record, numbers[i], &r->grains.view, r->report),
                 r->report);
}

static void check_frames(const rp_record *record, const int64_t *numbers, int count)
{
    assert_int_equal(rp_series_count(rp_record_series(record, RP_SERIES_COARSE)), count);
    for (int i = 0; i < count; i++)
        assert_int_equal(rp_series_number(rp_record_series(record, RP_SERIES_COARSE), i),
                         numbers[i]);
    assert_int_equal(rp_series_number(rp_record_series(record, RP_SERIES_COARSE), count), -1);
}

static void a_run_is_opened_again(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "made/on/the/way"));
    write_frames(&r, (int64_t[]){1, 0, 1234567, 2, 1}, 5);
    check_frames(r.record, (int64_t[]){0, 1, 2, 1234567}, 4);
    write_whole(in_folder(state, "made/on/the/way/frames/.000009.h5.partial"), "x", 1);
    write_whole(in_folder(state, "made/on/the/way/frames/7.h5"), "x", 1);
    write_whole(in_folder(state, "made/on/the/way/frames/000008.h5.bak"), "x", 1);
    write_whole(in_folder(state, "made/on/the/way/frames/0000003.h5"), "x", 1);
    rp_record *again;
    check_ok(rp_record_open(in_folder(state, "made/on/the/way"), &again, r.report), r.report);
    check_frames(again, (int64_t[]){0, 1, 2, 1234567}, 4);
    assert_string_equal(rp_scene_text(rp_record_scene(again)), rp_scene_text(r.scene));
    assert_string_equal(rp_record_folder(again), in_folder(state, "made/on/the/way"));
    rp_record_close(again);
    end_run(&r);
}

static void the_manifest_tells_the_circumstances(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "run"));
    size_t size;
    char *text = read_whole(in_folder(state, "run/manifest.json"), &size);
    static const char *const parts[] = {"\"program\": \"Repose\"",
                                        "\"format\": 1",
                                        "\"created\": \"2",
                                        "\"version\": \"",
                                        "\"title\": \"heap \\\"of\\\" sand\"",
                                        "\"seed\": 7",
                                        "\"threads\": 2",
                                        "\"frame_rate\": 25",
                                        "\"frames_asked\": 51",
                                        "\"method\": \"frictional\"",
                                        "\"cores\": ",
                                        "\"length\": \"m\"",
                                        "\"name\": \"velocity_x\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text, parts[i])) print_error("no %s in\n%s\n", parts[i], text);
        assert_non_null(strstr(text, parts[i]));
    }
    rp_release(text, size + 1);
    end_run(&r);
}

static void other_runs_and_files_are_left_alone(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "run"));
    write_frames(&r, (int64_t[]){0}, 1);
    rp_record *record;
    rp_code code = rp_record_create(in_folder(state, "run"), r.scene, 1, &record, r.report);
    assert_int_equal(code, RP_ERROR_INPUT);
    assert_null(record);
    check_fault(r.report, RP_ERROR_INPUT, "--resume");
    assert_true(exists(in_folder(state, "run/frames/000000.h5")));

    mkdir(in_folder(state, "photos"), 0777);
    write_whole(in_folder(state, "photos/cat.jpg"), "cat", 3);
    code = rp_record_create(in_folder(state, "photos"), r.scene, 1, &record, r.report);
    assert_int_equal(code, RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "cat.jpg");
    assert_int_equal(count_files(in_folder(state, "photos")), 1);

    code = rp_record_create(in_folder(state, "photos/cat.jpg"), r.scene, 1, &record, r.report);
    assert_int_equal(code, RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "not a folder");
    code = rp_record_create(in_folder(state, "photos/cat.jpg/run"), r.scene, 1, &record, r.report);
    assert_true(code == RP_ERROR_IO || code == RP_ERROR_INPUT);
    rp_report_clear(r.report);

    mkdir(in_folder(state, "empty"), 0777);
    check_ok(rp_record_create(in_folder(state, "empty"), r.scene, 1, &record, r.report), r.report);
    rp_record_close(record);
    end_run(&r);
}

/* The beginnings of a run in "run", up to the given number of them. */
static void begin_by_hand(void **state, int things)
{
    static const char *const made[] = {"run", "run/frames", "run/checkpoints"};
    for (int i = 0; i < things && i < 3; i++)
        assert_int_equal(mkdir(in_folder(state, made[i]), 0777), 0);
    static const char *const written[] = {"run/.scene.yaml.77-0.partial", "run/scene.yaml",
                                          "run/.manifest.json.77-1.partial",
                                          "run/frames/.000000.h5.77-2.partial", "run/lock"};
    for (int i = 3; i < things; i++)
        write_whole(in_folder(state, written[i - 3]), "x", 1);
}

/* A run killed before its manifest stood leaves a folder that may be used as if it were empty. */
static void a_killed_start_is_taken_over(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    for (int things = 0; things <= 8; things++) {
        begin_by_hand(state, things);
        rp_record *record;
        check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
        check_ok(rp_record_same_scene(record, scene, report), report);
        assert_int_equal(count_files(in_folder(state, "run")), things == 8 ? 5 : 4);
        assert_int_equal(count_files(in_folder(state, "run/frames")), 0);
        rp_record_close(record);
        nftw(in_folder(state, "run"), remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void check_refused(void **state, const char *words)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    rp_code code = rp_record_create(in_folder(state, "run"), scene, 1, &record, report);
    assert_int_equal(code, RP_ERROR_INPUT);
    check_fault(report, RP_ERROR_INPUT, words);
    assert_false(exists(in_folder(state, "run/manifest.json")));
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

/* What looks like the beginning of a run but holds a file of the user is not changed. */
static void what_is_not_ours_is_not_taken_over(void **state)
{
    mkdir(in_folder(state, "run"), 0777);
    write_whole(in_folder(state, "run/scene.yaml"), "mine", 4);
    check_refused(state, "scene.yaml");
    mkdir(in_folder(state, "run/frames"), 0777);
    check_refused(state, "scene.yaml");
    mkdir(in_folder(state, "run/checkpoints"), 0777);
    write_whole(in_folder(state, "run/frames/000000.h5"), "data", 4);
    check_refused(state, "'");
    unlink(in_folder(state, "run/frames/000000.h5"));
    write_whole(in_folder(state, "run/.frame.partial.txt"), "notes", 5);
    check_refused(state, ".frame.partial.txt");
    unlink(in_folder(state, "run/.frame.partial.txt"));
    mkdir(in_folder(state, "run/export"), 0777);
    check_refused(state, "export");
    rmdir(in_folder(state, "run/export"));
    size_t size;
    char *text = read_whole(in_folder(state, "run/scene.yaml"), &size);
    assert_string_equal(text, "mine");
    rp_release(text, size + 1);
    unlink(in_folder(state, "run/scene.yaml"));
    rmdir(in_folder(state, "run/frames"));
    assert_int_equal(symlink("/tmp", in_folder(state, "run/frames")), 0);
    check_refused(state, "frames");
}

#define STARTERS 4

/* Of several that start at once, one gets the folder. */
static void one_start_wins(void **state)
{
    rp_scene *scene = test_scene("");
    for (int round = 0; round < 20; round++) {
        char folder[RP_PATH_MAX];
        snprintf(folder, sizeof folder, "%s/run-%d", (char *)*state, round);
        int won = 0;
        pid_t children[STARTERS];
        for (int i = 0; i < STARTERS; i++) {
            children[i] = fork();
            if (children[i] != 0) continue;
            rp_record *record;
            _exit(rp_record_create(folder, scene, 1, &record, NULL) == RP_OK ? 0 : 1);
        }
        for (int i = 0; i < STARTERS; i++) {
            int status;
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            won += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
        assert_int_equal(won, 1);
        assert_int_equal(count_files(folder), 4);
    }
    rp_scene_destroy(scene);
}

/* Opens "run" with its manifest replaced. */
static void check_manifest(void **state, run *r, const char *text, rp_code code, const char *words)
{
    rp_record *record;
    write_whole(in_folder(state, "run/manifest.json"), text, strlen(text));
    assert_int_equal(rp_record_open(in_folder(state, "run"), &record, r->report), code);
    assert_null(record);
    check_fault(r->report, code, words);
}

static void folders_that_are_no_runs_are_told(void **state)
{
    run r;
    rp_record *record;
    begin_run(&r, in_folder(state, "run"));
    check_manifest(state, &r, "{\"program\": \"Repose\", \"format\": 99}", RP_ERROR_UNSUPPORTED,
                   "format 99");
    check_manifest(state, &r, "{\"program\": \"Repose\", \"format\": 1", RP_ERROR_DAMAGED,
                   "complete");
    check_manifest(state, &r, "{\"program\": \"Other\", \"format\": 1}", RP_ERROR_DAMAGED,
                   "Repose");
    check_manifest(state, &r, "{\"program\": \"Repose\", \"format\": \"1\"}", RP_ERROR_DAMAGED,
                   "format");
    check_manifest(state, &r, "{\"a\": {\"program\": \"Repose\"}, \"b\": \"\\\"{\"}",
                   RP_ERROR_DAMAGED, "Repose");
    check_manifest(state, &r, "", RP_ERROR_DAMAGED, "manifest.json");
    assert_int_equal(truncate(in_folder(state, "run/manifest.json"), (off_t)5 << 30), 0);
    assert_int_equal(rp_record_open(in_folder(state, "run"), &record, r.report), RP_ERROR_DAMAGED);
    check_fault(r.report, RP_ERROR_DAMAGED, "a manifest of 5368709120 bytes");
    unlink(in_folder(state, "run/manifest.json"));
    assert_int_equal(rp_record_open(in_folder(state, "run"), &record, r.report), RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "not the folder of a run");
    assert_int_equal(rp_record_open(in_folder(state, "nothing"), &record, r.report), RP_ERROR_IO);
    check_fault(r.report, RP_ERROR_IO, "nothing");
    assert_int_equal(rp_record_open("", &record, r.report), RP_ERROR_INPUT);
    end_run(&r);
}

static void a_resumed_run_finds_a_tidy_folder(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "run"));
    rp_numbers left;
    check_ok(rp_record_checkpoints(r.record, &left, r.report), r.report);
    assert_int_equal(left.count, 0);
    rp_numbers_end(&left);
    write_frames(&r, (int64_t[]){0, 1, 2, 3, 4}, 5);
    for (int64_t i = 10; i <= 50; i += 10)
        write_whole(rp_record_checkpoint_path(r.record, i).text, "x", 1);
    mkdir(in_folder(state, "run/export"), 0777);
    mkdir(in_folder(state, "run/measurements"), 0777);
    write_whole(in_folder(state, "run/frames/.000005.h5.partial"), "x", 1);
    write_whole(in_folder(state, "run/checkpoints/.000060.h5.77-0.partial"), "x", 1);
    write_whole(in_folder(state, "run/export/.grains-000005.vtp.77-1.partial"), "x", 1);
    write_whole(in_folder(state, "run/export/kept.partial"), "x", 1);
    write_whole(in_folder(state, "run/measurements/.energy.csv.77-2.partial"), "x", 1);
    check_ok(rp_record_prune_checkpoints(r.record, 2, r.report), r.report);
    check_ok(rp_record_checkpoints(r.record, &left, r.report), r.report);
    assert_int_equal(left.count, 2);
    assert_int_equal(left.items[0], 40);
    assert_int_equal(left.items[1], 50);
    rp_numbers_end(&left);
    check_ok(rp_record_remove_frames_after(r.record, 2, r.report), r.report);
    check_frames(r.record, (int64_t[]){0, 1, 2}, 3);
    assert_int_equal(count_files(in_folder(state, "run/frames")), 3);
    assert_int_equal(count_files(in_folder(state, "run/checkpoints")), 2);
    assert_int_equal(unlink(in_folder(state, "run/export/kept.partial")), 0);
    assert_int_equal(count_files(in_folder(state, "run/export")), 0);
    assert_int_equal(count_files(in_folder(state, "run/measurements")), 0);
    end_run(&r);
}

static void another_scene_is_told_by_its_first_line(void **state)
{
    run r;
    begin_run(&r, in_folder(state, "run"));
    check_ok(rp_record_same_scene(r.record, r.scene, r.report), r.report);
    rp_scene *other = test_scene("output: {compress: 4}\n");
    assert_int_equal(rp_record_same_scene(r.record, other, r.report), RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "compress");
    rp_scene_destroy(other);
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_opened_again, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(the_manifest_tells_the_circumstances, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(other_runs_and_files_are_left_alone, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(a_killed_start_is_taken_over, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(what_is_not_ours_is_not_taken_over, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(one_start_wins, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(folders_that_are_no_runs_are_told, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(a_resumed_run_finds_a_tidy_folder, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(another_scene_is_told_by_its_first_line, make_folder,
                                        drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
