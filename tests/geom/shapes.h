/* One shape of each bounded kind, none of them special, and points around them. */
#ifndef RP_TESTS_GEOM_SHAPES_H
#define RP_TESTS_GEOM_SHAPES_H

#include "base/random.h"
#include "geom/shape.h"

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

#endif
