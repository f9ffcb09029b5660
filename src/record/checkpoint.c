/* Checkpoints: exact states, of a world as one file, of fine grains as a file set. */
#include "record/checkpoint.h"
#include "base/memory.h"
#include "base/report.h"
#include "files/checksummed.h"
#include "files/file_set.h"
#include "record/fine.h"
#include "system/disk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- checkpoints of a world ------------------------------------------------------------------- */

#define KIND "checkpoint"

rp_code rp_checkpoint_write(const char *path, const rp_store *store, rp_report *report)
{
    size_t bytes = 0;
    for (size_t i = 0; i < store->count; i++)
        bytes += store->entries[i].count * rp_field_type_size(store->entries[i].type);
    rp_checksummed_writer *file;
    RP_TRY(rp_checksummed_create(path, KIND, bytes, 0, &file, report));
    for (size_t i = 0; i < store->count; i++) {
        const rp_store_entry *entry = &store->entries[i];
        rp_checksummed_put(file, entry->name, entry->unit, entry->type, entry->data, entry->count,
                           1);
    }
    return rp_checksummed_finish(file, report);
}

rp_code rp_checkpoint_read(const char *path, rp_store *store, rp_report *report)
{
    rp_checksummed_reader *file;
    RP_TRY(rp_checksummed_open(path, KIND, &file, report));
    rp_code code = rp_checksummed_get_group(file, "", RP_CHECKSUMMED_ANY, store, report);
    rp_checksummed_close(file);
    if (code != RP_OK) rp_store_end(store);
    return code;
}

/* --- checkpoints of fine grains --------------------------------------------------------------- */

/* Grains of a part: 52 MB in memory, and as much again while it is written. */
#define PART_GRAINS 2000000
#define STATE "state"
#define NAME_BYTES 256

enum { MOVES = RP_FILE_SET_OTHER, LOCAL, X, Y, Z, VX, VY, VZ, COLUMNS };

static const rp_file_set_part_column columns[COLUMNS] = {
    RP_FILE_SET_CHUNKS,
    [MOVES] = {"chunks/moves", "", RP_U8, 1}, /* 0: all velocities are zero, and not stored */
    [LOCAL] = {"local", "", RP_U16, 1},
    [X] = {"x", "m", RP_F32, 1},
    [Y] = {"y", "m", RP_F32, 1},
    [Z] = {"z", "m", RP_F32, 1},
    [VX] = {"velocity_x", "m/s", RP_F32, 1},
    [VY] = {"velocity_y", "m/s", RP_F32, 1},
    [VZ] = {"velocity_z", "m/s", RP_F32, 1},
};

static const rp_file_set_part_layout layout = {"fine checkpoint", "fine checkpoint part", columns,
                                               COLUMNS};

struct rp_fine_checkpoint_writer {
    rp_file_set_writer parts;
};

rp_code rp_fine_checkpoint_begin(const char *folder, int64_t number,
                                 rp_fine_checkpoint_writer **out, rp_report *report)
{
    *out = NULL;
    rp_fine_checkpoint_writer *writer = rp_allocate_zero(sizeof *writer);
    if (!writer) return rp_fail_memory(report, sizeof *writer, folder);
    rp_code code =
        rp_file_set_begin(&writer->parts, folder, number, &layout, PART_GRAINS, 0, report);
    if (code == RP_OK)
        *out = writer;
    else
        rp_release(writer, sizeof *writer);
    return code;
}

void rp_fine_checkpoint_limit(rp_fine_checkpoint_writer *writer, uint64_t grains)
{
    writer->parts.limit = grains;
}

static void put_rows(rp_fine_checkpoint_writer *writer, int column, const void *data, size_t rows)
{
    void *to;
    if (!rp_file_set_add_rows(&writer->parts, column, rows, &to) || !rows) return;
    memcpy(to, data, rows * rp_field_type_size(columns[column].type));
}

/* Compares the bits: a negative zero must be restored as such. */
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

/* Velocities are left out where all are zero, as in most chunks of a heap at rest. */
void rp_fine_checkpoint_put(rp_fine_checkpoint_writer *writer, const rp_chunk *chunk)
{
    const float *const values[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    uint8_t moves = !(all_zero(chunk->vx, chunk->count) && all_zero(chunk->vy, chunk->count) &&
                      all_zero(chunk->vz, chunk->count));
    rp_file_set_add_chunk(&writer->parts, chunk);
    put_rows(writer, MOVES, &moves, 1);
    put_rows(writer, LOCAL, chunk->local, chunk->count);
    for (int i = 0; i < (moves ? 6 : 3); i++)
        put_rows(writer, X + i, values[i], chunk->count);
}

static size_t store_bytes(const rp_store *store)
{
    size_t bytes = 0;
    for (size_t i = 0; i < store->count; i++)
        bytes += store->entries[i].count * rp_field_type_size(store->entries[i].type);
    return bytes;
}

static void put_store(rp_checksummed_writer *file, const rp_store *store)
{
    rp_checksummed_put_u64(file, "state_count", store->count);
    for (size_t i = 0; i < store->count; i++) {
        const rp_store_entry *entry = &store->entries[i];
        char name[NAME_BYTES];
        int length = snprintf(name, sizeof name, STATE "/%s", entry->name);
        RP_ASSERT(length < NAME_BYTES);
        rp_checksummed_put(file, name, entry->unit, entry->type, entry->data, entry->count, 1);
    }
}

rp_code rp_fine_checkpoint_finish(rp_fine_checkpoint_writer *writer, const rp_store *store,
                                  rp_report *report)
{
    writer->parts.report = report;
    rp_checksummed_writer *index = rp_file_set_index(&writer->parts, store_bytes(store));
    if (index) put_store(index, store);
    rp_code code = rp_file_set_finish(&writer->parts, index);
    rp_release(writer, sizeof *writer);
    return code;
}

void rp_fine_checkpoint_abandon(rp_fine_checkpoint_writer *writer)
{
    if (!writer) return;
    rp_file_set_abandon(&writer->parts);
    rp_release(writer, sizeof *writer);
}

/* Every grain has a local number and a position; only grains of moving chunks have velocities. */
static rp_code check_columns(const rp_file_set_part *part, rp_report *report)
{
    const uint8_t *moves = part->data[MOVES];
    const uint32_t *count = rp_file_set_part_u32(part, RP_FILE_SET_COUNT);
    uint64_t all = 0, moving = 0;
    if (part->rows[MOVES] != part->rows[RP_FILE_SET_FIRST])
        return rp_file_set_part_damaged(part, columns[MOVES].name,
                                        "the array's length is not the number of chunks", report);
    for (size_t k = 0; k < part->rows[RP_FILE_SET_FIRST]; k++) {
        all += count[k];
        moving += moves[k] ? count[k] : 0;
    }
    for (int i = LOCAL; i < COLUMNS; i++)
        if (part->rows[i] != (i < VX ? all : moving))
            return rp_file_set_part_damaged(part, columns[i].name,
                                            "the array's length does not fit the chunks", report);
    return RP_OK;
}

/* Work space of reading: zeros for chunks at rest, and which local numbers have been seen. */
typedef struct reading {
    rp_fine_chunk_fn *take;
    void *user;
    float zeros[RP_CHUNK_MAX];
    uint8_t seen[RP_CHUNK_MAX];
} reading;

/* Local numbers must be those of grains that were created, each at most once. */
static bool locals_fit(const rp_chunk *chunk, uint8_t *seen)
{
    memset(seen, 0, chunk->born);
    for (uint32_t i = 0; i < chunk->count; i++)
        if (chunk->local[i] >= chunk->born || seen[chunk->local[i]]++) return false;
    return true;
}

static float *floats(const rp_file_set_part *part, int column)
{
    return part->data[column];
}

/* Calls `take` for each chunk of a part. The arrays of the chunk are within the columns of the
 * part. */
static rp_code take_chunks(const rp_file_set_part *part, reading *load, rp_report *report)
{
    size_t at = 0, moving = 0;
    for (size_t k = 0; k < part->rows[RP_FILE_SET_FIRST]; k++) {
        bool moves = ((const uint8_t *)part->data[MOVES])[k];
        rp_chunk chunk = {.first = rp_file_set_part_u32(part, RP_FILE_SET_FIRST)[k],
                          .born = rp_file_set_part_u32(part, RP_FILE_SET_BORN)[k],
                          .count = rp_file_set_part_u32(part, RP_FILE_SET_COUNT)[k],
                          .material = ((const uint8_t *)part->data[RP_FILE_SET_MATERIAL])[k],
                          .local = (uint16_t *)part->data[LOCAL] + at,
                          .x = floats(part, X) + at,
                          .y = floats(part, Y) + at,
                          .z = floats(part, Z) + at,
                          .vx = moves ? floats(part, VX) + moving : load->zeros,
                          .vy = moves ? floats(part, VY) + moving : load->zeros,
                          .vz = moves ? floats(part, VZ) + moving : load->zeros};
        if (!locals_fit(&chunk, load->seen))
            return rp_file_set_part_damaged(part, "local",
                                            "a local number is repeated or too large", report);
        RP_TRY(load->take(load->user, &chunk, report));
        at += chunk.count;
        moving += moves ? chunk.count : 0;
    }
    return RP_OK;
}

static rp_code load_part(const rp_file_set *parts, size_t index, reading *load, rp_report *report)
{
    rp_file_set_part part;
    RP_TRY(rp_file_set_part_read(parts, index, NULL, &part, report));
    rp_code code = check_columns(&part, report);
    if (code == RP_OK) code = take_chunks(&part, load, report);
    rp_file_set_part_end(&part);
    return code;
}

static rp_code load_store(const rp_checksummed_reader *file, const rp_file_set *parts,
                          rp_store *store, rp_report *report)
{
    uint64_t count = 0;
    rp_code code = rp_checksummed_get_u64(file, "state_count", &count, report);
    /* HDF5 has no group where no array was put. */
    if (code == RP_OK && count)
        code = rp_checksummed_get_group(file, STATE, RP_CHECKSUMMED_ANY, store, report);
    if (code != RP_OK || store->count == count) return code;
    rp_place place = {.file = parts->index_path.text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "state_count",
                      "the arrays of the state are not all there");
}

rp_code rp_fine_checkpoint_read(const char *folder, int64_t number, rp_store *store,
                                rp_fine_chunk_fn *take, void *user, rp_report *report)
{
    rp_file_set parts;
    rp_checksummed_reader *file;
    reading *load = rp_allocate_zero(sizeof *load);
    if (!load) return rp_fail_memory(report, sizeof *load, folder);
    load->take = take;
    load->user = user;
    rp_code code = rp_file_set_open(&parts, folder, number, &layout, &file, report);
    if (code == RP_OK) {
        code = load_store(file, &parts, store, report);
        rp_checksummed_close(file);
    }
    for (size_t i = 0; i < parts.list.count && code == RP_OK; i++)
        code = load_part(&parts, i, load, report);
    rp_file_set_end(&parts);
    rp_release(load, sizeof *load);
    if (code != RP_OK) rp_store_end(store);
    return code;
}

/* --- folders of fine grains ------------------------------------------------------------------- */

rp_code rp_fine_numbers(const char *folder, rp_numbers *out, rp_report *report)
{
    *out = (rp_numbers){0};
    rp_file_info info;
    if (rp_disk_status(folder, &info) == ENOENT) return RP_OK;
    return rp_folder_numbers(folder, "", ".h5", out, report);
}

rp_code rp_fine_prune(const char *folder, int keep, rp_report *report)
{
    rp_numbers all;
    rp_code code = rp_fine_numbers(folder, &all, report);
    RP_TRY(code);
    for (size_t i = 0; i + (size_t)keep < all.count && code == RP_OK; i++)
        code = rp_file_set_remove(folder, all.items[i], report);
    rp_numbers_end(&all);
    return code;
}

rp_code rp_fine_remove_after(const char *folder, int64_t number, rp_report *report)
{
    rp_numbers all;
    rp_code code = rp_fine_numbers(folder, &all, report);
    RP_TRY(code);
    for (size_t i = all.count; i > 0 && all.items[i - 1] > number && code == RP_OK; i--)
        code = rp_file_set_remove(folder, all.items[i - 1], report);
    rp_numbers_end(&all);
    if (code == RP_OK) code = rp_file_set_remove_strays(folder, report);
    return code == RP_OK ? rp_atomic_sweep(folder, report) : code;
}
