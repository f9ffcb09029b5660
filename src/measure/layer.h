/* Layers that lie, spread or flow: how much sand is where, how fast it is, and where it ends
 * (theory/measure.md, M25 to M27). Unlike heights of a surface these are sums over all grains, each
 * spread over its own width, so that they hold for thin and for flowing layers, too. */
#ifndef RP_MEASURE_LAYER_H
#define RP_MEASURE_LAYER_H

#include "measure/measure.h"

/* Columns of a volume profile: place (m), volume of the sand at its material's density (m3), that
 * over the area of the bin seen from above (m), grains. */
enum { RP_VOLUME_PLACE, RP_VOLUME_VOLUME, RP_VOLUME_THICKNESS, RP_VOLUME_GRAINS };

/* `options` say along which axis or over the distance from which centre, and which grains count.
 * RP_ERROR_INPUT without grains there, RP_ERROR_UNSUPPORTED without masses. Release the tables
 * afterwards, whatever the code. */
rp_code rp_measure_volume_profile(const rp_view *view, const rp_scene *scene,
                                  const rp_measure_options *options, rp_table *out,
                                  rp_report *report);

/* Columns of a velocity profile: place (m), mean velocity by mass along x, y and z (m/s), root mean
 * square of what is left (m/s), density (kg/m3), volume fraction of the solid, grains. */
enum {
    RP_VELOCITY_PLACE,
    RP_VELOCITY_X,
    RP_VELOCITY_Y,
    RP_VELOCITY_Z,
    RP_VELOCITY_SPREAD,
    RP_VELOCITY_DENSITY,
    RP_VELOCITY_FRACTION,
    RP_VELOCITY_GRAINS
};
rp_code rp_measure_velocity_profile(const rp_view *view, const rp_scene *scene,
                                    const rp_measure_options *options, rp_table *out,
                                    rp_report *report);

/* Where a layer ends, m: along an axis at its far and at its near end, or from the centre, where
 * the near end is NaN. */
typedef struct rp_front {
    double front, back; /* where its thickness, extrapolated, is zero, or its last grains end */
    double farthest, rearmost; /* the outermost grains that others connect to it */
    double uncertainty;        /* m, of front and back */
} rp_front;
rp_code rp_measure_front(const rp_view *view, const rp_scene *scene,
                         const rp_measure_options *options, rp_front *out, rp_report *report);

#endif
