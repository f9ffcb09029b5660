/* Bodies: everything solid. Fixed ones stay, keyed ones follow the scene, dynamic ones are moved by
 * gravity, grains, joints and each other; the rigid-body engine that does this is used in this room
 * only. docs/theory/bodies.md has the equations (B1 …). A step has three parts, so that grains and
 * bodies can find velocities that are consistent: begin, any number of predictions under loads from
 * grains, finish. Poses change in the last one only. Between steps the host program may change how
 * bodies are driven: see the end of this header. */
#ifndef RP_BODY_BODY_H
#define RP_BODY_BODY_H

#include "base/store.h"
#include "geom/mass.h"
#include "repose/view.h"
#include "scene/scene.h"

#define RP_BODY_SLEEP_TIME 0.5 /* s that a dynamic body has to be slow before it sleeps */

typedef struct rp_bodies rp_bodies;

/* Loads of the grains on a body in a step, and the mass of grains that must move with it. Moments
 * are about the body's origin, in the world's axes. */
typedef struct rp_load {
    rp_vec3 force, torque; /* N; N m */
    double mass;           /* kg of grains that touch it and move with it */
    rp_vec3 moment;        /* kg m, sum of mass times arm (first moment) */
    double second[6];      /* kg m2, sum of mass times arm times arm: xx, yy, zz, xy, xz, yz */
} rp_load;

/* How a body is driven at present; the first three are the motions of scenes. */
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

/* Uniform motion from a pose: for ever, or until it rests at another one. It is a function of the
 * time alone, so that no error accumulates over steps. */
typedef struct rp_track {
    double start, end;      /* s; end infinite: it has none */
    rp_pose from, to;       /* at the start; from the end on */
    rp_vec3 velocity, spin; /* m/s, rad/s */
} rp_track;

/* What the host program wrenches a dynamic body with, at its centre of mass, along the world's
 * axes.
 */
typedef struct rp_wrench {
    rp_vec3 force, torque; /* N; N m */
} rp_wrench;

/* The state of a joint: motor and limits, which the host program may change, and its reaction in
 * the last step. All members are doubles, in the order in which states hold them. */
typedef struct rp_joint_control {
    rp_pose reference[2]; /* poses of the body and the other one when the joint was attached */
    double low, high;     /* rad or m; infinite: no limit */
    double speed, force;  /* of the motor: rad/s or m/s; N m or N at most, 0: there is none */
    double target;        /* rad or m, of a servo, which runs towards it at `speed` at most */
    double servo;         /* 1: the motor is a servo; 0: it keeps its speed */
    rp_vec3 load, couple; /* N, N m about the anchor: what it did to the body in the last step */
    double drive;         /* N m or N about or along its axis: what motor and stops did then */
} rp_joint_control;

/* Creates the bodies of a scene at time 0, with their initial velocities. The scene must outlive
 * them. Times of keys must rise. A build without an engine refuses dynamic bodies
 * (RP_ERROR_UNSUPPORTED). */
rp_code rp_bodies_create(const rp_scene *scene, rp_bodies **out, rp_report *report);
void rp_bodies_destroy(rp_bodies *bodies);
/* Begins a step of dt > 0 from `time`. Keyed bodies get the mean velocities of that interval, so
 * that moving the surface by velocity * dt leads to its new pose; dynamic ones the velocities that
 * they would have under the forces of the last step. Between keys the angular velocity is that of
 * the shorter arc: such a body must rotate by less than half a turn per step. */
rp_code rp_bodies_begin(rp_bodies *bodies, double time, double dt, rp_report *report);
/* Predicts velocities of dynamic bodies under loads, one for each body: a step of the coupling
 * iteration (B3), of which the solution is a fixed point. */
rp_code rp_bodies_predict(rp_bodies *bodies, const rp_load *loads, rp_report *report);
/* Moves all bodies to the end of the step: keyed ones to their exact poses, dynamic ones under the
 * forces and torques in their states. */
rp_code rp_bodies_finish(rp_bodies *bodies, rp_report *report);
/* Begins a new mean: from now on loads (force, torque, contact_force, contact_torque) are summed.
 */
void rp_bodies_begin_mean(rp_bodies *bodies);
/* Writes the states with the means of the loads over time since the mean began; where no step was
 * taken since, with the loads of the last step. */
void rp_bodies_mean(const rp_bodies *bodies, rp_body_state *states);
/* Sets the gravity of dynamic bodies from the next step on, in place of the scene's; it must
 * outlive them. */
void rp_bodies_set_gravity(rp_bodies *bodies, const rp_gravity *gravity);
/* Wakes all dynamic bodies, after a change that a sleeping body does not notice. */
void rp_bodies_wake(rp_bodies *bodies);
/* Returns the longest step for which dynamic bodies are stable, s; infinity without any. */
double rp_bodies_limit_dt(const rp_bodies *bodies);
bool rp_bodies_is_dynamic(const rp_bodies *bodies, int index);
/* Returns mass, centre and inertia of a body that is dynamic in the scene. */
rp_mass rp_bodies_mass(const rp_bodies *bodies, int index);
int rp_bodies_count(const rp_bodies *bodies);
/* All states, in the order of the scene. Forces are written by couple. */
rp_body_state *rp_bodies_states(rp_bodies *bodies);
/* Returns the pose that the scene gives a fixed or keyed body at a time, and a dynamic one at the
 * start. What keys do not give is the body's own: it rests, or moves uniformly about its position.
 * A pure function of the time. */
rp_pose rp_body_pose_at(const rp_body_spec *spec, double time);
/* Returns the pose of key frames at a time, in the world: it rests before the first and after the
 * last key. A pure function. Linear keys are connected by uniform motion. Smooth ones: each
 * coordinate and each angle is a monotone cubic of its own, which never leaves the range of the two
 * keys around it, stays where two keys agree, and has a continuous rate. Angles are interpolated as
 * the scene gives them and only then converted to a rotation: from 0 to 720 degrees about z is two
 * whole turns. Keys along a uniform motion give a uniform motion between the second and the last
 * but one. */
rp_pose rp_motion_keys_pose(const rp_key_spec *keys, int count, rp_interpolation interpolation,
                            double time);

/* The same for the keys of an animation: linear in position, along the shorter arc in orientation.
 */
rp_pose rp_motion_animation_pose(const rp_animation_key *keys, int count, double time);

/* control.c: changes by the host program between two steps. Indices must be in range, numbers
 * finite and orientations unit quaternions. */
rp_drive rp_bodies_drive(const rp_bodies *bodies, int index);
/* Moves a dynamic or controlled body to a pose at once, without a velocity. */
void rp_bodies_set_pose(rp_bodies *bodies, int index, double time, rp_pose pose);
/* Sets the velocity of a dynamic body, or that of a controlled one from now on. */
void rp_bodies_set_velocity(rp_bodies *bodies, int index, double time, rp_vec3 velocity,
                            rp_vec3 spin);
/* Moves a controlled body uniformly to a pose, where it rests from `end` on. */
void rp_bodies_move_to(rp_bodies *bodies, int index, double time, double end, rp_pose pose);
/* Adds a force at a point and a torque to those that act on a dynamic body, and wakes it. */
void rp_bodies_add_wrench(rp_bodies *bodies, int index, rp_vec3 force, rp_vec3 point,
                          rp_vec3 torque);
void rp_bodies_clear_wrenches(rp_bodies *bodies);
/* Returns the centre of mass of a body that is dynamic in the scene, in the world, m. */
rp_vec3 rp_bodies_centre(const rp_bodies *bodies, int index);
/* Takes control of a body, which then rests. Where it fails nothing is changed. */
rp_code rp_bodies_take_control(rp_bodies *bodies, int index, double time, rp_report *report);
/* Returns a body to the motion of the scene: a dynamic one at once, another one by uniform motion
 * to its pose at `end`, or by a jump where that is now. */
rp_code rp_bodies_release(rp_bodies *bodies, int index, double time, double end, rp_report *report);
/* Returns the control of a joint, to be read and changed; its bodies wake. */
rp_joint_control *rp_bodies_joint(rp_bodies *bodies, int joint);
const rp_joint_control *rp_bodies_joint_now(const rp_bodies *bodies, int joint);
bool rp_bodies_joint_holds(const rp_bodies *bodies, int joint);
/* Returns position and rate of a hinge or slider, rad or m from where it was attached; else both
 * are 0. */
void rp_bodies_joint_motion(const rp_bodies *bodies, int joint, double *position, double *rate);
/* Releases a joint for ever. */
void rp_bodies_release_joint(rp_bodies *bodies, int joint);
/* Removes a body: it keeps its pose and nothing else. Its joints are released. */
rp_code rp_bodies_remove(rp_bodies *bodies, int index, rp_report *report);
/* Returns one number for each body: 1 where it was removed. NULL: none was. */
const uint8_t *rp_bodies_absent(rp_bodies *bodies);
/* Takes over the state from bodies of a scene to which others were only added, at the end; those,
 * and joints that were added, begin at `time`. */
rp_code rp_bodies_adopt(rp_bodies *bodies, const rp_bodies *from, double time, rp_report *report);
/* True when a surface jumped, appeared or vanished since the last step: grains that rested on it
 * may not any more. */
bool rp_bodies_are_disturbed(const rp_bodies *bodies);

/* Saves all states exactly, as "bodies/position" and so on, the sums of the mean, which joints are
 * broken, and the changes of the host program, if any; a load that fails changes nothing. */
rp_code rp_bodies_save(const rp_bodies *bodies, rp_store *store, rp_report *report);
rp_code rp_bodies_load(rp_bodies *bodies, const rp_store *store, rp_report *report);

#endif
