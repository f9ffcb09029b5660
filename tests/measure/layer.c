/* Volume, velocity and front of layers that are known. */
#include "measure/piles.h"

#include "base/memory.h"
#include "base/report.h"
#include "measure/measure.h"

#include <string.h>

#define D PILE_SPACING
#define MOST 20000

static rp_material_spec sand = {.density = 1600, .grain_density = 2500};
static rp_scene scene = {.gravity = {0, 0, -9.81}, .materials = {&sand, 1}};

/* Grains of one spacing cubed each, with masses and velocities. */
typedef struct layer_of {
    pile p;
    float mass[MOST], v[3][MOST];
    uint8_t material[MOST];
} layer_of;

static layer_of *made(void)
{
    return calloc(1, sizeof(layer_of));
}

static void finish(layer_of *l)
{
    rp_view *view = &l->p.view;
    view->x = l->p.x, view->y = l->p.y, view->z = l->p.z, view->spacing = D;
    assert_true(view->count <= MOST);
    for (size_t i = 0; i < view->count; i++)
        l->mass[i] = (float)(1600 * D * D * D);
    view->mass = l->mass, view->material = l->material;
    view->vx = l->v[0], view->vy = l->v[1], view->vz = l->v[2];
}

static void drop(layer_of *l)
{
    pile_free(&l->p);
    free(l);
}

/* nx by ny by nz grains with a corner at the origin; a wedge gets thinner along x, to nothing: of
 * its uppermost layer so many grains are there by chance that the mean thickness is right. */
static layer_of *box(int nx, int ny, int nz, bool wedge)
{
    layer_of *l = made();
    uint64_t draw = 0;
    for (int x = 0; x < nx; x++)
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++) {
                double chance = pile_chance(7, draw++, 0);
                if (!wedge || z + chance < nz * (1 - (x + 0.5) / nx))
                    pile_add(&l->p, (x + 0.5) * D, (y + 0.5) * D, (z + 0.5) * D);
            }
    finish(l);
    return l;
}

static void a_slab_is_as_thick_as_it_is(void **state)
{
    (void)state;
    layer_of *l = box(30, 12, 4, false);
    rp_measure_options options = rp_default_measure_options();
    rp_table table;
    options.along = 0;
    assert_int_equal(rp_measure_volume_profile(&l->p.view, &scene, &options, &table, NULL), RP_OK);
    double volume = 0;
    assert_string_equal(table.columns[0].name, "x");
    assert_in_range(table.rows, 30, 31);
    for (size_t i = 0; i < table.rows; i++) {
        const double *row = table.values + 4 * i;
        volume += row[RP_VOLUME_VOLUME];
        if (i < 30) check_near(row[RP_VOLUME_THICKNESS], 4 * D, 0.05 * D);
        if (i < 30) check_near(row[RP_VOLUME_PLACE], ((double)i + 0.5) * D, 1e-4 * D);
    }
    check_near(volume, 30 * 12 * 4 * D * D * D, 1e-6 * volume);
    rp_table_release(&table);
    /* between 5 and 15 spacings only */
    options.region_low[0] = 5 * D, options.region_high[0] = 15 * D;
    options.region_low[1] = 0, options.region_high[1] = 12 * D;
    assert_int_equal(rp_measure_volume_profile(&l->p.view, &scene, &options, &table, NULL), RP_OK);
    assert_in_range(table.rows, 10, 11);
    rp_table_release(&table);
    drop(l);
}

static void fronts_are_found(void **state)
{
    (void)state;
    rp_measure_options options = rp_default_measure_options();
    rp_front f;
    options.along = 0;
    layer_of *l = box(30, 12, 4, false);
    assert_int_equal(rp_measure_front(&l->p.view, &scene, &options, &f, NULL), RP_OK);
    check_near(f.front, 30 * D, 0.7 * D);
    check_near(f.back, 0, 0.7 * D);
    check_near(f.farthest, 29.5 * D, 1e-4 * D);
    check_near(f.rearmost, 0.5 * D, 1e-4 * D);
    drop(l);
    l = box(60, 40, 12, true);
    assert_int_equal(rp_measure_front(&l->p.view, &scene, &options, &f, NULL), RP_OK);
    check_near(f.front, 60 * D, 1.5 * D);
    assert_true(f.uncertainty < 2 * D);
    drop(l);
}

/* A cone; single grains around it that nothing connects to it do not move its front. */
static void what_flies_is_no_front(void **state)
{
    (void)state;
    rp_measure_options options = rp_default_measure_options();
    rp_front f;
    layer_of *l = made();
    for (int x = -25; x < 25; x++)
        for (int y = -25; y < 25; y++)
            for (int z = 0; z < 12; z++) {
                double r = sqrt((x + 0.5) * (x + 0.5) + (y + 0.5) * (y + 0.5));
                if (z + 0.5 < 12 * (1 - r / 24))
                    pile_add(&l->p, (x + 0.5) * D, (y + 0.5) * D, z * D);
            }
    for (int i = 0; i < 8; i++)
        pile_add(&l->p, 60 * D * cos(i), 60 * D * sin(i), 3 * i * D);
    finish(l);
    options.centre[0] = options.centre[1] = 0;
    assert_int_equal(rp_measure_front(&l->p.view, &scene, &options, &f, NULL), RP_OK);
    check_near(f.front, 24 * D, 1.5 * D);
    assert_true(f.farthest > 22 * D && f.farthest < 26 * D);
    assert_true(isnan(f.back) && isnan(f.rearmost));
    rp_table table;
    assert_int_equal(rp_measure_volume_profile(&l->p.view, &scene, &options, &table, NULL), RP_OK);
    for (size_t i = 3; i < 20; i++)
        check_near(table.values[4 * i + RP_VOLUME_THICKNESS],
                   12 * D * (1 - table.values[4 * i] / (24 * D)), 0.6 * D);
    rp_table_release(&table);
    drop(l);
}

/* Simple shear: vx = 3 z; fluctuations of 0.5 m/s along y. */
static void velocities_are_those_of_the_layer(void **state)
{
    (void)state;
    layer_of *l = box(20, 20, 10, false);
    for (size_t i = 0; i < l->p.view.count; i++) {
        l->v[0][i] = 3 * l->p.z[i];
        l->v[1][i] = i / 10 % 2 ? 0.5f : -0.5f;
    }
    rp_measure_options options = rp_default_measure_options();
    rp_table table;
    assert_int_equal(rp_measure_velocity_profile(&l->p.view, &scene, &options, &table, NULL),
                     RP_OK);
    assert_string_equal(table.columns[0].name, "z");
    assert_in_range(table.rows, 10, 11);
    for (size_t i = 0; i < 10; i++) {
        const double *row = table.values + 8 * i;
        check_near(row[RP_VELOCITY_X], 3 * row[RP_VELOCITY_PLACE], 1e-5);
        check_near(row[RP_VELOCITY_Z], 0, 0);
        check_near(row[RP_VELOCITY_SPREAD], 0.5, 1e-3);
        check_near(row[RP_VELOCITY_DENSITY], 1600, 1);
        check_near(row[RP_VELOCITY_FRACTION], 0.64, 1e-3);
        check_near(row[RP_VELOCITY_GRAINS], 400, 1);
    }
    rp_table_release(&table);
    drop(l);
}

static void nothing_is_a_reason(void **state)
{
    (void)state;
    layer_of *l = box(5, 5, 5, false);
    rp_measure_options options = rp_default_measure_options();
    rp_report *report = rp_report_create();
    rp_front f;
    for (int a = 0; a < 3; a++)
        options.region_low[a] = 9, options.region_high[a] = 10;
    assert_int_equal(rp_measure_front(&l->p.view, &scene, &options, &f, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "no grains in this region"));
    assert_true(isnan(f.front));
    l->p.view.mass = NULL; /* fine grains */
    assert_int_equal(rp_measure_front(&l->p.view, &scene, &options, &f, report),
                     RP_ERROR_UNSUPPORTED);
    rp_report_destroy(report);
    drop(l);
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slab_is_as_thick_as_it_is),
        cmocka_unit_test(fronts_are_found),
        cmocka_unit_test(what_flies_is_no_front),
        cmocka_unit_test(velocities_are_those_of_the_layer),
        cmocka_unit_test(nothing_is_a_reason),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
