/* Pictures of the distributions of contacts. */
#include "base/memory.h"
#include "base/report.h"
#include "contact/forces.h"
#include "measure/kinds.h"

#include <stdio.h>

#define CURVE 200 /* points of a line that is a formula */

/* Adds two columns of a table, and a third as spread where it is not negative; points where the
 * second is not positive are left out, which an axis of logarithms could not show. */
static rp_code add_columns(const rp_table *table, const char *name, rp_plot_style style,
                           const int places[3], bool positive, rp_figure *figure, rp_report *report)
{
    size_t bytes = 3 * (table->rows + 1) * sizeof(double), count = 0;
    double *x = rp_allocate(bytes), *y = x + table->rows + 1, *spread = y + table->rows + 1;
    if (!x) return rp_fail_memory(report, bytes, "a figure");
    for (size_t i = 0; i < table->rows; i++) {
        const double *row = table->values + i * (size_t)table->column_count;
        if (positive && !(row[places[1]] > 0)) continue;
        x[count] = row[places[0]];
        y[count] = row[places[1]];
        spread[count++] = places[2] < 0 ? 0 : row[places[2]];
    }
    if (count) rp_figure_add(figure, name, style, x, y, places[2] < 0 ? NULL : spread, count);
    rp_release(x, bytes);
    return RP_OK;
}

/* The fitted forms of the normal forces, as far as the points go. */
static void add_forms(const rp_force_fits *fits, double end, rp_figure *figure)
{
    double f[CURVE], silbert[CURVE], gamma[CURVE];
    const double *v = fits->values;
    rp_silbert form = {v[RP_FORCE_SILBERT_A], v[RP_FORCE_SILBERT_B], v[RP_FORCE_SILBERT_BETA]};
    char name[96];
    for (int i = 0; i < CURVE; i++) {
        f[i] = end * (i + 0.5) / CURVE;
        silbert[i] = rp_silbert_density(&form, f[i]);
        gamma[i] = rp_gamma_density(v[RP_FORCE_GAMMA], f[i]);
    }
    snprintf(name, sizeof name, "Silbert, b %.2f, β %.2f", form.b, form.beta);
    rp_figure_add(figure, name, RP_PLOT_LINE, f, silbert, NULL, CURVE);
    snprintf(name, sizeof name, "gamma, k %.2f", v[RP_FORCE_GAMMA]);
    rp_figure_add(figure, name, RP_PLOT_DASHED, f, gamma, NULL, CURVE);
}

static rp_code add_fits(const rp_measure_input *in, double end, rp_figure *figure,
                        rp_report *report)
{
    const rp_domain_spec *domain = &in->scene->domain;
    rp_contact_space space = {in->options->region, domain->periodic, domain->low, domain->high};
    rp_force_lists lists;
    rp_force_fits fits;
    rp_code code = rp_force_lists_make(in->view, &space, &lists, report);
    if (code == RP_OK && lists.count >= RP_FORCES_LEAST) {
        code = rp_force_fit(lists.normal, lists.count, &fits, report);
        if (code == RP_OK) add_forms(&fits, end, figure);
    }
    rp_force_lists_release(&lists);
    return code;
}

rp_code rp_draw_forces(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    rp_code code = rp_fill_forces(in, &table, report);
    if (code == RP_OK)
        code =
            add_columns(&table, "normal", RP_PLOT_POINTS, (int[]){0, 1, -1}, true, figure, report);
    if (code == RP_OK)
        code =
            add_columns(&table, "shear", RP_PLOT_POINTS, (int[]){0, 4, -1}, true, figure, report);
    if (code == RP_OK) code = add_fits(in, (double)table.rows * RP_FORCE_BIN, figure, report);
    rp_figure_set_title(figure, "Distribution of contact forces");
    rp_figure_set_labels(figure, "force over its mean", "probability density");
    rp_figure_set_flags(figure, RP_FIGURE_LOG_Y);
    rp_table_release(&table);
    return code;
}

rp_code rp_draw_contact_angles(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    char name[64];
    rp_code code = rp_fill_contact_angles(in, &table, report);
    snprintf(name, sizeof name, "contacts, %.3g s", in->view->time);
    if (code == RP_OK)
        code = add_columns(&table, name, RP_PLOT_LINE, (int[]){0, 1, 2}, false, figure, report);
    snprintf(name, sizeof name, "mean force, %.3g s", in->view->time);
    if (code == RP_OK)
        code = add_columns(&table, name, RP_PLOT_DASHED, (int[]){0, 4, -1}, false, figure, report);
    rp_figure_set_title(figure, "Which way contacts point");
    rp_figure_set_labels(figure, "angle to the upright [deg]", "over that of all directions");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    rp_table_release(&table);
    return code;
}

rp_code rp_draw_correlation(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    char name[64];
    rp_code code = rp_fill_correlation(in, &table, report);
    snprintf(name, sizeof name, "%.3g s", in->view->time);
    if (code == RP_OK)
        code = add_columns(&table, name, RP_PLOT_LINE, (int[]){1, 2, 3}, false, figure, report);
    rp_figure_set_title(figure, "How far contact forces know of each other");
    rp_figure_set_labels(figure, "distance [spacings]", "mean of f f′; 1: they do not");
    rp_table_release(&table);
    return code;
}
