/* The way of a body along its keys. */
#include "body/body.h"
#include "math/keyframes.h"

rp_pose rp_keys_pose(const rp_key_spec *keys, int count, rp_interpolation interpolation,
                     double time)
{
    rp_keyframes way = {keys, count, sizeof *keys, offsetof(rp_key_spec, time), interpolation};
    rp_vec3 rotation = rp_keyframes_vec3(&way, offsetof(rp_key_spec, rotation), time);
    return (rp_pose){rp_keyframes_vec3(&way, offsetof(rp_key_spec, position), time),
                     rp_quat_from_euler(rotation)};
}
