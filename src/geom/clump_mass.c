/* Integrals over a union of balls: docs/theory/geometry.md, (S13) to (S15). The union is cut into
 * horizontal slices; the outline of a slice is made of arcs of circles, along which Green's theorem
 * gives the integrals exactly. Over the height they are summed by Gauss and Legendre's rule between
 * the heights at which the outline changes its kind: there the integrand has square roots at the
 * ends, which a change of variable makes smooth. */
#include "geom/clump.h"
#include "math/elementary.h"

#include <stdbool.h>
#include <stdlib.h>

#define NODES 24
#define HEIGHTS_MAX 8192
/* Points this deep inside another ball are not on the outline. */
#define HIDDEN 1e-9
/* Halves of a stretch that sum up to this part of the whole are as good as the stretch. */
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
    double node[NODES], weight[NODES]; /* on 0 to 1, the change of variable worked in */
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

/* What `other` covers of the rim of `o`: nothing (0), a span (1) or all (2). */
static int covered_span(const circle *o, const circle *other, bool first, span *out)
{
    double dx = other->x - o->x, dy = other->y - o->y, d = rp_hypot(dx, dy);
    double inner = other->r - o->r;
    if (d >= o->r + other->r) return 0;
    if (d <= inner)
        return inner > 0 || !first ? 2 : 0; /* of the same circle twice the first stays */
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

/* Spans inside 0 to a turn; one across its end becomes two. */
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

/* --- heights at which the outline changes its kind -------------------------------------------- */

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

/* The circle that two spheres share. */
typedef struct ring {
    rp_vec3 centre, axis;
    double radius;
} ring;

static bool ring_of(const rp_ball *a, const rp_ball *b, ring *out)
{
    rp_vec3 way = rp_v3_sub(b->centre, a->centre);
    double d = rp_v3_length(way);
    if (!(d > 0)) return false;
    double along = (d + (a->radius - b->radius) * (a->radius + b->radius) / d) / 2;
    double square = (a->radius - along) * (a->radius + along);
    if (square < 0) return false;
    rp_vec3 axis = rp_v3_scale(way, 1 / d);
    *out = (ring){rp_v3_madd(a->centre, along, axis), axis, sqrt(square)};
    return true;
}

/* The points that a ring shares with a third sphere. */
static void note_meetings(heights *h, const rp_ball *balls, int count, const ring *o,
                          const rp_ball *third)
{
    rp_vec3 way = rp_v3_sub(third->centre, o->centre);
    rp_vec3 flat = rp_v3_madd(way, -rp_v3_dot(way, o->axis), o->axis); /* in the ring's plane */
    double d = rp_v3_length(flat);
    if (!(d > 0)) return;
    double square = rp_v3_dot(way, way) - third->radius * third->radius + o->radius * o->radius;
    double along = square / (2 * d), across = (o->radius - along) * (o->radius + along);
    if (across < 0) return;
    rp_vec3 u = rp_v3_scale(flat, 1 / d), v = rp_v3_cross(o->axis, u);
    rp_vec3 foot = rp_v3_madd(o->centre, along, u);
    note_point(h, balls, count, rp_v3_madd(foot, sqrt(across), v));
    note_point(h, balls, count, rp_v3_madd(foot, -sqrt(across), v));
}

static void note_pair(heights *h, const rp_ball *balls, int count, int i, int j)
{
    ring o;
    if (!ring_of(&balls[i], &balls[j], &o)) return;
    rp_vec3 up = rp_v3_normalized(rp_v3_madd(rp_v3(0, 0, 1), -o.axis.z, o.axis));
    note_point(h, balls, count, rp_v3_madd(o.centre, o.radius, up));
    note_point(h, balls, count, rp_v3_madd(o.centre, -o.radius, up));
    for (int k = j + 1; k < count; k++)
        note_meetings(h, balls, count, &o, &balls[k]);
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

/* Zeros of Legendre's polynomial by Newton's method; then t becomes tt (3 - 2 t), whose slope
 * vanishes at both ends. */
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

static void add_stretch(const gauss_rule *rule, const rp_ball *balls, int count, double low,
                        double high, double sums[SUMS])
{
    for (int i = 0; i < NODES; i++)
        add_slice(balls, count, low + (high - low) * rule->node[i], (high - low) * rule->weight[i],
                  sums);
}

/* Halves a stretch until halving changes nothing: where the outline almost changes its kind beside
 * the stretch, one sum is not enough. `whole` is the sum over it. */
static void add_halves(const gauss_rule *rule, const rp_ball *balls, int count, double low,
                       double high, const double whole[SUMS], int depth, double sums[SUMS])
{
    double lower[SUMS] = {0}, upper[SUMS] = {0}, middle = (low + high) / 2;
    bool agree = true;
    add_stretch(rule, balls, count, low, middle, lower);
    add_stretch(rule, balls, count, middle, high, upper);
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
        add_stretch(&rule, balls, count, h.at[i - 1], h.at[i], whole);
        add_halves(&rule, balls, count, h.at[i - 1], h.at[i], whole, 0, sums);
    }
    return (rp_union_moments){sums[0],
                              {sums[1], sums[2], sums[3]},
                              {sums[4], sums[5], sums[6], sums[7], sums[8], sums[9]}};
}
