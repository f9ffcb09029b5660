/* Eight floats at once. One type, written with the compiler's vector extension, which becomes
 * AVX-512, AVX2, SSE, NEON or plain scalar code; a kernel is written once over it and marked
 * RP_WIDE_KERNEL, and the loader picks the best clone for the processor at start. The width is
 * eight everywhere and contraction is off, so sums have the same bits on every machine.
 *
 * Kernels must be plain functions (not inline); helpers that take or return wide values must be
 * marked RP_WIDE_INLINE: a clone and a function outside it pass such values in different registers.
 */
#ifndef RP_MATH_WIDE_H
#define RP_MATH_WIDE_H

#include "math/vec.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RP_WIDE 8

typedef float rp_wide __attribute__((vector_size(32)));
typedef float rp_float4 __attribute__((vector_size(16)));     /* half of a wide value */
typedef int32_t rp_wide_int __attribute__((vector_size(32))); /* also masks: 0 or -1 */
_Static_assert(sizeof(rp_wide) == RP_WIDE * sizeof(float), "a wide value is eight floats");
_Static_assert(sizeof(rp_wide_int) == sizeof(rp_wide), "a mask has as many lanes");
_Static_assert(2 * sizeof(rp_float4) == sizeof(rp_wide), "two fours make a wide value");

#if defined(RP_WIDE_CLONES) && defined(__x86_64__)
#define RP_WIDE_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RP_WIDE_KERNEL
#endif

#define RP_WIDE_INLINE static inline __attribute__((always_inline))

/* Returns `value` in all lanes. Written as a difference, which keeps every value as it is (minus
 * zero, too): GCC 12 fills a list of eight equal lanes one by one inside cloned kernels, and
 * broadcasts this. */
RP_WIDE_INLINE rp_wide rp_wide_broadcast(float value)
{
    return value - (rp_wide){0};
}

/* Loads eight floats from any address, aligned or not. */
RP_WIDE_INLINE rp_wide rp_wide_load(const float *from)
{
    rp_wide w;
    memcpy(&w, from, sizeof w);
    return w;
}

RP_WIDE_INLINE void rp_wide_store(float *to, rp_wide w)
{
    memcpy(to, &w, sizeof w);
}

/* Loads the first `count` floats (fewer than eight); the other lanes are `rest`. */
RP_WIDE_INLINE rp_wide rp_wide_load_some(const float *from, int count, float rest)
{
    rp_wide w = rp_wide_broadcast(rest);
    memcpy(&w, from, (size_t)count * sizeof(float));
    return w;
}

RP_WIDE_INLINE rp_wide rp_wide_gather(const float *base, const uint32_t *index)
{
    return (rp_wide){base[index[0]], base[index[1]], base[index[2]], base[index[3]],
                     base[index[4]], base[index[5]], base[index[6]], base[index[7]]};
}

/* Transposes a 4 x 4 block in each half; both[k] has the rows k (low half) and k + 4 (high half).
 */
RP_WIDE_INLINE void rp_wide_transpose_halves(const rp_wide both[4], rp_wide out[4])
{
    rp_wide pairs[4];
    for (int k = 0; k < 4; k += 2) {
        rp_wide a = both[k], b = both[k + 1];
        pairs[k] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[k + 1] = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 2; k++) {
        rp_wide a = pairs[k], b = pairs[k + 2], *to = out + 2 * k;
        to[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        to[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
}

/* Gathers eight rows and transposes them (array of structures to structure of arrays): out[c] gets
 * the value c of the rows index[0] to index[7]. Rows are `stride` wide values apart. */
RP_WIDE_INLINE void rp_wide_transpose_strided(const rp_wide *rows, size_t stride,
                                              const uint32_t *index, rp_wide out[RP_WIDE])
{
    for (int half = 0; half < RP_WIDE; half += 4) {
        rp_wide both[4];
        for (int k = 0; k < 4; k++) {
            rp_float4 low, high;
            memcpy(&low, (const float *)&rows[stride * index[k]] + half, sizeof low);
            memcpy(&high, (const float *)&rows[stride * index[k + 4]] + half, sizeof high);
            both[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        rp_wide_transpose_halves(both, out + half);
    }
}

RP_WIDE_INLINE void rp_wide_transpose(const rp_wide *rows, const uint32_t *index,
                                      rp_wide out[RP_WIDE])
{
    rp_wide_transpose_strided(rows, 1, index, out);
}

/* Transposes eight wide values in place: w[r][c] and w[c][r] change places. */
RP_WIDE_INLINE void rp_wide_transpose_in_place(rp_wide w[RP_WIDE])
{
    rp_wide low[4], high[4];
    for (int k = 0; k < 4; k++) {
        rp_wide a = w[k], b = w[k + 4];
        low[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        high[k] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    rp_wide_transpose_halves(low, w);
    rp_wide_transpose_halves(high, w + 4);
}

/* Returns a where the mask is set, else b. */
RP_WIDE_INLINE rp_wide rp_wide_select(rp_wide_int mask, rp_wide a, rp_wide b)
{
    rp_wide_int chosen = (mask & (rp_wide_int)a) | (~mask & (rp_wide_int)b);
    return (rp_wide)chosen;
}

/* Returns whether any lane of the mask is set. */
RP_WIDE_INLINE bool rp_wide_any(rp_wide_int mask)
{
    int64_t parts[4];
    memcpy(parts, &mask, sizeof parts);
    return ((parts[0] | parts[1]) | (parts[2] | parts[3])) != 0;
}

/* Returns the mask of the first `count` lanes. */
RP_WIDE_INLINE rp_wide_int rp_wide_first_lanes(int count)
{
    const rp_wide_int numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    return numbers < count;
}

RP_WIDE_INLINE rp_wide rp_wide_min(rp_wide a, rp_wide b)
{
    return rp_wide_select(a < b, a, b);
}

RP_WIDE_INLINE rp_wide rp_wide_max(rp_wide a, rp_wide b)
{
    return rp_wide_select(a > b, a, b);
}

RP_WIDE_INLINE rp_wide rp_wide_sqrt(rp_wide a)
{
    rp_wide root;
    for (int i = 0; i < RP_WIDE; i++)
        root[i] = sqrtf(a[i]);
    return root;
}

/* Returns the sum of all lanes, always added in the same order: halves first, then pairs. */
RP_WIDE_INLINE float rp_wide_sum(rp_wide a)
{
    float s0 = a[0] + a[4], s1 = a[1] + a[5], s2 = a[2] + a[6], s3 = a[3] + a[7];
    return (s0 + s2) + (s1 + s3);
}

/* Returns eight sums at once: lane k is the sum of the lanes of columns[k]. The order of additions
 * differs from rp_wide_sum's, and is always the same. */
RP_WIDE_INLINE rp_wide rp_wide_sums(const rp_wide columns[RP_WIDE])
{
    rp_wide half[4], pair[2];
    for (int k = 0; k < 4; k++) {
        rp_wide a = columns[k], b = columns[k + 4];
        half[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int k = 0; k < 2; k++) {
        rp_wide a = half[k], b = half[k + 2];
        pair[k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    return __builtin_shufflevector(pair[0], pair[1], 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(pair[0], pair[1], 1, 9, 3, 11, 5, 13, 7, 15);
}

/* Returns the largest lane. */
RP_WIDE_INLINE float rp_wide_largest(rp_wide a)
{
    float most = a[0];
    for (int i = 1; i < RP_WIDE; i++)
        most = a[i] > most ? a[i] : most;
    return most;
}

/* --- eight vectors at once, one component of all in each wide value --- */

typedef struct rp_wide_vec3 {
    rp_wide x, y, z;
} rp_wide_vec3;

/* Returns `v` in all lanes. */
RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_broadcast(rp_vec3 v)
{
    return (rp_wide_vec3){rp_wide_broadcast((float)v.x), rp_wide_broadcast((float)v.y),
                          rp_wide_broadcast((float)v.z)};
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_zero(void)
{
    return (rp_wide_vec3){rp_wide_broadcast(0), rp_wide_broadcast(0), rp_wide_broadcast(0)};
}

/* Returns the vector in the first lane. */
RP_WIDE_INLINE rp_vec3 rp_wide_v3_first_lane(const rp_wide_vec3 *v)
{
    return rp_v3(v->x[0], v->y[0], v->z[0]);
}

RP_WIDE_INLINE rp_wide rp_wide_v3_dot(rp_wide_vec3 a, rp_wide_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_cross(rp_wide_vec3 a, rp_wide_vec3 b)
{
    return (rp_wide_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_scale(rp_wide_vec3 a, rp_wide s)
{
    return (rp_wide_vec3){a.x * s, a.y * s, a.z * s};
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_add(rp_wide_vec3 a, rp_wide_vec3 b)
{
    return (rp_wide_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* a + s b */
RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_madd(rp_wide_vec3 a, rp_wide s, rp_wide_vec3 b)
{
    return (rp_wide_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Returns a where the mask is set, else b. */
RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_select(rp_wide_int mask, rp_wide_vec3 a, rp_wide_vec3 b)
{
    return (rp_wide_vec3){rp_wide_select(mask, a.x, b.x), rp_wide_select(mask, a.y, b.y),
                          rp_wide_select(mask, a.z, b.z)};
}

RP_WIDE_INLINE rp_wide rp_wide_v3_length(rp_wide_vec3 a)
{
    return rp_wide_sqrt(rp_wide_v3_dot(a, a));
}

/* Returns one over the length, 0 for the zero vector; *length gets the length. */
RP_WIDE_INLINE rp_wide rp_wide_v3_inverse_length(rp_wide_vec3 a, rp_wide *length)
{
    *length = rp_wide_v3_length(a);
    return rp_wide_select(*length > 0, 1 / *length, rp_wide_broadcast(0));
}

#endif
