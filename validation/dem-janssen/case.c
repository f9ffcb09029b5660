/* The walls of a silo carry the grains: Janssen's law. */
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>

#define SHARE_LIMIT 75.0  /* per cent of the weight */
#define MISFIT_LIMIT 10.0 /* per cent of the largest load */
#define K_MIDDLE 0.9      /* between 0.3 and 1.5 */
#define K_LIMIT 0.6
#define FRICTION 0.5
#define PI 3.14159265358979
#define PORTIONS 6
#define LOOSE 1.2   /* height of a portion in the air, in diameters of the silo */
#define RISE 0.62   /* by which each begins higher than the one before, likewise */
#define SINK 1e-3   /* m, that the floor sinks after each */
#define SINKING 0.1 /* s */
#define SAMPLES 10
#define SAMPLING 0.02 /* s */

typedef struct silo {
    double diameter, between;                                  /* m; s from portion to portion */
    double height[PORTIONS], load[PORTIONS], weight[PORTIONS]; /* m, N, N */
    double density;                                            /* kg/m3, the last */
    double speed;                                              /* m/s, rms at the end */
    double k, misfit;                                          /* misfit: N, rms */
} silo;

static double area_of(const silo *s)
{
    return PI * s->diameter * s->diameter / 4;
}

static double janssen(const silo *s, double k, double height)
{
    double rate = 4 * FRICTION * k / s->diameter;
    return s->density * RP_EARTH / rate * -expm1(-rate * height) * area_of(s);
}

static double misfit_of(const silo *s, double k)
{
    double sum = 0;
    for (int i = 0; i < PORTIONS; i++) {
        double off = s->load[i] - janssen(s, k, s->height[i]);
        sum += off * off;
    }
    return sqrt(sum / PORTIONS);
}

static void fit(silo *s)
{
    s->misfit = INFINITY;
    for (int i = 0; i <= 4000; i++) {
        double k = 0.01 * pow(1000, i / 4000.0), misfit = misfit_of(s, k); /* 0.01 to 10 */
        if (misfit >= s->misfit) continue;
        s->misfit = misfit;
        s->k = k;
    }
}

/* Sources that appear one after another above those that have settled. */
static void plan(const silo *s, char *text, size_t size)
{
    double high = LOOSE * s->diameter;
    size_t used = 0;
    for (int i = 0; i < PORTIONS; i++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "%sp%d: {shape: cylinder, radius: %.6g, height: %.6g, position: "
                                 "[0, 0, %.6g], at: %.6g}",
                                 i ? ", " : "{", i, s->diameter / 2, high,
                                 RISE * s->diameter * i + high / 2 + 0.006, s->between * i);
    }
    snprintf(text + used, size - used, "}");
}

/* After each portion has come to rest the floor sinks a little, and what there is of time is for
 * rest again. */
static void plan_floor(const silo *s, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < PORTIONS; i++) {
        double end = s->between * (i + 1) - SINKING;
        used += (size_t)snprintf(text + used, size - used,
                                 "%s{time: %.6g, position: [0, 0, %.6g]}, "
                                 "{time: %.6g, position: [0, 0, %.6g]}",
                                 i ? ", " : "[", end - SINKING, -0.05 - SINK * i, end,
                                 -0.05 - SINK * (i + 1));
    }
    snprintf(text + used, size - used, "]");
}

static rp_code weigh(rp_case_context *c, silo *s, const rp_trial *trial, int i)
{
    int floor = rp_scene_find_body(trial->scene, "floor");
    double end = s->between * (i + 1) * (1 - 1e-9);
    rp_view view;
    rp_code code = RP_OK;
    for (int k = 1; k <= SAMPLES && code == RP_OK; k++) {
        code = rp_case_run_to(c, trial->world, end - SAMPLING * (SAMPLES - k) / SAMPLES, 1);
        rp_world_view(trial->world, &view);
        s->load[i] -= view.bodies[floor].force[2] / SAMPLES;
    }
    if (code != RP_OK) return code;
    double mass = rp_sand_sum(&view).mass;
    s->weight[i] = mass * RP_EARTH;
    s->height[i] = rp_grains_height(&view, 0.995) + 0.005;
    s->density = mass / (s->height[i] * area_of(s));
    s->speed = rp_sand_speed(&view);
    rp_case_note(c, "h = %.3g D: floor %.4g N, weight %.4g N, %zu grains, rms speed %.2g mm/s",
                 s->height[i] / s->diameter, s->load[i], s->weight[i], view.count, 1000 * s->speed);
    return RP_OK;
}

static void judge(rp_case_context *c, const silo *s)
{
    enum { LAST = PORTIONS - 1, CURVE = 60 };
    double height[CURVE], law[CURVE], weight[CURVE];
    rp_judge_at_most(c, "load on the floor / weight", 100 * s->load[LAST] / s->weight[LAST],
                     SHARE_LIMIT, "%");
    rp_judge_at_most(c, "misfit of Janssen's law / largest load", 100 * s->misfit / s->load[LAST],
                     MISFIT_LIMIT, "%");
    rp_judge_near(c, "K, the one number fitted", s->k, K_MIDDLE, K_LIMIT, "");
    for (int i = 0; i < CURVE; i++) {
        height[i] = s->height[LAST] * i / (CURVE - 1);
        law[i] = janssen(s, s->k, height[i]);
        weight[i] = s->density * RP_EARTH * height[i] * area_of(s);
    }
    rp_figure *figure =
        rp_case_figure(c, "Load on the floor of a silo", "height of the grains [m]", "force [N]");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, s->height, s->load, NULL, PORTIONS);
    rp_figure_add(figure, "Janssen's law, K fitted", RP_PLOT_LINE, height, law, NULL, CURVE);
    rp_figure_add(figure, "weight", RP_PLOT_DASHED, height, weight, NULL, CURVE);
}

static rp_code run(rp_case_context *c)
{
    char sources[2048], floor[2048];
    silo s = {.diameter = c->quick ? 0.08 : 0.2, .between = c->quick ? 0.55 : 1.1};
    plan(&s, sources, sizeof sources);
    plan_floor(&s, floor, sizeof floor);
    const rp_setting settings[] = {{"sources", sources},
                                   {"bodies.floor.keys", floor},
                                   {"bodies.wall.radius", "10 cm"},
                                   {"bodies.wall.neck", "10 cm"},
                                   {"bodies.floor.radius", "9.95 cm"},
                                   {"materials.bead.young", "10 MPa"}};
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 2 : 6, &trial);
    for (int i = 0; i < PORTIONS && code == RP_OK; i++)
        code = weigh(c, &s, &trial, i);
    if (code == RP_OK) {
        fit(&s);
        judge(c, &s);
    }
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_dem_janssen = {"dem-janssen", "The walls of a silo carry the grains", run};
