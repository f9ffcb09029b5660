/* A figure as a gnuplot script. Texts stand in single quotes, where gnuplot knows no escapes, no
 * command substitution in backquotes and no macros; a single quote in a text becomes an apostrophe
 * (gnuplot 5.4 stumbles over a doubled one at the start), and line ends are gone already. Numbers
 * stand in data blocks. So nothing that a user wrote is ever read as a command. */
#include "base/memory.h"
#include "base/report.h"
#include "plot/figure.h"

#include <errno.h>
#include <locale.h>
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

static void put_look(FILE *file, const rp_figure *figure, bool png)
{
    if (png)
        fputs("set terminal pngcairo size 1000,640 noenhanced font 'DejaVu Sans,13' "
              "background '#ffffff'\n",
              file);
    else
        fputs("set terminal svg size 800,512 dynamic noenhanced font 'DejaVu Sans,Arial,13' "
              "background '#ffffff'\n",
              file);
    fputs("set encoding utf8\n"
          "set border 3 lc rgb '#8c857a' lw 1\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#4a463f'\n"
          "set grid lt 1 lc rgb '#e2dccf' lw 1, lt 1 lc rgb '#e2dccf' lw 1\n"
          "set key at screen 0.53, screen 0.925 center top horizontal maxrows 1 Left reverse "
          "samplen 1.8 "
          "textcolor rgb '#3a372f'\n"
          "set style fill solid 1.0 noborder\n"
          "set bars small\n"
          "set autoscale fix\n"
          "set offsets graph 0.015, graph 0.015, graph 0.05, graph 0.04\n",
          file);
    /* A label, since gnuplot would put a title below the key. */
    fputs("set tmargin at screen 0.85\nset label 1 ", file);
    put_text(file, figure->title);
    fputs(" at screen 0.53, screen 0.955 center textcolor rgb '#2b2822' font ',15'\nset xlabel ",
          file);
    put_text(file, figure->x_label);
    fputs(" textcolor rgb '#3a372f'\nset ylabel ", file);
    put_text(file, figure->y_label);
    fputs(" textcolor rgb '#3a372f'\n", file);
}

static void put_axes(FILE *file, const rp_figure *figure)
{
    if (figure->flags & RP_FIGURE_EQUAL) fputs("set size ratio -1\n", file);
    if (figure->flags & RP_FIGURE_LOG_X) fputs("set logscale x\n", file);
    if (figure->flags & RP_FIGURE_LOG_Y) fputs("set logscale y\n", file);
    if (figure->flags & (RP_FIGURE_LOG_X | RP_FIGURE_LOG_Y)) fputs("set offsets\n", file);
    if (figure->flags & RP_FIGURE_ZERO_Y) fputs("set yrange [0:*]\n", file);
}

/* One part of the plot command. A line with a spread is two: the band lies below. */
static void put_series(FILE *file, const rp_plot_series *s, size_t number, const char *first)
{
    static const char *const ways[] = {[RP_PLOT_POINTS] = "points pt 7 ps 0.8",
                                       [RP_PLOT_LINE] = "lines lw 2.4",
                                       [RP_PLOT_DASHED] = "lines lw 1.6 dt '-'",
                                       [RP_PLOT_DUST] = "points pt 7 ps 0.35"};
    const char *colour = colours[number % COLOURS], *way = ways[s->style];
    bool bars = s->has_spread && (s->style == RP_PLOT_POINTS || s->style == RP_PLOT_DUST);
    fputs(first, file);
    if (s->has_spread && !bars)
        fprintf(file,
                "$data%zu using 1:($2-$3):($2+$3) with filledcurves fc rgb '%s' "
                "fs transparent solid 0.18 noborder notitle, ",
                number, colour);
    if (bars) way = "yerrorbars pt 7 ps 0.8 lw 1.8";
    fprintf(file, "$data%zu using %s with %s lc rgb '%s' ", number, bars ? "1:2:3" : "1:2", way,
            colour);
    fputs(s->name[0] ? "title " : "notitle", file);
    if (s->name[0]) put_text(file, s->name);
}

static void put_script(FILE *file, const rp_figure *figure, bool png)
{
    put_look(file, figure, png);
    put_axes(file, figure);
    for (size_t i = 0; i < figure->count; i++)
        put_data(file, &figure->series[i], i);
    for (size_t i = 0; i < figure->count; i++)
        put_series(file, &figure->series[i], i, i ? ", \\\n     " : "plot ");
    if (!figure->count) fputs("set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle", file);
    fputc('\n', file);
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
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    put_script(file, figure, png);
    uselocale(before);
    if (plain) freelocale(plain);
    int failed = ferror(file);
    if (fclose(file) != 0) failed = 1;
    rp_code code = failed ? rp_fail_memory(report, length, "a figure")
                          : keep(buffer, length, text, size, report);
    free(buffer);
    return code;
}
