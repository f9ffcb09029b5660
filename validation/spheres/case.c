/* Sand carries three balls that are tossed into it: figure 5 of the paper of 2013. */
#include "validation/bodies.h"

#include <math.h>

#define SURFACE 0.35     /* m, of the pool */
#define RADIUS 0.12      /* m */
#define STILL_LIMIT 1e-3 /* m */
#define TIME_END 3.0     /* s */
#define WATCH 1.0        /* s, at the end */
#define BETWEEN 0.02     /* s, of instants */
#define SAMPLES 151
#define BALLS 3

static const char *const names[BALLS] = {"light", "even", "heavy"};

typedef struct toss {
    double time[SAMPLES], height[BALLS][SAMPLES]; /* s; m, of the middles */
    int count;
} toss;

static rp_code watch(rp_case_context *c, const rp_trial *trial, toss *t)
{
    rp_code code = RP_OK;
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        rp_view view;
        code = rp_case_run_to(c, trial->world, TIME_END * i / (SAMPLES - 1), 1);
        rp_world_view(trial->world, &view);
        for (int k = 0; k < BALLS; k++) {
            int body = rp_scene_find_body(trial->scene, names[k]);
            t->height[k][t->count] = view.bodies[body].position[2];
        }
        t->time[t->count++] = view.time;
    }
    return code;
}

static double change(const toss *t, int ball)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = t->count - 1 - (int)lround(WATCH / BETWEEN); i < t->count; i++) {
        low = fmin(low, t->height[ball][i]);
        high = fmax(high, t->height[ball][i]);
    }
    return high - low;
}

static void judge(rp_case_context *c, const toss *t)
{
    int last = t->count - 1;
    rp_judge_at_most(c, "densest: change of height in the last second", 1000 * change(t, 2),
                     1000 * STILL_LIMIT, "mm");
    rp_judge_at_least(c, "lightest: centre above the pool's surface",
                      1000 * (t->height[0][last] - SURFACE), 0, "mm");
    rp_judge_at_least(c, "densest: lowest point above the ground",
                      1000 * (t->height[2][last] - RADIUS), 0, "mm");
    for (int k = 0; k < BALLS; k++)
        rp_case_note(c, "%s: lowest point %.1f mm below the surface; changed by %.3g mm", names[k],
                     1000 * (SURFACE + RADIUS - t->height[k][last]), 1000 * change(t, k));
}

static rp_code run(rp_case_context *c)
{
    static toss t;
    const rp_setting coarse = {"particles.spacing", "3 cm"};
    rp_figure *figure =
        rp_case_figure(c, "Balls tossed into sand", "time [s]", "height of the centre [m]");
    rp_trial trial;
    t = (toss){0};
    rp_code code = rp_trial_begin(c, "scene.yaml", &coarse, c->quick ? 1 : 0, &trial);
    if (code == RP_OK) code = watch(c, &trial, &t);
    if (code == RP_OK) judge(c, &t);
    for (int k = 0; k < BALLS; k++)
        rp_figure_add(figure, names[k], RP_PLOT_LINE, t.time, t.height[k], NULL, (size_t)t.count);
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_spheres = {"spheres", "Sand supports three balls, the light one on top", run};
