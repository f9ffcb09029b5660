/* Ray casting: through the cells of the grains by a digital differential analyser (DDA;J.
 * Amanatides and A. Woo, "A fast voxel traversal algorithm", Eurographics 1987), and against every
 * solid. */
#include "base/report.h"
#include "geom/ray.h"
#include "query/inside.h"

/* The first grain so far. */
typedef struct grain_hit {
    double distance; /* m */
    const rp_query_grain *grain;
} grain_hit;

static void hit_grain(const rp_query_grain *grain, const rp_geom_ray *ray, grain_hit *hit)
{
    rp_vec3 from = rp_v3_sub(ray->from, rp_v3(grain->x, grain->y, grain->z));
    double middle = -rp_v3_dot(from, ray->direction), r = grain->radius, distance = 0;
    if (rp_v3_dot(from, from) > r * r) {
        rp_vec3 nearest = rp_v3_madd(from, middle, ray->direction);
        double square = r * r - rp_v3_dot(nearest, nearest);
        if (middle < 0 || square < 0) return;
        distance = fmax(0, middle - sqrt(square));
    }
    if (distance > hit->distance) return;
    if (distance == hit->distance && hit->grain && grain->index > hit->grain->index) return;
    *hit = (grain_hit){distance, grain};
}

static void hit_all(const rp_query *query, const rp_geom_ray *ray, grain_hit *hit)
{
    for (size_t g = 0; g < query->count; g++)
        hit_grain(&query->grains[g], ray, hit);
}

/* Tests the 27 cells around one, or only their layer ahead along an axis: after a step the others
 * were tested already. A grain is no larger than a cell, so one that the ray hits in a cell has its
 * centre in one of these. */
static void hit_around(const rp_query *query, const int64_t cell[3], int axis, int64_t ahead,
                       const rp_geom_ray *ray, grain_hit *hit)
{
    int64_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = a == axis ? cell[a] + ahead : cell[a] - 1;
        high[a] = a == axis ? cell[a] + ahead : cell[a] + 1;
    }
    for (int64_t k = low[2]; k <= high[2]; k++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t i = low[0]; i <= high[0]; i++) {
                rp_query_bucket bucket = rp_query_bucket_of(query, (rp_query_cell){i, j, k});
                for (; bucket.at < bucket.end; bucket.at++)
                    hit_grain(bucket.at, ray, hit);
            }
}

/* The traversal, cell by cell from `enter` to `leave`, until a grain is hit before the end of the
 * cell.
 */
static void traverse(const rp_query *query, const rp_geom_ray *ray, double enter, double leave,
                     grain_hit *hit)
{
    rp_vec3 start = rp_v3_madd(ray->from, enter, ray->direction);
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z};
    const double along[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    rp_query_cell first = rp_query_cell_at(query, start);
    int64_t cell[3] = {first.i, first.j, first.k}, step[3];
    double next[3], each[3]; /* m along the ray, to the next face of the cell, and between faces */
    for (int a = 0; a < 3; a++) {
        step[a] = along[a] > 0 ? 1 : -1;
        each[a] = along[a] != 0 ? query->cell / fabs(along[a]) : INFINITY;
        double side = (double)(cell[a] + (along[a] > 0)) * query->cell;
        next[a] = along[a] != 0 ? (side - from[a]) / along[a] : INFINITY;
    }
    hit_around(query, cell, -1, 0, ray, hit);
    for (;;) {
        int axis = next[0] <= next[1] && next[0] <= next[2] ? 0 : next[1] <= next[2] ? 1 : 2;
        if (next[axis] > leave || next[axis] > hit->distance) return;
        cell[axis] += step[axis];
        next[axis] += each[axis];
        hit_around(query, cell, axis, step[axis], ray, hit);
    }
}

static void hit_grains(const rp_query *query, const rp_geom_ray *ray, grain_hit *hit)
{
    double enter, leave, r = query->largest;
    if (!query->count) return;
    rp_box3 box = {rp_v3_sub(query->bounds.low, rp_v3(r, r, r)),
                   rp_v3_add(query->bounds.high, rp_v3(r, r, r))};
    if (!rp_ray_box(&box, ray, &enter, &leave)) return;
    /* Through the empty space between a heap and a stray grain far off, testing all grains is
     * faster. */
    if (27 * (leave - enter) / query->cell > (double)query->count)
        hit_all(query, ray, hit);
    else
        traverse(query, ray, enter, leave, hit);
}

static void fill_hit(rp_ray_hit *hit, const rp_geom_ray *ray, double distance, rp_vec3 normal)
{
    rp_vec3 point = rp_v3_madd(ray->from, distance, ray->direction);
    hit->distance = distance;
    hit->point[0] = point.x;
    hit->point[1] = point.y;
    hit->point[2] = point.z;
    hit->normal[0] = normal.x;
    hit->normal[1] = normal.y;
    hit->normal[2] = normal.z;
}

/* Finds the nearest solid of the kinds, if it is nearer than the hit so far. */
static void hit_solids(const rp_query *query, rp_geom_ray *ray, unsigned kinds, rp_ray_hit *hit)
{
    for (int i = 0; i < query->surface_count; i++) {
        const rp_surface *surface = &query->surfaces[i];
        bool wall = surface->body < 0;
        double distance;
        rp_vec3 normal;
        if (!(kinds & (wall ? RP_HIT_WALL : RP_HIT_BODY))) continue;
        rp_quat back = rp_quat_conj(surface->pose.orientation);
        rp_geom_ray local = {rp_pose_to_local(surface->pose, ray->from),
                             rp_quat_rotate(back, ray->direction), ray->limit};
        if (wall && local.from.z < 0) continue; /* from behind the wall */
        if (!rp_shape_ray(surface->shape, &local, &distance, &normal)) continue;
        if (hit->kind && distance >= hit->distance) continue;
        ray->limit = distance;
        hit->kind = wall ? RP_HIT_WALL : RP_HIT_BODY;
        hit->index = (size_t)(wall ? surface->side : surface->body);
        fill_hit(hit, ray, distance, rp_quat_rotate(surface->pose.orientation, normal));
    }
}

static bool set_ray(const double from[3], const double direction[3], double limit, rp_geom_ray *ray)
{
    rp_vec3 along = rp_v3_from(direction);
    double length = rp_v3_length(along);
    *ray = (rp_geom_ray){rp_v3_from(from), rp_v3_scale(along, 1 / length), limit};
    return length > 0 && isfinite(length) && limit >= 0 && isfinite(rp_v3_length(ray->from));
}

bool rp_query_ray(const rp_query *query, const double from[3], const double direction[3],
                  double limit, unsigned kinds, rp_ray_hit *hit)
{
    if (!query || !from || !direction || !hit) return false;
    RP_ENTER();
    rp_geom_ray ray;
    *hit = (rp_ray_hit){0};
    if (!set_ray(from, direction, limit, &ray)) return false;
    hit_solids(query, &ray, kinds, hit);
    grain_hit grain = {ray.limit, NULL};
    if (kinds & RP_HIT_GRAIN) hit_grains(query, &ray, &grain);
    if (grain.grain) {
        const rp_query_grain *g = grain.grain;
        rp_vec3 point = rp_v3_madd(ray.from, grain.distance, ray.direction);
        rp_vec3 out = rp_v3_normalized(rp_v3_sub(point, rp_v3(g->x, g->y, g->z)));
        *hit = (rp_ray_hit){.kind = RP_HIT_GRAIN, .index = g->index, .id = g->id};
        fill_hit(hit, &ray, grain.distance, out);
    }
    return hit->kind != 0;
}
