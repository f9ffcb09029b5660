/* Pictures in memory, contact sheets, and PNG files. */
#include "picture/picture.h"
#include "base/memory.h"
#include "base/report.h"
#include "system/atomic.h"

#include <math.h>
#include <string.h>

/* --- pictures and contact sheets -------------------------------------------------------------- */

#define SHEET_MARGIN 8  /* pixels between cells */
#define SHEET_GREY 0xf2 /* background of the pictures */

static size_t pixels_size(int width, int height)
{
    return 3 * (size_t)width * (size_t)height;
}

rp_code rp_picture_create(int width, int height, rp_picture **out, rp_report *report)
{
    RP_NEED(out, report);
    *out = NULL;
    if (width < 1 || height < 1 || width > RP_PICTURE_EDGE_MAX || height > RP_PICTURE_EDGE_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "a picture of %d x %d pixels: 1 to %d are allowed",
                       width, height, RP_PICTURE_EDGE_MAX);
    rp_picture *picture = rp_allocate_zero(sizeof *picture);
    if (!picture) return rp_fail_memory(report, sizeof *picture, "a picture");
    *picture = (rp_picture){.width = width, .height = height};
    picture->pixels = rp_allocate_zero(pixels_size(width, height));
    if (!picture->pixels) {
        rp_picture_destroy(picture);
        return rp_fail_memory(report, pixels_size(width, height), "a picture");
    }
    *out = picture;
    return RP_OK;
}

void rp_picture_destroy(rp_picture *picture)
{
    if (!picture) return;
    rp_release(picture->pixels, pixels_size(picture->width, picture->height));
    rp_release(picture, sizeof *picture);
}

double rp_picture_srgb_encode(double linear)
{
    if (linear <= 0.0031308) return 12.92 * fmax(linear, 0);
    return 1.055 * pow(fmin(linear, 1), 1 / 2.4) - 0.055;
}

double rp_picture_srgb_decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

void rp_picture_blend(rp_picture *picture, int x, int y, const double colour[3], double alpha)
{
    if (!(alpha > 0)) return; /* encoding again might change the pixel */
    uint8_t *pixel = rp_picture_at(picture, x, y);
    for (int c = 0; c < 3; c++) {
        double under = rp_picture_srgb_decode(pixel[c] / 255.0);
        pixel[c] =
            (uint8_t)lround(255 * rp_picture_srgb_encode(under + alpha * (colour[c] - under)));
    }
}

void rp_picture_paste(rp_picture *to, const rp_picture *from, int left, int top)
{
    /* In 64 bits: no place overflows. */
    int64_t x0 = left < 0 ? -(int64_t)left : 0, y0 = top < 0 ? -(int64_t)top : 0;
    int64_t x1 = (int64_t)to->width - left, y1 = (int64_t)to->height - top;
    if (x1 > from->width) x1 = from->width;
    if (y1 > from->height) y1 = from->height;
    if (x0 >= x1) return;
    for (int64_t y = y0; y < y1; y++)
        memmove(rp_picture_at(to, (int)(left + x0), (int)(top + y)),
                rp_picture_at(from, (int)x0, (int)y), 3 * (size_t)(x1 - x0));
}

/* A picture and its place on the sheet. */
typedef struct paste {
    const rp_picture *from;
    rp_picture *to;
    int left, top, width, height;
    const double *light; /* linear light of the 256 sRGB values */
} paste;

/* Box filter in linear light: the mean of the pixels that one pixel of the sheet covers. */
static void paste_pixel(const paste *p, int x, int y)
{
    const rp_picture *from = p->from;
    int x0 = (int)((int64_t)x * from->width / p->width);
    int y0 = (int)((int64_t)y * from->height / p->height);
    int x1 = (int)(((int64_t)x + 1) * from->width / p->width);
    int y1 = (int)(((int64_t)y + 1) * from->height / p->height);
    if (x1 <= x0) x1 = x0 + 1;
    if (y1 <= y0) y1 = y0 + 1;

    double sum[3] = {0};
    for (int j = y0; j < y1; j++)
        for (int i = x0; i < x1; i++)
            for (int c = 0; c < 3; c++)
                sum[c] += p->light[rp_picture_at(from, i, j)[c]];
    uint8_t *pixel = rp_picture_at(p->to, p->left + x, p->top + y);
    for (int c = 0; c < 3; c++)
        pixel[c] =
            (uint8_t)lround(255 * rp_picture_srgb_encode(sum[c] / ((double)(x1 - x0) * (y1 - y0))));
}

/* Fits a picture into a cell, centred, without changing its proportions. */
static void paste_fitted(rp_picture *sheet, const rp_picture *from, int left, int top, int width,
                         int height, const double *light)
{
    double scale = fmin((double)width / from->width, (double)height / from->height);
    paste p = {.from = from, .to = sheet, .light = light};
    p.width = (int)fmax(1, fmin(width, lround(scale * from->width)));
    p.height = (int)fmax(1, fmin(height, lround(scale * from->height)));
    p.left = left + (width - p.width) / 2;
    p.top = top + (height - p.height) / 2;
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++)
            paste_pixel(&p, x, y);
}

rp_code rp_picture_sheet(const rp_picture *const *pictures, int count, int columns, int cell_width,
                         rp_picture **out, rp_report *report)
{
    *out = NULL;
    if (count < 1 || columns < 1 || cell_width < 1 || cell_width > RP_PICTURE_EDGE_MAX ||
        columns > RP_PICTURE_EDGE_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "a sheet of %d pictures in %d columns of %d pixels: each must be 1 or more, "
                       "and the sheet at most %d pixels wide",
                       count, columns, cell_width, RP_PICTURE_EDGE_MAX);
    if (columns > count) columns = count;
    int64_t rows = (count + columns - 1) / columns;
    int64_t cell_height = (int64_t)cell_width * pictures[0]->height / pictures[0]->width;
    if (cell_height < 1) cell_height = 1;
    int64_t width = columns * (int64_t)(cell_width + SHEET_MARGIN) + SHEET_MARGIN;
    int64_t height = rows * (cell_height + SHEET_MARGIN) + SHEET_MARGIN;
    if (width > RP_PICTURE_EDGE_MAX || height > RP_PICTURE_EDGE_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "a sheet of %lld x %lld pixels: at most %d are allowed; take narrower cells "
                       "or fewer pictures",
                       (long long)width, (long long)height, RP_PICTURE_EDGE_MAX);
    RP_TRY(rp_picture_create((int)width, (int)height, out, report));

    RP_ASSERT(*out);
    memset((*out)->pixels, SHEET_GREY, pixels_size((int)width, (int)height));
    double light[256];
    for (int i = 0; i < 256; i++)
        light[i] = rp_picture_srgb_decode(i / 255.0);
    for (int i = 0; i < count; i++) {
        int left = SHEET_MARGIN + i % columns * (cell_width + SHEET_MARGIN);
        int top = SHEET_MARGIN + i / columns * ((int)cell_height + SHEET_MARGIN);
        paste_fitted(*out, pictures[i], left, top, cell_width, (int)cell_height, light);
    }
    return RP_OK;
}

/* --- PNG files -------------------------------------------------------------------------------- */

/* By libpng; all calls to it are here. Its simplified interface returns errors as values, so no
 * longjmp passes through our frames. */

static uint32_t read_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* CRC-32 of PNG files, four bits at a time. */
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

/* A PNG file is a signature and chunks; a chunk is its length, a type of four letters, that many
 * bytes, and a CRC of type and bytes. The first is IHDR with the size, the last IEND. */
bool rp_picture_png_is_whole(const void *bytes, size_t size, int width, int height)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const unsigned char *next = bytes;
    size_t remaining = size;
    if (remaining < 8 || memcmp(next, signature, 8) != 0) return false;
    next += 8;
    remaining -= 8;
    for (bool first = true; remaining >= 12; first = false) {
        size_t length = read_u32(next);
        if (length > remaining - 12) return false;
        if (crc32_of(next + 4, length + 4) != read_u32(next + 8 + length)) return false;
        bool head = memcmp(next + 4, "IHDR", 4) == 0 && length == 13;
        if (first != head) return false;
        if (head &&
            (read_u32(next + 8) != (uint32_t)width || read_u32(next + 12) != (uint32_t)height))
            return false;
        if (memcmp(next + 4, "IEND", 4) == 0) return remaining == 12 && length == 0;
        next += 12 + length;
        remaining -= 12 + length;
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

/* Writes and closes the stream. `error` is libpng's message where no system call failed. */
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
