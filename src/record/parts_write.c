#include "base/log.h"
#include "base/memory.h"
#include "base/report.h"
#include "record/parts.h"

#include <stdio.h>
#include <string.h>

static size_t row_bytes(const rp_part_column *column)
{
    return column->width * rp_field_type_size(column->type);
}

void rp_part_end(rp_part *part)
{
    for (int i = 0; part->layout && i < part->layout->count; i++)
        rp_release(part->data[i], part->capacity[i] * row_bytes(&part->layout->columns[i]));
    *part = (rp_part){0};
}

void rp_part_list_end(rp_part_list *list)
{
    rp_release(list->grains, list->grain_capacity * sizeof *list->grains);
    rp_release(list->seals, list->seal_capacity * sizeof *list->seals);
    *list = (rp_part_list){0};
}

static void release_parts(rp_parts_writer *writer)
{
    rp_part_list_end(&writer->list);
    rp_part_end(&writer->part);
}

rp_code rp_parts_begin(rp_parts_writer *writer, const char *folder, int64_t number,
                       const rp_part_layout *layout, uint64_t limit, int compress,
                       rp_report *report)
{
    RP_ASSERT(number >= 0 && layout->count <= RP_PART_COLUMNS);
    *writer = (rp_parts_writer){.number = number,
                                .compress = compress,
                                .report = report,
                                .limit = limit,
                                .part = {.layout = layout}};
    RP_TRY(rp_folder_make(folder, report));
    snprintf(writer->folder.text, sizeof writer->folder.text, "%s", folder);
    writer->index_path = rp_parts_index_path(folder, number);
    return rp_parts_remove(folder, number, report);
}

bool rp_parts_add_rows(rp_parts_writer *writer, int column, size_t rows, void **values)
{
    if (writer->code != RP_OK) return false;
    rp_part *part = &writer->part;
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

static bool note_part(rp_part_list *list, uint64_t grains, uint64_t seal)
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

static rp_code write_part(rp_parts_writer *writer, uint64_t *seal)
{
    const rp_part *part = &writer->part;
    const rp_part_column *columns = part->layout->columns;
    rp_path path = rp_parts_part_path(writer->folder.text, writer->number, writer->list.count);
    size_t bytes = 0;
    for (int i = 0; i < part->layout->count; i++)
        bytes += part->rows[i] * row_bytes(&columns[i]);
    rp_sealed_writer *file;
    RP_TRY(rp_sealed_create(path.text, part->layout->part_kind, bytes, writer->compress, &file,
                            writer->report));
    rp_sealed_put_u64(file, "frame", (uint64_t)writer->number);
    rp_sealed_put_u64(file, "part", writer->list.count);
    rp_sealed_put_u64(file, "count", writer->grains);
    for (int i = 0; i < part->layout->count; i++)
        rp_sealed_put(file, columns[i].name, columns[i].unit, columns[i].type, part->data[i],
                      part->rows[i], columns[i].width);
    return rp_sealed_finish_hash(file, seal, writer->report);
}

/* Writes the part in the making, if it has chunks, and begins another. */
static void close_part(rp_parts_writer *writer)
{
    if (writer->code != RP_OK || !writer->part.rows[RP_PART_FIRST]) return;
    uint64_t seal = 0;
    writer->code = write_part(writer, &seal);
    if (writer->code == RP_OK && !note_part(&writer->list, writer->grains, seal))
        writer->code = rp_fail_memory(writer->report, sizeof seal, writer->index_path.text);
    memset(writer->part.rows, 0, sizeof writer->part.rows);
    writer->grains = 0;
}

void rp_parts_add_chunk(rp_parts_writer *writer, const rp_chunk *chunk)
{
    RP_ASSERT(chunk->count <= chunk->born && chunk->born <= RP_CHUNK_MAX);
    RP_ASSERT((uint64_t)chunk->first + chunk->born <= RP_PART_IDS);
    if (writer->grains + chunk->count > writer->limit) close_part(writer);
    void *first, *born, *count, *material;
    if (!rp_parts_add_rows(writer, RP_PART_FIRST, 1, &first) ||
        !rp_parts_add_rows(writer, RP_PART_BORN, 1, &born) ||
        !rp_parts_add_rows(writer, RP_PART_COUNT, 1, &count) ||
        !rp_parts_add_rows(writer, RP_PART_MATERIAL, 1, &material))
        return;
    memcpy(first, &chunk->first, sizeof chunk->first);
    memcpy(born, &chunk->born, sizeof chunk->born);
    memcpy(count, &chunk->count, sizeof chunk->count);
    memcpy(material, &chunk->material, sizeof chunk->material);
    writer->grains += chunk->count;
    writer->total += chunk->count;
}

rp_sealed_writer *rp_parts_index(rp_parts_writer *writer, size_t bytes)
{
    close_part(writer);
    const rp_part_list *list = &writer->list;
    if (writer->code != RP_OK) return NULL;
    rp_sealed_writer *file;
    size_t list_bytes = 2 * list->count * sizeof *list->seals;
    writer->code = rp_sealed_create(writer->index_path.text, writer->part.layout->kind,
                                    bytes + list_bytes, writer->compress, &file, writer->report);
    if (writer->code != RP_OK) return NULL;
    rp_sealed_put_u64(file, "frame", (uint64_t)writer->number);
    rp_sealed_put_u64(file, "count", writer->total);
    rp_sealed_put_u64(file, "part_count", list->count);
    rp_sealed_put(file, "parts/count", "", RP_U64, list->grains, list->count, 1);
    rp_sealed_put(file, "parts/seal", "", RP_U64, list->seals, list->count, 1);
    return file;
}

rp_code rp_parts_finish(rp_parts_writer *writer, rp_sealed_writer *index)
{
    if (index) writer->code = rp_sealed_finish(index, writer->report);
    rp_code code = writer->code;
    if (code == RP_OK)
        release_parts(writer);
    else
        rp_parts_abandon(writer);
    return code;
}

/* Whatever is wrong with the folder has been told already. */
void rp_parts_abandon(rp_parts_writer *writer)
{
    (void)rp_parts_remove(writer->folder.text, writer->number, NULL);
    release_parts(writer);
}
