/* Writes a run whose frames hold a height field and a grid of values and no grains, for grids.sh: a
 * cone that grows from frame to frame. */
#include "record/fixture.h"

#define NODES 33
#define SCENE                                                                                      \
    "title: growing cone\n"                                                                        \
    "time: {duration: 0.2 s, frame_rate: 10}\n"                                                    \
    "particles: {spacing: 1 cm}\n"

static float height[NODES * NODES];

static void grow_cone(rp_grid *grid, double radius)
{
    *grid = (rp_grid){.name = "height",
                      .unit = "m",
                      .kind = RP_GRID_HEIGHT,
                      .size = {NODES, NODES, 1},
                      .spacing = {1.0 / (NODES - 1), 1.0 / (NODES - 1), 1},
                      .origin = {-0.5, -0.5, 0},
                      .values = height};
    for (int j = 0; j < NODES; j++)
        for (int i = 0; i < NODES; i++) {
            double x = -0.5 + i * grid->spacing[0], y = -0.5 + j * grid->spacing[1];
            height[j * NODES + i] = (float)fmax(0, 0.6 * (radius - hypot(x, y)));
        }
}

int main(int count, char **arguments)
{
    if (count < 2) return 2;
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_record *record = NULL;
    check_ok(rp_scene_parse(SCENE, "cone", &scene, report), report);
    check_ok(rp_record_create(arguments[1], scene, 1, &record, report), report);
    for (int i = 0; i < 3; i++) {
        rp_grid grids[2];
        grow_cone(&grids[0], 0.2 + 0.1 * i);
        grids[1] = (rp_grid){"flux", "m2/s", RP_GRID_VALUES, 0, {2, 3, 1}, {1, 1, 1}, {0}, height};
        rp_view view = {.time = 0.1 * i, .spacing = 0.01, .grids = grids, .grid_count = 2};
        check_ok(rp_record_write_frame(record, i, &view, report), report);
    }
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return 0;
}
