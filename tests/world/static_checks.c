/* What `repose check` and the start of a run say of scenes that can run but will disappoint. */
#include "worlds.h"

#include <string.h>

#define SAND "sources: {sand: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3]}}\n"
#define ROOM "domain: {low: [-1, -1, 0], high: [1, 1, 2]}\n"
#define FINE "particles: {spacing: 2 cm}\n"

typedef struct expectation {
    const char *text;    /* of the scene */
    const char *key;     /* of its only warning; NULL: none */
    const char *message; /* a part of that */
} expectation;

static void check_warnings(const expectation *e)
{
    rp_scene *scene = scene_of(e->text);
    rp_report *warnings = rp_report_create(), *report = rp_report_create();
    check_ok(rp_scene_review(scene, NULL, warnings, report), report);
    for (int i = 0; i < rp_report_count(warnings); i++) {
        const rp_fault *w = rp_report_fault(warnings, i);
        if (!e->key || strcmp(w->key, e->key) != 0 || !strstr(w->message, e->message))
            fail_msg("%s: %s, of\n%s", w->key, w->message, e->text);
    }
    if (rp_report_count(warnings) != (e->key ? 1 : 0))
        fail_msg("%d warnings of\n%s", rp_report_count(warnings), e->text);
    rp_report_destroy(warnings);
    rp_report_destroy(report);
    rp_scene_destroy(scene);
}

#define CHECK_ALL(list)                                                                            \
    for (size_t n_ = 0; n_ < sizeof(list) / sizeof *(list); n_++)                                  \
    check_warnings(&(list)[n_])

/* What is left out where voids and bodies are is not counted, whether all places are looked at or
 * samples of them. */
static void grains_that_are_left_out_are_not_counted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double tolerance;
    } all[] = {
        {FINE ROOM SAND "bodies: {stone: {shape: box, size: [0.4, 0.4, 0.1], position: [0, 0, "
                        "0.15]}}\n",
         1e-9},
        {FINE ROOM SAND "voids: {hole: {shape: cylinder, radius: 0.15, height: 1, position: [0, 0, "
                        "0.3]}}\n",
         1e-9},
        {FINE "domain: {low: [-0.2, -1, 0], high: [0.2, 1, 2], periodic: [x]}\n" SAND
              "bodies: {ball: {shape: sphere, radius: 0.15, position: [0.2, 0, 0.3]}}\n",
         1e-9}, /* half of it is an image */
        {FINE ROOM "sources: {sand: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3], at: "
                   "0.5 s}}\nbodies: {ram: {shape: box, size: [0.2, 0.4, 0.4], motion: keys, keys: "
                   "[{time: 0, position: [0.9, 0, 0.3]}, {time: 0.4, position: [0, 0, 0.3]}]}}\n"
                   "time: {duration: 0.6 s}\n",
         1e-9}, /* it is there when the sand appears */
        {"particles: {spacing: 6.25 mm}\n" ROOM SAND
         "voids: {hole: {shape: sphere, radius: 0.18, position: [0, 0, 0.3]}}\n",
         0.01},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rp_scene *scene = scene_of(all[i].text);
        rp_world *world = world_of(scene, 1);
        rp_view view;
        run_world(world, strstr(all[i].text, "at: ") ? 0.51 : 0);
        rp_world_view(world, &view);
        double counted = rp_scene_estimate(scene, NULL).grains, there = (double)view.count;
        if (fabs(counted - there) > all[i].tolerance * there)
            fail_msg("%.6g grains are counted, %.6g are there, of\n%s", counted, there,
                     all[i].text);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

static void sand_that_is_not_there(void **state)
{
    (void)state;
    const expectation all[] = {
        {FINE ROOM SAND, NULL, NULL},
        {FINE ROOM, "sources", "neither sources nor emitters"},
        {FINE ROOM "bodies: {b: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.1], motion: "
                   "dynamic, density: 1000}}\n",
         NULL, NULL},
        {FINE ROOM SAND "time: {duration: 0 s}\n", "time.duration", "only the first frame"},
        {FINE ROOM SAND "emitters: {e: {radius: 0.1, position: [0, 0, 1], start: 99 s}}\n",
         "emitters.e", "after the end of the run"},
        {FINE "domain: {low: [-1, -1, 0], high: [1, 1, 2], open: [left]}\n"
              "sources: {sand: {shape: box, size: [0.4, 0.4, 0.4], position: [-1, 0, 0.2]}}\n",
         "sources.sand", "50 % of its grains lie beyond an open side"},
        {FINE ROOM "sources: {a: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3]}, b: "
                   "{shape: box, size: [0.4, 0.4, 0.4], position: [0.2, 0, 0.3]}}\n",
         "sources.a", "overlap those of the source 'b'"},
        {FINE ROOM "sources: {a: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3]}, b: "
                   "{shape: box, size: [0.4, 0.4, 0.4], position: [0.4, 0, 0.3]}}\n",
         NULL, NULL},
        {FINE ROOM SAND "emitters: {e: {radius: 0.3, position: [0, 0, 1.9], speed: 5}}\n"
                        "time: {duration: 20 s}\n",
         "emitters", "come into a closed domain of 8 m3"},
    };
    CHECK_ALL(all);
}

static void sand_and_bodies(void **state)
{
    (void)state;
    const expectation all[] = {
        {FINE ROOM SAND "bodies: {stone: {shape: box, size: [0.4, 0.4, 0.1], position: [0, 0, "
                        "0.15]}}\n",
         NULL, NULL}, /* which some of the sand gives way to */
        {FINE ROOM SAND "emitters: {e: {radius: 0.1, position: [0, 0, 1.5]}}\n"
                        "bodies: {stone: {shape: sphere, radius: 0.5, position: [0, 0, 0.5]}}\n",
         "sources.sand", "stays empty: bodies fill all of it"},
        {FINE ROOM SAND "bodies: {stone: {shape: box, size: [0.4, 0.4, 0.3], position: [0, 0, "
                        "0.3]}}\n",
         "sources.sand", "are left out where bodies are"},
        {FINE ROOM SAND "emitters: {e: {radius: 0.1, position: [0, 0, 1.5]}}\n"
                        "bodies: {stone: {shape: sphere, radius: 0.3, position: [0, 0, 1.5]}}\n",
         "emitters.e", "inside a body"},
        {FINE ROOM SAND "bodies: {sheet: {shape: box, size: [0.5, 0.5, 0.005], position: [0, 0, "
                        "0.05]}}\n",
         "bodies.sheet", "less than half a spacing"},
        {FINE SAND, "domain", "nothing for the grains to rest on"},
        {FINE "domain: {low: [-1, -1, 0], high: [1, 1, 2], open: [bottom]}\n" SAND, "domain",
         "nothing for the grains to rest on"},
        {FINE SAND "bodies: {ground: {shape: plane}}\n", NULL, NULL},
        {FINE SAND "bodies: {beside: {shape: box, size: [1, 1, 0.2], position: [3, 0, -1]}}\n",
         "domain", "nothing for the grains to rest on"},
        {FINE "sources: {sand: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 1], velocity: "
              "[6, 0, 0]}}\nbodies: {beside: {shape: box, size: [1, 1, 0.2], position: [3, 0, "
              "-1]}}\n",
         NULL, NULL}, /* it flies there */
        {FINE "gravity: [0, 0, 0]\n" SAND, NULL, NULL},
        {FINE SAND "bodies: {ground: {shape: plane, roughness: {radius: 1 cm}}}\n",
         "bodies.ground.roughness", "the method frictional does not resolve grains"},
        {FINE SAND "domain: {low: [-1, -1, 0], roughness: {radius: 1 cm}}\n", "domain.roughness",
         "has no effect"},
        {FINE SAND "domain: {low: [-1, -1, 0], roughness: {radius: 1 cm}}\nsolver: {method: dem}\n",
         NULL, NULL},
    };
    CHECK_ALL(all);
}

#define PLATE(keys)                                                                                \
    FINE ROOM SAND                                                                                 \
        "bodies: {plate: {shape: box, size: [0.1, 0.1, 0.1], motion: keys, keys: [" keys           \
        "]}}\ntime: {duration: 3 s, frame_rate: 30}\n"
#define KEY(time, z) "{time: " time ", position: [0.7, 0, " z "]}"
#define TURN(time, angle) "{time: " time ", position: [0.7, 0, 0.5], rotation: [0, 0, " angle "]}"

static void bodies_that_are_fast_for_an_instant(void **state)
{
    (void)state;
    const expectation all[] = {
        {PLATE(KEY("0", "0.2") ", " KEY("1 s", "0.5")), NULL, NULL},
        {PLATE(KEY("0", "0.2") ", " KEY("5 ms", "0.5")), "bodies.plate", "from key [0] to key [1]"},
        {PLATE(KEY("0", "0.2") ", " KEY("1 s", "0.3") ", " KEY("1.01 s", "0.5") ", " KEY("2 s",
                                                                                         "0.6")),
         "bodies.plate", "from key [1] to key [2]"},
        {PLATE(
             TURN("0", "0") ", " TURN("1 s", "0") ", " TURN("1.01 s", "90") ", " TURN("2 s", "90")),
         "bodies.plate", "from key [1] to key [2]"},
        /* fast, but so before and after; and a jump that is smaller than a grain */
        {PLATE(KEY("0", "0.2") ", " KEY("10 ms", "0.25") ", " KEY("20 ms", "0.2") ", " KEY(
             "30 ms", "0.25") ", " KEY("40 ms", "0.2")),
         NULL, NULL},
        {PLATE(KEY("0", "0.2") ", " KEY("1 s", "0.2") ", " KEY("1.01 s", "0.202")), NULL, NULL},
    };
    CHECK_ALL(all);
}

#define BLOCK(name, x, z)                                                                          \
    name ": {shape: box, size: [0.2, 0.2, 0.2], position: [" x ", 0, " z                           \
         "], motion: dynamic, density: 1000}"

/* Sand around stones is no mistake, and neither is a wide mixture; steps without end are one. */
static void single_grains(void **state)
{
    (void)state;
    const expectation all[] = {
        {"particles: {spacing: 2 cm}\nsolver: {method: dem}\n" ROOM SAND
         "materials: {sand: {}, stone: {}}\n"
         "grains: {s: {material: sand, shape: sphere}, l: {material: stone, diameter: 15 cm}}\n",
         NULL, NULL},
        {"particles: {spacing: 2 cm}\nsolver: {method: dem}\n" ROOM
         "materials: {sand: {}, stone: {}}\n"
         "grains: {s: {material: sand, shape: sphere}, l: {material: stone, diameter: 15 cm}}\n"
         "sources: {a: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3], material: sand}, "
         "b: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.3], material: stone}}\n",
         NULL, NULL},
        {"particles: {spacing: 2 cm}\nsolver: {method: dem}\ntime: {duration: 100000 s}\n" ROOM SAND
         "materials: {sand: {young: 100 GPa}}\ngrains: {s: {shape: sphere, diameter: 2 mm}}\n",
         "grains", "takes weeks"},
    };
    CHECK_ALL(all);
}

static void bodies_inside_each_other(void **state)
{
    (void)state;
    const expectation all[] = {
        {FINE ROOM "bodies: {" BLOCK("a", "0", "0.1") ", " BLOCK("b", "0", "0.3") "}\n", NULL,
         NULL},
        {FINE ROOM "bodies: {" BLOCK("a", "0", "0.1") ", " BLOCK("b", "0.05", "0.25") "}\n",
         "bodies.a", "inside 'b'"},
        {FINE ROOM "bodies: {" BLOCK("a", "0", "0.1") ", " BLOCK(
             "b", "0.05", "0.25") "}\njoints: {j: {kind: ball, body: a, other: b, anchor: [0, 0, "
                                  "0.2]}}\n",
         NULL, NULL},
        {FINE ROOM "bodies: {" BLOCK("a", "0", "0.05") "}\n", "bodies.a", "a wall of the domain"},
        {FINE ROOM "bodies: {" BLOCK("a", "0", "0.2") ", post: {shape: cylinder, radius: 0.05, "
                                                      "height: 0.4, position: [0.1, 0, 0.2]}}\n",
         "bodies.a", "inside 'post'"},
    };
    CHECK_ALL(all);
}

/* A hopper, 2 cm between grains, with an opening of so many spacings. */
static void check_hopper(double spacings, bool narrow)
{
    char text[512];
    snprintf(text, sizeof text,
             FINE "domain: {low: [-1, -1, -1], high: [1, 1, 2]}\n"
                  "sources: {sand: {shape: cylinder, radius: 0.25, height: 0.3, position: [0, 0, "
                  "0.7]}}\n"
                  "bodies: {hopper: {shape: funnel, radius: 0.4, neck: %g, height: 0.5, thickness: "
                  "0.05, position: [0, 0, 0.2]}}\n",
             spacings * 0.02 / 2);
    check_warnings(&(expectation){text, narrow ? "bodies.hopper" : NULL, "the opening at ["});
}

static void openings_too_narrow(void **state)
{
    (void)state;
    check_hopper(2, true);
    check_hopper(3.5, true);
    check_hopper(4.5, true);
    check_hopper(5, false);
    check_hopper(7, false);
    const expectation slots[] = {
        /* Two plates with a slot of three spacings, and a floor with a hole of nothing else. */
        {FINE "domain: {low: [-0.5, -0.2, -0.5], high: [0.5, 0.2, 2]}\n"
              "sources: {sand: {shape: box, size: [0.8, 0.4, 0.4], position: [0, 0, 0.4]}}\n"
              "bodies: {left: {shape: box, size: [0.5, 1, 0.1], position: [-0.28, 0, 0]}, right: "
              "{shape: box, size: [0.5, 1, 0.1], position: [0.28, 0, 0]}}\n",
         "bodies.left", "3.1 spacings"},
        /* Narrow gaps beside a wide way: blocks that stand near each other. */
        {FINE ROOM
         "sources: {sand: {shape: box, size: [0.8, 0.8, 0.4], position: [0, 0, 0.8]}}\n"
         "bodies: {a: {shape: box, size: [0.2, 0.2, 0.3], position: [-0.12, 0, 0.15]}, b: "
         "{shape: box, size: [0.2, 0.2, 0.3], position: [0.12, 0, 0.15]}}\n",
         NULL, NULL},
    };
    CHECK_ALL(slots);
}

/* Faults are those of a run, all at once and without running. */
static void what_stops_a_run_is_a_fault(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_scene *scene = scene_of(
        FINE ROOM "sources: {a: {shape: box, size: [0.4, 0.4, 0.4], position: [5, 0, 0.3]}, b: "
                  "{shape: box, size: [0.4, 0.4, 0.4], position: [0, 7, 0.3], at: 1 s}}\n");
    assert_int_equal(rp_scene_review(scene, NULL, NULL, report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 2);
    assert_string_equal(rp_report_fault(report, 0)->key, "sources.a");
    assert_string_equal(rp_report_fault(report, 1)->key, "sources.b");
    rp_scene_destroy(scene);
    rp_report_clear(report);
    scene = scene_of("particles: {spacing: 10 cm}\n"
                     "domain: {low: [-1, -1, 0], high: [1, 1, 2], periodic: [x, y, z]}\n"
                     "emitters: {e: {radius: 0.4, speed: 100, position: [0, 0, 1]}}\n"
                     "time: {step: 1, duration: 4 s, frame_rate: 1}\n");
    assert_int_equal(rp_scene_review(scene, NULL, NULL, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "more than the closed domain"));
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

/* The size of a scene costs nothing: two million grains are looked at by samples. */
static void large_scenes_are_sampled(void **state)
{
    (void)state;
    size_t before = rp_memory_now().peak_bytes;
    check_warnings(&(expectation){
        "particles: {spacing: 4 mm}\n" ROOM "sources: {sand: {shape: box, size: [0.5, 0.5, 0.5], "
        "position: [0, 0, 0.3]}}\nbodies: {stone: {shape: sphere, radius: 0.28, position: [0, 0, "
        "0.3]}}\n",
        "sources.sand", "are left out"});
    assert_true(rp_memory_now().peak_bytes < before + 40000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_that_are_left_out_are_not_counted),
        cmocka_unit_test(sand_that_is_not_there),
        cmocka_unit_test(sand_and_bodies),
        cmocka_unit_test(bodies_that_are_fast_for_an_instant),
        cmocka_unit_test(single_grains),
        cmocka_unit_test(bodies_inside_each_other),
        cmocka_unit_test(openings_too_narrow),
        cmocka_unit_test(what_stops_a_run_is_a_fault),
        cmocka_unit_test(large_scenes_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
