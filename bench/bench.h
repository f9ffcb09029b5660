/* Benchmarks from the inside: what a case is, what it is given and how it fills its results. The
 * public half is repose/bench.h. */
#ifndef RP_BENCH_BENCH_H
#define RP_BENCH_BENCH_H

#include "base/threads.h"
#include "repose/bench.h"
#include "repose/world.h"

rp_code rp_bench_measure(rp_threads *threads, rp_bench_machine *out, rp_report *report);

/* What a case is run with. */
typedef struct rp_bench_setup {
    size_t size; /* particles; 0: as the case likes */
    rp_threads *threads;
    rp_bench_machine machine;
    const char *scenes; /* the folder of the bundled scenes; NULL: there is none */
} rp_bench_setup;

#define RP_BENCH_RESULTS 128
struct rp_bench_list {
    rp_bench_machine machine;
    rp_bench_result results[RP_BENCH_RESULTS];
    int count;
};

/* Results beyond the room are dropped. */
void rp_bench_add(rp_bench_list *list, rp_bench_result result);
/* Adds a figure to a result; does nothing when it has as many as it can hold. */
void rp_bench_note(rp_bench_result *result, const char *name, double value, const char *unit);

typedef struct rp_bench_case {
    const char *name;
    const char *help;    /* one line */
    size_t default_size; /* particles; 0: the case has several, or its own */
    /* Adds its results to the list. */
    rp_code (*run)(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report);
} rp_bench_case;

/* The middle one; sorts the times. */
double rp_bench_median(double *seconds, int count);
/* Fills a result from the times of its steps and the least time a step could take (0: unknown);
 * sorts them. */
rp_bench_result rp_bench_result_of(const char *name, size_t particles, double *seconds, int steps,
                                   double least_seconds);

/* What a particle costs in parts of one of a smaller case that ran by turns with it: the median of
 * the turns, since what else a machine does changes more from turn to turn than within one. At most
 * RP_BENCH_TURNS of them. */
#define RP_BENCH_TURNS 16
double rp_bench_cost(const double *seconds, size_t particles, const double *smaller_seconds,
                     size_t fewer, int turns);

/* The stages of a world's method since it was made. Parts of a step are its stages and, behind the
 * last of them, the rest. */
#define RP_BENCH_PARTS (RP_STAGE_COUNT_MAX + 1)
typedef struct rp_bench_stages {
    int count;
    rp_stage_time stages[RP_STAGE_COUNT_MAX];
} rp_bench_stages;
rp_bench_stages rp_bench_stages_of(const rp_world *world);
/* The place of a stage by its name; it must be there. */
int rp_bench_stage(const rp_bench_stages *stages, const char *name);
/* The name of a part: a stage, or "rest". */
const char *rp_bench_part_name(const rp_bench_stages *stages, int part);
/* One step on the clock: seconds of the whole and of each part, stages and rest. */
rp_code rp_bench_step(rp_world *world, double *whole, double *parts, rp_report *report);

/* The least time that sorting and listing could take, by the models in neighbor.c; in seconds. */
double rp_bench_least_sort(const rp_bench_machine *machine, size_t particles);
double rp_bench_least_lists(const rp_bench_machine *machine, size_t particles, double neighbors);

extern const rp_bench_case rp_bench_bodies, rp_bench_column, rp_bench_dem, rp_bench_detail,
    rp_bench_mesh, rp_bench_neighbor, rp_bench_null, rp_bench_render, rp_bench_sizes, rp_bench_sph;

#endif
