/* Matrices, quaternions and poses; the short functions of vectors are inline in the header. */
#include "math/vec.h"
#include "math/elementary.h"

rp_vec3 rp_v3_perpendicular(rp_vec3 a)
{
    rp_vec3 other = fabs(a.x) < 0.6 ? rp_v3(1, 0, 0) : rp_v3(0, 1, 0);
    return rp_v3_normalized(rp_v3_cross(a, other));
}

/* --- matrices --- */

rp_mat3 rp_m3_identity(void)
{
    return (rp_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

rp_mat3 rp_m3_mul(rp_mat3 a, rp_mat3 b)
{
    rp_mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}

rp_vec3 rp_m3_apply(rp_mat3 a, rp_vec3 v)
{
    return rp_v3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                 a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                 a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

rp_mat3 rp_m3_transpose(rp_mat3 a)
{
    rp_mat3 b;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b.m[i][j] = a.m[j][i];
    return b;
}

/* Returns the cofactor of row i and column j; cyclic indices give it its sign. */
static double cofactor(const rp_mat3 *a, int i, int j)
{
    int r0 = (i + 1) % 3, r1 = (i + 2) % 3, c0 = (j + 1) % 3, c1 = (j + 2) % 3;
    return a->m[r0][c0] * a->m[r1][c1] - a->m[r0][c1] * a->m[r1][c0];
}

double rp_m3_det(rp_mat3 a)
{
    return a.m[0][0] * cofactor(&a, 0, 0) + a.m[0][1] * cofactor(&a, 0, 1) +
           a.m[0][2] * cofactor(&a, 0, 2);
}

rp_mat3 rp_m3_inverse(rp_mat3 a)
{
    rp_mat3 inverse = {{{0}}};
    double det = rp_m3_det(a);
    if (det == 0) return inverse;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse.m[i][j] = cofactor(&a, j, i) / det;
    return inverse;
}

/* One rotation of Jacobi's eigenvalue method, in the plane of the axes p and q: a[p][q] becomes
 * zero; `v` accumulates the rotations, its columns become the eigenvectors. */
static void jacobi_rotate(rp_mat3 *a, rp_mat3 *v, int p, int q)
{
    if (a->m[p][q] == 0) return;
    /* The smaller of the two angles that make a[p][q] zero, by its tangent t. */
    double theta = (a->m[q][q] - a->m[p][p]) / (2 * a->m[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    rp_mat3 rotation = rp_m3_identity();
    rotation.m[p][p] = rotation.m[q][q] = c;
    rotation.m[p][q] = s;
    rotation.m[q][p] = -s;
    *a = rp_m3_mul(rp_m3_transpose(rotation), rp_m3_mul(*a, rotation));
    a->m[p][q] = a->m[q][p] = 0;
    *v = rp_m3_mul(*v, rotation);
}

void rp_m3_eigen(rp_mat3 a, double values[3], rp_vec3 axes[3])
{
    rp_mat3 v = rp_m3_identity();
    for (int sweep = 0; sweep < 12; sweep++) { /* six are enough for any matrix */
        jacobi_rotate(&a, &v, 0, 1);
        jacobi_rotate(&a, &v, 0, 2);
        jacobi_rotate(&a, &v, 1, 2);
    }
    /* Sort, largest eigenvalue first. */
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            if (a.m[order[j]][order[j]] > a.m[order[i]][order[i]]) {
                int other = order[i];
                order[i] = order[j];
                order[j] = other;
            }
    for (int i = 0; i < 3; i++) {
        int k = order[i];
        values[i] = a.m[k][k];
        axes[i] = rp_v3(v.m[0][k], v.m[1][k], v.m[2][k]);
    }
}

/* --- quaternions --- */

rp_quat rp_quat_identity(void)
{
    return (rp_quat){1, 0, 0, 0};
}

rp_quat rp_quat_mul(rp_quat a, rp_quat b)
{
    return (rp_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

rp_quat rp_quat_conj(rp_quat a)
{
    return (rp_quat){a.w, -a.x, -a.y, -a.z};
}

rp_quat rp_quat_normalized(rp_quat a)
{
    double length = sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    if (length == 0) return rp_quat_identity();
    return (rp_quat){a.w / length, a.x / length, a.y / length, a.z / length};
}

rp_quat rp_quat_from_axis(rp_vec3 axis, double angle)
{
    return rp_quat_exp(rp_v3_scale(rp_v3_normalized(axis), angle));
}

rp_quat rp_quat_from_euler(rp_vec3 angles)
{
    rp_quat x = rp_quat_exp(rp_v3(angles.x, 0, 0));
    rp_quat y = rp_quat_exp(rp_v3(0, angles.y, 0));
    rp_quat z = rp_quat_exp(rp_v3(0, 0, angles.z));
    return rp_quat_mul(z, rp_quat_mul(y, x));
}

rp_vec3 rp_quat_to_euler(rp_quat q)
{
    rp_mat3 m = rp_quat_matrix(q);
    /* The matrix is Z Y X: its first column is that of Z Y, its last row that of Y X. */
    double level = rp_hypot(m.m[0][0], m.m[1][0]);
    double y = rp_atan2(-m.m[2][0], level);
    if (level < 1e-9) return rp_v3(0, y, rp_atan2(-m.m[0][1], m.m[1][1]));
    return rp_v3(rp_atan2(m.m[2][1], m.m[2][2]), y, rp_atan2(m.m[1][0], m.m[0][0]));
}

rp_quat rp_quat_between(rp_vec3 from, rp_vec3 to)
{
    double cosine = rp_v3_dot(from, to);
    if (cosine < -1 + 1e-12) { /* opposite: any perpendicular axis */
        rp_vec3 axis = rp_v3_perpendicular(from);
        return (rp_quat){0, axis.x, axis.y, axis.z};
    }
    rp_vec3 axis = rp_v3_cross(from, to);
    return rp_quat_normalized((rp_quat){1 + cosine, axis.x, axis.y, axis.z});
}

rp_quat rp_quat_slerp(rp_quat a, rp_quat b, double t)
{
    rp_vec3 rotation = rp_quat_log(rp_quat_mul(b, rp_quat_conj(a)));
    return rp_quat_mul(rp_quat_exp(rp_v3_scale(rotation, t)), a);
}

rp_vec3 rp_quat_log(rp_quat q)
{
    /* q and -q are the same rotation; w >= 0 is that of at most half a turn. */
    if (q.w < 0) q = (rp_quat){-q.w, -q.x, -q.y, -q.z};
    rp_vec3 axis = {q.x, q.y, q.z};
    double sine = rp_v3_length(axis);
    double scale = sine > 1e-12 ? 2 * rp_atan2(sine, q.w) / sine : 2 / q.w;
    return rp_v3_scale(axis, scale);
}

rp_quat rp_quat_exp(rp_vec3 rotation)
{
    double angle = rp_v3_length(rotation);
    double scale = angle > 1e-12 ? rp_sin(angle / 2) / angle : 0.5;
    return (rp_quat){rp_cos(angle / 2), rotation.x * scale, rotation.y * scale, rotation.z * scale};
}

rp_vec3 rp_quat_rotate(rp_quat q, rp_vec3 v)
{
    /* v + w t + axis x t, t = 2 axis x v: q v q* without products of zeros. */
    rp_vec3 axis = {q.x, q.y, q.z};
    rp_vec3 twice = rp_v3_scale(rp_v3_cross(axis, v), 2);
    return rp_v3_add(rp_v3_madd(v, q.w, twice), rp_v3_cross(axis, twice));
}

rp_mat3 rp_quat_matrix(rp_quat q)
{
    rp_vec3 x = rp_quat_rotate(q, rp_v3(1, 0, 0));
    rp_vec3 y = rp_quat_rotate(q, rp_v3(0, 1, 0));
    rp_vec3 z = rp_quat_rotate(q, rp_v3(0, 0, 1));
    return (rp_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/* --- poses --- */

rp_vec3 rp_pose_to_world(rp_pose pose, rp_vec3 local)
{
    return rp_v3_add(pose.position, rp_quat_rotate(pose.orientation, local));
}

rp_vec3 rp_pose_to_local(rp_pose pose, rp_vec3 world)
{
    return rp_quat_rotate(rp_quat_conj(pose.orientation), rp_v3_sub(world, pose.position));
}
