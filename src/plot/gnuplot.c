/* Figures drawn by gnuplot: a figure becomes a script, gnuplot makes SVG or PNG of it. */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "plot/inside.h"
#include "system/atomic.h"
#include "system/program.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a figure as a gnuplot script ------------------------------------------------------------- */

/* Texts stand in single quotes, where gnuplot knows no escapes, no
 * command substitution in backquotes and no macros; a single quote in a text becomes an apostrophe
 * (gnuplot 5.4 stumbles over a doubled one at the start), and line ends are gone already. Numbers
 * stand in data blocks. So nothing that a user wrote is ever read as a command. */

/* Sand, water, rust, slate, moss, plum: they differ in lightness as well as in hue. */
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

/* Places of a figure's parts, in pixels from the top left. */
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

static void put_style(FILE *file, const rp_figure *figure, const layout *l, bool png)
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

/* Panels below each other have the same x range, also where a series ends early. */
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

/* One part of the plot command. A line with a spread has two: the band lies below. `place` is the
 * number in its panel: series with the same colour have different dashes or marks. */
static void put_series(FILE *file, const rp_plot_series *s, size_t number, size_t place)
{
    static const char *const styles[] = {[RP_PLOT_POINTS] = "points ps 0.8",
                                         [RP_PLOT_LINE] = "lines lw 2.4",
                                         [RP_PLOT_DASHED] = "lines lw 1.6 dt '-'",
                                         [RP_PLOT_DUST] = "points pt 7 ps 0.35"};
    static const char *const dashes[] = {"", " dt '-'", " dt '.'"};
    static const char *const marks[] = {" pt 7", " pt 5", " pt 9"}; /* disc, square, triangle */
    const char *colour = colours[place % COLOURS], *style = styles[s->style];
    bool bars = s->has_spread && (s->style == RP_PLOT_POINTS || s->style == RP_PLOT_DUST);
    const char *mark = s->style == RP_PLOT_LINE ? dashes[place / COLOURS % 3] : "";
    if (bars || s->style == RP_PLOT_POINTS) mark = marks[place / COLOURS % 3];
    fputs(place ? ", \\\n     " : "plot ", file);
    if (s->has_spread && !bars)
        fprintf(file,
                "$data%zu using 1:($2-$3):($2+$3) with filledcurves fc rgb '%s' "
                "fs transparent solid 0.18 noborder notitle, ",
                number, colour);
    if (bars) style = "yerrorbars ps 0.8 lw 1.8";
    fprintf(file, "$data%zu using %s with %s%s lc rgb '%s' ", number, bars ? "1:2:3" : "1:2", style,
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
    put_style(file, figure, &l, png);
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

/* open_memstream allocates by the C library; memory that leaves this room comes from the hooks. */
static rp_code copy_text(const char *text, size_t length, char **out, size_t *size,
                         rp_report *report)
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
                          : copy_text(buffer, length, text, size, report);
    free(buffer);
    return code;
}

/* --- gnuplot as a program --------------------------------------------------------------------- */

/* gnuplot is found in PATH and started without a shell and without the user's settings. Script,
 * picture and error messages go through unnamed temporary files: pipes would need both ends served
 * at once, and would raise SIGPIPE in the host program when gnuplot dies. */

bool rp_plot_can(void)
{
    char path[PATH_MAX];
    return rp_program_find("gnuplot", path, sizeof path);
}

/* The first line of gnuplot's error message with a line number, else the last line. */
static void read_error(FILE *file, char *text, size_t size)
{
    text[0] = 0;
    rewind(file);
    for (char line[512]; fgets(line, sizeof line, file);) {
        size_t blank = strspn(line, " \t^\n");
        snprintf(text, size, "%s", line + blank);
        text[strcspn(text, "\n")] = 0;
        if (strstr(text, "line ")) return;
    }
}

static rp_code wait_for(int child, FILE *errors, rp_report *report)
{
    int status = 0;
    char text[512];
    RP_TRY(rp_program_wait("gnuplot", child, &status, report));
    if (rp_program_succeeded(status)) return RP_OK;
    read_error(errors, text, sizeof text);
    return rp_fail(report, RP_ERROR_IO, "gnuplot failed: %s", text[0] ? text : "it said nothing");
}

static rp_code read_all(FILE *file, char **text, size_t *size, rp_report *report)
{
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (length <= 0) return rp_fail(report, RP_ERROR_IO, "gnuplot drew nothing");
    rewind(file);
    *size = (size_t)length;
    *text = rp_allocate(*size + 1);
    if (!*text) return rp_fail_memory(report, *size, "a figure");
    (*text)[*size] = 0;
    if (fread(*text, 1, *size, file) == *size) return RP_OK;
    rp_release(*text, *size + 1);
    *text = NULL;
    return rp_fail(report, RP_ERROR_IO, "what gnuplot drew cannot be read back");
}

/* Runs gnuplot; files: script, picture, error messages. */
static rp_code draw(FILE *const files[3], const char *script, size_t length, char **out,
                    size_t *size, rp_report *report)
{
    char program[PATH_MAX];
    int child;
    if (!rp_program_find("gnuplot", program, sizeof program))
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       "plots need gnuplot, which is not in PATH; on Debian: apt-get install "
                       "gnuplot-nox");
    if (!files[0] || !files[1] || !files[2])
        return rp_fail_errno(report, errno, "a temporary file", "make");
    if (fwrite(script, 1, length, files[0]) != length)
        return rp_fail_errno(report, errno, "a temporary file", "write");
    int error = rp_program_rewind(files[0]);
    if (error) return rp_fail_errno(report, error, "a temporary file", "write");
    int descriptors[3];
    for (int i = 0; i < 3; i++)
        descriptors[i] = fileno(files[i]);
    char *arguments[] = {"gnuplot", "-d", NULL}; /* -d: no start-up files */
    rp_code code = rp_program_start(program, arguments, descriptors, &child, report);
    if (code == RP_OK) code = wait_for(child, files[2], report);
    return code == RP_OK ? read_all(files[1], out, size, report) : code;
}

static rp_code render(const rp_figure *figure, bool png, char **out, size_t *size,
                      rp_report *report)
{
    char *script;
    size_t length;
    *out = NULL;
    RP_TRY(rp_figure_script(figure, png, &script, &length, report));
    FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
    rp_code code = draw(files, script, length, out, size, report);
    for (int i = 0; i < 3; i++)
        if (files[i]) fclose(files[i]);
    rp_release(script, length + 1);
    return code;
}

rp_code rp_figure_svg(const rp_figure *figure, char **text, size_t *size, rp_report *report)
{
    return render(figure, false, text, size, report);
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && strcmp(path + length - wanted, end) == 0;
}

rp_code rp_plot_check_name(const char *path, rp_report *report)
{
    RP_NEED(path, report);
    if (ends_in(path, ".svg") || ends_in(path, ".png")) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "plots are SVG or PNG files; name it *.svg or *.png");
}

rp_code rp_figure_write(const rp_figure *figure, const char *path, rp_report *report)
{
    RP_NEED(path, report);
    char *data = NULL;
    size_t size = 0;
    RP_TRY(rp_plot_check_name(path, report));
    RP_TRY(render(figure, ends_in(path, ".png"), &data, &size, report));
    rp_atomic file;
    rp_code code = rp_atomic_open(&file, path, report);
    if (code == RP_OK) {
        rp_atomic_write(&file, data, size);
        code = rp_atomic_finish(&file, report);
    }
    rp_release(data, size + 1);
    return code;
}
