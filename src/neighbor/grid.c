/* From positions to cells. */
#include "neighbor/inside.h"

#include <float.h>

/* Cell coordinates beyond this are all the same cell. Floats that large are further apart than any
 * radius unless they are equal, so nothing is lost. */
#define CELL_MAX 0x1p49
/* Added to a whole number below 2^51 this puts it, in two's complement, into the low bits of the
 * double: a conversion that every instruction set can do on vectors. */
#define TO_BITS 0x1.8p52
#define BOUND_PARTS 64

double rp_neighbor_grid_edge(double radius)
{
    return radius * (1 + 1e-5);
}

static inline double clamped(double cell)
{
    cell = cell < -CELL_MAX ? -CELL_MAX : cell;
    return cell > CELL_MAX ? CELL_MAX : cell;
}

/* The lowest and highest finite coordinates of a part of the points. */
typedef struct bounds {
    float low[3], high[3];
} bounds;

typedef struct bounds_job {
    const rp_points *points;
    size_t block;
    bounds parts[BOUND_PARTS];
} bounds_job;

RP_WIDE_KERNEL
static void bound_axis(const float *x, size_t count, float *low, float *high)
{
    rp_wide lows = rp_wide_broadcast(FLT_MAX), highs = rp_wide_broadcast(-FLT_MAX);
    size_t i = 0;
    for (; i + RP_WIDE <= count; i += RP_WIDE) {
        rp_wide v = rp_wide_load(x + i);
        lows = rp_wide_select((v < lows) & (v >= -FLT_MAX), v, lows);
        highs = rp_wide_select((v > highs) & (v <= FLT_MAX), v, highs);
    }
    for (int k = 0; i < count; i++, k++) {
        float v = x[i];
        lows[k] = v < lows[k] && v >= -FLT_MAX ? v : lows[k];
        highs[k] = v > highs[k] && v <= FLT_MAX ? v : highs[k];
    }
    *low = -rp_wide_largest(-lows);
    *high = rp_wide_largest(highs);
}

static void bound_range(void *context, rp_range range)
{
    bounds_job *job = context;
    RP_ASSERT(range.begin % job->block == 0 && range.begin / job->block < BOUND_PARTS);
    bounds *part = &job->parts[range.begin / job->block];
    const float *axes[3] = {job->points->x, job->points->y, job->points->z};
    for (int a = 0; a < 3; a++)
        bound_axis(axes[a] + range.begin, range.end - range.begin, &part->low[a], &part->high[a]);
}

rp_neighbor_grid rp_neighbor_grid_around(rp_threads *threads, const rp_points *points, double edge,
                                         unsigned top)
{
    size_t block = points->count / BOUND_PARTS + RP_NEIGHBOR_BLOCK;
    bounds_job job = {.points = points, .block = block};
    rp_parallel_for(threads, points->count, block, bound_range, &job);

    rp_neighbor_grid grid = {.inverse = 1 / edge, .bits = 2 + top};
    double most = 0, coarse = ldexp(1, (int)top);
    for (int a = 0; a < 3; a++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (size_t p = 0; p * block < points->count; p++) {
            low = fminf(low, job.parts[p].low[a]);
            high = fmaxf(high, job.parts[p].high[a]);
        }
        if (low > high) continue; /* nothing finite */
        double first = floor(clamped(floor(low * grid.inverse)) / coarse);
        double last = floor(clamped(floor(high * grid.inverse)) / coarse);
        double cells = coarse * (last - first + 3); /* one to spare each side */
        grid.base[a] = coarse * (first - 1);
        most = cells > most ? cells : most;
    }
    while (grid.bits < RP_MORTON_BITS && ldexp(1, (int)grid.bits) < most)
        grid.bits++;
    return grid;
}

/* Points that are nowhere (NaN, infinity) go to the cell 0, which holds nothing else. */
static inline uint64_t cell_number(float x, double inverse, double base, uint64_t mask)
{
    double cell = clamped(floor(x * inverse)) - base;
    cell = fabsf(x) <= FLT_MAX ? cell : 0;
    double shifted = cell + TO_BITS;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits & mask;
}

RP_WIDE_KERNEL
void rp_neighbor_grid_keys(const rp_neighbor_grid *grid, const rp_points *points, size_t begin,
                           size_t end, uint64_t *keys)
{
    RP_ASSERT(begin <= end && end <= points->count);
    RP_ASSERT(grid->bits >= 2 && grid->bits <= RP_MORTON_BITS && grid->inverse > 0);
    const float *x = points->x, *y = points->y, *z = points->z;
    const double inverse = grid->inverse;
    const double base_x = grid->base[0], base_y = grid->base[1], base_z = grid->base[2];
    const uint64_t mask = ((uint64_t)1 << grid->bits) - 1;
    for (size_t i = begin; i < end; i++)
        keys[i - begin] = rp_morton_key(cell_number(x[i], inverse, base_x, mask),
                                        cell_number(y[i], inverse, base_y, mask),
                                        cell_number(z[i], inverse, base_z, mask));
}
