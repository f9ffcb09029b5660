/* Figures of measurements that have one of their own: each function adds the series of one instant,
 * and sets title and labels. The table at the end has their names. */
#include "repose/figures.h"
#include "base/memory.h"
#include "base/report.h"
#include "contact/contact.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

#define DUST_MAX 3000 /* points of a scatter plot; more make files large and plots no clearer */
#define MOVING 0.01   /* m/s; a slower surface is called at rest */
#define CURVE 200     /* points of a line that is a formula */

/* --- piles and profiles --------------------------------------------------------------------- */

/* Surface grains as points of radius and height; every `stride`th of too many. */
static rp_code add_surface(const rp_free_surface *s, const rp_angle *a, rp_figure *figure,
                           rp_report *report)
{
    size_t stride = s->count / DUST_MAX + 1, count = 0, bytes = (s->count + 1) * sizeof(double);
    double *r = rp_allocate(bytes), *z = rp_allocate(bytes);
    for (size_t i = 0; r && z && i < s->count; i += stride) {
        r[count] = rp_hypot(s->points[i].a - a->centre[0], s->points[i].b - a->centre[1]);
        z[count++] = s->points[i].height;
    }
    bool ok = r && z;
    if (ok) rp_figure_add(figure, "surface grains", RP_PLOT_DUST, r, z, NULL, count);
    rp_release(r, bytes);
    rp_release(z, bytes);
    return ok ? RP_OK : rp_fail_memory(report, 2 * bytes, "a figure");
}

/* The fitted flank, and the whole cone with its slope. */
static void add_lines(const rp_free_surface *s, const rp_angle *a, rp_figure *figure)
{
    double slope = tan(a->degrees * RP_PI / 180);
    double foot = slope > 0.01 ? (a->apex - s->low) / slope : a->flank[1];
    double cone_r[] = {0, foot}, cone_z[] = {a->apex, a->apex - slope * foot};
    double flank_z[] = {a->apex - slope * a->flank[0], a->apex - slope * a->flank[1]};
    rp_figure_add(figure, "fitted flank", RP_PLOT_LINE, a->flank, flank_z, NULL, 2);
    rp_figure_add(figure, "whole cone", RP_PLOT_DASHED, cone_r, cone_z, NULL, 2);
}

static rp_code draw_angle(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_free_surface surface;
    rp_angle angle;
    char title[256];
    rp_code code = rp_free_surface_find(in->view, in->scene, &surface, report);
    if (code == RP_OK) code = rp_angle_of_surface(&surface, &angle, report);
    if (code == RP_OK) code = add_surface(&surface, &angle, figure, report);
    if (code == RP_OK) {
        add_lines(&surface, &angle, figure);
        int length = snprintf(title, sizeof title, "Angle of the pile: %.2f° ± %.2f° at %.3g s",
                              angle.degrees, angle.uncertainty, in->view->time);
        if (angle.speed > MOVING)
            snprintf(title + length, sizeof title - (size_t)length, ", moving at %.2g m/s",
                     angle.speed);
        rp_figure_set_title(figure, title);
        rp_figure_set_labels(figure, "distance from the axis [m]", "height [m]");
        rp_figure_set_flags(figure, RP_FIGURE_EQUAL);
    }
    rp_free_surface_release(&surface);
    return code;
}

static rp_code draw_profile(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    char name[64];
    rp_code code = rp_measure_fill_profile(in, &table, report);
    size_t bytes = (table.rows + 1) * sizeof(double);
    double *columns[3] = {NULL, NULL, NULL};
    for (int c = 0; c < 3 && code == RP_OK; c++) {
        columns[c] = rp_allocate(bytes);
        if (!columns[c]) code = rp_fail_memory(report, bytes, "a figure");
        if (columns[c]) rp_table_column(&table, c, columns[c]);
    }
    snprintf(name, sizeof name, "%.3g s", in->view->time);
    if (code == RP_OK)
        rp_figure_add(figure, name, RP_PLOT_LINE, columns[RP_PROFILE_PLACE],
                      columns[RP_PROFILE_HEIGHT], columns[RP_PROFILE_SPREAD], table.rows);
    static const char *const places[] = {"distance from the axis [m]", "x [m]", "y [m]"};
    rp_figure_set_title(figure, "Height of the surface");
    rp_figure_set_labels(figure, places[in->options->along + 1], "height [m]");
    for (int c = 0; c < 3; c++)
        rp_release(columns[c], columns[c] ? bytes : 0);
    rp_table_release(&table);
    return code;
}

/* --- layers --------------------------------------------------------------------------------- */

/* Adds columns `first` to `last` over column 0, named by quantity and time. */
static rp_code draw_columns(const rp_table *table, int first, int last, double time,
                            rp_figure *figure, rp_report *report)
{
    size_t bytes = (table->rows + 1) * sizeof(double);
    double *x = rp_allocate(bytes), *y = rp_allocate(bytes);
    for (int c = first; c <= last && x && y; c++) {
        char name[96] = "";
        if (last > first) snprintf(name, sizeof name, "%s, ", table->columns[c].name);
        snprintf(name + strlen(name), sizeof name - strlen(name), "%.3g s", time);
        rp_table_column(table, 0, x);
        rp_table_column(table, c, y);
        rp_figure_add(figure, name, RP_PLOT_LINE, x, y, NULL, table->rows);
    }
    bool ok = x && y;
    rp_release(x, x ? bytes : 0);
    rp_release(y, y ? bytes : 0);
    return ok ? RP_OK : rp_fail_memory(report, 2 * bytes, "a figure");
}

/* The x label from the name of the coordinate column. */
static void label_place(rp_figure *figure, const char *place, const char *values)
{
    char label[64];
    bool radial = strcmp(place, "radius") == 0;
    snprintf(label, sizeof label, "%s [m]", radial ? "distance from the centre" : place);
    rp_figure_set_labels(figure, label, values);
}

static rp_code draw_volume_profile(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    rp_code code = rp_measure_fill_volume_profile(in, &table, report);
    if (code == RP_OK)
        code = draw_columns(&table, RP_VOLUME_THICKNESS, RP_VOLUME_THICKNESS, in->view->time,
                            figure, report);
    rp_figure_set_title(figure, "Thickness of the layer");
    label_place(figure, table.columns[0].name, "thickness [m]");
    rp_table_release(&table);
    return code;
}

static rp_code draw_velocity_profile(const rp_measure_input *in, rp_figure *figure,
                                     rp_report *report)
{
    rp_table table;
    rp_code code = rp_measure_fill_velocity_profile(in, &table, report);
    if (code == RP_OK)
        code = draw_columns(&table, RP_VELOCITY_X, RP_VELOCITY_Z, in->view->time, figure, report);
    rp_figure_set_title(figure, "Mean velocity");
    label_place(figure, table.columns[0].name, "velocity [m/s]");
    rp_table_release(&table);
    return code;
}

/* --- contacts ------------------------------------------------------------------------------- */

/* Adds two columns of a table, and a third as spread where it is not negative; points where the
 * second is not positive are left out for a logarithmic axis. */
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

/* The fitted distributions of normal forces, over the range of the points. */
static void add_forms(const rp_force_fits *fits, double end, rp_figure *figure)
{
    double f[CURVE], silbert[CURVE], gamma[CURVE];
    const double *v = fits->values;
    rp_silbert form = {v[RP_FORCE_SILBERT_A], v[RP_FORCE_SILBERT_B], v[RP_FORCE_SILBERT_BETA]};
    char name[96];
    for (int i = 0; i < CURVE; i++) {
        f[i] = end * (i + 0.5) / CURVE;
        silbert[i] = rp_silbert_density(&form, f[i]);
        gamma[i] = rp_force_gamma_density(v[RP_FORCE_GAMMA], f[i]);
    }
    snprintf(name, sizeof name, "Silbert, b %.2f, β %.2f", form.b, form.beta);
    rp_figure_add(figure, name, RP_PLOT_LINE, f, silbert, NULL, CURVE);
    snprintf(name, sizeof name, "gamma, k %.2f", v[RP_FORCE_GAMMA]);
    rp_figure_add(figure, name, RP_PLOT_DASHED, f, gamma, NULL, CURVE);
}

/* Fits need a minimum of contacts; with fewer there are no curves. */
static rp_code add_fits(const rp_measure_input *in, double end, rp_figure *figure,
                        rp_report *report)
{
    const rp_domain_spec *domain = &in->scene->domain;
    rp_contact_space space = {rp_measure_region(in->options), domain->periodic, domain->low,
                              domain->high};
    rp_force_lists lists;
    rp_force_fits fits;
    rp_code code = rp_force_lists_make(in->view, &space, &lists, report);
    if (code == RP_OK && lists.count >= RP_FORCES_LEAST) {
        code = rp_force_fit_all(lists.normal, lists.count, &fits, report);
        if (code == RP_OK) add_forms(&fits, end, figure);
    }
    rp_force_lists_release(&lists);
    return code;
}

static rp_code draw_forces(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    rp_code code = rp_measure_fill_forces(in, &table, report);
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

static rp_code draw_contact_angles(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    char name[64];
    rp_code code = rp_measure_fill_contact_angles(in, &table, report);
    snprintf(name, sizeof name, "contacts, %.3g s", in->view->time);
    if (code == RP_OK)
        code = add_columns(&table, name, RP_PLOT_LINE, (int[]){0, 1, 2}, false, figure, report);
    snprintf(name, sizeof name, "mean force, %.3g s", in->view->time);
    if (code == RP_OK)
        code = add_columns(&table, name, RP_PLOT_DASHED, (int[]){0, 4, -1}, false, figure, report);
    rp_figure_set_title(figure, "Directions of contacts");
    rp_figure_set_labels(figure, "angle to the vertical [deg]",
                         "relative to an isotropic distribution");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    rp_table_release(&table);
    return code;
}

static rp_code draw_correlation(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    char name[64];
    rp_code code = rp_measure_fill_correlation(in, &table, report);
    snprintf(name, sizeof name, "%.3g s", in->view->time);
    if (code == RP_OK)
        code = add_columns(&table, name, RP_PLOT_LINE, (int[]){1, 2, 3}, false, figure, report);
    rp_figure_set_title(figure, "Spatial correlation of contact forces");
    rp_figure_set_labels(figure, "distance [spacings]", "mean of f f′; 1: uncorrelated");
    rp_table_release(&table);
    return code;
}

/* --- table ---------------------------------------------------------------------------------- */

static const struct {
    const char *kind;
    rp_code (*draw)(const rp_measure_input *in, rp_figure *figure, rp_report *report);
} figures[] = {
    {"angle", draw_angle},
    {"forces", draw_forces},
    {"height-profile", draw_profile},
    {"volume-profile", draw_volume_profile},
    {"velocity-profile", draw_velocity_profile},
    {"force-distribution", draw_forces},
    {"contact-angles", draw_contact_angles},
    {"force-correlation", draw_correlation},
};

#define COUNT ((int)(sizeof figures / sizeof *figures))

static int find(const char *name)
{
    int i = 0;
    while (i < COUNT && strcmp(figures[i].kind, name) != 0)
        i++;
    return i;
}

bool rp_measure_has_figure(const char *name)
{
    return name && find(name) < COUNT;
}

rp_code rp_measure_draw(const char *name, const rp_measure_input *in, rp_figure *figure,
                        rp_report *report)
{
    RP_NEED(name, report);
    RP_NEED(figure, report);
    RP_ENTER();
    rp_measure_input own;
    rp_measure_options options;
    RP_TRY(rp_measure_take_input(in, &own, &options, __func__, report));
    int i = find(name);
    if (i == COUNT)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "%s has no figure of its own", name);
    return figures[i].draw(&own, figure, report);
}
