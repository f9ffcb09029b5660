/* The case `detail`: one whole step of fine grains, for several numbers of them. A bed of twenty
 * layers of coarse grains on a floor is sheared, with velocities from 0 at the floor to 1 m/s at
 * its surface, so that fine grains move, cross cells and are sorted now and then.
 *
 * The least work: position and velocity of a grain are read and written once, 48 bytes. */
#include "detail/detail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/threads.h"
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#define FACTOR 500
#define LAYERS 20
#define STEPS 7
#define SPACING 0.016 /* m */
#define STEP 0.01     /* s */
#define SPEED 1.0     /* m/s, of the surface */
#define LEAST_BYTES 48

static const char scene_text[] = "time: {duration: 1 s}\n"
                                 "particles: {spacing: %g}\n"
                                 "bodies: {floor: {shape: plane}}\n"
                                 "detail: {factor: %d, step: %g, keep_apart: %s}\n";

/* A view of the bed that can be advanced in time. */
typedef struct bed {
    rp_view view;
    size_t count;
    float *values; /* x, y, z, vx, vy, vz */
    uint32_t *id;
    uint8_t *material;
    rp_body_state floor;
} bed;

static void bed_release(bed *b)
{
    rp_release(b->values, 6 * b->count * sizeof(float));
    rp_release(b->id, b->count * sizeof *b->id);
    rp_release(b->material, b->count);
}

static void bed_fill(bed *b, size_t side)
{
    float *v = b->values;
    size_t n = b->count;
    for (size_t i = 0; i < n; i++) {
        rp_random4 r = rp_random(1, RP_RANDOM_JITTER, i);
        size_t column = i / LAYERS;
        double at[3] = {(double)(column % side), (double)(column / side), (double)(i % LAYERS)};
        for (size_t a = 0; a < 3; a++)
            v[a * n + i] = (float)(SPACING * (at[a] + 0.45 + 0.1 * rp_random_unit(r.bits[a])));
        v[3 * n + i] = (float)(SPEED * v[2 * n + i] / (LAYERS * SPACING));
        v[4 * n + i] = v[5 * n + i] = 0;
        b->id[i] = (uint32_t)i;
    }
}

static rp_code bed_make(bed *b, size_t count, rp_report *report)
{
    *b = (bed){.count = count};
    b->values = rp_allocate(6 * count * sizeof(float));
    b->id = rp_allocate(count * sizeof *b->id);
    b->material = rp_allocate_zero(count);
    if (!b->values || !b->id || !b->material)
        return rp_fail_memory(report, 30 * count, "coarse grains");
    bed_fill(b, (size_t)ceil(sqrt((double)count / LAYERS)));
    b->floor.orientation[0] = 1;
    const float *v = b->values;
    b->view = (rp_view){.spacing = SPACING,
                        .count = count,
                        .x = v,
                        .y = v + count,
                        .z = v + 2 * count,
                        .vx = v + 3 * count,
                        .vy = v + 4 * count,
                        .vz = v + 5 * count,
                        .id = b->id,
                        .material = b->material,
                        .bodies = &b->floor,
                        .body_count = 1};
    return RP_OK;
}

static void bed_move(bed *b)
{
    for (size_t i = 0; i < b->count; i++)
        b->values[i] += (float)STEP * b->values[3 * b->count + i];
    b->view.time += STEP;
}

static rp_code time_steps(const rp_bench_setup *setup, rp_detail *detail, bed *b, const char *name,
                          rp_bench_list *list, rp_report *report)
{
    double seconds[STEPS];
    rp_code code = rp_detail_advance(detail, &b->view, report);
    for (int i = -1; i < STEPS && code == RP_OK; i++) { /* the first warms up */
        bed_move(b);
        double start = rp_clock();
        code = rp_detail_advance(detail, &b->view, report);
        if (i >= 0) seconds[i] = rp_clock() - start;
    }
    RP_TRY(code);
    rp_detail_counts counts = rp_detail_count(detail);
    double least = LEAST_BYTES * (double)counts.there / setup->machine.bandwidth;
    rp_bench_result result = rp_bench_result_of(name, (size_t)counts.there, seconds, STEPS, least);
    rp_bench_note(&result, "memory", (double)counts.bytes / (double)counts.there, "bytes/grain");
    rp_bench_add(list, result);
    return RP_OK;
}

static rp_code bench_size(const rp_bench_setup *setup, size_t grains, bool keep_apart,
                          rp_bench_list *list, rp_report *report)
{
    char name[40], text[512];
    snprintf(text, sizeof text, scene_text, SPACING, FACTOR, STEP, keep_apart ? "yes" : "no");
    snprintf(name, sizeof name, "detail-%zuM%s", grains / 1000000, keep_apart ? "" : "-published");
    rp_scene *scene = NULL;
    rp_detail *detail = NULL;
    bed b = {0};
    rp_detail_options options = {.threads = setup->threads, .memory = INFINITY};
    rp_code code = rp_scene_parse(text, name, &scene, report);
    if (code == RP_OK) code = rp_detail_create(scene, &options, &detail, report);
    if (code == RP_OK) code = bed_make(&b, grains / FACTOR, report);
    if (code == RP_OK) code = time_steps(setup, detail, &b, name, list, report);
    bed_release(&b);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
    return code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    static const size_t sizes[] = {1000000, 5000000, 20000000, 50000000};
    if (setup->size) return bench_size(setup, setup->size, true, list, report);
    rp_code code = RP_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && code == RP_OK; i++)
        code = bench_size(setup, sizes[i], true, list, report);
    return code == RP_OK ? bench_size(setup, 20000000, false, list, report) : code;
}

const rp_bench_case rp_bench_detail = {
    .name = "detail", .help = "a step of fine grains: 1 M to 50 M, and as published", .run = run};
