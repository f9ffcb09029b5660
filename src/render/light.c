#include "render/light.h"

#define SUN_RADIUS 0.014 /* rad; the true sun has 0.0047: the air is a little hazy */
#define SUN_LIGHT 3.1    /* of plain daylight on a surface square to the sun */
#define SKY_LIGHT 2.5    /* of the whole sky; a scene has 0.4 of it unless it says otherwise */
#define BACKGROUND 1.7   /* the sky as seen, brighter than it lights */
#define EXPOSURE 0.33

static const rp_vec3 daylight = {1.04, 0.98, 0.88}; /* a white sun, seen through the air */
static const rp_vec3 zenith = {0.53, 0.67, 0.90};
static const rp_vec3 horizon = {1.00, 0.94, 0.86};
static const rp_vec3 haze = {0.84, 0.77, 0.69};   /* below the horizon */
static const rp_vec3 bounce = {0.38, 0.28, 0.19}; /* what lit ground sends back */

rp_lighting rp_lighting_make(const rp_scene *scene)
{
    const rp_light_spec *spec = &scene->light;
    rp_vec3 travel = rp_v3_normalized(spec->direction);
    if (!(rp_v3_length(travel) > 0.5)) travel = rp_v3_normalized(rp_v3(0.6, 0.45, -0.8));
    rp_lighting lighting = {.to_sun = rp_v3_scale(travel, -1),
                            .sky_strength = SKY_LIGHT * spec->sky,
                            .lamps = rp_scene_lamps(scene),
                            .lamp_count = scene->lamps.count};
    lighting.sun_across[0] = rp_v3_perpendicular(travel);
    lighting.sun_across[1] = rp_v3_cross(travel, lighting.sun_across[0]);
    lighting.sun =
        rp_v3_scale(rp_colour_mul(rp_v3_from(spec->colour), daylight), SUN_LIGHT * spec->strength);
    double lit = fmax(0, lighting.to_sun.z) * rp_brightness(lighting.sun) + lighting.sky_strength;
    lighting.below = rp_v3_scale(bounce, lit);
    return lighting;
}

/* Cosine and sine of a part of a full turn, to 3e-7, which is more than samples need: Taylor series
 * about the nearest quarter. The library's took a tenth of the time of a picture. */
static void turn_of(double part, double *cosine, double *sine)
{
    int quarter = (int)(4 * part + 0.5);
    double x = 0.5 * RP_PI * (4 * part - quarter), xx = x * x;
    double s = x * (1 - xx / 6 * (1 - xx / 20 * (1 - xx / 42)));
    double c = 1 - xx / 2 * (1 - xx / 12 * (1 - xx / 30 * (1 - xx / 56)));
    static const double turns[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const double *turn =
        turns[quarter]; /* no branches: they would be guessed wrong half the time */
    *cosine = c * turn[0] - s * turn[1];
    *sine = s * turn[0] + c * turn[1];
}

void rp_light_pick_disc(const double pick[2], double at[2])
{
    double radius = sqrt(pick[0]), cosine, sine;
    turn_of(pick[1], &cosine, &sine);
    at[0] = radius * cosine;
    at[1] = radius * sine;
}

/* The directions of P5: from the disc up to the half sphere, which gives the cosine of Lambert's
 * law (Malley's method).
 */
rp_vec3 rp_light_pick_about(rp_vec3 normal, const double pick[2])
{
    double at[2];
    rp_light_pick_disc(pick, at);
    /* Two unit vectors across, without a root (Duff et al., "Building an orthonormal basis,
     * revisited", 2017). */
    double sign = normal.z < 0 ? -1 : 1, a = -1 / (sign + normal.z), b = normal.x * normal.y * a;
    rp_vec3 right = rp_v3(1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
    rp_vec3 down = rp_v3(b, sign + normal.y * normal.y * a, -normal.y);
    double up = sqrt(pick[0] < 1 ? 1 - pick[0] : 0);
    return rp_v3_madd(rp_v3_madd(rp_v3_scale(normal, up), at[0], right), at[1], down);
}

rp_vec3 rp_light_to_sun(const rp_lighting *lighting, const double pick[2])
{
    double at[2];
    rp_light_pick_disc(pick, at);
    rp_vec3 to = rp_v3_madd(lighting->to_sun, SUN_RADIUS * at[0], lighting->sun_across[0]);
    return rp_v3_normalized(rp_v3_madd(to, SUN_RADIUS * at[1], lighting->sun_across[1]));
}

rp_vec3 rp_light_sky(const rp_lighting *lighting, rp_vec3 direction)
{
    double up = direction.z;
    rp_vec3 colour = rp_v3_mix(horizon, zenith, rp_smooth_step(-0.04, 0.22, up));
    if (up < 0.02) colour = rp_v3_mix(colour, haze, rp_smooth_step(0.02, -0.30, up));
    return rp_v3_scale(colour, lighting->sky_strength);
}

rp_vec3 rp_light_background(const rp_lighting *lighting, rp_vec3 direction)
{
    return rp_v3_scale(rp_light_sky(lighting, direction), BACKGROUND);
}

/* P7: half of the sky's mean from the side, all of it from above. */
rp_vec3 rp_light_ambient(const rp_lighting *lighting, rp_vec3 normal)
{
    double above = 0.5 + 0.5 * normal.z;
    rp_vec3 sky = rp_v3_scale(rp_v3_mix(horizon, zenith, 0.75), lighting->sky_strength);
    return rp_v3_mix(lighting->below, sky, above);
}

rp_lamp_light rp_light_of_lamp(const rp_lamp_spec *lamp, rp_vec3 from, const double pick[2])
{
    double at[2];
    rp_light_pick_disc(pick, at);
    rp_vec3 way = rp_v3_sub(lamp->position, from);
    rp_vec3 middle = rp_v3_normalized(way);
    rp_vec3 right = rp_v3_perpendicular(middle), down = rp_v3_cross(middle, right);
    way = rp_v3_madd(rp_v3_madd(way, lamp->radius * at[0], right), lamp->radius * at[1], down);
    double length = rp_v3_length(way), distance = fmax(length, lamp->radius);
    double strength = SUN_LIGHT * lamp->strength / (distance * distance);
    return (rp_lamp_light){rp_v3_normalized(way), length,
                           rp_v3_scale(rp_v3_from(lamp->colour), strength)};
}

/* P13: the fit of a film curve by Narkowicz ("ACES filmic tone mapping curve", 2015). */
static double tone(double x)
{
    return rp_clamp_unit(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14));
}

double rp_light_tone_level(double light)
{
    return tone(EXPOSURE * light);
}

/* The curve on each colour bleaches warm sand, on the brightness alone it makes bright colours
 * garish: half of each. */
rp_vec3 rp_light_tone(rp_vec3 light)
{
    rp_vec3 c = rp_v3_scale(light, EXPOSURE);
    double brightness = rp_brightness(c);
    double scale = brightness > 1e-9 ? 0.5 * tone(brightness) / brightness : 0;
    return rp_v3(rp_clamp_unit(0.5 * tone(c.x) + scale * c.x),
                 rp_clamp_unit(0.5 * tone(c.y) + scale * c.y),
                 rp_clamp_unit(0.5 * tone(c.z) + scale * c.z));
}
