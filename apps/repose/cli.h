/* The command line's own parts: verbs, options, what is said and how. */
#ifndef REPOSE_CLI_H
#define REPOSE_CLI_H

#include "repose/repose.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum option_kind {
    OPTION_FLAG,  /* bool */
    OPTION_COUNT, /* long long, 0 or more */
    OPTION_REAL,  /* double */
    OPTION_BYTES, /* long long, in MB; kB, MB, GB or TB may stand behind the number */
    OPTION_TEXT,  /* const char * */
    OPTION_SET    /* key=value, may be given several times: rp_setting in `settings` */
} option_kind;

/* One option of a verb. `offset` says where in struct options its value goes. */
typedef struct option_spec {
    const char *name;  /* "--frames" */
    const char *alias; /* "-o" or NULL */
    const char *value; /* "N", for help; "draft|good" where these are all values; NULL for flags */
    option_kind kind;
    size_t offset;
    const char *help;
} option_spec;

#define OPTION(name, alias, value, kind, member, help)                                             \
    {                                                                                              \
        name, alias, value, kind, offsetof(options, member), help                                  \
    }

#define SETTINGS_MAX 64
#define WORDS_MAX 64

/* The values of all options of all verbs; what was not given is zero, frames and samples
 * -1, grain_size and fps NAN. */
typedef struct options {
    const char *words[WORDS_MAX]; /* what is no option, in order */
    int word_count;
    rp_setting settings[SETTINGS_MAX];
    char *setting_texts[SETTINGS_MAX]; /* behind settings[].key */
    int setting_count;
    const char *output, *format, *camera, *size, *frames_text, *plot, *along, *plane, *only,
        *region, *centre, *spacing, *scale, *quality, *colour, *range, *sheet, *orbit;
    const char *grains; /* "coarse" or "fine" */
    long long frames, threads, memory_mb, every, factor, samples;
    double grain_size, fps;
    bool resume, overwrite, quiet, json, csv, markdown, quick, no_cache, split, film, chains,
        show_time, strict;
} options;

typedef struct verb {
    const char *name;
    const char *words; /* "SCENE", for usage */
    const char *help;  /* one line */
    const char *more;  /* paragraphs for `repose help VERB` and the manual page; may be NULL */
    const option_spec *specs;
    int spec_count;
    int min_words, max_words;
    /* Word `index` of those that may follow, for help and completion; NULL behind the last. The
     * pointer may be NULL. */
    const char *(*choice)(int index);
    const char *(*choice_help)(int index); /* one line on each of them; may be NULL */
    int (*run)(const struct verb *verb, const options *options); /* gives the exit code */
} verb;

#define VERB_OPTIONS(list) .specs = (list), .spec_count = (int)(sizeof(list) / sizeof *(list))

extern const verb verb_run, verb_resume, verb_check, verb_info, verb_export, verb_render,
    verb_measure, verb_refine, verb_sample, verb_validate, verb_bench, verb_help, verb_completion,
    verb_version;
int verb_count(void);
const verb *verb_at(int index);
const verb *verb_find(const char *name);

/* options.c: fills `options` from the arguments; false after saying what is wrong. */
bool options_read(const verb *v, int argc, char **argv, options *out);
/* The value of an option as a quantity: "5 mm" or, in the unit given, "0.005". */
rp_code read_quantity(const char *option, const char *text, const char *unit, double *value,
                      rp_report *report);
void options_release(options *o);
/* The options of `v` that say what is made, not how or where, one a line, as `--frames=12`. Release
 * with free; NULL when memory runs out. */
char *options_text(const verb *v, const options *o);
/* Takes such lines for options that were not given; the text is changed and must outlive them.
 * False after saying what is wrong. */
bool options_add_text(const verb *v, char *text, options *o);

/* verb_run.c: runs the scene into o->output. `film_kept`: the film was asked for when the run
 * began, and one that is there already will do. */
rp_code run_scene(const rp_scene *scene, const options *o, bool film_kept, rp_report *report);

/* say.c */
/* Adds a fault and returns `code`, so that `return fail(...)` reads well. */
rp_code fail(rp_report *report, rp_code code, const char *format, ...) RP_PRINTF(3, 4);
/* The same about a file or a word. */
rp_code fail_at(rp_report *report, rp_code code, const char *file, const char *format, ...)
    RP_PRINTF(4, 5);
/* A failed system call on `file`, by its errno. */
rp_code fail_errno(rp_report *report, int error, const char *file, const char *action);
/* "; did you mean 'density'?" with the nearest of the words "a|b|c", or nothing. */
const char *hint_of(const char *word, const char *words, char *hint, size_t size);
/* The place of `word` in "a|b|c", or -1. */
int find_word(const char *words, const char *word);
/* Prints the report's faults to standard error and gives the exit code that belongs to `code`. */
int say_faults(rp_code code, const rp_report *report, bool json);
int exit_code(rp_code code);
/* After mistakes in the text of a scene, which end its reading before meshes and grains. */
void say_more_may_follow(void);
/* The faults as a JSON list. */
void print_json_faults(FILE *file, const rp_report *report);
/* "usage: …" and "try `repose help VERB`", for mistakes on the command line; gives the exit code.
 */
int say_usage(const verb *v, const char *format, ...) RP_PRINTF(2, 3);
/* "WHAT 'word'; did you mean …?", with the nearest of the known words, or all of them where none is
 * near; gives the exit code. */
int say_unknown(const verb *v, const char *what, const char *word, const char *const *known,
                int count);
/* A text from a file or the command line as a terminal may show it, on one line. Good until this
 * has been called eight times more. */
const char *plain(const char *text);
/* A JSON string with quotes, escaped. */
void print_json_text(FILE *file, const char *text);
/* A number, or null when it is not finite. */
void print_json_number(FILE *file, double value);
/* progress.c: what the method reports of a step, each with a comma before it. */
void print_json_step_numbers(const rp_step_info *step);
/* "340 MB", "2.5 GB". */
const char *short_bytes(double bytes, char *text, size_t size);
/* "12.3 M", "45 K". */
const char *short_number(double value, char *text, size_t size);
/* "1:23:45" or "12 s". */
const char *short_duration(double seconds, char *text, size_t size);

/* find.c: a scene is given as a path, as the name of one that came along, or as "-". */
/* Finds and reads the scene that the first word names, with the settings; `path` gets its path.
 * "-" is standard input, and its path STDIN_SCENE. */
#define STDIN_SCENE "stdin"
rp_code open_scene(const options *o, char *path, size_t size, rp_scene **out, rp_report *report);
/* The folder "scenes" or "validation" that came along; NULL when there is none. */
const char *data_folder(const char *name);

/* frames.c: the kinds of frames that a run may hold. */
typedef struct frame_kind {
    const char *word;   /* on the command line: "coarse" */
    const char *stem;   /* of exported files: "grains" */
    const char *called; /* "frames" */
    rp_series_kind series;
} frame_kind;
#define FRAME_KINDS 2
#define FRAME_KIND_WORDS "coarse|fine"
extern const frame_kind frame_kinds[FRAME_KINDS];
/* The frames of a kind. */
const rp_series *series_of(const rp_record *record, const frame_kind *kind);
/* The kind of that word; without a word the finest that the record holds. NULL after a fault. */
const frame_kind *choose_kind(const rp_record *record, const char *word, rp_report *report);
/* The fault that a record has no frames of a kind, and what to do about it. */
rp_code fail_no_frames(const rp_record *record, const frame_kind *kind, rp_report *report);
/* The fault that it has none of those that were asked for, and which it has. */
rp_code fail_other_frames(const rp_record *record, const frame_kind *kind, rp_report *report);

/* `--frames A:B` or `--frames A`. */
#define FRAMES_OPTION(fallback)                                                                    \
    {                                                                                              \
        "--frames", NULL, "A:B", OPTION_TEXT, offsetof(options, frames_text),                      \
            "only frames A to B, or frame A (default: " fallback ")"                               \
    }
/* The first and the last number that `text` means; all numbers when it is NULL. */
rp_code read_frame_range(const char *text, int64_t *from, int64_t *to, rp_report *report);
/* Which of the record's frames of a kind are meant: places `*first` and the next, `*count` in all.
 * All of them when `text` is NULL; at least one. */
rp_code choose_frames(const rp_record *record, const frame_kind *kind, const char *text,
                      int64_t *first, int64_t *count, rp_report *report);

/* progress.c */
typedef struct progress_bar {
    bool terminal, quiet, json;
    double shown; /* when, on the wall clock */
    int64_t frames_shown, kept_shown;
    bool encoding_shown;
    const char *faster; /* said once, when pictures take long; NULL: nothing */
} progress_bar;
bool progress_show(void *user, const rp_progress *progress);
/* The same for pictures. */
bool progress_show_film(void *user, const rp_film_progress *progress);
/* Shows nothing. */
bool progress_quiet_film(void *user, const rp_film_progress *progress);
void progress_end(progress_bar *bar);
/* Seconds from some fixed moment, never going back. */
double wall_clock(void);
/* Ctrl-C asks the run to stop; a second one ends the program at once. */
void stop_on_interrupt(void);
/* Whether one came; `user` is not looked at. */
bool is_interrupted(void *user);

/* looks.c: how pictures look, for verbs that paint. */
#define SIZE_OPTION(what, fallback)                                                                \
    OPTION("--size", NULL, "WxH", OPTION_TEXT, size,                                               \
           what " (default " fallback "; up to 8192x8192)")
#define LOOKS_OPTIONS                                                                              \
    OPTION("--quality", NULL, "draft|good|final", OPTION_TEXT, quality, "(default good)"),         \
        OPTION("--samples", NULL, "N", OPTION_COUNT, samples,                                      \
               "samples of a pixel, 1 to 4096 (default: as the quality says)"),                    \
        OPTION("--camera", NULL, "NAME", OPTION_TEXT, camera,                                      \
               "a camera of the scene, or automatic (default: the scene's first)"),                \
        OPTION("--orbit", NULL, "RATE", OPTION_TEXT, orbit,                                        \
               "how fast the camera goes about what it looks at, such as 10deg/s or 2rpm; "        \
               "degrees a second without a unit"),                                                 \
        OPTION("--grain-size", NULL, "F", OPTION_REAL, grain_size,                                 \
               "of painted grains (default 1: neighbors touch)"),                                  \
        OPTION("--color", "--colour", "WHAT", OPTION_TEXT, colour,                                 \
               "what grains show: material, speed, density, pressure, moisture, id or a field"),   \
        OPTION("--chains", NULL, NULL, OPTION_FLAG, chains,                                        \
               "force chains between small grains, of a run with contacts; --color chains"),       \
        OPTION("--range", NULL, "A:B", OPTION_TEXT, range,                                         \
               "values of the first and the last colour (default: of the run)"),                   \
        OPTION("--time", NULL, NULL, OPTION_FLAG, show_time,                                       \
               "write the time into each picture; sheets always have it"),                         \
        OPTION("--fps", NULL, "N", OPTION_REAL, fps,                                               \
               "pictures a second of a film (default: as the run, in real time, up to 60)")
/* Fills what the options say; the rest stays. */
rp_code read_looks(const options *o, rp_film_options *out, rp_report *report);
/* "1280x720", or what other option it is. */
rp_code read_pair(const char *option, const char *text, const char *like, int *first, int *second,
                  rp_report *report);
/* An option among those of LOOKS_OPTIONS that was given, or NULL. */
const char *looks_given(const options *o);
/* Where a film goes that no name was given for: FOLDER/STEM.mp4; without ffmpeg FOLDER/pictures,
 * after saying so. */
void default_film(const char *folder, const char *stem, bool quiet, char *path, size_t size);

/* live_film.c: the film of a run that goes on. */
typedef struct live_film {
    rp_film_options options;
    char path[4096];
    rp_film *film; /* NULL until there is a frame */
    bool wanted, quiet;
    bool json;
    bool failed;         /* painting waits for the end of the run */
    bool refused;        /* it can never be painted: better to stop the run at once */
    rp_series_kind kind; /* of the frames that it shows */
    rp_report *report;   /* borrowed; gets why it was refused */
} live_film;
/* Before the run begins: what can be wrong is told now. */
rp_code live_film_prepare(live_film *live, const options *o, const rp_scene *scene,
                          const char *folder, rp_report *report);
/* A frame is there. */
void live_film_add(live_film *live, const rp_record *record);
/* The run has ended; when it `finished`, so does the film. */
rp_code live_film_end(live_film *live, const char *folder, bool finished, progress_bar *bar,
                      rp_report *report);

#endif
