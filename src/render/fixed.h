/* Grains that are fixed on the surfaces of rough bodies and floors, as balls of their colour
 * (P14a).
 */
#ifndef RP_RENDER_FIXED_H
#define RP_RENDER_FIXED_H

#include "base/threads.h"
#include "render/rays.h"
#include "repose/scene.h"
#include "repose/view.h"

typedef struct rp_fixed_balls {
    rp_quad *balls;  /* relative to the scenery's middle */
    int32_t *bodies; /* of each; -1: the floor */
    size_t count, ball_capacity, body_capacity;
    rp_vec3 middle; /* m, of the scenery */
} rp_fixed_balls;

/* Those of bodies that are not hidden and of the domain's bottom; of planes what is nearer to the
 * middle than `reach`. None of the other walls, which are not drawn, and none that are too many to
 * be told apart. Release them, also after a fault. */
rp_code rp_fixed_gather(rp_fixed_balls *fixed, const rp_view *view, const rp_scene *scene,
                        rp_vec3 middle, double reach, rp_threads *threads, rp_report *report);
void rp_fixed_release(rp_fixed_balls *fixed);

#endif
