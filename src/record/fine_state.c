/* Checkpoints of fine grains: the chunks as they are, in the order of their grains, bit for bit. */
#include "base/log.h"
#include "base/memory.h"
#include "base/report.h"
#include "record/fine.h"
#include "record/parts.h"

#include <stdio.h>
#include <string.h>

/* Grains of a part: 52 MB in memory, twice while it is written. */
#define PART_GRAINS 2000000
#define STATE "state"
#define NAME_BYTES 256

enum { MOVES = RP_PART_OTHER, LOCAL, X, Y, Z, VX, VY, VZ, COLUMNS };

static const rp_part_column columns[COLUMNS] = {
    RP_PART_CHUNKS,
    [MOVES] = {"chunks/moves", "", RP_U8, 1}, /* 0: all velocities are zero, and not kept */
    [LOCAL] = {"local", "", RP_U16, 1},
    [X] = {"x", "m", RP_F32, 1},
    [Y] = {"y", "m", RP_F32, 1},
    [Z] = {"z", "m", RP_F32, 1},
    [VX] = {"velocity_x", "m/s", RP_F32, 1},
    [VY] = {"velocity_y", "m/s", RP_F32, 1},
    [VZ] = {"velocity_z", "m/s", RP_F32, 1},
};

static const rp_part_layout layout = {"fine checkpoint", "fine checkpoint part", columns, COLUMNS};

struct rp_fine_saver {
    rp_parts_writer parts;
};

rp_code rp_fine_save_begin(const char *folder, int64_t number, rp_fine_saver **out,
                           rp_report *report)
{
    *out = NULL;
    rp_fine_saver *saver = rp_allocate_zero(sizeof *saver);
    if (!saver) return rp_fail_memory(report, sizeof *saver, folder);
    rp_code code = rp_parts_begin(&saver->parts, folder, number, &layout, PART_GRAINS, 0, report);
    if (code == RP_OK)
        *out = saver;
    else
        rp_release(saver, sizeof *saver);
    return code;
}

void rp_fine_save_limit(rp_fine_saver *saver, uint64_t grains)
{
    saver->parts.limit = grains;
}

static void put_rows(rp_fine_saver *saver, int column, const void *data, size_t rows)
{
    void *to;
    if (!rp_parts_add_rows(&saver->parts, column, rows, &to) || !rows) return;
    memcpy(to, data, rows * rp_field_type_size(columns[column].type));
}

/* By the bits: a zero with a sign must come back with it. */
static bool all_zero(const float *values, size_t count)
{
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        any |= bits;
    }
    return any == 0;
}

void rp_fine_save_chunk(rp_fine_saver *saver, const rp_chunk *chunk)
{
    const float *const values[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    uint8_t moves = !(all_zero(chunk->vx, chunk->count) && all_zero(chunk->vy, chunk->count) &&
                      all_zero(chunk->vz, chunk->count));
    rp_parts_add_chunk(&saver->parts, chunk);
    put_rows(saver, MOVES, &moves, 1);
    put_rows(saver, LOCAL, chunk->local, chunk->count);
    for (int i = 0; i < (moves ? 6 : 3); i++)
        put_rows(saver, X + i, values[i], chunk->count);
}

static size_t store_bytes(const rp_store *store)
{
    size_t bytes = 0;
    for (size_t i = 0; i < store->count; i++)
        bytes += store->entries[i].count * rp_field_type_size(store->entries[i].type);
    return bytes;
}

static void put_store(rp_sealed_writer *file, const rp_store *store)
{
    rp_sealed_put_u64(file, "state_count", store->count);
    for (size_t i = 0; i < store->count; i++) {
        const rp_store_entry *entry = &store->entries[i];
        char name[NAME_BYTES];
        int length = snprintf(name, sizeof name, STATE "/%s", entry->name);
        RP_ASSERT(length < NAME_BYTES);
        rp_sealed_put(file, name, entry->unit, entry->type, entry->data, entry->count, 1);
    }
}

rp_code rp_fine_save_finish(rp_fine_saver *saver, const rp_store *store, rp_report *report)
{
    saver->parts.report = report;
    rp_sealed_writer *index = rp_parts_index(&saver->parts, store_bytes(store));
    if (index) put_store(index, store);
    rp_code code = rp_parts_finish(&saver->parts, index);
    rp_release(saver, sizeof *saver);
    return code;
}

void rp_fine_save_abandon(rp_fine_saver *saver)
{
    if (!saver) return;
    rp_parts_abandon(&saver->parts);
    rp_release(saver, sizeof *saver);
}

static rp_code check_columns(const rp_part *part, rp_report *report)
{
    const uint8_t *moves = part->data[MOVES];
    const uint32_t *count = rp_part_u32(part, RP_PART_COUNT);
    uint64_t all = 0, moving = 0;
    if (part->rows[MOVES] != part->rows[RP_PART_FIRST])
        return rp_part_damaged(part, columns[MOVES].name,
                               "the array's length is not the number of chunks", report);
    for (size_t k = 0; k < part->rows[RP_PART_FIRST]; k++) {
        all += count[k];
        moving += moves[k] ? count[k] : 0;
    }
    for (int i = LOCAL; i < COLUMNS; i++)
        if (part->rows[i] != (i < VX ? all : moving))
            return rp_part_damaged(part, columns[i].name,
                                   "the array's length does not fit the chunks", report);
    return RP_OK;
}

/* What loading needs besides the part: zeros for chunks that stand still, and marks of the numbers
 * that were met. */
typedef struct loading {
    rp_fine_take_fn *take;
    void *user;
    float zeros[RP_CHUNK_MAX];
    uint8_t met[RP_CHUNK_MAX];
} loading;

static bool locals_fit(const rp_chunk *chunk, uint8_t *met)
{
    memset(met, 0, chunk->born);
    for (uint32_t i = 0; i < chunk->count; i++)
        if (chunk->local[i] >= chunk->born || met[chunk->local[i]]++) return false;
    return true;
}

static float *floats(const rp_part *part, int column)
{
    return part->data[column];
}

static rp_code take_chunks(const rp_part *part, loading *load, rp_report *report)
{
    size_t at = 0, moving = 0;
    for (size_t k = 0; k < part->rows[RP_PART_FIRST]; k++) {
        bool moves = ((const uint8_t *)part->data[MOVES])[k];
        rp_chunk chunk = {.first = rp_part_u32(part, RP_PART_FIRST)[k],
                          .born = rp_part_u32(part, RP_PART_BORN)[k],
                          .count = rp_part_u32(part, RP_PART_COUNT)[k],
                          .material = ((const uint8_t *)part->data[RP_PART_MATERIAL])[k],
                          .local = (uint16_t *)part->data[LOCAL] + at,
                          .x = floats(part, X) + at,
                          .y = floats(part, Y) + at,
                          .z = floats(part, Z) + at,
                          .vx = moves ? floats(part, VX) + moving : load->zeros,
                          .vy = moves ? floats(part, VY) + moving : load->zeros,
                          .vz = moves ? floats(part, VZ) + moving : load->zeros};
        if (!locals_fit(&chunk, load->met))
            return rp_part_damaged(part, "local", "a number is repeated or unborn", report);
        RP_TRY(load->take(load->user, &chunk, report));
        at += chunk.count;
        moving += moves ? chunk.count : 0;
    }
    return RP_OK;
}

static rp_code load_part(const rp_parts *parts, size_t index, loading *load, rp_report *report)
{
    rp_part part;
    RP_TRY(rp_part_read(parts, index, NULL, &part, report));
    rp_code code = check_columns(&part, report);
    if (code == RP_OK) code = take_chunks(&part, load, report);
    rp_part_end(&part);
    return code;
}

static rp_code load_store(const rp_sealed_reader *file, const rp_parts *parts, rp_store *store,
                          rp_report *report)
{
    uint64_t count = 0;
    rp_code code = rp_sealed_get_u64(file, "state_count", &count, report);
    /* An empty group is not written. */
    if (code == RP_OK && count)
        code = rp_sealed_get_group(file, STATE, RP_SEALED_ANY, store, report);
    if (code != RP_OK || store->count == count) return code;
    rp_place place = {.file = parts->index_path.text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "state_count",
                      "the arrays of the state are not all there");
}

rp_code rp_fine_load(const char *folder, int64_t number, rp_store *store, rp_fine_take_fn *take,
                     void *user, rp_report *report)
{
    rp_parts parts;
    rp_sealed_reader *file;
    loading *load = rp_allocate_zero(sizeof *load);
    if (!load) return rp_fail_memory(report, sizeof *load, folder);
    load->take = take;
    load->user = user;
    rp_code code = rp_parts_open(&parts, folder, number, &layout, &file, report);
    if (code == RP_OK) {
        code = load_store(file, &parts, store, report);
        rp_sealed_close(file);
    }
    for (size_t i = 0; i < parts.list.count && code == RP_OK; i++)
        code = load_part(&parts, i, load, report);
    rp_parts_end(&parts);
    rp_release(load, sizeof *load);
    if (code != RP_OK) rp_store_end(store);
    return code;
}
