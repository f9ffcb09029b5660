/* The case `bodies`: the cost of solids.
 *
 * `bodies-push`: the scene bulldozer at 2 s, when it pushes half of the heap. Two worlds continue
 * from the same sand, step by step in turn, with the same number of iterations: one with the
 * bulldozer, one in which it stands a hundred metres away. `added` is the difference of the medians
 * of both. The ground is there in both. The parts are the stages of the step, and the remainder.
 *
 * There is no model of the least work: the goal is that the bulldozer adds less than a quarter. */
#include "base/report.h"
#include "bench/bench.h"
#include "repose/repose.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS 31
#define WARM_UP 5
#define PUSHING 2.0                                  /* s */
#define HEAP_VOLUME (RP_PI * 0.65 * 0.65 * 0.42 / 3) /* m3, of the scene's source */
#define SPACING 0.016                                /* m, as the scene has it */

typedef struct record {
    double whole[STEPS];
    double part[RP_BENCH_PARTS][STEPS];
} record;

static rp_code timed_step(rp_world *world, record *r, int n, rp_report *report)
{
    double whole, parts[RP_BENCH_PARTS];
    rp_code code = rp_bench_step(world, &whole, parts, report);
    if (n < 0) return code;
    r->whole[n] = whole;
    for (int k = 0; k <= rp_world_stages(world, NULL, 0); k++)
        r->part[k][n] = parts[k];
    return code;
}

typedef struct site {
    rp_scene *scene;
    rp_world *world;
} site;

static void end_site(site *s)
{
    rp_world_destroy(s->world);
    rp_scene_destroy(s->scene);
}

static rp_code make_site(const rp_bench_setup *setup, const char *iterations, bool away, site *s,
                         rp_report *report)
{
    char path[4096], spacing[32];
    if (!setup->scenes)
        return rp_fail(report, RP_ERROR_INPUT, "bodies: no scenes are bundled with this program");
    snprintf(path, sizeof path, "%s/bulldozer.yaml", setup->scenes);
    snprintf(spacing, sizeof spacing, "%.17g",
             setup->size ? cbrt(HEAP_VOLUME / (double)setup->size) : SPACING);
    const rp_setting settings[] = {
        {"particles.spacing", spacing},
        {"solver.iterations", iterations},
        {"solver.tolerance", "0"},
        {"solver.flow_tolerance", "0"},
        {"bodies.bulldozer.keys", "[{time: 0 s, position: [-100, 0, 0]}]"},
    };
    rp_world_options options = rp_default_world_options();
    options.threads = rp_threads_count(setup->threads);
    rp_code code = rp_scene_load(path, settings, away ? 5 : 4, &s->scene, report);
    return code == RP_OK ? rp_world_create(s->scene, &options, &s->world, report) : code;
}

static bool is_own(const char *name)
{
    return strcmp(name, "world/scene") == 0 || strncmp(name, "bodies/", 7) == 0;
}

static rp_code put_some(const rp_store *from, bool own, rp_store *to, rp_report *report)
{
    rp_code code = RP_OK;
    for (size_t i = 0; i < from->count && code == RP_OK; i++) {
        const rp_store_entry *e = &from->entries[i];
        if (is_own(e->name) != own) continue;
        code = rp_store_put(to, e->name, e->unit, e->type, e->data, e->count, report);
    }
    return code;
}

/* The sand of one world in another one; bodies stay what they are there. */
static rp_code bring_sand(const rp_world *from, rp_world *to, rp_report *report)
{
    rp_store sand, own, both;
    rp_store_begin(&sand);
    rp_store_begin(&own);
    rp_store_begin(&both);
    rp_code code = rp_world_write_state(from, &sand, report);
    if (code == RP_OK) code = rp_world_write_state(to, &own, report);
    if (code == RP_OK) code = put_some(&sand, false, &both, report);
    if (code == RP_OK) code = put_some(&own, true, &both, report);
    if (code == RP_OK) code = rp_world_read_state(to, &both, report);
    rp_store_end(&both);
    rp_store_end(&own);
    rp_store_end(&sand);
    return code;
}

static void add_part(rp_bench_list *list, const char *name, size_t count, double *with,
                     double *without)
{
    double base = rp_bench_median(without, STEPS);
    rp_bench_result result = rp_bench_result_of(name, count, with, STEPS, 0);
    rp_bench_note(&result, "without", 1e3 * base, "ms");
    rp_bench_note(&result, "added", 1e3 * (result.seconds - base), "ms");
    rp_bench_note(&result, "share", 100 * (result.seconds / base - 1), "%");
    rp_bench_add(list, result);
}

static void add_push(rp_bench_list *list, const char *name, const rp_world *world, record *with,
                     record *without)
{
    size_t count = world->grains.count;
    rp_bench_stages stages = rp_bench_stages_of(world);
    add_part(list, name, count, with->whole, without->whole);
    for (int k = 0; k <= stages.count; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s-%s", name, rp_bench_part_name(&stages, k));
        add_part(list, text, count, with->part[k], without->part[k]);
    }
}

/* Both worlds by turns, so that what else the machine does meets them alike. */
static rp_code compare_pushes(site *with, site *without, const char *name, rp_bench_list *list,
                              rp_report *report)
{
    static record a, b;
    rp_code code = rp_world_run_to(with->world, PUSHING, report);
    if (code == RP_OK) code = bring_sand(with->world, without->world, report);
    for (int i = -WARM_UP; i < STEPS && code == RP_OK; i++) {
        code = timed_step(with->world, &a, i, report);
        if (code == RP_OK) code = timed_step(without->world, &b, i, report);
    }
    if (code == RP_OK) add_push(list, name, with->world, &a, &b);
    return code;
}

static rp_code push(const rp_bench_setup *setup, const char *iterations, const char *name,
                    rp_bench_list *list, rp_report *report)
{
    site with = {0}, without = {0};
    rp_code code = make_site(setup, iterations, false, &with, report);
    if (code == RP_OK) code = make_site(setup, iterations, true, &without, report);
    if (code == RP_OK) code = compare_pushes(&with, &without, name, list, report);
    end_site(&with);
    end_site(&without);
    return code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    rp_code code = push(setup, "3", "bodies-push-3", list, report);
    return code == RP_OK ? push(setup, "12", "bodies-push-12", list, report) : code;
}

const rp_bench_case rp_bench_bodies = {"bodies", "what a bulldozer in sand adds to a step", 0, run};
