/* Measurements from the inside: each kind is one line of the table in measure.c; `repose measure`
 * and the scene's measurements both use it. Rooms that know what they want call the kinds directly:
 * see angle.h, profile.h, layer.h, flow.h, density.h, body.h, and contact/contact.h. The public
 * half is repose/measure.h. */
#ifndef RP_MEASURE_MEASURE_H
#define RP_MEASURE_MEASURE_H

#include "repose/measure.h"
#include "scene/scene.h"

/* The region of the options as a box. */
static inline rp_box3 rp_measure_region(const rp_measure_options *options)
{
    const double *low = options->region_low, *high = options->region_high;
    return (rp_box3){rp_v3(low[0], low[1], low[2]), rp_v3(high[0], high[1], high[2])};
}

typedef struct rp_measure_kind {
    const char *name; /* those that a scene may name come first, as in RP_MEASURE_WORDS */
    const char *help; /* one line */
    rp_measure_frames frames;
    bool of_body;     /* wants options.body; its numbers come in threes, "force x" and so on */
    bool of_contacts; /* wants a view with contacts, and knows options.region */
    bool of_layer;    /* knows options.region, options.along and, unless it has no radius, centre */
    /* Numbers, at most RP_MEASURED_MAX; NULL for tables. Where it fails, names and units are set
     * nevertheless and the values are NaN. */
    rp_code (*take)(const rp_measure_input *in, rp_measured *out, int *count, rp_report *report);
    /* Rows; NULL for numbers. The table is empty before. */
    rp_code (*fill)(const rp_measure_input *in, rp_table *out, rp_report *report);
} rp_measure_kind;

const rp_measure_kind *rp_measure_at(int index);
const rp_measure_kind *rp_measure_find(const char *name); /* NULL when unknown */

/* Fills `own` with a checked input whose options, in `options`, are whole: what public functions do
 * first. `function` is the name of the one that was called. */
rp_code rp_measure_take_input(const rp_measure_input *in, rp_measure_input *own,
                              rp_measure_options *options, const char *function, rp_report *report);

#endif
