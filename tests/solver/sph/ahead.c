/* Granular SPH: what the sweeps read beside stresses and velocities. */
#include "solver/sand.h"
#include "solver/sph/sph.h"
#include "world/world.h"

/* A bed on a floor, some blocks large, in the middle of a step: nobody is moved apart. */
#define BED_SCENE                                                                                  \
    "particles: {spacing: 2 cm, jitter: 0.2}\n"                                                    \
    "domain: {low: [0, 0, 0], high: [0.3, 0.3, 5], periodic: [x], open: [top]}\n"                  \
    "solver: {squeeze: 10}\n"                                                                      \
    "sources: {bed: {shape: box, size: [0.3, 0.3, 0.3], position: [0.15, 0.15, 0.15]}}\n"

static void errors_go_with_velocities(void **state)
{
    (void)state;
    sand s = sand_of(BED_SCENE);
    sand_step(&s);
    const rp_sph_work *w = &((const rp_sph *)s.world->solver)->work;
    size_t touching = 0, wrong = 0;
    for (size_t b = 0; b < w->blocks; b++)
        touching += w->contact_end[b] - w->contact_start[b];
    for (size_t i = 0; i < s.view.count; i++)
        wrong += w->velocity[i][RP_SPH_ERROR] != w->free[i][RP_SPH_ERROR];
    assert_true(touching > 200);
    assert_int_equal(wrong, 0);
    sand_end(&s);
}

/* Rows outside of a block that its pairs lead to, against its list; gives how many they are. */
static size_t check_outside(const rp_sph *solver, size_t block, uint8_t *met)
{
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    const rp_sph_outside *outside = &solver->work.outside[block];
    size_t all = p->count + p->ghosts, begin = block * RP_SPH_BLOCK, rows = 0;
    size_t end = begin + RP_SPH_BLOCK < p->count ? begin + RP_SPH_BLOCK : p->count;
    memset(met, 0, all + 1);
    for (size_t i = begin; i < end; i++)
        for (uint32_t n = 0; n < lists->count[i]; n++) {
            uint32_t row = lists->index[lists->start[i] + n] & ~1U;
            if (row / RP_SPH_BLOCK != block) met[row] = 1;
        }
    for (uint32_t n = 0; n < outside->count; n++) {
        assert_true(outside->row[n] < all && met[outside->row[n]]);
        met[outside->row[n]] = 2;
    }
    for (size_t row = 0; row < all; row++) {
        rows += met[row] != 0;
        if (outside->count < RP_SPH_OUTSIDE) assert_true(met[row] != 1);
    }
    return rows;
}

static void blocks_know_what_is_around_them(void **state)
{
    (void)state;
    sand s = sand_of(BED_SCENE);
    sand_step(&s);
    const rp_sph *solver = s.world->solver;
    const rp_grains *p = solver->host.grains;
    uint8_t *met = malloc(p->count + p->ghosts + 1);
    assert_non_null(met);
    size_t rows = 0, listed = 0;
    assert_true(solver->work.blocks > 10);
    for (size_t b = 0; b < solver->work.blocks; b++) {
        rows += check_outside(solver, b, met);
        listed += solver->work.outside[b].count;
    }
    /* Some twice, some left out: but few. */
    assert_true(rows > 200 * solver->work.blocks);
    assert_true(fabs((double)listed / (double)rows - 1) < 0.1);
    free(met);
    sand_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_go_with_velocities),
        cmocka_unit_test(blocks_know_what_is_around_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
