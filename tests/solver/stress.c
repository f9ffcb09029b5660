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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stresses_return_to_the_yield_surface),
        cmocka_unit_test(no_stress_stays_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
