/* Reductions: sums, means and maxima over all grains of a world. Each block of grains gives a
 * value, and values are combined in block order: the same bits for any number of threads. A world
 * that is distributed over several machines would combine their values here and nowhere else
 * (all-reduce), so solvers take even the number of grains of a mean from here. */
#ifndef RP_GRAINS_REDUCE_H
#define RP_GRAINS_REDUCE_H

#include "grains/grains.h"

/* Returns the number of all grains. */
double rp_reduce_count(const rp_grains *grains);
/* Returns the sum of the values of `body` for blocks of own grains. */
double rp_reduce_sum(const rp_grains *grains, rp_threads *threads, size_t block,
                     rp_range_value_fn *body, void *context);
/* Returns the same divided by the number of grains; 0 where there are none. */
double rp_reduce_mean(const rp_grains *grains, rp_threads *threads, size_t block,
                      rp_range_value_fn *body, void *context);
/* Returns the largest value; -INFINITY where there are no grains. */
double rp_reduce_max(const rp_grains *grains, rp_threads *threads, size_t block,
                     rp_range_value_fn *body, void *context);

/* Returns the sum of values that blocks of own grains have stored in a loop of the caller. */
double rp_reduce_blocks(const double *blocks, size_t count);
/* Returns the largest of values that blocks have stored, if it is above zero; else zero. */
float rp_reduce_largest(const float *blocks, size_t count);
/* A number and the grain that it belongs to. */
typedef struct rp_grain_value {
    float value;
    uint32_t id; /* of the grain */
} rp_grain_value;
/* Returns the same with its grain, of equal values the first. */
rp_grain_value rp_reduce_worst(const rp_grain_value *blocks, size_t count);

/* Returns the speed of the fastest grain, m/s; 0 where there are none. */
double rp_grains_max_speed(const rp_grains *grains, rp_threads *threads);
/* RP_ERROR_NUMERIC, with the fastest grain, where grains of that speed move farther than `most` (m)
 * in a step: contacts on their path would be missed. `why` says what may be wrong. */
rp_code rp_grains_check_travel(const rp_grains *grains, double speed, double time, double dt,
                               double most, const char *why, rp_report *report);

#endif
