/* Members of a figure; for this room only. */
#ifndef RP_PLOT_INSIDE_H
#define RP_PLOT_INSIDE_H

#include "plot/plot.h"

typedef struct rp_plot_series {
    char *name;
    rp_plot_style style;
    double *values; /* x, y and, where has_spread, the spread of each point in turn */
    size_t count;
    bool has_spread;
    size_t panel; /* 0 at the top */
} rp_plot_series;

typedef struct rp_plot_panel {
    char *y_label;
} rp_plot_panel;

struct rp_figure {
    char *title, *x_label;
    rp_plot_panel *panels; /* one at least */
    size_t panel_count, panel_capacity;
    unsigned flags;
    rp_plot_series *series;
    size_t count, capacity;
    bool failed; /* memory ran out while it was made */
};

#endif
