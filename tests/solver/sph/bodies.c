/* Coupling of sand and dynamic bodies. */
#include "solver/sand.h"

#define OPEN "open: [left, right, front, back, bottom, top]"

typedef struct sums {
    double momentum[3]; /* kg m/s */
    double angular[3];  /* kg m2/s, about the origin */
    double moving;      /* kg m/s, of all lengths */
} sums;

static void add_cross(double sum[3], double mass, const double r[3], const double v[3])
{
    sum[0] += mass * (r[1] * v[2] - r[2] * v[1]);
    sum[1] += mass * (r[2] * v[0] - r[0] * v[2]);
    sum[2] += mass * (r[0] * v[1] - r[1] * v[0]);
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Of sand and of one ball of that mass and radius. */
static sums sums_of(const rp_view *view, double mass, double radius)
{
    sums s = {0};
    s.moving = sand_momentum(view, s.momentum);
    for (size_t i = 0; i < view->count; i++) {
        const double r[3] = {view->x[i], view->y[i], view->z[i]};
        const double v[3] = {view->vx[i], view->vy[i], view->vz[i]};
        add_cross(s.angular, view->mass[i], r, v);
    }
    const rp_body_state *ball = &view->bodies[0];
    add_cross(s.angular, mass, ball->position, ball->velocity);
    for (int a = 0; a < 3; a++) {
        s.momentum[a] += mass * ball->velocity[a];
        s.angular[a] += 0.4 * mass * radius * radius * ball->angular_velocity[a];
        s.moving += mass * fabs(ball->velocity[a]);
    }
    return s;
}

/* A spinning ball flies into a block of sand without gravity: nothing is lost. Friction near the
 * free surface dissipates some angular momentum, the less the finer the grains. */
static void collisions_conserve_momentum(void **state)
{
    (void)state;
    const double densities[] = {160, 1600, 16000};
    for (int n = 0; n < 3; n++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "time: {duration: 1 s}\ngravity: [0, 0, 0]\n"
                 "domain: {low: [-3, -3, -3], high: [3, 3, 3], " OPEN "}\n"
                 "particles: {spacing: 2.5 cm, jitter: 0}\n"
                 "sources:\n  block: {shape: box, size: [0.6, 0.6, 0.6]}\n"
                 "bodies:\n  ball: {shape: sphere, radius: 0.15, position: [-0.52, 0.1, 0.05], "
                 "velocity: [2, 0, 0], spin: [0, 0, 400 deg/s], motion: dynamic, density: %g}\n",
                 densities[n]);
        sand s = sand_of(text);
        double mass = densities[n] * 4 * 3.14159265358979 / 3 * 0.15 * 0.15 * 0.15;
        sums before = sums_of(&s.view, mass, 0.15);
        double push = 0;
        while (s.view.time < 0.3) {
            sand_step(&s);
            push = fmax(push, fabs(s.view.bodies[0].force[0]));
        }
        sums after = sums_of(&s.view, mass, 0.15);
        assert_true(push > 0);
        assert_true(s.view.bodies[0].velocity[0] < 1.9);
        double turning = length_of(before.angular);
        for (int a = 0; a < 3; a++) {
            check_near((after.momentum[a] - before.momentum[a]) / before.moving, 0, 1e-6);
            check_near((after.angular[a] - before.angular[a]) / turning, 0, 0.01);
        }
        sand_end(&s);
    }
}

#define BED                                                                                        \
    "time: {duration: 5 s}\n"                                                                      \
    "domain: {low: [-0.3, -0.3, 0], high: [0.3, 0.3, 3]}\n"                                        \
    "particles: {spacing: 4 cm}\n"                                                                 \
    "sources:\n  bed: {shape: box, size: [0.6, 0.6, 0.32], position: [0, 0, 0.16]}\n"

/* From a tenth to ten times the sand's density, dropped: each comes to rest where it is carried,
 * with the force that this takes; the light one on top, the heavy one deeper. */
static void balls_of_all_densities_come_to_rest(void **state)
{
    (void)state;
    const double densities[] = {160, 1600, 16000};
    double depth[3];
    for (int n = 0; n < 3; n++) {
        char text[1024];
        snprintf(text, sizeof text,
                 BED "bodies:\n  ball: {shape: sphere, radius: 0.1, position: [0, 0, 0.5], "
                     "motion: dynamic, density: %g}\n",
                 densities[n]);
        sand s = sand_of(text);
        sand_run(&s, 1.5);
        double before = s.view.bodies[0].position[2];
        sand_run(&s, 2);
        double weight = densities[n] * 4 * 3.14159265358979 / 3 * 1e-3 * 9.81;
        check_near(s.view.bodies[0].position[2], before, 1e-4);
        check_near(s.view.bodies[0].force[2] / weight, 1, 0.02);
        depth[n] = 0.32 + 0.1 - before;
        sand_end(&s);
    }
    assert_true(depth[0] < 0.03);
    assert_true(depth[2] > depth[1] && depth[1] > depth[0] - 0.005);
    assert_true(depth[2] < 0.3);
}

/* A light lid on the floor carries deep sand: the sand feels the floor through it. */
static void sand_rests_on_bodies_that_rest(void **state)
{
    (void)state;
    sand s = sand_of("time: {duration: 5 s}\n"
                     "domain: {low: [-0.3, -0.3, 0], high: [0.3, 0.3, 3]}\n"
                     "particles: {spacing: 4 cm}\n"
                     "sources:\n"
                     "  bed: {shape: box, size: [0.6, 0.6, 0.32], position: [0, 0, 0.21]}\n"
                     "bodies:\n  lid: {shape: box, size: [0.598, 0.598, 0.04], position: [0, 0, "
                     "0.02], motion: dynamic, mass: 0.5}\n");
    double weight = 0;
    for (size_t i = 0; i < s.view.count; i++)
        weight += 9.81 * (double)s.view.mass[i];
    sand_run(&s, 1);
    check_near(s.view.bodies[0].position[2], 0.02, 2e-3);
    check_near(length_of(s.view.bodies[0].velocity), 0, 1e-3);
    assert_true(-s.view.bodies[0].force[2] > 0.5 * weight); /* walls carry the rest */
    assert_true(sand_rms_speed(&s.view) < 1e-3);
    sand_end(&s);
}

/* A ball that spins on sand throws it back and moves on. */
static void spin_drags_sand(void **state)
{
    (void)state;
    sand s = sand_of(BED "bodies:\n  ball: {shape: sphere, radius: 0.1, position: [-0.1, 0, 0.42], "
                         "motion: dynamic, density: 1600, spin: [0, 1500 deg/s, 0]}\n");
    sand_run(&s, 0.3);
    double sum[3];
    sand_momentum(&s.view, sum);
    assert_true(s.view.bodies[0].position[0] > -0.09);
    assert_true(fabs(s.view.bodies[0].angular_velocity[1]) < 15);
    sand_end(&s);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const char *text =
        BED "bodies:\n"
            "  a: {shape: box, size: [0.2, 0.1, 0.1], position: [0, 0, 0.5], rotation: [20 deg, 30 "
            "deg, 0], motion: dynamic, density: 800}\n"
            "  b: {shape: capsule, radius: 0.05, height: 0.2, position: [0.1, 0, 0.7], rotation: "
            "[80 deg, 0, 0], motion: dynamic, density: 3000}\n"
            "joints:\n  link: {kind: ball, body: a, other: b, anchor: [0.05, 0, 0.6]}\n";
    rp_scene *scene = scene_of(text);
    rp_world *one = world_of(scene, 1), *two = world_of(scene, 2);
    run_world(one, 0.5);
    run_world(two, 0.5);
    rp_view a, b;
    rp_world_view(one, &a);
    rp_world_view(two, &b);
    assert_memory_equal(a.bodies, b.bodies, 2 * sizeof *a.bodies);
    assert_memory_equal(a.x, b.x, a.count * sizeof *a.x);
    /* A world that continues from a snapshot has the same bits, too. */
    rp_snapshot *snapshot;
    check_ok(rp_world_snapshot(one, &snapshot, NULL), NULL);
    rp_world *third = world_of(scene, 2);
    check_ok(rp_world_restore(third, snapshot, NULL), NULL);
    run_world(two, 0.7);
    run_world(third, 0.7);
    rp_world_view(third, &a);
    rp_world_view(two, &b);
    assert_memory_equal(a.bodies, b.bodies, 2 * sizeof *a.bodies);
    assert_memory_equal(a.x, b.x, a.count * sizeof *a.x);
    rp_snapshot_destroy(snapshot);
    rp_world_destroy(one);
    rp_world_destroy(two);
    rp_world_destroy(third);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_conserve_momentum),
        cmocka_unit_test(balls_of_all_densities_come_to_rest),
        cmocka_unit_test(sand_rests_on_bodies_that_rest),
        cmocka_unit_test(spin_drags_sand),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
