#include "base/report.h"
#include "detail/inside.h"
#include "system/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Out-of-core storage of fine grains, and the order of grains within a chunk. A chunk holds up to
 * RP_CHUNK_MAX grains of one material with consecutive ids; it is all that is needed to advect
 * them. */

/* --- storage -------------------------------------------------------------------------------- */

/* Chunks are in memory up to the limit, the others in a scratch file without a name, so that
 * nothing is left of it whatever happens. */

/* Returns the bytes of a chunk; one block of memory holds all arrays: x, y, z, vx, vy, vz, local.
 */
static size_t chunk_bytes(size_t capacity)
{
    return (capacity + RP_DETAIL_PADDING) * (6 * sizeof(float) + sizeof(uint16_t));
}

static void set_arrays(rp_chunk *chunk, void *block, size_t capacity)
{
    float *values = block,
          **const arrays[] = {&chunk->x, &chunk->y, &chunk->z, &chunk->vx, &chunk->vy, &chunk->vz};
    size_t each = capacity + RP_DETAIL_PADDING;
    for (size_t i = 0; i < 6; i++)
        *arrays[i] = values ? values + i * each : NULL;
    chunk->local = values ? (uint16_t *)(void *)(values + 6 * each) : NULL;
}

static void copy_grains(rp_chunk *to, size_t at, const rp_chunk *from)
{
    size_t bytes = from->count * sizeof(float);
    memcpy(to->x + at, from->x, bytes);
    memcpy(to->y + at, from->y, bytes);
    memcpy(to->z + at, from->z, bytes);
    memcpy(to->vx + at, from->vx, bytes);
    memcpy(to->vy + at, from->vy, bytes);
    memcpy(to->vz + at, from->vz, bytes);
    memcpy(to->local + at, from->local, from->count * sizeof *from->local);
}

rp_code rp_chunk_create(rp_chunk *chunk, size_t capacity, rp_report *report)
{
    void *block = rp_allocate_zero(chunk_bytes(capacity));
    set_arrays(chunk, block, capacity);
    return block ? RP_OK : rp_fail_memory(report, chunk_bytes(capacity), "fine grains");
}

void rp_chunk_release(rp_chunk *chunk, size_t capacity)
{
    rp_release(chunk->x, chunk->x ? chunk_bytes(capacity) : 0);
    set_arrays(chunk, NULL, 0);
}

void rp_chunks_end(rp_chunks *chunks)
{
    for (size_t i = 0; i < chunks->count; i++)
        rp_chunk_release(&chunks->items[i].chunk, chunks->items[i].capacity);
    rp_release(chunks->items, chunks->capacity * sizeof *chunks->items);
    rp_disk_close(chunks->file);
    rp_text_release(chunks->folder);
    *chunks = (rp_chunks){.file = -1};
}

/* --- the scratch file ------------------------------------------------------------------------- */

static rp_code open_scratch(rp_chunks *chunks, rp_report *report)
{
    if (chunks->file >= 0) return RP_OK;
    int error = rp_disk_scratch(chunks->folder, &chunks->file);
    return error ? rp_fail_errno(report, error, chunks->folder, "make a scratch file in") : RP_OK;
}

/* Writes a chunk to the scratch file or reads it; its arrays are one block, so one call is enough.
 */
static rp_code swap(const rp_chunks *chunks, const rp_stored_chunk *stored, void *block, bool out,
                    rp_report *report)
{
    size_t bytes = chunk_bytes(stored->capacity);
    int error = out ? rp_disk_write_at(chunks->file, block, bytes, stored->offset)
                    : rp_disk_read_at(chunks->file, block, bytes, stored->offset);
    return error ? rp_fail_errno(report, error, chunks->folder, "use the scratch file in") : RP_OK;
}

rp_code rp_chunks_borrow(const rp_chunks *chunks, size_t index, rp_chunk *buffer, rp_chunk *out,
                         rp_report *report)
{
    RP_ASSERT(index < chunks->count);
    const rp_stored_chunk *stored = &chunks->items[index];
    *out = stored->chunk;
    if (stored->offset < 0) return RP_OK;
    set_arrays(out, buffer->x, stored->capacity);
    return swap(chunks, stored, buffer->x, false, report);
}

rp_code rp_chunks_return(rp_chunks *chunks, size_t index, const rp_chunk *chunk, rp_report *report)
{
    RP_ASSERT(index < chunks->count && chunk->count <= chunks->items[index].capacity);
    rp_stored_chunk *stored = &chunks->items[index];
    stored->chunk.born = chunk->born;
    stored->chunk.count = chunk->count;
    return stored->offset < 0 ? RP_OK : swap(chunks, stored, chunk->x, true, report);
}

/* --- new chunks ------------------------------------------------------------------------------- */

/* Allocates storage for `capacity` grains, in memory or in the file. */
static rp_code allocate_storage(rp_chunks *chunks, rp_stored_chunk *stored, size_t capacity,
                                rp_report *report)
{
    size_t bytes = chunk_bytes(capacity);
    stored->capacity = capacity;
    stored->offset = -1;
    if (!chunks->folder || (double)chunks->bytes + (double)bytes <= chunks->limit) {
        rp_code code = rp_chunk_create(&stored->chunk, capacity, report);
        if (code == RP_OK) chunks->bytes += bytes;
        return code;
    }
    rp_code code = open_scratch(chunks, report);
    stored->offset = chunks->file_end;
    if (code == RP_OK) chunks->file_end += (int64_t)bytes;
    return code;
}

static rp_code add_chunk(rp_chunks *chunks, const rp_chunk *chunk, rp_report *report)
{
    if (!rp_reserve((void **)&chunks->items, &chunks->capacity, chunks->count, chunks->count + 1,
                    sizeof *chunks->items))
        return rp_fail_memory(report, chunks->count * sizeof *chunks->items, "fine grains");
    rp_stored_chunk *stored = &chunks->items[chunks->count];
    *stored = (rp_stored_chunk){.chunk = *chunk, .pairs = 1};
    set_arrays(&stored->chunk, NULL, 0);
    rp_code code = allocate_storage(chunks, stored, chunk->count, report);
    if (code == RP_OK) chunks->count++;
    return code;
}

/* True when grains continue the ids of the last chunk. Emitters create a few grains at a time,
 * which would make many small chunks. Where a chunk is stored does not matter: recorded frames must
 * not depend on it. */
static bool continues_last(const rp_chunks *chunks, const rp_chunk *chunk)
{
    if (!chunks->count) return false;
    const rp_chunk *last = &chunks->items[chunks->count - 1].chunk;
    return last->material == chunk->material && last->first + last->born == chunk->first &&
           last->born + chunk->born <= RP_CHUNK_MAX;
}

/* Moves the last chunk to storage for at least `wanted` grains; `all` gets its grains, in its own
 * arrays or in those of the buffer. */
static rp_code grow_last(rp_chunks *chunks, size_t wanted, rp_chunk *buffer, rp_chunk *all,
                         rp_report *report)
{
    rp_stored_chunk *stored = &chunks->items[chunks->count - 1], before = *stored;
    size_t capacity = wanted + wanted / 2 < RP_CHUNK_MAX ? wanted + wanted / 2 : RP_CHUNK_MAX;
    rp_chunk old;
    rp_code code = rp_chunks_borrow(chunks, chunks->count - 1, buffer, &old, report);
    if (code == RP_OK) code = allocate_storage(chunks, stored, capacity, report);
    *all = stored->chunk;
    if (code == RP_OK && stored->offset >= 0) /* the buffer may hold the old grains: take another */
        code = rp_chunk_create(all, capacity, report);
    if (code != RP_OK) {
        *stored = before;
        return code;
    }
    copy_grains(all, 0, &old);
    if (before.offset < 0) {
        rp_chunk_release(&before.chunk, before.capacity);
        chunks->bytes -= chunk_bytes(before.capacity);
    }
    if (stored->offset < 0) return RP_OK;
    set_arrays(&stored->chunk, NULL, 0);
    rp_chunk made = *all;
    memcpy(buffer->x, made.x, chunk_bytes(capacity));
    rp_chunk_release(&made, capacity);
    set_arrays(all, buffer->x, capacity);
    return RP_OK;
}

static rp_code append_to_last(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer,
                              rp_report *report)
{
    size_t index = chunks->count - 1;
    uint32_t born = chunks->items[index].chunk.born, count = chunks->items[index].chunk.count;
    rp_chunk all;
    rp_code code;
    if (count + chunk->count > chunks->items[index].capacity)
        code = grow_last(chunks, count + chunk->count, buffer, &all, report);
    else
        code = rp_chunks_borrow(chunks, index, buffer, &all, report);
    RP_TRY(code);
    copy_grains(&all, count, chunk);
    for (uint32_t i = 0; i < chunk->count; i++)
        all.local[count + i] = (uint16_t)(all.local[count + i] + born);
    all.count += chunk->count;
    all.born += chunk->born;
    chunks->items[index].pairs = UINT64_MAX; /* the new grains are at the end: sort soon */
    return rp_chunks_return(chunks, index, &all, report);
}

rp_code rp_chunks_put(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer, rp_report *report)
{
    RP_TRY(add_chunk(chunks, chunk, report));
    rp_stored_chunk *stored = &chunks->items[chunks->count - 1];
    rp_chunk out = stored->chunk;
    if (stored->offset >= 0) set_arrays(&out, buffer->x, stored->capacity);
    copy_grains(&out, 0, chunk);
    return rp_chunks_return(chunks, chunks->count - 1, &out, report);
}

rp_code rp_chunks_add(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer, rp_report *report)
{
    return continues_last(chunks, chunk) ? append_to_last(chunks, chunk, buffer, report)
                                         : rp_chunks_put(chunks, chunk, buffer, report);
}

/* --- sorting -------------------------------------------------------------------------------- */

/* Grains of a chunk are sorted along a Morton curve through small cells, so that neighbors in
 * memory are neighbors in space and share their coarse grains: a radix sort of 32-bit keys. */

#define DIGIT_BITS 8 /* of a key, by which one pass sorts */
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define AXIS_BITS 10 /* cells along an axis that have keys of their own: 1024 */
#define FAR_CELL 2e9f

/* Returns the lowest coordinate, rounded down to the edge of a search cell: then search cells are
 * contiguous on the curve. */
static float lowest(const float *x, size_t count, float search_edge)
{
    float least = x[0];
    for (size_t i = 1; i < count; i++)
        least = x[i] < least ? x[i] : least;
    return floorf(least / search_edge) * search_edge;
}

/* Spreads the low bits, with two zeros between each: one axis of a Morton key. */
static inline uint32_t spread(uint32_t v)
{
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

/* Cells beyond 1024 along an axis wrap around and share keys, which only costs time. */
static inline uint32_t cell_of(float x, float low, float inverse)
{
    float cell = (x - low) * inverse;
    return (uint32_t)(int32_t)(cell < FAR_CELL ? cell : FAR_CELL) & ((1u << AXIS_BITS) - 1);
}

/* Computes the keys and the identity order; returns the bits in which the keys differ. */
RP_WIDE_KERNEL
static uint32_t make_keys(const rp_chunk *chunk, float cell_edge, float search_edge, uint32_t *keys,
                          uint16_t *order)
{
    const float *x = chunk->x, *y = chunk->y, *z = chunk->z, inverse = 1 / cell_edge;
    const size_t count = chunk->count;
    RP_ASSERT(count > 0 && count <= RP_CHUNK_MAX && cell_edge > 0);
    float low_x = lowest(x, count, search_edge), low_y = lowest(y, count, search_edge),
          low_z = lowest(z, count, search_edge);
    uint32_t differing_bits = 0;
    for (size_t i = 0; i < count; i++)
        keys[i] = spread(cell_of(x[i], low_x, inverse)) |
                  spread(cell_of(y[i], low_y, inverse)) << 1 |
                  spread(cell_of(z[i], low_z, inverse)) << 2;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint16_t)i;
        differing_bits |= keys[i] ^ keys[0];
    }
    return differing_bits;
}

/* One stable counting-sort pass by the digit at `shift`. */
static void sort_pass(const uint32_t *keys, const uint16_t *order, size_t count, int shift,
                      uint32_t *keys_out, uint16_t *order_out)
{
    uint32_t start[DIGIT_VALUES] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        start[keys[i] >> shift & (DIGIT_VALUES - 1)]++;
    for (int d = 0; d < DIGIT_VALUES; d++) {
        uint32_t number = start[d];
        start[d] = sum;
        sum += number;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t to = start[keys[i] >> shift & (DIGIT_VALUES - 1)]++;
        keys_out[to] = keys[i];
        order_out[to] = order[i];
    }
}

/* Replaces x[i] by x[order[i]] for all i. */
static void reorder_floats(float *x, const uint16_t *order, size_t count, float *buffer)
{
    for (size_t i = 0; i < count; i++)
        buffer[i] = x[order[i]];
    memcpy(x, buffer, count * sizeof *x);
}

/* Does the same with every array of a chunk. */
static void reorder(rp_chunk *chunk, const uint16_t *order, void *buffer)
{
    float *const arrays[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    for (size_t a = 0; a < 6; a++)
        reorder_floats(arrays[a], order, chunk->count, buffer);
    uint16_t *local = buffer;
    for (size_t i = 0; i < chunk->count; i++)
        local[i] = chunk->local[order[i]];
    memcpy(chunk->local, local, chunk->count * sizeof *local);
}

/* Sorts keys and places together, digit by digit from the lowest, and moves the grains last. */
void rp_chunk_sort(rp_chunk *chunk, double cell_edge, double search_edge,
                   rp_chunk_sort_scratch *scratch)
{
    if (chunk->count < 2) return;
    uint32_t *keys = scratch->keys[0], *keys_out = scratch->keys[1];
    uint16_t *order = scratch->order[0], *order_out = scratch->order[1];
    uint32_t differing_bits = make_keys(chunk, (float)cell_edge, (float)search_edge, keys, order);
    for (int shift = 0; shift < 32; shift += DIGIT_BITS) {
        /* Where all keys have the same digit, there is nothing to sort. */
        if (!(differing_bits >> shift & (DIGIT_VALUES - 1))) continue;
        sort_pass(keys, order, chunk->count, shift, keys_out, order_out);
        uint32_t *key_swap = keys;
        keys = keys_out, keys_out = key_swap;
        uint16_t *order_swap = order;
        order = order_out, order_out = order_swap;
    }
    if (differing_bits) reorder(chunk, order, scratch->buffer);
}
