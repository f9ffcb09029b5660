/* Memory runs out at every allocation in turn: each time an error is reported, nothing crashes and
 * nothing is left behind. */
#include "worlds.h"

#include "base/memory.h"

#include <stdlib.h>

static long until_failure = -1; /* allocations; negative: never */

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (until_failure == 0) return NULL;
    if (until_failure > 0) until_failure--;
    return aligned_alloc(alignment, size);
}

/* What a host program changes; a call that fails leaves the grains as they were. */
static rp_code change(rp_world *world)
{
    rp_view before, after;
    rp_grains_def def = rp_default_grains();
    const size_t index = 2;
    const uint32_t id = 7;
    const rp_query *query;
    def.count = 2;
    def.position = (const double[]){0.5, 0.5, 2, -0.5, 0.5, 2};
    rp_world_view(world, &before);
    rp_code code = rp_world_add_source(world, "more",
                                       "{shape: sphere, radius: 15 cm, position: "
                                       "[0.5, -0.5, 2]}",
                                       NULL);
    rp_world_view(world, &after);
    assert_true(code == RP_OK || after.count == before.count);
    if (code == RP_OK) code = rp_world_add_grains(world, &def, NULL, NULL, NULL);
    if (code == RP_OK) code = rp_world_remove_grains(world, &index, 1, NULL);
    if (code == RP_OK) code = rp_world_remove_ids(world, &id, 1, NULL, NULL);
    if (code == RP_OK) code = rp_world_switch_emitter(world, 0, false, NULL);
    if (code == RP_OK) code = rp_world_query(world, &query, NULL);
    return code;
}

/* A short life with everything in it. */
static rp_code live(const rp_scene *scene)
{
    rp_world_options options = rp_default_world_options();
    options.threads = 1;
    rp_world *world = NULL;
    rp_snapshot *snapshot = NULL;
    rp_emitter_def spout = rp_default_emitter();
    rp_code code = rp_world_create(scene, &options, &world, NULL);
    if (code == RP_OK) code = rp_world_add_emitter(world, &spout, NULL);
    if (code == RP_OK) code = rp_world_add_force(world, 0, 1, 0, 0, NULL);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = rp_world_step(world, NULL);
    if (code == RP_OK) code = change(world);
    if (code == RP_OK) code = rp_world_snapshot(world, &snapshot, NULL);
    if (code == RP_OK) code = rp_world_restore(world, snapshot, NULL);
    if (code == RP_OK) code = rp_world_step(world, NULL);
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(world);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    rp_hooks hooks = rp_default_hooks();
    hooks.allocate = failing_allocate;
    rp_set_hooks(&hooks);
    rp_scene *scene = scene_of("particles: {spacing: 10 cm}\n"
                               "solver: {method: null, density: yes}\n"
                               "domain: {low: [-1, -1, 0], high: [1, 1, 3], periodic: [x]}\n"
                               "sources: {b: {shape: box, size: [1, 1, 1], position: [0, 0, 1]}}\n"
                               "emitters: {e: {radius: 20 cm, position: [0, 0, 2.5]}}\n"
                               "bodies: {s: {shape: sphere, radius: 30 cm}}\n");
    size_t before = rp_memory_now().bytes;
    int failures = 0;
    for (long n = 0;; n++) {
        until_failure = n;
        rp_code code = live(scene);
        until_failure = -1;
        assert_int_equal(rp_memory_now().bytes, before);
        if (code == RP_OK) break;
        assert_int_equal(code, RP_ERROR_MEMORY);
        failures++;
    }
    assert_true(failures > 50);
    rp_scene_destroy(scene);
    hooks = rp_default_hooks();
    rp_set_hooks(&hooks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
