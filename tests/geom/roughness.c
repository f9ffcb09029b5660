/* Fixed grains: on the surface, as far apart as asked, found by a search as by testing all. */
#include "check.h"

#include "base/report.h"
#include "geom/roughness.h"
#include "geom/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const rp_shape plane = {.kind = RP_SHAPE_PLANE};
static const rp_shape shapes[] = {
    {.kind = RP_SHAPE_BOX, .size = {0.2, 0.1, 0.05}},
    {.kind = RP_SHAPE_SPHERE, .radius = 0.05},
    {.kind = RP_SHAPE_CYLINDER, .radius = 0.05, .height = 0.1},
    {.kind = RP_SHAPE_FUNNEL, .radius = 0.06, .neck = 0.02, .height = 0.08, .thickness = 0.01},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static rp_rough_surface rough_of(const rp_shape *shape, double jitter, const rp_rough_span *span,
                                 rp_threads *threads)
{
    rp_rough_surface rough;
    rp_roughness roughness = {.radius = 0.004, .period = 0.01, .jitter = jitter};
    rp_report *report = rp_report_create();
    check_ok(
        rp_rough_surface_make(&rough, shape, &roughness, 7, span, 0.02, threads, "key", report),
        report);
    rp_report_destroy(report);
    return rough;
}

typedef struct found {
    rp_fixed_grain fixed[4096];
    rp_vec3 places[4096];
    int count;
} found;

static void add_found(void *user, rp_fixed_grain fixed, rp_vec3 place)
{
    found *f = user;
    f->fixed[f->count] = fixed;
    f->places[f->count++] = place;
}

static found find(const rp_rough_surface *rough, rp_vec3 point, double reach)
{
    found f = {.count = 0};
    rp_rough_surface_near(rough, point, reach, add_found, &f);
    return f;
}

static void they_lie_on_the_surface(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        rp_rough_surface rough = rough_of(&shapes[s], 0.8, NULL, NULL);
        assert_true(rough.point_count > 100);
        for (size_t i = 0; i < rough.point_count; i++)
            assert_true(fabs(rp_shape_distance(&shapes[s], rough.points[i], NULL)) < 1e-12);
        rp_rough_surface_release(&rough);
    }
}

static void a_search_finds_what_is_near(void **state)
{
    (void)state;
    rp_vec3 point = rp_v3(0.06, 0.01, 0.03);
    const double reaches[] = {0.003, 0.02, 0.07};
    for (size_t s = 0; s < SHAPES; s++) {
        rp_rough_surface rough = rough_of(&shapes[s], 0.5, NULL, NULL);
        for (int r = 0; r < 3; r++) {
            int near = 0;
            for (size_t i = 0; i < rough.point_count; i++)
                near += rp_v3_length(rp_v3_sub(rough.points[i], point)) < reaches[r];
            found f = find(&rough, point, reaches[r]);
            assert_int_equal(f.count, near);
            for (int i = 0; i < f.count; i++) {
                assert_true(rp_rough_surface_has(&rough, f.fixed[i]));
                rp_vec3 again = rp_rough_surface_place(&rough, f.fixed[i], point);
                assert_memory_equal(&again, &f.places[i], sizeof again);
            }
        }
        rp_rough_surface_release(&rough);
    }
}

static void a_plane_has_one_in_each_cell(void **state)
{
    (void)state;
    rp_rough_span span = {{-INFINITY, 0}, {INFINITY, 0.1}, {false, false}};
    rp_rough_surface rough = rough_of(&plane, 1, &span, NULL);
    found f = find(&rough, rp_v3(-0.2, 0.05, 0), 0.2);
    assert_true(f.count > 350);
    for (int i = 0; i < f.count; i++) {
        assert_true(f.places[i].y > 0 && f.places[i].y < 0.1 && f.places[i].z == 0);
        assert_true(floor(f.places[i].x / 0.01) == f.fixed[i].i);
        assert_true(f.fixed[i].j >= 0 && f.fixed[i].j < 10);
        for (int k = 0; k < i; k++)
            assert_true(memcmp(&f.fixed[i], &f.fixed[k], sizeof f.fixed[i]) != 0);
    }
    assert_int_equal(find(&rough, rp_v3(0, 0.05, 0.1), 0.1).count, 0);
    assert_int_equal(find(&rough, rp_v3(0, 0.2, 0), 0.09).count, 0);   /* beyond its end */
    assert_int_equal(find(&rough, rp_v3(1e9, 0.05, 0), 0.1).count, 0); /* beyond all numbers */
    rp_rough_surface_release(&rough);
}

/* Without jitter they are the middles of a square lattice. */
static void jitter_is_a_share_of_the_period(void **state)
{
    (void)state;
    rp_rough_span span = {{0, 0}, {1, 1}, {false, false}};
    const double jitters[] = {0, 0.4};
    for (int n = 0; n < 2; n++) {
        rp_rough_surface rough = rough_of(&plane, jitters[n], &span, NULL);
        found f = find(&rough, rp_v3(0.5, 0.5, 0), 0.3);
        double most = 0;
        for (int i = 0; i < f.count; i++)
            most = fmax(most, fabs(f.places[i].x / 0.01 - 0.5 - f.fixed[i].i));
        assert_true(most <= 0.5 * jitters[n] + 1e-9 && most >= 0.49 * jitters[n]);
        rp_rough_surface_release(&rough);
    }
}

/* What is near one end of a period has those of the other end near it, under the same names. */
static void a_period_goes_round(void **state)
{
    (void)state;
    rp_rough_span span = {{-0.1, -0.1}, {0.103, 0.1}, {true, true}};
    rp_rough_surface rough = rough_of(&plane, 0.7, &span, NULL);
    found left = find(&rough, rp_v3(-0.099, 0.02, 0.01), 0.03);
    found right = find(&rough, rp_v3(0.104, 0.02, 0.01), 0.03);
    assert_int_equal(rough.count[0], 20);
    assert_true(left.count > 15 && left.count == right.count);
    for (int i = 0; i < left.count; i++) {
        assert_memory_equal(&left.fixed[i], &right.fixed[i], sizeof left.fixed[i]);
        assert_true(fabs(right.places[i].x - left.places[i].x - 0.203) < 1e-12);
        assert_true(right.places[i].y == left.places[i].y);
    }
    rp_rough_surface_release(&rough);
}

static void a_gap_is_to_the_nearest(void **state)
{
    (void)state;
    rp_rough_span span = {{0, 0}, {0.1, 0.1}, {false, false}};
    rp_rough_surface rough = rough_of(&plane, 0, &span, NULL);
    assert_float_equal(rp_rough_surface_gap(&rough, rp_v3(0.055, 0.055, 0.009), 0.01), 0.005,
                       1e-12);
    assert_float_equal(rp_rough_surface_gap(&rough, rp_v3(0.055, 0.055, 0.001), 0.01), -0.003,
                       1e-12);
    assert_float_equal(rp_rough_surface_gap(&rough, rp_v3(0.055, 0.055, 0.5), 0.01), 0.01, 0);
    rp_rough_surface_release(&rough);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    rp_threads *threads;
    check_ok(rp_threads_create(3, &threads, NULL), NULL);
    for (size_t s = 0; s < SHAPES; s++) {
        rp_rough_surface a = rough_of(&shapes[s], 0.5, NULL, NULL);
        rp_rough_surface b = rough_of(&shapes[s], 0.5, NULL, threads);
        assert_int_equal(a.point_count, b.point_count);
        assert_memory_equal(a.points, b.points, a.point_count * sizeof *a.points);
        rp_rough_surface_release(&a);
        rp_rough_surface_release(&b);
    }
    rp_threads_destroy(threads);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    rp_rough_surface rough;
    rp_report *report = rp_report_create();
    rp_roughness fine = {.radius = 1e-6, .period = 1e-6};
    assert_int_equal(
        rp_rough_surface_make(&rough, &shapes[0], &fine, 1, NULL, 0.1, NULL, "key", report),
        RP_ERROR_INPUT);
    rp_rough_surface_release(&rough);
    rp_rough_span span = {{0, 0}, {1e5, 1}, {false, false}};
    assert_int_equal(
        rp_rough_surface_make(&rough, &plane, &fine, 1, &span, 0.1, NULL, "key", report),
        RP_ERROR_INPUT);
    rp_rough_surface_release(&rough);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_lie_on_the_surface),
        cmocka_unit_test(a_search_finds_what_is_near),
        cmocka_unit_test(a_plane_has_one_in_each_cell),
        cmocka_unit_test(jitter_is_a_share_of_the_period),
        cmocka_unit_test(a_period_goes_round),
        cmocka_unit_test(a_gap_is_to_the_nearest),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
