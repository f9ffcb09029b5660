/* Values between keys: found among many, read from where they stand in a struct, and never beyond
 * their neighbors. The paths of bodies, in tests/body/keys.c, ask for more. */
#include "check.h"

#include "base/random.h"
#include "math/keyframes.h"

typedef struct stop {
    int number; /* something that is not a double */
    double time;
    rp_vec3 place;
    double width;
} stop;

#define STOPS 300
static stop stops[STOPS];

/* At uneven times, up and down. */
static rp_keyframes make_keys(rp_interpolation interpolation)
{
    double time = -2;
    for (int i = 0; i < STOPS; i++) {
        rp_random4 r = rp_random(5, RP_RANDOM_TEST, (uint64_t)i);
        time += 0.01 + rp_random_unit(r.bits[0]);
        rp_vec3 place = {rp_random_unit(r.bits[1]), rp_random_unit(r.bits[2]), 7};
        stops[i] = (stop){i, time, place, rp_random_unit(r.bits[3])};
    }
    return (rp_keyframes){stops, STOPS, sizeof *stops, offsetof(stop, time), interpolation};
}

static void keys_are_met(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        rp_keyframes keys = make_keys((rp_interpolation)kind);
        for (int i = 0; i < STOPS; i++) {
            rp_vec3 place = rp_keyframes_vec3(&keys, offsetof(stop, place), stops[i].time);
            assert_true(place.x == stops[i].place.x && place.y == stops[i].place.y);
            assert_true(rp_keyframes_value(&keys, offsetof(stop, width), stops[i].time) ==
                        stops[i].width);
        }
    }
}

static void values_stay_between_their_keys(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        rp_keyframes keys = make_keys((rp_interpolation)kind);
        for (int i = 0; i + 1 < STOPS; i++) {
            const stop *a = &stops[i], *b = &stops[i + 1];
            for (int k = 1; k < 20; k++) {
                double s = k / 20.0, time = a->time + s * (b->time - a->time);
                double width = rp_keyframes_value(&keys, offsetof(stop, width), time);
                assert_true(width >= fmin(a->width, b->width) - 1e-15);
                assert_true(width <= fmax(a->width, b->width) + 1e-15);
                assert_true(rp_keyframes_vec3(&keys, offsetof(stop, place), time).z == 7);
                if (kind == RP_INTERPOLATION_LINEAR)
                    check_near(width, a->width + s * (b->width - a->width), 1e-11);
            }
        }
    }
}

static void ends_go_on(void **state)
{
    (void)state;
    rp_keyframes keys = make_keys(RP_INTERPOLATION_SMOOTH);
    size_t width = offsetof(stop, width);
    assert_true(rp_keyframes_value(&keys, width, -1e9) == stops[0].width);
    assert_true(rp_keyframes_value(&keys, width, 1e9) == stops[STOPS - 1].width);
    keys.count = 1;
    assert_true(rp_keyframes_value(&keys, width, -1e9) == stops[0].width);
    assert_true(rp_keyframes_value(&keys, width, 1e9) == stops[0].width);
    keys.count = 2;
    check_near(rp_keyframes_value(&keys, width, 0.5 * (stops[0].time + stops[1].time)),
               0.5 * (stops[0].width + stops[1].width), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_met),
        cmocka_unit_test(values_stay_between_their_keys),
        cmocka_unit_test(ends_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
