/* Legends: round numbers, the map's own colours, and hands off small pictures. */
#include "check.h"

#include "base/memory.h"
#include "picture/inside.h"
#include "picture/picture.h"

#include <stdlib.h>
#include <string.h>

#define SHADE 120

static rp_picture *grey(int width, int height)
{
    rp_picture *picture;
    assert_int_equal(rp_picture_create(width, height, &picture, NULL), RP_OK);
    memset(picture->pixels, SHADE, 3 * (size_t)width * (size_t)height);
    return picture;
}

static bool is_plain(const rp_picture *picture, rp_area area)
{
    for (int y = area.top; y < area.top + area.height; y++)
        for (int x = area.left; x < area.left + area.width; x++)
            for (int c = 0; c < 3; c++)
                if (rp_picture_at(picture, x, y)[c] != SHADE) return false;
    return true;
}

static void check_texts(double low, double high, int wanted, const char *expected)
{
    rp_tick ticks[RP_TICKS_MAX];
    char all[RP_TICKS_MAX * sizeof ticks[0].text] = "";
    int count = rp_ticks(low, high, wanted, ticks);
    for (int i = 0; i < count; i++) {
        if (i > 0) strcat(all, " ");
        strcat(all, ticks[i].text);
    }
    assert_string_equal(all, expected);
}

static void numbers_are_written_well(void **state)
{
    (void)state;
    check_texts(0, 2.37, 5, "0 0.5 1 1.5 2");
    check_texts(0, 1, 5, "0 0.2 0.4 0.6 0.8 1");
    check_texts(0, 100, 5, "0 20 40 60 80 100");
    check_texts(-1, 1, 5, "-1 -0.5 0 0.5 1");
    check_texts(0, 1.9e6, 5, "0 0.5e6 1e6 1.5e6");
    check_texts(1500, 1600, 5, "1500 1520 1540 1560 1580 1600");
    check_texts(0.1, 0.5, 5, "0.1 0.2 0.3 0.4 0.5");
    check_texts(0, 4.1e-5, 5, "0 1e-5 2e-5 3e-5 4e-5");
    check_texts(100000, 100000.5, 5, "100000 100000.1 100000.2 100000.3 100000.4 100000.5");
    check_texts(0, 3e12, 3, "0 1e12 2e12 3e12");
}

static void equal_ends_have_one_number(void **state)
{
    (void)state;
    check_texts(0, 0, 5, "0");
    check_texts(1500, 1500, 5, "1500");
    check_texts(-0.25, -0.25, 5, "-0.25");
    check_texts(3.14159265, 3.14159265, 5, "3.142");
    check_texts(9.99996, 9.99996, 5, "10");
    check_texts(2.5e-7, 2.5e-7, 5, "2.5e-7");
    check_texts(6.02214e23, 6.02214e23, 5, "6.022e23");
    check_texts(1e9, 1e9 + 1e-3, 5, "1e9");
    check_texts(0, 5e-324, 5, "0");
}

static void no_range_has_no_numbers(void **state)
{
    (void)state;
    check_texts(1, 0, 5, "");
    check_texts(INFINITY, -INFINITY, 5, "");
    check_texts(NAN, 1, 5, "");
    check_texts(0, NAN, 5, "");
    check_texts(0, INFINITY, 5, "");
    check_texts(-1.7e308, 1.7e308, 5, "");
}

/* 1, 2 or 5 times a power of ten. */
static bool is_round(double step)
{
    double first = step / pow(10, floor(log10(step) + 1e-6));
    return fabs(first - 1) < 1e-4 || fabs(first - 2) < 1e-4 || fabs(first - 5) < 1e-4;
}

/* For any range: round steps, texts that say the value, inside the range, two more or less. */
static void ticks_are_round_and_inside(void **state)
{
    (void)state;
    srand(7);
    for (int trial = 0; trial < 20000; trial++) {
        double span = pow(10, -12 + 24.0 * rand() / RAND_MAX);
        double low = span * (trial % 5 == 0 ? 0 : 20 * ((double)rand() / RAND_MAX - 0.5));
        rp_tick ticks[RP_TICKS_MAX];
        int wanted = 2 + trial % 4;
        int count = rp_ticks(low, low + span, wanted, ticks);
        assert_true(count >= 1 && abs(count - wanted) <= 2);
        for (int i = 0; i < count; i++) {
            assert_true(ticks[i].value >= low - 1e-6 * span);
            assert_true(ticks[i].value <= low + span + 1e-6 * span);
            check_near(ticks[i].place, (ticks[i].value - low) / span, 1e-6);
            check_near(strtod(ticks[i].text, NULL), ticks[i].value, 1e-9 * span);
            if (i > 0) assert_true(is_round(ticks[i].value - ticks[i - 1].value));
        }
    }
}

static void the_bar_has_the_colours_of_the_map(void **state)
{
    (void)state;
    const int sizes[][2] = {{1280, 720}, {640, 360}, {120, 90}, {1920, 1080}};
    const rp_legend legend = {"speed", "m/s", 0, 2.5};
    for (int i = 0; i < 4; i++) {
        rp_picture *picture = grey(sizes[i][0], sizes[i][1]);
        rp_area panel, bar;
        assert_true(rp_legend_place(picture, &legend, &panel, &bar));
        rp_legend_draw(picture, &legend);
        assert_true(bar.height >= 30 && bar.width >= 8);
        for (int row = 0; row < bar.height; row++) {
            double colour[3];
            rp_colour_map_at(1 - (row + 0.5) / bar.height, colour);
            for (int c = 0; c < 3; c++) {
                int expected = (int)lround(255 * rp_picture_srgb_encode(colour[c]));
                for (int x = 0; x < bar.width; x++)
                    assert_int_equal(rp_picture_at(picture, bar.left + x, bar.top + row)[c],
                                     expected);
            }
        }
        rp_picture_destroy(picture);
    }
}

/* The panel lies in the lower right corner, darkens what is below and leaves the rest alone. */
static void the_panel_keeps_to_its_corner(void **state)
{
    (void)state;
    const rp_legend legends[] = {{"speed", "m/s", 0, 2.5},
                                 {"a title that is far too long to fit", "kg/m3", 0, 1e7},
                                 {"", NULL, 1, 0},
                                 {NULL, "", 3, 3}};
    for (int i = 0; i < 4; i++) {
        rp_picture *picture = grey(400, 300);
        rp_area panel, bar;
        assert_true(rp_legend_place(picture, &legends[i], &panel, &bar));
        assert_true(panel.left >= 200 && panel.left + panel.width < 400);
        assert_true(panel.top > 0 && panel.top + panel.height < 300);
        rp_legend_draw(picture, &legends[i]);
        assert_true(is_plain(picture, (rp_area){0, 0, 400, panel.top}));
        assert_true(is_plain(picture, (rp_area){0, panel.top, panel.left, 300 - panel.top}));
        assert_true(is_plain(
            picture, (rp_area){panel.left + panel.width, 0, 400 - panel.left - panel.width, 300}));
        int bottom = panel.top + panel.height;
        assert_true(is_plain(picture, (rp_area){0, bottom, 400, 300 - bottom}));
        uint8_t below = rp_picture_at(picture, panel.left + panel.width / 2, panel.top + 1)[0];
        assert_true(below > 0 && below < SHADE / 2 + 20);
        rp_picture_destroy(picture);
    }
}

static void small_pictures_are_left_alone(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1}, {119, 90}, {120, 89}, {8, 4000}, {4000, 8}};
    const rp_legend legend = {"speed", "m/s", 0, 2.5};
    for (int i = 0; i < 5; i++) {
        rp_picture *picture = grey(sizes[i][0], sizes[i][1]);
        rp_area panel, bar;
        assert_false(rp_legend_place(picture, &legend, &panel, &bar));
        rp_legend_draw(picture, &legend);
        rp_legend_draw_caption(picture, "a caption");
        rp_legend_draw_heading(picture, "a heading");
        assert_true(is_plain(picture, (rp_area){0, 0, sizes[i][0], sizes[i][1]}));
        rp_picture_destroy(picture);
    }
}

/* High and narrow, or low and wide: whatever does not fit is cut, not written elsewhere. */
static void odd_pictures_hold(void **state)
{
    (void)state;
    const int sizes[][2] = {{120, 3000}, {3000, 90}, {120, 8192}, {121, 91}};
    const rp_legend legend = {"a long title with many words", "kg/m3", -1234567, 7654321};
    for (int i = 0; i < 4; i++) {
        rp_picture *picture = grey(sizes[i][0], sizes[i][1]);
        rp_legend_draw(picture, &legend);
        rp_legend_draw_caption(picture, "a caption of many words, of which only some can be seen");
        rp_picture_destroy(picture);
    }
}

/* The rightmost column that a caption touches. */
static int caption_end(const char *text, int width, int height)
{
    rp_picture *picture = grey(width, height);
    rp_legend_draw_caption(picture, text);
    assert_true(is_plain(picture, (rp_area){0, 0, width, height - 60}));
    int end = 0;
    for (int x = 0; x < width; x++)
        if (!is_plain(picture, (rp_area){x, 0, 1, height})) end = x;
    rp_picture_destroy(picture);
    return end;
}

static void captions_are_cut_to_fit(void **state)
{
    (void)state;
    int brief = caption_end("t = 1 s", 640, 360);
    assert_true(brief > 40 && brief < 120);
    char endless[2000];
    for (size_t i = 0; i + 2 < sizeof endless; i += 2) /* many characters of two bytes */
        memcpy(endless + i, "\xc2\xb0", 3);
    int cut = caption_end(endless, 640, 360);
    assert_true(cut > 380 && cut < 440);
    assert_int_equal(caption_end("", 640, 360), 0);
    memset(endless, ' ', 300);
    assert_true(caption_end(endless, 640, 360) < 440);
}

static void headings_are_above(void **state)
{
    (void)state;
    rp_picture *picture = grey(640, 360);
    rp_legend_draw_heading(picture, "0.25 s");
    assert_false(is_plain(picture, (rp_area){0, 0, 120, 40}));
    assert_true(is_plain(picture, (rp_area){0, 60, 640, 300}));
    assert_true(is_plain(picture, (rp_area){120, 0, 520, 60}));
    rp_picture_destroy(picture);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_well),
        cmocka_unit_test(equal_ends_have_one_number),
        cmocka_unit_test(no_range_has_no_numbers),
        cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(the_bar_has_the_colours_of_the_map),
        cmocka_unit_test(the_panel_keeps_to_its_corner),
        cmocka_unit_test(small_pictures_are_left_alone),
        cmocka_unit_test(odd_pictures_hold),
        cmocka_unit_test(captions_are_cut_to_fit),
        cmocka_unit_test(headings_are_above),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
