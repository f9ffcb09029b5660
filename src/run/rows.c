#include "run/rows.h"
#include "base/aside.h"
#include "base/locale.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (access(path, F_OK) != 0) add_head(&r, measured, count);
    add_values(&r, frame, time, measured, count);
    rp_locale_leave(before);
    return rp_file_append(path, r.text, report);
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

/* 0 or errno. Closes the file. */
static int cut_back(FILE *file, const char *path, int64_t frame)
{
    long end = keep_until(file, frame);
    int failed = end ? ftruncate(fileno(file), end) : unlink(path);
    int error = failed ? errno : 0;
    fclose(file);
    return error;
}

rp_code rp_rows_rewind(const char *path, int64_t frame, rp_report *report)
{
    int descriptor;
    struct stat status;
    if (lstat(path, &status) != 0 && errno == ENOENT) return RP_OK; /* it never began */
    rp_code code = rp_file_open_own(path, O_RDWR, &descriptor, report);
    if (code != RP_OK) return code;
    FILE *file = fdopen(descriptor, "r+");
    int error = file ? cut_back(file, path, frame) : errno;
    if (!file) close(descriptor);
    return error ? rp_fail_errno(report, error, path, "cut back") : RP_OK;
}
