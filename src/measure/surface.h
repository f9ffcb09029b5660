/* The free surface of what lies on the ground, seen from above: one grain for each cell of a plan,
 * the highest that belongs to the heap. What flies, what hangs in a funnel above and what lies
 * around loose is left out (theory/measure.md, M1 and M2). Any direction of gravity will do. */
#ifndef RP_MEASURE_SURFACE_H
#define RP_MEASURE_SURFACE_H

#include "math/vec.h"
#include "repose/view.h"
#include "scene/scene.h"

/* Upwards against gravity, and the two directions of the plan: x and y where gravity is along -z.
 */
typedef struct rp_upright {
    rp_vec3 a, b, up;
} rp_upright;

typedef struct rp_free_surface_point {
    double a, b;   /* m, along the directions of the plan */
    double height; /* m, of the grain's centre */
} rp_free_surface_point;

typedef struct rp_free_surface {
    rp_upright axes;
    double spacing; /* m */
    rp_free_surface_point *points;
    size_t count;
    size_t grains;    /* in the columns below the points */
    double low, high; /* m, heights between which nearly all points are (M3) */
    double standing;  /* share of the columns that stand on a body or a wall of the domain */
    double walled;    /* share of its edge that leans against a steep one */
    double speed;     /* m/s, root mean square of the points; 0 where the view has no speeds */
} rp_free_surface;

/* RP_ERROR_INPUT without gravity, or when no grains lie together. */
rp_code rp_upright_find(const rp_scene *scene, rp_upright *out, rp_report *report);
rp_code rp_free_surface_find(const rp_view *view, const rp_scene *scene, rp_free_surface *out,
                             rp_report *report);
void rp_free_surface_release(rp_free_surface *surface);

#endif
