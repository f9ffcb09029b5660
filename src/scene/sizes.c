/* How large grains are: the quantiles of their distributions, docs/theory/world.md (W13), (W14).
 * Only sums, products, roots and math/elementary.h, since sizes are part of a world's state. */
#include "math/elementary.h"
#include "scene/scene.h"

/* Points that means are taken over. */
#define POINTS 1024

/* Phi(-2.5), below which normal sizes are cut off. */
#define CUT_OFF 0.006209665325776132

static double ratio(const double *top, int degree_top, const double *bottom, int degree_bottom,
                    double x)
{
    double a = 0, b = 0;
    for (int i = 0; i <= degree_top; i++)
        a = a * x + top[i];
    for (int i = 0; i <= degree_bottom; i++)
        b = b * x + bottom[i];
    return a / b;
}

/* The quantile of the normal distribution within 2e-9 (P. Acklam, "An algorithm for computing the
 * inverse normal cumulative distribution function", 2003). */
static double normal_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01, 1};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00, 1};
    const double tail = 0.02425;
    if (p > 0.5) return -normal_quantile(1 - p);
    if (p < tail) return ratio(c, 5, d, 4, sqrt(-2 * rp_ln(p)));
    double q = p - 0.5;
    return q * ratio(a, 5, b, 5, q * q);
}

/* The same, cut off on both sides. */
static double cut_quantile(double part)
{
    double z = normal_quantile(CUT_OFF + part * (1 - 2 * CUT_OFF));
    return z > RP_SIZES_CUT ? RP_SIZES_CUT : z < -RP_SIZES_CUT ? -RP_SIZES_CUT : z;
}

/* Grains between two sieves, in relative numbers: mass is spread evenly over the diameters there,
 * and a grain has a mass of d^3. */
static double sieve_number(const rp_sieve_spec *low, const rp_sieve_spec *high)
{
    double a = low->diameter, b = high->diameter;
    return (high->passing - low->passing) * (a + b) / (2 * a * a * b * b);
}

static double sieve_numbers(const rp_grain_spec *grain)
{
    const rp_sieve_spec *sieves = grain->sieve.items;
    double numbers = 0;
    for (int i = 1; i < grain->sieve.count; i++)
        numbers += sieve_number(&sieves[i - 1], &sieves[i]);
    return numbers;
}

static double sieve_size(const rp_grain_spec *grain, double part)
{
    const rp_sieve_spec *sieves = grain->sieve.items;
    double left = part * sieve_numbers(grain);
    int i = 1;
    for (; sieves[i].passing < 1; i++) {
        double number = sieve_number(&sieves[i - 1], &sieves[i]);
        if (left < number) break;
        left -= number;
    }
    double number = sieve_number(&sieves[i - 1], &sieves[i]);
    double inside = part < 1 ? left / number : 1;
    double a = sieves[i - 1].diameter, b = sieves[i].diameter;
    if (inside <= 0) return a;
    if (inside >= 1) return b;
    return 1 / sqrt(1 / (a * a) - inside * (1 / (a * a) - 1 / (b * b)));
}

double rp_grain_size(const rp_grain_spec *grain, double part)
{
    switch (grain->sizes) {
    case RP_SIZES_NORMAL:
        return grain->diameter * (1 + grain->spread * cut_quantile(part));
    case RP_SIZES_LOGNORMAL:
        return grain->unit * rp_exp(grain->log_spread * cut_quantile(part));
    case RP_SIZES_SIEVE:
        return sieve_size(grain, part);
    default:
        return grain->diameter * (1 + grain->spread * (2 * part - 1));
    }
}

/* The mean of the size to a power. */
static double mean_power(const rp_grain_spec *grain, int power)
{
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double size = rp_grain_size(grain, (i + 0.5) / POINTS), product = size;
        for (int k = 1; k < power; k++)
            product *= size;
        sum += product;
    }
    return sum / POINTS;
}

void rp_grain_measure(rp_grain_spec *grain, double room)
{
    bool sieved = grain->sizes == RP_SIZES_SIEVE, open = !sieved && !(grain->diameter > 0);
    if (open) grain->diameter = 1;
    if (grain->sizes == RP_SIZES_LOGNORMAL) {
        grain->log_spread = sqrt(rp_ln(1 + grain->spread * grain->spread));
        grain->unit = 1;
        grain->unit = grain->diameter / mean_power(grain, 1);
    }
    if (open) {
        double scale = room / rp_grain_size(grain, 1);
        grain->diameter *= scale;
        grain->unit *= scale;
    }
    if (sieved) grain->diameter = mean_power(grain, 1);
    grain->smallest = rp_grain_size(grain, 0);
    grain->largest = rp_grain_size(grain, 1);
    grain->cube = sieved ? 1 / sieve_numbers(grain) : mean_power(grain, 3);
}
