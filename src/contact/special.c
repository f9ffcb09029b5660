#include "contact/special.h"

#include <float.h>
#include <math.h>

#define STEPS 1000
#define TINY 1e-300

/* P by its series; for x below shape + 1. */
static double below_by_series(double shape, double x)
{
    double term = 1 / shape, sum = term;
    for (int i = 1; i < STEPS && term > DBL_EPSILON * sum; i++) {
        term *= x / (shape + i);
        sum += term;
    }
    return sum * exp(shape * log(x) - x - lgamma(shape));
}

/* The fraction in Gamma(shape, x) = exp(-x) x^shape * fraction; for larger x. */
static double fraction_above(double shape, double x)
{
    double b = x + 1 - shape, c = 1 / TINY, d = 1 / b, h = d;
    for (int i = 1; i < STEPS; i++) {
        double a = -i * (i - shape);
        b += 2;
        d = a * d + b;
        if (fabs(d) < TINY) d = TINY;
        c = b + a / c;
        if (fabs(c) < TINY) c = TINY;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return h;
}

double rp_special_gamma_p(double shape, double x)
{
    if (!(x > 0)) return 0;
    if (x < shape + 1) return below_by_series(shape, x);
    return 1 - exp(shape * log(x) - x - lgamma(shape)) * fraction_above(shape, x);
}

double rp_special_log_gamma_above(double shape, double x)
{
    if (!(x > 0)) return lgamma(shape);
    if (x < shape + 1) return lgamma(shape) + log1p(-below_by_series(shape, x));
    return shape * log(x) - x + log(fraction_above(shape, x));
}

double rp_special_maximum(rp_special_function *function, const void *user, double low, double high)
{
    const double ratio = 0.6180339887498949;
    double left = high - ratio * (high - low), right = low + ratio * (high - low);
    double at_left = function(user, left), at_right = function(user, right);
    for (int i = 0; i < 60; i++) {
        if (at_left > at_right) {
            high = right;
            right = left, at_right = at_left;
            left = high - ratio * (high - low);
            at_left = function(user, left);
        } else {
            low = left;
            left = right, at_left = at_right;
            right = low + ratio * (high - low);
            at_right = function(user, right);
        }
    }
    return (low + high) / 2;
}
