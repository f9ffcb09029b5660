/* Contacts in the formats of other programs: what is written reads back as the same bits. */
#include "record/fixture.h"

static rp_code export_contacts(rp_record *record, const rp_view *view, const char *format,
                               const char *folder, rp_report *report)
{
    rp_export_options options = rp_default_export_options();
    options.format = format;
    options.folder = folder;
    options.grains = options.bodies = options.grids = false;
    options.contacts = true;
    return rp_record_export(record, 4, view, &options, report);
}

static rp_record *make_record(void **state, rp_scene *scene)
{
    rp_record *record;
    assert_int_equal(rp_record_create(in_folder(state, "run"), scene, 1, &record, NULL), RP_OK);
    return record;
}

static const char *next(const char *text, double expected)
{
    char *end;
    double value = strtod(text, &end);
    assert_true((float)value == (float)expected);
    return end + (*end == ',' || *end == '\n');
}

static void tables_read_back_as_the_same(void **state)
{
    rp_scene *scene = test_scene("");
    rp_record *record = make_record(state, scene);
    test_grains grains;
    test_grains_make(&grains, 6, 0);
    size_t size;
    assert_int_equal(export_contacts(record, &grains.view, "csv", NULL, NULL), RP_OK);
    assert_int_equal(count_files(in_folder(state, "run/export")), 1);
    char *text = read_whole(in_folder(state, "run/export/contacts-000004.csv"), &size);
    const char head[] = "first,second,with,position_x,position_y,position_z,normal_x,normal_y,"
                        "normal_z,normal_force,shear_force_x,shear_force_y,shear_force_z,branch_x,"
                        "branch_y,branch_z,overlap\n";
    assert_memory_equal(text, head, strlen(head));
    const char *at = text + strlen(head);
    for (int i = 0; i < TEST_CONTACTS; i++) {
        const rp_contact *c = &grains.contacts[i];
        char *end;
        assert_int_equal(strtoull(at, &end, 10), c->first);
        assert_int_equal(strtoull(end + 1, &end, 10), c->second);
        assert_int_equal(strtoull(end + 1, &end, 10), c->with);
        at = end + 1;
        const float *values = c->position; /* and all that lies behind */
        for (size_t k = 0; k < (sizeof *c - offsetof(rp_contact, position)) / 4; k++)
            at = next(at, (double)values[k]);
    }
    assert_int_equal(*at, 0);
    rp_release(text, size + 1);
    test_grains_free(&grains);
    rp_record_close(record);
    rp_scene_destroy(scene);
}

/* The bytes behind the underscore: each array with its length, in the order of the head. */
static void lines_go_from_middle_to_middle(void **state)
{
    rp_scene *scene = test_scene("");
    rp_record *record = make_record(state, scene);
    test_grains grains;
    test_grains_make(&grains, 6, 0);
    grains.contacts[2].first = grains.view.id[3];
    size_t size;
    assert_int_equal(export_contacts(record, &grains.view, "vtp", NULL, NULL), RP_OK);
    assert_true(exists(in_folder(state, "run/export/contacts.pvd")));
    char *text = read_whole(in_folder(state, "run/export/contacts-000004.vtp"), &size);
    assert_non_null(strstr(text, "NumberOfPoints=\"10\" NumberOfVerts=\"0\" NumberOfLines=\"5\""));
    const char *mark = "encoding=\"raw\">\n_", *points = strstr(text, mark) + strlen(mark);
    size_t before = TEST_CONTACTS * (4 + 4 + 1 + 12 + 12 + 4 + 12 + 12 + 4) + 9 * 8 + 8;
    float line[6];
    memcpy(line, points + before + 2 * sizeof line, sizeof line);
    assert_true(line[0] == grains.view.x[3] && line[2] == grains.view.z[3]);
    assert_true(line[4] == grains.view.y[3] + grains.contacts[2].branch[1]);
    /* The first contact's grain is not there: half of the branch lies on each side of its point. */
    const rp_contact *lost = &grains.contacts[0];
    memcpy(line, points + before, sizeof line);
    check_near((line[0] + line[3]) / 2, lost->position[0], 1e-6);
    check_near(line[3] - line[0], lost->branch[0], 1e-6);
    rp_release(text, size + 1);
    test_grains_free(&grains);
    rp_record_close(record);
    rp_scene_destroy(scene);
}

static void what_cannot_be_written_is_refused(void **state)
{
    rp_scene *scene = test_scene("");
    rp_record *record = make_record(state, scene);
    rp_report *report = rp_report_create();
    test_grains grains;
    test_grains_make(&grains, 6, 0);
    assert_int_equal(export_contacts(record, &grains.view, "ply", NULL, report),
                     RP_ERROR_UNSUPPORTED);
    check_fault(report, RP_ERROR_UNSUPPORTED, "vtp or csv");
    grains.view.contact_count = 0;
    check_ok(export_contacts(record, &grains.view, "csv", NULL, report), report);
    check_ok(export_contacts(record, &grains.view, "vtp", NULL, report), report);
    grains.view.contacts = NULL;
    assert_int_equal(export_contacts(record, &grains.view, "csv", NULL, report),
                     RP_ERROR_UNSUPPORTED);
    check_fault(report, RP_ERROR_UNSUPPORTED, "output: {contacts: yes}");
    rp_report_destroy(report);
    test_grains_free(&grains);
    rp_record_close(record);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_read_back_as_the_same, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(lines_go_from_middle_to_middle, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_refused, make_folder,
                                        drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
