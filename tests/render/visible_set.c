/* The visible set keeps every grain near a surface and drops those deep inside. */
#include "check.h"

#include "base/random.h"
#include "render/inside.h"
#include "render/stage.h"

#define EDGE 20

static stage s;

static void build_cube(void)
{
    stage_clear(&s);
    s.view.spacing = 0.01;
    for (int k = 0; k < EDGE; k++)
        for (int j = 0; j < EDGE; j++)
            for (int i = 0; i < EDGE; i++)
                stage_add(&s, 0.01 * (i + 0.5), 0.01 * (j + 0.5), 0.01 * (k + 0.5), SAND);
}

static const rp_box3 bounds = {{0, 0, 0}, {0.01 * EDGE, 0.01 * EDGE, 0.01 * EDGE}};

static int layer(double x)
{
    int i = (int)(x / 0.01);
    return i < EDGE - 1 - i ? i : EDGE - 1 - i;
}

static void surfaces_stay_and_the_core_goes(void **state)
{
    (void)state;
    build_cube();
    rp_visible_set_options all = {.bounds = bounds, .cull = true};
    rp_visible_set set;
    assert_int_equal(rp_visible_set_find(&set, &s.view, &all, NULL, NULL), RP_OK);
    static bool listed[STAGE_GRAINS];
    memset(listed, 0, sizeof listed);
    for (size_t i = 0; i < set.count; i++)
        listed[set.grains[i]] = true;
    for (size_t i = 0; i < s.view.count; i++) {
        int depth = layer((double)s.x[i]);
        depth = layer((double)s.y[i]) < depth ? layer((double)s.y[i]) : depth;
        depth = layer((double)s.z[i]) < depth ? layer((double)s.z[i]) : depth;
        if (depth < 4) assert_true(listed[i]);
        if (depth > 5) assert_false(listed[i]);
    }
    rp_visible_set_release(&set);
}

static void all_stay_when_nothing_may_be_hidden(void **state)
{
    (void)state;
    build_cube();
    s.z[77] = NAN;
    rp_visible_set_options all = {.bounds = bounds};
    rp_visible_set set;
    assert_int_equal(rp_visible_set_find(&set, &s.view, &all, NULL, NULL), RP_OK);
    assert_int_equal(set.count, s.view.count - 1);
    rp_visible_set_release(&set);
}

/* Outside the bounds nothing is known, so nothing is hidden there. */
static void grains_outside_the_bounds_stay(void **state)
{
    (void)state;
    build_cube();
    rp_visible_set_options all = {.bounds = {{5, 5, 5}, {6, 6, 6}}, .cull = true};
    rp_visible_set set;
    assert_int_equal(rp_visible_set_find(&set, &s.view, &all, NULL, NULL), RP_OK);
    assert_int_equal(set.count, s.view.count);
    rp_visible_set_release(&set);
}

/* --- grains at random ------------------------------------------------------------------------- */

/* As many as on a lattice, but without any order: fine grains lie so. Their box is this wide, in
 * spacings. */
#define WIDE 20.8

static void scatter(uint64_t seed)
{
    stage_clear(&s);
    s.view.spacing = 0.01;
    for (uint64_t i = 0; i < 9000; i++) {
        rp_random4 r = rp_random(seed, RP_RANDOM_TEST, i);
        stage_add(&s, 0.01 * WIDE * (double)rp_random_unit(r.bits[0]),
                  0.01 * WIDE * (double)rp_random_unit(r.bits[1]),
                  0.01 * WIDE * (double)rp_random_unit(r.bits[2]), SAND);
    }
}

/* In spacings below the nearest face of the box. */
static double depth_of(size_t grain)
{
    double depth = INFINITY;
    const float at[3] = {s.x[grain], s.y[grain], s.z[grain]};
    for (int a = 0; a < 3; a++)
        depth = fmin(depth, fmin((double)at[a] / 0.01, WIDE - (double)at[a] / 0.01));
    return depth;
}

/* None of those up to 3 spacings deep is left out. Of those deeper than 7 most are. */
static void at_random_the_core_goes_and_the_surface_stays(void **state)
{
    (void)state;
    const rp_box3 box = {{0, 0, 0}, {0.01 * WIDE, 0.01 * WIDE, 0.01 * WIDE}};
    int core = 0, core_listed = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        scatter(seed);
        rp_visible_set_options all = {.bounds = box, .cull = true};
        rp_visible_set set;
        assert_int_equal(rp_visible_set_find(&set, &s.view, &all, NULL, NULL), RP_OK);
        int surface = 0, surface_listed = 0;
        for (size_t i = 0; i < s.view.count; i++) {
            core += depth_of(i) > 7;
            surface += depth_of(i) < 3;
        }
        for (size_t i = 0; i < set.count; i++) {
            core_listed += depth_of(set.grains[i]) > 7;
            surface_listed += depth_of(set.grains[i]) < 3;
        }
        rp_visible_set_release(&set);
        assert_int_equal(surface_listed, surface);
    }
    assert_true(core > 2000);
    assert_true(core_listed < 0.1 * core); /* about a loose pocket now and then */
}

/* A grain scale below 0.9 leaves nothing out: gaps between small grains show what is behind. Grains
 * just above and just below that differ in size by next to nothing. The mean over all pixels and
 * colours may differ by 0.5 of 255, of which the size alone makes a part. */
static void what_is_left_out_is_not_missed(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        if (order)
            build_cube();
        else
            scatter(3);
        s.scene.cameras.count = 0;
        s.scene.light.direction = rp_v3_normalized(rp_v3(0.5, 0.3, -1));
        stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
        rp_render_cost less, all;
        s.options.grain_scale = 0.9;
        s.options.cost = &less;
        rp_picture *without = stage_render(&s, 160, 120, NULL);
        s.options.grain_scale = 0.9 - 1e-7;
        s.options.cost = &all;
        rp_picture *with = stage_render(&s, 160, 120, NULL);
        assert_int_equal(all.grains, s.view.count);
        assert_true(less.grains < 0.9 * all.grains);
        check_near(stage_difference(with, without), 0, 0.5);
        rp_picture_destroy(with);
        rp_picture_destroy(without);
    }
}

/* --- single grains ---------------------------------------------------------------------------- */

static rp_visible_set set_of_shapes(const rp_box3 *box)
{
    rp_grain_shapes shapes = rp_grain_shapes_find(&s.view, &s.scene, 1, NULL);
    assert_true(rp_grain_shapes_known(&shapes));
    rp_visible_set_options options = {
        .bounds = *box, .cull = true, .eye = {9, 9, 9}, .shapes = &shapes};
    rp_visible_set set;
    assert_int_equal(rp_visible_set_find(&set, &s.view, &options, NULL, NULL), RP_OK);
    return set;
}

/* What counts is how large they are, not how far apart they were laid. */
static void balls_of_one_size_are_as_ever(void **state)
{
    (void)state;
    const rp_box3 box = {{0, 0, 0}, {0.01 * WIDE, 0.01 * WIDE, 0.01 * WIDE}};
    rp_visible_set_options options = {.bounds = box, .cull = true};
    scatter(7);
    rp_visible_set plain;
    assert_int_equal(rp_visible_set_find(&plain, &s.view, &options, NULL, NULL), RP_OK);
    stage_shape(&s);
    s.view.spacing = 0.04;
    rp_visible_set single = set_of_shapes(&box);
    assert_true(plain.count < 0.95 * s.view.count);
    assert_int_equal(single.count, plain.count);
    assert_memory_equal(single.grains, plain.grains, plain.count * sizeof *plain.grains);
    rp_visible_set_release(&plain);
    rp_visible_set_release(&single);
}

/* Small balls on a wide lattice, as they start: one sees through them. */
static void nothing_goes_where_there_are_gaps(void **state)
{
    (void)state;
    const double diameters[] = {0.0085, 0.005, 0.001};
    for (int i = 0; i < 3; i++) {
        build_cube();
        stage_shape(&s);
        for (size_t g = 0; g < s.view.count; g++)
            s.diameter[g] = (float)diameters[i];
        rp_visible_set set = set_of_shapes(&bounds);
        assert_int_equal(set.count, s.view.count);
        rp_visible_set_release(&set);
    }
}

/* Fills a box by `part` with grains at random; their diameters are from `least` to 1 cm. */
static void pack(int kind, double least, double part)
{
    scatter(11);
    stage_shape(&s);
    double volume = 0;
    for (size_t i = 0; i < s.view.count; i++) {
        rp_random4 r = rp_random(5, RP_RANDOM_TEST, i);
        double u = (double)rp_random_unit(r.bits[0]), d = least + (0.01 - least) * u * u;
        s.kind[i] = (uint8_t)kind;
        s.diameter[i] = (float)d;
        stage_turn(&s, i, rp_quat_from_euler(rp_v3(r.bits[1], r.bits[2], r.bits[3])));
        volume += s.grains[kind].clump.volume * d * d * d;
    }
    double scale = cbrt(volume / part) / (0.01 * WIDE);
    for (size_t i = 0; i < s.view.count; i++) {
        s.x[i] *= (float)scale;
        s.y[i] *= (float)scale;
        s.z[i] *= (float)scale;
    }
}

/* Heaps of many sizes and shapes: of what can be seen nothing is missed. */
static void of_packed_grains_nothing_is_missed(void **state)
{
    (void)state;
    const struct {
        int kind;
        double least, part;
    } heaps[] = {{RP_GRAIN_SPHERE, 0.003, 0.6},
                 {RP_GRAIN_TETRAHEDRON, 0.0099, 0.55},
                 {RP_GRAIN_TETRAHEDRON, 0.005, 0.5},
                 {RP_GRAIN_CUBE, 0.007, 0.6}};
    for (size_t h = 0; h < sizeof heaps / sizeof *heaps; h++) {
        pack(heaps[h].kind, heaps[h].least, heaps[h].part);
        s.scene.cameras.count = 0;
        s.scene.light.direction = rp_v3_normalized(rp_v3(0.5, 0.3, -1));
        stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
        rp_render_cost less, all;
        s.options.grain_scale = 0.9;
        s.options.cost = &less;
        rp_picture *without = stage_render(&s, 160, 120, NULL);
        s.options.grain_scale = 0.9 - 1e-7;
        s.options.cost = &all;
        rp_picture *with = stage_render(&s, 160, 120, NULL);
        assert_int_equal(all.grains, s.view.count);
        assert_true(less.grains < 0.98 * all.grains);
        check_near(stage_difference(with, without), 0, 0.1);
        rp_picture_destroy(with);
        rp_picture_destroy(without);
    }
}

/* --- lists ------------------------------------------------------------------------------------ */

static bool is_rising(const uint32_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (list[i] <= list[i - 1]) return false;
    return true;
}

static void those_that_move_are_listed_apart(void **state)
{
    (void)state;
    build_cube();
    stage_move(&s);
    for (size_t i = 0; i < s.view.count; i += 3)
        s.vy[i] = 0.5f;
    s.vy[3] = NAN;
    s.vy[6] = INFINITY;
    s.vy[9] = 0.05f;
    rp_visible_set_options options = {.bounds = bounds, .exposure = 0.01, .static_limit = 0.001};
    rp_visible_set set;
    assert_int_equal(rp_visible_set_find(&set, &s.view, &options, NULL, NULL), RP_OK);
    assert_int_equal(set.count, s.view.count);
    assert_int_equal(set.count - set.static_count, (s.view.count + 2) / 3 - 3);
    assert_true(is_rising(set.grains, set.static_count));
    assert_true(is_rising(set.grains + set.static_count, set.count - set.static_count));
    rp_visible_set_release(&set);
}

static void grains_about_the_eye_are_left_out(void **state)
{
    (void)state;
    build_cube();
    rp_visible_set_options options = {
        .bounds = bounds, .eye = {0.055, 0.055, 0.055}, .near_distance = 0.0101};
    rp_visible_set set;
    assert_int_equal(rp_visible_set_find(&set, &s.view, &options, NULL, NULL), RP_OK);
    assert_int_equal(set.count, s.view.count - 7);
    rp_visible_set_release(&set);
}

static void threads_do_not_change_the_list(void **state)
{
    (void)state;
    scatter(5);
    const rp_box3 box = {{0, 0, 0}, {0.01 * WIDE, 0.01 * WIDE, 0.01 * WIDE}};
    rp_visible_set_options options = {.bounds = box, .cull = true};
    rp_visible_set alone;
    assert_int_equal(rp_visible_set_find(&alone, &s.view, &options, NULL, NULL), RP_OK);
    for (int count = 2; count <= 4; count += 2) {
        rp_threads *threads;
        rp_visible_set set;
        assert_int_equal(rp_threads_create(count, &threads, NULL), RP_OK);
        assert_int_equal(rp_visible_set_find(&set, &s.view, &options, threads, NULL), RP_OK);
        assert_int_equal(set.count, alone.count);
        assert_memory_equal(set.grains, alone.grains, alone.count * sizeof *alone.grains);
        rp_visible_set_release(&set);
        rp_threads_destroy(threads);
    }
    rp_visible_set_release(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_stay_and_the_core_goes),
        cmocka_unit_test(all_stay_when_nothing_may_be_hidden),
        cmocka_unit_test(grains_outside_the_bounds_stay),
        cmocka_unit_test(at_random_the_core_goes_and_the_surface_stays),
        cmocka_unit_test(what_is_left_out_is_not_missed),
        cmocka_unit_test(balls_of_one_size_are_as_ever),
        cmocka_unit_test(nothing_goes_where_there_are_gaps),
        cmocka_unit_test(of_packed_grains_nothing_is_missed),
        cmocka_unit_test(those_that_move_are_listed_apart),
        cmocka_unit_test(grains_about_the_eye_are_left_out),
        cmocka_unit_test(threads_do_not_change_the_list),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
