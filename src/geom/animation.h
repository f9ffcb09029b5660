/* The way of a node of an animated glTF file, as poses at rising times. */
#ifndef RP_GEOM_ANIMATION_H
#define RP_GEOM_ANIMATION_H

#include "base/report.h"
#include "math/vec.h"

/* Keys at most. */
#define RP_ANIMATION_MOST 1000000

typedef struct rp_animation_key {
    double time;         /* s */
    rp_vec3 position;    /* m */
    rp_quat orientation; /* a unit quaternion */
} rp_animation_key;

/* Reads the way of the node of that name, in the frame of the whole file: what stands above it in
 * the file is worked in, still or moved. NULL or "": the first node that is animated. A key stands
 * wherever the node or one above it has one; in between all move straight and turn evenly. What a
 * node's scale does to itself is left out, with a warning in the log; that of the nodes above it
 * stretches its way. Times are as in the file. At least one key; release them afterwards. */
rp_code rp_animation_read(const char *path, const char *node, rp_animation_key **out, int *count,
                          rp_report *report);
struct rp_mesh_bytes;
/* The same, from the bytes of a file. */
rp_code rp_animation_read_bytes(const struct rp_mesh_bytes *bytes, const char *node,
                                rp_animation_key **out, int *count, rp_report *report);
void rp_animation_release(rp_animation_key *keys, int count);

#endif
