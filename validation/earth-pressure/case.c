/* Pressure of sand on a smooth plate: at rest, active, and passive. W. J. M. Rankine, "On the
 * stability of loose earth", Phil. Trans. R. Soc. 147 (1857). */
#include "base/report.h"
#include "validation/bodies.h"

#include <math.h>
#include <stdio.h>

#define DENSITY 1600.0 /* kg/m3, as the scene says */
#define G 9.81         /* m/s2 */
#define SPACING 0.01   /* m */
#define WIDTH 8        /* spacings, periodic */
#define LENGTH 3.0     /* of the sand, in depths: a passive wedge of 40 degrees is 2.1 long */
#define REST 0.5       /* s, until the plate moves */
#define SPEED 0.02     /* m/s, of the plate */
#define K0_MIDDLE 1.05 /* of Jaky's: 0.35 to 0.7 for 30 degrees */
#define K0_HALF 0.35
#define LIMIT 15.0 /* per cent of Rankine's */

/* A plate that moves by `to` depths; its load is a mean from `from` depths on. */
typedef struct push {
    const char *name;
    double from, to; /* negative: away from the sand */
} push;

static const push active = {"active", -0.02, -0.05}, passive = {"passive", 0.01, 0.03};

typedef struct pressure {
    double at_rest, moved; /* coefficients */
} pressure;

static rp_code begin(rp_case_context *c, double angle, int layers, const push *p, rp_trial *trial)
{
    char text[5][256];
    double depth = layers * SPACING, width = WIDTH * SPACING, length = LENGTH * depth;
    double end = REST + fabs(p->to) * depth / SPEED;
    snprintf(text[0], sizeof text[0], "%.17g deg", angle);
    snprintf(text[1], sizeof text[1], "[%.17g, %.17g, %.17g]", length, width, depth);
    snprintf(text[2], sizeof text[2], "[%.17g, %.17g, %.17g]", length / 2, width / 2, depth / 2);
    snprintf(text[3], sizeof text[3], "[%.17g, %.17g, %.17g]", length, width, 3 * depth);
    snprintf(text[4], sizeof text[4],
             "[{time: %.17g, position: [0, 0, 0]}, {time: %.17g, position: [%.17g, 0, 0]}]", REST,
             end, p->to * depth);
    const rp_setting settings[] = {{"materials.sand.angle", text[0]},
                                   {"sources.sand.size", text[1]},
                                   {"sources.sand.position", text[2]},
                                   {"domain.high", text[3]},
                                   {"bodies.plate.keys", text[4]}};
    return rp_trial_begin(c, "scene.yaml", settings, 5, trial);
}

static rp_code measure(rp_case_context *c, double angle, int layers, const push *p, pressure *out)
{
    rp_trial trial;
    double depth = layers * SPACING, width = WIDTH * SPACING, rest[3] = {0}, moved[3] = {0};
    double from = REST + fabs(p->from) * depth / SPEED, to = REST + fabs(p->to) * depth / SPEED;
    rp_code code = begin(c, angle, layers, p, &trial);
    int plate = code == RP_OK ? rp_scene_find_body(trial.scene, "plate") : 0;
    rp_view view = {0};
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, 0.6 * REST, 4);
    if (code == RP_OK) code = rp_mean_force(c, &trial, plate, REST, rest);
    if (code == RP_OK) rp_world_view(trial.world, &view);
    double height = rp_sand_sum(&view).mass / (DENSITY * width * LENGTH * depth);
    double unit = 0.5 * DENSITY * G * height * height * width;
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, from, 4);
    if (code == RP_OK) code = rp_mean_force(c, &trial, plate, to, moved);
    *out = (pressure){-rest[0] / unit, -moved[0] / unit};
    rp_trial_end(&trial);
    return code;
}

static rp_code compare(rp_case_context *c, double angle, int layers)
{
    pressure a, p;
    char what[120];
    double slope = tan((45 - angle / 2) * RP_DEGREE), ka = slope * slope;
    double jaky = 1 - sin(angle * RP_DEGREE);
    RP_TRY(measure(c, angle, layers, &active, &a));
    RP_TRY(measure(c, angle, layers, &passive, &p));
    snprintf(what, sizeof what, "K0, %g degrees, %d spacings deep", angle, layers);
    rp_judge_near(c, what, (a.at_rest + p.at_rest) / 2, K0_MIDDLE * jaky, K0_HALF * jaky, "");
    snprintf(what, sizeof what, "active pressure / Rankine's, %g degrees, %d deep", angle, layers);
    rp_judge_near(c, what, 100 * a.moved / ka, 100, LIMIT, "%");
    snprintf(what, sizeof what, "passive pressure / Rankine's, %g degrees, %d deep", angle, layers);
    rp_judge_near(c, what, 100 * p.moved * ka, 100, LIMIT, "%");
    rp_case_note(c, "%g degrees, %d spacings deep: K0 %.3f, Ka %.3f (Rankine %.3f), Kp %.3f (%.3f)",
                 angle, layers, a.at_rest, a.moved, ka, p.moved, 1 / ka);
    return RP_OK;
}

static rp_code run(rp_case_context *c)
{
    static const double angles[] = {30, 35, 40};
    rp_code code = RP_OK;
    if (c->quick) return compare(c, 30, 20);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = compare(c, angles[i], 20);
    return code == RP_OK ? compare(c, 30, 10) : code;
}

const rp_case rp_case_earth_pressure = {"earth-pressure",
                                        "Earth pressure at rest, active and passive", run};
