#include "bench/bench.h"

#include <stdlib.h>

static const rp_bench_case *const cases[] = {
    &rp_bench_neighbor,
    &rp_bench_null,
};

const rp_bench_case *const *rp_bench_cases(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}

rp_code rp_bench_run(const rp_bench_case *bench, size_t size, int threads, rp_bench_result *results,
                     int max, int *count, rp_report *report)
{
    *count = 0;
    rp_threads *pool;
    rp_code code = rp_threads_create(threads, &pool, report);
    if (code != RP_OK) return code;
    rp_bench_machine machine;
    code = rp_bench_measure(pool, &machine, report);
    if (code == RP_OK)
        code = bench->run(size ? size : bench->default_size, pool, &machine, results, max, count,
                          report);
    rp_threads_destroy(pool);
    return code;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

double rp_bench_median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    return count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

rp_bench_result rp_bench_result_of(const char *name, size_t particles, double *seconds, int steps,
                                   double least_seconds)
{
    double median = rp_bench_median(seconds, steps);
    return (rp_bench_result){.name = name,
                             .particles = particles,
                             .steps = steps,
                             .seconds = median,
                             .rate = (double)particles / median,
                             .limit = (double)particles / least_seconds};
}
