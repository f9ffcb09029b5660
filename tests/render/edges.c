/* The edges of what can be asked of a picture: nothing to see, cameras in odd places, numbers that
 * are none, places far off, sizes far apart, and requests to stop. */
#include "check.h"

#include "base/random.h"
#include "render/stage.h"

#define EDGE_WIDTH 120
#define EDGE_HEIGHT 80

static stage s;

static rp_picture *render(void)
{
    return stage_render(&s, EDGE_WIDTH, EDGE_HEIGHT, NULL);
}

static double mean_of(const rp_picture *picture, int colour)
{
    double sum = 0;
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++)
            sum += rp_picture_at(picture, x, y)[colour];
    return sum / (picture->width * picture->height);
}

/* A heap, a ball that flies and turns, a lamp, and grains of which some fly: all that can differ
 * from thread to thread. `size` scales everything about the point `at`. */
static void build_world(double size, rp_vec3 at)
{
    static rp_body_state states[2];
    stage_clear(&s);
    stage_move(&s);
    s.view.spacing = 0.05 * size;
    for (int i = 0; i < 3000; i++) {
        rp_random4 r = rp_random(9, RP_RANDOM_TEST, (uint64_t)i);
        double x = (double)rp_random_unit(r.bits[0]), y = (double)rp_random_unit(r.bits[1]);
        double z = (double)rp_random_unit(r.bits[2]);
        stage_add(&s, at.x + size * (0.8 * x - 0.4), at.y + size * (0.8 * y - 0.4),
                  at.z + size * (0.4 * z + 0.03), (int)(r.bits[3] % 3));
        s.vx[i] = i % 5 ? 0 : (float)(3 * size);
    }
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, at);
    rp_shape ball = {.kind = RP_SHAPE_SPHERE, .radius = 0.2 * size};
    rp_vec3 there = rp_v3_add(at, rp_v3_scale(rp_v3(0.5, -0.5, 0.3), size));
    stage_add_body(&s, ball, there);
    states[0] = (rp_body_state){.position = {at.x, at.y, at.z}, .orientation = {1, 0, 0, 0}};
    states[1] =
        (rp_body_state){.position = {there.x, there.y, there.z}, .orientation = {1, 0, 0, 0}};
    states[1].velocity[2] = 2 * size;
    states[1].angular_velocity[0] = 5;
    s.view.bodies = states;
    s.view.body_count = 2;
    stage_add_lamp(&s, rp_v3_add(at, rp_v3_scale(rp_v3(-0.6, -0.6, 0.5), size)), 0.2 * size * size);
    s.lamps[0].radius = 0.02 * size;
    s.scene.light.direction = rp_v3_normalized(rp_v3(0.5, 0.3, -1));
    s.scene.cameras.count = 0;
    s.options.frame_time = 0.04;
    s.options.samples = 4;
}

static void build_plain_world(void)
{
    build_world(1, rp_v3(0, 0, 0));
}

/* --- little to see ---------------------------------------------------------------------------- */

static void a_view_without_grains_can_be_rendered(void **state)
{
    (void)state;
    const double spacings[] = {0, 0.1, NAN};
    for (int i = 0; i < 6; i++) {
        stage_clear(&s);
        s.scene.cameras.count = i % 2;
        s.view = (rp_view){.spacing = spacings[i / 2]};
        rp_picture *empty = render();
        rp_body_spec *ball =
            stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_SPHERE, .radius = 0.4}, rp_v3(0, 0, 0));
        stage_colour(ball, 0.9, 0.02, 0.02);
        rp_picture *red = render();
        const uint8_t *middle = rp_picture_at(red, EDGE_WIDTH / 2, EDGE_HEIGHT / 2);
        assert_true(middle[0] > 2 * middle[1]);
        assert_true(stage_difference(empty, red) > 3);
        rp_picture_destroy(empty);
        rp_picture_destroy(red);
    }
}

static void one_grain_is_seen_by_any_number_of_samples(void **state)
{
    (void)state;
    for (int samples = 1; samples <= 5; samples++) {
        stage_clear(&s);
        s.view.spacing = 1;
        s.options.samples = samples;
        stage_add(&s, 0, 0, 0, RED);
        rp_picture *picture = render();
        const uint8_t *middle = rp_picture_at(picture, EDGE_WIDTH / 2, EDGE_HEIGHT / 2 - 8);
        assert_true(middle[0] > 2 * middle[2]);
        rp_picture_destroy(picture);
    }
}

/* Three or five samples are as bright as sixteen: none is lost or counted twice. */
static void odd_numbers_of_samples_are_as_bright(void **state)
{
    (void)state;
    build_plain_world();
    s.options.samples = 64;
    s.options.plain = true;
    rp_picture *many = render();
    for (int samples = 2; samples <= 7; samples++) {
        s.options.samples = samples;
        rp_picture *few = render();
        for (int c = 0; c < 3; c++) /* the curve of the film bends noise down a little */
            check_near(mean_of(few, c), mean_of(many, c), 2.5);
        rp_picture_destroy(few);
    }
    rp_picture_destroy(many);
}

/* --- cameras in odd places -------------------------------------------------------------------- */

/* No sun gets in, so it is darker than outside; by far, where it is asked what hides the sky. */
static void a_camera_within_a_body_sees_its_walls(void **state)
{
    (void)state;
    const double limits[] = {0.95, 0.5};
    for (int i = 0; i < 2; i++) {
        stage_clear(&s);
        s.options.samples = i ? 16 : 1;
        rp_shape box = {.kind = RP_SHAPE_BOX, .size = {2, 2, 2}};
        stage_add_body(&s, box, rp_v3(0, -2, 0));
        rp_picture *within = render();
        s.camera.position.y = -5;
        rp_picture *outside = render();
        assert_true(mean_of(within, 1) < limits[i] * mean_of(outside, 1));
        rp_picture_destroy(within);
        rp_picture_destroy(outside);
    }
}

/* Planes are seen from above only. */
static void a_camera_below_the_ground_sees_what_stands_on_it(void **state)
{
    (void)state;
    stage_clear(&s);
    s.view.spacing = 0.5;
    stage_add(&s, 0, 0, 0.25, RED);
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
    s.camera.position = rp_v3(0, -1, -1);
    s.camera.target = rp_v3(0, 0, 0.25);
    rp_picture *picture = render();
    const uint8_t *middle = rp_picture_at(picture, EDGE_WIDTH / 2, EDGE_HEIGHT / 2);
    const uint8_t *corner = rp_picture_at(picture, 2, 2);
    assert_true(middle[0] > middle[2] + 10);
    assert_true(abs(corner[0] - corner[1]) < 40); /* sky */
    rp_picture_destroy(picture);
}

/* At the middle of a grain and of a body, on the ground, where the camera is, and below the ground:
 * but for the one at the camera they shine on nothing that it sees. */
static void lamps_may_be_anywhere(void **state)
{
    (void)state;
    const rp_vec3 places[] = {{0, 0, 0.1}, {0.5, 0, 0.2}, {0, 0, 0}, {0, -2, 0.5}, {0, 0, -3}};
    for (int i = 0; i < 5; i++) {
        stage_clear(&s);
        s.camera.position.z = 0.5;
        stage_add(&s, 0, 0, 0.1, RED);
        stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
        rp_shape ball = {.kind = RP_SHAPE_SPHERE, .radius = 0.1};
        stage_add_body(&s, ball, rp_v3(0.5, 0, 0.2));
        rp_picture *without = render();
        stage_add_lamp(&s, places[i], 20)->radius = i == 2 ? 0 : 0.02;
        rp_picture *with = render();
        /* Not 0: one more dimension changes all further samples of a pixel. */
        assert_int_equal(stage_difference(without, with) > 0.3, i == 3);
        rp_picture_destroy(without);
        rp_picture_destroy(with);
    }
}

static void an_orbit_goes_on_top_of_keys(void **state)
{
    (void)state;
    static rp_camera_key_spec keys[2] = {{0, {0, -2, 1}, {0, 0, 0}, 0.8},
                                         {1, {0, -2, 1.5}, {0, 0, 0}, 0.8}};
    build_plain_world();
    s.scene.cameras.count = 1;
    s.camera.keys = (rp_plain_list){keys, 2};
    s.camera.shutter = 1;
    s.view.time = 1;
    rp_picture *resting = render();
    s.options.orbit = 0.7;
    rp_picture *turned = render();
    assert_true(stage_difference(resting, turned) > 3);
    rp_picture_destroy(resting);
    rp_picture_destroy(turned);
}

/* --- numbers that are none -------------------------------------------------------------------- */

/* What has no speed stands still. */
static void velocities_that_are_no_numbers_do_not_blur(void **state)
{
    (void)state;
    build_plain_world();
    const float odd[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 300; i++)
        s.vx[i] = 0;
    rp_picture *resting = render();
    for (size_t i = 0; i < 300; i++)
        *(i % 2 ? &s.vx[i] : &s.vz[i]) = odd[i % 3];
    rp_picture *picture = render();
    assert_true(stage_same(resting, picture));
    rp_picture_destroy(resting);
    rp_picture_destroy(picture);
}

/* Their streaks end where the scene does, whatever the speed. */
static void huge_velocities_are_streaks(void **state)
{
    (void)state;
    const float huge[] = {1e4f, 1e12f, 1e30f, 3e38f};
    rp_picture *first = NULL;
    for (int k = 0; k < 4; k++) {
        build_plain_world();
        for (size_t i = 0; i < 300; i++)
            s.vx[i] = s.vy[i] = huge[k];
        rp_picture *picture = render();
        if (!first) {
            first = picture;
            continue;
        }
        check_near(stage_difference(first, picture), 0, 0.1);
        rp_picture_destroy(picture);
    }
    rp_picture_destroy(first);
}

/* Bodies that are nowhere are left out, like grains. */
static void bodies_without_numbers_are_left_out(void **state)
{
    (void)state;
    build_plain_world();
    rp_body_state states[2];
    memcpy(states, s.view.bodies, sizeof states);
    s.view.bodies = states;
    states[1].velocity[0] = NAN;
    states[1].angular_velocity[1] = INFINITY;
    rp_picture *picture = render();
    rp_picture_destroy(picture);
    states[1].position[2] = NAN;
    picture = render();
    rp_picture_destroy(picture);
}

static void ranges_without_a_span_have_one_colour(void **state)
{
    (void)state;
    build_plain_world();
    s.options.colour = "speed";
    const rp_colour_range ranges[] = {
        {1, 1}, {NAN, 1}, {0, NAN}, {2, 1}, {0, INFINITY}, {-INFINITY, INFINITY}, {NAN, NAN}};
    for (int i = 0; i < 7; i++) {
        s.options.range = &ranges[i];
        rp_picture_destroy(render());
    }
    s.options.range = NULL;
    for (size_t i = 0; i < s.view.count; i++)
        s.vx[i] = NAN;
    rp_picture_destroy(render());
}

static void an_unknown_colour_is_a_fault_with_a_hint(void **state)
{
    (void)state;
    static float values[STAGE_GRAINS];
    static const rp_field field = {"pressure", "Pa", RP_F32, values};
    build_plain_world();
    s.view.fields = &field;
    s.view.field_count = 1;
    static const char *const wrong[][2] = {
        {"presure", "pressure"}, {"sped", "speed"}, {"zzz", "pressure"}};
    for (int i = 0; i < 3; i++) {
        rp_report *report = rp_report_create();
        rp_render_options options = s.options;
        rp_picture *picture;
        options.colour = wrong[i][0];
        assert_int_equal(rp_render_view(&s.view, &s.scene, &options, NULL, &picture, report),
                         RP_ERROR_INPUT);
        assert_null(picture);
        assert_int_equal(rp_report_count(report), 1);
        char text[2048];
        rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
        assert_non_null(strstr(text, wrong[i][0]));
        assert_non_null(strstr(text, wrong[i][1]));
        rp_report_destroy(report);
    }
}

/* --- far off and small ------------------------------------------------------------------------ */

/* Coordinates are floats: at 1000 m they are 0.06 mm apart, a thousandth of a grain. The mean may
 * differ by 0.2 of 255. At 100 km they are 8 mm apart, a sixth of a grain of 5 cm: the picture
 * shows the same heap (5 of 255), but grains are not quite where they were. */
static void far_from_the_origin_it_looks_the_same(void **state)
{
    (void)state;
    const double far[] = {1e3, 1e5}, limits[] = {0.2, 5};
    build_plain_world();
    rp_picture *here = render();
    for (int i = 0; i < 2; i++) {
        build_world(1, rp_v3(far[i], -far[i], far[i]));
        rp_picture *there = render();
        check_near(stage_difference(here, there), 0, limits[i]);
        rp_picture_destroy(there);
    }
    rp_picture_destroy(here);
}

/* Grains of 0.1 mm to 50 m, each in a scene that fits. */
static void any_size_looks_the_same(void **state)
{
    (void)state;
    const double sizes[] = {2e-3, 0.1, 20, 1e3};
    build_plain_world();
    rp_picture *usual = render();
    for (int i = 0; i < 4; i++) {
        build_world(sizes[i], rp_v3(0, 0, 0));
        rp_picture *other = render();
        check_near(stage_difference(usual, other), 0, 0.1);
        rp_picture_destroy(other);
    }
    rp_picture_destroy(usual);
}

/* --- threads and stopping --------------------------------------------------------------------- */

static void check_threads(void)
{
    rp_picture *alone = render();
    const int counts[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        rp_threads *threads;
        assert_int_equal(rp_threads_create(counts[i], &threads, NULL), RP_OK);
        rp_picture *picture = stage_render(&s, EDGE_WIDTH, EDGE_HEIGHT, threads);
        assert_true(stage_same(alone, picture));
        rp_picture_destroy(picture);
        rp_threads_destroy(threads);
    }
    rp_picture_destroy(alone);
}

static void threads_do_not_change_what_moves(void **state)
{
    (void)state;
    build_plain_world();
    check_threads();
    s.options.colour = "speed";
    check_threads();
    s.options.colour = NULL;
    s.options.samples = 1;
    check_threads();
}

/* Two balls of different colours at every place: which of them is seen is a matter of rounding, but
 * not of chance. */
static void threads_do_not_change_what_coincides(void **state)
{
    (void)state;
    stage_clear(&s);
    s.scene.cameras.count = 0;
    s.view.spacing = 0.05;
    for (int i = 0; i < STAGE_GRAINS; i++) {
        rp_random4 r = rp_random(4, RP_RANDOM_TEST, (uint64_t)i / 2);
        stage_add(&s, (double)rp_random_unit(r.bits[0]), (double)rp_random_unit(r.bits[1]),
                  (double)rp_random_unit(r.bits[2]), SAND);
    }
    s.options.samples = 2;
    s.options.colour = "id"; /* by which all are of the same size */
    check_threads();
}

typedef struct watch {
    int calls, stop_at;
    double last;
} watch;

static bool note(void *user, double part)
{
    watch *w = user;
    assert_true(part > w->last && part <= 1);
    w->last = part;
    return ++w->calls != w->stop_at;
}

static void progress_rises_to_one(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1}, {16, 16}, {120, 80}, {400, 333}, {512, 64}};
    for (int i = 0; i < 5; i++) {
        stage_clear(&s);
        s.options.samples = 1;
        stage_add(&s, 0, 0, 0, RED);
        rp_picture *plain = stage_render(&s, sizes[i][0], sizes[i][1], NULL);
        watch w = {0};
        s.options.progress = note;
        s.options.user = &w;
        rp_picture *watched = stage_render(&s, sizes[i][0], sizes[i][1], NULL);
        assert_true(stage_same(plain, watched)); /* parts do not show */
        assert_true(w.calls >= 1 && w.calls <= 80);
        check_near(w.last, 1, 0);
        rp_picture_destroy(plain);
        rp_picture_destroy(watched);
    }
}

static void a_picture_can_be_stopped(void **state)
{
    (void)state;
    build_plain_world();
    rp_threads *threads;
    assert_int_equal(rp_threads_create(2, &threads, NULL), RP_OK);
    size_t before = rp_memory_now().bytes;
    for (int stop_at = 1; stop_at <= 5; stop_at += 2) {
        watch w = {.stop_at = stop_at};
        rp_render_options options = s.options;
        options.width = 320;
        options.height = 200;
        options.samples = 2;
        options.progress = note;
        options.user = &w;
        rp_picture *picture;
        assert_int_equal(rp_render_view(&s.view, &s.scene, &options, threads, &picture, NULL),
                         RP_INTERRUPTED);
        assert_null(picture);
        assert_int_equal(w.calls, stop_at);
        assert_int_equal(rp_memory_now().bytes, before);
    }
    rp_threads_destroy(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_without_grains_can_be_rendered),
        cmocka_unit_test(one_grain_is_seen_by_any_number_of_samples),
        cmocka_unit_test(odd_numbers_of_samples_are_as_bright),
        cmocka_unit_test(a_camera_within_a_body_sees_its_walls),
        cmocka_unit_test(a_camera_below_the_ground_sees_what_stands_on_it),
        cmocka_unit_test(lamps_may_be_anywhere),
        cmocka_unit_test(an_orbit_goes_on_top_of_keys),
        cmocka_unit_test(velocities_that_are_no_numbers_do_not_blur),
        cmocka_unit_test(huge_velocities_are_streaks),
        cmocka_unit_test(bodies_without_numbers_are_left_out),
        cmocka_unit_test(ranges_without_a_span_have_one_colour),
        cmocka_unit_test(an_unknown_colour_is_a_fault_with_a_hint),
        cmocka_unit_test(far_from_the_origin_it_looks_the_same),
        cmocka_unit_test(any_size_looks_the_same),
        cmocka_unit_test(threads_do_not_change_what_moves),
        cmocka_unit_test(threads_do_not_change_what_coincides),
        cmocka_unit_test(progress_rises_to_one),
        cmocka_unit_test(a_picture_can_be_stopped),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
