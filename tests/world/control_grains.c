/* What a host program changes while a world runs: gravity, emitters, sources, grains; that it holds
 * for every method that can do it, for any number of threads, and through snapshots. */
#include "worlds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const methods[] = {"null", "frictional", "pcisph", "dem"};
#define METHODS 4

#define SLEEPER "solver: {method: frictional, sleeping: yes, sleep_speed: 0.2, sleep_time: 50 ms}\n"

#define BOX                                                                                        \
    "particles: {spacing: 4 cm}\ndomain: {low: [-0.4, -0.4, 0], high: [0.4, 0.4, inf]}\n"          \
    "materials: {sand: {}, gravel: {density: 1800}}\n"                                             \
    "sources: {heap: {shape: box, size: [0.4, 0.4, 0.2], position: [0, 0, 0.1]}}\n"                \
    "emitters: {spout: {radius: 8 cm, position: [0.2, 0, 1], speed: 2, material: sand},\n"         \
    "           other: {radius: 8 cm, position: [-0.2, 0, 1], start: 100}}\n"                      \
    "bodies: {post: {shape: box, size: [0.1, 0.1, 0.1], position: [0.3, 0.3, 0.3]}}\n"             \
    "solver: {method: %s}\n"

static rp_scene *box_of(const char *method)
{
    char text[2048];
    snprintf(text, sizeof text, BOX, method);
    return scene_of(text);
}

static rp_view view_of(const rp_world *world)
{
    rp_view view;
    rp_world_view(world, &view);
    return view;
}

/* The time that a test runs: discrete elements take many steps. */
static double scaled(int method, double time)
{
    return method == 3 ? time / 4 : time;
}

/* A fault with these words. */
#define FAILS(call, error, words)                                                                  \
    do {                                                                                           \
        rp_report *report = rp_report_create();                                                    \
        assert_int_equal(call, error);                                                             \
        assert_int_equal(rp_report_count(report), 1);                                              \
        if (!strstr(rp_report_fault(report, 0)->message, words))                                   \
            fail_msg("%s", rp_report_fault(report, 0)->message);                                   \
        rp_report_destroy(report);                                                                 \
    } while (0)

static void gravity_is_what_was_set(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 5 cm}\nsolver: {method: null}\n"
                               "gravity_keys: [{time: 0, gravity: [0, 0, -9.81]},"
                               " {time: 1, gravity: [0, 0, -9.81]}]\n"
                               "sources: {one: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    double now[3];
    const double sideways[3] = {3, 0, 0}, wrong[3] = {0, NAN, 0};
    check_ok(rp_world_set_gravity(world, sideways, NULL), NULL);
    rp_world_gravity(world, now);
    assert_true(now[0] == 3 && now[1] == 0 && now[2] == 0);
    run_world(world, 0.1);
    check_near(view_of(world).vx[0], 0.3, 1e-6);
    check_near(view_of(world).vz[0], 0, 1e-6);
    check_ok(rp_world_set_gravity(world, NULL, NULL), NULL); /* the scene's keys again */
    run_world(world, 0.2);
    check_near(view_of(world).vx[0], 0.3, 1e-6);
    check_near(view_of(world).vz[0], -0.981, 1e-5);
    FAILS(rp_world_set_gravity(world, wrong, report), RP_ERROR_INPUT, "gravity is [0, nan, 0]");
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Sand that sleeps and a body that sleeps notice that gravity turned. */
static void what_sleeps_feels_new_gravity(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        "particles: {spacing: 5 cm}\ndomain: {low: [-0.5, -0.5, 0], high: [0.5, 0.5, inf]}\n"
        "sources: {one: {shape: box, size: [0.3, 0.3, 0.1], position: [0, 0, 0.05]}}\n"
        "bodies: {cube: {shape: box, size: [0.2, 0.2, 0.2], position: [0.35, 0.35, 0.1],"
        " motion: dynamic, density: 1000}}\n" SLEEPER);
    rp_world *world = world_of(scene, 1);
    run_world(world, 1.5);
    rp_view view = view_of(world);
    size_t asleep = 0;
    for (size_t i = 0; i < view.count; i++)
        asleep += view.asleep[i];
    assert_int_equal(asleep, view.count);
    assert_true(view.bodies[0].velocity[2] == 0);
    const double up[3] = {0, 0, 2};
    check_ok(rp_world_set_gravity(world, up, NULL), NULL);
    run_world(world, 1.7);
    view = view_of(world);
    check_near(view.bodies[0].velocity[2], 0.4, 0.05);
    double mean = 0;
    for (size_t i = 0; i < view.count; i++)
        mean += (double)view.vz[i] / (double)view.count;
    check_near(mean, 0.4, 0.1);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void emitters_are_switched_and_changed(void **state)
{
    (void)state;
    rp_scene *scene = box_of("null");
    rp_world *world = world_of(scene, 1);
    assert_int_equal(rp_world_emitter_count(world), 2);
    int spout = rp_world_find_emitter(world, "spout");
    assert_int_equal(spout, 0);
    assert_int_equal(rp_world_find_emitter(world, "none"), -1);
    run_world(world, 0.2);
    size_t first = view_of(world).count;
    check_ok(rp_world_switch_emitter(world, spout, false, NULL), NULL);
    run_world(world, 0.6);
    assert_int_equal(view_of(world).count, first);
    check_ok(rp_world_switch_emitter(world, spout, true, NULL), NULL);
    run_world(world, 0.8); /* as long as at first, so as much */
    size_t second = view_of(world).count;
    size_t start = 10 * 10 * 5; /* of the source */
    check_near((double)(second - first), (double)(first - start), 0.15 * (double)(first - start));
    rp_emitter_def def = rp_default_emitter();
    check_ok(rp_world_emitter(world, spout, &def, NULL), NULL);
    assert_string_equal(def.name, "spout");
    assert_true(def.on && def.speed == 2 && def.radius == 0.08 && def.position[2] == 1);
    def.speed = 4;
    check_ok(rp_world_set_emitter(world, spout, &def, NULL), NULL);
    run_world(world, 1);
    double twice = (double)(view_of(world).count - second) / (double)(second - first);
    check_near(twice, 2, 0.2);
    def.rate = 20; /* kg/s */
    def.position[2] = 3;
    check_ok(rp_world_set_emitter(world, spout, &def, NULL), NULL);
    double before = 0, after = 0;
    rp_view view = view_of(world);
    for (size_t i = 0; i < view.count; i++)
        before += view.mass[i];
    run_world(world, 3);
    view = view_of(world);
    for (size_t i = 0; i < view.count; i++)
        after += view.mass[i];
    check_near(after - before, 40, 2);
    FAILS(rp_world_switch_emitter(world, 7, true, report), RP_ERROR_INPUT, "the world has 2");
    def.speed = -1;
    assert_int_equal(rp_world_set_emitter(world, spout, &def, NULL), RP_ERROR_INPUT);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void emitters_have_names(void **state)
{
    (void)state;
    rp_scene *scene = box_of("frictional");
    rp_world *world = world_of(scene, 1);
    rp_emitter_def def = rp_default_emitter();
    def.name = "hose";
    def.position[2] = 0.8;
    def.width = 0.1;
    def.height = 0.2;
    def.on = false;
    check_ok(rp_world_add_emitter(world, &def, NULL), NULL);
    assert_int_equal(rp_world_find_emitter(world, "hose"), 2);
    FAILS(rp_world_add_emitter(world, &def, report), RP_ERROR_INPUT, "'hose' already");
    rp_snapshot *snapshot = NULL;
    rp_world *other = world_of(scene, 1);
    check_ok(rp_world_snapshot(world, &snapshot, NULL), NULL);
    check_ok(rp_world_restore(other, snapshot, NULL), NULL);
    assert_int_equal(rp_world_find_emitter(other, "hose"), 2);
    assert_int_equal(rp_world_find_emitter(other, "spout"), 0);
    check_ok(rp_world_emitter(other, 2, &def, NULL), NULL);
    assert_true(!def.on && def.width == 0.1 && def.height == 0.2);
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* The smallest distance between two grains, in spacings. */
static double least_distance(const rp_view *view)
{
    double least = INFINITY;
    for (size_t i = 0; i < view->count; i++)
        for (size_t j = 0; j < i; j++) {
            double x = (double)(view->x[i] - view->x[j]), y = (double)(view->y[i] - view->y[j]),
                   z = (double)(view->z[i] - view->z[j]);
            least = fmin(least, x * x + y * y + z * z);
        }
    return sqrt(least) / view->spacing;
}

static void a_source_is_filled_where_there_is_room(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        rp_scene *scene = box_of(methods[m]);
        rp_world *world = world_of(scene, 1);
        rp_report *report = rp_report_create();
        size_t before = view_of(world).count;
        assert_int_equal(rp_world_add_source(world, "none", "~", NULL), RP_ERROR_INPUT);
        check_ok(rp_world_add_source(world, "block",
                                     "{shape: box, size: [0.4, 0.4, 0.2], position: [0, 0, 0.35], "
                                     "material: gravel}",
                                     report),
                 report);
        size_t whole = view_of(world).count;
        assert_true(whole > before + 400);
        check_ok(rp_world_add_source(world, "again",
                                     "{shape: sphere, radius: 10 cm, position: "
                                     "[0, 0, 0.2]}",
                                     report),
                 report); /* it is full there */
        assert_true(view_of(world).count < whole + 8);
        rp_view view = view_of(world);
        assert_int_equal(view.material[view.count - 1] <= 1, 1);
        assert_true(least_distance(&view) > 0.75);
        run_world(world, scaled(m, 0.1));
        assert_int_equal(
            rp_world_add_source(world, "late", "{shape: sphere, radius: 1, at: 9 s}", report),
            RP_ERROR_INPUT);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, "fills it now"));
        rp_report_clear(report);
        assert_int_equal(rp_world_add_source(world, "wrong", "{shape: bxo}", report),
                         RP_ERROR_INPUT);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, "bxo"));
        rp_report_clear(report);
        whole = view_of(world).count;
        assert_int_equal(rp_world_add_source(world, "out", "{shape: sphere, radius: 1}", report),
                         RP_ERROR_INPUT);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, "behind a wall"));
        assert_int_equal(view_of(world).count, whole);
        rp_report_destroy(report);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

static void grains_are_added_one_by_one(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        rp_scene *scene = box_of(methods[m]);
        rp_world *world = world_of(scene, 1);
        const double position[] = {0, 0, 0.6, 0.1, 0,   0.6, 0.1, 0.02, 0.6,
                                   0, 0, 0.1, 0.3, 0.3, 0.3, 0,   0,    -1};
        const double velocity[] = {1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        rp_grains_def def = rp_default_grains();
        def.count = 2;
        def.position = position;
        def.velocity = velocity;
        def.material = 1;
        def.moisture = 0.5;
        size_t before = view_of(world).count, added = 0;
        uint32_t id = 0;
        uint64_t hash;
        check_ok(rp_world_add_grains(world, &def, &id, &added, NULL), NULL);
        rp_view view = view_of(world);
        assert_int_equal(view.count, before + 2);
        assert_int_equal(added, 2);
        assert_int_equal(view.id[before], id);
        assert_true(view.vy[before] == 2 && view.z[before] == 0.6f && view.material[before] == 1);
        assert_true(view.moisture[before] == 0.5f && view.mass[before] > 0);
        hash = rp_world_hash(world);
        def.count = 6;
        FAILS(rp_world_add_grains(world, &def, NULL, NULL, report), RP_ERROR_INPUT,
              "grain 0 of 6 at [0, 0, 0.6] m would be too near to another grain");
        assert_true(rp_world_hash(world) == hash); /* nothing happened */
        def.position = position + 6;
        def.count = 4;
        def.leave_out = true;
        rp_report *faults = rp_report_create();
        check_ok(rp_world_add_grains(world, &def, &id, &added, faults), faults);
        assert_int_equal(added, 0);
        def.position = (const double[]){0, 0.1, 0.6, 0, 0.11, 0.6, 0, 0.2, 0.6};
        def.count = 3; /* the second overlaps the first */
        check_ok(rp_world_add_grains(world, &def, &id, &added, faults), faults);
        assert_int_equal(added, 2);
        view = view_of(world);
        assert_int_equal(view.id[view.count - 2], id);
        assert_int_equal(view.id[view.count - 1], id + 2);
        run_world(world, scaled(m, 0.05));
        def.material = 9;
        FAILS(rp_world_add_grains(world, &def, NULL, NULL, report), RP_ERROR_INPUT, "material 9");
        def.material = 0;
        def.position = (const double[]){0, INFINITY, 0, 0, 0, 0, 0, 0, 0};
        FAILS(rp_world_add_grains(world, &def, NULL, NULL, report), RP_ERROR_INPUT, "not finite");
        rp_report_destroy(faults);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

static void grains_are_removed(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        rp_scene *scene = box_of(methods[m]);
        rp_world *world = world_of(scene, 1);
        run_world(world, scaled(m, 0.1));
        const rp_query *query;
        const double low[3] = {-0.1, -0.1, 0}, high[3] = {0.1, 0.1, 0.5};
        static size_t indices[10000];
        check_ok(rp_world_query(world, &query, NULL), NULL);
        size_t before = view_of(world).count;
        size_t count = rp_query_box(query, low, high, indices, 10000);
        assert_true(count > 50);
        check_ok(rp_world_remove_grains(world, indices, count, NULL), NULL);
        assert_int_equal(view_of(world).count, before - count);
        check_ok(rp_world_query(world, &query, NULL), NULL);
        assert_int_equal(rp_query_box(query, low, high, NULL, 0), 0);
        rp_view view = view_of(world), touching;
        const uint32_t ids[4] = {view.id[3], view.id[9], 4000000000u, view.id[3]};
        size_t removed = 0;
        check_ok(rp_world_remove_ids(world, ids, 4, &removed, NULL), NULL);
        assert_int_equal(removed, 2);
        assert_int_equal(view_of(world).count, before - count - 2);
        check_ok(rp_world_contacts(world, &touching, NULL), NULL); /* without a step between */
        indices[0] = before;
        FAILS(rp_world_remove_grains(world, indices, 1, report), RP_ERROR_INPUT, "the world has");
        run_world(world, scaled(m, 0.3)); /* what stood around it falls into the hole */
        check_ok(rp_world_query(world, &query, NULL), NULL);
        if (m > 0 && m < 3) assert_true(rp_query_box(query, low, high, NULL, 0) > 5);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* Sand that sleeps as a whole wakes when as many grains are removed as are added. */
static void sleeping_sand_notices_its_loss(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        "particles: {spacing: 5 cm}\ndomain: {low: [-0.3, -0.3, 0], high: [0.3, 0.3, inf]}\n"
        "sources: {one: {shape: box, size: [0.6, 0.6, 0.3], position: [0, 0, 0.15]}}\n" SLEEPER);
    rp_world *world = world_of(scene, 1);
    run_world(world, 1);
    rp_view view = view_of(world);
    size_t lowest = 0, asleep = 0;
    for (size_t i = 0; i < view.count; i++) {
        asleep += view.asleep[i];
        if (view.z[i] < view.z[lowest]) lowest = i;
    }
    assert_int_equal(asleep, view.count);
    rp_grains_def def = rp_default_grains();
    def.count = 1;
    def.position = (const double[]){0, 0, 1};
    check_ok(rp_world_remove_grains(world, &lowest, 1, NULL), NULL);
    check_ok(rp_world_add_grains(world, &def, NULL, NULL, NULL), NULL);
    run_world(world, 1.1);
    view = view_of(world);
    double highest = 0;
    for (size_t i = 0; i < view.count; i++)
        highest = fmax(highest, (double)view.z[i]);
    check_near(highest, 1 - 0.5 * 9.81 * 0.01, 0.02); /* the new one falls */
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Everything at once; `part` says how far. */
static void change_all(rp_world *world, int part)
{
    rp_report *report = rp_report_create();
    const double tilted[3] = {1, 0.5, -8};
    static size_t indices[5000];
    if (part == 0) {
        rp_emitter_def def = rp_default_emitter();
        check_ok(rp_world_set_gravity(world, tilted, report), report);
        check_ok(rp_world_emitter(world, 0, &def, report), report);
        def.speed = 3;
        def.rate = 2;
        check_ok(rp_world_set_emitter(world, 0, &def, report), report);
        def = rp_default_emitter();
        def.name = "hose";
        def.position[2] = 0.9;
        check_ok(rp_world_add_emitter(world, &def, report), report);
    } else {
        const rp_query *query;
        const double low[3] = {-0.1, -0.1, 0}, high[3] = {0.1, 0.1, 0.1};
        rp_grains_def def = rp_default_grains();
        def.count = 2;
        def.leave_out = true;
        def.position = (const double[]){0, 0.3, 0.5, 0.1, 0.3, 0.5};
        check_ok(rp_world_query(world, &query, report), report);
        size_t count = rp_query_box(query, low, high, indices, 5000);
        check_ok(rp_world_remove_grains(world, indices, count, report), report);
        check_ok(rp_world_add_grains(world, &def, NULL, NULL, report), report);
        check_ok(rp_world_add_source(world, "more",
                                     "{shape: sphere, radius: 8 cm, position: "
                                     "[-0.2, -0.2, 0.6]}",
                                     report),
                 report);
        check_ok(rp_world_switch_emitter(world, 0, false, report), report);
        check_ok(rp_world_add_force(world, 5, 0, 0, 1, report), report);
    }
    rp_report_destroy(report);
}

/* The same through a file. */
static void save_and_load(rp_world *world, rp_world *other)
{
    char path[] = "/tmp/repose-control-XXXXXX";
    rp_report *report = rp_report_create();
    close(mkstemp(path));
    check_ok(rp_world_save(world, path, report), report);
    check_ok(rp_world_load(other, path, report), report);
    assert_true(rp_world_hash(world) == rp_world_hash(other));
    remove(path);
    rp_report_destroy(report);
}

/* Changes, a snapshot between change and step, a fresh world: the same bits, on other threads. */
static void snapshots_hold_what_was_changed(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        rp_scene *scene = box_of(methods[m]);
        rp_world *world = world_of(scene, 1);
        for (int part = 0; part < 2; part++) {
            run_world(world, scaled(m, 0.05 + 0.1 * part));
            change_all(world, part);
            rp_snapshot *snapshot = NULL;
            rp_world *other = world_of(scene, 1 + part * 2);
            check_ok(rp_world_snapshot(world, &snapshot, NULL), NULL);
            check_ok(rp_world_restore(other, snapshot, NULL), NULL);
            assert_true(rp_world_hash(world) == rp_world_hash(other));
            if (m == 1) save_and_load(world, other);
            run_world(world, scaled(m, 0.1 + 0.1 * part));
            run_world(other, scaled(m, 0.1 + 0.1 * part));
            assert_true(rp_world_hash(world) == rp_world_hash(other));
            if (part == 1) { /* both go on alike */
                check_ok(rp_world_switch_emitter(world, 0, true, NULL), NULL);
                check_ok(rp_world_switch_emitter(other, 0, true, NULL), NULL);
                check_ok(rp_world_set_gravity(world, NULL, NULL), NULL);
                check_ok(rp_world_set_gravity(other, NULL, NULL), NULL);
                run_world(world, scaled(m, 0.25));
                run_world(other, scaled(m, 0.25));
                assert_true(rp_world_hash(world) == rp_world_hash(other));
            }
            rp_snapshot_destroy(snapshot);
            rp_world_destroy(other);
        }
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* A state without changes takes them back. */
static void restoring_takes_changes_back(void **state)
{
    (void)state;
    rp_scene *scene = box_of("frictional");
    rp_world *world = world_of(scene, 1), *other = world_of(scene, 1);
    rp_snapshot *snapshot = NULL;
    check_ok(rp_world_snapshot(world, &snapshot, NULL), NULL);
    change_all(world, 0);
    change_all(world, 1);
    check_ok(rp_world_restore(world, snapshot, NULL), NULL);
    assert_int_equal(rp_world_emitter_count(world), 2);
    run_world(world, 0.1);
    run_world(other, 0.1);
    assert_true(rp_world_hash(world) == rp_world_hash(other));
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_is_what_was_set),
        cmocka_unit_test(what_sleeps_feels_new_gravity),
        cmocka_unit_test(emitters_are_switched_and_changed),
        cmocka_unit_test(emitters_have_names),
        cmocka_unit_test(a_source_is_filled_where_there_is_room),
        cmocka_unit_test(grains_are_added_one_by_one),
        cmocka_unit_test(grains_are_removed),
        cmocka_unit_test(sleeping_sand_notices_its_loss),
        cmocka_unit_test(snapshots_hold_what_was_changed),
        cmocka_unit_test(restoring_takes_changes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
