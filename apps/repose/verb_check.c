#include "cli.h"

#include <limits.h>

static const option_spec specs[] = {
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0, "change a value of the scene; may be repeated"},
    {"--strict", NULL, NULL, OPTION_FLAG, offsetof(options, strict),
     "warnings are mistakes: exit 2"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "as one JSON object"},
};

static void print_text(const rp_scene *scene, const char *path, int warnings)
{
    rp_estimate estimate = rp_scene_estimate(scene, NULL);
    char grains[32], bytes[32], verdict[64] = "is in order";
    if (warnings)
        snprintf(verdict, sizeof verdict, "can run, with %d warning%s", warnings,
                 warnings > 1 ? "s" : "");
    printf("%s %s: %s grains, %s of memory, %lld frames, %.6g s\n", plain(path), verdict,
           short_number(estimate.grains, grains, sizeof grains),
           short_bytes(estimate.bytes, bytes, sizeof bytes), (long long)rp_scene_frame_count(scene),
           rp_scene_duration(scene));
    if (rp_scene_detail(scene).factor > 0)
        printf("fine grains: %s, %s\n",
               short_number(estimate.grains * (double)rp_scene_detail(scene).factor, grains,
                            sizeof grains),
               rp_scene_detail(scene).live ? "made while it runs" : "made by `repose refine`");
}

static void say_warnings(const rp_report *warnings)
{
    for (int i = 0; i < rp_report_count(warnings); i++) {
        const rp_fault *warning = rp_report_fault(warnings, i);
        fprintf(stderr, "repose: warning: %s: %s\n", warning->key, warning->message);
    }
}

static void print_json_warnings(const rp_report *warnings)
{
    fputc('[', stdout);
    for (int i = 0; i < rp_report_count(warnings); i++) {
        const rp_fault *warning = rp_report_fault(warnings, i);
        printf("%s{\"key\": ", i ? ", " : "");
        print_json_text(stdout, warning->key);
        printf(", \"message\": ");
        print_json_text(stdout, warning->message);
        fputc('}', stdout);
    }
    fputc(']', stdout);
}

/* One object, whatever came out: the estimate when the scene could be read, all mistakes and
 * warnings. */
static void print_json(rp_code code, const rp_scene *scene, const char *path,
                       const rp_report *warnings, const rp_report *report)
{
    printf("{\"scene\": ");
    print_json_text(stdout, path);
    printf(", \"ok\": %s", code == RP_OK ? "true" : "false");
    if (scene) {
        rp_estimate estimate = rp_scene_estimate(scene, NULL);
        printf(", \"grains\": ");
        print_json_number(stdout, estimate.grains);
        printf(", \"fine_grains\": ");
        print_json_number(stdout, estimate.grains * (double)rp_scene_detail(scene).factor);
        printf(", \"bytes\": ");
        print_json_number(stdout, estimate.bytes);
        printf(", \"bytes_limit\": ");
        print_json_number(stdout, estimate.bytes_limit);
        printf(", \"frames\": %lld, \"duration\": %.9g", (long long)rp_scene_frame_count(scene),
               rp_scene_duration(scene));
    }
    printf(", \"mistakes\": ");
    print_json_faults(stdout, report);
    printf(", \"warnings\": ");
    print_json_warnings(warnings);
    printf("}\n");
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create(), *warnings = rp_report_create();
    rp_scene *scene = NULL;
    char path[PATH_MAX];
    rp_code code = open_scene(o, path, sizeof path, &scene, report);
    if (code == RP_OK) code = rp_scene_review(scene, NULL, warnings, report);
    int result = exit_code(code);
    if (o->json) {
        print_json(code, scene, path, warnings, report);
    } else {
        say_warnings(warnings);
        if (code == RP_OK)
            print_text(scene, path, rp_report_count(warnings));
        else
            result = say_faults(code, report, false);
        if (code == RP_ERROR_INPUT && !scene) say_more_may_follow();
    }
    if (code == RP_OK && o->strict && rp_report_count(warnings)) result = exit_code(RP_ERROR_INPUT);
    rp_scene_destroy(scene);
    rp_report_destroy(warnings);
    rp_report_destroy(report);
    return result;
}

#define CHECK_MORE                                                                                 \
    "Mistakes are what stops a run; all of them are listed, and the exit code is theirs. "         \
    "Warnings\n"                                                                                   \
    "are what a run says at its start and goes on: sources or nozzles inside bodies or outside "   \
    "the\n"                                                                                        \
    "domain, no grains at all, nothing to rest on, bodies that start inside each other or are "    \
    "too\n"                                                                                        \
    "thin, keyed bodies that are fast for an instant, openings narrower than five spacings, "      \
    "steps\n"                                                                                      \
    "too long.\n"

const verb verb_check = {.name = "check",
                         .words = "SCENE",
                         .help = "read a scene, list all its mistakes, say what it needs",
                         .more = CHECK_MORE,
                         VERB_OPTIONS(specs),
                         .min_words = 1,
                         .max_words = 1,
                         .run = run};
