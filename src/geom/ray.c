/* Rays against shapes: closed forms for planes, spheres and boxes, the BVH for meshes, and sphere
 * tracing along the exact distance for the rest (J. C. Hart, "Sphere tracing", Vis. Comput. 12,
 * 1996). */
#include "geom/ray.h"
#include "geom/tree.h"

/* Every level leaves at most three siblings behind. */
#define STACK (RP_TREE_DEPTH * (RP_TREE_WIDTH - 1) + RP_TREE_WIDTH)
/* Sphere tracing ends this near to the surface, in parts of the size of the shape. */
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
        if (along[axis] == 0) { /* parallel to the slab: inside it all the time, or never */
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

static bool meet_plane(const rp_geom_ray *ray, double *distance)
{
    if (!(ray->direction.z < 0)) return false;
    *distance = -ray->from.z / ray->direction.z;
    return *distance <= ray->limit;
}

static bool meet_sphere(double radius, const rp_geom_ray *ray, double *distance)
{
    double middle = -rp_v3_dot(ray->from, ray->direction);
    rp_vec3 nearest = rp_v3_madd(ray->from, middle, ray->direction);
    double square = radius * radius - rp_v3_dot(nearest, nearest);
    if (middle < 0 || square < 0) return false;
    *distance = fmax(0, middle - sqrt(square));
    return *distance <= ray->limit;
}

/* The shape lies in its bounds, so only the part of the ray within them is traced. */
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
 * (1), 1997; from either side, the edges belong to the triangle. Infinite where it is missed. */
static double meet_triangle(const rp_mesh *mesh, size_t t, const rp_geom_ray *ray)
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
    const double slack = 1e-12; /* no ray slips through between two triangles */
    bool inside = u >= -slack && v >= -slack && u + v <= 1 + slack;
    return inside && distance >= 0 ? distance : INFINITY;
}

typedef struct nearest_hit {
    double distance;
    size_t triangle;
} nearest_hit;

static void try_triangle(const rp_mesh *mesh, size_t t, const rp_geom_ray *ray, nearest_hit *hit)
{
    double distance = meet_triangle(mesh, t, ray);
    if (!isfinite(distance) || distance > hit->distance) return;
    if (distance == hit->distance && t > hit->triangle) return;
    *hit = (nearest_hit){distance, t};
}

/* The box of a child in the frame of the mesh. Nodes are widened for rounding already. */
static rp_box3 box_of(const rp_mesh_bvh *tree, const rp_mesh_node *node, int child)
{
    rp_vec3 low = rp_v3(node->low[0][child], node->low[1][child], node->low[2][child]);
    rp_vec3 high = rp_v3(node->high[0][child], node->high[1][child], node->high[2][child]);
    return (rp_box3){rp_v3_add(tree->middle, low), rp_v3_add(tree->middle, high)};
}

static void search_tree(const rp_mesh *mesh, const rp_geom_ray *ray, nearest_hit *hit)
{
    const rp_mesh_bvh *tree = mesh->tree;
    uint32_t stack[STACK] = {0};
    int count = 1;
    while (count > 0) {
        const rp_mesh_node *node = &tree->nodes[stack[--count]];
        for (int i = 0; i < RP_TREE_WIDTH; i++) {
            double enter, leave;
            if (node->child[i] == RP_TREE_NONE) continue;
            rp_box3 box = box_of(tree, node, i);
            if (!rp_ray_box(&box, ray, &enter, &leave) || enter > hit->distance) continue;
            if (node->child[i] & RP_TREE_LEAF)
                try_triangle(mesh, node->child[i] & ~RP_TREE_LEAF, ray, hit);
            else
                stack[count++] = node->child[i];
        }
    }
}

static bool meet_mesh(const rp_mesh *mesh, const rp_geom_ray *ray, double *distance,
                      rp_vec3 *normal)
{
    nearest_hit hit = {ray->limit, SIZE_MAX};
    if (mesh->tree)
        search_tree(mesh, ray, &hit);
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

static bool meet_kind(const rp_shape *shape, const rp_geom_ray *ray, double *distance)
{
    rp_box3 box;
    double leave;
    switch (shape->kind) {
    case RP_SHAPE_PLANE:
        return meet_plane(ray, distance);
    case RP_SHAPE_SPHERE:
        return meet_sphere(shape->radius, ray, distance);
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
    if (shape->kind == RP_SHAPE_MESH) return meet_mesh(shape->mesh, ray, distance, normal);
    if (!meet_kind(shape, ray, distance)) return false;
    rp_shape_distance(shape, rp_v3_madd(ray->from, *distance, ray->direction), normal);
    return true;
}
