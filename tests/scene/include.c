/* Includes and settings: who overrides whom, and where a fault is said to be. */
#include "check.h"

#include "base/report.h"
#include "repose/text.h"
#include "scene/schema.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/repose-include-XXXXXX";

static const char *path_of(const char *name)
{
    static char paths[4][200];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static rp_report *report;

static rp_scene *read_ok(const char *name, const rp_setting *settings, int count)
{
    rp_scene *scene;
    rp_report_clear(report);
    check_ok(rp_scene_read(path_of(name), settings, count, &schema, &scene, report), report);
    return scene;
}

/* The only fault of the scene. */
static const rp_fault *read_wrong(const char *name, const rp_setting *settings, int count)
{
    rp_scene *scene;
    rp_report_clear(report);
    assert_int_not_equal(rp_scene_read(path_of(name), settings, count, &schema, &scene, report),
                         RP_OK);
    assert_null(scene);
    for (int i = 1; i < rp_report_count(report); i++)
        print_error("also: %s\n", rp_report_fault(report, i)->message);
    assert_int_equal(rp_report_count(report), 1);
    return rp_report_fault(report, 0);
}

static void the_including_file_counts(void **state)
{
    (void)state;
    mkdir(path_of("parts"), 0755);
    write_file("parts/common.yaml", "particles: {spacing: 5 mm, jitter: 0}\n"
                                    "include: [deep.yaml]\n"
                                    "materials: {sand: {density: 1500, angle: 30}}\n"
                                    "gravity: [0, 0, -1]\n");
    write_file("parts/deep.yaml", "seed: 7\nparticles: {spacing: 9 mm}\n"
                                  "materials: {gravel: {density: 1700}}\n");
    write_file("second.yaml", "particles: {jitter: 0.2}\n");
    write_file("main.yaml", "include: [parts/common.yaml, second.yaml]\n"
                            "materials: {sand: {angle: 35 deg}}\n"
                            "gravity: [0, 0, -2]\n");
    rp_scene *scene = read_ok("main.yaml", NULL, 0);
    assert_int_equal(scene->seed, 7);
    assert_true(scene->particles.spacing == 0.005);
    assert_true(scene->particles.jitter == 0.2);
    assert_true(scene->gravity.z == -2);
    int sand = rp_scene_find_material(scene, "sand");
    assert_true(rp_scene_materials(scene)[sand].density == 1500);
    check_near(rp_scene_materials(scene)[sand].angle, 35 * RP_PI / 180, 1e-16);
    assert_true(rp_scene_find_material(scene, "gravel") >= 0);
    assert_null(strstr(rp_scene_text(scene), "include"));
    rp_scene_destroy(scene);
}

static void settings_count_most(void **state)
{
    (void)state;
    write_file("set.yaml", "include: second.yaml\nparticles: {spacing: 1}\n"
                           "bodies: {p: {shape: plane, motion: keys, keys: [{time: 0, position: "
                           "[0, 0, 0]}, {time: 1, position: [0, 0, 1]}]}}\n");
    const rp_setting settings[] = {{"particles.jitter", "0.3"},
                                   {"time", "{duration: 3 s}"},
                                   {"time.frame_rate", "10"},
                                   {"bodies.p.keys.1.time", "2 s"},
                                   {"bodies.p.keys[0].position", "[0, 0, -1]"},
                                   {"bodies.p.keys[1].position[2]", "3"},
                                   {"bodies.b", "{shape: sphere, radius: 10 cm}"},
                                   {"solver.method", "toy"},
                                   {"title", ""}};
    rp_scene *scene = read_ok("set.yaml", settings, 9);
    assert_true(scene->particles.jitter == 0.3);
    assert_true(scene->time.duration == 3 && scene->time.frame_rate == 10);
    const rp_key_spec *keys = rp_scene_bodies(scene)[0].keys.items;
    assert_true(keys[1].time == 2);
    assert_true(keys[0].position.z == -1 && keys[1].position.z == 3);
    assert_int_equal(rp_scene_find_body(scene, "b"), 1);
    assert_string_equal(scene->method->name, "toy");
    assert_string_equal(scene->title, "");
    rp_scene_destroy(scene);
}

static void faults_name_where_the_value_came_from(void **state)
{
    (void)state;
    write_file("bad.yaml", "seed: 1\nparticles:\n  spacing: 5 parsec\n");
    write_file("main.yaml", "include: bad.yaml\n");
    const rp_fault *fault = read_wrong("main.yaml", NULL, 0);
    assert_string_equal(fault->file, path_of("bad.yaml"));
    assert_int_equal(fault->line, 3);
    assert_int_equal(fault->column, 12);
    assert_string_equal(fault->excerpt, "  spacing: 5 parsec");

    rp_setting setting = {"particles.spacing", "5 lightyears"};
    fault = read_wrong("main.yaml", &setting, 1);
    assert_string_equal(fault->file, "--set particles.spacing=5 lightyears");
    assert_string_equal(fault->key, "particles.spacing");
    assert_int_equal(fault->line, 0);
    assert_string_equal(fault->excerpt, "");
}

static void wrong_settings_are_told(void **state)
{
    (void)state;
    write_file("good.yaml", "particles: {spacing: 1}\n"
                            "bodies: {p: {shape: plane, motion: keys, keys: [{time: 0, position: "
                            "[0, 0, 0]}]}}\n");
    static const struct {
        rp_setting setting;
        const char *message;
    } cases[] = {
        {{"", "1"}, "not a key path"},
        {{"a..b", "1"}, "not a key path"},
        {{".time", "1"}, "not a key path"},
        {{"time.", "1"}, "not a key path"},
        {{"tme.duration", "1"}, "did you mean 'time'?"},
        {{"time.duration", "[1"}, "not YAML"},
        {{"time.duration.x", "1"}, "found a map"},
        {{"bodies.p.keys.1.time", "1"}, "not a place in this list of 1"},
        {{"bodies.p.keys.x", "1"}, "not a place"},
        {{"bodies.p.keys.-1", "1"}, "not a place"},
        {{"bodies.p.keys[1].time", "1"}, "'1' is not a place in this list of 1; the first is 0"},
        {{"bodies.p.keys[-1].time", "1"}, "not a place"},
        {{"bodies.p.keys[x].time", "1"}, "not a place"},
        {{"bodies.q.keys[0].time", "1"}, "the scene has no 'bodies.q'"},
        {{"bodies.p.kys[0].time", "1"}, "the scene has no 'bodies.p.kys'; did you mean 'keys'?"},
        {{"bodies.p[0].time", "1"}, "the scene has no list 'bodies.p'"},
        {{"bodies.p.shape[0]", "1"}, "the scene has no list 'bodies.p.shape'"},
        {{"bodies.p.keys[0", "1"}, "not a key path"},
        {{"bodies.p.keys[]", "1"}, "not a key path"},
        {{"bodies.p.keys0]", "1"}, "not a key path"},
        {{"bodies.p.keys[0]time", "1"}, "not a key path"},
        {{"bodies.p.[0]", "1"}, "not a key path"},
        {{"[0]", "1"}, "not a key path"},
        {{"include", "x.yaml"}, "unknown key 'include'"},
        {{"seed", "1\n---\n2"}, "second document"},
        {{"seed", "\x80"}, "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rp_fault *fault = read_wrong("good.yaml", &cases[i].setting, 1);
        char raw[200], name[200];
        snprintf(raw, sizeof raw, "--set %s=%s", cases[i].setting.key, cases[i].setting.value);
        rp_text_plain(raw, false, name, sizeof name);
        assert_string_equal(fault->file, name);
        if (!strstr(fault->message, cases[i].message)) fail_msg("%s: %s", name, fault->message);
    }
}

static void wrong_includes_are_told(void **state)
{
    (void)state;
    write_file("loop1.yaml", "seed: 1\ninclude: loop2.yaml\n");
    write_file("loop2.yaml", "include: loop1.yaml\n");
    const rp_fault *fault = read_wrong("loop1.yaml", NULL, 0);
    assert_string_equal(fault->file, path_of("loop2.yaml"));
    assert_non_null(strstr(fault->message, "includes itself"));

    write_file("main.yaml", "particles: {spacing: 1}\ninclude:\n  - good.yaml\n  - missing.yaml\n");
    fault = read_wrong("main.yaml", NULL, 0);
    assert_int_equal(fault->line, 4);
    assert_int_equal(fault->column, 5);
    assert_string_equal(fault->key, "include[1]");
    assert_non_null(strstr(fault->message, "No such file"));

    write_file("main.yaml", "particles: {spacing: 1}\ninclude: {a: b}\n");
    assert_non_null(strstr(read_wrong("main.yaml", NULL, 0)->message, "name of a file"));
    write_file("main.yaml", "particles: {spacing: 1}\ninclude: .\n");
    assert_non_null(strstr(read_wrong("main.yaml", NULL, 0)->message, "folder"));
    write_file("main.yaml", "particles: {spacing: 1}\ninclude: /dev/zero\n");
    assert_non_null(strstr(read_wrong("main.yaml", NULL, 0)->message, "not a plain file"));
    assert_int_equal(mkfifo(path_of("pipe"), 0644), 0);
    write_file("main.yaml", "particles: {spacing: 1}\ninclude: pipe\n");
    assert_non_null(strstr(read_wrong("main.yaml", NULL, 0)->message, "not a plain file"));
}

static void chains_and_fans_of_includes_end(void **state)
{
    (void)state;
    char name[40], text[200];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "chain%d.yaml", i);
        snprintf(text, sizeof text, "include: chain%d.yaml\n", i + 1);
        write_file(name, text);
        snprintf(name, sizeof name, "fan%d.yaml", i);
        snprintf(text, sizeof text, i < 14 ? "include: [fan%d.yaml, fan%d.yaml]\n" : "seed: 1\n",
                 i + 1, i + 1);
        write_file(name, text);
    }
    assert_non_null(strstr(read_wrong("chain0.yaml", NULL, 0)->message, "more than 16 deep"));
    rp_scene *scene;
    rp_report_clear(report);
    assert_int_equal(rp_scene_read(path_of("fan0.yaml"), NULL, 0, &schema, &scene, report),
                     RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "at most 256 files"));
}

static void a_file_that_is_none_is_told(void **state)
{
    (void)state;
    const rp_fault *fault = read_wrong("missing.yaml", NULL, 0);
    assert_int_equal(fault->code, RP_ERROR_IO);
    assert_string_equal(fault->file, path_of("missing.yaml"));
    assert_non_null(strstr(fault->message, "No such file"));
    assert_non_null(strstr(read_wrong("parts", NULL, 0)->message, "folder"));
    write_file("empty.yaml", "");
    assert_non_null(strstr(read_wrong("empty.yaml", NULL, 0)->message, "empty"));
    write_file("empty.yaml", "# nothing\n\n");
    assert_non_null(strstr(read_wrong("empty.yaml", NULL, 0)->message, "empty"));
    write_file("empty.yaml", "--- just text\n");
    assert_non_null(strstr(read_wrong("empty.yaml", NULL, 0)->message, "map of keys"));
}

static int make_folder(void **state)
{
    (void)state;
    report = rp_report_create();
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    rp_report_destroy(report);
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_including_file_counts),
        cmocka_unit_test(settings_count_most),
        cmocka_unit_test(faults_name_where_the_value_came_from),
        cmocka_unit_test(wrong_settings_are_told),
        cmocka_unit_test(wrong_includes_are_told),
        cmocka_unit_test(chains_and_fans_of_includes_end),
        cmocka_unit_test(a_file_that_is_none_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
