/* A layer of sand flows down an endless slope at the speed that mu(I) gives. */
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define LIMIT 10.0            /* per cent */
#define REST_LIMIT 1e-3       /* m/s */
#define G 9.81                /* m/s2 */
#define STATIC_ANGLE 20.9     /* degrees; these are the scene's */
#define DYNAMIC_ANGLE 32.76   /* degrees */
#define INERTIAL_NUMBER 0.279 /* at which friction is halfway between */
#define GRAIN 0.01            /* m, diameter */
#define DEPTH 0.12            /* m */
#define FRACTION (1600.0 / 2650.0)
#define STOPS_BELOW 1.5 /* degrees below the static angle, where a flow comes to rest */
#define STOPS_FROM 0.3  /* m/s */
#define SAMPLES 50      /* instants over which a flow is averaged */
#define EVERY 0.02      /* s between them */
#define LAYERS_MOST 64

/* Set-up and results of a slope. */
typedef struct flow {
    double slope;          /* degrees */
    double spacing;        /* m */
    const char *viscosity; /* of the material */
    double start, time;    /* m/s, of all grains at the start; s, until it is evaluated */
    double mean, first;    /* m/s, over all instants, and over the first half of them */
    double height[LAYERS_MOST], speed[LAYERS_MOST], closed[LAYERS_MOST]; /* m, m/s */
    int layers;
} flow;

static double tangent(double degrees)
{
    return tan(degrees * RP_DEGREE);
}

/* m/s: Bagnold's profile at a height above the floor, by mu(I) = tan(slope). */
static double bagnold(double slope, double height)
{
    double low = tangent(STATIC_ANGLE), high = tangent(DYNAMIC_ANGLE), mu = tangent(slope);
    double inertial = INERTIAL_NUMBER * (mu - low) / (high - mu);
    double root = sqrt(G * FRACTION * cos(slope * RP_DEGREE));
    double above = fmax(DEPTH - height, 0);
    return 2.0 / 3 * inertial / GRAIN * root * (pow(DEPTH, 1.5) - pow(above, 1.5));
}

static double bagnold_mean(double slope)
{
    return 0.6 * bagnold(slope, DEPTH);
}

static rp_code begin(rp_case_context *c, const flow *f, rp_trial *trial)
{
    char gravity[96], velocity[64], spacing[32];
    double angle = f->slope * RP_DEGREE;
    snprintf(gravity, sizeof gravity, "[%.17g, 0, %.17g]", G * sin(angle), -G * cos(angle));
    snprintf(velocity, sizeof velocity, "[%.17g, 0, 0]", f->start);
    snprintf(spacing, sizeof spacing, "%.17g", f->spacing);
    const rp_setting settings[] = {
        {"gravity", gravity},
        {"sources.layer.velocity", velocity},
        {"particles.spacing", spacing},
        {"materials.beads.viscosity", f->viscosity},
    };
    return rp_trial_begin(c, "scene.yaml", settings, 4, trial);
}

/* Adds the speeds of an instant to the layers, one spacing thick each. */
static void add_layers(const rp_view *view, flow *f, double counts[LAYERS_MOST])
{
    for (size_t i = 0; i < view->count; i++) {
        int layer = (int)(view->z[i] / f->spacing);
        if (layer < 0 || layer >= LAYERS_MOST) continue;
        f->speed[layer] += view->vx[i];
        counts[layer]++;
    }
}

static void average(flow *f, const double counts[LAYERS_MOST])
{
    f->mean /= SAMPLES;
    f->first /= SAMPLES / 2;
    f->layers = (int)(DEPTH / f->spacing + 0.5);
    for (int i = 0; i < f->layers; i++) {
        f->height[i] = (i + 0.5) * f->spacing;
        f->closed[i] = bagnold(f->slope, f->height[i]);
        f->speed[i] = counts[i] > 0 ? f->speed[i] / counts[i] : NAN;
    }
}

static rp_code follow(rp_case_context *c, flow *f)
{
    double counts[LAYERS_MOST] = {0};
    rp_trial trial;
    rp_code code = begin(c, f, &trial);
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        rp_view view;
        code = rp_case_run_to(c, trial.world, f->time + i * EVERY, i ? 1 : 20);
        if (code != RP_OK) break;
        rp_world_view(trial.world, &view);
        rp_sand_sums sums = rp_sand_sum(&view);
        f->mean += sums.momentum[0] / sums.mass;
        if (i < SAMPLES / 2) f->first += sums.momentum[0] / sums.mass;
        add_layers(&view, f, counts);
    }
    average(f, counts);
    rp_trial_end(&trial);
    return code;
}

/* The largest difference of a layer's speed from the closed form at the measured mean speed, in per
 * cent of the speed at the surface. */
static double misfit(const flow *f)
{
    double scale = f->mean / bagnold_mean(f->slope), most = 0;
    for (int i = 0; i < f->layers; i++)
        most = fmax(most, fabs(f->speed[i] - scale * f->closed[i]));
    return 100 * most / (scale * bagnold(f->slope, DEPTH));
}

static void judge(rp_case_context *c, const flow *f)
{
    char what[96];
    snprintf(what, sizeof what, "mean speed at %g degrees, of the closed form's", f->slope);
    rp_judge_near(c, what, 100 * f->mean / bagnold_mean(f->slope), 100, LIMIT, "%");
    snprintf(what, sizeof what, "worst layer at %g degrees, of the surface's speed", f->slope);
    rp_judge_at_most(c, what, misfit(f), LIMIT, "%");
    rp_case_note(
        c, "%g degrees: %.4g m/s, closed form %.4g m/s; first half of the evaluation %.4g m/s",
        f->slope, f->mean, bagnold_mean(f->slope), f->first);
}

static void draw(rp_case_context *c, const flow *flows, int count)
{
    rp_figure *figure = rp_case_figure(c, "Speed of a flowing layer", "speed along the slope [m/s]",
                                       "height above the floor [m]");
    for (int i = 0; i < count; i++) {
        char name[48];
        const flow *f = &flows[i];
        snprintf(name, sizeof name, "%g deg", f->slope);
        rp_figure_add(figure, name, RP_PLOT_POINTS, f->speed, f->height, NULL, (size_t)f->layers);
        snprintf(name, sizeof name, "%g deg, closed form", f->slope);
        rp_figure_add(figure, name, RP_PLOT_LINE, f->closed, f->height, NULL, (size_t)f->layers);
    }
}

/* Below the static angle friction is more than weight, whatever the speed: the flow ends. */
static rp_code stop(rp_case_context *c)
{
    flow f = {.slope = STATIC_ANGLE - STOPS_BELOW,
              .spacing = 0.01,
              .viscosity = "0.01",
              .start = STOPS_FROM,
              .time = 1.5};
    rp_code code = follow(c, &f);
    char what[96];
    snprintf(what, sizeof what, "speed left at %g degrees", f.slope);
    if (code == RP_OK) rp_judge_at_most(c, what, fabs(f.mean), REST_LIMIT, "m/s");
    return code;
}

/* How much of the resistance artificial viscosity has, from the difference of speed without it. */
static rp_code compare_viscosity(rp_case_context *c, double spacing)
{
    static const char *const viscosity[] = {"0.01", "0"};
    double speed[2] = {0};
    rp_code code = RP_OK;
    for (int i = 0; i < 2 && code == RP_OK; i++) {
        flow f = {.slope = 26, .spacing = spacing, .viscosity = viscosity[i], .time = 4};
        f.start = bagnold_mean(f.slope);
        code = follow(c, &f);
        speed[i] = f.mean / bagnold_mean(f.slope);
    }
    rp_case_note(c,
                 "26 degrees, spacing %g m: %.1f %% of the closed form, without viscosity %.1f %%",
                 spacing, 100 * speed[0], 100 * speed[1]);
    return code;
}

static rp_code run(rp_case_context *c)
{
    static const double slopes[] = {24, 26, 28};
    flow flows[3] = {0};
    rp_code code = RP_OK;
    for (int i = 0; i < 3 && code == RP_OK; i++) {
        flow *f = &flows[i];
        *f = (flow){.slope = slopes[i], .spacing = 0.01, .viscosity = "0.01"};
        f->start = c->quick ? bagnold_mean(f->slope) : 0;
        f->time = c->quick ? 3 : 12;
        code = follow(c, f);
        if (code == RP_OK) judge(c, f);
    }
    if (code == RP_OK) draw(c, flows, 3);
    if (code == RP_OK) code = stop(c);
    if (code == RP_OK && !c->quick) code = compare_viscosity(c, 0.01);
    if (code == RP_OK && !c->quick) code = compare_viscosity(c, 0.005);
    return code;
}

const rp_case rp_case_flowing_layer = {"flowing-layer",
                                       "A layer flows down a slope at the speed of mu(I)", run};
