/* One body's numbers: those of its keys, of what presses on it, and the names they go by. */
#include "base/report.h"
#include "measure/measure.h"
#include "worlds.h"

#include <string.h>

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

static void unknown_bodies_are_told(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_keyed_body_is_where_its_keys_say),
        cmocka_unit_test(loads_are_those_of_the_state),
        cmocka_unit_test(unknown_bodies_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
