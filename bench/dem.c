/* The case `dem`: discrete elements, whole steps of settled beds and the stages of a step.
 *
 * A bed of 16 layers of grains of 2 mm on a rough floor, periodic to all sides: young 10 MPa,
 * friction and restitution 0.5, steps of 10 us. A tile of 8 x 8 x 16 grains settles from a lattice;
 * beds of any size are made of copies of it, side by side, and settle a little more until their
 * contacts remember. Grain-steps per second of such beds are known as the Cundall number.
 *
 * Least work of a step, what is counted in bytes is read, or written, once: rows (64 bytes a sphere
 * written and read), the table (60 read and written), and for each contact who touches (6) and a
 * spring (12 read, 12 written); 100 multiply-adds for each contact. The least time is the longer
 * one of bytes over bandwidth and operations over arithmetic. Lists are made anew once before
 * memory is counted, since that takes some, too. */
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
#define CHUNKS 7
#define CHUNK 30 /* steps that are timed at once */
#define ROW_BYTES 248
#define ENTRY_BYTES 6
#define SPRING_BYTES 24
#define CONTACT_MULTIPLY_ADDS 100

typedef struct bed {
    const char *name, *grains, *solver;
    size_t sizes[3]; /* tiles along an edge; 0: no more */
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

/* Copies of the tile's grains; both tables are still in the order of their lattices' ids. */
static void lay_tiles(rp_world *world, const rp_world *tile, size_t tiles)
{
    rp_particles *to = &world->particles;
    const rp_particles *from = &tile->particles;
    double edge = SPACING * TILE;
    for (size_t n = 0; n < to->count; n++) {
        size_t i = n % TILE_GRAINS, t = n / TILE_GRAINS;
        to->x[n] = (float)((double)from->x[i] + edge * (double)(t % tiles));
        to->y[n] = (float)((double)from->y[i] + edge * (double)(t / tiles));
        to->z[n] = from->z[i];
        to->mass[n] = from->mass[i];
        to->kind[n] = from->kind[i];
        to->diameter[n] = from->diameter[i];
        for (int k = 0; k < 4 && to->turn[0]; k++)
            to->turn[k][n] = from->turn[k][i];
    }
}

static double least_time(const rp_bench_machine *m, const rp_solver *solver, double contacts)
{
    double bytes = ROW_BYTES * (double)solver->spheres;
    bytes += (ENTRY_BYTES + (solver->history ? SPRING_BYTES : 0)) * contacts;
    double moving = bytes / m->bandwidth;
    double computing = contacts * CONTACT_MULTIPLY_ADDS / m->arithmetic;
    return moving > computing ? moving : computing;
}

static void add_results(rp_bench_list *list, const bed *b, const rp_world *world, double *seconds,
                        const double *parts, size_t bytes, double *each)
{
    const rp_solver *solver = world->solver;
    double grains = (double)world->particles.count, spheres = (double)solver->spheres;
    rp_view view;
    rp_world_view(world, &view);
    double least = least_time(&list->machine, solver, (double)view.contact_count);
    rp_bench_result result =
        rp_bench_result_of(b->name, world->particles.count, seconds, CHUNKS, least);
    rp_bench_note(&result, "contacts", (double)view.contact_count / grains, "a grain");
    rp_bench_note(&result, "rebuilds", parts[RP_DEM_STAGES], "in 1000 steps");
    rp_bench_note(&result, "memory", (double)bytes / spheres, "bytes/sphere");
    rp_bench_note(&result, "move", 1e9 * parts[RP_DEM_MOVE] / grains, "ns/grain");
    rp_bench_note(&result, "forces", 1e9 * parts[RP_DEM_FORCES] / grains, "ns/grain");
    if (*each > 0)
        rp_bench_note(&result, "cost", result.seconds / grains / *each,
                      "of a grain in the smallest bed");
    else
        *each = result.seconds / grains;
    rp_bench_add(list, result);
}

/* Times of chunks of steps, and of stages over all of them. */
static rp_code time_steps(rp_world *world, double *seconds, double *parts, rp_report *report)
{
    const rp_solver *solver = world->solver;
    rp_code code = RP_OK;
    uint64_t rebuilds = solver->rebuilds;
    for (int k = 0; k < RP_DEM_STAGES; k++)
        parts[k] = -solver->timers[k].total;
    for (int c = 0; c < CHUNKS && code == RP_OK; c++) {
        double start = rp_clock();
        for (int i = 0; i < CHUNK && code == RP_OK; i++)
            code = rp_world_step(world, report);
        seconds[c] = (rp_clock() - start) / CHUNK;
    }
    for (int k = 0; k < RP_DEM_STAGES; k++)
        parts[k] = (parts[k] + solver->timers[k].total) / (CHUNKS * CHUNK);
    parts[RP_DEM_STAGES] = 1e3 * (double)(solver->rebuilds - rebuilds) / (CHUNKS * CHUNK);
    return code;
}

static rp_code run_bed(const rp_bench_setup *setup, const bed *b, size_t tiles,
                       const rp_world *tile, rp_bench_list *list, double *each, rp_report *report)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    double seconds[CHUNKS], parts[RP_DEM_STAGES + 1];
    size_t held = rp_memory_now().bytes;
    rp_code code = make_world(b, tiles, rp_threads_count(setup->threads), &scene, &world, report);
    if (code == RP_OK) lay_tiles(world, tile, tiles);
    for (int i = 0; i < WARM_UP && code == RP_OK; i++) {
        if (i == WARM_UP / 2) world->solver->moved = HUGE_VAL; /* new lists */
        code = rp_world_step(world, report);
    }
    if (code == RP_OK) code = time_steps(world, seconds, parts, report);
    size_t bytes = rp_memory_now().bytes - held;
    rp_view view;
    if (code == RP_OK) code = rp_world_contacts(world, &view, report);
    if (code == RP_OK) add_results(list, b, world, seconds, parts, bytes, each);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

static rp_code run_kind(const rp_bench_setup *setup, const bed *b, rp_bench_list *list,
                        rp_report *report)
{
    rp_scene *scene = NULL;
    rp_world *tile = NULL;
    double each = 0;
    rp_code code = make_world(b, 1, rp_threads_count(setup->threads), &scene, &tile, report);
    if (code == RP_OK) code = rp_world_run_to(tile, SETTLING, report);
    for (int i = 0; i < 3 && b->sizes[i] && code == RP_OK; i++) {
        double wanted = sqrt((double)setup->size / (double)TILE_GRAINS);
        size_t tiles = setup->size ? (size_t)fmax(1, round(wanted)) : b->sizes[i];
        code = run_bed(setup, b, tiles, tile, list, &each, report);
        if (setup->size) break;
    }
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
