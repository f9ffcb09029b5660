/* Steady flow of spheres down a rough slope, between the angle at which it stops and the one from
 * which it speeds up without end. */
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define DIAMETER 1e-3           /* m */
#define UNIT 0.0100963755       /* s, sqrt(d / g) */
#define SPEED (DIAMETER / UNIT) /* m/s, sqrt(g d) */
#define STEADY 23.0             /* degrees */
#define STOPS 18.0              /* degrees */
#define SPEEDS_UP 30.0          /* degrees */
#define FILL 0.585              /* volume fraction of the bulk */
#define FILL_LIMIT (c->quick ? 0.025 : 0.015)
#define SPREAD_LIMIT (c->quick ? 0.04 : 0.02) /* of it, through the bulk */
#define LINE_LIMIT 97.0                       /* per cent of the variance, of Bagnold's profile */
#define DRIFT_LIMIT 10.0                      /* per cent of the mean speed, from half to half */
#define REST 1e-3                             /* of sqrt(g d), of a flow that has stopped */
#define RUNAWAY 1.2                           /* speed of the second half over that of the first */
#define PI 3.14159265358979
#define EVALUATIONS 80
#define LAYERS_MAX 80 /* slices, one diameter thick */

/* Sums over measurements, slice by slice. */
typedef struct profile {
    double area;                               /* m2 */
    double volume[LAYERS_MAX];                 /* m3, of solid */
    double mass[LAYERS_MAX], flow[LAYERS_MAX]; /* kg, kg m/s */
    int evaluations;
    double first, second; /* m/s, mean speed along x of both halves */
} profile;

/* Volume of a sphere below a height above its centre. */
static double part_below(double height, double radius)
{
    double h = fmin(fmax(height + radius, 0), 2 * radius);
    return PI * h * h * (radius - h / 3);
}

static void evaluate(profile *p, const rp_view *view)
{
    double radius = DIAMETER / 2, along = 0, mass = 0;
    for (size_t i = 0; i < view->count; i++) {
        double z = view->z[i], m = view->mass[i], v = view->vx[i];
        int layer = (int)(z / DIAMETER);
        along += m * v;
        mass += m;
        for (int k = layer - 1; k <= layer + 1; k++)
            if (k >= 0 && k < LAYERS_MAX)
                p->volume[k] += part_below((k + 1) * DIAMETER - z, radius) -
                                part_below(k * DIAMETER - z, radius);
        if (layer < 0 || layer >= LAYERS_MAX) continue;
        p->mass[layer] += m;
        p->flow[layer] += m * v;
    }
    *(p->evaluations < EVALUATIONS / 2 ? &p->first : &p->second) +=
        along / mass / (EVALUATIONS / 2);
    p->evaluations++;
}

/* Looks at even times from one to another, in units. */
static rp_code watch(rp_case_context *c, const rp_trial *trial, double from, double to, profile *p)
{
    rp_code code = rp_case_run_to(c, trial->world, from * UNIT, 10);
    for (int i = 0; i < EVALUATIONS && code == RP_OK; i++) {
        rp_view view;
        code =
            rp_case_run_to(c, trial->world, (from + (to - from) * (i + 1) / EVALUATIONS) * UNIT, 1);
        rp_world_view(trial->world, &view);
        evaluate(p, &view);
    }
    return code;
}

/* A layer on a slope of one angle, and after some units of time of another. */
static rp_code tilt(rp_case_context *c, double angle, double until, double then, rp_trial *trial)
{
    char keys[320];
    snprintf(keys, sizeof keys,
             "[{time: %.9g s, gravity: [%.12g, 0, %.12g]}, {time: %.9g s, gravity: [%.12g, 0, "
             "%.12g]}]",
             until * UNIT, RP_EARTH * sin(angle * RP_DEGREE), -RP_EARTH * cos(angle * RP_DEGREE),
             (until + 5) * UNIT, RP_EARTH * sin(then * RP_DEGREE),
             -RP_EARTH * cos(then * RP_DEGREE));
    const rp_setting settings[] = {
        {"gravity_keys", keys},
        {"domain.high", "[20 mm, 10 mm, 120 mm]"},
        {"sources.fill.size", "[20 mm, 10 mm, 53 mm]"},
        {"sources.fill.position", "[10 mm, 5 mm, 27.5 mm]"},
        {"solver.stiffness", "256.8 N/m"},
    };
    return rp_trial_begin(c, "scene.yaml", settings, c->quick ? 1 : 5, trial);
}

/* Properties of the bulk from the profile: slices from a sixth of the height to five sixths. */
typedef struct bulk {
    double height;                  /* of the layer, diameters */
    double volume_fraction, spread; /* volume fraction: its mean, largest less least */
    rp_line line;                   /* of speeds against Bagnold's profile, in units */
    double z[LAYERS_MAX], fractions[LAYERS_MAX], speeds[LAYERS_MAX], law[LAYERS_MAX];
    int count; /* slices with grains */
} bulk;

static void find_bulk(const profile *p, bulk *b)
{
    double x[LAYERS_MAX], v[LAYERS_MAX], least = 1, most = 0, solid = 0;
    int used = 0;
    *b = (bulk){0};
    for (int k = 0; k < LAYERS_MAX && p->mass[k] > 0; k++) {
        b->z[k] = k + 0.5;
        b->fractions[k] = p->volume[k] / (p->area * DIAMETER * p->evaluations);
        b->speeds[k] = p->flow[k] / p->mass[k] / SPEED;
        solid += b->fractions[k];
        b->count++;
    }
    b->height = solid / FILL;
    for (int k = 0; k < b->count; k++) {
        b->law[k] = pow(b->height, 1.5) - pow(fmax(b->height - b->z[k], 0), 1.5);
        if (b->z[k] < b->height / 6 || b->z[k] > b->height * 5 / 6) continue;
        x[used] = b->law[k];
        v[used++] = b->speeds[k];
        b->volume_fraction += b->fractions[k];
        least = fmin(least, b->fractions[k]);
        most = fmax(most, b->fractions[k]);
    }
    b->volume_fraction /= used;
    b->spread = most - least;
    b->line = rp_line_through(x, v, used);
}

static void judge_steady(rp_case_context *c, const profile *p)
{
    static bulk b;
    double fitted[LAYERS_MAX];
    find_bulk(p, &b);
    rp_judge_near(c, "23 degrees: volume fraction of the bulk", b.volume_fraction, FILL, FILL_LIMIT,
                  "");
    rp_judge_at_most(c, "its largest - its least", b.spread, SPREAD_LIMIT, "");
    rp_judge_at_least(c, "share of Bagnold's profile", 100 * b.line.share, LINE_LIMIT, "%");
    rp_judge_near(c, "speed of the second half - of the first", 100 * (p->second / p->first - 1), 0,
                  DRIFT_LIMIT, "%");
    rp_case_note(c,
                 "height %.3g d, speed %.3g sqrt(g d), of Bagnold's profile %.3g + %.3g (h^1.5 "
                 "- (h - z)^1.5)",
                 b.height, p->second / SPEED, b.line.offset, b.line.slope);
    for (int k = 0; k < b.count; k++)
        fitted[k] = b.line.offset + b.line.slope * b.law[k];
    rp_figure *figure =
        rp_case_figure(c, "Speed over height at 23 degrees", "height / d", "speed / sqrt(g d)");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, b.z, b.speeds, NULL, (size_t)b.count);
    rp_figure_add(figure, "Bagnold's profile", RP_PLOT_LINE, b.z, fitted, NULL, (size_t)b.count);
    figure = rp_case_figure(c, "Volume fraction over height at 23 degrees", "height / d",
                            "volume fraction");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, b.z, b.fractions, NULL, (size_t)b.count);
}

static rp_code flows_and_stops(rp_case_context *c)
{
    static profile p;
    double from = c->quick ? 110 : 600, to = c->quick ? 170 : 1000, rest = c->quick ? 140 : 400;
    rp_trial trial;
    rp_view view;
    p = (profile){.area = (c->quick ? 48 : 200) * DIAMETER * DIAMETER};
    rp_code code = tilt(c, STEADY, to, STOPS, &trial);
    if (code == RP_OK) code = watch(c, &trial, from, to, &p);
    if (code == RP_OK) {
        judge_steady(c, &p);
        code = rp_case_run_to(c, trial.world, (to + rest) * UNIT, 10);
    }
    if (code == RP_OK) {
        rp_world_view(trial.world, &view);
        rp_judge_at_most(c, "then 18 degrees: speed / sqrt(g d)", rp_sand_speed(&view) / SPEED,
                         REST, "");
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code speeds_up(rp_case_context *c)
{
    static profile p;
    double from = c->quick ? 20 : 200, to = c->quick ? 60 : 600;
    rp_trial trial;
    p = (profile){.area = 1};
    rp_code code = tilt(c, SPEEDS_UP, to, SPEEDS_UP, &trial);
    if (code == RP_OK) code = watch(c, &trial, from, to, &p);
    if (code == RP_OK)
        rp_judge_at_least(c, "30 degrees: speed of the second half / of the first",
                          p.second / p.first, RUNAWAY, "");
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    rp_code code = flows_and_stops(c);
    return code == RP_OK ? speeds_up(c) : code;
}

const rp_case rp_case_dem_incline = {"dem-incline", "Spheres flow down a rough slope", run};
