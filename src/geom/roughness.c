#include "geom/roughness.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "geom/samples.h"

/* Cells of a lattice along one axis at most: their numbers have 32 bits. */
#define CELLS_MAX 1e9
/* Samples of a surface at most: more take many minutes to make. */
#define FIXED_MAX 1e6
/* From this many on they are stored in the user's cache, since they take seconds. */
#define CACHED_FROM 5e3
#define PATH 4096

/* --- planes ----------------------------------------------------------------------------------- */

/* (S12a): a finite span has a whole number of cells, so that its periodic images fit. */
static rp_code lay_lattice(rp_rough_surface *rough, const rp_rough_span *span, const char *key,
                           rp_report *report)
{
    rough->span = *span;
    for (int a = 0; a < 2; a++) {
        double period = rough->roughness.period, length = span->high[a] - span->low[a];
        rough->edge[a] = period;
        if (!isfinite(length)) {
            rough->span.low[a] = 0;
            rough->span.wraps[a] = false;
            continue;
        }
        double cells = fmax(1, floor(length / period + 0.5));
        if (!(cells <= CELLS_MAX))
            return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                              "a period of %g m makes %.2g fixed grains in a row of %g m; at most "
                              "%.0e are allowed",
                              period, cells, length, CELLS_MAX);
        rough->count[a] = (int32_t)cells;
        rough->edge[a] = length / cells;
    }
    return RP_OK;
}

/* Finds the cells along an axis from `low` to `high` (m); false: none. */
static bool find_cells(const rp_rough_surface *rough, int a, double low, double high, int32_t *from,
                       int32_t *to)
{
    double first = floor((low - rough->span.low[a]) / rough->edge[a]);
    double last = floor((high - rough->span.low[a]) / rough->edge[a]);
    bool ends = rough->count[a] && !rough->span.wraps[a];
    if (ends) {
        first = fmax(first, 0);
        last = fmin(last, rough->count[a] - 1);
    }
    if (!(first <= last && first >= -CELLS_MAX && last <= CELLS_MAX)) return false;
    *from = (int32_t)first;
    *to = (int32_t)last;
    return true;
}

static int32_t wrapped(const rp_rough_surface *rough, int a, int32_t cell)
{
    if (!rough->span.wraps[a]) return cell;
    int32_t rest = cell % rough->count[a];
    return rest < 0 ? rest + rough->count[a] : rest;
}

/* Returns the position in a cell: its centre, shifted by the jitter. The random numbers are a
 * function of seed and cell, so that any cell can be computed alone. */
static rp_vec3 place_in_lattice(const rp_rough_surface *rough, rp_fixed_grain fixed)
{
    rp_random4 r = rp_random(rough->seed, RP_RANDOM_ROUGH,
                             (uint64_t)(uint32_t)fixed.i << 32 | (uint32_t)fixed.j);
    double jitter = rough->roughness.jitter;
    double x = fixed.i + 0.5 + jitter * ((double)rp_random_unit(r.bits[0]) - 0.5);
    double y = fixed.j + 0.5 + jitter * ((double)rp_random_unit(r.bits[1]) - 0.5);
    return rp_v3(rough->span.low[0] + x * rough->edge[0], rough->span.low[1] + y * rough->edge[1],
                 0);
}

/* Minimum image: the periodic image of a coordinate that is nearest to another one. */
static double nearest_image(const rp_rough_surface *rough, int a, double x, double to)
{
    if (!rough->span.wraps[a]) return x;
    double period = rough->count[a] * rough->edge[a];
    return x + period * floor((to - x) / period + 0.5);
}

static void visit_lattice(const rp_rough_surface *rough, rp_vec3 point, double reach,
                          rp_fixed_grain_visit *visit, void *user)
{
    double square = reach * reach - point.z * point.z;
    if (!(square > 0)) return;
    double wide = sqrt(square);
    int32_t i0, i1, j0, j1;
    if (!find_cells(rough, 0, point.x - wide, point.x + wide, &i0, &i1)) return;
    if (!find_cells(rough, 1, point.y - wide, point.y + wide, &j0, &j1)) return;
    for (int32_t j = j0; j <= j1; j++)
        for (int32_t i = i0; i <= i1; i++) {
            rp_fixed_grain fixed = {wrapped(rough, 0, i), wrapped(rough, 1, j)};
            rp_vec3 place = rp_rough_surface_place(rough, fixed, point),
                    away = rp_v3_sub(place, point);
            if (rp_v3_dot(away, away) < reach * reach) visit(user, fixed, place);
        }
}

/* --- other shapes ----------------------------------------------------------------------------- */

typedef struct shift_job {
    const rp_rough_surface *rough;
    const rp_shape *shape;
    const rp_samples *samples;
} shift_job;

/* (S12b): shifts samples along the tangent plane, and projects them back onto the surface. */
static void shift_samples(void *context, rp_range range)
{
    const shift_job *job = context;
    const rp_samples *s = job->samples;
    double most = job->rough->roughness.jitter * job->rough->roughness.period;
    for (size_t n = range.begin; n < range.end; n++) {
        rp_random4 r = rp_random(job->rough->seed, RP_RANDOM_ROUGH, n);
        rp_vec3 u = rp_v3_perpendicular(s->normals[n]), v = rp_v3_cross(s->normals[n], u), normal;
        rp_vec3 p = rp_v3_madd(s->points[n], most * ((double)rp_random_unit(r.bits[0]) - 0.5), u);
        p = rp_v3_madd(p, most * ((double)rp_random_unit(r.bits[1]) - 0.5), v);
        double distance = rp_shape_distance(job->shape, p, &normal);
        job->rough->points[n] = rp_v3_madd(p, -distance, normal);
    }
}

/* m2, about: the surface of the box around a shape. What is hollow or folded has more, and is
 * refused by the sampler where that is far too much. */
static double area_of(const rp_shape *shape)
{
    rp_box3 box = rp_shape_bounds(shape);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    return 2 * (size.x * size.y + size.y * size.z + size.z * size.x);
}

static rp_code take_samples(rp_rough_surface *rough, const rp_shape *shape, double reach,
                            rp_threads *threads, const char *key, rp_report *report)
{
    double period = rough->roughness.period, wanted = area_of(shape) / (period * period);
    if (!(wanted <= FIXED_MAX))
        return rp_fail_at(
            report, RP_ERROR_INPUT, NULL, key,
            "a period of %g m makes about %.2g fixed grains; at most %.0e are allowed "
            "on a body",
            period, wanted, FIXED_MAX);
    rp_samples samples;
    char folder[PATH];
    bool keep = wanted >= CACHED_FROM && rp_sample_cache_folder(folder, sizeof folder);
    rp_code code =
        rp_shape_sample_cached(shape, period, keep ? folder : NULL, threads, &samples, report);
    if (code == RP_OK) {
        rough->point_count = samples.count;
        rough->points = rp_allocate(samples.count * sizeof *rough->points);
        if (!rough->points ||
            !rp_hash_grid_reserve(&rough->grid, samples.count, fmax(period, reach)))
            code = rp_fail_memory(report, samples.count * 44, "fixed grains");
    }
    if (code == RP_OK) {
        shift_job job = {rough, shape, &samples};
        rp_parallel_for(threads, samples.count, 1024, shift_samples, &job);
        rp_hash_grid_fill(&rough->grid, rough->points);
    }
    rp_samples_release(&samples);
    return code;
}

static void visit_bucket(const rp_rough_surface *rough, const int32_t cell[3], rp_vec3 point,
                         double reach, rp_fixed_grain_visit *visit, void *user)
{
    const rp_hash_grid *b = &rough->grid;
    size_t bucket = rp_hash_grid_bucket(b, cell);
    for (uint32_t k = b->first[bucket]; k < b->first[bucket + 1]; k++) {
        const int32_t *own = b->cell[b->order[k]];
        rp_vec3 place = rough->points[b->order[k]], away = rp_v3_sub(place, point);
        if (own[0] != cell[0] || own[1] != cell[1] || own[2] != cell[2]) continue;
        if (rp_v3_dot(away, away) < reach * reach)
            visit(user, (rp_fixed_grain){(int32_t)b->order[k], 0}, place);
    }
}

static void visit_samples(const rp_rough_surface *rough, rp_vec3 point, double reach,
                          rp_fixed_grain_visit *visit, void *user)
{
    rp_vec3 wide = rp_v3(reach, reach, reach);
    int32_t low[3], high[3], at[3];
    rp_hash_grid_cell(&rough->grid, rp_v3_sub(point, wide), low);
    rp_hash_grid_cell(&rough->grid, rp_v3_add(point, wide), high);
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
                visit_bucket(rough, at, point, reach, visit, user);
}

/* --- both ------------------------------------------------------------------------------------- */

rp_code rp_rough_surface_make(rp_rough_surface *rough, const rp_shape *shape,
                              const rp_roughness *roughness, uint64_t seed,
                              const rp_rough_span *span, double reach, rp_threads *threads,
                              const char *key, rp_report *report)
{
    *rough = (rp_rough_surface){.radius = roughness->radius,
                                .roughness = *roughness,
                                .seed = seed,
                                .plane = shape->kind == RP_SHAPE_PLANE};
    if (!(roughness->period > 0)) rough->roughness.period = 2 * roughness->radius;
    if (rough->plane) return lay_lattice(rough, span, key, report);
    return take_samples(rough, shape, reach, threads, key, report);
}

void rp_rough_surface_release(rp_rough_surface *rough)
{
    rp_release(rough->points, rough->point_count * sizeof *rough->points);
    rp_hash_grid_release(&rough->grid);
    *rough = (rp_rough_surface){0};
}

void rp_rough_surface_near(const rp_rough_surface *rough, rp_vec3 point, double reach,
                           rp_fixed_grain_visit *visit, void *user)
{
    if (rough->plane)
        visit_lattice(rough, point, reach, visit, user);
    else
        visit_samples(rough, point, reach, visit, user);
}

/* A bounded surface has a list of fixed grains; a plane has a lattice, computed cell by cell. */
rp_vec3 rp_rough_surface_place(const rp_rough_surface *rough, rp_fixed_grain fixed, rp_vec3 point)
{
    if (!rough->plane) return rough->points[fixed.i];
    rp_vec3 place = place_in_lattice(rough, fixed);
    place.x = nearest_image(rough, 0, place.x, point.x);
    place.y = nearest_image(rough, 1, place.y, point.y);
    return place;
}

bool rp_rough_surface_has(const rp_rough_surface *rough, rp_fixed_grain fixed)
{
    if (!rough->plane) return fixed.i >= 0 && (size_t)fixed.i < rough->point_count && !fixed.j;
    const int32_t cell[2] = {fixed.i, fixed.j};
    bool has = true;
    for (int a = 0; a < 2; a++)
        has = has && (rough->count[a] ? cell[a] >= 0 && cell[a] < rough->count[a]
                                      : cell[a] >= -CELLS_MAX && cell[a] <= CELLS_MAX);
    return has;
}

typedef struct nearest {
    rp_vec3 point;
    double radius, gap; /* m */
} nearest;

static void take_nearest(void *user, rp_fixed_grain fixed, rp_vec3 place)
{
    nearest *n = user;
    (void)fixed;
    n->gap = fmin(n->gap, rp_v3_length(rp_v3_sub(place, n->point)) - n->radius);
}

double rp_rough_surface_gap(const rp_rough_surface *rough, rp_vec3 point, double near)
{
    nearest n = {point, rough->radius, near};
    rp_rough_surface_near(rough, point, near + rough->radius, take_nearest, &n);
    return n.gap;
}
