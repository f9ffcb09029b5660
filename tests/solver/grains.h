/* Single grains for the tests of discrete elements: scenes with numbers put in, grains set where
 * and how they are wanted, exact places. */
#ifndef RP_TESTS_SOLVER_GRAINS_H
#define RP_TESTS_SOLVER_GRAINS_H

#include "worlds.h"

#include "base/report.h"
#include "solver/dem/dem.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#define SCENE_MOST 8192

/* A scene and its world, which go together. */
typedef struct grains {
    rp_scene *scene;
    rp_world *world;
} grains;

static inline void grains_end(grains *g)
{
    rp_world_destroy(g->world);
    rp_scene_destroy(g->scene);
}

__attribute__((format(printf, 2, 3))) static inline grains grains_of(int threads,
                                                                     const char *format, ...)
{
    char text[SCENE_MOST];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && length < (int)sizeof text);
    grains g = {.scene = scene_of(text)};
    g.world = world_of(g.scene, threads);
    assert_true(g.world->grains.count > 0 || g.world->emitter_count > 0);
    return g;
}

static inline void grains_step(const grains *g)
{
    rp_report *report = rp_report_create();
    check_ok(rp_world_step(g->world, report), report);
    rp_report_destroy(report);
}

static inline size_t grain_at(const grains *g, uint32_t id)
{
    const rp_grains *p = &g->world->grains;
    for (size_t i = 0; i < p->count; i++)
        if (p->id[i] == id) return i;
    fail_msg("there is no grain %u", id);
    return 0;
}

/* Position, high and low words. */
static inline rp_vec3 place_at(const grains *g, size_t i)
{
    const rp_grains *p = &g->world->grains;
    float *const *low = ((const rp_dem *)g->world->solver)->position_low;
    return rp_v3((double)p->x[i] + (double)low[0][i], (double)p->y[i] + (double)low[1][i],
                 (double)p->z[i] + (double)low[2][i]);
}

static inline rp_vec3 velocity_at(const grains *g, size_t i)
{
    const rp_grains *p = &g->world->grains;
    return rp_v3(p->vx[i], p->vy[i], p->vz[i]);
}

static inline rp_vec3 spin_at(const grains *g, size_t i)
{
    float *const *spin = ((const rp_dem *)g->world->solver)->spin;
    return rp_v3(spin[0][i], spin[1][i], spin[2][i]);
}

static inline void set_place(const grains *g, size_t i, rp_vec3 at)
{
    const rp_grains *p = &g->world->grains;
    const double exact[3] = {at.x, at.y, at.z};
    float *const x[3] = {p->x, p->y, p->z};
    for (int k = 0; k < 3; k++) {
        x[k][i] = (float)exact[k];
        ((const rp_dem *)g->world->solver)->position_low[k][i] =
            (float)(exact[k] - (double)x[k][i]);
    }
}

static inline void set_velocity(const grains *g, size_t i, rp_vec3 v)
{
    const rp_grains *p = &g->world->grains;
    p->vx[i] = (float)v.x;
    p->vy[i] = (float)v.y;
    p->vz[i] = (float)v.z;
}

static inline void set_spin_of(const grains *g, size_t i, rp_vec3 spin)
{
    float *const *to = ((const rp_dem *)g->world->solver)->spin;
    to[0][i] = (float)spin.x;
    to[1][i] = (float)spin.y;
    to[2][i] = (float)spin.z;
}

static inline void set_orientation_of(const grains *g, size_t i, rp_quat turn)
{
    const double parts[4] = {turn.w, turn.x, turn.y, turn.z};
    for (int k = 0; k < 4; k++) {
        float *high = &g->world->grains.orientation[k][i];
        *high = (float)parts[k];
        ((const rp_dem *)g->world->solver)->orientation_low[k][i] =
            (float)(parts[k] - (double)*high);
    }
}

static inline rp_quat turn_at(const grains *g, size_t i)
{
    float *const *high = g->world->grains.orientation, *const *low =
                                                           ((const rp_dem *)g->world->solver)
                                                               ->orientation_low;
    rp_quat turn = {(double)high[0][i] + (double)low[0][i], (double)high[1][i] + (double)low[1][i],
                    (double)high[2][i] + (double)low[2][i], (double)high[3][i] + (double)low[3][i]};
    return rp_quat_normalized(turn);
}

/* Principal moments of inertia, kg m2. */
static inline rp_vec3 moments_at(const grains *g, size_t i)
{
    const rp_grains *p = &g->world->grains;
    const rp_clump *clump = &rp_scene_grains(g->scene)[p->kind[i]].clump;
    double size = p->diameter[i], scale = (double)p->mass[i] * size * size / clump->volume;
    return rp_v3(scale * clump->inertia[0], scale * clump->inertia[1], scale * clump->inertia[2]);
}

/* The spin along the grain's own axes. */
static inline rp_vec3 own_spin_at(const grains *g, size_t i)
{
    rp_vec3 spin = spin_at(g, i);
    if (!g->world->grains.orientation[0]) return spin;
    return rp_quat_rotate(rp_quat_conj(turn_at(g, i)), spin);
}

/* About the origin, of all grains, kg m2/s. */
static inline rp_vec3 angular_momentum(const grains *g)
{
    const rp_grains *p = &g->world->grains;
    rp_vec3 sum = rp_v3(0, 0, 0);
    for (size_t i = 0; i < p->count; i++) {
        rp_vec3 m = moments_at(g, i), w = own_spin_at(g, i);
        rp_vec3 own = rp_v3(m.x * w.x, m.y * w.y, m.z * w.z);
        if (p->orientation[0]) own = rp_quat_rotate(turn_at(g, i), own);
        rp_vec3 orbit = rp_v3_cross(place_at(g, i), velocity_at(g, i));
        sum = rp_v3_add(rp_v3_madd(sum, (double)p->mass[i], orbit), own);
    }
    return sum;
}

/* kg m/s */
static inline rp_vec3 momentum(const grains *g)
{
    rp_vec3 sum = rp_v3(0, 0, 0);
    for (size_t i = 0; i < g->world->grains.count; i++)
        sum = rp_v3_madd(sum, (double)g->world->grains.mass[i], velocity_at(g, i));
    return sum;
}

/* Of going and of turning, J. */
static inline double kinetic_energy(const grains *g)
{
    const rp_grains *p = &g->world->grains;
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        rp_vec3 v = velocity_at(g, i), m = moments_at(g, i), w = own_spin_at(g, i);
        sum += 0.5 * (double)p->mass[i] * rp_v3_dot(v, v);
        sum += 0.5 * (m.x * w.x * w.x + m.y * w.y * w.y + m.z * w.z * w.z);
    }
    return sum;
}

#endif
