/* The shell keeps every grain near a surface and drops those deep inside. */
#include "check.h"

#include "render/shell.h"
#include "render/stage.h"

#define EDGE 20

static stage s;

static void build_cube(void)
{
    stage_clear(&s);
    s.view.spacing = 0.01;
    for (int k = 0; k < EDGE; k++)
        for (int j = 0; j < EDGE; j++)
            for (int i = 0; i < EDGE; i++)
                stage_add(&s, 0.01 * (i + 0.5), 0.01 * (j + 0.5), 0.01 * (k + 0.5), SAND);
}

static const rp_box3 bounds = {{0, 0, 0}, {0.01 * EDGE, 0.01 * EDGE, 0.01 * EDGE}};

static int layer(double x)
{
    int i = (int)(x / 0.01);
    return i < EDGE - 1 - i ? i : EDGE - 1 - i;
}

static void surfaces_stay_and_the_core_goes(void **state)
{
    (void)state;
    build_cube();
    rp_shell_wish all = {.bounds = bounds, .hide = true};
    rp_shell shell;
    assert_int_equal(rp_shell_find(&shell, &s.view, &all, NULL, NULL), RP_OK);
    static bool listed[STAGE_GRAINS];
    memset(listed, 0, sizeof listed);
    for (size_t i = 0; i < shell.count; i++)
        listed[shell.grains[i]] = true;
    for (size_t i = 0; i < s.view.count; i++) {
        int depth = layer((double)s.x[i]);
        depth = layer((double)s.y[i]) < depth ? layer((double)s.y[i]) : depth;
        depth = layer((double)s.z[i]) < depth ? layer((double)s.z[i]) : depth;
        if (depth < 4) assert_true(listed[i]);
        if (depth > 5) assert_false(listed[i]);
    }
    rp_shell_release(&shell);
}

static void all_stay_when_nothing_may_be_hidden(void **state)
{
    (void)state;
    build_cube();
    s.z[77] = NAN;
    rp_shell_wish all = {.bounds = bounds};
    rp_shell shell;
    assert_int_equal(rp_shell_find(&shell, &s.view, &all, NULL, NULL), RP_OK);
    assert_int_equal(shell.count, s.view.count - 1);
    rp_shell_release(&shell);
}

/* Outside the bounds nothing is known, so nothing is hidden there. */
static void grains_outside_the_bounds_stay(void **state)
{
    (void)state;
    build_cube();
    rp_shell_wish all = {.bounds = {{5, 5, 5}, {6, 6, 6}}, .hide = true};
    rp_shell shell;
    assert_int_equal(rp_shell_find(&shell, &s.view, &all, NULL, NULL), RP_OK);
    assert_int_equal(shell.count, s.view.count);
    rp_shell_release(&shell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_stay_and_the_core_goes),
        cmocka_unit_test(all_stay_when_nothing_may_be_hidden),
        cmocka_unit_test(grains_outside_the_bounds_stay),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
