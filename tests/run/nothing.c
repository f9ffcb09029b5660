/* NULL in every pointer's place of every public function: a fault that names it, or nothing at all,
 * but never a crash. tests/nothing.sh sees to it that no function and no place is missing here. */
#include "files.h"
#include "worlds.h"

#include "base/report.h"

#include <unistd.h>

/* The call is refused with "FUNCTION: ARGUMENT is NULL". */
#define REFUSES(function, arguments, argument)                                                     \
    do {                                                                                           \
        rp_report_clear(report);                                                                   \
        assert_int_equal(function arguments, RP_ERROR_INPUT);                                      \
        assert_int_equal(rp_report_count(report), 1);                                              \
        assert_string_equal(rp_report_fault(report, 0)->message,                                   \
                            #function ": " argument " is NULL");                                   \
    } while (0)
/* NULL means something here: the default, or that nobody wants to know. */
#define ALLOWS(function, arguments) check_ok(function arguments, report)
/* The call gives this back. */
#define GIVES(function, arguments, value) assert_true(function arguments == (value))
/* The call does nothing. */
#define IGNORES(function, arguments) function arguments
/* There is no pointer that could be NULL. */
#define HAS_NONE(function)

static char work[] = "/tmp/repose-nothing-XXXXXX";
static rp_report *report;
static rp_scene *scene;
static rp_world *world;
static rp_record *record;
static rp_view view;

static void of_base_h(void **state)
{
    (void)state;
    char text[8] = "full";
    rp_report_clear(report);
    rp_fail(report, RP_ERROR_INPUT, "a fault");
    HAS_NONE(rp_code_text);
    HAS_NONE(rp_report_create);
    HAS_NONE(rp_default_hooks);
    HAS_NONE(rp_memory_now);
    HAS_NONE(rp_version);
    HAS_NONE(rp_build_text);
    GIVES(rp_fault_text, (NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    GIVES(rp_fault_text, (rp_report_fault(report, 0), NULL, 0), 7);
    IGNORES(rp_report_destroy, (NULL));
    IGNORES(rp_report_clear, (NULL));
    GIVES(rp_report_count, (NULL), 0);
    GIVES(rp_report_total, (NULL), 0);
    GIVES(rp_report_fault, (NULL, 0), NULL);
    IGNORES(rp_set_hooks, (NULL));
    IGNORES(rp_set_file_reader, (NULL));
}

static void of_view_h(void **state)
{
    (void)state;
    HAS_NONE(rp_field_type_size);
    GIVES(rp_view_field, (NULL, "density"), NULL);
    GIVES(rp_view_field, (&view, NULL), NULL);
    GIVES(rp_view_grid, (NULL, "height"), NULL);
    GIVES(rp_view_grid, (&view, NULL), NULL);
    rp_view_buffer *buffer = NULL;
    REFUSES(rp_view_copy, (NULL, RP_COPY_ALL, &buffer, report), "view");
    REFUSES(rp_view_copy, (&view, RP_COPY_ALL, NULL, report), "buffer");
    GIVES(rp_view_buffer_view, (NULL), NULL);
    IGNORES(rp_view_buffer_destroy, (NULL));
}

static void of_scene_h(void **state)
{
    (void)state;
    rp_scene *out = NULL;
    const rp_setting no_key = {NULL, "1"}, no_value = {"seed", NULL};
    REFUSES(rp_scene_load, (NULL, NULL, 0, &out, report), "path");
    REFUSES(rp_scene_load, ("x.yaml", NULL, 1, &out, report), "settings");
    REFUSES(rp_scene_load, ("x.yaml", &no_key, 1, &out, report), "settings[i].key");
    REFUSES(rp_scene_load, ("x.yaml", &no_value, 1, &out, report), "settings[i].value");
    REFUSES(rp_scene_load, ("x.yaml", NULL, 0, NULL, report), "out");
    REFUSES(rp_scene_parse, (NULL, "x", &out, report), "text");
    REFUSES(rp_scene_parse, ("x: 1", "x", NULL, report), "out");
    ALLOWS(rp_scene_parse, (BUSY_SCENE, NULL, &out, report));
    rp_scene_destroy(out);
    IGNORES(rp_scene_destroy, (NULL));
    GIVES(rp_scene_text, (NULL), NULL);
    GIVES(rp_scene_title, (NULL), NULL);
    GIVES(rp_scene_duration, (NULL), 0);
    GIVES(rp_scene_frame_rate, (NULL), 0);
    GIVES(rp_scene_frame_count, (NULL), 0);
    GIVES(rp_scene_find_body, (NULL, "stone"), -1);
    GIVES(rp_scene_find_body, (scene, NULL), -1);
    GIVES(rp_scene_find_material, (NULL, "sand"), -1);
    GIVES(rp_scene_find_material, (scene, NULL), -1);
}

/* What is wrong with a draft is told when it is finished. */
static void of_drafts(void **state)
{
    (void)state;
    rp_scene *out = NULL;
    const rp_joint_def joint = rp_default_joint();
    HAS_NONE(rp_draft_create);
    HAS_NONE(rp_default_joint);
    IGNORES(rp_draft_destroy, (NULL));
    IGNORES(rp_draft_set, (NULL, "a", "b"));
    IGNORES(rp_draft_add_joint, (NULL, "j", &joint));
    const double corner[3] = {0, 0, 0};
    const uint32_t flat[3] = {0, 0, 0};
    IGNORES(rp_draft_add_mesh, (NULL, "m", corner, 1, flat, 1));
    for (int i = 0; i < 7; i++) {
        rp_draft *draft = rp_draft_create();
        rp_draft_set(draft, "particles.spacing", "2 cm");
        if (i == 0) IGNORES(rp_draft_set, (draft, NULL, "b"));
        if (i == 1) IGNORES(rp_draft_set, (draft, "a", NULL));
        if (i == 2) IGNORES(rp_draft_add_joint, (draft, NULL, &joint));
        if (i == 3) IGNORES(rp_draft_add_joint, (draft, "j", NULL));
        if (i == 4) IGNORES(rp_draft_add_mesh, (draft, NULL, corner, 1, flat, 1));
        if (i == 5) IGNORES(rp_draft_add_mesh, (draft, "m", NULL, 1, flat, 1));
        if (i == 6) IGNORES(rp_draft_add_mesh, (draft, "m", corner, 1, NULL, 1));
        rp_report_clear(report);
        assert_int_equal(rp_draft_finish(draft, &out, report), RP_ERROR_INPUT);
        assert_non_null(strstr(rp_report_fault(report, 0)->message, "is NULL"));
        assert_null(out);
    }
    GIVES(rp_draft_finish, (NULL, &out, report), RP_ERROR_MEMORY); /* as rp_draft_create said */
    REFUSES(rp_draft_finish, (rp_draft_create(), NULL, report), "out");
}

static void of_query_h(void **state)
{
    (void)state;
    const double zero[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    const rp_query *of_world = NULL;
    rp_query *query = NULL;
    rp_ray_hit hit;
    double height;
    REFUSES(rp_query_create, (NULL, &view, &query, report), "scene");
    REFUSES(rp_query_create, (scene, NULL, &query, report), "view");
    REFUSES(rp_query_create, (scene, &view, NULL, report), "out");
    REFUSES(rp_world_query, (NULL, &of_world, report), "world");
    REFUSES(rp_world_query, (world, NULL, report), "out");
    check_ok(rp_world_query(world, &of_world, report), report);
    IGNORES(rp_query_destroy, (NULL));
    GIVES(rp_query_ray, (NULL, zero, up, 1, RP_HIT_ANY, &hit), false);
    GIVES(rp_query_ray, (of_world, zero, up, 1, RP_HIT_ANY, NULL), false);
    GIVES(rp_query_ray, (of_world, NULL, up, 1, RP_HIT_ANY, &hit), false);
    GIVES(rp_query_ray, (of_world, zero, NULL, 1, RP_HIT_ANY, &hit), false);
    GIVES(rp_query_height, (NULL, 0, 0, 1, &height), false);
    GIVES(rp_query_height, (of_world, 0, 0, 1, NULL), false);
    GIVES(rp_query_box, (NULL, zero, up, NULL, 0), 0);
    GIVES(rp_query_box, (of_world, NULL, up, NULL, 0), 0);
    GIVES(rp_query_box, (of_world, zero, NULL, NULL, 0), 0);
    GIVES(rp_query_ball, (NULL, zero, 1, NULL, 0), 0);
    GIVES(rp_query_ball, (of_world, NULL, 1, NULL, 0), 0);
    GIVES(rp_query_nearest, (NULL, zero, NULL), SIZE_MAX);
    GIVES(rp_query_nearest, (of_world, NULL, &height), SIZE_MAX);
}

/* What a host program changes while a world runs. */
static void of_control(void)
{
    HAS_NONE(rp_default_grains);
    const double up[3] = {0, 0, 1};
    const uint32_t id = 4000000000u;
    const size_t index = 0;
    double now[3];
    rp_grains_def grains = rp_default_grains();
    rp_emitter_def emitter = rp_default_emitter();
    GIVES(rp_world_emitter_count, (NULL), 0);
    GIVES(rp_world_find_emitter, (NULL, "spout"), -1);
    GIVES(rp_world_find_emitter, (world, NULL), -1);
    REFUSES(rp_world_emitter, (NULL, 0, &emitter, report), "world");
    REFUSES(rp_world_emitter, (world, 0, NULL, report), "def");
    REFUSES(rp_world_set_emitter, (NULL, 0, &emitter, report), "world");
    REFUSES(rp_world_set_emitter, (world, 0, NULL, report), "def");
    REFUSES(rp_world_switch_emitter, (NULL, 0, true, report), "world");
    REFUSES(rp_world_set_gravity, (NULL, up, report), "world");
    ALLOWS(rp_world_set_gravity, (world, NULL, report));
    IGNORES(rp_world_gravity, (NULL, now));
    IGNORES(rp_world_gravity, (world, NULL));
    REFUSES(rp_world_add_source, (NULL, "a", "{}", report), "world");
    REFUSES(rp_world_add_source, (world, NULL, "{}", report), "name");
    REFUSES(rp_world_add_source, (world, "a", NULL, report), "text");
    REFUSES(rp_world_add_grains, (NULL, &grains, NULL, NULL, report), "world");
    REFUSES(rp_world_add_grains, (world, NULL, NULL, NULL, report), "def");
    ALLOWS(rp_world_add_grains, (world, &grains, NULL, NULL, report));
    grains.count = 1;
    REFUSES(rp_world_add_grains, (world, &grains, NULL, NULL, report), "position");
    REFUSES(rp_world_remove_grains, (NULL, &index, 1, report), "world");
    REFUSES(rp_world_remove_grains, (world, NULL, 1, report), "indices");
    REFUSES(rp_world_remove_ids, (NULL, &id, 1, NULL, report), "world");
    REFUSES(rp_world_remove_ids, (world, NULL, 1, NULL, report), "ids");
    ALLOWS(rp_world_remove_ids, (world, &id, 1, NULL, report));
}

static void of_world_h(void **state)
{
    (void)state;
    rp_world *out = NULL;
    rp_snapshot *snapshot = NULL;
    rp_view seen = view;
    HAS_NONE(rp_default_world_options);
    HAS_NONE(rp_default_emitter);
    const rp_emitter_def emitter = rp_default_emitter();
    const rp_world_options options = rp_default_world_options();
    assert_true(rp_scene_estimate(NULL, &options).grains == 0);
    IGNORES(rp_scene_estimate, (NULL, &options));
    IGNORES(rp_scene_estimate, (scene, NULL));
    REFUSES(rp_scene_review, (NULL, &options, report, report), "scene");
    ALLOWS(rp_scene_review, (scene, NULL, report, report));
    ALLOWS(rp_scene_review, (scene, &options, NULL, report));
    REFUSES(rp_world_create, (NULL, NULL, &out, report), "scene");
    REFUSES(rp_world_create, (scene, NULL, NULL, report), "out");
    ALLOWS(rp_world_create, (scene, NULL, &out, report));
    rp_world_destroy(out);
    IGNORES(rp_world_destroy, (NULL));
    REFUSES(rp_world_step, (NULL, report), "world");
    REFUSES(rp_world_run_to, (NULL, 1, report), "world");
    REFUSES(rp_world_advance, (NULL, 1, 1, NULL, report), "world");
    ALLOWS(rp_world_advance, (world, rp_world_time(world), 1, NULL, report));
    GIVES(rp_world_time, (NULL), 0);
    IGNORES(rp_world_view, (world, NULL));
    IGNORES(rp_world_view, (NULL, &seen));
    assert_int_equal(seen.count, 0);
    REFUSES(rp_world_contacts, (NULL, &seen, report), "world");
    REFUSES(rp_world_contacts, (world, NULL, report), "view");
    rp_step_info info = rp_world_step_info(world);
    assert_int_equal(rp_world_step_info(NULL).number_count, 0);
    IGNORES(rp_world_step_info, (NULL));
    IGNORES(rp_step_info_number, (NULL, "iterations"));
    IGNORES(rp_step_info_number, (&info, NULL));
    assert_true(isnan(rp_step_info_number(NULL, NULL)));
    GIVES(rp_world_stages, (NULL, NULL, 0), 0);
    GIVES(rp_world_stages, (world, NULL, 0), 4);
    REFUSES(rp_world_add_force, (NULL, 0, 0, 0, 0, report), "world");
    REFUSES(rp_world_add_emitter, (NULL, &emitter, report), "world");
    REFUSES(rp_world_add_emitter, (world, NULL, report), "def");
    of_control();
    REFUSES(rp_world_snapshot, (NULL, &snapshot, report), "world");
    REFUSES(rp_world_snapshot, (world, NULL, report), "out");
    check_ok(rp_world_snapshot(world, &snapshot, report), report);
    REFUSES(rp_world_restore, (NULL, snapshot, report), "world");
    REFUSES(rp_world_restore, (world, NULL, report), "snapshot");
    rp_snapshot_destroy(snapshot);
    IGNORES(rp_snapshot_destroy, (NULL));
    GIVES(rp_world_hash, (NULL), 0);
}

static void of_body_h(void **state)
{
    (void)state;
    const double v[3] = {0, 0, 0};
    int stone = rp_body_find(world, "stone");
    GIVES(rp_body_find, (NULL, "stone"), -1);
    GIVES(rp_body_find, (world, NULL), -1);
    GIVES(rp_body_mass, (NULL, 0), 0);
    GIVES(rp_body_is_controlled, (NULL, 0), false);
    REFUSES(rp_body_take_control, (NULL, stone, report), "world");
    check_ok(rp_body_take_control(world, stone, report), report);
    REFUSES(rp_body_set_pose, (NULL, stone, v, NULL, report), "world");
    ALLOWS(rp_body_set_pose, (world, stone, v, NULL, report));
    ALLOWS(rp_body_set_pose, (world, stone, NULL, NULL, report));
    REFUSES(rp_body_set_velocity, (NULL, stone, v, v, report), "world");
    ALLOWS(rp_body_set_velocity, (world, stone, v, NULL, report));
    ALLOWS(rp_body_set_velocity, (world, stone, NULL, v, report));
    REFUSES(rp_body_move_to, (NULL, stone, v, NULL, 1, report), "world");
    ALLOWS(rp_body_move_to, (world, stone, v, NULL, 1, report));
    ALLOWS(rp_body_move_to, (world, stone, NULL, NULL, 1, report));
    REFUSES(rp_body_release, (NULL, stone, 0, report), "world");
    check_ok(rp_body_release(world, stone, 0, report), report);
    REFUSES(rp_body_add_force, (NULL, stone, v, report), "world");
    REFUSES(rp_body_add_force, (world, stone, NULL, report), "force");
    REFUSES(rp_body_add_force_at, (NULL, stone, v, v, report), "world");
    REFUSES(rp_body_add_force_at, (world, stone, NULL, v, report), "force");
    REFUSES(rp_body_add_force_at, (world, stone, v, NULL, report), "point");
    REFUSES(rp_body_add_torque, (NULL, stone, v, report), "world");
    REFUSES(rp_body_add_torque, (world, stone, NULL, report), "torque");
}

static void of_joints(void **state)
{
    (void)state;
    rp_joint_state now;
    GIVES(rp_joint_find, (NULL, "hinge"), -1);
    GIVES(rp_joint_find, (world, NULL), -1);
    REFUSES(rp_joint_set_motor, (NULL, 0, 1, 1, report), "world");
    REFUSES(rp_joint_set_target, (NULL, 0, 1, 1, 1, report), "world");
    REFUSES(rp_joint_set_limits, (NULL, 0, 0, 1, report), "world");
    REFUSES(rp_joint_release, (NULL, 0, report), "world");
    REFUSES(rp_joint_read, (NULL, 0, &now, report), "world");
    REFUSES(rp_joint_read, (world, 0, NULL, report), "state");
}

static void of_changes(void **state)
{
    (void)state;
    const char text[] = "{shape: sphere, radius: 1 cm, position: [0, 0, 50]}";
    int place;
    rp_world *other = world_of(scene, 1);
    REFUSES(rp_world_add_body, (NULL, "moon", text, &place, report), "world");
    REFUSES(rp_world_add_body, (other, NULL, text, &place, report), "name");
    REFUSES(rp_world_add_body, (other, "moon", NULL, &place, report), "text");
    ALLOWS(rp_world_add_body, (other, "moon", text, NULL, report));
    REFUSES(rp_world_add_joint, (NULL, "rope", text, &place, report), "world");
    REFUSES(rp_world_add_joint, (other, NULL, text, &place, report), "name");
    REFUSES(rp_world_add_joint, (other, "rope", NULL, &place, report), "text");
    assert_int_equal(rp_world_add_joint(other, "rope", "{}", NULL, report), RP_ERROR_INPUT);
    IGNORES(rp_world_add_joint, (other, "rope", "{}", NULL, report));
    REFUSES(rp_world_remove_body, (NULL, 0, report), "world");
    GIVES(rp_world_scene, (NULL), NULL);
    rp_world_destroy(other);
}

static void of_record_h(void **state)
{
    (void)state;
    rp_record *out = NULL;
    rp_frame_file *frame = NULL;
    REFUSES(rp_record_create, (NULL, scene, 1, &out, report), "folder");
    REFUSES(rp_record_create, ("new", NULL, 1, &out, report), "scene");
    REFUSES(rp_record_create, ("new", scene, 1, NULL, report), "out");
    REFUSES(rp_record_open, (NULL, &out, report), "folder");
    REFUSES(rp_record_open, ("record", NULL, report), "out");
    IGNORES(rp_record_close, (NULL));
    GIVES(rp_record_scene, (NULL), NULL);
    GIVES(rp_record_folder, (NULL), NULL);
    REFUSES(rp_record_write_frame, (NULL, 0, &view, report), "record");
    REFUSES(rp_record_write_frame, (record, 0, NULL, report), "view");
    const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
    double time;
    GIVES(rp_record_series, (NULL, RP_SERIES_FINE), NULL);
    GIVES(rp_record_series, (record, (rp_series_kind)RP_SERIES_KINDS), NULL);
    GIVES(rp_series_record, (NULL), NULL);
    GIVES(rp_series_name, (NULL), NULL);
    GIVES(rp_series_count, (NULL), 0);
    GIVES(rp_series_number, (NULL, 0), -1);
    GIVES(rp_series_find, (NULL, 0), -1);
    REFUSES(rp_series_read, (NULL, 0, &frame, report), "series");
    REFUSES(rp_series_read, (series, 0, NULL, report), "out");
    REFUSES(rp_series_time, (NULL, 0, &time, report), "series");
    REFUSES(rp_series_time, (series, 0, NULL, report), "time");
    GIVES(rp_frame_view, (NULL), NULL);
    IGNORES(rp_frame_close, (NULL));
}

static void of_run_h(void **state)
{
    (void)state;
    rp_run_summary summary;
    rp_run_options untouched = rp_default_run_options(), options = untouched;
    rp_refine_options refining = rp_default_refine_options();
    HAS_NONE(rp_default_run_options);
    HAS_NONE(rp_default_refine_options);
    REFUSES(rp_world_save, (NULL, "state.h5", report), "world");
    REFUSES(rp_world_save, (world, NULL, report), "path");
    REFUSES(rp_world_load, (NULL, "state.h5", report), "world");
    REFUSES(rp_world_load, (world, NULL, report), "path");
    REFUSES(rp_run, (NULL, &untouched, &summary, report), "scene");
    REFUSES(rp_run, (scene, NULL, &summary, report), "options");
    REFUSES(rp_run, (scene, &untouched, &summary, report), "options->folder");
    options.folder = "run";
    options.frames = 0;
    ALLOWS(rp_run, (scene, &options, NULL, report));
    REFUSES(rp_refine, (NULL, NULL, report), "options");
    REFUSES(rp_refine, (&refining, NULL, report), "options->folder");
}

static void of_export_h(void **state)
{
    (void)state;
    rp_export_options options = rp_default_export_options();
    HAS_NONE(rp_default_export_options);
    REFUSES(rp_record_export, (NULL, 0, &view, NULL, report), "record");
    REFUSES(rp_record_export, (record, 0, NULL, NULL, report), "view");
    ALLOWS(rp_record_export, (record, 0, &view, NULL, report));
    options.format = NULL;
    REFUSES(rp_record_export, (record, 0, &view, &options, report), "options->format");
    options.format = "ply";
    options.stem = NULL;
    REFUSES(rp_record_export, (record, 0, &view, &options, report), "options->stem");
}

static void of_film_h(void **state)
{
    (void)state;
    rp_film *film = NULL;
    const rp_film_options options = rp_default_film_options();
    const rp_film_run run = {rp_record_series(record, RP_SERIES_COARSE), 0, INT64_MAX};
    const rp_film_run nothing = {.to = INT64_MAX};
    HAS_NONE(rp_default_film_options);
    REFUSES(rp_film_check, (NULL, scene, report), "options");
    REFUSES(rp_film_check, (&options, NULL, report), "scene");
    REFUSES(rp_film_open, (NULL, &run, 1, &film, report), "options");
    REFUSES(rp_film_open, (&options, NULL, 1, &film, report), "runs");
    REFUSES(rp_film_open, (&options, &nothing, 1, &film, report), "runs[i].series");
    REFUSES(rp_film_open, (&options, &run, 1, NULL, report), "out");
    REFUSES(rp_film_paint, (NULL, report), "film");
    REFUSES(rp_film_finish, (NULL, report), "film");
    assert_int_equal(rp_film_state(NULL).frame_count, 0);
    IGNORES(rp_film_state, (NULL));
    IGNORES(rp_film_close, (NULL));
    REFUSES(rp_view_picture, (NULL, scene, &options, "x.png", report), "view");
    REFUSES(rp_view_picture, (&view, NULL, &options, "x.png", report), "scene");
    REFUSES(rp_view_picture, (&view, scene, NULL, "x.png", report), "options");
    REFUSES(rp_view_picture, (&view, scene, &options, NULL, report), "path");
}

/* A report is never needed. */
static void a_fault_without_a_report_is_a_code(void **state)
{
    (void)state;
    assert_int_equal(rp_world_step(NULL, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_run(NULL, NULL, NULL, NULL), RP_ERROR_INPUT);
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(work) || chdir(work) != 0) return -1;
    report = rp_report_create();
    scene = scene_of(BUSY_SCENE);
    world = world_of(scene, 1);
    rp_world_view(world, &view);
    rp_code code = rp_record_create("record", scene, 1, &record, report);
    if (code == RP_OK) code = rp_record_write_frame(record, 0, &view, report);
    return code;
}

static int end(void **state)
{
    (void)state;
    rp_record_close(record);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    if (chdir("/") != 0) return -1;
    remove_tree(work);
    return rp_memory_now().bytes == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_base_h),  cmocka_unit_test(of_view_h),
        cmocka_unit_test(of_scene_h), cmocka_unit_test(of_drafts),
        cmocka_unit_test(of_query_h), cmocka_unit_test(of_world_h),
        cmocka_unit_test(of_body_h),  cmocka_unit_test(of_joints),
        cmocka_unit_test(of_changes), cmocka_unit_test(of_record_h),
        cmocka_unit_test(of_run_h),   cmocka_unit_test(of_export_h),
        cmocka_unit_test(of_film_h),  cmocka_unit_test(a_fault_without_a_report_is_a_code),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
