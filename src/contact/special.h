/* Functions that the C library lacks, for estimates. Incomplete gamma functions by their series and
 * their continued fraction (Press et al., Numerical Recipes, 6.2). */
#ifndef RP_CONTACT_SPECIAL_H
#define RP_CONTACT_SPECIAL_H

#include <stddef.h>

/* The share of a gamma distribution of that shape below x: P(shape, x), 0 to 1. */
double rp_special_gamma_p(double shape, double x);
/* The logarithm of the integral of t^(shape - 1) exp(-t) from x on. */
double rp_special_log_gamma_above(double shape, double x);

/* Where between low and high a function with one peak is greatest: golden section. */
typedef double rp_special_function(const void *user, double x);
double rp_special_maximum(rp_special_function *function, const void *user, double low, double high);

#endif
