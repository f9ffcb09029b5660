/* The constitutive laws of one grain: the yield surface for eight grains at once, against one grain
 * in double precision; mu(I), cohesion, damping, Coulomb friction on solids. */
#include "check.h"

#include "base/random.h"
#include "solver/sph/constitutive.h"

#include <stdbool.h>

/* --- single functions --- */

static float signed_unit(uint64_t counter, int which)
{
    return 2 * rp_random_unit(rp_random(5, RP_RANDOM_TEST, counter).bits[which & 3]) - 1;
}

static rp_wide random_stress(uint64_t n, float pressure)
{
    return (rp_wide){signed_unit(n, 0),
                     signed_unit(n, 1),
                     signed_unit(n, 2),
                     signed_unit(n + 7777, 0),
                     signed_unit(n + 7777, 1),
                     signed_unit(n + 7777, 2),
                     pressure,
                     0};
}

/* One grain in all eight lanes; returns the fourth. */
static rp_wide yielded(rp_wide s, float yield, float mean_pressure)
{
    rp_wide eight[8], out;
    for (int c = 0; c < 8; c++)
        eight[c] = rp_wide_broadcast(s[c]);
    rp_sph_return_to_yield(eight, rp_wide_broadcast(yield), rp_wide_broadcast(mean_pressure), NULL,
                           NULL, NULL);
    for (int c = 0; c < 8; c++)
        out[c] = eight[c][3];
    return out;
}

static void yield_keeps_direction_and_limit(void **state)
{
    (void)state;
    int cut = 0;
    for (uint64_t n = 0; n < 1000; n++) {
        rp_wide s = random_stress(n, signed_unit(n, 3));
        float mean_pressure = 4 * fabsf(signed_unit(n + 5000, 3)), yield = 0.8f;
        rp_wide t = yielded(s, yield, mean_pressure);
        float p = fmaxf(s[6], 0),
              most = yield * (p + RP_SPH_MEAN_PRESSURE_SHARE * (mean_pressure - p));
        assert_true(t[6] == p); /* no tension, else untouched */
        double norm = sqrt((double)rp_sph_norm2(s)), now = sqrt((double)rp_sph_norm2(t));
        assert_true(now <= (double)most * (1 + 1e-6) || now == norm);
        check_near(now, fmin(norm, (double)most), 1e-6);
        for (int k = 0; k < 6; k++)
            check_near((double)t[k] * norm, (double)s[k] * now, 1e-6);
        cut += norm > (double)most;
    }
    assert_true(cut > 100 && cut < 1000);
    rp_wide none = yielded((rp_wide){1, 2, 3, 4, 5, 6, -1, 0}, 1, 0);
    for (int k = 0; k < 7; k++)
        assert_true(none[k] == 0);
}

static void norms_count_both_halves(void **state)
{
    (void)state;
    check_near(rp_sph_norm2((rp_wide){1, 2, 3, 4, 5, 6, 7, 8}), 1 + 4 + 9 + 2 * (16 + 25 + 36),
               1e-4);
}

static void clamping_removes_the_trace(void **state)
{
    (void)state;
    rp_wide t = rp_sph_clamp_components((rp_wide){4, 1, 1, 0.5f, -3, 0, 10, 9}, 1.5f);
    const float expected[8] = {1.5f, -1, -1, 0.5f, -1.5f, 0, 10, 0};
    for (int k = 0; k < 8; k++)
        check_near(t[k], expected[k], 1e-6);
}

static void solids_follow_coulomb(void **state)
{
    (void)state;
    const float up[3] = {0, 0, 1};
    float v[3] = {3, 4, -2};
    rp_sph_wall_impulse(v, up, 0, 0.5f, 0, 0); /* loses 0.5 * 2 of 5 */
    check_near(v[0], 3 * 0.8, 1e-6);
    check_near(v[1], 4 * 0.8, 1e-6);
    check_near(v[2], 0, 1e-6);
    float slow[3] = {0.3f, 0, -2};
    rp_sph_wall_impulse(slow, up, 0, 0.5f, 0, 0); /* stops, never reverses */
    assert_true(slow[0] == 0 && slow[1] == 0 && slow[2] == 0);
    float near[3] = {1, 0, -2};
    rp_sph_wall_impulse(near, up, 1.5f, 0.5f, 0,
                        0); /* may approach by 1.5; only the impulse causes friction */
    check_near(near[2], -1.5, 1e-6);
    check_near(near[0], 1 - 0.5 * 0.5, 1e-6);
    float leaving[3] = {1, 2, 3}, slower[3] = {1, 0, -1};
    rp_sph_wall_impulse(leaving, up, 0, 1, 0, 0);
    rp_sph_wall_impulse(slower, up, 1.5f, 1, 0, 0);
    assert_true(leaving[0] == 1 && leaving[1] == 2 && leaving[2] == 3);
    assert_true(slower[0] == 1 && slower[2] == -1);
}

/* The speed in m/s that a pair loses in a step of a difference of `speed`. */
static double lost(float flow, float speed, float slip_limit)
{
    rp_wide v[3] = {rp_wide_broadcast(0.6f * speed), rp_wide_broadcast(0),
                    rp_wide_broadcast(-0.8f * speed)};
    return (double)(rp_sph_damping(rp_wide_broadcast(flow), v, slip_limit)[5] * speed);
}

static void damping_is_bounded_like_friction(void **state)
{
    (void)state;
    const float slip_limit = 0.02f, held = RP_SPH_BELOW_YIELD + 0.05f;
    check_near(lost(held, 0.001f, slip_limit), 0.5 * 0.001, 1e-8);
    check_near(lost(held, slip_limit, slip_limit), 0.5 * (double)slip_limit, 1e-8);
    check_near(lost(held, 0.1f, slip_limit), 0.5 * (double)slip_limit,
               1e-8);                                                /* no more than that ... */
    check_near(lost(held, 10, slip_limit), 0.05 * 10, 1e-5);         /* ... but for viscosity */
    check_near(lost(0.05f, 0.001f, slip_limit), 0.05 * 0.001, 1e-9); /* sand that yields */
    check_near(lost(0.05f, 10, slip_limit), 0.05 * 10, 1e-6);
    assert_true(lost(held, 0, slip_limit) == 0);
}

/* --- eight grains against one --- */

static void slow_to_yield(double s[7], double yield, double mean_pressure, double strength,
                          double cosine, const double axis[3])
{
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double norm2 = 0, p = s[6] > -strength ? s[6] : -strength, centre[6];
    double limit =
        fmax(p + (double)RP_SPH_MEAN_PRESSURE_SHARE * (mean_pressure - p) + cosine * strength, 0);
    double most = yield * limit;
    double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    for (int c = 0; c < 6; c++) {
        centre[c] = limit * ((c < 3 ? square / 3 : 0) - axis[row[c]] * axis[column[c]]);
        norm2 += (c < 3 ? 1 : 2) * (s[c] - centre[c]) * (s[c] - centre[c]);
    }
    double factor = norm2 > most * most ? most / sqrt(norm2) : 1;
    for (int c = 0; c < 6; c++)
        s[c] = centre[c] + factor * (s[c] - centre[c]);
    s[6] = p;
}

static void return_to_yield(uint64_t round, bool shifted, float strength)
{
    rp_wide s[8], before[8], yield, mean_pressure, axis[3];
    for (uint32_t c = 0; c < 8; c++)
        for (uint32_t k = 0; k < 8; k++)
            s[c][k] = (float)(200 * rp_random_unit(rp_random(round, c, k).bits[0]) - 100);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t k = 0; k < 8; k++)
            axis[c][k] = shifted ? (float)(rp_random_unit(rp_random(round, c, k).bits[1])) : 0;
    for (int k = 0; k < 8; k++)
        yield[k] = 0.3f * (float)k, mean_pressure[k] = 10 * (float)(k * k);
    memcpy(before, s, sizeof s);
    const rp_sph_cohesion cohesion = {rp_wide_broadcast(strength), rp_wide_broadcast(0.8f)};
    rp_sph_return_to_yield(s, yield, mean_pressure, strength > 0 ? &cohesion : NULL,
                           shifted ? axis : NULL, NULL);
    for (int k = 0; k < 8; k++) {
        double slow[7], slow_axis[3];
        for (int c = 0; c < 7; c++)
            slow[c] = (double)before[c][k];
        for (int c = 0; c < 3; c++)
            slow_axis[c] = (double)axis[c][k];
        slow_to_yield(slow, (double)yield[k], (double)mean_pressure[k], (double)strength, 0.8,
                      slow_axis);
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

/* Steep sand that slides on its layers, however fast: the normal stress across them is below the
 * pressure by the back stress, and the whole yield stress is shear. */
static void back_stress_lowers_layer_pressure(void **state)
{
    (void)state;
    const float p = 50, tangent = 1.2f, by = rp_sph_back_stress_ratio(tangent),
                root = sqrtf(1.5f * by);
    rp_wide s[8] = {{0}}, none = rp_wide_broadcast(0);
    const rp_wide up[3] = {none, none, rp_wide_broadcast(root)};
    s[4] = rp_wide_broadcast(1e6f);
    s[6] = rp_wide_broadcast(p);
    rp_sph_return_to_yield(s, rp_wide_broadcast(sqrtf(2) * tangent), rp_wide_broadcast(p), NULL, up,
                           NULL);
    check_near(by, 0.4f, 1e-6);
    check_near(s[2][0], -by * p, 1e-2);
    check_near(s[0][0], by * p / 2, 1e-2);
    check_near(s[1][0], by * p / 2, 1e-2);
    check_near(s[4][0], tangent * p, 1e-2);
    assert_true(rp_sph_back_stress_ratio(0.57f) == 0);
    assert_true(rp_sph_back_stress_ratio(5.67f) == RP_SPH_BACK_STRESS_MAX);
}

/* Sand that flows, in SI units. */
#define P 800.0        /* Pa */
#define GRAIN 0.01     /* m */
#define DENSE 2650.0   /* kg/m3, of the grain */
#define SLOW 0.3819    /* friction at rest, and of the fastest flow */
#define FAST 0.6434    /* */
#define HALF_WAY 0.279 /* inertial number between them */

static rp_sph_rate_law rate_law_of(float step, float drag, float fabric)
{
    float rate_scale = (float)(HALF_WAY / (GRAIN * sqrt(2 * DENSE)));
    return (rp_sph_rate_law){.dynamic_yield = rp_wide_broadcast((float)(sqrt(2) * FAST)),
                             .rate_scale = rp_wide_broadcast(rate_scale),
                             .step = rp_wide_broadcast(step),
                             .drag = rp_wide_broadcast(drag),
                             .fabric = rp_wide_broadcast(fabric)};
}

/* The stationary shear stress of sand that is sheared at the rate `shear`, after many steps of the
 * solve. */
static double stress_in_flow(double shear, float step, float drag, float fabric)
{
    rp_wide s[8] = {{0}}, p = rp_wide_broadcast((float)P);
    const rp_sph_rate_law law = rate_law_of(step, drag, fabric);
    s[4] = rp_wide_broadcast((float)(-SLOW * P));
    s[6] = p;
    for (int n = 0; n < 4000; n++) {
        s[4] -= step * (float)(shear / 2);
        rp_sph_return_to_yield(s, rp_wide_broadcast((float)(sqrt(2) * SLOW)), p, NULL, NULL, &law);
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

/* The shares of viscosity and fabric are subtracted, but friction never falls below that at rest.
 */
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

/* Inside the yield surface nothing changes, and without growth friction is Coulomb's. */
static void sand_at_rest_does_not_feel_the_rate(void **state)
{
    (void)state;
    rp_sph_rate_law law = rate_law_of(50, 0.5f, 0.02f);
    rp_wide yield = rp_wide_broadcast((float)(sqrt(2) * SLOW)), p = rp_wide_broadcast((float)P);
    rp_wide s[8] = {{0}}, none[8] = {{0}};
    s[4] = rp_wide_broadcast(0.99f * (float)(SLOW * P));
    s[6] = p;
    rp_sph_return_to_yield(s, yield, p, NULL, NULL, &law);
    assert_true(s[4][0] == 0.99f * (float)(SLOW * P));
    s[4] = rp_wide_broadcast(1e6f);
    law = (rp_sph_rate_law){.dynamic_yield = yield, .step = rp_wide_broadcast(50)};
    rp_sph_return_to_yield(s, yield, p, NULL, NULL, &law);
    check_near((double)s[4][0], SLOW * P, 1e-3);
    none[4] = rp_wide_broadcast(7);
    law = rate_law_of(50, 0.5f, 0.02f);
    rp_sph_return_to_yield(none, yield, rp_wide_broadcast(0), NULL, NULL, &law);
    assert_true(none[4][0] == 0); /* no pressure */
}

/* Grains that are closer along one diagonal than along the other carry shear by their pressure. */
static void fabric_adds_friction(void **state)
{
    (void)state;
    const rp_wide even = {0.9f, 0.9f, 0.9f, 0, 0, 0, 0, 0}, shear = {0, 0, 0, 0, -3, 0, 10, 5};
    rp_wide skew = even;
    skew[4] = -0.018f;
    assert_true(rp_sph_fabric_friction(even, shear, 1) == 0);
    check_near(rp_sph_fabric_friction(skew, shear, 1), 0.02f * sqrtf(2), 1e-6);
    check_near(rp_sph_fabric_friction(skew, shear, 0.5f), 0.01f * sqrtf(2), 1e-6);
    check_near(rp_sph_fabric_friction(skew, -1 * shear, 1), -0.02f * sqrtf(2), 1e-6);
    assert_true(rp_sph_fabric_friction(skew, (rp_wide){0}, 1) == 0);
    assert_true(rp_sph_fabric_friction((rp_wide){0}, shear, 1) == 0);
    assert_true(rp_sph_fabric_friction(skew, shear, 1e9f) == 1);
    const rp_float4 up = {0, 0, 5, 0}, askew = {1, 0, 1, 0};
    check_near(rp_sph_moment_along(even, up), 0.9f, 1e-6);
    check_near(rp_sph_moment_along(skew, askew), 0.882f, 1e-6);
    assert_true(rp_sph_moment_along(even, (rp_float4){0}) == 1);
    assert_true(rp_sph_moment_along(2 * even, up) == 1);
    assert_true(rp_sph_moment_along((rp_wide){0}, up) == RP_SPH_MIN_MOMENT);
}

/* On a rough floor the remaining slip agrees with the friction that it causes. */
static void floors_hold_by_the_slip(void **state)
{
    (void)state;
    static const float slips[] = {0.011f, 0.02f, 0.1f, 1, 50};
    const float push = 0.02f, slow = 0.4f, growth = 0.3f, scale = 0.05f, up[3] = {0, 0, 1};
    for (int i = 0; i < 5; i++) {
        float v[3] = {slips[i], 0, -push};
        rp_sph_wall_impulse(v, up, 0, slow, growth, scale);
        double friction = (double)slow + (double)growth * (double)v[0] / (double)(v[0] + scale);
        check_near((double)(slips[i] - v[0]), friction * (double)push, 1e-5);
        assert_true(v[2] == 0);
    }
    float held[3] = {0.0079f, 0, -push};
    rp_sph_wall_impulse(held, up, 0, slow, growth, scale);
    assert_true(held[0] == 0);
    assert_true(rp_sph_sliding_speed(1, 1, 0) == 0);
}

static void no_stress_stays_none(void **state)
{
    (void)state;
    rp_wide s[8] = {{0}};
    rp_sph_return_to_yield(s, rp_wide_broadcast(0.8f), rp_wide_broadcast(0), NULL, NULL, NULL);
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 8; k++)
            assert_true(s[c][k] == 0);
}

/* (G17): the new pressure of one grain of pressure p that dilates and may contract at `allowed`. */
static float stepped(float p, float dilation, float allowed)
{
    return rp_sph_pressure_step(rp_wide_broadcast(p), rp_wide_broadcast(2),
                                rp_wide_broadcast(dilation), rp_wide_broadcast(allowed))[5];
}

static void tension_resists_dilation_only(void **state)
{
    (void)state;
    assert_true(stepped(10, 1, 0) == 8); /* dilation lowers pressure, down to tension */
    assert_true(stepped(1, 1, 0) == -1);
    assert_true(stepped(10, 1, 3) == 2); /* sand that may contract loses pressure faster */
    assert_true(stepped(10, 1, 7) == 0); /* but that alone gives no tension */
    assert_true(stepped(-10, 1, 7) == -12);
    assert_true(stepped(-10, -1, 7) == -8); /* contraction lowers tension */
    assert_true(stepped(-10, -7, 7) == 0);  /* and gives no pressure below the allowed rate */
    assert_true(stepped(-10, -13, 7) == 2);
    assert_true(stepped(-10, 0, -3) == -4); /* compressed sand must dilate, under tension or not */
}

static void sand_that_dilates_tears(void **state)
{
    (void)state;
    const float slack = 0.01f;
    assert_true(rp_sph_tensile_strength(900, 0.02f, slack) == 900);
    assert_true(rp_sph_tensile_strength(900, -slack, slack) == 900);
    check_near(rp_sph_tensile_strength(900, -slack - RP_SPH_TEAR_DILATION / 3, slack), 600, 1e-3);
    assert_true(rp_sph_tensile_strength(900, -0.7f, slack) == 0);
    assert_true(rp_sph_cohesive_yield_scale(1.2f, 500, 0) == 1.2f);
    check_near(rp_sph_cohesive_yield_scale(1.2f, 500, 500), 1.1, 1e-6);
    assert_true(rp_sph_cohesive_yield_scale(1.2f, -500, 900) == 1);
    assert_true(rp_sph_cohesive_yield_scale(0.6f, 500, 500) == 0.6f);
}

/* Inclined layers under one normal stress across and another along them: the ratio is found
 * whatever their inclination, and however long the layer normal is. */
static void layer_stress_ratio_is_found(void **state)
{
    (void)state;
    const double across = 100, sideways = 160, p = (across + 2 * sideways) / 3;
    for (uint64_t round = 0; round < 100; round++) {
        double n[3], square = 0;
        for (int k = 0; k < 3; k++) {
            n[k] = (double)rp_random_unit(rp_random(round, 3, (uint64_t)k).bits[0]) - 0.5;
            square += n[k] * n[k];
        }
        rp_wide mean = {0};
        const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int c = 0; c < 6; c++)
            mean[c] = (float)((across - sideways) * n[row[c]] * n[column[c]] / square +
                              (row[c] == column[c] ? sideways - p : 0));
        mean[6] = (float)p;
        rp_float4 along = {7 * (float)n[0], 7 * (float)n[1], 7 * (float)n[2], 0};
        check_near((double)rp_sph_layer_stress_ratio(mean, along), across / p - 1, 1e-4);
    }
    assert_true(rp_sph_layer_stress_ratio((rp_wide){1, 1, -2, 0, 0, 0, 0, 0},
                                          (rp_float4){0, 0, 1, 0}) == 0);
    assert_true(rp_sph_layer_stress_ratio((rp_wide){1, 1, -2, 0, 0, 0, 1, 0}, (rp_float4){0}) == 0);
    assert_true(rp_sph_layer_stress_ratio((rp_wide){1, 1, -2, 0, 0, 0, 1, 0},
                                          (rp_float4){0, 0, 3, 0}) == -1);
}

static void yield_scale_follows_layer_pressure(void **state)
{
    (void)state;
    const float tangent = 0.8f, most = 1 + RP_SPH_NOISE_ALLOWANCE * tangent * tangent;
    const rp_wide shear = {0, 0, 0, 0, 3, 0, 10, 3 * 1.41421356f}; /* all grains aligned */
    rp_wide mixed = shear, scattered = shear;
    mixed[7] /= 0.9f;
    scattered[7] *= 100;
    check_near(rp_sph_yield_scale(shear, 0, tangent), most, 1e-6);
    check_near(rp_sph_yield_scale(shear, 0.5f, tangent), most, 1e-6);
    check_near(rp_sph_yield_scale(shear, -0.3f, tangent), most - 0.3f, 1e-6);
    check_near(rp_sph_yield_scale(shear, -1, tangent), RP_SPH_MIN_YIELD_SCALE, 1e-6);
    check_near(rp_sph_yield_scale(mixed, 0, tangent), most / 0.9f, 1e-5);
    check_near(rp_sph_yield_scale(scattered, 0, tangent), most / RP_SPH_MIN_ALIGNMENT, 1e-5);
    check_near(rp_sph_yield_scale((rp_wide){0}, 0, tangent), most, 1e-6);
    const float steep = 1.2f,
                lowered = 1 - RP_SPH_BACK_STRESS_LOSS * rp_sph_back_stress_ratio(steep),
                spare = RP_SPH_NOISE_ALLOWANCE;
    check_near(rp_sph_layer_pressure_ratio(0, steep), lowered + spare * steep * steep, 1e-6);
    check_near(rp_sph_layer_pressure_ratio(-0.5f, steep), 0.5f + spare * steep * steep, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_count_both_halves),
        cmocka_unit_test(yield_keeps_direction_and_limit),
        cmocka_unit_test(clamping_removes_the_trace),
        cmocka_unit_test(solids_follow_coulomb),
        cmocka_unit_test(damping_is_bounded_like_friction),
        cmocka_unit_test(stresses_return_to_the_yield_surface),
        cmocka_unit_test(back_stress_lowers_layer_pressure),
        cmocka_unit_test(friction_grows_with_the_shear_rate),
        cmocka_unit_test(friction_of_flow_is_the_whole),
        cmocka_unit_test(sand_at_rest_does_not_feel_the_rate),
        cmocka_unit_test(fabric_adds_friction),
        cmocka_unit_test(floors_hold_by_the_slip),
        cmocka_unit_test(no_stress_stays_none),
        cmocka_unit_test(tension_resists_dilation_only),
        cmocka_unit_test(sand_that_dilates_tears),
        cmocka_unit_test(layer_stress_ratio_is_found),
        cmocka_unit_test(yield_scale_follows_layer_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
