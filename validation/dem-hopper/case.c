/* Glass beads run out of the slot of a flat-bottomed hopper, beside a published discharge. */
#include "base/report.h"
#include "validation/grains.h"

#include <math.h>

#define RATE 80.1 /* g/s, of the published curve from 10 to 70 g */
#define RATE_LIMIT (c->quick ? 12.0 : 8.0)
#define LEFT 9.2 /* g, what had not run out in the end */
#define LEFT_LIMIT 2.0
#define SHARE_LIMIT 99.5 /* per cent of the variance */
#define OPEN 0.5         /* s, the plug begins to go */
#define LAST 2.24        /* s after that, the end of the published curve */
#define BETWEEN 0.02     /* s, between measurements */
#define FROM 0.1         /* of all grains: where the rate is taken */
#define TO (c->quick ? 0.45 : 0.7)

/* The curve of the base case, read from the paper's figure: s, g. */
static const double times[] = {0,       0.07792, 0.14211, 0.20589, 0.26721, 0.33346, 0.39929,
                               0.46142, 0.52397, 0.58611, 0.65194, 0.71737, 0.78279, 0.85027,
                               0.92801, 1.01438, 1.13937, 1.46643, 2.24361};
static const double masses[] = {0,      5.254,  10.503, 15.672, 21.084, 26.292, 31.4,
                                36.69,  41.939, 47.209, 52.499, 57.809, 62.937, 68.187,
                                73.476, 78.745, 84.073, 89.19,  90.719};

static rp_code run_out(rp_case_context *c, rp_outflow *flow)
{
    static const rp_setting quick[] = {
        {"domain.low", "[-36 mm, 0, -10 cm]"},
        {"domain.high", "[36 mm, 5.6 mm, 50 cm]"},
        {"sources.fill.size", "[71.5 mm, 5.6 mm, 92 mm]"},
        {"sources.fill.position", "[0, 2.8 mm, 47.2 mm]"},
    };
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "scene.yaml", quick, c->quick ? 4 : 0, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, OPEN, 10);
    if (code == RP_OK)
        code = rp_outflow_watch(c, trial.world, BETWEEN, c->quick ? TO + 0.02 : 1, LAST, flow);
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    static rp_outflow flow;
    static double passed[RP_OUTFLOW_SAMPLES];
    RP_TRY(run_out(c, &flow));
    rp_outflow_fit(&flow, FROM, TO);
    rp_judge_near(c, "discharge", 1000 * flow.rate, RATE, RATE_LIMIT, "g/s");
    rp_judge_at_least(c, "share of the line", 100 * flow.share, SHARE_LIMIT, "%");
    if (!c->quick) rp_judge_near(c, "left in the corners", 1000 * flow.left, LEFT, LEFT_LIMIT, "g");
    rp_case_note(c, "%zu spheres, %.4g g", flow.grains, 1000 * flow.mass);
    for (int i = 0; i < flow.count; i++)
        passed[i] = 1000 * flow.passed[i];
    rp_figure *figure = rp_case_figure(c, "What ran out of the slot", "time [s]", "mass [g]");
    rp_figure_add(figure, "measured", RP_PLOT_LINE, flow.time, passed, NULL, (size_t)flow.count);
    rp_figure_add(figure, "Anand and others 2008", RP_PLOT_POINTS, times, masses, NULL,
                  sizeof times / sizeof *times);
    return RP_OK;
}

const rp_case rp_case_dem_hopper = {"dem-hopper", "Discharge of a hopper with a slot, as published",
                                    run};
