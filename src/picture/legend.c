#include "picture/legend.h"
#include "picture/map.h"
#include "picture/text.h"
#include "picture/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH_LEAST 120
#define HEIGHT_LEAST 90
#define TEXT_PART 0.022 /* of the picture's height */
#define TEXT_LEAST 9    /* pixels */
#define PANEL_PART 0.85 /* white words must be read on it before a white sky */
#define SHARP 0.5       /* pixels, the radius of a corner that is not round */
#define TEXT_SIZE 256   /* bytes of a text, with its end */

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

/* All that is to be known before anything is drawn. */
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

/* Copies as much of a text as is at most `room` pixels wide, and "..." where some is missing. */
static void fit(char cut[TEXT_SIZE], const char *text, double height, double room)
{
    size_t length = strnlen(text, TEXT_SIZE - 4);
    bool whole = text[length] == '\0';
    memcpy(cut, text, length + 1);
    if (whole && rp_text_width(height, cut) <= room) return;
    for (;; length--) {
        /* not between the bytes of one character, nor behind a blank */
        bool inside = ((unsigned char)text[length] & 0xc0) == 0x80;
        bool blank = length > 0 && text[length - 1] == ' ';
        if (!inside && !blank) {
            memcpy(cut + length, "...", 4);
            if (rp_text_width(height, cut) <= room) return;
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
static void set_heading(layout *l, const rp_picture *picture, const rp_legend *legend, double room)
{
    char whole[TEXT_SIZE];
    const char *title = legend->title ? legend->title : "";
    if (legend->unit && *legend->unit)
        snprintf(whole, sizeof whole, "%.120s [%.60s]", title, legend->unit);
    else
        snprintf(whole, sizeof whole, "%.200s", title);
    fit(l->heading, whole, l->text, fmax(room, picture->width / 3.0));
}

/* For a bar so many texts high. */
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
    double heading = legend->title && *legend->title ? 2 * h : 0.5 * h; /* with room below */
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

/* How much of a pixel belongs to an area with round corners; half a pixel is a sharp corner. */
static double inside(const rp_area *area, double radius, int x, int y)
{
    double half_width = area->width / 2.0, half_height = area->height / 2.0;
    double dx = fabs(x + 0.5 - area->left - half_width) - half_width + radius;
    double dy = fabs(y + 0.5 - area->top - half_height) - half_height + radius;
    return fmin(1, fmax(0, radius + 0.5 - hypot(fmax(dx, 0), fmax(dy, 0))));
}

/* A legend without room may reach beyond the picture. */
static void fill(rp_picture *picture, const rp_area *area, double radius, const double colour[3],
                 double part)
{
    int left = area->left > 0 ? area->left : 0, top = area->top > 0 ? area->top : 0;
    for (int y = top; y < area->top + area->height && y < picture->height; y++)
        for (int x = left; x < area->left + area->width && x < picture->width; x++)
            rp_picture_blend(picture, x, y, colour, part * inside(area, radius, x, y));
}

static void draw_bar(rp_picture *picture, const rp_area *bar)
{
    for (int row = 0; row < bar->height; row++) {
        double colour[3];
        rp_map_colour(1 - (row + 0.5) / bar->height, colour);
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
    fill(picture, &l.panel, CORNER * h, panel_colour, PANEL_PART);
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
    fill(picture, &panel, CORNER * h, panel_colour, PANEL_PART);
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
