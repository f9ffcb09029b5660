/* Reductions over grains in block order: see reduce.h. */
#include "grains/reduce.h"
#include "base/report.h"

#include <math.h>

#define BLOCK 1024

double rp_reduce_count(const rp_grains *grains)
{
    return (double)grains->count;
}

double rp_reduce_sum(const rp_grains *grains, rp_threads *threads, size_t block,
                     rp_range_value_fn *body, void *context)
{
    return rp_parallel_sum(threads, grains->count, block, body, context);
}

double rp_reduce_mean(const rp_grains *grains, rp_threads *threads, size_t block,
                      rp_range_value_fn *body, void *context)
{
    double count = rp_reduce_count(grains);
    return count > 0 ? rp_reduce_sum(grains, threads, block, body, context) / count : 0;
}

double rp_reduce_max(const rp_grains *grains, rp_threads *threads, size_t block,
                     rp_range_value_fn *body, void *context)
{
    return rp_parallel_max(threads, grains->count, block, body, context);
}

double rp_reduce_blocks(const double *blocks, size_t count)
{
    double sum = 0;
    for (size_t b = 0; b < count; b++)
        sum += blocks[b];
    return sum;
}

float rp_reduce_largest(const float *blocks, size_t count)
{
    float largest = 0;
    for (size_t b = 0; b < count; b++)
        if (blocks[b] > largest) largest = blocks[b];
    return largest;
}

rp_grain_value rp_reduce_worst(const rp_grain_value *blocks, size_t count)
{
    rp_grain_value worst = {0};
    for (size_t b = 0; b < count; b++)
        if (blocks[b].value > worst.value) worst = blocks[b];
    return worst;
}

static float speed_squared(const rp_grains *p, size_t i)
{
    return p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
}

static double speed_of_range(void *context, rp_range range)
{
    const rp_grains *p = context;
    float most = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        float square = speed_squared(p, i);
        most = square > most ? square : most;
    }
    return sqrt((double)most);
}

double rp_grains_max_speed(const rp_grains *grains, rp_threads *threads)
{
    if (!(rp_reduce_count(grains) > 0)) return 0;
    return rp_reduce_max(grains, threads, BLOCK, speed_of_range, (void *)grains);
}

static uint32_t fastest_id(const rp_grains *p)
{
    size_t fastest = 0;
    for (size_t i = 1; i < p->count; i++)
        if (speed_squared(p, i) > speed_squared(p, fastest)) fastest = i;
    return p->count ? p->id[fastest] : 0;
}

rp_code rp_grains_check_travel(const rp_grains *grains, double speed, double time, double dt,
                               double most, const char *why, rp_report *report)
{
    if (!(speed * dt > most)) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s grain %u goes at %.3g m/s, %.3g m in a step of %.3g s: %s", time,
                   fastest_id(grains), speed, speed * dt, dt, why);
}
