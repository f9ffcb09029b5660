/* Numbers that are given at some instants, the keys, and wanted in between: the ways of bodies and
 * of cameras. */
#ifndef RP_MATH_KEYS_H
#define RP_MATH_KEYS_H

#include "math/vec.h"

#include <stddef.h>

typedef enum rp_interpolation { RP_INTERPOLATION_SMOOTH, RP_INTERPOLATION_LINEAR } rp_interpolation;
#define RP_INTERPOLATION_WORDS "smooth|linear"

/* Keys are structs of any kind with doubles in them, told by their offsets. */
typedef struct rp_keys {
    const void *items; /* borrowed */
    int count;         /* at least one, times rising */
    size_t size;       /* bytes from one to the next */
    size_t time;       /* offset of its time */
    rp_interpolation interpolation;
} rp_keys;

/* The double at `offset` as it is at `time`: that of the first key before it, that of the last one
 * after it. Linear values change at an even rate from key to key. Smooth ones are a monotone cubic:
 * they never leave the range of the two keys around, stay where these agree, start and end at rest,
 * and their rate has no jumps. */
double rp_keys_value(const rp_keys *keys, size_t offset, double time);
/* The same for each component of the rp_vec3 at `offset`. */
rp_vec3 rp_keys_vec3(const rp_keys *keys, size_t offset, double time);

#endif
