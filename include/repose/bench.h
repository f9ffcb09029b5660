/* Benchmarks: the speed of a part of Repose on this machine, and the machine's limit for it.
 *
 * Every case has a model of the least work it must do, in bytes moved or in multiply-adds. The
 * bandwidth and arithmetic of the machine are measured in the same run; `limit` is the rate that
 * they would allow under that model. */
#ifndef REPOSE_BENCH_H
#define REPOSE_BENCH_H

#include "repose/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A further number of a result. */
typedef struct rp_bench_figure {
    const char *name; /* such as "memory"; NULL after the last */
    double value;
    const char *unit; /* such as "bytes/particle" */
} rp_bench_figure;
#define RP_BENCH_FIGURES 6

typedef struct rp_bench_result {
    char name[40]; /* the case, or a part of it such as "neighbor-sort" */
    size_t particles;
    int steps;      /* number of repeats that were timed */
    double seconds; /* of one step: median of the repeats */
    double rate;    /* particle-steps per second */
    double limit;   /* particle-steps per second that the machine would allow; 0: no model */
    rp_bench_figure figures[RP_BENCH_FIGURES + 1];
} rp_bench_result;

/* Speed of the machine, measured with the threads of the case. */
typedef struct rp_bench_machine {
    double bandwidth;  /* bytes per second, read and written, of a copy far larger than the cache */
    double reading;    /* bytes per second, read only, likewise */
    double arithmetic; /* float multiply-adds per second, eight at a time, two operations each */
} rp_bench_machine;

typedef struct rp_bench_options {
    size_t size;        /* set by rp_default_bench_options() */
    size_t particles;   /* 0: default of the case */
    int threads;        /* 0: one per core */
    const char *scenes; /* folder of the bundled scenes, which some cases run; NULL: none */
} rp_bench_options;
RP_DEFAULTS(rp_bench_options, rp_default_bench_options)

/* Number, names and descriptions of the cases; NULL beyond the last. */
RP_API int rp_bench_count(void);
RP_API const char *rp_bench_name(int index);
RP_API const char *rp_bench_help(int index);

/* Results of a case. */
typedef struct rp_bench_list rp_bench_list;
/* Runs the case `name`; RP_ERROR_INPUT when it is unknown. `options` may be NULL. */
RP_API rp_code rp_bench_run(const char *name, const rp_bench_options *options, rp_bench_list **out,
                            rp_report *report);
RP_API void rp_bench_list_destroy(rp_bench_list *list);
RP_API rp_bench_machine rp_bench_list_machine(const rp_bench_list *list);
RP_API int rp_bench_list_count(const rp_bench_list *list);
/* Borrowed until the list is destroyed; NULL beyond the last. */
RP_API const rp_bench_result *rp_bench_list_at(const rp_bench_list *list, int index);

#ifdef __cplusplus
}
#endif
#endif
