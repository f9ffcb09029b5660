/* The command line's own parts: verbs, options, what is said and how. */
#ifndef REPOSE_CLI_H
#define REPOSE_CLI_H

#include "repose/repose.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum option_kind {
    OPTION_FLAG,  /* bool */
    OPTION_COUNT, /* long long, 0 or more */
    OPTION_TEXT,  /* const char * */
    OPTION_SET    /* key=value, may be given several times: rp_setting in `settings` */
} option_kind;

/* One option of a verb. `offset` says where in struct options its value goes. */
typedef struct option_spec {
    const char *name;  /* "--frames" */
    const char *alias; /* "-o" or NULL */
    const char *value; /* "N", for help; NULL for flags */
    option_kind kind;
    size_t offset;
    const char *help;
} option_spec;

#define SETTINGS_MAX 64
#define WORDS_MAX 64

/* The values of all options of all verbs; what was not given is zero, frames -1. */
typedef struct options {
    const char *words[WORDS_MAX]; /* what is no option, in order */
    int word_count;
    rp_setting settings[SETTINGS_MAX];
    char *setting_texts[SETTINGS_MAX]; /* behind settings[].key */
    int setting_count;
    const char *output, *format, *camera, *size, *frames_text, *plot, *along, *plane, *only,
        *spacing, *scale;
    const char *grains; /* "coarse" or "fine" */
    long long frames, threads, memory_mb, every, factor;
    bool resume, quiet, json, csv, sheet, markdown, quick, no_cache;
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

extern const verb verb_run, verb_check, verb_info, verb_export, verb_render, verb_measure,
    verb_refine, verb_sample, verb_validate, verb_bench, verb_help, verb_completion, verb_version;
int verb_count(void);
const verb *verb_at(int index);
const verb *verb_find(const char *name);

/* options.c: fills `options` from the arguments; false after saying what is wrong. */
bool options_read(const verb *v, int argc, char **argv, options *out);
void options_release(options *o);

/* say.c */
/* Prints the report's faults to standard error and gives the exit code that belongs to `code`. */
int say_faults(rp_code code, const rp_report *report, bool json);
int exit_code(rp_code code);
/* The faults as a JSON list. */
void print_json_faults(FILE *file, const rp_report *report);
/* "usage: …" and "try `repose help VERB`", for mistakes on the command line; gives the exit code.
 */
int say_usage(const verb *v, const char *format, ...) RP_PRINTF(2, 3);
/* "WHAT 'word'; did you mean …?", with the nearest of the known words, or all of them where none is
 * near; gives the exit code. */
int say_unknown(const verb *v, const char *what, const char *word, const char *const *known,
                int count);
/* A JSON string with quotes, escaped. */
void print_json_text(FILE *file, const char *text);
/* A number, or null when it is not finite. */
void print_json_number(FILE *file, double value);
/* "340 MB", "2.5 GB". */
const char *short_bytes(double bytes, char *text, size_t size);
/* "12.3 M", "45 K". */
const char *short_number(double value, char *text, size_t size);
/* "1:23:45" or "12 s". */
const char *short_duration(double seconds, char *text, size_t size);

/* find.c: a scene is given as a path or as the name of one that came along. */
/* Finds and reads the scene that the first word names, with the settings; `path` gets its path. */
rp_code open_scene(const options *o, char *path, size_t size, rp_scene **out, rp_report *report);
/* The folder "scenes" or "validation" that came along; NULL when there is none. */
const char *data_folder(const char *name);

/* frames.c: the kinds of frames that a run may hold. */
typedef struct frame_kind {
    const char *word;   /* on the command line: "coarse" */
    const char *stem;   /* of exported files: "grains" */
    const char *called; /* "frames" */
    int64_t (*count)(const rp_record *record);
    int64_t (*number)(const rp_record *record, int64_t index);
    rp_code (*read)(const rp_record *record, int64_t number, rp_frame_file **out,
                    rp_report *report);
} frame_kind;
#define FRAME_KINDS 2
#define FRAME_KIND_WORDS "coarse|fine"
extern const frame_kind frame_kinds[FRAME_KINDS];
/* The kind of that word; without a word the finest that the record holds. NULL after a fault. */
const frame_kind *choose_kind(const rp_record *record, const char *word, rp_report *report);
/* The fault that a record has no frames of a kind, and what to do about it. */
rp_code fail_no_frames(const rp_record *record, const frame_kind *kind, rp_report *report);

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
    int64_t frames_shown;
} progress_bar;
bool progress_show(void *user, const rp_progress *progress);
void progress_end(progress_bar *bar);
/* Ctrl-C asks the run to stop; a second one ends the program at once. */
void stop_on_interrupt(void);

#endif
