/* Periodic boundaries: ghosts give every grain the neighbors that a search over all images finds.
 */
#include "neighbor/cloud.h"

#define LAYERS 8

static bool same_ghost(const rp_grains *p, size_t ghost, const uint32_t *source, uint32_t from,
                       const float at[3])
{
    return source[ghost] == from && p->x[ghost] == at[0] && p->y[ghost] == at[1] &&
           p->z[ghost] == at[2];
}

/* For grain i: every image of every grain within the radius is in the list, once, and nothing else.
 */
static void check_grain(const rp_grains *p, const rp_lists *lists, const uint32_t *source,
                        const rp_period *period, size_t i, double radius)
{
    const double length[3] = {period->high.x - period->low.x, period->high.y - period->low.y,
                              period->high.z - period->low.z};
    int reach[3];
    size_t found = 0;
    for (int a = 0; a < 3; a++)
        reach[a] = period->axes >> a & 1 ? LAYERS : 0;
    for (uint32_t j = 0; j < p->count; j++)
        for (int c = -reach[2]; c <= reach[2]; c++)
            for (int b = -reach[1]; b <= reach[1]; b++)
                for (int a = -reach[0]; a <= reach[0]; a++) {
                    const float at[3] = {a ? (float)(p->x[j] + a * length[0]) : p->x[j],
                                         b ? (float)(p->y[j] + b * length[1]) : p->y[j],
                                         c ? (float)(p->z[j] + c * length[2]) : p->z[j]};
                    bool self = j == i && !a && !b && !c;
                    if (self || !cloud_near(p->x[i], p->y[i], p->z[i], at[0], at[1], at[2], radius))
                        continue;
                    found++;
                    int times = 0;
                    for (uint32_t n = 0; n < lists->count[i]; n++)
                        times += same_ghost(p, lists->index[lists->start[i] + n], source, j, at);
                    assert_int_equal(times, 1);
                }
    assert_int_equal(lists->count[i], found);
}

static void check_period(const rp_period *period, size_t count, double radius, size_t stride)
{
    rp_threads *threads;
    rp_neighbor *neighbor;
    rp_lists lists = {0};
    rp_grains p;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    cloud_cube(&p, count, 5, -1.5f, 3); /* some outside the period: sorting wraps them */
    check_ok(rp_threads_create(2, &threads, NULL), NULL);
    check_ok(rp_neighbor_create(threads, period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, radius, NULL), NULL);
    check_ok(rp_neighbor_ghosts(neighbor, &p, radius, NULL), NULL);
    check_ok(rp_neighbor_lists(neighbor, &p, radius, &lists, NULL), NULL);
    /* Own grain of every grain and ghost, through the fields that follow along. */
    uint32_t *source = malloc((p.count + p.ghosts) * sizeof *source);
    uint32_t *own_of_id = calloc(p.next_id, sizeof *own_of_id);
    for (uint32_t i = 0; i < p.count; i++)
        own_of_id[p.id[i]] = i;
    for (size_t i = 0; i < p.count + p.ghosts; i++)
        source[i] = own_of_id[p.id[i]];
    for (size_t i = 0; i < p.count; i += stride)
        check_grain(&p, &lists, source, period, i, radius);
    free(source);
    free(own_of_id);
    rp_lists_end(&lists);
    rp_neighbor_destroy(neighbor);
    rp_threads_destroy(threads);
    rp_grains_end(&p);
}

static void neighbors_across_one_two_and_three_axes(void **state)
{
    (void)state;
    for (unsigned axes = 1; axes <= 7; axes++) {
        rp_period period = {axes, {-1, -0.9, -0.8}, {1, 1.1, 1.3}};
        check_period(&period, 400, 0.4, 17);
    }
}

static void periods_shorter_than_the_radius(void **state)
{
    (void)state;
    rp_period thin = {5, {0.1, 0, -0.05}, {0.3, 0, 0.1}};
    check_period(&thin, 60, 0.5, 7);
    rp_period dot = {7, {0, 0, 0}, {0.1, 0.11, 0.12}};
    check_period(&dot, 5, 0.3, 1);
    rp_period far_away = {1, {1000, 0, 0}, {1000.7, 0, 0}};
    check_period(&far_away, 100, 0.35, 5);
}

static void wrapped_grains_are_inside(void **state)
{
    (void)state;
    rp_period period = {7, {-0.1, 0.1, 1000.1}, {0.2, 0.3, 1000.3}};
    rp_neighbor *neighbor;
    rp_grains p;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    cloud_cube(&p, 5000, 9, -5, 10);
    for (size_t i = 0; i < 100; i++) {
        p.x[i] = nextafterf(-0.1f, i % 2 ? -1 : 1);
        p.y[i] = (float)(0.1 + 0.2 * (double)(i / 10));
        p.z[i] = i % 2 ? 3e38f : -1e12f;
    }
    check_ok(rp_neighbor_create(NULL, &period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.05, NULL), NULL);
    for (size_t i = 0; i < p.count; i++) {
        assert_true(p.x[i] >= period.low.x && p.x[i] < period.high.x);
        assert_true(p.y[i] >= period.low.y && p.y[i] < period.high.y);
        assert_true(p.z[i] >= period.low.z && p.z[i] < period.high.z);
    }
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

static void values_of_every_type_are_synced(void **state)
{
    (void)state;
    rp_period period = {3, {0, 0, 0}, {1, 1, 1}};
    rp_neighbor *neighbor;
    rp_grains p;
    double *heat;
    uint16_t *flags;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    rp_grains_add_field(&p, "heat", "J", RP_F64, RP_FIELD_GHOST, (void **)&heat, NULL);
    rp_grains_add_field(&p, "flags", "", RP_U16, 0, (void **)&flags, NULL);
    cloud_cube(&p, 3000, 9, 0, 1);
    check_ok(rp_neighbor_create(NULL, &period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.1, NULL), NULL);
    for (size_t i = 0; i < p.count; i++) {
        heat[i] = p.id[i];
        flags[i] = (uint16_t)p.id[i];
        p.material[i] = (uint8_t)p.id[i];
    }
    check_ok(rp_neighbor_ghosts(neighbor, &p, 0.1, NULL), NULL);
    assert_true(p.ghosts > 1000);
    rp_neighbor_sync(neighbor, &p, flags, sizeof *flags);
    for (size_t i = p.count; i < p.count + p.ghosts; i++) {
        assert_true(heat[i] == p.id[i] && flags[i] == p.id[i]);
        assert_int_equal(p.material[i], (uint8_t)p.id[i]);
    }
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

static void two_tables_keep_their_ghosts_apart(void **state)
{
    (void)state;
    rp_period period = {7, {0, 0, 0}, {1, 1, 1}};
    rp_neighbor *neighbor;
    rp_grains a, b;
    check_ok(rp_grains_begin(&a, NULL), NULL);
    check_ok(rp_grains_begin(&b, NULL), NULL);
    cloud_cube(&a, 2000, 3, 0, 1);
    cloud_cube(&b, 900, 4, 0, 1);
    check_ok(rp_neighbor_create(NULL, &period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_ghosts(neighbor, &a, 0.2, NULL), NULL);
    check_ok(rp_neighbor_ghosts(neighbor, &b, 0.1, NULL), NULL);
    for (size_t i = 0; i < a.count; i++)
        a.pressure[i] = (float)a.id[i];
    rp_neighbor_sync(neighbor, &a, a.pressure, sizeof *a.pressure);
    for (size_t i = 0; i < a.count + a.ghosts; i++)
        assert_true(a.pressure[i] == (float)a.id[i]);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&a);
    rp_grains_end(&b);
}

/* Grains move by powers of two, so that sums are exact. */
static void ghosts_move_along_with_their_grains(void **state)
{
    (void)state;
    rp_period period = {7, {0, 0, 0}, {1, 1, 1}};
    rp_neighbor *neighbor;
    rp_grains p;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    cloud_cube(&p, 500, 3, 0, 1);
    for (size_t i = 0; i < p.count; i++)
        p.x[i] = floorf(p.x[i] * 256) / 256;
    check_ok(rp_neighbor_create(NULL, &period, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_ghosts(neighbor, &p, 0.2, NULL), NULL);
    float *before = malloc((p.count + p.ghosts) * sizeof *before);
    memcpy(before, p.x, (p.count + p.ghosts) * sizeof *before);
    rp_neighbor_ghosts_detach(&p);
    for (size_t i = 0; i < p.count; i++)
        p.x[i] += i % 2 ? 0.25f : -0.5f;
    rp_neighbor_ghosts_attach(&p);
    for (size_t i = 0; i < p.count + p.ghosts; i++) {
        uint32_t own = rp_neighbor_own(&p, (uint32_t)i);
        assert_int_equal(p.id[own], p.id[i]);
        assert_true(i >= p.count || own == i);
        assert_true(p.x[i] - before[i] == (own % 2 ? 0.25f : -0.5f));
    }
    free(before);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

static void shake(rp_grains *p, uint64_t seed)
{
    for (size_t i = 0; i < p->count; i++) {
        p->x[i] += 0.2f * (cloud_unit(seed, p->id[i], 0) - 0.5f);
        p->y[i] += 0.2f * (cloud_unit(seed, p->id[i], 1) - 0.5f);
        p->mass[i] = (float)p->id[i];
    }
}

/* Ghosts without fields are where those with fields are, and grains are the same through sorting,
 * growing and more ghosts than before. */
static void bare_ghosts_are_places(void **state)
{
    (void)state;
    rp_period period = {7, {0, 0, 0}, {1, 1, 1}};
    rp_neighbor *neighbor;
    rp_grains full, bare;
    check_ok(rp_grains_begin(&full, NULL), NULL);
    check_ok(rp_grains_begin(&bare, NULL), NULL);
    bare.bare_ghosts = true;
    check_ok(rp_neighbor_create(NULL, &period, &neighbor, NULL), NULL);
    for (uint64_t step = 0; step < 6; step++) {
        rp_grains *tables[] = {&full, &bare};
        for (int t = 0; t < 2; t++) {
            cloud_cube(tables[t], 500, step, 0, 1);
            shake(tables[t], step);
            check_ok(rp_neighbor_sort(neighbor, tables[t], 0.1, NULL), NULL);
            check_ok(rp_neighbor_ghosts(neighbor, tables[t], 0.1 + 0.05 * (double)step, NULL),
                     NULL);
        }
        size_t all = full.count + full.ghosts;
        assert_true(bare.count == full.count && bare.ghosts == full.ghosts && full.ghosts > 0);
        assert_memory_equal(bare.x, full.x, all * sizeof *full.x);
        assert_memory_equal(bare.y, full.y, all * sizeof *full.y);
        assert_memory_equal(bare.z, full.z, all * sizeof *full.z);
        assert_memory_equal(bare.id, full.id, full.count * sizeof *full.id);
        assert_memory_equal(bare.mass, full.mass, full.count * sizeof *full.mass);
    }
    assert_true(bare.capacity < bare.count + bare.ghosts);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&full);
    rp_grains_end(&bare);
}

static void absurd_periods_are_refused(void **state)
{
    (void)state;
    rp_neighbor *neighbor;
    rp_period empty = {1, {1, 0, 0}, {1, 0, 0}};
    assert_int_equal(rp_neighbor_create(NULL, &empty, &neighbor, NULL), RP_ERROR_INPUT);
    rp_period endless = {4, {0, 0, 0}, {0, 0, INFINITY}};
    assert_int_equal(rp_neighbor_create(NULL, &endless, &neighbor, NULL), RP_ERROR_INPUT);
    assert_null(neighbor);
    rp_period tiny = {1, {0, 0, 0}, {1e-3, 0, 0}};
    rp_grains p;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    check_ok(rp_neighbor_create(NULL, &tiny, &neighbor, NULL), NULL);
    assert_int_equal(rp_neighbor_ghosts(neighbor, &p, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_neighbor_ghosts(neighbor, &p, NAN, NULL), RP_ERROR_INPUT);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbors_across_one_two_and_three_axes),
        cmocka_unit_test(periods_shorter_than_the_radius),
        cmocka_unit_test(wrapped_grains_are_inside),
        cmocka_unit_test(values_of_every_type_are_synced),
        cmocka_unit_test(ghosts_move_along_with_their_grains),
        cmocka_unit_test(two_tables_keep_their_ghosts_apart),
        cmocka_unit_test(bare_ghosts_are_places),
        cmocka_unit_test(absurd_periods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
