/* Shapes of bodies as triangles with normals, for drawing. A vertex of the mesh becomes as many
 * vertices as there are different normals around it: one where the surface is smooth, several on an
 * edge. */
#include "base/report.h"
#include "repose/scene_info.h"
#include "scene/scene.h"

#include <string.h>

#define CREASE_COS 0.766 /* faces that meet at more than 40 degrees have an edge between them */
#define SEGMENTS_MAX 1024

/* What the arrays of an rp_triangles are, and how large. */
typedef struct surface {
    rp_triangles shown; /* first, so that one becomes the other */
    float *positions, *normals;
    uint32_t *indices;
    size_t position_capacity, normal_capacity, index_bytes;
} surface;

/* The mesh with what is needed to find a vertex's neighbors. */
typedef struct mesh_around {
    const rp_mesh *mesh;
    rp_vec3 *normals;  /* of each triangle, as long as twice its area */
    uint32_t *starts;  /* of each vertex, in `corners`; one more behind the last */
    uint32_t *corners; /* 3 triangle + corner, by vertex */
} mesh_around;

static void find_normals(mesh_around *a)
{
    for (size_t t = 0; t < a->mesh->triangle_count; t++) {
        rp_vec3 c[3];
        rp_mesh_corners(a->mesh, t, c);
        a->normals[t] = rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0]));
    }
}

/* A counting sort of all corners by their vertex. */
static void sort_corners(mesh_around *a)
{
    const uint32_t *vertices = &a->mesh->triangles[0][0];
    size_t count = 3 * a->mesh->triangle_count;
    for (size_t i = 0; i < count; i++)
        a->starts[vertices[i] + 1]++;
    for (size_t v = 0; v < a->mesh->vertex_count; v++)
        a->starts[v + 1] += a->starts[v];
    for (size_t i = count; i-- > 0;)
        a->corners[--a->starts[vertices[i] + 1]] = (uint32_t)i;
    /* Each start has moved to that of the vertex before it. */
    memmove(a->starts, a->starts + 1, a->mesh->vertex_count * sizeof *a->starts);
    a->starts[a->mesh->vertex_count] = (uint32_t)count;
}

/* The normal of a corner: the sum over the faces around its vertex that have no edge towards its
 * own face. */
static rp_vec3 corner_normal(const mesh_around *a, uint32_t vertex, uint32_t corner)
{
    rp_vec3 own = rp_v3_normalized(a->normals[corner / 3]), sum = {0, 0, 0};
    for (uint32_t i = a->starts[vertex]; i < a->starts[vertex + 1]; i++) {
        rp_vec3 other = a->normals[a->corners[i] / 3];
        if (rp_v3_dot(own, rp_v3_normalized(other)) >= CREASE_COS) sum = rp_v3_add(sum, other);
    }
    rp_vec3 normal = rp_v3_normalized(sum);
    return rp_v3_length(normal) > 0 ? normal : own;
}

static bool add_vertex(surface *s, rp_vec3 at, const float normal[3])
{
    size_t used = 3 * s->shown.vertex_count;
    if (!rp_reserve((void **)&s->positions, &s->position_capacity, used, used + 3, sizeof(float)) ||
        !rp_reserve((void **)&s->normals, &s->normal_capacity, used, used + 3, sizeof(float)))
        return false;
    const float place[3] = {(float)at.x, (float)at.y, (float)at.z};
    memcpy(s->positions + used, place, sizeof place);
    memcpy(s->normals + used, normal, sizeof place);
    s->shown.vertex_count++;
    return true;
}

/* The vertices that one vertex of the mesh becomes: those from `first` on. */
static bool add_corners(surface *s, const mesh_around *a, uint32_t vertex)
{
    size_t first = s->shown.vertex_count;
    for (uint32_t i = a->starts[vertex]; i < a->starts[vertex + 1]; i++) {
        rp_vec3 n = corner_normal(a, vertex, a->corners[i]);
        const float normal[3] = {(float)n.x, (float)n.y, (float)n.z};
        size_t same = first;
        while (same < s->shown.vertex_count &&
               memcmp(s->normals + 3 * same, normal, sizeof normal) != 0)
            same++;
        if (same == s->shown.vertex_count && !add_vertex(s, a->mesh->vertices[vertex], normal))
            return false;
        s->indices[a->corners[i]] = (uint32_t)same;
    }
    return true;
}

static bool fill(surface *s, mesh_around *a)
{
    s->shown.triangle_count = a->mesh->triangle_count;
    find_normals(a);
    sort_corners(a);
    for (size_t v = 0; v < a->mesh->vertex_count; v++)
        if (!add_corners(s, a, (uint32_t)v)) return false;
    s->shown.positions = s->positions;
    s->shown.normals = s->normals;
    s->shown.indices = s->indices;
    return true;
}

static rp_code make(const rp_mesh *mesh, rp_triangles **out, rp_report *report)
{
    size_t normal_bytes = mesh->triangle_count * sizeof(rp_vec3);
    size_t start_bytes = (mesh->vertex_count + 1) * sizeof(uint32_t);
    size_t index_bytes = 3 * mesh->triangle_count * sizeof(uint32_t);
    surface *s = rp_allocate_zero(sizeof *s);
    mesh_around a = {.mesh = mesh,
                     .normals = rp_allocate(normal_bytes),
                     .starts = rp_allocate_zero(start_bytes),
                     .corners = rp_allocate(index_bytes)};
    if (s) s->indices = rp_allocate(index_bytes);
    if (s) s->index_bytes = index_bytes;
    bool made = s && s->indices && a.normals && a.starts && a.corners && fill(s, &a);
    rp_release(a.normals, normal_bytes);
    rp_release(a.starts, start_bytes);
    rp_release(a.corners, index_bytes);
    if (made) {
        *out = &s->shown;
        return RP_OK;
    }
    rp_triangles_destroy(s ? &s->shown : NULL);
    return rp_fail_memory(report, index_bytes + normal_bytes, "the triangles of a body");
}

rp_code rp_scene_body_triangles(const rp_scene *scene, int body, int segments, double plane_size,
                                rp_triangles **out, rp_report *report)
{
    RP_NEED(scene, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    if (body < 0 || body >= scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "there is no body %d; the scene has %d", body,
                       scene->bodies.count);
    if (segments < 3 || segments > SEGMENTS_MAX || !(plane_size > 0))
        return rp_fail(report, RP_ERROR_INPUT,
                       "round parts of %d pieces, planes of %g m: 3 to %d, and more than 0, are "
                       "allowed",
                       segments, plane_size, SEGMENTS_MAX);
    rp_mesh *mesh = NULL;
    RP_TRY(rp_shape_tessellate(&rp_scene_bodies(scene)[body].shape, segments, plane_size, &mesh,
                               report));
    rp_code code = make(mesh, out, report);
    rp_mesh_destroy(mesh);
    return code;
}

void rp_triangles_destroy(rp_triangles *triangles)
{
    if (!triangles) return;
    surface *s = (surface *)triangles;
    rp_release(s->positions, s->position_capacity * sizeof *s->positions);
    rp_release(s->normals, s->normal_capacity * sizeof *s->normals);
    rp_release(s->indices, s->index_bytes);
    rp_release(s, sizeof *s);
}
