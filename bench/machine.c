/* Speed of this machine: bytes copied, bytes read and multiply-adds per second. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "math/wide.h"

#include <string.h>

#define COPY_BYTES ((size_t)128 << 20) /* per direction; several times any last-level cache */
#define COPY_BLOCK ((size_t)1 << 20)
#define REPEATS 7
/* Independent sums, enough to hide the latency of a multiply-add on all units. */
#define SUMS 12
#define ROUNDS 1000000
#define TASKS_EACH 4

typedef struct copy_job {
    const char *from;
    char *to;
} copy_job;

static void copy_range(void *context, rp_range range)
{
    const copy_job *job = context;
    memcpy(job->to + range.begin, job->from + range.begin, range.end - range.begin);
}

/* Sums all floats of the range. The sum is stored, or the compiler would remove the loop. */
RP_WIDE_KERNEL
static void read_range(void *context, rp_range range)
{
    const copy_job *job = context;
    rp_wide sums[4] = {{0}};
    for (size_t at = range.begin; at + sizeof sums <= range.end; at += sizeof sums)
        for (int s = 0; s < 4; s++)
            sums[s] += *(const rp_wide *)(const void *)(job->from + at + s * sizeof(rp_wide));
    memcpy(job->to + range.begin, sums, sizeof sums);
}

static double seconds_of(rp_threads *threads, rp_range_fn *body, copy_job *job)
{
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        double start = rp_clock();
        rp_parallel_for(threads, COPY_BYTES, COPY_BLOCK, body, job);
        seconds[i] = rp_clock() - start;
    }
    return rp_bench_median(seconds, REPEATS);
}

static rp_code measure_bandwidth(rp_threads *threads, rp_bench_machine *out, rp_report *report)
{
    char *from = rp_allocate_zero(COPY_BYTES), *to = rp_allocate_zero(COPY_BYTES);
    rp_code code = from && to ? RP_OK : rp_fail_memory(report, 2 * COPY_BYTES, "benchmark");
    copy_job job = {from, to};
    if (code == RP_OK) {
        out->bandwidth = 2.0 * COPY_BYTES / seconds_of(threads, copy_range, &job);
        out->reading = COPY_BYTES / seconds_of(threads, read_range, &job);
    }
    rp_release(from, COPY_BYTES);
    rp_release(to, COPY_BYTES);
    return code;
}

/* Computes s = s * a + b on several independent sums; a < 1 keeps them finite. */
RP_WIDE_KERNEL
static float multiply_add(int rounds)
{
    rp_wide sums[SUMS];
    for (int s = 0; s < SUMS; s++)
        sums[s] = rp_wide_broadcast((float)s);
    rp_wide factor = rp_wide_broadcast(0.999f), term = rp_wide_broadcast(0.001f);
    for (int i = 0; i < rounds; i++)
        for (int s = 0; s < SUMS; s++)
            sums[s] = sums[s] * factor + term;
    rp_wide all = sums[0];
    for (int s = 1; s < SUMS; s++)
        all += sums[s];
    return rp_wide_sum(all);
}

static void multiply_add_range(void *context, rp_range range)
{
    float *results = context;
    for (size_t i = range.begin; i < range.end; i++)
        results[i * RP_ALIGNMENT / sizeof(float)] = multiply_add(ROUNDS);
}

static rp_code measure_arithmetic(rp_threads *threads, double *out, rp_report *report)
{
    size_t tasks = (size_t)rp_threads_count(threads) * TASKS_EACH;
    float *results = rp_allocate_zero(tasks * RP_ALIGNMENT);
    if (!results) return rp_fail_memory(report, tasks * RP_ALIGNMENT, "benchmark");
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        double start = rp_clock();
        rp_parallel_for(threads, tasks, 1, multiply_add_range, results);
        seconds[i] = rp_clock() - start;
    }
    rp_release(results, tasks * RP_ALIGNMENT);
    *out = (double)tasks * ROUNDS * SUMS * RP_WIDE / rp_bench_median(seconds, REPEATS);
    return RP_OK;
}

rp_code rp_bench_measure(rp_threads *threads, rp_bench_machine *out, rp_report *report)
{
    rp_code code = measure_bandwidth(threads, out, report);
    return code == RP_OK ? measure_arithmetic(threads, &out->arithmetic, report) : code;
}
