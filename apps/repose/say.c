/* What the program says: faults, usage, numbers in short. */
#include "cli.h"
#include "scene/words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void print_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", file);
        else if ((unsigned char)*c < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void say_fault_json(const rp_fault *fault)
{
    fprintf(stderr, "{\"error\": ");
    print_json_text(stderr, rp_code_text(fault->code));
    fprintf(stderr, ", \"file\": ");
    print_json_text(stderr, fault->file);
    fprintf(stderr, ", \"line\": %d, \"column\": %d, \"key\": ", fault->line, fault->column);
    print_json_text(stderr, fault->key);
    fprintf(stderr, ", \"message\": ");
    print_json_text(stderr, fault->message);
    fprintf(stderr, "}\n");
}

int say_faults(rp_code code, const rp_report *report, bool json)
{
    int count = rp_report_count(report), total = rp_report_total(report);
    for (int i = 0; i < count; i++) {
        const rp_fault *fault = rp_report_fault(report, i);
        char text[4096];
        rp_fault_text(fault, text, sizeof text);
        if (json)
            say_fault_json(fault);
        else
            fprintf(stderr, "repose: %s\n", text);
    }
    if (!json && total > count) fprintf(stderr, "repose: and %d more\n", total - count);
    if (!json && total > 1) fprintf(stderr, "repose: %d mistakes\n", total);
    if (!count && code != RP_OK && code != RP_INTERRUPTED)
        fprintf(stderr, "repose: %s\n", rp_code_text(code));
    return exit_code(code);
}

int say_unknown(const verb *v, const char *what, const char *word, const char *const *known,
                int count)
{
    char hint[128];
    rp_nearest nearest = rp_nearest_to(word);
    for (int i = 0; i < count; i++)
        rp_nearest_try(&nearest, known[i], strlen(known[i]));
    rp_nearest_hint(&nearest, hint, sizeof hint);
    return say_usage(v, "%s '%s'%s", what, word, hint);
}

int say_usage(const verb *v, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "repose%s%s: ", v ? " " : "", v ? v->name : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (v)
        fprintf(stderr, "usage: repose %s %s%s\n", v->name, v->words,
                v->spec_count ? " [OPTIONS]" : "");
    fprintf(stderr, "try `repose help%s%s`\n", v ? " " : "", v ? v->name : "");
    return exit_code(RP_ERROR_INPUT);
}

const char *short_number(double value, char *text, size_t size)
{
    if (value >= 1e9)
        snprintf(text, size, "%.3g G", value / 1e9);
    else if (value >= 1e6)
        snprintf(text, size, "%.3g M", value / 1e6);
    else if (value >= 1e4)
        snprintf(text, size, "%.3g K", value / 1e3);
    else
        snprintf(text, size, "%.0f", value);
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
