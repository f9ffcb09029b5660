/* The case `sizes`: what grains of very different sizes cost beside equal ones.
 *
 * Boxes of grains of 2 mm with others that are 3, 10 and 30 times as large, each half of the
 * volume, and a ball a hundred times as large on a bed; young 10 MPa, steps of 10 us. They settle
 * under twice the earth's gravity, then take steps in turns, and lists are built every 25 steps, as
 * often as in a flow. The cost of a sphere is reported relative to that among equal grains, in the
 * same run. */
#include "base/report.h"
#include "bench/bench.h"
#include "repose/repose.h"
#include "solver/dem/dem.h"
#include "world/world.h"

#include <stdio.h>

#define SETTLING 0.025 /* s */
#define TURNS 7
#define TURN 25 /* steps, of which the first builds lists */
#define BOXES 5

/* Small grains, `share` of them to a large one of `ratio` times the size. */
typedef struct mixture {
    const char *name;
    double ratio, share;
    double width, height; /* m, of the box, and of what is filled with the mixture */
    bool on_top;          /* the large one lies on the small ones */
} mixture;

static const mixture mixtures[BOXES] = {
    {"sizes-equal", 1, 0, 0.07, 0.07, false},       {"sizes-1-to-3", 3, 27, 0.07, 0.07, false},
    {"sizes-1-to-10", 10, 1000, 0.07, 0.07, false}, {"sizes-1-to-30", 30, 27000, 0.07, 0.07, false},
    {"sizes-1-to-100", 100, 1, 0.21, 0.015, true},
};

static void describe(const mixture *m, rp_draft *draft)
{
    char text[256];
    double width = m->width, height = m->height, large = 2e-3 * m->ratio;
    snprintf(text, sizeof text, "{low: [0, 0, 0], high: [%g, %g, 1], open: [top]}", width, width);
    rp_draft_set(draft, "domain", text);
    snprintf(text, sizeof text, "{shape: box, size: [%g, %g, %g], position: [%g, %g, %g]}", width,
             width, height, width / 2, width / 2, height / 2);
    rp_draft_set(draft, "sources.bed", text);
    rp_draft_set(draft, "materials.glass", "{young: 10 MPa, friction: 0.5, restitution: 0.5}");
    snprintf(text, sizeof text, "{shape: sphere, diameter: 2 mm, share: %g}",
             m->share > 0 ? m->share : 1);
    rp_draft_set(draft, "grains.small", text);
    if (!(m->share > 0)) return;
    snprintf(text, sizeof text, "{shape: sphere, diameter: %g%s}", large,
             m->on_top ? ", material: stone" : "");
    rp_draft_set(draft, "grains.large", text);
    if (!m->on_top) return;
    rp_draft_set(draft, "materials.stone", "{young: 10 MPa, friction: 0.5, restitution: 0.5}");
    snprintf(text, sizeof text,
             "{shape: box, size: [%g, %g, %g], position: [%g, %g, %g], material: stone}", width,
             width, 1.05 * large, width / 2, width / 2, height + 0.53 * large);
    rp_draft_set(draft, "sources.ball", text);
}

/* One box. */
typedef struct trial {
    rp_scene *scene;
    rp_world *world;
    size_t bytes;          /* that the world holds */
    double seconds[TURNS]; /* of a step */
    double lists;          /* s, of building all lists */
} trial;

static rp_code begin_trial(const rp_bench_setup *setup, const mixture *m, trial *t,
                           rp_report *report)
{
    size_t held = rp_memory_now().bytes;
    rp_world_options options = rp_default_world_options();
    options.threads = rp_threads_count(setup->threads);
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles", "{spacing: 2.05 mm, jitter: 0.02}");
    rp_draft_set(draft, "time", "{step: 1e-5 s}");
    rp_draft_set(draft, "gravity", "[0, 0, -19.62]");
    rp_draft_set(draft, "solver", "{method: dem}");
    describe(m, draft);
    rp_code code = rp_draft_finish(draft, &t->scene, report);
    if (code == RP_OK) code = rp_world_create(t->scene, &options, &t->world, report);
    if (code == RP_OK) code = rp_world_run_to(t->world, SETTLING, report);
    t->bytes = rp_memory_now().bytes - held;
    return code;
}

/* Seconds that lists have taken so far. */
static double list_seconds(const rp_world *world)
{
    rp_bench_stages stages = rp_bench_stages_of(world);
    return stages.stages[rp_bench_stage(&stages, "lists")].seconds;
}

static rp_code take_turn(trial *t, int turn, rp_report *report)
{
    rp_dem *solver = t->world->solver;
    rp_code code = RP_OK;
    double start = rp_clock(), lists = list_seconds(t->world);
    solver->displacement = HUGE_VAL; /* new lists */
    for (int i = 0; i < TURN && code == RP_OK; i++)
        code = rp_world_step(t->world, report);
    t->seconds[turn] = (rp_clock() - start) / TURN;
    t->lists += list_seconds(t->world) - lists;
    return code;
}

static rp_code report_trial(rp_bench_list *list, const mixture *m, trial *t, double cost,
                            rp_report *report)
{
    size_t count = t->world->grains.count;
    double grains = (double)count;
    rp_view view;
    rp_code code = rp_world_contacts(t->world, &view, report);
    RP_TRY(code);
    rp_bench_result result = rp_bench_result_of(m->name, count, t->seconds, TURNS, 0);
    rp_bench_note(&result, "cost", cost, "of an equal grain");
    rp_bench_note(&result, "lists", 1e9 * t->lists / TURNS / grains, "ns/grain when made");
    rp_bench_note(&result, "contacts", (double)view.contact_count / grains, "a grain");
    rp_bench_note(&result, "memory", (double)t->bytes / grains, "bytes/grain");
    rp_bench_add(list, result);
    return code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    trial trials[BOXES] = {0};
    double costs[BOXES] = {0};
    rp_code code = RP_OK;
    for (int i = 0; i < BOXES && code == RP_OK; i++)
        code = begin_trial(setup, &mixtures[i], &trials[i], report);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < BOXES && code == RP_OK; i++)
            code = take_turn(&trials[i], turn, report);
    for (int i = 0; i < BOXES && code == RP_OK; i++)
        costs[i] = rp_bench_cost(trials[i].seconds, trials[i].world->grains.count,
                                 trials[0].seconds, trials[0].world->grains.count, TURNS);
    for (int i = 0; i < BOXES && code == RP_OK; i++)
        code = report_trial(list, &mixtures[i], &trials[i], costs[i], report);
    for (int i = 0; i < BOXES; i++) {
        rp_world_destroy(trials[i].world);
        rp_scene_destroy(trials[i].scene);
    }
    return code;
}

const rp_bench_case rp_bench_sizes = {
    "sizes", "discrete elements of sizes up to 1 to 100, beside equal ones", 0, run};
