/* Small heaps of sand for the tests of granular SPH, and plain sums over them. */
#ifndef RP_TESTS_SOLVER_SAND_H
#define RP_TESTS_SOLVER_SAND_H

#include "worlds.h"

#include <stdlib.h>
#include <string.h>

/* A scene, and the world that was made of it. */
typedef struct sand {
    rp_scene *scene;
    rp_world *world;
    rp_view view; /* after sand_run or sand_step */
} sand;

static inline sand sand_of(const char *text)
{
    sand s = {.scene = scene_of(text)};
    s.world = world_of(s.scene, 2);
    rp_world_view(s.world, &s.view);
    assert_true(s.view.count > 0);
    return s;
}

static inline void sand_run(sand *s, double time)
{
    run_world(s->world, time);
    rp_world_view(s->world, &s->view);
}

static inline void sand_step(sand *s)
{
    rp_report *report = rp_report_create();
    check_ok(rp_world_step(s->world, report), report);
    rp_report_destroy(report);
    rp_world_view(s->world, &s->view);
}

static inline void sand_end(sand *s)
{
    rp_world_destroy(s->world);
    rp_scene_destroy(s->scene);
}

static inline double sand_speed(const rp_view *view, size_t i)
{
    double x = (double)view->vx[i], y = (double)view->vy[i], z = (double)view->vz[i];
    return sqrt(x * x + y * y + z * z);
}

/* m/s, root mean square. */
static inline double sand_rms_speed(const rp_view *view)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; i++)
        sum += sand_speed(view, i) * sand_speed(view, i);
    return sqrt(sum / (double)view->count);
}

static inline double sand_mean(const rp_view *view, const float *values)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; i++)
        sum += (double)values[i];
    return sum / (double)view->count;
}

static inline double sand_most(const rp_view *view, const float *values)
{
    double most = -INFINITY;
    for (size_t i = 0; i < view->count; i++)
        most = fmax(most, (double)values[i]);
    return most;
}

static inline size_t sand_asleep(const rp_view *view)
{
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++)
        count += view->asleep[i];
    return count;
}

/* kg m/s along each axis, and the sum of all lengths. */
static inline double sand_momentum(const rp_view *view, double sum[3])
{
    double moving = 0;
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = 0; i < view->count; i++) {
        sum[0] += (double)view->mass[i] * (double)view->vx[i];
        sum[1] += (double)view->mass[i] * (double)view->vy[i];
        sum[2] += (double)view->mass[i] * (double)view->vz[i];
        moving += (double)view->mass[i] * sand_speed(view, i);
    }
    return moving;
}

/* Copies positions in the order of ids: `place` has a capacity of three floats for each grain. */
static inline void sand_places(const rp_view *view, float *place)
{
    for (size_t i = 0; i < view->count; i++) {
        assert_true(view->id[i] < view->count);
        float *to = place + 3 * view->id[i];
        to[0] = view->x[i];
        to[1] = view->y[i];
        to[2] = view->z[i];
    }
}

#endif
