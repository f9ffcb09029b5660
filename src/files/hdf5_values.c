/* The strict HDF5 reader: arrays. First the description of an array is checked, and that all its
 * bytes are in the file; then its values are read, in one piece or chunk by chunk. Sections in
 * brackets are those of the "HDF5 File Format Specification", version 3.0. */
#include "base/report.h"
#include "files/hdf5_reader.h"

#include <string.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied as they are");

/* Children of a node of the B-tree of chunks (the library's default). */
#define NODE_CHILDREN 64
/* The best compression ratio of deflate: two bits for 258 bytes. */
#define RATIO_MAX 1032
/* The filter mask of a chunk: filters that were not applied, since they did not help. */
enum { NOT_SHUFFLED = 1, NOT_DEFLATED = 2 };

const char rp_hdf5_no_memory[] = "memory ran out";

size_t rp_hdf5_array_bytes(const rp_hdf5_array *array)
{
    return array->rows * array->columns * rp_field_type_size(array->type);
}

static size_t chunk_bytes(const rp_hdf5_array *array)
{
    return array->chunk_rows * array->columns * rp_field_type_size(array->type);
}

static const char *find_type(const rp_hdf5_message *from, rp_field_type *type)
{
    for (int i = RP_F32; i <= RP_U64; i++)
        if (from->data && rp_hdf5_is_type(from->data, from->size, (rp_field_type)i)) {
            *type = (rp_field_type)i;
            return NULL;
        }
    return "the array has a type that is not ours";
}

/* Few enough values that sums of their bytes stay far from overflowing. */
#define ROWS_MAX ((uint64_t)1 << 40)
#define COLUMNS_MAX 64

static const char *find_extent(const rp_hdf5_message *from, rp_hdf5_array *array)
{
    uint64_t extent[2] = {0, 1};
    int rank = from->data ? rp_hdf5_dimensions(from->data, from->size, extent) : -1;
    if (rank < 1 || extent[0] > ROWS_MAX || extent[1] < (rank > 1 ? 2 : 1) ||
        extent[1] > COLUMNS_MAX)
        return "the array has impossible dimensions";
    array->rows = (size_t)extent[0];
    array->columns = (size_t)extent[1];
    return NULL;
}

/* The filter pipeline [IV.A.2.l], version 1, must be shuffle, then deflate. Of each filter: id,
 * bytes of its name, flag "optional", number of parameters (1); name; parameter and padding. The
 * parameter of shuffle is the bytes of a value, that of deflate its level. */
static bool are_our_filters(const rp_hdf5_message *from, size_t value_bytes)
{
    static const uint8_t shuffle[] = {2, 0, 8, 0, 1, 0, 1, 0, 's', 'h', 'u', 'f', 'f', 'l', 'e', 0};
    static const uint8_t deflate[] = {1, 0, 8, 0, 1, 0, 1, 0, 'd', 'e', 'f', 'l', 'a', 't', 'e', 0};
    static const uint8_t head[] = {1, 2, 0, 0, 0, 0, 0, 0};
    const uint8_t *data = from->data;
    return data && from->size >= 56 && memcmp(data, head, sizeof head) == 0 &&
           memcmp(data + 8, shuffle, sizeof shuffle) == 0 &&
           rp_hdf5_u32(data + 24) == value_bytes &&
           memcmp(data + 32, deflate, sizeof deflate) == 0 && rp_hdf5_u32(data + 48) <= 9;
}

/* An iteration over the chunks of an array in the order of its rows, twice: once to check them,
 * once to read them. Each chunk must begin at the row where the one before it ended. */
typedef struct chunk_walk {
    const rp_hdf5 *image;
    const rp_hdf5_array *array;
    size_t next;     /* row of the next chunk */
    uint64_t stored; /* bytes in the file, so far */
    uint8_t *values; /* NULL: only check */
    void *scratch;
} chunk_walk;

/* A chunk must inflate to exactly `bytes` bytes and use all of its input. */
static const char *inflate_chunk(const uint8_t *from, size_t size, void *to, size_t bytes)
{
    z_stream stream = {.next_in = (uint8_t *)from, .avail_in = (uInt)size};
    if (inflateInit(&stream) != Z_OK) return rp_hdf5_no_memory;
    stream.next_out = to;
    stream.avail_out = (uInt)bytes;
    int result = inflate(&stream, Z_FINISH);
    bool whole = result == Z_STREAM_END && !stream.avail_out && !stream.avail_in;
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR) return rp_hdf5_no_memory;
    return whole ? NULL : "a chunk of the array does not unpack to its size";
}

/* Undoes the shuffle filter, which had put all first bytes of the values first, then all second
 * bytes, and so on. Only the first `wanted` of `count` values are stored: the last chunk is padded.
 */
static void unshuffle(const uint8_t *from, size_t count, size_t bytes, uint8_t *to, size_t wanted)
{
    for (size_t b = 0; b < bytes; b++)
        for (size_t i = 0; i < wanted; i++)
            to[i * bytes + b] = from[b * count + i];
}

static const char *unpack_chunk(const chunk_walk *w, const uint8_t *from, size_t size,
                                unsigned mask, size_t rows)
{
    const rp_hdf5_array *array = w->array;
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

/* An entry of a leaf of the chunks' B-tree [III.A.1, node type 1]. The key: stored bytes, filter
 * mask, then the chunk's offset in each dimension and one for the bytes of a value, which is 0. The
 * address of the chunk follows the key. */
static const char *take_chunk(chunk_walk *w, const uint8_t *key, size_t key_size)
{
    const rp_hdf5_array *array = w->array;
    uint32_t size = rp_hdf5_u32(key), mask = rp_hdf5_u32(key + 4);
    size_t left = array->rows - w->next;
    bool sound = left && mask <= (NOT_SHUFFLED | NOT_DEFLATED) && rp_hdf5_u64(key + 8) == w->next;
    for (size_t i = 16; i < key_size; i += 8)
        sound &= rp_hdf5_u64(key + i) == 0;
    if (mask & NOT_DEFLATED) sound &= size == chunk_bytes(array); /* else it is read as it is */
    const uint8_t *from = rp_hdf5_bytes(w->image, rp_hdf5_u64(key + key_size), size);
    if (!sound || !from) return "a chunk of the array is not where it should be";
    size_t rows = left < array->chunk_rows ? left : array->chunk_rows;
    w->stored += size;
    const char *fault = w->values ? unpack_chunk(w, from, size, mask, rows) : NULL;
    w->next += rows;
    return fault;
}

/* A node of the B-tree. `level` is the one that it must have, or -1 for any: levels fall, so there
 * are no circles, and chunks must come in order, so none is visited twice. */
static const char *take_node(chunk_walk *w, uint64_t address, int level)
{
    const uint8_t *node = rp_hdf5_bytes(w->image, address, RP_HDF5_TREE_HEAD);
    if (!node || memcmp(node, "TREE", 4) != 0 || node[4] != RP_HDF5_TREE_CHUNKS)
        return "the array's chunks are not listed";
    unsigned count = rp_hdf5_u16(node + 6);
    if (level < 0 ? node[5] >= RP_HDF5_TREE_LEVELS : node[5] != level)
        return "the list of the array's chunks has a wrong level";
    size_t key = 8 + 8 * (w->array->columns > 1 ? 3u : 2u), entry = key + 8;
    const uint8_t *at = rp_hdf5_bytes(w->image, address + RP_HDF5_TREE_HEAD, count * entry + key);
    if (!at || !count || count > NODE_CHILDREN)
        return "the list of the array's chunks is too large";
    level = node[5];
    const char *fault = NULL;
    for (unsigned i = 0; i < count && !fault; i++, at += entry)
        fault = level ? take_node(w, rp_hdf5_u64(at + key), level - 1) : take_chunk(w, at, key);
    return fault;
}

/* All chunks in their order; none is missing. */
static const char *take_chunks(chunk_walk *w)
{
    const char *fault = take_node(w, w->array->address, -1);
    if (!fault && w->next != w->array->rows) fault = "chunks of the array are missing";
    return fault;
}

/* A data layout message [IV.A.2.i] of version 3, contiguous: version, class 1, address, bytes. An
 * array without values has no address. */
static const char *open_piece(const rp_hdf5 *image, const rp_hdf5_message *layout,
                              rp_hdf5_array *array)
{
    size_t bytes = rp_hdf5_array_bytes(array);
    array->address = rp_hdf5_u64(layout->data + 2);
    array->stored = rp_hdf5_u64(layout->data + 10);
    if (array->stored != bytes || (bytes && !rp_hdf5_bytes(image, array->address, bytes)))
        return "the array's data are not all there";
    return NULL;
}

/* The same, chunked: version, class 2, dimensions plus one for the bytes of a value, address of the
 * B-tree, extent of a chunk in each of them. */
static const char *open_chunks(const rp_hdf5 *image, const rp_hdf5_message *layout,
                               rp_hdf5_array *array)
{
    const uint8_t *data = layout->data;
    size_t rank = array->columns > 1 ? 2 : 1, value_bytes = rp_field_type_size(array->type);
    if (data[2] != rank + 1 || layout->size < 11 + 4 * (rank + 1))
        return "the array's chunks have other dimensions than the array";
    const uint8_t *extent = data + 11;
    array->address = rp_hdf5_u64(data + 3);
    array->chunk_rows =
        array->rows < RP_HDF5_CHUNK_ROWS ? (uint32_t)array->rows : RP_HDF5_CHUNK_ROWS;
    if (!array->rows || rp_hdf5_u32(extent) != array->chunk_rows ||
        (rank > 1 && rp_hdf5_u32(extent + 4) != array->columns) ||
        rp_hdf5_u32(extent + 4 * rank) != value_bytes)
        return "the array's chunks have another size than Repose gives them";
    chunk_walk w = {.image = image, .array = array};
    const char *fault = take_chunks(&w);
    array->stored = w.stored;
    /* A small file must not be able to claim any amount of memory. */
    if (!fault && rp_hdf5_array_bytes(array) / RATIO_MAX > w.stored)
        fault = "the array's data are not all there";
    return fault;
}

const char *rp_hdf5_array_open(const rp_hdf5 *image, uint64_t object, rp_hdf5_array *array)
{
    *array = (rp_hdf5_array){.type = RP_F32};
    rp_hdf5_message type, space, layout, filters;
    const char *fault = rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_TYPE, &type);
    if (!fault) fault = rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_SPACE, &space);
    if (!fault) fault = rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_LAYOUT, &layout);
    if (!fault) fault = rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_FILTERS, &filters);
    if (!fault) fault = find_type(&type, &array->type);
    if (!fault) fault = find_extent(&space, array);
    if (fault) return fault;
    if (!layout.data || layout.size < 18 || layout.data[0] != 3)
        return "the array has a storage layout that is not ours";
    if (layout.data[1] == 1 && !filters.data) return open_piece(image, &layout, array);
    if (layout.data[1] == 2 && are_our_filters(&filters, rp_field_type_size(array->type)))
        return open_chunks(image, &layout, array);
    return "the array has a storage layout that is not ours";
}

size_t rp_hdf5_scratch(const rp_hdf5_array *array)
{
    return chunk_bytes(array);
}

const char *rp_hdf5_read(const rp_hdf5 *image, const rp_hdf5_array *array, void *values,
                         void *scratch)
{
    RP_ASSERT(values || !array->rows);
    if (!array->rows) return NULL;
    if (array->chunk_rows) {
        chunk_walk w = {.image = image, .array = array, .values = values, .scratch = scratch};
        return take_chunks(&w);
    }
    memcpy(values, image->bytes + array->address, rp_hdf5_array_bytes(array));
    return NULL;
}
