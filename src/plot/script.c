/* A figure as a gnuplot script. Texts stand in single quotes, where gnuplot knows no escapes, no
 * command substitution in backquotes and no macros; a single quote in a text becomes an apostrophe
 * (gnuplot 5.4 stumbles over a doubled one at the start), and line ends are gone already. Numbers
 * stand in data blocks. So nothing that a user wrote is ever read as a command. */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "plot/figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sand, water, rust, slate, moss, plum: told apart by lightness as well as by hue. */
static const char *const colours[] = {"#b98a4a", "#2b6a99", "#a8442a",
                                      "#6f7f8c", "#5f8a4b", "#7d4f7a"};
#define COLOURS (sizeof colours / sizeof *colours)

static void put_text(FILE *file, const char *text)
{
    fputc('\'', file);
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            fputs("\xe2\x80\x99", file); /* the typographic one */
        else
            fputc(*c, file);
    }
    fputc('\'', file);
}

static void put_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.9g ", value);
    else
        fputs("NaN ", file);
}

static void put_data(FILE *file, const rp_plot_series *series, size_t number)
{
    size_t columns = series->has_spread ? 3 : 2;
    fprintf(file, "$data%zu << END\n", number);
    for (size_t i = 0; i < series->count; i++) {
        for (size_t c = 0; c < columns; c++)
            put_number(file, series->values[i * columns + c]);
        fputc('\n', file);
    }
    if (!series->count) fputs("NaN NaN NaN\n", file);
    fputs("END\n", file);
}

/* Where a figure's parts stand, in pixels from the top left. */
typedef struct layout {
    double width, height;
    double left, right, top, bottom; /* of all panels together */
    double letter;                   /* about the width of one */
    bool beside;                     /* names stand beside the curves; else above them */
} layout;

#define ROW_LETTERS 80 /* that fit above the curves, with a sample of each series */
#define SAMPLE 9       /* letters that a sample takes */
#define PANEL_GAP 26   /* pixels */

/* Characters, not bytes. */
static size_t count_letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static layout lay_out(const rp_figure *figure, bool png)
{
    size_t row = 0, longest = 0, panels = figure->panel_count;
    for (size_t i = 0; i < figure->count; i++) {
        size_t letters = count_letters(figure->series[i].name);
        if (!letters) continue;
        row += letters + SAMPLE;
        longest = letters > longest ? letters : longest;
    }
    layout l = {.width = png ? 1000 : 800, .height = png ? 640 : 512, .letter = png ? 9.2 : 8.4};
    l.beside = panels > 1 || row > ROW_LETTERS;
    if (panels > 1) l.height = 150 + (png ? 260 : 210) * (double)panels;
    double names = l.beside && longest ? l.letter * (double)(longest + 6) : 0;
    l.left = 0.145 * l.width;
    l.right = l.width - fmax(0.035 * l.width, fmin(names, 0.5 * l.width));
    l.top = l.beside ? 60 : 0.15 * l.height;
    l.bottom = l.height - 70;
    return l;
}

static void put_look(FILE *file, const rp_figure *figure, const layout *l, bool png)
{
    if (png)
        fprintf(file,
                "set terminal pngcairo size %.0f,%.0f noenhanced font 'DejaVu Sans,13' "
                "background '#ffffff'\n",
                l->width, l->height);
    else
        fprintf(file,
                "set terminal svg size %.0f,%.0f dynamic noenhanced font 'DejaVu Sans,Arial,13' "
                "background '#ffffff'\n",
                l->width, l->height);
    fputs("set encoding utf8\n"
          "set border 3 lc rgb '#8c857a' lw 1\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#4a463f'\n"
          "set grid lt 1 lc rgb '#e2dccf' lw 1, lt 1 lc rgb '#e2dccf' lw 1\n"
          "set style fill solid 1.0 noborder\n"
          "set bars small\n"
          "set autoscale fix\n"
          "set offsets graph 0.015, graph 0.015, graph 0.05, graph 0.04\n",
          file);
    /* A label, since gnuplot would put a title below the key. */
    fputs("set label 1 ", file);
    put_text(file, figure->title);
    fprintf(file, " at screen %.4g, screen %.4g center textcolor rgb '#2b2822' font ',15'\n",
            (l->left + l->right) / 2 / l->width, 1 - 0.045 * 640 / l->height);
}

/* Margins, names and labels of one panel. */
static void put_panel(FILE *file, const rp_figure *figure, const layout *l, size_t panel)
{
    double each = (l->bottom - l->top) / (double)figure->panel_count;
    double top = l->top + each * (double)panel;
    double bottom = top + each - (panel + 1 < figure->panel_count ? PANEL_GAP : 0);
    bool last = panel + 1 == figure->panel_count;
    fprintf(file,
            "set lmargin at screen %.4g\nset rmargin at screen %.4g\n"
            "set tmargin at screen %.4g\nset bmargin at screen %.4g\n",
            l->left / l->width, l->right / l->width, 1 - top / l->height, 1 - bottom / l->height);
    if (l->beside)
        fprintf(file,
                "set key at screen %.4g, screen %.4g left top vertical maxcols 1 Left reverse "
                "samplen 1.4 spacing 0.95 font ',11' textcolor rgb '#3a372f'\n",
                (l->right + l->letter) / l->width, 1 - top / l->height);
    else
        fprintf(file,
                "set key at screen %.4g, screen 0.925 center top horizontal maxrows 1 Left reverse "
                "samplen 1.8 textcolor rgb '#3a372f'\n",
                (l->left + l->right) / 2 / l->width);
    fputs(last ? "set format x\nset xlabel " : "set format x ''\nset xlabel ", file);
    put_text(file, last ? figure->x_label : "");
    fputs(" textcolor rgb '#3a372f'\nset ylabel ", file);
    put_text(file, figure->panels[panel].y_label);
    fputs(" textcolor rgb '#3a372f'\n", file);
}

/* Panels below each other show the same stretch, also where a series ends early. */
static void put_range(FILE *file, const rp_figure *figure)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < figure->count; i++) {
        const rp_plot_series *s = &figure->series[i];
        for (size_t k = 0; k < s->count; k++) {
            double x = s->values[k * (s->has_spread ? 3 : 2)];
            if (!isfinite(x)) continue;
            low = fmin(low, x), high = fmax(high, x);
        }
    }
    if (high > low) fprintf(file, "set xrange [%.9g:%.9g]\n", low, high);
}

static void put_axes(FILE *file, const rp_figure *figure)
{
    if (figure->flags & RP_FIGURE_EQUAL) fputs("set size ratio -1\n", file);
    if (figure->flags & RP_FIGURE_LOG_X) fputs("set logscale x\n", file);
    if (figure->flags & RP_FIGURE_LOG_Y) fputs("set logscale y\n", file);
    if (figure->flags & (RP_FIGURE_LOG_X | RP_FIGURE_LOG_Y)) fputs("set offsets\n", file);
    if (figure->flags & RP_FIGURE_ZERO_Y) fputs("set yrange [0:*]\n", file);
}

/* One part of the plot command. A line with a spread is two: the band lies below. `place` is that
 * in its panel: what has the colour of another one has other dashes or marks. */
static void put_series(FILE *file, const rp_plot_series *s, size_t number, size_t place)
{
    static const char *const ways[] = {[RP_PLOT_POINTS] = "points ps 0.8",
                                       [RP_PLOT_LINE] = "lines lw 2.4",
                                       [RP_PLOT_DASHED] = "lines lw 1.6 dt '-'",
                                       [RP_PLOT_DUST] = "points pt 7 ps 0.35"};
    static const char *const dashes[] = {"", " dt '-'", " dt '.'"};
    static const char *const marks[] = {" pt 7", " pt 5", " pt 9"}; /* disc, square, triangle */
    const char *colour = colours[place % COLOURS], *way = ways[s->style];
    bool bars = s->has_spread && (s->style == RP_PLOT_POINTS || s->style == RP_PLOT_DUST);
    const char *mark = s->style == RP_PLOT_LINE ? dashes[place / COLOURS % 3] : "";
    if (bars || s->style == RP_PLOT_POINTS) mark = marks[place / COLOURS % 3];
    fputs(place ? ", \\\n     " : "plot ", file);
    if (s->has_spread && !bars)
        fprintf(file,
                "$data%zu using 1:($2-$3):($2+$3) with filledcurves fc rgb '%s' "
                "fs transparent solid 0.18 noborder notitle, ",
                number, colour);
    if (bars) way = "yerrorbars ps 0.8 lw 1.8";
    fprintf(file, "$data%zu using %s with %s%s lc rgb '%s' ", number, bars ? "1:2:3" : "1:2", way,
            mark, colour);
    fputs(s->name[0] ? "title " : "notitle", file);
    if (s->name[0]) put_text(file, s->name);
}

static void put_plot(FILE *file, const rp_figure *figure, size_t panel)
{
    size_t place = 0;
    for (size_t i = 0; i < figure->count; i++)
        if (figure->series[i].panel == panel) put_series(file, &figure->series[i], i, place++);
    if (!place) fputs("set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle", file);
    fputc('\n', file);
}

static void put_script(FILE *file, const rp_figure *figure, bool png)
{
    layout l = lay_out(figure, png);
    bool several = figure->panel_count > 1;
    put_look(file, figure, &l, png);
    put_axes(file, figure);
    for (size_t i = 0; i < figure->count; i++)
        put_data(file, &figure->series[i], i);
    if (several) put_range(file, figure);
    if (several) fputs("set multiplot\n", file);
    for (size_t panel = 0; panel < figure->panel_count; panel++) {
        put_panel(file, figure, &l, panel);
        put_plot(file, figure, panel);
        if (several) fputs("unset label 1\n", file);
    }
    if (several) fputs("unset multiplot\n", file);
}

/* open_memstream takes from the C library; what leaves this room comes from the hooks. */
static rp_code keep(const char *text, size_t length, char **out, size_t *size, rp_report *report)
{
    *out = rp_allocate(length + 1);
    *size = length;
    if (!*out) return rp_fail_memory(report, length, "a figure");
    memcpy(*out, text, length);
    (*out)[length] = 0;
    return RP_OK;
}

rp_code rp_figure_script(const rp_figure *figure, bool png, char **text, size_t *size,
                         rp_report *report)
{
    char *buffer = NULL;
    size_t length = 0;
    *text = NULL;
    if (!figure || figure->failed) return rp_fail_memory(report, 0, "a figure");
    FILE *file = open_memstream(&buffer, &length);
    if (!file) return rp_fail_memory(report, 0, "a figure");
    void *before = rp_locale_enter();
    put_script(file, figure, png);
    rp_locale_leave(before);
    int failed = ferror(file);
    if (fclose(file) != 0) failed = 1;
    rp_code code = failed ? rp_fail_memory(report, length, "a figure")
                          : keep(buffer, length, text, size, report);
    free(buffer);
    return code;
}
