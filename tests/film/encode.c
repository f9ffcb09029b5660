/* Encoding: what comes out is what went in, and whatever ffmpeg does, nothing half done is left. */
#include "film/stage.h"

#include "picture/picture.h"

/* The bytes of a PNG file of one colour, other for each `n`. */
static char *picture_bytes(int width, int height, int n, size_t *size)
{
    rp_report *report = rp_report_create();
    rp_picture *picture;
    check_ok(rp_picture_create(width, height, &picture, report), report);
    for (int i = 0; i < 3 * width * height; i++)
        picture->pixels[i] = (uint8_t)(i * 7 + n * 31);
    check_ok(rp_picture_write_png(picture, "picture.png", report), report);
    rp_picture_destroy(picture);
    rp_report_destroy(report);
    char *bytes = file_bytes(".", "picture.png", size);
    unlink("picture.png");
    return bytes;
}

/* Adds up to `count` pictures, and finishes or abandons. */
static rp_code encode(const char *path, int width, int height, int count, double rate,
                      rp_report *report)
{
    rp_encoder *encoder;
    rp_code code = rp_encoder_start(path, rate, &encoder, report);
    if (code != RP_OK) return code;
    for (int n = 0; n < count && code == RP_OK; n++) {
        size_t size;
        char *bytes = picture_bytes(width, height, n, &size);
        code = rp_encoder_add(encoder, bytes, size, report);
        free(bytes);
    }
    if (code == RP_OK) return rp_encoder_finish(encoder, report);
    rp_encoder_abandon(encoder);
    return code;
}

static void check_film(const char *path, int width, int height, int count, double rate,
                       const char *wanted)
{
    char found[256];
    rp_report *report = rp_report_create();
    check_ok(encode(path, width, height, count, rate, report), report);
    assert_int_equal(count_files(".", ".partial"), 0);
    if (probe(path, found, sizeof found)) assert_string_equal(found, wanted);
    unlink(path);
    rp_report_destroy(report);
}

static void films_have_the_frames_the_size_and_the_colours_asked_for(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    check_film("a.mp4", 64, 48, 9, 25, "h264,64,48,yuv420p,bt709,25/1,9");
    check_film("a.webm", 64, 48, 9, 25, "vp9,64,48,yuv420p,bt709,25/1,9");
    check_film("-name $(x) %d:.mp4", 64, 48, 3, 50, "h264,64,48,yuv420p,bt709,50/1,3");
    check_film("one.mp4", 64, 48, 1, 12.5, "h264,64,48,yuv420p,bt709,25/2,1");
}

static void odd_sizes_are_padded(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    check_film("odd.mp4", 63, 47, 4, 60, "h264,64,48,yuv420p,bt709,60/1,4");
    check_film("odd.webm", 63, 48, 4, 60, "vp9,64,48,yuv420p,bt709,60/1,4");
}

static void names_and_rates_are_checked(void **state)
{
    (void)state;
    rp_encoder *encoder;
    rp_report *report = rp_report_create();
    assert_true(rp_encoder_accepts("a.mp4") && rp_encoder_accepts("b/a.webm"));
    assert_false(rp_encoder_accepts(".mp4") || rp_encoder_accepts("a.avi") ||
                 rp_encoder_accepts("mp4"));
    assert_int_equal(rp_encoder_start("a.avi", 25, &encoder, report), RP_ERROR_INPUT);
    says(report, "*.webm");
    const double bad[] = {0, -1, NAN, INFINITY, 1e9};
    for (int i = 0; i < 5; i++)
        assert_int_equal(rp_encoder_start("a.mp4", bad[i], &encoder, report), RP_ERROR_INPUT);
    rp_report_destroy(report);
}

static void a_missing_ffmpeg_is_told_with_its_package(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    replace_ffmpeg(NULL);
    assert_false(rp_encoder_available());
    assert_int_equal(encode("a.mp4", 8, 8, 1, 25, report), RP_ERROR_UNSUPPORTED);
    says(report, "apt-get install ffmpeg");
    assert_int_equal(access("a.mp4", F_OK), -1);
    restore_ffmpeg();
    rp_report_destroy(report);
}

/* With many pictures the fault comes from adding, with few from finishing; never by a signal. */
static void check_death(const char *script, const char *words)
{
    const int counts[] = {1, 200};
    for (int i = 0; i < 2; i++) {
        rp_report *report = rp_report_create();
        replace_ffmpeg(script);
        assert_int_equal(encode("a.mp4", 96, 96, counts[i], 25, report), RP_ERROR_IO);
        says(report, words);
        restore_ffmpeg();
        assert_int_equal(access("a.mp4", F_OK), -1);
        assert_int_equal(count_files(".", ".partial"), 0);
        rp_report_destroy(report);
    }
}

static void an_ffmpeg_that_dies_is_told_with_its_words(void **state)
{
    (void)state;
    check_death("echo 'Unknown encoder libx264' >&2\necho 'Conversion failed!' >&2\nexit 1",
                "ffmpeg failed: Unknown encoder libx264");
    check_death("exit 3", "said nothing");
    check_death("kill -9 $$", "signal 9");
    check_death("head -c 500 >/dev/null; echo 'half way' >&2; exit 1", "half way");
}

/* One that ends well, but without reading or writing, has made no film. */
static void an_ffmpeg_that_does_nothing_makes_no_film(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    replace_ffmpeg("cat >/dev/null; exit 0");
    assert_int_equal(encode("a.mp4", 8, 8, 2, 25, report), RP_ERROR_IO);
    says(report, "wrote nothing");
    restore_ffmpeg();
    assert_int_equal(count_files(".", ".partial") + count_files(".", ".mp4"), 0);
    rp_report_destroy(report);
}

static void places_that_cannot_be_written_are_told_at_the_start(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    rp_encoder *encoder;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_encoder_start("no/such/a.mp4", 25, &encoder, report), RP_ERROR_IO);
    says(report, "no/such/a.mp4");
    assert_null(encoder);
    rp_report_destroy(report);
}

static void an_abandoned_film_leaves_what_was_there(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    rp_report *report = rp_report_create();
    rp_encoder *encoder;
    size_t size;
    FILE *file = fopen("a.mp4", "w");
    fputs("old", file);
    fclose(file);
    check_ok(rp_encoder_start("a.mp4", 25, &encoder, report), report);
    char *bytes = picture_bytes(64, 48, 0, &size);
    check_ok(rp_encoder_add(encoder, bytes, size, report), report);
    rp_encoder_abandon(encoder);
    rp_encoder_abandon(NULL);
    free(bytes);
    assert_int_equal(count_files(".", ".partial"), 0);
    bytes = file_bytes(".", "a.mp4", &size);
    assert_int_equal(size, 3);
    free(bytes);
    unlink("a.mp4");
    rp_report_destroy(report);
}

/* Bytes that are no picture are reported, in ffmpeg's words. */
static void rubbish_makes_no_film(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    rp_report *report = rp_report_create();
    rp_encoder *encoder;
    check_ok(rp_encoder_start("a.mp4", 25, &encoder, report), report);
    rp_encoder_add(encoder, "no picture at all", 17, NULL);
    assert_int_equal(rp_encoder_finish(encoder, report), RP_ERROR_IO);
    assert_int_equal(count_files(".", ".partial") + count_files(".", ".mp4"), 0);
    rp_report_destroy(report);
}

/* ffmpeg itself would leave such a picture out, and end well. */
static void a_damaged_picture_makes_no_film(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    rp_report *report = rp_report_create();
    rp_encoder *encoder;
    check_ok(rp_encoder_start("a.mp4", 25, &encoder, report), report);
    rp_code code = RP_OK;
    for (int n = 0; n < 5 && code == RP_OK; n++) {
        size_t size;
        char *bytes = picture_bytes(64, 48, n, &size);
        if (n == 2) bytes[size / 2] ^= 16;
        code = rp_encoder_add(encoder, bytes, size, report);
        free(bytes);
    }
    if (code == RP_OK)
        code = rp_encoder_finish(encoder, report);
    else
        rp_encoder_abandon(encoder);
    assert_int_equal(code, RP_ERROR_IO);
    assert_int_equal(count_files(".", ".partial") + count_files(".", ".mp4"), 0);
    rp_report_destroy(report);
}

/* One that takes fewer pictures than it was given. */
static void pictures_that_ffmpeg_drops_are_missed(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    replace_ffmpeg("cat >/dev/null; for last; do :; done; echo film >\"${last#file:}\"\n"
                   "echo frame=1; echo frame=4; echo progress=end");
    assert_int_equal(encode("a.mp4", 8, 8, 5, 25, report), RP_ERROR_IO);
    says(report, "ffmpeg took 4 of 5 pictures");
    check_ok(encode("a.mp4", 8, 8, 4, 25, report), report);
    restore_ffmpeg();
    unlink("a.mp4");
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(films_have_the_frames_the_size_and_the_colours_asked_for),
        cmocka_unit_test(odd_sizes_are_padded),
        cmocka_unit_test(names_and_rates_are_checked),
        cmocka_unit_test(a_missing_ffmpeg_is_told_with_its_package),
        cmocka_unit_test(an_ffmpeg_that_dies_is_told_with_its_words),
        cmocka_unit_test(an_ffmpeg_that_does_nothing_makes_no_film),
        cmocka_unit_test(places_that_cannot_be_written_are_told_at_the_start),
        cmocka_unit_test(an_abandoned_film_leaves_what_was_there),
        cmocka_unit_test(rubbish_makes_no_film),
        cmocka_unit_test(a_damaged_picture_makes_no_film),
        cmocka_unit_test(pictures_that_ffmpeg_drops_are_missed),
    };
    return cmocka_run_group_tests(tests, enter_work, leave_work);
}
