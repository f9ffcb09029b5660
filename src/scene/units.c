#include "scene/units.h"
#include "math/vec.h"
#include "scene/words.h"

#include <stdio.h>
#include <string.h>

typedef struct named_unit {
    const char *name;
    rp_unit unit;
} named_unit;

/* name, {m, kg, s, rad, times, over} */
static const named_unit units[] = {
    {"m", {1, 0, 0, 0, 1, 1}},
    {"km", {1, 0, 0, 0, 1e3, 1}},
    {"cm", {1, 0, 0, 0, 1, 1e2}},
    {"mm", {1, 0, 0, 0, 1, 1e3}},
    {"um", {1, 0, 0, 0, 1, 1e6}},
    {"kg", {0, 1, 0, 0, 1, 1}},
    {"g", {0, 1, 0, 0, 1, 1e3}},
    {"mg", {0, 1, 0, 0, 1, 1e6}},
    {"t", {0, 1, 0, 0, 1e3, 1}},
    {"s", {0, 0, 1, 0, 1, 1}},
    {"ms", {0, 0, 1, 0, 1, 1e3}},
    {"us", {0, 0, 1, 0, 1, 1e6}},
    {"min", {0, 0, 1, 0, 60, 1}},
    {"h", {0, 0, 1, 0, 3600, 1}},
    {"Hz", {0, 0, -1, 0, 1, 1}},
    {"rad", {0, 0, 0, 1, 1, 1}},
    {"deg", {0, 0, 0, 1, RP_PI, 180}},
    {"turn", {0, 0, 0, 1, 2 * RP_PI, 1}},
    {"rpm", {0, 0, -1, 1, 2 * RP_PI, 60}},
    {"N", {1, 1, -2, 0, 1, 1}},
    {"kN", {1, 1, -2, 0, 1e3, 1}},
    {"mN", {1, 1, -2, 0, 1, 1e3}},
    {"Pa", {-1, 1, -2, 0, 1, 1}},
    {"kPa", {-1, 1, -2, 0, 1e3, 1}},
    {"MPa", {-1, 1, -2, 0, 1e6, 1}},
    {"GPa", {-1, 1, -2, 0, 1e9, 1}},
    {"J", {2, 1, -2, 0, 1, 1}},
    {"mJ", {2, 1, -2, 0, 1, 1e3}},
    {"W", {2, 1, -3, 0, 1, 1}},
    {"L", {3, 0, 0, 0, 1, 1e3}},
    {"%", {0, 0, 0, 0, 1, 1e2}},
};
#define UNIT_COUNT (sizeof units / sizeof units[0])

/* What messages offer; the first of each dimension is SI. */
static const char *const usual[] = {
    "m",   "cm",   "mm",   "um",   "km",   "kg",    "g",     "mg",    "t",     "s",     "ms",
    "us",  "min",  "h",    "1/s",  "Hz",   "rad",   "deg",   "turn",  "rad/s", "deg/s", "rpm",
    "m/s", "cm/s", "mm/s", "km/h", "m/s2", "cm/s2", "kg/m3", "g/cm3", "t/m3",  "kg/s",  "g/s",
    "N",   "kN",   "mN",   "Pa",   "kPa",  "MPa",   "GPa",   "N/m",   "J",     "W",     "Pa s",
    "m2",  "cm2",  "mm2",  "m3",   "cm3",  "L",     "m2/s",
};

static const struct {
    const char *unit, *name;
} dimensions[] = {
    {"", "a plain number"},
    {"m", "a length"},
    {"kg", "a mass"},
    {"s", "a time"},
    {"1/s", "a rate"},
    {"rad", "an angle"},
    {"rad/s", "a rate of turning"},
    {"m/s", "a speed"},
    {"m/s2", "an acceleration"},
    {"kg/m3", "a density"},
    {"kg/s", "a mass flow"},
    {"N", "a force"},
    {"Pa", "a pressure"},
    {"m2", "an area"},
    {"m3", "a volume"},
    {"J", "an energy or torque"},
};

static const rp_unit *find_unit(const char *name, size_t length)
{
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
            return &units[i].unit;
    /* the micro sign and the Greek letter, as they are typed */
    if (length > 2 && (memcmp(name, "\xc2\xb5", 2) == 0 || memcmp(name, "\xce\xbc", 2) == 0)) {
        if (length == 3 && name[2] == 'm') return find_unit("um", 2);
        if (length == 3 && name[2] == 's') return find_unit("us", 2);
    }
    return NULL;
}

static void multiply(rp_unit *unit, const rp_unit *factor, int power)
{
    int times = power < 0 ? -power : power;
    unit->length += power * factor->length;
    unit->mass += power * factor->mass;
    unit->time += power * factor->time;
    unit->angle += power * factor->angle;
    for (int i = 0; i < times; i++) {
        unit->times *= power > 0 ? factor->times : factor->over;
        unit->over *= power > 0 ? factor->over : factor->times;
    }
}

/* Reads "^2", "2", "-1" or nothing; moves `*at` behind it. 0 when there is nonsense. */
static int read_power(const char **at)
{
    const char *c = *at;
    bool raised = *c == '^';
    if (raised) c++;
    int sign = *c == '-' ? -1 : 1;
    if (*c == '-') c++;
    if (*c < '0' || *c > '9') return raised || sign < 0 ? 0 : 1;
    if (*c == '0' || (c[1] >= '0' && c[1] <= '9') || *c > '4') return 0;
    *at = c + 1;
    return sign * (*c - '0');
}

static bool fail_at(const char *start, char *unknown, size_t size)
{
    size_t length = strcspn(start, " */^");
    if (unknown) snprintf(unknown, size, "%.*s", (int)(length ? length : strlen(start)), start);
    return false;
}

bool rp_unit_parse(const char *text, rp_unit *unit, char *unknown, size_t size)
{
    *unit = (rp_unit){.times = 1, .over = 1};
    const char *at = text;
    bool below = false; /* behind a slash */
    while (*at == ' ')
        at++;
    while (*at) {
        const char *start = at;
        size_t length = strcspn(at, " */^-0123456789");
        if (length == 0 && *at == '1' && at[1] == '/') {
            at++;
        } else {
            const rp_unit *factor = length ? find_unit(at, length) : NULL;
            if (!factor) return fail_at(start, unknown, size);
            at += length;
            int power = read_power(&at);
            if (!power) return fail_at(start, unknown, size);
            multiply(unit, factor, below ? -power : power);
        }
        /* "kg/m s" would leave open what is below: a slash holds for one factor */
        below = false;
        while (*at == ' ' || *at == '*' || *at == '/') {
            if (*at == '/' && below) return fail_at(start, unknown, size);
            below |= *at == '/';
            at++;
            if (!*at) return fail_at(start, unknown, size);
        }
    }
    return true;
}

bool rp_unit_same_dimension(const rp_unit *a, const rp_unit *b)
{
    return a->length == b->length && a->mass == b->mass && a->time == b->time &&
           a->angle == b->angle;
}

double rp_unit_to_si(const rp_unit *unit, double value)
{
    return value * unit->times / unit->over;
}

void rp_unit_list(const rp_unit *unit, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        rp_unit other;
        if (!rp_unit_parse(usual[i], &other, NULL, 0) || !rp_unit_same_dimension(unit, &other))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", usual[i]);
        if (used >= size) return;
    }
}

const char *rp_unit_dimension(const rp_unit *unit)
{
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        rp_unit other;
        if (rp_unit_parse(dimensions[i].unit, &other, NULL, 0) &&
            rp_unit_same_dimension(unit, &other))
            return dimensions[i].name;
    }
    return "another quantity";
}

void rp_unit_hint(const char *wrong, char *text, size_t size)
{
    rp_nearest nearest = rp_nearest_to(wrong);
    for (size_t i = 0; i < UNIT_COUNT; i++)
        rp_nearest_try(&nearest, units[i].name, strlen(units[i].name));
    rp_nearest_hint(&nearest, text, size);
}

void rp_unit_help(void (*line)(void *user, const char *line), void *user)
{
    for (size_t i = 1; i < sizeof dimensions / sizeof dimensions[0]; i++) { /* from lengths on */
        char list[256], text[320];
        rp_unit unit;
        if (!rp_unit_parse(dimensions[i].unit, &unit, NULL, 0)) continue;
        rp_unit_list(&unit, list, sizeof list);
        snprintf(text, sizeof text, "%-18s %s", dimensions[i].name, list);
        line(user, text);
    }
}
