/* Pictures: things are where the camera says, hide and shade each other, and come out the same for
 * any number of threads and any order of grains; whatever the options, a picture or a fault comes
 * out. */
#include "check.h"

#include "base/random.h"
#include "picture/picture.h"
#include "render/stage.h"

#include <stdlib.h>

static stage s;

static int differ(const rp_picture *a, const rp_picture *b, int x, int y)
{
    int sum = 0;
    for (int c = 0; c < 3; c++)
        sum += abs(rp_picture_at(a, x, y)[c] - rp_picture_at(b, x, y)[c]);
    return sum;
}

/* A ball at camera-space (x, y, z) covers pi r^2 sqrt((d^2 - r^2) / (z^2 - r^2)) / (z^2 - r^2) of
 * the plane at distance 1. */
static void a_sphere_lands_where_the_camera_says(void **state)
{
    (void)state;
    stage_clear(&s);
    s.options.colour = "id"; /* grains of sand differ in size */
    rp_picture *empty = stage_render(&s, 400, 300, NULL);
    s.view.spacing = 0.5;
    stage_add(&s, 0.4, 0, -0.3, RED);
    rp_picture *picture = stage_render(&s, 400, 300, NULL);

    double count = 0, sum_x = 0, sum_y = 0;
    for (int y = 0; y < 300; y++)
        for (int x = 0; x < 400; x++)
            if (differ(picture, empty, x, y) > 24) {
                count++;
                sum_x += x + 0.5;
                sum_y += y + 0.5;
            }
    double pitch = 2 * tan(0.4) / 300, r = 0.25, z = 2, d2 = 4 + 0.16 + 0.09;
    double across = z * z - r * r;
    double area = RP_PI * r * r * sqrt((d2 - r * r) / across) / across / (pitch * pitch);
    check_near(count, area, 0.04 * area);
    /* The middle of the ellipse lies at x z / (z^2 - r^2). */
    check_near(sum_x / count, 200 + 0.4 * z / across / pitch, 0.5);
    check_near(sum_y / count, 150 + 0.3 * z / across / pitch, 0.5);
    rp_picture_destroy(picture);
    rp_picture_destroy(empty);
}

static void the_nearer_sphere_hides_the_farther(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        stage_clear(&s);
        stage_add(&s, 0, order ? -0.5 : 0.5, 0, order ? RED : BLUE);
        stage_add(&s, 0, order ? 0.5 : -0.5, 0, order ? BLUE : RED);
        rp_picture *picture = stage_render(&s, 101, 101, NULL);
        const uint8_t *middle = rp_picture_at(picture, 50, 50);
        assert_true(middle[0] > 2 * middle[2]);
        rp_picture_destroy(picture);
    }
}

static int brightness(const rp_picture *picture, int x, int y)
{
    const uint8_t *p = rp_picture_at(picture, x, y);
    return p[0] + p[1] + p[2];
}

/* Seen from straight above, x to the right: the sun from the left throws the shadow to the right,
 * by the height of the ball. */
static void the_shadow_falls_away_from_the_sun(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        stage_clear(&s);
        s.camera.position = rp_v3(0, 0, 3);
        s.camera.up = rp_v3(0, 1, 0);
        s.scene.light.direction = rp_v3_normalized(rp_v3(side, 0, -1));
        stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
        s.bodies[0].colour[0] = s.bodies[0].colour[2] = 0.7;
        stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_SPHERE, .radius = 0.2}, rp_v3(0, 0, 0.6));
        rp_picture *picture = stage_render(&s, 300, 300, NULL);
        int offset = (int)(0.6 / 3 / (2 * tan(0.4) / 300));
        int dark = brightness(picture, 150 + side * offset, 150);
        int light = brightness(picture, 150 - side * offset, 150);
        assert_true(dark * 4 < light * 3);
        rp_picture_destroy(picture);
    }
}

/* A box of 0.4 m, 2 m minus half its depth away, and a grain before it. */
static void bodies_are_drawn_and_hidden(void **state)
{
    (void)state;
    stage_clear(&s);
    rp_picture *empty = stage_render(&s, 300, 300, NULL);
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_BOX, .size = {0.4, 0.4, 0.4}}, rp_v3(0, 0, 0));
    stage_add(&s, 0, -0.5, 0, RED);
    rp_picture *picture = stage_render(&s, 300, 300, NULL);
    assert_true(rp_picture_at(picture, 150, 150)[0] > rp_picture_at(picture, 150, 150)[1]);

    int half = (int)(0.2 / 1.8 / (2 * tan(0.4) / 300));
    assert_true(rp_picture_at(picture, 150 + half - 2, 150)[1] >
                rp_picture_at(picture, 150 + half - 2, 150)[0]);
    assert_true(differ(picture, empty, 150 + half - 2, 150 - half + 2) > 24);
    assert_int_equal(differ(picture, empty, 150 + half + 2, 150), 0);
    assert_int_equal(differ(picture, empty, 150, 150 - half - 2), 0);
    rp_picture_destroy(picture);
    rp_picture_destroy(empty);
}

/* What it hides is seen, and it casts no shadow: as if it were not there. The framing is given:
 * what is hidden would be framed all the same, and the haze begins where the scene ends. */
static void a_hidden_body_is_not_drawn(void **state)
{
    (void)state;
    static const rp_framing framing = {.bounds = {{-1, -1, -0.5}, {1, 1, 0.5}}};
    stage_clear(&s);
    s.options.framing = &framing;
    stage_add(&s, 0, 0, 0, RED);
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, -0.5));
    rp_picture *without = stage_render(&s, 100, 100, NULL);
    rp_body_spec *box = stage_add_body(
        &s, (rp_shape){.kind = RP_SHAPE_BOX, .size = {0.4, 0.4, 0.4}}, rp_v3(0, 0, 0));
    rp_picture *with = stage_render(&s, 100, 100, NULL);
    box->hidden = true;
    rp_picture *hidden = stage_render(&s, 100, 100, NULL);
    assert_true(differ(with, hidden, 50, 50) > 24);
    assert_true(stage_same(without, hidden));
    rp_picture_destroy(without);
    rp_picture_destroy(with);
    rp_picture_destroy(hidden);
}

/* A dry, a half wet and a wet ball, otherwise the same; without the field all are dry. Wet ones
 * shine, too, so that it is the whole ball which is darker. */
static void wet_grains_are_darker(void **state)
{
    (void)state;
    double light[3] = {0};
    for (int ball = 0; ball < 3; ball++) {
        stage_clear(&s);
        s.view.spacing = 0.5;
        s.moisture[0] = 0.5f * (float)ball;
        s.view.moisture = ball ? s.moisture : NULL;
        stage_add(&s, 0, 0, 0, SAND);
        rp_picture *picture = stage_render(&s, 100, 100, NULL);
        for (int i = 0; i < 400; i++)
            light[ball] +=
                rp_picture_srgb_decode(rp_picture_at(picture, 40 + i % 20, 40 + i / 20)[0] / 255.0);
        rp_picture_destroy(picture);
    }
    assert_true(light[1] < 0.9 * light[0] && light[2] < 0.85 * light[1]);
    assert_true(light[2] > 0.25 * light[0]); /* but not black */
}

static void a_moved_body_is_drawn_where_the_view_says(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_SPHERE, .radius = 0.1}, rp_v3(0, 0, 0));
    rp_body_state moved = {.position = {0.4, 0, 0}, .orientation = {1, 0, 0, 0}};
    s.view.bodies = &moved;
    s.view.body_count = 1;
    rp_picture *picture = stage_render(&s, 300, 300, NULL);
    int x = 150 + (int)(0.4 / 2 / (2 * tan(0.4) / 300));
    const uint8_t *there = rp_picture_at(picture, x, 150),
                  *before = rp_picture_at(picture, 150, 150);
    assert_true(there[1] > there[0] + 20);
    assert_true(abs(before[1] - before[0]) < 20);
    rp_picture_destroy(picture);
}

/* A heap with every kind of thing around it. */
static void build_heap(void)
{
    stage_clear(&s);
    s.scene.cameras.count = 0;
    s.view.spacing = 0.05;
    for (int i = 0; i < 9000; i++) {
        rp_random4 r = rp_random(7, RP_RANDOM_TEST, (uint64_t)i);
        double height = rp_random_unit(r.bits[2]);
        stage_add(&s, rp_random_unit(r.bits[0]) - 0.5, rp_random_unit(r.bits[1]) - 0.5, height,
                  (int)(r.bits[3] % 3));
    }
    s.scene.light.direction = rp_v3_normalized(rp_v3(0.5, 0.3, -1));
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
    stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_CYLINDER, .radius = 0.2, .height = 0.5},
                   rp_v3(0.8, -0.2, 0.25));
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    build_heap();
    rp_picture *alone = stage_render(&s, 203, 117, NULL);
    const int counts[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        rp_threads *threads;
        assert_int_equal(rp_threads_create(counts[i], &threads, NULL), RP_OK);
        rp_picture *picture = stage_render(&s, 203, 117, threads);
        assert_true(stage_same(alone, picture));
        rp_picture_destroy(picture);
        rp_threads_destroy(threads);
    }
    rp_picture_destroy(alone);
}

static void swap_grains(size_t a, size_t b)
{
    float x = s.x[a], y = s.y[a], z = s.z[a];
    uint32_t id = s.id[a];
    uint8_t material = s.material[a];
    s.x[a] = s.x[b], s.y[a] = s.y[b], s.z[a] = s.z[b];
    s.id[a] = s.id[b], s.material[a] = s.material[b];
    s.x[b] = x, s.y[b] = y, s.z[b] = z;
    s.id[b] = id, s.material[b] = material;
}

/* Solvers sort their grains again in every step; the picture must not depend on it. Two grains at
 * the very same place are distinguished by their ids. */
static void the_order_of_grains_does_not_matter(void **state)
{
    (void)state;
    build_heap();
    s.x[10] = s.x[20] = 0;
    s.y[10] = s.y[20] = -0.6f;
    s.z[10] = s.z[20] = 0.8f;
    rp_picture *before = stage_render(&s, 203, 117, NULL);
    for (size_t i = 0; i < s.view.count / 2; i++)
        swap_grains(i, s.view.count - 1 - i);
    rp_picture *after = stage_render(&s, 203, 117, NULL);
    assert_true(stage_same(before, after));
    rp_picture_destroy(before);
    rp_picture_destroy(after);
}

static void grains_that_are_nowhere_are_left_out(void **state)
{
    (void)state;
    build_heap();
    rp_picture *before = stage_render(&s, 160, 90, NULL);
    stage_add(&s, NAN, 0, 0, RED);
    stage_add(&s, 0, 0, NAN, RED);
    stage_add(&s, 0, INFINITY, 0, RED);
    stage_add(&s, -INFINITY, INFINITY, NAN, RED);
    rp_picture *after = stage_render(&s, 160, 90, NULL);
    assert_true(stage_same(before, after));
    rp_picture_destroy(before);
    rp_picture_destroy(after);
}

static void nothing_and_little_can_be_rendered(void **state)
{
    (void)state;
    stage_clear(&s);
    s.scene.cameras.count = 0;
    s.view = (rp_view){0};
    rp_picture_destroy(stage_render(&s, 64, 48, NULL));
    stage_clear(&s);
    s.scene.cameras.count = 0;
    stage_add(&s, 5, 5, 5, SAND);
    rp_picture *one = stage_render(&s, 64, 48, NULL);
    const uint8_t *middle = rp_picture_at(one, 32, 24);
    assert_true(middle[0] > middle[2] + 20);
    rp_picture_destroy(one);
}

static void a_camera_within_a_grain_sees_the_others(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add(&s, 0, -2, 0.01, RED);
    stage_add(&s, 0, 0, 0, BLUE);
    stage_add(&s, 0.06, -2, 0, RED);
    stage_add(&s, 0, -2.06, 0, RED);
    rp_picture *picture = stage_render(&s, 101, 101, NULL);
    const uint8_t *middle = rp_picture_at(picture, 50, 50);
    assert_true(middle[2] > 2 * middle[0]);
    rp_picture_destroy(picture);
}

static void extreme_sizes(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add(&s, 0, 0, 0, RED);
    const int sizes[][2] = {{1, 1}, {1, 77}, {8192, 3}, {2, 8192}, {33, 31}};
    for (int i = 0; i < 5; i++) {
        rp_picture *picture = stage_render(&s, sizes[i][0], sizes[i][1], NULL);
        assert_int_equal(picture->width, sizes[i][0]);
        assert_int_equal(picture->height, sizes[i][1]);
        rp_picture_destroy(picture);
    }
}

static rp_code render_code(rp_render_options options)
{
    rp_picture *picture;
    rp_code code = rp_render_view(&s.view, &s.scene, &options, NULL, &picture, NULL);
    assert_true((code == RP_OK) == (picture != NULL));
    rp_picture_destroy(picture);
    return code;
}

static void absurd_options_are_refused(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add(&s, 0, 0, 0, RED);
    const int sizes[][2] = {{0, 10}, {10, -1}, {8193, 10}, {10, INT32_MAX}, {INT32_MIN, 1}};
    rp_render_options options = rp_default_render_options();
    for (int i = 0; i < 5; i++) {
        options.width = sizes[i][0];
        options.height = sizes[i][1];
        assert_int_equal(render_code(options), RP_ERROR_INPUT);
    }
    options.width = options.height = 8;
    const double scales[] = {0, -1, NAN, INFINITY, 11};
    for (int i = 0; i < 5; i++) {
        options.grain_scale = scales[i];
        assert_int_equal(render_code(options), RP_ERROR_INPUT);
    }
    options.grain_scale = 1;
    assert_int_equal(render_code(options), RP_OK);
    s.view.spacing = NAN;
    assert_int_equal(render_code(options), RP_ERROR_INPUT);
}

static int allowed; /* allocations until one fails; below 0: all succeed */

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    if (allowed == 0) return NULL;
    if (allowed > 0) allowed--;
    return ((const rp_hooks *)user)->allocate(NULL, size, alignment);
}

static void release_any(void *user, void *block, size_t size)
{
    ((const rp_hooks *)user)->release(NULL, block, size);
}

static void running_out_of_memory_is_a_fault(void **state)
{
    (void)state;
    build_heap();
    rp_hooks plain = rp_default_hooks(), poor = plain;
    poor.user = &plain;
    poor.allocate = allocate_some;
    poor.release = release_any;
    rp_set_hooks(&poor);
    rp_render_options options = rp_default_render_options();
    options.width = options.height = 16;
    size_t before = rp_memory_now().bytes;
    rp_code code = RP_ERROR_MEMORY;
    int rounds = 0;
    for (; code != RP_OK && rounds < 1000; rounds++) {
        allowed = rounds;
        code = render_code(options);
        assert_true(code == RP_OK || code == RP_ERROR_MEMORY);
        assert_int_equal(rp_memory_now().bytes, before);
    }
    rp_set_hooks(&plain);
    assert_int_equal(code, RP_OK);
    assert_true(rounds > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_lands_where_the_camera_says),
        cmocka_unit_test(the_nearer_sphere_hides_the_farther),
        cmocka_unit_test(the_shadow_falls_away_from_the_sun),
        cmocka_unit_test(bodies_are_drawn_and_hidden),
        cmocka_unit_test(a_hidden_body_is_not_drawn),
        cmocka_unit_test(wet_grains_are_darker),
        cmocka_unit_test(a_moved_body_is_drawn_where_the_view_says),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(the_order_of_grains_does_not_matter),
        cmocka_unit_test(grains_that_are_nowhere_are_left_out),
        cmocka_unit_test(nothing_and_little_can_be_rendered),
        cmocka_unit_test(a_camera_within_a_grain_sees_the_others),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(absurd_options_are_refused),
        cmocka_unit_test(running_out_of_memory_is_a_fault),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
