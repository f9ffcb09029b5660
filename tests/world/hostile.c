/* States that were tampered with are refused or stepped on from, and never harm. */
#include "worlds.h"

#include "base/random.h"
#include "solver/dem/dem.h"
#include "world/mutate.h"
#include "world/world.h"

#include <math.h>

#define ROUNDS 1500

/* Lets `other` take the state of `world` with one thing wrong, again and again. */
static void attack(const rp_world *world, rp_world *other, uint64_t rounds)
{
    rp_store whole;
    rp_store_begin(&whole);
    assert_int_equal(rp_world_write_state(world, &whole, NULL), RP_OK);
    uint64_t refused = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        rp_random4 random = rp_random(9, RP_RANDOM_TEST, round);
        rp_store broken;
        rp_report *report = rp_report_create();
        rp_store_begin(&broken);
        mutate_store(&whole, &broken, random.bits);
        rp_code code = rp_world_read_state(other, &broken, report);
        assert_true((code == RP_OK) == (rp_report_count(report) == 0));
        if (code == RP_OK) rp_world_step(other, NULL); /* which may fail, but not crash */
        refused += code != RP_OK;
        rp_store_end(&broken);
        rp_report_destroy(report);
    }
    assert_true(refused > rounds / 3);
    assert_int_equal(rp_world_read_state(other, &whole, NULL),
                     RP_OK); /* and a sound one heals all */
    assert_true(rp_world_hash(other) == rp_world_hash(world));
    rp_store_end(&whole);
}

static void states_with_something_wrong(void **state)
{
    (void)state;
    size_t before = rp_memory_now().bytes;
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_world *world = world_of(scene, 1), *other = world_of(scene, 1);
    run_world(world, 0.1);
    attack(world, other, ROUNDS);
    rp_world_destroy(other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    assert_int_equal(rp_memory_now().bytes, before);
}

#define DRIVEN_SCENE                                                                               \
    "particles: {spacing: 5 cm}\n"                                                                 \
    "solver: {method: null}\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  post: {shape: box, size: [0.1, 0.1, 0.1], position: [0, 1, 0]}\n"                           \
    "  arm: {shape: sphere, radius: 5 cm, position: [0.5, 0, 0], motion: dynamic, mass: 2 kg}\n"   \
    "  rotor: {shape: box, size: [0.3, 0.05, 0.05], position: [2, 0, 0], motion: keys, spin: [0, " \
    "0, 1]}\n"                                                                                     \
    "joints: {elbow: {kind: hinge, body: arm, other: post, anchor: [0, 0, 0], axis: [0, 1, 0]}}\n"

/* The same of a world whose bodies and joints the program drives, added to and removed from. */
static void states_of_driven_bodies(void **state)
{
    (void)state;
    const double place[3] = {1, 1, 1}, force[3] = {0, 1, 0};
    rp_scene *scene = scene_of(DRIVEN_SCENE);
    rp_world *world = world_of(scene, 1), *other = world_of(scene, 1);
    check_ok(rp_body_take_control(world, 0, NULL), NULL);
    check_ok(rp_body_move_to(world, 0, place, NULL, 1, NULL), NULL);
    check_ok(rp_joint_set_target(world, 0, 1, 1, 100, NULL), NULL);
    check_ok(rp_world_remove_body(world, 2, NULL), NULL);
    check_ok(rp_world_add_body(world, "ball",
                               "{shape: sphere, radius: 5 cm, position: [0, 0, 5], motion: "
                               "dynamic, mass: 1 kg}",
                               NULL, NULL),
             NULL);
    check_ok(rp_world_add_joint(world, "rope", "{kind: ball, body: ball, anchor: [0, 0, 6]}", NULL,
                                NULL),
             NULL);
    run_world(world, 0.1);
    check_ok(rp_body_add_force(world, 1, force, NULL), NULL);
    attack(world, other, ROUNDS);
    rp_world_destroy(other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

#define RESTING_SCENE                                                                              \
    "particles: {spacing: 5 cm}\n"                                                                 \
    "domain: {low: [-1, -1, 0], high: [1, 1, 1], roughness: {radius: 1 cm, period: 3 cm}}\n"       \
    "sources: {block: {shape: box, size: [0.2, 0.2, 0.1], position: [0, 0, 0.05]}}\n"              \
    "grains: {beads: {shape: sphere, diameter: 4 cm}}\n"                                           \
    "solver: {method: dem}\n"

/* Floats that are kept as bits pass where others are checked. */
static void springs_of_walls_are_numbers(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(RESTING_SCENE);
    rp_world *world = world_of(scene, 1);
    run_world(world, 0.2);
    rp_store store;
    rp_store_begin(&store);
    assert_int_equal(rp_world_write_state(world, &store, NULL), RP_OK);
    const rp_store_entry *walls = rp_store_find(&store, "dem/walls");
    assert_true(walls && walls->count >= 5);
    assert_int_equal(rp_world_read_state(world, &store, NULL), RP_OK);
    float spring = NAN;
    memcpy((char *)walls->data + offsetof(rp_dem_wall, history), &spring, sizeof spring);
    assert_int_equal(rp_world_read_state(world, &store, NULL), RP_ERROR_DAMAGED);
    rp_store_end(&store);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* The floor has 67 fixed grains along each side. */
static void fixed_grains_are_there(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(RESTING_SCENE);
    rp_world *world = world_of(scene, 1);
    run_world(world, 0.2);
    rp_store store;
    rp_store_begin(&store);
    assert_int_equal(rp_world_write_state(world, &store, NULL), RP_OK);
    const rp_store_entry *entry = rp_store_find(&store, "dem/walls");
    assert_true(entry && entry->count >= sizeof(rp_dem_wall) / sizeof(uint32_t));
    rp_dem_wall *walls = (rp_dem_wall *)(uintptr_t)entry->data;
    size_t count = entry->count * sizeof(uint32_t) / sizeof *walls, fixed = 0;
    while (fixed < count && rp_dem_is_smooth(walls[fixed].fixed))
        fixed++;
    assert_true(fixed < count); /* some grain lies on one */
    const int32_t wrong[] = {-1, 67, INT32_MAX};
    for (int n = 0; n < 3; n++) {
        rp_fixed_grain before = walls[fixed].fixed;
        walls[fixed].fixed.j = wrong[n];
        assert_int_equal(rp_world_read_state(world, &store, NULL), RP_ERROR_DAMAGED);
        walls[fixed].fixed = before;
        assert_int_equal(rp_world_read_state(world, &store, NULL), RP_OK);
    }
    rp_store_end(&store);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_with_something_wrong),
        cmocka_unit_test(states_of_driven_bodies),
        cmocka_unit_test(springs_of_walls_are_numbers),
        cmocka_unit_test(fixed_grains_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
