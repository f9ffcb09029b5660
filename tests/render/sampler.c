/* The samples of a pixel fill the square evenly in every dimension, and uses and pixels have
 * nothing to do with each other. */
#include "check.h"

#include "base/memory.h"
#include "render/sampler.h"

#include <math.h>
#include <string.h>

#define USES 8
#define PIXELS 400
#define SAMPLES 16
#define MANY 1024

/* All numbers of one pixel: those of sample s in dimension k. */
typedef struct draws {
    double at[MANY][USES][2];
} draws;

static draws drawn, others;

static void draw_pixel(const rp_sampler_table *table, int x, int y, int samples, draws *to)
{
    for (int s = 0; s < samples; s++) {
        rp_sampler sampler = rp_sampler_begin(table, x, y, s);
        for (int dimension = 0; dimension < USES; dimension++)
            rp_sampler_next(&sampler, to->at[s][dimension]);
    }
}

static rp_sampler_table make_table(int samples)
{
    rp_sampler_table table;
    assert_int_equal(rp_sampler_table_make(&table, samples, NULL), RP_OK);
    return table;
}

/* Whether each of columns x rows boxes holds one of the points. */
static bool one_in_each_box(const draws *t, int dimension, int samples, int columns, int rows)
{
    bool taken[MANY] = {false};
    assert_int_equal(columns * rows, samples);
    for (int s = 0; s < samples; s++) {
        const double *at = t->at[s][dimension];
        assert_true(at[0] >= 0 && at[0] < 1 && at[1] >= 0 && at[1] < 1);
        int box = (int)(at[1] * rows) * columns + (int)(at[0] * columns);
        if (taken[box]) return false;
        taken[box] = true;
    }
    return true;
}

static void every_use_is_a_net(void **state)
{
    (void)state;
    rp_sampler_table table = make_table(SAMPLES);
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        draw_pixel(&table, 37 * pixel % 1920, 91 * pixel % 1080, SAMPLES, &drawn);
        for (int dimension = 0; dimension < USES; dimension++)
            for (int columns = 1; columns <= SAMPLES; columns *= 2)
                assert_true(
                    one_in_each_box(&drawn, dimension, SAMPLES, columns, SAMPLES / columns));
    }
    rp_sampler_table_release(&table);
}

/* The first 16 of 64: pictures of 48 or 40 samples are made of such. */
static void the_first_samples_are_a_net_as_well(void **state)
{
    (void)state;
    rp_sampler_table table = make_table(40);
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        draw_pixel(&table, pixel, 3 * pixel, SAMPLES, &drawn);
        for (int dimension = 0; dimension < USES; dimension++)
            for (int columns = 1; columns <= SAMPLES; columns *= 2)
                assert_true(
                    one_in_each_box(&drawn, dimension, SAMPLES, columns, SAMPLES / columns));
    }
    rp_sampler_table_release(&table);
}

/* Of one number of two uses, over the samples of a pixel. */
static double correlation(const draws *a, int dimension_a, const draws *b, int dimension_b,
                          int part)
{
    double sums[5] = {0};
    for (int s = 0; s < MANY; s++) {
        double x = a->at[s][dimension_a][part % 2] - 0.5, y = b->at[s][dimension_b][part / 2] - 0.5;
        sums[0] += x;
        sums[1] += y;
        sums[2] += x * y;
        sums[3] += x * x;
        sums[4] += y * y;
    }
    double both = sums[2] - sums[0] * sums[1] / MANY;
    return both / sqrt((sums[3] - sums[0] * sums[0] / MANY) * (sums[4] - sums[1] * sums[1] / MANY));
}

/* 1024 pairs of independent numbers have a correlation of 0.031 by chance, and in 20 pixels, 28
 * pairs of uses and four ways to pair their numbers the largest of all stays below 0.2. The mean of
 * squares must be that of chance, too. The first number decides where in a pixel a ray goes, the
 * next ones when, and to which point of the sun: would these go together, no number of samples made
 * the picture right. */
static void uses_have_nothing_to_do_with_each_other(void **state)
{
    (void)state;
    rp_sampler_table table = make_table(MANY);
    double squares = 0, largest = 0;
    int count = 0;
    for (int pixel = 0; pixel < 20; pixel++) {
        draw_pixel(&table, 17 * pixel, 5 * pixel, MANY, &drawn);
        for (int a = 0; a < USES; a++)
            for (int b = 0; b < a; b++)
                for (int part = 0; part < 4; part++, count++) {
                    double c = correlation(&drawn, a, &drawn, b, part);
                    squares += c * c;
                    largest = fmax(largest, fabs(c));
                }
    }
    assert_true(largest < 0.2);
    check_near(sqrt(squares / count), 1 / sqrt(MANY), 0.5 / sqrt(MANY));
    rp_sampler_table_release(&table);
}

/* How many of the 16 x 16 pairs of halves, quarters … of two uses occur: all, near enough. */
static void two_uses_fill_four_dimensions(void **state)
{
    (void)state;
    rp_sampler_table table = make_table(MANY);
    for (int pixel = 0; pixel < 20; pixel++) {
        draw_pixel(&table, pixel, 7 * pixel, MANY, &drawn);
        bool met[256] = {false};
        int count = 0;
        for (int s = 0; s < MANY; s++) {
            int a = (int)(4 * drawn.at[s][0][0]) + 4 * (int)(4 * drawn.at[s][0][1]);
            int b = (int)(4 * drawn.at[s][1][0]) + 4 * (int)(4 * drawn.at[s][1][1]);
            count += !met[16 * a + b];
            met[16 * a + b] = true;
        }
        assert_true(count > 240); /* 1024 samples into 256 boxes leave 5 empty by chance */
    }
    rp_sampler_table_release(&table);
}

static void pixels_differ(void **state)
{
    (void)state;
    rp_sampler_table table = make_table(MANY);
    draw_pixel(&table, 100, 100, MANY, &drawn);
    static const int neighbors[][2] = {{101, 100}, {100, 101}, {99, 100}, {101, 101}, {0, 0}};
    for (int i = 0; i < 5; i++) {
        draw_pixel(&table, neighbors[i][0], neighbors[i][1], MANY, &others);
        for (int dimension = 0; dimension < USES; dimension++) {
            assert_true(memcmp(drawn.at[0][dimension], others.at[0][dimension],
                               sizeof others.at[0][dimension]));
            assert_true(fabs(correlation(&drawn, dimension, &others, dimension, 0)) < 0.2);
        }
    }
    rp_sampler_table_release(&table);
}

/* Each pixel has its own; over many their mean is that of even numbers: 1 / sqrt(12 n) off. */
static void numbers_are_even_over_pixels(void **state)
{
    (void)state;
    rp_sampler_table table = make_table(1);
    double sums[2] = {0};
    int count = 0;
    for (int y = 0; y < 200; y++)
        for (int x = 0; x < 200; x++, count++) {
            rp_sampler sampler = rp_sampler_begin(&table, x, y, 0);
            double at[2];
            rp_sampler_next(&sampler, at);
            sums[0] += at[0];
            sums[1] += at[1];
        }
    check_near(sums[0] / count, 0.5, 4 / sqrt(12.0 * count));
    check_near(sums[1] / count, 0.5, 4 / sqrt(12.0 * count));
    rp_sampler_table_release(&table);
}

static void any_number_of_samples_has_a_table(void **state)
{
    (void)state;
    for (int samples = 1; samples <= 4096; samples += samples < 20 ? 1 : 509) {
        rp_sampler_table table = make_table(samples);
        assert_true(table.mask + 1 >= (uint32_t)samples &&
                    (table.mask + 1) / 2 < (uint32_t)samples);
        rp_sampler sampler = rp_sampler_begin(&table, 5, 6, samples - 1);
        double at[2];
        rp_sampler_next(&sampler, at);
        assert_true(at[0] >= 0 && at[0] < 1 && at[1] >= 0 && at[1] < 1);
        rp_sampler_table_release(&table);
    }
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_use_is_a_net),
        cmocka_unit_test(the_first_samples_are_a_net_as_well),
        cmocka_unit_test(uses_have_nothing_to_do_with_each_other),
        cmocka_unit_test(two_uses_fill_four_dimensions),
        cmocka_unit_test(pixels_differ),
        cmocka_unit_test(numbers_are_even_over_pixels),
        cmocka_unit_test(any_number_of_samples_has_a_table),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
