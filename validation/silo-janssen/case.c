/* The walls of a silo carry the sand: Janssen's law. */
#include "base/report.h"
#include "validation/sand.h"

#include <math.h>

#define FRICTION 0.4   /* of wall and material, as the scene says */
#define DENSITY 1600.0 /* kg/m3 */
#define G 9.81         /* m/s2 */
#define SPEED 0.5      /* m/s, of the rain at the nozzle */
#define WIDTH 0.85     /* of the nozzle, in diameters */
#define REST 0.5       /* s, after the last grain of a portion has left the nozzle and fallen */
#define CLEAR 0.1      /* m, from the sand to the nozzle */
#define SAMPLES 20
#define SAMPLING 0.2 /* s */

/* One portion: a nozzle that rains half a diameter of sand, then rest. */
static rp_code rain(rp_case_context *c, const rp_janssen *s, const rp_trial *trial, int portion)
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

static rp_code weigh(rp_case_context *c, rp_janssen *s, const rp_trial *trial, int portion)
{
    int floor = rp_scene_find_body(trial->scene, "floor");
    int wall = rp_scene_find_body(trial->scene, "wall");
    double start = rp_world_time(trial->world), hanging = 0;
    rp_view view;
    rp_code code = RP_OK;
    for (int i = 1; i <= SAMPLES && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial->world, start + SAMPLING * i / SAMPLES, 1);
        rp_world_view(trial->world, &view);
        s->load[portion] -= view.bodies[floor].force[2] / SAMPLES;
        hanging -= view.bodies[wall].force[2] / SAMPLES;
    }
    RP_TRY(code);
    double mass = rp_sand_sum(&view).mass;
    s->weight[portion] = mass * G;
    s->height[portion] = mass / (DENSITY * rp_janssen_area(s));
    rp_case_note(c, "h = %.3g D: floor %.4g N, wall %.4g N, weight %.4g N, rms speed %.2g mm/s",
                 s->height[portion] / s->diameter, s->load[portion], hanging, s->weight[portion],
                 1000 * rp_sand_speed(&view));
    return RP_OK;
}

static rp_code run(rp_case_context *c)
{
    static const rp_setting narrow[] = {{"bodies.wall.radius", "7 cm"},
                                        {"bodies.wall.neck", "7 cm"}};
    rp_janssen s = {.diameter = c->quick ? 0.14 : 0.2, .friction = FRICTION, .density = DENSITY};
    rp_trial trial;
    rp_code code = rp_trial_begin(c, "scene.yaml", narrow, c->quick ? 2 : 0, &trial);
    for (int i = 0; i < RP_JANSSEN_PORTIONS && code == RP_OK; i++) {
        code = rain(c, &s, &trial, i);
        if (code == RP_OK) code = weigh(c, &s, &trial, i);
    }
    if (code == RP_OK) rp_janssen_judge(c, &s);
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_silo_janssen = {"silo-janssen", "The walls of a silo carry the sand", run};
