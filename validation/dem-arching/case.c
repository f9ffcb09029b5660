/* A narrow hole jams, a wide one does not. */
#include "base/report.h"
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define PASSED_LIMIT 100.0         /* grains */
#define SPEED_LIMIT 1.0            /* mm/s */
#define WIDE_LIMIT 50.0            /* per cent */
#define ARCH_LIMIT 2.0             /* mean forces */
#define OPEN 0.5                   /* s */
#define WATCHED (c->quick ? 2 : 6) /* s; four times the grains go through the same hole */
#define NEAR 0.025                 /* m, distance from the centre of the hole */

/* The largest force near the hole over the mean of all. */
static double arch_of(const rp_view *view)
{
    double sum = 0, most = 0;
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *k = &view->contacts[i];
        double x = k->position[0], y = k->position[1], z = k->position[2];
        sum += (double)k->normal_force;
        if (sqrt(x * x + y * y + z * z) < NEAR) most = fmax(most, (double)k->normal_force);
    }
    return most * (double)view->contact_count / sum;
}

static rp_code watch(rp_case_context *c, const char *neck, rp_outflow *flow, double *arch)
{
    const rp_setting settings[] = {
        {"bodies.floor.neck", neck},      {"bodies.floor.radius", "10 cm"},
        {"bodies.wall.radius", "10 cm"},  {"bodies.wall.neck", "10 cm"},
        {"bodies.plug.radius", "12 cm"},  {"sources.fill.radius", "9.9 cm"},
        {"sources.fill.height", "50 cm"}, {"sources.fill.position", "[0, 0, 26.6 cm]"},
    };
    rp_trial trial;
    rp_view view;
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 1 : 8, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, OPEN, 10);
    if (code == RP_OK) code = rp_outflow_watch(c, trial.world, 0.02, 0.9, WATCHED, flow);
    if (code == RP_OK) code = rp_world_contacts(trial.world, &view, c->report);
    if (code == RP_OK) *arch = arch_of(&view);
    rp_trial_end(&trial);
    return code;
}

static void draw(rp_figure *figure, const char *name, const rp_outflow *flow)
{
    double part[RP_OUTFLOW_SAMPLES];
    for (int i = 0; i < flow->count; i++)
        part[i] = 100 * flow->passed[i] / flow->mass;
    rp_figure_add(figure, name, RP_PLOT_LINE, flow->time, part, NULL, (size_t)flow->count);
}

static rp_code run(rp_case_context *c)
{
    static rp_outflow narrow, wide;
    double arch = NAN, none;
    RP_TRY(watch(c, "1 cm", &narrow, &arch));
    RP_TRY(watch(c, "3 cm", &wide, &none));
    rp_judge_at_most(c, "2 diameters: grains that passed",
                     narrow.passed[narrow.count - 1] / narrow.mass * (double)narrow.grains,
                     PASSED_LIMIT, "");
    rp_judge_at_most(c, "2 diameters: speed in the end", 1000 * narrow.speed, SPEED_LIMIT, "mm/s");
    rp_judge_at_least(c, "2 diameters: force in the arch / mean", arch, ARCH_LIMIT, "");
    rp_judge_at_least(c, "6 diameters: passed", 100 * wide.passed[wide.count - 1] / wide.mass,
                      WIDE_LIMIT, "%");
    rp_figure *figure = rp_case_figure(c, "A narrow and a wide hole", "time [s]", "passed [%]");
    draw(figure, "2 diameters", &narrow);
    draw(figure, "6 diameters", &wide);
    return RP_OK;
}

const rp_case rp_case_dem_arching = {"dem-arching", "A narrow hole jams", run};
