/* Order statistics: quantiles and medians of short lists, and lists of indices by a key. */
#ifndef RP_MEASURE_ORDER_H
#define RP_MEASURE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Sorts `values` and gives the value at a share of the list, 0 to 1, between neighbors in
 * proportion. 0 for an empty list. */
double rp_order_quantile(double *values, size_t count, double share);
/* The median, and the median distance from it times 1.4826: a standard deviation that a few wild
 * values cannot spoil. Sorts `values` and changes them. */
double rp_order_median_spread(double *values, size_t count, double *spread);
/* Sorts indices so that key[items[i]] rises. */
void rp_order_by(uint32_t *items, size_t count, const double *key);

#endif
