/* Poured heaps have their angle of repose, whatever the number of grains. */
#include "base/report.h"
#include "measure/measure.h"
#include "validation/pile-angle/pile-angle.h"
#include "validation/sand.h"

#include <stdio.h>

#define LIMIT 3.0     /* degrees */
#define DURATION 38.7 /* s */
#define SPACINGS_MOST 3

typedef struct pile {
    double specified; /* degrees */
    double spacing;   /* m */
    rp_angle angle;
    double grains;
} pile;

static rp_code pour(rp_case_context *c, pile *p)
{
    char angle[32], spacing[32];
    snprintf(angle, sizeof angle, "%g deg", p->specified);
    snprintf(spacing, sizeof spacing, "%g m", p->spacing);
    const rp_setting settings[] = {
        {"materials.sand.angle", angle},
        {"particles.spacing", spacing},
    };
    rp_trial trial;
    rp_view view;
    rp_case_progress(c, "%g degrees, spacing %g cm", p->specified, 100 * p->spacing);
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, 2, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, DURATION, 387);
    if (code == RP_OK) {
        rp_world_view(trial.world, &view);
        p->grains = (double)view.count;
        code = rp_measure_angle(&view, trial.scene, &p->angle, c->report);
    }
    if (code == RP_OK)
        rp_case_note(c,
                     "%g degrees, %.0f grains: %.2f +- %.2f, height %.2f m, radius %.2f m, rms "
                     "speed %.2g mm/s, %.0f s",
                     p->specified, p->grains, p->angle.degrees, p->angle.uncertainty,
                     p->angle.height, p->angle.radius, 1000 * rp_sand_speed(&view),
                     rp_trial_seconds(&trial));
    rp_trial_end(&trial);
    return code;
}

static void judge(rp_case_context *c, const pile *p)
{
    char what[96];
    snprintf(what, sizeof what, "%g degrees specified, %.1f K grains", p->specified,
             p->grains / 1000);
    rp_judge_near(c, what, p->angle.degrees, p->specified, LIMIT, "deg");
}

static void draw(rp_figure *figure, const pile *piles, int count)
{
    double grains[SPACINGS_MOST], angle[SPACINGS_MOST], spread[SPACINGS_MOST];
    const double ends[] = {5e3, 6e5}, level[] = {piles[0].specified, piles[0].specified};
    char name[32];
    for (int i = 0; i < count; i++) {
        grains[i] = piles[i].grains;
        angle[i] = piles[i].angle.degrees;
        spread[i] = piles[i].angle.uncertainty;
    }
    snprintf(name, sizeof name, "specified %g deg", piles[0].specified);
    rp_figure_add(figure, name, RP_PLOT_POINTS, grains, angle, spread, (size_t)count);
    rp_figure_add(figure, "", RP_PLOT_DASHED, ends, level, NULL, 2);
}

rp_code rp_pour_piles(rp_case_context *c, const double *specified, int asked_count,
                      const double *spacings, int spacing_count)
{
    rp_figure *figure =
        rp_case_figure(c, "Slopes of poured heaps", "grains", "angle of the flank [deg]");
    rp_figure_set_flags(figure, RP_FIGURE_LOG_X | RP_FIGURE_ZERO_Y);
    for (int a = 0; a < asked_count; a++) {
        pile piles[SPACINGS_MOST] = {0};
        for (int s = 0; s < spacing_count && s < SPACINGS_MOST; s++) {
            piles[s] = (pile){.specified = specified[a], .spacing = spacings[s]};
            RP_TRY(pour(c, &piles[s]));
            judge(c, &piles[s]);
        }
        draw(figure, piles, spacing_count);
    }
    return RP_OK;
}

static rp_code run(rp_case_context *c)
{
    static const double specified[] = {20, 30, 40, 50}, spacings[] = {0.1, 0.05};
    return c->quick ? rp_pour_piles(c, specified + 1, 1, spacings, 1)
                    : rp_pour_piles(c, specified, 4, spacings, 2);
}

const rp_case rp_case_pile_angle = {"pile-angle", "Poured heaps have their angle of repose", run};
