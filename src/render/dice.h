/* Numbers for the samples of a pixel: a table of points that fill the unit square evenly, turned
 * and shuffled anew for every pixel and every use. They are a function of pixel, sample and use, so
 * that pictures do not depend on the order of work; and not of the frame, so that what rests looks
 * at rest in a film. */
#ifndef RP_RENDER_DICE_H
#define RP_RENDER_DICE_H

#include "repose/base.h"

typedef struct rp_dice_table {
    uint32_t (*points)[2]; /* that of index i at i with its bits in reverse order */
    size_t size;           /* bytes */
    uint32_t mask;         /* their number is a power of two; this is one less */
    int bits;              /* of an index */
} rp_dice_table;

rp_code rp_dice_table_make(rp_dice_table *table, int samples, rp_report *report);
void rp_dice_table_release(rp_dice_table *table);

/* The numbers of one sample of one pixel. */
typedef struct rp_dice {
    const rp_dice_table *table;
    uint32_t pixel;
    uint32_t place; /* of the sample, in the table */
    uint32_t use;   /* how often it was thrown */
    uint32_t rays;  /* that the sample took so far */
} rp_dice;

static inline uint32_t rp_mix_bits(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* The lowest `bits` bits, at most 16, in reverse order. */
static inline uint32_t rp_reverse_bits(uint32_t x, int bits)
{
    x = (x & 0x5555u) << 1 | (x >> 1 & 0x5555u);
    x = (x & 0x3333u) << 2 | (x >> 2 & 0x3333u);
    x = (x & 0x0f0fu) << 4 | (x >> 4 & 0x0f0fu);
    return ((x & 0x00ffu) << 8 | x >> 8) >> (16 - bits);
}

static inline rp_dice rp_dice_begin(const rp_dice_table *table, int x, int y, int sample)
{
    uint32_t pixel = rp_mix_bits((uint32_t)x * 0x9e3779b9u ^ rp_mix_bits((uint32_t)y));
    return (rp_dice){table, pixel, rp_reverse_bits((uint32_t)sample, table->bits), 0, 0};
}

/* Shuffles places so that those which agree in their lowest bits still do: bits act on higher ones
 * alone (Laine and Karras, "Stratified sampling for stochastic transparency", 2011). So runs of
 * 2^k samples stay nets. Exclusive or with a random number would keep nets, too, but the numbers of
 * two uses would then differ by the same bits in all samples of a pixel, and go together. */
static inline uint32_t rp_shuffle_place(uint32_t place, uint32_t seed)
{
    place ^= place * 0x3d20adeau;
    place += seed;
    place *= seed >> 16 | 1;
    place ^= place * 0x05526c56u;
    return place ^ place * 0x53a22864u;
}

/* The next two numbers, each in [0, 1). Exclusive or of the points with a random number keeps their
 * even spread: they are a net in base 2. */
static inline void rp_dice_throw(rp_dice *dice, double pair[2])
{
    uint32_t turn = rp_mix_bits(dice->pixel + 0x632be59bu * ++dice->use);
    uint32_t place = rp_shuffle_place(dice->place, rp_mix_bits(turn));
    const uint32_t *point = dice->table->points[place & dice->table->mask];
    uint32_t other = turn * 0x9e3779b1u + 0x85ebca77u;
    pair[0] = (point[0] ^ turn) * 0x1p-32;
    pair[1] = (point[1] ^ other ^ other >> 16) * 0x1p-32;
}

#endif
