#include "run/rows.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "system/atomic.h"
#include "system/disk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_MAX 1024

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

/* Numbers have points, whatever the host program's language. One write for the whole row, so that a
 * kill leaves no half row behind but at the very end; on disk before a checkpoint may count on it.
 */
rp_code rp_rows_add(const char *path, int64_t frame, double time, const rp_measured *measured,
                    int count, rp_report *report)
{
    row r = {.used = 0};
    void *before = rp_locale_enter();
    if (!rp_disk_has(path)) add_head(&r, measured, count);
    add_values(&r, frame, time, measured, count);
    rp_locale_leave(before);
    return rp_file_append(path, r.text, report);
}

/* Where the first row behind `frame`, or the first broken row, begins. */
static size_t keep_until(const char *text, int64_t frame)
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

static rp_code cut_back(int file, const char *path, int64_t frame, rp_report *report)
{
    char *text;
    size_t size;
    RP_TRY(rp_file_read(path, &text, &size, report));
    size_t end = keep_until(text, frame);
    rp_release(text, size + 1);
    int error = end ? rp_disk_truncate(file, end) : rp_disk_remove(path);
    return error ? rp_fail_errno(report, error, path, "cut back") : RP_OK;
}

rp_code rp_rows_rewind(const char *path, int64_t frame, rp_report *report)
{
    int file;
    rp_file_info info;
    if (rp_disk_link_status(path, &info) == ENOENT) return RP_OK; /* it never began */
    RP_TRY(rp_disk_open(path, false, &file, report));
    rp_code code = cut_back(file, path, frame, report);
    rp_disk_close(file);
    return code;
}
