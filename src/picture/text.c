#include "picture/text.h"
#include "picture/glyphs.h"

#include <math.h>

/* Widths in steps of the grid of glyphs.h. */
#define PEN 1.5
#define GAP 3.1   /* between the ink of two letters */
#define BLANK 2.5 /* ink that a blank would have */

#define POINTS_MAX 32
#define BEND_STEPS 8
#define SEGMENTS_MAX 160

typedef struct point {
    double x, y;
} point;

/* How the grid lies on the pixels, for one height of text. */
typedef struct face {
    double step; /* pixels of one step of the grid */
    double pen;  /* pixels, at least one */
    double gap;  /* whole pixels */
} face;

/* A letter as straight pieces, in pixels from the left end of the line it stands on; y down. */
typedef struct outline {
    point from[SEGMENTS_MAX], to[SEGMENTS_MAX];
    int count;
} outline;

static face face_of(double height)
{
    face f;
    f.step = height / (RP_GLYPH_CAPITAL + PEN);
    f.pen = fmax(1, PEN * f.step);
    f.gap = fmax(1, round((GAP - PEN) * f.step));
    return f;
}

/* Any height that can be drawn; NaN cannot. */
static bool is_drawable(double height)
{
    return height > 0 && height <= RP_PICTURE_EDGE_MAX;
}

/* The next character of UTF-8; bytes that are none give a character without a glyph. */
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

/* A number of the table of glyphs: small, whole, nothing else. */
static int read_number(const char **at)
{
    int sign = **at == '-' ? -1 : 1, value = 0;
    if (sign < 0) (*at)++;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = 10 * value + (**at - '0');
    return sign * value;
}

/* The points of one stroke, in steps of the grid; `at` moves behind its '|'. */
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

/* Heights go to whole pixels one by one, so that bars are sharp; widths only as a whole, as letters
 * like A and M would lose their symmetry. */
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

static double square_distance(point p, point from, point to)
{
    double dx = to.x - from.x, dy = to.y - from.y;
    double length2 = dx * dx + dy * dy;
    double along = (p.x - from.x) * dx + (p.y - from.y) * dy;
    double t = length2 > 0 ? fmin(1, fmax(0, along / length2)) : 0;
    double x = p.x - from.x - t * dx, y = p.y - from.y - t * dy;
    return x * x + y * y;
}

/* The part of a pixel that is under the pen, nearly. */
static double coverage(const outline *o, point pixel, double pen)
{
    double nearest = INFINITY;
    for (int i = 0; i < o->count; i++)
        nearest = fmin(nearest, square_distance(pixel, o->from[i], o->to[i]));
    return fmin(1, fmax(0, pen / 2 + 0.5 - sqrt(nearest)));
}

/* Within the picture, from any number that is not NaN. */
static int clip(double at, int limit)
{
    return (int)fmin(limit, fmax(0, at));
}

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
        const char *strokes = rp_glyph_strokes(next_character(&text));
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
        end = at + stems_apart(&f, rp_glyph_strokes(next_character(&text))) + f.pen;
        at = round(end + f.gap);
    }
    return end;
}
