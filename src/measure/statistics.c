/* Order statistics, and detection of the steady state of a series (M13). */
#include "base/memory.h"
#include "measure/inside.h"

#include <math.h>
#include <stdlib.h>

/* --- order statistics ----------------------------------------------------------------------- */

#define NORMAL_MAD 1.4826 /* standard deviations in a median distance, for normal values */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rp_statistics_quantile(double *values, size_t count, double share)
{
    if (!count) return 0;
    qsort(values, count, sizeof *values, compare);
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return values[count - 1];
    return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

double rp_statistics_median_deviation(double *values, size_t count, double *spread)
{
    double median = rp_statistics_quantile(values, count, 0.5);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - median);
    *spread = NORMAL_MAD * rp_statistics_quantile(values, count, 0.5);
    return median;
}

/* Shell sort with Ciura's gaps, which needs no callback and no memory. Columns are short, and
 * nearly sorted where grains are stored in cell order. */
void rp_statistics_sort_by(uint32_t *items, size_t count, const double *key)
{
    static const size_t gaps[] = {132000, 57000, 24700, 10700, 4630, 2010, 873, 378,
                                  163,    71,    31,    13,    6,    3,    1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        for (size_t i = gaps[g]; i < count; i++) {
            uint32_t item = items[i];
            size_t j = i;
            for (; j >= gaps[g] && key[items[j - gaps[g]]] > key[item]; j -= gaps[g])
                items[j] = items[j - gaps[g]];
            items[j] = item;
        }
    }
}

/* --- steady state of a series --------------------------------------------------------------- */

#define NEAR 0.3     /* of the plateau: values that differ by more do not belong to it */
#define TRIM 0.1     /* of the interval, removed at each end, where the series still changes */
#define SHORT 3      /* values at least */
#define SMOOTH 20    /* the moving mean covers 1 / SMOOTH of the series on each side */
#define ACTIVE 0.1   /* of the plateau: less is no flow */
#define LASTING 0.34 /* of the active time: a shorter interval is not steady */
#define DRIFT 0.15   /* of the mean: the largest difference of a third of the interval */
#define CERTAIN 2.5  /* standard errors of a third: smaller differences may be chance */

/* Returns the moving mean at one value, so that noise of single frames does not end an interval. */
static double smooth(const double *values, size_t count, size_t at)
{
    size_t reach = count / SMOOTH, first = at > reach ? at - reach : 0;
    size_t end = at + reach < count ? at + reach + 1 : count;
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += values[i];
    return sum / (double)(end - first);
}

/* Returns the plateau: the median of the values above half of the 90 % quantile. `sizes` are
 * absolute values, since a flow against the axis is negative throughout. */
static double plateau_of(double *sizes, size_t count)
{
    double high = rp_statistics_quantile(sizes, count, 0.9);
    size_t first = 0; /* the quantile has sorted them */
    while (first < count && sizes[first] <= 0.5 * high)
        first++;
    return rp_statistics_quantile(sizes + first, count - first, 0.5);
}

static bool belongs(double value, double plateau)
{
    return fabs(value - plateau) <= NEAR * fabs(plateau);
}

static rp_steady longest_interval(const double *values, size_t count, double plateau)
{
    rp_steady best = {0};
    size_t first = 0;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && belongs(smooth(values, count, i), plateau)) continue;
        if (i - first > best.count) best = (rp_steady){.first = first, .count = i - first};
        first = i + 1;
    }
    return best;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

rp_steady rp_steady_within(const double *values, size_t first, size_t count)
{
    rp_steady s = {.first = first, .count = values ? count : 0};
    if (!s.count) return s;
    double squares = 0;
    s.mean = mean_of(values + first, count);
    for (size_t i = first; i < first + count; i++)
        squares += (values[i] - s.mean) * (values[i] - s.mean);
    s.spread = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    return s;
}

/* Returns the standard deviation of the noise from successive differences (von Neumann), which a
 * slow drift hardly changes. */
static double noise_of(const double *values, size_t count)
{
    double squares = 0;
    for (size_t i = 1; i < count; i++)
        squares += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
    return sqrt(squares / (2 * (double)(count - 1)));
}

/* True when the interval has no drift: the mean of each third agrees with that of all, within the
 * noise. */
static bool holds(const double *values, const rp_steady *s)
{
    size_t third = s->count / 3;
    const double *first = values + s->first;
    double error = noise_of(first, s->count) / sqrt((double)third);
    double most = fmax(DRIFT * fabs(s->mean), CERTAIN * error);
    for (size_t i = 0; i < 3; i++) {
        size_t begin = i == 2 ? s->count - third : i * third;
        if (fabs(mean_of(first + begin, third) - s->mean) > most) return false;
    }
    return true;
}

/* True when the interval is long enough, relative to the time in which anything flows. */
static bool lasts(const double *values, size_t count, double plateau, const rp_steady *s)
{
    size_t active = 0;
    for (size_t i = 0; i < count; i++)
        active += fabs(values[i]) > ACTIVE * fabs(plateau);
    return (double)s->count >= LASTING * (double)active;
}

/* (M13): plateau, longest interval near it, ends removed, then tests for length and drift. */
rp_steady rp_steady_of(const double *values, size_t count)
{
    const rp_steady none = {0};
    double *sizes = rp_allocate(count * sizeof *sizes + 1), sum = 0;
    if (!sizes || !count || !values) {
        rp_release(sizes, count * sizeof *sizes + 1);
        return none;
    }
    for (size_t i = 0; i < count; i++) {
        sizes[i] = fabs(smooth(values, count, i));
        sum += values[i];
    }
    double plateau = copysign(plateau_of(sizes, count), sum);
    rp_release(sizes, count * sizeof *sizes + 1);
    if (!(fabs(plateau) > 0)) return none;
    rp_steady best = longest_interval(values, count, plateau);
    if (!lasts(values, count, plateau, &best)) return none;
    size_t trim = best.count < 2 * SHORT ? 0 : (size_t)ceil(TRIM * (double)best.count);
    best.first += trim;
    best.count -= 2 * trim;
    if (best.count < SHORT) return none;
    best = rp_steady_within(values, best.first, best.count);
    return holds(values, &best) ? best : none;
}
