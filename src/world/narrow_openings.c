/* Finds openings that are too narrow for sand to flow through: a flood fill along the widest paths.
 *
 *   1. The space around the bodies becomes a grid of nodes, one spacing apart. Each node has a
 *      clearance: its distance from the nearest wall or body that is not dynamic.
 *   2. Sand spreads from where it starts: straight down, and sideways where a solid is near below.
 *      Nodes are taken from buckets in the order of descending clearance, so that every node is
 *      first reached along the path whose bottleneck, the node of least clearance, is widest.
 *   3. A bottleneck that is narrow, with open nodes behind it, is a candidate. A narrow slot beside
 * a wider path is none: the nodes behind it have another bottleneck.
 *   4. Around a candidate the grid is refined. A union-find over nodes in descending clearance
 * finds the node where both sides of the opening are connected: its clearance is half the width. */
#include "base/report.h"
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

#define OPENING_LEAST 5     /* spacings: sand flows freely through wider openings */
#define PASSABLE 0.6        /* spacings: no grain passes a node of less clearance */
#define CLEARANCE_MOST 3.6  /* spacings: larger clearances make no difference */
#define MARGIN 10           /* spacings of the grid beyond bodies */
#define NODES_MOST 2000000  /* of a grid: larger ones are not examined */
#define OPEN_NODES_LEAST 5  /* fewer open nodes behind an opening do not count */
#define BLOCK 4             /* nodes along each axis that are measured together */
#define REFINEMENT 8        /* nodes of the refined grid to one of the first */
#define REFINED_NODES 3     /* nodes around an opening that are refined */
#define PIPE_MOST 4         /* spacings: wider ones may be nodes along a wall */
#define OPENINGS_REPORTED 3 /* at most */
#define CANDIDATES_MOST 20  /* that are examined */
#define LEVELS 1024         /* buckets of clearances */

/* Marks of nodes: on the side that sand comes from, or behind the opening. */
enum { SIDE_ONE = 1, SIDE_TWO = 2 };

typedef struct grid {
    const rp_world *world;
    rp_vec3 low; /* m, of the first node */
    double step; /* m */
    size_t n[3], count;
    double spacing;
    float *clearance; /* m, up to CLEARANCE_MOST */
    /* In the flood fill: the bottleneck of each node, or NONE where no sand comes; the number of
     * open nodes behind each; and the next node of the same bucket, as index + 1.
     * In a refined grid: the parent of each node in the union-find, the node itself for a root, or
     * NONE; the size of a root's set; all nodes in the order of descending clearance. */
    uint32_t *parent, *size, *order;
    uint8_t *marks;
} grid;

#define NONE UINT32_MAX

static size_t grid_bytes(size_t count)
{
    return count * (sizeof(float) + 3 * sizeof(uint32_t) + 1);
}

static bool grid_begin(grid *l)
{
    l->count = l->n[0] * l->n[1] * l->n[2];
    l->clearance = l->count ? rp_allocate(grid_bytes(l->count)) : NULL;
    if (!l->clearance) return false;
    l->parent = (uint32_t *)(l->clearance + l->count);
    l->size = l->parent + l->count;
    l->order = l->size + l->count;
    l->marks = (uint8_t *)(l->order + l->count);
    memset(l->parent, 0xff, l->count * sizeof *l->parent);
    memset(l->size, 0, l->count * sizeof *l->size);
    memset(l->marks, 0, l->count);
    return true;
}

static void grid_end(grid *l)
{
    rp_release(l->clearance, l->clearance ? grid_bytes(l->count) : 0);
}

static rp_vec3 node_position(const grid *l, double i, double j, double k)
{
    return rp_v3_madd(l->low, l->step, rp_v3(i, j, k));
}

static double clearance_at(const grid *l, rp_vec3 at, double near)
{
    return rp_world_distance_to_solids(l->world, at, RP_SOLID_WALLS | RP_SOLID_FIXED, near);
}

/* Measures the clearances of a block of nodes: all at once where its middle is so far from every
 * surface, outside or inside, that no node can be near one. */
static void measure_block(const grid *l, const size_t begin[3], const size_t end[3])
{
    double most = CLEARANCE_MOST * l->spacing, half_diagonal = 0.87 * BLOCK * l->step;
    rp_vec3 middle = node_position(l, ((double)begin[0] + (double)end[0] - 1) / 2,
                                   ((double)begin[1] + (double)end[1] - 1) / 2,
                                   ((double)begin[2] + (double)end[2] - 1) / 2);
    double gap = clearance_at(l, middle, most + half_diagonal);
    bool all = gap > most + half_diagonal || gap < -half_diagonal;
    for (size_t k = begin[2]; k < end[2]; k++)
        for (size_t j = begin[1]; j < end[1]; j++)
            for (size_t i = begin[0]; i < end[0]; i++) {
                double clearance =
                    all ? gap
                        : clearance_at(l, node_position(l, (double)i, (double)j, (double)k), most);
                l->clearance[i + l->n[0] * (j + l->n[1] * k)] = (float)fmin(clearance, most);
            }
}

static void measure_range(void *context, rp_range range)
{
    const grid *l = context;
    for (size_t k = range.begin; k < range.end; k += BLOCK)
        for (size_t j = 0; j < l->n[1]; j += BLOCK)
            for (size_t i = 0; i < l->n[0]; i += BLOCK) {
                const size_t from[3] = {i, j, k};
                size_t to[3];
                for (int a = 0; a < 3; a++)
                    to[a] = from[a] + BLOCK < l->n[a] ? from[a] + BLOCK : l->n[a];
                measure_block(l, from, to);
            }
}

static int level_of(const grid *l, float clearance)
{
    double most = CLEARANCE_MOST * l->spacing, least = PASSABLE * l->spacing;
    return clearance >= least ? (int)((most - clearance) / (most - least) * (LEVELS - 1)) : LEVELS;
}

static rp_vec3 node_at(const grid *l, size_t node)
{
    return node_position(l, (double)(node % l->n[0]), (double)(node / l->n[0] % l->n[1]),
                         (double)(node / l->n[0] / l->n[1]));
}

/* --- the flood fill --------------------------------------------------------------------------- */

typedef struct flood_fill {
    grid *l;
    size_t stride[3];
    int down;              /* the axis of gravity's largest component, */
    bool up;               /* and whether that component is positive */
    uint32_t head[LEVELS]; /* buckets: index + 1 of the first node that sand still spreads from */
} flood_fill;

/* Returns the neighbor of a node along an axis, or NONE at the end of the grid. */
static size_t neighbor_of(const flood_fill *f, size_t node, int axis, bool higher)
{
    size_t at = node / f->stride[axis] % f->l->n[axis];
    if (higher) return at + 1 < f->l->n[axis] ? node + f->stride[axis] : NONE;
    return at > 0 ? node - f->stride[axis] : NONE;
}

/* Sand reaches a node along a path of known bottleneck. The first path is the widest, since nodes
 * are taken in the order of descending clearance: later ones are ignored. */
static void visit(flood_fill *f, size_t node, uint32_t bottleneck)
{
    grid *l = f->l;
    if (node == NONE || l->parent[node] != NONE || level_of(l, l->clearance[node]) == LEVELS)
        return;
    if (l->clearance[node] < l->clearance[bottleneck]) bottleneck = (uint32_t)node;
    int level = level_of(l, l->clearance[bottleneck]);
    l->parent[node] = bottleneck;
    l->order[node] = f->head[level];
    f->head[level] = (uint32_t)node + 1;
}

/* True when a solid is near below the node: sand slides sideways there. */
static bool is_supported(const flood_fill *f, size_t node, size_t below)
{
    const grid *l = f->l;
    return l->clearance[node] < CLEARANCE_MOST * l->spacing && below != NONE &&
           l->clearance[below] < l->clearance[node] - 0.2 * l->step;
}

static void spread(flood_fill *f, size_t node)
{
    size_t below = neighbor_of(f, node, f->down, f->up);
    uint32_t bottleneck = f->l->parent[node];
    visit(f, below, bottleneck);
    if (!is_supported(f, node, below)) return;
    for (int a = 0; a < 3; a++) {
        if (a == f->down) continue;
        visit(f, neighbor_of(f, node, a, false), bottleneck);
        visit(f, neighbor_of(f, node, a, true), bottleneck);
    }
}

/* Starts at the samples of sources and emitters; a start outside of the grid counts as its nearest
 * node. Where sand starts it has space, however near that is to a wall. */
static void start_flood(flood_fill *f, const rp_review *review)
{
    grid *l = f->l;
    for (int s = 0; s < review->start_count; s++) {
        rp_vec3 from = rp_v3_scale(rp_v3_sub(review->starts[s].point, l->low), 1 / l->step);
        const double at[3] = {from.x, from.y, from.z};
        size_t node = 0;
        for (int a = 0; a < 3; a++)
            node += f->stride[a] * (size_t)fmin(fmax(floor(at[a] + 0.5), 0), (double)l->n[a] - 1);
        if (!(l->clearance[node] > 0)) continue;
        l->clearance[node] = (float)(CLEARANCE_MOST * l->spacing);
        visit(f, node, (uint32_t)node);
    }
}

static void flood(flood_fill *f)
{
    for (int level = 0; level < LEVELS; level++)
        while (f->head[level]) {
            size_t node = f->head[level] - 1;
            f->head[level] = f->l->order[node];
            spread(f, node);
        }
}

/* Counts the open nodes behind each narrow bottleneck. */
static void count_open_nodes_behind(grid *l)
{
    double open = OPENING_LEAST / 2.0 * l->spacing, narrow = open + 0.87 * l->step;
    for (size_t p = 0; p < l->count; p++)
        if (l->parent[p] != NONE && l->clearance[p] >= open && l->clearance[l->parent[p]] < narrow)
            l->size[l->parent[p]]++;
}

/* --- the refined grid ------------------------------------------------------------------------- */

/* Sorts nodes by descending clearance (counting sort over the levels); returns how many a grain can
 * pass. */
static size_t sort_by_clearance(grid *l)
{
    size_t first[LEVELS + 2] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t p = 0; p < l->count; p++) {
            int level = level_of(l, l->clearance[p]);
            if (level == LEVELS) continue;
            if (pass)
                l->order[first[level]++] = (uint32_t)p;
            else
                first[level + 1]++;
        }
        for (int i = 0; i < LEVELS && !pass; i++)
            first[i + 1] += first[i];
    }
    return first[LEVELS - 1];
}

/* Returns the root of a node's set, halving the path on the way. */
static uint32_t root_of(const grid *l, size_t node)
{
    uint32_t at = (uint32_t)node;
    while (l->parent[at] != at)
        at = l->parent[at] = l->parent[l->parent[at]];
    return at;
}

/* Unites the sets of two nodes, the smaller into the larger; true when the set has both sides. */
static bool join(grid *l, size_t node, size_t other)
{
    if (l->parent[other] == NONE) return false;
    uint32_t one = root_of(l, node), two = root_of(l, other);
    if (l->size[one] < l->size[two]) {
        uint32_t swapped = one;
        one = two;
        two = swapped;
    }
    if (one != two) {
        l->parent[two] = one;
        l->size[one] += l->size[two];
        l->marks[one] |= l->marks[two];
    }
    return l->marks[one] == (SIDE_ONE | SIDE_TWO);
}

/* Adds nodes in the order of descending clearance until one connects both sides, and returns it:
 * the bottleneck of the widest path between them. NONE where none does. */
static size_t connect_sides(grid *l)
{
    const size_t stride[3] = {1, l->n[0], l->n[0] * l->n[1]};
    size_t count = sort_by_clearance(l);
    for (size_t n = 0; n < count; n++) {
        size_t node = l->order[n];
        l->parent[node] = (uint32_t)node;
        l->size[node] = 1;
        for (int a = 0; a < 3; a++) {
            size_t at = node / stride[a] % l->n[a];
            if (at > 0 && join(l, node, node - stride[a])) return node;
            if (at + 1 < l->n[a] && join(l, node, node + stride[a])) return node;
        }
    }
    return NONE;
}

/* Returns the side of a node: before the opening, or behind it; 0: neither, or not known. */
static uint8_t side_of(const grid *l, size_t node, size_t opening, double least)
{
    if (l->parent[node] == NONE || node == opening || l->clearance[node] < least) return 0;
    if (l->parent[node] == opening) return SIDE_TWO;
    return l->clearance[l->parent[node]] > l->clearance[opening] ? SIDE_ONE : 0;
}

/* Marks the nodes of the refined grid that are also nodes of the first one and have at least the
 * clearance `least`; returns the sides that were marked. */
static uint8_t mark_sides(const grid *l, grid *fine, const size_t first[3], size_t opening,
                          double least)
{
    uint8_t sides = 0;
    memset(fine->marks, 0, fine->count);
    for (size_t p = 0; p < fine->count; p++) {
        size_t at[3] = {p % fine->n[0], p / fine->n[0] % fine->n[1], p / fine->n[0] / fine->n[1]};
        if (at[0] % REFINEMENT || at[1] % REFINEMENT || at[2] % REFINEMENT) continue;
        size_t node =
            first[0] + at[0] / REFINEMENT +
            l->n[0] * (first[1] + at[1] / REFINEMENT + l->n[1] * (first[2] + at[2] / REFINEMENT));
        fine->marks[p] = side_of(l, node, opening, least);
        sides |= fine->marks[p];
    }
    return sides;
}

typedef struct refined {
    double clearance; /* m, half the width of the opening; infinite where it may be none */
    rp_vec3 at;
} refined;

/* Measures an opening on the refined grid, to a ninth of a spacing. */
static refined refine_opening(const grid *l, size_t node)
{
    refined opening = {l->clearance[node], node_at(l, node)};
    const size_t at[3] = {node % l->n[0], node / l->n[0] % l->n[1], node / l->n[0] / l->n[1]};
    size_t first[3];
    grid fine = {.world = l->world, .step = l->step / REFINEMENT, .spacing = l->spacing};
    for (int a = 0; a < 3; a++) {
        first[a] = at[a] > REFINED_NODES ? at[a] - REFINED_NODES : 0;
        size_t last = at[a] + REFINED_NODES < l->n[a] ? at[a] + REFINED_NODES : l->n[a] - 1;
        fine.n[a] = (last - first[a]) * REFINEMENT + 1;
    }
    fine.low = node_position(l, (double)first[0], (double)first[1], (double)first[2]);
    if (!grid_begin(&fine)) return opening;
    rp_parallel_for(l->world->threads, fine.n[2], BLOCK, measure_range, &fine);
    /* The path is wanted from open space to open space; in the middle of a pipe neither is near,
     * and any node of both sides will do. */
    double open = OPENING_LEAST / 2.0 * l->spacing;
    bool pipe = mark_sides(l, &fine, first, node, open) != (SIDE_ONE | SIDE_TWO);
    if (pipe) mark_sides(l, &fine, first, node, 0);
    size_t bottleneck = connect_sides(&fine);
    if (bottleneck != NONE)
        opening = (refined){fine.clearance[bottleneck], node_at(&fine, bottleneck)};
    if (bottleneck == NONE || (pipe && opening.clearance > PIPE_MOST / 2.0 * l->spacing))
        opening.clearance = INFINITY;
    grid_end(&fine);
    return opening;
}

/* --- all openings ----------------------------------------------------------------------------- */

static int body_near(const rp_world *world, rp_vec3 at)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double nearest = INFINITY;
    int body = 0;
    for (int i = 0; i < rp_couple_count(world->couple); i++) {
        if (surfaces[i].body < 0 || surfaces[i].dynamic) continue;
        double gap =
            rp_shape_distance(surfaces[i].shape, rp_pose_to_local(surfaces[i].pose, at), NULL);
        if (gap >= nearest) continue;
        nearest = gap;
        body = surfaces[i].body;
    }
    return body;
}

static void warn_of_opening(const rp_review *review, const grid *l, const refined *opening,
                            int body)
{
    double diameter = 2 * opening->clearance +
                      0.87 * l->step / REFINEMENT; /* at least as wide as the grid shows */
    char key[160];
    snprintf(key, sizeof key, "bodies.%s", rp_scene_bodies(l->world->scene)[body].name);
    (void)rp_fail_at(
        review->warnings, RP_OK, NULL, key,
        "the opening at [%.4g, %.4g, %.4g] m is about %.2g m wide, %.2g spacings; sand "
        "flows freely through %d or more: widen it, or make particles.spacing "
        "smaller",
        opening->at.x, opening->at.y, opening->at.z, diameter, diameter / l->spacing,
        OPENING_LEAST);
}

/* Examines candidates in the order of the open nodes behind them, and reports one of each body: a
 * slot is many bottlenecks. */
static void warn_of_openings(const rp_review *review, grid *l)
{
    int reported[OPENINGS_REPORTED], count = 0;
    for (int candidates = 0; candidates < CANDIDATES_MOST && count < OPENINGS_REPORTED;
         candidates++) {
        size_t most = 0;
        for (size_t p = 1; p < l->count; p++)
            if (l->size[p] > l->size[most]) most = p;
        if (l->size[most] < OPEN_NODES_LEAST) return;
        l->size[most] = 0;
        refined opening = refine_opening(l, most);
        bool narrow =
            2 * (opening.clearance + 0.87 * l->step / REFINEMENT) < OPENING_LEAST * l->spacing;
        int body = narrow ? body_near(l->world, opening.at) : 0;
        for (int i = 0; i < count; i++)
            narrow = narrow && reported[i] != body;
        if (!narrow) continue;
        warn_of_opening(review, l, &opening, body);
        reported[count++] = body;
    }
}

/* The bounding box of all bodies that are not dynamic, cut at the domain; false where it is empty.
 */
static bool box_of_bodies(const rp_world *world, rp_box3 *box)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    const rp_domain_spec *domain = &world->scene->domain;
    double margin = MARGIN * world->scene->particles.spacing;
    *box = (rp_box3){rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    for (int i = 0; i < rp_couple_count(world->couple); i++) {
        const rp_surface *s = &surfaces[i];
        if (s->body < 0 || s->dynamic || s->shape->kind == RP_SHAPE_PLANE) continue;
        rp_box3 own = rp_clearance_surface_bounds(s);
        box->low = rp_v3_min(box->low, own.low);
        box->high = rp_v3_max(box->high, own.high);
    }
    rp_vec3 more = rp_v3(margin, margin, margin);
    box->low = rp_v3_max(rp_v3_sub(box->low, more), domain->low);
    box->high = rp_v3_min(rp_v3_add(box->high, more), domain->high);
    return box->low.x < box->high.x && box->low.y < box->high.y && box->low.z < box->high.z;
}

static flood_fill flood_under(grid *l, rp_vec3 gravity)
{
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    flood_fill f = {.l = l, .stride = {1, l->n[0], l->n[0] * l->n[1]}};
    for (int a = 1; a < 3; a++)
        if (fabs(g[a]) > fabs(g[f.down])) f.down = a;
    f.up = g[f.down] > 0;
    return f;
}

void rp_review_openings(rp_review *review)
{
    const rp_world *world = review->world;
    double spacing = world->scene->particles.spacing;
    rp_box3 box;
    /* Resolved grains have their real size, and jam as real ones do: nothing to warn of. */
    if (rp_world_resolves_grains(world->scene) || !review->start_count) return;
    rp_vec3 gravity = rp_scene_gravity(world->scene, 0);
    if (!(rp_v3_length(gravity) > 0)) return;
    if (!box_of_bodies(world, &box)) return;
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    double nodes = size.x * size.y * size.z / (spacing * spacing * spacing);
    if (!(nodes <= NODES_MOST)) return;
    grid l = {.world = world, .low = box.low, .step = spacing, .spacing = spacing};
    const double sizes[3] = {size.x, size.y, size.z};
    for (int a = 0; a < 3; a++)
        l.n[a] = (size_t)floor(sizes[a] / spacing) + 1;
    if (!grid_begin(&l)) return; /* without memory there is one warning less */
    rp_parallel_for(world->threads, l.n[2], BLOCK, measure_range, &l);
    flood_fill f = flood_under(&l, gravity);
    start_flood(&f, review);
    flood(&f);
    count_open_nodes_behind(&l);
    warn_of_openings(review, &l);
    grid_end(&l);
}
