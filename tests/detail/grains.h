/* Coarse grains made by hand, and fine grains found by their ids. */
#ifndef RP_TESTS_DETAIL_GRAINS_H
#define RP_TESTS_DETAIL_GRAINS_H

#include "worlds.h"

#include "base/random.h"
#include "base/report.h"
#include "detail/detail.h"

#include <stdlib.h>
#include <string.h>

/* --- coarse grains ---------------------------------------------------------------------------- */

/* A view that can be written to. */
typedef struct coarse {
    double time; /* s */
    size_t count, room;
    float *x, *y, *z, *vx, *vy, *vz;
    uint32_t *id;
    uint8_t *material;
    rp_body_state *bodies;
    int body_count;
} coarse;

/* Room for so many; bodies where the scene has them at the start, at rest. */
static inline coarse coarse_begin(const rp_scene *scene, size_t room)
{
    size_t bytes = (room + 1) * sizeof(float);
    coarse c = {.room = room,
                .x = malloc(bytes),
                .y = malloc(bytes),
                .z = malloc(bytes),
                .vx = malloc(bytes),
                .vy = malloc(bytes),
                .vz = malloc(bytes),
                .id = malloc(bytes),
                .material = malloc(room + 1),
                .body_count = scene->bodies.count};
    c.bodies = calloc((size_t)c.body_count + 1, sizeof *c.bodies);
    for (int i = 0; i < c.body_count; i++) {
        rp_pose pose = rp_scene_bodies(scene)[i].pose;
        rp_quat q = pose.orientation;
        c.bodies[i] =
            (rp_body_state){.position = {pose.position.x, pose.position.y, pose.position.z},
                            .orientation = {q.w, q.x, q.y, q.z}};
    }
    return c;
}

static inline void coarse_end(coarse *c)
{
    float *const arrays[] = {c->x, c->y, c->z, c->vx, c->vy, c->vz};
    for (int i = 0; i < 6; i++)
        free(arrays[i]);
    free(c->id);
    free(c->material);
    free(c->bodies);
}

/* A grain at rest; gives its place. */
static inline size_t coarse_add(coarse *c, double x, double y, double z)
{
    assert_true(c->count < c->room);
    size_t i = c->count++;
    c->x[i] = (float)x;
    c->y[i] = (float)y;
    c->z[i] = (float)z;
    c->vx[i] = c->vy[i] = c->vz[i] = 0;
    c->id[i] = (uint32_t)i;
    c->material[i] = 0;
    return i;
}

/* A lattice of nx times ny times nz, its lowest one at the place given. */
static inline void coarse_add_block(coarse *c, double x, double y, double z, int nx, int ny, int nz,
                                    double spacing)
{
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                coarse_add(c, x + i * spacing, y + j * spacing, z + k * spacing);
}

static inline rp_view coarse_view(const coarse *c)
{
    return (rp_view){.time = c->time,
                     .count = c->count,
                     .x = c->x,
                     .y = c->y,
                     .z = c->z,
                     .vx = c->vx,
                     .vy = c->vy,
                     .vz = c->vz,
                     .id = c->id,
                     .material = c->material,
                     .bodies = c->bodies,
                     .body_count = c->body_count};
}

/* --- fine grains ------------------------------------------------------------------------------ */

static inline rp_detail *detail_of(const rp_scene *scene, rp_threads *threads)
{
    rp_detail *detail = NULL;
    rp_report *report = rp_report_create();
    rp_detail_options options = {.threads = threads};
    check_ok(rp_detail_create(scene, &options, &detail, report), report);
    rp_report_destroy(report);
    return detail;
}

static inline void detail_to(rp_detail *detail, const rp_view *view)
{
    rp_report *report = rp_report_create();
    check_ok(rp_detail_advance(detail, view, report), report);
    rp_detail_counts counts = rp_detail_count(detail);
    assert_true(counts.born == counts.there + counts.left);
    rp_report_destroy(report);
}

static inline void detail_to_coarse(rp_detail *detail, const coarse *c)
{
    rp_view view = coarse_view(c);
    detail_to(detail, &view);
}

typedef struct grain {
    bool there;
    uint8_t material;
    float x, y, z, vx, vy, vz;
} grain;

/* All grains that ever were, by their ids. */
typedef struct grains {
    size_t born, there;
    grain *of;
} grains;

static inline rp_code grains_take(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    grains *g = user;
    assert_true(chunk->count <= chunk->born && chunk->born <= RP_CHUNK_MAX);
    for (uint32_t i = 0; i < chunk->count; i++) {
        size_t id = chunk->first + (size_t)chunk->local[i];
        assert_true(chunk->local[i] < chunk->born && id < g->born);
        assert_false(g->of[id].there); /* ids are unique */
        g->of[id] = (grain){.there = true,
                            .material = chunk->material,
                            .x = chunk->x[i],
                            .y = chunk->y[i],
                            .z = chunk->z[i],
                            .vx = chunk->vx[i],
                            .vy = chunk->vy[i],
                            .vz = chunk->vz[i]};
        g->there++;
    }
    return RP_OK;
}

static inline grains grains_of(rp_detail *detail)
{
    rp_report *report = rp_report_create();
    rp_detail_counts counts = rp_detail_count(detail);
    grains g = {.born = (size_t)counts.born};
    g.of = calloc(g.born + 1, sizeof *g.of);
    check_ok(rp_detail_visit(detail, grains_take, &g, report), report);
    assert_true(g.there == counts.there);
    rp_report_destroy(report);
    return g;
}

static inline void grains_end(grains *g)
{
    free(g->of);
}

static inline void grains_same(const grains *a, const grains *b)
{
    assert_int_equal(a->born, b->born);
    assert_int_equal(a->there, b->there);
    for (size_t i = 0; i < a->born; i++) {
        const grain *p = &a->of[i], *q = &b->of[i];
        if (p->there == q->there && p->material == q->material &&
            memcmp(&p->x, &q->x, 6 * sizeof p->x) == 0)
            continue;
        fail_msg("grain %zu is at %.9g %.9g %.9g (%d, %g m/s down) and %.9g %.9g %.9g (%d, %g m/s)",
                 i, (double)p->x, (double)p->y, (double)p->z, p->there, -(double)p->vz,
                 (double)q->x, (double)q->y, (double)q->z, q->there, -(double)q->vz);
    }
}

/* The distance of a grain from a body as a view has it, m. */
static inline double grain_distance(const grain *g, const rp_scene *scene, int body,
                                    const rp_body_state *state)
{
    const double *p = state->position, *q = state->orientation;
    rp_pose pose = {rp_v3(p[0], p[1], p[2]), {q[0], q[1], q[2], q[3]}};
    rp_vec3 local = rp_pose_to_local(pose, rp_v3(g->x, g->y, g->z));
    return rp_shape_distance(&rp_scene_bodies(scene)[body].shape, local, NULL);
}

/* No grain is inside of any body. */
static inline void grains_outside(const grains *g, const rp_scene *scene,
                                  const rp_body_state *states)
{
    for (int b = 0; b < scene->bodies.count; b++)
        for (size_t i = 0; i < g->born; i++) {
            if (!g->of[i].there) continue;
            double distance = grain_distance(&g->of[i], scene, b, &states[b]);
            if (distance >= -1e-6) continue;
            fail_msg("grain %zu at %.9g %.9g %.9g is %.3g m inside of %s", i, (double)g->of[i].x,
                     (double)g->of[i].y, (double)g->of[i].z, -distance,
                     rp_scene_bodies(scene)[b].name);
        }
}

/* In [-1, 1). */
static inline double random_side(uint64_t seed, uint64_t counter, int which)
{
    return 2 * (double)rp_random_unit(rp_random(seed, RP_RANDOM_TEST, counter).bits[which]) - 1;
}

#endif
