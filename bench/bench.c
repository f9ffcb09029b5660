/* The list of benchmarks, and what they share: medians, results, times of stages. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rp_bench_case *const cases[] = {
    &rp_bench_neighbor, &rp_bench_null, &rp_bench_sph,    &rp_bench_column, &rp_bench_dem,
    &rp_bench_sizes,    &rp_bench_mesh, &rp_bench_bodies, &rp_bench_detail, &rp_bench_render,
};

#define COUNT ((int)(sizeof cases / sizeof *cases))

void rp_default_bench_options_fill(rp_bench_options *options, size_t size)
{
    rp_bench_options own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

int rp_bench_count(void)
{
    return COUNT;
}

const char *rp_bench_name(int index)
{
    return index >= 0 && index < COUNT ? cases[index]->name : NULL;
}

const char *rp_bench_help(int index)
{
    return index >= 0 && index < COUNT ? cases[index]->help : NULL;
}

static rp_code run(const rp_bench_case *bench, const rp_bench_options *o, rp_bench_list *list,
                   rp_report *report)
{
    rp_bench_setup setup = {.size = o->particles ? o->particles : bench->default_size,
                            .scenes = o->scenes};
    RP_TRY(rp_threads_create(o->threads, &setup.threads, report));
    rp_code code = rp_bench_measure(setup.threads, &setup.machine, report);
    list->machine = setup.machine;
    if (code == RP_OK) code = bench->run(&setup, list, report);
    rp_threads_destroy(setup.threads);
    return code;
}

rp_code rp_bench_run(const char *name, const rp_bench_options *options, rp_bench_list **out,
                     rp_report *report)
{
    RP_NEED(name, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    rp_bench_options own = rp_default_bench_options();
    RP_TAKE_OPTIONS(&own, options, report);
    int index = 0;
    while (index < COUNT && strcmp(cases[index]->name, name) != 0)
        index++;
    if (index == COUNT) return rp_fail(report, RP_ERROR_INPUT, "there is no benchmark '%s'", name);
    rp_bench_list *list = rp_allocate_zero(sizeof *list);
    if (!list) return rp_fail_memory(report, sizeof *list, "the results of a benchmark");
    rp_code code = run(cases[index], &own, list, report);
    if (code == RP_OK)
        *out = list;
    else
        rp_bench_list_destroy(list);
    return code;
}

void rp_bench_list_destroy(rp_bench_list *list)
{
    rp_release(list, sizeof *list);
}

rp_bench_machine rp_bench_list_machine(const rp_bench_list *list)
{
    return list ? list->machine : (rp_bench_machine){0};
}

int rp_bench_list_count(const rp_bench_list *list)
{
    return list ? list->count : 0;
}

const rp_bench_result *rp_bench_list_at(const rp_bench_list *list, int index)
{
    return index >= 0 && index < rp_bench_list_count(list) ? &list->results[index] : NULL;
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
