/* A tree of boxes over the triangles of a mesh: the nearest point and the winding number without
 * looking at every triangle. It keeps no pointer to the mesh, which must be the one it was built
 * of, unchanged. Asking is safe from several threads at once.
 *
 * A node has up to four children, nodes or single triangles; their boxes stand side by side, so
 * that all four are tested at once. Boxes are floats about the middle of the mesh, widened so far
 * that rounding never hides a triangle: what is found is what a search of all triangles finds, to
 * the last bit. docs/theory/geometry.md, (S5) to (S7). */
#ifndef RP_MESH_BVH_H
#define RP_MESH_BVH_H

#include "mesh/mesh.h"

#define RP_BVH_WIDTH 4
#define RP_BVH_LEAF 0x80000000u /* a child that is a triangle has this bit */
#define RP_BVH_NONE 0xffffffffu
#define RP_BVH_DEPTH 64 /* more levels than the builder makes */

typedef struct rp_mesh_node {
    float low[3][RP_BVH_WIDTH], high[3][RP_BVH_WIDTH]; /* m, about the middle */
    uint32_t child[RP_BVH_WIDTH];
} rp_mesh_node;

/* A node's triangles seen from far off: Barill et al., "Fast winding numbers for soups and clouds",
 * ACM Trans. Graph. 37 (4), 2018, equation 7, the term of lowest order. */
typedef struct rp_mesh_dipole {
    float centre[3]; /* m, about the middle; weighted by area */
    float area[3];   /* m2, sum of areas times normals */
    float radius;    /* m, around the centre, holds all triangles */
    float unused;
} rp_mesh_dipole;

typedef struct rp_mesh_bvh {
    rp_vec3 middle; /* m, of the mesh's bounds */
    rp_mesh_node *nodes;
    rp_mesh_dipole *dipoles; /* one per node */
    size_t node_count, node_capacity, dipole_capacity;
} rp_mesh_bvh;

rp_code rp_mesh_bvh_create(const rp_mesh *mesh, rp_mesh_bvh **out, rp_report *report);
void rp_mesh_bvh_destroy(rp_mesh_bvh *tree);

/* The point of the mesh nearest to `point`, and its triangle: that of the lowest number where
 * several are as near. Of triangles farther than sqrt(`least`) nothing is known: give INFINITY, or
 * a square that is certain not to be too small, which saves time. */
rp_vec3 rp_mesh_bvh_nearest(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 point,
                            double least, size_t *triangle);
/* The generalised winding number; groups of triangles that are far off are taken as one dipole,
 * which leaves an error of some hundredths at most. */
double rp_mesh_bvh_winding(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 point);
/* By how much the winding number of a closed mesh grows on the straight way between two points.
 * False where the way meets an edge or a vertex exactly: then nothing is certain. For short ways,
 * which cross few boxes; it costs far less than a winding number. */
bool rp_mesh_bvh_crossings(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           int *change);

/* Every triangle that the straight way crosses, in no order, with the change of the winding number
 * there; false from `take` ends it. False as above, or when `take` ended it. `*tests` grows by the
 * number of triangles that were tried. */
typedef bool rp_mesh_bvh_visit(void *user, size_t triangle, int change);
bool rp_mesh_bvh_intersect(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           rp_mesh_bvh_visit *take, void *user, size_t *tests);

#endif
