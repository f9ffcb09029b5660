#include "render/light.h"

#include <string.h>

#define GOLDEN_ANGLE 2.399963229728653 /* rad */
#define SUN_TEXELS 5.0                 /* of the sun's map across a grain */
#define SKY_TEXELS 3.0
#define SUN_SPREAD 0.035 /* wider than the true sun, 0.009: the air is a little hazy */
#define SKY_SPREAD 0.4   /* the gap between two suns of the sky */
#define SUN_LIGHT 2.5    /* of plain daylight on a surface square to the sun */
#define EXPOSURE 0.36
#define BACKGROUND 1.7 /* the sky as seen, brighter than it lights: it should glow */
#define SKY_LIGHT 2.5  /* from the whole sky; a scene has 0.4 of it unless it says otherwise */

static const rp_vec3 daylight = {1.04, 0.98, 0.88}; /* a white sun, seen through the air */
static const rp_vec3 zenith = {0.53, 0.67, 0.90};
static const rp_vec3 horizon = {1.00, 0.94, 0.86};
static const rp_vec3 haze = {0.84, 0.77, 0.69};   /* below the horizon */
static const rp_vec3 bounce = {0.38, 0.28, 0.19}; /* what lit ground and grains send back */

static rp_vec3 sky_colour(const rp_lighting *lighting, rp_vec3 direction)
{
    double up = direction.z;
    rp_vec3 colour = rp_colour_mix(horizon, zenith, rp_smooth_step(-0.04, 0.22, up));
    colour = rp_colour_mix(colour, haze, rp_smooth_step(0.02, -0.30, up));
    return rp_v3_scale(colour, lighting->sky_strength);
}

rp_vec3 rp_light_background(const rp_lighting *lighting, rp_vec3 direction)
{
    return rp_v3_scale(sky_colour(lighting, direction), BACKGROUND);
}

/* Evenly over the upper half of the sphere, on a spiral: neighbours on it go to different hands, so
 * every hand is even, too. */
static rp_vec3 sky_direction(int i)
{
    double up = (i + 0.5) / RP_SKY_SUNS;
    double across = sqrt(1 - up * up), angle = GOLDEN_ANGLE * i;
    return rp_v3(across * cos(angle), across * sin(angle), up);
}

rp_code rp_lighting_create(rp_lighting *lighting, const rp_light_spec *spec,
                           const rp_shadow_casters *casters, rp_threads *threads, rp_report *report)
{
    memset(lighting, 0, sizeof *lighting);
    rp_vec3 travel = rp_v3_normal(spec->direction);
    if (!(rp_v3_length(travel) > 0.5)) travel = rp_v3_normal(rp_v3(0.6, 0.45, -0.8));
    lighting->to_sun = rp_v3_scale(travel, -1);
    rp_vec3 colour = rp_v3(spec->colour[0], spec->colour[1], spec->colour[2]);
    lighting->sun = rp_v3_scale(rp_colour_mul(colour, daylight), SUN_LIGHT * spec->strength);
    lighting->sun_share = 0.3 * rp_v3_length(lighting->sun);
    lighting->sky_strength = SKY_LIGHT * spec->sky;

    rp_vec3 directions[1 + RP_SKY_SUNS] = {travel};
    int sizes[1 + RP_SKY_SUNS] = {rp_shadow_size(casters, SUN_TEXELS, 1024, 2048)};
    for (int i = 0; i < RP_SKY_SUNS; i++) {
        lighting->to_sky[i] = sky_direction(i);
        lighting->sky[i] = sky_colour(lighting, lighting->to_sky[i]);
        directions[i + 1] = rp_v3_scale(lighting->to_sky[i], -1);
        sizes[i + 1] = rp_shadow_size(casters, SKY_TEXELS, 256, 512);
    }
    return rp_shadow_maps_draw(lighting->maps, 1 + RP_SKY_SUNS, directions, sizes, casters, threads,
                               report);
}

void rp_lighting_release(rp_lighting *lighting)
{
    rp_shadow_maps_release(lighting->maps, 1 + RP_SKY_SUNS);
}

/* Where a map is asked: off the surface by more than a texel, or the surface would shade itself. */
static rp_vec3 lifted(const rp_shadow_map *map, const rp_lit_point *point, double slope)
{
    double along = map->texel * (1.0 + 1.2 * (1 - slope));
    rp_vec3 p = rp_v3_madd(point->position, along, point->normal);
    return rp_v3_madd(p, -0.8 * map->texel, map->forward);
}

static rp_vec3 sun_on(const rp_lighting *lighting, const rp_lit_point *point)
{
    const rp_shadow_map *map = &lighting->maps[0];
    double facing = rp_v3_dot(point->normal, lighting->to_sun);
    if (facing <= 0) return rp_v3(0, 0, 0);
    double light = rp_shadow_sun(map, lifted(map, point, facing), SUN_SPREAD, point->turn);
    if (light == 0) return rp_v3(0, 0, 0);
    /* A broad highlight by Blinn's halfway vector: grains are glassy, but not polished. */
    rp_vec3 half = rp_v3_normal(rp_v3_add(lighting->to_sun, point->to_eye));
    double shine = rp_clamp_unit(rp_v3_dot(point->normal, half));
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    rp_vec3 diffuse = rp_v3_scale(point->albedo, facing);
    rp_vec3 gloss = rp_v3_scale(rp_v3(1, 1, 1), point->gloss * shine * facing);
    return rp_colour_mul(lighting->sun, rp_v3_scale(rp_v3_add(diffuse, gloss), light));
}

/* Steps of the golden ratio, so that the suns of the sky do not all err to the same side. */
static double next_turn(double turn, int i)
{
    double next = turn + 0.6180339887 * i;
    return next - floor(next);
}

/* Sky that is hidden is hidden by lit matter: a part of its light comes back warm. */
static rp_vec3 sky_on(const rp_lighting *lighting, const rp_lit_point *point)
{
    rp_vec3 open = rp_v3(0, 0, 0);
    double hidden = 0;
    for (int i = point->hand; i < RP_SKY_SUNS; i += RP_SKY_HANDS) {
        double facing = rp_v3_dot(point->normal, lighting->to_sky[i]);
        if (facing <= 0) continue;
        const rp_shadow_map *map = &lighting->maps[1 + i];
        const double turn[2] = {next_turn(point->turn[0], i), next_turn(point->turn[1], 3 * i)};
        double light = rp_shadow_sky(map, lifted(map, point, facing), SKY_SPREAD, turn);
        open = rp_v3_madd(open, facing * light, lighting->sky[i]);
        hidden += facing * (1 - light);
    }
    double share = 2.0 * RP_SKY_HANDS / RP_SKY_SUNS;
    double below = 0.5 - 0.5 * point->normal.z;
    rp_vec3 returned = rp_v3_scale(bounce, 0.35 * share * hidden + 0.9 * below);
    double level = lighting->sky_strength + lighting->sun_share;
    rp_vec3 light = rp_v3_madd(rp_v3_scale(open, share), level, returned);
    return rp_colour_mul(point->albedo, light);
}

rp_vec3 rp_light_point(const rp_lighting *lighting, const rp_lit_point *point)
{
    return rp_v3_add(sun_on(lighting, point), sky_on(lighting, point));
}

/* The fit of a film curve by Narkowicz ("ACES filmic tone mapping curve", 2015). */
static double tone(double x)
{
    return rp_clamp_unit(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14));
}

/* The curve on each colour bleaches warm sand, on the brightness alone it makes bright colours
 * garish: half of each. */
rp_vec3 rp_tone(rp_vec3 light)
{
    rp_vec3 c = rp_v3_scale(light, EXPOSURE);
    double brightness = 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
    double scale = brightness > 1e-9 ? 0.5 * tone(brightness) / brightness : 0;
    return rp_v3(rp_clamp_unit(0.5 * tone(c.x) + scale * c.x),
                 rp_clamp_unit(0.5 * tone(c.y) + scale * c.y),
                 rp_clamp_unit(0.5 * tone(c.z) + scale * c.z));
}
