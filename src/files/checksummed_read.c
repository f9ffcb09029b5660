/* The reader of checksummed files: checksum, kind and format first; then the arrays are listed and
 * their descriptions checked by the strict HDF5 reader; values are read when they are asked for,
 * and must be within the ranges of files/limits.h. */
#include "base/memory.h"
#include "base/report.h"
#include "files/checksum.h"
#include "files/checksummed.h"
#include "files/hdf5_reader.h"
#include "files/limits.h"
#include "system/atomic.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any file of ours has; also ends the reading of groups that are linked in circles. */
#define DEPTH_MAX 8
#define LINKS_MAX 4096

/* An array of the file. */
typedef struct entry {
    char name[RP_HDF5_TEXT]; /* from the root */
    uint64_t object;
    rp_hdf5_array array;
} entry;

struct rp_checksummed_reader {
    char *path;
    char *data;
    size_t size;
    rp_hdf5 image;
    entry *entries; /* all arrays of numbers */
    size_t count, capacity;
};

static rp_code damaged(const rp_checksummed_reader *file, const char *name, const char *what,
                       rp_report *report)
{
    rp_place place = {.file = file->path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, name, "%s", what);
}

/* The same for a fault of the HDF5 reader, if there is one. */
static rp_code check_fault(const rp_checksummed_reader *file, const char *name, const char *fault,
                           rp_report *report)
{
    return fault ? damaged(file, name, fault, report) : RP_OK;
}

/* Everything that is read passes here: values that no run could have written are refused. */
static rp_code check_values(const rp_checksummed_reader *file, const char *name, rp_field_type type,
                            const void *values, size_t rows, size_t columns, rp_report *report)
{
    rp_limits range = rp_limits_find(name);
    size_t place = rp_limits_first_outside(&range, type, values, rows * columns);
    if (place == rows * columns) return RP_OK;
    rp_place where = {.file = file->path};
    char allowed[64] = "finite numbers";
    if (range.high < DBL_MAX) snprintf(allowed, sizeof allowed, "%g to %g", range.low, range.high);
    return rp_fail_at(report, RP_ERROR_DAMAGED, &where, name, "value %zu is %g; allowed are %s",
                      place / columns, rp_limits_value(type, values, place), allowed);
}

bool rp_checksummed_has(const rp_checksummed_reader *file, const char *name)
{
    return rp_hdf5_has_attribute(&file->image, file->image.root, name);
}

static rp_code get_attribute(const rp_checksummed_reader *file, const char *name,
                             rp_field_type type, void *value, rp_report *report)
{
    const char *fault = rp_hdf5_number(&file->image, file->image.root, name, type, value);
    return fault ? damaged(file, name, fault, report)
                 : check_values(file, name, type, value, 1, 1, report);
}

rp_code rp_checksummed_get_f64(const rp_checksummed_reader *file, const char *name, double *value,
                               rp_report *report)
{
    return get_attribute(file, name, RP_F64, value, report);
}

rp_code rp_checksummed_get_u64(const rp_checksummed_reader *file, const char *name, uint64_t *value,
                               rp_report *report)
{
    return get_attribute(file, name, RP_U64, value, report);
}

/* The attributes "kind" and "format_version" say how the rest is to be read. */
static rp_code check_kind(const rp_checksummed_reader *file, const char *kind, rp_report *report)
{
    char found[RP_HDF5_TEXT];
    uint64_t format = 0;
    rp_code code = check_fault(file, "kind",
                               rp_hdf5_text(&file->image, file->image.root, "kind", found), report);
    if (code == RP_OK) code = rp_checksummed_get_u64(file, "format_version", &format, report);
    RP_TRY(code);
    rp_place place = {.file = file->path};
    if (strcmp(found, kind) != 0)
        return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "kind",
                          "the file is a '%s'; wanted is a '%s'", found, kind);
    if (format != RP_FILES_FORMAT)
        return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &place, "format_version",
                          "the file has format %" PRIu64 "; this program knows format %d", format,
                          RP_FILES_FORMAT);
    return RP_OK;
}

/* A group whose links are being visited. */
typedef struct listing {
    rp_checksummed_reader *file;
    const char *group; /* from the root; "" */
    int depth;
    size_t *links; /* followed so far, in all groups */
    rp_code code;
    rp_report *report;
} listing;

static rp_code list_group(rp_checksummed_reader *file, const char *group, uint64_t object,
                          int depth, size_t *links, rp_report *report);

/* Arrays of texts are skipped: their values are never read. */
static rp_code add_array(rp_checksummed_reader *file, const char *name, uint64_t object,
                         rp_report *report)
{
    if (rp_hdf5_is_texts(&file->image, object)) return RP_OK;
    if (!rp_reserve((void **)&file->entries, &file->capacity, file->count, file->count + 1,
                    sizeof *file->entries))
        return rp_fail_memory(report, file->count * sizeof *file->entries, name);
    entry *added = &file->entries[file->count];
    const char *fault = rp_hdf5_array_open(&file->image, object, &added->array);
    if (fault) return damaged(file, name, fault, report);
    snprintf(added->name, sizeof added->name, "%s", name);
    added->object = object;
    file->count++;
    return RP_OK;
}

/* One link of a group: an array to list, or a group to descend into. */
static const char *list_link(void *user, const char *link, uint64_t object)
{
    listing *l = user;
    rp_checksummed_reader *file = l->file;
    char name[RP_HDF5_TEXT];
    if (++*l->links > LINKS_MAX) return "the file has too many links";
    int length = snprintf(name, sizeof name, "%s%s%s", l->group, l->group[0] ? "/" : "", link);
    if (length >= (int)sizeof name) return "a name is too long";
    if (rp_hdf5_is_group(&file->image, object))
        l->code = list_group(file, name, object, l->depth + 1, l->links, l->report);
    else
        l->code = add_array(file, name, object, l->report);
    return l->code == RP_OK ? NULL : "reported";
}

static rp_code list_group(rp_checksummed_reader *file, const char *group, uint64_t object,
                          int depth, size_t *links, rp_report *report)
{
    if (depth > DEPTH_MAX) return damaged(file, group, "groups are nested too deeply", report);
    listing l = {file, group, depth, links, RP_OK, report};
    const char *fault = rp_hdf5_list(&file->image, object, list_link, &l);
    return l.code != RP_OK ? l.code : check_fault(file, group, fault, report);
}

/* Arrays that have more bytes in all than the file has must overlap: with them a small file could
 * claim any amount of memory. */
static rp_code list_arrays(rp_checksummed_reader *file, rp_report *report)
{
    size_t links = 0;
    uint64_t left = file->image.size;
    rp_code code = list_group(file, "", file->image.root, 0, &links, report);
    for (size_t i = 0; i < file->count && code == RP_OK; i++) {
        uint64_t stored = file->entries[i].array.stored;
        if (stored > left)
            return damaged(file, file->entries[i].name, "the arrays have more bytes than the file",
                           report);
        left -= stored;
    }
    return code;
}

rp_code rp_checksummed_open(const char *path, const char *kind, rp_checksummed_reader **out,
                            rp_report *report)
{
    *out = NULL;
    rp_checksummed_reader *file = rp_allocate_zero(sizeof *file);
    if (!file) return rp_fail_memory(report, sizeof *file, path);
    file->path = rp_text_copy(path);
    rp_code code = file->path ? RP_OK : rp_fail_memory(report, strlen(path), path);
    /* The length is compared with the file before memory is allocated, then the hash. */
    if (code == RP_OK)
        code = rp_file_read_checked(path, RP_CHECKSUM_BYTES, rp_checksum_check_size, &file->data,
                                    &file->size, report);
    if (code == RP_OK) code = rp_checksum_check(path, file->data, file->size, report);
    if (code == RP_OK)
        code = check_fault(file, NULL,
                           rp_hdf5_open(&file->image, file->data, file->size, RP_CHECKSUM_BYTES),
                           report);
    if (code == RP_OK) code = check_kind(file, kind, report);
    if (code == RP_OK) code = list_arrays(file, report);
    if (code == RP_OK)
        *out = file;
    else
        rp_checksummed_close(file);
    return code;
}

void rp_checksummed_close(rp_checksummed_reader *file)
{
    if (!file) return;
    rp_release(file->entries, file->capacity * sizeof *file->entries);
    if (file->data) rp_release(file->data, file->size + 1);
    rp_text_release(file->path);
    rp_release(file, sizeof *file);
}

uint64_t rp_checksummed_hash(const rp_checksummed_reader *file)
{
    return rp_checksum_hash(file->data);
}

static const entry *find_entry(const rp_checksummed_reader *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->entries[i].name, name) == 0) return &file->entries[i];
    return NULL;
}

/* The same, and reports a fault when it is missing. */
static const entry *find_array(const rp_checksummed_reader *file, const char *name,
                               rp_report *report)
{
    const entry *found = find_entry(file, name);
    if (!found) damaged(file, name, "the array is missing", report);
    return found;
}

_Static_assert(RP_CHECKSUMMED_TEXT == RP_HDF5_TEXT, "texts of arrays are those of the image");

static rp_code get_array_attribute(const rp_checksummed_reader *file, const char *array,
                                   const char *name, rp_field_type type, void *value,
                                   rp_report *report)
{
    const entry *found = find_array(file, array, report);
    if (!found) return RP_ERROR_DAMAGED;
    const char *fault = rp_hdf5_number(&file->image, found->object, name, type, value);
    return fault ? damaged(file, array, fault, report)
                 : check_values(file, name, type, value, 1, 1, report);
}

rp_code rp_checksummed_attribute_get_f64(const rp_checksummed_reader *file, const char *array,
                                         const char *name, double *value, rp_report *report)
{
    return get_array_attribute(file, array, name, RP_F64, value, report);
}

rp_code rp_checksummed_attribute_get_u64(const rp_checksummed_reader *file, const char *array,
                                         const char *name, uint64_t *value, rp_report *report)
{
    return get_array_attribute(file, array, name, RP_U64, value, report);
}

rp_code rp_checksummed_attribute_get_text(const rp_checksummed_reader *file, const char *array,
                                          const char *name, char text[RP_CHECKSUMMED_TEXT],
                                          rp_report *report)
{
    const entry *found = find_array(file, array, report);
    if (!found) return RP_ERROR_DAMAGED;
    return check_fault(file, array, rp_hdf5_text(&file->image, found->object, name, text), report);
}

size_t rp_checksummed_rows(const rp_checksummed_reader *file, const char *name)
{
    const entry *found = find_entry(file, name);
    return found ? found->array.rows : 0;
}

static rp_code read_values(const rp_checksummed_reader *file, const entry *from, void *data,
                           rp_report *report)
{
    size_t bytes = rp_hdf5_scratch(&from->array);
    void *scratch = rp_allocate(bytes);
    if (!scratch) return rp_fail_memory(report, bytes, from->name);
    const char *fault = rp_hdf5_read(&file->image, &from->array, data, scratch);
    rp_release(scratch, bytes);
    if (fault == rp_hdf5_no_memory) return rp_fail_memory(report, bytes, from->name);
    if (fault) return damaged(file, from->name, fault, report);
    const rp_hdf5_array *array = &from->array;
    return check_values(file, from->name, array->type, data, array->rows, array->columns, report);
}

rp_code rp_checksummed_get(const rp_checksummed_reader *file, const char *name, rp_field_type type,
                           void *data, size_t rows, size_t columns, rp_report *report)
{
    const entry *found = find_array(file, name, report);
    if (!found) return RP_ERROR_DAMAGED;
    const rp_hdf5_array *array = &found->array;
    if (array->type == type && array->rows == rows && array->columns == columns)
        return read_values(file, found, data, report);
    rp_place place = {.file = file->path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, name,
                      "the array has %zu x %zu values; wanted are %zu x %zu", array->rows,
                      array->columns, rows, columns);
}

/* Reads an array into new memory. */
static rp_code read_new(const rp_checksummed_reader *file, const entry *from, void **data,
                        rp_report *report)
{
    size_t bytes = rp_hdf5_array_bytes(&from->array);
    *data = rp_allocate(bytes);
    if (!*data) return rp_fail_memory(report, bytes, from->name);
    rp_code code = read_values(file, from, *data, report);
    if (code == RP_OK) return RP_OK;
    rp_release(*data, bytes);
    *data = NULL;
    return code;
}

rp_code rp_checksummed_get_all(const rp_checksummed_reader *file, const char *name,
                               rp_field_type type, size_t columns, void **data, size_t *rows,
                               rp_report *report)
{
    const entry *found = find_array(file, name, report);
    *data = NULL;
    *rows = 0;
    if (!found) return RP_ERROR_DAMAGED;
    if (found->array.type != type || found->array.columns != columns)
        return damaged(file, name, "the array has another type or width than it should", report);
    rp_code code = read_new(file, found, data, report);
    if (code == RP_OK) *rows = found->array.rows;
    return code;
}

/* An array below a group, and its index in the order of writing. */
typedef struct member {
    const entry *entry;
    uint64_t index;
} member;

static int by_index(const void *a, const void *b)
{
    const member *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

/* Reads one array into the store; its name begins `skip` characters later, behind the group. */
static rp_code add_to_store(const rp_checksummed_reader *file, const entry *from, size_t skip,
                            size_t rows, rp_store *store, rp_report *report)
{
    char unit[RP_HDF5_TEXT];
    const rp_hdf5_array *array = &from->array;
    if (array->columns != 1)
        return damaged(file, from->name, "the array has two dimensions", report);
    if (rows != RP_CHECKSUMMED_ANY && array->rows != rows)
        return damaged(file, from->name, "the array's length is not the number of grains", report);
    rp_code code = check_fault(file, from->name,
                               rp_hdf5_text(&file->image, from->object, "unit", unit), report);
    void *data;
    if (code == RP_OK) code = read_new(file, from, &data, report);
    RP_TRY(code);
    return rp_store_give(store, from->name + skip, unit, array->type, data, array->rows, report);
}

/* Lists the arrays below a group, in the order of writing. */
static rp_code list_members(const rp_checksummed_reader *file, const char *group, member *members,
                            size_t *count, rp_report *report)
{
    size_t length = strlen(group);
    rp_code code = RP_OK;
    *count = 0;
    for (size_t i = 0; i < file->count && code == RP_OK; i++) {
        const entry *e = &file->entries[i];
        if (length && (strncmp(e->name, group, length) != 0 || e->name[length] != '/')) continue;
        member *m = &members[(*count)++];
        m->entry = e;
        code = check_fault(file, e->name,
                           rp_hdf5_number(&file->image, e->object, "index", RP_U64, &m->index),
                           report);
    }
    if (code == RP_OK && length && !*count)
        return damaged(file, group, "the group is missing", report);
    if (code == RP_OK) qsort(members, *count, sizeof *members, by_index);
    return code;
}

rp_code rp_checksummed_get_group(const rp_checksummed_reader *file, const char *group, size_t rows,
                                 rp_store *store, rp_report *report)
{
    size_t bytes = file->count * sizeof(member), count;
    member *members = rp_allocate(bytes);
    if (!members) return rp_fail_memory(report, bytes, group);
    rp_code code = list_members(file, group, members, &count, report);
    size_t skip = group[0] ? strlen(group) + 1 : 0;
    for (size_t i = 0; i < count && code == RP_OK; i++)
        code = add_to_store(file, members[i].entry, skip, rows, store, report);
    rp_release(members, bytes);
    return code;
}
