#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const option_spec *find_option(const verb *v, const char *argument, size_t length)
{
    for (int i = 0; i < v->spec_count; i++) {
        const option_spec *spec = &v->specs[i];
        if (strlen(spec->name) == length && memcmp(spec->name, argument, length) == 0) return spec;
        if (spec->alias && strlen(spec->alias) == length &&
            memcmp(spec->alias, argument, length) == 0)
            return spec;
    }
    return NULL;
}

static bool unknown_option(const verb *v, const char *argument)
{
    const char *names[64];
    for (int i = 0; i < v->spec_count; i++)
        names[i] = v->specs[i].name;
    say_unknown(v, "unknown option", argument, names, v->spec_count);
    return false;
}

static bool read_setting(const verb *v, const char *text, options *out)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        say_usage(v, "--set %s: write it as --set key.path=value", text);
        return false;
    }
    if (out->setting_count == SETTINGS_MAX) {
        say_usage(v, "more than %d --set options; put them into a scene file", SETTINGS_MAX);
        return false;
    }
    char *key = strdup(text);
    if (!key) return false;
    key[equals - text] = 0;
    out->setting_texts[out->setting_count] = key;
    out->settings[out->setting_count++] = (rp_setting){key, key + (equals - text) + 1};
    return true;
}

static bool read_count(const verb *v, const option_spec *spec, const char *text, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && !*end && !errno && *value >= 0) return true;
    say_usage(v, "%s %s: a whole number, 0 or more, is wanted", spec->name, text);
    return false;
}

/* The decimal number at the start of a text; the program never sets a locale. */
static double number_at(const char *text, const char **end)
{
    char *behind;
    double value = strtod(text, &behind);
    bool plain = text + strcspn(text, "xX") >= behind;
    *end = plain ? behind : text;
    return value;
}

static bool read_real(const verb *v, const option_spec *spec, const char *text, double *value)
{
    const char *end;
    *value = number_at(text, &end);
    if (end != text && !*end && isfinite(*value)) return true;
    say_usage(v, "%s %s: a number is wanted", spec->name, text);
    return false;
}

static bool read_bytes(const verb *v, const option_spec *spec, const char *text, long long *value)
{
    static const struct {
        const char *name;
        double megabytes;
    } units[] = {{"", 1}, {"kB", 1e-3}, {"MB", 1}, {"GB", 1e3}, {"TB", 1e6}};
    const char *end;
    double number = number_at(text, &end);
    bool good = end != text && number >= 0 && number < 1e12;
    while (*end == ' ')
        end++;
    for (size_t i = 0; good && i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(end, units[i].name) != 0) continue;
        *value = (long long)ceil(number * units[i].megabytes);
        return true;
    }
    say_usage(v, "%s %s: a number of MB is wanted, or one such as 4GB", spec->name, text);
    return false;
}

static bool read_value(const verb *v, const option_spec *spec, const char *text, options *out)
{
    char *place = (char *)out + spec->offset;
    switch (spec->kind) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return true;
    case OPTION_COUNT:
        return read_count(v, spec, text, (long long *)place);
    case OPTION_REAL:
        return read_real(v, spec, text, (double *)place);
    case OPTION_BYTES:
        return read_bytes(v, spec, text, (long long *)place);
    case OPTION_TEXT:
        *(const char **)place = text;
        return true;
    case OPTION_SET:
        return read_setting(v, text, out);
    }
    return false;
}

/* One option with its value, which may follow as "=value" or as the next argument. Gives the number
 * of arguments used, 0 after a mistake. */
static int read_option(const verb *v, int left, char **arguments, options *out)
{
    const char *argument = arguments[0];
    const char *equals = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const option_spec *spec = find_option(v, argument, length);
    if (!spec) return unknown_option(v, argument);
    if (spec->kind == OPTION_FLAG) {
        if (equals) {
            say_usage(v, "%s takes no value", spec->name);
            return 0;
        }
        return read_value(v, spec, NULL, out);
    }
    if (equals) return read_value(v, spec, equals + 1, out);
    if (left < 2) {
        say_usage(v, "%s wants %s behind it", spec->name, spec->value);
        return 0;
    }
    return read_value(v, spec, arguments[1], out) ? 2 : 0;
}

static bool check_words(const verb *v, const options *o)
{
    if (o->word_count < v->min_words)
        say_usage(v, "something is missing: %s", v->words);
    else if (o->word_count > v->max_words)
        say_usage(v, "'%s' is one word too many", o->words[v->max_words]);
    else
        return true;
    return false;
}

static const options none = {.frames = -1, .samples = -1, .grain_size = NAN, .fps = NAN};

bool options_read(const verb *v, int argc, char **argv, options *out)
{
    *out = none;
    bool only_words = false;
    for (int i = 0; i < argc;) {
        const char *argument = argv[i];
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
            i++;
        } else if (!only_words && argument[0] == '-' && argument[1]) {
            int used = read_option(v, argc - i, argv + i, out);
            if (!used) return false;
            i += used;
        } else if (out->word_count == WORDS_MAX) {
            say_usage(v, "more than %d words", WORDS_MAX);
            return false;
        } else {
            out->words[out->word_count++] = argument;
            i++;
        }
    }
    return check_words(v, out);
}

rp_code read_quantity(const char *option, const char *text, const char *unit, double *value,
                      rp_report *report)
{
    char problem[512];
    if (!rp_quantity_parse(text, unit, value, problem, sizeof problem))
        return fail(report, RP_ERROR_INPUT, "%s %s: %s", option, text, problem);
    if (isfinite(*value)) return RP_OK;
    return fail(report, RP_ERROR_INPUT, "%s %s: a finite number is wanted", option, text);
}

void options_release(options *o)
{
    for (int i = 0; i < o->setting_count; i++)
        free(o->setting_texts[i]);
}

/* --- options that a run folder keeps ---------------------------------------------------------- */

/* All but what belongs to the place, the machine or the moment. */
static bool is_lasting(const option_spec *spec)
{
    static const char *const passing[] = {"--output", "--threads",   "--memory", "--set",
                                          "--resume", "--overwrite", "--quiet",  "--json"};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (strcmp(spec->name, passing[i]) == 0) return false;
    return true;
}

static size_t value_size(option_kind kind)
{
    switch (kind) {
    case OPTION_FLAG:
        return sizeof(bool);
    case OPTION_COUNT:
    case OPTION_BYTES:
        return sizeof(long long);
    case OPTION_REAL:
        return sizeof(double);
    case OPTION_TEXT:
        return sizeof(const char *);
    case OPTION_SET:
        return 0;
    }
    return 0;
}

static bool is_given(const option_spec *spec, const options *o)
{
    size_t size = value_size(spec->kind);
    return memcmp((const char *)o + spec->offset, (const char *)&none + spec->offset, size) != 0;
}

static void print_option(FILE *file, const option_spec *spec, const options *o)
{
    const void *value = (const char *)o + spec->offset;
    fputs(spec->name, file);
    if (spec->kind == OPTION_COUNT) fprintf(file, "=%lld", *(const long long *)value);
    if (spec->kind == OPTION_REAL) fprintf(file, "=%.17g", *(const double *)value);
    if (spec->kind == OPTION_TEXT) fprintf(file, "=%s", *(const char *const *)value);
    fputc('\n', file);
}

char *options_text(const verb *v, const options *o)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) return NULL;
    for (int i = 0; i < v->spec_count; i++)
        if (is_lasting(&v->specs[i]) && is_given(&v->specs[i], o))
            print_option(file, &v->specs[i], o);
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}

bool options_add_text(const verb *v, char *text, options *o)
{
    options kept = none;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const option_spec *spec = find_option(v, line, strcspn(line, "="));
        if (!spec || !is_lasting(spec)) continue; /* of another version */
        if (!read_option(v, 1, &line, &kept)) return false;
    }
    for (int i = 0; i < v->spec_count; i++) {
        const option_spec *spec = &v->specs[i];
        if (is_given(spec, o) || !is_lasting(spec)) continue;
        memcpy((char *)o + spec->offset, (const char *)&kept + spec->offset,
               value_size(spec->kind));
    }
    return true;
}
