/* The results as one page of Markdown that is kept with the documentation: without dates and
 * machines, so that it changes only when results do. A run replaces the parts of the cases that it
 * ran, in the form that it ran them in; all others stay as they are in the file. */
#include "base/memory.h"
#include "system/atomic.h"
#include "validation/validation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PART_NAME 128

static const char intro[] =
    "# Results of the validation\n\n"
    "Written by `repose validate NAME... [--quick] -o docs/theory/validation-results.md`, which "
    "replaces "
    "the parts of the cases that it runs and keeps the others; not edited by hand. What is "
    "measured, how, and where limits come from is said in `validation/NAME/README.md`; limits were "
    "stated before "
    "anything was measured. What became of set-ups that missed them: "
    "[log/validation.md](../log/validation.md).\n";

/* The heading of one form of a case. */
static void name_part(char *name, const char *which, bool quick)
{
    snprintf(name, PART_NAME, "\n### %s, %s form\n", which, quick ? "quick" : "full");
}

/* What stands below that heading in an earlier page, up to the next one; NULL where it is not
 * there.
 */
static const char *find_part(const char *page, const char *which, bool quick, size_t *length)
{
    char name[PART_NAME];
    name_part(name, which, quick);
    const char *start = page ? strstr(page, name) : NULL;
    if (!start) return NULL;
    start += strlen(name);
    const char *end = strstr(start, "\n#");
    *length = end ? (size_t)(end - start) + 1 : strlen(start);
    while (*length && start[*length - 1] == '\n')
        --*length;
    return start;
}

/* A bar would end the cell. */
static void put_cell(rp_atomic *page, const char *text)
{
    for (; *text; text++)
        rp_atomic_print(page, *text == '|' ? "\\%c" : "%c", *text);
}

static void put_verdict(rp_atomic *page, const rp_verdict *v)
{
    const char *blank = v->unit[0] ? " " : "";
    rp_atomic_print(page, "| ");
    put_cell(page, v->what);
    rp_atomic_print(page, " | %.4g%s", v->measured, blank);
    put_cell(page, v->unit);
    if (rp_verdict_has_range(v))
        rp_atomic_print(page, " | %s%.4g ± %.3g%s", rp_verdict_prefix(v), v->expected, v->limit,
                        blank);
    else
        rp_atomic_print(page, " | at %s %.4g%s",
                        v->judgement == RP_JUDGE_AT_MOST ? "most" : "least", v->limit, blank);
    put_cell(page, v->unit);
    bool control = v->judgement == RP_JUDGE_CONTROL;
    rp_atomic_print(page, " | %s |\n",
                    v->ok ? (control ? "ok, it misses" : "ok")
                          : (control ? "**not missed**" : "**missed**"));
}

static void put_result(rp_atomic *page, const rp_case_result *r)
{
    const rp_case_context *c = &r->context;
    rp_atomic_print(page, "| number | measured | limit | verdict |\n|---|---|---|---|\n");
    for (int i = 0; i < c->verdict_count; i++)
        put_verdict(page, &c->verdicts[i]);
    if (r->code != RP_OK && r->code != RP_ERROR_FAILED)
        rp_atomic_print(page, "| did not run: %s | | | **missed** |\n", rp_code_text(r->code));
}

static const rp_case_result *find_result(const rp_case_result *results, int count,
                                         const rp_case *which, bool quick)
{
    for (int i = 0; i < count; i++)
        if (results[i].which == which && results[i].context.quick == quick) return &results[i];
    return NULL;
}

static void put_case(rp_atomic *page, const rp_case *which, const char *before,
                     const rp_case_result *results, int count)
{
    int parts = 0;
    rp_atomic_print(page, "\n## %s\n%s.\n", which->name, which->title);
    for (int quick = 1; quick >= 0; quick--) {
        char name[PART_NAME];
        size_t length = 0;
        const rp_case_result *result = find_result(results, count, which, quick);
        const char *kept = find_part(before, which->name, quick, &length);
        if (!result && !kept) continue;
        name_part(name, which->name, quick);
        rp_atomic_print(page, "%s", name);
        if (result)
            put_result(page, result);
        else
            rp_atomic_write(page, kept, length), rp_atomic_print(page, "\n");
        parts++;
    }
    if (!parts) rp_atomic_print(page, "\nNot run yet.\n");
}

rp_code rp_case_write_results(const char *path, const rp_case_result *results, int count,
                              rp_report *report)
{
    rp_atomic page;
    char *before = NULL;
    size_t size = 0;
    rp_code code = RP_OK;
    if (access(path, F_OK) == 0) code = rp_file_read(path, &before, &size, report);
    if (code == RP_OK) code = rp_atomic_open(&page, path, report);
    if (code == RP_OK) {
        rp_atomic_write(&page, intro, sizeof intro - 1);
        for (int i = 0; i < rp_case_count(); i++)
            put_case(&page, rp_case_at(i), before, results, count);
        code = rp_atomic_finish(&page, report);
    }
    rp_release(before, before ? size + 1 : 0);
    return code;
}
