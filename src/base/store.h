/* Data as they pass between rooms: stores, and chunks of fine grains.
 *
 * A store is a set of named arrays, the serialised form of a world's state. The world and its
 * solver write their state to a store and read it back; a snapshot holds a store in memory,
 * `record` writes one to disk and reads it again. Nothing here knows about files. */
#ifndef RP_BASE_STORE_H
#define RP_BASE_STORE_H

#include "repose/base.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rp_store_entry {
    char *name; /* such as "particles/x"; a copy */
    char *unit; /* a copy */
    bool owned; /* the data belong to the entry */
    rp_field_type type;
    size_t count;
    const void *data;
} rp_store_entry;

typedef struct rp_store {
    rp_store_entry *entries;
    size_t count, capacity;
    bool borrow; /* put stores the pointer, not a copy: valid while the source does not change */
} rp_store;

/* Makes `*store` empty; set `borrow` afterwards if wanted. */
void rp_store_begin(rp_store *store);
void rp_store_end(rp_store *store);

/* Adds an array. Names are unique: a second array of one name is RP_ERROR_DAMAGED, since it comes
 * from a file. */
rp_code rp_store_put(rp_store *store, const char *name, const char *unit, rp_field_type type,
                     const void *data, size_t count, rp_report *report);
/* Adds an array that was allocated by rp_allocate and becomes the store's own (it is released on
 * failure, too); copies the texts. */
rp_code rp_store_give(rp_store *store, const char *name, const char *unit, rp_field_type type,
                      void *data, size_t count, rp_report *report);
/* Returns the entry, or NULL. */
const rp_store_entry *rp_store_find(const rp_store *store, const char *name);
/* Copies exactly `count` values of `type` to `data`; anything else is RP_ERROR_DAMAGED, with the
 * name. */
rp_code rp_store_get(const rp_store *store, const char *name, rp_field_type type, void *data,
                     size_t count, rp_report *report);
/* One number, for counters and times; always copied. */
rp_code rp_store_put_u64(rp_store *store, const char *name, uint64_t value, rp_report *report);
rp_code rp_store_get_u64(const rp_store *store, const char *name, uint64_t *value,
                         rp_report *report);
rp_code rp_store_put_f64(rp_store *store, const char *name, const char *unit, double value,
                         rp_report *report);
rp_code rp_store_get_f64(const rp_store *store, const char *name, double *value, rp_report *report);
/* Returns a hash of names and values: states with equal bits have equal hashes. */
uint64_t rp_store_hash(const rp_store *store);

/* --- chunks of fine grains -----------------------------------------------------------------------
 *
 * A chunk is a set of fine grains that were created together. It is the unit of memory, of threads,
 * of scratch files and of records. No grain ever joins it later: grains only leave it for good.
 * `detail` moves chunks, `record` writes and reads them. */

/* Grains of a chunk at most, so that their numbers within it fit 16 bits. */
#define RP_CHUNK_MAX 65536
_Static_assert(RP_CHUNK_MAX - 1 <= UINT16_MAX, "local ids have 16 bits");

typedef struct rp_chunk {
    uint32_t first;      /* ids are first to first + born - 1 */
    uint32_t born;       /* at most RP_CHUNK_MAX */
    uint32_t count;      /* grains that are still there */
    uint8_t material;    /* index into the scene's materials, of all of them */
    uint16_t *local;     /* `count` values: id - first, in any order, each once */
    float *x, *y, *z;    /* m */
    float *vx, *vy, *vz; /* m/s */
} rp_chunk;

#endif
