/* Frames: what is written is read back bit for bit, and equal views give equal files. */
#include "fixture.h"

#include "view/view.h"

static void check_grids_equal(const rp_grid *a, const rp_grid *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->unit, b->unit);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->material, b->material);
    assert_memory_equal(a->size, b->size, sizeof a->size);
    assert_memory_equal(a->spacing, b->spacing, sizeof a->spacing);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
    size_t count = a->size[0] * a->size[1] * a->size[2];
    assert_memory_equal(a->values, b->values, count * sizeof *a->values);
}

static void check_views_equal(const rp_view *a, const rp_view *b)
{
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_memory_equal(&a->dt, &b->dt, sizeof a->dt);
    assert_memory_equal(&a->spacing, &b->spacing, sizeof a->spacing);
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->field_count, b->field_count);
    for (int i = 0; i < a->field_count; i++) {
        const rp_field *left = &a->fields[i], *right = &b->fields[i];
        assert_string_equal(left->name, right->name);
        assert_string_equal(left->unit, right->unit);
        assert_int_equal(left->type, right->type);
        if (a->count)
            assert_memory_equal(left->data, right->data, a->count * rp_field_type_size(left->type));
    }
    assert_int_equal(a->body_count, b->body_count);
    assert_memory_equal(a->bodies, b->bodies, (size_t)a->body_count * sizeof *a->bodies);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_true(!a->contacts == !b->contacts);
    if (a->contact_count)
        assert_memory_equal(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts);
    assert_int_equal(a->grid_count, b->grid_count);
    for (int i = 0; i < a->grid_count; i++)
        check_grids_equal(&a->grids[i], &b->grids[i]);
}

static void check_standard_pointers(const rp_view *view)
{
    const void *const pointers[] = {view->x,        view->y,  view->z,        view->vx,
                                    view->vy,       view->vz, view->mass,     view->density,
                                    view->pressure, view->id, view->material, view->asleep,
                                    view->moisture};
    for (int i = 0; i < 13; i++)
        assert_ptr_equal(pointers[i], view->fields[i].data);
    assert_ptr_equal(rp_view_field(view, "density")->data, view->density);
}

typedef enum { WITH_CONTACTS, NO_CONTACTS, CONTACTS_UNKNOWN } contacts_of;

static void round_trip_with(void **state, size_t count, const char *more, contacts_of contacts)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene(more);
    test_grains grains;
    test_grains_make(&grains, count, 0.48);
    if (contacts != WITH_CONTACTS) grains.view.contact_count = 0;
    if (contacts == CONTACTS_UNKNOWN) grains.view.contacts = NULL;
    rp_record *record;
    rp_frame_file *frame;
    check_ok(rp_record_create(in_folder(state, "run"), scene, 3, &record, report), report);
    check_ok(rp_record_write_frame(record, 12, &grains.view, report), report);
    check_ok(rp_series_read(rp_record_series(record, RP_SERIES_COARSE), 12, &frame, report),
             report);
    check_views_equal(&grains.view, rp_frame_view(frame));
    check_standard_pointers(rp_frame_view(frame));
    rp_frame_close(frame);
    assert_int_equal(count_files(in_folder(state, "run/frames")), 1);
    rp_record_close(record);
    test_grains_free(&grains);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void round_trip(void **state, size_t count, const char *more)
{
    round_trip_with(state, count, more, WITH_CONTACTS);
}

/* Every member of a contact is stored, once. */
static void the_parts_are_the_whole_contact(void **state)
{
    (void)state;
    size_t end = 0;
    for (int i = 0; i < RP_CONTACT_PARTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        size_t bytes = rp_field_type_size(part->type);
        assert_int_equal(part->offset, (end + bytes - 1) / bytes * bytes);
        assert_memory_equal(part->path, "contacts/", strlen("contacts/"));
        assert_string_equal(rp_contact_part_name(part), part->path + strlen("contacts/"));
        end = part->offset + part->width * bytes;
    }
    assert_int_equal(end, sizeof(rp_contact));
}

/* A view with zero contacts, as in free fall, differs from one whose contacts were not recorded. */
static void frames_without_contacts_come_back(void **state)
{
    size_t before = rp_memory_now().bytes;
    round_trip_with(state, 20, "output: {compress: 0}\n", NO_CONTACTS);
    drop_folder(state);
    make_folder(state);
    round_trip_with(state, 20, "output: {compress: 4}\n", NO_CONTACTS);
    drop_folder(state);
    make_folder(state);
    round_trip_with(state, 20, "output: {compress: 0}\n", CONTACTS_UNKNOWN);
    assert_int_equal(rp_memory_now().bytes, before);
}

static void frames_come_back_bit_for_bit(void **state)
{
    size_t before = rp_memory_now().bytes;
    round_trip(state, 1000, "output: {compress: 0}\n");
    assert_int_equal(rp_memory_now().bytes, before);
}

static void compressed_frames_come_back(void **state)
{
    round_trip(state, 100000, "output: {compress: 4}\n");
}

static void a_frame_without_grains_comes_back(void **state)
{
    round_trip(state, 0, "output: {compress: 0}\n");
}

static void an_empty_compressed_frame_comes_back(void **state)
{
    round_trip(state, 0, "output: {compress: 4}\n");
}

static void equal_views_give_equal_files(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    test_grains grains;
    test_grains_make(&grains, 333, 0.1);
    char *files[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        rp_record *record;
        check_ok(rp_record_create(in_folder(state, i ? "b" : "a"), scene, 1, &record, report),
                 report);
        check_ok(rp_record_write_frame(record, 3, &grains.view, report), report);
        rp_record_close(record);
        files[i] = read_whole(in_folder(state, i ? "b/frames/000003.h5" : "a/frames/000003.h5"),
                              &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    for (int i = 0; i < 2; i++)
        rp_release(files[i], sizes[i] + 1);
    test_grains_free(&grains);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

/* A method may do without the optional fields of the schema; all others must be there. */
static void fields_of_the_schema_may_be_left_out(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        test_grains grains;
        test_grains_make(&grains, 10, 0);
        grains.view.field_count = 0;
        rp_view_set_data(&grains.view, column, NULL);
        rp_code code = rp_record_write_frame(record, i, &grains.view, report);
        rp_frame_file *frame = NULL;
        if (column->optional) {
            check_ok(code, report);
            check_ok(rp_series_read(rp_record_series(record, RP_SERIES_COARSE), i, &frame, report),
                     report);
            assert_null(rp_view_data(rp_frame_view(frame), column));
            assert_null(rp_view_field(rp_frame_view(frame), column->name));
            assert_int_equal(rp_frame_view(frame)->field_count, RP_VIEW_FIELDS - 1);
        } else {
            assert_int_equal(code, RP_ERROR_INPUT);
            check_fault(report, RP_ERROR_INPUT, column->name);
        }
        rp_frame_close(frame);
        test_grains_free(&grains);
    }
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

/* What a frame could not be read back from is not written. */
static void impossible_grids_are_refused(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    float nodes[TEST_NODES] = {0};
    nodes[7] = NAN;
    rp_grid wrong[9];
    static const char *const words[9] = {"name",     "name",      "size",    "layer",  "spacing",
                                         "material", "no values", "value 7", "another"};
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
    for (int i = 0; i < 9; i++) {
        test_grains grains;
        test_grains_make(&grains, 10, 0);
        for (int k = 0; k < 9; k++)
            wrong[k] = grains.grids[0];
        wrong[0].name = "../up";
        wrong[1].name = "";
        wrong[2].size[1] = 0;
        wrong[3].size[2] = 2;
        wrong[4].spacing[0] = -1;
        wrong[5].material = 1;
        wrong[6].values = NULL;
        wrong[7].values = nodes;
        wrong[8].name = "water-content";
        grains.grids[0] = wrong[i];
        rp_code expected = i == 7 ? RP_ERROR_NUMERIC : RP_ERROR_INPUT;
        assert_int_equal(rp_record_write_frame(record, 0, &grains.view, report), expected);
        check_fault(report, expected, words[i]);
        test_grains_free(&grains);
    }
    assert_int_equal(rp_series_count(rp_record_series(record, RP_SERIES_COARSE)), 0);
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void other_bodies_are_refused(void **state)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    test_grains grains;
    test_grains_make(&grains, 10, 0);
    rp_record *record;
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
    grains.view.body_count = 1;
    rp_code code = rp_record_write_frame(record, 0, &grains.view, report);
    assert_int_equal(code, RP_ERROR_INPUT);
    check_fault(report, RP_ERROR_INPUT, "bodies");
    assert_int_equal(rp_record_write_frame(record, -1, &grains.view, report), RP_ERROR_INPUT);
    rp_record_close(record);
    test_grains_free(&grains);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_are_the_whole_contact),
        cmocka_unit_test_setup_teardown(frames_without_contacts_come_back, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(frames_come_back_bit_for_bit, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(compressed_frames_come_back, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_frame_without_grains_comes_back, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(an_empty_compressed_frame_comes_back, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(equal_views_give_equal_files, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(fields_of_the_schema_may_be_left_out, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(impossible_grids_are_refused, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(other_bodies_are_refused, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
