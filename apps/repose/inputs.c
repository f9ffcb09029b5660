/* What the words of a command line name: scenes and frames. A scene is given as a path, as the name
 * of a bundled scene, or as "-"; the frames of a run by their numbers and by their kind. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- bundled data ----------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Writes the folder of the running program, without a trailing slash. */
static bool program_folder(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    return slash != NULL;
}

const char *data_folder(const char *name)
{
    static char path[PATH_MAX];
    const char *data = getenv("REPOSE_DATA");
    if (data) {
        snprintf(path, sizeof path, "%s/%s", data, name);
        return is_folder(path) ? path : NULL;
    }
    static const char *const places[] = {"%s/../%s", "%s/../share/repose/%s"};
    char program[PATH_MAX / 2];
    if (!program_folder(program, sizeof program)) return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, places[i], program, name);
        if (is_folder(path)) return path;
    }
    return NULL;
}

static int is_scene(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

/* Adds a fault that suggests the most similar bundled scene and lists all of them. */
static bool unknown_scene(const char *word, rp_report *report)
{
    const char *folder = data_folder("scenes");
    struct dirent **entries = NULL;
    int count = folder ? scandir(folder, &entries, is_scene, alphasort) : 0;
    const char **names = calloc((size_t)(count > 0 ? count : 1), sizeof *names);
    char list[1024] = "", nearest[64] = "", hint[128] = "";
    for (int i = 0; i < count; i++) {
        *strrchr(entries[i]->d_name, '.') = 0;
        if (names) names[i] = entries[i]->d_name;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", entries[i]->d_name);
    }
    if (rp_word_suggest(word, names, count, nearest, sizeof nearest))
        snprintf(hint, sizeof hint, "; did you mean '%s'?", nearest);
    fail_at(report, RP_ERROR_INPUT, word, "no such scene file%s; bundled scenes: %s", hint,
            list[0] ? list : "none");
    free(names);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return false;
}

static bool find_scene(const char *word, char *path, size_t size, rp_report *report)
{
    snprintf(path, size, "%s", word);
    if (is_file(word) || strchr(word, '/') || strchr(word, '.')) {
        if (strlen(word) < size) return true;
        fail(report, RP_ERROR_INPUT, "the path of the scene is too long");
        return false;
    }
    const char *folder = data_folder("scenes");
    if (folder) {
        snprintf(path, size, "%s/%s.yaml", folder, word);
        if (is_file(path)) return true;
    }
    return unknown_scene(word, report);
}

/* Returns all of standard input; NULL after a fault. Release with free. */
static char *read_standard_input(size_t *length, rp_report *report)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *length = 0;
    while (text && !feof(stdin) && !ferror(stdin) && *length <= RP_SCENE_BYTES_MAX) {
        *length += fread(text + *length, 1, capacity - *length, stdin);
        if (*length < capacity) continue;
        char *larger = realloc(text, capacity *= 2);
        if (!larger) free(text);
        text = larger;
    }
    if (!text)
        fail(report, RP_ERROR_MEMORY, "out of memory: %.1f MB for the scene",
             (double)capacity / 1e6);
    else if (ferror(stdin))
        fail_errno(report, errno, STDIN_SCENE, "read the scene");
    else
        return text;
    free(text);
    return NULL;
}

/* Paths in a scene from standard input are relative to the working folder. */
static rp_code open_standard_input(const options *o, rp_scene **out, rp_report *report)
{
    size_t length;
    char *text = read_standard_input(&length, report);
    if (!text) return RP_ERROR_IO;
    rp_code code =
        rp_scene_parse_with(text, length, STDIN_SCENE, o->settings, o->setting_count, out, report);
    free(text);
    return code;
}

rp_code open_scene(const options *o, char *path, size_t size, rp_scene **out, rp_report *report)
{
    *out = NULL;
    if (strcmp(o->words[0], "-") == 0) {
        snprintf(path, size, STDIN_SCENE);
        return open_standard_input(o, out, report);
    }
    if (!find_scene(o->words[0], path, size, report)) return RP_ERROR_INPUT;
    return rp_scene_load(path, o->settings, o->setting_count, out, report);
}

/* --- frames of a run -------------------------------------------------------------------------- */

const frame_kind frame_kinds[FRAME_KINDS] = {
    {"coarse", "grains", "frames", RP_SERIES_COARSE},
    {"fine", "fine", "fine frames", RP_SERIES_FINE},
};

const rp_series *series_of_kind(const rp_record *record, const frame_kind *kind)
{
    return rp_record_series(record, kind->series);
}

rp_code fail_no_frames(const rp_record *record, const frame_kind *kind, rp_report *report)
{
    return fail(report, RP_ERROR_INPUT, "%s holds no %s%s", rp_record_folder(record), kind->label,
                kind == &frame_kinds[1] ? "; make them with `repose refine`" : "");
}

rp_code fail_frame_range(const rp_record *record, const frame_kind *kind, rp_report *report)
{
    long long count = rp_series_count(series_of_kind(record, kind));
    if (!count) return fail_no_frames(record, kind, report);
    return fail(report, RP_ERROR_INPUT, "%s holds no such frame; it has %lld %s, %lld to %lld",
                rp_record_folder(record), count, kind->label,
                (long long)rp_series_number(series_of_kind(record, kind), 0),
                (long long)rp_series_number(series_of_kind(record, kind), count - 1));
}

const frame_kind *select_kind(const rp_record *record, const char *word, rp_report *report)
{
    const frame_kind *chosen = &frame_kinds[0];
    for (int i = 0; i < FRAME_KINDS; i++) {
        const frame_kind *kind = &frame_kinds[i];
        if (word ? strcmp(word, kind->word) == 0
                 : rp_series_count(series_of_kind(record, kind)) > 0)
            chosen = kind;
    }
    if (word && strcmp(word, chosen->word) != 0) {
        char hint[128];
        fail(report, RP_ERROR_INPUT, "--grains %s: there are coarse and fine%s", word,
             suggestion(word, FRAME_KIND_WORDS, hint, sizeof hint));
        return NULL;
    }
    if (rp_series_count(series_of_kind(record, chosen)) > 0) return chosen;
    fail_no_frames(record, chosen, report);
    return NULL;
}

rp_code read_frame_range(const char *text, int64_t *from, int64_t *to, rp_report *report)
{
    long long first = 0, last = LLONG_MAX;
    char rest;
    if (text && sscanf(text, "%lld:%lld%c", &first, &last, &rest) != 2) {
        if (sscanf(text, "%lld%c", &first, &rest) != 1)
            return fail(report, RP_ERROR_INPUT, "--frames %s: write it as A:B or A", text);
        last = first;
    }
    *from = first;
    *to = last;
    return RP_OK;
}

rp_code select_frames(const rp_record *record, const frame_kind *kind, const char *text,
                      int64_t *first, int64_t *count, rp_report *report)
{
    int64_t from = 0, to = 0;
    *first = *count = 0;
    rp_code code = read_frame_range(text, &from, &to, report);
    if (code != RP_OK) return code;
    int64_t total = rp_series_count(series_of_kind(record, kind));
    for (int64_t i = 0; i < total; i++) {
        int64_t number = rp_series_number(series_of_kind(record, kind), i);
        if (number < from || number > to) continue;
        if (!*count) *first = i;
        ++*count;
    }
    if (*count) return RP_OK;
    return fail_frame_range(record, kind, report);
}
