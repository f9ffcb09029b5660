/* The series file that ParaView opens: all exported frames with their real times. The times of
 * earlier frames come from the series file as it was, and for files that it does not know from
 * their own first lines. */
#include "base/disk.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/system.h"
#include "export/export.h"
#include "record/folder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The number behind `mark`, or NaN. */
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

/* Takes times from the lines of the series file as it was; what does not fit is passed over. */
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

/* From the head of a file of ours. */
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

rp_code rp_export_series_update(const rp_export *export, const char *stem, const char *ending,
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
