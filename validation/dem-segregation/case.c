/* A large ball rises through small ones when the box is shaken. */
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define START_LIMIT 35.0 /* per cent of the bed's height */
#define END_LIMIT 70.0
#define LAST 5       /* last shakes that are evaluated */
#define PERIOD 0.1   /* s */
#define STROKE 0.015 /* m */
#define BEGIN 0.5    /* s */
#define HALF 0.02    /* m, of the floor */
#define SHAKES_MAX 100
#define KEY 80 /* characters */

static void plan(char *keys, size_t size, int shakes)
{
    size_t used = (size_t)snprintf(keys, size, "[");
    for (int i = 0; i <= 2 * shakes; i++)
        used +=
            (size_t)snprintf(keys + used, size - used, "%s{time: %.6g, position: [0, 0, %.6g]}",
                             i ? ", " : "", BEGIN + PERIOD / 2 * i, (i % 2 ? STROKE : 0) - HALF);
    snprintf(keys + used, size - used, "]");
}

/* The ball's centre over the bed's surface, in per cent. */
static double height_of(const rp_trial *trial)
{
    rp_view view;
    rp_world_view(trial->world, &view);
    int nut = rp_scene_find_body(trial->scene, "nut");
    return 100 * view.bodies[nut].position[2] / (rp_grains_height(&view, 0.97) + 0.005);
}

static rp_code run(rp_case_context *c)
{
    static char keys[(2 * SHAKES_MAX + 2) * KEY];
    double shake[SHAKES_MAX + 1], height[SHAKES_MAX + 1], end = 0;
    int shakes = c->quick ? 30 : SHAKES_MAX;
    plan(keys, sizeof keys, shakes);
    const rp_setting settings[] = {{"bodies.floor.keys", keys}};
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, 1, &trial);
    for (int i = 0; i <= shakes && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial.world, BEGIN + PERIOD * i, i ? 1 : 5);
        shake[i] = i;
        height[i] = height_of(&trial);
        if (i > shakes - LAST) end = fmax(end, height[i]);
    }
    if (code == RP_OK) {
        rp_judge_at_most(c, "ball before", height[0], START_LIMIT, "%");
        rp_judge_at_least(c, "ball in the end", end, END_LIMIT, "%");
        rp_figure *figure = rp_case_figure(c, "A ball in a box that is shaken", "shakes",
                                           "its centre [% of the bed's height]");
        rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
        rp_figure_add(figure, "ball", RP_PLOT_LINE, shake, height, NULL, (size_t)shakes + 1);
    }
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_dem_segregation = {"dem-segregation", "A Brazil nut rises", run};
