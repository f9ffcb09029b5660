/* Powers of two are split off, which is exact; what is left is small enough for the Taylor series
 * of the exponential, and for that of the inverse hyperbolic tangent. */
#include "math/exponent.h"

#include <math.h>

/* The logarithm of 2 in two parts; the first has 32 bits, so that whole multiples are exact. */
#define LOG2_HIGH 0x1.62e42fee00000p-1
#define LOG2_LOW 0x1.a39ef35793c76p-33
#define LOG2_INVERSE 0x1.71547652b82fep+0

double rp_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 709) return INFINITY;
    if (x < -708) return 0;
    double twos = floor(x * LOG2_INVERSE + 0.5);
    double rest = (x - twos * LOG2_HIGH) - twos * LOG2_LOW; /* at most 0.347 */
    double sum = 1;
    for (int n = 14; n > 0; n--) /* the next term is below 1e-19 */
        sum = 1 + sum * rest / n;
    return ldexp(sum, (int)twos);
}

double rp_ln(double x)
{
    if (isnan(x) || x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return x;
    int twos;
    double part = frexp(x, &twos); /* from a half to one */
    if (part < 0x1.6a09e667f3bcdp-1) {
        part *= 2;
        twos--;
    }
    double t = (part - 1) / (part + 1), tt = t * t, sum = 0; /* t at most 0.172 */
    for (int n = 21; n > 0; n -= 2) /* the next term is below 1e-18 of the first */
        sum = sum * tt + 1.0 / n;
    return twos * LOG2_HIGH + (2 * t * sum + twos * LOG2_LOW);
}

/* Newton's steps, from above: they fall until rounding stops them. */
double rp_cube_root(double x)
{
    if (!(x > 0) || !isfinite(x)) return x > 0 ? x : 0;
    double root = x > 1 ? x : 1;
    for (double next; (next = (2 * root + x / (root * root)) / 3) < root;)
        root = next;
    return root;
}

double rp_fifth_root(double x)
{
    if (!(x > 0) || !isfinite(x)) return x > 0 ? x : 0;
    int exponent;
    double part = frexp(x, &exponent), whole = floor(exponent / 5.0);
    double root = ldexp(1.0, (int)whole); /* within a factor of two below the root */
    part = ldexp(part, exponent - 5 * (int)whole);
    double scaled = 2;
    for (int i = 0; i < 40; i++) /* Newton, from above */
        scaled -= (scaled - part / (scaled * scaled * scaled * scaled)) / 5;
    return root * scaled;
}
