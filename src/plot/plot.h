/* Figures as text, for pages and tests. The public half is repose/plot.h. */
#ifndef RP_PLOT_PLOT_H
#define RP_PLOT_PLOT_H

#include "repose/plot.h"

/* SVG text with a zero byte behind it; release with `*size + 1`. */
rp_code rp_figure_svg(const rp_figure *figure, char **text, size_t *size, rp_report *report);

/* The script that gnuplot gets, for the tests; release as above. */
rp_code rp_figure_script(const rp_figure *figure, bool png, char **text, size_t *size,
                         rp_report *report);

#endif
