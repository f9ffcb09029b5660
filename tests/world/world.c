/* The world: time, sources, streams, leaving, forces, refusals. */
#include "worlds.h"

#include <string.h>

#define PLAIN "particles: {spacing: 5 cm}\nsolver: {method: null}\n"

static size_t grains_of(const rp_world *world)
{
    rp_view view;
    rp_world_view(world, &view);
    return view.count;
}

static void time_lands_where_it_is_sent(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "sources: {one: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    for (int frame = 1; frame <= 7; frame++) {
        run_world(world, frame / 7.0);
        assert_true(rp_world_time(world) == frame / 7.0);
        assert_true(rp_world_step_info(world).dt > 0);
    }
    assert_int_equal(rp_world_run_to(world, INFINITY, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_world_run_to(world, 0.1, NULL), RP_ERROR_INPUT); /* the past is gone */
    assert_true(rp_world_time(world) == 1);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void a_fixed_step_is_kept(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "time: {step: 3 ms}\n"
                                     "sources: {one: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    for (int i = 1; i <= 100; i++) {
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
        assert_true(rp_world_step_info(world).dt == 0.003);
    }
    check_near(rp_world_time(world), 0.3, 1e-12);
    run_world(world, 0.31); /* four even steps of 2.5 ms instead of three and a rest */
    rp_view view;
    rp_world_view(world, &view);
    assert_int_equal(view.step, 104);
    check_near(view.dt, 0.0025, 1e-12);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void sources_fill_their_volume(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        double volume; /* m3 */
        double tolerance;
    } cases[] = {
        {"{shape: box, size: [0.4, 0.3, 0.2]}", 0.024, 0},
        {"{shape: box, size: [0.4, 0.3, 0.2], rotation: [10 deg, 20 deg, 30 deg]}", 0.024, 0},
        {"{shape: sphere, radius: 0.4}", 0.268083, 0.02},
        {"{shape: cylinder, radius: 0.4, height: 0.6}", 0.301593, 0.02},
        {"{shape: cone, radius: 0.5, height: 0.8}", 0.209440, 0.03},
        {"{shape: capsule, radius: 0.3, height: 0.4}", 0.226195, 0.02},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[512];
        snprintf(text, sizeof text,
                 "particles: {spacing: 2 cm}\nsolver: {method: null}\nmaterials: {sand: {density: "
                 "1000}}\nsources: {one: %s}\n",
                 cases[c].shape);
        rp_scene *scene = scene_of(text);
        rp_world *world = world_of(scene, 1);
        rp_view view;
        rp_world_view(world, &view);
        double mass = 0;
        for (size_t i = 0; i < view.count; i++)
            mass += view.mass[i];
        check_near(mass, 1000 * cases[c].volume,
                   1000 * cases[c].volume * (cases[c].tolerance + 1e-6));
        rp_estimate estimate = rp_scene_estimate(scene, NULL);
        check_near(estimate.grains, (double)view.count, 0.03 * estimate.grains);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

static void streams_pour_what_they_promise(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("gravity: [0, 0, 0]\nsolver: {method: null}\n"
                               "particles: {spacing: 1 cm}\nmaterials: {sand: {density: 1500}}\n"
                               "emitters:\n"
                               "  full: {radius: 8 cm, speed: 2, stop: 0.5 s}\n"
                               "  some: {nozzle: rectangle, width: 20 cm, height: 10 cm, speed: 2, "
                               "rate: 12 kg/s, start: 0.1 s, position: [5, 0, 0]}\n");
    rp_world *world = world_of(scene, 2);
    run_world(world, 1.1);
    rp_view view;
    rp_world_view(world, &view);
    double full = 0, some = 0;
    for (size_t i = 0; i < view.count; i++)
        *(view.x[i] > 2 ? &some : &full) += view.mass[i];
    double expected = 1500 * 3.14159265 * 0.08 * 0.08 * 2 * 0.5;
    check_near(full, expected, 0.03 * expected);
    check_near(some, 12, 0.03 * 12);
    /* The stream is as dense along its way as at the nozzle: the first layer has flown 2.2 m. */
    float farthest = 0;
    for (size_t i = 0; i < view.count; i++)
        farthest = fmaxf(farthest, -view.z[i]);
    check_near(farthest, 2.2, 0.02);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Two nozzles over a block that ends at 0.2 m; the near one draws back, to 5 cm above it. */
static void nozzles_keep_clear_of_sand(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of("gravity: [0, 0, 0]\nsolver: {method: null}\n"
                 "particles: {spacing: 1 cm, jitter: 0}\n"
                 "sources: {heap: {shape: box, size: [0.2, 0.2, 0.2], position: [0, "
                 "0, 0.1]}}\n"
                 "emitters:\n"
                 "  near: {radius: 2 cm, position: [0, 0, 0.19], speed: 0.1, "
                 "clearance: 5 cm}\n"
                 "  far: {radius: 2 cm, position: [0, 0, 0.5], speed: 0.1, clearance: "
                 "5 cm}\n"
                 "  beside: {radius: 2 cm, position: [0.5, 0, 0.19], speed: 0.1, "
                 "clearance: 5 cm}\n");
    rp_world *world = world_of(scene, 2), *again = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    int near = 0, far = 0, beside = 0;
    for (size_t i = 0; i < view.count; i++) {
        near += fabsf(view.x[i]) < 0.1f && fabsf(view.z[i] - 0.25f) < 1e-6f;
        far += fabsf(view.x[i]) < 0.1f && fabsf(view.z[i] - 0.5f) < 1e-6f;
        beside += view.x[i] > 0.4f && fabsf(view.z[i] - 0.19f) < 1e-6f;
    }
    assert_true(near > 8 && far > 8 && beside > 8);
    assert_int_equal((size_t)(near + far + beside) + 8000, view.count);
    run_world(world, 0.2);
    rp_snapshot *snapshot;
    assert_int_equal(rp_world_snapshot(world, &snapshot, NULL), RP_OK);
    assert_int_equal(rp_world_restore(again, snapshot, NULL), RP_OK);
    run_world(world, 0.5);
    run_world(again, 0.5);
    assert_true(rp_world_hash(world) == rp_world_hash(again));
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(again);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void a_rate_beyond_the_nozzle_is_refused(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "emitters: {s: {radius: 1 cm, speed: 1, rate: 100 kg/s}}\n");
    rp_report *report = rp_report_create();
    rp_world *world = NULL;
    assert_int_equal(rp_world_create(scene, NULL, &world, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "nozzle"));
    assert_null(world);
    rp_report_destroy(report);
    rp_scene_destroy(scene);
}

static void grains_leave_through_open_sides_only(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of(PLAIN "domain: {low: [-1, -1, -1], high: [1, 1, 1], open: [bottom]}\n"
                       "sources: {one: {shape: box, size: [0.5, 0.5, 0.5]}}\n");
    rp_world *world = world_of(scene, 2);
    assert_int_equal(grains_of(world), 1000);
    run_world(world, 3);
    assert_int_equal(grains_of(world), 0);
    assert_int_equal(rp_world_step_info(world).removed, 1000);
    run_world(world, 3.5); /* an empty world steps on */
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void forces_push_the_grain_they_name(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "gravity: [0, 0, 0]\ntime: {step: 10 ms}\n"
                                     "sources: {one: {shape: box, size: [0.2, 0.2, 0.2]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    uint32_t id = view.id[7];
    double mass = view.mass[7];
    assert_int_equal(rp_world_add_force(world, 7, 3 * mass, 0, 0, NULL), RP_OK);
    assert_int_equal(rp_world_add_force(world, 7, 2 * mass, mass, 0, NULL), RP_OK);
    for (int step = 0; step < 3; step++) /* the force acts in the first step only */
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
    rp_world_view(world, &view);
    for (size_t i = 0; i < view.count; i++) {
        check_near(view.vx[i], view.id[i] == id ? 0.05 : 0, 1e-7);
        check_near(view.vy[i], view.id[i] == id ? 0.01 : 0, 1e-7);
    }
    assert_int_equal(rp_world_add_force(world, view.count, 1, 0, 0, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_world_add_force(world, 0, NAN, 0, 0, NULL), RP_ERROR_INPUT);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void streams_may_be_added_while_running(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN);
    rp_world *world = world_of(scene, 1);
    assert_int_equal(grains_of(world), 0);
    rp_emitter_def def = rp_default_emitter();
    def.radius = 0.2;
    def.stop = 0.5;
    assert_int_equal(rp_world_add_emitter(world, &def, NULL), RP_OK);
    run_world(world, 0.25);
    size_t half = grains_of(world);
    assert_true(half > 50);
    rp_snapshot *snapshot = NULL; /* which carries the stream along */
    assert_int_equal(rp_world_snapshot(world, &snapshot, NULL), RP_OK);
    rp_world *other = world_of(scene, 1);
    assert_int_equal(rp_world_restore(other, snapshot, NULL), RP_OK);
    run_world(world, 1);
    run_world(other, 1);
    assert_true(grains_of(world) > 3 * half / 2);
    assert_true(rp_world_hash(world) == rp_world_hash(other));
    def.direction[2] = 0;
    assert_int_equal(rp_world_add_emitter(world, &def, NULL), RP_ERROR_INPUT);
    def = rp_default_emitter();
    def.material = 7;
    assert_int_equal(rp_world_add_emitter(world, &def, NULL), RP_ERROR_INPUT);
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void what_does_not_fit_is_refused_with_the_figure(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 1 mm}\nsolver: {method: null}\n"
                               "sources: {one: {shape: box, size: [100, 100, 100]}}\n");
    rp_report *report = rp_report_create();
    rp_world *world = NULL;
    assert_int_equal(rp_world_create(scene, NULL, &world, report), RP_ERROR_MEMORY);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "1e+15 grains"));
    rp_scene_destroy(scene);

    scene = scene_of("particles: {spacing: 5 cm}\nsolver: {method: null, density: yes}\n"
                     "sources: {one: {shape: box, size: [5, 5, 5]}}\n");
    rp_world_options options = rp_default_world_options();
    options.memory_limit = 100 << 20;
    assert_int_equal(rp_world_create(scene, &options, &world, report), RP_ERROR_MEMORY);
    options.memory_limit = (size_t)2 << 30;
    size_t before = rp_memory_now().bytes;
    check_ok(rp_world_create(scene, &options, &world, report), report);
    assert_int_equal(rp_world_step(world, NULL), RP_OK);
    size_t taken = rp_memory_now().bytes - before;
    rp_estimate estimate = rp_scene_estimate(scene, &options);
    assert_true((double)taken < estimate.bytes); /* the estimate is honest: neither too little */
    assert_true((double)taken > 0.3 * (estimate.bytes - 64e6)); /* nor a wild guess */
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void numbers_that_blow_up_are_named(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "time: {step: 1 ms}\n"
                                     "sources: {one: {shape: box, size: [0.2, 0.2, 0.2]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_world_add_force(world, 3, 1e300, 0, 0, NULL), RP_OK);
    assert_int_equal(rp_world_step(world, report), RP_ERROR_NUMERIC);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "grain 3 has x = inf"));
    rp_report_destroy(report);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void a_step_below_the_floor_stops_the_run(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        PLAIN "time: {min_step: 1 ms, max_step: 2 ms}\n"
              "sources: {one: {shape: box, size: [0.2, 0.2, 0.2], velocity: [500, 0, 0]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_world_step(world, report), RP_ERROR_NUMERIC);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "time.min_step"));
    rp_report_destroy(report);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void a_state_of_another_scene_is_refused(void **state)
{
    (void)state;
    rp_scene *a = scene_of(PLAIN "sources: {one: {shape: box, size: [0.2, 0.2, 0.2]}}\n");
    rp_scene *b = scene_of(PLAIN "sources: {one: {shape: box, size: [0.2, 0.2, 0.3]}}\n");
    rp_world *from = world_of(a, 1), *to = world_of(b, 1);
    rp_snapshot *snapshot = NULL;
    assert_int_equal(rp_world_snapshot(from, &snapshot, NULL), RP_OK);
    assert_int_equal(rp_world_restore(to, snapshot, NULL), RP_ERROR_INPUT);
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(from);
    rp_world_destroy(to);
    rp_scene_destroy(a);
    rp_scene_destroy(b);
}

static void steps_too_short_to_count_are_refused(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "time: {step: 1e-20 s}\n"
                                     "sources: {one: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_world_run_to(world, 1, report), RP_ERROR_NUMERIC);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "too short"));
    assert_int_equal(rp_world_step(world, report),
                     RP_ERROR_INPUT); /* it says why it stands still */
    rp_report_destroy(report);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A plate under a fast nozzle, a late fast source above it: the first step must not jump over it.
 */
static void fast_newcomers_do_not_jump_through_plates(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        "gravity: [0, 0, 0]\nparticles: {spacing: 1 cm}\nsolver: {method: null}\n"
        "emitters: {jet: {radius: 3 cm, position: [0, 0, 0.1], direction: [0, 0, -1], speed: 20, "
        "start: 33.3 ms}}\n"
        "sources: {late: {shape: box, size: [5 cm, 5 cm, 2 cm], position: [0.3, 0, 0.1], velocity: "
        "[0, 0, -30], at: 51 ms}}\n"
        "bodies: {plate: {shape: box, size: [1, 1, 0.04], position: [0, 0, -0.02]}}\n");
    rp_world *world = world_of(scene, 2);
    rp_view view;
    for (int frame = 1; frame <= 10; frame++) {
        run_world(world, frame * 0.01);
        rp_world_view(world, &view);
        for (size_t i = 0; i < view.count; i++)
            assert_true(view.z[i] > 0);
    }
    assert_true(view.count > 1000);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void pending_forces_are_part_of_the_state(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "sources: {one: {shape: box, size: [0.2, 0.2, 0.2]}}\n");
    rp_world *world = world_of(scene, 1), *other = world_of(scene, 1);
    rp_snapshot *snapshot = NULL;
    assert_int_equal(rp_world_add_force(world, 5, 100, 0, 0, NULL), RP_OK);
    assert_true(rp_world_hash(world) != rp_world_hash(other));
    assert_int_equal(rp_world_snapshot(world, &snapshot, NULL), RP_OK);
    assert_int_equal(rp_world_step(world, NULL), RP_OK);
    assert_int_equal(rp_world_restore(other, snapshot, NULL), RP_OK);
    assert_int_equal(rp_world_step(other, NULL), RP_OK);
    assert_true(rp_world_hash(world) == rp_world_hash(other));
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(world);
    rp_world_destroy(other);
    rp_scene_destroy(scene);
}

static void bodies_reach_across_periodic_sides(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        "gravity: [0, 0, 0]\nparticles: {spacing: 4 cm}\nsolver: {method: null}\n"
        "domain: {low: [-1, -1, -1], high: [1, 1, 1], periodic: [x, y]}\n"
        "sources: {all: {shape: box, size: [2, 2, 0.4], position: [0, 0, -0.8], velocity: [0, 0, "
        "1]}}\n"
        "bodies: {ball: {shape: sphere, radius: 0.3, position: [1, 1, 0.2], restitution: 1}}\n");
    rp_world *world = world_of(scene, 2);
    rp_view view;
    double pushed = 0;
    for (int frame = 1; frame <= 15; frame++) {
        run_world(world, frame * 0.1);
        rp_world_view(world, &view);
        pushed += view.bodies[0].force[2];
        for (size_t i = 0; i < view.count; i++) {
            double x = 1 - fabs(view.x[i]), y = 1 - fabs(view.y[i]), z = view.z[i] - 0.2;
            assert_true(x * x + y * y + z * z > 0.3 * 0.3);
        }
    }
    assert_true(pushed > 0);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void what_lies_behind_a_wall_is_refused(void **state)
{
    (void)state;
    static const char *const things[] = {
        "sources: {high: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 3]}}\n",
        "emitters: {far: {radius: 10 cm, position: [9, 0, 0]}}\n",
        "emitters: {far: {radius: 2 m, position: [0, 0, 0]}}\n"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, PLAIN "domain: {low: [-1, -1, -1], high: [1, 1, 1]}\n%s",
                 things[i]);
        rp_scene *scene = scene_of(text);
        rp_report *report = rp_report_create();
        rp_world *world = NULL;
        assert_int_equal(rp_world_create(scene, NULL, &world, report), RP_ERROR_INPUT);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, "behind a wall"));
        assert_non_null(
            strstr(rp_report_fault(report, 0)->key, i ? "emitters.far" : "sources.high"));
        rp_report_destroy(report);
        rp_scene_destroy(scene);
    }
}

/* More grains than any block of any loop: sorting, ghosts, lists and forces all run in pieces. */
static void many_blocks_give_the_same_bits_on_any_threads(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of("particles: {spacing: 2 cm, jitter: 0.5}\nsolver: {method: null, density: yes}\n"
                 "domain: {low: [-0.5, -0.5, 0], high: [0.5, 0.5, 2], periodic: [x, y]}\n"
                 "sources: {all: {shape: box, size: [1, 1, 0.5], position: [0, 0, 0.7], spin: [0, "
                 "0, 200]}}\n"
                 "bodies: {ball: {shape: sphere, radius: 0.2, position: [0.4, 0.4, 0.25]}}\n");
    uint64_t hash = 0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        rp_world *world = world_of(scene, threads);
        rp_view view;
        rp_world_view(world, &view);
        assert_true(view.count > 60000);
        for (int step = 0; step < 5; step++)
            assert_int_equal(rp_world_step(world, NULL), RP_OK);
        if (threads == 1) hash = rp_world_hash(world);
        assert_true(rp_world_hash(world) == hash);
        rp_world_destroy(world);
    }
    rp_scene_destroy(scene);
}

static int tasks_run;

static void run_backwards(void *user, int tasks, void (*task)(void *, int), void *argument)
{
    (void)user;
    for (int i = tasks; i-- > 0; tasks_run++)
        task(argument, i);
}

static void a_host_program_may_lend_its_threads(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_executor executor = {.threads = 3, .run = run_backwards};
    rp_world_options options = rp_default_world_options();
    options.executor = &executor;
    rp_world *lent = NULL, *own = world_of(scene, 2);
    assert_int_equal(rp_world_create(scene, &options, &lent, NULL), RP_OK);
    run_world(lent, 0.3);
    run_world(own, 0.3);
    assert_true(tasks_run > 100);
    assert_true(rp_world_hash(lent) == rp_world_hash(own));
    rp_world_destroy(lent);
    rp_world_destroy(own);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_lands_where_it_is_sent),
        cmocka_unit_test(a_fixed_step_is_kept),
        cmocka_unit_test(sources_fill_their_volume),
        cmocka_unit_test(streams_pour_what_they_promise),
        cmocka_unit_test(nozzles_keep_clear_of_sand),
        cmocka_unit_test(a_rate_beyond_the_nozzle_is_refused),
        cmocka_unit_test(grains_leave_through_open_sides_only),
        cmocka_unit_test(forces_push_the_grain_they_name),
        cmocka_unit_test(streams_may_be_added_while_running),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_figure),
        cmocka_unit_test(numbers_that_blow_up_are_named),
        cmocka_unit_test(a_step_below_the_floor_stops_the_run),
        cmocka_unit_test(a_state_of_another_scene_is_refused),
        cmocka_unit_test(steps_too_short_to_count_are_refused),
        cmocka_unit_test(fast_newcomers_do_not_jump_through_plates),
        cmocka_unit_test(pending_forces_are_part_of_the_state),
        cmocka_unit_test(bodies_reach_across_periodic_sides),
        cmocka_unit_test(what_lies_behind_a_wall_is_refused),
        cmocka_unit_test(many_blocks_give_the_same_bits_on_any_threads),
        cmocka_unit_test(a_host_program_may_lend_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
