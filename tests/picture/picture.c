/* Pictures in memory: sizes, sRGB and contact sheets. */
#include "check.h"

#include "render/stage.h"

static rp_picture *plain(int width, int height, uint8_t red, uint8_t green, uint8_t blue)
{
    rp_picture *picture;
    assert_int_equal(rp_picture_create(width, height, &picture, NULL), RP_OK);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            memcpy(rp_picture_at(picture, x, y), (uint8_t[3]){red, green, blue}, 3);
    return picture;
}

static void srgb_goes_and_comes_back(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++)
        check_near(255 * rp_picture_srgb_encode(rp_picture_srgb_decode(i / 255.0)), i, 0.01);
    check_near(rp_picture_srgb_encode(0.5), 0.7354, 1e-4);
    check_near(rp_picture_srgb_encode(-1), 0, 0);
    check_near(rp_picture_srgb_encode(7), 1, 1e-12);
}

static void a_sheet_has_its_pictures_in_order(void **state)
{
    (void)state;
    rp_picture *pictures[5];
    for (int i = 0; i < 5; i++)
        pictures[i] = plain(64, 32, (uint8_t)(40 * i), 100, 200);
    rp_picture *sheet;
    assert_int_equal(rp_picture_sheet((const rp_picture *const *)pictures, 5, 3, 20, &sheet, NULL),
                     RP_OK);
    assert_int_equal(sheet->width, 3 * 28 + 8);
    assert_int_equal(sheet->height, 2 * 18 + 8);
    for (int i = 0; i < 5; i++) {
        const uint8_t *middle = rp_picture_at(sheet, 18 + i % 3 * 28, 13 + i / 3 * 18);
        assert_int_equal(middle[0], 40 * i);
        assert_int_equal(middle[1], 100);
        assert_int_equal(middle[2], 200);
    }
    assert_int_equal(rp_picture_at(sheet, 2, 2)[0], rp_picture_at(sheet, 70, 40)[0]);
    rp_picture_destroy(sheet);
    for (int i = 0; i < 5; i++)
        rp_picture_destroy(pictures[i]);
}

/* Half black, half white pixels shrink to half the light, which is 188 of 255, not 128. */
static void shrinking_keeps_the_light(void **state)
{
    (void)state;
    rp_picture *fine = plain(100, 100, 0, 0, 0);
    for (int y = 0; y < 100; y++)
        for (int x = y % 2; x < 100; x += 2)
            memset(rp_picture_at(fine, x, y), 255, 3);
    const rp_picture *list[1] = {fine};
    rp_picture *sheet;
    assert_int_equal(rp_picture_sheet(list, 1, 4, 10, &sheet, NULL), RP_OK);
    assert_int_equal(rp_picture_at(sheet, 12, 12)[1], 188);
    rp_picture_destroy(sheet);
    rp_picture_destroy(fine);
}

static void a_tall_picture_fits_into_a_wide_cell(void **state)
{
    (void)state;
    rp_picture *wide = plain(40, 10, 255, 0, 0), *tall = plain(2, 300, 0, 0, 255);
    const rp_picture *list[2] = {wide, tall};
    rp_picture *sheet;
    assert_int_equal(rp_picture_sheet(list, 2, 1, 80, &sheet, NULL), RP_OK);
    assert_int_equal(sheet->height, 2 * 28 + 8);
    assert_int_equal(rp_picture_at(sheet, 47, 46)[0], 0);
    assert_int_equal(rp_picture_at(sheet, 60, 46)[0], rp_picture_at(sheet, 0, 0)[0]);
    rp_picture_destroy(sheet);
    rp_picture_destroy(tall);
    rp_picture_destroy(wide);
}

static void absurd_sheets_are_refused(void **state)
{
    (void)state;
    rp_picture *one = plain(1, 1, 0, 0, 0), *sheet;
    const rp_picture *list[1] = {one};
    const int wishes[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, 8192}, {1, 1, INT32_MAX}};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(
            rp_picture_sheet(list, wishes[i][0], wishes[i][1], wishes[i][2], &sheet, NULL),
            RP_ERROR_INPUT);
        assert_null(sheet);
    }
    rp_picture_destroy(one);
}

/* Wherever it is put, each pixel is either of the old picture or from the right place of the new.
 */
static void pasting_cuts_what_does_not_fit(void **state)
{
    (void)state;
    rp_picture *from = plain(4, 3, 0, 0, 0);
    for (int i = 0; i < 12; i++)
        from->pixels[3 * i] = (uint8_t)(i + 1);
    const int places[] = {INT32_MIN, -5, -4, -2, 0, 1, 3, 5, 6, INT32_MAX};
    for (int i = 0; i < 100; i++) {
        rp_picture *to = plain(6, 5, 200, 0, 0);
        int64_t left = places[i % 10], top = places[i / 10];
        rp_picture_paste(to, from, (int)left, (int)top);
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 6; x++) {
                bool inside = x >= left && x < left + 4 && y >= top && y < top + 3;
                int expected = inside ? (int)(4 * (y - top) + x - left + 1) : 200;
                assert_int_equal(rp_picture_at(to, x, y)[0], expected);
            }
        rp_picture_destroy(to);
    }
    rp_picture_destroy(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srgb_goes_and_comes_back),
        cmocka_unit_test(a_sheet_has_its_pictures_in_order),
        cmocka_unit_test(shrinking_keeps_the_light),
        cmocka_unit_test(a_tall_picture_fits_into_a_wide_cell),
        cmocka_unit_test(absurd_sheets_are_refused),
        cmocka_unit_test(pasting_cuts_what_does_not_fit),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
