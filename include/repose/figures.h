/* Figures of measurements: kinds that have a figure of their own, such as the flank of a pile or
 * the distribution of contact forces, draw one instant into it. Others are plotted over time by the
 * caller, with plot.h. */
#ifndef REPOSE_FIGURES_H
#define REPOSE_FIGURES_H

#include "repose/measure.h"
#include "repose/plot.h"

#ifdef __cplusplus
extern "C" {
#endif

RP_API bool rp_measure_has_figure(const char *name);
/* Adds the instant of `in` to the figure and sets its title and labels. RP_ERROR_UNSUPPORTED for
 * kinds without a figure of their own. */
RP_API rp_code rp_measure_draw(const char *name, const rp_measure_input *in, rp_figure *figure,
                               rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
