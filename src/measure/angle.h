/* The angle of a pile: the slope of its flank, with its uncertainty (theory/measure.md, M4 to M9).
 *
 *     rp_angle angle;
 *     rp_code code = rp_measure_angle(&view, scene, &angle, report);
 *     if (code == RP_OK) printf("%g +- %g degrees\n", angle.degrees, angle.uncertainty);
 *
 * The pile may stand anywhere, be cut off flat, have a rounded tip, loose grains around it, lie in
 * a corner or against a wall, or on a bed of grains; it has one summit. What has no slope has no
 * angle: level beds, uneven ones between walls and what flies are refused, and so are ridges and
 * heaps with several summits. A pile may move, which its speed tells. */
#ifndef RP_MEASURE_ANGLE_H
#define RP_MEASURE_ANGLE_H

#include "measure/surface.h"

typedef struct rp_angle {
    double degrees, uncertainty; /* of the slope; one standard error */
    double height;               /* m, from the foot to the summit, a grain's size included */
    double radius;               /* m, of the fitted cone at its foot */
    double centre[2];            /* m, of the cone's axis, along the directions of the plan */
    double apex;                 /* m, height of the fitted cone's tip, for grains' centres */
    double flank[2];             /* m, distances from the axis between which the slope is fitted */
    int sectors;                 /* that had a flank to measure, of at most twelve */
    size_t points;               /* surface grains in the fit */
    size_t grains;               /* in the heap */
    double speed; /* m/s, root mean square of the surface: a slope that flows has one */
} rp_angle;

/* RP_ERROR_INPUT, and all numbers NaN, when there is nothing that could be called a pile. */
rp_code rp_measure_angle(const rp_view *view, const rp_scene *scene, rp_angle *out,
                         rp_report *report);
/* The same of a surface that is known already. */
rp_code rp_angle_of_surface(const rp_free_surface *surface, rp_angle *out, rp_report *report);

#endif
