/* Light: a sun, a sky, lamps, and how light becomes a picture. Colours are linear; an rp_vec3 holds
 * red, green and blue. A white surface that faces a light of strength L sends L to the eye. */
#ifndef RP_RENDER_LIGHT_H
#define RP_RENDER_LIGHT_H

#include "math/vec.h"
#include "scene/scene.h"

typedef struct rp_lighting {
    rp_vec3 to_sun;
    rp_vec3 sun_across[2]; /* unit, at right angles to the way to the sun */
    rp_vec3 sun;           /* colour times strength */
    double sky_strength;
    rp_vec3 below; /* what ground that is not there would send up */
    const rp_lamp_spec *lamps;
    int lamp_count;
} rp_lighting;

rp_lighting rp_lighting_make(const rp_scene *scene);

/* A unit vector to a point of the sun's disc, picked by two numbers from 0 to 1. */
rp_vec3 rp_light_to_sun(const rp_lighting *lighting, const double pick[2]);
/* What the sky sends from a unit direction; from below the horizon, the haze there. */
rp_vec3 rp_light_sky(const rp_lighting *lighting, rp_vec3 direction);
/* The same as it is seen: it should glow. */
rp_vec3 rp_light_background(const rp_lighting *lighting, rp_vec3 direction);
/* About what sky and ground send to a surface that nothing hides. */
rp_vec3 rp_light_ambient(const rp_lighting *lighting, rp_vec3 normal);

/* A point of a lamp as it is seen from `from`: unit direction, distance to its surface, and its
 * light on what faces it. */
typedef struct rp_lamp_light {
    rp_vec3 direction;
    double distance; /* m */
    rp_vec3 light;
} rp_lamp_light;
rp_lamp_light rp_light_of_lamp(const rp_lamp_spec *lamp, rp_vec3 from, const double pick[2]);

/* From any light to 0 … 1, as film does: soft in the highlights, deep in the shadows. */
rp_vec3 rp_light_tone(rp_vec3 light);
/* The curve alone, of one colour. */
double rp_light_tone_level(double light);

static inline double rp_brightness(rp_vec3 c)
{
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

static inline rp_vec3 rp_colour_mul(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* By comparison: fmin and fmax are calls, because they treat NaN with care. */
static inline double rp_clamp_unit(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static inline double rp_smooth_step(double low, double high, double x)
{
    double t = rp_clamp_unit((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}

/* A point of the unit disc, evenly picked by two numbers from 0 to 1. */
void rp_light_pick_disc(const double pick[2], double at[2]);
/* A unit vector about `normal`, picked as often as a matt surface sends light there. */
rp_vec3 rp_light_pick_about(rp_vec3 normal, const double pick[2]);

#endif
