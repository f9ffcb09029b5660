/* Bodies and joints while a world runs: for games, robots and everything else that decides what
 * happens next by what has happened so far.
 *
 *     int blade = rp_body_find(world, "blade");
 *     rp_code code = rp_body_take_control(world, blade, report);
 *     while (code == RP_OK && playing) {
 *         const double velocity[3] = {speed_of_player(), 0, 0};
 *         code = rp_body_set_velocity(world, blade, velocity, NULL, report);
 *         if (code == RP_OK) code = rp_world_run_to(world, time += 1 / 60.0, report);
 *     }
 *
 * Bodies and joints are named by their places in the scene, which stay the same for the life of a
 * world. rp_body_state in view.h tells where bodies are and what acts on them. Everything that is
 * set here is part of the world's state: snapshots and saved worlds hold it, and a restored world
 * goes on bit-identically. Vectors are in the world's axes; numbers that are not finite are refused
 * with RP_ERROR_INPUT and change nothing.
 */
#ifndef REPOSE_BODY_H
#define REPOSE_BODY_H

#include "repose/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a body, or -1. */
RP_API int rp_body_find(const rp_world *world, const char *name);
/* kg; 0 for a body that the scene does not have as dynamic. */
RP_API double rp_body_mass(const rp_world *world, int body);

/* Puts a body somewhere else at once, without a motion between that grains would feel; grains that
 * it then overlaps are pushed out. Only for dynamic bodies and controlled ones. `orientation` is a
 * unit quaternion w, x, y, z; NULL leaves the position or the orientation as it is. */
RP_API rp_code rp_body_set_pose(rp_world *world, int body, const double *position,
                                const double *orientation, rp_report *report);
/* Gives a dynamic body a velocity in m/s, of its origin, and an angular velocity in rad/s; a
 * controlled one moves with them from now on, until they are set again. NULL: as it is. */
RP_API rp_code rp_body_set_velocity(rp_world *world, int body, const double *velocity,
                                    const double *angular_velocity, rp_report *report);
/* Adds a force in N at the centre of mass, or at a point of the world, or a torque in N m, to what
 * acts on a dynamic body. What is added before rp_world_run_to or rp_world_advance acts during the
 * whole of that call, what is added before rp_world_step in that step; afterwards the sum is zero
 * again. Force and torque keep their directions, however the body turns meanwhile. A body that
 * sleeps wakes. */
RP_API rp_code rp_body_add_force(rp_world *world, int body, const double force[3],
                                 rp_report *report);
RP_API rp_code rp_body_add_force_at(rp_world *world, int body, const double force[3],
                                    const double point[3], rp_report *report);
RP_API rp_code rp_body_add_torque(rp_world *world, int body, const double torque[3],
                                  rp_report *report);

/* Takes a body over: whatever moved it before, keys, gravity or nothing, it now rests, and moves as
 * the calls above and below say. Grains and other bodies cannot move it. */
RP_API rp_code rp_body_take_control(rp_world *world, int body, rp_report *report);
/* Moves a controlled body evenly to a pose, which it reaches in so many seconds, more than 0; there
 * it rests. It turns along the shorter arc. NULL: the position or the orientation of now. */
RP_API rp_code rp_body_move_to(rp_world *world, int body, const double *position,
                               const double *orientation, double seconds, rp_report *report);
/* Gives a controlled body back to the scene. A dynamic one is dynamic again at once, and keeps its
 * velocity. A keyed or fixed one moves evenly to where the scene has it in so many seconds, and
 * goes on as the scene says from there; with 0 it jumps there, which grains do not feel. */
RP_API rp_code rp_body_release(rp_world *world, int body, double seconds, rp_report *report);
/* From rp_body_take_control until it is released, the motion back included. */
RP_API bool rp_body_is_controlled(const rp_world *world, int body);

/* The place of a joint in the scene, or -1. */
RP_API int rp_joint_find(const rp_world *world, const char *name);
/* Lets the motor of a hinge or slider run at a speed, rad/s or m/s of the body against the other
 * one, with so much torque or force at most, N m or N; 0 turns it off. A speed of 0 is a brake. */
RP_API rp_code rp_joint_set_motor(rp_world *world, int joint, double speed, double max_force,
                                  rp_report *report);
/* Lets it run to a position and stay there: a servo. The position counts from where the joint took
 * hold, in rad from -pi to pi or in m. */
RP_API rp_code rp_joint_set_target(rp_world *world, int joint, double position, double max_speed,
                                   double max_force, rp_report *report);
/* Between which positions a hinge or slider may move; infinite: no limit. */
RP_API rp_code rp_joint_set_limits(rp_world *world, int joint, double low, double high,
                                   rp_report *report);
/* Releases a joint permanently. */
RP_API rp_code rp_joint_release(rp_world *world, int joint, rp_report *report);

/* What a joint does: where it is now, and what it did to its body in the last step; the other body
 * felt the opposite. */
typedef struct rp_joint_state {
    bool holds;         /* neither broken nor released, and not between controlled bodies only; else
                           all the rest is 0 */
    double position;    /* rad or m from where it took hold; hinge, slider */
    double rate;        /* rad/s or m/s */
    double motor_force; /* N m about the axis or N along it, of motor and stops together */
    double force[3];    /* N, all of it */
    double torque[3];   /* N m, about the anchor of a hinge or ball joint, of others about the
                           body's centre of mass */
} rp_joint_state;
RP_API rp_code rp_joint_read(const rp_world *world, int joint, rp_joint_state *state,
                             rp_report *report);

/* Adds a body or a joint, in the words of a scene file, and with its checks:
 *
 *     rp_world_add_body(world, "ball", "{shape: sphere, radius: 10 cm, motion: dynamic, density: "
 *                       "900, position: [0, 0, 2]}", &ball, report);
 *
 * It has the next place, which is handed back where wanted; other places stay. A body begins with
 * the pose and velocity that the text gives it; keys and even motion count from time 0. Grains that
 * it overlaps are pushed out. A joint takes hold where its bodies are now; anchor and axis are in
 * the world. All parts of the world are made for a new scene: this takes as long as creating a
 * world without its grains, and a view from before is void. Files that the text names must have
 * absolute paths, and must still be there when a saved world is loaded. Where it fails nothing is
 * changed. */
RP_API rp_code rp_world_add_body(rp_world *world, const char *name, const char *text, int *body,
                                 rp_report *report);
RP_API rp_code rp_world_add_joint(rp_world *world, const char *name, const char *text, int *joint,
                                  rp_report *report);
/* Takes a body away: nothing touches it any more, its joints let go, and `bodies_absent` of views
 * says so. Its place and its name stay taken. Frames of a record do not tell of it. */
RP_API rp_code rp_world_remove_body(rp_world *world, int body, rp_report *report);
/* The scene as it is now, with everything that was added; borrowed until the next addition, or
 * until a state is restored. */
RP_API const rp_scene *rp_world_scene(const rp_world *world);

#ifdef __cplusplus
}
#endif
#endif
