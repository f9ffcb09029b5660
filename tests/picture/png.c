/* PNG files: read back by libpng they are the picture; a file that cannot be written leaves nothing
 * behind. */
#include "check.h"

#include "base/random.h"
#include "render/stage.h"

#include <dirent.h>
#include <png.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static unsigned char *read_bytes(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    assert_true(file && fstat(fileno(file), &info) == 0);
    *size = (size_t)info.st_size;
    unsigned char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    char path[200];
    size_t size;
    snprintf(path, sizeof path, "%s/a.png", folder);
    rp_picture *picture = noise(31, 17);
    assert_int_equal(rp_picture_write_png(picture, path, NULL), RP_OK);
    unsigned char *bytes = read_bytes(path, &size);
    assert_true(rp_picture_png_is_whole(bytes, size, 31, 17));
    assert_false(rp_picture_png_is_whole(bytes, size, 17, 31));
    for (size_t i = 0; i < size; i++) {
        assert_false(rp_picture_png_is_whole(bytes, i, 31, 17)); /* cut short */
        bytes[i] ^= (unsigned char)(1u << i % 8);
        assert_false(rp_picture_png_is_whole(bytes, size, 31, 17));
        bytes[i] ^= (unsigned char)(1u << i % 8);
    }
    assert_true(rp_picture_png_is_whole(bytes, size, 31, 17));
    free(bytes);
    rp_picture_destroy(picture);
    remove(path);
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

/* A file that may not grow stands in for a full disk. */
static void a_failed_write_is_said(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/a.png", folder);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, tight;
    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = 4096;
    rp_picture *picture = noise(100, 100);
    setrlimit(RLIMIT_FSIZE, &tight);
    assert_int_equal(rp_picture_write_png(picture, path, NULL), RP_ERROR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(files_in(folder), 0);
    rp_picture_destroy(picture);
}

#define WRITERS 3
#define WRITES 200

/* Programs that write into one folder do not take each other's half-written files. */
static void writers_do_not_meet(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/a.png", folder);
    rp_picture *picture = noise(40, 40);
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        bool written = true;
        for (int j = 0; j < WRITES && written; j++)
            written = rp_picture_write_png(picture, path, NULL) == RP_OK;
        _exit(written ? 0 : 1);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(files_in(folder), 1);
    unlink(path);
    rp_picture_destroy(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_file_is_the_picture),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(a_missing_folder_is_a_fault),
        cmocka_unit_test(a_failed_rename_leaves_nothing),
        cmocka_unit_test(a_failed_write_is_said),
        cmocka_unit_test(writers_do_not_meet),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
