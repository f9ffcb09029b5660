/* Signed distances, volumes and bounds. Cylinder, cone and funnel share one function: see
 * geom/profile.h. */
#include "geom/shape.h"
#include "base/report.h"
#include "geom/field.h"
#include "geom/tree.h"

bool rp_shape_profile(const rp_shape *shape, rp_profile *profile)
{
    double radius = shape->radius, height = shape->height;
    switch (shape->kind) {
    case RP_SHAPE_CYLINDER:
        *profile = (rp_profile){
            {{0, -height / 2}, {radius, -height / 2}, {radius, height / 2}, {0, height / 2}},
            4,
            false};
        return true;
    case RP_SHAPE_CONE:
        *profile = (rp_profile){{{0, 0}, {radius, 0}, {0, height}}, 3, false};
        return true;
    case RP_SHAPE_FUNNEL: {
        /* A level cut through a sloping wall is wider than the wall is thick. */
        double cut = shape->thickness * rp_length2(radius - shape->neck, height) / height;
        *profile = (rp_profile){
            {{shape->neck, 0}, {shape->neck + cut, 0}, {radius + cut, height}, {radius, height}},
            4,
            true};
        return true;
    }
    default:
        return false;
    }
}

static double box_distance(rp_vec3 size, rp_vec3 at, rp_vec3 *normal)
{
    const double p[3] = {at.x, at.y, at.z}, half[3] = {size.x / 2, size.y / 2, size.z / 2};
    double outside[3], sign[3], nearest = -INFINITY;
    int face = 0; /* the one that is nearest from inside, farthest from outside */
    for (int i = 0; i < 3; i++) {
        double beyond = fabs(p[i]) - half[i];
        sign[i] = p[i] < 0 ? -1 : 1;
        outside[i] = fmax(beyond, 0) * sign[i];
        if (beyond > nearest) {
            nearest = beyond;
            face = i;
        }
    }
    if (nearest <= 0) {
        *normal = rp_v3(face == 0 ? sign[0] : 0, face == 1 ? sign[1] : 0, face == 2 ? sign[2] : 0);
        return nearest;
    }
    /* Divided by the largest first, so that tiny distances do not vanish when squared. */
    rp_vec3 away = rp_v3(outside[0] / nearest, outside[1] / nearest, outside[2] / nearest);
    double length = rp_v3_length(away);
    *normal = rp_v3_scale(away, 1 / length);
    return length * nearest;
}

/* Distance from a point at `offset` from the nearest point of a skeleton (a centre or an axis) to
 * the surface `radius` around it. */
static double round_distance(rp_vec3 offset, double radius, rp_vec3 fallback, rp_vec3 *normal)
{
    double length = rp_v3_length(offset);
    *normal = length > 1e-12 * radius ? rp_v3_scale(offset, 1 / length) : fallback;
    return length - radius;
}

static double capsule_distance(const rp_shape *shape, rp_vec3 at, rp_vec3 *normal)
{
    double half = shape->height / 2;
    double on_axis = fmin(fmax(at.z, -half), half);
    rp_vec3 offset = rp_v3(at.x, at.y, at.z - on_axis);
    return round_distance(offset, shape->radius, rp_v3(1, 0, 0), normal);
}

static double profile_distance(const rp_shape *shape, rp_vec3 at, rp_vec3 *normal)
{
    rp_profile profile;
    rp_shape_profile(shape, &profile);
    rp_profile_point flat, here = {rp_length2(at.x, at.y), at.z};
    double distance = rp_profile_distance(&profile, here, &flat);
    /* On the axis every way out is as near. */
    double cosine = here.r > 0 ? at.x / here.r : 1, sine = here.r > 0 ? at.y / here.r : 0;
    *normal = rp_v3(flat.r * cosine, flat.r * sine, flat.z);
    return distance;
}

/* From the foot and the side it is seen from. */
static double mesh_foot(const rp_mesh *mesh, rp_vec3 at, rp_vec3 foot, size_t triangle, double sign,
                        rp_vec3 *normal)
{
    rp_vec3 away = rp_v3_sub(at, foot);
    double distance = rp_v3_length(away);
    rp_vec3 extent = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    if (distance > 1e-12 * rp_v3_length(extent)) {
        *normal = rp_v3_scale(away, sign / distance);
    } else { /* on the surface: the direction from the foot is nothing but rounding */
        rp_vec3 c[3];
        rp_mesh_corners(mesh, triangle, c);
        *normal = rp_v3_normal(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    }
    return sign * distance;
}

static double slow_mesh_distance(const rp_mesh *mesh, rp_vec3 at, rp_vec3 *normal)
{
    size_t triangle;
    rp_vec3 foot = rp_mesh_nearest(mesh, at, &triangle);
    double sign = rp_mesh_winding(mesh, at) > 0.5 ? -1 : 1;
    return mesh_foot(mesh, at, foot, triangle, sign, normal);
}

/* The field answers for most points; those at the surface ask the tree. */
static double mesh_distance(const rp_mesh *mesh, rp_vec3 at, double reach, rp_vec3 *normal)
{
    if (!mesh->field) return slow_mesh_distance(mesh, at, normal);
    double most, bound = rp_mesh_sdf_bound(mesh->field, at, &most);
    if (fabs(bound) > reach) return bound;
    size_t triangle;
    rp_vec3 foot = rp_mesh_bvh_nearest(mesh->tree, mesh, at, most * most, &triangle);
    double sign = rp_mesh_sdf_sign(mesh->field, mesh, at);
    return mesh_foot(mesh, at, foot, triangle, sign, normal);
}

double rp_shape_distance(const rp_shape *shape, rp_vec3 local, rp_vec3 *normal)
{
    return rp_shape_distance_within(shape, local, INFINITY, normal);
}

double rp_shape_distance_within(const rp_shape *shape, rp_vec3 local, double reach, rp_vec3 *normal)
{
    rp_vec3 unused;
    if (!normal) normal = &unused;
    switch (shape->kind) {
    case RP_SHAPE_PLANE:
        *normal = rp_v3(0, 0, 1);
        return local.z;
    case RP_SHAPE_BOX:
        return box_distance(shape->size, local, normal);
    case RP_SHAPE_SPHERE:
        return round_distance(local, shape->radius, rp_v3(0, 0, 1), normal);
    case RP_SHAPE_CAPSULE:
        return capsule_distance(shape, local, normal);
    case RP_SHAPE_CYLINDER:
    case RP_SHAPE_CONE:
    case RP_SHAPE_FUNNEL:
        return profile_distance(shape, local, normal);
    case RP_SHAPE_MESH:
        RP_ASSERT(shape->mesh && shape->mesh->triangle_count > 0);
        return mesh_distance(shape->mesh, local, reach, normal);
    }
    RP_ASSERT(!"a shape of an unknown kind");
    return INFINITY;
}

/* How far the point is outside the box; 0 inside. */
static double box_gap(rp_box3 box, rp_vec3 p)
{
    rp_vec3 beyond = rp_v3_max(rp_v3_sub(box.low, p), rp_v3_sub(p, box.high));
    return rp_v3_length(rp_v3_max(beyond, rp_v3(0, 0, 0)));
}

bool rp_shape_may_be_near(const rp_shape *shape, rp_vec3 local, double reach)
{
    double most;
    if (shape->kind != RP_SHAPE_MESH) return rp_shape_distance(shape, local, NULL) < reach;
    if (box_gap(shape->mesh->bounds, local) > reach) return false;
    return !shape->mesh->field || !(rp_mesh_sdf_bound(shape->mesh->field, local, &most) > reach);
}

static bool box_holds(rp_box3 box, rp_vec3 p)
{
    return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x &&
           p.y <= box.high.y && p.z <= box.high.z;
}

bool rp_shape_contains(const rp_shape *shape, rp_vec3 local)
{
    /* Saves the long search for all points that are clearly outside. */
    if (shape->kind == RP_SHAPE_MESH && !box_holds(shape->mesh->bounds, local)) return false;
    return rp_shape_distance_within(shape, local, 0, NULL) <= 0;
}

double rp_shape_volume(const rp_shape *shape)
{
    double r = shape->radius;
    rp_profile profile;
    if (rp_shape_profile(shape, &profile)) return rp_profile_volume(&profile);
    switch (shape->kind) {
    case RP_SHAPE_BOX:
        return shape->size.x * shape->size.y * shape->size.z;
    case RP_SHAPE_SPHERE:
        return 4 * RP_PI / 3 * r * r * r;
    case RP_SHAPE_CAPSULE:
        return RP_PI * r * r * (shape->height + 4 * r / 3);
    case RP_SHAPE_MESH:
        return rp_mesh_volume(shape->mesh);
    default:
        return INFINITY;
    }
}

static rp_box3 centred_box(double x, double y, double z)
{
    return (rp_box3){rp_v3(-x, -y, -z), rp_v3(x, y, z)};
}

static rp_box3 profile_bounds(const rp_profile *profile)
{
    double r = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < profile->count; i++) {
        r = fmax(r, profile->points[i].r);
        low = fmin(low, profile->points[i].z);
        high = fmax(high, profile->points[i].z);
    }
    return (rp_box3){rp_v3(-r, -r, low), rp_v3(r, r, high)};
}

rp_box3 rp_shape_bounds(const rp_shape *shape)
{
    double r = shape->radius;
    rp_profile profile;
    if (rp_shape_profile(shape, &profile)) return profile_bounds(&profile);
    switch (shape->kind) {
    case RP_SHAPE_BOX:
        return centred_box(shape->size.x / 2, shape->size.y / 2, shape->size.z / 2);
    case RP_SHAPE_SPHERE:
        return centred_box(r, r, r);
    case RP_SHAPE_CAPSULE:
        return centred_box(r, r, r + shape->height / 2);
    case RP_SHAPE_MESH:
        return shape->mesh->bounds;
    default:
        return (rp_box3){rp_v3(-INFINITY, -INFINITY, -INFINITY), rp_v3(INFINITY, INFINITY, 0)};
    }
}

double rp_shape_extent(const rp_shape *shape)
{
    rp_box3 box = rp_shape_bounds(shape);
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    return fmin(size.x, fmin(size.y, size.z));
}
