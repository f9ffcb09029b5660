/* Bodies: everything solid. Fixed ones stay, keyed ones go as the scene says, dynamic ones are
 * moved by gravity, grains, joints and each other; the rigid-body engine that does this lives in
 * this room and nowhere else. docs/theory/bodies.md has the equations (B1 …).
 *
 * A step has three parts, so that grains and bodies can find velocities that suit both: begin, any
 * number of answers to what grains would push, finish. Poses change in the last one only. */
#ifndef RP_BODY_BODY_H
#define RP_BODY_BODY_H

#include "base/store.h"
#include "geom/mass.h"
#include "repose/view.h"
#include "scene/scene.h"

#define RP_BODY_SLEEP_TIME 0.5 /* s that a dynamic body has to be slow before it sleeps */

typedef struct rp_bodies rp_bodies;

/* What grains do to a body in a step, and what of them has to move with it. Moments are about the
 * body's origin, along the world's axes. */
typedef struct rp_load {
    rp_vec3 force, torque; /* N; N m */
    double mass;           /* kg of grains that are held by it */
    rp_vec3 moment;        /* kg m, sum of mass times arm */
    double second[6];      /* kg m2, sum of mass times arm times arm: xx, yy, zz, xy, xz, yz */
} rp_load;

/* Bodies of the scene at time 0, with their first velocities. The scene must outlive them. Keys
 * must rise in time. A dynamic body is refused (RP_ERROR_UNSUPPORTED) by a build without an engine.
 */
rp_code rp_bodies_create(const rp_scene *scene, rp_bodies **out, rp_report *report);
void rp_bodies_destroy(rp_bodies *bodies);
/* Begins a step of dt > 0 from `time`. Keyed bodies take the velocities of that interval, so that
 * moving the surface by velocity * dt meets its new pose; dynamic ones those that they would have
 * under the forces of the last step. Between keys the angular velocity is that of the shorter way:
 * such a body must turn by less than half a turn per step. */
rp_code rp_bodies_begin(rp_bodies *bodies, double time, double dt, rp_report *report);
/* New velocities of dynamic bodies for the loads, one for each body: a step towards what both can
 * agree on (B3), which it leaves as it is once it is found. */
rp_code rp_bodies_answer(rp_bodies *bodies, const rp_load *loads, rp_report *report);
/* Moves all bodies to the end of the step: keyed ones to where they have to be, whatever the steps
 * that led there; dynamic ones under the forces and torques that their states hold. */
rp_code rp_bodies_finish(rp_bodies *bodies, rp_report *report);
/* From now on loads (force, torque, contact_force, contact_torque) are summed for a new mean. */
void rp_bodies_begin_mean(rp_bodies *bodies);
/* The states, with the loads' means over time since the mean began; where no step was taken since,
 * with those of the last step. */
void rp_bodies_mean(const rp_bodies *bodies, rp_body_state *states);
/* What pulls at dynamic bodies from the next step on, in place of the scene's gravity; it must
 * outlive them. */
void rp_bodies_set_gravity(rp_bodies *bodies, const rp_gravity *gravity);
/* Wakes all dynamic bodies: something changed that a body at rest does not notice. */
void rp_bodies_wake(rp_bodies *bodies);
/* The longest step that dynamic bodies bear, s; infinite without any. */
double rp_bodies_limit_dt(const rp_bodies *bodies);
bool rp_bodies_is_dynamic(const rp_bodies *bodies, int index);
/* Of a dynamic body. */
rp_mass rp_bodies_mass(const rp_bodies *bodies, int index);
int rp_bodies_count(const rp_bodies *bodies);
/* All states, in the order of the scene. Forces are written by couple. */
rp_body_state *rp_bodies_states(rp_bodies *bodies);
/* Where the scene has a fixed or keyed body at a time, and a dynamic one at the start. What keys do
 * not give is the body's own: it rests, or moves and turns evenly for ever, about its position,
 * computed from the time alone, so that nothing adds up over turns and steps. A pure function. */
rp_pose rp_body_pose_at(const rp_body_spec *spec, double time);
/* The pose of key frames at a time, in the world: smooth through the keys, at rest before the first
 * and after the last. A pure function, tested alone.
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

/* All states, bit for bit, as "bodies/position" and so on, the sums of the mean, and which joints
 * are broken; a load that fails changes nothing. */
rp_code rp_bodies_save(const rp_bodies *bodies, rp_store *store, rp_report *report);
rp_code rp_bodies_load(rp_bodies *bodies, const rp_store *store, rp_report *report);

#endif
