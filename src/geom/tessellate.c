/* Triangles of a shape. All that is round is a profile turned about z; balls and the ends of
 * capsules get a profile of many points. */
#include "base/memory.h"
#include "base/report.h"
#include "geom/shape.h"
#include "math/trig.h"

static void add_quad(rp_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool *ok)
{
    rp_mesh_add_triangle(mesh, a, b, c, ok);
    rp_mesh_add_triangle(mesh, a, c, d, ok);
}

/* Corner i has the high x, y, z where bits 0, 1, 2 of i are set. */
static void add_box(rp_mesh *mesh, rp_vec3 size, bool *ok)
{
    for (int i = 0; i < 8; i++)
        rp_mesh_add_vertex(mesh,
                           rp_v3(i & 1 ? size.x / 2 : -size.x / 2, i & 2 ? size.y / 2 : -size.y / 2,
                                 i & 4 ? size.z / 2 : -size.z / 2),
                           ok);
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 6; i++)
        add_quad(mesh, faces[i][0], faces[i][1], faces[i][2], faces[i][3], ok);
}

static void add_square(rp_mesh *mesh, double edge, bool *ok)
{
    double half = edge / 2;
    uint32_t a = rp_mesh_add_vertex(mesh, rp_v3(-half, -half, 0), ok);
    uint32_t b = rp_mesh_add_vertex(mesh, rp_v3(half, -half, 0), ok);
    uint32_t c = rp_mesh_add_vertex(mesh, rp_v3(half, half, 0), ok);
    uint32_t d = rp_mesh_add_vertex(mesh, rp_v3(-half, half, 0), ok);
    add_quad(mesh, a, b, c, d, ok);
}

static void add_copy(rp_mesh *mesh, const rp_mesh *from, bool *ok)
{
    for (size_t i = 0; i < from->vertex_count && *ok; i++)
        rp_mesh_add_vertex(mesh, from->vertices[i], ok);
    for (size_t t = 0; t < from->triangle_count && *ok; t++)
        rp_mesh_add_triangle(mesh, from->triangles[t][0], from->triangles[t][1],
                             from->triangles[t][2], ok);
}

/* One vertex for a point on the axis, else a ring; gives the first one's number. */
static uint32_t add_ring(rp_mesh *mesh, rp_profile_point at, int segments, bool *ok)
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    int count = at.r > 0 ? segments : 1;
    for (int k = 0; k < count; k++) {
        double angle = 2 * RP_PI * k / segments;
        rp_mesh_add_vertex(mesh, rp_v3(at.r * rp_cos(angle), at.r * rp_sin(angle), at.z), ok);
    }
    return first;
}

/* The band between two rings. A ring of one vertex makes a fan. */
static void add_band(rp_mesh *mesh, uint32_t a, bool a_ring, uint32_t b, bool b_ring, int segments,
                     bool *ok)
{
    for (int k = 0; k < segments; k++) {
        uint32_t here = (uint32_t)k, next = (uint32_t)((k + 1) % segments);
        uint32_t a0 = a_ring ? a + here : a, a1 = a_ring ? a + next : a;
        uint32_t b0 = b_ring ? b + here : b, b1 = b_ring ? b + next : b;
        if (a_ring) rp_mesh_add_triangle(mesh, a0, a1, b1, ok);
        if (b_ring) rp_mesh_add_triangle(mesh, a0, b1, b0, ok);
    }
}

static void add_turned(rp_mesh *mesh, const rp_profile_point *points, int count, bool closed,
                       int segments, bool *ok)
{
    uint32_t start = add_ring(mesh, points[0], segments, ok), last = start;
    for (int i = 1; i < count; i++) {
        uint32_t ring = add_ring(mesh, points[i], segments, ok);
        add_band(mesh, last, points[i - 1].r > 0, ring, points[i].r > 0, segments, ok);
        last = ring;
    }
    if (closed) add_band(mesh, last, points[count - 1].r > 0, start, points[0].r > 0, segments, ok);
}

/* Points on a quarter circle, both ends included; `top` for the upper quarter. The end on the axis
 * has r = 0 exactly, so that it becomes one vertex. */
static void fill_quarter(rp_profile_point *points, int steps, double radius, double z, bool top)
{
    for (int i = 0; i <= steps; i++) {
        double angle = RP_PI / 2 * i / steps; /* up from the equator, or up from the pole */
        rp_profile_point p = {radius * rp_cos(angle), z + radius * rp_sin(angle)};
        if (!top) p = (rp_profile_point){radius * rp_sin(angle), z - radius * rp_cos(angle)};
        if (i == (top ? steps : 0)) p.r = 0;
        points[i] = p;
    }
}

static void add_capsule(rp_mesh *mesh, double radius, double height, int segments, bool *ok)
{
    int steps = segments / 4 > 1 ? segments / 4 : 1;
    size_t bytes = (size_t)(2 * steps + 2) * sizeof(rp_profile_point);
    rp_profile_point *points = rp_allocate(bytes);
    if (!points) {
        *ok = false;
        return;
    }
    fill_quarter(points, steps, radius, -height / 2, false);
    /* A ball has its equator once. */
    int upper = height > 0 ? steps + 1 : steps;
    fill_quarter(points + upper, steps, radius, height / 2, true);
    add_turned(mesh, points, upper + steps + 1, false, segments, ok);
    rp_release(points, bytes);
}

static void add_shape(rp_mesh *mesh, const rp_shape *shape, int segments, double plane_size,
                      bool *ok)
{
    rp_profile profile;
    if (rp_shape_profile(shape, &profile))
        add_turned(mesh, profile.points, profile.count, profile.closed, segments, ok);
    else if (shape->kind == RP_SHAPE_PLANE)
        add_square(mesh, plane_size, ok);
    else if (shape->kind == RP_SHAPE_BOX)
        add_box(mesh, shape->size, ok);
    else if (shape->kind == RP_SHAPE_SPHERE)
        add_capsule(mesh, shape->radius, 0, segments, ok);
    else if (shape->kind == RP_SHAPE_CAPSULE)
        add_capsule(mesh, shape->radius, shape->height, segments, ok);
    else
        add_copy(mesh, shape->mesh, ok);
}

rp_code rp_shape_tessellate(const rp_shape *shape, int segments, double plane_size, rp_mesh **out,
                            rp_report *report)
{
    RP_ASSERT(segments >= 3);
    *out = NULL;
    rp_mesh *mesh = rp_mesh_create();
    bool ok = mesh != NULL;
    if (ok) add_shape(mesh, shape, segments, plane_size, &ok);
    if (!ok) {
        rp_mesh_destroy(mesh);
        return rp_fail(report, RP_ERROR_MEMORY, "out of memory for the triangles of a shape");
    }
    *out = mesh;
    return RP_OK;
}
