#include "cli.h"

#include <limits.h>

static const option_spec specs[] = {
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0, "change a value of the scene; may be repeated"},
    {"--strict", NULL, NULL, OPTION_FLAG, offsetof(options, strict),
     "treat warnings as mistakes: exit code 2"},
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
               rp_scene_detail(scene).live ? "computed during the run"
                                           : "computed by `repose refine`");
}

static void print_warnings(const rp_report *warnings)
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

/* Prints one object: the estimate when the scene could be read, all mistakes and all warnings. */
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
        print_warnings(warnings);
        if (code == RP_OK)
            print_text(scene, path, rp_report_count(warnings));
        else
            result = print_faults(code, report, false);
        if (code == RP_ERROR_INPUT && !scene) print_more_may_follow(report);
    }
    if (code == RP_OK && o->strict && rp_report_count(warnings)) result = exit_code(RP_ERROR_INPUT);
    rp_scene_destroy(scene);
    rp_report_destroy(warnings);
    rp_report_destroy(report);
    return result;
}

#define CHECK_MORE                                                                                 \
    "Mistakes prevent a run. All of them are listed at once, and the exit code is not 0. "         \
    "Warnings\n"                                                                                   \
    "do not prevent a run, which prints them when it starts: sources or emitters inside bodies "   \
    "or\n"                                                                                         \
    "outside the domain, no grains at all, no floor, bodies that overlap at the start or are "     \
    "too\n"                                                                                        \
    "thin, keyed bodies that move fast for an instant, openings narrower than five spacings, "     \
    "time\n"                                                                                       \
    "steps that are too long.\n"

const verb verb_check = {.name = "check",
                         .words = "SCENE",
                         .help = "read a scene, list all its mistakes, estimate grains and memory",
                         .more = CHECK_MORE,
                         VERB_OPTIONS(specs),
                         .min_words = 1,
                         .max_words = 1,
                         .run = run};
