/* In a closed box the energy of sand only falls. */
#include "validation/sand.h"

#include <math.h>

#define LIMIT 0.1    /* per cent of what is lost in all */
#define DURATION 1.5 /* s */
#define G 9.81       /* m/s2 */
#define SAMPLES 4096 /* of the figure; all steps count */

typedef struct slosh {
    double first, last, least; /* J */
    double rise, rise_time;    /* J above the least before, largest; s */
    double time[SAMPLES], total[SAMPLES], kinetic[SAMPLES];
    int samples;
} slosh;

static void evaluate(slosh *s, const rp_view *view)
{
    rp_sand_sums sums = rp_sand_sum(view);
    double total = sums.kinetic + G * sums.moment[2];
    if (!(total - s->least <= s->rise)) { /* also when it is no number */
        s->rise = total - s->least;
        s->rise_time = view->time;
    }
    s->least = fmin(s->least, total);
    s->last = total;
    if (s->samples == SAMPLES) return;
    s->time[s->samples] = view->time;
    s->total[s->samples] = total;
    s->kinetic[s->samples++] = sums.kinetic;
}

static rp_code follow(rp_world *world, slosh *s, rp_report *report)
{
    rp_view view;
    rp_code code = RP_OK;
    rp_world_view(world, &view);
    rp_sand_sums sums = rp_sand_sum(&view);
    s->first = s->least = sums.kinetic + G * sums.moment[2];
    evaluate(s, &view);
    while (code == RP_OK && rp_world_time(world) < DURATION) {
        code = rp_world_step(world, report);
        rp_world_view(world, &view);
        evaluate(s, &view);
    }
    return code;
}

static void judge(rp_case_context *c, slosh *s)
{
    double lost = s->first - s->last;
    rp_judge_at_most(c, "rise of energy / all that is lost", 100 * s->rise / lost, LIMIT, "%");
    rp_case_note(c, "%.4g J at the start, %.4g J at the end; the largest rise, %.3g J, at %.4g s",
                 s->first, s->last, s->rise, s->rise_time);
    for (int i = 0; i < s->samples; i++)
        s->total[i] -= s->last;
    rp_figure *figure = rp_case_figure(c, "Energy of sand in a closed box", "time [s]",
                                       "energy above that of the end [J]");
    rp_figure_add(figure, "kinetic and potential", RP_PLOT_LINE, s->time, s->total, NULL,
                  (size_t)s->samples);
    rp_figure_add(figure, "kinetic", RP_PLOT_DASHED, s->time, s->kinetic, NULL, (size_t)s->samples);
}

static rp_code run(rp_case_context *c)
{
    static const rp_setting coarse[] = {{"particles.spacing", "1 cm"}};
    static slosh s;
    rp_trial trial;
    s = (slosh){.rise = -INFINITY};
    rp_code code = rp_trial_begin(c, "scene.yaml", coarse, c->quick ? 1 : 0, &trial);
    if (code == RP_OK) code = follow(trial.world, &s, c->report);
    if (code == RP_OK) judge(c, &s);
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_closed_box = {"closed-box", "Energy in a closed box never increases", run};
