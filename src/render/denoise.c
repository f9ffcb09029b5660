/* The denoiser (P18): a bilateral filter of the light that comes from all sides, in three passes
 * with holes (à trous) of 1, 2 and 4 pixels (Dammertz, Sewtz, Hanika and Lensch, "Edge-avoiding
 * à-trous wavelet transform for fast global illumination filtering", 2010). A neighbor counts the
 * less, the more its normal differs, the farther it is off the surface, and the more its light
 * differs from what the variances of both explain (Schied et al., "Spatiotemporal variance-guided
 * filtering", 2017). Colours of surfaces and the light of sun and lamps are not touched: grains
 * stay crisp. */
#include "math/wide.h"
#include "render/strip.h"

#define PASSES 3
/* What is too much: the square of the difference of normals, in the first pass (in each of the
 * others half as much), pixels off the surface, and a square difference of light in sums of the
 * variances. */
#define NORMALS 0.8f
#define OFF 3.0f
#define EXPLAINED 30.0f
#define TINY 1e-12f
#define ROWS 8 /* that a thread takes at once */

typedef struct filter {
    const rp_strip *strip;
    int step;     /* pixels from tap to tap */
    float strict; /* the inverse of the difference of normals, squared, that is too much */
    int from, to; /* layers */
} filter;

/* What eight neighboring pixels are guided by. */
typedef struct guide {
    rp_wide normal[3], position[3], light[3], noise, bright;
} guide;

RP_WIDE_INLINE guide guide_at(const filter *f, size_t place)
{
    guide g;
    float *const *layer = f->strip->layer;
    for (int c = 0; c < 3; c++) {
        g.normal[c] = rp_wide_load(layer[RP_LAYER_NORMAL + c] + place);
        g.position[c] = rp_wide_load(layer[RP_LAYER_POSITION + c] + place);
        g.light[c] = rp_wide_load(layer[f->from + c] + place);
    }
    g.noise = rp_wide_load(layer[f->from + 3] + place);
    g.bright = 0.2126f * g.light[0] + 0.7152f * g.light[1] + 0.0722f * g.light[2];
    return g;
}

/* From 1 at 0 to 0 where the square reaches 1, and beyond. */
RP_WIDE_INLINE rp_wide falloff(rp_wide square)
{
    rp_wide rest = rp_wide_max(1.0f - square, rp_wide_broadcast(0));
    return rest * rest;
}

RP_WIDE_INLINE rp_wide weight_of(const guide *own, const guide *other, rp_wide fine, float strict)
{
    rp_wide turned = rp_wide_broadcast(0), off = rp_wide_broadcast(0);
    for (int c = 0; c < 3; c++) {
        rp_wide turn = other->normal[c] - own->normal[c];
        turned += turn * turn;
        off += own->normal[c] * (other->position[c] - own->position[c]);
    }
    off *= fine;
    rp_wide change = other->bright - own->bright;
    rp_wide noise = EXPLAINED * (own->noise + other->noise) + TINY;
    return falloff(turned * strict) * falloff(off * off) * falloff(change * change / noise);
}

/* The sums over the taps of eight pixels. */
typedef struct taps {
    rp_wide light[3], noise, weight;
} taps;

RP_WIDE_INLINE void add_tap(taps *t, const guide *other, rp_wide weight)
{
    for (int c = 0; c < 3; c++)
        t->light[c] += weight * other->light[c];
    t->noise += weight * weight * other->noise;
    t->weight += weight;
}

/* The taps of one row of neighbors. */
RP_WIDE_INLINE void add_row(const filter *f, taps *t, const guide *own, rp_wide fine, size_t place,
                            float part, bool middle)
{
    static const float parts[5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
    for (int k = 0; k < 5; k++) {
        if (middle && k == 2) continue;
        size_t at = (size_t)((ptrdiff_t)place + (k - 2) * f->step);
        guide other = guide_at(f, at);
        rp_wide solid = rp_wide_load(f->strip->layer[RP_LAYER_SOLID] + at);
        add_tap(t, &other, part * parts[k] * solid * weight_of(own, &other, fine, f->strict));
    }
}

RP_WIDE_KERNEL
static void filter_row(const filter *f, int y)
{
    static const float parts[5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
    const rp_strip *strip = f->strip;
    RP_ASSERT(y >= 0 && y < strip->height);
    RP_ASSERT(2 * f->step <= RP_STRIP_EDGE && f->from != f->to);
    RP_ASSERT(strip->stride % RP_WIDE == 0);
    RP_ASSERT(strip->stride >= (size_t)strip->width + 2 * RP_STRIP_EDGE);
    for (int x = 0; x < strip->width; x += RP_WIDE) {
        size_t place = rp_strip_place(strip, x, y);
        guide own = guide_at(f, place);
        rp_wide fine = rp_wide_load(strip->layer[RP_LAYER_FINE] + place) * (1 / OFF);
        taps t = {.noise = rp_wide_broadcast(0), .weight = rp_wide_broadcast(0)};
        t.light[0] = t.light[1] = t.light[2] = rp_wide_broadcast(0);
        add_tap(&t, &own, rp_wide_broadcast(parts[2] * parts[2]));
        for (int k = 0; k < 5; k++) {
            int row = y + (k - 2) * f->step;
            if (row < 0 || row >= strip->height) continue;
            add_row(f, &t, &own, fine, rp_strip_place(strip, x, row), parts[k], k == 2);
        }
        for (int c = 0; c < 3; c++)
            rp_wide_store(strip->layer[f->to + c] + place, t.light[c] / t.weight);
        rp_wide_store(strip->layer[f->to + 3] + place, t.noise / (t.weight * t.weight));
    }
}

static void filter_rows(void *context, rp_range range)
{
    for (size_t y = range.begin; y < range.end; y++)
        filter_row(context, (int)y);
}

/* Variances of a few samples are noisy themselves: the mean over nine pixels, into the spare. */
static void pool_rows(void *context, rp_range range)
{
    const filter *f = context;
    const rp_strip *strip = f->strip;
    const float *noise = strip->layer[f->from + 3], *solid = strip->layer[RP_LAYER_SOLID];
    float *pooled = strip->layer[f->to + 3];
    RP_ASSERT(noise != pooled && range.end <= (size_t)strip->height);
    for (int y = (int)range.begin; y < (int)range.end; y++)
        for (int x = 0; x < strip->width; x++) {
            float sum = 0, weight = TINY;
            for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < strip->height; j++)
                for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < strip->width; i++) {
                    size_t at = rp_strip_place(strip, i, j);
                    sum += solid[at] * noise[at];
                    weight += solid[at];
                }
            pooled[rp_strip_place(strip, x, y)] = sum / weight;
        }
}

static void swap_layers(rp_strip *strip, int first, int second, int count)
{
    for (int i = 0; i < count; i++) {
        float *layer = strip->layer[first + i];
        strip->layer[first + i] = strip->layer[second + i];
        strip->layer[second + i] = layer;
    }
}

void rp_strip_denoise(rp_strip *strip, rp_threads *threads)
{
    filter f = {.strip = strip, .from = RP_LAYER_INCOMING, .to = RP_LAYER_SPARE};
    rp_parallel_for(threads, (size_t)strip->height, ROWS, pool_rows, &f);
    swap_layers(strip, RP_LAYER_NOISE, RP_LAYER_SPARE + 3, 1);
    for (int pass = 0; pass < PASSES; pass++) {
        f.step = 1 << pass;
        f.strict = (float)f.step / NORMALS;
        rp_parallel_for(threads, (size_t)strip->height, ROWS, filter_rows, &f);
        swap_layers(strip, RP_LAYER_INCOMING, RP_LAYER_SPARE, 4);
    }
}
