/* Options of `repose measure`: planes, axes, centres, regions and quantities of bodies. */
#include "cli.h"

#include <string.h>

/* "z=0.4" */
static rp_code read_plane(const char *text, rp_measure_options *out, rp_report *report)
{
    char axis;
    int used = 0;
    if (!text) return RP_OK;
    if (sscanf(text, " %c =%n", &axis, &used) != 1 || !used || axis < 'x' || axis > 'z')
        return fail(report, RP_ERROR_INPUT,
                    "--plane %s: write it as x=0.1, y=10cm or z=0.4; bare numbers are in metres",
                    text);
    out->plane_axis = axis - 'x';
    return read_quantity("--plane", text + used, "m", &out->plane_at, report);
}

/* Whether a measurement is binned along z by default; such a one has no radial form. */
static bool is_along_z(const rp_measure_info *kind)
{
    return strcmp(kind->name, "velocity-profile") == 0;
}

static rp_code read_along(const char *text, const rp_measure_info *kind, rp_measure_options *out,
                          rp_report *report)
{
    bool upward = is_along_z(kind);
    if (!text) return RP_OK;
    if (strlen(text) != 1 || text[0] < 'x' || text[0] > (upward ? 'z' : 'y'))
        return fail(report, RP_ERROR_INPUT, "--along %s: write x%s", text,
                    upward ? ", y or z" : " or y");
    out->along = text[0] - 'x';
    return RP_OK;
}

/* "0.1,20cm" */
static rp_code read_centre(const char *text, rp_measure_options *out, rp_report *report)
{
    char first[64];
    const char *comma = text ? strchr(text, ',') : NULL;
    if (!text) return RP_OK;
    if (!comma || (size_t)(comma - text) >= sizeof first)
        return fail(report, RP_ERROR_INPUT,
                    "--centre %s: write it as 0.1,20cm, which is x and y in metres unless a "
                    "unit is given",
                    text);
    snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    rp_code code = read_quantity("--centre", first, "m", &out->centre[0], report);
    return code == RP_OK ? read_quantity("--centre", comma + 1, "m", &out->centre[1], report)
                         : code;
}

/* "0:1,:,0.2:" */
static rp_code read_region(const char *text, rp_measure_options *out, rp_report *report)
{
    double *ends[] = {&out->region_low[0],  &out->region_high[0], &out->region_low[1],
                      &out->region_high[1], &out->region_low[2],  &out->region_high[2]};
    const char *at = text;
    for (int i = 0; at && i < 6; i++) {
        char end[64];
        size_t length = strcspn(at, ":,");
        bool closed = length < sizeof end && at[length] == (i == 5 ? 0 : i % 2 ? ',' : ':');
        snprintf(end, sizeof end, "%.*s", (int)length, at);
        rp_code code = RP_OK;
        if (closed && end[strspn(end, " ")])
            code = read_quantity("--region", end, "m", ends[i], report);
        if (code != RP_OK) return code;
        if (!closed || (i % 2 && !(*ends[i - 1] < *ends[i])))
            return fail(report, RP_ERROR_INPUT,
                        "--region %s: write it as 0:10cm,0:10cm,0:0.2, which is x, y and z "
                        "from:to; bare numbers are in metres, and an end that is omitted is open",
                        text);
        at += length + 1;
    }
    return RP_OK;
}

static rp_code read_only(const char *text, rp_measure_options *out, rp_report *report)
{
    char hint[96];
    if (!text) return RP_OK;
    out->quantity = find_word(RP_BODY_QUANTITY_WORDS, text);
    if (out->quantity >= 0) return RP_OK;
    return fail(report, RP_ERROR_INPUT,
                "--only %s: write one of: position, rotation, velocity, spin, force, torque, "
                "contact-force, contact-torque%s",
                text, suggestion(text, RP_BODY_QUANTITY_WORDS, hint, sizeof hint));
}

rp_code read_measure_options(const options *o, const rp_measure_info *kind, rp_measure_options *out,
                             rp_report *report)
{
    *out = rp_default_measure_options();
    rp_code code = read_plane(o->plane, out, report);
    if (code == RP_OK) code = read_along(o->along, kind, out, report);
    if (code == RP_OK) code = read_centre(o->centre, out, report);
    if (code == RP_OK) code = read_only(o->only, out, report);
    if (code == RP_OK) code = read_region(o->region, out, report);
    if (code == RP_OK && o->region && !kind->of_contacts && !kind->of_layer)
        code = fail(report, RP_ERROR_INPUT,
                    "--region applies to contacts and layers; %s always covers all grains",
                    kind->name);
    if (code == RP_OK && o->centre && (!kind->of_layer || is_along_z(kind) || o->along))
        code = fail(report, RP_ERROR_INPUT,
                    "--centre applies to front and volume-profile without --along");
    if (code == RP_OK && o->json && o->csv)
        code = fail(report, RP_ERROR_INPUT, "choose --json or --csv, not both");
    if (code == RP_OK && o->plot) code = rp_plot_check_name(o->plot, report);
    if (code == RP_OK && kind->frames == RP_MEASURE_PAIRS && !o->plane)
        code = fail(report, RP_ERROR_INPUT, "%s needs a plane, such as --plane z=0.4", kind->name);
    return code;
}
