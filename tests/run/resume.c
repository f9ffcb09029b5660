/* Runs that are killed and resumed end with the same bits as runs that were left in peace: the
 * final state, every frame's file and every table of measurements. */
#include "files.h"
#include "worlds.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES 10

static const char scene_text[] = BUSY_SCENE "measurements: {energy: {what: energy}}\n"
                                            "output: {checkpoint_every: 3, formats: [csv]}\n";

typedef struct killer {
    uint64_t at_step; /* kill after this step; 0: never */
    int64_t at_frame; /* kill when this frame is finished, before its checkpoint; 0: never */
    uint64_t stop_at; /* ask to stop after this step; 0: never */
} killer;

static bool maybe_kill(void *user, const rp_progress *progress)
{
    const killer *k = user;
    if (k->at_step && progress->steps == k->at_step) kill(getpid(), SIGKILL);
    if (k->at_frame && progress->frame == k->at_frame) kill(getpid(), SIGKILL);
    return !(k->stop_at && progress->steps >= k->stop_at);
}

static rp_code run_into(const char *folder, killer k, int threads, bool resume, uint64_t *hash,
                        rp_report *report)
{
    rp_scene *scene = NULL;
    rp_code code = rp_scene_parse(scene_text, "test", &scene, report);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = threads;
    options.world = &of_world;
    options.progress = maybe_kill;
    options.user = &k;
    rp_run_summary summary = {0};
    if (code == RP_OK) code = rp_run(scene, &options, &summary, report);
    *hash = summary.hash;
    rp_scene_destroy(scene);
    return code;
}

/* Runs in a child that dies by its own hand; tells whether it was killed. */
static bool killed_run(const char *folder, killer k, int threads, bool resume)
{
    pid_t child = fork();
    if (child == 0) {
        uint64_t hash;
        _exit(run_into(folder, k, threads, resume, &hash, NULL) == RP_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void same_run(const char *a, const char *b)
{
    for (int frame = 0; frame <= FRAMES; frame++) {
        char name[64];
        snprintf(name, sizeof name, "frames/%06d.h5", frame);
        same_file(a, b, name);
        snprintf(name, sizeof name, "export/grains-%06d.csv", frame);
        same_file(a, b, name);
    }
    same_file(a, b, "measurements/energy.csv");
    same_file(a, b, "scene.yaml");
}

typedef struct folders {
    char base[64], whole[128], broken[128];
    uint64_t hash;
} folders;

/* An undisturbed run on one thread to compare with. */
static folders make_folders(void)
{
    folders f;
    snprintf(f.base, sizeof f.base, "/tmp/repose-resume-XXXXXX");
    assert_non_null(mkdtemp(f.base));
    snprintf(f.whole, sizeof f.whole, "%s/whole", f.base);
    snprintf(f.broken, sizeof f.broken, "%s/broken", f.base);
    rp_report *report = rp_report_create();
    check_ok(run_into(f.whole, (killer){0}, 1, false, &f.hash, report), report);
    rp_report_destroy(report);
    return f;
}

static void finish_and_compare(const folders *f, int threads)
{
    rp_report *report = rp_report_create();
    uint64_t hash;
    check_ok(run_into(f->broken, (killer){0}, threads, true, &hash, report), report);
    assert_true(hash == f->hash);
    same_run(f->whole, f->broken);
    rp_report_destroy(report);
}

static void killed_three_times_it_ends_the_same(void **state)
{
    (void)state;
    static const killer moments[] = {
        {.at_step =
             3}, /* in the midst of the first frame: there is no checkpoint yet but frame 0's */
        {.at_frame = 5}, /* frame 5 is on disk, the last checkpoint is frame 3's */
        {.at_frame = 9}, /* frame 9 is on disk, its checkpoint is not: 6's is the last */
    };
    for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
        folders f = make_folders();
        assert_true(killed_run(f.broken, moments[m], 2, false));
        finish_and_compare(&f, 4);
        remove_tree(f.base);
    }
}

static void killed_again_and_again_it_ends_the_same(void **state)
{
    (void)state;
    folders f = make_folders();
    assert_true(killed_run(f.broken, (killer){.at_frame = 4}, 2, false));
    assert_true(killed_run(f.broken, (killer){.at_step = 7}, 1, true));
    assert_true(killed_run(f.broken, (killer){.at_frame = 8}, 2, true));
    finish_and_compare(&f, 2);
    remove_tree(f.base);
}

static void asked_to_stop_between_frames_it_ends_the_same(void **state)
{
    (void)state;
    folders f = make_folders();
    rp_report *report = rp_report_create();
    uint64_t hash;
    assert_int_equal(run_into(f.broken, (killer){.stop_at = 5}, 2, false, &hash, report),
                     RP_INTERRUPTED);
    assert_int_equal(rp_report_count(report), 0);
    finish_and_compare(&f, 2);
    rp_report_destroy(report);
    remove_tree(f.base);
}

/* Sand, whose steps have stages and iterations to be broken off in. */
static const char sand_text[] =
    "time: {duration: 0.1 s, frame_rate: 40}\n"
    "domain: {low: [-0.5, -0.5, 0], high: [0.5, 0.5, 2]}\n"
    "particles: {spacing: 5 cm}\n"
    "sources: {block: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.2]}}\n"
    "emitters: {spout: {radius: 12 cm, position: [0, 0, 1], speed: 2}}\n"
    "bodies: {ball: {shape: sphere, radius: 0.1, position: [0, 0, 0.6], motion: dynamic, density: "
    "2000}}\n";

typedef struct asker {
    int asked, stop_at; /* times; 0: never */
} asker;

static bool is_asked(void *user)
{
    asker *a = user;
    return ++a->asked == a->stop_at;
}

static rp_code run_sand(const char *folder, asker *a, int64_t frames, bool resume,
                        rp_run_summary *summary)
{
    rp_scene *scene = scene_of(sand_text);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.frames = frames;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 2;
    options.world = &of_world;
    of_world.stop = is_asked;
    of_world.stop_user = a;
    rp_code code = rp_run(scene, &options, summary, NULL);
    rp_scene_destroy(scene);
    return code;
}

/* The first step of every run, also of a resumed one, can be broken off: so each of these runs is
 * stopped in one, a few steps after the one before. */
static void stopped_within_steps_it_ends_the_same(void **state)
{
    (void)state;
    char base[64] = "/tmp/repose-stop-XXXXXX", whole[128], broken[128];
    assert_non_null(mkdtemp(base));
    snprintf(whole, sizeof whole, "%s/whole", base);
    snprintf(broken, sizeof broken, "%s/broken", base);
    rp_run_summary left, now, first;
    asker never = {0};
    assert_int_equal(run_sand(whole, &never, 0, false, &left), RP_OK);
    int start = never.asked; /* questions until the first step */
    assert_int_equal(run_sand(whole, &(asker){0}, -1, true, &left), RP_OK);

    assert_int_equal(run_sand(broken, &(asker){.stop_at = start / 2}, -1, false, &now),
                     RP_INTERRUPTED);
    assert_int_equal(access(broken, F_OK), -1); /* in the midst of filling a source */
    assert_int_equal(run_sand(broken, &(asker){.stop_at = start + 1}, -1, false, &first),
                     RP_INTERRUPTED);
    assert_int_equal(first.steps, 0);
    for (int in_step = 2; in_step < 8; in_step++) {
        asker a = {.stop_at = start + in_step};
        assert_int_equal(run_sand(broken, &a, -1, true, &now), RP_INTERRUPTED);
        assert_int_equal(a.asked, a.stop_at); /* the step ended there */
        assert_int_equal(now.steps, first.steps);
        assert_true(now.hash == first.hash);
    }
    assert_int_equal(run_sand(broken, &(asker){0}, -1, true, &now), RP_OK);
    assert_true(now.steps == left.steps && now.hash == left.hash);
    for (int frame = 0; frame <= 4; frame++) {
        char name[64];
        snprintf(name, sizeof name, "frames/%06d.h5", frame);
        same_file(whole, broken, name);
    }
    remove_tree(base);
}

static void a_damaged_checkpoint_gives_way_to_the_one_before(void **state)
{
    (void)state;
    folders f = make_folders();
    assert_true(killed_run(f.broken, (killer){.at_frame = 8}, 2, false));
    char path[256];
    snprintf(path, sizeof path, "%s/checkpoints/000006.h5", f.broken);
    assert_int_equal(truncate(path, 5000), 0);
    finish_and_compare(&f, 2);
    remove_tree(f.base);
}

static void a_checkpoint_of_another_time_gives_way_likewise(void **state)
{
    (void)state;
    folders f = make_folders();
    assert_true(killed_run(f.broken, (killer){.at_frame = 8}, 2, false));
    char from[256], to[256];
    snprintf(from, sizeof from, "%s/checkpoints/000006.h5", f.broken);
    snprintf(to, sizeof to, "%s/checkpoints/000009.h5", f.broken);
    assert_int_equal(rename(from, to), 0);
    finish_and_compare(&f, 2);
    remove_tree(f.base);
}

static void another_scene_cannot_take_over(void **state)
{
    (void)state;
    folders f = make_folders();
    rp_report *report = rp_report_create();
    rp_scene *other = scene_of("particles: {spacing: 1 cm}\nsolver: {method: null}\n");
    rp_run_options options = rp_default_run_options();
    options.folder = f.whole;
    options.resume = true;
    assert_int_equal(rp_run(other, &options, NULL, report), RP_ERROR_INPUT);
    options.resume = false;
    assert_int_equal(rp_run(other, &options, NULL, report), RP_ERROR_INPUT);
    options.resume = true;
    options.folder = f.base; /* no run in there */
    assert_true(rp_run(other, &options, NULL, report) != RP_OK);
    uint64_t hash;
    check_ok(run_into(f.whole, (killer){0}, 1, true, &hash, report), report); /* nothing was lost */
    assert_true(hash == f.hash);
    rp_report_destroy(report);
    rp_scene_destroy(other);
    remove_tree(f.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_three_times_it_ends_the_same),
        cmocka_unit_test(killed_again_and_again_it_ends_the_same),
        cmocka_unit_test(asked_to_stop_between_frames_it_ends_the_same),
        cmocka_unit_test(stopped_within_steps_it_ends_the_same),
        cmocka_unit_test(a_damaged_checkpoint_gives_way_to_the_one_before),
        cmocka_unit_test(a_checkpoint_of_another_time_gives_way_likewise),
        cmocka_unit_test(another_scene_cannot_take_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
