/* Discrete elements asked for what makes no sense, or nearly none: a fault that names what is
 * wrong, or a sound run, and never a number that is none. */
#include "solver/grains.h"

#include "base/random.h"
#include "world/mutate.h"

#define PLAIN_GRAINS "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
#define PLAIN_SPACING "particles: {spacing: 1.2 cm, jitter: 0}\n"
#define PLAIN_SOURCE "sources: {all: {shape: box, size: [6 cm, 6 cm, 6 cm]}}\n"
#define PLAIN_SOLVER "solver: {method: dem}\n"

/* All that views show of grains is a number. */
static void check_finite(const rp_world *world)
{
    rp_view view;
    rp_world_view(world, &view);
    for (int f = 0; f < view.field_count; f++) {
        const float *values = view.fields[f].data;
        for (size_t i = 0; i < view.count && view.fields[f].type == RP_F32; i++)
            assert_true(isfinite(values[i]));
    }
}

/* Reads, makes and steps a world up to `steps` times; the code of what failed, and all faults. */
static rp_code try_scene(const char *text, int steps, char *said, size_t capacity)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_world_options options = rp_default_world_options();
    options.threads = 1;
    rp_code code = rp_scene_parse(text, "test", &scene, report);
    if (code == RP_OK) code = rp_world_create(scene, &options, &world, report);
    for (int n = 0; n < steps && code == RP_OK; n++) {
        code = rp_world_step(world, report);
        if (code == RP_OK) check_finite(world);
    }
    said[0] = 0;
    for (int i = 0; i < rp_report_count(report); i++) {
        size_t length = strlen(said);
        rp_fault_text(rp_report_fault(report, i), said + length, capacity - length);
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return code;
}

static void check_fails(const char *text, int steps, rp_code wanted, const char *word,
                        const char *other)
{
    char said[4096];
    rp_code code = try_scene(text, steps, said, sizeof said);
    if (code != wanted || !strstr(said, word) || !strstr(said, other))
        print_error("%s\ngave %d: '%s', which lacks '%s' or '%s'\n", text, (int)code, said, word,
                    other);
    assert_int_equal(code, wanted);
    assert_non_null(strstr(said, word));
    assert_non_null(strstr(said, other));
}

static void check_runs(const char *text, int steps)
{
    char said[4096];
    rp_code code = try_scene(text, steps, said, sizeof said);
    if (code != RP_OK) print_error("%s\n%s\n", text, said);
    assert_int_equal(code, RP_OK);
}

/* --- values that are refused -------------------------------------------------------------------
 */

static void values_without_sense_are_refused(void **state)
{
    (void)state;
    static const char *const materials[][2] = {
        {"young", "0"},          {"young", "-1e7"},          {"grain_density", "0"},
        {"friction", "-0.1"},    {"restitution", "-0.5"},    {"restitution", "1.5"},
        {"poisson", "0.5"},      {"poisson", "-0.1"},        {"rolling_friction", "-1"},
        {"friction", ".nan"},    {"young", ".inf"},          {"surface_tension", "-0.07"},
        {"grain_density", "-5"}, {"rolling_friction", "1e9"}};
    static const char *const solvers[][2] = {
        {"steps", "0"},         {"steps", "-20"},      {"skin", "0"},
        {"skin", "-0.1"},       {"contact_time", "0"}, {"contact_time", "-1 ms"},
        {"stiffness", "-1"},    {"overlap_most", "0"}, {"rupture", "-0.1"},
        {"slip_damping", "-1"}, {"law", "hooke"},      {"shear", "none"}};
    static const char *const kinds[][2] = {{"diameter", "-1 cm"}, {"spread", "-0.1"},
                                           {"spread", "1"},       {"share", "0"},
                                           {"share", "-1"},       {"shape", "spheres"}};
    char text[1024];
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        snprintf(text, sizeof text,
                 PLAIN_SPACING PLAIN_GRAINS
                 "materials: {sand: {%s: %s}}\n" PLAIN_SOURCE PLAIN_SOLVER,
                 materials[i][0], materials[i][1]);
        check_fails(text, 1, RP_ERROR_INPUT, materials[i][0], "materials.sand");
    }
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        snprintf(text, sizeof text,
                 PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE "solver: {method: dem, %s: %s}\n",
                 solvers[i][0], solvers[i][1]);
        check_fails(text, 1, RP_ERROR_INPUT, solvers[i][0], "solver");
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(text, sizeof text,
                 PLAIN_SPACING PLAIN_SOURCE PLAIN_SOLVER "grains: {odd: {%s: %s}}\n", kinds[i][0],
                 kinds[i][1]);
        check_fails(text, 1, RP_ERROR_INPUT, kinds[i][0], "grains.odd");
    }
}

static void contacts_between_materials_are_checked(void **state)
{
    (void)state;
    check_fails(
        PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
        "materials: {a: {}, b: {}}\ncontacts: {ab: {first: a, second: b, friction: -0.2}}\n",
        1, RP_ERROR_INPUT, "friction", "contacts");
    check_fails(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
                "materials: {a: {}, b: {}}\ncontacts: {ac: {first: a, second: c, friction: 0.2}}\n",
                1, RP_ERROR_INPUT, "contacts.ac.second", "c");
    check_runs(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
               "materials: {a: {}, b: {}}\ncontacts: {ab: {first: a, second: b, restitution: 0}}\n",
               50);
}

static void sizes_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    check_fails("particles: {spacing: 2, jitter: 0}\n"
                "grains: {large: {shape: sphere, diameter: 1}, small: {shape: sphere, diameter: "
                "1e-6}}\n"
                "sources: {all: {shape: box, size: [4, 4, 4]}}\n" PLAIN_SOLVER,
                1, RP_ERROR_INPUT, "grains", "'small'");
    check_fails(PLAIN_SPACING
                "grains: {all: {shape: sphere, diameter: 2 cm}}\n" PLAIN_SOURCE PLAIN_SOLVER,
                1, RP_ERROR_INPUT, "grains.all.diameter", "particles.spacing");
    check_fails(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOLVER
                "domain: {low: [-1, -0.005, -1], high: [1, 0.005, 1], periodic: [y]}\n"
                "sources: {all: {shape: box, size: [6 cm, 1.2 cm, 6 cm]}}\n",
                1, RP_ERROR_INPUT, "domain", "along y");
}

/* --- runs that go wrong, or just right ---------------------------------------------------------
 */

static void grains_on_one_another_are_told(void **state)
{
    (void)state;
    const char *twice = PLAIN_SPACING PLAIN_GRAINS PLAIN_SOLVER
        "sources: {a: {shape: box, size: [6 cm, 6 cm, 6 cm]}, b: {shape: box, size: [6 cm, 6 cm, 6 "
        "cm], position: [%s, 0, 0]}}\n";
    char text[1024];
    snprintf(text, sizeof text, twice, "0"); /* just the same places */
    check_fails(text, 10, RP_ERROR_NUMERIC, "at 0 s grain", "overlaps");
    snprintf(text, sizeof text, twice, "3 mm");
    check_fails(text, 10, RP_ERROR_NUMERIC, "at 0 s grain", "overlaps");
    /* A small overlap is allowed: they push each other apart. */
    check_runs(
        "gravity: [0, 0, 0]\nparticles: {spacing: 1 cm, jitter: 0}\n" PLAIN_GRAINS PLAIN_SOLVER
        "sources: {a: {shape: box, size: [1 cm, 1 cm, 1 cm]}, b: {shape: box, size: [1 cm, 1 "
        "cm, 1 cm], position: [9 mm, 0, 0]}}\n",
        500);
}

static void steps_that_are_too_long_are_told(void **state)
{
    (void)state;
    check_fails(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
                "time: {step: 1 ms}\nmaterials: {steel: {young: 1e12}}\n",
                10, RP_ERROR_NUMERIC, "at 0 s", "time.step");
    check_fails(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE
                "solver: {method: dem, law: linear, stiffness: 1e15}\n",
                10, RP_ERROR_NUMERIC, "at 0 s", "time.min_step");
    check_runs(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
               "domain: {low: [-1, -1, -0.04], high: [1, 1, 1]}\n"
               "materials: {steel: {young: 1e12, grain_density: 1}}\n",
               200);
}

/* A body that stands, and is off at once; another moves gently. */
static void bodies_that_are_too_fast_are_told(void **state)
{
    (void)state;
    check_fails(PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
                "domain: {low: [-1, -1, -0.04], high: [1, 1, 9]}\n"
                "bodies:\n"
                "  mixer: {shape: sphere, radius: 1 cm, motion: keys, keys: "
                "[{time: 0, position: [0.5, 0, 1]}, {time: 1, position: [0.5, 0, 2]}]}\n"
                "  ram: {shape: sphere, radius: 1 cm, motion: keys, "
                "interpolation: linear, keys: [{time: 20 ms, position: [0, 0, 1]}, {time: 21 ms, "
                "position: [0, 0, 3]}]}\n",
                2000, RP_ERROR_NUMERIC, "the body 'ram' goes at ", "time.max_step");
}

/* A force from outside, on a grain that it takes through the wall within one step. */
static void grains_that_are_shot_away_are_told(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_world_options options = rp_default_world_options();
    char said[512];
    assert_int_equal(
        rp_scene_parse("domain: {low: [-10 cm, -10 cm, -10 cm], high: [10 cm, 10 cm, "
                       "10 cm]}\n" PLAIN_GRAINS PLAIN_SPACING PLAIN_SOURCE PLAIN_SOLVER,
                       "test", &scene, report),
        RP_OK);
    assert_int_equal(rp_world_create(scene, &options, &world, report), RP_OK);
    assert_int_equal(rp_world_step(world, report), RP_OK);
    assert_int_equal(rp_world_add_force(world, 7, 0, 0, 1e9, report), RP_OK);
    assert_int_equal(rp_world_step(world, report), RP_ERROR_NUMERIC);
    rp_fault_text(rp_report_fault(report, 0), said, sizeof said);
    assert_non_null(strstr(said, " goes at "));
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void grains_that_are_too_soft_are_told(void **state)
{
    (void)state;
    check_fails(
        "domain: {low: [-0.03, -0.03, -0.03], high: [0.03, 0.03, 1]}\n" PLAIN_SPACING PLAIN_GRAINS
            PLAIN_SOURCE PLAIN_SOLVER "materials: {jelly: {young: 10}}\n",
        5000, RP_ERROR_NUMERIC, "grain", "'young'");
}

/* What flies faster than sound, is as small as dust or as large as a house, without weight. */
static void extremes_are_run_or_told(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        PLAIN_SPACING PLAIN_GRAINS PLAIN_SOLVER
        "domain: {low: [-0.1, -0.1, -0.1], high: [0.1, 0.1, 0.1]}\n"
        "sources: {all: {shape: box, size: [6 cm, 6 cm, 6 cm], velocity: [1e5, 1e4, 0]}}\n",
        "particles: {spacing: 3e-6, jitter: 0.1}\ngrains: {all: {shape: cube, diameter: 2e-6}}\n"
        "domain: {low: [-1e-5, -1e-5, -1e-5], high: [1e-5, 1e-5, 1e-5]}\n"
        "sources: {all: {shape: box, size: [18e-6, 18e-6, 18e-6]}}\n" PLAIN_SOLVER,
        "particles: {spacing: 10, jitter: 0.1}\ngrains: {all: {shape: tetrahedron, diameter: 9}}\n"
        "domain: {low: [-50, -50, -30], high: [50, 50, 100]}\n"
        "sources: {all: {shape: box, size: [60, 60, 60]}}\n" PLAIN_SOLVER,
        "gravity: [0, 0, -1e4]\n" PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER
        "domain: {low: [-0.1, -0.1, -0.1], high: [0.1, 0.1, 0.1]}\n",
        "gravity: [0, 0, 0]\n" PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE PLAIN_SOLVER,
        PLAIN_SPACING PLAIN_GRAINS PLAIN_SOLVER "sources: {all: {shape: sphere, radius: 1 mm}}\n",
        PLAIN_SPACING PLAIN_GRAINS PLAIN_SOURCE
        "domain: {low: [-0.031, -0.031, -0.031], high: [0.031, 0.031, 1]}\n"
        "materials: {tar: {restitution: 0, friction: 10, rolling_friction: 10}}\n"
        "solver: {method: dem, shear: viscous, slip_damping: 100, steps: 4}\n",
        "gravity: [0, 0, -9.81]\n" PLAIN_SPACING PLAIN_GRAINS PLAIN_SOLVER
        "domain: {low: [1e5, 1e5, 1e5], high: [1.00001e5, 1.00001e5, 1.00001e5]}\n"
        "sources: {all: {shape: box, size: [6 cm, 6 cm, 6 cm], position: [1.000005e5, 1.000005e5, "
        "1.000005e5]}}\n"};
    char said[4096];
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        rp_code code = try_scene(scenes[i], 300, said, sizeof said);
        assert_true(code == RP_OK ? !said[0] : strlen(said) > 20);
        assert_true(code == RP_OK || code == RP_ERROR_NUMERIC || code == RP_ERROR_INPUT);
    }
}

/* --- water -------------------------------------------------------------------------------------
 */

/* A ball under a ceiling: water holds a small one, not a large one. */
static double hang(double size, double moisture)
{
    grains g = grains_of(1,
                         "particles: {spacing: %g, jitter: 0}\n"
                         "domain: {low: [-1, -1, -10], high: [1, 1, 0]}\n"
                         "grains: {all: {shape: sphere, diameter: %g}}\n"
                         "sources: {all: {shape: box, size: [%g, %g, %g], position: [0, 0, %g], "
                         "moisture: %g}}\n"
                         "solver: {method: dem}\n",
                         2 * size, size, 2 * size, 2 * size, 2 * size, -2 * size, moisture);
    set_place(&g, 0, rp_v3(0, 0, -0.501 * size));
    run_world(g.world, 0.05);
    double below = -place_at(&g, 0).z / size;
    grains_end(&g);
    return below;
}

static void water_holds_small_grains(void **state)
{
    (void)state;
    check_near(hang(1e-3, 1), 0.5, 0.01); /* 30 times its weight */
    assert_true(hang(1e-2, 1) > 0.6);     /* a third of it */
    assert_true(hang(1e-3, 0) > 0.6);     /* dry */
    check_near(hang(1e-3, 0.1), 0.5, 0.01);
}

static void wet_heaps_of_any_shape_run(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere", "tetrahedron", "cube"};
    char text[1024];
    for (int s = 0; s < 3; s++) {
        snprintf(text, sizeof text,
                 "particles: {spacing: 1.2 mm, jitter: 0.1}\n"
                 "domain: {low: [-3 mm, -3 mm, 0], high: [3 mm, 3 mm, 1], periodic: [x]}\n"
                 "grains: {all: {shape: %s, diameter: 1 mm}}\n"
                 "moisture: {rain: {start: 1 ms, duration: 5 ms, value: 1}}\n"
                 "sources: {all: {shape: box, size: [6 mm, 6 mm, 6 mm], position: [0, 0, 3 mm]}}\n"
                 "solver: {method: dem, rupture: 1}\n",
                 shapes[s]);
        check_runs(text, 600);
    }
}

/* --- states ------------------------------------------------------------------------------------
 */

#define ROUNDS 400
#define MEMORY_MOST ((size_t)1 << 28)

/* States that were tampered with are refused, or stepped on from, and never harm. */
static void states_with_something_wrong(void **state)
{
    (void)state;
    grains g = grains_of(
        1, "particles: {spacing: 1.2 cm, jitter: 0.1}\n"
           "domain: {low: [-0.03, -0.03, 0], high: [0.03, 0.03, 1]}\n"
           "grains: {a: {shape: tetrahedron, diameter: 1 cm}, b: {shape: sphere, diameter: 8 mm}, "
           "c: {shape: cube, diameter: 1 cm}}\n"
           "materials: {sand: {young: 1e6}}\n"
           "sources: {all: {shape: box, size: [0.06, 0.06, 0.06], position: [0, 0, 0.03]}}\n"
           "solver: {method: dem}\n");
    rp_world *other = world_of(g.scene, 1);
    run_world(g.world, 0.05);
    rp_store whole;
    rp_store_begin(&whole);
    assert_int_equal(rp_world_write_state(g.world, &whole, NULL), RP_OK);
    int refused = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        rp_random4 random = rp_random(9, RP_RANDOM_TEST, round);
        rp_store broken;
        rp_report *report = rp_report_create();
        rp_store_begin(&broken);
        mutate_store(&whole, &broken, random.bits);
        rp_code code = rp_world_read_state(other, &broken, report);
        assert_true((code == RP_OK) == (rp_report_count(report) == 0));
        assert_true(rp_memory_now().bytes < MEMORY_MOST); /* whatever its numbers say */
        if (code == RP_OK) rp_world_step(other, NULL);    /* which may fail, but not crash */
        refused += code != RP_OK;
        rp_store_end(&broken);
        rp_report_destroy(report);
    }
    assert_true(refused > ROUNDS / 4);
    assert_int_equal(rp_world_read_state(other, &whole, NULL),
                     RP_OK); /* and a sound one heals all */
    assert_true(rp_world_hash(other) == rp_world_hash(g.world));
    rp_store_end(&whole);
    rp_world_destroy(other);
    grains_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_without_sense_are_refused),
        cmocka_unit_test(contacts_between_materials_are_checked),
        cmocka_unit_test(sizes_that_do_not_go_together_are_refused),
        cmocka_unit_test(grains_on_one_another_are_told),
        cmocka_unit_test(steps_that_are_too_long_are_told),
        cmocka_unit_test(bodies_that_are_too_fast_are_told),
        cmocka_unit_test(grains_that_are_shot_away_are_told),
        cmocka_unit_test(grains_that_are_too_soft_are_told),
        cmocka_unit_test(extremes_are_run_or_told),
        cmocka_unit_test(water_holds_small_grains),
        cmocka_unit_test(wet_heaps_of_any_shape_run),
        cmocka_unit_test(states_with_something_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
