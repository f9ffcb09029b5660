/* The case `mesh`: what a body made from a mesh costs. First once, for a fine mesh: its BVH
 * and signed distance field, then its samples, a hundredth of its size apart. Then for every grain
 * and step, for a mesh of about a thousand triangles: the distance of points that are far by the
 * field, and of points at the surface. There is no model of the least work: a search has no fixed
 * length. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "geom/samples.h"
#include "math/elementary.h"

#define POINTS 100000
#define REPEATS 7
#define COARSE_SEGMENTS 32 /* 960 triangles */
#define REACH 0.02         /* m, up to which distances are asked for; the mesh is 1.7 m wide */

/* Makes a ball with bumps, of about `segments` squared triangles. */
static rp_code make_mesh(int segments, rp_mesh **out, rp_report *report)
{
    rp_mesh *ball;
    rp_shape shape = {.kind = RP_SHAPE_SPHERE, .radius = 0.7};
    *out = NULL;
    RP_TRY(rp_shape_tessellate(&shape, segments, 0, &ball, report));
    rp_mesh *mesh = *out = rp_mesh_create();
    bool ok = mesh != NULL;
    for (size_t i = 0; i < ball->vertex_count && ok; i++) {
        rp_vec3 v = ball->vertices[i];
        double bump = 1 + 0.15 * rp_sin(9 * v.x + 1) * rp_cos(7 * v.y) + 0.1 * rp_sin(11 * v.z + 2);
        rp_mesh_add_vertex(mesh, rp_v3_scale(v, bump), &ok);
    }
    for (size_t t = 0; t < ball->triangle_count && ok; t++)
        rp_mesh_add_triangle(mesh, ball->triangles[t][0], ball->triangles[t][1],
                             ball->triangles[t][2], &ok);
    rp_mesh_destroy(ball);
    return ok ? RP_OK : rp_fail(report, RP_ERROR_MEMORY, "out of memory for a mesh");
}

/* Times the preparation of a fine mesh (BVH and distance field) and its sampling. */
static rp_code bench_fine(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    rp_mesh *mesh;
    rp_samples samples = {0};
    rp_code code = make_mesh((int)sqrt((double)setup->size), &mesh, report);
    double start = rp_clock();
    if (code == RP_OK) code = rp_mesh_prepare(mesh, 0, setup->threads, report);
    double prepare = rp_clock() - start;
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    start = rp_clock();
    if (code == RP_OK) code = rp_shape_sample(&shape, 0.017, setup->threads, &samples, report);
    double sample = rp_clock() - start;
    if (code == RP_OK) {
        rp_bench_add(list,
                     rp_bench_result_of("mesh-prepare", mesh->triangle_count, &prepare, 1, 0));
        rp_bench_result result = rp_bench_result_of("mesh-sample", samples.count, &sample, 1, 0);
        rp_bench_note(&result, "spread", 100 * samples.spread, "%");
        rp_bench_add(list, result);
    }
    rp_samples_release(&samples);
    rp_mesh_destroy(mesh);
    return code;
}

static rp_vec3 random_point(uint64_t number)
{
    rp_random4 r = rp_random(1, RP_RANDOM_TEST, number);
    return rp_v3(2 * rp_random_unit(r.bits[0]) - 1, 2 * rp_random_unit(r.bits[1]) - 1,
                 2 * rp_random_unit(r.bits[2]) - 1);
}

/* Fills in points that are within the reach of the surface, evenly over both sides (`near`), or
 * farther away than four times the reach. */
static void choose_points(const rp_shape *shape, bool near, rp_vec3 *points)
{
    uint64_t number = 0;
    for (size_t i = 0; i < POINTS; number++) {
        rp_vec3 p = random_point(number), normal;
        double distance = rp_shape_distance(shape, p, &normal);
        if (near) {
            double wanted = REACH * (2.0 * (double)(i % 100) / 100 - 1);
            points[i++] = rp_v3_madd(p, wanted - distance, normal);
        } else if (fabs(distance) > 4 * REACH) {
            points[i++] = p;
        }
    }
}

/* Times the distances of all points. They are summed up, and their mean is noted, so that the
 * compiler cannot leave them out. */
static void time_points(const rp_shape *shape, const char *name, const rp_vec3 *points,
                        rp_bench_list *list)
{
    double seconds[REPEATS], sum = 0;
    for (int r = 0; r < REPEATS; r++) {
        double start = rp_clock();
        for (size_t i = 0; i < POINTS; i++) {
            rp_vec3 normal;
            sum += rp_shape_distance_within(shape, points[i], REACH, &normal);
        }
        seconds[r] = rp_clock() - start;
    }
    const double least = 0; /* s; there is no model of the least work */
    rp_bench_result result = rp_bench_result_of(name, POINTS, seconds, REPEATS, least);
    rp_bench_note(&result, "each", 1e9 * result.seconds / POINTS, "ns");
    rp_bench_note(&result, "mean", sum / (POINTS * (double)REPEATS), "m");
    rp_bench_add(list, result);
}

static rp_code bench_queries(rp_bench_list *list, rp_report *report)
{
    rp_mesh *mesh;
    rp_vec3 *points = rp_allocate(POINTS * sizeof *points);
    rp_code code = make_mesh(COARSE_SEGMENTS, &mesh, report);
    if (code == RP_OK) code = rp_mesh_prepare(mesh, 0, NULL, report);
    if (code == RP_OK && !points)
        code = rp_fail_memory(report, POINTS * sizeof *points, "points around a mesh");
    if (code == RP_OK) {
        rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
        choose_points(&shape, false, points);
        time_points(&shape, "mesh-far", points, list);
        choose_points(&shape, true, points);
        time_points(&shape, "mesh-near", points, list);
    }
    rp_release(points, POINTS * sizeof *points);
    rp_mesh_destroy(mesh);
    return code;
}

static rp_code run(const rp_bench_setup *setup, rp_bench_list *list, rp_report *report)
{
    if (setup->size < 100)
        return rp_fail(report, RP_ERROR_INPUT, "a mesh of %zu triangles is too small; take 100",
                       setup->size);
    rp_code code = bench_fine(setup, list, report);
    return code == RP_OK ? bench_queries(list, report) : code;
}

const rp_bench_case rp_bench_mesh = {
    "mesh", "BVH, distance field and samples of a fine mesh; distances to a coarse one", 1000000,
    run};
