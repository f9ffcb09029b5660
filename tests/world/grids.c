/* Grids of a solver reach views: after creation, after each step and after a load. */
#include "worlds.h"

#include "world/world.h"

static float height[6];
static int calls;

/* What a solver with a height field would do; the heights tell how often it was asked. */
static int toy_grids(const void *state, rp_grid grids[RP_GRIDS_MAX])
{
    assert_non_null(state);
    calls++;
    for (int i = 0; i < 6; i++)
        height[i] = (float)calls;
    grids[0] = (rp_grid){.name = "height",
                         .unit = "m",
                         .kind = RP_GRID_HEIGHT,
                         .size = {3, 2, 1},
                         .spacing = {0.1, 0.1, 1},
                         .values = height};
    return 1;
}

static void views_carry_the_grids_of_the_solver(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    assert_int_equal(view.grid_count, 0);
    rp_solver_type toy = *world->type;
    const rp_solver_type *own = world->type;
    toy.grids = toy_grids;
    world->type = &toy;
    rp_snapshot *snapshot = NULL;
    assert_int_equal(rp_world_snapshot(world, &snapshot, NULL), RP_OK);
    for (int step = 1; step <= 3; step++) {
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
        rp_world_view(world, &view);
        assert_int_equal(view.grid_count, 1);
        assert_ptr_equal(rp_view_grid(&view, "height")->values, height);
        assert_true(height[0] == (float)calls && calls >= step);
    }
    int before = calls;
    assert_int_equal(rp_world_restore(world, snapshot, NULL), RP_OK);
    rp_world_view(world, &view);
    assert_true(calls > before && view.grid_count == 1);
    rp_snapshot_destroy(snapshot);
    world->type = own;
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_carry_the_grids_of_the_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
