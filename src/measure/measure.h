/* Measurements: numbers with uncertainty and unit, taken from a view, live or afterwards. Each kind
 * is one line of the table in measure.c; `repose measure` and the scene's measurements both use it.
 */
#ifndef RP_MEASURE_MEASURE_H
#define RP_MEASURE_MEASURE_H

#include "repose/view.h"
#include "scene/scene.h"

#define RP_MEASURED_MAX 8

typedef struct rp_measured {
    const char *name; /* such as "kinetic" */
    double value;
    double uncertainty; /* what rounding in the recorded floats may have changed */
    const char *unit;
} rp_measured;

typedef struct rp_measure_kind {
    const char *name; /* as in RP_MEASURE_WORDS, in that order */
    const char *help; /* one line */
    int (*take)(const rp_view *view, const rp_scene *scene, rp_measured *out); /* how many */
} rp_measure_kind;

int rp_measure_count(void);
const rp_measure_kind *rp_measure_at(int index);
const rp_measure_kind *rp_measure_find(const char *name); /* NULL when unknown */

#endif
