/* Seeding and repulsion of samples. Neighbors are found through cells of the size of their reach,
 * in buckets. All samples move at once from where they were, so that their order and the threads do
 * not matter (Turk, "Generating textures on arbitrary surfaces using reaction-diffusion", SIGGRAPH
 * 1991, section 3, spreads points over a mesh in this way). */
#include "geom/sample.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "geom/buckets.h"
#include "geom/tree.h"

#include <string.h>

#define REACH 1.7 /* in spacings: farther samples do not push */
/* In spacings, of a push at no distance. 1.0 is the quickest, from 1.5 on samples jump about. */
#define STRENGTH 0.8
#define LONGEST 0.35 /* of a move in a round, in spacings */
#define MOST_ROUNDS 120
#define LOOK_EVERY 10 /* rounds between looks at the spread */
#define BETTER 0.95   /* of the spread before: less of a change ends it */
/* Cosine between normals of the two sides of a thin wall. Sharp edges must not count as one: their
 * sides would not push each other away from the edge, and samples pile up there. */
#define OPPOSITE (-0.95)
#define BLOCK 512 /* samples of a block of work */
/* Square spacings per sample. The densest pattern has one per 0.87, but faults between patches of
 * it let the nearest come nearer: with this many samples their mean distance is the spacing. */
#define AREA_EACH 1.04

typedef struct work {
    const rp_shape *shape;
    rp_samples *samples;
    rp_vec3 *moved, *moved_normals;
    double *nearest; /* m, of each sample */
    rp_buckets buckets;
    double strength; /* m, of a push at no distance */
} work;

/* --- neighbors ------------------------------------------------------------------------------- */

typedef void visit_fn(void *to, rp_vec3 away, double distance);

/* Visits the samples within reach of number i. Those that face the other way are on the far side of
 * a thin wall and do not count. */
static inline void visit_near(const work *w, size_t i, visit_fn *visit, void *to)
{
    const rp_buckets *b = &w->buckets;
    const rp_samples *s = w->samples;
    double square_reach = b->edge * b->edge;
    for (int n = 0; n < 27; n++) {
        const int32_t cell[3] = {b->cell[i][0] + n % 3 - 1, b->cell[i][1] + n / 3 % 3 - 1,
                                 b->cell[i][2] + n / 9 - 1};
        size_t bucket = rp_bucket_of(b, cell);
        for (uint32_t k = b->first[bucket]; k < b->first[bucket + 1]; k++) {
            uint32_t j = b->order[k];
            rp_vec3 away = rp_v3_sub(s->points[i], s->points[j]);
            double square = rp_v3_dot(away, away);
            if (!(square < square_reach) || j == i) continue;
            if (memcmp(b->cell[j], cell, sizeof cell) != 0) continue;
            if (rp_v3_dot(s->normals[i], s->normals[j]) < OPPOSITE) continue;
            visit(to, away, sqrt(square));
        }
    }
}

/* --- repulsion -------------------------------------------------------------------------------- */

typedef struct push {
    rp_vec3 sum;
    double reach;
} push;

/* (S11). Two samples in one place have no direction; others push them apart. */
static void add_push(void *to, rp_vec3 away, double distance)
{
    push *p = to;
    double gap = 1 - distance / p->reach;
    if (distance > 0) p->sum = rp_v3_madd(p->sum, gap * gap * gap / distance, away);
}

/* Back onto the surface from a point at most `moved` away from it. */
static rp_vec3 project(const rp_shape *shape, rp_vec3 p, double moved, rp_vec3 *normal)
{
    if (shape->kind != RP_SHAPE_MESH) {
        for (int i = 0; i < 2; i++) { /* the second takes away what rounding left */
            double distance = rp_shape_distance(shape, p, normal);
            p = rp_v3_madd(p, -distance, *normal);
        }
        return p;
    }
    size_t triangle;
    double least = moved * (1 + 1e-9) + 1e-300;
    rp_vec3 c[3],
        foot = rp_mesh_bvh_nearest(shape->mesh->tree, shape->mesh, p, least * least, &triangle);
    if (triangle == SIZE_MAX)
        foot = rp_mesh_bvh_nearest(shape->mesh->tree, shape->mesh, p, INFINITY, &triangle);
    rp_mesh_corners(shape->mesh, triangle, c);
    *normal = rp_v3_normal(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    return foot;
}

static void move_samples(void *context, rp_range range)
{
    const work *w = context;
    for (size_t i = range.begin; i < range.end; i++) {
        push p = {.reach = w->buckets.edge};
        visit_near(w, i, add_push, &p);
        rp_vec3 from = w->samples->points[i], normal = w->samples->normals[i];
        rp_vec3 along = rp_v3_madd(p.sum, -rp_v3_dot(p.sum, normal), normal);
        double length = w->strength * rp_v3_length(along);
        double most = LONGEST * w->samples->spacing;
        double scale = length > most ? w->strength * most / length : w->strength;
        rp_vec3 to = rp_v3_madd(from, scale, along);
        w->moved[i] = project(w->shape, to, length > most ? most : length, &w->moved_normals[i]);
    }
}

/* --- how even they are ------------------------------------------------------------------------ */

static void take_nearest(void *to, rp_vec3 away, double distance)
{
    (void)away;
    double *least = to;
    if (distance < *least) *least = distance;
}

static void find_nearest(void *context, rp_range range)
{
    const work *w = context;
    for (size_t i = range.begin; i < range.end; i++) {
        w->nearest[i] = w->buckets.edge;
        visit_near(w, i, take_nearest, &w->nearest[i]);
    }
}

static double sum_nearest(void *context, rp_range range)
{
    const work *w = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += w->nearest[i];
    return sum;
}

static double sum_squares(void *context, rp_range range)
{
    const work *w = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        double off = w->nearest[i] - w->samples->mean;
        sum += off * off;
    }
    return sum;
}

/* (S12), from the samples where they are now. */
static void measure(work *w, rp_threads *threads)
{
    rp_samples *s = w->samples;
    size_t n = s->count;
    rp_buckets_fill(&w->buckets, s->points);
    rp_parallel_for(threads, n, BLOCK, find_nearest, w);
    s->mean = rp_parallel_sum(threads, n, BLOCK, sum_nearest, w) / (double)n;
    s->spread = sqrt(rp_parallel_sum(threads, n, BLOCK, sum_squares, w) / (double)n) / s->mean;
}

static void swap(rp_vec3 **a, rp_vec3 **b)
{
    rp_vec3 *kept = *a;
    *a = *b;
    *b = kept;
}

/* Rounds until they stop helping. */
static void relax(work *w, rp_threads *threads)
{
    rp_samples *s = w->samples;
    double before = INFINITY;
    w->strength = STRENGTH * s->spacing;
    for (s->rounds = 0; s->rounds < MOST_ROUNDS; s->rounds++) {
        if (s->rounds % LOOK_EVERY == 0) {
            measure(w, threads);
            if (s->rounds >= 2 * LOOK_EVERY && s->spread > BETTER * before) break;
            before = s->spread;
        } else {
            rp_buckets_fill(&w->buckets, s->points);
        }
        rp_parallel_for(threads, s->count, BLOCK, move_samples, w);
        swap(&s->points, &w->moved);
        swap(&s->normals, &w->moved_normals);
    }
    measure(w, threads);
}

/* --- seeds ------------------------------------------------------------------------------------ */

static double triangle_area(const rp_mesh *mesh, size_t t)
{
    rp_vec3 c[3];
    rp_mesh_corners(mesh, t, c);
    return 0.5 * rp_v3_length(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
}

/* A random point of a triangle, even over its area. */
static rp_vec3 point_in(const rp_mesh *mesh, size_t t, rp_random4 r)
{
    rp_vec3 c[3];
    rp_mesh_corners(mesh, t, c);
    double u = rp_random_unit(r.bits[1]), v = rp_random_unit(r.bits[2]);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    rp_vec3 p = rp_v3_madd(c[0], u, rp_v3_sub(c[1], c[0]));
    return rp_v3_madd(p, v, rp_v3_sub(c[2], c[0]));
}

/* (S10): the area, laid out triangle behind triangle, is cut into as many equal parts as there
 * are samples, and each part gets one. */
static void seed(const rp_shape *shape, const rp_mesh *mesh, rp_samples *s)
{
    double passed = 0, part = s->area / (double)s->count, slack = s->spacing;
    size_t t = 0;
    double here = triangle_area(mesh, 0);
    for (size_t i = 0; i < s->count; i++) {
        rp_random4 r = rp_random(RP_SAMPLE_VERSION, RP_RANDOM_JITTER, i);
        double at = ((double)i + rp_random_unit(r.bits[0])) * part;
        while (at > passed + here && t + 1 < mesh->triangle_count) {
            passed += here;
            here = triangle_area(mesh, ++t);
        }
        s->points[i] = project(shape, point_in(mesh, t, r), slack, &s->normals[i]);
    }
}

/* --- all together ----------------------------------------------------------------------------- */

static bool reserve(work *w, size_t count)
{
    rp_samples *s = w->samples;
    size_t bytes = count * sizeof(rp_vec3);
    s->count = count;
    s->points = rp_allocate(bytes);
    s->normals = rp_allocate(bytes);
    w->moved = rp_allocate(bytes);
    w->moved_normals = rp_allocate(bytes);
    w->nearest = rp_allocate(count * sizeof *w->nearest);
    bool binned = rp_buckets_reserve(&w->buckets, count, REACH * s->spacing);
    return s->points && s->normals && w->moved && w->moved_normals && w->nearest && binned;
}

static void release(work *w)
{
    size_t count = w->samples->count, bytes = count * sizeof(rp_vec3);
    rp_release(w->moved, bytes);
    rp_release(w->moved_normals, bytes);
    rp_release(w->nearest, count * sizeof *w->nearest);
    rp_buckets_release(&w->buckets);
}

static rp_code check(const rp_shape *shape, double spacing, rp_report *report)
{
    if (shape->kind == RP_SHAPE_PLANE)
        return rp_fail(report, RP_ERROR_INPUT, "a plane has no end, so it has no samples");
    if (!(spacing > 0) || !isfinite(spacing))
        return rp_fail(report, RP_ERROR_INPUT, "the spacing of samples is %g m; it must be above 0",
                       spacing);
    rp_box3 box = rp_shape_bounds(shape);
    rp_vec3 far = rp_v3_max(rp_v3_scale(box.low, -1), box.high);
    if (fmax(far.x, fmax(far.y, far.z)) / spacing > 1e9)
        return rp_fail(report, RP_ERROR_INPUT, "a spacing of %g m is too fine for this shape",
                       spacing);
    return RP_OK;
}

/* Triangles about half a spacing long for what is round. */
static int segments_for(const rp_shape *shape, double spacing)
{
    rp_box3 box = rp_shape_bounds(shape);
    double wanted = 4 * RP_PI * fmax(box.high.x, box.high.y) / spacing;
    return wanted < 32 ? 32 : wanted > 1024 ? 1024 : (int)wanted;
}

static rp_code sample_from(const rp_shape *shape, const rp_mesh *mesh, rp_threads *threads,
                           rp_samples *s, rp_report *report)
{
    for (size_t t = 0; t < mesh->triangle_count; t++)
        s->area += triangle_area(mesh, t);
    double wanted = ceil(s->area / (AREA_EACH * s->spacing * s->spacing));
    if (!(wanted <= RP_SAMPLES_MAX))
        return rp_fail(report, RP_ERROR_INPUT,
                       "a spacing of %g m makes %.3g samples; at most %u are allowed", s->spacing,
                       wanted, RP_SAMPLES_MAX);
    size_t count = wanted < 4 ? 4 : (size_t)wanted;
    work w = {.shape = shape, .samples = s};
    bool ok = reserve(&w, count);
    if (ok) {
        seed(shape, mesh, s);
        relax(&w, threads);
    }
    release(&w);
    return ok ? RP_OK : rp_fail_memory(report, count * 200, "samples of a surface");
}

rp_code rp_shape_sample(const rp_shape *shape, double spacing, rp_threads *threads,
                        rp_samples *samples, rp_report *report)
{
    *samples = (rp_samples){.spacing = spacing};
    RP_TRY(check(shape, spacing, report));
    RP_ASSERT(shape->kind != RP_SHAPE_MESH || shape->mesh->tree);
    if (shape->kind == RP_SHAPE_MESH)
        return sample_from(shape, shape->mesh, threads, samples, report);
    rp_mesh *mesh;
    rp_code code = rp_shape_tessellate(shape, segments_for(shape, spacing), 1, &mesh, report);
    if (code == RP_OK) code = sample_from(shape, mesh, threads, samples, report);
    rp_mesh_destroy(mesh);
    return code;
}

void rp_samples_release(rp_samples *samples)
{
    size_t bytes = samples->count * sizeof(rp_vec3);
    rp_release(samples->points, bytes);
    rp_release(samples->normals, bytes);
    *samples = (rp_samples){0};
}
