/* One contact at a time, against what theory says of it: how fast and how late two spheres part,
 * how a ball slides, rolls and stops, what holds on a slope. */
#include "solver/grains.h"

#define DIAMETER 0.01 /* m */
#define RADIUS (DIAMETER / 2)
#define YOUNG 1e7 /* Pa */
#define POISSON 0.3
#define DENSITY 2500.0 /* kg/m3 */
#define GRAVITY 9.81   /* m/s2 */

/* All that is compared with theory is within this part of it, also in the twenty steps that a
 * contact takes by default. */
#define CLOSE 0.01
/* Where in a step contacts begin. */
#define PHASES 5
/* What history friction lets a grain creep in a second, in diameters; and viscous at least. */
#define CREEP_MOST 1e-6
#define CREEP_LEAST 1e-4
/* How fast that may be which stands by its rolling friction, m/s. */
#define STANDS 1e-6

#define BALLS                                                                                      \
    "particles: {spacing: 2 cm, jitter: 0}\n"                                                      \
    "grains: {ball: {shape: sphere, diameter: 1 cm}}\n"

static double ball_mass(void)
{
    return DENSITY * RP_PI / 6 * DIAMETER * DIAMETER * DIAMETER;
}

/* k of the force k overlap^(3/2), on a rigid wall and between two balls. */
static double wall_stiffness(void)
{
    return 4.0 / 3 * YOUNG / (1 - POISSON * POISSON) * sqrt(RADIUS);
}

static double ball_stiffness(void)
{
    return 4.0 / 3 * YOUNG / (2 * (1 - POISSON * POISSON)) * sqrt(RADIUS / 2);
}

/* --- two balls that fly at each other ----------------------------------------------------------
 */

#define GAP 2e-5 /* m, at the start */

/* Obliquely in space and away from the origin, so that no axis is better than another. */
static void set_flying(const grains *g, double gap, double speed)
{
    rp_vec3 along = rp_v3_normalized(rp_v3(1, -2, 0.5)), middle = rp_v3(0.3, 0.2, -0.7);
    for (uint32_t id = 0; id < 2; id++) {
        double sign = id ? 1 : -1;
        set_place(g, grain_at(g, id), rp_v3_madd(middle, sign * (DIAMETER + gap) / 2, along));
        set_velocity(g, grain_at(g, id), rp_v3_scale(along, -sign * speed / 2));
    }
}

static grains two_balls(double restitution, double speed, const char *solver)
{
    grains g = grains_of(1,
                         "gravity: [0, 0, 0]\n" BALLS
                         "materials: {glass: {grain_density: %g, young: %g, poisson: %g, "
                         "friction: 0.4, restitution: %g}}\n"
                         "sources:\n"
                         "  a: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [-1 cm, 0, 0]}\n"
                         "  b: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [2 cm, 0, 0]}\n"
                         "solver: {method: dem, %s}\n",
                         DENSITY, YOUNG, POISSON, restitution, solver);
    set_flying(&g, GAP, speed);
    return g;
}

typedef struct bounce {
    double speed;   /* m/s, of parting */
    double overlap; /* m, the largest that was seen */
    double lasted;  /* s, from the first touch to the last */
    double pushed;  /* s, while there was a force */
} bounce;

/* How fast and how far apart: second against first. */
static double gap_of(const grains *g, double *rate)
{
    size_t a = grain_at(g, 0), b = grain_at(g, 1);
    rp_vec3 difference = rp_v3_sub(place_at(g, b), place_at(g, a));
    double distance = rp_v3_length(difference);
    rp_vec3 v = rp_v3_sub(velocity_at(g, b), velocity_at(g, a));
    *rate = rp_v3_dot(v, difference) / distance;
    return distance - DIAMETER;
}

static bounce bounce_off(const grains *g, double speed)
{
    bounce b = {0};
    double rate = -speed, before = -speed, gap = GAP;
    while ((rate < 0 || gap < 2 * GAP) && rp_world_time(g->world) < 1) {
        grains_step(g);
        gap = gap_of(g, &rate);
        if (fabs(rate - before) > 1e-6 * speed) b.pushed += rp_world_step_info(g->world).dt;
        before = rate;
        b.overlap = fmax(b.overlap, -gap);
    }
    b.speed = rate;
    b.lasted = rp_world_time(g->world) - gap / rate - GAP / speed;
    return b;
}

static double parts_from_ball(double restitution, double speed, double phase, const char *solver)
{
    grains g = two_balls(restitution, speed, solver);
    set_flying(&g, (1 + phase) * rp_dem_limit_dt(g.world->solver).dt * speed, speed);
    double after = bounce_off(&g, speed).speed;
    grains_end(&g);
    return after;
}

static double parts_from_floor(double restitution, double speed, double phase, const char *solver)
{
    grains g = grains_of(1,
                         "gravity: [0, 0, 0]\n" BALLS
                         "domain: {low: [-9, -9, 0], high: [9, 9, 1], restitution: %g}\n"
                         "materials: {glass: {grain_density: %g, young: %g, poisson: %g, "
                         "restitution: %g}}\n"
                         "sources: {a: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, 0, 2 "
                         "cm]}}\n"
                         "solver: {method: dem, %s}\n",
                         restitution, DENSITY, YOUNG, POISSON, restitution, solver);
    set_velocity(&g, 0, rp_v3(0, 0, -speed));
    double gap = (1 + phase) * rp_dem_limit_dt(g.world->solver).dt * speed;
    set_place(&g, 0, rp_v3(0, 0, RADIUS + gap));
    while (!(velocity_at(&g, 0).z > 0 && place_at(&g, 0).z > RADIUS))
        grains_step(&g);
    double after = velocity_at(&g, 0).z;
    grains_end(&g);
    return after;
}

/* Both laws, two speeds, the restitution that materials have by default and others; in the steps
 * that are chosen when nothing is said, and in finer ones. */
static void check_restitutions(double (*parts)(double, double, double, const char *))
{
    static const double restitutions[] = {0.1, 0.3, 0.6, 0.95}, speeds[] = {0.03, 3};
    static const char *const solvers[] = {"law: hertz", "law: linear, contact_time: 0.5 ms",
                                          "law: hertz, steps: 45",
                                          "law: linear, contact_time: 0.5 ms, steps: 400"};
    for (int i = 0; i < 32; i++)
        for (int p = 0; p < PHASES; p++) {
            double wanted = restitutions[i % 4], speed = speeds[i / 4 % 2];
            double after = parts(wanted, speed, (double)p / PHASES, solvers[i / 8]);
            check_near(after / speed, wanted, CLOSE * wanted);
        }
}

static void balls_part_with_their_restitution(void **state)
{
    (void)state;
    check_restitutions(parts_from_ball);
    check_restitutions(parts_from_floor);
}

static void elastic_contacts_last_as_hertz_says(void **state)
{
    (void)state;
    static const double speeds[] = {0.02, 0.2, 2};
    double mass = ball_mass() / 2, k = ball_stiffness();
    for (int s = 0; s < 3; s++) {
        double v = speeds[s], deepest = pow(5 * mass * v * v / (4 * k), 0.4);
        grains g = two_balls(1, v, "law: hertz");
        bounce b = bounce_off(&g, v);
        check_near(b.speed, v, CLOSE * v);
        check_near(b.overlap, deepest, CLOSE * deepest);
        check_near(b.lasted, 2.9432 * deepest / v, CLOSE * 2.9432 * deepest / v);
        grains_end(&g);
    }
}

/* Damped contacts last from the first touch until the force is zero: it never pulls. */
static void linear_contacts_last_as_long_as_asked(void **state)
{
    (void)state;
    const double wanted = 4e-4, v = 0.5; /* s, m/s */
    grains g = two_balls(1, v, "law: linear, contact_time: 0.4 ms");
    bounce b = bounce_off(&g, v);
    check_near(b.lasted, wanted, CLOSE * wanted);
    check_near(b.overlap, v * wanted / RP_PI, CLOSE * v * wanted / RP_PI);
    grains_end(&g);
    static const double restitutions[] = {0.3, 0.8};
    for (int e = 0; e < 2; e++) {
        g = two_balls(restitutions[e], v, "law: linear, contact_time: 0.4 ms, steps: 400");
        b = bounce_off(&g, v);
        check_near(b.pushed, wanted, CLOSE * wanted);
        grains_end(&g);
    }
}

/* The stiffness that is given wins. */
static void linear_contacts_are_as_stiff_as_asked(void **state)
{
    (void)state;
    const double v = 0.5, k = 2e4; /* m/s, N/m */
    double wanted = RP_PI * sqrt(ball_mass() / 2 / k);
    grains g = two_balls(1, v, "law: linear, stiffness: 20000 N/m");
    bounce b = bounce_off(&g, v);
    check_near(b.lasted, wanted, CLOSE * wanted);
    grains_end(&g);
}

/* --- a ball on a floor -------------------------------------------------------------------------
 */

/* Gravity points down and, by the slope, along x; the ball lies as deep in the floor as its weight
 * presses it. */
static grains ball_on_floor(double slope, double friction, double rolling, const char *solver)
{
    double down = GRAVITY * cos(slope);
    grains g =
        grains_of(1,
                  "gravity: [%.12g, 0, %.12g]\n" BALLS
                  "domain: {low: [-100, -100, 0], high: [100, 100, 1], friction: rough}\n"
                  "materials: {glass: {grain_density: %g, young: %g, poisson: %g, "
                  "friction: %g, restitution: 0.3, rolling_friction: %g}}\n"
                  "sources: {a: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, 0, 2 "
                  "cm]}}\n"
                  "solver: {method: dem, %s}\n",
                  GRAVITY * sin(slope), -down, DENSITY, YOUNG, POISSON, friction, rolling, solver);
    double depth = pow(ball_mass() * down / wall_stiffness(), 2.0 / 3);
    set_place(&g, 0, rp_v3(0, 0, RADIUS - depth));
    return g;
}

static const char *const shears[] = {"shear: history", "shear: viscous, slip_damping: 1"};

/* Slides until its spin has caught up, which is when 5/7 of the speed are left. */
static void a_thrown_ball_slides_then_rolls(void **state)
{
    (void)state;
    const double v0 = 0.5, friction = 0.3; /* m/s */
    double end = 2 * v0 / (7 * friction * GRAVITY);
    for (int s = 0; s < 2; s++) {
        grains g = ball_on_floor(0, friction, 0, shears[s]);
        set_velocity(&g, 0, rp_v3(v0, 0, 0));
        double slip = v0, before = v0, time = 0;
        while (rp_world_time(g.world) < 0.8 * end) {
            grains_step(&g);
            time = rp_world_time(g.world);
        }
        check_near(velocity_at(&g, 0).x, v0 - friction * GRAVITY * time, CLOSE * v0);
        check_near(spin_at(&g, 0).y, 2.5 * friction * GRAVITY * time / RADIUS, CLOSE * v0 / RADIUS);
        while (slip > CLOSE / 10 * v0 && time < 2 * end) {
            grains_step(&g);
            before = slip;
            slip = velocity_at(&g, 0).x - spin_at(&g, 0).y * RADIUS;
            time = rp_world_time(g.world);
        }
        assert_true(before > slip);
        check_near(time, end, CLOSE * end);
        run_world(g.world, 2 * end);
        check_near(velocity_at(&g, 0).x, 5.0 / 7 * v0, CLOSE * v0);
        check_near(spin_at(&g, 0).y * RADIUS, 5.0 / 7 * v0, CLOSE * v0);
        grains_end(&g);
    }
}

/* Where it slides all through the impact, friction is its limit all the time. */
static void oblique_impacts_keep_to_coulomb(void **state)
{
    (void)state;
    const double restitution = 0.6, friction = 0.2, down = 0.4, along = 3; /* m/s */
    const double stiff = 100 * YOUNG; /* else the ball is flatter by as much as is allowed here */
    for (int s = 0; s < 2; s++) {
        grains g = grains_of(1,
                             "gravity: [0, 0, 0]\n" BALLS
                             "domain: {low: [-9, -9, 0], high: [9, 9, 1], friction: %g, "
                             "restitution: %g}\n"
                             "materials: {glass: {grain_density: %g, young: %g, poisson: %g, "
                             "friction: %g, restitution: %g}}\n"
                             "sources: {a: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, "
                             "0, 2 cm]}}\n"
                             "solver: {method: dem, %s}\n",
                             friction, restitution, DENSITY, stiff, POISSON, friction, restitution,
                             shears[s]);
        set_place(&g, 0, rp_v3(0, 0, RADIUS + GAP));
        set_velocity(&g, 0, rp_v3(0, along, -down));
        run_world(g.world, 0.01);
        double change = friction * (1 + restitution) * down;
        assert_true(place_at(&g, 0).z > RADIUS);
        check_near(velocity_at(&g, 0).z, restitution * down, CLOSE * restitution * down);
        check_near(along - velocity_at(&g, 0).y, change, CLOSE * change);
        check_near(-spin_at(&g, 0).x, 2.5 * change / RADIUS, CLOSE * 2.5 * change / RADIUS);
        grains_end(&g);
    }
}

/* Mean change of speed and spin from the first time to the second. */
static void measure_slope(const grains *g, double from, double to, double *along, double *turning)
{
    run_world(g->world, from);
    double v = velocity_at(g, 0).x, w = spin_at(g, 0).y;
    run_world(g->world, to);
    *along = (velocity_at(g, 0).x - v) / (to - from);
    *turning = (spin_at(g, 0).y - w) / (to - from);
}

static void balls_roll_down_slopes(void **state)
{
    (void)state;
    const double friction = 0.3;
    static const double part_of_limit[] = {0.3, 0.8};
    double along, turning;
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++) {
            double slope = atan(part_of_limit[p] * 3.5 * friction);
            double wanted = 5.0 / 7 * GRAVITY * sin(slope);
            grains g = ball_on_floor(slope, friction, 0, shears[s]);
            measure_slope(&g, 0.02, 0.12, &along, &turning);
            check_near(along, wanted, CLOSE * wanted);
            check_near(turning * RADIUS, wanted, CLOSE * wanted);
            grains_end(&g);
        }
}

static void balls_slide_down_steep_slopes(void **state)
{
    (void)state;
    const double friction = 0.3, slope = atan(1.3 * 3.5 * friction);
    double slides = GRAVITY * (sin(slope) - friction * cos(slope));
    double turns = 2.5 * friction * GRAVITY * cos(slope) / RADIUS, along, turning;
    for (int s = 0; s < 2; s++) {
        grains g = ball_on_floor(slope, friction, 0, shears[s]);
        measure_slope(&g, 0.02, 0.12, &along, &turning);
        check_near(along, slides, CLOSE * slides);
        check_near(turning, turns, CLOSE * turns);
        grains_end(&g);
    }
}

/* (E8): a couple of rolling friction times weight times radius, which slows a rolling ball by 5/7
 * of rolling friction times gravity, down to nothing. */
static void check_rolling(const char *solver)
{
    const double v0 = 0.2, rolling = 0.05; /* m/s */
    double wanted = 5.0 / 7 * rolling * GRAVITY, along, turning, end = v0 / wanted;
    grains g = ball_on_floor(0, 0.5, rolling, solver);
    set_velocity(&g, 0, rp_v3(v0, 0, 0));
    set_spin_of(&g, 0, rp_v3(0, v0 / RADIUS, 0));
    measure_slope(&g, 0.1 * end, 0.8 * end, &along, &turning);
    check_near(-along, wanted, CLOSE * wanted);
    check_near(-turning * RADIUS, wanted, CLOSE * wanted);
    run_world(g.world, 1.2 * end);
    check_near(velocity_at(&g, 0).x, 0, CLOSE * v0);
    check_near(place_at(&g, 0).x, v0 * v0 / (2 * wanted), CLOSE * v0 * v0 / (2 * wanted));
    grains_end(&g);
}

/* What grains do among themselves does not matter on a floor. */
static void rolling_friction_stops_a_ball(void **state)
{
    (void)state;
    check_rolling("shear: history");
    check_rolling("shear: viscous");
    check_rolling("shear: history}\n"
                  "contacts: {alike: {first: glass, second: glass, rolling_friction: 0}");
}

static const char *const laws[] = {"law: hertz", "law: linear, contact_time: 0.4 ms"};

/* (E8): below a slope whose tangent is the rolling friction a ball stands, above it rolls. */
static void rolling_friction_holds_a_ball_on_a_slope(void **state)
{
    (void)state;
    const double rolling = 0.1;
    static const double part_of_limit[] = {0.5, 0.95};
    for (int i = 0; i < 4; i++) {
        grains g = ball_on_floor(atan(part_of_limit[i % 2] * rolling), 0.5, rolling, laws[i / 2]);
        run_world(g.world, 0.5);
        check_near(rp_v3_length(velocity_at(&g, 0)), 0, STANDS);
        check_near(rp_v3_length(spin_at(&g, 0)) * RADIUS, 0, STANDS);
        rp_vec3 from = place_at(&g, 0);
        run_world(g.world, 0.6);
        check_near(rp_v3_length(rp_v3_sub(place_at(&g, 0), from)), 0, 0.1 * STANDS);
        grains_end(&g);
    }
}

static void a_ball_rolls_down_beyond_its_rolling_angle(void **state)
{
    (void)state;
    const double rolling = 0.1, slope = atan(2 * rolling);
    double wanted = 5.0 / 7 * GRAVITY * (sin(slope) - rolling * cos(slope)), along, turning;
    for (int i = 0; i < 2; i++) {
        grains g = ball_on_floor(slope, 0.5, rolling, laws[i]);
        measure_slope(&g, 0.05, 0.25, &along, &turning);
        check_near(along, wanted, CLOSE * wanted);
        check_near(turning * RADIUS, wanted, CLOSE * wanted);
        grains_end(&g);
    }
}

/* A spinning top: the couple about the normal has the same limit, and then it stands. */
static void rolling_friction_stops_a_spinning_ball(void **state)
{
    (void)state;
    const double spin = 20, rolling = 0.05; /* rad/s */
    double wanted = 2.5 * rolling * GRAVITY / RADIUS, end = spin / wanted;
    for (int i = 0; i < 2; i++) {
        grains g = ball_on_floor(0, 0.5, rolling, laws[i]);
        set_spin_of(&g, 0, rp_v3(0, 0, spin));
        run_world(g.world, 0.2 * end);
        double before = spin_at(&g, 0).z, from = rp_world_time(g.world);
        run_world(g.world, 0.8 * end);
        double rate = (before - spin_at(&g, 0).z) / (rp_world_time(g.world) - from);
        check_near(rate, wanted, CLOSE * wanted);
        run_world(g.world, 10 * end);
        check_near(spin_at(&g, 0).z * RADIUS, 0, STANDS);
        grains_end(&g);
    }
}

/* Two balls that spin about their line of centres in opposite senses: what the impact twists is
 * the rolling friction times R* times the impulse, as much for the one as for the other. */
static void impacts_twist_both_balls(void **state)
{
    (void)state;
    const double speed = 0.5, restitution = 0.6, rolling = 0.1, spin = 200; /* m/s, rad/s */
    grains g =
        grains_of(1,
                  "gravity: [0, 0, 0]\n" BALLS "domain: {low: [-9, -9, -9], high: [9, 9, 9]}\n"
                  "materials: {glass: {grain_density: %g, young: %g, poisson: %g, "
                  "restitution: %g, rolling_friction: %g}}\n"
                  "sources: {a: {shape: box, size: [4 cm, 2 cm, 2 cm]}}\n"
                  "solver: {method: dem}\n",
                  DENSITY, YOUNG, POISSON, restitution, rolling);
    set_flying(&g, GAP, speed);
    rp_vec3 difference = rp_v3_sub(place_at(&g, grain_at(&g, 1)), place_at(&g, grain_at(&g, 0)));
    rp_vec3 along = rp_v3_normalized(difference);
    set_spin_of(&g, grain_at(&g, 0), rp_v3_scale(along, spin));
    set_spin_of(&g, grain_at(&g, 1), rp_v3_scale(along, -spin / 2));
    run_world(g.world, 0.02);
    double impulse = ball_mass() / 2 * (1 + restitution) * speed;
    double change = rolling * RADIUS / 2 * impulse / (0.4 * ball_mass() * RADIUS * RADIUS);
    double first = rp_v3_dot(spin_at(&g, grain_at(&g, 0)), along);
    double second = rp_v3_dot(spin_at(&g, grain_at(&g, 1)), along);
    check_near(spin - first, change, CLOSE * change);
    check_near(second + spin / 2, change, CLOSE * change);
    grains_end(&g);
}

/* The couple reaches bodies: a ball that spins hits the centre of a free block, which then spins
 * with what the ball has lost. */
static void impacts_twist_bodies(void **state)
{
    (void)state;
    const double edge = 0.04, density = 1000, spin = 300; /* m, kg/m3, rad/s */
    grains g =
        grains_of(1,
                  "gravity: [0, 0, 0]\n" BALLS "domain: {low: [-9, -9, -9], high: [9, 9, 9]}\n"
                  "materials: {glass: {grain_density: %g, young: %g, poisson: %g, "
                  "rolling_friction: 0.1}}\n"
                  "bodies: {block: {shape: box, size: [4 cm, 4 cm, 4 cm], motion: dynamic, "
                  "density: %g}}\n"
                  "sources: {a: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, 0, 4 cm]}}\n"
                  "solver: {method: dem}\n",
                  DENSITY, YOUNG, POISSON, density);
    set_place(&g, 0, rp_v3(0, 0, edge / 2 + RADIUS + GAP));
    set_velocity(&g, 0, rp_v3(0, 0, -0.5));
    set_spin_of(&g, 0, rp_v3(0, 0, spin));
    run_world(g.world, 0.02);
    double lost = 0.4 * ball_mass() * RADIUS * RADIUS * (spin - spin_at(&g, 0).z);
    double block = density * edge * edge * edge * edge * edge / 6;
    double gained = block * rp_bodies_states(g.world->bodies)[0].angular_velocity[2];
    assert_true(lost > 0.05 * 0.4 * ball_mass() * RADIUS * RADIUS * spin);
    check_near(gained, lost, CLOSE * lost);
    grains_end(&g);
}

/* A column of spheres falls apart on a flat floor without walls: with rolling history a heap
 * stays and stands. */
static void heaps_of_spheres_stand(void **state)
{
    (void)state;
    grains g = grains_of(1, "particles: {spacing: 1.16 cm, jitter: 0.05}\n"
                            "grains: {all: {shape: sphere, diameter: 1 cm, spread: 0.1}}\n"
                            "domain: {low: [-9, -9, 0], high: [9, 9, 1], friction: rough}\n"
                            "materials: {sand: {young: 1e6, friction: 0.5, restitution: 0.3, "
                            "rolling_friction: 0.1}}\n"
                            "sources: {all: {shape: box, size: [7 cm, 7 cm, 7 cm], "
                            "position: [0, 0, 3.6 cm]}}\n"
                            "solver: {method: dem}\n");
    run_world(g.world, 2.5);
    const rp_grains *p = &g.world->grains;
    double highest = 0, fastest = 0;
    for (size_t i = 0; i < p->count; i++) {
        highest = fmax(highest, place_at(&g, i).z);
        fastest = fmax(fastest, rp_v3_length(velocity_at(&g, i)));
    }
    assert_true(highest > 1.8 * DIAMETER);
    check_near(fastest, 0, STANDS);
    grains_end(&g);
}

/* --- a clump that holds on a slope -------------------------------------------------------------
 */

/* How far a tetrahedron travels in a second on a slope of tangent 0.2 with a friction of 0.5, in
 * diameters: it comes to lie while the floor is level, which then tilts. From 0.28 on it would tip
 * over, since its centre is not above the triangle that it stands on. */
static double creep_of(const char *shear)
{
    const double slope = atan(0.2);
    grains g = grains_of(1,
                         "particles: {spacing: 2 cm, jitter: 0}\n"
                         "gravity_keys: [{time: 0.4, gravity: [0, 0, -9.81]}, {time: 0.6, gravity: "
                         "[%.9g, 0, %.9g]}]\n"
                         "grains: {tetra: {shape: tetrahedron, diameter: 1 cm}}\n"
                         "domain: {low: [-9, -9, 0], high: [9, 9, 1], friction: rough}\n"
                         "materials: {glass: {grain_density: 2500, young: 1e7, friction: 0.5}}\n"
                         "sources: {a: {shape: box, size: [2 cm, 2 cm, 2 cm], position: [0, 0, 1.1 "
                         "cm]}}\n"
                         "solver: {method: dem, %s}\n",
                         GRAVITY * sin(slope), -GRAVITY * cos(slope), shear);
    run_world(g.world, 0.8);
    rp_vec3 from = place_at(&g, 0);
    run_world(g.world, 1.8);
    double travelled = rp_v3_length(rp_v3_sub(place_at(&g, 0), from)) / DIAMETER;
    grains_end(&g);
    return travelled;
}

static void history_holds_and_viscous_creeps(void **state)
{
    (void)state;
    check_near(creep_of("shear: history"), 0, CREEP_MOST);
    check_near(creep_of("shear: history, law: linear, contact_time: 1 ms"), 0, CREEP_MOST);
    assert_true(creep_of("shear: viscous") > CREEP_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_part_with_their_restitution),
        cmocka_unit_test(elastic_contacts_last_as_hertz_says),
        cmocka_unit_test(linear_contacts_last_as_long_as_asked),
        cmocka_unit_test(linear_contacts_are_as_stiff_as_asked),
        cmocka_unit_test(a_thrown_ball_slides_then_rolls),
        cmocka_unit_test(oblique_impacts_keep_to_coulomb),
        cmocka_unit_test(balls_roll_down_slopes),
        cmocka_unit_test(balls_slide_down_steep_slopes),
        cmocka_unit_test(rolling_friction_stops_a_ball),
        cmocka_unit_test(rolling_friction_holds_a_ball_on_a_slope),
        cmocka_unit_test(a_ball_rolls_down_beyond_its_rolling_angle),
        cmocka_unit_test(rolling_friction_stops_a_spinning_ball),
        cmocka_unit_test(impacts_twist_both_balls),
        cmocka_unit_test(impacts_twist_bodies),
        cmocka_unit_test(heaps_of_spheres_stand),
        cmocka_unit_test(history_holds_and_viscous_creeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
