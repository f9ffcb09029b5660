/* A reader of HDF5 files that knows exactly what our writer makes of the format, and refuses all
 * else: groups by symbol tables, object headers of version 1, arrays of plain numbers in one piece
 * or in chunks that were shuffled and deflated. For sealed_*.c only.
 *
 * The HDF5 library is kept away from files that somebody else may have made: a checksum can be
 * computed by anyone, and that library trusts sizes and addresses which it finds. Here every
 * address is checked against the file, every count against a bound, and levels of trees must fall,
 * so that reading ends. See "HDF5 File Format Specification", version 3.0.
 *
 * Functions return NULL, or what is wrong as a text that lives forever. */
#ifndef RP_FILES_HDF5_READER_H
#define RP_FILES_HDF5_READER_H

#include "repose/view.h"

/* Names and other texts are shorter, and printable. */
#define RP_IMAGE_TEXT 256

/* The file behind the user block, to which addresses in it are relative. */
typedef struct rp_image {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t root; /* address of the header of the outermost group */
} rp_image;

/* `image` is the whole file of `size` bytes, with a user block of `user` bytes; borrowed. */
const char *rp_image_open(rp_image *image, const char *file, size_t size, size_t user);

/* Whether the header at an address is that of a group, and of an array of texts. */
bool rp_image_is_group(const rp_image *image, uint64_t object);
bool rp_image_is_texts(const rp_image *image, uint64_t object);

/* Calls `visit` with each link of a group, by rising name; stops when that returns a fault. */
typedef const char *rp_image_visit(void *user, const char *name, uint64_t object);
const char *rp_image_list(const rp_image *image, uint64_t group, rp_image_visit *visit, void *user);

/* Attributes: one number of exactly this type, or a text of fixed length. One that is damaged is
 * there. */
bool rp_image_has_attribute(const rp_image *image, uint64_t object, const char *name);
const char *rp_image_number(const rp_image *image, uint64_t object, const char *name,
                            rp_field_type type, void *value);
const char *rp_image_text(const rp_image *image, uint64_t object, const char *name,
                          char text[RP_IMAGE_TEXT]);

/* An array whose description was checked, and of which all bytes are in the file. */
typedef struct rp_image_array {
    rp_field_type type;
    size_t rows, columns;
    uint64_t address;    /* of the values, or of the tree of chunks */
    uint64_t stored;     /* bytes in the file */
    uint32_t chunk_rows; /* 0: all in one piece */
} rp_image_array;

const char *rp_image_array_open(const rp_image *image, uint64_t object, rp_image_array *array);
size_t rp_image_array_bytes(const rp_image_array *array);
/* Bytes of scratch memory that reading needs. */
size_t rp_image_scratch(const rp_image_array *array);
const char *rp_image_read(const rp_image *image, const rp_image_array *array, void *values,
                          void *scratch);
/* What rp_image_read returns when memory ran out. */
extern const char rp_image_no_memory[];

/* sealed_image.c, for sealed_values.c: a message of an object's header. */
typedef struct rp_image_message {
    const uint8_t *data;
    size_t size;
} rp_image_message;

/* The first message of a kind, with data NULL where there is none. */
const char *rp_image_message_find(const rp_image *image, uint64_t object, unsigned kind,
                                  rp_image_message *found);
/* `size` bytes at an address, or NULL unless they are all in the file. */
const uint8_t *rp_image_bytes(const rp_image *image, uint64_t address, uint64_t size);
/* Little-endian numbers, wherever they stand. */
uint16_t rp_image_u16(const uint8_t *from);
uint32_t rp_image_u32(const uint8_t *from);
uint64_t rp_image_u64(const uint8_t *from);
/* Whether the `size` bytes describe values of this type, as our writer does. */
bool rp_image_is_type(const uint8_t *from, size_t size, rp_field_type type);
/* The dimensions of a dataspace, 0 for one value; -1 for one that is not ours. */
int rp_image_dimensions(const uint8_t *from, size_t size, uint64_t extent[2]);

/* Kinds of messages. */
enum {
    RP_MESSAGE_NONE = 0x00,
    RP_MESSAGE_SPACE = 0x01,
    RP_MESSAGE_TYPE = 0x03,
    RP_MESSAGE_FILL = 0x05,
    RP_MESSAGE_LAYOUT = 0x08,
    RP_MESSAGE_FILTERS = 0x0b,
    RP_MESSAGE_ATTRIBUTE = 0x0c,
    RP_MESSAGE_CONTINUATION = 0x10,
    RP_MESSAGE_LINKS = 0x11
};

/* The beginning of a node of a tree: "TREE", kind, level, entries, and two siblings. */
#define RP_TREE_HEAD 24
enum { RP_TREE_LINKS, RP_TREE_CHUNKS };
/* More levels than any file of ours has. */
#define RP_TREE_LEVELS 8

#endif
