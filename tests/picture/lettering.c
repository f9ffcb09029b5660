/* Text in pictures: each letter has a shape of its own, is as wide as rp_text_width says and stays
 * inside. */
#include "check.h"

#include "base/memory.h"
#include "picture/picture.h"

#include <stdlib.h>
#include <string.h>

#define EDGE 64
#define INK 32 /* of 255: more than the faintest edge of a stroke */

static const double white[3] = {1, 1, 1};
static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 ".,:;!?-+*/()[]%^='\"_<>";

static rp_picture *black(int width, int height)
{
    rp_picture *picture;
    assert_int_equal(rp_picture_create(width, height, &picture, NULL), RP_OK);
    return picture;
}

static size_t size_of(const rp_picture *picture)
{
    return 3 * (size_t)picture->width * (size_t)picture->height;
}

/* The box around all ink: pixels from the upper left corner; empty when right < left. */
typedef struct ink {
    int left, right, top, bottom;
} ink;

static ink ink_of(const rp_picture *picture)
{
    ink box = {picture->width, -1, picture->height, -1};
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            if (rp_picture_at(picture, x, y)[0] < INK) continue;
            if (x < box.left) box.left = x;
            if (x > box.right) box.right = x;
            if (y < box.top) box.top = y;
            if (y > box.bottom) box.bottom = y;
        }
    return box;
}

/* Pixels that differ by more than a quarter of white. */
static int shapes_differ(const rp_picture *a, const rp_picture *b)
{
    int count = 0;
    for (int i = 0; i < EDGE * EDGE; i++)
        count += abs(a->pixels[3 * i] - b->pixels[3 * i]) > 64;
    return count;
}

/* Any two letters differ in at least so many pixels. */
static void check_distinct(double height, int least)
{
    enum { COUNT = sizeof characters + 1 }; /* with the degree sign and the box */
    rp_picture *pictures[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char text[8] = {characters[i < COUNT - 2 ? i : 0], '\0'};
        if (i == COUNT - 2) strcpy(text, "\xc2\xb0");
        if (i == COUNT - 1) strcpy(text, "\xe2\x82\xac");
        pictures[i] = black(EDGE, EDGE);
        rp_text_draw(pictures[i], 20, 20, height, text, white);
        assert_true(ink_of(pictures[i]).right >= 0);
        for (int j = 0; j < i; j++)
            if (shapes_differ(pictures[i], pictures[j]) < least)
                fail_msg("at %g pixels glyphs %d and %d look alike", height, i, j);
    }
    for (int i = 0; i < COUNT; i++)
        rp_picture_destroy(pictures[i]);
}

static void letters_are_told_apart(void **state)
{
    (void)state;
    check_distinct(9, 1); /* the least is a dot, as between , and ; */
    check_distinct(14, 4);
    check_distinct(24, 8);
}

static void width_is_that_of_the_ink(void **state)
{
    (void)state;
    const char *texts[] = {"H", "i", "W", "%", "Hello 123", "1.5e6 m/s", "\xc2\xb0", "speed [Pa]"};
    const double heights[] = {9, 11.3, 16, 40};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) {
            rp_picture *picture = black(600, 100);
            rp_text_draw(picture, 10, 20, heights[j], texts[i], white);
            ink box = ink_of(picture);
            check_near(box.left, 10, 1);
            check_near(box.right + 1 - box.left, rp_text_width(heights[j], texts[i]), 1.01);
            rp_picture_destroy(picture);
        }
    assert_true(rp_text_width(12, "") == 0);
    assert_true(rp_text_width(12, "a b") > rp_text_width(12, "ab") + 2);
    assert_true(rp_text_width(NAN, "a") == 0 && rp_text_width(-3, "a") == 0);
}

static void height_is_that_of_capitals(void **state)
{
    (void)state;
    const double heights[] = {9, 12, 17, 40, 80};
    for (int i = 0; i < 5; i++) {
        rp_picture *picture = black(200, 200);
        rp_text_draw(picture, 10, 20, heights[i], "H", white);
        ink box = ink_of(picture);
        check_near(box.top, 20, 1);
        check_near(box.bottom + 1, 20 + heights[i], 1);
        rp_text_draw(picture, 100, 20, heights[i], "gpqyj", white);
        box = ink_of(picture);
        assert_true(box.bottom + 1 <= 21 + (1 + RP_TEXT_DEPTH) * heights[i]);
        rp_picture_destroy(picture);
    }
}

/* Digits may not push each other about while a clock runs. */
static void digits_are_equally_wide(void **state)
{
    (void)state;
    for (double height = 9; height < 40; height += 0.7)
        for (char digit = '0'; digit <= '9'; digit++)
            check_near(rp_text_width(height, (char[2]){digit, '\0'}), rp_text_width(height, "8"),
                       0);
}

static void unknown_characters_are_boxes(void **state)
{
    (void)state;
    rp_picture *box = black(EDGE, EDGE), *other = black(EDGE, EDGE);
    rp_text_draw(box, 5, 5, 20, "\x01", white);
    const char *texts[] = {"\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "\xc3", "\xc3\xa4"};
    for (int i = 0; i < 5; i++) {
        memset(other->pixels, 0, size_of(other));
        rp_text_draw(other, 5, 5, 20, texts[i], white);
        assert_memory_equal(other->pixels, box->pixels, size_of(box));
    }
    assert_true(rp_text_width(20, "\xe2\x82") > rp_text_width(20, "\xe2\x82\xac"));
    rp_picture_destroy(box);
    rp_picture_destroy(other);
}

/* Pixels behind and before the picture keep their value, whatever the place and height. */
static void nothing_is_written_outside(void **state)
{
    (void)state;
    const double places[] = {-1e300, -1e9, -30, -3.5, 0, 0.4, 2, 6, 1e9, 1e300, NAN, INFINITY};
    const double heights[] = {-1, 0, 1e-300, 0.5, 9, 33, 8192, 1e30, NAN, INFINITY};
    uint8_t pixels[3 * 40];
    for (int size = 0; size < 2; size++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                for (int k = 0; k < 10; k++) {
                    memset(pixels, 77, sizeof pixels);
                    rp_picture inner = {size ? 6 : 1, size ? 4 : 1, pixels + 24};
                    rp_text_draw(&inner, places[i], places[j], heights[k], "Wg%\xc2\xb0", white);
                    size_t end = 24 + size_of(&inner);
                    for (size_t at = 0; at < sizeof pixels; at++)
                        assert_true((at >= 24 && at < end) || pixels[at] == 77);
                }
}

/* A text that leaves the picture looks as if it were cut from a larger one. */
static void clipped_text_is_cut_text(void **state)
{
    (void)state;
    rp_picture *large = black(120, 60), *small = black(50, 20);
    rp_text_draw(large, 20, 20, 18, "Quay g%8", white);
    rp_text_draw(small, -10, -5, 18, "Quay g%8", white);
    for (int y = 0; y < 20; y++)
        assert_memory_equal(rp_picture_at(small, 0, y), rp_picture_at(large, 30, y + 25), 3 * 50);
    rp_picture_destroy(large);
    rp_picture_destroy(small);
}

/* Half covered pixels have half the light: 188 of 255 between black and white. */
static void edges_are_mixed_in_light(void **state)
{
    (void)state;
    rp_picture *picture = black(1, 1);
    rp_picture_blend(picture, 0, 0, white, 0.5);
    assert_int_equal(picture->pixels[0], 188);
    rp_picture_blend(picture, 0, 0, (double[3]){0, 0, 0}, 0);
    assert_int_equal(picture->pixels[0], 188);
    rp_picture_blend(picture, 0, 0, (double[3]){0.5, 0, 1}, 1);
    assert_memory_equal(picture->pixels, ((uint8_t[3]){188, 0, 255}), 3);
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
        cmocka_unit_test(letters_are_told_apart),
        cmocka_unit_test(width_is_that_of_the_ink),
        cmocka_unit_test(height_is_that_of_capitals),
        cmocka_unit_test(digits_are_equally_wide),
        cmocka_unit_test(unknown_characters_are_boxes),
        cmocka_unit_test(nothing_is_written_outside),
        cmocka_unit_test(clipped_text_is_cut_text),
        cmocka_unit_test(edges_are_mixed_in_light),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
