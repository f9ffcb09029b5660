/* Pictures as the rooms make them. The public half is repose/picture.h. */
#ifndef RP_PICTURE_PICTURE_H
#define RP_PICTURE_PICTURE_H

#include "repose/picture.h"

#include <stdbool.h>

static inline uint8_t *rp_picture_at(const rp_picture *picture, int x, int y)
{
    return picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
}

/* Light 0 to 1 as a screen wants it, and back. */
double rp_picture_srgb_encode(double linear);
double rp_picture_srgb_decode(double encoded);

/* Lays linear light over a pixel, `part` of it from 0 to 1; the rest shines through. */
void rp_picture_blend(rp_picture *picture, int x, int y, const double colour[3], double part);

/* Copies a picture into another with its upper left corner at (left, top); what does not fit is
 * left out. */
void rp_picture_paste(rp_picture *to, const rp_picture *from, int left, int top);

/* A contact sheet: `count` pictures in rows of `columns`, each fitted into a cell of `cell_width`
 * pixels (its height follows the first picture), with a narrow margin around. */
rp_code rp_picture_sheet(const rp_picture *const *pictures, int count, int columns, int cell_width,
                         rp_picture **out, rp_report *report);

/* True for the bytes of a whole PNG file of that many pixels: every chunk is there, with the
 * checksum that belongs to it. */
bool rp_png_is_whole(const void *bytes, size_t size, int width, int height);

#endif
