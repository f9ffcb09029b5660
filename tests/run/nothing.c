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
/* NULL means something here: the default, or that the caller does not ask. */
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

static void drop_line(void *user, const char *line)
{
    (void)user;
    (void)line;
}

static void of_base_h(void **state)
{
    (void)state;
    char text[8] = "full";
    rp_report_clear(report);
    rp_fail(report, RP_ERROR_INPUT, "a fault");
    HAS_NONE(rp_code_text);
    HAS_NONE(rp_report_create);
    IGNORES(rp_default_hooks_fill, (NULL, 8));
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
    GIVES(rp_set_hooks, (NULL), RP_OK);
    IGNORES(rp_set_file_reader, (NULL));
    GIVES(rp_report_add, (NULL, rp_report_fault(report, 0)), RP_ERROR_INPUT);
    GIVES(rp_report_add, (report, NULL), RP_OK);
    HAS_NONE(rp_instructions_text);
}

static void of_text_h(void **state)
{
    (void)state;
    char text[8] = "full";
    HAS_NONE(rp_character_shows);
    GIVES(rp_character_length, (NULL), 0);
    GIVES(rp_character_code, (NULL), 0);
    GIVES(rp_text_plain, (NULL, false, text, sizeof text), text);
    assert_string_equal(text, "");
    GIVES(rp_text_plain, ("a", false, NULL, 0), NULL);
}

static void of_words_h(void **state)
{
    (void)state;
    char text[64];
    double value = 0;
    static const char *const known[] = {"sand"}, *const gap[] = {NULL};
    GIVES(rp_word_suggest, (NULL, known, 1, text, sizeof text), false);
    GIVES(rp_word_suggest, ("snad", NULL, 1, text, sizeof text), false);
    GIVES(rp_word_suggest, ("snad", known, 1, NULL, 0), false);
    GIVES(rp_word_suggest, ("snad", gap, 1, text, sizeof text), false);
    GIVES(rp_quantity_parse, (NULL, "m", &value, text, sizeof text), false);
    GIVES(rp_quantity_parse, ("5 mm", NULL, &value, text, sizeof text), false);
    GIVES(rp_quantity_parse, ("5 mm", "m", NULL, text, sizeof text), false);
    GIVES(rp_quantity_parse, ("5 mm", "m", &value, NULL, 0), true);
    IGNORES(rp_unit_help, (NULL, NULL));
    IGNORES(rp_unit_help, (drop_line, NULL));
}

static void of_params_h(void **state)
{
    (void)state;
    rp_param_list *list = rp_param_list_create();
    HAS_NONE(rp_param_list_create);
    HAS_NONE(rp_method_count);
    HAS_NONE(rp_method_name);
    HAS_NONE(rp_method_help);
    IGNORES(rp_param_list_destroy, (NULL));
    GIVES(rp_param_list_count, (NULL), 0);
    GIVES(rp_param_list_at, (NULL, 0), NULL);
    GIVES(rp_param_list_find, (NULL, "seed", NULL), NULL);
    GIVES(rp_param_list_find, (list, NULL, NULL), NULL);
    GIVES(rp_param_list_find, (list, "seed", NULL), rp_param_list_find(list, "seed", "null"));
    rp_param_list_destroy(list);
    REFUSES(rp_scene_help, ("seed", RP_HELP_TEXT, NULL, NULL, report), "line");
    ALLOWS(rp_scene_help, (NULL, RP_HELP_TEXT, drop_line, NULL, report));
    ALLOWS(rp_scene_help, ("seed", RP_HELP_TEXT, drop_line, NULL, report));
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
    REFUSES(rp_scene_parse_with, (NULL, 4, "x", NULL, 0, &out, report), "text");
    REFUSES(rp_scene_parse_with, ("x: 1", 4, "x", NULL, 1, &out, report), "settings");
    REFUSES(rp_scene_parse_with, ("x: 1", 4, "x", NULL, 0, NULL, report), "out");
    ALLOWS(rp_scene_parse_with, (BUSY_SCENE, strlen(BUSY_SCENE), NULL, NULL, 0, &out, report));
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

static void of_scene_info_h(void **state)
{
    (void)state;
    rp_triangles *triangles = NULL;
    GIVES(rp_scene_body_count, (NULL), 0);
    GIVES(rp_scene_body_info, (NULL, 0).name, NULL);
    REFUSES(rp_scene_body_triangles, (NULL, 0, 8, 1, &triangles, report), "scene");
    REFUSES(rp_scene_body_triangles, (scene, 0, 8, 1, NULL, report), "out");
    IGNORES(rp_triangles_destroy, (NULL));
    GIVES(rp_scene_material_count, (NULL), 0);
    GIVES(rp_scene_material_info, (NULL, 0).name, NULL);
    GIVES(rp_scene_camera_count, (NULL), 0);
    GIVES(rp_scene_camera_info, (NULL, 0, 0).name, NULL);
    GIVES(rp_scene_domain, (NULL).spacing, 0);
    GIVES(rp_scene_source_count, (NULL), 0);
    GIVES(rp_scene_source_info, (NULL, 0).name, NULL);
    GIVES(rp_scene_emitter_count, (NULL), 0);
    GIVES(rp_scene_emitter_info, (NULL, 0).name, NULL);
    GIVES(rp_scene_light, (NULL).strength, 0);
    GIVES(rp_scene_lamp_count, (NULL), 0);
    GIVES(rp_scene_lamp_info, (NULL, 0).name, NULL);
    GIVES(rp_scene_detail, (NULL).factor, 0);
    GIVES(rp_scene_frame_every, (NULL), 0);
}

/* What is wrong with a draft is reported when it is finished. */
static void of_drafts(void **state)
{
    (void)state;
    rp_scene *out = NULL;
    const rp_joint_def joint = rp_default_joint();
    HAS_NONE(rp_draft_create);
    IGNORES(rp_default_joint_fill, (NULL, 8));
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
    IGNORES(rp_default_grains_fill, (NULL, 8));
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
    IGNORES(rp_default_world_options_fill, (NULL, 8));
    IGNORES(rp_default_emitter_fill, (NULL, 8));
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
    IGNORES(rp_default_run_options_fill, (NULL, 8));
    IGNORES(rp_default_refine_options_fill, (NULL, 8));
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
    rp_measure_series *series = NULL;
    REFUSES(rp_record_measure, (NULL, "energy", NULL, &series, report), "record");
    REFUSES(rp_record_measure, (record, NULL, NULL, &series, report), "name");
    REFUSES(rp_record_measure, (record, "energy", NULL, NULL, report), "out");
    ALLOWS(rp_record_measure, (record, "energy", NULL, &series, report));
    rp_measure_series_destroy(series);
    GIVES(rp_measure_series_table, (NULL), NULL);
    IGNORES(rp_measure_series_destroy, (NULL));
    REFUSES(rp_refine, (NULL, NULL, report), "options");
    REFUSES(rp_refine, (&refining, NULL, report), "options->folder");
}

static void of_export_h(void **state)
{
    (void)state;
    rp_export_options options = rp_default_export_options();
    IGNORES(rp_default_export_options_fill, (NULL, 8));
    REFUSES(rp_record_export, (NULL, 0, &view, NULL, report), "record");
    REFUSES(rp_record_export, (record, 0, NULL, NULL, report), "view");
    ALLOWS(rp_record_export, (record, 0, &view, NULL, report));
    options.format = NULL;
    REFUSES(rp_record_export, (record, 0, &view, &options, report), "options->format");
    options.format = "ply";
    options.stem = NULL;
    REFUSES(rp_record_export, (record, 0, &view, &options, report), "options->stem");
}

static void of_picture_h(void **state)
{
    (void)state;
    rp_picture *picture = NULL;
    HAS_NONE(rp_picture_can_write_png);
    REFUSES(rp_picture_create, (2, 2, NULL, report), "out");
    check_ok(rp_picture_create(2, 2, &picture, report), report);
    REFUSES(rp_picture_write_png, (NULL, "x.png", report), "picture");
    REFUSES(rp_picture_write_png, (picture, NULL, report), "path");
    rp_picture_destroy(picture);
    IGNORES(rp_picture_destroy, (NULL));
}

static void of_sample_h(void **state)
{
    (void)state;
    rp_sampling *sampling = NULL;
    rp_picture *picture = NULL;
    rp_sample_options options = rp_default_sample_options();
    IGNORES(rp_default_sample_options_fill, (NULL, 8));
    REFUSES(rp_sampling_create, (NULL, &options, &sampling, report), "path");
    REFUSES(rp_sampling_create, ("x.obj", NULL, &sampling, report), "options");
    REFUSES(rp_sampling_create, ("x.obj", &options, NULL, report), "out");
    IGNORES(rp_sampling_destroy, (NULL));
    GIVES(rp_sampling_state, (NULL).samples, 0);
    GIVES(rp_sampling_points, (NULL), NULL);
    GIVES(rp_sampling_normals, (NULL), NULL);
    options.spacing = 0.2;
    check_ok(
        rp_sampling_create(RP_SOURCE_DIR "/scenes/meshes/wheel.obj", &options, &sampling, report),
        report);
    REFUSES(rp_sampling_write, (NULL, "x.csv", report), "sampling");
    REFUSES(rp_sampling_write, (sampling, NULL, report), "path");
    REFUSES(rp_sampling_paint, (NULL, &picture, report), "sampling");
    REFUSES(rp_sampling_paint, (sampling, NULL, report), "out");
    rp_sampling_destroy(sampling);
}

static void of_bench_h(void **state)
{
    (void)state;
    rp_bench_list *list = NULL;
    IGNORES(rp_default_bench_options_fill, (NULL, 8));
    HAS_NONE(rp_bench_count);
    HAS_NONE(rp_bench_name);
    HAS_NONE(rp_bench_help);
    REFUSES(rp_bench_run, (NULL, NULL, &list, report), "name");
    REFUSES(rp_bench_run, ("null", NULL, NULL, report), "out");
    GIVES(rp_bench_run, ("no such case", NULL, &list, NULL), RP_ERROR_INPUT);
    IGNORES(rp_bench_list_destroy, (NULL));
    GIVES(rp_bench_list_machine, (NULL).bandwidth, 0);
    GIVES(rp_bench_list_count, (NULL), 0);
    GIVES(rp_bench_list_at, (NULL, 0), NULL);
}

static void of_validate_h(void **state)
{
    (void)state;
    rp_validation *validation = NULL;
    rp_case_outcome outcome;
    rp_validation_options options = rp_default_validation_options();
    IGNORES(rp_default_validation_options_fill, (NULL, 8));
    HAS_NONE(rp_case_count);
    HAS_NONE(rp_case_usual_count);
    HAS_NONE(rp_case_name);
    HAS_NONE(rp_case_title);
    GIVES(rp_case_is_meant, (0, NULL), false);
    REFUSES(rp_validation_create, (NULL, &validation, report), "options");
    REFUSES(rp_validation_create, (&options, &validation, report), "options->folder");
    options.folder = "/no/such/folder";
    REFUSES(rp_validation_create, (&options, NULL, report), "out");
    IGNORES(rp_validation_destroy, (NULL));
    check_ok(rp_validation_create(&options, &validation, report), report);
    GIVES(rp_validation_run, (NULL, 0, &outcome), RP_ERROR_INPUT);
    GIVES(rp_validation_run, (validation, 0, NULL), RP_ERROR_IO);
    REFUSES(rp_validation_write, (NULL, "x.md", report), "validation");
    REFUSES(rp_validation_write, (validation, NULL, report), "path");
    rp_validation_destroy(validation);
}

static void of_measure_h(void **state)
{
    (void)state;
    const rp_measure_input in = {.view = &view, .scene = scene}, blind = {.scene = scene},
                           lost = {.view = &view};
    rp_measured numbers[RP_MEASURED_MAX];
    double number = 1;
    int count = 0;
    rp_table table = {.column_count = 1};
    HAS_NONE(rp_measure_count);
    HAS_NONE(rp_measure_info_at);
    IGNORES(rp_default_measure_options_fill, (NULL, 8));
    GIVES(rp_measure_info_of, (NULL).name, NULL);
    REFUSES(rp_measure_numbers, (NULL, &in, numbers, &count, report), "name");
    REFUSES(rp_measure_numbers, ("energy", NULL, numbers, &count, report), "in");
    REFUSES(rp_measure_numbers, ("energy", &blind, numbers, &count, report), "in->view");
    REFUSES(rp_measure_numbers, ("energy", &lost, numbers, &count, report), "in->scene");
    REFUSES(rp_measure_numbers, ("energy", &in, NULL, &count, report), "out");
    REFUSES(rp_measure_numbers, ("energy", &in, numbers, NULL, report), "count");
    REFUSES(rp_measure_table, (NULL, &in, &table, report), "name");
    REFUSES(rp_measure_table, ("front", NULL, &table, report), "in");
    REFUSES(rp_measure_table, ("front", &in, NULL, report), "out");
    REFUSES(rp_table_add, (NULL, &number, report), "table");
    REFUSES(rp_table_add, (&table, NULL, report), "row");
    IGNORES(rp_table_column, (NULL, 0, &number));
    IGNORES(rp_table_column, (&table, 0, NULL));
    IGNORES(rp_table_release, (NULL));
    REFUSES(rp_measure_find_body, (NULL, "stone", &count, report), "scene");
    GIVES(rp_measure_find_body, (scene, NULL, &count, report), RP_ERROR_INPUT);
    REFUSES(rp_measure_find_body, (scene, "stone", NULL, report), "body");
    GIVES(rp_steady_of, (NULL, 3).count, 0);
    GIVES(rp_steady_within, (NULL, 0, 3).count, 0);
}

static void of_figures(void **state)
{
    (void)state;
    const rp_measure_input in = {.view = &view, .scene = scene};
    const double x[] = {1, 2};
    rp_figure *figure = rp_figure_create("", "", "");
    rp_figure *bare[3];
    GIVES(rp_measure_has_figure, (NULL), false);
    REFUSES(rp_measure_draw, (NULL, &in, figure, report), "name");
    REFUSES(rp_measure_draw, ("angle", NULL, figure, report), "in");
    REFUSES(rp_measure_draw, ("angle", &in, NULL, report), "figure");
    HAS_NONE(rp_plot_can);
    bare[0] = IGNORES(rp_figure_create, (NULL, "a", "b"));
    bare[1] = IGNORES(rp_figure_create, ("a", NULL, "b"));
    bare[2] = IGNORES(rp_figure_create, ("a", "b", NULL));
    for (int i = 0; i < 3; i++) {
        assert_non_null(bare[i]);
        rp_figure_destroy(bare[i]);
    }
    IGNORES(rp_figure_destroy, (NULL));
    IGNORES(rp_figure_set_title, (NULL, "a"));
    IGNORES(rp_figure_set_title, (figure, NULL));
    IGNORES(rp_figure_set_labels, (NULL, "a", "b"));
    IGNORES(rp_figure_set_labels, (figure, NULL, "b"));
    IGNORES(rp_figure_set_labels, (figure, "a", NULL));
    IGNORES(rp_figure_add_panel, (NULL, "a"));
    IGNORES(rp_figure_add_panel, (figure, NULL));
    IGNORES(rp_figure_set_flags, (NULL, 0));
    IGNORES(rp_figure_add, (NULL, "a", RP_PLOT_LINE, x, x, NULL, 2));
    IGNORES(rp_figure_add, (figure, NULL, RP_PLOT_LINE, x, x, NULL, 2));
    IGNORES(rp_figure_add, (figure, "a", RP_PLOT_LINE, NULL, x, NULL, 2));
    IGNORES(rp_figure_add, (figure, "a", RP_PLOT_LINE, x, NULL, NULL, 2));
    IGNORES(rp_figure_add, (figure, "a", RP_PLOT_LINE, x, x, NULL, 2));
    GIVES(rp_figure_series, (NULL), 0);
    assert_string_equal(rp_figure_title(NULL), "");
    IGNORES(rp_figure_title, (NULL));
    REFUSES(rp_plot_check_name, (NULL, report), "path");
    GIVES(rp_figure_write, (NULL, "x.svg", NULL), RP_ERROR_MEMORY);
    REFUSES(rp_figure_write, (figure, NULL, report), "path");
    rp_figure_destroy(figure);
}

static void of_film_h(void **state)
{
    (void)state;
    rp_film *film = NULL;
    const rp_film_options options = rp_default_film_options();
    const rp_film_run run = {rp_record_series(record, RP_SERIES_COARSE), 0, INT64_MAX};
    const rp_film_run nothing = {.to = INT64_MAX};
    IGNORES(rp_default_film_options_fill, (NULL, 8));
    REFUSES(rp_film_check, (NULL, scene, report), "options");
    REFUSES(rp_film_check, (&options, NULL, report), "scene");
    REFUSES(rp_film_open, (NULL, &run, 1, &film, report), "options");
    REFUSES(rp_film_open, (&options, NULL, 1, &film, report), "runs");
    REFUSES(rp_film_open, (&options, &nothing, 1, &film, report), "runs[i].series");
    REFUSES(rp_film_open, (&options, &run, 1, NULL, report), "out");
    REFUSES(rp_film_render, (NULL, report), "film");
    REFUSES(rp_film_finish, (NULL, report), "film");
    assert_int_equal(rp_film_state(NULL).frame_count, 0);
    IGNORES(rp_film_state, (NULL));
    IGNORES(rp_film_close, (NULL));
    GIVES(rp_film_quality_samples, (NULL), 0);
    HAS_NONE(rp_film_can_encode);
    GIVES(rp_film_is_video, (NULL), false);
    rp_picture *picture = NULL;
    REFUSES(rp_film_last, (NULL, &picture, report), "film");
    REFUSES(rp_film_sheet, (NULL, 1, 1, &picture, report), "film");
    check_ok(rp_film_open(&options, &run, 1, &film, report), report);
    REFUSES(rp_film_last, (film, NULL, report), "out");
    REFUSES(rp_film_sheet, (film, 1, 1, NULL, report), "out");
    rp_film_close(film);
    REFUSES(rp_view_render, (NULL, scene, &options, &picture, report), "view");
    REFUSES(rp_view_render, (&view, NULL, &options, &picture, report), "scene");
    REFUSES(rp_view_render, (&view, scene, NULL, &picture, report), "options");
    REFUSES(rp_view_render, (&view, scene, &options, NULL, report), "out");
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
        cmocka_unit_test(of_base_h),       cmocka_unit_test(of_view_h),
        cmocka_unit_test(of_scene_h),      cmocka_unit_test(of_drafts),
        cmocka_unit_test(of_query_h),      cmocka_unit_test(of_world_h),
        cmocka_unit_test(of_body_h),       cmocka_unit_test(of_joints),
        cmocka_unit_test(of_changes),      cmocka_unit_test(of_record_h),
        cmocka_unit_test(of_run_h),        cmocka_unit_test(of_export_h),
        cmocka_unit_test(of_text_h),       cmocka_unit_test(of_words_h),
        cmocka_unit_test(of_scene_info_h), cmocka_unit_test(of_params_h),
        cmocka_unit_test(of_picture_h),    cmocka_unit_test(of_sample_h),
        cmocka_unit_test(of_bench_h),      cmocka_unit_test(of_validate_h),
        cmocka_unit_test(of_measure_h),    cmocka_unit_test(of_figures),
        cmocka_unit_test(of_film_h),       cmocka_unit_test(a_fault_without_a_report_is_a_code),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
