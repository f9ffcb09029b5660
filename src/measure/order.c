#include "measure/order.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_MAD 1.4826 /* standard deviations in a median distance, for normal values */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rp_order_quantile(double *values, size_t count, double share)
{
    if (!count) return 0;
    qsort(values, count, sizeof *values, compare);
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return values[count - 1];
    return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

double rp_order_median_spread(double *values, size_t count, double *spread)
{
    double median = rp_order_quantile(values, count, 0.5);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - median);
    *spread = NORMAL_MAD * rp_order_quantile(values, count, 0.5);
    return median;
}

/* Columns are short, and nearly in order where grains are kept in the order of cells: shell sort
 * with the gaps of Ciura, which needs no callback and no memory. */
void rp_order_by(uint32_t *items, size_t count, const double *key)
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
