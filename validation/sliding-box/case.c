/* A box slides down a board as Coulomb's law says, or stays. */
#include "validation/bodies.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81     /* m/s2 */
#define WITHIN 0.03      /* of the acceleration by the law */
#define STAY_LIMIT 1e-3  /* m */
#define SETTLED 0.2      /* s, when the box has come to lie on the board */
#define TIME_SLIDE 1.0   /* s */
#define TIME_STAY 2.0    /* s */
#define START 2.5        /* m, up the board from its centre */
#define HALF_HEIGHTS 0.1 /* m, of board and box together */
#define SAMPLES 128

typedef struct slide {
    double time[SAMPLES], speed[SAMPLES]; /* s; m/s down the board */
    int count;
    double distance, moved; /* m down the board, and in any direction, at the end */
} slide;

static rp_code begin(rp_case_context *c, double angle, double friction, rp_trial *trial)
{
    char tilt[64], place[128], mu[32];
    double up = START, off = HALF_HEIGHTS;
    snprintf(tilt, sizeof tilt, "[0, %.17g deg, 0]", angle / RP_DEGREE);
    snprintf(place, sizeof place, "[%.17g, 0, %.17g]", off * sin(angle) - up * cos(angle),
             off * cos(angle) + up * sin(angle));
    snprintf(mu, sizeof mu, "%g", friction);
    const rp_setting settings[] = {{"bodies.board.rotation", tilt},
                                   {"bodies.box.rotation", tilt},
                                   {"bodies.box.position", place},
                                   {"bodies.board.friction", mu},
                                   {"bodies.box.friction", mu}};
    return rp_trial_begin(c, "scene.yaml", settings, 5, trial);
}

static double down(const double v[3], double angle)
{
    return v[0] * cos(angle) - v[2] * sin(angle);
}

static rp_code follow(rp_case_context *c, const rp_trial *trial, double angle, double until,
                      slide *s)
{
    static const double origin[3];
    int box = rp_scene_find_body(trial->scene, "box");
    rp_view view;
    rp_world_view(trial->world, &view);
    rp_body_state first = view.bodies[box];
    rp_code code = RP_OK;
    for (int i = 0; i < SAMPLES && 0.02 * i < until + 0.01 && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial->world, 0.02 * i, 1);
        rp_world_view(trial->world, &view);
        const rp_body_state *now = &view.bodies[box];
        double distance[3];
        for (int a = 0; a < 3; a++)
            distance[a] = now->position[a] - first.position[a];
        s->distance = down(distance, angle);
        s->moved = fmax(s->moved, rp_distance(distance, origin));
        s->time[s->count] = view.time;
        s->speed[s->count++] = down(now->velocity, angle);
    }
    return code;
}

static double speed_at(const slide *s, double time)
{
    int i = (int)lround(time / 0.02);
    return i < s->count ? s->speed[i] : NAN;
}

static rp_code let_slide(rp_case_context *c, double friction, rp_figure *figure)
{
    double angle = 30 * RP_DEGREE, law = GRAVITY * (sin(angle) - friction * cos(angle));
    slide s = {0};
    rp_trial trial;
    char what[160];
    rp_code code = begin(c, angle, friction, &trial);
    if (code == RP_OK) code = follow(c, &trial, angle, TIME_SLIDE, &s);
    if (code == RP_OK) {
        double gained = speed_at(&s, TIME_SLIDE) - speed_at(&s, SETTLED);
        snprintf(what, sizeof what, "acceleration on 30 degrees, friction %g", friction);
        rp_judge_near(c, what, gained / (TIME_SLIDE - SETTLED), law, WITHIN * law, "m/s2");
        rp_case_note(c, "friction %g: %.5g m down the board in %g s, by the law %.5g m", friction,
                     s.distance, TIME_SLIDE, 0.5 * law * TIME_SLIDE * TIME_SLIDE);
    }
    snprintf(what, sizeof what, "friction %g", friction);
    rp_figure_add(figure, what, RP_PLOT_LINE, s.time, s.speed, NULL, (size_t)s.count);
    rp_trial_end(&trial);
    return code;
}

static rp_code let_stay(rp_case_context *c)
{
    double angle = 15 * RP_DEGREE;
    slide s = {0};
    rp_trial trial;
    rp_code code = begin(c, angle, 0.3, &trial);
    if (code == RP_OK) code = follow(c, &trial, angle, TIME_STAY, &s);
    if (code == RP_OK) {
        rp_judge_at_most(c, "distance in 2 s on 15 degrees, friction 0.3", 1000 * s.moved,
                         1000 * STAY_LIMIT, "mm");
        rp_case_note(c, "the box that stays: %.3g mm down the board at the end", 1000 * s.distance);
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    static const double frictions[] = {0.1, 0.3, 0.5};
    rp_figure *figure = rp_case_figure(c, "A box on a board of 30 degrees", "time [s]",
                                       "speed down the board [m/s]");
    rp_code code = RP_OK;
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = let_slide(c, frictions[i], figure);
    return code == RP_OK ? let_stay(c) : code;
}

const rp_case rp_case_sliding_box = {"sliding-box", "A box slides down a board by Coulomb friction",
                                     run};
