/* Bodies: everything solid. Fixed ones stay, keyed ones follow their key frames; dynamic ones need
 * a rigid-body engine, which lives in this room and nowhere else. */
#ifndef RP_BODY_BODY_H
#define RP_BODY_BODY_H

#include "base/store.h"
#include "repose/view.h"
#include "scene/scene.h"

typedef struct rp_bodies rp_bodies;

/* Bodies of the scene at time 0, at rest. The scene must outlive them. A dynamic body is refused
 * (RP_ERROR_UNSUPPORTED) while there is no engine; keys must be there and rise in time. */
rp_code rp_bodies_create(const rp_scene *scene, rp_bodies **out, rp_report *report);
void rp_bodies_destroy(rp_bodies *bodies);
/* Moves all bodies from `time` to `time + dt`, dt > 0; velocities are those of the interval, so
 * that a solver which moves the surface by velocity * dt meets the new pose. Poses depend on the
 * time alone, not on the steps that led there. The angular velocity is that of the shorter way: a
 * body must turn by less than half a turn per step. */
rp_code rp_bodies_advance(rp_bodies *bodies, double time, double dt, rp_report *report);
int rp_bodies_count(const rp_bodies *bodies);
/* All states, in the order of the scene. Forces are written by couple. */
rp_body_state *rp_bodies_states(rp_bodies *bodies);
/* The pose of key frames at a time, in the world (the body's own position and rotation take no
 * part): smooth through the keys, at rest before the first and after the last. A pure function,
 * tested alone.
 *
 * Linear keys are joined by straight, even motion. Smooth ones: each coordinate and each angle is a
 * monotone cubic of its own: it never leaves the range of the two keys around it, stays where two
 * keys agree, and its rate has no jumps. Angles are blended as the scene gives them, and only then
 * made a turn: from 0 to 720 degrees about z is two whole turns. Keys along an even motion give an
 * even motion between the second and the last but one. */
rp_pose rp_keys_pose(const rp_key_spec *keys, int count, rp_interpolation interpolation,
                     double time);

/* The same along the keys of an animation: straight and even in position, evenly along the shorter
 * arc in orientation. */
rp_pose rp_animation_pose(const rp_animation_key *keys, int count, double time);

/* All states, bit for bit, as "bodies/position" and so on; a load that fails changes nothing. */
rp_code rp_bodies_save(const rp_bodies *bodies, rp_store *store, rp_report *report);
rp_code rp_bodies_load(rp_bodies *bodies, const rp_store *store, rp_report *report);

#endif
