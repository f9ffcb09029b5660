/* Atomic writes: writers of one file do not disturb each other, and what a killed one left is told
 * from what a living one still writes. */
#include "record/fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static void check_text(const char *path, const char *expected)
{
    size_t size;
    char *text = read_whole(path, &size);
    assert_string_equal(text, expected);
    rp_release(text, size + 1);
}

static void two_writers_of_one_file_do_not_meet(void **state)
{
    const char *path = in_folder(state, "file");
    rp_report *report = rp_report_create();
    rp_atomic first, second;
    check_ok(rp_atomic_open(&first, path, report), report);
    check_ok(rp_atomic_open(&second, path, report), report);
    assert_true(rp_atomic_is_temporary(strrchr(first.temporary, '/') + 1));
    rp_atomic_print(&first, "the first");
    rp_atomic_print(&second, "2nd");
    check_ok(rp_atomic_finish(&first, report), report);
    check_text(path, "the first");
    check_ok(rp_atomic_finish(&second, report), report);
    check_text(path, "2nd");
    assert_int_equal(count_files(*state), 1);
    rp_report_destroy(report);
}

/* A name left by a process of the same number, before this one. */
static void a_taken_name_gives_way(void **state)
{
    const char *path = in_folder(state, "file");
    rp_report *report = rp_report_create();
    rp_atomic file;
    check_ok(rp_atomic_open(&file, path, report), report);
    unsigned count;
    assert_int_equal(sscanf(strrchr(file.temporary, '-'), "-%u", &count), 1);
    rp_atomic_abandon(&file);
    char taken[RP_PATH_MAX];
    snprintf(taken, sizeof taken, "%s/.file.%ld-%u.partial", (char *)*state, (long)getpid(),
             count + 1);
    write_whole(taken, "old", 3);
    check_ok(rp_atomic_open(&file, path, report), report);
    rp_atomic_print(&file, "new");
    check_ok(rp_atomic_finish(&file, report), report);
    check_text(path, "new");
    check_text(taken, "old");
    rp_report_destroy(report);
}

static void leave_behind(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        rp_atomic file;
        if (rp_atomic_open(&file, path, NULL) == RP_OK) kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void the_sweep_spares_living_writers(void **state)
{
    rp_report *report = rp_report_create();
    rp_atomic file;
    leave_behind(in_folder(state, "dead"));
    check_ok(rp_atomic_open(&file, in_folder(state, "alive"), report), report);
    write_whole(in_folder(state, "other.partial"), "x", 1);
    check_ok(rp_atomic_sweep(*state, report), report);
    rp_atomic_print(&file, "whole");
    check_ok(rp_atomic_finish(&file, report), report);
    check_text(in_folder(state, "alive"), "whole");
    assert_int_equal(unlink(in_folder(state, "other.partial")), 0);
    assert_int_equal(count_files(*state), 1);
    check_ok(rp_atomic_sweep(in_folder(state, "missing"), report), report);
    rp_report_destroy(report);
}

#define EXPORTERS 3
#define EXPORTS 10

static void export_all(rp_record *record, const rp_view *view)
{
    rp_code code = RP_OK;
    for (int64_t i = 0; i < EXPORTS && code == RP_OK; i++)
        code = test_export(record, i, view, "vtp", NULL, NULL);
    _exit(code == RP_OK ? 0 : 1);
}

static void exports_may_run_side_by_side(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    test_grains grains;
    test_grains_make(&grains, 100, 0);
    grains.view.grid_count = 0;
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
    pid_t children[EXPORTERS];
    for (int i = 0; i < EXPORTERS; i++) {
        children[i] = fork();
        if (children[i] == 0) export_all(record, &grains.view);
    }
    for (int i = 0; i < EXPORTERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(count_files(in_folder(state, "run/export")), 2 * EXPORTS + 2);
    rp_record_close(record);
    test_grains_free(&grains);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

/* What is put in the place of a file so that writing to it leads elsewhere. */
static void make_trap(const char *kind, const char *path, const char *elsewhere)
{
    unlink(path);
    if (strcmp(kind, "link") == 0) assert_int_equal(symlink(elsewhere, path), 0);
    if (strcmp(kind, "hard link") == 0) assert_int_equal(link(elsewhere, path), 0);
    if (strcmp(kind, "pipe") == 0) assert_int_equal(mkfifo(path, 0600), 0);
}

static void links_and_pipes_are_not_written_to(void **state)
{
    static const char *const kinds[] = {"link", "hard link", "pipe"};
    char elsewhere[RP_PATH_MAX], path[RP_PATH_MAX];
    snprintf(elsewhere, sizeof elsewhere, "%s", in_folder(state, "elsewhere"));
    snprintf(path, sizeof path, "%s", in_folder(state, "table"));
    write_whole(elsewhere, "mine", 4);
    for (int i = 0; i < 3; i++) {
        rp_report *report = rp_report_create();
        int descriptor;
        make_trap(kinds[i], path, elsewhere);
        assert_int_equal(rp_file_append(path, "row\n", report), RP_ERROR_INPUT);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, "plain files of its own"));
        assert_int_equal(rp_file_open_in_place(path, O_RDWR | O_CREAT, &descriptor, report),
                         RP_ERROR_INPUT);
        assert_int_equal(descriptor, -1);
        check_text(elsewhere, "mine");
        /* An atomic write takes its place. */
        check_ok(rp_file_write(path, "new", NULL), report);
        check_text(path, "new");
        check_text(elsewhere, "mine");
        rp_report_destroy(report);
    }
    check_ok(rp_file_append(path, "er", NULL), NULL);
    check_text(path, "newer");
}

/* What another program writes by name appears whole, or nothing of it. */
static void a_private_folder_takes_the_files_of_others(void **state)
{
    char elsewhere[RP_PATH_MAX], path[RP_PATH_MAX];
    rp_report *report = rp_report_create();
    rp_atomic_folder temporary;
    struct stat status;
    snprintf(elsewhere, sizeof elsewhere, "%s", in_folder(state, "elsewhere"));
    snprintf(path, sizeof path, "%s", in_folder(state, "film"));
    write_whole(elsewhere, "mine", 4);
    assert_int_equal(symlink(elsewhere, path), 0);
    check_ok(rp_atomic_folder_open(&temporary, path, report), report);
    assert_int_equal(stat(temporary.folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    rp_atomic_folder_sweep(path); /* is in use: stays */
    write_whole(temporary.file, "whole", 5);
    check_ok(rp_atomic_folder_finish(&temporary, "it", report), report);
    check_text(path, "whole");
    check_text(elsewhere, "mine");

    check_ok(rp_atomic_folder_open(&temporary, path, report), report);
    assert_int_equal(symlink(elsewhere, temporary.file), 0);
    assert_int_equal(rp_atomic_folder_finish(&temporary, "it", report), RP_ERROR_IO);
    check_ok(rp_atomic_folder_open(&temporary, path, report), report);
    assert_int_equal(rp_atomic_folder_finish(&temporary, "it", report), RP_ERROR_IO);
    assert_non_null(strstr(rp_report_fault(report, 1)->message, "it wrote nothing"));
    check_text(path, "whole");
    assert_int_equal(count_files(*state), 2);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_writers_of_one_file_do_not_meet, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(a_taken_name_gives_way, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(the_sweep_spares_living_writers, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(links_and_pipes_are_not_written_to, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(a_private_folder_takes_the_files_of_others, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(exports_may_run_side_by_side, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
