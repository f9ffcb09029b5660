/* Granular SPH in small scenes: one step against plain sums, momentum, solids, limits of the step.
 */
#include "solver/sand.h"

#include "math/kernel.h"

/* Jittered so much that grains overlap, which a relaxed packing never does. */
#define CLOUD_SCENE                                                                                \
    "gravity: [0, 0, 0]\n"                                                                         \
    "particles: {spacing: 2 cm, packing: lattice, jitter: 0.5}\n"                                  \
    "domain: {low: [-1, -0.1, -1], high: [1, 0.1, 1], periodic: [y]}\n"                            \
    "materials: {sand: {density: 1600}, iron: {density: 5000}}\n"                                  \
    "sources:\n"                                                                                   \
    "  left: {shape: box, size: [0.2, 0.2, 0.2], material: sand, velocity: [1, 0.3, 0]}\n"         \
    "  right: {shape: box, size: [0.2, 0.2, 0.2], position: [0.21, 0, 0], material: iron, "        \
    "spin: [0, 30, 0]}\n"

/* The volume fraction of a grain, summed over all grains. */
static double plain_fraction(const float *place, size_t count, size_t i, double spacing)
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
    /* No grain is separated, and in so short a step no grain becomes a neighbor. */
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
        double fraction = plain_fraction(place, count, s.view.id[i], s.view.spacing);
        double rest = s.view.material[i] ? 5000 : 1600;
        check_near(s.view.density[i] / rest, fraction, 2e-5);
        error += fmax(0, fraction - 1) / (double)count;
    }
    assert_true(error > 0.01); /* so that there was something to see */
    check_near(step_number(s.world, "density_error"), error, 1e-5);
    free(place);
    sand_end(&s);
}

static void momentum_is_conserved(void **state)
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

/* Heavy grains on top of light ones: the solve stays stable. */
static void great_ratios_of_density_are_stable(void **state)
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

/* Several sources at one place: their grains separate without being shot away, and without weight
 * they gain no speed. */
static void overlapping_grains_separate(void **state)
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

/* A block that flies against a smooth wall stops there: the stresses of the impact must not throw
 * it back in the following steps, however few iterations there are (G11b). */
static void an_impact_does_not_throw_back(void **state)
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

/* A grain that a force of the host accelerates within one step does not pass a wall either. */
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
    assert_true(deepest >= 0 && deepest < 0.011); /* centres half a spacing above it, at rest */
    sand_end(&s);
}

/* A plate with prescribed motion pushes sand, and the sand pushes back. */
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
    assert_true(impulse <
                -0.1 * weight * 0.4); /* against its motion: it drags much of the sand along */
    for (size_t i = 0; i < s.view.count; i++)
        assert_true(s.view.z[i] > 0.2f || s.view.bodies[1].position[0] < (double)s.view.x[i] ||
                    fabsf(s.view.y[i]) > 0.15f);
    sand_end(&s);
}

/* In the second step: the speed of bodies is known from the first step on. */
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
                "acceleration: a fraction of the time to fall one spacing");
    check_limit(ONE_GRAIN "}}\nsolver: {method: pcisph}\n", 0.01 * sqrt(2 * 0.01 / 9.81),
                "acceleration: a fraction of the time to fall one spacing");
    check_limit(ONE_GRAIN ", velocity: [0, 5, 0]}}\nsolver: {method: frictional}\n", 0.3 * 0.01 / 5,
                "speed: CFL condition of the fastest grain");
    check_limit(ONE_GRAIN "}}\nbodies: {b: {shape: sphere, radius: 1 cm, motion: keys, "
                          "interpolation: linear, keys: [{time: 0, position: [9, 0, 0]}, {time: 1, "
                          "position: [19, 0, 0]}]}}\nsolver: {method: frictional}\n",
                0.3 * 0.01 / 10, "speed: CFL condition of the fastest body");
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
        cmocka_unit_test(densities_are_plain_sums),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(great_ratios_of_density_are_stable),
        cmocka_unit_test(overlapping_grains_separate),
        cmocka_unit_test(an_impact_does_not_throw_back),
        cmocka_unit_test(nothing_passes_a_thin_wall),
        cmocka_unit_test(forces_do_not_push_through_walls),
        cmocka_unit_test(poured_grains_stay_out_of_the_floor),
        cmocka_unit_test(a_moving_body_pushes_and_feels),
        cmocka_unit_test(steps_have_their_reasons),
        cmocka_unit_test(predictions_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
