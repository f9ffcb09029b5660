/* OFF (Geomview's object file format), as text: the word OFF, how many vertices, faces and edges,
 * then the vertices and the faces. Colours behind them are passed over, as are comments from '#' to
 * the end of the line. */
#include "geom/mesh_file.h"

#include <stdio.h>
#include <string.h>

typedef struct reading {
    rp_mesh_text text;
    rp_mesh *mesh;
    bool ok; /* memory lasts */
} reading;

/* To the next thing that is said, if it does not stand in this line. */
static void skip_lines(reading *r)
{
    while (rp_mesh_text_line_ends(&r->text) || *r->text.at == '#')
        if (!rp_mesh_text_next_line(&r->text)) return;
}

static rp_code fail_line(reading *r, const char *wrong, rp_report *report)
{
    rp_place place = {.file = r->text.bytes->name, .line = r->text.line};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "cannot read mesh: %s", wrong);
}

/* The word is let be left out. Other letters before it announce colours, normals or a fourth
 * coordinate; of these only colours and none are read. */
static rp_code read_header(reading *r, int64_t counts[3], rp_report *report)
{
    static const char *const names[3] = {"how many vertices there are", "how many faces there are",
                                         "how many edges there are"};
    skip_lines(r);
    rp_mesh_text before = r->text;
    char word[RP_MESH_WORD] = "";
    rp_mesh_text_word(&r->text, word);
    if (strcmp(word, "OFF") != 0 && strcmp(word, "COFF") != 0) {
        if (strlen(word) >= 3 && strcmp(word + strlen(word) - 3, "OFF") == 0)
            return fail_line(r, "of OFF files the plain form and COFF are read", report);
        r->text = before;
    }
    for (int i = 0; i < 3; i++) {
        /* Some files say nothing of edges. */
        if (i == 2 && rp_mesh_text_line_ends(&r->text)) break;
        skip_lines(r);
        if (!rp_mesh_text_integer(&r->text, "", &counts[i]) || counts[i] < 0)
            return rp_mesh_text_fail(&r->text, report, names[i]);
    }
    return RP_OK;
}

static rp_code read_vertex(reading *r, rp_report *report)
{
    double at[3], scale = r->text.bytes->scale;
    for (int k = 0; k < 3; k++)
        if (!rp_mesh_text_number(&r->text, &at[k]))
            return rp_mesh_text_fail(&r->text, report, "a coordinate of a vertex");
    rp_mesh_add_vertex(r->mesh, rp_v3(at[0] * scale, at[1] * scale, at[2] * scale), &r->ok);
    return RP_OK;
}

static rp_code read_face(reading *r, rp_report *report)
{
    uint32_t corners[RP_FACE_CORNERS], line = (uint32_t)r->text.line;
    int64_t count, corner, vertices = (int64_t)r->mesh->vertex_count;
    if (!rp_mesh_text_integer(&r->text, "", &count))
        return rp_mesh_text_fail(&r->text, report, "how many corners the face has");
    if (count < 3 || count > RP_FACE_CORNERS)
        return fail_line(r, "a face has 3 to 1024 corners", report);
    for (int i = 0; i < (int)count; i++) {
        if (!rp_mesh_text_integer(&r->text, "", &corner))
            return rp_mesh_text_fail(&r->text, report, "the number of a vertex");
        if (corner < 0 || corner >= vertices)
            return fail_line(r, "this face names a vertex that is not there", report);
        corners[i] = (uint32_t)corner;
    }
    rp_mesh_add_face(r->mesh, corners, (int)count, line, &r->ok);
    return RP_OK;
}

rp_code rp_mesh_read_off(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    reading r = {.mesh = mesh, .ok = true};
    int64_t counts[3] = {0, 0, 0};
    rp_mesh_text_begin(&r.text, bytes);
    mesh->origins_are_lines = true;
    rp_code code = read_header(&r, counts, report);
    if (code == RP_OK) rp_mesh_text_next_line(&r.text);
    for (int64_t i = 0; i < counts[0] + counts[1] && code == RP_OK && r.ok; i++) {
        skip_lines(&r);
        code = i < counts[0] ? read_vertex(&r, report) : read_face(&r, report);
        if (code == RP_OK) rp_mesh_text_next_line(&r.text);
    }
    return code == RP_OK && !r.ok ? rp_mesh_fail_memory(bytes, report) : code;
}
