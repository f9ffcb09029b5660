#include "base/report.h"
#include "export/digits.h"
#include "export/usda.h"
#include "record/folder.h"
#include "scene/scene.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define INDENT 4

static bool ends_in_index(const char *text)
{
    size_t length = strlen(text), digits = 0;
    while (digits < length && isdigit((unsigned char)text[length - 1 - digits]))
        digits++;
    return digits > 0 && length >= digits + 2 && text[length - digits - 1] == '_' &&
           text[length - digits - 2] == '_';
}

void rp_usda_name(const char *text, size_t index, char name[RP_USDA_NAME_MAX])
{
    size_t length = 0;
    bool changed = !*text || ends_in_index(text);
    if (!*text || isdigit((unsigned char)*text)) {
        name[length++] = '_';
        changed = true;
    }
    for (; *text && length < RP_USDA_NAME_MAX - 32; text++) {
        bool fits =
            *text == '_' || (isascii((unsigned char)*text) && isalnum((unsigned char)*text));
        name[length++] = fits ? *text : '_';
        changed = changed || !fits;
    }
    name[length] = 0;
    if (changed || *text) snprintf(name + length, RP_USDA_NAME_MAX - length, "__%zu", index);
}

bool rp_usda_begin_samples(rp_usda *usda, int level, const char *type, const char *name,
                           const char *interpolation)
{
    int indent = INDENT * level;
    rp_atomic *file = &usda->file;
    if (interpolation)
        rp_atomic_print(file, "%*s%s %s (\n%*sinterpolation = \"%s\"\n%*s)\n", indent, "", type,
                        name, indent + INDENT, "", interpolation, indent, "");
    else if (usda->part != RP_USDA_FRAME)
        rp_atomic_print(file, "%*s%s %s\n", indent, "", type, name);
    if (usda->part != RP_USDA_FRAME) return false;
    rp_atomic_print(file, "%*s%s %s.timeSamples = {\n%*s%" PRId64 ": ", indent, "", type, name,
                    indent + INDENT, "", usda->export->number);
    return true;
}

void rp_usda_end_samples(rp_usda *usda, int level)
{
    rp_atomic_print(&usda->file, ",\n%*s}\n", INDENT * level, "");
}

void rp_usda_put_tuple(rp_usda *usda, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        rp_atomic_print(&usda->file, "%s%.17g", i ? ", " : "(", values[i]);
    rp_atomic_write(&usda->file, ")", 1);
}

void rp_usda_put_colours(rp_usda *usda, int level, const double *first, size_t stride, int count,
                         const char *interpolation)
{
    int indent = INDENT * level;
    rp_atomic *file = &usda->file;
    rp_atomic_print(file, "%*scolor3f[] primvars:displayColor = [", indent, "");
    for (int i = 0; i < count; i++) {
        const double *c = (const double *)((const char *)first + (size_t)i * stride);
        rp_atomic_print(file, "%s(%.6g, %.6g, %.6g)", i ? ", " : "", c[0], c[1], c[2]);
    }
    rp_atomic_print(file, "] (\n%*sinterpolation = \"%s\"\n%*s)\n", indent + INDENT, "",
                    interpolation, indent, "");
}

static void put_header(rp_usda *usda, const rp_usda_prim *prim, int64_t first, int64_t last)
{
    double rate = usda->export->scene->time.frame_rate;
    rp_atomic_print(&usda->file,
                    "#usda 1.0\n(\n"
                    "    defaultPrim = \"%s\"\n"
                    "    doc = \"Repose %s\"\n"
                    "    endTimeCode = %" PRId64 "\n"
                    "    framesPerSecond = %.17g\n"
                    "    metersPerUnit = 1\n"
                    "    startTimeCode = %" PRId64 "\n"
                    "    timeCodesPerSecond = %.17g\n"
                    "    upAxis = \"Z\"\n)\n\n",
                    prim->name, rp_version(), last, rate, first, rate);
}

/* A list of frames: the clips, and when each is shown, which is at its own number. */
static void put_clips(rp_usda *usda, const rp_usda_prim *prim, const rp_numbers *frames)
{
    rp_atomic *file = &usda->file;
    rp_atomic_print(file, "    clips = {\n        dictionary default = {\n"
                          "            double2[] active = [");
    for (size_t i = 0; i < frames->count; i++)
        rp_atomic_print(file, "%s(%" PRId64 ", %zu)", i ? ", " : "", frames->items[i], i);
    rp_atomic_print(file, "]\n            asset[] assetPaths = [");
    for (size_t i = 0; i < frames->count; i++)
        rp_atomic_print(file, "%s@./%s-%06" PRId64 ".usda@", i ? ", " : "", prim->stem,
                        frames->items[i]);
    rp_atomic_print(file,
                    "]\n            asset manifestAssetPath = @./%s.manifest.usda@\n"
                    "            string primPath = \"/%s\"\n"
                    "            double2[] times = [",
                    prim->stem, prim->name);
    for (size_t i = 0; i < frames->count; i++)
        rp_atomic_print(file, "%s(%" PRId64 ", %" PRId64 ")", i ? ", " : "", frames->items[i],
                        frames->items[i]);
    rp_atomic_print(file, "]\n        }\n    }\n");
    if (prim->refer)
        rp_atomic_print(file, "    prepend references = @./%s-%06" PRId64 ".usda@</%s>\n",
                        prim->stem, frames->items[0], prim->name);
}

static rp_code put_file(rp_usda *usda, const rp_usda_prim *prim, const rp_numbers *frames,
                        rp_report *report)
{
    bool series = usda->part == RP_USDA_SERIES;
    put_header(usda, prim, frames->items[0], frames->items[frames->count - 1]);
    rp_atomic_print(&usda->file, "def %s \"%s\"%s\n", prim->type, prim->name, series ? " (" : "");
    if (series) {
        put_clips(usda, prim, frames);
        rp_atomic_write(&usda->file, ")\n", 2);
    }
    rp_atomic_write(&usda->file, "{\n", 2);
    rp_code code = prim->inside(usda, report);
    rp_atomic_write(&usda->file, "}\n", 2);
    if (code == RP_OK) return rp_atomic_finish(&usda->file, report);
    rp_atomic_abandon(&usda->file);
    return code;
}

static rp_path part_path(const rp_usda *usda, const char *stem)
{
    rp_path path;
    const rp_export *export = usda->export;
    if (usda->part == RP_USDA_FRAME)
        snprintf(path.text, sizeof path.text, "%s/%s-%06" PRId64 ".usda", export->folder, stem,
                 export->number);
    else
        snprintf(path.text, sizeof path.text, "%s/%s%s.usda", export->folder, stem,
                 usda->part == RP_USDA_MANIFEST ? ".manifest" : "");
    return path;
}

static rp_code write_part(rp_usda *usda, rp_usda_part part, const rp_usda_prim *prim,
                          const rp_numbers *frames, rp_report *report)
{
    usda->part = part;
    rp_code code = rp_atomic_open(&usda->file, part_path(usda, prim->stem).text, report);
    return code == RP_OK ? put_file(usda, prim, frames, report) : code;
}

rp_code rp_usda_write(const rp_export *export, const rp_usda_prim *prim, const uint32_t *order,
                      rp_report *report)
{
    rp_usda usda = {.export = export, .order = order};
    int64_t number = export->number;
    rp_numbers self = {.items = &number, .count = 1}, frames = {0};
    RP_TRY(write_part(&usda, RP_USDA_FRAME, prim, &self, report));
    char before[2 * RP_USDA_NAME_MAX];
    snprintf(before, sizeof before, "%s-", prim->stem);
    rp_code code = rp_folder_numbers(export->folder, before, ".usda", &frames, report);
    /* Somebody else may have removed the frame since. */
    if (code == RP_OK && frames.count > 0)
        code = write_part(&usda, RP_USDA_MANIFEST, prim, &frames, report);
    if (code == RP_OK && frames.count > 0)
        code = write_part(&usda, RP_USDA_SERIES, prim, &frames, report);
    rp_numbers_end(&frames);
    return code;
}
