#include "cli.h"
#include "validation/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_spec specs[] = {
    {"--output", "-o", "FILE", OPTION_TEXT, offsetof(options, output),
     "FILE.html: also write everything, with figures, as one page (figures need gnuplot); FILE.md: "
     "the numbers alone, those of other cases in it stay"},
    {"--quick", NULL, NULL, OPTION_FLAG, offsetof(options, quick),
     "the short form of long cases: fewer grains, looser limits"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a number"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core)"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "do not tell the progress"},
};

static void print_json_verdict(const char *name, const rp_verdict *v)
{
    printf("{\"case\": \"%s\", \"what\": ", name);
    print_json_text(stdout, v->what);
    printf(", \"measured\": ");
    print_json_number(stdout, v->measured);
    printf(", \"expected\": ");
    print_json_number(stdout, v->expected);
    printf(", \"limit\": ");
    print_json_number(stdout, v->limit);
    printf(", \"unit\": \"%s\", \"control\": %s, \"ok\": %s}\n", v->unit,
           v->judgement == RP_JUDGE_CONTROL ? "true" : "false", v->ok ? "true" : "false");
}

static void print_verdict(const char *name, const rp_verdict *v)
{
    printf("%-4s %-17s %-40s %.6g, ", v->ok ? "ok" : "MISS", name, v->what, v->measured);
    if (rp_verdict_has_range(v))
        printf("%s%.6g +- %.2g %s\n", v->judgement == RP_JUDGE_CONTROL ? "must miss " : "expected ",
               v->expected, v->limit, v->unit);
    else
        printf("at %s %.6g %s\n", v->judgement == RP_JUDGE_AT_MOST ? "most" : "least", v->limit,
               v->unit);
}

static void print_notes(const char *name, const char *notes)
{
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        printf("     %-17s %.*s\n", name, (int)length, notes);
        notes += length + (notes[length] == '\n');
    }
}

/* A case that could not run is told at once; the others still run. */
static void print_result(const rp_case_result *r, bool json)
{
    const char *name = r->which->name;
    for (int i = 0; i < r->context.verdict_count; i++)
        json ? print_json_verdict(name, &r->context.verdicts[i])
             : print_verdict(name, &r->context.verdicts[i]);
    bool ran = r->code == RP_OK || r->code == RP_ERROR_FAILED;
    if (json)
        printf("{\"case\": \"%s\", \"seconds\": %.3f, \"quick\": %s, \"result\": \"%s\"}\n", name,
               r->seconds, r->context.quick ? "true" : "false", rp_code_text(r->code));
    else if (!ran)
        printf("FAIL %-17s did not run: %s\n", name, rp_code_text(r->code));
    if (!json) print_notes(name, r->context.notes);
    if (!ran) say_faults(r->code, r->context.report, json);
    fflush(stdout);
}

static void say_progress(void *user, const char *text)
{
    fprintf(stderr, "%s: %s\n", (const char *)user, text);
}

static rp_code run_cases(const rp_case *const *chosen, int count, const options *o,
                         rp_case_result *results, rp_report *report)
{
    const char *root = data_folder("validation");
    rp_world_options world = rp_default_world_options();
    rp_code worst = RP_OK;
    if (!root)
        return fail(report, RP_ERROR_IO, "the folder of validation cases did not come along");
    world.threads = (int)(o->threads < 4096 ? o->threads : 4096);
    for (int i = 0; i < count; i++) {
        rp_case_context *c = &results[i].context;
        c->world = &world;
        c->quick = o->quick;
        c->say = o->quiet ? NULL : say_progress;
        c->user = (void *)chosen[i]->name;
        rp_case_say(c, "%s", chosen[i]->title);
        rp_code code = rp_case_run(chosen[i], root, &results[i]);
        print_result(&results[i], o->json);
        if (code != RP_OK && (worst == RP_OK || worst == RP_ERROR_FAILED)) worst = code;
    }
    return worst;
}

static const char *choice(int index)
{
    if (index == 0) return "all";
    const rp_case *c = rp_case_at(index - 1);
    return c ? c->name : NULL;
}

static const char *choice_help(int index)
{
    return index ? rp_case_at(index - 1)->title : "every case but the longest ones";
}

static int unknown_case(const verb *v, const char *word)
{
    const char *names[64];
    int count = 0;
    while (count < 64 && choice(count)) {
        names[count] = choice(count);
        count++;
    }
    return say_unknown(v, "no case", word, names, count);
}

/* A case, or a group of them. */
static bool is_known(const char *word)
{
    for (int i = 0; i < rp_case_count(); i++)
        if (rp_case_answers(rp_case_at(i), word)) return true;
    return false;
}

/* The cases that the words name, each once, in the order of the table; -1 after a word that names
 * none. */
static int choose_cases(const verb *v, const options *o, const rp_case **chosen)
{
    int count = 0;
    bool all = false;
    for (int w = 0; w < o->word_count; w++) {
        all |= strcmp(o->words[w], "all") == 0;
        if (strcmp(o->words[w], "all") != 0 && !is_known(o->words[w])) {
            unknown_case(v, o->words[w]);
            return -1;
        }
    }
    for (int i = 0; i < rp_case_count(); i++) {
        bool wanted = all && i < rp_case_usual_count();
        for (int w = 0; w < o->word_count; w++)
            wanted |= rp_case_answers(rp_case_at(i), o->words[w]);
        if (wanted) chosen[count++] = rp_case_at(i);
    }
    return count;
}

static rp_code write_page(const options *o, const rp_case_result *results, int count,
                          rp_report *report)
{
    size_t length = strlen(o->output);
    bool plain = length > 3 && strcmp(o->output + length - 3, ".md") == 0;
    rp_code code = plain ? rp_case_write_results(o->output, results, count, report)
                         : rp_case_write_html(o->output, results, count, report);
    if (code == RP_OK && !o->quiet) fprintf(stderr, "%s\n", o->output);
    return code;
}

static int run(const verb *v, const options *o)
{
    const rp_case *chosen[64];
    int count = choose_cases(v, o, chosen);
    if (count < 0) return exit_code(RP_ERROR_INPUT);
    rp_report *report = rp_report_create();
    rp_case_result *results = calloc((size_t)count + 1, sizeof *results);
    rp_code code = results ? run_cases(chosen, count, o, results, report) : RP_ERROR_MEMORY;
    bool ran = results && results[0].which;
    rp_code page = ran && o->output ? write_page(o, results, count, report) : RP_OK;
    for (int i = 0; ran && i < count; i++)
        rp_case_result_end(&results[i]);
    free(results);
    /* What a case had to say is said already; left is what is wrong with the whole. */
    int result = exit_code(code);
    if (rp_report_count(report)) result = say_faults(page != RP_OK ? page : code, report, o->json);
    rp_report_destroy(report);
    return result;
}

const verb verb_validate = {
    .name = "validate",
    .words = "NAME...|GROUP|all",
    .help = "compare with theory and experiment: number, limit, verdict",
    .more =
        "The exit code is 1 when a number misses its limit. A negative control (must miss) has\n"
        "something wrong on purpose and is ok only when the check finds it. A case that cannot run "
        "is told, and\n"
        "the others still run. A group is the first word of names that have a dash: dem stands "
        "for\n"
        "dem-pair, dem-forces and so on.\n",
    VERB_OPTIONS(specs),
    .choice = choice,
    .choice_help = choice_help,
    .min_words = 1,
    .max_words = WORDS_MAX,
    .run = run};
