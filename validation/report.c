/* The outcomes of validation cases as files: one HTML page with texts, numbers and figures, and one
 * page of Markdown with the numbers. */
#include "validation/validation.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/wide.h"
#include "repose/text.h"
#include "system/atomic.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- HTML elements ---------------------------------------------------------------------------- */

static void put(rp_atomic *page, const char *text)
{
    rp_atomic_write(page, text, strlen(text));
}

void rp_html_text(rp_atomic *page, const char *text, size_t length)
{
    size_t bytes;
    for (size_t i = 0; i < length; i += bytes) {
        char c = text[i];
        bytes = rp_character_length(text + i);
        bool shows =
            bytes && (rp_character_shows(rp_character_code(text + i)) || c == '\n' || c == '\t');
        const char *escaped = c == '<'   ? "&lt;"
                              : c == '>' ? "&gt;"
                              : c == '&' ? "&amp;"
                              : c == '"' ? "&quot;"
                              : !shows   ? "?"
                                         : NULL;
        if (!bytes) bytes = 1;
        if (escaped)
            put(page, escaped);
        else
            rp_atomic_write(page, text + i, bytes);
    }
}

/* A run of text with `code` and **bold**; marks that are not closed stay as they are. */
static void put_inline(rp_atomic *page, const char *text, size_t length)
{
    while (length) {
        const char *mark = text[0] == '`' ? "`" : strncmp(text, "**", 2) == 0 ? "**" : NULL;
        size_t width = mark ? strlen(mark) : 0;
        const char *end =
            mark && length > width ? memmem(text + width, length - width, mark, width) : NULL;
        if (end) {
            bool code = width == 1;
            put(page, code ? "<code>" : "<strong>");
            rp_html_text(page, text + width, (size_t)(end - text) - width);
            put(page, code ? "</code>" : "</strong>");
            length -= (size_t)(end - text) + width;
            text = end + width;
        } else {
            rp_html_text(page, text, 1);
            text++, length--;
        }
    }
}

typedef enum block { NONE, PARAGRAPH, LIST, CODE, TABLE } block;

/* Ends the open block and begins another. */
static void switch_block(rp_atomic *page, block *open, block next)
{
    static const char *const begin[] = {"", "<p>", "<ul>\n<li>", "<pre>", "<table>\n"};
    static const char *const end[] = {"", "</p>\n", "</li>\n</ul>\n", "</pre>\n", "</table>\n"};
    put(page, end[*open]);
    put(page, begin[next]);
    *open = next;
}

static void put_row(rp_atomic *page, const char *line, size_t length)
{
    if (strspn(line, "|-: ") >= length) return; /* the rule below the head */
    put(page, "<tr>");
    for (size_t i = 1; i < length;) {
        const char *bar = memchr(line + i, '|', length - i);
        size_t size = bar ? (size_t)(bar - line) - i : length - i;
        put(page, "<td>");
        put_inline(page, line + i, size);
        put(page, "</td>");
        i += size + 1;
    }
    put(page, "</tr>\n");
}

static void put_heading(rp_atomic *page, block *open, const char *line, size_t length)
{
    size_t level = strspn(line, "#"), skip = level + strspn(line + level, " ");
    switch_block(page, open, NONE);
    if (level < 2 || skip > length) return;
    put(page, "<h3>");
    put_inline(page, line + skip, length - skip);
    put(page, "</h3>\n");
}

static void put_line(rp_atomic *page, block *open, const char *line, size_t length)
{
    size_t indent = strspn(line, " \t");
    if (indent >= length) {
        switch_block(page, open, NONE);
    } else if (line[0] == '#') {
        put_heading(page, open, line, length);
    } else if (line[0] == '|') {
        if (*open != TABLE) switch_block(page, open, TABLE);
        put_row(page, line, length);
    } else if (length > 2 && (line[0] == '-' || line[0] == '*') && line[1] == ' ') {
        if (*open == LIST)
            put(page, "</li>\n<li>");
        else
            switch_block(page, open, LIST);
        put_inline(page, line + 2, length - 2);
    } else {
        if (*open != PARAGRAPH && !(*open == LIST && indent)) switch_block(page, open, PARAGRAPH);
        put_inline(page, line + indent, length - indent);
        put(page, "\n");
    }
}

void rp_html_markdown(rp_atomic *page, const char *text)
{
    block open = NONE;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (strncmp(text, "```", 3) == 0) {
            switch_block(page, &open, open == CODE ? NONE : CODE);
        } else if (open == CODE) {
            rp_html_text(page, text, length);
            put(page, "\n");
        } else {
            /* A line that goes on with the last: a blank between them. */
            if (open == LIST && text[0] == ' ') put(page, " ");
            put_line(page, &open, text, length);
        }
        text += length + (text[length] == '\n');
    }
    switch_block(page, &open, NONE);
}

/* How many characters of an attribute stand before the id that it defines or names; 0: it does
 * neither. */
static size_t before_id(const char *text)
{
    static const char *const ways[] = {"id='", "id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(text, ways[i], strlen(ways[i])) == 0) return strlen(ways[i]);
    return 0;
}

void rp_html_svg(rp_atomic *page, const char *svg, int number)
{
    const char *start = strstr(svg, "<svg");
    bool tag = false;
    for (const char *c = start ? start : ""; *c;) {
        if (*c == '<') tag = true;
        if (*c == '>') tag = false;
        bool word = c > start && (isalnum((unsigned char)c[-1]) || c[-1] == '-');
        size_t length = tag && !word ? before_id(c) : 0;
        rp_atomic_write(page, c, length ? length : 1);
        if (length) rp_atomic_print(page, "figure%d-", number);
        c += length ? length : 1;
    }
}

/* --- HTML report ------------------------------------------------------------------------------ */

/* The report as one page that needs nothing else: no scripts, no fonts, no other files. */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<title>Repose: validation</title>\n<style>\n"
    ":root { color-scheme: light dark; --ink: #2b2822; --soft: #6b655a; --paper: #fbfaf7;\n"
    "  --line: #ddd6c9; --card: #ffffff; --good: #2f6f4f; --bad: #a8322a; --code: #f1ede4; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6e1d6; --soft: #a49d8f;\n"
    "  --paper: #1d1c1a; --line: #3d3a34; --card: #262521; --good: #7cc29c; --bad: #ec8a7c;\n"
    "  --code: #302e29; } }\n"
    "body { font: 16px/1.55 system-ui, 'DejaVu Sans', sans-serif; color: var(--ink);\n"
    "  background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1.2rem; }\n"
    "h1 { font-weight: 600; } h2 { margin-top: 3rem; border-top: 1px solid var(--line);\n"
    "  padding-top: 1.2rem; font-weight: 600; } h2 small { font-weight: 400; color: var(--soft); "
    "}\n"
    "table { border-collapse: collapse; margin: 1rem 0; width: 100%; background: var(--card); }\n"
    "th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--line); }\n"
    "th { font-weight: 600; color: var(--soft); } .number { text-align: right;\n"
    "  font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".ok { color: var(--good); font-weight: 600; } .miss { color: var(--bad); font-weight: 600; }\n"
    "code, pre { background: var(--code); border-radius: 3px; font-size: .92em; }\n"
    "code { padding: 0 .25em; } pre { padding: .7rem; overflow-x: auto; }\n"
    "figure { margin: 1.2rem 0; background: #ffffff; border: 1px solid var(--line);\n"
    "  border-radius: 4px; padding: .5rem; } figure svg { width: 100%; height: auto; display: "
    "block; }\n"
    ".soft { color: var(--soft); } a { color: inherit; }\n"
    "</style>\n</head>\n<body>\n";

static void put_text(rp_atomic *page, const char *text)
{
    rp_html_text(page, text, strlen(text));
}

static const char *outcome_of(const rp_case_result *result)
{
    if (result->code == RP_OK) return "ok";
    return result->code == RP_ERROR_FAILED ? "missed" : "did not run";
}

/* "0.64 ± 0.002 m", "must miss 0.64 ± 0.002 m", "at most 0.1 m" */
static void put_limit(rp_atomic *page, const rp_verdict *v)
{
    if (rp_verdict_has_range(v))
        rp_atomic_print(page, "%s%.6g ± %.3g ", rp_verdict_prefix(v), v->expected, v->limit);
    else
        rp_atomic_print(page, "at %s %.6g ", v->judgement == RP_JUDGE_AT_MOST ? "most" : "least",
                        v->limit);
    put_text(page, v->unit);
}

static void put_verdict(rp_atomic *page, const rp_verdict *v)
{
    rp_atomic_print(page, "<td>");
    put_text(page, v->what);
    rp_atomic_print(page, "</td><td class=\"number\">%.6g ", v->measured);
    put_text(page, v->unit);
    rp_atomic_print(page, "</td><td class=\"number\">");
    put_limit(page, v);
    rp_atomic_print(page, "</td><td class=\"%s\">%s</td></tr>\n", v->ok ? "ok" : "miss",
                    v->ok ? "ok" : "missed");
}

#define TABLE_HEAD                                                                                 \
    "<th>number</th><th class=\"number\">measured</th><th class=\"number\">limit</th>"             \
    "<th>verdict</th></tr></thead>\n<tbody>\n"

static void put_summary(rp_atomic *page, const rp_case_result *results, int count)
{
    rp_atomic_print(page, "<table>\n<thead><tr><th>case</th>" TABLE_HEAD);
    for (int i = 0; i < count; i++) {
        const rp_case_result *r = &results[i];
        for (int v = 0; v < r->context.verdict_count; v++) {
            if (v)
                rp_atomic_print(page, "<tr><td></td>");
            else
                rp_atomic_print(page, "<tr><td><a href=\"#%s\">%s</a></td>", r->which->name,
                                r->which->name);
            put_verdict(page, &r->context.verdicts[v]);
        }
        if (r->code == RP_OK || r->code == RP_ERROR_FAILED) continue;
        rp_atomic_print(page,
                        "<tr><td><a href=\"#%s\">%s</a></td><td colspan=\"3\">%s</td>"
                        "<td class=\"miss\">did not run</td></tr>\n",
                        r->which->name, r->which->name, rp_code_text(r->code));
    }
    rp_atomic_print(page, "</tbody>\n</table>\n");
}

static void put_readme(rp_atomic *page, const rp_case_result *r)
{
    char path[4096 + 16], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/README.md", r->folder);
    if (rp_file_read(path, &text, &size, NULL) != RP_OK) return;
    rp_html_markdown(page, text);
    rp_release(text, size + 1);
}

static void put_faults(rp_atomic *page, const rp_report *report)
{
    for (int i = 0; i < rp_report_count(report); i++) {
        char text[4096];
        rp_fault_text(rp_report_fault(report, i), text, sizeof text);
        rp_atomic_print(page, "<pre class=\"miss\">");
        put_text(page, text);
        rp_atomic_print(page, "</pre>\n");
    }
}

/* `number` makes its ids unique on the page. */
static void put_figure(rp_atomic *page, const rp_figure *figure, int number)
{
    rp_report *report = rp_report_create();
    char *svg = NULL;
    size_t size;
    rp_atomic_print(page, "<figure>\n");
    if (rp_figure_svg(figure, &svg, &size, report) == RP_OK) {
        rp_html_svg(page, svg, number);
        rp_release(svg, size + 1);
    } else {
        rp_atomic_print(page, "<figcaption class=\"soft\">");
        put_text(page, rp_figure_title(figure));
        rp_atomic_print(page, ": not drawn. ");
        if (rp_report_count(report)) put_text(page, rp_report_fault(report, 0)->message);
        rp_atomic_print(page, "</figcaption>\n");
    }
    rp_atomic_print(page, "</figure>\n");
    rp_report_destroy(report);
}

static void put_case(rp_atomic *page, const rp_case_result *r, int *figures)
{
    const rp_case_context *c = &r->context;
    rp_atomic_print(page, "<h2 id=\"%s\">%s <small>", r->which->name, r->which->name);
    put_text(page, r->which->title);
    rp_atomic_print(page, "</small></h2>\n");
    put_readme(page, r);
    if (c->verdict_count) rp_atomic_print(page, "<table>\n<thead><tr>" TABLE_HEAD);
    for (int v = 0; v < c->verdict_count; v++) {
        rp_atomic_print(page, "<tr>");
        put_verdict(page, &c->verdicts[v]);
    }
    if (c->verdict_count) rp_atomic_print(page, "</tbody>\n</table>\n");
    put_faults(page, c->report);
    if (c->notes[0]) {
        rp_atomic_print(page, "<pre>");
        put_text(page, c->notes);
        rp_atomic_print(page, "</pre>\n");
    }
    for (int f = 0; f < c->figure_count; f++)
        put_figure(page, c->figures[f], ++*figures);
    rp_atomic_print(page, "<p class=\"soft\">%s, %.1f s%s</p>\n", outcome_of(r), r->seconds,
                    c->quick ? ", quick form" : "");
}

static void put_machine(rp_atomic *page)
{
    char when[64] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &parts);
    rp_atomic_print(page, "<h2>Made with</h2>\n<p class=\"soft\">repose %s, ", rp_version());
    put_text(page, rp_build_text());
    rp_atomic_print(page, "; %s, %ld processors; %s</p>\n</body>\n</html>\n",
                    rp_instructions_text(), sysconf(_SC_NPROCESSORS_ONLN), when);
}

static void put_intro(rp_atomic *page, const rp_case_result *results, int count)
{
    int ok = 0;
    double seconds = 0;
    for (int i = 0; i < count; i++) {
        ok += results[i].code == RP_OK;
        seconds += results[i].seconds;
    }
    rp_atomic_print(page,
                    "<h1>Validation</h1>\n<p><span class=\"%s\">%d of %d cases</span> within their "
                    "limits, in %.1f s. The limits were stated before anything was measured.</p>\n",
                    ok == count ? "ok" : "miss", ok, count, seconds);
}

rp_code rp_case_write_html(const char *path, const rp_case_result *results, int count,
                           rp_report *report)
{
    rp_atomic page;
    int figures = 0;
    RP_TRY(rp_atomic_open(&page, path, report));
    rp_atomic_write(&page, head, sizeof head - 1);
    put_intro(&page, results, count);
    put_summary(&page, results, count);
    for (int i = 0; i < count; i++)
        put_case(&page, &results[i], &figures);
    put_machine(&page);
    return rp_atomic_finish(&page, report);
}

/* --- Markdown results ------------------------------------------------------------------------- */

/* The results as one page of Markdown that is kept with the documentation: without dates and
 * machines, so that it changes only when results do. A run replaces the parts of the cases that it
 * ran, in the form that it ran them in; all others stay as they are in the file. */

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

static void put_markdown_verdict(rp_atomic *page, const rp_verdict *v)
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

static void put_markdown_result(rp_atomic *page, const rp_case_result *r)
{
    const rp_case_context *c = &r->context;
    rp_atomic_print(page, "| number | measured | limit | verdict |\n|---|---|---|---|\n");
    for (int i = 0; i < c->verdict_count; i++)
        put_markdown_verdict(page, &c->verdicts[i]);
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

static void put_markdown_case(rp_atomic *page, const rp_case *which, const char *before,
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
            put_markdown_result(page, result);
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
            put_markdown_case(&page, rp_case_at(i), before, results, count);
        code = rp_atomic_finish(&page, report);
    }
    rp_release(before, before ? size + 1 : 0);
    return code;
}
