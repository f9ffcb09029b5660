/* Gravity along keys: exact at the keys, even in between, and what grains do under it. */
#include "worlds.h"

#include "scene/scene.h"

#define GRAINS "particles: {spacing: 5 cm}\nsolver: {method: null}\n"

static void check_gravity(const rp_scene *scene, double time, double x, double y, double z)
{
    rp_vec3 g = rp_scene_gravity(scene, time);
    check_near(g.x, x, 1e-12);
    check_near(g.y, y, 1e-12);
    check_near(g.z, z, 1e-12);
}

static void without_keys_it_stays(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(GRAINS "gravity: [1, 2, -3]\n");
    for (double time = 0; time < 3; time++)
        check_gravity(scene, time, 1, 2, -3);
    check_near(rp_scene_gravity_max(scene), sqrt(14), 1e-15);
    rp_scene_destroy(scene);
}

/* Ten metres a second squared turn by 60 degrees in two seconds: half a radian and more. */
static void the_direction_turns_at_an_even_rate(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(GRAINS "gravity: [0, 0, -1]\n"
                                      "gravity_keys:\n"
                                      "  - {time: 1 s, gravity: [0, 0, -10]}\n"
                                      "  - {time: 3 s, gravity: [8.660254037844386, 0, -5]}\n");
    check_gravity(scene, 0, 0, 0, -10);
    check_gravity(scene, 1, 0, 0, -10);
    for (int i = 0; i <= 8; i++) {
        double angle = RP_PI / 3 * i / 8;
        check_gravity(scene, 1 + i / 4.0, 10 * sin(angle), 0, -10 * cos(angle));
    }
    check_gravity(scene, 9, 8.660254037844386, 0, -5);
    check_near(rp_scene_gravity_max(scene), 10, 1e-12);
    rp_scene_destroy(scene);
}

static void the_length_changes_at_an_even_rate(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(GRAINS "gravity_keys:\n"
                                      "  - {time: 0, gravity: [0, 0, 0]}\n"
                                      "  - {time: 1, gravity: [0, 0, -4]}\n"
                                      "  - {time: 2, gravity: [0, 8, 0]}\n"
                                      "  - {time: 3, gravity: [0, 0, 0]}\n"
                                      "  - {time: 4, gravity: [0, 0, 0]}\n");
    double half = 6 * sqrt(0.5);
    check_gravity(scene, 0, 0, 0, 0);
    check_gravity(scene, 0.5, 0, 0, -2); /* no length has no direction: the neighbor's */
    check_gravity(scene, 1.5, 0, half, -half);
    check_gravity(scene, 2.75, 0, 2, 0);
    check_gravity(scene, 3.5, 0, 0, 0);
    check_near(rp_scene_gravity_max(scene), 8, 0);
    rp_scene_destroy(scene);
}

static void only_opposite_keys_are_refused(void **state)
{
    (void)state;
    assert_true(rp_gravity_is_opposite(rp_v3(0, 0, -9.81), rp_v3(0, 0, 3)));
    assert_true(rp_gravity_is_opposite(rp_v3(1, 2, 3), rp_v3(-2, -4, -6)));
    assert_false(rp_gravity_is_opposite(rp_v3(0, 0, -9.81), rp_v3(0, 0, -3)));
    assert_false(rp_gravity_is_opposite(rp_v3(0, 0, -1), rp_v3(0.001, 0, 1)));
    assert_false(rp_gravity_is_opposite(rp_v3(0, 0, -1), rp_v3(0, 0, 0)));
}

/* Gravity that grows from nothing: v = a t^2 / 2, which steps at their middles meet exactly. */
static void grains_fall_as_it_says(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(GRAINS "gravity_keys:\n"
                                      "  - {time: 0, gravity: [0, 0, 0]}\n"
                                      "  - {time: 1, gravity: [0, 0, -10]}\n"
                                      "sources: {one: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    run_world(world, 1);
    rp_view view;
    rp_world_view(world, &view);
    assert_int_equal(view.count, 8);
    for (size_t i = 0; i < view.count; i++)
        check_near(view.vz[i], -5, 1e-5);
    run_world(world, 2); /* and then it stays */
    rp_world_view(world, &view);
    for (size_t i = 0; i < view.count; i++)
        check_near(view.vz[i], -15, 1e-4);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_keys_it_stays),
        cmocka_unit_test(the_direction_turns_at_an_even_rate),
        cmocka_unit_test(the_length_changes_at_an_even_rate),
        cmocka_unit_test(only_opposite_keys_are_refused),
        cmocka_unit_test(grains_fall_as_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
