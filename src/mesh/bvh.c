/* Bounding volume hierarchy: building and queries. */
#include "mesh/bvh.h"
#include "base/memory.h"
#include "base/report.h"
#include "math/elementary.h"
#include "mesh/triangle.h"

/* --- building --------------------------------------------------------------------------------- */

/* Top-down by the surface area heuristic: a range of triangles is split where the sum of (surface
 * of the box) x (triangles in it) is least, which estimates the cost of a query (MacDonald and
 * Booth, "Heuristics for ray tracing using space subdivision", Visual Computer 6, 1990), evaluated
 * at the borders of 16 bins (Wald, "On fast construction of SAH-based bounding volume hierarchies",
 * 2007). The largest part is split again until there are four. The result is deterministic. */

#define BINS 16
/* Deeper than this, ranges are halved by count, which ends after 15 more levels at most: no input
 * makes the hierarchy deeper than RP_BVH_DEPTH. */
#define UNEVEN_DEPTH 40

typedef struct box {
    float low[3], high[3];
} box;

typedef struct builder {
    const rp_mesh *mesh;
    rp_mesh_bvh *bvh;
    box *boxes;      /* of the triangles, from the middle */
    uint32_t *order; /* triangles; those of a node are one range */
    bool ok;         /* memory lasts */
} builder;

typedef struct range {
    size_t begin, end;
} range;

/* Sums over the triangles of a node, for its dipole. */
typedef struct total {
    rp_vec3 centre; /* times area */
    rp_vec3 area;   /* vector */
    double weight;  /* m2 */
} total;

static box empty_box(void)
{
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(box *a, const box *b)
{
    for (int k = 0; k < 3; k++) {
        a->low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        a->high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
}

static float half_surface(const box *b)
{
    float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

/* Returns twice the middle of a box along an axis. */
static float place(const box *b, int axis)
{
    return b->low[axis] + b->high[axis];
}

/* Returns the box of a triangle, from the middle, widened by so much that neither its rounding to
 * floats nor that of a query's point nearby matters: (S5). */
static box triangle_box(const builder *b, size_t t, double slack)
{
    rp_vec3 c[3];
    rp_mesh_corners(b->mesh, t, c);
    rp_vec3 low = rp_v3_sub(rp_v3_min(c[0], rp_v3_min(c[1], c[2])), b->bvh->middle);
    rp_vec3 high = rp_v3_sub(rp_v3_max(c[0], rp_v3_max(c[1], c[2])), b->bvh->middle);
    return (box){{(float)(low.x - slack), (float)(low.y - slack), (float)(low.z - slack)},
                 {(float)(high.x + slack), (float)(high.y + slack), (float)(high.z + slack)}};
}

/* Returns the axis along which the middles of the boxes have the widest extent, and that extent. */
static int widest_axis(const builder *b, range r, float *low, float *width)
{
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = r.begin; i < r.end; i++)
        for (int k = 0; k < 3; k++) {
            float at = place(&b->boxes[b->order[i]], k);
            least[k] = at < least[k] ? at : least[k];
            most[k] = at > most[k] ? at : most[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (most[k] - least[k] > most[axis] - least[axis]) axis = k;
    *low = least[axis];
    *width = most[axis] - least[axis];
    return axis;
}

static int bin_of(float at, float low, float width)
{
    int bin = (int)((at - low) / width * BINS);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* Returns the first bin of the right part with the least cost: costs of all right parts by a sweep
 * from the right, those of the left parts on the way back. */
static int cheapest_bin(const box *boxes, const size_t *counts)
{
    float right_cost[BINS];
    box all = empty_box();
    size_t count = 0;
    for (int i = BINS - 1; i > 0; i--) {
        grow(&all, &boxes[i]);
        count += counts[i];
        right_cost[i] = count ? half_surface(&all) * (float)count : 0;
    }
    all = empty_box();
    count = 0;
    int best = 1;
    float least = INFINITY;
    for (int i = 1; i < BINS; i++) {
        grow(&all, &boxes[i - 1]);
        count += counts[i - 1];
        float cost = (count ? half_surface(&all) * (float)count : 0) + right_cost[i];
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* Partitions the range in place: triangles of the left bins first. Returns where the others begin.
 */
static size_t part_by_bins(builder *b, range r, int axis, float low, float width)
{
    box boxes[BINS];
    size_t counts[BINS] = {0};
    for (int i = 0; i < BINS; i++)
        boxes[i] = empty_box();
    for (size_t i = r.begin; i < r.end; i++) {
        const box *one = &b->boxes[b->order[i]];
        int bin = bin_of(place(one, axis), low, width);
        grow(&boxes[bin], one);
        counts[bin]++;
    }
    int first_right = cheapest_bin(boxes, counts);
    size_t left = r.begin, right = r.end;
    while (left < right) {
        uint32_t t = b->order[left];
        if (bin_of(place(&b->boxes[t], axis), low, width) < first_right) {
            left++;
        } else {
            right--;
            b->order[left] = b->order[right];
            b->order[right] = t;
        }
    }
    return left;
}

/* Splits a range of two triangles or more into two that are not empty; by count where all middles
 * coincide or the bins put all on one side. */
static size_t cut(builder *b, range r, int depth)
{
    size_t half = r.begin + (r.end - r.begin) / 2;
    if (r.end - r.begin == 2 || depth > UNEVEN_DEPTH) return half;
    float low, width;
    int axis = widest_axis(b, r, &low, &width);
    if (!(width > 0)) return half;
    size_t middle = part_by_bins(b, r, axis, low, width);
    return middle > r.begin && middle < r.end ? middle : half;
}

/* Splits a range into up to four parts; the largest is split first. */
static int cut_in_four(builder *b, range whole, int depth, range parts[RP_BVH_WIDTH])
{
    int count = 1;
    parts[0] = whole;
    while (count < RP_BVH_WIDTH) {
        int largest = 0;
        for (int i = 1; i < count; i++)
            if (parts[i].end - parts[i].begin > parts[largest].end - parts[largest].begin)
                largest = i;
        if (parts[largest].end - parts[largest].begin < 2) break;
        size_t middle = cut(b, parts[largest], depth);
        parts[count++] = (range){middle, parts[largest].end};
        parts[largest].end = middle;
    }
    return count;
}

static total triangle_total(const builder *b, uint32_t t)
{
    rp_vec3 c[3];
    rp_mesh_corners(b->mesh, t, c);
    rp_vec3 area = rp_v3_scale(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])), 0.5);
    double size = rp_v3_length(area);
    rp_vec3 third = rp_v3_scale(rp_v3_add(c[0], rp_v3_add(c[1], c[2])), 1.0 / 3);
    return (total){rp_v3_scale(rp_v3_sub(third, b->bvh->middle), size), area, size};
}

static void add_total(total *sum, const total *part)
{
    sum->centre = rp_v3_add(sum->centre, part->centre);
    sum->area = rp_v3_add(sum->area, part->area);
    sum->weight += part->weight;
}

/* The radius is that of the farthest corner of the box from the centre, which bounds the distance
 * of all its triangles. */
static rp_mesh_dipole dipole_of(const total *sum, const box *bounds)
{
    rp_vec3 c = rp_v3_scale(sum->centre, sum->weight > 0 ? 1 / sum->weight : 0);
    rp_vec3 low = rp_v3(c.x - bounds->low[0], c.y - bounds->low[1], c.z - bounds->low[2]);
    rp_vec3 high = rp_v3(bounds->high[0] - c.x, bounds->high[1] - c.y, bounds->high[2] - c.z);
    return (rp_mesh_dipole){{(float)c.x, (float)c.y, (float)c.z},
                            {(float)sum->area.x, (float)sum->area.y, (float)sum->area.z},
                            (float)rp_v3_length(rp_v3_max(low, high)),
                            0};
}

/* Appends a node and its dipole. */
static bool add_node(rp_mesh_bvh *bvh)
{
    size_t count = bvh->node_count;
    if (!rp_reserve((void **)&bvh->dipoles, &bvh->dipole_capacity, count, count + 1,
                    sizeof *bvh->dipoles) ||
        !rp_reserve((void **)&bvh->nodes, &bvh->node_capacity, count, count + 1,
                    sizeof *bvh->nodes))
        return false;
    bvh->node_count++;
    return true;
}

static void set_child(rp_mesh_node *node, int i, const box *bounds, uint32_t child)
{
    for (int k = 0; k < 3; k++) {
        node->low[k][i] = bounds->low[k];
        node->high[k][i] = bounds->high[k];
    }
    node->child[i] = child;
}

/* Builds the node of a range and all below it; `*sum` and `*bounds` get those of its triangles.
 * Nodes may move while children are appended, so the node is addressed by its number. */
static uint32_t build(builder *b, range whole, int depth, total *sum, box *bounds)
{
    RP_ASSERT(depth < RP_BVH_DEPTH);
    if (!add_node(b->bvh)) {
        b->ok = false;
        return 0;
    }
    uint32_t number = (uint32_t)b->bvh->node_count - 1;
    range parts[RP_BVH_WIDTH];
    int count = cut_in_four(b, whole, depth, parts);
    *bounds = empty_box();
    *sum = (total){0};
    for (int i = 0; i < RP_BVH_WIDTH && b->ok; i++) {
        /* An absent child has a box at infinity, which no query reaches. */
        box inner = {{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
        uint32_t child = RP_BVH_NONE;
        if (i < count) {
            total part;
            uint32_t t = b->order[parts[i].begin];
            if (parts[i].end - parts[i].begin == 1) {
                child = t | RP_BVH_LEAF;
                inner = b->boxes[t];
                part = triangle_total(b, t);
            } else {
                child = build(b, parts[i], depth + 1, &part, &inner);
            }
            if (!b->ok) break;
            add_total(sum, &part);
            grow(bounds, &inner);
        }
        set_child(&b->bvh->nodes[number], i, &inner, child);
    }
    if (b->ok) b->bvh->dipoles[number] = dipole_of(sum, bounds);
    return number;
}

static void build_all(builder *b)
{
    const rp_mesh *mesh = b->mesh;
    rp_vec3 extent = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    double slack = 0x1p-20 * rp_v3_length(extent);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        b->boxes[t] = triangle_box(b, t, slack);
        b->order[t] = (uint32_t)t;
    }
    total sum;
    box bounds;
    build(b, (range){0, mesh->triangle_count}, 0, &sum, &bounds);
}

rp_code rp_mesh_bvh_create(const rp_mesh *mesh, rp_mesh_bvh **out, rp_report *report)
{
    RP_ASSERT(mesh->triangle_count > 0);
    size_t box_bytes = mesh->triangle_count * sizeof(box);
    size_t order_bytes = mesh->triangle_count * sizeof(uint32_t);
    builder b = {.mesh = mesh,
                 .bvh = rp_allocate_zero(sizeof *b.bvh),
                 .boxes = rp_allocate(box_bytes),
                 .order = rp_allocate(order_bytes)};
    b.ok = b.bvh && b.boxes && b.order;
    if (b.ok) {
        b.bvh->middle = rp_v3_scale(rp_v3_add(mesh->bounds.low, mesh->bounds.high), 0.5);
        build_all(&b);
    }
    rp_release(b.order, order_bytes);
    rp_release(b.boxes, box_bytes);
    *out = b.bvh;
    if (b.ok) return RP_OK;
    rp_mesh_bvh_destroy(b.bvh);
    *out = NULL;
    return rp_fail_memory(report, box_bytes + order_bytes, "the BVH of a mesh");
}

void rp_mesh_bvh_destroy(rp_mesh_bvh *bvh)
{
    if (!bvh) return;
    rp_release(bvh->nodes, bvh->node_capacity * sizeof *bvh->nodes);
    rp_release(bvh->dipoles, bvh->dipole_capacity * sizeof *bvh->dipoles);
    rp_release(bvh, sizeof *bvh);
}

/* --- queries ---------------------------------------------------------------------------------- */

/* All queries walk the hierarchy with a stack of their own; none allocates. */

/* A point far from the mesh is rounded by more than the boxes are widened; its distance then is so
 * large that this share of it covers the rounding: (S5). */
#define SURE (1 - 0x1p-20f)

typedef struct waiting {
    float square; /* m2, lower bound for all triangles below */
    uint32_t child;
} waiting;

/* Computes the square of the distance from the point to each of the four boxes, rounded down. */
static inline void box_squares(const rp_mesh_node *node, const float at[3],
                               float squares[RP_BVH_WIDTH])
{
    for (int i = 0; i < RP_BVH_WIDTH; i++)
        squares[i] = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < RP_BVH_WIDTH; i++) {
            float below = node->low[k][i] - at[k], above = at[k] - node->high[k][i];
            float beyond = below > above ? below : above;
            beyond = beyond > 0 ? beyond : 0;
            squares[i] += beyond * beyond;
        }
    for (int i = 0; i < RP_BVH_WIDTH; i++)
        squares[i] *= SURE;
}

/* Pushes the children that may hold a nearer triangle, sorted by insertion: the nearest on top. */
static inline int push_children(const rp_mesh_node *node, const float at[3], double least,
                                waiting *stack, int count)
{
    float squares[RP_BVH_WIDTH];
    box_squares(node, at, squares);
    int first = count;
    for (int i = 0; i < RP_BVH_WIDTH; i++) {
        if (!(squares[i] <= least) || node->child[i] == RP_BVH_NONE) continue;
        RP_ASSERT_DEBUG(count < RP_BVH_STACK);
        int place = count++;
        for (; place > first && stack[place - 1].square < squares[i]; place--)
            stack[place] = stack[place - 1];
        stack[place] = (waiting){squares[i], node->child[i]};
    }
    return count;
}

rp_vec3 rp_mesh_bvh_nearest(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 point,
                            double least, size_t *triangle)
{
    rp_vec3 local = rp_v3_sub(point, bvh->middle), best = point;
    const float at[3] = {(float)local.x, (float)local.y, (float)local.z};
    waiting stack[RP_BVH_STACK];
    int count = push_children(&bvh->nodes[0], at, least, stack, 0);
    *triangle = SIZE_MAX;
    /* Depth first, nearest child first: `least` shrinks early, and most of the stack is skipped. */
    while (count > 0) {
        waiting next = stack[--count];
        if (!(next.square <= least)) continue;
        if (!(next.child & RP_BVH_LEAF)) {
            count = push_children(&bvh->nodes[next.child], at, least, stack, count);
            continue;
        }
        size_t t = next.child & ~RP_BVH_LEAF;
        rp_vec3 corners[3];
        rp_mesh_corners(mesh, t, corners);
        rp_vec3 foot = rp_nearest_on_triangle(point, corners), away = rp_v3_sub(point, foot);
        double square = rp_v3_dot(away, away);
        if (square > least || (square == least && t >= *triangle)) continue;
        least = square;
        best = foot;
        *triangle = t;
    }
    return best;
}

/* The winding number is a sum of solid angles, each twice the argument of a complex number.
 * Arguments add when numbers are multiplied, so that one arctangent suffices for all near
 * triangles; crossings of the branch cut are counted as full turns. (S7). */
typedef struct winding {
    double far; /* sr, sum of solid angles of dipoles */
    double re, im;
    int turns; /* of 2 pi */
} winding;

static inline void add_half_angle(winding *w, rp_half_angle z)
{
    double re = w->re * z.re - w->im * z.im, im = w->re * z.im + w->im * z.re;
    if (w->im >= 0 && z.im >= 0 && im < 0) w->turns++;
    if (w->im < 0 && z.im < 0 && im >= 0) w->turns--;
    /* Products of many lengths would leave the range of doubles: renormalised now and then. */
    double size = fabs(re) + fabs(im);
    if (size > 1e-90 && size < 1e90) {
        w->re = re;
        w->im = im;
    } else {
        w->re = size > 0 ? re / size : 1;
        w->im = size > 0 ? im / size : 0;
    }
}

static inline void add_triangle(winding *w, const rp_mesh *mesh, size_t t, rp_vec3 point)
{
    rp_vec3 c[3];
    rp_mesh_corners(mesh, t, c);
    add_half_angle(w, rp_solid_half_angle(rp_v3_sub(c[0], point), rp_v3_sub(c[1], point),
                                          rp_v3_sub(c[2], point)));
}

/* Adds the node as a dipole if it is far enough away: (S7). */
static inline bool add_dipole(winding *w, const rp_mesh_dipole *d, rp_vec3 local)
{
    const double far = 2.5; /* radii; Barill et al. use 2 */
    rp_vec3 to = rp_v3(d->centre[0] - local.x, d->centre[1] - local.y, d->centre[2] - local.z);
    double square = rp_v3_dot(to, to);
    if (!(square > far * far * (double)d->radius * (double)d->radius)) return false;
    double flow = d->area[0] * to.x + d->area[1] * to.y + d->area[2] * to.z;
    w->far += flow / (square * sqrt(square));
    return true;
}

double rp_mesh_bvh_winding(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 point)
{
    rp_vec3 local = rp_v3_sub(point, bvh->middle);
    winding w = {.re = 1};
    uint32_t stack[RP_BVH_STACK] = {0};
    int count = 1;
    while (count > 0) {
        uint32_t number = stack[--count];
        if (add_dipole(&w, &bvh->dipoles[number], local)) continue;
        const rp_mesh_node *node = &bvh->nodes[number];
        for (int i = 0; i < RP_BVH_WIDTH; i++) {
            uint32_t child = node->child[i];
            if (child == RP_BVH_NONE) continue;
            if (child & RP_BVH_LEAF)
                add_triangle(&w, mesh, child & ~RP_BVH_LEAF, point);
            else
                stack[count++] = child;
        }
    }
    double half = rp_atan2(w.im, w.re) + 2 * RP_PI * w.turns;
    return (w.far + 2 * half) / (4 * RP_PI);
}

/* The bounds of a segment: floats relative to the middle of the mesh, like those of nodes. */
typedef struct segment_bounds {
    float low[3], high[3];
} segment_bounds;

static segment_bounds bounds_of_segment(const rp_mesh_bvh *bvh, rp_vec3 a, rp_vec3 b)
{
    rp_vec3 low = rp_v3_sub(rp_v3_min(a, b), bvh->middle);
    rp_vec3 high = rp_v3_sub(rp_v3_max(a, b), bvh->middle);
    return (segment_bounds){{(float)low.x, (float)low.y, (float)low.z},
                            {(float)high.x, (float)high.y, (float)high.z}};
}

/* Sets hit[i] to 1 where the bounds of child i and of the segment overlap, and to 0 elsewhere. */
static inline void find_overlaps(const rp_mesh_node *node, const segment_bounds *s,
                                 int32_t hit[RP_BVH_WIDTH])
{
    for (int i = 0; i < RP_BVH_WIDTH; i++)
        hit[i] = 1;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < RP_BVH_WIDTH; i++)
            hit[i] &= (node->low[k][i] <= s->high[k]) & (node->high[k][i] >= s->low[k]);
}

bool rp_mesh_bvh_intersect(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           rp_mesh_bvh_visit *visit, void *user, size_t *tests)
{
    segment_bounds bounds = bounds_of_segment(bvh, from, to);
    rp_vec3 direction = rp_v3_sub(to, from);
    uint32_t stack[RP_BVH_STACK] = {0};
    int count = 1;
    while (count > 0) {
        const rp_mesh_node *node = &bvh->nodes[stack[--count]];
        int32_t hit[RP_BVH_WIDTH];
        find_overlaps(node, &bounds, hit);
        for (int i = 0; i < RP_BVH_WIDTH; i++) {
            if (!hit[i] || node->child[i] == RP_BVH_NONE) continue;
            if (!(node->child[i] & RP_BVH_LEAF)) {
                stack[count++] = node->child[i];
                continue;
            }
            size_t t = node->child[i] & ~RP_BVH_LEAF;
            rp_vec3 c[3];
            rp_mesh_corners(mesh, t, c);
            ++*tests;
            rp_crossing found = rp_cross_triangle(direction, rp_v3_sub(c[0], from),
                                                  rp_v3_sub(c[1], from), rp_v3_sub(c[2], from));
            /* Exactly through an edge, which several triangles share: the change is uncertain. */
            if (found == RP_CROSSING_EDGE) return false;
            if (found == RP_CROSSING_NONE) continue;
            int winding_change = found == RP_CROSSING_IN ? 1 : -1;
            if (!visit(user, t, winding_change)) return false;
        }
    }
    return true;
}

static bool add_change(void *user, size_t triangle, int change)
{
    (void)triangle;
    *(int *)user += change;
    return true;
}

bool rp_mesh_bvh_crossings(const rp_mesh_bvh *bvh, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           int *change)
{
    size_t tests = 0;
    *change = 0;
    return rp_mesh_bvh_intersect(bvh, mesh, from, to, add_change, change, &tests);
}
