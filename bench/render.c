/* The case `render`: a draft picture (one sample of a pixel, sun and shadow) of a slab of grains
 * ten times as wide as it is thick, as large in the picture as it can be; and a good one of a
 * million grains, with adaptive sampling and with all samples of every pixel.
 *
 * Each is compared with what Embree alone achieves, in the same run: a BVH of all spheres, buried
 * ones too; and a bare loop over the BVH of the picture, with one camera ray for each pixel and one
 * shadow ray for each hit. Beside a good picture, which has indirect rays, the loop also traces a
 * ray in a random direction from each hit, and a shadow ray from the hit of that one. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "render/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPEATS 11 /* of drafts; good pictures take longer */
#define REPEATS_GOOD 5
#define SPACING 0.01 /* m */
#define JITTER 0.3   /* spacings, of grains about a lattice */

/* The camera is over an edge, so that the slab fills about three quarters of the picture. */
static const char scene_text[] = "time: {duration: 1 s}\n"
                                 "particles: {spacing: 1 cm}\n"
                                 "cameras: {over: {position: [%g, %g, %g], target: [%g, %g, 0]}}\n";

typedef struct slab {
    rp_view view;
    size_t count;
    float *at; /* x, y, z */
    uint32_t *id;
} slab;

static void slab_release(slab *s)
{
    rp_release(s->at, 3 * s->count * sizeof *s->at);
    rp_release(s->id, s->count * sizeof *s->id);
}

/* Grains along an edge. */
static double slab_side(size_t count)
{
    return ceil(cbrt(10 * (double)count));
}

static void fill(void *context, rp_range range)
{
    slab *s = context;
    size_t side = (size_t)slab_side(s->count);
    for (size_t i = range.begin; i < range.end; i++) {
        rp_random4 r = rp_random(1, RP_RANDOM_JITTER, i);
        double cell[3] = {(double)(i % side), (double)(i / side % side), (double)(i / side / side)};
        for (size_t a = 0; a < 3; a++)
            s->at[a * s->count + i] =
                (float)(SPACING * (cell[a] + 0.5 + JITTER * (rp_random_unit(r.bits[a]) - 0.5f)));
        s->id[i] = (uint32_t)i;
    }
}

static rp_code slab_make(slab *s, size_t count, rp_threads *threads, rp_report *report)
{
    *s = (slab){.count = count};
    s->at = rp_allocate(3 * count * sizeof *s->at);
    s->id = rp_allocate(count * sizeof *s->id);
    if (!s->at || !s->id) return rp_fail_memory(report, 16 * count, "a slab of grains");
    rp_parallel_for(threads, count, 4096, fill, s);
    s->view = (rp_view){.spacing = SPACING,
                        .count = count,
                        .x = s->at,
                        .y = s->at + count,
                        .z = s->at + 2 * count,
                        .id = s->id};
    return RP_OK;
}

/* Everything that a picture of the slab needs. */
typedef struct shot {
    const slab *slab;
    const rp_scene *scene;
    rp_framing framing;
    rp_render_options options;
    rp_threads *threads;
} shot;

/* Rays per second of the bare loop. */
static double bare_rate(const shot *s, const rp_render_scene *render_scene, const rp_camera *camera)
{
    rp_vec3 eye = rp_v3_sub(camera->position, render_scene->centre);
    rp_vec3 corner = rp_v3_add(eye, rp_camera_ray(camera, 0.5, 0.5));
    double start = rp_clock();
    double rays = (double)rp_ray_bvh_benchmark(
        render_scene->bvh, s->threads, eye, corner, rp_v3_scale(camera->right, camera->pitch),
        rp_v3_scale(camera->down, camera->pitch), camera->width, camera->height,
        rp_lights_make(s->scene).to_sun, s->options.samples > 1);
    return rays / (rp_clock() - start);
}

/* Time, s, and bytes of a BVH of all spheres. */
static rp_code time_whole(const shot *s, double *seconds, double *bytes, rp_report *report)
{
    size_t count = s->slab->count;
    rp_bvh_vertex *spheres = rp_allocate(count * sizeof *spheres);
    if (!spheres) return rp_fail_memory(report, count * sizeof *spheres, "spheres");
    const rp_view *view = &s->slab->view;
    for (size_t i = 0; i < count; i++) {
        spheres[i][0] = view->x[i], spheres[i][1] = view->y[i], spheres[i][2] = view->z[i];
        spheres[i][3] = (float)(0.5 * SPACING);
    }
    rp_ray_bvh *rays = NULL;
    double start = rp_clock();
    rp_code code = rp_ray_bvh_create(rp_threads_count(s->threads), &rays, report);
    if (code == RP_OK) code = rp_ray_bvh_add_spheres(rays, count, spheres, NULL, report);
    if (code == RP_OK) code = rp_ray_bvh_build(rays, report);
    *seconds = rp_clock() - start;
    *bytes = code == RP_OK ? (double)rp_ray_bvh_bytes(rays) : 0;
    rp_ray_bvh_destroy(rays);
    rp_release(spheres, count * sizeof *spheres);
    return code;
}

/* Pictures and bare loops alternate, so that other work on the machine affects both. */
typedef struct turns {
    int count;
    double seconds[REPEATS], ours[REPEATS], bare[REPEATS], ratio[REPEATS];
    rp_render_cost cost;
} turns;

static rp_code take_turns(shot *s, const rp_render_scene *render_scene, turns *t, rp_report *report)
{
    rp_camera camera;
    rp_code code = rp_camera_choose(s->scene, &s->options, &s->framing, 0, &camera, report);
    s->options.cost = &t->cost;
    for (int i = 0; i < t->count && code == RP_OK; i++) {
        rp_picture *picture;
        double start = rp_clock();
        code = rp_render_view(&s->slab->view, s->scene, &s->options, s->threads, &picture, report);
        t->seconds[i] = rp_clock() - start;
        rp_picture_destroy(picture);
        t->ours[i] = (double)t->cost.rays / t->cost.tracing;
        t->bare[i] = bare_rate(s, render_scene, &camera);
        t->ratio[i] = t->bare[i] / t->ours[i];
    }
    return code;
}

static rp_code time_pictures(shot *s, const char *name, int samples, rp_bench_list *list,
                             rp_report *report)
{
    turns t = {.count = samples == 1 ? REPEATS : REPEATS_GOOD};
    s->options.samples = samples;
    rp_render_scene render_scene = {0};
    rp_render_scene_options build = {.grain_scale = 1};
    rp_code code = rp_render_scene_build(&render_scene, &s->slab->view, s->scene, &s->options,
                                         &s->framing, &build, s->threads, report);
    if (code == RP_OK) code = take_turns(s, &render_scene, &t, report);
    rp_render_scene_release(&render_scene);
    RP_TRY(code);
    rp_bench_result result = rp_bench_result_of(name, s->slab->count, t.seconds, t.count, 0);
    rp_bench_note(&result, "structure", t.cost.gathering + t.cost.building, "s");
    rp_bench_note(&result, "grains in it", (double)t.cost.grains, "");
    rp_bench_note(&result, "memory", (double)t.cost.bytes / 1e6, "MB");
    rp_bench_note(&result, "ours", rp_bench_median(t.ours, t.count) / 1e6, "M rays/s");
    rp_bench_note(&result, "bare loop", rp_bench_median(t.bare, t.count) / 1e6, "M rays/s");
    rp_bench_note(&result, "bare / ours", rp_bench_median(t.ratio, t.count), "");
    rp_bench_add(list, result);
    return RP_OK;
}

static rp_code add_whole(const shot *s, const char *name, rp_bench_list *list, rp_report *report)
{
    double seconds = 0, bytes = 0;
    RP_TRY(time_whole(s, &seconds, &bytes, report));
    rp_bench_result result = rp_bench_result_of(name, s->slab->count, &seconds, 1, 0);
    rp_bench_note(&result, "memory", bytes / 1e6, "MB");
    rp_bench_add(list, result);
    return RP_OK;
}

static rp_code bench_size(const rp_bench_setup *setup, size_t grains, rp_bench_list *list,
                          rp_report *report)
{
    char name[40], text[512];
    rp_scene *scene = NULL;
    slab grain_slab = {0};
    double edge = SPACING * slab_side(grains);
    snprintf(text, sizeof text, scene_text, 0.5 * edge, -0.25 * edge, 0.62 * edge, 0.5 * edge,
             0.42 * edge);
    rp_code code = rp_scene_parse(text, "slab", &scene, report);
    if (code == RP_OK) code = slab_make(&grain_slab, grains, setup->threads, report);
    shot s = {&grain_slab, scene, rp_framing_empty(), rp_default_render_options(), setup->threads};
    s.options.framing = &s.framing;
    if (code == RP_OK) code = rp_framing_add(&s.framing, &grain_slab.view, scene, report);
    snprintf(name, sizeof name, "render-draft-%zuM", grains / 1000000);
    if (code == RP_OK) code = time_pictures(&s, name, 1, list, report);
    snprintf(name, sizeof name, "render-all-spheres-%zuM", grains / 1000000);
    if (code == RP_OK) code = add_whole(&s, name, list, report);
    snprintf(name, sizeof name, "render-good-%zuM", grains / 1000000);
    bool small = grains <= 1000000;
    if (code == RP_OK && small)
        code = time_pictures(&s, name, rp_render_quality_samples(1), list, report);
    snprintf(name, sizeof name, "render-all-samples-%zuM", grains / 1000000);
    s.options.plain = true;
    if (code == RP_OK && small)
        code = time_pictures(&s, name, rp_render_quality_samples(1), list, report);
    slab_release(&grain_slab);
    rp_scene_destroy(scene);
    return code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    if (setup->size) return bench_size(setup, setup->size, list, report);
    rp_code code = bench_size(setup, 1000000, list, report);
    return code == RP_OK ? bench_size(setup, 20000000, list, report) : code;
}

const rp_bench_case rp_bench_render = {
    .name = "render", .help = "pictures of 1 M and 20 M grains next to bare Embree", .run = run};
