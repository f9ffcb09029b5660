/* VTK's XML files for ParaView: poly data (.vtp) for grains, bodies and contacts, image data (.vti)
 * for grids, and a series file (.pvd) for each. The XML comes first and describes arrays; their raw
 * values follow as "appended data", so that a million grains need no text.
 *
 * The grains are one poly-vertex cell: without a cell ParaView shows nothing, and with one cell for
 * each the file would be twice as large. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "contact/contact.h"
#include "export/export.h"
#include "record/record.h"
#include "system/disk.h"
#include "view/view.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the series file: STEM.pvd ---------------------------------------------------------------- */

/* The series lists all exported frames with their times. The times of earlier frames are read from
 * the existing series file, or from the first lines of files that it does not list. */

struct moment {
    int64_t number;
    double time; /* s; NaN while unknown */
};

struct series {
    struct moment *moments; /* numbers rising */
    size_t count;
    const char *stem, *ending; /* of its files */
};

static rp_path file_path(const rp_export *export, const struct series *series, int64_t number)
{
    rp_path path;
    if (number < 0)
        snprintf(path.text, sizeof path.text, "%s/%s.pvd", export->folder, series->stem);
    else
        snprintf(path.text, sizeof path.text, "%s/%s-%06" PRId64 ".%s", export->folder,
                 series->stem, number, series->ending);
    return path;
}

/* The number that follows `mark`, or NaN. */
static double number_behind(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    if (!at) return NAN;
    char *end;
    double value = rp_locale_number(at + strlen(mark), &end);
    return end > at + strlen(mark) ? value : NAN;
}

static struct moment *find_moment(const struct series *series, int64_t number)
{
    size_t low = 0, high = series->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (series->moments[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < series->count && series->moments[low].number == number;
    return found ? &series->moments[low] : NULL;
}

/* Reads the times of the frames from the lines of the existing series file; other lines are
 * skipped. */
static void read_series(const struct series *series, char *text)
{
    char mark[80], *rest = NULL;
    snprintf(mark, sizeof mark, "file=\"%s-", series->stem);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *file = strstr(line, mark);
        struct moment *known = file ? find_moment(series, atoll(file + strlen(mark))) : NULL;
        if (known) known->time = number_behind(line, "timestep=\"");
    }
}

/* The time of a frame, from the first lines of its file. */
static double file_time(const char *path)
{
    char head[2048];
    size_t size = 0;
    if (!rp_disk_is(path, RP_FILE_PLAIN) || rp_system_read(path, head, sizeof head - 1, &size))
        return NAN;
    head[size] = 0;
    const char *field = strstr(head, "Name=\"TimeValue\"");
    return field ? number_behind(field, ">") : NAN;
}

static void find_times(const rp_export *export, struct series *series)
{
    char *text;
    size_t size;
    rp_path path = file_path(export, series, -1);
    if (rp_disk_has(path.text) && rp_file_read(path.text, &text, &size, NULL) == RP_OK) {
        read_series(series, text);
        rp_release(text, size + 1);
    }
    for (size_t i = 0; i < series->count; i++) {
        struct moment *moment = &series->moments[i];
        if (moment->number == export->number)
            moment->time = export->view->time;
        else if (isnan(moment->time))
            moment->time = file_time(file_path(export, series, moment->number).text);
    }
}

static rp_code write_series(const rp_export *export, const struct series *series, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_atomic_open(&file, file_path(export, series, -1).text, report));
    rp_atomic_print(&file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                           "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (size_t i = 0; i < series->count; i++)
        if (!isnan(series->moments[i].time))
            rp_atomic_print(
                &file,
                "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"%s-%06" PRId64 ".%s\"/>\n",
                series->moments[i].time, series->stem, series->moments[i].number, series->ending);
    rp_atomic_print(&file, "  </Collection>\n</VTKFile>\n");
    return rp_atomic_finish(&file, report);
}

static rp_code update_series(const rp_export *export, const char *stem, const char *ending,
                             rp_report *report)
{
    char before[80], after[16];
    rp_numbers numbers;
    snprintf(before, sizeof before, "%s-", stem);
    snprintf(after, sizeof after, ".%s", ending);
    rp_code code = rp_folder_numbers(export->folder, before, after, &numbers, report);
    RP_TRY(code);
    struct series series = {.count = numbers.count, .stem = stem, .ending = ending};
    size_t bytes = series.count * sizeof *series.moments;
    series.moments = rp_allocate(bytes);
    if (series.moments) {
        for (size_t i = 0; i < series.count; i++)
            series.moments[i] = (struct moment){numbers.items[i], NAN};
        find_times(export, &series);
        code = write_series(export, &series, report);
    } else {
        code = rp_fail_memory(report, bytes, "a series");
    }
    rp_release(series.moments, bytes);
    rp_numbers_end(&numbers);
    return code;
}

/* --- poly data: STEM-NUMBER.vtp --------------------------------------------------------------- */

#define ARRAYS_MAX 64

/* One array of the appended data. */
struct block {
    const char *section; /* "PointData", "Points" … in the order of the file */
    const char *name, *type;
    int components;
    size_t value_bytes, count;
    const void *data[3]; /* an array per component, or one with the components side by side; none:
                            the numbers 0, 1, 2 … */
};

struct layout {
    struct block blocks[ARRAYS_MAX];
    int count;
    size_t points, verts, lines, polys;
};

static const char *type_name(rp_field_type type)
{
    static const char *const names[] = {"Float32", "Float64", "UInt8",
                                        "UInt16",  "UInt32",  "UInt64"};
    return names[type];
}

static size_t block_bytes(const struct block *array)
{
    return array->count * (size_t)array->components * array->value_bytes;
}

/* Adds an array; those beyond the capacity are left out, and the standard ones come first. */
static void add(struct layout *file, struct block array)
{
    if (file->count < ARRAYS_MAX) file->blocks[file->count++] = array;
}

/* The XML elements of the arrays. `offset` counts bytes from the underscore that begins the
 * appended data; each array has its length as a 64-bit number in front. */
static void print_blocks(rp_atomic *file, const struct layout *layout)
{
    const char *section = "";
    uint64_t offset = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct block *array = &layout->blocks[i];
        if (strcmp(section, array->section) != 0) {
            if (section[0]) rp_atomic_print(file, "      </%s>\n", section);
            section = array->section;
            rp_atomic_print(file, "      <%s>\n", section);
        }
        rp_atomic_print(file,
                        "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                        "format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
                        array->type, array->name, array->components, offset);
        offset += sizeof offset + block_bytes(array);
    }
    rp_atomic_print(file, "      </%s>\n", section);
}

static void print_header(rp_atomic *file, const struct layout *layout, double time)
{
    rp_atomic_print(file, "<?xml version=\"1.0\"?>\n"
                          "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                          "header_type=\"UInt64\">\n  <PolyData>\n");
    rp_atomic_print(file,
                    "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                    "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n    </FieldData>\n",
                    time);
    rp_atomic_print(file,
                    "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                    "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
                    layout->points, layout->verts, layout->lines, layout->polys);
    print_blocks(file, layout);
    rp_atomic_print(file, "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_");
}

/* The numbers 0, 1, 2 …: a point of its own for each vertex or end of a line. */
static void write_numbers(rp_atomic *file, size_t count, size_t value_bytes)
{
    for (size_t i = 0; i < count; i++) {
        int32_t small = (int32_t)i;
        int64_t large = (int64_t)i;
        rp_atomic_write(file, value_bytes == 4 ? (void *)&small : (void *)&large, value_bytes);
    }
}

/* One array of the appended data: its length in bytes, then its values as they are in memory. */
static void write_block(rp_atomic *file, const struct block *array)
{
    uint64_t bytes = block_bytes(array);
    rp_atomic_write(file, &bytes, sizeof bytes);
    if (bytes == 0) return;
    if (!array->data[0])
        write_numbers(file, array->count, array->value_bytes);
    else if (!array->data[1])
        rp_atomic_write(file, array->data[0], bytes);
    else
        rp_export_tuples(file, array->data, array->components, array->value_bytes, array->count);
}

static rp_code write_layout(rp_atomic *file, const struct layout *layout, double time,
                            rp_report *report)
{
    print_header(file, layout, time);
    for (int i = 0; i < layout->count; i++)
        write_block(file, &layout->blocks[i]);
    rp_atomic_print(file, "\n  </AppendedData>\n</VTKFile>\n");
    return rp_atomic_finish(file, report);
}

static struct block column_block(const char *section, const rp_export_column *column, size_t count)
{
    return (struct block){section,
                          column->name,
                          type_name(column->type),
                          column->components,
                          rp_field_type_size(column->type),
                          count,
                          {column->data[0], column->data[1], column->data[2]}};
}

rp_code rp_export_vtp_grains(const rp_export *export, rp_report *report)
{
    size_t count = export->view->count;
    const rp_export_columns *columns = &export->columns;
    struct layout layout = {.points = count, .verts = count ? 1 : 0};
    /* Three places are reserved for the arrays that a file must have. */
    for (size_t i = 1; i < columns->count && i < ARRAYS_MAX - 3; i++)
        add(&layout, column_block("PointData", &columns->items[i], count));
    add(&layout, column_block("Points", &columns->items[0], count));
    bool wide = count > INT32_MAX;
    const char *type = wide ? "Int64" : "Int32";
    size_t bytes = wide ? 8 : 4;
    uint64_t last = count; /* little endian: its first bytes are the Int32 as well */
    add(&layout, (struct block){"Verts", "connectivity", type, 1, bytes, count, {NULL}});
    add(&layout, (struct block){"Verts", "offsets", type, 1, bytes, layout.verts, {&last}});
    rp_atomic file;
    RP_TRY(rp_export_open(export, export->stem, "vtp", &file, report));
    rp_code code = write_layout(&file, &layout, export->view->time, report);
    return code == RP_OK ? update_series(export, export->stem, "vtp", report) : code;
}

/* Vertices as floats, and where each triangle ends in the list of corners. */
struct tables {
    float *points;
    int32_t *ends;
    size_t point_bytes, end_bytes;
};

static bool make_tables(const rp_mesh *mesh, struct tables *made)
{
    made->point_bytes = mesh->vertex_count * 3 * sizeof *made->points;
    made->end_bytes = mesh->triangle_count * sizeof *made->ends;
    made->points = rp_allocate(made->point_bytes);
    made->ends = rp_allocate(made->end_bytes);
    if (!made->points || !made->ends) return false;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        rp_vec3 v = mesh->vertices[i];
        const float point[3] = {(float)v.x, (float)v.y, (float)v.z};
        memcpy(made->points + 3 * i, point, sizeof point);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++)
        made->ends[i] = (int32_t)(3 * (i + 1));
    return true;
}

static rp_code write_bodies(const rp_export *export, const rp_body_mesh *bodies,
                            const struct tables *tables, rp_report *report)
{
    size_t vertices = bodies->mesh->vertex_count, triangles = bodies->mesh->triangle_count;
    struct layout layout = {.points = vertices, .polys = triangles};
    add(&layout, (struct block){"CellData", "body", "UInt32", 1, 4, triangles, {bodies->owners}});
    add(&layout, (struct block){"Points", "position", "Float32", 3, 4, vertices, {tables->points}});
    add(&layout,
        (struct block){
            "Polys", "connectivity", "Int32", 1, 4, 3 * triangles, {bodies->mesh->triangles}});
    add(&layout, (struct block){"Polys", "offsets", "Int32", 1, 4, triangles, {tables->ends}});
    rp_atomic file;
    RP_TRY(rp_export_open(export, "bodies", "vtp", &file, report));
    return write_layout(&file, &layout, export->view->time, report);
}

rp_code rp_export_vtp_bodies(const rp_export *export, rp_report *report)
{
    rp_body_mesh bodies;
    rp_code code = rp_body_mesh_make(export, &bodies, report);
    RP_TRY(code);
    struct tables tables = {0};
    if (bodies.mesh->triangle_count > INT32_MAX / 3)
        code = rp_fail(report, RP_ERROR_UNSUPPORTED, "the bodies have too many triangles");
    else if (make_tables(bodies.mesh, &tables))
        code = write_bodies(export, &bodies, &tables, report);
    else
        code = rp_fail_memory(report, tables.point_bytes + tables.end_bytes, "bodies");
    rp_release(tables.points, tables.point_bytes);
    rp_release(tables.ends, tables.end_bytes);
    rp_body_mesh_end(&bodies);
    return code == RP_OK ? update_series(export, "bodies", "vtp", report) : code;
}

/* Contacts as lines from centre to centre, with the members of each as cell data. */
struct lines {
    float *points;
    int32_t *ends;
    char *parts; /* all members of all contacts, member after member */
    size_t point_bytes, end_bytes, part_bytes;
};

static size_t part_value_bytes(const rp_contact_part *part)
{
    return part->width * rp_field_type_size(part->type);
}

static void release_lines(struct lines *made)
{
    rp_release(made->points, made->points ? made->point_bytes : 0);
    rp_release(made->ends, made->ends ? made->end_bytes : 0);
    rp_release(made->parts, made->parts ? made->part_bytes : 0);
}

static bool reserve_lines(size_t count, struct lines *made)
{
    size_t each = 0;
    for (int i = 0; i < RP_CONTACT_PARTS; i++)
        each += part_value_bytes(&rp_contact_parts[i]);
    *made = (struct lines){.point_bytes = 6 * count * sizeof *made->points,
                           .end_bytes = count * sizeof *made->ends,
                           .part_bytes = each * count};
    made->points = rp_allocate(made->point_bytes);
    made->ends = rp_allocate(made->end_bytes);
    made->parts = rp_allocate(made->part_bytes);
    return made->points && made->ends && made->parts;
}

static rp_code fill_lines(const rp_view *view, struct lines *made, rp_report *report)
{
    rp_grain_ids ids;
    rp_code code = rp_grain_ids_make(view, &ids, report);
    for (size_t i = 0; code == RP_OK && i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        rp_vec3 from = rp_contact_first_centre(view, &ids, c);
        const float line[6] = {(float)from.x,
                               (float)from.y,
                               (float)from.z,
                               (float)from.x + c->branch[0],
                               (float)from.y + c->branch[1],
                               (float)from.z + c->branch[2]};
        memcpy(made->points + 6 * i, line, sizeof line);
        made->ends[i] = (int32_t)(2 * (i + 1));
    }
    rp_grain_ids_release(&ids);
    return code;
}

static rp_code write_lines(const rp_export *export, const struct lines *lines, rp_report *report)
{
    size_t count = export->view->contact_count;
    struct layout layout = {.points = 2 * count, .lines = count};
    char *at = lines->parts;
    for (int i = 0; i < RP_CONTACT_PARTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        rp_contact_part_gather(part, export->view->contacts, count, at);
        add(&layout, (struct block){"CellData",
                                    rp_contact_part_name(part),
                                    type_name(part->type),
                                    (int)part->width,
                                    rp_field_type_size(part->type),
                                    count,
                                    {at}});
        at += count * part_value_bytes(part);
    }
    add(&layout, (struct block){"Points", "position", "Float32", 3, 4, 2 * count, {lines->points}});
    add(&layout, (struct block){"Lines", "connectivity", "Int32", 1, 4, 2 * count, {NULL}});
    add(&layout, (struct block){"Lines", "offsets", "Int32", 1, 4, count, {lines->ends}});
    rp_atomic file;
    RP_TRY(rp_export_open(export, "contacts", "vtp", &file, report));
    return write_layout(&file, &layout, export->view->time, report);
}

rp_code rp_export_vtp_contacts(const rp_export *export, rp_report *report)
{
    size_t count = export->view->contact_count;
    struct lines lines;
    if (count > INT32_MAX / 2)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "there are too many contacts for vtp");
    rp_code code = reserve_lines(count, &lines)
                       ? fill_lines(export->view, &lines, report)
                       : rp_fail_memory(report, lines.point_bytes + lines.part_bytes, "contacts");
    if (code == RP_OK) code = write_lines(export, &lines, report);
    release_lines(&lines);
    return code == RP_OK ? update_series(export, "contacts", "vtp", report) : code;
}

/* --- image data: grid-NAME-NUMBER.vti --------------------------------------------------------- */

static void print_extent(rp_atomic *file, const char *key, const rp_grid *grid)
{
    rp_atomic_print(file, " %s=\"0 %zu 0 %zu 0 %zu\"", key, grid->size[0] - 1, grid->size[1] - 1,
                    grid->size[2] - 1);
}

static void print_image_header(rp_atomic *file, const rp_grid *grid, double time)
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
    rp_export_stem name = rp_export_grid_stem(grid);
    rp_atomic file;
    RP_TRY(rp_export_open(export, name.text, "vti", &file, report));
    uint64_t bytes = rp_grid_count(grid) * sizeof *grid->values;
    print_image_header(&file, grid, export->view->time);
    rp_atomic_write(&file, &bytes, sizeof bytes);
    rp_atomic_write(&file, grid->values, (size_t)bytes);
    rp_atomic_print(&file, "\n  </AppendedData>\n</VTKFile>\n");
    rp_code code = rp_atomic_finish(&file, report);
    return code == RP_OK ? update_series(export, name.text, "vti", report) : code;
}

rp_code rp_export_vtp_grids(const rp_export *export, rp_report *report)
{
    return rp_export_each_grid(export, write_vti, report);
}
