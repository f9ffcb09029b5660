/* Figures as data. Texts are cleaned when they come in, so that nothing below has to doubt them. */
#include "plot/figure.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Of three or four bytes: neither longer than needed, nor a surrogate, nor beyond Unicode, nor one
 * of the two that XML forbids. */
static bool is_sound(const unsigned char *text)
{
    unsigned char a = text[0], b = text[1];
    if (a == 0xef && b == 0xbf && text[2] >= 0xbe) return false;
    return !((a == 0xe0 && b < 0xa0) || (a == 0xed && b >= 0xa0) || (a == 0xf0 && b < 0x90) ||
             (a == 0xf4 && b >= 0x90));
}

/* Length of the UTF-8 character at `text`, 0 when its bytes are none. */
static size_t character_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xc2 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf5 ? 4
                                     : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return length < 3 || is_sound(text) ? length : 0;
}

static char *clean_text(const char *text)
{
    char *copy = rp_text_copy(text ? text : "");
    for (char *c = copy; c && *c;) {
        size_t length = character_length((unsigned char *)c);
        if (length == 0) *c = '?';
        if (length == 1 && ((unsigned char)*c < 0x20 || *c == 0x7f)) *c = ' ';
        c += length ? length : 1;
    }
    return copy;
}

rp_figure *rp_figure_create(const char *title, const char *x_label, const char *y_label)
{
    rp_figure *figure = rp_allocate_zero(sizeof *figure);
    if (!figure) return NULL;
    figure->title = clean_text(title);
    figure->x_label = clean_text(x_label);
    rp_figure_add_panel(figure, y_label);
    if (figure->title && figure->x_label && !figure->failed) return figure;
    rp_figure_destroy(figure);
    return NULL;
}

void rp_figure_add_panel(rp_figure *figure, const char *y_label)
{
    if (!figure || figure->failed) return;
    char *label = clean_text(y_label);
    if (!label ||
        !rp_reserve((void **)&figure->panels, &figure->panel_capacity, figure->panel_count,
                    figure->panel_count + 1, sizeof *figure->panels)) {
        rp_text_release(label);
        figure->failed = true;
        return;
    }
    figure->panels[figure->panel_count++] = (rp_plot_panel){label};
}

static size_t series_bytes(const rp_plot_series *series)
{
    return series->count * (series->has_spread ? 3 : 2) * sizeof *series->values;
}

void rp_figure_destroy(rp_figure *figure)
{
    if (!figure) return;
    for (size_t i = 0; i < figure->count; i++) {
        rp_text_release(figure->series[i].name);
        rp_release(figure->series[i].values, series_bytes(&figure->series[i]));
    }
    rp_release(figure->series, figure->capacity * sizeof *figure->series);
    rp_text_release(figure->title);
    rp_text_release(figure->x_label);
    for (size_t i = 0; i < figure->panel_count; i++)
        rp_text_release(figure->panels[i].y_label);
    rp_release(figure->panels, figure->panel_capacity * sizeof *figure->panels);
    rp_release(figure, sizeof *figure);
}

static void replace_text(rp_figure *figure, char **kept, const char *text)
{
    char *copy = clean_text(text);
    if (!copy) {
        figure->failed = true;
        return;
    }
    rp_text_release(*kept);
    *kept = copy;
}

void rp_figure_set_title(rp_figure *figure, const char *title)
{
    if (figure) replace_text(figure, &figure->title, title);
}

void rp_figure_set_labels(rp_figure *figure, const char *x_label, const char *y_label)
{
    if (!figure) return;
    replace_text(figure, &figure->x_label, x_label);
    replace_text(figure, &figure->panels[0].y_label, y_label);
}

void rp_figure_set_flags(rp_figure *figure, unsigned flags)
{
    if (figure) figure->flags |= flags;
}

void rp_figure_add(rp_figure *figure, const char *name, rp_plot_style style, const double *x,
                   const double *y, const double *spread, size_t count)
{
    if (!figure || figure->failed) return;
    rp_plot_series s = {.name = clean_text(name), .style = style, .count = count};
    s.has_spread = spread != NULL;
    s.panel = figure->panel_count - 1;
    s.values = rp_allocate(series_bytes(&s));
    if (!s.name || !s.values ||
        !rp_reserve((void **)&figure->series, &figure->capacity, figure->count, figure->count + 1,
                    sizeof *figure->series)) {
        rp_text_release(s.name);
        rp_release(s.values, series_bytes(&s));
        figure->failed = true;
        return;
    }
    double *value = s.values;
    for (size_t i = 0; i < count; i++) {
        *value++ = x[i];
        *value++ = y[i];
        if (spread) *value++ = spread[i];
    }
    figure->series[figure->count++] = s;
}

int rp_figure_series(const rp_figure *figure)
{
    return figure ? (int)figure->count : 0;
}

const char *rp_figure_title(const rp_figure *figure)
{
    return figure ? figure->title : "";
}
