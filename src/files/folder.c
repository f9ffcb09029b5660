#include "files/folder.h"
#include "base/memory.h"
#include "base/report.h"
#include "system/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rp_code make_one(const char *path, rp_report *report)
{
    int error = rp_disk_make_folder(path);
    return error ? rp_fail_errno(report, error, path, "make the folder") : RP_OK;
}

rp_code rp_folder_make(const char *path, rp_report *report)
{
    char part[RP_PATH_MAX];
    size_t length = strlen(path);
    if (length > RP_FOLDER_MAX) return rp_fail_errno(report, ENAMETOOLONG, path, "make the folder");
    for (size_t i = 1; i < length; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        RP_TRY(make_one(part, report));
    }
    return make_one(path, report);
}

void rp_numbers_end(rp_numbers *numbers)
{
    rp_release(numbers->items, numbers->capacity * sizeof *numbers->items);
    *numbers = (rp_numbers){0};
}

bool rp_numbers_add(rp_numbers *numbers, int64_t number)
{
    size_t place = numbers->count;
    while (place > 0 && numbers->items[place - 1] >= number)
        place--;
    if (place < numbers->count && numbers->items[place] == number) return true;
    if (!rp_reserve((void **)&numbers->items, &numbers->capacity, numbers->count,
                    numbers->count + 1, sizeof *numbers->items))
        return false;
    memmove(numbers->items + place + 1, numbers->items + place,
            (numbers->count - place) * sizeof *numbers->items);
    numbers->items[place] = number;
    numbers->count++;
    return true;
}

/* The number in a name, or -1. Other spellings of a number do not count, so that one number has one
 * name. */
static int64_t name_number(const char *name, const char *before, const char *after)
{
    size_t skip = strlen(before);
    if (strncmp(name, before, skip) != 0) return -1;
    size_t digits = strspn(name + skip, "0123456789");
    if (digits < 6 || digits > 18) return -1;
    int64_t number = strtoll(name + skip, NULL, 10);
    char expected[NAME_MAX + 1];
    snprintf(expected, sizeof expected, "%s%06" PRId64 "%s", before, number, after);
    return strcmp(name, expected) == 0 ? number : -1;
}

static int by_value(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Folders list their files in any order; the numbers are sorted at the end. */
static rp_code collect_numbers(rp_disk_list *list, const char *path, const char *before,
                               const char *after, rp_numbers *out, rp_report *report)
{
    for (const char *name; (name = rp_disk_list_next(list));) {
        int64_t number = name_number(name, before, after);
        if (number < 0) continue;
        if (!rp_reserve((void **)&out->items, &out->capacity, out->count, out->count + 1,
                        sizeof *out->items))
            return rp_fail_memory(report, out->count * sizeof *out->items, path);
        out->items[out->count++] = number;
    }
    if (list->error) return rp_fail_errno(report, list->error, path, "list the folder");
    if (out->count) qsort(out->items, out->count, sizeof *out->items, by_value);
    return RP_OK;
}

rp_code rp_folder_numbers(const char *path, const char *before, const char *after, rp_numbers *out,
                          rp_report *report)
{
    *out = (rp_numbers){0};
    rp_disk_list list;
    int error = rp_disk_list_open(&list, path);
    if (error) return rp_fail_errno(report, error, path, "list the folder");
    rp_code code = collect_numbers(&list, path, before, after, out, report);
    rp_disk_list_close(&list);
    if (code != RP_OK) rp_numbers_end(out);
    return code;
}
