/* The published method beside the one that Repose uses: the same heap, the same step. */
#include "base/report.h"
#include "measure/measure.h"
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define ASKED 45.0    /* degrees, as the scene says */
#define START 42.0    /* degrees, of the cone */
#define LIMIT 3.0     /* degrees, of frictional */
#define SHORTFALL 5.0 /* degrees, of pcisph */
#define BINS 128

typedef struct outcome {
    rp_angle angle;
    double speed; /* m/s */
    double place[BINS], height[BINS];
    size_t bins;
} outcome;

static rp_code evaluate(rp_case_context *c, const rp_trial *trial, outcome *o)
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

/* In parts of whole steps: others would be cut to shorter ones. */
static rp_code run_evenly(rp_case_context *c, rp_world *world, double duration)
{
    return rp_case_run_to(c, world, duration, (int)lround(duration / 0.1));
}

static rp_code stand(rp_case_context *c, const char *method, bool cone, outcome *o)
{
    const rp_setting settings[] = {
        {"solver.method", method},
        {"emitters.spout.radius", "25 cm"}, /* the quick form: less, from a lower nozzle */
        {"emitters.spout.position", "[0, 0, 1.64 m]"},
        {"emitters.spout.stop", "5.1 s"},
    };
    double duration = cone ? 2 : c->quick ? 7.1 : 11.1;
    rp_trial trial;
    rp_code code = rp_trial_begin(c, cone ? "cone.yaml" : "scene.yaml", settings,
                                  c->quick && !cone ? 4 : 1, &trial);
    if (code == RP_OK) code = run_evenly(c, trial.world, duration);
    if (code == RP_OK) code = evaluate(c, &trial, o);
    if (code == RP_OK)
        rp_case_note(c, "%s, %s: %.2f +- %.2f degrees, rms speed %.3g mm/s, %zu grains, %.1f s",
                     method, cone ? "cone at the start" : "poured", o->angle.degrees,
                     o->angle.uncertainty, 1000 * o->speed, o->angle.grains,
                     rp_trial_seconds(&trial));
    rp_trial_end(&trial);
    return code;
}

static void draw(rp_case_context *c, const char *title, const outcome *ours, const outcome *theirs,
                 double start)
{
    /* The cone at the start, or a line of the specified angle through the foot of ours. */
    double foot = start > 0 ? start : ours->angle.radius;
    double slope = tan((start > 0 ? START : ASKED) * RP_DEGREE);
    const double place[] = {0, foot}, height[] = {foot * slope, 0};
    rp_figure *figure =
        rp_case_figure(c, title, "distance from the axis [m]", "height of the surface [m]");
    rp_figure_set_flags(figure, RP_FIGURE_EQUAL);
    rp_figure_add(figure, "frictional", RP_PLOT_LINE, ours->place, ours->height, NULL, ours->bins);
    rp_figure_add(figure, "pcisph", RP_PLOT_LINE, theirs->place, theirs->height, NULL,
                  theirs->bins);
    rp_figure_add(figure, start > 0 ? "start" : "45 degrees", RP_PLOT_DASHED, place, height, NULL,
                  2);
}

static rp_code run(rp_case_context *c)
{
    static outcome ours[2], theirs[2];
    rp_code code = RP_OK;
    for (int cone = 0; cone < 2 && code == RP_OK; cone++) {
        code = stand(c, "frictional", cone, &ours[cone]);
        if (code == RP_OK) code = stand(c, "pcisph", cone, &theirs[cone]);
    }
    RP_TRY(code);
    rp_judge_near(c, "frictional: angle of the cone", ours[1].angle.degrees, START, LIMIT, "deg");
    rp_judge_at_least(c, "pcisph: how far it falls short", ASKED - theirs[1].angle.degrees,
                      SHORTFALL, "deg");
    draw(c, "A poured heap, 45 degrees specified", &ours[0], &theirs[0], 0);
    draw(c, "A cone of 42 degrees, 45 specified, let go", &ours[1], &theirs[1], 1.5);
    return RP_OK;
}

const rp_case rp_case_published = {"published", "The published method falls short of the angle",
                                   run};
