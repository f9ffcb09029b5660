/* Arrays of sealed files: what their headers say, where their bytes are, and their values. */
#include "record/sealed_image.h"

#include <string.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied as they are");

/* Rows of a chunk, as the writer makes them, and children of a node of their tree. */
#define CHUNK_ROWS (64u << 10)
#define NODE_CHILDREN 64
/* Deflate spends at least two bits on 258 bytes. */
#define PACK_MAX 1032
/* Bits of a chunk that say which filter was left out, because it did not help. */
enum { NOT_SHUFFLED = 1, NOT_DEFLATED = 2 };

const char rp_image_no_memory[] = "memory ran out";

size_t rp_image_array_bytes(const rp_image_array *array)
{
    return array->rows * array->columns * rp_field_type_size(array->type);
}

static size_t chunk_bytes(const rp_image_array *array)
{
    return array->chunk_rows * array->columns * rp_field_type_size(array->type);
}

static const char *find_type(const rp_image_message *from, rp_field_type *type)
{
    for (int i = RP_F32; i <= RP_U64; i++)
        if (from->data && rp_image_is_type(from->data, from->size, (rp_field_type)i)) {
            *type = (rp_field_type)i;
            return NULL;
        }
    return "the array has a type that is not ours";
}

/* Few enough values that sums of their bytes stay far from overflowing. */
#define ROWS_MAX ((uint64_t)1 << 40)
#define COLUMNS_MAX 64

static const char *find_extent(const rp_image_message *from, rp_image_array *array)
{
    uint64_t extent[2] = {0, 1};
    int rank = from->data ? rp_image_dimensions(from->data, from->size, extent) : -1;
    if (rank < 1 || extent[0] > ROWS_MAX || extent[1] < (rank > 1 ? 2 : 1) ||
        extent[1] > COLUMNS_MAX)
        return "the array has impossible dimensions";
    array->rows = (size_t)extent[0];
    array->columns = (size_t)extent[1];
    return NULL;
}

/* Exactly shuffle, then deflate: id, bytes of the name, optional, one number; name and number. */
static bool are_our_filters(const rp_image_message *from, size_t value_bytes)
{
    static const uint8_t shuffle[] = {2, 0, 8, 0, 1, 0, 1, 0, 's', 'h', 'u', 'f', 'f', 'l', 'e', 0};
    static const uint8_t deflate[] = {1, 0, 8, 0, 1, 0, 1, 0, 'd', 'e', 'f', 'l', 'a', 't', 'e', 0};
    static const uint8_t head[] = {1, 2, 0, 0, 0, 0, 0, 0};
    const uint8_t *data = from->data;
    return data && from->size >= 56 && memcmp(data, head, sizeof head) == 0 &&
           memcmp(data + 8, shuffle, sizeof shuffle) == 0 &&
           rp_image_u32(data + 24) == value_bytes &&
           memcmp(data + 32, deflate, sizeof deflate) == 0 && rp_image_u32(data + 48) <= 9;
}

/* Chunks as they come: each begins where the one before it ended. */
typedef struct chunk_walk {
    const rp_image *image;
    const rp_image_array *array;
    size_t next;     /* row */
    uint64_t stored; /* bytes, so far */
    uint8_t *values; /* NULL: only look */
    void *scratch;
} chunk_walk;

static const char *inflate_chunk(const uint8_t *from, size_t size, void *to, size_t bytes)
{
    z_stream stream = {.next_in = (uint8_t *)from, .avail_in = (uInt)size};
    if (inflateInit(&stream) != Z_OK) return rp_image_no_memory;
    stream.next_out = to;
    stream.avail_out = (uInt)bytes;
    int result = inflate(&stream, Z_FINISH);
    bool whole = result == Z_STREAM_END && !stream.avail_out && !stream.avail_in;
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR) return rp_image_no_memory;
    return whole ? NULL : "a chunk of the array does not unpack to its size";
}

/* Bytes that stood together by their place in the value go back to their values, of which the
 * first `wanted` are. */
static void unshuffle(const uint8_t *from, size_t count, size_t bytes, uint8_t *to, size_t wanted)
{
    for (size_t b = 0; b < bytes; b++)
        for (size_t i = 0; i < wanted; i++)
            to[i * bytes + b] = from[b * count + i];
}

static const char *unpack_chunk(const chunk_walk *w, const uint8_t *from, size_t size,
                                unsigned mask, size_t rows)
{
    const rp_image_array *array = w->array;
    size_t whole = chunk_bytes(array), bytes = rp_field_type_size(array->type);
    const uint8_t *plain = from;
    if (!(mask & NOT_DEFLATED)) {
        const char *fault = inflate_chunk(from, size, w->scratch, whole);
        if (fault) return fault;
        plain = w->scratch;
    }
    uint8_t *to = w->values + w->next * array->columns * bytes;
    if (mask & NOT_SHUFFLED || bytes == 1)
        memcpy(to, plain, rows * array->columns * bytes);
    else
        unshuffle(plain, whole / bytes, bytes, to, rows * array->columns);
    return NULL;
}

/* An entry of a leaf: stored bytes, what was left out, the place of the chunk; then its address. */
static const char *take_chunk(chunk_walk *w, const uint8_t *key, size_t key_size)
{
    const rp_image_array *array = w->array;
    uint32_t size = rp_image_u32(key), mask = rp_image_u32(key + 4);
    size_t left = array->rows - w->next;
    bool sound = left && mask <= (NOT_SHUFFLED | NOT_DEFLATED) && rp_image_u64(key + 8) == w->next;
    for (size_t i = 16; i < key_size; i += 8)
        sound &= rp_image_u64(key + i) == 0;
    if (mask & NOT_DEFLATED) sound &= size == chunk_bytes(array);
    const uint8_t *from = rp_image_bytes(w->image, rp_image_u64(key + key_size), size);
    if (!sound || !from) return "a chunk of the array is not where it should be";
    size_t rows = left < array->chunk_rows ? left : array->chunk_rows;
    w->stored += size;
    const char *fault = w->values ? unpack_chunk(w, from, size, mask, rows) : NULL;
    w->next += rows;
    return fault;
}

/* `level` is the one that the node must have, or -1 for any. */
static const char *take_node(chunk_walk *w, uint64_t address, int level)
{
    const uint8_t *node = rp_image_bytes(w->image, address, RP_TREE_HEAD);
    if (!node || memcmp(node, "TREE", 4) != 0 || node[4] != RP_TREE_CHUNKS)
        return "the array's chunks are not listed";
    unsigned count = rp_image_u16(node + 6);
    if (level < 0 ? node[5] >= RP_TREE_LEVELS : node[5] != level)
        return "the list of the array's chunks has a wrong level";
    size_t key = 8 + 8 * (w->array->columns > 1 ? 3u : 2u), entry = key + 8;
    const uint8_t *at = rp_image_bytes(w->image, address + RP_TREE_HEAD, count * entry + key);
    if (!at || !count || count > NODE_CHILDREN)
        return "the list of the array's chunks is too large";
    level = node[5];
    const char *fault = NULL;
    for (unsigned i = 0; i < count && !fault; i++, at += entry)
        fault = level ? take_node(w, rp_image_u64(at + key), level - 1) : take_chunk(w, at, key);
    return fault;
}

/* All chunks in their order; none is missing. */
static const char *take_chunks(chunk_walk *w)
{
    const char *fault = take_node(w, w->array->address, -1);
    if (!fault && w->next != w->array->rows) fault = "chunks of the array are missing";
    return fault;
}

/* Version 3, contiguous, address, bytes. An array without values has no address. */
static const char *open_piece(const rp_image *image, const rp_image_message *layout,
                              rp_image_array *array)
{
    size_t bytes = rp_image_array_bytes(array);
    array->address = rp_image_u64(layout->data + 2);
    array->stored = rp_image_u64(layout->data + 10);
    if (array->stored != bytes || (bytes && !rp_image_bytes(image, array->address, bytes)))
        return "the array's data are not all there";
    return NULL;
}

/* Version 3, chunked, dimensions and one for bytes, address of the tree, extent of a chunk. */
static const char *open_chunks(const rp_image *image, const rp_image_message *layout,
                               rp_image_array *array)
{
    const uint8_t *data = layout->data;
    size_t rank = array->columns > 1 ? 2 : 1, value_bytes = rp_field_type_size(array->type);
    if (data[2] != rank + 1 || layout->size < 11 + 4 * (rank + 1))
        return "the array's chunks have other dimensions than the array";
    const uint8_t *extent = data + 11;
    array->address = rp_image_u64(data + 3);
    array->chunk_rows = array->rows < CHUNK_ROWS ? (uint32_t)array->rows : CHUNK_ROWS;
    if (!array->rows || rp_image_u32(extent) != array->chunk_rows ||
        (rank > 1 && rp_image_u32(extent + 4) != array->columns) ||
        rp_image_u32(extent + 4 * rank) != value_bytes)
        return "the array's chunks have another size than Repose gives them";
    chunk_walk w = {.image = image, .array = array};
    const char *fault = take_chunks(&w);
    array->stored = w.stored;
    if (!fault && rp_image_array_bytes(array) / PACK_MAX > w.stored)
        fault = "the array's data are not all there";
    return fault;
}

const char *rp_image_array_open(const rp_image *image, uint64_t object, rp_image_array *array)
{
    *array = (rp_image_array){.type = RP_F32};
    rp_image_message type, space, layout, filters;
    const char *fault = rp_image_message_find(image, object, RP_MESSAGE_TYPE, &type);
    if (!fault) fault = rp_image_message_find(image, object, RP_MESSAGE_SPACE, &space);
    if (!fault) fault = rp_image_message_find(image, object, RP_MESSAGE_LAYOUT, &layout);
    if (!fault) fault = rp_image_message_find(image, object, RP_MESSAGE_FILTERS, &filters);
    if (!fault) fault = find_type(&type, &array->type);
    if (!fault) fault = find_extent(&space, array);
    if (fault) return fault;
    if (!layout.data || layout.size < 18 || layout.data[0] != 3)
        return "the array is kept in a way that is not ours";
    if (layout.data[1] == 1 && !filters.data) return open_piece(image, &layout, array);
    if (layout.data[1] == 2 && are_our_filters(&filters, rp_field_type_size(array->type)))
        return open_chunks(image, &layout, array);
    return "the array is kept in a way that is not ours";
}

size_t rp_image_scratch(const rp_image_array *array)
{
    return chunk_bytes(array);
}

const char *rp_image_read(const rp_image *image, const rp_image_array *array, void *values,
                          void *scratch)
{
    if (!array->rows) return NULL;
    if (array->chunk_rows) {
        chunk_walk w = {.image = image, .array = array, .values = values, .scratch = scratch};
        return take_chunks(&w);
    }
    memcpy(values, image->bytes + array->address, rp_image_array_bytes(array));
    return NULL;
}
