/* Calls that step: budgets of wall-clock time, and forces that last as long as the call; and the
 * moisture of grains, which regions change at their time and place, linearly and in order. */
#include "base/memory.h"
#include "scene/scene.h"
#include "worlds.h"

#include <string.h>

/* --- calls that step -------------------------------------------------------------------------- */

#define FREE "particles: {spacing: 5 cm}\nsolver: {method: null}\ngravity: [0, 0, 0]\n"
#define SAND                                                                                       \
    "particles: {spacing: 4 cm}\ndomain: {low: [-0.4, -0.4, 0], high: [0.4, 0.4, 2], open: "       \
    "[top, left]}\n"                                                                               \
    "sources: {heap: {shape: box, size: [0.4, 0.4, 0.3], position: [0, 0, 0.15]}}\n"               \
    "emitters: {spout: {radius: 8 cm, position: [0, 0, 1], speed: 2, stop: 0.1 s}}\n"              \
    "solver: {method: %s}\n"

static rp_scene *sand_of(const char *method)
{
    char text[1024];
    snprintf(text, sizeof text, SAND, method);
    return scene_of(text);
}

static size_t grains_of(const rp_world *world)
{
    rp_view view;
    rp_world_view(world, &view);
    return view.count;
}

/* Calls that are cut short after every step lead through the same steps as one call. */
static void a_budget_does_not_change_a_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"null", "frictional", "pcisph", "dem"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        rp_scene *scene = sand_of(methods[m]);
        rp_world *whole = world_of(scene, 1), *cut = world_of(scene, 1);
        double end = m == 3 ? 0.01 : 0.12, reached = 0;
        run_world(whole, end);
        int calls = 0;
        while (reached < end) {
            double before = reached;
            assert_int_equal(rp_world_advance(cut, end, 0, &reached, NULL), RP_OK);
            assert_true(reached > before && reached == rp_world_time(cut));
            calls++;
        }
        rp_view view;
        rp_world_view(cut, &view);
        assert_true(calls > 3 && (uint64_t)calls == view.step);
        assert_true(rp_world_hash(whole) == rp_world_hash(cut));
        rp_world_destroy(cut);
        rp_world_destroy(whole);
        rp_scene_destroy(scene);
    }
}

static void a_budget_ends_a_long_call(void **state)
{
    (void)state;
    rp_scene *scene = sand_of("frictional");
    rp_world *world = world_of(scene, 1);
    rp_report *report = rp_report_create();
    double reached = -1;
    check_ok(rp_world_advance(world, 1e6, 0.02, &reached, report), report);
    assert_true(reached > 0 && reached < 1e6);
    check_ok(rp_world_advance(world, reached, 0, &reached, report), report); /* nothing to do */
    assert_true(reached == rp_world_time(world));
    check_ok(rp_world_advance(world, reached + 0.01, INFINITY, NULL, report), report);
    assert_true(rp_world_time(world) == reached + 0.01);
    assert_int_equal(rp_world_advance(world, 0, 1, &reached, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "cannot run back to 0 s"));
    assert_true(reached == rp_world_time(world));
    assert_int_equal(rp_world_advance(world, 1e6, NAN, NULL, NULL), RP_ERROR_INPUT);
    rp_report_destroy(report);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A force of 2 m/s2 on a grain without weight for 0.1 s, in however many steps. */
static void a_force_acts_during_the_whole_call(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(FREE "time: {step: 10 ms}\n"
                                    "sources: {one: {shape: box, size: [0.2, 0.2, 0.2]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    uint32_t id = view.id[7];
    check_ok(rp_world_add_force(world, 7, 2 * (double)view.mass[7], 0, 0, NULL), NULL);
    run_world(world, 0.1);
    run_world(world, 0.2); /* no force is left for this one */
    rp_world_view(world, &view);
    for (size_t i = 0; i < view.count; i++)
        check_near(view.vx[i], view.id[i] == id ? 0.2 : 0, 1e-6);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static size_t index_of(const rp_view *view, uint32_t id)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->id[i] == id) return i;
    fail_msg("grain %u is not there", id);
    return 0;
}

/* Grains are sorted, poured in and leave while the call steps: the force stays with its grain. */
static void a_force_follows_its_grain(void **state)
{
    (void)state;
    static const char *const methods[] = {"frictional", "pcisph", "dem"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        rp_scene *scene = sand_of(methods[m]);
        rp_world *world = world_of(scene, 1);
        rp_view view;
        double end = m == 2 ? 0.03 : 0.1;
        rp_world_view(world, &view);
        size_t top = SIZE_MAX, before = view.count; /* of the heap, beside the stream */
        for (size_t i = 0; i < view.count; i++)
            if (view.z[i] < 0.5f && view.x[i] < -0.12f &&
                (top == SIZE_MAX || view.z[i] > view.z[top]))
                top = i;
        uint32_t id = view.id[top];
        float z = view.z[top];
        check_ok(rp_world_add_force(world, top, 0, 0, (9.81 + 20) * (double)view.mass[top], NULL),
                 NULL);
        run_world(world, end);
        assert_true(grains_of(world) > before);
        rp_world_view(world, &view);
        size_t now = index_of(&view, id);
        check_near(view.vz[now], 20 * end, 4 * end); /* others hold it at first */
        assert_true(view.z[now] > z);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* Forces that have not acted yet are part of a snapshot. */
static void a_snapshot_holds_forces(void **state)
{
    (void)state;
    rp_scene *scene = sand_of("frictional");
    rp_world *world = world_of(scene, 1), *other = world_of(scene, 2);
    rp_snapshot *snapshot = NULL;
    run_world(world, 0.05);
    for (size_t i = 0; i < 50; i++)
        check_ok(rp_world_add_force(world, i, 0.1, 0, 0.5, NULL), NULL);
    check_ok(rp_world_snapshot(world, &snapshot, NULL), NULL);
    check_ok(rp_world_restore(other, snapshot, NULL), NULL);
    run_world(world, 0.15);
    run_world(other, 0.15);
    assert_true(rp_world_hash(world) == rp_world_hash(other));
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* --- moisture --------------------------------------------------------------------------------- */

/* A bar of grains along x from -0.5 to 0.5 m that floats, 80 grains. */
#define BAR                                                                                        \
    "gravity: [0, 0, 0]\nparticles: {spacing: 5 cm}\nsolver: {method: null}\n"                     \
    "sources: {bar: {shape: box, size: [1, 0.1, 0.1], moisture: 0.25}}\n"

/* The moisture of all grains on one side of x = 0, which must agree to the last bit. */
static double moisture_of(const rp_world *world, bool right)
{
    rp_view view;
    rp_world_view(world, &view);
    float found = -1;
    for (size_t i = 0; i < view.count; i++) {
        if ((view.x[i] > 0) != right) continue;
        if (found >= 0) assert_true(view.moisture[i] == found);
        found = view.moisture[i];
    }
    assert_true(found >= 0);
    return found;
}

static void check_sides(const rp_world *world, double left, double right, double tolerance)
{
    check_near(moisture_of(world, false), left, tolerance);
    check_near(moisture_of(world, true), right, tolerance);
}

static void sources_and_streams_bring_their_own(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BAR "emitters: {e: {radius: 10 cm, position: [0, 3, 0], speed: 1, "
                                   "start: 0.1 s, stop: 0.3 s, moisture: 0.75}}\n");
    rp_world *world = world_of(scene, 1);
    check_sides(world, 0.25, 0.25, 0);
    rp_emitter_def def = rp_default_emitter();
    def.position[1] = 6;
    def.moisture = 1;
    assert_int_equal(rp_world_add_emitter(world, &def, NULL), RP_OK);
    def.moisture = 1.5;
    assert_int_equal(rp_world_add_emitter(world, &def, NULL), RP_ERROR_INPUT);
    def.moisture = NAN;
    assert_int_equal(rp_world_add_emitter(world, &def, NULL), RP_ERROR_INPUT);
    run_world(world, 0.5);
    rp_view view;
    rp_world_view(world, &view);
    int kinds[3] = {0};
    for (size_t i = 0; i < view.count; i++) {
        int kind = view.y[i] > 4.5f ? 2 : view.y[i] > 1.5f ? 1 : 0;
        kinds[kind]++;
        assert_true(view.moisture[i] == (kind == 2 ? 1.0f : kind == 1 ? 0.75f : 0.25f));
    }
    assert_int_equal(kinds[0], 80);
    assert_true(kinds[1] > 10 && kinds[2] > 10);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Half of the bar is rained on from 0.2 s to 0.6 s, in steps that know nothing of that. */
static void a_straight_line_from_start_to_end(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of(BAR "time: {step: 7 ms}\n"
                     "moisture: {rain: {shape: box, size: [1, 1, 1], position: [0.5, 0, 0], "
                     "start: 0.2 s, duration: 0.4 s, value: 1}}\n");
    rp_world *world = world_of(scene, 2);
    for (int i = 0; i <= 40; i++) {
        double time = i * 0.02, share = fmin(fmax((time - 0.2) / 0.4, 0), 1);
        run_world(world, time);
        check_sides(world, 0.25, 0.25 + 0.75 * share, 2e-6);
    }
    check_sides(world, 0.25, 1, 0); /* exactly, and for good */
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void a_region_without_duration_acts_at_once(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        BAR "moisture:\n"
            "  now: {shape: plane, rotation: [0, 90 deg, 0], value: 0.5}\n" /* below: x < 0 */
            "  later: {start: 0.123 s, value: 1}\n");
    rp_world *world = world_of(scene, 1);
    check_sides(world, 0.5, 0.25, 0); /* the first frame shows it */
    run_world(world, 0.123);
    check_sides(world, 0.5, 0.25, 0);
    run_world(world, 0.124);
    check_sides(world, 1, 1, 0);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Both act on all grains for one second; the second is asked after the first in every step. */
static void several_act_in_their_order(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BAR "moisture:\n"
                                   "  b: {duration: 1 s, value: 1}\n"
                                   "  a: {duration: 1 s, value: 0}\n"
                                   "  c: {start: 1 s, duration: 1 s, value: 0.5}\n");
    rp_world *world = world_of(scene, 1);
    run_world(world, 1);
    check_sides(world, 0, 0, 0);
    run_world(world, 1.5);
    check_sides(world, 0.25, 0.25, 1e-6);
    run_world(world, 3);
    check_sides(world, 0.5, 0.5, 0);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* The bar flies to the right: its right half leaves the region before the end and keeps what it
 * has, its left half comes in late and still arrives. */
static void moisture_travels_with_the_grain(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        "gravity: [0, 0, 0]\nparticles: {spacing: 5 cm, jitter: 0}\nsolver: {method: null}\n"
        "sources:\n"
        "  early: {shape: box, size: [5 cm, 5 cm, 5 cm], position: [0.45, 0, 0], velocity: [1, 0, "
        "0]}\n"
        "  late: {shape: box, size: [5 cm, 5 cm, 5 cm], position: [-1, 0, 0], velocity: [1, 0, "
        "0]}\n"
        "moisture: {pool: {shape: box, size: [1, 1, 1], duration: 1 s, value: 1}}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view;
    run_world(world, 1);
    rp_world_view(world, &view);
    assert_int_equal(view.count, 2);
    int early = view.x[0] > view.x[1] ? 0 : 1;
    check_near(view.moisture[early], 0.05, 0.025); /* 50 ms of it, to a step */
    check_near(view.moisture[1 - early], 1, 0);
    run_world(world, 2);
    rp_world_view(world, &view);
    early = view.x[0] > view.x[1] ? 0 : 1;
    check_near(view.moisture[early], 0.05, 0.025);
    check_near(view.moisture[1 - early], 1, 0);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void steps_meet_start_and_end(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BAR "time: {step: 30 ms}\n"
                                   "moisture: {m: {start: 40 ms, duration: 50 ms, value: 1}}\n");
    rp_world *world = world_of(scene, 1);
    bool start = false, end = false;
    while (rp_world_time(world) < 0.2) {
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
        start |= rp_world_time(world) == 0.04;
        end |= rp_world_time(world) == 0.04 + 0.05;
    }
    assert_true(start && end);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Saved in the midst of rain and drying, on other numbers of threads, it ends in the same bits. */
static void states_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_world *whole = world_of(scene, 1);
    run_world(whole, 0.1);
    rp_snapshot *snapshot = NULL;
    assert_int_equal(rp_world_snapshot(whole, &snapshot, NULL), RP_OK);
    run_world(whole, 0.5);
    rp_view view;
    rp_world_view(whole, &view);
    size_t damp = 0;
    for (size_t i = 0; i < view.count; i++)
        damp += view.moisture[i] > 0.1f && view.moisture[i] < 0.9f;
    assert_true(damp > 10);
    for (int threads = 1; threads <= 4; threads++) {
        rp_world *other = world_of(scene, threads);
        assert_int_equal(rp_world_restore(other, snapshot, NULL), RP_OK);
        run_world(other, 0.5);
        assert_true(rp_world_hash(other) == rp_world_hash(whole));
        rp_world_destroy(other);
    }
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(whole);
    rp_scene_destroy(scene);
}

static void soaking_allocates_nothing(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BAR "moisture: {m: {duration: 1 s, value: 1}}\n");
    rp_world *world = world_of(scene, 2);
    run_world(world, 0.1);
    uint64_t before = rp_memory_now().calls;
    run_world(world, 0.5);
    assert_int_equal(rp_memory_now().calls, before + 1); /* the report of run_world */
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_does_not_change_a_bit),
        cmocka_unit_test(a_budget_ends_a_long_call),
        cmocka_unit_test(a_force_acts_during_the_whole_call),
        cmocka_unit_test(a_force_follows_its_grain),
        cmocka_unit_test(a_snapshot_holds_forces),
        cmocka_unit_test(sources_and_streams_bring_their_own),
        cmocka_unit_test(a_straight_line_from_start_to_end),
        cmocka_unit_test(a_region_without_duration_acts_at_once),
        cmocka_unit_test(several_act_in_their_order),
        cmocka_unit_test(moisture_travels_with_the_grain),
        cmocka_unit_test(steps_meet_start_and_end),
        cmocka_unit_test(states_and_threads_give_the_same_bits),
        cmocka_unit_test(soaking_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
