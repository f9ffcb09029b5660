/* What the cases of solids have in common: sums over grains and bodies, and how deep grains are in
 * them. */
#ifndef RP_VALIDATION_BODIES_H
#define RP_VALIDATION_BODIES_H

#include "geom/mass.h"
#include "scene/scene.h"
#include "validation/sand.h"

/* Mass of a dynamic body, kg, with centre of mass and inertia in its own frame. */
rp_mass rp_spec_mass(const rp_scene *scene, int body);
/* rp_sand_sum and all dynamic bodies, their spin included. */
rp_sand_sums rp_all_sum(const rp_view *view, const rp_scene *scene);
/* The length of a - b. */
double rp_distance(const double a[3], const double b[3]);

/* Runs to a time and gives the mean over it of the force of grains on a body, N. */
rp_code rp_mean_force(rp_case_context *c, rp_trial *trial, int body, double time, double force[3]);

/* The grain that is deepest inside a body, or nearest to one. */
typedef struct rp_sunk {
    double depth; /* m, of its centre below the surface; negative: outside, as far from it */
    double time;  /* s */
    int body;
} rp_sunk;
/* Initial value: nothing was evaluated yet. */
rp_sunk rp_sunk_none(void);
/* Evaluates all grains and bodies of this instant, and keeps the deepest of all. Depths are
 * exact up to two spacings on either side. */
void rp_sunk_update(rp_sunk *sunk, const rp_world *world, const rp_scene *scene);

#endif
