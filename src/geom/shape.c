/* Signed distances, volumes, bounds and triangles of shapes. Cylinder, cone and funnel are solids
 * of revolution and share the functions of a profile. */
#include "geom/shape.h"
#include "base/memory.h"
#include "base/report.h"
#include "math/elementary.h"
#include "math/vec.h"
#include "mesh/bvh.h"
#include "mesh/sdf.h"

/* --- profiles --------------------------------------------------------------------------------- */

static int edge_count(const rp_profile *profile)
{
    return profile->closed ? profile->count : profile->count - 1;
}

/* Even-odd rule: counts the edges that a ray away from the axis crosses. */
static bool inside(const rp_profile *profile, rp_profile_point at)
{
    bool odd = false;
    for (int i = 0; i < edge_count(profile); i++) {
        rp_profile_point a = profile->points[i], b = profile->points[(i + 1) % profile->count];
        if ((a.z > at.z) == (b.z > at.z)) continue;
        double crossing = a.r + (at.z - a.z) / (b.z - a.z) * (b.r - a.r);
        if (crossing > at.r) odd = !odd;
    }
    return odd;
}

typedef struct profile_foot {
    rp_profile_point away;     /* from the foot to the point */
    rp_profile_point straight; /* outward normal of the edge */
    double distance;
    bool at_corner;
} profile_foot;

static profile_foot foot_on_edge(rp_profile_point a, rp_profile_point b, rp_profile_point at)
{
    double r = b.r - a.r, z = b.z - a.z, length = rp_hypot(r, z);
    double t = length > 0 ? ((at.r - a.r) * r + (at.z - a.z) * z) / (length * length) : 0;
    double clamped = fmin(fmax(t, 0), 1);
    profile_foot found;
    found.away.r = at.r - (a.r + clamped * r);
    found.away.z = at.z - (a.z + clamped * z);
    found.straight.r = length > 0 ? z / length : 1;
    found.straight.z = length > 0 ? -r / length : 0;
    found.distance = rp_hypot(found.away.r, found.away.z);
    found.at_corner = t != clamped;
    return found;
}

double rp_profile_distance(const rp_profile *profile, rp_profile_point at, rp_profile_point *normal)
{
    profile_foot best = {.distance = INFINITY};
    double extent = 0;
    for (int i = 0; i < edge_count(profile); i++) {
        rp_profile_point a = profile->points[i], b = profile->points[(i + 1) % profile->count];
        profile_foot found = foot_on_edge(a, b, at);
        if (found.distance < best.distance) best = found;
        extent = fmax(extent, fmax(b.r, fabs(b.z)));
    }
    double sign = inside(profile, at) ? -1 : 1;
    /* At a corner the normal points from the corner to the point, but from a foot so near that
     * direction is only rounding. */
    if (best.at_corner && best.distance > 1e-12 * extent) {
        normal->r = sign * best.away.r / best.distance;
        normal->z = sign * best.away.z / best.distance;
    } else {
        *normal = best.straight;
    }
    return sign * best.distance;
}

/* Sums signed frustums: pi r^2 integrated along z over each edge; edges on the axis add nothing. */
double rp_profile_volume(const rp_profile *profile)
{
    double sum = 0;
    for (int i = 0; i < edge_count(profile); i++) {
        rp_profile_point a = profile->points[i], b = profile->points[(i + 1) % profile->count];
        sum += (b.z - a.z) * (a.r * a.r + a.r * b.r + b.r * b.r);
    }
    return RP_PI / 3 * sum;
}

/* --- distance, volume, bounds ----------------------------------------------------------------- */

/* Signed distances, volumes and bounds. Cylinder, cone and funnel share one function: see
 * geom/profile.h. */

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
        double cut = shape->thickness * rp_hypot(radius - shape->neck, height) / height;
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
    int face = 0; /* of the largest signed distance: the nearest one from inside */
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
    /* Divided by the largest first, so that tiny distances do not underflow when squared. */
    rp_vec3 away = rp_v3(outside[0] / nearest, outside[1] / nearest, outside[2] / nearest);
    double length = rp_v3_length(away);
    *normal = rp_v3_scale(away, 1 / length);
    return length * nearest;
}

/* Returns the distance of a point at `offset` from the nearest point of a skeleton (a centre or an
 * axis) to the surface at `radius` around it. `fallback` is the normal where the offset vanishes.
 */
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
    rp_profile_point flat, here = {rp_hypot(at.x, at.y), at.z};
    double distance = rp_profile_distance(&profile, here, &flat);
    /* On the axis all directions are equally near: the normal is along x. */
    double cosine = here.r > 0 ? at.x / here.r : 1, sine = here.r > 0 ? at.y / here.r : 0;
    *normal = rp_v3(flat.r * cosine, flat.r * sine, flat.z);
    return distance;
}

/* Returns the signed distance to the foot, the nearest point of the mesh, and the normal. */
static double mesh_foot(const rp_mesh *mesh, rp_vec3 at, rp_vec3 foot, size_t triangle, double sign,
                        rp_vec3 *normal)
{
    rp_vec3 away = rp_v3_sub(at, foot);
    double distance = rp_v3_length(away);
    rp_vec3 extent = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    if (distance > 1e-12 * rp_v3_length(extent)) {
        *normal = rp_v3_scale(away, sign / distance);
    } else { /* on the surface the direction from the foot is only rounding */
        rp_vec3 c[3];
        rp_mesh_corners(mesh, triangle, c);
        *normal = rp_v3_normalized(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    }
    return sign * distance;
}

static double mesh_distance_of_all(const rp_mesh *mesh, rp_vec3 at, rp_vec3 *normal)
{
    size_t triangle;
    rp_vec3 foot = rp_mesh_nearest(mesh, at, &triangle);
    double sign = rp_mesh_winding(mesh, at) > 0.5 ? -1 : 1;
    return mesh_foot(mesh, at, foot, triangle, sign, normal);
}

/* The bound of the signed distance field suffices for most points (S8); those at the surface query
 * the BVH, which the upper bound of the field limits. */
static double mesh_distance(const rp_mesh *mesh, rp_vec3 at, double reach, rp_vec3 *normal)
{
    if (!mesh->sdf) return mesh_distance_of_all(mesh, at, normal);
    double most, bound = rp_mesh_sdf_bound(mesh->sdf, at, &most);
    if (fabs(bound) > reach) return bound;
    size_t triangle;
    rp_vec3 foot = rp_mesh_bvh_nearest(mesh->bvh, mesh, at, most * most, &triangle);
    double sign = rp_mesh_sdf_sign(mesh->sdf, mesh, at);
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

/* Returns the distance of a point to a box, m; 0 inside. */
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
    return !shape->mesh->sdf || !(rp_mesh_sdf_bound(shape->mesh->sdf, local, &most) > reach);
}

static bool box_holds(rp_box3 box, rp_vec3 p)
{
    return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x &&
           p.y <= box.high.y && p.z <= box.high.z;
}

bool rp_shape_contains(const rp_shape *shape, rp_vec3 local)
{
    /* Saves the query for all points outside the bounds. */
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

/* --- tessellation ----------------------------------------------------------------------------- */

/* All round shapes are profiles rotated about z; balls and the ends of capsules get a profile of
 * many points. */

static void add_quad(rp_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool *ok)
{
    rp_mesh_add_triangle(mesh, a, b, c, ok);
    rp_mesh_add_triangle(mesh, a, c, d, ok);
}

/* Corner i has the high x, y, z where bits 0, 1, 2 of i are set. */
static void add_box(rp_mesh *mesh, rp_vec3 size, bool *ok)
{
    for (int i = 0; i < 8; i++)
        rp_mesh_add_vertex(mesh,
                           rp_v3(i & 1 ? size.x / 2 : -size.x / 2, i & 2 ? size.y / 2 : -size.y / 2,
                                 i & 4 ? size.z / 2 : -size.z / 2),
                           ok);
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 6; i++)
        add_quad(mesh, faces[i][0], faces[i][1], faces[i][2], faces[i][3], ok);
}

static void add_square(rp_mesh *mesh, double edge, bool *ok)
{
    double half = edge / 2;
    uint32_t a = rp_mesh_add_vertex(mesh, rp_v3(-half, -half, 0), ok);
    uint32_t b = rp_mesh_add_vertex(mesh, rp_v3(half, -half, 0), ok);
    uint32_t c = rp_mesh_add_vertex(mesh, rp_v3(half, half, 0), ok);
    uint32_t d = rp_mesh_add_vertex(mesh, rp_v3(-half, half, 0), ok);
    add_quad(mesh, a, b, c, d, ok);
}

static void add_copy(rp_mesh *mesh, const rp_mesh *from, bool *ok)
{
    for (size_t i = 0; i < from->vertex_count && *ok; i++)
        rp_mesh_add_vertex(mesh, from->vertices[i], ok);
    for (size_t t = 0; t < from->triangle_count && *ok; t++)
        rp_mesh_add_triangle(mesh, from->triangles[t][0], from->triangles[t][1],
                             from->triangles[t][2], ok);
}

/* Adds one vertex for a point on the axis, else a ring of them; returns the number of the first. */
static uint32_t add_ring(rp_mesh *mesh, rp_profile_point at, int segments, bool *ok)
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    int count = at.r > 0 ? segments : 1;
    for (int k = 0; k < count; k++) {
        double angle = 2 * RP_PI * k / segments;
        rp_mesh_add_vertex(mesh, rp_v3(at.r * rp_cos(angle), at.r * rp_sin(angle), at.z), ok);
    }
    return first;
}

/* Adds the triangles between two rings. A ring of one vertex makes a fan. */
static void add_band(rp_mesh *mesh, uint32_t a, bool a_ring, uint32_t b, bool b_ring, int segments,
                     bool *ok)
{
    for (int k = 0; k < segments; k++) {
        uint32_t here = (uint32_t)k, next = (uint32_t)((k + 1) % segments);
        uint32_t a0 = a_ring ? a + here : a, a1 = a_ring ? a + next : a;
        uint32_t b0 = b_ring ? b + here : b, b1 = b_ring ? b + next : b;
        if (a_ring) rp_mesh_add_triangle(mesh, a0, a1, b1, ok);
        if (b_ring) rp_mesh_add_triangle(mesh, a0, b1, b0, ok);
    }
}

static void add_revolution(rp_mesh *mesh, const rp_profile_point *points, int count, bool closed,
                           int segments, bool *ok)
{
    uint32_t start = add_ring(mesh, points[0], segments, ok), last = start;
    for (int i = 1; i < count; i++) {
        uint32_t ring = add_ring(mesh, points[i], segments, ok);
        add_band(mesh, last, points[i - 1].r > 0, ring, points[i].r > 0, segments, ok);
        last = ring;
    }
    if (closed) add_band(mesh, last, points[count - 1].r > 0, start, points[0].r > 0, segments, ok);
}

/* Writes points of a quarter circle, both ends included; `top` for the upper quarter. The end on
 * the axis has r = 0 exactly, so that it becomes one vertex. */
static void fill_quarter(rp_profile_point *points, int steps, double radius, double z, bool top)
{
    for (int i = 0; i <= steps; i++) {
        double angle = RP_PI / 2 * i / steps; /* up from the equator, or up from the pole */
        rp_profile_point p = {radius * rp_cos(angle), z + radius * rp_sin(angle)};
        if (!top) p = (rp_profile_point){radius * rp_sin(angle), z - radius * rp_cos(angle)};
        if (i == (top ? steps : 0)) p.r = 0;
        points[i] = p;
    }
}

static void add_capsule(rp_mesh *mesh, double radius, double height, int segments, bool *ok)
{
    int steps = segments / 4 > 1 ? segments / 4 : 1;
    size_t bytes = (size_t)(2 * steps + 2) * sizeof(rp_profile_point);
    rp_profile_point *points = rp_allocate(bytes);
    if (!points) {
        *ok = false;
        return;
    }
    fill_quarter(points, steps, radius, -height / 2, false);
    /* A ball has its equator once. */
    int upper = height > 0 ? steps + 1 : steps;
    fill_quarter(points + upper, steps, radius, height / 2, true);
    add_revolution(mesh, points, upper + steps + 1, false, segments, ok);
    rp_release(points, bytes);
}

static void add_shape(rp_mesh *mesh, const rp_shape *shape, int segments, double plane_size,
                      bool *ok)
{
    rp_profile profile;
    if (rp_shape_profile(shape, &profile))
        add_revolution(mesh, profile.points, profile.count, profile.closed, segments, ok);
    else if (shape->kind == RP_SHAPE_PLANE)
        add_square(mesh, plane_size, ok);
    else if (shape->kind == RP_SHAPE_BOX)
        add_box(mesh, shape->size, ok);
    else if (shape->kind == RP_SHAPE_SPHERE)
        add_capsule(mesh, shape->radius, 0, segments, ok);
    else if (shape->kind == RP_SHAPE_CAPSULE)
        add_capsule(mesh, shape->radius, shape->height, segments, ok);
    else
        add_copy(mesh, shape->mesh, ok);
}

rp_code rp_shape_tessellate(const rp_shape *shape, int segments, double plane_size, rp_mesh **out,
                            rp_report *report)
{
    RP_ASSERT(segments >= 3);
    *out = NULL;
    rp_mesh *mesh = rp_mesh_create();
    bool ok = mesh != NULL;
    if (ok) add_shape(mesh, shape, segments, plane_size, &ok);
    if (!ok) {
        rp_mesh_destroy(mesh);
        return rp_fail(report, RP_ERROR_MEMORY, "out of memory for the triangles of a shape");
    }
    *out = mesh;
    return RP_OK;
}
