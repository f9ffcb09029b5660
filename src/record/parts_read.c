#include "base/disk.h"
#include "base/report.h"
#include "record/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* More than 2^32 grains in parts of any sensible size need. */
#define PARTS_MAX 65536
/* A grain takes six bytes at least, which deflate packs 1032 times as tightly at best. */
#define GRAINS_PER_BYTE (1032 / 6)

static rp_code damaged(const rp_path *path, const char *key, const char *what, rp_report *report)
{
    rp_place place = {.file = path->text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key, "%s", what);
}

rp_code rp_part_damaged(const rp_part *part, const char *key, const char *what, rp_report *report)
{
    return damaged(&part->path, key, what, report);
}

void rp_parts_end(rp_parts *parts)
{
    rp_part_list_end(&parts->list);
}

static rp_code get_number(const rp_sealed_reader *file, const rp_path *path, const char *key,
                          uint64_t expected, rp_report *report)
{
    uint64_t found = 0;
    rp_code code = rp_sealed_get_u64(file, key, &found, report);
    if (code != RP_OK || found == expected) return code;
    rp_place place = {.file = path->text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key,
                      "the file says %" PRIu64 ", where %" PRIu64 " is expected", found, expected);
}

static rp_code get_list(const rp_sealed_reader *file, rp_parts *parts, rp_report *report)
{
    uint64_t count = 0;
    rp_part_list *list = &parts->list;
    RP_TRY(rp_sealed_get_u64(file, "part_count", &count, report));
    RP_TRY(rp_sealed_take(file, "parts/count", RP_U64, 1, (void **)&list->grains,
                          &list->grain_capacity, report));
    RP_TRY(rp_sealed_take(file, "parts/seal", RP_U64, 1, (void **)&list->seals,
                          &list->seal_capacity, report));
    if (count > PARTS_MAX || count != list->grain_capacity || count != list->seal_capacity)
        return damaged(&parts->index_path, "part_count", "not the length of the list", report);
    list->count = (size_t)count;
    return RP_OK;
}

/* The parts are there, and not too small for what they are said to hold: their grains are what
 * memory is asked for. */
static rp_code check_files(const rp_parts *parts, rp_report *report)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < parts->list.count; i++) {
        rp_path path = rp_parts_part_path(parts->folder.text, parts->number, i);
        rp_file_info info;
        int error = rp_disk_status(path.text, &info);
        if (error)
            return error == ENOENT
                       ? damaged(&path, NULL, "the file is missing, a part of a whole", report)
                       : rp_fail_errno(report, error, path.text, "read");
        if (parts->list.grains[i] / GRAINS_PER_BYTE > info.size)
            return damaged(&path, "count", "the file is too small for its grains", report);
        sum += parts->list.grains[i];
        if (sum > RP_PART_IDS) break;
    }
    if (sum == parts->total) return RP_OK;
    return damaged(&parts->index_path, "parts/count", "the parts do not add up", report);
}

rp_code rp_parts_open(rp_parts *parts, const char *folder, int64_t number,
                      const rp_part_layout *layout, rp_sealed_reader **index, rp_report *report)
{
    *parts = (rp_parts){.layout = layout, .number = number};
    snprintf(parts->folder.text, sizeof parts->folder.text, "%s", folder);
    parts->index_path = rp_parts_index_path(folder, number);
    RP_TRY(rp_sealed_open(parts->index_path.text, layout->kind, index, report));
    rp_code code = get_number(*index, &parts->index_path, "frame", (uint64_t)number, report);
    if (code == RP_OK) code = rp_sealed_get_u64(*index, "count", &parts->total, report);
    if (code == RP_OK) code = get_list(*index, parts, report);
    if (code == RP_OK) code = check_files(parts, report);
    if (code == RP_OK) return RP_OK;
    rp_sealed_close(*index);
    *index = NULL;
    rp_parts_end(parts);
    return code;
}

/* A part of this very set. */
static rp_code check_part(const rp_parts *parts, size_t index, const rp_sealed_reader *file,
                          const rp_path *path, rp_report *report)
{
    if (rp_sealed_hash(file) != parts->list.seals[index])
        return damaged(path, NULL, "the file is not the part that its index was written with",
                       report);
    RP_TRY(get_number(file, path, "frame", (uint64_t)parts->number, report));
    RP_TRY(get_number(file, path, "part", index, report));
    return get_number(file, path, "count", parts->list.grains[index], report);
}

static rp_code take_columns(const rp_sealed_reader *file, rp_part *part, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < part->layout->count && code == RP_OK; i++) {
        const rp_part_column *column = &part->layout->columns[i];
        code = rp_sealed_take(file, column->name, column->type, column->width, &part->data[i],
                              &part->rows[i], report);
        part->capacity[i] = part->rows[i];
    }
    return code;
}

static rp_code check_chunk(const rp_part *part, size_t k, uint64_t *next_id, rp_report *report)
{
    uint64_t first = rp_part_u32(part, RP_PART_FIRST)[k], born = rp_part_u32(part, RP_PART_BORN)[k];
    uint64_t count = rp_part_u32(part, RP_PART_COUNT)[k];
    if (born > RP_CHUNK_MAX)
        return rp_part_damaged(part, "chunks/born", "a chunk has too many grains", report);
    if (count > born)
        return rp_part_damaged(part, "chunks/count", "more are left than were born", report);
    if (first + born > RP_PART_IDS)
        return rp_part_damaged(part, "chunks/first", "ids beyond 32 bits", report);
    if (next_id && first < *next_id)
        return rp_part_damaged(part, "chunks/first", "chunks share ids, or are out of order",
                               report);
    if (next_id) *next_id = first + born;
    return RP_OK;
}

static rp_code check_chunks(const rp_part *part, uint64_t grains, uint64_t *next_id,
                            rp_report *report)
{
    size_t chunks = part->rows[RP_PART_FIRST];
    for (int i = 0; i < RP_PART_OTHER; i++)
        if (part->rows[i] != chunks)
            return rp_part_damaged(part, part->layout->columns[i].name,
                                   "the array's length is not the number of chunks", report);
    uint64_t sum = 0;
    for (size_t k = 0; k < chunks; k++) {
        RP_TRY(check_chunk(part, k, next_id, report));
        sum += rp_part_u32(part, RP_PART_COUNT)[k];
    }
    if (sum == grains) return RP_OK;
    return rp_part_damaged(part, "chunks/count", "the grains do not add up", report);
}

rp_code rp_part_read(const rp_parts *parts, size_t index, uint64_t *next_id, rp_part *part,
                     rp_report *report)
{
    *part = (rp_part){.layout = parts->layout};
    part->path = rp_parts_part_path(parts->folder.text, parts->number, index);
    rp_sealed_reader *file;
    rp_code code = rp_sealed_open(part->path.text, parts->layout->part_kind, &file, report);
    if (code == RP_OK) code = check_part(parts, index, file, &part->path, report);
    if (code == RP_OK) code = take_columns(file, part, report);
    rp_sealed_close(file);
    if (code == RP_OK) code = check_chunks(part, parts->list.grains[index], next_id, report);
    if (code != RP_OK) rp_part_end(part);
    return code;
}
