/* Surfaces that run: what every method makes of them. */
#include "math/vec.h"
#include "solver/sand.h"

#define GRAVITY 9.81

/* Over grains. */
static rp_vec3 mean_velocity(const rp_view *view)
{
    rp_vec3 sum = {0};
    for (size_t i = 0; i < view->count; i++)
        sum = rp_v3_add(sum, rp_v3(view->vx[i], view->vy[i], view->vz[i]));
    return rp_v3_scale(sum, 1 / (double)view->count);
}

static rp_vec3 mean_place(const rp_view *view)
{
    rp_vec3 sum = {0};
    for (size_t i = 0; i < view->count; i++)
        sum = rp_v3_add(sum, rp_v3(view->x[i], view->y[i], view->z[i]));
    return rp_v3_scale(sum, 1 / (double)view->count);
}

/* A layer without ends on a plane that runs at 0.3 m/s along x. */
#define LAYER                                                                                      \
    "domain: {low: [-0.1, -0.1, -0.1], high: [0.1, 0.1, 0.3], periodic: [x, y], open: [top]}\n"    \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "materials: {sand: {friction: 0.1}}\n"                                                         \
    "sources: {layer: {shape: box, size: [0.2, 0.2, %s], position: [0, 0, %s]}}\n"                 \
    "bodies: {belt: {shape: plane, belt: [0.3, 0, 0], friction: 0.1}}\n"                           \
    "solver: {method: %s}\n"

/* Until it has the speed of the belt it gains mu g, within a share of that. */
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

/* One grain in dem: a sphere gains mu g, and spins up until it rolls, at two sevenths of the belt's
 * speed; a flat clump of balls ends with that speed. */
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

/* Sand on a rough belt of 15 degrees, which it would not slide down, is carried up at its speed. */
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
    rp_vec3 before = mean_place(&s.view);
    sand_run(&s, 0.6);
    rp_vec3 way = rp_v3_sub(mean_place(&s.view), before);
    assert_int_equal(s.view.count, count);
    check_near(way.x, 0.4 * 0.3 * cos(RP_PI / 12), 0.01);
    check_near(way.z, 0.4 * 0.3 * sin(RP_PI / 12), 0.01);
    sand_end(&s);
}

static void conveyors_carry_uphill(void **state)
{
    (void)state;
    check_incline("frictional");
    check_incline("dem");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_carried),
        cmocka_unit_test(grains_are_carried_by_friction),
        cmocka_unit_test(conveyors_carry_uphill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
