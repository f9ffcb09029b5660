/* The spline kernel against its integral, its derivative and its wide twin. */
#include "check.h"

#include "math/kernel.h"
#include "repose/base.h"

static void it_integrates_to_one(void **state)
{
    (void)state;
    rp_kernel kernel = rp_kernel_of(0.2);
    double sum = 0, step = 0.2 / 4000;
    for (int i = 0; i < 4000; i++) {
        double r = (i + 0.5) * step;
        sum += 4 * RP_PI * r * r * step * (double)rp_kernel_value(kernel, (float)r);
    }
    check_near(sum, 1, 1e-5);
    assert_true(rp_kernel_value(kernel, 0.2001f) == 0);
}

static void the_slope_is_the_derivative(void **state)
{
    (void)state;
    rp_kernel kernel = rp_kernel_of(1);
    for (float r = 0.01f; r < 1; r += 0.013f) {
        double difference = ((double)rp_kernel_value(kernel, r + 1e-3f) -
                             (double)rp_kernel_value(kernel, r - 1e-3f)) /
                            2e-3;
        check_near(rp_kernel_slope(kernel, r), difference, 2e-3);
    }
}

RP_WIDE_KERNEL
static void fill_wide(rp_kernel kernel, const float *r, float *value, float *slope)
{
    rp_wide distance = rp_wide_load(r);
    rp_wide_store(value, rp_kernel_value_wide(kernel, distance));
    rp_wide_store(slope, rp_kernel_slope_wide(kernel, distance));
}

static void the_wide_twin_agrees(void **state)
{
    (void)state;
    rp_kernel kernel = rp_kernel_of(0.7);
    for (int block = 0; block < 100; block++) {
        float r[RP_WIDE], value[RP_WIDE], slope[RP_WIDE];
        for (int i = 0; i < RP_WIDE; i++)
            r[i] = 0.001f * (float)(block * RP_WIDE + i);
        fill_wide(kernel, r, value, slope);
        for (int i = 0; i < RP_WIDE; i++) {
            assert_true(value[i] == rp_kernel_value(kernel, r[i]));
            check_near(slope[i], rp_kernel_slope(kernel, r[i]), 0);
        }
    }
}

static void a_lattice_is_nearly_dense(void **state)
{
    (void)state;
    check_near(rp_kernel_lattice_sum(rp_kernel_of(0.02), 0.01), 1, 0.02);
    check_near(rp_kernel_lattice_sum(rp_kernel_of(0.08), 0.01), 1, 1e-3);
}

static void wide_helpers_match_scalars(void **state)
{
    (void)state;
    rp_wide a = {1, -2, 3, -4, 5, -6, 7, -8}, b = rp_wide_broadcast(0);
    rp_wide low = rp_wide_min(a, b), high = rp_wide_max(a, b);
    float sum = 0;
    for (int i = 0; i < RP_WIDE; i++) {
        assert_true(low[i] == fminf(a[i], 0) && high[i] == fmaxf(a[i], 0));
        sum += a[i];
    }
    assert_true(rp_wide_sum(a) == sum);
    assert_true(rp_wide_largest(a) == 7);
    rp_wide parts[RP_WIDE];
    for (int k = 0; k < RP_WIDE; k++)
        parts[k] = a * (float)(k + 1);
    rp_wide sums = rp_wide_sums(parts);
    for (int k = 0; k < RP_WIDE; k++)
        assert_true(sums[k] == sum * (float)(k + 1));
    uint32_t index[8] = {7, 0, 6, 1, 5, 2, 4, 3};
    float base[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    rp_wide gathered = rp_wide_gather(base, index);
    rp_wide some = rp_wide_load_some(base + 1, 3, 9);
    for (int i = 0; i < RP_WIDE; i++) {
        assert_true(gathered[i] == (float)index[i]);
        assert_true(some[i] == (i < 3 ? base[i + 1] : 9));
    }
    rp_wide rows[8], columns[8];
    for (int i = 0; i < 64; i++)
        rows[i / 8][i % 8] = (float)i;
    rp_wide_transpose(rows, index, columns);
    for (int i = 0; i < 64; i++)
        assert_true(columns[i / 8][i % 8] == rows[index[i % 8]][i / 8]);
    assert_true(rp_wide_sqrt(rp_wide_broadcast(9))[5] == 3);
    assert_true(rp_instructions_text()[0] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_integrates_to_one),       cmocka_unit_test(the_slope_is_the_derivative),
        cmocka_unit_test(the_wide_twin_agrees),       cmocka_unit_test(a_lattice_is_nearly_dense),
        cmocka_unit_test(wide_helpers_match_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
