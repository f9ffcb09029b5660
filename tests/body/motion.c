/* Prescribed motion: bodies along keys, and along the animated nodes of files. */
#include "body/body.h"
#include "check.h"
#include "mesh/mesh.h"
#include "meshfile/gltf.h"
#include "repose/repose.h"

#include <stdlib.h>
#include <unistd.h>

/* --- keys ------------------------------------------------------------------------------------- */

static const double degree = RP_PI / 180;

static const rp_key_spec key_frames[] = {
    {0.5, {0, 1, 0}, {0, 0, 0}},        {1.0, {1, 1, 2}, {0.3, 0, 1}},
    {1.2, {2, 1, 1}, {0.3, -0.2, 5}},   {3.0, {9, 1, 1}, {0.9, -0.2, 9}},
    {3.5, {9.5, 1, 4}, {0.8, 0.4, 20}},
};
#define KEYS (int)(sizeof key_frames / sizeof *key_frames)

static void check_quat(rp_quat a, rp_quat b, double tolerance)
{
    check_near(rp_v3_length(rp_quat_log(rp_quat_mul(a, rp_quat_conj(b)))), 0, tolerance);
}

static rp_vec3 velocity(double time, double h)
{
    rp_vec3 before =
        rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, time - h).position;
    return rp_v3_scale(
        rp_v3_sub(rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, time + h).position,
                  before),
        0.5 / h);
}

static rp_vec3 spin(double time, double h)
{
    rp_quat from =
        rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, time - h).orientation;
    rp_quat to =
        rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, time + h).orientation;
    return rp_v3_scale(rp_quat_log(rp_quat_mul(to, rp_quat_conj(from))), 0.5 / h);
}

static void poses_pass_through_the_keys(void **state)
{
    (void)state;
    for (int i = 0; i < KEYS; i++) {
        for (int side = -1; side <= 1; side++) {
            rp_pose pose = rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH,
                                               key_frames[i].time + side * 1e-9);
            check_near(rp_v3_length(rp_v3_sub(pose.position, key_frames[i].position)), 0, 1e-7);
            check_quat(pose.orientation, rp_quat_from_euler(key_frames[i].rotation), 1e-6);
        }
        rp_pose pose =
            rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, key_frames[i].time);
        assert_true(pose.position.x == key_frames[i].position.x);
        assert_true(pose.position.z == key_frames[i].position.z);
    }
}

static void rates_have_no_jumps(void **state)
{
    (void)state;
    const double h = 1e-6;
    for (double t = 0.2; t < 4; t += 0.0137) {
        check_near(rp_v3_length(rp_v3_sub(velocity(t, h), velocity(t + 4 * h, h))), 0, 5e-3);
        check_near(rp_v3_length(rp_v3_sub(spin(t, h), spin(t + 4 * h, h))), 0, 5e-3);
    }
    for (int i = 0; i < KEYS; i++) {
        double t = key_frames[i].time;
        check_near(rp_v3_length(rp_v3_sub(velocity(t - h, h), velocity(t + h, h))), 0, 5e-3);
        check_near(rp_v3_length(rp_v3_sub(spin(t - h, h), spin(t + h, h))), 0, 5e-3);
    }
}

static void nothing_overshoots(void **state)
{
    (void)state;
    for (int i = 0; i + 1 < KEYS; i++) {
        double last = key_frames[i].position.x;
        for (int k = 0; k <= 1000; k++) {
            double t =
                key_frames[i].time + (key_frames[i + 1].time - key_frames[i].time) * k / 1000;
            rp_vec3 p = rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, t).position;
            assert_true(p.x >= last - 1e-15);
            assert_true(p.y == 1);
            assert_true(p.z >=
                        fmin(key_frames[i].position.z, key_frames[i + 1].position.z) - 1e-15);
            assert_true(p.z <=
                        fmax(key_frames[i].position.z, key_frames[i + 1].position.z) + 1e-15);
            last = p.x;
        }
    }
    assert_true(rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, 2.1).position.z ==
                1); /* between equal key_frames */
}

static void it_rests_before_and_after(void **state)
{
    (void)state;
    const double outside[][2] = {{-5, 0.5}, {0.49, 0.5}, {3.51, 3.5}, {1e9, 3.5}};
    for (int i = 0; i < 4; i++) {
        rp_pose pose =
            rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, outside[i][0]);
        rp_pose end = rp_motion_keys_pose(key_frames, KEYS, RP_INTERPOLATION_SMOOTH, outside[i][1]);
        assert_memory_equal(&pose, &end, sizeof pose);
    }
    check_near(rp_v3_length(velocity(0.5, 1e-6)), 0, 1e-4);
    check_near(rp_v3_length(spin(3.5, 1e-6)), 0, 1e-4);
    rp_pose only = rp_motion_keys_pose(&key_frames[1], 1, RP_INTERPOLATION_SMOOTH, 1.0);
    assert_true(only.position.z == 2);
}

/* From 0 to 720 degrees is two turns, counted by adding up small ones. */
static void whole_turns_are_turned(void **state)
{
    (void)state;
    const rp_key_spec turns[] = {{.time = 0}, {.time = 1, .rotation = {0, 0, 720 * degree}}};
    double total = 0;
    for (int i = 0; i < 100; i++) {
        rp_quat from =
            rp_motion_keys_pose(turns, 2, RP_INTERPOLATION_SMOOTH, i / 100.0).orientation;
        rp_quat to =
            rp_motion_keys_pose(turns, 2, RP_INTERPOLATION_SMOOTH, (i + 1) / 100.0).orientation;
        total += rp_quat_log(rp_quat_mul(to, rp_quat_conj(from))).z;
    }
    check_near(total, 720 * degree, 1e-12);
    check_quat(rp_motion_keys_pose(turns, 2, RP_INTERPOLATION_SMOOTH, 0.5).orientation,
               rp_quat_identity(), 1e-12);
}

static void even_keys_give_even_motion(void **state)
{
    (void)state;
    rp_key_spec even[6];
    const double times[6] = {0, 1, 1.5, 3, 3.25, 5};
    for (int i = 0; i < 6; i++)
        even[i] = (rp_key_spec){times[i], {2 * times[i], 0, 0}, {0, 0, -3 * times[i]}};
    for (double t = 1; t <= 3.25; t += 0.01) {
        rp_pose pose = rp_motion_keys_pose(even, 6, RP_INTERPOLATION_SMOOTH, t);
        check_near(pose.position.x, 2 * t, 1e-13);
        check_quat(pose.orientation, rp_quat_from_euler(rp_v3(0, 0, -3 * t)), 1e-12);
    }
}

static void linear_keys_move_and_turn_evenly(void **state)
{
    (void)state;
    const rp_key_spec line[] = {{.time = 1, .position = {0, 0, 2}},
                                {.time = 3, .position = {4, 0, 2}, .rotation = {0, 0, 8 * RP_PI}}};
    for (double t = 0; t < 4; t += 0.125) {
        rp_pose pose = rp_motion_keys_pose(line, 2, RP_INTERPOLATION_LINEAR, t);
        double share = fmin(fmax((t - 1) / 2, 0), 1);
        rp_vec3 arm = rp_quat_rotate(pose.orientation, rp_v3(1, 0, 0));
        check_near(pose.position.x, 4 * share, 1e-14);
        check_near(pose.position.z, 2, 0);
        check_near(arm.x, cos(8 * RP_PI * share), 1e-13);
        check_near(arm.y, sin(8 * RP_PI * share), 1e-13);
    }
}

/* --- animations ------------------------------------------------------------------------------- */

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
        rp_pose pose = rp_motion_animation_pose(keys, 3, times[i]);
        check_vector(pose.position, x[i], y[i], 0);
        check_turn(pose.orientation, rp_quat_from_axis(rp_v3(0, 0, 1), y[i] / 4 * RP_PI / 2));
        rp_pose alone = rp_motion_animation_pose(keys + 1, 1, times[i]);
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
        cmocka_unit_test(linear_keys_move_and_turn_evenly),
        cmocka_unit_test(poses_pass_through_the_keys),
        cmocka_unit_test(rates_have_no_jumps),
        cmocka_unit_test(nothing_overshoots),
        cmocka_unit_test(it_rests_before_and_after),
        cmocka_unit_test(whole_turns_are_turned),
        cmocka_unit_test(even_keys_give_even_motion),
        cmocka_unit_test(poses_lie_between_keys),
        cmocka_unit_test(keys_come_out_of_a_file),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(scale_is_left_out_with_a_warning),
        cmocka_unit_test(bodies_follow_animations),
        cmocka_unit_test(wrong_animations_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
