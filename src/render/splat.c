#include "render/splat.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define GRAIN_BLOCK 16384
#define RADIUS_LEAST 0.5 /* samples; smaller grains are drawn this large, or they would flicker */

/* Samples [x0, x1) by [y0, y1) of the picture. */
typedef struct area {
    int x0, y0, x1, y1;
} area;

typedef struct ball {
    float x, y, z, r; /* camera space */
    area area;
} ball;

static double sample_pitch(const rp_camera *camera)
{
    return camera->pitch / RP_SAMPLES;
}

static int clamp_sample(double value, int most)
{
    return value > 0 ? (value < most ? (int)value : most) : 0;
}

/* The samples between two slopes of rays, low to high, about the middle of `edge` samples. */
static void span(double low, double high, double pitch, int edge, int *begin, int *end)
{
    *begin = clamp_sample(ceil(low / pitch + 0.5 * edge - 0.5), edge);
    *end = clamp_sample(floor(high / pitch + 0.5 * edge + 0.5), edge);
}

/* Slopes of the two planes through the camera that touch a ball: sideways x, forward z > r. */
static void tangents(double x, double z, double r, double *low, double *high)
{
    double root = r * sqrt(fmax(x * x + z * z - r * r, 0)), scale = 1 / (z * z - r * r);
    *low = (x * z - root) * scale;
    *high = (x * z + root) * scale;
}

/* Where a grain is in camera space and which samples it may cover; false for none. A grain around
 * the camera is left out: better a view from within it than a black picture. */
static bool place_grain(const rp_splats *s, size_t i, ball *b)
{
    const rp_camera *camera = s->camera;
    rp_vec3 c = rp_camera_space(camera, rp_v3(s->view->x[i], s->view->y[i], s->view->z[i]));
    double pitch = sample_pitch(camera);
    double r = fmax(s->radius, RADIUS_LEAST * pitch * c.z);
    if (!(c.z > -r) || !isfinite(c.x + c.y + c.z) || !(rp_v3_dot(c, c) > r * r)) return false;
    *b = (ball){(float)c.x, (float)c.y, (float)c.z, (float)r, {0, 0, 0, 0}};

    int width = camera->width * RP_SAMPLES, height = camera->height * RP_SAMPLES;
    double left = -INFINITY, right = INFINITY, top = -INFINITY, bottom = INFINITY;
    if (c.z > 1.001 * r) {
        tangents(c.x, c.z, r, &left, &right);
        tangents(c.y, c.z, r, &top, &bottom);
    }
    span(left, right, pitch, width, &b->area.x0, &b->area.x1);
    span(top, bottom, pitch, height, &b->area.y0, &b->area.y1);
    return b->area.x0 < b->area.x1 && b->area.y0 < b->area.y1;
}

/* The samples that a triangle seen from its front may cover; false for none. */
static bool place_triangle(const rp_camera *camera, const rp_solid_triangle *triangle, area *a)
{
    rp_vec3 c[3];
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    int behind = 0;
    for (int k = 0; k < 3; k++) {
        c[k] = rp_camera_space(camera, triangle->corner[k]);
        behind += c[k].z <= 1e-9;
        low_x = fmin(low_x, c[k].x / c[k].z);
        high_x = fmax(high_x, c[k].x / c[k].z);
        low_y = fmin(low_y, c[k].y / c[k].z);
        high_y = fmax(high_y, c[k].y / c[k].z);
    }
    double volume = rp_v3_dot(c[0], rp_v3_cross(c[1], c[2]));
    if (behind == 3 || !isfinite(volume) || !(volume < 0)) return false;
    if (behind > 0) {
        low_x = low_y = -INFINITY;
        high_x = high_y = INFINITY;
    }
    double pitch = sample_pitch(camera);
    span(low_x, high_x, pitch, camera->width * RP_SAMPLES, &a->x0, &a->x1);
    span(low_y, high_y, pitch, camera->height * RP_SAMPLES, &a->y0, &a->y1);
    return a->x0 < a->x1 && a->y0 < a->y1;
}

/* Counting (`list` is NULL) and then listing: `next` holds, per tile, how many or where. */
typedef struct sorting {
    const rp_splats *splats;
    atomic_size_t *next;
    uint32_t *list;
} sorting;

static void enter(const sorting *work, const area *a, uint32_t item)
{
    for (int row = a->y0 / RP_TILE_EDGE; row <= (a->y1 - 1) / RP_TILE_EDGE; row++)
        for (int column = a->x0 / RP_TILE_EDGE; column <= (a->x1 - 1) / RP_TILE_EDGE; column++) {
            size_t tile = (size_t)row * (size_t)work->splats->columns + (size_t)column;
            size_t place = atomic_fetch_add_explicit(&work->next[tile], 1, memory_order_relaxed);
            if (work->list) work->list[place] = item;
        }
}

static void enter_grains(void *context, size_t begin, size_t end)
{
    const sorting *work = context;
    ball b;
    for (size_t i = begin; i < end; i++)
        if (place_grain(work->splats, work->splats->shell->grains[i], &b))
            enter(work, &b.area, work->splats->shell->grains[i]);
}

static void enter_triangles(void *context, size_t begin, size_t end)
{
    const sorting *work = context;
    area a;
    for (size_t i = begin; i < end; i++)
        if (place_triangle(work->splats->camera, &work->splats->solids->triangles[i], &a))
            enter(work, &a, (uint32_t)i);
}

static size_t tile_count(const rp_splats *s)
{
    return (size_t)s->columns * (size_t)s->rows;
}

/* Lists items by tile. A block as large as all keeps triangles in order. */
static rp_code sort(const rp_splats *s, rp_range_fn *enter_items, size_t count, size_t block,
                    rp_threads *threads, size_t **first, uint32_t **list, rp_report *report)
{
    size_t tiles = tile_count(s), bytes = (tiles + 1) * sizeof(size_t);
    atomic_size_t *next = rp_allocate_zero(bytes);
    *first = rp_allocate_zero(bytes);
    if (!next || !*first) {
        rp_release(next, bytes);
        return rp_fail_memory(report, 2 * bytes, "the tiles of a picture");
    }
    sorting work = {s, next, NULL};
    rp_parallel_for(threads, count, block, enter_items, &work);
    for (size_t t = 0; t < tiles; t++) {
        (*first)[t + 1] = (*first)[t] + atomic_load(&next[t]);
        atomic_store(&next[t], (*first)[t]);
    }
    size_t total = (*first)[tiles];
    work.list = *list = rp_allocate((total + 1) * sizeof **list);
    if (*list) rp_parallel_for(threads, count, block, enter_items, &work);
    rp_release(next, bytes);
    return *list ? RP_OK : rp_fail_memory(report, total * sizeof **list, "the tiles of a picture");
}

rp_code rp_splats_sort(rp_splats *s, const rp_camera *camera, const rp_view *view,
                       const rp_shell *shell, double radius, const rp_solids *solids,
                       rp_threads *threads, rp_report *report)
{
    *s = (rp_splats){
        .camera = camera, .view = view, .shell = shell, .radius = radius, .solids = solids};
    s->columns = (camera->width + RP_TILE_PIXELS - 1) / RP_TILE_PIXELS;
    s->rows = (camera->height + RP_TILE_PIXELS - 1) / RP_TILE_PIXELS;
    rp_code code = sort(s, enter_grains, shell->count, GRAIN_BLOCK, threads, &s->first_grain,
                        &s->grains, report);
    if (code == RP_OK)
        code = sort(s, enter_triangles, solids->triangle_count, solids->triangle_count + 1, NULL,
                    &s->first_triangle, &s->triangles, report);
    return code;
}

void rp_splats_release(rp_splats *s)
{
    size_t tiles = tile_count(s), bytes = (tiles + 1) * sizeof(size_t);
    if (s->grains) rp_release(s->grains, (s->first_grain[tiles] + 1) * sizeof *s->grains);
    if (s->triangles)
        rp_release(s->triangles, (s->first_triangle[tiles] + 1) * sizeof *s->triangles);
    rp_release(s->first_grain, bytes);
    rp_release(s->first_triangle, bytes);
    memset(s, 0, sizeof *s);
}

static area cut_to_tile(area a, const rp_tile *tile)
{
    area c = {a.x0 - tile->x, a.y0 - tile->y, a.x1 - tile->x, a.y1 - tile->y};
    if (c.x0 < 0) c.x0 = 0;
    if (c.y0 < 0) c.y0 = 0;
    if (c.x1 > RP_TILE_EDGE) c.x1 = RP_TILE_EDGE;
    if (c.y1 > RP_TILE_EDGE) c.y1 = RP_TILE_EDGE;
    return c;
}

static uint32_t name_of(const rp_view *view, uint32_t grain)
{
    return view->id ? view->id[grain] : grain;
}

static void see_grain(rp_tile *tile, const rp_view *view, int x, int y, float depth, uint32_t grain)
{
    float old = tile->depth[y][x];
    if (depth > old) return;
    if (depth == old && name_of(view, tile->seen[y][x]) <= name_of(view, grain)) return;
    tile->depth[y][x] = depth;
    tile->seen[y][x] = grain;
}

/* Rays (u, v, 1) against a ball at c. At the depth of its centre a ray is q = c - (u, v, 1) c.z
 * away; with depth = c.z + s the ball is s^2 |d|^2 - 2 s d.q + |q|^2 - r^2 = 0. No term is larger
 * than the ball, so floats are enough at any distance. */
static void draw_ball(rp_tile *tile, const rp_splats *s, const ball *b, uint32_t grain)
{
    area a = cut_to_tile(b->area, tile);
    float pitch = (float)sample_pitch(s->camera);
    float u0 = ((float)tile->x + 0.5f - 0.5f * (float)(s->camera->width * RP_SAMPLES)) * pitch;
    float v0 = ((float)tile->y + 0.5f - 0.5f * (float)(s->camera->height * RP_SAMPLES)) * pitch;
    float r2 = b->r * b->r, nearest = b->z - b->r;
    for (int y = a.y0; y < a.y1; y++) {
        float v = v0 + (float)y * pitch, qy = b->y - v * b->z;
        for (int x = a.x0; x < a.x1; x++) {
            if (tile->depth[y][x] < nearest) continue;
            float u = u0 + (float)x * pitch, qx = b->x - u * b->z;
            float dq = u * qx + v * qy, dd = 1 + u * u + v * v;
            float root = dq * dq - dd * (qx * qx + qy * qy - r2);
            if (root < 0) continue;
            float depth = b->z + (dq - sqrtf(root)) / dd;
            if (depth > 0) see_grain(tile, s->view, x, y, depth, grain);
        }
    }
}

/* A ray in homogeneous form (Olano and Greer 1997): it meets the triangle where its three products
 * with the planes through camera and edge have one sign. Nothing needs clipping. */
typedef struct planes {
    rp_vec3 side[3]; /* side[k] is opposite to corner k */
    double volume;   /* depth of the meeting point times the sum of the products */
} planes;

static planes triangle_planes(const rp_camera *camera, const rp_solid_triangle *triangle)
{
    rp_vec3 a = rp_camera_space(camera, triangle->corner[0]);
    rp_vec3 b = rp_camera_space(camera, triangle->corner[1]);
    rp_vec3 c = rp_camera_space(camera, triangle->corner[2]);
    planes p = {{rp_v3_cross(b, c), rp_v3_cross(c, a), rp_v3_cross(a, b)}, 0};
    p.volume = rp_v3_dot(a, p.side[0]);
    return p;
}

static void draw_triangle(rp_tile *tile, const rp_splats *s, const area *whole, uint32_t index)
{
    planes p = triangle_planes(s->camera, &s->solids->triangles[index]);
    area a = cut_to_tile(*whole, tile);
    double pitch = sample_pitch(s->camera);
    for (int y = a.y0; y < a.y1; y++) {
        double v = (tile->y + y + 0.5 - 0.5 * s->camera->height * RP_SAMPLES) * pitch;
        for (int x = a.x0; x < a.x1; x++) {
            double u = (tile->x + x + 0.5 - 0.5 * s->camera->width * RP_SAMPLES) * pitch;
            rp_vec3 ray = rp_v3(u, v, 1);
            double e0 = rp_v3_dot(p.side[0], ray), e1 = rp_v3_dot(p.side[1], ray);
            double e2 = rp_v3_dot(p.side[2], ray), sum = e0 + e1 + e2;
            if (e0 > 0 || e1 > 0 || e2 > 0 || !(sum < 0)) continue;
            float depth = (float)(p.volume / sum);
            if (depth >= tile->depth[y][x]) continue;
            tile->depth[y][x] = depth;
            tile->seen[y][x] = index | RP_SEEN_TRIANGLE;
        }
    }
}

rp_vec3 rp_triangle_weights(const rp_camera *camera, const rp_solid_triangle *triangle, double u,
                            double v)
{
    planes p = triangle_planes(camera, triangle);
    rp_vec3 ray = rp_v3(u, v, 1);
    rp_vec3 e =
        rp_v3(rp_v3_dot(p.side[0], ray), rp_v3_dot(p.side[1], ray), rp_v3_dot(p.side[2], ray));
    return rp_v3_scale(e, 1 / (e.x + e.y + e.z));
}

void rp_splats_draw(const rp_splats *s, int index, rp_tile *tile)
{
    tile->x = index % s->columns * RP_TILE_EDGE;
    tile->y = index / s->columns * RP_TILE_EDGE;
    for (int y = 0; y < RP_TILE_EDGE; y++)
        for (int x = 0; x < RP_TILE_EDGE; x++) {
            tile->depth[y][x] = INFINITY;
            tile->seen[y][x] = RP_SEEN_NOTHING;
        }
    ball b;
    for (size_t i = s->first_grain[index]; i < s->first_grain[index + 1]; i++)
        if (place_grain(s, s->grains[i], &b)) draw_ball(tile, s, &b, s->grains[i]);
    area a;
    for (size_t i = s->first_triangle[index]; i < s->first_triangle[index + 1]; i++) {
        uint32_t t = s->triangles[i];
        if (place_triangle(s->camera, &s->solids->triangles[t], &a)) draw_triangle(tile, s, &a, t);
    }
}
