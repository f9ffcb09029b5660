/* PNG files by libpng; all calls to it are here. Its simplified interface returns errors as values,
 * so no longjmp passes through our frames. */
#include "base/memory.h"
#include "base/report.h"
#include "picture/picture.h"

#ifdef RP_HAVE_PNG

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool rp_picture_can_write_png(void)
{
    return true;
}

/* Opens "PATH.PROCESS-COUNT.part", a name that no other writer has; NULL and errno when it fails.
 */
static FILE *open_part(const char *path, char *part, size_t size)
{
    static atomic_uint counter;
    int descriptor;
    do {
        snprintf(part, size, "%s.%ld-%u.part", path, (long)getpid(), atomic_fetch_add(&counter, 1));
        descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) return NULL;
    FILE *file = fdopen(descriptor, "wb");
    if (file) return file;
    close(descriptor);
    remove(part);
    return NULL;
}

/* Closes the file. */
static rp_code write_file(const rp_picture *picture, FILE *file, const char *path,
                          rp_report *report)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    image.width = (png_uint_32)picture->width;
    image.height = (png_uint_32)picture->height;
    errno = 0;
    int written = png_image_write_to_stdio(&image, file, 0, picture->pixels, 0, NULL);
    int error = errno;
    if (fclose(file) != 0 && written) {
        written = 0;
        error = errno;
    }
    if (written) return RP_OK;
    if (error) return rp_fail_errno(report, error, path, "write");
    return rp_fail_at(report, RP_ERROR_IO, &(rp_place){.file = path}, NULL, "cannot write: %s",
                      image.message);
}

rp_code rp_picture_write_png(const rp_picture *picture, const char *path, rp_report *report)
{
    size_t size = strlen(path) + 64;
    char *part = rp_allocate(size);
    if (!part) return rp_fail_memory(report, size, "a file name");

    FILE *file = open_part(path, part, size);
    rp_code code = file ? write_file(picture, file, path, report)
                        : rp_fail_errno(report, errno, path, "create");
    if (code == RP_OK && rename(part, path) != 0)
        code = rp_fail_errno(report, errno, path, "put the finished picture in place");
    if (file && code != RP_OK) remove(part);
    rp_release(part, size);
    return code;
}

#else

bool rp_picture_can_write_png(void)
{
    return false;
}

rp_code rp_picture_write_png(const rp_picture *picture, const char *path, rp_report *report)
{
    (void)picture;
    return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &(rp_place){.file = path}, NULL,
                      "this build cannot write PNG pictures; install libpng (Debian: libpng-dev) "
                      "and build Repose again");
}

#endif
