/* The rigid-body engine as the rest of the room sees it: dynamic bodies, their contacts with other
 * bodies and the walls of the domain, joints. It remembers nothing from step to step but which
 * joints are broken: every step starts from the states it is given, so that a step can be tried
 * with other loads as often as needed, and a resumed run has the same bits. */
#ifndef RP_BODY_ENGINE_H
#define RP_BODY_ENGINE_H

#include "body/body.h"

typedef struct rp_engine rp_engine;

/* True when this build has an engine. */
bool rp_engine_is_there(void);
/* What the engine reads, and the rest of the room owns and changes: one for each body or joint. */
typedef struct rp_engine_host {
    const rp_scene *scene;
    const uint8_t *drives; /* rp_drive; while an engine lives only by way of a new one */
    const rp_push *pushes;
    rp_joint_control *joints; /* the engine writes what they do */
} rp_engine_host;

static inline bool rp_push_is_zero(const rp_push *push)
{
    return !(rp_v3_dot(push->force, push->force) + rp_v3_dot(push->torque, push->torque) > 0);
}

/* Bodies at `states`; joints but those `broken` (NULL: none) take hold where their controls say. */
rp_code rp_engine_create(const rp_engine_host *host, const rp_body_state *states,
                         const uint8_t *broken, rp_engine **out, rp_report *report);
void rp_engine_destroy(rp_engine *engine);

/* What pulls from now on; the scene's gravity until then. */
void rp_engine_set_gravity(rp_engine *engine, const rp_gravity *gravity);
/* Takes the states at the start of a step of `dt` from `time`, keyed bodies with the velocities
 * that they will have during it, and finds what touches. Bodies whose `calm` is above
 * RP_BODY_SLEEP_TIME sleep unless something that is awake touches them; where a joint lets go, or a
 * surface that moves carries them, it is set to zero. */
rp_code rp_engine_begin(rp_engine *engine, const rp_body_state *states, double *calm, double time,
                        double dt, rp_report *report);
/* The velocities at the end of that step under these loads, one for each body, where grains that
 * are held move as the bodies do in `states` (B3): what the bodies would answer. Without loads:
 * under the forces that the states hold. Poses stay. */
rp_code rp_engine_try(rp_engine *engine, const rp_load *loads, rp_body_state *states,
                      rp_report *report);
/* Takes the step under the forces and torques from grains that `states` hold: poses, velocities,
 * forces from contacts and joints. Joints that had to hold too much are broken afterwards. */
rp_code rp_engine_finish(rp_engine *engine, rp_body_state *states, rp_report *report);

/* Whether a joint is there: neither broken nor released, nor without anything that could move. */
bool rp_engine_joint_holds(const rp_engine *engine, int joint);
/* How far a hinge or slider is from where it took hold, rad or m, and how fast that changes. */
void rp_engine_read_joint(rp_engine *engine, const rp_body_state *states, int joint,
                          double *position, double *rate);
/* Breaks a joint. */
void rp_engine_release_joint(rp_engine *engine, int joint);
/* One number for each joint of the scene: 1 when it is broken. */
const uint8_t *rp_engine_broken(const rp_engine *engine);
/* The mass of a body that the scene has as dynamic. */
rp_mass rp_engine_mass(const rp_engine *engine, int body);

#endif
