#include "run/rows.h"
#include "base/log.h"
#include "base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW_MAX 1024

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
rp_code rp_rows_add(const char *path, int64_t frame, double time, const rp_measured *measured,
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

rp_code rp_rows_rewind(const char *path, int64_t frame, rp_report *report)
{
    FILE *file = fopen(path, "r");
    if (!file && errno == ENOENT) return RP_OK; /* it never began */
    if (!file) return rp_fail_errno(report, errno, path, "open");
    long end = keep_until(file, frame);
    fclose(file);
    int failed = end ? truncate(path, end) : unlink(path);
    return failed ? rp_fail_errno(report, errno, path, "cut back") : RP_OK;
}
