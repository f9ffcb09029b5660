/* The light that comes along one ray of the camera. */
#ifndef RP_RENDER_TRACE_H
#define RP_RENDER_TRACE_H

#include "render/camera.h"
#include "render/dice.h"
#include "render/scenery.h"

typedef struct rp_tracing {
    const rp_scenery *scenery;
    rp_lighting lighting;
    rp_camera camera[2]; /* when the shutter opens and when it closes */
    bool moving;         /* the two differ, or grains or bodies move */
    bool draft;          /* sun and shadow alone */
} rp_tracing;

/* What one sample sees. Light to be toned comes in two parts, direct + albedo * incoming: what
 * sky and other surfaces send, `incoming`, takes most rays and has most noise, but changes slowly
 * along a surface. */
typedef struct rp_seen {
    rp_vec3 direct, albedo, incoming;
    rp_vec3 chart; /* to be shown as it is; black where there is no chart */
    bool is_chart;
    bool is_surface;  /* lit, of which the rest tells */
    rp_vec3 position; /* m, relative to the scenery's middle */
    rp_vec3 normal;
    double distance; /* m */
} rp_seen;

/* Rays to the sky of one sample: none, one, or as many as hide the noise of 16 samples. */
typedef enum rp_sky_rays { RP_SKY_NONE, RP_SKY_ONE, RP_SKY_MANY } rp_sky_rays;

/* Of the sample whose numbers the dice give; (px, py) is the pixel's upper left corner. */
rp_seen rp_trace(const rp_tracing *tracing, int px, int py, rp_sky_rays sky, rp_dice *dice);
/* Both parts together, and no more than one sample may have. */
rp_vec3 rp_seen_light(const rp_seen *seen);

#endif
