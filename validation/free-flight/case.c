/* Grains that touch nothing fly on parabolas. */
#include "validation/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POSITION_LIMIT 5e-5 /* m */
#define SPEED_LIMIT 5e-5    /* m/s */
#define TIME 1.0            /* s */
#define SAMPLES 20          /* of the figure */
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

static void compare(const rp_view *view, const start *starts, double time, double *distance,
                    double *speed)
{
    *distance = *speed = 0;
    for (size_t i = 0; i < view->count; i++) {
        const start *s = &starts[view->id[i]];
        double fall = -G * time * time / 2;
        double dx = view->x[i] - (s->x[0] + s->v[0] * time);
        double dy = view->y[i] - (s->x[1] + s->v[1] * time);
        double dz = view->z[i] - (s->x[2] + s->v[2] * time + fall);
        double dvx = view->vx[i] - s->v[0], dvy = view->vy[i] - s->v[1],
               dvz = view->vz[i] - (s->v[2] - G * time);
        double off = sqrt(dx * dx + dy * dy + dz * dz);
        double wrong = sqrt(dvx * dvx + dvy * dvy + dvz * dvz);
        if (!(off <= *distance)) *distance = off; /* also when it is no number */
        if (!(wrong <= *speed)) *speed = wrong;
    }
}

/* The largest errors at even times, the last of them at TIME. */
typedef struct errors {
    double time[SAMPLES + 1], distance[SAMPLES + 1], speed[SAMPLES + 1];
    double grains;
} errors;

static rp_code follow(rp_world *world, const start *starts, errors *e, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i <= SAMPLES && code == RP_OK; i++) {
        rp_view view;
        e->time[i] = TIME * i / SAMPLES;
        code = rp_world_run_to(world, e->time[i], report);
        rp_world_view(world, &view);
        compare(&view, starts, e->time[i], &e->distance[i], &e->speed[i]);
        e->grains = (double)view.count;
    }
    return code;
}

static void judge(rp_case_context *c, const errors *e)
{
    rp_judge_near(c, "grains that fly", e->grains, 1000, 0, "");
    rp_judge_at_most(c, "largest distance from the parabola", e->distance[SAMPLES], POSITION_LIMIT,
                     "m");
    rp_judge_at_most(c, "largest error of a velocity", e->speed[SAMPLES], SPEED_LIMIT, "m/s");
    rp_figure *figure = rp_case_figure(c, "Largest error of any of 1000 grains", "time [s]",
                                       "distance [m], velocity [m/s]");
    rp_figure_add(figure, "distance from the parabola", RP_PLOT_LINE, e->time, e->distance, NULL,
                  SAMPLES + 1);
    rp_figure_add(figure, "error of the velocity", RP_PLOT_LINE, e->time, e->speed, NULL,
                  SAMPLES + 1);
}

static rp_code run(rp_case_context *c)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    start *starts = NULL;
    errors e = {.grains = 0};
    rp_code code = rp_case_scene(c, "scene.yaml", NULL, 0, &scene);
    if (code == RP_OK) code = rp_world_create(scene, c->world, &world, c->report);
    if (code == RP_OK) {
        rp_view view;
        rp_world_view(world, &view);
        starts = remember(&view);
        code = starts ? follow(world, starts, &e, c->report) : RP_ERROR_MEMORY;
    }
    if (code == RP_OK) judge(c, &e);
    free(starts);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

const rp_case rp_case_free_flight = {"free-flight", "Grains that touch nothing fly on parabolas",
                                     run};
