/* A whole simulation without a disk: a scene from a text, a mesh from memory, steps, a view,
 * numbers measured from it. tests/core/core.sh runs it twice, linked with the core archive and with
 * the whole library, and wants the same lines from both. */
#include "measure/measure.h"
#include "repose/scene.h"
#include "repose/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STEPS 30

static const char wedge[] = "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\n"
                            "v 0 -0.1 0.08\nv 0 0.1 0.08\n"
                            "f 4 3 2 1\nf 1 2 5\nf 3 4 6\nf 2 3 6 5\nf 4 1 5 6\n";

static const char scene_text[] =
    "title: Sand falls on a wedge\n"
    "time: {duration: 1 s, frame_rate: 30}\n"
    "domain: {low: [-0.15, -0.1, 0], high: [0.15, 0.1, 0.6]}\n"
    "particles: {spacing: 2 cm}\n"
    "materials: {sand: {}}\n"
    "sources: {fill: {shape: box, size: [20 cm, 16 cm, 20 cm], position: [0, 0, 22 cm]}}\n"
    "bodies:\n"
    "  wedge: {shape: mesh, file: memory/wedge.obj}\n"
#ifdef RP_HAVE_ODE
    "  ball: {shape: sphere, radius: 3 cm, position: [0, 0, 40 cm], motion: dynamic, density: "
    "3000}\n"
#endif
    "solver: {method: %s}\n";

static const void *read_memory(void *user, const char *path, size_t *size)
{
    (void)user;
    if (strcmp(path, "memory/wedge.obj") != 0) return NULL;
    *size = sizeof wedge - 1;
    return wedge;
}

static rp_code measure(const rp_scene *scene, const rp_view *view, rp_report *report)
{
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input in = {.view = view, .scene = scene, .options = &options};
    rp_measured numbers[RP_MEASURED_MAX];
    int count = 0;
    rp_code code = rp_measure_find("energy")->take(&in, numbers, &count, report);
    for (int i = 0; i < count && code == RP_OK; i++)
        printf("%s %.17g %s\n", numbers[i].name, numbers[i].value, numbers[i].unit);
    return code;
}

static rp_code simulate(const rp_scene *scene, rp_report *report)
{
    rp_world_options options = rp_default_world_options();
    rp_world *world;
    rp_view view;
    options.threads = 1;
    rp_code code = rp_world_create(scene, &options, &world, report);
    for (int i = 0; i < STEPS && code == RP_OK; i++)
        code = rp_world_step(world, report);
    if (code == RP_OK) {
        rp_world_view(world, &view);
        printf("%zu grains, hash %016" PRIx64 "\n", view.count, rp_world_hash(world));
        code = measure(scene, &view, report);
    }
    rp_world_destroy(world);
    return code;
}

static int run(const char *method)
{
    char text[sizeof scene_text + 32], fault[1024] = "";
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    snprintf(text, sizeof text, scene_text, method);
    printf("%s\n", method);
    rp_code code = rp_scene_parse(text, "core", &scene, report);
    if (code == RP_OK) code = simulate(scene, report);
    if (code != RP_OK) rp_fault_text(rp_report_fault(report, 0), fault, sizeof fault);
    if (code != RP_OK) fprintf(stderr, "%s: %s: %s\n", method, rp_code_text(code), fault);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return code != RP_OK;
}

/* Without the host's reader the file is missing, on a disk or without one. */
static int check_missing(void)
{
    char text[sizeof scene_text + 32];
    rp_scene *scene = NULL;
    snprintf(text, sizeof text, scene_text, "dem");
    rp_set_file_reader(NULL);
    rp_code code = rp_scene_parse(text, "core", &scene, NULL);
    rp_scene_destroy(scene);
    if (code == RP_OK) fprintf(stderr, "a mesh that is nowhere was read\n");
    return code == RP_OK;
}

int main(void)
{
    rp_file_reader reader = {.read = read_memory};
    rp_set_file_reader(&reader);
    return run("dem") + run("frictional") + run("null") + check_missing();
}
