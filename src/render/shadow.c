#include "render/shadow.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A grain covers at least the texel it is in. */
#define RADIUS_LEAST 0.71f
#define TAPS 8
#define WIDEST 24.0 /* texels, of a half shadow */

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
    double scale = map->per_metre, middle = 0.5 * map->size;
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
    float r = radius * (float)map->per_metre;
    float reach = r > RADIUS_LEAST ? r : RADIUS_LEAST;
    if (!(c.x > -reach && c.x < map->size + reach && c.y > -reach && c.y < map->size + reach))
        return;
    /* Texel centres lie at halves; a texel too many does no harm. */
    int x0 = clamp_texel(c.x - reach - 0.5, map->size);
    int x1 = clamp_texel(c.x + reach + 0.5, map->size);
    int y0 = clamp_texel(c.y - reach - 0.5, map->size);
    int y1 = clamp_texel(c.y + reach + 0.5, map->size);
    float cx = (float)c.x - 0.5f, cy = (float)c.y - 0.5f, cz = (float)c.z;
    float height = r * (float)map->texel, flat = 1 / (reach * reach);
    for (int y = y0; y < y1; y++) {
        float *row = map->depth + (size_t)y * (size_t)map->size;
        float dy = (float)y - cy;
        for (int x = x0; x < x1; x++) {
            float dx = (float)x - cx;
            float q = flat * (dx * dx + dy * dy);
            /* 1 - q/2 - q^2/2 for sqrt(1 - q): right at the pole and at the rim. */
            float depth = cz - height * (1 - 0.5f * q * (1 + q));
            depth = q < 1 ? depth : INFINITY;
            row[x] = depth < row[x] ? depth : row[x];
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
    const rp_shell *shell = work->casters->shell;
    const rp_solids *solids = work->casters->solids;
    for (size_t m = begin; m < end; m++) {
        rp_shadow_map *map = &work->maps[m];
        for (size_t i = 0; i < (size_t)map->size * (size_t)map->size; i++)
            map->depth[i] = INFINITY;
        for (size_t i = 0; i < shell->count; i++) {
            uint32_t g = shell->grains[i];
            draw_grain(map, rp_v3(view->x[g], view->y[g], view->z[g]),
                       (float)work->casters->grain_radius);
        }
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
    map->per_metre = 1 / map->texel;
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

static bool inside(const rp_shadow_map *map, rp_vec3 p)
{
    return p.x >= 0 && p.y >= 0 && p.x < map->size && p.y < map->size;
}

/* How far before the point, in metres, something stands in the light; 0 for nothing. */
static double blocked_before(const rp_shadow_map *map, double x, double y, double depth)
{
    if (!inside(map, rp_v3(x, y, 0))) return 0;
    double before = depth - (double)map->depth[(size_t)y * (size_t)map->size + (size_t)x];
    return before > 0 ? before : 0;
}

/* Points spread over the unit disc, the first ones too. */
static const double disc[TAPS][2] = {{0.25, 0.10}, {-0.55, 0.45}, {0.35, -0.65},  {-0.30, -0.35},
                                     {0.80, 0.25}, {0.05, 0.80},  {-0.85, -0.20}, {-0.15, -0.90}};

/* Tap number i of a disc of that radius about p, turned. */
static rp_vec3 tap(rp_vec3 p, int i, double radius, rp_vec3 turned)
{
    double x = disc[i][0] * radius, y = disc[i][1] * radius;
    return rp_v3(p.x + x * turned.x - y * turned.y, p.y + x * turned.y + y * turned.x, p.z);
}

/* Percentage-closer soft shadows (Fernando 2005): the mean distance of what is in the way tells how
 * wide the half shadow is, and so how far apart the map is asked. */
double rp_shadow_sun(const rp_shadow_map *map, rp_vec3 point, double spread, const double turn[2])
{
    rp_vec3 p = to_map(map, point);
    if (!inside(map, p)) return 1;
    /* A turn by up to a quarter to either side, without sines. */
    double t = 2 * turn[0] - 1, norm = 1 / (1 + t * t);
    rp_vec3 turned = rp_v3((1 - t * t) * norm, 2 * t * norm, 0);
    double widest = fmin(WIDEST, 0.25 * spread * map->radius * map->per_metre + 1);
    double sum = 0;
    int blocked = 0;
    for (int i = 0; i < TAPS / 2; i++) {
        rp_vec3 q = tap(p, i, widest, turned);
        double before = blocked_before(map, q.x, q.y, p.z);
        sum += before;
        blocked += before > 0;
    }
    if (blocked == 0) return 1;
    double radius = fmin(fmax(0.5 * spread * sum / blocked * map->per_metre, 0.8), WIDEST);
    int open = 0;
    for (int i = 0; i < TAPS; i++) {
        rp_vec3 q = tap(p, i, radius, turned);
        open += blocked_before(map, q.x, q.y, p.z) == 0;
    }
    return (double)open / TAPS;
}

double rp_shadow_sky(const rp_shadow_map *map, rp_vec3 point, double spread, const double turn[2])
{
    rp_vec3 p = to_map(map, point);
    double before = blocked_before(map, p.x, p.y, p.z);
    if (before == 0) return 1;
    double reach = spread * before * map->per_metre;
    if (reach < 1) reach = 1;
    double x = p.x + (turn[0] - 0.5) * reach, y = p.y + (turn[1] - 0.5) * reach;
    return blocked_before(map, x, y, p.z) == 0;
}
