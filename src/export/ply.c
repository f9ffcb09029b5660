/* PLY, binary little endian: a vertex per grain with all its fields, and the bodies' triangles in a
 * file of their own. */
#include "base/memory.h"
#include "base/report.h"
#include "export/export.h"
#include "view/view.h"

#include <string.h>

/* PLY has no 64-bit integers; a double holds those up to 2^53. */
static const char *type_name(rp_field_type type)
{
    static const char *const names[] = {"float", "double", "uchar", "ushort", "uint", "double"};
    return names[type];
}

static void print_start(rp_atomic *file, const rp_export *export, size_t vertices)
{
    rp_atomic_print(file, "ply\nformat binary_little_endian 1.0\n");
    rp_atomic_print(file, "comment Repose %s, time %.17g s, SI units\n", rp_version(),
                    export->view->time);
    rp_atomic_print(file, "element vertex %zu\n", vertices);
}

/* PLY files are written vertex by vertex, so the columns are interleaved value by value. */
static void write_value(rp_atomic *file, const rp_export_column *column, int component,
                        size_t grain)
{
    size_t bytes = rp_field_type_size(column->type);
    const char *from = (const char *)column->data[component] + grain * bytes;
    if (column->type != RP_U64) {
        rp_atomic_write(file, from, bytes);
        return;
    }
    uint64_t whole;
    memcpy(&whole, from, sizeof whole);
    double value = (double)whole;
    rp_atomic_write(file, &value, sizeof value);
}

rp_code rp_export_ply_grains(const rp_export *export, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, export->stem, "ply", &file, report));
    const rp_export_columns *columns = &export->columns;
    print_start(&file, export, export->view->count);
    for (size_t i = 0; i < columns->count; i++)
        for (int c = 0; c < columns->items[i].components; c++) {
            char label[160];
            rp_export_label(&columns->items[i], c, label, sizeof label);
            rp_atomic_print(&file, "property %s %s\n", type_name(columns->items[i].type), label);
        }
    rp_atomic_print(&file, "end_header\n");
    for (size_t grain = 0; grain < export->view->count; grain++)
        for (size_t i = 0; i < columns->count; i++)
            for (int c = 0; c < columns->items[i].components; c++)
                write_value(&file, &columns->items[i], c, grain);
    return rp_atomic_finish(&file, report);
}

static rp_code write_bodies(const rp_export *export, const rp_body_mesh *bodies, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, "bodies", "ply", &file, report));
    const rp_mesh *mesh = bodies->mesh;
    print_start(&file, export, mesh->vertex_count);
    rp_atomic_print(&file,
                    "property float x\nproperty float y\nproperty float z\n"
                    "element face %zu\nproperty list uchar uint vertex_indices\n"
                    "property uint body\nend_header\n",
                    mesh->triangle_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        rp_vec3 v = mesh->vertices[i];
        const float point[3] = {(float)v.x, (float)v.y, (float)v.z};
        rp_atomic_write(&file, point, sizeof point);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint8_t corners = 3;
        rp_atomic_write(&file, &corners, sizeof corners);
        rp_atomic_write(&file, mesh->triangles[i], sizeof mesh->triangles[i]);
        rp_atomic_write(&file, &bodies->owners[i], sizeof bodies->owners[i]);
    }
    return rp_atomic_finish(&file, report);
}

rp_code rp_export_ply_bodies(const rp_export *export, rp_report *report)
{
    rp_body_mesh bodies;
    RP_TRY(rp_body_mesh_make(export, &bodies, report));
    rp_code code = write_bodies(export, &bodies, report);
    rp_body_mesh_end(&bodies);
    return code;
}

/* --- height fields ---------------------------------------------------------------------------- */

static rp_code write_height_mesh(const rp_export *export, const rp_grid *grid, const rp_mesh *mesh,
                                 rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, rp_export_grid_stem(grid).text, "ply", &file, report));
    print_start(&file, export, mesh->vertex_count);
    rp_atomic_print(&file,
                    "property float x\nproperty float y\nproperty float z\n"
                    "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
                    mesh->triangle_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        rp_vec3 v = mesh->vertices[i];
        const float point[3] = {(float)v.x, (float)v.y, (float)v.z};
        rp_atomic_write(&file, point, sizeof point);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint8_t corners = 3;
        rp_atomic_write(&file, &corners, sizeof corners);
        rp_atomic_write(&file, mesh->triangles[i], sizeof mesh->triangles[i]);
    }
    return rp_atomic_finish(&file, report);
}

/* Only height fields: PLY has no place for values at the nodes of a grid. */
static rp_code write_height_field(const rp_export *export, const rp_grid *grid, rp_report *report)
{
    if (grid->kind != RP_GRID_HEIGHT) return RP_OK;
    rp_mesh *mesh;
    RP_TRY(rp_grid_mesh(grid, &mesh, report));
    rp_code code = write_height_mesh(export, grid, mesh, report);
    rp_mesh_destroy(mesh);
    return code;
}

rp_code rp_export_ply_grids(const rp_export *export, rp_report *report)
{
    return rp_export_each_grid(export, write_height_field, report);
}
