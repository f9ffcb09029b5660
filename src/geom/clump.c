/* Clumps: named shapes, the integrals over a union of balls, and the frame of the principal axes.
 */
#include "geom/clump.h"
#include "base/report.h"
#include "math/elementary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- integrals over a union of balls ---------------------------------------------------------- */

/* docs/theory/geometry.md, (S13) to (S15). The union is cut into horizontal slices; the outline of
 * a slice is made of arcs of circles, along which Green's theorem gives the integrals exactly. Over
 * the height they are summed by Gauss-Legendre quadrature between the heights at which the topology
 * of the outline changes: the integrand has square roots at these ends, which a change of variable
 * makes smooth. */

#define NODES 24
#define HEIGHTS_MAX 8192
/* Points this deep inside another ball (diameters) are hidden: not on the outline. */
#define HIDDEN 1e-9
/* An interval whose halves add up to it within this is accurate. */
#define AGREE 1e-13
#define HALVINGS_MAX 10
#define SUMS 10 /* the numbers of rp_union_moments */

typedef struct circle {
    double x, y, r;
} circle;

typedef struct span {
    double from, to; /* rad */
} span;

/* Integrals of cos^i sin^j over an arc. */
typedef struct arc {
    double c, cc, ccc, cccc, cs, ccs, css, cccs, ccss;
} arc;

typedef struct gauss_rule {
    double node[NODES], weight[NODES]; /* on 0 to 1, with the change of variable */
} gauss_rule;

/* --- an arc ----------------------------------------------------------------------------------- */

static arc arc_between(double from, double to)
{
    double s0 = rp_sin(from), c0 = rp_cos(from), s1 = rp_sin(to), c1 = rp_cos(to);
    double angle = to - from, double_angle = s1 * c1 - s0 * c0; /* half the change of sin 2t */
    double four = s1 * c1 * (c1 * c1 - s1 * s1) - s0 * c0 * (c0 * c0 - s0 * s0); /* sin 4t / 4 */
    double c2 = (c1 - c0) * (c1 + c0), c3 = c1 * c1 * c1 - c0 * c0 * c0;
    double s3 = s1 * s1 * s1 - s0 * s0 * s0;
    return (arc){.c = s1 - s0,
                 .cc = (angle + double_angle) / 2,
                 .ccc = s1 - s0 - s3 / 3,
                 .cccc = 3 * angle / 8 + double_angle / 2 + four / 8,
                 .cs = -c2 / 2,
                 .ccs = -c3 / 3,
                 .css = s3 / 3,
                 .cccs = -c2 * (c1 * c1 + c0 * c0) / 4,
                 .ccss = angle / 8 - four / 8};
}

/* Adds the arc's part of the integrals of 1, x, y, xx, yy, xy over the slice: along dy of x, xx/2,
 * xy, xxx/3, xyy, xxy/2. */
static void add_arc(const circle *o, double from, double to, double slice[6])
{
    arc a = arc_between(from, to);
    double p = o->x, q = o->y, r = o->r, rr = r * r;
    slice[0] += r * (p * a.c + r * a.cc);
    slice[1] += r / 2 * (p * p * a.c + 2 * p * r * a.cc + rr * a.ccc);
    slice[2] += r * (p * q * a.c + p * r * a.cs + q * r * a.cc + rr * a.ccs);
    slice[3] +=
        r / 3 * (p * p * p * a.c + 3 * p * p * r * a.cc + 3 * p * rr * a.ccc + r * rr * a.cccc);
    slice[4] += r * (p * q * q * a.c + 2 * p * q * r * a.cs + p * rr * a.css + q * q * r * a.cc +
                     2 * q * rr * a.ccs + r * rr * a.ccss);
    slice[5] += r / 2 *
                (p * p * q * a.c + p * p * r * a.cs + 2 * p * q * r * a.cc + 2 * p * rr * a.ccs +
                 q * rr * a.ccc + r * rr * a.cccs);
}

/* --- a slice ---------------------------------------------------------------------------------- */

/* Returns what `other` covers of the rim of `o`: nothing (0), a span of angles (1) or all (2). */
static int covered_span(const circle *o, const circle *other, bool first, span *out)
{
    double dx = other->x - o->x, dy = other->y - o->y, d = rp_hypot(dx, dy);
    double inner = other->r - o->r;
    if (d >= o->r + other->r) return 0;
    if (d <= inner) return inner > 0 || !first ? 2 : 0; /* of two equal circles the first stays */
    if (d <= -inner) return 0;
    double cosine = d * d + o->r * o->r - other->r * other->r;
    double square = (d + o->r + other->r) * (o->r + other->r - d) * (d + inner) * (d - inner);
    double half = rp_atan2(sqrt(square > 0 ? square : 0), cosine), middle = rp_atan2(dy, dx);
    *out = (span){middle - half, middle + half};
    return 1;
}

static int by_start(const void *a, const void *b)
{
    double x = ((const span *)a)->from, y = ((const span *)b)->from;
    return x < y ? -1 : x > y;
}

/* Adds a span within 0 to 2 pi; one across the end becomes two. */
static int put_span(span *spans, int count, span s)
{
    double turn = 2 * RP_PI;
    if (s.from < 0) {
        s.from += turn;
        s.to += turn;
    }
    if (s.to <= turn) {
        spans[count++] = s;
    } else {
        spans[count++] = (span){s.from, turn};
        spans[count++] = (span){0, s.to - turn};
    }
    return count;
}

/* Adds the part of circle i's rim that is outside all others. */
static void add_rim(const circle *circles, int count, int i, double slice[6])
{
    span spans[2 * RP_CLUMP_MAX];
    int covered = 0;
    for (int j = 0; j < count; j++) {
        span s;
        int kind = j == i ? 0 : covered_span(&circles[i], &circles[j], i < j, &s);
        if (kind == 2) return;
        if (kind == 1) covered = put_span(spans, covered, s);
    }
    /* Sweep around the rim: the gaps between covered spans are on the outline. */
    qsort(spans, (size_t)covered, sizeof *spans, by_start);
    double at = 0;
    for (int k = 0; k < covered; k++) {
        if (spans[k].from > at) add_arc(&circles[i], at, spans[k].from, slice);
        at = spans[k].to > at ? spans[k].to : at;
    }
    if (at < 2 * RP_PI) add_arc(&circles[i], at, 2 * RP_PI, slice);
}

/* The ten integrands at a height, times a weight. */
static void add_slice(const rp_ball *balls, int count, double z, double weight, double sums[SUMS])
{
    circle circles[RP_CLUMP_MAX];
    double slice[6] = {0};
    int cut = 0;
    for (int i = 0; i < count; i++) {
        double up = z - balls[i].centre.z;
        double square = (balls[i].radius - up) * (balls[i].radius + up);
        if (square > 0)
            circles[cut++] = (circle){balls[i].centre.x, balls[i].centre.y, sqrt(square)};
    }
    for (int i = 0; i < cut; i++)
        add_rim(circles, cut, i, slice);
    const double values[SUMS] = {slice[0], slice[1],         slice[2], z * slice[0], slice[3],
                                 slice[4], z * z * slice[0], slice[5], z * slice[1], z * slice[2]};
    for (int i = 0; i < SUMS; i++)
        sums[i] += weight * values[i];
}

/* --- heights at which the topology changes --------------------------------------------------- */

typedef struct heights {
    double at[HEIGHTS_MAX];
    int count;
} heights;

/* Notes a point's height when it is on the outline: inside no ball but those that made it. */
static void note_point(heights *h, const rp_ball *balls, int count, rp_vec3 point)
{
    for (int i = 0; i < count; i++) {
        double deep = balls[i].radius - rp_v3_length(rp_v3_sub(point, balls[i].centre));
        if (deep > HIDDEN) return;
    }
    if (h->count < HEIGHTS_MAX) h->at[h->count++] = point.z;
}

/* The circle in which two spheres intersect. */
typedef struct ring {
    rp_vec3 centre, axis;
    double radius;
} ring;

static bool ring_of(const rp_ball *a, const rp_ball *b, ring *out)
{
    rp_vec3 apart = rp_v3_sub(b->centre, a->centre);
    double d = rp_v3_length(apart);
    if (!(d > 0)) return false;
    double along = (d + (a->radius - b->radius) * (a->radius + b->radius) / d) / 2;
    double square = (a->radius - along) * (a->radius + along);
    if (square < 0) return false;
    rp_vec3 axis = rp_v3_scale(apart, 1 / d);
    *out = (ring){rp_v3_madd(a->centre, along, axis), axis, sqrt(square)};
    return true;
}

/* Notes the points in which three spheres intersect. */
static void note_triple_points(heights *h, const rp_ball *balls, int count, const ring *o,
                               const rp_ball *third)
{
    rp_vec3 apart = rp_v3_sub(third->centre, o->centre);
    rp_vec3 flat = rp_v3_madd(apart, -rp_v3_dot(apart, o->axis), o->axis); /* in the ring's plane */
    double d = rp_v3_length(flat);
    if (!(d > 0)) return;
    double square = rp_v3_dot(apart, apart) - third->radius * third->radius + o->radius * o->radius;
    double along = square / (2 * d), across = (o->radius - along) * (o->radius + along);
    if (across < 0) return;
    rp_vec3 u = rp_v3_scale(flat, 1 / d), v = rp_v3_cross(o->axis, u);
    rp_vec3 foot = rp_v3_madd(o->centre, along, u);
    note_point(h, balls, count, rp_v3_madd(foot, sqrt(across), v));
    note_point(h, balls, count, rp_v3_madd(foot, -sqrt(across), v));
}

/* Notes the highest and lowest point of the circle of two spheres, and its points on a third. */
static void note_pair(heights *h, const rp_ball *balls, int count, int i, int j)
{
    ring o;
    if (!ring_of(&balls[i], &balls[j], &o)) return;
    rp_vec3 up = rp_v3_normalized(rp_v3_madd(rp_v3(0, 0, 1), -o.axis.z, o.axis));
    note_point(h, balls, count, rp_v3_madd(o.centre, o.radius, up));
    note_point(h, balls, count, rp_v3_madd(o.centre, -o.radius, up));
    for (int k = j + 1; k < count; k++)
        note_triple_points(h, balls, count, &o, &balls[k]);
}

static int by_height(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void find_heights(heights *h, const rp_ball *balls, int count)
{
    h->count = 0;
    for (int i = 0; i < count; i++) {
        rp_vec3 c = balls[i].centre;
        note_point(h, balls, count, rp_v3(c.x, c.y, c.z - balls[i].radius));
        note_point(h, balls, count, rp_v3(c.x, c.y, c.z + balls[i].radius));
        for (int j = i + 1; j < count; j++)
            note_pair(h, balls, count, i, j);
    }
    qsort(h->at, (size_t)h->count, sizeof *h->at, by_height);
}

/* --- the sum over the height ------------------------------------------------------------------ */

/* Gauss-Legendre nodes: zeros of the Legendre polynomial by Newton's method. Then t becomes
 * tt (3 - 2 t), whose slope vanishes at both ends and cancels the square roots there: (S14). */
static void make_rule(gauss_rule *out)
{
    for (int i = 0; i < NODES; i++) {
        double x = rp_cos(RP_PI * (i + 0.75) / (NODES + 0.5)), slope = 1;
        for (int turn = 0; turn < 8; turn++) {
            double last = 1, now = x;
            for (int n = 2; n <= NODES; n++) {
                double next = ((2 * n - 1) * x * now - (n - 1) * last) / n;
                last = now;
                now = next;
            }
            slope = NODES * (x * now - last) / (x * x - 1);
            x -= now / slope;
        }
        double t = (1 + x) / 2;
        out->node[i] = t * t * (3 - 2 * t);
        out->weight[i] = 6 * t * (1 - t) / ((1 - x * x) * slope * slope);
    }
}

static void add_interval(const gauss_rule *rule, const rp_ball *balls, int count, double low,
                         double high, double sums[SUMS])
{
    for (int i = 0; i < NODES; i++)
        add_slice(balls, count, low + (high - low) * rule->node[i], (high - low) * rule->weight[i],
                  sums);
}

/* Adaptive quadrature: halves an interval until halving changes nothing. Where the topology almost
 * changes near the interval, one rule is not enough. `whole` is the sum over the interval. */
static void add_halves(const gauss_rule *rule, const rp_ball *balls, int count, double low,
                       double high, const double whole[SUMS], int depth, double sums[SUMS])
{
    double lower[SUMS] = {0}, upper[SUMS] = {0}, middle = (low + high) / 2;
    bool agree = true;
    add_interval(rule, balls, count, low, middle, lower);
    add_interval(rule, balls, count, middle, high, upper);
    for (int i = 0; i < SUMS; i++)
        agree &= fabs(lower[i] + upper[i] - whole[i]) <= AGREE;
    if (agree || depth == HALVINGS_MAX) {
        for (int i = 0; i < SUMS; i++)
            sums[i] += lower[i] + upper[i];
        return;
    }
    add_halves(rule, balls, count, low, middle, lower, depth + 1, sums);
    add_halves(rule, balls, count, middle, high, upper, depth + 1, sums);
}

rp_union_moments rp_balls_moments(const rp_ball *balls, int count)
{
    gauss_rule rule;
    heights h;
    double sums[SUMS] = {0};
    make_rule(&rule);
    find_heights(&h, balls, count);
    for (int i = 1; i < h.count; i++) {
        double whole[SUMS] = {0};
        if (!(h.at[i] > h.at[i - 1])) continue;
        add_interval(&rule, balls, count, h.at[i - 1], h.at[i], whole);
        add_halves(&rule, balls, count, h.at[i - 1], h.at[i], whole, 0, sums);
    }
    return (rp_union_moments){sums[0],
                              {sums[1], sums[2], sums[3]},
                              {sums[4], sums[5], sums[6], sums[7], sums[8], sums[9]}};
}

/* --- clumps ----------------------------------------------------------------------------------- */

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

/* Returns the radius of the bounding ball about the origin. */
static double reach_of(const rp_ball *balls, int count)
{
    double reach = 0;
    for (int i = 0; i < count; i++) {
        double far = rp_v3_length(balls[i].centre) + balls[i].radius;
        reach = far > reach ? far : reach;
    }
    return reach;
}

/* Moves the balls about the middle of their box and scales them to about one across, as the
 * integrals need. */
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

/* One Jacobi rotation in the plane of axes p and q that removes their product of inertia (Golub and
 * Van Loan, "Matrix Computations", 4th edition, algorithm 8.4.1). */
static void jacobi_rotation(double a[3][3], rp_mat3 *axes, int p, int q)
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

/* Returns the principal axes as columns of a rotation; `moments` gets the principal moments. Sweeps
 * end when all products are rounding. */
static rp_mat3 principal_axes(double a[3][3], double moments[3])
{
    rp_mat3 axes = rp_m3_identity();
    double least = PRODUCT_NONE * (a[0][0] + a[1][1] + a[2][2]);
    for (int sweep = 0, turned = 1; sweep < SWEEPS_MAX && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                if (fabs(a[p][q]) > least) {
                    jacobi_rotation(a, &axes, p, q);
                    turned = 1;
                }
    }
    for (int i = 0; i < 3; i++)
        moments[i] = a[i][i];
    return axes;
}

/* Computes the inertia tensor about the origin, which is the centre of mass: (S1). */
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
    /* Once more about the centre of mass, so that nothing has to be subtracted from the squares. */
    move_and_scale(out->balls, count, middle, 1);
    m = rp_balls_moments(out->balls, count);
    double tensor[3][3];
    tensor_of(&m, tensor);
    /* Into the frame of the principal axes, then to a bounding ball of diameter one. */
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
