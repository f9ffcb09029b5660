/* The load that a strip footing on the surface of sand bears. G. G. Meyerhof, "Some recent research
 * on the bearing capacity of foundations", Can. Geotech. J. 1 (1963); A. S. Vesic, "Analysis of
 * ultimate loads of shallow foundations", J. Soil Mech. Found. Div. ASCE 99 (1973). */
#include "validation/bodies.h"

#include <math.h>
#include <stdio.h>

#define DENSITY 1600.0 /* kg/m3, as the scene says */
#define G 9.81         /* m/s2 */
#define SPACING 0.01   /* m */
#define WIDTH 6        /* spacings, periodic */
#define DEPTH 2.0      /* of the sand, in breadths of the footing */
#define LENGTH 4.0     /* of the sand from the centre of the footing, likewise */
#define THICK 0.08     /* m, of the footing */
#define REST 0.3       /* s, before it moves */
#define SPEED 0.02     /* m/s, of the footing */
#define SAMPLES 8      /* settlements at which the load is read */
#define FIRST 0.05     /* breadths, of the settlements that count */
#define LAST 0.15

typedef struct footing {
    double angle;   /* degrees */
    double breadth; /* m */
    double settled[SAMPLES], factor[SAMPLES];
    double mean; /* N_gamma */
} footing;

static double nq(double angle)
{
    double t = tan((45 + angle / 2) * RP_DEGREE);
    return exp(acos(-1.0) * tan(angle * RP_DEGREE)) * t * t;
}

static double meyerhof(double angle)
{
    return (nq(angle) - 1) * tan(1.4 * angle * RP_DEGREE);
}

static double vesic(double angle)
{
    return 2 * (nq(angle) + 1) * tan(angle * RP_DEGREE);
}

static rp_code begin(rp_case_context *c, const footing *f, rp_trial *trial)
{
    char text[6][256];
    double b = f->breadth, width = WIDTH * SPACING, depth = DEPTH * b, length = LENGTH * b;
    double down = LAST * b + 0.02 * b;
    snprintf(text[0], sizeof text[0], "%.17g deg", f->angle);
    snprintf(text[1], sizeof text[1], "[%.17g, %.17g, %.17g]", length, width, depth);
    snprintf(text[2], sizeof text[2], "[%.17g, %.17g, %.17g]", length / 2, width / 2, depth / 2);
    snprintf(text[3], sizeof text[3], "[%.17g, %.17g, %.17g]", length, width, 3 * depth);
    snprintf(text[4], sizeof text[4], "[%.17g, %.17g, %.17g]", b, 0.999 * width, THICK);
    snprintf(text[5], sizeof text[5],
             "[{time: %.17g, position: [0, %.17g, %.17g]}, {time: %.17g, position: [0, %.17g, "
             "%.17g]}]",
             REST, width / 2, depth + THICK / 2, REST + down / SPEED, width / 2,
             depth + THICK / 2 - down);
    const rp_setting settings[] = {
        {"materials.sand.angle", text[0]},  {"sources.sand.size", text[1]},
        {"sources.sand.position", text[2]}, {"domain.high", text[3]},
        {"bodies.footing.size", text[4]},   {"bodies.footing.keys", text[5]}};
    return rp_trial_begin(c, "scene.yaml", settings, 6, trial);
}

/* What the footing bears at a settlement, less what the sand beside its base adds. */
static double factor_of(const footing *f, double force, double settled)
{
    double area = f->breadth / 2 * WIDTH * SPACING, weight = DENSITY * G;
    return (force / area - weight * settled * nq(f->angle)) / (0.5 * weight * f->breadth);
}

static rp_code press(rp_case_context *c, footing *f)
{
    rp_trial trial;
    double b = f->breadth, step = (LAST - FIRST) * b / SAMPLES;
    rp_code code = begin(c, f, &trial);
    int body = code == RP_OK ? rp_scene_find_body(trial.scene, "footing") : 0;
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, REST + FIRST * b / SPEED, 8);
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        double force[3], at = FIRST * b + (i + 1) * step, settled = at - step / 2;
        code = rp_mean_force(c, &trial, body, REST + at / SPEED, force);
        f->settled[i] = settled / b;
        f->factor[i] = factor_of(f, force[2], settled);
        f->mean += f->factor[i] / SAMPLES;
    }
    rp_trial_end(&trial);
    return code;
}

static void judge(rp_case_context *c, const footing *f)
{
    double low = meyerhof(f->angle), high = vesic(f->angle);
    char what[96], name[64];
    snprintf(what, sizeof what, "N_gamma of %g degrees, footing of %g spacings", f->angle,
             f->breadth / SPACING);
    rp_judge_near(c, what, f->mean, (low + high) / 2, (high - low) / 2, "");
    rp_case_note(c, "%g degrees: Meyerhof %.4g, Vesic %.4g; from %.4g at %.2g B to %.4g at %.2g B",
                 f->angle, low, high, f->factor[0], f->settled[0], f->factor[SAMPLES - 1],
                 f->settled[SAMPLES - 1]);
    snprintf(name, sizeof name, "A footing on sand of %g degrees", f->angle);
    rp_figure *figure = rp_case_figure(c, name, "settlement / breadth", "N_gamma");
    const double ends[] = {FIRST, LAST}, lows[] = {low, low}, highs[] = {high, high};
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, f->settled, f->factor, NULL, SAMPLES);
    rp_figure_add(figure, "Meyerhof", RP_PLOT_DASHED, ends, lows, NULL, 2);
    rp_figure_add(figure, "Vesic", RP_PLOT_DASHED, ends, highs, NULL, 2);
}

static rp_code run(rp_case_context *c)
{
    static const double angles[] = {25, 30, 35};
    rp_code code = RP_OK;
    for (int i = 0; i < 3 && code == RP_OK; i++) {
        if (c->quick && angles[i] != 30) continue;
        footing f = {.angle = angles[i], .breadth = (c->quick ? 20 : 28) * SPACING};
        code = press(c, &f);
        if (code == RP_OK) judge(c, &f);
    }
    return code;
}

const rp_case rp_case_strip_footing = {"strip-footing",
                                       "Bearing capacity of a strip footing on sand", run};
