/* Mass, centre and inertia: against textbook formulas, against the triangles of each shape, and
 * against a count of small cells, which shares nothing with the code under test. */
#include "check.h"

#include "base/memory.h"
#include "geom/mass.h"
#include "geom/shapes.h"

#define DENSITY 2650.0

static void check_inertia(const rp_mass *mass, const double wanted[6], double tolerance)
{
    for (int i = 0; i < 6; i++)
        check_near(mass->inertia[i], wanted[i], tolerance);
}

static void simple_solids_agree_with_the_textbook(void **state)
{
    (void)state;
    rp_mass mass;
    rp_shape box = {.kind = RP_SHAPE_BOX, .size = {0.4, 0.7, 1.1}};
    rp_shape_mass(&box, DENSITY, &mass);
    double m = DENSITY * 0.4 * 0.7 * 1.1;
    check_near(mass.mass, m, 1e-12 * m);
    check_inertia(
        &mass,
        (double[]){m * (0.49 + 1.21) / 12, m * (0.16 + 1.21) / 12, m * (0.16 + 0.49) / 12, 0, 0, 0},
        1e-13 * m);

    rp_shape ball = {.kind = RP_SHAPE_SPHERE, .radius = 0.6};
    rp_shape_mass(&ball, DENSITY, &mass);
    m = DENSITY * 4 / 3 * RP_PI * 0.216;
    double i = 0.4 * m * 0.36;
    check_inertia(&mass, (double[]){i, i, i, 0, 0, 0}, 1e-13 * m);

    rp_shape rod = {.kind = RP_SHAPE_CYLINDER, .radius = 0.5, .height = 0.8};
    rp_shape_mass(&rod, DENSITY, &mass);
    m = DENSITY * RP_PI * 0.25 * 0.8;
    i = m * (3 * 0.25 + 0.64) / 12;
    check_near(mass.mass, m, 1e-12 * m);
    check_near(mass.centre.z, 0, 1e-15);
    check_inertia(&mass, (double[]){i, i, m * 0.25 / 2, 0, 0, 0}, 1e-13 * m);
}

static void tapering_solids_agree_with_the_textbook(void **state)
{
    (void)state;
    rp_mass mass;
    rp_shape cone = {.kind = RP_SHAPE_CONE, .radius = 0.7, .height = 0.9};
    rp_shape_mass(&cone, DENSITY, &mass);
    double m = DENSITY * RP_PI * 0.49 * 0.9 / 3;
    double i = 3.0 / 80 * m * (4 * 0.49 + 0.81);
    check_near(mass.mass, m, 1e-12 * m);
    check_near(mass.centre.z, 0.9 / 4, 1e-15);
    check_inertia(&mass, (double[]){i, i, 0.3 * m * 0.49, 0, 0, 0}, 1e-13 * m);

    /* A pipe: the larger rod less the smaller one. */
    rp_shape pipe = {
        .kind = RP_SHAPE_FUNNEL, .radius = 0.4, .neck = 0.4, .height = 0.9, .thickness = 0.2};
    rp_shape_mass(&pipe, DENSITY, &mass);
    m = DENSITY * RP_PI * (0.36 - 0.16) * 0.9;
    i = m * (3 * (0.36 + 0.16) + 0.81) / 12;
    check_near(mass.mass, m, 1e-12 * m);
    check_near(mass.centre.z, 0.45, 1e-15);
    check_inertia(&mass, (double[]){i, i, m * (0.36 + 0.16) / 2, 0, 0, 0}, 1e-13 * m);
}

/* The corner of the cube: its moments about the axes are integrals that a pencil can do, and it has
 * products of inertia. Far away it must keep its digits. */
static void a_tetrahedron_has_products_of_inertia(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        rp_vec3 o = far ? rp_v3(300, -200, 100) : rp_v3(0, 0, 0);
        rp_mesh *mesh = rp_mesh_create();
        bool ok = true;
        rp_mesh_add_vertex(mesh, o, &ok);
        rp_mesh_add_vertex(mesh, rp_v3_add(o, rp_v3(1, 0, 0)), &ok);
        rp_mesh_add_vertex(mesh, rp_v3_add(o, rp_v3(0, 1, 0)), &ok);
        rp_mesh_add_vertex(mesh, rp_v3_add(o, rp_v3(0, 0, 1)), &ok);
        const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
        for (int t = 0; t < 4; t++)
            rp_mesh_add_triangle(mesh, faces[t][0], faces[t][1], faces[t][2], &ok);
        assert_true(ok);
        rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
        rp_mass mass;
        rp_shape_mass(&shape, 6, &mass); /* one kilogram */
        check_near(mass.mass, 1, 1e-12);
        check_near(mass.centre.x - o.x, 0.25, 1e-12);
        check_near(mass.centre.y - o.y, 0.25, 1e-12);
        /* Integrals over the corner: xx 1/60, xy 1/120, so about the centre 6/60 - 1/16 and
         * 6/120 - 1/16. */
        double square = 0.1 - 0.0625, product = 0.05 - 0.0625;
        check_inertia(&mass,
                      (double[]){2 * square, 2 * square, 2 * square, -product, -product, -product},
                      1e-12);
        rp_mesh_destroy(mesh);
    }
}

/* With twice the segments a quarter of the difference is left. */
static void triangles_tend_to_the_shape(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        rp_mass exact, found[2];
        rp_shape_mass(&shapes[s], DENSITY, &exact);
        check_near(exact.mass, DENSITY * rp_shape_volume(&shapes[s]), 1e-12 * exact.mass);
        for (int i = 0; i < 2; i++) {
            rp_mesh *mesh;
            check_ok(rp_shape_tessellate(&shapes[s], 64 << i, 0, &mesh, NULL), NULL);
            rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
            rp_shape_mass(&shape, DENSITY, &found[i]);
            rp_mesh_destroy(mesh);
        }
        for (int i = 0; i < 6; i++) {
            double coarse = found[0].inertia[i] - exact.inertia[i];
            double fine = found[1].inertia[i] - exact.inertia[i];
            check_near(coarse, 4 * fine, 1e-9 + 0.02 * fabs(coarse));
            check_near(fine, 0, 3e-3 * exact.inertia[0]);
        }
        check_near(found[1].centre.z, exact.centre.z, 1e-3);
        check_near(rp_hypot(found[1].centre.x, found[1].centre.y), 0, 1e-12);
    }
}

/* Cells of the bounding box whose middle is inside, each a point mass. */
static rp_mass count_cells(const rp_shape *shape, int cells)
{
    rp_mass sum = {0};
    rp_box3 box = rp_shape_bounds(shape);
    rp_vec3 edge = rp_v3_scale(rp_v3_sub(box.high, box.low), 1.0 / cells);
    double about[6] = {0};
    for (int n = 0; n < cells * cells * cells; n++) {
        rp_vec3 p = rp_v3(box.low.x + (n % cells + 0.5) * edge.x,
                          box.low.y + (n / cells % cells + 0.5) * edge.y,
                          box.low.z + ((double)(n / cells / cells) + 0.5) * edge.z);
        if (!rp_shape_contains(shape, p)) continue;
        double m = DENSITY * edge.x * edge.y * edge.z;
        sum.mass += m;
        sum.centre = rp_v3_madd(sum.centre, m, p);
        const double squares[6] = {p.x * p.x, p.y * p.y, p.z * p.z,
                                   p.x * p.y, p.x * p.z, p.y * p.z};
        for (int i = 0; i < 6; i++)
            about[i] += m * squares[i];
    }
    rp_vec3 c = sum.centre = rp_v3_scale(sum.centre, 1 / sum.mass);
    const double off[6] = {c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z};
    for (int i = 0; i < 6; i++)
        about[i] -= sum.mass * off[i];
    for (int i = 0; i < 3; i++) {
        sum.inertia[i] = about[(i + 1) % 3] + about[(i + 2) % 3];
        sum.inertia[3 + i] = -about[3 + i];
    }
    return sum;
}

static void cells_agree(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        rp_mass exact, counted = count_cells(&shapes[s], 100);
        rp_shape_mass(&shapes[s], DENSITY, &exact);
        check_near(counted.mass, exact.mass, 0.01 * exact.mass);
        check_near(counted.centre.z, exact.centre.z, 0.005);
        for (int i = 0; i < 6; i++)
            check_near(counted.inertia[i], exact.inertia[i], 0.015 * exact.inertia[0]);
    }
}

static void a_plane_is_infinite(void **state)
{
    (void)state;
    rp_shape plane = {.kind = RP_SHAPE_PLANE};
    rp_mass mass;
    rp_shape_mass(&plane, DENSITY, &mass);
    assert_true(isinf(mass.mass) && isinf(mass.inertia[0]) && isinf(mass.inertia[2]));
    assert_true(mass.centre.x == 0 && mass.inertia[4] == 0);
}

static void impossible_masses_are_known(void **state)
{
    (void)state;
    const rp_mass good = {.mass = 1, .inertia = {2, 3, 4, 0.5, -0.5, 1}};
    rp_mass bad[5] = {good, good, good, good, good};
    bad[0].mass = -1;
    bad[1].inertia[0] = -2;
    bad[2].inertia[3] = 2.5;
    bad[3].inertia[2] = 0.3;
    bad[4].inertia[1] = NAN;
    assert_true(rp_mass_is_sound(&good));
    for (int i = 0; i < 5; i++)
        assert_false(rp_mass_is_sound(&bad[i]));
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
        cmocka_unit_test(simple_solids_agree_with_the_textbook),
        cmocka_unit_test(tapering_solids_agree_with_the_textbook),
        cmocka_unit_test(a_tetrahedron_has_products_of_inertia),
        cmocka_unit_test(triangles_tend_to_the_shape),
        cmocka_unit_test(cells_agree),
        cmocka_unit_test(a_plane_is_infinite),
        cmocka_unit_test(impossible_masses_are_known),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
