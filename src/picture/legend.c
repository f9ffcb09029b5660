/* Legends: round numbers along a scale, the bar of the colour map with these, captions. */
#include "base/report.h"
#include "picture/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- ticks ------------------------------------------------------------------------------------ */

#define LARGEST 1e290   /* below it, powers of ten are finite */
#define SAME 1e-9       /* of the larger end: below this, two ends are one number */
#define SLACK 1e-9      /* of a step: 0.3 counts as a multiple of 0.1 */
#define SHORT 6         /* letters up to which a number is written without its power of ten */
#define DIGITS_OF_ONE 4 /* of a tick that stands alone */
#define DIGITS_MOST 15  /* of all that is written out */

/* An exact decimal number: `digits` times ten to the `power`. */
typedef struct decimal {
    int64_t digits;
    int power;
} decimal;

static double decimal_value(decimal d)
{
    /* Dividing gives the double nearest to 0.3; multiplying by 0.1 would not. */
    return d.power < 0 ? (double)d.digits / pow(10, -d.power) : (double)d.digits * pow(10, d.power);
}

static int64_t power_of_ten(int power)
{
    int64_t value = 1;
    for (int i = 0; i < power; i++)
        value *= 10;
    return value;
}

/* The power of ten of the first digit. */
static int decimal_magnitude(decimal d)
{
    int magnitude = d.power;
    for (int64_t rest = llabs(d.digits); rest >= 10; rest /= 10)
        magnitude++;
    return magnitude;
}

/* Writes the number in units of ten to the `unit`; the caller ensures that it fits. */
static void decimal_write(decimal d, int unit, char text[32])
{
    int places = unit - d.power; /* behind the point */
    uint64_t digits = (uint64_t)llabs(d.digits);
    if (places < 0) digits *= (uint64_t)power_of_ten(-places);
    uint64_t one = places > 0 ? (uint64_t)power_of_ten(places) : 1;
    int length =
        snprintf(text, 32, "%s%llu", d.digits < 0 ? "-" : "", (unsigned long long)(digits / one));
    if (digits % one != 0) {
        length += snprintf(text + length, 32 - (size_t)length, ".%0*llu", places,
                           (unsigned long long)(digits % one));
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    if (unit != 0 && digits != 0) snprintf(text + length, 32 - (size_t)length, "e%d", unit);
}

static size_t longest_text(const decimal *numbers, int count, int unit)
{
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
        char text[32];
        decimal_write(numbers[i], unit, text);
        if (strlen(text) > longest) longest = strlen(text);
    }
    return longest;
}

/* The power of ten that all ticks of a scale share: 0.5e6 next to 1e6, not 500000. 0 where plain
 * numbers are short enough. */
static int common_unit(const decimal *numbers, int count)
{
    int unit = decimal_magnitude(numbers[0]);
    for (int i = 1; i < count; i++)
        if (numbers[i].digits != 0 && decimal_magnitude(numbers[i]) > unit)
            unit = decimal_magnitude(numbers[i]);
    if (unit >= DIGITS_MOST || numbers[0].power <= -DIGITS_MOST) return unit;
    size_t plain = longest_text(numbers, count, 0);
    return plain <= SHORT || plain <= longest_text(numbers, count, unit) ? 0 : unit;
}

/* The smallest and largest multiple of a step within the scale. */
static void first_and_last(double low, double high, decimal step, double *first, double *last)
{
    *first = ceil(low / decimal_value(step) - SLACK);
    *last = floor(high / decimal_value(step) + SLACK);
}

/* Of the steps 1, 2 and 5 times a power of ten, the one whose number of ticks is nearest to
 * `wanted`. */
static decimal round_step(double low, double high, int wanted)
{
    static const int64_t rounds[3] = {5, 2, 1};
    int magnitude = (int)floor(log10(high - low));
    decimal best = {1, magnitude};
    double least = INFINITY;
    for (int power = magnitude; power >= magnitude - 1; power--)
        for (int i = 0; i < 3; i++) {
            decimal step = {rounds[i], power};
            double first, last;
            first_and_last(low, high, step, &first, &last);
            double off = fabs(last - first + 1 - wanted);
            if (off > least) continue; /* of two that are equally far off, the finer one */
            least = off;
            best = step;
        }
    return best;
}

/* A value to DIGITS_OF_ONE digits. */
static decimal rounded(double value)
{
    if (fabs(value) < 1 / LARGEST) return (decimal){0, 0};
    int power = (int)floor(log10(fabs(value))) - DIGITS_OF_ONE + 1;
    double digits = power < 0 ? value * pow(10, -power) : value / pow(10, power);
    return (decimal){llround(digits), power};
}

int rp_ticks(double low, double high, int wanted, rp_tick ticks[RP_TICKS_MAX])
{
    if (!(low <= high && fabs(low) < LARGEST && fabs(high) < LARGEST)) return 0;
    decimal numbers[RP_TICKS_MAX];
    int count = 0;
    double span = high - low, largest = fmax(fabs(low), fabs(high));
    bool one = span < 1 / LARGEST || span < SAME * largest;
    if (one) {
        numbers[count++] = rounded(low / 2 + high / 2);
    } else {
        decimal step = round_step(low, high, wanted);
        double first, last;
        first_and_last(low, high, step, &first, &last);
        for (double k = first; k <= last && count < RP_TICKS_MAX; k++)
            numbers[count++] = (decimal){(int64_t)k * step.digits, step.power};
    }
    RP_ASSERT(count <= RP_TICKS_MAX);
    int unit = common_unit(numbers, count);
    for (int i = 0; i < count; i++) {
        ticks[i].value = decimal_value(numbers[i]);
        ticks[i].place = one ? 0.5 : fmin(1, fmax(0, (ticks[i].value - low) / span));
        decimal_write(numbers[i], unit, ticks[i].text);
    }
    return count;
}

/* --- legends ---------------------------------------------------------------------------------- */

#define WIDTH_LEAST 120
#define HEIGHT_LEAST 90
#define TEXT_PART 0.022  /* of the picture's height */
#define TEXT_LEAST 9     /* pixels */
#define PANEL_ALPHA 0.85 /* white text must be legible on it before a white sky */
#define SHARP 0.5        /* pixels, the radius of a corner that is not round */
#define TEXT_SIZE 256    /* bytes of a text, with its end */

/* In heights of the text. */
#define MARGIN 1.0  /* from the picture's edge to the panel */
#define PADDING 0.9 /* from the panel's edge to what is on it */
#define CORNER 0.5  /* radius */
#define BAR_WIDTH 1.2
#define BAR_HEIGHT 12.0
#define MARK 0.4 /* length of the line at a number, and its distance from that */

static const double panel_colour[3] = {0.008, 0.009, 0.011};
static const double text_colour[3] = {0.92, 0.92, 0.92};
static const double faint_colour[3] = {0.5, 0.5, 0.5};

/* Sizes, places and texts of a legend. */
typedef struct layout {
    double text; /* pixels, the height of capitals */
    rp_area panel, bar;
    char heading[TEXT_SIZE];
    rp_tick ticks[RP_TICKS_MAX];
    int tick_count;
} layout;

static bool is_too_small(const rp_picture *picture)
{
    return picture->width < WIDTH_LEAST || picture->height < HEIGHT_LEAST;
}

static double text_height(const rp_picture *picture)
{
    return fmax(TEXT_LEAST, round(TEXT_PART * picture->height));
}

/* Copies a text, shortened to `width` pixels, with "..." where some is missing. */
static void fit(char cut[TEXT_SIZE], const char *text, double height, double width)
{
    size_t length = strnlen(text, TEXT_SIZE - 4);
    bool whole = text[length] == '\0';
    memcpy(cut, text, length + 1);
    if (whole && rp_text_width(height, cut) <= width) return;
    for (;; length--) {
        /* not between the bytes of one character, nor behind a blank */
        bool inside = ((unsigned char)text[length] & 0xc0) == 0x80;
        bool blank = length > 0 && text[length - 1] == ' ';
        if (!inside && !blank) {
            memcpy(cut + length, "...", 4);
            if (rp_text_width(height, cut) <= width) return;
        }
        if (length == 0) break;
    }
    cut[0] = '\0';
}

static double widest_tick(const layout *l)
{
    double widest = 0;
    for (int i = 0; i < l->tick_count; i++)
        widest = fmax(widest, rp_text_width(l->text, l->ticks[i].text));
    return widest;
}

/* "speed [m/s]", no wider than a third of the picture or the bar with its numbers. */
static void set_heading(layout *l, const rp_picture *picture, const rp_legend *legend, double width)
{
    char whole[TEXT_SIZE];
    const char *title = legend->title ? legend->title : "";
    if (legend->unit && *legend->unit)
        snprintf(whole, sizeof whole, "%.120s [%.60s]", title, legend->unit);
    else
        snprintf(whole, sizeof whole, "%.200s", title);
    fit(l->heading, whole, l->text, fmax(width, picture->width / 3.0));
}

/* Number of ticks for a bar that is `texts` heights of text high. */
static int ticks_wanted(double texts)
{
    return (int)fmin(5, fmax(2, texts / 2));
}

/*   +-----------------+
 *   |  speed [m/s]    |
 *   |  ##- 1.5        |      the bar's height gives way in low pictures
 *   |  ##- 1          |
 *   |  ##- 0.5        |
 *   +-----------------+                                                    */
static bool make_layout(layout *l, const rp_picture *picture, const rp_legend *legend)
{
    if (is_too_small(picture)) return false;
    double h = l->text = text_height(picture);
    double heading = legend->title && *legend->title ? 2 * h : 0.5 * h; /* with a gap below */
    double below = PADDING * h + 0.2 * h;
    double around = heading + PADDING * h + below;
    double bar = fmin(BAR_HEIGHT * h, picture->height - 2 * MARGIN * h - around);
    l->tick_count = rp_ticks(legend->low, legend->high, ticks_wanted(bar / h), l->ticks);

    double side = l->tick_count > 0 ? 2 * MARK * h + widest_tick(l) : 0;
    double inner = BAR_WIDTH * h + side;
    set_heading(l, picture, legend, inner);
    double width = fmax(inner, rp_text_width(h, l->heading)) + 2 * PADDING * h;
    l->panel.width = (int)ceil(width);
    l->panel.height = (int)ceil(around + bar);
    l->panel.left = picture->width - (int)(MARGIN * h) - l->panel.width;
    l->panel.top = picture->height - (int)(MARGIN * h) - l->panel.height;
    l->bar = (rp_area){l->panel.left + (int)(PADDING * h),
                       l->panel.top + (int)(PADDING * h + heading), (int)(BAR_WIDTH * h), (int)bar};
    return true;
}

bool rp_legend_place(const rp_picture *picture, const rp_legend *legend, rp_area *panel,
                     rp_area *bar)
{
    layout l;
    if (!make_layout(&l, picture, legend)) return false;
    *panel = l.panel;
    *bar = l.bar;
    return true;
}

/* Coverage of a pixel by an area with round corners; a radius of half a pixel is a sharp corner. */
static double inside(const rp_area *area, double radius, int x, int y)
{
    double half_width = area->width / 2.0, half_height = area->height / 2.0;
    double dx = fabs(x + 0.5 - area->left - half_width) - half_width + radius;
    double dy = fabs(y + 0.5 - area->top - half_height) - half_height + radius;
    return fmin(1, fmax(0, radius + 0.5 - hypot(fmax(dx, 0), fmax(dy, 0))));
}

/* Fills an area, clipped to the picture: a legend in a small one may reach beyond it. */
static void fill(rp_picture *picture, const rp_area *area, double radius, const double colour[3],
                 double alpha)
{
    int left = area->left > 0 ? area->left : 0, top = area->top > 0 ? area->top : 0;
    for (int y = top; y < area->top + area->height && y < picture->height; y++)
        for (int x = left; x < area->left + area->width && x < picture->width; x++)
            rp_picture_blend(picture, x, y, colour, alpha * inside(area, radius, x, y));
}

static void draw_bar(rp_picture *picture, const rp_area *bar)
{
    for (int row = 0; row < bar->height; row++) {
        double colour[3];
        rp_colour_map_at(1 - (row + 0.5) / bar->height, colour);
        fill(picture, &(rp_area){bar->left, bar->top + row, bar->width, 1}, SHARP, colour, 1);
    }
}

static void draw_tick(rp_picture *picture, const layout *l, const rp_tick *tick)
{
    double h = l->text;
    int thick = (int)fmax(1, h / 10);
    int right = l->bar.left + l->bar.width;
    double y = l->bar.top + (1 - tick->place) * (l->bar.height - thick);
    fill(picture, &(rp_area){right, (int)lround(y), (int)(MARK * h), thick}, SHARP, faint_colour,
         1);
    rp_text_draw(picture, right + 2 * MARK * h, y + thick / 2.0 - h / 2, h, tick->text,
                 text_colour);
}

void rp_legend_draw(rp_picture *picture, const rp_legend *legend)
{
    layout l;
    if (!make_layout(&l, picture, legend)) return;
    double h = l.text;
    fill(picture, &l.panel, CORNER * h, panel_colour, PANEL_ALPHA);
    rp_text_draw(picture, l.bar.left, l.panel.top + PADDING * h, h, l.heading, text_colour);
    draw_bar(picture, &l.bar);
    for (int i = 0; i < l.tick_count; i++)
        draw_tick(picture, &l, &l.ticks[i]);
}

/* A short text on a panel at the left, above or below. */
static void draw_note(rp_picture *picture, const char *text, bool above)
{
    if (is_too_small(picture) || !*text) return;
    double h = text_height(picture);
    char cut[TEXT_SIZE];
    fit(cut, text, h, picture->width * 2 / 3.0 - 2 * PADDING * h);
    if (!*cut) return;
    int margin = (int)(MARGIN * h);
    rp_area panel = {margin, margin, (int)ceil(rp_text_width(h, cut) + 2 * PADDING * h),
                     (int)ceil(h + 2 * PADDING * h)};
    if (!above) panel.top = picture->height - margin - panel.height;
    fill(picture, &panel, CORNER * h, panel_colour, PANEL_ALPHA);
    rp_text_draw(picture, panel.left + PADDING * h, panel.top + PADDING * h, h, cut, text_colour);
}

void rp_legend_draw_caption(rp_picture *picture, const char *text)
{
    draw_note(picture, text, false);
}

void rp_legend_draw_heading(rp_picture *picture, const char *text)
{
    draw_note(picture, text, true);
}
