/* What a figure holds; for this room only. */
#ifndef RP_PLOT_FIGURE_H
#define RP_PLOT_FIGURE_H

#include "plot/plot.h"

typedef struct rp_plot_series {
    char *name;
    rp_plot_style style;
    double *values; /* x, y and, where has_spread, the spread of each point in turn */
    size_t count;
    bool has_spread;
} rp_plot_series;

struct rp_figure {
    char *title, *x_label, *y_label;
    unsigned flags;
    rp_plot_series *series;
    size_t count, capacity;
    bool failed; /* memory ran out on the way */
};

#endif
