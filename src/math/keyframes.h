/* Keyframe interpolation: numbers that are given at some instants, the keys, are interpolated in
 * between. Bodies and cameras move by it. */
#ifndef RP_MATH_KEYFRAMES_H
#define RP_MATH_KEYFRAMES_H

#include "math/vec.h"

#include <stddef.h>

typedef enum rp_interpolation { RP_INTERPOLATION_SMOOTH, RP_INTERPOLATION_LINEAR } rp_interpolation;
#define RP_INTERPOLATION_WORDS "smooth|linear"

/* Keys are structs of any type with doubles in them, which are addressed by their offsets. */
typedef struct rp_keyframes {
    const void *items; /* borrowed */
    int count;         /* at least one, times increasing */
    size_t size;       /* bytes from one to the next */
    size_t time;       /* offset of its time */
    rp_interpolation interpolation;
} rp_keyframes;

/* Returns the interpolated double at `offset` at `time`; before the first key its value, after the
 * last key that one's. Linear values change at a constant rate from key to key. Smooth ones are a
 * monotone cubic: they never leave the range of the two keys around, are constant where these
 * agree, start and end at rest, and their rate has no jumps. */
double rp_keyframes_value(const rp_keyframes *keys, size_t offset, double time);
/* The same for each component of the rp_vec3 at `offset`. */
rp_vec3 rp_keyframes_vec3(const rp_keyframes *keys, size_t offset, double time);

#endif
