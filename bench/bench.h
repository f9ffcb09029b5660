/* Benchmarks: definition of a case, its set-up and its results. The public interface is
 * repose/bench.h. */
#ifndef RP_BENCH_BENCH_H
#define RP_BENCH_BENCH_H

#include "base/threads.h"
#include "repose/bench.h"
#include "repose/world.h"

rp_code rp_bench_measure(rp_threads *threads, rp_bench_machine *out, rp_report *report);

/* Set-up of a case. */
typedef struct rp_bench_setup {
    size_t size; /* particles; 0: default of the case */
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

/* Adds a result; those beyond RP_BENCH_RESULTS are dropped. */
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

/* Returns the median; sorts the times. */
double rp_bench_median(double *seconds, int count);
/* Returns a result made from the times of its steps and the least time that a step could take, s
 * (0: unknown); sorts the times. */
rp_bench_result rp_bench_result_of(const char *name, size_t particles, double *seconds, int steps,
                                   double least_seconds);

/* Returns the cost per particle relative to that of a smaller case that was stepped alternately
 * with it: the median over the rounds, since other load on the machine changes more between rounds
 * than within one. At most RP_BENCH_TURNS rounds. */
#define RP_BENCH_TURNS 16
double rp_bench_cost(const double *seconds, size_t particles, const double *smaller_seconds,
                     size_t fewer, int turns);

/* Accumulated times of the stages of a world's method. The parts of a step are its stages and,
 * after the last of them, the rest. */
#define RP_BENCH_PARTS (RP_STAGE_COUNT_MAX + 1)
typedef struct rp_bench_stages {
    int count;
    rp_stage_time stages[RP_STAGE_COUNT_MAX];
} rp_bench_stages;
rp_bench_stages rp_bench_stages_of(const rp_world *world);
/* Returns the index of a stage by its name, which must exist. */
int rp_bench_stage(const rp_bench_stages *stages, const char *name);
/* Returns the name of a part: a stage, or "rest". */
const char *rp_bench_part_name(const rp_bench_stages *stages, int part);
/* Takes one step and measures its time and that of each part, s. */
rp_code rp_bench_step(rp_world *world, double *whole, double *parts, rp_report *report);

/* Return the least time that sorting and listing could take, s, by the models in neighbor.c. */
double rp_bench_least_sort(const rp_bench_machine *machine, size_t particles);
double rp_bench_least_lists(const rp_bench_machine *machine, size_t particles, double neighbors);

extern const rp_bench_case rp_bench_bodies, rp_bench_column, rp_bench_dem, rp_bench_detail,
    rp_bench_mesh, rp_bench_neighbor, rp_bench_null, rp_bench_render, rp_bench_sizes, rp_bench_sph;

#endif
