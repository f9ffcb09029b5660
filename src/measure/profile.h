/* The height of the surface over the distance from a pile's axis, or along a direction
 * (theory/measure.md, M11). */
#ifndef RP_MEASURE_PROFILE_H
#define RP_MEASURE_PROFILE_H

#include "measure/surface.h"
#include "repose/measure.h"

/* Columns: place (m), mean height of the surface grains there (m), their standard deviation (m),
 * how many they are. */
enum { RP_PROFILE_PLACE, RP_PROFILE_HEIGHT, RP_PROFILE_SPREAD, RP_PROFILE_GRAINS };

/* `along`: 0 for x, 1 for y, where gravity is along z; -1 for the distance from the axis, which is
 * that of the pile, or the middle of the surface when there is none. Release the table afterwards.
 */
rp_code rp_measure_profile(const rp_view *view, const rp_scene *scene, int along, rp_table *out,
                           rp_report *report);

#endif
