/* Grids in other programs' formats, parsed back by hand. */
#include "record/fixture.h"

#include "export/export.h"

typedef struct run {
    rp_report *report;
    rp_scene *scene;
    rp_record *record;
    test_grains grains;
} run;

static void begin_run(run *r, void **state)
{
    r->report = rp_report_create();
    r->scene = test_scene("");
    test_grains_make(&r->grains, 3, 0.48);
    check_ok(rp_record_create(in_folder(state, "run"), r->scene, 1, &r->record, r->report),
             r->report);
}

static void end_run(run *r)
{
    rp_record_close(r->record);
    test_grains_free(&r->grains);
    rp_scene_destroy(r->scene);
    rp_report_destroy(r->report);
}

static rp_code export_grids(run *r, int64_t number, const char *format)
{
    rp_export_options options = rp_default_export_options();
    options.format = format;
    options.grains = options.bodies = false;
    return rp_record_export(r->record, number, &r->grains.view, &options, r->report);
}

static char *read_export(void **state, const char *name, size_t *size)
{
    char path[256];
    snprintf(path, sizeof path, "run/export/%s", name);
    return read_whole(in_folder(state, path), size);
}

static void image_data_hold_the_values(void **state)
{
    run r;
    begin_run(&r, state);
    check_ok(export_grids(&r, 7, "vtp"), r.report);
    r.grains.view.time = 0.5;
    check_ok(export_grids(&r, 9, "vtp"), r.report);
    assert_int_equal(count_files(in_folder(state, "run/export")), 6);
    size_t size;
    char *text = read_export(state, "grid-water-content-000007.vti", &size);
    assert_non_null(strstr(text, "type=\"ImageData\""));
    assert_non_null(strstr(text, "WholeExtent=\"0 1 0 2 0 4\" Origin=\"1 2 -3\" "
                                 "Spacing=\"0.5 0.25 0.125\""));
    assert_non_null(strstr(text, ">0.47999999999999998<"));
    const char *data = strchr(strstr(text, "<AppendedData"), '_') + 1;
    uint64_t bytes;
    memcpy(&bytes, data, sizeof bytes);
    assert_int_equal(bytes, TEST_NODES * sizeof(float));
    assert_memory_equal(data + sizeof bytes, r.grains.nodes, bytes);
    rp_release(text, size + 1);
    text = read_export(state, "grid-height.pvd", &size);
    assert_non_null(strstr(text, "timestep=\"0.47999999999999998\" part=\"0\" "
                                 "file=\"grid-height-000007.vti\""));
    assert_non_null(strstr(text, "timestep=\"0.5\" part=\"0\" file=\"grid-height-000009.vti\""));
    rp_release(text, size + 1);
    end_run(&r);
}

static void height_fields_become_meshes(void **state)
{
    run r;
    begin_run(&r, state);
    check_ok(export_grids(&r, 7, "ply"), r.report);
    assert_int_equal(count_files(in_folder(state, "run/export")), 1);
    size_t size;
    char *text = read_export(state, "grid-height-000007.ply", &size);
    assert_non_null(strstr(text, "element vertex 15\n"));
    assert_non_null(strstr(text, "element face 16\n"));
    const char *data = strstr(text, "end_header\n") + strlen("end_header\n");
    assert_int_equal(data + 15 * 12 + 16 * 13 - text, size);
    float point[3];
    memcpy(point, data + 6 * 12, sizeof point); /* node (1, 1) */
    check_near((double)point[0], -0.15, 1e-6);
    check_near((double)point[1], 1.0 / 3 + 0.2, 1e-6);
    check_near((double)point[2], 0.5 + 1.0 / 9, 1e-6);
    rp_release(text, size + 1);
    end_run(&r);
}

static void tables_have_a_row_per_node(void **state)
{
    run r;
    begin_run(&r, state);
    check_ok(export_grids(&r, 7, "csv"), r.report);
    size_t size;
    char *text = read_export(state, "grid-water-content-000007.csv", &size);
    assert_non_null(strstr(text, "Px,Py,Pz,water-content\n1,2,-3,0.33333334\n1.5,2,-3,0.25\n"));
    int rows = 0;
    for (const char *c = text; *c; c++)
        rows += *c == '\n';
    assert_int_equal(rows, 1 + TEST_NODES);
    rp_release(text, size + 1);
    end_run(&r);
}

/* USD files have none: said where nothing else is asked for, and left out beside grains. */
static void usd_leaves_grids_out(void **state)
{
    run r;
    begin_run(&r, state);
    assert_int_equal(export_grids(&r, 7, "usda"), RP_ERROR_UNSUPPORTED);
    check_fault(r.report, RP_ERROR_UNSUPPORTED, "vtp, ply or csv");
    check_ok(test_export(r.record, 7, &r.grains.view, "usda", NULL, r.report), r.report);
    r.grains.grids[0].name = "a/b";
    assert_int_equal(export_grids(&r, 7, "csv"), RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "name");
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(image_data_hold_the_values, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(height_fields_become_meshes, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(tables_have_a_row_per_node, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(usd_leaves_grids_out, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
