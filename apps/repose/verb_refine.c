#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const option_spec specs[] = {
    {"--factor", NULL, "N", OPTION_COUNT, offsetof(options, factor),
     "fine grains per coarse grain (default: detail.factor of the scene)"},
    {"--output", "-o", "DIR", OPTION_TEXT, offsetof(options, output),
     "write them to a folder of their own (default: RUN/fine)"},
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0,
     "change a value of the scene, such as detail.keep_apart=no; may be repeated"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); results do not depend on it"},
    {"--memory", NULL, "MB", OPTION_BYTES, offsetof(options, memory_mb),
     "memory limit, such as 4GB (default: free memory); grains beyond it are held on disk"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "print errors only"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per frame"},
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
        if (s->resumed >= 0) fprintf(stderr, "resumed after frame %lld\n", (long long)s->resumed);
        fprintf(stderr, "done: %lld frames, %s fine grains (%llu left the scene) in %s\n",
                (long long)s->frames, short_number((double)s->grains, grains, sizeof grains),
                (unsigned long long)s->left, short_duration(s->seconds, time, sizeof time));
        fprintf(stderr, "next: repose render '%s'\n", plain(folder));
    }
    if (code == RP_INTERRUPTED && !o->json)
        fprintf(stderr, "repose: stopped; everything is saved. The same command continues\n");
}

/* Estimates the number of fine grains from the last coarse frame; faults are reported by the
 * refinement. */
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

/* Bytes per fine grain in a frame, at rest and moving. */
#define BYTES_LOW 6
#define BYTES_HIGH 12

/* Prints the expected number of grains, the disk space needed and the disk space available. */
static void print_estimate(const options *o)
{
    rp_record *record;
    struct statvfs disk;
    if (o->quiet || o->json || rp_record_open(o->words[0], &record, NULL) != RP_OK) return;
    double factor =
        (double)(o->factor ? o->factor : rp_scene_detail(rp_record_scene(record)).factor);
    for (int i = 0; i < o->setting_count && !o->factor; i++)
        if (strcmp(o->settings[i].key, "detail.factor") == 0) factor = atof(o->settings[i].value);
    double grains = grains_of(record, factor);
    double frames = (double)rp_series_count(rp_record_series(record, RP_SERIES_COARSE));
    bool known = statvfs(o->words[0], &disk) == 0;
    char text[4][32];
    if (grains > 0) {
        fprintf(stderr, "%s fine grains; %.0f frames take %s to %s on disk",
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
    print_estimate(o);
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
    int result = print_faults(code, report, o->json);
    rp_report_destroy(report);
    return result;
}

const verb verb_refine = {
    .name = "refine",
    .words = "RUN",
    .help = "add fine grains to a run, for pictures",
    .more =
        "Each coarse grain carries N fine grains, which move with the coarse ones nearby. They "
        "are\n"
        "written to RUN/fine, one frame per coarse frame, and used by `repose render`,\n"
        "`repose export` and the Blender add-on; with -o they get a folder of their own. After an\n"
        "interruption the same command continues, to the same bits. 20 M fine grains take 0.6 GB\n"
        "of memory and 0.12 to 0.24 GB of disk per frame.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
