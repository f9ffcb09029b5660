#include "base/report.h"
#include "cli.h"
#include "scene/scene.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const option_spec specs[] = {
    {"--factor", NULL, "N", OPTION_COUNT, offsetof(options, factor),
     "fine grains for each coarse one (default: detail.factor of the scene)"},
    {"--output", "-o", "DIR", OPTION_TEXT, offsetof(options, output),
     "a folder of its own for them (default: RUN/fine)"},
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0,
     "change a value of the scene, such as detail.keep_apart=no; may be repeated"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); results do not depend on it"},
    {"--memory", NULL, "MB", OPTION_BYTES, offsetof(options, memory_mb),
     "memory to take (default: what is free); more grains than that wait on disk"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "say nothing but mistakes"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a frame"},
};

static void print_summary(rp_code code, const rp_refine_summary *s, const options *o)
{
    char grains[32], time[32];
    const char *folder = o->output ? o->output : o->words[0];
    if (o->json) {
        printf("{\"done\": %s, \"frames\": %lld, \"resumed\": %lld, \"grains\": %llu, \"left\": "
               "%llu, \"steps\": %llu, \"seconds\": %.6g}\n",
               code == RP_OK ? "true" : "false", (long long)s->frames, (long long)s->resumed,
               (unsigned long long)s->grains, (unsigned long long)s->left,
               (unsigned long long)s->steps, s->seconds);
    } else if (!o->quiet && code == RP_OK) {
        if (s->resumed >= 0) fprintf(stderr, "went on from frame %lld\n", (long long)s->resumed);
        fprintf(stderr, "done: %lld frames, %s fine grains (%llu left the scene) in %s\n",
                (long long)s->frames, short_number((double)s->grains, grains, sizeof grains),
                (unsigned long long)s->left, short_duration(s->seconds, time, sizeof time));
        fprintf(stderr, "look at it: repose render '%s'\n", plain(folder));
    }
    if (code == RP_INTERRUPTED && !o->json)
        fprintf(stderr, "repose: stopped; all is saved. Go on with the same command\n");
}

/* The last frame tells how many grains there will be; what is wrong with it is told later. */
static double grains_of(const rp_record *record, double factor)
{
    const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
    int64_t last = rp_series_number(series, rp_series_count(series) - 1);
    rp_frame_file *frame;
    if (last < 0 || rp_series_read(series, last, &frame, NULL) != RP_OK) return 0;
    double grains = factor * (double)rp_frame_view(frame)->count;
    rp_frame_close(frame);
    return grains;
}

/* Bytes that a grain takes in a frame, at rest and moving. */
#define BYTES_LOW 6
#define BYTES_HIGH 12

/* Before it begins: what it will be, and whether the disk holds it. */
static void announce(const options *o)
{
    rp_record *record;
    struct statvfs disk;
    if (o->quiet || o->json || rp_record_open(o->words[0], &record, NULL) != RP_OK) return;
    double factor = (double)(o->factor ? o->factor : rp_record_scene(record)->detail.factor);
    for (int i = 0; i < o->setting_count && !o->factor; i++)
        if (strcmp(o->settings[i].key, "detail.factor") == 0) factor = atof(o->settings[i].value);
    double grains = grains_of(record, factor);
    double frames = (double)rp_series_count(rp_record_series(record, RP_SERIES_COARSE));
    bool known = statvfs(o->words[0], &disk) == 0;
    char text[4][32];
    if (grains > 0) {
        fprintf(stderr, "%s fine grains; %.0f frames of them take %s to %s",
                short_number(grains, text[0], sizeof text[0]), frames,
                short_bytes(BYTES_LOW * grains * frames, text[1], sizeof text[1]),
                short_bytes(BYTES_HIGH * grains * frames, text[2], sizeof text[2]));
        if (known)
            fprintf(stderr, " (free: %s)",
                    short_bytes((double)disk.f_bavail * (double)disk.f_frsize, text[3],
                                sizeof text[3]));
        fputc('\n', stderr);
    }
    rp_record_close(record);
}

static rp_code refine(const options *o, rp_report *report)
{
    progress_bar bar = {
        .terminal = isatty(STDERR_FILENO), .quiet = o->quiet, .json = o->json, .frames_shown = -1};
    rp_setting settings[SETTINGS_MAX + 1];
    int count = o->setting_count;
    memcpy(settings, o->settings, (size_t)count * sizeof *settings);
    char factor[32];
    snprintf(factor, sizeof factor, "%lld", o->factor);
    if (o->factor) settings[count++] = (rp_setting){.key = "detail.factor", .value = factor};
    rp_refine_options wanted = rp_default_refine_options();
    wanted.folder = o->words[0];
    wanted.output = o->output;
    wanted.settings = settings;
    wanted.setting_count = count;
    wanted.threads = (int)(o->threads < INT_MAX ? o->threads : INT_MAX);
    wanted.memory_limit = (size_t)o->memory_mb * 1000000;
    wanted.progress = progress_show;
    wanted.user = &bar;
    announce(o);
    stop_on_interrupt();
    rp_refine_summary summary = {0};
    rp_code code = rp_refine(&wanted, &summary, report);
    progress_end(&bar);
    if (code == RP_OK || code == RP_INTERRUPTED) print_summary(code, &summary, o);
    return code;
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_code code = refine(o, report);
    int result = say_faults(code, report, o->json);
    rp_report_destroy(report);
    return result;
}

const verb verb_refine = {
    .name = "refine",
    .words = "RUN",
    .help = "fill the coarse grains of a run with many fine ones",
    .more =
        "Fine grains are written to RUN/fine, a frame beside each coarse one; `repose render`,\n"
        "`repose export` and the Blender add-on take them from there. With -o they get a folder\n"
        "of their own. The same command goes on where an interrupted one stopped, to the same\n"
        "bits. 20 M grains take 0.6 GB of memory and 0.12 to 0.24 GB of disk a frame.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
