/* Eight vectors at once, against one at a time. */
#include "check.h"

#include "base/random.h"
#include "math/wide.h"

/* Wide values stay inside: they are not passed between functions of different instruction sets. */
typedef struct lane {
    rp_vec3 a, b;
    double s;
} lane;

static lane lane_of(int k)
{
    rp_random4 r = rp_random(3, RP_RANDOM_TEST, 2 * (uint64_t)k);
    rp_random4 q = rp_random(3, RP_RANDOM_TEST, 2 * (uint64_t)k + 1);
    return (lane){{rp_random_unit(r.bits[0]), rp_random_unit(r.bits[1]), rp_random_unit(r.bits[2])},
                  {rp_random_unit(q.bits[0]), rp_random_unit(q.bits[1]), rp_random_unit(q.bits[2])},
                  rp_random_unit(r.bits[3])};
}

static void check_lane(const rp_wide_vec3 *found, int k, rp_vec3 exact)
{
    check_near((double)found->x[k], exact.x, 1e-6);
    check_near((double)found->y[k], exact.y, 1e-6);
    check_near((double)found->z[k], exact.z, 1e-6);
}

static void vectors_are_those_of_single_lanes(void **state)
{
    (void)state;
    rp_wide_vec3 a = rp_wide_v3_zero(), b = rp_wide_v3_zero();
    rp_wide s = rp_wide_broadcast(0), length;
    for (int k = 0; k < RP_WIDE; k++) {
        lane l = lane_of(k);
        a.x[k] = (float)l.a.x, a.y[k] = (float)l.a.y, a.z[k] = (float)l.a.z;
        b.x[k] = (float)l.b.x, b.y[k] = (float)l.b.y, b.z[k] = (float)l.b.z;
        s[k] = (float)l.s;
    }
    rp_wide_vec3 cross = rp_wide_v3_cross(a, b), madd = rp_wide_v3_madd(a, s, b);
    rp_wide_vec3 sum = rp_wide_v3_add(a, rp_wide_v3_scale(b, s));
    rp_wide_vec3 some = rp_wide_v3_select(rp_wide_first_lanes(3), a, b);
    rp_wide dot = rp_wide_v3_dot(a, b), inverse = rp_wide_v3_inverse_length(a, &length);
    for (int k = 0; k < RP_WIDE; k++) {
        lane l = lane_of(k);
        check_lane(&cross, k, rp_v3_cross(l.a, l.b));
        check_lane(&madd, k, rp_v3_madd(l.a, l.s, l.b));
        check_lane(&sum, k, rp_v3_madd(l.a, l.s, l.b));
        check_lane(&some, k, k < 3 ? l.a : l.b);
        check_near((double)dot[k], rp_v3_dot(l.a, l.b), 1e-6);
        check_near((double)(inverse[k] * length[k]), 1, 1e-6);
        check_near((double)length[k], rp_v3_length(l.a), 1e-6);
    }
}

static void edges_are_defined(void **state)
{
    (void)state;
    rp_wide length;
    rp_wide inverse = rp_wide_v3_inverse_length(rp_wide_v3_zero(), &length);
    rp_wide_vec3 all = rp_wide_v3_broadcast(rp_v3(1, 2, 3));
    assert_true(inverse[0] == 0 && length[7] == 0);
    check_lane(&all, 7, rp_wide_v3_first_lane(&all));
    assert_false(rp_wide_any(rp_wide_first_lanes(0)));
    assert_true(rp_wide_any(rp_wide_first_lanes(1)) && rp_wide_first_lanes(8)[7] &&
                !rp_wide_first_lanes(7)[7]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_those_of_single_lanes),
        cmocka_unit_test(edges_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
