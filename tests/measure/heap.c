/* Heaps whose shape is known: their angle of repose, their profile; and densities that are known.
 */
#include "measure/piles.h"
#include "worlds.h"

#include "base/memory.h"
#include "base/report.h"
#include "measure/inside.h"
#include "measure/measure.h"
#include "scene/scene.h"

#include <string.h>

/* --- angle of repose -------------------------------------------------------------------------- */

/* The angle of synthetic piles: right at any size, since estimators of slopes like to read low
 * where grains are few; and hard to fool. */

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

/* Up is against gravity, whatever its direction. */
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

/* As rough as it is high: a slope cannot be distinguished. */
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

/* --- profiles, densities, order statistics ---------------------------------------------------- */

/* Profiles of heaps whose shape is known, and the error of densities that are. */

static const rp_scene tables_down = {.gravity = {0, 0, -9.81}};

static void a_cone_has_a_straight_profile(void **state)
{
    (void)state;
    pile p = pile_make(
        (pile_def){.degrees = 30, .grains = 60000, .packing = PACKING_JITTER, .centre = {1, 2, 0}});
    rp_table table;
    assert_int_equal(rp_measure_profile(&p.view, &tables_down, -1, &table, NULL), RP_OK);
    assert_in_range(table.rows, 18, 30);
    for (size_t i = 1; i + 2 < table.rows; i++) {
        const double *row = table.values + 4 * i;
        double surface = p.height - row[RP_PROFILE_PLACE] * tan(RP_PI / 6);
        /* Grains' centres lie within a spacing below the surface. */
        check_near(row[RP_PROFILE_HEIGHT], surface - 0.35 * PILE_SPACING, 0.5 * PILE_SPACING);
        assert_true(row[RP_PROFILE_SPREAD] < PILE_SPACING);
        assert_true(row[RP_PROFILE_GRAINS] >= 4);
        assert_true(row[RP_PROFILE_PLACE] > row[RP_PROFILE_PLACE - 4]);
    }
    rp_table_release(&table);
    pile_free(&p);
}

/* A wedge that rises along x: straight along x, level along y. */
static void directions_are_kept_apart(void **state)
{
    (void)state;
    pile p = {0};
    for (int x = 0; x < 60; x++)
        for (int y = 0; y < 30; y++)
            for (int z = 0; z < 5 + x / 3; z++)
                pile_add(&p, (x + 0.5) * PILE_SPACING, (y + 0.5) * PILE_SPACING,
                         (z + 0.5) * PILE_SPACING);
    p.view.x = p.x, p.view.y = p.y, p.view.z = p.z, p.view.spacing = PILE_SPACING;
    rp_table x, y;
    assert_int_equal(rp_measure_profile(&p.view, &tables_down, 0, &x, NULL), RP_OK);
    assert_int_equal(rp_measure_profile(&p.view, &tables_down, 1, &y, NULL), RP_OK);
    assert_string_equal(x.columns[0].name, "x");
    assert_string_equal(y.columns[0].name, "y");
    assert_in_range(x.rows, 20, 31);
    assert_in_range(y.rows, 10, 16);
    double rise = x.values[4 * (x.rows - 1) + 1] - x.values[1];
    check_near(rise, 0.20, 0.015);
    for (size_t i = 1; i < y.rows; i++)
        check_near(y.values[4 * i + 1], y.values[1], 1.5 * PILE_SPACING);
    rp_scene aslant = {.gravity = {1, 0, -1}};
    rp_report *report = rp_report_create();
    rp_table none;
    assert_int_equal(rp_measure_profile(&p.view, &aslant, 0, &none, report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 1);
    rp_report_destroy(report);
    rp_table_release(&none);
    rp_table_release(&x);
    rp_table_release(&y);
    pile_free(&p);
}

/* Two materials; a quarter of the grains is too dense by 2 %, one by 6 %, one is loose. */
static void density_errors_count_compression_only(void **state)
{
    (void)state;
    rp_material_spec materials[] = {{.density = 1000}, {.density = 2000}};
    rp_scene scene = {.materials = {materials, 2}};
    float density[] = {1020, 1000, 1060, 500, 2040, 2000, 2000, 2000};
    uint8_t material[] = {0, 0, 0, 0, 1, 1, 1, 1};
    rp_view view = {.count = 8, .density = density, .material = material};
    rp_density_error e;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_OK);
    check_near(e.mean, 0.1 / 8, 1e-7);
    check_near(e.rms, sqrt((0.0004 + 0.0036 + 0.0004) / 8), 1e-7);
    check_near(e.largest, 0.06, 1e-7);
    check_near(e.share, 3.0 / 8, 0);
}

static void densities_that_nobody_computed_are_refused(void **state)
{
    (void)state;
    rp_material_spec material = {.density = 1600.1};
    rp_scene scene = {.materials = {&material, 1}};
    float zero[2] = {0, 0}, untouched[2] = {(float)1600.1, (float)1600.1}, one[2] = {0, 1000};
    uint8_t kinds[2] = {0, 0};
    rp_view view = {.count = 2, .density = zero, .material = kinds};
    rp_density_error e;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_ERROR_UNSUPPORTED);
    assert_true(isnan(e.mean) && isnan(e.largest));
    view.density = untouched;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_ERROR_UNSUPPORTED);
    view.density = one;
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_OK);
    kinds[1] = 200; /* a damaged frame names a material that is not there */
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, NULL), RP_OK);
    check_near(e.largest, 0, 0);
}

/* Single grains have the density of the stone that they are made of. */
static void rigid_grains_have_no_density_error(void **state)
{
    (void)state;
    rp_material_spec material = {.density = 1600, .grain_density = 2650};
    rp_scene scene = {.materials = {&material, 1}};
    float stone[2] = {2650, 2650};
    uint8_t kinds[2] = {0, 0};
    rp_view view = {.count = 2, .density = stone, .material = kinds};
    rp_density_error e;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_measure_density_error(&view, &scene, &e, report), RP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "rigid"));
    assert_true(isnan(e.mean));
    rp_report_destroy(report);
}

static void order_statistics_are_right(void **state)
{
    (void)state;
    double values[] = {5, 1, 4, 2, 3}, spread;
    check_near(rp_statistics_quantile(values, 5, 0.5), 3, 0);
    check_near(rp_statistics_quantile(values, 5, 0), 1, 0);
    check_near(rp_statistics_quantile(values, 5, 1), 5, 0);
    check_near(rp_statistics_quantile(values, 5, 0.125), 1.5, 0);
    check_near(rp_statistics_median_deviation(values, 5, &spread), 3, 0);
    check_near(spread, 1.4826, 1e-12);
    check_near(rp_statistics_quantile(values, 0, 0.5), 0, 0);
    double key[3000];
    uint32_t items[3000];
    for (uint32_t i = 0; i < 3000; i++)
        key[i] = i * 7919 % 3001, items[i] = i;
    rp_statistics_sort_by(items, 3000, key);
    for (uint32_t i = 1; i < 3000; i++)
        assert_true(key[items[i]] > key[items[i - 1]]);
}

static void tables_nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest angle_tests[] = {
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
    const struct CMUnitTest tables_tests[] = {
        cmocka_unit_test(a_cone_has_a_straight_profile),
        cmocka_unit_test(directions_are_kept_apart),
        cmocka_unit_test(density_errors_count_compression_only),
        cmocka_unit_test(densities_that_nobody_computed_are_refused),
        cmocka_unit_test(rigid_grains_have_no_density_error),
        cmocka_unit_test(order_statistics_are_right),
        cmocka_unit_test(tables_nothing_is_left),
    };
    int failed = 0;
    failed += cmocka_run_group_tests_name("angle", angle_tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("tables", tables_tests, NULL, NULL);
    return failed;
}
