/* A picture: gather what there is, build the structure that rays search, then trace the samples of
 * tile after tile. */
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "picture/legend.h"
#include "render/strip.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_GRAINS 0.22 /* how large grains are between force chains */
#define TILE 16           /* pixels; neighboring rays meet the same things */
#define GRAIN_SCALE_MAX 10.0
#define GRAINS_MAX ((size_t)UINT32_MAX)
/* The table from light to bytes: from 2^-12 on, by the leading 9 bits behind the point. */
#define ENCODED_LEAST 0x1p-12f
#define ENCODED_SHIFT 14
#define ENCODED (12 * 512)
#define REPORTS 64             /* of the progress of a picture, about */
#define STRIP_PIXELS (1 << 22) /* without those around: 400 MB of layers */

typedef struct painting {
    rp_tracing tracing;
    rp_dice_table dice;
    int samples;
    rp_picture *picture;
    int columns;  /* of tiles */
    int rows;     /* of pixels in hand: of the picture, or of the strip */
    size_t first; /* tile of the present part */
    rp_strip strip;
    int shown; /* the first row of the picture that the strip is for */
    atomic_ullong rays;
    float encoded[ENCODED]; /* sRGB, 0 to 255 */
} painting;

int rp_paint_quality_samples(int quality)
{
    static const int samples[] = {1, 16, 96};
    return samples[quality < 0 ? 0 : quality > 2 ? 2 : quality];
}

rp_paint_options rp_default_paint_options(void)
{
    return (rp_paint_options){
        .width = 1280, .height = 720, .samples = rp_paint_quality_samples(1), .grain_scale = 1};
}

/* --- pixels ----------------------------------------------------------------------------------- */

/* Powers are slow, so there is a table by the leading bits of a float: 512 steps from one power of
 * two to the next, each a fifth of a step of 255 or less. Below the first power it is a straight
 * line anyway. */
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double encode(const painting *p, double light)
{
    float value = (float)light;
    if (!(value > ENCODED_LEAST)) return 255 * 12.92 * rp_clamp_unit(light);
    if (value >= 1) return 255;
    return (double)p->encoded[(bits_of(value) - bits_of(ENCODED_LEAST)) >> ENCODED_SHIFT];
}

static void fill_encoded(painting *p)
{
    for (uint32_t i = 0; i < ENCODED; i++) {
        uint32_t middle =
            bits_of(ENCODED_LEAST) + (i << ENCODED_SHIFT) + (1u << (ENCODED_SHIFT - 1));
        float value;
        memcpy(&value, &middle, sizeof value);
        p->encoded[i] = (float)(255 * rp_picture_srgb_encode((double)value));
    }
}

/* A little noise, always the same, keeps smooth skies from falling into bands. */
static void put_pixel(const painting *p, int x, int y, rp_vec3 colour)
{
    double noise = rp_mix_bits((uint32_t)x ^ rp_mix_bits(~(uint32_t)y)) * 0x1p-32;
    uint8_t *pixel = rp_picture_at(p->picture, x, y);
    const double light[3] = {colour.x, colour.y, colour.z};
    for (int c = 0; c < 3; c++) {
        double value = encode(p, light[c]) + noise;
        pixel[c] = (uint8_t)(value < 255 ? value : 255);
    }
}

/* Light is added up and then toned; what a chart shows is not toned at all. Gives the number of
 * rays. */
static uint32_t paint_pixel(painting *p, int x, int y)
{
    rp_vec3 light = rp_v3(0, 0, 0), chart = rp_v3(0, 0, 0);
    int charts = 0;
    uint32_t rays = 0;
    for (int s = 0; s < p->samples; s++) {
        rp_dice dice = rp_dice_begin(&p->dice, x, y, s);
        rp_seen seen = rp_trace(&p->tracing, x, y, RP_SKY_MANY, &dice);
        light = rp_v3_add(light, rp_seen_light(&seen));
        chart = rp_v3_add(chart, seen.chart);
        charts += seen.is_chart;
        rays += dice.rays;
    }
    int lit = p->samples - charts;
    rp_vec3 colour = rp_v3_scale(chart, 1.0 / p->samples);
    if (lit > 0)
        colour = rp_v3_madd(colour, (double)lit / p->samples,
                            rp_light_tone(rp_v3_scale(light, 1.0 / lit)));
    put_pixel(p, x, y, colour);
    return rays;
}

typedef uint32_t (*pixel_task)(painting *p, int x, int y);

/* The pixels of tiles of the present rows. */
static void work_tiles(painting *p, size_t begin, size_t end, pixel_task task)
{
    uint64_t rays = 0;
    for (size_t i = p->first + begin; i < p->first + end; i++) {
        int left = (int)(i % (size_t)p->columns) * TILE, top = (int)(i / (size_t)p->columns) * TILE;
        for (int y = top; y < top + TILE && y < p->rows; y++)
            for (int x = left; x < left + TILE && x < p->picture->width; x++)
                rays += task(p, x, y);
    }
    atomic_fetch_add(&p->rays, rays);
}

static void paint_tiles(void *context, rp_range range)
{
    work_tiles(context, range.begin, range.end, paint_pixel);
}

/* Tiles of p->rows rows, in parts, so that one can see how far it is and stop it; they are the part
 * from `begin` to `end` of the picture. */
static rp_code work_parts(painting *p, const rp_paint_options *options, rp_threads *threads,
                          rp_range_fn *task, double begin, double end)
{
    size_t rows = ((size_t)p->rows + TILE - 1) / TILE, count = rows * (size_t)p->columns;
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

/* --- strips ----------------------------------------------------------------------------------- */

static uint32_t sample_pixel(painting *p, int x, int y)
{
    return rp_strip_sample(&p->strip, x, y);
}

static uint32_t refine_pixel(painting *p, int x, int y)
{
    return rp_strip_refine(&p->strip, x, y);
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
    painting *p = context;
    for (int y = p->shown + (int)range.begin; y < p->shown + (int)range.end; y++)
        for (int x = 0; x < p->picture->width; x++)
            put_pixel(p, x, y, rp_strip_colour(&p->strip, x, y - p->strip.top));
}

/* Rows `top` to `bottom` of the picture, by a strip that reaches as far around as they depend on.
 */
static rp_code paint_strip(painting *p, int top, int bottom, const rp_paint_options *options,
                           rp_threads *threads, rp_report *report)
{
    int height = p->picture->height;
    int first = top > RP_STRIP_HALO ? top - RP_STRIP_HALO : 0;
    int last = bottom + RP_STRIP_HALO < height ? bottom + RP_STRIP_HALO : height;
    p->strip =
        (rp_strip){.tracing = &p->tracing, .dice = &p->dice, .samples = p->samples, .top = first};
    rp_code code = rp_strip_create(&p->strip, p->picture->width, last - first, report);
    double begin = (double)top / height, end = (double)bottom / height;
    double between = 0.5 * (begin + end);
    p->rows = last - first;
    p->shown = top;
    if (code == RP_OK) code = work_parts(p, options, threads, sample_tiles, begin, between);
    if (code == RP_OK) code = work_parts(p, options, threads, refine_tiles, between, end);
    if (code == RP_OK) {
        rp_strip_denoise(&p->strip, threads);
        rp_parallel_for(threads, (size_t)(bottom - top), 8, put_rows, p);
    }
    rp_strip_release(&p->strip);
    return code;
}

static rp_code paint_strips(painting *p, const rp_paint_options *options, rp_threads *threads,
                            rp_report *report)
{
    int height = p->picture->height, rows = STRIP_PIXELS / p->picture->width;
    rp_code code = RP_OK;
    for (int top = 0; top < height && code == RP_OK; top += rows)
        code = paint_strip(p, top, top + rows < height ? top + rows : height, options, threads,
                           report);
    return code;
}

static rp_code paint_samples(painting *p, const rp_paint_options *options, rp_threads *threads,
                             rp_report *report)
{
    bool adaptive = !options->plain && p->samples >= RP_STRIP_LEAST && p->samples <= RP_STRIP_MOST;
    if (adaptive) return paint_strips(p, options, threads, report);
    p->rows = p->picture->height;
    return work_parts(p, options, threads, paint_tiles, 0, 1);
}

/* --- a picture -------------------------------------------------------------------------------- */

static rp_code check(const rp_view *view, const rp_paint_options *options, rp_report *report)
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

/* The camera when the shutter opens and when it closes, about the time of the view. */
static rp_code place_camera(rp_tracing *t, const rp_view *view, const rp_scene *scene,
                            const rp_paint_options *options, const rp_framing *framing,
                            double *exposure, rp_report *report)
{
    rp_code code = rp_camera_choose(scene, options, framing, view->time, &t->camera[0], report);
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

static void draw_legend(const painting *p)
{
    const rp_grain_colours *c = &p->tracing.scenery->colours;
    if (c->kind == RP_COLOUR_SPEED)
        rp_legend_draw(p->picture, &(rp_legend){"speed", "m/s", c->range.low, c->range.high});
    if (c->kind == RP_COLOUR_CHAINS)
        rp_legend_draw(p->picture, &(rp_legend){"force", "N", c->range.low, c->range.high});
    if (c->kind == RP_COLOUR_FIELD)
        rp_legend_draw(p->picture,
                       &(rp_legend){c->field->name, c->field->unit, c->range.low, c->range.high});
}

static rp_code paint_all(painting *p, const rp_view *view, const rp_scene *scene,
                         const rp_paint_options *options, rp_threads *threads, rp_report *report)
{
    rp_framing own = rp_framing_empty();
    const rp_framing *framing = options->framing ? options->framing : &own;
    rp_scenery scenery = {0};
    rp_scenery_wish wish = {.grain_scale = options->grain_scale};
    rp_tracing *t = &p->tracing;
    rp_code code = RP_OK;
    if (!options->framing) code = rp_framing_add(&own, view, scene, report);
    if (code == RP_OK)
        code = place_camera(t, view, scene, options, framing, &wish.exposure, report);
    wish.eye = t->camera[0].position;
    if (options->colour && strcmp(options->colour, RP_CHAINS) == 0) {
        wish.grain_scale *= CHAIN_GRAINS;
        wish.exposure = 0; /* contacts are of one instant */
    }
    if (code == RP_OK)
        code = rp_scenery_make(&scenery, view, scene, options, framing, &wish, threads, report);
    if (code == RP_OK) code = rp_dice_table_make(&p->dice, p->samples, report);
    if (code == RP_OK) {
        double start = rp_clock();
        t->scenery = &scenery;
        t->lighting = rp_lighting_make(scene);
        fill_encoded(p);
        code = paint_samples(p, options, threads, report);
        if (!options->no_legend) draw_legend(p);
        if (options->cost) {
            *options->cost = rp_scenery_cost(&scenery);
            options->cost->tracing = rp_clock() - start;
            options->cost->rays = atomic_load(&p->rays);
        }
    }
    rp_dice_table_release(&p->dice);
    rp_scenery_release(&scenery);
    return code;
}

rp_code rp_paint(const rp_view *view, const rp_scene *scene, const rp_paint_options *options,
                 rp_threads *threads, rp_picture **out, rp_report *report)
{
    *out = NULL;
    painting p = {.samples = options->samples, .tracing.draft = options->samples == 1};
    rp_code code = check(view, options, report);
    if (code == RP_OK)
        code = rp_picture_create(options->width, options->height, &p.picture, report);
    p.columns = (options->width + TILE - 1) / TILE;
    if (code == RP_OK) code = paint_all(&p, view, scene, options, threads, report);
    if (code == RP_OK)
        *out = p.picture;
    else
        rp_picture_destroy(p.picture);
    return code;
}
