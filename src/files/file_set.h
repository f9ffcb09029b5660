/* File sets: chunks of fine grains in several files. What is too large for one file is divided
 * among numbered parts; an index file, written last, makes them complete.
 *
 *     000012-000.h5, 000012-001.h5 …   a table of chunks, and columns of values behind it
 *     000012.h5                        attributes, and the grains and the checksum of each part
 *
 * A set exists when its index does. By the checksums in the index its own parts can be told from
 * those of an earlier write. */
#ifndef RP_FILES_FILE_SET_H
#define RP_FILES_FILE_SET_H

#include "base/store.h"
#include "files/checksummed.h"
#include "files/folder.h"

/* One array of a part. */
typedef struct rp_file_set_part_column {
    const char *name, *unit;
    rp_field_type type;
    size_t width; /* values a row */
} rp_file_set_part_column;

/* All arrays of a part; the first ones are RP_FILE_SET_CHUNKS. */
typedef struct rp_file_set_part_layout {
    const char *kind, *part_kind;
    const rp_file_set_part_column *columns;
    int count; /* at most RP_FILE_SET_COLUMNS */
} rp_file_set_part_layout;

#define RP_FILE_SET_COLUMNS 16
#define RP_FILE_SET_IDS ((uint64_t)1 << 32) /* how many ids there are */

/* The columns of the table of chunks, which every part has. */
enum {
    RP_FILE_SET_FIRST,
    RP_FILE_SET_BORN,
    RP_FILE_SET_COUNT,
    RP_FILE_SET_MATERIAL,
    RP_FILE_SET_OTHER
};
#define RP_FILE_SET_CHUNKS                                                                         \
    {"chunks/first", "", RP_U32, 1}, {"chunks/born", "", RP_U32, 1},                               \
        {"chunks/count", "", RP_U32, 1},                                                           \
    {                                                                                              \
        "chunks/material", "", RP_U8, 1                                                            \
    }

/* The rows of all columns of one part. */
typedef struct rp_file_set_part {
    const rp_file_set_part_layout *layout;
    rp_path path; /* once it is known */
    void *data[RP_FILE_SET_COLUMNS];
    size_t rows[RP_FILE_SET_COLUMNS], capacity[RP_FILE_SET_COLUMNS];
} rp_file_set_part;

static inline const uint32_t *rp_file_set_part_u32(const rp_file_set_part *part, int column)
{
    return part->data[column];
}

/* The parts of a set. */
typedef struct rp_file_set_part_list {
    uint64_t *grains, *checksums;
    size_t count, grain_capacity, checksum_capacity;
} rp_file_set_part_list;
void rp_file_set_part_list_end(rp_file_set_part_list *list);

/* Writing: the first error is reported at once, later calls then do nothing, and finish returns its
 * code. */
typedef struct rp_file_set_writer {
    rp_path folder, index_path;
    int64_t number;
    int compress;
    rp_report *report;
    rp_code code;
    uint64_t limit;  /* grains of a part, at most */
    uint64_t grains; /* of the part that is being filled */
    uint64_t total;
    rp_file_set_part part; /* being filled */
    rp_file_set_part_list list;
} rp_file_set_writer;

/* Makes the folder, and removes an older set of this number. A part has at most `part_grains_max`
 * grains; `compress` is 0 (off) to 9. After a failure there is nothing to finish or abandon. The
 * report must outlive the writer. */
rp_code rp_file_set_begin(rp_file_set_writer *writer, const char *folder, int64_t number,
                          const rp_file_set_part_layout *layout, uint64_t part_grains_max,
                          int compress, rp_report *report);
/* Adds a row to the table of chunks; begins another part when this one is full. */
void rp_file_set_add_chunk(rp_file_set_writer *writer, const rp_chunk *chunk);
/* Adds `rows` rows to a column, for the caller to fill; false after an error. */
bool rp_file_set_add_rows(rp_file_set_writer *writer, int column, size_t rows, void **values);
/* Writes the last part and begins the index. The caller adds its own attributes and arrays to it
 * and passes it to finish. NULL after an error. */
rp_checksummed_writer *rp_file_set_index(rp_file_set_writer *writer, size_t bytes);
/* Writes the index, unless it is NULL; after an error, removes all parts. Releases the memory of
 * the writer. */
rp_code rp_file_set_finish(rp_file_set_writer *writer, rp_checksummed_writer *index);
void rp_file_set_abandon(rp_file_set_writer *writer);

/* Reading: any contradiction is RP_ERROR_DAMAGED with the path of the file. */
typedef struct rp_file_set {
    const rp_file_set_part_layout *layout;
    rp_path folder, index_path;
    int64_t number;
    uint64_t total; /* grains */
    rp_file_set_part_list list;
} rp_file_set;

/* Opens the index and reads the list of parts; checks that they exist and are large enough for the
 * grains that they shall have. Close `*index` before the parts are read. */
rp_code rp_file_set_open(rp_file_set *parts, const char *folder, int64_t number,
                         const rp_file_set_part_layout *layout, rp_checksummed_reader **index,
                         rp_report *report);
void rp_file_set_end(rp_file_set *parts);
/* Reads all columns of a part and checks its table of chunks. Ids must rise from chunk to chunk:
 * `*next_id`, 0 at first, is set to the next possible one. NULL allows any order. */
rp_code rp_file_set_part_read(const rp_file_set *parts, size_t index, uint64_t *next_id,
                              rp_file_set_part *part, rp_report *report);
void rp_file_set_part_end(rp_file_set_part *part);
rp_code rp_file_set_part_damaged(const rp_file_set_part *part, const char *key, const char *what,
                                 rp_report *report);

/* Where the files are. */
rp_path rp_file_set_index_path(const char *folder, int64_t number);
rp_path rp_file_set_part_path(const char *folder, int64_t number, size_t part);
/* Removes a set, its index first, or the parts of one that was never finished. */
rp_code rp_file_set_remove(const char *folder, int64_t number, rp_report *report);
/* Removes parts without an index. No other process may be writing a set to the folder. */
rp_code rp_file_set_remove_strays(const char *folder, rp_report *report);

#endif
