/* What the files of this room share: the engine as body.c and control.c see it, and the states. The
 * engine has no memory from step to step but which joints are broken: every step starts from the
 * states that it is given, so that a step can be repeated with other loads, and a resumed run has
 * the same bits. */
#ifndef RP_BODY_INSIDE_H
#define RP_BODY_INSIDE_H

#include "body/body.h"

/* --- the rigid-body engine --- */

typedef struct rp_engine rp_engine;

/* True when this build has an engine. */
bool rp_engine_is_there(void);
/* What the engine reads, and the rest of the room owns and changes: one entry for each body or
 * joint. */
typedef struct rp_engine_host {
    const rp_scene *scene;
    const uint8_t *drives; /* rp_drive; fixed while an engine exists */
    const rp_wrench *wrenches;
    rp_joint_control *joints; /* the engine writes their reactions */
} rp_engine_host;

static inline bool rp_wrench_is_zero(const rp_wrench *push)
{
    return !(rp_v3_dot(push->force, push->force) + rp_v3_dot(push->torque, push->torque) > 0);
}

/* Creates an engine with bodies at `states`; joints except those `broken` (NULL: none) are attached
 * at their reference poses. */
rp_code rp_engine_create(const rp_engine_host *host, const rp_body_state *states,
                         const uint8_t *broken, rp_engine **out, rp_report *report);
void rp_engine_destroy(rp_engine *engine);

/* Sets gravity from now on; until then it is the scene's. */
void rp_engine_set_gravity(rp_engine *engine, const rp_gravity *gravity);
/* Begins a step of `dt` from `time`: takes the states, keyed bodies with their velocities during
 * it, and finds contacts. Bodies whose `rest_time` is above RP_BODY_SLEEP_TIME sleep unless
 * something that is awake touches them; where a joint is released, or a moving surface conveys
 * them, it is set to zero. */
rp_code rp_engine_begin(rp_engine *engine, const rp_body_state *states, double *rest_time,
                        double time, double dt, rp_report *report);
/* Predicts the velocities at the end of that step under these loads, one for each body, where held
 * grains move as the bodies do in `states` (B3). Without loads the forces in the states are used.
 * Poses stay. */
rp_code rp_engine_predict(rp_engine *engine, const rp_load *loads, rp_body_state *states,
                          rp_report *report);
/* Takes the step under the forces and torques from grains in `states`: poses, velocities, forces
 * from contacts and joints. Joints that had to hold too much break. */
rp_code rp_engine_finish(rp_engine *engine, rp_body_state *states, rp_report *report);

/* True when a joint exists: neither broken nor released, nor between bodies that cannot move. */
bool rp_engine_joint_holds(const rp_engine *engine, int joint);
/* Returns position and rate of a hinge or slider, rad or m from where it was attached. */
void rp_engine_read_joint(rp_engine *engine, const rp_body_state *states, int joint,
                          double *position, double *rate);
/* Breaks a joint. */
void rp_engine_release_joint(rp_engine *engine, int joint);
/* Returns one number for each joint of the scene: 1 when it is broken. */
const uint8_t *rp_engine_broken(const rp_engine *engine);
/* Returns the mass of a body that is dynamic in the scene. */
rp_mass rp_engine_mass(const rp_engine *engine, int body);

/* What the host program may change while a world runs. */
typedef struct rp_control {
    uint8_t *drives; /* rp_drive of each body */
    rp_track *tracks;
    rp_wrench *wrenches;
    rp_joint_control *joints; /* one for each joint of the scene */
    bool used;                /* the program changed something: states hold all of this */
    bool disturbed;           /* a surface jumped, appeared or vanished since the last step */
} rp_control;

struct rp_bodies {
    const rp_scene *scene;
    rp_body_state *states;
    rp_body_state *sums; /* only their loads, as impulses since the mean began, N s and N m s */
    double sum_time;     /* s that these sums span */
    double *rest_time;   /* s for which each has been slow */
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

/* Returns an orientation after rotation at a constant angular velocity for some time. */
static inline rp_quat rp_quat_after_spin(rp_quat from, rp_vec3 spin, double time)
{
    double rate = rp_v3_length(spin);
    if (!(rate > 0)) return from;
    return rp_quat_mul(rp_quat_from_axis(rp_v3_scale(spin, 1 / rate), rate * time), from);
}

static inline bool rp_bodies_on_track(const rp_bodies *bodies, int index)
{
    return bodies->control.drives[index] == RP_DRIVE_PROGRAM ||
           bodies->control.drives[index] == RP_DRIVE_RETURN;
}

/* control.c */
/* Begins as the scene says; `states` are those at its start, the reference poses of joints. */
rp_code rp_control_begin(const rp_scene *scene, const rp_body_state *states, rp_control *control,
                         rp_report *report);
void rp_control_end(const rp_scene *scene, rp_control *control);
rp_code rp_control_save(const rp_scene *scene, const rp_control *control, rp_store *store,
                        rp_report *report);
/* Loads into a control that has begun; what the store does not hold stays. */
rp_code rp_control_load(const rp_scene *scene, rp_control *control, const rp_store *store,
                        rp_report *report);
/* Creates an engine for the present drives, in place of the one before; where it fails that one
 * stays. */
rp_code rp_bodies_make_engine(rp_bodies *bodies, const uint8_t *broken, rp_report *report);
/* Returns bodies whose tracks have ended to the motion of the scene. */
rp_code rp_bodies_end_returns(rp_bodies *bodies, double time, rp_report *report);
/* motion.c */
/* Sets the velocities that move a keyed body from its pose at `time` to that at `time + dt`. */
void rp_body_follow_keys(rp_body_state *state, const rp_body_spec *spec, double time, double dt);
/* Returns the pose of a track at a time; and sets the velocities of a step along it. */
rp_pose rp_track_pose(const rp_track *track, double time);
void rp_track_follow(const rp_track *track, double time, double dt, rp_body_state *state);

#endif
