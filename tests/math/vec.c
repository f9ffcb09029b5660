/* Vectors, matrices, quaternions against what geometry says. */
#include "check.h"

#include "math/vec.h"

static void check_vec(rp_vec3 a, rp_vec3 b, double tolerance)
{
    check_near(a.x, b.x, tolerance);
    check_near(a.y, b.y, tolerance);
    check_near(a.z, b.z, tolerance);
}

static void rotation_has_the_right_sense(void **state)
{
    (void)state;
    rp_quat quarter = rp_quat_from_axis(rp_v3(0, 0, 2), RP_PI / 2);
    check_vec(rp_quat_rotate(quarter, rp_v3(1, 0, 0)), rp_v3(0, 1, 0), 1e-15);
    check_vec(rp_m3_apply(rp_quat_matrix(quarter), rp_v3(0, 1, 3)), rp_v3(-1, 0, 3), 1e-15);
    rp_quat euler = rp_quat_from_euler(rp_v3(RP_PI / 2, 0, RP_PI / 2)); /* x first, then z */
    check_vec(rp_quat_rotate(euler, rp_v3(0, 1, 0)), rp_v3(0, 0, 1), 1e-15);
    check_vec(rp_quat_rotate(euler, rp_v3(1, 0, 0)), rp_v3(0, 1, 0), 1e-15);
}

static void between_takes_one_to_the_other(void **state)
{
    (void)state;
    rp_vec3 a = rp_v3_normalized(rp_v3(1, 2, 3)), b = rp_v3_normalized(rp_v3(-2, 1, 0.5));
    check_vec(rp_quat_rotate(rp_quat_between(a, b), a), b, 1e-14);
    rp_vec3 minus = rp_v3_scale(a, -1);
    check_vec(rp_quat_rotate(rp_quat_between(a, minus), a), minus, 1e-12);
    check_vec(rp_quat_rotate(rp_quat_between(a, a), b), b, 1e-14);
}

static void log_and_exp_undo_each_other(void **state)
{
    (void)state;
    for (double angle = 1e-14; angle < 3.1; angle = angle * 3 + 1e-9) {
        rp_vec3 turn = rp_v3_scale(rp_v3_normalized(rp_v3(1, -1, 0.3)), angle);
        check_vec(rp_quat_log(rp_quat_exp(turn)), turn, 1e-14);
    }
}

static void slerp_turns_at_an_even_rate(void **state)
{
    (void)state;
    rp_quat a = rp_quat_from_axis(rp_v3(0, 0, 1), 0.2), b = rp_quat_from_axis(rp_v3(0, 0, 1), 1.4);
    for (double t = 0; t <= 1; t += 0.25) {
        rp_vec3 turn = rp_quat_log(rp_quat_slerp(a, b, t));
        check_vec(turn, rp_v3(0, 0, 0.2 + 1.2 * t), 1e-14);
    }
}

static void angles_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        rp_vec3 angles = rp_v3(6.2 * (i % 7 / 6.0 - 0.5), 3.1 * (i % 11 / 10.0 - 0.5),
                               6.2 * (i % 13 / 12.0 - 0.5));
        check_vec(rp_quat_to_euler(rp_quat_from_euler(angles)), angles, 1e-12);
    }
    for (int side = -1; side <= 1; side += 2) { /* straight up or down: another triple, one turn */
        rp_quat q = rp_quat_from_euler(rp_v3(0.3, side * RP_PI / 2, 0.8));
        rp_vec3 angles = rp_quat_to_euler(q);
        rp_vec3 off = rp_quat_log(rp_quat_mul(q, rp_quat_conj(rp_quat_from_euler(angles))));
        check_vec(off, rp_v3(0, 0, 0), 1e-7);
        assert_true(angles.x == 0);
    }
}

static void inverses_invert(void **state)
{
    (void)state;
    rp_mat3 a = {{{2, 1, 0}, {-1, 3, 1}, {0.5, 0, 1}}};
    rp_mat3 product = rp_m3_mul(a, rp_m3_inverse(a));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check_near(product.m[i][j], i == j, 1e-14);
    check_near(rp_m3_det(a), 7.5, 1e-14);
    rp_pose pose = {rp_v3(1, 2, 3), rp_quat_from_euler(rp_v3(0.3, -1, 2))};
    rp_vec3 p = rp_v3(-4, 0.1, 9);
    check_vec(rp_pose_to_local(pose, rp_pose_to_world(pose, p)), p, 1e-14);
    rp_vec3 n = rp_v3_normalized(rp_v3(0.9, 0.1, -3));
    check_near(rp_v3_dot(rp_v3_perpendicular(n), n), 0, 1e-15);
    check_near(rp_v3_length(rp_v3_perpendicular(n)), 1, 1e-15);
}

/* A matrix made of known values along turned axes gives them back, largest first. */
static void principal_values_come_back(void **state)
{
    (void)state;
    static const double cases[][3] = {{7, 2, -5}, {3, 3, 1}, {1, 0, 0}, {2, 2, 2}, {0, 0, 0}};
    for (int c = 0; c < 5; c++) {
        rp_mat3 turn = rp_quat_matrix(rp_quat_from_euler(rp_v3(0.3 * c, 1 - c, 2.5)));
        rp_mat3 matrix = {{{cases[c][1], 0, 0}, {0, cases[c][2], 0}, {0, 0, cases[c][0]}}};
        matrix = rp_m3_mul(turn, rp_m3_mul(matrix, rp_m3_transpose(turn)));
        double values[3];
        rp_vec3 axes[3];
        rp_m3_eigen(matrix, values, axes);
        for (int i = 0; i < 3; i++) {
            check_near(values[i], cases[c][i], 1e-13);
            check_vec(rp_m3_apply(matrix, axes[i]), rp_v3_scale(axes[i], values[i]), 1e-13);
            for (int j = 0; j < 3; j++)
                check_near(rp_v3_dot(axes[i], axes[j]), i == j, 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_has_the_right_sense),
        cmocka_unit_test(between_takes_one_to_the_other),
        cmocka_unit_test(log_and_exp_undo_each_other),
        cmocka_unit_test(slerp_turns_at_an_even_rate),
        cmocka_unit_test(angles_come_back),
        cmocka_unit_test(inverses_invert),
        cmocka_unit_test(principal_values_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
