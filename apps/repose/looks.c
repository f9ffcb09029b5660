/* How pictures look: the options that all verbs which paint have in common. */
#include "cli.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define CHAINS "chains" /* what grains show between them, as rp_film_options.colour */

rp_code read_pair(const char *option, const char *text, const char *like, int *first, int *second,
                  rp_report *report)
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
                        o->quality, hint_of(o->quality, "draft|good|final", hint, sizeof hint));
        out->samples = samples;
    }
    if (o->samples >= 0) out->samples = (int)(o->samples < INT_MAX ? o->samples : INT_MAX);
    return RP_OK;
}

/* The unit of what grains show; other fields take plain numbers, in SI. */
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
                    "--range %s: two numbers are wanted, the second above the first", text);
    if (o->colour || o->chains) return RP_OK;
    return fail(report, RP_ERROR_INPUT, "--range %s: of what? Add --color, such as speed", text);
}

rp_code read_looks(const options *o, rp_film_options *out, rp_report *report)
{
    rp_code code = read_pair("--size", o->size, "1280x720", &out->width, &out->height, report);
    if (code == RP_OK) code = read_quality(o, out, report);
    if (code == RP_OK) code = read_range(o, out, report);
    if (o->camera) out->camera = o->camera;
    if (o->colour) out->colour = o->colour;
    if (o->chains && o->colour && strcmp(o->colour, CHAINS) != 0 && code == RP_OK)
        code = fail(report, RP_ERROR_INPUT,
                    "--chains shows forces, --color %s something else: one of them", o->colour);
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

const char *looks_given(const options *o)
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

void default_film(const char *folder, const char *stem, bool quiet, char *path, size_t size)
{
    bool can = rp_film_can_encode();
    snprintf(path, size, "%s/%s%s", folder, can ? stem : "pictures", can ? ".mp4" : "");
    if (!can && !quiet)
        fprintf(stderr,
                "repose: films need ffmpeg, which is not in PATH; on Debian: apt-get install "
                "ffmpeg. Painting pictures instead, into %s\n",
                plain(path));
}
