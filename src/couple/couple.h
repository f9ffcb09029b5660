/* Coupling of grains and solids: the only room that knows both. A solver asks for the surfaces near
 * its grains and hands back the forces that it applied. The sum per body has the same bits for any
 * number of threads: each block of grains adds to a row of its own, and rows are added in order.
 *
 * Dynamic bodies react. A solver that hands back forces at the end of its step has bodies which
 * move in the next step. A solver that solves for velocities adds forces, and the mass of the
 * grains that move with the body (added mass), has rp_couple_solve find the velocities of bodies,
 * and repeats that until both agree (B3).
 *
 * The walls of the domain are surfaces as well: fixed planes without a body. */
#ifndef RP_COUPLE_COUPLE_H
#define RP_COUPLE_COUPLE_H

#include "base/memory.h"
#include "base/threads.h"
#include "body/body.h"
#include "couple/surfaces.h"
#include "geom/clump.h"

typedef struct rp_couple rp_couple;

/* --- surfaces --- */

/* Makes the surfaces of all bodies, in the order of the scene, then their images across periodic
 * sides, then a wall for each side of the domain that is bounded, closed and not periodic. Scene
 * and bodies must outlive them. Planes are infinite and have no images. A body must be shorter than
 * the period. */
rp_code rp_couple_create(const rp_scene *scene, rp_bodies *bodies, rp_couple **out,
                         rp_report *report);
void rp_couple_destroy(rp_couple *couple);
/* Lays the fixed grains of all surfaces that the scene says are rough, once, for methods that
 * resolve them. `reach`: how far from a point they will be searched, m, without their radius. */
rp_code rp_couple_lay_fixed_grains(rp_couple *couple, const rp_scene *scene, double reach,
                                   rp_threads *threads, rp_report *report);

/* Copies the poses and velocities of bodies. Call it after bodies moved or were loaded, and when
 * their step has begun, before the solver steps: poses are then those at the start of the step. */
void rp_couple_refresh(rp_couple *couple);
/* Moves the surfaces along their velocities for `dt` s: to the time at which a solver wants
 * contacts.
 */
void rp_couple_move(rp_couple *couple, double dt);
/* Returns whether some surface is that of a dynamic body. */
bool rp_couple_is_dynamic(const rp_couple *couple);
/* Returns whether some surface jumped, appeared or vanished since the last step: grains at rest may
 * have lost their support, and lists of grains near surfaces are stale. */
bool rp_couple_is_disturbed(const rp_couple *couple);
int rp_couple_count(const rp_couple *couple);
const rp_surface *rp_couple_surfaces(const rp_couple *couple);
/* Returns the body with the fastest point of its surface, belts included, or -1 where none moves,
 * and the speed of that point, m/s. */
int rp_couple_fastest(const rp_couple *couple, double *speed);
/* Returns that speed alone, m/s. */
double rp_couple_max_speed(const rp_couple *couple);
/* Returns the same without belts, which do not displace surfaces. */
double rp_couple_max_motion(const rp_couple *couple);

/* --- surfaces near blocks of grains --- */

/* Return bounding balls of a box and of points. */
rp_ball rp_couple_ball_of_box(rp_box3 box);
rp_ball rp_couple_ball_around(const float *x, const float *y, const float *z, rp_range points);
/* Returns the ball in which surfaces matter to a block of grains: the bounding ball of the grains,
 * larger by their reach. A negative radius: no surface matters. */
typedef rp_ball rp_couple_ball_fn(const void *context, rp_range grains);
/* Such a function for grains of the same reach; the context is an rp_couple_points. */
typedef struct rp_couple_points {
    const float *x, *y, *z; /* m */
    double reach;           /* m */
} rp_couple_points;
rp_ball rp_couple_ball_of_points(const void *context, rp_range grains);
/* Blocks of grains, as in the loops of the solver. */
typedef struct rp_couple_search {
    size_t grains, block; /* number of all; of a block: the last one may have fewer */
    rp_couple_ball_fn *ball;
    const void *context;
} rp_couple_search;
/* Lists the surfaces near each block, in the step's arena. Grains are in cell order, so that a
 * block is small in space and most surfaces are out of its reach. */
rp_code rp_couple_near(const rp_couple *couple, const rp_couple_search *search, rp_threads *threads,
                       rp_arena *arena, rp_surface_list **out, rp_report *report);

/* --- forces on bodies --- */

/* Begins to sum forces: makes rows for the blocks of so many grains, all zero, in the step's arena.
 * A row has the sums of all bodies; where there are more than `rows` blocks, neighboring blocks
 * share one. Faults until rp_couple_finish go to this report. */
rp_code rp_couple_begin(rp_couple *couple, size_t grains, size_t block, size_t rows,
                        rp_arena *arena, rp_report *report);
/* Calls `body` for each of those blocks, with the range of its grains. Blocks that share a row
 * follow each other on one thread, so that all of them may add forces. */
void rp_couple_for(const rp_couple *couple, rp_threads *threads, rp_range_fn *body, void *context);
/* Adds a force on the body of a surface at a point, by a grain of the block with that number: the
 * mean over the step, N, which is the impulse divided by dt. Forces on walls are ignored. Blocks of
 * different rows may add at the same time; within a row the order determines the last bits of the
 * sum. */
void rp_couple_add_force(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                         rp_vec3 force);
/* Adds a torque on that body, N m, likewise. */
void rp_couple_add_torque(rp_couple *couple, size_t block, const rp_surface *surface,
                          rp_vec3 torque);
/* Adds the mass of a grain, kg, that moves with the body at a point (added mass): it makes
 * rp_couple_solve stable. To be called for every grain whose force depends on the body's velocity.
 */
void rp_couple_add_mass(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                        double mass);
/* (B3): solves for the velocities of dynamic bodies under the forces and added masses of all rows,
 * gives them to the surfaces, and sets the rows to zero. Returns the largest change of the speed of
 * a surface, m/s. */
double rp_couple_solve(rp_couple *couple);
/* Adds the rows in order and writes the sums to the states of bodies: force, and torque about the
 * body's origin as of the last refresh. Ends what rp_couple_begin began. Returns the first fault of
 * rp_couple_solve. */
rp_code rp_couple_finish(rp_couple *couple);

#endif
