/* Pictures as the rooms make them: pixels, PNG files, colour maps, text and legends. The public
 * half is repose/picture.h. */
#ifndef RP_PICTURE_PICTURE_H
#define RP_PICTURE_PICTURE_H

#include "repose/picture.h"

#include <stdbool.h>
#include <stdint.h>

/* --- picture.c: pixels and files -------------------------------------------------------------- */

static inline uint8_t *rp_picture_at(const rp_picture *picture, int x, int y)
{
    return picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
}

/* The sRGB transfer function of linear light, 0 to 1, and its inverse. */
double rp_picture_srgb_encode(double linear);
double rp_picture_srgb_decode(double encoded);

/* Blends a linear colour over a pixel, with the opacity `alpha` from 0 to 1. */
void rp_picture_blend(rp_picture *picture, int x, int y, const double colour[3], double alpha);

/* Copies a picture into another with its upper left corner at (left, top), clipped to it. */
void rp_picture_paste(rp_picture *to, const rp_picture *from, int left, int top);

/* A contact sheet: `count` pictures in rows of `columns`, each fitted into a cell of `cell_width`
 * pixels (its height follows the first picture), with a narrow margin around. */
rp_code rp_picture_sheet(const rp_picture *const *pictures, int count, int columns, int cell_width,
                         rp_picture **out, rp_report *report);

/* True for the bytes of a complete PNG file of that many pixels: every chunk is there, with the
 * right checksum. */
bool rp_picture_png_is_whole(const void *bytes, size_t size, int width, int height);

/* --- colour_map.c: colours that stand for numbers --------------------------------------------- */

/* Equal steps of a number are equal steps to the eye, and greater numbers are lighter, so that the
 * map reads in grey print and by colour-blind people as well. Any thread may call these, as often
 * as it likes. */

/* Linear sRGB, 0 to 1: from dark blue-violet at t = 0 over teal and green to bright yellow at 1.
 * Other t are clamped; NaN gets a grey. */
void rp_colour_map_at(double t, double linear[3]);

/* A bright colour to distinguish things by their number; all are equally light. */
void rp_colour_map_of_id(uint32_t id, double linear[3]);

/* Linear sRGB to OKLab's lightness, green-red and blue-yellow, and back. */
void rp_colour_map_oklab_from_linear(const double linear[3], double lab[3]);
void rp_colour_map_oklab_to_linear(const double lab[3], double linear[3]);

/* --- text.c: text ----------------------------------------------------------------------------- */

/* Text in a small stroke font of our own, drawn at any height. It has the letters a to z in both
 * cases, digits, blank, the degree sign and . , : ; ! ? - + * / ( ) [ ] % ^ = ' " _ < > and draws a
 * small box for all others. */

/* How far letters such as g reach below the line, in heights of a capital. */
#define RP_TEXT_DEPTH 0.3

/* Draws UTF-8 with the upper left corner of the first capital at (x, y), in pixels, rounded to
 * whole ones so that stems are sharp. `height` is that of capitals; `colour` is linear, 0 to 1.
 * Text is clipped to the picture; none is drawn that is higher than RP_PICTURE_EDGE_MAX. */
void rp_text_draw(rp_picture *picture, double x, double y, double height, const char *text,
                  const double colour[3]);

/* Pixels from the left of the first letter to the right of the last. */
double rp_text_width(double height, const char *text);

/* --- legend.c: legends ------------------------------------------------------------------------ */

typedef struct rp_legend {
    const char *title; /* such as "speed" */
    const char *unit;  /* such as "m/s"; NULL or "" for a pure number */
    double low, high;  /* values at the ends of rp_colour_map_at */
} rp_legend;

/* Pixels, from the upper left corner. */
typedef struct rp_area {
    int left, top, width, height;
} rp_area;

/* Draws a bar of the colour map with round numbers at its side on a dark panel, into the lower
 * right corner. The size follows the picture's height. Nothing is drawn into pictures smaller than
 * 120 x 90. Without a range (low above high, NaN, infinite) the bar has no numbers. */
void rp_legend_draw(rp_picture *picture, const rp_legend *legend);

/* Where the legend and its bar go; false when the picture is too small for them. */
bool rp_legend_place(const rp_picture *picture, const rp_legend *legend, rp_area *panel,
                     rp_area *bar);

/* Writes a short text on a dark panel into the lower left corner. It ends in "..." where it would
 * not fit into two thirds of the width, so that a legend has its place. Small pictures as above. */
void rp_legend_draw_caption(rp_picture *picture, const char *text);
/* The same in the upper left corner, such as for the time. */
void rp_legend_draw_heading(rp_picture *picture, const char *text);

#endif
