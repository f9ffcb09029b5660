/* Lists of words such as "fixed|keys|dynamic", spelling suggestions, and numbers with units. */
#include "document/words.h"
#include "base/text.h"
#include "document/words.h"
#include "math/vec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------------------ */

#define LENGTH_MAX 60 /* longer words get no suggestion */

int rp_words_find(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; length; index++) {
        size_t size = strcspn(words, "|");
        if (size == length && memcmp(words, word, length) == 0) return index;
        if (!words[size]) break;
        words += size + 1;
    }
    return -1;
}

int rp_words_count(const char *words)
{
    int count = *words != 0;
    for (; *words; words++)
        count += *words == '|';
    return count;
}

void rp_words_at(const char *words, int index, char *text, size_t size)
{
    while (index-- > 0)
        words += strcspn(words, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

void rp_words_list(const char *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < rp_words_count(words) && used < size; i++) {
        char word[64];
        rp_words_at(words, i, word, sizeof word);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", word);
    }
}

bool rp_words_alias(const char *spellings, const char *word, char *text, size_t size)
{
    for (int i = 0; i < rp_words_count(spellings); i++) {
        char pair[64];
        rp_words_at(spellings, i, pair, sizeof pair);
        char *meant = strchr(pair, '=');
        if (!meant) continue;
        *meant++ = 0;
        if (strcmp(pair, word) != 0) continue;
        snprintf(text, size, "%s", meant);
        return true;
    }
    return false;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Edit distance with insertions, deletions, substitutions and swaps of neighbors (optimal string
 * alignment; three rows of the table suffice), ignoring case. */
static int edits_between(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LENGTH_MAX + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= b_length; j++)
        last[j] = j;
    for (int i = 1; i <= a_length; i++) {
        now[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(last[j] + 1, least(now[j - 1] + 1, last[j - 1] + (x != y)));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

/* Synonyms that other programs and everyday language use for words of scenes. */
static const char *const meanings[][2] = {
    {"box", "cube|cuboid|brick|rectangle|rect|square"},
    {"sphere", "ball|globe|point"},
    {"cylinder", "tube|pipe|rod|disc|disk"},
    {"plane", "ground|floor|halfspace|half-space|wall"},
    {"funnel", "hopper"},
    {"mesh", "file|obj|stl|model|trimesh"},
    {"fixed", "static|none|rigid|still|no|immovable|anchored"},
    {"keys", "kinematic|animated|keyframes|keyframed|scripted|moving|path|animation"},
    {"dynamic", "free|movable|active|yes|simulated|rigid"},
    {"low", "min|minimum|lower|from|mins|start"},
    {"high", "max|maximum|upper|to|maxs|end"},
    {"position", "pos|center|centre|origin|location|translate|translation|place|xyz|at|corner"},
    {"rotation", "orientation|rotate|euler|angles|turn|rot"},
    {"size", "dimensions|extents|extent|edges|lengths|scale|width"},
    {"radius", "r|diameter"},
    {"height", "h|length|depth"},
    {"velocity", "vel|v|speed|initial_velocity"},
    {"speed", "velocity|v"},
    {"spin", "omega|angular_velocity|rotation_rate|w"},
    {"density", "rho|bulk_density"},
    {"grain_density", "rho_s|particle_density|solid_density"},
    {"mass", "m|weight"},
    {"angle", "angle_of_repose|repose|friction_angle|phi|internal_friction"},
    {"dynamic_angle", "mu_2|mu2|dynamic_friction|dynamic_friction_angle|limiting_angle"},
    {"inertial_number", "I0|I_0|inertia_number|inertial"},
    {"grain_diameter", "grain_size|particle_diameter|d_s|diameter"},
    {"friction", "mu|friction_coefficient|coefficient"},
    {"restitution", "e|bounce|bounciness|elasticity|cor"},
    {"rolling_friction", "rolling_resistance|mu_r|rolling"},
    {"young", "E|youngs_modulus|young_modulus|stiffness|modulus|elastic_modulus"},
    {"poisson", "nu|poissons_ratio|poisson_ratio"},
    {"cohesion", "c|stickiness|tensile_strength"},
    {"colour", "color|tint|rgb"},
    {"spacing", "diameter|grain_size|particle_size|resolution|size|d|dx|h|radius"},
    {"step", "dt|timestep|time_step|delta_t"},
    {"max_step", "dt_max|max_dt"},
    {"duration", "end|stop|length|total|t_end|end_time|time|until"},
    {"frame_rate", "fps|frames_per_second|rate|output_interval|frames"},
    {"start", "begin|from"},
    {"stop", "end|until"},
    {"direction", "dir|normal|axis"},
    {"rate", "flow|flux|mass_flow|flow_rate"},
    {"bodies", "objects|obstacles|rigid_bodies|solids|rigids|colliders"},
    {"sources", "fluid|blocks|sand|fill|volumes|initial"},
    {"emitters", "inflow|inflows|nozzles|streams|inlets|inlet"},
    {"domain", "bounds|box|container|world|boundary|boundaries|walls|region"},
    {"particles", "particle"},
    {"time", "simulation|sim|run"},
    {"materials", "material"},
    {"solver", "method|engine|physics"},
    {"cameras", "camera|view|views"},
    {"joints", "constraints|hinges|joint"},
    {"frictional", "sph|granular"},
    {"dem", "discrete|discrete-elements|discrete_elements|single"},
    {"grey", "gray|silver"},
    {"sand", "beige|tan|yellowish"},
    {"hinge", "revolute|pivot"},
    {"slider", "prismatic|rail"},
    {"ball", "spherical|socket"},
    {"draft", "low|fast|preview"},
    {"final", "high|best|production"},
    {"good", "medium|normal|default"},
};

/* True when `word` is a known synonym of the candidate. */
static bool is_meant(const char *word, const char *candidate, size_t length)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strlen(meanings[i][0]) == length && memcmp(meanings[i][0], candidate, length) == 0)
            return rp_words_find(meanings[i][1], word) >= 0;
    return false;
}

rp_nearest rp_nearest_to(const char *wrong)
{
    int length = (int)strnlen(wrong, LENGTH_MAX + 1);
    /* with more edits it is a different word */
    return (rp_nearest){.wrong = wrong, .edits = length / 3 + 2};
}

void rp_nearest_try(rp_nearest *nearest, const char *candidate, size_t length)
{
    size_t wrong_length = strnlen(nearest->wrong, LENGTH_MAX + 1);
    if (length > LENGTH_MAX || wrong_length > LENGTH_MAX || !length || !wrong_length) return;
    int edits = edits_between(nearest->wrong, (int)wrong_length, candidate, (int)length);
    /* A typing error is likelier than a synonym, and a synonym than a resemblance. */
    bool meant = edits > 1 && is_meant(nearest->wrong, candidate, length);
    if (meant) edits = 1;
    /* not when hardly a letter agrees */
    bool alike = meant || (size_t)edits < (length > wrong_length ? length : wrong_length);
    if (edits >= nearest->edits || !alike) return;
    nearest->edits = edits;
    nearest->found = true;
    snprintf(nearest->best, sizeof nearest->best, "%.*s", (int)length, candidate);
}

void rp_nearest_try_words(rp_nearest *nearest, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, "|");
        rp_nearest_try(nearest, words, length);
        words += length + (words[length] == '|');
    }
}

bool rp_word_suggest(const char *word, const char *const *known, int count, char *text, size_t size)
{
    if (text && size) text[0] = 0;
    if (!word || !known || !text) return false;
    rp_nearest nearest = rp_nearest_to(word);
    for (int i = 0; i < count; i++)
        if (known[i]) rp_nearest_try(&nearest, known[i], strlen(known[i]));
    if (nearest.found) snprintf(text, size, "%s", nearest.best);
    return nearest.found;
}

void rp_nearest_hint(const rp_nearest *nearest, char *text, size_t size)
{
    text[0] = 0;
    if (nearest->found) snprintf(text, size, "; did you mean '%s'?", nearest->best);
}

/* --- units ------------------------------------------------------------------------------------ */

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
    {"in", {1, 0, 0, 0, 254, 1e4}},
    {"ft", {1, 0, 0, 0, 3048, 1e4}},
    {"kg", {0, 1, 0, 0, 1, 1}},
    {"g", {0, 1, 0, 0, 1, 1e3}},
    {"mg", {0, 1, 0, 0, 1, 1e6}},
    {"t", {0, 1, 0, 0, 1e3, 1}},
    {"lb", {0, 1, 0, 0, 45359237, 1e8}},
    {"s", {0, 0, 1, 0, 1, 1}},
    {"ms", {0, 0, 1, 0, 1, 1e3}},
    {"us", {0, 0, 1, 0, 1, 1e6}},
    {"min", {0, 0, 1, 0, 60, 1}},
    {"h", {0, 0, 1, 0, 3600, 1}},
    {"Hz", {0, 0, -1, 0, 1, 1}},
    {"rad", {0, 0, 0, 1, 1, 1}},
    {"deg", {0, 0, 0, 1, RP_PI, 180}},
    {"\xc2\xb0", {0, 0, 0, 1, RP_PI, 180}}, /* the degree sign */
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

/* Spelled-out units, each with its symbol. */
static const char spelled_out[] =
    "metre=m|metres=m|meter=m|meters=m|kilometre=km|kilometer=km|centimetre=cm|centimeter=cm|"
    "millimetre=mm|millimeter=mm|micron=um|inch=in|inches=in|foot=ft|feet=ft|gram=g|grams=g|"
    "kilogram=kg|kilograms=kg|ton=t|tonne=t|tonnes=t|pound=lb|pounds=lb|lbs=lb|second=s|seconds=s|"
    "sec=s|minute=min|minutes=min|hour=h|hours=h|hertz=Hz|degree=deg|degrees=deg|radian=rad|"
    "radians=rad|turns=turn|newton=N|newtons=N|pascal=Pa|joule=J|watt=W|litre=L|liter=L|l=L";

/* Units that messages offer; the first of each dimension is SI. */
static const char *const usual[] = {
    "m",     "cm",    "mm",    "um",   "km",  "in",   "ft",   "kg",   "g",    "mg",    "t",
    "lb",    "s",     "ms",    "us",   "min", "h",    "1/s",  "Hz",   "rad",  "deg",   "°",
    "turn",  "rad/s", "deg/s", "rpm",  "m/s", "cm/s", "mm/s", "km/h", "m/s2", "cm/s2", "kg/m3",
    "g/cm3", "t/m3",  "kg/s",  "g/s",  "N",   "kN",   "mN",   "Pa",   "kPa",  "MPa",   "GPa",
    "N/m",   "J",     "W",     "Pa s", "m2",  "cm2",  "mm2",  "m3",   "cm3",  "L",     "m2/s",
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
    char word[16], meant[64];
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
            return &units[i].unit;
    /* the micro sign and the Greek letter mu */
    if (length > 2 && (memcmp(name, "\xc2\xb5", 2) == 0 || memcmp(name, "\xce\xbc", 2) == 0)) {
        if (length == 3 && name[2] == 'm') return find_unit("um", 2);
        if (length == 3 && name[2] == 's') return find_unit("us", 2);
    }
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (length >= sizeof word || !rp_words_alias(spelled_out, word, meant, sizeof meant))
        return NULL;
    return find_unit(meant, strlen(meant));
}

/* Multiplies a unit by a power of another: exponents of dimensions add up, factors multiply. */
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

/* Reads the exponent of a unit, such as "^2", "2" or "-1", and moves `*at` behind it; without one
 * it is 1. It has one digit, from 1 to 4; otherwise it is invalid, and 0 is returned. */
static int read_power(const char **at)
{
    const char *c = *at;
    bool raised = *c == '^';
    if (raised) c++;
    int sign = *c == '-' ? -1 : 1;
    if (*c == '-') c++;
    if (*c < '0' || *c > '9') return raised || sign < 0 ? 0 : 1; /* no digit */
    bool two_digits = c[1] >= '0' && c[1] <= '9';
    if (*c == '0' || two_digits || *c > '4') return 0;
    *at = c + 1;
    return sign * (*c - '0');
}

static bool fail_at(const char *start, char *unknown, size_t size)
{
    size_t length = strcspn(start, " */^");
    if (unknown) snprintf(unknown, size, "%.*s", (int)(length ? length : strlen(start)), start);
    return false;
}

/* Reads factors one by one: a unit, its exponent, and a blank, a star or a slash before the next.
 */
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
        /* a slash applies to one factor only: "kg/m s" is kg s/m, never ambiguous */
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

double rp_unit_number_at(const char *text, const char **end)
{
    const char *c = text + (text[0] == '+' || text[0] == '-');
    double sign = text[0] == '-' ? -1 : 1;
    static const char *const infinities[] = {"inf", ".inf", ".Inf", "infinity"};
    static const char *const no_numbers[] = {"nan", ".nan", ".NaN", "NaN"};
    for (int i = 0; i < 4; i++) {
        *end = text + strlen(text);
        if (strcmp(c, infinities[i]) == 0) return sign * HUGE_VAL;
        if (strcmp(c, no_numbers[i]) == 0) return nan("");
    }
    *end = text;
    const char *digit = c + (*c == '.');
    if (*digit < '0' || *digit > '9' || (c[0] == '0' && (c[1] | 0x20) == 'x')) return 0;
    char *stop;
    double value = rp_locale_number(text, &stop);
    *end = stop;
    return isinf(value) ? nan("") : value; /* an overflow is not an infinity */
}

bool rp_unit_after_number(const char *text, const char *shown, const rp_unit *wanted, rp_unit *unit,
                          char *problem, size_t size)
{
    char unknown[64], allowed[256], hint[96];
    *unit = *wanted;
    while (*text == ' ')
        text++;
    if (!text[0]) return true;
    rp_unit_list(wanted, allowed, sizeof allowed);
    if (!rp_unit_parse(text, unit, unknown, sizeof unknown)) {
        rp_unit_hint(unknown, hint, sizeof hint);
        snprintf(problem, size, "in %s, '%s' is not a unit%s%s%s", shown, unknown, hint,
                 allowed[0] ? "; allowed here: " : "; a plain number is wanted", allowed);
        return false;
    }
    if (rp_unit_same_dimension(unit, wanted)) return true;
    snprintf(problem, size, "%s is %s, but %s is wanted%s%s", shown, rp_unit_dimension(unit),
             rp_unit_dimension(wanted), allowed[0] ? "; allowed units: " : ", without a unit",
             allowed);
    return false;
}

bool rp_quantity_parse(const char *text, const char *unit_text, double *value, char *problem,
                       size_t size)
{
    if (problem && size) problem[0] = 0;
    if (!text || !unit_text || !value || (!problem && size)) return false;
    char shown[64];
    rp_unit wanted, unit;
    const char *end;
    snprintf(shown, sizeof shown, "'%.56s'", text);
    if (!rp_unit_parse(unit_text, &wanted, NULL, 0)) {
        snprintf(problem, size, "there is no unit '%s'", unit_text);
        return false;
    }
    while (*text == ' ')
        text++;
    double number = rp_unit_number_at(text, &end);
    if (end == text || isnan(number)) {
        snprintf(problem, size, "%s is not a number", shown);
        return false;
    }
    if (!rp_unit_after_number(end, shown, &wanted, &unit, problem, size)) return false;
    *value = rp_unit_to_si(&unit, number);
    return true;
}

void rp_unit_help(rp_line_fn *line, void *user)
{
    if (!line) return;
    for (size_t i = 1; i < sizeof dimensions / sizeof dimensions[0]; i++) { /* from lengths on */
        char list[256], text[320];
        rp_unit unit;
        if (!rp_unit_parse(dimensions[i].unit, &unit, NULL, 0)) continue;
        rp_unit_list(&unit, list, sizeof list);
        snprintf(text, sizeof text, "%-18s %s", dimensions[i].name, list);
        line(user, text);
    }
}
