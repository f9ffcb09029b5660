/* A plunger presses a pile of tetrahedra and lets it go. */
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define DISTANCE_LIMIT 0.05
#define PEAK_LIMIT 0.5
#define LOSS_LIMIT 10.0 /* per cent */
#define RECOVERED 0.67
#define RECOVERED_LIMIT 0.15
#define FREE 0.02     /* of the largest stress: below, the plunger is free */
#define DIAMETER 0.01 /* m */
#define HALF 0.02     /* m, of the plunger's height */
#define FLATTEN 0.10  /* of the settled height */
#define PRESS 0.18    /* likewise */
#define SPEED 0.05    /* m/s, of the plunger */
#define HOLD 0.1      /* s */
#define SAMPLES 240
#define CURVE 100
#define PI 3.14159265358979

typedef struct press {
    double radius;  /* m, of the cylinder */
    double height;  /* m, of the settled pile */
    double settled; /* s */
    double aloft;   /* m, where the plunger waits */
    double down, held, up,
        free; /* s: loading begins, loading ends, unloading begins, plunger is free */
    double z[SAMPLES], stress[SAMPLES]; /* m, Pa */
    int samples, turn;                  /* turn: the first of going up */
    double loss, recovered;
    double strain[SAMPLES];
    rp_force_lists forces;
} press;

static rp_code begin(rp_case_context *c, const char *keys, rp_trial *trial)
{
    const rp_setting settings[] = {
        {"bodies.plunger.keys", keys},
        {"materials.stone.young", "10 MPa"},
        {"sources.fill.radius", "22.9 cm"},
        {"sources.fill.height", "56 cm"},
        {"sources.fill.position", "[0, 0, 28.6 cm]"},
        {"bodies.wall.radius", "23 cm"},
        {"bodies.wall.neck", "23 cm"},
        {"bodies.plunger.radius", "22.9 cm"},
    };
    return rp_trial_begin(c, "scene.yaml", settings, c->quick ? 1 : 8, trial);
}

/* The pile without the plunger, to know where it ends. */
static rp_code settle(rp_case_context *c, press *p)
{
    rp_trial trial;
    rp_view view;
    rp_code code = begin(c, "[{time: 0, position: [0, 0, 2.5 m]}]", &trial);
    if (code == RP_OK) code = rp_grains_settle(c, trial.world, 1e-3, 0.4, c->quick ? 1 : 3);
    if (code == RP_OK) {
        rp_world_view(trial.world, &view);
        p->settled = view.time;
        p->height = rp_grains_height(&view, 1) + DIAMETER / 2;
        rp_case_note(c, "%zu grains settle to %.3g cm in %.3g s", view.count, 100 * p->height,
                     p->settled);
    }
    rp_trial_end(&trial);
    return code;
}

/* Flatten, raise, load, hold, unload; the plunger waits above the grains while they fall. */
static void plan(press *p, char *keys, size_t size)
{
    double top = p->height + DIAMETER, flat = (1 - FLATTEN) * p->height;
    double low = (1 - PRESS) * p->height, lift = flat + 0.5 * DIAMETER;
    double flattened = p->settled + (top - flat) / (2 * SPEED);
    p->down = flattened + (lift - flat) / (2 * SPEED);
    p->held = p->down + (lift - low) / SPEED;
    p->up = p->held + HOLD;
    p->free = p->up + (p->height - low) / SPEED;
    snprintf(keys, size,
             "[{time: %.9g, position: [0, 0, %.9g]}, {time: %.9g, position: [0, 0, %.9g]}, "
             "{time: %.9g, position: [0, 0, %.9g]}, "
             "{time: %.9g, position: [0, 0, %.9g]}, {time: %.9g, position: [0, 0, %.9g]}, "
             "{time: %.9g, position: [0, 0, %.9g]}, {time: %.9g, position: [0, 0, %.9g]}]",
             p->settled - 0.15, p->aloft, p->settled, top + HALF, flattened, flat + HALF, p->down,
             lift + HALF, p->held, low + HALF, p->up, low + HALF, p->free, p->height + HALF);
}

/* Samples while the plunger moves, averaged over nothing: contacts are many. */
static rp_code sample(rp_case_context *c, press *p, const rp_trial *trial, double from, double to)
{
    int plunger = rp_scene_find_body(trial->scene, "plunger"), count = SAMPLES / 2;
    rp_code code = RP_OK;
    for (int i = 0; i < count && code == RP_OK; i++) {
        rp_view view;
        code = rp_case_run_to(c, trial->world, from + (to - from) * (i + 1) / count, 1);
        rp_world_view(trial->world, &view);
        p->z[p->samples] = view.bodies[plunger].position[2] - HALF;
        p->stress[p->samples++] = view.bodies[plunger].force[2] / (PI * p->radius * p->radius);
    }
    return code;
}

static rp_code compress(rp_case_context *c, press *p)
{
    char keys[1024];
    rp_trial trial;
    rp_view view;
    plan(p, keys, sizeof keys);
    rp_code code = begin(c, keys, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, p->down, 20);
    if (code == RP_OK) code = sample(c, p, &trial, p->down, p->held);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, p->up, 4);
    if (code == RP_OK) code = rp_world_contacts(trial.world, &view, c->report);
    if (code == RP_OK)
        code = rp_layered_forces(&view, DIAMETER, (1 - PRESS) * p->height - DIAMETER, 2 * DIAMETER,
                                 &p->forces, c->report);
    p->turn = p->samples;
    if (code == RP_OK) code = sample(c, p, &trial, p->up, p->free);
    rp_trial_end(&trial);
    return code;
}

/* Strain from the first load on; its part that is recovered, and that of the work. */
static void work_out(press *p)
{
    double most = 0, start = NAN, end = NAN, in = 0, back = 0;
    for (int i = 0; i < p->samples; i++)
        most = fmax(most, p->stress[i]);
    for (int i = 0; i < p->turn; i++)
        if (isnan(start) && p->stress[i] > FREE * most) start = p->z[i];
    for (int i = p->turn; i < p->samples; i++)
        if (isnan(end) && p->stress[i] < FREE * most) end = p->z[i];
    for (int i = 0; i < p->samples; i++)
        p->strain[i] = (start - p->z[i]) / start;
    for (int i = 1; i < p->turn; i++)
        in += (p->stress[i] + p->stress[i - 1]) / 2 * (p->strain[i] - p->strain[i - 1]);
    for (int i = p->turn + 1; i < p->samples; i++)
        back -= (p->stress[i] + p->stress[i - 1]) / 2 * (p->strain[i] - p->strain[i - 1]);
    double low = p->z[p->turn - 1];
    p->loss = 100 * (1 - back / in);
    p->recovered = (end - low) / (start - low);
}

static void judge(rp_case_context *c, const press *p, const rp_force_fits *fits)
{
    const double *v = fits->values;
    rp_judge_at_most(c, "2: distance of the gamma distribution", v[RP_FORCE_GAMMA_DISTANCE],
                     DISTANCE_LIMIT, "");
    rp_judge_near(c, "2: peak of P(f)", rp_force_peak(p->forces.normal, p->forces.count), 1,
                  PEAK_LIMIT, "");
    rp_judge_at_least(c, "7: work that is not given back", p->loss, LOSS_LIMIT, "%");
    rp_judge_near(c, "7: strain recovered", p->recovered, RECOVERED, RECOVERED_LIMIT, "");
    rp_case_note(c, "gamma: shape %.3g +- %.2g, distance %.3g; exponential fit: distance %.3g",
                 v[RP_FORCE_GAMMA], fits->errors[RP_FORCE_GAMMA], v[RP_FORCE_GAMMA_DISTANCE],
                 v[RP_FORCE_SILBERT_DISTANCE]);
    rp_case_note(c, "largest stress %.3g kPa at a strain of %.3g %%, %zu contacts",
                 p->stress[p->turn - 1] / 1000, 100 * p->strain[p->turn - 1], p->forces.count);
}

static void draw(rp_case_context *c, const press *p, const rp_force_fits *fits)
{
    double f[CURVE], gamma[CURVE], strain[SAMPLES], stress[SAMPLES];
    for (int i = 0; i < p->samples; i++) {
        strain[i] = 100 * p->strain[i];
        stress[i] = p->stress[i] / 1000;
    }
    for (int i = 0; i < CURVE; i++) {
        f[i] = 5.0 * (i + 0.5) / CURVE;
        gamma[i] = rp_force_gamma_density(fits->values[RP_FORCE_GAMMA], f[i]);
    }
    rp_figure *cycle = rp_case_figure(c, "Load and unload", "strain [%]", "stress [kPa]");
    rp_figure_add(cycle, "load", RP_PLOT_LINE, strain, stress, NULL, (size_t)p->turn);
    rp_figure_add(cycle, "unload", RP_PLOT_LINE, strain + p->turn, stress + p->turn, NULL,
                  (size_t)(p->samples - p->turn));
    rp_figure *figure = rp_case_figure(c, "Forces under load", "force / mean force", "P(f)");
    rp_figure_set_flags(figure, RP_FIGURE_LOG_Y);
    rp_case_draw_forces(figure, "normal", p->forces.normal, p->forces.count);
    rp_figure_add(figure, "gamma distribution", RP_PLOT_LINE, f, gamma, NULL, CURVE);
}

static rp_code run(rp_case_context *c)
{
    static press p;
    p = (press){.radius = c->quick ? 0.045 : 0.23, .aloft = c->quick ? 0.3 : 0.8};
    rp_force_fits fits;
    rp_code code = settle(c, &p);
    if (code == RP_OK) code = compress(c, &p);
    if (code == RP_OK) code = rp_force_fit_all(p.forces.normal, p.forces.count, &fits, c->report);
    if (code == RP_OK) {
        work_out(&p);
        judge(c, &p, &fits);
        draw(c, &p, &fits);
    }
    if (p.forces.normal) rp_force_lists_release(&p.forces);
    return code;
}

const rp_case rp_case_dem_load = {"dem-load", "A pile under a plunger", run};
