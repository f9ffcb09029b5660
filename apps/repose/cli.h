/* The command line program: its verbs and options, how scenes and frames are looked up, messages,
 * progress. */
#ifndef REPOSE_CLI_H
#define REPOSE_CLI_H

#include "repose/repose.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum option_kind {
    OPTION_FLAG,  /* bool */
    OPTION_COUNT, /* long long, 0 or more */
    OPTION_REAL,  /* double */
    OPTION_BYTES, /* long long, in MB; the number may be followed by kB, MB, GB or TB */
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

/* The values of all options of all verbs. Options that were not given are zero, except that frames
 * and samples are -1, grain_size and fps NAN. */
typedef struct options {
    const char *words[WORDS_MAX]; /* arguments that are not options, in order */
    int word_count;
    rp_setting settings[SETTINGS_MAX];
    char *setting_texts[SETTINGS_MAX]; /* the memory that settings[].key points into */
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
    /* Returns word `index` of those that may follow the verb, for help and completion, or NULL
     * after the last. The pointer may be NULL. */
    const char *(*choice)(int index);
    const char *(*choice_help)(int index); /* one line about each word; may be NULL */
    int (*run)(const struct verb *verb, const options *options); /* returns the exit code */
} verb;

#define VERB_OPTIONS(list) .specs = (list), .spec_count = (int)(sizeof(list) / sizeof *(list))

extern const verb verb_run, verb_resume, verb_check, verb_info, verb_export, verb_render,
    verb_measure, verb_refine, verb_sample, verb_validate, verb_bench, verb_help, verb_completion,
    verb_version;
int verb_count(void);
const verb *verb_at(int index);
const verb *verb_find(const char *name);

/* --- options.c --- */
/* Fills `out` from the arguments. Prints what is wrong and returns false after a mistake. */
bool options_read(const verb *v, int argc, char **argv, options *out);
/* Reads the value of an option as a quantity: "5 mm", or a bare number in `unit`: "0.005". */
rp_code read_quantity(const char *option, const char *text, const char *unit, double *value,
                      rp_report *report);
void options_release(options *o);
/* Returns the options of `v` that determine the result (not where or how it is computed), one per
 * line, as `--frames=12`. Release with free; NULL when memory runs out. */
char *options_text(const verb *v, const options *o);
/* Reads such lines as values of options that were not given. The text is modified and must outlive
 * `o`. Prints what is wrong and returns false after a mistake. */
bool options_add_text(const verb *v, char *text, options *o);

/* --- messages.c --- */
/* Adds a fault to the report and returns `code`. */
rp_code fail(rp_report *report, rp_code code, const char *format, ...) RP_PRINTF(3, 4);
/* The same with the name of a file or of a word. */
rp_code fail_at(rp_report *report, rp_code code, const char *file, const char *format, ...)
    RP_PRINTF(4, 5);
/* Adds a fault for a failed system call on `file`; `error` is its errno. */
rp_code fail_errno(rp_report *report, int error, const char *file, const char *action);
/* Returns "; did you mean 'density'?" with the nearest of the words "a|b|c", or an empty text. */
const char *suggestion(const char *word, const char *words, char *hint, size_t size);
/* Returns the index of `word` in "a|b|c", or -1. */
int find_word(const char *words, const char *word);
/* Prints the report's faults to standard error and returns the exit code of `code`. */
int print_faults(rp_code code, const rp_report *report, bool json);
int exit_code(rp_code code);
/* Notes that mistakes in the text of a scene stop the check before meshes and grains. */
void print_more_may_follow(const rp_report *report);
/* Prints the faults as a JSON list. */
void print_json_faults(FILE *file, const rp_report *report);
/* Prints a mistake on the command line, the usage of the verb, and "try `repose help VERB`";
 * returns the exit code. */
int print_usage_error(const verb *v, const char *format, ...) RP_PRINTF(2, 3);
/* Prints "WHAT 'word'; did you mean …?" with the nearest of the known words, or all of them when
 * none is similar; returns the exit code. */
int print_unknown_word(const verb *v, const char *what, const char *word, const char *const *known,
                       int count);
/* Returns a text from a file or the command line without control characters, on one line. The
 * result is valid until this function has been called eight more times. */
const char *plain(const char *text);
/* Prints a JSON string with quotes, escaped. */
void print_json_text(FILE *file, const char *text);
/* Prints a number, or null when it is not finite. */
void print_json_number(FILE *file, double value);
/* progress.c: prints the numbers that a method reports of a step, each after a comma. */
void print_json_step_numbers(const rp_step_info *step);
/* "340 MB", "2.5 GB". */
const char *short_bytes(double bytes, char *text, size_t size);
/* "12.3 M", "45 K". */
const char *short_number(double value, char *text, size_t size);
/* "1:23:45" or "12 s". */
const char *short_duration(double seconds, char *text, size_t size);

/* measure_options.c: reads the options of a measurement, as far as they can be checked without a
 * run. */
rp_code read_measure_options(const options *o, const rp_measure_info *kind, rp_measure_options *out,
                             rp_report *report);

/* --- inputs.c --- */
/* Finds and reads the scene that the first word names (a path, a bundled scene, or "-" for standard
 * input) and applies the settings; `path` receives its path, STDIN_SCENE for standard input. */
#define STDIN_SCENE "stdin"
rp_code open_scene(const options *o, char *path, size_t size, rp_scene **out, rp_report *report);
/* Returns the folder of bundled data called "scenes" or "validation"; NULL when there is none. */
const char *data_folder(const char *name);

/* The kinds of frames that a run may hold. */
typedef struct frame_kind {
    const char *word;  /* on the command line: "coarse" */
    const char *stem;  /* of exported files: "grains" */
    const char *label; /* in messages: "frames" */
    rp_series_kind series;
} frame_kind;
#define FRAME_KINDS 2
#define FRAME_KIND_WORDS "coarse|fine"
extern const frame_kind frame_kinds[FRAME_KINDS];
/* Returns the frames of a kind. */
const rp_series *series_of_kind(const rp_record *record, const frame_kind *kind);
/* Returns the kind called `word`, or the finest that the record holds when `word` is NULL; NULL
 * after a fault. */
const frame_kind *select_kind(const rp_record *record, const char *word, rp_report *report);
/* Adds the fault that a record has no frames of a kind, with what to do about it. */
rp_code fail_no_frames(const rp_record *record, const frame_kind *kind, rp_report *report);
/* Adds the fault that it has none of the requested frames, with the range that it has. */
rp_code fail_frame_range(const rp_record *record, const frame_kind *kind, rp_report *report);

/* `--frames A:B` or `--frames A`. */
#define FRAMES_OPTION(fallback)                                                                    \
    {                                                                                              \
        "--frames", NULL, "A:B", OPTION_TEXT, offsetof(options, frames_text),                      \
            "only frames A to B, or frame A (default: " fallback ")"                               \
    }
/* Reads the first and the last frame number of `text`; all numbers when it is NULL. */
rp_code read_frame_range(const char *text, int64_t *from, int64_t *to, rp_report *report);
/* Selects frames of a kind by `text`: `*count` frames from index `*first` on, at least one. All of
 * them when `text` is NULL. */
rp_code select_frames(const rp_record *record, const frame_kind *kind, const char *text,
                      int64_t *first, int64_t *count, rp_report *report);

/* --- progress.c --- */
typedef struct progress_bar {
    bool terminal, quiet, json;
    double shown; /* wall-clock time of the last redraw, s */
    int64_t frames_shown, kept_shown;
    bool encoding_shown;
    const char *faster; /* a hint that is printed once when pictures take long; NULL: none */
} progress_bar;
bool progress_show(void *user, const rp_progress *progress);
/* The same for pictures of a film. */
bool progress_show_film(void *user, const rp_film_progress *progress);
/* Shows nothing; stops on Ctrl-C. */
bool progress_quiet_film(void *user, const rp_film_progress *progress);
void progress_end(progress_bar *bar);
/* Returns monotonic wall-clock time, s. */
double wall_clock(void);
/* From now on Ctrl-C requests a clean stop; a second one ends the program at once. */
void stop_on_interrupt(void);
/* Returns whether a stop was requested; `user` is unused. */
bool is_interrupted(void *user);

/* --- options.c: options of verbs that render pictures --- */
#define SIZE_OPTION(what, fallback)                                                                \
    OPTION("--size", NULL, "WxH", OPTION_TEXT, size,                                               \
           what " (default " fallback "; up to 8192x8192)")
#define PICTURE_OPTIONS                                                                            \
    OPTION("--quality", NULL, "draft|good|final", OPTION_TEXT, quality,                            \
           "finer pictures take longer (default good)"),                                           \
        OPTION("--samples", NULL, "N", OPTION_COUNT, samples,                                      \
               "samples per pixel, 1 to 4096 (default: those of the quality)"),                    \
        OPTION("--camera", NULL, "NAME", OPTION_TEXT, camera,                                      \
               "a camera of the scene, or automatic (default: the scene's first)"),                \
        OPTION("--orbit", NULL, "RATE", OPTION_TEXT, orbit,                                        \
               "angular speed at which the camera circles the scene, such as 10deg/s or 2rpm; "    \
               "degrees per second without a unit"),                                               \
        OPTION("--grain-size", NULL, "F", OPTION_REAL, grain_size,                                 \
               "scale of the drawn grains (default 1: neighbors touch)"),                          \
        OPTION(                                                                                    \
            "--color", "--colour", "WHAT", OPTION_TEXT, colour,                                    \
            "what the colours show: material, speed, density, pressure, moisture, id or a field"), \
        OPTION("--chains", NULL, NULL, OPTION_FLAG, chains,                                        \
               "draw contact forces as tubes (needs output.contacts); same as --color chains"),    \
        OPTION("--range", NULL, "A:B", OPTION_TEXT, range,                                         \
               "values of the first and the last colour (default: range of the run)"),             \
        OPTION("--time", NULL, NULL, OPTION_FLAG, show_time,                                       \
               "print the time into each picture; contact sheets always have it"),                 \
        OPTION("--fps", NULL, "N", OPTION_REAL, fps,                                               \
               "frames per second of a film (default: the frame rate of the run, up to 60)")
/* Copies the options that were given into `out`. */
rp_code read_picture_options(const options *o, rp_film_options *out, rp_report *report);
/* Reads two numbers as in "1280x720"; `like` is the example that a fault shows. */
rp_code read_size_pair(const char *option, const char *text, const char *like, int *first,
                       int *second, rp_report *report);
/* Returns an option of PICTURE_OPTIONS that was given, or NULL. */
const char *picture_option_given(const options *o);
/* Writes the default path of a film: FOLDER/STEM.mp4; without ffmpeg FOLDER/pictures, after a
 * message. */
void default_film_path(const char *folder, const char *stem, bool quiet, char *path, size_t size);

#endif
