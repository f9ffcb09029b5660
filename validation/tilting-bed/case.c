/* A bed that is tilted starts to flow at its angle of repose. */
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define LIMIT 1.5       /* degrees */
#define FLOWS 0.05      /* m/s, mean speed along the slope */
#define FLOWS_FAST 0.3  /* m/s; there is nothing more to see */
#define SETTLED 0.5     /* s */
#define TURNED 1.5      /* s, when the slow turning begins */
#define RATE 4.0        /* degrees per second */
#define BELOW 10.0      /* degrees below the specified angle, where it begins */
#define ABOVE 8.0       /* degrees above it, where it ends */
#define CREEP_BELOW 4.0 /* degrees below it, where creep is read */
#define G 9.81          /* m/s2 */
#define SAMPLES 181     /* a tenth of a degree apart */

typedef struct tilt {
    double specified;
    double slope[SAMPLES], speed[SAMPLES]; /* degrees, m/s */
    int count;
    double onset, creep; /* degrees, m/s */
} tilt;

static void write_key(char *text, size_t size, double time, double degrees)
{
    snprintf(text, size, "{time: %.17g, gravity: [%.17g, 0, %.17g]}", time,
             G * sin(degrees * RP_DEGREE), -G * cos(degrees * RP_DEGREE));
}

static rp_code begin(rp_case_context *c, double specified, rp_trial *trial)
{
    char angle[32], keys[1024], key[4][200];
    write_key(key[0], sizeof key[0], 0, 0);
    write_key(key[1], sizeof key[1], SETTLED, 0);
    write_key(key[2], sizeof key[2], TURNED, specified - BELOW);
    write_key(key[3], sizeof key[3], TURNED + (BELOW + ABOVE) / RATE, specified + ABOVE);
    snprintf(keys, sizeof keys, "[%s, %s, %s, %s]", key[0], key[1], key[2], key[3]);
    snprintf(angle, sizeof angle, "%g deg", specified);
    const rp_setting settings[] = {
        {"materials.sand.angle", angle},
        {"gravity_keys", keys},
    };
    return rp_trial_begin(c, "scene.yaml", settings, 2, trial);
}

/* Where the speed passes `value` for the first time, between samples in proportion. */
static double slope_at_speed(const tilt *t, double value)
{
    for (int i = 1; i < t->count; i++)
        if (t->speed[i] >= value && t->speed[i - 1] < value)
            return t->slope[i - 1] + (t->slope[i] - t->slope[i - 1]) * (value - t->speed[i - 1]) /
                                         (t->speed[i] - t->speed[i - 1]);
    return NAN;
}

static double speed_at_slope(const tilt *t, double slope)
{
    for (int i = 0; i < t->count; i++)
        if (t->slope[i] >= slope - 1e-6) return t->speed[i];
    return NAN;
}

static rp_code follow(rp_case_context *c, tilt *t)
{
    rp_trial trial;
    rp_code code = begin(c, t->specified, &trial);
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        double turned = (BELOW + ABOVE) * i / (SAMPLES - 1);
        rp_view view;
        code = rp_case_run_to(c, trial.world, TURNED + turned / RATE, 1);
        if (code != RP_OK) break;
        rp_world_view(trial.world, &view);
        rp_sand_sums sums = rp_sand_sum(&view);
        t->slope[i] = t->specified - BELOW + turned;
        t->speed[i] = sums.momentum[0] / sums.mass;
        t->count = i + 1;
        if (t->speed[i] > FLOWS_FAST) break;
    }
    t->onset = slope_at_speed(t, FLOWS);
    t->creep = speed_at_slope(t, t->specified - CREEP_BELOW);
    rp_trial_end(&trial);
    return code;
}

static void judge(rp_case_context *c, const tilt *t)
{
    char what[96];
    snprintf(what, sizeof what, "slope at which %g degrees flow", t->specified);
    rp_judge_near(c, what, t->onset, t->specified, LIMIT, "deg");
    rp_case_note(c, "%g degrees specified: mean speed %.3g mm/s at %g degrees", t->specified,
                 1000 * t->creep, t->specified - CREEP_BELOW);
}

static void draw(rp_case_context *c, const tilt *tilts, int count)
{
    const double from_to[] = {8, 58}, level[] = {FLOWS, FLOWS};
    rp_figure *figure =
        rp_case_figure(c, "A bed is tilted", "slope [deg]", "mean speed along the slope [m/s]");
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "specified %g deg", tilts[i].specified);
        rp_figure_add(figure, name, RP_PLOT_LINE, tilts[i].slope, tilts[i].speed, NULL,
                      (size_t)tilts[i].count);
    }
    rp_figure_add(figure, "counts as flowing", RP_PLOT_DASHED, from_to, level, NULL, 2);
}

static rp_code run(rp_case_context *c)
{
    static const double specified[] = {20, 30, 40, 50};
    tilt tilts[4] = {0};
    int count = c->quick ? 2 : 4;
    rp_code code = RP_OK;
    for (int i = 0; i < count && code == RP_OK; i++) {
        tilts[i].specified = specified[i];
        code = follow(c, &tilts[i]);
        if (code == RP_OK) judge(c, &tilts[i]);
    }
    if (code == RP_OK) draw(c, tilts, count);
    return code;
}

const rp_case rp_case_tilting_bed = {"tilting-bed", "A tilted bed yields at its angle of repose",
                                     run};
