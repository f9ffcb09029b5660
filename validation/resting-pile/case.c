/* A heap at rest stays as it is. */
#include "measure/measure.h"
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>

#define SPEED_LIMIT 0.1  /* mm/s, for a spacing of 1 cm; in proportion to it */
#define CHANGE_LIMIT 0.2 /* degrees */
#define FASTER 5.0       /* asleep, than while it flows */
#define POURED 3.0       /* s */
#define SETTLED 6.0      /* s; stragglers at the foot take that long */
#define BETWEEN 0.02     /* s, of instants */
#define SAMPLES 1310     /* of 26 s */

typedef struct rest {
    double watch;                                        /* s */
    double time[SAMPLES], speed[SAMPLES], wall[SAMPLES]; /* s, mm/s, s */
    int count;
    rp_compression compression;
    rp_angle before, after;
    double spacing; /* m */
    size_t grains, asleep;
    double worst, worst_time, worst_grain; /* mm/s, s: the worst instant; its fastest grain */
} rest;

static double fastest(const rp_view *view)
{
    double most = 0;
    for (size_t i = 0; i < view->count; i++) {
        double x = view->vx[i], y = view->vy[i], z = view->vz[i];
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

static void evaluate(rest *r, const rp_trial *trial, const rp_view *view)
{
    rp_compression_add(&r->compression, view, trial->scene);
    r->time[r->count] = view->time;
    r->speed[r->count] = 1000 * rp_sand_speed(view);
    if (view->time >= SETTLED - 1e-9 && !(r->speed[r->count] <= r->worst)) {
        r->worst = r->speed[r->count];
        r->worst_time = view->time;
        r->worst_grain = 1000 * fastest(view);
    }
    r->wall[r->count++] = rp_trial_seconds(trial);
}

static rp_code watch(rp_case_context *c, const rp_trial *trial, double until, rest *r)
{
    rp_code code = RP_OK;
    for (int i = r->count; BETWEEN * i < until + BETWEEN / 2 && i < SAMPLES && code == RP_OK; i++) {
        rp_view view;
        code = rp_case_run_to(c, trial->world, BETWEEN * i, 1);
        rp_world_view(trial->world, &view);
        evaluate(r, trial, &view);
    }
    return code;
}

static rp_code measure(rp_case_context *c, const rp_trial *trial, rest *r, rp_angle *angle)
{
    rp_view view;
    rp_world_view(trial->world, &view);
    r->spacing = view.spacing;
    r->grains = view.count;
    r->asleep = 0;
    for (size_t i = 0; i < view.count; i++)
        r->asleep += view.asleep[i] != 0;
    return rp_measure_angle(&view, trial->scene, angle, c->report);
}

/* Wall time of a simulated second between two times. */
static double cost(const rest *r, double from, double to)
{
    int first = (int)lround(from / BETWEEN), last = (int)lround(to / BETWEEN);
    if (first < 0 || last >= r->count) return NAN;
    return (r->wall[last] - r->wall[first]) / (to - from);
}

static void judge(rp_case_context *c, const rest *r, const char *name, bool sleeping)
{
    char what[160];
    double end = SETTLED + r->watch;
    double flowing = cost(r, POURED - 1, POURED), resting = cost(r, end - r->watch / 2, end);
    snprintf(what, sizeof what, "%s: rms speed at rest", name);
    rp_judge_at_most(c, what, r->worst, SPEED_LIMIT * r->spacing / 0.01, "mm/s");
    snprintf(what, sizeof what, "%s: change of the slope in %g s", name, r->watch);
    rp_judge_near(c, what, r->after.degrees - r->before.degrees, 0, CHANGE_LIMIT, "deg");
    snprintf(what, sizeof what, ", %s", name);
    rp_compression_judge(c, &r->compression, what);
    rp_case_note(
        c, "%s: %zu grains, %zu asleep, %.2f +- %.2f degrees at the end, rms speed %.2g mm/s", name,
        r->grains, r->asleep, r->after.degrees, r->after.uncertainty, r->speed[r->count - 1]);
    rp_case_note(c,
                 "%s: worst at %.2f s, when the fastest grain had %.3g mm/s, %.0f %% of the energy",
                 name, r->worst_time, r->worst_grain,
                 r->worst > 0 ? 100 * pow(r->worst_grain / r->worst, 2) / (double)r->grains : 0);
    rp_case_note(c, "%s: a simulated second takes %.3g s while pouring, %.3g s at rest", name,
                 flowing, resting);
    if (!sleeping) return;
    snprintf(what, sizeof what, "%s: wall time flowing / at rest", name);
    rp_judge_at_least(c, what, flowing / resting, FASTER, "");
}

static rp_code pour(rp_case_context *c, bool sleeping, rp_figure *figure)
{
    static rest r;
    const rp_setting settings[] = {{"solver.sleeping", sleeping ? "yes" : "no"},
                                   {"particles.spacing", "1 cm"}};
    const char *name = sleeping ? "sleeping" : "awake";
    rp_trial trial;
    r = (rest){.watch = c->quick ? 5 : 20, .worst = -1};
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 2 : 1, &trial);
    if (code == RP_OK) code = watch(c, &trial, SETTLED, &r);
    if (code == RP_OK) code = measure(c, &trial, &r, &r.before);
    if (code == RP_OK) code = watch(c, &trial, SETTLED + r.watch, &r);
    if (code == RP_OK) code = measure(c, &trial, &r, &r.after);
    if (code == RP_OK) judge(c, &r, name, sleeping);
    rp_figure_add(figure, name, RP_PLOT_LINE, r.time + 1, r.speed + 1, NULL,
                  r.count > 1 ? (size_t)r.count - 1 : 0);
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    double limit = c->quick ? SPEED_LIMIT : SPEED_LIMIT / 2, end = SETTLED + (c->quick ? 5 : 20);
    const double span[] = {SETTLED, end}, level[] = {limit, limit};
    rp_figure *figure =
        rp_case_figure(c, "A heap is poured and rests", "time [s]", "rms speed [mm/s]");
    rp_figure_set_flags(figure, RP_FIGURE_LOG_Y);
    rp_code code = pour(c, false, figure);
    if (code == RP_OK) code = pour(c, true, figure);
    rp_figure_add(figure, "limit", RP_PLOT_DASHED, span, level, NULL, 2);
    return code;
}

const rp_case rp_case_resting_pile = {"resting-pile", "A heap at rest stays as it is", run};
