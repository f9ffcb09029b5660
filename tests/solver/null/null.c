/* The null solver's physics: bounces, steps, densities, forces on bodies. */
#include "worlds.h"

#include "solver/null/null.h"

#include <string.h>

static void bounces_keep_to_coulomb(void **state)
{
    (void)state;
    rp_vec3 up = rp_v3(0, 0, 1);
    rp_vec3 after = rp_null_bounce(rp_v3(3, 0, -2), up, 0.5, 0.25);
    check_near(after.z, 1, 1e-15);
    check_near(after.x, 3 - 0.25 * 1.5 * 2, 1e-15);
    after = rp_null_bounce(rp_v3(0.1, 0, -2), up, 0.5, 0.25); /* friction stops, never reverses */
    assert_true(after.x == 0 && after.y == 0);
    after = rp_null_bounce(rp_v3(1, 2, 3), up, 0.5, 0.25); /* leaving already */
    assert_true(after.x == 1 && after.y == 2 && after.z == 3);
}

static void travel_time_covers_the_distance(void **state)
{
    (void)state;
    double dt = rp_null_travel_time(0.01, 2, 9.81);
    check_near(2 * dt + 9.81 * dt * dt / 2, 0.01, 1e-15);
    check_near(rp_null_travel_time(0.01, 2, 0), 0.005, 1e-15);
    assert_true(isinf(rp_null_travel_time(0.01, 0, 0)));
}

static void a_packed_lattice_has_its_material_density(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("gravity: [0, 0, 0]\n"
                               "particles: {spacing: 1 cm, jitter: 0}\n"
                               "domain: {low: [-0.05, -0.05, -0.05], high: [0.05, 0.05, 0.05], "
                               "periodic: [x, y, z]}\n"
                               "materials: {sand: {density: 1600}}\n"
                               "sources: {all: {shape: box, size: [10 cm, 10 cm, 10 cm]}}\n"
                               "solver: {method: null, density: yes}\n");
    rp_world *world = world_of(scene, 2);
    assert_int_equal(rp_world_step(world, NULL), RP_OK);
    rp_view view;
    rp_world_view(world, &view);
    assert_int_equal(view.count, 1000);
    for (size_t i = 0; i < view.count; i++)
        check_near(view.density[i], 1600, 0.5);
    check_near(step_number(world, "density_error"), 0, 1e-3);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Momentum that grains lose is what the body's force says, summed over the steps. */
static void bodies_feel_what_grains_lose(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("gravity: [0, 0, 0]\n"
                               "particles: {spacing: 2 cm}\n"
                               "materials: {sand: {density: 1600, friction: 0.3}}\n"
                               "sources: {all: {shape: box, size: [20 cm, 20 cm, 20 cm], position: "
                               "[0, 0, 0.5], velocity: [1, 0, -3]}}\n"
                               "bodies: {ball: {shape: sphere, radius: 15 cm, friction: 0.3}}\n"
                               "solver: {method: null}\n");
    rp_world *world = world_of(scene, 2);
    double before[3] = {0}, after[3] = {0}, impulse[3] = {0};
    rp_view view;
    rp_world_view(world, &view);
    for (size_t i = 0; i < view.count; i++) {
        before[0] += (double)view.mass[i] * (double)view.vx[i];
        before[2] += (double)view.mass[i] * (double)view.vz[i];
    }
    while (rp_world_time(world) < 0.3) {
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
        rp_world_view(world, &view);
        for (int a = 0; a < 3; a++)
            impulse[a] += view.bodies[0].force[a] * view.dt;
    }
    for (size_t i = 0; i < view.count; i++) {
        after[0] += (double)view.mass[i] * (double)view.vx[i];
        after[2] += (double)view.mass[i] * (double)view.vz[i];
    }
    assert_true(fabs(impulse[2]) > 0.1 * fabs(before[2]));
    check_near(impulse[0], before[0] - after[0], 1e-5 * fabs(before[2]));
    check_near(impulse[2], before[2] - after[2], 1e-5 * fabs(before[2]));
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void grains_stay_out_of_bodies_and_inside_walls(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 3 cm}\n"
                               "domain: {low: [-0.4, -0.4, 0], high: [0.4, 0.4, 2]}\n"
                               "sources: {all: {shape: box, size: [60 cm, 60 cm, 60 cm], position: "
                               "[0, 0, 1.2]}}\n"
                               "bodies: {stone: {shape: cylinder, radius: 15 cm, height: 40 cm, "
                               "position: [0, 0, 0.2]}}\n"
                               "solver: {method: null}\n");
    rp_world *world = world_of(scene, 2);
    for (int frame = 1; frame <= 30; frame++) {
        run_world(world, frame * 0.1);
        rp_view view;
        rp_world_view(world, &view);
        for (size_t i = 0; i < view.count; i++) {
            double beside = hypot(view.x[i], view.y[i]) - 0.15, above = view.z[i] - 0.4;
            assert_true(view.z[i] > 0.0149f);
            assert_true(fabsf(view.x[i]) < 0.3851f && fabsf(view.y[i]) < 0.3851f);
            assert_true(hypot(fmax(beside, 0), fmax(above, 0)) > 0.0149);
        }
    }
    assert_true(rp_world_step_info(world).max_speed < 0.5); /* they come to rest */
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_keep_to_coulomb),
        cmocka_unit_test(travel_time_covers_the_distance),
        cmocka_unit_test(a_packed_lattice_has_its_material_density),
        cmocka_unit_test(bodies_feel_what_grains_lose),
        cmocka_unit_test(grains_stay_out_of_bodies_and_inside_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
