/* Rough surfaces: contacts with grains that are fixed on floors and bodies are as those with
 * others. */
#include "solver/grains.h"

#include "base/random.h"
#include "math/elementary.h"

/* A ball on a square lattice of fixed grains, without friction. */
#define RADIUS 5e-3  /* m, of the ball */
#define FIXED 2.5e-3 /* m, of the fixed grains */
#define PERIOD 5e-3  /* m */

/* A ball above the floor; gravity leans slowly towards +x. */
static grains ball_on(const char *floor, double angle, double friction)
{
    double s = rp_sin(angle), c = rp_cos(angle);
    return grains_of(1,
                     "gravity_keys: [{time: 0, gravity: [0, 0, -9.81]}, {time: 0.3, gravity: "
                     "[%.17g, 0, %.17g]}]\n"
                     "domain: {low: [-10 cm, -5 cm, 0], high: [10 cm, 5 cm, 20 cm]%s}\n"
                     "particles: {spacing: 1 cm, jitter: 0}\n"
                     "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
                     "materials: {sand: {young: 1e7, friction: %g, restitution: 0.2}}\n"
                     "sources: {one: {shape: box, size: [1 cm, 1 cm, 1 cm], position: [0, 0, 3 "
                     "cm]}}\n"
                     "solver: {method: dem}\n",
                     9.81 * s, -9.81 * c, floor, friction);
}

/* Where a ball lies between four fixed grains. */
static rp_vec3 pocket(void)
{
    double reach = RADIUS + FIXED;
    return rp_v3(0, 0, sqrt(reach * reach - PERIOD * PERIOD / 2));
}

/* It leaves the pocket when its weight points beyond the two that hold it. */
static double locking_angle(void)
{
    return rp_atan2(PERIOD / 2, pocket().z);
}

#define LATTICE ", roughness: {radius: 2.5 mm, period: 5 mm, jitter: 0}"

static rp_vec3 place_after(const char *floor, double angle, double friction, double time)
{
    grains g = ball_on(floor, angle, friction);
    set_place(&g, 0, pocket());
    run_world(g.world, time);
    rp_vec3 at = place_at(&g, 0);
    grains_end(&g);
    return at;
}

/* The fixed grains are 5 mm apart from -10 cm on, so that there is a pocket at the origin. */
static void a_ball_is_locked_up_to_the_angle(void **state)
{
    (void)state;
    double angle = locking_angle();
    for (int n = 0; n < 2; n++) {
        rp_vec3 held = place_after(LATTICE, 0.97 * angle, n * 0.5, 0.7);
        rp_vec3 gone = place_after(LATTICE, 1.03 * angle, n * 0.5, 0.7);
        assert_true(rp_v3_length(rp_v3_sub(held, pocket())) < 0.02 * RADIUS);
        assert_true(gone.x > 2 * PERIOD);
    }
    assert_true(place_after("", 0.5 * angle, 0, 0.7).x > 2 * PERIOD); /* on a smooth floor */
}

/* Friction holds it by a spring for each fixed grain, which new lists must not lose: one grain is
 * computed in the same order whenever they are made. */
static void springs_outlive_the_lists(void **state)
{
    (void)state;
    double angle = 0.9 * locking_angle(), stretched = 0;
    grains g = ball_on(LATTICE, angle, 0.5), other = ball_on(LATTICE, angle, 0.5);
    set_place(&g, 0, pocket());
    set_place(&other, 0, pocket());
    for (int n = 0; n < 300; n++) {
        ((rp_dem *)other.world->solver)->displacement = 1; /* m: as if it had moved far */
        grains_step(&g);
        grains_step(&other);
    }
    assert_true(((const rp_dem *)other.world->solver)->rebuilds >
                ((const rp_dem *)g.world->solver)->rebuilds + 250);
    const rp_dem_lists *lists = &((const rp_dem *)g.world->solver)->lists;
    for (size_t w = 0; w < lists->wall_count; w++)
        for (int k = 0; k < 3; k++)
            stretched = fmax(stretched, fabs((double)lists->walls[w].history[k]));
    assert_true(lists->wall_count >= 4 && stretched > 0);
    rp_vec3 a = place_at(&g, 0), b = place_at(&other, 0);
    assert_memory_equal(&a, &b, sizeof a);
    grains_end(&other);
    grains_end(&g);
}

static double flow_speed(const char *floor)
{
    grains g = grains_of(1,
                         "gravity: [4.2, 0, -8.9]\n"
                         "domain: {low: [0, 0, 0], high: [6 cm, 4 cm, 20 cm], periodic: [x, y], "
                         "friction: 0.3%s}\n"
                         "particles: {spacing: 1.1 cm, jitter: 0.05}\n"
                         "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
                         "materials: {sand: {young: 1e6, friction: 0.5, restitution: 0.5}}\n"
                         "sources: {all: {shape: box, size: [5.5 cm, 3.3 cm, 6 cm], position: [3 "
                         "cm, 2 cm, 4 cm]}}\n"
                         "solver: {method: dem}\n",
                         floor);
    run_world(g.world, 0.6);
    double mass = 0;
    for (size_t i = 0; i < g.world->grains.count; i++)
        mass += (double)g.world->grains.mass[i];
    double speed = momentum(&g).x / mass;
    grains_end(&g);
    return speed;
}

static void a_rough_floor_slows_a_flow(void **state)
{
    (void)state;
    double smooth = flow_speed("");
    double rough = flow_speed(", roughness: {radius: 5 mm, period: 1 cm, jitter: 0.5}");
    assert_true(smooth > 0.8 && rough > 0 && rough < 0.5 * smooth);
}

/* A ball rests off the centre of a rough plate: its weight and couple reach the plate. */
static void a_body_feels_what_rests_on_its_grains(void **state)
{
    (void)state;
    grains g = grains_of(
        1, "particles: {spacing: 1 cm, jitter: 0}\n"
           "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
           "materials: {sand: {young: 1e6, friction: 0.5, restitution: 0.1}}\n"
           "bodies: {plate: {shape: box, size: [10 cm, 6 cm, 1 cm], position: [0, 0, -5 mm], "
           "roughness: {radius: 3 mm, period: 6 mm}}}\n"
           "sources: {one: {shape: box, size: [1 cm, 1 cm, 1 cm], position: [3 cm, 1 cm, 1 cm]}}\n"
           "solver: {method: dem}\n");
    run_world(g.world, 1.5);
    rp_view view;
    rp_world_view(g.world, &view);
    const double *force = view.bodies[0].force, *torque = view.bodies[0].torque;
    double weight = 9.81 * (double)g.world->grains.mass[0];
    rp_vec3 at = place_at(&g, 0);
    assert_true(at.z > 5.2e-3); /* on the fixed grains, not on the plate */
    check_near(force[2], -weight, 1e-3 * weight);
    check_near(hypot(force[0], force[1]), 0, 1e-3 * weight);
    check_near(torque[0], -at.y * weight, 1e-3 * weight * 0.03);
    check_near(torque[1], at.x * weight, 1e-3 * weight * 0.03);
    grains_end(&g);
}

/* Without friction only bumps can take a ball along. */
static void fixed_grains_move_with_their_body(void **state)
{
    (void)state;
    double travelled[2];
    for (int n = 0; n < 2; n++) {
        grains g = grains_of(
            1,
            "particles: {spacing: 1 cm, jitter: 0}\n"
            "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
            "materials: {sand: {young: 1e6, friction: 0, restitution: 0.1}}\n"
            "bodies: {plate: {shape: box, size: [20 cm, 6 cm, 1 cm], motion: keys, keys: [{time: "
            "0.2, position: [0, 0, -5 mm]}, {time: 0.8, position: [5 cm, 0, -5 mm]}]%s}}\n"
            "sources: {one: {shape: box, size: [1 cm, 1 cm, 1 cm], position: [0, 0, 1 cm]}}\n"
            "solver: {method: dem}\n",
            n ? ", roughness: {radius: 3 mm, period: 6 mm}" : "");
        run_world(g.world, 0.15);
        double from = place_at(&g, 0).x;
        run_world(g.world, 1);
        travelled[n] = place_at(&g, 0).x - from;
        grains_end(&g);
    }
    assert_true(fabs(travelled[0]) < 1e-3 && travelled[1] > 4e-2);
}

/* Sources leave out what would start inside of fixed grains. */
static void grains_start_clear_of_fixed_ones(void **state)
{
    (void)state;
    const char *const floors[] = {
        "}\n", ", roughness: {radius: 4 mm, period: 9 mm, sides: [bottom, left]}}\n",
        ", roughness: {radius: 35 mm, period: 10 cm, jitter: 0}}\n"};
    size_t count[3];
    for (int n = 0; n < 3; n++) {
        grains g = grains_of(1,
                             "domain: {low: [0, 0, 0], high: [10 cm, 10 cm, 10 cm]%s"
                             "particles: {spacing: 1 cm, jitter: 0.1}\n"
                             "grains: {all: {shape: sphere, diameter: 9 mm}}\n"
                             "materials: {sand: {young: 1e6}}\n"
                             "sources: {all: {shape: box, size: [10 cm, 10 cm, 8 cm], position: "
                             "[5 cm, 5 cm, 4 cm]}}\n"
                             "solver: {method: dem}\n",
                             floors[n]);
        count[n] = g.world->grains.count;
        grains_step(&g);
        double mass = (double)g.world->grains.mass[0];
        assert_true(((const rp_dem *)g.world->solver)->max_load * mass * mass / (2 * 4.5e-3) <
                    1e-4); /* m, overlap */
        grains_end(&g);
    }
    assert_int_equal(count[0], 800);
    assert_true(count[1] < 680 && count[1] > 560);
    assert_int_equal(count[2], 660); /* by the distances of all places */
}

/* Floor, walls, a body that stands, one that moves and turns, one that is dynamic; clumps and
 * water.
 */
#define ALL                                                                                        \
    "gravity: [3, 0, -9]\n"                                                                        \
    "domain: {low: [-0.1, -0.06, 0], high: [0.1, 0.06, 0.4], periodic: [x], roughness: {radius: "  \
    "4 mm, period: 9 mm, jitter: 0.6, sides: [bottom, front]}}\n"                                  \
    "particles: {spacing: 1.2 cm, jitter: 0.05}\n"                                                 \
    "materials: {sand: {young: 2e6, friction: 0.5, rolling_friction: 0.02}}\n"                     \
    "grains: {a: {shape: tetrahedron, diameter: 1 cm}, b: {shape: sphere, diameter: 9 mm}}\n"      \
    "bodies:\n"                                                                                    \
    "  stone: {shape: sphere, radius: 3 cm, position: [0.05, 0, 0], roughness: {radius: 3 mm}}\n"  \
    "  roll: {shape: cylinder, radius: 2 cm, height: 6 cm, position: [-0.05, 0, 0.05], rotation: " \
    "[90, 0, 0], motion: keys, spin: [0, 60 rpm, 0], roughness: {radius: 2 mm, period: 7 mm}}\n"   \
    "  lump: {shape: box, size: [3 cm, 3 cm, 3 cm], position: [0, 0, 0.12], motion: dynamic, "     \
    "density: 2500, roughness: {radius: 3 mm, period: 8 mm}}\n"                                    \
    "sources: {heap: {shape: box, size: [0.18, 0.11, 0.06], position: [0, 0, 0.05]}}\n"            \
    "moisture: {rain: {start: 0, duration: 0.1 s, value: 0.3}}\n"                                  \
    "solver: {method: dem, skin: 0.05}\n"

static void threads_and_stored_states_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t wanted = 0;
    rp_snapshot *snapshot = NULL;
    for (int threads = 1; threads <= 3; threads += 2) {
        grains g = grains_of(threads, ALL);
        run_world(g.world, 0.03);
        if (threads == 1) assert_int_equal(rp_world_snapshot(g.world, &snapshot, NULL), RP_OK);
        run_world(g.world, 0.06);
        assert_true(((const rp_dem *)g.world->solver)->rebuilds > 3);
        if (threads == 1) wanted = rp_world_hash(g.world);
        assert_true(rp_world_hash(g.world) == wanted);
        grains_end(&g);
    }
    grains again = grains_of(2, ALL);
    assert_int_equal(rp_world_restore(again.world, snapshot, NULL), RP_OK);
    run_world(again.world, 0.06);
    assert_true(rp_world_hash(again.world) == wanted);
    grains_end(&again);
    rp_snapshot_destroy(snapshot);
}

static void refuse(const char *text, const char *key)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = scene_of(text);
    rp_world *world = NULL;
    assert_int_equal(rp_world_create(scene, NULL, &world, report), RP_ERROR_INPUT);
    assert_string_equal(rp_report_fault(report, 0)->key, key);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

#define SMALL                                                                                      \
    "particles: {spacing: 1 cm}\nsources: {all: {shape: box, size: [3 cm, 3 cm, 3 cm]}}\n"         \
    "solver: {method: dem}\n"

static void absurd_roughness_is_refused(void **state)
{
    (void)state;
    refuse(SMALL "domain: {low: [-1, -1, -1], high: [1, 1, 1], roughness: {radius: 10 um}}\n",
           "domain.roughness");
    refuse(SMALL "bodies: {hill: {shape: sphere, radius: 5 m, position: [0, 0, -9], roughness: "
                 "{radius: 1 mm, period: 4 mm}}}\n",
           "bodies.hill.roughness");
    refuse(SMALL "domain: {low: [-1, -1, -1], high: [1, 1, 1], periodic: [x]}\n"
                 "bodies: {slope: {shape: plane, normal: [1, 0, 2], position: [0, 0, -0.5], "
                 "roughness: {radius: 5 mm}}}\n",
           "bodies.slope.roughness");
    refuse(SMALL "domain: {low: [-3 cm, -1, -1], high: [3 cm, 1, 1], periodic: [x], roughness: "
                 "{radius: 5 cm}}\n",
           "domain.roughness");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_locked_up_to_the_angle),
        cmocka_unit_test(springs_outlive_the_lists),
        cmocka_unit_test(a_rough_floor_slows_a_flow),
        cmocka_unit_test(a_body_feels_what_rests_on_its_grains),
        cmocka_unit_test(fixed_grains_move_with_their_body),
        cmocka_unit_test(grains_start_clear_of_fixed_ones),
        cmocka_unit_test(threads_and_stored_states_do_not_change_a_bit),
        cmocka_unit_test(absurd_roughness_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
