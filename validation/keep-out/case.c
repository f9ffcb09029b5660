/* Grains keep out of solids, thick and thin. */
#include "validation/bodies.h"

#include <math.h>
#include <stdio.h>

#define DEPTH_LIMIT 0.5 /* spacings */
#define SPEED_LIMIT 5.0 /* m/s, of the block after it hit; it came with 10 */

/* What the quick form makes of a scene: coarser, and up to a time. */
typedef struct shorter {
    const char *scene, *spacing;
    double until; /* s */
} shorter;

static const shorter scenes[] = {
    {"spheres", "5 cm", 1.5},   /* the last ball lands at 0.7 s */
    {"splash", "5 cm", 1},      /* the crown has fallen back */
    {"bulldozer", "4 cm", 4.5}, /* it pushes, backs off and comes again */
    {"rope-ladder", "4 cm", 5}, /* cut at 4 s, it has fallen onto the heap */
    {"truck", "4 cm", 7},       /* the bed is up at 6.5 s */
    {"wheel", "4 cm", 2.5},     /* it has dug itself in and runs */
    {"domino", "3 cm", 4},      /* the last stone falls at the end */
};

static const char *const plates[] = {"fixed", "keyed", "dynamic", "mesh"};

static rp_code watch(rp_case_context *c, const rp_trial *trial, double until, rp_sunk *sunk)
{
    rp_code code = RP_OK;
    while (code == RP_OK && rp_world_time(trial->world) < until) {
        code = rp_world_step(trial->world, c->report);
        if (code == RP_OK) rp_sunk_update(sunk, trial->world, trial->scene);
    }
    return code;
}

static void judge(rp_case_context *c, const rp_trial *trial, const char *name, const rp_sunk *sunk)
{
    char what[160];
    rp_view view;
    rp_world_view(trial->world, &view);
    snprintf(what, sizeof what, "%s: deepest grain, in spacings", name);
    rp_judge_at_most(c, what, sunk->depth / view.spacing, DEPTH_LIMIT, "");
    if (sunk->body < 0) return;
    rp_case_note(c,
                 "%s: %.3g mm deep in '%s' (negative: outside) at %.4g s; %zu grains, %llu steps",
                 name, 1000 * sunk->depth, rp_scene_bodies(trial->scene)[sunk->body].name,
                 sunk->time, view.count, (unsigned long long)view.step);
}

static rp_code watch_scene(rp_case_context *c, const shorter *s)
{
    char file[64];
    const rp_setting coarse = {"particles.spacing", s->spacing};
    rp_trial trial;
    rp_sunk sunk = rp_sunk_none();
    snprintf(file, sizeof file, "../../scenes/%s.yaml", s->scene);
    rp_case_progress(c, "%s", s->scene);
    rp_code code = rp_trial_begin(c, file, &coarse, c->quick ? 1 : 0, &trial);
    double until = c->quick ? s->until : code == RP_OK ? rp_scene_duration(trial.scene) : 0;
    if (code == RP_OK) code = watch(c, &trial, until, &sunk);
    if (code == RP_OK) {
        judge(c, &trial, s->scene, &sunk);
        rp_case_progress(c, "%s took %.3g s", s->scene, rp_trial_seconds(&trial));
    }
    rp_trial_end(&trial);
    return code;
}

/* Grains on the far side of the plate, which came from where x is less. */
static size_t count_behind(const rp_view *view)
{
    size_t behind = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!(view->x[i] < view->bodies[0].position[0])) behind++;
    return behind;
}

static double mean_velocity(const rp_view *view)
{
    rp_sand_sums sums = rp_sand_sum(view);
    return sums.momentum[0] / sums.mass;
}

/* The most grains that were behind the plate, or had vanished, after any step. */
static rp_code follow_shot(rp_case_context *c, const rp_trial *trial, size_t *most)
{
    rp_view view;
    rp_code code = RP_OK;
    rp_world_view(trial->world, &view);
    size_t grains = view.count;
    while (code == RP_OK && view.time < rp_scene_duration(trial->scene)) {
        code = rp_world_step(trial->world, c->report);
        rp_world_view(trial->world, &view);
        size_t passed = count_behind(&view) + grains - view.count;
        if (passed > *most) *most = passed;
    }
    return code;
}

static rp_code shoot(rp_case_context *c, const char *plate)
{
    char file[64], what[160];
    size_t most = 0;
    rp_trial trial;
    snprintf(file, sizeof file, "%s.yaml", plate);
    rp_code code = rp_trial_begin(c, file, NULL, 0, &trial);
    if (code == RP_OK) code = follow_shot(c, &trial, &most);
    if (code == RP_OK) {
        rp_view view;
        rp_world_view(trial.world, &view);
        snprintf(what, sizeof what, "%s plate: grains behind it or lost", plate);
        rp_judge_at_most(c, what, (double)most, 0, "");
        snprintf(what, sizeof what, "%s plate: mean velocity of sand afterwards", plate);
        rp_judge_at_most(c, what, mean_velocity(&view), SPEED_LIMIT, "m/s");
    }
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    rp_code code = RP_OK;
    for (size_t i = 0; i < sizeof plates / sizeof *plates && code == RP_OK; i++)
        code = shoot(c, plates[i]);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes && code == RP_OK; i++)
        code = watch_scene(c, &scenes[i]);
    return code;
}

const rp_case rp_case_keep_out = {"keep-out", "No grain enters a solid or passes a wall", run};
