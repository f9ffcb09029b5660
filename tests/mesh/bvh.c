/* The BVH against a search of all triangles, to the last bit, and its winding number. */
#include "check.h"

#include "base/memory.h"
#include "geom/shapes.h"
#include "mesh/bvh.h"

static int allocations_left = -1; /* then memory runs out; -1: never */

static rp_mesh_bvh *bvh_of(const rp_mesh *mesh)
{
    rp_mesh_bvh *bvh;
    assert_int_equal(rp_mesh_bvh_create(mesh, &bvh, NULL), RP_OK);
    return bvh;
}

static void check_nearest(const rp_mesh *mesh, const rp_mesh_bvh *bvh, rp_vec3 p)
{
    size_t slow_triangle, triangle;
    rp_vec3 slow = rp_mesh_nearest(mesh, p, &slow_triangle);
    rp_vec3 quick = rp_mesh_bvh_nearest(bvh, mesh, p, INFINITY, &triangle);
    assert_int_equal(triangle, slow_triangle);
    assert_true(slow.x == quick.x && slow.y == quick.y && slow.z == quick.z);
    /* What is certain beforehand changes nothing. */
    rp_vec3 away = rp_v3_sub(p, slow);
    quick = rp_mesh_bvh_nearest(bvh, mesh, p, rp_v3_dot(away, away), &triangle);
    assert_int_equal(triangle, slow_triangle);
    assert_true(slow.x == quick.x && slow.y == quick.y && slow.z == quick.z);
}

static void nearest_points_are_the_same_bits(void **state)
{
    (void)state;
    for (int s = 0; s <= SHAPES; s++) {
        rp_mesh *mesh = bumpy_ball(30);
        if (s < SHAPES) {
            rp_mesh_destroy(mesh);
            assert_int_equal(rp_shape_tessellate(&shapes[s], 24, 0, &mesh, NULL), RP_OK);
        }
        rp_mesh_bvh *bvh = bvh_of(mesh);
        for (int i = 0; i < 1500; i++)
            check_nearest(mesh, bvh, random_point((uint64_t)i, i % 3 ? 1.1 : 20));
        /* At vertices many triangles are as near as each other. */
        for (size_t i = 0; i < mesh->vertex_count; i += 7) {
            check_nearest(mesh, bvh, mesh->vertices[i]);
            check_nearest(mesh, bvh, rp_v3_scale(mesh->vertices[i], 1.25));
        }
        check_nearest(mesh, bvh, rp_v3(0, 0, 0));
        rp_mesh_bvh_destroy(bvh);
        rp_mesh_destroy(mesh);
    }
}

/* Moved far from the origin, where floats have no digits left for it. */
static void a_mesh_far_away_is_searched_as_well(void **state)
{
    (void)state;
    rp_mesh *mesh = bumpy_ball(24);
    rp_vec3 far = rp_v3(4000, -3000, 1000);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = rp_v3_madd(far, 0.01, mesh->vertices[i]);
    mesh->bounds.low = rp_v3_madd(far, 0.01, mesh->bounds.low);
    mesh->bounds.high = rp_v3_madd(far, 0.01, mesh->bounds.high);
    rp_mesh_bvh *bvh = bvh_of(mesh);
    for (int i = 0; i < 500; i++)
        check_nearest(mesh, bvh, rp_v3_madd(far, 0.01, random_point((uint64_t)i, 1.1)));
    check_nearest(mesh, bvh, rp_v3(0, 0, 0));
    rp_mesh_bvh_destroy(bvh);
    rp_mesh_destroy(mesh);
}

static void one_triangle_and_many_in_one_place(void **state)
{
    (void)state;
    rp_mesh *mesh = rp_mesh_create();
    bool ok = true;
    rp_mesh_add_vertex(mesh, rp_v3(0, 0, 0), &ok);
    rp_mesh_add_vertex(mesh, rp_v3(1, 0, 0), &ok);
    rp_mesh_add_vertex(mesh, rp_v3(0, 1, 0), &ok);
    rp_mesh_add_triangle(mesh, 0, 1, 2, &ok);
    for (int more = 0; more < 2; more++) {
        rp_mesh_bvh *bvh = bvh_of(mesh);
        for (int i = 0; i < 100; i++)
            check_nearest(mesh, bvh, random_point((uint64_t)i, 2));
        rp_mesh_bvh_destroy(bvh);
        for (int i = 0; i < 1000; i++)
            rp_mesh_add_triangle(mesh, 0, 1, 2, &ok);
    }
    assert_true(ok);
    rp_mesh_destroy(mesh);
}

static void winding_is_near_the_sum_over_all(void **state)
{
    (void)state;
    double worst = 0;
    for (int s = 0; s <= SHAPES; s++) {
        rp_mesh *mesh = bumpy_ball(60);
        if (s < SHAPES) {
            rp_mesh_destroy(mesh);
            assert_int_equal(rp_shape_tessellate(&shapes[s], 40, 0, &mesh, NULL), RP_OK);
        }
        rp_mesh_bvh *bvh = bvh_of(mesh);
        for (int i = 0; i < 1000; i++) {
            rp_vec3 p = random_point((uint64_t)i, i % 4 ? 1.1 : 5);
            double exact = rp_mesh_winding(mesh, p), quick = rp_mesh_bvh_winding(bvh, mesh, p);
            worst = fmax(worst, fabs(exact - quick));
        }
        rp_mesh_bvh_destroy(bvh);
        rp_mesh_destroy(mesh);
    }
    print_message("worst error of the winding number: %.4f\n", worst);
    assert_true(worst < 0.05);
}

/* Twice around: two equal cubes in one place wind twice around their inside. */
static void turns_are_counted(void **state)
{
    (void)state;
    rp_mesh *mesh;
    assert_int_equal(rp_shape_tessellate(&shapes[0], 3, 0, &mesh, NULL), RP_OK);
    bool ok = true;
    size_t count = mesh->triangle_count;
    for (int copy = 1; copy < 5; copy++)
        for (size_t t = 0; t < count; t++)
            rp_mesh_add_triangle(mesh, mesh->triangles[t][0], mesh->triangles[t][1],
                                 mesh->triangles[t][2], &ok);
    assert_true(ok);
    for (int turned = 0; turned < 2; turned++) {
        rp_mesh_bvh *bvh = bvh_of(mesh);
        check_near(rp_mesh_bvh_winding(bvh, mesh, rp_v3(0.11, 0.2, -0.1)), turned ? -5 : 5, 1e-9);
        check_near(rp_mesh_bvh_winding(bvh, mesh, rp_v3(0.3, 0.2, -0.1)), 0, 1e-9);
        rp_mesh_bvh_destroy(bvh);
        rp_mesh_flip(mesh);
    }
    rp_mesh_destroy(mesh);
}

static void running_out_of_memory_is_a_fault(void **state)
{
    (void)state;
    rp_mesh *mesh = bumpy_ball(20);
    rp_code code = RP_ERROR_MEMORY;
    int most = 0;
    for (; code == RP_ERROR_MEMORY; most++) {
        allocations_left = most;
        code = rp_mesh_prepare(mesh, 0, NULL, NULL);
        allocations_left = -1;
    }
    assert_int_equal(code, RP_OK);
    assert_true(most > 6);
    rp_mesh_destroy(mesh);
}

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return rp_default_hooks().allocate(user, size, alignment);
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    rp_hooks hooks = rp_default_hooks();
    hooks.allocate = allocate_some;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_points_are_the_same_bits),
        cmocka_unit_test(a_mesh_far_away_is_searched_as_well),
        cmocka_unit_test(one_triangle_and_many_in_one_place),
        cmocka_unit_test(winding_is_near_the_sum_over_all),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(running_out_of_memory_is_a_fault),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
