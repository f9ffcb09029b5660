/* Bounding volume hierarchy (BVH) over the triangles of a mesh: the nearest point, the winding
 * number and intersections without a test of every triangle. It holds no pointer to the mesh, which
 * must be the one it was built of, unchanged. Queries are safe from several threads at once.
 *
 * A node has up to four children, nodes or single triangles; their boxes are stored side by side
 * (structure of arrays), so that all four are tested at once. Boxes are floats relative to the
 * middle of the mesh, widened so far that rounding never hides a triangle: queries return what a
 * search of all triangles returns, to the last bit. docs/theory/geometry.md, (S5) to (S7). */
#ifndef RP_MESH_BVH_H
#define RP_MESH_BVH_H

#include "mesh/mesh.h"

#define RP_BVH_WIDTH 4
#define RP_BVH_LEAF 0x80000000u /* a child that is a triangle has this bit */
#define RP_BVH_NONE 0xffffffffu
#define RP_BVH_DEPTH 64 /* bound of the levels that the builder makes */
/* Entries of a stack of nodes: every level leaves at most three siblings behind. */
#define RP_BVH_STACK (RP_BVH_DEPTH * (RP_BVH_WIDTH - 1) + RP_BVH_WIDTH)

typedef struct rp_mesh_node {
    float low[3][RP_BVH_WIDTH], high[3][RP_BVH_WIDTH]; /* m, from the middle; by axis, then child */
    uint32_t child[RP_BVH_WIDTH];
} rp_mesh_node;
_Static_assert(sizeof(rp_mesh_node) == 112, "the boxes and children of a node are packed");

/* The far field of a node's triangles: Barill et al., "Fast winding numbers for soups and clouds",
 * ACM Trans. Graph. 37 (4), 2018, equation 7, the term of lowest order. */
typedef struct rp_mesh_dipole {
    float centre[3]; /* m, from the middle; weighted by area */
    float area[3];   /* m2, sum of areas times normals */
    float radius;    /* m, of the ball about the centre that contains all triangles */
    float unused;
} rp_mesh_dipole;
_Static_assert(sizeof(rp_mesh_dipole) == 32, "two dipoles fill a cache line");

typedef struct rp_mesh_bvh {
    rp_vec3 middle; /* m, of the mesh's bounds */
    rp_mesh_node *nodes;
    rp_mesh_dipole *dipoles; /* one per node */
    size_t node_count, node_capacity, dipole_capacity;
} rp_mesh_bvh;

rp_code rp_mesh_bvh_create(const rp_mesh *mesh, rp_mesh_bvh **out, rp_report *report);
void rp_mesh_bvh_destroy(rp_mesh_bvh *bvh);

/* Returns the point of the mesh nearest to `point`, and its triangle: that of the lowest number
 * where several are equally near. Triangles farther than sqrt(`least`) are not searched: give
 * INFINITY, or a square (m2) that is certainly not too small, which saves time. */
rp_vec3 rp_mesh_bvh_nearest(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 point,
                            double least, size_t *triangle);
/* Returns the generalised winding number; nodes that are far off count as one dipole, with an error
 * of a few hundredths at most. */
double rp_mesh_bvh_winding(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 point);
/* Computes the change of the winding number of a closed mesh along the segment between two points.
 * False where the segment hits an edge or a vertex exactly: then the change is uncertain. Meant for
 * short segments, which intersect few boxes; it costs far less than a winding number. */
bool rp_mesh_bvh_crossings(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           int *change);

/* Calls `visit` for every triangle that the segment intersects, in no particular order, with the
 * change of the winding number there; false from `visit` ends the query. Returns false as above, or
 * when `visit` ended it. Adds the number of triangles tested to `*tests`. */
typedef bool rp_mesh_bvh_visit(void *user, size_t triangle, int change);
bool rp_mesh_bvh_intersect(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           rp_mesh_bvh_visit *visit, void *user, size_t *tests);

#endif
