/* Words in a picture, in a small font of our own: strokes of a round pen, drawn at any height. It
 * knows the letters a to z in both cases, digits, blank, the degree sign and
 * . , : ; ! ? - + * / ( ) [ ] % ^ = ' " _ < > and draws a small box for all else. */
#ifndef RP_PICTURE_TEXT_H
#define RP_PICTURE_TEXT_H

#include "picture/picture.h"

/* How far letters such as g reach below the line, in heights of a capital. */
#define RP_TEXT_DEPTH 0.3

/* Draws UTF-8 with the upper left corner of the first capital at (x, y), in pixels, moved to whole
 * ones so that stems are sharp. `height` is that of capitals; `colour` is linear, 0 to 1. What
 * lies outside the picture is left out, and so is text higher than RP_PICTURE_EDGE_MAX. */
void rp_text_draw(rp_picture *picture, double x, double y, double height, const char *text,
                  const double colour[3]);

/* Pixels from the left of the first letter to the right of the last. */
double rp_text_width(double height, const char *text);

#endif
