/* The published method beside the one that Repose uses: the same heap, the same step. */
#include "measure/angle.h"
#include "measure/profile.h"
#include "validation/sand.h"

#include <stdio.h>

#define ASKED 45.0   /* degrees, as the scene says */
#define LIMIT 3.0    /* degrees, of frictional */
#define SHORTFALL 5.0 /* degrees, of pcisph */
#define BINS 128

typedef struct outcome {
    rp_angle angle;
    double speed; /* m/s */
    double place[BINS], height[BINS];
    size_t bins;
} outcome;

static rp_code look(rp_case_context *c, const rp_trial *trial, outcome *o)
{
    rp_table profile = {0};
    rp_view view;
    rp_world_view(trial->world, &view);
    rp_code code = rp_measure_angle(&view, trial->scene, &o->angle, c->report);
    if (code == RP_OK) code = rp_measure_profile(&view, trial->scene, -1, &profile, c->report);
    o->bins = profile.rows < BINS ? profile.rows : BINS;
    for (size_t i = 0; i < o->bins; i++) {
        const double *row = profile.values + i * (size_t)profile.column_count;
        o->place[i] = row[RP_PROFILE_PLACE];
        o->height[i] = row[RP_PROFILE_HEIGHT];
    }
    o->speed = rp_sand_speed(&view);
    rp_table_release(&profile);
    return code;
}

static rp_code stand(rp_case_context *c, const char *method, outcome *o)
{
    const rp_setting settings[] = {
        {"solver.method", method},
        {"sources.heap.radius", "1.5 m"},
        {"sources.heap.height", "1.5 m"},
    };
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 3 : 1, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, c->quick ? 3 : 4, 300);
    if (code == RP_OK) code = look(c, &trial, o);
    if (code == RP_OK)
        rp_case_note(c, "%s: %.2f +- %.2f degrees, rms speed %.3g mm/s, %zu grains, %.1f s", method,
                     o->angle.degrees, o->angle.uncertainty, 1000 * o->speed, o->angle.grains,
                     rp_trial_seconds(&trial));
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    static outcome ours, theirs;
    double radius = c->quick ? 1.5 : 2;
    const double cone_place[] = {0, radius}, cone_height[] = {radius, 0};
    rp_code code = stand(c, "frictional", &ours);
    if (code == RP_OK) code = stand(c, "pcisph", &theirs);
    if (code != RP_OK) return code;
    rp_judge_near(c, "frictional: angle of the heap", ours.angle.degrees, ASKED, LIMIT, "deg");
    rp_judge_at_least(c, "pcisph: how far it falls short", ASKED - theirs.angle.degrees, SHORTFALL,
                      "deg");
    rp_figure *figure = rp_case_figure(c, "A cone of 45 degrees after a while",
                                       "distance from the axis [m]", "height of the surface [m]");
    rp_figure_set_flags(figure, RP_FIGURE_EQUAL);
    rp_figure_add(figure, "frictional", RP_PLOT_LINE, ours.place, ours.height, NULL, ours.bins);
    rp_figure_add(figure, "pcisph", RP_PLOT_LINE, theirs.place, theirs.height, NULL, theirs.bins);
    rp_figure_add(figure, "start", RP_PLOT_DASHED, cone_place, cone_height, NULL, 2);
    return RP_OK;
}

const rp_case rp_case_published = {"published", "The published method falls short of the angle",
                                   run};
