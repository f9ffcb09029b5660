/* From triangles to solids: triangles that are connected by their edges are a part, and each closed
 * part is oriented by itself: outward, or inward where it is a cavity of another.
 * docs/theory/geometry.md, (S17) and (S18). */
#include "base/memory.h"
#include "base/report.h"
#include "mesh/bvh.h"
#include "mesh/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE RP_HALF_EDGE_NONE
/* Triangles of a part at which probe points are taken, at most. */
#define PROBES 64
/* Ray-triangle tests at most: one or two seconds. */
#define MOST_WORK ((size_t)1 << 24)
/* Parts at most whose bounds are compared with each other. */
#define PARTS_COMPARED 1000
/* Parts that a message names at most. */
#define NAMED 4

typedef struct part {
    size_t first, count; /* of its triangles in the list */
    size_t flipped;      /* of them, flipped against the file */
    double volume;       /* m3, before it may become a cavity */
    rp_box3 bounds;
    bool cavity;
} part;

typedef struct orienting {
    rp_mesh *mesh;
    const char *name;
    rp_report *report;
    uint32_t *twins;   /* of each half edge */
    uint32_t *part_of; /* of each triangle */
    uint8_t *flipped;  /* of each triangle: it is flipped against the file */
    uint32_t *list;    /* triangles: the queue of the flood fill, then those of each part in turn */
    part *parts;
    size_t part_count, part_capacity;
    int *winding; /* of each part around a probe */
} orienting;

/* --- parts ------------------------------------------------------------------------------------ */

static void flip(rp_mesh *mesh, size_t t)
{
    uint32_t kept = mesh->triangles[t][1];
    mesh->triangles[t][1] = mesh->triangles[t][2];
    mesh->triangles[t][2] = kept;
}

/* Flood fill: all triangles that are connected with the first, with flips that make each run along
 * a common edge in the opposite direction of its neighbor. A triangle that would have to be flipped
 * and not flipped shows a one-sided surface. */
static rp_code flood(orienting *s, uint32_t first, size_t *listed)
{
    size_t next = *listed;
    s->list[(*listed)++] = first;
    s->part_of[first] = (uint32_t)s->part_count;
    for (; next < *listed; next++) {
        uint32_t t = s->list[next];
        for (uint32_t h = 3 * t; h < 3 * t + 3; h++) {
            uint32_t g = s->twins[h], u = g / 3;
            bool same = rp_half_edge_runs_down(s->mesh, h) == rp_half_edge_runs_down(s->mesh, g);
            uint8_t wanted = s->flipped[t] ^ same;
            if (s->part_of[u] == NONE) {
                s->part_of[u] = (uint32_t)s->part_count;
                s->flipped[u] = wanted;
                s->list[(*listed)++] = u;
            } else if (s->flipped[u] != wanted) {
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

static bool add_part(orienting *s, size_t first, size_t count)
{
    if (!rp_reserve((void **)&s->parts, &s->part_capacity, s->part_count, s->part_count + 1,
                    sizeof *s->parts))
        return false;
    s->parts[s->part_count++] = (part){.first = first, .count = count};
    return true;
}

/* Applies the flips of a part and computes its signed volume (S3) and bounds. */
static void orient_part(orienting *s, part *p)
{
    rp_mesh *mesh = s->mesh;
    rp_vec3 eye = mesh->vertices[mesh->triangles[s->list[p->first]][0]];
    p->bounds = (rp_box3){eye, eye};
    for (size_t i = p->first; i < p->first + p->count; i++) {
        uint32_t t = s->list[i];
        rp_vec3 c[3];
        if (s->flipped[t]) flip(mesh, t);
        rp_mesh_corners(mesh, t, c);
        for (int k = 0; k < 3; k++) {
            p->bounds.low = rp_v3_min(p->bounds.low, c[k]);
            p->bounds.high = rp_v3_max(p->bounds.high, c[k]);
            c[k] = rp_v3_sub(c[k], eye);
        }
        p->volume += rp_v3_dot(c[0], rp_v3_cross(c[1], c[2])) / 6;
    }
}

static void flip_part(orienting *s, const part *p)
{
    for (size_t i = p->first; i < p->first + p->count; i++) {
        flip(s->mesh, s->list[i]);
        s->flipped[s->list[i]] ^= 1;
    }
}

/* Finds all parts and orients each outward, by the sign of its volume. */
static rp_code find_parts(orienting *s)
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
        if (p->volume < 0) flip_part(s, p);
        p->volume = fabs(p->volume);
    }
    return RP_OK;
}

/* --- nested parts ---------------------------------------------------------------------------- */

/* The parts that wind around a probe point: `winding` has the number of each, `met` lists them. */
typedef struct probe {
    const orienting *s;
    uint32_t *met;
    size_t count, capacity;
    size_t work; /* triangles tested */
    bool ok;     /* memory lasts */
} probe;

static bool add_crossing(void *user, size_t triangle, int change)
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

/* Casts a ray from a point out of the mesh and counts the crossings of each part. Directions are
 * slightly off the axes, so that rays miss edges, and their bounding boxes are still slim. Up to
 * four directions are tried until a ray hits no edge exactly. */
static bool cast_ray(const orienting *s, probe *p, rp_vec3 from)
{
    static const double directions[4][3] = {{1, 1.31e-3, 0.77e-3},
                                            {0.71e-3, -1, 1.13e-3},
                                            {-0.93e-3, 0.59e-3, 1},
                                            {-1, 0.83e-3, 1.7e-3}};
    const rp_mesh *mesh = s->mesh;
    double reach = 2 * rp_v3_length(rp_v3_sub(mesh->bounds.high, mesh->bounds.low));
    for (int i = 0; i < 4 && p->ok && p->work <= MOST_WORK; i++) {
        p->count = 0;
        rp_vec3 to = rp_v3_madd(from, reach, rp_v3_from(directions[i]));
        if (rp_mesh_bvh_intersect(mesh->bvh, mesh, from, to, add_crossing, p, &p->work))
            return true;
        for (size_t k = 0; k < p->count; k++)
            s->winding[p->met[k]] = 0;
    }
    return false;
}

static void reset_winding(const orienting *s, const probe *p)
{
    for (size_t k = 0; k < p->count; k++)
        s->winding[p->met[k]] = 0;
}

/* Returns a point just below the surface of the part, near a corner of one of its triangles. */
static rp_vec3 probe_point(const orienting *s, const part *p, int number)
{
    size_t step = p->count > PROBES ? p->count / PROBES : 1;
    uint32_t t = s->list[p->first + (size_t)(number / 3) * step];
    rp_vec3 c[3], size = rp_v3_sub(p->bounds.high, p->bounds.low);
    rp_mesh_corners(s->mesh, t, c);
    rp_vec3 centre = rp_v3_scale(rp_v3_add(c[0], rp_v3_add(c[1], c[2])), 1.0 / 3);
    rp_vec3 normal = rp_v3_normalized(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    double depth = 1e-7 * fmax(size.x, fmax(size.y, size.z));
    return rp_v3_madd(rp_v3_mix(c[number % 3], centre, 0.03), -depth, normal);
}

static int probe_count(const part *p)
{
    return 3 * (int)(p->count < PROBES ? p->count : PROBES);
}

/* True when any probe of part b is inside part a. */
static bool reaches_into(orienting *s, probe *p, uint32_t b, uint32_t a)
{
    bool found = false;
    for (int i = 0; i < probe_count(&s->parts[b]) && !found && p->ok; i++) {
        if (!cast_ray(s, p, probe_point(s, &s->parts[b], i))) continue;
        found = s->winding[a] != 0;
        reset_winding(s, p);
    }
    return found;
}

/* Finds the larger parts around the first probe of part a, then keeps only those around all probes.
 */
static size_t find_enclosing(orienting *s, probe *p, uint32_t a, uint32_t *enclosing, size_t most)
{
    size_t count = 0;
    bool begun = false;
    for (int i = 0; i < probe_count(&s->parts[a]) && p->ok && (!begun || count); i++) {
        if (!cast_ray(s, p, probe_point(s, &s->parts[a], i))) continue;
        if (!begun) {
            for (size_t k = 0; k < p->count && count < most; k++) {
                uint32_t b = p->met[k];
                bool known = false;
                for (size_t n = 0; n < count; n++)
                    known = known || enclosing[n] == b;
                if (b != a && s->winding[b] != 0 && s->parts[b].volume > s->parts[a].volume &&
                    !known)
                    enclosing[count++] = b;
            }
            begun = true;
        }
        size_t kept = 0;
        for (size_t n = 0; n < count; n++)
            if (s->winding[enclosing[n]] != 0) enclosing[kept++] = enclosing[n];
        count = kept;
        reset_winding(s, p);
    }
    return count;
}

/* Parts that are inside an odd number of others, without intersecting them, are cavities: (S18). */
#define ENCLOSING_MAX 64
static rp_code find_cavities(orienting *s)
{
    probe p = {.s = s, .ok = true};
    rp_code code = RP_OK;
    if (!s->mesh->bvh) code = rp_mesh_bvh_create(s->mesh, &s->mesh->bvh, s->report);
    for (uint32_t a = 0; a < s->part_count && code == RP_OK && p.ok; a++) {
        uint32_t enclosing[ENCLOSING_MAX];
        size_t count = find_enclosing(s, &p, a, enclosing, ENCLOSING_MAX), depth = 0;
        for (size_t n = 0; n < count && p.ok; n++)
            depth += !reaches_into(s, &p, enclosing[n], a);
        s->parts[a].cavity = depth % 2 == 1;
        rp_place place = {.file = s->name};
        if (count == ENCLOSING_MAX || p.work > MOST_WORK)
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
        flip_part(s, &s->parts[i]);
        any = true;
    }
    /* The dipoles of the BVH depend on the orientation of triangles: it has to be built again. */
    if (any) {
        rp_mesh_bvh_destroy(s->mesh->bvh);
        s->mesh->bvh = NULL;
    }
    return code;
}

/* --- reports ---------------------------------------------------------------------------------- */

/* Writes "part 2 of 3 (12 triangles, (0, 0, 0) to (1, 1, 1) m)", and the number of further ones. */
static void list_parts(const orienting *s, bool cavities, size_t count, char *text, size_t size)
{
    size_t named = 0, used = 0;
    for (size_t i = 0; i < s->part_count && named < NAMED; i++) {
        const part *p = &s->parts[i];
        if (p->flipped != p->count || p->cavity != cavities) continue;
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

static void report_flipped(const orienting *s)
{
    size_t whole[2] = {0, 0}, single = 0;
    char text[NAMED * 160];
    for (size_t i = 0; i < s->part_count; i++) {
        const part *p = &s->parts[i];
        if (p->flipped == p->count)
            whole[p->cavity]++;
        else
            single += p->flipped;
    }
    if (single)
        rp_log(RP_LOG_WARNING,
               "%s: %zu of %zu triangles face the other way than their neighbors; they are flipped",
               s->name, single, s->mesh->triangle_count);
    if (whole[0] + whole[1] == s->part_count) {
        rp_log(RP_LOG_WARNING, "%s: the mesh is inside out; its triangles are flipped", s->name);
        return;
    }
    for (int cavity = 0; cavity < 2; cavity++) {
        if (!whole[cavity]) continue;
        list_parts(s, cavity, whole[cavity], text, sizeof text);
        rp_log(RP_LOG_WARNING,
               cavity ? "%s: inside another part, and so taken as a cavity and flipped inward: %s"
                      : "%s: inside out, and so flipped: %s",
               s->name, text);
    }
}

static void count_flipped(orienting *s)
{
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        s->parts[s->part_of[t]].flipped += s->flipped[t];
}

/* Returns a box around all overlaps of the bounds of two parts; the bounds of the mesh when there
 * are too many parts to compare. */
static rp_box3 shared_box(const orienting *s)
{
    rp_box3 shared = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    if (s->part_count > PARTS_COMPARED) return s->mesh->bounds;
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

/* --- solids ----------------------------------------------------------------------------------- */

rp_code rp_mesh_orient(rp_mesh *mesh, const char *name, rp_box3 *shared, rp_report *report)
{
    size_t count = mesh->triangle_count;
    orienting s = {.mesh = mesh, .name = name, .report = report};
    rp_half_edges edges = {0};
    bool ok = rp_half_edges_make(mesh, &edges);
    s.twins = rp_allocate(3 * count * sizeof *s.twins);
    s.part_of = rp_allocate(count * sizeof *s.part_of);
    s.flipped = rp_allocate_zero(count);
    s.list = rp_allocate(count * sizeof *s.list);
    ok = ok && s.twins && s.part_of && s.flipped && s.list;
    rp_code code = ok ? rp_half_edges_pair(mesh, &edges, s.twins, name, report)
                      : rp_fail_memory(report, 32 * count, name);
    if (code == RP_OK) code = find_parts(&s);
    if (code == RP_OK && s.part_count > 1) {
        s.winding = rp_allocate_zero(s.part_count * sizeof *s.winding);
        code = s.winding ? find_cavities(&s) : rp_fail_memory(report, s.part_count, name);
    }
    if (code == RP_OK) {
        count_flipped(&s);
        report_flipped(&s);
    }
    *shared = shared_box(&s);
    rp_release(s.winding, s.part_count * sizeof *s.winding);
    rp_release(s.parts, s.part_capacity * sizeof *s.parts);
    rp_release(s.list, count * sizeof *s.list);
    rp_release(s.flipped, count);
    rp_release(s.part_of, count * sizeof *s.part_of);
    rp_release(s.twins, 3 * count * sizeof *s.twins);
    rp_half_edges_release(&edges);
    return code;
}

rp_code rp_mesh_make_solid(rp_mesh *mesh, const char *name, rp_report *report)
{
    rp_box3 shared;
    rp_place place = {.file = name};
    if (!rp_mesh_drop_unused(mesh) || !rp_mesh_join(mesh))
        return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
    rp_code code = rp_mesh_check_vertices(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_close_gaps(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_check_triangles(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_orient(mesh, name, &shared, report);
    if (code == RP_OK) code = rp_mesh_check_volume(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_measure_overlap(mesh, shared, name, report);
    mesh->closed = code == RP_OK;
    return code;
}
