/* Cameras: the automatic one shows what is there, flyers do not move it; named ones are found, and
 * go along keys and round their target. */
#include "check.h"

#include "base/random.h"
#include "render/inside.h"
#include "render/stage.h"

static stage s;

static rp_camera choose_at(const rp_framing *framing, const rp_render_options *options, double time)
{
    rp_camera camera;
    rp_report *report = rp_report_create();
    check_ok(rp_camera_choose(&s.scene, options, framing, time, &camera, report), report);
    rp_report_destroy(report);
    return camera;
}

static rp_camera choose(const rp_framing *framing, const char *name, int width, int height)
{
    rp_render_options options = rp_default_render_options();
    options.camera = name;
    options.width = width;
    options.height = height;
    return choose_at(framing, &options, 0);
}

/* The camera of the stage at a time. */
static rp_camera stage_camera(double orbit, double time)
{
    rp_framing framing = rp_framing_empty();
    rp_render_options options = rp_default_render_options();
    options.orbit = orbit;
    return choose_at(&framing, &options, time);
}

static void check_vector(rp_vec3 v, double x, double y, double z, double tolerance)
{
    check_near(v.x, x, tolerance);
    check_near(v.y, y, tolerance);
    check_near(v.z, z, tolerance);
}

/* How far the farthest grain is from the middle of the picture, in halves of it. */
static double widest_of(const rp_camera *camera)
{
    double widest = 0;
    for (size_t i = 0; i < s.view.count; i++) {
        rp_vec3 c = rp_camera_space(camera, rp_v3(s.x[i], s.y[i], s.z[i]));
        assert_true(c.z > 0);
        double across = fabs(c.x / c.z / camera->pitch) / (0.5 * camera->width);
        double down = fabs(c.y / c.z / camera->pitch) / (0.5 * camera->height);
        widest = fmax(widest, fmax(across, down));
    }
    return widest;
}

static rp_framing frame_stage(void)
{
    rp_framing framing = rp_framing_empty();
    assert_int_equal(rp_framing_add(&framing, &s.view, &s.scene, NULL), RP_OK);
    return framing;
}

/* Grains in a round heap about (4, -3, 0), of radius and height 1 m. */
static void build_heap(void)
{
    stage_clear(&s);
    s.scene.cameras.count = 0;
    while (s.view.count < 5000) {
        rp_random4 r = rp_random(3, RP_RANDOM_TEST, s.view.count);
        double angle = 2 * RP_PI * rp_random_unit(r.bits[0]);
        double radius = sqrt(rp_random_unit(r.bits[1])), height = rp_random_unit(r.bits[2]);
        stage_add(&s, 4 + radius * cos(angle), -3 + radius * sin(angle), height, SAND);
    }
}

static void every_grain_is_in_the_picture(void **state)
{
    (void)state;
    build_heap();
    rp_framing framing = frame_stage();
    const int sizes[][2] = {{1280, 720}, {300, 300}, {200, 900}, {1, 1}};
    for (int k = 0; k < 4; k++) {
        rp_camera camera = choose(&framing, NULL, sizes[k][0], sizes[k][1]);
        double widest = widest_of(&camera);
        assert_true(widest < 1);
        assert_true(widest > 0.6);
    }
}

/* Where grains are in the picture, from -1 to 1 across and down. */
static rp_box3 seen_in(const rp_camera *camera)
{
    rp_box3 seen = {{INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, 0}};
    double radius = 0.5 * s.view.spacing;
    for (size_t i = 0; i < s.view.count; i++) {
        rp_vec3 c = rp_camera_space(camera, rp_v3(s.x[i], s.y[i], s.z[i]));
        rp_vec3 at = rp_v3(c.x / c.z / camera->pitch / (0.5 * camera->width),
                           c.y / c.z / camera->pitch / (0.5 * camera->height), 0);
        rp_vec3 edge = rp_v3(radius / c.z / camera->pitch / (0.5 * camera->width),
                             radius / c.z / camera->pitch / (0.5 * camera->height), 0);
        seen.low = rp_v3_min(seen.low, rp_v3_sub(at, edge));
        seen.high = rp_v3_max(seen.high, rp_v3_add(at, edge));
    }
    return seen;
}

/* Grains at random in a box with one corner at (1, 2, 0), and in all of its corners. */
static void build_block(double x, double y, double z)
{
    stage_clear(&s);
    s.scene.cameras.count = 0;
    s.view.spacing = 0.02;
    for (int i = 0; i < 8; i++)
        stage_add(&s, 1 + (i & 1) * x, 2 + (i >> 1 & 1) * y, (i >> 2) * z, SAND);
    while (s.view.count < 5000) {
        rp_random4 r = rp_random(5, RP_RANDOM_TEST, s.view.count);
        stage_add(&s, 1 + x * rp_random_unit(r.bits[0]), 2 + y * rp_random_unit(r.bits[1]),
                  z * rp_random_unit(r.bits[2]), SAND);
    }
}

/* A column, a bed, a block and a heap, in pictures of all shapes: 6 % are left in the tighter
 * direction, and in both as much at one side as at the other. */
static void the_automatic_camera_fits_both_sides(void **state)
{
    (void)state;
    const double blocks[][3] = {{0.3, 0.3, 3}, {4, 2, 0.2}, {0.5, 5, 0.3}, {1, 1, 1}};
    const int sizes[][2] = {{1280, 720}, {640, 720}, {480, 270}, {400, 900}, {500, 500}};
    for (int b = 0; b <= 4; b++)
        for (int k = 0; k < 5; k++) {
            if (b < 4)
                build_block(blocks[b][0], blocks[b][1], blocks[b][2]);
            else
                build_heap();
            rp_framing framing = frame_stage();
            rp_camera camera = choose(&framing, NULL, sizes[k][0], sizes[k][1]);
            rp_box3 seen = seen_in(&camera);
            double wide = fmax(-seen.low.x, seen.high.x), high = fmax(-seen.low.y, seen.high.y);
            check_near(fmax(wide, high), 0.88, 0.01);
            check_near(seen.low.x + seen.high.x, 0, 0.02);
            check_near(seen.low.y + seen.high.y, 0, 0.02);
            assert_true(camera.position.z > 0);
        }
}

/* A wide ground of its own does not make the heap on it small, and a distant moving body may. */
static void grounds_do_not_move_the_camera(void **state)
{
    (void)state;
    build_heap();
    rp_framing bare = frame_stage();
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_BOX, .size = {90, 90, 2}}, rp_v3(4, -3, -1.05));
    rp_framing framing = frame_stage();
    rp_vec3 size = rp_v3_sub(framing.bounds.high, framing.bounds.low);
    assert_true(size.x < 1.4 * (bare.bounds.high.x - bare.bounds.low.x));
    assert_true(framing.bounds.low.z > -0.5);
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_SPHERE, .radius = 0.2}, rp_v3(9, -3, 0))
        ->motion = RP_MOTION_DYNAMIC;
    framing = frame_stage();
    check_near(framing.bounds.high.x, 9.2, 1e-9);
}

/* Beside another picture a camera of the scene shows what it shows alone, from left to right. */
static void half_a_picture_shows_the_whole_width(void **state)
{
    (void)state;
    stage_clear(&s);
    rp_framing framing = rp_framing_empty();
    rp_render_options options = rp_default_render_options();
    double whole = choose_at(&framing, &options, 0).pitch * options.width;
    options.aspect = (double)options.width / options.height;
    check_near(choose_at(&framing, &options, 0).pitch * options.width, whole, 1e-12);
    options.width /= 2;
    check_near(choose_at(&framing, &options, 0).pitch * options.width, whole, 1e-12);
}

static void the_picture_is_upright_and_seen_from_the_front_right(void **state)
{
    (void)state;
    build_heap();
    rp_framing framing = frame_stage();
    rp_camera camera = choose(&framing, "automatic", 640, 480);
    assert_true(camera.position.x > 4 && camera.position.y < -3 && camera.position.z > 0.5);
    assert_true(camera.down.z < -0.9);
    assert_true(camera.right.x > 0.5);
    check_near(rp_v3_dot(rp_v3_cross(camera.right, camera.down), camera.forward), 1, 1e-12);
}

static void flyers_do_not_move_the_camera(void **state)
{
    (void)state;
    build_heap();
    rp_framing before = frame_stage();
    for (int i = 0; i < 20; i++)
        stage_add(&s, 1000 + i, 50 * i, 300, SAND);
    rp_framing after = frame_stage();
    rp_vec3 size = rp_v3_sub(after.bounds.high, after.bounds.low);
    assert_true(size.x < 2.2 && size.y < 2.2 && size.z < 1.2);
    check_near(before.bounds.low.x, after.bounds.low.x, 0.1);
}

/* A heap that slides is in the picture from the first to the last frame. */
static void a_framing_holds_several_views(void **state)
{
    (void)state;
    build_heap();
    rp_framing framing = frame_stage();
    for (size_t i = 0; i < s.view.count; i++)
        s.x[i] += 10;
    assert_int_equal(rp_framing_add(&framing, &s.view, &s.scene, NULL), RP_OK);
    assert_true(framing.bounds.low.x < 3.1 && framing.bounds.high.x > 14.9);
}

static void bodies_and_emitters_are_framed(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_BOX, .size = {2, 4, 6}}, rp_v3(10, 0, 0));
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
    rp_emitter_spec emitter = {.name = "hose", .radius = 0.5, .position = {10, 0, 9}};
    s.scene.emitters = (rp_named_list){&emitter, 1};
    rp_box3 bounds = frame_stage().bounds;
    check_near(bounds.low.x, 9, 1e-9);
    check_near(bounds.high.y, 2, 1e-9);
    check_near(bounds.low.z, -3, 1e-9);
    check_near(bounds.high.z, 9.5, 1e-9);
}

static void named_cameras_are_found(void **state)
{
    (void)state;
    stage_clear(&s);
    rp_camera_spec specs[2] = {s.camera, s.camera};
    specs[1].name = "side";
    specs[1].position = rp_v3(7, 0, 0);
    s.scene.cameras = (rp_named_list){specs, 2};
    rp_framing framing = rp_framing_empty();
    check_near(choose(&framing, NULL, 10, 10).position.y, -2, 0);
    rp_camera side = choose(&framing, "side", 10, 10);
    check_near(side.position.x, 7, 0);
    check_near(side.forward.x, -1, 1e-12);
    check_near(side.right.y, 1, 1e-12);
}

static void bad_cameras_are_faults(void **state)
{
    (void)state;
    stage_clear(&s);
    rp_render_options options = rp_default_render_options();
    rp_framing framing = rp_framing_empty();
    rp_camera camera;
    rp_report *report = rp_report_create();
    options.camera = "behind";
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, 0, &camera, report),
                     RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "front"));
    options.camera = NULL;
    s.camera.field_of_view = 4;
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, 0, &camera, report),
                     RP_ERROR_INPUT);
    s.camera.field_of_view = 1;
    s.camera.target = s.camera.position;
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, 0, &camera, report),
                     RP_ERROR_INPUT);
    /* Looking straight down with `up` along the view is fine. */
    s.camera.target = rp_v3(0, -2, -1);
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, 0, &camera, report), RP_OK);
    check_near(rp_v3_length(camera.right), 1, 1e-12);
    rp_report_destroy(report);
}

/* --- moved cameras ---------------------------------------------------------------------------- */

static rp_camera_key_spec way[] = {
    {.time = 1, .position = {0, -2, 0}, .target = {0, 0, 0}, .field_of_view = 0.4},
    {.time = 2, .position = {0, -4, 0}, .target = {0, 0, 2}, .field_of_view = 0.8},
    {.time = 4, .position = {6, -4, 0}, .target = {0, 0, 2}, .field_of_view = 0.8},
};

static void follow_way(rp_interpolation interpolation)
{
    stage_clear(&s);
    s.camera.keys = (rp_plain_list){way, 3};
    s.camera.interpolation = (int)interpolation;
}

static double field_of(const rp_camera *camera)
{
    return 2 * atan(0.5 * camera->pitch * camera->height);
}

static void keys_are_followed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        follow_way((rp_interpolation)kind);
        const double times[] = {0, 1, 2, 4, 9};
        const int keys[] = {0, 0, 1, 2, 2};
        for (int i = 0; i < 5; i++) {
            rp_camera camera = stage_camera(0, times[i]);
            const rp_camera_key_spec *key = &way[keys[i]];
            rp_vec3 view = rp_v3_normalized(rp_v3_sub(key->target, key->position));
            check_vector(camera.position, key->position.x, key->position.y, key->position.z, 0);
            check_vector(camera.forward, view.x, view.y, view.z, 1e-15);
            check_near(field_of(&camera), key->field_of_view, 1e-12);
            check_near(camera.focus, rp_v3_length(rp_v3_sub(key->target, key->position)), 1e-15);
        }
    }
}

static void keys_are_smooth_or_linear(void **state)
{
    (void)state;
    follow_way(RP_INTERPOLATION_LINEAR);
    rp_camera camera = stage_camera(0, 1.25);
    check_vector(camera.position, 0, -2.5, 0, 1e-15);
    check_near(field_of(&camera), 0.5, 1e-12);
    check_near(camera.forward.z / camera.forward.y, 0.5 / 2.5, 1e-14);
    check_vector(stage_camera(0, 3).position, 3, -4, 0, 1e-15);
    follow_way(RP_INTERPOLATION_SMOOTH);
    check_vector(stage_camera(0, 1.25).position, 0, -2 - 2 * 0.15625, 0, 1e-15);
    /* Slow at its ends. */
    check_near(stage_camera(0, 1.001).position.y, -2, 1e-5);
    check_near(stage_camera(0, 3.999).position.x, 6, 1e-5);
}

static void a_moved_camera_does_not_pass_its_target(void **state)
{
    (void)state;
    follow_way(RP_INTERPOLATION_LINEAR);
    rp_camera_key_spec through[] = {
        {.time = 0, .position = {0.1, -0.3, 0}, .target = {0, 0, 0}, .field_of_view = 1},
        {.time = 2, .position = {-0.1, 0.3, 0}, .target = {0, 0, 0}, .field_of_view = 1}};
    s.camera.keys = (rp_plain_list){through, 2};
    rp_render_options options = rp_default_render_options();
    rp_framing framing = rp_framing_empty();
    rp_camera camera;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, 1, &camera, report),
                     RP_ERROR_INPUT);
    assert_non_null(
        strstr(rp_report_fault(report, 0)->message, "at 1 s the camera is at its target"));
    check_ok(rp_camera_choose(&s.scene, &options, &framing, 0.9, &camera, report), report);
    rp_report_destroy(report);
}

/* Once about the target in four seconds: the same distance and height, back at the end. */
static void an_orbit_goes_round_the_target(void **state)
{
    (void)state;
    stage_clear(&s);
    s.camera.position = rp_v3(3, 0, 2);
    s.camera.target = rp_v3(1, 0, 1);
    const double rates[][2] = {{RP_PI / 2, 0}, {0, RP_PI / 2}, {RP_PI, -RP_PI / 2}};
    for (int k = 0; k < 3; k++) {
        s.camera.orbit = rates[k][0];
        for (int i = 0; i <= 16; i++) {
            rp_camera camera = stage_camera(rates[k][1], i / 4.0);
            double angle = 2 * RP_PI * i / 16;
            rp_vec3 view = rp_v3_normalized(rp_v3_sub(s.camera.target, camera.position));
            check_vector(camera.position, 1 + 2 * cos(angle), 2 * sin(angle), 2, 1e-13);
            check_vector(camera.forward, view.x, view.y, view.z, 1e-13);
            check_near(camera.right.z, 0, 1e-13);
            assert_true(camera.down.z < 0);
            check_near(camera.focus, sqrt(5), 1e-14);
        }
    }
}

static void an_orbit_is_on_top_of_keys_and_about_up(void **state)
{
    (void)state;
    follow_way(RP_INTERPOLATION_LINEAR);
    s.camera.orbit = RP_PI / 4;
    check_vector(stage_camera(0, 2).position, 4, 0, 0, 1e-14);
    check_vector(stage_camera(0, 4).position, -6, 4, 0, 1e-14);
    stage_clear(&s);
    s.camera.up = rp_v3(2, 0, 0);
    check_vector(stage_camera(RP_PI / 2, 1).position, 0, 0, -2, 1e-14);
}

/* Of a long ridge all that may be seen is seen, from whichever side the camera looks. */
static void the_automatic_camera_goes_round_as_well(void **state)
{
    (void)state;
    stage_clear(&s);
    for (int i = 0; i <= 2000; i++)
        stage_add(&s, 0.01 * i - 6, 5 + 0.1 * (i % 5), 0.1 * (i % 7), SAND);
    rp_framing framing = frame_stage();
    rp_box3 box = rp_framing_box(&framing);
    rp_vec3 centre = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    rp_render_options options = rp_default_render_options();
    options.camera = "automatic";
    options.orbit = 2 * RP_PI / 10;
    rp_camera first = choose_at(&framing, &options, 0);
    double reach = rp_v3_length(rp_v3_sub(first.position, centre));
    for (int i = 0; i <= 20; i++) {
        rp_camera camera = choose_at(&framing, &options, i / 2.0);
        rp_vec3 arm = rp_v3_sub(camera.position, centre);
        check_near(rp_v3_length(arm), reach, 1e-12);
        check_near(camera.position.z, first.position.z, 1e-12);
        check_near(rp_v3_dot(rp_v3_cross(camera.right, camera.down), camera.forward), 1, 1e-12);
        assert_true(widest_of(&camera) < 1);
        if (i == 10) assert_true(arm.x * (first.position.x - centre.x) < 0);
    }
    rp_vec3 last = choose_at(&framing, &options, 10).position;
    check_vector(last, first.position.x, first.position.y, first.position.z, 1e-12);
}

static void a_lens_and_a_shutter_are_as_told(void **state)
{
    (void)state;
    stage_clear(&s);
    s.camera.shutter = 0.25;
    rp_camera camera = stage_camera(0, 0);
    assert_true(camera.lens == 0 && camera.focus == 2 && camera.shutter == 0.25);
    s.camera.aperture = 0.02;
    s.camera.focus = 5;
    camera = stage_camera(0, 0);
    assert_true(camera.lens == 0.01 && camera.focus == 5);

    build_heap();
    rp_framing framing = frame_stage();
    camera = choose(&framing, "automatic", 640, 480);
    assert_true(camera.lens == 0 && camera.shutter == 0.5);
    check_near(camera.focus, rp_camera_space(&camera, rp_v3(4, -3, 0.5)).z, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_grain_is_in_the_picture),
        cmocka_unit_test(the_automatic_camera_fits_both_sides),
        cmocka_unit_test(grounds_do_not_move_the_camera),
        cmocka_unit_test(half_a_picture_shows_the_whole_width),
        cmocka_unit_test(the_picture_is_upright_and_seen_from_the_front_right),
        cmocka_unit_test(flyers_do_not_move_the_camera),
        cmocka_unit_test(a_framing_holds_several_views),
        cmocka_unit_test(bodies_and_emitters_are_framed),
        cmocka_unit_test(named_cameras_are_found),
        cmocka_unit_test(bad_cameras_are_faults),
        cmocka_unit_test(keys_are_followed),
        cmocka_unit_test(keys_are_smooth_or_linear),
        cmocka_unit_test(a_moved_camera_does_not_pass_its_target),
        cmocka_unit_test(an_orbit_goes_round_the_target),
        cmocka_unit_test(an_orbit_is_on_top_of_keys_and_about_up),
        cmocka_unit_test(the_automatic_camera_goes_round_as_well),
        cmocka_unit_test(a_lens_and_a_shutter_are_as_told),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
