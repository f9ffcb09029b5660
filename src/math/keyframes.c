/* Keyframes: monotone cubic Hermite interpolation with the tangents of Fritsch and Butland, "A
 * method for constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput.
 * 5 (1984), in the weighted form for uneven times. */
#include "math/keyframes.h"
#include "base/report.h"

static double value_of(const rp_keyframes *keys, int i, size_t offset)
{
    return *(const double *)((const char *)keys->items + (size_t)i * keys->size + offset);
}

static double time_of(const rp_keyframes *keys, int i)
{
    return value_of(keys, i, keys->time);
}

/* Returns the last key that `time` has reached, or the first, by bisection. */
static int find_key(const rp_keyframes *keys, double time)
{
    int low = 0, high = keys->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (time >= time_of(keys, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The secant slope from key `i` to the next. */
static double slope(const rp_keyframes *keys, int i, size_t offset)
{
    return (value_of(keys, i + 1, offset) - value_of(keys, i, offset)) /
           (time_of(keys, i + 1) - time_of(keys, i));
}

/* The rate at key `i`: zero at the ends and at extrema and plateaus, else a weighted harmonic
 * mean of the slopes on both sides, which is small enough to keep the cubic monotone. */
static double tangent(const rp_keyframes *keys, int i, size_t offset)
{
    if (i == 0 || i == keys->count - 1) return 0;
    double before = slope(keys, i - 1, offset), after = slope(keys, i, offset);
    if ((before > 0) != (after > 0) || before == 0 || after == 0) return 0;
    double last = time_of(keys, i) - time_of(keys, i - 1);
    double next = time_of(keys, i + 1) - time_of(keys, i);
    double weight_before = (last + 2 * next) / (3 * (last + next));
    return 1 / (weight_before / before + (1 - weight_before) / after);
}

/* The value at `time` between keys i and i + 1. Both kinds are written as a change from the first
 * key, so that equal keys give their value exactly. */
static double between(const rp_keyframes *keys, int i, size_t offset, double time)
{
    double step = time_of(keys, i + 1) - time_of(keys, i);
    double s = (time - time_of(keys, i)) / step;
    double from = value_of(keys, i, offset), to = value_of(keys, i + 1, offset);
    if (keys->interpolation == RP_INTERPOLATION_LINEAR) return from + s * (to - from);
    double rate_from = step * tangent(keys, i, offset);
    double rate_to = step * tangent(keys, i + 1, offset);
    double rest = 1 - s;
    return from + s * s * (3 - 2 * s) * (to - from) + s * rest * (rest * rate_from - s * rate_to);
}

double rp_keyframes_value(const rp_keyframes *keys, size_t offset, double time)
{
    RP_ASSERT(keys->count > 0);
    int i = find_key(keys, time);
    /* The keys' own values where they hold, not what rounding makes of them. */
    if (i == keys->count - 1 || !(time > time_of(keys, i))) return value_of(keys, i, offset);
    return between(keys, i, offset, time);
}

rp_vec3 rp_keyframes_vec3(const rp_keyframes *keys, size_t offset, double time)
{
    return rp_v3(rp_keyframes_value(keys, offset + offsetof(rp_vec3, x), time),
                 rp_keyframes_value(keys, offset + offsetof(rp_vec3, y), time),
                 rp_keyframes_value(keys, offset + offsetof(rp_vec3, z), time));
}
