#include "render/solid.h"
#include "base/memory.h"
#include "base/report.h"
#include "scene/scene.h"
#include "view/view.h"

#include <string.h>

#define SEGMENTS 96        /* of round parts */
#define CREASE_COSINE 0.75 /* faces that meet more flatly than this are shaded as one */
#define SIDE_BOTTOM 16u    /* bit of RP_SIDE_WORDS */

const double rp_floor_colour[3] = {0.50, 0.48, 0.45};

rp_pose rp_solid_pose(const rp_view *view, const rp_scene *scene, int body)
{
    if (body >= view->body_count) return rp_scene_bodies(scene)[body].pose;
    const rp_body_state *state = &view->bodies[body];
    const double *p = state->position, *q = state->orientation;
    return (rp_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

/* Which triangles touch a vertex: those of vertex v are list[first[v]] to list[first[v + 1] - 1].
 */
typedef struct adjacency {
    uint32_t *first, *list;
    rp_vec3 *face; /* normals of the triangles, as long as twice their areas */
    size_t first_size, list_size, face_size;
} adjacency;

static void release_adjacency(adjacency *a)
{
    rp_release(a->first, a->first_size);
    rp_release(a->list, a->list_size);
    rp_release(a->face, a->face_size);
}

static bool find_adjacency(adjacency *a, const rp_mesh *mesh)
{
    a->first_size = (mesh->vertex_count + 2) * sizeof *a->first;
    a->list_size = 3 * mesh->triangle_count * sizeof *a->list;
    a->face_size = mesh->triangle_count * sizeof *a->face;
    a->first = rp_allocate_zero(a->first_size);
    a->list = rp_allocate(a->list_size);
    a->face = rp_allocate(a->face_size);
    if (!a->first || !a->list || !a->face) return false;

    /* Counted two places on, so that filling leaves `first` as it should be. */
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            a->first[mesh->triangles[t][k] + 2]++;
    for (size_t v = 2; v < mesh->vertex_count + 2; v++)
        a->first[v] += a->first[v - 1];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t];
        for (int k = 0; k < 3; k++)
            a->list[a->first[c[k] + 1]++] = (uint32_t)t;
        rp_vec3 p = mesh->vertices[c[0]];
        a->face[t] =
            rp_v3_cross(rp_v3_sub(mesh->vertices[c[1]], p), rp_v3_sub(mesh->vertices[c[2]], p));
    }
    return true;
}

/* The mean normal, by area, of the faces around a vertex that continue this one smoothly. */
static rp_vec3 corner_normal(const adjacency *a, uint32_t triangle, uint32_t vertex)
{
    rp_vec3 own = rp_v3_normalized(a->face[triangle]);
    rp_vec3 sum = rp_v3(0, 0, 0);
    for (uint32_t i = a->first[vertex]; i < a->first[vertex + 1]; i++) {
        rp_vec3 face = a->face[a->list[i]];
        if (rp_v3_dot(own, rp_v3_normalized(face)) > CREASE_COSINE) sum = rp_v3_add(sum, face);
    }
    return rp_v3_normalized(sum);
}

static rp_code add_mesh(rp_solids *solids, const rp_mesh *mesh, rp_pose pose, int body,
                        int material, rp_report *report)
{
    if (mesh->triangle_count == 0) return RP_OK;
    size_t wanted = solids->triangle_count + mesh->triangle_count;
    adjacency around = {0};
    if (!find_adjacency(&around, mesh) ||
        !rp_reserve((void **)&solids->triangles, &solids->triangle_capacity, solids->triangle_count,
                    wanted, sizeof *solids->triangles)) {
        release_adjacency(&around);
        return rp_fail_memory(report, wanted * sizeof *solids->triangles,
                              "the surfaces of a picture");
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_solid_triangle *triangle = &solids->triangles[solids->triangle_count++];
        triangle->body = body;
        triangle->material = material;
        for (int k = 0; k < 3; k++) {
            uint32_t v = mesh->triangles[t][k];
            triangle->corner[k] = rp_pose_to_world(pose, mesh->vertices[v]);
            triangle->normal[k] =
                rp_quat_rotate(pose.orientation, corner_normal(&around, (uint32_t)t, v));
        }
    }
    release_adjacency(&around);
    return RP_OK;
}

static rp_code add_plane(rp_solids *solids, rp_vec3 point, rp_vec3 normal, const double colour[3],
                         rp_report *report)
{
    if (!rp_reserve((void **)&solids->planes, &solids->plane_capacity, solids->plane_count,
                    solids->plane_count + 1, sizeof *solids->planes))
        return rp_fail_memory(report, sizeof *solids->planes, "planes");
    solids->planes[solids->plane_count++] =
        (rp_solid_plane){point, normal, rp_v3(colour[0], colour[1], colour[2])};
    return RP_OK;
}

static rp_code add_body(rp_solids *solids, const rp_body_spec *spec, rp_pose pose, int body,
                        rp_report *report)
{
    if (spec->shape.kind == RP_SHAPE_PLANE)
        return add_plane(solids, pose.position, rp_quat_rotate(pose.orientation, rp_v3(0, 0, 1)),
                         spec->colour, report);
    if (spec->shape.kind == RP_SHAPE_MESH)
        return add_mesh(solids, spec->shape.mesh, pose, body, 0, report);
    rp_mesh *mesh;
    RP_TRY(rp_shape_tessellate(&spec->shape, SEGMENTS, 1, &mesh, report));
    rp_code code = add_mesh(solids, mesh, pose, body, 0, report);
    rp_mesh_destroy(mesh);
    return code;
}

/* The surface of a height field; other grids are not seen. */
static rp_code add_grid(rp_solids *solids, const rp_grid *grid, rp_report *report)
{
    if (grid->kind != RP_GRID_HEIGHT) return RP_OK;
    rp_mesh *mesh;
    RP_TRY(rp_grid_mesh(grid, &mesh, report));
    rp_code code = add_mesh(solids, mesh, (rp_pose){.orientation = rp_quat_identity()}, -1,
                            grid->material, report);
    rp_mesh_destroy(mesh);
    return code;
}

/* The domain's bottom carries grains, so it shows; its other walls would only be in the way. */
static rp_code add_floor(rp_solids *solids, const rp_domain_spec *domain, rp_report *report)
{
    bool solid = isfinite(domain->low.z) && domain->low.z < domain->high.z &&
                 !(domain->open & SIDE_BOTTOM) && !(domain->periodic & 4u);
    if (!solid) return RP_OK;
    return add_plane(solids, rp_v3(0, 0, domain->low.z), rp_v3(0, 0, 1), rp_floor_colour, report);
}

rp_code rp_solids_gather(rp_solids *solids, const rp_view *view, const rp_scene *scene,
                         rp_report *report)
{
    memset(solids, 0, sizeof *solids);
    rp_code code = RP_OK;
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(scene)[i];
        if (spec->hidden || !rp_view_has_body(view, i)) continue;
        code = add_body(solids, spec, rp_solid_pose(view, scene, i), i, report);
    }
    if (code == RP_OK) code = rp_grids_check(view, report);
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        code = add_grid(solids, &view->grids[i], report);
    /* Last: of two planes at the same place the first is seen, and a body has a colour of its own.
     */
    return code == RP_OK ? add_floor(solids, &scene->domain, report) : code;
}

void rp_solids_release(rp_solids *solids)
{
    rp_release(solids->triangles, solids->triangle_capacity * sizeof *solids->triangles);
    rp_release(solids->planes, solids->plane_capacity * sizeof *solids->planes);
    memset(solids, 0, sizeof *solids);
}
