/* Reports: what is added to them, as texts that can be printed anywhere. */
#include "base/report.h"
#include "base/memory.h"
#include "repose/text.h"
#include "version.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS_MAX 100 /* further ones are only counted */
#define EXCERPT_MAX 160
#define PLAIN_MAX 4400 /* holds the longest path */

struct rp_report {
    rp_fault *faults;
    size_t count, capacity;
    int total; /* with those that were only counted */
};

const char *rp_code_text(rp_code code)
{
    switch (code) {
    case RP_OK:
        return "ok";
    case RP_ERROR_INPUT:
        return "bad input";
    case RP_ERROR_MEMORY:
        return "out of memory";
    case RP_ERROR_IO:
        return "file error";
    case RP_ERROR_SPACE:
        return "disk full";
    case RP_ERROR_DAMAGED:
        return "damaged file";
    case RP_ERROR_NUMERIC:
        return "numerical failure";
    case RP_ERROR_UNSUPPORTED:
        return "not supported";
    case RP_ERROR_FAILED:
        return "limit missed";
    case RP_INTERRUPTED:
        return "interrupted";
    }
    return "unknown";
}

rp_report *rp_report_create(void)
{
    return rp_allocate_zero(sizeof(rp_report));
}

void rp_report_clear(rp_report *report)
{
    if (!report) return;
    for (size_t i = 0; i < report->count; i++) {
        rp_fault *fault = &report->faults[i];
        rp_text_release((char *)fault->file);
        rp_text_release((char *)fault->key);
        rp_text_release((char *)fault->message);
        rp_text_release((char *)fault->excerpt);
    }
    report->count = 0;
    report->total = 0;
}

void rp_report_destroy(rp_report *report)
{
    if (!report) return;
    rp_report_clear(report);
    rp_release(report->faults, report->capacity * sizeof *report->faults);
    rp_release(report, sizeof *report);
}

int rp_report_count(const rp_report *report)
{
    return report ? (int)report->count : 0;
}

int rp_report_total(const rp_report *report)
{
    return report ? report->total : 0;
}

const rp_fault *rp_report_fault(const rp_report *report, int index)
{
    return report && index >= 0 && (size_t)index < report->count ? &report->faults[index] : NULL;
}

int rp_fault_text(const rp_fault *fault, char *text, size_t size)
{
    char place[1024] = "";
    if (text && size) text[0] = 0;
    if (!fault || (!text && size)) return 0;
    if (fault->file[0] && fault->line && fault->column)
        snprintf(place, sizeof place, "%s:%d:%d: ", fault->file, fault->line, fault->column);
    else if (fault->file[0] && fault->line)
        snprintf(place, sizeof place, "%s:%d: ", fault->file, fault->line);
    else if (fault->file[0])
        snprintf(place, sizeof place, "%s: ", fault->file);
    const char *colon = fault->key[0] ? ": " : "";
    if (!fault->excerpt[0] || !fault->column)
        return snprintf(text, size, "%s%s%s%s", place, fault->key, colon, fault->message);
    return snprintf(text, size, "%s%s%s%s\n    %s\n    %*s", place, fault->key, colon,
                    fault->message, fault->excerpt, fault->column, "^");
}

/* Copies a text for a report, with control characters escaped: paths, names and messages of other
 * programs may contain anything, and reports are printed. NULL becomes an empty text. */
static bool copy_text(const char **copy, const char *text, bool lines)
{
    char plain[PLAIN_MAX];
    *copy = rp_text_copy(rp_text_plain(text, lines, plain, sizeof plain));
    return *copy != NULL;
}

/* The line as it can stand above a caret: no line end, tabs and control characters as blanks. A
 * line too long to show whole gives none, since its caret would stand off the screen. */
static void clean_excerpt(const char *line, char *excerpt)
{
    size_t length = strcspn(line, "\r\n");
    if (length > EXCERPT_MAX) length = 0;
    memcpy(excerpt, line, length);
    excerpt[length] = 0;
    for (char *c = excerpt; *c;) {
        size_t bytes = rp_character_length(c);
        if (!bytes) *c = '?';
        if (bytes && !rp_character_shows(rp_character_code(c))) memset(c, ' ', bytes);
        c += bytes ? bytes : 1;
    }
}

static void add_fault(rp_report *report, rp_code code, const rp_place *place, const char *key,
                      const char *message)
{
    report->total++;
    if (report->count == FAULTS_MAX) return;
    if (!rp_reserve((void **)&report->faults, &report->capacity, report->count, report->count + 1,
                    sizeof *report->faults))
        return;
    static const rp_place unknown = {0};
    if (!place) place = &unknown;
    char excerpt[EXCERPT_MAX + 1] = "";
    if (place->excerpt) clean_excerpt(place->excerpt, excerpt);

    rp_fault fault = {.code = code, .line = place->line, .column = place->column};
    bool copied = copy_text(&fault.file, place->file, false);
    copied &= copy_text(&fault.key, key, false);
    copied &= copy_text(&fault.message, message, true);
    copied &= copy_text(&fault.excerpt, excerpt, false);
    if (copied) {
        report->faults[report->count++] = fault;
        return;
    }
    /* Out of memory: the fault is only counted. */
    rp_text_release((char *)fault.file);
    rp_text_release((char *)fault.key);
    rp_text_release((char *)fault.message);
    rp_text_release((char *)fault.excerpt);
}

rp_code rp_report_add(rp_report *report, const rp_fault *fault)
{
    if (!fault) return RP_OK;
    rp_place place = {.file = fault->file,
                      .line = fault->line,
                      .column = fault->column,
                      .excerpt = fault->excerpt};
    if (report) add_fault(report, fault->code, &place, fault->key, fault->message);
    return fault->code;
}

rp_code rp_fail(rp_report *report, rp_code code, const char *format, ...)
{
    if (!report) return code;
    char message[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add_fault(report, code, NULL, NULL, message);
    return code;
}

rp_code rp_fail_at(rp_report *report, rp_code code, const rp_place *place, const char *key,
                   const char *format, ...)
{
    if (!report) return code;
    char message[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add_fault(report, code, place, key, message);
    return code;
}

rp_code rp_fail_memory(rp_report *report, size_t bytes, const char *what)
{
    const rp_budget *budget = rp_budget_now();
    if (bytes > rp_budget_remaining())
        return rp_fail(
            report, RP_ERROR_MEMORY,
            "%.1f MB for %s would exceed the limit of %.1f MB, of which %.1f MB are in use; allow "
            "more memory (--memory), raise particles.spacing, or make sources and emitters smaller",
            (double)bytes / 1e6, what, (double)budget->limit / 1e6, (double)budget->used / 1e6);
    return rp_fail(report, RP_ERROR_MEMORY, "out of memory: %.1f MB for %s", (double)bytes / 1e6,
                   what);
}

rp_code rp_fail_null(rp_report *report, const char *function, const char *argument)
{
    return rp_fail(report, RP_ERROR_INPUT, "%s: %s is NULL", function, argument);
}

rp_code rp_fail_errno(rp_report *report, int error, const char *file, const char *action)
{
    rp_place place = {.file = file};
    bool full = error == ENOSPC;
#ifdef EDQUOT
    full = full || error == EDQUOT;
#endif
    rp_code code = full ? RP_ERROR_SPACE : RP_ERROR_IO;
    const char *advice =
        code == RP_ERROR_SPACE
            ? "; free some space and try again (`repose resume RUN` continues a run)"
            : "";
    return rp_fail_at(report, code, &place, NULL, "cannot %s: %s%s", action, strerror(error),
                      advice);
}

/* --- options of callers ----------------------------------------------------------------------- */

rp_code rp_options_take(void *own, size_t size, const void *given, const char *function,
                        const char *argument, rp_report *report)
{
    if (!given) return RP_OK;
    size_t given_size;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size == 0)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%s: %s->size is 0; begin with what the rp_default_ function returns",
                       function, argument);
    if (given_size < sizeof given_size || given_size > size)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%s: %s->size is %zu, this library (%s) knows %zu bytes; was the program "
                       "built for a newer one?",
                       function, argument, given_size, rp_version(), size);
    memcpy((char *)own + sizeof size, (const char *)given + sizeof size, given_size - sizeof size);
    return RP_OK;
}

void rp_options_give(void *given, size_t size, const void *own, size_t own_size)
{
    if (!given) return;
    memset(given, 0, size);
    memcpy(given, own, size < own_size ? size : own_size);
}

/* --- log and assertions ----------------------------------------------------------------------- */

void rp_log(rp_level level, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char plain[2048];
    const rp_hooks *hooks = rp_hooks_now();
    hooks->log(hooks->user, level, rp_text_plain(message, true, plain, sizeof plain));
}

void rp_assert_failed(const char *condition, const char *file, int line)
{
    const rp_hooks *hooks = rp_hooks_now();
    hooks->assert_failed(hooks->user, condition, file, line);
    abort();
}

/* --- version ---------------------------------------------------------------------------------- */

const char *rp_version(void)
{
    return RP_VERSION_TEXT;
}

const char *rp_build_text(void)
{
    return RP_BUILD_TEXT;
}
