/* Solids of revolution by their cross-section: a line of points (r, z) that, turned about the z
 * axis, is the surface. It runs counter-clockwise with r to the right and z up, so the solid is on
 * its left.
 *
 *     z           z   ________
 *     |___        |   \      /        open: from the axis and back to it (cylinder, cone)
 *     |   |       |    \    /         closed: a ring that stays off the axis (funnel)
 *     |___|_ r    |_____\__/__ r
 */
#ifndef RP_GEOM_PROFILE_H
#define RP_GEOM_PROFILE_H

#include <stdbool.h>

typedef struct rp_profile_point {
    double r, z; /* m */
} rp_profile_point;

typedef struct rp_profile {
    rp_profile_point points[4];
    int count;
    bool closed; /* the last point is joined to the first */
} rp_profile;

/* Signed distance in the half plane r >= 0, which is that to the solid, and the unit vector away
 * from the nearest point of the line. */
double rp_profile_distance(const rp_profile *profile, rp_profile_point at,
                           rp_profile_point *normal);
/* m3, of the solid. */
double rp_profile_volume(const rp_profile *profile);

#endif
