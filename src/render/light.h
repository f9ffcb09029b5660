/* Light: a sun with a shadow map, a sky of many faint suns, and what comes back from the ground.
 * Colours are linear; an rp_vec3 holds red, green and blue. */
#ifndef RP_RENDER_LIGHT_H
#define RP_RENDER_LIGHT_H

#include "render/shadow.h"
#include "scene/scene.h"

#define RP_SKY_SUNS 32
/* The suns of the sky are dealt out to this many hands; each of the samples of a pixel looks at one
 * hand, the pixel as a whole at all of them. */
#define RP_SKY_HANDS 4

typedef struct rp_lighting {
    rp_shadow_map maps[1 + RP_SKY_SUNS]; /* the sun's first */
    rp_vec3 to_sun;
    rp_vec3 sun; /* colour times strength */
    rp_vec3 to_sky[RP_SKY_SUNS];
    rp_vec3 sky[RP_SKY_SUNS]; /* colour times strength */
    double sky_strength;
    double sun_share; /* what the ground and grains send back of the sun */
} rp_lighting;

/* A point to be lit. */
typedef struct rp_lit_point {
    rp_vec3 position; /* m */
    rp_vec3 normal;   /* unit */
    rp_vec3 to_eye;   /* unit */
    rp_vec3 albedo;   /* part of the light that comes back */
    double gloss;     /* strength of the highlight, 0 to 1 */
    int hand;         /* of the sky, 0 to RP_SKY_HANDS - 1 */
    double turn[2];   /* 0 to 1, others for each sample; hides the grain of the maps */
} rp_lit_point;

rp_code rp_lighting_create(rp_lighting *lighting, const rp_light_spec *spec,
                           const rp_shadow_casters *casters, rp_threads *threads,
                           rp_report *report);
/* Also after a fault. */
void rp_lighting_release(rp_lighting *lighting);

/* The light from a point towards the eye. */
rp_vec3 rp_light_point(const rp_lighting *lighting, const rp_lit_point *point);
/* The sky, or the haze below the horizon, in a unit direction. */
rp_vec3 rp_light_background(const rp_lighting *lighting, rp_vec3 direction);

/* From any light to 0 … 1, as film does: soft in the highlights, deep in the shadows. */
rp_vec3 rp_tone(rp_vec3 light);

static inline rp_vec3 rp_colour_mul(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline rp_vec3 rp_colour_mix(rp_vec3 a, rp_vec3 b, double t)
{
    return rp_v3_madd(rp_v3_scale(a, 1 - t), t, b);
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

#endif
