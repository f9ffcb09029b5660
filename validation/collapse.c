/* G. Lube, H. E. Huppert, R. S. J. Sparks, A. Freundt, "Collapses of two-dimensional granular
 * columns", Phys. Rev. E 72, 041301 (2005); E. Lajeunesse, J. B. Monnier, G. M. Homsy, "Granular
 * slumping on a horizontal surface", Phys. Fluids 17, 103302 (2005). */
#include "validation/collapse.h"
#include "base/report.h"

#include "measure/layer.h"

#include <math.h>
#include <stdio.h>

#define G 9.81
#define REST 8.0   /* in units of sqrt(H / g): experiments end after 3 to 4 */
#define WIDTH 10.0 /* spacings, periodic */

void rp_collapse_band(double a, double *middle, double *half)
{
    double lube = a < 2.3 ? 1.2 * a : 1.9 * pow(a, 2.0 / 3);
    double lajeunesse = a < 3 ? 1.8 * a : 2.3 * pow(a, 2.0 / 3);
    *middle = (lube + lajeunesse) / 2;
    *half = fabs(lajeunesse - lube) / 2;
}

static rp_code begin(rp_case_context *c, const rp_collapse *column, rp_trial *trial)
{
    double height = column->aspect * column->length, width = WIDTH * column->spacing, middle, half;
    char text[5][160];
    rp_collapse_band(column->aspect, &middle, &half);
    snprintf(text[0], sizeof text[0], "%.17g", column->spacing);
    snprintf(text[1], sizeof text[1], "%.17g deg", column->angle);
    snprintf(text[2], sizeof text[2], "[%.17g, %.17g, %.17g]", column->length, width, height);
    snprintf(text[3], sizeof text[3], "[%.17g, %.17g, %.17g]", column->length / 2, width / 2,
             height / 2);
    snprintf(text[4], sizeof text[4], "[%.17g, %.17g, %.17g]",
             column->length * (1 + middle + 2 * half + 1), width, 1.5 * height);
    const rp_setting settings[] = {{"particles.spacing", text[0]},
                                   {"materials.sand.angle", text[1]},
                                   {"sources.column.size", text[2]},
                                   {"sources.column.position", text[3]},
                                   {"domain.high", text[4]}};
    return rp_trial_begin(c, "scene.yaml", settings, 5, trial);
}

static rp_code evaluate(rp_case_context *c, const rp_trial *trial, rp_collapse *column)
{
    rp_measure_options options = rp_default_measure_options();
    rp_front front;
    rp_table profile;
    rp_view view;
    rp_world_view(trial->world, &view);
    options.along = 0;
    RP_TRY(rp_measure_front(&view, trial->scene, &options, &front, c->report));
    rp_code code = rp_measure_volume_profile(&view, trial->scene, &options, &profile, c->report);
    column->runout = front.front / column->length - 1;
    column->height = 0;
    for (size_t i = 0; i < profile.rows && i < 4; i++) /* four spacings at the wall */
        column->height += profile.values[4 * i + RP_VOLUME_THICKNESS] / 4 / column->length;
    column->time = view.time;
    rp_case_note(
        c,
        "a = %g: front %.4g, farthest grain %.4g lengths from the wall, height at the wall "
        "%.4g lengths, %zu grains, rms speed %.2g mm/s",
        column->aspect, front.front / column->length, front.farthest / column->length,
        column->height, view.count, 1000 * rp_sand_speed(&view));
    rp_table_release(&profile);
    return code;
}

rp_code rp_collapse_run(rp_case_context *c, rp_collapse *column)
{
    rp_trial trial;
    double fall = sqrt(column->aspect * column->length / G);
    rp_code code = begin(c, column, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, REST * fall, 20);
    if (code == RP_OK) code = evaluate(c, &trial, column);
    rp_trial_end(&trial);
    return code;
}
