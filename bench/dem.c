/* The case `dem`: discrete elements, whole steps of settled beds and the stages of a step.
 *
 * A bed of 16 layers of grains of 2 mm on a rough floor, periodic to all sides: young 10 MPa,
 * friction and restitution 0.5, steps of 10 us. A tile of 8 x 8 x 16 grains settles from a lattice;
 * beds of any size are made of copies of it, side by side, and settle a little more until their
 * contacts have history. Beds of all sizes step by turns. Grain-steps per second of such beds are
 * known as the Cundall number.
 *
 * Least work of a step, what is counted in bytes is read, or written, once: rows (64 bytes a sphere
 * written and read), the table (60 read and written), and for each contact an entry (6) and its
 * tangential displacement (12 read, 12 written); 100 multiply-adds for each contact. The least time
 * is the longer one of bytes over bandwidth and operations over arithmetic. Lists are built once
 * before memory is counted, since that takes some as well. */
#include "solver/dem/dem.h"
#include "base/report.h"
#include "bench/bench.h"
#include "repose/repose.h"
#include "world/world.h"

#include <stdio.h>

#define TILE 8    /* grains along an edge */
#define LAYERS 16 /* and upwards */
#define TILE_GRAINS ((size_t)TILE * TILE * LAYERS)
#define SPACING 2.05e-3 /* m */
#define STEP "1e-5 s"
#define SETTLING 0.25 /* s, of the tile */
#define WARM_UP 100   /* steps of a bed */
#define TURNS 9
#define TURN 25 /* steps that are timed at once */
#define UNTIMED 5
#define SIZES 3
#define ROW_BYTES 248
#define ENTRY_BYTES 6
#define HISTORY_BYTES 24
#define CONTACT_MULTIPLY_ADDS 100

typedef struct bed {
    const char *name, *grains, *solver;
    size_t sizes[SIZES]; /* tiles along an edge; 0: no more */
} bed;

static const bed beds[] = {
    {"dem-spheres-history",
     "{shape: sphere, diameter: 2 mm}",
     "{method: dem, shear: history}",
     {3, 10, 32}},
    {"dem-spheres-viscous",
     "{shape: sphere, diameter: 2 mm}",
     "{method: dem, shear: viscous}",
     {10, 0, 0}},
    {"dem-tetrahedra-viscous",
     "{shape: tetrahedron, diameter: 2 mm}",
     "{method: dem, shear: viscous}",
     {4, 16, 0}},
    {"dem-tetrahedra-history",
     "{shape: tetrahedron, diameter: 2 mm}",
     "{method: dem, shear: history}",
     {4, 16, 0}},
};

static rp_code make_world(const bed *b, size_t tiles, int threads, rp_scene **scene,
                          rp_world **world, rp_report *report)
{
    char domain[256], source[256];
    double edge = SPACING * TILE * (double)tiles, height = SPACING * LAYERS;
    snprintf(domain, sizeof domain,
             "{low: [0, 0, 0], high: [%.17g, %.17g, 10], periodic: [x, y], open: [top]}", edge,
             edge);
    snprintf(source, sizeof source,
             "{shape: box, size: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g]}", edge,
             edge, height, edge / 2, edge / 2, height / 2);
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles", "{spacing: 2.05 mm, jitter: 0.02}");
    rp_draft_set(draft, "time", "{step: " STEP "}");
    rp_draft_set(draft, "domain", domain);
    rp_draft_set(draft, "materials.glass", "{young: 10 MPa, friction: 0.5, restitution: 0.5}");
    rp_draft_set(draft, "grains.bead", b->grains);
    rp_draft_set(draft, "solver", b->solver);
    rp_draft_set(draft, "sources.bed", source);
    rp_code code = rp_draft_finish(draft, scene, report);
    rp_world_options options = rp_default_world_options();
    options.threads = threads;
    return code == RP_OK ? rp_world_create(*scene, &options, world, report) : code;
}

/* Copies the grains of the tile side by side; both tables are still in the order of their lattices'
 * ids. */
static void lay_tiles(rp_world *world, const rp_world *tile, size_t tiles)
{
    rp_grains *to = &world->grains;
    const rp_grains *from = &tile->grains;
    double edge = SPACING * TILE;
    for (size_t n = 0; n < to->count; n++) {
        size_t i = n % TILE_GRAINS, t = n / TILE_GRAINS;
        to->x[n] = (float)((double)from->x[i] + edge * (double)(t % tiles));
        to->y[n] = (float)((double)from->y[i] + edge * (double)(t / tiles));
        to->z[n] = from->z[i];
        to->mass[n] = from->mass[i];
        to->kind[n] = from->kind[i];
        to->diameter[n] = from->diameter[i];
        for (int k = 0; k < 4 && to->orientation[0]; k++)
            to->orientation[k][n] = from->orientation[k][i];
    }
}

static double least_time(const rp_bench_machine *m, const rp_dem *solver, double contacts)
{
    double bytes = ROW_BYTES * (double)solver->spheres;
    bytes += (ENTRY_BYTES + (solver->has_history ? HISTORY_BYTES : 0)) * contacts;
    double moving = bytes / m->bandwidth;
    double computing = contacts * CONTACT_MULTIPLY_ADDS / m->arithmetic;
    return moving > computing ? moving : computing;
}

/* A bed of one size. */
typedef struct trial {
    rp_scene *scene;
    rp_world *world;
    size_t bytes;                 /* that the world holds */
    double seconds[TURNS];        /* of a step */
    double parts[RP_BENCH_PARTS]; /* s, of each stage, of all timed steps */
    uint64_t rebuilds;
} trial;

static rp_code begin_trial(const rp_bench_setup *setup, const bed *b, size_t tiles,
                           const rp_world *tile, trial *t, rp_report *report)
{
    size_t held = rp_memory_now().bytes;
    rp_code code =
        make_world(b, tiles, rp_threads_count(setup->threads), &t->scene, &t->world, report);
    if (code == RP_OK) lay_tiles(t->world, tile, tiles);
    for (int i = 0; i < WARM_UP && code == RP_OK; i++) {
        if (i == WARM_UP / 2) ((rp_dem *)t->world->solver)->displacement = HUGE_VAL; /* new lists */
        code = rp_world_step(t->world, report);
    }
    t->bytes = rp_memory_now().bytes - held;
    return code;
}

static rp_code take_steps(rp_world *world, int steps, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < steps && code == RP_OK; i++)
        code = rp_world_step(world, report);
    return code;
}

/* Some steps, but the first are not timed: the beds of other sizes have filled the caches. */
static rp_code take_turn(trial *t, int turn, rp_report *report)
{
    const rp_dem *solver = t->world->solver;
    size_t held = rp_memory_now().bytes;
    uint64_t rebuilds = solver->rebuilds;
    rp_code code = take_steps(t->world, UNTIMED, report);
    rp_bench_stages before = rp_bench_stages_of(t->world);
    double start = rp_clock();
    if (code == RP_OK) code = take_steps(t->world, TURN, report);
    t->seconds[turn] = (rp_clock() - start) / TURN;
    rp_bench_stages after = rp_bench_stages_of(t->world);
    for (int k = 0; k < after.count; k++)
        t->parts[k] += after.stages[k].seconds - before.stages[k].seconds;
    t->rebuilds += solver->rebuilds - rebuilds;
    t->bytes += rp_memory_now().bytes - held;
    return code;
}

static rp_code report_trial(rp_bench_list *list, const bed *b, trial *t, double cost,
                            rp_report *report)
{
    const rp_dem *solver = t->world->solver;
    size_t count = t->world->grains.count;
    double grains = (double)count, steps = TURNS * (TURN + UNTIMED), timed = TURNS * TURN * grains;
    rp_view view;
    rp_code code = rp_world_contacts(t->world, &view, report);
    RP_TRY(code);
    double least = least_time(&list->machine, solver, (double)view.contact_count);
    rp_bench_result result = rp_bench_result_of(b->name, count, t->seconds, TURNS, least);
    rp_bench_stages stages = rp_bench_stages_of(t->world);
    rp_bench_note(&result, "contacts", (double)view.contact_count / grains, "a grain");
    rp_bench_note(&result, "rebuilds", 1e3 * (double)t->rebuilds / steps, "in 1000 steps");
    rp_bench_note(&result, "memory", (double)t->bytes / (double)solver->spheres, "bytes/sphere");
    rp_bench_note(&result, "move", 1e9 * t->parts[rp_bench_stage(&stages, "move")] / timed,
                  "ns/grain");
    rp_bench_note(&result, "forces", 1e9 * t->parts[rp_bench_stage(&stages, "forces")] / timed,
                  "ns/grain");
    if (cost > 0) rp_bench_note(&result, "cost", cost, "of a grain in the smallest bed");
    rp_bench_add(list, result);
    return code;
}

/* Beds of several sizes take turns. */
static rp_code run_sizes(const rp_bench_setup *setup, const bed *b, const size_t *sizes, int count,
                         const rp_world *tile, rp_bench_list *list, rp_report *report)
{
    trial trials[SIZES] = {0};
    double costs[SIZES] = {0};
    rp_code code = RP_OK;
    for (int i = 0; i < count && code == RP_OK; i++)
        code = begin_trial(setup, b, sizes[i], tile, &trials[i], report);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < count && code == RP_OK; i++)
            code = take_turn(&trials[i], turn, report);
    for (int i = 1; i < count && code == RP_OK; i++)
        costs[i] = rp_bench_cost(trials[i].seconds, trials[i].world->grains.count,
                                 trials[0].seconds, trials[0].world->grains.count, TURNS);
    for (int i = 0; i < count && code == RP_OK; i++)
        code = report_trial(list, b, &trials[i], costs[i], report);
    for (int i = 0; i < count; i++) {
        rp_world_destroy(trials[i].world);
        rp_scene_destroy(trials[i].scene);
    }
    return code;
}

static rp_code run_kind(const rp_bench_setup *setup, const bed *b, rp_bench_list *list,
                        rp_report *report)
{
    rp_scene *scene = NULL;
    rp_world *tile = NULL;
    size_t wanted = (size_t)fmax(1, round(sqrt((double)setup->size / (double)TILE_GRAINS)));
    int count = 0;
    while (count < SIZES && b->sizes[count])
        count++;
    rp_code code = make_world(b, 1, rp_threads_count(setup->threads), &scene, &tile, report);
    if (code == RP_OK) code = rp_world_run_to(tile, SETTLING, report);
    if (code == RP_OK)
        code = setup->size ? run_sizes(setup, b, &wanted, 1, tile, list, report)
                           : run_sizes(setup, b, b->sizes, count, tile, list, report);
    rp_world_destroy(tile);
    rp_scene_destroy(scene);
    return code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    rp_code code = RP_OK;
    for (size_t b = 0; b < sizeof beds / sizeof *beds && code == RP_OK; b++)
        code = run_kind(setup, &beds[b], list, report);
    return code;
}

const rp_bench_case rp_bench_dem = {"dem", "discrete elements: settled beds of 10 K to 1 M grains",
                                    0, run};
