#include "geom/profile.h"
#include "math/vec.h"

static int edge_count(const rp_profile *profile)
{
    return profile->closed ? profile->count : profile->count - 1;
}

/* Counts the edges that a ray away from the axis crosses. */
static bool inside(const rp_profile *profile, rp_profile_point at)
{
    bool odd = false;
    for (int i = 0; i < edge_count(profile); i++) {
        rp_profile_point a = profile->points[i], b = profile->points[(i + 1) % profile->count];
        if ((a.z > at.z) == (b.z > at.z)) continue;
        double crossing = a.r + (at.z - a.z) / (b.z - a.z) * (b.r - a.r);
        if (crossing > at.r) odd = !odd;
    }
    return odd;
}

typedef struct foot {
    rp_profile_point away;     /* from the foot to the point */
    rp_profile_point straight; /* the edge's own outward normal */
    double distance;
    bool at_corner;
} foot;

static foot foot_on_edge(rp_profile_point a, rp_profile_point b, rp_profile_point at)
{
    double r = b.r - a.r, z = b.z - a.z, length = rp_hypot(r, z);
    double t = length > 0 ? ((at.r - a.r) * r + (at.z - a.z) * z) / (length * length) : 0;
    double clamped = fmin(fmax(t, 0), 1);
    foot found;
    found.away.r = at.r - (a.r + clamped * r);
    found.away.z = at.z - (a.z + clamped * z);
    found.straight.r = length > 0 ? z / length : 1;
    found.straight.z = length > 0 ? -r / length : 0;
    found.distance = rp_hypot(found.away.r, found.away.z);
    found.at_corner = t != clamped;
    return found;
}

double rp_profile_distance(const rp_profile *profile, rp_profile_point at, rp_profile_point *normal)
{
    foot best = {.distance = INFINITY};
    double extent = 0;
    for (int i = 0; i < edge_count(profile); i++) {
        rp_profile_point a = profile->points[i], b = profile->points[(i + 1) % profile->count];
        foot found = foot_on_edge(a, b, at);
        if (found.distance < best.distance) best = found;
        extent = fmax(extent, fmax(b.r, fabs(b.z)));
    }
    double sign = inside(profile, at) ? -1 : 1;
    /* The direction from a foot so near is nothing but rounding. */
    if (best.at_corner && best.distance > 1e-12 * extent) {
        normal->r = sign * best.away.r / best.distance;
        normal->z = sign * best.away.z / best.distance;
    } else {
        *normal = best.straight;
    }
    return sign * best.distance;
}

/* Discs stacked along z: pi r^2 integrated over each edge, which is a frustum; edges on the axis
 * add nothing. */
double rp_profile_volume(const rp_profile *profile)
{
    double sum = 0;
    for (int i = 0; i < edge_count(profile); i++) {
        rp_profile_point a = profile->points[i], b = profile->points[(i + 1) % profile->count];
        sum += (b.z - a.z) * (a.r * a.r + a.r * b.r + b.r * b.r);
    }
    return RP_PI / 3 * sum;
}
