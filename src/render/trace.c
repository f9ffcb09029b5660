/* One path of light, backwards: from the eye to what it sees (P3); from there to the sun (P4), to
 * the lamps (P8) and, by one ray at random, to the sky (P5), or to what hides it, which is lit by
 * the sun in turn (P6). */
#include "render/trace.h"

#define HIDDEN_SKY 0.30    /* of the ambient light, on what a second ray meets */
#define BRIGHTEST 12.0     /* a single sample; more would be a speck in the picture */
#define DRAFT_AMBIENT 0.62 /* of the ambient light, where nobody looks what hides it */
/* A chart's light: enough shade to see shapes, while what lies open keeps the colour of its value.
 */
#define CHART_SUN 0.75
#define CHART_SKY 0.65

/* Rays to the sky of one sample: noise shows on smooth surfaces, on grains it is lost. */
static const int sky_ways[] = {[RP_SEES_NOTHING] = 1,
                               [RP_SEES_GRAIN] = 1,
                               [RP_SEES_BODY] = 4,
                               [RP_SEES_PLANE] = 2,
                               [RP_SEES_CHAIN] = 1};

/* The camera at a part of the exposure. */
static rp_camera camera_at(const rp_tracing *t, double time)
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

/* Through a random point of the lens, so that what is in focus stays where it is. */
static void use_lens(const rp_camera *camera, rp_dice *dice, rp_vec3 *from, rp_vec3 *way)
{
    double pick[2], at[2];
    rp_dice_throw(dice, pick);
    rp_light_pick_disc(pick, at);
    rp_vec3 focus = rp_v3_madd(*from, camera->focus, *way);
    *from = rp_v3_madd(*from, camera->lens * at[0], camera->right);
    *from = rp_v3_madd(*from, camera->lens * at[1], camera->down);
    *way = rp_v3_sub(focus, *from);
}

static rp_ray ray_of(const rp_tracing *t, const rp_camera *camera, double x, double y, double time,
                     rp_dice *dice)
{
    rp_vec3 way = rp_camera_ray(camera, x, y), from = camera->position;
    if (camera->lens > 0 && !t->draft) use_lens(camera, dice, &from, &way);
    return (rp_ray){.origin = rp_v3_sub(from, t->scenery->middle),
                    .direction = rp_v3_normalized(way),
                    .far = INFINITY,
                    .time = time};
}

static rp_ray camera_ray(const rp_tracing *t, int px, int py, rp_dice *dice)
{
    if (t->draft) return ray_of(t, &t->camera[0], px + 0.5, py + 0.5, 0.5, dice);
    double at[2], pick[2];
    rp_dice_throw(dice, at);
    if (!t->moving) return ray_of(t, &t->camera[0], px + at[0], py + at[1], 0.5, dice);
    rp_dice_throw(dice, pick);
    rp_camera camera = camera_at(t, pick[0]);
    return ray_of(t, &camera, px + at[0], py + at[1], pick[0], dice);
}

static bool is_hidden(const rp_tracing *t, const rp_scenery_hit *surface, rp_vec3 direction,
                      double distance, double time, rp_dice *dice)
{
    dice->rays++;
    return rp_scenery_hides(t->scenery, surface, direction, distance, time);
}

/* How much a surface shines from one side to another: a broad highlight by Blinn's halfway vector;
 * grains are glassy, but not polished. */
static double shine(const rp_scenery_hit *surface, rp_vec3 to_light, rp_vec3 to_eye)
{
    rp_vec3 half = rp_v3_normalized(rp_v3_add(to_light, to_eye));
    double s = rp_clamp_unit(rp_v3_dot(surface->normal, half));
    s *= s, s *= s, s *= s, s *= s;
    return surface->gloss * s;
}

static rp_vec3 lit_from(const rp_scenery_hit *surface, rp_vec3 light, rp_vec3 to_light,
                        rp_vec3 to_eye, double facing)
{
    double gloss = surface->gloss > 0 ? shine(surface, to_light, to_eye) : 0;
    rp_vec3 colour = rp_v3_add(surface->colour, rp_v3(gloss, gloss, gloss));
    return rp_v3_scale(rp_colour_mul(light, colour), facing);
}

static rp_vec3 way_to_sun(const rp_tracing *t, rp_dice *dice)
{
    if (t->draft) return t->lighting.to_sun;
    double pick[2];
    rp_dice_throw(dice, pick);
    return rp_light_to_sun(&t->lighting, pick);
}

static rp_vec3 sun_on(const rp_tracing *t, const rp_scenery_hit *surface, const rp_ray *ray,
                      rp_dice *dice)
{
    rp_vec3 to_sun = way_to_sun(t, dice);
    double facing = rp_v3_dot(surface->normal, to_sun);
    if (!(facing > 0) || is_hidden(t, surface, to_sun, INFINITY, ray->time, dice))
        return rp_v3(0, 0, 0);
    return lit_from(surface, t->lighting.sun, to_sun, rp_v3_scale(ray->direction, -1), facing);
}

static rp_vec3 lamps_on(const rp_tracing *t, const rp_scenery_hit *surface, const rp_ray *ray,
                        rp_dice *dice)
{
    rp_vec3 sum = rp_v3(0, 0, 0);
    rp_vec3 from = rp_v3_add(surface->position, t->scenery->middle);
    for (int i = 0; i < t->lighting.lamp_count; i++) {
        double pick[2] = {0, 0};
        if (!t->draft) rp_dice_throw(dice, pick);
        rp_lamp_light lamp = rp_light_of_lamp(&t->lighting.lamps[i], from, pick);
        double facing = rp_v3_dot(surface->normal, lamp.direction);
        if (!(facing > 0)) continue;
        if (is_hidden(t, surface, lamp.direction, lamp.distance, ray->time, dice)) continue;
        rp_vec3 to_eye = rp_v3_scale(ray->direction, -1);
        sum = rp_v3_add(sum, lit_from(surface, lamp.light, lamp.direction, to_eye, facing));
    }
    return sum;
}

/* From the sky, or from what hides it: that is lit by sun and lamps, and by a guess at the rest. */
static rp_vec3 sky_on(const rp_tracing *t, const rp_scenery_hit *surface, const rp_ray *ray,
                      rp_dice *dice)
{
    double pick[2];
    rp_dice_throw(dice, pick);
    rp_ray second = {.origin = rp_v3_madd(surface->position, surface->lift, surface->normal),
                     .direction = rp_light_pick_about(surface->normal, pick),
                     .far = INFINITY,
                     .time = ray->time};
    rp_scenery_hit other = rp_scenery_look(t->scenery, &second, INFINITY);
    dice->rays++;
    rp_vec3 sky = rp_light_sky(&t->lighting, second.direction);
    if (other.kind == RP_SEES_NOTHING) return sky;
    rp_vec3 ambient = rp_v3_scale(rp_light_ambient(&t->lighting, other.normal), HIDDEN_SKY);
    rp_vec3 light = rp_colour_mul(other.colour, ambient);
    light = rp_v3_add(light, sun_on(t, &other, &second, dice));
    light = rp_v3_add(light, lamps_on(t, &other, &second, dice));
    return rp_v3_mix(light, sky, other.faded);
}

/* What comes from all sides but from sun and lamps; a draft makes a guess. */
static rp_vec3 incoming_on(const rp_tracing *t, const rp_scenery_hit *surface, const rp_ray *ray,
                           rp_sky_rays sky, rp_dice *dice)
{
    if (t->draft)
        return rp_v3_scale(rp_light_ambient(&t->lighting, surface->normal), DRAFT_AMBIENT);
    rp_vec3 light = rp_v3(0, 0, 0);
    int ways = sky == RP_SKY_MANY ? sky_ways[surface->kind] : sky == RP_SKY_ONE;
    for (int i = 0; i < ways; i++)
        light = rp_v3_madd(light, 1.0 / ways, sky_on(t, surface, ray, dice));
    return light;
}

/* The colour of a value, a little darker in shade and hollows. */
static rp_vec3 chart_of(const rp_tracing *t, const rp_scenery_hit *surface, const rp_ray *ray,
                        rp_dice *dice)
{
    double shade = CHART_SKY;
    rp_vec3 to_sun = way_to_sun(t, dice);
    double facing = rp_v3_dot(surface->normal, to_sun);
    if (facing > 0 && !is_hidden(t, surface, to_sun, INFINITY, ray->time, dice))
        shade += CHART_SUN * facing;
    if (!t->draft) {
        double pick[2];
        rp_dice_throw(dice, pick);
        rp_vec3 way = rp_light_pick_about(surface->normal, pick);
        double room = 20 * t->scenery->radius;
        if (is_hidden(t, surface, way, room, ray->time, dice)) shade -= 0.6 * CHART_SKY;
    }
    return rp_v3_scale(surface->colour, rp_clamp_unit(shade));
}

/* A surface with what falls on it, seen through the haze. */
static rp_seen see_surface(const rp_tracing *t, const rp_scenery_hit *surface, const rp_ray *ray,
                           rp_sky_rays sky, rp_dice *dice)
{
    rp_seen seen = {.is_surface = true,
                    .albedo = surface->colour,
                    .position = surface->position,
                    .normal = surface->normal,
                    .distance = surface->distance};
    seen.direct = sun_on(t, surface, ray, dice);
    if (t->lighting.lamp_count)
        seen.direct = rp_v3_add(seen.direct, lamps_on(t, surface, ray, dice));
    seen.incoming = incoming_on(t, surface, ray, sky, dice);
    if (surface->faded > 0) {
        rp_vec3 background = rp_light_background(&t->lighting, ray->direction);
        seen.direct = rp_v3_mix(seen.direct, background, surface->faded);
        seen.albedo = rp_v3_scale(seen.albedo, 1 - surface->faded);
    }
    return seen;
}

rp_seen rp_trace(const rp_tracing *t, int px, int py, rp_sky_rays sky, rp_dice *dice)
{
    rp_ray ray = camera_ray(t, px, py, dice);
    double finest = t->draft ? INFINITY : t->camera[0].pitch;
    rp_scenery_hit surface = rp_scenery_look(t->scenery, &ray, finest);
    dice->rays++;
    if (t->draft) surface.gloss = 0;
    bool chart = surface.kind == RP_SEES_GRAIN && rp_grain_colours_chart(&t->scenery->colours);
    if (chart || surface.kind == RP_SEES_CHAIN)
        return (rp_seen){.chart = chart_of(t, &surface, &ray, dice), .is_chart = true};
    if (surface.kind == RP_SEES_NOTHING || surface.faded >= 1)
        return (rp_seen){.direct = rp_light_background(&t->lighting, ray.direction)};
    return see_surface(t, &surface, &ray, sky, dice);
}

rp_vec3 rp_seen_light(const rp_seen *seen)
{
    rp_vec3 light = rp_v3_add(seen->direct, rp_colour_mul(seen->albedo, seen->incoming));
    return rp_v3_min(light, rp_v3(BRIGHTEST, BRIGHTEST, BRIGHTEST));
}
