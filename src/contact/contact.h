/* Statistics of the contacts of a view: coordination number, fabric and stress tensors, correlation
 * and distribution of contact forces. Formulas: docs/theory/measure.md, from (M15) on.
 *
 * All functions need a view with contacts; for one without they return RP_ERROR_UNSUPPORTED and
 * name the setting that records them. */
#ifndef RP_CONTACT_CONTACT_H
#define RP_CONTACT_CONTACT_H

#include "math/vec.h"
#include "repose/view.h"

/* --- selection ----------------------------------------------------------------------------------
 */

/* The region that is evaluated, and the periodic axes of the domain. */
typedef struct rp_contact_space {
    rp_box3 region;      /* m; sides may be infinite */
    unsigned periodic;   /* bits 1, 2, 4 for x, y, z */
    rp_vec3 domain_low;  /* m, of the domain; used along periodic axes */
    rp_vec3 domain_high; /* m */
} rp_contact_space;
rp_contact_space rp_contact_everywhere(void);

rp_code rp_contacts_check(const rp_view *view, rp_report *report);
/* True for a contact under compression (normal force above 0) whose point is in the region. */
bool rp_contact_is_in_region(const rp_contact *contact, const rp_contact_space *space);
/* True for such a contact of two grains: these are what statistics are made of. */
bool rp_contact_is_selected(const rp_contact *contact, const rp_contact_space *space);

/* Index from the ids of grains to their places in the arrays of a view. */
typedef struct rp_grain_ids {
    uint64_t *items; /* id in the upper, place in the lower 32 bits; sorted */
    size_t count;
} rp_grain_ids;
rp_code rp_grain_ids_make(const rp_view *view, rp_grain_ids *out, rp_report *report);
void rp_grain_ids_release(rp_grain_ids *ids);
/* Returns the place in the view's arrays; SIZE_MAX when there is no such grain. */
size_t rp_grain_ids_find(const rp_grain_ids *ids, uint32_t id);

/* Returns the centre of a contact's first grain, m; where the view no longer has that grain, the
 * contact point less half of the branch vector. */
rp_vec3 rp_contact_first_centre(const rp_view *view, const rp_grain_ids *ids,
                                const rp_contact *contact);

/* --- coordination and mean forces ---------------------------------------------------------------
 */

/* (M15) */
typedef struct rp_contact_statistics {
    double grains;          /* in the region */
    double contacts;        /* of two grains */
    double solid_contacts;  /* of grains with bodies and walls */
    double coordination;    /* coordination number: contacts with other grains per grain */
    double neighbors;       /* grains that a grain touches, at one point or several */
    double rattlers;        /* share of grains with less than two contacts of any kind */
    double no_rattlers;     /* coordination number of the others */
    double mean_force;      /* N, normal */
    double force_deviation; /* N, standard deviation */
    double largest_force;   /* N */
    double shear_ratio;     /* mean of shear force over normal force */
    double strong_share;    /* share of contacts above the mean force: the strong network */
    double strong_force;    /* part of the sum of all forces that they carry */
    double mean_overlap;    /* m */
    double largest_overlap; /* m */
} rp_contact_statistics;
rp_code rp_contact_statistics_of(const rp_view *view, const rp_contact_space *space,
                                 rp_contact_statistics *out, rp_report *report);

/* --- fabric and stress tensors ------------------------------------------------------------------
 */

/* (M16) The fabric tensor: the mean of n n over all contact normals n. */
typedef struct rp_fabric {
    size_t count;
    rp_mat3 tensor;
    double values[3]; /* principal values, largest first; their sum is 1 */
    rp_vec3 axes[3];  /* principal axes */
} rp_fabric;
rp_code rp_contact_fabric(const rp_view *view, const rp_contact_space *space, rp_fabric *out,
                          rp_report *report);

/* (M17) Contacts by the angle between their normal and the unit vector `up`, 0 to 90 degrees. */
#define RP_ANGLE_BINS 18
typedef struct rp_angle_bin {
    double count;
    double density; /* relative to an isotropic distribution, for which it is 1 */
    double error;   /* of the density, one standard error */
    double force;   /* mean normal force over that of all contacts */
} rp_angle_bin;
rp_code rp_contact_angles(const rp_view *view, const rp_contact_space *space, rp_vec3 up,
                          rp_angle_bin bins[RP_ANGLE_BINS], rp_report *report);

/* (M18) The mean stress in the region (Love-Weber); compression is positive. */
typedef struct rp_stress {
    double volume;        /* m3 */
    rp_mat3 tensor;       /* Pa, of the contacts; its symmetric part */
    double pressure;      /* Pa, a third of the trace */
    double deviator;      /* Pa, q */
    double principal[3];  /* Pa, largest first */
    double antisymmetric; /* Pa, largest component of the antisymmetric part; 0 in equilibrium */
    double kinetic;       /* Pa, pressure of velocity fluctuations; not part of the tensor */
} rp_stress;
rp_code rp_contact_stress(const rp_view *view, const rp_contact_space *space, rp_stress *out,
                          rp_report *report);

/* --- correlation of contact forces --------------------------------------------------------------
 */

/* (M19) Pair correlation of normal forces: the mean of f f' over pairs of contacts at a distance,
 * forces in units of their mean; 1 for uncorrelated forces. */
#define RP_CORRELATION_BINS 40
typedef struct rp_correlation_bin {
    double distance; /* m, the middle of the bin */
    double pairs;    /* that were evaluated */
    double value, error;
} rp_correlation_bin;
/* Up to the distance `range`, m. */
rp_code rp_contact_correlation(const rp_view *view, const rp_contact_space *space, double range,
                               rp_correlation_bin bins[RP_CORRELATION_BINS], rp_report *report);

/* --- distribution of contact forces -------------------------------------------------------------
 */

/* Maximum-likelihood fits of the forms that the literature uses, (M20) to (M24); no choice of bins
 * enters them. The sample is put into fine cells only for speed. */

/* Values in rising order with weights. */
typedef struct rp_weighted_sample {
    const double *values;
    const double *weights; /* NULL: all are 1 */
    size_t count;
} rp_weighted_sample;

/* (M20) Exponential tail: returns beta of p(f) = beta exp(-beta (f - from)) above `from`. NaN with
 * less than 20 values there. */
double rp_force_fit_exponential_tail(const rp_weighted_sample *sample, double from);

/* (M21) p(f) = a (1 - b exp(-f^2)) exp(-beta f), of Silbert et al. 2002. */
typedef struct rp_silbert {
    double a, b, beta;
} rp_silbert;
rp_silbert rp_force_fit_silbert(const rp_weighted_sample *sample);
double rp_silbert_density(const rp_silbert *form, double f);
/* The cumulative distribution: share of forces below f. */
double rp_silbert_cumulative(const rp_silbert *form, double f);

/* (M22) Stretched exponential tail: p(f) ~ exp(-c f^n) above `from`; NaN with less than 20 values
 * there. */
typedef struct rp_stretched_tail {
    double n, c;
} rp_stretched_tail;
rp_stretched_tail rp_force_fit_stretched_tail(const rp_weighted_sample *sample, double from);

/* (M23) Gamma distribution of mean 1: p(f) = k^k f^(k - 1) exp(-k f) / Gamma(k). The fit returns
 * the shape k. */
double rp_force_fit_gamma(const rp_weighted_sample *sample);
double rp_force_gamma_density(double shape, double f);
double rp_force_gamma_cumulative(double shape, double f);

/* Kolmogorov-Smirnov distance: the largest difference between the cumulative distributions of a
 * sample and of a form. */
double rp_silbert_distance(const rp_weighted_sample *sample, const rp_silbert *form);
double rp_force_gamma_distance(const rp_weighted_sample *sample, double shape);

/* All of these for one list of forces, in units of their mean. */
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
/* Where the tails begin, in units of the mean: the exponential and the stretched one. */
#define RP_TAIL_FROM 2.0
#define RP_STRETCHED_FROM 1.0
/* Fewer forces than this are not fitted. */
#define RP_FORCES_LEAST 100
rp_code rp_force_fit_all(const double *forces, size_t count, rp_force_fits *out, rp_report *report);

/* Normal forces and magnitudes of shear forces of the selected contacts: two lists in one block of
 * memory. Release them. */
typedef struct rp_force_lists {
    double *normal, *shear; /* N */
    size_t count, capacity;
} rp_force_lists;
rp_code rp_force_lists_make(const rp_view *view, const rp_contact_space *space, rp_force_lists *out,
                            rp_report *report);
void rp_force_lists_release(rp_force_lists *lists);

/* A histogram with bins of a tenth of the mean. */
#define RP_FORCE_BIN 0.1
#define RP_FORCE_BINS 120
typedef struct rp_force_histogram {
    double counts[RP_FORCE_BINS];
    double total; /* also of values beyond the bins */
    int used;     /* bins up to the last one that is not empty */
} rp_force_histogram;
rp_force_histogram rp_force_histogram_of(const double *forces, size_t count);

#endif
