/* The yield surface for eight grains at once, against one grain in double precision. */
#include "check.h"

#include "base/random.h"
#include "solver/sph/stress.h"

static void slow_to_yield(double s[7], double yield, double around)
{
    double norm2 = 0, p = s[6] > 0 ? s[6] : 0;
    for (int c = 0; c < 6; c++)
        norm2 += (c < 3 ? 1 : 2) * s[c] * s[c];
    double most = yield * (p + (double)RP_SPH_SHARED * (around - p));
    for (int c = 0; c < 6; c++)
        s[c] *= norm2 > most * most ? most / sqrt(norm2) : 1;
    s[6] = p;
}

static void stresses_return_to_the_yield_surface(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 100; round++) {
        rp_wide s[8], before[8], yield, around;
        for (uint32_t c = 0; c < 8; c++)
            for (uint32_t k = 0; k < 8; k++)
                s[c][k] = (float)(200 * rp_random_unit(rp_random(round, c, k).bits[0]) - 100);
        for (int k = 0; k < 8; k++)
            yield[k] = 0.3f * (float)k, around[k] = 10 * (float)(k * k);
        memcpy(before, s, sizeof s);
        rp_sph_to_yield(s, yield, around);
        for (int k = 0; k < 8; k++) {
            double slow[7];
            for (int c = 0; c < 7; c++)
                slow[c] = (double)before[c][k];
            slow_to_yield(slow, (double)yield[k], (double)around[k]);
            for (int c = 0; c < 7; c++)
                check_near((double)s[c][k], slow[c], 1e-4);
        }
    }
}

static void no_stress_stays_none(void **state)
{
    (void)state;
    rp_wide s[8] = {{0}};
    rp_sph_to_yield(s, rp_wide_all(0.8f), rp_wide_all(0));
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 8; k++)
            assert_true(s[c][k] == 0);
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stresses_return_to_the_yield_surface),
        cmocka_unit_test(no_stress_stays_none),
        cmocka_unit_test(friction_across_layers_is_told),
        cmocka_unit_test(grip_goes_with_what_presses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
