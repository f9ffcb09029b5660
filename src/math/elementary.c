/* Elementary functions from sums, products and quotients of doubles alone, by argument reduction
 * and Taylor series: coefficients that anyone can check, at the price of a term or two more than a
 * minimax fit.
 *
 * Trigonometry: an angle is reduced to [-pi/4, pi/4] by subtracting quarter turns, with pi/2 in
 * three parts so that the first products are exact (Cody and Waite, "Software Manual for the
 * Elementary Functions", 1980), and is held as a sum of two doubles.
 * Exponential and logarithm: powers of two are split off, which is exact; the remainder is small
 * enough for the series of the exponential and of the inverse hyperbolic tangent. */
#include "math/elementary.h"

#include <math.h>
#include <stdbool.h>

/* --- sine, cosine, arctangent --- */

#define QUARTERS_PER_RADIAN 0x1.45f306dc9c883p-1 /* 2 / pi */

/* pi/2 to 119 bits. The first two have 33 bits, so that up to 2^20 of them are exact. */
static const double quarter[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};

/* A number as an unevaluated sum head + tail (double-double): the tail is at most half a unit in
 * the last place of the head. */
typedef struct split {
    double head, tail;
} split;

/* Returns a + b without rounding error, whichever is larger (Knuth's two-sum). */
static split split_sum(double a, double b)
{
    double sum = a + b, of_b = sum - a;
    return (split){sum, (a - (sum - of_b)) + (b - of_b)};
}

/* Returns the remainder of a large angle after whole turns. 2^18 turns are taken as their nearest
 * double, which is where accuracy is lost; each subtraction is exact, since both numbers are within
 * a factor of two (Sterbenz). */
static double angle_fold(double angle)
{
    double turns = RP_TRIG_LIMIT;
    while (turns <= angle / 2)
        turns *= 2;
    while (angle >= RP_TRIG_LIMIT) {
        if (angle >= turns) angle -= turns;
        turns /= 2;
    }
    return angle;
}

/* Returns the remainder of an angle >= 0 after *quarters quarter turns. */
static split angle_reduce(double angle, int *quarters)
{
    if (angle >= RP_TRIG_LIMIT) angle = angle_fold(angle);
    double n = floor(angle * QUARTERS_PER_RADIAN + 0.5);
    *quarters = (int)n;
    /* The products with the first two parts of pi/2 are exact; their rounding errors of summation
     * go to the tail. */
    split first = split_sum(angle - n * quarter[0], -n * quarter[1]);
    split second = split_sum(first.head, -n * quarter[2]);
    return split_sum(second.head, second.tail + first.tail);
}

/* Sine on [-pi/4, pi/4], Taylor series up to x^17; the next term is below 1e-19. */
static double sine_near_zero(split x)
{
    static const double c[] = {
        -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    double xx = x.head * x.head, sum = 0;
    for (int i = 7; i >= 0; i--)
        sum = sum * xx + c[i];
    /* The tail acts through the slope, which is the cosine. */
    return x.head + (x.head * xx * sum + x.tail * (1 - xx / 2));
}

/* Cosine on [-pi/4, pi/4], Taylor series up to x^16; the next term is below 3e-18. */
static double cosine_near_zero(split x)
{
    static const double c[] = {
        1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    double xx = x.head * x.head, sum = 0;
    for (int i = 6; i >= 0; i--)
        sum = sum * xx + c[i];
    /* 1 - x^2 / 2 is held as head + tail, or its rounding would dominate the error. */
    split parabola = split_sum(1, -xx / 2);
    return parabola.head + (parabola.tail + (xx * xx * sum - x.head * x.tail));
}

double rp_sin(double angle)
{
    if (!isfinite(angle)) return NAN;
    if (angle == 0) return angle; /* with its sign */
    int quarters;
    split rest = angle_reduce(fabs(angle), &quarters);
    double sine = quarters & 1 ? cosine_near_zero(rest) : sine_near_zero(rest);
    return ((quarters & 2) != 0) != (angle < 0) ? -sine : sine;
}

double rp_cos(double angle)
{
    if (!isfinite(angle)) return NAN;
    int quarters;
    split rest = angle_reduce(fabs(angle), &quarters);
    double cosine = quarters & 1 ? sine_near_zero(rest) : cosine_near_zero(rest);
    return (quarters + 1) & 2 ? -cosine : cosine;
}

/* Returns atan(d) - d for |d| < 0.18, series up to d^19; the next term is below 2e-17 of d. */
static double arctangent_bend(double d)
{
    static const double c[] = {-1.0 / 3, 1.0 / 5,   -1.0 / 7, 1.0 / 9,  -1.0 / 11,
                               1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19};
    double dd = d * d, sum = 0;
    for (int i = 8; i >= 0; i--)
        sum = sum * dd + c[i];
    return d * dd * sum;
}

/* Angles whose tangent is a power of two, and the largest tangent that each of them serves. The
 * angle from one of them to y/x has the tangent (y - t x) / (x + t y), and there t x and the
 * difference are exact, so that only a small angle is rounded. */
typedef struct spoke {
    double limit, tangent;
    split angle;
} spoke;

static const spoke spokes[] = {
    {0.125, 0, {0, 0}},
    {0.375, 0.25, {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57}},
    {0.71, 0.5, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}},
    {1, 1, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
};

/* Returns start + sign * atan(y/x) for 0 <= y <= x, x > 0, where start is 0 or larger than the
 * angle. */
static double add_arctangent(split start, double sign, double y, double x)
{
    /* Scale away from overflow and underflow of t x and x + t y. */
    double scale = x > 0x1p1000 ? 0x1p-100 : x < 0x1p-900 ? 0x1p100 : 1;
    y *= scale;
    x *= scale;
    /* The nearest angle of the table, and the small angle d from there to y/x. */
    int i = 0;
    while (i < 3 && y >= spokes[i].limit * x)
        i++;
    double t = spokes[i].tangent;
    double d = t > 0 ? (y - t * x) / (x + t * y) : y / x;
    /* Large terms first, their rounding errors with the small ones. */
    split near = split_sum(start.head, sign * spokes[i].angle.head);
    double small = near.tail + start.tail + sign * (spokes[i].angle.tail + arctangent_bend(d));
    return near.head + (sign * d + small);
}

double rp_atan2(double y, double x)
{
    static const split half_turn = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    static const split quarter_turn = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    if (isnan(x) || isnan(y)) return NAN;
    double height = fabs(y), width = fabs(x), angle;
    if (height == 0 && width == 0) width = 1; /* only the signs count */
    if (isinf(height) && isinf(width)) height = width = 1;
    bool back = signbit(x);
    if (height > width)
        angle = add_arctangent(quarter_turn, back ? 1 : -1, width, height);
    else
        angle = add_arctangent(back ? half_turn : (split){0, 0}, back ? -1 : 1, height, width);
    return copysign(angle, y);
}

/* --- exponential, logarithm, roots --- */

/* The logarithm of 2 in two parts; the first has 32 bits, so that whole multiples are exact. */
#define LOG2_HIGH 0x1.62e42fee00000p-1
#define LOG2_LOW 0x1.a39ef35793c76p-33
#define LOG2_INVERSE 0x1.71547652b82fep+0

double rp_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 709) return INFINITY;
    if (x < -708) return 0;
    /* x = twos ln 2 + rest */
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
    double mantissa = frexp(x, &twos); /* from a half to one */
    /* Bring the mantissa to [sqrt(1/2), sqrt(2)), where |t| is smallest. */
    if (mantissa < 0x1.6a09e667f3bcdp-1) {
        mantissa *= 2;
        twos--;
    }
    /* ln(mantissa) = 2 atanh(t) */
    double t = (mantissa - 1) / (mantissa + 1), tt = t * t, sum = 0; /* t at most 0.172 */
    for (int n = 21; n > 0; n -= 2) /* the next term is below 1e-18 of the first */
        sum = sum * tt + 1.0 / n;
    return twos * LOG2_HIGH + (2 * t * sum + twos * LOG2_LOW);
}

/* Newton's method from above: the iterates decrease until rounding stops them. */
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
    double mantissa = frexp(x, &exponent), whole = floor(exponent / 5.0);
    double root = ldexp(1.0, (int)whole); /* within a factor of two below the root */
    mantissa = ldexp(mantissa, exponent - 5 * (int)whole);
    double scaled = 2;
    for (int i = 0; i < 40; i++) /* Newton, from above */
        scaled -= (scaled - mantissa / (scaled * scaled * scaled * scaled)) / 5;
    return root * scaled;
}
