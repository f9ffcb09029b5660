/* Text: a stroke font (Hershey fonts are of this kind), drawn with a round pen by the distance to
 * its strokes. */
#include "picture/inside.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* --- glyphs ----------------------------------------------------------------------------------- */

#define DEGREE_SIGN 0xb0

/* The grid line that capitals reach. Letters like x reach 9, those like g go down to -4. */
#define GLYPH_CAPITAL 12

/* The strokes of a letter, separated by '|', each a list of points "x,y" in a grid whose x starts
 * at 0. The pen goes straight from point to point. A point in brackets, "(x,y)", is the control
 * point of a quadratic Bezier curve; half way between two of these lies a point of the curve. A
 * stroke that begins with brackets is closed.
 *
 *     12 +---------+      "0,0 0,12 4,12 (7,12) (7,5) 4,5 0,5" is a P: up, to the right, around
 *        |          )     the bend and back to the stem.
 *      5 +---------+
 *        |
 *      0 +
 *
 * Digits are all six wide, so that numbers do not change their width from frame to frame. Similar
 * glyphs are easy to distinguish: I has bars, l a foot, 1 both, and O is wider than 0. */
static const char *const ascii[128] = {
    [' '] = "",
    ['!'] = "0,12 0,4 | 0,0 0,0",
    ['"'] = "0,12 0,9 | 3,12 3,9",
    ['%'] = "(0,12) (4,12) (4,7) (0,7) | (6,5) (10,5) (10,0) (6,0) | 8,12 2,0",
    ['\''] = "0,12 0,9",
    ['('] = "3,13 (0,10) (0,0) 3,-3",
    [')'] = "0,13 (3,10) (3,0) 0,-3",
    ['*'] = "3,12 3,6 | 0,11 6,7 | 6,11 0,7",
    ['+'] = "0,5 6,5 | 3,8 3,2",
    [','] = "1,0 0,-3",
    ['-'] = "0,5 5,5",
    ['.'] = "0,0 0,0",
    ['/'] = "0,-2 5,13",
    ['0'] = "(0,12) (6,12) (6,0) (0,0)",
    ['1'] = "0,9 3,12 3,0 | 0,0 6,0",
    ['2'] = "0,9 (0,12) (6,12) (6,6) 0,0 6,0",
    ['3'] = "0,10 (1,12) 3,12 (6,12) (6,6) 3,6 2,6 | 3,6 (6,6) (6,0) 3,0 (1,0) 0,2",
    ['4'] = "4,0 4,12 0,4 6,4",
    ['5'] = "6,12 0,12 0,7 3,7 (6,7) (6,0) 3,0 (1,0) 0,2",
    ['6'] = "5,12 (0,10) 0,4 | (0,7) (6,7) (6,0) (0,0)",
    ['7'] = "0,12 6,12 2,0",
    ['8'] = "(0,12) (6,12) (6,6) (0,6) | (0,6) (6,6) (6,0) (0,0)",
    ['9'] = "1,0 (6,2) 6,8 | (0,12) (6,12) (6,5) (0,5)",
    [':'] = "0,1 0,1 | 0,7 0,7",
    [';'] = "1,0 0,-3 | 1,7 1,7",
    ['<'] = "6,9 0,5 6,1",
    ['='] = "0,7 6,7 | 0,3 6,3",
    ['>'] = "0,9 6,5 0,1",
    ['?'] = "0,10 (1,12) 3,12 (6,12) (6,7) 3,7 3,4 | 3,0 3,0",
    ['A'] = "0,0 4,12 8,0 | 2,4 6,4",
    ['B'] = "0,0 0,12 3,12 (6,12) (6,6) 3,6 0,6 | 3,6 4,6 (7,6) (7,0) 4,0 0,0",
    ['C'] = "7,10 (6,12) 4,12 (0,12) (0,0) 4,0 (6,0) 7,2",
    ['D'] = "0,0 0,12 3,12 (8,12) (8,0) 3,0 0,0",
    ['E'] = "6,12 0,12 0,0 6,0 | 0,6 5,6",
    ['F'] = "6,12 0,12 0,0 | 0,6 5,6",
    ['G'] = "7,10 (6,12) 4,12 (0,12) (0,0) 4,0 (7,0) 7,3 7,6 4,6",
    ['H'] = "0,12 0,0 | 7,12 7,0 | 0,6 7,6",
    ['I'] = "0,12 4,12 | 2,12 2,0 | 0,0 4,0",
    ['J'] = "5,12 5,3 (5,0) 3,0 (1,0) 0,2",
    ['K'] = "0,12 0,0 | 7,12 0,5 | 2,7 7,0",
    ['L'] = "0,12 0,0 6,0",
    ['M'] = "0,0 0,12 4,4 8,12 8,0",
    ['N'] = "0,0 0,12 7,0 7,12",
    ['O'] = "(0,12) (8,12) (8,0) (0,0)",
    ['P'] = "0,0 0,12 4,12 (7,12) (7,5) 4,5 0,5",
    ['Q'] = "(0,12) (8,12) (8,0) (0,0) | 5,3 8,-1",
    ['R'] = "0,0 0,12 4,12 (7,12) (7,6) 4,6 0,6 | 4,6 7,0",
    ['S'] = "7,10 (6,12) 4,12 (0,12) (0,6) (7,6) (7,0) 3,0 (1,0) 0,2",
    ['T'] = "0,12 8,12 | 4,12 4,0",
    ['U'] = "0,12 0,4 (0,0) (7,0) 7,4 7,12",
    ['V'] = "0,12 4,0 8,12",
    ['W'] = "0,12 3,0 6,10 9,0 12,12",
    ['X'] = "0,12 7,0 | 7,12 0,0",
    ['Y'] = "0,12 4,6 8,12 | 4,6 4,0",
    ['Z'] = "0,12 7,12 0,0 7,0",
    ['['] = "3,13 0,13 0,-3 3,-3",
    [']'] = "0,13 3,13 3,-3 0,-3",
    ['^'] = "0,8 3,12 6,8",
    ['_'] = "0,-2 7,-2",
    ['a'] = "0,8 (1,9) 3,9 (6,9) 6,6 6,0 | 6,5 3,5 (0,5) (0,0) 2,0 (6,0) 6,3",
    ['b'] = "0,12 0,0 | 0,5 (0,9) (6,9) (6,0) (0,0) 0,4",
    ['c'] = "6,7 (5,9) 3,9 (0,9) (0,0) 3,0 (5,0) 6,2",
    ['d'] = "6,12 6,0 | 6,5 (6,9) (0,9) (0,0) (6,0) 6,4",
    ['e'] = "0,5 6,5 (6,9) (0,9) (0,0) 3,0 (5,0) 6,2",
    ['f'] = "5,12 (2,12) 2,9 2,0 | 0,9 4,9",
    ['g'] = "6,9 6,-1 (6,-4) 3,-4 1,-4 | 6,5 (6,9) (0,9) (0,0) (6,0) 6,4",
    ['h'] = "0,12 0,0 | 0,5 (0,9) (6,9) 6,5 6,0",
    ['i'] = "0,9 0,0 | 0,12 0,12",
    ['j'] = "2,9 2,-1 (2,-4) 0,-4 | 2,12 2,12",
    ['k'] = "0,12 0,0 | 6,9 0,4 | 2,6 6,0",
    ['l'] = "0,12 0,2 (0,0) 2,0",
    ['m'] = "0,9 0,0 | 0,5 (0,9) (5,9) 5,5 5,0 | 5,5 (5,9) (10,9) 10,5 10,0",
    ['n'] = "0,9 0,0 | 0,5 (0,9) (6,9) 6,5 6,0",
    ['o'] = "(0,9) (6,9) (6,0) (0,0)",
    ['p'] = "0,9 0,-4 | 0,5 (0,9) (6,9) (6,0) (0,0) 0,4",
    ['q'] = "6,9 6,-4 | 6,5 (6,9) (0,9) (0,0) (6,0) 6,4",
    ['r'] = "0,9 0,0 | 0,5 (0,9) 4,9",
    ['s'] = "5,8 (4,9) 3,9 (0,9) (0,5) (5,5) (5,0) 2,0 (1,0) 0,1",
    ['t'] = "2,12 2,3 (2,0) 5,0 | 0,9 5,9",
    ['u'] = "0,9 0,4 (0,0) (6,0) 6,4 | 6,9 6,0",
    ['v'] = "0,9 3,0 6,9",
    ['w'] = "0,9 2,0 5,8 8,0 10,9",
    ['x'] = "0,9 6,0 | 6,9 0,0",
    ['y'] = "0,9 3,0 | 6,9 3,0 2,-3 (2,-4) 0,-4",
    ['z'] = "0,9 6,9 0,0 6,0",
};

static const char degree[] = "(0,12) (4,12) (4,8) (0,8)";
static const char unknown[] = "0,0 0,9 5,9 5,0 0,0";

static const char *glyph_strokes(uint32_t character)
{
    const char *strokes = NULL;
    if (character < 128) strokes = ascii[character];
    if (character == DEGREE_SIGN) strokes = degree;
    return strokes ? strokes : unknown;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Widths in steps of the grid of glyphs. */
#define PEN 1.5
#define GAP 3.1   /* between the ink of two letters */
#define BLANK 2.5 /* ink that a blank would have */

#define POINTS_MAX 32
#define BEND_STEPS 8
#define SEGMENTS_MAX 160

typedef struct point {
    double x, y;
} point;

/* The grid in pixels, for one height of text. */
typedef struct face {
    double step; /* pixels of one step of the grid */
    double pen;  /* pixels, at least one */
    double gap;  /* whole pixels */
} face;

/* A letter as line segments, in pixels from the left end of its base line; y down. */
typedef struct outline {
    point from[SEGMENTS_MAX], to[SEGMENTS_MAX];
    int count;
} outline;

static face face_of(double height)
{
    face f;
    f.step = height / (GLYPH_CAPITAL + PEN);
    f.pen = fmax(1, PEN * f.step);
    f.gap = fmax(1, round((GAP - PEN) * f.step));
    return f;
}

/* False for NaN. */
static bool is_drawable(double height)
{
    return height > 0 && height <= RP_PICTURE_EDGE_MAX;
}

/* The next character of UTF-8; invalid bytes give a character without a glyph. */
static uint32_t next_character(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    int more = at[0] < 0x80 ? 0 : at[0] < 0xc0 ? -1 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
    uint32_t character = more <= 0 ? at[0] : at[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        character = character << 6 | (at[i] & 0x3f);
        if ((at[i] & 0xc0) != 0x80) more = -1; /* also at the end of the text */
    }
    *text += more > 0 ? more + 1 : 1;
    return more < 0 ? UINT32_MAX : character;
}

/* Reads an integer of the table of glyphs. */
static int read_number(const char **at)
{
    int sign = **at == '-' ? -1 : 1, value = 0;
    if (sign < 0) (*at)++;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = 10 * value + (**at - '0');
    return sign * value;
}

/* Reads the points of one stroke, in steps of the grid; `at` moves behind its '|'. */
static int read_stroke(const char **at, point *points, bool *bends)
{
    int count = 0;
    while (**at && **at != '|' && count < POINTS_MAX) {
        bends[count] = **at == '(';
        if (bends[count]) (*at)++;
        points[count].x = read_number(at);
        (*at)++; /* the comma */
        points[count].y = read_number(at);
        if (bends[count++]) (*at)++;
        while (**at == ' ')
            (*at)++;
    }
    while (**at == '|' || **at == ' ')
        (*at)++;
    return count;
}

/* The rightmost grid line of a letter. */
static int glyph_width(const char *strokes)
{
    double width = 0;
    while (*strokes) {
        point points[POINTS_MAX];
        bool bends[POINTS_MAX];
        int count = read_stroke(&strokes, points, bends);
        for (int i = 0; i < count; i++)
            width = fmax(width, points[i].x);
    }
    return (int)width;
}

/* Pixels from the middle of the leftmost stem to that of the rightmost: a whole number, so that
 * both are sharp. */
static double stems_apart(const face *f, const char *strokes)
{
    return *strokes ? round(glyph_width(strokes) * f->step) : round(BLANK * f->step);
}

static point middle(point a, point b)
{
    return (point){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

static void add_line(outline *o, point from, point to)
{
    if (o->count == SEGMENTS_MAX) return;
    o->from[o->count] = from;
    o->to[o->count++] = to;
}

/* A quadratic Bezier curve as line segments. */
static void add_bend(outline *o, point from, point corner, point to)
{
    point last = from;
    for (int i = 1; i <= BEND_STEPS; i++) {
        double t = (double)i / BEND_STEPS, s = 1 - t;
        point next = {s * s * from.x + 2 * s * t * corner.x + t * t * to.x,
                      s * s * from.y + 2 * s * t * corner.y + t * t * to.y};
        add_line(o, last, next);
        last = next;
    }
}

/* Every control point bends the line towards itself: to the next point, or half way to the next
 * control point. */
static void add_stroke(outline *o, const point *points, const bool *bends, int count)
{
    bool closed = bends[0];
    point last = closed ? middle(points[count - 1], points[0]) : points[0];
    for (int i = closed ? 0 : 1; i < count; i++) {
        int next = (i + 1) % count;
        if (!bends[i]) {
            add_line(o, last, points[i]);
            last = points[i];
        } else if (bends[next]) {
            point end = middle(points[i], points[next]);
            add_bend(o, last, points[i], end);
            last = end;
        } else {
            add_bend(o, last, points[i], points[next]);
            last = points[next];
            i++;
        }
    }
}

/* Heights are rounded to whole pixels point by point, so that bars are sharp; widths only as a
 * whole, as letters like A and M would lose their symmetry. */
static void outline_make(outline *o, const face *f, const char *strokes)
{
    int width = glyph_width(strokes);
    double stretch = width > 0 ? stems_apart(f, strokes) / width : 0;
    o->count = 0;
    while (*strokes) {
        point points[POINTS_MAX];
        bool bends[POINTS_MAX];
        int count = read_stroke(&strokes, points, bends);
        for (int i = 0; i < count; i++) {
            points[i].x = f->pen / 2 + points[i].x * stretch;
            points[i].y = -f->pen / 2 - round(points[i].y * f->step);
        }
        if (count > 0) add_stroke(o, points, bends, count);
    }
}

/* Squared distance of a point from a line segment. */
static double square_distance(point p, point from, point to)
{
    double dx = to.x - from.x, dy = to.y - from.y;
    double length2 = dx * dx + dy * dy;
    double along = (p.x - from.x) * dx + (p.y - from.y) * dy;
    double t = length2 > 0 ? fmin(1, fmax(0, along / length2)) : 0;
    double x = p.x - from.x - t * dx, y = p.y - from.y - t * dy;
    return x * x + y * y;
}

/* Coverage of a pixel by the pen, from the distance of its centre to the nearest segment. */
static double coverage(const outline *o, point pixel, double pen)
{
    double nearest = INFINITY;
    for (int i = 0; i < o->count; i++)
        nearest = fmin(nearest, square_distance(pixel, o->from[i], o->to[i]));
    return fmin(1, fmax(0, pen / 2 + 0.5 - sqrt(nearest)));
}

/* Clamps any number that is not NaN to the picture. */
static int clip(double at, int limit)
{
    return (int)fmin(limit, fmax(0, at));
}

/* Blends the pixels of the outline's bounding box. */
static void draw_outline(rp_picture *picture, const outline *o, const face *f, point origin,
                         const double colour[3])
{
    point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int i = 0; i < o->count; i++) {
        low.x = fmin(low.x, fmin(o->from[i].x, o->to[i].x));
        low.y = fmin(low.y, fmin(o->from[i].y, o->to[i].y));
        high.x = fmax(high.x, fmax(o->from[i].x, o->to[i].x));
        high.y = fmax(high.y, fmax(o->from[i].y, o->to[i].y));
    }
    int left = clip(origin.x + low.x - f->pen, picture->width);
    int right = clip(ceil(origin.x + high.x + f->pen), picture->width);
    int top = clip(origin.y + low.y - f->pen, picture->height);
    int bottom = clip(ceil(origin.y + high.y + f->pen), picture->height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            point pixel = {x + 0.5 - origin.x, y + 0.5 - origin.y};
            rp_picture_blend(picture, x, y, colour, coverage(o, pixel, f->pen));
        }
}

void rp_text_draw(rp_picture *picture, double x, double y, double height, const char *text,
                  const double colour[3])
{
    if (!is_drawable(height) || !isfinite(x) || !isfinite(y)) return;
    face f = face_of(height);
    point origin = {round(x), round(y + height)};
    while (*text && origin.x < picture->width) {
        const char *strokes = glyph_strokes(next_character(&text));
        double advance = stems_apart(&f, strokes) + f.pen + f.gap;
        if (origin.x + advance > 0) {
            outline o;
            outline_make(&o, &f, strokes);
            draw_outline(picture, &o, &f, origin, colour);
        }
        origin.x = round(origin.x + advance);
    }
}

double rp_text_width(double height, const char *text)
{
    if (!is_drawable(height) || !*text) return 0;
    face f = face_of(height);
    double at = 0, end = 0;
    while (*text) {
        end = at + stems_apart(&f, glyph_strokes(next_character(&text))) + f.pen;
        at = round(end + f.gap);
    }
    return end;
}
