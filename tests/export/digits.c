/* Numbers as text: read back by the C library, bit for bit. */
#include "record/fixture.h"

#include "export/digits.h"

#include <inttypes.h>
#include <math.h>

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const char *text_of(float value)
{
    static char text[RP_DIGITS_MAX + 1];
    size_t length = rp_digits_f32(text, value);
    assert_true(length <= RP_DIGITS_MAX);
    text[length] = 0;
    return text;
}

static void check_bits(float value)
{
    char *end;
    const char *text = text_of(value);
    float found = strtof(text, &end);
    if (*end || memcmp(&found, &value, sizeof found) != 0)
        fail_msg("%.9g became '%s'", (double)value, text);
}

static void any_float_comes_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000000; i++) {
        float value = from_bits(rp_random(3, RP_RANDOM_TEST, i).bits[0]);
        if (!isnan(value)) check_bits(value);
    }
}

/* Where a digit or a bit more begins: all powers of two and of ten, with both neighbors. */
static void floats_at_the_edges_come_back(void **state)
{
    (void)state;
    for (int exponent = -149; exponent < 128; exponent++) {
        float power = ldexpf(1, exponent);
        check_bits(power);
        check_bits(nextafterf(power, 0));
        check_bits(nextafterf(power, INFINITY));
    }
    for (int exponent = -45; exponent <= 38; exponent++) {
        float power = (float)pow(10, exponent);
        check_bits(power);
        check_bits(-nextafterf(power, 0));
        check_bits(nextafterf(power, INFINITY));
    }
}

static void short_numbers_stay_short(void **state)
{
    (void)state;
    assert_string_equal(text_of(0), "0");
    assert_string_equal(text_of(-0.0f), "-0");
    assert_string_equal(text_of(1), "1");
    assert_string_equal(text_of(0.1f), "0.1");
    assert_string_equal(text_of(-1600), "-1600");
    assert_string_equal(text_of(123456.7f), "123456.7");
    assert_string_equal(text_of(1.0f / 3), "0.33333334");
    assert_string_equal(text_of(0.00001f), "0.00001");
    assert_string_equal(text_of(0.000001f), "1e-06");
    assert_string_equal(text_of(9.9999999e8f), "1e+09");
    assert_string_equal(text_of(-2.5e20f), "-2.5e+20");
    assert_string_equal(text_of(INFINITY), "inf");
    assert_string_equal(text_of(-INFINITY), "-inf");
    assert_string_equal(text_of(-NAN), "nan");
}

static void whole_numbers_come_back(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 9, 10, 4294967295u, 10000000000000000000u, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char found[RP_DIGITS_MAX + 1], expected[32];
        found[rp_digits_u64(found, values[i])] = 0;
        snprintf(expected, sizeof expected, "%" PRIu64, values[i]);
        assert_string_equal(found, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_float_comes_back),
        cmocka_unit_test(floats_at_the_edges_come_back),
        cmocka_unit_test(short_numbers_stay_short),
        cmocka_unit_test(whole_numbers_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
