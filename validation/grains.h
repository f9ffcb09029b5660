/* What the cases of single grains (dem-*) have in common. */
#ifndef RP_VALIDATION_GRAINS_H
#define RP_VALIDATION_GRAINS_H

#include "validation/sand.h"

#define RP_EARTH 9.81 /* m/s2, the gravity of their scenes */

/* The straight line of least squares. */
typedef struct rp_line {
    double slope, offset;
    double share; /* of the variance that it explains: R^2 */
} rp_line;
rp_line rp_line_through(const double *x, const double *y, int count);
/* y = factor x^power, by the line through the logarithms; share is that of the line. */
typedef struct rp_power {
    double factor, power, share;
} rp_power;
rp_power rp_power_through(const double *x, const double *y, int count);

/* One of the solver's own fields; NULL when it has no such. */
const float *rp_grains_field(const rp_view *view, const char *name);
/* Runs until the grains' root mean square speed is below `speed`, m/s, but at least to `least` and
 * at most to `most`, s; an evaluation every twentieth of a second. */
rp_code rp_grains_settle(rp_case_context *c, rp_world *world, double speed, double least,
                         double most);
/* m: the height below which `part` of the grains have their centre, 0 to 1. */
double rp_grains_height(const rp_view *view, double part);
/* The slope of a surface that falls along x, in degrees, positive where it falls to the right: the
 * highest grains in strips of `width`, from `low` to `high`; the share of the line is written to
 * `share` where that is not NULL. NaN where less than four strips have grains. */
double rp_grains_slope(const rp_view *view, double low, double high, double width, double *share);

#endif
