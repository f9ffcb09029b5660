#include "bench/bench.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rp_bench_case *const cases[] = {
    &rp_bench_neighbor, &rp_bench_null, &rp_bench_sph,    &rp_bench_column, &rp_bench_dem,
    &rp_bench_sizes,    &rp_bench_mesh, &rp_bench_bodies, &rp_bench_detail, &rp_bench_render,
};

const rp_bench_case *const *rp_bench_cases(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}

rp_code rp_bench_run(const rp_bench_case *bench, size_t size, int threads, const char *scenes,
                     rp_bench_list *list, rp_report *report)
{
    list->count = 0;
    rp_bench_setup setup = {.size = size ? size : bench->default_size, .scenes = scenes};
    rp_code code = rp_threads_create(threads, &setup.threads, report);
    if (code != RP_OK) return code;
    code = rp_bench_measure(setup.threads, &setup.machine, report);
    list->machine = setup.machine;
    if (code == RP_OK) code = bench->run(&setup, list, report);
    rp_threads_destroy(setup.threads);
    return code;
}

void rp_bench_add(rp_bench_list *list, rp_bench_result result)
{
    if (list->count < RP_BENCH_RESULTS) list->results[list->count++] = result;
}

void rp_bench_note(rp_bench_result *result, const char *name, double value, const char *unit)
{
    for (int i = 0; i < RP_BENCH_FIGURES; i++) {
        if (result->figures[i].name) continue;
        result->figures[i] = (rp_bench_figure){name, value, unit};
        return;
    }
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

double rp_bench_cost(const double *seconds, size_t particles, const double *smaller_seconds,
                     size_t fewer, int turns)
{
    double ratios[RP_BENCH_TURNS];
    for (int n = 0; n < turns; n++)
        ratios[n] = seconds[n] / (double)particles / (smaller_seconds[n] / (double)fewer);
    return rp_bench_median(ratios, turns);
}

rp_bench_result rp_bench_result_of(const char *name, size_t particles, double *seconds, int steps,
                                   double least_seconds)
{
    double median = rp_bench_median(seconds, steps);
    rp_bench_result result = {.particles = particles,
                              .steps = steps,
                              .seconds = median,
                              .rate = (double)particles / median,
                              .limit = least_seconds > 0 ? (double)particles / least_seconds : 0};
    snprintf(result.name, sizeof result.name, "%s", name);
    return result;
}

rp_bench_stages rp_bench_stages_of(const rp_world *world)
{
    rp_bench_stages all;
    all.count = rp_world_stages(world, all.stages, RP_STAGE_COUNT_MAX);
    return all;
}

int rp_bench_stage(const rp_bench_stages *stages, const char *name)
{
    int i = 0;
    while (i < stages->count && strcmp(stages->stages[i].name, name) != 0)
        i++;
    RP_ASSERT(i < stages->count);
    return i;
}

const char *rp_bench_part_name(const rp_bench_stages *stages, int part)
{
    return part < stages->count ? stages->stages[part].name : "rest";
}

rp_code rp_bench_step(rp_world *world, double *whole, double *parts, rp_report *report)
{
    rp_bench_stages before = rp_bench_stages_of(world);
    double start = rp_clock();
    rp_code code = rp_world_step(world, report);
    *whole = rp_clock() - start;
    rp_bench_stages after = rp_bench_stages_of(world);
    parts[after.count] = *whole;
    for (int k = 0; k < after.count; k++) {
        parts[k] = after.stages[k].seconds - before.stages[k].seconds;
        parts[after.count] -= parts[k];
    }
    return code;
}
