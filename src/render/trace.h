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

/* What one sample sees. */
typedef struct rp_seen {
    rp_vec3 light; /* to be toned */
    rp_vec3 chart; /* to be shown as it is; black where there is no chart */
    bool is_chart;
} rp_seen;

/* Of the sample whose numbers the dice give; (px, py) is the pixel's upper left corner. */
rp_seen rp_trace(const rp_tracing *tracing, int px, int py, rp_dice *dice);

#endif
