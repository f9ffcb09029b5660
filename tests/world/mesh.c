/* Meshes from memory: in drafts, in sources that are added, and in run folders. */
#include "worlds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double cube[] = {-.1, -.1, -.1, .1, -.1, -.1, .1, .1, -.1, -.1, .1, -.1,
                              -.1, -.1, .1,  .1, -.1, .1,  .1, .1, .1,  -.1, .1, .1};
static const uint32_t sides[] = {3, 2, 1, 3, 1, 0, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static rp_draft *draft_of(const char *file)
{
    char text[200];
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "2 cm");
    rp_draft_set(draft, "time", "{duration: 0.1 s, frame_rate: 20}");
    rp_draft_set(draft, "domain", "{low: [-0.5, -0.5, 0], high: [0.5, 0.5, inf]}");
    rp_draft_set(draft, "sources.sand",
                 "{shape: box, size: [0.3, 0.3, 0.1], position: [0, 0, 0.4]}");
    snprintf(text, sizeof text, "{shape: mesh, file: \"%s\", position: [0, 0, 0.1]}", file);
    rp_draft_set(draft, "bodies.block", text);
    return draft;
}

static rp_scene *scene_with_cube(void)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_draft *draft = draft_of("memory:cube");
    rp_draft_add_mesh(draft, "cube", cube, 8, sides, 12);
    check_ok(rp_draft_finish(draft, &scene, report), report);
    rp_report_destroy(report);
    return scene;
}

/* The sand lies on it as on the same mesh from a file, to the last bit. */
static void it_is_as_good_as_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/repose-mesh-XXXXXX.obj";
    FILE *out = fdopen(mkstemps(path, 4), "w");
    for (int v = 0; v < 8; v++)
        fprintf(out, "v %.17g %.17g %.17g\n", cube[3 * v], cube[3 * v + 1], cube[3 * v + 2]);
    for (int t = 0; t < 12; t++)
        fprintf(out, "f %u %u %u\n", sides[3 * t] + 1, sides[3 * t + 1] + 1, sides[3 * t + 2] + 1);
    fclose(out);
    rp_scene *memory = scene_with_cube(), *file = NULL;
    rp_report *report = rp_report_create();
    check_ok(rp_draft_finish(draft_of(path), &file, report), report);
    rp_world *first = world_of(memory, 1), *second = world_of(file, 1);
    run_world(first, 0.2);
    run_world(second, 0.2);
    assert_true(rp_world_hash(first) == rp_world_hash(second)); /* the content counts */
    const rp_query *query;
    rp_ray_hit hit;
    check_ok(rp_world_query(first, &query, report), report);
    const double from[3] = {0.01, 0.02, 0.1}, above[3] = {0.01, 0.02, 2}, down[3] = {0, 0, -1};
    assert_true(rp_query_ray(query, from, down, 1, RP_HIT_BODY, &hit) && hit.distance == 0);
    assert_true(rp_query_ray(query, above, down, 3, RP_HIT_BODY, &hit));
    check_near(hit.point[2], 0.2, 1e-12);
    check_ok(rp_world_add_source(first, "more",
                                 "{shape: mesh, file: \"memory:cube\", position: [0, 0, 0.8]}",
                                 report),
             report);
    rp_world_destroy(first);
    rp_world_destroy(second);
    rp_scene_destroy(memory);
    rp_scene_destroy(file);
    rp_report_destroy(report);
    remove(path);
}

/* A run keeps it, and is resumed from its folder alone. */
static void a_run_keeps_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/repose-mesh-run-XXXXXX", run[64], command[128];
    assert_non_null(mkdtemp(folder));
    snprintf(run, sizeof run, "%s/run", folder);
    rp_report *report = rp_report_create();
    rp_scene *scene = scene_with_cube();
    rp_run_options options = rp_default_run_options();
    options.folder = run;
    options.frames = 1;
    check_ok(rp_run(scene, &options, NULL, report), report);
    rp_scene_destroy(scene);
    rp_record *record = NULL;
    check_ok(rp_record_open(run, &record, report), report);
    options.frames = -1;
    options.resume = true;
    check_ok(rp_run(rp_record_scene(record), &options, NULL, report), report);
    rp_record_close(record);
    snprintf(command, sizeof command, "test $(ls %s/meshes/*.obj | wc -l) = 1", run);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    rp_report_destroy(report);
}

static void fails_with(rp_draft *draft, const char *words)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    assert_int_equal(rp_draft_finish(draft, &scene, report), RP_ERROR_INPUT);
    if (!strstr(rp_report_fault(report, 0)->message, words))
        fail_msg("%s", rp_report_fault(report, 0)->message);
    assert_null(scene);
    rp_report_destroy(report);
}

static void mistakes_are_those_of_files(void **state)
{
    (void)state;
    rp_draft *draft = draft_of("memory:cub");
    rp_draft_add_mesh(draft, "cube", cube, 8, sides, 12);
    fails_with(draft, "no mesh of this name");
    fails_with(draft_of("memory:cube"), "only drafts have");
    draft = draft_of("memory:cube");
    rp_draft_add_mesh(draft, "cube", cube, 8, sides, 11); /* open */
    fails_with(draft, "cannot use this mesh");
    draft = draft_of("memory:cube");
    rp_draft_add_mesh(draft, "cube", cube, 7, sides, 12); /* a vertex too few */
    fails_with(draft, "cannot use this mesh");
    draft = draft_of("memory:cube");
    double broken[24];
    memcpy(broken, cube, sizeof cube);
    broken[5] = NAN;
    rp_draft_add_mesh(draft, "cube", broken, 8, sides, 12);
    fails_with(draft, "cannot use this mesh");
    draft = draft_of("memory:cube");
    rp_draft_add_mesh(draft, "cube", NULL, 0, NULL, 0);
    fails_with(draft, "cannot use this mesh");
    rp_draft_destroy(draft_of("memory:cube"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_good_as_a_file),
        cmocka_unit_test(a_run_keeps_it),
        cmocka_unit_test(mistakes_are_those_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
