/* Plots: a figure has a title, two axes and some series of points, or several panels of these below
 * each other that share the horizontal axis: a panel per unit. The key is above the curves where it
 * fits into a line, else beside them. A figure becomes an SVG or PNG file, or SVG text in memory.
 * gnuplot draws it, as a separate program that is searched in PATH when a figure is written; all
 * else works without it.
 *
 *     rp_figure *figure = rp_figure_create("Height over time", "time [s]", "height [m]");
 *     rp_figure_add(figure, "measured", RP_PLOT_POINTS, t, z, NULL, count);
 *     rp_figure_add(figure, "theory", RP_PLOT_LINE, t, parabola, NULL, count);
 *     rp_code code = rp_figure_write(figure, "height.svg", report);
 *     rp_figure_destroy(figure);
 *
 * Texts may hold any characters; gnuplot interprets none of them. Control characters become
 * blanks, bytes that are no UTF-8 question marks. */
#ifndef REPOSE_PLOT_H
#define REPOSE_PLOT_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_figure rp_figure;

typedef enum rp_plot_style {
    RP_PLOT_POINTS, /* with a spread: bars */
    RP_PLOT_LINE,   /* with a spread: a band around it */
    RP_PLOT_DASHED,
    RP_PLOT_DUST /* many small points */
} rp_plot_style;

typedef enum rp_figure_flag {
    RP_FIGURE_EQUAL = 1, /* both axes have the same scale */
    RP_FIGURE_LOG_X = 2,
    RP_FIGURE_LOG_Y = 4,
    RP_FIGURE_ZERO_Y = 8 /* the y axis begins at zero */
} rp_figure_flag;

/* Axis texts carry their units: "time [s]". NULL when memory runs out; all calls accept a NULL
 * figure, and writing it returns RP_ERROR_MEMORY. */
RP_API rp_figure *rp_figure_create(const char *title, const char *x_label, const char *y_label);
RP_API void rp_figure_destroy(rp_figure *figure);
RP_API void rp_figure_set_title(rp_figure *figure, const char *title);
RP_API void rp_figure_set_labels(rp_figure *figure, const char *x_label, const char *y_label);
/* Adds a panel below the others, with a vertical axis of its own: series that are added from now on
 * belong to it. The first panel exists from the start, and set_labels names its axis. */
RP_API void rp_figure_add_panel(rp_figure *figure, const char *y_label);
RP_API void rp_figure_set_flags(rp_figure *figure, unsigned flags);
/* Adds a series and copies its values; `spread` may be NULL, `name` empty. Values that are not
 * finite leave a gap. When memory runs out the figure remembers it until it is written. */
RP_API void rp_figure_add(rp_figure *figure, const char *name, rp_plot_style style, const double *x,
                          const double *y, const double *spread, size_t count);
RP_API int rp_figure_series(const rp_figure *figure);
RP_API const char *rp_figure_title(const rp_figure *figure);

/* True where gnuplot is in PATH. */
RP_API bool rp_plot_can(void);
/* RP_OK when the name ends in .svg or .png. */
RP_API rp_code rp_plot_check_name(const char *path, rp_report *report);
/* Writes SVG or PNG, by the suffix of the path. RP_ERROR_UNSUPPORTED, with the package to install,
 * where gnuplot is missing. The file is complete or absent. */
RP_API rp_code rp_figure_write(const rp_figure *figure, const char *path, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
