/* Granular SPH in flow: friction that grows with the shear rate (G9d). */
#include "solver/sand.h"

#include <stdio.h>

#define DEGREE 0.017453292519943295 /* rad */
#define LAYER                                                                                      \
    "domain: {low: [0, 0, 0], high: [0.08, 0.08, 0.3], periodic: [x, y], open: [top]}\n"           \
    "particles: {spacing: 1 cm}\n"
#define COULOMB "angle: 20.9 deg"
#define RATE COULOMB ", dynamic_angle: 32.76 deg, grain_diameter: 2 cm"

/* A layer of eight spacings on a slope, moving as a whole at first. */
static sand layer_of(double slope, double speed, const char *material, const char *method)
{
    char text[1024];
    snprintf(text, sizeof text,
             LAYER "gravity: [%.9g, 0, %.9g]\nmaterials: {beads: {%s}}\n"
                   "sources: {layer: {shape: box, size: [0.08, 0.08, 0.08], position: [0.04, 0.04, "
                   "0.04], velocity: [%g, 0, 0]}}\nsolver: {method: %s}\n",
             9.81 * sin(slope * DEGREE), -9.81 * cos(slope * DEGREE), material, speed, method);
    return sand_of(text);
}

static double speed_after(double slope, double speed, const char *material, double time)
{
    sand s = layer_of(slope, speed, material, "frictional");
    sand_run(&s, time);
    double mean = sand_mean(&s.view, s.view.vx);
    sand_end(&s);
    return mean;
}

/* m/s, mean speed of Bagnold's profile for mu(I) = tan(slope). */
static double closed_form(double slope)
{
    double slow = tan(20.9 * DEGREE), fast = tan(32.76 * DEGREE), mu = tan(slope * DEGREE);
    double number = 0.279 * (mu - slow) / (fast - mu);
    return 0.4 * number / 0.02 * sqrt(9.81 * 1600 / 2650 * cos(slope * DEGREE)) * pow(0.08, 1.5);
}

/* From above and from below; with Coulomb friction it accelerates by 0.9 m/s2. */
static void layers_find_their_speed(void **state)
{
    (void)state;
    double closed = closed_form(26), from_above = speed_after(26, 1.3 * closed, RATE, 1),
           from_below = speed_after(26, 0.6 * closed, RATE, 1);
    double coulomb = speed_after(26, closed, COULOMB, 0.5);
    print_message("closed form %g m/s: %g from above, %g from below; %g by Coulomb's law\n", closed,
                  from_above, from_below, coulomb);
    check_near(from_above, closed, 0.1 * closed);
    check_near(from_below, closed, 0.1 * closed);
    assert_true(coulomb > closed + 0.25);
}

static void layers_stand_below_their_angle(void **state)
{
    (void)state;
    double stopped = speed_after(19.4, 0.1, RATE, 0.6), stood = speed_after(19.9, 0, RATE, 0.6);
    assert_true(fabs(stopped) < 1e-4 && fabs(stood) < 1e-4);
}

/* Any number of threads, and a world that continues from a snapshot. */
static void flows_have_the_same_bits(void **state)
{
    (void)state;
    sand s = layer_of(26, 0.5, RATE, "frictional");
    rp_snapshot *snapshot = NULL;
    sand_run(&s, 0.05);
    assert_int_equal(rp_world_snapshot(s.world, &snapshot, NULL), RP_OK);
    sand_run(&s, 0.1);
    rp_world *other = world_of(s.scene, 1);
    assert_int_equal(rp_world_restore(other, snapshot, NULL), RP_OK);
    run_world(other, 0.1);
    assert_true(rp_world_hash(other) == rp_world_hash(s.world));
    rp_world_destroy(other);
    other = world_of(s.scene, 1);
    run_world(other, 0.05);
    run_world(other, 0.1);
    assert_true(rp_world_hash(other) == rp_world_hash(s.world));
    rp_world_destroy(other);
    rp_snapshot_destroy(snapshot);
    sand_end(&s);
}

/* Other methods do the same with and without a dynamic angle. */
static void only_frictional_depends_on_the_rate(void **state)
{
    (void)state;
    static const char *const methods[] = {"pcisph", "null", "frictional"};
    for (int i = 0; i < 3; i++) {
        sand plain = layer_of(26, 0.5, COULOMB, methods[i]),
             rate = layer_of(26, 0.5, RATE, methods[i]);
        sand_run(&plain, 0.05);
        sand_run(&rate, 0.05);
        bool same = plain.view.count == rate.view.count &&
                    memcmp(plain.view.vx, rate.view.vx, plain.view.count * sizeof(float)) == 0;
        assert_int_equal(same, i < 2);
        sand_end(&plain);
        sand_end(&rate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_find_their_speed),
        cmocka_unit_test(layers_stand_below_their_angle),
        cmocka_unit_test(flows_have_the_same_bits),
        cmocka_unit_test(only_frictional_depends_on_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
