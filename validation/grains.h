/* Shared by the cases of single grains (dem-*). */
#ifndef RP_VALIDATION_GRAINS_H
#define RP_VALIDATION_GRAINS_H

#include "contact/contact.h"
#include "validation/sand.h"

/* --- fits and packings ------------------------------------------------------------------------ */

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

/* --- outflow ---------------------------------------------------------------------------------- */

/* Grains that run out of a vessel through a hole at z = 0: what has passed, from one evaluation to
 * the next. */

#define RP_OUTFLOW_SAMPLES 400

typedef struct rp_outflow {
    double time[RP_OUTFLOW_SAMPLES], passed[RP_OUTFLOW_SAMPLES]; /* s, kg */
    int count;
    double mass;          /* kg, all */
    size_t grains;        /* at the start */
    double left;          /* kg, above the hole at the end */
    double speed;         /* m/s, rms of those above the hole at the end */
    double rate, share;   /* kg/s and R^2 of the line between two parts of what passed */
    double first, second; /* kg/s, of its first and second half */
} rp_outflow;

/* Evaluates every `between` seconds until `until` (0 to 1) of the grains have passed, or to `end`,
 * or until those above rest: slower than a tenth of a millimetre per second, a quarter of a second
 * after the start. */
rp_code rp_outflow_watch(rp_case_context *c, rp_world *world, double between, double until,
                         double end, rp_outflow *out);
/* Rates while `from` to `to` of all grains pass. */
void rp_outflow_fit(rp_outflow *flow, double from, double to);

/* --- forces of contacts ----------------------------------------------------------------------- */

/* Forces of a packing that grow with depth, as one list: each in units of the mean of its layer. */

/* Normal and shear forces of contacts between grains from `low` to `high`, m, in layers of about
 * `layer`. Release with rp_force_lists_release. */
rp_code rp_layered_forces(const rp_view *view, double low, double high, double layer,
                          rp_force_lists *out, rp_report *report);
/* The view's contacts with all points in which the same two grains touch made one: the sum of their
 * forces, at their mean place. Release with rp_release(*out, *count * sizeof **out). */
rp_code rp_merge_contacts(const rp_view *view, rp_contact **out, size_t *count, rp_report *report);
/* The share of all force that the stronger `part` of the contacts carries. */
double rp_strong_share(const double *forces, size_t count, double part);
/* Adds P(f) of the list to a figure, as points. */
void rp_case_draw_forces(rp_figure *figure, const char *name, const double *forces, size_t count);
/* The force, in units of the mean, at which P(f) is largest: the peak of the histogram smoothed
 * over three of its bins. */
double rp_force_peak(const double *forces, size_t count);

#endif
