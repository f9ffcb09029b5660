/* Numbers for the samples of a pixel: a table of points that fill the unit square evenly, turned
 * and shuffled anew for every pixel and every use. They are a function of pixel, sample and use, so
 * that pictures do not depend on the order of work; and not of the frame, so that what rests looks
 * at rest in a film. */
#ifndef RP_RENDER_DICE_H
#define RP_RENDER_DICE_H

#include "repose/base.h"

typedef struct rp_dice_table {
    uint32_t (*points)[2];
    size_t size;   /* bytes */
    uint32_t mask; /* their number is a power of two; this is one less */
} rp_dice_table;

rp_code rp_dice_table_make(rp_dice_table *table, int samples, rp_report *report);
void rp_dice_table_release(rp_dice_table *table);

/* The numbers of one sample of one pixel. */
typedef struct rp_dice {
    const rp_dice_table *table;
    uint32_t pixel, sample;
    uint32_t use;  /* how often it was thrown */
    uint32_t rays; /* that the sample took so far */
} rp_dice;

static inline uint32_t rp_mix_bits(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static inline rp_dice rp_dice_begin(const rp_dice_table *table, int x, int y, int sample)
{
    uint32_t pixel = rp_mix_bits((uint32_t)x * 0x9e3779b9u ^ rp_mix_bits((uint32_t)y));
    return (rp_dice){table, pixel, (uint32_t)sample, 0, 0};
}

/* The next two numbers, each in [0, 1). Exclusive or with a random number keeps the points' even
 * spread (they are a net in base 2), of the index as of the points. */
static inline void rp_dice_throw(rp_dice *dice, double pair[2])
{
    uint32_t turn = rp_mix_bits(dice->pixel + 0x632be59bu * ++dice->use);
    const uint32_t *point = dice->table->points[(dice->sample ^ turn) & dice->table->mask];
    uint32_t other = turn * 0x9e3779b1u + 0x85ebca77u;
    pair[0] = (point[0] ^ turn) * 0x1p-32;
    pair[1] = (point[1] ^ other ^ other >> 16) * 0x1p-32;
}

#endif
