/* Round numbers along a scale; for this room and its tests. */
#ifndef RP_PICTURE_INSIDE_H
#define RP_PICTURE_INSIDE_H

#include "picture/picture.h"

#define RP_TICKS_MAX 12

typedef struct rp_tick {
    double value;
    double place;  /* 0 at the low end of the scale to 1 */
    char text[32]; /* such as 0.5, 20 or 1.5e6, with a point in any locale */
} rp_tick;

/* The multiples of 1, 2 or 5 times a power of ten from `low` to `high`: of all such steps the one
 * that gives nearest to `wanted` (2 to 5) ticks, at most two more or less. One tick in the middle
 * where the ends are equal to nine digits; none where they are not finite or in the wrong order, or
 * beyond 1e290. Returns their number. */
int rp_ticks(double low, double high, int wanted, rp_tick ticks[RP_TICKS_MAX]);

#endif
