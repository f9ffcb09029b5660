/* Key frames: monotone cubic Hermite interpolation with the tangents of Fritsch and Butland, "A
 * method for constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput.
 * 5 (1984), in the weighted form for uneven times. */
#include "base/log.h"
#include "body/body.h"

/* Position, then rotation. */
#define CHANNELS 6

static double channel(const rp_key_spec *key, int index)
{
    const double values[CHANNELS] = {key->position.x, key->position.y, key->position.z,
                                     key->rotation.x, key->rotation.y, key->rotation.z};
    return values[index];
}

static double slope(const rp_key_spec *key, int index)
{
    return (channel(key + 1, index) - channel(key, index)) / (key[1].time - key[0].time);
}

/* The rate at key `i`: zero at the ends and where the channel turns round or rests, else a harmonic
 * mean of the slopes on both sides, which is small enough to keep the cubic monotone. */
static double tangent(const rp_key_spec *keys, int count, int i, int index)
{
    if (i == 0 || i == count - 1) return 0;
    double before = slope(&keys[i - 1], index), after = slope(&keys[i], index);
    if ((before > 0) != (after > 0) || before == 0 || after == 0) return 0;
    double last = keys[i].time - keys[i - 1].time, next = keys[i + 1].time - keys[i].time;
    double weight_before = (last + 2 * next) / (3 * (last + next));
    return 1 / (weight_before / before + (1 - weight_before) / after);
}

/* The value at `time` between keys i and i + 1. */
static double blend(const rp_key_spec *keys, int count, int i, int index, double time)
{
    double step = keys[i + 1].time - keys[i].time;
    double s = (time - keys[i].time) / step;
    double from = channel(&keys[i], index), to = channel(&keys[i + 1], index);
    double rate_from = step * tangent(keys, count, i, index);
    double rate_to = step * tangent(keys, count, i + 1, index);
    double rest = 1 - s;
    /* Written as a change from the first key, so that equal keys give their value exactly. */
    return from + s * s * (3 - 2 * s) * (to - from) + s * rest * (rest * rate_from - s * rate_to);
}

static rp_pose pose_of(const double values[CHANNELS])
{
    return (rp_pose){rp_v3(values[0], values[1], values[2]),
                     rp_quat_euler(rp_v3(values[3], values[4], values[5]))};
}

static double straight(const rp_key_spec *key, int index, double time)
{
    double s = (time - key[0].time) / (key[1].time - key[0].time);
    return channel(key, index) + s * (channel(key + 1, index) - channel(key, index));
}

rp_pose rp_keys_pose(const rp_key_spec *keys, int count, rp_interpolation interpolation,
                     double time)
{
    RP_ASSERT(count > 0);
    int i = 0;
    while (i < count - 1 && time >= keys[i + 1].time)
        i++;
    bool between = i < count - 1 && time > keys[i].time;
    double values[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) {
        if (!between)
            values[c] = channel(&keys[i], c);
        else if (interpolation == RP_INTERPOLATION_LINEAR)
            values[c] = straight(&keys[i], c, time);
        else
            values[c] = blend(keys, count, i, c, time);
    }
    return pose_of(values);
}
