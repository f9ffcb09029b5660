/* Triangle meshes: their container, checks, measures, and the acceleration structures of distance
 * queries. Files are read by the room `meshfile`. */
#ifndef RP_MESH_MESH_H
#define RP_MESH_MESH_H

#include "base/report.h"
#include "base/threads.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Vertices, or triangles, at most: half edges (three per triangle) are numbered in 32 bits. */
#define RP_MESH_MAX ((size_t)1 << 30)

/* Where parts overlap the winding number is neither 0 nor 1, and sums over the triangles count the
 * common volume several times. These integrals are the correction: the solid's minus the sums'. */
typedef struct rp_mesh_overlap {
    double volume;    /* m3; 0: no parts overlap */
    rp_vec3 first;    /* m4, integrals of x, y, z from the middle of the bounds */
    double square[6]; /* m5, of xx, yy, zz, xy, xz, yz, likewise */
    double error;     /* m3, of the volume, estimated */
} rp_mesh_overlap;

typedef struct rp_mesh {
    rp_vec3 *vertices;        /* m */
    uint32_t (*triangles)[3]; /* counter-clockwise seen from outside */
    size_t vertex_count, triangle_count;
    size_t vertex_capacity, triangle_capacity;
    rp_box3 bounds; /* m, of the vertices; from infinity to minus infinity when there are none */
    /* Of each triangle, its line in the file, or else the number of its face, from 1; NULL:
     * unknown. */
    uint32_t *origins;
    size_t origin_capacity;
    bool origins_are_lines;
    /* Made by rp_mesh_prepare; NULL before. */
    struct rp_mesh_bvh *bvh;
    struct rp_mesh_sdf *sdf;
    rp_mesh_overlap overlap;
    bool closed; /* known to be closed */
} rp_mesh;

/* Returns an empty mesh; NULL when memory runs out. */
rp_mesh *rp_mesh_create(void);
void rp_mesh_destroy(rp_mesh *mesh);
/* Returns the new vertex's number; when memory runs out it sets `*ok` to false and returns 0. */
uint32_t rp_mesh_add_vertex(rp_mesh *mesh, rp_vec3 vertex, bool *ok);
void rp_mesh_add_triangle(rp_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, bool *ok);

static inline void rp_mesh_corners(const rp_mesh *mesh, size_t triangle, rp_vec3 corners[3])
{
    for (int i = 0; i < 3; i++)
        corners[i] = mesh->vertices[mesh->triangles[triangle][i]];
}

/* Builds the acceleration structures of distance queries: a BVH over the triangles, and a signed
 * distance field with nodes `spacing` apart (m; 0: a 48th of the longest side). The mesh must not
 * change afterwards; queries are then safe from several threads at once. Results do not depend on
 * `threads`, which may be NULL. Calling it again makes a new field. */
rp_code rp_mesh_prepare(rp_mesh *mesh, double spacing, rp_threads *threads, rp_report *report);

/* True when the mesh is 25 m long or more: most programs write millimetres, and files say no unit.
 * `*length` gets its longest side, in m. */
bool rp_mesh_seems_in_mm(const rp_mesh *mesh, double *length);

/* Polygons with more corners than this are refused. */
#define RP_FACE_CORNERS 1024
/* Adds a polygon of three corners or more, cut into triangles; `origin` is its line or number in
 * the file. Its corners must be vertices of the mesh. */
void rp_mesh_add_face(rp_mesh *mesh, const uint32_t *corners, int count, uint32_t origin, bool *ok);
/* Makes a closed, outward-oriented solid of triangles as they were read: joins vertices, closes
 * gaps of the size of rounding, orients each closed part, measures overlaps, checks. Warnings in
 * the log say what was changed; `name` stands for the file in messages. */
rp_code rp_mesh_make_solid(rp_mesh *mesh, const char *name, rp_report *report);

/* Makes vertices at exactly the same place one. False when memory runs out; the mesh is then
 * unchanged. */
bool rp_mesh_join(rp_mesh *mesh);
/* Removes vertices that no triangle uses. False when memory runs out; the mesh is then unchanged.
 */
bool rp_mesh_drop_unused(rp_mesh *mesh);
/* Checks that the mesh bounds a solid: finite vertices, no triangle without area, every edge used
 * as often in one direction as in the other, and a volume that is not zero. Otherwise the message
 * has the number (from 1) and corners of the first triangle at fault. `name` stands for the file.
 */
rp_code rp_mesh_check(const rp_mesh *mesh, const char *name, rp_report *report);
/* True when every edge is used as often in one direction as in the other; also false when memory
 * runs out. */
bool rp_mesh_is_closed(const rp_mesh *mesh);
/* Flips all triangles: the mesh is then inside out. */
void rp_mesh_flip(rp_mesh *mesh);

/* Returns the volume, m3, by the divergence theorem: positive for an outward mesh. The common
 * volume of overlapping parts counts once for each of them; rp_shape_mass counts it once. */
double rp_mesh_volume(const rp_mesh *mesh);
/* Returns the generalised winding number (Jacobson et al. 2013): about 1 inside, 0 outside. Sums
 * all triangles, prepared or not: the slow twin of rp_mesh_bvh_winding. */
double rp_mesh_winding(const rp_mesh *mesh, rp_vec3 point);
/* Returns the point of the mesh nearest to `point`, and its triangle. Tests all triangles, prepared
 * or not: the slow twin of rp_mesh_bvh_nearest. */
rp_vec3 rp_mesh_nearest(const rp_mesh *mesh, rp_vec3 point, size_t *triangle);

#endif
