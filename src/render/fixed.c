#include "render/fixed.h"
#include "base/memory.h"
#include "render/solid.h"
#include "scene/scene.h"
#include "view/view.h"

#include <string.h>

/* Of a plane: more are finer than pixels. */
#define BALLS_MAX 1e6
#define SIDE_BOTTOM 4 /* place in RP_SIDE_WORDS */

/* Balls of one surface in the making. */
typedef struct laying {
    rp_fixed_balls *fixed;
    rp_pose pose;
    double radius; /* m */
    int body;
    bool full; /* memory ran out */
} laying;

static void add_ball(void *user, rp_fixed_grain number, rp_vec3 place)
{
    laying *l = user;
    rp_fixed_balls *f = l->fixed;
    (void)number;
    bool fits = rp_reserve((void **)&f->balls, &f->ball_capacity, f->count, f->count + 1,
                           sizeof *f->balls) &&
                rp_reserve((void **)&f->bodies, &f->body_capacity, f->count, f->count + 1,
                           sizeof *f->bodies);
    if (!fits || l->full) {
        l->full = true;
        return;
    }
    rp_vec3 at = rp_v3_sub(rp_pose_to_world(l->pose, place), f->middle);
    float *ball = f->balls[f->count];
    ball[0] = (float)at.x;
    ball[1] = (float)at.y;
    ball[2] = (float)at.z;
    ball[3] = (float)l->radius;
    f->bodies[f->count++] = l->body;
}

static rp_code add_rough(rp_fixed_balls *fixed, const rp_rough_surface *rough, rp_pose pose,
                         int body, double reach, rp_report *report)
{
    laying l = {fixed, pose, rough->radius, body, false};
    double across = 2 * reach / rough->roughness.period;
    if (!(rough->radius > 0)) return RP_OK;
    for (size_t i = 0; i < rough->point_count; i++)
        add_ball(&l, (rp_fixed_grain){0, 0}, rough->points[i]);
    if (rough->plane && across * across <= BALLS_MAX)
        rp_rough_surface_near(rough, rp_pose_to_local(pose, fixed->middle), reach, add_ball, &l);
    if (!l.full) return RP_OK;
    return rp_fail_memory(report, fixed->count * sizeof *fixed->balls, "fixed grains");
}

static rp_code add_floor(rp_fixed_balls *fixed, const rp_scene *scene, double reach,
                         rp_threads *threads, rp_report *report)
{
    rp_rough_surface rough;
    rp_vec3 foot, inward;
    rp_code code = rp_scene_rough_wall(scene, SIDE_BOTTOM, reach, threads, &rough, report);
    rp_scene_domain_wall(&scene->domain, SIDE_BOTTOM, &foot, &inward);
    if (code == RP_OK)
        code = add_rough(fixed, &rough, rp_scene_wall_pose(foot, inward), -1, reach, report);
    rp_rough_surface_release(&rough);
    return code;
}

rp_code rp_fixed_gather(rp_fixed_balls *fixed, const rp_view *view, const rp_scene *scene,
                        rp_vec3 middle, double reach, rp_threads *threads, rp_report *report)
{
    rp_code code = RP_OK;
    *fixed = (rp_fixed_balls){.middle = middle};
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++) {
        rp_rough_surface rough;
        if (rp_scene_bodies(scene)[i].hidden || !rp_view_has_body(view, i)) continue;
        code = rp_scene_rough_body(scene, i, reach, threads, &rough, report);
        if (code == RP_OK)
            code = add_rough(fixed, &rough, rp_solid_pose(view, scene, i), i, reach, report);
        rp_rough_surface_release(&rough);
    }
    return code == RP_OK ? add_floor(fixed, scene, reach, threads, report) : code;
}

void rp_fixed_release(rp_fixed_balls *fixed)
{
    rp_release(fixed->balls, fixed->ball_capacity * sizeof *fixed->balls);
    rp_release(fixed->bodies, fixed->body_capacity * sizeof *fixed->bodies);
    memset(fixed, 0, sizeof *fixed);
}
