/* A grain that bounces on a floor rises to the height that its restitution allows. */
#include "validation/validation.h"

#include <math.h>

#define RADIUS 0.005       /* m */
#define EXPECTED_RISE 0.64 /* m: restitution squared times one metre */
#define RISE_LIMIT 2e-3    /* m */
#define DRIFT_LIMIT 1e-6   /* m/s */
#define TIME_TO_FLOOR 0.46 /* s, a little after it hits */
#define TIME_END 1.2       /* s, before it hits again */
#define SAMPLES 121        /* of the figure, a hundredth of a second apart */

typedef struct flight {
    double rise, drift; /* m, m/s: after the bounce */
    double time[SAMPLES], height[SAMPLES];
    int samples;
} flight;

static rp_code follow(rp_world *world, flight *f, rp_report *report)
{
    rp_code code = RP_OK;
    while (code == RP_OK && rp_world_time(world) < TIME_END) {
        rp_view view;
        rp_world_view(world, &view);
        if (view.count != 1) return RP_ERROR_FAILED;
        double height = view.z[0] - RADIUS;
        if (f->samples < SAMPLES && view.time >= 0.01 * f->samples) {
            f->time[f->samples] = view.time;
            f->height[f->samples++] = height;
        }
        if (view.time >= TIME_TO_FLOOR) {
            f->rise = fmax(f->rise, height);
            f->drift = view.vx[0];
        }
        code = rp_world_step(world, report);
    }
    return code;
}

static void draw(rp_case_context *c, const flight *f)
{
    const double span[] = {0, TIME_END}, level[] = {EXPECTED_RISE, EXPECTED_RISE};
    rp_figure *figure =
        rp_case_figure(c, "Height of a bouncing grain", "time [s]", "height of its lower side [m]");
    rp_figure_add(figure, "simulated", RP_PLOT_LINE, f->time, f->height, NULL, (size_t)f->samples);
    rp_figure_add(figure, "height of rebound, theory", RP_PLOT_DASHED, span, level, NULL, 2);
}

static rp_code run(rp_case_context *c)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    flight f = {.drift = NAN};
    rp_code code = rp_case_scene(c, "scene.yaml", NULL, 0, &scene);
    if (code == RP_OK) code = rp_world_create(scene, c->world, &world, c->report);
    if (code == RP_OK) code = follow(world, &f, c->report);
    if (code == RP_OK) {
        rp_judge_near(c, "height of the rebound", f.rise, EXPECTED_RISE, RISE_LIMIT, "m");
        rp_judge_near(c, "drift left after the bounce", f.drift, 0, DRIFT_LIMIT, "m/s");
        draw(c, &f);
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

const rp_case rp_case_bounce = {"bounce", "A grain bounces by restitution and friction", run};
