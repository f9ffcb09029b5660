/* Chunks of fine grains in many files: what is too large for one goes to numbered parts, and an
 * index that is written last makes them a whole.
 *
 *     000012-000.h5, 000012-001.h5 …   a table of chunks, and columns of values behind it
 *     000012.h5                        facts, and the grains and the seal of each part
 *
 * A set is there when its index is. The seals that the index keeps tell its own parts from those of
 * another writing. */
#ifndef RP_RECORD_PARTS_H
#define RP_RECORD_PARTS_H

#include "base/fine.h"
#include "record/folder.h"
#include "record/sealed.h"

/* One array of a part. */
typedef struct rp_part_column {
    const char *name, *unit;
    rp_field_type type;
    size_t width; /* values a row */
} rp_part_column;

/* All arrays of a part; the first ones are RP_PART_CHUNKS. */
typedef struct rp_part_layout {
    const char *kind, *part_kind;
    const rp_part_column *columns;
    int count; /* at most RP_PART_COLUMNS */
} rp_part_layout;

#define RP_PART_COLUMNS 16
#define RP_PART_IDS ((uint64_t)1 << 32) /* how many ids there are */

/* What every part tells of its chunks. */
enum { RP_PART_FIRST, RP_PART_BORN, RP_PART_COUNT, RP_PART_MATERIAL, RP_PART_OTHER };
#define RP_PART_CHUNKS                                                                             \
    {"chunks/first", "", RP_U32, 1}, {"chunks/born", "", RP_U32, 1},                               \
        {"chunks/count", "", RP_U32, 1},                                                           \
    {                                                                                              \
        "chunks/material", "", RP_U8, 1                                                            \
    }

/* The rows of all columns of one part. */
typedef struct rp_part {
    const rp_part_layout *layout;
    rp_path path; /* once it is known */
    void *data[RP_PART_COLUMNS];
    size_t rows[RP_PART_COLUMNS], capacity[RP_PART_COLUMNS];
} rp_part;

static inline const uint32_t *rp_part_u32(const rp_part *part, int column)
{
    return part->data[column];
}

/* Which parts make up a set. */
typedef struct rp_part_list {
    uint64_t *grains, *seals;
    size_t count, grain_capacity, seal_capacity;
} rp_part_list;
void rp_part_list_end(rp_part_list *list);

/* Writing: what goes wrong is put into the report at once, later calls then do nothing, and finish
 * returns the code. */
typedef struct rp_parts_writer {
    rp_path folder, index_path;
    int64_t number;
    int compress;
    rp_report *report;
    rp_code code;
    uint64_t limit;  /* grains of a part, at most */
    uint64_t grains; /* of the part in the making */
    uint64_t total;
    rp_part part; /* in the making */
    rp_part_list list;
} rp_parts_writer;

/* Makes the folder, and removes an older set of this number. After a failure there is nothing to
 * finish or abandon. The report must outlive the writer. */
rp_code rp_parts_begin(rp_parts_writer *writer, const char *folder, int64_t number,
                       const rp_part_layout *layout, uint64_t limit, int compress,
                       rp_report *report);
/* Notes a chunk, in a part of which its grains are not too many. */
void rp_parts_add_chunk(rp_parts_writer *writer, const rp_chunk *chunk);
/* Makes `rows` more of a column, for the caller to fill; false when something went wrong. */
bool rp_parts_add_rows(rp_parts_writer *writer, int column, size_t rows, void **values);
/* Writes what is left and begins the index, to which the caller adds what else belongs to it and
 * which it then hands to finish; NULL when something went wrong. */
rp_sealed_writer *rp_parts_index(rp_parts_writer *writer, size_t bytes);
/* Writes the index, unless it is NULL; when something went wrong, removes all parts. Releases what
 * the writer holds. */
rp_code rp_parts_finish(rp_parts_writer *writer, rp_sealed_writer *index);
void rp_parts_abandon(rp_parts_writer *writer);

/* Reading: any contradiction is RP_ERROR_DAMAGED with the path of the file. */
typedef struct rp_parts {
    const rp_part_layout *layout;
    rp_path folder, index_path;
    int64_t number;
    uint64_t total; /* grains */
    rp_part_list list;
} rp_parts;

/* Opens the index and reads which parts there are; those are seen to exist and to be large enough
 * for what they are said to hold. Close `*index` before the parts are read. */
rp_code rp_parts_open(rp_parts *parts, const char *folder, int64_t number,
                      const rp_part_layout *layout, rp_sealed_reader **index, rp_report *report);
void rp_parts_end(rp_parts *parts);
/* All columns of a part, its table of chunks checked. `*next_id`, which starts at 0, moves behind
 * the ids of its chunks, which must be rising; NULL: in any order. */
rp_code rp_part_read(const rp_parts *parts, size_t index, uint64_t *next_id, rp_part *part,
                     rp_report *report);
void rp_part_end(rp_part *part);
rp_code rp_part_damaged(const rp_part *part, const char *key, const char *what, rp_report *report);

/* Where the files are. */
rp_path rp_parts_index_path(const char *folder, int64_t number);
rp_path rp_parts_part_path(const char *folder, int64_t number, size_t part);
/* Removes a set, its index first, or the parts of one that was never finished. */
rp_code rp_parts_remove(const char *folder, int64_t number, rp_report *report);
/* Removes the parts that have no index, which nobody may be writing now. */
rp_code rp_parts_remove_strays(const char *folder, rp_report *report);

#endif
