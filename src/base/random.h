/* Counter-based random numbers (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011). There is no state: the numbers are a function of seed, stream and counter, so
 * the same grain gets the same numbers whatever the order and the number of threads. */
#ifndef RP_BASE_RANDOM_H
#define RP_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What the numbers are for: uses that share a counter get independent numbers. */
typedef enum rp_random_stream {
    RP_RANDOM_JITTER = 1, /* start positions */
    RP_RANDOM_EMITTER = 2,
    /* grains that are fixed on rough surfaces */
    RP_RANDOM_ROUGH = 10,
    RP_RANDOM_COLOUR = 3,
    RP_RANDOM_TEST = 4,
    RP_RANDOM_DETAIL = 5,
    RP_RANDOM_GRAIN = 6,   /* kinds and sizes */
    RP_RANDOM_TURN = 7,    /* orientations */
    RP_RANDOM_PACKING = 8, /* which part of the packing a source or stream has */
    RP_RANDOM_LARGE = 9    /* places of grains larger than those of the lattice */
} rp_random_stream;

typedef struct rp_random4 {
    uint32_t bits[4];
} rp_random4;

/* Four independent 32-bit numbers for one counter, such as a grain's id. */
rp_random4 rp_random(uint64_t seed, rp_random_stream stream, uint64_t counter);

/* In [0, 1), all 24 bits that a float holds. */
static inline float rp_random_unit(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

/* A fast 64-bit hash of bytes: checksums of recorded files, comparison of states, cache keys. It is
 * no cryptographic hash: whoever wants a collision can make one. The hash of A followed by B is
 * that of B with the hash of A as its seed. */
uint64_t rp_hash(const void *data, size_t size, uint64_t seed);

#endif
