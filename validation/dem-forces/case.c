/* Forces in a pile of tetrahedra at rest: distributions, correlation, angles, networks. */
#include "base/memory.h"
#include "scene/scene.h"
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BETA 1.5
#define BETA_LIMIT (c->quick ? 0.3 : 0.15)
#define TAIL_N 1.5
#define TAIL_N_LIMIT 0.4
#define SHEAR_LIMIT 0.95 /* of the rate of the normal forces' tail */
#define CORRELATION_LIMIT 0.1
#define CORRELATION_FROM 3.0  /* diameters */
#define CORRELATION_RANGE 6.0 /* diameters */
#define SLAB 8.0              /* diameters */
#define ANGLE_LIMIT 0.15
#define STRONG 80.0 /* per cent */
#define STRONG_LIMIT 5.0
#define FLOOR 3.0 /* diameters that are left out above the floor */
#define TOP 5.0   /* and below the top */
#define LAYER 4.0 /* diameters */
#define CURVE 100
#define PILES 4

typedef struct pile {
    const char *name, *file, *shear_law;
    double friction;
    double still;    /* m/s, rms: the most that counts as rest */
    double diameter; /* m, of a sphere */
    rp_force_lists forces;
    rp_force_fits normal, shear;
    rp_force_fits pairs; /* normal, points of the same two grains as one */
    rp_angle_bin angles[RP_ANGLE_BINS];
    rp_correlation_bin correlation[RP_CORRELATION_BINS];
    double speed; /* m/s, rms */
} pile;

/* The same with all points of two grains as one contact. */
static rp_code study_pairs(rp_case_context *c, const rp_view *view, double low, double high,
                           pile *p)
{
    rp_view pairs = *view;
    rp_contact *contacts;
    rp_force_lists forces = {0};
    size_t count;
    rp_code code = rp_merge_contacts(view, &contacts, &count, c->report);
    pairs.contacts = contacts;
    if (code == RP_OK)
        code = rp_layered_forces(&pairs, low, high, LAYER * p->diameter, &forces, c->report);
    if (code == RP_OK) code = rp_force_fit_all(forces.normal, forces.count, &p->pairs, c->report);
    if (code == RP_OK)
        rp_case_note(
            c, "%s, points of two grains as one: beta %.3g +- %.2g, n %.3g, stronger half %.3g %%",
            p->name, p->pairs.values[RP_FORCE_SILBERT_BETA], p->pairs.errors[RP_FORCE_SILBERT_BETA],
            p->pairs.values[RP_FORCE_TAIL_N],
            100 * rp_strong_share(forces.normal, forces.count, 0.5));
    rp_force_lists_release(&forces);
    if (contacts) rp_release(contacts, count * sizeof *contacts);
    return code;
}

static rp_code study(rp_case_context *c, const rp_view *view, pile *p)
{
    double low = FLOOR * p->diameter, high = rp_grains_height(view, 0.99) - TOP * p->diameter;
    double middle = (low + high) / 2;
    rp_contact_space bulk = rp_contact_everywhere(), slab = bulk;
    bulk.region.low.z = low;
    bulk.region.high.z = high;
    slab.region.low.z = middle - SLAB / 2 * p->diameter;
    slab.region.high.z = middle + SLAB / 2 * p->diameter;
    p->speed = rp_sand_speed(view);
    rp_code code = rp_layered_forces(view, low, high, LAYER * p->diameter, &p->forces, c->report);
    if (code == RP_OK)
        code = rp_force_fit_all(p->forces.normal, p->forces.count, &p->normal, c->report);
    if (code == RP_OK && p->friction > 0)
        code = rp_force_fit_all(p->forces.shear, p->forces.count, &p->shear, c->report);
    if (code == RP_OK) code = rp_contact_angles(view, &bulk, rp_v3(0, 0, 1), p->angles, c->report);
    if (code == RP_OK)
        code = rp_contact_correlation(view, &slab, CORRELATION_RANGE * p->diameter, p->correlation,
                                      c->report);
    rp_case_note(c, "%s: %zu grains, %zu contacts in the bulk, rms speed %.2g mm/s", p->name,
                 view->count, p->forces.count, 1000 * p->speed);
    if (code == RP_OK && strcmp(p->file, "scene.yaml") == 0)
        code = study_pairs(c, view, low, high, p);
    return code;
}

static rp_code settle(rp_case_context *c, pile *p)
{
    char friction[32];
    snprintf(friction, sizeof friction, "%g", p->friction);
    const rp_setting settings[] = {
        {"materials.stone.friction", friction}, {"solver.shear", p->shear_law},
        {"materials.stone.young", "10 MPa"},    {"sources.fill.radius", "22.9 cm"},
        {"sources.fill.height", "56 cm"},       {"sources.fill.position", "[0, 0, 28.6 cm]"},
        {"bodies.wall.radius", "23 cm"},        {"bodies.wall.neck", "23 cm"},
    };
    rp_trial trial;
    rp_view view;
    rp_case_progress(c, "%s", p->name);
    rp_code code = rp_trial_begin(c, p->file, settings, c->quick ? 2 : 8, &trial);
    if (code == RP_OK) {
        const rp_grain_spec *kind = rp_scene_grains(trial.scene);
        p->diameter = 2 * kind->clump.balls[0].radius * kind->diameter;
        code = rp_grains_settle(c, trial.world, p->still / 5, 0.4, c->quick ? 1 : 2);
    }
    if (code == RP_OK) code = rp_world_contacts(trial.world, &view, c->report);
    if (code == RP_OK) code = study(c, &view, p);
    rp_trial_end(&trial);
    return code;
}

static void judge_one(rp_case_context *c, const pile *p, const char *what, double measured,
                      double expected, double limit, const char *unit)
{
    char text[128];
    snprintf(text, sizeof text, "%s: %s", p->name, what);
    rp_judge_near(c, text, measured, expected, limit, unit);
}

static void judge_forces(rp_case_context *c, const pile *p)
{
    const double *n = p->normal.values, *t = p->shear.values;
    char what[128];
    judge_one(c, p, "1, beta", n[RP_FORCE_SILBERT_BETA], BETA, BETA_LIMIT, "");
    judge_one(c, p, "1, n of exp(-c f^n)", n[RP_FORCE_TAIL_N], TAIL_N, TAIL_N_LIMIT, "");
    snprintf(what, sizeof what, "%s: 3, tail's rate, shear / normal", p->name);
    rp_judge_at_most(c, what, t[RP_FORCE_TAIL] / n[RP_FORCE_TAIL], SHEAR_LIMIT, "");
    judge_one(c, p, "6, stronger half",
              100 * rp_strong_share(p->forces.normal, p->forces.count, 0.5), STRONG, STRONG_LIMIT,
              "%");
    rp_case_note(c, "%s: a %.3g, b %.3g, beta %.3g +- %.2g, n %.3g +- %.2g, tail %.3g +- %.2g",
                 p->name, n[RP_FORCE_SILBERT_A], n[RP_FORCE_SILBERT_B], n[RP_FORCE_SILBERT_BETA],
                 p->normal.errors[RP_FORCE_SILBERT_BETA], n[RP_FORCE_TAIL_N],
                 p->normal.errors[RP_FORCE_TAIL_N], n[RP_FORCE_TAIL],
                 p->normal.errors[RP_FORCE_TAIL]);
    rp_case_note(c, "%s: shear tail %.3g +- %.2g, n %.3g +- %.2g", p->name, t[RP_FORCE_TAIL],
                 p->shear.errors[RP_FORCE_TAIL], t[RP_FORCE_TAIL_N],
                 p->shear.errors[RP_FORCE_TAIL_N]);
}

static void judge_correlation(rp_case_context *c, const pile *p)
{
    double worst = 0, last = 0;
    for (int i = 0; i < RP_CORRELATION_BINS; i++) {
        const rp_correlation_bin *b = &p->correlation[i];
        double off = fabs(b->value - 1);
        if (!(b->pairs > 0)) continue;
        if (b->distance > CORRELATION_FROM * p->diameter) worst = fmax(worst, off);
        if (off > CORRELATION_LIMIT) last = b->distance / p->diameter;
    }
    char what[128];
    snprintf(what, sizeof what, "%s: 4, |F - 1| beyond 3 diameters", p->name);
    rp_judge_at_most(c, what, worst, CORRELATION_LIMIT, "");
    rp_case_note(c, "%s: correlation above 0.1 up to %.3g diameters", p->name, last);
}

/* Bins of even angle count by the part of the sphere that they cover. */
static void judge_angles(rp_case_context *c, const pile *with, const pile *without)
{
    double sum = 0, whole = 0;
    for (int i = 0; i < RP_ANGLE_BINS; i++) {
        double step = 90.0 / RP_ANGLE_BINS * RP_DEGREE, part = cos(i * step) - cos((i + 1) * step);
        sum += part * fabs(with->angles[i].density - without->angles[i].density);
        whole += part;
    }
    rp_judge_at_most(c, "tetrahedra: 5, change of angles by friction", sum / whole, ANGLE_LIMIT,
                     "");
}

static void draw_forces(rp_case_context *c, const pile *p)
{
    double f[CURVE], exponential[CURVE];
    const double *n = p->normal.values;
    rp_silbert form = {n[RP_FORCE_SILBERT_A], n[RP_FORCE_SILBERT_B], n[RP_FORCE_SILBERT_BETA]};
    for (int i = 0; i < CURVE; i++) {
        f[i] = 6.0 * i / (CURVE - 1);
        exponential[i] = rp_silbert_density(&form, f[i]);
    }
    char title[96];
    snprintf(title, sizeof title, "Forces in a pile at rest: %s", p->name);
    rp_figure *figure = rp_case_figure(c, title, "force / mean force", "P(f)");
    rp_figure_set_flags(figure, RP_FIGURE_LOG_Y);
    rp_case_draw_forces(figure, "normal", p->forces.normal, p->forces.count);
    rp_case_draw_forces(figure, "tangential", p->forces.shear, p->forces.count);
    rp_figure_add(figure, "a (1 - b exp(-f^2)) exp(-beta f)", RP_PLOT_LINE, f, exponential, NULL,
                  CURVE);
}

static void draw_others(rp_case_context *c, const pile *piles)
{
    rp_figure *angles = rp_case_figure(c, "Angles of contacts", "angle to the vertical [deg]",
                                       "density (1: everywhere alike)");
    rp_figure *far = rp_case_figure(c, "Correlation of forces", "distance / diameter", "F");
    for (int k = 0; k < PILES; k++) {
        double angle[RP_ANGLE_BINS], density[RP_ANGLE_BINS], error[RP_ANGLE_BINS];
        double distance[RP_CORRELATION_BINS], value[RP_CORRELATION_BINS];
        const pile *p = &piles[k];
        for (int i = 0; i < RP_ANGLE_BINS; i++) {
            angle[i] = 90.0 / RP_ANGLE_BINS * (i + 0.5);
            density[i] = p->angles[i].density;
            error[i] = p->angles[i].error;
        }
        for (int i = 0; i < RP_CORRELATION_BINS; i++) {
            distance[i] = p->correlation[i].distance / p->diameter;
            value[i] = p->correlation[i].pairs > 0 ? p->correlation[i].value : NAN;
        }
        rp_figure_add(angles, p->name, RP_PLOT_LINE, angle, density, error, RP_ANGLE_BINS);
        rp_figure_add(far, p->name, RP_PLOT_LINE, distance, value, NULL, RP_CORRELATION_BINS);
    }
    rp_figure_set_flags(angles, RP_FIGURE_ZERO_Y);
}

/* Without friction, or without contact history, packings creep to rest. */
static const pile wanted[PILES] = {
    {"tetrahedra", "scene.yaml", "history", .friction = 0.5, .still = 1e-3},
    {"without history", "scene.yaml", "viscous", .friction = 0.5, .still = 5e-3},
    {"spheres", "spheres.yaml", "history", .friction = 0.5, .still = 1e-3},
    {"without friction", "scene.yaml", "history", .friction = 0, .still = 5e-3},
};

static void judge(rp_case_context *c, const pile *p)
{
    char what[64];
    if (p->friction > 0) {
        judge_forces(c, p);
        judge_correlation(c, p);
        draw_forces(c, p);
    }
    snprintf(what, sizeof what, "%s: speed at rest", p->name);
    rp_judge_at_most(c, what, 1000 * p->speed, 1000 * p->still, "mm/s");
}

static rp_code run(rp_case_context *c)
{
    static pile piles[PILES];
    rp_code code = RP_OK;
    for (int k = 0; k < PILES && code == RP_OK; k++) {
        piles[k] = wanted[k];
        code = settle(c, &piles[k]);
        if (code == RP_OK) judge(c, &piles[k]);
    }
    if (code == RP_OK) {
        judge_angles(c, &piles[0], &piles[3]);
        draw_others(c, piles);
    }
    for (int k = 0; k < PILES; k++)
        if (piles[k].forces.normal) rp_force_lists_release(&piles[k].forces);
    return code;
}

const rp_case rp_case_dem_forces = {"dem-forces", "Forces inside a pile at rest", run};
