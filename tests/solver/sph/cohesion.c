/* Cohesive sand in granular SPH (G17): banks stand up to their critical height and not above, lumps
 * hold together, and tear where the load exceeds their tensile strength. */
#include "solver/sand.h"

#define GRAVITY 9.81
#define DENSITY 1600.0
#define ANGLE 30.0

/* m, Hc = 4 c tan(45 + angle / 2) / (rho g), c = T tan(angle): 4 T / (rho g) at 30 degrees. */
static double critical_height(double cohesion)
{
    return 4 * cohesion / (DENSITY * GRAVITY);
}

/* A bank with a vertical face, endless in y, before a wall. */
typedef struct bank {
    sand sand;
    double height, length, spacing; /* m */
} bank;

static bank bank_of(double cohesion, double height, int layers)
{
    bank b = {.height = height, .length = 1.5 * height, .spacing = height / layers};
    double width = 5 * b.spacing;
    char text[1024];
    snprintf(text, sizeof text,
             "domain: {low: [0, 0, 0], high: [%.9g, %.9g, %.9g], periodic: [y]}\n"
             "particles: {spacing: %.9g}\n"
             "materials: {sand: {angle: %g, density: %g, cohesion: %g}}\n"
             "sources: {bank: {shape: box, size: [%.9g, %.9g, %.9g], position: [%.9g, %.9g, "
             "%.9g]}}\n",
             4 * height, width, 2 * height, b.spacing, ANGLE, DENSITY, cohesion, b.length, width,
             height, b.length / 2, width / 2, height / 2);
    b.sand = sand_of(text);
    return b;
}

/* Parts of the height: the highest grain within a quarter of the height from the face. */
static double crest_of(const bank *b)
{
    const rp_view *view = &b->sand.view;
    double most = 0;
    for (size_t i = 0; i < view->count; i++)
        if ((double)view->x[i] > b->length - b->height / 4)
            most = fmax(most, (double)view->z[i] + b->spacing / 2);
    return most / b->height;
}

static void check_stands(double cohesion, double share, int layers, double time)
{
    bank b = bank_of(cohesion, share * critical_height(cohesion), layers);
    sand_run(&b.sand, time);
    double crest = crest_of(&b), speed = sand_rms_speed(&b.sand.view);
    double front = (sand_most(&b.sand.view, b.sand.view.x) - b.length) / b.height;
    print_message("%g Pa, %g Hc in %d layers: crest %.3f, front %.3f of the height, %.2g m/s\n",
                  cohesion, share, layers, crest, front, speed);
    assert_true(crest > 0.98 && crest < 1.02);
    assert_true(front < 0.02);
    assert_true(speed < 1e-4);
    sand_end(&b.sand);
}

static void banks_stand_below_their_critical_height(void **state)
{
    (void)state;
    check_stands(500, 0.5, 10, 0.5);
    check_stands(1000, 0.5, 10, 0.8);
    check_stands(2000, 0.5, 10, 1);
    check_stands(1000, 0.5, 16, 0.4);
}

static void banks_fail_above_their_critical_height(void **state)
{
    (void)state;
    for (int layers = 10; layers <= 16; layers += 6) {
        bank b = bank_of(1000, 1.5 * critical_height(1000), layers);
        sand_run(&b.sand, 1.5);
        double crest = crest_of(&b);
        print_message("1.5 Hc in %d layers: crest %.3f of the height\n", layers, crest);
        assert_true(crest < 0.85);
        sand_end(&b.sand);
    }
}

/* Cohesion of many times the weight of a layer, which does not limit the step. */
static void strong_cohesion_rests_at_small_spacings(void **state)
{
    (void)state;
    double height = 8e-3;
    check_stands(4000, height / critical_height(4000), 8, 0.3);
}

/* m, standard deviation of x. */
static double width_of(const rp_view *view)
{
    double mean = sand_mean(view, view->x), sum = 0;
    for (size_t i = 0; i < view->count; i++)
        sum += ((double)view->x[i] - mean) * ((double)view->x[i] - mean);
    return sqrt(sum / (double)view->count);
}

/* m/s, root mean square about the mean velocity. */
static double inner_speed(const rp_view *view)
{
    double mean[3], sum = 0, mass = sand_mean(view, view->mass) * (double)view->count;
    sand_momentum(view, mean);
    for (size_t i = 0; i < view->count; i++) {
        double x = (double)view->vx[i] - mean[0] / mass, y = (double)view->vy[i] - mean[1] / mass,
               z = (double)view->vz[i] - mean[2] / mass;
        sum += x * x + y * y + z * z;
    }
    return sqrt(sum / (double)view->count);
}

/* Two adjacent blocks of moist or dry sand that move apart; returns the factor by which their width
 * has grown. */
static double pulled_apart(double gravity, double cohesion, double speed, double *inner)
{
    char text[1024];
    snprintf(text, sizeof text,
             "domain: {low: [-5, -5, -50], high: [5, 5, 5]}\n"
             "gravity: [0, 0, %g]\n"
             "particles: {spacing: 1 cm}\n"
             "materials: {sand: {density: %g, cohesion: %g}}\n"
             "sources:\n"
             "  left: {shape: box, size: [6 cm, 6 cm, 6 cm], position: [-3 cm, 0, 0], velocity: "
             "[%g, 0, 0]}\n"
             "  right: {shape: box, size: [6 cm, 6 cm, 6 cm], position: [3 cm, 0, 0], velocity: "
             "[%g, 0, 0]}\n",
             -gravity, DENSITY, cohesion, -speed, speed);
    sand s = sand_of(text);
    double before = width_of(&s.view);
    sand_run(&s, 0.3);
    double grown = width_of(&s.view) / before;
    *inner = inner_speed(&s.view);
    print_message("%g m/s2, %g Pa, %g m/s apart: width times %.4f, %.2g m/s left\n", gravity,
                  cohesion, speed, grown, *inner);
    sand_end(&s);
    return grown;
}

static void moist_blocks_hold_together(void **state)
{
    (void)state;
    double inner;
    for (int weight = 0; weight < 2; weight++)
        for (int k = 0; k < 2; k++) {
            double cohesion = k ? 4000 : 500;
            assert_true(fabs(pulled_apart(weight * GRAVITY, cohesion, 0, &inner) - 1) < 0.02);
            assert_true(inner < 1e-4);
            assert_true(fabs(pulled_apart(weight * GRAVITY, cohesion, 0.05, &inner) - 1) < 0.03);
            assert_true(inner < 1e-3);
        }
}

/* rho v^2 is the stress that stops them: 4 Pa above, 6400 Pa here. */
static void moist_blocks_tear(void **state)
{
    (void)state;
    double inner;
    assert_true(pulled_apart(0, 500, 2, &inner) > 3);
    assert_true(pulled_apart(0, 0, 0.05, &inner) > 1.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_stand_below_their_critical_height),
        cmocka_unit_test(banks_fail_above_their_critical_height),
        cmocka_unit_test(strong_cohesion_rests_at_small_spacings),
        cmocka_unit_test(moist_blocks_hold_together),
        cmocka_unit_test(moist_blocks_tear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
