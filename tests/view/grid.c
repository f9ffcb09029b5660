/* Grids: their nodes are where they should be, and height fields become surfaces that face up. */
#include "check.h"

#include "base/report.h"
#include "view/view.h"

#include <math.h>

#define NX 7
#define NY 5

static float heights[NX * NY];

/* A slope: z = 0.5 + 0.25 x - 0.5 y, at x from -1, y from 2. */
static rp_grid slope(void)
{
    rp_grid grid = {.name = "height",
                    .unit = "m",
                    .kind = RP_GRID_HEIGHT,
                    .size = {NX, NY, 1},
                    .spacing = {0.5, 0.25, 1},
                    .origin = {-1, 2, 0.5}};
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            heights[j * NX + i] = (float)(0.25 * (-1 + 0.5 * i) - 0.5 * (2 + 0.25 * j));
    grid.values = heights;
    return grid;
}

static void a_height_field_becomes_a_surface(void **state)
{
    (void)state;
    rp_grid grid = slope();
    rp_mesh *mesh;
    assert_int_equal(rp_grid_mesh(&grid, &mesh, NULL), RP_OK);
    assert_int_equal(mesh->vertex_count, NX * NY);
    assert_int_equal(mesh->triangle_count, 2 * (NX - 1) * (NY - 1));
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 c[3];
        rp_mesh_corners(mesh, t, c);
        rp_vec3 face = rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0]));
        assert_true(face.z > 0);
        area += 0.5 * face.z; /* seen from above */
        for (int k = 0; k < 3; k++)
            check_near(c[k].z, 0.5 + 0.25 * c[k].x - 0.5 * c[k].y, 1e-6);
    }
    check_near(area, 0.5 * (NX - 1) * 0.25 * (NY - 1), 1e-12);
    rp_mesh_destroy(mesh);
    grid.size[1] = 1;
    assert_int_equal(rp_grid_mesh(&grid, &mesh, NULL), RP_OK);
    assert_int_equal(mesh->triangle_count, 0);
    rp_mesh_destroy(mesh);
}

static void nodes_are_where_the_spacing_says(void **state)
{
    (void)state;
    rp_grid grid = slope();
    grid.kind = RP_GRID_VALUES;
    grid.size[2] = 3;
    assert_int_equal(rp_grid_count(&grid), 3 * NX * NY);
    rp_vec3 at = rp_grid_point(&grid, 2, 1, 2);
    check_near(at.x, 0, 1e-12);
    check_near(at.y, 2.25, 1e-12);
    check_near(at.z, 2.5, 1e-12);
}

static void impossible_grids_are_told(void **state)
{
    (void)state;
    rp_grid grid = slope();
    rp_view view = {.grids = &grid, .grid_count = 1};
    assert_int_equal(rp_grids_check(&view, NULL), RP_OK);
    assert_ptr_equal(rp_view_grid(&view, "height"), &grid);
    assert_null(rp_view_grid(&view, "depth"));
    grid.size[0] = grid.size[1] = SIZE_MAX / 2;
    assert_non_null(rp_grid_fault(&grid));
    grid = slope();
    grid.origin[2] = INFINITY;
    assert_non_null(rp_grid_fault(&grid));
    grid = slope();
    grid.kind = (rp_grid_kind)RP_GRID_KINDS;
    assert_int_equal(rp_grids_check(&view, NULL), RP_ERROR_INPUT);
    view.grid_count = RP_GRIDS_MAX + 1;
    assert_int_equal(rp_grids_check(&view, NULL), RP_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_height_field_becomes_a_surface),
        cmocka_unit_test(nodes_are_where_the_spacing_says),
        cmocka_unit_test(impossible_grids_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
