/* One shape of each bounded kind, none of them special, and points around them. */
#ifndef RP_TESTS_GEOM_SHAPES_H
#define RP_TESTS_GEOM_SHAPES_H

#include "base/random.h"
#include "geom/shape.h"
#include "math/elementary.h"

static const rp_shape shapes[] = {
    {.kind = RP_SHAPE_BOX, .size = {0.4, 0.7, 1.1}},
    {.kind = RP_SHAPE_SPHERE, .radius = 0.6},
    {.kind = RP_SHAPE_CYLINDER, .radius = 0.5, .height = 0.8},
    {.kind = RP_SHAPE_CAPSULE, .radius = 0.3, .height = 0.9},
    {.kind = RP_SHAPE_CONE, .radius = 0.7, .height = 0.9},
    {.kind = RP_SHAPE_FUNNEL, .radius = 0.8, .height = 0.7, .neck = 0.2, .thickness = 0.15},
    {.kind = RP_SHAPE_FUNNEL, .radius = 0.3, .height = 0.9, .neck = 0.7, .thickness = 0.2},
};
#define SHAPES (int)(sizeof shapes / sizeof *shapes)

/* Between -reach and reach in every direction. */
static inline rp_vec3 random_point(uint64_t number, double reach)
{
    rp_random4 r = rp_random(7, RP_RANDOM_TEST, number);
    return rp_v3(reach * (2 * rp_random_unit(r.bits[0]) - 1),
                 reach * (2 * rp_random_unit(r.bits[1]) - 1),
                 reach * (2 * rp_random_unit(r.bits[2]) - 1));
}

/* A ball with bumps and hollows, none of them on a symmetry axis; 2 segments^2 / 2 triangles or so.
 * Destroy it. */
static inline rp_mesh *bumpy_ball(int segments)
{
    rp_mesh *mesh;
    rp_shape ball = {.kind = RP_SHAPE_SPHERE, .radius = 0.7};
    if (rp_shape_tessellate(&ball, segments, 0, &mesh, NULL) != RP_OK) return NULL;
    rp_box3 bounds = {rp_v3(9, 9, 9), rp_v3(-9, -9, -9)};
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        rp_vec3 v = mesh->vertices[i];
        double bump = 1 + 0.15 * rp_sin(9 * v.x + 1) * rp_cos(7 * v.y) + 0.1 * rp_sin(11 * v.z + 2);
        mesh->vertices[i] = rp_v3_scale(v, bump);
        bounds.low = rp_v3_min(bounds.low, mesh->vertices[i]);
        bounds.high = rp_v3_max(bounds.high, mesh->vertices[i]);
    }
    mesh->bounds = bounds;
    return mesh;
}

#endif
