/* Poses between key frames: through the keys, without jumps of the rate, without overshoot. */
#include "check.h"

#include "body/body.h"

static const double degree = RP_PI / 180;

static const rp_key_spec keys[] = {
    {0.5, {0, 1, 0}, {0, 0, 0}},        {1.0, {1, 1, 2}, {0.3, 0, 1}},
    {1.2, {2, 1, 1}, {0.3, -0.2, 5}},   {3.0, {9, 1, 1}, {0.9, -0.2, 9}},
    {3.5, {9.5, 1, 4}, {0.8, 0.4, 20}},
};
#define KEYS (int)(sizeof keys / sizeof *keys)

static void check_quat(rp_quat a, rp_quat b, double tolerance)
{
    check_near(rp_v3_length(rp_quat_log(rp_quat_mul(a, rp_quat_conj(b)))), 0, tolerance);
}

static rp_vec3 velocity(double time, double h)
{
    rp_vec3 before = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, time - h).position;
    return rp_v3_scale(
        rp_v3_sub(rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, time + h).position, before),
        0.5 / h);
}

static rp_vec3 spin(double time, double h)
{
    rp_quat from = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, time - h).orientation;
    rp_quat to = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, time + h).orientation;
    return rp_v3_scale(rp_quat_log(rp_quat_mul(to, rp_quat_conj(from))), 0.5 / h);
}

static void poses_pass_through_the_keys(void **state)
{
    (void)state;
    for (int i = 0; i < KEYS; i++) {
        for (int side = -1; side <= 1; side++) {
            rp_pose pose =
                rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, keys[i].time + side * 1e-9);
            check_near(rp_v3_length(rp_v3_sub(pose.position, keys[i].position)), 0, 1e-7);
            check_quat(pose.orientation, rp_quat_from_euler(keys[i].rotation), 1e-6);
        }
        rp_pose pose = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, keys[i].time);
        assert_true(pose.position.x == keys[i].position.x);
        assert_true(pose.position.z == keys[i].position.z);
    }
}

static void rates_have_no_jumps(void **state)
{
    (void)state;
    const double h = 1e-6;
    for (double t = 0.2; t < 4; t += 0.0137) {
        check_near(rp_v3_length(rp_v3_sub(velocity(t, h), velocity(t + 4 * h, h))), 0, 5e-3);
        check_near(rp_v3_length(rp_v3_sub(spin(t, h), spin(t + 4 * h, h))), 0, 5e-3);
    }
    for (int i = 0; i < KEYS; i++) {
        double t = keys[i].time;
        check_near(rp_v3_length(rp_v3_sub(velocity(t - h, h), velocity(t + h, h))), 0, 5e-3);
        check_near(rp_v3_length(rp_v3_sub(spin(t - h, h), spin(t + h, h))), 0, 5e-3);
    }
}

static void nothing_overshoots(void **state)
{
    (void)state;
    for (int i = 0; i + 1 < KEYS; i++) {
        double last = keys[i].position.x;
        for (int k = 0; k <= 1000; k++) {
            double t = keys[i].time + (keys[i + 1].time - keys[i].time) * k / 1000;
            rp_vec3 p = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, t).position;
            assert_true(p.x >= last - 1e-15);
            assert_true(p.y == 1);
            assert_true(p.z >= fmin(keys[i].position.z, keys[i + 1].position.z) - 1e-15);
            assert_true(p.z <= fmax(keys[i].position.z, keys[i + 1].position.z) + 1e-15);
            last = p.x;
        }
    }
    assert_true(rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, 2.1).position.z ==
                1); /* between equal keys */
}

static void it_rests_before_and_after(void **state)
{
    (void)state;
    const double outside[][2] = {{-5, 0.5}, {0.49, 0.5}, {3.51, 3.5}, {1e9, 3.5}};
    for (int i = 0; i < 4; i++) {
        rp_pose pose = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, outside[i][0]);
        rp_pose end = rp_keys_pose(keys, KEYS, RP_INTERPOLATION_SMOOTH, outside[i][1]);
        assert_memory_equal(&pose, &end, sizeof pose);
    }
    check_near(rp_v3_length(velocity(0.5, 1e-6)), 0, 1e-4);
    check_near(rp_v3_length(spin(3.5, 1e-6)), 0, 1e-4);
    rp_pose only = rp_keys_pose(&keys[1], 1, RP_INTERPOLATION_SMOOTH, 1.0);
    assert_true(only.position.z == 2);
}

/* From 0 to 720 degrees is two turns, counted by adding up small ones. */
static void whole_turns_are_turned(void **state)
{
    (void)state;
    const rp_key_spec turns[] = {{.time = 0}, {.time = 1, .rotation = {0, 0, 720 * degree}}};
    double total = 0;
    for (int i = 0; i < 100; i++) {
        rp_quat from = rp_keys_pose(turns, 2, RP_INTERPOLATION_SMOOTH, i / 100.0).orientation;
        rp_quat to = rp_keys_pose(turns, 2, RP_INTERPOLATION_SMOOTH, (i + 1) / 100.0).orientation;
        total += rp_quat_log(rp_quat_mul(to, rp_quat_conj(from))).z;
    }
    check_near(total, 720 * degree, 1e-12);
    check_quat(rp_keys_pose(turns, 2, RP_INTERPOLATION_SMOOTH, 0.5).orientation, rp_quat_identity(),
               1e-12);
}

static void even_keys_give_even_motion(void **state)
{
    (void)state;
    rp_key_spec even[6];
    const double times[6] = {0, 1, 1.5, 3, 3.25, 5};
    for (int i = 0; i < 6; i++)
        even[i] = (rp_key_spec){times[i], {2 * times[i], 0, 0}, {0, 0, -3 * times[i]}};
    for (double t = 1; t <= 3.25; t += 0.01) {
        rp_pose pose = rp_keys_pose(even, 6, RP_INTERPOLATION_SMOOTH, t);
        check_near(pose.position.x, 2 * t, 1e-13);
        check_quat(pose.orientation, rp_quat_from_euler(rp_v3(0, 0, -3 * t)), 1e-12);
    }
}

static void linear_keys_move_and_turn_evenly(void **state)
{
    (void)state;
    const rp_key_spec line[] = {{.time = 1, .position = {0, 0, 2}},
                                {.time = 3, .position = {4, 0, 2}, .rotation = {0, 0, 8 * RP_PI}}};
    for (double t = 0; t < 4; t += 0.125) {
        rp_pose pose = rp_keys_pose(line, 2, RP_INTERPOLATION_LINEAR, t);
        double share = fmin(fmax((t - 1) / 2, 0), 1);
        rp_vec3 arm = rp_quat_rotate(pose.orientation, rp_v3(1, 0, 0));
        check_near(pose.position.x, 4 * share, 1e-14);
        check_near(pose.position.z, 2, 0);
        check_near(arm.x, cos(8 * RP_PI * share), 1e-13);
        check_near(arm.y, sin(8 * RP_PI * share), 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_keys_move_and_turn_evenly),
        cmocka_unit_test(poses_pass_through_the_keys),
        cmocka_unit_test(rates_have_no_jumps),
        cmocka_unit_test(nothing_overshoots),
        cmocka_unit_test(it_rests_before_and_after),
        cmocka_unit_test(whole_turns_are_turned),
        cmocka_unit_test(even_keys_give_even_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
