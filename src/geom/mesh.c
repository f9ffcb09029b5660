/* Building and measuring meshes. */
#include "geom/mesh.h"
#include "base/memory.h"
#include "base/report.h"
#include "geom/field.h"
#include "geom/tree.h"
#include "geom/triangle.h"
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
    rp_mesh_bvh_destroy(mesh->tree);
    rp_mesh_sdf_destroy(mesh->field);
    rp_release(mesh->vertices, mesh->vertex_capacity * sizeof *mesh->vertices);
    rp_release(mesh->origins, mesh->origin_capacity * sizeof *mesh->origins);
    rp_release(mesh->triangles, mesh->triangle_capacity * sizeof *mesh->triangles);
    rp_release(mesh, sizeof *mesh);
}

uint32_t rp_mesh_add_vertex(rp_mesh *mesh, rp_vec3 vertex, bool *ok)
{
    RP_ASSERT(!mesh->tree);
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
    RP_ASSERT(!mesh->tree);
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
    if (!mesh->tree) {
        mesh->closed = mesh->closed || rp_mesh_is_closed(mesh);
        code = rp_mesh_bvh_create(mesh, &mesh->tree, report);
    }
    rp_mesh_sdf_destroy(mesh->field);
    mesh->field = NULL;
    if (code == RP_OK)
        code = rp_mesh_sdf_create(mesh, spacing, 2 * spacing, threads, &mesh->field, report);
    return code;
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
