/* The denoiser (P18): an edge-avoiding à-trous filter of the indirect light, in three passes of
 * 5 x 5 taps that are 1, 2 and 4 pixels apart (Dammertz, Sewtz, Hanika and Lensch, "Edge-avoiding
 * à-trous wavelet transform for fast global illumination filtering", 2010). A tap weighs the less,
 * the more its normal differs, the farther it is off the tangent plane, and the more its luminance
 * differs from what the variances of both explain (Schied et al., "Spatiotemporal variance-guided
 * filtering", 2017). Albedo and direct light are not filtered: grains stay crisp.
 *
 * The kernel filters RP_WIDE pixels of a row at once. Rows have RP_GBUFFER_PADDING columns of zeros
 * at both sides, so that taps need no test for the left and right edge: coverage is zero there, and
 * with it the weight. */
#include "math/wide.h"
#include "render/inside.h"

#define PASSES 3
/* Differences at which the weight of a tap becomes zero: of normals, squared, in the first pass (in
 * each further pass half as much); in pixels off the tangent plane; and of luminance, squared, in
 * sums of both variances. */
#define NORMAL_LIMIT 0.8f
#define PLANE_LIMIT 3.0f
#define VARIANCE_LIMIT 30.0f
#define TINY 1e-12f
#define ROWS 8 /* that a thread takes at once */

/* The binomial kernel (B3 spline) of the à-trous transform. */
static const float kernel[5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};

/* One pass. */
typedef struct filter {
    const rp_gbuffer *gbuffer;
    int step;                   /* pixels from tap to tap */
    float inverse_normal_limit; /* of this pass */
    int from, to;               /* channels of light and variance */
} filter;

/* Light and guides of RP_WIDE neighboring pixels. */
typedef struct guide {
    rp_wide normal[3], position[3], light[3], variance, luminance;
} guide;

RP_WIDE_INLINE guide guide_at(const filter *f, size_t index)
{
    guide g;
    float *const *channel = f->gbuffer->channel;
    for (int c = 0; c < 3; c++) {
        g.normal[c] = rp_wide_load(channel[RP_CHANNEL_NORMAL + c] + index);
        g.position[c] = rp_wide_load(channel[RP_CHANNEL_POSITION + c] + index);
        g.light[c] = rp_wide_load(channel[f->from + c] + index);
    }
    g.variance = rp_wide_load(channel[f->from + 3] + index);
    g.luminance = 0.2126f * g.light[0] + 0.7152f * g.light[1] + 0.0722f * g.light[2];
    return g;
}

/* (1 - square)^2: from 1 at 0 to 0 at 1 and beyond. A polynomial in place of the usual exponential:
 * it is cheaper, and zero means zero. */
RP_WIDE_INLINE rp_wide falloff(rp_wide square)
{
    rp_wide rest = rp_wide_max(1.0f - square, rp_wide_broadcast(0));
    return rest * rest;
}

/* The product of the three edge-stopping functions. `inverse_width` is that of a pixel at the
 * surface, over PLANE_LIMIT. */
RP_WIDE_INLINE rp_wide edge_weight(const guide *own, const guide *other, rp_wide inverse_width,
                                   float inverse_normal_limit)
{
    /* Squared difference of normals; distance of the other point from the own tangent plane. */
    rp_wide bend = rp_wide_broadcast(0), off = rp_wide_broadcast(0);
    for (int c = 0; c < 3; c++) {
        rp_wide difference = other->normal[c] - own->normal[c];
        bend += difference * difference;
        off += own->normal[c] * (other->position[c] - own->position[c]);
    }
    off *= inverse_width;
    /* Squared difference of luminance against what the variances explain. */
    rp_wide change = other->luminance - own->luminance;
    rp_wide explained = VARIANCE_LIMIT * (own->variance + other->variance) + TINY;
    return falloff(bend * inverse_normal_limit) * falloff(off * off) *
           falloff(change * change / explained);
}

/* Sums over the taps of RP_WIDE pixels. */
typedef struct taps {
    rp_wide light[3], variance, weight;
} taps;

/* Weights are squared for the variance: that of a sum of independent values. */
RP_WIDE_INLINE void add_tap(taps *t, const guide *other, rp_wide weight)
{
    for (int c = 0; c < 3; c++)
        t->light[c] += weight * other->light[c];
    t->variance += weight * weight * other->variance;
    t->weight += weight;
}

/* The taps of one row; the centre was added before. */
RP_WIDE_INLINE void add_row(const filter *f, taps *t, const guide *own, rp_wide inverse_width,
                            size_t index, float row_weight, bool own_row)
{
    for (int k = 0; k < 5; k++) {
        if (own_row && k == 2) continue;
        size_t at = (size_t)((ptrdiff_t)index + (k - 2) * f->step);
        guide other = guide_at(f, at);
        rp_wide coverage = rp_wide_load(f->gbuffer->channel[RP_CHANNEL_COVERAGE] + at);
        add_tap(t, &other,
                row_weight * kernel[k] * coverage *
                    edge_weight(own, &other, inverse_width, f->inverse_normal_limit));
    }
}

RP_WIDE_KERNEL
static void filter_row(const filter *f, int y)
{
    const rp_gbuffer *gbuffer = f->gbuffer;
    RP_ASSERT(y >= 0 && y < gbuffer->height);
    RP_ASSERT(2 * f->step <= RP_GBUFFER_PADDING && f->from != f->to);
    RP_ASSERT(gbuffer->stride % RP_WIDE == 0);
    RP_ASSERT(gbuffer->stride >= (size_t)gbuffer->width + 2 * RP_GBUFFER_PADDING);
    for (int x = 0; x < gbuffer->width; x += RP_WIDE) {
        size_t index = rp_gbuffer_index(gbuffer, x, y);
        guide own = guide_at(f, index);
        rp_wide inverse_width =
            rp_wide_load(gbuffer->channel[RP_CHANNEL_INVERSE_WIDTH] + index) * (1 / PLANE_LIMIT);
        taps t = {.variance = rp_wide_broadcast(0), .weight = rp_wide_broadcast(0)};
        t.light[0] = t.light[1] = t.light[2] = rp_wide_broadcast(0);
        /* The centre has its full weight, so that the sum of weights is never zero. */
        add_tap(&t, &own, rp_wide_broadcast(kernel[2] * kernel[2]));
        for (int k = 0; k < 5; k++) {
            int row = y + (k - 2) * f->step;
            if (row < 0 || row >= gbuffer->height) continue;
            add_row(f, &t, &own, inverse_width, rp_gbuffer_index(gbuffer, x, row), kernel[k],
                    k == 2);
        }
        for (int c = 0; c < 3; c++)
            rp_wide_store(gbuffer->channel[f->to + c] + index, t.light[c] / t.weight);
        rp_wide_store(gbuffer->channel[f->to + 3] + index, t.variance / (t.weight * t.weight));
    }
}

static void filter_rows(void *context, rp_range range)
{
    for (size_t y = range.begin; y < range.end; y++)
        filter_row(context, (int)y);
}

/* Variances of a few samples are noisy themselves: takes the mean over 3 x 3 pixels, by coverage,
 * into the scratch channel. */
static void pool_variance(void *context, rp_range range)
{
    const filter *f = context;
    const rp_gbuffer *gbuffer = f->gbuffer;
    const float *variance = gbuffer->channel[f->from + 3];
    const float *coverage = gbuffer->channel[RP_CHANNEL_COVERAGE];
    float *pooled = gbuffer->channel[f->to + 3];
    RP_ASSERT(variance != pooled && range.end <= (size_t)gbuffer->height);
    for (int y = (int)range.begin; y < (int)range.end; y++)
        for (int x = 0; x < gbuffer->width; x++) {
            float sum = 0, weight = TINY;
            for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < gbuffer->height; j++)
                for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < gbuffer->width; i++) {
                    size_t at = rp_gbuffer_index(gbuffer, i, j);
                    sum += coverage[at] * variance[at];
                    weight += coverage[at];
                }
            pooled[rp_gbuffer_index(gbuffer, x, y)] = sum / weight;
        }
}

static void swap_channels(rp_gbuffer *gbuffer, int first, int second, int count)
{
    for (int i = 0; i < count; i++) {
        float *channel = gbuffer->channel[first + i];
        gbuffer->channel[first + i] = gbuffer->channel[second + i];
        gbuffer->channel[second + i] = channel;
    }
}

void rp_gbuffer_denoise(rp_gbuffer *gbuffer, rp_threads *threads)
{
    filter f = {.gbuffer = gbuffer, .from = RP_CHANNEL_INDIRECT, .to = RP_CHANNEL_SCRATCH};
    RP_ASSERT(gbuffer->block);
    rp_parallel_for(threads, (size_t)gbuffer->height, ROWS, pool_variance, &f);
    swap_channels(gbuffer, RP_CHANNEL_VARIANCE, RP_CHANNEL_SCRATCH + 3, 1);
    /* Taps are twice as far apart in each pass, and normals must agree twice as well: the result of
     * a pass becomes the input of the next. */
    for (int pass = 0; pass < PASSES; pass++) {
        f.step = 1 << pass;
        f.inverse_normal_limit = (float)f.step / NORMAL_LIMIT;
        rp_parallel_for(threads, (size_t)gbuffer->height, ROWS, filter_rows, &f);
        swap_channels(gbuffer, RP_CHANNEL_INDIRECT, RP_CHANNEL_SCRATCH, 4);
    }
}
