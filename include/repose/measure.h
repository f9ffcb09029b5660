/* Measurements: numbers with uncertainty and unit, or tables of numbers, of a view. The view may be
 * that of a world or of a recorded frame; rp_record_measure (repose/run.h) takes all frames of a
 * run.
 *
 *     rp_measure_input in = {.view = &view, .scene = scene};
 *     rp_measured numbers[RP_MEASURED_MAX];
 *     int count;
 *     rp_code code = rp_measure_numbers("energy", &in, numbers, &count, report);
 *
 * docs/theory/measure.md defines each kind. */
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
    RP_MEASURE_LAST, /* the same; the program takes the last frame alone by default */
    RP_MEASURE_PAIRS /* each frame compared with the one before */
} rp_measure_frames;

typedef struct rp_measure_info {
    const char *name; /* such as "energy" */
    const char *help; /* one line */
    rp_measure_frames frames;
    bool of_body;     /* needs options.body; its numbers are vectors: "force x" and so on */
    bool of_contacts; /* needs a view with contacts; uses options.region */
    bool of_layer;    /* uses options.region and along, and centre where it has a radius */
    bool is_table;    /* gives rows, not numbers */
} rp_measure_info;
/* The available kinds. Beyond the last, and for unknown names, the info has a NULL name. */
RP_API int rp_measure_count(void);
RP_API rp_measure_info rp_measure_info_at(int index);
RP_API rp_measure_info rp_measure_info_of(const char *name);

/* --- one instant ------------------------------------------------------------------------------ */

/* Options that some kinds use. */
typedef struct rp_measure_options {
    size_t size;     /* set by rp_default_measure_options() */
    int along;       /* profiles and front: 0 along x, 1 along y; velocity-profile: 2 along z. -1:
                        over the distance from the axis; for velocity-profile along z */
    int plane_axis;  /* flow: 0, 1, 2 for x, y, z; -1: not given */
    double plane_at; /* m, position of the plane on that axis */
    int body;        /* body: its index in the scene; -1: not given */
    int quantity;    /* body: index into RP_BODY_QUANTITY_WORDS; -1: all */
    double region_low[3], region_high[3]; /* m, evaluated region; infinite: everywhere */
    double centre[2]; /* m, volume-profile and front: distances are taken from here; NaN: the centre
                         of mass */
} rp_measure_options;
RP_DEFAULTS(rp_measure_options, rp_default_measure_options)

/* Quantities of a body: position (m), rotation (deg about x, then y, then z, as in scenes),
 * velocity (m/s), angular velocity "spin" (deg/s), force and torque of sand, force and torque of
 * other bodies and joints (N, N m about the body's origin). */
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
    double uncertainty; /* one standard error where a kind estimates it; else rounding of floats */
    const char *unit;
} rp_measured;

/* Computes the numbers of a kind; `out` has space for RP_MEASURED_MAX. Where there is nothing to
 * measure, names and units are set all the same and the values are NaN. RP_ERROR_INPUT for kinds
 * that are tables or unknown. */
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

/* Computes the rows of a kind; the table is empty before. */
RP_API rp_code rp_measure_table(const char *name, const rp_measure_input *in, rp_table *out,
                                rp_report *report);
/* Adds a row of `column_count` values. */
RP_API rp_code rp_table_add(rp_table *table, const double *row, rp_report *report);
/* Copies one column to `out`, which has space for all rows. */
RP_API void rp_table_column(const rp_table *table, int column, double *out);
RP_API void rp_table_release(rp_table *table);

/* Finds a body by name. RP_ERROR_INPUT, with the nearest name or all of them, when there is none.
 */
RP_API rp_code rp_measure_find_body(const rp_scene *scene, const char *name, int *body,
                                    rp_report *report);

/* The steady state of a series: the interval in which it stays near a plateau (theory/measure.md,
 * M13). */
typedef struct rp_steady {
    size_t first, count; /* values of the interval; count 0: there is none */
    double mean, spread; /* mean and standard deviation of these values */
} rp_steady;
RP_API rp_steady rp_steady_of(const double *values, size_t count);
/* Returns mean and standard deviation of another series in the same interval of `count` values, at
 * least one. */
RP_API rp_steady rp_steady_within(const double *values, size_t first, size_t count);

#ifdef __cplusplus
}
#endif
#endif
