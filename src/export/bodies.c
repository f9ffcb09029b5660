/* The bodies of a view as one triangle mesh. */
#include "base/memory.h"
#include "export/export.h"
#include "geom/shape.h"
#include "scene/scene.h"

#include <math.h>

#define SEGMENTS 48

/* How far a shape reaches from the origin of the world; 0 for those without end. */
static double shape_reach(const rp_shape *shape, rp_vec3 position)
{
    if (shape->kind == RP_SHAPE_PLANE) return rp_v3_length(position);
    rp_box3 box = rp_shape_bounds(shape);
    rp_vec3 far = rp_v3_max(rp_v3_scale(box.low, -1), box.high);
    return rp_v3_length(position) + rp_v3_length(far);
}

double rp_export_plane_size(const rp_scene *scene)
{
    double reach = 0;
    const rp_body_spec *bodies = rp_scene_bodies(scene);
    for (int i = 0; i < scene->bodies.count; i++)
        reach = fmax(reach, shape_reach(&bodies[i].shape, bodies[i].position));
    const rp_source_spec *sources = rp_scene_sources(scene);
    for (int i = 0; i < scene->sources.count; i++)
        reach = fmax(reach, shape_reach(&sources[i].shape, sources[i].position));
    const rp_emitter_spec *emitters = rp_scene_emitters(scene);
    for (int i = 0; i < scene->emitters.count; i++)
        reach = fmax(reach, rp_v3_length(emitters[i].position));
    const double edges[4] = {scene->domain.low.x, scene->domain.low.y, scene->domain.high.x,
                             scene->domain.high.y};
    for (int i = 0; i < 4; i++)
        if (isfinite(edges[i])) reach = fmax(reach, fabs(edges[i]));
    return isfinite(reach) && reach > 0 ? 3 * reach : 1;
}

static rp_code add_body(rp_body_mesh *out, const rp_mesh *part, const rp_body_state *state,
                        uint32_t body, rp_report *report)
{
    rp_mesh *mesh = out->mesh;
    const double *p = state->position, *q = state->orientation;
    rp_pose pose = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    uint32_t first = (uint32_t)mesh->vertex_count;
    size_t before = mesh->triangle_count, after = before + part->triangle_count;
    bool ok =
        rp_reserve((void **)&out->owners, &out->owner_capacity, before, after, sizeof *out->owners);
    for (size_t i = 0; i < part->vertex_count && ok; i++)
        rp_mesh_add_vertex(mesh, rp_pose_to_world(pose, part->vertices[i]), &ok);
    for (size_t i = 0; i < part->triangle_count && ok; i++) {
        const uint32_t *t = part->triangles[i];
        out->owners[before + i] = body;
        rp_mesh_add_triangle(mesh, first + t[0], first + t[1], first + t[2], &ok);
    }
    return ok ? RP_OK : rp_fail_memory(report, after * sizeof *mesh->triangles, "bodies");
}

rp_code rp_export_tessellate(const rp_export *export, int body, double plane_size, rp_mesh **out,
                             rp_report *report)
{
    const rp_shape *shape = &rp_scene_bodies(export->scene)[body].shape;
    return rp_shape_tessellate(shape, SEGMENTS, plane_size, out, report);
}

rp_code rp_body_mesh_make(const rp_export *export, rp_body_mesh *out, rp_report *report)
{
    *out = (rp_body_mesh){.mesh = rp_mesh_create()};
    if (!out->mesh) return rp_fail_memory(report, sizeof *out->mesh, "bodies");
    double size = rp_export_plane_size(export->scene);
    rp_code code = RP_OK;
    for (int i = 0; i < export->view->body_count && code == RP_OK; i++) {
        rp_mesh *part;
        code = rp_export_tessellate(export, i, size, &part, report);
        if (code != RP_OK) break;
        code = add_body(out, part, &export->view->bodies[i], (uint32_t)i, report);
        rp_mesh_destroy(part);
    }
    if (code != RP_OK) rp_body_mesh_end(out);
    return code;
}

void rp_body_mesh_end(rp_body_mesh *bodies)
{
    if (bodies->mesh) rp_mesh_destroy(bodies->mesh);
    rp_release(bodies->owners, bodies->owner_capacity * sizeof *bodies->owners);
    *bodies = (rp_body_mesh){0};
}
