#include "validation/sand.h"
#include "base/report.h"

#include "measure/density.h"

#include <math.h>
#include <stdio.h>

#define MEAN_LIMIT 0.5    /* per cent */
#define LARGEST_LIMIT 2.0 /* per cent */

rp_code rp_trial_begin(rp_case_context *c, const char *file, const rp_setting *settings,
                       int setting_count, rp_trial *out)
{
    *out = (rp_trial){0};
    RP_TRY(rp_case_scene(c, file, settings, setting_count, &out->scene));
    return rp_world_create(out->scene, c->world, &out->world, c->report);
}

void rp_trial_end(rp_trial *trial)
{
    rp_world_destroy(trial->world);
    rp_scene_destroy(trial->scene);
    *trial = (rp_trial){0};
}

double rp_trial_seconds(const rp_trial *trial)
{
    return rp_world_step_info(trial->world).seconds;
}

rp_sand_sums rp_sand_sum(const rp_view *view)
{
    rp_sand_sums s = {0};
    for (size_t i = 0; i < view->count; i++) {
        double m = view->mass[i];
        double x[3] = {view->x[i], view->y[i], view->z[i]};
        double v[3] = {view->vx[i], view->vy[i], view->vz[i]};
        double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        s.mass += m;
        s.kinetic += 0.5 * m * square;
        s.momentum_size += m * sqrt(square);
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, d = (a + 2) % 3;
            s.momentum[a] += m * v[a];
            s.moment[a] += m * x[a];
            s.angular[a] += m * (x[b] * v[d] - x[d] * v[b]);
        }
    }
    return s;
}

double rp_sand_speed(const rp_view *view)
{
    rp_sand_sums s = rp_sand_sum(view);
    return s.mass > 0 ? sqrt(2 * s.kinetic / s.mass) : 0;
}

void rp_compression_add(rp_compression *compression, const rp_view *view, const rp_scene *scene)
{
    rp_density_error e;
    if (rp_measure_density_error(view, scene, &e, NULL) != RP_OK) return;
    compression->evaluations++;
    if (e.mean > compression->mean) compression->mean = e.mean, compression->mean_time = view->time;
    if (e.largest > compression->largest)
        compression->largest = e.largest, compression->largest_time = view->time;
}

void rp_compression_judge(rp_case_context *c, const rp_compression *compression, const char *where)
{
    char what[160];
    double never = compression->evaluations
                       ? 0
                       : NAN; /* nothing was evaluated: no number, and the verdict is not ok */
    snprintf(what, sizeof what, "mean compression%s", where);
    rp_judge_at_most(c, what, 100 * compression->mean + never, MEAN_LIMIT, "%");
    snprintf(what, sizeof what, "largest compression%s", where);
    rp_judge_at_most(c, what, 100 * compression->largest + never, LARGEST_LIMIT, "%");
    rp_case_note(
        c, "compression%s: the mean was worst at %.3g s, a grain at %.3g s, of %d instants", where,
        compression->mean_time, compression->largest_time, compression->evaluations);
}
