#include "picture/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1e290   /* powers of ten are still finite */
#define SAME 1e-9       /* of the larger end: below this, two ends are one number */
#define SLACK 1e-9      /* of a step: 0.3 counts as a multiple of 0.1 */
#define SHORT 6         /* letters up to which a number is written without its power of ten */
#define DIGITS_OF_ONE 4 /* of a tick that stands alone */
#define DIGITS_MOST 15  /* of all that is written out */

/* A decimal number without rounding: `digits` times ten to the `power`. */
typedef struct decimal {
    int64_t digits;
    int power;
} decimal;

static double decimal_value(decimal d)
{
    /* Dividing gives the double nearest to 0.3; multiplying by 0.1 would not. */
    return d.power < 0 ? (double)d.digits / pow(10, -d.power) : (double)d.digits * pow(10, d.power);
}

static int64_t power_of_ten(int power)
{
    int64_t value = 1;
    for (int i = 0; i < power; i++)
        value *= 10;
    return value;
}

/* The power of ten of the first digit. */
static int decimal_magnitude(decimal d)
{
    int magnitude = d.power;
    for (int64_t rest = llabs(d.digits); rest >= 10; rest /= 10)
        magnitude++;
    return magnitude;
}

/* Writes the number in units of ten to the `unit`; the caller sees to it that it is short. */
static void decimal_write(decimal d, int unit, char text[32])
{
    int places = unit - d.power; /* behind the point */
    uint64_t digits = (uint64_t)llabs(d.digits);
    if (places < 0) digits *= (uint64_t)power_of_ten(-places);
    uint64_t one = places > 0 ? (uint64_t)power_of_ten(places) : 1;
    int length =
        snprintf(text, 32, "%s%llu", d.digits < 0 ? "-" : "", (unsigned long long)(digits / one));
    if (digits % one != 0) {
        length += snprintf(text + length, 32 - (size_t)length, ".%0*llu", places,
                           (unsigned long long)(digits % one));
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    if (unit != 0 && digits != 0) snprintf(text + length, 32 - (size_t)length, "e%d", unit);
}

static size_t longest_text(const decimal *numbers, int count, int unit)
{
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
        char text[32];
        decimal_write(numbers[i], unit, text);
        if (strlen(text) > longest) longest = strlen(text);
    }
    return longest;
}

/* All ticks of a scale share one power of ten: 0.5e6 next to 1e6, not 500000. */
static int common_unit(const decimal *numbers, int count)
{
    int unit = decimal_magnitude(numbers[0]);
    for (int i = 1; i < count; i++)
        if (numbers[i].digits != 0 && decimal_magnitude(numbers[i]) > unit)
            unit = decimal_magnitude(numbers[i]);
    if (unit >= DIGITS_MOST || numbers[0].power <= -DIGITS_MOST) return unit;
    size_t plain = longest_text(numbers, count, 0);
    return plain <= SHORT || plain <= longest_text(numbers, count, unit) ? 0 : unit;
}

static void first_and_last(double low, double high, decimal step, double *first, double *last)
{
    *first = ceil(low / decimal_value(step) - SLACK);
    *last = floor(high / decimal_value(step) + SLACK);
}

static decimal round_step(double low, double high, int wanted)
{
    static const int64_t rounds[3] = {5, 2, 1};
    int magnitude = (int)floor(log10(high - low));
    decimal best = {1, magnitude};
    double least = INFINITY;
    for (int power = magnitude; power >= magnitude - 1; power--)
        for (int i = 0; i < 3; i++) {
            decimal step = {rounds[i], power};
            double first, last;
            first_and_last(low, high, step, &first, &last);
            double off = fabs(last - first + 1 - wanted);
            if (off > least) continue; /* of two that are equally far off, the finer one */
            least = off;
            best = step;
        }
    return best;
}

static decimal rounded(double value)
{
    if (fabs(value) < 1 / LARGEST) return (decimal){0, 0};
    int power = (int)floor(log10(fabs(value))) - DIGITS_OF_ONE + 1;
    double digits = power < 0 ? value * pow(10, -power) : value / pow(10, power);
    return (decimal){llround(digits), power};
}

int rp_ticks(double low, double high, int wanted, rp_tick ticks[RP_TICKS_MAX])
{
    if (!(low <= high && fabs(low) < LARGEST && fabs(high) < LARGEST)) return 0;
    decimal numbers[RP_TICKS_MAX];
    int count = 0;
    double span = high - low, largest = fmax(fabs(low), fabs(high));
    bool one = span < 1 / LARGEST || span < SAME * largest;
    if (one) {
        numbers[count++] = rounded(low / 2 + high / 2);
    } else {
        decimal step = round_step(low, high, wanted);
        double first, last;
        first_and_last(low, high, step, &first, &last);
        for (double k = first; k <= last && count < RP_TICKS_MAX; k++)
            numbers[count++] = (decimal){(int64_t)k * step.digits, step.power};
    }
    int unit = common_unit(numbers, count);
    for (int i = 0; i < count; i++) {
        ticks[i].value = decimal_value(numbers[i]);
        ticks[i].place = one ? 0.5 : fmin(1, fmax(0, (ticks[i].value - low) / span));
        decimal_write(numbers[i], unit, ticks[i].text);
    }
    return count;
}
