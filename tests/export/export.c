/* Exports: parsed back by hand, value for value. */
#include "record/fixture.h"

#include "document/words.h"
#include "export/export.h"

#include <locale.h>

typedef struct run {
    rp_report *report;
    rp_scene *scene;
    rp_record *record;
    test_grains grains;
} run;

static void begin_run(run *r, void **state, size_t count)
{
    r->report = rp_report_create();
    r->scene = test_scene("");
    test_grains_make(&r->grains, count, 0.48);
    r->grains.view.grid_count = 0; /* those are in export/grids.c */
    check_ok(rp_record_create(in_folder(state, "run"), r->scene, 1, &r->record, r->report),
             r->report);
}

static void export(run *r, int64_t number, const char *format)
{
    check_ok(test_export(r->record, number, &r->grains.view, format, NULL, r->report), r->report);
}

static void end_run(run *r)
{
    rp_record_close(r->record);
    test_grains_free(&r->grains);
    rp_scene_destroy(r->scene);
    rp_report_destroy(r->report);
}

/* The appended array of that name, and its length in bytes. */
static const char *vtp_array(const char *file, const char *name, uint64_t *bytes)
{
    char mark[128];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char *tag = strstr(file, mark);
    assert_non_null(tag);
    unsigned long long offset;
    assert_int_equal(sscanf(strstr(tag, "offset=\""), "offset=\"%llu\"", &offset), 1);
    const char *appended = strstr(file, "<AppendedData encoding=\"raw\">");
    const char *start = strchr(appended, '_') + 1 + offset;
    memcpy(bytes, start, sizeof *bytes);
    return start + sizeof *bytes;
}

static void check_vector(const char *found, const float *x, const float *y, const float *z,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float expected[3] = {x[i], y[i], z[i]};
        assert_memory_equal(found + i * sizeof expected, expected, sizeof expected);
    }
}

static void check_vtp_cells(const char *file, size_t count)
{
    uint64_t bytes;
    const char *numbers = vtp_array(file, "connectivity", &bytes);
    assert_int_equal(bytes, 4 * count);
    for (size_t i = 0; i < count; i++) {
        int32_t number;
        memcpy(&number, numbers + 4 * i, sizeof number);
        assert_int_equal(number, i);
    }
    const char *ends = vtp_array(file, "offsets", &bytes);
    int32_t end = 0;
    memcpy(&end, ends, bytes);
    assert_int_equal(bytes, count ? 4 : 0);
    assert_int_equal(end, count);
    assert_string_equal(ends + bytes, "\n  </AppendedData>\n</VTKFile>\n");
}

static void check_vtp(void **state, size_t count)
{
    run r;
    begin_run(&r, state, count);
    export(&r, 12, "vtp");
    size_t size;
    uint64_t bytes;
    char *file = read_whole(in_folder(state, "run/export/grains-000012.vtp"), &size);
    const rp_view *v = &r.grains.view;
    const char *points = vtp_array(file, "position", &bytes);
    assert_int_equal(bytes, 12 * count);
    check_vector(points, v->x, v->y, v->z, count);
    check_vector(vtp_array(file, "velocity", &bytes), v->vx, v->vy, v->vz, count);
    check_vector(vtp_array(file, "normal", &bytes), v->fields[13].data, v->fields[14].data,
                 v->fields[15].data, count);
    for (int i = 6; i < TEST_FIELDS; i += i == 12 ? 4 : 1) {
        const char *found = vtp_array(file, v->fields[i].name, &bytes);
        assert_int_equal(bytes, count * rp_field_type_size(v->fields[i].type));
        if (bytes) assert_memory_equal(found, v->fields[i].data, bytes);
    }
    check_vtp_cells(file, count);
    assert_non_null(strstr(file, "format=\"ascii\">0.47999999999999998<"));
    rp_release(file, size + 1);
    end_run(&r);
}

static void vtp_holds_every_field(void **state)
{
    check_vtp(state, 5000);
}

static void vtp_without_grains_is_well_formed(void **state)
{
    check_vtp(state, 0);
}

static void vtp_bodies_stand_where_they_are(void **state)
{
    run r;
    begin_run(&r, state, 3);
    export(&r, 0, "vtp");
    size_t size;
    uint64_t point_bytes, corner_bytes, owner_bytes;
    char *file = read_whole(in_folder(state, "run/export/bodies-000000.vtp"), &size);
    const float *points = (const void *)vtp_array(file, "position", &point_bytes);
    const int32_t *corners = (const void *)vtp_array(file, "connectivity", &corner_bytes);
    const uint32_t *owners = (const void *)vtp_array(file, "body", &owner_bytes);
    assert_int_equal(corner_bytes, 3 * owner_bytes);
    assert_true(owner_bytes > 100);
    for (size_t t = 0; t < owner_bytes / 4; t++)
        for (int k = 0; k < 3; k++) {
            int32_t corner;
            uint32_t owner;
            float p[3];
            memcpy(&corner, corners + 3 * t + k, sizeof corner);
            memcpy(&owner, owners + t, sizeof owner);
            assert_true((uint64_t)corner < point_bytes / 12);
            memcpy(p, points + 3 * corner, sizeof p);
            if (owner == 0)
                check_near(p[2], 0, 1e-6);
            else
                check_near(hypot(hypot(p[0] - 0.1, p[1] - 0.2), p[2] - 0.3), 0.1, 1e-6);
        }
    rp_release(file, size + 1);
    end_run(&r);
}

static void check_series(void **state, const char *expected)
{
    size_t size;
    char *file = read_whole(in_folder(state, "run/export/grains.pvd"), &size);
    const char *found = strstr(file, "<Collection>\n");
    assert_non_null(found);
    assert_memory_equal(found + strlen("<Collection>\n"), expected, strlen(expected));
    rp_release(file, size + 1);
}

#define SERIES_LINE(time, file)                                                                    \
    "    <DataSet timestep=\"" time "\" part=\"0\" file=\"" file "\"/>\n"

static void the_series_keeps_real_times(void **state)
{
    static const char all[] = SERIES_LINE("0.5", "grains-000002.vtp")
        SERIES_LINE("0.75", "grains-000003.vtp") SERIES_LINE("2.125", "grains-000010.vtp");
    run r;
    begin_run(&r, state, 3);
    r.grains.view.time = 2.125;
    export(&r, 10, "vtp");
    r.grains.view.time = 0.5;
    export(&r, 2, "vtp");
    r.grains.view.time = 0.75;
    export(&r, 3, "vtp");
    check_series(state, all);
    /* Without the series file the times come from the frames' own files. */
    unlink(in_folder(state, "run/export/grains.pvd"));
    export(&r, 3, "vtp");
    check_series(state, all);
    unlink(in_folder(state, "run/export/grains-000002.vtp"));
    r.grains.view.time = 1;
    export(&r, 3, "vtp");
    check_series(state, SERIES_LINE("1", "grains-000003.vtp")
                            SERIES_LINE("2.125", "grains-000010.vtp") "  </Collection>\n");
    end_run(&r);
}

static void ply_holds_every_field(void **state)
{
    static const char header[] =
        "property float x\nproperty float y\nproperty float z\n"
        "property float vx\nproperty float vy\nproperty float vz\n"
        "property float mass\nproperty float density\nproperty float pressure\n"
        "property uint id\nproperty uchar material\nproperty uchar asleep\n"
        "property float moisture\n"
        "property float normal_x\nproperty float normal_y\nproperty float normal_z\n"
        "property double clock\nproperty ushort kin\nend_header\n";
    run r;
    begin_run(&r, state, 100);
    export(&r, 1, "ply");
    size_t size;
    char *file = read_whole(in_folder(state, "run/export/grains-000001.ply"), &size);
    assert_memory_equal(file, "ply\nformat binary_little_endian 1.0\n", 36);
    assert_non_null(strstr(file, "element vertex 100\n"));
    const char *at = strstr(file, header);
    assert_non_null(at);
    at += strlen(header);
    for (size_t grain = 0; grain < 100; grain++)
        for (int i = 0; i < TEST_FIELDS; i++) {
            const rp_field *field = &r.grains.fields[i];
            size_t bytes = rp_field_type_size(field->type);
            assert_memory_equal(at, (const char *)field->data + grain * bytes, bytes);
            at += bytes;
        }
    assert_ptr_equal(at, file + size);
    rp_release(file, size + 1);
    file = read_whole(in_folder(state, "run/export/bodies-000001.ply"), &size);
    size_t vertices, faces;
    assert_int_equal(sscanf(strstr(file, "element vertex"), "element vertex %zu", &vertices), 1);
    assert_int_equal(sscanf(strstr(file, "element face"), "element face %zu", &faces), 1);
    at = strstr(file, "end_header\n") + strlen("end_header\n");
    assert_int_equal(file + size - at, 12 * vertices + 17 * faces);
    rp_release(file, size + 1);
    end_run(&r);
}

static void csv_brings_back_the_same_bits(void **state)
{
    static const char header[] =
        "Px,Py,Pz,vx,vy,vz,mass,density,pressure,id,material,asleep,moisture,"
        "normal_x,normal_y,normal_z,clock,kin\n";
    run r;
    begin_run(&r, state, 50);
    export(&r, 1, "csv");
    size_t size;
    char *file = read_whole(in_folder(state, "run/export/grains-000001.csv"), &size);
    assert_memory_equal(file, header, strlen(header));
    char *at = file + strlen(header);
    for (size_t grain = 0; grain < 50; grain++)
        for (int i = 0; i < TEST_FIELDS; i++) {
            const rp_field *field = &r.grains.fields[i];
            double value = strtod(at, &at);
            if (field->type == RP_F32) assert_true((float)value == ((float *)field->data)[grain]);
            if (field->type == RP_U32) assert_true(value == ((uint32_t *)field->data)[grain]);
            assert_int_equal(*at++, i + 1 < TEST_FIELDS ? ',' : '\n');
        }
    assert_ptr_equal(at, file + size);
    rp_release(file, size + 1);
    file = read_whole(in_folder(state, "run/export/bodies-000001.csv"), &size);
    assert_non_null(strstr(file, "\n\"ball\",0.10000000000000001,0.20000000000000001,"
                                 "0.29999999999999999,0.59999999999999998,0,0.80000000000000004,0,"
                                 "1,2,3,4,5,6,1e-300,2,3,-0,5,6,7,8,9,-1,-2,-3\n"));
    rp_release(file, size + 1);
    end_run(&r);
}

static void numbers_have_points_in_any_country(void **state)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: no locale with commas here\n");
        skip();
    }
    csv_brings_back_the_same_bits(state);
    setlocale(LC_ALL, "C");
}

static void another_folder_may_be_named(void **state)
{
    run r;
    begin_run(&r, state, 4);
    char folder[RP_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_folder(state, "else/where"));
    check_ok(test_export(r.record, 7, &r.grains.view, "csv", folder, r.report), r.report);
    assert_int_equal(count_files(folder), 2);
    assert_false(exists(in_folder(state, "run/export")));
    rp_code code = test_export(r.record, 7, &r.grains.view, "vtk", NULL, r.report);
    assert_int_equal(code, RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "'vtk'; there are vtp, ply, csv, usda, usda-instances");
    end_run(&r);
}

/* A scene's formats are bits in the order of the words, a run takes the format of each bit. */
static void scenes_know_exactly_these_formats(void **state)
{
    (void)state;
    assert_int_equal(rp_export_format_count(), rp_words_count(RP_FORMAT_WORDS));
    for (int i = 0; i < rp_export_format_count(); i++) {
        char word[64];
        rp_words_at(RP_FORMAT_WORDS, i, word, sizeof word);
        assert_string_equal(rp_export_format(i), word);
    }
    assert_null(rp_export_format(rp_export_format_count()));
    assert_null(rp_export_format(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vtp_holds_every_field, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(vtp_without_grains_is_well_formed, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(vtp_bodies_stand_where_they_are, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(the_series_keeps_real_times, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(ply_holds_every_field, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(csv_brings_back_the_same_bits, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(numbers_have_points_in_any_country, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(another_folder_may_be_named, make_folder, drop_folder),
        cmocka_unit_test(scenes_know_exactly_these_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
