/* Rays against a slow twin: every sphere and every triangle, one after another, in doubles. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "render/inside.h"

#include <string.h>

#define SPHERES 600
#define TRIANGLES 400
#define RAYS 6000
/* Embree computes with floats in a box of edge 2: what lies nearer than this to an edge, to a limit
 * or to another surface may be met or not. */
#define DOUBT 2e-5

typedef struct things {
    rp_bvh_vertex spheres[2][SPHERES];
    rp_bvh_vertex corners[2][3 * TRIANGLES];
    size_t sphere_count, triangle_count;
    bool moving;
} things;

static _Alignas(16) things t; /* Embree loads vertices aligned */

static double number(uint64_t counter, int part)
{
    rp_random4 random = rp_random(11, RP_RANDOM_TEST, counter * 4 + (uint64_t)(part / 4));
    return (double)rp_random_unit(random.bits[part % 4]);
}

static void put_point(rp_bvh_vertex to, uint64_t counter, int part, double edge)
{
    for (int a = 0; a < 3; a++)
        to[a] = (float)(edge * (number(counter, part + a) - 0.5));
}

/* The second set of places is near the first, as in a short exposure. */
static void move(rp_bvh_vertex *last, const rp_bvh_vertex *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(last[i], first[i], sizeof(rp_bvh_vertex));
        for (int a = 0; a < 3; a++)
            last[i][a] += (float)(0.2 * (number(i + 50000, 4 + a) - 0.5));
    }
}

static void throw_things(size_t spheres, size_t triangles, bool moving)
{
    t.sphere_count = spheres;
    t.triangle_count = triangles;
    t.moving = moving;
    for (size_t i = 0; i < spheres; i++) {
        put_point(t.spheres[0][i], i, 0, 2);
        t.spheres[0][i][3] = (float)(0.01 + 0.05 * number(i, 3));
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        rp_bvh_vertex middle;
        put_point(middle, 1000 + i / 3, 0, 2);
        put_point(t.corners[0][i], 10000 + i, 0, 0.3);
        for (int a = 0; a < 3; a++)
            t.corners[0][i][a] += middle[a];
    }
    move(t.spheres[1], (const rp_bvh_vertex *)t.spheres[0], spheres);
    move(t.corners[1], (const rp_bvh_vertex *)t.corners[0], 3 * triangles);
}

static rp_ray_bvh *build(int threads)
{
    rp_ray_bvh *rays;
    rp_report *report = rp_report_create();
    check_ok(rp_ray_bvh_create(threads, &rays, report), report);
    check_ok(rp_ray_bvh_add_spheres(rays, t.sphere_count, (const rp_bvh_vertex *)t.spheres[0],
                                    t.moving ? (const rp_bvh_vertex *)t.spheres[1] : NULL, report),
             report);
    check_ok(rp_ray_bvh_add_triangles(rays, t.triangle_count, (const rp_bvh_vertex *)t.corners[0],
                                      t.moving ? (const rp_bvh_vertex *)t.corners[1] : NULL,
                                      report),
             report);
    check_ok(rp_ray_bvh_build(rays, report), report);
    rp_report_destroy(report);
    return rays;
}

/* --- the twin --------------------------------------------------------------------------------- */

/* What a ray meets; in doubt when a hair's breadth would change the answer. */
typedef struct slow_hit {
    bool met, doubt;
    double distance, next; /* to the nearest and to the one behind it */
    unsigned set, index;
    double u, v;
} slow_hit;

static rp_vec3 place(const rp_bvh_vertex *first, const rp_bvh_vertex *last, size_t i, double time)
{
    rp_vec3 a = rp_v3((double)first[i][0], (double)first[i][1], (double)first[i][2]);
    rp_vec3 b = rp_v3((double)last[i][0], (double)last[i][1], (double)last[i][2]);
    return rp_v3_madd(a, t.moving ? time : 0, rp_v3_sub(b, a));
}

static void consider(slow_hit *hit, const rp_ray *ray, double distance, slow_hit found)
{
    if (fabs(distance - ray->near) < DOUBT || fabs(distance - ray->far) < DOUBT) hit->doubt = true;
    if (!(distance > ray->near && distance < ray->far)) return;
    if (hit->met && distance >= hit->distance) {
        hit->next = fmin(hit->next, distance);
        return;
    }
    double next = hit->met ? hit->distance : INFINITY;
    *hit = (slow_hit){true, hit->doubt, distance, next, found.set, found.index, found.u, found.v};
}

static void meet_sphere(slow_hit *hit, const rp_ray *ray, size_t i)
{
    rp_vec3 centre = place((const rp_bvh_vertex *)t.spheres[0], (const rp_bvh_vertex *)t.spheres[1],
                           i, ray->time);
    double radius = (double)t.spheres[0][i][3], along = rp_v3_dot(ray->direction, ray->direction);
    rp_vec3 way = rp_v3_sub(centre, ray->origin);
    double middle = rp_v3_dot(way, ray->direction) / along;
    double passing = rp_v3_length(rp_v3_madd(way, -middle, ray->direction));
    if (fabs(passing - radius) < DOUBT) hit->doubt = true;
    if (passing >= radius) return;
    double half = sqrt((radius * radius - passing * passing) / along);
    slow_hit found = {.set = 0, .index = (unsigned)i};
    consider(hit, ray, middle - half, found);
    consider(hit, ray, middle + half, found);
}

/* The ray meets the triangle's plane where Cramer's rule says; the weights tell whether within. */
static void meet_triangle(slow_hit *hit, const rp_ray *ray, size_t i)
{
    rp_vec3 c[3];
    for (size_t k = 0; k < 3; k++)
        c[k] = place((const rp_bvh_vertex *)t.corners[0], (const rp_bvh_vertex *)t.corners[1],
                     3 * i + k, ray->time);
    rp_vec3 e1 = rp_v3_sub(c[1], c[0]), e2 = rp_v3_sub(c[2], c[0]);
    rp_vec3 p = rp_v3_cross(ray->direction, e2), s = rp_v3_sub(ray->origin, c[0]);
    double volume = rp_v3_dot(e1, p);
    rp_vec3 q = rp_v3_cross(s, e1);
    double u = rp_v3_dot(s, p) / volume, v = rp_v3_dot(ray->direction, q) / volume;
    double least = fmin(fmin(u, v), 1 - u - v), distance = rp_v3_dot(e2, q) / volume;
    /* Weights are lengths over the triangle's height as the ray sees it. */
    double flat = fabs(volume) / rp_v3_length(ray->direction);
    double doubt = DOUBT * fmax(rp_v3_length(e1), rp_v3_length(e2)) / flat;
    if (fabs(least) < doubt) hit->doubt = true;
    if (!(least > 0)) return;
    if (doubt > 1e-2) hit->doubt = true; /* seen from the side: the distance is not sure either */
    consider(hit, ray, distance, (slow_hit){.set = 1, .index = (unsigned)i, .u = u, .v = v});
}

static slow_hit meet_slowly(const rp_ray *ray)
{
    slow_hit hit = {.next = INFINITY};
    for (size_t i = 0; i < t.sphere_count; i++)
        meet_sphere(&hit, ray, i);
    for (size_t i = 0; i < t.triangle_count; i++)
        meet_triangle(&hit, ray, i);
    return hit;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* Some with directions that are not of unit length, some that begin or end among the things. */
static rp_ray random_ray(uint64_t i)
{
    double n[10];
    for (int k = 0; k < 10; k++)
        n[k] = number(100000 + i, k);
    double length = i % 3 ? 1 : 0.3 + n[9];
    rp_vec3 from = rp_v3(4 * n[0] - 2, 4 * n[1] - 2, 4 * n[2] - 2);
    rp_vec3 to = rp_v3(2 * n[3] - 1, 2 * n[4] - 1, 2 * n[5] - 1);
    rp_vec3 way = rp_v3_scale(rp_v3_normalized(rp_v3_sub(to, from)), length);
    rp_ray ray = {.origin = from, .direction = way, .far = INFINITY, .time = n[6]};
    if (i % 2) ray.near = n[7];
    if (i % 5 == 0) ray.far = ray.near + 2 * n[8];
    /* As Embree will see it. */
    for (int a = 0; a < 3; a++) {
        double *numbers[3] = {&ray.origin.x, &ray.origin.y, &ray.origin.z};
        double *ways[3] = {&ray.direction.x, &ray.direction.y, &ray.direction.z};
        *numbers[a] = (double)(float)*numbers[a];
        *ways[a] = (double)(float)*ways[a];
    }
    ray.near = (double)(float)ray.near;
    ray.far = (double)(float)ray.far;
    ray.time = (double)(float)ray.time;
    return ray;
}

static void check_ray(const rp_ray_bvh *rays, const rp_ray *ray, const slow_hit *slow)
{
    rp_bvh_hit hit;
    bool met = rp_ray_bvh_intersect(rays, ray, &hit);
    assert_int_equal(met, slow->met);
    assert_int_equal(rp_ray_bvh_occluded(rays, ray), slow->met);
    if (!met) return;
    check_near(hit.distance, slow->distance, 1e-3); /* spheres at their rims lose half the digits */
    assert_true(hit.distance >= ray->near && hit.distance <= ray->far);
    if (slow->next - slow->distance < 1e-3) return;
    assert_int_equal(hit.set, slow->set);
    assert_int_equal(hit.index, slow->index);
    if (hit.set == 1) {
        check_near(hit.u, slow->u, 2e-2);
        check_near(hit.v, slow->v, 2e-2);
    }
}

static void check_rays(size_t spheres, size_t triangles, bool moving)
{
    throw_things(spheres, triangles, moving);
    rp_ray_bvh *rays = build(2);
    int checked = 0, met = 0;
    for (uint64_t i = 0; i < RAYS; i++) {
        rp_ray ray = random_ray(i);
        slow_hit slow = meet_slowly(&ray);
        if (slow.doubt) continue;
        check_ray(rays, &ray, &slow);
        checked++;
        met += slow.met;
    }
    rp_ray_bvh_destroy(rays);
    assert_true(checked > 0.9 * RAYS); /* or the test is about nothing */
    assert_true(met > 0.3 * RAYS && met < 0.95 * checked);
}

static void static_primitives_are_hit_as_the_twin_says(void **state)
{
    (void)state;
    check_rays(SPHERES, TRIANGLES, false);
}

static void moving_things_are_met_as_the_twin_says(void **state)
{
    (void)state;
    check_rays(SPHERES, TRIANGLES, true);
}

static void one_kind_alone_is_met(void **state)
{
    (void)state;
    check_rays(SPHERES, 0, false);
    check_rays(0, TRIANGLES, true);
}

static void empty_sets_are_met_by_nothing(void **state)
{
    (void)state;
    throw_things(0, 0, false);
    rp_ray_bvh *rays = build(1);
    rp_bvh_hit hit;
    for (uint64_t i = 0; i < 100; i++) {
        rp_ray ray = random_ray(i);
        assert_false(rp_ray_bvh_intersect(rays, &ray, &hit));
        assert_false(rp_ray_bvh_occluded(rays, &ray));
    }
    rp_ray_bvh_destroy(rays);
}

static rp_ray along_x(double near, double far, double time)
{
    return (rp_ray){rp_v3(-2, 0.01, 0.02), rp_v3(1, 0, 0), near, far, time};
}

/* A ball of radius 0.5 on the origin that moves by 1 along x: its front is at 1.5 + time. */
static void limits_and_times_are_kept(void **state)
{
    (void)state;
    t = (things){.sphere_count = 1, .moving = true};
    t.spheres[0][0][3] = t.spheres[1][0][3] = 0.5f;
    t.spheres[1][0][0] = 1;
    rp_ray_bvh *rays = build(1);
    static const struct {
        double near, far, time, distance; /* 0: none */
    } cases[] = {{0, INFINITY, 0, 1.5},  {0, INFINITY, 1, 2.5}, {0, INFINITY, 0.25, 1.75},
                 {0, 1.49, 0, 0},        {0, 1.51, 0, 1.5},     {1.51, INFINITY, 0, 2.5},
                 {2.51, INFINITY, 0, 0}, {1.51, 2.4, 0, 0},     {0, 2.4, 1, 0},
                 {0, 0, 0, 0},           {3, 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rp_ray ray = along_x(cases[i].near, cases[i].far, cases[i].time);
        rp_bvh_hit hit = {0};
        assert_int_equal(rp_ray_bvh_intersect(rays, &ray, &hit), cases[i].distance > 0);
        assert_int_equal(rp_ray_bvh_occluded(rays, &ray), cases[i].distance > 0);
        check_near(hit.distance, cases[i].distance, 1e-3);
    }
    rp_ray_bvh_destroy(rays);
}

/* To the last bit, although the structures may differ. */
static void threads_do_not_change_what_is_met(void **state)
{
    (void)state;
    throw_things(SPHERES, TRIANGLES, true);
    rp_ray_bvh *rays[3] = {build(1), build(2), build(4)};
    for (uint64_t i = 0; i < 2 * RAYS; i++) {
        rp_ray ray = random_ray(i);
        rp_bvh_hit hits[3];
        memset(hits, 0, sizeof hits);
        bool met = rp_ray_bvh_intersect(rays[0], &ray, &hits[0]);
        for (int k = 1; k < 3; k++) {
            assert_int_equal(rp_ray_bvh_intersect(rays[k], &ray, &hits[k]), met);
            assert_memory_equal(&hits[k], &hits[0], sizeof(rp_bvh_hit));
            assert_int_equal(rp_ray_bvh_occluded(rays[k], &ray),
                             rp_ray_bvh_occluded(rays[0], &ray));
        }
    }
    for (int k = 0; k < 3; k++)
        rp_ray_bvh_destroy(rays[k]);
}

static void the_structure_tells_its_size(void **state)
{
    (void)state;
    throw_things(SPHERES, TRIANGLES, false);
    rp_ray_bvh *rays = build(1);
    size_t bytes = rp_ray_bvh_bytes(rays);
    assert_true(bytes > 16 * (SPHERES + TRIANGLES) && bytes < 4000000);
    rp_ray_bvh_destroy(rays);
    rp_ray_bvh_destroy(NULL);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_primitives_are_hit_as_the_twin_says),
        cmocka_unit_test(moving_things_are_met_as_the_twin_says),
        cmocka_unit_test(one_kind_alone_is_met),
        cmocka_unit_test(empty_sets_are_met_by_nothing),
        cmocka_unit_test(limits_and_times_are_kept),
        cmocka_unit_test(threads_do_not_change_what_is_met),
        cmocka_unit_test(the_structure_tells_its_size),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
