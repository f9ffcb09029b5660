/* Measurements: numbers with uncertainty and unit, or tables of numbers, taken from a view, live or
 * afterwards. Each kind is one line of the table in measure.c; `repose measure` and the scene's
 * measurements both use it. C programs that know what they want call the kinds directly: see
 * angle.h, profile.h, layer.h, flow.h, density.h, body.h, and contact/contact.h. */
#ifndef RP_MEASURE_MEASURE_H
#define RP_MEASURE_MEASURE_H

#include "measure/table.h"
#include "repose/view.h"
#include "scene/scene.h"

#define RP_MEASURED_MAX 24

typedef struct rp_measured {
    const char *name; /* such as "kinetic" */
    double value;
    double
        uncertainty; /* each kind says what it is made of; rounding of the recorded floats else */
    const char *unit;
} rp_measured;

/* What some kinds want to know. */
typedef struct rp_measure_options {
    int along;        /* profiles and front: 0 along x, 1 along y; velocity-profile: 2 along z; -1
                         over the distance from the axis, of velocity-profile along z */
    int plane_axis;   /* flow: 0, 1, 2 for x, y, z; -1: not given */
    double plane_at;  /* m, where on that axis */
    int body;         /* body: which of the scene; -1: not given */
    int quantity;     /* body: place in RP_BODY_QUANTITY_WORDS; -1: all */
    rp_box3 region;   /* m, where to look; infinite sides: everywhere */
    double centre[2]; /* m, volume-profile and front: from where distances count; NaN: the middle of
                         the mass */
} rp_measure_options;
rp_measure_options rp_default_measure_options(void);

typedef struct rp_measure_input {
    const rp_view *view;
    const rp_view *before; /* the instant before, for kinds that compare two; NULL at the first */
    const rp_scene *scene;
    const rp_measure_options *options;
} rp_measure_input;

typedef enum rp_measure_frames {
    RP_MEASURE_EACH, /* every frame by itself */
    RP_MEASURE_LAST, /* the same; but the last alone is what one mostly wants */
    RP_MEASURE_PAIRS /* each frame against the one before */
} rp_measure_frames;

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

int rp_measure_count(void);
const rp_measure_kind *rp_measure_at(int index);
const rp_measure_kind *rp_measure_find(const char *name); /* NULL when unknown */

/* The part of a series in which it holds steady (theory/measure.md, M13). */
typedef struct rp_steady {
    size_t first, count; /* values; count 0: it never does */
    double mean, spread; /* of these values; the spread is one standard deviation */
} rp_steady;
rp_steady rp_steady_of(const double *values, size_t count);
/* Mean and spread of another series in the same part, which has `count` values, one at least. */
rp_steady rp_steady_within(const double *values, size_t first, size_t count);

#endif
