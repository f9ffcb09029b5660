/* Animation files: their keys in the file's frame, poses in between, and bodies that follow them.
 */
#include "body/body.h"
#include "check.h"
#include "mesh/mesh.h"
#include "meshfile/gltf.h"
#include "repose/repose.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/repose-animation-XXXXXX";
static char path[100], scaled[100], other[100], still[100];
static int warnings;

static void count_warnings(void *user, rp_level level, const char *text)
{
    (void)user;
    (void)text;
    warnings += level == RP_LOG_WARNING;
}

static void check_vector(rp_vec3 v, double x, double y, double z)
{
    check_near(v.x, x, 1e-5);
    check_near(v.y, y, 1e-5);
    check_near(v.z, z, 1e-5);
}

static void check_turn(rp_quat a, rp_quat b)
{
    check_vector(rp_quat_log(rp_quat_mul(a, rp_quat_conj(b))), 0, 0, 0);
}

static void poses_lie_between_keys(void **state)
{
    (void)state;
    const rp_quat quarter = rp_quat_from_axis(rp_v3(0, 0, 1), RP_PI / 2);
    const rp_animation_key keys[] = {
        {1, {0, 0, 0}, {1, 0, 0, 0}}, {2, {1, 0, 0}, {1, 0, 0, 0}}, {4, {1, 4, 0}, quarter}};
    static const double times[] = {-1, 1, 1.5, 2, 2.5, 4, 9};
    static const double x[] = {0, 0, 0.5, 1, 1, 1, 1}, y[] = {0, 0, 0, 0, 1, 4, 4};
    for (int i = 0; i < 7; i++) {
        rp_pose pose = rp_animation_pose(keys, 3, times[i]);
        check_vector(pose.position, x[i], y[i], 0);
        check_turn(pose.orientation, rp_quat_from_axis(rp_v3(0, 0, 1), y[i] / 4 * RP_PI / 2));
        rp_pose alone = rp_animation_pose(keys + 1, 1, times[i]);
        check_vector(alone.position, 1, 0, 0);
    }
}

static void keys_come_out_of_a_file(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    for (int named = 0; named < 2; named++) {
        rp_animation_key *keys;
        int count;
        check_ok(rp_gltf_animation_read(path, named ? "arm" : NULL, &keys, &count, report), report);
        assert_int_equal(count, 4);
        static const double times[] = {0, 0.5, 1, 2};
        for (int i = 0; i < 4; i++)
            check_near(keys[i].time, times[i], 1e-9);
        /* The rig turns y to z and stands 5 m up, three times as large. */
        check_vector(keys[0].position, 0, 0, 5);
        check_vector(keys[1].position, 1.5, 0, 5);
        check_vector(keys[3].position, 3, 0, 11);
        rp_quat rig = rp_quat_from_axis(rp_v3(1, 0, 0), RP_PI / 2);
        check_turn(keys[1].orientation, rig);
        check_turn(keys[2].orientation,
                   rp_quat_mul(rig, rp_quat_from_axis(rp_v3(0, 0, 1), RP_PI / 6)));
        check_turn(keys[3].orientation,
                   rp_quat_mul(rig, rp_quat_from_axis(rp_v3(0, 0, 1), RP_PI / 2)));
        rp_gltf_animation_release(keys, count);
    }
    rp_report_destroy(report);
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *file, *node, *message;
    } cases[] = {{path, "lamp", "no node 'lamp' is animated; there are: arm"},
                 {still, NULL, "no node of the file is animated"},
                 {other, NULL, "this is no glTF file"},
                 {folder, NULL, "cannot read animation"}};
    static const rp_code codes[] = {RP_ERROR_INPUT, RP_ERROR_INPUT, RP_ERROR_INPUT, RP_ERROR_IO};
    FILE *file = fopen(other, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    fclose(file);
    file = fopen(still, "w");
    fputs("{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}]}\n", file);
    fclose(file);
    for (int i = 0; i < 4; i++) {
        rp_report *report = rp_report_create();
        rp_animation_key *keys;
        int count;
        rp_code code = rp_gltf_animation_read(cases[i].file, cases[i].node, &keys, &count, report);
        assert_int_equal(code, codes[i]);
        assert_null(keys);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, cases[i].message));
        rp_report_destroy(report);
    }
}

static void scale_is_left_out_with_a_warning(void **state)
{
    (void)state;
    rp_hooks hooks = rp_default_hooks();
    hooks.log = count_warnings;
    rp_set_hooks(&hooks);
    for (int i = 0; i < 2; i++) {
        rp_animation_key *keys;
        int count;
        warnings = 0;
        write_gltf(scaled, i ? 2 : 1.0 / 3); /* a third undoes the rig's */
        check_ok(rp_gltf_animation_read(scaled, "arm", &keys, &count, NULL), NULL);
        assert_int_equal(warnings, i);
        check_vector(keys[3].position, 3, 0, 11);
        rp_gltf_animation_release(keys, count);
    }
    hooks = rp_default_hooks();
    rp_set_hooks(&hooks);
}

/* The file's frame is turned and put somewhere; the body is then where the node is. */
static void bodies_follow_animations(void **state)
{
    (void)state;
    char text[600];
    snprintf(text, sizeof text,
             "particles: {spacing: 1}\nsolver: {method: null}\nbodies: {a: {shape: sphere, radius: "
             "1, motion: keys, animation: %s, node: arm, position: [10, 0, 0], rotation: [0, 0, "
             "90]}}\n",
             path);
    rp_report *report = rp_report_create();
    rp_scene *scene;
    check_ok(rp_scene_parse(text, "test", &scene, report), report);
    const rp_body_spec *spec = rp_scene_bodies(scene);
    assert_int_equal(spec->animation.count, 4);
    check_vector(spec->pose.position, 10, 0, 5);
    rp_bodies *bodies;
    check_ok(rp_bodies_create(scene, &bodies, report), report);
    check_ok(rp_bodies_begin(bodies, 1.4, 0.1, report), report);
    check_ok(rp_bodies_finish(bodies, report), report);
    const rp_body_state *body = rp_bodies_states(bodies);
    check_vector(rp_v3(body->position[0], body->position[1], body->position[2]), 10, 3, 8);
    check_vector(rp_v3(body->velocity[0], body->velocity[1], body->velocity[2]), 0, 0, 6);
    /* 60 degrees a second about the arm's z, which the rig turns to -y and the frame to x. */
    check_vector(
        rp_v3(body->angular_velocity[0], body->angular_velocity[1], body->angular_velocity[2]),
        RP_PI / 3, 0, 0);
    rp_bodies_destroy(bodies);
    rp_scene *again; /* the written scene is the same */
    check_ok(rp_scene_parse(rp_scene_text(scene), "again", &again, report), report);
    assert_string_equal(scene->portable, again->portable);
    assert_non_null(strstr(scene->portable, "animation: meshes/"));
    rp_scene_destroy(again);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void wrong_animations_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *body, *key, *message;
    } cases[] = {
        {"motion: keys, animation: /nowhere/a.gltf", "animation", "cannot open '/nowhere/a.gltf'"},
        {"motion: keys, animation: FILE, node: amr", "animation", "there are: arm"},
        {"motion: keys, node: arm, keys: [{time: 0, position: [0, 0, 0]}]", "node", "not given"},
        {"animation: FILE", "animation", "say `motion: keys`"},
        {"motion: keys, animation: FILE, keys: [{time: 0, position: [0, 0, 0]}]", "animation",
         "not both"},
        {"motion: keys", "keys", "or an animation"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300], text[600], key[60];
        const char *at = strstr(cases[i].body, "FILE");
        snprintf(body, sizeof body, "%.*s%s%s", (int)(at ? at - cases[i].body : 200), cases[i].body,
                 at ? path : "", at ? at + 4 : "");
        snprintf(text, sizeof text,
                 "particles: {spacing: 1}\nbodies: {a: {shape: sphere, radius: 1, %s}}\n", body);
        snprintf(key, sizeof key, "bodies.a.%s", cases[i].key);
        rp_report *report = rp_report_create();
        rp_scene *scene;
        assert_int_equal(rp_scene_parse(text, "test", &scene, report), RP_ERROR_INPUT);
        assert_int_equal(rp_report_count(report), 1);
        assert_string_equal(rp_report_fault(report, 0)->key, key);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, cases[i].message));
        assert_int_equal(rp_report_fault(report, 0)->line, 2);
        rp_report_destroy(report);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/swing.gltf", folder);
    snprintf(scaled, sizeof scaled, "%s/scaled.gltf", folder);
    snprintf(other, sizeof other, "%s/other.obj", folder);
    snprintf(still, sizeof still, "%s/still.gltf", folder);
    write_gltf(path, 1);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(scaled);
    unlink(other);
    unlink(still);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_lie_between_keys),
        cmocka_unit_test(keys_come_out_of_a_file),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(scale_is_left_out_with_a_warning),
        cmocka_unit_test(bodies_follow_animations),
        cmocka_unit_test(wrong_animations_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
