/* Units: to SI, to the nearest number, with the dimension reported. */
#include "check.h"

#include "document/words.h"
#include "math/vec.h"

#include <string.h>

static double si(double value, const char *text)
{
    rp_unit unit;
    char unknown[32];
    if (!rp_unit_parse(text, &unit, unknown, sizeof unknown)) fail_msg("%s is unknown", text);
    return rp_unit_to_si(&unit, value);
}

static void values_are_the_nearest_numbers(void **state)
{
    (void)state;
    assert_true(si(5, "mm") == 0.005);
    assert_true(si(7, "um") == 7e-6);
    assert_true(si(7, "µm") == 7e-6);
    assert_true(si(1.5, "g/cm3") == 1500);
    assert_true(si(1.5, "g/cm^3") == 1500);
    assert_true(si(2, "kPa") == 2000);
    assert_true(si(9.81, "m/s^2") == 9.81);
    assert_true(si(9.81, "m s-2") == 9.81);
    assert_true(si(36, "km/h") == 10);
    assert_true(si(1, "in") == 0.0254);
    assert_true(si(2, "feet") == 0.6096);
    assert_true(si(1, "lb") == 0.45359237);
    assert_true(si(90, "°") == si(90, "deg"));
    assert_true(si(5, "millimetre") == 0.005);
    assert_true(si(50, "1/s") == 50);
    assert_true(si(50, "Hz") == 50);
    assert_true(si(20, "%") == 0.2);
    assert_true(si(3, "") == 3);
    check_near(si(30, "deg"), RP_PI / 6, 1e-16);
    check_near(si(60, "rpm"), 2 * RP_PI, 1e-15);
    assert_true(si(2, "Pa s") == 2);
    assert_true(si(2, "kg*m/s2") == 2);
}

static void dimensions_are_told_apart(void **state)
{
    (void)state;
    rp_unit a, b;
    rp_unit_parse("N/m2", &a, NULL, 0);
    rp_unit_parse("kPa", &b, NULL, 0);
    assert_true(rp_unit_same_dimension(&a, &b));
    rp_unit_parse("rpm", &a, NULL, 0);
    rp_unit_parse("Hz", &b, NULL, 0);
    assert_false(rp_unit_same_dimension(&a, &b));
    assert_string_equal(rp_unit_dimension(&a), "a rate of turning");
    char list[128];
    rp_unit_list(&a, list, sizeof list);
    assert_string_equal(list, "rad/s, deg/s, rpm");
    rp_unit_parse("", &a, NULL, 0);
    rp_unit_list(&a, list, sizeof list);
    assert_string_equal(list, "");
    assert_string_equal(rp_unit_dimension(&a), "a plain number");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"parsec", "m/", "/m",   "m//s", "m^",   "m^0", "m12",
                                        "5",      "1/", "m-",   "m^9",  "kg/x", "*",   "M",
                                        "m/s/",   "^2", "1/1/", "mmm",  "\xff", "m s*"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rp_unit unit;
        char unknown[32] = "";
        if (rp_unit_parse(wrong[i], &unit, unknown, sizeof unknown))
            fail_msg("'%s' passes for a unit", wrong[i]);
        assert_true(unknown[0]);
    }
    char hint[64];
    rp_unit_hint("kpa", hint, sizeof hint);
    assert_string_equal(hint, "; did you mean 'kPa'?");
}

static const char *nearest(const char *wrong, const char *words)
{
    static rp_nearest found;
    found = rp_nearest_to(wrong);
    rp_nearest_try_words(&found, words);
    return found.found ? found.best : "";
}

static void the_nearest_word_is_found(void **state)
{
    (void)state;
    assert_string_equal(nearest("desnity", "density|angle|colour"), "density");
    assert_string_equal(nearest("color", "density|angle|colour"), "colour");
    assert_string_equal(nearest("ANGLE", "density|angle|colour"), "angle");
    assert_string_equal(nearest("bodys", "sources|bodies"), "bodies");
    assert_string_equal(nearest("xyz", "density|angle|colour"), "");
    assert_string_equal(nearest("", "density|angle"), "");
    assert_int_equal(rp_words_find("a|bc|d", "bc"), 1);
    assert_int_equal(rp_words_find("a|bc|d", "b"), -1);
    assert_int_equal(rp_words_find("a|bc|d", ""), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_nearest_numbers),
        cmocka_unit_test(dimensions_are_told_apart),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(the_nearest_word_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
