/* Readers of OBJ, OFF and STL files: formats with a simple structure. Each names the line, or the
 * byte, of a mistake. */
#include "base/report.h"
#include "base/text.h"
#include "meshfile/inside.h"

#include <stdio.h>
#include <string.h>

/* --- Wavefront OBJ ---------------------------------------------------------------------------- */

/* Wavefront OBJ: the lines `v` and `f`; what is about looks, groups and curves is passed over. */

typedef struct obj_reading {
    rp_mesh_text text;
    rp_mesh *mesh;
    double scale;
    size_t left_out; /* points and lines that were skipped */
    int strange;     /* the first line that begins with an unknown word; 0: none */
    bool ok;         /* memory lasts */
} obj_reading;

static rp_code read_obj_vertex(obj_reading *r, rp_report *report)
{
    double at[3];
    for (int k = 0; k < 3; k++)
        if (!rp_mesh_text_number(&r->text, &at[k]))
            return rp_mesh_text_fail(&r->text, report, "a coordinate of a vertex");
    rp_mesh_add_vertex(r->mesh, rp_v3(at[0] * r->scale, at[1] * r->scale, at[2] * r->scale),
                       &r->ok);
    return RP_OK;
}

/* `7`, `7/1`, `7//3`, `7/1/3`: only the vertex counts. Negative numbers count back from the last
 * vertex so far. */
static rp_code read_obj_corner(obj_reading *r, uint32_t *corner, rp_report *report)
{
    int64_t index, count = (int64_t)r->mesh->vertex_count;
    if (!rp_mesh_text_integer(&r->text, "/", &index))
        return rp_mesh_text_fail(&r->text, report, "the number of a vertex");
    int64_t vertex = index < 0 ? count + index : index - 1;
    if (vertex < 0 || vertex >= count) {
        rp_place place = {.file = r->text.bytes->name, .line = r->text.line};
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this face names vertex %lld, but there are only %lld so far",
                          (long long)index, (long long)count);
    }
    *corner = (uint32_t)vertex;
    char rest[RP_MESH_WORD];
    if (r->text.at < r->text.end && *r->text.at == '/') rp_mesh_text_word(&r->text, rest);
    return RP_OK;
}

static rp_code read_obj_face(obj_reading *r, rp_report *report)
{
    uint32_t corners[RP_FACE_CORNERS];
    int count = 0;
    uint32_t line = (uint32_t)r->text.line;
    rp_place place = {.file = r->text.bytes->name, .line = r->text.line};
    while (!rp_mesh_text_line_ends(&r->text)) {
        if (count == RP_FACE_CORNERS)
            return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                              "this face has more than %d corners", RP_FACE_CORNERS);
        RP_TRY(read_obj_corner(r, &corners[count++], report));
    }
    if (count < 3)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this face has %d corner%s; it needs three at least", count,
                          count == 1 ? "" : "s");
    rp_mesh_add_face(r->mesh, corners, count, line, &r->ok);
    return RP_OK;
}

static bool is_passed_over(const char *word)
{
    static const char *const words[] = {
        "vt",       "vn",         "vp",        "g",      "o",          "s",    "mg",   "usemtl",
        "mtllib",   "bevel",      "lod",       "usemap", "maplib",     "deg",  "bmat", "step",
        "cstype",   "curv",       "curv2",     "surf",   "parm",       "trim", "hole", "scrv",
        "sp",       "end",        "con",       "ctech",  "stech",      "csh",  "call", "c_interp",
        "d_interp", "shadow_obj", "trace_obj", "res",    "merge_group"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return word[0] == '#';
}

static rp_code read_obj_line(obj_reading *r, rp_report *report)
{
    char word[RP_MESH_WORD];
    if (!rp_mesh_text_word(&r->text, word)) return RP_OK;
    if (strcmp(word, "v") == 0) return read_obj_vertex(r, report);
    if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0) return read_obj_face(r, report);
    if (strcmp(word, "l") == 0 || strcmp(word, "p") == 0)
        r->left_out++;
    else if (!r->strange && !is_passed_over(word))
        r->strange = r->text.line;
    return RP_OK;
}

static rp_code obj_finish(const obj_reading *r, rp_report *report)
{
    const char *name = r->text.bytes->name;
    rp_place place = {.file = name, .line = r->strange};
    if (!r->ok) return rp_mesh_fail_memory(r->text.bytes, report);
    if (r->strange && r->mesh->triangle_count == 0)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: this is no line of an OBJ file, and there are no "
                          "faces");
    if (r->strange)
        rp_log(RP_LOG_WARNING, "%s:%d: lines that are not known in OBJ files are left out", name,
               r->strange);
    if (r->left_out)
        rp_log(RP_LOG_WARNING, "%s: %zu points or lines of the mesh are left out", name,
               r->left_out);
    return RP_OK;
}

rp_code rp_mesh_read_obj(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    obj_reading r = {.mesh = mesh, .scale = bytes->scale, .ok = true};
    rp_mesh_text_begin(&r.text, bytes);
    r.text.continued = true;
    mesh->origins_are_lines = true;
    rp_code code;
    do
        code = read_obj_line(&r, report);
    while (code == RP_OK && r.ok && rp_mesh_text_next_line(&r.text));
    if (code == RP_OK) code = obj_finish(&r, report);
    return code;
}

/* --- OFF -------------------------------------------------------------------------------------- */

/* OFF (Geomview's object file format), as text: the word OFF, how many vertices, faces and edges,
 * then the vertices and the faces. Colours behind them are passed over, as are comments from '#' to
 * the end of the line. */

typedef struct off_reading {
    rp_mesh_text text;
    rp_mesh *mesh;
    bool ok; /* memory lasts */
} off_reading;

/* Skips to the next line with content, unless this one has some left. */
static void off_skip_lines(off_reading *r)
{
    while (rp_mesh_text_line_ends(&r->text) || *r->text.at == '#')
        if (!rp_mesh_text_next_line(&r->text)) return;
}

static rp_code off_fail_line(off_reading *r, const char *wrong, rp_report *report)
{
    rp_place place = {.file = r->text.bytes->name, .line = r->text.line};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "cannot read mesh: %s", wrong);
}

/* The word OFF is optional. Letters before it announce colours, normals or a fourth coordinate; of
 * these only colours are accepted. */
static rp_code read_off_header(off_reading *r, int64_t counts[3], rp_report *report)
{
    static const char *const names[3] = {"how many vertices there are", "how many faces there are",
                                         "how many edges there are"};
    off_skip_lines(r);
    rp_mesh_text before = r->text;
    char word[RP_MESH_WORD] = "";
    rp_mesh_text_word(&r->text, word);
    if (strcmp(word, "OFF") != 0 && strcmp(word, "COFF") != 0) {
        if (strlen(word) >= 3 && strcmp(word + strlen(word) - 3, "OFF") == 0)
            return off_fail_line(r, "of OFF files the plain form and COFF are read", report);
        r->text = before;
    }
    for (int i = 0; i < 3; i++) {
        /* Some files omit the number of edges. */
        if (i == 2 && rp_mesh_text_line_ends(&r->text)) break;
        off_skip_lines(r);
        if (!rp_mesh_text_integer(&r->text, "", &counts[i]) || counts[i] < 0)
            return rp_mesh_text_fail(&r->text, report, names[i]);
    }
    return RP_OK;
}

static rp_code read_off_vertex(off_reading *r, rp_report *report)
{
    double at[3], scale = r->text.bytes->scale;
    for (int k = 0; k < 3; k++)
        if (!rp_mesh_text_number(&r->text, &at[k]))
            return rp_mesh_text_fail(&r->text, report, "a coordinate of a vertex");
    rp_mesh_add_vertex(r->mesh, rp_v3(at[0] * scale, at[1] * scale, at[2] * scale), &r->ok);
    return RP_OK;
}

static rp_code read_off_face(off_reading *r, rp_report *report)
{
    uint32_t corners[RP_FACE_CORNERS], line = (uint32_t)r->text.line;
    int64_t count, corner, vertices = (int64_t)r->mesh->vertex_count;
    if (!rp_mesh_text_integer(&r->text, "", &count))
        return rp_mesh_text_fail(&r->text, report, "how many corners the face has");
    if (count < 3 || count > RP_FACE_CORNERS)
        return off_fail_line(r, "a face has 3 to 1024 corners", report);
    for (int i = 0; i < (int)count; i++) {
        if (!rp_mesh_text_integer(&r->text, "", &corner))
            return rp_mesh_text_fail(&r->text, report, "the number of a vertex");
        if (corner < 0 || corner >= vertices)
            return off_fail_line(r, "this face names a vertex that is not there", report);
        corners[i] = (uint32_t)corner;
    }
    rp_mesh_add_face(r->mesh, corners, (int)count, line, &r->ok);
    return RP_OK;
}

rp_code rp_mesh_read_off(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    off_reading r = {.mesh = mesh, .ok = true};
    int64_t counts[3] = {0, 0, 0};
    rp_mesh_text_begin(&r.text, bytes);
    mesh->origins_are_lines = true;
    rp_code code = read_off_header(&r, counts, report);
    if (code == RP_OK) rp_mesh_text_next_line(&r.text);
    for (int64_t i = 0; i < counts[0] + counts[1] && code == RP_OK && r.ok; i++) {
        off_skip_lines(&r);
        code = i < counts[0] ? read_off_vertex(&r, report) : read_off_face(&r, report);
        if (code == RP_OK) rp_mesh_text_next_line(&r.text);
    }
    return code == RP_OK && !r.ok ? rp_mesh_fail_memory(bytes, report) : code;
}

/* --- STL -------------------------------------------------------------------------------------- */

/* Triangles without shared vertices, binary or as text. Many binary files begin with the word
 * `solid` of the text form; so a size that fits the binary form decides first. */

#define STL_HEADER 84 /* bytes, the count included */
#define STL_RECORD 50 /* bytes of a triangle: normal, three corners, an attribute of two bytes */

static uint32_t little32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double little_float(const unsigned char *b)
{
    uint32_t bits = little32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void add_record(rp_mesh *mesh, const unsigned char *record, double scale, uint32_t number,
                       bool *ok)
{
    uint32_t corners[3];
    for (int i = 0; i < 3; i++) {
        const unsigned char *b = record + 12 + 12 * i;
        rp_vec3 at = rp_v3(little_float(b), little_float(b + 4), little_float(b + 8));
        corners[i] = rp_mesh_add_vertex(mesh, rp_v3_scale(at, scale), ok);
    }
    if (*ok) rp_mesh_add_face(mesh, corners, 3, number, ok);
}

static rp_code read_stl_binary(const rp_mesh_bytes *bytes, size_t count, rp_mesh *mesh,
                               rp_report *report)
{
    const unsigned char *data = (const unsigned char *)bytes->data;
    bool ok = true;
    for (size_t t = 0; t < count && ok; t++)
        add_record(mesh, data + STL_HEADER + t * STL_RECORD, bytes->scale, (uint32_t)t + 1, &ok);
    size_t used = STL_HEADER + count * STL_RECORD;
    if (ok && bytes->size > used)
        rp_log(RP_LOG_WARNING, "%s: %zu bytes behind the last triangle are left out", bytes->name,
               bytes->size - used);
    return ok ? RP_OK : rp_mesh_fail_memory(bytes, report);
}

/* Of two words, such as `outer loop`, or of one. */
static rp_code stl_expect(rp_mesh_text *text, const char *first, const char *second,
                          rp_report *report)
{
    const char *const words[2] = {first, second};
    for (int i = 0; i < 2 && words[i]; i++) {
        rp_mesh_text before = *text;
        char word[RP_MESH_WORD];
        if (rp_mesh_text_word(text, word) && rp_text_matches(word, words[i])) continue;
        *text = before;
        char wanted[2 * RP_MESH_WORD];
        snprintf(wanted, sizeof wanted, "'%s%s%s'", first, second ? " " : "", second ? second : "");
        return rp_mesh_text_fail(text, report, wanted);
    }
    return RP_OK;
}

/* Moves to the next line that is not empty. */
static void stl_next_line(rp_mesh_text *text)
{
    while (rp_mesh_text_next_line(text) && rp_mesh_text_line_ends(text))
        continue;
}

static rp_code read_stl_corner(rp_mesh_text *text, rp_mesh *mesh, uint32_t *corner, bool *ok,
                               rp_report *report)
{
    double at[3], scale = text->bytes->scale;
    RP_TRY(stl_expect(text, "vertex", NULL, report));
    for (int k = 0; k < 3; k++)
        if (!rp_mesh_text_number(text, &at[k]))
            return rp_mesh_text_fail(text, report, "a coordinate of a vertex");
    *corner = rp_mesh_add_vertex(mesh, rp_v3(at[0] * scale, at[1] * scale, at[2] * scale), ok);
    stl_next_line(text);
    return RP_OK;
}

/* Reads a facet after the word `facet`. Its normal is ignored: it follows from the corners. */
static rp_code read_stl_facet(rp_mesh_text *text, rp_mesh *mesh, bool *ok, rp_report *report)
{
    uint32_t corners[3] = {0, 0, 0}, line = (uint32_t)text->line;
    stl_next_line(text);
    rp_code code = stl_expect(text, "outer", "loop", report);
    if (code == RP_OK) stl_next_line(text);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = read_stl_corner(text, mesh, &corners[i], ok, report);
    if (code == RP_OK) code = stl_expect(text, "endloop", NULL, report);
    if (code == RP_OK) stl_next_line(text);
    if (code == RP_OK) code = stl_expect(text, "endfacet", NULL, report);
    if (code == RP_OK && *ok) rp_mesh_add_face(mesh, corners, 3, line, ok);
    return code;
}

/* Facets up to `endsolid`; several solids may follow each other. */
static rp_code read_stl_solids(rp_mesh_text *text, rp_mesh *mesh, bool *ok, rp_report *report)
{
    bool inside = false;
    for (bool more = true; more && *ok; more = rp_mesh_text_next_line(text)) {
        rp_mesh_text before = *text;
        char word[RP_MESH_WORD];
        rp_code code = RP_OK;
        if (!rp_mesh_text_word(text, word)) continue;
        if (inside && rp_text_matches(word, "facet")) {
            code = read_stl_facet(text, mesh, ok, report);
        } else if (rp_text_matches(word, inside ? "endsolid" : "solid")) {
            inside = !inside;
        } else {
            *text = before;
            code = rp_mesh_text_fail(text, report, inside ? "'facet' or 'endsolid'" : "'solid'");
        }
        RP_TRY(code);
    }
    if (inside && *ok) return rp_mesh_text_fail(text, report, "'facet' or 'endsolid'");
    return RP_OK;
}

static rp_code read_stl_text(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    rp_mesh_text text;
    bool ok = true;
    rp_mesh_text_begin(&text, bytes);
    mesh->origins_are_lines = true;
    rp_code code = read_stl_solids(&text, mesh, &ok, report);
    return code == RP_OK && !ok ? rp_mesh_fail_memory(bytes, report) : code;
}

rp_code rp_mesh_read_stl(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    rp_place place = {.file = bytes->name};
    bool has_count = bytes->size >= STL_HEADER;
    size_t count = has_count ? little32((const unsigned char *)bytes->data + STL_HEADER - 4) : 0;
    if (has_count && bytes->size == STL_HEADER + count * STL_RECORD)
        return read_stl_binary(bytes, count, mesh, report);
    if (rp_text_begins(bytes->data, bytes->size, "solid"))
        return read_stl_text(bytes, mesh, report);
    if (!has_count)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: an STL file begins with 'solid' or with %d bytes of "
                          "header; this one has %zu bytes",
                          STL_HEADER, bytes->size);
    if (bytes->size < STL_HEADER + count * STL_RECORD)
        return rp_fail_at(
            report, RP_ERROR_INPUT, &place, NULL,
            "cannot read mesh: byte 81 announces %zu triangles, which need %zu bytes; "
            "the file ends at byte %zu, in triangle %zu",
            count, STL_HEADER + count * STL_RECORD, bytes->size,
            (bytes->size - STL_HEADER) / STL_RECORD + 1);
    return read_stl_binary(bytes, count, mesh, report);
}
