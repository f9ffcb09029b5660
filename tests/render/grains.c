/* Single grains in pictures: a grain of several balls looks as its balls do one by one; sizes are
 * true; a view without diameters is as it always was. */
#include "check.h"

#include "base/random.h"
#include "render/grains.h"
#include "render/scenery.h"
#include "render/stage.h"

#define GRAINS 40

static stage s, twin;
static const rp_framing framing = {.bounds = {{-1, -1, -1}, {1, 1, 1}}};

static double number(uint64_t i, int k)
{
    return (double)rp_random_unit(rp_random(3, RP_RANDOM_TEST, i).bits[k]);
}

/* Grains of all kinds and sizes, turned and moving. */
static void build_clumps(void)
{
    stage_clear(&s);
    for (uint64_t i = 0; i < GRAINS; i++)
        stage_add(&s, 1.4 * number(i, 0) - 0.7, 1.4 * number(i, 1) - 0.7, number(i, 2) - 0.5, SAND);
    stage_shape(&s);
    stage_move(&s);
    for (size_t i = 0; i < GRAINS; i++) {
        s.kind[i] = (uint8_t)(i % RP_GRAIN_SPHERES);
        s.diameter[i] = (float)(0.1 + 0.2 * number(i, 3));
        stage_turn(&s, i, rp_quat_from_euler(rp_v3(0.7 * (double)i, 0.3, 1.1 * (double)i)));
        s.vx[i] = i % 3 ? 0 : 3;
    }
    s.options.framing = &framing;
    s.options.frame_time = 0.1;
    s.options.colour = "id";
    s.camera.shutter = 0.5;
}

/* The same, ball by ball: each a grain of its own with the number of the whole. */
static void build_twin(void)
{
    stage_clear(&twin);
    twin.options = s.options;
    twin.camera = s.camera;
    rp_grain_shapes shapes = rp_grain_shapes_find(&s.view, &s.scene, s.options.grain_scale, NULL);
    float diameter[STAGE_GRAINS / 4], speed[STAGE_GRAINS / 4];
    uint32_t id[STAGE_GRAINS / 4];
    for (size_t i = 0; i < GRAINS; i++)
        for (int k = 0; k < rp_grain_clump(&shapes, i)->count; k++) {
            rp_ball ball = rp_grain_ball(&shapes, i, k, rp_grain_turn(&shapes, i));
            size_t n = twin.view.count;
            stage_add(&twin, (double)s.x[i] + ball.centre.x, (double)s.y[i] + ball.centre.y,
                      (double)s.z[i] + ball.centre.z, SAND);
            diameter[n] = (float)(2 * ball.radius / s.options.grain_scale);
            speed[n] = s.vx[i];
            id[n] = (uint32_t)i;
        }
    stage_shape(&twin);
    stage_move(&twin);
    for (size_t n = 0; n < twin.view.count; n++) {
        twin.diameter[n] = diameter[n];
        twin.vx[n] = speed[n];
        twin.id[n] = id[n];
    }
}

static double difference_from_twin(void)
{
    build_twin();
    rp_picture *whole = stage_paint(&s, 120, 90, NULL), *parts = stage_paint(&twin, 120, 90, NULL);
    double difference = stage_difference(whole, parts);
    rp_picture_destroy(whole);
    rp_picture_destroy(parts);
    return difference;
}

/* A small ball of a grain is blurred at less speed than the whole grain is, so those that move are
 * made to move far. */
static void a_grain_looks_like_its_balls(void **state)
{
    (void)state;
    build_clumps();
    check_near(difference_from_twin(), 0, 0.02); /* of 255: places are rounded to floats */
    s.options.grain_scale = 0.6;
    check_near(difference_from_twin(), 0, 0.02);
    stage_turn(&s, 0, rp_quat_identity());
    s.options.samples = 1; /* a draft stands still */
    check_near(difference_from_twin(), 0, 0.02);
}

/* Of the width of a picture. */
static double width_in(const rp_picture *picture)
{
    const uint8_t *sky = rp_picture_at(picture, 0, picture->height / 2);
    int wide = 0;
    for (int x = 0; x < picture->width; x++)
        wide += abs(rp_picture_at(picture, x, picture->height / 2)[1] - sky[1]) > 8;
    return (double)wide / picture->width;
}

static void sizes_are_true(void **state)
{
    (void)state;
    const double diameters[] = {0.2, 0.5, 0.9};
    for (int i = 0; i < 3; i++)
        for (double scale = 0.7; scale < 1.2; scale += 0.3) {
            stage_clear(&s);
            s.options.samples = 1;
            s.options.colour = "id";
            s.options.grain_scale = scale;
            stage_add(&s, 0, 0, 0, SAND);
            stage_shape(&s);
            s.diameter[0] = (float)diameters[i];
            rp_picture *picture = stage_paint(&s, 400, 400, NULL);
            double r = 0.5 * scale * diameters[i], across = r / sqrt(4 - r * r) / tan(0.4);
            check_near(width_in(picture), across, 0.006);
            rp_picture_destroy(picture);
        }
}

static void no_grain_is_shown_without_a_size(void **state)
{
    (void)state;
    const float odd[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        stage_clear(&s);
        s.options.samples = 1;
        stage_add(&s, 0, 0, 0, SAND);
        stage_shape(&s);
        s.diameter[0] = odd[i];
        s.kind[0] = 200; /* there is no such kind: a ball */
        stage_turn(&s, 0, (rp_quat){NAN, 0, 0, 0});
        rp_paint_cost cost;
        s.options.cost = &cost;
        rp_picture_destroy(stage_paint(&s, 40, 40, NULL));
        assert_int_equal(cost.grains, 0);
        s.diameter[0] = 0.3f;
        rp_picture *picture = stage_paint(&s, 40, 40, NULL);
        assert_int_equal(cost.grains, 1);
        assert_true(width_in(picture) > 0);
        rp_picture_destroy(picture);
    }
}

/* A grain that only spins is blurred where its balls move, and needs speeds to be there. */
static void spins_are_seen(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add(&s, 0, 0, 0, SAND);
    stage_shape(&s);
    s.kind[0] = RP_GRAIN_DIMER;
    s.diameter[0] = 1;
    s.spin[1][0] = 20;
    s.options.frame_time = 0.05;
    s.camera.shutter = 1;
    rp_picture *without = stage_paint(&s, 60, 60, NULL);
    stage_move(&s);
    rp_picture *with = stage_paint(&s, 60, 60, NULL);
    assert_true(stage_difference(with, without) > 1);
    rp_picture_destroy(with);
    rp_picture_destroy(without);
}

static void threads_do_not_change_a_picture(void **state)
{
    (void)state;
    build_clumps();
    s.options.colour = NULL;
    rp_threads *threads;
    assert_int_equal(rp_threads_create(3, &threads, NULL), RP_OK);
    rp_picture *alone = stage_paint(&s, 80, 60, NULL), *many = stage_paint(&s, 80, 60, threads);
    assert_true(stage_same(alone, many));
    rp_picture_destroy(alone);
    rp_picture_destroy(many);
    rp_threads_destroy(threads);
}

/* m from a height of 1 m straight down to what a ray meets there; -1: not a body. */
static double depth_at(rp_scenery *scenery, double x, double y)
{
    rp_vec3 from = rp_v3_sub(rp_v3(x, y, 1), scenery->middle);
    rp_ray ray = {.origin = from, .direction = rp_v3(0, 0, -1), .far = INFINITY};
    rp_scenery_hit surface = rp_scenery_look(scenery, &ray, 1e-3);
    return surface.kind == RP_SEES_BODY ? surface.distance : -1;
}

/* On a floor, a lattice of them 0.2 m apart from the corner of the domain on; on a box samples, the
 * highest of which are 5 cm above its top. */
static void fixed_grains_are_seen(void **state)
{
    (void)state;
    for (int shaped = 0; shaped < 2; shaped++) {
        stage_clear(&s);
        stage_add(&s, 0.9, 0.9, 0.5, SAND);
        if (shaped) stage_shape(&s);
        rp_domain_spec *domain = &s.scene.domain;
        domain->low = rp_v3(-1, -1, -0.2);
        domain->high = rp_v3(1, 1, 1);
        domain->roughness = (rp_domain_roughness){{.radius = 0.05, .period = 0.2}, 1u << 4};
        rp_shape box = {.kind = RP_SHAPE_BOX, .size = {0.6, 0.6, 0.2}};
        stage_add_body(&s, box, rp_v3(0, 0, 0))->roughness = (rp_roughness){0.05, 0.1, 0.3};
        rp_scenery scenery;
        rp_scenery_wish wish = {.grain_scale = 1};
        assert_int_equal(
            rp_scenery_make(&scenery, &s.view, &s.scene, &s.options, &framing, &wish, NULL, NULL),
            RP_OK);
        double least = 2;
        for (int i = 0; i < 3600; i++)
            least = fmin(least, depth_at(&scenery, 0.01 * (i % 60 - 30), 0.01 * (i / 60 - 30)));
        check_near(least, shaped ? 0.85 : 0.9, 2e-3);
        check_near(depth_at(&scenery, 0.5, 0.5), shaped ? 1.15 : -1, 1e-6);
        check_near(depth_at(&scenery, 0.6, 0.5), -1, 0);
        rp_scenery_release(&scenery);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grain_looks_like_its_balls),
        cmocka_unit_test(sizes_are_true),
        cmocka_unit_test(no_grain_is_shown_without_a_size),
        cmocka_unit_test(spins_are_seen),
        cmocka_unit_test(threads_do_not_change_a_picture),
        cmocka_unit_test(fixed_grains_are_seen),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
