/* Shapes: the geometry of bodies, sources and voids. A shape is defined in its own frame; a pose
 * places it in the world. Lengths in metres.
 *
 *   plane     the half space below z = 0 is solid
 *   box       edges `size`, centred
 *   sphere    `radius`, centred
 *   cylinder  `radius`, `height` along z, centred
 *   capsule   `radius`, `height` of its straight part along z, centred
 *   cone      `radius` of the base at z = 0, apex at z = `height`
 *   funnel    a wall of `thickness` outside a truncated cone: inner radius `neck` at z = 0 and
 *             `radius` at z = `height`, open at both ends. The thickness is measured at right
 *             angles to the wall; the rims are cut level
 *   mesh      closed triangles from `file`, times `scale`
 */
#ifndef RP_GEOM_SHAPE_H
#define RP_GEOM_SHAPE_H

#include "math/vec.h"
#include "mesh/mesh.h"

#include <stdbool.h>

/* A solid of revolution by its profile: a polyline of points (r, z) that, rotated about the z axis,
 * is the surface. It runs counter-clockwise with r to the right and z up, so the solid is on its
 * left.
 *
 *     z           z   ________
 *     |___        |   \      /        open: from the axis and back to it (cylinder, cone)
 *     |   |       |    \    /         closed: a ring that stays off the axis (funnel)
 *     |___|_ r    |_____\__/__ r
 */
typedef struct rp_profile_point {
    double r, z; /* m */
} rp_profile_point;

typedef struct rp_profile {
    rp_profile_point points[4];
    int count;
    bool closed; /* the last point is joined to the first */
} rp_profile;

/* Returns the signed distance (m) in the half plane r >= 0, which is that to the solid, and the
 * unit outward normal there. */
double rp_profile_distance(const rp_profile *profile, rp_profile_point at,
                           rp_profile_point *normal);
/* Returns the volume of the solid, m3. */
double rp_profile_volume(const rp_profile *profile);

typedef enum rp_shape_kind {
    RP_SHAPE_PLANE,
    RP_SHAPE_BOX,
    RP_SHAPE_SPHERE,
    RP_SHAPE_CYLINDER,
    RP_SHAPE_CAPSULE,
    RP_SHAPE_CONE,
    RP_SHAPE_FUNNEL,
    RP_SHAPE_MESH
} rp_shape_kind;

/* In the order of rp_shape_kind, as scene files spell them: "plane|box|…". */
#define RP_SHAPE_WORDS "plane|box|sphere|cylinder|capsule|cone|funnel|mesh"

typedef struct rp_shape {
    rp_shape_kind kind;
    rp_vec3 size;        /* m */
    double radius;       /* m */
    double height;       /* m */
    double neck;         /* m */
    double thickness;    /* m */
    const rp_mesh *mesh; /* borrowed; RP_SHAPE_MESH only */
} rp_shape;

/* Returns the signed distance to the surface (m), negative inside, and if `normal` is not NULL its
 * gradient, a unit vector: out of the solid through the nearest surface point, also from inside.
 * Where several points are nearest (the centre of a sphere) it is that of one of them. Exact for
 * every kind. A mesh that is not prepared is searched triangle by triangle, which is slow. */
double rp_shape_distance(const rp_shape *shape, rp_vec3 local, rp_vec3 *normal);
/* The same for callers that need only distances within `reach` (m) of the surface, on either side:
 * the same values there. Farther off the sign is correct, but the size is any lower bound above
 * `reach`, and the normal is unset; for a mesh that is much faster. */
double rp_shape_distance_within(const rp_shape *shape, rp_vec3 local, double reach,
                                rp_vec3 *normal);
/* False only where the shape is certainly farther away than `reach`: a cheap test that saves the
 * query of a mesh. */
bool rp_shape_may_be_near(const rp_shape *shape, rp_vec3 local, double reach);
/* True where the distance is not positive: points of the surface are contained. */
bool rp_shape_contains(const rp_shape *shape, rp_vec3 local);
/* Computes the profile of a cylinder, cone or funnel; false for all other kinds. */
bool rp_shape_profile(const rp_shape *shape, rp_profile *profile);
/* Returns the volume, m3; infinite for a plane. */
double rp_shape_volume(const rp_shape *shape);
/* Returns the bounds in the shape's frame; of a plane the infinite box below z = 0. */
rp_box3 rp_shape_bounds(const rp_shape *shape);
/* Returns the shortest edge of its bounds, m; infinite for a plane. */
double rp_shape_extent(const rp_shape *shape);
/* Makes triangles for pictures and exports, outward and closed; round parts have `segments` pieces
 * (at least 3) with vertices on the surface. A plane becomes a square of edge `plane_size` (m),
 * which is not closed. */
rp_code rp_shape_tessellate(const rp_shape *shape, int segments, double plane_size, rp_mesh **out,
                            rp_report *report);

#endif
