/* Mesh files: OBJ, STL, PLY, OFF, glTF and GLB, read into closed solids; and the animations of glTF
 * files. The readers are this project's own: they trust nothing in a file and name the line or byte
 * of a mistake. */
#ifndef RP_MESHFILE_MESHFILE_H
#define RP_MESHFILE_MESHFILE_H

#include "mesh/mesh.h"

/* A file in memory. */
typedef struct rp_mesh_bytes {
    const char *name; /* of the file, for messages */
    const char *data;
    size_t size;
    double scale;
} rp_mesh_bytes;

/* A reader fills an empty mesh. */
typedef rp_code rp_mesh_reader(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report);
rp_mesh_reader rp_mesh_read_obj, rp_mesh_read_stl, rp_mesh_read_ply, rp_mesh_read_off,
    rp_mesh_read_gltf;

/* Reads OBJ, STL, PLY, OFF, glTF and GLB; all coordinates are multiplied by `scale`. Vertices at
 * the same position are joined, and those at gaps of the size of rounding. Each closed part is
 * oriented by itself, a part within another as a cavity, with a warning in the log where triangles
 * are flipped. The common volume of overlapping parts counts once. Whatever rp_mesh_check refuses
 * then is a fault. Points and lines are skipped, with a warning. The mesh is prepared. */
rp_code rp_mesh_read(const char *path, double scale, rp_mesh **out, rp_report *report);
/* The same from the text of an OBJ file in memory; `name` stands for the file in messages. */
rp_code rp_mesh_read_memory(const char *name, const char *text, size_t size, double scale,
                            rp_mesh **out, rp_report *report);
/* The same, but not prepared, for callers that have threads for it. */
rp_code rp_mesh_load(const char *path, double scale, rp_mesh **out, rp_report *report);

/* Reads by that reader and makes a solid of it, but does not prepare it; `*out` is the mesh or
 * NULL. */
rp_code rp_mesh_read_bytes(rp_mesh_reader *reader, const rp_mesh_bytes *bytes, rp_mesh **out,
                           rp_report *report);

/* --- animations ------------------------------------------------------------------------------- */

/* Keyframes of an animation at most. */
#define RP_ANIMATION_KEYS_MAX 1000000

typedef struct rp_animation_key {
    double time;         /* s, strictly rising */
    rp_vec3 position;    /* m */
    rp_quat orientation; /* a unit quaternion */
} rp_animation_key;

/* Reads the motion of the node of that name as poses in the frame of the file: the transforms of
 * its ancestors, static or animated, are applied. NULL or "": the first node that is animated.
 * There is a key wherever the node or an ancestor has one; in between, positions are interpolated
 * linearly and orientations spherically. The node's own scale is ignored, with a warning in the
 * log; the scale of its ancestors applies to its position. Times are as in the file. At least one
 * key; release them. */
rp_code rp_gltf_animation_read(const char *path, const char *node, rp_animation_key **out,
                               int *count, rp_report *report);
/* The same, from the bytes of a file. */
rp_code rp_gltf_animation_read_bytes(const rp_mesh_bytes *bytes, const char *node,
                                     rp_animation_key **out, int *count, rp_report *report);
void rp_gltf_animation_release(rp_animation_key *keys, int count);

#endif
