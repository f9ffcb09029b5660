#include "picture/picture.h"
#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <string.h>

#define SHEET_MARGIN 8   /* pixels between cells */
#define SHEET_SHADE 0xf2 /* the paper behind the pictures */

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

void rp_picture_blend(rp_picture *picture, int x, int y, const double colour[3], double part)
{
    if (!(part > 0)) return; /* encoding again might change the pixel */
    uint8_t *pixel = rp_picture_at(picture, x, y);
    for (int c = 0; c < 3; c++) {
        double under = rp_picture_srgb_decode(pixel[c] / 255.0);
        pixel[c] =
            (uint8_t)lround(255 * rp_picture_srgb_encode(under + part * (colour[c] - under)));
    }
}

void rp_picture_paste(rp_picture *to, const rp_picture *from, int left, int top)
{
    /* In 64 bits, as the place may be any. */
    int64_t x0 = left < 0 ? -(int64_t)left : 0, y0 = top < 0 ? -(int64_t)top : 0;
    int64_t x1 = (int64_t)to->width - left, y1 = (int64_t)to->height - top;
    if (x1 > from->width) x1 = from->width;
    if (y1 > from->height) y1 = from->height;
    if (x0 >= x1) return;
    for (int64_t y = y0; y < y1; y++)
        memmove(rp_picture_at(to, (int)(left + x0), (int)(top + y)),
                rp_picture_at(from, (int)x0, (int)y), 3 * (size_t)(x1 - x0));
}

/* Where a picture goes on the sheet, and how the light of eight bits is added up. */
typedef struct paste {
    const rp_picture *from;
    rp_picture *to;
    int left, top, width, height;
    const double *light; /* of the 256 values */
} paste;

/* The mean light of the pixels below one pixel of the sheet. */
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
    memset((*out)->pixels, SHEET_SHADE, pixels_size((int)width, (int)height));
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
