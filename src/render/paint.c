/* The draft painter: gather what is there, draw the shadow maps, sort grains into tiles, then find
 * and shade the samples of tile after tile. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "render/camera.h"
#include "render/light.h"
#include "render/splat.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define GRAIN_SCALE_MAX 10.0
#define DENSE 0.9 /* grain scale from which buried grains cannot be seen through gaps */
#define GRAIN_GLOSS 0.05
#define BODY_GLOSS 0.10
/* The share of its light that a grain loses at moisture 1: water between grains leads light on
 * instead of back. */
#define WET_DARKER 0.5
/* The ground fades into the haze between these distances from the scene's middle, in its radii. */
#define GROUND_NEAR 3.0
#define GROUND_FAR 14.0

typedef struct painting {
    const rp_view *view;
    const rp_scene *scene;
    rp_camera camera;
    double radius;  /* m, of a grain */
    rp_vec3 middle; /* m, of the scene */
    double reach;   /* m, from there to its corners */
    rp_shell shell;
    rp_solids solids;
    rp_lighting lighting;
    rp_splats splats;
    rp_picture *picture;
    rp_tile *tiles; /* one for each worker */
    size_t tile_size;
    atomic_int next; /* tile to be painted */
} painting;

rp_paint_options rp_default_paint_options(void)
{
    return (rp_paint_options){.width = 1280, .height = 720, .grain_scale = 1};
}

static uint32_t mix_bits(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* Sand is many stones: most are near the material's colour, some warmer or paler, a few dark. */
static rp_vec3 grain_colour(const painting *p, uint32_t grain)
{
    rp_vec3 colour = rp_v3(0.60, 0.44, 0.27);
    int material = p->view->material ? p->view->material[grain] : 0;
    if (material < p->scene->materials.count) {
        const double *c = rp_scene_materials(p->scene)[material].colour;
        colour = rp_v3(c[0], c[1], c[2]);
    }
    uint32_t id = p->view->id ? p->view->id[grain] : grain;
    rp_random4 random = rp_random((uint64_t)p->scene->seed, RP_RANDOM_COLOUR, id);
    double warm = 0.10 * (rp_random_unit(random.bits[0]) - 0.5);
    double level = 0.78 + 0.44 * rp_random_unit(random.bits[1]);
    double kind = rp_random_unit(random.bits[2]);
    if (kind < 0.06) level *= 0.55;
    if (kind > 0.90) {
        double grey = 0.33 * (colour.x + colour.y + colour.z);
        colour = rp_colour_mix(colour, rp_v3(grey, grey, grey), 0.35);
        level *= 1.25;
    }
    if (p->view->moisture) level *= 1 - WET_DARKER * (double)p->view->moisture[grain];
    colour = rp_colour_mul(colour, rp_v3(level * (1 + warm), level, level * (1 - 1.5 * warm)));
    return rp_v3(fmin(colour.x, 0.95), fmin(colour.y, 0.95), fmin(colour.z, 0.95));
}

static void fill_grain(const painting *p, uint32_t grain, rp_lit_point *point)
{
    const rp_view *view = p->view;
    rp_vec3 centre = rp_v3(view->x[grain], view->y[grain], view->z[grain]);
    point->normal = rp_v3_normal(rp_v3_sub(point->position, centre));
    point->albedo = grain_colour(p, grain);
    point->gloss = GRAIN_GLOSS;
}

static void fill_triangle(const painting *p, uint32_t index, double px, double py,
                          rp_lit_point *point)
{
    const rp_solid_triangle *triangle = &p->solids.triangles[index];
    double u = (px - 0.5 * p->camera.width) * p->camera.pitch;
    double v = (py - 0.5 * p->camera.height) * p->camera.pitch;
    rp_vec3 w = rp_triangle_weights(&p->camera, triangle, u, v);
    rp_vec3 normal = rp_v3_scale(triangle->normal[0], w.x);
    normal = rp_v3_madd(normal, w.y, triangle->normal[1]);
    point->normal = rp_v3_normal(rp_v3_madd(normal, w.z, triangle->normal[2]));
    const double *c = rp_scene_bodies(p->scene)[triangle->body].colour;
    point->albedo = rp_v3(c[0], c[1], c[2]);
    point->gloss = BODY_GLOSS;
}

/* The nearest plane in front of `depth`, or NULL; `*depth` becomes its own. */
static const rp_solid_plane *plane_before(const painting *p, rp_vec3 ray, double *depth)
{
    const rp_solid_plane *nearest = NULL;
    for (size_t i = 0; i < p->solids.plane_count; i++) {
        const rp_solid_plane *plane = &p->solids.planes[i];
        double height = rp_v3_dot(rp_v3_sub(p->camera.position, plane->point), plane->normal);
        double sinking = -rp_v3_dot(ray, plane->normal);
        if (!(height > 0) || !(sinking > 1e-9)) continue;
        double meeting = height / sinking;
        if (meeting >= *depth) continue;
        *depth = meeting;
        nearest = plane;
    }
    return nearest;
}

static rp_vec3 shade_plane(const painting *p, const rp_solid_plane *plane, rp_lit_point *point,
                           rp_vec3 background)
{
    double distance = rp_v3_length(rp_v3_sub(point->position, p->middle));
    double fade = rp_smooth_step(GROUND_NEAR * p->reach, GROUND_FAR * p->reach, distance);
    if (fade >= 1) return background;
    point->normal = plane->normal;
    point->albedo = plane->colour;
    point->gloss = 0;
    return rp_colour_mix(rp_light_point(&p->lighting, point), background, fade);
}

/* The light that a sample of the tile sees. */
static rp_vec3 shade_sample(const painting *p, const rp_tile *tile, int x, int y)
{
    int sx = tile->x + x, sy = tile->y + y;
    double px = (sx + 0.5) / RP_SAMPLES, py = (sy + 0.5) / RP_SAMPLES;
    rp_vec3 ray = rp_camera_ray(&p->camera, px, py);
    uint32_t bits = mix_bits((uint32_t)sx * 0x9e3779b9u ^ mix_bits((uint32_t)sy));
    rp_lit_point point = {.to_eye = rp_v3_normal(rp_v3_scale(ray, -1)),
                          .hand = sx % 2 + 2 * (sy % 2),
                          .turn = {(bits & 0xffff) / 65536.0, (bits >> 16) / 65536.0}};
    double depth = (double)tile->depth[y][x];
    const rp_solid_plane *plane = plane_before(p, ray, &depth);
    point.position = rp_v3_madd(p->camera.position, depth, ray);
    uint32_t seen = tile->seen[y][x];
    if (plane || seen == RP_SEEN_NOTHING) {
        rp_vec3 background = rp_light_background(&p->lighting, rp_v3_scale(point.to_eye, -1));
        return plane ? shade_plane(p, plane, &point, background) : background;
    }
    if (seen & RP_SEEN_TRIANGLE)
        fill_triangle(p, seen & ~RP_SEEN_TRIANGLE, px, py, &point);
    else
        fill_grain(p, seen, &point);
    return rp_light_point(&p->lighting, &point);
}

/* Samples are toned before they are averaged, or bright edges would stay jagged. A little noise,
 * always the same, keeps smooth skies from falling into bands. */
static void paint_pixel(const painting *p, const rp_tile *tile, int x, int y)
{
    rp_vec3 sum = rp_v3(0, 0, 0);
    for (int j = 0; j < RP_SAMPLES; j++)
        for (int i = 0; i < RP_SAMPLES; i++)
            sum = rp_v3_add(sum,
                            rp_tone(shade_sample(p, tile, x * RP_SAMPLES + i, y * RP_SAMPLES + j)));
    sum = rp_v3_scale(sum, 1.0 / (RP_SAMPLES * RP_SAMPLES));
    int px = tile->x / RP_SAMPLES + x, py = tile->y / RP_SAMPLES + y;
    double noise = mix_bits((uint32_t)px ^ mix_bits(~(uint32_t)py)) * 0x1p-32;
    uint8_t *pixel = rp_picture_at(p->picture, px, py);
    const double light[3] = {sum.x, sum.y, sum.z};
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)fmin(255, floor(255 * rp_srgb_encode(light[c]) + noise));
}

static void paint_tile(const painting *p, int index, rp_tile *tile)
{
    rp_splats_draw(&p->splats, index, tile);
    int left = tile->x / RP_SAMPLES, top = tile->y / RP_SAMPLES;
    for (int y = 0; y < RP_TILE_PIXELS && top + y < p->picture->height; y++)
        for (int x = 0; x < RP_TILE_PIXELS && left + x < p->picture->width; x++)
            paint_pixel(p, tile, x, y);
}

/* A worker has a tile of its own and paints until none is left. */
static void work(void *context, size_t begin, size_t end)
{
    painting *p = context;
    int count = p->splats.columns * p->splats.rows;
    for (size_t worker = begin; worker < end; worker++)
        for (int i = atomic_fetch_add(&p->next, 1); i < count; i = atomic_fetch_add(&p->next, 1))
            paint_tile(p, i, &p->tiles[worker]);
}

static rp_code check(const rp_view *view, const rp_paint_options *options, rp_report *report)
{
    if (!(options->grain_scale > 0 && options->grain_scale <= GRAIN_SCALE_MAX))
        return rp_fail(report, RP_ERROR_INPUT,
                       "a grain scale of %g: more than 0 and up to %g are allowed",
                       options->grain_scale, GRAIN_SCALE_MAX);
    if (view->count > 0 && !(view->spacing > 0 && isfinite(view->spacing)))
        return rp_fail(report, RP_ERROR_INPUT,
                       "grains with a spacing of %g m: a positive number is needed", view->spacing);
    if (view->count >= RP_SEEN_TRIANGLE)
        return rp_fail(report, RP_ERROR_INPUT, "%zu grains: at most %u can be drawn", view->count,
                       RP_SEEN_TRIANGLE - 1);
    return RP_OK;
}

/* Camera, surfaces and the box that shadows are for. */
static rp_code prepare(painting *p, const rp_paint_options *options, rp_box3 *bounds,
                       rp_report *report)
{
    rp_framing own = rp_framing_empty();
    const rp_framing *framing = options->framing ? options->framing : &own;
    rp_code code = RP_OK;
    if (!options->framing) code = rp_framing_add(&own, p->view, p->scene, report);
    if (code == RP_OK)
        code = rp_camera_choose(p->scene, options, framing, p->view->time, &p->camera, report);
    if (code == RP_OK) code = rp_solids_gather(&p->solids, p->view, p->scene, report);
    *bounds = rp_framing_box(framing);
    p->middle = rp_v3_scale(rp_v3_add(bounds->low, bounds->high), 0.5);
    p->reach = 0.5 * rp_v3_length(rp_v3_sub(bounds->high, bounds->low));
    return code;
}

static rp_code paint_all(painting *p, const rp_paint_options *options, rp_threads *threads,
                         rp_report *report)
{
    rp_box3 bounds;
    rp_code code = prepare(p, options, &bounds, report);
    if (code == RP_OK)
        code = rp_shell_find(&p->shell, p->view, bounds, options->grain_scale >= DENSE, report);
    if (code != RP_OK) return code;
    rp_shadow_casters casters = {p->view, &p->shell, p->radius, &p->solids, bounds};
    code = rp_lighting_create(&p->lighting, &p->scene->light, &casters, threads, report);
    if (code == RP_OK)
        code = rp_splats_sort(&p->splats, &p->camera, p->view, &p->shell, p->radius, &p->solids,
                              threads, report);
    if (code != RP_OK) return code;

    size_t workers = (size_t)rp_threads_count(threads);
    p->tile_size = workers * sizeof *p->tiles;
    p->tiles = rp_allocate(p->tile_size);
    if (!p->tiles) return rp_fail_memory(report, p->tile_size, "the tiles of a picture");
    rp_parallel_for(threads, workers, 1, work, p);
    return RP_OK;
}

rp_code rp_paint(const rp_view *view, const rp_scene *scene, const rp_paint_options *options,
                 rp_threads *threads, rp_picture **out, rp_report *report)
{
    *out = NULL;
    painting p = {.view = view, .scene = scene};
    p.radius = 0.5 * view->spacing * options->grain_scale;
    rp_code code = check(view, options, report);
    if (code == RP_OK)
        code = rp_picture_create(options->width, options->height, &p.picture, report);
    if (code == RP_OK) code = paint_all(&p, options, threads, report);

    rp_release(p.tiles, p.tile_size);
    rp_splats_release(&p.splats);
    rp_lighting_release(&p.lighting);
    rp_solids_release(&p.solids);
    rp_shell_release(&p.shell);
    if (code == RP_OK)
        *out = p.picture;
    else
        rp_picture_destroy(p.picture);
    return code;
}
