/* Cameras: those of the scene, the automatic camera that frames grains and bodies by itself (P16),
 * and the framing that it fits into the picture. */
#include "base/memory.h"
#include "render/inside.h"
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- thin-lens cameras ------------------------------------------------------------------------ */

#define USED_PART 0.88       /* of the picture's width or height: 6 % margin at each side */
#define SLOPE_TALL 0.26      /* of the view downwards on scenes as high as wide: 13 degrees; */
#define SLOPE_FLAT 0.48      /* and on flat ones: 23 */
#define AUTOMATIC_FIELD 0.70 /* rad, 40 degrees */
#define AUTOMATIC_SHUTTER 0.5
#define AUTOMATIC_WORD "automatic"
#define DISTANCE_MIN 1e-9 /* m, from a camera to its target */

/* Sets position and axes; `up` need not be perpendicular to the view. `field` is the angle across
 * the height, rad. */
static void aim(rp_camera *camera, rp_vec3 position, rp_vec3 forward, rp_vec3 up, double field)
{
    camera->position = position;
    camera->forward = rp_v3_normalized(forward);
    rp_vec3 right = rp_v3_cross(camera->forward, rp_v3_normalized(up));
    camera->right =
        rp_v3_length(right) > 1e-9 ? rp_v3_normalized(right) : rp_v3_perpendicular(camera->forward);
    camera->down = rp_v3_cross(camera->forward, camera->right);
    camera->pitch = 2 * tan(0.5 * field) / camera->height;
}

/* Rotates the camera, position and axes, about an axis through a point. */
static void rotate_about(rp_camera *camera, rp_vec3 point, rp_vec3 axis, double angle)
{
    if (angle == 0) return; /* without rounding */
    rp_quat rotation = rp_quat_from_axis(axis, angle);
    rp_vec3 arm = rp_v3_sub(camera->position, point);
    camera->position = rp_v3_add(point, rp_quat_rotate(rotation, arm));
    camera->forward = rp_quat_rotate(rotation, camera->forward);
    camera->right = rp_quat_rotate(rotation, camera->right);
    camera->down = rp_quat_rotate(rotation, camera->down);
}

/* --- the automatic camera --------------------------------------------------------------------- */

/* What has to be in the picture: a hull, or all that it sweeps as it rotates, when the camera
 * orbits. */
typedef struct subject {
    const rp_framing *framing;
    rp_vec3 centre;
    bool swept;
} subject;

/* The two planes of the frustum along one axis of the picture. A camera at c, whose half field is
 * `slope`, sees all points p with |p.across - c.across| <= slope (p.forward - c.forward). The
 * support functions of the hull along the normals of these planes say where they touch it:
 * c.across - slope c.forward >= high and c.across + slope c.forward <= low. */
typedef struct fit {
    double slope, high, low;
} fit;

static fit fit_axis(const subject *s, rp_vec3 forward, rp_vec3 across, double slope)
{
    rp_vec3 high = rp_v3_madd(across, -slope, forward);
    rp_vec3 low = rp_v3_madd(rp_v3_scale(across, -1), -slope, forward);
    return (fit){slope, rp_framing_support(s->framing, high, s->swept, s->centre),
                 -rp_framing_support(s->framing, low, s->swept, s->centre)};
}

/* The farthest forward that the camera may be: where both planes touch the hull. */
static double forward_limit(fit f)
{
    return (f.low - f.high) / (2 * f.slope);
}

/* The camera's coordinate across, at `forward_at`, that gives the subject equal margins at both
 * sides: the planes of a smaller slope, found by bisection, touch the subject on both sides. */
static double centred(const subject *s, const rp_camera *camera, rp_vec3 across, double slope,
                      double forward_at)
{
    /* The smaller the slope, the farther back both planes touch: monotonic, 48 halvings are exact
     * to rounding. */
    double low = 0, high = slope;
    for (int i = 0; i < 48; i++) {
        double middle = 0.5 * (low + high);
        if (forward_limit(fit_axis(s, camera->forward, across, middle)) < forward_at)
            low = middle;
        else
            high = middle;
    }
    fit f = fit_axis(s, camera->forward, across, high);
    return 0.5 * (f.high + f.low);
}

/* Places the camera as near as width and height of the picture allow, with the subject centred. */
static void fit_subject(rp_camera *camera, const subject *s)
{
    double x = USED_PART * 0.5 * camera->width * camera->pitch;
    double y = USED_PART * 0.5 * camera->height * camera->pitch;
    double z = fmin(forward_limit(fit_axis(s, camera->forward, camera->right, x)),
                    forward_limit(fit_axis(s, camera->forward, camera->down, y)));
    /* Never beyond the centre, which it looks at. */
    z = fmin(z, rp_v3_dot(camera->forward, s->centre) - 1e-6);
    rp_vec3 at = rp_v3_scale(camera->forward, z);
    at = rp_v3_madd(at, centred(s, camera, camera->right, x, z), camera->right);
    camera->position = rp_v3_madd(at, centred(s, camera, camera->down, y, z), camera->down);
}

/* The automatic camera: from the front right and from above, steeper the flatter the scene is. A
 * camera that orbits frames the volume that the hull sweeps. */
static void frame_subject(rp_camera *camera, const rp_framing *framing, double orbit, double time)
{
    rp_box3 box = rp_framing_box(framing);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    subject s = {framing, rp_v3_scale(rp_v3_add(box.low, box.high), 0.5), orbit != 0};
    double flatness = 1 - rp_clamp_unit(size.z / fmax(fmax(size.x, size.y), 1e-9));
    rp_vec3 forward = rp_v3(-0.5, 1, -SLOPE_TALL - flatness * (SLOPE_FLAT - SLOPE_TALL));
    aim(camera, s.centre, forward, rp_v3(0, 0, 1), AUTOMATIC_FIELD);
    fit_subject(camera, &s);
    rotate_about(camera, s.centre, rp_v3(0, 0, 1), orbit * time);
    camera->focus = rp_camera_space(camera, s.centre).z;
    camera->shutter = AUTOMATIC_SHUTTER;
}

/* --- cameras of the scene --------------------------------------------------------------------- */

static rp_code from_spec(rp_camera *camera, const rp_camera_spec *spec,
                         const rp_render_options *options, double time, rp_report *report)
{
    rp_camera_view seen = rp_camera_view_at(spec, time);
    rp_vec3 forward = rp_v3_sub(seen.target, seen.position);
    double distance = rp_v3_length(forward);
    if (!(distance > DISTANCE_MIN && isfinite(distance)))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "at %g s the camera is at its target; its position and target "
                          "must be two different points",
                          time);
    if (!(seen.field_of_view > 0 && seen.field_of_view < RP_PI))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, spec->name,
                          "a field of view of %g rad: more than 0 and less than pi are allowed",
                          seen.field_of_view);
    aim(camera, seen.position, forward, seen.up, seen.field_of_view);
    rotate_about(camera, seen.target, seen.up, (spec->orbit + options->orbit) * time);
    /* In a picture beside another one the horizontal field stays that of the whole width. */
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

static rp_code choose(const rp_scene *scene, const rp_render_options *options,
                      const rp_framing *framing, double time, rp_camera *out, rp_report *report)
{
    const rp_camera_spec *specs = scene->cameras.items;
    const char *name = options->camera;
    for (int i = 0; i < scene->cameras.count; i++)
        if (!name || strcmp(specs[i].name, name) == 0)
            return from_spec(out, &specs[i], options, time, report);
    if (name && strcmp(name, AUTOMATIC_WORD) != 0) return unknown_camera(scene, name, report);
    frame_subject(out, framing, options->orbit, time);
    return RP_OK;
}

rp_code rp_camera_choose(const rp_scene *scene, const rp_render_options *options,
                         const rp_framing *framing, double time, rp_camera *out, rp_report *report)
{
    *out = (rp_camera){.width = options->width, .height = options->height};
    RP_TRY(choose(scene, options, framing, time, out, report));
    /* Rays that are not finite would lead the traversal of the BVH astray. */
    rp_vec3 sum = rp_v3_add(rp_v3_add(out->position, out->forward), out->right);
    if (isfinite(sum.x + sum.y + sum.z + out->pitch + out->lens + out->focus)) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "the camera has no finite position at %g s; check its orbit", time);
}

/* --- framing: what a camera has to show ------------------------------------------------------- */

/* The hull: the farthest points along directions that are spread evenly over the sphere. The
 * automatic camera needs its support function along the normals of the frustum. For a ball the hull
 * is 1 % too small at most, for boxes it is exact. */

#define LARGE 3           /* spacings: grains with a larger diameter are added whole */
#define SAMPLES_MAX 65536 /* grains that the hull is made from */
#define RANKED_MAX 8192   /* of those, sorted by distance to find outliers */
#define KEPT_PART 0.995   /* of the grains must be in the picture, */
#define OUTLIER 1.25      /* and all that are no farther off than these, times this */
#define NEAR 1.0          /* sizes of the heap: fixed bodies within are framed whole, */
#define FAR 3.0           /* moving ones also within these, */
#define BESIDE 0.15       /* and of all others, such as grounds, what is this near */
#define SEGMENTS 32       /* of round bodies */
#define AXES (RP_FRAMING_DIRECTIONS / 2)

static const rp_box3 empty_box = {{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};

rp_framing rp_framing_empty(void)
{
    return (rp_framing){.bounds = empty_box, .grains = empty_box};
}

static void grow(rp_box3 *box, rp_vec3 point, double margin)
{
    rp_vec3 edge = rp_v3(margin, margin, margin);
    box->low = rp_v3_min(box->low, rp_v3_sub(point, edge));
    box->high = rp_v3_max(box->high, rp_v3_add(point, edge));
}

static bool is_empty(const rp_box3 *box)
{
    return !(box->low.x <= box->high.x);
}

static bool is_finite(rp_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static rp_vec3 corner_of(const rp_box3 *box, int i)
{
    return rp_v3(i & 1 ? box->high.x : box->low.x, i & 2 ? box->high.y : box->low.y,
                 i & 4 ? box->high.z : box->low.z);
}

/* --- the hull --------------------------------------------------------------------------------- */

/* A direction of the upper hemisphere, on a Fibonacci spiral, which covers it evenly. */
static rp_vec3 axis_of(int i)
{
    double z = (i + 0.5) / AXES, angle = i * RP_PI * (3 - sqrt(5)), r = sqrt(1 - z * z);
    return rp_v3(r * cos(angle), r * sin(angle), z);
}

/* Along one axis: the farthest spheres in both directions. */
static void extend_axis(rp_framing *framing, int axis, const rp_vec3 *points, size_t count,
                        double radius)
{
    rp_vec3 along = axis_of(axis);
    rp_ball *ends = &framing->hull[2 * axis];
    double high = -INFINITY, low = INFINITY;
    /* Start with the ends found before, in terms of centres of spheres of this radius. */
    if (framing->has_hull) {
        high = rp_v3_dot(along, ends[0].centre) + ends[0].radius - radius;
        low = rp_v3_dot(along, ends[1].centre) - ends[1].radius + radius;
    }
    for (size_t i = 0; i < count; i++) {
        double at = rp_v3_dot(along, points[i]);
        if (at > high) {
            high = at;
            ends[0] = (rp_ball){points[i], radius};
        }
        if (at < low) {
            low = at;
            ends[1] = (rp_ball){points[i], radius};
        }
    }
}

/* Adds spheres of one radius to hull and bounds. */
static void extend(rp_framing *framing, const rp_vec3 *points, size_t count, double radius)
{
    if (count == 0) return;
    for (int axis = 0; axis < AXES; axis++)
        extend_axis(framing, axis, points, count, radius);
    framing->has_hull = true;
    for (size_t i = 0; i < count; i++)
        grow(&framing->bounds, points[i], radius);
}

/* Support function of a sphere; with `swept`, of the torus that it sweeps about the vertical axis.
 */
static double support_of(rp_ball ball, rp_vec3 normal, bool swept, rp_vec3 centre)
{
    double thick = ball.radius * rp_v3_length(normal);
    if (!swept) return rp_v3_dot(normal, ball.centre) + thick;
    /* A circle about the axis: its support is the radius times the horizontal part of the normal.
     */
    rp_vec3 arm = rp_v3_sub(ball.centre, centre), flat = rp_v3(normal.x, normal.y, 0);
    arm.z = 0;
    rp_vec3 axis = rp_v3(centre.x, centre.y, ball.centre.z);
    return rp_v3_dot(normal, axis) + rp_v3_length(arm) * rp_v3_length(flat) + thick;
}

double rp_framing_support(const rp_framing *framing, rp_vec3 normal, bool swept, rp_vec3 centre)
{
    rp_box3 box = rp_framing_box(framing);
    double support = -INFINITY;
    for (int i = 0; i < (framing->has_hull ? RP_FRAMING_DIRECTIONS : 8); i++) {
        rp_ball ball = framing->has_hull ? framing->hull[i] : (rp_ball){corner_of(&box, i), 0};
        support = fmax(support, support_of(ball, normal, swept, centre));
    }
    return support;
}

rp_box3 rp_framing_box(const rp_framing *framing)
{
    return is_empty(&framing->bounds) ? (rp_box3){{-0.5, -0.5, 0}, {0.5, 0.5, 1}} : framing->bounds;
}

/* --- grains ----------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that the part `part` of all do not exceed. Sorts the values. */
static double quantile(double *values, size_t count, double part)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[(size_t)(part * (double)(count - 1) + 0.5)];
}

/* The distance from the median beyond which grains are outliers: framing those that lie alone far
 * beyond nearly all others would make everything small. Ranks every `stride`th grain. */
static double outlier_distance(const rp_vec3 *points, size_t count, rp_vec3 *median)
{
    double values[RANKED_MAX], medians[3];
    size_t stride = (count + RANKED_MAX - 1) / RANKED_MAX, ranked = 0;
    for (int axis = 0; axis < 3; axis++) {
        ranked = 0;
        for (size_t i = 0; i < count; i += stride)
            values[ranked++] = axis == 0 ? points[i].x : axis == 1 ? points[i].y : points[i].z;
        medians[axis] = quantile(values, ranked, 0.5);
    }
    *median = rp_v3_from(medians);
    ranked = 0;
    for (size_t i = 0; i < count; i += stride)
        values[ranked++] = rp_v3_length(rp_v3_sub(points[i], *median));
    return OUTLIER * quantile(values, ranked, KEPT_PART);
}

static void add_points(rp_framing *framing, rp_vec3 *points, size_t count, double radius)
{
    if (count == 0) return;
    rp_vec3 median;
    double limit = outlier_distance(points, count, &median);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (rp_v3_length(rp_v3_sub(points[i], median)) <= limit) points[kept++] = points[i];
    for (size_t i = 0; i < kept; i++)
        grow(&framing->grains, points[i], radius);
    extend(framing, points, kept, radius);
}

/* Grains that are much larger than the spacing are added whole, unless they are outliers. */
static void add_large(rp_framing *framing, const rp_view *view)
{
    const rp_field *field = rp_view_field(view, "diameter");
    const float *diameters = field && field->type == RP_F32 ? field->data : NULL;
    rp_box3 kept = framing->grains;
    for (size_t i = 0; i < view->count && diameters; i++) {
        rp_vec3 p = rp_v3(view->x[i], view->y[i], view->z[i]);
        double radius = 0.5 * (double)diameters[i];
        bool near = p.x > kept.low.x - radius && p.x < kept.high.x + radius &&
                    p.y > kept.low.y - radius && p.y < kept.high.y + radius &&
                    p.z > kept.low.z - radius && p.z < kept.high.z + radius;
        if (diameters[i] <= LARGE * view->spacing || !is_finite(p) || !near) continue;
        grow(&framing->grains, p, radius);
        extend(framing, &p, 1, radius);
    }
}

static rp_code add_grains(rp_framing *framing, const rp_view *view, rp_report *report)
{
    size_t stride = view->count / SAMPLES_MAX + 1;
    size_t capacity = view->count / stride + 1, count = 0;
    rp_vec3 *points = rp_allocate(capacity * sizeof *points);
    if (!points) return rp_fail_memory(report, capacity * sizeof *points, "a camera");
    for (size_t i = 0; i < view->count; i += stride) {
        rp_vec3 p = rp_v3(view->x[i], view->y[i], view->z[i]);
        if (is_finite(p)) points[count++] = p;
    }
    add_points(framing, points, count, 0.5 * view->spacing);
    rp_release(points, capacity * sizeof *points);
    add_large(framing, view);
    return RP_OK;
}

/* --- bodies ----------------------------------------------------------------------------------- */

static rp_box3 bounds_of(const rp_shape *shape, rp_pose pose)
{
    rp_box3 local = rp_shape_bounds(shape), world = empty_box;
    for (int i = 0; i < 8; i++)
        grow(&world, rp_pose_to_world(pose, corner_of(&local, i)), 0);
    return world;
}

static bool holds(const rp_box3 *outer, const rp_box3 *inner)
{
    return inner->low.x >= outer->low.x && inner->high.x <= outer->high.x &&
           inner->low.y >= outer->low.y && inner->high.y <= outer->high.y &&
           inner->low.z >= outer->low.z && inner->high.z <= outer->high.z;
}

/* The box of the grains, enlarged by `sizes` times its longest edge. */
static rp_box3 around(const rp_box3 *grains, double sizes)
{
    rp_vec3 size = rp_v3_sub(grains->high, grains->low);
    double margin = sizes * fmax(size.x, fmax(size.y, size.z));
    rp_box3 box = *grains;
    grow(&box, grains->low, margin);
    grow(&box, grains->high, margin);
    return box;
}

/* Adds the vertices of a body's surface; round shapes are tessellated. */
static rp_code add_surface(rp_framing *framing, const rp_shape *shape, rp_pose pose,
                           rp_report *report)
{
    rp_mesh *own = NULL;
    const rp_mesh *mesh = shape->mesh;
    rp_code code = RP_OK;
    if (shape->kind != RP_SHAPE_MESH) {
        code = rp_shape_tessellate(shape, SEGMENTS, 1, &own, report);
        mesh = own;
    }
    RP_TRY(code);
    size_t size = mesh->vertex_count * sizeof(rp_vec3);
    rp_vec3 *points = rp_allocate(size);
    if (!points) code = rp_fail_memory(report, size, "a camera");
    for (size_t i = 0; i < mesh->vertex_count && points; i++)
        points[i] = rp_pose_to_world(pose, mesh->vertices[i]);
    if (points) extend(framing, points, mesh->vertex_count, 0);
    rp_release(points, size);
    rp_mesh_destroy(own);
    return code;
}

/* Adds a body; but of one that reaches far beyond the grains, such as a ground or a wall, only the
 * part beside them. */
static rp_code add_body(rp_framing *framing, const rp_body_spec *spec, rp_pose pose,
                        rp_report *report)
{
    const rp_shape *shape = &spec->shape;
    if (shape->kind == RP_SHAPE_PLANE) return RP_OK;
    rp_box3 body = bounds_of(shape, pose);
    rp_box3 near = around(&framing->grains, spec->motion == RP_MOTION_FIXED ? NEAR : FAR);
    if (!is_finite(body.low) || !is_finite(body.high)) return RP_OK;
    if (is_empty(&framing->grains) || holds(&near, &body))
        return add_surface(framing, shape, pose, report);
    /* Clip the body's box to the neighborhood of the grains. */
    rp_box3 beside = around(&framing->grains, BESIDE);
    body.low = rp_v3_max(body.low, beside.low);
    body.high = rp_v3_min(body.high, beside.high);
    if (body.low.x > body.high.x || body.low.y > body.high.y || body.low.z > body.high.z)
        return RP_OK;
    rp_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = corner_of(&body, i);
    extend(framing, corners, 8, 0);
    return RP_OK;
}

/* Emitters are where grains will be. */
static void add_emitter(rp_framing *framing, const rp_emitter_spec *emitter)
{
    if (!is_empty(&framing->grains)) grow(&framing->grains, emitter->position, emitter->radius);
    extend(framing, &emitter->position, 1, emitter->radius);
}

/* Height fields are sand: they are added whole, and bodies are judged by their distance to them. */
static rp_code add_grid(rp_framing *framing, const rp_grid *grid, rp_report *report)
{
    if (grid->kind != RP_GRID_HEIGHT) return RP_OK;
    size_t all = rp_grid_count(grid), stride = 1 + (all - 1) / SAMPLES_MAX, count = 0;
    size_t size = (all / stride + 1) * sizeof(rp_vec3);
    rp_vec3 *points = rp_allocate(size);
    if (!points) return rp_fail_memory(report, size, "a camera");
    for (size_t at = 0; at < all; at += stride)
        points[count++] = rp_grid_point(grid, at % grid->size[0], at / grid->size[0], 0);
    extend(framing, points, count, 0);
    for (size_t i = 0; i < count; i++)
        grow(&framing->grains, points[i], 0);
    rp_release(points, size);
    return RP_OK;
}

rp_code rp_framing_add(rp_framing *framing, const rp_view *view, const rp_scene *scene,
                       rp_report *report)
{
    rp_code code = rp_grids_check(view, report);
    if (code == RP_OK) code = add_grains(framing, view, report);
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        code = add_grid(framing, &view->grids[i], report);
    for (int i = 0; i < scene->emitters.count; i++)
        add_emitter(framing, &rp_scene_emitters(scene)[i]);
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++)
        if (!rp_scene_bodies(scene)[i].hidden && rp_view_has_body(view, i))
            code = add_body(framing, &rp_scene_bodies(scene)[i],
                            rp_render_body_pose(view, scene, i), report);
    return code;
}
