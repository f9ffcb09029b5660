/* The cases `sph` and `column`: granular SPH, whole steps and the stages of a step.
 *
 * `sph`: a bed of 16 layers on a rough floor, with periodic sides, as wide as the number of grains
 * requires. It is settled under its own weight, or flows because gravity is inclined beyond the
 * angle of repose. Both are run with exactly three iterations, as the literature quotes its
 * figures, and with the default settings, which iterate to the tolerance. Beds of all sizes step in
 * turns, so that their costs per grain can be compared. `column`: the first second of the scene
 * column-collapse, with frames but without files.
 *
 * Lower bounds of the stages; each byte is read, or written, once:
 * - order: as in neighbor.c, without the method's own fields;
 * - lists: as in neighbor.c;
 * - density: 10 bytes a pair (an index read, a gradient written) and about 44 operations, two of
 * them a multiply-add;
 * - velocities and stresses: 10 bytes a pair (index and gradient read), 92 and 144 bytes a grain,
 *   and nine multiply-adds a pair, a matrix times a vector or a vector times a vector. The sweep of
 *   the stresses does 24, since a load brings eight values of which it uses seven as they are.
 * The least time is the longer one of bytes over bandwidth and operations over arithmetic. A whole
 * step is the sum of the stages; contacts and the rest have no model and count as zero. Small beds
 * fit in the caches and may exceed the bound by memory bandwidth. */
#include "solver/sph/sph.h"
#include "base/report.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "repose/repose.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define TURNS 11
#define WARM_UP 13 /* steps */
#define SIZES 3
#define LAYERS 16
#define SPACING 0.01 /* m */
#define PAIR_BYTES 10
#define DENSITY_MULTIPLY_ADDS 22
#define SWEEP_MULTIPLY_ADDS 9
#define VELOCITY_BYTES 92
#define STRESS_BYTES 144
#define COLUMN_VOLUME (RP_PI * 0.5 * 0.5 * 0.5) /* m3, of the scene's source */
#define COLUMN_TIME 1.0                         /* s */

/* Times of the steps in s. */
typedef struct record {
    double whole[TURNS];
    double part[RP_BENCH_PARTS][TURNS];
    double calls[RP_BENCH_PARTS]; /* of each stage in all steps */
    double iterations;            /* likewise */
} record;

static double iterations_of(const rp_world *world)
{
    rp_step_info info = rp_world_step_info(world);
    return rp_step_info_number(&info, "iterations");
}

/* Does one step and records its times, and the calls of its stages and its iterations. */
static rp_code timed_step(rp_world *world, record *r, int turn, rp_report *report)
{
    double parts[RP_BENCH_PARTS];
    rp_bench_stages before = rp_bench_stages_of(world);
    rp_code code = rp_bench_step(world, &r->whole[turn], parts, report);
    RP_TRY(code);
    rp_bench_stages after = rp_bench_stages_of(world);
    for (int k = 0; k <= after.count; k++)
        r->part[k][turn] = parts[k];
    for (int k = 0; k < after.count; k++)
        r->calls[k] += (double)(after.stages[k].calls - before.stages[k].calls);
    r->iterations += iterations_of(world);
    return code;
}

static double longer(double a, double b)
{
    return a > b ? a : b;
}

/* Returns the least time of one sweep over all pairs, in seconds. */
static double least_sweep(const rp_bench_machine *m, double pairs, double other_bytes)
{
    return longer((PAIR_BYTES * pairs + other_bytes) / m->reading,
                  SWEEP_MULTIPLY_ADDS * pairs / m->arithmetic);
}

/* Computes the least time of every part of a step, in seconds; 0 where there is no model. */
static void least_times(const rp_bench_machine *m, const rp_world *world, const double *calls,
                        double least[RP_BENCH_PARTS])
{
    const rp_sph *solver = world->solver;
    rp_bench_stages s = rp_bench_stages_of(world);
    int velocities = rp_bench_stage(&s, "velocities"), stresses = rp_bench_stage(&s, "stresses");
    size_t count = solver->host.grains->count;
    double grains = (double)count, pairs = (double)solver->lists.total;
    memset(least, 0, RP_BENCH_PARTS * sizeof *least);
    least[rp_bench_stage(&s, "order")] = rp_bench_least_sort(m, count);
    least[rp_bench_stage(&s, "lists")] = rp_bench_least_lists(m, count, pairs / grains);
    least[rp_bench_stage(&s, "density")] =
        longer(PAIR_BYTES * pairs / m->bandwidth, DENSITY_MULTIPLY_ADDS * pairs / m->arithmetic);
    least[velocities] = calls[velocities] * least_sweep(m, pairs, VELOCITY_BYTES * grains);
    least[stresses] = calls[stresses] * least_sweep(m, pairs, STRESS_BYTES * grains);
}

/* Notes the bytes per grain: all of them, all but the neighbor lists, and all but the lists and the
 * kernel gradients of the pairs. The latter two grow with the number of neighbors. */
static void note_memory(rp_bench_result *result, const rp_sph *solver, size_t bytes)
{
    const rp_lists *lists = &solver->lists;
    double grains = (double)result->particles, pairs = (double)lists->total;
    double list_bytes =
        (double)lists->index_capacity * sizeof *lists->index +
        (double)lists->query_capacity * (sizeof *lists->start + sizeof *lists->count);
    double gradient_bytes = 3 * pairs * sizeof *solver->work.gradient;
    rp_bench_note(result, "memory", (double)bytes / grains, "bytes/particle");
    rp_bench_note(result, "without_lists", ((double)bytes - list_bytes) / grains, "bytes/particle");
    rp_bench_note(result, "nor_gradients", ((double)bytes - list_bytes - gradient_bytes) / grains,
                  "bytes/particle");
}

/* Adds a line for the whole step, and one for each of its stages. */
static rp_bench_result *add_results(rp_bench_list *list, const char *name, const rp_world *world,
                                    record *r)
{
    double least[RP_BENCH_PARTS], calls[RP_BENCH_PARTS], sum = 0;
    size_t count = world->grains.count;
    rp_bench_stages stages = rp_bench_stages_of(world);
    for (int k = 0; k < stages.count; k++)
        calls[k] = r->calls[k] / TURNS;
    least_times(&list->machine, world, calls, least);
    for (int k = 0; k < stages.count; k++)
        sum += least[k];
    int whole = list->count;
    rp_bench_add(list, rp_bench_result_of(name, count, r->whole, TURNS, sum));
    for (int k = 0; k <= stages.count; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s-%s", name, rp_bench_part_name(&stages, k));
        rp_bench_add(list, rp_bench_result_of(text, count, r->part[k], TURNS, least[k]));
    }
    return &list->results[whole < RP_BENCH_RESULTS ? whole : RP_BENCH_RESULTS - 1];
}

typedef struct bed {
    const char *name;
    const char *gravity;
    const char *solver;
} bed;

#define DOWN "[0, 0, -9.81]"
#define ASLANT "[6.94, 0, -6.94]" /* 45 degrees */
#define THREE "{method: frictional, iterations: 3, tolerance: 0, flow_tolerance: 0}"
#define DEFAULT "{method: frictional}"
static const bed beds[] = {
    {"sph-settled", DOWN, THREE},
    {"sph-flowing", ASLANT, THREE},
    {"sph-settled-default", DOWN, DEFAULT},
    {"sph-flowing-default", ASLANT, DEFAULT},
};

static rp_code make_bed(const bed *b, size_t size, int threads, rp_scene **scene, rp_world **world,
                        rp_report *report)
{
    char domain[256], source[256];
    double edge = SPACING * fmax(4, round(sqrt((double)size / LAYERS)));
    double height = SPACING * LAYERS;
    snprintf(domain, sizeof domain,
             "{low: [0, 0, 0], high: [%.17g, %.17g, 10], periodic: [x, y], open: [top]}", edge,
             edge);
    snprintf(source, sizeof source,
             "{shape: box, size: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g]}", edge,
             edge, height, edge / 2, edge / 2, height / 2);
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles", "{spacing: 1 cm}");
    rp_draft_set(draft, "domain", domain);
    rp_draft_set(draft, "gravity", b->gravity);
    rp_draft_set(draft, "solver", b->solver);
    rp_draft_set(draft, "sources.bed", source);
    rp_code code = rp_draft_finish(draft, scene, report);
    rp_world_options options = rp_default_world_options();
    options.threads = threads;
    return code == RP_OK ? rp_world_create(*scene, &options, world, report) : code;
}

/* A bed of one size. */
typedef struct trial {
    rp_scene *scene;
    rp_world *world;
    record times;
    size_t bytes; /* of memory that the world holds */
} trial;

static rp_code begin_trial(const rp_bench_setup *setup, const bed *b, size_t size, trial *t,
                           rp_report *report)
{
    size_t held = rp_memory_now().bytes;
    int threads = rp_threads_count(setup->threads);
    rp_code code = make_bed(b, size, threads, &t->scene, &t->world, report);
    for (int i = 0; i < WARM_UP && code == RP_OK; i++)
        code = rp_world_step(t->world, report);
    t->bytes = rp_memory_now().bytes - held;
    return code;
}

/* Two steps, of which the second is timed: it finds the caches as the step before leaves them,
 * whatever ran in between. */
static rp_code take_turn(trial *t, int turn, rp_report *report)
{
    size_t held = rp_memory_now().bytes;
    rp_code code = rp_world_step(t->world, report);
    if (code == RP_OK) code = timed_step(t->world, &t->times, turn, report);
    t->bytes += rp_memory_now().bytes - held;
    return code;
}

static void add_trial(rp_bench_list *list, const bed *b, trial *t, double cost)
{
    const rp_sph *solver = t->world->solver;
    rp_bench_result *whole = add_results(list, b->name, t->world, &t->times);
    double grains = (double)whole->particles;
    rp_bench_note(whole, "iterations", t->times.iterations / TURNS, "");
    rp_bench_note(whole, "neighbors", (double)solver->lists.total / grains, "");
    note_memory(whole, solver, t->bytes);
    if (cost > 0) rp_bench_note(whole, "cost", cost, "of a particle in the smallest bed");
}

/* One bed in all sizes, in turns. */
static rp_code run_bed(const rp_bench_setup *setup, const bed *b, const size_t *sizes, int count,
                       rp_bench_list *list, rp_report *report)
{
    trial trials[SIZES] = {0};
    double costs[SIZES] = {0};
    rp_code code = RP_OK;
    for (int i = 0; i < count && code == RP_OK; i++)
        code = begin_trial(setup, b, sizes[i], &trials[i], report);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < count && code == RP_OK; i++)
            code = take_turn(&trials[i], turn, report);
    for (int i = 1; i < count && code == RP_OK; i++)
        costs[i] = rp_bench_cost(trials[i].times.whole, trials[i].world->grains.count,
                                 trials[0].times.whole, trials[0].world->grains.count, TURNS);
    for (int i = 0; i < count && code == RP_OK; i++)
        add_trial(list, b, &trials[i], costs[i]);
    for (int i = 0; i < count; i++) {
        rp_world_destroy(trials[i].world);
        rp_scene_destroy(trials[i].scene);
    }
    return code;
}

static rp_code run_beds(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    static const size_t sizes[SIZES] = {10000, 100000, 1000000};
    rp_code code = RP_OK;
    for (size_t b = 0; b < sizeof beds / sizeof *beds && code == RP_OK; b++)
        code = setup->size ? run_bed(setup, &beds[b], &setup->size, 1, list, report)
                           : run_bed(setup, &beds[b], sizes, SIZES, list, report);
    return code;
}

static rp_code load_column(const rp_bench_setup *setup, rp_scene **scene, rp_report *report)
{
    char path[4096], spacing[32];
    if (!setup->scenes)
        return rp_fail(report, RP_ERROR_INPUT, "column: the bundled scenes are missing");
    snprintf(path, sizeof path, "%s/column-collapse.yaml", setup->scenes);
    snprintf(spacing, sizeof spacing, "%.17g",
             setup->size ? cbrt(COLUMN_VOLUME / (double)setup->size) : 1);
    rp_setting setting = {"particles.spacing", spacing};
    return rp_scene_load(path, &setting, setup->size ? 1 : 0, scene, report);
}

/* Totals since the start. */
typedef struct totals {
    int steps;
    double iterations;
    double seconds; /* wall-clock time */
} totals;

/* Runs to COLUMN_TIME, in steps that end at frames as in a run of a user; no frame is written. */
static rp_code collapse(rp_world *world, double frame_rate, totals *w, rp_report *report)
{
    rp_code code = RP_OK;
    double start = rp_clock();
    for (double frame = 1; code == RP_OK && frame <= COLUMN_TIME * frame_rate; frame++)
        while (code == RP_OK && rp_world_time(world) < frame / frame_rate) {
            code = rp_world_step_toward(world, frame / frame_rate, report);
            w->steps++;
            w->iterations += iterations_of(world);
        }
    w->seconds = rp_clock() - start;
    return code;
}

/* Means over all steps, which differ. */
static void add_column(rp_bench_list *list, const rp_world *world, const totals *w)
{
    size_t count = world->grains.count;
    double mean = w->seconds / w->steps, rest = mean, time = rp_world_time(world);
    rp_bench_result result = rp_bench_result_of("column", count, &mean, 1, 0);
    rp_bench_note(&result, "wall", w->seconds / time, "s per simulated second");
    rp_bench_note(&result, "steps", w->steps, "");
    rp_bench_note(&result, "step", 1e3 * time / w->steps, "ms on average");
    rp_bench_note(&result, "iterations", w->iterations / w->steps, "on average");
    rp_bench_add(list, result);
    rp_bench_stages stages = rp_bench_stages_of(world);
    for (int k = 0; k <= stages.count; k++) {
        double part = k == stages.count ? rest : stages.stages[k].seconds / w->steps;
        char text[64];
        snprintf(text, sizeof text, "column-%s", rp_bench_part_name(&stages, k));
        rp_bench_add(list, rp_bench_result_of(text, count, &part, 1, 0));
        rest -= part;
    }
}

static rp_code run_column(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    totals w = {0};
    rp_world_options options = rp_default_world_options();
    options.threads = rp_threads_count(setup->threads);
    rp_code code = load_column(setup, &scene, report);
    if (code == RP_OK) code = rp_world_create(scene, &options, &world, report);
    if (code == RP_OK) code = collapse(world, rp_scene_frame_rate(scene), &w, report);
    if (code == RP_OK) add_column(list, world, &w);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

const rp_bench_case rp_bench_sph = {
    "sph", "granular SPH: settled and flowing beds of 10 K, 100 K and 1 M grains", 0, run_beds};
const rp_bench_case rp_bench_column = {
    "column", "granular SPH: the scene column-collapse, its first second", 0, run_column};
