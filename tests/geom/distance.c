/* Signed distances: against the nearest of many points of the surface, against contains, and by
 * what every distance obeys: it grows at the rate 1 along its normal. */
#include "check.h"

#include "base/memory.h"
#include "geom/shapes.h"

#define SEGMENTS 96
#define POINTS 800

/* The tessellation lies within this of the true surface: sagitta of an arc of the largest radius.
 */
static const double bulge = 1.2 * (RP_PI / SEGMENTS) * (RP_PI / SEGMENTS) / 2;

static void distance_agrees_with_triangles(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        rp_mesh *mesh;
        check_ok(rp_shape_tessellate(&shapes[s], SEGMENTS, 0, &mesh, NULL), NULL);
        rp_shape as_mesh = {.kind = RP_SHAPE_MESH, .mesh = mesh};
        int inside = 0;
        for (int i = 0; i < POINTS; i++) {
            rp_vec3 p = random_point((uint64_t)i, 1.2);
            double exact = rp_shape_distance(&shapes[s], p, NULL);
            check_near(exact, rp_shape_distance(&as_mesh, p, NULL), bulge);
            inside += exact < 0;
        }
        assert_in_range(inside, 8, POINTS / 2);
        rp_mesh_destroy(mesh);
    }
}

/* Points drawn on triangles, so that nothing of the code under test takes part in the search. */
static void mesh_distance_agrees_with_samples(void **state)
{
    (void)state;
    rp_mesh *mesh;
    rp_shape cone = {.kind = RP_SHAPE_CONE, .radius = 0.7, .height = 0.9};
    check_ok(rp_shape_tessellate(&cone, 7, 0, &mesh, NULL), NULL);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    const int steps = 60;
    for (int i = 0; i < 60; i++) {
        rp_vec3 p = random_point(1000 + (uint64_t)i, 1.0);
        double least = INFINITY;
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            rp_vec3 c[3];
            rp_mesh_corners(mesh, t, c);
            for (int j = 0; j <= steps; j++)
                for (int k = 0; j + k <= steps; k++) {
                    rp_vec3 q = rp_v3_scale(c[0], (double)(steps - j - k) / steps);
                    q = rp_v3_madd(q, (double)j / steps, c[1]);
                    q = rp_v3_madd(q, (double)k / steps, c[2]);
                    least = fmin(least, rp_v3_length(rp_v3_sub(p, q)));
                }
        }
        double distance = fabs(rp_shape_distance(&shape, p, NULL));
        assert_true(distance <= least + 1e-12);
        check_near(distance, least, 0.02);
        assert_true((rp_shape_distance(&shape, p, NULL) < 0) == (rp_mesh_winding(mesh, p) > 0.5));
    }
    rp_mesh_destroy(mesh);
}

static double difference(const rp_shape *shape, rp_vec3 p, rp_vec3 step)
{
    return (rp_shape_distance(shape, rp_v3_add(p, step), NULL) -
            rp_shape_distance(shape, rp_v3_sub(p, step), NULL)) /
           (2 * rp_v3_length(step));
}

/* Where two surface points are about as near the gradient jumps; few points are so close to it. */
static void check_gradients(const rp_shape *shape, int points, double reach)
{
    const double h = 1e-6;
    int jumps = 0;
    for (int i = 0; i < points; i++) {
        rp_vec3 p = random_point(5000 + (uint64_t)i, reach), normal;
        rp_shape_distance(shape, p, &normal);
        check_near(rp_v3_length(normal), 1, 1e-12);
        rp_vec3 gradient =
            rp_v3(difference(shape, p, rp_v3(h, 0, 0)), difference(shape, p, rp_v3(0, h, 0)),
                  difference(shape, p, rp_v3(0, 0, h)));
        if (rp_v3_length(rp_v3_sub(gradient, normal)) > 1e-4) jumps++;
    }
    assert_true(jumps <= points / 200);
}

static void gradient_is_the_normal(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        check_gradients(&shapes[s], 4000, 1.3);
    rp_shape plane = {.kind = RP_SHAPE_PLANE};
    check_gradients(&plane, 100, 1.3);
    rp_mesh *mesh;
    check_ok(rp_shape_tessellate(&shapes[5], 12, 0, &mesh, NULL), NULL);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    check_gradients(&shape, 400, 1.0);
    rp_mesh_destroy(mesh);
}

/* Going back by the distance along the normal meets the surface. */
static void normal_leads_to_the_surface(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < 2000; i++) {
            rp_vec3 p = random_point(9000 + (uint64_t)i, 1.3), normal;
            double distance = rp_shape_distance(&shapes[s], p, &normal);
            rp_vec3 foot = rp_v3_madd(p, -distance, normal);
            check_near(rp_shape_distance(&shapes[s], foot, NULL), 0, 1e-12);
            assert_int_equal(rp_shape_contains(&shapes[s], p), distance <= 0);
        }
}

static bool inside_by_hand(const rp_shape *shape, rp_vec3 p)
{
    double r = hypot(p.x, p.y), up = p.z / shape->height, inner, wall;
    switch (shape->kind) {
    case RP_SHAPE_BOX:
        return fabs(p.x) <= shape->size.x / 2 && fabs(p.y) <= shape->size.y / 2 &&
               fabs(p.z) <= shape->size.z / 2;
    case RP_SHAPE_SPHERE:
        return rp_v3_length(p) <= shape->radius;
    case RP_SHAPE_CYLINDER:
        return r <= shape->radius && fabs(up) <= 0.5;
    case RP_SHAPE_CAPSULE:
        return (r <= shape->radius && fabs(up) <= 0.5) ||
               hypot(r, fabs(p.z) - shape->height / 2) <= shape->radius;
    case RP_SHAPE_CONE:
        return up >= 0 && r <= shape->radius * (1 - up);
    case RP_SHAPE_FUNNEL:
        inner = shape->neck + (shape->radius - shape->neck) * up;
        wall = (r - inner) * cos(atan2(shape->radius - shape->neck, shape->height));
        return up >= 0 && up <= 1 && wall >= 0 && wall <= shape->thickness;
    default:
        return false;
    }
}

static void contains_agrees_with_the_definition(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < 5000; i++) {
            rp_vec3 p = random_point(20000 + (uint64_t)i, 1.2);
            assert_int_equal(rp_shape_contains(&shapes[s], p), inside_by_hand(&shapes[s], p));
        }
}

static void check_at(const rp_shape *shape, rp_vec3 p, double distance)
{
    rp_vec3 normal;
    check_near(rp_shape_distance(shape, p, &normal), distance, 1e-15);
    check_near(rp_v3_length(normal), 1, 1e-14);
}

static void special_places_have_unit_normals(void **state)
{
    (void)state;
    rp_shape box = {.kind = RP_SHAPE_BOX, .size = {2, 4, 6}};
    check_at(&box, rp_v3(0, 0, 0), -1);
    check_at(&box, rp_v3(1, 2, 3), 0);
    check_at(&box, rp_v3(-1, 0, 0), 0);
    check_at(&box, rp_v3(4, 6, 3), 5);
    rp_shape sphere = {.kind = RP_SHAPE_SPHERE, .radius = 2};
    check_at(&sphere, rp_v3(0, 0, 0), -2);
    check_at(&sphere, rp_v3(0, 1e-300, 0), -2);
    rp_shape capsule = {.kind = RP_SHAPE_CAPSULE, .radius = 0.5, .height = 2};
    check_at(&capsule, rp_v3(0, 0, 0.3), -0.5);
    check_at(&capsule, rp_v3(0, 0, 1), -0.5);
    check_at(&capsule, rp_v3(0, 0, 3), 1.5);
    rp_shape cylinder = {.kind = RP_SHAPE_CYLINDER, .radius = 1, .height = 4};
    check_at(&cylinder, rp_v3(0, 0, 0), -1);
    check_at(&cylinder, rp_v3(0, 0, 2), 0);
    check_at(&cylinder, rp_v3(0, 0, 5), 3);
    check_at(&cylinder, rp_v3(0, 1, 2), 0);
    check_at(&cylinder, rp_v3(4, 0, 6), 5);
    rp_shape cone = {.kind = RP_SHAPE_CONE, .radius = 3, .height = 4};
    check_at(&cone, rp_v3(0, 0, 4), 0);
    check_at(&cone, rp_v3(0, 0, 5), 1);
    check_at(&cone, rp_v3(0, 0, -1), 1);
    check_at(&cone, rp_v3(3, 0, 0), 0);
    rp_shape funnel = {.kind = RP_SHAPE_FUNNEL, .radius = 2, .height = 3, .neck = 2};
    funnel.thickness = 1; /* a pipe */
    check_at(&funnel, rp_v3(0, 0, 1), 2);
    check_at(&funnel, rp_v3(2.5, 0, 1.5), -0.5);
    check_at(&funnel, rp_v3(2, 0, 0), 0);
    check_at(&funnel, rp_v3(0, 3, 1), 0);
}

static void surface_points_of_a_mesh_have_outward_normals(void **state)
{
    (void)state;
    rp_mesh *mesh;
    check_ok(rp_shape_tessellate(&shapes[0], 3, 0, &mesh, NULL), NULL);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 c[3], normal;
        rp_mesh_corners(mesh, t, c);
        rp_vec3 middle = rp_v3_scale(rp_v3_add(c[0], rp_v3_add(c[1], c[2])), 1.0 / 3);
        check_near(rp_shape_distance(&shape, middle, &normal), 0, 1e-15);
        check_near(rp_v3_length(normal), 1, 1e-12);
        assert_true(rp_v3_dot(normal, middle) > 0);
        assert_true(rp_shape_contains(&shape, rp_v3_scale(middle, 0.999)));
        assert_false(rp_shape_contains(&shape, rp_v3_scale(middle, 1.001)));
    }
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
        cmocka_unit_test(distance_agrees_with_triangles),
        cmocka_unit_test(mesh_distance_agrees_with_samples),
        cmocka_unit_test(gradient_is_the_normal),
        cmocka_unit_test(normal_leads_to_the_surface),
        cmocka_unit_test(contains_agrees_with_the_definition),
        cmocka_unit_test(special_places_have_unit_normals),
        cmocka_unit_test(surface_points_of_a_mesh_have_outward_normals),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
