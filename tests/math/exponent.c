/* Exponential, logarithm and roots: against the C library's, and at the ends of their ranges. */
#include "check.h"

#include "math/exponent.h"

static void agrees_with_the_library(void **state)
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

static void ends_are_defined(void **state)
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
        cmocka_unit_test(agrees_with_the_library),
        cmocka_unit_test(roots_agree_with_the_library),
        cmocka_unit_test(ends_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
