/* A grain that bounces on a floor rises to the height that its restitution allows. */
#include "validation/validation.h"

#include <math.h>

#define RADIUS 0.005       /* m */
#define EXPECTED_RISE 0.64 /* m: restitution squared times one metre */
#define RISE_LIMIT 2e-3    /* m */
#define DRIFT_LIMIT 1e-6   /* m/s */
#define TIME_TO_FLOOR 0.46 /* s, a little after it hits */
#define TIME_END 1.2       /* s, before it hits again */

static rp_code highest_after_bounce(rp_world *world, double *rise, double *drift, rp_report *report)
{
    rp_view view;
    rp_code code = rp_world_run_to(world, TIME_TO_FLOOR, report);
    *rise = 0;
    while (code == RP_OK && rp_world_time(world) < TIME_END) {
        rp_world_view(world, &view);
        if (view.count != 1) return RP_ERROR_FAILED;
        *rise = fmax(*rise, view.z[0] - RADIUS);
        *drift = view.vx[0];
        code = rp_world_step(world, report);
    }
    return code;
}

static rp_code run(const char *folder, const rp_world_options *options, rp_verdict *verdicts,
                   int *count, rp_report *report)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    double rise = 0, drift = 0;
    rp_code code = rp_case_scene(folder, "bounce", &scene, report);
    if (code == RP_OK) code = rp_world_create(scene, options, &world, report);
    if (code == RP_OK) code = highest_after_bounce(world, &rise, &drift, report);
    if (code == RP_OK) {
        verdicts[(*count)++] =
            rp_judge("bounce", "height of the rebound", rise, EXPECTED_RISE, RISE_LIMIT, "m");
        verdicts[(*count)++] =
            rp_judge("bounce", "drift left after the bounce", drift, 0, DRIFT_LIMIT, "m/s");
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

const rp_case rp_case_bounce = {"bounce", run};
