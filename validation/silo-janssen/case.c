/* The walls of a silo carry the sand: Janssen's law. */
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define SHARE_LIMIT 75.0  /* per cent of the weight */
#define MISFIT_LIMIT 10.0 /* per cent of the largest load */
#define K_MIDDLE 0.9      /* between 0.3 and 1.5 */
#define K_LIMIT 0.6
#define FRICTION 0.4   /* of wall and material, as the scene says */
#define DENSITY 1600.0 /* kg/m3 */
#define G 9.81         /* m/s2 */
#define PI 3.14159265358979
#define PORTIONS 6
#define SPEED 0.5  /* m/s, of the rain at the nozzle */
#define WIDTH 0.85 /* of the nozzle, in diameters */
#define REST 0.5   /* s, after the last grain of a portion has left the nozzle and fallen */
#define CLEAR 0.1  /* m, from the sand to the nozzle */
#define SAMPLES 20
#define SAMPLING 0.2 /* s */

typedef struct silo {
    double diameter;                                           /* m */
    double height[PORTIONS], load[PORTIONS], weight[PORTIONS]; /* m, N, N */
    double wall[PORTIONS];                                     /* N, what hangs on the wall */
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
    return DENSITY * G / rate * -expm1(-rate * height) * area_of(s);
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

/* The load falls with k everywhere, but the misfit may be flat far off: look at all of a fine
 * grid. */
static void fit(silo *s)
{
    s->misfit = INFINITY;
    for (int i = 0; i <= 4000; i++) {
        double k = 0.01 * pow(1000, i / 4000.0), misfit = misfit_of(s, k); /* 0.01 to 10 */
        if (misfit < s->misfit) {
            s->misfit = misfit;
            s->k = k;
        }
    }
}

/* One portion: a nozzle that rains half a diameter of sand, then rest. */
static rp_code rain(rp_case_context *c, const silo *s, const rp_trial *trial, int portion)
{
    double start = rp_world_time(trial->world), portion_height = s->diameter / 2;
    rp_emitter_def nozzle = rp_default_emitter();
    nozzle.position[2] = (portion + 1) * portion_height + CLEAR;
    nozzle.direction[0] = nozzle.direction[1] = 0;
    nozzle.direction[2] = -1;
    nozzle.radius = WIDTH * s->diameter / 2;
    nozzle.speed = SPEED;
    nozzle.start = start;
    nozzle.stop = start + portion_height / (SPEED * WIDTH * WIDTH);
    nozzle.material = rp_scene_find_material(trial->scene, "sand");
    rp_code code = rp_world_add_emitter(trial->world, &nozzle, c->report);
    double fall = sqrt(2 * (portion_height + CLEAR) / G);
    if (code == RP_OK) code = rp_case_run_to(c, trial->world, nozzle.stop + fall + REST, 20);
    return code;
}

static rp_code weigh(rp_case_context *c, silo *s, const rp_trial *trial, int portion)
{
    int floor = rp_scene_find_body(trial->scene, "floor");
    int wall = rp_scene_find_body(trial->scene, "wall");
    double start = rp_world_time(trial->world);
    rp_view view;
    rp_code code = RP_OK;
    for (int i = 1; i <= SAMPLES && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial->world, start + SAMPLING * i / SAMPLES, 1);
        rp_world_view(trial->world, &view);
        s->load[portion] -= view.bodies[floor].force[2] / SAMPLES;
        s->wall[portion] -= view.bodies[wall].force[2] / SAMPLES;
    }
    if (code != RP_OK) return code;
    double mass = rp_sand_sum(&view).mass;
    s->weight[portion] = mass * G;
    s->height[portion] = mass / (DENSITY * area_of(s));
    s->speed = rp_sand_speed(&view);
    rp_case_note(c, "h = %.3g D: floor %.4g N, wall %.4g N, weight %.4g N, rms speed %.2g mm/s",
                 s->height[portion] / s->diameter, s->load[portion], s->wall[portion],
                 s->weight[portion], 1000 * s->speed);
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
        weight[i] = DENSITY * G * height[i] * area_of(s);
    }
    rp_figure *figure =
        rp_case_figure(c, "Load on the floor of a silo", "height of the sand [m]", "force [N]");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, s->height, s->load, NULL, PORTIONS);
    rp_figure_add(figure, "Janssen's law, K fitted", RP_PLOT_LINE, height, law, NULL, CURVE);
    rp_figure_add(figure, "weight", RP_PLOT_DASHED, height, weight, NULL, CURVE);
}

static rp_code run(rp_case_context *c)
{
    static const rp_setting narrow[] = {{"bodies.wall.radius", "7 cm"},
                                        {"bodies.wall.neck", "7 cm"}};
    silo s = {.diameter = c->quick ? 0.14 : 0.2};
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "scene.yaml", narrow, c->quick ? 2 : 0, &trial);
    for (int i = 0; i < PORTIONS && code == RP_OK; i++) {
        code = rain(c, &s, &trial, i);
        if (code == RP_OK) code = weigh(c, &s, &trial, i);
    }
    if (code == RP_OK) {
        fit(&s);
        judge(c, &s);
    }
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_silo_janssen = {"silo-janssen", "The walls of a silo carry the sand", run};
