/* Bodies for USD: a mesh for each, in its own frame, and where it stands as a time sample. The
 * series takes the meshes from the first of its frames, since they do not change. */
#include "base/report.h"
#include "export/digits.h"
#include "export/usda.h"
#include "scene/scene.h"

#include <string.h>

static void put_point(rp_atomic *file, rp_vec3 point)
{
    const double values[3] = {point.x, point.y, point.z};
    for (int c = 0; c < 3; c++) {
        char text[RP_DIGITS_MAX];
        size_t length = rp_digits_f32(text, (float)values[c]);
        rp_atomic_write(file, c ? ", " : "(", c ? 2 : 1);
        rp_atomic_write(file, text, length);
    }
    rp_atomic_write(file, ")", 1);
}

static void put_points(rp_atomic *file, const rp_mesh *mesh)
{
    rp_atomic_print(file, "        float3[] extent = [");
    put_point(file, mesh->bounds.low);
    rp_atomic_write(file, ", ", 2);
    put_point(file, mesh->bounds.high);
    rp_atomic_print(file, "]\n        point3f[] points = [");
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (i) rp_atomic_write(file, ", ", 2);
        put_point(file, mesh->vertices[i]);
    }
    rp_atomic_print(file, "]\n");
}

static void put_triangles(rp_atomic *file, const rp_mesh *mesh)
{
    rp_atomic_print(file, "        int[] faceVertexCounts = [");
    for (size_t i = 0; i < mesh->triangle_count; i++)
        rp_atomic_write(file, i ? ", 3" : "3", i ? 3 : 1);
    rp_atomic_print(file, "]\n        int[] faceVertexIndices = [");
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        char text[RP_DIGITS_MAX];
        size_t length = rp_digits_u64(text, mesh->triangles[i / 3][i % 3]);
        if (i) rp_atomic_write(file, ", ", 2);
        rp_atomic_write(file, text, length);
    }
    rp_atomic_print(file, "]\n");
}

static void put_shape(rp_usda *usda, const rp_body_spec *spec, const rp_mesh *mesh)
{
    put_points(&usda->file, mesh);
    put_triangles(&usda->file, mesh);
    rp_atomic_print(&usda->file,
                    "        uniform bool doubleSided = %d\n"
                    "        uniform token subdivisionScheme = \"none\"\n",
                    spec->shape.kind == RP_SHAPE_PLANE);
    rp_usda_put_colours(usda, 2, spec->colour, 0, 1, "constant");
    if (spec->hidden) rp_atomic_print(&usda->file, "        token visibility = \"invisible\"\n");
    rp_atomic_print(&usda->file, "        uniform token[] xformOpOrder = "
                                 "[\"xformOp:translate\", \"xformOp:orient\"]\n");
}

static void put_pose(rp_usda *usda, const rp_body_state *state)
{
    if (rp_usda_begin_samples(usda, 2, "double3", "xformOp:translate", NULL)) {
        rp_usda_put_tuple(usda, state->position, 3);
        rp_usda_end_samples(usda, 2);
    }
    if (rp_usda_begin_samples(usda, 2, "quatd", "xformOp:orient", NULL)) {
        rp_usda_put_tuple(usda, state->orientation, 4);
        rp_usda_end_samples(usda, 2);
    }
}

static rp_code put_body(rp_usda *usda, int index, double plane_size, rp_report *report)
{
    const rp_export *export = usda->export;
    const rp_body_spec *spec = &rp_scene_bodies(export->scene)[index];
    rp_mesh *mesh = NULL;
    rp_code code = RP_OK;
    if (usda->part == RP_USDA_FRAME)
        code = rp_export_tessellate(export, index, plane_size, &mesh, report);
    RP_TRY(code);
    char name[RP_USDA_NAME_MAX];
    rp_usda_name(spec->name, (size_t)index, name);
    rp_atomic_print(&usda->file, "    def Mesh \"%s\"\n    {\n", name);
    if (mesh) put_shape(usda, spec, mesh);
    put_pose(usda, &export->view->bodies[index]);
    rp_atomic_print(&usda->file, "    }\n");
    if (mesh) rp_mesh_destroy(mesh);
    return RP_OK;
}

static rp_code put_bodies(rp_usda *usda, rp_report *report)
{
    if (usda->part == RP_USDA_SERIES) return RP_OK;
    double plane_size = rp_export_plane_size(usda->export->scene);
    rp_code code = RP_OK;
    for (int i = 0; i < usda->export->view->body_count && code == RP_OK; i++)
        code = put_body(usda, i, plane_size, report);
    return code;
}

rp_code rp_export_usda_bodies(const rp_export *export, rp_report *report)
{
    rp_usda_prim prim = {"bodies", "Xform", "Bodies", put_bodies, true};
    return rp_usda_write(export, &prim, NULL, report);
}
