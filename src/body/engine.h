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
/* Joints take hold at the poses of `states`, which are those of the scene's start. */
rp_code rp_engine_create(const rp_scene *scene, const rp_body_state *states, rp_engine **out,
                         rp_report *report);
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

/* One number for each joint of the scene: 1 when it is broken. */
const uint8_t *rp_engine_broken(const rp_engine *engine);
/* All joints take hold again but these. */
rp_code rp_engine_restore(rp_engine *engine, const uint8_t *broken, rp_report *report);
/* The mass of a dynamic body, for tests and sums. */
rp_mass rp_engine_mass(const rp_engine *engine, int body);

#endif
