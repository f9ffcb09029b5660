/* Grains of a chunk in the order of a Morton curve through small cells, so that grains next to each
 * other in memory are next to each other in space and share their clumps. */
#include "detail/inside.h"

#include <string.h>

#define DIGIT 8 /* bits that a pass of the sort looks at */
#define DIGITS (1 << DIGIT)
#define AXIS_BITS 10 /* cells along an axis that have keys of their own: 1024 */
#define FAR_CELL 2e9f

/* The lowest of the coordinates, down to where cells of the search begin: these are whole on the
 * curve then, and their grains lie side by side. */
static float lowest(const float *x, size_t count, float edge)
{
    float least = x[0];
    for (size_t i = 1; i < count; i++)
        least = x[i] < least ? x[i] : least;
    return floorf(least / edge) * edge;
}

/* The low bits, two empty places between each. */
static inline uint32_t spread(uint32_t v)
{
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

/* Of cells farther off than there are keys, some share one: they only cost time. */
static inline uint32_t cell_of(float x, float low, float inverse)
{
    float cell = (x - low) * inverse;
    return (uint32_t)(int32_t)(cell < FAR_CELL ? cell : FAR_CELL) & ((1u << AXIS_BITS) - 1);
}

/* Gives the bits in which the keys differ. */
RP_WIDE_KERNEL
static uint32_t make_keys(const rp_chunk *chunk, float cell, float edge, uint32_t *keys,
                          uint16_t *order)
{
    const float *x = chunk->x, *y = chunk->y, *z = chunk->z, inverse = 1 / cell;
    const size_t count = chunk->count;
    RP_ASSERT(count > 0 && count <= RP_CHUNK_MAX && cell > 0);
    float low_x = lowest(x, count, edge), low_y = lowest(y, count, edge),
          low_z = lowest(z, count, edge);
    uint32_t differ = 0;
    for (size_t i = 0; i < count; i++)
        keys[i] = spread(cell_of(x[i], low_x, inverse)) |
                  spread(cell_of(y[i], low_y, inverse)) << 1 |
                  spread(cell_of(z[i], low_z, inverse)) << 2;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint16_t)i;
        differ |= keys[i] ^ keys[0];
    }
    return differ;
}

/* One stable pass by the digit at `shift`. */
static void sort_pass(const uint32_t *keys, const uint16_t *order, size_t count, int shift,
                      uint32_t *keys_out, uint16_t *order_out)
{
    uint32_t start[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        start[keys[i] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        uint32_t number = start[d];
        start[d] = sum;
        sum += number;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t to = start[keys[i] >> shift & (DIGITS - 1)]++;
        keys_out[to] = keys[i];
        order_out[to] = order[i];
    }
}

static void reorder_floats(float *x, const uint16_t *order, size_t count, float *spare)
{
    for (size_t i = 0; i < count; i++)
        spare[i] = x[order[i]];
    memcpy(x, spare, count * sizeof *x);
}

static void reorder(rp_chunk *chunk, const uint16_t *order, void *spare)
{
    float *const arrays[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    for (size_t a = 0; a < 6; a++)
        reorder_floats(arrays[a], order, chunk->count, spare);
    uint16_t *local = spare;
    for (size_t i = 0; i < chunk->count; i++)
        local[i] = chunk->local[order[i]];
    memcpy(chunk->local, local, chunk->count * sizeof *local);
}

void rp_chunk_sort(rp_chunk *chunk, double cell, double edge, rp_sort_room *room)
{
    if (chunk->count < 2) return;
    uint32_t *keys = room->keys[0], *keys_out = room->keys[1];
    uint16_t *order = room->order[0], *order_out = room->order[1];
    uint32_t differ = make_keys(chunk, (float)cell, (float)edge, keys, order);
    for (int shift = 0; shift < 32; shift += DIGIT) {
        if (!(differ >> shift & (DIGITS - 1))) continue;
        sort_pass(keys, order, chunk->count, shift, keys_out, order_out);
        uint32_t *key_swap = keys;
        keys = keys_out, keys_out = key_swap;
        uint16_t *order_swap = order;
        order = order_out, order_out = order_swap;
    }
    if (differ) reorder(chunk, order, room->spare);
}
