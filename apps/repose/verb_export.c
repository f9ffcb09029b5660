#include "cli.h"

#include <string.h>

static const option_spec specs[] = {
    {"--format", "-f", "FORMAT", OPTION_TEXT, offsetof(options, format),
     "vtp (ParaView, default), ply, csv, usda or usda-instances"},
    {"--output", "-o", "DIR", OPTION_TEXT, offsetof(options, output),
     "output folder (default: RUN/export)"},
    FRAMES_OPTION("all"),
    {"--every", NULL, "N", OPTION_COUNT, offsetof(options, every),
     "only every N-th of these frames"},
    {"--only", NULL, "WHAT", OPTION_TEXT, offsetof(options, only),
     "coarse, fine, bodies, contacts, grids, or several separated by commas (default: all except "
     "contacts)"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "print errors only"},
};

#define ONLY_WORDS FRAME_KIND_WORDS "|bodies|contacts|grids"

/* What to export. Bodies are written with the first kind of grains that has the frame, contacts and
 * grids with coarse grains. */
typedef struct job {
    rp_record *record;
    const options *options;
    bool grains[FRAME_KINDS], bodies, contacts, grids; /* requested by --only */
    int64_t from, to, every;
    int64_t written[FRAME_KINDS];
} job;

static rp_code read_word(job *j, const char *word, rp_report *report)
{
    for (int i = 0; i < FRAME_KINDS; i++)
        if (strcmp(word, frame_kinds[i].word) == 0) {
            j->grains[i] = true;
            return select_kind(j->record, word, report) ? RP_OK : RP_ERROR_INPUT;
        }
    if (strcmp(word, "bodies") == 0) {
        j->bodies = true;
        return RP_OK;
    }
    if (strcmp(word, "contacts") == 0) {
        j->contacts = true;
        return RP_OK;
    }
    if (strcmp(word, "grids") == 0) {
        j->grids = true;
        return RP_OK;
    }
    char hint[128];
    return fail(report, RP_ERROR_INPUT,
                "--only %s: expected coarse, fine, bodies, contacts or grids%s", word,
                suggestion(word, ONLY_WORDS, hint, sizeof hint));
}

static rp_code read_only(job *j, const char *text, rp_report *report)
{
    if (!text) {
        memset(j->grains, true, sizeof j->grains);
        j->bodies = j->grids = true;
        return RP_OK;
    }
    rp_code code = RP_OK;
    for (const char *at = text; at && code == RP_OK; at = strchr(at, ',')) {
        at += *at == ',';
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        code = read_word(j, word, report);
    }
    return code;
}

/* Returns what to write of a frame of this kind. */
static rp_export_options frame_options(const job *j, int kind, int64_t number)
{
    rp_export_options made = rp_default_export_options();
    if (j->options->format) made.format = j->options->format;
    made.folder = j->options->output;
    made.stem = frame_kinds[kind].stem;
    made.grains = j->grains[kind];
    made.bodies = j->bodies && rp_scene_body_count(rp_record_scene(j->record)) > 0;
    made.contacts = j->contacts && kind == 0;
    made.grids = j->grids && kind == 0;
    for (int i = 0; i < kind; i++)
        made.bodies =
            made.bodies && rp_series_find(series_of_kind(j->record, &frame_kinds[i]), number) < 0;
    return made;
}

static rp_code export_frame(job *j, int kind, int64_t number, rp_report *report)
{
    rp_export_options wanted = frame_options(j, kind, number);
    if (!wanted.grains && !wanted.bodies && !wanted.contacts && !wanted.grids) return RP_OK;
    const rp_series *series = series_of_kind(j->record, &frame_kinds[kind]);
    rp_frame_file *frame = NULL;
    rp_code code = rp_series_read(series, number, &frame, report);
    if (code == RP_OK)
        code = rp_record_export(j->record, number, rp_frame_view(frame), &wanted, report);
    rp_frame_close(frame);
    j->written[kind] += code == RP_OK;
    return code;
}

static rp_code export_kind(job *j, int kind, rp_report *report)
{
    rp_code code = RP_OK;
    const rp_series *series = series_of_kind(j->record, &frame_kinds[kind]);
    int64_t total = rp_series_count(series), chosen = 0;
    for (int64_t i = 0; i < total && code == RP_OK; i++) {
        int64_t number = rp_series_number(series, i);
        if (number < j->from || number > j->to) continue;
        if (chosen++ % j->every == 0) code = export_frame(j, kind, number, report);
    }
    return code;
}

/* Nothing was written: either the run has nothing of the requested kind, or not that frame. */
static rp_code fail_nothing_written(const job *j, rp_report *report)
{
    const options *o = j->options;
    const frame_kind *most = NULL; /* the requested kind with most frames */
    if (o->only && strcmp(o->only, "bodies") == 0 &&
        rp_scene_body_count(rp_record_scene(j->record)) == 0)
        return fail(report, RP_ERROR_INPUT, "%s has no bodies", rp_record_folder(j->record));
    for (int i = 0; i < FRAME_KINDS; i++) {
        const frame_kind *kind = &frame_kinds[i];
        if (!j->grains[i] && !j->bodies && !((j->contacts || j->grids) && i == 0)) continue;
        if (!most || rp_series_count(series_of_kind(j->record, kind)) >
                         rp_series_count(series_of_kind(j->record, most)))
            most = kind;
    }
    return fail_frame_range(j->record, most, report);
}

static rp_code print_written(const job *j, rp_report *report)
{
    const options *o = j->options;
    int64_t all = 0;
    for (int i = 0; i < FRAME_KINDS; i++) {
        all += j->written[i];
        if (j->written[i] && !o->quiet)
            printf("%lld %s as %s in %s%s\n", (long long)j->written[i], frame_kinds[i].label,
                   o->format ? o->format : "vtp", plain(o->output ? o->output : o->words[0]),
                   o->output ? "" : "/export");
    }
    return all ? RP_OK : fail_nothing_written(j, report);
}

static rp_code export_frames(rp_record *record, const options *o, rp_report *report)
{
    job j = {.record = record, .options = o, .every = o->every ? o->every : 1};
    rp_code code = read_only(&j, o->only, report);
    if (code == RP_OK) code = read_frame_range(o->frames_text, &j.from, &j.to, report);
    for (int i = 0; i < FRAME_KINDS && code == RP_OK; i++)
        code = export_kind(&j, i, report);
    return code == RP_OK ? print_written(&j, report) : code;
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_code code = rp_record_open(o->words[0], &record, report);
    if (code == RP_OK) code = export_frames(record, o, report);
    int result = print_faults(code, report, false);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_export = {
    .name = "export",
    .words = "RUN",
    .help = "write frames for other programs: ParaView, Blender, Houdini, spreadsheets",
    .more =
        "vtp: open RUN/export/grains.pvd in ParaView. Fine grains are in fine.pvd, bodies in\n"
        "bodies.pvd, contacts (as lines between grain centres) in contacts.pvd, grids, for "
        "methods\n"
        "that have any, in grid-NAME.pvd.\n"
        "ply: one binary point cloud per frame, for Blender, MeshLab, CloudCompare.\n"
        "csv: one table per frame, for Houdini, spreadsheets, scripts.\n"
        "usda: points and meshes as USD text, for Houdini, Blender 4 and others; grains.usda and\n"
        "bodies.usda are the whole series.\n"
        "usda-instances: the same, with a small sphere for each grain (grains-instances.usda).\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
