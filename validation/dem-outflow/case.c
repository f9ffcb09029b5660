/* Tetrahedra run out of a cone at an even rate, the slower the more friction they have. */
#include "base/report.h"
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define SHARE_LIMIT 99.5                     /* per cent of the variance */
#define HALVES_LIMIT (c->quick ? 10.0 : 5.0) /* per cent of the rate */
#define SLOWER 0.97
#define WALL 0.5 /* friction of grains on the cone */
#define FROM 0.25
#define TO 0.7
#define RUNS_MAX 4

static rp_code run_out(rp_case_context *c, double friction, rp_outflow *flow)
{
    char among[32], wall[32];
    snprintf(among, sizeof among, "%g", friction);
    snprintf(wall, sizeof wall, "%g", friction > 0 ? fmin(10, WALL * WALL / friction) : WALL);
    const rp_setting settings[] = {
        {"materials.stone.friction", among},        {"bodies.cone.friction", wall},
        {"sources.fill.radius", "51.5 cm"},         {"sources.fill.height", "51.5 cm"},
        {"sources.fill.position", "[0, 0, 48 cm]"}, {"bodies.cone.neck", "4.5 cm"},
        {"bodies.cone.radius", "64.5 cm"},          {"bodies.cone.height", "60 cm"},
    };
    rp_trial trial;
    rp_case_progress(c, "friction %g", friction);
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 2 : 8, &trial);
    if (code == RP_OK)
        code = rp_outflow_watch(c, trial.world, c->quick ? 0.01 : 0.05, TO + 0.02,
                                c->quick ? 3 : 19, flow);
    if (code == RP_OK) rp_outflow_fit(flow, FROM, TO);
    rp_trial_end(&trial);
    return code;
}

static void judge(rp_case_context *c, double friction, const rp_outflow *flow)
{
    char what[96];
    snprintf(what, sizeof what, "friction %g: share of the line", friction);
    rp_judge_at_least(c, what, 100 * flow->share, SHARE_LIMIT, "%");
    snprintf(what, sizeof what, "friction %g: second half - first half", friction);
    rp_judge_near(c, what, 100 * (flow->second - flow->first) / flow->rate, 0, HALVES_LIMIT, "%");
    rp_case_note(c, "friction %g: %.4g kg/s, %zu grains", friction, flow->rate, flow->grains);
}

static rp_code run(rp_case_context *c)
{
    static rp_outflow flows[RUNS_MAX];
    static const double quick[] = {0.1, 0.3, 0.9}, full[] = {0, 0.3, 0.6, 0.9};
    const double *frictions = c->quick ? quick : full;
    int count = c->quick ? 3 : 4;
    rp_figure *figure = rp_case_figure(c, "Grains left in a cone", "time [s]", "mass [kg]");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    for (int i = 0; i < count; i++) {
        double left[RP_OUTFLOW_SAMPLES];
        char name[64];
        RP_TRY(run_out(c, frictions[i], &flows[i]));
        judge(c, frictions[i], &flows[i]);
        for (int k = 0; k < flows[i].count; k++)
            left[k] = flows[i].mass - flows[i].passed[k];
        snprintf(name, sizeof name, "friction %g", frictions[i]);
        rp_figure_add(figure, name, RP_PLOT_LINE, flows[i].time, left, NULL,
                      (size_t)flows[i].count);
        if (i == 0) continue;
        snprintf(name, sizeof name, "rate at friction %g / at %g", frictions[i], frictions[i - 1]);
        rp_judge_at_most(c, name, flows[i].rate / flows[i - 1].rate, SLOWER, "");
    }
    return RP_OK;
}

const rp_case rp_case_dem_outflow = {"dem-outflow", "Grains flow out of a cone at a constant rate",
                                     run};
