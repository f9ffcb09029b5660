/* What the readers of mesh files share: words and numbers of text files, JSON, the tables of glTF.
 * Private to this room. */
#ifndef RP_MESHFILE_INSIDE_H
#define RP_MESHFILE_INSIDE_H

#include "meshfile/meshfile.h"

/* --- files ------------------------------------------------------------------------------------ */

/* Reads a whole file; `what` ("mesh") is for messages. Release it after success. */
rp_code rp_mesh_file_load(const char *path, const char *what, rp_mesh_bytes *bytes,
                          rp_report *report);
void rp_mesh_file_release(rp_mesh_bytes *bytes);
/* --- text: mesh_read.c ------------------------------------------------------------------------ */

rp_code rp_mesh_fail_memory(const rp_mesh_bytes *bytes, rp_report *report);

/* Reading words and numbers line by line. */
typedef struct rp_mesh_text {
    const rp_mesh_bytes *bytes;
    const char *at, *end;
    int line;       /* from 1 */
    bool continued; /* a backslash at its end joins a line to the next */
} rp_mesh_text;

void rp_mesh_text_begin(rp_mesh_text *text, const rp_mesh_bytes *bytes);
/* True at the end of a line or of the file. */
bool rp_mesh_text_line_ends(rp_mesh_text *text);
/* Moves to the beginning of the next line; false at the end of the file. */
bool rp_mesh_text_next_line(rp_mesh_text *text);
/* Reads the next word of the line, truncated to fit; false at the end of the line. */
#define RP_MESH_WORD 64
bool rp_mesh_text_word(rp_mesh_text *text, char word[RP_MESH_WORD]);
/* Numbers must end where a word ends, or at one of the characters of `stops`. */
bool rp_mesh_text_number(rp_mesh_text *text, double *value);
bool rp_mesh_text_integer(rp_mesh_text *text, const char *stops, int64_t *value);
/* Reports a fault at the current line: what was expected, and the word that was found. */
rp_code rp_mesh_text_fail(rp_mesh_text *text, rp_report *report, const char *wanted);

/* --- JSON: json.c ----------------------------------------------------------------------------- */

/* JSON (RFC 8259) as a flat array of values, in the order of the text: what a glTF file says of
 * itself. Private to this room. Memory is proportional to the text and bounded; nothing recurses.
 *
 *     {"a": [1, 2]}      value 0: object, 1: "a", 2: array, 3: 1, 4: 2
 *
 * `next` of a value is the number of the one behind all that it holds. */
#define RP_JSON_DEPTH 64
#define RP_JSON_VALUES ((uint32_t)4 << 20) /* at most */
#define RP_JSON_NONE UINT32_MAX            /* no such value */

typedef enum rp_json_kind {
    RP_JSON_NULL,
    RP_JSON_FALSE,
    RP_JSON_TRUE,
    RP_JSON_NUMBER,
    RP_JSON_STRING,
    RP_JSON_ARRAY,
    RP_JSON_OBJECT
} rp_json_kind;

typedef struct rp_json_value {
    uint32_t begin, end; /* bytes of the text; of a string without its quotes */
    uint32_t next;
    rp_json_kind kind;
} rp_json_value;

typedef struct rp_json {
    rp_mesh_text text; /* the whole of it; for numbers */
    rp_json_value *values;
    size_t count, capacity;
} rp_json;

/* Parses `size` bytes at `data`, which must outlive the result. Destroy it, also after a fault. */
rp_code rp_json_parse(rp_json *json, const rp_mesh_bytes *bytes, const char *data, size_t size,
                      rp_report *report);
void rp_json_destroy(rp_json *json);

/* All of these accept RP_JSON_NONE. */
rp_json_kind rp_json_kind_of(const rp_json *json, uint32_t value);
/* Returns the member of that name; RP_JSON_NONE: there is none, or `object` is no object. */
uint32_t rp_json_member(const rp_json *json, uint32_t object, const char *name);
/* The first value of an array or object, and the one behind `value` in it; RP_JSON_NONE at the end.
 */
uint32_t rp_json_first(const rp_json *json, uint32_t array);
uint32_t rp_json_after(const rp_json *json, uint32_t array, uint32_t value);
size_t rp_json_length(const rp_json *json, uint32_t array);

bool rp_json_number(const rp_json *json, uint32_t value, double *number);
/* Whole and from 0 to `most`. */
bool rp_json_count(const rp_json *json, uint32_t value, uint64_t most, uint64_t *count);
/* All of an array of exactly `count` numbers. */
bool rp_json_numbers(const rp_json *json, uint32_t array, int count, double *numbers);
/* A string as UTF-8, cut to fit; false: it is none. */
bool rp_json_text(const rp_json *json, uint32_t value, char *text, size_t size);
bool rp_json_is(const rp_json *json, uint32_t value, const char *text);
/* The line of a byte of the text, from 1. */
int rp_json_line(const rp_json *json, size_t at);

/* --- glTF: gltf.c ----------------------------------------------------------------------------- */

/* glTF 2.0 (Khronos Group, 2021), as text with its buffers inside (.gltf) or as bytes (.glb): what
 * meshes and animations share. Private to this room. Nothing in the file is trusted: what the
 * tables below hold lies inside the bytes that are there, or says in `wrong` why it cannot be used.
 *
 *     accessor (12 vectors of 3 floats) -> buffer view (these bytes of it) -> buffer (bytes) */
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
    int components;            /* of an element; 0: a matrix, which is not used */
    bool normalized;
    /* Sparse elements, stored elsewhere; their indices rise. */
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
    size_t *owned; /* bytes allocated for each buffer; 0: it lies in the file */
    rp_gltf_bytes *views;
    rp_gltf_accessor *accessors;
    rp_gltf_node *nodes;
    uint32_t *order; /* topological: each node after its parent */
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
/* Reads the components of an element; normalized integers become fractions of one. */
void rp_gltf_element(const rp_gltf_accessor *a, size_t index, double *components);
/* Reads an element of one integer. */
uint32_t rp_gltf_index(const rp_gltf_accessor *a, size_t index);

#define RP_GLTF_BYTE 5120
#define RP_GLTF_UNSIGNED_BYTE 5121
#define RP_GLTF_SHORT 5122
#define RP_GLTF_UNSIGNED_SHORT 5123
#define RP_GLTF_UNSIGNED_INT 5125
#define RP_GLTF_FLOAT 5126

#endif
