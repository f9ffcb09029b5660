#include "base/report.h"
#include "cli.h"
#include "record/folder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const option_spec specs[] = {
    {"--output", "-o", "DIR", OPTION_TEXT, offsetof(options, output),
     "the run folder (default: runs/NAME)"},
    {"--frames", NULL, "N", OPTION_COUNT, offsetof(options, frames),
     "the number of the last frame (default: as the scene says)"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); results do not depend on it"},
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0, "change a value of the scene; may be repeated"},
    {"--resume", NULL, NULL, OPTION_FLAG, offsetof(options, resume),
     "go on from the folder's last checkpoint"},
    {"--overwrite", NULL, NULL, OPTION_FLAG, offsetof(options, overwrite),
     "replace the run that is in the folder; other folders are refused"},
    {"--memory", NULL, "MB", OPTION_BYTES, offsetof(options, memory_mb),
     "memory the run may take, such as 4GB (default: what is free)"},
    {"--film", NULL, NULL, OPTION_FLAG, offsetof(options, film),
     "paint each frame as soon as it is there, and make RUN/film.mp4 of them"},
    SIZE_OPTION("of the film", "1280x720"),
    LOOKS_OPTIONS,
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "say nothing but mistakes"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a frame"},
};

/* runs/NAME for scenes/NAME.yaml. */
static void default_folder(const char *scene_path, char *folder, size_t size)
{
    const char *slash = strrchr(scene_path, '/');
    const char *name = slash ? slash + 1 : scene_path;
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(folder, size, "runs/%.*s", length, name);
}

static void announce(const rp_scene *scene, const rp_run_options *run, const options *o)
{
    rp_estimate estimate = rp_scene_estimate(scene, run->world);
    char grains[32], needed[32], there[32];
    if (o->json) {
        printf("{\"scene\": ");
        print_json_text(stdout, rp_scene_title(scene));
        printf(", \"folder\": ");
        print_json_text(stdout, run->folder);
        printf(", \"grains_estimated\": ");
        print_json_number(stdout, estimate.grains);
        printf(", \"bytes_estimated\": ");
        print_json_number(stdout, estimate.bytes);
        printf(", \"bytes_limit\": ");
        print_json_number(stdout, estimate.bytes_limit);
        printf("}\n");
    } else if (!o->quiet) {
        fprintf(stderr, "%s\n%s grains, about %s of memory (there are %s)\ninto %s\n",
                plain(rp_scene_title(scene)), short_number(estimate.grains, grains, sizeof grains),
                short_bytes(estimate.bytes, needed, sizeof needed),
                short_bytes(estimate.bytes_limit, there, sizeof there), plain(run->folder));
    }
}

static void print_tally_json(const rp_step_tally *t)
{
    printf(", \"step\": {\"count\": %llu, \"shortest\": %.9g, \"mean\": %.9g, \"longest\": %.9g, "
           "\"reasons\": [",
           (unsigned long long)t->steps, t->shortest, t->mean, t->longest);
    for (int i = 0; i < t->reason_count; i++) {
        printf("%s{\"reason\": ", i ? ", " : "");
        print_json_text(stdout, t->reasons[i].reason);
        printf(", \"steps\": %llu, \"share\": %.6g}", (unsigned long long)t->reasons[i].steps,
               (double)t->reasons[i].steps / (double)t->steps);
    }
    printf("]}");
}

static void print_tally(const rp_step_tally *t)
{
    if (!t->steps) return;
    fprintf(stderr, "steps: %.3g ms on average, %.3g to %.3g ms; decided by\n", 1e3 * t->mean,
            1e3 * t->shortest, 1e3 * t->longest);
    for (int i = 0; i < t->reason_count; i++)
        fprintf(stderr, "    %s (%.3g %%)\n", t->reasons[i].reason,
                100 * (double)t->reasons[i].steps / (double)t->steps);
}

/* The numbers of the last step, and the seconds of each stage. */
static void print_last_json(const rp_run_summary *s)
{
    print_json_step_numbers(&s->last);
    printf(", \"stages\": {");
    for (int i = 0; i < s->stage_count; i++)
        printf("%s\"%s\": %.6g", i ? ", " : "", s->stages[i].name, s->stages[i].seconds);
    printf("}");
}

/* In parts of the time of all steps. */
static void print_stages(const rp_run_summary *s)
{
    if (!s->tally.steps || !s->stage_count || !(s->last.seconds > 0)) return;
    fprintf(stderr, "time of steps:");
    for (int i = 0; i < s->stage_count; i++)
        fprintf(stderr, "%s %s %.0f %%", i ? "," : "", s->stages[i].name,
                100 * s->stages[i].seconds / s->last.seconds);
    fprintf(stderr, "\n");
}

/* What there is to say about a run that had nothing left to do. */
static bool print_finished(const rp_run_summary *s, const char *folder, const options *o)
{
    if (!o->resume || s->tally.steps) return false;
    fprintf(stderr, "%s is finished: %lld frames, %.6g s simulated; nothing was left to do\n",
            plain(folder), (long long)s->frames, s->time);
    return true;
}

static void print_summary(rp_code code, const rp_run_summary *s, const char *folder,
                          const options *o)
{
    char text[32];
    if (o->json) {
        printf("{\"done\": %s, \"frames\": %lld, \"steps\": %llu, \"time\": %.9g, \"seconds\": "
               "%.6g, \"grains\": %zu, \"hash\": \"%016llx\"",
               code == RP_OK ? "true" : "false", (long long)s->frames, (unsigned long long)s->steps,
               s->time, s->seconds, s->grains, (unsigned long long)s->hash);
        print_tally_json(&s->tally);
        print_last_json(s);
        printf("}\n");
    } else if (!o->quiet && code == RP_OK && !print_finished(s, folder, o)) {
        fprintf(stderr, "done: %lld frames, %llu steps, %.6g s simulated in %s, state %016llx\n",
                (long long)s->frames, (unsigned long long)s->steps, s->time,
                short_duration(s->seconds, text, sizeof text), (unsigned long long)s->hash);
        print_tally(&s->tally);
        print_stages(s);
        if (!o->film) fprintf(stderr, "look at it: repose render '%s'\n", plain(folder));
    }
    if (code == RP_INTERRUPTED && !o->json && !s->frames)
        fprintf(stderr, "repose: stopped before the first frame; nothing was written\n");
    else if (code == RP_INTERRUPTED && !o->json)
        fprintf(stderr, "repose: stopped at %.6g s; all is saved. Go on with: repose resume '%s'\n",
                s->time, plain(folder));
}

/* What the hooks of a run know. */
typedef struct watch {
    progress_bar bar;
    live_film film;
} watch;

static bool on_progress(void *user, const rp_progress *progress)
{
    watch *w = user;
    return progress_show(&w->bar, progress) && !w->film.refused;
}

static void on_frame(void *user, const rp_record *record, int64_t number)
{
    watch *w = user;
    (void)number; /* the film sees for itself what is there */
    live_film_add(&w->film, record);
}

/* True when the run's last frame is not newer than a film of it. */
static bool film_is_there(const char *film, const char *folder)
{
    rp_record *record = NULL;
    struct stat made, frame;
    bool there = stat(film, &made) == 0 && S_ISREG(made.st_mode) &&
                 rp_record_open(folder, &record, NULL) == RP_OK;
    if (there) {
        const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
        int64_t last = rp_series_number(series, rp_series_count(series) - 1);
        there =
            stat(rp_series_path(series, last).text, &frame) == 0 && made.st_mtime >= frame.st_mtime;
    }
    rp_record_close(record);
    return there;
}

rp_code run_scene(const rp_scene *scene, const options *o, bool film_kept, rp_report *report)
{
    watch w = {.bar = {.terminal = isatty(STDERR_FILENO),
                       .quiet = o->quiet,
                       .json = o->json,
                       .frames_shown = -1}};
    rp_run_options run = rp_default_run_options();
    rp_world_options world = rp_default_world_options();
    run.folder = o->output;
    run.frames = o->frames;
    run.resume = o->resume;
    run.overwrite = o->overwrite;
    world.threads = (int)(o->threads < INT_MAX ? o->threads : INT_MAX);
    world.memory_limit = (size_t)o->memory_mb * 1000000;
    world.stop = is_interrupted;
    run.world = &world;
    run.progress = on_progress;
    run.frame_written = on_frame;
    run.user = &w;
    rp_code code = RP_OK;
    if (o->film) code = live_film_prepare(&w.film, o, scene, run.folder, report);
    if (code != RP_OK) return code;
    announce(scene, &run, o);
    stop_on_interrupt();
    rp_run_summary summary = {0};
    char *command = options_text(&verb_run, o);
    run.command = command;
    code = rp_run(scene, &run, &summary, report);
    free(command);
    progress_end(&w.bar);
    if (w.film.refused && (code == RP_OK || code == RP_INTERRUPTED)) code = RP_ERROR_INPUT;
    if (code == RP_OK || code == RP_INTERRUPTED) print_summary(code, &summary, run.folder, o);
    if (film_kept && !summary.tally.steps && film_is_there(w.film.path, run.folder))
        w.film.wanted = false;
    rp_code filmed = live_film_end(&w.film, run.folder, code == RP_OK, &w.bar, report);
    return code == RP_OK ? filmed : code;
}

static int run(const verb *v, const options *o)
{
    if (!o->film && looks_given(o))
        return say_usage(v, "%s is about pictures: add --film", looks_given(o));
    if (o->resume && o->overwrite)
        return say_usage(v, "--resume goes on with a run, --overwrite begins it again: choose one");
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    char path[PATH_MAX], folder[PATH_MAX];
    options chosen = *o;
    rp_code code = open_scene(o, path, sizeof path, &scene, report);
    if (code == RP_OK && !o->output) {
        default_folder(path, folder, sizeof folder);
        chosen.output = folder;
    }
    if (code == RP_OK) code = run_scene(scene, &chosen, false, report);
    int result = say_faults(code, report, o->json);
    if (code == RP_ERROR_INPUT && !scene && !o->json) say_more_may_follow();
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return result;
}

const verb verb_run = {
    .name = "run",
    .words = "SCENE",
    .help = "simulate a scene into a run folder",
    .more =
        "SCENE is a file, the name of a scene that came along (see `repose help scenes`), or -\n"
        "for standard input, which goes into runs/stdin.\n"
        "Ctrl-C ends the run within a second or so, at its last whole step, writes a checkpoint\n"
        "and says how to go on; a second one ends at once. After that, a crash, a kill or a full\n"
        "disk, `repose resume RUN` goes on from the last checkpoint, to the same bits as an\n"
        "uninterrupted run; so does the same command with --resume. After an edit of the scene,\n"
        "--overwrite runs it again: frames, checkpoints, measurements, exports and film.mp4 of\n"
        "the run in the folder are removed, other files in it stay.\n"
        "With --film the camera is chosen by the first frame; `repose render` afterwards knows\n"
        "the whole run. --resume goes on with the film as well.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
