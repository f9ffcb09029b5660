#include "export/export.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/options.h"
#include "contact/contact.h"
#include "document/words.h"
#include "export/digits.h"
#include "record/folder.h"
#include "scene/scene.h"
#include "view/grid.h"
#include "view/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

#define STAGE_BYTES ((size_t)48 << 10)

void rp_export_tuples(rp_atomic *file, const void *const *data, int components, size_t value_bytes,
                      size_t count)
{
    if (components == 1) {
        rp_atomic_write(file, data[0], count * value_bytes);
        return;
    }
    char stage[STAGE_BYTES];
    size_t tuple = (size_t)components * value_bytes, room = STAGE_BYTES / tuple;
    for (size_t begin = 0; begin < count; begin += room) {
        size_t tuples = count - begin < room ? count - begin : room;
        for (int c = 0; c < components; c++) {
            const char *from = (const char *)data[c] + begin * value_bytes;
            for (size_t i = 0; i < tuples; i++)
                memcpy(stage + i * tuple + (size_t)c * value_bytes, from + i * value_bytes,
                       value_bytes);
        }
        rp_atomic_write(file, stage, tuples * tuple);
    }
}

/* Names from a file may be anything; in an export they stand in XML, headers and tables. */
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

/* The three fields that start with "NAME_x", as one column; false when they are not three alike. */
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
        /* Fine grains do not have them all; without any grains nothing is known of what they have.
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
