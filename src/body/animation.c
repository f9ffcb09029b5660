/* The pose along keys of an animation file: straight and even between two, turned along the shorter
 * arc at an even rate (slerp; K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH
 * 1985). */
#include "base/report.h"
#include "body/body.h"

rp_pose rp_animation_pose(const rp_animation_key *keys, int count, double time)
{
    RP_ASSERT(count > 0);
    int low = 0, high = count - 1; /* the key at or before `time` is one of these */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (time >= keys[middle].time)
            low = middle;
        else
            high = middle - 1;
    }
    const rp_animation_key *key = &keys[low];
    if (low == count - 1 || time <= key->time) return (rp_pose){key->position, key->orientation};
    double s = (time - key->time) / (key[1].time - key->time);
    rp_vec3 way = rp_v3_sub(key[1].position, key->position);
    return (rp_pose){rp_v3_madd(key->position, s, way),
                     rp_quat_slerp(key->orientation, key[1].orientation, s)};
}
