/* STL: triangles without shared vertices, as bytes or as text. Many files of bytes begin with the
 * word of the text form; so a size that fits the bytes decides first. */
#include "base/report.h"
#include "base/text.h"
#include "geom/mesh_file.h"

#include <stdio.h>
#include <string.h>

#define HEADER 84 /* bytes, the count included */
#define RECORD 50 /* bytes of a triangle: normal, three corners, two bytes of anything */

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

static rp_code read_binary(const rp_mesh_bytes *bytes, size_t count, rp_mesh *mesh,
                           rp_report *report)
{
    const unsigned char *data = (const unsigned char *)bytes->data;
    bool ok = true;
    for (size_t t = 0; t < count && ok; t++)
        add_record(mesh, data + HEADER + t * RECORD, bytes->scale, (uint32_t)t + 1, &ok);
    size_t used = HEADER + count * RECORD;
    if (ok && bytes->size > used)
        rp_log(RP_LOG_WARNING, "%s: %zu bytes behind the last triangle are left out", bytes->name,
               bytes->size - used);
    return ok ? RP_OK : rp_mesh_fail_memory(bytes, report);
}

/* Of two words, such as `outer loop`, or of one. */
static rp_code expect(rp_mesh_text *text, const char *first, const char *second, rp_report *report)
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

/* To the next line that says something. */
static void next_line(rp_mesh_text *text)
{
    while (rp_mesh_text_next_line(text) && rp_mesh_text_line_ends(text))
        continue;
}

static rp_code read_corner(rp_mesh_text *text, rp_mesh *mesh, uint32_t *corner, bool *ok,
                           rp_report *report)
{
    double at[3], scale = text->bytes->scale;
    RP_TRY(expect(text, "vertex", NULL, report));
    for (int k = 0; k < 3; k++)
        if (!rp_mesh_text_number(text, &at[k]))
            return rp_mesh_text_fail(text, report, "a coordinate of a vertex");
    *corner = rp_mesh_add_vertex(mesh, rp_v3(at[0] * scale, at[1] * scale, at[2] * scale), ok);
    next_line(text);
    return RP_OK;
}

/* Behind the word `facet`. What stands there of a normal does not matter: the corners say it. */
static rp_code read_facet(rp_mesh_text *text, rp_mesh *mesh, bool *ok, rp_report *report)
{
    uint32_t corners[3] = {0, 0, 0}, line = (uint32_t)text->line;
    next_line(text);
    rp_code code = expect(text, "outer", "loop", report);
    if (code == RP_OK) next_line(text);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = read_corner(text, mesh, &corners[i], ok, report);
    if (code == RP_OK) code = expect(text, "endloop", NULL, report);
    if (code == RP_OK) next_line(text);
    if (code == RP_OK) code = expect(text, "endfacet", NULL, report);
    if (code == RP_OK && *ok) rp_mesh_add_face(mesh, corners, 3, line, ok);
    return code;
}

/* Facets up to `endsolid`; several solids may follow each other. */
static rp_code read_solids(rp_mesh_text *text, rp_mesh *mesh, bool *ok, rp_report *report)
{
    bool inside = false;
    for (bool more = true; more && *ok; more = rp_mesh_text_next_line(text)) {
        rp_mesh_text before = *text;
        char word[RP_MESH_WORD];
        rp_code code = RP_OK;
        if (!rp_mesh_text_word(text, word)) continue;
        if (inside && rp_text_matches(word, "facet")) {
            code = read_facet(text, mesh, ok, report);
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

static rp_code read_text(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    rp_mesh_text text;
    bool ok = true;
    rp_mesh_text_begin(&text, bytes);
    mesh->origins_are_lines = true;
    rp_code code = read_solids(&text, mesh, &ok, report);
    return code == RP_OK && !ok ? rp_mesh_fail_memory(bytes, report) : code;
}

rp_code rp_mesh_read_stl(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    rp_place place = {.file = bytes->name};
    bool has_count = bytes->size >= HEADER;
    size_t count = has_count ? little32((const unsigned char *)bytes->data + HEADER - 4) : 0;
    if (has_count && bytes->size == HEADER + count * RECORD)
        return read_binary(bytes, count, mesh, report);
    if (rp_text_begins(bytes->data, bytes->size, "solid")) return read_text(bytes, mesh, report);
    if (!has_count)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: an STL file begins with 'solid' or with %d bytes of "
                          "header; this one has %zu bytes",
                          HEADER, bytes->size);
    if (bytes->size < HEADER + count * RECORD)
        return rp_fail_at(
            report, RP_ERROR_INPUT, &place, NULL,
            "cannot read mesh: byte 81 announces %zu triangles, which need %zu bytes; "
            "the file ends at byte %zu, in triangle %zu",
            count, HEADER + count * RECORD, bytes->size, (bytes->size - HEADER) / RECORD + 1);
    return read_binary(bytes, count, mesh, report);
}
