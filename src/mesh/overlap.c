/* The common volume of overlapping parts counts once: sums over triangles count it as often as the
 * mesh winds around it, and the difference is integrated here along vertical columns, exactly in z
 * and with one column per cell across. docs/theory/geometry.md, (S19). */
#include "base/memory.h"
#include "base/report.h"
#include "mesh/bvh.h"
#include "mesh/inside.h"

#include <stdlib.h>

#define COARSE 64 /* columns along x and along y, at first */
#define FINE 256  /* and at last */
/* Column-triangle tests at most: one or two seconds. */
#define MOST_WORK ((size_t)1 << 24)
/* Coincident faces are up to this far apart after rounding, as a share of the mesh's size. */
#define TOUCHING 1e-9

/* An error above this share of the volume is a warning. */
#define UNSURE 0.01

typedef struct crossing {
    double z;   /* m */
    int change; /* of the winding number, upward */
} crossing;

typedef struct columns {
    const rp_mesh *mesh;
    rp_vec3 middle; /* m, of the mesh's bounds */
    double size;    /* m, its longest side */
    rp_vec3 from;   /* m, start of the current column, below the mesh */
    crossing *found;
    size_t count, capacity, work;
    bool ok; /* memory lasts */
} columns;

static bool add_crossing(void *user, size_t triangle, int change)
{
    columns *c = user;
    rp_vec3 v[3];
    if (!rp_reserve((void **)&c->found, &c->capacity, c->count, c->count + 1, sizeof *c->found)) {
        c->ok = false;
        return false;
    }
    rp_mesh_corners(c->mesh, triangle, v);
    rp_vec3 normal = rp_v3_cross(rp_v3_sub(v[1], v[0]), rp_v3_sub(v[2], v[0]));
    double z = c->from.z + rp_v3_dot(normal, rp_v3_sub(v[0], c->from)) / normal.z;
    /* For almost vertical triangles the division amplifies rounding: clamped to their height. */
    double low = fmin(v[0].z, fmin(v[1].z, v[2].z)), high = fmax(v[0].z, fmax(v[1].z, v[2].z));
    z = z >= low ? z : low;
    c->found[c->count++] = (crossing){z <= high ? z : high, change};
    return true;
}

static int by_height(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    return x->z != y->z ? (x->z > y->z) - (x->z < y->z)
                        : (x->change < y->change) - (x->change > y->change);
}

/* Finds all crossings of a column at a quasi-random position in the cell from `low`, by height; at
 * another position where that hits an edge. Columns at the centre of all cells would have the same
 * error all along an edge that runs through corners of cells; these are spread by the additive
 * recurrence of the plastic number (Roberts, "The unreasonable effectiveness of quasirandom
 * sequences", 2018). */
static bool cast_column(columns *c, rp_vec3 low, rp_vec3 cell, int number)
{
    rp_box3 bounds = c->mesh->bounds;
    for (int i = 0; i < 4 && c->ok; i++) {
        double n = number + 0.37 * i + 1, u = 0.7548776662466927 * n, v = 0.5698402909980532 * n;
        c->count = 0;
        c->from = rp_v3(low.x + (u - floor(u)) * cell.x, low.y + (v - floor(v)) * cell.y,
                        bounds.low.z - c->size);
        rp_vec3 to = rp_v3(c->from.x, c->from.y, bounds.high.z + c->size);
        if (!rp_mesh_bvh_intersect(c->mesh->bvh, c->mesh, c->from, to, add_crossing, c, &c->work))
            continue;
        if (c->count) qsort(c->found, c->count, sizeof *c->found, by_height);
        return true;
    }
    return false;
}

/* Adds the interval a to b (m, from the middle) of a column, `weight` times: exact moments of a
 * box. */
static void add_interval(rp_mesh_overlap *e, double weight, rp_vec3 at, rp_vec3 cell, double a,
                         double b)
{
    double volume = weight * cell.x * cell.y * (b - a), z = (a + b) / 2;
    const double products[6] = {at.x * at.x + cell.x * cell.x / 12,
                                at.y * at.y + cell.y * cell.y / 12,
                                (a * a + a * b + b * b) / 3,
                                at.x * at.y,
                                at.x * z,
                                at.y * z};
    e->volume += volume;
    e->first = rp_v3_madd(e->first, volume, rp_v3(at.x, at.y, z));
    for (int i = 0; i < 6; i++)
        e->square[i] += volume * products[i];
}

/* Adds a column's integral of [w >= 1] - w: between two crossings the winding number w is constant.
 */
static bool add_column(const columns *c, rp_mesh_overlap *e, rp_vec3 at, rp_vec3 cell)
{
    int winding = 0;
    bool any = false;
    for (size_t i = 0; i + 1 < c->count; i++) {
        double a = c->found[i].z, b = c->found[i + 1].z;
        winding += c->found[i].change;
        int weight = (winding >= 1) - winding;
        if (weight == 0 || b - a <= TOUCHING * c->size) continue;
        add_interval(e, weight, at, cell, a - c->middle.z, b - c->middle.z);
        any = true;
    }
    return any;
}

/* Integrates count x count columns through the box; `*seen` is the part of it with overlaps. */
static rp_mesh_overlap sweep(columns *c, rp_box3 box, int count, rp_box3 *seen)
{
    rp_mesh_overlap e = {0};
    rp_vec3 size = rp_v3_sub(box.high, box.low), cell = rp_v3(size.x / count, size.y / count, 0);
    seen->low = rp_v3(INFINITY, INFINITY, INFINITY);
    seen->high = rp_v3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < count * count && c->ok && c->work <= MOST_WORK; i++) {
        rp_vec3 low = rp_v3(box.low.x + i % count * cell.x, box.low.y + i / count * cell.y, 0);
        rp_vec3 high = rp_v3_add(low, cell);
        if (!cast_column(c, low, cell, i)) continue;
        if (!add_column(c, &e, rp_v3_sub(rp_v3_mix(low, high, 0.5), c->middle), cell)) continue;
        rp_vec3 margin = rp_v3_scale(cell, 0.5);
        seen->low = rp_v3_min(seen->low, rp_v3_sub(low, margin));
        seen->high = rp_v3_max(seen->high, rp_v3_add(high, margin));
    }
    seen->low.z = c->mesh->bounds.low.z;
    seen->high.z = c->mesh->bounds.high.z;
    return e;
}

static bool is_empty(rp_box3 box)
{
    return !(box.high.x > box.low.x && box.high.y > box.low.y);
}

/* Returns the box to integrate in: where the bounds of parts overlap, if nothing was found outside
 * of it (then axis-aligned boxes are exact); otherwise where something was found, with a margin. */
static rp_box3 choose_box(rp_box3 shared, rp_box3 seen, rp_box3 cell_seen)
{
    if (is_empty(cell_seen)) return shared;
    rp_vec3 slack = rp_v3_scale(rp_v3_sub(seen.high, seen.low), 1.5 / COARSE);
    bool within = !is_empty(shared) && cell_seen.low.x >= shared.low.x - slack.x &&
                  cell_seen.low.y >= shared.low.y - slack.y &&
                  cell_seen.high.x <= shared.high.x + slack.x &&
                  cell_seen.high.y <= shared.high.y + slack.y;
    return within ? shared : cell_seen;
}

/* Refines up to the last level within the budget; each costs four times the one before. The
 * difference of two levels estimates the error. */
static rp_mesh_overlap integrate(columns *c, rp_box3 box)
{
    rp_box3 seen;
    size_t before = c->work;
    rp_mesh_overlap last = sweep(c, box, COARSE, &seen);
    size_t cost = c->work - before;
    for (int count = 2 * COARSE; count <= FINE && c->ok; count *= 2) {
        cost *= 4;
        if (c->work + cost > MOST_WORK) break;
        rp_mesh_overlap finer = sweep(c, box, count, &seen);
        /* The error falls to about a third with each level. */
        finer.error = fmax(fabs(finer.volume - last.volume), last.error / 3);
        last = finer;
    }
    if (last.error == 0 && c->work + cost > MOST_WORK) last.error = fabs(last.volume);
    return last;
}

rp_code rp_mesh_measure_overlap(rp_mesh *mesh, rp_box3 shared, const char *name, rp_report *report)
{
    RP_TRY(mesh->bvh ? RP_OK : rp_mesh_bvh_create(mesh, &mesh->bvh, report));
    rp_vec3 size = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    columns c = {.mesh = mesh,
                 .middle = rp_v3_mix(mesh->bounds.low, mesh->bounds.high, 0.5),
                 .size = fmax(size.x, fmax(size.y, size.z)),
                 .ok = true};
    double volume = rp_mesh_volume(mesh);
    rp_box3 seen, none;
    /* A coarse sweep over the whole mesh looks for overlaps, then one over the common box. */
    sweep(&c, mesh->bounds, COARSE, &seen);
    rp_box3 box = choose_box(shared, mesh->bounds, seen);
    rp_mesh_overlap e = {0};
    if (is_empty(seen) && !is_empty(box)) sweep(&c, box, COARSE, &none);
    if (!is_empty(seen) || (!is_empty(box) && !is_empty(none))) e = integrate(&c, box);
    rp_release(c.found, c.capacity * sizeof *c.found);
    rp_place place = {.file = name};
    if (!c.ok)
        return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
    if (c.work > MOST_WORK)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the mesh has too many triangles above each other to measure its volume; "
                          "remove what is not seen");
    if (!(volume + e.volume > TOUCHING * fabs(volume)))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "the mesh encloses no volume");
    if (fabs(e.volume) <= TOUCHING * volume) return RP_OK;
    mesh->overlap = e;
    rp_log(e.error > UNSURE * volume ? RP_LOG_WARNING : RP_LOG_INFO,
           "%s: parts overlap; together they have %.6g m3, with an error of about %.2g m3", name,
           volume + e.volume, e.error);
    return RP_OK;
}
