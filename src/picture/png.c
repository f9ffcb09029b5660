/* PNG files by libpng; all calls to it are here. Its simplified interface returns errors as values,
 * so no longjmp passes through our frames. */
#include "base/report.h"
#include "picture/picture.h"
#include "system/atomic.h"

#include <string.h>

static uint32_t read_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* CRC-32 as PNG files have it, four bits at a time. */
static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* A chunk is its length, four letters, that many bytes, and a checksum of letters and bytes. */
bool rp_png_is_whole(const void *bytes, size_t size, int width, int height)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const unsigned char *next = bytes;
    size_t left = size;
    if (left < 8 || memcmp(next, signature, 8) != 0) return false;
    next += 8;
    left -= 8;
    for (bool first = true; left >= 12; first = false) {
        size_t length = read_u32(next);
        if (length > left - 12) return false;
        if (crc32_of(next + 4, length + 4) != read_u32(next + 8 + length)) return false;
        bool head = memcmp(next + 4, "IHDR", 4) == 0 && length == 13;
        if (first != head) return false;
        if (head &&
            (read_u32(next + 8) != (uint32_t)width || read_u32(next + 12) != (uint32_t)height))
            return false;
        if (memcmp(next + 4, "IEND", 4) == 0) return left == 12 && length == 0;
        next += 12 + length;
        left -= 12 + length;
    }
    return false;
}

#ifdef RP_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <stdio.h>

bool rp_picture_can_write_png(void)
{
    return true;
}

/* Closes the stream. `error` is what libpng says when no call of the system failed. */
static bool write_stream(const rp_picture *picture, FILE *stream, rp_atomic *file, char error[64])
{
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    image.width = (png_uint_32)picture->width;
    image.height = (png_uint_32)picture->height;
    errno = 0;
    bool written = png_image_write_to_stdio(&image, stream, 0, picture->pixels, 0, NULL);
    if (!written && errno) rp_atomic_set_error(file, errno);
    if (fclose(stream) != 0) rp_atomic_set_error(file, errno);
    snprintf(error, 64, "%s", image.message);
    return written || file->error;
}

rp_code rp_picture_write_png(const rp_picture *picture, const char *path, rp_report *report)
{
    RP_NEED(picture, report);
    RP_NEED(path, report);
    rp_atomic file;
    char error[64];
    RP_TRY(rp_atomic_open(&file, path, report));
    FILE *stream = rp_atomic_stream(&file);
    if (!stream) rp_atomic_set_error(&file, errno);
    if (!stream || write_stream(picture, stream, &file, error))
        return rp_atomic_finish(&file, report);
    rp_atomic_abandon(&file);
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
    RP_NEED(picture, report);
    RP_NEED(path, report);
    return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &(rp_place){.file = path}, NULL,
                      "this build cannot write PNG pictures; install libpng (Debian: libpng-dev) "
                      "and build Repose again");
}

#endif
