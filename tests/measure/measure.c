/* Measurements of a few grains whose numbers are known in closed form. */
#include "check.h"

#include "base/report.h"
#include "document/words.h"
#include "measure/measure.h"

#include <string.h>

/* All values are exact in binary, so what is measured is, too. */
#define GRAINS 3
static const float x[GRAINS] = {1, -2, 0.25f}, y[GRAINS] = {0, 0, 4}, z[GRAINS] = {0.5f, -1, 3};
static const float vx[GRAINS] = {1, 0, -4}, vy[GRAINS] = {2, 0, 0}, vz[GRAINS] = {2, -3, 0};
static const float mass[GRAINS] = {2, 4, 1};
static const uint8_t asleep[GRAINS] = {0, 1, 0};

static const rp_view grains = {.count = GRAINS,
                               .x = x,
                               .y = y,
                               .z = z,
                               .vx = vx,
                               .vy = vy,
                               .vz = vz,
                               .mass = mass,
                               .asleep = asleep};

/* What a float's rounding, relative, may change. */
#define ROUNDING 0x1p-24

static void check_kind(const char *name, const rp_view *view, const rp_measured *expected,
                       int count)
{
    rp_scene scene = {.gravity = {0, 0, -10}};
    rp_measured found[RP_MEASURED_MAX];
    const rp_measure_kind *kind = rp_measure_find(name);
    assert_non_null(kind);
    int taken = 0;
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = view, .scene = &scene, .options = &options};
    assert_int_equal(kind->take(&input, found, &taken, NULL), RP_OK);
    assert_int_equal(taken, count);
    for (int i = 0; i < count; i++) {
        assert_string_equal(found[i].name, expected[i].name);
        assert_string_equal(found[i].unit, expected[i].unit);
        check_near(found[i].value, expected[i].value, 0);
        check_near(found[i].uncertainty, expected[i].uncertainty, 0);
    }
}

/* Kinetic 9 + 18 + 8; potential 10 - 40 + 30, which cancels while its rounding does not; in all
 * 19 - 22 + 38. */
static void energy_is_that_of_the_grains(void **state)
{
    (void)state;
    const rp_measured expected[] = {{"kinetic", 35, 3 * ROUNDING * 35, "J"},
                                    {"potential", 0, 2 * ROUNDING * 80, "J"},
                                    {"total", 35, 3 * ROUNDING * 79, "J"}};
    check_kind("energy", &grains, expected, 3);
}

static void momentum_is_that_of_the_grains(void **state)
{
    (void)state;
    const rp_measured expected[] = {{"x", 2 - 4, 2 * ROUNDING * 6, "kg m/s"},
                                    {"y", 4, 2 * ROUNDING * 4, "kg m/s"},
                                    {"z", 4 - 12, 2 * ROUNDING * 16, "kg m/s"}};
    check_kind("momentum", &grains, expected, 3);
}

static void the_count_is_exact(void **state)
{
    (void)state;
    const rp_measured expected[] = {
        {"grains", 3, 0, ""}, {"asleep", 1, 0, ""}, {"mass", 7, ROUNDING * 7, "kg"}};
    check_kind("count", &grains, expected, 3);
}

static void bounds_touch_the_outermost_grains(void **state)
{
    (void)state;
    const rp_measured expected[] = {
        {"low x", -2, ROUNDING * 2, "m"}, {"low y", 0, 0, "m"},
        {"low z", -1, ROUNDING, "m"},     {"high x", 1, ROUNDING, "m"},
        {"high y", 4, ROUNDING * 4, "m"}, {"high z", 3, ROUNDING * 3, "m"},
    };
    check_kind("bounds", &grains, expected, 6);
}

/* Sums over no grains are zero; what has no meaning without grains is refused, and says so. */
static void nothing_measures_zero_or_is_refused(void **state)
{
    (void)state;
    const rp_view nothing = {.spacing = 1};
    rp_scene scene = {.gravity = {0, 0, -10}};
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = &nothing, .scene = &scene, .options = &options};
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        rp_measured found[RP_MEASURED_MAX];
        int count = 0;
        if (!kind->take) continue;
        rp_report *report = rp_report_create();
        rp_code code = kind->take(&input, found, &count, report);
        assert_in_range(count, 1, RP_MEASURED_MAX);
        assert_int_equal(rp_report_count(report), code != RP_OK);
        for (int j = 0; j < count; j++) {
            if (code == RP_OK) check_near(found[j].value, 0, 0);
            if (code == RP_OK) check_near(found[j].uncertainty, 0, 0);
            if (code != RP_OK) assert_true(isnan(found[j].value));
        }
        assert_int_equal(code == RP_OK, i < 4); /* contacts are unknown here */
        rp_report_destroy(report);
    }
}

/* A scene holds the place of a word, a run takes the kind of that place: those that one instant is
 * enough for, that give numbers and need nothing else to be named. */
static void scenes_know_exactly_these_kinds(void **state)
{
    (void)state;
    int words = rp_words_count(RP_MEASURE_WORDS);
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        char word[64] = "";
        if (i < words) rp_words_at(RP_MEASURE_WORDS, i, word, sizeof word);
        bool live =
            kind->take && kind->frames != RP_MEASURE_PAIRS && !kind->of_body && !kind->of_layer;
        assert_int_equal(live, i < words);
        assert_true(!kind->take != !kind->fill);
        if (live) assert_string_equal(kind->name, word);
        assert_ptr_equal(rp_measure_find(kind->name), kind);
    }
    assert_null(rp_measure_at(rp_measure_count()));
    assert_null(rp_measure_at(-1));
    assert_null(rp_measure_find("weight"));
}

/* Records of fine grains hold where they are and how they move, and no more. */
static void what_is_not_recorded_is_not_measured(void **state)
{
    (void)state;
    static const char *const names[] = {"energy", "momentum", "density-error"};
    static const uint8_t material[GRAINS];
    static const uint32_t id[GRAINS] = {0, 1, 2};
    rp_view fine = grains;
    fine.mass = NULL;
    fine.asleep = NULL;
    fine.id = id;
    fine.material = material;
    rp_scene scene = {.gravity = {0, 0, -10}};
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = &fine, .scene = &scene, .options = &options};
    rp_measured found[RP_MEASURED_MAX];
    int taken = 0;
    for (int i = 0; i < 3; i++) {
        rp_code code = rp_measure_find(names[i])->take(&input, found, &taken, NULL);
        assert_int_equal(code, RP_ERROR_UNSUPPORTED);
        for (int k = 0; k < taken; k++)
            assert_true(isnan(found[k].value));
    }
    assert_int_equal(rp_measure_find("count")->take(&input, found, &taken, NULL), RP_OK);
    check_near(found[0].value, GRAINS, 0);
    assert_true(isnan(found[1].value) && isnan(found[2].value));
    assert_int_equal(rp_measure_find("bounds")->take(&input, found, &taken, NULL), RP_OK);
    check_near(found[0].value, -2, 0);
}

static void a_flow_without_masses_is_counted(void **state)
{
    (void)state;
    static const float after_z[GRAINS] = {-0.5f, -1, 3};
    static const uint32_t id[GRAINS] = {0, 1, 2};
    rp_view before = grains, after = grains;
    before.mass = after.mass = NULL;
    before.id = after.id = id;
    after.z = after_z;
    after.time = 0.5;
    rp_scene scene = {0};
    rp_measure_options options = rp_default_measure_options();
    options.plane_axis = 2;
    rp_measure_input input = {
        .view = &after, .before = &before, .scene = &scene, .options = &options};
    rp_measured found[RP_MEASURED_MAX];
    int taken = 0;
    assert_int_equal(rp_measure_find("flow")->take(&input, found, &taken, NULL), RP_OK);
    assert_true(isnan(found[0].value));
    check_near(found[1].value, 0, 0);
    check_near(found[2].value, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_that_of_the_grains),
        cmocka_unit_test(momentum_is_that_of_the_grains),
        cmocka_unit_test(the_count_is_exact),
        cmocka_unit_test(bounds_touch_the_outermost_grains),
        cmocka_unit_test(nothing_measures_zero_or_is_refused),
        cmocka_unit_test(scenes_know_exactly_these_kinds),
        cmocka_unit_test(what_is_not_recorded_is_not_measured),
        cmocka_unit_test(a_flow_without_masses_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
