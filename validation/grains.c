/* Shared by the cases of single grains (dem-*): fits, settling, slopes; outflow through a hole;
 * forces of contacts. */
#include "validation/grains.h"

#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- fits and packings ------------------------------------------------------------------------ */

#define INTERVAL 0.05 /* s, between evaluations */
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
        code = rp_case_run_to(c, world, view.time + INTERVAL, 1);
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

/* --- outflow ---------------------------------------------------------------------------------- */

#define REST 1e-4     /* m/s */
#define PATIENCE 0.25 /* s */

/* Mass and speed of what is still above the hole. */
static double evaluate_outflow(const rp_view *view, double *speed)
{
    double mass = 0, energy = 0;
    for (size_t i = 0; i < view->count; i++) {
        if (!(view->z[i] > 0)) continue;
        double m = view->mass[i], x = view->vx[i], y = view->vy[i], z = view->vz[i];
        mass += m;
        energy += m * (x * x + y * y + z * z);
    }
    *speed = mass > 0 ? sqrt(energy / mass) : 0;
    return mass;
}

rp_code rp_outflow_watch(rp_case_context *c, rp_world *world, double between, double until,
                         double end, rp_outflow *out)
{
    rp_code code = RP_OK;
    double start = rp_world_time(world);
    *out = (rp_outflow){0};
    while (code == RP_OK && out->count < RP_OUTFLOW_SAMPLES) {
        rp_view view;
        code = rp_case_run_to(c, world, start + between * out->count, 1);
        rp_world_view(world, &view);
        out->left = evaluate_outflow(&view, &out->speed);
        if (!out->count) {
            out->mass = out->left;
            out->grains = view.count;
        }
        out->time[out->count] = view.time - start;
        out->passed[out->count++] = out->mass - out->left;
        double time = view.time - start;
        if (out->passed[out->count - 1] >= until * out->mass || time >= end) break;
        if (time > PATIENCE && out->speed < REST) break;
    }
    return code;
}

void rp_outflow_fit(rp_outflow *flow, double from, double to)
{
    int begin = 0, end = 0;
    for (int i = 0; i < flow->count; i++) {
        if (flow->passed[i] <= from * flow->mass) begin = i;
        if (flow->passed[i] <= to * flow->mass) end = i + 1;
    }
    int count = end - begin, half = count / 2;
    flow->rate = flow->share = flow->first = flow->second = NAN;
    if (count < 8) return;
    const double *t = flow->time + begin, *m = flow->passed + begin;
    rp_line all = rp_line_through(t, m, count);
    flow->rate = all.slope;
    flow->share = all.share;
    flow->first = rp_line_through(t, m, half).slope;
    flow->second = rp_line_through(t + half, m + half, count - half).slope;
}

/* --- forces of contacts ----------------------------------------------------------------------- */

static void normalise(double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    for (size_t i = 0; i < count && sum > 0; i++)
        values[i] *= (double)count / sum;
}

/* The list that follows the one before in the same block. */
static rp_code append(rp_force_lists *out, const rp_force_lists *layer, rp_report *report)
{
    size_t count = out->count + layer->count;
    if (count > out->capacity)
        return rp_fail(report, RP_ERROR_INPUT, "layers hold more contacts than all of them");
    memcpy(out->normal + out->count, layer->normal, layer->count * sizeof *out->normal);
    memcpy(out->shear + out->count, layer->shear, layer->count * sizeof *out->shear);
    out->count = count;
    return RP_OK;
}

rp_code rp_layered_forces(const rp_view *view, double low, double high, double layer,
                          rp_force_lists *out, rp_report *report)
{
    int layers = (int)fmax(1, floor((high - low) / layer + 0.5));
    rp_contact_space space = rp_contact_everywhere();
    rp_code code = rp_force_lists_make(view, &space, out, report);
    RP_TRY(code);
    out->count = 0; /* the capacity is kept */
    for (int i = 0; i < layers && code == RP_OK; i++) {
        rp_force_lists part;
        space.region.low.z = low + (high - low) * i / layers;
        space.region.high.z = low + (high - low) * (i + 1) / layers;
        code = rp_force_lists_make(view, &space, &part, report);
        if (code != RP_OK) break;
        normalise(part.normal, part.count);
        normalise(part.shear, part.count);
        code = append(out, &part, report);
        rp_force_lists_release(&part);
    }
    if (code != RP_OK) rp_force_lists_release(out);
    return code;
}

static int by_grains(const void *a, const void *b)
{
    const rp_contact *p = a, *q = b;
    if (p->with != q->with) return p->with < q->with ? -1 : 1;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return (p->second > q->second) - (p->second < q->second);
}

/* Contacts `points` of the same two grains as one. */
static rp_contact merged(const rp_contact *points, size_t count)
{
    rp_contact one = points[0];
    double sum[3] = {0}, place[3] = {0}, shear[3] = {0};
    for (size_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) {
            sum[a] += (double)points[k].normal_force * (double)points[k].normal[a];
            place[a] += (double)points[k].position[a] / (double)count;
            shear[a] += (double)points[k].shear_force[a];
        }
    double size = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    one.normal_force = (float)size;
    for (int a = 0; a < 3; a++) {
        if (size > 0) one.normal[a] = (float)(sum[a] / size);
        one.position[a] = (float)place[a];
        one.shear_force[a] = (float)shear[a];
    }
    return one;
}

rp_code rp_merge_contacts(const rp_view *view, rp_contact **out, size_t *count, rp_report *report)
{
    size_t bytes = view->contact_count * sizeof **out, used = 0;
    rp_contact *sorted = rp_allocate(bytes);
    *out = NULL;
    *count = view->contact_count;
    if (!sorted) return rp_fail_memory(report, bytes, "contacts");
    memcpy(sorted, view->contacts, bytes);
    qsort(sorted, *count, sizeof *sorted, by_grains);
    for (size_t begin = 0, end; begin < *count; begin = end) {
        for (end = begin + 1; end < *count && by_grains(&sorted[begin], &sorted[end]) == 0;)
            end++;
        sorted[used++] = merged(&sorted[begin], end - begin);
    }
    for (size_t i = used; i < *count; i++) /* what is left counts nowhere */
        sorted[i] = (rp_contact){.with = RP_WITH_WALL};
    *out = sorted;
    return RP_OK;
}

static int falling(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first < second) - (first > second);
}

double rp_strong_share(const double *forces, size_t count, double part)
{
    double *sorted = rp_allocate(count * sizeof *sorted + 1), strong = 0, all = 0;
    if (!sorted) return NAN;
    memcpy(sorted, forces, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, falling);
    for (size_t i = 0; i < count; i++) {
        if ((double)i < part * (double)count) strong += sorted[i];
        all += sorted[i];
    }
    rp_release(sorted, count * sizeof *sorted + 1);
    return strong / all;
}

void rp_case_draw_forces(rp_figure *figure, const char *name, const double *forces, size_t count)
{
    double f[RP_FORCE_BINS], p[RP_FORCE_BINS], error[RP_FORCE_BINS];
    rp_force_histogram h = rp_force_histogram_of(forces, count);
    size_t used = 0;
    for (int i = 0; i < h.used; i++) {
        if (!(h.counts[i] > 0)) continue;
        f[used] = RP_FORCE_BIN * (i + 0.5);
        p[used] = h.counts[i] / (h.total * RP_FORCE_BIN);
        error[used] = fmin(p[used] / sqrt(h.counts[i]), 0.9 * p[used]);
        used++;
    }
    rp_figure_add(figure, name, RP_PLOT_POINTS, f, p, error, used);
}

double rp_force_peak(const double *forces, size_t count)
{
    rp_force_histogram h = rp_force_histogram_of(forces, count);
    int best = 0;
    double most = 0;
    for (int i = 1; i + 1 < RP_FORCE_BINS; i++) {
        double here = h.counts[i - 1] + h.counts[i] + h.counts[i + 1];
        if (here <= most) continue;
        most = here;
        best = i;
    }
    return RP_FORCE_BIN * (best + 0.5);
}
