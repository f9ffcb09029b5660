/* What is worth seeing of a view, as a box. */
#include "base/memory.h"
#include "base/report.h"
#include "render/render.h"
#include "render/solid.h"
#include "scene/scene.h"

#include <stdlib.h>

#define SAMPLES_MAX 65536 /* grains looked at for the bounds */
#define KEPT 0.995        /* part of the grains that must be in the picture */

rp_framing rp_framing_empty(void)
{
    return (rp_framing){{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
}

static void grow(rp_box3 *box, rp_vec3 point, double margin)
{
    rp_vec3 edge = rp_v3(margin, margin, margin);
    box->low = rp_v3_min(box->low, rp_v3_sub(point, edge));
    box->high = rp_v3_max(box->high, rp_v3_add(point, edge));
}

static bool is_finite(rp_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that `part` of the others do not exceed. Sorts. */
static double quantile(double *values, size_t count, double part)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[(size_t)(part * (double)(count - 1) + 0.5)];
}

static rp_vec3 median(const rp_vec3 *points, size_t count, double *values)
{
    double middle[3];
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++)
            values[i] = axis == 0 ? points[i].x : axis == 1 ? points[i].y : points[i].z;
        middle[axis] = quantile(values, count, 0.5);
    }
    return rp_v3(middle[0], middle[1], middle[2]);
}

/* Bounds of the points, without those farthest from the median. */
static void add_points(rp_box3 *box, const rp_vec3 *points, size_t count, double *values,
                       double margin)
{
    if (count == 0) return;
    rp_vec3 middle = median(points, count, values);
    for (size_t i = 0; i < count; i++)
        values[i] = rp_v3_length(rp_v3_sub(points[i], middle));
    double reach = quantile(values, count, KEPT);
    for (size_t i = 0; i < count; i++)
        if (rp_v3_length(rp_v3_sub(points[i], middle)) <= reach) grow(box, points[i], margin);
}

static rp_code add_grains(rp_box3 *box, const rp_view *view, rp_report *report)
{
    size_t stride = view->count / SAMPLES_MAX + 1;
    size_t room = view->count / stride + 1;
    rp_vec3 *points = rp_allocate(room * sizeof *points);
    double *values = rp_allocate(room * sizeof *values);
    rp_code code = RP_OK;
    if (points && values) {
        size_t count = 0;
        for (size_t i = 0; i < view->count; i += stride) {
            rp_vec3 p = rp_v3(view->x[i], view->y[i], view->z[i]);
            if (is_finite(p)) points[count++] = p;
        }
        add_points(box, points, count, values, 0.5 * view->spacing);
    } else {
        code = rp_fail_memory(report, room * (sizeof *points + sizeof *values), "a camera");
    }
    rp_release(values, room * sizeof *values);
    rp_release(points, room * sizeof *points);
    return code;
}

static bool is_empty(const rp_box3 *box)
{
    return !(box->low.x <= box->high.x);
}

/* A body, but of a large one no more than the neighbourhood of the grains. */
static void add_body(rp_box3 *box, const rp_box3 *grains, const rp_shape *shape, rp_pose pose)
{
    if (shape->kind == RP_SHAPE_PLANE) return;
    rp_box3 local = rp_shape_bounds(shape);
    rp_box3 body = rp_framing_empty().bounds;
    for (int i = 0; i < 8; i++) {
        rp_vec3 corner =
            rp_v3(i & 1 ? local.high.x : local.low.x, i & 2 ? local.high.y : local.low.y,
                  i & 4 ? local.high.z : local.low.z);
        grow(&body, rp_pose_to_world(pose, corner), 0);
    }
    if (!is_finite(body.low) || !is_finite(body.high)) return;
    if (!is_empty(grains)) {
        rp_vec3 size = rp_v3_sub(grains->high, grains->low);
        double reach = fmax(size.x, fmax(size.y, size.z));
        rp_vec3 edge = rp_v3(reach, reach, reach);
        body.low = rp_v3_max(body.low, rp_v3_sub(grains->low, edge));
        body.high = rp_v3_min(body.high, rp_v3_add(grains->high, edge));
        if (body.low.x > body.high.x || body.low.y > body.high.y || body.low.z > body.high.z)
            return;
    }
    grow(box, body.low, 0);
    grow(box, body.high, 0);
}

rp_code rp_framing_add(rp_framing *framing, const rp_view *view, const rp_scene *scene,
                       rp_report *report)
{
    rp_box3 grains = rp_framing_empty().bounds;
    rp_code code = add_grains(&grains, view, report);
    if (code != RP_OK) return code;
    if (!is_empty(&grains)) {
        grow(&framing->bounds, grains.low, 0);
        grow(&framing->bounds, grains.high, 0);
    }
    for (int i = 0; i < scene->bodies.count; i++)
        if (!rp_scene_bodies(scene)[i].hidden)
            add_body(&framing->bounds, &grains, &rp_scene_bodies(scene)[i].shape,
                     rp_body_pose(view, scene, i));
    for (int i = 0; i < scene->emitters.count; i++)
        grow(&framing->bounds, rp_scene_emitters(scene)[i].position,
             rp_scene_emitters(scene)[i].radius);
    return RP_OK;
}

rp_box3 rp_framing_box(const rp_framing *framing)
{
    return is_empty(&framing->bounds) ? (rp_box3){{-0.5, -0.5, 0}, {0.5, 0.5, 1}} : framing->bounds;
}
