/* Queries against plain searches of all grains, and rays against solids. */
#include "worlds.h"

#include "base/random.h"
#include "geom/ray.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 3000
#define ROOM COUNT

/* Grains in a cloud, some far away, with diameters or without. */
typedef struct cloud {
    rp_scene *scene;
    float x[COUNT], y[COUNT], z[COUNT], diameter[COUNT];
    uint32_t id[COUNT];
    rp_field field;
    rp_view view;
    rp_query *query;
} cloud;

static double unit(uint64_t *seed)
{
    return (double)rp_random_unit(rp_random(7, 0, (*seed)++).bits[0]);
}

static cloud *cloud_of(const char *text, bool sized)
{
    cloud *c = calloc(1, sizeof *c);
    uint64_t seed = 1;
    c->scene = scene_of(text);
    for (int i = 0; i < COUNT; i++) {
        c->x[i] = (float)unit(&seed) - 0.5f;
        c->y[i] = (float)unit(&seed) - 0.5f;
        c->z[i] = (float)unit(&seed) * 0.4f;
        c->diameter[i] = 0.01f + 0.03f * (float)unit(&seed);
        c->id[i] = (uint32_t)(10000 + i);
    }
    c->z[17] = 40; /* strays */
    c->x[18] = 300;
    c->field = (rp_field){"diameter", "m", RP_F32, c->diameter};
    c->view = (rp_view){.spacing = 0.02,
                        .count = COUNT,
                        .x = c->x,
                        .y = c->y,
                        .z = c->z,
                        .id = c->id,
                        .fields = &c->field,
                        .field_count = sized};
    rp_report *report = rp_report_create();
    check_ok(rp_query_create(c->scene, &c->view, &c->query, report), report);
    rp_report_destroy(report);
    return c;
}

static void end_cloud(cloud *c)
{
    rp_query_destroy(c->query);
    rp_scene_destroy(c->scene);
    free(c);
}

#define OPEN "particles: {spacing: 2 cm}\nsolver: {method: null}\n"
#define PERIODIC OPEN "domain: {low: [-0.5, -0.5, -inf], high: [0.5, 0.5, inf], periodic: [x, y]}\n"

static double radius_of(const cloud *c, int i)
{
    return c->view.field_count ? (double)c->diameter[i] / 2 : 0.01;
}

/* m between two coordinates, the shorter distance across periodic sides. */
static double apart(double a, double b, double period)
{
    double d = fabs(a - b);
    if (!(period > 0)) return d;
    d = fmod(d, period);
    return fmin(d, period - d);
}

static double distance_to(const cloud *c, int i, const double p[3], double period)
{
    double x = apart(c->x[i], p[0], period), y = apart(c->y[i], p[1], period);
    double z = (double)c->z[i] - p[2];
    return sqrt(x * x + y * y + z * z);
}

static int by_number(const void *a, const void *b)
{
    const size_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Of the domain's own grains: the stray one lies outside the period. */
static bool is_home(const cloud *c, int i, double period)
{
    return !(period > 0) || fabs((double)c->x[i]) <= 0.5;
}

static void check_region(const cloud *c, const double p[3], double radius, double period)
{
    static size_t found[ROOM], wanted[ROOM];
    size_t count = 0, other = rp_query_ball(c->query, p, radius, found, ROOM);
    for (int i = 0; i < COUNT; i++)
        if (is_home(c, i, period) && distance_to(c, i, p, period) <= radius)
            wanted[count++] = (size_t)i;
    qsort(found, other, sizeof *found, by_number);
    assert_int_equal(other, count);
    assert_memory_equal(found, wanted, count * sizeof *found);
    assert_int_equal(rp_query_ball(c->query, p, radius, NULL, 0), count);
}

static void check_box(const cloud *c, const double p[3], double side, double period)
{
    static size_t found[ROOM];
    const double low[3] = {p[0], p[1], p[2]}, high[3] = {p[0] + side, p[1] + side, p[2] + side};
    size_t count = 0, other = rp_query_box(c->query, low, high, found, ROOM);
    for (int i = 0; i < COUNT; i++) {
        double x = (double)c->x[i] - low[0], y = (double)c->y[i] - low[1];
        if (period > 0) x -= floor(x / period) * period;
        if (period > 0) y -= floor(y / period) * period;
        bool inside = x >= 0 && y >= 0 && x <= side && y <= side && (double)c->z[i] >= low[2] &&
                      (double)c->z[i] <= high[2];
        count += inside && is_home(c, i, period);
    }
    assert_int_equal(other, count);
    qsort(found, other, sizeof *found, by_number);
    for (size_t n = 1; n < other; n++)
        assert_true(found[n] > found[n - 1]); /* none twice */
}

static void check_nearest(const cloud *c, const double p[3], double period)
{
    size_t best = SIZE_MAX;
    double least = INFINITY, distance;
    for (int i = 0; i < COUNT; i++)
        if (is_home(c, i, period) && distance_to(c, i, p, period) < least) {
            least = distance_to(c, i, p, period);
            best = (size_t)i;
        }
    assert_int_equal(rp_query_nearest(c->query, p, &distance), best);
    check_near(distance, least, 1e-12);
}

static void check_height(const cloud *c, const double p[3], double radius, double period)
{
    double top = -INFINITY, height = -INFINITY, reach = radius > 0 ? radius : 0.02;
    for (int i = 0; i < COUNT; i++) {
        double x = apart(c->x[i], p[0], period), y = apart(c->y[i], p[1], period);
        if (is_home(c, i, period) && x * x + y * y <= reach * reach)
            top = fmax(top, (double)c->z[i] + radius_of(c, i));
    }
    assert_int_equal(rp_query_height(c->query, p[0], p[1], radius, &height), isfinite(top));
    if (isfinite(top)) check_near(height, top, 1e-7); /* radii are floats */
}

static void regions_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        cloud *c = cloud_of(kind == 2 ? PERIODIC : OPEN, kind == 1);
        double period = kind == 2 ? 1 : 0;
        uint64_t seed = 50000;
        for (int n = 0; n < 60; n++) {
            const double p[3] = {1.4 * unit(&seed) - 0.7, 1.4 * unit(&seed) - 0.7,
                                 0.6 * unit(&seed) - 0.1};
            double size = unit(&seed) < 0.9 ? 0.2 * unit(&seed) : 2 * unit(&seed);
            check_region(c, p, size, period);
            check_box(c, p, fmin(size, 0.99), period);
            check_nearest(c, p, period);
            check_height(c, p, n % 3 ? size / 3 : 0, period);
        }
        end_cloud(c);
    }
}

/* The first grain by trying all of them. */
static double first_of_all(const cloud *c, const double from[3], const double way[3], int *grain)
{
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), best = INFINITY;
    for (int i = 0; i < COUNT; i++) {
        const double to[3] = {(double)c->x[i] - from[0], (double)c->y[i] - from[1],
                              (double)c->z[i] - from[2]};
        double along = (to[0] * way[0] + to[1] * way[1] + to[2] * way[2]) / length;
        double square = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
        double r = radius_of(c, i), rest = r * r - (square - along * along);
        double distance = square <= r * r ? 0 : along - sqrt(fmax(rest, 0));
        if ((square > r * r && (along < 0 || rest < 0)) || distance >= best) continue;
        best = distance;
        *grain = i;
    }
    return best;
}

static void rays_meet_the_first_grain(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        cloud *c = cloud_of(OPEN, kind == 1);
        uint64_t seed = 90000;
        int hits = 0;
        for (int n = 0; n < 300; n++) {
            const double from[3] = {3 * unit(&seed) - 1.5, 3 * unit(&seed) - 1.5,
                                    2 * unit(&seed) - 0.5};
            double way[3] = {-from[0] + 0.3 * (unit(&seed) - 0.5), -from[1], 0.2 - from[2]};
            if (n % 10 == 0) way[1] = way[2] = 0;
            rp_ray_hit hit;
            int grain = -1;
            double wanted = first_of_all(c, from, way, &grain);
            bool met = rp_query_ray(c->query, from, way, INFINITY, RP_HIT_ANY, &hit);
            assert_int_equal(met, isfinite(wanted));
            if (!met) continue;
            hits++;
            assert_int_equal(hit.kind, RP_HIT_GRAIN);
            assert_int_equal(hit.index, grain);
            assert_int_equal(hit.id, 10000 + grain);
            check_near(hit.distance, wanted, 1e-6);
            assert_false(rp_query_ray(c->query, from, way, wanted * 0.99 - 1e-9, 7, &hit) &&
                         wanted > 1e-6);
        }
        assert_true(hits > 100);
        end_cloud(c);
    }
}

/* Solids stand beside each other along x; each is met from above, from the side and from within. */
#define SOLIDS                                                                                     \
    "particles: {spacing: 5 cm}\nsolver: {method: null}\n"                                         \
    "domain: {low: [-1, -1, 0], high: [20, 1, 5]}\n"                                               \
    "bodies:\n"                                                                                    \
    "  box: {shape: box, size: [1, 1, 1], position: [0, 0, 1]}\n"                                  \
    "  ball: {shape: sphere, radius: 0.5, position: [3, 0, 1]}\n"                                  \
    "  can: {shape: cylinder, radius: 0.5, height: 1, position: [6, 0, 1]}\n"                      \
    "  pill: {shape: capsule, radius: 0.25, height: 0.5, position: [9, 0, 1]}\n"                   \
    "  hat: {shape: cone, radius: 0.5, height: 1, position: [12, 0, 0.5]}\n"                       \
    "  crate: {shape: mesh, file: %s, position: [15, 0, 1]}\n"

static const char cube[] = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\n"
                           "v -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n"
                           "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static rp_scene *solids(void)
{
    char path[] = "/tmp/repose-query-XXXXXX.obj", text[2048];
    int file = mkstemps(path, 4);
    FILE *out = fdopen(file, "w");
    fputs(cube, out);
    fclose(out);
    snprintf(text, sizeof text, SOLIDS, path);
    rp_scene *scene = scene_of(text);
    remove(path);
    return scene;
}

static void rays_meet_solids(void **state)
{
    (void)state;
    rp_scene *scene = solids();
    rp_world *world = world_of(scene, 1);
    const rp_query *query;
    rp_ray_hit hit;
    check_ok(rp_world_query(world, &query, NULL), NULL);
    const double down[3] = {0, 0, -2}, across[3] = {0, 1, 0}, slant[3] = {0.1, 0.05, -1};
    for (int i = 0; i < 6; i++) {
        const double above[3] = {3 * i, 0, 4}, beside[3] = {3 * i, -0.9, 1},
                     inside[3] = {3 * i, 0.01, 1}, near[3] = {3 * i - 0.3, -0.15, 4};
        assert_true(rp_query_ray(query, above, down, INFINITY, RP_HIT_ANY, &hit));
        assert_int_equal(hit.kind, RP_HIT_BODY);
        assert_int_equal(hit.index, i);
        check_near(hit.distance, 2.5, 1e-6);
        check_near(hit.point[2], 1.5, 1e-6);
        if (i != 4) check_near(hit.normal[2], 1, 1e-6); /* the tip of the cone has none */
        assert_true(rp_query_ray(query, beside, across, INFINITY, RP_HIT_ANY, &hit));
        check_near(hit.distance, i == 3 ? 0.65 : i == 4 ? 0.65 : 0.4, 1e-6);
        assert_true(hit.normal[1] < -0.8);
        assert_true(rp_query_ray(query, inside, down, INFINITY, RP_HIT_ANY, &hit));
        assert_true(hit.distance == 0);
        /* Where a slanting ray ends, the distance to the surface is zero. */
        assert_true(rp_query_ray(query, near, slant, INFINITY, RP_HIT_BODY, &hit));
        const rp_body_spec *spec = &rp_scene_bodies(scene)[i];
        rp_vec3 at = rp_pose_to_local(spec->pose, rp_v3_from(hit.point));
        check_near(rp_shape_distance(&spec->shape, at, NULL), 0, 1e-6);
        assert_true(rp_query_ray(query, above, down, INFINITY, RP_HIT_WALL, &hit));
        assert_true(hit.kind == RP_HIT_WALL && hit.index == 4);
        check_near(hit.distance, 4, 1e-9);
        assert_false(rp_query_ray(query, above, down, 2.4, RP_HIT_ANY, &hit));
    }
    const double outside[3] = {0, -3, 4};
    assert_true(rp_query_ray(query, outside, across, INFINITY, RP_HIT_ANY, &hit));
    assert_int_equal(hit.index, 3); /* through the front wall from behind, to the back one */
    assert_false(rp_query_ray(query, outside, (double[3]){0, 0, 0}, 1, RP_HIT_ANY, &hit));
    assert_false(rp_query_ray(query, outside, across, NAN, RP_HIT_ANY, &hit));
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A mesh gives the same with its BVH and without. */
static void a_mesh_is_met_with_and_without_its_tree(void **state)
{
    (void)state;
    rp_shape ball = {.kind = RP_SHAPE_SPHERE, .radius = 0.5};
    rp_mesh *mesh = NULL, *plain = NULL;
    check_ok(rp_shape_tessellate(&ball, 40, 1, &mesh, NULL), NULL);
    check_ok(rp_shape_tessellate(&ball, 40, 1, &plain, NULL), NULL);
    check_ok(rp_mesh_prepare(mesh, 0, NULL, NULL), NULL);
    const rp_shape quick = {.kind = RP_SHAPE_MESH, .mesh = mesh},
                   slow = {.kind = RP_SHAPE_MESH, .mesh = plain};
    uint64_t seed = 5;
    for (int n = 0; n < 200; n++) {
        rp_vec3 from = rp_v3(2 * unit(&seed) - 1, 2 * unit(&seed) - 1, 2 * unit(&seed) - 1);
        rp_vec3 way =
            rp_v3_normalized(rp_v3(unit(&seed) - 0.5, unit(&seed) - 0.5, unit(&seed) - 0.5));
        rp_geom_ray ray = {from, way, n % 2 ? 0.7 : INFINITY};
        double first = 0, second = 0;
        rp_vec3 normal;
        bool met = rp_shape_ray(&quick, &ray, &first, &normal);
        assert_int_equal(met, rp_shape_ray(&slow, &ray, &second, &normal));
        assert_true(!met || first == second);
    }
    rp_mesh_destroy(mesh);
    rp_mesh_destroy(plain);
}

/* Of a world it is made once for each state, and follows it. */
static void a_world_has_a_query_of_its_present_view(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_world *world = world_of(scene, 1);
    for (int n = 0; n < 5; n++) {
        const rp_query *query, *again;
        rp_query *own = NULL;
        rp_view view;
        run_world(world, 0.05 * n);
        rp_world_view(world, &view);
        check_ok(rp_world_query(world, &query, NULL), NULL);
        check_ok(rp_world_query(world, &again, NULL), NULL);
        assert_ptr_equal(query, again);
        check_ok(rp_query_create(scene, &view, &own, NULL), NULL);
        const double low[3] = {-9, -9, -9}, high[3] = {9, 9, 9}, from[3] = {0, 0.01, 2.9};
        rp_ray_hit first = {0}, second = {0};
        assert_int_equal(rp_query_box(query, low, high, NULL, 0), view.count);
        const double unknown[3] = {NAN, NAN, NAN};
        assert_int_equal(rp_query_box(query, unknown, high, NULL, 0), 0);
        assert_int_equal(rp_query_box(query, high, low, NULL, 0), 0);
        for (int i = 0; i < 50; i++) {
            const double way[3] = {0.02 * (i % 7) - 0.06, 0.03 * (i % 5) - 0.06, -1};
            bool met = rp_query_ray(query, from, way, INFINITY, RP_HIT_ANY, &first);
            assert_int_equal(met, rp_query_ray(own, from, way, INFINITY, RP_HIT_ANY, &second));
            assert_memory_equal(&first, &second, sizeof first);
        }
        rp_query_destroy(own);
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void an_empty_view_has_nothing(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(OPEN);
    rp_view view = {.spacing = 0.02};
    rp_query *query = NULL;
    const double p[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    double number;
    rp_ray_hit hit;
    check_ok(rp_query_create(scene, &view, &query, NULL), NULL);
    assert_int_equal(rp_query_ball(query, p, 1, NULL, 0), 0);
    assert_true(rp_query_nearest(query, p, &number) == SIZE_MAX && number == INFINITY);
    assert_false(rp_query_height(query, 0, 0, 1, &number));
    assert_false(rp_query_ray(query, p, up, INFINITY, RP_HIT_ANY, &hit));
    rp_query_destroy(query);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_those_of_a_plain_search),
        cmocka_unit_test(rays_meet_the_first_grain),
        cmocka_unit_test(rays_meet_solids),
        cmocka_unit_test(a_mesh_is_met_with_and_without_its_tree),
        cmocka_unit_test(a_world_has_a_query_of_its_present_view),
        cmocka_unit_test(an_empty_view_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
