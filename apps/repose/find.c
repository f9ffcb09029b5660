/* Scenes and cases that came along: beside the program as built, or below its prefix as installed.
 */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The folder that the program itself is in, without the last slash. */
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

/* A fault that names the scenes there are, the nearest one first. */
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
    fail_at(report, RP_ERROR_INPUT, word, "no such scene file%s; scenes that came along: %s", hint,
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
        fail(report, RP_ERROR_INPUT, "the path is too long");
        return false;
    }
    const char *folder = data_folder("scenes");
    if (folder) {
        snprintf(path, size, "%s/%s.yaml", folder, word);
        if (is_file(path)) return true;
    }
    return unknown_scene(word, report);
}

/* All of standard input; NULL after a fault. Free it. */
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

/* Files that such a scene names are relative to the working folder. */
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
