#include "base/memory.h"
#include "base/report.h"
#include "files/file_set.h"

#include <stdio.h>
#include <string.h>

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
    rp_release(list->seals, list->seal_capacity * sizeof *list->seals);
    *list = (rp_file_set_part_list){0};
}

static void release_parts(rp_file_set_writer *writer)
{
    rp_file_set_part_list_end(&writer->list);
    rp_file_set_part_end(&writer->part);
}

rp_code rp_file_set_begin(rp_file_set_writer *writer, const char *folder, int64_t number,
                          const rp_file_set_part_layout *layout, uint64_t limit, int compress,
                          rp_report *report)
{
    RP_ASSERT(number >= 0 && layout->count <= RP_FILE_SET_COLUMNS);
    *writer = (rp_file_set_writer){.number = number,
                                   .compress = compress,
                                   .report = report,
                                   .limit = limit,
                                   .part = {.layout = layout}};
    RP_TRY(rp_folder_make(folder, report));
    snprintf(writer->folder.text, sizeof writer->folder.text, "%s", folder);
    writer->index_path = rp_file_set_index_path(folder, number);
    return rp_file_set_remove(folder, number, report);
}

bool rp_file_set_add_rows(rp_file_set_writer *writer, int column, size_t rows, void **values)
{
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

static bool note_part(rp_file_set_part_list *list, uint64_t grains, uint64_t seal)
{
    size_t wanted = list->count + 1;
    if (!rp_reserve((void **)&list->grains, &list->grain_capacity, list->count, wanted,
                    sizeof *list->grains) ||
        !rp_reserve((void **)&list->seals, &list->seal_capacity, list->count, wanted,
                    sizeof *list->seals))
        return false;
    list->grains[list->count] = grains;
    list->seals[list->count++] = seal;
    return true;
}

static rp_code write_part(rp_file_set_writer *writer, uint64_t *seal)
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
    return rp_checksummed_finish_hash(file, seal, writer->report);
}

/* Writes the part in the making, if it has chunks, and begins another. */
static void close_part(rp_file_set_writer *writer)
{
    if (writer->code != RP_OK || !writer->part.rows[RP_FILE_SET_FIRST]) return;
    uint64_t seal = 0;
    writer->code = write_part(writer, &seal);
    if (writer->code == RP_OK && !note_part(&writer->list, writer->grains, seal))
        writer->code = rp_fail_memory(writer->report, sizeof seal, writer->index_path.text);
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
    size_t list_bytes = 2 * list->count * sizeof *list->seals;
    writer->code =
        rp_checksummed_create(writer->index_path.text, writer->part.layout->kind,
                              bytes + list_bytes, writer->compress, &file, writer->report);
    if (writer->code != RP_OK) return NULL;
    rp_checksummed_put_u64(file, "frame", (uint64_t)writer->number);
    rp_checksummed_put_u64(file, "count", writer->total);
    rp_checksummed_put_u64(file, "part_count", list->count);
    rp_checksummed_put(file, "parts/count", "", RP_U64, list->grains, list->count, 1);
    rp_checksummed_put(file, "parts/seal", "", RP_U64, list->seals, list->count, 1);
    return file;
}

rp_code rp_file_set_finish(rp_file_set_writer *writer, rp_checksummed_writer *index)
{
    if (index) writer->code = rp_checksummed_finish(index, writer->report);
    rp_code code = writer->code;
    if (code == RP_OK)
        release_parts(writer);
    else
        rp_file_set_abandon(writer);
    return code;
}

/* Whatever is wrong with the folder has been told already. */
void rp_file_set_abandon(rp_file_set_writer *writer)
{
    (void)rp_file_set_remove(writer->folder.text, writer->number, NULL);
    release_parts(writer);
}
