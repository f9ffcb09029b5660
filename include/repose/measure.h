/* Measurements: numbers with uncertainty and unit, or tables of numbers, from a view: that of a
 * world, of a frame, or of all frames of a run.
 *
 *     rp_measure_input in = {.view = &view, .scene = scene};
 *     rp_measured numbers[RP_MEASURED_MAX];
 *     int count;
 *     rp_code code = rp_measure_numbers("energy", &in, numbers, &count, report);
 *
 * docs/theory/measure.md says what each kind is. */
#ifndef REPOSE_MEASURE_H
#define REPOSE_MEASURE_H

#include "repose/scene.h"
#include "repose/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- kinds ------------------------------------------------------------------------------------ */

typedef enum rp_measure_frames {
    RP_MEASURE_EACH, /* every frame by itself */
    RP_MEASURE_LAST, /* the same; but the last alone is what one mostly wants */
    RP_MEASURE_PAIRS /* each frame against the one before */
} rp_measure_frames;

typedef struct rp_measure_info {
    const char *name; /* such as "energy" */
    const char *help; /* one line */
    rp_measure_frames frames;
    bool of_body;     /* wants options.body; its numbers come in threes, "force x" and so on */
    bool of_contacts; /* wants a view with contacts, and knows options.region */
    bool of_layer;    /* knows options.region, options.along and, unless it has no radius, centre */
    bool is_table;    /* it gives rows, not numbers */
} rp_measure_info;
/* The kinds there are. Beyond the last, and for unknown names, the info has a NULL name. */
RP_API int rp_measure_count(void);
RP_API rp_measure_info rp_measure_info_at(int index);
RP_API rp_measure_info rp_measure_info_of(const char *name);

/* --- one instant ------------------------------------------------------------------------------ */

/* What some kinds want to know. */
typedef struct rp_measure_options {
    size_t size;     /* set by rp_default_measure_options() */
    int along;       /* profiles and front: 0 along x, 1 along y; velocity-profile: 2 along z; -1
                        over the distance from the axis, of velocity-profile along z */
    int plane_axis;  /* flow: 0, 1, 2 for x, y, z; -1: not given */
    double plane_at; /* m, where on that axis */
    int body;        /* body: which of the scene; -1: not given */
    int quantity;    /* body: place in RP_BODY_QUANTITY_WORDS; -1: all */
    double region_low[3], region_high[3]; /* m, where to look; infinite: everywhere */
    double centre[2]; /* m, volume-profile and front: from where distances count; NaN: the middle of
                         the mass */
} rp_measure_options;
RP_DEFAULTS(rp_measure_options, rp_default_measure_options)

/* Position (m), rotation (deg about x, then y, then z, as scenes say it), velocity (m/s), spin
 * (deg/s), force and torque of sand, force and torque of other bodies and joints (N, N m about the
 * body's origin). */
#define RP_BODY_QUANTITY_WORDS                                                                     \
    "position|rotation|velocity|spin|force|torque|contact-force|contact-torque"
#define RP_BODY_QUANTITIES 8

typedef struct rp_measure_input {
    const rp_view *view;
    const rp_view *before; /* the instant before, for kinds that compare two; else NULL */
    const rp_scene *scene; /* of the views */
    const rp_measure_options *options; /* NULL: the defaults */
} rp_measure_input;

#define RP_MEASURED_MAX 24

typedef struct rp_measured {
    const char *name; /* such as "kinetic" */
    double value;
    double uncertainty; /* each kind says what it is made of; else rounding of recorded floats */
    const char *unit;
} rp_measured;

/* The numbers of a kind; `out` has room for RP_MEASURED_MAX. Where there is nothing to measure,
 * names and units are set nevertheless and the values are NaN. RP_ERROR_INPUT for kinds that are
 * tables or unknown. */
RP_API rp_code rp_measure_numbers(const char *name, const rp_measure_input *in, rp_measured *out,
                                  int *count, rp_report *report);

typedef struct rp_measure_column {
    const char *name, *unit;
} rp_measure_column;

/* A table of numbers with named columns. Begin with zeros; release it. */
typedef struct rp_table {
    const rp_measure_column *columns; /* not owned */
    int column_count;
    double *values; /* row after row */
    size_t rows, capacity;
} rp_table;

/* The rows of a kind; the table is empty before. */
RP_API rp_code rp_measure_table(const char *name, const rp_measure_input *in, rp_table *out,
                                rp_report *report);
/* Adds a row of `column_count` values. */
RP_API rp_code rp_table_add(rp_table *table, const double *row, rp_report *report);
/* One column, copied to `out`, which has room for all rows. */
RP_API void rp_table_column(const rp_table *table, int column, double *out);
RP_API void rp_table_release(rp_table *table);

/* The body of that name. RP_ERROR_INPUT, with the nearest name or all of them, when there is none.
 */
RP_API rp_code rp_measure_find_body(const rp_scene *scene, const char *name, int *body,
                                    rp_report *report);

/* The part of a series in which it holds steady (theory/measure.md, M13). */
typedef struct rp_steady {
    size_t first, count; /* values; count 0: it never does */
    double mean, spread; /* of these values; the spread is one standard deviation */
} rp_steady;
RP_API rp_steady rp_steady_of(const double *values, size_t count);
/* Mean and spread of another series in the same part, which has `count` values, one at least. */
RP_API rp_steady rp_steady_within(const double *values, size_t first, size_t count);

#ifdef __cplusplus
}
#endif
#endif
