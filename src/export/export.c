/* Exports: the table of formats, what is exported, and what several formats share. */
#include "export/export.h"
#include "base/memory.h"
#include "base/report.h"
#include "contact/contact.h"
#include "document/words.h"
#include "export/digits.h"
#include "geom/shape.h"
#include "record/record.h"
#include "scene/scene.h"
#include "view/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- bodies as one mesh of triangles ---------------------------------------------------------- */

#define SEGMENTS 48

/* The largest distance of a point of a shape from the origin, m; of a plane, that of its position.
 */
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

/* --- grids ------------------------------------------------------------------------------------ */

rp_export_stem rp_export_grid_stem(const rp_grid *grid)
{
    rp_export_stem made;
    snprintf(made.text, sizeof made.text, "grid-%s", grid->name);
    return made;
}

rp_code rp_export_each_grid(const rp_export *export, rp_export_grid_fn *write, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < export->view->grid_count && code == RP_OK; i++)
        code = write(export, &export->view->grids[i], report);
    return code;
}

/* --- formats, names and columns --------------------------------------------------------------- */

static const struct format {
    const char *name;
    rp_export_fn *grains, *bodies;
    rp_export_fn *contacts, *grids; /* NULL where the format has none */
} formats[] = {
    {"vtp", rp_export_vtp_grains, rp_export_vtp_bodies, rp_export_vtp_contacts,
     rp_export_vtp_grids},
    {"ply", rp_export_ply_grains, rp_export_ply_bodies, NULL, rp_export_ply_grids},
    {"csv", rp_export_csv_grains, rp_export_csv_bodies, rp_export_csv_contacts,
     rp_export_csv_grids},
    {"usda", rp_export_usda_grains, rp_export_usda_bodies, NULL, NULL},
    {"usda-instances", rp_export_usda_instances, rp_export_usda_bodies, NULL, NULL},
};
#define FORMATS ((int)(sizeof formats / sizeof *formats))

int rp_export_format_count(void)
{
    return FORMATS;
}

const char *rp_export_format(int index)
{
    return index >= 0 && index < FORMATS ? formats[index].name : NULL;
}

static const struct format *find_format(const char *name, rp_report *report)
{
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    char known[128];
    rp_words_list(RP_FORMAT_WORDS, known, sizeof known);
    rp_fail(report, RP_ERROR_INPUT, "unknown format '%s'; there are %s", name, known);
    return NULL;
}

rp_code rp_export_open(const rp_export *export, const char *stem, const char *ending,
                       rp_atomic *file, rp_report *report)
{
    char path[RP_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s-%06" PRId64 ".%s", export->folder, stem, export->number,
             ending);
    return rp_atomic_open(file, path, report);
}

void rp_export_label(const rp_export_column *column, int component, char *text, size_t size)
{
    if (column->components == 1)
        snprintf(text, size, "%s", column->name);
    else
        snprintf(text, size, "%s%c", column->prefix, "xyz"[component]);
}

void rp_export_number(rp_atomic *file, const rp_export_column *column, int component, size_t grain)
{
    const void *data = column->data[component];
    char text[RP_DIGITS_MAX];
    size_t length = 0;
    switch (column->type) {
    case RP_F32:
        length = rp_digits_f32(text, ((const float *)data)[grain]);
        break;
    case RP_F64:
        rp_atomic_print(file, "%.17g", ((const double *)data)[grain]);
        return;
    case RP_U8:
        length = rp_digits_u64(text, ((const uint8_t *)data)[grain]);
        break;
    case RP_U16:
        length = rp_digits_u64(text, ((const uint16_t *)data)[grain]);
        break;
    case RP_U32:
        length = rp_digits_u64(text, ((const uint32_t *)data)[grain]);
        break;
    case RP_U64:
        length = rp_digits_u64(text, ((const uint64_t *)data)[grain]);
        break;
    }
    rp_atomic_write(file, text, length);
}

/* Tuples are interleaved in a buffer on the stack, so that the file gets few large writes. */
#define STAGE_BYTES ((size_t)48 << 10)

void rp_export_tuples(rp_atomic *file, const void *const *data, int components, size_t value_bytes,
                      size_t count)
{
    if (components == 1) {
        rp_atomic_write(file, data[0], count * value_bytes);
        return;
    }
    char stage[STAGE_BYTES];
    size_t tuple = (size_t)components * value_bytes, capacity = STAGE_BYTES / tuple;
    for (size_t begin = 0; begin < count; begin += capacity) {
        size_t tuples = count - begin < capacity ? count - begin : capacity;
        for (int c = 0; c < components; c++) {
            const char *from = (const char *)data[c] + begin * value_bytes;
            for (size_t i = 0; i < tuples; i++)
                memcpy(stage + i * tuple + (size_t)c * value_bytes, from + i * value_bytes,
                       value_bytes);
        }
        rp_atomic_write(file, stage, tuples * tuple);
    }
}

/* Names that come from files may contain anything; in exports they are part of XML, headers and
 * tables. */
static void clean_name(char *name)
{
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("_-./", *name)) *name = '_';
}

static bool add_column(rp_export_columns *columns, const rp_export_column *column)
{
    if (!rp_reserve((void **)&columns->items, &columns->capacity, columns->count,
                    columns->count + 1, sizeof *columns->items))
        return false;
    columns->items[columns->count++] = *column;
    return true;
}

/* Joins the fields NAME_x, NAME_y and NAME_z to one column; false unless the next three are these.
 */
static bool join_fields(const rp_field *fields, int left, rp_export_column *column)
{
    size_t length = strlen(fields[0].name);
    if (left < 3 || length < 3 || length >= sizeof column->name) return false;
    for (int i = 0; i < 3; i++) {
        const char *name = fields[i].name;
        if (strlen(name) != length || name[length - 2] != '_' || name[length - 1] != "xyz"[i] ||
            strncmp(name, fields[0].name, length - 2) != 0 || fields[i].type != fields[0].type)
            return false;
        column->data[i] = fields[i].data;
    }
    column->components = 3;
    column->type = fields[0].type;
    snprintf(column->name, sizeof column->name, "%.*s", (int)length - 2, fields[0].name);
    snprintf(column->prefix, sizeof column->prefix, "%.*s", (int)length - 1, fields[0].name);
    return true;
}

static bool add_extra(const rp_view *view, rp_export_columns *columns)
{
    for (int i = 0; i < view->field_count; i++) {
        const rp_field *field = &view->fields[i];
        if (!rp_view_is_extra(field)) continue;
        rp_export_column column = {.components = 1, .type = field->type, .data = {field->data}};
        snprintf(column.name, sizeof column.name, "%s", field->name);
        if (join_fields(field, view->field_count - i, &column)) i += 2;
        clean_name(column.name);
        clean_name(column.prefix);
        if (!add_column(columns, &column)) return false;
    }
    return true;
}

static bool make_columns(const rp_view *view, rp_export_columns *columns)
{
    rp_export_column position = {
        .name = "position", .components = 3, .type = RP_F32, .data = {view->x, view->y, view->z}};
    rp_export_column velocity = {.name = "velocity",
                                 .prefix = "v",
                                 .components = 3,
                                 .type = RP_F32,
                                 .data = {view->vx, view->vy, view->vz}};
    bool made = add_column(columns, &position) && add_column(columns, &velocity);
    for (int i = RP_VIEW_vz + 1; i < RP_VIEW_FIELDS && made; i++) {
        const rp_view_column *field = &rp_view_schema[i];
        const void *data = rp_view_data(view, field);
        /* Fine grains do not have all fields. Without any grains no field has data: all are listed.
         */
        if (!data && view->count) continue;
        rp_export_column column = {.components = 1, .type = field->type, .data = {data}};
        snprintf(column.name, sizeof column.name, "%s", field->name);
        made = add_column(columns, &column);
    }
    return made && add_extra(view, columns);
}

void rp_default_export_options_fill(rp_export_options *options, size_t size)
{
    rp_export_options own = {.size = size,
                             .format = "vtp",
                             .stem = "grains",
                             .grains = true,
                             .bodies = true,
                             .grids = true};
    rp_options_give(options, size, &own, sizeof own);
}

/* Stems stand in paths and in the files of series. */
#define STEM_MAX 64

static bool is_stem(const char *stem)
{
    size_t length = strlen(stem);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)stem[i]) && stem[i] != '-' && stem[i] != '_') return false;
    return length > 0 && length <= STEM_MAX;
}

static rp_code check_export(const rp_record *record, int64_t number, const rp_view *view,
                            const rp_export_options *options, rp_report *report)
{
    if (number < 0)
        return rp_fail(report, RP_ERROR_INPUT, "a frame cannot have the number %" PRId64, number);
    if (!is_stem(options->stem))
        return rp_fail(report, RP_ERROR_INPUT,
                       "files cannot begin with '%s'; letters, digits, - and _ are allowed",
                       options->stem);
    if (options->bodies && view->body_count != record->scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d bodies, the record's scene has %d",
                       view->body_count, record->scene->bodies.count);
    return RP_OK;
}

static rp_code check_contacts(const struct format *format, const rp_view *view,
                              const rp_export_options *options, rp_report *report)
{
    if (!options->contacts) return RP_OK;
    if (!format->contacts)
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       "contacts are written as vtp or csv, not as %s", format->name);
    return rp_contacts_check(view, report);
}

/* A format without grids leaves them out, unless they are all that is asked for. */
static rp_code check_grids(const struct format *format, const rp_view *view,
                           const rp_export_options *options, rp_report *report)
{
    if (!options->grids) return RP_OK;
    if (!format->grids && !options->grains && !options->bodies && !options->contacts)
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       "grids are written as vtp, ply or csv, not as %s", format->name);
    return rp_grids_check(view, report);
}

static rp_code run_export(rp_export *export, const struct format *format,
                          const rp_export_options *options, rp_report *report)
{
    rp_code code = rp_folder_make(export->folder, report);
    if (code == RP_OK && options->grains) {
        if (make_columns(export->view, &export->columns))
            code = format->grains(export, report);
        else
            code = rp_fail_memory(report, sizeof(rp_export_column), "an export");
    }
    if (code == RP_OK && options->bodies && export->view->body_count)
        code = format->bodies(export, report);
    if (code == RP_OK && options->contacts) code = format->contacts(export, report);
    if (code == RP_OK && options->grids && format->grids) code = format->grids(export, report);
    rp_release(export->columns.items, export->columns.capacity * sizeof *export->columns.items);
    return code;
}

rp_code rp_record_export(rp_record *record, int64_t number, const rp_view *view,
                         const rp_export_options *options, rp_report *report)
{
    RP_NEED(record, report);
    RP_NEED(view, report);
    RP_ENTER();
    rp_export_options own = rp_default_export_options();
    RP_TAKE_OPTIONS(&own, options, report);
    options = &own;
    RP_NEED(options->format, report);
    RP_NEED(options->stem, report);
    const struct format *format = find_format(options->format, report);
    if (!format) return RP_ERROR_INPUT;
    RP_TRY(check_export(record, number, view, options, report));
    RP_TRY(check_contacts(format, view, options, report));
    RP_TRY(check_grids(format, view, options, report));
    rp_path inside = rp_record_path(record, "export");
    rp_export export = {.folder = options->folder ? options->folder : inside.text,
                        .stem = options->stem,
                        .number = number,
                        .view = view,
                        .scene = record->scene};
    return run_export(&export, format, options, report);
}
