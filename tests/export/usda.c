/* USD text: structure and numbers, read back by hand. */
#include "record/fixture.h"

#include "export/usda.h"

#include <inttypes.h>

typedef struct run {
    rp_report *report;
    rp_scene *scene;
    rp_record *record;
    test_grains grains;
    char *file; /* the one looked at */
    size_t size;
} run;

#define TWO_MATERIALS "materials: {sand: {colour: [1, 0, 0]}, fine-gravel: {colour: [0, 0, 1]}}\n"

static void begin_run(run *r, void **state, const char *more, size_t count)
{
    *r = (run){.report = rp_report_create(), .scene = test_scene(more)};
    test_grains_make(&r->grains, count, 0.48);
    r->grains.view.grid_count = 0; /* those are in export/grids.c */
    check_ok(rp_record_create(in_folder(state, "run"), r->scene, 1, &r->record, r->report),
             r->report);
}

static void end_run(run *r)
{
    rp_release(r->file, r->size + 1);
    rp_record_close(r->record);
    test_grains_free(&r->grains);
    rp_scene_destroy(r->scene);
    rp_report_destroy(r->report);
}

/* Every bracket closes what was opened last; texts and asset paths are passed over. */
static void check_brackets(const char *text)
{
    char open[64];
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '@') {
            c = strchr(c + 1, *c);
            assert_non_null(c);
        } else if (strchr("([{", *c)) {
            assert_true(depth < 64);
            open[depth++] = *c;
        } else if (strchr(")]}", *c)) {
            assert_true(depth > 0);
            assert_int_equal(open[--depth], *c == ')' ? '(' : *c == ']' ? '[' : '{');
        }
    }
    assert_int_equal(depth, 0);
}

static const char *look_at(run *r, void **state, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "run/export/%s", name);
    rp_release(r->file, r->size + 1);
    r->file = read_whole(in_folder(state, path), &r->size);
    assert_int_equal(strncmp(r->file, "#usda 1.0\n(\n", 12), 0);
    check_brackets(r->file);
    return r->file;
}

static void check_has(const char *file, const char *text)
{
    if (!strstr(file, text)) fail_msg("'%s' is missing", text);
}

/* Behind "[" of the samples of an attribute at time code 12. */
static const char *samples(const char *file, const char *attribute)
{
    char mark[160];
    snprintf(mark, sizeof mark, " %s.timeSamples = {\n        12: [", attribute);
    const char *found = strstr(file, mark);
    if (!found) fail_msg("%s has no samples", attribute);
    return found + strlen(mark);
}

static size_t *order_of(const rp_view *view)
{
    size_t *order = malloc(view->count * sizeof *order + 1);
    for (size_t i = 0; i < view->count; i++) {
        size_t at = i;
        for (; at > 0 && view->id[order[at - 1]] > view->id[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* One number, then what must stand behind it. */
static const char *check_number(const char *at, double expected, bool single, const char *behind)
{
    char *end;
    double found = single ? (double)strtof(at, &end) : strtod(at, &end);
    assert_true(found == expected && end > at);
    assert_int_equal(strncmp(end, behind, strlen(behind)), 0);
    return end + strlen(behind);
}

static void check_vectors(const char *file, const char *attribute, const rp_view *view,
                          const size_t *order, const float *const parts[3])
{
    const char *at = samples(file, attribute);
    for (size_t i = 0; i < view->count; i++) {
        assert_int_equal(*at++, '(');
        for (int c = 0; c < 3; c++)
            at = check_number(at, parts[c][order[i]], true, c < 2 ? ", " : ")");
        if (i + 1 < view->count) at += 2;
    }
    assert_int_equal(strncmp(at, "],\n    }\n", 9), 0);
}

static double value_of(const rp_field *field, size_t grain)
{
    switch (field->type) {
    case RP_F32:
        return ((const float *)field->data)[grain];
    case RP_F64:
        return ((const double *)field->data)[grain];
    case RP_U8:
        return ((const uint8_t *)field->data)[grain];
    case RP_U16:
        return ((const uint16_t *)field->data)[grain];
    case RP_U32:
        return ((const uint32_t *)field->data)[grain];
    case RP_U64:
        break;
    }
    return 0;
}

static void check_scalars(const char *file, const char *attribute, const rp_view *view,
                          const size_t *order, const rp_field *field)
{
    const char *at = samples(file, attribute);
    for (size_t i = 0; i < view->count; i++)
        at = check_number(at, value_of(field, order[i]), field->type == RP_F32,
                          i + 1 < view->count ? ", " : "],\n");
}

/* The field of random bits may hold what is no number; a reader may take that as it likes. */
static void tame_clock(test_grains *grains)
{
    double *clock = (double *)grains->fields[16].data;
    for (size_t i = 0; i < grains->view.count; i++)
        clock[i] = (double)i / 7;
}

static void points_hold_every_field(void **state)
{
    run r;
    begin_run(&r, state, "", 700);
    tame_clock(&r.grains);
    const rp_view *v = &r.grains.view;
    check_ok(test_export(r.record, 12, v, "usda", NULL, r.report), r.report);
    const char *file = look_at(&r, state, "grains-000012.usda");
    size_t *order = order_of(v);
    check_vectors(file, "points", v, order, (const float *[]){v->x, v->y, v->z});
    check_vectors(file, "velocities", v, order, (const float *[]){v->vx, v->vy, v->vz});
    check_vectors(file, "primvars:normal", v, order,
                  (const float *[]){v->fields[13].data, v->fields[14].data, v->fields[15].data});
    check_scalars(file, "ids", v, order, &v->fields[9]);
    for (int i = 6; i < TEST_FIELDS; i += i == 12 ? 4 : 1) {
        char name[128];
        snprintf(name, sizeof name, "primvars:%s", v->fields[i].name);
        if (i != 9) check_scalars(file, name, v, order, &v->fields[i]);
    }
    check_has(file, "    defaultPrim = \"Grains\"\n");
    check_has(file, "    metersPerUnit = 1\n    startTimeCode = 12\n    timeCodesPerSecond = 25\n"
                    "    upAxis = \"Z\"\n");
    check_has(file, "\ndef Points \"Grains\"\n");
    check_has(file, "    float[] widths = [0.01] (\n        interpolation = \"constant\"\n");
    check_has(file, ")] (\n        interpolation = \"constant\"\n    )\n"); /* one colour */
    free(order);
    end_run(&r);
}

static void no_grains_are_well_formed(void **state)
{
    run r;
    begin_run(&r, state, "", 0);
    check_ok(test_export(r.record, 12, &r.grains.view, "usda", NULL, r.report), r.report);
    check_ok(test_export(r.record, 12, &r.grains.view, "usda-instances", NULL, r.report), r.report);
    check_has(look_at(&r, state, "grains-000012.usda"), " points.timeSamples = {\n        12: [],");
    check_has(look_at(&r, state, "grains-instances-000012.usda"), " positions.timeSamples = {\n");
    end_run(&r);
}

static void colours_go_by_material(void **state)
{
    run r;
    begin_run(&r, state, TWO_MATERIALS, 40);
    const rp_view *v = &r.grains.view;
    check_ok(test_export(r.record, 12, v, "usda", NULL, r.report), r.report);
    const char *file = look_at(&r, state, "grains-000012.usda");
    check_has(file, "primvars:displayColor = [(1, 0, 0), (0, 0, 1)] (\n"
                    "        interpolation = \"vertex\"\n");
    size_t *order = order_of(v);
    const char *at = samples(file, "primvars:displayColor:indices");
    for (size_t i = 0; i < v->count; i++)
        at = check_number(at, v->material[order[i]] > 0, false, i + 1 < v->count ? ", " : "],\n");
    free(order);
    end_run(&r);
}

static void instances_point_at_spheres(void **state)
{
    run r;
    begin_run(&r, state, TWO_MATERIALS, 40);
    const rp_view *v = &r.grains.view;
    check_ok(test_export(r.record, 12, v, "usda-instances", NULL, r.report), r.report);
    const char *file = look_at(&r, state, "grains-instances-000012.usda");
    size_t *order = order_of(v);
    check_vectors(file, "positions", v, order, (const float *[]){v->x, v->y, v->z});
    check_vectors(file, "velocities", v, order, (const float *[]){v->vx, v->vy, v->vz});
    check_scalars(file, "ids", v, order, &v->fields[9]);
    check_number(samples(file, "protoIndices"), v->material[order[0]] > 0, false, ", ");
    check_has(file, "\ndef PointInstancer \"Grains\"\n");
    check_has(file, "    rel prototypes = [</Grains/Prototypes/sand>, "
                    "</Grains/Prototypes/fine_gravel__1>]\n");
    check_has(file, "        def Sphere \"fine_gravel__1\"\n");
    check_has(file, "            double radius = 0.005\n");
    free(order);
    end_run(&r);
}

/* Fields of single grains, as a method that resolves them has. */
static void add_shapes(test_grains *grains, rp_field fields[TEST_FIELDS + 6])
{
    static float diameter[40], turn[4][40];
    static uint8_t kind[40];
    static const char *const turns[] = {"orientation_w", "orientation_x", "orientation_y",
                                        "orientation_z"};
    for (size_t i = 0; i < 40; i++) {
        diameter[i] = 0.001f * (float)(i + 1);
        kind[i] = i % 2;
        turn[0][i] = 0.8f;
        turn[3][i] = i % 3 ? 0.6f : -0.6f;
    }
    memcpy(fields, grains->fields, sizeof grains->fields);
    fields[TEST_FIELDS] = (rp_field){"kind", "", RP_U8, kind};
    fields[TEST_FIELDS + 1] = (rp_field){"diameter", "m", RP_F32, diameter};
    for (int k = 0; k < 4; k++)
        fields[TEST_FIELDS + 2 + k] = (rp_field){turns[k], "", RP_F32, turn[k]};
    grains->view.fields = fields;
    grains->view.field_count = TEST_FIELDS + 6;
}

static void single_grains_have_their_shapes(void **state)
{
    run r;
    rp_field fields[TEST_FIELDS + 6];
    begin_run(&r, state, TWO_MATERIALS "grains: {nut: {shape: dimer}, pea: {shape: sphere}}\n", 40);
    add_shapes(&r.grains, fields);
    const rp_view *v = &r.grains.view;
    check_ok(test_export(r.record, 12, v, "usda-instances", NULL, r.report), r.report);
    const char *file = look_at(&r, state, "grains-instances-000012.usda");
    size_t *order = order_of(v), first = order[0];
    double d = (double)((const float *)fields[TEST_FIELDS + 1].data)[first];
    const float *across = fields[TEST_FIELDS + 1].data;
    check_vectors(file, "scales", v, order, (const float *[]){across, across, across});
    check_number(samples(file, "orientations") + 1, (double)0.8f, true, ", 0, 0, ");
    check_number(samples(file, "protoIndices"), 2 * (v->material[first] > 0) + (int)first % 2,
                 false, ", ");
    check_has(file, "    rel prototypes = [</Grains/Prototypes/sand/nut>, "
                    "</Grains/Prototypes/sand/pea>, </Grains/Prototypes/fine_gravel__1/nut>, "
                    "</Grains/Prototypes/fine_gravel__1/pea>]\n");
    check_has(file, "def Sphere \"ball_1\"\n");
    check_has(file, "double radius = 0.5\n");
    check_has(file, "double radius = 0.333333333\n"); /* two, half as far apart as they are wide */
    check_ok(test_export(r.record, 12, v, "usda", NULL, r.report), r.report);
    file = look_at(&r, state, "grains-000012.usda");
    check_number(samples(file, "widths"), d, true, ", ");
    check_scalars(file, "primvars:kind", v, order, &fields[TEST_FIELDS]);
    assert_null(strstr(file, "\"constant\""));
    check_has(look_at(&r, state, "grains.manifest.usda"), "    float[] widths (\n");
    check_has(look_at(&r, state, "grains-instances.manifest.usda"), "    quath[] orientations\n");
    free(order);
    end_run(&r);
}

static void bodies_are_meshes_that_move(void **state)
{
    run r;
    begin_run(&r, state, "  2nd-ball: {shape: sphere, radius: 1, hidden: true}\n", 3);
    rp_body_state three[3] = {r.grains.bodies[0], r.grains.bodies[1], r.grains.bodies[0]};
    r.grains.view.bodies = three;
    r.grains.view.body_count = 3;
    check_ok(test_export(r.record, 12, &r.grains.view, "usda", NULL, r.report), r.report);
    const char *file = look_at(&r, state, "bodies-000012.usda");
    check_has(file, "    def Mesh \"floor\"\n");
    check_has(file, "        int[] faceVertexCounts = [3, 3]\n"
                    "        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n");
    check_has(strstr(file, "    def Mesh \"_2nd_ball__2\"\n"), "visibility = \"invisible\"\n");
    const char *ball = strstr(file, "    def Mesh \"ball\"\n");
    check_has(ball, "            12: (0.10000000000000001, 0.20000000000000001, "
                    "0.29999999999999999),\n");
    check_has(ball, "            12: (0.59999999999999998, 0, 0.80000000000000004, 0),\n");
    /* The mesh of the ball is that of the shape, about its own centre. */
    float p[3];
    assert_int_equal(sscanf(strstr(ball, "points = ["), "points = [(%f, %f, %f)", p, p + 1, p + 2),
                     3);
    check_near(hypot(hypot(p[0], p[1]), p[2]), 0.1, 1e-7);
    end_run(&r);
}

static void the_series_names_all_frames(void **state)
{
    run r;
    begin_run(&r, state, "", 5);
    const int64_t numbers[] = {10, 2, 12};
    for (int i = 0; i < 3; i++)
        check_ok(test_export(r.record, numbers[i], &r.grains.view, "usda", NULL, r.report),
                 r.report);
    const char *file = look_at(&r, state, "grains.usda");
    check_has(file, "    endTimeCode = 12\n");
    check_has(file, "    startTimeCode = 2\n");
    check_has(file, "double2[] active = [(2, 0), (10, 1), (12, 2)]\n");
    check_has(file, "asset[] assetPaths = [@./grains-000002.usda@, @./grains-000010.usda@, "
                    "@./grains-000012.usda@]\n");
    check_has(file, "asset manifestAssetPath = @./grains.manifest.usda@\n");
    check_has(file, "string primPath = \"/Grains\"\n");
    check_has(file, "double2[] times = [(2, 2), (10, 10), (12, 12)]\n");
    check_has(file, "    point3f[] points\n");
    check_has(file, "    float[] widths = [0.01] (\n");
    file = look_at(&r, state, "grains.manifest.usda");
    check_has(file, "    point3f[] points\n");
    check_has(file, "    float[] primvars:density (\n");
    assert_null(strstr(file, "timeSamples"));
    assert_null(strstr(file, "widths")); /* they do not change, and are in the series itself */
    file = look_at(&r, state, "bodies.usda");
    check_has(file, "prepend references = @./bodies-000002.usda@</Bodies>\n");
    check_has(look_at(&r, state, "bodies.manifest.usda"), "        quatd xformOp:orient\n");
    end_run(&r);
}

/* What fine grains have. */
static void fields_that_are_missing_are_left_out(void **state)
{
    run r;
    begin_run(&r, state, "", 20);
    rp_view *v = &r.grains.view;
    v->mass = v->density = v->pressure = v->moisture = NULL;
    v->asleep = NULL;
    v->field_count = 0;
    v->body_count = 0;
    static const char *const formats[] = {"vtp", "ply", "csv", "usda", "usda-instances"};
    rp_export_options options = rp_default_export_options();
    options.stem = "fine";
    options.bodies = false;
    for (int i = 0; i < 5; i++) {
        options.format = formats[i];
        check_ok(rp_record_export(r.record, 12, v, &options, r.report), r.report);
    }
    const char *file = look_at(&r, state, "fine-000012.usda");
    check_has(file, "primvars:material");
    assert_null(strstr(file, "density"));
    check_has(look_at(&r, state, "fine.usda"), "@./fine-000012.usda@");
    check_has(look_at(&r, state, "fine-instances.usda"), "@./fine-instances-000012.usda@");
    assert_true(exists(in_folder(state, "run/export/fine.pvd")));
    assert_int_equal(count_files(in_folder(state, "run/export")), 4 + 3 + 3);
    size_t size;
    char *table = read_whole(in_folder(state, "run/export/fine-000012.csv"), &size);
    assert_int_equal(strncmp(table, "Px,Py,Pz,vx,vy,vz,id,material\n", 30), 0);
    rp_release(table, size + 1);
    end_run(&r);
}

static void parts_may_be_left_out(void **state)
{
    run r;
    begin_run(&r, state, "", 20);
    rp_export_options options = rp_default_export_options();
    options.grains = false;
    check_ok(rp_record_export(r.record, 1, &r.grains.view, &options, r.report), r.report);
    assert_int_equal(count_files(in_folder(state, "run/export")), 2);
    assert_true(exists(in_folder(state, "run/export/bodies.pvd")));
    options.stem = "../fine";
    assert_int_equal(rp_record_export(r.record, 1, &r.grains.view, &options, r.report),
                     RP_ERROR_INPUT);
    check_fault(r.report, RP_ERROR_INPUT, "cannot begin with '../fine'");
    end_run(&r);
}

static void check_name(const char *text, const char *expected)
{
    char name[RP_USDA_NAME_MAX];
    rp_usda_name(text, 7, name);
    assert_string_equal(name, expected);
}

static void names_become_identifiers(void **state)
{
    (void)state;
    check_name("ball", "ball");
    check_name("ball_1", "ball_1");
    check_name("left wall", "left_wall__7");
    check_name("left_wall__7", "left_wall__7__7");
    check_name("3d", "_3d__7");
    check_name("", "___7");
    check_name("\303\244", "____7");
    char text[400], name[RP_USDA_NAME_MAX];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    rp_usda_name(text, 12345678, name);
    assert_non_null(strstr(name, "__12345678"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(points_hold_every_field, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(no_grains_are_well_formed, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(colours_go_by_material, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(instances_point_at_spheres, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(single_grains_have_their_shapes, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(bodies_are_meshes_that_move, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(the_series_names_all_frames, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(fields_that_are_missing_are_left_out, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(parts_may_be_left_out, make_folder, drop_folder),
        cmocka_unit_test(names_become_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
