/* Faces with many corners as triangles, by cutting off ears (Meisters, "Polygons have ears", Amer.
 * Math. Monthly 82, 1975): a convex face becomes a fan, a hollow one is not covered twice. */
#include "base/memory.h"
#include "base/report.h"
#include "geom/mesh_file.h"

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

/* The part of twice the area of a, b, c that faces along `normal`. */
static double area_along(const rp_mesh *mesh, rp_vec3 normal, uint32_t a, uint32_t b, uint32_t c)
{
    rp_vec3 p = mesh->vertices[a], q = mesh->vertices[b], r = mesh->vertices[c];
    return rp_v3_dot(normal, rp_v3_cross(rp_v3_sub(q, p), rp_v3_sub(r, p)));
}

/* Newell's normal: right for faces that are hollow or not quite flat. */
static rp_vec3 face_normal(const rp_mesh *mesh, const uint32_t *corners, int count)
{
    rp_vec3 eye = mesh->vertices[corners[0]], sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        sum = rp_v3_add(sum, rp_v3_cross(rp_v3_sub(mesh->vertices[corners[i]], eye),
                                         rp_v3_sub(mesh->vertices[corners[i + 1]], eye)));
    return sum;
}

/* Corner `tip` sticks out, and no other corner lies in the triangle with its neighbors. */
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

/* The next ear from `from` on; `from` itself where there is none, as in a face that crosses itself.
 */
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
