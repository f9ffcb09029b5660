/* Surfaces of solids that grains may touch: those of bodies, of their images across periodic sides,
 * and the walls of the domain. */
#ifndef RP_COUPLE_SURFACES_H
#define RP_COUPLE_SURFACES_H

#include "repose/view.h"
#include "scene/scene.h"

/* One surface at the present instant. */
typedef struct rp_surface {
    const rp_shape *shape;
    rp_pose pose;
    rp_vec3 velocity, spin;        /* m/s of the pose's origin; rad/s */
    rp_vec3 belt;                  /* m/s along the pose's axes: velocity of a belt on the solid */
    double friction, restitution;  /* tangent of the angle, infinite when rough; 0 to 1 */
    int body;                      /* -1 for a wall of the domain */
    int side;                      /* of a wall, in the order of RP_SIDE_WORDS */
    bool dynamic;                  /* forces change its velocity */
    rp_vec3 shift;                 /* m, of an image across a periodic side; else zero */
    const rp_rough_surface *rough; /* its fixed grains; NULL: none, or not laid */
} rp_surface;

/* What a point near a surface has to know of it. */
typedef struct rp_touch {
    double distance;  /* m, negative inside */
    rp_vec3 normal;   /* out of the solid */
    rp_vec3 velocity; /* m/s, of the surface at the point */
} rp_touch;

/* Some of a set of surfaces by their numbers, in ascending order. */
typedef struct rp_surface_list {
    int count;
    int *index;
} rp_surface_list;

/* Returns how many surfaces a scene can have. */
int rp_surfaces_capacity(const rp_scene *scene);
/* Fills them in and returns their number: bodies in the order of the scene, then images, then
 * walls, then each body that was added while a world ran with its images, so that older ones keep
 * their numbers. Poses are those of the first refresh. */
int rp_surfaces_fill(const rp_scene *scene, rp_surface *surfaces);
/* Copies poses and velocities from the states of the scene's bodies. */
void rp_surfaces_refresh(rp_surface *surfaces, int count, const rp_body_state *states);
/* Makes the surface of a body that was removed a point where no grain is. */
void rp_surface_vanish(rp_surface *surface);
/* Returns the pose of a surface after it has moved along its velocities for `dt` s. */
rp_pose rp_surface_pose_after(const rp_surface *surface, double dt);
/* Returns false only when `point` is certainly farther than `reach` from the surface, m: a quick
 * test before rp_surface_touch. */
bool rp_surface_may_touch(const rp_surface *surface, rp_vec3 point, double reach);
/* Finds the surfaces of `from` that may come within `reach` of a point while they move for `dt` s;
 * of the first from.count where from.index is NULL. Writes at most `capacity` of them to `near` and
 * returns their number, which may be larger. Fixed grains are parts of their surfaces. */
int rp_surfaces_near(const rp_surface *surfaces, rp_surface_list from, rp_vec3 point, double reach,
                     double dt, int *near, int capacity);
/* Returns true when `point` is nearer than `reach` to the surface or inside, and fills `touch`. */
bool rp_surface_touch(const rp_surface *surface, rp_vec3 point, double reach, rp_touch *touch);

/* Visits the fixed grains whose centres are nearer to `point` than `reach`, m; positions are in the
 * frame of the shape. */
void rp_surface_fixed_near(const rp_surface *surface, rp_vec3 point, double reach,
                           rp_fixed_grain_visit *visit, void *user);
/* Returns the centre of a fixed grain, m; of several images the nearest to `point`. */
rp_vec3 rp_surface_fixed_position(const rp_surface *surface, rp_fixed_grain fixed, rp_vec3 point);
/* Returns the distance of a point from the nearest fixed grain, m, negative inside; `near` where
 * none is nearer. */
double rp_surface_fixed_gap(const rp_surface *surface, rp_vec3 point, double near);

/* Returns the velocity of the surface, m/s, at a point with that normal, of either sign: that of
 * the solid, and the tangential part of its belt, so that a belt has no normal velocity. */
rp_vec3 rp_surface_velocity(const rp_surface *surface, rp_vec3 point, rp_vec3 normal);

/* Returns the coefficient of friction of grains of a material on a surface: the tangent of the
 * material's angle where the surface is rough, as among grains; else the geometric mean of both
 * frictions. It is the same everywhere and always, so that a solver may store it. */
double rp_surface_friction(const rp_surface *surface, const rp_material_spec *material);

#endif
