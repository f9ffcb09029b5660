/* A bed that is tilted slides down between the angle of stability and the angle of rest. */
#include "scene/scene.h"
#include "validation/grains.h"

#include <math.h>

#define GAP_MIDDLE 5.5 /* degrees: 1 to 10 */
#define GAP_LIMIT 4.5
#define ANGLE_MIDDLE 30.0 /* degrees: 15 to 45 */
#define ANGLE_LIMIT 15.0
#define SPEED_LIMIT 10.0           /* mm/s, of what rests */
#define BEFORE 20.0                /* degrees: tilted so far it still rests */
#define DIAMETER 0.01              /* m */
#define START 0.8                  /* s: from here on it turns evenly */
#define END (c->quick ? 5.8 : 4.8) /* s */
#define LAST 15                    /* samples that the angle of rest is taken from */
#define SAMPLES 200

typedef struct bed {
    double time[SAMPLES], tilt[SAMPLES], slope[SAMPLES]; /* s, degrees */
    double begins, ends;                                 /* degrees */
    double speed[SAMPLES];                               /* m/s, rms */
    double before;                                       /* m/s, rms, while it still rests */
} bed;

static rp_code watch(rp_case_context *c, const rp_trial *trial, double length, bed *b)
{
    double raw[SAMPLES];
    rp_code code = rp_case_run_to(c, trial->world, START, 10);
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        rp_view view;
        b->time[i] = START + (END - START) * (i + 1) / SAMPLES;
        code = rp_case_run_to(c, trial->world, b->time[i], 1);
        rp_world_view(trial->world, &view);
        rp_vec3 g = rp_scene_gravity(trial->scene, b->time[i]);
        b->speed[i] = rp_sand_speed(&view);
        b->tilt[i] = atan2(g.x, -g.z) / RP_DEGREE;
        raw[i] = b->tilt[i] +
                 rp_grains_slope(&view, 2 * DIAMETER, length - 2 * DIAMETER, 1.5 * DIAMETER, NULL);
    }
    for (int i = 0; i < SAMPLES; i++) {
        int low = i ? i - 1 : i, high = i + 1 < SAMPLES ? i + 1 : i;
        b->slope[i] = (raw[low] + raw[i] + raw[high]) / 3;
    }
    return code;
}

static void find(bed *b)
{
    b->begins = b->ends = b->before = 0;
    for (int i = 0; i < SAMPLES; i++) {
        b->begins = fmax(b->begins, b->slope[i]);
        if (i >= SAMPLES - LAST) b->ends += b->slope[i] / LAST;
        if (b->tilt[i] < BEFORE) b->before = b->speed[i];
    }
}

static void judge(rp_case_context *c, const bed *b)
{
    rp_judge_near(c, "angle of stability", b->begins, ANGLE_MIDDLE, ANGLE_LIMIT, "deg");
    rp_judge_near(c, "angle of rest", b->ends, ANGLE_MIDDLE, ANGLE_LIMIT, "deg");
    rp_judge_near(c, "stability - rest", b->begins - b->ends, GAP_MIDDLE, GAP_LIMIT, "deg");
    rp_judge_at_most(c, "speed at 20 degrees", 1000 * b->before, SPEED_LIMIT, "mm/s");
    rp_judge_at_most(c, "speed in the end", 1000 * b->speed[SAMPLES - 1], SPEED_LIMIT, "mm/s");
    rp_figure *figure =
        rp_case_figure(c, "Slope of a bed that is tilted", "time [s]", "angle to the level [deg]");
    rp_figure_add(figure, "surface", RP_PLOT_LINE, b->time, b->slope, NULL, SAMPLES);
    rp_figure_add(figure, "box", RP_PLOT_DASHED, b->time, b->tilt, NULL, SAMPLES);
}

static rp_code run(rp_case_context *c)
{
    /* A short bed is held by its ends up to 35 degrees: it is tilted on to 44. */
    static const rp_setting small[] = {
        {"gravity_keys", "[{time: 0.5 s, gravity: [0, 0, -9.81]}, "
                         "{time: 0.8 s, gravity: [2.5390, 0, -9.4757]}, "
                         "{time: 4.425 s, gravity: [6.8146, 0, -7.0567]}]"},
    };
    static const rp_setting large[] = {
        {"domain.high", "[60 cm, 10 cm, 1.5 m]"},
        {"sources.fill.size", "[59.4 cm, 10 cm, 22 cm]"},
        {"sources.fill.position", "[30 cm, 5 cm, 12 cm]"},
        {"materials.bead.young", "3 MPa"},
    };
    static bed b;
    rp_trial trial;
    b = (bed){0};
    rp_code code =
        rp_trial_begin(c, "scene.yaml", c->quick ? small : large, c->quick ? 1 : 4, &trial);
    if (code == RP_OK) code = watch(c, &trial, c->quick ? 0.24 : 0.6, &b);
    if (code == RP_OK) {
        find(&b);
        judge(c, &b);
    }
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_dem_avalanche = {"dem-avalanche", "Avalanches of a tilted bed", run};
