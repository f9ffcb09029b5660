/* The path tracer: one path of light per sample, backwards from the camera, with two segments at
 * most (Pharr, Jakob, Humphreys, "Physically based rendering", chapters on light transport).
 *
 *   P3  camera ray through a point of the pixel, of the lens and of the shutter interval
 *   P4  next-event estimation: a shadow ray to the sun,
 *   P8  and one to each lamp
 *   P5  indirect light: one ray in a direction sampled by the cosine. It ends in the sky,
 *   P6  or on a second surface, lit by sun and lamps in turn (next-event estimation again) and by
 *       an estimate of all further bounces (P7)
 *
 * Surfaces are Lambertian with a Blinn-Phong highlight. Every random number comes from the sampler,
 * one pair for each decision: the point of the pixel, the time, the point of the lens, of the sun,
 * of a lamp, a direction. */
#include "render/inside.h"

#define SECOND_AMBIENT                                                                             \
    0.30                   /* of the ambient light (P7), for all bounces after the second surface */
#define RADIANCE_MAX 12.0  /* of a single sample; more would be a speck ("firefly") */
#define DRAFT_AMBIENT 0.62 /* of the ambient light in drafts, where no ray tests its occlusion */
/* Shading of false colours: enough to see shapes, while an open surface keeps the colour of its
 * value. */
#define FALSE_COLOUR_SUN 0.75
#define FALSE_COLOUR_SKY 0.65
#define FALSE_COLOUR_OCCLUDED 0.6 /* part of the sky's light that an occluder takes */
#define OCCLUSION_RANGE 20        /* grain radii, of ambient occlusion */

/* Indirect rays of one sample: noise shows on smooth surfaces, on grains it is lost. */
static const int indirect_counts[] = {[RP_SURFACE_NONE] = 1,
                                      [RP_SURFACE_GRAIN] = 1,
                                      [RP_SURFACE_BODY] = 4,
                                      [RP_SURFACE_PLANE] = 2,
                                      [RP_SURFACE_CHAIN] = 1};

/* --- camera rays (P2, P3) --------------------------------------------------------------------- */

/* The camera at a part of the exposure, 0 to 1: linear in between. Axes need not stay orthonormal,
 * as rays are normalized. */
static rp_camera camera_at(const rp_path_tracer *t, double time)
{
    rp_camera camera = t->camera[0];
    const rp_camera *last = &t->camera[1];
    camera.position = rp_v3_mix(camera.position, last->position, time);
    camera.forward = rp_v3_mix(camera.forward, last->forward, time);
    camera.right = rp_v3_mix(camera.right, last->right, time);
    camera.down = rp_v3_mix(camera.down, last->down, time);
    camera.pitch += time * (last->pitch - camera.pitch);
    return camera;
}

/* Thin lens: moves the origin to a random point of the lens and aims at the point of the plane in
 * focus that the ray through the lens' centre meets. */
static void use_lens(const rp_camera *camera, rp_sampler *sampler, rp_vec3 *from,
                     rp_vec3 *direction)
{
    double u[2], at[2];
    rp_sampler_next(sampler, u);
    rp_light_sample_disc(u, at);
    rp_vec3 focus = rp_v3_madd(*from, camera->focus, *direction);
    *from = rp_v3_madd(*from, camera->lens * at[0], camera->right);
    *from = rp_v3_madd(*from, camera->lens * at[1], camera->down);
    *direction = rp_v3_sub(focus, *from);
}

static rp_ray ray_of(const rp_path_tracer *t, const rp_camera *camera, double x, double y,
                     double time, rp_sampler *sampler)
{
    rp_vec3 direction = rp_camera_ray(camera, x, y), from = camera->position;
    if (camera->lens > 0 && !t->draft) use_lens(camera, sampler, &from, &direction);
    return (rp_ray){.origin = rp_v3_sub(from, t->scene->centre),
                    .direction = rp_v3_normalized(direction),
                    .far = INFINITY,
                    .time = time};
}

static rp_ray camera_ray(const rp_path_tracer *t, int px, int py, rp_sampler *sampler)
{
    /* Drafts: the centre of the pixel, in the middle of the exposure. */
    if (t->draft) return ray_of(t, &t->camera[0], px + 0.5, py + 0.5, 0.5, sampler);
    /* First dimension: the point of the pixel (antialiasing by a box filter). */
    double at[2], u[2];
    rp_sampler_next(sampler, at);
    if (!t->moving) return ray_of(t, &t->camera[0], px + at[0], py + at[1], 0.5, sampler);
    /* Second: the time in the shutter interval (motion blur). */
    rp_sampler_next(sampler, u);
    rp_camera camera = camera_at(t, u[0]);
    return ray_of(t, &camera, px + at[0], py + at[1], u[0], sampler);
}

/* --- direct light (P4, P8) -------------------------------------------------------------------- */

/* A shadow ray. */
static bool is_occluded(const rp_path_tracer *t, const rp_surface_hit *surface, rp_vec3 direction,
                        double distance, double time, rp_sampler *sampler)
{
    sampler->rays++;
    return rp_render_scene_occluded(t->scene, surface, direction, distance, time);
}

/* Blinn-Phong highlight: the cosine of normal and halfway vector to the power 16, broad, since
 * grains are glassy but not polished. */
static double highlight(const rp_surface_hit *surface, rp_vec3 to_light, rp_vec3 to_eye)
{
    rp_vec3 half = rp_v3_normalized(rp_v3_add(to_light, to_eye));
    double s = rp_clamp_unit(rp_v3_dot(surface->normal, half));
    s *= s, s *= s, s *= s, s *= s;
    return surface->gloss * s;
}

/* Light that a surface reflects to the eye; `cosine` is that of normal and light. */
static rp_vec3 reflected(const rp_surface_hit *surface, rp_vec3 light, rp_vec3 to_light,
                         rp_vec3 to_eye, double cosine)
{
    double gloss = surface->gloss > 0 ? highlight(surface, to_light, to_eye) : 0;
    rp_vec3 colour = rp_v3_add(surface->albedo, rp_v3(gloss, gloss, gloss));
    return rp_v3_scale(rp_rgb_mul(light, colour), cosine);
}

/* Direction to a random point of the sun's disc; drafts take its centre, with hard shadows. */
static rp_vec3 sample_sun(const rp_path_tracer *t, rp_sampler *sampler)
{
    if (t->draft) return t->lights.to_sun;
    double u[2];
    rp_sampler_next(sampler, u);
    return rp_light_sample_sun(&t->lights, u);
}

/* P4. */
static rp_vec3 direct_sun(const rp_path_tracer *t, const rp_surface_hit *surface, const rp_ray *ray,
                          rp_sampler *sampler)
{
    rp_vec3 to_sun = sample_sun(t, sampler);
    double cosine = rp_v3_dot(surface->normal, to_sun);
    /* Surfaces that face away need no shadow ray. */
    if (!(cosine > 0) || is_occluded(t, surface, to_sun, INFINITY, ray->time, sampler))
        return rp_v3(0, 0, 0);
    return reflected(surface, t->lights.sun, to_sun, rp_v3_scale(ray->direction, -1), cosine);
}

/* P8: every lamp is sampled; scenes have few. */
static rp_vec3 direct_lamps(const rp_path_tracer *t, const rp_surface_hit *surface,
                            const rp_ray *ray, rp_sampler *sampler)
{
    rp_vec3 sum = rp_v3(0, 0, 0);
    rp_vec3 from = rp_v3_add(surface->position, t->scene->centre);
    for (int i = 0; i < t->lights.lamp_count; i++) {
        double u[2] = {0, 0};
        if (!t->draft) rp_sampler_next(sampler, u);
        rp_lamp_sample lamp = rp_light_sample_lamp(&t->lights.lamps[i], from, u);
        double cosine = rp_v3_dot(surface->normal, lamp.direction);
        if (!(cosine > 0)) continue;
        if (is_occluded(t, surface, lamp.direction, lamp.distance, ray->time, sampler)) continue;
        rp_vec3 to_eye = rp_v3_scale(ray->direction, -1);
        sum = rp_v3_add(sum, reflected(surface, lamp.light, lamp.direction, to_eye, cosine));
    }
    return sum;
}

/* --- indirect light (P5, P6, P7) -------------------------------------------------------------- */

/* One indirect ray. Its direction has the density cosine over pi, which cancels the cosine and the
 * pi of Lambert's law: what the ray sees is the estimate, without a weight. */
static rp_vec3 indirect_sample(const rp_path_tracer *t, const rp_surface_hit *surface,
                               const rp_ray *ray, rp_sampler *sampler)
{
    double u[2];
    rp_sampler_next(sampler, u);
    rp_ray second = {.origin = rp_v3_madd(surface->position, surface->offset, surface->normal),
                     .direction = rp_light_sample_cosine(surface->normal, u),
                     .far = INFINITY,
                     .time = ray->time};
    /* No pixel width: details of normals are not worth their time in a mean over directions. */
    rp_surface_hit other = rp_render_scene_intersect(t->scene, &second, INFINITY);
    sampler->rays++;
    rp_vec3 sky = rp_light_sky_radiance(&t->lights, second.direction);
    if (other.kind == RP_SURFACE_NONE) return sky;
    /* The second surface: ambient light for further bounces, then sun and lamps. */
    rp_vec3 ambient = rp_v3_scale(rp_light_ambient(&t->lights, other.normal), SECOND_AMBIENT);
    rp_vec3 light = rp_rgb_mul(other.albedo, ambient);
    light = rp_v3_add(light, direct_sun(t, &other, &second, sampler));
    light = rp_v3_add(light, direct_lamps(t, &other, &second, sampler));
    return rp_v3_mix(light, sky, other.haze);
}

/* Mean over the indirect rays of a sample; drafts take the ambient estimate. */
static rp_vec3 indirect_light(const rp_path_tracer *t, const rp_surface_hit *surface,
                              const rp_ray *ray, rp_indirect_rays indirect, rp_sampler *sampler)
{
    if (t->draft) return rp_v3_scale(rp_light_ambient(&t->lights, surface->normal), DRAFT_AMBIENT);
    rp_vec3 light = rp_v3(0, 0, 0);
    int count =
        indirect == RP_INDIRECT_MANY ? indirect_counts[surface->kind] : indirect == RP_INDIRECT_ONE;
    for (int i = 0; i < count; i++)
        light = rp_v3_madd(light, 1.0 / count, indirect_sample(t, surface, ray, sampler));
    return light;
}

/* --- paths ------------------------------------------------------------------------------------ */

/* P11: the colour of a value, darker in shadow and by ambient occlusion within a few grains. */
static rp_vec3 shade_false_colour(const rp_path_tracer *t, const rp_surface_hit *surface,
                                  const rp_ray *ray, rp_sampler *sampler)
{
    double shade = FALSE_COLOUR_SKY;
    rp_vec3 to_sun = sample_sun(t, sampler);
    double cosine = rp_v3_dot(surface->normal, to_sun);
    if (cosine > 0 && !is_occluded(t, surface, to_sun, INFINITY, ray->time, sampler))
        shade += FALSE_COLOUR_SUN * cosine;
    if (!t->draft) {
        double u[2];
        rp_sampler_next(sampler, u);
        rp_vec3 direction = rp_light_sample_cosine(surface->normal, u);
        double range = OCCLUSION_RANGE * t->scene->grain_radius;
        if (is_occluded(t, surface, direction, range, ray->time, sampler))
            shade -= FALSE_COLOUR_OCCLUDED * FALSE_COLOUR_SKY;
    }
    return rp_v3_scale(surface->albedo, rp_clamp_unit(shade));
}

/* A surface with the light on it, seen through the haze. */
static rp_path_sample shade_surface(const rp_path_tracer *t, const rp_surface_hit *surface,
                                    const rp_ray *ray, rp_indirect_rays indirect,
                                    rp_sampler *sampler)
{
    rp_path_sample sample = {.is_surface = true,
                             .albedo = surface->albedo,
                             .position = surface->position,
                             .normal = surface->normal,
                             .distance = surface->distance};
    sample.direct = direct_sun(t, surface, ray, sampler);
    if (t->lights.lamp_count)
        sample.direct = rp_v3_add(sample.direct, direct_lamps(t, surface, ray, sampler));
    sample.indirect = indirect_light(t, surface, ray, indirect, sampler);
    /* P9: the haze replaces direct light by the background, and takes from the albedo what it takes
     * from the indirect light. */
    if (surface->haze > 0) {
        rp_vec3 background = rp_light_background(&t->lights, ray->direction);
        sample.direct = rp_v3_mix(sample.direct, background, surface->haze);
        sample.albedo = rp_v3_scale(sample.albedo, 1 - surface->haze);
    }
    return sample;
}

rp_path_sample rp_trace_path(const rp_path_tracer *t, int px, int py, rp_indirect_rays indirect,
                             rp_sampler *sampler)
{
    /* The first surface. */
    rp_ray ray = camera_ray(t, px, py, sampler);
    double finest = t->draft ? INFINITY : t->camera[0].pitch;
    rp_surface_hit surface = rp_render_scene_intersect(t->scene, &ray, finest);
    sampler->rays++;
    if (t->draft) surface.gloss = 0;
    /* A value, the sky, or a lit surface. */
    bool is_value =
        surface.kind == RP_SURFACE_GRAIN && rp_grain_colours_are_false(&t->scene->colours);
    if (is_value || surface.kind == RP_SURFACE_CHAIN)
        return (rp_path_sample){.false_colour = shade_false_colour(t, &surface, &ray, sampler),
                                .is_false_colour = true};
    if (surface.kind == RP_SURFACE_NONE || surface.haze >= 1)
        return (rp_path_sample){.direct = rp_light_background(&t->lights, ray.direction)};
    return shade_surface(t, &surface, &ray, indirect, sampler);
}

rp_vec3 rp_path_sample_radiance(const rp_path_sample *sample)
{
    rp_vec3 light = rp_v3_add(sample->direct, rp_rgb_mul(sample->albedo, sample->indirect));
    return rp_v3_min(light, rp_v3(RADIANCE_MAX, RADIANCE_MAX, RADIANCE_MAX));
}
