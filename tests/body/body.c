/* Bodies of a scene made by hand: what moves, what stays, what is refused, saving and loading. */
#include "check.h"

#include "base/memory.h"
#include "body/inside.h"

#include <string.h>

static rp_key_spec keys[] = {
    {0.0, {0, 0, 1}, {0, 0, 0}},
    {1.0, {0, 2, 1}, {0, 0.5, 7}},
    {2.0, {1, 2, 1}, {0.2, 0.5, 12}},
};
static rp_body_spec specs[3];

static rp_scene scene_of(int bodies)
{
    memset(specs, 0, sizeof specs);
    specs[0] = (rp_body_spec){.name = "floor", .motion = RP_MOTION_FIXED};
    specs[0].pose = (rp_pose){{1, 2, 3}, rp_quat_from_euler(rp_v3(0.1, 0.2, 0.3))};
    specs[1] = (rp_body_spec){.name = "arm", .motion = RP_MOTION_KEYS, .keys = {keys, 3}};
    specs[1].keys_move = specs[1].keys_turn = true;
    specs[2] = specs[0];
    specs[2].name = "lid";
    return (rp_scene){.bodies = {specs, bodies}};
}

static rp_vec3 vec3_of(const double v[3])
{
    return rp_v3(v[0], v[1], v[2]);
}

static rp_quat quat_of(const double q[4])
{
    return (rp_quat){q[0], q[1], q[2], q[3]};
}

static rp_code advance(rp_bodies *bodies, double time, double dt, rp_report *report)
{
    rp_code code = rp_bodies_begin(bodies, time, dt, report);
    return code == RP_OK ? rp_bodies_finish(bodies, report) : code;
}

static void fixed_bodies_stay(void **state)
{
    (void)state;
    rp_scene scene = scene_of(3);
    rp_bodies *bodies;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    assert_int_equal(rp_bodies_count(bodies), 3);
    rp_body_state before = rp_bodies_states(bodies)[2];
    assert_true(before.position[1] == 2);
    assert_true(before.orientation[0] == specs[0].pose.orientation.w);
    for (int i = 0; i < 10; i++)
        assert_int_equal(advance(bodies, 0.1 * i, 0.1, NULL), RP_OK);
    assert_memory_equal(&before, &rp_bodies_states(bodies)[2], sizeof before);
    check_near(rp_v3_length(vec3_of(before.velocity)), 0, 0);
    rp_bodies_destroy(bodies);
}

/* Moving the old pose with the interval's velocities gives the new pose. */
static void velocities_lead_to_the_new_pose(void **state)
{
    (void)state;
    rp_scene scene = scene_of(2);
    rp_bodies *bodies;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    rp_body_state *arm = &rp_bodies_states(bodies)[1];
    assert_true(arm->position[2] == 1 && arm->velocity[1] == 0);
    const double dt = 0.013;
    for (double t = 0; t < 2.5; t += dt) {
        rp_vec3 position = vec3_of(arm->position);
        rp_quat orientation = quat_of(arm->orientation);
        assert_int_equal(advance(bodies, t, dt, NULL), RP_OK);
        position = rp_v3_madd(position, dt, vec3_of(arm->velocity));
        check_near(rp_v3_length(rp_v3_sub(position, vec3_of(arm->position))), 0, 1e-14);
        rp_quat turn = rp_quat_exp(rp_v3_scale(vec3_of(arm->angular_velocity), dt));
        rp_quat left =
            rp_quat_mul(rp_quat_mul(turn, orientation), rp_quat_conj(quat_of(arm->orientation)));
        check_near(rp_v3_length(rp_quat_log(left)), 0, 1e-13);
    }
    check_near(rp_v3_length(vec3_of(arm->velocity)), 0, 0);
    rp_bodies_destroy(bodies);
}

static void a_pose_depends_on_the_time_alone(void **state)
{
    (void)state;
    rp_scene scene = scene_of(2);
    rp_bodies *a, *b;
    check_ok(rp_bodies_create(&scene, &a, NULL), NULL);
    check_ok(rp_bodies_create(&scene, &b, NULL), NULL);
    assert_int_equal(advance(a, 0, 0.25, NULL), RP_OK);
    assert_int_equal(advance(a, 0.25, 0.5, NULL), RP_OK);
    assert_int_equal(advance(b, 0.25, 0.5, NULL), RP_OK);
    assert_memory_equal(&rp_bodies_states(a)[1], &rp_bodies_states(b)[1], sizeof(rp_body_state));
    rp_bodies_destroy(a);
    rp_bodies_destroy(b);
}

static double turn_between(rp_quat a, rp_quat b)
{
    return rp_v3_length(rp_quat_log(rp_quat_mul(a, rp_quat_conj(b))));
}

/* A drum at 30 rpm that drifts, and one with a key for each quarter of its turns. */
static void a_rate_is_as_good_as_many_keys(void **state)
{
    (void)state;
    enum { QUARTERS = 400 };
    static rp_key_spec many[QUARTERS + 1];
    rp_body_spec even = {.motion = RP_MOTION_KEYS,
                         .pose = {{1, 2, 3}, rp_quat_from_euler(rp_v3(RP_PI / 2, 0, 0))},
                         .velocity = {0.1, 0, -0.2},
                         .spin = {0, 0, RP_PI}};
    for (int i = 0; i <= QUARTERS; i++)
        many[i] = (rp_key_spec){0.5 * i,
                                rp_v3_madd(even.pose.position, 0.5 * i, even.velocity),
                                {RP_PI / 2, 0, RP_PI / 2 * i}};
    rp_body_spec keyed = {.motion = RP_MOTION_KEYS,
                          .keys = {many, QUARTERS + 1},
                          .keys_move = true,
                          .keys_turn = true,
                          .interpolation = RP_INTERPOLATION_LINEAR};
    for (double time = 0; time < 200; time += 0.37) {
        rp_pose a = rp_body_pose_at(&even, time), b = rp_body_pose_at(&keyed, time);
        check_near(rp_v3_length(rp_v3_sub(a.position, b.position)), 0, 1e-13);
        check_near(turn_between(a.orientation, b.orientation), 0, 1e-12);
    }
}

/* After a million turns and a quarter the body stands where it stood after a quarter. */
static void turns_do_not_add_up_errors(void **state)
{
    (void)state;
    rp_body_spec spec = {.motion = RP_MOTION_KEYS,
                         .pose = {{0, 0, 0}, rp_quat_from_euler(rp_v3(0.3, 0.2, 0.1))},
                         .spin = {0, 2 * RP_PI, 0}};
    rp_quat first = rp_body_pose_at(&spec, 0.25).orientation;
    for (double turns = 1; turns < 2e6; turns *= 10) {
        rp_quat later = rp_body_pose_at(&spec, turns + 0.25).orientation;
        check_near(turn_between(first, later), 0, 2e-16 * 2 * RP_PI * turns + 1e-14);
    }
}

/* Its velocities are the scene's from the first instant, whatever the steps; its pose is that of
 * the time alone. */
static void even_motion_has_the_velocities_of_the_scene(void **state)
{
    (void)state;
    rp_scene scene = scene_of(2);
    specs[1].keys.count = 0;
    specs[1].keys_move = specs[1].keys_turn = false;
    specs[1].pose.orientation = rp_quat_identity();
    specs[1].velocity = rp_v3(1, 0, 0);
    specs[1].spin = rp_v3(0, 0, 700);
    rp_bodies *a, *b;
    check_ok(rp_bodies_create(&scene, &a, NULL), NULL);
    check_ok(rp_bodies_create(&scene, &b, NULL), NULL);
    assert_true(rp_bodies_states(a)[1].angular_velocity[2] == 700);
    assert_int_equal(advance(a, 0, 0.25, NULL), RP_OK);
    assert_int_equal(advance(a, 0.25, 0.5, NULL), RP_OK); /* more than fifty turns at once */
    assert_int_equal(advance(b, 0.25, 0.5, NULL), RP_OK);
    const rp_body_state *arm = &rp_bodies_states(a)[1];
    assert_true(arm->velocity[0] == 1 && arm->angular_velocity[2] == 700);
    check_near(arm->position[0], 0.75, 1e-15);
    assert_memory_equal(arm, &rp_bodies_states(b)[1], sizeof *arm);
    rp_bodies_destroy(a);
    rp_bodies_destroy(b);
}

static void check_refused(const rp_scene *scene, rp_code code, const char *key, const char *words)
{
    rp_report *report = rp_report_create();
    rp_bodies *bodies;
    assert_int_equal(rp_bodies_create(scene, &bodies, report), code);
    assert_null(bodies);
    assert_int_equal(rp_report_count(report), 1);
    assert_string_equal(rp_report_fault(report, 0)->key, key);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, words));
    rp_report_destroy(report);
}

static void what_cannot_move_is_refused(void **state)
{
    (void)state;
    rp_scene scene = scene_of(3);
    specs[2].motion = RP_MOTION_DYNAMIC;
    if (!rp_engine_is_there())
        check_refused(&scene, RP_ERROR_UNSUPPORTED, "bodies.lid.motion", "no rigid-body engine");
    scene = scene_of(3);
    rp_key_spec same[2] = {keys[1], keys[1]};
    specs[1].keys = (rp_plain_list){same, 2};
    check_refused(&scene, RP_ERROR_INPUT, "bodies.arm.keys", "must rise");
}

static void a_saved_state_comes_back_bit_for_bit(void **state)
{
    (void)state;
    rp_scene scene = scene_of(3);
    rp_bodies *bodies;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    assert_int_equal(advance(bodies, 0.3, 0.01, NULL), RP_OK);
    rp_bodies_states(bodies)[1].force[2] = -1.0 / 3;
    rp_bodies_states(bodies)[2].torque[0] = 1e-300;
    rp_body_state before[3];
    memcpy(before, rp_bodies_states(bodies), sizeof before);
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true; /* what is gathered has to outlive the call all the same */
    check_ok(rp_bodies_save(bodies, &store, NULL), NULL);
    assert_non_null(rp_store_find(&store, "bodies/angular_velocity"));

    assert_int_equal(advance(bodies, 0.31, 0.4, NULL), RP_OK);
    memset(rp_bodies_states(bodies)[2].torque, 0, sizeof before[2].torque);
    check_ok(rp_bodies_load(bodies, &store, NULL), NULL);
    assert_memory_equal(before, rp_bodies_states(bodies), sizeof before);
    rp_bodies_destroy(bodies);
    rp_store_end(&store);
}

static void a_state_that_does_not_fit_changes_nothing(void **state)
{
    (void)state;
    rp_scene two = scene_of(2), three = scene_of(3);
    rp_bodies *small, *large;
    check_ok(rp_bodies_create(&two, &small, NULL), NULL);
    check_ok(rp_bodies_create(&three, &large, NULL), NULL);
    rp_store store;
    rp_store_begin(&store);
    check_ok(rp_bodies_save(small, &store, NULL), NULL);
    assert_int_equal(advance(large, 0.3, 0.1, NULL), RP_OK);
    rp_body_state before = rp_bodies_states(large)[1];
    assert_int_equal(rp_bodies_load(large, &store, NULL), RP_ERROR_DAMAGED);
    size_t whole = store.count;
    store.count = 4; /* as if the rest were lost */
    assert_int_equal(rp_bodies_load(small, &store, NULL), RP_ERROR_DAMAGED);
    store.count = whole;
    assert_memory_equal(&before, &rp_bodies_states(large)[1], sizeof before);
    rp_store_end(&store);
    rp_bodies_destroy(small);
    rp_bodies_destroy(large);
}

static void no_bodies_are_fine(void **state)
{
    (void)state;
    rp_scene scene = scene_of(0);
    rp_bodies *bodies;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    assert_int_equal(rp_bodies_count(bodies), 0);
    assert_int_equal(advance(bodies, 0, 1, NULL), RP_OK);
    rp_store store;
    rp_store_begin(&store);
    check_ok(rp_bodies_save(bodies, &store, NULL), NULL);
    check_ok(rp_bodies_load(bodies, &store, NULL), NULL);
    rp_store_end(&store);
    rp_bodies_destroy(bodies);
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_bodies_stay),
        cmocka_unit_test(velocities_lead_to_the_new_pose),
        cmocka_unit_test(a_pose_depends_on_the_time_alone),
        cmocka_unit_test(a_rate_is_as_good_as_many_keys),
        cmocka_unit_test(turns_do_not_add_up_errors),
        cmocka_unit_test(even_motion_has_the_velocities_of_the_scene),
        cmocka_unit_test(what_cannot_move_is_refused),
        cmocka_unit_test(a_saved_state_comes_back_bit_for_bit),
        cmocka_unit_test(a_state_that_does_not_fit_changes_nothing),
        cmocka_unit_test(no_bodies_are_fine),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
