#include "render/camera.h"
#include "base/report.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#define ROUND 1.22           /* of an ellipse in the box; 1.41 would be around its corners */
#define FILL 0.9             /* of the picture's edges */
#define AUTOMATIC_FIELD 0.70 /* rad, 40 degrees */
#define AUTOMATIC_SHUTTER 0.5
#define AUTOMATIC_WORD "automatic"
#define CLOSE 1e-9 /* m, below which a camera stands where it looks at */

/* What a camera's words come to at one instant. */
typedef struct sight {
    rp_vec3 position, target, up; /* m */
    double field;                 /* rad */
} sight;

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

/* Turns the camera about the axis through a point, as one piece. */
static void turn_about(rp_camera *camera, rp_vec3 point, rp_vec3 axis, double angle)
{
    if (angle == 0) return; /* not even rounding moves it */
    rp_quat turn = rp_quat_axis(axis, angle);
    rp_vec3 arm = rp_v3_sub(camera->position, point);
    camera->position = rp_v3_add(point, rp_quat_rotate(turn, arm));
    camera->forward = rp_quat_rotate(turn, camera->forward);
    camera->right = rp_quat_rotate(turn, camera->right);
    camera->down = rp_quat_rotate(turn, camera->down);
}

/* --- the automatic camera --------------------------------------------------------------------- */

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

/* From the front right and slightly above, as near as an upright column with this ellipse as its
 * base allows. */
static void frame_column(rp_camera *camera, rp_vec3 centre, rp_vec3 half)
{
    look(camera, centre, rp_v3(-0.5, 1, -0.36), rp_v3(0, 0, 1), AUTOMATIC_FIELD);

    fit x = {FILL * 0.5 * camera->width * camera->pitch, -INFINITY, INFINITY};
    fit y = {FILL * 0.5 * camera->height * camera->pitch, -INFINITY, INFINITY};
    for (int i = 0; i < 64; i++) {
        double angle = RP_PI * i / 16;
        rp_vec3 point = rp_v3_add(
            centre, rp_v3(half.x * cos(angle), half.y * sin(angle), i < 32 ? -half.z : half.z));
        rp_vec3 c = rp_camera_space(camera, point);
        fit_point(&x, c.x, c.z);
        fit_point(&y, c.y, c.z);
    }
    double z = fmin((x.least - x.most) / (2 * x.slope), (y.least - y.most) / (2 * y.slope));
    rp_vec3 moved = rp_v3_madd(centre, fmin(z, -1e-6), camera->forward);
    moved = rp_v3_madd(moved, 0.5 * (x.most + x.least), camera->right);
    camera->position = rp_v3_madd(moved, 0.5 * (y.most + y.least), camera->down);
}

/* Heaps do not fill the corners of their box, so an ellipse in it is what must be seen. Who goes
 * round it sees it from all sides, and needs room for a circle. */
static void frame_box(rp_camera *camera, rp_box3 box, double orbit, double time)
{
    rp_vec3 centre = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    rp_vec3 half = rp_v3_scale(rp_v3_sub(box.high, box.low), 0.5);
    if (orbit != 0) half.x = half.y = fmax(half.x, half.y);
    frame_column(camera, centre, rp_v3(ROUND * half.x, ROUND * half.y, half.z));
    turn_about(camera, centre, rp_v3(0, 0, 1), orbit * time);
    camera->focus = rp_camera_space(camera, centre).z;
    camera->shutter = AUTOMATIC_SHUTTER;
}

/* --- cameras of the scene --------------------------------------------------------------------- */

static sight sight_at(const rp_camera_spec *spec, double time)
{
    if (!spec->keys.count)
        return (sight){spec->position, spec->target, spec->up, spec->field_of_view};
    rp_keys keys = {spec->keys.items, spec->keys.count, sizeof(rp_camera_key_spec),
                    offsetof(rp_camera_key_spec, time), (rp_interpolation)spec->interpolation};
    return (sight){rp_keys_vec3(&keys, offsetof(rp_camera_key_spec, position), time),
                   rp_keys_vec3(&keys, offsetof(rp_camera_key_spec, target), time), spec->up,
                   rp_keys_value(&keys, offsetof(rp_camera_key_spec, field_of_view), time)};
}

static rp_code from_spec(rp_camera *camera, const rp_camera_spec *spec, double orbit, double time,
                         rp_report *report)
{
    sight seen = sight_at(spec, time);
    rp_vec3 forward = rp_v3_sub(seen.target, seen.position);
    double distance = rp_v3_length(forward);
    if (!(distance > CLOSE && isfinite(distance)))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "at %g s the camera stands where it looks at; its position and target "
                          "must be two different points",
                          time);
    if (!(seen.field > 0 && seen.field < RP_PI))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "a field of view of %g rad: more than 0 and less than pi are allowed",
                          seen.field);
    look(camera, seen.position, forward, seen.up, seen.field);
    turn_about(camera, seen.target, seen.up, (spec->orbit + orbit) * time);
    camera->lens = 0.5 * spec->aperture;
    camera->focus = spec->focus > 0 ? spec->focus : distance;
    camera->shutter = spec->shutter;
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

static rp_code choose(const rp_scene *scene, const rp_paint_options *options,
                      const rp_framing *framing, double time, rp_camera *out, rp_report *report)
{
    const rp_camera_spec *specs = scene->cameras.items;
    const char *name = options->camera;
    for (int i = 0; i < scene->cameras.count; i++)
        if (!name || strcmp(specs[i].name, name) == 0)
            return from_spec(out, &specs[i], options->orbit, time, report);
    if (name && strcmp(name, AUTOMATIC_WORD) != 0) return unknown_camera(scene, name, report);
    frame_box(out, rp_framing_box(framing), options->orbit, time);
    return RP_OK;
}

rp_code rp_camera_choose(const rp_scene *scene, const rp_paint_options *options,
                         const rp_framing *framing, double time, rp_camera *out, rp_report *report)
{
    *out = (rp_camera){.width = options->width, .height = options->height};
    rp_code code = choose(scene, options, framing, time, out, report);
    if (code != RP_OK) return code;
    /* Rays of nowhere would lead the search astray. */
    rp_vec3 sum = rp_v3_add(rp_v3_add(out->position, out->forward), out->right);
    if (isfinite(sum.x + sum.y + sum.z + out->pitch + out->lens + out->focus)) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "the camera is nowhere at %g s; look at its orbit",
                   time);
}
