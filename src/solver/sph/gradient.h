/* Storage of the gradients of all pairs (G2) as 16 bit integers: multiples of a step, of which the
 * steepest gradient of the kernel has RP_SPH_STEPS. The sweeps read them in every iteration, and
 * they are the largest array by far; the rounding error is 1.5e-5 of the steepest gradient.
 * Rounding to nearest even keeps g_ij = -g_ji to the last bit. Everything that is computed from
 * gradients uses the rounded ones, so that the maps from stress to velocity (G6) and from velocity
 * to strain rate (G7) remain exact transposes of each other.
 *
 * Layout: the pairs of a grain are stored in groups of eight, the last one shorter. A group of n
 * pairs has n words of 32 bits, x in the low and y in the high half, then n shorts z:
 *
 *     | x0 y0 | x1 y1 | ... | xn yn | z0 | z1 | ... | zn |
 */
#ifndef RP_SOLVER_SPH_GRADIENT_H
#define RP_SOLVER_SPH_GRADIENT_H

#include "math/kernel.h"
#include "solver/sph/prefetch.h"

#define RP_SPH_STEPS 32760.0f
/* The kernel is steepest at a third of its support: a third of the gradient scale there. */
#define RP_SPH_STEEPEST (1.0f / 3)
/* A step is 2^16 quanta: the upper half of a 32 bit integer then counts steps without a shift. */
#define RP_SPH_STEP 65536.0f
/* Floats of this size are spaced by one step. Adding it to a small number rounds that to whole
 * steps, and the lowest 16 bits of the sum are their number. */
#define RP_SPH_ROUNDING (12582912.0f * RP_SPH_STEP) /* 1.5 * 2^23 steps */

typedef int16_t rp_sph_short __attribute__((vector_size(16)));
typedef int16_t rp_sph_shorts __attribute__((vector_size(32)));
_Static_assert(sizeof(rp_sph_short) == RP_WIDE * sizeof(int16_t), "eight shorts");
_Static_assert(sizeof(rp_sph_shorts) == sizeof(rp_wide_int), "cast to 32 bit lanes");

/* Returns the quantum of gradients in 1/m, for grains of that volume. */
static inline float rp_sph_quantum(rp_kernel kernel, double volume)
{
    return (float)volume * kernel.gradient_scale * RP_SPH_STEEPEST / (RP_SPH_STEPS * RP_SPH_STEP);
}

/* Rounds gradients, in quanta, to the values that are stored. */
RP_WIDE_INLINE rp_wide rp_sph_quantize(rp_wide g)
{
    return (g + RP_SPH_ROUNDING) - RP_SPH_ROUNDING;
}

/* Stores the gradients x, y, z of a group of `count` pairs, of which at most eight are used. Behind
 * a short group another thread's pairs may begin, so it goes through a buffer. */
RP_WIDE_INLINE void rp_sph_store_gradients(int16_t *to, const rp_wide g[3], uint32_t count)
{
    int16_t buffer[4 * RP_WIDE];
    int16_t *at = count < RP_WIDE ? buffer : to;
    /* The low halves of these sums are the numbers of steps. */
    rp_wide_int x = (rp_wide_int)(g[0] + RP_SPH_ROUNDING),
                y = (rp_wide_int)(g[1] + RP_SPH_ROUNDING);
    rp_wide_int both = (x & 0xffff) | y << 16, z = (rp_wide_int)(g[2] + RP_SPH_ROUNDING);
    rp_sph_short last = __builtin_convertvector(z, rp_sph_short);
    memcpy(at, &both, sizeof both);
    memcpy(at + 2 * (count < RP_WIDE ? count : RP_WIDE), &last, sizeof last);
    if (count < RP_WIDE) memcpy(to, buffer, 3 * count * sizeof *to);
}

/* Pairs as the sweeps process them, one by one, after unpacking a chunk. */
#define RP_SPH_CHUNK 64 /* capacity; grains have fewer neighbors unless they overlap */
_Static_assert(RP_SPH_CHUNK % RP_WIDE == 0, "chunks are loaded in whole groups");
typedef struct rp_sph_chunk {
    _Alignas(32) float x[RP_SPH_CHUNK], y[RP_SPH_CHUNK], z[RP_SPH_CHUNK]; /* quanta */
} rp_sph_chunk;

/* Loads eight pairs of a group that holds `width`; those that are not `live` become zero. */
RP_WIDE_INLINE void rp_sph_load_group(const int16_t *g, uint32_t width, rp_wide_int live, float *x,
                                      float *y, float *z)
{
    const rp_sph_short none = {0};
    rp_wide_int both;
    rp_sph_short last;
    memcpy(&both, g, sizeof both);
    memcpy(&last, g + 2 * width, sizeof last);
    /* z moves to the upper halves of 32 bit lanes: in quanta, as x and y below. */
    rp_wide_int third = (rp_wide_int)(rp_sph_shorts)__builtin_shufflevector(
        none, last, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    both &= live;
    third &= live;
    rp_wide_store(x, __builtin_convertvector(both << 16, rp_wide));
    rp_wide_store(y, __builtin_convertvector(both & -65536, rp_wide));
    rp_wide_store(z, __builtin_convertvector(third, rp_wide));
}

/* Loads `count` pairs, at most RP_SPH_CHUNK; the last group is padded with zeros. */
RP_WIDE_INLINE void rp_sph_load_gradients(const int16_t *g, uint32_t count, rp_sph_chunk *to)
{
    RP_ASSERT_DEBUG(count <= RP_SPH_CHUNK);
    const rp_wide_int lanes = {0, 1, 2, 3, 4, 5, 6, 7}, all = lanes >= 0;
    uint32_t n = 0;
    for (; n + RP_WIDE <= count; n += RP_WIDE, g += 3 * RP_WIDE) {
        rp_sph_prefetch_line(g, 3 * RP_SPH_PREFETCH_PAIRS * sizeof *g);
        rp_sph_load_group(g, RP_WIDE, all, to->x + n, to->y + n, to->z + n);
    }
    if (n == count) return;
    uint32_t rest = count - n;
    rp_sph_load_group(g, rest, lanes < (int32_t)rest, to->x + n, to->y + n, to->z + n);
}

#endif
