/* Adaptive sampling (P17). Every pixel has an eighth of its samples. From how much these differ,
 * here and next door, follows how many more it gets. The first three quarters of the samples
 * send one ray to the sky each, the others none: they see the surfaces from other points of the
 * pixel, sun and lamps. The light of the sky is smoothed (P18). */
#include "render/strip.h"
#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <string.h>

#define ERROR_ALLOWED 3.0  /* of a pixel's brightness, in steps of 255 */
#define SKY_PART 0.75      /* of the samples have a ray to the sky */
#define AMBIENT_GUESS 0.62 /* of the light of an open sky, and */
#define NOISE_LEFT 0.25    /* what the filter leaves of the noise of the sky: both for the spread */
#define BRIGHTEST 12.0     /* part of a single sample */

rp_code rp_strip_create(rp_strip *strip, int width, int height, rp_report *report)
{
    strip->width = width;
    strip->height = height;
    strip->stride = ((size_t)width + 7) / 8 * 8 + 2 * RP_STRIP_EDGE;
    size_t layer = strip->stride * (size_t)height;
    strip->bytes = RP_LAYERS * layer * sizeof(float);
    strip->block = rp_allocate_zero(strip->bytes);
    if (!strip->block) return rp_fail_memory(report, strip->bytes, "the samples of a picture");
    for (int i = 0; i < RP_LAYERS; i++)
        strip->layer[i] = strip->block + (size_t)i * layer + RP_STRIP_EDGE;
    return RP_OK;
}

void rp_strip_release(rp_strip *strip)
{
    rp_release(strip->block, strip->bytes);
    strip->block = NULL;
}

static void put3(rp_strip *strip, int layer, size_t place, rp_vec3 v)
{
    strip->layer[layer][place] = (float)v.x;
    strip->layer[layer + 1][place] = (float)v.y;
    strip->layer[layer + 2][place] = (float)v.z;
}

static rp_vec3 get3(const rp_strip *strip, int layer, size_t place)
{
    return rp_v3((double)strip->layer[layer][place], (double)strip->layer[layer + 1][place],
                 (double)strip->layer[layer + 2][place]);
}

static rp_vec3 cut(rp_vec3 light)
{
    return rp_v3_min(light, rp_v3(BRIGHTEST, BRIGHTEST, BRIGHTEST));
}

static double square(double x)
{
    return x * x;
}

/* Sums over samples. */
typedef struct sums {
    rp_vec3 direct, albedo, chart, normal, position, incoming, shown;
    double distance, bright2, shown2;
    int count, charts, guides, surfaces; /* guides: those with rays to the sky */
    uint32_t rays;
} sums;

/* About what a screen makes of a sample, with what remains of the noise of the sky: 0 to 255. Each
 * colour, since brightness alone would miss edges between colours. */
static rp_vec3 shown_of(const rp_strip *strip, const rp_seen *seen)
{
    if (seen->is_chart)
        return rp_v3(255 * sqrt(seen->chart.x), 255 * sqrt(seen->chart.y),
                     255 * sqrt(seen->chart.z));
    rp_vec3 light = seen->direct;
    if (seen->is_surface) {
        rp_vec3 guess = rp_light_ambient(&strip->tracing->lighting, seen->normal);
        guess = rp_v3_mix(rp_v3_scale(guess, AMBIENT_GUESS), seen->incoming, NOISE_LEFT);
        light = rp_v3_add(light, rp_colour_mul(seen->albedo, guess));
    }
    return rp_v3(255 * sqrt(rp_light_tone_level(light.x)), 255 * sqrt(rp_light_tone_level(light.y)),
                 255 * sqrt(rp_light_tone_level(light.z)));
}

static void add_sample(const rp_strip *strip, sums *s, int x, int y, int sample, rp_sky_rays sky)
{
    rp_dice dice = rp_dice_begin(strip->dice, x, strip->top + y, sample);
    rp_seen seen = rp_trace(strip->tracing, x, strip->top + y, sky, &dice);
    s->count++;
    s->rays += dice.rays;
    s->charts += seen.is_chart;
    s->chart = rp_v3_add(s->chart, seen.chart);
    s->direct = rp_v3_add(s->direct, cut(seen.direct));
    s->albedo = rp_v3_add(s->albedo, seen.albedo);
    if (sky == RP_SKY_NONE) return;
    rp_vec3 shown = shown_of(strip, &seen);
    s->guides++;
    s->shown = rp_v3_add(s->shown, shown);
    s->shown2 += rp_v3_dot(shown, shown);
    if (!seen.is_surface) return;
    rp_vec3 incoming = cut(seen.incoming);
    double bright = rp_brightness(incoming);
    s->surfaces++;
    s->incoming = rp_v3_add(s->incoming, incoming);
    s->normal = rp_v3_add(s->normal, seen.normal);
    s->position = rp_v3_add(s->position, seen.position);
    s->distance += seen.distance;
    s->bright2 += bright * bright;
}

/* The variance of a value of `count` of which sum and sum of squares are known. */
static double variance_of(double sum, double squares, int count)
{
    return count > 1 ? fmax(0, squares - sum * sum / count) / (count - 1) : square(sum);
}

/* What the filter is guided by. */
static void put_guides(rp_strip *strip, size_t place, const sums *s)
{
    strip->layer[RP_LAYER_SOLID][place] = (float)s->surfaces / (float)s->guides;
    if (!s->surfaces) return;
    double part = 1.0 / s->surfaces;
    put3(strip, RP_LAYER_INCOMING, place, rp_v3_scale(s->incoming, part));
    put3(strip, RP_LAYER_NORMAL, place, rp_v3_scale(s->normal, part));
    put3(strip, RP_LAYER_POSITION, place, rp_v3_scale(s->position, part));
    double width = strip->tracing->camera[0].pitch * s->distance * part;
    strip->layer[RP_LAYER_FINE][place] = (float)(1 / fmax(width, 1e-12));
    strip->layer[RP_LAYER_NOISE][place] =
        (float)(part * variance_of(rp_brightness(s->incoming), s->bright2, s->surfaces));
}

static void put_means(rp_strip *strip, size_t place, const sums *s)
{
    int lit = s->count - s->charts;
    strip->layer[RP_LAYER_LIT][place] = (float)lit / (float)s->count;
    put3(strip, RP_LAYER_CHART, place, rp_v3_scale(s->chart, 1.0 / s->count));
    double part = lit ? 1.0 / lit : 0;
    put3(strip, RP_LAYER_DIRECT, place, rp_v3_scale(s->direct, part));
    put3(strip, RP_LAYER_ALBEDO, place, rp_v3_scale(s->albedo, part));
}

uint32_t rp_strip_sample(rp_strip *strip, int x, int y)
{
    sums s = {0};
    size_t place = rp_strip_place(strip, x, y);
    for (int i = 0; i < strip->samples / RP_STRIP_FACTOR; i++)
        add_sample(strip, &s, x, y, i, RP_SKY_ONE);
    /* The mean of the three colours. */
    strip->layer[RP_LAYER_SPREAD][place] =
        (float)(variance_of(rp_v3_length(s.shown), s.shown2, s.count) / 3);
    put_guides(strip, place, &s);
    put_means(strip, place, &s);
    return s.rays;
}

/* How many samples bring the error below what is allowed: evenly spread points in a pixel that an
 * edge cuts err by their number to the power -3/4. */
static int samples_wanted(const rp_strip *strip, int x, int y)
{
    const float *spread = strip->layer[RP_LAYER_SPREAD];
    double sum = 0, own = (double)spread[rp_strip_place(strip, x, y)];
    int around = 0, count = strip->samples / RP_STRIP_FACTOR;
    for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < strip->height; j++)
        for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < strip->width; i++, around++)
            sum += (double)spread[rp_strip_place(strip, i, j)];
    double deviation = sqrt(fmax(own, sum / around));
    while (count < strip->samples && deviation > ERROR_ALLOWED * pow(count, 0.75))
        count *= 2;
    return count < strip->samples ? count : strip->samples;
}

/* The sums that the means of the first samples came from. */
static sums sums_of(const rp_strip *strip, size_t place)
{
    int count = strip->samples / RP_STRIP_FACTOR;
    int lit = (int)lround((double)strip->layer[RP_LAYER_LIT][place] * count);
    int n = (int)lround((double)strip->layer[RP_LAYER_SOLID][place] * count);
    sums s = {.count = count, .guides = count, .charts = count - lit, .surfaces = n};
    s.chart = rp_v3_scale(get3(strip, RP_LAYER_CHART, place), count);
    s.direct = rp_v3_scale(get3(strip, RP_LAYER_DIRECT, place), lit);
    s.albedo = rp_v3_scale(get3(strip, RP_LAYER_ALBEDO, place), lit);
    if (!n) return s;
    s.incoming = rp_v3_scale(get3(strip, RP_LAYER_INCOMING, place), n);
    s.normal = rp_v3_scale(get3(strip, RP_LAYER_NORMAL, place), n);
    s.position = rp_v3_scale(get3(strip, RP_LAYER_POSITION, place), n);
    double pitch = strip->tracing->camera[0].pitch;
    s.distance = n / (pitch * (double)strip->layer[RP_LAYER_FINE][place]);
    double sum = rp_brightness(s.incoming), noise = (double)strip->layer[RP_LAYER_NOISE][place];
    s.bright2 = n > 1 ? noise * n * (n - 1) + sum * sum / n : sum * sum;
    return s;
}

uint32_t rp_strip_refine(rp_strip *strip, int x, int y)
{
    size_t place = rp_strip_place(strip, x, y);
    int first = strip->samples / RP_STRIP_FACTOR, wanted = samples_wanted(strip, x, y);
    if (wanted <= first) return 0;
    sums s = sums_of(strip, place);
    int sky = (int)(SKY_PART * strip->samples);
    for (int i = first; i < wanted; i++)
        add_sample(strip, &s, x, y, i, i < sky ? RP_SKY_ONE : RP_SKY_NONE);
    put_guides(strip, place, &s);
    put_means(strip, place, &s);
    return s.rays;
}

rp_vec3 rp_strip_colour(const rp_strip *strip, int x, int y)
{
    size_t place = rp_strip_place(strip, x, y);
    rp_vec3 colour = get3(strip, RP_LAYER_CHART, place);
    double lit = (double)strip->layer[RP_LAYER_LIT][place];
    if (!(lit > 0)) return colour;
    rp_vec3 incoming = get3(strip, RP_LAYER_INCOMING, place);
    rp_vec3 sent = rp_colour_mul(get3(strip, RP_LAYER_ALBEDO, place), incoming);
    return rp_v3_madd(colour, lit,
                      rp_light_tone(rp_v3_add(get3(strip, RP_LAYER_DIRECT, place), sent)));
}
