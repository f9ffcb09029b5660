/* Prescribed motion: keys (W6), animations (W12), uniform motion, and tracks of controlled bodies
 * (B6). All of them are functions of the time alone, so that no error accumulates over steps and a
 * resumed run has the same bits. */
#include "base/report.h"
#include "body/inside.h"
#include "math/keyframes.h"

/* --- keys ------------------------------------------------------------------------------------ */

rp_pose rp_motion_keys_pose(const rp_key_spec *keys, int count, rp_interpolation interpolation,
                            double time)
{
    rp_keyframes curve = {keys, count, sizeof *keys, offsetof(rp_key_spec, time), interpolation};
    rp_vec3 rotation = rp_keyframes_vec3(&curve, offsetof(rp_key_spec, rotation), time);
    return (rp_pose){rp_keyframes_vec3(&curve, offsetof(rp_key_spec, position), time),
                     rp_quat_from_euler(rotation)};
}

/* --- animations ------------------------------------------------------------------------------ */

/* Linear position and constant angular velocity along the shorter arc between two keys (slerp; K.
 * Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985). */
rp_pose rp_motion_animation_pose(const rp_animation_key *keys, int count, double time)
{
    RP_ASSERT(count > 0);
    int low = 0, high = count - 1; /* the key at or before `time` is within [low, high] */
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
    rp_vec3 difference = rp_v3_sub(key[1].position, key->position);
    return (rp_pose){rp_v3_madd(key->position, s, difference),
                     rp_quat_slerp(key->orientation, key[1].orientation, s)};
}

/* --- bodies of the scene --------------------------------------------------------------------- */

rp_pose rp_body_pose_at(const rp_body_spec *spec, double time)
{
    if (spec->motion != RP_MOTION_KEYS) return spec->pose;
    if (spec->animation.count)
        return rp_motion_animation_pose(spec->animation.items, spec->animation.count, time);
    rp_pose pose = {rp_v3_madd(spec->pose.position, time, spec->velocity),
                    rp_quat_after_spin(spec->pose.orientation, spec->spin, time)};
    if (!spec->keys.count) return pose;
    rp_pose keyed = rp_motion_keys_pose(spec->keys.items, spec->keys.count,
                                        (rp_interpolation)spec->interpolation, time);
    if (spec->keys_move) pose.position = keyed.position;
    if (spec->keys_turn) pose.orientation = keyed.orientation;
    return pose;
}

void rp_body_follow_keys(rp_body_state *state, const rp_body_spec *spec, double time, double dt)
{
    bool moved = spec->keys_move || spec->animation.count;
    bool turned = spec->keys_turn || spec->animation.count;
    rp_pose from = rp_body_pose_at(spec, time), to = rp_body_pose_at(spec, time + dt);
    rp_vec3 displacement = rp_v3_sub(to.position, from.position);
    rp_vec3 rotation = rp_quat_log(rp_quat_mul(to.orientation, rp_quat_conj(from.orientation)));
    rp_store_vec3(state->velocity, moved ? rp_v3_scale(displacement, 1 / dt) : spec->velocity);
    rp_store_vec3(state->angular_velocity, turned ? rp_v3_scale(rotation, 1 / dt) : spec->spin);
}

/* --- tracks ---------------------------------------------------------------------------------- */

/* A step that ends later than its track by no more than this fraction of its length is taken to end
 * with it: its motion is uniform. */
#define STEP_EPSILON 1e-6

rp_pose rp_track_pose(const rp_track *track, double time)
{
    if (time >= track->end) return track->to;
    double passed = time - track->start;
    return (rp_pose){rp_v3_madd(track->from.position, passed, track->velocity),
                     rp_quat_after_spin(track->from.orientation, track->spin, passed)};
}

/* The velocities are those of the track; zero where it has ended. */
void rp_track_follow(const rp_track *track, double time, double dt, rp_body_state *state)
{
    rp_vec3 velocity = track->velocity, spin = track->spin;
    if (time >= track->end) {
        velocity = spin = rp_v3(0, 0, 0);
    } else if (time + dt > track->end + STEP_EPSILON * dt) {
        /* The track ends within the step: the velocities that lead to its end in the whole step. */
        rp_pose from = rp_track_pose(track, time);
        rp_quat rotation = rp_quat_mul(track->to.orientation, rp_quat_conj(from.orientation));
        velocity = rp_v3_scale(rp_v3_sub(track->to.position, from.position), 1 / dt);
        spin = rp_v3_scale(rp_quat_log(rotation), 1 / dt);
    }
    rp_store_vec3(state->velocity, velocity);
    rp_store_vec3(state->angular_velocity, spin);
}
