/* Bodies and joints that the host program controls: forces, poses, velocities, hand control;
 * motors, servos, limits, release, and the reactions of joints. */
#include "world/running.h"

#include <string.h>

/* --- bodies ----------------------------------------------------------------------------------- */

#define BALL                                                                                       \
    "gravity: [0, 0, 0]\n" OPEN_SPACE "bodies:\n"                                                  \
    "  ball: {shape: sphere, radius: 0.1, motion: dynamic, mass: 2 kg}\n"                          \
    "  rod: {shape: box, size: [1, 0.1, 0.1], position: [0, 3, 0], motion: dynamic, mass: 3 kg}\n" \
    "  stone: {shape: box, size: [1, 1, 1], position: [0, -3, 0]}\n"

static void a_force_gives_momentum(void **state)
{
    (void)state;
    running s = running_of(BALL);
    int ball = rp_body_find(s.world, "ball");
    check_near(rp_body_mass(s.world, ball), 2, 1e-12);
    check_near(rp_body_mass(s.world, rp_body_find(s.world, "stone")), 0, 0);
    const double force[3] = {3, 0, -1};
    check_ok(rp_body_add_force(s.world, ball, force, s.report), s.report);
    check_resumes(&s, 0.5); /* the whole of the call: F t / m */
    check_near(s.view.bodies[ball].velocity[0], 3 * 0.5 / 2, 1e-9);
    check_near(s.view.bodies[ball].velocity[2], -1 * 0.5 / 2, 1e-9);
    run(&s, 1); /* and no longer */
    check_near(s.view.bodies[ball].velocity[0], 3 * 0.5 / 2, 1e-9);
    check_ok(rp_body_add_force(s.world, ball, force, s.report), s.report);
    check_ok(rp_body_add_force(s.world, ball, force, s.report), s.report); /* they add up */
    check_ok(rp_world_step(s.world, s.report), s.report);
    rp_world_view(s.world, &s.view);
    check_near(s.view.bodies[ball].velocity[0], 3 * (0.5 + 2 * s.view.dt) / 2, 1e-9);
    end(&s);
}

static void a_torque_gives_angular_momentum(void **state)
{
    (void)state;
    running s = running_of(BALL);
    int ball = rp_body_find(s.world, "ball"), rod = rp_body_find(s.world, "rod");
    double inertia = 0.4 * 2 * 0.1 * 0.1; /* kg m2 */
    const double torque[3] = {0, 0, 0.02}, force[3] = {0, 0.3, 0}, point[3] = {0.5, 3, 0};
    check_ok(rp_body_add_torque(s.world, ball, torque, s.report), s.report);
    check_ok(rp_body_add_force_at(s.world, rod, force, point, s.report), s.report);
    run(&s, 0.25);
    check_near(s.view.bodies[ball].angular_velocity[2], 0.02 * 0.25 / inertia, 1e-9);
    check_near(s.view.bodies[ball].velocity[1], 0, 0);
    double across = 3 * (1 + 0.01) / 12; /* kg m2, of the rod about z */
    check_near(s.view.bodies[rod].velocity[1], 0.3 * 0.25 / 3, 1e-9);
    check_near(s.view.bodies[rod].angular_velocity[2], 0.3 * 0.5 * 0.25 / across, 1e-9);
    end(&s);
}

static void a_push_wakes_and_keeps_awake(void **state)
{
    (void)state;
    running s =
        running_of(OPEN_SPACE "bodies:\n"
                              "  floor: {shape: plane, friction: 0}\n"
                              "  box: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.1], "
                              "motion: dynamic, mass: 2 kg, friction: 0}\n");
    int box = rp_body_find(s.world, "box");
    const double force[3] = {0.002, 0, 0};
    run(&s, 2); /* it sleeps */
    check_near(s.view.bodies[box].velocity[0], 0, 0);
    check_ok(rp_body_add_force(s.world, box, force, s.report), s.report);
    run(&s, 4); /* slower than a body that may sleep, for most of the time */
    check_near(s.view.bodies[box].velocity[0], 0.002 * 2 / 2, 1e-5);
    end(&s);
}

static void poses_and_velocities_are_set(void **state)
{
    (void)state;
    running s = running_of(BALL);
    int ball = rp_body_find(s.world, "ball");
    const double at[3] = {1, 2, 3}, turn[4] = {0, 0, 0, 1}, v[3] = {0, 0, 2}, w[3] = {1, 0, 0};
    check_ok(rp_body_set_pose(s.world, ball, at, turn, s.report), s.report);
    check_ok(rp_body_set_velocity(s.world, ball, v, w, s.report), s.report);
    rp_world_view(s.world, &s.view);
    check_near(s.view.bodies[ball].position[1], 2, 0);
    check_near(s.view.bodies[ball].orientation[3], 1, 0);
    check_resumes(&s, 0.5);
    check_near(s.view.bodies[ball].position[2], 4, 1e-9);
    check_near(s.view.bodies[ball].angular_velocity[0], 1, 1e-9);
    check_ok(rp_body_set_velocity(s.world, ball, at, NULL, s.report), s.report);
    check_ok(rp_body_set_pose(s.world, ball, NULL, turn, s.report), s.report);
    rp_world_view(s.world, &s.view);
    check_near(s.view.bodies[ball].position[2], 4, 1e-9);
    check_near(s.view.bodies[ball].angular_velocity[0], 1, 1e-9);
    end(&s);
}

static void invalid_bodies_are_refused(void **state)
{
    (void)state;
    running s = running_of(BALL);
    rp_world *world = s.world;
    int ball = rp_body_find(world, "ball"), stone = rp_body_find(world, "stone");
    const double bad[3] = {0, NAN, 0}, huge[3] = {INFINITY, 0, 0}, good[3] = {1, 1, 1};
    const double zero[4] = {0, 0, 0, 0};
    uint64_t before = rp_world_hash(world);
    assert_int_equal(rp_body_find(world, "moon"), -1);
    assert_int_equal(rp_body_add_force(world, ball, bad, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_add_force_at(world, ball, good, huge, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_add_torque(world, ball, huge, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_add_force(world, stone, good, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_add_force(world, 3, good, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_add_force(world, -1, good, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_set_pose(world, ball, good, zero, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_set_pose(world, ball, bad, NULL, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_set_pose(world, stone, good, NULL, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_set_velocity(world, ball, bad, NULL, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_set_velocity(world, stone, good, NULL, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_move_to(world, ball, good, NULL, 1, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_release(world, ball, 0, NULL), RP_ERROR_INPUT);
    assert_true(rp_world_hash(world) == before);
    check_ok(rp_body_take_control(world, stone, s.report), s.report);
    assert_int_equal(rp_body_move_to(world, stone, good, NULL, 0, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_move_to(world, stone, good, NULL, NAN, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_body_release(world, stone, -1, NULL), RP_ERROR_INPUT);
    end(&s);
}

/* --- hand control ----------------------------------------------------------------------------- */

/* A box of sand that a blade is drawn through. */
#define SAND(blade)                                                                                \
    "time: {duration: 1 s}\n"                                                                      \
    "domain: {low: [-0.3, -0.1, 0], high: [0.3, 0.1, 1]}\n"                                        \
    "particles: {spacing: 2 cm}\n"                                                                 \
    "sources: {bed: {shape: box, size: [0.56, 0.16, 0.1], position: [0, 0, 0.06]}}\n"              \
    "bodies: {blade: {shape: box, size: [0.02, 0.2, 0.2], position: [-0.25, 0, 0.15], " blade      \
    "}}\n"

/* The same even motion by the scene and by the program: the same bits, forces included. */
static void a_controlled_blade_is_a_keyed_one(void **state)
{
    (void)state;
    running keyed = running_of(SAND("motion: keys, velocity: [0.4, 0, 0]"));
    running led = running_of(SAND("motion: fixed"));
    const double velocity[3] = {0.4, 0, 0};
    check_ok(rp_body_take_control(led.world, 0, led.report), led.report);
    assert_true(rp_body_is_controlled(led.world, 0));
    check_ok(rp_body_set_velocity(led.world, 0, velocity, NULL, led.report), led.report);
    run(&keyed, 0.2);
    run(&led, 0.2);
    assert_int_equal(keyed.view.count, led.view.count);
    assert_memory_equal(keyed.view.x, led.view.x, led.view.count * sizeof(float));
    assert_memory_equal(keyed.view.vz, led.view.vz, led.view.count * sizeof(float));
    assert_memory_equal(keyed.view.bodies, led.view.bodies, sizeof *led.view.bodies);
    assert_true(led.view.bodies[0].force[0] < -0.1); /* it pushes sand */
    check_resumes(&led, 0.3);
    end(&keyed);
    end(&led);
}

static void control_goes_to_the_program_and_back(void **state)
{
    (void)state;
    running s =
        running_of(OPEN_SPACE "bodies:\n"
                              "  arm: {shape: box, size: [0.1, 0.1, 0.1], motion: keys, keys: "
                              "[{time: 0, position: [0, 0, 0]}, {time: 2, position: [2, 0, 0]}], "
                              "interpolation: linear}\n");
    const double target[3] = {0.5, 1, 0}, up[3] = {0, 0, 1}, half[4] = {0, 0, 0, 1};
    run(&s, 0.5);
    check_near(s.view.bodies[0].position[0], 0.5, 1e-12);
    check_ok(rp_body_take_control(s.world, 0, s.report), s.report);
    run(&s, 0.6); /* it rests */
    check_near(s.view.bodies[0].position[0], 0.5, 1e-12);
    check_ok(rp_body_move_to(s.world, 0, target, half, 0.2, s.report), s.report);
    check_resumes(&s, 0.7); /* in the middle of the motion */
    check_near(s.view.bodies[0].position[1], 0.5, 1e-9);
    check_near(s.view.bodies[0].velocity[1], 5, 1e-9);
    check_near(fabs(s.view.bodies[0].angular_velocity[2]), 3.14159265358979 / 0.2, 1e-6);
    run(&s, 0.9); /* it is there, and rests */
    check_near(s.view.bodies[0].position[1], 1, 0);
    check_near(s.view.bodies[0].velocity[1], 0, 0);
    check_ok(rp_body_set_velocity(s.world, 0, up, NULL, s.report), s.report);
    run(&s, 1);
    check_near(s.view.bodies[0].position[2], 0.1, 1e-12);
    check_ok(rp_body_release(s.world, 0, 0.4, s.report), s.report);
    assert_true(rp_body_is_controlled(s.world, 0));
    check_resumes(&s, 1.2); /* half way to where the keys have it at 1.4 s */
    check_near(s.view.bodies[0].position[0], (0.5 + 1.4) / 2, 1e-9);
    check_near(s.view.bodies[0].position[2], 0.05, 1e-9);
    run(&s, 1.6);
    assert_false(rp_body_is_controlled(s.world, 0));
    check_near(s.view.bodies[0].position[0], 1.6, 1e-9);
    check_near(s.view.bodies[0].velocity[0], 1, 1e-9);
    check_ok(rp_body_take_control(s.world, 0, s.report), s.report);
    run(&s, 1.8);
    check_ok(rp_body_release(s.world, 0, 0, s.report), s.report); /* a jump */
    rp_world_view(s.world, &s.view);
    check_near(s.view.bodies[0].position[0], 1.8, 1e-9);
    end(&s);
}

/* What the program holds does not fall, carries others, and falls when it is let go. */
static void a_dynamic_body_is_held_and_let_go(void **state)
{
    (void)state;
    running s =
        running_of(OPEN_SPACE "bodies:\n"
                              "  tray: {shape: box, size: [1, 1, 0.1], position: [0, 0, -0.05], "
                              "motion: dynamic, mass: 1 kg}\n"
                              "  load: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.1], "
                              "motion: dynamic, mass: 4 kg}\n");
    const double up[3] = {0, 0, 0.5};
    check_ok(rp_body_take_control(s.world, 0, s.report), s.report);
    assert_int_equal(rp_body_add_force(s.world, 0, up, NULL), RP_ERROR_INPUT);
    run(&s, 0.5);
    check_near(s.view.bodies[0].position[2], -0.05, 0);
    check_near(s.view.bodies[1].position[2], 0.1, 2e-3);
    check_near(s.view.bodies[1].contact_force[2], 4 * 9.81, 0.05);
    check_ok(rp_body_set_velocity(s.world, 0, up, NULL, s.report), s.report);
    check_resumes(&s, 1);
    check_near(s.view.bodies[0].position[2], 0.2, 1e-12);
    check_near(s.view.bodies[1].position[2], 0.35, 3e-3);
    check_ok(rp_body_release(s.world, 0, 0, s.report), s.report);
    check_resumes(&s, 1.2);
    check_near(s.view.bodies[0].velocity[2], 0.5 - 9.81 * 0.2, 0.02);
    check_near(s.view.bodies[1].velocity[2], 0.5 - 9.81 * 0.2, 0.02);
    end(&s);
}

/* A fixed body that is taken over moves what lies on it, and a pose that is set wakes sand. */
static void a_fixed_floor_is_taken_away(void **state)
{
    (void)state;
    running s = running_of("time: {duration: 5 s}\n"
                           "domain: {low: [-0.1, -0.1, -2], high: [0.1, 0.1, 1]}\n"
                           "particles: {spacing: 4 cm}\n"
                           "solver: {sleeping: yes}\n"
                           "sources: {bed: {shape: box, size: [0.16, 0.16, 0.16], position: [0, 0, "
                           "0.1]}}\n"
                           "bodies: {floor: {shape: box, size: [0.3, 0.3, 0.04], position: [0, 0, "
                           "-0.02]}}\n");
    const double below[3] = {0, 0, -1.5};
    run(&s, 2);
    size_t asleep = 0;
    for (size_t i = 0; i < s.view.count; i++)
        asleep += s.view.asleep[i];
    assert_int_equal(asleep, s.view.count); /* all of it */
    check_ok(rp_body_take_control(s.world, 0, s.report), s.report);
    check_ok(rp_body_set_pose(s.world, 0, below, NULL, s.report), s.report);
    check_resumes(&s, 2.2);
    for (size_t i = 0; i < s.view.count; i++)
        check_near((double)s.view.vz[i], -9.81 * 0.2, 0.3);
    end(&s);
}

/* --- joints ----------------------------------------------------------------------------------- */

#define G 9.81
/* A weight of 2 kg, half a metre from a hinge. */
#define ARM                                                                                        \
    OPEN_SPACE                                                                                     \
    "bodies: {arm: {shape: sphere, radius: 5 cm, position: [0.5, 0, 0], motion: dynamic, "         \
    "mass: 2 "                                                                                     \
    "kg}, post: {shape: box, size: [0.1, 0.1, 0.1], position: [0, 1, 0]}}\n"
#define HINGE(ends)                                                                                \
    ARM "joints: {shoulder: {kind: hinge, " ends ", anchor: [0, 0, 0], axis: [0, 1, 0]}}\n"

static running machine_of(const char *text, const char *joint)
{
    running m = running_of(text);
    m.joint = rp_joint_find(m.world, joint);
    return m;
}

static rp_joint_state state_of(running *m)
{
    rp_joint_state state;
    check_ok(rp_joint_read(m->world, m->joint, &state, m->report), m->report);
    return state;
}

/* A brake bears m g r, and says so. */
static void a_motor_holds_a_weight(void **state)
{
    (void)state;
    running m = machine_of(HINGE("body: arm"), "shoulder");
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
        running m = machine_of(texts[i], "shoulder");
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
    running m = machine_of(HINGE("body: arm"), "shoulder");
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
    running m =
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
    running m = machine_of(ARM "joints: {hook: {kind: fixed, body: arm}}\n", "hook");
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

static void invalid_joints_are_refused(void **state)
{
    (void)state;
    running m = machine_of(ARM "joints: {hook: {kind: ball, body: arm, anchor: [0, 0, 0]}, lift: "
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
        cmocka_unit_test(a_force_gives_momentum),
        cmocka_unit_test(a_torque_gives_angular_momentum),
        cmocka_unit_test(a_push_wakes_and_keeps_awake),
        cmocka_unit_test(poses_and_velocities_are_set),
        cmocka_unit_test(invalid_bodies_are_refused),
        cmocka_unit_test(a_controlled_blade_is_a_keyed_one),
        cmocka_unit_test(control_goes_to_the_program_and_back),
        cmocka_unit_test(a_dynamic_body_is_held_and_let_go),
        cmocka_unit_test(a_fixed_floor_is_taken_away),
        cmocka_unit_test(a_motor_holds_a_weight),
        cmocka_unit_test(a_motor_turns_the_body_against_the_other),
        cmocka_unit_test(a_servo_goes_to_its_target),
        cmocka_unit_test(a_slider_lifts),
        cmocka_unit_test(a_joint_is_released),
        cmocka_unit_test(invalid_joints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
