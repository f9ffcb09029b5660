/* Cameras: the automatic one shows what is there, flyers do not move it; named ones are found. */
#include "check.h"

#include "base/random.h"
#include "render/camera.h"
#include "render/stage.h"

static stage s;

static rp_camera choose(const rp_framing *framing, const char *name, int width, int height)
{
    rp_paint_options options = rp_default_paint_options();
    options.camera = name;
    options.width = width;
    options.height = height;
    rp_camera camera;
    rp_report *report = rp_report_create();
    check_ok(rp_camera_choose(&s.scene, &options, framing, &camera, report), report);
    rp_report_destroy(report);
    return camera;
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
        double widest = 0;
        for (size_t i = 0; i < s.view.count; i++) {
            rp_vec3 c = rp_camera_space(&camera, rp_v3(s.x[i], s.y[i], s.z[i]));
            assert_true(c.z > 0);
            double across = fabs(c.x / c.z / camera.pitch) / (0.5 * camera.width);
            double down = fabs(c.y / c.z / camera.pitch) / (0.5 * camera.height);
            widest = fmax(widest, fmax(across, down));
        }
        assert_true(widest < 1);
        assert_true(widest > 0.6);
    }
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
    rp_paint_options options = rp_default_paint_options();
    rp_framing framing = rp_framing_empty();
    rp_camera camera;
    rp_report *report = rp_report_create();
    options.camera = "behind";
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, &camera, report),
                     RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "front"));
    options.camera = NULL;
    s.camera.field_of_view = 4;
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, &camera, report),
                     RP_ERROR_INPUT);
    s.camera.field_of_view = 1;
    s.camera.target = s.camera.position;
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, &camera, report),
                     RP_ERROR_INPUT);
    /* Looking straight down with `up` along the view is fine. */
    s.camera.target = rp_v3(0, -2, -1);
    assert_int_equal(rp_camera_choose(&s.scene, &options, &framing, &camera, report), RP_OK);
    check_near(rp_v3_length(camera.right), 1, 1e-12);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_grain_is_in_the_picture),
        cmocka_unit_test(the_picture_is_upright_and_seen_from_the_front_right),
        cmocka_unit_test(flyers_do_not_move_the_camera),
        cmocka_unit_test(a_framing_holds_several_views),
        cmocka_unit_test(bodies_and_emitters_are_framed),
        cmocka_unit_test(named_cameras_are_found),
        cmocka_unit_test(bad_cameras_are_faults),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
