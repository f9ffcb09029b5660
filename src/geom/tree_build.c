/* Building the tree from the top: a range of triangles is cut in two where the sum of (surface of
 * the box) x (triangles in it) is least, which is what a search costs (MacDonald and Booth,
 * "Heuristics for ray tracing using space subdivision", Visual Computer 6, 1990), tried at the
 * borders of a few bins (Wald, "On fast construction of SAH-based bounding volume hierarchies",
 * 2007). The largest part is cut again until there are four. Nothing depends on chance or threads.
 */
#include "base/memory.h"
#include "base/report.h"
#include "geom/tree.h"

#define BINS 16
/* Deeper than this, ranges are halved by count, which ends after 15 more levels at most. */
#define UNEVEN_DEPTH 40

typedef struct box {
    float low[3], high[3];
} box;

typedef struct builder {
    const rp_mesh *mesh;
    rp_mesh_bvh *tree;
    box *boxes;      /* of the triangles, about the middle */
    uint32_t *order; /* of triangles, by range */
    bool ok;         /* memory lasts */
} builder;

typedef struct range {
    size_t begin, end;
} range;

/* What a part of the mesh adds up to, for the dipole of its node. */
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

/* Twice the middle of a triangle's box along an axis. */
static float place(const box *b, int axis)
{
    return b->low[axis] + b->high[axis];
}

/* The points of a triangle, about the middle, and wider by so much that neither their rounding to
 * floats nor that of a query's point near by matters: (S5). */
static box triangle_box(const builder *b, size_t t, double slack)
{
    rp_vec3 c[3];
    rp_mesh_corners(b->mesh, t, c);
    rp_vec3 low = rp_v3_sub(rp_v3_min(c[0], rp_v3_min(c[1], c[2])), b->tree->middle);
    rp_vec3 high = rp_v3_sub(rp_v3_max(c[0], rp_v3_max(c[1], c[2])), b->tree->middle);
    return (box){{(float)(low.x - slack), (float)(low.y - slack), (float)(low.z - slack)},
                 {(float)(high.x + slack), (float)(high.y + slack), (float)(high.z + slack)}};
}

/* The axis along which the middles of the triangles are spread widest, and how wide. */
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

/* The first bin of the cheapest right part. */
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

/* Puts the triangles of the left bins first; gives where the others begin. */
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

/* Cuts a range of two triangles or more into two that are not empty. */
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

/* Up to four parts; the largest is cut first. */
static int cut_in_four(builder *b, range whole, int depth, range parts[RP_TREE_WIDTH])
{
    int count = 1;
    parts[0] = whole;
    while (count < RP_TREE_WIDTH) {
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
    return (total){rp_v3_scale(rp_v3_sub(third, b->tree->middle), size), area, size};
}

static void add_total(total *sum, const total *part)
{
    sum->centre = rp_v3_add(sum->centre, part->centre);
    sum->area = rp_v3_add(sum->area, part->area);
    sum->weight += part->weight;
}

/* The farthest corner of the box bounds the distance of its triangles from the centre. */
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

/* Room for one more node and its dipole. */
static bool add_node(rp_mesh_bvh *tree)
{
    size_t count = tree->node_count;
    if (!rp_reserve((void **)&tree->dipoles, &tree->dipole_capacity, count, count + 1,
                    sizeof *tree->dipoles) ||
        !rp_reserve((void **)&tree->nodes, &tree->node_capacity, count, count + 1,
                    sizeof *tree->nodes))
        return false;
    tree->node_count++;
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

/* Makes the node of a range and all below it; `*sum` and `*bounds` get what it holds. */
static uint32_t build(builder *b, range whole, int depth, total *sum, box *bounds)
{
    RP_ASSERT(depth < RP_TREE_DEPTH);
    if (!add_node(b->tree)) {
        b->ok = false;
        return 0;
    }
    uint32_t number = (uint32_t)b->tree->node_count - 1;
    range parts[RP_TREE_WIDTH];
    int count = cut_in_four(b, whole, depth, parts);
    *bounds = empty_box();
    *sum = (total){0};
    for (int i = 0; i < RP_TREE_WIDTH && b->ok; i++) {
        box inner = {{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
        uint32_t child = RP_TREE_NONE;
        if (i < count) {
            total part;
            uint32_t t = b->order[parts[i].begin];
            if (parts[i].end - parts[i].begin == 1) {
                child = t | RP_TREE_LEAF;
                inner = b->boxes[t];
                part = triangle_total(b, t);
            } else {
                child = build(b, parts[i], depth + 1, &part, &inner);
            }
            if (!b->ok) break;
            add_total(sum, &part);
            grow(bounds, &inner);
        }
        set_child(&b->tree->nodes[number], i, &inner, child);
    }
    if (b->ok) b->tree->dipoles[number] = dipole_of(sum, bounds);
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
                 .tree = rp_allocate_zero(sizeof *b.tree),
                 .boxes = rp_allocate(box_bytes),
                 .order = rp_allocate(order_bytes)};
    b.ok = b.tree && b.boxes && b.order;
    if (b.ok) {
        b.tree->middle = rp_v3_scale(rp_v3_add(mesh->bounds.low, mesh->bounds.high), 0.5);
        build_all(&b);
    }
    rp_release(b.order, order_bytes);
    rp_release(b.boxes, box_bytes);
    *out = b.tree;
    if (b.ok) return RP_OK;
    rp_mesh_bvh_destroy(b.tree);
    *out = NULL;
    return rp_fail_memory(report, box_bytes + order_bytes, "the tree of a mesh");
}

void rp_mesh_bvh_destroy(rp_mesh_bvh *tree)
{
    if (!tree) return;
    rp_release(tree->nodes, tree->node_capacity * sizeof *tree->nodes);
    rp_release(tree->dipoles, tree->dipole_capacity * sizeof *tree->dipoles);
    rp_release(tree, sizeof *tree);
}
