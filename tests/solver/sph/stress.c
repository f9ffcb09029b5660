/* The yield surface for eight grains at once, against one grain in double precision. */
#include "check.h"

#include "base/random.h"
#include "solver/sph/stress.h"

#include <stdbool.h>

static void slow_to_yield(double s[7], double yield, double around, double strength, double cosine,
                          const double lean[3])
{
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double norm2 = 0, p = s[6] > -strength ? s[6] : -strength, middle[6];
    double limit = fmax(p + (double)RP_SPH_SHARED * (around - p) + cosine * strength, 0);
    double most = yield * limit;
    double square = lean[0] * lean[0] + lean[1] * lean[1] + lean[2] * lean[2];
    for (int c = 0; c < 6; c++) {
        middle[c] = limit * ((c < 3 ? square / 3 : 0) - lean[row[c]] * lean[column[c]]);
        norm2 += (c < 3 ? 1 : 2) * (s[c] - middle[c]) * (s[c] - middle[c]);
    }
    double kept = norm2 > most * most ? most / sqrt(norm2) : 1;
    for (int c = 0; c < 6; c++)
        s[c] = middle[c] + kept * (s[c] - middle[c]);
    s[6] = p;
}

static void return_to_yield(uint64_t round, bool leaning, float strength)
{
    rp_wide s[8], before[8], yield, around, lean[3];
    for (uint32_t c = 0; c < 8; c++)
        for (uint32_t k = 0; k < 8; k++)
            s[c][k] = (float)(200 * rp_random_unit(rp_random(round, c, k).bits[0]) - 100);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t k = 0; k < 8; k++)
            lean[c][k] = leaning ? (float)(rp_random_unit(rp_random(round, c, k).bits[1])) : 0;
    for (int k = 0; k < 8; k++)
        yield[k] = 0.3f * (float)k, around[k] = 10 * (float)(k * k);
    memcpy(before, s, sizeof s);
    const rp_sph_moist moist = {rp_wide_broadcast(strength), rp_wide_broadcast(0.8f)};
    rp_sph_to_yield(s, yield, around, strength > 0 ? &moist : NULL, leaning ? lean : NULL, NULL);
    for (int k = 0; k < 8; k++) {
        double slow[7], slow_lean[3];
        for (int c = 0; c < 7; c++)
            slow[c] = (double)before[c][k];
        for (int c = 0; c < 3; c++)
            slow_lean[c] = (double)lean[c][k];
        slow_to_yield(slow, (double)yield[k], (double)around[k], (double)strength, 0.8, slow_lean);
        for (int c = 0; c < 7; c++)
            check_near((double)s[c][k], slow[c], 2e-4);
    }
}

static void stresses_return_to_the_yield_surface(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++)
        return_to_yield(round, round % 2 == 1, round % 4 < 2 ? 0 : 40);
}

/* Sand that slides on its layers as fast as one likes presses them with what it leans by less, and
 * holds all of its yield stress in shear. */
static void steep_sand_leans_when_it_slides(void **state)
{
    (void)state;
    const float p = 50, tangent = 1.2f, by = rp_sph_lean(tangent), root = sqrtf(1.5f * by);
    rp_wide s[8] = {{0}}, none = rp_wide_broadcast(0);
    const rp_wide up[3] = {none, none, rp_wide_broadcast(root)};
    s[4] = rp_wide_broadcast(1e6f);
    s[6] = rp_wide_broadcast(p);
    rp_sph_to_yield(s, rp_wide_broadcast(sqrtf(2) * tangent), rp_wide_broadcast(p), NULL, up, NULL);
    check_near(by, 0.4f, 1e-6);
    check_near(s[2][0], -by * p, 1e-2);
    check_near(s[0][0], by * p / 2, 1e-2);
    check_near(s[1][0], by * p / 2, 1e-2);
    check_near(s[4][0], tangent * p, 1e-2);
    assert_true(rp_sph_lean(0.57f) == 0);
    assert_true(rp_sph_lean(5.67f) == RP_SPH_LEAN_MOST);
}

/* A grain of sand that flows, in SI units. */
#define P 800.0        /* Pa */
#define GRAIN 0.01     /* m */
#define DENSE 2650.0   /* kg/m3, of the grain */
#define SLOW 0.3819    /* friction at rest, and of the fastest flow */
#define FAST 0.6434    /* */
#define HALF_WAY 0.279 /* inertial number between them */

static rp_sph_inertia inertia_of(float step, float drag, float fabric)
{
    float pace = (float)(HALF_WAY / (GRAIN * sqrt(2 * DENSE)));
    return (rp_sph_inertia){.dynamic = rp_wide_broadcast((float)(sqrt(2) * FAST)),
                            .pace = rp_wide_broadcast(pace),
                            .step = rp_wide_broadcast(step),
                            .drag = rp_wide_broadcast(drag),
                            .fabric = rp_wide_broadcast(fabric)};
}

/* The shear stress that sand ends with which is sheared at a rate of `shear`, in any number of
 * steps of the solve. */
static double stress_in_flow(double shear, float step, float drag, float fabric)
{
    rp_wide s[8] = {{0}}, p = rp_wide_broadcast((float)P);
    const rp_sph_inertia inertia = inertia_of(step, drag, fabric);
    s[4] = rp_wide_broadcast((float)(-SLOW * P));
    s[6] = p;
    for (int n = 0; n < 4000; n++) {
        s[4] -= step * (float)(shear / 2);
        rp_sph_to_yield(s, rp_wide_broadcast((float)(sqrt(2) * SLOW)), p, NULL, NULL, &inertia);
    }
    for (int c = 0; c < 6; c++)
        if (c != 4) assert_true(s[c][5] == 0);
    return -(double)s[4][5];
}

/* mu(I) of Jop, Forterre and Pouliquen, whatever the steps of the solve. */
static void friction_grows_with_the_shear_rate(void **state)
{
    (void)state;
    static const double rates[] = {0.1, 1, 5, 15, 40, 200, 1e4};
    static const float steps[] = {5, 50, 500};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 3; k++) {
            double number = rates[i] * GRAIN / sqrt(P / DENSE);
            double mu = SLOW + (FAST - SLOW) / (HALF_WAY / number + 1);
            check_near(stress_in_flow(rates[i], steps[k], 0, 0), mu * P, 0.02);
        }
}

/* What viscosity and the fabric add is taken off, but never so much that less than friction at
 * rest is left. */
static void friction_of_flow_is_the_whole(void **state)
{
    (void)state;
    const double rate = 15, number = rate * GRAIN / sqrt(P / DENSE);
    double mu = SLOW + (FAST - SLOW) / (HALF_WAY / number + 1);
    const float drag = 0.5f, fabric = 0.02f;
    double viscous = 0.25 * rate, arranged = 0.02 / sqrt(2) * P; /* Pa, shear */
    check_near(stress_in_flow(rate, 50, drag, 0), mu * P - viscous, 0.05);
    check_near(stress_in_flow(rate, 50, 0, fabric), mu * P - arranged, 0.05);
    check_near(stress_in_flow(rate, 50, drag, fabric), mu * P - viscous - arranged, 0.05);
    check_near(stress_in_flow(rate, 50, 0, 0.9f), SLOW * P, 0.02);
    check_near(stress_in_flow(0.01, 50, drag, fabric), SLOW * P, 0.02);
}

/* Inside the yield surface nothing changes, and without growth it is Coulomb's friction. */
static void sand_at_rest_does_not_feel_the_rate(void **state)
{
    (void)state;
    rp_sph_inertia inertia = inertia_of(50, 0.5f, 0.02f);
    rp_wide yield = rp_wide_broadcast((float)(sqrt(2) * SLOW)), p = rp_wide_broadcast((float)P);
    rp_wide s[8] = {{0}}, none[8] = {{0}};
    s[4] = rp_wide_broadcast(0.99f * (float)(SLOW * P));
    s[6] = p;
    rp_sph_to_yield(s, yield, p, NULL, NULL, &inertia);
    assert_true(s[4][0] == 0.99f * (float)(SLOW * P));
    s[4] = rp_wide_broadcast(1e6f);
    inertia = (rp_sph_inertia){.dynamic = yield, .step = rp_wide_broadcast(50)};
    rp_sph_to_yield(s, yield, p, NULL, NULL, &inertia);
    check_near((double)s[4][0], SLOW * P, 1e-3);
    none[4] = rp_wide_broadcast(7);
    inertia = inertia_of(50, 0.5f, 0.02f);
    rp_sph_to_yield(none, yield, rp_wide_broadcast(0), NULL, NULL, &inertia);
    assert_true(none[4][0] == 0); /* nothing presses */
}

/* Grains that are squeezed together along one diagonal and drawn apart along the other carry shear
 * by their pressure. */
static void arrangement_adds_friction(void **state)
{
    (void)state;
    const rp_wide even = {0.9f, 0.9f, 0.9f, 0, 0, 0, 0, 0}, shear = {0, 0, 0, 0, -3, 0, 10, 5};
    rp_wide skew = even;
    skew[4] = -0.018f;
    assert_true(rp_sph_fabric(even, shear, 1) == 0);
    check_near(rp_sph_fabric(skew, shear, 1), 0.02f * sqrtf(2), 1e-6);
    check_near(rp_sph_fabric(skew, shear, 0.5f), 0.01f * sqrtf(2), 1e-6);
    check_near(rp_sph_fabric(skew, -1 * shear, 1), -0.02f * sqrtf(2), 1e-6);
    assert_true(rp_sph_fabric(skew, (rp_wide){0}, 1) == 0);
    assert_true(rp_sph_fabric((rp_wide){0}, shear, 1) == 0);
    assert_true(rp_sph_fabric(skew, shear, 1e9f) == 1);
    const rp_float4 up = {0, 0, 5, 0}, askew = {1, 0, 1, 0};
    check_near(rp_sph_moment(even, up), 0.9f, 1e-6);
    check_near(rp_sph_moment(skew, askew), 0.882f, 1e-6);
    assert_true(rp_sph_moment(even, (rp_float4){0}) == 1);
    assert_true(rp_sph_moment(2 * even, up) == 1);
    assert_true(rp_sph_moment((rp_wide){0}, up) == RP_SPH_LEAST_MOMENT);
}

/* On a rough floor the slip that is left agrees with the friction that it causes. */
static void floors_hold_by_the_slip(void **state)
{
    (void)state;
    static const float slips[] = {0.011f, 0.02f, 0.1f, 1, 50};
    const float push = 0.02f, slow = 0.4f, growth = 0.3f, pace = 0.05f, up[3] = {0, 0, 1};
    for (int i = 0; i < 5; i++) {
        float v[3] = {slips[i], 0, -push};
        rp_sph_keep_out(v, up, 0, slow, growth, pace);
        double friction = (double)slow + (double)growth * (double)v[0] / (double)(v[0] + pace);
        check_near((double)(slips[i] - v[0]), friction * (double)push, 1e-5);
        assert_true(v[2] == 0);
    }
    float held[3] = {0.0079f, 0, -push};
    rp_sph_keep_out(held, up, 0, slow, growth, pace);
    assert_true(held[0] == 0);
    assert_true(rp_sph_slip(1, 1, 0) == 0);
}

static void no_stress_stays_none(void **state)
{
    (void)state;
    rp_wide s[8] = {{0}};
    rp_sph_to_yield(s, rp_wide_broadcast(0.8f), rp_wide_broadcast(0), NULL, NULL, NULL);
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 8; k++)
            assert_true(s[c][k] == 0);
}

/* (G17): one grain whose pressure p meets a rate of dilation and may contract at `allowed`. */
static float pressed(float p, float dilation, float allowed)
{
    return rp_sph_press(rp_wide_broadcast(p), rp_wide_broadcast(2), rp_wide_broadcast(dilation),
                        rp_wide_broadcast(allowed))[5];
}

static void tension_resists_dilation_only(void **state)
{
    (void)state;
    assert_true(pressed(10, 1, 0) == 8); /* what dilates loses pressure, and is pulled then */
    assert_true(pressed(1, 1, 0) == -1);
    assert_true(pressed(10, 1, 3) == 2); /* there is room: pressure goes faster */
    assert_true(pressed(10, 1, 7) == 0); /* but the room is no tension */
    assert_true(pressed(-10, 1, 7) == -12);
    assert_true(pressed(-10, -1, 7) == -8); /* what contracts into the room loses tension */
    assert_true(pressed(-10, -7, 7) == 0);  /* and is not pressed before it has used it up */
    assert_true(pressed(-10, -13, 7) == 2);
    assert_true(pressed(-10, 0, -3) == -4); /* compressed sand dilates, pulled or not */
}

static void sand_that_dilates_tears(void **state)
{
    (void)state;
    const float slack = 0.01f;
    assert_true(rp_sph_strength(900, 0.02f, slack) == 900);
    assert_true(rp_sph_strength(900, -slack, slack) == 900);
    check_near(rp_sph_strength(900, -slack - RP_SPH_TEARS / 3, slack), 600, 1e-3);
    assert_true(rp_sph_strength(900, -0.7f, slack) == 0);
    assert_true(rp_sph_moist_grip(1.2f, 500, 0) == 1.2f);
    check_near(rp_sph_moist_grip(1.2f, 500, 500), 1.1, 1e-6);
    assert_true(rp_sph_moist_grip(1.2f, -500, 900) == 1);
    assert_true(rp_sph_moist_grip(0.6f, 500, 500) == 0.6f);
}

/* Sand pressed on its layers, which lie askew, and squeezed along them: what is across is told
 * whatever way the layers lie, and however long the vector across them is. */
static void friction_across_layers_is_told(void **state)
{
    (void)state;
    const double press = 100, squeeze = 160, p = (press + 2 * squeeze) / 3;
    for (uint64_t round = 0; round < 100; round++) {
        double n[3], square = 0;
        for (int k = 0; k < 3; k++) {
            n[k] = (double)rp_random_unit(rp_random(round, 3, (uint64_t)k).bits[0]) - 0.5;
            square += n[k] * n[k];
        }
        rp_wide mean = {0};
        const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int c = 0; c < 6; c++)
            mean[c] = (float)((press - squeeze) * n[row[c]] * n[column[c]] / square +
                              (row[c] == column[c] ? squeeze - p : 0));
        mean[6] = (float)p;
        rp_float4 along = {7 * (float)n[0], 7 * (float)n[1], 7 * (float)n[2], 0};
        check_near((double)rp_sph_across(mean, along), press / p - 1, 1e-4);
    }
    assert_true(rp_sph_across((rp_wide){1, 1, -2, 0, 0, 0, 0, 0}, (rp_float4){0, 0, 1, 0}) == 0);
    assert_true(rp_sph_across((rp_wide){1, 1, -2, 0, 0, 0, 1, 0}, (rp_float4){0}) == 0);
    assert_true(rp_sph_across((rp_wide){1, 1, -2, 0, 0, 0, 1, 0}, (rp_float4){0, 0, 3, 0}) == -1);
}

static void grip_goes_with_what_presses(void **state)
{
    (void)state;
    const float tangent = 0.8f, most = 1 + RP_SPH_SPARE * tangent * tangent;
    const rp_wide shear = {0, 0, 0, 0, 3, 0, 10, 3 * 1.41421356f}; /* all grains the same way */
    rp_wide mixed = shear, scattered = shear;
    mixed[7] /= 0.9f;
    scattered[7] *= 100;
    check_near(rp_sph_grip(shear, 0, tangent), most, 1e-6);
    check_near(rp_sph_grip(shear, 0.5f, tangent), most, 1e-6);
    check_near(rp_sph_grip(shear, -0.3f, tangent), most - 0.3f, 1e-6);
    check_near(rp_sph_grip(shear, -1, tangent), RP_SPH_LEAST_GRIP, 1e-6);
    check_near(rp_sph_grip(mixed, 0, tangent), most / 0.9f, 1e-5);
    check_near(rp_sph_grip(scattered, 0, tangent), most / RP_SPH_LEAST_ORDER, 1e-5);
    check_near(rp_sph_grip((rp_wide){0}, 0, tangent), most, 1e-6);
    const float steep = 1.2f, leant = 1 - RP_SPH_LEANS * rp_sph_lean(steep), spare = RP_SPH_SPARE;
    check_near(rp_sph_pressed(0, steep), leant + spare * steep * steep, 1e-6);
    check_near(rp_sph_pressed(-0.5f, steep), 0.5f + spare * steep * steep, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stresses_return_to_the_yield_surface),
        cmocka_unit_test(steep_sand_leans_when_it_slides),
        cmocka_unit_test(friction_grows_with_the_shear_rate),
        cmocka_unit_test(friction_of_flow_is_the_whole),
        cmocka_unit_test(sand_at_rest_does_not_feel_the_rate),
        cmocka_unit_test(arrangement_adds_friction),
        cmocka_unit_test(floors_hold_by_the_slip),
        cmocka_unit_test(no_stress_stays_none),
        cmocka_unit_test(tension_resists_dilation_only),
        cmocka_unit_test(sand_that_dilates_tears),
        cmocka_unit_test(friction_across_layers_is_told),
        cmocka_unit_test(grip_goes_with_what_presses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
