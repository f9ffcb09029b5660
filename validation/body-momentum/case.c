/* Grains and bodies keep the momentum of all together. */
#include "validation/bodies.h"

#include <math.h>
#include <stdio.h>

#define LINEAR_WITH_SAND 1e-6 /* of the sum of the lengths */
#define LINEAR_OF_BODIES 1e-9 /* likewise */
#define ANGULAR_LIMIT 0.01    /* of the start's */
#define FALL_LIMIT 1e-5       /* of m g t */
#define SPEED_LOST 0.05       /* of the first body's, at least */
#define GRAVITY 9.81          /* m/s2 */
#define SAMPLES 1024          /* of the figures; all steps count */

typedef struct balance {
    rp_sand_sums start, now;
    double linear, angular;    /* largest changes, in parts of what they are held to */
    double first_speed, speed; /* m/s, of the first body */
    double time[SAMPLES], off[SAMPLES];
    int samples, steps;
} balance;

static const double origin[3];

static void evaluate(balance *b, const rp_view *view)
{
    double linear = rp_distance(b->now.momentum, b->start.momentum) / b->start.momentum_size;
    double angular =
        rp_distance(b->now.angular, b->start.angular) / rp_distance(b->start.angular, origin);
    if (!(linear <= b->linear)) b->linear = linear; /* also when it is no number */
    if (!(angular <= b->angular)) b->angular = angular;
    b->speed = rp_distance(view->bodies[0].velocity, origin);
    b->steps++;
    if (b->samples == SAMPLES) return;
    b->time[b->samples] = view->time;
    b->off[b->samples++] = angular;
}

static rp_code follow(rp_case_context *c, const rp_trial *trial, balance *b)
{
    rp_view view;
    rp_code code = RP_OK;
    *b = (balance){0};
    rp_world_view(trial->world, &view);
    b->start = rp_all_sum(&view, trial->scene);
    b->first_speed = rp_distance(view.bodies[0].velocity, origin);
    while (code == RP_OK && view.time < rp_scene_duration(trial->scene)) {
        code = rp_world_step(trial->world, c->report);
        rp_world_view(trial->world, &view);
        b->now = rp_all_sum(&view, trial->scene);
        evaluate(b, &view);
    }
    return code;
}

static void judge(rp_case_context *c, const balance *b, const char *name, double linear)
{
    char what[160];
    snprintf(what, sizeof what, "%s: change of momentum / sum of |p|", name);
    rp_judge_at_most(c, what, b->linear, linear, "");
    snprintf(what, sizeof what, "%s: change of angular momentum", name);
    rp_judge_at_most(c, what, 100 * b->angular, 100 * ANGULAR_LIMIT, "%");
    snprintf(what, sizeof what, "%s: speed that the first body lost", name);
    rp_judge_at_least(c, what, 100 * (1 - b->speed / b->first_speed), 100 * SPEED_LOST, "%");
    rp_case_note(c, "%s: %d steps", name, b->steps);
}

static rp_code collide_with_sand(rp_case_context *c, double density, const char *spacing, int edge,
                                 rp_figure *figure)
{
    static balance b;
    char text[32], name[64];
    snprintf(text, sizeof text, "%g", density);
    snprintf(name, sizeof name, "sand and ball of %g kg/m3, %d grains", density, edge);
    const rp_setting settings[] = {{"bodies.ball.density", text}, {"particles.spacing", spacing}};
    rp_trial trial;
    rp_case_progress(c, "%s", name);
    rp_code code = rp_trial_begin(c, "sand.yaml", settings, 2, &trial);
    if (code == RP_OK) code = follow(c, &trial, &b);
    if (code == RP_OK) {
        judge(c, &b, name, LINEAR_WITH_SAND);
        rp_figure_add(figure, name, RP_PLOT_LINE, b.time, b.off, NULL, (size_t)b.samples);
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code collide_bodies(rp_case_context *c, rp_figure *figure)
{
    static balance b;
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "solids.yaml", NULL, 0, &trial);
    if (code == RP_OK) code = follow(c, &trial, &b);
    if (code == RP_OK) {
        judge(c, &b, "sphere and box", LINEAR_OF_BODIES);
        rp_figure_add(figure, "sphere and box", RP_PLOT_LINE, b.time, b.off, NULL,
                      (size_t)b.samples);
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code fall(rp_case_context *c)
{
    static balance b;
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "fall.yaml", NULL, 0, &trial);
    if (code == RP_OK) code = follow(c, &trial, &b);
    if (code == RP_OK) {
        double time = rp_world_time(trial.world), fallen = b.now.mass * GRAVITY * time;
        const double expected[3] = {0, 0, -fallen};
        rp_judge_at_most(c, "free fall: |P - m g t| / m g t",
                         rp_distance(b.now.momentum, expected) / fallen, FALL_LIMIT, "");
        rp_case_note(c, "free fall: %d steps", b.steps);
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    static const double densities[] = {160, 1600, 16000};
    rp_figure *figure =
        rp_case_figure(c, "Angular momentum lost or won", "time [s]", "|L - L(0)| / |L(0)|");
    rp_code code = collide_bodies(c, figure);
    if (code == RP_OK) code = fall(c);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = collide_with_sand(c, densities[i], "2.5 cm", 24, figure);
    for (int i = 0; i < 3 && code == RP_OK && !c->quick; i++)
        code = collide_with_sand(c, densities[i], "1.5 cm", 40, figure);
    return code;
}

const rp_case rp_case_body_momentum = {"body-momentum", "Grains and bodies conserve momentum", run};
