/* Fine grains live and afterwards, killed and gone on with: always the same frames. */
#include "files.h"
#include "worlds.h"

#include "files/checksum.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES 10
#define LIVE "detail: {factor: 20}\n"

static const char scene_text[] = BUSY_SCENE "output: {checkpoint_every: 3}\n";

/* --- files ------------------------------------------------------------------------------------ */

typedef struct path {
    char text[512];
} path;

static path join(const char *folder, const char *name)
{
    path p;
    int length = snprintf(p.text, sizeof p.text, "%s/%s", folder, name);
    assert_in_range(length, 1, (int)sizeof p.text - 1);
    return p;
}

/* --- fine frames ------------------------------------------------------------------------------ */

static void same_array(const void *a, const void *b, size_t bytes, const char *what, int64_t frame)
{
    if (memcmp(a, b, bytes) != 0) fail_msg("%s of frame %d differ", what, (int)frame);
}

static void same_views(const rp_view *a, const rp_view *b, int64_t frame)
{
    size_t bytes = a->count * sizeof(float);
    assert_int_equal(a->count, b->count);
    assert_true(a->time == b->time && a->spacing == b->spacing);
    same_array(a->x, b->x, bytes, "x", frame);
    same_array(a->y, b->y, bytes, "y", frame);
    same_array(a->z, b->z, bytes, "z", frame);
    same_array(a->vx, b->vx, bytes, "vx", frame);
    same_array(a->vy, b->vy, bytes, "vy", frame);
    same_array(a->vz, b->vz, bytes, "vz", frame);
    same_array(a->id, b->id, bytes, "ids", frame);
    same_array(a->material, b->material, a->count, "materials", frame);
    assert_int_equal(a->body_count, b->body_count);
    for (int i = 0; i < a->body_count; i++)
        same_array(&a->bodies[i].position, &b->bodies[i].position, 7 * sizeof(double), "bodies",
                   frame);
}

static void same_frame(const rp_record *a, const rp_record *b, int64_t number)
{
    rp_report *report = rp_report_create();
    rp_frame_file *frame_a, *frame_b;
    check_ok(rp_series_read(rp_record_series(a, RP_SERIES_FINE), number, &frame_a, report), report);
    check_ok(rp_series_read(rp_record_series(b, RP_SERIES_FINE), number, &frame_b, report), report);
    same_views(rp_frame_view(frame_a), rp_frame_view(frame_b), number);
    rp_frame_close(frame_a);
    rp_frame_close(frame_b);
    rp_report_destroy(report);
}

/* The fine frames of two folders up to that number: what is read, and the files. */
static void same_fine(const char *a, const char *b, int64_t last)
{
    rp_report *report = rp_report_create();
    rp_record *record_a, *record_b;
    check_ok(rp_record_open(a, &record_a, report), report);
    check_ok(rp_record_open(b, &record_b, report), report);
    assert_int_equal(rp_series_count(rp_record_series(record_b, RP_SERIES_FINE)), last + 1);
    for (int64_t frame = 0; frame <= last; frame++) {
        assert_int_equal(rp_series_number(rp_record_series(record_b, RP_SERIES_FINE), frame),
                         frame);
        same_frame(record_a, record_b, frame);
        char name[64];
        snprintf(name, sizeof name, "fine/%06d.h5", (int)frame);
        same_file(a, b, name);
        snprintf(name, sizeof name, "fine/%06d-000.h5", (int)frame);
        same_file(a, b, name);
    }
    if (last == FRAMES) same_file(a, b, "fine/counts.csv");
    rp_record_close(record_a);
    rp_record_close(record_b);
    rp_report_destroy(report);
}

/* Nothing half done is left: no temporaries, no scratch file. */
static void check_tidy(const char *folder)
{
    path p = join(folder, "fine");
    DIR *dir = opendir(p.text);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] == '.' && strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            fail_msg("%s/%s was left behind", p.text, entry->d_name);
    closedir(dir);
}

/* --- runs ------------------------------------------------------------------------------------- */

/* When to end it: by asking (stop) or by force (kill), after this frame; 0: never. */
typedef struct ending {
    int64_t stop, kill;
} ending;

static bool maybe_end(void *user, const rp_progress *progress)
{
    const ending *e = user;
    if (e->kill && progress->frame == e->kill) kill(getpid(), SIGKILL);
    return !(e->stop && progress->frame >= e->stop);
}

/* Runs the scene, with some lines more. */
static rp_code run_into(const char *folder, const char *more, bool resume, ending e, int threads,
                        rp_report *report)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", scene_text, more);
    rp_scene *scene = NULL;
    rp_code code = rp_scene_parse(text, "test", &scene, report);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = threads;
    options.world = &of_world;
    options.progress = maybe_end;
    options.user = &e;
    if (code == RP_OK) code = rp_run(scene, &options, NULL, report);
    rp_scene_destroy(scene);
    return code;
}

typedef struct refining {
    const char *folder, *output, *factor;
    const char *key, *value; /* one more setting, or NULL */
    int threads;
    size_t memory;
    ending end;
} refining;

static rp_code refine(const refining *r, rp_refine_summary *summary, rp_report *report)
{
    ending e = r->end;
    const rp_setting settings[] = {{.key = "detail.factor", .value = r->factor},
                                   {.key = r->key, .value = r->value}};
    rp_refine_options options = rp_default_refine_options();
    options.folder = r->folder;
    options.output = r->output;
    options.settings = settings + (r->factor ? 0 : 1);
    options.setting_count = (r->factor ? 1 : 0) + (r->key ? 1 : 0);
    options.threads = r->threads;
    options.memory_limit = r->memory;
    options.progress = maybe_end;
    options.user = &e;
    return rp_refine(&options, summary, report);
}

static void refine_well(const refining *r)
{
    rp_report *report = rp_report_create();
    rp_refine_summary summary;
    check_ok(refine(r, &summary, report), report);
    assert_int_equal(summary.frames, FRAMES + 1);
    assert_true(summary.grains > 0);
    rp_report_destroy(report);
}

/* In a child that dies by its own hand. */
static void die_running(const char *folder, const char *more, bool resume, int64_t frame)
{
    pid_t child = fork();
    if (child == 0) {
        run_into(folder, more, resume, (ending){.kill = frame}, 1, NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void die_refining(refining r, int64_t frame)
{
    r.end = (ending){.kill = frame};
    pid_t child = fork();
    if (child == 0) {
        refine(&r, NULL, NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A fault is reported, with all of these words. */
static void check_fault(const refining *r, rp_code wanted, const char *word, const char *other)
{
    rp_report *report = rp_report_create();
    rp_code code = refine(r, NULL, report);
    char text[2048] = "";
    if (rp_report_count(report)) rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    if (code != wanted || !strstr(text, word) || !strstr(text, other))
        fail_msg("code %d, '%s' lacks '%s' or '%s'", (int)code, text, word, other);
    rp_report_destroy(report);
}

/* --- the tests -------------------------------------------------------------------------------- */

/* A run with fine grains made live, and one without any. */
typedef struct folders {
    path base, live, coarse;
} folders;

/* Both, made once. */
static folders first;

static int make_first(void **state)
{
    (void)state;
    first.base = join("/tmp", "repose-refine-XXXXXX");
    assert_non_null(mkdtemp(first.base.text));
    first.live = join(first.base.text, "live");
    first.coarse = join(first.base.text, "coarse");
    rp_report *report = rp_report_create();
    check_ok(run_into(first.live.text, LIVE, false, (ending){0}, 1, report), report);
    check_ok(run_into(first.coarse.text, "", false, (ending){0}, 2, report), report);
    rp_report_destroy(report);
    return 0;
}

static int remove_first(void **state)
{
    (void)state;
    remove_tree(first.base.text);
    return 0;
}

/* Copies to do anything with. */
static folders make_folders(void)
{
    folders f;
    f.base = join("/tmp", "repose-refine-XXXXXX");
    assert_non_null(mkdtemp(f.base.text));
    f.live = join(f.base.text, "live");
    f.coarse = join(f.base.text, "coarse");
    char command[2048];
    snprintf(command, sizeof command, "cp -r %s %s %s", first.live.text, first.coarse.text,
             f.base.text);
    assert_int_equal(system(command), 0);
    return f;
}

static void afterwards_is_as_live(void **state)
{
    (void)state;
    folders f = make_folders();
    check_tidy(f.live.text);
    refining r = {.folder = f.coarse.text, .factor = "20", .threads = 2};
    refine_well(&r);
    same_fine(f.live.text, f.coarse.text, FRAMES);
    check_tidy(f.coarse.text);
    rp_report *report = rp_report_create();
    rp_refine_summary summary;
    check_ok(refine(&r, &summary, report), report); /* there is nothing left to do */
    assert_int_equal(summary.resumed, FRAMES);
    same_fine(f.live.text, f.coarse.text, FRAMES);
    path other = join(f.base.text, "other"); /* a folder of its own; nearly all on disk */
    r = (refining){.folder = f.coarse.text,
                   .output = other.text,
                   .factor = "20",
                   .threads = 3,
                   .memory = 1000000};
    refine_well(&r);
    same_fine(f.live.text, other.text, FRAMES);
    rp_report_destroy(report);
    remove_tree(f.base.text);
}

static void stopped_or_killed_it_goes_on_to_the_same_end(void **state)
{
    (void)state;
    folders f = make_folders();
    refining r = {.folder = f.coarse.text, .factor = "20", .threads = 1};
    refining stopped = r;
    stopped.end.stop = 4;
    rp_report *report = rp_report_create();
    assert_int_equal(refine(&stopped, NULL, report), RP_INTERRUPTED);
    assert_int_equal(rp_report_count(report), 0);
    same_fine(f.live.text, f.coarse.text, 4);
    die_refining(r, 5); /* behind frame 5; the last checkpoint is frame 4's */
    r.threads = 2;
    die_refining(r, 8);
    refine_well(&r);
    same_fine(f.live.text, f.coarse.text, FRAMES);
    check_tidy(f.coarse.text);
    rp_report_destroy(report);
    remove_tree(f.base.text);
}

static void a_live_run_that_was_killed_goes_on_to_the_same_end(void **state)
{
    (void)state;
    folders f = make_folders();
    static const int64_t moments[] = {1, 5, 9};
    for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
        path broken = join(f.base.text, "broken");
        die_running(broken.text, LIVE, false, moments[m]);
        if (moments[m] == 5) die_running(broken.text, LIVE, true, 7);
        rp_report *report = rp_report_create();
        check_ok(run_into(broken.text, LIVE, true, (ending){0}, 2, report), report);
        same_fine(f.live.text, broken.text, FRAMES);
        check_tidy(broken.text);
        rp_report_destroy(report);
        remove_tree(broken.text);
    }
    /* one that was asked to stop */
    path broken = join(f.base.text, "broken");
    rp_report *report = rp_report_create();
    assert_int_equal(run_into(broken.text, LIVE, false, (ending){.stop = 4}, 1, report),
                     RP_INTERRUPTED);
    check_ok(run_into(broken.text, LIVE, true, (ending){0}, 1, report), report);
    same_fine(f.live.text, broken.text, FRAMES);
    rp_report_destroy(report);
    remove_tree(f.base.text);
}

static void a_damaged_checkpoint_gives_way_to_the_one_before(void **state)
{
    (void)state;
    folders f = make_folders();
    refining r = {.folder = f.coarse.text, .factor = "20", .threads = 1};
    die_refining(r, 8);
    path p = join(f.coarse.text, "fine/checkpoints/000006-000.h5");
    assert_int_equal(truncate(p.text, 5000), 0);
    refine_well(&r);
    same_fine(f.live.text, f.coarse.text, FRAMES);
    remove_tree(f.base.text);
}

static void other_settings_are_refused(void **state)
{
    (void)state;
    folders f = make_folders();
    refining r = {.folder = f.live.text, .factor = "30", .threads = 1};
    check_fault(&r, RP_ERROR_INPUT, "factor: 20", "factor: 30");
    r.factor = NULL; /* that of the scene, 20 */
    r.key = "detail.keep_apart";
    r.value = "no";
    check_fault(&r, RP_ERROR_INPUT, "keep_apart: yes", "keep_apart: no");
    r.key = "detail.contrast";
    r.value = "4";
    check_fault(&r, RP_ERROR_INPUT, "contrast", "other settings");
    r.key = "detail.step";
    r.value = "5 ms";
    check_fault(&r, RP_ERROR_INPUT, "step", "other settings");
    r.key = "seed";
    r.value = "9";
    check_fault(&r, RP_ERROR_INPUT, "seed: 1", "seed: 9");
    r.key = r.value = NULL;
    refine_well(&r); /* nothing was lost */
    refining again = {.folder = f.coarse.text, .factor = "20", .threads = 1};
    refine_well(&again);
    same_fine(f.coarse.text, f.live.text, FRAMES);
    path p =
        join(f.coarse.text, "fine/settings.txt"); /* what is no settings is no reason to fall */
    FILE *file = fopen(p.text, "w");
    fputs("nonsense", file);
    fclose(file);
    check_fault(&again, RP_ERROR_INPUT, "nonsense", "other settings");
    remove_tree(f.base.text);
}

static void a_damaged_coarse_frame_ends_it_for_now(void **state)
{
    (void)state;
    folders f = make_folders();
    refining r = {.folder = f.coarse.text, .factor = "20", .threads = 2};
    size_t size;
    char *good = file_bytes(f.coarse.text, "frames/000005.h5", &size);
    path p = join(f.coarse.text, "frames/000005.h5");
    assert_int_equal(truncate(p.text, (off_t)size / 2), 0);
    check_fault(&r, RP_ERROR_DAMAGED, "000005.h5", "");
    same_fine(f.live.text, f.coarse.text, 4); /* what came before stays */
    check_fault(&r, RP_ERROR_DAMAGED, "000005.h5", "");
    same_fine(f.live.text, f.coarse.text, 4);
    FILE *file = fopen(p.text, "wb");
    assert_int_equal(fwrite(good, 1, size, file), size);
    fclose(file);
    rp_report *report = rp_report_create();
    rp_refine_summary summary;
    check_ok(refine(&r, &summary, report), report);
    assert_int_equal(summary.resumed, 4);
    same_fine(f.live.text, f.coarse.text, FRAMES);
    rp_report_destroy(report);
    free(good);
    remove_tree(f.base.text);
}

/* A frame whose checksum is right and whose time is not: as many steps would never end. */
static void a_frame_of_another_time_is_refused(void **state)
{
    (void)state;
    static const double times[] = {1e18, 1e9, 0.3};
    folders f = make_folders();
    refining r = {.folder = f.coarse.text, .factor = "20", .threads = 2};
    size_t size;
    char *bytes = file_bytes(f.coarse.text, "frames/000005.h5", &size);
    char *at = memmem(bytes, size, "time\0\0\0", 8);
    assert_non_null(at);
    for (int i = 0; i < 3; i++) {
        memcpy(at + 40, &times[i], sizeof times[i]); /* behind name, type and dataspace */
        rp_checksum_write(bytes, size);
        FILE *file = fopen(join(f.coarse.text, "frames/000005.h5").text, "wb");
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        check_fault(&r, RP_ERROR_DAMAGED, i ? "it must be of" : "time: value 0 is 1e+18", "5");
    }
    /* A frame of its time, and so late that the steps to it would not end either. */
    const uint64_t late = 987654;
    const double time = (double)late / 20;
    path from = join(f.coarse.text, "frames/000005.h5");
    memcpy(at + 40, &time, sizeof time);
    at = memmem(bytes, size, "frame\0\0", 8); /* the kind; then the name */
    at = memmem(at + 8, size - (size_t)(at + 8 - bytes), "frame\0\0", 8);
    assert_non_null(at);
    memcpy(at + 32, &late, sizeof late);
    rp_checksum_write(bytes, size);
    FILE *file = fopen(join(f.coarse.text, "frames/987654.h5").text, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    assert_int_equal(remove(from.text), 0);
    check_fault(&r, RP_ERROR_DAMAGED, "the frames between 10 and 987654 are missing", "");
    free(bytes);
    remove_tree(f.base.text);
}

static void what_cannot_be_refined_is_reported(void **state)
{
    (void)state;
    folders f = make_folders();
    refining r = {.folder = f.coarse.text, .threads = 1};
    check_fault(&r, RP_ERROR_INPUT, "--factor", "");
    r.factor = "0";
    check_fault(&r, RP_ERROR_INPUT, "--factor", "");
    r.factor = "20";
    r.key = "detail.contrast";
    r.value = "2"; /* less than there can be */
    check_fault(&r, RP_ERROR_INPUT, "contrast", "");
    r = (refining){.folder = f.base.text, .factor = "20", .threads = 1}; /* no run */
    check_fault(&r, RP_ERROR_INPUT, "manifest.json", "");
    for (int i = 0; i <= FRAMES; i++) {
        char name[64];
        snprintf(name, sizeof name, "frames/%06d.h5", i);
        path p = join(f.coarse.text, name);
        assert_int_equal(remove(p.text), 0);
    }
    r.folder = f.coarse.text;
    check_fault(&r, RP_ERROR_INPUT, "no frames", "");
    r = (refining){.folder = f.live.text, .output = f.base.text, .factor = "20", .threads = 1};
    check_fault(&r, RP_ERROR_INPUT, f.base.text, ""); /* there is something else */
    remove_tree(f.base.text);
}

/* Without `live` none are made while running. */
static void not_live_is_not_live(void **state)
{
    (void)state;
    folders f = make_folders();
    path later = join(f.base.text, "later");
    rp_report *report = rp_report_create();
    check_ok(
        run_into(later.text, "detail: {factor: 20, live: no}\n", false, (ending){0}, 1, report),
        report);
    path p = join(later.text, "fine");
    assert_int_equal(access(p.text, F_OK), -1);
    refining r = {.folder = later.text, .threads = 1}; /* the scene's own factor */
    refine_well(&r);
    same_fine(f.live.text, later.text, FRAMES);
    rp_report_destroy(report);
    remove_tree(f.base.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(afterwards_is_as_live),
        cmocka_unit_test(stopped_or_killed_it_goes_on_to_the_same_end),
        cmocka_unit_test(a_live_run_that_was_killed_goes_on_to_the_same_end),
        cmocka_unit_test(a_damaged_checkpoint_gives_way_to_the_one_before),
        cmocka_unit_test(other_settings_are_refused),
        cmocka_unit_test(a_damaged_coarse_frame_ends_it_for_now),
        cmocka_unit_test(a_frame_of_another_time_is_refused),
        cmocka_unit_test(what_cannot_be_refined_is_reported),
        cmocka_unit_test(not_live_is_not_live),
    };
    return cmocka_run_group_tests(tests, make_first, remove_first);
}
