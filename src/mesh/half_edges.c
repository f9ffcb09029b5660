/* Half edges: which triangles share an edge, how gaps of the size of rounding are closed, and which
 * two triangles at an edge belong to the same surface. docs/theory/geometry.md, (S16). */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "math/elementary.h"
#include "mesh/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gaps up to this share of the mesh's longest side are closed: some ten times what single precision
 * leaves, a hundredth of what anything is made to. */
#define GAP 1e-6
#define NONE RP_HALF_EDGE_NONE
#define SAME_ANGLE 1e-9 /* rad: triangles at an edge that coincide */

static void sorted_ends(const rp_mesh *mesh, size_t h, uint32_t ends[2])
{
    rp_half_edge_ends(mesh, h, ends);
    if (ends[0] <= ends[1]) return;
    uint32_t kept = ends[0];
    ends[0] = ends[1];
    ends[1] = kept;
}

/* --- edges ------------------------------------------------------------------------------------ */

void rp_half_edges_release(rp_half_edges *e)
{
    rp_release(e->ring, e->count * sizeof *e->ring);
    rp_release(e->begins, e->count);
    *e = (rp_half_edges){0};
}

/* A hash table (open addressing) from the ends of an edge, lower vertex first, to the last half
 * edge of its ring, plus one. Each new half edge is linked in behind it. */
bool rp_half_edges_make(const rp_mesh *mesh, rp_half_edges *e)
{
    size_t size = 16;
    e->count = 3 * mesh->triangle_count;
    while (size < 2 * e->count)
        size *= 2;
    uint32_t *slots = rp_allocate_zero(size * sizeof *slots);
    e->ring = rp_allocate(e->count * sizeof *e->ring);
    e->begins = rp_allocate_zero(e->count);
    bool ok = slots && e->ring && e->begins;
    for (size_t h = 0; ok && h < e->count; h++) {
        uint32_t ends[2], found[2];
        sorted_ends(mesh, h, ends);
        size_t slot = rp_hash(ends, sizeof ends, 0) & (size - 1);
        for (; slots[slot]; slot = (slot + 1) & (size - 1)) {
            sorted_ends(mesh, slots[slot] - 1, found);
            if (found[0] == ends[0] && found[1] == ends[1]) break;
        }
        uint32_t last = slots[slot] - 1;
        e->begins[h] = !slots[slot];
        e->ring[h] = slots[slot] ? e->ring[last] : (uint32_t)h;
        if (slots[slot]) e->ring[last] = (uint32_t)h;
        slots[slot] = (uint32_t)h + 1;
    }
    rp_release(slots, size * sizeof *slots);
    return ok;
}

/* Returns how many triangles share the edge of h: 2 in a manifold mesh. */
static size_t ring_length(const rp_half_edges *e, size_t h)
{
    size_t length = 1;
    for (size_t i = e->ring[h]; i != h; i = e->ring[i])
        length++;
    return length;
}

/* --- gaps ------------------------------------------------------------------------------------- */

typedef struct gap_closing {
    rp_mesh *mesh;
    const char *name;
    rp_report *report;
    rp_half_edges edges;
} gap_closing;

/* A hash grid of cells as wide as the gap. A slot holds the linked list of the vertices in its
 * cells that others were joined to: index plus one, 0 ends it. */
typedef struct vertex_grid {
    const rp_mesh *mesh;
    double gap; /* m */
    uint32_t *slots, *chain;
    size_t size; /* of the table, a power of two */
} vertex_grid;

static size_t cell_slot(const vertex_grid *p, const int64_t cell[3])
{
    return rp_hash(cell, 3 * sizeof *cell, 0) & (p->size - 1);
}

static void cell_of(const vertex_grid *p, rp_vec3 v, int64_t cell[3])
{
    rp_vec3 at = rp_v3_sub(v, p->mesh->bounds.low);
    cell[0] = (int64_t)floor(at.x / p->gap);
    cell[1] = (int64_t)floor(at.y / p->gap);
    cell[2] = (int64_t)floor(at.z / p->gap);
}

/* Returns the lowest vertex within the gap of a position, or NONE. Cells that share a slot share a
 * list, which costs time but finds no wrong vertex, since distances are tested. */
static uint32_t find_near(const vertex_grid *p, rp_vec3 v, double *distance)
{
    int64_t cell[3];
    uint32_t best = NONE;
    cell_of(p, v, cell);
    for (int i = 0; i < 27; i++) {
        int64_t beside[3] = {cell[0] + i % 3 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i / 9 - 1};
        for (uint32_t n = p->slots[cell_slot(p, beside)]; n; n = p->chain[n - 1]) {
            double apart = rp_v3_length(rp_v3_sub(p->mesh->vertices[n - 1], v));
            if (apart > p->gap || n - 1 >= best) continue;
            best = n - 1;
            *distance = apart;
        }
    }
    return best;
}

/* Joins the vertices that are marked in `map`, each to the lowest that is near; `map` then has the
 * vertex that each has become. Returns how many were joined. */
static size_t join_marked(vertex_grid *p, uint32_t *map, double *widest)
{
    size_t joined = 0;
    for (uint32_t v = 0; v < p->mesh->vertex_count; v++) {
        bool marked = map[v];
        map[v] = v;
        if (!marked) continue;
        double distance = 0;
        uint32_t near = find_near(p, p->mesh->vertices[v], &distance);
        if (near == NONE) {
            int64_t cell[3];
            cell_of(p, p->mesh->vertices[v], cell);
            size_t slot = cell_slot(p, cell);
            p->chain[v] = p->slots[slot];
            p->slots[slot] = v + 1;
            continue;
        }
        map[v] = near;
        *widest = fmax(*widest, distance);
        joined++;
    }
    return joined;
}

/* Removes triangles that lay within a gap and have collapsed; returns how many. */
static size_t drop_collapsed(rp_mesh *mesh, const uint32_t *map)
{
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *old = mesh->triangles[t];
        uint32_t c[3] = {map[old[0]], map[old[1]], map[old[2]]};
        bool was = old[0] != old[1] && old[1] != old[2] && old[2] != old[0];
        bool is = c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
        if (was && !is) continue;
        if (mesh->origins) mesh->origins[kept] = mesh->origins[t];
        memcpy(mesh->triangles[kept++], c, sizeof c);
    }
    size_t dropped = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
    return dropped;
}

static void report_joined(const gap_closing *s, size_t joined, double widest, size_t dropped)
{
    char text[80] = "";
    if (dropped) snprintf(text, sizeof text, "; %zu triangles within gaps are left out", dropped);
    rp_log(RP_LOG_WARNING, "%s: %zu vertices beside gaps of up to %.3g m are joined to others%s",
           s->name, joined, widest, text);
}

/* Joins the ends of open edges that are within the gap of each other. Vertices of closed edges stay
 * as they are, however thin the mesh is there. */
static bool close_gaps(gap_closing *s, uint32_t *map)
{
    rp_mesh *mesh = s->mesh;
    rp_vec3 size = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    size_t vertices = mesh->vertex_count, joined = 0;
    vertex_grid p = {mesh, GAP * fmax(size.x, fmax(size.y, size.z)), NULL, NULL, 16};
    while (p.size < vertices)
        p.size *= 2;
    p.slots = rp_allocate_zero(p.size * sizeof *p.slots);
    p.chain = rp_allocate(vertices * sizeof *p.chain);
    bool ok = p.slots && p.chain;
    double widest = 0;
    if (ok && p.gap > 0) joined = join_marked(&p, map, &widest);
    if (joined) {
        report_joined(s, joined, widest, drop_collapsed(mesh, map));
        rp_half_edges_release(&s->edges);
        ok = rp_mesh_drop_unused(mesh) && rp_half_edges_make(mesh, &s->edges);
    }
    rp_release(p.slots, p.size * sizeof *p.slots);
    rp_release(p.chain, vertices * sizeof *p.chain);
    return ok;
}

/* Marks the ends of edges that an odd number of triangles share. */
static size_t mark_open(const gap_closing *s, uint32_t *marks)
{
    size_t open = 0;
    for (size_t h = 0; h < s->edges.count; h++) {
        uint32_t ends[2];
        if (!s->edges.begins[h] || ring_length(&s->edges, h) % 2 == 0) continue;
        rp_half_edge_ends(s->mesh, h, ends);
        marks[ends[0]] = marks[ends[1]] = 1;
        open++;
    }
    return open;
}

static rp_code join_gaps(gap_closing *s)
{
    size_t bytes = s->mesh->vertex_count * sizeof(uint32_t);
    uint32_t *marks = rp_allocate_zero(bytes);
    bool ok = marks && rp_half_edges_make(s->mesh, &s->edges);
    if (ok && mark_open(s, marks)) ok = close_gaps(s, marks);
    rp_release(marks, bytes);
    return ok ? RP_OK : rp_fail_memory(s->report, bytes, s->name);
}

rp_code rp_mesh_close_gaps(rp_mesh *mesh, const char *name, rp_report *report)
{
    gap_closing s = {.mesh = mesh, .name = name, .report = report};
    rp_code code = join_gaps(&s);
    rp_half_edges_release(&s.edges);
    return code;
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct pairing {
    const rp_mesh *mesh;
    const rp_half_edges *edges;
    uint32_t *twins; /* of each half edge */
    const char *name;
    rp_report *report;
} pairing;

/* A triangle at a non-manifold edge, which more than two share. */
typedef struct leaf {
    double angle;   /* rad, of the triangle about the edge */
    uint32_t group; /* of triangles that are connected by manifold edges */
    uint32_t half;  /* edge */
    bool enters;    /* with growing angle the solid begins here, by the orientation of the file */
} leaf;

static int by_group(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->half > y->half) - (x->half < y->half);
}

static int by_angle(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    if (x->angle != y->angle) return x->angle < y->angle ? -1 : 1;
    return (x->half > y->half) - (x->half < y->half);
}

static void pair(pairing *s, uint32_t a, uint32_t b)
{
    s->twins[a] = b;
    s->twins[b] = a;
}

/* Union-find with path halving. */
static uint32_t find_group(uint32_t *above, uint32_t t)
{
    while (above[t] != t) {
        above[t] = above[above[t]];
        t = above[t];
    }
    return t;
}

/* Measures dihedral angles from the first triangle, about the edge from its lower vertex to the
 * higher. */
static void measure_leaves(const pairing *s, leaf *leaves, size_t count)
{
    const rp_mesh *mesh = s->mesh;
    uint32_t ends[2];
    sorted_ends(mesh, leaves[0].half, ends);
    rp_vec3 low = mesh->vertices[ends[0]];
    rp_vec3 axis = rp_v3_normalized(rp_v3_sub(mesh->vertices[ends[1]], low)), x = {0, 0, 0}, y = x;
    for (size_t i = 0; i < count; i++) {
        uint32_t h = leaves[i].half, third = mesh->triangles[h / 3][(h + 2) % 3];
        rp_vec3 arm = rp_v3_sub(mesh->vertices[third], low);
        arm = rp_v3_madd(arm, -rp_v3_dot(arm, axis), axis);
        if (i == 0) {
            x = rp_v3_normalized(arm);
            y = rp_v3_cross(axis, x);
        }
        leaves[i].angle = rp_atan2(rp_v3_dot(arm, y), rp_v3_dot(arm, x));
        leaves[i].enters = rp_half_edge_runs_down(mesh, h);
    }
}

/* Pairs the two triangles of each group; false unless every group has exactly two at this edge. */
static bool pair_by_group(pairing *s, leaf *leaves, size_t count)
{
    qsort(leaves, count, sizeof *leaves, by_group);
    for (size_t i = 0; i < count; i += 2)
        if (leaves[i].group != leaves[i + 1].group ||
            (i + 2 < count && leaves[i + 1].group == leaves[i + 2].group))
            return false;
    for (size_t i = 0; i < count; i += 2)
        pair(s, leaves[i].half, leaves[i + 1].half);
    return true;
}

static uint32_t apart(const leaf *a, const leaf *b)
{
    return a->half > b->half ? a->half - b->half : b->half - a->half;
}

/* Of coincident triangles, as where two boxes share a face, those are paired that are near each
 * other in the file: swaps partners while that brings the numbers of pairs closer. */
static void prefer_neighbors(const leaf *in, leaf *out, size_t count)
{
    const size_t few = 64; /* more have no order to find */
    for (size_t i = 0; i < count && count <= few; i++)
        for (size_t k = i + 1; k < count; k++) {
            bool same = fabs(out[i].angle - out[k].angle) < SAME_ANGLE ||
                        fabs(in[i].angle - in[k].angle) < SAME_ANGLE;
            double kept = (double)apart(&in[i], &out[i]) + apart(&in[k], &out[k]);
            double changed = (double)apart(&in[i], &out[k]) + apart(&in[k], &out[i]);
            if (!same || changed >= kept) continue;
            leaf other = out[i];
            out[i] = out[k];
            out[k] = other;
        }
}

/* Pairs each triangle where the solid begins with the one where it ends, in the order of the
 * angles, starting where the nesting depth is least; where the orientation of the file is
 * inconsistent, consecutive triangles. */
static void pair_by_angle(pairing *s, leaf *leaves, size_t count)
{
    measure_leaves(s, leaves, count);
    qsort(leaves, count, sizeof *leaves, by_angle);
    /* As brackets: the depth must return to 0, and matching starts behind its minimum. */
    long depth = 0, least = 0;
    size_t start = 0;
    for (size_t i = 0; i < count; i++) {
        depth += leaves[i].enters ? 1 : -1;
        if (depth < least) {
            least = depth;
            start = i + 1;
        }
    }
    if (depth != 0) {
        for (size_t i = 0; i < count; i += 2)
            pair(s, leaves[i].half, leaves[i + 1].half);
        return;
    }
    leaf *in = leaves + count, *out = in + count / 2;
    size_t ins = 0, outs = 0;
    for (size_t i = 0; i < count; i++) {
        const leaf *next = &leaves[(start + i) % count];
        if (next->enters)
            in[ins++] = *next;
        else
            out[outs++] = *next;
    }
    prefer_neighbors(in, out, ins);
    for (size_t i = 0; i < ins; i++)
        pair(s, in[i].half, out[i].half);
}

static bool pair_many(pairing *s, size_t h, size_t count, uint32_t *above)
{
    leaf *leaves = rp_allocate(2 * count * sizeof *leaves); /* the second half is scratch */
    if (!leaves) return false;
    uint32_t at = (uint32_t)h;
    for (size_t i = 0; i < count; i++, at = s->edges->ring[at])
        leaves[i] = (leaf){.half = at, .group = find_group(above, at / 3)};
    if (!pair_by_group(s, leaves, count)) pair_by_angle(s, leaves, count);
    rp_release(leaves, 2 * count * sizeof *leaves);
    return true;
}

/* Manifold edges first; they decide which triangles are connected at the other edges. */
static rp_code pair_all(pairing *s)
{
    const rp_half_edges *e = s->edges;
    size_t bytes = s->mesh->triangle_count * sizeof(uint32_t);
    uint32_t *above = rp_allocate(bytes);
    if (!above) return rp_fail_memory(s->report, bytes, s->name);
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        above[t] = (uint32_t)t;
    for (size_t h = 0; h < e->count; h++) {
        s->twins[h] = NONE;
        if (e->ring[h] == h || e->ring[e->ring[h]] != h) continue;
        s->twins[h] = e->ring[h];
        uint32_t a = find_group(above, (uint32_t)h / 3), b = find_group(above, e->ring[h] / 3);
        above[a > b ? a : b] = a > b ? b : a;
    }
    /* What is left: open edges, which are faults, and edges that more than two triangles share. */
    rp_code code = RP_OK;
    for (size_t h = 0; h < e->count && code == RP_OK; h++) {
        if (s->twins[h] != NONE) continue;
        size_t count = ring_length(e, h);
        if (count % 2 != 0)
            code = rp_mesh_fail_edge(
                s->mesh, h, count == 1 ? "is open" : "belongs to an odd number of triangles",
                s->name, s->report);
        else if (!pair_many(s, h, count, above))
            code = rp_fail_memory(s->report, count * sizeof(leaf), s->name);
    }
    rp_release(above, bytes);
    return code;
}

rp_code rp_half_edges_pair(const rp_mesh *mesh, const rp_half_edges *edges, uint32_t *twins,
                           const char *name, rp_report *report)
{
    pairing s = {mesh, edges, twins, name, report};
    return pair_all(&s);
}
