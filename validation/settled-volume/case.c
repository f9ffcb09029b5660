/* Sand that has settled takes the volume of its mass. */
#include "measure/measure.h"
#include "scene/scene.h"
#include "validation/sand.h"

#include <math.h>

#define LIMIT 1.0    /* per cent */
#define DURATION 1.7 /* s */
#define EVALUATIONS 170

/* The mean height of the surface, the grain's upper half included; the bins of the profile are
 * weighted by the points in them. */
static rp_code height_of(const rp_table *profile, double spacing, double *height)
{
    double sum = 0, points = 0;
    for (size_t i = 0; i < profile->rows; i++) {
        const double *row = profile->values + i * (size_t)profile->column_count;
        sum += row[RP_PROFILE_GRAINS] * row[RP_PROFILE_HEIGHT];
        points += row[RP_PROFILE_GRAINS];
    }
    *height = sum / points + spacing / 2;
    return points > 0 ? RP_OK : RP_ERROR_FAILED;
}

static void draw(rp_case_context *c, const rp_table *profile, double spacing, double expected,
                 double width)
{
    double place[64], height[64], spread[64];
    const double across[] = {0, width}, level[] = {expected, expected};
    size_t count = 0;
    for (; count < profile->rows && count < 64; count++) {
        const double *row = profile->values + count * (size_t)profile->column_count;
        place[count] = row[RP_PROFILE_PLACE];
        height[count] = row[RP_PROFILE_HEIGHT] + spacing / 2;
        spread[count] = row[RP_PROFILE_SPREAD];
    }
    rp_figure *figure = rp_case_figure(c, "Surface of settled sand", "x [m]", "height [m]");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    rp_figure_add(figure, "tops of the surface grains", RP_PLOT_POINTS, place, height, spread,
                  count);
    rp_figure_add(figure, "mass / density / floor", RP_PLOT_DASHED, across, level, NULL, 2);
}

static rp_code judge(rp_case_context *c, const rp_trial *trial)
{
    rp_table profile = {0};
    rp_view view;
    double height;
    rp_vec3 high = trial->scene->domain.high;
    rp_world_view(trial->world, &view);
    rp_code code = rp_measure_profile(&view, trial->scene, 0, &profile, c->report);
    if (code == RP_OK) code = height_of(&profile, view.spacing, &height);
    if (code == RP_OK) {
        double floor = high.x * high.y;
        double expected = rp_sand_sum(&view).mass / rp_scene_materials(trial->scene)[0].density;
        rp_judge_near(c, "volume / (mass / density)", 100 * height * floor / expected, 100, LIMIT,
                      "%");
        rp_case_note(c, "%zu grains, surface at %.5g m, %.5g m expected; rms speed %.3g mm/s",
                     view.count, height, expected / floor, 1000 * rp_sand_speed(&view));
        draw(c, &profile, view.spacing, expected / floor, high.x);
    }
    rp_table_release(&profile);
    return code;
}

static rp_code run(rp_case_context *c)
{
    static const rp_setting narrow[] = {
        {"domain.high", "[12 cm, 12 cm, 80 cm]"},
        {"sources.block.size", "[12 cm, 12 cm, 36 cm]"},
        {"sources.block.position", "[6 cm, 6 cm, 21 cm]"},
    };
    rp_trial trial;
    rp_compression compression = {0};
    rp_code code = rp_trial_begin(c, "scene.yaml", narrow, c->quick ? 3 : 0, &trial);
    for (int i = 1; i <= EVALUATIONS && code == RP_OK; i++) {
        rp_view view;
        code = rp_case_run_to(c, trial.world, DURATION * i / EVALUATIONS, 1);
        rp_world_view(trial.world, &view);
        rp_compression_add(&compression, &view, trial.scene);
    }
    if (code == RP_OK) code = judge(c, &trial);
    if (code == RP_OK) rp_compression_judge(c, &compression, "");
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_settled_volume = {"settled-volume", "Settled sand has the volume of its mass",
                                        run};
