/* The signed distance of a mesh on a sparse grid: exact values at the nodes near the surface, and a
 * certain bound everywhere. A search of the mesh itself is then needed only right at the surface.
 *
 *     +-------+-------+-------+     blocks of 8 x 8 x 8 cells; each keeps the distance at its
 *     | 41 mm | 17 mm | 16 mm |     middle, those near the surface all nodes, too. Distances grow
 *     +-------+--.-'```-.-----+     by at most a metre per metre, so that the value at a node,
 *     | 20 mm |.'nodes|  `.   |     less the way from it, is a bound: docs/theory/geometry.md,
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
    float *middle;  /* m, signed distance at the middle of each block; x fastest */
    int32_t *place; /* of a block's nodes, in blocks; -1: it is far from the surface */
    float *nodes;   /* m, signed distance; RP_MESH_SDF_BLOCK for each block near the surface */
    size_t block_count, near_count;
    bool simple; /* the mesh is closed and winds once around all that is inside */
} rp_mesh_sdf;

/* Blocks at most; a finer grid than this allows is made coarser. */
#define RP_MESH_SDF_BLOCKS_MAX ((size_t)1 << 21)

/* Needs the tree of the mesh. Nodes closer than `band` to the surface are all kept. */
rp_code rp_mesh_sdf_create(const rp_mesh *mesh, double spacing, double band, rp_threads *threads,
                           rp_mesh_sdf **out, rp_report *report);
void rp_mesh_sdf_destroy(rp_mesh_sdf *field);

/* A certain bound at any point: the distance has this sign and at least this size. 0: nothing is
 * certain, the surface is near. `*most` gets what the size cannot exceed, INFINITY if unknown. */
double rp_mesh_sdf_bound(const rp_mesh_sdf *field, rp_vec3 point, double *most);
/* -1 inside, 1 outside: by the bound, by the way from a node of which the side is known, or else by
 * the winding number. Exact. */
double rp_mesh_sdf_sign(const rp_mesh_sdf *field, const rp_mesh *mesh, rp_vec3 point);
/* The distance between the nodes, interpolated, near the surface; elsewhere the bound. For
 * pictures and first guesses. */
double rp_mesh_sdf_value(const rp_mesh_sdf *field, rp_vec3 point);
/* m, at node `index` (along x, y, z, from the first); NAN where none is kept. */
double rp_mesh_sdf_node(const rp_mesh_sdf *field, const int index[3]);

#endif
