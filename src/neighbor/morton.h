/* Morton codes: the bits of three cell coordinates, interleaved (Z-order curve). Cells that are
 * near each other on the curve are near each other in space. */
#ifndef RP_NEIGHBOR_MORTON_H
#define RP_NEIGHBOR_MORTON_H

#include <stdint.h>

#define RP_MORTON_BITS 21 /* of each coordinate; three make 63 */
#define RP_MORTON_X 0x1249249249249249ull

/* Spreads the low 21 bits, with two zero bits after each. */
static inline uint64_t rp_morton_spread(uint64_t v)
{
    v = (v | v << 32) & 0x001f00000000ffffull;
    v = (v | v << 16) & 0x001f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

static inline uint64_t rp_morton_key(uint64_t x, uint64_t y, uint64_t z)
{
    return rp_morton_spread(x) | rp_morton_spread(y) << 1 | rp_morton_spread(z) << 2;
}

#endif
