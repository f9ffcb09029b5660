/* Grids: VTK image data for ParaView (.vti, raw values behind the XML), the surfaces of height
 * fields as triangles (PLY), and tables with a row per node (CSV). The files of grid NAME are
 * grid-NAME-000012.*. */
#include "base/report.h"
#include "export/digits.h"
#include "export/export.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct stem {
    char text[sizeof "grid-" + RP_GRID_NAME_MAX];
} stem;

static stem stem_of(const rp_grid *grid)
{
    stem made;
    snprintf(made.text, sizeof made.text, "grid-%s", grid->name);
    return made;
}

/* Calls a writer for each grid. */
typedef rp_code grid_writer(const rp_export *export, const rp_grid *grid, rp_report *report);

static rp_code each_grid(const rp_export *export, grid_writer *write, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < export->view->grid_count && code == RP_OK; i++)
        code = write(export, &export->view->grids[i], report);
    return code;
}

/* --- vti -------------------------------------------------------------------------------------- */

static void print_extent(rp_atomic *file, const char *key, const rp_grid *grid)
{
    rp_atomic_print(file, " %s=\"0 %zu 0 %zu 0 %zu\"", key, grid->size[0] - 1, grid->size[1] - 1,
                    grid->size[2] - 1);
}

static void print_header(rp_atomic *file, const rp_grid *grid, double time)
{
    const double *o = grid->origin, *s = grid->spacing;
    rp_atomic_print(file, "<?xml version=\"1.0\"?>\n"
                          "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                          "header_type=\"UInt64\">\n  <ImageData");
    print_extent(file, "WholeExtent", grid);
    rp_atomic_print(file, " Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\">\n", o[0],
                    o[1], o[2], s[0], s[1], s[2]);
    rp_atomic_print(file,
                    "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                    "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n    </FieldData>\n"
                    "    <Piece",
                    time);
    print_extent(file, "Extent", grid);
    rp_atomic_print(file,
                    ">\n      <PointData Scalars=\"%s\">\n        <DataArray type=\"Float32\" "
                    "Name=\"%s\" NumberOfComponents=\"1\" format=\"appended\" offset=\"0\"/>\n"
                    "      </PointData>\n    </Piece>\n  </ImageData>\n"
                    "  <AppendedData encoding=\"raw\">\n_",
                    grid->name, grid->name);
}

static rp_code write_vti(const rp_export *export, const rp_grid *grid, rp_report *report)
{
    stem name = stem_of(grid);
    rp_atomic file;
    RP_TRY(rp_export_open(export, name.text, "vti", &file, report));
    uint64_t bytes = rp_grid_count(grid) * sizeof *grid->values;
    print_header(&file, grid, export->view->time);
    rp_atomic_write(&file, &bytes, sizeof bytes);
    rp_atomic_write(&file, grid->values, (size_t)bytes);
    rp_atomic_print(&file, "\n  </AppendedData>\n</VTKFile>\n");
    rp_code code = rp_atomic_finish(&file, report);
    return code == RP_OK ? rp_export_series_update(export, name.text, "vti", report) : code;
}

rp_code rp_export_vtp_grids(const rp_export *export, rp_report *report)
{
    return each_grid(export, write_vti, report);
}

/* --- ply -------------------------------------------------------------------------------------- */

static rp_code write_mesh(const rp_export *export, const rp_grid *grid, const rp_mesh *mesh,
                          rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, stem_of(grid).text, "ply", &file, report));
    rp_export_ply_start(&file, export, mesh->vertex_count);
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

/* Values without a surface are nothing that PLY could hold. */
static rp_code write_ply(const rp_export *export, const rp_grid *grid, rp_report *report)
{
    if (grid->kind != RP_GRID_HEIGHT) return RP_OK;
    rp_mesh *mesh;
    RP_TRY(rp_grid_mesh(grid, &mesh, report));
    rp_code code = write_mesh(export, grid, mesh, report);
    rp_mesh_destroy(mesh);
    return code;
}

rp_code rp_export_ply_grids(const rp_export *export, rp_report *report)
{
    return each_grid(export, write_ply, report);
}

/* --- csv -------------------------------------------------------------------------------------- */

static void print_node(rp_atomic *file, const rp_grid *grid, size_t i, size_t j, size_t k)
{
    rp_vec3 at = rp_grid_point(grid, i, j, k);
    char text[RP_DIGITS_MAX];
    size_t place = (k * grid->size[1] + j) * grid->size[0] + i;
    size_t length = rp_digits_f32(text, grid->values[place]);
    rp_atomic_print(file, "%.9g,%.9g,%.9g,", at.x, at.y, at.z);
    rp_atomic_write(file, text, length);
    rp_atomic_write(file, "\n", 1);
}

static rp_code write_csv(const rp_export *export, const rp_grid *grid, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, stem_of(grid).text, "csv", &file, report));
    rp_atomic_print(&file, "Px,Py,Pz,%s\n", grid->name);
    for (size_t k = 0; k < grid->size[2]; k++)
        for (size_t j = 0; j < grid->size[1]; j++)
            for (size_t i = 0; i < grid->size[0]; i++)
                print_node(&file, grid, i, j, k);
    return rp_atomic_finish(&file, report);
}

rp_code rp_export_csv_grids(const rp_export *export, rp_report *report)
{
    return each_grid(export, write_csv, report);
}
