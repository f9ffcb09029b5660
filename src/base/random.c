/* Counter-based random numbers, and a hash of bytes. */
#include "base/random.h"

#include <string.h>

/* Constants of Philox 4x32 (Salmon et al. 2011, table 2 and section 4.3). */
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0 0x9E3779B9u
#define WEYL_1 0xBB67AE85u
#define ROUNDS 10

/* Ten rounds of Philox: each multiplies two of the four words, swaps the halves of the products and
 * adds the round key, which advances by a Weyl sequence. */
rp_random4 rp_random(uint64_t seed, rp_random_stream stream, uint64_t counter)
{
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32), c2 = (uint32_t)stream, c3 = 0;
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t product0 = (uint64_t)MULTIPLIER_0 * c0;
        uint64_t product1 = (uint64_t)MULTIPLIER_1 * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += WEYL_0;
        key1 += WEYL_1;
    }
    return (rp_random4){{c0, c1, c2, c3}};
}

/* --- hash of bytes ---------------------------------------------------------------------------- */

/* Odd 64-bit constants: the fractions of the golden ratio and of the square root of two. */
#define MIX_A 0x9E3779B97F4A7C15ull
#define MIX_B 0xB504F333F9DE6485ull

/* Every bit of the result depends on every bit of `h`. */
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
