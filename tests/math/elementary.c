/* Sine, cosine and arctangent against the C library's long doubles, and to the bit; exponential,
 * logarithm and roots against the C library's, and at the ends of their ranges. */
#include "check.h"

#include "base/random.h"
#include "math/elementary.h"
#include "math/vec.h"

#include <float.h>

#define SINE_ERROR 1.0e-16  /* largest seen: 0.9e-16; half a unit in the last place is 0.56e-16 */
#define ARCTANGENT_ULPS 1.6 /* largest seen: 1.43 */

/* Even in [0, 1), with all bits of a double. */
static double unit(uint64_t counter)
{
    rp_random4 r = rp_random(11, RP_RANDOM_TEST, counter);
    return ((double)(r.bits[0] >> 5) * 67108864.0 + (double)(r.bits[1] >> 6)) / 9007199254740992.0;
}

static double ulp(double value)
{
    return nextafter(fabs(value), INFINITY) - fabs(value);
}

static void check_sine(double x)
{
    check_near((double)(rp_sin(x) - sinl(x)), 0, SINE_ERROR);
    check_near((double)(rp_cos(x) - cosl(x)), 0, SINE_ERROR);
    /* Near its zeros a sine keeps all its digits. */
    check_near((double)(rp_sin(x) - sinl(x)), 0, ulp((double)sinl(x)));
    check_near((double)(rp_cos(x) - cosl(x)), 0, ulp((double)cosl(x)));
    assert_true(rp_sin(-x) == -rp_sin(x));
    assert_true(rp_cos(-x) == rp_cos(x));
}

static void sines_are_near_everywhere(void **state)
{
    (void)state;
    const double limits[] = {1e-300, 1e-9, 1e-3, 0.8, 7, 100, 1e4, RP_TRIG_LIMIT};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        for (uint64_t i = 0; i < 40000; i++)
            check_sine(limits[l] * unit(i));
    for (double x = DBL_MIN; x < RP_TRIG_LIMIT; x *= 1.37)
        check_sine(x);
}

/* Multiples of pi/4, where the ranges of the polynomials meet and where digits cancel. */
static void sines_are_near_at_the_edges_of_octants(void **state)
{
    (void)state;
    for (int k = 1; k < 1 << 21; k += k < 5000 ? 1 : 97) {
        double x = k * (RP_PI / 4);
        check_sine(nextafter(x, 0));
        check_sine(x);
        check_sine(nextafter(x, INFINITY));
    }
}

/* Beyond the limit: as of an argument half a unit off, and never outside [-1, 1]. */
static void sines_of_huge_angles_degrade_gently(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        double x = RP_TRIG_LIMIT * (1 + 1e6 * unit(i));
        check_near((double)(rp_sin(x) - sinl(x)), 0, 0.51 * ulp(x) + SINE_ERROR);
        check_near((double)(rp_cos(x) - cosl(x)), 0, 0.51 * ulp(x) + SINE_ERROR);
    }
    for (double x = RP_TRIG_LIMIT; x < DBL_MAX / 8; x *= 7.3) {
        double sine = rp_sin(x), cosine = rp_cos(x);
        check_near(sine * sine + cosine * cosine, 1, 4e-16);
    }
    assert_true(fabs(rp_sin(DBL_MAX)) <= 1 && fabs(rp_cos(DBL_MAX)) <= 1);
}

static void sines_of_special_values(void **state)
{
    (void)state;
    assert_true(rp_sin(0.0) == 0 && !signbit(rp_sin(0.0)));
    assert_true(rp_sin(-0.0) == 0 && signbit(rp_sin(-0.0)));
    assert_true(rp_cos(0.0) == 1 && rp_cos(-0.0) == 1);
    assert_true(rp_sin(DBL_TRUE_MIN) == DBL_TRUE_MIN && rp_cos(DBL_TRUE_MIN) == 1);
    const double none[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; i++)
        assert_true(isnan(rp_sin(none[i])) && isnan(rp_cos(none[i])));
}

static void check_arctangent(double y, double x)
{
    long double exact = atan2l(y, x);
    check_near((double)((rp_atan2(y, x) - exact) / ulp((double)exact)), 0, ARCTANGENT_ULPS);
}

static void check_quadrants(double y, double x)
{
    check_arctangent(y, x);
    check_arctangent(y, -x);
    check_arctangent(-y, x);
    check_arctangent(-y, -x);
}

static void arctangents_are_near_everywhere(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++)
        check_quadrants(unit(2 * i), unit(2 * i + 1));
    for (uint64_t i = 0; i < 200000; i++) { /* from the smallest to the largest numbers */
        int up = (int)(2098 * unit(4 * i)) - 1074, right = (int)(2098 * unit(4 * i + 1)) - 1074;
        if (i % 2) right = up + (int)(80 * unit(4 * i + 1)) - 40;
        double y = ldexp(unit(4 * i + 2), up),
               x = ldexp(unit(4 * i + 3), right < 1024 ? right : 1024);
        if (y > 0 && x > 0) check_quadrants(y, x);
    }
}

/* Slopes where the series changes its starting angle. */
static void arctangents_are_near_at_the_edges_of_ranges(void **state)
{
    (void)state;
    const double slopes[] = {0.125, 0.25, 0.375, 0.5, 0.71, 1};
    for (int s = 0; s < 6; s++)
        for (uint64_t i = 0; i < 5000; i++) {
            double x = 0.5 + unit(i), y = x * slopes[s];
            for (int step = 0; step < 3; step++, y = nextafter(y, step == 1 ? 0 : INFINITY)) {
                check_quadrants(y, x);
                check_quadrants(x, y);
            }
        }
}

static void check_same(double a, double b)
{
    if (a == b && signbit(a) == signbit(b)) return;
    print_error("%a is not %a\n", a, b);
    fail();
}

/* C99, annex F.9.1.4, for both signs of y. */
static void arctangents_of_special_values(void **state)
{
    (void)state;
    const double pi = RP_PI;
    const double cases[][3] = {
        {0, 0, 0},
        {0, -0.0, pi},
        {0, 1, 0},
        {0, -1, pi},
        {1, 0, pi / 2},
        {1, -0.0, pi / 2},
        {1, INFINITY, 0},
        {1, -INFINITY, pi},
        {INFINITY, 1, pi / 2},
        {INFINITY, -1, pi / 2},
        {INFINITY, INFINITY, pi / 4},
        {INFINITY, -INFINITY, 3 * (pi / 4)},
        {0, INFINITY, 0},
        {0, -INFINITY, pi},
        {INFINITY, 0, pi / 2},
        {1, 1, pi / 4},
        {1, -1, 3 * (pi / 4)},
        {DBL_MAX, DBL_MAX, pi / 4},
        {DBL_TRUE_MIN, DBL_TRUE_MIN, pi / 4},
        {DBL_TRUE_MIN, DBL_MAX, 0},
        {DBL_MAX, DBL_TRUE_MIN, pi / 2},
        {DBL_TRUE_MIN, 1, DBL_TRUE_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_same(rp_atan2(cases[i][0], cases[i][1]), cases[i][2]);
        check_same(rp_atan2(-cases[i][0], cases[i][1]), -cases[i][2]);
    }
    assert_true(isnan(rp_atan2(NAN, 1)) && isnan(rp_atan2(1, NAN)) &&
                isnan(rp_atan2(NAN, INFINITY)));
}

/* Values of this code itself, right to the last bit or one beside it, and a hash of many more: a
 * compiler that contracts or reorders, or a machine that rounds otherwise, fails here. */
static void bits_are_the_same_on_every_machine(void **state)
{
    (void)state;
    static const double turns[][3] = {
        {0.1, 0x1.98eaecb8bcb2cp-4, 0x1.fd712f9a817c1p-1},
        {0.5, 0x1.eaee8744b05fp-2, 0x1.c1528065b7d5p-1},
        {0x1.921fb54442d18p-1, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1},
        {1.12, 0x1.ccd9f71486c5ep-1, 0x1.be238a08cc8cbp-2},
        {0x1.921fb54442d18p+0, 0x1p+0, 0x1.1a62633145c07p-54},
        {2, 0x1.d18f6ead1b446p-1, -0x1.aa22657537205p-2},
        {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1p+0},
        {-37, 0x1.497dd488fe90fp-1, 0x1.87e459c20218bp-1},
        {105.89, -0x1.98a1bfd1704f8p-1, 0x1.347c9656463a3p-1},
        {188.91, 0x1.9c57a735011cfp-2, 0x1.d4a7a91090b13p-1},
        {12345.678, -0x1.687d5890974a5p-1, 0x1.6b94c3bbe24b8p-1},
        {1e6, -0x1.6664b2568d867p-2, 0x1.df9df9906d32cp-1},
        {1e15, 0x1.acdc9d98955b6p-1, -0x1.17ae632747596p-1},
        {1e300, -0x1.52ec076f6d64p-1, 0x1.7fc3f18dc25f2p-1},
    };
    static const double points[][3] = {
        {1, 2, 0x1.dac670561bb4fp-2},       {0.1, 3, 0x1.10f7317226afdp-5},
        {3, 0.7, 0x1.5770c39ba330ap+0},     {2, -1, 0x1.0468a8ace4df6p+1},
        {-0.3, -0.4, -0x1.3fc176b7a856p+1}, {-5, 4, -0x1.cac7c57846f9ep-1},
        {1e-3, 1, 0x1.0624d77516e16p-10},   {0.2, 0.8, 0x1.f5b75f92c80ddp-3},
        {7, -1e4, 0x1.9208c53df3f3cp+1},    {1e300, 1e299, 0x1.789bd2c160054p+0},
        {5, 7, 0x1.3d91573350661p-1},       {1e-310, 3e-310, 0x1.4978fa3269ee1p-2},
    };
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        check_same(rp_sin(turns[i][0]), turns[i][1]);
        check_same(rp_cos(turns[i][0]), turns[i][2]);
    }
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        check_same(rp_atan2(points[i][0], points[i][1]), points[i][2]);
    uint64_t hash = 0;
    for (int i = 1; i < 100000; i++) {
        double x = i / 256.0, values[3] = {rp_sin(x), rp_cos(x), rp_atan2(x, 100)};
        hash = rp_hash(values, sizeof values, hash);
    }
    assert_int_equal(hash, 0x2118e95209190cd9u);
}

static void exponentials_agree_with_the_library(void **state)
{
    (void)state;
    for (int i = -7000; i <= 7000; i++) {
        double x = i * 0.1003;
        check_near(rp_exp(x) / exp(x), 1, 1e-15);
        double y = exp(x);
        check_near(rp_ln(y), log(y), 4e-16 * fmax(1, fabs(log(y))));
    }
    for (int i = 1; i < 4000; i++)
        check_near(rp_ln(i * 0.0005), log(i * 0.0005), 1e-15 * fabs(log(i * 0.0005)) + 1e-17);
}

static void roots_agree_with_the_library(void **state)
{
    (void)state;
    for (int i = -300; i <= 300; i += 3) {
        double x = 1.7 * exp(i * 0.5);
        check_near(rp_cube_root(x) / cbrt(x), 1, 1e-15);
        check_near(rp_fifth_root(x) / pow(x, 0.2), 1, 4e-15);
    }
    assert_true(rp_cube_root(27) == 3 && rp_fifth_root(32) == 2);
    assert_true(rp_cube_root(0) == 0 && rp_cube_root(-8) == 0 && rp_cube_root(NAN) == 0);
    assert_true(rp_fifth_root(0) == 0 && rp_fifth_root(-1) == 0 && isinf(rp_fifth_root(INFINITY)));
}

static void ends_of_exponentials_are_defined(void **state)
{
    (void)state;
    assert_true(rp_exp(0) == 1 && rp_ln(1) == 0);
    assert_true(rp_exp(-1e9) == 0 && isinf(rp_exp(1e9)));
    assert_true(isnan(rp_exp(NAN)) && isnan(rp_ln(NAN)) && isnan(rp_ln(-1)));
    assert_true(rp_ln(0) == -INFINITY && rp_ln(INFINITY) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_near_everywhere),
        cmocka_unit_test(sines_are_near_at_the_edges_of_octants),
        cmocka_unit_test(sines_of_huge_angles_degrade_gently),
        cmocka_unit_test(sines_of_special_values),
        cmocka_unit_test(arctangents_are_near_everywhere),
        cmocka_unit_test(arctangents_are_near_at_the_edges_of_ranges),
        cmocka_unit_test(arctangents_of_special_values),
        cmocka_unit_test(bits_are_the_same_on_every_machine),
        cmocka_unit_test(exponentials_agree_with_the_library),
        cmocka_unit_test(roots_agree_with_the_library),
        cmocka_unit_test(ends_of_exponentials_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
