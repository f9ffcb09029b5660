#include "base/report.h"
#include "cli.h"
#include "validation/validation.h"

#include <string.h>

static const option_spec specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a number"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core)"},
};

static void print_verdict(const rp_verdict *v, bool json)
{
    if (json) {
        printf("{\"case\": \"%s\", \"what\": ", v->case_name);
        print_json_text(stdout, v->what);
        printf(", \"measured\": %.9g, \"expected\": %.9g, \"limit\": %.9g, \"unit\": \"%s\", "
               "\"ok\": %s}\n",
               v->measured, v->expected, v->limit, v->unit, v->ok ? "true" : "false");
    } else {
        printf("%-4s %-14s %-40s %.6g, expected %.6g +- %.2g %s\n", v->ok ? "ok" : "MISS",
               v->case_name, v->what, v->measured, v->expected, v->limit, v->unit);
    }
}

static rp_code run_case(const rp_case *c, const options *o, rp_report *report)
{
    const char *folder = data_folder("validation");
    if (!folder)
        return rp_fail(report, RP_ERROR_IO, "the folder of validation cases did not come along");
    rp_verdict verdicts[RP_VERDICTS_MAX];
    rp_world_options world = rp_default_world_options();
    world.threads = (int)(o->threads < 4096 ? o->threads : 4096);
    int count = 0;
    rp_code code = c->run(folder, &world, verdicts, &count, report);
    for (int i = 0; i < count; i++) {
        print_verdict(&verdicts[i], o->json);
        if (code == RP_OK && !verdicts[i].ok) code = RP_ERROR_FAILED;
    }
    return code;
}

static const char *choice(int index)
{
    if (index == 0) return "all";
    const rp_case *c = rp_case_at(index - 1);
    return c ? c->name : NULL;
}

static int run(const verb *v, const options *o)
{
    bool all = strcmp(o->words[0], "all") == 0;
    rp_report *report = rp_report_create();
    rp_code worst = RP_OK;
    int found = 0;
    const char *names[64];
    for (int i = 0; i < rp_case_count(); i++) {
        const rp_case *c = rp_case_at(i);
        names[i] = c->name;
        if (!all && strcmp(c->name, o->words[0]) != 0) continue;
        found++;
        rp_code code = run_case(c, o, report);
        if (code != RP_OK && (worst == RP_OK || worst == RP_ERROR_FAILED)) worst = code;
    }
    int result;
    if (!found) {
        result = say_unknown(v, "no case", o->words[0], names, rp_case_count());
    } else if (worst == RP_ERROR_FAILED) {
        result = exit_code(worst);
    } else {
        result = say_faults(worst, report, o->json);
    }
    rp_report_destroy(report);
    return result;
}

const verb verb_validate = {.name = "validate",
                            .words = "NAME|all",
                            .help = "compare with theory and experiment: number, limit, verdict",
                            .more = "The exit code is 1 when a number misses its limit.\n",
                            VERB_OPTIONS(specs),
                            .choice = choice,
                            .min_words = 1,
                            .max_words = 1,
                            .run = run};
