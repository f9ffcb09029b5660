/* The fixed grains of a scene's bodies and walls, for methods that know them and for pictures. */
#include "base/report.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

/* Sine of the angle by which a rough plane may be askew to a periodic axis. */
#define ASKEW 1e-9

/* Surfaces do not share their random numbers. */
static uint64_t seed_of(const rp_scene *scene, int number)
{
    return (uint64_t)scene->seed + 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);
}

static rp_rough_span endless(void)
{
    return (rp_rough_span){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}, {false, false}};
}

static rp_vec3 axis_vector(int axis)
{
    return rp_v3(axis == 0, axis == 1, axis == 2);
}

/* Which of its own axes, x or y, a plane has along an axis of the world; -1: it faces that way, -2:
 * neither. */
static int axis_along(rp_quat orientation, int axis)
{
    rp_vec3 along = rp_quat_rotate(rp_quat_conj(orientation), axis_vector(axis));
    if (fabs(along.y) < ASKEW && fabs(along.z) < ASKEW) return 0;
    if (fabs(along.x) < ASKEW && fabs(along.z) < ASKEW) return 1;
    return fabs(along.x) < ASKEW && fabs(along.y) < ASKEW ? -1 : -2;
}

/* Bounds of the domain along one of its axes as those of a plane's own axis. */
static void take_bounds(const rp_domain_spec *domain, rp_pose pose, int axis, int own,
                        rp_rough_span *span)
{
    rp_vec3 e = axis_vector(axis), along = rp_quat_rotate(rp_quat_conj(pose.orientation), e);
    double way = (own ? along.y : along.x) > 0 ? 1 : -1, here = rp_v3_dot(pose.position, e);
    double a = way * (rp_v3_dot(domain->low, e) - here);
    double b = way * (rp_v3_dot(domain->high, e) - here);
    span->low[own] = fmin(a, b);
    span->high[own] = fmax(a, b);
    span->wraps[own] = domain->periodic >> axis & 1;
}

rp_code rp_scene_rough_wall(const rp_scene *scene, int side, double reach, rp_threads *threads,
                            rp_rough_surface *rough, rp_report *report)
{
    static const rp_shape plane = {.kind = RP_SHAPE_PLANE};
    const rp_domain_spec *domain = &scene->domain;
    rp_vec3 foot, inward;
    *rough = (rp_rough_surface){0};
    bool wanted = domain->roughness.grains.radius > 0 && domain->roughness.sides >> side & 1;
    if (!rp_scene_domain_wall(domain, side, &foot, &inward) || !wanted) return RP_OK;
    rp_pose pose = rp_scene_wall_pose(foot, inward);
    rp_rough_span span = endless();
    for (int axis = 0; axis < 3; axis++)
        if (axis != side / 2)
            take_bounds(domain, pose, axis, axis_along(pose.orientation, axis), &span);
    return rp_rough_surface_make(rough, &plane, &domain->roughness.grains,
                                 seed_of(scene, scene->bodies.count + side), &span, reach, threads,
                                 "domain.roughness", report);
}

/* What goes round a period must find the same fixed grains there. */
static rp_code find_span(const rp_scene *scene, const rp_body_spec *body, const char *key,
                         rp_rough_span *span, rp_report *report)
{
    *span = endless();
    for (int axis = 0; axis < 3; axis++) {
        if (!(scene->domain.periodic >> axis & 1)) continue;
        int own = axis_along(body->pose.orientation, axis);
        if (own == -2)
            return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                              "%c is periodic, but the plane is askew to it, so its fixed grains "
                              "would not fit; turn gravity in place of the plane, or take a box",
                              'x' + axis);
        if (own >= 0) take_bounds(&scene->domain, body->pose, axis, own, span);
    }
    return RP_OK;
}

rp_code rp_scene_rough_body(const rp_scene *scene, int index, double reach, rp_threads *threads,
                            rp_rough_surface *rough, rp_report *report)
{
    const rp_body_spec *body = &rp_scene_bodies(scene)[index];
    char key[160];
    rp_rough_span span = endless();
    rp_code code = RP_OK;
    *rough = (rp_rough_surface){0};
    if (!(body->roughness.radius > 0)) return RP_OK;
    snprintf(key, sizeof key, "bodies.%s.roughness", body->name);
    if (body->shape.kind == RP_SHAPE_PLANE) code = find_span(scene, body, key, &span, report);
    RP_TRY(code);
    return rp_rough_surface_make(rough, &body->shape, &body->roughness, seed_of(scene, index),
                                 &span, reach, threads, key, report);
}
