/* The points of P12: the (0, 2)-sequence of van der Corput and Sobol': of the first 2^m points each
 * lies in a box of its own, for all ways to cut the square into 2^m boxes of one shape. The numbers
 * by which dimension two is made are those of the polynomial x + 1: each is the one before, times x
 * + 1 (Sobol', "On the distribution of points in a cube", 1967). */
#include "render/dice.h"
#include "base/memory.h"
#include "base/report.h"

static void make_point(uint32_t index, uint32_t point[2])
{
    uint32_t second = 0x80000000u;
    point[0] = point[1] = 0;
    for (int bit = 0; bit < 32 && index >> bit; bit++) {
        if (index >> bit & 1) {
            point[0] ^= 0x80000000u >> bit;
            point[1] ^= second;
        }
        second ^= second >> 1;
    }
}

rp_code rp_dice_table_make(rp_dice_table *table, int samples, rp_report *report)
{
    int bits = 0;
    while (1 << bits < samples)
        bits++;
    uint32_t count = 1u << bits;
    *table =
        (rp_dice_table){.size = count * sizeof *table->points, .mask = count - 1, .bits = bits};
    table->points = rp_allocate(table->size);
    if (!table->points) return rp_fail_memory(report, table->size, "the samples of a pixel");
    for (uint32_t i = 0; i < count; i++)
        make_point(i, table->points[rp_reverse_bits(i, bits)]);
    return RP_OK;
}

void rp_dice_table_release(rp_dice_table *table)
{
    rp_release(table->points, table->size);
    *table = (rp_dice_table){0};
}
