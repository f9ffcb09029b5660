/* Low-discrepancy samples of a pixel (P12): one table of points that fill the unit square evenly,
 * scrambled and shuffled differently for every pixel and every dimension (pair of numbers that a
 * path uses). Samples are a function of pixel, sample index and dimension, so that pictures do not
 * depend on the order of work; and not of the frame, so that what rests looks at rest in a film. */
#ifndef RP_RENDER_SAMPLER_H
#define RP_RENDER_SAMPLER_H

#include "repose/base.h"

typedef struct rp_sampler_table {
    uint32_t (*points)[2]; /* the point of index i is stored at i with its bits reversed */
    size_t size;           /* bytes */
    uint32_t mask;         /* the number of points, a power of two, less one */
    int bits;              /* of an index */
} rp_sampler_table;

/* A table of at least `samples` points. */
rp_code rp_sampler_table_make(rp_sampler_table *table, int samples, rp_report *report);
void rp_sampler_table_release(rp_sampler_table *table);

/* The random numbers of one sample of one pixel. */
typedef struct rp_sampler {
    const rp_sampler_table *table;
    uint32_t pixel;     /* hash of its coordinates */
    uint32_t index;     /* of the sample, bits reversed */
    uint32_t dimension; /* pairs that were taken so far */
    uint32_t rays;      /* that the sample traced so far */
} rp_sampler;

/* An integer hash with good avalanche behaviour (two rounds of xorshift and multiplication). */
static inline uint32_t rp_sampler_hash(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Reverses the lowest `bits` bits, at most 16. */
static inline uint32_t rp_sampler_reverse_bits(uint32_t x, int bits)
{
    x = (x & 0x5555u) << 1 | (x >> 1 & 0x5555u);
    x = (x & 0x3333u) << 2 | (x >> 2 & 0x3333u);
    x = (x & 0x0f0fu) << 4 | (x >> 4 & 0x0f0fu);
    return ((x & 0x00ffu) << 8 | x >> 8) >> (16 - bits);
}

static inline rp_sampler rp_sampler_begin(const rp_sampler_table *table, int x, int y, int sample)
{
    uint32_t pixel = rp_sampler_hash((uint32_t)x * 0x9e3779b9u ^ rp_sampler_hash((uint32_t)y));
    return (rp_sampler){table, pixel, rp_sampler_reverse_bits((uint32_t)sample, table->bits), 0, 0};
}

/* Shuffles reversed indices so that those which agree in their lowest bits still do: each bit
 * affects higher ones only (Laine and Karras, "Stratified sampling for stochastic transparency",
 * 2011). So runs of 2^k samples stay nets. Exclusive or with a random number would keep nets, too,
 * but the numbers of two dimensions would then differ by the same bits in all samples of a pixel,
 * and be correlated. */
static inline uint32_t rp_sampler_shuffle(uint32_t index, uint32_t seed)
{
    index ^= index * 0x3d20adeau;
    index += seed;
    index *= seed >> 16 | 1;
    index ^= index * 0x05526c56u;
    return index ^ index * 0x53a22864u;
}

/* The next two numbers, each in [0, 1). Exclusive or of the points with a random number keeps their
 * stratification: they are a net in base 2. */
static inline void rp_sampler_next(rp_sampler *sampler, double pair[2])
{
    /* One hash a dimension: it seeds the shuffle of the order and scrambles the first number. */
    uint32_t scramble = rp_sampler_hash(sampler->pixel + 0x632be59bu * ++sampler->dimension);
    uint32_t index = rp_sampler_shuffle(sampler->index, rp_sampler_hash(scramble));
    const uint32_t *point = sampler->table->points[index & sampler->table->mask];
    uint32_t other = scramble * 0x9e3779b1u + 0x85ebca77u;
    pair[0] = (point[0] ^ scramble) * 0x1p-32;
    pair[1] = (point[1] ^ other ^ other >> 16) * 0x1p-32;
}

#endif
