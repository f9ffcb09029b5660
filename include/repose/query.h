/* Queries: what a ray meets, how high the sand is, which grains are where.
 *
 *     const rp_query *query;
 *     rp_ray_hit hit;
 *     rp_world_query(world, &query, report);
 *     if (rp_query_ray(query, eye, ahead, INFINITY, RP_HIT_ANY, &hit)) …
 *
 * A query is made from a view, so that it serves worlds, frames of a record and copies alike: one
 * sort of the grains into cells, after which asking is quick. Asking is safe from several threads
 * at once. Grains are spheres: of their own diameter where the method gives them one, else of the
 * view's spacing. Across periodic sides grains are found as neighbors are; rays do not go on
 * there.
 */
#ifndef REPOSE_QUERY_H
#define REPOSE_QUERY_H

#include "repose/scene.h"
#include "repose/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_query rp_query;

/* A query of a view, whose grains are copied. Bodies stand where the view has them and look as the
 * scene says, which must outlive the query: for bodies that were added to a running world, pass
 * rp_world_scene. Destroy it. */
RP_API rp_code rp_query_create(const rp_scene *scene, const rp_view *view, rp_query **out,
                               rp_report *report);
RP_API void rp_query_destroy(rp_query *query);

/* What a ray may meet; add them up. */
enum { RP_HIT_GRAIN = 1, RP_HIT_BODY = 2, RP_HIT_WALL = 4, RP_HIT_ANY = 7 };

/* Where a ray ends. */
typedef struct rp_ray_hit {
    int kind;         /* one of the above */
    size_t index;     /* of the grain or body in the view; of a wall: left, right, front, back,
                         bottom, top from 0 */
    uint32_t id;      /* of a grain; else 0 */
    double distance;  /* m, from the start of the ray */
    double point[3];  /* m */
    double normal[3]; /* unit vector, out of what was met */
} rp_ray_hit;

/* The first of these `kinds` along a ray of at most `limit` metres (INFINITY: without end). The
 * direction need not be a unit vector. A ray that starts inside a grain or a body meets it at
 * distance 0; walls of the domain are met from inside only. False where the ray meets nothing, or
 * where start, direction and limit make no sense. */
RP_API bool rp_query_ray(const rp_query *query, const double from[3], const double direction[3],
                         double limit, unsigned kinds, rp_ray_hit *hit);
/* The height of the sand at (x, y), m: the top (z of the middle and the radius) of the highest
 * grain whose middle is within `radius` metres of the vertical line there; 0: within a spacing.
 * Grains in the air count. False where there is none. */
RP_API bool rp_query_height(const rp_query *query, double x, double y, double radius,
                            double *height);
/* The grains whose middles lie in a box, its faces included, or in a ball. Returns their number and
 * writes the view's indices of the first `room` of them, in an order that is always the same;
 * `indices` may be NULL where `room` is 0. */
RP_API size_t rp_query_box(const rp_query *query, const double low[3], const double high[3],
                           size_t *indices, size_t room);
RP_API size_t rp_query_ball(const rp_query *query, const double centre[3], double radius,
                            size_t *indices, size_t room);
/* The view's index of the grain whose middle is nearest to a point, and its distance, m, which may
 * be NULL; SIZE_MAX where there are no grains. Of several as near it is the one of lowest index. */
RP_API size_t rp_query_nearest(const rp_query *query, const double point[3], double *distance);

#ifdef __cplusplus
}
#endif
#endif
