/* Every public function that takes options looks at their size first. */
#include "worlds.h"

#include "repose/repose.h"

#include <string.h>

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_worlds), cmocka_unit_test(of_runs),
                                       cmocka_unit_test(of_films), cmocka_unit_test(of_drafts),
                                       cmocka_unit_test(of_hooks)};
    return cmocka_run_group_tests(tests, begin, end);
}
