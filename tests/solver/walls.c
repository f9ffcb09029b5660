/* Walls of the domain with friction of their own: what every method makes of them. */
#include "solver/sand.h"

/* A layer that gravity pulls along a floor, from the left wall on. */
#define LAYER                                                                                      \
    "gravity: [3, 0, -9]\n"                                                                        \
    "domain: {low: [-0.2, -0.06, 0], high: [0.8, 0.06, 0.4], periodic: [y], friction: %s}\n"       \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "materials: {sand: {angle: 33 deg, friction: 0.7}}\n"                                          \
    "grains: {all: {shape: cube}}\n"                                                               \
    "sources: {layer: {shape: box, size: [0.2, 0.12, %s], position: [-0.1, 0, %s]}}\n"             \
    "solver: {method: %s}\n"

static double speed_of(const char *method, const char *friction)
{
    char text[1000];
    bool single = strcmp(method, "null") == 0; /* its grains do not know each other */
    snprintf(text, sizeof text, LAYER, friction, single ? "0.02" : "0.04", single ? "0.01" : "0.02",
             method);
    sand s = sand_of(text);
    sand_run(&s, 0.2);
    double sum = 0;
    for (size_t i = 0; i < s.view.count; i++)
        sum += (double)s.view.vx[i];
    sum /= (double)s.view.count;
    sand_end(&s);
    return sum;
}

/* Of all walls only the floor is touched: what others have does not matter. */
static void each_wall_has_its_own_friction(void **state)
{
    (void)state;
    static const char *const methods[] = {"frictional", "pcisph", "dem", "null"};
    for (int m = 0; m < 4; m++) {
        double slips = speed_of(methods[m], "{bottom: 0}");
        double holds = speed_of(methods[m], "{left: 0, right: 0, top: 0}");
        check_near(slips, 3 * 0.2, 0.05);
        assert_true(holds < 0.3 * slips);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wall_has_its_own_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
