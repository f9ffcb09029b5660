/* Colours for numbers: even to the eye, lighter for more, and never outside what a screen shows. */
#include "check.h"

#include "picture/picture.h"

#include <string.h>

#define STEPS 200

static void lab_of(double t, double lab[3])
{
    double linear[3];
    rp_colour_map_at(t, linear);
    rp_colour_map_oklab_from_linear(linear, lab);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void check_on_screen(const double linear[3])
{
    for (int c = 0; c < 3; c++)
        assert_true(linear[c] >= 0 && linear[c] <= 1);
}

/* White and red are where they are said to be, to the four digits that are printed. */
static void oklab_goes_and_comes_back(void **state)
{
    (void)state;
    const double white[3] = {1, 1, 1}, red[3] = {1, 0, 0};
    double lab[3], linear[3];
    rp_colour_map_oklab_from_linear(white, lab);
    check_near(lab[0], 1, 1e-6);
    check_near(hypot(lab[1], lab[2]), 0, 1e-6);
    rp_colour_map_oklab_from_linear(red, lab);
    check_near(lab[0], 0.6280, 1e-4);
    check_near(lab[1], 0.2249, 1e-4);
    check_near(lab[2], 0.1258, 1e-4);
    for (int i = 0; i < 27; i++) {
        double mixed[3] = {i % 3 / 2.0, i / 3 % 3 / 2.0, i / 9 / 2.0};
        rp_colour_map_oklab_from_linear(mixed, lab);
        rp_colour_map_oklab_to_linear(lab, linear);
        for (int c = 0; c < 3; c++)
            check_near(linear[c], mixed[c], 1e-6);
    }
}

/* Each step is within 1 % of the mean, of the whole distance as of lightness alone. */
static void steps_are_even(void **state)
{
    (void)state;
    double labs[STEPS + 1][3], mean = 0;
    for (int i = 0; i <= STEPS; i++)
        lab_of((double)i / STEPS, labs[i]);
    for (int i = 0; i < STEPS; i++)
        mean += distance(labs[i], labs[i + 1]) / STEPS;
    double rise = (labs[STEPS][0] - labs[0][0]) / STEPS;
    assert_true(rise > 0.6 / STEPS); /* of the 1 from black to white */
    for (int i = 0; i < STEPS; i++) {
        check_near(distance(labs[i], labs[i + 1]), mean, 0.01 * mean);
        check_near(labs[i + 1][0] - labs[i][0], rise, 0.01 * rise);
    }
}

/* Also in the eight bits of a picture every one of 64 steps is lighter than the last. */
static void lightness_survives_eight_bits(void **state)
{
    (void)state;
    double last = 0;
    for (int i = 0; i <= 64; i++) {
        double linear[3], lab[3];
        rp_colour_map_at(i / 64.0, linear);
        for (int c = 0; c < 3; c++)
            linear[c] =
                rp_picture_srgb_decode(round(255 * rp_picture_srgb_encode(linear[c])) / 255);
        rp_colour_map_oklab_from_linear(linear, lab);
        assert_true(lab[0] > last + 0.005);
        last = lab[0];
    }
}

static void all_colours_are_on_screen(void **state)
{
    (void)state;
    double linear[3];
    for (int i = 0; i <= 5000; i++) {
        rp_colour_map_at(i / 5000.0, linear);
        check_on_screen(linear);
    }
}

/* The hues on the way: blue-violet, teal or green, yellow. */
static void hues_are_as_told(void **state)
{
    (void)state;
    double dark[3], middle[3], bright[3];
    rp_colour_map_at(0, dark);
    rp_colour_map_at(0.55, middle);
    rp_colour_map_at(1, bright);
    assert_true(dark[2] > dark[0] && dark[0] > dark[1]);
    assert_true(middle[1] > 2 * middle[0] && middle[2] > middle[0]);
    assert_true(bright[0] > 0.9 && bright[1] > 0.8 && bright[2] < 0.2);
}

static void strange_numbers_have_colours(void **state)
{
    (void)state;
    double at[3], end[3];
    rp_colour_map_at(0, end);
    rp_colour_map_at(-INFINITY, at);
    assert_memory_equal(at, end, sizeof at);
    rp_colour_map_at(-1e-300, at);
    assert_memory_equal(at, end, sizeof at);
    rp_colour_map_at(1, end);
    rp_colour_map_at(INFINITY, at);
    assert_memory_equal(at, end, sizeof at);
    rp_colour_map_at(NAN, at);
    assert_true(at[0] == at[1] && at[1] == at[2] && at[0] > 0.15 && at[0] < 0.3);
}

/* All equally light and vivid; of 1000 ids that follow each other, neighbors differ nearly always
 * and all parts of the circle are used. */
static void ids_are_told_apart(void **state)
{
    (void)state;
    double last[3] = {0};
    int alike = 0, sectors[12] = {0};
    for (uint32_t id = 0; id < 1000; id++) {
        double linear[3], lab[3];
        rp_colour_map_of_id(id, linear);
        check_on_screen(linear);
        rp_colour_map_oklab_from_linear(linear, lab);
        check_near(lab[0], 0.75, 1e-4);
        assert_true(hypot(lab[1], lab[2]) > 0.1);
        alike += distance(lab, last) < 0.02;
        sectors[(int)(5.999 + 6 * atan2(lab[2], lab[1]) / M_PI)]++;
        memcpy(last, lab, sizeof last);
    }
    assert_true(alike < 100);
    for (int i = 0; i < 12; i++)
        assert_true(sectors[i] > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oklab_goes_and_comes_back),
        cmocka_unit_test(steps_are_even),
        cmocka_unit_test(lightness_survives_eight_bits),
        cmocka_unit_test(all_colours_are_on_screen),
        cmocka_unit_test(hues_are_as_told),
        cmocka_unit_test(strange_numbers_have_colours),
        cmocka_unit_test(ids_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
