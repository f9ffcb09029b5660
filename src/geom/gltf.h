/* glTF 2.0 (Khronos Group, 2021), as text with its buffers inside (.gltf) or as bytes (.glb): what
 * meshes and animations share. Private to this room. Nothing in the file is trusted: what the
 * tables below hold lies inside the bytes that are there, or says in `wrong` why it cannot be used.
 *
 *     accessor (12 vectors of 3 floats) -> buffer view (these bytes of it) -> buffer (bytes) */
#ifndef RP_GEOM_GLTF_H
#define RP_GEOM_GLTF_H

#include "geom/json.h"

typedef struct rp_gltf_bytes {
    const unsigned char *data;
    size_t size;
    size_t stride; /* bytes from one element to the next; 0: they are packed */
    const char *wrong;
} rp_gltf_bytes;

typedef struct rp_gltf_accessor {
    const unsigned char *data; /* NULL: zeros */
    size_t stride;             /* bytes */
    uint32_t count;            /* elements */
    int type;                  /* of a component, by the standard's number */
    int components;            /* of an element; 0: a matrix, which nobody asks for */
    bool normalized;
    /* Elements that stand elsewhere: their numbers rise. */
    uint32_t sparse_count;
    int sparse_type;
    const unsigned char *sparse_indices, *sparse_data;
    const char *wrong;
} rp_gltf_accessor;

typedef struct rp_gltf_affine {
    rp_mat3 linear;
    rp_vec3 shift; /* m */
} rp_gltf_affine;

typedef struct rp_gltf_node {
    uint32_t value;  /* its object in the JSON */
    uint32_t parent; /* RP_JSON_NONE: none */
    uint32_t mesh;   /* RP_JSON_NONE: none */
    rp_gltf_affine local;
    rp_vec3 translation, scale;
    rp_quat rotation;
} rp_gltf_node;

typedef struct rp_gltf {
    const rp_mesh_bytes *bytes;
    const char *action; /* "read mesh", for messages */
    rp_json json;
    rp_gltf_bytes packed; /* the binary part of a .glb */
    rp_gltf_bytes *buffers;
    size_t *owned; /* bytes that each buffer has of its own; 0: they lie in the file */
    rp_gltf_bytes *views;
    rp_gltf_accessor *accessors;
    rp_gltf_node *nodes;
    uint32_t *order; /* of the nodes: each behind its parent */
    size_t buffer_count, view_count, accessor_count, node_count;
    size_t data_size; /* bytes of all buffers together */
} rp_gltf;

/* Destroy it, also after a fault. The bytes must outlive it. */
rp_code rp_gltf_open(rp_gltf *g, const rp_mesh_bytes *bytes, const char *action, rp_report *report);
void rp_gltf_destroy(rp_gltf *g);

/* "cannot read mesh: accessor 3 WRONG". */
rp_code rp_gltf_fail(const rp_gltf *g, const char *what, size_t number, const char *wrong,
                     rp_report *report);
/* The accessor that a value of the JSON names, if it has that many components. */
rp_code rp_gltf_find_accessor(const rp_gltf *g, uint32_t value, int components,
                              const rp_gltf_accessor **out, rp_report *report);
/* The components of an element, normalized ones as shares of one. */
void rp_gltf_element(const rp_gltf_accessor *a, size_t index, double *components);
/* An element of one whole number. */
uint32_t rp_gltf_index(const rp_gltf_accessor *a, size_t index);

#define RP_GLTF_BYTE 5120
#define RP_GLTF_UNSIGNED_BYTE 5121
#define RP_GLTF_SHORT 5122
#define RP_GLTF_UNSIGNED_SHORT 5123
#define RP_GLTF_UNSIGNED_INT 5125
#define RP_GLTF_FLOAT 5126

#endif
