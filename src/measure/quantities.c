/* Numbers of one frame or of a pair of frames: energy, momentum, counts, bounds, density error,
 * flow through a plane, and the state of a body. */
#include "base/memory.h"
#include "base/report.h"
#include "document/words.h"
#include "measure/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sums over all grains ------------------------------------------------------------------- */

/* Relative rounding error of a float. */
#define FLOAT_ROUNDING 0x1p-24

/* A sum with the sum of magnitudes, which bounds its rounding error. */
typedef struct rounded_sum {
    double sum, size;
} rounded_sum;

static void rounded_sum_add(rounded_sum *t, double term)
{
    t->sum += term;
    t->size += fabs(term);
}

static rp_measured measured_sum(const char *name, rounded_sum t, double roundings, const char *unit)
{
    return (rp_measured){name, t.sum, roundings * FLOAT_ROUNDING * t.size, unit};
}

static rp_measured exact_number(const char *name, double value, const char *unit)
{
    return (rp_measured){name, value, 0, unit};
}

/* Records of fine grains have no masses. */
static rp_code check_mass(const rp_view *view, rp_report *report)
{
    if (view->mass || !view->count) return RP_OK;
    return rp_fail(report, RP_ERROR_UNSUPPORTED,
                   "the masses of these grains are not recorded; measure the coarse grains");
}

static void set_unknown(const char *const *names, const char *unit, rp_measured *out, int *count)
{
    for (int i = 0; i < 3; i++)
        out[i] = (rp_measured){names[i], NAN, NAN, unit};
    *count = 3;
}

rp_code rp_measure_take_energy(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    static const char *const names[] = {"kinetic", "potential", "total"};
    const rp_view *view = in->view;
    set_unknown(names, "J", out, count);
    RP_TRY(check_mass(view, report));
    rp_vec3 g = in->scene->gravity;
    rounded_sum kinetic = {0}, potential = {0}, total = {0};
    for (size_t i = 0; i < view->count; i++) {
        double vx = view->vx[i], vy = view->vy[i], vz = view->vz[i], m = view->mass[i];
        double moving = 0.5 * m * (vx * vx + vy * vy + vz * vz);
        double lifted = -m * rp_v3_dot(g, rp_v3(view->x[i], view->y[i], view->z[i]));
        rounded_sum_add(&kinetic, moving);
        rounded_sum_add(&potential, lifted);
        rounded_sum_add(&total, moving + lifted);
    }
    out[0] = measured_sum(names[0], kinetic, 3, "J");
    out[1] = measured_sum(names[1], potential, 2, "J");
    out[2] = measured_sum(names[2], total, 3, "J");
    return RP_OK;
}

rp_code rp_measure_take_momentum(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report)
{
    static const char *const names[] = {"x", "y", "z"};
    const rp_view *view = in->view;
    set_unknown(names, "kg m/s", out, count);
    RP_TRY(check_mass(view, report));
    rounded_sum x = {0}, y = {0}, z = {0};
    for (size_t i = 0; i < view->count; i++) {
        double m = view->mass[i];
        rounded_sum_add(&x, m * (double)view->vx[i]);
        rounded_sum_add(&y, m * (double)view->vy[i]);
        rounded_sum_add(&z, m * (double)view->vz[i]);
    }
    out[0] = measured_sum(names[0], x, 2, "kg m/s");
    out[1] = measured_sum(names[1], y, 2, "kg m/s");
    out[2] = measured_sum(names[2], z, 2, "kg m/s");
    return RP_OK;
}

/* Values that are not recorded, as for fine grains, are NaN; but grains with a mass and without the
 * field `asleep` belong to a method without sleeping. */
rp_code rp_measure_take_count(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report)
{
    (void)report;
    const rp_view *view = in->view;
    rounded_sum mass = {0};
    double asleep = 0;
    for (size_t i = 0; i < view->count; i++) {
        rounded_sum_add(&mass, view->mass ? view->mass[i] : NAN);
        asleep += view->asleep ? view->asleep[i] != 0 : view->mass ? 0 : NAN;
    }
    out[0] = exact_number("grains", (double)view->count, "");
    out[1] = exact_number("asleep", asleep, "");
    out[2] = measured_sum("mass", mass, 1, "kg");
    *count = 3;
    return RP_OK;
}

rp_code rp_measure_take_bounds(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    (void)report;
    const rp_view *view = in->view;
    static const char *const names[] = {"low x", "low y", "low z", "high x", "high y", "high z"};
    const float *axes[] = {view->x, view->y, view->z};
    for (int a = 0; a < 3; a++) {
        double low = view->count ? INFINITY : 0, high = view->count ? -INFINITY : 0;
        for (size_t i = 0; i < view->count; i++) {
            low = fmin(low, axes[a][i]);
            high = fmax(high, axes[a][i]);
        }
        out[a] = (rp_measured){names[a], low, FLOAT_ROUNDING * fabs(low), "m"};
        out[a + 3] = (rp_measured){names[a + 3], high, FLOAT_ROUNDING * fabs(high), "m"};
    }
    *count = 6;
    return RP_OK;
}

/* --- density error -------------------------------------------------------------------------- */

#define NOTABLE 0.01 /* what `share` counts */

static double rest_density(const rp_view *view, const rp_scene *scene, size_t i)
{
    int material = view->material[i];
    return material < scene->materials.count ? rp_scene_materials(scene)[material].density
                                             : INFINITY;
}

/* True for rigid grains, as of the discrete element method: each has the density of its solid. */
static bool is_rigid(const rp_view *view, const rp_scene *scene)
{
    size_t rigid = 0;
    for (size_t i = 0; view->density && i < view->count; i++) {
        int material = view->material[i];
        rigid += view->density[i] > 0 && material < scene->materials.count &&
                 view->density[i] == (float)rp_scene_materials(scene)[material].grain_density;
    }
    return view->count > 0 && rigid == view->count;
}

rp_code rp_measure_density_error(const rp_view *view, const rp_scene *scene, rp_density_error *out,
                                 rp_report *report)
{
    rp_density_error sum = {0};
    bool known = false;
    for (size_t i = 0; view->density && i < view->count; i++) {
        double rest = rest_density(view, scene, i), e = fmax(0, view->density[i] / rest - 1);
        known |= view->density[i] > 0 && view->density[i] != (float)rest;
        sum.mean += e;
        sum.rms += e * e;
        sum.largest = fmax(sum.largest, e);
        sum.share += e > NOTABLE;
    }
    *out = (rp_density_error){NAN, NAN, NAN, NAN};
    if (is_rigid(view, scene))
        return rp_fail(
            report, RP_ERROR_UNSUPPORTED,
            "each grain of this run is rigid (as with dem), so that none is compressed; "
            "density-error is for methods that take sand as a fluid, such as frictional");
    if (!known)
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       view->count
                           ? "no grain has a density of its own: this run's solver computes none, "
                             "has not begun, or the grains are fine ones"
                           : "there are no grains, so they have no density");
    double n = (double)view->count;
    *out = (rp_density_error){sum.mean / n, sqrt(sum.rms / n), sum.largest, sum.share / n};
    return RP_OK;
}

rp_code rp_measure_take_density_error(const rp_measure_input *in, rp_measured *out, int *count,
                                      rp_report *report)
{
    rp_density_error e;
    rp_code code = rp_measure_density_error(in->view, in->scene, &e, report);
    double rounding = 0x1p-24; /* of a density relative to the rest density, which is about 1 */
    out[0] = (rp_measured){"mean", e.mean, rounding, ""};
    out[1] = (rp_measured){"rms", e.rms, rounding, ""};
    out[2] = (rp_measured){"largest", e.largest, rounding, ""};
    out[3] = (rp_measured){"above 1 %", e.share, 0, ""};
    *count = 4;
    return code;
}

/* --- flow through a plane ------------------------------------------------------------------- */

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

/* Lists the grains of a view in the order of their ids; NULL when memory runs out. */
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

/* Returns how often a grain crossed the plane, positive along the axis (M12). In a periodic domain
 * the plane has an image in every period, and the displacement is the minimum image. */
static double crossings(const plane *p, double before, double after)
{
    if (!(p->period > 0)) return (after >= p->at) - (before >= p->at);
    double shift = after - before;
    shift -= p->period * floor(shift / p->period + 0.5);
    return floor((before + shift - p->at) / p->period) - floor((before - p->at) / p->period);
}

static void add_grain(const plane *p, const entry *before, const entry *after, rp_flow *out)
{
    double count = crossings(p, before->place, after->place);
    if (count > 0) {
        out->forward += (size_t)count;
        out->mass_forward += count * after->mass;
    } else if (count < 0) {
        out->backward += (size_t)-count;
        out->mass_backward -= count * after->mass;
    }
}

/* Merges two lists of grains by id. */
static void match_ids(const plane *p, const entry *before, size_t before_count, const entry *after,
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
    if (old && new) match_ids(&p, old, before->count, new, after->count, out);
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

/* The uncertainty is one grain: at each instant a grain is on one side or on the other. */
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

/* --- bodies --------------------------------------------------------------------------------- */

/* Names and units of the quantities, in the order of RP_BODY_QUANTITY_WORDS (M14). */
static const struct {
    const char *names[3];
    const char *unit;
} quantities[RP_BODY_QUANTITIES] = {
    {{"position x", "position y", "position z"}, "m"},
    {{"rotation x", "rotation y", "rotation z"}, "deg"},
    {{"velocity x", "velocity y", "velocity z"}, "m/s"},
    {{"spin x", "spin y", "spin z"}, "deg/s"},
    {{"force x", "force y", "force z"}, "N"},
    {{"torque x", "torque y", "torque z"}, "N m"},
    {{"contact-force x", "contact-force y", "contact-force z"}, "N"},
    {{"contact-torque x", "contact-torque y", "contact-torque z"}, "N m"},
};

rp_vec3 rp_body_quantity(const rp_body_state *state, int quantity)
{
    const double *q = state->orientation;
    const double degrees = 180 / RP_PI;
    switch (quantity) {
    case 0:
        return rp_v3_from(state->position);
    case 1:
        return rp_v3_scale(rp_quat_to_euler((rp_quat){q[0], q[1], q[2], q[3]}), degrees);
    case 2:
        return rp_v3_from(state->velocity);
    case 3:
        return rp_v3_scale(rp_v3_from(state->angular_velocity), degrees);
    case 4:
        return rp_v3_from(state->force);
    case 5:
        return rp_v3_from(state->torque);
    case 6:
        return rp_v3_from(state->contact_force);
    case 7:
        return rp_v3_from(state->contact_torque);
    }
    RP_ASSERT(!"a body has no such quantity");
    return rp_v3(0, 0, 0);
}

/* Writes the names of the bodies, "a, b, c", as many as fit. */
static void list_bodies(const rp_scene *scene, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < scene->bodies.count; i++) {
        const char *name = rp_scene_bodies(scene)[i].name;
        size_t used = strlen(text);
        if (used + strlen(name) + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

rp_code rp_measure_find_body(const rp_scene *scene, const char *name, int *body, rp_report *report)
{
    RP_NEED(scene, report);
    RP_NEED(body, report);
    char hint[96] = "", list[400];
    *body = name ? rp_scene_find_body(scene, name) : -1;
    if (*body >= 0) return RP_OK;
    if (!scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "the scene of this run has no bodies");
    list_bodies(scene, list, sizeof list);
    if (!name)
        return rp_fail(report, RP_ERROR_INPUT, "body wants the name of one; there are: %s", list);
    rp_nearest nearest = rp_nearest_to(name);
    for (int i = 0; i < scene->bodies.count; i++) {
        const char *known = rp_scene_bodies(scene)[i].name;
        rp_nearest_try(&nearest, known, strlen(known));
    }
    rp_nearest_hint(&nearest, hint, sizeof hint);
    return rp_fail(report, RP_ERROR_INPUT, "there is no body '%.60s'%s%s", name,
                   hint[0] ? hint : "; there are: ", hint[0] ? "" : list);
}

rp_code rp_measure_take_body(const rp_measure_input *in, rp_measured *out, int *count,
                             rp_report *report)
{
    int body = in->options->body, only = in->options->quantity;
    bool there = body >= 0 && body < in->view->body_count;
    *count = 0;
    for (int q = 0; q < RP_BODY_QUANTITIES; q++) {
        if (only >= 0 && q != only) continue;
        rp_vec3 v = there ? rp_body_quantity(&in->view->bodies[body], q) : rp_v3(NAN, NAN, NAN);
        const double values[3] = {v.x, v.y, v.z};
        for (int a = 0; a < 3; a++) /* recorded in double precision: no uncertainty */
            out[(*count)++] =
                (rp_measured){quantities[q].names[a], values[a], 0, quantities[q].unit};
    }
    if (there) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   body < 0 ? "body wants the name of one" : "this frame has no such body");
}
