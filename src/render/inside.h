/* The parts of the renderer, for this room, its tests and its benchmark: camera, lights, colours,
 * geometry, the BVH, the scene as rays meet it, the path tracer and the G-buffer.
 *
 * Data flow of a picture:
 *
 *     view, scene --> visible set, meshes, chains --> render scene (BVH) --+
 *     options -----> camera, lights, sampler ------------------------------+--> path tracer
 *                                                                                   |
 *                               picture <-- tone mapping <-- denoiser <-- G-buffer --+
 */
#ifndef RP_RENDER_INSIDE_H
#define RP_RENDER_INSIDE_H

#include "base/report.h"
#include "base/threads.h"
#include "geom/clump.h"
#include "math/vec.h"
#include "render/render.h"
#include "render/sampler.h"
#include "repose/scene.h"
#include "repose/view.h"
#include "scene/scene.h"

#include <stdbool.h>
#include <stddef.h>

/* --- small functions -------------------------------------------------------------------------- */

/* Relative luminance of linear sRGB (ITU-R BT.709). */
static inline double rp_luminance(rp_vec3 c)
{
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

static inline rp_vec3 rp_rgb_mul(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Clamps to [0, 1]. By comparison: fmin and fmax are calls, because they treat NaN with care. */
static inline double rp_clamp_unit(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static inline double rp_smoothstep(double low, double high, double x)
{
    double t = rp_clamp_unit((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}

/* --- camera.c: cameras ------------------------------------------------------------------------ */

/* A thin lens, or a pinhole. Camera space has x to the right, y down and z forward, as pixels have;
 * the ray through the point (px, py) of the picture is (u, v, 1) with u = (px - width / 2) pitch
 * and so on. */
typedef struct rp_camera {
    rp_vec3 position; /* m */
    rp_vec3 right, down, forward;
    double pitch; /* edge of a pixel at distance 1 */
    int width, height;
    double lens;    /* m, radius of the lens; 0: a pinhole */
    double focus;   /* m along forward, distance of the plane in focus */
    double shutter; /* open part of the time from frame to frame */
} rp_camera;

/* The camera that the options name, as it is at `time`: a named one, the scene's first, or the
 * automatic camera around `framing`. */
rp_code rp_camera_choose(const rp_scene *scene, const rp_render_options *options,
                         const rp_framing *framing, double time, rp_camera *out, rp_report *report);

/* From world to camera space, m. */
static inline rp_vec3 rp_camera_space(const rp_camera *camera, rp_vec3 world)
{
    rp_vec3 v = rp_v3_sub(world, camera->position);
    return rp_v3(rp_v3_dot(v, camera->right), rp_v3_dot(v, camera->down),
                 rp_v3_dot(v, camera->forward));
}

/* Direction, in the world, of the ray from the centre of the lens through a point of the picture;
 * its component along forward is 1. */
static inline rp_vec3 rp_camera_ray(const rp_camera *camera, double px, double py)
{
    double u = (px - 0.5 * camera->width) * camera->pitch;
    double v = (py - 0.5 * camera->height) * camera->pitch;
    return rp_v3_madd(rp_v3_madd(camera->forward, u, camera->right), v, camera->down);
}

/* --- light.c: lights and tone mapping --------------------------------------------------------- */

/* Sun, sky and lamps. Colours are linear; an rp_vec3 holds red, green and blue. A white surface
 * that faces a light of strength L reflects the radiance L: the factor pi of the Lambertian
 * reflection is part of the strength. */
typedef struct rp_lights {
    rp_vec3 to_sun;
    rp_vec3 sun_axes[2]; /* unit vectors that span the sun's disc */
    rp_vec3 sun;         /* colour times strength */
    double sky_strength;
    rp_vec3 ground; /* radiance from below, where no ground is modelled */
    const rp_lamp_spec *lamps;
    int lamp_count;
} rp_lights;

rp_lights rp_lights_make(const rp_scene *scene);

/* All `u` are two uniform random numbers from 0 to 1. */

/* Samples a unit vector towards a point of the sun's disc. */
rp_vec3 rp_light_sample_sun(const rp_lights *lights, const double u[2]);
/* Radiance of the sky from a unit direction; from below the horizon, that of the haze. */
rp_vec3 rp_light_sky_radiance(const rp_lights *lights, rp_vec3 direction);
/* The same where the camera sees the sky directly: brighter, so that it glows. */
rp_vec3 rp_light_background(const rp_lights *lights, rp_vec3 direction);
/* Estimate of the light from sky and ground on a surface that nothing occludes (P7). */
rp_vec3 rp_light_ambient(const rp_lights *lights, rp_vec3 normal);

/* A sampled point of a lamp, seen from a point: unit direction, distance to the lamp's surface, and
 * the lamp's light on a surface that faces it. */
typedef struct rp_lamp_sample {
    rp_vec3 direction;
    double distance; /* m */
    rp_vec3 light;
} rp_lamp_sample;
rp_lamp_sample rp_light_sample_lamp(const rp_lamp_spec *lamp, rp_vec3 from, const double u[2]);

/* Tone mapping: from any radiance to 0 … 1 (P13). */
rp_vec3 rp_light_tone_map(rp_vec3 light);
/* The tone curve alone, of one colour component. */
double rp_light_tone_curve(double light);

/* Samples a point of the unit disc uniformly. */
void rp_light_sample_disc(const double u[2], double at[2]);
/* Samples a unit vector of the hemisphere about `normal`, with the density cosine over pi. */
rp_vec3 rp_light_sample_cosine(rp_vec3 normal, const double u[2]);

/* --- light.c: colours of grains --------------------------------------------------------------- */

typedef struct rp_grain_reflectance {
    rp_vec3 albedo; /* linear; or the colour of a value, see rp_grain_colours_are_false */
    double gloss;   /* strength of the highlight */
} rp_grain_reflectance;

/* What grains show: the colour of their material, each slightly different, or false colours: a
 * colour map of one of their values. With force chains the scale is that of the contacts. */
typedef struct rp_grain_colours {
    const rp_view *view;
    const rp_scene *scene;
    enum {
        RP_COLOUR_MATERIAL,
        RP_COLOUR_ID,
        RP_COLOUR_SPEED,
        RP_COLOUR_FIELD,
        RP_COLOUR_CHAINS
    } kind;
    const rp_field *field;
    rp_colour_range range;
} rp_grain_colours;

/* Faults when there is no such field, with the names of those that exist. */
rp_code rp_grain_colours_choose(rp_grain_colours *colours, const rp_view *view,
                                const rp_scene *scene, const rp_render_options *options,
                                rp_report *report);
/* Linear colour of a material of the scene; that of common sand where the index is too large. */
rp_vec3 rp_render_material_colour(const rp_scene *scene, int material);
rp_grain_reflectance rp_grain_colours_reflectance(const rp_grain_colours *colours, size_t grain);

/* The colour of a value on the scale. */
rp_vec3 rp_grain_colours_of_value(const rp_grain_colours *colours, double value);

/* True for false colours, which stand for values: shading must not change their hue. */
static inline bool rp_grain_colours_are_false(const rp_grain_colours *colours)
{
    return colours->kind != RP_COLOUR_MATERIAL;
}

/* Grains of sand vary in size: factor of the radius. It is 1 with false colours. */
double rp_grain_colours_size(const rp_grain_colours *colours, size_t grain);
#define RP_GRAIN_SIZE_MAX 1.08

/* --- geometry.c: grains with shapes of their own (P14) ---------------------------------------- */

/* Grains of a view that has diameters: the size, the spheres and the orientation of each. */
typedef struct rp_grain_shapes {
    const rp_scene *scene;
    const float *diameter;            /* m, of the sphere around a grain; NULL: the view has none */
    const uint8_t *kind;              /* NULL: all are single spheres */
    const float *orientation[4];      /* w, x, y, z; NULL: the view has none */
    const float *angular_velocity[3]; /* rad/s; NULL: the view has none */
    double scale;                     /* of the spheres about the centre of their grain */
    double largest;                   /* m, diameter */
} rp_grain_shapes;

rp_grain_shapes rp_grain_shapes_find(const rp_view *view, const rp_scene *scene, double scale,
                                     rp_threads *threads);

/* True when grains have shapes of their own. The functions below are for such views only. */
static inline bool rp_grain_shapes_known(const rp_grain_shapes *shapes)
{
    return shapes->diameter != NULL;
}

/* The clump of the grain's kind; a single sphere when the scene does not know the kind. */
const rp_clump *rp_grain_shapes_clump(const rp_grain_shapes *shapes, size_t grain);
/* Radius of the sphere around a grain as it is shown, m; 0 where the view's number is invalid. */
double rp_grain_shapes_radius(const rp_grain_shapes *shapes, size_t grain);
rp_quat rp_grain_shapes_orientation(const rp_grain_shapes *shapes, size_t grain);
/* rad/s; zero where it is unknown, or a single sphere spins and nothing is seen of it. */
rp_vec3 rp_grain_shapes_angular_velocity(const rp_grain_shapes *shapes, size_t grain);
/* Sphere number `ball` of the grain's clump, about the grain's centre, m. */
rp_ball rp_grain_shapes_ball(const rp_grain_shapes *shapes, size_t grain, int ball,
                             rp_quat orientation);

/* --- geometry.c: meshes and planes ------------------------------------------------------------ */

typedef struct rp_render_triangle {
    rp_vec3 corner[3]; /* m, world */
    rp_vec3 normal[3]; /* shading normals at the corners */
    int body;          /* in the scene's order; -1: a height field */
    int material;      /* of a height field */
} rp_render_triangle;

/* A one-sided plane: rays from below pass through, so that one can look into a box of walls. */
typedef struct rp_render_plane {
    rp_vec3 point, normal;
    rp_vec3 colour; /* linear */
} rp_render_plane;

typedef struct rp_render_meshes {
    rp_render_triangle *triangles;
    size_t triangle_count, triangle_capacity;
    rp_render_plane *planes;
    size_t plane_count, plane_capacity;
} rp_render_meshes;

/* Triangles of bodies, where they are in the view, and of height fields; and planes. Release them,
 * also after a fault. */
rp_code rp_render_meshes_gather(rp_render_meshes *meshes, const rp_view *view,
                                const rp_scene *scene, rp_report *report);
void rp_render_meshes_release(rp_render_meshes *meshes);

/* Linear colour of the domain's bottom. */
extern const double rp_render_floor_colour[3];

/* Pose of a body: from the view, or the initial one of the scene when the view has no bodies. */
rp_pose rp_render_body_pose(const rp_view *view, const rp_scene *scene, int body);

/* --- embree.c, no_embree.c: the bounding volume hierarchy ------------------------------------- */

/* Rays against spheres, triangles and capsules. Embree (version 3) is used in embree.c and nowhere
 * else.
 *
 * The hit of a ray does not depend on the number of threads that built the BVH: the distance to a
 * primitive is computed from that one alone, and the nearest is taken. */
typedef struct rp_ray_bvh rp_ray_bvh;

/* Fails where this build has no Embree. */
rp_code rp_ray_bvh_create(int threads, rp_ray_bvh **out, rp_report *report);
void rp_ray_bvh_destroy(rp_ray_bvh *bvh);

/* Add a set of `count` spheres (x, y, z, radius) or triangles (three corners each, the fourth
 * number is not used), as they are when the shutter opens and when it closes; `closing` is NULL for
 * static sets. Primitives move along straight lines in between. The arrays are borrowed for the
 * life of the BVH. Sets are numbered from 0. */
typedef float rp_bvh_vertex[4];
_Static_assert(sizeof(rp_bvh_vertex) == 16, "Embree reads and shares arrays of four floats");
rp_code rp_ray_bvh_add_spheres(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *opening,
                               const rp_bvh_vertex *closing, rp_report *report);
rp_code rp_ray_bvh_add_triangles(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *opening,
                                 const rp_bvh_vertex *closing, rp_report *report);
/* Adds `count` static capsules: two ends each (x, y, z, radius), round there. */
rp_code rp_ray_bvh_add_capsules(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *ends,
                                rp_report *report);
/* Builds the hierarchy: after the last set, before the first ray. */
rp_code rp_ray_bvh_build(rp_ray_bvh *bvh, rp_report *report);
/* Bytes of the hierarchy, without the borrowed arrays. */
size_t rp_ray_bvh_bytes(const rp_ray_bvh *bvh);

typedef struct rp_ray {
    rp_vec3 origin, direction; /* distances are in lengths of the direction */
    double near, far;
    double time; /* 0: the shutter opens; 1: it closes */
} rp_ray;

typedef struct rp_bvh_hit {
    double distance;
    unsigned set;   /* in the order in which they were added */
    unsigned index; /* of the primitive in its set */
    double u, v;    /* of a triangle: barycentric weights of its second and third corner */
} rp_bvh_hit;

/* Finds the nearest hit between near and far; false for none. */
bool rp_ray_bvh_intersect(const rp_ray_bvh *bvh, const rp_ray *ray, rp_bvh_hit *hit);
/* True when any primitive lies between near and far (a shadow ray). */
bool rp_ray_bvh_occluded(const rp_ray_bvh *bvh, const rp_ray *ray);

/* What Embree alone achieves, for benchmarks: one camera ray for each of width x height pixels,
 * from `eye` through corner + x right + y down, and a shadow ray for each hit. With `scatter` also
 * one ray into a random direction, as good pictures do, and a shadow ray from its hit. Returns the
 * number of rays. */
size_t rp_ray_bvh_benchmark(const rp_ray_bvh *bvh, rp_threads *threads, rp_vec3 eye, rp_vec3 corner,
                            rp_vec3 right, rp_vec3 down, int width, int height, rp_vec3 to_light,
                            bool scatter);

/* --- geometry.c: grains fixed on rough surfaces (P14a) ---------------------------------------- */

typedef struct rp_fixed_grains {
    rp_bvh_vertex *spheres; /* relative to the centre */
    int32_t *bodies;        /* of each; -1: the floor */
    size_t count, sphere_capacity, body_capacity;
    rp_vec3 centre; /* m, of the render scene */
} rp_fixed_grains;

/* Those of visible bodies and of the domain's bottom; of planes those nearer to the centre than
 * `radius`. None of the other walls, which are not drawn, and none of planes with so many that they
 * are finer than pixels. Release them, also after a fault. */
rp_code rp_fixed_grains_gather(rp_fixed_grains *fixed, const rp_view *view, const rp_scene *scene,
                               rp_vec3 centre, double radius, rp_threads *threads,
                               rp_report *report);
void rp_fixed_grains_release(rp_fixed_grains *fixed);

/* --- geometry.c: force chains (P15) ----------------------------------------------------------- */

/* Contacts as capsules between the centres of grains: the stronger, the thicker and brighter. */
typedef struct rp_force_chains {
    rp_bvh_vertex
        *ends;     /* two a capsule: centre and radius, relative to the render scene's centre */
    float *forces; /* N, of each capsule */
    size_t count, capacity;
} rp_force_chains;

/* The capsules of a view's strong contacts; none where `colours` shows something else. Release
 * them, also after a fault. */
rp_code rp_force_chains_gather(rp_force_chains *chains, const rp_grain_colours *colours,
                               rp_vec3 centre, rp_report *report);
void rp_force_chains_release(rp_force_chains *chains);
/* The unit vector away from the axis of a capsule, at a point of its surface. */
rp_vec3 rp_force_chains_normal(const rp_force_chains *chains, size_t capsule, rp_vec3 point);
double rp_force_chains_radius(const rp_force_chains *chains, size_t capsule); /* m */

/* --- visible_set.c: visible grains (P1) ------------------------------------------------------- */

/* Which grains are wanted. Those without finite coordinates never are. */
typedef struct rp_visible_set_options {
    rp_box3 bounds;       /* m; grains outside are never culled */
    bool cull;            /* leave out grains that lie deep among others */
    rp_vec3 eye;          /* m */
    double near_distance; /* m; grains nearer than this to the eye are culled: it is inside them */
    double exposure;      /* s */
    double static_limit;  /* m; grains that move farther while exposed are listed as moving */
    /* Of grains with shapes: each has its own lengths in place of `near_distance` and
     * `static_limit`. NULL: all are spheres that fill a lattice of the spacing. */
    const rp_grain_shapes *shapes;
} rp_visible_set_options;

/* Displacement during the exposure, in radii, up to which a grain counts as static. */
#define RP_STATIC_DISPLACEMENT 0.1

/* The grains that can be seen or cast a shadow. Most grains of a large heap are buried; leaving
 * them out is what makes a picture of millions of grains quick. */
typedef struct rp_visible_set {
    uint32_t *grains; /* indices in the view, static grains first; both parts ascend */
    size_t count;
    size_t static_count; /* of them are static */
} rp_visible_set;

/* Release the set, also after a fault. */
rp_code rp_visible_set_find(rp_visible_set *set, const rp_view *view,
                            const rp_visible_set_options *options, rp_threads *threads,
                            rp_report *report);
void rp_visible_set_release(rp_visible_set *set);

/* --- render_scene.c: the scene as rays meet it ------------------------------------------------ */

/* Reflectance of a grain, computed once: colour and gloss, 0 to 1 in 65535 steps. */
typedef struct rp_packed_reflectance {
    uint16_t albedo[3], gloss;
} rp_packed_reflectance;
_Static_assert(sizeof(rp_packed_reflectance) == 8, "one load for the reflectance of a grain");

/* All geometry while the shutter is open, with its BVH. Points are relative to the centre: floats,
 * which rays are made of, are finest near zero. */
typedef struct rp_render_scene {
    const rp_view *view;
    const rp_scene *scene;
    rp_vec3 centre;         /* m, in the world */
    double bounding_radius; /* m, of the sphere about the centre around the framed box */
    double grain_radius;    /* m */
    rp_grain_colours colours;
    rp_grain_shapes shapes;
    rp_visible_set visible;
    rp_render_meshes meshes;
    rp_fixed_grains fixed;
    rp_bvh_vertex *fixed_closing; /* as the shutter closes, where bodies move; else NULL */
    rp_force_chains chains;
    rp_ray_bvh *bvh;
    rp_bvh_vertex *spheres;  /* of visible grains, static ones first; then the moving ones once
                            more, as the shutter closes */
    size_t static_count;     /* spheres */
    size_t moving_count;     /* spheres, behind the static ones */
    uint32_t *sphere_grains; /* of each sphere: its grain's index in the visible set; NULL: its own
                                index */
    rp_packed_reflectance *reflectances; /* of visible grains */
    rp_bvh_vertex *corners[2]; /* of triangles, as the shutter opens and closes; the second is NULL
                              when all are static */
    size_t sphere_bytes, sphere_grain_bytes, reflectance_bytes, corner_bytes;
    double gathering, building; /* s that it took */
} rp_render_scene;

/* What may be culled, and how long the shutter is open. */
typedef struct rp_render_scene_options {
    double grain_scale; /* radius in half spacings */
    double exposure;    /* s; 0: all is static */
    rp_vec3 eye;        /* m, in the world */
} rp_render_scene_options;

/* Release it, also after a fault. The view and the scene must outlive it. */
rp_code rp_render_scene_build(rp_render_scene *s, const rp_view *view, const rp_scene *scene,
                              const rp_render_options *options, const rp_framing *framing,
                              const rp_render_scene_options *own, rp_threads *threads,
                              rp_report *report);
void rp_render_scene_release(rp_render_scene *s);
/* Time and memory that building it took. */
rp_render_cost rp_render_scene_cost(const rp_render_scene *s);

/* The surface where a ray ends. */
typedef struct rp_surface_hit {
    enum {
        RP_SURFACE_NONE,
        RP_SURFACE_GRAIN,
        RP_SURFACE_BODY,
        RP_SURFACE_PLANE,
        RP_SURFACE_CHAIN
    } kind;
    double distance;
    rp_vec3 position; /* relative to the centre */
    rp_vec3 normal;   /* unit, towards where the ray came from */
    rp_vec3 albedo;   /* linear */
    double gloss;     /* strength of the highlight, 0 to 1 */
    double haze;      /* part of its light that the haze replaces, 0 to 1 */
    double offset;    /* m along the normal, at which further rays start: they must not hit the same
                         surface again */
} rp_surface_hit;

/* Finds the nearest surface along a unit direction; the far end of the ray becomes the distance of
 * the nearest plane. `pixel` is the width of a pixel at distance 1; finer details are left out. */
rp_surface_hit rp_render_scene_intersect(const rp_render_scene *s, rp_ray *ray, double pixel);
/* True when anything lies between a point of a surface and a light at a distance. */
bool rp_render_scene_occluded(const rp_render_scene *s, const rp_surface_hit *surface,
                              rp_vec3 direction, double distance, double time);

/* --- trace.c: the path tracer ----------------------------------------------------------------- */

typedef struct rp_path_tracer {
    const rp_render_scene *scene;
    rp_lights lights;
    rp_camera camera[2]; /* when the shutter opens and when it closes */
    bool moving;         /* the two differ, or grains or bodies move */
    bool draft;          /* sun and shadow alone */
} rp_path_tracer;

/* The result of one camera path. Radiance to be tone mapped comes in two parts, direct + albedo *
 * indirect: the indirect light of sky and other surfaces takes most rays and has most noise, but
 * varies slowly along a surface. */
typedef struct rp_path_sample {
    rp_vec3 direct, albedo, indirect;
    rp_vec3 false_colour; /* shown as it is, without tone mapping; black for other samples */
    bool is_false_colour;
    bool is_surface;  /* a lit surface, of which the members below are set */
    rp_vec3 position; /* m, relative to the render scene's centre */
    rp_vec3 normal;
    double distance; /* m */
} rp_path_sample;

/* Indirect rays of one sample: none, one, or as many as hide the noise of 16 samples. */
typedef enum rp_indirect_rays {
    RP_INDIRECT_NONE,
    RP_INDIRECT_ONE,
    RP_INDIRECT_MANY
} rp_indirect_rays;

/* Traces the path of one sample of pixel (px, py), with the random numbers of the sampler. */
rp_path_sample rp_trace_path(const rp_path_tracer *tracer, int px, int py,
                             rp_indirect_rays indirect, rp_sampler *sampler);
/* Radiance of both parts, clamped to what one sample may have. */
rp_vec3 rp_path_sample_radiance(const rp_path_sample *sample);

/* --- gbuffer.c, denoise.c: adaptive sampling and denoising (P17, P18) ------------------------- */

/* Channels of the G-buffer: means over the samples of a pixel, one array of floats each. Those of
 * three components begin with the one that is named. */
enum {
    RP_CHANNEL_DIRECT,
    RP_CHANNEL_ALBEDO = RP_CHANNEL_DIRECT + 3,
    RP_CHANNEL_FALSE_COLOUR = RP_CHANNEL_ALBEDO + 3,
    RP_CHANNEL_NORMAL = RP_CHANNEL_FALSE_COLOUR + 3,
    RP_CHANNEL_POSITION = RP_CHANNEL_NORMAL + 3,
    RP_CHANNEL_LIT = RP_CHANNEL_POSITION + 3, /* part of the samples without false colour */
    RP_CHANNEL_COVERAGE,                      /* part of the samples that hit a lit surface */
    RP_CHANNEL_INVERSE_WIDTH,                 /* 1/m: inverse of a pixel's width at the surface */
    RP_CHANNEL_DISPLAY_VARIANCE, /* variance of the first samples as a screen shows them, in steps
                                    of 255; mean over the colour components */
    RP_CHANNEL_INDIRECT,         /* of the samples that hit a surface */
    RP_CHANNEL_VARIANCE = RP_CHANNEL_INDIRECT + 3, /* of the luminance of the mean indirect light */
    RP_CHANNEL_SCRATCH, /* output of a filter pass: indirect light and variance */
    RP_CHANNELS = RP_CHANNEL_SCRATCH + 4
};
_Static_assert(RP_CHANNEL_VARIANCE == RP_CHANNEL_INDIRECT + 3,
               "the filter swaps light and variance together");

#define RP_GBUFFER_HALO 16         /* rows around a pixel that its colour may depend on */
#define RP_GBUFFER_PADDING 16      /* columns of zeros at both sides: filter taps may reach there */
#define RP_ADAPTIVE_SAMPLES_MIN 16 /* samples of a pixel from which adaptive sampling pays off; */
#define RP_ADAPTIVE_SAMPLES_MAX 64 /* with more all are taken and nothing is denoised */
#define RP_ADAPTIVE_FACTOR 8       /* how many times fewer samples a pixel may have */

/* A band of rows of the picture, with a halo of rows above and below. */
typedef struct rp_gbuffer {
    const rp_path_tracer *tracer;
    const rp_sampler_table *table;
    int samples;                 /* of a pixel, at most */
    int width, height;           /* pixels, of the band */
    int top;                     /* row of the picture that is the first of the band */
    size_t stride;               /* floats of a row, with its padding */
    float *channel[RP_CHANNELS]; /* at row 0, column 0 */
    float *block;                /* all channels */
    size_t bytes;
} rp_gbuffer;

/* Allocates `height` rows; release it, also after a fault. */
rp_code rp_gbuffer_create(rp_gbuffer *gbuffer, int width, int height, rp_report *report);
void rp_gbuffer_release(rp_gbuffer *gbuffer);

static inline size_t rp_gbuffer_index(const rp_gbuffer *gbuffer, int x, int y)
{
    RP_ASSERT_DEBUG(x >= 0 && (size_t)x < gbuffer->stride && y >= 0 && y < gbuffer->height);
    return (size_t)y * gbuffer->stride + (size_t)x;
}

/* The first samples of a pixel of the band; and then, when all pixels have them, the others. Return
 * the number of rays. */
uint32_t rp_gbuffer_sample(rp_gbuffer *gbuffer, int x, int y);
uint32_t rp_gbuffer_refine(rp_gbuffer *gbuffer, int x, int y);
/* Filters the indirect light. */
void rp_gbuffer_denoise(rp_gbuffer *gbuffer, rp_threads *threads);
/* The colour of a pixel on a screen, linear. */
rp_vec3 rp_gbuffer_colour(const rp_gbuffer *gbuffer, int x, int y);

#endif
