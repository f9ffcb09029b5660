/* Series: the frames of one kind that a run holds, coarse or fine, behind one interface. */
#include "base/memory.h"
#include "base/report.h"
#include "files/file_set.h"
#include "record/fine.h"
#include "record/frame.h"
#include "record/record.h"
#include "scene/scene.h"
#include "view/view.h"

#include <inttypes.h>

/* What differs between the kinds of frames. The path is that of the frame's file, or of its index.
 */
static const struct kind {
    const char *name;      /* for users */
    const char *folder;    /* inside the run */
    const char *file_kind; /* recorded in the files of its frames */
    rp_code (*read)(const char *folder, const char *path, int64_t number, rp_frame_file **out,
                    rp_report *report);
} kinds[RP_SERIES_KINDS];

static rp_code read_coarse(const char *folder, const char *path, int64_t number,
                           rp_frame_file **out, rp_report *report)
{
    (void)folder;
    return rp_frame_read(path, number, out, report);
}

static rp_code read_fine(const char *folder, const char *path, int64_t number, rp_frame_file **out,
                         rp_report *report)
{
    (void)path;
    return rp_fine_frame_read(folder, number, out, report);
}

static const struct kind kinds[RP_SERIES_KINDS] = {
    [RP_SERIES_COARSE] = {"coarse", RP_FRAMES_FOLDER, RP_FRAME_KIND, read_coarse},
    [RP_SERIES_FINE] = {"fine", RP_FINE_FOLDER, RP_FINE_KIND, read_fine},
};

void rp_series_begin(rp_record *record)
{
    for (int i = 0; i < RP_SERIES_KINDS; i++)
        record->series[i] = (rp_series){.record = record, .kind = (rp_series_kind)i};
}

void rp_series_end(rp_record *record)
{
    for (int i = 0; i < RP_SERIES_KINDS; i++)
        rp_numbers_end(&record->series[i].numbers);
}

rp_path rp_series_path(const rp_series *series, int64_t number)
{
    rp_path folder = rp_record_path(series->record, kinds[series->kind].folder);
    return rp_file_set_index_path(folder.text, number);
}

rp_code rp_series_list(rp_record *record, rp_report *report)
{
    rp_series *coarse = &record->series[RP_SERIES_COARSE], *fine = &record->series[RP_SERIES_FINE];
    rp_code code = rp_folder_numbers(rp_record_path(record, RP_FRAMES_FOLDER).text, "", ".h5",
                                     &coarse->numbers, report);
    if (code == RP_OK) /* a folder that is missing holds none */
        code = rp_fine_numbers(rp_record_path(record, RP_FINE_FOLDER).text, &fine->numbers, report);
    return code;
}

rp_code rp_series_add(rp_series *series, int64_t number, rp_report *report)
{
    if (rp_numbers_add(&series->numbers, number)) return RP_OK;
    return rp_fail_memory(report, sizeof number, "the list of frames");
}

const rp_series *rp_record_series(const rp_record *record, rp_series_kind kind)
{
    bool known = (unsigned)kind < RP_SERIES_KINDS;
    return record && known ? &record->series[kind] : NULL;
}

const rp_record *rp_series_record(const rp_series *series)
{
    return series ? series->record : NULL;
}

const char *rp_series_name(const rp_series *series)
{
    return series ? kinds[series->kind].name : NULL;
}

int64_t rp_series_count(const rp_series *series)
{
    return series ? (int64_t)series->numbers.count : 0;
}

int64_t rp_series_number(const rp_series *series, int64_t index)
{
    return index >= 0 && index < rp_series_count(series) ? series->numbers.items[index] : -1;
}

int64_t rp_series_find(const rp_series *series, int64_t number)
{
    int64_t low = 0, high = rp_series_count(series);
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (series->numbers.items[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return rp_series_number(series, low) == number && number >= 0 ? low : -1;
}

/* Indices into a list of the scene; NULL is fine. */
static rp_code check_indices(const char *path, const char *key, const uint8_t *values, size_t count,
                             int limit, rp_report *report)
{
    rp_place place = {.file = path};
    for (size_t i = 0; values && i < count; i++)
        if (values[i] >= limit)
            return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key,
                              "value %zu is %d; the scene has %d", i, values[i], limit);
    return RP_OK;
}

/* What the frame and the scene must agree on: bodies, and indices of materials and kinds, which
 * pictures and exports look up without further checks. */
static rp_code check_scene(const rp_scene *scene, const char *path, const rp_view *view,
                           rp_report *report)
{
    rp_place place = {.file = path};
    if (view->body_count != scene->bodies.count)
        return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "body_count",
                          "the frame has %d bodies, the scene has %d", view->body_count,
                          scene->bodies.count);
    const rp_field *kind = rp_view_field(view, "kind");
    rp_code code = check_indices(path, "grains/material", view->material, view->count,
                                 scene->materials.count, report);
    if (code == RP_OK && kind && kind->type == RP_U8)
        code = check_indices(path, "grains/kind", kind->data, view->count, scene->grains.count,
                             report);
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        code = check_indices(path, view->grids[i].name, &view->grids[i].material, 1,
                             scene->materials.count, report);
    return code;
}

rp_code rp_series_read(const rp_series *series, int64_t number, rp_frame_file **out,
                       rp_report *report)
{
    RP_NEED(series, report);
    RP_NEED(out, report);
    RP_ENTER();
    const struct kind *kind = &kinds[series->kind];
    rp_path folder = rp_record_path(series->record, kind->folder);
    rp_path path = rp_series_path(series, number);
    RP_TRY(kind->read(folder.text, path.text, number, out, report));
    rp_code code = check_scene(series->record->scene, path.text, rp_frame_view(*out), report);
    if (code == RP_OK) return RP_OK;
    rp_frame_close(*out);
    *out = NULL;
    return code;
}

/* Reads the time alone, without the arrays of the frame. */
rp_code rp_series_time(const rp_series *series, int64_t number, double *time, rp_report *report)
{
    RP_NEED(series, report);
    RP_NEED(time, report);
    RP_ENTER();
    rp_checksummed_reader *file;
    rp_path path = rp_series_path(series, number);
    RP_TRY(rp_checksummed_open(path.text, kinds[series->kind].file_kind, &file, report));
    rp_code code = rp_checksummed_get_f64(file, "time", time, report);
    rp_checksummed_close(file);
    return code;
}

/* --- writing ---------------------------------------------------------------------------------- */

static rp_code write_named(rp_record *record, int64_t number, const rp_view *view,
                           const char **names, rp_report *report)
{
    const rp_body_spec *bodies = rp_scene_bodies(record->scene);
    for (int i = 0; i < view->body_count; i++)
        names[i] = bodies[i].name;
    rp_series *series = &record->series[RP_SERIES_COARSE];
    rp_code code = rp_frame_write(rp_series_path(series, number).text, number, view, names,
                                  (int)record->scene->output.compress, report);
    return code == RP_OK ? rp_series_add(series, number, report) : code;
}

/* Views of fine grains have no mass. */
static rp_code check_fields(const rp_view *view, rp_report *report)
{
    for (int i = 0; i < RP_VIEW_FIELDS && view->count; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        if (!column->optional && !rp_view_data(view, column))
            return rp_fail(report, RP_ERROR_INPUT, "the view has no %s, which frames hold",
                           column->name);
    }
    return RP_OK;
}

static rp_code check_grids(const rp_record *record, const rp_view *view, rp_report *report)
{
    rp_code code = rp_grids_check(view, report);
    int materials = record->scene->materials.count;
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        if (view->grids[i].material >= materials)
            code = rp_fail(report, RP_ERROR_INPUT, "grid '%s' has material %d; the scene has %d",
                           view->grids[i].name, view->grids[i].material, materials);
    return code;
}

rp_code rp_record_write_frame(rp_record *record, int64_t number, const rp_view *view,
                              rp_report *report)
{
    RP_NEED(record, report);
    RP_NEED(view, report);
    RP_ENTER();
    if (number < 0)
        return rp_fail(report, RP_ERROR_INPUT, "a frame cannot have the number %" PRId64, number);
    if (view->body_count != record->scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d bodies, the record's scene has %d",
                       view->body_count, record->scene->bodies.count);
    RP_TRY(check_fields(view, report));
    RP_TRY(check_grids(record, view, report));
    size_t bytes = (size_t)view->body_count * sizeof(char *);
    const char **names = rp_allocate(bytes);
    if (!names) return rp_fail_memory(report, bytes, "the names of bodies");
    rp_code code = write_named(record, number, view, names, report);
    rp_release((void *)names, bytes);
    return code;
}
