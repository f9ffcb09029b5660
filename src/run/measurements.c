/* Tables of measurements: CSV files that grow by a row a frame while a scene runs, and series over
 * all frames of a record. */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "measure/measure.h"
#include "repose/run.h"
#include "run/inside.h"
#include "system/atomic.h"
#include "system/disk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables that grow by a row a frame ------------------------------------------------------ */

#define ROW_MAX 1024

/* The text of one row; tables have far fewer columns than fit. */
typedef struct csv_row {
    char text[ROW_MAX];
    size_t used;
} csv_row;

static void add(csv_row *r, const char *format, ...) RP_PRINTF(2, 3);

static void add(csv_row *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(r->text + r->used, ROW_MAX - r->used, format, arguments);
    va_end(arguments);
    RP_ASSERT(length >= 0 && (size_t)length < ROW_MAX - r->used);
    r->used += (size_t)length;
}

static void add_head(csv_row *r, const rp_measured *measured, int count)
{
    add(r, "frame,time [s]");
    for (int i = 0; i < count; i++)
        add(r, ",%s [%s]", measured[i].name, measured[i].unit);
    add(r, "\n");
}

static void add_values(csv_row *r, int64_t frame, double time, const rp_measured *measured,
                       int count)
{
    add(r, "%lld,%.17g", (long long)frame, time);
    for (int i = 0; i < count; i++)
        add(r, ",%.17g", measured[i].value);
    add(r, "\n");
}

/* Numbers have decimal points whatever the locale of the host program. One write appends the whole
 * row, so that a killed program leaves at most one incomplete row, at the end; it is on disk before
 * a checkpoint refers to it. */
rp_code rp_measurements_add_row(const char *path, int64_t frame, double time,
                                const rp_measured *measured, int count, rp_report *report)
{
    csv_row r = {.used = 0};
    void *before = rp_locale_enter();
    if (!rp_disk_has(path)) add_head(&r, measured, count);
    add_values(&r, frame, time, measured, count);
    rp_locale_leave(before);
    return rp_file_append(path, r.text, report);
}

/* Returns the offset of the first row after `frame`, or of the first incomplete row, bytes. */
static size_t intact_length(const char *text, int64_t frame)
{
    const char *at = text;
    for (int line = 0; *at; line++) {
        const char *end = strchr(at, '\n');
        bool whole = end && end - at < ROW_MAX - 1;
        if (!whole || (line > 0 && strtoll(at, NULL, 10) > frame)) break;
        at = end + 1;
    }
    return (size_t)(at - text);
}

static rp_code truncate_rows(int file, const char *path, int64_t frame, rp_report *report)
{
    char *text;
    size_t size;
    RP_TRY(rp_file_read(path, &text, &size, report));
    size_t end = intact_length(text, frame);
    rp_release(text, size + 1);
    int error = end ? rp_disk_truncate(file, end) : rp_disk_remove(path);
    return error ? rp_fail_errno(report, error, path, "truncate") : RP_OK;
}

rp_code rp_measurements_truncate(const char *path, int64_t frame, rp_report *report)
{
    int file;
    rp_file_info info;
    if (rp_disk_link_status(path, &info) == ENOENT) return RP_OK; /* no row was written yet */
    RP_TRY(rp_disk_open(path, false, &file, report));
    rp_code code = truncate_rows(file, path, frame, report);
    rp_disk_close(file);
    return code;
}

/* --- measurements of the scene -------------------------------------------------------------- */

static rp_path table_path(const rp_runner *runner, int index)
{
    char name[512];
    snprintf(name, sizeof name, "measurements/%s.csv",
             rp_scene_measurements(runner->scene)[index].name);
    return rp_record_path(runner->record, name);
}

/* Takes a measurement. Where there is nothing to measure yet, such as a heap that is still falling,
 * its values are NaN, which is no failure of the run. */
static rp_code take(const rp_view *view, const rp_scene *scene, int what, rp_measured *measured,
                    int *count)
{
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = view, .scene = scene, .options = &options};
    rp_code code = rp_measure_at(what)->take(&input, measured, count, NULL);
    return code == RP_ERROR_INPUT || code == RP_ERROR_UNSUPPORTED ? RP_OK : code;
}

bool rp_measurements_want_contacts(const rp_runner *runner)
{
    const rp_scene *scene = runner->scene;
    for (int i = 0; i < scene->measurements.count; i++) {
        const rp_measurement_spec *spec = &rp_scene_measurements(scene)[i];
        if (runner->frame % spec->every == 0 && rp_measure_at(spec->what)->of_contacts) return true;
    }
    return false;
}

rp_code rp_measurements_write(const rp_runner *runner, const rp_view *view, rp_report *report)
{
    const rp_scene *scene = runner->scene;
    rp_code code = RP_OK;
    if (scene->measurements.count)
        code = rp_folder_make(rp_record_path(runner->record, "measurements").text, report);
    for (int i = 0; i < scene->measurements.count && code == RP_OK; i++) {
        const rp_measurement_spec *spec = &rp_scene_measurements(scene)[i];
        if (runner->frame % spec->every) continue;
        rp_measured measured[RP_MEASURED_MAX];
        int count = 0;
        code = take(view, scene, spec->what, measured, &count);
        if (code != RP_OK) break;
        code = rp_measurements_add_row(table_path(runner, i).text, runner->frame, view->time,
                                       measured, count, report);
    }
    return code;
}

rp_code rp_measurements_rewind(const rp_runner *runner, int64_t frame, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < runner->scene->measurements.count && code == RP_OK; i++)
        code = rp_measurements_truncate(table_path(runner, i).text, frame, report);
    return code;
}

/* --- measurement of all frames of a run ----------------------------------------------------- */

#define COLUMNS_MAX (2 + 2 * RP_MEASURED_MAX)

struct rp_measure_series {
    rp_table table;
    rp_measure_column columns[COLUMNS_MAX];
    int numbers; /* per frame */
};

/* Adds a row: frame, time, values, uncertainties; NaN for values that a frame does not have. */
static rp_code add_row(rp_measure_series *s, int64_t frame, double time, const rp_measured *numbers,
                       int count, rp_report *report)
{
    double row[COLUMNS_MAX] = {(double)frame, time};
    if (!s->numbers) {
        s->numbers = count;
        s->columns[0] = (rp_measure_column){"frame", ""};
        s->columns[1] = (rp_measure_column){"time", "s"};
        for (int i = 0; i < count; i++) {
            s->columns[2 + i] = (rp_measure_column){numbers[i].name, numbers[i].unit};
            s->columns[2 + count + i] = (rp_measure_column){"uncertainty", numbers[i].unit};
        }
        s->table.columns = s->columns;
        s->table.column_count = 2 + 2 * count;
    }
    for (int i = 0; i < s->numbers; i++) {
        row[2 + i] = i < count ? numbers[i].value : NAN;
        row[2 + s->numbers + i] = i < count ? numbers[i].uncertainty : NAN;
    }
    return rp_table_add(&s->table, row, report);
}

/* Adds the row of one frame. A frame in which there is nothing to measure is no failure. */
static rp_code measure_frame(rp_measure_series *s, const char *name, const rp_measure_input *in,
                             int64_t number, rp_report *report)
{
    rp_measured numbers[RP_MEASURED_MAX];
    int count = 0;
    rp_code code = rp_measure_numbers(name, in, numbers, &count, NULL);
    bool missing = (code == RP_ERROR_INPUT || code == RP_ERROR_UNSUPPORTED) && count > 0;
    if (code != RP_OK && !missing) return rp_measure_numbers(name, in, numbers, &count, report);
    return add_row(s, number, in->view->time, numbers, count, report);
}

static rp_code measure_frames(rp_measure_series *s, const rp_record *record, const char *name,
                              const rp_measure_options *options, rp_report *report)
{
    const rp_series *frames = rp_record_series(record, RP_SERIES_COARSE);
    rp_frame_file *before = NULL;
    rp_code code = RP_OK;
    bool pairs = rp_measure_info_of(name).frames == RP_MEASURE_PAIRS;
    for (int64_t i = 0; i < rp_series_count(frames) && code == RP_OK; i++) {
        int64_t number = rp_series_number(frames, i);
        rp_frame_file *frame = NULL;
        code = rp_series_read(frames, number, &frame, report);
        rp_measure_input in = {.view = rp_frame_view(frame),
                               .before = rp_frame_view(before),
                               .scene = rp_record_scene(record),
                               .options = options};
        if (code == RP_OK && (before || !pairs)) code = measure_frame(s, name, &in, number, report);
        rp_frame_close(before);
        before = frame;
    }
    rp_frame_close(before);
    return code;
}

rp_code rp_record_measure(const rp_record *record, const char *name,
                          const rp_measure_options *options, rp_measure_series **out,
                          rp_report *report)
{
    RP_NEED(record, report);
    RP_NEED(name, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    rp_measure_series *series = rp_allocate_zero(sizeof *series);
    if (!series) return rp_fail_memory(report, sizeof *series, "a series of measurements");
    rp_code code = measure_frames(series, record, name, options, report);
    if (code == RP_OK)
        *out = series;
    else
        rp_measure_series_destroy(series);
    return code;
}

const rp_table *rp_measure_series_table(const rp_measure_series *series)
{
    return series ? &series->table : NULL;
}

void rp_measure_series_destroy(rp_measure_series *series)
{
    if (!series) return;
    rp_table_release(&series->table);
    rp_release(series, sizeof *series);
}
