/* Grains that run out of a vessel through a hole at z = 0: what has passed, from one evaluation to
 * the next. */
#ifndef RP_VALIDATION_OUTFLOW_H
#define RP_VALIDATION_OUTFLOW_H

#include "validation/grains.h"

#define RP_OUTFLOW_LOOKS 400

typedef struct rp_outflow {
    double time[RP_OUTFLOW_LOOKS], passed[RP_OUTFLOW_LOOKS]; /* s, kg */
    int count;
    double mass;          /* kg, all */
    size_t grains;        /* at the start */
    double left;          /* kg, above the hole at the end */
    double speed;         /* m/s, rms of those above the hole at the end */
    double rate, share;   /* kg/s and R^2 of the line between two parts of what passed */
    double first, second; /* kg/s, of its first and second half */
} rp_outflow;

/* Looks every `between` seconds until `until` (0 to 1) of the grains have passed, or to `end`, or
 * until those above rest: slower than a tenth of a millimetre per second, a quarter of a second
 * after the start. */
rp_code rp_outflow_watch(rp_case_context *c, rp_world *world, double between, double until,
                         double end, rp_outflow *out);
/* Rates while `from` to `to` of all grains pass. */
void rp_outflow_fit(rp_outflow *flow, double from, double to);

#endif
