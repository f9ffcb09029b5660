/* Height fields in pictures: a surface in the colour of its material, where the camera says, lit,
 * with grains and bodies before and behind it; other grids are not seen. */
#include "check.h"

#include "picture/picture.h"
#include "render/stage.h"

#include <math.h>
#include <stdlib.h>

#define NODES 65

static stage s;
static float heights[NODES * NODES];
static rp_grid grid;

/* A cone, 0.5 m high and 1.6 m across, on flat ground 2 m wide. */
static void put_cone(int material)
{
    grid = (rp_grid){.name = "height",
                     .unit = "m",
                     .kind = RP_GRID_HEIGHT,
                     .material = (uint8_t)material,
                     .size = {NODES, NODES, 1},
                     .spacing = {2.0 / (NODES - 1), 2.0 / (NODES - 1), 1},
                     .origin = {-1, -1, -0.3},
                     .values = heights};
    for (int j = 0; j < NODES; j++)
        for (int i = 0; i < NODES; i++) {
            double x = -1 + i * grid.spacing[0], y = -1 + j * grid.spacing[1];
            heights[j * NODES + i] = (float)fmax(0, 0.5 * (1 - hypot(x, y) / 0.8));
        }
    s.view.grids = &grid;
    s.view.grid_count = 1;
}

static void a_height_field_is_a_surface(void **state)
{
    (void)state;
    stage_clear(&s);
    rp_picture *empty = stage_paint(&s, 201, 151, NULL);
    put_cone(RED);
    rp_picture *picture = stage_paint(&s, 201, 151, NULL);
    const uint8_t *middle = rp_picture_at(picture, 100, 75), *sky = rp_picture_at(picture, 100, 5);
    assert_true(middle[0] > 2 * middle[2] && middle[0] > 60);
    assert_memory_equal(sky, rp_picture_at(empty, 100, 5), 3);
    grid.kind = RP_GRID_VALUES;
    rp_picture *values = stage_paint(&s, 201, 151, NULL);
    assert_true(stage_same(values, empty));
    rp_picture_destroy(values);
    rp_picture_destroy(picture);
    rp_picture_destroy(empty);
}

/* A grain in front of the slope is seen, one within the heap is not. */
static void grains_and_heights_hide_each_other(void **state)
{
    (void)state;
    stage_clear(&s);
    put_cone(RED);
    rp_picture *bare = stage_paint(&s, 101, 101, NULL);
    stage_add(&s, 0, 0, -0.1, BLUE);
    rp_picture *within = stage_paint(&s, 101, 101, NULL);
    assert_true(stage_difference(bare, within) < 0.05);
    stage_add(&s, 0, -0.8, 0, BLUE);
    rp_picture *before = stage_paint(&s, 101, 101, NULL);
    const uint8_t *middle = rp_picture_at(before, 50, 50);
    assert_true(middle[2] > 2 * middle[0]);
    rp_picture_destroy(before);
    rp_picture_destroy(within);
    rp_picture_destroy(bare);
}

/* The automatic camera shows the whole of a view that has no grains at all. */
static void a_camera_finds_heights(void **state)
{
    (void)state;
    stage_clear(&s);
    s.scene.cameras.count = 0;
    put_cone(SAND);
    grid.origin[0] = 99;
    rp_picture *picture = stage_paint(&s, 160, 120, NULL);
    int sand = 0;
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 160; x++) {
            const uint8_t *p = rp_picture_at(picture, x, y);
            sand += p[0] > p[2] + 40;
        }
    assert_true(sand > 160 * 120 / 5);
    rp_picture_destroy(picture);
}

static void impossible_grids_make_no_picture(void **state)
{
    (void)state;
    stage_clear(&s);
    put_cone(SAND);
    heights[5] = NAN;
    rp_report *report = rp_report_create();
    rp_picture *picture = NULL;
    assert_int_equal(rp_paint(&s.view, &s.scene, &s.options, NULL, &picture, report),
                     RP_ERROR_NUMERIC);
    assert_null(picture);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_height_field_is_a_surface),
        cmocka_unit_test(grains_and_heights_hide_each_other),
        cmocka_unit_test(a_camera_finds_heights),
        cmocka_unit_test(impossible_grids_make_no_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
