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

/* A rigid motion: a rotation, then a translation. */
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

/* Returns the linear interpolation from a, at t = 0, to b, at t = 1. */
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

/* Returns sqrt(a^2 + b^2). Not C's hypot: its last bits depend on the machine, and lengths of a
 * scene are far from the over- and underflow that it guards against. */
static inline double rp_hypot(double a, double b)
{
    return sqrt(a * a + b * b);
}

/* Returns the unit vector along `a`; the zero vector stays zero. */
static inline rp_vec3 rp_v3_normalized(rp_vec3 a)
{
    double length = rp_v3_length(a);
    return length > 0 ? rp_v3_scale(a, 1 / length) : a;
}

/* Minimum and maximum of each component, by plain comparison, which compiles to one instruction
 * each; fmin is a call. Where a component is NaN, the result is that of b. */
static inline rp_vec3 rp_v3_min(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline rp_vec3 rp_v3_max(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

/* The empty box; and the smallest box that contains `box` and `point`. */
static inline rp_box3 rp_box3_empty(void)
{
    return (rp_box3){rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
}

static inline rp_box3 rp_box3_add(rp_box3 box, rp_vec3 point)
{
    return (rp_box3){rp_v3_min(box.low, point), rp_v3_max(box.high, point)};
}

/* Returns some unit vector perpendicular to the unit vector `a`. */
rp_vec3 rp_v3_perpendicular(rp_vec3 a);

rp_mat3 rp_m3_identity(void);
rp_mat3 rp_m3_mul(rp_mat3 a, rp_mat3 b);
rp_vec3 rp_m3_apply(rp_mat3 a, rp_vec3 v);
rp_mat3 rp_m3_transpose(rp_mat3 a);
double rp_m3_det(rp_mat3 a);
/* Returns the inverse; the zero matrix when there is none. */
rp_mat3 rp_m3_inverse(rp_mat3 a);
/* Computes the eigenvalues of a symmetric matrix, largest first, and its unit eigenvectors, by
 * Jacobi rotations. */
void rp_m3_eigen(rp_mat3 a, double values[3], rp_vec3 axes[3]);

rp_quat rp_quat_identity(void);
rp_quat rp_quat_mul(rp_quat a, rp_quat b); /* rotation by b, then by a */
rp_quat rp_quat_conj(rp_quat a);
rp_quat rp_quat_normalized(rp_quat a); /* the identity for zero */
rp_quat rp_quat_from_axis(rp_vec3 axis, double angle);
/* Returns the rotation about x, then y, then z, about the fixed axes, in radians. */
rp_quat rp_quat_from_euler(rp_vec3 angles);
/* Returns the angles from which rp_quat_from_euler makes this rotation: y from -pi/2 to pi/2, the
 * others from -pi to pi. Where y is at an end (gimbal lock), x and z rotate about the same axis; x
 * is 0 then. */
rp_vec3 rp_quat_to_euler(rp_quat q);
/* Returns the shortest rotation that takes the unit vector `from` to the unit vector `to`. */
rp_quat rp_quat_between(rp_vec3 from, rp_vec3 to);
/* Returns the spherical linear interpolation from a (t = 0) to b (t = 1), on the shorter arc. */
rp_quat rp_quat_slerp(rp_quat a, rp_quat b, double t);
/* The rotation vector, axis times angle, of at most half a turn; and its inverse function. */
rp_vec3 rp_quat_log(rp_quat q);
rp_quat rp_quat_exp(rp_vec3 rotation);
rp_vec3 rp_quat_rotate(rp_quat q, rp_vec3 v);
rp_mat3 rp_quat_matrix(rp_quat q);

rp_vec3 rp_pose_to_world(rp_pose pose, rp_vec3 local);
rp_vec3 rp_pose_to_local(rp_pose pose, rp_vec3 world);

#endif
