/* Two balls of sand collide: momentum stays, kinetic energy only falls. */
#include "base/report.h"
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define MOMENTUM_LIMIT 1e-5 /* of the sum of the sizes */
#define RISE_LIMIT 1e-6     /* of the kinetic energy at the start, in one step */
#define DURATION 0.4        /* s */
#define SAMPLES 1024        /* of the figure; all steps count */

typedef struct collision {
    rp_sand_sums start;
    double change;          /* of the momentum, largest, kg m/s */
    double rise, rise_time; /* J in one step, largest; s */
    double later;           /* the same without the first step, which takes back the jitter */
    double twist;           /* of the angular momentum, largest change, kg m2/s */
    double time[SAMPLES], kinetic[SAMPLES], off[SAMPLES];
    int samples, steps;
} collision;

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void evaluate(collision *k, const rp_sand_sums *now, double before, double time)
{
    double off = distance(now->momentum, k->start.momentum);
    double twist = distance(now->angular, k->start.angular);
    if (!(off <= k->change)) k->change = off; /* also when it is no number */
    if (!(twist <= k->twist)) k->twist = twist;
    if (!(now->kinetic - before <= k->rise)) {
        k->rise = now->kinetic - before;
        k->rise_time = time;
    }
    if (k->steps && now->kinetic - before > k->later) k->later = now->kinetic - before;
    k->steps++;
    if (k->samples == SAMPLES) return;
    k->time[k->samples] = time;
    k->kinetic[k->samples] = now->kinetic / k->start.kinetic;
    k->off[k->samples++] = off / k->start.momentum_size;
}

static rp_code follow(rp_world *world, collision *k, rp_report *report)
{
    rp_view view;
    rp_code code = RP_OK;
    rp_world_view(world, &view);
    k->start = rp_sand_sum(&view);
    double before = k->start.kinetic;
    while (code == RP_OK && rp_world_time(world) < DURATION) {
        code = rp_world_step(world, report);
        rp_world_view(world, &view);
        rp_sand_sums now = rp_sand_sum(&view);
        evaluate(k, &now, before, view.time);
        before = now.kinetic;
    }
    return code;
}

static void judge(rp_case_context *c, const collision *k, const char *start)
{
    static const double origin[3];
    double angular = distance(k->start.angular, origin);
    double left = k->samples ? k->kinetic[k->samples - 1] : NAN;
    char what[160];
    snprintf(what, sizeof what, "%s: change of momentum / sum of |p|", start);
    rp_judge_at_most(c, what, k->change / k->start.momentum_size, MOMENTUM_LIMIT, "");
    snprintf(what, sizeof what, "%s: rise of kinetic energy in a step", start);
    rp_judge_at_most(c, what, k->rise / k->start.kinetic, RISE_LIMIT, "");
    /* A collision there must be, or nothing was tested. */
    snprintf(what, sizeof what, "%s: kinetic energy left", start);
    rp_judge_at_most(c, what, left, 0.9, "");
    rp_case_note(c, "%s: %d steps; the largest rise was at %.4g s, without the first step %.3g",
                 start, k->steps, k->rise_time, k->later / k->start.kinetic);
    rp_case_note(c, "%s: angular momentum changes by %.3g of what it was", start,
                 k->twist / angular);
}

static rp_code collide(rp_case_context *c, const char *start, const char *jitter, rp_figure *energy,
                       rp_figure *off)
{
    const rp_setting settings[] = {
        {"particles.jitter", jitter},
        {"sources.left.radius", "5 cm"},
        {"sources.left.position", "[-7 cm, 0, -1.25 cm]"},
        {"sources.right.radius", "5 cm"},
        {"sources.right.position", "[7 cm, 0, 1.25 cm]"},
    };
    static collision k;
    rp_trial trial;
    k = (collision){.rise = -INFINITY, .later = -INFINITY};
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 5 : 1, &trial);
    if (code == RP_OK) code = follow(trial.world, &k, c->report);
    if (code == RP_OK) judge(c, &k, start);
    rp_figure_add(energy, start, RP_PLOT_LINE, k.time, k.kinetic, NULL, (size_t)k.samples);
    rp_figure_add(off, start, RP_PLOT_LINE, k.time, k.off, NULL, (size_t)k.samples);
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    rp_figure *energy = rp_case_figure(c, "Kinetic energy of two balls that collide", "time [s]",
                                       "kinetic energy / start");
    rp_figure *off = rp_case_figure(c, "Momentum lost or won", "time [s]", "|P - P(0)| / sum |p|");
    rp_figure_set_flags(energy, RP_FIGURE_ZERO_Y);
    RP_TRY(collide(c, "packed", "0", energy, off));
    return collide(c, "jittered", "0.1", energy, off);
}

const rp_case rp_case_momentum = {"momentum", "Momentum is conserved, energy decreases", run};
