/* What the files of this room share: the functions of measure.c's table, and order statistics. */
#ifndef RP_MEASURE_INSIDE_H
#define RP_MEASURE_INSIDE_H

#include "measure/measure.h"

#include <stddef.h>
#include <stdint.h>

/* --- kinds that give numbers --------------------------------------------------------------------
 */

/* quantities.c */
rp_code rp_measure_take_energy(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_momentum(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report);
rp_code rp_measure_take_count(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report);
rp_code rp_measure_take_bounds(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_density_error(const rp_measure_input *in, rp_measured *out, int *count,
                                      rp_report *report);
rp_code rp_measure_take_flow(const rp_measure_input *in, rp_measured *out, int *count,
                             rp_report *report);
rp_code rp_measure_take_body(const rp_measure_input *in, rp_measured *out, int *count,
                             rp_report *report);
/* heap.c, layer.c */
rp_code rp_measure_take_angle(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report);
rp_code rp_measure_take_front(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report);
/* contact_quantities.c */
rp_code rp_measure_take_contacts(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report);
rp_code rp_measure_take_fabric(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_stress(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_forces(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);

/* --- order statistics ---------------------------------------------------------------------------
 */

/* Sorts `values` and returns the quantile at `share` (0 to 1), interpolated linearly; 0 for an
 * empty list. */
double rp_statistics_quantile(double *values, size_t count, double share);
/* Returns the median; `*deviation` is 1.4826 times the median absolute deviation (MAD), a robust
 * estimate of the standard deviation. Sorts `values` and overwrites them. */
double rp_statistics_median_deviation(double *values, size_t count, double *deviation);
/* Sorts indices so that key[items[i]] rises. */
void rp_statistics_sort_by(uint32_t *items, size_t count, const double *key);

#endif
