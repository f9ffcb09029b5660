/* glTF 2.0: the container (.glb or text), then one table for each array of the JSON: buffers,
 * buffer views, accessors, nodes. Each row is checked once, when its table is made; a row that
 * cannot be used holds the reason and is a fault only when something refers to it. */
#include "base/memory.h"
#include "base/report.h"
#include "meshfile/inside.h"

#include <string.h>

#define MAGIC 0x46546c67u      /* "glTF" */
#define CHUNK_JSON 0x4e4f534au /* "JSON" */
#define CHUNK_BIN 0x004e4942u  /* "BIN" and a zero */
#define MOST ((uint64_t)1 << 31)

rp_code rp_gltf_fail(const rp_gltf *g, const char *what, size_t number, const char *wrong,
                     rp_report *report)
{
    rp_place place = {.file = g->bytes->name};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "cannot %s: %s %zu %s", g->action, what,
                      number, wrong);
}

static rp_code fail_file(const rp_gltf *g, const char *wrong, rp_report *report)
{
    rp_place place = {.file = g->bytes->name};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "cannot %s: %s", g->action, wrong);
}

static uint32_t little(const unsigned char *b, int size)
{
    uint32_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint32_t)b[i] << (8 * i);
    return value;
}

/* --- buffers ---------------------------------------------------------------------------------- */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Returns the number of bytes, or SIZE_MAX where the text is no base64. JSON may escape a slash
 * with a backslash, which is skipped. */
static size_t decode_base64(const char *at, const char *end, unsigned char *to)
{
    size_t size = 0;
    uint32_t bits = 0;
    int held = 0;
    for (; at < end && *at != '='; at++) {
        if (*at == '\\' && at + 1 < end && at[1] == '/') continue;
        int digit = base64_digit(*at);
        if (digit < 0) return SIZE_MAX;
        bits = (bits << 6 | (uint32_t)digit) & 0xffffff;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        to[size++] = (unsigned char)(bits >> held);
    }
    while (at < end && *at == '=')
        at++;
    return at == end ? size : SIZE_MAX;
}

/* "data:TYPE;base64,BYTES" */
static const char *decode_uri(rp_gltf *g, size_t i, uint32_t uri, bool *ok)
{
    const rp_json_value *v = &g->json.values[uri];
    const char *at = g->json.text.at + v->begin, *end = g->json.text.at + v->end;
    static const char mark[] = ";base64,";
    if (end - at < 5 || memcmp(at, "data:", 5) != 0)
        return "is in another file, but a mesh is one file: export it as .glb, or as .gltf with "
               "its buffers embedded";
    while (at < end && *at != ',' && *at != ';')
        at++;
    for (; at < end && *at != ','; at++)
        if ((size_t)(end - at) >= sizeof mark - 1 && memcmp(at, mark, sizeof mark - 1) == 0) break;
    if (at == end || *at == ',') return "is not in base64";
    at += sizeof mark - 1;
    g->owned[i] = (size_t)(end - at) / 4 * 3 + 3;
    unsigned char *to = rp_allocate(g->owned[i]);
    if (!to) {
        g->owned[i] = 0;
        *ok = false;
        return NULL;
    }
    g->buffers[i].data = to;
    size_t size = decode_base64(at, end, to);
    if (size == SIZE_MAX) return "is damaged: its base64 has a strange character";
    g->buffers[i].size = size;
    return NULL;
}

static void read_buffer(rp_gltf *g, size_t i, uint32_t value, bool *ok)
{
    rp_gltf_bytes *b = &g->buffers[i];
    uint32_t uri = rp_json_member(&g->json, value, "uri");
    uint64_t length;
    if (rp_json_kind_of(&g->json, uri) == RP_JSON_STRING)
        b->wrong = decode_uri(g, i, uri, ok);
    else if (i == 0 && g->packed.data)
        *b = g->packed;
    else
        b->wrong = "has no bytes";
    if (b->wrong) return;
    if (!rp_json_count(&g->json, rp_json_member(&g->json, value, "byteLength"), MOST, &length))
        b->wrong = "has no byteLength";
    else if (length > b->size)
        b->wrong = "ends before its byteLength: the file was cut";
    else
        b->size = (size_t)length;
    g->data_size += b->size;
}

/* --- views and accessors ---------------------------------------------------------------------- */

/* Reads an optional integer; false: it is present, but of another type. */
static bool read_count(const rp_json *json, uint32_t object, const char *name, uint64_t *count)
{
    uint32_t value = rp_json_member(json, object, name);
    return value == RP_JSON_NONE || rp_json_count(json, value, MOST, count);
}

static void read_view(rp_gltf *g, size_t i, uint32_t value, bool *ok)
{
    (void)ok;
    rp_gltf_bytes *view = &g->views[i];
    uint64_t buffer = MOST, offset = 0, length = MOST, stride = 0;
    bool sound = read_count(&g->json, value, "buffer", &buffer) &&
                 read_count(&g->json, value, "byteOffset", &offset) &&
                 read_count(&g->json, value, "byteLength", &length) &&
                 read_count(&g->json, value, "byteStride", &stride);
    if (!sound || buffer >= g->buffer_count) {
        view->wrong = "names no buffer, or its numbers make no sense";
        return;
    }
    const rp_gltf_bytes *b = &g->buffers[buffer];
    view->wrong = b->wrong;
    if (b->wrong) return;
    if (offset > b->size || length > b->size - offset || stride > 252) {
        view->wrong = "lies beyond the end of its buffer";
        return;
    }
    *view = (rp_gltf_bytes){b->data + offset, (size_t)length, (size_t)stride, NULL};
}

static size_t type_size(int type)
{
    switch (type) {
    case RP_GLTF_BYTE:
    case RP_GLTF_UNSIGNED_BYTE:
        return 1;
    case RP_GLTF_SHORT:
    case RP_GLTF_UNSIGNED_SHORT:
        return 2;
    case RP_GLTF_UNSIGNED_INT:
    case RP_GLTF_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/* Returns the first of `count` elements of `size` bytes each in a view; NULL, with the reason, if
 * they do not fit. Compares by division, so that no product overflows. */
static const unsigned char *find_elements(const rp_gltf *g, uint32_t object, uint32_t count,
                                          size_t size, size_t *stride, const char **wrong)
{
    uint64_t view = MOST, offset = 0;
    *wrong = "names no buffer view";
    if (!read_count(&g->json, object, "bufferView", &view) || view >= g->view_count ||
        !read_count(&g->json, object, "byteOffset", &offset))
        return NULL;
    const rp_gltf_bytes *v = &g->views[view];
    *wrong = v->wrong;
    if (v->wrong) return NULL;
    *stride = v->stride ? v->stride : size;
    *wrong = "lies beyond the end of its buffer view";
    if (*stride < size || offset > v->size || v->size - offset < size) return NULL;
    if ((v->size - offset - size) / *stride < count - 1) return NULL;
    *wrong = NULL;
    return v->data + offset;
}

static const char *read_sparse(const rp_gltf *g, uint32_t sparse, rp_gltf_accessor *a, size_t size)
{
    uint64_t count = 0, type = 0;
    uint32_t indices = rp_json_member(&g->json, sparse, "indices");
    uint32_t values = rp_json_member(&g->json, sparse, "values");
    const char *wrong;
    size_t stride;
    if (!read_count(&g->json, sparse, "count", &count) || count < 1 || count > a->count ||
        !read_count(&g->json, indices, "componentType", &type))
        return "is sparse in a way that makes no sense";
    a->sparse_type = (int)type;
    size_t width = type_size((int)type);
    if (!width || (type != RP_GLTF_UNSIGNED_BYTE && type != RP_GLTF_UNSIGNED_SHORT &&
                   type != RP_GLTF_UNSIGNED_INT))
        return "is sparse with indices of a wrong type";
    a->sparse_indices = find_elements(g, indices, (uint32_t)count, width, &stride, &wrong);
    if (wrong) return wrong;
    if (stride != width) return "is sparse with indices that are not packed";
    a->sparse_data = find_elements(g, values, (uint32_t)count, size, &stride, &wrong);
    if (wrong) return wrong;
    if (stride != size) return "is sparse with values that are not packed";
    a->sparse_count = (uint32_t)count;
    for (uint32_t i = 0; i < a->sparse_count; i++) {
        uint32_t here = little(a->sparse_indices + i * width, (int)width);
        if (here >= a->count ||
            (i > 0 && here <= little(a->sparse_indices + (i - 1) * width, (int)width)))
            return "is sparse with indices that do not rise";
    }
    return NULL;
}

static const char *fill_accessor(const rp_gltf *g, uint32_t value, rp_gltf_accessor *a)
{
    static const char *const shapes[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    const rp_json *json = &g->json;
    uint64_t type = 0, count = 0;
    uint32_t shape = rp_json_member(json, value, "type");
    uint32_t sparse = rp_json_member(json, value, "sparse");
    for (int i = 0; i < 4; i++)
        if (rp_json_is(json, shape, shapes[i])) a->components = i + 1;
    a->normalized =
        rp_json_kind_of(json, rp_json_member(json, value, "normalized")) == RP_JSON_TRUE;
    if (!read_count(json, value, "componentType", &type) || !type_size((int)type))
        return "has no componentType that glTF knows";
    if (!read_count(json, value, "count", &count) || count < 1 || count > RP_MESH_MAX)
        return "has a count that makes no sense";
    a->type = (int)type;
    a->count = (uint32_t)count;
    size_t size = type_size(a->type) * (size_t)(a->components ? a->components : 1);
    const char *wrong = NULL;
    /* An accessor without a view is all zeros. It may not have more elements than the file has
     * bytes, so that a small file cannot ask for much memory. */
    if (rp_json_member(json, value, "bufferView") != RP_JSON_NONE)
        a->data = find_elements(g, value, a->count, size, &a->stride, &wrong);
    else if (sparse == RP_JSON_NONE || count > g->data_size)
        wrong = "has no buffer view (is the mesh compressed? export it without)";
    if (!wrong && sparse != RP_JSON_NONE) wrong = read_sparse(g, sparse, a, size);
    return wrong;
}

static void read_accessor(rp_gltf *g, size_t i, uint32_t value, bool *ok)
{
    (void)ok;
    g->accessors[i].wrong = fill_accessor(g, value, &g->accessors[i]);
}

rp_code rp_gltf_find_accessor(const rp_gltf *g, uint32_t value, int components,
                              const rp_gltf_accessor **out, rp_report *report)
{
    uint64_t number;
    if (!rp_json_count(&g->json, value, MOST, &number) || number >= g->accessor_count)
        return fail_file(g, "it names an accessor that is not there", report);
    *out = &g->accessors[number];
    if ((*out)->wrong) return rp_gltf_fail(g, "accessor", number, (*out)->wrong, report);
    if ((*out)->components != components)
        return rp_gltf_fail(g, "accessor", number, "is of the wrong type", report);
    return RP_OK;
}

/* --- elements --------------------------------------------------------------------------------- */

static double component(const unsigned char *b, int type, bool normalized)
{
    uint32_t bits = little(b, (int)type_size(type));
    float value;
    switch (type) {
    case RP_GLTF_BYTE:
        return normalized ? fmax((int8_t)bits / 127.0, -1) : (int8_t)bits;
    case RP_GLTF_UNSIGNED_BYTE:
        return normalized ? bits / 255.0 : bits;
    case RP_GLTF_SHORT:
        return normalized ? fmax((int16_t)bits / 32767.0, -1) : (int16_t)bits;
    case RP_GLTF_UNSIGNED_SHORT:
        return normalized ? bits / 65535.0 : bits;
    case RP_GLTF_FLOAT:
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    default:
        return bits;
    }
}

/* Returns the bytes of an element, NULL for zeros: a binary search among the sparse elements first.
 */
static const unsigned char *element_bytes(const rp_gltf_accessor *a, size_t index)
{
    size_t width = type_size(a->sparse_type), low = 0, high = a->sparse_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t here = little(a->sparse_indices + middle * width, (int)width);
        if (here == index)
            return a->sparse_data + middle * type_size(a->type) * (size_t)a->components;
        if (here < index)
            low = middle + 1;
        else
            high = middle;
    }
    return a->data ? a->data + index * a->stride : NULL;
}

void rp_gltf_element(const rp_gltf_accessor *a, size_t index, double *components)
{
    const unsigned char *bytes = element_bytes(a, index);
    size_t size = type_size(a->type);
    for (int k = 0; k < a->components; k++)
        components[k] = bytes ? component(bytes + (size_t)k * size, a->type, a->normalized) : 0;
}

uint32_t rp_gltf_index(const rp_gltf_accessor *a, size_t index)
{
    const unsigned char *bytes = element_bytes(a, index);
    return bytes ? little(bytes, (int)type_size(a->type)) : 0;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static rp_quat quat_of_matrix(rp_mat3 m)
{
    const double(*r)[3] = m.m;
    double trace = r[0][0] + r[1][1] + r[2][2];
    if (trace > 0)
        return rp_quat_normalized(
            (rp_quat){1 + trace, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]});
    int i = r[1][1] > r[0][0] ? 1 : 0;
    if (r[2][2] > r[i][i]) i = 2;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double v[3];
    v[i] = 1 + r[i][i] - r[j][j] - r[k][k];
    v[j] = r[j][i] + r[i][j];
    v[k] = r[k][i] + r[i][k];
    return rp_quat_normalized((rp_quat){r[k][j] - r[j][k], v[0], v[1], v[2]});
}

/* Decomposes a column-major matrix into scale and rotation. A mirror image has negative scales, so
 * that what remains is a proper rotation. */
static void decompose_matrix(rp_gltf_node *n, const double m[16])
{
    rp_mat3 turn;
    double scale[3];
    for (int c = 0; c < 3; c++) {
        scale[c] = rp_v3_length(rp_v3(m[4 * c], m[4 * c + 1], m[4 * c + 2]));
        for (int r = 0; r < 3; r++)
            n->local.linear.m[r][c] = m[4 * c + r];
    }
    double mirror = rp_m3_det(n->local.linear) < 0 ? -1 : 1;
    for (int c = 0; c < 3; c++) {
        scale[c] *= mirror;
        for (int r = 0; r < 3; r++)
            turn.m[r][c] = scale[c] != 0 ? m[4 * c + r] / scale[c] : r == c;
    }
    n->local.shift = n->translation = rp_v3(m[12], m[13], m[14]);
    n->scale = rp_v3(scale[0], scale[1], scale[2]);
    n->rotation = quat_of_matrix(turn);
}

static void compose_transform(rp_gltf_node *n)
{
    rp_mat3 turn = rp_quat_matrix(n->rotation);
    const double scale[3] = {n->scale.x, n->scale.y, n->scale.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            n->local.linear.m[r][c] = turn.m[r][c] * scale[c];
    n->local.shift = n->translation;
}

static rp_code read_transform(const rp_gltf *g, size_t i, rp_gltf_node *n, rp_report *report)
{
    const rp_json *json = &g->json;
    double m[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    uint32_t matrix = rp_json_member(json, n->value, "matrix");
    uint32_t translation = rp_json_member(json, n->value, "translation");
    uint32_t rotation = rp_json_member(json, n->value, "rotation");
    uint32_t scale = rp_json_member(json, n->value, "scale");
    bool sound = (matrix == RP_JSON_NONE || rp_json_numbers(json, matrix, 16, m)) &&
                 (translation == RP_JSON_NONE || rp_json_numbers(json, translation, 3, t)) &&
                 (rotation == RP_JSON_NONE || rp_json_numbers(json, rotation, 4, q)) &&
                 (scale == RP_JSON_NONE || rp_json_numbers(json, scale, 3, s));
    if (!sound) return rp_gltf_fail(g, "node", i, "has a transform that makes no sense", report);
    if (matrix != RP_JSON_NONE) {
        decompose_matrix(n, m);
        return RP_OK;
    }
    n->translation = rp_v3(t[0], t[1], t[2]);
    n->rotation = rp_quat_normalized((rp_quat){q[3], q[0], q[1], q[2]});
    n->scale = rp_v3(s[0], s[1], s[2]);
    compose_transform(n);
    return RP_OK;
}

/* Sets the parent of each child; a node may have one parent at most. */
static rp_code read_children(rp_gltf *g, size_t i, rp_report *report)
{
    const rp_json *json = &g->json;
    uint32_t children = rp_json_member(json, g->nodes[i].value, "children");
    uint32_t child = rp_json_first(json, children);
    for (; child != RP_JSON_NONE; child = rp_json_after(json, children, child)) {
        uint64_t number;
        if (!rp_json_count(json, child, MOST, &number) || number >= g->node_count)
            return rp_gltf_fail(g, "node", i, "has a child that is not there", report);
        if (g->nodes[number].parent != RP_JSON_NONE)
            return rp_gltf_fail(g, "node", (size_t)number, "hangs below two nodes", report);
        g->nodes[number].parent = (uint32_t)i;
    }
    return RP_OK;
}

/* Breadth-first order from the roots; a node that is not reached is its own ancestor. */
static rp_code order_nodes(rp_gltf *g, rp_report *report)
{
    size_t count = 0;
    const rp_json *json = &g->json;
    if (g->node_count == 0) return RP_OK;
    g->order = rp_allocate(g->node_count * sizeof *g->order);
    if (!g->order) return rp_mesh_fail_memory(g->bytes, report);
    for (size_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].parent == RP_JSON_NONE) g->order[count++] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) {
        uint32_t children = rp_json_member(json, g->nodes[g->order[i]].value, "children");
        uint32_t child = rp_json_first(json, children);
        for (; child != RP_JSON_NONE; child = rp_json_after(json, children, child)) {
            uint64_t number = 0;
            rp_json_count(json, child, MOST, &number);
            g->order[count++] = (uint32_t)number;
        }
    }
    if (count == g->node_count) return RP_OK;
    return fail_file(g, "a node hangs below itself", report);
}

static rp_code read_nodes(rp_gltf *g, uint32_t array, rp_report *report)
{
    rp_code code = RP_OK;
    uint32_t value = rp_json_first(&g->json, array);
    for (size_t i = 0; value != RP_JSON_NONE && code == RP_OK; i++) {
        uint64_t mesh = RP_JSON_NONE;
        rp_gltf_node *n = &g->nodes[i];
        *n = (rp_gltf_node){.value = value, .parent = RP_JSON_NONE, .mesh = RP_JSON_NONE};
        if (!read_count(&g->json, value, "mesh", &mesh))
            return rp_gltf_fail(g, "node", i, "has a mesh that makes no sense", report);
        n->mesh = (uint32_t)mesh;
        code = read_transform(g, i, n, report);
        value = rp_json_after(&g->json, array, value);
    }
    for (size_t i = 0; i < g->node_count && code == RP_OK; i++)
        code = read_children(g, i, report);
    return code == RP_OK ? order_nodes(g, report) : code;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Extensions of materials, textures and lights do not change the geometry. */
static bool is_harmless(const char *name)
{
    static const char *const starts[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
                                         "KHR_lights_", "KHR_mesh_quantization"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

static rp_code check_asset(const rp_gltf *g, rp_report *report)
{
    const rp_json *json = &g->json;
    rp_place place = {.file = g->bytes->name};
    char version[16] = "none", name[80];
    uint32_t asset = rp_json_member(json, 0, "asset");
    rp_json_text(json, rp_json_member(json, asset, "version"), version, sizeof version);
    if (strncmp(version, "2.", 2) != 0)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot %s: glTF of version 2 can be read; this file says '%s'",
                          g->action, version);
    uint32_t required = rp_json_member(json, 0, "extensionsRequired");
    uint32_t value = rp_json_first(json, required);
    for (; value != RP_JSON_NONE; value = rp_json_after(json, required, value))
        if (!rp_json_text(json, value, name, sizeof name) || !is_harmless(name))
            return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                              "cannot %s: the file needs the extension '%.60s', which is not read; "
                              "export it without (meshes without compression)",
                              g->action, name);
    return RP_OK;
}

/* Finds the JSON of the file, and the binary chunk of a .glb:
 *
 *     | magic, version, length | length, "JSON" | JSON ... | length, "BIN" | bytes ... | */
static rp_code find_json(rp_gltf *g, const char **data, size_t *size, rp_report *report)
{
    const unsigned char *b = (const unsigned char *)g->bytes->data;
    size_t total = g->bytes->size;
    *data = g->bytes->data;
    *size = total;
    if (total < 4 || little(b, 4) != MAGIC) return RP_OK;
    if (total < 20) return fail_file(g, "the file ends within its header", report);
    if (little(b + 4, 4) != 2) return fail_file(g, "GLB of version 2 can be read", report);
    if (little(b + 8, 4) > total)
        return fail_file(g, "the file is shorter than its header says: it was cut", report);
    size_t length = little(b + 12, 4);
    if (little(b + 16, 4) != CHUNK_JSON || length > total - 20)
        return fail_file(g, "the first part of a GLB file must be JSON, and end within it", report);
    *data = g->bytes->data + 20;
    *size = length;
    size_t at = 20 + length;
    if (total - at < 8) return RP_OK;
    size_t packed = little(b + at, 4);
    if (little(b + at + 4, 4) != CHUNK_BIN) return RP_OK;
    if (packed > total - at - 8)
        return fail_file(g, "the binary part of the file ends too early: it was cut", report);
    g->packed = (rp_gltf_bytes){.data = b + at + 8, .size = packed};
    return RP_OK;
}

typedef void row_reader(rp_gltf *g, size_t i, uint32_t value, bool *ok);

/* Reads an array of the JSON into a table with rows of `size` bytes. */
static bool read_table(rp_gltf *g, const char *name, void **rows, size_t size, size_t *count,
                       row_reader *reader)
{
    uint32_t array = rp_json_member(&g->json, 0, name);
    if (rp_json_kind_of(&g->json, array) != RP_JSON_ARRAY) return true;
    size_t length = rp_json_length(&g->json, array);
    if (length == 0) return true;
    *rows = rp_allocate_zero(length * size);
    if (!*rows) return false;
    *count = length;
    bool ok = true;
    uint32_t value = rp_json_first(&g->json, array);
    for (size_t i = 0; value != RP_JSON_NONE && ok; i++) {
        if (reader) reader(g, i, value, &ok);
        value = rp_json_after(&g->json, array, value);
    }
    return ok;
}

static void begin_buffer(rp_gltf *g, size_t i, uint32_t value, bool *ok)
{
    if (!g->owned) g->owned = rp_allocate_zero(g->buffer_count * sizeof *g->owned);
    if (g->owned)
        read_buffer(g, i, value, ok);
    else
        *ok = false;
}

rp_code rp_gltf_open(rp_gltf *g, const rp_mesh_bytes *bytes, const char *action, rp_report *report)
{
    *g = (rp_gltf){.bytes = bytes, .action = action};
    const char *data;
    size_t size;
    RP_TRY(find_json(g, &data, &size, report));
    RP_TRY(rp_json_parse(&g->json, bytes, data, size, report));
    RP_TRY(check_asset(g, report));
    bool ok = read_table(g, "buffers", (void **)&g->buffers, sizeof *g->buffers, &g->buffer_count,
                         begin_buffer) &&
              read_table(g, "bufferViews", (void **)&g->views, sizeof *g->views, &g->view_count,
                         read_view) &&
              read_table(g, "accessors", (void **)&g->accessors, sizeof *g->accessors,
                         &g->accessor_count, read_accessor) &&
              read_table(g, "nodes", (void **)&g->nodes, sizeof *g->nodes, &g->node_count, NULL);
    if (!ok) return rp_mesh_fail_memory(bytes, report);
    return read_nodes(g, rp_json_member(&g->json, 0, "nodes"), report);
}

void rp_gltf_destroy(rp_gltf *g)
{
    for (size_t i = 0; i < g->buffer_count && g->owned; i++)
        if (g->owned[i]) rp_release((void *)(uintptr_t)g->buffers[i].data, g->owned[i]);
    rp_release(g->owned, g->buffer_count * sizeof *g->owned);
    rp_release(g->buffers, g->buffer_count * sizeof *g->buffers);
    rp_release(g->views, g->view_count * sizeof *g->views);
    rp_release(g->accessors, g->accessor_count * sizeof *g->accessors);
    rp_release(g->order, g->node_count * sizeof *g->order);
    rp_release(g->nodes, g->node_count * sizeof *g->nodes);
    rp_json_destroy(&g->json);
}
