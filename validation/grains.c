#include "validation/grains.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define EVALUATIONS 0.05 /* s */
#define STRIPS_MAX 512
#define STRIPS_LEAST 4

rp_line rp_line_through(const double *x, const double *y, int count)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < count; i++) {
        mx += x[i] / count;
        my += y[i] / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    double slope = xy / xx;
    return (rp_line){slope, my - slope * mx, xy * xy / (xx * yy)};
}

rp_power rp_power_through(const double *x, const double *y, int count)
{
    double lx[64], ly[64];
    if (count > 64) count = 64;
    for (int i = 0; i < count; i++) {
        lx[i] = log(x[i]);
        ly[i] = log(y[i]);
    }
    rp_line line = rp_line_through(lx, ly, count);
    return (rp_power){exp(line.offset), line.slope, line.share};
}

const float *rp_grains_field(const rp_view *view, const char *name)
{
    const rp_field *field = rp_view_field(view, name);
    return field && field->type == RP_F32 ? field->data : NULL;
}

rp_code rp_grains_settle(rp_case_context *c, rp_world *world, double speed, double least,
                         double most)
{
    rp_code code = RP_OK;
    while (code == RP_OK) {
        rp_view view;
        rp_world_view(world, &view);
        if (view.time >= most || (view.time >= least && rp_sand_speed(&view) < speed)) break;
        code = rp_case_run_to(c, world, view.time + EVALUATIONS, 1);
    }
    return code;
}

static int by_size(const void *a, const void *b)
{
    float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

double rp_grains_height(const rp_view *view, double part)
{
    if (!view->count) return NAN;
    float *heights = rp_allocate(view->count * sizeof *heights);
    if (!heights) return NAN;
    for (size_t i = 0; i < view->count; i++)
        heights[i] = view->z[i];
    qsort(heights, view->count, sizeof *heights, by_size);
    double height = heights[(size_t)(part * (double)(view->count - 1))];
    rp_release(heights, view->count * sizeof *heights);
    return height;
}

double rp_grains_slope(const rp_view *view, double low, double high, double width, double *share)
{
    double x[STRIPS_MAX], top[STRIPS_MAX], at[STRIPS_MAX];
    int strips = (int)floor((high - low) / width + 0.5), used = 0;
    if (strips > STRIPS_MAX) strips = STRIPS_MAX;
    for (int k = 0; k < strips; k++)
        top[k] = -INFINITY;
    for (size_t i = 0; i < view->count; i++) {
        int k = (int)floor(((double)view->x[i] - low) / width);
        if (k >= 0 && k < strips && view->z[i] > top[k]) {
            top[k] = view->z[i];
            at[k] = view->x[i];
        }
    }
    for (int k = 0; k < strips; k++) {
        if (!isfinite(top[k])) continue;
        x[used] = at[k];
        top[used++] = top[k];
    }
    if (used < STRIPS_LEAST) return NAN;
    rp_line line = rp_line_through(x, top, used);
    if (share) *share = line.share;
    return -atan(line.slope) / RP_DEGREE;
}
