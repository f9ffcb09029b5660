/* The steps from triangles to a solid. Private to this room. */
#ifndef RP_MESH_INSIDE_H
#define RP_MESH_INSIDE_H

#include "mesh/mesh.h"

/* The steps of rp_mesh_check: all vertices finite; all triangles with an area; a volume. */
rp_code rp_mesh_check_vertices(const rp_mesh *mesh, const char *name, rp_report *report);
rp_code rp_mesh_check_triangles(const rp_mesh *mesh, const char *name, rp_report *report);
rp_code rp_mesh_check_volume(const rp_mesh *mesh, const char *name, rp_report *report);

/* --- half edges: half_edges.c ----------------------------------------------------------------- */

#define RP_HALF_EDGE_NONE UINT32_MAX

/* Half edge h is the side of triangle h / 3 from corner h % 3 to the next. `ring[h]` is the next
 * half edge, in either direction, between the same two vertices: numbers rise, and the last leads
 * to the first. */
typedef struct rp_half_edges {
    uint32_t *ring;
    uint8_t *begins; /* of each half edge: it is the lowest of its ring */
    size_t count;
} rp_half_edges;

/* False when memory runs out. Release them, also then. */
bool rp_half_edges_make(const rp_mesh *mesh, rp_half_edges *edges);
void rp_half_edges_release(rp_half_edges *edges);
/* Finds the twin of each half edge: the one of the adjacent triangle of the same surface. A fault
 * where an odd number of triangles share an edge. */
rp_code rp_half_edges_pair(const rp_mesh *mesh, const rp_half_edges *edges, uint32_t *twins,
                           const char *name, rp_report *report);

static inline void rp_half_edge_ends(const rp_mesh *mesh, size_t h, uint32_t ends[2])
{
    ends[0] = mesh->triangles[h / 3][h % 3];
    ends[1] = mesh->triangles[h / 3][(h + 1) % 3];
}

/* True when it runs from the vertex of the higher number to that of the lower. */
static inline bool rp_half_edge_runs_down(const rp_mesh *mesh, size_t h)
{
    uint32_t ends[2];
    rp_half_edge_ends(mesh, h, ends);
    return ends[0] > ends[1];
}

/* Reports a fault at half edge h. */
rp_code rp_mesh_fail_edge(const rp_mesh *mesh, size_t h, const char *what, const char *name,
                          rp_report *report);
/* Joins the ends of open edges that lie within 1e-6 of the mesh's size; a warning says so. */
rp_code rp_mesh_close_gaps(rp_mesh *mesh, const char *name, rp_report *report);

/* --- parts.c, overlap.c ----------------------------------------------------------------------- */

/* Orients all triangles of each closed part the same way, outward or, in a cavity, inward; warnings
 * say what was flipped. A fault where triangles do not close to parts. `*shared` is the box where
 * bounds of parts overlap; its low end is above its high end where none do. */
rp_code rp_mesh_orient(rp_mesh *mesh, const char *name, rp_box3 *shared, rp_report *report);
/* Measures what the mesh winds around otherwise than 0 or 1 times; the log says how much. */
rp_code rp_mesh_measure_overlap(rp_mesh *mesh, rp_box3 shared, const char *name, rp_report *report);

#endif
