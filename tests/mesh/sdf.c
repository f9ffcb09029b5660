/* The signed distance field against the mesh it was made of, and the fast distance against the slow
 * one.
 */
#include "check.h"

#include "base/memory.h"
#include "base/threads.h"
#include "geom/shapes.h"
#include "mesh/sdf.h"

#include <string.h>

/* The same mesh twice: `*plain` is searched triangle by triangle. */
static void make_twins(int s, rp_mesh **plain, rp_mesh **prepared)
{
    rp_mesh **both[2] = {plain, prepared};
    for (int i = 0; i < 2; i++) {
        if (s < SHAPES)
            assert_int_equal(rp_shape_tessellate(&shapes[s], 20, 0, both[i], NULL), RP_OK);
        else
            *both[i] = bumpy_ball(32);
    }
    assert_int_equal(rp_mesh_prepare(*prepared, 0, NULL, NULL), RP_OK);
    assert_true((*prepared)->closed);
}

static void distances_have_the_same_bits(void **state)
{
    (void)state;
    for (int s = 0; s <= SHAPES; s++) {
        rp_mesh *plain, *prepared;
        make_twins(s, &plain, &prepared);
        rp_shape slow = {.kind = RP_SHAPE_MESH, .mesh = plain};
        rp_shape quick = {.kind = RP_SHAPE_MESH, .mesh = prepared};
        int inside = 0;
        for (int i = 0; i < 3000; i++) {
            rp_vec3 p = random_point((uint64_t)i, i % 5 ? 1.1 : 9), a, b;
            double wanted = rp_shape_distance(&slow, p, &a);
            double found = rp_shape_distance(&quick, p, &b);
            assert_true(wanted == found);
            assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
            assert_int_equal(rp_shape_contains(&quick, p), wanted <= 0);
            /* Whether it may be near: always where it is, never where it is clearly not. */
            if (wanted < 0.1) assert_true(rp_shape_may_be_near(&quick, p, 0.1));
            if (wanted > 2) assert_false(rp_shape_may_be_near(&quick, p, 0.1));
            inside += wanted < 0;
        }
        assert_true(inside > 50);
        rp_mesh_destroy(plain);
        rp_mesh_destroy(prepared);
    }
}

static void reach_changes_nothing_near_the_surface(void **state)
{
    (void)state;
    rp_mesh *plain, *prepared;
    make_twins(SHAPES, &plain, &prepared);
    rp_shape slow = {.kind = RP_SHAPE_MESH, .mesh = plain};
    rp_shape quick = {.kind = RP_SHAPE_MESH, .mesh = prepared};
    int cut = 0;
    for (int i = 0; i < 4000; i++) {
        const double reach = 0.04;
        rp_vec3 p = random_point((uint64_t)i, 1.2);
        double exact = rp_shape_distance(&slow, p, NULL);
        double found = rp_shape_distance_within(&quick, p, reach, NULL);
        if (fabs(exact) <= reach) assert_true(found == exact);
        assert_true((found < 0) == (exact < 0));
        assert_true(fabs(found) <= fabs(exact));
        if (fabs(exact) > reach) assert_true(fabs(found) > reach);
        cut += found != exact;
    }
    assert_true(cut > 2500); /* most are far, by the bound of the field */
    rp_mesh_destroy(plain);
    rp_mesh_destroy(prepared);
}

/* Steps of a thousandth through the surface: the sign turns exactly once. */
static void signs_turn_at_the_surface_only(void **state)
{
    (void)state;
    rp_mesh *plain, *prepared;
    make_twins(SHAPES, &plain, &prepared);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = prepared};
    for (size_t t = 0; t < prepared->triangle_count; t += 3) {
        rp_vec3 c[3];
        rp_mesh_corners(prepared, t, c);
        rp_vec3 middle = rp_v3_scale(rp_v3_add(c[0], rp_v3_add(c[1], c[2])), 1.0 / 3);
        rp_vec3 out = rp_v3_normalized(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
        for (int i = -4; i <= 4; i++) {
            double off = 1e-4 * i, found;
            rp_vec3 normal;
            found = rp_shape_distance(&shape, rp_v3_madd(middle, off, out), &normal);
            check_near(found, off, 1e-12);
            if (i) assert_true(rp_v3_dot(normal, out) > 0.999999);
        }
    }
    rp_mesh_destroy(plain);
    rp_mesh_destroy(prepared);
}

static void nodes_and_bounds_are_true(void **state)
{
    (void)state;
    rp_mesh *plain, *prepared;
    make_twins(5, &plain, &prepared);
    rp_shape slow = {.kind = RP_SHAPE_MESH, .mesh = plain};
    const rp_mesh_sdf *field = prepared->sdf;
    int kept = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        rp_random4 r = rp_random(3, RP_RANDOM_TEST, i);
        int index[3];
        for (int k = 0; k < 3; k++)
            index[k] = (int)(r.bits[k] % (uint32_t)(RP_MESH_SDF_CELLS * field->count[k]));
        double value = rp_mesh_sdf_node(field, index);
        rp_vec3 at = rp_v3_madd(field->low, field->spacing, rp_v3(index[0], index[1], index[2]));
        double exact = rp_shape_distance(&slow, at, NULL);
        if (isnan(value)) assert_true(fabs(exact) > 2 * field->spacing);
        if (isnan(value)) continue;
        kept++;
        assert_true(value == (float)exact);
        /* Between nodes the distance is interpolated to a fraction of a cell. */
        rp_vec3 between = rp_v3_madd(at, 0.4 * field->spacing, rp_v3(1, 1, 1));
        check_near(rp_mesh_sdf_value(field, between), rp_shape_distance(&slow, between, NULL),
                   0.9 * field->spacing);
    }
    assert_true(kept > 500);
    for (uint64_t i = 0; i < 4000; i++) {
        rp_vec3 p = random_point(i, i % 4 ? 1.1 : 30);
        double most, bound = rp_mesh_sdf_bound(field, p, &most),
                     exact = rp_shape_distance(&slow, p, NULL);
        assert_true(fabs(bound) <= fabs(exact) && bound * exact >= 0 && most >= fabs(exact));
    }
    rp_mesh_destroy(plain);
    rp_mesh_destroy(prepared);
}

/* A node of the field that lies on the surface says 0; beside it by a rounding the surface must be
 * found all the same. */
static void surfaces_are_found_at_nodes(void **state)
{
    (void)state;
    const rp_shape box = {.kind = RP_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    rp_mesh *mesh, *plain;
    assert_int_equal(rp_shape_tessellate(&box, 20, 0, &mesh, NULL), RP_OK);
    assert_int_equal(rp_shape_tessellate(&box, 20, 0, &plain, NULL), RP_OK);
    assert_int_equal(rp_mesh_prepare(mesh, 0, NULL, NULL), RP_OK);
    rp_shape slow = {.kind = RP_SHAPE_MESH, .mesh = plain};
    const rp_mesh_sdf *field = mesh->sdf;
    int found = 0, index[3];
    for (index[0] = 0; index[0] < RP_MESH_SDF_CELLS * field->count[0]; index[0]++)
        for (index[1] = 0; index[1] < RP_MESH_SDF_CELLS * field->count[1]; index[1]++)
            for (index[2] = 0; index[2] < RP_MESH_SDF_CELLS * field->count[2]; index[2]++) {
                if (!(fabs(rp_mesh_sdf_node(field, index)) < 1e-9)) continue;
                rp_vec3 at =
                    rp_v3_madd(field->low, field->spacing, rp_v3(index[0], index[1], index[2]));
                for (double away = -4e-16; away < 5e-16; away += 1e-16) {
                    rp_vec3 p = rp_v3_add(at, rp_v3(away, away, away));
                    double most;
                    rp_mesh_sdf_bound(field, p, &most);
                    assert_true(most >= fabs(rp_shape_distance(&slow, p, NULL)));
                }
                found++;
            }
    assert_true(found > 100);
    rp_mesh_destroy(plain);
    rp_mesh_destroy(mesh);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    rp_mesh *mesh = bumpy_ball(40);
    rp_threads *threads;
    assert_int_equal(rp_threads_create(3, &threads, NULL), RP_OK);
    assert_int_equal(rp_mesh_prepare(mesh, 0.03, NULL, NULL), RP_OK);
    rp_mesh_sdf *alone = mesh->sdf;
    mesh->sdf = NULL;
    assert_int_equal(rp_mesh_prepare(mesh, 0.03, threads, NULL), RP_OK);
    assert_int_equal(mesh->sdf->near_count, alone->near_count);
    assert_memory_equal(mesh->sdf->nodes, alone->nodes,
                        alone->near_count * RP_MESH_SDF_BLOCK * sizeof(float));
    assert_memory_equal(mesh->sdf->middle, alone->middle, alone->block_count * sizeof(float));
    rp_mesh_sdf_destroy(alone);
    rp_mesh_destroy(mesh);
    rp_threads_destroy(threads);
}

/* One triangle of many is gone: inside stays inside, also right behind the hole. */
static void a_small_hole_turns_nothing_inside_out(void **state)
{
    (void)state;
    rp_mesh *mesh = bumpy_ball(40), *whole = bumpy_ball(40);
    mesh->triangle_count--;
    assert_int_equal(rp_mesh_prepare(mesh, 0, NULL, NULL), RP_OK);
    assert_int_equal(rp_mesh_prepare(whole, 0, NULL, NULL), RP_OK);
    assert_false(mesh->closed);
    rp_shape holed = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    rp_shape sound = {.kind = RP_SHAPE_MESH, .mesh = whole};
    rp_vec3 c[3];
    rp_mesh_corners(whole, whole->triangle_count - 1, c);
    rp_vec3 middle = rp_v3_scale(rp_v3_add(c[0], rp_v3_add(c[1], c[2])), 1.0 / 3);
    double edge = rp_v3_length(rp_v3_sub(c[1], c[0]));
    for (int i = 0; i < 4000; i++) {
        rp_vec3 p = random_point((uint64_t)i, i % 2 ? 1.1 : 0.1);
        if (i % 2 == 0) p = rp_v3_add(middle, p);
        double exact = rp_shape_distance(&sound, p, NULL);
        if (rp_v3_length(rp_v3_sub(p, middle)) < 2 * edge) continue;
        assert_true((rp_shape_distance(&holed, p, NULL) < 0) == (exact < 0));
    }
    rp_mesh_destroy(mesh);
    rp_mesh_destroy(whole);
}

/* Where two boxes overlap the surface winds twice, and leaving one is not leaving both. */
static void overlapping_solids_are_one(void **state)
{
    (void)state;
    rp_mesh *both[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rp_shape_tessellate(&shapes[0], 3, 0, &both[i], NULL), RP_OK);
        bool ok = true;
        uint32_t first = (uint32_t)both[i]->vertex_count;
        size_t count = both[i]->triangle_count;
        for (uint32_t v = 0; v < first; v++)
            rp_mesh_add_vertex(both[i], rp_v3_add(both[i]->vertices[v], rp_v3(0.21, 0.1, 0.3)),
                               &ok);
        for (size_t t = 0; t < count; t++) {
            const uint32_t *c = both[i]->triangles[t];
            rp_mesh_add_triangle(both[i], c[0] + first, c[1] + first, c[2] + first, &ok);
        }
        assert_true(ok);
    }
    assert_int_equal(rp_mesh_prepare(both[1], 0, NULL, NULL), RP_OK);
    assert_true(both[1]->closed && !both[1]->sdf->simple);
    rp_shape slow = {.kind = RP_SHAPE_MESH, .mesh = both[0]};
    rp_shape quick = {.kind = RP_SHAPE_MESH, .mesh = both[1]};
    for (int i = 0; i < 5000; i++) {
        rp_vec3 p = random_point((uint64_t)i, 0.9);
        assert_true(rp_shape_distance(&slow, p, NULL) == rp_shape_distance(&quick, p, NULL));
    }
    rp_mesh_destroy(both[0]);
    rp_mesh_destroy(both[1]);
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
        cmocka_unit_test(distances_have_the_same_bits),
        cmocka_unit_test(reach_changes_nothing_near_the_surface),
        cmocka_unit_test(signs_turn_at_the_surface_only),
        cmocka_unit_test(nodes_and_bounds_are_true),
        cmocka_unit_test(surfaces_are_found_at_nodes),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_small_hole_turns_nothing_inside_out),
        cmocka_unit_test(overlapping_solids_are_one),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
