/* Grains that touch nothing fly on parabolas. */
#include "validation/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POSITION_LIMIT 5e-5 /* m */
#define SPEED_LIMIT 5e-5    /* m/s */
#define TIME 1.0            /* s */
#define G 9.81              /* m/s2, downwards, as the scene says */

typedef struct start {
    float x[3], v[3];
} start;

/* Where every grain was, by its id. */
static start *remember(const rp_view *view)
{
    start *starts = calloc(view->count ? view->count : 1, sizeof *starts);
    for (size_t i = 0; starts && i < view->count; i++)
        starts[view->id[i]] =
            (start){{view->x[i], view->y[i], view->z[i]}, {view->vx[i], view->vy[i], view->vz[i]}};
    return starts;
}

static void compare(const rp_view *view, const start *starts, double *distance, double *speed)
{
    for (size_t i = 0; i < view->count; i++) {
        const start *s = &starts[view->id[i]];
        double fall = -G * TIME * TIME / 2;
        double dx = view->x[i] - (s->x[0] + s->v[0] * TIME);
        double dy = view->y[i] - (s->x[1] + s->v[1] * TIME);
        double dz = view->z[i] - (s->x[2] + s->v[2] * TIME + fall);
        double dvx = view->vx[i] - s->v[0], dvy = view->vy[i] - s->v[1],
               dvz = view->vz[i] - (s->v[2] - G * TIME);
        double off = sqrt(dx * dx + dy * dy + dz * dz);
        double wrong = sqrt(dvx * dvx + dvy * dvy + dvz * dvz);
        if (!(off <= *distance)) *distance = off; /* also when it is no number */
        if (!(wrong <= *speed)) *speed = wrong;
    }
}

static rp_code run(const char *folder, const rp_world_options *options, rp_verdict *verdicts,
                   int *count, rp_report *report)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    start *starts = NULL;
    rp_view view;
    rp_code code = rp_case_scene(folder, "free-flight", &scene, report);
    if (code == RP_OK) code = rp_world_create(scene, options, &world, report);
    if (code == RP_OK) {
        rp_world_view(world, &view);
        starts = remember(&view);
        code = starts ? rp_world_run_to(world, TIME, report) : RP_ERROR_MEMORY;
    }
    if (code == RP_OK) {
        double distance = 0, speed = 0;
        rp_world_view(world, &view);
        compare(&view, starts, &distance, &speed);
        verdicts[(*count)++] =
            rp_judge("free-flight", "grains that fly", (double)view.count, 1000, 0, "");
        verdicts[(*count)++] = rp_judge("free-flight", "largest distance from the parabola",
                                        distance, 0, POSITION_LIMIT, "m");
        verdicts[(*count)++] =
            rp_judge("free-flight", "largest error of a velocity", speed, 0, SPEED_LIMIT, "m/s");
    }
    free(starts);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

const rp_case rp_case_free_flight = {"free-flight", run};
