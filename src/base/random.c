#include "base/random.h"

/* Constants of Philox 4x32 (Salmon et al. 2011, table 2 and section 4.3). */
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0 0x9E3779B9u
#define WEYL_1 0xBB67AE85u
#define ROUNDS 10

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
