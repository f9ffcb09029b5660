/* A strip of a picture that is sampled adaptively and denoised (P17, P18): a few samples of every
 * pixel first, more where these differ, and the light that comes from all sides smoothed along
 * surfaces. */
#ifndef RP_RENDER_STRIP_H
#define RP_RENDER_STRIP_H

#include "base/report.h"
#include "render/trace.h"

/* Means over the samples of a pixel, one layer of floats each. Those of three numbers begin with
 * the one that is named. */
enum {
    RP_LAYER_DIRECT,
    RP_LAYER_ALBEDO = RP_LAYER_DIRECT + 3,
    RP_LAYER_CHART = RP_LAYER_ALBEDO + 3,
    RP_LAYER_NORMAL = RP_LAYER_CHART + 3,
    RP_LAYER_POSITION = RP_LAYER_NORMAL + 3,
    RP_LAYER_LIT = RP_LAYER_POSITION + 3, /* part of the samples that are no chart */
    RP_LAYER_SOLID,                       /* part of the samples that see a lit surface */
    RP_LAYER_FINE,                        /* 1/m: the inverse of a pixel's width there */
    RP_LAYER_SPREAD, /* variance of the first samples as a screen shows them, in steps of 255; mean
                        of colours */
    RP_LAYER_INCOMING,                      /* of the samples that see a surface */
    RP_LAYER_NOISE = RP_LAYER_INCOMING + 3, /* variance of the incoming brightness */
    RP_LAYER_SPARE,                         /* incoming and noise once more, for the filter */
    RP_LAYERS = RP_LAYER_SPARE + 4
};

#define RP_STRIP_HALO 16  /* rows and columns around a pixel that its colour may depend on */
#define RP_STRIP_EDGE 16  /* columns of zeros at both sides: taps may reach there */
#define RP_STRIP_LEAST 16 /* samples of a pixel that are worth it; */
#define RP_STRIP_MOST 64  /* with more all are taken and nothing is smoothed */
#define RP_STRIP_FACTOR 8 /* how many times fewer samples a pixel may have */
_Static_assert(RP_LAYER_NOISE == RP_LAYER_INCOMING + 3,
               "the filter moves light and noise together");

typedef struct rp_strip {
    const rp_tracing *tracing;
    const rp_dice_table *dice;
    int samples;             /* of a pixel, at most */
    int width, height;       /* pixels, of the strip */
    int top;                 /* row of the picture that is its first */
    size_t stride;           /* floats of a row, with its edges */
    float *layer[RP_LAYERS]; /* row 0, column 0 */
    float *block;
    size_t bytes;
} rp_strip;

/* Room for `height` rows; release it, also after a fault. */
rp_code rp_strip_create(rp_strip *strip, int width, int height, rp_report *report);
void rp_strip_release(rp_strip *strip);

static inline size_t rp_strip_place(const rp_strip *strip, int x, int y)
{
    return (size_t)y * strip->stride + (size_t)x;
}

/* The first samples of a pixel of the strip, and then, when all pixels have them, the others. Give
 * the number of rays. */
uint32_t rp_strip_sample(rp_strip *strip, int x, int y);
uint32_t rp_strip_refine(rp_strip *strip, int x, int y);
/* denoise.c: smooths the incoming light. */
void rp_strip_denoise(rp_strip *strip, rp_threads *threads);
/* What the screen shows, linear. */
rp_vec3 rp_strip_colour(const rp_strip *strip, int x, int y);

#endif
