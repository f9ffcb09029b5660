/* Figures as data. Texts are cleaned when they come in: control characters become blanks, bytes
 * that are no UTF-8 question marks. So gnuplot.c can write them as they are. */
#include "base/memory.h"
#include "plot/inside.h"
#include "repose/text.h"

#include <math.h>
#include <string.h>

static char *clean_text(const char *text)
{
    char *copy = rp_text_copy(text ? text : "");
    for (char *c = copy; c && *c;) {
        size_t length = rp_character_length(c);
        if (length == 0) *c = '?';
        if (length && !rp_character_shows(rp_character_code(c))) memset(c, ' ', length);
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

static void replace_text(rp_figure *figure, char **old, const char *text)
{
    char *copy = clean_text(text);
    if (!copy) {
        figure->failed = true;
        return;
    }
    rp_text_release(*old);
    *old = copy;
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
    if (!figure || figure->failed || !x || !y) return;
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
