/* Signed distance field (SDF) of a mesh on a sparse grid: exact values at the nodes near the
 * surface, and a certain bound everywhere. A query of the BVH is then needed only right at the
 * surface.
 *
 *     +-------+-------+-------+     blocks of 8 x 8 x 8 cells; each stores the distance at its
 *     | 41 mm | 17 mm | 16 mm |     centre, those near the surface at all nodes. Distances change
 *     +-------+--.-'```-.-----+     by at most a metre per metre, so that the value at a node
 *     | 20 mm |.'nodes|  `.   |     minus the distance from it is a bound: docs/theory/geometry.md,
 *     +-------/-------+----\--+     (S8).
 */
#ifndef RP_MESH_SDF_H
#define RP_MESH_SDF_H

#include "base/threads.h"
#include "mesh/mesh.h"

#define RP_MESH_SDF_CELLS 8 /* of a block, along each axis */
#define RP_MESH_SDF_NODES (RP_MESH_SDF_CELLS + 1)
#define RP_MESH_SDF_BLOCK (RP_MESH_SDF_NODES * RP_MESH_SDF_NODES * RP_MESH_SDF_NODES)

typedef struct rp_mesh_sdf {
    rp_box3 bounds; /* m, of the mesh */
    rp_vec3 low;    /* m, the first node */
    double spacing; /* m, between nodes */
    int count[3];   /* blocks along each axis */
    float *middle;  /* m, signed distance at the centre of each block; x fastest */
    int32_t *place; /* offset of a block's nodes, in blocks; -1: it is far from the surface */
    float *nodes;   /* m, signed distance; RP_MESH_SDF_BLOCK for each block near the surface */
    size_t block_count, near_count;
    bool simple; /* the mesh is closed and winds once around all that is inside */
} rp_mesh_sdf;

/* Blocks at most; a grid that would have more is made coarser. */
#define RP_MESH_SDF_BLOCKS_MAX ((size_t)1 << 21)

/* Needs the BVH of the mesh. All nodes closer than `band` (m) to the surface are stored. */
rp_code rp_mesh_sdf_create(const rp_mesh *mesh, double spacing, double band, rp_threads *threads,
                           rp_mesh_sdf **out, rp_report *report);
void rp_mesh_sdf_destroy(rp_mesh_sdf *field);

/* Returns a lower bound at any point, (S8): the distance has this sign and at least this size. 0:
 * the surface is near, the sign is uncertain. `*most` gets an upper bound, INFINITY if there is
 * none. */
double rp_mesh_sdf_bound(const rp_mesh_sdf *field, rp_vec3 point, double *most);
/* Returns -1 inside, 1 outside: by the bound, by the crossings of the segment from a node whose
 * side is known (S9), or else by the winding number. Exact. */
double rp_mesh_sdf_sign(const rp_mesh_sdf *field, const rp_mesh *mesh, rp_vec3 point);
/* Returns the trilinear interpolation of the nodes near the surface; elsewhere the bound. For
 * pictures and first guesses. */
double rp_mesh_sdf_value(const rp_mesh_sdf *field, rp_vec3 point);
/* Returns the distance at node `index` (along x, y, z, from the first), m; NAN where it is not
 * stored.
 */
double rp_mesh_sdf_node(const rp_mesh_sdf *field, const int index[3]);

#endif
