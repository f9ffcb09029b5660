#include "measure/body.h"
#include "base/entry.h"
#include "base/log.h"
#include "base/report.h"
#include "document/words.h"
#include "measure/kinds.h"

#include <stdio.h>
#include <string.h>

/* A number's name is the quantity's, and its axis. */
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
        return rp_v3_scale(rp_quat_angles((rp_quat){q[0], q[1], q[2], q[3]}), degrees);
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

/* "a, b, c", as many as there is room for. */
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
        for (int a = 0; a < 3; a++) /* states are recorded as they were, in double precision */
            out[(*count)++] =
                (rp_measured){quantities[q].names[a], values[a], 0, quantities[q].unit};
    }
    if (there) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   body < 0 ? "body wants the name of one" : "this frame has no such body");
}
