/* The surfaces that grains meet, whoever the grains belong to: those of bodies, of their images
 * across periodic sides, and the walls of the domain. */
#ifndef RP_COUPLE_SURFACE_H
#define RP_COUPLE_SURFACE_H

#include "repose/view.h"
#include "scene/scene.h"

/* One surface at the present instant. */
typedef struct rp_surface {
    const rp_shape *shape;
    rp_pose pose;
    rp_vec3 velocity, spin; /* m/s of the pose's origin; rad/s */
    rp_vec3 belt;           /* m/s along the pose's axes: how the surface runs over the solid */
    double friction, restitution;  /* tangent of the angle, infinite when rough; 0 to 1 */
    int body;                      /* -1 for a wall of the domain */
    int side;                      /* of a wall, in the order of RP_SIDE_WORDS */
    bool dynamic;                  /* its velocity is what grains make of it */
    rp_vec3 shift;                 /* m, of an image across a periodic side; else zero */
    const rp_rough_surface *rough; /* its fixed grains; NULL: it has none, or nobody asked */
} rp_surface;

/* A grain near a surface. */
typedef struct rp_touch {
    double distance;  /* m, negative inside */
    rp_vec3 normal;   /* out of the solid */
    rp_vec3 velocity; /* m/s, of the surface at the grain */
} rp_touch;

/* Some of a set of surfaces by their numbers, which ascend. */
typedef struct rp_surface_list {
    int count;
    int *index;
} rp_surface_list;

/* How many a scene can have at most. */
int rp_surfaces_room(const rp_scene *scene);
/* Fills them in and gives their number: bodies in the order of the scene, then images, then walls,
 * then each body that was added while a world ran with its images, so that what was there before
 * keeps its place. Poses are those of the first refresh. */
int rp_surfaces_fill(const rp_scene *scene, rp_surface *surfaces);
/* Takes poses and velocities from the states of the scene's bodies. */
void rp_surfaces_refresh(rp_surface *surfaces, int count, const rp_body_state *states);
/* Puts the surface of a body that was removed where no grain is, as a point. */
void rp_surface_vanish(rp_surface *surface);
/* Where a surface is after moving along its velocities for a while. */
rp_pose rp_surface_pose_after(const rp_surface *surface, double dt);
/* False only when `point` is farther than `reach` from the surface for certain; cheaper than: */
bool rp_surface_may_touch(const rp_surface *surface, rp_vec3 point, double reach);
/* The surfaces of `from` that may come within `reach` of a point while they move for `dt`; of the
 * first from.count where from.index is NULL. Writes the first `room` of them to `near` and gives
 * their number, which may be larger. Fixed grains are parts of their surfaces. */
int rp_surfaces_near(const rp_surface *surfaces, rp_surface_list from, rp_vec3 point, double reach,
                     double dt, int *near, int room);
/* True when `point` is nearer than `reach` to the surface or inside; then fills `touch`. */
bool rp_surface_touch(const rp_surface *surface, rp_vec3 point, double reach, rp_touch *touch);

/* Visits the fixed grains whose middles are nearer to `point` than `reach`; their places are the
 * shape's. */
void rp_surface_fixed_near(const rp_surface *surface, rp_vec3 point, double reach,
                           rp_fixed_grain_visit *visit, void *user);
/* Where the middle of a fixed grain is, m; of several images the nearest to `point`. */
rp_vec3 rp_surface_fixed_place(const rp_surface *surface, rp_fixed_grain fixed, rp_vec3 point);
/* How far a point is from the nearest fixed grain, negative inside; `near` where none is nearer. */
double rp_surface_fixed_gap(const rp_surface *surface, rp_vec3 point, double near);

/* The velocity of the surface at a point of it with that normal, of either sign: that of the solid,
 * and the part of its belt that lies in the tangent plane, so that a belt pushes nothing away. */
rp_vec3 rp_surface_velocity(const rp_surface *surface, rp_vec3 point, rp_vec3 normal);

/* The coefficient for grains of a material on a surface: the tangent of the material's angle where
 * the surface is rough, so that grains cling to it as to each other; else the geometric mean of
 * both frictions. It depends on neither place nor time, so a solver may keep it. */
double rp_surface_friction(const rp_surface *surface, const rp_material_spec *material);

#endif
