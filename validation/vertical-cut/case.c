/* An upright bank of cohesive sand stands below its critical height and fails above it. K.
 * Terzaghi, "Theoretical Soil Mechanics" (1943). */
#include "measure/measure.h"
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define DENSITY 1600.0 /* kg/m3, as the scene says */
#define G 9.81         /* m/s2 */
#define ANGLE 30.0     /* degrees */
#define LENGTH 1.5     /* of the bank, in heights */
#define WIDTH 8        /* spacings, periodic */
#define STANDS 0.1     /* heights that the face may move */
#define SWELLS 0.05    /* heights that the crest may rise */
#define FAILS 0.3      /* heights that the face has to move */

typedef struct bank {
    double strength; /* Pa, tensile */
    double share;    /* of the critical height */
    int layers;
    double seconds;
    double moved, risen; /* in heights: its face outward, its crest upward */
} bank;

/* m, of a bank without a crack: Hc = 4 c tan(45 + angle / 2) / (rho g), c = T tan(angle). */
static double critical_height(double strength)
{
    double cohesion = strength * tan(ANGLE * RP_DEGREE);
    return 4 * cohesion * tan((45 + ANGLE / 2) * RP_DEGREE) / (DENSITY * G);
}

static rp_code begin(rp_case_context *c, const bank *b, double height, rp_trial *trial)
{
    char text[5][160];
    double spacing = height / b->layers, length = LENGTH * height, width = WIDTH * spacing;
    snprintf(text[0], sizeof text[0], "%.17g", spacing);
    snprintf(text[1], sizeof text[1], "%.17g Pa", b->strength);
    snprintf(text[2], sizeof text[2], "[%.17g, %.17g, %.17g]", length, width, height);
    snprintf(text[3], sizeof text[3], "[%.17g, %.17g, %.17g]", length / 2, width / 2, height / 2);
    snprintf(text[4], sizeof text[4], "[%.17g, %.17g, %.17g]", 5 * height, width, 3 * height);
    const rp_setting settings[] = {{"particles.spacing", text[0]},
                                   {"materials.sand.cohesion", text[1]},
                                   {"sources.bank.size", text[2]},
                                   {"sources.bank.position", text[3]},
                                   {"domain.high", text[4]}};
    return rp_trial_begin(c, "scene.yaml", settings, 5, trial);
}

static rp_code evaluate(rp_case_context *c, const rp_trial *trial, double *face, double *crest)
{
    rp_measure_options options = rp_default_measure_options();
    rp_front front;
    rp_view view;
    rp_world_view(trial->world, &view);
    options.along = 0;
    rp_code code = rp_measure_front(&view, trial->scene, &options, &front, c->report);
    *face = front.front;
    *crest = 0;
    for (size_t i = 0; i < view.count; i++)
        *crest = fmax(*crest, view.z[i]);
    return code;
}

static rp_code follow(rp_case_context *c, bank *b)
{
    rp_trial trial;
    double height = b->share * critical_height(b->strength), face[2] = {0}, crest[2] = {0};
    rp_code code = begin(c, b, height, &trial);
    if (code == RP_OK) code = evaluate(c, &trial, &face[0], &crest[0]);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, b->seconds, 40);
    if (code == RP_OK) code = evaluate(c, &trial, &face[1], &crest[1]);
    b->moved = (face[1] - face[0]) / height;
    b->risen = (crest[1] - crest[0]) / height;
    rp_trial_end(&trial);
    return code;
}

static void judge_standing(rp_case_context *c, const bank *b)
{
    char what[120];
    snprintf(what, sizeof what, "face of %g Hc moves, %g Pa, %d spacings", b->share, b->strength,
             b->layers);
    rp_judge_at_most(c, what, b->moved, STANDS, "heights");
    snprintf(what, sizeof what, "crest of %g Hc rises, %g Pa, %d spacings", b->share, b->strength,
             b->layers);
    rp_judge_at_most(c, what, b->risen, SWELLS, "heights");
}

static rp_code compare(rp_case_context *c, double strength, int layers)
{
    static const double shares[] = {0.25, 0.5, 1.5};
    rp_code code = RP_OK;
    for (int i = 0; i < 3 && code == RP_OK; i++) {
        bank b = {.strength = strength,
                  .share = shares[i],
                  .layers = layers,
                  .seconds = c->quick ? 4 : 10};
        char what[120];
        code = follow(c, &b);
        if (code != RP_OK) break;
        if (shares[i] < 1) {
            judge_standing(c, &b);
            continue;
        }
        snprintf(what, sizeof what, "face of %g Hc moves, %g Pa, %d spacings", b.share, strength,
                 layers);
        rp_judge_at_least(c, what, b.moved, FAILS, "heights");
    }
    return code;
}

static rp_code run(rp_case_context *c)
{
    static const double strengths[] = {200, 800, 3200};
    rp_code code = RP_OK;
    if (c->quick) return compare(c, 400, 14);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        for (int layers = 14; layers <= 24 && code == RP_OK; layers += 10)
            code = compare(c, strengths[i], layers);
    return code;
}

const rp_case rp_case_vertical_cut = {"vertical-cut",
                                      "A bank of moist sand stands below its critical height", run};
