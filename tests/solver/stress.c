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
    rp_sph_to_yield(s, yield, around, rp_wide_all(strength), rp_wide_all(0.8f),
                    leaning ? lean : NULL);
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
    rp_wide s[8] = {{0}}, none = rp_wide_all(0);
    const rp_wide up[3] = {none, none, rp_wide_all(root)};
    s[4] = rp_wide_all(1e6f);
    s[6] = rp_wide_all(p);
    rp_sph_to_yield(s, rp_wide_all(sqrtf(2) * tangent), rp_wide_all(p), none, none, up);
    check_near(by, 0.4f, 1e-6);
    check_near(s[2][0], -by * p, 1e-2);
    check_near(s[0][0], by * p / 2, 1e-2);
    check_near(s[1][0], by * p / 2, 1e-2);
    check_near(s[4][0], tangent * p, 1e-2);
    assert_true(rp_sph_lean(0.57f) == 0);
    assert_true(rp_sph_lean(5.67f) == RP_SPH_LEAN_MOST);
}

static void no_stress_stays_none(void **state)
{
    (void)state;
    rp_wide s[8] = {{0}};
    rp_sph_to_yield(s, rp_wide_all(0.8f), rp_wide_all(0), rp_wide_all(0), rp_wide_all(1), NULL);
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 8; k++)
            assert_true(s[c][k] == 0);
}

/* (G17): one grain whose pressure p meets a rate of dilation and may contract at `allowed`. */
static float pressed(float p, float dilation, float allowed)
{
    return rp_sph_press(rp_wide_all(p), rp_wide_all(2), rp_wide_all(dilation),
                        rp_wide_all(allowed))[5];
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
        rp_four along = {7 * (float)n[0], 7 * (float)n[1], 7 * (float)n[2], 0};
        check_near((double)rp_sph_across(mean, along), press / p - 1, 1e-4);
    }
    assert_true(rp_sph_across((rp_wide){1, 1, -2, 0, 0, 0, 0, 0}, (rp_four){0, 0, 1, 0}) == 0);
    assert_true(rp_sph_across((rp_wide){1, 1, -2, 0, 0, 0, 1, 0}, (rp_four){0}) == 0);
    assert_true(rp_sph_across((rp_wide){1, 1, -2, 0, 0, 0, 1, 0}, (rp_four){0, 0, 3, 0}) == -1);
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
        cmocka_unit_test(no_stress_stays_none),
        cmocka_unit_test(tension_resists_dilation_only),
        cmocka_unit_test(sand_that_dilates_tears),
        cmocka_unit_test(friction_across_layers_is_told),
        cmocka_unit_test(grip_goes_with_what_presses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
