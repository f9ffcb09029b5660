#include "base/aside.h"
#include "base/memory.h"
#include "record/seal.h"
#include "record/sealed_hdf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any file of ours has; a file with more, or with groups linked in circles, is not. */
#define DEPTH_MAX 8
#define LINKS_MAX 4096
#define NAME_MAX_BYTES 256
/* Deflate never packs better than about 1032 to 1. */
#define PACK_MAX 1100

struct rp_sealed_reader {
    char *path;
    char *image;
    size_t size;
    hid_t file;
    rp_hdf_quiet quiet;
};

static rp_code damaged(const rp_sealed_reader *file, const char *name, const char *what,
                       rp_report *report)
{
    rp_place place = {.file = file->path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, name, "%s", what);
}

/* The same with HDF5's own reason. */
static rp_code unreadable(const rp_sealed_reader *file, const char *name, rp_report *report)
{
    char text[256];
    rp_place place = {.file = file->path};
    rp_code code = rp_hdf_reason(RP_ERROR_DAMAGED, text, sizeof text);
    return rp_fail_at(report, code, &place, name, "HDF5 cannot read it: %s", text);
}

/* HDF5 copies a file image twice unless it is given its own memory functions. These hand out the
 * one image we hold; it is only read. */
static void *image_allocate(size_t size, H5FD_file_image_op_t operation, void *user)
{
    (void)operation;
    rp_sealed_reader *file = user;
    return size <= file->size ? file->image : NULL;
}

static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t operation,
                        void *user)
{
    (void)operation, (void)user, (void)size;
    return to == from ? to : NULL;
}

static void *image_resize(void *image, size_t size, H5FD_file_image_op_t operation, void *user)
{
    (void)image, (void)size, (void)operation, (void)user;
    return NULL;
}

static herr_t image_release(void *image, H5FD_file_image_op_t operation, void *user)
{
    (void)image, (void)operation, (void)user;
    return 0;
}

static void *user_copy(void *user)
{
    return user;
}

static herr_t user_release(void *user)
{
    (void)user;
    return 0;
}

static hid_t open_image(rp_sealed_reader *file)
{
    char name[64];
    rp_hdf_unique_name(name, sizeof name);
    H5FD_file_image_callbacks_t calls = {.image_malloc = image_allocate,
                                         .image_memcpy = image_copy,
                                         .image_realloc = image_resize,
                                         .image_free = image_release,
                                         .udata_copy = user_copy,
                                         .udata_free = user_release,
                                         .udata = file};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t id = H5I_INVALID_HID;
    if (H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_file_image_callbacks(access, &calls) >= 0 &&
        H5Pset_file_image(access, file->image, file->size) >= 0)
        id = H5Fopen(name, H5F_ACC_RDONLY, access);
    rp_hdf_close(access);
    return id;
}

/* An attribute that is one value of exactly this type. */
static rp_code read_attribute(const rp_sealed_reader *file, hid_t object, const char *key,
                              const char *name, hid_t file_type, hid_t memory_type, void *value,
                              rp_report *report)
{
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    if (id < 0) return damaged(file, key, "an attribute is missing", report);
    hid_t type = H5Aget_type(id), space = H5Aget_space(id);
    rp_code code = RP_OK;
    if (H5Tequal(type, file_type) <= 0 || H5Sget_simple_extent_type(space) != H5S_SCALAR)
        code = damaged(file, key, "an attribute has the wrong type", report);
    else if (H5Aread(id, memory_type, value) < 0)
        code = unreadable(file, key, report);
    rp_hdf_close(space);
    rp_hdf_close(type);
    rp_hdf_close(id);
    return code;
}

bool rp_sealed_has_fact(const rp_sealed_reader *file, const char *name)
{
    return H5Aexists(file->file, name) > 0;
}

rp_code rp_sealed_get_f64(const rp_sealed_reader *file, const char *name, double *value,
                          rp_report *report)
{
    return read_attribute(file, file->file, name, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value,
                          report);
}

rp_code rp_sealed_get_u64(const rp_sealed_reader *file, const char *name, uint64_t *value,
                          rp_report *report)
{
    return read_attribute(file, file->file, name, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, value,
                          report);
}

/* A text attribute of fixed length into a buffer of NAME_MAX_BYTES. */
static rp_code read_text(const rp_sealed_reader *file, hid_t object, const char *key,
                         const char *name, char *text, rp_report *report)
{
    memset(text, 0, NAME_MAX_BYTES);
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    if (id < 0) return damaged(file, key, "an attribute is missing", report);
    hid_t type = H5Aget_type(id), space = H5Aget_space(id);
    rp_code code = RP_OK;
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Tget_size(type) >= NAME_MAX_BYTES || H5Sget_simple_extent_type(space) != H5S_SCALAR)
        code = damaged(file, key, "an attribute is not a short text", report);
    else if (H5Aread(id, type, text) < 0)
        code = unreadable(file, key, report);
    rp_hdf_close(space);
    rp_hdf_close(type);
    rp_hdf_close(id);
    return code;
}

static rp_code check_kind(const rp_sealed_reader *file, const char *kind, rp_report *report)
{
    char found[NAME_MAX_BYTES];
    uint64_t format = 0;
    rp_code code = read_text(file, file->file, "kind", "kind", found, report);
    if (code == RP_OK) code = rp_sealed_get_u64(file, "format_version", &format, report);
    if (code != RP_OK) return code;
    rp_place place = {.file = file->path};
    if (strcmp(found, kind) != 0)
        return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "kind",
                          "the file is a '%s'; wanted is a '%s'", found, kind);
    if (format != RP_RECORD_FORMAT)
        return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &place, "format_version",
                          "the file has format %" PRIu64 "; this program knows format %d", format,
                          RP_RECORD_FORMAT);
    return RP_OK;
}

rp_code rp_sealed_open(const char *path, const char *kind, rp_sealed_reader **out,
                       rp_report *report)
{
    *out = NULL;
    rp_sealed_reader *file = rp_allocate_zero(sizeof *file);
    if (!file) return rp_fail_memory(report, sizeof *file, path);
    file->file = H5I_INVALID_HID;
    file->quiet = rp_hdf_enter();
    file->path = rp_text_copy(path);
    rp_code code = file->path ? RP_OK : rp_fail_memory(report, strlen(path), path);
    if (code == RP_OK) code = rp_file_read(path, &file->image, &file->size, report);
    if (code == RP_OK) code = rp_seal_check(path, file->image, file->size, report);
    if (code == RP_OK) {
        file->file = open_image(file);
        code = file->file >= 0 ? check_kind(file, kind, report) : unreadable(file, NULL, report);
    }
    if (code == RP_OK)
        *out = file;
    else
        rp_sealed_close(file);
    return code;
}

void rp_sealed_close(rp_sealed_reader *file)
{
    if (!file) return;
    rp_hdf_close(file->file);
    rp_hdf_leave(file->quiet);
    if (file->image) rp_release(file->image, file->size + 1);
    rp_text_release(file->path);
    rp_release(file, sizeof *file);
}

uint64_t rp_sealed_hash(const rp_sealed_reader *file)
{
    return rp_seal_hash(file->image);
}

/* Soft and external links could lead to other files; ours have none. Every part of the path must
 * be a plain link. */
static bool plain_path(hid_t file, const char *path)
{
    char part[NAME_MAX_BYTES];
    if (strlen(path) >= sizeof part) return false;
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        H5L_info_t link;
        if (H5Lget_info(file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
            return false;
    }
    return true;
}

/* Only filters of our own: others could make HDF5 load foreign code. */
static bool known_filters(hid_t properties)
{
    int count = H5Pget_nfilters(properties);
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE) return false;
    }
    return count >= 0;
}

static bool chunks_fit(hid_t id, hid_t properties, size_t bytes, size_t value_bytes)
{
    hsize_t chunk[2] = {1, 1};
    int rank = H5Pget_chunk(properties, 2, chunk);
    if (rank < 1 || rank > 2 || chunk[0] == 0) return false;
    if (chunk[0] > bytes || chunk[1] > bytes / chunk[0] / value_bytes) return false;
    return known_filters(properties) && bytes / PACK_MAX <= H5Dget_storage_size(id);
}

/* The bytes that an array claims must be in the file, so that no memory is asked for in vain, and
 * no other file is opened for them. */
static bool storage_fits(hid_t id, size_t bytes, size_t value_bytes)
{
    hid_t properties = H5Dget_create_plist(id);
    bool fits = false;
    switch (H5Pget_layout(properties)) {
    case H5D_CONTIGUOUS:
        fits = H5Pget_external_count(properties) == 0 && H5Dget_storage_size(id) == bytes;
        break;
    case H5D_CHUNKED:
        fits = chunks_fit(id, properties, bytes, value_bytes);
        break;
    default:
        break;
    }
    rp_hdf_close(properties);
    return fits;
}

typedef struct array {
    hid_t id;
    rp_field_type type;
    size_t rows, columns;
} array;

static bool find_type(hid_t id, rp_field_type *found)
{
    hid_t type = H5Dget_type(id);
    bool known = false;
    for (int i = RP_F32; i <= RP_U64 && !known; i++) {
        known = H5Tequal(type, rp_hdf_file_type((rp_field_type)i)) > 0;
        *found = (rp_field_type)i;
    }
    rp_hdf_close(type);
    return known;
}

/* Rows and columns; false for more dimensions or more bytes than could be. */
static bool find_extent(hid_t id, size_t value_bytes, array *found)
{
    hid_t space = H5Dget_space(id);
    hsize_t extent[2] = {0, 1};
    int rank = H5Sget_simple_extent_ndims(space);
    bool simple = H5Sget_simple_extent_type(space) == H5S_SIMPLE && (rank == 1 || rank == 2);
    if (simple) H5Sget_simple_extent_dims(space, extent, NULL);
    rp_hdf_close(space);
    found->rows = extent[0];
    found->columns = extent[1];
    return simple && extent[1] > 0 && extent[0] <= SIZE_MAX / value_bytes / extent[1];
}

static size_t array_bytes(const array *found)
{
    return found->rows * found->columns * rp_field_type_size(found->type);
}

/* Opens an array and checks all that can be checked before reading it. */
static rp_code open_array(const rp_sealed_reader *file, const char *name, array *found,
                          rp_report *report)
{
    *found = (array){.id = H5I_INVALID_HID};
    if (!plain_path(file->file, name)) return damaged(file, name, "the array is missing", report);
    found->id = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (found->id < 0) return unreadable(file, name, report);
    if (!find_type(found->id, &found->type))
        return damaged(file, name, "the array has a type that is not ours", report);
    size_t value_bytes = rp_field_type_size(found->type);
    if (!find_extent(found->id, value_bytes, found))
        return damaged(file, name, "the array has impossible dimensions", report);
    if (!storage_fits(found->id, array_bytes(found), value_bytes))
        return damaged(file, name, "the array's data are not all there", report);
    return RP_OK;
}

static rp_code read_values(const rp_sealed_reader *file, const char *name, const array *from,
                           void *data, rp_report *report)
{
    if (from->rows == 0) return RP_OK;
    if (H5Dread(from->id, rp_hdf_memory_type(from->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        return unreadable(file, name, report);
    return RP_OK;
}

rp_code rp_sealed_get(const rp_sealed_reader *file, const char *name, rp_field_type type,
                      void *data, size_t rows, size_t columns, rp_report *report)
{
    array found;
    rp_code code = open_array(file, name, &found, report);
    if (code == RP_OK && (found.type != type || found.rows != rows || found.columns != columns)) {
        rp_place place = {.file = file->path};
        code = rp_fail_at(report, RP_ERROR_DAMAGED, &place, name,
                          "the array has %zu x %zu values; wanted are %zu x %zu", found.rows,
                          found.columns, rows, columns);
    }
    if (code == RP_OK) code = read_values(file, name, &found, data, report);
    rp_hdf_close(found.id);
    return code;
}

/* An opened, checked array into new memory. */
static rp_code take_values(const rp_sealed_reader *file, const char *name, const array *found,
                           void **data, rp_report *report)
{
    size_t bytes = array_bytes(found);
    *data = rp_allocate(bytes);
    if (!*data) return rp_fail_memory(report, bytes, name);
    rp_code code = read_values(file, name, found, *data, report);
    if (code == RP_OK) return RP_OK;
    rp_release(*data, bytes);
    *data = NULL;
    return code;
}

rp_code rp_sealed_take(const rp_sealed_reader *file, const char *name, rp_field_type type,
                       size_t columns, void **data, size_t *rows, rp_report *report)
{
    array found;
    *data = NULL;
    *rows = 0;
    rp_code code = open_array(file, name, &found, report);
    if (code == RP_OK && (found.type != type || found.columns != columns))
        code = damaged(file, name, "the array has another type or width than it should", report);
    if (code == RP_OK) code = take_values(file, name, &found, data, report);
    if (code == RP_OK) *rows = found.rows;
    rp_hdf_close(found.id);
    return code;
}

/* The arrays below a group. */
typedef struct listing {
    struct item {
        char name[NAME_MAX_BYTES]; /* from the root */
        uint64_t index;
    } * items;
    size_t count, capacity;
    size_t links; /* followed so far: bounded, or groups linked in circles would never end */
} listing;

static rp_code add_item(const rp_sealed_reader *file, const char *name, listing *list,
                        rp_report *report)
{
    if (!rp_reserve((void **)&list->items, &list->capacity, list->count, list->count + 1,
                    sizeof *list->items))
        return rp_fail_memory(report, list->count * sizeof *list->items, name);
    struct item *item = &list->items[list->count];
    snprintf(item->name, sizeof item->name, "%s", name);
    hid_t id = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (id < 0) return unreadable(file, name, report);
    rp_code code = read_attribute(file, id, name, "index", H5T_STD_U64LE, H5T_NATIVE_UINT64,
                                  &item->index, report);
    rp_hdf_close(id);
    if (code == RP_OK) list->count++;
    return code;
}

static rp_code list_group(const rp_sealed_reader *file, const char *group, int depth, listing *list,
                          rp_report *report);

/* One link of a group: an array to note, or a group to go into. */
static rp_code list_link(const rp_sealed_reader *file, const char *name, int depth, listing *list,
                         rp_report *report)
{
    H5O_info_t object;
    if (++list->links > LINKS_MAX) return damaged(file, name, "too many links", report);
    if (!plain_path(file->file, name))
        return damaged(file, name, "a link that is not ours", report);
    if (H5Oget_info_by_name(file->file, name, &object, H5P_DEFAULT) < 0)
        return unreadable(file, name, report);
    if (object.type == H5O_TYPE_DATASET) return add_item(file, name, list, report);
    if (object.type == H5O_TYPE_GROUP) return list_group(file, name, depth + 1, list, report);
    return damaged(file, name, "neither an array nor a group", report);
}

static rp_code list_group(const rp_sealed_reader *file, const char *group, int depth, listing *list,
                          rp_report *report)
{
    H5G_info_t info;
    const char *path = group[0] ? group : "/";
    if (depth > DEPTH_MAX) return damaged(file, group, "groups are nested too deeply", report);
    if (group[0] && !plain_path(file->file, group))
        return damaged(file, group, "the group is missing", report);
    if (H5Gget_info_by_name(file->file, path, &info, H5P_DEFAULT) < 0)
        return unreadable(file, group, report);
    rp_code code = RP_OK;
    for (hsize_t i = 0; i < info.nlinks && code == RP_OK; i++) {
        char link[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
        ssize_t length = H5Lget_name_by_idx(file->file, path, H5_INDEX_NAME, H5_ITER_INC, i, link,
                                            sizeof link, H5P_DEFAULT);
        if (length < 0) return unreadable(file, group, report);
        int total = snprintf(name, sizeof name, "%s%s%s", group, group[0] ? "/" : "", link);
        if (length >= (ssize_t)sizeof link || total >= (int)sizeof name)
            return damaged(file, group, "a name is too long", report);
        code = list_link(file, name, depth, list, report);
    }
    return code;
}

static int by_index(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

/* Reads an opened, checked array into new memory of the store. */
static rp_code give_values(const rp_sealed_reader *file, const char *name, const char *kept_name,
                           const array *found, rp_store *store, rp_report *report)
{
    char unit[NAME_MAX_BYTES];
    if (found->columns != 1) return damaged(file, name, "the array has two dimensions", report);
    rp_code code = read_text(file, found->id, name, "unit", unit, report);
    if (code != RP_OK) return code;
    void *data;
    code = take_values(file, name, found, &data, report);
    if (code != RP_OK) return code;
    return rp_store_give(store, kept_name, unit, found->type, data, found->rows, report);
}

static rp_code give_array(const rp_sealed_reader *file, const char *name, size_t skip,
                          rp_store *store, rp_report *report)
{
    array found;
    rp_code code = open_array(file, name, &found, report);
    if (code == RP_OK) code = give_values(file, name, name + skip, &found, store, report);
    rp_hdf_close(found.id);
    return code;
}

rp_code rp_sealed_get_group(const rp_sealed_reader *file, const char *group, rp_store *store,
                            rp_report *report)
{
    listing list = {0};
    rp_code code = list_group(file, group, 0, &list, report);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, by_index);
    size_t skip = group[0] ? strlen(group) + 1 : 0;
    for (size_t i = 0; i < list.count && code == RP_OK; i++)
        code = give_array(file, list.items[i].name, skip, store, report);
    rp_release(list.items, list.capacity * sizeof *list.items);
    return code;
}
