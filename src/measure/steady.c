/* The steady part of a series (theory/measure.md, M13): what a hopper does between its start and
 * its end. */
#include "base/memory.h"
#include "measure/measure.h"
#include "measure/order.h"

#define NEAR 0.3 /* of the plateau: what is further off does not belong */
#define TRIM 0.1 /* of the stretch, dropped at each end, where it still rises or falls */
#define SHORT 3  /* values; a stretch of fewer is none */

/* The typical value while anything happens at all: the median of those above half of the highest
 * tenth. Works on sizes, since a flow against the axis is negative throughout. */
static double plateau_of(double *sizes, size_t count)
{
    double high = rp_quantile(sizes, count, 0.9);
    size_t first = 0; /* sorted by now */
    while (first < count && sizes[first] <= 0.5 * high)
        first++;
    return rp_quantile(sizes + first, count - first, 0.5);
}

static bool belongs(double value, double plateau)
{
    return fabs(value - plateau) <= NEAR * fabs(plateau);
}

static rp_steady longest_stretch(const double *values, size_t count, double plateau)
{
    rp_steady best = {0};
    size_t first = 0;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && belongs(values[i], plateau)) continue;
        if (i - first > best.count) best = (rp_steady){.first = first, .count = i - first};
        first = i + 1;
    }
    return best;
}

static void take_moments(const double *values, rp_steady *s)
{
    double sum = 0, squares = 0, n = (double)s->count;
    for (size_t i = 0; i < s->count; i++)
        sum += values[s->first + i];
    s->mean = sum / n;
    for (size_t i = 0; i < s->count; i++)
        squares += (values[s->first + i] - s->mean) * (values[s->first + i] - s->mean);
    s->spread = sqrt(squares / (n - 1));
}

rp_steady rp_steady_of(const double *values, size_t count)
{
    rp_steady none = {0}, best;
    double *sizes = rp_allocate(count * sizeof *sizes + 1), sum = 0;
    if (!sizes || !count) {
        rp_release(sizes, count * sizeof *sizes + 1);
        return none;
    }
    for (size_t i = 0; i < count; i++) {
        sizes[i] = fabs(values[i]);
        sum += values[i];
    }
    double plateau = copysign(plateau_of(sizes, count), sum);
    rp_release(sizes, count * sizeof *sizes + 1);
    if (!(fabs(plateau) > 0)) return none;
    best = longest_stretch(values, count, plateau);
    size_t trim = best.count < 2 * SHORT ? 0 : (size_t)ceil(TRIM * (double)best.count);
    best.first += trim;
    best.count -= 2 * trim;
    if (best.count < SHORT) return none;
    take_moments(values, &best);
    return best;
}
