/* Beverloo's law: the rate of a silo against the diameter of its hole. */
#include "base/report.h"
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define C_EXPECTED 0.58
#define C_LIMIT (c->quick ? 0.12 : 0.07)
#define K_EXPECTED 1.4
#define K_LIMIT (c->quick ? 0.5 : 0.3)
#define SHARE_LIMIT 99.0 /* per cent of the variance */
#define DIAMETER 0.01    /* m */
#define OPEN 0.5         /* s, the plug begins to go */
#define FROM 0.1
#define TO 0.35
#define HOLES_MAX 5
#define CURVE 60
#define PI 3.14159265358979

typedef struct silo {
    double radius;             /* m */
    double hole[HOLES_MAX];    /* m */
    double rate[HOLES_MAX];    /* kg/s */
    double density[HOLES_MAX]; /* kg/m3 */
    double root[HOLES_MAX];    /* rate^(2/5) */
    int count;
    double bulk; /* kg/m3, the mean */
    double c, k, share;
} silo;

/* Of the packing between two heights, by the grains' middles. */
static double density_of(const rp_view *view, double radius)
{
    double low = 2 * DIAMETER, high = rp_grains_height(view, 0.99) - 3 * DIAMETER, mass = 0;
    for (size_t i = 0; i < view->count; i++)
        if (view->z[i] > low && view->z[i] < high) mass += (double)view->mass[i];
    return mass / (PI * radius * radius * (high - low));
}

static rp_code run_out(rp_case_context *c, silo *s, int i, rp_outflow *flow)
{
    char neck[32];
    snprintf(neck, sizeof neck, "%g m", s->hole[i] / 2);
    const rp_setting settings[] = {
        {"bodies.floor.neck", neck},        {"bodies.floor.radius", "20 cm"},
        {"bodies.wall.radius", "20 cm"},    {"bodies.wall.neck", "20 cm"},
        {"bodies.plug.radius", "22 cm"},    {"sources.fill.radius", "19.9 cm"},
        {"sources.fill.height", "100 cm"},  {"sources.fill.position", "[0, 0, 51.6 cm]"},
        {"materials.bead.young", "10 MPa"},
    };
    rp_trial trial;
    rp_view view;
    rp_case_progress(c, "hole of %g diameters", s->hole[i] / DIAMETER);
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 1 : 9, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, OPEN, 10);
    if (code == RP_OK) {
        rp_world_view(trial.world, &view);
        s->density[i] = density_of(&view, s->radius);
        code = rp_outflow_watch(c, trial.world, 0.02, TO + 0.02, c->quick ? 4 : 8, flow);
    }
    if (code == RP_OK) {
        rp_outflow_fit(flow, FROM, TO);
        s->rate[i] = flow->rate;
        rp_case_note(c, "D = %g d: %.4g kg/s, density %.4g kg/m3, %zu grains, line %.4g %%",
                     s->hole[i] / DIAMETER, s->rate[i], s->density[i], flow->grains,
                     100 * flow->share);
    }
    rp_trial_end(&trial);
    return code;
}

static void fit(silo *s)
{
    s->bulk = 0;
    for (int i = 0; i < s->count; i++) {
        s->root[i] = pow(s->rate[i], 0.4);
        s->bulk += s->density[i] / s->count;
    }
    rp_line line = rp_line_through(s->hole, s->root, s->count);
    s->share = line.share;
    s->k = -line.offset / line.slope / DIAMETER;
    s->c = pow(line.slope, 2.5) / (s->bulk * sqrt(RP_EARTH));
}

static void judge(rp_case_context *c, const silo *s)
{
    double hole[CURVE], law[CURVE], fitted[CURVE], in_d[HOLES_MAX];
    rp_judge_at_least(c, "share of the line", 100 * s->share, SHARE_LIMIT, "%");
    rp_judge_near(c, "C", s->c, C_EXPECTED, C_LIMIT, "");
    rp_judge_near(c, "k", s->k, K_EXPECTED, K_LIMIT, "");
    for (int i = 0; i < s->count; i++)
        in_d[i] = s->hole[i] / DIAMETER;
    for (int i = 0; i < CURVE; i++) {
        hole[i] = in_d[s->count - 1] * i / (CURVE - 1);
        double unit = s->bulk * sqrt(RP_EARTH) * pow(DIAMETER, 2.5);
        law[i] = C_EXPECTED * unit * pow(fmax(0, hole[i] - K_EXPECTED), 2.5);
        fitted[i] = s->c * unit * pow(fmax(0, hole[i] - s->k), 2.5);
    }
    rp_figure *figure =
        rp_case_figure(c, "Rate of a silo", "hole / grain diameter", "mass per time [kg/s]");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, in_d, s->rate, NULL, (size_t)s->count);
    rp_figure_add(figure, "C and k fitted", RP_PLOT_LINE, hole, fitted, NULL, CURVE);
    rp_figure_add(figure, "C = 0.58, k = 1.4", RP_PLOT_DASHED, hole, law, NULL, CURVE);
}

static rp_code run(rp_case_context *c)
{
    static rp_outflow flow;
    silo s = {.radius = 0.07, .hole = {0.05, 0.06, 0.075, 0.09}, .count = 4};
    if (!c->quick) s = (silo){.radius = 0.2, .hole = {0.05, 0.07, 0.1, 0.14, 0.18}, .count = 5};
    rp_code code = RP_OK;
    for (int i = 0; i < s.count && code == RP_OK; i++)
        code = run_out(c, &s, i, &flow);
    RP_TRY(code);
    fit(&s);
    judge(c, &s);
    return RP_OK;
}

const rp_case rp_case_dem_beverloo = {"dem-beverloo", "Beverloo's law of outflow", run};
