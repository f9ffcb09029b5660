/* Reductions: sums, means and maxima over all grains of a world. Each block of grains gives a
 * value, and values are combined in block order: the same bits for any number of threads. A world
 * that is spread over several machines would combine their parts here and nowhere else, so solvers
 * ask this file even for the number of grains that a mean is divided by. */
#ifndef RP_GRAINS_REDUCE_H
#define RP_GRAINS_REDUCE_H

#include "grains/grains.h"

/* The number of all grains. */
double rp_reduce_count(const rp_grains *grains);
/* The sum of what `body` gives for blocks of own grains. */
double rp_reduce_sum(const rp_grains *grains, rp_threads *threads, size_t block,
                     rp_range_value_fn *body, void *context);
/* The same over the number of grains; 0 where there are none. */
double rp_reduce_mean(const rp_grains *grains, rp_threads *threads, size_t block,
                      rp_range_value_fn *body, void *context);
/* The largest; -INFINITY where there are no grains. */
double rp_reduce_max(const rp_grains *grains, rp_threads *threads, size_t block,
                     rp_range_value_fn *body, void *context);

/* The sum of what blocks of own grains have found in a loop that had more to do. */
double rp_reduce_blocks(const double *blocks, size_t count);
/* The largest of what blocks have found, if it is above zero; else zero. */
float rp_reduce_largest(const float *blocks, size_t count);
/* A number and the grain that it belongs to. */
typedef struct rp_grain_value {
    float value;
    uint32_t id; /* of the grain */
} rp_grain_value;
/* The same with its grain, of equal values the first. */
rp_grain_value rp_reduce_worst(const rp_grain_value *blocks, size_t count);

/* The speed of the fastest grain, m/s; 0 where there are none. */
double rp_grains_max_speed(const rp_grains *grains, rp_threads *threads);
/* RP_ERROR_NUMERIC, with the fastest grain, where grains of that speed move farther than `most` (m)
 * in a step: what they passed has not seen them. `why` says what may be wrong. */
rp_code rp_grains_check_travel(const rp_grains *grains, double speed, double time, double dt,
                               double most, const char *why, rp_report *report);

#endif
