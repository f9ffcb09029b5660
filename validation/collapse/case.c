/* Columns that collapse run as far as those of experiments. */
#include "validation/sand.h"

#include <stdio.h>

#define LENGTH 0.1 /* m */
#define CURVE 60

static void draw(rp_case_context *c, const rp_collapse *columns, int count)
{
    double a[CURVE], low[CURVE], high[CURVE], aspect[8], runout[8];
    for (int i = 0; i < CURVE; i++) {
        double middle, half;
        a[i] = 0.3 + (columns[count - 1].aspect - 0.3) * i / (CURVE - 1);
        rp_collapse_band(a[i], &middle, &half);
        low[i] = middle - half;
        high[i] = middle + half;
    }
    for (int i = 0; i < count; i++) {
        aspect[i] = columns[i].aspect;
        runout[i] = columns[i].runout;
    }
    rp_figure *figure = rp_case_figure(c, "Run-out of columns", "height / length of the column",
                                       "run-out / length of the column");
    rp_figure_add(figure, "Lube and others 2005", RP_PLOT_LINE, a, low, NULL, CURVE);
    rp_figure_add(figure, "Lajeunesse and others 2005", RP_PLOT_LINE, a, high, NULL, CURVE);
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, aspect, runout, NULL, (size_t)count);
}

static rp_code run(rp_case_context *c)
{
    static const double quick[] = {1, 4}, full[] = {0.5, 1, 2, 4, 7};
    const double *aspects = c->quick ? quick : full;
    int count = c->quick ? 2 : 5;
    rp_collapse columns[5] = {0};
    rp_code code = RP_OK;
    for (int i = 0; i < count && code == RP_OK; i++) {
        /* Of tall columns fewer grains along the length: they run far. */
        double across = (c->quick ? 20 : 40) / (aspects[i] > 3 ? 1.5 : 1);
        columns[i] = (rp_collapse){
            .aspect = aspects[i], .length = LENGTH, .spacing = LENGTH / (int)across, .angle = 30};
        code = rp_collapse_run(c, &columns[i]);
        if (code != RP_OK) break;
        double middle, half;
        char what[96];
        rp_collapse_band(aspects[i], &middle, &half);
        snprintf(what, sizeof what, "run-out of a column of a = %g, in lengths", aspects[i]);
        rp_judge_near(c, what, columns[i].runout, middle, half, "");
    }
    if (code == RP_OK) draw(c, columns, count);
    return code;
}

const rp_case rp_case_collapse = {"collapse", "Collapsing columns run as far as in experiments",
                                  run};
