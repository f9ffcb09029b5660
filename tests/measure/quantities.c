/* Numbers of frames: sums over grains, bodies, flow through a plane, the steady state of a series.
 */
#include "check.h"
#include "worlds.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "document/words.h"
#include "measure/measure.h"
#include "scene/scene.h"

#include <string.h>

/* --- sums over grains ------------------------------------------------------------------------- */

/* Measurements of a few grains whose numbers are known in closed form. */

/* All values are exact in binary, so what is measured is, too. */
#define GRAINS 3
static const float grain_x[GRAINS] = {1, -2, 0.25f}, grain_y[GRAINS] = {0, 0, 4},
                   grain_z[GRAINS] = {0.5f, -1, 3};
static const float grain_vx[GRAINS] = {1, 0, -4}, grain_vy[GRAINS] = {2, 0, 0},
                   grain_vz[GRAINS] = {2, -3, 0};
static const float grain_mass[GRAINS] = {2, 4, 1};
static const uint8_t asleep[GRAINS] = {0, 1, 0};

static const rp_view grains = {.count = GRAINS,
                               .x = grain_x,
                               .y = grain_y,
                               .z = grain_z,
                               .vx = grain_vx,
                               .vy = grain_vy,
                               .vz = grain_vz,
                               .mass = grain_mass,
                               .asleep = asleep};

/* What a float's rounding, relative, may change. */
#define ROUNDING 0x1p-24

static void check_kind(const char *name, const rp_view *view, const rp_measured *expected,
                       int count)
{
    rp_scene scene = {.gravity = {0, 0, -10}};
    rp_measured found[RP_MEASURED_MAX];
    const rp_measure_kind *kind = rp_measure_find(name);
    assert_non_null(kind);
    int taken = 0;
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = view, .scene = &scene, .options = &options};
    assert_int_equal(kind->take(&input, found, &taken, NULL), RP_OK);
    assert_int_equal(taken, count);
    for (int i = 0; i < count; i++) {
        assert_string_equal(found[i].name, expected[i].name);
        assert_string_equal(found[i].unit, expected[i].unit);
        check_near(found[i].value, expected[i].value, 0);
        check_near(found[i].uncertainty, expected[i].uncertainty, 0);
    }
}

/* Kinetic 9 + 18 + 8; potential 10 - 40 + 30, which cancels while its rounding does not; in all
 * 19 - 22 + 38. */
static void energy_is_that_of_the_grains(void **state)
{
    (void)state;
    const rp_measured expected[] = {{"kinetic", 35, 3 * ROUNDING * 35, "J"},
                                    {"potential", 0, 2 * ROUNDING * 80, "J"},
                                    {"total", 35, 3 * ROUNDING * 79, "J"}};
    check_kind("energy", &grains, expected, 3);
}

static void momentum_is_that_of_the_grains(void **state)
{
    (void)state;
    const rp_measured expected[] = {{"x", 2 - 4, 2 * ROUNDING * 6, "kg m/s"},
                                    {"y", 4, 2 * ROUNDING * 4, "kg m/s"},
                                    {"z", 4 - 12, 2 * ROUNDING * 16, "kg m/s"}};
    check_kind("momentum", &grains, expected, 3);
}

static void the_count_is_exact(void **state)
{
    (void)state;
    const rp_measured expected[] = {
        {"grains", 3, 0, ""}, {"asleep", 1, 0, ""}, {"mass", 7, ROUNDING * 7, "kg"}};
    check_kind("count", &grains, expected, 3);
}

static void bounds_touch_the_outermost_grains(void **state)
{
    (void)state;
    const rp_measured expected[] = {
        {"low x", -2, ROUNDING * 2, "m"}, {"low y", 0, 0, "m"},
        {"low z", -1, ROUNDING, "m"},     {"high x", 1, ROUNDING, "m"},
        {"high y", 4, ROUNDING * 4, "m"}, {"high z", 3, ROUNDING * 3, "m"},
    };
    check_kind("bounds", &grains, expected, 6);
}

/* Sums over no grains are zero; what has no meaning without grains is refused, and says so. */
static void nothing_measures_zero_or_is_refused(void **state)
{
    (void)state;
    const rp_view nothing = {.spacing = 1};
    rp_scene scene = {.gravity = {0, 0, -10}};
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = &nothing, .scene = &scene, .options = &options};
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        rp_measured found[RP_MEASURED_MAX];
        int count = 0;
        if (!kind->take) continue;
        rp_report *report = rp_report_create();
        rp_code code = kind->take(&input, found, &count, report);
        assert_in_range(count, 1, RP_MEASURED_MAX);
        assert_int_equal(rp_report_count(report), code != RP_OK);
        for (int j = 0; j < count; j++) {
            if (code == RP_OK) check_near(found[j].value, 0, 0);
            if (code == RP_OK) check_near(found[j].uncertainty, 0, 0);
            if (code != RP_OK) assert_true(isnan(found[j].value));
        }
        assert_int_equal(code == RP_OK, i < 4); /* contacts are unknown here */
        rp_report_destroy(report);
    }
}

/* A scene holds the place of a word, a run takes the kind of that place: those that one instant is
 * enough for, that give numbers and need nothing else to be named. */
static void scenes_know_exactly_these_kinds(void **state)
{
    (void)state;
    int words = rp_words_count(RP_MEASURE_WORDS);
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        char word[64] = "";
        if (i < words) rp_words_at(RP_MEASURE_WORDS, i, word, sizeof word);
        bool live =
            kind->take && kind->frames != RP_MEASURE_PAIRS && !kind->of_body && !kind->of_layer;
        assert_int_equal(live, i < words);
        assert_true(!kind->take != !kind->fill);
        if (live) assert_string_equal(kind->name, word);
        assert_ptr_equal(rp_measure_find(kind->name), kind);
    }
    assert_null(rp_measure_at(rp_measure_count()));
    assert_null(rp_measure_at(-1));
    assert_null(rp_measure_find("weight"));
}

/* Records of fine grains hold where they are and how they move, and no more. */
static void what_is_not_recorded_is_not_measured(void **state)
{
    (void)state;
    static const char *const names[] = {"energy", "momentum", "density-error"};
    static const uint8_t material[GRAINS];
    static const uint32_t id[GRAINS] = {0, 1, 2};
    rp_view fine = grains;
    fine.mass = NULL;
    fine.asleep = NULL;
    fine.id = id;
    fine.material = material;
    rp_scene scene = {.gravity = {0, 0, -10}};
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = &fine, .scene = &scene, .options = &options};
    rp_measured found[RP_MEASURED_MAX];
    int taken = 0;
    for (int i = 0; i < 3; i++) {
        rp_code code = rp_measure_find(names[i])->take(&input, found, &taken, NULL);
        assert_int_equal(code, RP_ERROR_UNSUPPORTED);
        for (int k = 0; k < taken; k++)
            assert_true(isnan(found[k].value));
    }
    assert_int_equal(rp_measure_find("count")->take(&input, found, &taken, NULL), RP_OK);
    check_near(found[0].value, GRAINS, 0);
    assert_true(isnan(found[1].value) && isnan(found[2].value));
    assert_int_equal(rp_measure_find("bounds")->take(&input, found, &taken, NULL), RP_OK);
    check_near(found[0].value, -2, 0);
}

static void a_flow_without_masses_is_counted(void **state)
{
    (void)state;
    static const float after_z[GRAINS] = {-0.5f, -1, 3};
    static const uint32_t id[GRAINS] = {0, 1, 2};
    rp_view before = grains, after = grains;
    before.mass = after.mass = NULL;
    before.id = after.id = id;
    after.z = after_z;
    after.time = 0.5;
    rp_scene scene = {0};
    rp_measure_options options = rp_default_measure_options();
    options.plane_axis = 2;
    rp_measure_input input = {
        .view = &after, .before = &before, .scene = &scene, .options = &options};
    rp_measured found[RP_MEASURED_MAX];
    int taken = 0;
    assert_int_equal(rp_measure_find("flow")->take(&input, found, &taken, NULL), RP_OK);
    assert_true(isnan(found[0].value));
    check_near(found[1].value, 0, 0);
    check_near(found[2].value, 2, 0);
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* One body's numbers: those of its keys, of what presses on it, and the names they go by. */

static const char text[] =
    "gravity: [0, 0, -10]\nparticles: {spacing: 10 cm, jitter: 0}\nsolver: {method: null}\n"
    "sources: {rain: {shape: box, size: [0.5, 0.5, 1], position: [2, 0, 1]}}\n"
    "bodies:\n"
    "  arm: {shape: box, size: [0.1, 0.1, 0.1], motion: keys, interpolation: linear, keys: [\n"
    "    {time: 0, position: [0, 0, 0], rotation: [0, 0, -30]},\n"
    "    {time: 1, position: [1, 2, -3], rotation: [0, 0, 60]}]}\n"
    "  table: {shape: box, size: [1, 1, 0.1], position: [2, 0, 0], rotation: [10, 20, 30]}\n";

typedef struct taken {
    rp_measured numbers[RP_MEASURED_MAX];
    int count;
    rp_code code;
} taken;

static taken take(const rp_world *world, const rp_scene *scene, const char *name, int quantity,
                  rp_report *report)
{
    rp_view view;
    rp_world_view(world, &view);
    rp_measure_options options = rp_default_measure_options();
    if (name) check_ok(rp_measure_find_body(scene, name, &options.body, report), report);
    options.quantity = quantity;
    rp_measure_input in = {.view = &view, .scene = scene, .options = &options};
    taken t;
    t.code = rp_measure_find("body")->take(&in, t.numbers, &t.count, report);
    return t;
}

static void check_vector(const rp_measured *m, const char *name, double x, double y, double z,
                         const char *unit)
{
    const double wanted[3] = {x, y, z};
    for (int a = 0; a < 3; a++) {
        char full[32];
        snprintf(full, sizeof full, "%s %c", name, 'x' + a);
        assert_string_equal(m[a].name, full);
        assert_string_equal(m[a].unit, unit);
        check_near(m[a].value, wanted[a], 1e-9);
    }
}

static void a_keyed_body_is_where_its_keys_say(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(text);
    rp_world *world = world_of(scene, 1);
    run_world(world, 0.5);
    taken t = take(world, scene, "arm", -1, NULL);
    assert_int_equal(t.code, RP_OK);
    assert_int_equal(t.count, 3 * RP_BODY_QUANTITIES);
    check_vector(t.numbers, "position", 0.5, 1, -1.5, "m");
    check_vector(t.numbers + 3, "rotation", 0, 0, 15, "deg");
    check_vector(t.numbers + 6, "velocity", 1, 2, -3, "m/s");
    check_vector(t.numbers + 9, "spin", 0, 0, 90, "deg/s");
    check_vector(t.numbers + 18, "contact-force", 0, 0, 0, "N");
    t = take(world, scene, "table", 1, NULL);
    assert_int_equal(t.count, 3);
    check_vector(t.numbers, "rotation", 10, 20, 30, "deg");
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void loads_are_those_of_the_state(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(text);
    rp_world *world = world_of(scene, 1);
    double pressed = 0;
    rp_view view;
    for (int frame = 1; frame <= 20; frame++) {
        run_world(world, 0.05 * frame);
        rp_world_view(world, &view);
        taken t = take(world, scene, "table", 4, NULL);
        for (int a = 0; a < 3; a++)
            assert_true(t.numbers[a].value == view.bodies[1].force[a]);
        pressed += t.numbers[2].value;
        t = take(world, scene, "table", 5, NULL);
        assert_true(t.numbers[1].value == view.bodies[1].torque[1]);
    }
    assert_true(pressed < 0);
    rp_body_state by_hand = {.contact_force = {1, 2, 3}, .contact_torque = {4, 5, 6}};
    assert_true(rp_body_quantity(&by_hand, 6).y == 2 && rp_body_quantity(&by_hand, 7).z == 6);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void unknown_bodies_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } cases[] = {{"tabel", "there is no body 'tabel'; did you mean 'table'?"},
                 {"qqqqqqqqq", "there are: arm, table"},
                 {NULL, "there are: arm, table"}};
    rp_scene *scene = scene_of(text), *empty = scene_of("particles: {spacing: 1}\n");
    rp_report *report = rp_report_create();
    int body;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rp_measure_find_body(scene, cases[i].name, &body, report), RP_ERROR_INPUT);
        assert_int_equal(body, -1);
        assert_non_null(strstr(rp_report_fault(report, i)->message, cases[i].message));
    }
    assert_int_equal(rp_measure_find_body(empty, "arm", &body, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 3)->message, "no bodies"));
    rp_world *world = world_of(scene, 1);
    taken t = take(world, scene, NULL, 0, report);
    assert_int_equal(t.code, RP_ERROR_INPUT);
    assert_int_equal(t.count, 3);
    assert_true(isnan(t.numbers[0].value));
    rp_world_destroy(world);
    rp_report_destroy(report);
    rp_scene_destroy(scene);
    rp_scene_destroy(empty);
}

/* --- flow and its steady state ---------------------------------------------------------------- */

/* What passes a plane: forward, back, across periodic sides, and what came or went. */

#define MANY 5000

typedef struct flow_grains {
    float place[3][MANY], mass[MANY];
    uint32_t id[MANY];
    rp_view view;
} flow_grains;

static flow_grains before, after;

static void add(flow_grains *g, uint32_t id, double x, double y, double z, double mass)
{
    size_t i = g->view.count++;
    g->place[0][i] = (float)x, g->place[1][i] = (float)y, g->place[2][i] = (float)z;
    g->id[i] = id;
    g->mass[i] = (float)mass;
}

static int clear(void **state)
{
    (void)state;
    flow_grains *both[] = {&before, &after};
    for (int i = 0; i < 2; i++) {
        memset(both[i], 0, sizeof *both[i]);
        both[i]->view = (rp_view){.time = 1 + 0.5 * i,
                                  .x = both[i]->place[0],
                                  .y = both[i]->place[1],
                                  .z = both[i]->place[2],
                                  .mass = both[i]->mass,
                                  .id = both[i]->id};
    }
    return 0;
}

static rp_flow flow(const rp_scene *scene, int axis, double at)
{
    rp_flow found;
    assert_int_equal(rp_measure_flow(&before.view, &after.view, scene, axis, at, &found, NULL),
                     RP_OK);
    return found;
}

static const rp_scene open_space = {
    .domain = {.low = {-INFINITY, -INFINITY, -INFINITY}, .high = {INFINITY, INFINITY, INFINITY}}};

static void grains_are_counted_both_ways(void **state)
{
    (void)state;
    add(&before, 7, 0, 0, -1, 2), add(&before, 3, 0, 0, 1, 4), add(&before, 9, 0, 0, 1, 8);
    add(&before, 1, 0, 0, -3, 16);
    /* in another order: only ids tell them apart */
    add(&after, 1, 5, 5, -2, 16), add(&after, 9, 0, 0, -1, 8), add(&after, 3, 0, 0, -1, 4);
    add(&after, 7, 0, 0, 0.25, 2);
    rp_flow f = flow(&open_space, 2, 0.0);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 2);
    check_near(f.mass_forward, 2, 0);
    check_near(f.mass_backward, 12, 0);
    check_near(f.seconds, 0.5, 0);
    assert_int_equal(f.appeared + f.vanished, 0);
    assert_int_equal(flow(&open_space, 0, 1).forward, 1); /* grain 1 went along x */
    assert_int_equal(flow(&open_space, 2, 0.5).forward, 0);
}

/* Grains that were never seen on the other side did not pass. */
static void what_comes_and_goes_is_distinguished(void **state)
{
    (void)state;
    add(&before, 5, 0, 0, 1, 1), add(&before, 6, 0, 0, 1, 1), add(&before, 2, 0, 0, -1, 1);
    add(&after, 6, 0, 0, -1, 1), add(&after, 11, 0, 0, 1, 1), add(&after, 12, 0, 0, -1, 1);
    add(&after, 4294967295u, 0, 0, -1, 1);
    rp_flow f = flow(&open_space, 2, 0);
    assert_int_equal(f.backward, 1);
    assert_int_equal(f.forward, 0);
    assert_int_equal(f.vanished, 2);
    assert_int_equal(f.appeared, 3);
}

/* The domain is 4 m long and closed upon itself. */
static void periodic_sides_are_no_planes(void **state)
{
    (void)state;
    rp_scene ring = open_space;
    ring.domain.low.x = -2, ring.domain.high.x = 2, ring.domain.periodic = 1;
    add(&before, 1, 1.9, 0, 0, 1), add(&after, 1, -1.9, 0, 0, 1); /* on, over the seam */
    add(&before, 2, -1.9, 0, 0, 1), add(&after, 2, 1.9, 0, 0, 1); /* back over it */
    add(&before, 3, -0.1, 0, 0, 1), add(&after, 3, 0.1, 0, 0, 1); /* plainly */
    rp_flow f = flow(&ring, 0, 0);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 0);
    /* A plane near the seam is passed by those who go over it. */
    f = flow(&ring, 0, 1.95);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 1);
    f = flow(&ring, 0, -1.95);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 1);
    assert_int_equal(flow(&open_space, 0, 0).backward, 1); /* without the seam it is a long way */
}

/* A slow twin: every pair of grains is compared. */
static void many_grains_are_matched_like_by_hand(void **state)
{
    (void)state;
    size_t forward = 0, backward = 0, appeared = MANY - 500, vanished = MANY - 500;
    for (uint32_t i = 0; i < MANY - 500; i++) {
        add(&before, i * 7919 % 10007, i * 31 % 17 - 8.5, 0, 0, 1);
        add(&after, i * 6007 % 10007 + 11, i * 57 % 23 - 11.5, 0, 0, 1);
    }
    for (size_t i = 0; i < before.view.count; i++)
        for (size_t j = 0; j < after.view.count; j++) {
            if (before.id[i] != after.id[j]) continue;
            appeared--, vanished--;
            forward += before.place[0][i] < 1 && after.place[0][j] >= 1;
            backward += before.place[0][i] >= 1 && after.place[0][j] < 1;
        }
    rp_flow f = flow(&open_space, 0, 1);
    assert_true(forward > 100 && backward > 100 && appeared > 100);
    assert_int_equal(f.forward, forward);
    assert_int_equal(f.backward, backward);
    assert_int_equal(f.appeared, appeared);
    assert_int_equal(f.vanished, vanished);
}

static void time_must_rise(void **state)
{
    (void)state;
    rp_flow f;
    after.view.time = before.view.time;
    assert_int_equal(rp_measure_flow(&before.view, &after.view, &open_space, 0, 0, &f, NULL),
                     RP_ERROR_INPUT);
}

/* Up, steady with a ripple, down again. */
static void the_steady_part_is_found(void **state)
{
    (void)state;
    double values[60] = {0};
    for (int i = 0; i < 60; i++)
        values[i] = i < 5 ? 0 : i < 10 ? -2.0 * (i - 5) : i < 45 ? -10 - (i % 2) : i < 50 ? -4 : 0;
    rp_steady s = rp_steady_of(values, 60);
    assert_in_range(s.first, 9, 15);
    assert_in_range(s.first + s.count, 38, 45);
    check_near(s.mean, -10.5, 0.05);
    check_near(s.spread, 0.5, 0.05);
    double nothing[8] = {0};
    assert_int_equal(rp_steady_of(nothing, 8).count, 0);
    assert_int_equal(rp_steady_of(nothing, 0).count, 0);
    double single[3] = {0, 5, 0};
    assert_int_equal(rp_steady_of(single, 3).count, 0);
}

/* A series that rises, falls, does both or breaks off has values within a third of each other, too,
 * but no steady part. */
static void what_is_not_steady_has_no_steady_part(void **state)
{
    (void)state;
    double ramp[60], hill[60], decay[60], burst[60] = {0};
    for (int i = 0; i < 60; i++) {
        ramp[i] = i;
        hill[i] = 30 - fabs(i - 30.0);
        decay[i] = exp(-i / 15.0);
        burst[i] = i < 12 ? 10 : i < 55 ? 3 : 0;
    }
    assert_int_equal(rp_steady_of(ramp, 60).count, 0);
    assert_int_equal(rp_steady_of(hill, 60).count, 0);
    assert_int_equal(rp_steady_of(decay, 60).count, 0);
    assert_int_equal(rp_steady_of(burst, 60).count, 0);
}

/* Few grains a frame are noisy; that ends no window. Other numbers are averaged over the same one.
 */
static void noise_does_not_cut_the_window(void **state)
{
    (void)state;
    double values[100] = {0}, other[100];
    for (int i = 0; i < 100; i++) {
        double noise = rp_random_unit(rp_random(5, RP_RANDOM_TEST, (uint64_t)i).bits[0]) - 0.5;
        values[i] = i < 10 || i >= 90 ? 0 : 20 * (1 + 0.8 * noise);
        other[i] = i;
    }
    rp_steady s = rp_steady_of(values, 100);
    assert_in_range(s.first, 10, 22);
    assert_in_range(s.first + s.count, 78, 90);
    check_near(s.mean, 20, 1.8); /* three standard errors */
    rp_steady same = rp_steady_within(other, s.first, s.count);
    assert_int_equal(same.first, s.first);
    assert_int_equal(same.count, s.count);
    check_near(same.mean, (double)s.first + (double)(s.count - 1) / 2, 1e-9);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest measure_tests[] = {
        cmocka_unit_test(energy_is_that_of_the_grains),
        cmocka_unit_test(momentum_is_that_of_the_grains),
        cmocka_unit_test(the_count_is_exact),
        cmocka_unit_test(bounds_touch_the_outermost_grains),
        cmocka_unit_test(nothing_measures_zero_or_is_refused),
        cmocka_unit_test(scenes_know_exactly_these_kinds),
        cmocka_unit_test(what_is_not_recorded_is_not_measured),
        cmocka_unit_test(a_flow_without_masses_is_counted),
    };
    const struct CMUnitTest body_tests[] = {
        cmocka_unit_test(a_keyed_body_is_where_its_keys_say),
        cmocka_unit_test(loads_are_those_of_the_state),
        cmocka_unit_test(unknown_bodies_are_reported),
    };
    const struct CMUnitTest flow_tests[] = {
        cmocka_unit_test_setup(grains_are_counted_both_ways, clear),
        cmocka_unit_test_setup(what_comes_and_goes_is_distinguished, clear),
        cmocka_unit_test_setup(periodic_sides_are_no_planes, clear),
        cmocka_unit_test_setup(many_grains_are_matched_like_by_hand, clear),
        cmocka_unit_test_setup(time_must_rise, clear),
        cmocka_unit_test(the_steady_part_is_found),
        cmocka_unit_test(what_is_not_steady_has_no_steady_part),
        cmocka_unit_test(noise_does_not_cut_the_window),
        cmocka_unit_test(nothing_is_left),
    };
    int failed = 0;
    failed += cmocka_run_group_tests_name("measure", measure_tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("body", body_tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("flow", flow_tests, NULL, NULL);
    return failed;
}
