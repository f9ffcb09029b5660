/* Files of meshes: what the readers of this room share. Private to it. A reader fills an empty mesh
 * from bytes in memory; it trusts nothing in them. */
#ifndef RP_GEOM_MESH_FILE_H
#define RP_GEOM_MESH_FILE_H

#include "geom/mesh.h"

typedef struct rp_mesh_bytes {
    const char *name; /* of the file, for messages */
    const char *data;
    size_t size;
    double scale;
} rp_mesh_bytes;

typedef rp_code rp_mesh_reader(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report);
rp_mesh_reader rp_mesh_read_obj, rp_mesh_read_stl, rp_mesh_read_ply, rp_mesh_read_off,
    rp_mesh_read_gltf;

/* The whole of a file, `what` it is ("mesh") for messages; release it after success. */
rp_code rp_mesh_file_load(const char *path, const char *what, rp_mesh_bytes *bytes,
                          rp_report *report);
void rp_mesh_file_release(rp_mesh_bytes *bytes);
/* Reads, joins and checks, but does not prepare; `*out` is the mesh or NULL. */
rp_code rp_mesh_read_bytes(rp_mesh_reader *reader, const rp_mesh_bytes *bytes, rp_mesh **out,
                           rp_report *report);

/* The steps of rp_mesh_check: all vertices finite; all triangles with an area; a volume. */
rp_code rp_mesh_check_vertices(const rp_mesh *mesh, const char *name, rp_report *report);
rp_code rp_mesh_check_triangles(const rp_mesh *mesh, const char *name, rp_report *report);
rp_code rp_mesh_check_volume(const rp_mesh *mesh, const char *name, rp_report *report);
/* A fault at half edge h, the side of triangle h / 3 from corner h % 3 to the next. */
rp_code rp_mesh_fail_edge(const rp_mesh *mesh, size_t h, const char *what, const char *name,
                          rp_report *report);
/* Joins the ends of open edges that lie within 1e-6 of the mesh's size; tells it in the log. */
rp_code rp_mesh_close_gaps(rp_mesh *mesh, const char *name, rp_report *report);
/* Makes all triangles of each closed part face the same way, outward or, in a cavity, inward; tells
 * in the log what it turned. A fault where triangles do not close to parts. `*shared` is the box
 * where bounds of parts overlap; upside down: nowhere. */
rp_code rp_mesh_orient(rp_mesh *mesh, const char *name, rp_box3 *shared, rp_report *report);
/* Measures what the mesh winds around otherwise than 0 or 1 times, and tells it in the log. */
rp_code rp_mesh_measure_excess(rp_mesh *mesh, rp_box3 shared, const char *name, rp_report *report);

/* Faces with more corners than this are refused. */
#define RP_FACE_CORNERS 1024
/* A face of three corners or more, cut into triangles; `origin` is its line or number in the file.
 * Its corners must be vertices of the mesh. */
void rp_mesh_add_face(rp_mesh *mesh, const uint32_t *corners, int count, uint32_t origin, bool *ok);

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
/* To the beginning of the next line; false at the end of the file. */
bool rp_mesh_text_next_line(rp_mesh_text *text);
/* The next word of the line, cut to fit; false at the end of the line. */
#define RP_MESH_WORD 64
bool rp_mesh_text_word(rp_mesh_text *text, char word[RP_MESH_WORD]);
/* Numbers must end where a word ends, or at one of the characters of `stops`. */
bool rp_mesh_text_number(rp_mesh_text *text, double *value);
bool rp_mesh_text_integer(rp_mesh_text *text, const char *stops, int64_t *value);
/* A fault at the current line: what was wanted, and the word that was found. */
rp_code rp_mesh_text_fail(rp_mesh_text *text, rp_report *report, const char *wanted);

#endif
