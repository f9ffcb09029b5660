/* The case `null`: a whole step of a world without physics, as a user's program would take it. It
 * is the lower bound of what any solver costs: flight, walls, cell order, neighbor lists, a density
 * sum.
 *
 * Least work, in bytes: that of the case `neighbor`, and besides positions and velocities read and
 * written once for the flight, and for the density every neighbor's number read once, every
 * position and mass read once and a density written. */
#include "base/report.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "repose/repose.h"

#include <math.h>
#include <stdio.h>

#define STEPS 15
#define WARM_UP 3
#define NEIGHBORS 32
#define FLIGHT_BYTES (2 * 24)
#define DENSITY_BYTES (16 + 4 + 4 * NEIGHBORS)

static rp_code make_world(size_t size, rp_threads *threads, rp_scene **scene, rp_world **world,
                          rp_report *report)
{
    char source[256];
    double edge = 0.01 * ceil(cbrt((double)size));
    snprintf(source, sizeof source,
             "{shape: box, size: [%.17g, %.17g, %.17g], velocity: [0.3, 0.2, 0.1]}", edge, edge,
             0.01 * ceil((double)size / pow(ceil(cbrt((double)size)), 2)));
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles", "{spacing: 1 cm, jitter: 0.5}");
    rp_draft_set(draft, "domain", "{low: [-1000, -1000, -1000], high: [1000, 1000, 1000]}");
    rp_draft_set(draft, "gravity", "[0, 0, 0]");
    rp_draft_set(draft, "time", "{step: 1 ms}");
    rp_draft_set(draft, "solver", "{method: null, density: yes}");
    rp_draft_set(draft, "sources.all", source);
    rp_code code = rp_draft_finish(draft, scene, report);
    rp_world_options options = rp_default_world_options();
    options.threads = rp_threads_count(threads);
    return code == RP_OK ? rp_world_create(*scene, &options, world, report) : code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    const rp_bench_machine *machine = &setup->machine;
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    double seconds[STEPS];
    rp_code code = make_world(setup->size, setup->threads, &scene, &world, report);
    for (int i = -WARM_UP; i < STEPS && code == RP_OK; i++) {
        double start = rp_clock();
        code = rp_world_step(world, report);
        if (i >= 0) seconds[i] = rp_clock() - start;
    }
    if (code == RP_OK) {
        rp_view view;
        rp_world_view(world, &view);
        double least = rp_bench_least_sort(machine, view.count) +
                       rp_bench_least_lists(machine, view.count, NEIGHBORS) +
                       (double)view.count * (FLIGHT_BYTES + DENSITY_BYTES) / machine->bandwidth;
        rp_bench_add(list, rp_bench_result_of("null", view.count, seconds, STEPS, least));
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

const rp_bench_case rp_bench_null = {
    "null", "a whole step without physics: flight, order, neighbors, density", 1000000, run};
