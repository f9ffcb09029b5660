#include "render/camera.h"
#include "base/report.h"
#include "render/light.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#define FILL 0.88            /* of the picture's width or height: 6 % are left at each side */
#define SINK_TALL 0.26       /* how steeply it looks down on what is as high as wide: 13 degrees; */
#define SINK_FLAT 0.48       /* and on what is flat: 23 */
#define AUTOMATIC_FIELD 0.70 /* rad, 40 degrees */
#define AUTOMATIC_SHUTTER 0.5
#define AUTOMATIC_WORD "automatic"
#define CLOSE 1e-9 /* m, below which a camera stands where it looks at */

/* Sets the axes; `up` need not be at right angles to the view. */
static void look(rp_camera *camera, rp_vec3 position, rp_vec3 forward, rp_vec3 up, double field)
{
    camera->position = position;
    camera->forward = rp_v3_normalized(forward);
    rp_vec3 right = rp_v3_cross(camera->forward, rp_v3_normalized(up));
    camera->right =
        rp_v3_length(right) > 1e-9 ? rp_v3_normalized(right) : rp_v3_perpendicular(camera->forward);
    camera->down = rp_v3_cross(camera->forward, camera->right);
    camera->pitch = 2 * tan(0.5 * field) / camera->height;
}

/* Turns the camera about the axis through a point, as one piece. */
static void turn_about(rp_camera *camera, rp_vec3 point, rp_vec3 axis, double angle)
{
    if (angle == 0) return; /* not even rounding moves it */
    rp_quat turn = rp_quat_from_axis(axis, angle);
    rp_vec3 arm = rp_v3_sub(camera->position, point);
    camera->position = rp_v3_add(point, rp_quat_rotate(turn, arm));
    camera->forward = rp_quat_rotate(turn, camera->forward);
    camera->right = rp_quat_rotate(turn, camera->right);
    camera->down = rp_quat_rotate(turn, camera->down);
}

/* --- the automatic camera --------------------------------------------------------------------- */

/* What is to be seen: a hull, and all that it sweeps as it turns when the camera goes round. */
typedef struct subject {
    const rp_framing *framing;
    rp_vec3 centre;
    bool round;
} subject;

/* Along one axis of the picture a camera at c with half the field `slope` sees all points p with
 * |p.across - c.across| <= slope (p.forward - c.forward). Two planes bound them, and the hull's
 * support functions along their normals say where they touch it:
 * c.across - slope c.forward >= most and c.across + slope c.forward <= least. */
typedef struct fit {
    double slope, most, least;
} fit;

static fit fit_axis(const subject *s, rp_vec3 forward, rp_vec3 across, double slope)
{
    rp_vec3 high = rp_v3_madd(across, -slope, forward);
    rp_vec3 low = rp_v3_madd(rp_v3_scale(across, -1), -slope, forward);
    return (fit){slope, rp_framing_support(s->framing, high, s->round, s->centre),
                 -rp_framing_support(s->framing, low, s->round, s->centre)};
}

/* The farthest forward that the camera may be. */
static double nearest_of(fit f)
{
    return (f.least - f.most) / (2 * f.slope);
}

/* Where the camera is across, at `forward_at`, so that the subject has as much room at one side as
 * at the other: the smaller slope whose planes meet there touches it on both. */
static double centred(const subject *s, const rp_camera *camera, rp_vec3 across, double slope,
                      double forward_at)
{
    double low = 0, high = slope;
    for (int i = 0; i < 48; i++) {
        double middle = 0.5 * (low + high);
        if (nearest_of(fit_axis(s, camera->forward, across, middle)) < forward_at)
            low = middle;
        else
            high = middle;
    }
    fit f = fit_axis(s, camera->forward, across, high);
    return 0.5 * (f.most + f.least);
}

/* As near as the picture's width and height allow, and in its middle. */
static void stand_back(rp_camera *camera, const subject *s)
{
    double x = FILL * 0.5 * camera->width * camera->pitch;
    double y = FILL * 0.5 * camera->height * camera->pitch;
    double z = fmin(nearest_of(fit_axis(s, camera->forward, camera->right, x)),
                    nearest_of(fit_axis(s, camera->forward, camera->down, y)));
    z = fmin(z, rp_v3_dot(camera->forward, s->centre) - 1e-6);
    rp_vec3 at = rp_v3_scale(camera->forward, z);
    at = rp_v3_madd(at, centred(s, camera, camera->right, x, z), camera->right);
    camera->position = rp_v3_madd(at, centred(s, camera, camera->down, y, z), camera->down);
}

/* From the front right and from above, the more so the flatter things are. Who goes round them
 * sees them from all sides, and needs room for what they sweep. */
static void frame(rp_camera *camera, const rp_framing *framing, double orbit, double time)
{
    rp_box3 box = rp_framing_box(framing);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    subject s = {framing, rp_v3_scale(rp_v3_add(box.low, box.high), 0.5), orbit != 0};
    double flatness = 1 - rp_clamp_unit(size.z / fmax(fmax(size.x, size.y), 1e-9));
    rp_vec3 forward = rp_v3(-0.5, 1, -SINK_TALL - flatness * (SINK_FLAT - SINK_TALL));
    look(camera, s.centre, forward, rp_v3(0, 0, 1), AUTOMATIC_FIELD);
    stand_back(camera, &s);
    turn_about(camera, s.centre, rp_v3(0, 0, 1), orbit * time);
    camera->focus = rp_camera_space(camera, s.centre).z;
    camera->shutter = AUTOMATIC_SHUTTER;
}

/* --- cameras of the scene --------------------------------------------------------------------- */

static rp_code from_spec(rp_camera *camera, const rp_camera_spec *spec,
                         const rp_paint_options *options, double time, rp_report *report)
{
    rp_sight seen = rp_camera_sight(spec, time);
    rp_vec3 forward = rp_v3_sub(seen.target, seen.position);
    double distance = rp_v3_length(forward);
    if (!(distance > CLOSE && isfinite(distance)))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "at %g s the camera stands where it looks at; its position and target "
                          "must be two different points",
                          time);
    if (!(seen.field_of_view > 0 && seen.field_of_view < RP_PI))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "a field of view of %g rad: more than 0 and less than pi are allowed",
                          seen.field_of_view);
    look(camera, seen.position, forward, seen.up, seen.field_of_view);
    turn_about(camera, seen.target, seen.up, (spec->orbit + options->orbit) * time);
    /* Beside another picture: what is seen from left to right stays. */
    camera->pitch *= fmax(1, options->aspect * camera->height / camera->width);
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
            return from_spec(out, &specs[i], options, time, report);
    if (name && strcmp(name, AUTOMATIC_WORD) != 0) return unknown_camera(scene, name, report);
    frame(out, framing, options->orbit, time);
    return RP_OK;
}

rp_code rp_camera_choose(const rp_scene *scene, const rp_paint_options *options,
                         const rp_framing *framing, double time, rp_camera *out, rp_report *report)
{
    *out = (rp_camera){.width = options->width, .height = options->height};
    RP_TRY(choose(scene, options, framing, time, out, report));
    /* Rays of nowhere would lead the search astray. */
    rp_vec3 sum = rp_v3_add(rp_v3_add(out->position, out->forward), out->right);
    if (isfinite(sum.x + sum.y + sum.z + out->pitch + out->lens + out->focus)) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "the camera is nowhere at %g s; look at its orbit",
                   time);
}
