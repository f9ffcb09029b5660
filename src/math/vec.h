/* Vectors, matrices and quaternions in double precision: bodies, shapes, scenes, cameras. Grains
 * live in arrays of floats, one per component, and are worked on with math/wide.h. */
#ifndef RP_MATH_VEC_H
#define RP_MATH_VEC_H

#include <math.h>

#define RP_PI 3.14159265358979323846

typedef struct rp_vec3 {
    double x, y, z;
} rp_vec3;

typedef struct rp_quat {
    double w, x, y, z;
} rp_quat;

/* Rows first: m[row][column]. */
typedef struct rp_mat3 {
    double m[3][3];
} rp_mat3;

/* A rigid motion: first rotated, then moved. */
typedef struct rp_pose {
    rp_vec3 position;
    rp_quat orientation;
} rp_pose;

typedef struct rp_box3 {
    rp_vec3 low, high;
} rp_box3;

static inline rp_vec3 rp_v3(double x, double y, double z)
{
    return (rp_vec3){x, y, z};
}

static inline rp_vec3 rp_v3_from(const double v[3])
{
    return rp_v3(v[0], v[1], v[2]);
}

static inline rp_vec3 rp_v3_add(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline rp_vec3 rp_v3_sub(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline rp_vec3 rp_v3_scale(rp_vec3 a, double s)
{
    return rp_v3(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
static inline rp_vec3 rp_v3_madd(rp_vec3 a, double s, rp_vec3 b)
{
    return rp_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* From a, at t = 0, to b, at 1. */
static inline rp_vec3 rp_v3_mix(rp_vec3 a, rp_vec3 b, double t)
{
    return rp_v3_madd(rp_v3_scale(a, 1 - t), t, b);
}

static inline double rp_v3_dot(rp_vec3 a, rp_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rp_vec3 rp_v3_cross(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double rp_v3_length(rp_vec3 a)
{
    return sqrt(rp_v3_dot(a, a));
}

/* sqrt(a^2 + b^2). Not hypot: its last bits depend on the machine, and lengths of a scene are far
 * from the over- and underflow that it guards against. */
static inline double rp_length2(double a, double b)
{
    return sqrt(a * a + b * b);
}

/* The zero vector stays zero. */
static inline rp_vec3 rp_v3_normal(rp_vec3 a)
{
    double length = rp_v3_length(a);
    return length > 0 ? rp_v3_scale(a, 1 / length) : a;
}

/* Component by component, by plain comparison, which compiles to one instruction each; fmin is a
 * call. Where a component is NaN, b's is taken. */
static inline rp_vec3 rp_v3_min(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline rp_vec3 rp_v3_max(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

/* A box around nothing, and the box around another one and a point. */
static inline rp_box3 rp_box3_empty(void)
{
    return (rp_box3){rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
}

static inline rp_box3 rp_box3_add(rp_box3 box, rp_vec3 point)
{
    return (rp_box3){rp_v3_min(box.low, point), rp_v3_max(box.high, point)};
}

/* Some unit vector at right angles to the unit vector `a`. */
rp_vec3 rp_v3_across(rp_vec3 a);

rp_mat3 rp_m3_identity(void);
rp_mat3 rp_m3_mul(rp_mat3 a, rp_mat3 b);
rp_vec3 rp_m3_apply(rp_mat3 a, rp_vec3 v);
rp_mat3 rp_m3_transpose(rp_mat3 a);
double rp_m3_det(rp_mat3 a);
/* The inverse; the zero matrix when there is none. */
rp_mat3 rp_m3_inverse(rp_mat3 a);
/* The principal values of a symmetric matrix, largest first, and the unit vectors along which it
 * has them. */
void rp_m3_principal(rp_mat3 a, double values[3], rp_vec3 axes[3]);

rp_quat rp_quat_identity(void);
rp_quat rp_quat_mul(rp_quat a, rp_quat b); /* first b, then a */
rp_quat rp_quat_conj(rp_quat a);
rp_quat rp_quat_normal(rp_quat a); /* the identity for zero */
rp_quat rp_quat_axis(rp_vec3 axis, double angle);
/* Turns about x, then y, then z, about the fixed axes, in radians. */
rp_quat rp_quat_euler(rp_vec3 angles);
/* The angles that rp_quat_euler makes this turn of: y from -pi/2 to pi/2, the others from -pi to
 * pi. Where y is at an end, x and z turn about the same axis; x is 0 then. */
rp_vec3 rp_quat_angles(rp_quat q);
/* The shortest turn that takes the unit vector `from` to the unit vector `to`. */
rp_quat rp_quat_between(rp_vec3 from, rp_vec3 to);
/* On the shorter arc from a (at 0) to b (at 1), at an even rate. */
rp_quat rp_quat_slerp(rp_quat a, rp_quat b, double t);
/* The turn as a vector: axis times angle, the shorter way; and back. */
rp_vec3 rp_quat_log(rp_quat q);
rp_quat rp_quat_exp(rp_vec3 turn);
rp_vec3 rp_quat_rotate(rp_quat q, rp_vec3 v);
rp_mat3 rp_quat_matrix(rp_quat q);

rp_vec3 rp_pose_to_world(rp_pose pose, rp_vec3 local);
rp_vec3 rp_pose_to_local(rp_pose pose, rp_vec3 world);

#endif
