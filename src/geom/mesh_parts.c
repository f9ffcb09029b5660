/* From triangles to solids: gaps of the size of rounding are closed, triangles are paired along
 * their edges, and each closed part is oriented by itself: outward, or inward where it is a cavity
 * of another. docs/theory/geometry.md, (S16) to (S18). */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "geom/mesh_file.h"
#include "geom/tree.h"
#include "math/trig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gaps up to this share of the mesh's longest side are closed: some ten times what single precision
 * leaves, a hundredth of what anything is made to. */
#define GAP 1e-6
#define NONE UINT32_MAX
#define SAME_ANGLE 1e-9
/* Triangles of a part that are asked where they lie. */
#define PROBES 64
/* Triangles that rays are tried on: a second or two of work. */
#define MOST_WORK ((size_t)1 << 24)
/* Parts whose bounds are compared with each other. */
#define PAIRED 1000
/* Parts that a message names. */
#define NAMED 4

/* Half edge h is the side of triangle h / 3 from corner h % 3 to the next. `ring[h]` is the next
 * half edge, in either direction, between the same two vertices: rising, and around. */
typedef struct edges {
    uint32_t *ring;
    uint8_t *begins; /* of each half edge: it is the lowest of its ring */
    size_t count;
} edges;

typedef struct part {
    size_t first, count; /* of its triangles in the list */
    size_t turned;       /* of them, against the file */
    double volume;       /* m3, before it may become a cavity */
    rp_box3 bounds;
    bool cavity;
} part;

typedef struct sorting {
    rp_mesh *mesh;
    const char *name;
    rp_report *report;
    edges edges;
    uint32_t *partner; /* of each half edge */
    uint32_t *part_of; /* of each triangle */
    uint8_t *turned;   /* of each triangle: its corners run the other way than in the file */
    uint32_t *list;    /* triangles: to visit, then those of each part in turn */
    part *parts;
    size_t part_count, part_capacity;
    int *winding; /* of each part around a probe */
} sorting;

static void ends_of(const rp_mesh *mesh, size_t h, uint32_t ends[2])
{
    ends[0] = mesh->triangles[h / 3][h % 3];
    ends[1] = mesh->triangles[h / 3][(h + 1) % 3];
}

static bool runs_down(const rp_mesh *mesh, size_t h)
{
    uint32_t ends[2];
    ends_of(mesh, h, ends);
    return ends[0] > ends[1];
}

static void sorted_ends(const rp_mesh *mesh, size_t h, uint32_t ends[2])
{
    ends_of(mesh, h, ends);
    if (ends[0] <= ends[1]) return;
    uint32_t kept = ends[0];
    ends[0] = ends[1];
    ends[1] = kept;
}

/* --- edges ------------------------------------------------------------------------------------ */

static void edges_release(edges *e)
{
    rp_release(e->ring, e->count * sizeof *e->ring);
    rp_release(e->begins, e->count);
    *e = (edges){0};
}

/* A table with open addressing holds the last half edge of each ring, plus one. */
static bool edges_make(const rp_mesh *mesh, edges *e)
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

static size_t ring_length(const edges *e, size_t h)
{
    size_t length = 1;
    for (size_t i = e->ring[h]; i != h; i = e->ring[i])
        length++;
    return length;
}

/* --- gaps ------------------------------------------------------------------------------------- */

/* A grid of cells as wide as the gap, in a table with open addressing; a cell holds the chain of
 * the vertices in it that others were joined to. */
typedef struct places {
    const rp_mesh *mesh;
    double gap;
    uint32_t *slots, *chain;
    size_t size;
} places;

static size_t cell_slot(const places *p, const int64_t cell[3])
{
    return rp_hash(cell, 3 * sizeof *cell, 0) & (p->size - 1);
}

static void cell_of(const places *p, rp_vec3 v, int64_t cell[3])
{
    rp_vec3 at = rp_v3_sub(v, p->mesh->bounds.low);
    cell[0] = (int64_t)floor(at.x / p->gap);
    cell[1] = (int64_t)floor(at.y / p->gap);
    cell[2] = (int64_t)floor(at.z / p->gap);
}

/* The first vertex within the gap; NONE. Cells that share a slot share a chain, which costs time
 * but finds nothing wrong. */
static uint32_t find_near(const places *p, rp_vec3 v, double *distance)
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

/* Joins the vertices that are marked in `map`, each to the first that is near; `map` then says
 * which vertex each has become. */
static size_t join_marked(places *p, uint32_t *map, double *widest)
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

/* Triangles that were nothing but the gap are left out. */
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

static void tell_joined(const sorting *s, size_t joined, double widest, size_t dropped)
{
    char text[80] = "";
    if (dropped) snprintf(text, sizeof text, "; %zu triangles within gaps are left out", dropped);
    rp_log(RP_LOG_WARNING, "%s: %zu vertices beside gaps of up to %.3g m are joined to others%s",
           s->name, joined, widest, text);
}

/* Joins the ends of open edges that lie within the gap of each other. What is closed already stays
 * as it is, however thin. */
static bool close_gaps(sorting *s, uint32_t *map)
{
    rp_mesh *mesh = s->mesh;
    rp_vec3 size = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    size_t vertices = mesh->vertex_count, joined = 0;
    places p = {mesh, GAP * fmax(size.x, fmax(size.y, size.z)), NULL, NULL, 16};
    while (p.size < vertices)
        p.size *= 2;
    p.slots = rp_allocate_zero(p.size * sizeof *p.slots);
    p.chain = rp_allocate(vertices * sizeof *p.chain);
    bool ok = p.slots && p.chain;
    double widest = 0;
    if (ok && p.gap > 0) joined = join_marked(&p, map, &widest);
    if (joined) {
        tell_joined(s, joined, widest, drop_collapsed(mesh, map));
        edges_release(&s->edges);
        ok = rp_mesh_drop_unused(mesh) && edges_make(mesh, &s->edges);
    }
    rp_release(p.slots, p.size * sizeof *p.slots);
    rp_release(p.chain, vertices * sizeof *p.chain);
    return ok;
}

/* Marks the ends of edges that an odd number of triangles share. */
static size_t mark_open(const sorting *s, uint32_t *marks)
{
    size_t open = 0;
    for (size_t h = 0; h < s->edges.count; h++) {
        uint32_t ends[2];
        if (!s->edges.begins[h] || ring_length(&s->edges, h) % 2 == 0) continue;
        ends_of(s->mesh, h, ends);
        marks[ends[0]] = marks[ends[1]] = 1;
        open++;
    }
    return open;
}

static rp_code join_gaps(sorting *s)
{
    size_t bytes = s->mesh->vertex_count * sizeof(uint32_t);
    uint32_t *marks = rp_allocate_zero(bytes);
    bool ok = marks && edges_make(s->mesh, &s->edges);
    if (ok && mark_open(s, marks)) ok = close_gaps(s, marks);
    rp_release(marks, bytes);
    return ok ? RP_OK : rp_fail_memory(s->report, bytes, s->name);
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* A triangle at an edge that more than two share. */
typedef struct leaf {
    double angle;   /* of the triangle around the edge */
    uint32_t group; /* triangles that hang together by edges of two */
    uint32_t half;  /* edge */
    bool enters;    /* with growing angle the solid begins here, as the file orients it */
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

static void pair(sorting *s, uint32_t a, uint32_t b)
{
    s->partner[a] = b;
    s->partner[b] = a;
}

static uint32_t find_group(uint32_t *above, uint32_t t)
{
    while (above[t] != t) {
        above[t] = above[above[t]];
        t = above[t];
    }
    return t;
}

/* Angles are counted from the first triangle, about the edge from its lower vertex to the higher.
 */
static void measure_leaves(const sorting *s, leaf *leaves, size_t count)
{
    const rp_mesh *mesh = s->mesh;
    uint32_t ends[2];
    sorted_ends(mesh, leaves[0].half, ends);
    rp_vec3 low = mesh->vertices[ends[0]];
    rp_vec3 axis = rp_v3_normal(rp_v3_sub(mesh->vertices[ends[1]], low)), x = {0, 0, 0}, y = x;
    for (size_t i = 0; i < count; i++) {
        uint32_t h = leaves[i].half, third = mesh->triangles[h / 3][(h + 2) % 3];
        rp_vec3 arm = rp_v3_sub(mesh->vertices[third], low);
        arm = rp_v3_madd(arm, -rp_v3_dot(arm, axis), axis);
        if (i == 0) {
            x = rp_v3_normal(arm);
            y = rp_v3_cross(axis, x);
        }
        leaves[i].angle = rp_atan2(rp_v3_dot(arm, y), rp_v3_dot(arm, x));
        leaves[i].enters = runs_down(mesh, h);
    }
}

/* Two triangles of each group, if it is so. */
static bool pair_by_group(sorting *s, leaf *leaves, size_t count)
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

/* Of triangles that lie on each other, as where two boxes share a face, those belong together that
 * stand near each other in the file. */
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

/* Each triangle where the solid begins with the one where it ends, from an angle on where it is
 * least deep; where the file's orientation makes no sense of that, neighbors. */
static void pair_by_angle(sorting *s, leaf *leaves, size_t count)
{
    measure_leaves(s, leaves, count);
    qsort(leaves, count, sizeof *leaves, by_angle);
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

static bool pair_many(sorting *s, size_t h, size_t count, uint32_t *above)
{
    leaf *leaves = rp_allocate(2 * count * sizeof *leaves); /* half of them to sort into */
    if (!leaves) return false;
    uint32_t at = (uint32_t)h;
    for (size_t i = 0; i < count; i++, at = s->edges.ring[at])
        leaves[i] = (leaf){.half = at, .group = find_group(above, at / 3)};
    if (!pair_by_group(s, leaves, count)) pair_by_angle(s, leaves, count);
    rp_release(leaves, 2 * count * sizeof *leaves);
    return true;
}

/* Edges of two triangles first; they tell what hangs together at the others. */
static rp_code pair_edges(sorting *s)
{
    const edges *e = &s->edges;
    size_t bytes = s->mesh->triangle_count * sizeof(uint32_t);
    uint32_t *above = rp_allocate(bytes);
    if (!above) return rp_fail_memory(s->report, bytes, s->name);
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        above[t] = (uint32_t)t;
    for (size_t h = 0; h < e->count; h++) {
        s->partner[h] = NONE;
        if (e->ring[h] == h || e->ring[e->ring[h]] != h) continue;
        s->partner[h] = e->ring[h];
        uint32_t a = find_group(above, (uint32_t)h / 3), b = find_group(above, e->ring[h] / 3);
        above[a > b ? a : b] = a > b ? b : a;
    }
    rp_code code = RP_OK;
    for (size_t h = 0; h < e->count && code == RP_OK; h++) {
        if (s->partner[h] != NONE) continue;
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

/* --- parts ------------------------------------------------------------------------------------ */

static void turn(rp_mesh *mesh, size_t t)
{
    uint32_t kept = mesh->triangles[t][1];
    mesh->triangles[t][1] = mesh->triangles[t][2];
    mesh->triangles[t][2] = kept;
}

/* All triangles that hang together with the first, turned as it is. */
static rp_code flood(sorting *s, uint32_t first, size_t *listed)
{
    size_t next = *listed;
    s->list[(*listed)++] = first;
    s->part_of[first] = (uint32_t)s->part_count;
    for (; next < *listed; next++) {
        uint32_t t = s->list[next];
        for (uint32_t h = 3 * t; h < 3 * t + 3; h++) {
            uint32_t g = s->partner[h], u = g / 3;
            bool same = runs_down(s->mesh, h) == runs_down(s->mesh, g);
            uint8_t wanted = s->turned[t] ^ same;
            if (s->part_of[u] == NONE) {
                s->part_of[u] = (uint32_t)s->part_count;
                s->turned[u] = wanted;
                s->list[(*listed)++] = u;
            } else if (s->turned[u] != wanted) {
                return rp_mesh_fail_edge(
                    s->mesh, g,
                    "belongs to a surface that has only one side, as a Moebius "
                    "strip, or cuts itself there",
                    s->name, s->report);
            }
        }
    }
    return RP_OK;
}

static bool add_part(sorting *s, size_t first, size_t count)
{
    if (!rp_reserve((void **)&s->parts, &s->part_capacity, s->part_count, s->part_count + 1,
                    sizeof *s->parts))
        return false;
    s->parts[s->part_count++] = (part){.first = first, .count = count};
    return true;
}

/* Its volume and bounds, with the triangles turned as they should be; then outward as a whole. */
static void orient_part(sorting *s, part *p)
{
    rp_mesh *mesh = s->mesh;
    rp_vec3 eye = mesh->vertices[mesh->triangles[s->list[p->first]][0]];
    p->bounds = (rp_box3){eye, eye};
    for (size_t i = p->first; i < p->first + p->count; i++) {
        uint32_t t = s->list[i];
        rp_vec3 c[3];
        if (s->turned[t]) turn(mesh, t);
        rp_mesh_corners(mesh, t, c);
        for (int k = 0; k < 3; k++) {
            p->bounds.low = rp_v3_min(p->bounds.low, c[k]);
            p->bounds.high = rp_v3_max(p->bounds.high, c[k]);
            c[k] = rp_v3_sub(c[k], eye);
        }
        p->volume += rp_v3_dot(c[0], rp_v3_cross(c[1], c[2])) / 6;
    }
}

static void turn_part(sorting *s, const part *p)
{
    for (size_t i = p->first; i < p->first + p->count; i++) {
        turn(s->mesh, s->list[i]);
        s->turned[s->list[i]] ^= 1;
    }
}

static rp_code find_parts(sorting *s)
{
    size_t listed = 0;
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        s->part_of[t] = NONE;
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) {
        size_t first = listed;
        if (s->part_of[t] != NONE) continue;
        RP_TRY(flood(s, t, &listed));
        if (!add_part(s, first, listed - first))
            return rp_fail_memory(s->report, sizeof(part), s->name);
    }
    for (size_t i = 0; i < s->part_count; i++) {
        part *p = &s->parts[i];
        orient_part(s, p);
        if (p->volume < 0) turn_part(s, p);
        p->volume = fabs(p->volume);
    }
    return RP_OK;
}

/* --- parts in parts --------------------------------------------------------------------------- */

/* Parts that wind around a probe, and how often: `winding` has it of each, `met` lists them. */
typedef struct probe {
    const sorting *s;
    uint32_t *met;
    size_t count, capacity;
    size_t work; /* triangles tried */
    bool ok;     /* memory lasts */
} probe;

static bool take_crossing(void *user, size_t triangle, int change)
{
    probe *p = user;
    uint32_t number = p->s->part_of[triangle];
    if (!rp_reserve((void **)&p->met, &p->capacity, p->count, p->count + 1, sizeof *p->met)) {
        p->ok = false;
        return false;
    }
    p->met[p->count++] = number;
    p->s->winding[number] -= change;
    return true;
}

/* Slightly off the axes, so that rays pass edges by, and their boxes still are slim. */
static bool shoot(const sorting *s, probe *p, rp_vec3 from)
{
    static const double ways[4][3] = {{1, 1.31e-3, 0.77e-3},
                                      {0.71e-3, -1, 1.13e-3},
                                      {-0.93e-3, 0.59e-3, 1},
                                      {-1, 0.83e-3, 1.7e-3}};
    const rp_mesh *mesh = s->mesh;
    double reach = 2 * rp_v3_length(rp_v3_sub(mesh->bounds.high, mesh->bounds.low));
    for (int i = 0; i < 4 && p->ok && p->work <= MOST_WORK; i++) {
        p->count = 0;
        rp_vec3 to = rp_v3_madd(from, reach, rp_v3_from(ways[i]));
        if (rp_mesh_bvh_pierce(mesh->tree, mesh, from, to, take_crossing, p, &p->work)) return true;
        for (size_t k = 0; k < p->count; k++)
            s->winding[p->met[k]] = 0;
    }
    return false;
}

static void forget(const sorting *s, const probe *p)
{
    for (size_t k = 0; k < p->count; k++)
        s->winding[p->met[k]] = 0;
}

/* A point just inside the part, near a corner of one of its triangles. */
static rp_vec3 probe_point(const sorting *s, const part *p, int number)
{
    size_t step = p->count > PROBES ? p->count / PROBES : 1;
    uint32_t t = s->list[p->first + (size_t)(number / 3) * step];
    rp_vec3 c[3], size = rp_v3_sub(p->bounds.high, p->bounds.low);
    rp_mesh_corners(s->mesh, t, c);
    rp_vec3 centre = rp_v3_scale(rp_v3_add(c[0], rp_v3_add(c[1], c[2])), 1.0 / 3);
    rp_vec3 normal = rp_v3_normal(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    double depth = 1e-7 * fmax(size.x, fmax(size.y, size.z));
    return rp_v3_madd(rp_v3_mix(c[number % 3], centre, 0.03), -depth, normal);
}

static int probe_count(const part *p)
{
    return 3 * (int)(p->count < PROBES ? p->count : PROBES);
}

/* Whether any probe of part b lies in part a. */
static bool reaches_into(sorting *s, probe *p, uint32_t b, uint32_t a)
{
    bool found = false;
    for (int i = 0; i < probe_count(&s->parts[b]) && !found && p->ok; i++) {
        if (!shoot(s, p, probe_point(s, &s->parts[b], i))) continue;
        found = s->winding[a] != 0;
        forget(s, p);
    }
    return found;
}

/* The larger parts that hold the first probe of part a, then only those that hold all of them. */
static size_t find_holders(sorting *s, probe *p, uint32_t a, uint32_t *holders, size_t most)
{
    size_t count = 0;
    bool begun = false;
    for (int i = 0; i < probe_count(&s->parts[a]) && p->ok && (!begun || count); i++) {
        if (!shoot(s, p, probe_point(s, &s->parts[a], i))) continue;
        if (!begun) {
            for (size_t k = 0; k < p->count && count < most; k++) {
                uint32_t b = p->met[k];
                bool known = false;
                for (size_t n = 0; n < count; n++)
                    known = known || holders[n] == b;
                if (b != a && s->winding[b] != 0 && s->parts[b].volume > s->parts[a].volume &&
                    !known)
                    holders[count++] = b;
            }
            begun = true;
        }
        size_t kept = 0;
        for (size_t n = 0; n < count; n++)
            if (s->winding[holders[n]] != 0) holders[kept++] = holders[n];
        count = kept;
        forget(s, p);
    }
    return count;
}

/* Parts that an odd number of others hold, without being cut by them, are cavities. */
#define HOLDERS 64
static rp_code find_cavities(sorting *s)
{
    probe p = {.s = s, .ok = true};
    rp_code code = RP_OK;
    if (!s->mesh->tree) code = rp_mesh_bvh_create(s->mesh, &s->mesh->tree, s->report);
    for (uint32_t a = 0; a < s->part_count && code == RP_OK && p.ok; a++) {
        uint32_t holders[HOLDERS];
        size_t count = find_holders(s, &p, a, holders, HOLDERS), depth = 0;
        for (size_t n = 0; n < count && p.ok; n++)
            depth += !reaches_into(s, &p, holders[n], a);
        s->parts[a].cavity = depth % 2 == 1;
        rp_place place = {.file = s->name};
        if (count == HOLDERS || p.work > MOST_WORK)
            code = rp_fail_at(s->report, RP_ERROR_INPUT, &place, NULL,
                              "the mesh has %zu parts, too many of them inside each other; remove "
                              "what is not seen",
                              s->part_count);
    }
    if (!p.ok) code = rp_fail_memory(s->report, p.capacity * sizeof *p.met, s->name);
    rp_release(p.met, p.capacity * sizeof *p.met);
    bool any = false;
    for (size_t i = 0; i < s->part_count && code == RP_OK; i++) {
        if (!s->parts[i].cavity) continue;
        turn_part(s, &s->parts[i]);
        any = true;
    }
    /* The dipoles of the tree know which way triangles face. */
    if (any) {
        rp_mesh_bvh_destroy(s->mesh->tree);
        s->mesh->tree = NULL;
    }
    return code;
}

/* --- telling ---------------------------------------------------------------------------------- */

/* "part 2 of 3 (12 triangles, (0, 0, 0) to (1, 1, 1) m)", or numbers where there are many. */
static void list_parts(const sorting *s, bool cavities, size_t count, char *text, size_t size)
{
    size_t named = 0, used = 0;
    for (size_t i = 0; i < s->part_count && named < NAMED; i++) {
        const part *p = &s->parts[i];
        if (p->turned != p->count || p->cavity != cavities) continue;
        rp_vec3 low = p->bounds.low, high = p->bounds.high;
        int length = snprintf(text + used, size - used,
                              "%s%zu of %zu (%zu triangles, (%.4g, %.4g, %.4g) to (%.4g, %.4g, "
                              "%.4g) m)",
                              named ? ", part " : "part ", i + 1, s->part_count, p->count, low.x,
                              low.y, low.z, high.x, high.y, high.z);
        used += (size_t)length;
        named++;
    }
    if (count > named) snprintf(text + used, size - used, " and %zu more", count - named);
}

static void tell_turned(const sorting *s)
{
    size_t whole[2] = {0, 0}, single = 0;
    char text[NAMED * 160];
    for (size_t i = 0; i < s->part_count; i++) {
        const part *p = &s->parts[i];
        if (p->turned == p->count)
            whole[p->cavity]++;
        else
            single += p->turned;
    }
    if (single)
        rp_log(RP_LOG_WARNING,
               "%s: %zu of %zu triangles face the other way than their neighbors; they are turned",
               s->name, single, s->mesh->triangle_count);
    if (whole[0] + whole[1] == s->part_count) {
        rp_log(RP_LOG_WARNING, "%s: the mesh is inside out; its triangles are turned", s->name);
        return;
    }
    for (int cavity = 0; cavity < 2; cavity++) {
        if (!whole[cavity]) continue;
        list_parts(s, cavity, whole[cavity], text, sizeof text);
        rp_log(RP_LOG_WARNING,
               cavity ? "%s: inside another part, and so taken as a cavity and turned inward: %s"
                      : "%s: inside out, and so turned: %s",
               s->name, text);
    }
}

static void count_turned(sorting *s)
{
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        s->parts[s->part_of[t]].turned += s->turned[t];
}

/* Where the bounds of any two parts overlap; all of the mesh when there are too many to try. */
static rp_box3 shared_box(const sorting *s)
{
    rp_box3 shared = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    if (s->part_count > PAIRED) return s->mesh->bounds;
    for (size_t a = 0; a < s->part_count; a++)
        for (size_t b = a + 1; b < s->part_count; b++) {
            rp_box3 p = s->parts[a].bounds, q = s->parts[b].bounds;
            rp_vec3 low = rp_v3_max(p.low, q.low), high = rp_v3_min(p.high, q.high);
            if (!(high.x > low.x && high.y > low.y && high.z > low.z)) continue;
            shared.low = rp_v3_min(shared.low, low);
            shared.high = rp_v3_max(shared.high, high);
        }
    return shared;
}

/* --- all of it -------------------------------------------------------------------------------- */

rp_code rp_mesh_close_gaps(rp_mesh *mesh, const char *name, rp_report *report)
{
    sorting s = {.mesh = mesh, .name = name, .report = report};
    rp_code code = join_gaps(&s);
    edges_release(&s.edges);
    return code;
}

rp_code rp_mesh_orient(rp_mesh *mesh, const char *name, rp_box3 *shared, rp_report *report)
{
    size_t count = mesh->triangle_count;
    sorting s = {.mesh = mesh, .name = name, .report = report};
    bool ok = edges_make(mesh, &s.edges);
    s.partner = rp_allocate(3 * count * sizeof *s.partner);
    s.part_of = rp_allocate(count * sizeof *s.part_of);
    s.turned = rp_allocate_zero(count);
    s.list = rp_allocate(count * sizeof *s.list);
    ok = ok && s.partner && s.part_of && s.turned && s.list;
    rp_code code = ok ? pair_edges(&s) : rp_fail_memory(report, 32 * count, name);
    if (code == RP_OK) code = find_parts(&s);
    if (code == RP_OK && s.part_count > 1) {
        s.winding = rp_allocate_zero(s.part_count * sizeof *s.winding);
        code = s.winding ? find_cavities(&s) : rp_fail_memory(report, s.part_count, name);
    }
    if (code == RP_OK) {
        count_turned(&s);
        tell_turned(&s);
    }
    *shared = shared_box(&s);
    rp_release(s.winding, s.part_count * sizeof *s.winding);
    rp_release(s.parts, s.part_capacity * sizeof *s.parts);
    rp_release(s.list, count * sizeof *s.list);
    rp_release(s.turned, count);
    rp_release(s.part_of, count * sizeof *s.part_of);
    rp_release(s.partner, 3 * count * sizeof *s.partner);
    edges_release(&s.edges);
    return code;
}
