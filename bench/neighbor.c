/* The case `neighbor`: one update of the search, sort plus lists, of a jittered lattice of grains.
 * The radius is chosen for 32 neighbors on average, as in SPH with a cubic spline. The grains
 * start in random order and move a little between updates, so that what is timed is what a
 * simulation meets: grains that are nearly, but not quite, in order.
 *
 * Least work of the sort, in bytes: a grain's fields (42 bytes) are read and written once, and so
 * are key and number (12 bytes) in the two passes that 18 to 22 bits of key need; positions are
 * read once more for the keys, which are written once.
 *
 * Least work of the lists: whichever takes longer of
 * - bytes: positions read once, 4 bytes written for each neighbor and 12 for place and number;
 * - arithmetic: with cells as large as the radius r a query tests the candidates in 27 r^3, of
 * which the neighbors fill the sphere 4/3 pi r^3; a test is three subtractions, three products,
 * two additions and a comparison: nine operations, counted as 4.5 multiply-adds. A copy counts
 * bytes read and written once each; caches may do better than the model. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/threads.h"
#include "neighbor/neighbor.h"

#include <math.h>

#define NEIGHBOURS 32
#define SPACING 0.01 /* m */
#define JITTER 0.3   /* of the spacing, each way */
#define MOVE 0.02    /* of the spacing, each way and step */
#define STEPS 15
#define FIELD_BYTES 42
#define TEST_MULTIPLY_ADDS 4.5

typedef struct scene {
    rp_grains particles;
    rp_neighbor *neighbor;
    rp_lists lists;
    rp_threads *threads;
    size_t edge;   /* grains along an edge of the cube */
    double radius; /* m */
    uint64_t step;
} scene;

/* Number i of a fixed shuffling of 0 to count - 1: walking in strides that share no factor with the
 * count visits every number once, far from the one before. */
static size_t shuffled(size_t i, size_t count, size_t stride)
{
    return (size_t)((unsigned __int128)i * stride % count);
}

static size_t stride_for(size_t count)
{
    size_t stride = (size_t)((double)count * 0.6180339887) | 1;
    for (;; stride += 2) {
        size_t a = count, b = stride;
        while (b) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

static float off(uint32_t bits, double reach)
{
    return (float)(SPACING * reach * (2 * rp_random_unit(bits) - 1));
}

static void place(scene *s)
{
    rp_grains *p = &s->particles;
    size_t n = s->edge, stride = stride_for(p->count);
    for (size_t i = 0; i < p->count; i++) {
        size_t at = shuffled(i, p->count, stride), row = at / n % n, layer = at / n / n;
        rp_random4 r = rp_random(1, RP_RANDOM_JITTER, at);
        p->x[i] = (float)((double)(at % n) * SPACING) + off(r.bits[0], JITTER);
        p->y[i] = (float)((double)row * SPACING) + off(r.bits[1], JITTER);
        p->z[i] = (float)((double)layer * SPACING) + off(r.bits[2], JITTER);
    }
}

static void move_range(void *context, rp_range range)
{
    scene *s = context;
    rp_grains *p = &s->particles;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_random4 r = rp_random(s->step, RP_RANDOM_JITTER, p->id[i]);
        p->x[i] += off(r.bits[0], MOVE);
        p->y[i] += off(r.bits[1], MOVE);
        p->z[i] += off(r.bits[2], MOVE);
    }
}

static rp_code update(scene *s, double *sort_seconds, double *list_seconds, rp_report *report)
{
    double start = rp_clock();
    rp_code code = rp_neighbor_sort(s->neighbor, &s->particles, s->radius, report);
    double sorted = rp_clock();
    if (code == RP_OK)
        code = rp_neighbor_lists(s->neighbor, &s->particles, s->radius, &s->lists, report);
    *sort_seconds = sorted - start;
    *list_seconds = rp_clock() - sorted;
    s->step++;
    rp_parallel_for(s->threads, s->particles.count, 16384, move_range, s);
    return code;
}

static rp_code begin(scene *s, size_t size, rp_threads *threads, rp_report *report)
{
    *s = (scene){.threads = threads, .step = 1};
    s->edge = (size_t)ceil(cbrt((double)size));
    s->radius = SPACING * cbrt((NEIGHBOURS + 1) / (4.0 / 3 * RP_PI));
    size_t first;
    rp_code code = rp_grains_begin(&s->particles, report);
    if (code == RP_OK) code = rp_grains_append(&s->particles, size, &first, report);
    if (code == RP_OK) code = rp_neighbor_create(threads, NULL, &s->neighbor, report);
    if (code == RP_OK) place(s);
    return code;
}

static void end(scene *s)
{
    rp_lists_end(&s->lists);
    rp_neighbor_destroy(s->neighbor);
    rp_grains_end(&s->particles);
}

double rp_bench_least_sort(const rp_bench_machine *machine, size_t particles)
{
    double bytes = 2 * FIELD_BYTES + 2 * 2 * 12 + 12 + 12;
    return (double)particles * bytes / machine->bandwidth;
}

double rp_bench_least_lists(const rp_bench_machine *machine, size_t particles, double neighbors)
{
    double bytes = 12 + 12 + 4 * neighbors;
    double tests = (neighbors + 1) * 27 / (4.0 / 3 * RP_PI);
    double moving = bytes / machine->bandwidth;
    double testing = tests * TEST_MULTIPLY_ADDS / machine->arithmetic;
    return (double)particles * (moving > testing ? moving : testing);
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    const rp_bench_machine *machine = &setup->machine;
    size_t size = setup->size;
    if (size < 1) return rp_fail(report, RP_ERROR_INPUT, "neighbor: needs at least one particle");
    scene s;
    double sort[STEPS + 2], lists[STEPS + 2], both[STEPS];
    rp_code code = begin(&s, size, setup->threads, report);
    for (int i = 0; i < STEPS + 2 && code == RP_OK; i++)
        code = update(&s, &sort[i], &lists[i], report);
    if (code == RP_OK) {
        for (int i = 0; i < STEPS; i++)
            both[i] = sort[i + 2] + lists[i + 2]; /* the first two warm up */
        double neighbors = (double)s.lists.total / (double)size;
        double least_sort = rp_bench_least_sort(machine, size);
        double least_list = rp_bench_least_lists(machine, size, neighbors);
        rp_bench_add(list,
                     rp_bench_result_of("neighbor", size, both, STEPS, least_sort + least_list));
        rp_bench_add(list, rp_bench_result_of("neighbor-sort", size, sort + 2, STEPS, least_sort));
        rp_bench_add(list,
                     rp_bench_result_of("neighbor-lists", size, lists + 2, STEPS, least_list));
    }
    end(&s);
    return code;
}

const rp_bench_case rp_bench_neighbor = {
    "neighbor", "cell order and neighbor lists of a jittered lattice, 32 neighbors each", 1000000,
    run};
