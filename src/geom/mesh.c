/* Building and measuring meshes. */
#include "geom/mesh.h"
#include "base/memory.h"
#include "math/trig.h"

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
    rp_release(mesh->vertices, mesh->vertex_capacity * sizeof *mesh->vertices);
    rp_release(mesh->triangles, mesh->triangle_capacity * sizeof *mesh->triangles);
    rp_release(mesh, sizeof *mesh);
}

uint32_t rp_mesh_add_vertex(rp_mesh *mesh, rp_vec3 vertex, bool *ok)
{
    size_t count = mesh->vertex_count;
    if (count >= RP_MESH_MOST || !rp_reserve((void **)&mesh->vertices, &mesh->vertex_capacity,
                                             count, count + 1, sizeof *mesh->vertices)) {
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
    size_t count = mesh->triangle_count;
    if (count >= RP_MESH_MOST || !rp_reserve((void **)&mesh->triangles, &mesh->triangle_capacity,
                                             count, count + 1, sizeof *mesh->triangles)) {
        *ok = false;
        return;
    }
    mesh->triangles[count][0] = a;
    mesh->triangles[count][1] = b;
    mesh->triangles[count][2] = c;
    mesh->triangle_count++;
}

/* Six times the signed volume of the tetrahedron of a, b, c and the origin. */
static double triple(rp_vec3 a, rp_vec3 b, rp_vec3 c)
{
    return rp_v3_dot(a, rp_v3_cross(b, c));
}

double rp_mesh_volume(const rp_mesh *mesh)
{
    if (mesh->vertex_count == 0) return 0;
    /* Seen from a vertex instead of the origin: a small mesh far away keeps its digits. */
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

/* The solid angle of a triangle seen from the origin, positive when seen from its back (van
 * Oosterom and Strackee, "The solid angle of a plane triangle", IEEE Trans. Biomed. Eng. 30, 1983,
 * equation 8). */
static double solid_angle(rp_vec3 a, rp_vec3 b, rp_vec3 c)
{
    double la = rp_v3_length(a), lb = rp_v3_length(b), lc = rp_v3_length(c);
    double below =
        la * lb * lc + rp_v3_dot(a, b) * lc + rp_v3_dot(b, c) * la + rp_v3_dot(c, a) * lb;
    return 2 * rp_atan2(triple(a, b, c), below);
}

double rp_mesh_winding(const rp_mesh *mesh, rp_vec3 point)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        sum += solid_angle(rp_v3_sub(corners[0], point), rp_v3_sub(corners[1], point),
                           rp_v3_sub(corners[2], point));
    }
    return sum / (4 * RP_PI);
}

static rp_vec3 nearest_on_segment(rp_vec3 point, rp_vec3 a, rp_vec3 b)
{
    rp_vec3 along = rp_v3_sub(b, a);
    double square = rp_v3_dot(along, along);
    double t = square > 0 ? rp_v3_dot(rp_v3_sub(point, a), along) / square : 0;
    return rp_v3_madd(a, fmin(fmax(t, 0), 1), along);
}

/* The foot of the point on the triangle's plane when it lies inside, else on the nearest edge. */
static rp_vec3 nearest_on_triangle(rp_vec3 point, const rp_vec3 corners[3])
{
    rp_vec3 normal =
        rp_v3_cross(rp_v3_sub(corners[1], corners[0]), rp_v3_sub(corners[2], corners[0]));
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        rp_vec3 edge = rp_v3_sub(corners[(i + 1) % 3], corners[i]);
        rp_vec3 inward = rp_v3_cross(normal, edge);
        inside = inside && rp_v3_dot(inward, rp_v3_sub(point, corners[i])) > 0;
    }
    if (inside) {
        double height = rp_v3_dot(rp_v3_sub(point, corners[0]), normal);
        return rp_v3_madd(point, -height / rp_v3_dot(normal, normal), normal);
    }
    rp_vec3 best = corners[0];
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        rp_vec3 foot = nearest_on_segment(point, corners[i], corners[(i + 1) % 3]);
        rp_vec3 away = rp_v3_sub(point, foot);
        double square = rp_v3_dot(away, away);
        if (square < least) {
            least = square;
            best = foot;
        }
    }
    return best;
}

rp_vec3 rp_mesh_nearest(const rp_mesh *mesh, rp_vec3 point, size_t *triangle)
{
    rp_vec3 best = point;
    double least = INFINITY;
    *triangle = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        rp_vec3 foot = nearest_on_triangle(point, corners);
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
