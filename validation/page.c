/* The report as one page that needs nothing else: no scripts, no fonts, no other files. */
#include "base/memory.h"
#include "base/report.h"
#include "math/wide.h"
#include "validation/html.h"
#include "validation/validation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
