/* The scene's measurements as tables that grow by a row a frame. */
#include "base/report.h"
#include "measure/measure.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
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

/* One write for the whole row, so that a kill leaves no half row behind but at the very end. */
static rp_code append_text(const char *path, const char *text, rp_report *report)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return rp_fail_errno(report, errno, path, "open");
    size_t length = strlen(text);
    ssize_t written = write(file, text, length);
    int error = written < 0 ? errno : ENOSPC;
    close(file);
    return written == (ssize_t)length ? RP_OK : rp_fail_errno(report, error, path, "write");
}

static void head_row(const rp_measured *measured, int count, char *row)
{
    int used = snprintf(row, ROW_MAX, "frame,time [s]");
    for (int i = 0; i < count; i++)
        used += snprintf(row + used, (size_t)(ROW_MAX - used), ",%s [%s]", measured[i].name,
                         measured[i].unit);
    snprintf(row + used, (size_t)(ROW_MAX - used), "\n");
}

static void value_row(int64_t frame, double time, const rp_measured *measured, int count, char *row)
{
    int used = snprintf(row, ROW_MAX, "%lld,%.17g", (long long)frame, time);
    for (int i = 0; i < count; i++)
        used += snprintf(row + used, (size_t)(ROW_MAX - used), ",%.17g", measured[i].value);
    snprintf(row + used, (size_t)(ROW_MAX - used), "\n");
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
        int count = rp_measure_at(spec->what)->take(view, scene, measured);
        char row[ROW_MAX];
        rp_path path = series_path(runner, i);
        if (access(path.text, F_OK) != 0) {
            head_row(measured, count, row);
            code = append_text(path.text, row, report);
        }
        value_row(runner->frame, view->time, measured, count, row);
        if (code == RP_OK) code = append_text(path.text, row, report);
    }
    return code;
}

/* Where the first row behind `frame`, or the first broken row, begins. */
static long keep_until(FILE *file, int64_t frame)
{
    char row[ROW_MAX];
    long end = 0;
    for (int line = 0; fgets(row, sizeof row, file); line++) {
        bool whole = strchr(row, '\n') != NULL;
        if (!whole || (line > 0 && strtoll(row, NULL, 10) > frame)) break;
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
