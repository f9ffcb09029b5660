/* Pair gradients in 16 bits: what comes back is what was rounded, whatever the number of pairs. */
#include "check.h"

#include "base/random.h"
#include "solver/sph/gradient.h"

#define MOST (2 * RP_SPH_PIECE)
#define ROOM (3 * MOST + 2 * RP_WIDE)
#define UNTOUCHED 0x5a5a

/* A gradient in quanta, up to the steepest. */
static float drawn(uint64_t round, uint32_t pair, uint32_t axis)
{
    float unit = (float)rp_random_unit(rp_random(round, pair, axis).bits[0]);
    return (2 * unit - 1) * RP_SPH_STEPS * RP_SPH_STEP;
}

/* Keeps `count` gradients of a round, or their reverse. */
RP_WIDE_INLINE void keep(uint64_t round, float sign, uint32_t count, int16_t *to)
{
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        rp_wide g[3];
        for (uint32_t k = 0; k < RP_WIDE; k++)
            for (uint32_t a = 0; a < 3; a++)
                g[a][k] = sign * drawn(round, n + k, a);
        rp_sph_keep_group(to + 3 * n, g, count - n);
    }
}

static void gradients_come_back_rounded(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RP_SPH_PIECE; count++) {
        int16_t kept[ROOM], reverse[ROOM];
        for (int n = 0; n < ROOM; n++)
            kept[n] = UNTOUCHED;
        keep(count, 1, count, kept);
        keep(count, -1, count, reverse);
        for (int n = 3 * (int)count; n < ROOM; n++)
            assert_int_equal(kept[n], UNTOUCHED);
        rp_sph_piece g, back;
        rp_sph_take_piece(kept, count, &g);
        rp_sph_take_piece(reverse, count, &back);
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

/* What sums are made of is what is kept. */
static void rounding_is_that_of_what_is_kept(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 1000; round++) {
        int16_t kept[3 * RP_WIDE + 2 * RP_WIDE];
        rp_sph_piece piece;
        rp_wide g[3];
        for (uint32_t k = 0; k < RP_WIDE; k++)
            for (uint32_t a = 0; a < 3; a++)
                g[a][k] = drawn(round, k, a);
        rp_sph_keep_group(kept, g, RP_WIDE);
        rp_sph_take_piece(kept, RP_WIDE, &piece);
        rp_wide x = rp_sph_whole(g[0]), y = rp_sph_whole(g[1]), z = rp_sph_whole(g[2]);
        for (int k = 0; k < RP_WIDE; k++)
            assert_true(piece.x[k] == x[k] && piece.y[k] == y[k] && piece.z[k] == z[k]);
    }
}

/* The steepest place of the kernel is as many steps as fit. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_come_back_rounded),
        cmocka_unit_test(rounding_is_that_of_what_is_kept),
        cmocka_unit_test(no_gradient_is_too_steep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
