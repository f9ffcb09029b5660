/* Is a mesh the skin of a solid? Vertices and edges are looked up in hash tables with open
 * addressing: a slot holds a number plus one, zero means free. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "geom/mesh_file.h"

#include <stdio.h>
#include <string.h>

#define NUMBER_TEXT 256
#define FARTHEST 1e12 /* m, from the origin: volumes and their moments stay finite */

/* Twice what has to fit at least, and a power of two. */
static size_t table_size(size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return size;
}

/* By bits, so that even what is not a number equals itself: else a file full of them would take
 * forever. */
static bool same_place(rp_vec3 a, rp_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Gives the first vertex at the same place, which is `index` itself when it is new. */
static uint32_t find_vertex(uint32_t *slots, size_t size, const rp_vec3 *vertices, uint32_t index)
{
    rp_vec3 place = vertices[index];
    size_t slot = rp_hash(&place, sizeof place, 0) & (size - 1);
    while (slots[slot] && !same_place(vertices[slots[slot] - 1], place))
        slot = (slot + 1) & (size - 1);
    if (!slots[slot]) slots[slot] = index + 1;
    return slots[slot] - 1;
}

bool rp_mesh_join(rp_mesh *mesh)
{
    size_t size = table_size(mesh->vertex_count);
    size_t map_bytes = mesh->vertex_count * sizeof(uint32_t);
    uint32_t *slots = rp_allocate_zero(size * sizeof *slots);
    uint32_t *map = rp_allocate(map_bytes);
    bool ok = slots && map;
    size_t kept = 0;
    for (uint32_t i = 0; ok && i < mesh->vertex_count; i++) {
        /* The table sees only vertices that were kept, at their new places. */
        /* Adding zero turns -0 into 0, which is the same place. */
        mesh->vertices[kept] = rp_v3_add(mesh->vertices[i], rp_v3(0, 0, 0));
        map[i] = find_vertex(slots, size, mesh->vertices, (uint32_t)kept);
        if (map[i] == kept) kept++;
    }
    if (ok) {
        mesh->vertex_count = kept;
        for (size_t t = 0; t < mesh->triangle_count; t++)
            for (int i = 0; i < 3; i++)
                mesh->triangles[t][i] = map[mesh->triangles[t][i]];
    }
    rp_release(map, map_bytes);
    rp_release(slots, size * sizeof *slots);
    return ok;
}

bool rp_mesh_drop_unused(rp_mesh *mesh)
{
    size_t bytes = mesh->vertex_count * sizeof(uint32_t);
    uint32_t *map = rp_allocate_zero(bytes), kept = 0;
    if (!map) return false;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            map[mesh->triangles[t][i]] = 1;
    mesh->bounds.low = rp_v3(INFINITY, INFINITY, INFINITY);
    mesh->bounds.high = rp_v3(-INFINITY, -INFINITY, -INFINITY);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (!map[i]) continue;
        rp_vec3 v = mesh->vertices[kept] = mesh->vertices[i];
        mesh->bounds.low = rp_v3_min(mesh->bounds.low, v);
        mesh->bounds.high = rp_v3_max(mesh->bounds.high, v);
        map[i] = kept++;
    }
    mesh->vertex_count = kept;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            mesh->triangles[t][i] = map[mesh->triangles[t][i]];
    rp_release(map, bytes);
    return true;
}

void rp_mesh_flip(rp_mesh *mesh)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t kept = mesh->triangles[t][1];
        mesh->triangles[t][1] = mesh->triangles[t][2];
        mesh->triangles[t][2] = kept;
    }
}

static void triangle_text(const rp_mesh *mesh, size_t t, char text[NUMBER_TEXT])
{
    rp_vec3 c[3];
    char face[32] = "";
    rp_mesh_corners(mesh, t, c);
    if (mesh->origins && !mesh->origins_are_lines)
        snprintf(face, sizeof face, " (face %u)", mesh->origins[t]);
    snprintf(text, NUMBER_TEXT, "triangle %zu of %zu%s, (%g, %g, %g) (%g, %g, %g) (%g, %g, %g)",
             t + 1, mesh->triangle_count, face, c[0].x, c[0].y, c[0].z, c[1].x, c[1].y, c[1].z,
             c[2].x, c[2].y, c[2].z);
}

/* The file, with the line of a triangle where it is known. */
static rp_place place_of(const rp_mesh *mesh, size_t t, const char *name)
{
    bool known = mesh->origins && mesh->origins_are_lines;
    return (rp_place){.file = name, .line = known ? (int)mesh->origins[t] : 0};
}

rp_code rp_mesh_check_vertices(const rp_mesh *mesh, const char *name, rp_report *report)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        for (int i = 0; i < 3; i++) {
            rp_vec3 c = corners[i];
            rp_place place = place_of(mesh, t, name);
            double largest = fmax(fabs(c.x), fmax(fabs(c.y), fabs(c.z)));
            if (!isfinite(c.x + c.y + c.z) || largest > FARTHEST)
                return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                                  "vertex %d of triangle %zu is (%g, %g, %g); all coordinates must "
                                  "be finite numbers, of 1e12 m at most",
                                  i + 1, t + 1, c.x, c.y, c.z);
        }
    }
    return RP_OK;
}

/* Rounding leaves a few parts in 1e16 of the square of the longest edge. */
static bool has_area(const rp_vec3 corners[3])
{
    rp_vec3 a = rp_v3_sub(corners[1], corners[0]), b = rp_v3_sub(corners[2], corners[0]);
    rp_vec3 c = rp_v3_sub(corners[2], corners[1]);
    double longest = fmax(rp_v3_dot(a, a), fmax(rp_v3_dot(b, b), rp_v3_dot(c, c)));
    return rp_v3_length(rp_v3_cross(a, b)) > 1e-12 * longest;
}

static rp_code check_areas(const rp_mesh *mesh, const char *name, rp_report *report)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        if (has_area(corners)) continue;
        char text[NUMBER_TEXT];
        triangle_text(mesh, t, text);
        rp_place place = place_of(mesh, t, name);
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "%s has no area; remove it or merge its vertices", text);
    }
    return RP_OK;
}

/* Half edge h is the side of triangle h / 3 from corner h % 3 to the next. */
static void half_edge_ends(const rp_mesh *mesh, size_t h, uint32_t ends[2])
{
    ends[0] = mesh->triangles[h / 3][h % 3];
    ends[1] = mesh->triangles[h / 3][(h + 1) % 3];
}

/* The slot of the half edge with these ends, or the free slot where it belongs. */
static size_t edge_slot(const rp_mesh *mesh, const uint32_t *slots, size_t size,
                        const uint32_t ends[2])
{
    size_t slot = rp_hash(ends, 2 * sizeof *ends, 0) & (size - 1);
    while (slots[slot]) {
        uint32_t found[2];
        half_edge_ends(mesh, slots[slot] - 1, found);
        if (found[0] == ends[0] && found[1] == ends[1]) break;
        slot = (slot + 1) & (size - 1);
    }
    return slot;
}

rp_code rp_mesh_fail_edge(const rp_mesh *mesh, size_t h, const char *what, const char *name,
                          rp_report *report)
{
    rp_place place = place_of(mesh, h / 3, name);
    uint32_t ends[2];
    char text[NUMBER_TEXT];
    half_edge_ends(mesh, h, ends);
    triangle_text(mesh, h / 3, text);
    rp_vec3 a = mesh->vertices[ends[0]], b = mesh->vertices[ends[1]];
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "%s: its edge from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) %s; a solid needs "
        "a closed surface where triangles meet in pairs at each edge",
        text, a.x, a.y, a.z, b.x, b.y, b.z, what);
}

/* Every edge is run along as often in one direction as in the other. `times` counts the half edges
 * of each slot. */
static rp_code check_edges(const rp_mesh *mesh, uint32_t *slots, uint32_t *times, size_t size,
                           const char *name, rp_report *report)
{
    size_t count = 3 * mesh->triangle_count;
    for (size_t h = 0; h < count; h++) {
        uint32_t ends[2];
        half_edge_ends(mesh, h, ends);
        size_t slot = edge_slot(mesh, slots, size, ends);
        if (!slots[slot]) slots[slot] = (uint32_t)h + 1;
        times[slot]++;
    }
    for (size_t h = 0; h < count; h++) {
        uint32_t ends[2];
        half_edge_ends(mesh, h, ends);
        uint32_t opposite[2] = {ends[1], ends[0]};
        size_t slot = edge_slot(mesh, slots, size, ends);
        if (times[slot] <= times[edge_slot(mesh, slots, size, opposite)]) continue;
        if (times[slot] == 1) return rp_mesh_fail_edge(mesh, h, "is open", name, report);
        if (slots[slot] != h + 1)
            return rp_mesh_fail_edge(
                mesh, h, "is used in the same direction by an earlier triangle", name, report);
    }
    return RP_OK;
}

static rp_code check_closed(const rp_mesh *mesh, const char *name, rp_report *report)
{
    size_t size = table_size(3 * mesh->triangle_count), bytes = size * sizeof(uint32_t);
    uint32_t *slots = rp_allocate_zero(bytes), *times = rp_allocate_zero(bytes);
    rp_code code = slots && times ? check_edges(mesh, slots, times, size, name, report)
                                  : rp_fail_memory(report, 2 * bytes, "the edges of a mesh");
    rp_release(slots, bytes);
    rp_release(times, bytes);
    return code;
}

bool rp_mesh_is_closed(const rp_mesh *mesh)
{
    return check_closed(mesh, NULL, NULL) == RP_OK;
}

/* Two sheets back to back are closed and still hold nothing. */
rp_code rp_mesh_check_volume(const rp_mesh *mesh, const char *name, rp_report *report)
{
    rp_place place = {.file = name};
    rp_vec3 size = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    double volume = rp_mesh_volume(mesh);
    if (fabs(volume) > 1e-15 * longest * longest * longest) return RP_OK;
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "the mesh encloses no volume (%g m3 in bounds of %g x %g x %g m)", volume,
                      size.x, size.y, size.z);
}

rp_code rp_mesh_check_triangles(const rp_mesh *mesh, const char *name, rp_report *report)
{
    rp_place place = {.file = name};
    if (mesh->triangle_count == 0)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "the mesh has no triangles");
    return check_areas(mesh, name, report);
}

rp_code rp_mesh_check(const rp_mesh *mesh, const char *name, rp_report *report)
{
    RP_TRY(rp_mesh_check_vertices(mesh, name, report));
    RP_TRY(rp_mesh_check_triangles(mesh, name, report));
    RP_TRY(check_closed(mesh, name, report));
    return rp_mesh_check_volume(mesh, name, report);
}
