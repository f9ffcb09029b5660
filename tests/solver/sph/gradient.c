/* Storage for the sweeps: pair gradients in 16 bits come back as they were rounded, whatever the
 * number of pairs; errors of the volume fraction beside velocities; halos for prefetching. */
#include "solver/sand.h"

#include "base/random.h"
#include "solver/sph/gradient.h"
#include "world/world.h"

#define MOST (2 * RP_SPH_CHUNK)
#define CAPACITY (3 * MOST + 2 * RP_WIDE)
#define UNTOUCHED 0x5a5a

/* A gradient in quanta, up to the steepest. */
static float drawn(uint64_t round, uint32_t pair, uint32_t axis)
{
    float unit = (float)rp_random_unit(rp_random(round, pair, axis).bits[0]);
    return (2 * unit - 1) * RP_SPH_STEPS * RP_SPH_STEP;
}

/* Stores `count` gradients of a round, or their reverse. */
RP_WIDE_INLINE void store(uint64_t round, float sign, uint32_t count, int16_t *to)
{
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        rp_wide g[3];
        for (uint32_t k = 0; k < RP_WIDE; k++)
            for (uint32_t a = 0; a < 3; a++)
                g[a][k] = sign * drawn(round, n + k, a);
        rp_sph_store_gradients(to + 3 * n, g, count - n);
    }
}

static void gradients_come_back_rounded(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RP_SPH_CHUNK; count++) {
        int16_t stored[CAPACITY], reverse[CAPACITY];
        for (int n = 0; n < CAPACITY; n++)
            stored[n] = UNTOUCHED;
        store(count, 1, count, stored);
        store(count, -1, count, reverse);
        for (int n = 3 * (int)count; n < CAPACITY; n++)
            assert_int_equal(stored[n], UNTOUCHED);
        rp_sph_chunk g, back;
        rp_sph_load_gradients(stored, count, &g);
        rp_sph_load_gradients(reverse, count, &back);
        for (uint32_t k = 0; k < count; k++) {
            const float got[3] = {g.x[k], g.y[k], g.z[k]};
            for (uint32_t a = 0; a < 3; a++) {
                float whole = drawn(count, k, a) / RP_SPH_STEP;
                assert_true(fabsf(got[a] / RP_SPH_STEP - whole) <= 0.5f);
                assert_true(fmodf(got[a], RP_SPH_STEP) == 0);
            }
            assert_true(g.x[k] == -back.x[k] && g.y[k] == -back.y[k] && g.z[k] == -back.z[k]);
        }
        for (uint32_t k = count; k % RP_WIDE; k++)
            assert_true(g.x[k] == 0 && g.y[k] == 0 && g.z[k] == 0);
    }
}

/* Sums use the values that are stored. */
static void quantized_values_are_the_stored_ones(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 1000; round++) {
        int16_t stored[3 * RP_WIDE + 2 * RP_WIDE];
        rp_sph_chunk chunk;
        rp_wide g[3];
        for (uint32_t k = 0; k < RP_WIDE; k++)
            for (uint32_t a = 0; a < 3; a++)
                g[a][k] = drawn(round, k, a);
        rp_sph_store_gradients(stored, g, RP_WIDE);
        rp_sph_load_gradients(stored, RP_WIDE, &chunk);
        rp_wide x = rp_sph_quantize(g[0]), y = rp_sph_quantize(g[1]), z = rp_sph_quantize(g[2]);
        for (int k = 0; k < RP_WIDE; k++)
            assert_true(chunk.x[k] == x[k] && chunk.y[k] == y[k] && chunk.z[k] == z[k]);
    }
}

/* The steepest gradient of the kernel nearly fills the 16 bits. */
static void no_gradient_is_too_steep(void **state)
{
    (void)state;
    const double spacing = 0.013, volume = spacing * spacing * spacing;
    rp_kernel kernel = rp_kernel_of(2 * spacing);
    float quantum = rp_sph_quantum(kernel, volume), most = 0;
    for (int n = 0; n <= 100000; n++) {
        float slope = rp_kernel_slope(kernel, kernel.support * (float)n / 100000);
        most = fmaxf(most, (float)volume * fabsf(slope) / (quantum * RP_SPH_STEP));
    }
    assert_true(most <= 32767 && most > 32750);
}

/* A bed on a floor, of several blocks, without separation of grains. */
#define BED_SCENE                                                                                  \
    "particles: {spacing: 2 cm, jitter: 0.2}\n"                                                    \
    "domain: {low: [0, 0, 0], high: [0.3, 0.3, 5], periodic: [x], open: [top]}\n"                  \
    "solver: {squeeze: 10}\n"                                                                      \
    "sources: {bed: {shape: box, size: [0.3, 0.3, 0.3], position: [0.15, 0.15, 0.15]}}\n"

static void errors_accompany_velocities(void **state)
{
    (void)state;
    sand s = sand_of(BED_SCENE);
    sand_step(&s);
    const rp_sph_work *w = &((const rp_sph *)s.world->solver)->work;
    size_t touching = 0, wrong = 0;
    for (size_t b = 0; b < w->blocks; b++)
        touching += w->contact_end[b] - w->contact_start[b];
    for (size_t i = 0; i < s.view.count; i++)
        wrong +=
            w->velocity[i][RP_SPH_FRACTION_ERROR] != w->free_velocity[i][RP_SPH_FRACTION_ERROR];
    assert_true(touching > 200);
    assert_int_equal(wrong, 0);
    sand_end(&s);
}

/* Checks the halo of a block against its pairs; returns the number of its rows. */
static size_t check_halo(const rp_sph *solver, size_t block, uint8_t *met)
{
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    const rp_sph_halo *halo = &solver->work.halo[block];
    size_t all = p->count + p->ghosts, begin = block * RP_SPH_BLOCK, rows = 0;
    size_t end = begin + RP_SPH_BLOCK < p->count ? begin + RP_SPH_BLOCK : p->count;
    memset(met, 0, all + 1);
    for (size_t i = begin; i < end; i++)
        for (uint32_t n = 0; n < lists->count[i]; n++) {
            uint32_t row = lists->index[lists->start[i] + n] & ~1U;
            if (row / RP_SPH_BLOCK != block) met[row] = 1;
        }
    for (uint32_t n = 0; n < halo->count; n++) {
        assert_true(halo->row[n] < all && met[halo->row[n]]);
        met[halo->row[n]] = 2;
    }
    for (size_t row = 0; row < all; row++) {
        rows += met[row] != 0;
        if (halo->count < RP_SPH_HALO_ROWS) assert_true(met[row] != 1);
    }
    return rows;
}

static void halos_hold_the_rows_of_pairs(void **state)
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
        rows += check_halo(solver, b, met);
        listed += solver->work.halo[b].count;
    }
    /* Few rows are listed twice or left out. */
    assert_true(rows > 200 * solver->work.blocks);
    assert_true(fabs((double)listed / (double)rows - 1) < 0.1);
    free(met);
    sand_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_come_back_rounded),
        cmocka_unit_test(quantized_values_are_the_stored_ones),
        cmocka_unit_test(no_gradient_is_too_steep),
        cmocka_unit_test(errors_accompany_velocities),
        cmocka_unit_test(halos_hold_the_rows_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
