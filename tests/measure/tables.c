/* Profiles of heaps whose shape is known, and the error of densities that are. */
#include "measure/piles.h"

#include "base/memory.h"
#include "base/report.h"
#include "measure/inside.h"
#include "measure/measure.h"

#include <string.h>

static const rp_scene down = {.gravity = {0, 0, -9.81}};

static void a_cone_has_a_straight_profile(void **state)
{
    (void)state;
    pile p = pile_make(
        (pile_def){.degrees = 30, .grains = 60000, .packing = PACKING_JITTER, .centre = {1, 2, 0}});
    rp_table table;
    assert_int_equal(rp_measure_profile(&p.view, &down, -1, &table, NULL), RP_OK);
    assert_in_range(table.rows, 18, 30);
    for (size_t i = 1; i + 2 < table.rows; i++) {
        const double *row = table.values + 4 * i;
        double surface = p.height - row[RP_PROFILE_PLACE] * tan(RP_PI / 6);
        /* Grains' centres lie within a spacing below the surface. */
        check_near(row[RP_PROFILE_HEIGHT], surface - 0.35 * PILE_SPACING, 0.5 * PILE_SPACING);
        assert_true(row[RP_PROFILE_SPREAD] < PILE_SPACING);
        assert_true(row[RP_PROFILE_GRAINS] >= 4);
        assert_true(row[RP_PROFILE_PLACE] > row[RP_PROFILE_PLACE - 4]);
    }
    rp_table_release(&table);
    pile_free(&p);
}

/* A wedge that rises along x: straight along x, level along y. */
static void directions_are_kept_apart(void **state)
{
    (void)state;
    pile p = {0};
    for (int x = 0; x < 60; x++)
        for (int y = 0; y < 30; y++)
            for (int z = 0; z < 5 + x / 3; z++)
                pile_add(&p, (x + 0.5) * PILE_SPACING, (y + 0.5) * PILE_SPACING,
                         (z + 0.5) * PILE_SPACING);
    p.view.x = p.x, p.view.y = p.y, p.view.z = p.z, p.view.spacing = PILE_SPACING;
    rp_table x, y;
    assert_int_equal(rp_measure_profile(&p.view, &down, 0, &x, NULL), RP_OK);
    assert_int_equal(rp_measure_profile(&p.view, &down, 1, &y, NULL), RP_OK);
    assert_string_equal(x.columns[0].name, "x");
    assert_string_equal(y.columns[0].name, "y");
    assert_in_range(x.rows, 20, 31);
    assert_in_range(y.rows, 10, 16);
    double rise = x.values[4 * (x.rows - 1) + 1] - x.values[1];
    check_near(rise, 0.20, 0.015);
    for (size_t i = 1; i < y.rows; i++)
        check_near(y.values[4 * i + 1], y.values[1], 1.5 * PILE_SPACING);
    rp_scene aslant = {.gravity = {1, 0, -1}};
    rp_report *report = rp_report_create();
    rp_table none;
    assert_int_equal(rp_measure_profile(&p.view, &aslant, 0, &none, report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 1);
    rp_report_destroy(report);
    rp_table_release(&none);
    rp_table_release(&x);
    rp_table_release(&y);
    pile_free(&p);
}

/* Two materials; a quarter of the grains is too dense by 2 %, one by 6 %, one is loose. */
static void density_errors_count_compression_only(void **state)
{
    (void)state;
    rp_material_spec materials[] = {{.density = 1000}, {.density = 2000}};
    rp_scene scene = {.materials = {materials, 2}};
    float density[] = {1020, 1000, 1060, 500, 2040, 2000, 2000, 2000};
    uint8_t material[] = {0, 0, 0, 0, 1, 1, 1, 1};
    rp_view view = {.count = 8, .density = density, .material = material};
    rp_density_error e;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_OK);
    check_near(e.mean, 0.1 / 8, 1e-7);
    check_near(e.rms, sqrt((0.0004 + 0.0036 + 0.0004) / 8), 1e-7);
    check_near(e.largest, 0.06, 1e-7);
    check_near(e.share, 3.0 / 8, 0);
}

static void densities_that_nobody_computed_are_refused(void **state)
{
    (void)state;
    rp_material_spec material = {.density = 1600.1};
    rp_scene scene = {.materials = {&material, 1}};
    float zero[2] = {0, 0}, untouched[2] = {(float)1600.1, (float)1600.1}, one[2] = {0, 1000};
    uint8_t kinds[2] = {0, 0};
    rp_view view = {.count = 2, .density = zero, .material = kinds};
    rp_density_error e;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_ERROR_UNSUPPORTED);
    assert_true(isnan(e.mean) && isnan(e.largest));
    view.density = untouched;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_ERROR_UNSUPPORTED);
    view.density = one;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_OK);
    kinds[1] = 200; /* a damaged frame names a material that is not there */
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_OK);
    check_near(e.largest, 0, 0);
}

/* Single grains have the density of the stone that they are made of. */
static void rigid_grains_have_no_density_error(void **state)
{
    (void)state;
    rp_material_spec material = {.density = 1600, .grain_density = 2650};
    rp_scene scene = {.materials = {&material, 1}};
    float stone[2] = {2650, 2650};
    uint8_t kinds[2] = {0, 0};
    rp_view view = {.count = 2, .density = stone, .material = kinds};
    rp_density_error e;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, report), RP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "rigid"));
    assert_true(isnan(e.mean));
    rp_report_destroy(report);
}

static void order_statistics_are_right(void **state)
{
    (void)state;
    double values[] = {5, 1, 4, 2, 3}, spread;
    check_near(rp_statistics_quantile(values, 5, 0.5), 3, 0);
    check_near(rp_statistics_quantile(values, 5, 0), 1, 0);
    check_near(rp_statistics_quantile(values, 5, 1), 5, 0);
    check_near(rp_statistics_quantile(values, 5, 0.125), 1.5, 0);
    check_near(rp_statistics_median_deviation(values, 5, &spread), 3, 0);
    check_near(spread, 1.4826, 1e-12);
    check_near(rp_statistics_quantile(values, 0, 0.5), 0, 0);
    double key[3000];
    uint32_t items[3000];
    for (uint32_t i = 0; i < 3000; i++)
        key[i] = i * 7919 % 3001, items[i] = i;
    rp_statistics_sort_by(items, 3000, key);
    for (uint32_t i = 1; i < 3000; i++)
        assert_true(key[items[i]] > key[items[i - 1]]);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cone_has_a_straight_profile),
        cmocka_unit_test(directions_are_kept_apart),
        cmocka_unit_test(density_errors_count_compression_only),
        cmocka_unit_test(densities_that_nobody_computed_are_refused),
        cmocka_unit_test(rigid_grains_have_no_density_error),
        cmocka_unit_test(order_statistics_are_right),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
