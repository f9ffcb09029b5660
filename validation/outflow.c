#include "validation/outflow.h"

#include <math.h>

#define REST 1e-4     /* m/s */
#define PATIENCE 0.25 /* s */

/* Mass and speed of what is still above the hole. */
static double evaluate(const rp_view *view, double *speed)
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
    while (code == RP_OK && out->count < RP_OUTFLOW_LOOKS) {
        rp_view view;
        code = rp_case_run_to(c, world, start + between * out->count, 1);
        rp_world_view(world, &view);
        out->left = evaluate(&view, &out->speed);
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
