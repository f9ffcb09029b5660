/* The walls of a silo carry the grains: Janssen's law. */
#include "base/report.h"
#include "validation/grains.h"
#include "validation/sand.h"

#include <stdio.h>

#define FRICTION 0.5
#define LOOSE 1.2   /* height of a portion in the air, in diameters of the silo */
#define RISE 0.62   /* by which each begins higher than the one before, likewise */
#define SINK 1e-3   /* m, that the floor sinks after each */
#define SINKING 0.1 /* s */
#define SAMPLES 10
#define SAMPLING 0.02 /* s */
#define PORTIONS RP_JANSSEN_PORTIONS

typedef struct silo {
    rp_janssen law;
    double between; /* s, from portion to portion */
} silo;

/* Sources that appear one after another above those that have settled. */
static void plan(const silo *s, char *text, size_t size)
{
    double high = LOOSE * s->law.diameter;
    size_t used = 0;
    for (int i = 0; i < PORTIONS; i++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "%sp%d: {shape: cylinder, radius: %.6g, height: %.6g, position: "
                                 "[0, 0, %.6g], at: %.6g}",
                                 i ? ", " : "{", i, s->law.diameter / 2, high,
                                 RISE * s->law.diameter * i + high / 2 + 0.006, s->between * i);
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
    rp_janssen *law = &s->law;
    int floor = rp_scene_find_body(trial->scene, "floor");
    double end = s->between * (i + 1) * (1 - 1e-9);
    rp_view view;
    rp_code code = RP_OK;
    for (int k = 1; k <= SAMPLES && code == RP_OK; k++) {
        code = rp_case_run_to(c, trial->world, end - SAMPLING * (SAMPLES - k) / SAMPLES, 1);
        rp_world_view(trial->world, &view);
        law->load[i] -= view.bodies[floor].force[2] / SAMPLES;
    }
    RP_TRY(code);
    double mass = rp_sand_sum(&view).mass;
    law->weight[i] = mass * RP_EARTH;
    law->height[i] = rp_grains_height(&view, 0.995) + 0.005;
    law->density = mass / (law->height[i] * rp_janssen_area(law)); /* the last one counts */
    rp_case_note(c, "h = %.3g D: floor %.4g N, weight %.4g N, %zu grains, rms speed %.2g mm/s",
                 law->height[i] / law->diameter, law->load[i], law->weight[i], view.count,
                 1000 * rp_sand_speed(&view));
    return RP_OK;
}

static rp_code run(rp_case_context *c)
{
    char sources[2048], floor[2048];
    silo s = {.law = {.diameter = c->quick ? 0.08 : 0.2, .friction = FRICTION},
              .between = c->quick ? 0.55 : 1.1};
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
    if (code == RP_OK) rp_janssen_judge(c, &s.law);
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_dem_janssen = {"dem-janssen", "The walls of a silo carry the grains", run};
