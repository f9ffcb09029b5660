/* Bodies: everything solid. Fixed ones stay, keyed ones go as the scene says, dynamic ones are
 * moved by gravity, grains, joints and each other; the rigid-body engine that does this lives in
 * this room and nowhere else. docs/theory/bodies.md has the equations (B1 …).
 *
 * A step has three parts, so that grains and bodies can find velocities that suit both: begin, any
 * number of answers to what grains would push, finish. Poses change in the last one only.
 *
 * Between steps the host program may change how bodies are driven: see the end of this header. */
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

/* How a body is driven at present; the first three are the motions of the scene. */
typedef enum rp_drive {
    RP_DRIVE_FIXED,
    RP_DRIVE_KEYS,
    RP_DRIVE_DYNAMIC,
    RP_DRIVE_PROGRAM, /* along the track that the host program gave it */
    RP_DRIVE_RETURN,  /* along a track that leads back to the motion of the scene */
    RP_DRIVE_ABSENT   /* it was removed */
} rp_drive;
_Static_assert((int)RP_DRIVE_FIXED == RP_MOTION_FIXED && (int)RP_DRIVE_KEYS == RP_MOTION_KEYS &&
                   (int)RP_DRIVE_DYNAMIC == RP_MOTION_DYNAMIC,
               "a motion of the scene is a drive");

/* Even motion from a pose: for ever, or until it rests at another one. A function of the time
 * alone, so that nothing adds up over steps. */
typedef struct rp_track {
    double start, end;      /* s; end infinite: it has none */
    rp_pose from, to;       /* at the start; from the end on */
    rp_vec3 velocity, spin; /* m/s, rad/s */
} rp_track;

/* What the host program pushes a dynamic body with, at its centre of mass, along the world's axes.
 */
typedef struct rp_wrench {
    rp_vec3 force, torque; /* N; N m */
} rp_wrench;

/* What a joint does at present: its motor and limits, which the host program may change, and what
 * it did in the last step. All of it is doubles, in the order in which states hold it. */
typedef struct rp_joint_control {
    rp_pose holds[2];     /* of the body and the other one when it took hold */
    double low, high;     /* rad or m; infinite: no limit */
    double speed, force;  /* of the motor: rad/s or m/s; N m or N at most, 0: there is none */
    double target;        /* rad or m, of a servo, which runs towards it at `speed` at most */
    double servo;         /* 1: the motor is a servo; 0: it keeps its speed */
    rp_vec3 load, couple; /* N, N m about the anchor: what it did to the body in the last step */
    double drive;         /* N m or N about or along its axis: what motor and stops did then */
} rp_joint_control;

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
rp_code rp_bodies_predict(rp_bodies *bodies, const rp_load *loads, rp_report *report);
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
/* Of a body that the scene has as dynamic. */
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
rp_pose rp_motion_keys_pose(const rp_key_spec *keys, int count, rp_interpolation interpolation,
                            double time);

/* The same along the keys of an animation: straight and even in position, evenly along the shorter
 * arc in orientation. */
rp_pose rp_motion_animation_pose(const rp_animation_key *keys, int count, double time);

/* control.c: what the host program changes between two steps. Indices are in range, numbers are
 * finite and orientations are unit quaternions. */
rp_drive rp_bodies_drive(const rp_bodies *bodies, int index);
/* Puts a dynamic body, or one that the program drives, somewhere else, without a motion between. */
void rp_bodies_set_pose(rp_bodies *bodies, int index, double time, rp_pose pose);
/* The velocity of a dynamic body now, or of one that the program drives from now on. */
void rp_bodies_set_velocity(rp_bodies *bodies, int index, double time, rp_vec3 velocity,
                            rp_vec3 spin);
/* Leads a body that the program drives evenly to a pose, where it rests from `end` on. */
void rp_bodies_move_to(rp_bodies *bodies, int index, double time, double end, rp_pose pose);
/* Adds a force in a point and a torque to what pushes a dynamic body, and wakes it. */
void rp_bodies_add_wrench(rp_bodies *bodies, int index, rp_vec3 force, rp_vec3 point,
                          rp_vec3 torque);
void rp_bodies_clear_wrenches(rp_bodies *bodies);
/* The centre of mass of a body that the scene has as dynamic, in the world, m. */
rp_vec3 rp_bodies_centre(const rp_bodies *bodies, int index);
/* From now on the program drives the body, which rests. Where it fails nothing is changed. */
rp_code rp_bodies_take_control(rp_bodies *bodies, int index, double time, rp_report *report);
/* Back to the motion of the scene: a dynamic body at once, another one by even motion to where the
 * scene has it at `end`, or by a jump where that is now. */
rp_code rp_bodies_release(rp_bodies *bodies, int index, double time, double end, rp_report *report);
/* The control of a joint, to be read and changed; what it holds is woken. */
rp_joint_control *rp_bodies_joint(rp_bodies *bodies, int joint);
const rp_joint_control *rp_bodies_joint_now(const rp_bodies *bodies, int joint);
bool rp_bodies_joint_holds(const rp_bodies *bodies, int joint);
/* How far a hinge or slider is from where it took hold, rad or m, and its rate; else both are 0. */
void rp_bodies_joint_motion(const rp_bodies *bodies, int joint, double *position, double *rate);
/* Lets go what a joint holds, for ever. */
void rp_bodies_release_joint(rp_bodies *bodies, int joint);
/* Takes a body away: it keeps its place, and nothing else of it is left. Its joints let go. */
rp_code rp_bodies_remove(rp_bodies *bodies, int index, rp_report *report);
/* One number for each body: 1 where it was removed. NULL: all are there. */
const uint8_t *rp_bodies_absent(rp_bodies *bodies);
/* Takes the state over from bodies of a scene to which others were only added, at the end; those,
 * and joints that were added, begin at `time`. */
rp_code rp_bodies_adopt(rp_bodies *bodies, const rp_bodies *from, double time, rp_report *report);
/* A surface jumped, appeared or vanished since the last step, so that what rests on surfaces may
 * not any more. */
bool rp_bodies_are_disturbed(const rp_bodies *bodies);

/* All states, bit for bit, as "bodies/position" and so on, the sums of the mean, which joints are
 * broken, and what the host program changed, if anything; a load that fails changes nothing. */
rp_code rp_bodies_save(const rp_bodies *bodies, rp_store *store, rp_report *report);
rp_code rp_bodies_load(rp_bodies *bodies, const rp_store *store, rp_report *report);

#endif
