/* Volumes, bounds and triangles of shapes. */
#include "check.h"

#include "base/memory.h"
#include "geom/shapes.h"

static void volumes_are_exact(void **state)
{
    (void)state;
    const double exact[] = {
        0.4 * 0.7 * 1.1,
        RP_PI * 4 / 3 * 0.216,
        RP_PI * 0.25 * 0.8,
        RP_PI * (0.09 * 0.9 + 4.0 / 3 * 0.027),
        RP_PI * 0.49 * 0.9 / 3,
        /* A ring of level width w whose inner radius runs evenly from a to b over h:
         * pi h (w (a + b) + w^2). */
        RP_PI * 0.7 * (0.15 * hypot(0.6, 0.7) / 0.7 + pow(0.15 * hypot(0.6, 0.7) / 0.7, 2)),
        RP_PI * 0.9 * (0.2 * hypot(0.4, 0.9) / 0.9 + pow(0.2 * hypot(0.4, 0.9) / 0.9, 2)),
    };
    for (int s = 0; s < SHAPES; s++)
        check_near(rp_shape_volume(&shapes[s]), exact[s], 1e-14);
    rp_shape plane = {.kind = RP_SHAPE_PLANE};
    assert_true(isinf(rp_shape_volume(&plane)));
}

/* Counting points inside: right to a few standard deviations. */
static void volumes_agree_with_counting(void **state)
{
    (void)state;
    const int points = 40000;
    for (int s = 0; s < SHAPES; s++) {
        int inside = 0;
        for (int i = 0; i < points; i++)
            inside += rp_shape_contains(&shapes[s], random_point((uint64_t)i, 1.2));
        double all = 2.4 * 2.4 * 2.4, share = rp_shape_volume(&shapes[s]) / all;
        check_near((double)inside / points, share, 4 * sqrt(share / points));
    }
}

static void triangles_are_closed_and_outward(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        for (int segments = 3; segments < 20; segments++) {
            rp_mesh *mesh;
            rp_report *report = rp_report_create();
            check_ok(rp_shape_tessellate(&shapes[s], segments, 0, &mesh, report), report);
            check_ok(rp_mesh_check(mesh, "test", report), report);
            assert_true(rp_mesh_volume(mesh) > 0);
            for (size_t i = 0; i < mesh->vertex_count; i++)
                check_near(rp_shape_distance(&shapes[s], mesh->vertices[i], NULL), 0, 1e-15);
            rp_mesh_destroy(mesh);
            rp_report_destroy(report);
        }
}

/* With twice the segments a quarter of the error is left. */
static void volume_tends_to_the_exact_one(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            rp_mesh *mesh;
            check_ok(rp_shape_tessellate(&shapes[s], 100 << i, 0, &mesh, NULL), NULL);
            error[i] = rp_shape_volume(&shapes[s]) - rp_mesh_volume(mesh);
            rp_mesh_destroy(mesh);
        }
        check_near(error[0], 4 * error[1], 1e-12 + 0.01 * fabs(error[0]));
        check_near(error[1], 0, 1e-3 * rp_shape_volume(&shapes[s]));
    }
}

static void bounds_touch_the_surface(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        rp_mesh *mesh;
        check_ok(rp_shape_tessellate(&shapes[s], 64, 0, &mesh, NULL), NULL);
        rp_box3 exact = rp_shape_bounds(&shapes[s]), found = mesh->bounds;
        check_near(rp_v3_length(rp_v3_sub(exact.low, found.low)), 0, 1e-15);
        check_near(rp_v3_length(rp_v3_sub(exact.high, found.high)), 0, 1e-15);
        rp_mesh_destroy(mesh);
    }
}

static void a_plane_is_a_square_facing_up(void **state)
{
    (void)state;
    rp_shape plane = {.kind = RP_SHAPE_PLANE};
    rp_mesh *mesh;
    check_ok(rp_shape_tessellate(&plane, 3, 5, &mesh, NULL), NULL);
    assert_int_equal(mesh->triangle_count, 2);
    for (size_t t = 0; t < 2; t++) {
        rp_vec3 c[3];
        rp_mesh_corners(mesh, t, c);
        rp_vec3 normal = rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0]));
        check_near(normal.z, 25, 1e-12);
    }
    rp_mesh_destroy(mesh);
    rp_box3 bounds = rp_shape_bounds(&plane);
    assert_true(bounds.high.z == 0 && isinf(bounds.high.x) && isinf(bounds.low.z));
}

static void a_mesh_is_copied(void **state)
{
    (void)state;
    rp_mesh *mesh, *copy;
    check_ok(rp_shape_tessellate(&shapes[1], 16, 0, &mesh, NULL), NULL);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    check_ok(rp_shape_tessellate(&shape, 3, 0, &copy, NULL), NULL);
    assert_true(rp_mesh_volume(copy) == rp_mesh_volume(mesh));
    assert_true(rp_shape_volume(&shape) == rp_mesh_volume(mesh));
    rp_mesh_destroy(copy);
    rp_mesh_destroy(mesh);
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_exact),
        cmocka_unit_test(volumes_agree_with_counting),
        cmocka_unit_test(triangles_are_closed_and_outward),
        cmocka_unit_test(volume_tends_to_the_exact_one),
        cmocka_unit_test(bounds_touch_the_surface),
        cmocka_unit_test(a_plane_is_a_square_facing_up),
        cmocka_unit_test(a_mesh_is_copied),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
