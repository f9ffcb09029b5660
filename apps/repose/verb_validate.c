#include "cli.h"

#include <math.h>
#include <string.h>

#define CASES_MAX 256 /* upper limit of rp_case_count() */

static const option_spec specs[] = {
    {"--output", "-o", "FILE", OPTION_TEXT, offsetof(options, output),
     "FILE.html: also write a report with figures (needs gnuplot); FILE.md: also write the "
     "numbers; "
     "those of other cases in the file are kept"},
    {"--quick", NULL, NULL, OPTION_FLAG, offsetof(options, quick),
     "short form of long cases: fewer grains, looser limits"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per number"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core)"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "print no progress"},
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
    if (v->judgement == RP_JUDGE_NEAR || v->judgement == RP_JUDGE_CONTROL)
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

/* A case that cannot run is reported; the others still run. */
static void print_outcome(const rp_case_outcome *r, bool quick, bool json)
{
    for (int i = 0; i < r->verdict_count; i++)
        json ? print_json_verdict(r->name, &r->verdicts[i])
             : print_verdict(r->name, &r->verdicts[i]);
    bool ran = r->code == RP_OK || r->code == RP_ERROR_FAILED;
    if (json)
        printf("{\"case\": \"%s\", \"seconds\": %.3f, \"quick\": %s, \"result\": \"%s\"}\n",
               r->name, r->seconds, quick ? "true" : "false", rp_code_text(r->code));
    else if (!ran)
        printf("FAIL %-17s did not run: %s\n", r->name, rp_code_text(r->code));
    if (!json) print_notes(r->name, r->notes);
    if (!ran) print_faults(r->code, r->faults, json);
    fflush(stdout);
}

static void print_progress(void *user, const char *name, const char *text)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", name, text);
}

static rp_code run_cases(rp_validation *validation, const bool *chosen, const options *o)
{
    rp_code worst = RP_OK;
    for (int i = 0; i < rp_case_count(); i++) {
        rp_case_outcome outcome;
        if (!chosen[i]) continue;
        rp_code code = rp_validation_run(validation, i, &outcome);
        print_outcome(&outcome, o->quick, o->json);
        if (code != RP_OK && (worst == RP_OK || worst == RP_ERROR_FAILED)) worst = code;
    }
    return worst;
}

static const char *choice(int index)
{
    return index == 0 ? "all" : rp_case_name(index - 1);
}

static const char *choice_help(int index)
{
    return index ? rp_case_title(index - 1) : "all cases except the longest ones";
}

static int unknown_case(const verb *v, const char *word)
{
    const char *names[64];
    int count = 0;
    while (count < 64 && choice(count)) {
        names[count] = choice(count);
        count++;
    }
    return print_unknown_word(v, "no such case:", word, names, count);
}

/* Whether a word names a case or a group of cases. */
static bool is_known(const char *word)
{
    for (int i = 0; i < rp_case_count(); i++)
        if (rp_case_is_meant(i, word)) return true;
    return false;
}

/* Marks the cases that the words name; returns false after a word that names none. */
static bool choose_cases(const verb *v, const options *o, bool *chosen)
{
    bool all = false;
    for (int w = 0; w < o->word_count; w++) {
        all |= strcmp(o->words[w], "all") == 0;
        if (strcmp(o->words[w], "all") != 0 && !is_known(o->words[w])) {
            unknown_case(v, o->words[w]);
            return false;
        }
    }
    for (int i = 0; i < rp_case_count(); i++) {
        chosen[i] = all && i < rp_case_usual_count();
        for (int w = 0; w < o->word_count; w++)
            chosen[i] |= rp_case_is_meant(i, o->words[w]);
    }
    return true;
}

static rp_code open_validation(const options *o, rp_validation **out, rp_report *report)
{
    rp_validation_options wanted = rp_default_validation_options();
    wanted.folder = data_folder("validation");
    if (!wanted.folder)
        return fail(
            report, RP_ERROR_IO,
            "the folder of validation cases was not found; REPOSE_DATA may name its parent folder");
    wanted.threads = (int)(o->threads < 4096 ? o->threads : 4096);
    wanted.quick = o->quick;
    wanted.say = o->quiet ? NULL : print_progress;
    return rp_validation_create(&wanted, out, report);
}

static int run(const verb *v, const options *o)
{
    bool chosen[CASES_MAX] = {false};
    if (!choose_cases(v, o, chosen)) return exit_code(RP_ERROR_INPUT);
    rp_report *report = rp_report_create();
    rp_validation *validation = NULL;
    rp_code page = RP_OK, code = open_validation(o, &validation, report);
    if (code == RP_OK) {
        code = run_cases(validation, chosen, o);
        if (o->output) page = rp_validation_write(validation, o->output, report);
        if (o->output && page == RP_OK && !o->quiet) fprintf(stderr, "%s\n", o->output);
    }
    rp_validation_destroy(validation);
    /* Faults of single cases are printed already; `report` holds those of the whole. */
    int result = exit_code(code);
    if (rp_report_count(report))
        result = print_faults(page != RP_OK ? page : code, report, o->json);
    rp_report_destroy(report);
    return result;
}

const verb verb_validate = {
    .name = "validate",
    .words = "NAME...|GROUP|all",
    .help = "compare with theory and experiments: number, limit, verdict",
    .more =
        "The exit code is 1 when a number misses its limit. A negative control (\"must miss\") "
        "contains a\n"
        "deliberate error and passes only when the check detects it. A case that cannot run is\n"
        "reported, and the others still run. A group is the first word of names with a dash: dem\n"
        "stands for dem-pair, dem-forces and so on.\n",
    VERB_OPTIONS(specs),
    .choice = choice,
    .choice_help = choice_help,
    .min_words = 1,
    .max_words = WORDS_MAX,
    .run = run};
