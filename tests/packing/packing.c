/* The relaxed packing: as many grains as the lattice, nowhere too near, evenly dense, and no trace
 * of the lattice's planes. */
#include "packing/packing.h"
#include "math/kernel.h"
#include "packing/packing_tile.h"
#include "scene/scene.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define SPACING 0.02
#define RELAXED "gravity: [0, 0, 0]\nsolver: {method: null}\nparticles: {spacing: 2 cm}\n"
#define LATTICE                                                                                    \
    "gravity: [0, 0, 0]\nsolver: {method: null}\n"                                                 \
    "particles: {spacing: 2 cm, packing: lattice, jitter: 0}\n"
#define LEAST 0.9 /* 1 - jitter, in spacings */

typedef struct made {
    rp_scene *scene;
    rp_world *world;
    rp_view view;
} made;

static made make(const char *head, const char *text)
{
    char all[2000];
    made m = {0};
    snprintf(all, sizeof all, "%s%s", head, text);
    m.scene = scene_of(all);
    m.world = world_of(m.scene, 1);
    rp_world_view(m.world, &m.view);
    return m;
}

static void drop(made *m)
{
    rp_world_destroy(m->world);
    rp_scene_destroy(m->scene);
}

static rp_vec3 grain(const rp_view *view, size_t i)
{
    return rp_v3(view->x[i], view->y[i], view->z[i]);
}

/* Along an axis of that period, or 0. */
static double nearest(double way, double period)
{
    return period > 0 ? way - period * floor(way / period + 0.5) : way;
}

/* The smallest distance of two grains, in spacings; plain pairs. */
static double least_distance(const rp_view *v, double period)
{
    double least = INFINITY;
    for (size_t i = 0; i < v->count; i++)
        for (size_t j = 0; j < i; j++) {
            double x = nearest(v->x[i] - v->x[j], period), y = nearest(v->y[i] - v->y[j], period);
            double z = v->z[i] - v->z[j];
            least = fmin(least, x * x + y * y + z * z);
        }
    return sqrt(least) / SPACING;
}

/* How much of the lattice's planes is left across an axis: 1 for a lattice, 0 for none. */
static double order_along(const float *x, size_t count)
{
    double sine = 0, cosine = 0;
    for (size_t i = 0; i < count; i++) {
        cosine += cos(2 * RP_PI * (double)x[i] / SPACING);
        sine += sin(2 * RP_PI * (double)x[i] / SPACING);
    }
    return sqrt(sine * sine + cosine * cosine) / (double)count;
}

/* --- the tile --------------------------------------------------------------------------------- */

static rp_vec3 tile_way(int g, int h)
{
    const int n = RP_TILE;
    const int a[3] = {g % n, g / n % n, g / n / n}, b[3] = {h % n, h / n % n, h / n / n};
    rp_vec3 from = rp_packing_shift(b[0], b[1], b[2]), to = rp_packing_shift(a[0], a[1], a[2]);
    return rp_v3(nearest(a[0] - b[0] + to.x - from.x, n), nearest(a[1] - b[1] + to.y - from.y, n),
                 nearest(a[2] - b[2] + to.z - from.z, n));
}

static void the_tile_is_even_and_nowhere_tight(void **state)
{
    (void)state;
    const int count = RP_TILE * RP_TILE * RP_TILE;
    rp_kernel kernel = rp_kernel_of(2);
    double lattice = rp_kernel_lattice_sum(kernel, 1), least = INFINITY, mean = 0;
    for (int g = 0; g < count; g++) {
        double sum = 0;
        for (int h = 0; h < count; h++) {
            double distance = rp_v3_length(tile_way(g, h));
            sum += rp_kernel_value(kernel, (float)distance);
            if (g != h) least = fmin(least, distance);
        }
        mean += sum / lattice / count;
        check_near(sum / lattice, 1, 0.01);
    }
    assert_true(least >= 1);
    check_near(mean, 1, 0.003);
}

static void the_tile_goes_on_for_ever(void **state)
{
    (void)state;
    rp_vec3 one = rp_packing_shift(3, 4, 5);
    rp_vec3 same = rp_packing_shift(3 - 7 * RP_TILE, 4 + 2 * RP_TILE, 5 - RP_TILE);
    assert_true(one.x == same.x && one.y == same.y && one.z == same.z);
}

/* --- sources ---------------------------------------------------------------------------------- */

static const char *const shapes[] = {
    "sources: {a: {shape: box, size: [0.3, 0.28, 0.26], position: [0, 0, 0.13]}}\n",
    "sources: {a: {shape: box, size: [0.3, 0.29, 0.25], rotation: [10, 20, 30]}}\n",
    "sources: {a: {shape: box, size: [0.4, 0.4, 0.05]}}\n",
    "sources: {a: {shape: box, size: [0.4, 0.02, 0.02]}}\n",
    "sources: {a: {shape: sphere, radius: 0.2}}\n",
    "sources: {a: {shape: cone, radius: 0.25, height: 0.3}}\n",
    "sources: {a: {shape: box, size: [0.3, 0.3, 0.3], position: [0, 0, 0.15]}}\n"
    "bodies: {b: {shape: sphere, radius: 0.1, position: [0, 0.05, 0.15]}, floor: {shape: plane}}\n"
    "voids: {v: {shape: cylinder, radius: 4 cm, height: 1, position: [0.1, -0.1, 0]}}\n",
};

static void grains_are_as_many_and_apart(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        made even = make(LATTICE, shapes[s]), irregular = make(RELAXED, shapes[s]);
        assert_int_equal(irregular.view.count, even.view.count);
        assert_true(least_distance(&irregular.view, 0) > LEAST - 1e-3);
        drop(&even);
        drop(&irregular);
    }
}

static void the_lattice_is_gone(void **state)
{
    (void)state;
    made even = make(LATTICE, shapes[0]), irregular = make(RELAXED, shapes[0]);
    const rp_view *v = &irregular.view;
    check_near(order_along(even.view.x, even.view.count), 1, 1e-3);
    assert_true(order_along(v->x, v->count) < 0.4);
    assert_true(order_along(v->y, v->count) < 0.4);
    assert_true(order_along(v->z, v->count) < 0.4);
    drop(&even);
    drop(&irregular);
}

/* Half a spacing from what is around them, as a lattice. */
static void grains_keep_clear(void **state)
{
    (void)state;
    made m = make(RELAXED, shapes[6]);
    const rp_body_spec *ball = rp_scene_bodies(m.scene);
    const rp_void_spec *hole = rp_scene_voids(m.scene);
    for (size_t i = 0; i < m.view.count; i++) {
        rp_vec3 at = grain(&m.view, i);
        double gap = 0.499 * SPACING;
        assert_true(fabs(at.x) < 0.15 - gap && fabs(at.y) < 0.15 - gap);
        assert_true(at.z > gap && at.z < 0.3 - gap);
        assert_true(rp_v3_length(rp_v3_sub(at, ball->position)) > 0.1 + gap);
        assert_true(rp_shape_distance(&hole->shape, rp_pose_to_local(hole->pose, at), NULL) > gap);
    }
    drop(&m);
}

/* Layers of two materials on each other, and a block that spans the period along two axes. */
static void neighbors_and_periods_fit(void **state)
{
    (void)state;
    made layers =
        make(RELAXED, "sources:\n"
                      "  a: {shape: box, size: [0.3, 0.3, 0.1]}\n"
                      "  b: {shape: box, size: [0.3, 0.3, 0.1], position: [0, 0, 0.1]}\n");
    assert_int_equal(layers.view.count, 2 * 15 * 15 * 5);
    assert_true(least_distance(&layers.view, 0) > LEAST - 1e-3);
    drop(&layers);
    made all = make(RELAXED, "domain: {low: [0, 0, -1], high: [0.3, 0.3, 1], periodic: [x, y]}\n"
                             "sources: {a: {shape: box, size: [0.3, 0.3, 0.2], "
                             "position: [0.15, 0.15, 0]}}\n");
    assert_true(least_distance(&all.view, 0.3) > LEAST - 1e-3);
    size_t beyond = 0; /* a plane side would leave this strip empty */
    for (size_t i = 0; i < all.view.count; i++)
        beyond += all.view.x[i] < 0.4 * SPACING || all.view.x[i] > 0.3 - 0.4 * SPACING;
    assert_true(beyond > 15 * 10 / 4);
    drop(&all);
}

/* --- streams ---------------------------------------------------------------------------------- */

#define JET "emitters: {jet: {nozzle: disc, radius: 5.3 cm, speed: 1, direction: [0, 0, -1]}}\n"

/* A jet is a cut through the packing: nowhere tight, no slabs, whatever the steps. */
static void a_jet_shows_no_layers(void **state)
{
    (void)state;
    made coarse = make("time: {step: 20 ms}\n" RELAXED, JET);
    made fine = make("time: {step: 3 ms}\n" RELAXED, JET), even = make(LATTICE, JET);
    run_world(coarse.world, 1), run_world(fine.world, 1), run_world(even.world, 1);
    rp_world_view(coarse.world, &coarse.view);
    rp_world_view(fine.world, &fine.view);
    rp_world_view(even.world, &even.view);
    check_near(order_along(even.view.z, even.view.count), 1, 1e-2);
    assert_true(order_along(fine.view.z, fine.view.count) < 0.3);
    assert_true(order_along(fine.view.x, fine.view.count) < 0.3);
    assert_true(least_distance(&fine.view, 0) > 0.98);
    assert_int_equal(coarse.view.count, fine.view.count);
    double ways = 0;
    for (size_t i = 0; i < fine.view.count; i++)
        for (size_t j = 0; j < coarse.view.count; j++)
            if (fine.view.id[i] == coarse.view.id[j])
                ways = fmax(ways,
                            rp_v3_length(rp_v3_sub(grain(&fine.view, i), grain(&coarse.view, j))));
    assert_true(ways < 1e-5);
    drop(&coarse), drop(&fine), drop(&even);
}

static void a_jet_has_its_rate(void **state)
{
    (void)state;
    static const double radii[] = {0.031, 0.053, 0.107};
    for (int n = 0; n < 6; n++) {
        char text[200];
        double radius = radii[n / 2], share = n % 2 ? 0.6 : 1, seconds = 8;
        double wanted = RP_PI * radius * radius * share * seconds / pow(SPACING, 3);
        snprintf(text, sizeof text,
                 "time: {step: 0.1 s}\nemitters: {jet: {radius: %g, speed: 1, rate: %g}}\n", radius,
                 n % 2 ? share * RP_PI * radius * radius * 1600 : 0);
        made m = make(RELAXED, text);
        run_world(m.world, seconds);
        rp_world_view(m.world, &m.view);
        check_near((double)m.view.count, wanted, 0.015 * wanted);
        drop(&m);
    }
}

/* --- which is chosen -------------------------------------------------------------------------- */

static bool are_same(const rp_view *a, const rp_view *b)
{
    size_t bytes = a->count * sizeof *a->x;
    return a->count == b->count && !memcmp(a->x, b->x, bytes) && !memcmp(a->y, b->y, bytes) &&
           !memcmp(a->z, b->z, bytes);
}

static void seeds_and_jitter_choose(void **state)
{
    (void)state;
    made one = make(RELAXED, shapes[0]), same = make(RELAXED, shapes[0]);
    made other = make("seed: 7\n" RELAXED, shapes[0]);
    assert_true(are_same(&one.view, &same.view));
    assert_false(are_same(&one.view, &other.view));
    drop(&one), drop(&same), drop(&other);
    /* Without jitter nothing may be nearer than a spacing: that is the lattice. */
    made even = make(LATTICE, shapes[0]);
    made tight = make("gravity: [0, 0, 0]\nsolver: {method: null}\n"
                      "particles: {spacing: 2 cm, jitter: 0}\n",
                      shapes[0]);
    assert_true(are_same(&even.view, &tight.view));
    drop(&even), drop(&tight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tile_is_even_and_nowhere_tight),
        cmocka_unit_test(the_tile_goes_on_for_ever),
        cmocka_unit_test(grains_are_as_many_and_apart),
        cmocka_unit_test(the_lattice_is_gone),
        cmocka_unit_test(grains_keep_clear),
        cmocka_unit_test(neighbors_and_periods_fit),
        cmocka_unit_test(a_jet_shows_no_layers),
        cmocka_unit_test(a_jet_has_its_rate),
        cmocka_unit_test(seeds_and_jitter_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
