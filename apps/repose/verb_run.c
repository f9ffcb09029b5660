/* The verbs run and resume, and the film that grows while a run is computed. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- film while running ----------------------------------------------------------------------- */

/* The film of a run in progress. */
typedef struct live_film {
    rp_film_options options;
    char path[4096];
    rp_film *film; /* NULL until there is a frame */
    bool wanted, quiet;
    bool json;
    bool failed;         /* rendering is retried at the end of the run */
    bool refused;        /* it can never be rendered: the run stops at once */
    rp_series_kind kind; /* of the frames that it shows */
    rp_report *report;   /* borrowed; gets why it was refused */
} live_film;

/* The range of colours cannot be taken from the first frame: later frames have other values. */
static rp_code check_colour(const rp_film_options *film, rp_report *report)
{
    const char *colour = film->colour;
    if (!colour || strcmp(colour, "material") == 0 || strcmp(colour, "id") == 0 ||
        film->range_low < film->range_high)
        return RP_OK;
    return fail(report, RP_ERROR_INPUT,
                "--color %s: with --film the range of values must be given, such as --range 0:2",
                colour);
}

/* Checks the options of the film before the run begins. */
static rp_code live_film_prepare(live_film *live, const options *o, const rp_scene *scene,
                                 const char *folder, rp_report *report)
{
    *live = (live_film){
        .wanted = true, .quiet = o->quiet || o->json, .json = o->json, .report = report};
    live->options = rp_default_film_options();
    rp_code code = read_picture_options(o, &live->options, report);
    if (code == RP_OK) code = check_colour(&live->options, report);
    if (code != RP_OK) return code;
    default_film_path(folder, "film", live->quiet, live->path, sizeof live->path);
    live->options.path = live->path;
    live->options.live = true;
    live->options.progress = progress_quiet_film;
    rp_detail_info detail = rp_scene_detail(scene);
    live->kind = detail.factor >= 1 && detail.live ? RP_SERIES_FINE : RP_SERIES_COARSE;
    return rp_film_check(&live->options, scene, report);
}

static rp_code open_film(live_film *live, const rp_record *record, rp_report *report)
{
    rp_film_run run = {rp_record_series(record, live->kind), 0, INT64_MAX};
    return rp_film_open(&live->options, &run, 1, &live->film, report);
}

/* The fields that can be shown are known only when the first frame is written. This opens the film
 * without an output path, so that only mistakes in the options can fail. */
static rp_code check_first(const live_film *live, const rp_record *record)
{
    rp_film_options trial = live->options;
    rp_film_run run = {rp_record_series(record, live->kind), 0, INT64_MAX};
    rp_film *film = NULL;
    if (!trial.colour) return RP_OK;
    trial.path = NULL;
    rp_code code = rp_film_open(&trial, &run, 1, &film, live->report);
    rp_film_close(film);
    return code;
}

static void report_film_failure(const rp_report *report)
{
    char text[2048] = "";
    if (rp_report_count(report)) rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    /* The progress bar does not end its line. */
    fprintf(stderr, "%srepose: the film waits for the end of the run: %s\n",
            isatty(STDERR_FILENO) ? "\n" : "", text);
}

/* A failure must not end the run: missing pictures are rendered at its end, or the fault is
 * reported then. */
static void live_film_add(live_film *live, const rp_record *record)
{
    if (!live->wanted || live->failed || live->refused) return;
    live->refused = !live->film && check_first(live, record) == RP_ERROR_INPUT;
    if (live->refused) return;
    rp_report *report = rp_report_create();
    rp_code code = live->film ? RP_OK : open_film(live, record, report);
    if (code == RP_OK) code = rp_film_render(live->film, report);
    live->failed = code != RP_OK && code != RP_INTERRUPTED;
    if (live->failed && !live->quiet) report_film_failure(report);
    rp_report_destroy(report);
}

static rp_code finish_film(live_film *live, const rp_record *record, rp_report *report)
{
    rp_code code = open_film(live, record, report);
    if (code == RP_OK) code = rp_film_render(live->film, report);
    if (code == RP_OK) code = rp_film_finish(live->film, report);
    rp_film_close(live->film);
    live->film = NULL;
    return code;
}

static void report_film_end(const live_film *live, rp_code code)
{
    if (live->json) {
        printf("{\"film\": ");
        print_json_text(stdout, live->path);
        printf(", \"done\": %s}\n", code == RP_OK ? "true" : "false");
    } else if (!live->quiet && code == RP_OK) {
        fprintf(stderr, "%s: %s\n", rp_film_is_video(live->path) ? "film" : "pictures",
                plain(live->path));
    } else if (!live->quiet) {
        fprintf(stderr,
                "repose: the run is complete, its film is not; `repose resume` tries again\n");
    }
}

/* Opens the record again: the run has closed it, or had nothing left to do. */
static rp_code live_film_end(live_film *live, const char *folder, bool finished, progress_bar *bar,
                             rp_report *report)
{
    rp_record *record = NULL;
    rp_film_close(live->film);
    live->film = NULL;
    if (live->refused && !live->quiet)
        fprintf(
            stderr,
            "repose: the run was stopped because its film cannot be made; everything is saved, and "
            "`repose resume` with corrected options continues:\n");
    if (!live->wanted || !finished) return RP_OK;
    live->options.progress = progress_show_film;
    live->options.user = bar;
    rp_code code = rp_record_open(folder, &record, report);
    if (code == RP_OK) code = finish_film(live, record, report);
    rp_record_close(record);
    progress_end(bar);
    report_film_end(live, code);
    return code;
}

/* --- run -------------------------------------------------------------------------------------- */

static const option_spec run_specs[] = {
    {"--output", "-o", "DIR", OPTION_TEXT, offsetof(options, output),
     "the run folder (default: runs/NAME)"},
    {"--frames", NULL, "N", OPTION_COUNT, offsetof(options, frames),
     "number of the last frame (default: from the scene)"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); results do not depend on it"},
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0, "change a value of the scene; may be repeated"},
    {"--resume", NULL, NULL, OPTION_FLAG, offsetof(options, resume),
     "continue from the last checkpoint in the folder"},
    {"--overwrite", NULL, NULL, OPTION_FLAG, offsetof(options, overwrite),
     "replace the run in the folder; a folder that holds no run is refused"},
    {"--memory", NULL, "MB", OPTION_BYTES, offsetof(options, memory_mb),
     "memory limit, such as 4GB (default: free memory)"},
    {"--film", NULL, NULL, OPTION_FLAG, offsetof(options, film),
     "render each frame as soon as it is written, and make RUN/film.mp4"},
    SIZE_OPTION("pixels of the film", "1280x720"),
    PICTURE_OPTIONS,
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "print errors only"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per frame"},
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

static void print_estimate(const rp_scene *scene, const rp_run_options *run, const options *o)
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
        fprintf(stderr, "%s\n%s grains, about %s of memory (limit: %s)\noutput: %s\n",
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
    fprintf(stderr, "steps: %.3g ms on average, %.3g to %.3g ms; limited by\n", 1e3 * t->mean,
            1e3 * t->shortest, 1e3 * t->longest);
    for (int i = 0; i < t->reason_count; i++)
        fprintf(stderr, "    %s (%.3g %%)\n", t->reasons[i].reason,
                100 * (double)t->reasons[i].steps / (double)t->steps);
}

/* Prints the numbers of the last step and the seconds of each stage. */
static void print_last_json(const rp_run_summary *s)
{
    print_json_step_numbers(&s->last);
    printf(", \"stages\": {");
    for (int i = 0; i < s->stage_count; i++)
        printf("%s\"%s\": %.6g", i ? ", " : "", s->stages[i].name, s->stages[i].seconds);
    printf("}");
}

/* Prints the share of each stage in the time of all steps. */
static void print_stages(const rp_run_summary *s)
{
    if (!s->tally.steps || !s->stage_count || !(s->last.seconds > 0)) return;
    fprintf(stderr, "time per stage:");
    for (int i = 0; i < s->stage_count; i++)
        fprintf(stderr, "%s %s %.0f %%", i ? "," : "", s->stages[i].name,
                100 * s->stages[i].seconds / s->last.seconds);
    fprintf(stderr, "\n");
}

/* Prints that a run had nothing left to do; returns whether that is so. */
static bool print_finished(const rp_run_summary *s, const char *folder, const options *o)
{
    if (!o->resume || s->tally.steps) return false;
    fprintf(stderr, "%s is finished: %lld frames, %.6g s simulated; nothing to do\n", plain(folder),
            (long long)s->frames, s->time);
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
        if (!o->film) fprintf(stderr, "next: repose render '%s'\n", plain(folder));
    }
    if (code == RP_INTERRUPTED && !o->json && !s->frames)
        fprintf(stderr, "repose: stopped before the first frame; nothing was written\n");
    else if (code == RP_INTERRUPTED && !o->json)
        fprintf(
            stderr,
            "repose: stopped at %.6g s; everything is saved. Continue with: repose resume '%s'\n",
            s->time, plain(folder));
}

/* State of the callbacks of a run. */
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
    (void)number; /* the film finds new frames in the record */
    live_film_add(&w->film, record);
}

/* Returns whether there is a film that is not older than the run's last frame. */
static bool film_is_there(const char *film, const char *folder)
{
    rp_record *record = NULL;
    struct stat made, frame;
    bool there = stat(film, &made) == 0 && S_ISREG(made.st_mode) &&
                 rp_record_open(folder, &record, NULL) == RP_OK;
    if (there) {
        char path[PATH_MAX];
        const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
        int64_t last = rp_series_number(series, rp_series_count(series) - 1);
        snprintf(path, sizeof path, "%s/frames/%06lld.h5", folder, (long long)last);
        there = stat(path, &frame) == 0 && made.st_mtime >= frame.st_mtime;
    }
    rp_record_close(record);
    return there;
}

/* Runs the scene into o->output. `film_kept`: the film was requested when the run began, so a film
 * that exists already need not be made again. */
static rp_code run_scene(const rp_scene *scene, const options *o, bool film_kept, rp_report *report)
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
    print_estimate(scene, &run, o);
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

static int run_verb(const verb *v, const options *o)
{
    if (!o->film && picture_option_given(o))
        return print_usage_error(v, "%s applies to films: add --film", picture_option_given(o));
    if (o->resume && o->overwrite)
        return print_usage_error(
            v, "--resume continues a run, --overwrite starts it again: choose one");
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
    int result = print_faults(code, report, o->json);
    if (code == RP_ERROR_INPUT && !scene && !o->json) print_more_may_follow(report);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return result;
}

const verb verb_run = {
    .name = "run",
    .words = "SCENE",
    .help = "simulate a scene into a run folder",
    .more =
        "SCENE is a file, the name of a bundled scene (see `repose help scenes`), or - for "
        "standard\n"
        "input, which is written to runs/stdin.\n"
        "Ctrl-C ends the run within about a second, after the current time step, writes a\n"
        "checkpoint and prints how to continue; a second Ctrl-C ends at once. After an\n"
        "interruption, a crash, a kill or a full disk, `repose resume RUN` (or the same command\n"
        "with --resume) continues from the last checkpoint, to the same bits as an uninterrupted\n"
        "run. After an edit of the scene, --overwrite runs it again: frames, checkpoints,\n"
        "measurements, exports and film.mp4 of the run in the folder are removed, other files "
        "stay.\n"
        "With --film an automatic camera is placed by the first frame; `repose render` after the\n"
        "run takes all frames into account. --resume continues the film as well.\n",
    VERB_OPTIONS(run_specs),
    .min_words = 1,
    .max_words = 1,
    .run = run_verb};

/* --- resume ----------------------------------------------------------------------------------- */

static const option_spec resume_specs[] = {
    {"--frames", NULL, "N", OPTION_COUNT, offsetof(options, frames),
     "number of the last frame (default: as when the run began)"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); results do not depend on it"},
    {"--memory", NULL, "MB", OPTION_BYTES, offsetof(options, memory_mb),
     "memory limit, such as 4GB (default: free memory)"},
    {"--film", NULL, NULL, OPTION_FLAG, offsetof(options, film),
     "also make a film (default: as when the run began)"},
    SIZE_OPTION("pixels of the film", "1280x720"),
    PICTURE_OPTIONS,
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "print errors only"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per frame"},
};

#define COMMAND_BYTES (64 << 10) /* longest command.txt that is read */

/* Reads the options that the run began with from its folder; they point into `*text`. */
static rp_code read_command(const rp_record *record, options *o, char **text, rp_report *report)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/command.txt", rp_record_folder(record));
    if (access(path, F_OK) != 0) return RP_OK; /* a program other than repose began the run */
    FILE *file = fopen(path, "rb");
    if (!file) return fail_errno(report, errno, path, "read");
    *text = calloc(1, COMMAND_BYTES + 1);
    size_t size = *text ? fread(*text, 1, COMMAND_BYTES, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) return fail_errno(report, EIO, path, "read");
    if (!*text || size == COMMAND_BYTES)
        return fail_at(report, RP_ERROR_DAMAGED, path, "this is not a list of options");
    return options_add_text(&verb_run, *text, o) ? RP_OK : RP_ERROR_INPUT;
}

static int resume_verb(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    options chosen = *o;
    char *text = NULL;
    bool film_kept = !o->film && !picture_option_given(o);
    rp_code code = rp_record_open(o->words[0], &record, report);
    if (code == RP_OK) code = read_command(record, &chosen, &text, report);
    if (code == RP_OK && !chosen.film && picture_option_given(&chosen))
        code = fail(report, RP_ERROR_INPUT, "%s applies to films: add --film",
                    picture_option_given(&chosen));
    if (code == RP_OK) {
        chosen.output = o->words[0];
        chosen.resume = true;
        code = run_scene(rp_record_scene(record), &chosen, film_kept, report);
    }
    int result = print_faults(code, report, o->json);
    free(text);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_resume = {
    .name = "resume",
    .words = "RUN",
    .help = "continue a run that was interrupted",
    .more =
        "Continues from the last checkpoint, to the same bits as an uninterrupted run. The folder\n"
        "contains the scene as it was run, with every --set, and the options that determine the\n"
        "result (--frames, --film and those of the film). Options given here override them. A\n"
        "finished run is not changed.\n",
    VERB_OPTIONS(resume_specs),
    .min_words = 1,
    .max_words = 1,
    .run = resume_verb};
