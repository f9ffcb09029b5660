/* The shapes of letters; for this room only. */
#ifndef RP_PICTURE_GLYPHS_H
#define RP_PICTURE_GLYPHS_H

#include <stdint.h>

/* The grid line that capitals reach. Letters like x reach 9, those like g go down to -4. */
#define RP_GLYPH_CAPITAL 12

/* The strokes of a letter, split by '|', each a row of points "x,y" in a grid whose x starts at 0.
 * The pen goes straight from point to point. A point in brackets, "(x,y)", is one it bends towards:
 * the corner of a quadratic curve; half way between two of these lies a point of the curve. A
 * stroke that begins with brackets is closed.
 *
 *     12 +---------+      "0,0 0,12 4,12 (7,12) (7,5) 4,5 0,5" is a P: up, to the right, around
 *        |          )     the bend and back to the stem.
 *      5 +---------+
 *        |
 *      0 +
 */
const char *rp_glyph_strokes(uint32_t character);

#endif
