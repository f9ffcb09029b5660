/* What is not grains: the triangles of bodies where they are now, of height fields, and planes. */
#ifndef RP_RENDER_SOLID_H
#define RP_RENDER_SOLID_H

#include "base/report.h"
#include "math/vec.h"
#include "repose/scene.h"
#include "repose/view.h"

typedef struct rp_solid_triangle {
    rp_vec3 corner[3]; /* m, world */
    rp_vec3 normal[3]; /* at the corners */
    int body;          /* in the scene's order; -1: a height field */
    int material;      /* of a height field */
} rp_solid_triangle;

/* Seen from its upper side only, so that one can look into a box of walls. */
typedef struct rp_solid_plane {
    rp_vec3 point, normal;
    rp_vec3 colour; /* linear */
} rp_solid_plane;

typedef struct rp_solids {
    rp_solid_triangle *triangles;
    size_t triangle_count, triangle_capacity;
    rp_solid_plane *planes;
    size_t plane_count, plane_capacity;
} rp_solids;

/* Fills `*solids`, which rp_solids_release empties again, also after a fault. */
rp_code rp_solids_gather(rp_solids *solids, const rp_view *view, const rp_scene *scene,
                         rp_report *report);
void rp_solids_release(rp_solids *solids);

/* Linear, of the domain's bottom. */
extern const double rp_floor_colour[3];

/* Where a body is: as the view says, or as the scene begins when the view has no bodies. */
rp_pose rp_solid_pose(const rp_view *view, const rp_scene *scene, int body);

#endif
