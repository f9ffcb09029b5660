/* Functions that the C library lacks, for the fits of this room; tests include it, too. Incomplete
 * gamma functions by their series and their continued fraction (Press et al., Numerical Recipes,
 * 6.2). */
#ifndef RP_CONTACT_INSIDE_H
#define RP_CONTACT_INSIDE_H

#include <stddef.h>

/* Returns the regularized lower incomplete gamma function P(shape, x), 0 to 1: the share of a gamma
 * distribution below x. */
double rp_contact_gamma_lower(double shape, double x);
/* Returns the logarithm of the upper incomplete gamma function Gamma(shape, x): the integral of
 * t^(shape - 1) exp(-t) from x to infinity. */
double rp_contact_log_gamma_upper(double shape, double x);

/* Returns the maximum point between `low` and `high` of a function with one peak: golden section
 * search. */
typedef double rp_contact_function(const void *user, double x);
double rp_contact_maximize(rp_contact_function *function, const void *user, double low,
                           double high);

#endif
