/* Sand runs out of a funnel at an even rate. */
#include "base/report.h"
#include "measure/measure.h"
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define LIMIT 10.0        /* per cent */
#define BETWEEN 0.05      /* s, of samples */
#define SAMPLES 240       /* at most */
#define EMPTY 0.02        /* of the mass; then it is over */
#define HEIGHT 0.38       /* m, of the sand, as in the scene */
#define SLOPE (28.0 / 38) /* radius over height of the sand */
#define TIP 0.043         /* m, that hangs through the neck */
#define NECK 0.1          /* m, diameter */
#define DENSITY 1600.0    /* kg/m3 */
#define G 9.81            /* m/s2 */

typedef struct outflow {
    double height;                       /* m, of the sand at the start */
    double time[SAMPLES], mass[SAMPLES]; /* s, kg above the neck */
    double rate[SAMPLES];                /* kg/s, from this sample to the next */
    int count;                           /* of times; of rates one less */
    rp_steady steady;
    double third_change, line_change; /* per cent of the mean */
} outflow;

static double mass_above(const rp_view *view)
{
    double mass = 0;
    for (size_t i = 0; i < view->count; i++)
        if (view->z[i] > 0) mass += (double)view->mass[i];
    return mass;
}

static rp_code begin(rp_case_context *c, double height, rp_trial *trial)
{
    char high[32], radius[32], position[64];
    snprintf(high, sizeof high, "%.6g m", height);
    snprintf(radius, sizeof radius, "%.6g m", height * SLOPE);
    snprintf(position, sizeof position, "[0, 0, %.6g m]", height - TIP);
    const rp_setting settings[] = {
        {"sources.sand.height", high},
        {"sources.sand.radius", radius},
        {"sources.sand.position", position},
    };
    return rp_trial_begin(c, "scene.yaml", settings, 3, trial);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* How much the straight line through the values changes from the first to the last. */
static double line_change(const double *values, size_t count)
{
    double middle = (double)(count - 1) / 2, mean = mean_of(values, count), up = 0, across = 0;
    for (size_t i = 0; i < count; i++) {
        up += ((double)i - middle) * (values[i] - mean);
        across += ((double)i - middle) * ((double)i - middle);
    }
    return up / across * (double)(count - 1);
}

static void find_steady(outflow *o)
{
    for (int i = 0; i + 1 < o->count; i++)
        o->rate[i] = (o->mass[i] - o->mass[i + 1]) / (o->time[i + 1] - o->time[i]);
    o->steady = rp_steady_of(o->rate, o->count > 1 ? (size_t)o->count - 1 : 0);
    const double *first = o->rate + o->steady.first;
    size_t count = o->steady.count, third = count / 3;
    o->third_change = o->line_change = NAN;
    if (!third) return;
    double change = mean_of(first + count - third, third) - mean_of(first, third);
    o->third_change = 100 * change / o->steady.mean;
    o->line_change = 100 * line_change(first, count) / o->steady.mean;
}

static rp_code run_out(rp_case_context *c, outflow *o)
{
    rp_trial trial;
    rp_code code = begin(c, o->height, &trial);
    for (o->count = 0; o->count < SAMPLES && code == RP_OK;) {
        rp_view view;
        code = rp_case_run_to(c, trial.world, BETWEEN * o->count, 1);
        rp_world_view(trial.world, &view);
        o->time[o->count] = view.time;
        o->mass[o->count++] = mass_above(&view);
        if (o->mass[o->count - 1] < EMPTY * o->mass[0]) break;
    }
    if (code == RP_OK) find_steady(o);
    rp_trial_end(&trial);
    return code;
}

static void judge(rp_case_context *c, const outflow *o)
{
    char what[120];
    const rp_steady *s = &o->steady;
    snprintf(what, sizeof what, "%.3g cm: last third against first third", 100 * o->height);
    rp_judge_near(c, what, o->third_change, 0, LIMIT, "%");
    snprintf(what, sizeof what, "%.3g cm: drift of the straight line", 100 * o->height);
    rp_judge_near(c, what, o->line_change, 0, LIMIT, "%");
    rp_case_note(c, "%.3g cm, %.3g kg: %.4g kg/s from %.3g to %.3g s, spread of %g ms %.2g %%",
                 100 * o->height, o->mass[0], s->mean, s->count ? o->time[s->first] : NAN,
                 s->count ? o->time[s->first + s->count] : NAN, 1000 * BETWEEN,
                 100 * s->spread / s->mean);
}

static void draw(rp_case_context *c, const outflow *flows)
{
    rp_figure *mass = rp_case_figure(c, "Sand left in a funnel", "time [s]", "mass [kg]");
    rp_figure *rate =
        rp_case_figure(c, "Rate at which it runs out", "time [s]", "mass per time [kg/s]");
    rp_figure_set_flags(mass, RP_FIGURE_ZERO_Y);
    rp_figure_set_flags(rate, RP_FIGURE_ZERO_Y);
    for (int i = 0; i < 2; i++) {
        const outflow *o = &flows[i];
        char name[64];
        snprintf(name, sizeof name, "%.3g cm of sand", 100 * o->height);
        rp_figure_add(mass, name, RP_PLOT_LINE, o->time, o->mass, NULL, (size_t)o->count);
        rp_figure_add(rate, name, RP_PLOT_POINTS, o->time, o->rate, NULL, (size_t)o->count - 1);
        if (!o->steady.count) continue;
        size_t last = o->steady.first + o->steady.count;
        const double ends[] = {o->time[o->steady.first], o->time[last]};
        const double level[] = {o->steady.mean, o->steady.mean};
        rp_figure_add(rate, "mean of its steady part", RP_PLOT_LINE, ends, level, NULL, 2);
    }
}

static rp_code run(rp_case_context *c)
{
    static outflow flows[2];
    flows[0] = (outflow){.height = HEIGHT};
    flows[1] = (outflow){.height = 0.75 * HEIGHT};
    RP_TRY(run_out(c, &flows[0]));
    RP_TRY(run_out(c, &flows[1]));
    judge(c, &flows[0]);
    judge(c, &flows[1]);
    double full = flows[0].steady.count ? flows[0].steady.mean : NAN;
    double less = flows[1].steady.count ? flows[1].steady.mean : NAN;
    rp_judge_near(c, "rate of the lower fill / that of the full one", 100 * less / full, 100, LIMIT,
                  "%");
    rp_case_note(c, "Beverloo's law: %.3g kg/s",
                 0.58 * DENSITY * sqrt(G) * pow(NECK - 1.4 * 0.01, 2.5));
    draw(c, flows);
    return RP_OK;
}

const rp_case rp_case_hourglass_outflow = {"hourglass-outflow", "Sand flows out at a constant rate",
                                           run};
