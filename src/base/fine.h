/* Fine grains on their way: a chunk is a set of grains that were born together. It is the unit of
 * memory, of threads, of scratch files and of records. Who belongs to it never changes: grains only
 * ever leave it for good. `detail` moves chunks, `record` writes and reads them. */
#ifndef RP_BASE_FINE_H
#define RP_BASE_FINE_H

#include <stdint.h>

/* Grains of a chunk at most, so that their numbers within it fit 16 bits. */
#define RP_CHUNK_MAX 65536
_Static_assert(RP_CHUNK_MAX - 1 <= UINT16_MAX, "local ids have 16 bits");

typedef struct rp_chunk {
    uint32_t first;      /* ids are first to first + born - 1 */
    uint32_t born;       /* at most RP_CHUNK_MAX */
    uint32_t count;      /* those that are left */
    uint8_t material;    /* index into the scene's materials, of all of them */
    uint16_t *local;     /* `count` values: id - first, in any order, each once */
    float *x, *y, *z;    /* m */
    float *vx, *vy, *vz; /* m/s */
} rp_chunk;

#endif
