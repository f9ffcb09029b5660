/* Asking the tree. */
#include "geom/tree.h"
#include "geom/triangle.h"
#include "math/elementary.h"

/* Every level leaves at most three siblings behind. */
#define STACK (RP_TREE_DEPTH * (RP_TREE_WIDTH - 1) + RP_TREE_WIDTH)

/* A point far from the mesh is rounded more than the boxes are widened; its distance then is so
 * large that a share of it covers that: (S5). */
#define SURE (1 - 0x1p-20f)

typedef struct waiting {
    float square; /* m2, no triangle below is nearer */
    uint32_t child;
} waiting;

/* The square of the distance from the point to each of a node's boxes, never too large. */
static inline void box_squares(const rp_mesh_node *node, const float at[3],
                               float squares[RP_TREE_WIDTH])
{
    for (int i = 0; i < RP_TREE_WIDTH; i++)
        squares[i] = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < RP_TREE_WIDTH; i++) {
            float below = node->low[k][i] - at[k], above = at[k] - node->high[k][i];
            float beyond = below > above ? below : above;
            beyond = beyond > 0 ? beyond : 0;
            squares[i] += beyond * beyond;
        }
    for (int i = 0; i < RP_TREE_WIDTH; i++)
        squares[i] *= SURE;
}

/* Puts the children that may matter on the stack, the nearest on top. */
static inline int push_children(const rp_mesh_node *node, const float at[3], double least,
                                waiting *stack, int count)
{
    float squares[RP_TREE_WIDTH];
    box_squares(node, at, squares);
    int first = count;
    for (int i = 0; i < RP_TREE_WIDTH; i++) {
        if (!(squares[i] <= least) || node->child[i] == RP_TREE_NONE) continue;
        int place = count++;
        for (; place > first && stack[place - 1].square < squares[i]; place--)
            stack[place] = stack[place - 1];
        stack[place] = (waiting){squares[i], node->child[i]};
    }
    return count;
}

rp_vec3 rp_mesh_bvh_nearest(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 point,
                            double least, size_t *triangle)
{
    rp_vec3 local = rp_v3_sub(point, tree->middle), best = point;
    const float at[3] = {(float)local.x, (float)local.y, (float)local.z};
    waiting stack[STACK];
    int count = push_children(&tree->nodes[0], at, least, stack, 0);
    *triangle = SIZE_MAX;
    while (count > 0) {
        waiting next = stack[--count];
        if (!(next.square <= least)) continue;
        if (!(next.child & RP_TREE_LEAF)) {
            count = push_children(&tree->nodes[next.child], at, least, stack, count);
            continue;
        }
        size_t t = next.child & ~RP_TREE_LEAF;
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

/* Arguments of complex numbers add up when the numbers are multiplied, so that one arctangent does
 * for all triangles; whole turns have to be counted. */
typedef struct winding {
    double far; /* sum of solid angles of dipoles */
    double re, im;
    int turns; /* of 2 pi */
} winding;

static inline void add_half_angle(winding *w, rp_half_angle z)
{
    double re = w->re * z.re - w->im * z.im, im = w->re * z.im + w->im * z.re;
    if (w->im >= 0 && z.im >= 0 && im < 0) w->turns++;
    if (w->im < 0 && z.im < 0 && im >= 0) w->turns--;
    /* Products of many lengths leave the range of doubles; a division now and then prevents it. */
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

/* Takes the node as a dipole if it is far enough away: (S7). */
static inline bool add_dipole(winding *w, const rp_mesh_dipole *d, rp_vec3 local)
{
    const double far = 2.5; /* radii; Barill et al. take 2 */
    rp_vec3 to = rp_v3(d->centre[0] - local.x, d->centre[1] - local.y, d->centre[2] - local.z);
    double square = rp_v3_dot(to, to);
    if (!(square > far * far * (double)d->radius * (double)d->radius)) return false;
    double flow = d->area[0] * to.x + d->area[1] * to.y + d->area[2] * to.z;
    w->far += flow / (square * sqrt(square));
    return true;
}

double rp_mesh_bvh_winding(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 point)
{
    rp_vec3 local = rp_v3_sub(point, tree->middle);
    winding w = {.re = 1};
    uint32_t stack[STACK] = {0};
    int count = 1;
    while (count > 0) {
        uint32_t number = stack[--count];
        if (add_dipole(&w, &tree->dipoles[number], local)) continue;
        const rp_mesh_node *node = &tree->nodes[number];
        for (int i = 0; i < RP_TREE_WIDTH; i++) {
            uint32_t child = node->child[i];
            if (child == RP_TREE_NONE) continue;
            if (child & RP_TREE_LEAF)
                add_triangle(&w, mesh, child & ~RP_TREE_LEAF, point);
            else
                stack[count++] = child;
        }
    }
    double half = rp_atan2(w.im, w.re) + 2 * RP_PI * w.turns;
    return (w.far + 2 * half) / (4 * RP_PI);
}

/* A box in floats, as the nodes have them. */
typedef struct span {
    float low[3], high[3];
} span;

static span span_of(const rp_mesh_bvh *tree, rp_vec3 a, rp_vec3 b)
{
    rp_vec3 low = rp_v3_sub(rp_v3_min(a, b), tree->middle);
    rp_vec3 high = rp_v3_sub(rp_v3_max(a, b), tree->middle);
    return (span){{(float)low.x, (float)low.y, (float)low.z},
                  {(float)high.x, (float)high.y, (float)high.z}};
}

static inline void overlaps(const rp_mesh_node *node, const span *s, int32_t hit[RP_TREE_WIDTH])
{
    for (int i = 0; i < RP_TREE_WIDTH; i++)
        hit[i] = 1;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < RP_TREE_WIDTH; i++)
            hit[i] &= (node->low[k][i] <= s->high[k]) & (node->high[k][i] >= s->low[k]);
}

bool rp_mesh_bvh_pierce(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                        rp_mesh_bvh_take *take, void *user, size_t *tests)
{
    span way = span_of(tree, from, to);
    rp_vec3 ahead = rp_v3_sub(to, from);
    uint32_t stack[STACK] = {0};
    int count = 1;
    while (count > 0) {
        const rp_mesh_node *node = &tree->nodes[stack[--count]];
        int32_t hit[RP_TREE_WIDTH];
        overlaps(node, &way, hit);
        for (int i = 0; i < RP_TREE_WIDTH; i++) {
            if (!hit[i] || node->child[i] == RP_TREE_NONE) continue;
            if (!(node->child[i] & RP_TREE_LEAF)) {
                stack[count++] = node->child[i];
                continue;
            }
            size_t t = node->child[i] & ~RP_TREE_LEAF;
            rp_vec3 c[3];
            rp_mesh_corners(mesh, t, c);
            ++*tests;
            rp_crossing found = rp_cross_triangle(ahead, rp_v3_sub(c[0], from),
                                                  rp_v3_sub(c[1], from), rp_v3_sub(c[2], from));
            if (found == RP_CROSSING_EDGE) return false;
            if (found == RP_CROSSING_NONE) continue;
            if (!take(user, t, found == RP_CROSSING_IN ? 1 : -1)) return false;
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

bool rp_mesh_bvh_crossings(const rp_mesh_bvh *tree, const rp_mesh *mesh, rp_vec3 from, rp_vec3 to,
                           int *change)
{
    size_t tests = 0;
    *change = 0;
    return rp_mesh_bvh_pierce(tree, mesh, from, to, add_change, change, &tests);
}
