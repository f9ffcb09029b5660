/* Options: reading them from the command line, writing them to a run folder and back, and those
 * that all verbs which render pictures have in common. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- reading ---------------------------------------------------------------------------------- */

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
    print_unknown_word(v, "unknown option", argument, names, v->spec_count);
    return false;
}

static bool read_setting(const verb *v, const char *text, options *out)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        print_usage_error(v, "--set %s: write it as --set key.path=value", text);
        return false;
    }
    if (out->setting_count == SETTINGS_MAX) {
        print_usage_error(v, "more than %d --set options; put them into a scene file",
                          SETTINGS_MAX);
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
    print_usage_error(v, "%s %s: expected a whole number, 0 or more", spec->name, text);
    return false;
}

/* Reads the decimal number at the start of a text. The program never sets a locale, so that the
 * decimal separator is a point; hexadecimal numbers are refused. */
static double number_at(const char *text, const char **end)
{
    char *rest;
    double value = strtod(text, &rest);
    bool plain = text + strcspn(text, "xX") >= rest;
    *end = plain ? rest : text;
    return value;
}

static bool read_real(const verb *v, const option_spec *spec, const char *text, double *value)
{
    const char *end;
    *value = number_at(text, &end);
    if (end != text && !*end && isfinite(*value)) return true;
    print_usage_error(v, "%s %s: expected a number", spec->name, text);
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
    print_usage_error(v, "%s %s: expected a number of MB, or a size such as 4GB", spec->name, text);
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

/* Reads one option with its value, which follows as "=value" or as the next argument. Returns the
 * number of arguments used, 0 after a mistake. */
static int read_option(const verb *v, int left, char **arguments, options *out)
{
    const char *argument = arguments[0];
    const char *equals = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const option_spec *spec = find_option(v, argument, length);
    if (!spec) return unknown_option(v, argument);
    if (spec->kind == OPTION_FLAG) {
        if (equals) {
            print_usage_error(v, "%s takes no value", spec->name);
            return 0;
        }
        return read_value(v, spec, NULL, out);
    }
    if (equals) return read_value(v, spec, equals + 1, out);
    if (left < 2) {
        print_usage_error(v, "%s needs a value: %s %s", spec->name, spec->name, spec->value);
        return 0;
    }
    return read_value(v, spec, arguments[1], out) ? 2 : 0;
}

static bool check_words(const verb *v, const options *o)
{
    if (o->word_count < v->min_words)
        print_usage_error(v, "missing argument: %s", v->words);
    else if (o->word_count > v->max_words)
        print_usage_error(v, "unexpected argument '%s': one word too many", o->words[v->max_words]);
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
            print_usage_error(v, "more than %d arguments", WORDS_MAX);
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
    return fail(report, RP_ERROR_INPUT, "%s %s: expected a finite number", option, text);
}

void options_release(options *o)
{
    for (int i = 0; i < o->setting_count; i++)
        free(o->setting_texts[i]);
}

/* --- options that a run folder records ----------------------------------------------------------
 */

/* Whether an option determines the result; paths, threads, memory and messages do not. */
static bool is_recorded(const option_spec *spec)
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
        if (is_recorded(&v->specs[i]) && is_given(&v->specs[i], o))
            print_option(file, &v->specs[i], o);
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}

bool options_add_text(const verb *v, char *text, options *o)
{
    options recorded = none;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const option_spec *spec = find_option(v, line, strcspn(line, "="));
        if (!spec || !is_recorded(spec)) continue; /* written by another version */
        if (!read_option(v, 1, &line, &recorded)) return false;
    }
    for (int i = 0; i < v->spec_count; i++) {
        const option_spec *spec = &v->specs[i];
        if (is_given(spec, o) || !is_recorded(spec)) continue;
        memcpy((char *)o + spec->offset, (const char *)&recorded + spec->offset,
               value_size(spec->kind));
    }
    return true;
}

/* --- options of pictures ---------------------------------------------------------------------- */

#define CHAINS "chains" /* the value of rp_film_options.colour that shows contact forces */

rp_code read_size_pair(const char *option, const char *text, const char *like, int *first,
                       int *second, rp_report *report)
{
    char rest;
    if (!text) return RP_OK;
    if (sscanf(text, "%6dx%6d%c", first, second, &rest) == 2) return RP_OK;
    return fail(report, RP_ERROR_INPUT, "%s %s: write it as %s", option, text, like);
}

static rp_code read_quality(const options *o, rp_film_options *out, rp_report *report)
{
    if (o->quality) {
        char hint[128];
        int samples = rp_film_quality_samples(o->quality);
        if (!samples)
            return fail(report, RP_ERROR_INPUT, "--quality %s: there are draft, good and final%s",
                        o->quality, suggestion(o->quality, "draft|good|final", hint, sizeof hint));
        out->samples = samples;
    }
    if (o->samples >= 0) out->samples = (int)(o->samples < INT_MAX ? o->samples : INT_MAX);
    return RP_OK;
}

/* Returns the unit of a colour field; the range of other fields is given as bare numbers in SI
 * units. */
static const char *unit_of(const char *colour)
{
    static const char *const units[][2] = {{"speed", "m/s"},   {"density", "kg/m3"},
                                           {"pressure", "Pa"}, {CHAINS, "N"},
                                           {"diameter", "m"},  {"mass", "kg"}};
    for (size_t i = 0; colour && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i][0], colour) == 0) return units[i][1];
    return "";
}

static rp_code read_range(const options *o, rp_film_options *out, rp_report *report)
{
    char low[64];
    const char *text = o->range, *colon = text ? strchr(text, ':') : NULL;
    if (!text) return RP_OK;
    if (!colon || colon - text >= (long)sizeof low)
        return fail(report, RP_ERROR_INPUT, "--range %s: write it as 0:2.5", text);
    snprintf(low, sizeof low, "%.*s", (int)(colon - text), text);
    const char *unit = unit_of(o->chains ? CHAINS : o->colour);
    rp_code code = read_quantity("--range", low, unit, &out->range_low, report);
    if (code == RP_OK) code = read_quantity("--range", colon + 1, unit, &out->range_high, report);
    if (code != RP_OK) return code;
    if (!(out->range_low < out->range_high) || !isfinite(out->range_high - out->range_low))
        return fail(report, RP_ERROR_INPUT,
                    "--range %s: expected two numbers, the second above the first", text);
    if (o->colour || o->chains) return RP_OK;
    return fail(report, RP_ERROR_INPUT,
                "--range %s: Add --color to say of which field, such as --color speed", text);
}

rp_code read_picture_options(const options *o, rp_film_options *out, rp_report *report)
{
    rp_code code = read_size_pair("--size", o->size, "1280x720", &out->width, &out->height, report);
    if (code == RP_OK) code = read_quality(o, out, report);
    if (code == RP_OK) code = read_range(o, out, report);
    if (o->camera) out->camera = o->camera;
    if (o->colour) out->colour = o->colour;
    if (o->chains && o->colour && strcmp(o->colour, CHAINS) != 0 && code == RP_OK)
        code = fail(report, RP_ERROR_INPUT,
                    "--chains shows forces, --color %s something else: choose one", o->colour);
    if (o->chains) out->colour = CHAINS;
    if (o->show_time) out->show_time = true;
    if (!isnan(o->grain_size)) out->grain_scale = o->grain_size;
    if (o->orbit && code == RP_OK)
        code = read_quantity("--orbit", o->orbit, "deg/s", &out->orbit, report);
    out->threads = (int)(o->threads < INT_MAX ? o->threads : INT_MAX);
    if (isnan(o->fps) || code != RP_OK) return code;
    out->frames_per_second = o->fps;
    if (o->fps >= RP_FILM_FPS_MIN && o->fps <= RP_FILM_FPS_MAX) return RP_OK;
    return fail(report, RP_ERROR_INPUT, "--fps %g: %g to %g are allowed", o->fps, RP_FILM_FPS_MIN,
                RP_FILM_FPS_MAX);
}

const char *picture_option_given(const options *o)
{
    if (o->size) return "--size";
    if (o->quality) return "--quality";
    if (o->samples >= 0) return "--samples";
    if (o->camera) return "--camera";
    if (o->orbit) return "--orbit";
    if (!isnan(o->grain_size)) return "--grain-size";
    if (o->colour) return "--color";
    if (o->chains) return "--chains";
    if (o->range) return "--range";
    if (o->show_time) return "--time";
    return isnan(o->fps) ? NULL : "--fps";
}

void default_film_path(const char *folder, const char *stem, bool quiet, char *path, size_t size)
{
    bool can = rp_film_can_encode();
    snprintf(path, size, "%s/%s%s", folder, can ? stem : "pictures", can ? ".mp4" : "");
    if (!can && !quiet)
        fprintf(stderr,
                "repose: films need ffmpeg, which is not in PATH; on Debian: apt-get install "
                "ffmpeg. Rendering single pictures instead, into %s\n",
                plain(path));
}
