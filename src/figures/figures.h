/* Figures of measurements: the kinds that have a figure of their own, such as the flank of a pile
 * or the distribution of contact forces, draw one instant into it. All other kinds are drawn as
 * numbers over time by whoever has the series. Measuring itself (room `measure`) does not need this
 * room. */
#ifndef RP_FIGURES_FIGURES_H
#define RP_FIGURES_FIGURES_H

#include "measure/measure.h"
#include "plot/plot.h"

bool rp_figures_has(const rp_measure_kind *kind);
/* Adds the instant of `in` to the figure and sets its title and labels. RP_ERROR_UNSUPPORTED for
 * kinds without a figure of their own. */
rp_code rp_figures_draw(const rp_measure_kind *kind, const rp_measure_input *in, rp_figure *figure,
                        rp_report *report);

#endif
