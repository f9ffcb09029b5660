/* What a run tells of its steps. */
#include "worlds.h"

#include "run/inside.h"

#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_counted_by_reason),
        cmocka_unit_test(more_reasons_than_places_are_still_counted),
        cmocka_unit_test(a_run_tells_its_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
