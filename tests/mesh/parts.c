/* Meshes of several parts: each is oriented by itself, what overlaps counts once, gaps of the size
 * of rounding are closed, and parts may touch. */
#include "check.h"

#include "base/memory.h"
#include "geom/mass.h"
#include "math/elementary.h"
#include "mesh/bvh.h"
#include "meshfile/meshfile.h"

#include <string.h>

#define MOST 2000

static float triangles[MOST][3][3];
static int count;
static int warnings, allocations_left = -1;
static char last_warning[500];

static void take_log(void *user, rp_level level, const char *message)
{
    (void)user;
    if (level != RP_LOG_WARNING) return;
    warnings++;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return rp_default_hooks().allocate(user, size, alignment);
}

static void add_triangle(rp_vec3 a, rp_vec3 b, rp_vec3 c)
{
    const rp_vec3 corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        triangles[count][i][0] = (float)corners[i].x;
        triangles[count][i][1] = (float)corners[i].y;
        triangles[count][i][2] = (float)corners[i].z;
    }
    count++;
}

/* From `low` to `low + size`, turned by `angle` about a vertical axis through its middle. */
static void add_box(rp_vec3 low, rp_vec3 size, double angle, bool inside_out)
{
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    rp_vec3 v[8], middle = rp_v3_madd(low, 0.5, size);
    rp_quat turn = rp_quat_from_axis(rp_v3(0, 0, 1), angle);
    for (int i = 0; i < 8; i++) {
        v[i] = rp_v3(i & 1 ? low.x + size.x : low.x, i & 2 ? low.y + size.y : low.y,
                     i & 4 ? low.z + size.z : low.z);
        if (angle != 0) v[i] = rp_v3_add(middle, rp_quat_rotate(turn, rp_v3_sub(v[i], middle)));
    }
    for (int q = 0; q < 6; q++)
        for (int half = 1; half < 3; half++) {
            int b = quads[q][inside_out ? half + 1 : half],
                c = quads[q][inside_out ? half : half + 1];
            add_triangle(v[quads[q][0]], v[b], v[c]);
        }
}

static void add_cube(double x, double y, double z, double edge, bool inside_out)
{
    add_box(rp_v3(x, y, z), rp_v3(edge, edge, edge), 0, inside_out);
}

static void begin(void)
{
    count = 0;
    warnings = 0;
    last_warning[0] = 0;
}

/* The triangles as an STL file. */
static rp_code read_all(rp_mesh **mesh, rp_report *report)
{
    static char bytes[84 + 50 * MOST];
    memset(bytes, 0, sizeof bytes);
    bytes[80] = (char)(count & 255);
    bytes[81] = (char)(count >> 8);
    for (int t = 0; t < count; t++)
        memcpy(bytes + 84 + 50 * t + 12, triangles[t], sizeof triangles[t]);
    rp_mesh_bytes file = {
        .name = "parts", .data = bytes, .size = 84 + 50 * (size_t)count, .scale = 1};
    return rp_mesh_read_bytes(rp_mesh_read_stl, &file, mesh, report);
}

static rp_mass mass_of(rp_mesh *mesh)
{
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    rp_mass mass;
    rp_shape_mass(&shape, 1, &mass);
    assert_true(rp_mass_is_sound(&mass));
    return mass;
}

/* Reads it, checks the volume of the solid and that a point is inside or not. */
static rp_mass check_solid(double volume, double tolerance, rp_vec3 point, bool inside)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    check_ok(read_all(&mesh, report), report);
    rp_mass mass = mass_of(mesh);
    check_near(mass.mass, volume, tolerance);
    assert_int_equal(rp_mesh_check(mesh, "parts", NULL), RP_OK);
    check_ok(rp_mesh_prepare(mesh, 0, NULL, report), report);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    assert_true((rp_shape_distance(&shape, point, NULL) < 0) == inside);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
    return mass;
}

static void check_refused(const char *words)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    assert_int_equal(read_all(&mesh, report), RP_ERROR_INPUT);
    assert_null(mesh);
    if (!strstr(rp_report_fault(report, 0)->message, words))
        fail_msg("%s", rp_report_fault(report, 0)->message);
    rp_report_destroy(report);
}

static void check_warning(int number, const char *words)
{
    if (warnings != number || !strstr(last_warning, words))
        fail_msg("%d warnings: %s", warnings, last_warning);
}

static void each_part_is_turned_outward(void **state)
{
    (void)state;
    begin();
    add_cube(-0.5, -0.5, -0.5, 1, false);
    add_cube(2.5, -0.45, -0.45, 0.9, true);
    rp_mass mass = check_solid(1.729, 1e-6, rp_v3(3, 0, 0), true);
    check_near(mass.centre.x, 0.729 * 2.95 / 1.729, 1e-6);
    check_warning(1, "inside out, and so flipped: part 2 of 2 (12 triangles, (2.5, ");
    begin();
    add_cube(0, 0, 0, 1, true);
    add_cube(2, 0, 0, 1, true);
    check_solid(2, 1e-12, rp_v3(0.5, 0.5, 0.5), true);
    check_warning(1, "the mesh is inside out; its triangles are flipped");
}

static void triangles_follow_their_neighbors(void **state)
{
    (void)state;
    for (int t = 0; t < 12; t++) {
        begin();
        add_cube(0, 0, 0, 1, false);
        float kept[3];
        memcpy(kept, triangles[t][0], sizeof kept);
        memcpy(triangles[t][0], triangles[t][1], sizeof kept);
        memcpy(triangles[t][1], kept, sizeof kept);
        check_solid(1, 1e-12, rp_v3(0.5, 0.5, 0.9), true);
        check_warning(1, "1 of 12 triangles face the other way");
    }
}

static void parts_within_parts_are_cavities(void **state)
{
    (void)state;
    for (int inside_out = 0; inside_out < 2; inside_out++) {
        begin();
        add_cube(0.25, 0.25, 0.25, 0.5, inside_out);
        add_cube(0, 0, 0, 1, false);
        check_solid(0.875, 1e-12, rp_v3(0.5, 0.5, 0.5), false);
        if (inside_out)
            assert_int_equal(warnings, 0);
        else
            check_warning(1, "taken as a cavity and flipped inward: part 1 of 2");
        /* A part within a cavity is solid. */
        add_cube(0.375, 0.375, 0.375, 0.25, true);
        warnings = 0;
        check_solid(0.875 + 0.015625, 1e-12, rp_v3(0.5, 0.5, 0.5), true);
        check_warning(inside_out ? 1 : 2, "part ");
    }
}

static void parts_may_touch(void **state)
{
    (void)state;
    static const double places[3][3] = {{1, 1, 0}, {1, 0, 0}, {1, 1, 1}}; /* edge, face, vertex */
    for (int i = 0; i < 6; i++) {
        begin();
        add_cube(0, 0, 0, 1, false);
        add_cube(places[i / 2][0], places[i / 2][1], places[i / 2][2], 1, i % 2);
        rp_mass mass = check_solid(2, 1e-12, rp_v3(0.5, 0.5, 0.5), true);
        check_near(mass.centre.x, 1, 1e-12);
        assert_int_equal(warnings, i % 2);
    }
}

/* Two cubes shifted by half are a box; turned by 45 degrees about their middle they share an
 * octagonal prism. */
static void what_overlaps_counts_once(void **state)
{
    (void)state;
    begin();
    add_cube(0, 0, 0, 1, false);
    add_cube(0.5, 0, 0, 1, false);
    rp_mass mass = check_solid(1.5, 1e-12, rp_v3(0.75, 0.5, 0.5), true);
    check_near(mass.centre.x, 0.75, 1e-12);
    check_near(mass.inertia[0], 1.5 * (1 + 1) / 12, 1e-12);
    check_near(mass.inertia[1], 1.5 * (2.25 + 1) / 12, 1e-12);
    check_near(mass.inertia[3], 0, 1e-12);
    begin();
    add_cube(0, 0, 0, 1, false);
    add_box(rp_v3(0, 0, 0), rp_v3(1, 1, 1), RP_PI / 4, false);
    double exact = 2 - 2 * (sqrt(2) - 1);
    check_solid(exact, 1e-3, rp_v3(0.5, 0.5, 0.5), true);
    rp_mesh *mesh;
    assert_int_equal(read_all(&mesh, NULL), RP_OK);
    check_near(mass_of(mesh).mass, exact, 3 * mesh->overlap.error + 1e-6);
    assert_true(mesh->overlap.error > 0 && mesh->overlap.error < 1e-3);
    check_near(mass_of(mesh).inertia[3], 0, 1e-4);
    rp_mesh_destroy(mesh);
    begin();
    add_cube(0, 0, 0, 1, false);
    add_cube(0, 0, 0, 1, false);
    check_solid(1, 1e-12, rp_v3(0.5, 0.5, 0.5), true);
}

/* Around the z axis; the last corners lie `gap` off the first. */
static void add_cylinder(double gap)
{
    const int sides = 24;
    for (int i = 0; i < sides; i++) {
        rp_vec3 low[2], up = rp_v3(0, 0, 1);
        for (int k = 0; k < 2; k++) {
            double angle = 2 * RP_PI * (i + k) / sides, off = i + k == sides ? gap : 0;
            low[k] = rp_v3(rp_cos(angle), rp_sin(angle) + off, 0);
        }
        rp_vec3 high[2] = {rp_v3_add(low[0], up), rp_v3_add(low[1], up)};
        add_triangle(low[0], low[1], high[1]);
        add_triangle(low[0], high[1], high[0]);
        add_triangle(up, high[0], high[1]);
        add_triangle(rp_v3(0, 0, 0), low[1], low[0]);
    }
}

static void small_gaps_are_closed(void **state)
{
    (void)state;
    static const double gaps[] = {1e-12, 1e-9, 1.5e-6};
    double volume = 12 * rp_sin(2 * RP_PI / 24);
    for (int i = 0; i < 3; i++) {
        begin();
        add_cylinder(gaps[i]);
        check_solid(volume, 1e-5, rp_v3(0, 0, 0.5), true);
        check_warning(1, "2 vertices beside gaps of up to");
    }
    begin();
    add_cylinder(1e-5);
    check_refused("is open");
    /* What is closed stays as it is, however thin. */
    begin();
    add_box(rp_v3(0, 0, 0), rp_v3(1, 1, 1e-7), 0, false);
    check_solid(1e-7, 1e-12, rp_v3(0.5, 0.5, 0.5e-7), true);
    assert_int_equal(warnings, 0);
}

static void surfaces_that_cannot_be_oriented_are_refused(void **state)
{
    (void)state;
    /* The projective plane: half an icosahedron. */
    static const int faces[10][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1},
                                     {1, 2, 4}, {2, 3, 5}, {3, 4, 1}, {4, 5, 2}, {5, 1, 3}};
    static const rp_vec3 v[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 3}, {2, 1, 1}};
    begin();
    for (int f = 0; f < 10; f++)
        add_triangle(v[faces[f][0]], v[faces[f][1]], v[faces[f][2]]);
    check_refused("only one side");
    begin();
    add_cube(0, 0, 0, 1, false);
    add_triangle(rp_v3(0, 0, 0), rp_v3(1, 0, 0), rp_v3(0, -1, 1));
    check_refused("odd number of triangles");
    begin();
    for (int i = 1; i < 80; i++)
        add_cube(-i, -i, -i, 2 * i, false);
    check_refused("inside each other");
}

static void running_out_of_memory_is_a_fault(void **state)
{
    (void)state;
    rp_code code = RP_ERROR_MEMORY;
    int most = 0;
    begin();
    add_cube(0, 0, 0, 1, false);
    add_cube(1, 1, 0, 1, true);
    add_cube(0.5, 0, 0, 1, true);
    add_cylinder(1e-9);
    for (; code == RP_ERROR_MEMORY; most++) {
        rp_mesh *mesh;
        allocations_left = most;
        code = read_all(&mesh, NULL);
        allocations_left = -1;
        assert_true((code == RP_OK) == (mesh != NULL));
        rp_mesh_destroy(mesh);
    }
    assert_int_equal(code, RP_OK);
    assert_true(most > 20);
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
    hooks.log = take_log;
    hooks.allocate = allocate_some;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_turned_outward),
        cmocka_unit_test(triangles_follow_their_neighbors),
        cmocka_unit_test(parts_within_parts_are_cavities),
        cmocka_unit_test(parts_may_touch),
        cmocka_unit_test(what_overlaps_counts_once),
        cmocka_unit_test(small_gaps_are_closed),
        cmocka_unit_test(surfaces_that_cannot_be_oriented_are_refused),
        cmocka_unit_test(running_out_of_memory_is_a_fault),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
