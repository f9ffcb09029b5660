/* Building the grid and querying it. Signs come from the generalised winding number (Jacobson et
 * al., "Robust inside-outside segmentation using generalized winding numbers", ACM Trans. Graph. 32
 * (4), 2013), so that small holes do not turn the inside out. */
#include "mesh/sdf.h"
#include "base/memory.h"
#include "base/report.h"
#include "mesh/bvh.h"
#include "mesh/triangle.h"

/* Relative rounding error of floats, at most. */
#define ROUNDING 0x1p-23
/* Nodes nearer than this to the surface, in spacings, have no certain side. */
#define CLEAR 1e-3

typedef struct filling {
    const rp_mesh *mesh;
    rp_mesh_sdf *field;
    double
        reach; /* m, from the centre of a block to the surface: nearer blocks store their nodes */
    uint8_t *odd; /* of each near block: a winding number other than 0 or 1 occurs in it */
} filling;

/* Offsets of the next node along each axis. */
static const int strides[3] = {1, RP_MESH_SDF_NODES, RP_MESH_SDF_NODES *RP_MESH_SDF_NODES};

static rp_vec3 block_low(const rp_mesh_sdf *field, size_t block)
{
    size_t x = block % (size_t)field->count[0], rest = block / (size_t)field->count[0];
    size_t y = rest % (size_t)field->count[1], z = rest / (size_t)field->count[1];
    double edge = RP_MESH_SDF_CELLS * field->spacing;
    return rp_v3_madd(field->low, edge, rp_v3((double)x, (double)y, (double)z));
}

/* Returns the unsigned distance. `*triangle` is a guess, such as the nearest one of an adjacent
 * node, whose distance bounds the query and saves most of it; it gets the nearest. */
static double plain_distance(const rp_mesh *mesh, rp_vec3 point, size_t *triangle)
{
    rp_vec3 corners[3];
    rp_mesh_corners(mesh, *triangle, corners);
    rp_vec3 away = rp_v3_sub(point, rp_nearest_on_triangle(point, corners));
    rp_vec3 foot = rp_mesh_bvh_nearest(mesh->bvh, mesh, point, rp_v3_dot(away, away), triangle);
    return rp_v3_length(rp_v3_sub(point, foot));
}

static double sign_at(const rp_mesh *mesh, rp_vec3 point)
{
    return rp_mesh_bvh_winding(mesh->bvh, mesh, point) > 0.5 ? -1 : 1;
}

/* First pass: the distance at the centre of every block, and whether it is near the surface. The
 * nearest triangle of a block is the guess of the next. */
static void fill_middles(void *context, rp_range range)
{
    const filling *f = context;
    double half = RP_MESH_SDF_CELLS * f->field->spacing / 2;
    size_t triangle = 0;
    for (size_t b = range.begin; b < range.end; b++) {
        rp_vec3 at = rp_v3_add(block_low(f->field, b), rp_v3(half, half, half));
        double distance = plain_distance(f->mesh, at, &triangle);
        f->field->middle[b] = (float)(distance * sign_at(f->mesh, at));
        f->field->place[b] = distance > f->reach ? -1 : 0;
    }
}

/* The winding number of a closed mesh at a node from that of an adjacent node: the same, if the
 * surface is farther from one of them than they are apart, else changed by the crossings of the
 * segment between them. False where that is uncertain. A winding number from scratch costs far
 * more. */
static bool turns_beside(const filling *f, const float *nodes, const int *turns, int node,
                         const int at[3], rp_vec3 point, int *found)
{
    double h = f->field->spacing, apart = h * (1 + 4 * ROUNDING), here = fabs(nodes[node]);
    for (int k = 0; k < 3; k++) {
        int before = node - strides[k], change = 0;
        if (at[k] == 0) continue;
        double there = fabs(nodes[before]);
        bool sure = there > CLEAR * h && (here > apart || there > apart);
        if (!sure && here > CLEAR * h && there > CLEAR * h) {
            rp_vec3 back = rp_v3(k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
            sure = rp_mesh_bvh_crossings(f->mesh->bvh, f->mesh, rp_v3_sub(point, back), point,
                                         &change);
        }
        *found = turns[before] + change;
        if (sure) return true;
    }
    return false;
}

/* Second pass: distances and winding numbers at the nodes of one near block, in the order of
 * memory, so that the nodes before along x, y and z are known already. */
static void fill_block(const filling *f, size_t block)
{
    size_t place = (size_t)f->field->place[block];
    float *nodes = f->field->nodes + place * RP_MESH_SDF_BLOCK;
    int turns[RP_MESH_SDF_BLOCK];
    rp_vec3 low = block_low(f->field, block);
    double h = f->field->spacing;
    size_t triangle = 0;
    f->odd[place] = !f->mesh->closed;
    for (int i = 0; i < RP_MESH_SDF_BLOCK; i++) {
        const int at[3] = {i % RP_MESH_SDF_NODES, i / RP_MESH_SDF_NODES % RP_MESH_SDF_NODES,
                           i / (RP_MESH_SDF_NODES * RP_MESH_SDF_NODES)};
        rp_vec3 point = rp_v3_madd(low, h, rp_v3(at[0], at[1], at[2]));
        nodes[i] = (float)plain_distance(f->mesh, point, &triangle);
        if (!f->mesh->closed || !turns_beside(f, nodes, turns, i, at, point, &turns[i]))
            turns[i] = (int)floor(rp_mesh_bvh_winding(f->mesh->bvh, f->mesh, point) + 0.5);
        if (turns[i] > 0) nodes[i] = -nodes[i];
        if (turns[i] < 0 || turns[i] > 1) f->odd[place] = 1;
    }
}

static void fill_nodes(void *context, rp_range range)
{
    const filling *f = context;
    for (size_t b = range.begin; b < range.end; b++)
        if (f->field->place[b] >= 0) fill_block(f, b);
}

/* Numbers the blocks near the surface and allocates their nodes. */
static bool place_blocks(rp_mesh_sdf *field)
{
    for (size_t b = 0; b < field->block_count; b++)
        if (field->place[b] >= 0) field->place[b] = (int32_t)field->near_count++;
    size_t nodes = field->near_count * RP_MESH_SDF_BLOCK;
    field->nodes = rp_allocate(nodes * sizeof *field->nodes);
    return field->nodes != NULL;
}

/* Lays the grid of blocks around the bounds, one band wider on all sides and centred; coarsens the
 * spacing until the number of blocks is allowed. */
static void lay_grid(rp_mesh_sdf *field, rp_box3 bounds, double spacing, double band)
{
    rp_vec3 extent = rp_v3_sub(bounds.high, bounds.low);
    const double size[3] = {extent.x + 2 * band, extent.y + 2 * band, extent.z + 2 * band};
    for (;; spacing *= 1.25) {
        double edge = RP_MESH_SDF_CELLS * spacing, blocks = 1;
        for (int k = 0; k < 3; k++)
            blocks *= ceil(size[k] / edge);
        if (!(blocks <= (double)RP_MESH_SDF_BLOCKS_MAX)) continue;
        field->spacing = spacing;
        field->block_count = 1;
        double spare[3];
        for (int k = 0; k < 3; k++) {
            field->count[k] = (int)ceil(size[k] / edge);
            field->block_count *= (size_t)field->count[k];
            spare[k] = (field->count[k] * edge - size[k]) / 2 + band;
        }
        field->low = rp_v3_sub(bounds.low, rp_v3(spare[0], spare[1], spare[2]));
        return;
    }
}

static bool fill(rp_mesh_sdf *field, const rp_mesh *mesh, double band, rp_threads *threads)
{
    double half_diagonal = RP_MESH_SDF_CELLS * field->spacing * sqrt(3) / 2;
    filling f = {.mesh = mesh, .field = field, .reach = half_diagonal + band};
    field->middle = rp_allocate(field->block_count * sizeof *field->middle);
    field->place = rp_allocate(field->block_count * sizeof *field->place);
    if (!field->middle || !field->place) return false;
    rp_parallel_for(threads, field->block_count, 64, fill_middles, &f);
    if (!place_blocks(field)) return false;
    f.odd = rp_allocate(field->near_count);
    if (!f.odd) return false;
    rp_parallel_for(threads, field->block_count, 8, fill_nodes, &f);
    field->simple = true;
    for (size_t b = 0; b < field->near_count; b++)
        field->simple = field->simple && !f.odd[b];
    rp_release(f.odd, field->near_count);
    return true;
}

rp_code rp_mesh_sdf_create(const rp_mesh *mesh, double spacing, double band, rp_threads *threads,
                           rp_mesh_sdf **out, rp_report *report)
{
    rp_vec3 extent = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    RP_ASSERT(mesh->bvh && spacing > 0 && isfinite(rp_v3_length(extent) + spacing + band));
    rp_mesh_sdf *field = rp_allocate_zero(sizeof *field);
    bool ok = field != NULL;
    if (ok) {
        field->bounds = mesh->bounds;
        lay_grid(field, mesh->bounds, spacing, band);
        ok = fill(field, mesh, band, threads);
    }
    *out = field;
    if (ok) return RP_OK;
    rp_mesh_sdf_destroy(field);
    *out = NULL;
    return rp_fail(report, RP_ERROR_MEMORY,
                   "out of memory for the signed distance field of a mesh");
}

void rp_mesh_sdf_destroy(rp_mesh_sdf *field)
{
    if (!field) return;
    rp_release(field->middle, field->block_count * sizeof *field->middle);
    rp_release(field->place, field->block_count * sizeof *field->place);
    rp_release(field->nodes, field->near_count * RP_MESH_SDF_BLOCK * sizeof *field->nodes);
    rp_release(field, sizeof *field);
}

/* --- queries ---------------------------------------------------------------------------------- */

/* The location of a point in the grid: in cells from the first node, and its block. */
typedef struct spot {
    double cell[3];
    int first[3]; /* node of the block with the lowest indices */
    size_t block;
} spot;

/* Locates a point; false outside the grid. */
static inline bool find(const rp_mesh_sdf *field, rp_vec3 p, spot *s)
{
    double inverse = 1 / field->spacing;
    s->cell[0] = (p.x - field->low.x) * inverse;
    s->cell[1] = (p.y - field->low.y) * inverse;
    s->cell[2] = (p.z - field->low.z) * inverse;
    int block[3];
    for (int k = 0; k < 3; k++) {
        if (!(s->cell[k] >= 0 && s->cell[k] < RP_MESH_SDF_CELLS * field->count[k])) return false;
        block[k] = (int)s->cell[k] / RP_MESH_SDF_CELLS;
        s->first[k] = block[k] * RP_MESH_SDF_CELLS;
    }
    s->block =
        ((size_t)block[2] * (size_t)field->count[1] + (size_t)block[1]) * (size_t)field->count[0] +
        (size_t)block[0];
    return true;
}

/* (S8): the value minus the distance from its node, and minus what rounding may have added. x, y, z
 * are the offset from the node, in cells. */
static inline double bound_from(const rp_mesh_sdf *field, double value, double x, double y,
                                double z, double *most)
{
    double offset = field->spacing * sqrt(x * x + y * y + z * z) * (1 + ROUNDING);
    double bound = fabs(value) * (1 - ROUNDING) - offset;
    /* At a node on the surface both are 0, but the coordinates of the point are rounded, too. */
    *most = fabs(value) * (1 + ROUNDING) + offset + ROUNDING * field->spacing;
    if (!(bound > 0)) return 0;
    return value < 0 ? -bound : bound;
}

/* Outside the grid, which contains the mesh, the distance to the bounds of the mesh is a bound. */
static double bound_outside(const rp_mesh_sdf *field, rp_vec3 p)
{
    rp_vec3 beyond = rp_v3_max(rp_v3_sub(field->bounds.low, p), rp_v3_sub(p, field->bounds.high));
    return rp_v3_length(rp_v3_max(beyond, rp_v3(0, 0, 0))) * (1 - ROUNDING);
}

static const float *block_nodes(const rp_mesh_sdf *field, size_t block)
{
    int32_t place = field->place[block];
    return place < 0 ? NULL : field->nodes + (size_t)place * RP_MESH_SDF_BLOCK;
}

double rp_mesh_sdf_bound(const rp_mesh_sdf *field, rp_vec3 point, double *most)
{
    spot s;
    *most = INFINITY;
    if (!find(field, point, &s)) return bound_outside(field, point);
    const double half = RP_MESH_SDF_CELLS / 2.0;
    double in[3];
    for (int k = 0; k < 3; k++)
        in[k] = s.cell[k] - s.first[k];
    const float *nodes = block_nodes(field, s.block);
    /* Far block: from its centre. Near block: from the nearest node. */
    if (!nodes)
        return bound_from(field, field->middle[s.block], in[0] - half, in[1] - half, in[2] - half,
                          most);
    int x = (int)(in[0] + 0.5), y = (int)(in[1] + 0.5), z = (int)(in[2] + 0.5);
    double value = nodes[(z * RP_MESH_SDF_NODES + y) * RP_MESH_SDF_NODES + x];
    return bound_from(field, value, in[0] - x, in[1] - y, in[2] - z, most);
}

/* (S9): from a corner of the point's cell that is clear of the surface, by the crossings of the
 * segment to it; 0 where no corner decides. */
static double sign_from_corner(const rp_mesh_sdf *field, const rp_mesh *mesh, rp_vec3 point)
{
    spot s;
    const float *nodes = find(field, point, &s) ? block_nodes(field, s.block) : NULL;
    for (int i = 0; nodes && i < 8; i++) {
        int node = 0, change;
        double at[3];
        for (int k = 0; k < 3; k++) {
            /* The nearest corner first: its segment is the shortest. */
            int low = (int)s.cell[k], nearest = (int)(s.cell[k] + 0.5);
            int index = i >> k & 1 ? 2 * low + 1 - nearest : nearest;
            node += (index - s.first[k]) * strides[k];
            at[k] = index;
        }
        if (fabs(nodes[node]) < CLEAR * field->spacing) continue;
        rp_vec3 corner = rp_v3_madd(field->low, field->spacing, rp_v3(at[0], at[1], at[2]));
        if (!rp_mesh_bvh_crossings(mesh->bvh, mesh, point, corner, &change)) continue;
        /* Winding numbers are 0 or 1: no change keeps the side, one in the right direction flips
         * it, anything else comes from rounding. */
        if (change == 0) return nodes[node] < 0 ? -1 : 1;
        if (change == (nodes[node] < 0 ? 1 : -1)) return nodes[node] < 0 ? 1 : -1;
    }
    return 0;
}

double rp_mesh_sdf_sign(const rp_mesh_sdf *field, const rp_mesh *mesh, rp_vec3 point)
{
    double sign = 0, most;
    if (mesh->closed) sign = rp_mesh_sdf_bound(field, point, &most);
    if (sign == 0 && field->simple) sign = sign_from_corner(field, mesh, point);
    if (sign == 0) sign = rp_mesh_bvh_winding(mesh->bvh, mesh, point) > 0.5 ? -1 : 1;
    return sign < 0 ? -1 : 1;
}

double rp_mesh_sdf_value(const rp_mesh_sdf *field, rp_vec3 point)
{
    spot s;
    const float *nodes = find(field, point, &s) ? block_nodes(field, s.block) : NULL;
    double sum = 0, part[3];
    if (!nodes) return rp_mesh_sdf_bound(field, point, &sum);
    int low[3];
    for (int k = 0; k < 3; k++) {
        double in = s.cell[k] - s.first[k];
        low[k] = (int)in;
        part[k] = in - low[k];
    }
    for (int i = 0; i < 8; i++) {
        int x = low[0] + (i & 1), y = low[1] + (i >> 1 & 1), z = low[2] + (i >> 2);
        double weight = (i & 1 ? part[0] : 1 - part[0]) * (i & 2 ? part[1] : 1 - part[1]) *
                        (i & 4 ? part[2] : 1 - part[2]);
        sum += weight * nodes[(z * RP_MESH_SDF_NODES + y) * RP_MESH_SDF_NODES + x];
    }
    return sum;
}

double rp_mesh_sdf_node(const rp_mesh_sdf *field, const int index[3])
{
    size_t block = 0;
    int in[3];
    for (int k = 2; k >= 0; k--) {
        int b = index[k] / RP_MESH_SDF_CELLS;
        if (index[k] < 0 || b >= field->count[k]) return NAN;
        block = block * (size_t)field->count[k] + (size_t)b;
        in[k] = index[k] - b * RP_MESH_SDF_CELLS;
    }
    const float *nodes = block_nodes(field, block);
    if (!nodes) return NAN;
    return nodes[(in[2] * RP_MESH_SDF_NODES + in[1]) * RP_MESH_SDF_NODES + in[0]];
}
