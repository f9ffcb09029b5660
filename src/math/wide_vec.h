/* Eight vectors at once, one component of all in each wide value. */
#ifndef RP_MATH_WIDE_VEC_H
#define RP_MATH_WIDE_VEC_H

#include "math/vec.h"
#include "math/wide.h"

typedef struct rp_wide_vec3 {
    rp_wide x, y, z;
} rp_wide_vec3;

/* The same in all lanes. */
RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_all(rp_vec3 v)
{
    return (rp_wide_vec3){rp_wide_all((float)v.x), rp_wide_all((float)v.y),
                          rp_wide_all((float)v.z)};
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_zero(void)
{
    return (rp_wide_vec3){rp_wide_all(0), rp_wide_all(0), rp_wide_all(0)};
}

/* The vector in the first lane. */
RP_WIDE_INLINE rp_vec3 rp_wide_v3_first(const rp_wide_vec3 *v)
{
    return rp_v3(v->x[0], v->y[0], v->z[0]);
}

RP_WIDE_INLINE rp_wide rp_wide_v3_dot(rp_wide_vec3 a, rp_wide_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_cross(rp_wide_vec3 a, rp_wide_vec3 b)
{
    return (rp_wide_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_scale(rp_wide_vec3 a, rp_wide s)
{
    return (rp_wide_vec3){a.x * s, a.y * s, a.z * s};
}

RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_add(rp_wide_vec3 a, rp_wide_vec3 b)
{
    return (rp_wide_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* a + s b */
RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_madd(rp_wide_vec3 a, rp_wide s, rp_wide_vec3 b)
{
    return (rp_wide_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Where the mask is set a, else b. */
RP_WIDE_INLINE rp_wide_vec3 rp_wide_v3_select(rp_wide_int mask, rp_wide_vec3 a, rp_wide_vec3 b)
{
    return (rp_wide_vec3){rp_wide_select(mask, a.x, b.x), rp_wide_select(mask, a.y, b.y),
                          rp_wide_select(mask, a.z, b.z)};
}

RP_WIDE_INLINE rp_wide rp_wide_v3_length(rp_wide_vec3 a)
{
    return rp_wide_sqrt(rp_wide_v3_dot(a, a));
}

/* One over the length, 0 for 0. */
RP_WIDE_INLINE rp_wide rp_wide_v3_inverse_length(rp_wide_vec3 a, rp_wide *length)
{
    *length = rp_wide_v3_length(a);
    return rp_wide_select(*length > 0, 1 / *length, rp_wide_all(0));
}

#endif
