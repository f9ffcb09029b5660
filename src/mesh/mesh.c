/* The container of meshes: adding vertices and polygons, joining vertices, checks, and measures
 * that visit every triangle. */
#include "mesh/mesh.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "math/elementary.h"
#include "mesh/bvh.h"
#include "mesh/inside.h"
#include "mesh/sdf.h"
#include "mesh/triangle.h"

#include <stdio.h>
#include <string.h>

/* --- building --------------------------------------------------------------------------------- */

/* Building and measuring meshes. */

rp_mesh *rp_mesh_create(void)
{
    rp_mesh *mesh = rp_allocate_zero(sizeof *mesh);
    if (!mesh) return NULL;
    mesh->bounds.low = rp_v3(INFINITY, INFINITY, INFINITY);
    mesh->bounds.high = rp_v3(-INFINITY, -INFINITY, -INFINITY);
    return mesh;
}

void rp_mesh_destroy(rp_mesh *mesh)
{
    if (!mesh) return;
    rp_mesh_bvh_destroy(mesh->bvh);
    rp_mesh_sdf_destroy(mesh->sdf);
    rp_release(mesh->vertices, mesh->vertex_capacity * sizeof *mesh->vertices);
    rp_release(mesh->origins, mesh->origin_capacity * sizeof *mesh->origins);
    rp_release(mesh->triangles, mesh->triangle_capacity * sizeof *mesh->triangles);
    rp_release(mesh, sizeof *mesh);
}

uint32_t rp_mesh_add_vertex(rp_mesh *mesh, rp_vec3 vertex, bool *ok)
{
    RP_ASSERT(!mesh->bvh);
    size_t count = mesh->vertex_count;
    if (count >= RP_MESH_MAX || !rp_reserve((void **)&mesh->vertices, &mesh->vertex_capacity, count,
                                            count + 1, sizeof *mesh->vertices)) {
        *ok = false;
        return 0;
    }
    mesh->vertices[count] = vertex;
    mesh->vertex_count++;
    mesh->bounds.low = rp_v3_min(mesh->bounds.low, vertex);
    mesh->bounds.high = rp_v3_max(mesh->bounds.high, vertex);
    return (uint32_t)count;
}

void rp_mesh_add_triangle(rp_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, bool *ok)
{
    RP_ASSERT(!mesh->bvh);
    size_t count = mesh->triangle_count;
    if (count >= RP_MESH_MAX || !rp_reserve((void **)&mesh->triangles, &mesh->triangle_capacity,
                                            count, count + 1, sizeof *mesh->triangles)) {
        *ok = false;
        return;
    }
    mesh->triangles[count][0] = a;
    mesh->triangles[count][1] = b;
    mesh->triangles[count][2] = c;
    mesh->triangle_count++;
}

bool rp_mesh_seems_in_mm(const rp_mesh *mesh, double *length)
{
    rp_vec3 extent = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    *length = fmax(extent.x, fmax(extent.y, extent.z));
    return *length >= 25;
}

rp_code rp_mesh_prepare(rp_mesh *mesh, double spacing, rp_threads *threads, rp_report *report)
{
    rp_vec3 extent = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    if (!(spacing > 0)) spacing = longest / 48;
    rp_code code = RP_OK;
    if (!mesh->bvh) {
        mesh->closed = mesh->closed || rp_mesh_is_closed(mesh);
        code = rp_mesh_bvh_create(mesh, &mesh->bvh, report);
    }
    rp_mesh_sdf_destroy(mesh->sdf);
    mesh->sdf = NULL;
    if (code == RP_OK)
        code = rp_mesh_sdf_create(mesh, spacing, 2 * spacing, threads, &mesh->sdf, report);
    return code;
}

/* --- polygons --------------------------------------------------------------------------------- */

/* Polygons become triangles by ear clipping (Meisters, "Polygons have ears", Amer. Math. Monthly
 * 82, 1975): a convex polygon becomes a fan, a concave one is not covered twice. */

static void add_origin(rp_mesh *mesh, uint32_t origin, bool *ok)
{
    size_t count = mesh->triangle_count;
    if (!*ok || !rp_reserve((void **)&mesh->origins, &mesh->origin_capacity, count, count + 1,
                            sizeof *mesh->origins)) {
        *ok = false;
        return;
    }
    mesh->origins[count] = origin;
}

static void add_triangle(rp_mesh *mesh, const uint32_t c[3], uint32_t origin, bool *ok)
{
    add_origin(mesh, origin, ok);
    if (*ok) rp_mesh_add_triangle(mesh, c[0], c[1], c[2], ok);
}

/* Returns twice the signed area of a, b, c, projected along `normal` and times its length. */
static double area_along(const rp_mesh *mesh, rp_vec3 normal, uint32_t a, uint32_t b, uint32_t c)
{
    rp_vec3 p = mesh->vertices[a], q = mesh->vertices[b], r = mesh->vertices[c];
    return rp_v3_dot(normal, rp_v3_cross(rp_v3_sub(q, p), rp_v3_sub(r, p)));
}

/* Newell's normal, a sum of cross products: valid for polygons that are concave or not quite flat.
 */
static rp_vec3 face_normal(const rp_mesh *mesh, const uint32_t *corners, int count)
{
    rp_vec3 eye = mesh->vertices[corners[0]], sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        sum = rp_v3_add(sum, rp_v3_cross(rp_v3_sub(mesh->vertices[corners[i]], eye),
                                         rp_v3_sub(mesh->vertices[corners[i + 1]], eye)));
    return sum;
}

/* True when corner `tip` is convex and no other corner is in its triangle with its two neighbors.
 */
static bool is_ear(const rp_mesh *mesh, rp_vec3 normal, const uint32_t *ring, int count, int tip)
{
    uint32_t a = ring[(tip + count - 1) % count], b = ring[tip], c = ring[(tip + 1) % count];
    if (!(area_along(mesh, normal, a, b, c) > 0)) return false;
    for (int i = 0; i < count; i++) {
        uint32_t p = ring[i];
        if (p == a || p == b || p == c) continue;
        if (area_along(mesh, normal, a, b, p) >= 0 && area_along(mesh, normal, b, c, p) >= 0 &&
            area_along(mesh, normal, c, a, p) >= 0)
            return false;
    }
    return true;
}

/* Returns the next ear from `from` on; `from` itself where there is none, as in a polygon that
 * crosses itself. */
static int find_ear(const rp_mesh *mesh, rp_vec3 normal, const uint32_t *ring, int count, int from)
{
    for (int i = 0; i < count; i++) {
        int tip = (from + i) % count;
        if (is_ear(mesh, normal, ring, count, tip)) return tip;
    }
    return from;
}

void rp_mesh_add_face(rp_mesh *mesh, const uint32_t *corners, int count, uint32_t origin, bool *ok)
{
    RP_ASSERT(count >= 3 && count <= RP_FACE_CORNERS);
    if (count == 3) {
        add_triangle(mesh, corners, origin, ok);
        return;
    }
    uint32_t ring[RP_FACE_CORNERS];
    for (int i = 0; i < count; i++)
        ring[i] = corners[i];
    rp_vec3 normal = face_normal(mesh, corners, count);
    int tip = 1;
    while (count > 3 && *ok) {
        tip = find_ear(mesh, normal, ring, count, tip % count);
        const uint32_t ear[3] = {ring[(tip + count - 1) % count], ring[tip],
                                 ring[(tip + 1) % count]};
        add_triangle(mesh, ear, origin, ok);
        count--;
        for (int i = tip; i < count; i++)
            ring[i] = ring[i + 1];
    }
    if (*ok) add_triangle(mesh, ring, origin, ok);
}

/* --- joining and checks ----------------------------------------------------------------------- */

/* Is a mesh the surface of a solid? Vertices and edges are looked up in hash tables with open
 * addressing and linear probing: a slot holds an index plus one, zero means free. */

#define NUMBER_TEXT 256
#define FARTHEST 1e12 /* m, from the origin: volumes and their moments stay finite */

/* Returns a power of two, at least twice the number of entries. */
static size_t table_size(size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return size;
}

/* Compares bits, so that even NaN equals itself: else a file full of them would probe the whole
 * table for every vertex. */
static bool same_place(rp_vec3 a, rp_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Returns the first vertex at the same position, which is `index` itself when it is new. */
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
        /* Compacts in place: the table sees only vertices that stay, at their new indices. Adding
         * zero turns -0 into 0, which is the same position. */
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
    /* Marks the vertices in use, then replaces the marks by new indices. */
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

/* Returns the place of a triangle for messages: the file, and the line where it is known. */
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

/* The limit is well above rounding, which leaves some 1e-16 of the square of the longest edge. */
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

/* Returns the slot of the half edge with these ends, or the free slot where it belongs. */
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

/* Checks that every edge is used as often in one direction as in the other. `times` counts the half
 * edges of each slot: first all are counted, then each is compared with its opposite. */
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

/* Two sheets back to back are closed and still enclose no volume. */
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

/* --- measures --------------------------------------------------------------------------------- */

/* Six times the signed volume of the tetrahedron of a, b, c and the origin. */

static double triple(rp_vec3 a, rp_vec3 b, rp_vec3 c)
{
    return rp_v3_dot(a, rp_v3_cross(b, c));
}

double rp_mesh_volume(const rp_mesh *mesh)
{
    if (mesh->vertex_count == 0) return 0;
    /* Relative to a vertex instead of the origin: a small mesh far away keeps its digits. */
    rp_vec3 eye = mesh->vertices[0];
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        sum += triple(rp_v3_sub(corners[0], eye), rp_v3_sub(corners[1], eye),
                      rp_v3_sub(corners[2], eye));
    }
    return sum / 6;
}

double rp_mesh_winding(const rp_mesh *mesh, rp_vec3 point)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        rp_half_angle half =
            rp_solid_half_angle(rp_v3_sub(corners[0], point), rp_v3_sub(corners[1], point),
                                rp_v3_sub(corners[2], point));
        sum += 2 * rp_atan2(half.im, half.re);
    }
    return sum / (4 * RP_PI);
}

rp_vec3 rp_mesh_nearest(const rp_mesh *mesh, rp_vec3 point, size_t *triangle)
{
    rp_vec3 best = point;
    double least = INFINITY;
    *triangle = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        rp_vec3 foot = rp_nearest_on_triangle(point, corners);
        rp_vec3 away = rp_v3_sub(point, foot);
        double square = rp_v3_dot(away, away);
        if (square < least) {
            least = square;
            best = foot;
            *triangle = t;
        }
    }
    return best;
}
