/* The distribution of contact forces: histograms, and fits of the forms that the literature names.
 * Fits are of greatest likelihood, so that no choice of bins is in them; the sample they look at is
 * gathered into fine cells only for speed. Formulas: theory/measure.md, (M20) to (M24). */
#ifndef RP_CONTACT_FORCES_H
#define RP_CONTACT_FORCES_H

#include "contact/contact.h"

/* Values with weights, rising; what the fits look at. */
typedef struct rp_sample {
    const double *values;
    const double *weights; /* NULL: all are 1 */
    size_t count;
} rp_sample;

/* (M20) p(f) = beta exp(-beta (f - from)) behind `from`. NaN where less than 20 are there. */
double rp_fit_exponential_tail(const rp_sample *sample, double from);

/* (M21) p(f) = a (1 - b exp(-f^2)) exp(-beta f), of Silbert et al. 2002. */
typedef struct rp_silbert {
    double a, b, beta;
} rp_silbert;
rp_silbert rp_fit_silbert(const rp_sample *sample);
double rp_silbert_density(const rp_silbert *form, double f);
double rp_silbert_below(const rp_silbert *form, double f); /* share of forces below f */

/* (M22) p(f) ~ exp(-c f^n) behind `from`; NaN where less than 20 are there. */
typedef struct rp_power_tail {
    double n, c;
} rp_power_tail;
rp_power_tail rp_fit_power_tail(const rp_sample *sample, double from);

/* (M23) p(f) = k^k f^(k - 1) exp(-k f) / Gamma(k): the shape k, for forces of mean 1. */
double rp_fit_gamma(const rp_sample *sample);
double rp_fit_gamma_density(double shape, double f);
double rp_fit_gamma_below(double shape, double f);

/* The largest difference between the share of a sample and the share of a form below any force. */
double rp_silbert_distance(const rp_sample *sample, const rp_silbert *form);
double rp_fit_gamma_distance(const rp_sample *sample, double shape);

/* All of these of one list of forces, in units of their mean. */
typedef enum rp_force_number {
    RP_FORCE_MEAN, /* N */
    RP_FORCE_TAIL,
    RP_FORCE_SILBERT_A,
    RP_FORCE_SILBERT_B,
    RP_FORCE_SILBERT_BETA,
    RP_FORCE_SILBERT_DISTANCE,
    RP_FORCE_TAIL_N,
    RP_FORCE_TAIL_C,
    RP_FORCE_GAMMA,
    RP_FORCE_GAMMA_DISTANCE,
    RP_FORCE_NUMBERS
} rp_force_number;
typedef struct rp_force_fits {
    double values[RP_FORCE_NUMBERS];
    double errors[RP_FORCE_NUMBERS]; /* one standard error, (M24) */
} rp_force_fits;
/* Where the tails begin, in units of the mean: the exponential's, and that of the power. */
#define RP_TAIL_FROM 2.0
#define RP_POWER_FROM 1.0
/* Fewer forces than this are not fitted. */
#define RP_FORCES_LEAST 100
rp_code rp_force_fit(const double *forces, size_t count, rp_force_fits *out, rp_report *report);

/* Normal forces, and sizes of shear forces, of the contacts that are meant: two lists in one block,
 * to be released with rp_force_lists_release. */
typedef struct rp_force_lists {
    double *normal, *shear; /* N */
    size_t count, capacity;
} rp_force_lists;
rp_code rp_force_lists_make(const rp_view *view, const rp_contact_space *space, rp_force_lists *out,
                            rp_report *report);
void rp_force_lists_release(rp_force_lists *lists);

/* The histogram: bins of a tenth of the mean. */
#define RP_FORCE_BIN 0.1
#define RP_FORCE_BINS 120
typedef struct rp_force_histogram {
    double counts[RP_FORCE_BINS];
    double total; /* also of what is beyond the bins */
    int used;     /* bins up to the last one that is not empty */
} rp_force_histogram;
rp_force_histogram rp_force_histogram_of(const double *forces, size_t count);

#endif
