/* A scene runs into a record: which frames are written, options, statistics of steps. */
#include "files.h"
#include "worlds.h"

#include "repose/repose.h"
#include "run/inside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- frames ----------------------------------------------------------------------------------- */

/* The hook for finished frames: each one once, in order, on disk, with its fine grains. */

#define LAST 8

typedef struct seen {
    int64_t numbers[LAST + 1];
    int count;
    bool fine;
    int64_t stop; /* after this frame; -1: never */
} seen;

static void on_frame(void *user, const rp_record *record, int64_t number)
{
    seen *s = user;
    rp_frame_file *frame = NULL;
    assert_in_range(s->count, 0, LAST);
    s->numbers[s->count++] = number;
    assert_int_equal(
        rp_series_number(rp_record_series(record, RP_SERIES_COARSE),
                         rp_series_count(rp_record_series(record, RP_SERIES_COARSE)) - 1),
        number);
    assert_int_equal(
        rp_series_read(rp_record_series(record, RP_SERIES_COARSE), number, &frame, NULL), RP_OK);
    rp_frame_close(frame);
    if (!s->fine) return;
    assert_int_equal(
        rp_series_number(rp_record_series(record, RP_SERIES_FINE),
                         rp_series_count(rp_record_series(record, RP_SERIES_FINE)) - 1),
        number);
    assert_int_equal(rp_series_read(rp_record_series(record, RP_SERIES_FINE), number, &frame, NULL),
                     RP_OK);
    rp_frame_close(frame);
}

static bool on_progress(void *user, const rp_progress *progress)
{
    const seen *s = user;
    return s->stop < 0 || progress->frame < s->stop;
}

static rp_code run(const char *folder, const char *more, bool resume, seen *s)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", BUSY_SCENE, more);
    rp_scene *scene = scene_of(text);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.frames = LAST;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 1;
    options.world = &of_world;
    options.frame_written = on_frame;
    options.progress = on_progress;
    options.user = s;
    rp_code code = rp_run(scene, &options, NULL, NULL);
    rp_scene_destroy(scene);
    return code;
}

static void every_frame_is_reported_once(void **state)
{
    (void)state;
    seen s = {.stop = -1};
    assert_int_equal(run("all", "", false, &s), RP_OK);
    assert_int_equal(s.count, LAST + 1);
    for (int i = 0; i <= LAST; i++)
        assert_int_equal(s.numbers[i], i);
}

static void frames_that_are_not_written_are_not_reported(void **state)
{
    (void)state;
    seen s = {.stop = -1};
    assert_int_equal(run("sparse", "output: {frame_every: 3}\n", false, &s), RP_OK);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.numbers[2], 6);
}

static void fine_grains_are_there(void **state)
{
    (void)state;
    seen s = {.stop = -1, .fine = true};
    assert_int_equal(run("fine", "detail: {factor: 4}\n", false, &s), RP_OK);
    assert_int_equal(s.count, LAST + 1);
}

static void a_resumed_run_tells_what_is_new(void **state)
{
    (void)state;
    seen s = {.stop = 4};
    assert_int_equal(run("resumed", "", false, &s), RP_INTERRUPTED);
    assert_int_equal(s.count, 5);
    s = (seen){.stop = -1};
    assert_int_equal(run("resumed", "", true, &s), RP_OK);
    assert_int_equal(s.count, LAST - 4);
    assert_int_equal(s.numbers[0], 5);
}

static char work[] = "/tmp/repose-frames-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(work) && chdir(work) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    if (chdir("/") != 0) return -1;
    remove_tree(work);
    return 0;
}

/* --- lengths of steps ------------------------------------------------------------------------- */

/* What a run tells of its steps. */

static void steps_are_counted_by_reason(void **state)
{
    (void)state;
    rp_step_tally tally = {0};
    char speed[] = "speed"; /* the text counts, not where it is kept */
    const double steps[] = {3, 1, 2, 6};
    const char *const reasons[] = {"force", "speed", speed, "speed"};
    for (int i = 0; i < 4; i++)
        rp_step_tally_add(&tally, steps[i], reasons[i]);
    rp_step_tally_sort(&tally);
    assert_int_equal(tally.steps, 4);
    assert_true(tally.shortest == 1 && tally.longest == 6);
    check_near(tally.mean, 3, 1e-15);
    assert_int_equal(tally.reason_count, 2);
    assert_string_equal(tally.reasons[0].reason, "speed");
    assert_int_equal(tally.reasons[0].steps, 3);
    assert_int_equal(tally.reasons[1].steps, 1);
}

static void more_reasons_than_places_are_still_counted(void **state)
{
    (void)state;
    rp_step_tally tally = {0};
    char names[RP_STEP_REASONS + 3][16];
    uint64_t sum = 0;
    for (int i = 0; i < RP_STEP_REASONS + 3; i++) {
        snprintf(names[i], sizeof names[i], "r%d", i);
        rp_step_tally_add(&tally, 1, names[i]);
    }
    assert_int_equal(tally.reason_count, RP_STEP_REASONS);
    assert_string_equal(tally.reasons[RP_STEP_REASONS - 1].reason, "other reasons");
    assert_int_equal(tally.reasons[RP_STEP_REASONS - 1].steps, 4);
    for (int i = 0; i < RP_STEP_REASONS; i++)
        sum += tally.reasons[i].steps;
    assert_int_equal(sum, tally.steps);
}

/* Grains at rest take the longest step allowed; a frame of 2.5 of them takes three even ones. */
static void a_run_tells_its_steps(void **state)
{
    (void)state;
    char folder[] = "/tmp/repose-test-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    rp_scene *scene = scene_of("gravity: [0, 0, 0]\nparticles: {spacing: 5 cm}\n"
                               "time: {duration: 1 s, frame_rate: 40, max_step: 10 ms}\n"
                               "sources: {one: {shape: box, size: [0.1, 0.1, 0.1]}}\n"
                               "solver: {method: null}\n");
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.frames = 4;
    rp_run_summary summary;
    rp_report *report = rp_report_create();
    check_ok(rp_run(scene, &options, &summary, report), report);
    assert_int_equal(summary.tally.steps, 12);
    check_near(summary.tally.shortest, 0.025 / 3, 1e-9);
    check_near(summary.tally.mean, 0.025 / 3, 1e-9);
    check_near(summary.tally.longest, 0.025 / 3, 1e-9);
    assert_int_equal(summary.tally.reason_count, 1);
    assert_string_equal(summary.tally.reasons[0].reason, "time.max_step");
    options.resume = true; /* there is nothing left to do */
    check_ok(rp_run(scene, &options, &summary, report), report);
    assert_int_equal(summary.steps, 12);
    assert_int_equal(summary.tally.steps, 0);
    assert_int_equal(summary.tally.reason_count, 0);
    rp_report_destroy(report);
    rp_scene_destroy(scene);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* --- options ---------------------------------------------------------------------------------- */

/* Every public function that takes options looks at their size first. */

static rp_report *report;
static rp_scene *scene;
static rp_world *world;
static rp_view view;

/* The call is refused, since the size is 0 or more than the library knows. */
#define REFUSES_SIZE(options, call)                                                                \
    do {                                                                                           \
        const size_t wrong[] = {0, sizeof(options) + 8};                                           \
        for (int i = 0; i < 2; i++) {                                                              \
            (options).size = wrong[i];                                                             \
            rp_report_clear(report);                                                               \
            assert_int_equal(call, RP_ERROR_INPUT);                                                \
            assert_non_null(strstr(rp_report_fault(report, 0)->message, "size"));                  \
        }                                                                                          \
    } while (0)

static void of_worlds(void **state)
{
    (void)state;
    rp_world *made = NULL;
    rp_world_options options = rp_default_world_options();
    REFUSES_SIZE(options, rp_world_create(scene, &options, &made, report));
    REFUSES_SIZE(options, rp_scene_review(scene, &options, NULL, report));
    assert_true(rp_scene_estimate(scene, &options).grains == 0);
    /* An older program, which knows the number of threads alone. */
    memset(&options, 0xff, sizeof options);
    options.size = offsetof(rp_world_options, executor);
    options.threads = 1;
    check_ok(rp_world_create(scene, &options, &made, report), report);
    rp_world_destroy(made);
    assert_true(rp_scene_estimate(scene, &options).grains > 0);
    rp_emitter_def emitter = rp_default_emitter();
    REFUSES_SIZE(emitter, rp_world_add_emitter(world, &emitter, report));
}

static void of_runs(void **state)
{
    (void)state;
    rp_run_options run = rp_default_run_options();
    run.folder = "/tmp/repose-options";
    rp_world_options of_world = rp_default_world_options();
    run.world = &of_world;
    REFUSES_SIZE(of_world, rp_run(scene, &run, NULL, report));
    REFUSES_SIZE(run, rp_run(scene, &run, NULL, report));
    rp_refine_options refine = rp_default_refine_options();
    refine.folder = "/tmp/repose-options";
    REFUSES_SIZE(refine, rp_refine(&refine, NULL, report));
}

static void of_films(void **state)
{
    (void)state;
    rp_film *film = NULL;
    rp_record *record = (rp_record *)&film; /* is not looked at */
    rp_film_run run = {.series = rp_record_series(record, RP_SERIES_COARSE)};
    rp_film_options options = rp_default_film_options();
    REFUSES_SIZE(options, rp_film_check(&options, scene, report));
    REFUSES_SIZE(options, rp_film_open(&options, &run, 1, &film, report));
    REFUSES_SIZE(options, rp_view_picture(&view, scene, &options, "/tmp/x.png", report));
    rp_export_options to = rp_default_export_options();
    REFUSES_SIZE(to, rp_record_export(record, 0, &view, &to, report));
}

static void of_drafts(void **state)
{
    (void)state;
    rp_scene *made = NULL;
    rp_joint_def joint = rp_default_joint();
    joint.size = 0;
    rp_draft *draft = rp_draft_create();
    rp_draft_add_joint(draft, "hinge", &joint);
    rp_report_clear(report);
    assert_int_equal(rp_draft_finish(draft, &made, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "size"));
}

static void of_hooks(void **state)
{
    (void)state;
    rp_hooks hooks = {0};
    assert_int_equal(rp_set_hooks(&hooks), RP_ERROR_INPUT);
}

static int begin(void **state)
{
    (void)state;
    report = rp_report_create();
    scene = scene_of(BUSY_SCENE);
    world = world_of(scene, 1);
    rp_world_view(world, &view);
    return 0;
}

static int end(void **state)
{
    (void)state;
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return 0;
}

int main(void)
{
    const struct CMUnitTest frames_tests[] = {
        cmocka_unit_test(every_frame_is_reported_once),
        cmocka_unit_test(frames_that_are_not_written_are_not_reported),
        cmocka_unit_test(fine_grains_are_there),
        cmocka_unit_test(a_resumed_run_tells_what_is_new),
    };
    const struct CMUnitTest tally_tests[] = {
        cmocka_unit_test(steps_are_counted_by_reason),
        cmocka_unit_test(more_reasons_than_places_are_still_counted),
        cmocka_unit_test(a_run_tells_its_steps),
    };
    const struct CMUnitTest options_tests[] = {
        cmocka_unit_test(of_worlds), cmocka_unit_test(of_runs),  cmocka_unit_test(of_films),
        cmocka_unit_test(of_drafts), cmocka_unit_test(of_hooks),
    };
    int failed = 0;
    failed += cmocka_run_group_tests_name("frames", frames_tests, enter, leave);
    failed += cmocka_run_group_tests_name("tally", tally_tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("options", options_tests, begin, end);
    return failed;
}
