/* Where grains and solids meet: the only place that knows both. A solver asks for the surfaces near
 * a grain and hands back the forces it applied; the sum per body is the same bits for any number of
 * threads, since each block of grains adds to its own row and rows are added in order.
 *
 * Dynamic bodies give way. A solver that only hands back forces at the end has bodies which move in
 * the next step; one that solves for velocities pushes, asks for the answer, looks at the surfaces'
 * new velocities and pushes anew until both agree (B3).
 *
 * The walls of the domain are surfaces, too: fixed planes with no body behind them. */
#ifndef RP_COUPLE_COUPLE_H
#define RP_COUPLE_COUPLE_H

#include "base/memory.h"
#include "base/threads.h"
#include "body/body.h"
#include "couple/surface.h"
#include "geom/clump.h"

typedef struct rp_couple rp_couple;

/* Surfaces of all bodies, in the order of the scene, then their images across periodic sides, then
 * a wall for each side of the domain that is bounded, closed and not periodic. Scene and bodies
 * must outlive them. Planes have no images: they have no end. A body must be shorter than the
 * period. */
rp_code rp_couple_create(const rp_scene *scene, rp_bodies *bodies, rp_couple **out,
                         rp_report *report);
void rp_couple_destroy(rp_couple *couple);
/* Lays the fixed grains of all surfaces that the scene says are rough, for methods that know them;
 * once. `reach`: how far from a point they will be asked for, m, their radius not counted. */
rp_code rp_couple_roughen(rp_couple *couple, const rp_scene *scene, double reach,
                          rp_threads *threads, rp_report *report);

/* Takes the bodies' present poses and velocities. Call after they moved or were loaded, and when
 * their step has begun, before the solver steps: poses are then those at its start. */
void rp_couple_refresh(rp_couple *couple);
/* Moves the surfaces along their velocities, for solvers that look at the end of a step. */
void rp_couple_move(rp_couple *couple, double dt);
/* Some surface is that of a dynamic body. */
bool rp_couple_is_dynamic(const rp_couple *couple);
/* Some surface jumped, appeared or vanished since the last step: what rests on surfaces may have
 * lost its support, and lists of what is near to them are void. */
bool rp_couple_is_disturbed(const rp_couple *couple);
int rp_couple_count(const rp_couple *couple);
const rp_surface *rp_couple_surfaces(const rp_couple *couple);
/* The body with the fastest point of its surface, belts included, and the speed of that, m/s; -1
 * where none moves. */
int rp_couple_fastest(const rp_couple *couple, double *speed);
/* That speed alone. */
double rp_couple_max_speed(const rp_couple *couple);
/* The same without belts, which leave surfaces where they are. */
double rp_couple_max_motion(const rp_couple *couple);

/* Balls around a box, and around points. */
rp_ball rp_couple_ball_of_box(rp_box3 box);
rp_ball rp_couple_ball_around(const float *x, const float *y, const float *z, rp_range points);
/* The ball in which surfaces matter to a block of grains: the one around the grains, larger by as
 * much as they reach. A negative radius: no surface matters. */
typedef rp_ball rp_couple_ball_fn(const void *context, rp_range grains);
/* Such a function for grains that all reach equally far; the context is an rp_couple_points. */
typedef struct rp_couple_points {
    const float *x, *y, *z; /* m */
    double reach;           /* m */
} rp_couple_points;
rp_ball rp_couple_ball_of_points(const void *context, rp_range grains);
/* Blocks of grains, as the loops of a solver cut them. */
typedef struct rp_couple_search {
    size_t grains, block; /* all; of a block, the last one may have fewer */
    rp_couple_ball_fn *ball;
    const void *context;
} rp_couple_search;
/* The surfaces near each block, all of them however many, in the step's arena. Grains lie in cell
 * order, so a block is small in space, and most surfaces are out of its reach. */
rp_code rp_couple_near(const rp_couple *couple, const rp_couple_search *search, rp_threads *threads,
                       rp_arena *arena, rp_surface_list **out, rp_report *report);

/* Rows of forces for the blocks of so many grains, all zero, from the step's arena. A row has room
 * for all bodies; where there are more than `rows` blocks, neighboring blocks share one. Faults
 * until the finish go to this report. */
rp_code rp_couple_begin(rp_couple *couple, size_t grains, size_t block, size_t rows,
                        rp_arena *arena, rp_report *report);
/* Calls `body` for each of those blocks, with the range of its grains. Blocks that share a row
 * follow each other on one thread, so that all of them may push. */
void rp_couple_for(const rp_couple *couple, rp_threads *threads, rp_range_fn *body, void *context);
/* A force on the body behind a surface at a point, from a grain of the block with that number: the
 * mean over the step, which is the impulse divided by dt; parts of it may be pushed one by one.
 * Walls are let pass. Blocks of different rows may push at the same time; within a row the order
 * decides the last bits of the sum. */
void rp_couple_push(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                    rp_vec3 force);
/* A couple on that body, N m, likewise. */
void rp_couple_twist(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 torque);
/* A grain of that mass moves as the body does there: what makes the body's answer stable. To be
 * told of every grain whose push depends on the body's velocity. */
void rp_couple_hold(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                    double mass);
/* Takes what was pushed and held as a question: surfaces of dynamic bodies get the velocities that
 * answer it. The rows are then zero again. Gives the largest change of a surface's speed, m/s. */
double rp_couple_solve(rp_couple *couple);
/* Adds the rows in order and hands the sums to the bodies' states: force, and torque about the
 * body's origin as of the last refresh. The rows are then gone. A fault of an answer is told here.
 */
rp_code rp_couple_finish(rp_couple *couple);

#endif
