/* The scene's measurements as tables that grow by a row a frame. */
#include "base/log.h"
#include "base/report.h"
#include "measure/measure.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW_MAX 1024

static rp_path series_path(const rp_runner *runner, int index)
{
    char name[512];
    snprintf(name, sizeof name, "measurements/%s.csv",
             rp_scene_measurements(runner->scene)[index].name);
    return rp_record_path(runner->record, name);
}

/* One write for the whole row, so that a kill leaves no half row behind but at the very end; on
 * disk before a checkpoint may count on it. */
static rp_code append_text(const char *path, const char *text, rp_report *report)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return rp_fail_errno(report, errno, path, "open");
    size_t length = strlen(text);
    ssize_t written = write(file, text, length);
    int error = written < 0 ? errno : written < (ssize_t)length ? ENOSPC : 0;
    while (!error && fsync(file) != 0)
        if (errno != EINTR) error = errno;
    close(file);
    return error ? rp_fail_errno(report, error, path, "write") : RP_OK;
}

/* A row that grows; a table has far fewer columns than it has room for. */
typedef struct row {
    char text[ROW_MAX];
    size_t used;
} row;

static void add(row *r, const char *format, ...) RP_PRINTF(2, 3);

static void add(row *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(r->text + r->used, ROW_MAX - r->used, format, arguments);
    va_end(arguments);
    RP_ASSERT(length >= 0 && (size_t)length < ROW_MAX - r->used);
    r->used += (size_t)length;
}

static void add_head(row *r, const rp_measured *measured, int count)
{
    add(r, "frame,time [s]");
    for (int i = 0; i < count; i++)
        add(r, ",%s [%s]", measured[i].name, measured[i].unit);
    add(r, "\n");
}

static void add_values(row *r, int64_t frame, double time, const rp_measured *measured, int count)
{
    add(r, "%lld,%.17g", (long long)frame, time);
    for (int i = 0; i < count; i++)
        add(r, ",%.17g", measured[i].value);
    add(r, "\n");
}

/* This frame's row, with the head where the table begins. Numbers have points, whatever the host
 * program's language. */
static rp_code write_row(const char *path, int64_t frame, double time, const rp_measured *measured,
                         int count, rp_report *report)
{
    row r = {.used = 0};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    if (access(path, F_OK) != 0) add_head(&r, measured, count);
    add_values(&r, frame, time, measured, count);
    uselocale(before);
    freelocale(plain);
    return append_text(path, r.text, report);
}

/* Where there is nothing to measure yet, such as a pile that is still in the air, the row holds
 * `nan` and the run goes on. */
static rp_code take(const rp_view *view, const rp_scene *scene, int what, rp_measured *measured,
                    int *count)
{
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = view, .scene = scene, .options = &options};
    rp_code code = rp_measure_at(what)->take(&input, measured, count, NULL);
    return code == RP_ERROR_INPUT || code == RP_ERROR_UNSUPPORTED ? RP_OK : code;
}

rp_code rp_series_write(const rp_runner *runner, const rp_view *view, rp_report *report)
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
        code = write_row(series_path(runner, i).text, runner->frame, view->time, measured, count,
                         report);
    }
    return code;
}

/* Where the first row behind `frame`, or the first broken row, begins. */
static long keep_until(FILE *file, int64_t frame)
{
    char text[ROW_MAX];
    long end = 0;
    for (int line = 0; fgets(text, sizeof text, file); line++) {
        bool whole = strchr(text, '\n') != NULL;
        if (!whole || (line > 0 && strtoll(text, NULL, 10) > frame)) break;
        end = ftell(file);
    }
    return end;
}

rp_code rp_series_rewind(const rp_runner *runner, int64_t frame, rp_report *report)
{
    for (int i = 0; i < runner->scene->measurements.count; i++) {
        rp_path path = series_path(runner, i);
        FILE *file = fopen(path.text, "r");
        if (!file) continue; /* it never began */
        long end = keep_until(file, frame);
        fclose(file);
        int failed = end ? truncate(path.text, end) : unlink(path.text);
        if (failed) return rp_fail_errno(report, errno, path.text, "cut back");
    }
    return RP_OK;
}
