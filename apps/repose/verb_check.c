#include "base/report.h"
#include "cli.h"

#include <limits.h>

static const option_spec specs[] = {
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0, "change a value of the scene; may be repeated"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "as one JSON object"},
};

static void print_estimate(const rp_scene *scene, const char *path, bool json)
{
    rp_estimate estimate = rp_scene_estimate(scene, NULL);
    long long frames = (long long)rp_scene_frame_count(scene);
    if (json) {
        printf("{\"scene\": ");
        print_json_text(stdout, path);
        printf(", \"ok\": true, \"grains\": %.0f, \"bytes\": %.0f, \"bytes_limit\": %.0f, "
               "\"frames\": %lld, \"duration\": %.9g}\n",
               estimate.grains, estimate.bytes, estimate.bytes_limit, frames,
               rp_scene_duration(scene));
        return;
    }
    char grains[32];
    printf("%s is in order: %s grains, %.3g GB of memory, %lld frames, %.6g s\n", path,
           short_number(estimate.grains, grains, sizeof grains), estimate.bytes / 1e9, frames,
           rp_scene_duration(scene));
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    char path[PATH_MAX];
    rp_code code = RP_ERROR_INPUT;
    if (find_scene(o->words[0], path, sizeof path, report))
        code = rp_scene_load(path, o->settings, o->setting_count, &scene, report);
    if (code == RP_OK) print_estimate(scene, path, o->json);
    int result = say_faults(code, report, o->json);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return result;
}

const verb verb_check = {.name = "check",
                         .words = "SCENE",
                         .help = "read a scene, list all its mistakes, say what it needs",
                         VERB_OPTIONS(specs),
                         .min_words = 1,
                         .max_words = 1,
                         .run = run};
