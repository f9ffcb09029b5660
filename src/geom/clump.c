#include "geom/clump.h"
#include "base/report.h"

#include <stdbool.h>
#include <string.h>

/* Products of inertia below this part of the moments are rounding. */
#define PRODUCT_NONE 1e-11
#define SWEEPS_MAX 50

/* The edge of the tetrahedron: its balls overlap, and it still has four corners to interlock. */
#define TETRAHEDRON_EDGE 1.2
/* The edge of the cube, nearly the longest that leaves no hole in its middle. */
#define CUBE_EDGE 1.15

void rp_clump_shape(int shape, rp_ball *balls, int *count)
{
    /* Corners of a cube; every other one is a tetrahedron. */
    double half = shape == RP_GRAIN_CUBE ? CUBE_EDGE / 2 : TETRAHEDRON_EDGE / sqrt(8);
    *count = 0;
    for (int corner = 0; corner < 8; corner++) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        bool taken = shape == RP_GRAIN_CUBE || (shape == RP_GRAIN_TETRAHEDRON && !(x ^ y ^ z));
        rp_vec3 place = {half * (2 * x - 1), half * (2 * y - 1), half * (2 * z - 1)};
        if (taken) balls[(*count)++] = (rp_ball){place, 1};
    }
    if (shape == RP_GRAIN_SPHERE) balls[(*count)++] = (rp_ball){{0, 0, 0}, 1};
    for (int side = -1; shape == RP_GRAIN_DIMER && side < 2; side += 2)
        balls[(*count)++] = (rp_ball){{0.5 * side, 0, 0}, 1};
}

static rp_code check_balls(const rp_ball *balls, int count, rp_report *report)
{
    if (count < 1 || count > RP_CLUMP_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "a grain is made of 1 to %d spheres, not of %d",
                       RP_CLUMP_MAX, count);
    for (int i = 0; i < count; i++) {
        rp_vec3 c = balls[i].centre;
        double r = balls[i].radius;
        if (!isfinite(c.x) || !isfinite(c.y) || !isfinite(c.z) || !isfinite(r) || !(r > 0))
            return rp_fail(report, RP_ERROR_INPUT,
                           "sphere %d of the grain: [%g, %g, %g] with radius %g; wanted are finite "
                           "numbers and a radius above 0",
                           i + 1, c.x, c.y, c.z, r);
    }
    return RP_OK;
}

static void move_and_scale(rp_ball *balls, int count, rp_vec3 origin, double scale)
{
    for (int i = 0; i < count; i++) {
        balls[i].centre = rp_v3_scale(rp_v3_sub(balls[i].centre, origin), scale);
        balls[i].radius *= scale;
    }
}

/* Half the diameter of the ball about the origin that holds all. */
static double reach_of(const rp_ball *balls, int count)
{
    double reach = 0;
    for (int i = 0; i < count; i++) {
        double far = rp_v3_length(balls[i].centre) + balls[i].radius;
        reach = far > reach ? far : reach;
    }
    return reach;
}

/* About the middle of their box, about one across: what the integrals need. */
static void bring_near(rp_ball *balls, int count)
{
    rp_vec3 low = balls[0].centre, high = low;
    for (int i = 1; i < count; i++) {
        low = rp_v3_min(low, balls[i].centre);
        high = rp_v3_max(high, balls[i].centre);
    }
    move_and_scale(balls, count, rp_v3_mix(low, high, 0.5), 1);
    move_and_scale(balls, count, rp_v3(0, 0, 0), 0.5 / reach_of(balls, count));
}

/* One turn in the plane of axes p and q that removes their product (Jacobi's method; Golub and Van
 * Loan, "Matrix Computations", 4th edition, algorithm 8.4.1). */
static void jacobi_turn(double a[3][3], rp_mat3 *axes, int p, int q)
{
    double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        double vp = axes->m[k][p], vq = axes->m[k][q];
        axes->m[k][p] = c * vp - s * vq;
        axes->m[k][q] = s * vp + c * vq;
    }
}

/* Columns: the principal axes, a rotation; the moments along them go to `moments`. */
static rp_mat3 principal_axes(double a[3][3], double moments[3])
{
    rp_mat3 axes = rp_m3_identity();
    double least = PRODUCT_NONE * (a[0][0] + a[1][1] + a[2][2]);
    for (int sweep = 0, turned = 1; sweep < SWEEPS_MAX && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                if (fabs(a[p][q]) > least) {
                    jacobi_turn(a, &axes, p, q);
                    turned = 1;
                }
    }
    for (int i = 0; i < 3; i++)
        moments[i] = a[i][i];
    return axes;
}

/* The tensor about the origin, which is the middle. */
static void tensor_of(const rp_union_moments *m, double a[3][3])
{
    const double *s = m->second;
    const double tensor[3][3] = {
        {s[1] + s[2], -s[3], -s[4]}, {-s[3], s[0] + s[2], -s[5]}, {-s[4], -s[5], s[0] + s[1]}};
    memcpy(a, tensor, sizeof tensor);
}

rp_code rp_clump_make(const rp_ball *balls, int count, rp_clump *out, rp_report *report)
{
    RP_TRY(check_balls(balls, count, report));
    *out = (rp_clump){.count = count};
    memcpy(out->balls, balls, (size_t)count * sizeof *balls);
    bring_near(out->balls, count);
    rp_union_moments m = rp_balls_moments(out->balls, count);
    rp_vec3 middle = rp_v3_scale(rp_v3_from(m.first), 1 / m.volume);
    /* Once more from the middle, so that nothing has to be taken off the squares. */
    move_and_scale(out->balls, count, middle, 1);
    m = rp_balls_moments(out->balls, count);
    double tensor[3][3];
    tensor_of(&m, tensor);
    rp_mat3 into = rp_m3_transpose(principal_axes(tensor, out->inertia));
    for (int i = 0; i < count; i++)
        out->balls[i].centre = rp_m3_apply(into, out->balls[i].centre);
    double scale = 0.5 / reach_of(out->balls, count), cube = scale * scale * scale;
    move_and_scale(out->balls, count, rp_v3(0, 0, 0), scale);
    out->volume = m.volume * cube;
    for (int i = 0; i < 3; i++)
        out->inertia[i] *= cube * scale * scale;
    return RP_OK;
}
