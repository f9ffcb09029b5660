#include "render/shadow.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A grain covers at least the texel it is in. */
#define RADIUS_LEAST 0.71

static double bounds_radius(const rp_shadow_casters *casters)
{
    rp_vec3 size = rp_v3_sub(casters->bounds.high, casters->bounds.low);
    return fmax(0.5 * rp_v3_length(size), 1e-6);
}

int rp_shadow_size(const rp_shadow_casters *casters, double texels, int least, int most)
{
    double wanted = texels * bounds_radius(casters) / fmax(casters->grain_radius, 1e-9);
    return wanted < least ? least : wanted > most ? most : (int)wanted;
}

/* A texel's edge in the map's own units is 1; x and y run from 0 to size. */
static rp_vec3 to_map(const rp_shadow_map *map, rp_vec3 world)
{
    rp_vec3 v = rp_v3_sub(world, map->centre);
    double scale = 1 / map->texel, middle = 0.5 * map->size;
    return rp_v3(rp_v3_dot(v, map->right) * scale + middle,
                 rp_v3_dot(v, map->down) * scale + middle, rp_v3_dot(v, map->forward));
}

static int clamp_texel(double value, int size)
{
    return value < 0 ? 0 : value > size ? size : (int)value;
}

/* The near half of a sphere, seen square on. */
static void draw_grain(rp_shadow_map *map, rp_vec3 world, float radius)
{
    rp_vec3 c = to_map(map, world);
    float r = radius / (float)map->texel;
    float reach = fmaxf(r, (float)RADIUS_LEAST);
    if (!(c.x > -reach && c.x < map->size + reach && c.y > -reach && c.y < map->size + reach))
        return;
    /* Texel centres lie at halves. */
    int x0 = clamp_texel(ceil(c.x - reach - 0.5), map->size);
    int x1 = clamp_texel(floor(c.x + reach + 0.5), map->size);
    int y0 = clamp_texel(ceil(c.y - reach - 0.5), map->size);
    int y1 = clamp_texel(floor(c.y + reach + 0.5), map->size);
    float cx = (float)c.x - 0.5f, cy = (float)c.y - 0.5f, cz = (float)c.z;
    float texel = (float)map->texel, r2 = r * r, reach2 = reach * reach;
    for (int y = y0; y < y1; y++) {
        float *row = map->depth + (size_t)y * (size_t)map->size;
        float dy = (float)y - cy;
        for (int x = x0; x < x1; x++) {
            float dx = (float)x - cx;
            float d2 = dx * dx + dy * dy;
            float depth = cz - texel * sqrtf(fmaxf(r2 - d2, 0));
            if (d2 < reach2 && depth < row[x]) row[x] = depth;
        }
    }
}

static double edge(rp_vec3 a, rp_vec3 b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static void draw_triangle(rp_shadow_map *map, const rp_solid_triangle *triangle)
{
    rp_vec3 a = to_map(map, triangle->corner[0]);
    rp_vec3 b = to_map(map, triangle->corner[1]);
    rp_vec3 c = to_map(map, triangle->corner[2]);
    double area = edge(a, b, c.x, c.y);
    if (area == 0 || !isfinite(area)) return;
    int x0 = clamp_texel(fmin(a.x, fmin(b.x, c.x)) - 0.5, map->size);
    int x1 = clamp_texel(fmax(a.x, fmax(b.x, c.x)) + 1.5, map->size);
    int y0 = clamp_texel(fmin(a.y, fmin(b.y, c.y)) - 0.5, map->size);
    int y1 = clamp_texel(fmax(a.y, fmax(b.y, c.y)) + 1.5, map->size);
    for (int y = y0; y < y1; y++) {
        float *row = map->depth + (size_t)y * (size_t)map->size;
        for (int x = x0; x < x1; x++) {
            double wa = edge(b, c, x + 0.5, y + 0.5) / area;
            double wb = edge(c, a, x + 0.5, y + 0.5) / area;
            double wc = 1 - wa - wb;
            float depth = (float)(wa * a.z + wb * b.z + wc * c.z);
            if (wa >= 0 && wb >= 0 && wc >= 0 && depth < row[x]) row[x] = depth;
        }
    }
}

typedef struct drawing {
    rp_shadow_map *maps;
    const rp_shadow_casters *casters;
} drawing;

/* One map is one task: no two threads share a texel, and the nearest depth is the same in any
 * order of grains. */
static void draw_maps(void *context, size_t begin, size_t end)
{
    const drawing *work = context;
    const rp_view *view = work->casters->view;
    const rp_solids *solids = work->casters->solids;
    for (size_t m = begin; m < end; m++) {
        rp_shadow_map *map = &work->maps[m];
        for (size_t i = 0; i < (size_t)map->size * (size_t)map->size; i++)
            map->depth[i] = INFINITY;
        for (size_t i = 0; i < view->count; i++)
            draw_grain(map, rp_v3(view->x[i], view->y[i], view->z[i]),
                       (float)work->casters->grain_radius);
        for (size_t i = 0; i < solids->triangle_count; i++)
            draw_triangle(map, &solids->triangles[i]);
    }
}

static rp_code prepare(rp_shadow_map *map, rp_vec3 direction, int size,
                       const rp_shadow_casters *casters, rp_report *report)
{
    *map = (rp_shadow_map){.forward = direction, .size = size};
    map->right = rp_v3_across(direction);
    map->down = rp_v3_cross(direction, map->right);
    map->centre = rp_v3_scale(rp_v3_add(casters->bounds.low, casters->bounds.high), 0.5);
    map->radius = bounds_radius(casters);
    map->texel = 2 * map->radius / size;
    size_t bytes = (size_t)size * (size_t)size * sizeof *map->depth;
    map->depth = rp_allocate(bytes);
    return map->depth ? RP_OK : rp_fail_memory(report, bytes, "a shadow map");
}

rp_code rp_shadow_maps_draw(rp_shadow_map *maps, int count, const rp_vec3 *directions,
                            const int *sizes, const rp_shadow_casters *casters, rp_threads *threads,
                            rp_report *report)
{
    memset(maps, 0, (size_t)count * sizeof *maps);
    for (int i = 0; i < count; i++) {
        rp_code code = prepare(&maps[i], directions[i], sizes[i], casters, report);
        if (code != RP_OK) return code;
    }
    drawing work = {maps, casters};
    rp_parallel_for(threads, (size_t)count, 1, draw_maps, &work);
    return RP_OK;
}

void rp_shadow_maps_release(rp_shadow_map *maps, int count)
{
    for (int i = 0; i < count; i++)
        rp_release(maps[i].depth, (size_t)maps[i].size * (size_t)maps[i].size * sizeof(float));
    memset(maps, 0, (size_t)count * sizeof *maps);
}

/* Lit when nothing is nearer to the light; also outside the map. */
static double lit(const rp_shadow_map *map, int x, int y, double depth)
{
    if (x < 0 || y < 0 || x >= map->size || y >= map->size) return 1;
    return map->depth[(size_t)y * (size_t)map->size + (size_t)x] < depth ? 0 : 1;
}

static bool inside(const rp_shadow_map *map, rp_vec3 p)
{
    return p.x > -1 && p.y > -1 && p.x < map->size + 1 && p.y < map->size + 1;
}

double rp_shadow_light(const rp_shadow_map *map, rp_vec3 point)
{
    rp_vec3 p = to_map(map, point);
    if (!inside(map, p)) return 1;
    return lit(map, (int)floor(p.x), (int)floor(p.y), p.z);
}

double rp_shadow_light_smooth(const rp_shadow_map *map, rp_vec3 point)
{
    rp_vec3 p = to_map(map, point);
    if (!inside(map, p)) return 1;
    double x = floor(p.x - 0.5), y = floor(p.y - 0.5);
    double fx = p.x - 0.5 - x, fy = p.y - 0.5 - y;
    int i = (int)x, j = (int)y;
    double upper = (1 - fx) * lit(map, i, j, p.z) + fx * lit(map, i + 1, j, p.z);
    double lower = (1 - fx) * lit(map, i, j + 1, p.z) + fx * lit(map, i + 1, j + 1, p.z);
    return (1 - fy) * upper + fy * lower;
}
