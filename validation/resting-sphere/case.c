/* Balls of all densities come to rest on sand, which carries their weight. */
#include "base/report.h"
#include "validation/bodies.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81     /* m/s2 */
#define SURFACE 0.32     /* m, of the bed */
#define RADIUS 0.1       /* m */
#define SAND 1600.0      /* kg/m3 */
#define STILL_LIMIT 1e-4 /* m; 0.1 % of the radius */
#define FORCE_LIMIT 0.02 /* of the weight */
#define TIME_END 4.5     /* s */
#define WATCH 2.0        /* s, at the end */
#define BETWEEN 0.02     /* s, of instants */
#define SAMPLES 256
#define BALLS 5

typedef struct rest {
    double time[SAMPLES], depth[SAMPLES], lift[SAMPLES]; /* s; m; of the weight */
    int count;
} rest;

static rp_code watch(rp_case_context *c, const rp_trial *trial, rest *r)
{
    int ball = rp_scene_find_body(trial->scene, "ball");
    double weight = GRAVITY * rp_spec_mass(trial->scene, ball).mass;
    rp_code code = RP_OK;
    for (int i = 0; i < SAMPLES && BETWEEN * i < TIME_END + BETWEEN / 2 && code == RP_OK; i++) {
        rp_view view;
        code = rp_case_run_to(c, trial->world, BETWEEN * i, 1);
        rp_world_view(trial->world, &view);
        r->time[r->count] = view.time;
        r->depth[r->count] = SURFACE + RADIUS - view.bodies[ball].position[2];
        r->lift[r->count++] = view.bodies[ball].force[2] / weight;
    }
    return code;
}

static void judge(rp_case_context *c, const rest *r, const char *name)
{
    char what[160];
    double low = INFINITY, high = -INFINITY, mean = 0, worst = 0;
    int first = r->count - (int)lround(WATCH / BETWEEN) - 1;
    for (int i = first; i < r->count; i++) {
        low = fmin(low, r->depth[i]);
        high = fmax(high, r->depth[i]);
        mean += r->lift[i] / (r->count - first);
        worst = fmax(worst, fabs(r->lift[i] - 1));
    }
    snprintf(what, sizeof what, "%s: change of depth in the last %g s", name, WATCH);
    rp_judge_at_most(c, what, 1000 * (high - low), 1000 * STILL_LIMIT, "mm");
    snprintf(what, sizeof what, "%s: force / weight at the end", name);
    rp_judge_near(c, what, r->lift[r->count - 1], 1, FORCE_LIMIT, "");
    snprintf(what, sizeof what, "%s: force / weight, mean", name);
    rp_judge_near(c, what, mean, 1, FORCE_LIMIT, "");
    rp_case_note(c, "%s: %.1f mm deep; force off by %.2g of the weight at the worst instant", name,
                 1000 * r->depth[r->count - 1], worst);
}

/* Gives the depth where it ended. */
static rp_code rest_one(rp_case_context *c, double ratio, bool dropped, rp_figure *figure,
                        double *depth)
{
    static rest r;
    char density[32], name[64];
    snprintf(density, sizeof density, "%g", ratio * SAND);
    snprintf(name, sizeof name, "%s, %g times sand", dropped ? "dropped" : "set", ratio);
    const rp_setting settings[] = {
        {"bodies.ball.density", density},
        {"bodies.ball.position", dropped ? "[0, 0, 50 cm]" : "[0, 0, 42 cm]"},
        {"particles.spacing", "4 cm"}};
    rp_trial trial;
    r = (rest){0};
    rp_case_progress(c, "%s", name);
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 3 : 2, &trial);
    if (code == RP_OK) code = watch(c, &trial, &r);
    if (code == RP_OK) {
        judge(c, &r, name);
        *depth = r.depth[r.count - 1];
        rp_figure_add(figure, name, RP_PLOT_LINE, r.time, r.depth, NULL, (size_t)r.count);
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code rest_all(rp_case_context *c, bool dropped, rp_figure *figure)
{
    static const double ratios[BALLS] = {0.1, 0.3, 1, 3, 10};
    int first = c->quick ? 1 : 0, last = c->quick ? 3 : 4;
    const char *how = dropped ? "dropped" : "set";
    double depth[BALLS], least = INFINITY;
    char what[160];
    rp_code code = RP_OK;
    for (int i = first; i <= last && code == RP_OK; i++)
        code = rest_one(c, ratios[i], dropped, figure, &depth[i]);
    RP_TRY(code);
    for (int i = first; i < last; i++)
        least = fmin(least, depth[i + 1] - depth[i]);
    snprintf(what, sizeof what, "%s: height of the lightest's centre above sand", how);
    rp_judge_at_least(c, what, 1000 * (RADIUS - depth[first]), 0, "mm");
    snprintf(what, sizeof what, "%s: least growth of depth to the next denser", how);
    rp_judge_at_least(c, what, 1000 * least, 0, "mm");
    return code;
}

static rp_code run(rp_case_context *c)
{
    rp_figure *figure =
        rp_case_figure(c, "Balls on sand", "time [s]", "depth of the lowest point [m]");
    rp_code code = rest_all(c, false, figure);
    return code == RP_OK ? rest_all(c, true, figure) : code;
}

const rp_case rp_case_resting_sphere = {"resting-sphere", "Sand supports balls of any density",
                                        run};
