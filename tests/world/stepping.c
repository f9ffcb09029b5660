/* Calls that step: a budget of wall time, and forces that last as long as the call. */
#include "worlds.h"

#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_does_not_change_a_bit),
        cmocka_unit_test(a_budget_ends_a_long_call),
        cmocka_unit_test(a_force_acts_during_the_whole_call),
        cmocka_unit_test(a_force_follows_its_grain),
        cmocka_unit_test(a_snapshot_holds_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
