/* Surfaces that grains touch, the same for every method: walls of the domain with friction of their
 * own, conveyor belts, many bodies. */
#include "math/vec.h"
#include "solver/sand.h"

/* --- walls --- */

/* A layer that gravity pulls along a floor, beginning at the left wall. */
#define SLIDING_LAYER                                                                              \
    "gravity: [3, 0, -9]\n"                                                                        \
    "domain: {low: [-0.2, -0.06, 0], high: [0.8, 0.06, 0.4], periodic: [y], friction: %s}\n"       \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "materials: {sand: {angle: 33 deg, friction: 0.7}}\n"                                          \
    "grains: {all: {shape: cube}}\n"                                                               \
    "sources: {layer: {shape: box, size: [0.2, 0.12, %s], position: [-0.1, 0, %s]}}\n"             \
    "solver: {method: %s}\n"

static double sliding_speed(const char *method, const char *friction)
{
    char text[1000];
    bool single = strcmp(method, "null") == 0; /* its grains do not interact */
    snprintf(text, sizeof text, SLIDING_LAYER, friction, single ? "0.02" : "0.04",
             single ? "0.01" : "0.02", method);
    sand s = sand_of(text);
    sand_run(&s, 0.2);
    double sum = 0;
    for (size_t i = 0; i < s.view.count; i++)
        sum += (double)s.view.vx[i];
    sum /= (double)s.view.count;
    sand_end(&s);
    return sum;
}

/* Grains touch only the floor: the friction of other walls does not matter. */
static void each_wall_has_its_own_friction(void **state)
{
    (void)state;
    static const char *const methods[] = {"frictional", "pcisph", "dem", "null"};
    for (int m = 0; m < 4; m++) {
        double slips = sliding_speed(methods[m], "{bottom: 0}");
        double holds = sliding_speed(methods[m], "{left: 0, right: 0, top: 0}");
        check_near(slips, 3 * 0.2, 0.05);
        assert_true(holds < 0.3 * slips);
    }
}

/* --- belts --- */

#define GRAVITY 9.81

static rp_vec3 mean_velocity(const rp_view *view)
{
    rp_vec3 sum = {0};
    for (size_t i = 0; i < view->count; i++)
        sum = rp_v3_add(sum, rp_v3(view->vx[i], view->vy[i], view->vz[i]));
    return rp_v3_scale(sum, 1 / (double)view->count);
}

static rp_vec3 mean_position(const rp_view *view)
{
    rp_vec3 sum = {0};
    for (size_t i = 0; i < view->count; i++)
        sum = rp_v3_add(sum, rp_v3(view->x[i], view->y[i], view->z[i]));
    return rp_v3_scale(sum, 1 / (double)view->count);
}

/* A periodic layer on a plane whose belt runs at 0.3 m/s along x. */
#define LAYER                                                                                      \
    "domain: {low: [-0.1, -0.1, -0.1], high: [0.1, 0.1, 0.3], periodic: [x, y], open: [top]}\n"    \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "materials: {sand: {friction: 0.1}}\n"                                                         \
    "sources: {layer: {shape: box, size: [0.2, 0.2, %s], position: [0, 0, %s]}}\n"                 \
    "bodies: {belt: {shape: plane, belt: [0.3, 0, 0], friction: 0.1}}\n"                           \
    "solver: {method: %s}\n"

/* Its acceleration is mu g, within `share` of that, until it has the speed of the belt. */
static void check_layer(const char *thick, const char *middle, const char *method, double share)
{
    char text[1000];
    snprintf(text, sizeof text, LAYER, thick, middle, method);
    sand s = sand_of(text);
    sand_run(&s, 0.1);
    double before = mean_velocity(&s.view).x;
    sand_run(&s, 0.25);
    double rate = (mean_velocity(&s.view).x - before) / 0.15;
    check_near(rate / (0.1 * GRAVITY), 1, share);
    sand_run(&s, 0.5);
    rp_vec3 end = mean_velocity(&s.view);
    check_near(end.x, 0.3, 0.01);
    check_near(end.y, 0, 0.01);
    sand_end(&s);
}

static void layers_are_carried(void **state)
{
    (void)state;
    check_layer("0.04", "0.02", "frictional", 0.05);
    check_layer("0.04", "0.02", "pcisph", 0.05);
    check_layer("0.02", "0.01", "null", 0.05);
}

/* One sphere in dem: its acceleration is mu g until it rolls, at two sevenths of the belt's speed.
 */
#define GRAIN                                                                                      \
    "domain: {low: [-2, -2, -0.1], high: [2, 2, 0.3], open: [top]}\n"                              \
    "particles: {spacing: 2 cm, jitter: 0}\n"                                                      \
    "materials: {sand: {friction: 0.3, restitution: 0}}\n"                                         \
    "grains: {one: {diameter: 1.9 cm, %s}}\n"                                                      \
    "sources: {one: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, 0, %s]}}\n"               \
    "bodies: {belt: {shape: box, size: [4, 4, 2 cm], position: [0, 0, -1 cm], rotation: [0, 0, "   \
    "90], "                                                                                        \
    "belt: [0.7, 0, 0], friction: 0.3, restitution: 0}}\n"                                         \
    "solver: {method: dem}\n"

static void grains_are_carried_by_friction(void **state)
{
    (void)state;
    char text[1200];
    snprintf(text, sizeof text, GRAIN, "shape: sphere", "1.05 cm");
    sand s = sand_of(text);
    assert_int_equal(s.view.count, 1);
    sand_run(&s, 0.03);
    double before = (double)s.view.vy[0];
    sand_run(&s, 0.06);
    check_near(((double)s.view.vy[0] - before) / 0.03 / (0.3 * GRAVITY), 1, 0.02);
    sand_run(&s, 0.4);
    check_near((double)s.view.vy[0], 0.7 * 2 / 7, 0.002);
    check_near((double)s.view.vx[0], 0, 1e-3);
    sand_end(&s);
}

/* Sand on a rough belt of 15 degrees, below its angle of repose, is carried up at the belt's speed.
 */
static void check_incline(const char *method)
{
    char text[1200];
    snprintf(text, sizeof text,
             "domain: {low: [-0.6, -0.1, -0.3], high: [0.6, 0.1, 0.6], periodic: [y], "
             "open: [left, right, top, bottom]}\n"
             "particles: {spacing: 2 cm}\n"
             "materials: {sand: {young: 1 MPa, rolling_friction: 0.5}}\n"
             "sources: {heap: {shape: box, size: [0.2, 0.2, 0.04], position: [-0.25, 0, -0.03], "
             "rotation: [0, -15, 0]}}\n"
             "bodies: {belt: {shape: box, size: [1.1, 0.2, 0.02], rotation: [0, -15, 0], "
             "belt: [0.4, 0, 0]}}\n"
             "solver: {method: %s}\n",
             method);
    sand s = sand_of(text);
    size_t count = s.view.count;
    sand_run(&s, 0.3);
    rp_vec3 before = mean_position(&s.view);
    sand_run(&s, 0.6);
    rp_vec3 displacement = rp_v3_sub(mean_position(&s.view), before);
    assert_int_equal(s.view.count, count);
    check_near(displacement.x, 0.4 * 0.3 * cos(RP_PI / 12), 0.01);
    check_near(displacement.z, 0.4 * 0.3 * sin(RP_PI / 12), 0.01);
    sand_end(&s);
}

static void conveyors_carry_uphill(void **state)
{
    (void)state;
    check_incline("frictional");
    check_incline("dem");
}

/* --- many bodies --- */

/* A floor of 34 x 34 tiles under one block of grains, more than any list of fixed length holds:
 * none of them may be left out. */
static void check_tiles(const char *method)
{
    enum { TILES = 34, CAPACITY = TILES * TILES * 90 + 1000 };
    char *text = malloc(CAPACITY);
    int used = snprintf(text, CAPACITY,
                        "domain: {low: [0, 0, -1], high: [0.34, 0.34, 1], open: [top, bottom]}\n"
                        "materials: {sand: {young: 1 MPa}}\n"
                        "grains: {ball: {shape: sphere}}\n"
                        "particles: {spacing: 2 cm}\n"
                        "sources: {layer: {shape: box, size: [0.34, 0.34, 0.02], position: [0.17, "
                        "0.17, 0.02]}}\n"
                        "solver: {method: %s}\nbodies:\n",
                        method);
    for (int i = 0; i < TILES * TILES; i++)
        used += snprintf(text + used, (size_t)(CAPACITY - used),
                         "  t%d: {shape: box, size: [0.01, 0.01, 0.01], position: [%g, %g, 0]}\n",
                         i, 0.005 + 0.01 * (i % TILES), 0.005 + 0.01 * (i / TILES));
    sand s = sand_of(text);
    assert_true(s.view.count > 200 && s.view.count <= 512);
    sand_run(&s, 0.08); /* to fall through takes 0.06 s */
    for (size_t i = 0; i < s.view.count; i++)
        if (!(s.view.z[i] > 0))
            fail_msg("%s: grain %zu fell through, to %g", method, i, (double)s.view.z[i]);
    sand_end(&s);
    free(text);
}

static void floors_of_many_bodies_hold(void **state)
{
    (void)state;
    check_tiles("dem");
    check_tiles("frictional");
    check_tiles("null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wall_has_its_own_friction), cmocka_unit_test(layers_are_carried),
        cmocka_unit_test(grains_are_carried_by_friction), cmocka_unit_test(conveyors_carry_uphill),
        cmocka_unit_test(floors_of_many_bodies_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
