/* PNG files by libpng; all calls to it are here. Its simplified interface returns errors as values,
 * so no longjmp passes through our frames. */
#include "base/aside.h"
#include "base/report.h"
#include "picture/picture.h"

#ifdef RP_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <stdio.h>

bool rp_picture_can_write_png(void)
{
    return true;
}

/* Closes the stream. `error` is what libpng says when no call of the system failed. */
static bool write_stream(const rp_picture *picture, FILE *stream, rp_aside *file, char error[64])
{
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    image.width = (png_uint_32)picture->width;
    image.height = (png_uint_32)picture->height;
    errno = 0;
    bool written = png_image_write_to_stdio(&image, stream, 0, picture->pixels, 0, NULL);
    if (!written && errno) rp_aside_note(file, errno);
    if (fclose(stream) != 0) rp_aside_note(file, errno);
    snprintf(error, 64, "%s", image.message);
    return written || file->error;
}

rp_code rp_picture_write_png(const rp_picture *picture, const char *path, rp_report *report)
{
    rp_aside file;
    char error[64];
    rp_code code = rp_aside_open(&file, path, report);
    if (code != RP_OK) return code;
    FILE *stream = rp_aside_stream(&file);
    if (!stream) rp_aside_note(&file, errno);
    if (!stream || write_stream(picture, stream, &file, error))
        return rp_aside_finish(&file, report);
    rp_aside_abandon(&file);
    return rp_fail_at(report, RP_ERROR_IO, &(rp_place){.file = path}, NULL, "cannot write: %s",
                      error);
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
