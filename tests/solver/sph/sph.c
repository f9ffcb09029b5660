/* Granular SPH in small: the physics of one grain, one step against plain sums, solids, limits. */
#include "solver/sand.h"

#include "base/random.h"
#include "math/kernel.h"
#include "solver/sph/stress.h"

static float unit(uint64_t counter, int which)
{
    return 2 * rp_random_unit(rp_random(5, RP_RANDOM_TEST, counter).bits[which & 3]) - 1;
}

static rp_wide random_stress(uint64_t n, float pressure)
{
    return (rp_wide){unit(n, 0),        unit(n, 1),        unit(n, 2), unit(n + 7777, 0),
                     unit(n + 7777, 1), unit(n + 7777, 2), pressure,   0};
}

/* One grain in all eight lanes; the fourth is looked at. */
static rp_wide yielded(rp_wide s, float yield, float around)
{
    rp_wide eight[8], out;
    for (int c = 0; c < 8; c++)
        eight[c] = rp_wide_broadcast(s[c]);
    rp_sph_to_yield(eight, rp_wide_broadcast(yield), rp_wide_broadcast(around), NULL, NULL, NULL);
    for (int c = 0; c < 8; c++)
        out[c] = eight[c][3];
    return out;
}

static void yield_keeps_direction_and_limit(void **state)
{
    (void)state;
    int cut = 0;
    for (uint64_t n = 0; n < 1000; n++) {
        rp_wide s = random_stress(n, unit(n, 3));
        float around = 4 * fabsf(unit(n + 5000, 3)), yield = 0.8f;
        rp_wide t = yielded(s, yield, around);
        float p = fmaxf(s[6], 0), most = yield * (p + RP_SPH_SHARED * (around - p));
        assert_true(t[6] == p); /* no tension, else untouched */
        double norm = sqrt((double)rp_sph_norm2(s)), now = sqrt((double)rp_sph_norm2(t));
        assert_true(now <= (double)most * (1 + 1e-6) || now == norm);
        check_near(now, fmin(norm, (double)most), 1e-6);
        for (int k = 0; k < 6; k++)
            check_near((double)t[k] * norm, (double)s[k] * now, 1e-6);
        cut += norm > (double)most;
    }
    assert_true(cut > 100 && cut < 1000);
    rp_wide none = yielded((rp_wide){1, 2, 3, 4, 5, 6, -1, 0}, 1, 0);
    for (int k = 0; k < 7; k++)
        assert_true(none[k] == 0);
}

static void norms_count_both_halves(void **state)
{
    (void)state;
    check_near(rp_sph_norm2((rp_wide){1, 2, 3, 4, 5, 6, 7, 8}), 1 + 4 + 9 + 2 * (16 + 25 + 36),
               1e-4);
}

static void boxes_take_trace_and_cut(void **state)
{
    (void)state;
    rp_wide t = rp_sph_to_box((rp_wide){4, 1, 1, 0.5f, -3, 0, 10, 9}, 1.5f);
    const float expected[8] = {1.5f, -1, -1, 0.5f, -1.5f, 0, 10, 0};
    for (int k = 0; k < 8; k++)
        check_near(t[k], expected[k], 1e-6);
}

static void solids_keep_to_coulomb(void **state)
{
    (void)state;
    const float up[3] = {0, 0, 1};
    float v[3] = {3, 4, -2};
    rp_sph_keep_out(v, up, 0, 0.5f, 0, 0); /* loses 0.5 * 2 of 5 */
    check_near(v[0], 3 * 0.8, 1e-6);
    check_near(v[1], 4 * 0.8, 1e-6);
    check_near(v[2], 0, 1e-6);
    float slow[3] = {0.3f, 0, -2};
    rp_sph_keep_out(slow, up, 0, 0.5f, 0, 0); /* stops, never turns round */
    assert_true(slow[0] == 0 && slow[1] == 0 && slow[2] == 0);
    float near[3] = {1, 0, -2};
    rp_sph_keep_out(near, up, 1.5f, 0.5f, 0, 0); /* may come nearer, and only the push rubs */
    check_near(near[2], -1.5, 1e-6);
    check_near(near[0], 1 - 0.5 * 0.5, 1e-6);
    float leaving[3] = {1, 2, 3}, slower[3] = {1, 0, -1};
    rp_sph_keep_out(leaving, up, 0, 1, 0, 0);
    rp_sph_keep_out(slower, up, 1.5f, 1, 0, 0);
    assert_true(leaving[0] == 1 && leaving[1] == 2 && leaving[2] == 3);
    assert_true(slower[0] == 1 && slower[2] == -1);
}

/* What a pair loses in a step, m/s, of a difference of `speed`. */
static double lost(float flow, float speed, float grasp)
{
    rp_wide v[3] = {rp_wide_broadcast(0.6f * speed), rp_wide_broadcast(0),
                    rp_wide_broadcast(-0.8f * speed)};
    return (double)(rp_sph_damping(rp_wide_broadcast(flow), v, grasp)[5] * speed);
}

static void grains_hold_each_other_as_by_friction(void **state)
{
    (void)state;
    const float grasp = 0.02f, stuck = RP_SPH_STUCK + 0.05f;
    check_near(lost(stuck, 0.001f, grasp), 0.5 * 0.001, 1e-8);
    check_near(lost(stuck, grasp, grasp), 0.5 * (double)grasp, 1e-8);
    check_near(lost(stuck, 0.1f, grasp), 0.5 * (double)grasp, 1e-8); /* no more than that … */
    check_near(lost(stuck, 10, grasp), 0.05 * 10, 1e-5);             /* … but for viscosity */
    check_near(lost(0.05f, 0.001f, grasp), 0.05 * 0.001, 1e-9);      /* sand that yields */
    check_near(lost(0.05f, 10, grasp), 0.05 * 10, 1e-6);
    assert_true(lost(stuck, 0, grasp) == 0);
}

/* Shaken so hard that grains lie on one another, which a relaxed packing never does. */
#define CLOUD_SCENE                                                                                \
    "gravity: [0, 0, 0]\n"                                                                         \
    "particles: {spacing: 2 cm, packing: lattice, jitter: 0.5}\n"                                  \
    "domain: {low: [-1, -0.1, -1], high: [1, 0.1, 1], periodic: [y]}\n"                            \
    "materials: {sand: {density: 1600}, iron: {density: 5000}}\n"                                  \
    "sources:\n"                                                                                   \
    "  left: {shape: box, size: [0.2, 0.2, 0.2], material: sand, velocity: [1, 0.3, 0]}\n"         \
    "  right: {shape: box, size: [0.2, 0.2, 0.2], position: [0.21, 0, 0], material: iron, "        \
    "spin: [0, 30, 0]}\n"

/* The fill of a grain, added up over everyone. */
static double plain_fill(const float *place, size_t count, size_t i, double spacing)
{
    rp_kernel kernel = rp_kernel_of(2 * spacing);
    double volume = pow(spacing, 3) / rp_kernel_lattice_sum(kernel, spacing), sum = 0;
    for (size_t j = 0; j < count; j++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = (double)place[3 * i + k] - (double)place[3 * j + k];
        d[1] -= 0.2 * round(d[1] / 0.2);
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        sum += volume * (double)rp_kernel_value(kernel, (float)r);
    }
    return sum;
}

static void densities_are_plain_sums(void **state)
{
    (void)state;
    /* Nobody is moved apart, and in so short a step nobody becomes a neighbor. */
    sand s = sand_of(CLOUD_SCENE "time: {step: 0.01 ms}\n"
                                 "solver: {method: frictional, squeeze: 10}\n");
    size_t count = s.view.count;
    assert_int_equal(count, 2000);
    float *place = malloc(3 * count * sizeof *place);
    assert_non_null(place);
    sand_step(&s);
    sand_places(&s.view, place);
    double error = 0;
    for (size_t i = 0; i < count; i++) {
        double fill = plain_fill(place, count, s.view.id[i], s.view.spacing);
        double rest = s.view.material[i] ? 5000 : 1600;
        check_near(s.view.density[i] / rest, fill, 2e-5);
        error += fmax(0, fill - 1) / (double)count;
    }
    assert_true(error > 0.01); /* so that there was something to see */
    check_near(step_number(s.world, "density_error"), error, 1e-5);
    free(place);
    sand_end(&s);
}

static void momentum_is_kept(void **state)
{
    (void)state;
    sand s = sand_of(CLOUD_SCENE "solver: {method: frictional}\n");
    double before[3], after[3], moving = sand_momentum(&s.view, before), friction = 0;
    for (int n = 0; n < 20; n++) {
        sand_step(&s);
        moving = fmax(moving, sand_momentum(&s.view, after));
        for (int k = 0; k < 3; k++)
            check_near(after[k], before[k], 1e-5 * moving);
        friction = fmax(friction, sand_most(&s.view, rp_view_field(&s.view, "stress_xy")->data));
    }
    assert_true(friction > 1); /* Pa: they did act on each other */
    sand_end(&s);
}

/* Heavy grains between light ones: the solve must bear what each does to the other. */
static void great_ratios_of_density_are_borne(void **state)
{
    (void)state;
    sand s = sand_of("particles: {spacing: 2 cm, jitter: 0.1}\n"
                     "domain: {low: [-0.1, -0.1, 0], high: [0.1, 0.1, 1]}\n"
                     "materials: {light: {density: 50}, heavy: {density: 20000}}\n"
                     "sources: {low: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.1], "
                     "material: light}, top: {shape: box, size: [0.2, 0.2, 0.1], position: "
                     "[0, 0, 0.25], material: heavy}}\n"
                     "solver: {method: frictional}\n");
    for (int n = 0; n < 60; n++) {
        sand_step(&s);
        assert_true(rp_world_step_info(s.world).max_speed < 6); /* a long fall here ends at 2 */
    }
    sand_end(&s);
}

static double width_of(const rp_view *view)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < view->count; i++) {
        low = fmin(low, (double)view->x[i]);
        high = fmax(high, (double)view->x[i]);
    }
    return high - low;
}

/* Several sources on one spot part without being shot away: without weight they gain no speed. */
static void grains_on_one_another_part(void **state)
{
    (void)state;
    sand s = sand_of("gravity: [0, 0, 0]\n"
                     "particles: {spacing: 2 cm, jitter: 0}\n"
                     "sources: {a: {shape: box, size: [0.1, 0.1, 0.1]}, b: {shape: box, size: "
                     "[0.1, 0.1, 0.1]}, c: {shape: box, size: [0.1, 0.1, 0.1], position: [1 mm, "
                     "0, 0]}, d: {shape: box, size: [0.1, 0.1, 0.1]}}\n"
                     "solver: {method: frictional}\n");
    double before = width_of(&s.view);
    for (int n = 0; n < 40; n++) {
        sand_step(&s);
        assert_true(sand_rms_speed(&s.view) == 0);
    }
    double after = width_of(&s.view);
    assert_true(after > 1.6 * before); /* four times the sand */
    assert_true(after < 3 * before);
    assert_true(sand_most(&s.view, s.view.density) < 1.011 * 1600); /* the default */
    sand_end(&s);
}

/* A block that flies against a smooth wall stops there: what it presses with in the blow must not
 * throw it back in the steps after it, however few iterations there are. */
static void a_blow_does_not_throw_back(void **state)
{
    (void)state;
    static const char *const schemes[] = {"jacobi", "accelerated"};
    for (int k = 0; k < 4; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nparticles: {spacing: 2 cm, jitter: 0}\n"
                 "domain: {low: [0, -1, -1], high: [2, 1, 1], friction: 0}\n"
                 "materials: {sand: {angle: 60deg}}\n"
                 "sources: {a: {shape: box, size: [0.1, 0.2, 0.12], position: [0.2, 0, 0], "
                 "velocity: [-2, 0.3, 0]}}\n"
                 "solver: {method: frictional, scheme: %s, iterations: %d}\n",
                 schemes[k & 1], k & 2 ? 5 : 30);
        sand s = sand_of(text);
        double speed = sand_rms_speed(&s.view), first = speed, before[3], after[3];
        sand_momentum(&s.view, before);
        for (int n = 0; n < 60; n++) {
            sand_step(&s);
            double now = sand_rms_speed(&s.view);
            assert_true(now * now <= speed * speed + 1e-3 * first * first);
            speed = now;
        }
        sand_momentum(&s.view, after);
        assert_true(after[0] < -0.05 * before[0]); /* a twentieth as fast, at most */
        check_near(after[1], before[1], 1e-4 * before[1]);
        sand_end(&s);
    }
}

/* Grains shot at a wall a tenth of a spacing thick, in chosen and in much too long steps. */
static void nothing_passes_a_thin_wall(void **state)
{
    (void)state;
    const char *const times[] = {"", "time: {step: 20 ms}\n"};
    const char *const methods[] = {"frictional", "pcisph"};
    for (int n = 0; n < 4; n++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\n%s"
                 "particles: {spacing: 2 cm}\n"
                 "sources: {shot: {shape: box, size: [0.2, 0.2, 0.2], position: [-0.2, 0, 0], "
                 "velocity: [10, 0, 0]}}\n"
                 "bodies: {wall: {shape: box, size: [0.002, 3, 3]}}\n"
                 "solver: {method: %s}\n",
                 times[n / 2], methods[n % 2]);
        sand s = sand_of(text);
        double furthest = -1;
        while (rp_world_time(s.world) < 0.08) {
            sand_step(&s);
            furthest = fmax(furthest, sand_most(&s.view, s.view.x));
        }
        assert_true(furthest < -0.001); /* all stay before its near face */
        assert_true(furthest > -0.03);  /* and have come to it */
        sand_end(&s);
    }
}

/* What a host's force makes of a grain within one step does not lead through a wall either. */
static void forces_do_not_push_through_walls(void **state)
{
    (void)state;
    sand s = sand_of("gravity: [0, 0, 0]\n"
                     "particles: {spacing: 2 cm, jitter: 0}\n"
                     "domain: {low: [-0.2, -0.2, -0.2], high: [0.2, 0.2, 0.2]}\n"
                     "sources: {one: {shape: box, size: [4 cm, 4 cm, 4 cm]}}\n"
                     "solver: {method: frictional}\n");
    check_ok(rp_world_add_force(s.world, 3, 1e6, 0, 0, NULL), NULL);
    sand_step(&s);
    check_near(sand_most(&s.view, s.view.x), 0.19, 1e-4);
    sand_end(&s);
}

static void poured_grains_stay_out_of_the_floor(void **state)
{
    (void)state;
    sand s = sand_of("particles: {spacing: 2 cm}\n"
                     "emitters: {spout: {radius: 6 cm, position: [0, 0, 0.5], speed: 2, stop: 0.4 "
                     "s}}\n"
                     "sources: {first: {shape: sphere, radius: 5 cm, position: [0, 0, 0.2]}}\n"
                     "bodies: {floor: {shape: plane}}\n"
                     "solver: {method: frictional}\n");
    double deepest = 1;
    while (rp_world_time(s.world) < 0.7) {
        sand_step(&s);
        for (size_t i = 0; i < s.view.count; i++)
            deepest = fmin(deepest, (double)s.view.z[i]);
    }
    assert_true(s.view.count > 600);
    assert_true(deepest >= 0 && deepest < 0.011); /* middles half a spacing above it, at rest */
    sand_end(&s);
}

/* A plate on keys drives sand before it, and feels it. */
static void a_moving_body_pushes_and_feels(void **state)
{
    (void)state;
    sand s = sand_of("particles: {spacing: 2 cm}\n"
                     "sources: {bed: {shape: box, size: [0.2, 0.2, 0.1], position: [0, 0, "
                     "0.05]}}\n"
                     "bodies: {floor: {shape: plane}, plate: {shape: box, size: [2 cm, 0.3, 0.2], "
                     "motion: keys, interpolation: linear, keys: [{time: 0, position: [-0.111, 0, "
                     "0.1]}, {time: 1, position: [0.189, 0, 0.1]}]}}\n"
                     "solver: {method: frictional}\n");
    double impulse = 0, middle = sand_mean(&s.view, s.view.x);
    while (rp_world_time(s.world) < 0.4) {
        sand_step(&s);
        impulse += s.view.bodies[1].force[0] * s.view.dt;
    }
    double weight = 9.81 * 1600 * 0.2 * 0.2 * 0.1;
    assert_true(sand_mean(&s.view, s.view.x) > middle + 0.04);
    assert_true(impulse < -0.1 * weight * 0.4); /* against its way: it drags a good part along */
    for (size_t i = 0; i < s.view.count; i++)
        assert_true(s.view.z[i] > 0.2f || s.view.bodies[1].position[0] < (double)s.view.x[i] ||
                    fabsf(s.view.y[i]) > 0.15f);
    sand_end(&s);
}

/* In the second step: how fast bodies are is known from the first on. */
static void check_limit(const char *text, double dt, const char *reason)
{
    sand s = sand_of(text);
    sand_step(&s);
    sand_step(&s);
    rp_step_info info = rp_world_step_info(s.world);
    check_near(info.dt, dt, 1e-4 * dt);
    assert_string_equal(info.reason, reason);
    sand_end(&s);
}

static void steps_have_their_reasons(void **state)
{
    (void)state;
#define ONE_GRAIN                                                                                  \
    "particles: {spacing: 1 cm, jitter: 0}\nsources: {one: {shape: box, size: [1 cm, 1 cm, 1 cm]"
    check_limit(ONE_GRAIN "}}\nsolver: {method: frictional}\n", 0.1 * sqrt(2 * 0.01 / 9.81),
                "acceleration: a part of the time to fall one spacing");
    check_limit(ONE_GRAIN "}}\nsolver: {method: pcisph}\n", 0.01 * sqrt(2 * 0.01 / 9.81),
                "acceleration: a part of the time to fall one spacing");
    check_limit(ONE_GRAIN ", velocity: [0, 5, 0]}}\nsolver: {method: frictional}\n", 0.3 * 0.01 / 5,
                "speed: the fastest grain's way");
    check_limit(ONE_GRAIN "}}\nbodies: {b: {shape: sphere, radius: 1 cm, motion: keys, "
                          "interpolation: linear, keys: [{time: 0, position: [9, 0, 0]}, {time: 1, "
                          "position: [19, 0, 0]}]}}\nsolver: {method: frictional}\n",
                0.3 * 0.01 / 10, "speed: the fastest body's way");
    check_limit("gravity: [0, 0, 0]\ntime: {max_step: 20 ms}\n" ONE_GRAIN
                "}}\nsolver: {method: frictional}\n",
                0.02, "time.max_step");
}

#define DROP                                                                                       \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "domain: {low: [-0.1, -0.1, 0], high: [0.1, 0.1, 1]}\n"                                        \
    "sources: {block: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.12], velocity: [0, "  \
    "0, -1]}}\n"

static void predictions_are_counted(void **state)
{
    (void)state;
    sand fixed = sand_of(DROP "solver: {method: pcisph, iterations: 7}\n");
    sand strict = sand_of(DROP "solver: {method: pcisph, iterations: 50, density_error: 0.001}\n");
    sand lax = sand_of(DROP "solver: {method: pcisph, iterations: 50, density_error: 0.9}\n");
    int most = 0;
    for (int n = 0; n < 60; n++) {
        sand_step(&fixed);
        sand_step(&strict);
        sand_step(&lax);
        assert_int_equal((int)step_number(fixed.world, "iterations"), 7);
        assert_int_equal((int)step_number(lax.world, "iterations"), 1);
        double took = step_number(strict.world, "iterations");
        most = took > most ? took : most;
    }
    assert_true(most > 1);
    sand_end(&fixed);
    sand_end(&strict);
    sand_end(&lax);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_count_both_halves),
        cmocka_unit_test(yield_keeps_direction_and_limit),
        cmocka_unit_test(boxes_take_trace_and_cut),
        cmocka_unit_test(solids_keep_to_coulomb),
        cmocka_unit_test(grains_hold_each_other_as_by_friction),
        cmocka_unit_test(densities_are_plain_sums),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(great_ratios_of_density_are_borne),
        cmocka_unit_test(grains_on_one_another_part),
        cmocka_unit_test(a_blow_does_not_throw_back),
        cmocka_unit_test(nothing_passes_a_thin_wall),
        cmocka_unit_test(forces_do_not_push_through_walls),
        cmocka_unit_test(poured_grains_stay_out_of_the_floor),
        cmocka_unit_test(a_moving_body_pushes_and_feels),
        cmocka_unit_test(steps_have_their_reasons),
        cmocka_unit_test(predictions_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
