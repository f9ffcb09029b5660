/* What the colours of a picture stand for, and what it shows, written into it. */
#ifndef RP_PICTURE_LEGEND_H
#define RP_PICTURE_LEGEND_H

#include "picture/picture.h"

typedef struct rp_legend {
    const char *title; /* such as "speed" */
    const char *unit;  /* such as "m/s"; NULL or "" for a pure number */
    double low, high;  /* of the ends of rp_map_colour */
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
