/* Films, pictures and contact sheets of runs. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHEET_WIDTH 480 /* pixels of a picture on a sheet, unless --size is given */
#define SHEET_HEIGHT 270

static const option_spec specs[] = {
    {"--output", "-o", "FILE|DIR", OPTION_TEXT, offsetof(options, output),
     "film (*.mp4, *.webm), picture (*.png: the last frame, or the contact sheet) or folder of "
     "pictures (default: RUN/film.mp4, or RUN/sheet.png)"},
    SIZE_OPTION("pixels of a picture, or of each picture of a sheet",
                "1280x720, 480x270 for sheets"),
    FRAMES_OPTION("all"),
    {"--grains", NULL, FRAME_KIND_WORDS, OPTION_TEXT, offsetof(options, grains),
     "which grains to show (default: fine if the run has any)"},
    PICTURE_OPTIONS,
    {"--sheet", NULL, "CxR", OPTION_TEXT, offsetof(options, sheet),
     "a contact sheet of C columns and R rows, such as 3x3; up to 12x12"},
    {"--split", NULL, NULL, OPTION_FLAG, offsetof(options, split),
     "two runs side by side, each on half of the width"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); pictures do not depend on it"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "print errors only"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per picture"},
};

/* What to render, and how. */
typedef struct job {
    const options *options;
    rp_film_options film;
    rp_film_run runs[RP_FILM_RUNS_MAX];
    rp_record *records[RP_FILM_RUNS_MAX];
    int run_count;
    char path[PATH_MAX]; /* of the film, picture or folder */
    int columns, rows;   /* of the sheet; 0: none */
    progress_bar bar;
    rp_film_progress done;
} job;

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && strcmp(path + length - wanted, end) == 0;
}

/* Whether the result is a single picture. */
static bool is_still(const job *j)
{
    return j->columns || ends_in(j->path, ".png");
}

/* --- options ------------------------------------------------------------------------ */

static rp_code read_sheet(job *j, rp_report *report)
{
    const char *text = j->options->sheet;
    rp_code code = read_size_pair("--sheet", text, "3x3", &j->columns, &j->rows, report);
    if (code != RP_OK || !text) return code;
    if (!j->options->size) {
        j->film.width = SHEET_WIDTH;
        j->film.height = SHEET_HEIGHT;
    }
    if (j->columns >= 1 && j->rows >= 1 && j->columns <= RP_FILM_SHEET_MAX &&
        j->rows <= RP_FILM_SHEET_MAX)
        return RP_OK;
    return fail(report, RP_ERROR_INPUT, "--sheet %s: 1x1 to %dx%d are allowed", text,
                RP_FILM_SHEET_MAX, RP_FILM_SHEET_MAX);
}

/* Whether a path can name a folder of pictures: existing folders, and names without a file
 * extension. "film.avi" is rather a film in a format that is not supported. */
static bool may_be_folder(const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return true;
    return !dot || !dot[1] || strlen(dot) > 5;
}

static rp_code choose_path(job *j, rp_report *report)
{
    const options *o = j->options;
    if (o->output)
        snprintf(j->path, sizeof j->path, "%s", o->output);
    else if (o->sheet)
        snprintf(j->path, sizeof j->path, "%s/sheet.png", o->words[0]);
    else
        default_film_path(o->words[0], o->split ? "split" : "film", o->quiet, j->path,
                          sizeof j->path);
    if (strlen(j->path) + 1 == sizeof j->path)
        return fail(report, RP_ERROR_INPUT, "the path of the output is too long");
    if (o->sheet && !ends_in(j->path, ".png"))
        return fail(report, RP_ERROR_INPUT, "%s: sheets are PNG files; name it *.png", j->path);
    if (is_still(j) || rp_film_is_video(j->path) || may_be_folder(j->path)) return RP_OK;
    return fail(report, RP_ERROR_INPUT,
                "%s: pictures are PNG files, films MP4 or WebM; name it *.png, *.mp4 or *.webm, "
                "or %s/ for a folder",
                j->path, j->path);
}

/* An interrupted refinement leaves fewer fine frames than coarse ones. */
static void warn_of_missing_fine_frames(const job *j, const rp_record *record)
{
    long long fine = rp_series_count(rp_record_series(record, RP_SERIES_FINE)),
              coarse = rp_series_count(rp_record_series(record, RP_SERIES_COARSE));
    if (fine < coarse && !j->options->quiet)
        fprintf(stderr,
                "repose: %s: fine grains of %lld of %lld frames are there; the other frames are "
                "omitted. `repose refine` computes them, --grains coarse shows all frames\n",
                rp_record_folder(record), fine, coarse);
}

/* Missing frames make a film jump. */
static void warn_of_gaps(const job *j, const rp_film_run *run, int64_t count)
{
    const rp_record *record = rp_series_record(run->series);
    bool fine = run->series == rp_record_series(record, RP_SERIES_FINE);
    int64_t every = rp_scene_frame_every(rp_record_scene(record));
    int64_t gaps = (run->to - run->from) / every + 1 - count;
    if (gaps > 0 && !fine && !j->options->quiet)
        fprintf(stderr, "repose: %s: %lld frame%s missing between %lld and %lld, and omitted\n",
                plain(rp_record_folder(record)), (long long)gaps, gaps == 1 ? " is" : "s are",
                (long long)run->from, (long long)run->to);
}

static rp_code open_run(job *j, const char *folder, rp_report *report)
{
    int64_t first, count;
    rp_record **record = &j->records[j->run_count];
    rp_code code = rp_record_open(folder, record, report);
    if (code != RP_OK) return code;
    rp_film_run *run = &j->runs[j->run_count++];
    const frame_kind *kind = select_kind(*record, j->options->grains, report);
    if (!kind) return RP_ERROR_INPUT;
    code = select_frames(*record, kind, j->options->frames_text, &first, &count, report);
    if (code != RP_OK) return code;
    const rp_series *series = series_of_kind(*record, kind);
    *run = (rp_film_run){.series = series,
                         .from = rp_series_number(series, first),
                         .to = rp_series_number(series, first + count - 1)};
    if (kind->series == RP_SERIES_FINE) warn_of_missing_fine_frames(j, *record);
    warn_of_gaps(j, run, count);
    /* Camera and colour range of a single picture depend on its frame only. */
    if (is_still(j) && !j->columns) run->from = run->to;
    return RP_OK;
}

static rp_code prepare(job *j, rp_report *report)
{
    rp_code code = read_picture_options(j->options, &j->film, report);
    if (code == RP_OK) code = read_sheet(j, report);
    if (code == RP_OK) code = choose_path(j, report);
    for (int i = 0; i < j->options->word_count && code == RP_OK; i++)
        code = open_run(j, j->options->words[i], report);
    j->film.path = is_still(j) ? NULL : j->path;
    if (j->film.samples == rp_film_quality_samples("good"))
        j->bar.faster = "--quality draft is five times faster";
    else if (j->film.samples > 1)
        j->bar.faster = "--quality good and draft are faster";
    j->film.progress = progress_show_film;
    j->film.user = &j->bar;
    return code;
}

/* --- rendering ---------------------------------------------------------------------------------
 */

static rp_code make_one(const char *path, rp_report *report)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return RP_OK;
        errno = ENOTDIR;
    }
    return fail_errno(report, errno, path, "make the folder");
}

/* Creates the folder of a file and its parents; `folder` receives its path. */
static rp_code make_folder_of(const char *path, char *folder, size_t size, rp_report *report)
{
    snprintf(folder, size, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) {
        snprintf(folder, size, slash ? "/" : ".");
        return RP_OK;
    }
    *slash = 0;
    rp_code code = RP_OK;
    for (char *end = strchr(folder + 1, '/'); end && code == RP_OK; end = strchr(end + 1, '/')) {
        *end = 0;
        code = make_one(folder, report);
        *end = '/';
    }
    return code == RP_OK ? make_one(folder, report) : code;
}

/* Checks that the picture can be written, before anything is rendered. */
static rp_code check_target(const char *path, rp_report *report)
{
    char folder[PATH_MAX];
    struct stat info;
    if (!rp_picture_can_write_png())
        return fail_at(report, RP_ERROR_UNSUPPORTED, path,
                       "this build cannot write PNG pictures; install libpng (Debian: libpng-dev) "
                       "and build Repose again");
    rp_code code = make_folder_of(path, folder, sizeof folder, report);
    if (code != RP_OK) return code;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return fail_errno(report, EISDIR, path, "write");
    return access(folder, W_OK | X_OK) == 0 ? RP_OK : fail_errno(report, errno, path, "write");
}

static rp_code render_still(job *j, rp_film *film, rp_report *report)
{
    rp_picture *picture = NULL;
    rp_code code = j->columns ? rp_film_sheet(film, j->columns, j->rows, &picture, report)
                              : rp_film_last(film, &picture, report);
    if (code == RP_OK) code = rp_picture_write_png(picture, j->path, report);
    rp_picture_destroy(picture);
    return code;
}

static rp_code render(job *j, rp_report *report)
{
    rp_film *film = NULL;
    rp_code code = is_still(j) ? check_target(j->path, report) : RP_OK;
    if (code == RP_OK) code = rp_film_open(&j->film, j->runs, j->run_count, &film, report);
    if (code != RP_OK) return code;
    if (is_still(j)) {
        code = render_still(j, film, report);
    } else {
        code = rp_film_render(film, report);
        if (code == RP_OK) code = rp_film_finish(film, report);
    }
    j->done = rp_film_state(film);
    rp_film_close(film);
    return code;
}

static void print_summary(const job *j, rp_code code, double seconds)
{
    const options *o = j->options;
    char text[32];
    long long pictures = j->done.encoding ? j->done.frame_count : j->done.frame;
    if (o->json) {
        printf("{\"done\": %s, \"file\": ", code == RP_OK ? "true" : "false");
        print_json_text(stdout, j->path);
        printf(", \"pictures\": %lld, \"kept\": %lld, \"seconds\": %.6g}\n", pictures,
               (long long)j->done.kept, seconds);
    } else if (code == RP_INTERRUPTED) {
        fprintf(stderr, "repose: stopped; ");
        if (is_still(j))
            fprintf(stderr, "nothing was written\n");
        else if (!j->done.frame_count)
            fprintf(stderr, "finished pictures are kept. The same command continues\n");
        else
            fprintf(stderr, "%lld of %lld pictures are done. The same command continues\n",
                    pictures, (long long)j->done.frame_count);
    } else if (!o->quiet) {
        fprintf(stderr, "done: %lld picture%s", pictures, pictures == 1 ? "" : "s");
        if (j->done.kept) fprintf(stderr, " (%lld existed already)", (long long)j->done.kept);
        fprintf(stderr, " in %s\n", short_duration(seconds, text, sizeof text));
        printf("%s\n", plain(j->path));
    }
}

/* Prints advice that the fault itself does not contain. */
static void advise(const options *o, rp_code code)
{
    if (o->json) return;
    if (code == RP_ERROR_DAMAGED)
        fprintf(stderr, "repose: --frames A:B selects frames that are not damaged\n");
    if (code == RP_ERROR_IO && !o->output)
        fprintf(stderr, "repose: -o FILE writes it outside of the run folder\n");
}

static int run(const verb *v, const options *o)
{
    if (o->word_count == 2 && !o->split)
        return print_usage_error(v, "two runs: add --split to show them side by side");
    if (o->word_count == 1 && o->split) return print_usage_error(v, "--split needs two runs");
    rp_report *report = rp_report_create();
    job j = {.options = o,
             .film = rp_default_film_options(),
             .bar = {.terminal = isatty(STDERR_FILENO), .quiet = o->quiet, .json = o->json}};
    double started = wall_clock();
    rp_code code = prepare(&j, report);
    bool prepared = code == RP_OK;
    stop_on_interrupt();
    if (prepared) {
        code = render(&j, report);
        progress_end(&j.bar);
        if (code == RP_OK || code == RP_INTERRUPTED)
            print_summary(&j, code, wall_clock() - started);
    }
    int result = print_faults(code, report, o->json);
    if (prepared) advise(o, code);
    for (int i = 0; i < RP_FILM_RUNS_MAX; i++)
        rp_record_close(j.records[i]);
    rp_report_destroy(report);
    return result;
}

const verb verb_render = {
    .name = "render",
    .words = "RUN [RUN]",
    .help = "make a film, a picture or a contact sheet of a run",
    .more =
        "The film plays in real time. Its pictures are stored in FILM.frames until all are "
        "rendered:\n"
        "after Ctrl-C, a crash or a kill the same command continues. -o FILE.png renders the last\n"
        "selected frame; -o FOLDER renders every frame as a picture; --sheet 3x3 puts nine "
        "frames,\n"
        "evenly spaced in time, on one picture. Films need ffmpeg.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 2,
    .run = run};
