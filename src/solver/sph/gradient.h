/* The gradients of all pairs (G2), kept in 16 bits each: whole steps, of which the steepest
 * gradient that the kernel has is RP_SPH_STEPS. The sweeps read them again in every iteration, and
 * they are by far the most that a grain needs; the rounding is 1.5e-5 of the steepest. Rounded to
 * even, a gradient and its reverse stay equal and opposite to the last bit; and everything that is
 * made of gradients is made of the rounded ones, so that stresses to velocities and velocities to
 * strain rates remain one operator.
 *
 * The pairs of a grain lie in groups of eight, the last one shorter: x and y of each pair in one 32
 * bit number, then all z. */
#ifndef RP_SOLVER_SPH_GRADIENT_H
#define RP_SOLVER_SPH_GRADIENT_H

#include "math/kernel.h"
#include "solver/sph/ahead.h"

#define RP_SPH_STEPS 32760.0f
/* The kernel is steepest at a third of its support: a third of the scale there. */
#define RP_SPH_STEEPEST (1.0f / 3)
/* A step is 2^16 quanta, so that the upper half of a 32 bit number holds steps as it is. */
#define RP_SPH_STEP 65536.0f
/* Floats of this size go in such steps, and the lowest 16 bits of their sum with something small
 * are its number of steps. */
#define RP_SPH_WHOLE (12582912.0f * RP_SPH_STEP) /* 1.5 * 2^23 of them */

typedef int16_t rp_sph_short __attribute__((vector_size(16)));
typedef int16_t rp_sph_shorts __attribute__((vector_size(32)));
_Static_assert(sizeof(rp_sph_short) == RP_WIDE * sizeof(int16_t), "a half as wide as floats");

/* 1/m, of gradients of grains of that volume. */
static inline float rp_sph_quantum(rp_kernel kernel, double volume)
{
    return (float)volume * kernel.gradient_scale * RP_SPH_STEEPEST / (RP_SPH_STEPS * RP_SPH_STEP);
}

/* Gradients in quanta to the whole numbers that are kept. */
RP_WIDE_INLINE rp_wide rp_sph_whole(rp_wide g)
{
    return (g + RP_SPH_WHOLE) - RP_SPH_WHOLE;
}

/* A group of up to eight pairs, x, y, z of them. What follows may be another thread's, so that a
 * short group is put together aside. */
RP_WIDE_INLINE void rp_sph_keep_group(int16_t *to, const rp_wide g[3], uint32_t count)
{
    int16_t aside[4 * RP_WIDE];
    int16_t *at = count < RP_WIDE ? aside : to;
    rp_wide_int x = (rp_wide_int)(g[0] + RP_SPH_WHOLE), y = (rp_wide_int)(g[1] + RP_SPH_WHOLE);
    rp_wide_int both = (x & 0xffff) | y << 16, z = (rp_wide_int)(g[2] + RP_SPH_WHOLE);
    rp_sph_short last = __builtin_convertvector(z, rp_sph_short);
    memcpy(at, &both, sizeof both);
    memcpy(at + 2 * (count < RP_WIDE ? count : RP_WIDE), &last, sizeof last);
    if (count < RP_WIDE) memcpy(to, aside, 3 * count * sizeof *to);
}

/* Pairs as the sweeps take them, one by one. */
#define RP_SPH_PIECE 64 /* at a time; more than grains have but where they lie on one another */
_Static_assert(RP_SPH_PIECE % RP_WIDE == 0, "pieces are taken in whole groups");
typedef struct rp_sph_piece {
    _Alignas(32) float x[RP_SPH_PIECE], y[RP_SPH_PIECE], z[RP_SPH_PIECE]; /* quanta */
} rp_sph_piece;

/* Eight pairs of a group that holds `width`, those that are not `live` as nought. */
RP_WIDE_INLINE void rp_sph_take_group(const int16_t *g, uint32_t width, rp_wide_int live, float *x,
                                      float *y, float *z)
{
    const rp_sph_short none = {0};
    rp_wide_int both;
    rp_sph_short last;
    memcpy(&both, g, sizeof both);
    memcpy(&last, g + 2 * width, sizeof last);
    rp_wide_int third = (rp_wide_int)(rp_sph_shorts)__builtin_shufflevector(
        none, last, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    both &= live;
    third &= live;
    rp_wide_store(x, __builtin_convertvector(both << 16, rp_wide));
    rp_wide_store(y, __builtin_convertvector(both & -65536, rp_wide));
    rp_wide_store(z, __builtin_convertvector(third, rp_wide));
}

/* The last group is filled up with nought. */
RP_WIDE_INLINE void rp_sph_take_piece(const int16_t *g, uint32_t count, rp_sph_piece *to)
{
    const rp_wide_int lanes = {0, 1, 2, 3, 4, 5, 6, 7}, all = lanes >= 0;
    uint32_t n = 0;
    for (; n + RP_WIDE <= count; n += RP_WIDE, g += 3 * RP_WIDE) {
        rp_sph_ask_for(g, 3 * RP_SPH_PAIRS_AHEAD * sizeof *g);
        rp_sph_take_group(g, RP_WIDE, all, to->x + n, to->y + n, to->z + n);
    }
    if (n == count) return;
    uint32_t rest = count - n;
    rp_sph_take_group(g, rest, lanes < (int32_t)rest, to->x + n, to->y + n, to->z + n);
}

#endif
