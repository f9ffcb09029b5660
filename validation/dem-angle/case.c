/* The angle of repose grows as a power of the friction. */
#include "base/report.h"
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define SHARE_LIMIT 90.0 /* per cent of the variance */
#define POWER 0.27
#define POWER_LIMIT 0.2
#define LOWEST 5.0    /* degrees */
#define HIGHEST 50.0  /* degrees */
#define DIAMETER 0.01 /* m */
#define PLATE 0.9     /* friction of grains on the plate */
#define REST 5e-3     /* m/s */
#define RUNS_MAX 6
#define CURVE 60

typedef struct ridge {
    double friction, angle, left, right; /* degrees */
} ridge;

static double flank(const rp_view *view, double edge, bool right)
{
    double near = DIAMETER, far = edge - DIAMETER / 2;
    return right ? rp_grains_slope(view, near, far, DIAMETER, NULL)
                 : -rp_grains_slope(view, -far, -near, DIAMETER, NULL);
}

static rp_code heap(rp_case_context *c, ridge *r)
{
    char friction[32], plate[32];
    snprintf(friction, sizeof friction, "%g", r->friction);
    snprintf(plate, sizeof plate, "%g", PLATE * PLATE / r->friction);
    const rp_setting settings[] = {
        {"materials.stone.friction", friction},
        {"bodies.plate.friction", plate},
        {"bodies.plate.size", "[48 cm, 1 m, 2 cm]"},
        {"sources.fill.size", "[47 cm, 13.44 cm, 52 cm]"},
        {"sources.fill.position", "[0, 0, 26.7 cm]"},
        {"domain.low", "[-70 cm, -6.72 cm, -4 cm]"},
        {"domain.high", "[70 cm, 6.72 cm, 1 m]"},
        {"bodies.left.keys", "[{time: 0.6 s, position: [-25 cm, 0, 45 cm]}, "
                             "{time: 0.7 s, position: [-1 m, 0, 45 cm]}]"},
        {"bodies.right.keys", "[{time: 0.6 s, position: [25 cm, 0, 45 cm]}, "
                              "{time: 0.7 s, position: [1 m, 0, 45 cm]}]"},
        {"materials.stone.young", "3 MPa"},
        {"grains.stone.shape", "tetrahedron"},
        {"materials.stone.rolling_friction", "0"},
    };
    rp_trial trial;
    rp_view view;
    rp_case_progress(c, "friction %g", r->friction);
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 2 : 12, &trial);
    if (code == RP_OK) code = rp_grains_settle(c, trial.world, REST, c->quick ? 0.8 : 2, 4);
    if (code == RP_OK) {
        rp_world_view(trial.world, &view);
        r->left = flank(&view, c->quick ? 0.12 : 0.24, false);
        r->right = flank(&view, c->quick ? 0.12 : 0.24, true);
        r->angle = (r->left + r->right) / 2;
        rp_case_note(c, "friction %g: %.3g degrees (%.3g, %.3g), %zu grains, %.2g mm/s at %.3g s",
                     r->friction, r->angle, r->left, r->right, view.count,
                     1000 * rp_sand_speed(&view), view.time);
    }
    rp_trial_end(&trial);
    return code;
}

static void judge(rp_case_context *c, const double *friction, const double *angle, int count)
{
    double lowest = INFINITY, highest = 0, rise = INFINITY, x[CURVE], y[CURVE];
    rp_power law = rp_power_through(friction, angle, count);
    for (int i = 0; i < count; i++) {
        lowest = fmin(lowest, angle[i]);
        highest = fmax(highest, angle[i]);
        if (i) rise = fmin(rise, angle[i] - angle[i - 1]);
    }
    for (int i = 0; i < CURVE; i++) {
        x[i] = friction[0] + (friction[count - 1] - friction[0]) * i / (CURVE - 1);
        y[i] = law.factor * pow(x[i], law.power);
    }
    rp_judge_at_least(c, "share of the power law", 100 * law.share, SHARE_LIMIT, "%");
    rp_judge_near(c, "power", law.power, POWER, POWER_LIMIT, "");
    rp_judge_at_least(c, "smallest angle", lowest, LOWEST, "deg");
    rp_judge_at_most(c, "largest angle", highest, HIGHEST, "deg");
    rp_judge_at_least(c, "least rise from friction to friction", rise, 0, "deg");
    rp_case_note(c, "angle = %.3g degrees times friction to the power %.3g", law.factor, law.power);
    rp_figure *figure =
        rp_case_figure(c, "Angle of repose", "friction among grains", "angle [deg]");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, friction, angle, NULL, (size_t)count);
    rp_figure_add(figure, "power law", RP_PLOT_LINE, x, y, NULL, CURVE);
}

static rp_code run(rp_case_context *c)
{
    static const double quick[] = {0.1, 0.2, 0.4, 0.9}, full[] = {0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
    const double *specified = c->quick ? quick : full;
    double friction[RUNS_MAX], angle[RUNS_MAX];
    int count = c->quick ? 4 : 6;
    for (int i = 0; i < count; i++) {
        ridge r = {.friction = specified[i]};
        RP_TRY(heap(c, &r));
        friction[i] = r.friction;
        angle[i] = r.angle;
    }
    judge(c, friction, angle, count);
    return RP_OK;
}

const rp_case rp_case_dem_angle = {"dem-angle", "The angle of repose against friction", run};
