#include "render/grains.h"

#include <math.h>

#define BLOCK ((size_t)1 << 16)

static const rp_clump one_ball = {.count = 1, .balls = {{{0, 0, 0}, 0.5}}, .volume = RP_PI / 6};

/* NULL when there is none of that type. */
static const void *field_of(const rp_view *view, const char *name, rp_field_type type)
{
    const rp_field *field = rp_view_field(view, name);
    return field && field->type == type ? field->data : NULL;
}

/* All of some fields, or none. */
static void find_floats(const rp_view *view, const char *const *names, int count, const float **out)
{
    bool all = true;
    for (int i = 0; i < count; i++) {
        out[i] = field_of(view, names[i], RP_F32);
        all = all && out[i];
    }
    for (int i = 0; i < count && !all; i++)
        out[i] = NULL;
}

static double largest_of_range(void *context, rp_range range)
{
    const float *diameter = context;
    float largest = 0;
    for (size_t i = range.begin; i < range.end; i++)
        if (diameter[i] > largest && isfinite(diameter[i])) largest = diameter[i];
    return (double)largest;
}

rp_grain_shapes rp_grain_shapes_find(const rp_view *view, const rp_scene *scene, double scale,
                                     rp_threads *threads)
{
    static const char *const turns[] = {"orientation_w", "orientation_x", "orientation_y",
                                        "orientation_z"};
    static const char *const spins[] = {"spin_x", "spin_y", "spin_z"};
    rp_grain_shapes shapes = {.scene = scene, .scale = scale};
    shapes.diameter = field_of(view, "diameter", RP_F32);
    if (!shapes.diameter) return shapes;
    shapes.kind = field_of(view, "kind", RP_U8);
    find_floats(view, turns, 4, shapes.turn);
    find_floats(view, spins, 3, shapes.spin);
    if (view->count)
        shapes.largest = rp_parallel_max(threads, view->count, BLOCK, largest_of_range,
                                         (void *)(uintptr_t)shapes.diameter);
    return shapes;
}

const rp_clump *rp_grain_clump(const rp_grain_shapes *shapes, size_t grain)
{
    if (!shapes->kind || shapes->kind[grain] >= shapes->scene->grains.count) return &one_ball;
    return &rp_scene_grains(shapes->scene)[shapes->kind[grain]].clump;
}

double rp_grain_radius(const rp_grain_shapes *shapes, size_t grain)
{
    double radius = 0.5 * shapes->scale * (double)shapes->diameter[grain];
    return radius > 0 && isfinite(radius) ? radius : 0;
}

rp_quat rp_grain_turn(const rp_grain_shapes *shapes, size_t grain)
{
    const float *const *turn = shapes->turn;
    if (!turn[0]) return rp_quat_identity();
    rp_quat q = {(double)turn[0][grain], (double)turn[1][grain], (double)turn[2][grain],
                 (double)turn[3][grain]};
    return isfinite(q.w + q.x + q.y + q.z) ? rp_quat_normalized(q) : rp_quat_identity();
}

rp_vec3 rp_grain_spin(const rp_grain_shapes *shapes, size_t grain)
{
    const float *const *spin = shapes->spin;
    if (!spin[0] || rp_grain_clump(shapes, grain)->count < 2) return rp_v3(0, 0, 0);
    rp_vec3 w = {(double)spin[0][grain], (double)spin[1][grain], (double)spin[2][grain]};
    return isfinite(w.x + w.y + w.z) ? w : rp_v3(0, 0, 0);
}

rp_ball rp_grain_ball(const rp_grain_shapes *shapes, size_t grain, int ball, rp_quat turn)
{
    const rp_ball *own = &rp_grain_clump(shapes, grain)->balls[ball];
    double across = 2 * rp_grain_radius(shapes, grain);
    return (rp_ball){rp_quat_rotate(turn, rp_v3_scale(own->centre, across)), own->radius * across};
}
