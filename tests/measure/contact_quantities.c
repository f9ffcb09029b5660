/* What `repose measure` shows of contacts: a block that carries a known load. */
#include "chains.h"
#include "check.h"

#include "base/memory.h"
#include "base/report.h"
#include "measure/measure.h"

#define SIDE 12
#define LAYERS 16
#define LOAD 72.0f /* N */
#define EDGE (SIDE * (double)CHAINS_SPACING)

static const rp_measure_kind *kind_of(const char *name)
{
    const rp_measure_kind *kind = rp_measure_find(name);
    assert_non_null(kind);
    assert_true(kind->of_contacts);
    return kind;
}

static rp_scene box_scene(void)
{
    return (rp_scene){.gravity = {0, 0, -9.81},
                      .domain = {.low = {0, 0, 0}, .high = {EDGE, EDGE, 1}, .periodic = 3}};
}

static double number(const rp_measured *measured, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(measured[i].name, name) == 0) return measured[i].value;
    fail_msg("no number '%s'", name);
    return NAN;
}

static int take(const char *name, const rp_view *view, const rp_measure_options *options,
                rp_measured *out)
{
    rp_report *report = rp_report_create();
    rp_scene scene = box_scene();
    rp_measure_input in = {.view = view, .scene = &scene, .options = options};
    int count = 0;
    check_ok(kind_of(name)->take(&in, out, &count, report), report);
    rp_report_destroy(report);
    assert_in_range(count, 1, RP_MEASURED_MAX);
    return count;
}

static void fill(const char *name, const rp_view *view, rp_table *out)
{
    rp_report *report = rp_report_create();
    rp_scene scene = box_scene();
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input in = {.view = view, .scene = &scene, .options = &options};
    check_ok(kind_of(name)->fill(&in, out, report), report);
    rp_report_destroy(report);
}

/* Every layer hands down the whole load: in any slab zz is load over area. */
static void stress_carries_the_load(void **state)
{
    (void)state;
    chains *c = chains_make(SIDE, LAYERS, LOAD);
    rp_measured m[RP_MEASURED_MAX];
    for (int layer = 0; layer < LAYERS - 1; layer++) {
        rp_measure_options options = rp_default_measure_options();
        options.region_low[2] = chains_height((size_t)layer);
        options.region_high[2] = chains_height((size_t)layer + 1);
        int count = take("stress", &c->view, &options, m);
        check_near(number(m, count, "zz"), LOAD / (EDGE * EDGE), 0.5); /* of 5000 Pa */
        check_near(number(m, count, "xx") + number(m, count, "yy"), LOAD / (EDGE * EDGE), 0.5);
        check_near(number(m, count, "kinetic"), 0, 0);
        check_near(number(m, count, "volume"), EDGE * EDGE * 0.0070710678, 1e-8);
    }
    chains_free(c);
}

static void contacts_are_counted(void **state)
{
    (void)state;
    chains *c = chains_make(SIDE, LAYERS, LOAD);
    rp_measure_options options = rp_default_measure_options();
    rp_measured m[RP_MEASURED_MAX];
    int count = take("contacts", &c->view, &options, m);
    double between = 4.0 * SIDE * SIDE * (LAYERS - 1), grains = SIDE * SIDE * LAYERS;
    check_near(number(m, count, "grains"), grains, 0);
    check_near(number(m, count, "contacts"), between, 0);
    check_near(number(m, count, "with bodies"), SIDE * SIDE, 0);
    check_near(number(m, count, "coordination"), 2 * between / grains, 1e-12);
    double mean = LOAD * (LAYERS - 1) / between / sqrt(0.5);
    check_near(number(m, count, "mean force"), mean, 1e-5 * mean);
    assert_true(number(m, count, "force of these") > 0.6);
    count = take("fabric", &c->view, &options, m);
    check_near(number(m, count, "zz"), 0.5, 1e-6);
    check_near(number(m, count, "from upright"), 0, 0.1);
    check_near(number(m, count, "direction z"), 1, 1e-6);
    chains_free(c);
}

/* Parts of a load that is handed down at random have a broad distribution: the tail is flatter than
 * that of a Gaussian; frictionless contacts have no shear. */
static void forces_are_fitted(void **state)
{
    (void)state;
    chains *c = chains_make(24, 24, LOAD);
    rp_measure_options options = rp_default_measure_options();
    rp_measured m[RP_MEASURED_MAX];
    int count = take("forces", &c->view, &options, m);
    double n = number(m, count, "normal tail n"), shape = number(m, count, "normal gamma shape");
    assert_true(n > 0.2 && n < 1.5 && shape > 0.1 && shape < 1);
    check_near(number(m, count, "shear mean"), 0, 0);
    assert_true(isnan(number(m, count, "shear tail beta")));
    chains_free(c);
}

static void tables_add_up(void **state)
{
    (void)state;
    size_t before = rp_memory_now().bytes;
    chains *c = chains_make(SIDE, LAYERS, LOAD);
    double sum = 0, contacts = 4.0 * SIDE * SIDE * (LAYERS - 1);
    rp_table table;
    fill("force-distribution", &c->view, &table);
    for (size_t i = 0; i < table.rows; i++)
        sum += table.values[i * 7 + 3];
    assert_true(sum > 0.98 * contacts && sum <= contacts); /* some are beyond 12 means */
    rp_table_release(&table);

    fill("contact-angles", &c->view, &table);
    assert_int_equal(table.rows, 18);
    check_near(table.values[8 * 5 + 3] + table.values[9 * 5 + 3], contacts, 0); /* at 45 degrees */
    rp_table_release(&table);

    /* Nothing is nearer than half a spacing, and ways in the grid are not of all lengths. */
    fill("force-correlation", &c->view, &table);
    assert_true(table.rows > 10 && table.rows < 40);
    assert_true(table.values[1] > 0.4 && table.values[1] < 0.6);
    rp_table_release(&table);
    chains_free(c);
    assert_int_equal(rp_memory_now().bytes, before);
}

static void runs_without_contacts_say_what_to_do(void **state)
{
    (void)state;
    chains *c = chains_make(4, 4, LOAD);
    c->view.contacts = NULL;
    c->view.contact_count = 0;
    rp_scene scene = box_scene();
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input in = {.view = &c->view, .scene = &scene, .options = &options};
    int kinds = 0;
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        rp_report *report = rp_report_create();
        rp_measured m[RP_MEASURED_MAX];
        rp_table table;
        char text[512];
        int count;
        if (kind->of_contacts) {
            rp_code code =
                kind->take ? kind->take(&in, m, &count, report) : kind->fill(&in, &table, report);
            assert_int_equal(code, RP_ERROR_UNSUPPORTED);
            rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
            assert_non_null(strstr(text, "output: {contacts: yes}"));
            kinds++;
        }
        rp_report_destroy(report);
    }
    assert_int_equal(kinds, 7);
    chains_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_carries_the_load),
        cmocka_unit_test(contacts_are_counted),
        cmocka_unit_test(forces_are_fitted),
        cmocka_unit_test(tables_add_up),
        cmocka_unit_test(runs_without_contacts_say_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
