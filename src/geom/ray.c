/* Ray casting: closed forms for planes, spheres and boxes, the BVH for meshes, and sphere
 * tracing along the exact distance for the rest (J. C. Hart, "Sphere tracing", Vis. Comput. 12,
 * 1996). */
#include "geom/ray.h"
#include "mesh/bvh.h"

/* Sphere tracing ends within this share of the shape's size of the surface. */
#define TRACE_NEAR 1e-9
#define TRACE_STEPS 4000

bool rp_ray_box(const rp_box3 *box, const rp_geom_ray *ray, double *enter, double *leave)
{
    const double low[3] = {box->low.x, box->low.y, box->low.z};
    const double high[3] = {box->high.x, box->high.y, box->high.z};
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z};
    const double along[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    *enter = 0;
    *leave = ray->limit;
    for (int axis = 0; axis < 3; axis++) {
        if (along[axis] == 0) { /* parallel to the slab: inside it everywhere or nowhere */
            if (from[axis] < low[axis] || from[axis] > high[axis]) return false;
            continue;
        }
        double first = (low[axis] - from[axis]) / along[axis];
        double second = (high[axis] - from[axis]) / along[axis];
        *enter = fmax(*enter, fmin(first, second));
        *leave = fmin(*leave, fmax(first, second));
    }
    return *enter <= *leave;
}

static bool hit_plane(const rp_geom_ray *ray, double *distance)
{
    if (!(ray->direction.z < 0)) return false;
    *distance = -ray->from.z / ray->direction.z;
    return *distance <= ray->limit;
}

static bool hit_sphere(double radius, const rp_geom_ray *ray, double *distance)
{
    double middle = -rp_v3_dot(ray->from, ray->direction);
    rp_vec3 nearest = rp_v3_madd(ray->from, middle, ray->direction);
    double square = radius * radius - rp_v3_dot(nearest, nearest);
    if (middle < 0 || square < 0) return false;
    *distance = fmax(0, middle - sqrt(square));
    return *distance <= ray->limit;
}

/* Sphere tracing: steps of the signed distance never pass the surface. The shape is within its
 * bounds, so only that part of the ray is traced. */
static bool trace(const rp_shape *shape, const rp_geom_ray *ray, double *distance)
{
    rp_box3 box = rp_shape_bounds(shape);
    double leave, size = rp_v3_length(rp_v3_sub(box.high, box.low));
    if (!rp_ray_box(&box, ray, distance, &leave)) return false;
    for (int i = 0; i < TRACE_STEPS && *distance <= leave; i++) {
        rp_vec3 at = rp_v3_madd(ray->from, *distance, ray->direction);
        double gap = rp_shape_distance(shape, at, NULL);
        if (gap <= TRACE_NEAR * size) return true;
        *distance += gap;
    }
    return false;
}

/* --- meshes ----------------------------------------------------------------------------------- */

/* T. Moeller and B. Trumbore, "Fast, minimum storage ray/triangle intersection", J. Graph. Tools 2
 * (1), 1997; from either side, edges included. Returns the distance, infinite where the ray misses.
 */
static double hit_triangle(const rp_mesh *mesh, size_t t, const rp_geom_ray *ray)
{
    rp_vec3 c[3];
    rp_mesh_corners(mesh, t, c);
    rp_vec3 a = rp_v3_sub(c[1], c[0]), b = rp_v3_sub(c[2], c[0]);
    rp_vec3 p = rp_v3_cross(ray->direction, b), from = rp_v3_sub(ray->from, c[0]);
    double det = rp_v3_dot(a, p);
    if (det == 0) return INFINITY;
    double u = rp_v3_dot(from, p) / det;
    rp_vec3 q = rp_v3_cross(from, a);
    double v = rp_v3_dot(ray->direction, q) / det, distance = rp_v3_dot(b, q) / det;
    const double slack = 1e-12; /* no ray passes between two adjacent triangles */
    bool inside = u >= -slack && v >= -slack && u + v <= 1 + slack;
    return inside && distance >= 0 ? distance : INFINITY;
}

typedef struct nearest_hit {
    double distance;
    size_t triangle;
} nearest_hit;

static void try_triangle(const rp_mesh *mesh, size_t t, const rp_geom_ray *ray, nearest_hit *hit)
{
    double distance = hit_triangle(mesh, t, ray);
    if (!isfinite(distance) || distance > hit->distance) return;
    if (distance == hit->distance && t > hit->triangle) return;
    *hit = (nearest_hit){distance, t};
}

/* Returns the box of a child in the frame of the mesh; boxes are widened for rounding already. */
static rp_box3 box_of(const rp_mesh_bvh *bvh, const rp_mesh_node *node, int child)
{
    rp_vec3 low = rp_v3(node->low[0][child], node->low[1][child], node->low[2][child]);
    rp_vec3 high = rp_v3(node->high[0][child], node->high[1][child], node->high[2][child]);
    return (rp_box3){rp_v3_add(bvh->middle, low), rp_v3_add(bvh->middle, high)};
}

static void search_bvh(const rp_mesh *mesh, const rp_geom_ray *ray, nearest_hit *hit)
{
    const rp_mesh_bvh *bvh = mesh->bvh;
    uint32_t stack[RP_BVH_STACK] = {0};
    int count = 1;
    while (count > 0) {
        const rp_mesh_node *node = &bvh->nodes[stack[--count]];
        for (int i = 0; i < RP_BVH_WIDTH; i++) {
            double enter, leave;
            if (node->child[i] == RP_BVH_NONE) continue;
            rp_box3 box = box_of(bvh, node, i);
            if (!rp_ray_box(&box, ray, &enter, &leave) || enter > hit->distance) continue;
            if (node->child[i] & RP_BVH_LEAF)
                try_triangle(mesh, node->child[i] & ~RP_BVH_LEAF, ray, hit);
            else
                stack[count++] = node->child[i];
        }
    }
}

static bool hit_mesh(const rp_mesh *mesh, const rp_geom_ray *ray, double *distance, rp_vec3 *normal)
{
    nearest_hit hit = {ray->limit, SIZE_MAX};
    if (mesh->bvh)
        search_bvh(mesh, ray, &hit);
    else
        for (size_t t = 0; t < mesh->triangle_count; t++)
            try_triangle(mesh, t, ray, &hit);
    if (hit.triangle == SIZE_MAX) return false;
    rp_vec3 c[3];
    rp_mesh_corners(mesh, hit.triangle, c);
    *distance = hit.distance;
    *normal = rp_v3_normalized(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    return true;
}

/* --- all kinds -------------------------------------------------------------------------------- */

static bool hit_kind(const rp_shape *shape, const rp_geom_ray *ray, double *distance)
{
    rp_box3 box;
    double leave;
    switch (shape->kind) {
    case RP_SHAPE_PLANE:
        return hit_plane(ray, distance);
    case RP_SHAPE_SPHERE:
        return hit_sphere(shape->radius, ray, distance);
    case RP_SHAPE_BOX:
        box = rp_shape_bounds(shape);
        return rp_ray_box(&box, ray, distance, &leave);
    default:
        return trace(shape, ray, distance);
    }
}

bool rp_shape_ray(const rp_shape *shape, const rp_geom_ray *ray, double *distance, rp_vec3 *normal)
{
    *distance = 0;
    double enter, leave;
    rp_box3 box = rp_shape_bounds(shape);
    if (shape->kind != RP_SHAPE_PLANE && !rp_ray_box(&box, ray, &enter, &leave)) return false;
    if (rp_shape_contains(shape, ray->from)) {
        rp_shape_distance(shape, ray->from, normal);
        return true;
    }
    if (shape->kind == RP_SHAPE_MESH) return hit_mesh(shape->mesh, ray, distance, normal);
    if (!hit_kind(shape, ray, distance)) return false;
    rp_shape_distance(shape, rp_v3_madd(ray->from, *distance, ray->direction), normal);
    return true;
}
