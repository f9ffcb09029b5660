/* Meshes of glTF files: the triangles of all primitives, transformed by the nodes of the scene that
 * refer to them. */
#include "base/memory.h"
#include "base/report.h"
#include "meshfile/inside.h"

/* Nodes may instance one mesh many times: so many triangles more than the file has bytes are
 * allowed. */
#define INSTANCED_MOST ((size_t)1 << 20)

enum { LIST = 4, STRIP = 5, FAN = 6 };

typedef struct primitive {
    uint32_t value;
    int mode;
    const rp_gltf_accessor *positions, *indices; /* no indices: the vertices in their order */
    size_t corners, triangles;
} primitive;

typedef struct part {
    size_t first, count; /* of the primitives */
} part;

typedef struct reading {
    rp_gltf gltf;
    rp_mesh *mesh;
    part *parts; /* one per mesh of the file */
    primitive *primitives;
    rp_gltf_affine *places; /* transform of each node to the frame of the file */
    uint8_t *shown;         /* of each node: it belongs to the scene */
    size_t part_count, primitive_count, primitive_capacity;
    /* Of each vertex of a primitive: its number in the mesh, and the instance that it was made for.
     */
    uint32_t *numbers, *instances;
    size_t widest; /* vertices of a primitive at most */
    uint32_t instance;
    size_t left_out; /* primitives of points and lines */
    bool ok;         /* memory lasts */
} reading;

/* --- primitives ------------------------------------------------------------------------------- */

static rp_code find_data(reading *r, primitive *p, size_t mesh, rp_report *report)
{
    const rp_gltf *g = &r->gltf;
    const rp_json *json = &g->json;
    uint32_t attributes = rp_json_member(json, p->value, "attributes");
    uint32_t indices = rp_json_member(json, p->value, "indices");
    RP_TRY(rp_gltf_find_accessor(g, rp_json_member(json, attributes, "POSITION"), 3, &p->positions,
                                 report));
    if (indices != RP_JSON_NONE) RP_TRY(rp_gltf_find_accessor(g, indices, 1, &p->indices, report));
    int type = p->indices ? p->indices->type : RP_GLTF_UNSIGNED_INT;
    if (type != RP_GLTF_UNSIGNED_BYTE && type != RP_GLTF_UNSIGNED_SHORT &&
        type != RP_GLTF_UNSIGNED_INT)
        return rp_gltf_fail(g, "mesh", mesh, "has indices that are no whole numbers", report);
    p->corners = p->indices ? p->indices->count : p->positions->count;
    if (p->mode == LIST && p->corners % 3 != 0)
        return rp_gltf_fail(g, "mesh", mesh, "has a triangle with less than three corners", report);
    p->triangles = p->mode == LIST ? p->corners / 3 : p->corners < 3 ? 0 : p->corners - 2;
    if (p->positions->count > r->widest) r->widest = p->positions->count;
    return RP_OK;
}

static rp_code read_primitive(reading *r, uint32_t value, size_t mesh, rp_report *report)
{
    uint64_t mode = LIST;
    uint32_t given = rp_json_member(&r->gltf.json, value, "mode");
    if (given != RP_JSON_NONE && !rp_json_count(&r->gltf.json, given, FAN, &mode))
        return rp_gltf_fail(&r->gltf, "mesh", mesh, "has a mode that glTF does not know", report);
    if (mode < LIST) {
        r->left_out++;
        return RP_OK;
    }
    if (!rp_reserve((void **)&r->primitives, &r->primitive_capacity, r->primitive_count,
                    r->primitive_count + 1, sizeof *r->primitives))
        return rp_mesh_fail_memory(r->gltf.bytes, report);
    primitive *p = &r->primitives[r->primitive_count++];
    *p = (primitive){.value = value, .mode = (int)mode};
    return find_data(r, p, mesh, report);
}

static rp_code read_parts(reading *r, rp_report *report)
{
    const rp_json *json = &r->gltf.json;
    uint32_t meshes = rp_json_member(json, 0, "meshes"), value = rp_json_first(json, meshes);
    r->part_count =
        rp_json_kind_of(json, meshes) == RP_JSON_ARRAY ? rp_json_length(json, meshes) : 0;
    if (r->part_count == 0) return RP_OK;
    r->parts = rp_allocate_zero(r->part_count * sizeof *r->parts);
    if (!r->parts) return rp_mesh_fail_memory(r->gltf.bytes, report);
    rp_code code = RP_OK;
    for (size_t i = 0; i < r->part_count; i++, value = rp_json_after(json, meshes, value)) {
        uint32_t array = rp_json_member(json, value, "primitives");
        uint32_t one = rp_json_first(json, array);
        r->parts[i].first = r->primitive_count;
        for (; one != RP_JSON_NONE && code == RP_OK; one = rp_json_after(json, array, one))
            code = read_primitive(r, one, i, report);
        r->parts[i].count = r->primitive_count - r->parts[i].first;
        if (code != RP_OK) break;
    }
    return code;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Returns the composition: first `inner`, then `outer`. */
static rp_gltf_affine affine_after(rp_gltf_affine outer, rp_gltf_affine inner)
{
    return (rp_gltf_affine){rp_m3_mul(outer.linear, inner.linear),
                            rp_v3_add(rp_m3_apply(outer.linear, inner.shift), outer.shift)};
}

/* Marks the roots of the default scene; in a file without scenes, all roots. */
static rp_code mark_roots(reading *r, rp_report *report)
{
    const rp_gltf *g = &r->gltf;
    const rp_json *json = &g->json;
    uint64_t wanted = 0;
    uint32_t scenes = rp_json_member(json, 0, "scenes"), scene = rp_json_first(json, scenes);
    uint32_t given = rp_json_member(json, 0, "scene");
    if (scene == RP_JSON_NONE) {
        for (size_t i = 0; i < g->node_count; i++)
            r->shown[i] = g->nodes[i].parent == RP_JSON_NONE;
        return RP_OK;
    }
    if (given != RP_JSON_NONE && !rp_json_count(json, given, RP_JSON_VALUES, &wanted))
        wanted = RP_JSON_VALUES;
    for (uint64_t i = 0; i < wanted && scene != RP_JSON_NONE; i++)
        scene = rp_json_after(json, scenes, scene);
    uint32_t roots = rp_json_member(json, scene, "nodes"), root = rp_json_first(json, roots);
    for (; root != RP_JSON_NONE; root = rp_json_after(json, roots, root)) {
        uint64_t number;
        if (!rp_json_count(json, root, RP_JSON_VALUES, &number) || number >= g->node_count)
            return rp_gltf_fail(g, "scene", (size_t)wanted, "has a node that is not there", report);
        r->shown[number] = g->nodes[number].parent == RP_JSON_NONE;
    }
    return RP_OK;
}

/* Computes the transform of every node, whether it belongs to the scene, and the number of
 * triangles. */
static rp_code place_nodes(reading *r, rp_report *report)
{
    const rp_gltf *g = &r->gltf;
    rp_place place = {.file = g->bytes->name};
    if (g->node_count == 0) return RP_OK;
    r->places = rp_allocate(g->node_count * sizeof *r->places);
    r->shown = rp_allocate_zero(g->node_count);
    if (!r->places || !r->shown) return rp_mesh_fail_memory(g->bytes, report);
    rp_code code = mark_roots(r, report);
    size_t triangles = 0, most = g->bytes->size + INSTANCED_MOST;
    for (size_t i = 0; i < g->node_count && code == RP_OK; i++) {
        uint32_t n = g->order[i];
        const rp_gltf_node *node = &g->nodes[n];
        bool root = node->parent == RP_JSON_NONE;
        r->places[n] = root ? node->local : affine_after(r->places[node->parent], node->local);
        if (!root) r->shown[n] = r->shown[node->parent];
        if (!r->shown[n] || node->mesh == RP_JSON_NONE) continue;
        if (node->mesh >= r->part_count)
            return rp_gltf_fail(g, "node", n, "names a mesh that is not there", report);
        const part *p = &r->parts[node->mesh];
        for (size_t k = 0; k < p->count && triangles <= most; k++)
            triangles += 1 + r->primitives[p->first + k].triangles;
        if (triangles > most)
            return rp_fail_at(
                report, RP_ERROR_INPUT, &place, NULL,
                "cannot read mesh: its nodes repeat meshes to more than %zu triangles; "
                "simplify it",
                most);
    }
    return code;
}

/* --- triangles -------------------------------------------------------------------------------- */

static uint32_t corner_of(const primitive *p, size_t i)
{
    return p->indices ? rp_gltf_index(p->indices, i) : (uint32_t)i;
}

/* Computes the corners of a triangle as indices of the primitive. Every second triangle of a strip
 * has the opposite orientation in the file. */
static void corners_of(const primitive *p, size_t t, uint32_t corners[3])
{
    size_t at[3] = {3 * t, 3 * t + 1, 3 * t + 2};
    if (p->mode == STRIP) {
        at[0] = t;
        at[1] = t + 1 + t % 2;
        at[2] = t + 2 - t % 2;
    } else if (p->mode == FAN) {
        at[0] = t + 1;
        at[1] = t + 2;
        at[2] = 0;
    }
    for (int i = 0; i < 3; i++)
        corners[i] = corner_of(p, at[i]);
}

/* Returns the vertex of the mesh for a vertex of the primitive, which is made at its first use. */
static uint32_t vertex_of(reading *r, const primitive *p, const rp_gltf_affine *place, uint32_t v)
{
    if (r->instances[v] == r->instance) return r->numbers[v];
    double at[3];
    rp_gltf_element(p->positions, v, at);
    rp_vec3 here = rp_v3_add(rp_m3_apply(place->linear, rp_v3(at[0], at[1], at[2])), place->shift);
    r->instances[v] = r->instance;
    r->numbers[v] = rp_mesh_add_vertex(r->mesh, rp_v3_scale(here, r->gltf.bytes->scale), &r->ok);
    return r->numbers[v];
}

static rp_code take_primitive(reading *r, const primitive *p, const rp_gltf_affine *place,
                              rp_report *report)
{
    /* A mirror image reverses the orientation of triangles. */
    bool mirrored = rp_m3_det(place->linear) < 0;
    r->instance++;
    for (size_t t = 0; t < p->triangles && r->ok; t++) {
        uint32_t c[3];
        corners_of(p, t, c);
        if (c[0] >= p->positions->count || c[1] >= p->positions->count ||
            c[2] >= p->positions->count)
            return rp_gltf_fail(&r->gltf, "a triangle of accessor",
                                (size_t)(p->positions - r->gltf.accessors),
                                "names a vertex that is not there", report);
        /* Strips change direction by degenerate triangles. */
        if (p->mode != LIST && (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])) continue;
        for (int i = 0; i < 3; i++)
            c[i] = vertex_of(r, p, place, c[i]);
        if (r->ok)
            rp_mesh_add_triangle(r->mesh, c[0], c[mirrored ? 2 : 1], c[mirrored ? 1 : 2], &r->ok);
    }
    return RP_OK;
}

static rp_code take_nodes(reading *r, rp_report *report)
{
    const rp_gltf *g = &r->gltf;
    rp_code code = RP_OK;
    r->numbers = rp_allocate(r->widest * sizeof *r->numbers);
    r->instances = rp_allocate_zero(r->widest * sizeof *r->instances);
    if (r->widest && (!r->numbers || !r->instances)) return rp_mesh_fail_memory(g->bytes, report);
    for (size_t n = 0; n < g->node_count && code == RP_OK; n++) {
        if (!r->shown[n] || g->nodes[n].mesh == RP_JSON_NONE) continue;
        const part *p = &r->parts[g->nodes[n].mesh];
        for (size_t k = 0; k < p->count && code == RP_OK && r->ok; k++)
            code = take_primitive(r, &r->primitives[p->first + k], &r->places[n], report);
    }
    if (r->left_out)
        rp_log(RP_LOG_WARNING, "%s: %zu primitives of points or lines are left out", g->bytes->name,
               r->left_out);
    return code == RP_OK && !r->ok ? rp_mesh_fail_memory(g->bytes, report) : code;
}

rp_code rp_mesh_read_gltf(const rp_mesh_bytes *bytes, rp_mesh *mesh, rp_report *report)
{
    reading r = {.mesh = mesh, .ok = true};
    rp_code code = rp_gltf_open(&r.gltf, bytes, "read mesh", report);
    if (code == RP_OK) code = read_parts(&r, report);
    if (code == RP_OK) code = place_nodes(&r, report);
    if (code == RP_OK) code = take_nodes(&r, report);
    rp_release(r.numbers, r.widest * sizeof *r.numbers);
    rp_release(r.instances, r.widest * sizeof *r.instances);
    rp_release(r.places, r.gltf.node_count * sizeof *r.places);
    rp_release(r.shown, r.gltf.node_count);
    rp_release(r.primitives, r.primitive_capacity * sizeof *r.primitives);
    rp_release(r.parts, r.part_count * sizeof *r.parts);
    rp_gltf_destroy(&r.gltf);
    return code;
}
