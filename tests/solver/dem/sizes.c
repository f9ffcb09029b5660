/* Grains of very different sizes: entries are those that a search of all pairs of spheres finds,
 * and forces, threads and memory are as they are for equal grains. */
#include "solver/grains.h"

#include "base/random.h"

/* Grains placed by hand somewhere in a box, small ones and some large; they may overlap a little.
 * Nothing moves: lists are what is looked at. */
static grains cloud_of(double ratio, const char *shape, bool periodic, bool wet, int threads)
{
    double small = 0.004, large = small * ratio, edge = 2.6 * large + 0.05;
    return grains_of(
        threads,
        "gravity: [0, 0, 0]\nparticles: {spacing: %.9g, jitter: 0.1, packing: lattice}\n"
        "domain: {low: [0, 0, 0], high: [%.9g, %.9g, %.9g], periodic: %s}\n"
        "materials: {sand: {young: 1e6}, stone: {young: 1e6}}\n"
        "grains: {s: {shape: %s, diameter: %.9g, spread: 0.1, material: sand}, l: {shape: %s, "
        "diameter: %.9g, material: stone}}\n"
        "solver: {method: dem, overlap_most: 2}\n"
        "sources:\n"
        "  l: {shape: box, size: [%.9g, %.9g, %.9g], position: [%.9g, %.9g, %.9g], material: "
        "stone, moisture: %d}\n"
        "  s: {shape: box, size: [0.045, 0.045, 0.045], position: [0.025, 0.025, 0.025], material: "
        "sand, moisture: %d}\n",
        1.25 * small, edge, edge, edge, periodic ? "[x, y, z]" : "[]", shape, small, shape, large,
        1.2 * large, 1.2 * large, 1.2 * large, edge / 2, edge / 2, edge / 2, wet, wet);
}

/* Small grains on the surface of the large one and anywhere; with periods that one lies across all
 * sides. */
static void scatter(const grains *g, double ratio)
{
    rp_grains *p = &g->world->grains;
    double edge = g->scene->domain.high.x, large = 0.004 * ratio;
    double middle = g->scene->domain.periodic ? 0.02 * edge : edge / 2;
    for (size_t i = 0; i < p->count; i++) {
        rp_random4 r = rp_random(5, RP_RANDOM_TEST, i);
        rp_vec3 unit = rp_v3((double)rp_random_unit(r.bits[0]), (double)rp_random_unit(r.bits[1]),
                             (double)rp_random_unit(r.bits[2]));
        rp_vec3 direction = rp_v3_normalized(rp_v3_sub(unit, rp_v3(0.5, 0.5, 0.5)));
        rp_vec3 at = rp_v3_scale(unit, edge);
        bool is_large = ratio > 1 && (double)p->diameter[i] > 0.6 * large;
        double out = is_large ? 0 : large / 2 + 0.0015 + 2e-4 * (double)(i % 7);
        if (is_large || (ratio >= 10 && i % 3))
            at = rp_v3_madd(rp_v3(middle, middle, middle), out, direction);
        double inside[3] = {at.x, at.y, at.z};
        for (int a = 0; a < 3; a++)
            inside[a] -= edge * floor(inside[a] / edge);
        set_place(g, i, rp_v3(inside[0], inside[1], inside[2]));
    }
}

/* How often each pair of spheres is in the lists, as the first of the two has it. */
static uint8_t *count_listed(const rp_dem *solver)
{
    const rp_dem_lists *lists = &solver->lists;
    uint8_t *times = calloc(solver->spheres * solver->spheres, 1);
    assert_non_null(times);
    for (size_t n = 0; n < rp_dem_blocks(lists->grains); n++) {
        size_t base = rp_dem_first_sphere(solver, n * RP_DEM_BLOCK);
        for (size_t e = rp_dem_class_starts(lists, n)[0];
             e < rp_dem_class_starts(lists, n)[RP_DEM_CLASSES]; e++)
            times[(base + lists->own[e]) * solver->spheres + lists->other[e]]++;
    }
    return times;
}

/* Once within a block, once in each of two. */
static size_t check_pair(const rp_dem *solver, const uint8_t *times, size_t a, size_t b)
{
    const float *first = rp_dem_position(solver, a), *second = rp_dem_position(solver, b);
    double gap = (double)rp_dem_gap(solver, first, second) -
                 (double)rp_dem_bridge_length(solver, first, second);
    int there = times[a * solver->spheres + b], back = times[b * solver->spheres + a];
    if (fabs(gap - solver->skin) < 1e-7) return 0; /* either will do */
    bool same = rp_dem_owner(solver, a) / RP_DEM_BLOCK == rp_dem_owner(solver, b) / RP_DEM_BLOCK;
    int wanted = gap < solver->skin;
    assert_int_equal(there + back, same ? wanted : 2 * wanted);
    if (!same) assert_int_equal(there, back);
    return (size_t)wanted;
}

/* Every pair of spheres of two grains. */
static void check_entries(const grains *g)
{
    const rp_dem *solver = g->world->solver;
    uint8_t *times = count_listed(solver);
    size_t near = 0;
    for (size_t a = 0; a < solver->spheres; a++)
        for (size_t b = a + 1; b < solver->spheres; b++)
            if (rp_dem_owner(solver, a) != rp_dem_owner(solver, b))
                near += check_pair(solver, times, a, b);
    assert_true(near > 8);
    free(times);
}

static void check_cloud(double ratio, const char *shape, bool periodic, bool wet)
{
    grains g = cloud_of(ratio, shape, periodic, wet, 2);
    scatter(&g, ratio);
    rp_report *report = rp_report_create();
    rp_dem *solver = g.world->solver;
    solver->dt = 1e-9;
    check_ok(rp_dem_build_lists(solver, report), report);
    if (ratio != 3) assert_true(solver->multilevel == (ratio > 3));
    if (!solver->single) rp_dem_fill_rows(solver);
    check_entries(&g);
    rp_report_destroy(report);
    grains_end(&g);
}

static const double ratios[] = {1, 3, 10, 30, 90};

static void spheres_find_all_they_may_touch(void **state)
{
    (void)state;
    for (int r = 0; r < 5; r++)
        for (int periodic = 0; periodic < 2; periodic++)
            check_cloud(ratios[r], "sphere", periodic, r % 2);
}

/* A clump of spheres of two sizes, a tenth of each other. */
#define CLUMP "spheres, spheres: [{radius: 1}, {position: [1.05, 0, 0], radius: 0.1}]"

static void clumps_find_all_they_may_touch(void **state)
{
    (void)state;
    for (int r = 0; r < 5; r++) {
        check_cloud(ratios[r], "dimer", r % 2, r / 2 % 2);
        check_cloud(ratios[r], CLUMP, !(r % 2), false);
    }
}

/* --- a large ball that falls into small ones ---------------------------------------------------
 */

static grains fall_of(int threads)
{
    return grains_of(
        threads, "particles: {spacing: 4.5 mm, jitter: 0.1}\n"
                 "domain: {low: [0, 0, 0], high: [0.09, 0.09, 0.5], periodic: [x, y]}\n"
                 "materials: {sand: {young: 1e6}, stone: {young: 1e6}}\n"
                 "grains: {s: {shape: sphere, diameter: 4 mm, material: sand}, l: {shape: "
                 "sphere, diameter: 4 cm, material: stone}}\n"
                 "solver: {method: dem}\n"
                 "sources:\n"
                 "  s: {shape: box, size: [0.09, 0.09, 0.045], position: [0.045, 0.045, 0.0225], "
                 "material: sand}\n"
                 "  l: {shape: box, size: [0.05, 0.05, 0.05], position: [0.045, 0.045, 0.07], "
                 "material: stone, velocity: [0.1, 0, -0.5]}\n");
}

static uint64_t hash_of(const grains *g)
{
    const rp_grains *p = &g->world->grains;
    uint64_t hash = rp_hash(p->x, p->count * sizeof *p->x, 0);
    hash = rp_hash(p->z, p->count * sizeof *p->z, hash);
    return rp_hash(p->id, p->count * sizeof *p->id, hash);
}

static uint64_t hash_of_fall(int threads)
{
    grains g = fall_of(threads);
    assert_true(((const rp_dem *)g.world->solver)->multilevel);
    run_world(g.world, 0.03);
    assert_true(((const rp_dem *)g.world->solver)->rebuilds > 5);
    uint64_t hash = hash_of(&g);
    grains_end(&g);
    return hash;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t one = hash_of_fall(1);
    assert_true(hash_of_fall(2) == one);
    assert_true(hash_of_fall(3) == one);
}

/* Also where lists are built again. */
static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    grains g = fall_of(2);
    run_world(g.world, 0.03);
    uint64_t calls = 0, rebuilds = ((const rp_dem *)g.world->solver)->rebuilds;
    for (int n = 0; n < 40; n++) {
        if (n % 5 == 0) ((rp_dem *)g.world->solver)->displacement = HUGE_VAL;
        check_ok(rp_world_step(g.world, NULL), NULL);
        if (n == 9) calls = rp_memory_now().calls;
    }
    assert_true(((const rp_dem *)g.world->solver)->rebuilds >= rebuilds + 8);
    assert_int_equal(rp_memory_now().calls - calls, 0);
    grains_end(&g);
}

/* At rest the ball is carried by many contacts, none is lost when lists are built again, and the
 * sum of their upward forces is its weight. */
static void many_small_grains_carry_a_large_one(void **state)
{
    (void)state;
    grains g = fall_of(2);
    run_world(g.world, 0.3);
    const rp_grains *p = &g.world->grains;
    size_t ball = 0;
    while ((double)p->diameter[ball] < 0.03)
        ball++;
    check_near(rp_v3_length(velocity_at(&g, ball)), 0, 2e-3);
    assert_true(p->z[ball] > 0.02f && p->z[ball] < 0.06f);
    rp_report *report = rp_report_create();
    rp_view view;
    double up = 0, weight = (double)p->mass[ball] * 9.81;
    size_t count = 0;
    uint32_t id = p->id[ball];
    for (int lists = 0; lists < 2; lists++) {
        if (lists) ((rp_dem *)g.world->solver)->displacement = HUGE_VAL;
        grains_step(&g);
        up = 0, count = 0;
        check_ok(rp_world_contacts(g.world, &view, report), report);
        for (size_t n = 0; n < view.contact_count; n++) {
            const rp_contact *c = &view.contacts[n];
            if (c->first != id && (c->second != id || c->with != RP_WITH_GRAIN)) continue;
            double sign = c->first == id ? 1 : -1; /* on the first */
            up +=
                sign * ((double)c->shear_force[2] - (double)c->normal_force * (double)c->normal[2]);
            count++;
        }
        assert_true(count > 20);
        check_near(up / weight, 1, 0.1);
    }
    rp_report_destroy(report);
    grains_end(&g);
}

/* The step of the most loaded contact is that of its own mass: a heavy pair does not count as a
 * light one. */
static void large_contacts_do_not_shorten_the_step(void **state)
{
    (void)state;
    grains g = fall_of(1);
    rp_dem *solver = g.world->solver;
    const rp_grains *p = &g.world->grains;
    double light = INFINITY, heavy = 0, overlap = 1e-5;
    for (size_t i = 0; i < p->count; i++) {
        light = fmin(light, (double)p->mass[i]);
        heavy = fmax(heavy, (double)p->mass[i]);
    }
    solver->max_load = 0;
    double free = rp_dem_limit_dt(solver).dt;
    solver->max_load = 0.01 * overlap * 4 / (heavy * heavy); /* two balls of 4 cm */
    check_near(rp_dem_limit_dt(solver).dt, free, 0);
    solver->max_load = 0.001 * overlap * 4 / (light * light); /* two of 4 mm */
    double loaded = rp_dem_limit_dt(solver).dt;
    double k = 1.5 * solver->stiffest * sqrt(0.001 * overlap);
    double wanted = RP_PI * sqrt(light / 2 / k) / solver->params.steps;
    check_near(loaded, fmin(free, wanted), 1e-6 * wanted);
    grains_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_find_all_they_may_touch),
        cmocka_unit_test(clumps_find_all_they_may_touch),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(many_small_grains_carry_a_large_one),
        cmocka_unit_test(large_contacts_do_not_shorten_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
