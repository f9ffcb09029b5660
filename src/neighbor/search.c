/* The search around one cell: look-up of the 27 cells, gathering of candidates, distance tests. All
 * inner loops test eight candidates at a time and compact the lanes that pass with one shuffle from
 * a table of 256 masks, without branches. */
#include "base/report.h"
#include "neighbor/inside.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* For each of the 256 masks of eight lanes: lists the lanes that are set, lowest first. */
static void fill_shuffles(rp_wide_int *lanes)
{
    for (int pattern = 0; pattern < 256; pattern++) {
        rp_wide_int numbers = {0}; /* lanes behind the last are overwritten by the next append */
        for (int lane = 0, n = 0; lane < RP_WIDE; lane++)
            if (pattern >> lane & 1) numbers[n++] = lane;
        lanes[pattern] = numbers;
    }
}

/* Returns how many values of four bytes follow the struct of a scratch: x, y, z and index of each
 * candidate, and the list. */
static size_t scratch_values(size_t candidates)
{
    return 4 * (candidates + RP_WIDE) + RP_LIST_CAPACITY * candidates + RP_WIDE;
}

/* Places the arrays of a scratch one after another, right behind its struct. Each is RP_WIDE longer
 * than its contents, since results are written eight at a time. */
static void lay_out_scratch(rp_search_scratch *s, size_t candidates)
{
    fill_shuffles(s->lanes);
    s->capacity = candidates;
    s->x = (float *)(s + 1);
    s->y = s->x + candidates + RP_WIDE;
    s->z = s->y + candidates + RP_WIDE;
    s->index = (uint32_t *)(s->z + candidates + RP_WIDE);
    s->list = s->index + candidates + RP_WIDE;
}

rp_code rp_search_scratch_begin(rp_scratch *scratch, int count, size_t candidates,
                                rp_report *report)
{
    size_t bytes = sizeof(rp_search_scratch) + scratch_values(candidates) * sizeof(uint32_t);
    rp_code code = rp_scratch_begin(scratch, count, bytes, "neighbor search", report);
    for (int i = 0; i < count && code == RP_OK; i++)
        lay_out_scratch(rp_scratch_of(scratch, i), candidates);
    return code;
}

/* Adds the cells of an octet that are set in `wanted`; consecutive cells make one range. An empty
 * range is written, too, but not counted, which saves a branch. */
static void add_octet(const rp_octet *octet, unsigned wanted, rp_ranges *ranges)
{
    while (wanted) {
        int first = __builtin_ctz(wanted);
        int behind = first + __builtin_ctz(~(wanted >> first));
        uint32_t begin = octet->begin[first], end = octet->begin[behind];
        ranges->begin[ranges->count] = begin;
        ranges->end[ranges->count] = end;
        ranges->count += begin != end;
        ranges->total += end - begin;
        wanted &= ~0u << behind;
    }
}

/* Along one axis the three cells around one belong to two octets: its own, of which both cells are
 * wanted, and the adjacent one on the side of the octet where the cell is, of which the near layer
 * is wanted. */
typedef struct axis_octets {
    uint64_t key[2];
    unsigned wanted[2]; /* of the eight cells */
} axis_octets;

static axis_octets octets_on_axis(uint64_t key, int axis, unsigned bits)
{
    static const unsigned low_cells[3] = {0x55, 0x33, 0x0f}; /* whose bit of that axis is 0 */
    uint64_t mask = (RP_MORTON_X << axis) & (((uint64_t)1 << 3 * bits) - 1);
    /* Arithmetic on interleaved coordinates: with all other bits set, adding 1 carries through them
     * to the next bit of the axis; without them, subtracting 1 borrows likewise. */
    bool high = key >> axis & 1;
    uint64_t beside = high ? ((key | ~mask) + 1) & mask : ((key & mask) - 1) & mask;
    return (axis_octets){{(key & mask) >> 3, beside >> 3},
                         {0xff, high ? low_cells[axis] : 0xff & ~low_cells[axis]}};
}

void rp_search_ranges(const rp_cells *cells, unsigned bits, uint64_t key, rp_ranges *ranges)
{
    const axis_octets x = octets_on_axis(key, 0, bits);
    const axis_octets y = octets_on_axis(key, 1, bits);
    const axis_octets z = octets_on_axis(key, 2, bits);
    ranges->count = 0;
    ranges->total = 0;
    /* Own or adjacent octet along each axis: eight look-ups in the hash table. */
    for (int o = 0; o < 8; o++) {
        int i = o & 1, j = o >> 1 & 1, k = o >> 2;
        const rp_octet *octet = rp_cells_find(cells, x.key[i] | y.key[j] | z.key[k]);
        if (octet) add_octet(octet, x.wanted[i] & y.wanted[j] & z.wanted[k], ranges);
    }
}

/* Returns the lanes of a mask as the bits of a number. */
RP_WIDE_INLINE unsigned mask_bits(rp_wide_int mask)
{
#if defined(__SSE__)
    __m128 half[2];
    memcpy(half, &mask, sizeof mask);
    return (unsigned)_mm_movemask_ps(half[0]) | (unsigned)_mm_movemask_ps(half[1]) << 4;
#else
    rp_wide_int weighed = mask & (rp_wide_int){1, 2, 4, 8, 16, 32, 64, 128};
    unsigned bits = 0;
    for (int i = 0; i < RP_WIDE; i++)
        bits |= (unsigned)weighed[i];
    return bits;
#endif
}

RP_WIDE_INLINE unsigned count_bits(unsigned bits)
{
    return (unsigned)__builtin_popcount(bits);
}

/* Writes the selected lanes of `from` to the front of `to`. Floats are moved as integers of the
 * same bits. */
RP_WIDE_INLINE void pack(void *to, const void *from, rp_wide_int lanes)
{
    rp_wide_int values, packed;
    memcpy(&values, from, sizeof values);
#if defined(__clang__)
    for (int i = 0; i < RP_WIDE; i++)
        packed[i] = values[lanes[i]];
#else
    packed = __builtin_shuffle(values, lanes);
#endif
    memcpy(to, &packed, sizeof packed);
}

/* A box with every bound in all lanes. */
typedef struct wide_box {
    rp_wide low[3], high[3];
} wide_box;

RP_WIDE_INLINE wide_box widened(const rp_query_box *box)
{
    return (wide_box){{rp_wide_broadcast(box->low[0]), rp_wide_broadcast(box->low[1]),
                       rp_wide_broadcast(box->low[2])},
                      {rp_wide_broadcast(box->high[0]), rp_wide_broadcast(box->high[1]),
                       rp_wide_broadcast(box->high[2])}};
}

/* Returns the distance beyond low or high; 0 in between. */
RP_WIDE_INLINE rp_wide beyond(const float *from, rp_wide low, rp_wide high)
{
    rp_wide value = rp_wide_load(from);
    return value - rp_wide_min(rp_wide_max(value, low), high);
}

RP_WIDE_INLINE unsigned box_bits(const rp_candidates *c, size_t i, const wide_box *box, float limit)
{
    rp_wide dx = beyond(c->x + i, box->low[0], box->high[0]);
    rp_wide dy = beyond(c->y + i, box->low[1], box->high[1]);
    rp_wide dz = beyond(c->z + i, box->low[2], box->high[2]);
    return mask_bits(dx * dx + dy * dy + dz * dz <= limit);
}

/* Keeps the candidates within the radius of the box of all queries. Rounding is monotonic: it never
 * makes the nearer of two points the farther one, so no candidate that passes the test of a query
 * is lost here. For eight queries in a cell about 16 of the 27 cells remain. */
RP_WIDE_KERNEL
size_t rp_search_gather(const rp_candidates *from, const rp_ranges *ranges, const rp_query_box *box,
                        rp_search_scratch *scratch)
{
    const rp_candidates c = *from;
    const wide_box b = widened(box);
    RP_ASSERT(ranges->count >= 0 && ranges->count <= RP_RANGES_MAX);
    RP_ASSERT(ranges->total <= scratch->capacity);
    const float limit = box->limit;
    const rp_wide_int *lanes = scratch->lanes;
    size_t to = 0;
    for (int r = 0; r < ranges->count; r++) {
        size_t end = ranges->end[r];
        for (size_t i = ranges->begin[r]; i < end; i += RP_WIDE) {
            /* All eight lanes are stored each time; `to` advances by those that pass. */
            unsigned bits = box_bits(&c, i, &b, limit);
            if (end - i < RP_WIDE) bits &= (1u << (end - i)) - 1;
            rp_wide_int wanted = lanes[bits];
            pack(scratch->x + to, c.x + i, wanted);
            pack(scratch->y + to, c.y + i, wanted);
            pack(scratch->z + to, c.z + i, wanted);
            pack(scratch->index + to, c.index + i, wanted);
            to += count_bits(bits);
        }
    }
    return to;
}

RP_WIDE_INLINE unsigned near_bits(const rp_candidates *c, size_t i, const rp_search_query *query)
{
    rp_wide dx = query->x - rp_wide_load(c->x + i);
    rp_wide dy = query->y - rp_wide_load(c->y + i);
    rp_wide dz = query->z - rp_wide_load(c->z + i);
    rp_wide_int index;
    memcpy(&index, c->index + i, sizeof index);
    return mask_bits((dx * dx + dy * dy + dz * dz <= query->limit) &
                     (index != (int32_t)query->self));
}

/* Without branches: all eight lanes are stored every time, the list grows by those that pass. */
RP_WIDE_INLINE size_t append(const rp_candidates *c, size_t i, unsigned bits,
                             const rp_wide_int *lanes, uint32_t *list)
{
    pack(list, c->index + i, lanes[bits]);
    return count_bits(bits);
}

RP_WIDE_KERNEL
size_t rp_search_near(const rp_candidates *candidates, size_t count, const rp_search_query *query,
                      const rp_wide_int *lanes, uint32_t *list)
{
    const rp_candidates c = *candidates;
    RP_ASSERT_DEBUG((uintptr_t)lanes % sizeof *lanes == 0);
    const rp_search_query q = *query;
    size_t found = 0, i = 0;
    for (; i + RP_WIDE <= count; i += RP_WIDE)
        found += append(&c, i, near_bits(&c, i, &q), lanes, list + found);
    if (i < count) { /* the remainder, with the lanes behind the end masked off */
        unsigned bits = near_bits(&c, i, &q) & ((1u << (count - i)) - 1);
        found += append(&c, i, bits, lanes, list + found);
    }
    return found;
}
