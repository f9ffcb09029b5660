/* What passes a plane: forward, back, across periodic sides, and what came or went. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "measure/measure.h"
#include "scene/scene.h"

#include <string.h>

#define MANY 5000

typedef struct grains {
    float place[3][MANY], mass[MANY];
    uint32_t id[MANY];
    rp_view view;
} grains;

static grains before, after;

static void add(grains *g, uint32_t id, double x, double y, double z, double mass)
{
    size_t i = g->view.count++;
    g->place[0][i] = (float)x, g->place[1][i] = (float)y, g->place[2][i] = (float)z;
    g->id[i] = id;
    g->mass[i] = (float)mass;
}

static int clear(void **state)
{
    (void)state;
    grains *both[] = {&before, &after};
    for (int i = 0; i < 2; i++) {
        memset(both[i], 0, sizeof *both[i]);
        both[i]->view = (rp_view){.time = 1 + 0.5 * i,
                                  .x = both[i]->place[0],
                                  .y = both[i]->place[1],
                                  .z = both[i]->place[2],
                                  .mass = both[i]->mass,
                                  .id = both[i]->id};
    }
    return 0;
}

static rp_flow flow(const rp_scene *scene, int axis, double at)
{
    rp_flow found;
    assert_int_equal(rp_measure_flow(&before.view, &after.view, scene, axis, at, &found, NULL),
                     RP_OK);
    return found;
}

static const rp_scene open_space = {
    .domain = {.low = {-INFINITY, -INFINITY, -INFINITY}, .high = {INFINITY, INFINITY, INFINITY}}};

static void grains_are_counted_both_ways(void **state)
{
    (void)state;
    add(&before, 7, 0, 0, -1, 2), add(&before, 3, 0, 0, 1, 4), add(&before, 9, 0, 0, 1, 8);
    add(&before, 1, 0, 0, -3, 16);
    /* in another order: only ids tell them apart */
    add(&after, 1, 5, 5, -2, 16), add(&after, 9, 0, 0, -1, 8), add(&after, 3, 0, 0, -1, 4);
    add(&after, 7, 0, 0, 0.25, 2);
    rp_flow f = flow(&open_space, 2, 0.0);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 2);
    check_near(f.mass_forward, 2, 0);
    check_near(f.mass_backward, 12, 0);
    check_near(f.seconds, 0.5, 0);
    assert_int_equal(f.appeared + f.vanished, 0);
    assert_int_equal(flow(&open_space, 0, 1).forward, 1); /* grain 1 went along x */
    assert_int_equal(flow(&open_space, 2, 0.5).forward, 0);
}

/* Grains that were never seen on the other side did not pass. */
static void what_comes_and_goes_is_told_apart(void **state)
{
    (void)state;
    add(&before, 5, 0, 0, 1, 1), add(&before, 6, 0, 0, 1, 1), add(&before, 2, 0, 0, -1, 1);
    add(&after, 6, 0, 0, -1, 1), add(&after, 11, 0, 0, 1, 1), add(&after, 12, 0, 0, -1, 1);
    add(&after, 4294967295u, 0, 0, -1, 1);
    rp_flow f = flow(&open_space, 2, 0);
    assert_int_equal(f.backward, 1);
    assert_int_equal(f.forward, 0);
    assert_int_equal(f.vanished, 2);
    assert_int_equal(f.appeared, 3);
}

/* The domain is 4 m long and closed upon itself. */
static void periodic_sides_are_no_planes(void **state)
{
    (void)state;
    rp_scene ring = open_space;
    ring.domain.low.x = -2, ring.domain.high.x = 2, ring.domain.periodic = 1;
    add(&before, 1, 1.9, 0, 0, 1), add(&after, 1, -1.9, 0, 0, 1); /* on, over the seam */
    add(&before, 2, -1.9, 0, 0, 1), add(&after, 2, 1.9, 0, 0, 1); /* back over it */
    add(&before, 3, -0.1, 0, 0, 1), add(&after, 3, 0.1, 0, 0, 1); /* plainly */
    rp_flow f = flow(&ring, 0, 0);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 0);
    /* A plane near the seam is passed by those who go over it. */
    f = flow(&ring, 0, 1.95);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 1);
    f = flow(&ring, 0, -1.95);
    assert_int_equal(f.forward, 1);
    assert_int_equal(f.backward, 1);
    assert_int_equal(flow(&open_space, 0, 0).backward, 1); /* without the seam it is a long way */
}

/* A slow twin: every pair of grains is compared. */
static void many_grains_are_matched_like_by_hand(void **state)
{
    (void)state;
    size_t forward = 0, backward = 0, appeared = MANY - 500, vanished = MANY - 500;
    for (uint32_t i = 0; i < MANY - 500; i++) {
        add(&before, i * 7919 % 10007, i * 31 % 17 - 8.5, 0, 0, 1);
        add(&after, i * 6007 % 10007 + 11, i * 57 % 23 - 11.5, 0, 0, 1);
    }
    for (size_t i = 0; i < before.view.count; i++)
        for (size_t j = 0; j < after.view.count; j++) {
            if (before.id[i] != after.id[j]) continue;
            appeared--, vanished--;
            forward += before.place[0][i] < 1 && after.place[0][j] >= 1;
            backward += before.place[0][i] >= 1 && after.place[0][j] < 1;
        }
    rp_flow f = flow(&open_space, 0, 1);
    assert_true(forward > 100 && backward > 100 && appeared > 100);
    assert_int_equal(f.forward, forward);
    assert_int_equal(f.backward, backward);
    assert_int_equal(f.appeared, appeared);
    assert_int_equal(f.vanished, vanished);
}

static void time_must_rise(void **state)
{
    (void)state;
    rp_flow f;
    after.view.time = before.view.time;
    assert_int_equal(rp_measure_flow(&before.view, &after.view, &open_space, 0, 0, &f, NULL),
                     RP_ERROR_INPUT);
}

/* Up, steady with a ripple, down again. */
static void the_steady_part_is_found(void **state)
{
    (void)state;
    double values[60] = {0};
    for (int i = 0; i < 60; i++)
        values[i] = i < 5 ? 0 : i < 10 ? -2.0 * (i - 5) : i < 45 ? -10 - (i % 2) : i < 50 ? -4 : 0;
    rp_steady s = rp_steady_of(values, 60);
    assert_in_range(s.first, 9, 15);
    assert_in_range(s.first + s.count, 38, 45);
    check_near(s.mean, -10.5, 0.05);
    check_near(s.spread, 0.5, 0.05);
    double nothing[8] = {0};
    assert_int_equal(rp_steady_of(nothing, 8).count, 0);
    assert_int_equal(rp_steady_of(nothing, 0).count, 0);
    double single[3] = {0, 5, 0};
    assert_int_equal(rp_steady_of(single, 3).count, 0);
}

/* A series that rises, falls, does both or breaks off has values within a third of each other, too,
 * but no steady part. */
static void what_is_not_steady_has_no_steady_part(void **state)
{
    (void)state;
    double ramp[60], hill[60], decay[60], burst[60] = {0};
    for (int i = 0; i < 60; i++) {
        ramp[i] = i;
        hill[i] = 30 - fabs(i - 30.0);
        decay[i] = exp(-i / 15.0);
        burst[i] = i < 12 ? 10 : i < 55 ? 3 : 0;
    }
    assert_int_equal(rp_steady_of(ramp, 60).count, 0);
    assert_int_equal(rp_steady_of(hill, 60).count, 0);
    assert_int_equal(rp_steady_of(decay, 60).count, 0);
    assert_int_equal(rp_steady_of(burst, 60).count, 0);
}

/* Few grains a frame are noisy; that ends no window. Other numbers are told of the same one. */
static void noise_does_not_cut_the_window(void **state)
{
    (void)state;
    double values[100] = {0}, other[100];
    for (int i = 0; i < 100; i++) {
        double noise = rp_random_unit(rp_random(5, RP_RANDOM_TEST, (uint64_t)i).bits[0]) - 0.5;
        values[i] = i < 10 || i >= 90 ? 0 : 20 * (1 + 0.8 * noise);
        other[i] = i;
    }
    rp_steady s = rp_steady_of(values, 100);
    assert_in_range(s.first, 10, 22);
    assert_in_range(s.first + s.count, 78, 90);
    check_near(s.mean, 20, 1.8); /* three standard errors */
    rp_steady same = rp_steady_within(other, s.first, s.count);
    assert_int_equal(same.first, s.first);
    assert_int_equal(same.count, s.count);
    check_near(same.mean, (double)s.first + (double)(s.count - 1) / 2, 1e-9);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(grains_are_counted_both_ways, clear),
        cmocka_unit_test_setup(what_comes_and_goes_is_told_apart, clear),
        cmocka_unit_test_setup(periodic_sides_are_no_planes, clear),
        cmocka_unit_test_setup(many_grains_are_matched_like_by_hand, clear),
        cmocka_unit_test_setup(time_must_rise, clear),
        cmocka_unit_test(the_steady_part_is_found),
        cmocka_unit_test(what_is_not_steady_has_no_steady_part),
        cmocka_unit_test(noise_does_not_cut_the_window),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
