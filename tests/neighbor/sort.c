/* Cell order: a stable permutation that brings the grains of a cell together. */
#include "neighbor/cloud.h"

#define COUNT 50000

static void begin_cloud(rp_grains *p, size_t count, float *mark)
{
    check_ok(rp_grains_begin(p, NULL), NULL);
    cloud_cube(p, count, 1, -1, 2);
    for (size_t i = 0; i < count; i++)
        p->mass[i] = mark[i] = p->x[i] + 2 * p->y[i];
}

/* All grains are there once, and whole. */
static void check_permutation(const rp_grains *p, const float *mark)
{
    uint8_t *seen = calloc(p->count, 1);
    for (size_t i = 0; i < p->count; i++) {
        assert_true(p->id[i] < p->count && !seen[p->id[i]]);
        seen[p->id[i]] = 1;
        assert_true(p->mass[i] == mark[p->id[i]]);
    }
    free(seen);
}

static long cell_of(float x, double edge)
{
    return lround(floor(x / edge));
}

/* Grains of a cell follow each other in the order they had; `edge` is the edge of a cell. */
static void check_cells(const rp_grains *p, double edge, size_t *cells)
{
    size_t changes = 1;
    for (size_t i = 1; i < p->count; i++) {
        bool same = cell_of(p->x[i], edge) == cell_of(p->x[i - 1], edge) &&
                    cell_of(p->y[i], edge) == cell_of(p->y[i - 1], edge) &&
                    cell_of(p->z[i], edge) == cell_of(p->z[i - 1], edge);
        if (same) assert_true(p->id[i] > p->id[i - 1]);
        changes += !same;
    }
    *cells = changes;
}

static void cells_are_together_and_stable(void **state)
{
    (void)state;
    static float mark[COUNT];
    const double cells[] = {0.5, 0.11, 0.02};
    const size_t occupied[] = {4 * 4 * 4, 20 * 20 * 20, COUNT};
    for (int c = 0; c < 3; c++)
        for (int threads = 1; threads <= 4; threads *= 2) {
            rp_threads *pool;
            rp_neighbor *neighbor;
            rp_grains p;
            begin_cloud(&p, COUNT, mark);
            check_ok(rp_threads_create(threads, &pool, NULL), NULL);
            check_ok(rp_neighbor_create(pool, NULL, &neighbor, NULL), NULL);
            check_ok(rp_neighbor_sort(neighbor, &p, cells[c], NULL), NULL);
            check_permutation(&p, mark);
            size_t found;
            check_cells(&p, cells[c] * (1 + 1e-5), &found);
            assert_true(found <= occupied[c]);
            rp_neighbor_destroy(neighbor);
            rp_threads_destroy(pool);
            rp_grains_end(&p);
        }
}

static void a_second_sort_changes_nothing(void **state)
{
    (void)state;
    static float mark[COUNT];
    static uint32_t ids[COUNT];
    rp_neighbor *neighbor;
    rp_grains p;
    begin_cloud(&p, COUNT, mark);
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.1, NULL), NULL);
    memcpy(ids, p.id, sizeof ids);
    check_ok(rp_neighbor_sort(neighbor, &p, 0.1, NULL), NULL);
    assert_memory_equal(ids, p.id, sizeof ids);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

static void lost_grains_survive(void **state)
{
    (void)state;
    static float mark[2000];
    rp_neighbor *neighbor;
    rp_grains p;
    rp_period period = {7, {-1, -1, -1}, {1, 1, 1}};
    const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e9f};
    for (int periodic = 0; periodic < 2; periodic++) {
        begin_cloud(&p, 2000, mark);
        for (int i = 0; i < 6; i++)
            p.x[i * 100] = p.y[i * 100 + 1] = p.z[i * 100 + 2] = odd[i];
        check_ok(rp_neighbor_create(NULL, periodic ? &period : NULL, &neighbor, NULL), NULL);
        check_ok(rp_neighbor_sort(neighbor, &p, 0.01, NULL), NULL);
        check_permutation(&p, mark);
        check_ok(rp_neighbor_ghosts(neighbor, &p, 0.1, NULL), NULL);
        rp_neighbor_destroy(neighbor);
        rp_grains_end(&p);
    }
}

static void absurd_cells_are_refused(void **state)
{
    (void)state;
    rp_neighbor *neighbor;
    rp_grains p;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    check_ok(rp_neighbor_create(NULL, NULL, &neighbor, NULL), NULL);
    check_ok(rp_neighbor_sort(neighbor, &p, 1, NULL), NULL);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        assert_int_equal(rp_neighbor_sort(neighbor, &p, bad[i], NULL), RP_ERROR_INPUT);
    rp_neighbor_destroy(neighbor);
    rp_grains_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_together_and_stable),
        cmocka_unit_test(a_second_sort_changes_nothing),
        cmocka_unit_test(lost_grains_survive),
        cmocka_unit_test(absurd_cells_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
