/* Triangle meshes: read from files, measured, asked what is inside. */
#ifndef RP_GEOM_MESH_H
#define RP_GEOM_MESH_H

#include "base/report.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rp_mesh {
    rp_vec3 *vertices;        /* m */
    uint32_t (*triangles)[3]; /* counter-clockwise seen from outside */
    size_t vertex_count, triangle_count;
    size_t vertex_capacity, triangle_capacity;
    rp_box3 bounds;
} rp_mesh;

/* An empty mesh to add to; NULL when memory runs out. */
rp_mesh *rp_mesh_create(void);
void rp_mesh_destroy(rp_mesh *mesh);
/* The new vertex's number; a fault when memory runs out sets `*ok` to false and gives 0. */
uint32_t rp_mesh_add_vertex(rp_mesh *mesh, rp_vec3 vertex, bool *ok);
void rp_mesh_add_triangle(rp_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, bool *ok);

/* Reads OBJ, STL, PLY, glTF and whatever else Assimp knows; vertices at the same place are joined,
 * all is scaled by `scale`. Open meshes, bad numbers and empty files are faults that say which face
 * or vertex. */
rp_code rp_mesh_read(const char *path, double scale, rp_mesh **out, rp_report *report);
/* True when this build can read mesh files. */
bool rp_mesh_can_read(void);

/* By the divergence theorem; exact, positive for an outward mesh. */
double rp_mesh_volume(const rp_mesh *mesh);
/* Generalised winding number (Jacobson et al. 2013): about 1 inside, 0 outside; sums all triangles.
 */
double rp_mesh_winding(const rp_mesh *mesh, rp_vec3 point);

#endif
