/* What the files of this room share: body.c (states and the order of a step), control.c (what the
 * host program changes while a world runs). Nothing outside this room includes it. */
#ifndef RP_BODY_INSIDE_H
#define RP_BODY_INSIDE_H

#include "body/engine.h"

/* What the host program may change while a world runs. */
typedef struct rp_control {
    uint8_t *drives; /* rp_drive of each body */
    rp_track *tracks;
    rp_push *pushes;
    rp_joint_control *joints; /* one for each joint of the scene */
    bool used;                /* the program changed something: the state holds all of this */
    bool disturbed;           /* a surface jumped, appeared or vanished since the last step */
} rp_control;

struct rp_bodies {
    const rp_scene *scene;
    rp_body_state *states;
    rp_body_state *sums; /* only their loads: impulses, N s and N m s, since the mean began */
    double sum_time;     /* s that these sums span */
    double *calm;        /* s that each has been slow */
    int count;
    bool dynamic;              /* some body of the scene is */
    rp_engine *engine;         /* NULL when none is */
    double time, dt;           /* s, of the step in hand */
    const rp_gravity *gravity; /* NULL: the scene's */

    rp_control control;
    uint8_t *absent; /* what rp_bodies_absent gives */
};

static inline void rp_store_vec3(double to[3], rp_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static inline void rp_store_pose(rp_body_state *state, rp_pose pose)
{
    const rp_quat q = pose.orientation;
    rp_store_vec3(state->position, pose.position);
    state->orientation[0] = q.w;
    state->orientation[1] = q.x;
    state->orientation[2] = q.y;
    state->orientation[3] = q.z;
}

static inline rp_pose rp_load_pose(const rp_body_state *state)
{
    const double *p = state->position, *q = state->orientation;
    return (rp_pose){rp_v3(p[0], p[1], p[2]), (rp_quat){q[0], q[1], q[2], q[3]}};
}

/* After turning evenly for a while. */
static inline rp_quat rp_quat_turned(rp_quat from, rp_vec3 spin, double time)
{
    double rate = rp_v3_length(spin);
    if (!(rate > 0)) return from;
    return rp_quat_mul(rp_quat_from_axis(rp_v3_scale(spin, 1 / rate), rate * time), from);
}

static inline bool rp_is_on_track(const rp_bodies *bodies, int index)
{
    return bodies->control.drives[index] == RP_DRIVE_PROGRAM ||
           bodies->control.drives[index] == RP_DRIVE_RETURN;
}

/* control.c */
/* As the scene says; `states` are those at its start, where joints take hold. */
rp_code rp_control_begin(const rp_scene *scene, const rp_body_state *states, rp_control *control,
                         rp_report *report);
void rp_control_end(const rp_scene *scene, rp_control *control);
rp_code rp_control_save(const rp_scene *scene, const rp_control *control, rp_store *store,
                        rp_report *report);
/* Into one that has begun; what the store does not hold stays as it is. */
rp_code rp_control_load(const rp_scene *scene, rp_control *control, const rp_store *store,
                        rp_report *report);
/* An engine for the bodies as they are driven now, in place of the one before; where it fails that
 * one stays. */
rp_code rp_bodies_make_engine(rp_bodies *bodies, const uint8_t *broken, rp_report *report);
/* Hands bodies whose tracks have led them back to the motion of the scene. */
rp_code rp_bodies_settle(rp_bodies *bodies, double time, rp_report *report);
/* Where a track leads at a time, and the velocities that lead there in a step from `time`. */
rp_pose rp_track_pose(const rp_track *track, double time);
void rp_track_follow(const rp_track *track, double time, double dt, rp_body_state *state);

#endif
