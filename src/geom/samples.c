#include "geom/samples.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "geom/hash_grid.h"
#include "mesh/bvh.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- hash grid -------------------------------------------------------------------------------- */

bool rp_hash_grid_reserve(rp_hash_grid *b, size_t count, double edge)
{
    *b = (rp_hash_grid){.size = 64, .count = count, .edge = edge};
    while (b->size < count)
        b->size *= 2;
    b->first = rp_allocate((b->size + 2) * sizeof *b->first);
    b->order = rp_allocate(count * sizeof *b->order);
    b->cell = rp_allocate(count * sizeof *b->cell);
    return b->first && b->order && b->cell;
}

/* Counting sort: counts of each bucket, prefix sum, fill. Counts are stored two entries ahead, so
 * that after the fill first[b] is where bucket b begins. */
void rp_hash_grid_fill(rp_hash_grid *b, const rp_vec3 *points)
{
    memset(b->first, 0, (b->size + 2) * sizeof *b->first);
    for (size_t i = 0; i < b->count; i++) {
        rp_hash_grid_cell(b, points[i], b->cell[i]);
        b->first[rp_hash_grid_bucket(b, b->cell[i]) + 2]++;
    }
    for (size_t i = 2; i < b->size + 2; i++)
        b->first[i] += b->first[i - 1];
    for (size_t i = 0; i < b->count; i++)
        b->order[b->first[rp_hash_grid_bucket(b, b->cell[i]) + 1]++] = (uint32_t)i;
}

void rp_hash_grid_release(rp_hash_grid *b)
{
    rp_release(b->first, (b->size + 2) * sizeof *b->first);
    rp_release(b->order, b->count * sizeof *b->order);
    rp_release(b->cell, b->count * sizeof *b->cell);
    *b = (rp_hash_grid){0};
}

/* --- seeding and repulsion -------------------------------------------------------------------- */

/* Neighbors are found by a hash grid with cells as wide as their range. All samples move at once
 * from their old positions, so that the result depends neither on their order nor on the threads
 * (Turk, "Generating textures on arbitrary surfaces using reaction-diffusion", SIGGRAPH 1991,
 * section 3, spreads points over a mesh in this way). */

#define REACH 1.7 /* spacings, range of the repulsion */
/* In spacings, of a push at distance 0. 1.0 converges fastest, from 1.5 on samples jump back and
 * forth.
 */
#define STRENGTH 0.8
#define LONGEST 0.35 /* spacings, of a move in one iteration */
#define ROUNDS_MAX 120
#define MEASURE_EVERY 10 /* iterations between measurements of the spread */
#define BETTER 0.95      /* of the spread before: a smaller change ends the iterations */
/* Cosine between normals of the two sides of a thin wall. Sharp edges must not count as one: their
 * sides would not repel each other, and samples would accumulate at the edge. */
#define OPPOSITE (-0.95)
#define BLOCK 512 /* samples of a block of work */
/* Area for each sample, in square spacings. The densest (hexagonal) arrangement has one per 0.87,
 * but dislocations between its patches bring samples closer: with this area their mean distance is
 * the spacing. */
#define AREA_EACH 1.04

typedef struct work {
    const rp_shape *shape;
    rp_samples *samples;
    rp_vec3 *moved, *moved_normals;
    double *nearest; /* m, of each sample */
    rp_hash_grid grid;
    double strength; /* m, of a push at no distance */
} work;

/* --- neighbors -------------------------------------------------------------------------------- */

typedef void visit_fn(void *to, rp_vec3 away, double distance);

/* Visits the samples within range of sample i. Samples with opposite normals are on the other side
 * of a thin wall and do not count. */
static inline void visit_near(const work *w, size_t i, visit_fn *visit, void *to)
{
    const rp_hash_grid *b = &w->grid;
    const rp_samples *s = w->samples;
    double square_reach = b->edge * b->edge;
    for (int n = 0; n < 27; n++) {
        const int32_t cell[3] = {b->cell[i][0] + n % 3 - 1, b->cell[i][1] + n / 3 % 3 - 1,
                                 b->cell[i][2] + n / 9 - 1};
        size_t bucket = rp_hash_grid_bucket(b, cell);
        for (uint32_t k = b->first[bucket]; k < b->first[bucket + 1]; k++) {
            uint32_t j = b->order[k];
            rp_vec3 away = rp_v3_sub(s->points[i], s->points[j]);
            double square = rp_v3_dot(away, away);
            if (!(square < square_reach) || j == i) continue;
            /* Another cell of the same bucket: visited, if at all, with its own cell. */
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

/* (S11). Two samples at the same position have no direction; others separate them. */
static void add_push(void *to, rp_vec3 away, double distance)
{
    push *p = to;
    double gap = 1 - distance / p->reach;
    if (distance > 0) p->sum = rp_v3_madd(p->sum, gap * gap * gap / distance, away);
}

/* Projects a point that is at most `moved` (m) from the surface onto it. */
static rp_vec3 project(const rp_shape *shape, rp_vec3 p, double moved, rp_vec3 *normal)
{
    if (shape->kind != RP_SHAPE_MESH) {
        for (int i = 0; i < 2; i++) { /* the second step removes rounding */
            double distance = rp_shape_distance(shape, p, normal);
            p = rp_v3_madd(p, -distance, *normal);
        }
        return p;
    }
    size_t triangle;
    double least = moved * (1 + 1e-9) + 1e-300;
    rp_vec3 c[3],
        foot = rp_mesh_bvh_nearest(shape->mesh->bvh, shape->mesh, p, least * least, &triangle);
    if (triangle == SIZE_MAX)
        foot = rp_mesh_bvh_nearest(shape->mesh->bvh, shape->mesh, p, INFINITY, &triangle);
    rp_mesh_corners(shape->mesh, triangle, c);
    *normal = rp_v3_normalized(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    return foot;
}

/* One iteration of (S11) for a range of samples: the sum of repulsions, its tangential part,
 * limited, then back onto the surface. */
static void move_samples(void *context, rp_range range)
{
    const work *w = context;
    for (size_t i = range.begin; i < range.end; i++) {
        push p = {.reach = w->grid.edge};
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
        w->nearest[i] = w->grid.edge;
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

/* (S12): computes mean and spread of the present samples. */
static void measure(work *w, rp_threads *threads)
{
    rp_samples *s = w->samples;
    size_t n = s->count;
    rp_hash_grid_fill(&w->grid, s->points);
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

/* Iterates until the spread no longer falls. */
static void relax(work *w, rp_threads *threads)
{
    rp_samples *s = w->samples;
    double before = INFINITY;
    w->strength = STRENGTH * s->spacing;
    for (s->rounds = 0; s->rounds < ROUNDS_MAX; s->rounds++) {
        if (s->rounds % MEASURE_EVERY == 0) {
            measure(w, threads);
            if (s->rounds >= 2 * MEASURE_EVERY && s->spread > BETTER * before) break;
            before = s->spread;
        } else {
            rp_hash_grid_fill(&w->grid, s->points);
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

/* Returns a random point of a triangle, uniform over its area. */
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

/* (S10), stratified sampling: the area, laid out triangle after triangle, is cut into as many equal
 * parts as there are samples, and each part gets one. */
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

/* Allocates samples and work for `count` samples; returns false where memory runs out. The caller
 * releases what was allocated in both cases. */
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
    bool has_grid = rp_hash_grid_reserve(&w->grid, count, REACH * s->spacing);
    return s->points && s->normals && w->moved && w->moved_normals && w->nearest && has_grid;
}

static void release(work *w)
{
    size_t count = w->samples->count, bytes = count * sizeof(rp_vec3);
    rp_release(w->moved, bytes);
    rp_release(w->moved_normals, bytes);
    rp_release(w->nearest, count * sizeof *w->nearest);
    rp_hash_grid_release(&w->grid);
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

/* Returns the segments of round shapes: triangles are about half a spacing long. */
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
    RP_ASSERT(shape->kind != RP_SHAPE_MESH || shape->mesh->bvh);
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

/* --- cache ------------------------------------------------------------------------------------ */

/* Samples stored in a folder between runs. A file is a header, the points, the normals, and a hash
 * of all that; a file that is truncated, damaged or of another byte order is made again. */

typedef struct head {
    char name[16];  /* "repose samples" */
    uint64_t order; /* of bytes: 0x0102030405060708 */
    uint64_t key;   /* of shape and spacing */
    uint64_t count; /* samples */
    double spacing, area, mean, spread;
    uint64_t rounds;
} head;

/* Files hold these bytes: padding would be written uninitialised, and hashed. */
_Static_assert(sizeof(head) == 16 + 8 * sizeof(uint64_t), "the head of a file has no padding");
_Static_assert(sizeof(rp_vec3) == 3 * sizeof(double), "points are three doubles each");

/* Returns the key of a shape and spacing: a mesh by its scaled vertices and triangles, other shapes
 * by their parameters. */
static uint64_t key_of(const rp_shape *shape, double spacing)
{
    const double numbers[] = {RP_SAMPLE_VERSION, (double)shape->kind, spacing,       shape->size.x,
                              shape->size.y,     shape->size.z,       shape->radius, shape->height,
                              shape->neck,       shape->thickness};
    if (shape->kind != RP_SHAPE_MESH) return rp_hash(numbers, sizeof numbers, 0);
    const rp_mesh *mesh = shape->mesh;
    uint64_t key = rp_hash(numbers, 3 * sizeof *numbers, 0);
    key = rp_hash(mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices, key);
    return rp_hash(mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles, key);
}

static head head_of(const rp_samples *s, uint64_t key)
{
    return (head){"repose samples", 0x0102030405060708, key, s->count, s->spacing, s->area, s->mean,
                  s->spread,        (uint64_t)s->rounds};
}

static uint64_t hash_of(const head *h, const rp_samples *s)
{
    size_t bytes = s->count * sizeof(rp_vec3);
    uint64_t hash = rp_hash(h, sizeof *h, 0);
    hash = rp_hash(s->points, bytes, hash);
    return rp_hash(s->normals, bytes, hash);
}

static bool head_fits(const head *h, uint64_t key, double spacing, size_t size)
{
    rp_samples none = {.spacing = spacing};
    head wanted = head_of(&none, key);
    return memcmp(h->name, wanted.name, sizeof h->name) == 0 && h->order == wanted.order &&
           h->key == key && h->spacing == spacing && h->count > 0 && h->count <= RP_SAMPLES_MAX &&
           size == sizeof *h + 2 * h->count * sizeof(rp_vec3) + sizeof(uint64_t);
}

/* Reads samples from the bytes of a file; false where header or hash do not match. */
static bool take_samples(const char *data, size_t size, uint64_t key, double spacing, rp_samples *s)
{
    head h;
    uint64_t hash;
    if (size < sizeof h) return false;
    memcpy(&h, data, sizeof h);
    if (!head_fits(&h, key, spacing, size)) return false;
    *s = (rp_samples){.count = h.count,
                      .spacing = spacing,
                      .area = h.area,
                      .mean = h.mean,
                      .spread = h.spread,
                      .rounds = (int)h.rounds,
                      .cached = true};
    size_t bytes = s->count * sizeof(rp_vec3);
    s->points = rp_allocate(bytes);
    s->normals = rp_allocate(bytes);
    if (!s->points || !s->normals) return false;
    memcpy(s->points, data + sizeof h, bytes);
    memcpy(s->normals, data + sizeof h + bytes, bytes);
    memcpy(&hash, data + sizeof h + 2 * bytes, sizeof hash);
    return hash == hash_of(&h, s);
}

/* Reads a regular file of a plausible size. */
static bool read_file(const char *path, char **data, size_t *size)
{
    size_t largest = sizeof(head) + 2 * RP_SAMPLES_MAX * sizeof(rp_vec3) + sizeof(uint64_t), got;
    rp_file_info info;
    *data = NULL;
    if (rp_file_status(path, &info) || info.kind != RP_FILE_PLAIN || info.size > largest)
        return false;
    *size = (size_t)info.size;
    *data = rp_allocate(*size);
    return *data && rp_file_read_start(path, *data, *size, &got) == 0 && got == *size;
}

static bool load(const char *path, uint64_t key, double spacing, rp_samples *samples)
{
    char *data;
    size_t size = 0;
    *samples = (rp_samples){0};
    bool ok = read_file(path, &data, &size) && take_samples(data, size, key, spacing, samples);
    rp_release(data, size);
    if (!ok) rp_samples_release(samples);
    return ok;
}

/* Errors are ignored: without the file the samples are made again next time. */
static void save(const char *folder, const char *path, uint64_t key, const rp_samples *s)
{
    head h = head_of(s, key);
    uint64_t hash = hash_of(&h, s);
    const rp_file_piece pieces[] = {{&h, sizeof h},
                                    {s->points, s->count * sizeof(rp_vec3)},
                                    {s->normals, s->count * sizeof(rp_vec3)},
                                    {&hash, sizeof hash}};
    rp_file_cache(folder, path, pieces, 4);
}

rp_code rp_shape_sample_cached(const rp_shape *shape, double spacing, const char *folder,
                               rp_threads *threads, rp_samples *samples, rp_report *report)
{
    char path[RP_PATH_MAX];
    uint64_t key = 0;
    bool keep = folder && shape->kind != RP_SHAPE_PLANE;
    if (keep) {
        key = key_of(shape, spacing);
        int length = snprintf(path, sizeof path, "%s/samples-%016" PRIx64, folder, key);
        keep = length < (int)sizeof path;
    }
    if (keep && load(path, key, spacing, samples)) return RP_OK;
    rp_code code = rp_shape_sample(shape, spacing, threads, samples, report);
    if (code == RP_OK && keep) save(folder, path, key, samples);
    return code;
}

bool rp_sample_cache_folder(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base && base[0] == '/')
        length = snprintf(path, size, "%s/repose", base);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.cache/repose", home);
    return length > 0 && (size_t)length < size;
}
