/* The strict HDF5 reader: superblock, object headers, groups and attributes. Sections in brackets
 * are those of the "HDF5 File Format Specification", version 3.0. */
#include "files/hdf5_reader.h"

#include <string.h>

/* More than any object header of ours has. */
#define MESSAGES_MAX 256
#define BLOCKS_MAX 64
/* Entries of a symbol table node (twice "group leaf node K") and children of a node of a group's
 * B-tree (twice "group internal node K"), as our writer makes them: the library's defaults. */
#define LEAF_LINKS 8
#define NODE_CHILDREN 32
#define LINK_BYTES 40

#define SUPERBLOCK_BYTES 96
#define UNDEFINED UINT64_MAX

uint16_t rp_hdf5_u16(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

uint32_t rp_hdf5_u32(const uint8_t *from)
{
    return rp_hdf5_u16(from) | (uint32_t)rp_hdf5_u16(from + 2) << 16;
}

uint64_t rp_hdf5_u64(const uint8_t *from)
{
    return rp_hdf5_u32(from) | (uint64_t)rp_hdf5_u32(from + 4) << 32;
}

/* The only way to bytes of the file: no sum of address and size can overflow here. */
const uint8_t *rp_hdf5_bytes(const rp_hdf5 *image, uint64_t address, uint64_t size)
{
    if (address > image->size || size > image->size - address) return NULL;
    return image->bytes + address;
}

/* The superblock [II.A]: the signature and, one byte each, the versions of superblock, free space,
 * root entry, a reserved byte and that of shared headers; then the bytes of an address and of a
 * length (8, 8), a reserved byte, and K of leaf and internal nodes (4, 16). From byte 24 on the
 * base address, free space, end of file and driver; from 56 on the symbol table entry of the root.
 */
const char *rp_hdf5_open(rp_hdf5 *image, const char *file, size_t size, size_t user)
{
    static const uint8_t expected[20] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0,  0,
                                         0,    0,   0,   8,   8,    0,    4,    0,    16, 0};
    if (size < user || size - user < SUPERBLOCK_BYTES) return "the file has no whole superblock";
    *image = (rp_hdf5){.bytes = (const uint8_t *)file + user, .size = size - user};
    const uint8_t *block = image->bytes;
    if (memcmp(block, expected, sizeof expected) != 0)
        return "the content is not the kind of HDF5 file that Repose writes";
    if (rp_hdf5_u64(block + 24) != user || rp_hdf5_u64(block + 32) != UNDEFINED ||
        rp_hdf5_u64(block + 40) != size || rp_hdf5_u64(block + 48) != UNDEFINED)
        return "the superblock does not fit the file";
    image->root = rp_hdf5_u64(block + 64);
    return NULL;
}

/* --- object headers [IV.A.1.a] ------------------------------------------------------------------
 */

/* An iteration over the messages of a header, from block to block. */
typedef struct walk {
    const rp_hdf5 *image;
    unsigned left; /* messages still to come */
    const uint8_t *at, *end;
    int blocks, block; /* found so far; the one at hand */
    struct {
        uint64_t address, size;
    } more[BLOCKS_MAX];
    const char *fault;
} walk;

typedef struct message {
    unsigned kind;
    rp_hdf5_message content;
} message;

/* The prefix: version, reserved, number of messages, reference count, bytes of the first block, and
 * padding to 16 bytes. */
static walk begin_walk(const rp_hdf5 *image, uint64_t object)
{
    walk w = {.image = image};
    const uint8_t *head = rp_hdf5_bytes(image, object, 16);
    if (!head || head[0] != 1) {
        w.fault = "the header of an object is not there";
        return w;
    }
    w.left = rp_hdf5_u16(head + 2);
    uint64_t size = rp_hdf5_u32(head + 8);
    w.at = rp_hdf5_bytes(image, object + 16, size);
    if (!w.at || w.left > MESSAGES_MAX) w.fault = "the header of an object is too large";
    w.end = w.at ? w.at + size : NULL;
    return w;
}

static bool is_known(unsigned kind)
{
    return kind == RP_HDF5_MESSAGE_NONE || kind == RP_HDF5_MESSAGE_SPACE ||
           kind == RP_HDF5_MESSAGE_TYPE || kind == RP_HDF5_MESSAGE_FILL ||
           kind == RP_HDF5_MESSAGE_LAYOUT || kind == RP_HDF5_MESSAGE_FILTERS ||
           kind == RP_HDF5_MESSAGE_ATTRIBUTE || kind == RP_HDF5_MESSAGE_CONTINUATION ||
           kind == RP_HDF5_MESSAGE_LINKS;
}

/* A continuation message [IV.A.2.q]: the address and size of another block of messages. Their
 * number is bounded, and each is visited once, so circles end. */
static void add_block(walk *w, const rp_hdf5_message *content)
{
    if (content->size < 16 || w->blocks == BLOCKS_MAX) {
        w->fault = "the continuation of an object header is not there";
        return;
    }
    w->more[w->blocks].address = rp_hdf5_u64(content->data);
    w->more[w->blocks++].size = rp_hdf5_u64(content->data + 8);
}

static bool next_block(walk *w)
{
    if (w->block == w->blocks) return false;
    uint64_t size = w->more[w->block].size;
    w->at = rp_hdf5_bytes(w->image, w->more[w->block++].address, size);
    if (!w->at) w->fault = "the header of an object is continued outside of the file";
    w->end = w->at ? w->at + size : NULL;
    return w->at != NULL;
}

/* The next message: kind, bytes of data, flags and three reserved bytes, data. False behind the
 * last one, and when something is wrong. */
static bool next_message(walk *w, message *out)
{
    if (w->fault || !w->left) return false;
    while (w->end - w->at < 8)
        if (!next_block(w)) {
            if (!w->fault) w->fault = "the header of an object lacks messages";
            return false;
        }
    size_t size = rp_hdf5_u16(w->at + 2);
    unsigned flags = w->at[4];
    *out = (message){rp_hdf5_u16(w->at), {w->at + 8, size}};
    /* Flag 0 says constant; the others that the message is shared, stored elsewhere, or may be
     * skipped by readers that do not know it. */
    if (!is_known(out->kind) || flags > 1 || size > (size_t)(w->end - w->at) - 8) {
        w->fault = "the header of an object has a message that is not ours";
        return false;
    }
    w->at += 8 + size;
    w->left--;
    if (out->kind == RP_HDF5_MESSAGE_CONTINUATION) add_block(w, &out->content);
    return !w->fault;
}

const char *rp_hdf5_message_find(const rp_hdf5 *image, uint64_t object, unsigned kind,
                                 rp_hdf5_message *found)
{
    walk w = begin_walk(image, object);
    *found = (rp_hdf5_message){0};
    for (message m; next_message(&w, &m);)
        if (m.kind == kind && !found->data) *found = m.content;
    return w.fault;
}

bool rp_hdf5_is_group(const rp_hdf5 *image, uint64_t object)
{
    rp_hdf5_message links;
    return !rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_LINKS, &links) && links.data;
}

/* The datatype of texts [IV.A.2.d]: class 3 and version 1; zero-terminated, UTF-8. */
static const uint8_t text_type[4] = {0x13, 0x10, 0, 0};

bool rp_hdf5_is_texts(const rp_hdf5 *image, uint64_t object)
{
    rp_hdf5_message type;
    return !rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_TYPE, &type) && type.size >= 8 &&
           memcmp(type.data, text_type, sizeof text_type) == 0;
}

/* --- groups -------------------------------------------------------------------------------------
 */

/* A local heap [III.D]: the names of the links of a group. */
typedef struct heap {
    const uint8_t *data;
    uint64_t size;
} heap;

static const char *open_heap(const rp_hdf5 *image, uint64_t address, heap *out)
{
    const uint8_t *head = rp_hdf5_bytes(image, address, 32);
    if (!head || memcmp(head, "HEAP\0\0\0\0", 8) != 0) return "the names of a group are not there";
    out->size = rp_hdf5_u64(head + 8);
    out->data = rp_hdf5_bytes(image, rp_hdf5_u64(head + 24), out->size);
    return out->data ? NULL : "the names of a group are not all there";
}

/* Names and units are shown in messages and written to other files: printable ASCII only. */
static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~') return false;
    return true;
}

/* The name at an offset, which must end within the heap; NULL for one that we would not write. */
static const char *name_at(const heap *names, uint64_t offset)
{
    if (offset >= names->size) return NULL;
    const char *name = (const char *)names->data + offset;
    uint64_t most = names->size - offset < RP_HDF5_TEXT ? names->size - offset : RP_HDF5_TEXT;
    if (!memchr(name, 0, (size_t)most) || !*name || strchr(name, '/') || !is_printable(name))
        return NULL;
    return name;
}

/* A group that is being listed. */
typedef struct group {
    const rp_hdf5 *image;
    heap names;
    const char *last; /* name, which the next one must be behind */
    rp_hdf5_visit *visit;
    void *user;
} group;

/* A symbol table node [III.B]: "SNOD", version, number of entries; then the entries [III.C], each
 * with the offset of its name, the address of the object header, and a cache type, of which 2 would
 * be a symbolic link. */
static const char *list_leaf(group *g, uint64_t address)
{
    const uint8_t *head = rp_hdf5_bytes(g->image, address, 8);
    if (!head || memcmp(head, "SNOD\1\0", 6) != 0) return "the links of a group are not there";
    unsigned count = rp_hdf5_u16(head + 6);
    const uint8_t *links = rp_hdf5_bytes(g->image, address + 8, (uint64_t)count * LINK_BYTES);
    if (!links || !count || count > LEAF_LINKS) return "a group has an impossible number of links";
    const char *fault = NULL;
    for (unsigned i = 0; i < count && !fault; i++, links += LINK_BYTES) {
        const char *name = name_at(&g->names, rp_hdf5_u64(links));
        if (!name) return "a link has an impossible name";
        if (g->last && strcmp(g->last, name) >= 0)
            return "two links of a group have one name, or are out of order";
        if (rp_hdf5_u32(links + 16) > 1) return "a link leads elsewhere";
        g->last = name;
        fault = g->visit(g->user, name, rp_hdf5_u64(links + 8));
    }
    return fault;
}

/* A node of a group's B-tree [III.A.1]. `level` is the one that it must have, or -1 for any: levels
 * fall from node to child, so there are no circles. A node that is not the root has children, so
 * the number of nodes is bounded by the numbers of links and levels. */
static const char *list_node(group *g, uint64_t address, int level)
{
    const uint8_t *node = rp_hdf5_bytes(g->image, address, RP_HDF5_TREE_HEAD);
    if (!node || memcmp(node, "TREE", 4) != 0 || node[4] != RP_HDF5_TREE_LINKS)
        return "the tree of a group is not there";
    bool first = level < 0;
    unsigned count = rp_hdf5_u16(node + 6);
    if (first ? node[5] >= RP_HDF5_TREE_LEVELS : node[5] != level || !count)
        return "the tree of a group has a wrong level";
    const uint8_t *entries =
        rp_hdf5_bytes(g->image, address + RP_HDF5_TREE_HEAD, (uint64_t)count * 16 + 8);
    if (!entries || count > NODE_CHILDREN) return "the tree of a group is too large";
    level = node[5];
    const char *fault = NULL;
    for (unsigned i = 0; i < count && !fault; i++) {
        uint64_t child = rp_hdf5_u64(entries + 8 + 16 * (size_t)i);
        fault = level ? list_node(g, child, level - 1) : list_leaf(g, child);
    }
    return fault;
}

/* The symbol table message [IV.A.2.r]: the addresses of the B-tree and of the local heap. */
const char *rp_hdf5_list(const rp_hdf5 *image, uint64_t object, rp_hdf5_visit *visit, void *user)
{
    group g = {.image = image, .visit = visit, .user = user};
    rp_hdf5_message links;
    const char *fault = rp_hdf5_message_find(image, object, RP_HDF5_MESSAGE_LINKS, &links);
    if (fault) return fault;
    if (!links.data || links.size < 16) return "not a group";
    fault = open_heap(image, rp_hdf5_u64(links.data + 8), &g.names);
    return fault ? fault : list_node(&g, rp_hdf5_u64(links.data), -1);
}

/* --- types, dimensions, attributes --------------------------------------------------------------
 */

/* A datatype [IV.A.2.d], compared byte by byte with what the library writes. Class and version; 24
 * class bits: little endian, sign bit of floats, unsigned; size; then bit offset and precision, and
 * of floats the place and size of exponent and mantissa, and the exponent's bias. */
bool rp_hdf5_is_type(const uint8_t *from, size_t size, rp_field_type type)
{
    static const uint8_t floats[][20] = {
        {0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0},
        {0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0}};
    uint8_t bytes = (uint8_t)rp_field_type_size(type);
    const uint8_t whole[12] = {0x10, 0, 0, 0, bytes, 0, 0, 0, 0, 0, (uint8_t)(8 * bytes), 0};
    bool is_float = type == RP_F32 || type == RP_F64;
    if (size < (is_float ? sizeof floats[0] : sizeof whole)) return false;
    if (is_float) return memcmp(from, floats[type == RP_F64], sizeof floats[0]) == 0;
    return memcmp(from, whole, sizeof whole) == 0;
}

/* A dataspace [IV.A.2.b]: version 1, number of dimensions, flag 0 for maximum sizes, five reserved
 * bytes; the sizes, then the maximum sizes, which must be the same: arrays do not grow. */
int rp_hdf5_dimensions(const uint8_t *from, size_t size, uint64_t extent[2])
{
    if (size < 8 || from[0] != 1 || from[1] > 2 || from[2] > 1) return -1;
    size_t rank = from[1], numbers = rank * (1 + from[2]);
    if (size < 8 + 8 * numbers) return -1;
    for (size_t i = 0; i < rank; i++) {
        extent[i] = rp_hdf5_u64(from + 8 + 8 * i);
        if (from[2] && rp_hdf5_u64(from + 8 + 8 * (rank + i)) != extent[i]) return -1;
    }
    return (int)rank;
}

/* An attribute of one value, within its message. */
typedef struct attribute {
    const char *name;
    const uint8_t *type, *value;
    size_t type_size, value_size;
} attribute;

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* An attribute message [IV.A.2.m] of version 1: sizes of name, datatype and dataspace, these three
 * padded to 8 bytes each, then the value. */
static const char *open_attribute(const rp_hdf5_message *from, attribute *out)
{
    static const char wrong[] = "an attribute is not one of ours";
    const uint8_t *data = from->data;
    if (from->size < 8 || data[0] != 1) return wrong;
    size_t name_size = rp_hdf5_u16(data + 2), type_size = rp_hdf5_u16(data + 4),
           space_size = rp_hdf5_u16(data + 6);
    size_t type_at = 8 + padded(name_size), space_at = type_at + padded(type_size),
           value_at = space_at + padded(space_size);
    if (value_at > from->size || !name_size || data[8 + name_size - 1] != 0) return wrong;
    uint64_t extent[2];
    if (rp_hdf5_dimensions(data + space_at, space_size, extent) != 0)
        return "an attribute is not one value";
    *out = (attribute){(const char *)data + 8, data + type_at, data + value_at, type_size,
                       from->size - value_at};
    return NULL;
}

static const char no_attribute[] = "an attribute is missing";

static const char *find_attribute(const rp_hdf5 *image, uint64_t object, const char *name,
                                  attribute *found)
{
    walk w = begin_walk(image, object);
    bool is_there = false;
    for (message m; !is_there && next_message(&w, &m);) {
        if (m.kind != RP_HDF5_MESSAGE_ATTRIBUTE) continue;
        const char *fault = open_attribute(&m.content, found);
        if (fault) return fault;
        is_there = strcmp(found->name, name) == 0;
    }
    if (w.fault) return w.fault;
    return is_there ? NULL : no_attribute;
}

bool rp_hdf5_has_attribute(const rp_hdf5 *image, uint64_t object, const char *name)
{
    attribute found;
    return find_attribute(image, object, name, &found) != no_attribute;
}

const char *rp_hdf5_number(const rp_hdf5 *image, uint64_t object, const char *name,
                           rp_field_type type, void *value)
{
    attribute found;
    const char *fault = find_attribute(image, object, name, &found);
    if (fault) return fault;
    size_t size = rp_field_type_size(type);
    if (!rp_hdf5_is_type(found.type, found.type_size, type) || found.value_size < size)
        return "an attribute has the wrong type";
    memcpy(value, found.value, size);
    return NULL;
}

const char *rp_hdf5_text(const rp_hdf5 *image, uint64_t object, const char *name,
                         char text[RP_HDF5_TEXT])
{
    attribute found;
    const char *fault = find_attribute(image, object, name, &found);
    if (fault) return fault;
    if (found.type_size < 8 || memcmp(found.type, text_type, sizeof text_type) != 0)
        return "an attribute is not a short text";
    size_t size = rp_hdf5_u32(found.type + 4);
    if (!size || size > RP_HDF5_TEXT || size > found.value_size || found.value[size - 1] != 0)
        return "an attribute is not a short text";
    memcpy(text, found.value, size);
    return is_printable(text) ? NULL : "an attribute has characters that cannot be printed";
}
