/* Joints that the host program drives: motors, servos, limits, release, and what they tell. */
#include "worlds.h"

#define G 9.81
#define HEAD                                                                                       \
    "time: {duration: 10 s}\n"                                                                     \
    "domain: {low: [-9, -9, -9], high: [9, 9, 9], open: [left, right, front, back, bottom, "       \
    "top]}\n"                                                                                      \
    "particles: {spacing: 1 cm}\n"
/* A weight of 2 kg, half a metre from a hinge. */
#define ARM                                                                                        \
    HEAD "bodies: {arm: {shape: sphere, radius: 5 cm, position: [0.5, 0, 0], motion: dynamic, "    \
         "mass: 2 "                                                                                \
         "kg}, post: {shape: box, size: [0.1, 0.1, 0.1], position: [0, 1, 0]}}\n"
#define HINGE(ends)                                                                                \
    ARM "joints: {shoulder: {kind: hinge, " ends ", anchor: [0, 0, 0], axis: [0, 1, 0]}}\n"

typedef struct machine {
    rp_scene *scene;
    rp_world *world;
    rp_report *report;
    int joint;
} machine;

static machine machine_of(const char *text, const char *joint)
{
    machine m = {.scene = scene_of(text), .report = rp_report_create()};
    m.world = world_of(m.scene, 1);
    m.joint = rp_joint_find(m.world, joint);
    return m;
}

static rp_joint_state state_of(machine *m)
{
    rp_joint_state state;
    check_ok(rp_joint_read(m->world, m->joint, &state, m->report), m->report);
    return state;
}

static void end(machine *m)
{
    rp_world_destroy(m->world);
    rp_scene_destroy(m->scene);
    rp_report_destroy(m->report);
}

static void check_resumes(machine *m, double time)
{
    rp_snapshot *snapshot;
    check_ok(rp_world_snapshot(m->world, &snapshot, m->report), m->report);
    rp_world *other = world_of(m->scene, 1);
    check_ok(rp_world_restore(other, snapshot, m->report), m->report);
    rp_joint_state a = state_of(m), b;
    check_ok(rp_joint_read(other, m->joint, &b, m->report), m->report);
    assert_memory_equal(&a.position, &b.position, sizeof a - offsetof(rp_joint_state, position));
    run_world(m->world, time);
    run_world(other, time);
    assert_true(rp_world_hash(other) == rp_world_hash(m->world));
    rp_world_destroy(other);
    rp_snapshot_destroy(snapshot);
}

/* A brake bears m g r, and says so. */
static void a_motor_holds_a_weight(void **state)
{
    (void)state;
    machine m = machine_of(HINGE("body: arm"), "shoulder");
    check_ok(rp_joint_set_motor(m.world, m.joint, 0, 50, m.report), m.report);
    run_world(m.world, 0.5);
    rp_joint_state now = state_of(&m);
    assert_true(now.holds);
    check_near(now.position, 0, 1e-3);
    check_near(now.motor_force, -2 * G * 0.5, 1e-2); /* gravity turns it about +y */
    check_near(now.force[2], 2 * G, 1e-2);
    check_near(now.torque[1], -2 * G * 0.5, 1e-2);
    check_near(now.torque[0], 0, 1e-2);
    check_ok(rp_joint_set_motor(m.world, m.joint, 0, 5, m.report), m.report); /* too weak */
    check_resumes(&m, 0.6);
    now = state_of(&m);
    check_near(now.motor_force, -5, 1e-6);
    assert_true(now.position > 0.01 && now.rate > 0.1);
    end(&m);
}

/* Speeds, stops and what is read have one sign, whichever end of the joint is the one that moves.
 */
static void a_motor_turns_the_body_against_the_other(void **state)
{
    (void)state;
    const char *const texts[] = {HINGE("body: arm"), HINGE("body: arm, other: post"),
                                 HINGE("body: post, other: arm")};
    for (int i = 0; i < 3; i++) {
        machine m = machine_of(texts[i], "shoulder");
        double sign = i == 2 ? -1 : 1; /* the post against the arm */
        check_ok(rp_joint_set_motor(m.world, m.joint, 1, 100, m.report), m.report);
        run_world(m.world, 0.5);
        rp_joint_state now = state_of(&m);
        check_near(now.position, 0.5, 5e-3);
        check_near(now.rate, 1, 1e-6);
        rp_view view;
        rp_world_view(m.world, &view);
        check_near(view.bodies[0].angular_velocity[1], sign, 1e-6);
        check_near(now.motor_force, -sign * 2 * G * 0.5 * cos(0.5), 0.1);
        check_ok(rp_joint_set_limits(m.world, m.joint, -1, 0.8, m.report), m.report);
        run_world(m.world, 2);
        check_near(state_of(&m).position, 0.8, 5e-3);
        end(&m);
    }
}

static void a_servo_goes_to_its_target(void **state)
{
    (void)state;
    machine m = machine_of(HINGE("body: arm"), "shoulder");
    check_ok(rp_joint_set_target(m.world, m.joint, -0.7, 2, 50, m.report), m.report);
    run_world(m.world, 0.2);
    check_near(state_of(&m).rate, -2, 1e-6);
    check_resumes(&m, 1);
    rp_joint_state now = state_of(&m);
    check_near(now.position, -0.7, 1e-3);
    check_near(now.rate, 0, 1e-3);
    check_near(now.motor_force, -2 * G * 0.5 * cos(0.7), 2e-2);
    end(&m);
}

static void a_slider_lifts(void **state)
{
    (void)state;
    machine m =
        machine_of(ARM "joints: {lift: {kind: slider, body: arm, axis: [0, 0, 1]}}\n", "lift");
    check_ok(rp_joint_set_target(m.world, m.joint, 0.3, 1, 100, m.report), m.report);
    check_resumes(&m, 1);
    rp_joint_state now = state_of(&m);
    check_near(now.position, 0.3, 1e-3);
    check_near(now.motor_force, 2 * G, 1e-2);
    check_near(now.force[2], 2 * G, 1e-2);
    end(&m);
}

static void a_joint_is_released(void **state)
{
    (void)state;
    machine m = machine_of(ARM "joints: {hook: {kind: fixed, body: arm}}\n", "hook");
    rp_view view;
    run_world(m.world, 1); /* it sleeps */
    check_near(state_of(&m).force[2], 2 * G, 1e-2);
    check_ok(rp_joint_release(m.world, m.joint, m.report), m.report);
    rp_joint_state now = state_of(&m);
    assert_false(now.holds);
    check_near(now.force[2], 0, 0);
    check_resumes(&m, 1.5);
    rp_world_view(m.world, &view);
    check_near(view.bodies[0].velocity[2], -G * 0.5, 1e-6);
    end(&m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    machine m = machine_of(ARM "joints: {hook: {kind: ball, body: arm, anchor: [0, 0, 0]}, lift: "
                               "{kind: hinge, body: arm, other: post, anchor: [0, 1, 0], axis: "
                               "[0, 1, 0]}}\n",
                           "lift");
    rp_joint_state read;
    int ball = rp_joint_find(m.world, "hook");
    assert_int_equal(rp_joint_find(m.world, "knee"), -1);
    assert_int_equal(rp_joint_set_motor(m.world, ball, 1, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_limits(m.world, ball, 0, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_motor(m.world, m.joint, NAN, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_motor(m.world, m.joint, 1, -1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_motor(m.world, 2, 1, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_target(m.world, m.joint, 4, 1, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_limits(m.world, m.joint, 1, 0, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_set_limits(m.world, m.joint, NAN, 0, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_release(m.world, -1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_joint_read(m.world, 7, &read, NULL), RP_ERROR_INPUT);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_holds_a_weight),
        cmocka_unit_test(a_motor_turns_the_body_against_the_other),
        cmocka_unit_test(a_servo_goes_to_its_target),
        cmocka_unit_test(a_slider_lifts),
        cmocka_unit_test(a_joint_is_released),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
