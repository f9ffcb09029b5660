#include "render/camera.h"
#include "base/memory.h"
#include "base/report.h"
#include "render/solid.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 65536    /* grains looked at for the bounds */
#define KEPT 0.995           /* part of the grains that must be in the picture */
#define ROUND 1.22           /* of an ellipse in the box; 1.41 would be around its corners */
#define FILL 0.9             /* of the picture's edges */
#define AUTOMATIC_FIELD 0.70 /* rad, 40 degrees */
#define AUTOMATIC_WORD "automatic"

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
        add_body(&framing->bounds, &grains, &rp_scene_bodies(scene)[i].shape,
                 rp_body_pose(view, scene, i));
    for (int i = 0; i < scene->emitters.count; i++)
        grow(&framing->bounds, rp_scene_emitters(scene)[i].position,
             rp_scene_emitters(scene)[i].radius);
    return RP_OK;
}

/* Sets the axes; `up` need not be at right angles to the view. */
static void look(rp_camera *camera, rp_vec3 position, rp_vec3 forward, rp_vec3 up, double field)
{
    camera->position = position;
    camera->forward = rp_v3_normal(forward);
    rp_vec3 right = rp_v3_cross(camera->forward, rp_v3_normal(up));
    camera->right =
        rp_v3_length(right) > 1e-9 ? rp_v3_normal(right) : rp_v3_across(camera->forward);
    camera->down = rp_v3_cross(camera->forward, camera->right);
    camera->pitch = 2 * tan(0.5 * field) / camera->height;
}

/* How far the points reach across the view, seen along one axis of the picture: a camera at c with
 * half the field `slope` sees all points when c - slope c.z >= most and c + slope c.z <= least. */
typedef struct fit {
    double slope, most, least;
} fit;

static void fit_point(fit *f, double across, double z)
{
    f->most = fmax(f->most, across - f->slope * z);
    f->least = fmin(f->least, across + f->slope * z);
}

/* From the front right and slightly above, as near as the box allows. Heaps do not fill the corners
 * of their box, so an ellipse in it is what must be seen, at the bottom and at the top. */
static void frame_box(rp_camera *camera, rp_box3 box)
{
    if (is_empty(&box)) box = (rp_box3){{-0.5, -0.5, 0}, {0.5, 0.5, 1}};
    rp_vec3 centre = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    rp_vec3 half = rp_v3_scale(rp_v3_sub(box.high, box.low), 0.5);
    look(camera, centre, rp_v3(-0.5, 1, -0.36), rp_v3(0, 0, 1), AUTOMATIC_FIELD);

    fit x = {FILL * 0.5 * camera->width * camera->pitch, -INFINITY, INFINITY};
    fit y = {FILL * 0.5 * camera->height * camera->pitch, -INFINITY, INFINITY};
    for (int i = 0; i < 64; i++) {
        double angle = RP_PI * i / 16;
        rp_vec3 point =
            rp_v3_add(centre, rp_v3(ROUND * half.x * cos(angle), ROUND * half.y * sin(angle),
                                    i < 32 ? -half.z : half.z));
        rp_vec3 c = rp_camera_space(camera, point);
        fit_point(&x, c.x, c.z);
        fit_point(&y, c.y, c.z);
    }
    double z = fmin((x.least - x.most) / (2 * x.slope), (y.least - y.most) / (2 * y.slope));
    rp_vec3 moved = rp_v3_madd(centre, fmin(z, -1e-6), camera->forward);
    moved = rp_v3_madd(moved, 0.5 * (x.most + x.least), camera->right);
    camera->position = rp_v3_madd(moved, 0.5 * (y.most + y.least), camera->down);
}

static rp_code from_spec(rp_camera *camera, const rp_camera_spec *spec, rp_report *report)
{
    rp_vec3 forward = rp_v3_sub(spec->target, spec->position);
    if (!is_finite(spec->position) || !is_finite(forward) || rp_v3_length(forward) == 0)
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "the camera's position and target must be two different points");
    if (!(spec->field_of_view > 0 && spec->field_of_view < RP_PI))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "a field of view of %g rad: more than 0 and less than pi are allowed",
                          spec->field_of_view);
    look(camera, spec->position, forward, spec->up, spec->field_of_view);
    return RP_OK;
}

static rp_code unknown_camera(const rp_scene *scene, const char *name, rp_report *report)
{
    const rp_camera_spec *specs = scene->cameras.items;
    char names[400] = AUTOMATIC_WORD;
    for (int i = 0; i < scene->cameras.count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", specs[i].name);
    }
    return rp_fail(report, RP_ERROR_INPUT, "there is no camera '%s'; there are: %s", name, names);
}

rp_code rp_camera_choose(const rp_scene *scene, const rp_paint_options *options,
                         const rp_framing *framing, rp_camera *out, rp_report *report)
{
    *out = (rp_camera){.width = options->width, .height = options->height};
    const rp_camera_spec *specs = scene->cameras.items;
    const char *name = options->camera;
    if (!name && scene->cameras.count > 0) return from_spec(out, &specs[0], report);
    for (int i = 0; name && i < scene->cameras.count; i++)
        if (strcmp(specs[i].name, name) == 0) return from_spec(out, &specs[i], report);
    if (name && strcmp(name, AUTOMATIC_WORD) != 0) return unknown_camera(scene, name, report);
    frame_box(out, framing->bounds);
    return RP_OK;
}
