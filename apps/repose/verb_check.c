#include "base/report.h"
#include "cli.h"
#include "world/world.h"

#include <limits.h>

static const option_spec specs[] = {
    {"--set", NULL, "KEY=VALUE", OPTION_SET, 0, "change a value of the scene; may be repeated"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "as one JSON object"},
};

static void print_text(const rp_scene *scene, const char *path)
{
    rp_estimate estimate = rp_scene_estimate(scene, NULL);
    char grains[32], bytes[32];
    printf("%s is in order: %s grains, %s of memory, %lld frames, %.6g s\n", plain(path),
           short_number(estimate.grains, grains, sizeof grains),
           short_bytes(estimate.bytes, bytes, sizeof bytes), (long long)rp_scene_frame_count(scene),
           rp_scene_duration(scene));
    if (scene->detail.factor > 0)
        printf("fine grains: %s, %s\n",
               short_number(estimate.grains * (double)scene->detail.factor, grains, sizeof grains),
               scene->detail.live ? "made while it runs" : "made by `repose refine`");
}

/* One object, whatever came out: the estimate when the scene could be read, and all mistakes. */
static void print_json(rp_code code, const rp_scene *scene, const char *path,
                       const rp_report *report)
{
    printf("{\"scene\": ");
    print_json_text(stdout, path);
    printf(", \"ok\": %s", code == RP_OK ? "true" : "false");
    if (scene) {
        rp_estimate estimate = rp_scene_estimate(scene, NULL);
        printf(", \"grains\": ");
        print_json_number(stdout, estimate.grains);
        printf(", \"fine_grains\": ");
        print_json_number(stdout, estimate.grains * (double)scene->detail.factor);
        printf(", \"bytes\": ");
        print_json_number(stdout, estimate.bytes);
        printf(", \"bytes_limit\": ");
        print_json_number(stdout, estimate.bytes_limit);
        printf(", \"frames\": %lld, \"duration\": %.9g", (long long)rp_scene_frame_count(scene),
               rp_scene_duration(scene));
    }
    printf(", \"mistakes\": ");
    print_json_faults(stdout, report);
    printf("}\n");
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    char path[PATH_MAX];
    rp_code code = open_scene(o, path, sizeof path, &scene, report);
    if (code == RP_OK) code = rp_world_check_scene(scene, NULL, report);
    int result = exit_code(code);
    if (o->json)
        print_json(code, scene, path, report);
    else if (code == RP_OK)
        print_text(scene, path);
    else
        result = say_faults(code, report, false);
    if (code == RP_ERROR_INPUT && !scene && !o->json) say_more_may_follow();
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
