/* The files of sets: their names, and how they are removed. */
#include "base/disk.h"
#include "record/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rp_path rp_parts_index_path(const char *folder, int64_t number)
{
    rp_path path;
    snprintf(path.text, sizeof path.text, "%s/%06" PRId64 ".h5", folder, number);
    return path;
}

rp_path rp_parts_part_path(const char *folder, int64_t number, size_t part)
{
    rp_path path;
    snprintf(path.text, sizeof path.text, "%s/%06" PRId64 "-%03zu.h5", folder, number, part);
    return path;
}

/* The number of the set that a part of this name belongs to, or -1. Only the way we write it
 * counts. */
static int64_t part_number(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    if (digits < 6 || digits > 18 || name[digits] != '-') return -1;
    size_t more = strspn(name + digits + 1, "0123456789");
    if (more < 3 || more > 9) return -1;
    int64_t number = strtoll(name, NULL, 10);
    char expected[64];
    snprintf(expected, sizeof expected, "%06" PRId64 "-%03lld.h5", number,
             strtoll(name + digits + 1, NULL, 10));
    return strcmp(name, expected) == 0 ? number : -1;
}

static rp_code remove_file(const char *path, rp_report *report)
{
    int error = rp_disk_remove(path);
    return error ? rp_fail_errno(report, error, path, "remove the file") : RP_OK;
}

static bool has_index(const char *folder, int64_t number)
{
    return rp_disk_has(rp_parts_index_path(folder, number).text);
}

/* Removes the parts of a set or, with -1, those without an index. */
static rp_code remove_parts(const char *path, int64_t only, rp_report *report)
{
    rp_disk_list list;
    int error = rp_disk_list_open(&list, path);
    if (error == ENOENT) return RP_OK;
    if (error) return rp_fail_errno(report, error, path, "list the folder");
    rp_code code = RP_OK;
    for (const char *name; code == RP_OK && (name = rp_disk_list_next(&list));) {
        char file[RP_PATH_MAX + NAME_MAX + 2];
        int64_t number = part_number(name);
        bool doomed = only < 0 ? number >= 0 && !has_index(path, number) : number == only;
        if (!doomed) continue;
        snprintf(file, sizeof file, "%s/%s", path, name);
        code = remove_file(file, report);
    }
    rp_disk_list_close(&list);
    return code;
}

rp_code rp_parts_remove_strays(const char *folder, rp_report *report)
{
    return remove_parts(folder, -1, report);
}

/* The index goes first: without it the set is gone, however far the removal comes. */
rp_code rp_parts_remove(const char *folder, int64_t number, rp_report *report)
{
    rp_code code = remove_file(rp_parts_index_path(folder, number).text, report);
    return code == RP_OK ? remove_parts(folder, number, report) : code;
}
