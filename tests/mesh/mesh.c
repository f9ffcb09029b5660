/* Meshes built by hand: joining, measuring, and what is refused as the surface of a solid. */
#include "check.h"

#include "base/memory.h"
#include "geom/shapes.h"

#include <string.h>

/* The unit cube, each face with corners of its own when `loose`. */
static rp_mesh *cube(bool loose)
{
    rp_shape box = {.kind = RP_SHAPE_BOX, .size = {1, 1, 1}};
    rp_mesh *mesh;
    assert_int_equal(rp_shape_tessellate(&box, 3, 0, &mesh, NULL), RP_OK);
    if (!loose) return mesh;
    rp_mesh *apart = rp_mesh_create();
    bool ok = true;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 c[3];
        rp_mesh_corners(mesh, t, c);
        uint32_t a = rp_mesh_add_vertex(apart, c[0], &ok), b = rp_mesh_add_vertex(apart, c[1], &ok);
        rp_mesh_add_triangle(apart, a, b, rp_mesh_add_vertex(apart, c[2], &ok), &ok);
    }
    assert_true(ok);
    rp_mesh_destroy(mesh);
    return apart;
}

/* Checks the mesh, expects a fault that says `words`, and releases the mesh. */
static void check_refused(rp_mesh *mesh, const char *words)
{
    rp_report *report = rp_report_create();
    assert_int_equal(rp_mesh_check(mesh, "cube.obj", report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 1);
    const rp_fault *fault = rp_report_fault(report, 0);
    assert_string_equal(fault->file, "cube.obj");
    if (!strstr(fault->message, words)) fail_msg("%s", fault->message);
    assert_int_equal(rp_mesh_check(mesh, "cube.obj", NULL), RP_ERROR_INPUT);
    rp_report_destroy(report);
    rp_mesh_destroy(mesh);
}

static void vertices_at_one_place_are_joined(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(true);
    assert_int_equal(mesh->vertex_count, 36);
    assert_true(rp_mesh_join(mesh));
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(rp_mesh_check(mesh, "", NULL), RP_OK);
    check_near(rp_mesh_volume(mesh), 1, 1e-15);
    rp_mesh_destroy(mesh);
}

static void both_zeros_are_one_place(void **state)
{
    (void)state;
    rp_mesh *mesh = rp_mesh_create();
    bool ok = true;
    rp_mesh_add_vertex(mesh, rp_v3(0, 1, 2), &ok);
    rp_mesh_add_vertex(mesh, rp_v3(-0.0, 1, 2), &ok);
    assert_true(ok && rp_mesh_join(mesh));
    assert_int_equal(mesh->vertex_count, 1);
    rp_mesh_destroy(mesh);
}

static void winding_tells_inside_from_outside(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(false);
    for (int i = 0; i < 1000; i++) {
        rp_vec3 p = random_point((uint64_t)i, 1);
        bool inside = fabs(p.x) < 0.5 && fabs(p.y) < 0.5 && fabs(p.z) < 0.5;
        check_near(rp_mesh_winding(mesh, p), inside, 1e-9);
    }
    rp_mesh_flip(mesh);
    check_near(rp_mesh_winding(mesh, rp_v3(0, 0, 0)), -1, 1e-12);
    check_near(rp_mesh_volume(mesh), -1, 1e-15);
    rp_mesh_destroy(mesh);
}

static void open_edges_are_refused(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(false);
    mesh->triangle_count--; /* the last one is gone; the fourth shares an edge with it */
    check_refused(mesh, "is open");
    check_refused(cube(true), "triangle 1 of 12");
}

static void a_turned_triangle_is_refused(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(false);
    uint32_t kept = mesh->triangles[4][0];
    mesh->triangles[4][0] = mesh->triangles[4][1];
    mesh->triangles[4][1] = kept;
    check_refused(mesh, "same direction");
}

static void a_third_sheet_on_an_edge_is_refused(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(false);
    bool ok = true;
    uint32_t outside = rp_mesh_add_vertex(mesh, rp_v3(2, 2, 2), &ok);
    rp_mesh_add_triangle(mesh, mesh->triangles[0][0], mesh->triangles[0][1], outside, &ok);
    assert_true(ok);
    check_refused(mesh, "triangle 13 of 13");
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(false);
    mesh->vertices[mesh->triangles[0][1]].y = NAN;
    check_refused(mesh, "vertex 2 of triangle 1 is (");
    mesh = cube(false);
    mesh->vertices[mesh->triangles[0][1]].y = INFINITY;
    check_refused(mesh, "inf");
}

static void flat_triangles_are_refused(void **state)
{
    (void)state;
    rp_mesh *mesh = cube(false);
    mesh->triangles[6][1] = mesh->triangles[6][2];
    check_refused(mesh, "triangle 7 of 12");
    mesh = cube(false);
    mesh->vertices[5] = rp_v3_scale(rp_v3_add(mesh->vertices[4], mesh->vertices[7]), 0.5);
    check_refused(mesh, "no area");
}

static void what_holds_nothing_is_refused(void **state)
{
    (void)state;
    check_refused(rp_mesh_create(), "no triangles");
    rp_mesh *mesh = rp_mesh_create();
    bool ok = true;
    uint32_t a = rp_mesh_add_vertex(mesh, rp_v3(0, 0, 0), &ok);
    uint32_t b = rp_mesh_add_vertex(mesh, rp_v3(1, 0, 0), &ok);
    uint32_t c = rp_mesh_add_vertex(mesh, rp_v3(0, 1, 0), &ok);
    rp_mesh_add_triangle(mesh, a, b, c, &ok);
    rp_mesh_add_triangle(mesh, a, c, b, &ok);
    assert_true(ok);
    check_refused(mesh, "no volume");
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
        cmocka_unit_test(vertices_at_one_place_are_joined),
        cmocka_unit_test(both_zeros_are_one_place),
        cmocka_unit_test(winding_tells_inside_from_outside),
        cmocka_unit_test(open_edges_are_refused),
        cmocka_unit_test(a_turned_triangle_is_refused),
        cmocka_unit_test(a_third_sheet_on_an_edge_is_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(flat_triangles_are_refused),
        cmocka_unit_test(what_holds_nothing_is_refused),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
