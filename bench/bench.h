/* Benchmarks: how fast a part of Repose is on this machine, and how fast it could be.
 *
 * Every case states in its source a model of the least work it must do, in bytes moved or in
 * arithmetic. The machine's own bandwidth and arithmetic are measured in the same run, and `limit`
 * is the rate they would allow under that model: rate / limit tells how much is left. */
#ifndef RP_BENCH_BENCH_H
#define RP_BENCH_BENCH_H

#include "base/threads.h"

typedef struct rp_bench_result {
    const char *name; /* the case, or a part of it such as "neighbor-sort" */
    size_t particles;
    int steps;      /* repeats that were timed */
    double seconds; /* of one step: the median of the repeats */
    double rate;    /* particle-steps per second */
    double limit;   /* particle-steps per second that the machine would allow */
} rp_bench_result;

/* Measured, with as many threads as the case runs on. */
typedef struct rp_bench_machine {
    double bandwidth;  /* bytes per second, read and written, of a copy far larger than the cache */
    double arithmetic; /* float multiply-adds per second, eight at a time, two operations each */
} rp_bench_machine;

rp_code rp_bench_measure(rp_threads *threads, rp_bench_machine *out, rp_report *report);

typedef struct rp_bench_case {
    const char *name;
    const char *help;    /* one line */
    size_t default_size; /* particles */
    /* Fills up to `max` results. */
    rp_code (*run)(size_t size, rp_threads *threads, const rp_bench_machine *machine,
                   rp_bench_result *results, int max, int *count, rp_report *report);
} rp_bench_case;

const rp_bench_case *const *rp_bench_cases(int *count);
/* Runs a case; `size` 0 takes the default, `threads` 0 one per core. */
rp_code rp_bench_run(const rp_bench_case *bench, size_t size, int threads, rp_bench_result *results,
                     int max, int *count, rp_report *report);

/* The middle one; sorts the times. */
double rp_bench_median(double *seconds, int count);
/* Fills a result from the times of its steps and the least time a step could take; sorts them. */
rp_bench_result rp_bench_result_of(const char *name, size_t particles, double *seconds, int steps,
                                   double least_seconds);

/* The least time that sorting and listing could take, by the models in neighbor.c; in seconds. */
double rp_bench_least_sort(const rp_bench_machine *machine, size_t particles);
double rp_bench_least_lists(const rp_bench_machine *machine, size_t particles, double neighbours);

extern const rp_bench_case rp_bench_neighbor, rp_bench_null;

#endif
