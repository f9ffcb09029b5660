/* PLY (Turk, "The PLY polygon file format", 1994), as text or as bytes of either order. Of the
 * element `vertex` the properties x, y and z are taken, of `face` the list `vertex_indices` or
 * `vertex_index`; all other elements and properties are passed over. */
#include "base/report.h"
#include "meshfile/inside.h"

#include <stdio.h>
#include <string.h>

#define ELEMENTS 16
#define PROPERTIES 64

typedef enum form { TEXT, LITTLE, BIG } form;
typedef enum type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPES } type;
static const size_t type_sizes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};
/* What a property is to us. */
typedef enum role { PASS, X, Y, Z, CORNERS } role;
typedef enum part { OTHER, VERTEX, FACE } part;

typedef struct property {
    type type, count_type;
    bool list;
    role role;
} property;

typedef struct element {
    part part;
    uint64_t count;
    property properties[PROPERTIES];
    int property_count;
} element;

typedef struct reading {
    rp_mesh_text text; /* for bytes only `at` and `end` count */
    rp_mesh *mesh;
    form form;
    element elements[ELEMENTS];
    int element_count;
    bool ok; /* memory lasts */
} reading;

/* --- the header ------------------------------------------------------------------------------- */

static bool find_type(const char *word, type *found)
{
    static const char *const names[TYPES][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
    for (int i = 0; i < TYPES; i++)
        if (strcmp(word, names[i][0]) == 0 || strcmp(word, names[i][1]) == 0) {
            *found = (type)i;
            return true;
        }
    return false;
}

static role find_role(const element *e, const char *name, bool list)
{
    bool corners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
    if (e->part == FACE && list && corners) return CORNERS;
    if (e->part != VERTEX || list || strlen(name) != 1) return PASS;
    return name[0] == 'x' ? X : name[0] == 'y' ? Y : name[0] == 'z' ? Z : PASS;
}

static rp_code fail_line(const reading *r, rp_report *report, const char *what)
{
    rp_place place = {.file = r->text.bytes->name, .line = r->text.line};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "cannot read mesh: %s", what);
}

static rp_code read_format(reading *r, rp_report *report)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    rp_mesh_text before = r->text;
    char word[RP_MESH_WORD] = "";
    rp_mesh_text_word(&r->text, word);
    for (int i = 0; i < 3; i++)
        if (strcmp(word, names[i]) == 0) {
            r->form = (form)i;
            return RP_OK;
        }
    r->text = before;
    return rp_mesh_text_fail(&r->text, report,
                             "'ascii', 'binary_little_endian' or 'binary_big_endian'");
}

static rp_code read_element(reading *r, rp_report *report)
{
    char name[RP_MESH_WORD];
    int64_t count;
    if (r->element_count == ELEMENTS) return fail_line(r, report, "more than 16 elements");
    if (!rp_mesh_text_word(&r->text, name))
        return rp_mesh_text_fail(&r->text, report, "the name of an element");
    if (!rp_mesh_text_integer(&r->text, "", &count) || count < 0)
        return rp_mesh_text_fail(&r->text, report, "how many there are of an element");
    element *e = &r->elements[r->element_count++];
    *e = (element){.count = (uint64_t)count};
    if (strcmp(name, "vertex") == 0) e->part = VERTEX;
    if (strcmp(name, "face") == 0) e->part = FACE;
    return RP_OK;
}

static rp_code read_type(reading *r, type *found, rp_report *report)
{
    rp_mesh_text before = r->text;
    char word[RP_MESH_WORD];
    if (rp_mesh_text_word(&r->text, word) && find_type(word, found)) return RP_OK;
    r->text = before;
    return rp_mesh_text_fail(&r->text, report, "a type such as float, uchar or int");
}

static rp_code read_property(reading *r, rp_report *report)
{
    if (r->element_count == 0) return fail_line(r, report, "a property before any element");
    element *e = &r->elements[r->element_count - 1];
    if (e->property_count == PROPERTIES)
        return fail_line(r, report, "an element with more than 64 properties");
    property p = {0};
    rp_mesh_text before = r->text;
    char word[RP_MESH_WORD] = "";
    rp_mesh_text_word(&r->text, word);
    p.list = strcmp(word, "list") == 0;
    if (!p.list) r->text = before;
    RP_TRY(p.list ? read_type(r, &p.count_type, report) : RP_OK);
    RP_TRY(read_type(r, &p.type, report));
    if (!rp_mesh_text_word(&r->text, word))
        return rp_mesh_text_fail(&r->text, report, "the name of a property");
    p.role = find_role(e, word, p.list);
    e->properties[e->property_count++] = p;
    return RP_OK;
}

/* Vertices have places, and come before the faces that name them. */
static rp_code check_header(const reading *r, rp_report *report)
{
    bool places = false;
    for (int i = 0; i < r->element_count; i++) {
        const element *e = &r->elements[i];
        int seen[CORNERS + 1] = {0};
        for (int p = 0; p < e->property_count; p++)
            seen[e->properties[p].role]++;
        if (e->part == VERTEX && (places || seen[X] != 1 || seen[Y] != 1 || seen[Z] != 1))
            return fail_line(r, report, "there must be one element 'vertex', with x, y and z");
        if (e->part == VERTEX) places = true;
        if (e->part == FACE && (!places || seen[CORNERS] != 1))
            return fail_line(r, report,
                             "an element 'face' needs one list 'vertex_indices', and must come "
                             "behind the vertices");
    }
    return places ? RP_OK : fail_line(r, report, "there is no element 'vertex'");
}

static rp_code read_header(reading *r, rp_report *report)
{
    char word[RP_MESH_WORD];
    rp_code code = RP_OK;
    bool format = false;
    if (!rp_mesh_text_word(&r->text, word) || strcmp(word, "ply") != 0)
        return fail_line(r, report, "a PLY file begins with 'ply'");
    while (code == RP_OK && rp_mesh_text_next_line(&r->text)) {
        rp_mesh_text before = r->text;
        if (!rp_mesh_text_word(&r->text, word)) continue;
        if (strcmp(word, "comment") == 0 || strcmp(word, "obj_info") == 0) continue;
        if (strcmp(word, "end_header") == 0) {
            rp_mesh_text_next_line(&r->text);
            return format ? check_header(r, report)
                          : fail_line(r, report, "the header says no format");
        }
        if (strcmp(word, "format") == 0) {
            code = read_format(r, report);
            format = true;
        } else if (strcmp(word, "element") == 0) {
            code = read_element(r, report);
        } else if (strcmp(word, "property") == 0) {
            code = read_property(r, report);
        } else {
            r->text = before;
            code = rp_mesh_text_fail(&r->text, report, "'element', 'property' or 'end_header'");
        }
    }
    return code == RP_OK ? rp_mesh_text_fail(&r->text, report, "'end_header'") : code;
}

/* --- the values ------------------------------------------------------------------------------- */

static double from_bits(uint64_t bits, type t)
{
    float small;
    double large;
    uint32_t half = (uint32_t)bits;
    switch (t) {
    case INT8:
        return (int8_t)(uint8_t)bits;
    case INT16:
        return (int16_t)(uint16_t)bits;
    case INT32:
        return (int32_t)half;
    case FLOAT32:
        memcpy(&small, &half, sizeof small);
        return (double)small;
    case FLOAT64:
        memcpy(&large, &bits, sizeof large);
        return large;
    default:
        return (double)bits;
    }
}

static bool next_value(reading *r, type t, double *value)
{
    if (r->form == TEXT) return rp_mesh_text_number(&r->text, value);
    size_t size = type_sizes[t];
    if ((size_t)(r->text.end - r->text.at) < size) return false;
    const unsigned char *bytes = (const unsigned char *)r->text.at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | bytes[r->form == BIG ? i : size - 1 - i];
    r->text.at += size;
    *value = from_bits(bits, t);
    return true;
}

static const char *part_name(const element *e)
{
    return e->part == VERTEX ? "vertex" : e->part == FACE ? "face" : "element";
}

/* By line in a text, by byte (from 0) else. */
static rp_code fail_value(reading *r, const element *e, uint64_t number, const char *what,
                          rp_report *report)
{
    const rp_mesh_bytes *bytes = r->text.bytes;
    rp_place place = {.file = bytes->name, .line = r->form == TEXT ? r->text.line : 0};
    char where[64] = "";
    if (r->form != TEXT)
        snprintf(where, sizeof where, ", at byte %zu", (size_t)(r->text.at - bytes->data));
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "cannot read mesh: %s %llu of %llu%s: %s", part_name(e),
                      (unsigned long long)number, (unsigned long long)e->count, where, what);
}

/* A vertex or a face as it is read. */
typedef struct item {
    double at[CORNERS]; /* by role */
    uint32_t corners[RP_FACE_CORNERS];
    int corner_count;
} item;

static const char *read_corners(reading *r, const property *p, double count, item *into)
{
    if (count > RP_FACE_CORNERS) return "a face with more than 1024 corners";
    for (int i = 0; i < (int)count; i++) {
        double index;
        if (!next_value(r, p->type, &index))
            return "the number of a vertex is missing or no number";
        if (!(index >= 0 && index < (double)r->mesh->vertex_count) || index != floor(index))
            return "names a vertex that is not there";
        into->corners[i] = (uint32_t)index;
    }
    into->corner_count = (int)count;
    return NULL;
}

/* Gives what is wrong, or NULL. */
static const char *read_value(reading *r, const property *p, item *into)
{
    double value;
    if (!next_value(r, p->list ? p->count_type : p->type, &value))
        return "a value is missing or no number";
    if (!p->list) {
        if (p->role != PASS) into->at[p->role] = value;
        return NULL;
    }
    if (!(value >= 0 && value <= 4294967295.0) || value != floor(value))
        return "the length of a list is no count";
    if (p->role == CORNERS) return read_corners(r, p, value, into);
    for (double i = 0; i < value; i++) {
        double unused;
        if (!next_value(r, p->type, &unused)) return "a list ends early";
    }
    return NULL;
}

static const char *take_item(reading *r, const element *e, const item *one, uint64_t number)
{
    if (e->part == VERTEX) {
        rp_vec3 at = rp_v3(one->at[X], one->at[Y], one->at[Z]);
        rp_mesh_add_vertex(r->mesh, rp_v3_scale(at, r->text.bytes->scale), &r->ok);
    } else if (e->part == FACE) {
        if (one->corner_count < 3) return "a face with less than three corners";
        uint32_t origin = r->form == TEXT ? (uint32_t)r->text.line : (uint32_t)number;
        rp_mesh_add_face(r->mesh, one->corners, one->corner_count, origin, &r->ok);
    }
    return NULL;
}

static rp_code read_items(reading *r, const element *e, rp_report *report)
{
    item one;
    for (uint64_t n = 1; n <= e->count && e->property_count > 0 && r->ok; n++) {
        /* Blank lines between items mean nothing. */
        while (r->form == TEXT && rp_mesh_text_line_ends(&r->text))
            if (!rp_mesh_text_next_line(&r->text)) break;
        const char *wrong = NULL;
        one.corner_count = 0;
        for (int p = 0; p < e->property_count && !wrong; p++)
            wrong = read_value(r, &e->properties[p], &one);
        if (!wrong) wrong = take_item(r, e, &one, n);
        if (wrong) return fail_value(r, e, n, wrong, report);
        if (r->form == TEXT) rp_mesh_text_next_line(&r->text);
    }
    return RP_OK;
}

rp_code rp_mesh_read_ply(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    reading r = {.mesh = mesh, .ok = true};
    rp_mesh_text_begin(&r.text, bytes);
    rp_code code = read_header(&r, report);
    mesh->origins_are_lines = r.form == TEXT;
    for (int i = 0; i < r.element_count && code == RP_OK; i++)
        code = read_items(&r, &r.elements[i], report);
    return code == RP_OK && !r.ok ? rp_mesh_fail_memory(bytes, report) : code;
}
