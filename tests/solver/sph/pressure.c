/* Earth pressure at rest (G8a, G11b): sand presses a smooth wall with about half of its weight,
 * however it came there. */
#include "solver/sand.h"

#include <stdio.h>

#define DEPTH 0.2 /* m, ten spacings */

/* The force on a smooth plate, in parts of what a fluid as dense would press it with. */
static double pressure_of(double drop)
{
    char text[1024];
    snprintf(text, sizeof text,
             "domain: {low: [-0.1, -0.06, 0], high: [0.5, 0.06, 1], periodic: [y]}\n"
             "particles: {spacing: 2 cm}\n"
             "materials: {sand: {angle: 30 deg}}\n"
             "sources: {bed: {shape: box, size: [0.4, 0.12, %g], position: [0.2, 0, %g]}}\n"
             "bodies:\n"
             "  plate: {shape: box, size: [0.04, 0.4, 1], position: [-0.02, 0, 0.5], friction: 0}\n"
             "  back: {shape: box, size: [0.04, 0.4, 1], position: [0.42, 0, 0.5], friction: 0}\n",
             DEPTH, DEPTH / 2 + drop);
    sand s = sand_of(text);
    sand_run(&s, 1);
    double force = -s.view.bodies[0].force[0];
    double speed = sand_rms_speed(&s.view);
    sand_end(&s);
    assert_true(speed < 1e-4);
    return force / (0.5 * 1600 * 9.81 * DEPTH * DEPTH * 0.12);
}

static void sand_as_placed_presses_by_half(void **state)
{
    (void)state;
    double pressure = pressure_of(0);
    print_message("placed: %.3f\n", pressure);
    assert_true(pressure > 0.35 && pressure < 0.7);
}

static void sand_that_was_dropped_presses_by_half(void **state)
{
    (void)state;
    double pressure = pressure_of(0.03);
    print_message("dropped: %.3f\n", pressure);
    assert_true(pressure > 0.35 && pressure < 0.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sand_as_placed_presses_by_half),
        cmocka_unit_test(sand_that_was_dropped_presses_by_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
