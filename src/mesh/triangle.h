/* One triangle and one point: pure functions that fast queries and their slow twins share, so that
 * both give the same bits. Private to this room. */
#ifndef RP_MESH_TRIANGLE_H
#define RP_MESH_TRIANGLE_H

#include "math/vec.h"

#include <stdbool.h>

static inline rp_vec3 rp_nearest_on_segment(rp_vec3 point, rp_vec3 a, rp_vec3 b)
{
    rp_vec3 along = rp_v3_sub(b, a);
    double square = rp_v3_dot(along, along);
    double t = square > 0 ? rp_v3_dot(rp_v3_sub(point, a), along) / square : 0;
    t = t > 0 ? t : 0;
    return rp_v3_madd(a, t < 1 ? t : 1, along);
}

static inline rp_vec3 rp_nearest_on_edges(rp_vec3 point, const rp_vec3 corners[3])
{
    rp_vec3 best = corners[0];
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        rp_vec3 foot = rp_nearest_on_segment(point, corners[i], corners[i == 2 ? 0 : i + 1]);
        rp_vec3 away = rp_v3_sub(point, foot);
        double square = rp_v3_dot(away, away);
        if (square < least) {
            least = square;
            best = foot;
        }
    }
    return best;
}

/* Returns the point of a triangle nearest to `point`: its projection on the plane when that is
 * inside the triangle, else the nearest point of the edges. */
static inline rp_vec3 rp_nearest_on_triangle(rp_vec3 point, const rp_vec3 corners[3])
{
    rp_vec3 a = rp_v3_sub(corners[0], point), b = rp_v3_sub(corners[1], point),
            c = rp_v3_sub(corners[2], point);
    rp_vec3 normal = rp_v3_cross(rp_v3_sub(b, a), rp_v3_sub(c, a));
    /* With the point as origin: the signed areas of the three triangles that it makes with the
     * edges, projected along the normal, are barycentric coordinates up to a factor. */
    bool inside = rp_v3_dot(normal, rp_v3_cross(a, b)) > 0 &&
                  rp_v3_dot(normal, rp_v3_cross(b, c)) > 0 &&
                  rp_v3_dot(normal, rp_v3_cross(c, a)) > 0;
    if (!inside) return rp_nearest_on_edges(point, corners);
    return rp_v3_madd(point, rp_v3_dot(a, normal) / rp_v3_dot(normal, normal), normal);
}

/* A complex number whose argument is half the solid angle of a triangle seen from the origin,
 * positive when seen from its back (van Oosterom and Strackee, "The solid angle of a plane
 * triangle", IEEE Trans. Biomed. Eng. 30, 1983, equation 8). */
typedef struct rp_half_angle {
    double re, im;
} rp_half_angle;

static inline rp_half_angle rp_solid_half_angle(rp_vec3 a, rp_vec3 b, rp_vec3 c)
{
    double la = rp_v3_length(a), lb = rp_v3_length(b), lc = rp_v3_length(c);
    return (rp_half_angle){la * lb * lc + rp_v3_dot(a, b) * lc + rp_v3_dot(b, c) * la +
                               rp_v3_dot(c, a) * lb,
                           rp_v3_dot(a, rp_v3_cross(b, c))};
}

/* How the segment from the origin to `to` intersects a triangle. */
typedef enum rp_crossing {
    RP_CROSSING_NONE,
    RP_CROSSING_IN,  /* through its front */
    RP_CROSSING_OUT, /* through its back */
    RP_CROSSING_EDGE /* exactly through an edge or a corner */
} rp_crossing;

/* Watertight segment-triangle intersection: on which side the segment passes each edge. Triangles
 * that share an edge compute the same number with opposite signs, to the last bit, so that no
 * segment slips through between them (Woop, Benthin and Wald, "Watertight ray/triangle
 * intersection", J. Comput. Graph. Tech. 2 (1), 2013). */
static inline rp_crossing rp_cross_triangle(rp_vec3 to, rp_vec3 a, rp_vec3 b, rp_vec3 c)
{
    double u = rp_v3_dot(to, rp_v3_cross(a, b)), v = rp_v3_dot(to, rp_v3_cross(b, c)),
           w = rp_v3_dot(to, rp_v3_cross(c, a));
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return RP_CROSSING_NONE;
    /* The plane is crossed at height / rise of the segment, if that is between 0 and 1; compared
     * without the division. */
    double rise = u + v + w, height = rp_v3_dot(a, rp_v3_cross(b, c));
    if (rise != 0 && (rise > 0 ? height < 0 || height > rise : height > 0 || height < rise))
        return RP_CROSSING_NONE;
    if (u == 0 || v == 0 || w == 0) return RP_CROSSING_EDGE;
    return rise > 0 ? RP_CROSSING_OUT : RP_CROSSING_IN;
}

#endif
