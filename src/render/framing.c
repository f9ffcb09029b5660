/* What is worth seeing of a view, as a hull: the farthest points along directions that are spread
 * evenly over the sphere. A camera asks it for support functions along the normals of its frustum
 * (camera.c). For a ball the hull is 1 % too small at most, for boxes it is exact. */
#include "base/memory.h"
#include "base/report.h"
#include "render/render.h"
#include "render/solid.h"
#include "scene/scene.h"
#include "view/view.h"

#include <stdlib.h>

#define LARGE 3           /* spacings across: a grain that is seen beyond its place */
#define SAMPLES_MAX 65536 /* grains looked at for the hull */
#define RANKED_MAX 8192   /* of those, sorted by distance to tell strays */
#define KEPT 0.995        /* part of the grains that must be in the picture, */
#define STRAY 1.25        /* and all that are no farther off than these, times this */
#define NEAR 1.0          /* sizes of the heap: fixed bodies within are shown whole, */
#define FAR 3.0           /* moving ones also within these, */
#define BESIDE 0.15       /* and of all others, such as grounds, what is this near */
#define SEGMENTS 32       /* of round bodies */
#define AXES (RP_FRAMING_DIRECTIONS / 2)

static const rp_box3 nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

rp_framing rp_framing_empty(void)
{
    return (rp_framing){.bounds = nowhere, .grains = nowhere};
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

/* An axis of the upper half sphere, on a spiral that covers it evenly. */
static rp_vec3 axis_of(int i)
{
    double z = (i + 0.5) / AXES, angle = i * RP_PI * (3 - sqrt(5)), r = sqrt(1 - z * z);
    return rp_v3(r * cos(angle), r * sin(angle), z);
}

/* Of one axis: the farthest balls along it and against it. */
static void extend_axis(rp_framing *framing, int axis, const rp_vec3 *points, size_t count,
                        double radius)
{
    rp_vec3 along = axis_of(axis);
    rp_ball *ends = &framing->hull[2 * axis];
    double high = -INFINITY, low = INFINITY;
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

/* Balls of one radius. */
static void extend(rp_framing *framing, const rp_vec3 *points, size_t count, double radius)
{
    if (count == 0) return;
    for (int axis = 0; axis < AXES; axis++)
        extend_axis(framing, axis, points, count, radius);
    framing->has_hull = true;
    for (size_t i = 0; i < count; i++)
        grow(&framing->bounds, points[i], radius);
}

static double support_of(rp_ball ball, rp_vec3 normal, bool round, rp_vec3 centre)
{
    double thick = ball.radius * rp_v3_length(normal);
    if (!round) return rp_v3_dot(normal, ball.centre) + thick;
    rp_vec3 arm = rp_v3_sub(ball.centre, centre), flat = rp_v3(normal.x, normal.y, 0);
    arm.z = 0;
    rp_vec3 axis = rp_v3(centre.x, centre.y, ball.centre.z);
    return rp_v3_dot(normal, axis) + rp_v3_length(arm) * rp_v3_length(flat) + thick;
}

double rp_framing_support(const rp_framing *framing, rp_vec3 normal, bool round, rp_vec3 centre)
{
    rp_box3 box = rp_framing_box(framing);
    double most = -INFINITY;
    for (int i = 0; i < (framing->has_hull ? RP_FRAMING_DIRECTIONS : 8); i++) {
        rp_ball ball = framing->has_hull ? framing->hull[i] : (rp_ball){corner_of(&box, i), 0};
        most = fmax(most, support_of(ball, normal, round, centre));
    }
    return most;
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

/* The value that `part` of the others do not exceed. Sorts. */
static double quantile(double *values, size_t count, double part)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[(size_t)(part * (double)(count - 1) + 0.5)];
}

/* How far from `*middle`, the median, grains are still part of the whole: those that lie alone far
 * beyond nearly all others would make everything small. Looks at every `stride`th. */
static double reach_of(const rp_vec3 *points, size_t count, rp_vec3 *middle)
{
    double values[RANKED_MAX], medians[3];
    size_t stride = (count + RANKED_MAX - 1) / RANKED_MAX, ranked = 0;
    for (int axis = 0; axis < 3; axis++) {
        ranked = 0;
        for (size_t i = 0; i < count; i += stride)
            values[ranked++] = axis == 0 ? points[i].x : axis == 1 ? points[i].y : points[i].z;
        medians[axis] = quantile(values, ranked, 0.5);
    }
    *middle = rp_v3_from(medians);
    ranked = 0;
    for (size_t i = 0; i < count; i += stride)
        values[ranked++] = rp_v3_length(rp_v3_sub(points[i], *middle));
    return STRAY * quantile(values, ranked, KEPT);
}

static void add_points(rp_framing *framing, rp_vec3 *points, size_t count, double radius)
{
    if (count == 0) return;
    rp_vec3 middle;
    double reach = reach_of(points, count, &middle);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (rp_v3_length(rp_v3_sub(points[i], middle)) <= reach) points[kept++] = points[i];
    for (size_t i = 0; i < kept; i++)
        grow(&framing->grains, points[i], radius);
    extend(framing, points, kept, radius);
}

/* Single grains that are much larger than the spacing: all of each, unless it has strayed. */
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
    size_t room = view->count / stride + 1, count = 0;
    rp_vec3 *points = rp_allocate(room * sizeof *points);
    if (!points) return rp_fail_memory(report, room * sizeof *points, "a camera");
    for (size_t i = 0; i < view->count; i += stride) {
        rp_vec3 p = rp_v3(view->x[i], view->y[i], view->z[i]);
        if (is_finite(p)) points[count++] = p;
    }
    add_points(framing, points, count, 0.5 * view->spacing);
    rp_release(points, room * sizeof *points);
    add_large(framing, view);
    return RP_OK;
}

/* --- bodies ----------------------------------------------------------------------------------- */

static rp_box3 bounds_of(const rp_shape *shape, rp_pose pose)
{
    rp_box3 local = rp_shape_bounds(shape), world = nowhere;
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

/* What is within `sizes` sizes of the grains. */
static rp_box3 around(const rp_box3 *grains, double sizes)
{
    rp_vec3 size = rp_v3_sub(grains->high, grains->low);
    double reach = sizes * fmax(size.x, fmax(size.y, size.z));
    rp_box3 box = *grains;
    grow(&box, grains->low, reach);
    grow(&box, grains->high, reach);
    return box;
}

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

/* A body, but of one that reaches far beyond the grains no more than is beside them: it is a ground
 * or a wall. */
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

static void add_emitter(rp_framing *framing, const rp_emitter_spec *emitter)
{
    if (!is_empty(&framing->grains)) grow(&framing->grains, emitter->position, emitter->radius);
    extend(framing, &emitter->position, 1, emitter->radius);
}

/* Height fields are sand: seen whole, and what bodies must be near to. */
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
            code = add_body(framing, &rp_scene_bodies(scene)[i], rp_solid_pose(view, scene, i),
                            report);
    return code;
}
