/* What discrete elements conserve: momentum, angular momentum, and energy as well as a scheme of
 * second order can. */
#include "solver/grains.h"

#include "base/random.h"

#define YOUNG 1e7 /* Pa */
#define POISSON 0.3
/* Rounding, in parts of what all grains have together. */
#define MOMENTUM_CHANGE 1e-6
#define ANGULAR_CHANGE 1e-5
/* Of an elastic gas with the steps that the solver chooses, in parts of what there is. */
#define ENERGY_CHANGE 0.01
#define ORDER_LEAST 1.8
#define ORDER_MOST 2.5
/* Of a body that turns freely: fifty times round, a step being a hundredth of a radian or so. */
#define FREE_ENERGY_CHANGE 1e-3
#define FREE_ANGULAR_CHANGE 1e-5

static rp_vec3 random_vector(uint32_t id, int what, double size)
{
    rp_random4 r = rp_random(7 + (uint64_t)what, RP_RANDOM_TEST, id);
    return rp_v3(size * (2 * (double)rp_random_unit(r.bits[0]) - 1),
                 size * (2 * (double)rp_random_unit(r.bits[1]) - 1),
                 size * (2 * (double)rp_random_unit(r.bits[2]) - 1));
}

/* Random velocities and spins. */
static void stir(const grains *g, double speed, double spin)
{
    const rp_grains *p = &g->world->grains;
    for (size_t i = 0; i < p->count; i++) {
        set_velocity(g, i, random_vector(p->id[i], 0, speed));
        set_spin_of(g, i, random_vector(p->id[i], 1, spin));
    }
}

/* --- energy of contacts, by all pairs --------------------------------------------------------- */

static int balls_at(const grains *g, size_t i, rp_ball *balls)
{
    const rp_grains *p = &g->world->grains;
    const rp_clump *clump = &rp_scene_grains(g->scene)[p->kind[i]].clump;
    double size = p->diameter[i];
    for (int b = 0; b < clump->count; b++) {
        rp_vec3 arm = rp_v3_scale(clump->balls[b].centre, size);
        if (p->orientation[0]) arm = rp_quat_rotate(turn_at(g, i), arm);
        balls[b] = (rp_ball){rp_v3_add(place_at(g, i), arm), size * clump->balls[b].radius};
    }
    return clump->count;
}

static double minimum_image(double d, double period)
{
    return period > 0 ? d - period * round(d / period) : d;
}

/* Hertz: 2/5 k overlap^(5/2) for a force of k overlap^(3/2). */
static double energy_between(const rp_ball *a, const rp_ball *b, double period)
{
    rp_vec3 difference = rp_v3_sub(b->centre, a->centre);
    difference = rp_v3(minimum_image(difference.x, period), minimum_image(difference.y, period),
                       minimum_image(difference.z, period));
    double overlap = a->radius + b->radius - rp_v3_length(difference);
    if (overlap <= 0) return 0;
    double radius = a->radius * b->radius / (a->radius + b->radius);
    double k = 4.0 / 3 * YOUNG / (2 * (1 - POISSON * POISSON)) * sqrt(radius);
    return 0.4 * k * overlap * overlap * sqrt(overlap);
}

/* 0: not periodic. */
static double energy_of(const grains *g, double period)
{
    size_t count = g->world->grains.count;
    double sum = kinetic_energy(g);
    for (size_t i = 0; i < count; i++) {
        rp_ball mine[RP_CLUMP_MAX], theirs[RP_CLUMP_MAX];
        int own = balls_at(g, i, mine);
        for (size_t j = 0; j < i; j++) {
            int others = balls_at(g, j, theirs);
            for (int a = 0; a < own; a++)
                for (int b = 0; b < others; b++)
                    sum += energy_between(&mine[a], &theirs[b], period);
        }
    }
    return sum;
}

/* --- many grains --------------------------------------------------------------------------------
 */

#define PERIOD 0.1 /* m */

static grains gas_of(const char *shape)
{
    return grains_of(2,
                     "gravity: [0, 0, 0]\n"
                     "domain: {low: [0, 0, 0], high: [0.1, 0.1, 0.1], periodic: [x, y, z]}\n"
                     "particles: {spacing: 1.25 cm, jitter: 0.1}\n"
                     "grains: {all: {shape: %s, diameter: 1 cm}}\n"
                     "materials: {rubber: {young: %g, poisson: %g, friction: 0, restitution: 1}}\n"
                     "sources: {all: {shape: box, size: [0.1, 0.1, 0.1], position: [0.05, 0.05, "
                     "0.05]}}\n"
                     "solver: {method: dem}\n",
                     shape, YOUNG, POISSON);
}

static double moving_mass(const grains *g)
{
    double sum = 0;
    for (size_t i = 0; i < g->world->grains.count; i++)
        sum += (double)g->world->grains.mass[i] * rp_v3_length(velocity_at(g, i));
    return sum;
}

static void an_elastic_gas_keeps_momentum_and_energy(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere", "dimer", "cube"};
    for (int s = 0; s < 3; s++) {
        grains g = gas_of(shapes[s]);
        assert_int_equal(g.world->grains.count, 512);
        stir(&g, 1, s ? 100 : 0);
        rp_vec3 before = momentum(&g);
        double moving = moving_mass(&g), energy = energy_of(&g, PERIOD), spin = spin_at(&g, 5).x;
        run_world(g.world, 0.03);
        rp_vec3 change = rp_v3_sub(momentum(&g), before);
        check_near(rp_v3_length(change), 0, MOMENTUM_CHANGE * moving);
        check_near(energy_of(&g, PERIOD), energy, ENERGY_CHANGE * energy);
        assert_true(((const rp_dem *)g.world->solver)->rebuilds > 3);
        double twist = fabs(spin_at(&g, grain_at(&g, 5)).x - spin);
        assert_true(s ? twist > 1 : twist < 1e-9); /* rad/s; without friction no ball is turned */
        grains_end(&g);
    }
}

/* Friction, rolling friction and damping do not matter: what one gains the other loses. */
static void a_free_cluster_keeps_angular_momentum(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere", "tetrahedron", "dimer"};
    static const char *const solvers[] = {"", "law: linear, contact_time: 1 ms", "shear: viscous"};
    for (int s = 0; s < 3; s++) {
        grains g = grains_of(2,
                             "gravity: [0, 0, 0]\n"
                             "particles: {spacing: 1.2 cm, jitter: 0.1}\n"
                             "grains: {all: {shape: %s, diameter: 1 cm, spread: 0.05}}\n"
                             "materials: {stone: {young: %g, friction: 0.6, restitution: 0.3, "
                             "rolling_friction: 0.1}}\n"
                             "sources:\n"
                             "  a: {shape: box, size: [0.06, 0.06, 0.06], velocity: [1, 0, 0]}\n"
                             "  b: {shape: box, size: [0.06, 0.06, 0.06], position: [0.065, 0.03, "
                             "0.01], velocity: [-1, 0.2, 0]}\n"
                             "solver: {method: dem, %s}\n",
                             shapes[s], YOUNG, solvers[s]);
        for (size_t i = 0; i < g.world->grains.count; i++)
            set_spin_of(&g, i, random_vector(g.world->grains.id[i], 2, 50));
        rp_vec3 around = angular_momentum(&g), along = momentum(&g);
        double energy = kinetic_energy(&g), moving = moving_mass(&g);
        run_world(g.world, 0.06);
        assert_true(kinetic_energy(&g) < 0.7 * energy); /* they met */
        check_near(rp_v3_length(rp_v3_sub(momentum(&g), along)), 0, MOMENTUM_CHANGE * moving);
        check_near(rp_v3_length(rp_v3_sub(angular_momentum(&g), around)), 0,
                   ANGULAR_CHANGE * moving * 0.03);
        grains_end(&g);
    }
}

/* --- one contact -------------------------------------------------------------------------------
 */

/* An oblique collision of two grains; the largest error of energy on the way, as a fraction. */
static double energy_error(const char *shape, double step)
{
    grains g = grains_of(1,
                         "gravity: [0, 0, 0]\ntime: {step: %.9g s}\n"
                         "particles: {spacing: 2 cm, jitter: 0}\n"
                         "grains: {all: {shape: %s, diameter: 1 cm}}\n"
                         "materials: {rubber: {young: %g, poisson: %g, friction: 0, restitution: "
                         "1}}\n"
                         "sources: {all: {shape: box, size: [4 cm, 2 cm, 2 cm]}}\n"
                         "solver: {method: dem}\n",
                         step, shape, YOUNG, POISSON);
    size_t a = grain_at(&g, 0), b = grain_at(&g, 1);
    set_place(&g, a, rp_v3(0, 0, 0));
    set_place(&g, b, rp_v3(0.0098, 0.002, 0.0011));
    set_velocity(&g, b, rp_v3(-0.5, 0, 0));
    if (g.world->grains.orientation[0]) { /* lengthwise, end to end */
        set_orientation_of(&g, a, rp_quat_from_axis(rp_v3(0, 0, 1), 0.2));
        set_orientation_of(&g, b, rp_quat_from_axis(rp_v3_normalized(rp_v3(0, 1, 1)), 0.3));
    }
    double before = energy_of(&g, 0), worst = 0, deepest = 0;
    while (rp_world_time(g.world) < 0.003) {
        grains_step(&g);
        double energy = energy_of(&g, 0);
        worst = fmax(worst, fabs(energy / before - 1));
        deepest = fmax(deepest, energy - kinetic_energy(&g));
    }
    assert_true(deepest > 0.1 * before); /* they met */
    grains_end(&g);
    return worst;
}

static void halving_the_step_quarters_the_error(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere", "dimer"};
    const double step = 3e-5; /* s: the contact takes about twenty of them */
    for (int s = 0; s < 2; s++) {
        double coarse = energy_error(shapes[s], step), fine = energy_error(shapes[s], step / 8);
        double order = log(coarse / fine) / log(8);
        if (order < ORDER_LEAST || order > ORDER_MOST)
            print_error("%s: order %g from errors %g and %g\n", shapes[s], order, coarse, fine);
        assert_true(order >= ORDER_LEAST && order <= ORDER_MOST);
    }
}

/* --- one grain alone ---------------------------------------------------------------------------
 */

/* Three different moments of inertia, and a spin about the middle one, which turns over again and
 * again. */
static void a_body_of_any_shape_turns_freely(void **state)
{
    (void)state;
    const double rate = 100; /* rad/s */
    grains g =
        grains_of(1, "gravity: [0, 0, 0]\ntime: {step: 1e-4 s}\n"
                     "particles: {spacing: 2 cm, jitter: 0}\n"
                     "grains: {all: {shape: spheres, diameter: 1 cm, spheres: [{position: [-2, "
                     "0, 0], radius: 1}, {position: [2, 0, 0], radius: 1}, {position: [0, 1.2, "
                     "0], radius: 1.3}]}}\n"
                     "sources: {all: {shape: box, size: [2 cm, 2 cm, 2 cm]}}\n"
                     "solver: {method: dem}\n");
    rp_vec3 m = moments_at(&g, 0);
    double low = fmin(m.x, fmin(m.y, m.z)), high = fmax(m.x, fmax(m.y, m.z));
    int middle = m.x != low && m.x != high ? 0 : m.y != low && m.y != high ? 1 : 2;
    rp_vec3 own = rp_v3(0.01 * rate, 0.01 * rate, 0.01 * rate);
    *(middle == 0 ? &own.x : middle == 1 ? &own.y : &own.z) = rate;
    set_spin_of(&g, 0, rp_quat_rotate(turn_at(&g, 0), own));
    rp_vec3 around = angular_momentum(&g);
    double energy = kinetic_energy(&g), size = rp_v3_length(around);
    int over = 0;
    bool up = true;
    for (int n = 1; n <= 314; n++) { /* fifty times round */
        run_world(g.world, n * 0.01);
        rp_vec3 spin = own_spin_at(&g, 0);
        double along = middle == 0 ? spin.x : middle == 1 ? spin.y : spin.z;
        over += (along > 0) != up;
        up = along > 0;
        check_near(kinetic_energy(&g), energy, FREE_ENERGY_CHANGE * energy);
        check_near(rp_v3_length(rp_v3_sub(angular_momentum(&g), around)), 0,
                   FREE_ANGULAR_CHANGE * size);
    }
    assert_true(over > 2);
    grains_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elastic_gas_keeps_momentum_and_energy),
        cmocka_unit_test(a_free_cluster_keeps_angular_momentum),
        cmocka_unit_test(halving_the_step_quarters_the_error),
        cmocka_unit_test(a_body_of_any_shape_turns_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
