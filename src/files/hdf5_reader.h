/* A strict reader of HDF5 files: it accepts exactly what our writer makes of the format and refuses
 * all else. For checksummed_*.c only. What is accepted, by the sections of the "HDF5 File
 * Format Specification", version 3.0:
 *
 *     II.A      superblock of version 0, addresses and lengths of 8 bytes, behind a user block
 *     III.A.1   B-trees of version 1: of groups (node type 0) and of chunks (node type 1)
 *     III.B, C  symbol table nodes and their entries: hard links only
 *     III.D     local heaps of version 0, which hold the names of links
 *     IV.A.1.a  object headers of version 1, with continuation blocks
 *     IV.A.2    messages: NIL, dataspace (b), datatype (d), fill value (f), data layout (i), filter
 *               pipeline (l), attribute (m), continuation (q), symbol table (r); none of them
 * shared
 *
 * Arrays hold little-endian integers and IEEE floats, of one or two dimensions, in one piece
 * (contiguous) or in chunks that were shuffled and deflated.
 *
 * The HDF5 library never reads files that another person may have made: anybody can compute a
 * checksum, and that library trusts sizes and addresses that it finds. Here every address is
 * checked against the file, every count against a bound, and levels of trees must fall, so reading
 * ends.
 *
 * Functions return NULL, or a static text that says what is wrong. */
#ifndef RP_FILES_HDF5_READER_H
#define RP_FILES_HDF5_READER_H

#include "repose/view.h"

/* Rows of a chunk of a compressed array, in writer and reader. */
#define RP_HDF5_CHUNK_ROWS (64u << 10)

/* Names and other texts are shorter, and printable. */
#define RP_HDF5_TEXT 256

/* The file behind the user block, to which addresses in it are relative. */
typedef struct rp_hdf5 {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t root; /* address of the header of the outermost group */
} rp_hdf5;

/* `image` is the whole file of `size` bytes, with a user block of `user` bytes; borrowed. */
const char *rp_hdf5_open(rp_hdf5 *image, const char *file, size_t size, size_t user);

/* Whether the header at an address is that of a group, and of an array of texts. */
bool rp_hdf5_is_group(const rp_hdf5 *image, uint64_t object);
bool rp_hdf5_is_texts(const rp_hdf5 *image, uint64_t object);

/* Calls `visit` with each link of a group, by rising name; stops when that returns a fault. */
typedef const char *rp_hdf5_visit(void *user, const char *name, uint64_t object);
const char *rp_hdf5_list(const rp_hdf5 *image, uint64_t group, rp_hdf5_visit *visit, void *user);

/* Attributes: one number of exactly this type, or a text of fixed length. One that is damaged is
 * there. */
bool rp_hdf5_has_attribute(const rp_hdf5 *image, uint64_t object, const char *name);
const char *rp_hdf5_number(const rp_hdf5 *image, uint64_t object, const char *name,
                           rp_field_type type, void *value);
const char *rp_hdf5_text(const rp_hdf5 *image, uint64_t object, const char *name,
                         char text[RP_HDF5_TEXT]);

/* An array whose description was checked, and of which all bytes are in the file. */
typedef struct rp_hdf5_array {
    rp_field_type type;
    size_t rows, columns;
    uint64_t address;    /* of the values, or of the tree of chunks */
    uint64_t stored;     /* bytes in the file */
    uint32_t chunk_rows; /* 0: all in one piece */
} rp_hdf5_array;

const char *rp_hdf5_array_open(const rp_hdf5 *image, uint64_t object, rp_hdf5_array *array);
size_t rp_hdf5_array_bytes(const rp_hdf5_array *array);
/* Bytes of scratch memory that reading needs. */
size_t rp_hdf5_scratch(const rp_hdf5_array *array);
const char *rp_hdf5_read(const rp_hdf5 *image, const rp_hdf5_array *array, void *values,
                         void *scratch);
/* What rp_hdf5_read returns when memory ran out. */
extern const char rp_hdf5_no_memory[];

/* --- what hdf5_reader.c and hdf5_values.c share -------------------------------------------------
 */

/* A message of an object's header. */
typedef struct rp_hdf5_message {
    const uint8_t *data;
    size_t size;
} rp_hdf5_message;

/* Finds the first message of a kind; its data are NULL where there is none. */
const char *rp_hdf5_message_find(const rp_hdf5 *image, uint64_t object, unsigned kind,
                                 rp_hdf5_message *found);
/* `size` bytes at an address, or NULL unless they are all in the file. */
const uint8_t *rp_hdf5_bytes(const rp_hdf5 *image, uint64_t address, uint64_t size);
/* Little-endian numbers, wherever they stand. */
uint16_t rp_hdf5_u16(const uint8_t *from);
uint32_t rp_hdf5_u32(const uint8_t *from);
uint64_t rp_hdf5_u64(const uint8_t *from);
/* Whether the `size` bytes describe values of this type, as our writer does. */
bool rp_hdf5_is_type(const uint8_t *from, size_t size, rp_field_type type);
/* The dimensions of a dataspace, 0 for one value; -1 for one that is not ours. */
int rp_hdf5_dimensions(const uint8_t *from, size_t size, uint64_t extent[2]);

/* Kinds of messages (IV.A.2). */
enum {
    RP_HDF5_MESSAGE_NONE = 0x00,
    RP_HDF5_MESSAGE_SPACE = 0x01,
    RP_HDF5_MESSAGE_TYPE = 0x03,
    RP_HDF5_MESSAGE_FILL = 0x05,
    RP_HDF5_MESSAGE_LAYOUT = 0x08,
    RP_HDF5_MESSAGE_FILTERS = 0x0b,
    RP_HDF5_MESSAGE_ATTRIBUTE = 0x0c,
    RP_HDF5_MESSAGE_CONTINUATION = 0x10,
    RP_HDF5_MESSAGE_LINKS = 0x11
};

/* The beginning of a node of a B-tree (III.A.1): "TREE", node type, level, number of entries, and
 * the addresses of two siblings; the keys and children follow. */
#define RP_HDF5_TREE_HEAD 24
enum { RP_HDF5_TREE_LINKS, RP_HDF5_TREE_CHUNKS };
/* More levels than any file of ours has. */
#define RP_HDF5_TREE_LEVELS 8

#endif
