/* Floats as short decimal texts that read back as the same float.
 *
 * A float has 24 significant bits. A text reads back as the same float when its value is nearer to
 * it than half the distance to the next float, which is at least 2^-25 = 3e-8 of the value. Nine
 * digits are always enough: half a unit of the ninth digit is at most 5e-9 of the value. Seven
 * digits often are, and they are what a person would write: 0.1, not 0.100000001. So the value is
 * scaled to nine digits before the point; then the number is rounded to seven, eight or nine
 * digits, whichever is the first that is near enough.
 *
 * Doubles suffice: their rounding errors of 1e-16 are nothing against the margin of 3e-8. */
#include "export/digits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define POWERS_TOP 22

/* Returns value * 10^exponent. The exponent is up to 53 for the smallest float; powers beyond 10^22
 * are no exact doubles, so the scaling is done in steps. */
static double scale(double value, int exponent)
{
    bool up = exponent > 0;
    int left = up ? exponent : -exponent;
    for (; left > POWERS_TOP; left -= POWERS_TOP)
        value = up ? value * powers[POWERS_TOP] : value / powers[POWERS_TOP];
    return up ? value * powers[left] : value / powers[left];
}

/* The decimal exponent of the value from its binary one, times log10(2): exact, or one too small.
 */
static int guess_exponent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int binary = (int)(bits >> 52) - 1023;
    return (int)floor(binary * 0.30102999566398120);
}

/* The value is digits * 10^(exponent - 8) with nine digits, those at the end perhaps zero. */
struct decimal {
    uint32_t digits; /* 100000000 to 999999999 */
    int exponent;
};

/* Half the relative distance to the nearest other float, slightly less than 2^-25 = 2.98e-8. */
#define NEAR_ENOUGH 2.9e-8

static struct decimal find_decimal(double value)
{
    int exponent = guess_exponent(value);
    double scaled = scale(value, 8 - exponent);
    if (scaled >= 999999999.5) scaled = scale(value, 8 - ++exponent); /* the estimate was low */
    uint32_t digits = (uint32_t)(scaled + 0.5);
    double near = scaled * NEAR_ENOUGH;
    /* Seven digits and two zeros, else eight and one, where that is near enough. */
    uint32_t seven = (digits + 50) / 100 * 100, eight = (digits + 5) / 10 * 10;
    if (fabs(seven - scaled) < near)
        digits = seven;
    else if (fabs(eight - scaled) < near)
        digits = eight;
    /* Rounding up may have carried into a tenth digit. */
    if (digits < 1000000000) return (struct decimal){digits, exponent};
    return (struct decimal){digits / 10, exponent + 1};
}

/* Writes nine digits; returns how many there are without trailing zeros, one at least. */
static int write_nine(char *text, uint32_t digits)
{
    for (int i = 8; i >= 0; i--, digits /= 10)
        text[i] = (char)('0' + digits % 10);
    int count = 9;
    while (count > 1 && text[count - 1] == '0')
        count--;
    return count;
}

/* Plain notation. All nine digits are copied at once, also those beyond `count`, which the next
 * write overwrites: a fixed size is faster. */
static size_t write_plain(char *text, const char *digits, int count, int exponent)
{
    size_t length = 0;
    if (exponent < 0) {
        memcpy(text, "0.00000000", 10);
        length = (size_t)(1 - exponent);
        memcpy(text + length, digits, 9);
        return length + (size_t)count;
    }
    size_t whole = (size_t)exponent + 1;
    memcpy(text, digits, 9);
    if ((size_t)count <= whole) return whole;
    text[whole] = '.';
    memcpy(text + whole + 1, digits + whole, 9 - whole);
    return (size_t)count + 1;
}

/* Scientific notation. */
static size_t write_scientific(char *text, const char *digits, int count, int exponent)
{
    size_t length = 0;
    text[length++] = digits[0];
    if (count > 1) {
        text[length++] = '.';
        memcpy(text + length, digits + 1, (size_t)count - 1);
        length += (size_t)count - 1;
    }
    text[length++] = 'e';
    text[length++] = exponent < 0 ? '-' : '+';
    int size = exponent < 0 ? -exponent : exponent;
    text[length++] = (char)('0' + size / 10);
    text[length++] = (char)('0' + size % 10);
    return length;
}

static size_t write_word(char *text, const char *word)
{
    size_t length = strlen(word);
    memcpy(text, word, length);
    return length;
}

size_t rp_digits_f32(char *text, float value)
{
    if (isnan(value)) return write_word(text, "nan");
    size_t sign = signbit(value) ? 1 : 0;
    if (sign) *text++ = '-';
    if (isinf(value)) return sign + write_word(text, "inf");
    if (value == 0) return sign + write_word(text, "0");
    struct decimal decimal = find_decimal(fabs((double)value));
    char digits[16];
    int count = write_nine(digits, decimal.digits);
    bool plain = decimal.exponent >= -5 && decimal.exponent <= 8;
    return sign + (plain ? write_plain : write_scientific)(text, digits, count, decimal.exponent);
}

size_t rp_digits_u64(char *text, uint64_t value)
{
    char backward[RP_DIGITS_MAX];
    size_t length = 0;
    do {
        backward[length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < length; i++)
        text[i] = backward[length - 1 - i];
    return length;
}
