/* A fast 64-bit hash of bytes: seals on recorded files, comparison of states, cache keys. Not meant
 * to withstand somebody who wants a collision. */
#ifndef RP_BASE_HASH_H
#define RP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hashing A then B by passing the first result as the seed of the second. */
uint64_t rp_hash(const void *data, size_t size, uint64_t seed);

#endif
