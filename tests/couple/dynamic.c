/* Grains and a dynamic body find a common velocity, however unequal their masses. */
#include "check.h"

#include "couple/couple.h"

#define DT 0.001

static rp_body_spec ball;

static rp_scene scene_of(double mass)
{
    ball = (rp_body_spec){.name = "ball",
                          .motion = RP_MOTION_DYNAMIC,
                          .shape = {.kind = RP_SHAPE_SPHERE, .radius = 0.1},
                          .pose = {.orientation = rp_quat_identity()},
                          .mass = mass};
    rp_domain_spec everywhere = {.low = {-INFINITY, -INFINITY, -INFINITY},
                                 .high = {INFINITY, INFINITY, INFINITY}};
    return (rp_scene){.bodies = {&ball, 1}, .domain = everywhere};
}

/* Grains of that mass come along x at 1 m/s, at an arm along y, and stop the body from being
 * slower than they are: their force falls as the body gets faster there. Returns the speed that
 * both end with, and how many solves it took. */
static double collide(double body, double grains, double arm, int *solves, rp_body_state *state)
{
    rp_scene scene = scene_of(body);
    rp_bodies *bodies;
    rp_couple *couple;
    rp_arena arena = {0};
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    check_ok(rp_bodies_begin(bodies, 0, DT, NULL), NULL);
    rp_couple_refresh(couple);
    check_ok(rp_couple_begin(couple, 1, 1, 1, &arena, NULL), NULL);
    const rp_surface *surface = rp_couple_surfaces(couple);
    rp_vec3 at = rp_v3(0, arm, 0);
    double change = INFINITY, speed = 0;
    for (*solves = 0; *solves < 100 && change > 1e-9; (*solves)++) {
        speed = surface->velocity.x - surface->spin.z * arm;
        assert_true(speed < 1 + 1e-9); /* never beyond what pushes it */
        rp_couple_add_force(couple, 0, surface, at, rp_v3(grains * (1 - speed) / DT, 0, 0));
        rp_couple_add_mass(couple, 0, surface, at, grains);
        change = rp_couple_solve(couple);
    }
    rp_couple_add_force(couple, 0, surface, at, rp_v3(grains * (1 - speed) / DT, 0, 0));
    check_ok(rp_couple_finish(couple), NULL);
    check_ok(rp_bodies_finish(bodies, NULL), NULL);
    *state = rp_bodies_states(bodies)[0];
    rp_arena_destroy(&arena);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
    return speed;
}

static void one_velocity_for_both(void **unused)
{
    (void)unused;
    const double masses[] = {1e-3, 0.1, 1, 10, 1e3};
    for (int n = 0; n < 5; n++) {
        int solves;
        rp_body_state state;
        double speed = collide(masses[n], 1, 0, &solves, &state);
        assert_true(solves < 60);
        check_near(speed, 1 / (1 + masses[n]), 1e-8);
        /* The step itself is taken with the true mass: nothing is lost or won. */
        check_near(masses[n] * state.velocity[0] + speed, 1, 1e-6);
    }
}

/* At an arm the body turns, too: its inertia counts, 2/5 m r^2. */
static void rotating_bodies_react_too(void **unused)
{
    (void)unused;
    int solves;
    rp_body_state state;
    double arm = 0.1, mass = 0.5, inertia = 0.4 * mass * 0.01;
    double speed = collide(mass, 20, arm, &solves, &state);
    double effective = 1 / (1 / mass + arm * arm / inertia);
    check_near(speed, 20 / (20 + effective), 1e-8);
    check_near(state.velocity[0] - state.angular_velocity[2] * arm, speed, 1e-5);
    assert_true(state.angular_velocity[2] < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_velocity_for_both),
        cmocka_unit_test(rotating_bodies_react_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
