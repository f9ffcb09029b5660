/* Collisions, rolling and sliding against the pencil. */
#include "base/report.h"
#include "validation/grains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIMIT 0.01 /* of each number */
#define SPEED 1.0  /* m/s, of approach */
#define PI 3.14159265358979
#define HERTZ_LASTS 2.9432655 /* depth over speed */
#define YOUNG 10e6            /* Pa, the default */
#define POISSON 0.3
#define CONTACT_TIME 1e-3 /* s */
#define COLLIDED 0.03     /* s, they are apart again */
#define RADIUS 0.01       /* m, of the sphere on the plane */
#define FRICTION 0.3
#define BLOCK_FRICTION 0.2
#define CREEP 1e-4  /* m/s, of a block that stays */
#define STANDS 1e-6 /* m/s, of a sphere that rolling friction holds */
#define ROLLING 0.1
#define ROLLING_TEXT "0.1"
#define SPIN (1800 * RP_DEGREE) /* rad/s, of the table */
#define SAMPLES 400

typedef struct hit {
    const char *law;
    double restitution;
    const char *steps;
    double mass;                 /* kg, of one */
    double after, lasted, depth; /* m/s; s; m */
    double time[SAMPLES], force[SAMPLES];
    int samples;
} hit;

static rp_code watch(rp_case_context *c, rp_world *world, hit *h)
{
    rp_code code = RP_OK;
    rp_view view;
    double began = 0;
    while (code == RP_OK && rp_world_time(world) < COLLIDED) {
        code = rp_world_step(world, c->report);
        if (code == RP_OK) code = rp_world_contacts(world, &view, c->report);
        if (code != RP_OK || !view.contact_count || !(view.contacts[0].normal_force > 0)) continue;
        if (!(h->lasted > 0)) began = view.time;
        h->lasted += view.dt;
        h->depth = fmax(h->depth, (double)view.contacts[0].overlap);
        if (h->samples < SAMPLES && view.time - began >= 5e-6 * h->samples) {
            h->time[h->samples] = 1000 * (view.time - began);
            h->force[h->samples++] = (double)view.contacts[0].normal_force;
        }
    }
    RP_TRY(code);
    rp_world_view(world, &view);
    h->mass = (double)view.mass[0];
    h->after = fabs((double)view.vx[0] - (double)view.vx[1]);
    return view.count == 2 ? RP_OK : RP_ERROR_FAILED;
}

static rp_code collide(rp_case_context *c, hit *h)
{
    char restitution[32];
    snprintf(restitution, sizeof restitution, "%g", h->restitution);
    const rp_setting settings[] = {{"solver.law", h->law},
                                   {"materials.bead.restitution", restitution},
                                   {"solver.steps", h->steps}};
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "collide.yaml", settings, 3, &trial);
    if (code == RP_OK) code = watch(c, trial.world, h);
    rp_trial_end(&trial);
    return code;
}

static void judge_part(rp_case_context *c, const char *what, double measured, double expected,
                       double limit, const char *unit)
{
    rp_judge_near(c, what, measured, expected, limit * fabs(expected), unit);
}

static void judge_hit(rp_case_context *c, const hit *h)
{
    char what[128], whose[64];
    bool hertz = strcmp(h->law, "hertz") == 0;
    snprintf(whose, sizeof whose, "%s, e = %g, %s steps", h->law, h->restitution, h->steps);
    snprintf(what, sizeof what, "%s: restitution", whose);
    judge_part(c, what, h->after / SPEED, h->restitution, LIMIT, "");
    if (strcmp(h->steps, "1000") != 0) return;
    double mass = h->mass / 2, stiff = YOUNG / (2 * (1 - POISSON * POISSON));
    double depth =
        pow(15 * mass * SPEED * SPEED / (16 * stiff * sqrt(0.005 / 2)), 0.4); /* 5 mm radii */
    double lasts = hertz ? HERTZ_LASTS * depth / SPEED : CONTACT_TIME;
    if (!hertz) depth = SPEED * CONTACT_TIME / PI;
    snprintf(what, sizeof what, "%s: contact time", whose);
    if (h->restitution == 1 || !hertz)
        judge_part(c, what, 1000 * h->lasted, 1000 * lasts, LIMIT, "ms");
    snprintf(what, sizeof what, "%s: depth", whose);
    if (h->restitution == 1) judge_part(c, what, 1000 * h->depth, 1000 * depth, LIMIT, "mm");
}

static rp_code hits(rp_case_context *c)
{
    static const hit specified[] = {{.law = "hertz", .restitution = 1, .steps = "1000"},
                                    {.law = "hertz", .restitution = 0.8, .steps = "1000"},
                                    {.law = "hertz", .restitution = 0.3, .steps = "1000"},
                                    {.law = "linear", .restitution = 1, .steps = "1000"},
                                    {.law = "linear", .restitution = 0.8, .steps = "1000"},
                                    {.law = "linear", .restitution = 0.3, .steps = "1000"},
                                    {.law = "hertz", .restitution = 0.8, .steps = "20"},
                                    {.law = "hertz", .restitution = 0.3, .steps = "20"},
                                    {.law = "hertz", .restitution = 0.1, .steps = "20"},
                                    {.law = "linear", .restitution = 0.8, .steps = "20"},
                                    {.law = "linear", .restitution = 0.3, .steps = "20"},
                                    {.law = "linear", .restitution = 0.1, .steps = "20"}};
    static hit all[sizeof specified / sizeof *specified];
    rp_figure *figure =
        rp_case_figure(c, "Force of a collision", "time [ms]", "force between two spheres [N]");
    for (size_t i = 0; i < sizeof specified / sizeof *specified; i++) {
        all[i] = specified[i];
        RP_TRY(collide(c, &all[i]));
        judge_hit(c, &all[i]);
        char name[64];
        snprintf(name, sizeof name, "%s, e = %g", all[i].law, all[i].restitution);
        if (i < 6)
            rp_figure_add(figure, name, RP_PLOT_LINE, all[i].time, all[i].force, NULL,
                          (size_t)all[i].samples);
    }
    return RP_OK;
}

/* A sphere on a plane: how it moves along x, and turns about y, from instant to instant. */
typedef struct roll {
    double time[SAMPLES], speed[SAMPLES], rim[SAMPLES]; /* s; m/s; m/s, spin times radius */
    int samples;
    double rolls; /* s, when the slip is over */
} roll;

static rp_code follow(rp_case_context *c, double angle, double start, double end,
                      const char *rolling, roll *r)
{
    char gravity[96], velocity[64];
    snprintf(gravity, sizeof gravity, "[%.12g, 0, %.12g]", RP_EARTH * sin(angle),
             -RP_EARTH * cos(angle));
    snprintf(velocity, sizeof velocity, "[%g, 0, 0]", start);
    const rp_setting settings[] = {{"gravity", gravity},
                                   {"sources.one.velocity", velocity},
                                   {"materials.bead.rolling_friction", rolling}};
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "roll.yaml", settings, 3, &trial);
    *r = (roll){.rolls = NAN};
    while (code == RP_OK && rp_world_time(trial.world) < end) {
        rp_view view;
        code = rp_world_step(trial.world, c->report);
        rp_world_view(trial.world, &view);
        double v = (double)view.vx[0], rim = (double)rp_grains_field(&view, "spin_y")[0] * RADIUS;
        if (isnan(r->rolls) && v - rim < 1e-3 * start) r->rolls = view.time;
        if (r->samples >= SAMPLES || view.time < end * r->samples / (SAMPLES - 1)) continue;
        r->time[r->samples] = view.time;
        r->speed[r->samples] = v;
        r->rim[r->samples++] = rim;
    }
    rp_trial_end(&trial);
    return code;
}

/* The slope of the second half. */
static double rate_of(const roll *r, const double *values)
{
    int half = r->samples / 2;
    return rp_line_through(r->time + half, values + half, r->samples - half).slope;
}

static rp_code slides(rp_case_context *c)
{
    static roll r;
    RP_TRY(follow(c, 0, SPEED, 0.2, "0", &r));
    judge_part(c, "slides, then rolls: when", 1000 * r.rolls,
               1000 * 2 * SPEED / (7 * FRICTION * RP_EARTH), LIMIT, "ms");
    judge_part(c, "slides, then rolls: speed", r.speed[r.samples - 1], 5.0 / 7 * SPEED, LIMIT,
               "m/s");
    rp_figure *figure = rp_case_figure(c, "A sphere slides, then rolls", "time [s]", "speed [m/s]");
    rp_figure_add(figure, "of its centre", RP_PLOT_LINE, r.time, r.speed, NULL, (size_t)r.samples);
    rp_figure_add(figure, "spin times radius", RP_PLOT_LINE, r.time, r.rim, NULL,
                  (size_t)r.samples);
    return RP_OK;
}

static rp_code inclines(rp_case_context *c)
{
    static roll r;
    double gentle = 20 * RP_DEGREE, steep = 60 * RP_DEGREE;
    RP_TRY(follow(c, gentle, 0, 0.3, "0", &r));
    judge_part(c, "rolls down 20 degrees", rate_of(&r, r.speed), 5.0 / 7 * RP_EARTH * sin(gentle),
               LIMIT, "m/s2");
    RP_TRY(follow(c, steep, 0, 0.3, "0", &r));
    judge_part(c, "slips down 60 degrees", rate_of(&r, r.speed),
               RP_EARTH * (sin(steep) - FRICTION * cos(steep)), LIMIT, "m/s2");
    judge_part(c, "and spins up", rate_of(&r, r.rim) / RADIUS,
               2.5 * FRICTION * RP_EARTH * cos(steep) / RADIUS, LIMIT, "rad/s2");
    return RP_OK;
}

/* Rolling friction holds a sphere on an incline whose tangent is below it. */
static rp_code stands(rp_case_context *c)
{
    static roll r;
    double steep = 10 * RP_DEGREE;
    RP_TRY(follow(c, 5 * RP_DEGREE, 0, 1, ROLLING_TEXT, &r));
    rp_judge_at_most(c, "rolling friction 0.1 on 5 degrees: speed", fabs(r.speed[r.samples - 1]),
                     STANDS, "m/s");
    rp_judge_at_most(c, "and of its rim", fabs(r.rim[r.samples - 1]), STANDS, "m/s");
    RP_TRY(follow(c, steep, 0, 0.3, ROLLING_TEXT, &r));
    judge_part(c, "rolling friction 0.1 on 10 degrees: rolls", rate_of(&r, r.speed),
               5.0 / 7 * RP_EARTH * (sin(steep) - ROLLING * cos(steep)), LIMIT, "m/s2");
    return RP_OK;
}

/* Lies on the axis of a table that turns, and is taken along. */
static rp_code twists(rp_case_context *c)
{
    static double time[SAMPLES], spin[SAMPLES];
    double rate = 2.5 * ROLLING * RP_EARTH / RADIUS, end = 0.9 * SPIN / rate;
    rp_trial trial;
    rp_view view;
    rp_code code = rp_trial_begin(c, "table.yaml", NULL, 0, &trial);
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial.world, end * (i + 1) / SAMPLES, 1);
        rp_world_view(trial.world, &view);
        time[i] = view.time;
        spin[i] = (double)rp_grains_field(&view, "spin_z")[0];
    }
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, 1, 1);
    if (code == RP_OK) {
        int half = SAMPLES / 2;
        rp_world_view(trial.world, &view);
        double behind = SPIN - (double)rp_grains_field(&view, "spin_z")[0];
        judge_part(c, "rolling friction 0.1 on a table that turns: spins up",
                   rp_line_through(time + half, spin + half, half).slope, rate, LIMIT, "rad/s2");
        rp_judge_at_most(c, "and then: its rim against the table", fabs(behind) * RADIUS, STANDS,
                         "m/s");
    }
    rp_trial_end(&trial);
    return code;
}

/* Lies for a second on a level plane, which tilts in a fifth of a second; then speeds along x. */
static rp_code tilt(rp_case_context *c, double angle, double speed[2])
{
    char keys[256];
    snprintf(keys, sizeof keys,
             "[{time: 1 s, gravity: [0, 0, %.12g]}, {time: 1.2 s, gravity: [%.12g, 0, %.12g]}]",
             -RP_EARTH, RP_EARTH * sin(angle), -RP_EARTH * cos(angle));
    const rp_setting settings[] = {{"gravity_keys", keys}};
    rp_trial trial;
    rp_view view;
    rp_code code = rp_trial_begin(c, "block.yaml", settings, 1, &trial);
    for (int i = 0; i < 2 && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial.world, 1.7 + 0.5 * i, 1);
        rp_world_view(trial.world, &view);
        speed[i] = view.vx[0];
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code blocks(rp_case_context *c)
{
    double low = 9 * RP_DEGREE, high = 15 * RP_DEGREE, speed[2];
    RP_TRY(tilt(c, low, speed));
    rp_judge_at_most(c, "tetrahedron on 9 degrees: speed", fabs(speed[1]), CREEP, "m/s");
    RP_TRY(tilt(c, high, speed));
    judge_part(c, "tetrahedron on 15 degrees: slides", (speed[1] - speed[0]) / 0.5,
               RP_EARTH * (sin(high) - BLOCK_FRICTION * cos(high)), LIMIT, "m/s2");
    return RP_OK;
}

static rp_code run(rp_case_context *c)
{
    RP_TRY(hits(c));
    RP_TRY(slides(c));
    RP_TRY(inclines(c));
    RP_TRY(stands(c));
    RP_TRY(twists(c));
    return blocks(c);
}

const rp_case rp_case_dem_pair = {"dem-pair", "Grains collide, slide and roll as closed forms say",
                                  run};
