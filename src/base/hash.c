#include "base/hash.h"

#include <string.h>

/* Odd 64-bit constants from the golden ratio and the square root of two, bits well mixed. */
#define MIX_A 0x9E3779B97F4A7C15ull
#define MIX_B 0xB504F333F9DE6485ull

static uint64_t mixed(uint64_t h)
{
    h ^= h >> 32;
    h *= MIX_A;
    h ^= h >> 29;
    h *= MIX_B;
    return h ^ (h >> 32);
}

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

uint64_t rp_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    /* Four lanes, so that the multiplications overlap. */
    uint64_t lane[4] = {seed ^ MIX_A, seed ^ MIX_B, seed + MIX_A, seed + MIX_B};
    size_t left = size;
    for (; left >= 32; left -= 32, bytes += 32) {
        for (int i = 0; i < 4; i++) {
            lane[i] = (lane[i] ^ word_at(bytes + 8 * i)) * MIX_A;
            lane[i] ^= lane[i] >> 31;
        }
    }
    uint64_t h = mixed(lane[0] + size) ^ mixed(lane[1] + MIX_B);
    h = mixed(h ^ lane[2]) + mixed(lane[3] ^ MIX_A);
    for (; left; left--, bytes++)
        h = (h ^ *bytes) * MIX_A + (h >> 29);
    return mixed(h);
}
