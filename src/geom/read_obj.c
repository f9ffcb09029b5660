/* Wavefront OBJ: the lines `v` and `f`; what is about looks, groups and curves is passed over. */
#include "base/report.h"
#include "geom/mesh_file.h"

#include <string.h>

typedef struct reading {
    rp_mesh_text text;
    rp_mesh *mesh;
    double scale;
    size_t left_out; /* points and lines */
    int strange;     /* the first line that begins with a word of no meaning; 0: none */
    bool ok;         /* memory lasts */
} reading;

static rp_code read_vertex(reading *r, rp_report *report)
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
static rp_code read_corner(reading *r, uint32_t *corner, rp_report *report)
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

static rp_code read_face(reading *r, rp_report *report)
{
    uint32_t corners[RP_FACE_CORNERS];
    int count = 0;
    uint32_t line = (uint32_t)r->text.line;
    rp_place place = {.file = r->text.bytes->name, .line = r->text.line};
    while (!rp_mesh_text_line_ends(&r->text)) {
        if (count == RP_FACE_CORNERS)
            return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                              "this face has more than %d corners", RP_FACE_CORNERS);
        RP_TRY(read_corner(r, &corners[count++], report));
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

static rp_code read_line(reading *r, rp_report *report)
{
    char word[RP_MESH_WORD];
    if (!rp_mesh_text_word(&r->text, word)) return RP_OK;
    if (strcmp(word, "v") == 0) return read_vertex(r, report);
    if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0) return read_face(r, report);
    if (strcmp(word, "l") == 0 || strcmp(word, "p") == 0)
        r->left_out++;
    else if (!r->strange && !is_passed_over(word))
        r->strange = r->text.line;
    return RP_OK;
}

static rp_code finish(const reading *r, rp_report *report)
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
    reading r = {.mesh = mesh, .scale = bytes->scale, .ok = true};
    rp_mesh_text_begin(&r.text, bytes);
    r.text.continued = true;
    mesh->origins_are_lines = true;
    rp_code code;
    do
        code = read_line(&r, report);
    while (code == RP_OK && r.ok && rp_mesh_text_next_line(&r.text));
    if (code == RP_OK) code = finish(&r, report);
    return code;
}
