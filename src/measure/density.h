/* How far the solver let grains be compressed (theory/measure.md, M10). */
#ifndef RP_MEASURE_DENSITY_H
#define RP_MEASURE_DENSITY_H

#include "repose/view.h"
#include "scene/scene.h"

typedef struct rp_density_error {
    double mean, rms, largest; /* of max(0, rho / rho_0 - 1) over all grains */
    double share;              /* of the grains above one per cent */
} rp_density_error;

/* RP_ERROR_UNSUPPORTED, and all numbers NaN, when no density was computed: all are zero, or exactly
 * their material's, with which grains start. */
rp_code rp_measure_density_error(const rp_view *view, const rp_scene *scene, rp_density_error *out,
                                 rp_report *report);

#endif
