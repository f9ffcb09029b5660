/* States of a world with something wrong in them, taken and stepped on from: refused or survived.
 */
#include "world/mutate.h"
#include "world/world.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] =
    "particles: {spacing: 10 cm}\n"
    "domain: {low: [-1, -1, 0], high: [1, 1, 3], periodic: [y], open: [left]}\n"
    "sources: {block: {shape: box, size: [0.5, 0.5, 0.5], position: [0, 0, 1]}}\n"
    "emitters: {spout: {radius: 20 cm, position: [0, 0, 2]}}\n"
    "bodies: {stone: {shape: sphere, radius: 30 cm}}\n"
    "solver: {method: null, density: yes}\n";

static rp_world *world;
static rp_store whole;

static void make_world(void)
{
    rp_scene *scene = NULL;
    rp_world_options options = rp_default_world_options();
    options.threads = 1;
    options.memory_limit = 80 << 20; /* some ten thousand grains: more would only be slow */
    if (rp_scene_parse(text, "fuzz", &scene, NULL) != RP_OK) abort();
    if (rp_world_create(scene, &options, &world, NULL) != RP_OK) abort();
    if (rp_world_run_to(world, 0.1, NULL) != RP_OK) abort();
    rp_store_begin(&whole);
    if (rp_world_write_state(world, &whole, NULL) != RP_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!world) make_world();
    uint32_t numbers[4] = {0};
    memcpy(numbers, data, size < sizeof numbers ? size : sizeof numbers);
    rp_store broken;
    rp_store_begin(&broken);
    mutate_store(&whole, &broken, numbers);
    rp_report *report = rp_report_create();
    rp_code code = rp_world_read_state(world, &broken, report);
    if ((code == RP_OK) != (rp_report_count(report) == 0)) abort();
    if (code == RP_OK) rp_world_step(world, NULL);
    rp_report_destroy(report);
    rp_store_end(&broken);
    return 0;
}
