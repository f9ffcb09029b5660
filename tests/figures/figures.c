/* Every kind of measurement that has a figure of its own says so, draws it and names its axes; all
 * others say that they have none. */
#include "measure/piles.h"

#include "base/memory.h"
#include "base/report.h"
#include "measure/measure.h"
#include "plot/plot.h"
#include "repose/figures.h"

#include <string.h>

static const rp_scene down = {.gravity = {0, 0, -9.81}};

static void kinds_without_a_figure_say_so(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_figure *figure = rp_figure_create("", "", "");
    const rp_view none = {0};
    rp_measure_input in = {.view = &none, .scene = &down};
    int own = 0;
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        own += rp_measure_has_figure(kind->name);
        assert_true(rp_measure_has_figure(kind->name) ||
                    kind->take); /* a table is drawn here or nowhere */
        if (rp_measure_has_figure(kind->name)) continue;
        assert_int_equal(rp_measure_draw(kind->name, &in, figure, report), RP_ERROR_UNSUPPORTED);
    }
    assert_int_equal(own, 8);
    assert_int_equal(rp_figure_series(figure), 0);
    rp_figure_destroy(figure);
    rp_report_destroy(report);
}

static char *script_of(const char *kind, const pile *p, size_t *size)
{
    rp_report *report = rp_report_create();
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input in = {.view = &p->view, .scene = &down, .options = &options};
    rp_figure *figure = rp_figure_create("", "", "");
    char *script;
    check_ok(rp_measure_draw(kind, &in, figure, report), report);
    assert_true(rp_figure_series(figure) > 0);
    check_ok(rp_figure_script(figure, false, &script, size, report), report);
    rp_figure_destroy(figure);
    rp_report_destroy(report);
    return script;
}

static void a_pile_is_drawn_with_its_flank(void **state)
{
    (void)state;
    pile p = pile_make(
        (pile_def){.degrees = 30, .grains = 20000, .packing = PACKING_JITTER, .centre = {1, 2, 0}});
    size_t angle_size, profile_size;
    char *angle = script_of("angle", &p, &angle_size);
    char *profile = script_of("height-profile", &p, &profile_size);
    assert_non_null(strstr(angle, "Angle of the pile: "));
    assert_non_null(strstr(angle, "fitted flank"));
    assert_non_null(strstr(profile, "distance from the axis [m]"));
    rp_release(angle, angle_size + 1);
    rp_release(profile, profile_size + 1);
    pile_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_without_a_figure_say_so),
        cmocka_unit_test(a_pile_is_drawn_with_its_flank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
