/* Messages: faults, usage, JSON values, short forms of numbers. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define WORD_LIST_MAX 32
#define HINT "; did you mean '%s'?"

static rp_code add_fault(rp_report *report, rp_code code, const char *file, const char *format,
                         va_list arguments)
{
    char message[1536];
    vsnprintf(message, sizeof message, format, arguments);
    return rp_report_add(report, &(rp_fault){.code = code, .file = file, .message = message});
}

rp_code fail(rp_report *report, rp_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_fault(report, code, NULL, format, arguments);
    va_end(arguments);
    return code;
}

rp_code fail_at(rp_report *report, rp_code code, const char *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_fault(report, code, file, format, arguments);
    va_end(arguments);
    return code;
}

rp_code fail_errno(rp_report *report, int error, const char *file, const char *action)
{
    bool full = error == ENOSPC || error == EDQUOT;
    return fail_at(report, full ? RP_ERROR_SPACE : RP_ERROR_IO, file, "cannot %s: %s%s", action,
                   strerror(error), full ? "; free some space and try again" : "");
}

/* Documented in `repose help exit-codes`. */
int exit_code(rp_code code)
{
    switch (code) {
    case RP_OK:
        return 0;
    case RP_ERROR_FAILED:
        return 1;
    case RP_ERROR_INPUT:
        return 2;
    case RP_ERROR_MEMORY:
        return 3;
    case RP_ERROR_IO:
        return 4;
    case RP_ERROR_SPACE:
        return 5;
    case RP_ERROR_DAMAGED:
        return 6;
    case RP_ERROR_NUMERIC:
        return 7;
    case RP_ERROR_UNSUPPORTED:
        return 8;
    case RP_INTERRUPTED:
        return 130;
    }
    return 1;
}

const char *plain(const char *text)
{
    static char texts[8][4400];
    static unsigned next;
    char *shown = texts[next++ % 8];
    return rp_text_plain(text, false, shown, sizeof texts[0]);
}

void print_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c;) {
        size_t length = rp_character_length(c);
        unsigned code = rp_character_code(c);
        if (!length) /* JSON is UTF-8 */
            fputs("\\ufffd", file);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", file);
        else if (!rp_character_shows(code))
            fprintf(file, "\\u%04x", code);
        else
            fwrite(c, 1, length, file);
        c += length ? length : 1;
    }
    fputc('"', file);
}

void print_json_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.9g", value);
    else
        fputs("null", file);
}

static void print_json_fault(FILE *file, const rp_fault *fault)
{
    fprintf(file, "{\"error\": ");
    print_json_text(file, rp_code_text(fault->code));
    fprintf(file, ", \"file\": ");
    print_json_text(file, fault->file);
    fprintf(file, ", \"line\": %d, \"column\": %d, \"key\": ", fault->line, fault->column);
    print_json_text(file, fault->key);
    fprintf(file, ", \"message\": ");
    print_json_text(file, fault->message);
    fputc('}', file);
}

void print_json_faults(FILE *file, const rp_report *report)
{
    fputc('[', file);
    for (int i = 0; i < rp_report_count(report); i++) {
        if (i) fputs(", ", file);
        print_json_fault(file, rp_report_fault(report, i));
    }
    fputc(']', file);
}

int print_faults(rp_code code, const rp_report *report, bool json)
{
    int count = rp_report_count(report), total = rp_report_total(report);
    for (int i = 0; i < count; i++) {
        const rp_fault *fault = rp_report_fault(report, i);
        char text[4096];
        rp_fault_text(fault, text, sizeof text);
        if (json)
            print_json_fault(stderr, fault);
        else
            fprintf(stderr, "repose: %s", text);
        fputc('\n', stderr);
    }
    if (!json && total > count) fprintf(stderr, "repose: and %d more\n", total - count);
    if (!json && total > 1) fprintf(stderr, "repose: %d mistakes\n", total);
    if (!count && code != RP_OK && code != RP_INTERRUPTED)
        fprintf(stderr, "repose: %s\n", rp_code_text(code));
    return exit_code(code);
}

void print_more_may_follow(const rp_report *report)
{
    const rp_fault *first = rp_report_fault(report, 0);
    if (!first || !first->key || !first->key[0]) return; /* the scene was not found or not read */
    fprintf(stderr,
            "repose: meshes and grains are checked once these are corrected; more may follow\n");
}

/* Splits "a|b|c" in place. */
static int split_words(char *words, const char **list)
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, "|", &rest); word && count < WORD_LIST_MAX;
         word = strtok_r(NULL, "|", &rest))
        list[count++] = word;
    return count;
}

const char *suggestion(const char *word, const char *words, char *hint, size_t size)
{
    char copy[512], nearest[64];
    const char *list[WORD_LIST_MAX];
    snprintf(copy, sizeof copy, "%s", words);
    int count = split_words(copy, list);
    hint[0] = 0;
    if (rp_word_suggest(word, list, count, nearest, sizeof nearest))
        snprintf(hint, size, HINT, nearest);
    return hint;
}

int find_word(const char *words, const char *word)
{
    char copy[512];
    const char *list[WORD_LIST_MAX];
    snprintf(copy, sizeof copy, "%s", words);
    int count = split_words(copy, list);
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0) return i;
    return -1;
}

int print_unknown_word(const verb *v, const char *what, const char *word, const char *const *known,
                       int count)
{
    char nearest[64], hint[128] = "";
    if (rp_word_suggest(word, known, count, nearest, sizeof nearest))
        snprintf(hint, sizeof hint, HINT, nearest);
    char list[512] = "";
    for (int i = 0; i < count && !hint[0]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "; there are ", known[i]);
    }
    return print_usage_error(v, "%s '%s'%s%s", what, word, hint, list);
}

int print_usage_error(const verb *v, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "repose%s%s: %s\n", v ? " " : "", v ? v->name : "", plain(text));
    if (v)
        fprintf(stderr, "usage: repose %s %s%s\n", v->name, v->words,
                v->spec_count ? " [OPTIONS]" : "");
    fprintf(stderr, "try `repose help%s%s`\n", v ? " " : "", v ? v->name : "");
    return exit_code(RP_ERROR_INPUT);
}

const char *short_number(double value, char *text, size_t size)
{
    if (value >= 999.5e6)
        snprintf(text, size, "%.3g G", value / 1e9);
    else if (value >= 999.5e3)
        snprintf(text, size, "%.3g M", value / 1e6);
    else if (value >= 1e4)
        snprintf(text, size, "%.3g K", value / 1e3);
    else
        snprintf(text, size, "%.0f", value);
    return text;
}

const char *short_bytes(double bytes, char *text, size_t size)
{
    if (bytes >= 1e9)
        snprintf(text, size, "%.3g GB", bytes / 1e9);
    else
        snprintf(text, size, "%.3g MB", bytes / 1e6);
    return text;
}

const char *short_duration(double seconds, char *text, size_t size)
{
    long whole = (long)(seconds + 0.5);
    if (seconds < 0)
        snprintf(text, size, "?");
    else if (whole < 60)
        snprintf(text, size, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
    else
        snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    return text;
}
