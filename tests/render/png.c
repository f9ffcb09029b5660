/* PNG files: read back by libpng they are the picture; a file that cannot be written leaves nothing
 * behind. */
#include "check.h"

#include "base/random.h"
#include "render/stage.h"

#include <dirent.h>
#include <png.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/repose-png-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int files_in(const char *path)
{
    DIR *directory = opendir(path);
    assert_non_null(directory);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static rp_picture *noise(int width, int height)
{
    rp_picture *picture;
    assert_int_equal(rp_picture_create(width, height, &picture, NULL), RP_OK);
    for (size_t i = 0; i < 3 * (size_t)width * (size_t)height; i++)
        picture->pixels[i] = (uint8_t)rp_random(1, RP_RANDOM_TEST, i).bits[0];
    return picture;
}

static void a_png_file_is_the_picture(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/a.png", folder);
    const int sizes[][2] = {{1, 1}, {37, 21}, {8192, 2}};
    for (int i = 0; i < 3; i++) {
        rp_picture *picture = noise(sizes[i][0], sizes[i][1]);
        assert_int_equal(rp_picture_write_png(picture, path, NULL), RP_OK);
        assert_int_equal(files_in(folder), 1);
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&image, path));
        image.format = PNG_FORMAT_RGB;
        assert_int_equal(image.width, picture->width);
        assert_int_equal(image.height, picture->height);
        uint8_t *read = malloc(PNG_IMAGE_SIZE(image));
        assert_true(png_image_finish_read(&image, NULL, read, 0, NULL));
        assert_memory_equal(read, picture->pixels, PNG_IMAGE_SIZE(image));
        free(read);
        rp_picture_destroy(picture);
    }
    unlink(path);
}

static void a_missing_folder_is_a_fault(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/missing/a.png", folder);
    rp_picture *picture = noise(5, 5);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_picture_write_png(picture, path, report), RP_ERROR_IO);
    assert_int_equal(rp_report_count(report), 1);
    assert_int_equal(files_in(folder), 0);
    rp_report_destroy(report);
    rp_picture_destroy(picture);
}

/* The path is a folder, so the rename fails after the file was written. */
static void a_failed_rename_leaves_nothing(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/taken", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    rp_picture *picture = noise(5, 5);
    assert_int_equal(rp_picture_write_png(picture, path, NULL), RP_ERROR_IO);
    assert_int_equal(files_in(folder), 1);
    assert_int_equal(rmdir(path), 0);
    rp_picture_destroy(picture);
}

/* /dev/full takes nothing: the temporary name is made a link to it. */
static void a_full_disk_is_said(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    char path[200], part[210];
    snprintf(path, sizeof path, "%s/a.png", folder);
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_equal(symlink("/dev/full", part), 0);
    rp_picture *picture = noise(100, 100);
    assert_int_equal(rp_picture_write_png(picture, path, NULL), RP_ERROR_SPACE);
    assert_int_equal(files_in(folder), 0);
    rp_picture_destroy(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_file_is_the_picture),
        cmocka_unit_test(a_missing_folder_is_a_fault),
        cmocka_unit_test(a_failed_rename_leaves_nothing),
        cmocka_unit_test(a_full_disk_is_said),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
