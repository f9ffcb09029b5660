/* The angle of synthetic piles: right at any size, since estimators of slopes like to read low
 * where grains are few; and hard to fool. */
#include "measure/piles.h"
#include "worlds.h"

#include "base/memory.h"
#include "measure/angle.h"
#include "scene/scene.h"

#include <string.h>

#define LIMIT 1.0 /* degrees, for a single pile of any size */
#define BIAS 0.4  /* degrees, for the mean over piles of few grains */

static const rp_scene down = {.gravity = {0, 0, -9.81}};

static rp_angle angle_of(const pile *p)
{
    rp_angle angle;
    rp_scene scene = pile_scene(&p->view);
    rp_report *report = rp_report_create();
    check_ok(rp_measure_angle(&p->view, &scene, &angle, report), report);
    rp_report_destroy(report);
    return angle;
}

static rp_angle measure(pile_def def)
{
    pile p = pile_make(def);
    rp_angle angle = angle_of(&p);
    pile_free(&p);
    return angle;
}

static void check_pile(pile_def def, double limit)
{
    rp_angle angle = measure(def);
    check_near(angle.degrees, def.degrees, limit);
    /* The uncertainty is honest: no more than a few times too small. */
    check_near(angle.degrees, def.degrees, 5 * angle.uncertainty + 0.02);
    assert_true(angle.uncertainty < limit);
}

static void any_angle_is_read_at_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {7000, 60000};
    for (int s = 0; s < 2; s++)
        for (int kind = PACKING_LATTICE; kind <= PACKING_RANDOM; kind++)
            for (int degrees = 20; degrees <= 50; degrees += 10)
                check_pile((pile_def){.degrees = degrees,
                                      .grains = sizes[s],
                                      .packing = kind,
                                      .centre = {0.3137, -0.7, 0.2}},
                           s ? 0.25 : LIMIT);
}

static void half_a_million_grains_are_read_sharply(void **state)
{
    (void)state;
    check_pile((pile_def){.degrees = 30, .grains = 500000, .packing = PACKING_JITTER}, 0.1);
    check_pile((pile_def){.degrees = 40, .grains = 500000, .packing = PACKING_RANDOM}, 0.1);
}

/* The mean error of several piles of few grains is small: what is left is chance, not bias. */
static void few_grains_do_not_read_low(void **state)
{
    (void)state;
    static const size_t sizes[] = {2000, 7000};
    for (int s = 0; s < 2; s++) {
        for (int degrees = 20; degrees <= 50; degrees += 10) {
            double error = 0;
            int piles = s ? 8 : 16;
            for (int i = 0; i < piles; i++)
                error += measure((pile_def){.degrees = degrees,
                                            .grains = sizes[s],
                                            .packing = i % 2 ? PACKING_JITTER : PACKING_RANDOM,
                                            .centre = {0.0021 * i, 0.0034 * i, 0},
                                            .seed = (uint64_t)i})
                             .degrees -
                         degrees;
            check_near(error / piles, 0, BIAS);
        }
    }
}

/* Every second, fifth grain of the same pile. */
static void thinning_does_not_shift_it(void **state)
{
    (void)state;
    for (int degrees = 20; degrees <= 50; degrees += 15) {
        pile_def def = {.degrees = degrees, .grains = 60000, .packing = PACKING_JITTER, .seed = 4};
        double whole = measure(def).degrees;
        def.thinned = 0.5;
        check_near(measure(def).degrees, whole, 0.4);
        def.thinned = 0.8;
        check_near(measure(def).degrees, whole, 0.8);
    }
}

static void tips_may_be_cut_or_round(void **state)
{
    (void)state;
    for (int kind = PACKING_JITTER; kind <= PACKING_RANDOM; kind++) {
        pile_def def = {.degrees = 32, .grains = 20000, .packing = kind, .seed = 2};
        def.cut = 0.4;
        check_pile(def, LIMIT);
        def.cut = 0;
        def.rounding = 0.3;
        check_pile(def, LIMIT);
    }
}

static void loose_grains_are_left_out(void **state)
{
    (void)state;
    for (int kind = PACKING_JITTER; kind <= PACKING_RANDOM; kind++) {
        pile_def def = {.degrees = 32, .grains = 20000, .packing = kind, .seed = 3};
        rp_angle clean = measure(def);
        static const double loose[] = {0.01, 0.05};
        for (int i = 0; i < 2; i++) {
            def.loose = loose[i];
            rp_angle angle = measure(def);
            check_near(angle.degrees, clean.degrees, 0.15);
            check_near(angle.height, clean.height, 1.01 * PILE_SPACING);
            assert_in_range(angle.grains, clean.grains * 99 / 100, clean.grains * 101 / 100);
        }
    }
}

static void a_wall_or_a_corner_may_cut_it(void **state)
{
    (void)state;
    pile_def def = {.degrees = 35, .grains = 20000, .packing = PACKING_JITTER, .turn_high = 0.5};
    check_pile(def, LIMIT);
    def.turn_low = 0.25;
    check_pile(def, LIMIT);
    def.packing = PACKING_RANDOM;
    check_pile(def, LIMIT);
}

static void shape_and_place_are_those_of_the_cone(void **state)
{
    (void)state;
    pile p = pile_make((pile_def){
        .degrees = 30, .grains = 60000, .packing = PACKING_JITTER, .centre = {3, -2, 0.5}});
    rp_angle angle = angle_of(&p);
    check_near(angle.centre[0], 3, 0.3 * PILE_SPACING);
    check_near(angle.centre[1], -2, 0.3 * PILE_SPACING);
    check_near(angle.height, p.height, 1.5 * PILE_SPACING);
    check_near(angle.radius, p.radius, 2 * PILE_SPACING);
    assert_in_range(angle.grains, p.view.count * 9 / 10, p.view.count);
    assert_int_equal(angle.sectors, 12);
    pile_free(&p);
}

/* Up is against gravity, whichever way that is. */
static void gravity_may_point_anywhere(void **state)
{
    (void)state;
    pile p = pile_make((pile_def){.degrees = 30, .grains = 20000, .packing = PACKING_JITTER});
    double upright = angle_of(&p).degrees;
    rp_view lying = p.view;
    lying.x = p.view.z, lying.y = p.view.x, lying.z = p.view.y;
    rp_scene left = {
        .gravity = {-3, 0, 0},
        .domain = {.low = {0, -INFINITY, -INFINITY}, .high = {INFINITY, INFINITY, INFINITY}}};
    rp_angle angle;
    assert_int_equal(rp_measure_angle(&lying, &left, &angle, NULL), RP_OK);
    check_near(angle.degrees, upright, 0.15);
    pile_free(&p);
}

static void add_block(pile *p, double half, double low, double high)
{
    for (double z = low; z < high; z += PILE_SPACING)
        for (double y = -half; y < half; y += PILE_SPACING)
            for (double x = -half; x < half; x += PILE_SPACING) {
                double shift = 0.3 * PILE_SPACING * pile_chance(8, p->view.count, 0);
                pile_add(p, x + shift, y - shift, z + shift);
            }
    p->view.x = p->x, p->view.y = p->y, p->view.z = p->z;
    p->view.spacing = PILE_SPACING;
}

/* Refused, and for the reason that is given. */
static void check_refused(const rp_view *view, const rp_scene *scene, const char *reason)
{
    rp_angle angle;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_measure_angle(view, scene, &angle, report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 1);
    const char *message = rp_report_fault(report, 0)->message;
    if (!strstr(message, reason)) fail_msg("'%s' does not say '%s'", message, reason);
    assert_true(isnan(angle.degrees) && isnan(angle.height) && isnan(angle.speed));
    rp_report_destroy(report);
}

static void a_level_bed_has_no_angle(void **state)
{
    (void)state;
    pile p = {0};
    add_block(&p, 0.3, 0, 0.1);
    rp_scene scene = pile_scene(&p.view);
    check_refused(&p.view, &scene, "level");
    pile_free(&p);
}

/* A dome of some grains' height is a heap where it stands free, and an uneven bed between walls,
 * be these sides of the domain or bodies. */
static void what_is_poured_into_a_bin_is_level(void **state)
{
    (void)state;
    const double half = 0.1, height = 0.05;
    pile p = {0};
    for (uint64_t k = 0; k < 20 * 20 * 9; k++) {
        double x = PILE_SPACING * ((double)(k % 20) - 9.5 + 0.4 * pile_chance(3, k, 0));
        double y = PILE_SPACING * ((double)(k / 20 % 20) - 9.5 + 0.4 * pile_chance(3, k, 1));
        double z = PILE_SPACING * ((double)(k / 400) + 0.4 * pile_chance(3, k, 2));
        if (z < height + 0.03 * (1 - sqrt(x * x + y * y) / half)) pile_add(&p, x, y, z);
    }
    p.view.x = p.x, p.view.y = p.y, p.view.z = p.z, p.view.spacing = PILE_SPACING;
    rp_scene bin = pile_scene(&p.view), open = bin;
    rp_angle angle;
    assert_int_equal(rp_measure_angle(&p.view, &open, &angle, NULL), RP_OK);
    check_near(angle.degrees, 16.7, 3);
    bin.domain.low.x = bin.domain.low.y = -half - PILE_SPACING / 2;
    bin.domain.high.x = bin.domain.high.y = half + PILE_SPACING / 2;
    check_refused(&p.view, &bin, "between the walls is level");
    bin.domain.open = 0xf; /* all but bottom and top */
    assert_int_equal(rp_measure_angle(&p.view, &bin, &angle, NULL), RP_OK);
    rp_body_spec walls[4] = {0};
    for (int i = 0; i < 4; i++) {
        double turn = i * RP_PI / 2;
        walls[i].shape = (rp_shape){.kind = RP_SHAPE_BOX, .size = {0.02, 0.4, 0.4}};
        walls[i].pose.position = rp_v3((half + 0.015) * cos(turn), (half + 0.015) * sin(turn), 0.1);
        walls[i].pose.orientation = rp_quat_from_axis(rp_v3(0, 0, 1), turn);
    }
    open.bodies = (rp_named_list){walls, 4};
    check_refused(&p.view, &open, "between the walls is level");
    pile_free(&p);
}

/* The same pile a metre above the floor; then on a table there. */
static void what_flies_is_no_pile(void **state)
{
    (void)state;
    pile p = pile_make((pile_def){.degrees = 30, .grains = 7000, .packing = PACKING_JITTER});
    rp_scene scene = pile_scene(&p.view);
    scene.domain.low.z -= 1;
    check_refused(&p.view, &scene, "in the air");
    rp_body_spec table = {.shape = {.kind = RP_SHAPE_CYLINDER, .radius = 1, .height = 0.1},
                          .pose = {{0, 0, -0.05}, {1, 0, 0, 0}}};
    scene.bodies = (rp_named_list){&table, 1};
    rp_angle angle;
    assert_int_equal(rp_measure_angle(&p.view, &scene, &angle, NULL), RP_OK);
    check_near(angle.degrees, 30, LIMIT);
    pile_free(&p);

    pile q = {0}; /* a block that falls between upright walls: they do not carry it */
    add_block(&q, 0.05, 0, 0.1);
    rp_scene shaft = pile_scene(&q.view);
    shaft.domain.low = rp_v3(-0.06, -0.06, -1);
    shaft.domain.high = rp_v3(0.06, 0.06, 1);
    check_refused(&q.view, &shaft, "in the air");
    pile_free(&q);
}

/* A pile that flows has a slope, and a speed that says so. */
static void a_pile_may_move(void **state)
{
    (void)state;
    pile p = pile_make((pile_def){.degrees = 30, .grains = 7000, .packing = PACKING_JITTER});
    float *speeds = calloc(2 * p.view.count, sizeof *speeds);
    for (size_t i = 0; i < p.view.count; i++)
        speeds[i] = 0.3f;
    p.view.vx = p.view.vy = speeds;
    p.view.vz = speeds + p.view.count;
    check_near(angle_of(&p).speed, 0.3 * sqrt(2), 1e-6);
    free(speeds);
    pile_free(&p);
}

static void a_pile_may_lie_on_a_bed_and_below_a_funnel(void **state)
{
    (void)state;
    pile p = pile_make((pile_def){.degrees = 33, .grains = 30000, .packing = PACKING_JITTER});
    add_block(&p, 0.5, -0.1, 0);  /* the bed */
    add_block(&p, 0.4, 0.5, 0.6); /* what is still in the funnel */
    rp_angle angle = angle_of(&p);
    check_near(angle.degrees, 33, 0.6);
    pile_free(&p);
}

#define SLOPE 0.57735 /* of 30 degrees */

static double wedge(double x, double y)
{
    (void)y;
    return 0.4 - (x + 0.5) * SLOPE;
}

static double ridge(double x, double y)
{
    (void)y;
    return 0.2 - fabs(x) * SLOPE;
}

/* As rough as it is high: a slope cannot be told. */
static double rough(double x, double y)
{
    return 0.2 + 0.05 * sin(57 * x) * sin(43 * y);
}

static double twins(double x, double y)
{
    double left = x + 0.22, right = x - 0.22;
    return 0.15 - SLOPE * fmin(sqrt(left * left + y * y), sqrt(right * right + y * y));
}

/* Grains of a shaken lattice below a surface, one metre wide. */
static rp_code angle_below(double (*surface)(double x, double y), rp_angle *angle)
{
    pile p = {0};
    for (int64_t k = 0; k < 100 * 100 * 45; k++) {
        rp_random4 r = rp_random(6, RP_RANDOM_TEST, (uint64_t)k);
        double x = PILE_SPACING * ((double)(k % 100 - 50) + 0.6 * rp_random_unit(r.bits[0]));
        double y = PILE_SPACING * ((double)(k / 100 % 100 - 50) + 0.6 * rp_random_unit(r.bits[1]));
        double z = PILE_SPACING * ((double)(k / 10000) + 0.6 * rp_random_unit(r.bits[2]));
        if (z < surface(x, y)) pile_add(&p, x, y, z);
    }
    p.view.x = p.x, p.view.y = p.y, p.view.z = p.z, p.view.spacing = PILE_SPACING;
    rp_scene scene = pile_scene(&p.view);
    rp_code code = rp_measure_angle(&p.view, &scene, angle, NULL);
    pile_free(&p);
    return code;
}

/* An even slope is a cone whose tip is far away. */
static void one_summit_is_wanted(void **state)
{
    (void)state;
    rp_angle angle;
    assert_int_equal(angle_below(wedge, &angle), RP_OK);
    check_near(angle.degrees, 30, 0.3);
    assert_int_equal(angle_below(ridge, &angle), RP_ERROR_INPUT);
    assert_true(isnan(angle.degrees));
    assert_int_equal(angle_below(twins, &angle), RP_ERROR_INPUT);
    assert_int_equal(angle_below(rough, &angle), RP_ERROR_INPUT);
}

static void what_is_no_pile_is_refused(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_angle angle;
    rp_view nothing = {.spacing = 0.01};
    assert_int_equal(rp_measure_angle(&nothing, &down, &angle, report), RP_ERROR_INPUT);
    assert_true(isnan(angle.degrees));

    pile p = {0}; /* a gas */
    for (uint64_t i = 0; i < 3000; i++)
        pile_add(&p, pile_chance(1, i, 0), pile_chance(1, i, 1), pile_chance(1, i, 2));
    p.view.x = p.x, p.view.y = p.y, p.view.z = p.z, p.view.spacing = 0.01;
    assert_int_equal(rp_measure_angle(&p.view, &down, &angle, report), RP_ERROR_INPUT);
    pile_free(&p);

    pile q = pile_make((pile_def){.degrees = 30, .grains = 2000});
    rp_scene weightless = {.gravity = {0, 0, 0}};
    assert_int_equal(rp_measure_angle(&q.view, &weightless, &angle, report), RP_ERROR_INPUT);
    for (size_t i = 0; i < q.view.count; i++) /* all in one place */
        q.x[i] = q.y[i] = q.z[i] = 1;
    assert_int_equal(rp_measure_angle(&q.view, &down, &angle, report), RP_ERROR_INPUT);
    q.x[0] = NAN, q.y[1] = INFINITY, q.z[2] = -INFINITY;
    assert_int_equal(rp_measure_angle(&q.view, &down, &angle, report), RP_ERROR_INPUT);
    pile_free(&q);
    assert_int_equal(rp_report_count(report), 5);
    rp_report_destroy(report);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_angle_is_read_at_any_size),
        cmocka_unit_test(half_a_million_grains_are_read_sharply),
        cmocka_unit_test(few_grains_do_not_read_low),
        cmocka_unit_test(thinning_does_not_shift_it),
        cmocka_unit_test(tips_may_be_cut_or_round),
        cmocka_unit_test(loose_grains_are_left_out),
        cmocka_unit_test(a_wall_or_a_corner_may_cut_it),
        cmocka_unit_test(shape_and_place_are_those_of_the_cone),
        cmocka_unit_test(gravity_may_point_anywhere),
        cmocka_unit_test(a_level_bed_has_no_angle),
        cmocka_unit_test(what_is_poured_into_a_bin_is_level),
        cmocka_unit_test(what_flies_is_no_pile),
        cmocka_unit_test(a_pile_may_move),
        cmocka_unit_test(a_pile_may_lie_on_a_bed_and_below_a_funnel),
        cmocka_unit_test(one_summit_is_wanted),
        cmocka_unit_test(what_is_no_pile_is_refused),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
