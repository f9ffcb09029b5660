/* Shared by the cases of sand: worlds, sums over grains, compression; columns that collapse; the
 * load on the floor of a silo. */
#include "validation/sand.h"

#include "base/report.h"
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>

/* --- worlds and sums -------------------------------------------------------------------------- */

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

/* --- collapsing columns ----------------------------------------------------------------------- */

/* G. Lube, H. E. Huppert, R. S. J. Sparks, A. Freundt, "Collapses of two-dimensional granular
 * columns", Phys. Rev. E 72, 041301 (2005); E. Lajeunesse, J. B. Monnier, G. M. Homsy, "Granular
 * slumping on a horizontal surface", Phys. Fluids 17, 103302 (2005). */

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

static rp_code begin_column(rp_case_context *c, const rp_collapse *column, rp_trial *trial)
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

static rp_code evaluate_column(rp_case_context *c, const rp_trial *trial, rp_collapse *column)
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
    rp_code code = begin_column(c, column, &trial);
    if (code == RP_OK) code = rp_case_run_to(c, trial.world, REST * fall, 20);
    if (code == RP_OK) code = evaluate_column(c, &trial, column);
    rp_trial_end(&trial);
    return code;
}

/* --- load on the floor of a silo -------------------------------------------------------------- */

/* H. A. Janssen, "Versuche über Getreidedruck in Silozellen", Z. Ver. dt. Ing. 39 (1895). */

#define SHARE_LIMIT 75.0  /* per cent of the weight */
#define MISFIT_LIMIT 10.0 /* per cent of the largest load */
#define K_MIDDLE 0.9      /* between 0.3 and 1.5 */
#define K_LIMIT 0.6
#define PI 3.14159265358979
#define PORTIONS RP_JANSSEN_PORTIONS

typedef struct fitted {
    double k, misfit; /* misfit: N, rms */
} fitted;

double rp_janssen_area(const rp_janssen *silo)
{
    return PI * silo->diameter * silo->diameter / 4;
}

static double janssen_load(const rp_janssen *silo, double k, double height)
{
    double rate = 4 * silo->friction * k / silo->diameter;
    return silo->density * G / rate * -expm1(-rate * height) * rp_janssen_area(silo);
}

static double janssen_misfit(const rp_janssen *silo, double k)
{
    double sum = 0;
    for (int i = 0; i < PORTIONS; i++) {
        double off = silo->load[i] - janssen_load(silo, k, silo->height[i]);
        sum += off * off;
    }
    return sqrt(sum / PORTIONS);
}

/* The load falls with k everywhere, but the misfit may be flat far off: look at all of a fine
 * grid. */
static fitted fit_janssen(const rp_janssen *silo)
{
    fitted best = {.misfit = INFINITY};
    for (int i = 0; i <= 4000; i++) {
        double k = 0.01 * pow(1000, i / 4000.0), misfit = janssen_misfit(silo, k); /* 0.01 to 10 */
        if (misfit < best.misfit) best = (fitted){k, misfit};
    }
    return best;
}

static void draw_loads(rp_case_context *c, const rp_janssen *silo, double k)
{
    enum { CURVE = 60 };
    double height[CURVE], law[CURVE], weight[CURVE];
    for (int i = 0; i < CURVE; i++) {
        height[i] = silo->height[PORTIONS - 1] * i / (CURVE - 1);
        law[i] = janssen_load(silo, k, height[i]);
        weight[i] = silo->density * G * height[i] * rp_janssen_area(silo);
    }
    rp_figure *figure =
        rp_case_figure(c, "Load on the floor of a silo", "height of the grains [m]", "force [N]");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, silo->height, silo->load, NULL, PORTIONS);
    rp_figure_add(figure, "Janssen's law, K fitted", RP_PLOT_LINE, height, law, NULL, CURVE);
    rp_figure_add(figure, "weight", RP_PLOT_DASHED, height, weight, NULL, CURVE);
}

void rp_janssen_judge(rp_case_context *c, const rp_janssen *silo)
{
    double load = silo->load[PORTIONS - 1], weight = silo->weight[PORTIONS - 1];
    fitted f = fit_janssen(silo);
    rp_judge_at_most(c, "load on the floor / weight", 100 * load / weight, SHARE_LIMIT, "%");
    rp_judge_at_most(c, "misfit of Janssen's law / largest load", 100 * f.misfit / load,
                     MISFIT_LIMIT, "%");
    rp_judge_near(c, "K, the one number fitted", f.k, K_MIDDLE, K_LIMIT, "");
    draw_loads(c, silo, f.k);
}
