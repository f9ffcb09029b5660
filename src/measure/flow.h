/* What passes a plane between two instants, told by the grains' ids (theory/measure.md, M12). */
#ifndef RP_MEASURE_FLOW_H
#define RP_MEASURE_FLOW_H

#include "repose/view.h"
#include "scene/scene.h"

typedef struct rp_flow {
    double seconds;                     /* between the two */
    size_t forward, backward;           /* grains, along the axis and against it */
    double mass_forward, mass_backward; /* kg */
    size_t appeared, vanished;          /* grains that only one of the two instants has */
} rp_flow;

/* The plane stands across `axis` (0, 1, 2 for x, y, z) at `at` metres. Across a periodic side a
 * grain is taken to have gone the shorter way. RP_ERROR_INPUT when time does not rise. */
rp_code rp_measure_flow(const rp_view *before, const rp_view *after, const rp_scene *scene,
                        int axis, double at, rp_flow *out, rp_report *report);

#endif
