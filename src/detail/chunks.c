/* Where chunks are kept: in memory as long as the limit allows, behind that in a scratch file that
 * has no name, so that nothing is left of it whatever happens. */
#include "base/report.h"
#include "detail/inside.h"
#include "system/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One block of memory for all arrays of a chunk: x, y, z, vx, vy, vz, local. */
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

/* The arrays of a chunk lie in one block, so that one call moves them all. */
static rp_code swap(const rp_chunks *chunks, const rp_kept_chunk *kept, void *block, bool out,
                    rp_report *report)
{
    size_t bytes = chunk_bytes(kept->capacity);
    int error = out ? rp_disk_write_at(chunks->file, block, bytes, kept->place)
                    : rp_disk_read_at(chunks->file, block, bytes, kept->place);
    return error ? rp_fail_errno(report, error, chunks->folder, "use the scratch file in") : RP_OK;
}

rp_code rp_chunks_borrow(const rp_chunks *chunks, size_t index, rp_chunk *buffer, rp_chunk *out,
                         rp_report *report)
{
    const rp_kept_chunk *kept = &chunks->items[index];
    *out = kept->chunk;
    if (kept->place < 0) return RP_OK;
    set_arrays(out, buffer->x, kept->capacity);
    return swap(chunks, kept, buffer->x, false, report);
}

rp_code rp_chunks_return(rp_chunks *chunks, size_t index, const rp_chunk *chunk, rp_report *report)
{
    rp_kept_chunk *kept = &chunks->items[index];
    kept->chunk.born = chunk->born;
    kept->chunk.count = chunk->count;
    return kept->place < 0 ? RP_OK : swap(chunks, kept, chunk->x, true, report);
}

/* --- new chunks ------------------------------------------------------------------------------- */

/* Makes the newest chunk one that can hold `capacity` grains, in memory or in the file. */
static rp_code keep(rp_chunks *chunks, rp_kept_chunk *kept, size_t capacity, rp_report *report)
{
    size_t bytes = chunk_bytes(capacity);
    kept->capacity = capacity;
    kept->place = -1;
    if (!chunks->folder || (double)chunks->bytes + (double)bytes <= chunks->limit) {
        rp_code code = rp_chunk_create(&kept->chunk, capacity, report);
        if (code == RP_OK) chunks->bytes += bytes;
        return code;
    }
    rp_code code = open_scratch(chunks, report);
    kept->place = chunks->file_end;
    if (code == RP_OK) chunks->file_end += (int64_t)bytes;
    return code;
}

static rp_code add_chunk(rp_chunks *chunks, const rp_chunk *chunk, rp_report *report)
{
    if (!rp_reserve((void **)&chunks->items, &chunks->capacity, chunks->count, chunks->count + 1,
                    sizeof *chunks->items))
        return rp_fail_memory(report, chunks->count * sizeof *chunks->items, "fine grains");
    rp_kept_chunk *kept = &chunks->items[chunks->count];
    *kept = (rp_kept_chunk){.chunk = *chunk, .pairs = 1};
    set_arrays(&kept->chunk, NULL, 0);
    rp_code code = keep(chunks, kept, chunk->count, report);
    if (code == RP_OK) chunks->count++;
    return code;
}

/* Emitters bear a few grains at a time: they join the last chunk as long as it has numbers left.
 * Where chunks are kept plays no part in it: what is recorded must not depend on that. */
static bool belongs(const rp_chunks *chunks, const rp_chunk *chunk)
{
    if (!chunks->count) return false;
    const rp_chunk *last = &chunks->items[chunks->count - 1].chunk;
    return last->material == chunk->material && last->first + last->born == chunk->first &&
           last->born + chunk->born <= RP_CHUNK_MAX;
}

/* Puts the last chunk where `wanted` grains have room; `all` gets its grains, in its arrays or in
 * the buffer's. */
static rp_code move_last(rp_chunks *chunks, size_t wanted, rp_chunk *buffer, rp_chunk *all,
                         rp_report *report)
{
    rp_kept_chunk *kept = &chunks->items[chunks->count - 1], before = *kept;
    size_t capacity = wanted + wanted / 2 < RP_CHUNK_MAX ? wanted + wanted / 2 : RP_CHUNK_MAX;
    rp_chunk old;
    rp_code code = rp_chunks_borrow(chunks, chunks->count - 1, buffer, &old, report);
    if (code == RP_OK) code = keep(chunks, kept, capacity, report);
    *all = kept->chunk;
    if (code == RP_OK && kept->place >= 0) /* the buffer may hold the grains */
        code = rp_chunk_create(all, capacity, report);
    if (code != RP_OK) {
        *kept = before;
        return code;
    }
    copy_grains(all, 0, &old);
    if (before.place < 0) {
        rp_chunk_release(&before.chunk, before.capacity);
        chunks->bytes -= chunk_bytes(before.capacity);
    }
    if (kept->place < 0) return RP_OK;
    set_arrays(&kept->chunk, NULL, 0);
    rp_chunk made = *all;
    memcpy(buffer->x, made.x, chunk_bytes(capacity));
    rp_chunk_release(&made, capacity);
    set_arrays(all, buffer->x, capacity);
    return RP_OK;
}

static rp_code join(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer, rp_report *report)
{
    size_t index = chunks->count - 1;
    uint32_t born = chunks->items[index].chunk.born, count = chunks->items[index].chunk.count;
    rp_chunk all;
    rp_code code;
    if (count + chunk->count > chunks->items[index].capacity)
        code = move_last(chunks, count + chunk->count, buffer, &all, report);
    else
        code = rp_chunks_borrow(chunks, index, buffer, &all, report);
    RP_TRY(code);
    copy_grains(&all, count, chunk);
    for (uint32_t i = 0; i < chunk->count; i++)
        all.local[count + i] = (uint16_t)(all.local[count + i] + born);
    all.count += chunk->count;
    all.born += chunk->born;
    chunks->items[index].pairs = UINT64_MAX; /* the new ones stand apart: sort */
    return rp_chunks_return(chunks, index, &all, report);
}

rp_code rp_chunks_put(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer, rp_report *report)
{
    RP_TRY(add_chunk(chunks, chunk, report));
    rp_kept_chunk *kept = &chunks->items[chunks->count - 1];
    rp_chunk out = kept->chunk;
    if (kept->place >= 0) set_arrays(&out, buffer->x, kept->capacity);
    copy_grains(&out, 0, chunk);
    return rp_chunks_return(chunks, chunks->count - 1, &out, report);
}

rp_code rp_chunks_add(rp_chunks *chunks, const rp_chunk *chunk, rp_chunk *buffer, rp_report *report)
{
    return belongs(chunks, chunk) ? join(chunks, chunk, buffer, report)
                                  : rp_chunks_put(chunks, chunk, buffer, report);
}
