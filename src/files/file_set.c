/* File sets. The order of writing makes them atomic: the parts, each atomically, then the index.
 * The order of removal is the reverse. */
#include "files/file_set.h"
#include "base/memory.h"
#include "base/report.h"
#include "system/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names and removal ------------------------------------------------------------------------ */

/* Of a folder at most: leaves space for the name of a part. */
#define FOLDER_LENGTH (RP_PATH_MAX - 64)

rp_path rp_file_set_index_path(const char *folder, int64_t number)
{
    rp_path path;
    snprintf(path.text, sizeof path.text, "%.*s/%06" PRId64 ".h5", FOLDER_LENGTH, folder, number);
    return path;
}

rp_path rp_file_set_part_path(const char *folder, int64_t number, size_t part)
{
    rp_path path;
    snprintf(path.text, sizeof path.text, "%.*s/%06" PRId64 "-%03zu.h5", FOLDER_LENGTH, folder,
             number, part);
    return path;
}

/* The number of the set that a part of this name belongs to, or -1. Other spellings
 * of a number do not count, so that one number has one name. */
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
    return rp_disk_has(rp_file_set_index_path(folder, number).text);
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
        bool chosen = only < 0 ? number >= 0 && !has_index(path, number) : number == only;
        if (!chosen) continue;
        snprintf(file, sizeof file, "%s/%s", path, name);
        code = remove_file(file, report);
    }
    rp_disk_list_close(&list);
    return code;
}

rp_code rp_file_set_remove_strays(const char *folder, rp_report *report)
{
    return remove_parts(folder, -1, report);
}

/* The index goes first: without it the set is gone, however far the removal comes. */
rp_code rp_file_set_remove(const char *folder, int64_t number, rp_report *report)
{
    rp_code code = remove_file(rp_file_set_index_path(folder, number).text, report);
    return code == RP_OK ? remove_parts(folder, number, report) : code;
}

/* --- writing ---------------------------------------------------------------------------------- */

static size_t row_bytes(const rp_file_set_part_column *column)
{
    return column->width * rp_field_type_size(column->type);
}

void rp_file_set_part_end(rp_file_set_part *part)
{
    for (int i = 0; part->layout && i < part->layout->count; i++)
        rp_release(part->data[i], part->capacity[i] * row_bytes(&part->layout->columns[i]));
    *part = (rp_file_set_part){0};
}

void rp_file_set_part_list_end(rp_file_set_part_list *list)
{
    rp_release(list->grains, list->grain_capacity * sizeof *list->grains);
    rp_release(list->checksums, list->checksum_capacity * sizeof *list->checksums);
    *list = (rp_file_set_part_list){0};
}

static void release_writer(rp_file_set_writer *writer)
{
    rp_file_set_part_list_end(&writer->list);
    rp_file_set_part_end(&writer->part);
}

rp_code rp_file_set_begin(rp_file_set_writer *writer, const char *folder, int64_t number,
                          const rp_file_set_part_layout *layout, uint64_t part_grains_max,
                          int compress, rp_report *report)
{
    RP_ASSERT(number >= 0 && layout->count <= RP_FILE_SET_COLUMNS);
    *writer = (rp_file_set_writer){.number = number,
                                   .compress = compress,
                                   .report = report,
                                   .limit = part_grains_max,
                                   .part = {.layout = layout}};
    RP_TRY(rp_folder_make(folder, report));
    snprintf(writer->folder.text, sizeof writer->folder.text, "%s", folder);
    writer->index_path = rp_file_set_index_path(folder, number);
    return rp_file_set_remove(folder, number, report); /* an older set of this number */
}

bool rp_file_set_add_rows(rp_file_set_writer *writer, int column, size_t rows, void **values)
{
    RP_ASSERT(column >= 0 && column < writer->part.layout->count);
    if (writer->code != RP_OK) return false;
    rp_file_set_part *part = &writer->part;
    size_t each = row_bytes(&part->layout->columns[column]), used = part->rows[column];
    if (!rp_reserve(&part->data[column], &part->capacity[column], used, used + rows, each)) {
        writer->code = rp_fail_memory(writer->report, (used + rows) * each,
                                      part->layout->columns[column].name);
        return false;
    }
    *values = rows ? (char *)part->data[column] + used * each : NULL;
    part->rows[column] += rows;
    return true;
}

static bool add_to_list(rp_file_set_part_list *list, uint64_t grains, uint64_t checksum)
{
    size_t wanted = list->count + 1;
    if (!rp_reserve((void **)&list->grains, &list->grain_capacity, list->count, wanted,
                    sizeof *list->grains) ||
        !rp_reserve((void **)&list->checksums, &list->checksum_capacity, list->count, wanted,
                    sizeof *list->checksums))
        return false;
    list->grains[list->count] = grains;
    list->checksums[list->count++] = checksum;
    return true;
}

/* A part: which set it belongs to, its number in the set, and its columns. */
static rp_code write_part(rp_file_set_writer *writer, uint64_t *checksum)
{
    const rp_file_set_part *part = &writer->part;
    const rp_file_set_part_column *columns = part->layout->columns;
    rp_path path = rp_file_set_part_path(writer->folder.text, writer->number, writer->list.count);
    size_t bytes = 0;
    for (int i = 0; i < part->layout->count; i++)
        bytes += part->rows[i] * row_bytes(&columns[i]);
    rp_checksummed_writer *file;
    RP_TRY(rp_checksummed_create(path.text, part->layout->part_kind, bytes, writer->compress, &file,
                                 writer->report));
    rp_checksummed_put_u64(file, "frame", (uint64_t)writer->number);
    rp_checksummed_put_u64(file, "part", writer->list.count);
    rp_checksummed_put_u64(file, "count", writer->grains);
    for (int i = 0; i < part->layout->count; i++)
        rp_checksummed_put(file, columns[i].name, columns[i].unit, columns[i].type, part->data[i],
                           part->rows[i], columns[i].width);
    return rp_checksummed_finish_hash(file, checksum, writer->report);
}

/* Writes the part that is being filled, if it has chunks, and begins another. */
static void close_part(rp_file_set_writer *writer)
{
    if (writer->code != RP_OK || !writer->part.rows[RP_FILE_SET_FIRST]) return;
    uint64_t checksum = 0;
    writer->code = write_part(writer, &checksum);
    if (writer->code == RP_OK && !add_to_list(&writer->list, writer->grains, checksum))
        writer->code = rp_fail_memory(writer->report, sizeof checksum, writer->index_path.text);
    memset(writer->part.rows, 0, sizeof writer->part.rows);
    writer->grains = 0;
}

void rp_file_set_add_chunk(rp_file_set_writer *writer, const rp_chunk *chunk)
{
    RP_ASSERT(chunk->count <= chunk->born && chunk->born <= RP_CHUNK_MAX);
    RP_ASSERT((uint64_t)chunk->first + chunk->born <= RP_FILE_SET_IDS);
    if (writer->grains + chunk->count > writer->limit) close_part(writer);
    void *first, *born, *count, *material;
    if (!rp_file_set_add_rows(writer, RP_FILE_SET_FIRST, 1, &first) ||
        !rp_file_set_add_rows(writer, RP_FILE_SET_BORN, 1, &born) ||
        !rp_file_set_add_rows(writer, RP_FILE_SET_COUNT, 1, &count) ||
        !rp_file_set_add_rows(writer, RP_FILE_SET_MATERIAL, 1, &material))
        return;
    memcpy(first, &chunk->first, sizeof chunk->first);
    memcpy(born, &chunk->born, sizeof chunk->born);
    memcpy(count, &chunk->count, sizeof chunk->count);
    memcpy(material, &chunk->material, sizeof chunk->material);
    writer->grains += chunk->count;
    writer->total += chunk->count;
}

rp_checksummed_writer *rp_file_set_index(rp_file_set_writer *writer, size_t bytes)
{
    close_part(writer);
    const rp_file_set_part_list *list = &writer->list;
    if (writer->code != RP_OK) return NULL;
    rp_checksummed_writer *file;
    size_t list_bytes = 2 * list->count * sizeof *list->checksums;
    writer->code =
        rp_checksummed_create(writer->index_path.text, writer->part.layout->kind,
                              bytes + list_bytes, writer->compress, &file, writer->report);
    if (writer->code != RP_OK) return NULL;
    rp_checksummed_put_u64(file, "frame", (uint64_t)writer->number);
    rp_checksummed_put_u64(file, "count", writer->total);
    rp_checksummed_put_u64(file, "part_count", list->count);
    rp_checksummed_put(file, "parts/count", "", RP_U64, list->grains, list->count, 1);
    rp_checksummed_put(file, "parts/seal", "", RP_U64, list->checksums, list->count, 1);
    return file;
}

rp_code rp_file_set_finish(rp_file_set_writer *writer, rp_checksummed_writer *index)
{
    if (index) writer->code = rp_checksummed_finish(index, writer->report);
    rp_code code = writer->code;
    if (code == RP_OK)
        release_writer(writer);
    else
        rp_file_set_abandon(writer);
    return code;
}

/* What is wrong with the folder has been reported already. */
void rp_file_set_abandon(rp_file_set_writer *writer)
{
    (void)rp_file_set_remove(writer->folder.text, writer->number, NULL);
    release_writer(writer);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* More parts than 2^32 grains need, whatever sensible size parts have. */
#define PARTS_MAX 65536
/* A grain has six bytes at least, and the best ratio of deflate is 1032. */
#define GRAINS_PER_BYTE (1032 / 6)

static rp_code damaged(const rp_path *path, const char *key, const char *what, rp_report *report)
{
    rp_place place = {.file = path->text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key, "%s", what);
}

rp_code rp_file_set_part_damaged(const rp_file_set_part *part, const char *key, const char *what,
                                 rp_report *report)
{
    return damaged(&part->path, key, what, report);
}

void rp_file_set_end(rp_file_set *parts)
{
    rp_file_set_part_list_end(&parts->list);
}

static rp_code get_number(const rp_checksummed_reader *file, const rp_path *path, const char *key,
                          uint64_t expected, rp_report *report)
{
    uint64_t found = 0;
    rp_code code = rp_checksummed_get_u64(file, key, &found, report);
    if (code != RP_OK || found == expected) return code;
    rp_place place = {.file = path->text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key,
                      "the file says %" PRIu64 ", where %" PRIu64 " is expected", found, expected);
}

static rp_code get_list(const rp_checksummed_reader *file, rp_file_set *parts, rp_report *report)
{
    uint64_t count = 0;
    rp_file_set_part_list *list = &parts->list;
    RP_TRY(rp_checksummed_get_u64(file, "part_count", &count, report));
    RP_TRY(rp_checksummed_get_all(file, "parts/count", RP_U64, 1, (void **)&list->grains,
                                  &list->grain_capacity, report));
    RP_TRY(rp_checksummed_get_all(file, "parts/seal", RP_U64, 1, (void **)&list->checksums,
                                  &list->checksum_capacity, report));
    if (count > PARTS_MAX || count != list->grain_capacity || count != list->checksum_capacity)
        return damaged(&parts->index_path, "part_count", "not the length of the list", report);
    list->count = (size_t)count;
    return RP_OK;
}

/* Checks that the parts exist and are not too small for their grains: memory is allocated by the
 * number of grains. */
static rp_code check_files(const rp_file_set *parts, rp_report *report)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < parts->list.count; i++) {
        rp_path path = rp_file_set_part_path(parts->folder.text, parts->number, i);
        rp_file_info info;
        int error = rp_disk_status(path.text, &info);
        if (error)
            return error == ENOENT
                       ? damaged(&path, NULL, "the file is missing, a part of a whole", report)
                       : rp_fail_errno(report, error, path.text, "read");
        if (parts->list.grains[i] / GRAINS_PER_BYTE > info.size)
            return damaged(&path, "count", "the file is too small for its grains", report);
        sum += parts->list.grains[i];
        if (sum > RP_FILE_SET_IDS) break;
    }
    if (sum == parts->total) return RP_OK;
    return damaged(&parts->index_path, "parts/count", "the parts do not add up", report);
}

rp_code rp_file_set_open(rp_file_set *parts, const char *folder, int64_t number,
                         const rp_file_set_part_layout *layout, rp_checksummed_reader **index,
                         rp_report *report)
{
    *parts = (rp_file_set){.layout = layout, .number = number};
    snprintf(parts->folder.text, sizeof parts->folder.text, "%s", folder);
    parts->index_path = rp_file_set_index_path(folder, number);
    RP_TRY(rp_checksummed_open(parts->index_path.text, layout->kind, index, report));
    rp_code code = get_number(*index, &parts->index_path, "frame", (uint64_t)number, report);
    if (code == RP_OK) code = rp_checksummed_get_u64(*index, "count", &parts->total, report);
    if (code == RP_OK) code = get_list(*index, parts, report);
    if (code == RP_OK) code = check_files(parts, report);
    if (code == RP_OK) return RP_OK;
    rp_checksummed_close(*index);
    *index = NULL;
    rp_file_set_end(parts);
    return code;
}

/* Checks that a file is a part of this set. */
static rp_code check_part(const rp_file_set *parts, size_t index, const rp_checksummed_reader *file,
                          const rp_path *path, rp_report *report)
{
    if (rp_checksummed_hash(file) != parts->list.checksums[index])
        return damaged(path, NULL, "the file is not the part that its index was written with",
                       report);
    RP_TRY(get_number(file, path, "frame", (uint64_t)parts->number, report));
    RP_TRY(get_number(file, path, "part", index, report));
    return get_number(file, path, "count", parts->list.grains[index], report);
}

static rp_code take_columns(const rp_checksummed_reader *file, rp_file_set_part *part,
                            rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < part->layout->count && code == RP_OK; i++) {
        const rp_file_set_part_column *column = &part->layout->columns[i];
        code = rp_checksummed_get_all(file, column->name, column->type, column->width,
                                      &part->data[i], &part->rows[i], report);
        part->capacity[i] = part->rows[i];
    }
    return code;
}

/* One row of the table of chunks: numbers of grains, and ids that no other chunk has. */
static rp_code check_chunk(const rp_file_set_part *part, size_t k, uint64_t *next_id,
                           rp_report *report)
{
    uint64_t first = rp_file_set_part_u32(part, RP_FILE_SET_FIRST)[k],
             born = rp_file_set_part_u32(part, RP_FILE_SET_BORN)[k];
    uint64_t count = rp_file_set_part_u32(part, RP_FILE_SET_COUNT)[k];
    if (born > RP_CHUNK_MAX)
        return rp_file_set_part_damaged(part, "chunks/born", "a chunk has too many grains", report);
    if (count > born)
        return rp_file_set_part_damaged(part, "chunks/count", "more are left than were born",
                                        report);
    if (first + born > RP_FILE_SET_IDS)
        return rp_file_set_part_damaged(part, "chunks/first", "ids beyond 32 bits", report);
    if (next_id && first < *next_id)
        return rp_file_set_part_damaged(part, "chunks/first",
                                        "chunks share ids, or are out of order", report);
    if (next_id) *next_id = first + born;
    return RP_OK;
}

/* The table of chunks: all its columns have as many rows, and the grains add up to those of the
 * index. */
static rp_code check_chunks(const rp_file_set_part *part, uint64_t grains, uint64_t *next_id,
                            rp_report *report)
{
    size_t chunks = part->rows[RP_FILE_SET_FIRST];
    for (int i = 0; i < RP_FILE_SET_OTHER; i++)
        if (part->rows[i] != chunks)
            return rp_file_set_part_damaged(part, part->layout->columns[i].name,
                                            "the array's length is not the number of chunks",
                                            report);
    uint64_t sum = 0;
    for (size_t k = 0; k < chunks; k++) {
        RP_TRY(check_chunk(part, k, next_id, report));
        sum += rp_file_set_part_u32(part, RP_FILE_SET_COUNT)[k];
    }
    if (sum == grains) return RP_OK;
    return rp_file_set_part_damaged(part, "chunks/count", "the grains do not add up", report);
}

rp_code rp_file_set_part_read(const rp_file_set *parts, size_t index, uint64_t *next_id,
                              rp_file_set_part *part, rp_report *report)
{
    *part = (rp_file_set_part){.layout = parts->layout};
    part->path = rp_file_set_part_path(parts->folder.text, parts->number, index);
    rp_checksummed_reader *file;
    rp_code code = rp_checksummed_open(part->path.text, parts->layout->part_kind, &file, report);
    if (code == RP_OK) code = check_part(parts, index, file, &part->path, report);
    if (code == RP_OK) code = take_columns(file, part, report);
    rp_checksummed_close(file);
    if (code == RP_OK) code = check_chunks(part, parts->list.grains[index], next_id, report);
    if (code != RP_OK) rp_file_set_part_end(part);
    return code;
}
