/* A picture: place the camera, build the render scene, trace the samples of tile after tile, map
 * radiance to sRGB, draw the legend.
 *
 * Plain sampling writes each pixel when its samples are done. Adaptive sampling works on bands of
 * rows, each a G-buffer with a halo: first samples of all pixels, more where they are needed, then
 * the denoiser over the band. Neither depends on the order in which threads take tiles. */
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "picture/picture.h"
#include "render/inside.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_GRAINS 0.22 /* size of grains between force chains */
#define TILE 16           /* pixels; rays of neighboring pixels traverse the same part of the BVH */
#define GRAIN_SCALE_MAX 10.0
#define GRAINS_MAX ((size_t)UINT32_MAX)
/* The table from linear light to sRGB: from 2^-12 on, by exponent and the 9 leading bits of the
 * mantissa. */
#define SRGB_MIN 0x1p-12f
#define SRGB_SHIFT 14
#define SRGB_SIZE (12 * 512)
#define REPORTS 64            /* of the progress of a picture, about */
#define BAND_PIXELS (1 << 22) /* without the halo: 400 MB of channels */
_Static_assert(SRGB_SHIFT == 23 - 9, "512 steps of the mantissa from one power of two to the next");

/* A picture in progress. */
typedef struct job {
    rp_path_tracer tracer;
    rp_sampler_table table;
    int samples;
    rp_picture *picture;
    int columns;  /* of tiles */
    int rows;     /* of pixels to work on: of the picture, or of the band */
    size_t first; /* tile of the present part */
    rp_gbuffer gbuffer;
    int shown; /* first row of the picture that the band is for, without its halo */
    atomic_ullong rays;
    float srgb[SRGB_SIZE]; /* 0 to 255 */
} job;

int rp_render_quality_samples(int quality)
{
    static const int samples[] = {1, 16, 96};
    return samples[quality < 0 ? 0 : quality > 2 ? 2 : quality];
}

rp_render_options rp_default_render_options(void)
{
    return (rp_render_options){
        .width = 1280, .height = 720, .samples = rp_render_quality_samples(1), .grain_scale = 1};
}

/* --- pixels ----------------------------------------------------------------------------------- */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Linear light as sRGB, 0 to 255. Powers are slow, so there is a table by the leading bits of a
 * float: 512 steps from one power of two to the next, each a fifth of a step of 255 or less. Below
 * the first power sRGB is a straight line anyway. */
static double srgb_of(const job *p, double light)
{
    float value = (float)light;
    if (!(value > SRGB_MIN)) return 255 * 12.92 * rp_clamp_unit(light);
    if (value >= 1) return 255;
    return (double)p->srgb[(bits_of(value) - bits_of(SRGB_MIN)) >> SRGB_SHIFT];
}

/* Each entry is sRGB of the middle of its step. */
static void fill_srgb(job *p)
{
    for (uint32_t i = 0; i < SRGB_SIZE; i++) {
        uint32_t middle = bits_of(SRGB_MIN) + (i << SRGB_SHIFT) + (1u << (SRGB_SHIFT - 1));
        float value;
        memcpy(&value, &middle, sizeof value);
        p->srgb[i] = (float)(255 * rp_picture_srgb_encode((double)value));
    }
}

/* Dithering: noise of one step, a hash of the pixel, keeps smooth skies from showing bands. */
static void put_pixel(const job *p, int x, int y, rp_vec3 colour)
{
    double noise = rp_sampler_hash((uint32_t)x ^ rp_sampler_hash(~(uint32_t)y)) * 0x1p-32;
    uint8_t *pixel = rp_picture_at(p->picture, x, y);
    const double light[3] = {colour.x, colour.y, colour.z};
    for (int c = 0; c < 3; c++) {
        /* Truncation after adding noise of 0 to 1 rounds at random, without bias. */
        double value = srgb_of(p, light[c]) + noise;
        pixel[c] = (uint8_t)(value < 255 ? value : 255);
    }
}

/* Plain sampling: takes all samples of a pixel. Their mean radiance is tone mapped; false colours
 * are not. Returns the number of rays. */
static uint32_t render_pixel(job *p, int x, int y)
{
    rp_vec3 light = rp_v3(0, 0, 0), false_colour = rp_v3(0, 0, 0);
    int false_colours = 0;
    uint32_t rays = 0;
    for (int i = 0; i < p->samples; i++) {
        rp_sampler sampler = rp_sampler_begin(&p->table, x, y, i);
        rp_path_sample sample = rp_trace_path(&p->tracer, x, y, RP_INDIRECT_MANY, &sampler);
        light = rp_v3_add(light, rp_path_sample_radiance(&sample));
        false_colour = rp_v3_add(false_colour, sample.false_colour);
        false_colours += sample.is_false_colour;
        rays += sampler.rays;
    }
    /* A pixel at the edge of a grain in false colour has samples of both kinds: each kind is
     * averaged by itself, and the two are mixed on the screen. */
    int lit = p->samples - false_colours;
    rp_vec3 colour = rp_v3_scale(false_colour, 1.0 / p->samples);
    if (lit > 0)
        colour = rp_v3_madd(colour, (double)lit / p->samples,
                            rp_light_tone_map(rp_v3_scale(light, 1.0 / lit)));
    put_pixel(p, x, y, colour);
    return rays;
}

/* --- tiles ------------------------------------------------------------------------------------ */

typedef uint32_t (*pixel_task)(job *p, int x, int y);

/* Runs a task for all pixels of some tiles of the present part. */
static void work_tiles(job *p, size_t begin, size_t end, pixel_task task)
{
    uint64_t rays = 0; /* one atomic addition per range, not per pixel */
    for (size_t i = p->first + begin; i < p->first + end; i++) {
        int left = (int)(i % (size_t)p->columns) * TILE, top = (int)(i / (size_t)p->columns) * TILE;
        for (int y = top; y < top + TILE && y < p->rows; y++)
            for (int x = left; x < left + TILE && x < p->picture->width; x++)
                rays += task(p, x, y);
    }
    atomic_fetch_add(&p->rays, rays);
}

static void render_tiles(void *context, rp_range range)
{
    work_tiles(context, range.begin, range.end, render_pixel);
}

/* Works on all tiles of p->rows rows, part by part, so that progress can be reported and the host
 * can stop it. On the scale of progress they are from `begin` to `end`. */
static rp_code work_parts(job *p, const rp_render_options *options, rp_threads *threads,
                          rp_range_fn *task, double begin, double end)
{
    size_t rows = ((size_t)p->rows + TILE - 1) / TILE, count = rows * (size_t)p->columns;
    /* Without a progress function all tiles are one part. At least eight a part keep threads busy.
     */
    size_t part = options->progress ? count / REPORTS + 8 : count;
    for (p->first = 0; p->first < count; p->first += part) {
        size_t rest = count - p->first;
        rp_parallel_for(threads, rest < part ? rest : part, 1, task, p);
        double done = rest < part ? 1 : (double)(p->first + part) / (double)count;
        if (options->progress && !options->progress(options->user, begin + done * (end - begin)))
            return RP_INTERRUPTED;
    }
    return RP_OK;
}

/* --- bands with adaptive sampling (P17, P18) -------------------------------------------------- */

static uint32_t sample_pixel(job *p, int x, int y)
{
    return rp_gbuffer_sample(&p->gbuffer, x, y);
}

static uint32_t refine_pixel(job *p, int x, int y)
{
    return rp_gbuffer_refine(&p->gbuffer, x, y);
}

static void sample_tiles(void *context, rp_range range)
{
    work_tiles(context, range.begin, range.end, sample_pixel);
}

static void refine_tiles(void *context, rp_range range)
{
    work_tiles(context, range.begin, range.end, refine_pixel);
}

static void put_rows(void *context, rp_range range)
{
    job *p = context;
    for (int y = p->shown + (int)range.begin; y < p->shown + (int)range.end; y++)
        for (int x = 0; x < p->picture->width; x++)
            put_pixel(p, x, y, rp_gbuffer_colour(&p->gbuffer, x, y - p->gbuffer.top));
}

/* Rows `top` to `bottom` of the picture. The band reaches over them by a halo, as far as the
 * colours of these rows depend on others: the picture does not depend on where bands begin. */
static rp_code render_band(job *p, int top, int bottom, const rp_render_options *options,
                           rp_threads *threads, rp_report *report)
{
    int height = p->picture->height;
    int first = top > RP_GBUFFER_HALO ? top - RP_GBUFFER_HALO : 0;
    int last = bottom + RP_GBUFFER_HALO < height ? bottom + RP_GBUFFER_HALO : height;
    p->gbuffer =
        (rp_gbuffer){.tracer = &p->tracer, .table = &p->table, .samples = p->samples, .top = first};
    rp_code code = rp_gbuffer_create(&p->gbuffer, p->picture->width, last - first, report);
    double begin = (double)top / height, end = (double)bottom / height;
    double between = 0.5 * (begin + end);
    p->rows = last - first;
    p->shown = top;
    /* All first samples before any refinement: it looks at the neighbors. */
    if (code == RP_OK) code = work_parts(p, options, threads, sample_tiles, begin, between);
    if (code == RP_OK) code = work_parts(p, options, threads, refine_tiles, between, end);
    if (code == RP_OK) {
        rp_gbuffer_denoise(&p->gbuffer, threads);
        rp_parallel_for(threads, (size_t)(bottom - top), 8, put_rows, p);
    }
    rp_gbuffer_release(&p->gbuffer);
    return code;
}

/* Bands bound the memory of G-buffers, whatever the size of the picture. */
static rp_code render_bands(job *p, const rp_render_options *options, rp_threads *threads,
                            rp_report *report)
{
    int height = p->picture->height, rows = BAND_PIXELS / p->picture->width;
    rp_code code = RP_OK;
    for (int top = 0; top < height && code == RP_OK; top += rows)
        code = render_band(p, top, top + rows < height ? top + rows : height, options, threads,
                           report);
    return code;
}

/* Adaptive sampling pays off for a middle number of samples: with fewer there is no variance to
 * estimate, with more the noise is gone and filtering would only blur. */
static rp_code render_samples(job *p, const rp_render_options *options, rp_threads *threads,
                              rp_report *report)
{
    bool adaptive = !options->plain && p->samples >= RP_ADAPTIVE_SAMPLES_MIN &&
                    p->samples <= RP_ADAPTIVE_SAMPLES_MAX;
    if (adaptive) return render_bands(p, options, threads, report);
    p->rows = p->picture->height;
    return work_parts(p, options, threads, render_tiles, 0, 1);
}

/* --- a picture -------------------------------------------------------------------------------- */

/* What the loops below rely on. */
static rp_code check(const rp_view *view, const rp_render_options *options, rp_report *report)
{
    if (!(options->grain_scale > 0 && options->grain_scale <= GRAIN_SCALE_MAX))
        return rp_fail(report, RP_ERROR_INPUT,
                       "a grain scale of %g: more than 0 and up to %g are allowed",
                       options->grain_scale, GRAIN_SCALE_MAX);
    if (options->samples < 1 || options->samples > RP_SAMPLES_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%d samples of a pixel: 1 to %d are allowed",
                       options->samples, RP_SAMPLES_MAX);
    if (view->count > 0 && !(view->spacing > 0 && isfinite(view->spacing)))
        return rp_fail(report, RP_ERROR_INPUT,
                       "grains with a spacing of %g m: a positive number is needed", view->spacing);
    if (view->count > GRAINS_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%zu grains: at most %zu can be drawn", view->count,
                       GRAINS_MAX);
    return RP_OK;
}

/* The camera when the shutter opens and when it closes; the shutter interval is centred on the time
 * of the view. `*exposure` becomes its length, s. */
static rp_code place_camera(rp_path_tracer *t, const rp_view *view, const rp_scene *scene,
                            const rp_render_options *options, const rp_framing *framing,
                            double *exposure, rp_report *report)
{
    rp_code code = rp_camera_choose(scene, options, framing, view->time, &t->camera[0], report);
    /* A closed shutter: one camera for the whole picture. */
    t->camera[1] = t->camera[0];
    double frame =
        options->frame_time > 0 && isfinite(options->frame_time) ? options->frame_time : 0;
    *exposure = t->draft || code != RP_OK ? 0 : t->camera[0].shutter * frame;
    if (!(*exposure > 0)) return code;
    t->moving = true;
    for (int end = 0; end < 2 && code == RP_OK; end++)
        code = rp_camera_choose(scene, options, framing, view->time + (end - 0.5) * *exposure,
                                &t->camera[end], report);
    return code;
}

/* False colours have a legend, except ids, which have no scale. */
static void draw_legend(const job *p)
{
    const rp_grain_colours *c = &p->tracer.scene->colours;
    if (c->kind == RP_COLOUR_SPEED)
        rp_legend_draw(p->picture, &(rp_legend){"speed", "m/s", c->range.low, c->range.high});
    if (c->kind == RP_COLOUR_CHAINS)
        rp_legend_draw(p->picture, &(rp_legend){"force", "N", c->range.low, c->range.high});
    if (c->kind == RP_COLOUR_FIELD)
        rp_legend_draw(p->picture,
                       &(rp_legend){c->field->name, c->field->unit, c->range.low, c->range.high});
}

/* Traces the picture in a render scene that is built, and notes the cost. */
static rp_code trace_picture(job *p, const rp_render_scene *render_scene, const rp_scene *scene,
                             const rp_render_options *options, rp_threads *threads,
                             rp_report *report)
{
    double start = rp_clock();
    p->tracer.scene = render_scene;
    p->tracer.lights = rp_lights_make(scene);
    fill_srgb(p);
    rp_code code = render_samples(p, options, threads, report);
    if (!options->no_legend) draw_legend(p);
    if (options->cost) {
        *options->cost = rp_render_scene_cost(render_scene);
        options->cost->tracing = rp_clock() - start;
        options->cost->rays = atomic_load(&p->rays);
    }
    return code;
}

/* Framing, camera, render scene, sample table; then the tracing. All is released, also after a
 * fault. */
static rp_code render_picture(job *p, const rp_view *view, const rp_scene *scene,
                              const rp_render_options *options, rp_threads *threads,
                              rp_report *report)
{
    rp_framing own = rp_framing_empty();
    const rp_framing *framing = options->framing ? options->framing : &own;
    rp_render_scene render_scene = {0};
    rp_render_scene_options build = {.grain_scale = options->grain_scale};
    rp_code code = RP_OK;
    if (!options->framing) code = rp_framing_add(&own, view, scene, report);
    if (code == RP_OK)
        code = place_camera(&p->tracer, view, scene, options, framing, &build.exposure, report);
    build.eye = p->tracer.camera[0].position;
    /* Force chains are seen between small grains. */
    if (options->colour && strcmp(options->colour, RP_FORCE_CHAINS) == 0) {
        build.grain_scale *= CHAIN_GRAINS;
        build.exposure = 0; /* contacts are of one instant */
    }
    if (code == RP_OK)
        code = rp_render_scene_build(&render_scene, view, scene, options, framing, &build, threads,
                                     report);
    if (code == RP_OK) code = rp_sampler_table_make(&p->table, p->samples, report);
    if (code == RP_OK) code = trace_picture(p, &render_scene, scene, options, threads, report);
    rp_sampler_table_release(&p->table);
    rp_render_scene_release(&render_scene);
    return code;
}

rp_code rp_render_view(const rp_view *view, const rp_scene *scene, const rp_render_options *options,
                       rp_threads *threads, rp_picture **out, rp_report *report)
{
    *out = NULL;
    job p = {.samples = options->samples, .tracer.draft = options->samples == 1};
    rp_code code = check(view, options, report);
    if (code == RP_OK)
        code = rp_picture_create(options->width, options->height, &p.picture, report);
    p.columns = (options->width + TILE - 1) / TILE;
    if (code == RP_OK) code = render_picture(&p, view, scene, options, threads, report);
    if (code == RP_OK)
        *out = p.picture;
    else
        rp_picture_destroy(p.picture);
    return code;
}
