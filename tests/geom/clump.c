/* Clumps: volume and inertia of unions against closed forms and against a count of small cells; the
 * frame that they come in. */
#include "check.h"

#include <stdbool.h>

#include "base/random.h"
#include "base/report.h"
#include "geom/clump.h"

#define BALL_VOLUME (4 * RP_PI / 3)

static rp_clump make(const rp_ball *balls, int count)
{
    rp_clump clump;
    rp_report *report = rp_report_create();
    check_ok(rp_clump_make(balls, count, &clump, report), report);
    rp_report_destroy(report);
    return clump;
}

static rp_clump make_named(int shape)
{
    rp_ball balls[RP_CLUMP_MAX];
    int count;
    rp_clump_shape(shape, balls, &count);
    return make(balls, count);
}

static void check_part(double value, double wanted, double tolerance)
{
    check_near(value / wanted, 1, tolerance);
}

static void a_ball_is_a_ball(void **state)
{
    (void)state;
    const rp_ball balls[] = {{{3, -2, 7}, 0.25}, {{3, -2, 7}, 0.25}, {{3, -2.1, 7}, 0.1}};
    for (int count = 1; count <= 3; count++) { /* the same twice, and one inside */
        rp_clump clump = make(balls, count);
        check_part(clump.volume, BALL_VOLUME / 8, 1e-12);
        for (int i = 0; i < 3; i++)
            check_part(clump.inertia[i], 0.4 * BALL_VOLUME / 8 / 4, 1e-12);
        check_near(rp_v3_length(clump.balls[0].centre), 0, 1e-13);
        check_near(clump.balls[0].radius, 0.5, 1e-13);
    }
}

/* Moments of a ball of radius 1 beyond the plane at h: volume, first and second along the axis, and
 * second across it, from integrals of pi (1 - xx) by x^n, and of pi (1 - xx)^2 / 4. */
static void cap_moments(double h, double m[4])
{
    double hh = h * h;
    m[0] = RP_PI * (2.0 / 3 - h + h * hh / 3);
    m[1] = RP_PI * (0.25 - hh / 2 + hh * hh / 4);
    m[2] = RP_PI * (2.0 / 15 - h * hh / 3 + h * hh * hh / 5);
    m[3] = RP_PI / 4 * (8.0 / 15 - h + 2 * h * hh / 3 - h * hh * hh / 5);
}

/* Two balls of radius 1, `d` apart: twice a ball less a cap. */
static void two_balls_share_a_lens(void **state)
{
    (void)state;
    const rp_vec3 ways[] = {{1, 0, 0}, {0, 0, 1}, {0.6, 0, 0.8}, {0.48, 0.6, 0.64}};
    for (int way = 0; way < 4; way++)
        for (double d = 0.02; d < 2.3; d += 0.19) {
            double cap[4], h = d / 2;
            cap_moments(fmin(h, 1), cap);
            double volume = 2 * (BALL_VOLUME - cap[0]);
            double across = 2 * (BALL_VOLUME / 5 - cap[3]);
            double along =
                2 * (BALL_VOLUME * (0.2 + h * h) - (cap[2] - 2 * h * cap[1] + h * h * cap[0]));
            const rp_ball balls[] = {{{5, 5, 5}, 1}, {rp_v3_madd(rp_v3(5, 5, 5), d, ways[way]), 1}};
            rp_clump clump = make(balls, 2);
            double big = d + 2;
            check_part(clump.volume * pow(big, 3), volume, 1e-11);
            double *i = clump.inertia, least = fmin(i[0], fmin(i[1], i[2]));
            check_part(least * pow(big, 5), 2 * across, 1e-11);
            check_part((i[0] + i[1] + i[2]) * pow(big, 5), 4 * across + 2 * along, 1e-11);
        }
}

/* Lengths differ, nothing overlaps: sums of balls, by Steiner's rule. */
static void apart_they_add_up(void **state)
{
    (void)state;
    const rp_ball balls[] = {{{0, 0, 0}, 1}, {{3, 0.5, 0}, 0.7}, {{-1, 2, 1.5}, 0.9}};
    double volume = 0, scalar = 0;
    rp_vec3 middle = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        double v = BALL_VOLUME * pow(balls[i].radius, 3);
        volume += v;
        middle = rp_v3_madd(middle, v, balls[i].centre);
    }
    middle = rp_v3_scale(middle, 1 / volume);
    double reach = 0;
    for (int i = 0; i < 3; i++) {
        rp_vec3 arm = rp_v3_sub(balls[i].centre, middle);
        double v = BALL_VOLUME * pow(balls[i].radius, 3);
        scalar += v * (1.2 * balls[i].radius * balls[i].radius + 2 * rp_v3_dot(arm, arm));
        reach = fmax(reach, rp_v3_length(arm) + balls[i].radius);
    }
    rp_clump clump = make(balls, 3);
    check_part(clump.volume * pow(2 * reach, 3), volume, 1e-11);
    check_part((clump.inertia[0] + clump.inertia[1] + clump.inertia[2]) * pow(2 * reach, 5), scalar,
               1e-11);
}

static bool is_inside(const rp_clump *clump, rp_vec3 at)
{
    for (int i = 0; i < clump->count; i++) {
        rp_vec3 arm = rp_v3_sub(at, clump->balls[i].centre);
        if (rp_v3_dot(arm, arm) < clump->balls[i].radius * clump->balls[i].radius) return true;
    }
    return false;
}

/* Volume, middle and tensor of the finished clump by a count of cells. */
static void check_by_cells(const rp_clump *clump, int cells, double tolerance)
{
    double volume = 0, first[3] = {0}, second[6] = {0}, cell = 1.0 / cells;
    for (int k = 0; k < cells; k++)
        for (int j = 0; j < cells; j++)
            for (int i = 0; i < cells; i++) {
                double x[3] = {(i + 0.5) * cell - 0.5, (j + 0.5) * cell - 0.5,
                               (k + 0.5) * cell - 0.5};
                if (!is_inside(clump, rp_v3_from(x))) continue;
                volume += 1;
                for (int a = 0; a < 3; a++) {
                    first[a] += x[a];
                    second[a] += x[a] * x[a];
                    second[3 + a] += x[a] * x[(a + 1) % 3];
                }
            }
    double v = pow(cell, 3);
    check_part(volume * v, clump->volume, tolerance);
    for (int a = 0; a < 3; a++) {
        check_near(first[a] / volume, 0, tolerance / 4);
        check_near(second[3 + a] / volume, 0, tolerance / 10);
        check_part((second[(a + 1) % 3] + second[(a + 2) % 3]) * v, clump->inertia[a], tolerance);
    }
}

static void counting_cells_agrees(void **state)
{
    (void)state;
    for (int shape = 0; shape < RP_GRAIN_SPHERES; shape++) {
        rp_clump clump = make_named(shape);
        check_by_cells(&clump, 100, 2e-3);
    }
    for (uint32_t round = 0; round < 6; round++) {
        rp_ball balls[RP_CLUMP_MAX];
        int count = 3 + 3 * (int)round;
        for (int i = 0; i < count; i++) {
            rp_random4 r = rp_random(7, RP_RANDOM_TEST, round * 100 + (uint32_t)i);
            balls[i] = (rp_ball){{rp_random_unit(r.bits[0]), 2 * rp_random_unit(r.bits[1]),
                                  rp_random_unit(r.bits[2])},
                                 0.2 + 0.4 * rp_random_unit(r.bits[3])};
        }
        rp_clump clump = make(balls, count);
        check_by_cells(&clump, 100, 4e-3);
    }
}

/* However a clump is turned before it is made, its moments are the same: slices lie differently
 * then. */
static void turning_changes_nothing(void **state)
{
    (void)state;
    for (int shape = 0; shape < RP_GRAIN_SPHERES; shape++) {
        rp_ball balls[RP_CLUMP_MAX];
        int count;
        rp_clump_shape(shape, balls, &count);
        rp_clump straight = make(balls, count);
        for (int turn = 1; turn < 6; turn++) {
            rp_quat q = rp_quat_from_euler(rp_v3(0.3 * turn, 0.7, 1.9 * turn));
            rp_ball turned[RP_CLUMP_MAX];
            for (int i = 0; i < count; i++)
                turned[i] = (rp_ball){rp_quat_rotate(q, balls[i].centre), balls[i].radius};
            rp_clump other = make(turned, count);
            check_part(other.volume, straight.volume, 1e-11);
            double a = straight.inertia[0] * straight.inertia[1] * straight.inertia[2];
            check_part(other.inertia[0] * other.inertia[1] * other.inertia[2], a, 1e-10);
        }
    }
}

static void frames_are_not_turned_without_need(void **state)
{
    (void)state;
    for (int shape = 0; shape < RP_GRAIN_SPHERES; shape++) {
        rp_ball balls[RP_CLUMP_MAX];
        int count;
        rp_clump_shape(shape, balls, &count);
        rp_clump clump = make(balls, count);
        assert_int_equal(clump.count, count);
        double scale = clump.balls[0].radius, reach = 0;
        for (int i = 0; i < count; i++) {
            rp_vec3 wanted = rp_v3_scale(balls[i].centre, scale), got = clump.balls[i].centre;
            check_near(rp_v3_length(rp_v3_sub(got, wanted)), 0, 1e-13);
            reach = fmax(reach, rp_v3_length(got) + clump.balls[i].radius);
        }
        check_near(reach, 0.5, 1e-15);
        for (int i = 1; i < 3 && shape != RP_GRAIN_DIMER; i++)
            check_part(clump.inertia[i], clump.inertia[0], 1e-12);
    }
    rp_clump dimer = make_named(RP_GRAIN_DIMER);
    assert_true(dimer.inertia[0] < dimer.inertia[1]);
    check_part(dimer.inertia[2], dimer.inertia[1], 1e-12);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    rp_clump clump;
    rp_ball balls[RP_CLUMP_MAX + 1];
    for (int i = 0; i <= RP_CLUMP_MAX; i++)
        balls[i] = (rp_ball){{0, 0, 0.1 * i}, 1};
    assert_int_equal(rp_clump_make(balls, 0, &clump, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_clump_make(balls, RP_CLUMP_MAX + 1, &clump, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_clump_make(balls, RP_CLUMP_MAX, &clump, NULL), RP_OK);
    const double radii[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        balls[1].radius = radii[i];
        assert_int_equal(rp_clump_make(balls, 2, &clump, NULL), RP_ERROR_INPUT);
    }
    balls[1] = (rp_ball){{0, NAN, 0}, 1};
    assert_int_equal(rp_clump_make(balls, 2, &clump, NULL), RP_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_a_ball),
        cmocka_unit_test(two_balls_share_a_lens),
        cmocka_unit_test(apart_they_add_up),
        cmocka_unit_test(counting_cells_agrees),
        cmocka_unit_test(turning_changes_nothing),
        cmocka_unit_test(frames_are_not_turned_without_need),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
