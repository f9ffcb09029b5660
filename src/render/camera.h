/* Cameras: from the scene's words, or one that frames grains and bodies by itself. */
#ifndef RP_RENDER_CAMERA_H
#define RP_RENDER_CAMERA_H

#include "render/render.h"

/* A thin lens, or a pinhole. Camera space has x to the right, y down and z forward, as pixels have;
 * the ray through the point (px, py) of the picture is (u, v, 1) with u = (px - width / 2) pitch
 * and so on. */
typedef struct rp_camera {
    rp_vec3 position; /* m */
    rp_vec3 right, down, forward;
    double pitch; /* edge of a pixel at distance 1 */
    int width, height;
    double lens;    /* m, its radius; 0: a pinhole */
    double focus;   /* m along forward: what is there is sharp */
    double shutter; /* part of the time from frame to frame that it is open */
} rp_camera;

/* The camera of the options as it is at `time`: named, the scene's first, or automatic around
 * `framing`. */
rp_code rp_camera_choose(const rp_scene *scene, const rp_paint_options *options,
                         const rp_framing *framing, double time, rp_camera *out, rp_report *report);

/* From the world into camera space, and the ray through a point of the picture in the world, from
 * the middle of the lens. */
static inline rp_vec3 rp_camera_space(const rp_camera *camera, rp_vec3 world)
{
    rp_vec3 v = rp_v3_sub(world, camera->position);
    return rp_v3(rp_v3_dot(v, camera->right), rp_v3_dot(v, camera->down),
                 rp_v3_dot(v, camera->forward));
}

static inline rp_vec3 rp_camera_ray(const rp_camera *camera, double px, double py)
{
    double u = (px - 0.5 * camera->width) * camera->pitch;
    double v = (py - 0.5 * camera->height) * camera->pitch;
    return rp_v3_madd(rp_v3_madd(camera->forward, u, camera->right), v, camera->down);
}

#endif
