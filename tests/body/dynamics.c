/* Dynamic bodies without sand: gravity, contacts, joints and sleep against closed forms. */
#include "worlds.h"

#include <string.h>

#define HEAD                                                                                       \
    "time: {duration: 10 s}\n"                                                                     \
    "domain: {low: [-9, -9, -9], high: [9, 9, 9], open: [left, right, front, back, bottom, "       \
    "top]}\n"                                                                                      \
    "particles: {spacing: 1 cm}\n"

typedef struct solids {
    rp_scene *scene;
    rp_world *world;
    rp_view view;
} solids;

static void look(solids *s)
{
    rp_world_view(s->world, &s->view);
}

static solids solids_of(const char *text)
{
    solids s = {.scene = scene_of(text)};
    s.world = world_of(s.scene, 1);
    look(&s);
    return s;
}

static void run(solids *s, double time)
{
    run_world(s->world, time);
    look(s);
}

static void end(solids *s)
{
    rp_world_destroy(s->world);
    rp_scene_destroy(s->scene);
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void bodies_fall_and_spin_freely(void **state)
{
    (void)state;
    solids s = solids_of(HEAD "bodies:\n"
                              "  ball: {shape: sphere, radius: 0.1, motion: dynamic, density: 900, "
                              "velocity: [1, 2, 3], spin: [0, 0, 360 deg/s]}\n");
    run(&s, 1);
    const rp_body_state *ball = &s.view.bodies[0];
    check_near(ball->velocity[0], 1, 1e-12);
    check_near(ball->velocity[2], 3 - 9.81, 1e-9);
    check_near(ball->position[1], 2, 1e-9);
    /* Semi-implicit steps of at most 4 ms are ahead of the parabola by half a step's fall. */
    check_near(ball->position[2], 3 - 9.81 / 2, 9.81 * 0.004 / 2 + 1e-9);
    check_near(ball->angular_velocity[2], 2 * 3.14159265358979, 1e-9);
    check_near(fabs(ball->orientation[0]), 1, 1e-6);
    end(&s);
}

/* A cone's middle is a quarter up, and it is about that that it turns. */
static void bodies_turn_about_their_middle(void **state)
{
    (void)state;
    solids s = solids_of("gravity: [0, 0, 0]\n" HEAD "bodies:\n"
                         "  top: {shape: cone, radius: 0.1, height: 0.4, motion: dynamic, "
                         "density: 900, spin: [90 deg/s, 0, 0]}\n");
    rp_body_state first = s.view.bodies[0];
    check_near(length(first.velocity), 0, 0);
    run(&s, 2); /* half a turn about x; the origin started with no velocity, the middle with one */
    const rp_body_state *top = &s.view.bodies[0];
    double drift = -3.14159265358979 / 2 * 0.1 * 2; /* y of the middle: spin cross arm, times 2 s */
    check_near(top->position[1], drift, 2e-4);
    check_near(top->position[2], 0.2, 2e-4);
    end(&s);
}

/* g (sin a - mu cos a) within a hundredth; 3 % is what we promise. */
static void boxes_slide_down_boards(void **state)
{
    (void)state;
    solids s = solids_of(
        HEAD "bodies:\n"
             "  board: {shape: box, size: [8, 1, 0.1], rotation: [0, 30 deg, 0], friction: 0.3}\n"
             "  box: {shape: box, size: [0.2, 0.2, 0.2], rotation: [0, 30 deg, 0], position: "
             "[-0.791, 0, 0.63], motion: dynamic, density: 500, friction: 0.3, restitution: 0}\n");
    run(&s, 0.2);
    double before = length(s.view.bodies[1].velocity);
    run(&s, 0.7);
    double rate = (length(s.view.bodies[1].velocity) - before) / 0.5;
    double expected = 9.81 * (0.5 - 0.3 * sqrt(0.75));
    check_near(rate / expected, 1, 0.01);
    check_near(s.view.bodies[1].contact_force[2], 500 * 0.008 * (9.81 - expected * 0.5), 0.1);
    end(&s);
}

/* Each wall of the domain has its own friction: 0.6 below, 0.1 at the left. */
static void boxes_slide_along_walls(void **state)
{
    (void)state;
    static const char *const pulls[] = {"[0, 4, -8]", "[-8, 4, 0]"};
    static const char *const at[] = {"[0, -3, 0.1]", "[-0.9, -3, 1]"};
    const double friction[] = {0.3, sqrt(0.15 * 0.1)}; /* means with the box's */
    for (int n = 0; n < 2; n++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "particles: {spacing: 1}\ngravity: %s\n"
            "domain: {low: [-1, -4, 0], high: [1, 40, 2], friction: {left: 0.1, bottom: 0.6}}\n"
            "bodies: {box: {shape: box, size: [0.2, 0.2, 0.2], position: %s, motion: dynamic, "
            "density: 500, friction: 0.15, restitution: 0}}\n",
            pulls[n], at[n]);
        solids s = solids_of(text);
        run(&s, 0.2);
        double before = s.view.bodies[0].velocity[1];
        run(&s, 0.7);
        double rate = (s.view.bodies[0].velocity[1] - before) / 0.5;
        check_near(rate, 4 - 8 * friction[n], 0.05);
        end(&s);
    }
}

static void boxes_stay_on_gentle_boards(void **state)
{
    (void)state;
    solids s = solids_of(
        HEAD "bodies:\n"
             "  board: {shape: box, size: [8, 1, 0.1], rotation: [0, 15 deg, 0], friction: 0.3}\n"
             "  box: {shape: box, size: [0.2, 0.2, 0.2], rotation: [0, 15 deg, 0], position: "
             "[0.0388, 0, 0.1449], motion: dynamic, density: 500, friction: 0.3}\n");
    run(&s, 0.1);
    double before = s.view.bodies[1].position[0];
    run(&s, 2);
    check_near(s.view.bodies[1].position[0], before, 1e-3);
    end(&s);
}

/* The box on a belt gains mu g until it has the belt's speed, 1.2 m/s along y, and keeps that. */
static void check_belt(const char *bodies, int box)
{
    char text[2000];
    snprintf(text, sizeof text, "%sbodies:\n%s", HEAD, bodies);
    solids s = solids_of(text);
    run(&s, 0.1);
    double before = s.view.bodies[box].velocity[1];
    run(&s, 0.4);
    check_near((s.view.bodies[box].velocity[1] - before) / 0.3 / (0.3 * 9.81), 1, 0.01);
    check_near(s.view.bodies[box].contact_force[1], 0.3 * 9.81 * 4, 0.1);
    run(&s, 0.7);
    check_near(s.view.bodies[box].velocity[1], 1.2, 1e-3);
    check_near(s.view.bodies[box].velocity[0], 0, 1e-3);
    check_near(length(s.view.bodies[box].angular_velocity), 0, 1e-2);
    double start = s.view.bodies[box].position[1];
    run(&s, 1.7);
    check_near(s.view.bodies[box].position[1] - start, 1.2, 2e-3);
    end(&s);
}

#define BOX(at)                                                                                    \
    "  box: {shape: box, size: [0.2, 0.2, 0.2], position: " at                                     \
    ", motion: dynamic, density: 500, friction: 0.3, restitution: 0}\n"

static void belts_carry_boxes(void **state)
{
    (void)state;
    /* Turned, so that its own x is the world's y; before and behind the box in the scene. */
    static const char board[] = "  belt: {shape: box, size: [8, 1, 0.1], rotation: [0, 0, 90 deg], "
                                "belt: [1.2, 0, 0], friction: 0.3}\n";
    char text[1000];
    snprintf(text, sizeof text, "%s%s", board, BOX("[0, -1, 0.15]"));
    check_belt(text, 1);
    snprintf(text, sizeof text, "%s%s", BOX("[0, -1, 0.15]"), board);
    check_belt(text, 0);
    /* A plane that runs, one that moves, and a board that does half of each. */
    check_belt("  belt: {shape: plane, belt: [0, 1.2, 0], friction: 0.3}\n" BOX("[0, -1, 0.1]"), 1);
    check_belt(BOX("[0, -1, 0.1]") "  belt: {shape: plane, motion: keys, velocity: [0, 1.2, 0], "
                                   "friction: 0.3}\n",
               0);
    check_belt("  belt: {shape: box, size: [8, 1, 0.1], rotation: [0, 0, 90 deg], motion: keys, "
               "velocity: [0, 0.6, 0], belt: [0.6, 0, 0], friction: 0.3}\n" BOX("[0, -1, 0.15]"),
               1);
}

/* 1 mm/s is slow enough to sleep, but what a belt carries does not. */
static void slow_belts_carry_on(void **state)
{
    (void)state;
    solids s = solids_of(
        HEAD "bodies:\n"
             "  belt: {shape: box, size: [8, 1, 0.1], belt: [1 mm/s, 0, 0]}\n" BOX("[0, 0, 0.15]"));
    run(&s, 1);
    double start = s.view.bodies[1].position[0];
    run(&s, 4);
    check_near(s.view.bodies[1].position[0] - start, 0.003, 1e-4);
    end(&s);
}

static void balls_bounce_by_their_restitution(void **state)
{
    (void)state;
    solids s = solids_of(HEAD "bodies:\n"
                              "  floor: {shape: plane, restitution: 0.64}\n"
                              "  ball: {shape: sphere, radius: 0.1, position: [0, 0, 1.1], motion: "
                              "dynamic, density: 500, restitution: 0.64}\n");
    double highest = 0;
    run(&s, 0.5);
    for (double t = 0.5; t < 1.1; t += 0.01) {
        run(&s, t);
        highest = fmax(highest, s.view.bodies[1].position[2] - 0.1);
    }
    check_near(highest, 0.64 * 0.64, 0.02);
    end(&s);
}

static void stacks_stand_and_fall_asleep(void **state)
{
    (void)state;
    solids s = solids_of(
        HEAD "bodies:\n"
             "  floor: {shape: plane}\n"
             "  a: {shape: box, size: [1, 1, 1], position: [0, 0, 0.5], motion: dynamic, mass: 9}\n"
             "  b: {shape: box, size: [1, 1, 1], position: [0, 0, 1.5], motion: dynamic, mass: 9}\n"
             "  c: {shape: box, size: [1, 1, 1], position: [0, 0, 2.5], motion: dynamic, mass: 9}\n"
             "  d: {shape: box, size: [1, 1, 1], position: [0, 0, 3.5], motion: dynamic, mass: 9}\n"
             "  ball: {shape: sphere, radius: 0.3, position: [0.48, 0, 30], motion: dynamic, "
             "mass: 50}\n");
    run(&s, 1.5);
    for (int i = 1; i <= 4; i++) {
        check_near(s.view.bodies[i].position[2], i - 0.5, 0.01);
        check_near(length(s.view.bodies[i].velocity), 0, 0); /* asleep, so exactly */
        check_near(s.view.bodies[i].contact_force[2], 9 * 9.81, 1e-3);
    }
    double fastest = 0;
    for (double t = 2.28; t < 2.4; t += 0.004) { /* the ball lands at 2.29 s */
        run(&s, t);
        fastest = fmax(fastest, length(s.view.bodies[4].velocity));
    }
    assert_true(fastest > 0.001);
    end(&s);
}

/* A thin rod on a hinge at its end: 2 pi sqrt(2 L / 3 g) for small swings. */
static void pendulums_swing_in_time(void **state)
{
    (void)state;
    solids s =
        solids_of(HEAD "bodies:\n"
                       "  rod: {shape: box, size: [0.02, 0.02, 1], position: [0.04997, 0, "
                       "-0.49750], rotation: [0, -5.7355 deg, 0], motion: dynamic, mass: 1}\n"
                       "joints:\n"
                       "  pivot: {kind: hinge, body: rod, anchor: [0, 0, 0], axis: [0, 1, 0]}\n");
    double last = s.view.bodies[0].position[0], first_crossing = 0, crossing = 0;
    int crossings = 0;
    for (double t = 0.002; t < 9; t += 0.002) {
        run(&s, t);
        double x = s.view.bodies[0].position[0];
        if (last > 0 && x <= 0) {
            crossing = t - 0.002 * x / (x - last);
            if (crossings++ == 0) first_crossing = crossing;
        }
        last = x;
    }
    assert_true(crossings >= 4);
    double period = (crossing - first_crossing) / (crossings - 1);
    double expected = 2 * 3.14159265358979 * sqrt(2 / (3 * 9.81)) * (1 + 0.1 * 0.1 / 16);
    check_near(period / expected, 1, 0.003);
    end(&s);
}

static void motors_drive_and_limits_hold(void **state)
{
    (void)state;
    solids s = solids_of(
        "gravity: [0, 0, 0]\n" HEAD "bodies:\n"
        "  wheel: {shape: cylinder, radius: 0.2, height: 0.1, motion: dynamic, mass: 2}\n"
        "  slide: {shape: box, size: [0.1, 0.1, 0.1], position: [0, 2, 0], motion: dynamic, mass: "
        "1}\n"
        "  door: {shape: box, size: [0.4, 0.02, 1], position: [4.2, 0, 0], motion: dynamic, mass: "
        "3, spin: [0, 0, 90 deg/s], velocity: [0, 0.314, 0]}\n"
        "joints:\n"
        "  axle: {kind: hinge, body: wheel, anchor: [0, 0, 0], motor_spin: 90 deg/s, motor_torque: "
        "10}\n"
        "  rail: {kind: slider, body: slide, axis: [1, 0, 0], motor_speed: 0.5, motor_force: 100, "
        "high: 0.6}\n"
        "  hinge: {kind: hinge, body: door, anchor: [4, 0, 0], axis: [0, 0, 1], high_angle: 60 "
        "deg}\n");
    run(&s, 1);
    check_near(s.view.bodies[0].angular_velocity[2], 3.14159265358979 / 2, 1e-6);
    check_near(s.view.bodies[1].velocity[0], 0.5, 1e-6);
    run(&s, 3);
    check_near(s.view.bodies[1].position[0], 0.6, 0.01);
    double angle = 2 * asin(s.view.bodies[2].orientation[3]) * 180 / 3.14159265358979;
    assert_true(angle < 62 && angle > 20);
    end(&s);
}

static void joints_hold_break_and_let_go(void **state)
{
    (void)state;
    const char *text = HEAD
        "bodies:\n"
        "  strong: {shape: sphere, radius: 0.1, position: [0, 0, 0], motion: dynamic, mass: 2}\n"
        "  weak: {shape: sphere, radius: 0.1, position: [1, 0, 0], motion: dynamic, mass: 2}\n"
        "  timed: {shape: sphere, radius: 0.1, position: [2, 0, 0], motion: dynamic, mass: 2}\n"
        "joints:\n"
        "  a: {kind: fixed, body: strong, break_force: 21}\n"
        "  b: {kind: ball, body: weak, anchor: [1, 0, 1], break_force: 18}\n"
        "  c: {kind: fixed, body: timed, release: 1 s}\n";
    solids s = solids_of(text);
    run(&s, 0.9);
    check_near(s.view.bodies[0].position[2], 0, 1e-6);
    check_near(s.view.bodies[0].contact_force[2], 2 * 9.81, 1e-6);
    assert_true(s.view.bodies[1].position[2] < -3);
    check_near(s.view.bodies[2].position[2], 0, 1e-6);
    rp_snapshot *snapshot;
    check_ok(rp_world_snapshot(s.world, &snapshot, NULL), NULL);
    run(&s, 1.5);
    assert_true(s.view.bodies[2].position[2] < -1); /* asleep by then, and woken by the release */
    rp_body_state after[3];
    memcpy(after, s.view.bodies, sizeof after);
    /* Back to before the release: what was let go is held again, what was broken stays broken. */
    check_ok(rp_world_restore(s.world, snapshot, NULL), NULL);
    run(&s, 1.5);
    assert_memory_equal(after, s.view.bodies, sizeof after);
    rp_snapshot_destroy(snapshot);
    end(&s);
}

static void walls_of_the_domain_hold_bodies(void **state)
{
    (void)state;
    solids s = solids_of("time: {duration: 10 s}\ndomain: {low: [0, 0, 0], high: [1, 1, 5]}\n"
                         "particles: {spacing: 1 cm}\n"
                         "bodies:\n  box: {shape: box, size: [0.2, 0.2, 0.2], position: [0.5, 0.5, "
                         "0.5], velocity: [3, 0, 0], motion: dynamic, mass: 1}\n");
    for (double t = 0.05; t < 3; t += 0.05) {
        run(&s, t);
        assert_true(s.view.bodies[0].position[0] < 0.92);
        assert_true(s.view.bodies[0].position[2] > 0.08);
    }
    end(&s);
}

static void bodies_come_back_on_periodic_sides(void **state)
{
    (void)state;
    solids s = solids_of("time: {duration: 10 s}\ngravity: [0, 0, 0]\n"
                         "domain: {low: [0, 0, 0], high: [1, 1, 5], periodic: [x]}\n"
                         "particles: {spacing: 1 cm}\n"
                         "bodies:\n  box: {shape: box, size: [0.2, 0.2, 0.2], position: [0.5, 0.5, "
                         "0.5], velocity: [1, 0, 0], motion: dynamic, mass: 1}\n");
    run(&s, 0.9);
    check_near(s.view.bodies[0].position[0], 0.4, 1e-9);
    check_near(s.view.bodies[0].velocity[0], 1, 1e-12);
    end(&s);
}

/* Steps would shrink for a body that has left the scene. */
static void bodies_that_fell_off_are_left_alone(void **state)
{
    (void)state;
    solids s = solids_of("time: {duration: 99 s}\n"
                         "domain: {low: [0, 0, 0], high: [1, 1, 1], open: [bottom]}\n"
                         "particles: {spacing: 1 cm}\n"
                         "bodies:\n  box: {shape: box, size: [0.2, 0.2, 0.2], position: [0.5, 0.5, "
                         "0.5], motion: dynamic, mass: 1}\n");
    run(&s, 5);
    check_near(length(s.view.bodies[0].velocity), 0, 0);
    assert_true(s.view.bodies[0].position[2] < -1.7 && s.view.bodies[0].position[2] > -2);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_and_spin_freely),
        cmocka_unit_test(bodies_turn_about_their_middle),
        cmocka_unit_test(boxes_slide_down_boards),
        cmocka_unit_test(boxes_slide_along_walls),
        cmocka_unit_test(boxes_stay_on_gentle_boards),
        cmocka_unit_test(belts_carry_boxes),
        cmocka_unit_test(slow_belts_carry_on),
        cmocka_unit_test(balls_bounce_by_their_restitution),
        cmocka_unit_test(stacks_stand_and_fall_asleep),
        cmocka_unit_test(pendulums_swing_in_time),
        cmocka_unit_test(motors_drive_and_limits_hold),
        cmocka_unit_test(joints_hold_break_and_let_go),
        cmocka_unit_test(walls_of_the_domain_hold_bodies),
        cmocka_unit_test(bodies_come_back_on_periodic_sides),
        cmocka_unit_test(bodies_that_fell_off_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
