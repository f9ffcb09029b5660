/* Sampling of a band of the picture: the table of sample points, and a G-buffer that is sampled
 * adaptively before denoise.c filters it.
 *
 * P17: every pixel has an eighth of its samples first. The variance of these, in the pixel and its
 * eight neighbors, says how many more it gets. The first three quarters of the samples send one
 * indirect ray each, the others none: they sample the surfaces at other points of the pixel, with
 * their direct light. The indirect light is denoised (P18). */
#include "base/memory.h"
#include "render/inside.h"

#include <math.h>
#include <string.h>

/* --- the table of sample points (P12) --------------------------------------------------------- */

/* A point of the (0, 2)-sequence of van der Corput and Sobol': of the first 2^m points each lies in
 * a box of its own, for all ways to cut the square into 2^m boxes of one shape. The first number is
 * the radical inverse of the index. The direction numbers of the second are those of the polynomial
 * x + 1: each is the one before, times x + 1 (Sobol', "On the distribution of points in a cube",
 * 1967). */
static void make_point(uint32_t index, uint32_t point[2])
{
    uint32_t second = 0x80000000u;
    point[0] = point[1] = 0;
    for (int bit = 0; bit < 32 && index >> bit; bit++) {
        if (index >> bit & 1) {
            point[0] ^= 0x80000000u >> bit;
            point[1] ^= second;
        }
        second ^= second >> 1;
    }
}

rp_code rp_sampler_table_make(rp_sampler_table *table, int samples, rp_report *report)
{
    RP_ASSERT(samples >= 1 && samples <= 1 << 16);
    int bits = 0;
    while (1 << bits < samples)
        bits++;
    uint32_t count = 1u << bits;
    *table =
        (rp_sampler_table){.size = count * sizeof *table->points, .mask = count - 1, .bits = bits};
    table->points = rp_allocate(table->size);
    if (!table->points) return rp_fail_memory(report, table->size, "the samples of a pixel");
    for (uint32_t i = 0; i < count; i++)
        make_point(i, table->points[rp_sampler_reverse_bits(i, bits)]);
    return RP_OK;
}

void rp_sampler_table_release(rp_sampler_table *table)
{
    rp_release(table->points, table->size);
    *table = (rp_sampler_table){0};
}

/* --- the G-buffer ----------------------------------------------------------------------------- */

#define ERROR_ALLOWED 3.0  /* of a pixel on the screen, in steps of 255 */
#define INDIRECT_PART 0.75 /* of the samples have an indirect ray */
/* For the variance on the screen: the usual part of the ambient light, and the part of the noise of
 * indirect light that the denoiser leaves. */
#define AMBIENT_GUESS 0.62
#define NOISE_LEFT 0.25
#define RADIANCE_MAX 12.0 /* of a part of a single sample, against specks ("fireflies") */

rp_code rp_gbuffer_create(rp_gbuffer *gbuffer, int width, int height, rp_report *report)
{
    RP_ASSERT(width > 0 && height > 0);
    gbuffer->width = width;
    gbuffer->height = height;
    /* Rows are whole wide words, with padding at both sides. */
    gbuffer->stride = ((size_t)width + 7) / 8 * 8 + 2 * RP_GBUFFER_PADDING;
    size_t channel = gbuffer->stride * (size_t)height;
    gbuffer->bytes = RP_CHANNELS * channel * sizeof(float);
    gbuffer->block = rp_allocate_zero(gbuffer->bytes);
    if (!gbuffer->block) return rp_fail_memory(report, gbuffer->bytes, "the samples of a picture");
    for (int i = 0; i < RP_CHANNELS; i++)
        gbuffer->channel[i] = gbuffer->block + (size_t)i * channel + RP_GBUFFER_PADDING;
    return RP_OK;
}

void rp_gbuffer_release(rp_gbuffer *gbuffer)
{
    rp_release(gbuffer->block, gbuffer->bytes);
    gbuffer->block = NULL;
}

static void put3(rp_gbuffer *gbuffer, int channel, size_t index, rp_vec3 v)
{
    gbuffer->channel[channel][index] = (float)v.x;
    gbuffer->channel[channel + 1][index] = (float)v.y;
    gbuffer->channel[channel + 2][index] = (float)v.z;
}

static rp_vec3 get3(const rp_gbuffer *gbuffer, int channel, size_t index)
{
    return rp_v3((double)gbuffer->channel[channel][index],
                 (double)gbuffer->channel[channel + 1][index],
                 (double)gbuffer->channel[channel + 2][index]);
}

/* --- sums over samples ------------------------------------------------------------------------ */

static rp_vec3 clamped(rp_vec3 light)
{
    return rp_v3_min(light, rp_v3(RADIANCE_MAX, RADIANCE_MAX, RADIANCE_MAX));
}

static double square(double x)
{
    return x * x;
}

typedef struct sums {
    rp_vec3 direct, albedo, false_colour, normal, position, indirect, shown;
    double distance, luminance2, shown2; /* the last two: sums of squares */
    int count;                           /* samples */
    int false_colours;                   /* of them, with a false colour */
    int guides;                          /* with an indirect ray: these guide the filter */
    int surfaces;                        /* of the guides, that hit a lit surface */
    uint32_t rays;
} sums;

/* Estimates the colour of a sample on the screen, 0 to 255, with the part of the noise of indirect
 * light that the denoiser leaves. Component by component, since luminance alone would miss edges
 * between colours; a square root is close enough to sRGB. */
static rp_vec3 shown_of(const rp_gbuffer *gbuffer, const rp_path_sample *sample)
{
    if (sample->is_false_colour)
        return rp_v3(255 * sqrt(sample->false_colour.x), 255 * sqrt(sample->false_colour.y),
                     255 * sqrt(sample->false_colour.z));
    rp_vec3 light = sample->direct;
    if (sample->is_surface) {
        rp_vec3 guess = rp_light_ambient(&gbuffer->tracer->lights, sample->normal);
        guess = rp_v3_mix(rp_v3_scale(guess, AMBIENT_GUESS), sample->indirect, NOISE_LEFT);
        light = rp_v3_add(light, rp_rgb_mul(sample->albedo, guess));
    }
    return rp_v3(255 * sqrt(rp_light_tone_curve(light.x)), 255 * sqrt(rp_light_tone_curve(light.y)),
                 255 * sqrt(rp_light_tone_curve(light.z)));
}

static void add_sample(const rp_gbuffer *gbuffer, sums *s, int x, int y, int number,
                       rp_indirect_rays indirect)
{
    rp_sampler sampler = rp_sampler_begin(gbuffer->table, x, gbuffer->top + y, number);
    rp_path_sample sample = rp_trace_path(gbuffer->tracer, x, gbuffer->top + y, indirect, &sampler);
    /* Every sample: direct light and albedo, or a false colour. */
    s->count++;
    s->rays += sampler.rays;
    s->false_colours += sample.is_false_colour;
    s->false_colour = rp_v3_add(s->false_colour, sample.false_colour);
    s->direct = rp_v3_add(s->direct, clamped(sample.direct));
    s->albedo = rp_v3_add(s->albedo, sample.albedo);
    if (indirect == RP_INDIRECT_NONE) return;
    /* Samples with an indirect ray: variance on the screen, */
    rp_vec3 shown = shown_of(gbuffer, &sample);
    s->guides++;
    s->shown = rp_v3_add(s->shown, shown);
    s->shown2 += rp_v3_dot(shown, shown);
    if (!sample.is_surface) return;
    /* and on surfaces the indirect light with its variance, and what guides the filter. */
    rp_vec3 light = clamped(sample.indirect);
    double luminance = rp_luminance(light);
    s->surfaces++;
    s->indirect = rp_v3_add(s->indirect, light);
    s->normal = rp_v3_add(s->normal, sample.normal);
    s->position = rp_v3_add(s->position, sample.position);
    s->distance += sample.distance;
    s->luminance2 += luminance * luminance;
}

/* The sample variance, from the sum and the sum of squares of `count` values; of one value its
 * square, which is the most that it can be. */
static double variance_of(double sum, double squares, int count)
{
    return count > 1 ? fmax(0, squares - sum * sum / count) / (count - 1) : square(sum);
}

/* Means over the samples with an indirect ray. The variance is that of the mean: part times that of
 * a sample. */
static void put_guides(rp_gbuffer *gbuffer, size_t index, const sums *s)
{
    gbuffer->channel[RP_CHANNEL_COVERAGE][index] = (float)s->surfaces / (float)s->guides;
    if (!s->surfaces) return;
    double part = 1.0 / s->surfaces;
    put3(gbuffer, RP_CHANNEL_INDIRECT, index, rp_v3_scale(s->indirect, part));
    put3(gbuffer, RP_CHANNEL_NORMAL, index, rp_v3_scale(s->normal, part));
    put3(gbuffer, RP_CHANNEL_POSITION, index, rp_v3_scale(s->position, part));
    double width = gbuffer->tracer->camera[0].pitch * s->distance * part;
    gbuffer->channel[RP_CHANNEL_INVERSE_WIDTH][index] = (float)(1 / fmax(width, 1e-12));
    gbuffer->channel[RP_CHANNEL_VARIANCE][index] =
        (float)(part * variance_of(rp_luminance(s->indirect), s->luminance2, s->surfaces));
}

/* Means over all samples; of light over those without a false colour. */
static void put_means(rp_gbuffer *gbuffer, size_t index, const sums *s)
{
    int lit = s->count - s->false_colours;
    gbuffer->channel[RP_CHANNEL_LIT][index] = (float)lit / (float)s->count;
    put3(gbuffer, RP_CHANNEL_FALSE_COLOUR, index, rp_v3_scale(s->false_colour, 1.0 / s->count));
    double part = lit ? 1.0 / lit : 0;
    put3(gbuffer, RP_CHANNEL_DIRECT, index, rp_v3_scale(s->direct, part));
    put3(gbuffer, RP_CHANNEL_ALBEDO, index, rp_v3_scale(s->albedo, part));
}

/* --- adaptive sampling (P17) ------------------------------------------------------------------ */

uint32_t rp_gbuffer_sample(rp_gbuffer *gbuffer, int x, int y)
{
    sums s = {0};
    size_t index = rp_gbuffer_index(gbuffer, x, y);
    for (int i = 0; i < gbuffer->samples / RP_ADAPTIVE_FACTOR; i++)
        add_sample(gbuffer, &s, x, y, i, RP_INDIRECT_ONE);
    /* The mean of the three colour components. */
    gbuffer->channel[RP_CHANNEL_DISPLAY_VARIANCE][index] =
        (float)(variance_of(rp_v3_length(s.shown), s.shown2, s.count) / 3);
    put_guides(gbuffer, index, &s);
    put_means(gbuffer, index, &s);
    return s.rays;
}

/* The number of samples that brings the error below the allowed one: stratified points in a pixel
 * that an edge cuts err by their number to the power -3/4. The number is doubled, so that samples
 * stay a net. */
static int samples_wanted(const rp_gbuffer *gbuffer, int x, int y)
{
    const float *variance = gbuffer->channel[RP_CHANNEL_DISPLAY_VARIANCE];
    double sum = 0, own = (double)variance[rp_gbuffer_index(gbuffer, x, y)];
    int around = 0, count = gbuffer->samples / RP_ADAPTIVE_FACTOR;
    /* A few samples may miss an edge that those of a neighbor find: the mean over 3 x 3 pixels
     * counts where it is larger. */
    for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < gbuffer->height; j++)
        for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < gbuffer->width; i++, around++)
            sum += (double)variance[rp_gbuffer_index(gbuffer, i, j)];
    double deviation = sqrt(fmax(own, sum / around));
    while (count < gbuffer->samples && deviation > ERROR_ALLOWED * pow(count, 0.75))
        count *= 2;
    return count < gbuffer->samples ? count : gbuffer->samples;
}

/* The sums of the first samples, recovered from their means: the G-buffer keeps no sums. */
static sums sums_of(const rp_gbuffer *gbuffer, size_t index)
{
    int count = gbuffer->samples / RP_ADAPTIVE_FACTOR;
    int lit = (int)lround((double)gbuffer->channel[RP_CHANNEL_LIT][index] * count);
    int n = (int)lround((double)gbuffer->channel[RP_CHANNEL_COVERAGE][index] * count);
    sums s = {.count = count, .guides = count, .false_colours = count - lit, .surfaces = n};
    s.false_colour = rp_v3_scale(get3(gbuffer, RP_CHANNEL_FALSE_COLOUR, index), count);
    s.direct = rp_v3_scale(get3(gbuffer, RP_CHANNEL_DIRECT, index), lit);
    s.albedo = rp_v3_scale(get3(gbuffer, RP_CHANNEL_ALBEDO, index), lit);
    if (!n) return s;
    s.indirect = rp_v3_scale(get3(gbuffer, RP_CHANNEL_INDIRECT, index), n);
    s.normal = rp_v3_scale(get3(gbuffer, RP_CHANNEL_NORMAL, index), n);
    s.position = rp_v3_scale(get3(gbuffer, RP_CHANNEL_POSITION, index), n);
    double pitch = gbuffer->tracer->camera[0].pitch;
    s.distance = n / (pitch * (double)gbuffer->channel[RP_CHANNEL_INVERSE_WIDTH][index]);
    /* Inverts variance_of. */
    double sum = rp_luminance(s.indirect);
    double variance = (double)gbuffer->channel[RP_CHANNEL_VARIANCE][index];
    s.luminance2 = n > 1 ? variance * n * (n - 1) + sum * sum / n : sum * sum;
    return s;
}

uint32_t rp_gbuffer_refine(rp_gbuffer *gbuffer, int x, int y)
{
    size_t index = rp_gbuffer_index(gbuffer, x, y);
    int first = gbuffer->samples / RP_ADAPTIVE_FACTOR, wanted = samples_wanted(gbuffer, x, y);
    if (wanted <= first) return 0;
    sums s = sums_of(gbuffer, index);
    int with_indirect = (int)(INDIRECT_PART * gbuffer->samples);
    for (int i = first; i < wanted; i++)
        add_sample(gbuffer, &s, x, y, i, i < with_indirect ? RP_INDIRECT_ONE : RP_INDIRECT_NONE);
    put_guides(gbuffer, index, &s);
    put_means(gbuffer, index, &s);
    return s.rays;
}

/* direct + albedo * indirect, tone mapped; false colours as they are. */
rp_vec3 rp_gbuffer_colour(const rp_gbuffer *gbuffer, int x, int y)
{
    size_t index = rp_gbuffer_index(gbuffer, x, y);
    rp_vec3 colour = get3(gbuffer, RP_CHANNEL_FALSE_COLOUR, index);
    double lit = (double)gbuffer->channel[RP_CHANNEL_LIT][index];
    if (!(lit > 0)) return colour;
    rp_vec3 indirect = get3(gbuffer, RP_CHANNEL_INDIRECT, index);
    rp_vec3 reflected = rp_rgb_mul(get3(gbuffer, RP_CHANNEL_ALBEDO, index), indirect);
    return rp_v3_madd(
        colour, lit,
        rp_light_tone_map(rp_v3_add(get3(gbuffer, RP_CHANNEL_DIRECT, index), reflected)));
}
