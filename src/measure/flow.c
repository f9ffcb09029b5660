#include "measure/flow.h"
#include "base/memory.h"
#include "base/report.h"
#include "measure/kinds.h"

#include <stdlib.h>

typedef struct entry {
    uint32_t id;
    float place, mass;
} entry;

typedef struct plane {
    double at, period; /* m; period 0: not periodic */
} plane;

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const entry *)a)->id, y = ((const entry *)b)->id;
    return (x > y) - (x < y);
}

/* The grains in the order of their ids; NULL when memory runs out. */
static entry *list_grains(const rp_view *view, int axis)
{
    const float *places[] = {view->x, view->y, view->z};
    entry *entries = rp_allocate((view->count + 1) * sizeof *entries);
    for (size_t i = 0; entries && i < view->count; i++)
        entries[i] = (entry){view->id[i], places[axis][i], view->mass ? view->mass[i] : (float)NAN};
    if (entries) qsort(entries, view->count, sizeof *entries, by_id);
    return entries;
}

static plane make_plane(const rp_scene *scene, int axis, double at)
{
    rp_vec3 low = scene->domain.low, high = scene->domain.high;
    double sizes[] = {high.x - low.x, high.y - low.y, high.z - low.z};
    bool periodic = scene->domain.periodic >> axis & 1;
    return (plane){at, periodic ? sizes[axis] : 0};
}

/* How often a grain passed the plane, forward counted positive (M12). In a periodic domain the
 * plane stands once in every copy of it. */
static double passes(const plane *p, double before, double after)
{
    if (!(p->period > 0)) return (after >= p->at) - (before >= p->at);
    double way = after - before;
    way -= p->period * floor(way / p->period + 0.5);
    return floor((before + way - p->at) / p->period) - floor((before - p->at) / p->period);
}

static void add_grain(const plane *p, const entry *before, const entry *after, rp_flow *out)
{
    double count = passes(p, before->place, after->place);
    if (count > 0) {
        out->forward += (size_t)count;
        out->mass_forward += count * after->mass;
    } else if (count < 0) {
        out->backward += (size_t)-count;
        out->mass_backward -= count * after->mass;
    }
}

static void match(const plane *p, const entry *before, size_t before_count, const entry *after,
                  size_t after_count, rp_flow *out)
{
    size_t i = 0, j = 0;
    while (i < before_count && j < after_count) {
        if (before[i].id < after[j].id) {
            out->vanished++, i++;
        } else if (before[i].id > after[j].id) {
            out->appeared++, j++;
        } else {
            add_grain(p, &before[i++], &after[j++], out);
        }
    }
    out->vanished += before_count - i;
    out->appeared += after_count - j;
}

rp_code rp_measure_flow(const rp_view *before, const rp_view *after, const rp_scene *scene,
                        int axis, double at, rp_flow *out, rp_report *report)
{
    *out = (rp_flow){.seconds = after->time - before->time};
    if (!(out->seconds > 0))
        return rp_fail(report, RP_ERROR_INPUT, "flow needs two instants in order: %g s, then %g s",
                       before->time, after->time);
    plane p = make_plane(scene, axis, at);
    entry *old = list_grains(before, axis), *new = list_grains(after, axis);
    if (old && new) match(&p, old, before->count, new, after->count, out);
    rp_code code = old && new ? RP_OK
                              : rp_fail_memory(report, (before->count + after->count) * sizeof *old,
                                               "the grains that pass a plane");
    rp_release(old, (before->count + 1) * sizeof *old);
    rp_release(new, (after->count + 1) * sizeof *new);
    return code;
}

static rp_code take_pair(const rp_measure_input *in, rp_flow *flow, rp_report *report)
{
    if (in->options->plane_axis < 0)
        return rp_fail(report, RP_ERROR_INPUT, "flow passes a plane: say which, as --plane z=0.4");
    if (!in->before)
        return rp_fail(report, RP_ERROR_INPUT, "flow is measured between frames; there is one");
    return rp_measure_flow(in->before, in->view, in->scene, in->options->plane_axis,
                           in->options->plane_at, flow, report);
}

/* A grain is on one side or on the other, so a count between two instants is good to one grain. */
rp_code rp_measure_take_flow(const rp_measure_input *in, rp_measured *out, int *count,
                             rp_report *report)
{
    rp_flow f = {.seconds = NAN};
    rp_code code = take_pair(in, &f, report);
    double passed = (double)(f.forward + f.backward), one = 1 / f.seconds;
    double grain = passed > 0 ? (f.mass_forward + f.mass_backward) / passed : 0;
    out[0] = (rp_measured){"mass", (f.mass_forward - f.mass_backward) * one, grain * one, "kg/s"};
    out[1] = (rp_measured){"forward", (double)f.forward * one, one, "1/s"};
    out[2] = (rp_measured){"backward", (double)f.backward * one, one, "1/s"};
    out[3] = (rp_measured){"appeared", (double)f.appeared * one, 0, "1/s"};
    out[4] = (rp_measured){"vanished", (double)f.vanished * one, 0, "1/s"};
    *count = 5;
    return code;
}
