/* Pictures of the kinds that have one of their own. */
#include "base/memory.h"
#include "base/report.h"
#include "measure/angle.h"
#include "measure/kinds.h"
#include "measure/profile.h"

#include <stdio.h>

#define DUST_MAX 3000 /* points in a picture; more make it heavy and no clearer */
#define MOVING 0.01   /* m/s; a slower surface is called at rest */

static rp_code add_surface(const rp_surface *s, const rp_angle *a, rp_figure *figure,
                           rp_report *report)
{
    size_t stride = s->count / DUST_MAX + 1, count = 0, bytes = (s->count + 1) * sizeof(double);
    double *r = rp_allocate(bytes), *z = rp_allocate(bytes);
    for (size_t i = 0; r && z && i < s->count; i += stride) {
        r[count] = rp_length2(s->points[i].a - a->centre[0], s->points[i].b - a->centre[1]);
        z[count++] = s->points[i].height;
    }
    bool ok = r && z;
    if (ok) rp_figure_add(figure, "surface grains", RP_PLOT_DUST, r, z, NULL, count);
    rp_release(r, bytes);
    rp_release(z, bytes);
    return ok ? RP_OK : rp_fail_memory(report, 2 * bytes, "a figure");
}

static void add_lines(const rp_surface *s, const rp_angle *a, rp_figure *figure)
{
    double slope = tan(a->degrees * RP_PI / 180);
    double foot = slope > 0.01 ? (a->apex - s->low) / slope : a->flank[1];
    double cone_r[] = {0, foot}, cone_z[] = {a->apex, a->apex - slope * foot};
    double flank_z[] = {a->apex - slope * a->flank[0], a->apex - slope * a->flank[1]};
    rp_figure_add(figure, "flank that is fitted", RP_PLOT_LINE, a->flank, flank_z, NULL, 2);
    rp_figure_add(figure, "whole cone", RP_PLOT_DASHED, cone_r, cone_z, NULL, 2);
}

rp_code rp_draw_angle(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_surface surface;
    rp_angle angle;
    char title[256];
    rp_code code = rp_surface_find(in->view, in->scene, &surface, report);
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
    rp_surface_release(&surface);
    return code;
}

rp_code rp_draw_profile(const rp_measure_input *in, rp_figure *figure, rp_report *report)
{
    rp_table table;
    char name[64];
    rp_code code = rp_fill_profile(in, &table, report);
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
