/* Granular SPH: compressed grains are separated (G24), and density is that of the new positions
 * (G25). */
#include "solver/sand.h"

#include "math/kernel.h"

/* The largest compression by the reported densities. */
static double compression(const sand *s)
{
    return sand_most(&s->view, s->view.density) / 1600 - 1;
}

/* The largest compression in all steps. */
static double largest_compression(const char *text, double time)
{
    double most = 0;
    sand s = sand_of(text);
    while (rp_world_time(s.world) < time) {
        sand_step(&s);
        most = fmax(most, compression(&s));
    }
    sand_end(&s);
    return most;
}

/* A heap under a spout, whose grains come out on top of those that the heap slows down. */
#define POURED                                                                                     \
    "particles: {spacing: 5 cm}\n"                                                                 \
    "materials: {sand: {angle: 50}}\n"                                                             \
    "sources: {heap: {shape: cone, radius: 60 cm, height: 60 cm}}\n"                               \
    "emitters: {spout: {radius: 12.5 cm, position: [0, 0, 0.7], speed: 1, clearance: 7 cm}}\n"     \
    "bodies: {floor: {shape: plane}}\n"

/* Two jets that meet in the air, and rain on a floor. */
#define JETS                                                                                       \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "emitters:\n"                                                                                  \
    "  left: {radius: 6 cm, position: [-0.2, 0, 0.5], direction: [1, 0, 0], speed: 3, stop: 0.4 "  \
    "s}\n"                                                                                         \
    "  right: {radius: 6 cm, position: [0.2, 0.02, 0.5], direction: [-1, 0, 0], speed: 3, stop: "  \
    "0.4 s}\n"                                                                                     \
    "bodies: {floor: {shape: plane}}\n"

/* A jittered block that falls on a floor. */
#define DROPPED                                                                                    \
    "particles: {spacing: 4 cm, jitter: 0.1}\n"                                                    \
    "sources: {block: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3], velocity: [0, "   \
    "0, -3]}}\n"                                                                                   \
    "bodies: {floor: {shape: plane}}\n"

static void compressed_grains_are_separated(void **state)
{
    (void)state;
    const char *const scenes[] = {POURED "solver: {method: frictional",
                                  JETS "solver: {method: frictional",
                                  DROPPED "solver: {method: frictional"};
    for (int n = 0; n < 3; n++) {
        char off[1024], on[1024];
        snprintf(off, sizeof off, "%s, squeeze: 1000}\n", scenes[n]);
        snprintf(on, sizeof on, "%s}\n", scenes[n]);
        double without = largest_compression(off, n ? 0.8 : 4),
               with = largest_compression(on, n ? 0.8 : 4);
        print_message("largest compression: %g without, %g with\n", without, with);
        assert_true(without > 0.03);
        assert_true(with < 0.02);
    }
}

/* The largest compression at the positions of the view, summed over all grains. */
static double plain_compression(const rp_view *view)
{
    double spacing = view->spacing, most = 0;
    rp_kernel kernel = rp_kernel_of(2 * spacing);
    double volume = pow(spacing, 3) / rp_kernel_lattice_sum(kernel, spacing);
    for (size_t i = 0; i < view->count; i++) {
        double fraction = 0;
        for (size_t j = 0; j < view->count; j++) {
            float x = view->x[i] - view->x[j], y = view->y[i] - view->y[j],
                  z = view->z[i] - view->z[j], square = x * x + y * y + z * z;
            if (square < kernel.support * kernel.support)
                fraction += volume * (double)rp_kernel_value(kernel, sqrtf(square));
        }
        most = fmax(most, fraction - 1);
    }
    return most;
}

static void densities_are_of_the_new_positions(void **state)
{
    (void)state;
    sand s = sand_of(JETS "solver: {method: frictional}\n");
    double most = 0;
    for (double time = 0.05; time < 0.7; time += 0.05) {
        sand_run(&s, time);
        double plain = plain_compression(&s.view);
        if (plain > 0) check_near(compression(&s), plain, 0.003);
        most = fmax(most, plain);
    }
    print_message("largest compression: %g\n", most);
    assert_true(most > 0.005 && most < 0.02);
    sand_end(&s);
}

/* Disordered grains, with no forces but those between them. */
#define DISORDER                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                         \
    "particles: {spacing: 2 cm, jitter: 0.3}\n"                                                    \
    "materials: {sand: {density: 1600}, iron: {density: 5000}}\n"                                  \
    "sources:\n"                                                                                   \
    "  left: {shape: box, size: [0.2, 0.2, 0.2], position: [-0.1, 0, 0], material: sand}\n"        \
    "  right: {shape: box, size: [0.2, 0.2, 0.2], position: [0.1, 0, 0], material: iron}\n"

static void centre_of_mass(const rp_view *view, double centre[3])
{
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (size_t i = 0; i < view->count; i++) {
        double m = (double)view->mass[i];
        centre[0] += m * (double)view->x[i];
        centre[1] += m * (double)view->y[i];
        centre[2] += m * (double)view->z[i];
        mass += m;
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= mass;
}

static void separation_keeps_the_centre_of_mass(void **state)
{
    (void)state;
    sand s = sand_of(DISORDER "solver: {method: frictional}\n");
    double before[3], after[3];
    centre_of_mass(&s.view, before);
    sand_step(&s);
    centre_of_mass(&s.view, after);
    for (int k = 0; k < 3; k++)
        check_near(after[k], before[k], 1e-7);
    sand_end(&s);
}

static void separation_respects_walls(void **state)
{
    (void)state;
    sand s = sand_of(DISORDER "domain: {low: [-0.2, -0.1, -0.1], high: [0.2, 0.1, 0.1]}\n"
                              "solver: {method: frictional}\n");
    const double edge[3] = {0.2, 0.1, 0.1};
    for (int n = 0; n < 10; n++)
        sand_step(&s);
    for (size_t i = 0; i < s.view.count; i++) {
        const double at[3] = {(double)s.view.x[i], (double)s.view.y[i], (double)s.view.z[i]};
        for (int k = 0; k < 3; k++)
            assert_true(fabs(at[k]) < edge[k] - 0.01 + 1e-5);
    }
    sand_end(&s);
}

/* Sand that is nowhere compressed is not changed, to the last bit. */
static float *places_after(const char *limit, size_t *count)
{
    char text[1024];
    snprintf(text, sizeof text,
             "particles: {spacing: 4 cm, jitter: 0}\n"
             "sources: {cone: {shape: cone, radius: 0.5, height: 0.25}}\n"
             "bodies: {floor: {shape: plane}}\n"
             "solver: {method: frictional, squeeze: %s}\n",
             limit);
    sand s = sand_of(text);
    sand_run(&s, 0.5);
    *count = s.view.count;
    float *place = malloc(3 * *count * sizeof *place);
    assert_non_null(place);
    sand_places(&s.view, place);
    sand_end(&s);
    return place;
}

static void sand_at_rest_is_not_changed(void **state)
{
    (void)state;
    size_t count = 0;
    float *with = places_after("0.01", &count), *without = places_after("1000", &count);
    assert_memory_equal(with, without, 3 * count * sizeof *with);
    free(with);
    free(without);
}

/* Across a periodic boundary, and with the same bits for one and two threads. */
static void ghosts_are_separated_too(void **state)
{
    (void)state;
    sand s = sand_of(DISORDER "domain: {low: [-0.2, -0.1, -0.1], high: [0.2, 0.1, 0.1], periodic: "
                              "[x, y, z]}\nsolver: {method: frictional}\n");
    rp_world *alone = world_of(s.scene, 1);
    sand_run(&s, 0.01);
    run_world(alone, 0.01);
    assert_true(rp_world_hash(alone) == rp_world_hash(s.world));
    rp_world_destroy(alone);
    sand_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_grains_are_separated),
        cmocka_unit_test(densities_are_of_the_new_positions),
        cmocka_unit_test(separation_keeps_the_centre_of_mass),
        cmocka_unit_test(separation_respects_walls),
        cmocka_unit_test(sand_at_rest_is_not_changed),
        cmocka_unit_test(ghosts_are_separated_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
